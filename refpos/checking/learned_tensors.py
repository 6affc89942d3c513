"""Learned tensors that a configuration names: whether their shapes are those it gives."""

import math
import re

from .finding import Finding
from .held import shape_finding, shape_text
from .rotary_tensors import best

NUMBER = re.compile(r"(?:(?<=\.)|^)\d+(?=\.)")
OF_STAGE = "not described: of another stage, whose shape is not given"
OF_FIRST = "the configuration has it in the first layer alone, and all layers share it"


def learned_finding(stored, config):
    """The `Finding` of a tensor that an encoding names; None where none does."""
    named = [
        (encoding, name, shape)
        for encoding in (() if config is None else config.encodings)
        for name, shape in _tensors_of(encoding)
        if is_of_name(stored.name, name) and _is_in_layer(stored.name, name, encoding.weights)
    ]
    exact = [one for one in named if is_of_name(stored.name, one[1], layers=False)]
    found = [of_shape(stored, *one) for one in exact or named]
    return best(found) if found else None


def _tensors_of(encoding):
    """(name, shape) of the tensors of an encoding; those with another name in files have both."""
    known, weights = encoding.parameters, encoding.weights
    tensors = known.get("tensors")
    if isinstance(tensors, list):
        shapes = weights.get("shapes") or [known.get("shape")] * len(tensors)
        return [(name, shape) for name, shape in zip(tensors, shapes) if shape is not None]
    names = [known[name] for name in ("tensor",) if name in known]
    names += [weights[name] for name in ("stored_as",) if name in weights]
    return [(name, known["shape"]) for name in names if "shape" in known]


def _is_in_layer(name, tensor, weights):
    """Whether the layer in a name is one of those that have the tensor."""
    layer = _numbers(name, tensor)[:1]
    if "layers" in weights:
        return bool(layer) and layer[0] in weights["layers"]
    return not layer or layer[0] not in weights.get("but_layers", ())


def _numbers(name, tensor):
    """The numbers in a name that stand where those of the tensor do; there may be more in front."""
    count = len(NUMBER.findall(tensor))
    return [int(one) for one in NUMBER.findall(name)[-count:]] if count else []


def of_shape(stored, encoding, name, shape):
    """The `Finding` of a tensor held against the shape of the weight of an encoding, which has that name."""
    label = f"{encoding.part}, {encoding.name}"
    held_by = encoding.weights.get("held_by")
    exact = is_of_name(stored.name, name, layers=False)
    if held_by == "first" and not exact:
        return Finding(stored.name, "differs", f"differs from {label}: {OF_FIRST}", label)
    shape = _shape_in_files(shape, encoding.weights)
    held, wanted = (tuple(size for size in one if size != 1) or (1,) for one in (stored.shape, shape))
    # the grid of a table of patches may have an axis for its rows and one for its columns
    if wanted in (held, _flat(held)):
        return Finding(stored.name, "fits", f"learned, shape {shape_text(stored.shape)} fits ({label})", label)
    if held_by == "stage" and _numbers(stored.name, name)[:1] != _numbers(name, name)[:1]:
        return Finding(stored.name, "not described", OF_STAGE, label)
    found = shape_finding(stored.name, label, stored.shape, shape)
    if len(held) == 2 and held[1:] == wanted[1:]:
        told = f"learned, does not fit ({label}): {held[0]} rows for {wanted[0]}"
        return found._replace(sentence=told)
    return found


def _shape_in_files(shape, weights):
    """The shape of the tensor of a weight."""
    shape = tuple(shape[::-1] if weights.get("transposed") else shape)
    return (weights["stacked"], *shape) if "stacked" in weights else shape


def _flat(shape):
    return math.prod(shape[:-1]), shape[-1]


def is_of_name(name, tensor, layers=True):
    """Whether a name in a file is that of a tensor in the base model, in any layer; either may have more in front."""
    if layers:
        name, tensor = NUMBER.sub("#", name), NUMBER.sub("#", tensor)
    return f".{name}".endswith(f".{tensor}") or (name != "weight" and f".{tensor}".endswith(f".{name}"))
