"""The tensors and the configuration of a live torch module, which is never imported here: it is asked for its own."""

import json

from ..tensor_files import answer
from .roles import role_of
from .stored import Stored

OTHERS = (
    "modules of MLX and Flax are not run: give their arrays as a dict (model.parameters() of MLX, the params of Flax)"
    " and config="
)


def is_of_others(model, libraries=("mlx", "flax")):
    """Whether an object is of MLX or Flax."""
    return any(base.__module__.partition(".")[0] in libraries for base in type(model).__mro__)


def is_module(model):
    """Whether an object is a torch module, by what it can be asked for."""
    wanted = ("named_buffers", "named_parameters", "named_modules")
    return not isinstance(model, type) and all(callable(getattr(model, name, None)) for name in wanted)


def tensors_of(model):
    """`Stored` of all buffers and parameters, and of plain attributes that are tensors of positions."""
    found = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            if is_tensor(value) and (role_of(name) is not None or name == "freqs_cis"):
                found.setdefault(f"{path}.{name}".lstrip("."), value)
    real = [pair for name, one in found.items() for pair in _without_complex(name, one)]
    return [Stored(name, _dtype(one), tuple(one.shape), _reader(one)) for name, one in real]


def _without_complex(name, tensor):
    """[(name, tensor)]: of a complex tensor such as freqs_cis its cosines and its sines, each with a name."""
    if not getattr(tensor, "is_complex", bool)():
        return [(name, tensor)]
    return [(f"{name}.cos", tensor.real), (f"{name}.sin", tensor.imag)]


def is_tensor(value):
    """Whether a value is a tensor of torch."""
    return all(hasattr(value, name) for name in ("detach", "device", "shape", "dtype"))


def _dtype(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def is_meta(tensor):
    """Whether a tensor has a shape and no values."""
    return tensor.device.type == "meta"


def _reader(tensor):
    return lambda: None if is_meta(tensor) else numbers(tensor)


def numbers(tensor):
    """The `Tensor` of one of torch, wherever it is."""
    return answer(tensor.detach().cpu().contiguous(), "a tensor")


def config_of(model):
    """The configuration of a module as JSON would hold it, or None."""
    config = getattr(model, "config", None)
    if hasattr(config, "to_dict"):
        config = config.to_dict()
    if not hasattr(config, "items"):
        return None
    values = json.loads(json.dumps(dict(config), default=str))
    # diffusers writes the class into the file, and does not hold it in the config of a module
    is_of_diffusers = type(model).__module__.startswith("diffusers.") and "model_type" not in values
    return {"_class_name": type(model).__name__, **values} if is_of_diffusers else values
