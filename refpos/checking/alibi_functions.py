"""Functions of live models that make the biases of ALiBi, run on a few keys: those of BLOOM, Falcon and MPT."""

import sys

import numpy as np

from .. import emulate
from ..conformance.derivations.exact_inputs import exact_values
from . import torch_modules
from .finding import Finding
from .fixed_tensors import encodings_of
from .held import SAYS, held_against, shape_finding

KEYS = 8
#: model type -> the emulation of a function whose own numbers are coarser than any bound of the bias
EMULATIONS = {"falcon": emulate.falcon_alibi}


def findings(model, config):
    """The findings of the functions of a model, one for each kind."""
    encodings = encodings_of("alibi", config, ("alibi",))
    like = next((one for one in model.parameters() if not torch_modules.is_meta(one)), None)
    if not encodings or like is None:
        return []
    known, part = encodings[0].parameters, encodings[0].part
    found, heads = [], _heads(model, known["num_heads"])
    for name, make in MAKERS.items():
        function = _function(model, name)
        if function is not None and heads != known["num_heads"]:
            found.append(shape_finding(f"{name}()", part, (heads, 1, KEYS), (known["num_heads"], 1, KEYS)))
        elif function is not None:
            found.append(_of_function(name, make, (function, like, known), (part, EMULATIONS.get(config.model_type))))
    return found


def _heads(model, configured):
    """The heads that the outermost module with a number of heads gives to the function; without one the configured."""
    held = (vars(module).get(name) for module in model.modules() for name in ("num_heads", "n_heads"))
    return next((one for one in held if isinstance(one, int)), configured)


def _function(model, name):
    """The method of a module of the model, or the function of the file of its class; None where there is none."""
    for module in model.modules():
        if callable(getattr(type(module), name, None)):
            return getattr(module, name)
    return getattr(sys.modules.get(type(model).__module__), name, None)


def _of_function(name, make, given, described):
    (function, like, known), (part, emulation) = given, described
    heads = known["num_heads"]
    try:
        tensor = torch_modules.numbers(make(function, like, known).float())
    except Exception as error:  # whatever the function of another program raises
        return Finding(f"{name}()", "not described", f"not described: it raises {type(error).__name__}", part)
    tensor = tensor._replace(values=tensor.values.reshape(heads, 1, KEYS))
    named = {key: value for key, value in known.items() if key != "num_heads"}
    call = "alibi", (heads, 1, KEYS), {"dtype": tensor.dtype, **named}
    found = held_against(f"{name}()", part, tensor, call)
    if found.state == "differs" and emulation is not None:
        expected = emulation("alibi", heads, 1, KEYS, **named)
        if np.array_equal(exact_values(tensor), exact_values(expected)):
            told = f"{SAYS} ({part}), in the arithmetic of its program: emulate.{emulation.name}, bit for bit"
            return found._replace(state="right", sentence=told)
    return found


def _of_mask(function, like, known):
    return function(like.new_ones((1, KEYS)).long(), known["num_heads"], like.float().dtype)


def _of_length(function, like, known):
    return function(known["num_heads"], KEYS, known.get("max_bias", 8), like.device)


#: name of the function -> how it is called with (function, a tensor of the model, parameters of the encoding)
MAKERS = {"build_alibi_tensor": _of_mask, "build_mpt_alibi_tensor": _of_length}
