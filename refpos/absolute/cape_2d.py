"""The code of CAPE for the patches of an image: waves in directions that rotate by one radian."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..arithmetic import enclosures, formats
from ..catalogue import register
from ..steps.angles import phases
from ..steps.waves import tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import Array, DType, Integer

__all__ = ["cape_2d"]

CapeRadii = Literal["ends", "from-one"]


@register(
    family="absolute",
    paper="Likhomanenko et al. 2021, CAPE, arXiv:2106.03143, section 3",
    conventions="radii ends or from-one (no default); x first; directions 0, 1, 2 .. radians; cosines first",
    no_error_bound="libraries state no error of 10**x",
    also="CAPE, continuous augmented positional embedding",
)
def cape_2d(
    coordinates: PositionsOfAxes, dim: Integer, *, radii: CapeRadii, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """CAPE for images: cosines and sines of waves over the patches, each in a direction of its own.

        angle_k = pi r_k (x cos k + y sin k),  k = 0 .. n - 1 (radians),  n = dim / 2
        E = [cos(angle_0) .. cos(angle_(n-1)) | sin(angle_0) .. sin(angle_(n-1))]
        ends  r_k = 10**(k / (n - 1)), a single one 1        from-one  r_k = 10**((k + 1) / n)

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        Shape (..., 2) of x and y, as in `coordinate_sine`; those of an image are the cells of a grid, x along its first
        axis: refpos.grid(linspace(-1, 1, rows, endpoint=True), linspace(-1, 1, columns, endpoint=True)) of
        `refpos.coordinates`. In training they are shifted and scaled at random: such coordinates are given as they are.
    dim : int
        Number of channels, even.
    radii : {'ends', 'from-one'}
        The r_k of the last version of the PyTorch code ("ends"), or of its first ("from-one"); which of them the
        authors of the paper trained with is not known here.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., dim), the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM (dim), E_SHAPE, E_POSITION, E_CHOICE (radii), E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    For a sequence CAPE is `sinusoidal(positions, dim, position_scale=...)`, of positions less their mean where it
    normalises them.

    That no wave of k > 0 lies halfway between two values follows from Schanuel's conjecture. It is made to check other
    code: some 0.2 ms for each element.

    References
    ----------
    gcambara/cape at d456950, cape/cape.py, CAPE2d ("ends"), and at 85941cf, its first version ("from-one").

    Examples
    --------
    >>> cape_2d([[0.5, 0], [0, 0]], 2, radii="ends")
    array([[0., 1.],
           [1., 0.]])
    """
    tokens, fmt = read_points("coordinates", coordinates, 2, "x and y"), formats.resolve(dtype)
    count = checks.even_width("dim", dim) // 2
    checks.choice("radii", radii, get_args(CapeRadii))
    result, stored = checks.output(out, (*tokens.shape, 2 * count), fmt)
    first, over = (0, max(count - 1, 1)) if radii == "ends" else (1, count)
    directions = [_direction(k, Fraction(k + first, over)) for k in range(count)]
    places = zip(*(axis.fractions() for axis in tokens.along_sequence().axes))
    with tables.rows_of(stored) as rows:
        enclosures.fill(rows, (_channels(*place, directions) for place in places), fmt)
    return result


def _direction(k, exponent):
    """(the factors of x and y in half turns as a rule, the factor of x where it is a fraction and y has none)."""

    @enclosures.remembered
    def factors(digits):
        cos, sin = enclosures.cos_sin(digits, digits.of(k) / (digits.pi() * 2)) if k else (digits.of(1), digits.of(0))
        radius = digits.power(Fraction(10), exponent)
        return cos * radius, sin * radius

    return factors, k, 10 ** int(exponent) if exponent.denominator == 1 else None


def _channels(x, y, directions):
    """All cosines, then all sines, as `enclosures.Value`s."""
    waves = [_wave(x, y, *direction) for direction in directions]
    return [cos for cos, _ in waves] + [sin for _, sin in waves]


def _wave(x, y, factors, k, radius):
    """Cosine and sine of one angle. In direction 0 it is pi x r: an exact fraction of a turn where r is rational, else
    both are transcendental (Gelfond and Schneider); elsewhere it is 0 only at x = y = 0, as tan k is transcendental."""
    if not x and (not y or not k):
        return Fraction(1), Fraction(0)

    @enclosures.remembered
    def both(digits):
        of_x, of_y = factors(digits)
        return enclosures.cos_sin(digits, (of_x * x + of_y * y) * Fraction(1, 2))

    cos, sin = (lambda digits: both(digits)[0]), (lambda digits: both(digits)[1])
    if k or radius is None:
        return cos, sin
    turns = x * radius / 2
    known = phases.exact_cosine(turns), phases.exact_cosine(turns - Fraction(1, 4))
    return tuple(rule if one is None else one for rule, one in zip((cos, sin), known))
