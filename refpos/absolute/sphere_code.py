"""Codes of longitude and latitude: on the sphere, at several scales, in hexagons."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Literal, get_args

from .. import checks
from ..arithmetic import enclosures, formats, reals
from ..catalogue import register
from ..errors import InputError
from ..steps.angles import phases
from ..steps.angles.frequencies import Frequencies, as_reals
from ..steps.waves import tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import Array, DType
from .fourier_bands import read_bands

__all__ = ["sphere_code"]

SphereRule = Literal["direct", "cartesian", "wrap", "grid", "theory", "C", "C+", "M", "M+"]
COS, SIN = 0, 1
#: of degrees: each channel is a product of cosines and sines of longitude (0) and latitude (1)
OF_DEGREES = {
    "cartesian": [((0, COS), (1, COS)), ((0, SIN), (1, COS)), ((1, SIN),)],
    "wrap": [((0, COS),), ((0, SIN),), ((1, COS),), ((1, SIN),)],
}
#: of scaled angles: longitude (0) and latitude (1) times the frequency, and both as they are (2, 3)
PLAIN = [((1, SIN),), ((1, COS),), ((0, SIN),), ((0, COS),)]
SPHERE = [((1, COS), (0, COS)), ((1, COS), (0, SIN))]
MIXED = [((1, COS), (2, COS)), ((3, COS), (0, COS)), ((1, COS), (2, SIN)), ((3, COS), (0, SIN))]
OF_SCALES = {"C": PLAIN[:1] + SPHERE, "C+": PLAIN + SPHERE, "M": PLAIN[:1] + MIXED, "M+": PLAIN + MIXED}


@register(
    family="absolute",
    paper="Mai et al. 2023, Sphere2Vec, arXiv:2306.17624, section 4; Mai et al. 2020, Space2Vec, arXiv:2003.00824",
    conventions="rule (no default); longitude first, in degrees, which all codes of several scales take as radians",
    no_error_bound="at the frequencies of the project, up to 10**5, float32 angles have no digits behind the point",
    also="Sphere2Vec, Space2Vec, location encoding, geographic encoding",
)
def sphere_code(
    coordinates: PositionsOfAxes,
    *,
    rule: SphereRule,
    frequencies: Frequencies | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Location encoding on a sphere, as in SatCLIP, Sphere2Vec and Space2Vec.

        direct     [x, y], radians of longitude and latitude less pi
        cartesian  [cos lon cos lat, sin lon cos lat, sin lat]          wrap  [cos lon, sin lon, cos lat, sin lat]
        grid       sin x f, cos x f for each f, then those of y         theory  sin a f, cos a f of a_0, a_1, a_2
        C   [sin y f, cos y f cos x f, cos y f sin x f]                 a_0 = x,  a_1, a_2 = -x/2 +- sqrt(3)/2 y
        M   [sin y f, cos y f cos x, cos y cos x f, cos y f sin x, cos y sin x f]
        C+, M+   [sin y f, cos y f, sin x f, cos x f] in place of the sine of C and M

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        Shape (..., 2) of longitude and latitude in degrees, as in `coordinate_sine`. Direct, cartesian and wrap convert
        them to angles; the others take the number x of degrees as a number of radians, as the projects do.
    rule : {'direct', 'cartesian', 'wrap', 'grid', 'theory', 'C', 'C+', 'M', 'M+'}
        Which code, as stated above.
    frequencies : Frequencies, optional
        The frequencies f of the rules that have them, which stand outermost in all but grid; SatCLIP has bands(16,
        rule="geometric", low=100000, high=100), and low=1/1000, high=1/10000 for theory.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., width), width 2, 3, 4 or, times the count of frequencies, 4 (grid), 6 (theory, C), 10 (M), 12 (C+)
        or 16 (M+): the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_POSITION, E_NUMBER (frequencies), E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    C, M, C+ and M+ have every channel twice, side by side.

    Products that are rational, such as cos 36 cos 72 = 1/4 in degrees, are exact. It is made to check other code: some
    0.3 ms for each element.

    References
    ----------
    microsoft/satclip, positional_encoding/direct.py, cartesian3d.py, wrap.py, grid_and_sphere.py, theory.py.

    Examples
    --------
    >>> sphere_code([[90, 30], [36, 72]], rule="cartesian")
    array([[0.        , 0.8660254 , 0.5       ],
           [0.25      , 0.18163563, 0.95105652]])
    """
    checks.choice("rule", rule, get_args(SphereRule))
    tokens = read_points("coordinates", coordinates, 2, "longitude and latitude")
    fmt = formats.resolve(dtype)
    thetas = _read_frequencies(rule, frequencies)
    width = {"direct": 2, "grid": 4 * len(thetas), "theory": 6 * len(thetas)}.get(rule)
    width = width or len(OF_DEGREES.get(rule, ())) or 2 * len(OF_SCALES[rule]) * len(thetas)
    result, stored = checks.output(out, (*tokens.shape, width), fmt)
    places = zip(*(axis.fractions() for axis in tokens.along_sequence().axes))
    with tables.rows_of(stored) as rows:
        enclosures.fill(rows, (_channels(rule, place, thetas) for place in places), fmt)
    return result


