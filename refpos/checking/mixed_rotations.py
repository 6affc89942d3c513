"""Modules of live models that rotate by learned sums of positions (Mochi), run with weights that are drawn for it."""

import copy
import math
from fractions import Fraction

import numpy as np

from ..tensor_files import Tensor
from . import embedder_calls, torch_modules
from .finding import Finding
from .fixed_tensors import encodings_of
from .held import held_against, without_loose
from .rotary_runs import parameters_of

ARGUMENTS = ("pos_frequencies", "num_frames", "height", "width")


def findings(name, module, like, config):
    """The findings of a module, none where the configuration has no such rotation or the module other arguments."""
    encodings = encodings_of(name, config, ("mixed_rope",))
    if not encodings or tuple(parameters_of(module))[:4] != ARGUMENTS:
        return []
    known, part = encodings[0].parameters, encodings[0].part
    axes, _, pairs = known["shape"]
    weight = _weight((axes, 1, pairs))
    given = like.new_zeros(weight.shape).float()
    for place, value in np.ndenumerate(weight):
        given[place] = float(value)
    try:
        made = copy.deepcopy(module)(given, *embedder_calls.SIZES, given.device, given.dtype)
        cos, sin = (torch_modules.numbers(one) for one in made)
    except Exception as error:  # whatever a module raises that does not take these arguments
        return [
            Finding(
                name, "not described", f"not described: not run, since it raises {type(error).__name__}: {error}", part
            )
        ]
    _, height, width = embedder_calls.SIZES
    scale = [1, *[Fraction(known["area"], height * width)] * 2]
    return [finding(name, part, (cos, sin), (_centred(), weight, scale))]


def _weight(shape):
    """Frequencies of which no two are alike, each exact in float32."""
    return (np.arange(math.prod(shape), dtype=np.float32).reshape(shape) - 5) / 64


def _centred():
    """Frames from 0 on, rows and columns around 0."""
    frames, rows, columns = embedder_calls.grid(embedder_calls.SIZES).astype(np.float64)
    _, height, width = embedder_calls.SIZES
    return [frames, rows + 0.5 - height / 2, columns + 0.5 - width / 2]


def finding(name, part, tables, meant):
    """The `Finding` of cosines and sines (tokens, heads, pairs); meant: positions of each axis, weight, scales."""
    positions, weight, scale = meant
    cos, sin = (np.moveaxis(one.values, 0, 1) for one in tables)
    held = np.stack([cos, sin], axis=-1).reshape(*cos.shape[:2], -1)  # the pair (1, 0) becomes (cos, sin)
    ones = np.zeros_like(held)
    ones[..., 0::2] = 1
    call = "mixed_rope", (ones, positions, weight), {"pairing": "interleaved", "squared_scale": scale}
    tensor = Tensor(tables[0].dtype, held)
    return without_loose(held_against(name, part, tensor, call), [tensor])
