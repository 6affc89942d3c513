"""The matrix that moves a row of the sinusoidal table by an offset."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles.frequencies import sinusoid_inv_freq
from ..steps.positions.coordinates import listed
from ..steps.waves import tables
from ..steps.waves.tables import LAYOUTS
from ..types import Array, DType, Integer, Number, SinusoidLayout


@register(
    family="absolute",
    paper="Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5, where it is said to exist",
    conventions="multiplies a column from the left; layout and frequencies as in sinusoidal",
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
    """The shift matrix of the sinusoidal table: it maps the row of each position to that of position + offset.

        PE[p + offset] = M PE[p] for all p:
        M[s_i, s_i] = M[c_i, c_i] = cos(offset theta_i),  M[s_i, c_i] = sin(offset theta_i) = -M[c_i, s_i],  else 0

    s_i and c_i are the channels of sine and cosine i in the layout, theta_i the frequencies of `sinusoidal`.

    Parameters
    ----------
    offset : float or Fraction
        Any number, taken as exactly what it is; negative ones carry to earlier rows.
    dim : int
        Number of channels, even.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'interleaved'
        Order of the channels: "interleaved" [s0 c0 s1 c1 ...], "sin-cos" [s0 s1 ... | c0 c1 ...] or "cos-sin" [c0 c1
        ... | s0 s1 ...].
    endpoint : bool, default False
        Frequencies base**(-i / (dim/2 - 1)), the last of which is 1/base, as in `sinusoidal`.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (dim, dim), every element the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SIZE, E_NUMBER (offset), E_BASE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    M multiplies columns: a table, whose rows are positions, is multiplied by M transposed from the right.

    References
    ----------
    Vaswani et al. 2017, section 3.5: "for any fixed offset k, PE[pos + k] can be represented as a linear function of
    PE[pos]".

    Examples
    --------
    >>> shift_matrix(1, 2, dtype="float32")
    array([[ 0.5403023 ,  0.84147096],
           [-0.84147096,  0.5403023 ]], dtype=float32)
    """
    dim, fmt = checks.even_width("dim", dim), formats.resolve(dtype)
    checks.choice("layout", layout, LAYOUTS)
    frequencies = sinusoid_inv_freq(dim, checks.positive("base", base, "E_BASE"), checks.flag("endpoint", endpoint))
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
