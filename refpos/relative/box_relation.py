"""Sines of how boxes lie to each other: logarithms of distances over sizes, and of sizes over sizes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError, shown, shown_number
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import geometric_frequencies, scaled
from ..steps.positions.exact_positions import read_positions
from ..steps.waves import tables
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["box_relation"]

BLOCK = 1 << 7  # pairs whose frequencies are made at a time


@register(
    family="relative",
    paper="Hou et al. 2024, Relation DETR, arXiv:2407.11699, section 4.1",
    conventions="boxes as centre and size; source over target; exponents 4i/dim, twice those of sinusoidal",
    also="box relation, Relation-DETR, relation network",
)
def box_relation(
    boxes: ArrayLike,
    dim: Integer,
    *,
    targets: ArrayLike | None = None,
    base: Number = 10000.0,
    scale: Number = 100,
    eps: Number = 1e-5,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Sinusoidal features of each pair of boxes, from which a layer makes a relation bias for each head.

        r = [|x_i - x_j| / (w_i + eps) + 1, |y_i - y_j| / (h_i + eps) + 1, (w_i + eps) / (w_j + eps), ... of h]
        R[i, j] = [sin, cos of scale ln(r_0) theta | of r_1 | r_2 | r_3],   theta_k = base**(-4k / dim), k < dim/2

    Parameters
    ----------
    boxes : array_like
        Shape (..., n, 4) of finite x, y, width and height, sizes from 0 on, taken as exactly what they are; the rows i.
    dim : int
        Even number of channels of each of the four, its sines before its cosines.
    targets : array_like, optional
        Shape (..., m, 4), the columns j, or None for the boxes themselves.
    base : float or Fraction, default 10000
        Base of the frequencies, greater than 0.
    scale : float or Fraction, default 100
        Factor of the logarithms, greater than 0.
    eps : float or Fraction, default 1e-05
        What is added to the sizes, from 0 on, exactly what it is; sizes plus eps must be greater than 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., n, m, 4 dim), the exact value rounded once to `dtype`: 0 and 1 where boxes have one place or one
        size.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SHAPE, E_NUMBER (boxes, targets, scale, eps), E_BASE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    transformers, models/pp_doclayout_v2/modeling_pp_doclayout_v2.py, PPDocLayoutV2PositionRelationEmbedding.

    Examples
    --------
    >>> box_relation([[0, 0, 1, 1], [1, 0, 1, 2]], 2, scale=1, eps=0)[0, 1].round(3)
    array([ 0.639,  0.769,  0.   ,  1.   ,  0.   ,  1.   , -0.639,  0.769])
    """
    dim, fmt = checks.multiple("dim", dim, 2), formats.resolve(dtype)
    checks.thread_count(threads)
    frequencies = frequencies_of(dim, base, scale)
    ratios, shape = ratios_of(boxes, targets, read_eps(eps))
    result, stored = checks.output(out, (*shape, 4 * dim), fmt)
    with tables.rows_of(stored) as rows:
        pairs, half = rows.reshape(-1, 4, dim), dim // 2
        for start in range(0, len(pairs), BLOCK):
            part = ratios[4 * start : 4 * (start + BLOCK)]
            waves = np.empty((2, 1, len(part) * half), fmt.storage)
            tables.fill(*waves, read_positions([1]), frequency_sets.times_logarithms(frequencies, part), fmt, threads)
            cos, sin = waves.reshape(2, -1, 4, half)
            pairs[start : start + BLOCK, :, :half], pairs[start : start + BLOCK, :, half:] = sin, cos
    return result


def frequencies_of(dim, base, scale):
    """The frequencies times the scale."""
    frequencies = geometric_frequencies(dim, dim // 2, Fraction(4, dim), checks.positive("base", base, "E_BASE"))
    return scaled(frequencies, (reals.rational(checks.positive("scale", scale)),) * len(frequencies))


def read_eps(eps):
    """A fraction from 0 on."""
    number = checks.real("eps", eps)
    if number < 0:
        raise InputError("E_NUMBER", "eps", f"eps must be at least 0, got {shown(eps)}")
    return number


def ratios_of(boxes, targets, eps):
    """The four ratios of each pair as a flat list of fractions, and the shape (..., n, m) of the pairs."""
    sources = _read_boxes("boxes", boxes, eps)
    others = sources if targets is None else _read_boxes("targets", targets, eps)
    if sources.shape[:-2] != others.shape[:-2]:
        sentence = f"targets must be (*{sources.shape[:-2]}, m, 4) as boxes are {sources.shape}, got {others.shape}"
        raise InputError("E_SHAPE", "targets", sentence)
    shape = (*sources.shape[:-1], others.shape[-2])
    ratios = []
    for at in np.ndindex(sources.shape[:-2]):
        for x, y, width, height in sources[at]:
            for other_x, other_y, other_width, other_height in others[at]:
                ratios += [
                    abs(x - other_x) / (width + eps) + 1,
                    abs(y - other_y) / (height + eps) + 1,
                    (width + eps) / (other_width + eps),
                    (height + eps) / (other_height + eps),
                ]
    return ratios, shape


def _read_boxes(name, values, eps):
    """An array (..., n, 4) of fractions."""
    array = checks.of_64_bits(name, checks.array(name, values), "E_NUMBER")
    if array.ndim < 2 or array.shape[-1] != 4:
        raise InputError("E_SHAPE", name, f"{name} must be (..., n, 4), got shape {array.shape}")
    fractions = np.empty(array.shape, object)
    for at, value in np.ndenumerate(array):
        fractions[at] = checks.real(name, value.item())
    sizes = fractions[..., 2:].reshape(-1).tolist()
    wrong = [size for size in sizes if size < 0 or not size + eps]
    if wrong:
        limit = "at least 0" if eps else "greater than 0 where eps is 0"
        raise InputError("E_NUMBER", name, f"{name} must have sizes {limit}, got {shown_number(wrong[0])}")
    return fractions
