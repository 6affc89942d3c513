"""rope of MLX: the positions and wavelengths as its source has them, the rotation as in `rope`, and in float32."""

from fractions import Fraction

import numpy as np
from float32.angles import F, number
from float32.registry import float32
from witness.suites import WITNESSES, witness


def offsets(offset, batch):
    """The position of the first token of each sequence."""
    return [int(one) for one in np.broadcast_to(np.asarray(offset).reshape(-1), (batch,))]


@witness("mlx_rope", source="code: mlx 0.32.4, mlx/fast.cpp, rope")
def exact(given, call, dtype):
    x, dims, scale = given["x"], given["dims"], Fraction(given["scale"])
    pairs, freqs = dims // 2, given.get("freqs")
    if freqs is None:
        arguments = {"dim": dims, "base": given["base"], "factor": 1 / scale}
        made = {"function": "linear", "arguments": arguments}
    else:
        inverse = [scale / Fraction(one) for one in np.asarray(freqs).tolist()]
        assert len(inverse) == pairs
        made = {"function": "given_frequencies", "arguments": {"inv_freq": inverse}}
    pairing = "interleaved" if given["traditional"] else "half"
    rotated = []
    for one, first in zip(x, offsets(given["offset"], len(x)), strict=True):  # a sequence at a time
        places = np.arange(first, first + x.shape[-2], dtype=np.int64)
        places = places if freqs is None else places[None]  # of given frequencies positions on each of the axes
        call = {"x": one, "positions": places, "pairing": pairing, "seq_axis": -2}
        rotated.append(WITNESSES["rope"](call, made, dtype)["output"])
    return {"output": np.stack(rotated)}


@float32("mlx_rope", kind="float32-angle", wide=("x",))
def program(x, dims, traditional, scale, offset, base=None, freqs=None):
    """As mlx/fast.cpp falls back to: positions times scale, times frequencies, in float32."""
    half, seq = dims // 2, x.shape[-2]
    places = np.array([np.arange(first, first + seq) for first in offsets(offset, len(x))], np.int64)
    places = places.astype(F).reshape(len(x), seq) * F(number(scale))
    if freqs is None:
        inverse = F(number(base)) ** (-np.arange(half).astype(F) / F(half))
    else:
        inverse = F(1) / np.asarray(freqs).astype(F)
    angles = (places[..., None] * inverse).reshape(len(x), *[1] * (x.ndim - 3), seq, half)
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = (np.s_[..., 0:dims:2], np.s_[..., 1:dims:2]) if traditional else (
        np.s_[..., :half], np.s_[..., half:dims])  # fmt: skip
    result = np.array(x)
    result[first], result[second] = x[first] * cos - x[second] * sin, x[first] * sin + x[second] * cos
    return result
