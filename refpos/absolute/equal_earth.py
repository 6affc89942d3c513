"""The Equal Earth projection of latitudes and longitudes."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..arithmetic import enclosures, formats
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.waves import tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import Array, DType, Number

__all__ = ["equal_earth"]

#: A1, A2, A3 and A4 of the paper, by the power of theta that they multiply in y
COEFFICIENTS = {power: Fraction(n, 10**6) for power, n in ((1, 1340264), (3, -81106), (7, 893), (9, 3796))}


@register(
    family="absolute",
    paper="Savric, Patterson and Jenny 2019, The Equal Earth map projection, doi:10.1080/13658816.2018.1504949",
    conventions="latitude first, in degrees; x before y; scale 1 for a sphere of radius 1",
    no_error_bound="libraries state no error of asin",
    also="Equal Earth projection, GeoCLIP",
)
def equal_earth(
    coordinates: PositionsOfAxes, *, scale: Number = 1, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """Equal Earth projection: latitudes and longitudes on an equal-area map (GeoCLIP).

        sin(theta) = sqrt(3) / 2 sin(lat),   y = scale (A4 theta**9 + A3 theta**7 + A2 theta**3 + A1 theta)
        x = scale * 2 sqrt(3) lon cos(theta) / (3 (9 A4 theta**8 + 7 A3 theta**6 + 3 A2 theta**2 + A1))

    A1 .. A4 are 1.340264, -0.081106, 0.000893 and 0.003796, these decimals.

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        Shape (..., 2) of latitude and longitude in degrees, as in `coordinate_sine`, latitudes within -90 .. 90.
    scale : float or Fraction, default 1
        Factor of the map, greater than 0; GeoCLIP has Fraction(6650336, 18000000), and projects the points by a matrix:
        `fourier_projection` with "2pi" and "cos-sin".
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., 2), x and y, the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_POSITION (a latitude beyond 90 as well), E_NUMBER (scale), E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    That x never lies halfway between two values follows from Schanuel's conjecture. It is made to check other code:
    some ms for each place.

    References
    ----------
    VicenteVivan/geo-clip, geoclip/model/location_encoder.py, equal_earth_projection.

    Examples
    --------
    >>> equal_earth([[0, 180], [90, 0]])
    array([[2.70662998, 0.        ],
           [0.        , 1.31736276]])
    """
    scale, fmt = checks.positive("scale", scale), formats.resolve(dtype)
    tokens = read_points("coordinates", coordinates, 2, "latitude and longitude")
    latitudes, longitudes = (axis.fractions() for axis in tokens.along_sequence().axes)
    for latitude in latitudes:
        if abs(latitude) > 90:
            sentence = f"latitudes must lie within -90 .. 90, got {shown_number(latitude)}"
            raise InputError("E_POSITION", "coordinates", sentence)
    result, stored = checks.output(out, (*tokens.shape, 2), fmt)
    with tables.rows_of(stored) as rows:
        enclosures.fill(rows, (_point(*place, scale) for place in zip(latitudes, longitudes)), fmt)
    return result


def _point(latitude, longitude, scale):
    """x and y as `enclosures.Value`s: 0 where the longitude or the latitude is, else transcendental."""

    @enclosures.remembered
    def angle(digits):
        sine = enclosures.cos_sin(digits, digits.of(latitude / 360))[1] * digits.sqrt(3) / 2
        return sine, enclosures.arcsine(digits, sine)

    def x(digits):
        sine, theta = angle(digits)
        slope = _sum({power - 1: power * value for power, value in COEFFICIENTS.items()}, theta)
        return digits.sqrt((1 - sine * sine) * 3) * digits.pi() * (scale * longitude / 270) / slope

    def y(digits):
        return _sum(COEFFICIENTS, angle(digits)[1]) * scale

    return x if longitude else Fraction(0), y if latitude else Fraction(0)


def _sum(coefficients, theta):
    """The polynomial with those coefficients, {power: coefficient}."""
    total = theta * 0
    for power in range(max(coefficients), -1, -1):
        total = total * theta + coefficients.get(power, 0)
    return total
