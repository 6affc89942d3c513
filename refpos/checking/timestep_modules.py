"""Embeddings of timesteps in live modules, run on telling timesteps and held against the configuration."""

import copy

import numpy as np

from . import torch_modules
from .finding import Finding
from .fixed_tensors import NO_ENCODING, encodings_of
from .held import held_against, without_loose

#: timesteps of both kinds, 0 .. 1000 and 0 .. 1, each exact in float32
TELLING = (0.0, 1.0, 2.0, 0.25, 0.5, 37.0, 501.0, 998.0, 999.5, 1000.0)


def findings(model, config):
    """The findings of all modules that embed timesteps."""
    like = next(model.parameters(), None)
    if like is None or torch_modules.is_meta(like):
        return []
    found = []
    for path, module in model.named_modules():
        run = next((one for is_such, one in RUNS if is_such(module)), None)
        if run is not None:
            found.append(_finding(path, module, run, like, config))
    return found


def _finding(path, module, run, like, config):
    name, leaf = f"{path}(timesteps)", path.rpartition(".")[2]
    encodings = encodings_of(path, config, ("timestep_embedding", "fourier_projection"))
    meant = next((one for one in encodings if _module_of(one) == leaf), None)
    if meant is None:
        return Finding(name, "not described", NO_ENCODING)
    times = like.new_zeros(len(TELLING)).float()
    for k, time in enumerate(TELLING):
        times[k] = time
    try:
        tensor = torch_modules.numbers(run(copy.deepcopy(module).float(), times))
    except Exception as error:  # whatever a module raises that does not take a list of timesteps
        return Finding(
            name, "not described", f"not described: not run, since it raises {type(error).__name__}: {error}"
        )
    return without_loose(held_against(name, meant.part, tensor, _call(meant, module)), [tensor])


def _module_of(encoding):
    """The last name of the module of an encoding."""
    known = encoding.parameters
    return known.get("module") or known["tensor"].rpartition(".")[0]


def _call(meant, module):
    """The call that gives what a module returns at the timesteps."""
    if meant.name == "timestep_embedding":
        options = {key: value for key, value in meant.parameters.items() if key not in ("dim", "module")}
        return "timestep_embedding", (np.array(TELLING, np.float32), meant.parameters["dim"]), options
    weight = torch_modules.numbers(module.weight.float()).values[None]
    options = {key: meant.parameters[key] for key in ("factor", "layout")}
    return "fourier_projection", (np.array(TELLING, np.float32)[:, None], weight), options


def _is_module(module):
    return type(module).__name__.endswith(("Timesteps", "GaussianFourierProjection"))


def _is_static(module):
    return callable(getattr(module, "timestep_embedding", None)) and hasattr(module, "frequency_embedding_size")


#: (whether a module is one of them, how it is run)
RUNS = (
    (_is_module, lambda module, times: module(times)),
    (_is_static, lambda module, times: module.timestep_embedding(times, module.frequency_embedding_size)),
)
