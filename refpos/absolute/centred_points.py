"""Pixels measured from the middle of their image, in shares of its longer side."""

from __future__ import annotations

from .. import checks
from ..arithmetic import enclosures, formats
from ..catalogue import register
from ..steps.waves import tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import Array, DType, Integer, Number

__all__ = ["centred_points"]


@register(
    family="absolute",
    paper="Sarlin et al. 2020, SuperGlue, arXiv:1911.11763, section 3.1",
    conventions="x before y; both over the longer side; share of it 7/10 in SuperGlue, 1/2 in LightGlue (no default)",
    also="keypoint normalisation, normalize_keypoints",
)
def centred_points(
    points: PositionsOfAxes,
    height: Integer,
    width: Integer,
    *,
    share: Number,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Keypoints normalised for a matcher: relative to the image centre, divided by its longer side.

        [(x - width / 2) / (share * max(width, height)), (y - height / 2) / (share * max(width, height))]

    Parameters
    ----------
    points : array_like or sequence of array_like
        Shape (..., 2) of x and y in pixels, as in `coordinate_sine`.
    height, width : int
        Size of the image in pixels, from 1 on.
    share : float or Fraction
        Share of the longer side that is 1, greater than 0, taken as exactly what it is: Fraction(7, 10) in SuperGlue.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., 2), the exact quotient rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_POSITION, E_SIZE, E_NUMBER (share), E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    An image that is not a square keeps its proportions.

    References
    ----------
    transformers, models/superglue/modeling_superglue.py and models/lightglue/modeling_lightglue.py,
    normalize_keypoints.

    Examples
    --------
    >>> centred_points([[320, 240], [640, 0]], 480, 640, share=0.5)
    array([[ 0.  ,  0.  ],
           [ 1.  , -0.75]])
    """
    tokens, fmt = read_points("points", points, 2, "x and y"), formats.resolve(dtype)
    sides = [checks.integer(name, size, 1, 2**53) for name, size in (("width", width), ("height", height))]
    unit = 1 / (checks.positive("share", share) * max(sides))
    result, stored = checks.output(out, (*tokens.shape, 2), fmt)
    along = [axis.fractions() for axis in tokens.along_sequence().axes]
    with tables.rows_of(stored) as rows:
        centred = ([(2 * place - side) * unit / 2 for place, side in zip(point, sides)] for point in zip(*along))
        enclosures.fill(rows, centred, fmt)
    return result
