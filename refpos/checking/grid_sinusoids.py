"""Tables of sinusoids of a grid whose tensor a configuration names: those that classes of diffusers add to patches."""

import math
from fractions import Fraction

from ..coordinates import affine
from .held import held_against, shape_finding
from .learned_tensors import is_of_name

NOT_OF_CALL = ("dim", "grid", "steps", "tensor")


def grid_finding(stored, config):
    """The `Finding` of such a table; None where the configuration names no table of that name."""
    encodings = () if config is None else [one for one in config.encodings if one.name == "sincos_grid"]
    one = next((one for one in encodings if is_of_name(stored.name, one.parameters["tensor"])), None)
    if one is None:
        return None
    known = one.parameters
    shape = math.prod(known["grid"]) + known["extra_tokens"], known["dim"]
    held = math.prod(stored.shape[:-1]), stored.shape[-1]
    tensor = stored.read() if held == shape else None
    if tensor is None:
        return shape_finding(stored.name, one.part, held, shape)
    grid = [affine(size, step=Fraction(*step)) for size, step in zip(known["grid"], known["steps"])]
    options = {name: value for name, value in known.items() if name not in NOT_OF_CALL}
    tensor = tensor._replace(values=tensor.values.reshape(shape))
    return held_against(stored.name, one.part, tensor, ("sincos_grid", (grid, known["dim"]), options))
