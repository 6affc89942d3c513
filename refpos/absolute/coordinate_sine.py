"""Sines and cosines of continuous coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import geometric_frequencies, sinusoid_inv_freq
from ..steps.waves import fourier
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..steps.waves.tables import LAYOUTS
from ..types import AngleFactor, Array, DType, Integer, Number, SinusoidLayout

__all__ = ["coordinate_sine"]

#: the layouts as loops, the outermost first, and the order of sine and cosine
LOOPS = {
    "interleaved": ("axis-band-kind", "sin-cos"),
    "sin-cos": ("axis-kind-band", "sin-cos"),
    "cos-sin": ("axis-kind-band", "cos-sin"),
}


@register(
    family="absolute",
    paper="Liu et al. 2022, DAB-DETR, arXiv:2201.12329, section 4.2",
    conventions="order of the coordinates and factor, such as 1, pi or 2 pi (no default); layout as in sinusoidal",
    also="sinusoidal coordinates, DAB-DETR, PETR, pos2posemb3d, gen_sineembed_for_position",
)
def coordinate_sine(
    coordinates: PositionsOfAxes,
    dim: Integer,
    *,
    order: Sequence[Integer],
    factor: AngleFactor,
    base: Number = 10000.0,
    layout: SinusoidLayout = "interleaved",
    widths: Sequence[Integer] | None = None,
    repeated: bool = False,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Each coordinate of a token, encoded by sines and cosines in its share of the channels.

        PE[p] = [wave(p[order[0]]) | wave(p[order[1]]) | ...],   wave(c) = sin, cos of factor * c * base**(-2i / width)

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        An array (..., n) of integers or finite floats, taken as exactly what they are; a list of exact positions, one
        for each coordinate (`refpos.coordinates`); or a `grid`.
    dim : int
        Number of channels of all n coordinates together, a multiple of 2 n.
    order : sequence of int
        The coordinates in the order of the channels: [1, 0] puts y of (x, y) first.
    factor : {'pi', '2pi'}, float or Fraction
        Factor of the angles, a number greater than 0, "pi" or "2pi".
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'interleaved'
        Order of the channels within each coordinate: "interleaved", "sin-cos" or "cos-sin".
    widths : sequence of int, optional
        Even widths in the order of the channels that add up to dim, by default dim/n each.
    repeated : bool, default False
        Whether the width/2 frequencies are base**(-2 floor(i/2) / (width/2)), so that each stands twice.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., dim), rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SHAPE (coordinates, order, widths), E_POSITION, E_CHOICE, E_NUMBER, E_BASE, E_DTYPE, E_OUT,
        E_TOO_LARGE.

    Notes
    -----
    Where a coordinate is an integer number of turns, or another twelfth of one, the result is exact: sin(2 pi n) is 0.

    References
    ----------
    - transformers, models/dab_detr/modeling_dab_detr.py, encode_sinusoidal_position_embedding (y, x, w, h).
    - megvii-research/PETR, pos2posemb3d (y, x, z).
    - fundamentalvision/Deformable-DETR, get_proposal_pos_embed (as they come).
    - transformers, models/sam2_video/modeling_sam2_video.py, get_1d_sine_pe (repeated, "sin-cos").

    Examples
    --------
    >>> coordinate_sine([[0.5, 0.25]], 4, order=[1, 0], factor="2pi")
    array([[ 1.,  0.,  0., -1.]])
    """
    tokens = read_points("coordinates", coordinates)
    factor = fourier.read_factor("factor", factor)
    parts = waves_of(len(tokens.axes), dim, order, base, layout, widths, repeated)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (*tokens.shape, checks.integer("dim", dim)), fmt)
    fourier.fill(stored, tokens, [part.times(factor) for part in parts], fmt, threads)
    return result


def waves_of(count, dim, order, base, layout, widths, repeated):
    """The `Waves` of so many coordinates in the order of the channels, before the factor."""
    order, widths = _read_order(order, count), _read_widths(dim, widths, count)
    base, repeated = checks.positive("base", base, "E_BASE"), checks.flag("repeated", repeated)
    loops, kinds = LOOPS[checks.choice("layout", layout, LAYOUTS)]
    starts = accumulate(widths, initial=0)
    return [
        fourier.waves(axis, _frequencies(width, base, repeated), loops, 1, 0, kinds, start)
        for axis, width, start in zip(order, widths, starts)
    ]


def exponents(width, repeated):
    """The exponents of 1/base in the channels of one coordinate."""
    half = width // 2
    return [Fraction(2 * (i // 2), half) if repeated else Fraction(2 * i, width) for i in range(half)]


def _frequencies(width, base, repeated):
    if not repeated:
        return sinusoid_inv_freq(width, base, False)
    half = width // 2
    distinct = (half + 1) // 2
    frequencies = geometric_frequencies(2 * distinct, distinct, Fraction(2, half), base)
    return frequency_sets.picked(frequencies, [i // 2 for i in range(half)])


def _read_order(order, count):
    numbers = checks.listed("order", order, "numbers of coordinates")
    numbers = [checks.integer("order", number, 0, count - 1, "E_SHAPE") for number in numbers]
    if sorted(numbers) != list(range(count)):
        sentence = f"order must have each of 0 .. {count - 1} once, got {shown(order)}"
        raise InputError("E_SHAPE", "order", sentence)
    return numbers


def _read_widths(dim, widths, count):
    if widths is None:
        return [checks.multiple("dim", dim, 2 * count) // count] * count
    widths = [checks.even_width("widths", width) for width in checks.listed("widths", widths, "even widths")]
    dim = checks.multiple("dim", dim, 2)
    if len(widths) != count or sum(widths) != dim:
        sentence = f"widths must be {count} even widths that add up to dim {dim}, got {shown(widths)}"
        raise InputError("E_SHAPE", "widths", sentence)
    return widths
