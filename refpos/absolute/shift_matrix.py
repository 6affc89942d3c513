"""The matrix that moves a row of the sinusoidal table by an offset."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles.frequencies import sinusoid_ladder
from ..steps.positions.coordinates import listed
from ..steps.waves import tables
from ..steps.waves.tables import LAYOUTS
from ..types import Array, DType, Integer, Number, SinusoidLayout


@register(
    family="absolute",
    paper="Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5, where it is said to exist",
    conventions="multiplies a column from the left; layout and ladder as in sinusoidal",
    also="shift property, linear relation of offsets",
)
def shift_matrix(
    offset: Number,
    dim: Integer,
    *,
    base: Number = 10000.0,
    layout: SinusoidLayout = "interleaved",
    endpoint: bool = False,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The matrix that carries each row of the sinusoidal table to the row `offset` behind it.

        PE[p + offset] = M PE[p] for all p:
        M[s_i, s_i] = M[c_i, c_i] = cos(offset theta_i),  M[s_i, c_i] = sin(offset theta_i) = -M[c_i, s_i],  else 0

    s_i and c_i are the channels of sine and cosine i in the layout, theta_i the frequencies of `sinusoidal`. offset:
    any number, taken as exactly what it is; negative ones carry back. dim: even. base, layout and endpoint as in
    `sinusoidal`. M multiplies columns: a table, whose rows are positions, is multiplied by M transposed from the right.

    Returns (dim, dim), every element the exact value rounded once to `dtype`. `out` receives the result.

    Raises E_ODD_DIM, E_SIZE, E_NUMBER (offset), E_BASE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Source: Vaswani et al. 2017, section 3.5: "for any fixed offset k, PE[pos + k] can be represented as a linear
    function of PE[pos]".

    >>> shift_matrix(1, 2, dtype="float32")
    array([[ 0.5403023 ,  0.84147096],
           [-0.84147096,  0.5403023 ]], dtype=float32)
    """
    dim, fmt = checks.width("dim", dim), formats.resolve(dtype)
    checks.choice("layout", layout, LAYOUTS)
    frequencies = sinusoid_ladder(dim, checks.positive("base", base, "E_BASE"), checks.flag("endpoint", endpoint))
    offset = checks.real("offset", offset)
    array, stored = checks.output(out, (dim, dim), fmt)
    # a row forward and a row backward: their sines differ by the sign alone
    cos, sin = (np.empty((2, dim // 2), fmt.storage) for _ in range(2))
    tables.fill(cos, sin, listed([offset, -offset]), frequencies, fmt, threads)
    channels = np.arange(dim, dtype=np.int64)[None, :]
    c, s = (part[0] for part in tables.cos_sin_columns(channels, layout, dim // 2, dim // 2))
    stored[...] = 0
    stored[s, s] = stored[c, c] = cos[0]
    stored[s, c], stored[c, s] = sin
    return array
