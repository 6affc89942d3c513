"""Real spherical harmonics of directions, and of longitudes and latitudes."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from math import factorial, prod
from typing import Literal, NamedTuple, get_args

from .. import checks
from ..arithmetic import enclosures, formats, formulas, reals
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.angles import phases
from ..steps.waves import tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import Array, DType, Integer

__all__ = ["spherical_harmonics"]

HarmonicsConvention = Literal["tcnn", "nerfstudio", "satclip", "satclip-closed-form"]
MOST_DEGREES = 64  # up to here the rational angles at which harmonics vanish are known (tests/test_spheres.py)


class Rule(NamedTuple):
    """What a convention decides: coordinates of a token, whether odd orders change sign, and whether pi multiplies
    order 0 twice too often."""

    axes: int
    alternates: bool
    order_0_times_pi: bool


RULES = dict(
    zip(
        get_args(HarmonicsConvention),
        (Rule(3, True, False), Rule(3, False, False), Rule(2, False, True), Rule(2, True, False)),
    )
)


@register(
    family="absolute",
    paper="Verbin et al. 2022, Ref-NeRF, arXiv:2112.03907, section 4; Russwurm et al. 2024, SatCLIP, arXiv:2310.06743",
    conventions="convention tcnn, nerfstudio, satclip or satclip-closed-form (no default): input, signs and scale",
    no_error_bound="programs sum polynomials of their own, whose terms cancel",
    also="real spherical harmonics, SH encoding, SatCLIP",
)
def spherical_harmonics(
    x: PositionsOfAxes,
    degree: Integer,
    *,
    convention: HarmonicsConvention,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Real spherical harmonics below a degree, of directions or of places on the earth.

        Y[l**2 + l + m] = s_m sqrt(k_lm / pi) d^|m| P_l(z) / dz^|m| * (Re if m >= 0 else Im of (x + iy)**|m|)
        k_lm = (2 l + 1) (l - |m|)! / (l + |m|)! / (4 if m is 0 else 2),   l = 0 .. degree - 1,  m = -l .. l

    Parameters
    ----------
    x : array_like or sequence of array_like
        Directions or places in the form that `coordinate_sine` takes, whose meaning the convention states.
    degree : int
        Number of l, 1 to 64.
    convention : {'tcnn', 'nerfstudio', 'satclip', 'satclip-closed-form'}
        What x holds, and the sign s_m:
        - "tcnn": (..., 3) in 0 .. 1, of which it takes 2 x - 1; s_m = (-1)**m.
        - "nerfstudio": (..., 3) as they are; s_m = 1. Neither asks for a length of 1: the polynomials are those of z.
        - "satclip": (..., 2) of longitude and latitude in degrees, of which it takes the azimuth lon + 180 and the
          angle lat + 90 from z, which is 1 at the south pole; s_m = 1; order 0 is pi times too large, as the project
          has it.
        - "satclip-closed-form": the same with s_m = (-1)**m and order 0 as above.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., degree**2), the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (degree), E_SHAPE, E_POSITION (a latitude beyond 90 as well), E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    It is made to check other code: some 0.3 ms for each element.

    References
    ----------
    - NVlabs/tiny-cuda-nn, common_device.h, sh_enc.
    - nerfstudio, utils/spherical_harmonics.py, components_from_spherical_harmonics.
    - microsoft/satclip, positional_encoding/spherical_harmonics.py with spherical_harmonics_generate_ylms.py
      ("satclip") or spherical_harmonics_closed_form.py.

    Examples
    --------
    >>> spherical_harmonics([[0, 0, 1]], 2, convention="nerfstudio")
    array([[0.28209479, 0.        , 0.48860251, 0.        ]])
    """
    degree, fmt = checks.integer("degree", degree, 1, MOST_DEGREES), formats.resolve(dtype)
    rule = RULES[checks.choice("convention", convention, tuple(RULES))]
    tokens = read_points("x", x, rule.axes, f"for convention {convention!r}")
    result, stored = checks.output(out, (*tokens.shape, degree**2), fmt)
    along = zip(*(axis.fractions() for axis in tokens.along_sequence().axes))
    factors_of = of_places if rule.axes == 2 else of_directions
    directions = [[2 * c - 1 for c in token] if convention == "tcnn" else token for token in along]
    with tables.rows_of(stored) as rows:
        enclosures.fill(rows, (_harmonics(rule, degree, *factors_of(token, degree)) for token in directions), fmt)
    return result


