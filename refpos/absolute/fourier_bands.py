"""Fourier features of coordinates at bands of frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.waves import fourier
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import AngleFactor, Array, DType, Integer

__all__ = ["fourier_bands"]

BandOrder = Literal[
    "kind-axis-band", "kind-band-axis", "axis-kind-band", "axis-band-kind", "band-kind-axis", "band-axis-kind"
]
Kinds = Literal["sin-cos", "cos-sin", "sin", "cos"]
Include = Literal["first", "last"]
ORDERS, KINDS, INCLUDES = get_args(BandOrder), get_args(Kinds), get_args(Include)


@register(
    family="absolute",
    paper="Mildenhall et al. 2020, NeRF, arXiv:2003.08934, section 5.1",
    conventions="order of kind, axis and band, and factor 1, pi or 2 pi (no default); coordinates first, last or none",
    also="Fourier features, NeRF, NeRF positional encoding, Perceiver, frequency encoding",
)
def fourier_bands(
    coordinates: PositionsOfAxes,
    frequencies: Frequencies | Sequence[Frequencies],
    *,
    factor: AngleFactor,
    order: BandOrder,
    kinds: Kinds = "sin-cos",
    include: Include | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Fourier features: sines and cosines of each coordinate at each frequency band, as in NeRF and Perceiver.

        sin(factor * x_a * f_b),  cos(factor * x_a * f_b)   for each axis a and each band b

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        Array (..., n) of integers or finite floats, taken as exactly what they are; a list of exact positions, one for
        each coordinate (`refpos.coordinates`); or a `grid`.
    frequencies : Frequencies or sequence of Frequencies
        What `bands` returns, the same for all coordinates, or a list of one for each, of equal counts.
    factor : {'pi', '2pi'}, float or Fraction
        Factor of the angles, a number greater than 0, "pi" or "2pi".
    order : {'kind-axis-band', 'kind-band-axis', 'axis-kind-band', 'axis-band-kind', 'band-kind-axis', 'band-axis-kind'}
        The loops over kind, axis and band, outermost first: "kind-axis-band" has all sines, then all cosines.
    kinds : {'sin-cos', 'cos-sin', 'sin', 'cos'}, default 'sin-cos'
        What each band gives: "sin-cos", "cos-sin", "sin" or "cos".
    include : {'first', 'last'}, optional
        Whether the coordinates stand "first", "last" or not at all (None).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., kinds n bands), or n more with the coordinates, rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (coordinates, frequencies), E_POSITION, E_NUMBER, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - bmild/nerf, run_nerf_helpers.py ("band-kind-axis", factor 1, first).
    - google/mipnerf, mip.py ("kind-band-axis", 1, first).
    - nerfstudio, encodings.py ("kind-axis-band", "2pi", last).
    - NVlabs/tiny-cuda-nn, frequency.h ("axis-band-kind", "pi").
    - transformers, models/perceiver/modeling_perceiver.py ("kind-axis-band", "pi", first).
    - timm, layers/pos_embed_sincos.py ("kind-band-axis", "pi", first).

    Examples
    --------
    >>> from refpos.frequencies import bands
    >>> fourier_bands([[0.25, 1]], bands(2, rule="powers", low=0, high=1), factor="pi", order="band-kind-axis")
    array([[ 0.70710678,  0.        ,  0.70710678, -1.        ,  1.        ,
             0.        ,  0.        ,  1.        ]])
    """
    tokens = read_points("coordinates", coordinates)
    parts, raw, width = waves_of(len(tokens.axes), frequencies, order, kinds, include)
    factor, fmt = fourier.read_factor("factor", factor), formats.resolve(dtype)
    result, stored = checks.output(out, (*tokens.shape, width), fmt)
    fourier.fill(stored, tokens, [part.times(factor) for part in parts], fmt, threads, raw)
    return result


def waves_of(count, frequencies, order, kinds, include):
    """(the `Waves` of so many coordinates before the factor, the columns of these or None, the width)."""
    checks.choice("order", order, ORDERS), checks.choice("kinds", kinds, KINDS)
    if include is not None:
        checks.choice("include", include, INCLUDES)
    several = read_bands(frequencies, count)
    waves = (1 + (kinds in KINDS[:2])) * count * len(several[0])
    start = count if include == "first" else 0
    raw = None if include is None else slice(0, count) if include == "first" else slice(waves, waves + count)
    parts = [fourier.waves(axis, one, order, count, axis, kinds, start) for axis, one in enumerate(several)]
    return parts, raw, waves + count * (include is not None)


def read_bands(frequencies, count):
    """The frequencies of each coordinate."""
    several = frequencies if isinstance(frequencies, (list, tuple)) else [frequencies] * count
    several = [checked(one) for one in several]
    if len(several) != count or len({len(one) for one in several}) != 1:
        received = [len(one) for one in several]
        sentence = f"frequencies must have one length for all {count} coordinates, got {shown(received)}"
        raise InputError("E_SHAPE", "frequencies", sentence)
    for one in several:
        if one.axes is not None or one.factor.rational != 1:
            received = f"axes {one.axes} and attention factor {one.attention_factor}"
            sentence = f"frequencies must have one axis and no attention factor, got {received}"
            raise InputError("E_NUMBER", "frequencies", sentence)
    return several
