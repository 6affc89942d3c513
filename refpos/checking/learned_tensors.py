"""Learned tensors that a configuration names: whether their shapes are those it gives."""

import math
import re

from .finding import Finding
from .held import shape_finding, shape_text

NUMBER = re.compile(r"(?:(?<=\.)|^)\d+(?=\.)")


def learned_finding(stored, config):
    """The `Finding` of a tensor that an encoding names; None where none does."""
    found = None
    for encoding in () if config is None else config.encodings:
        shape = encoding.parameters.get("shape")
        names = [encoding.parameters["tensor"]] if "tensor" in encoding.parameters else []
        if shape is None or not any(_ends_with(stored.name, name) for name in names):
            continue
        found = _of_shape(stored, encoding, tuple(shape))
        if found.state == "fits":
            return found
    return found


def _of_shape(stored, encoding, shape):
    label = f"{encoding.part}, {encoding.name}"
    held = tuple(size for size in stored.shape if size != 1) or (1,)
    wanted = tuple(size for size in shape if size != 1) or (1,)
    # the grid of a table of patches may have an axis for its rows and one for its columns, transposed tables as well
    alike = held == wanted or held[::-1] == wanted or _flat(held) == wanted
    if alike:
        return Finding(stored.name, "fits", f"learned, shape {shape_text(stored.shape)} fits ({label})", label)
    exact = _ends_with(stored.name, encoding.parameters["tensor"], layers=False)
    if not exact:
        return Finding(stored.name, "not described", "not described: of another layer, whose shape is not given", label)
    found = shape_finding(stored.name, label, stored.shape, shape)
    if len(held) == 2 and held[1:] == wanted[1:]:
        told = f"learned, does not fit ({label}): {held[0]} rows for {wanted[0]}"
        return found._replace(sentence=told)
    return found


def _flat(shape):
    return math.prod(shape[:-1]), shape[-1]


def _ends_with(name, tensor, layers=True):
    """Whether a name in a file is that of a tensor in the base model, in any layer; either may have more in front."""
    if layers:
        name, tensor = NUMBER.sub("#", name), NUMBER.sub("#", tensor)
    return f".{name}".endswith(f".{tensor}") or (name != "weight" and f".{tensor}".endswith(f".{name}"))