def _harmonics(rule, degree, is_zero, factors):
    """The `enclosures.Value` of each channel of one token; factors(digits): (Legendre, waves)."""
    orders = [(n, m) for n in range(degree) for m in range(-n, n + 1)]
    return [Fraction(0) if is_zero(*order) else _harmonic(rule, *order, factors) for order in orders]


def _harmonic(rule, degree, order, factors):
    m = abs(order)
    k = Fraction((2 * degree + 1) * factorial(degree - m), factorial(degree + m) * (2 if m else 4))
    sign = -1 if rule.alternates and m % 2 else 1

    def value(digits):
        legendre, waves = factors(digits)
        pi = digits.pi()
        root = digits.sqrt(pi * k if rule.order_0_times_pi and not m else k / pi)
        return root * (legendre[degree, m] * waves[m][order < 0]) * sign

    return value


# -- factors ----------------------------------------------------------------------------------------------------------


def of_directions(direction, degree):
    """(which harmonics are 0, their factors) of a direction of fractions; exactly where an enclosure leaves it open."""
    x, y, z = direction
    waves_of, column_of = cache(partial(_powers, x, y, degree)), cache(partial(_column, z, degree))

    @enclosures.remembered
    def factors(digits):
        return _legendre(digits.of(z), degree), _powers(digits.of(x), digits.of(y), degree)

    def is_zero(n, m):
        legendre, waves = factors(reals.Digits(formulas.FIRST))
        polynomial, wave = legendre[n, abs(m)], waves[abs(m)][m < 0]
        if _holds_zero(polynomial) and not column_of(abs(m))[n - abs(m)]:
            return True
        return _holds_zero(wave) and not waves_of()[abs(m)][m < 0]

    return is_zero, factors


def _holds_zero(value):
    """Whether 0 lies in an interval, or is a fraction."""
    return value == 0 if isinstance(value, Fraction) else value.low <= 0 <= value.high


def of_places(place, degree):
    """The same of a longitude and a latitude in degrees.

    At rational angles from z derivatives of Legendre polynomials are 0 only by parity: on the equator.
    """
    longitude, latitude = place
    if abs(latitude) > 90:
        raise InputError("E_POSITION", "x", f"latitudes must lie within -90 .. 90, got {shown_number(latitude)}")
    azimuth, polar = (longitude + 180) / 360, (latitude + 90) / 360

    def is_zero(n, m):
        wave = phases.exact_cosine(abs(m) * azimuth - Fraction(m < 0, 4))
        return wave == 0 or (m and abs(latitude) == 90) or (not latitude and (n - m) % 2 == 1)

    @enclosures.remembered
    def factors(digits):
        z, radius = enclosures.cos_sin(digits, digits.of(polar))
        cos, sin = enclosures.cos_sin(digits, digits.of(azimuth % 1))
        return _legendre(z, degree), _powers(radius * cos, radius * sin, degree)

    return is_zero, factors


def _legendre(z, degree):
    """{(n, m): the m-th derivative of the Legendre polynomial n} at z, a fraction or an interval."""
    return {(m + k, m): value for m in range(degree) for k, value in enumerate(_column(z, degree, m))}


def _column(z, degree, m):
    """The m-th derivatives of the Legendre polynomials m .. degree - 1 at z."""
    before, value, values = 0, Fraction(prod(range(1, 2 * m, 2))), []
    for n in range(m, degree):
        values.append(value)
        before, value = value, ((2 * n + 1) * z * value - (n + m) * before) / (n + 1 - m)
    return values


def _powers(x, y, degree):
    """Real and imaginary parts of (x + iy)**m for m < degree."""
    waves = [(Fraction(1), Fraction(0))]
    for _ in range(degree - 1):
        real, imaginary = waves[-1]
        waves.append((x * real - y * imaginary, y * real + x * imaginary))
    return waves