def _read_frequencies(rule, frequencies):
    """The frequencies as `Real` numbers."""
    without = rule == "direct" or rule in OF_DEGREES
    if without != (frequencies is None):
        wanted = "None" if without else "what bands returns"
        sentence = f"frequencies must be {wanted} for rule {rule!r}, got {type(frequencies).__name__}"
        raise InputError("E_CHOICE", "frequencies", sentence)
    if without:
        return []
    (bands,) = read_bands(frequencies, 1)
    return as_reals(bands)


def _channels(rule, place, thetas):
    """The `enclosures.Value`s of one place."""
    if rule == "direct":
        return [_half_turns((degrees - 180) / 180) for degrees in place]
    if rule in OF_DEGREES:
        return [_of_turns([place[axis] / 360 - Fraction(which, 4) for axis, which in ch]) for ch in OF_DEGREES[rule]]
    if rule == "grid":
        return [wave for axis in place for theta in thetas for wave in _both(_wave(theta, axis))]
    if rule == "theory":
        sides = [(place[0], 0), (-place[0] / 2, place[1] / 2), (-place[0] / 2, -place[1] / 2)]
        return [wave for theta in thetas for side in sides for wave in _both(_wave(theta, *side))]
    as_they_are = [_wave(reals.rational(1), axis) for axis in place]
    channels = []
    for theta in thetas:
        waves = [*(_wave(theta, axis) for axis in place), *as_they_are]
        for parts in OF_SCALES[rule]:
            channels += [_product([waves[number][which] for number, which in parts])] * 2
    return channels


# -- degrees ----------------------------------------------------------------------------------------------------------


def _half_turns(number):
    return (lambda digits: digits.pi() * number) if number else Fraction(0)


def _of_turns(turns):
    """The product of the cosines of one or two fractions of a turn."""
    known = phases.exact_cosine_product(*turns) if len(turns) > 1 else phases.exact_cosine(turns[0])
    if known is not None:
        return known
    return lambda digits: prod(enclosures.cos_sin(digits, digits.of(turn % 1))[COS] for turn in turns)


# -- numbers of radians -----------------------------------------------------------------------------------------------


def _wave(theta, number, root_3=Fraction(0)):
    """Cosine and sine of theta (number + root_3 sqrt(3)) as `enclosures.Value`s.

    The angle is algebraic, so that both are transcendental where it is not 0 (Lindemann), and it is 0 only with both
    parts; so are products of two of them (Lindemann and Weierstrass).
    """
    if not (number or root_3) or theta.rational == 0:
        return Fraction(1), Fraction(0)

    @enclosures.remembered
    def both(digits):
        angle = digits.of(number) + (digits.sqrt(3) * root_3 if root_3 else 0)
        return enclosures.cos_sin(digits, angle * digits.of(theta) / (digits.pi() * 2))

    return (lambda digits: both(digits)[COS]), (lambda digits: both(digits)[SIN])


def _both(wave):
    return wave[SIN], wave[COS]


def _product(factors):
    """The product of `enclosures.Value`s, of which fractions are 0 or 1."""
    unknown = [factor for factor in factors if not isinstance(factor, Fraction)]
    if not unknown or Fraction(0) in factors:
        return Fraction(0) if Fraction(0) in factors else Fraction(1)
    return lambda digits: prod(factor(digits) for factor in unknown)
