"""The claim that the score of a query and a key depends on their distance only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import catalogue, checks
from ..errors import InputError, shown
from ..guard import guarded
from ..steps.positions.coordinates import listed
from ..steps.positions.exact_positions import read_positions
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import Grid, PositionsOfAxes, cells
from ..types import Array, ArrayLike, Number
from . import exact
from .claim import Claim, judged
from .mixed_layouts import mixed_layouts
from .rotary_claims import RULES, checked_keys

#: these take coordinates, and turn the cells of their grid
BY_COORDINATES = ("rope_2d", "rope_3d")
#: these take positions along several axes, whatever their frequencies are
BY_AXES = ("mrope", "mixed_rope", "liere", "vjepa2_rope", "xdrope", "ernie_image_rope")


@guarded
def distance_only(
    encoding: Callable[..., Array],
    q: ArrayLike,
    k: ArrayLike,
    positions: PositionsOfAxes,
    *,
    shift: Number | Sequence[Number],
    keys: dict[str, Any] | None = None,
    **arguments: Any,
) -> Claim:
    """Whether rotary scores depend on the distance of a query and a key only, and not on where they stand.

        encode(q, m + s) . encode(k, n + s) = encode(q, m) . encode(k, n)    for all q, k, m, n and s

    Parameters
    ----------
    encoding : callable
        A function of refpos, such as `refpos.rope`, or `mixed_layouts`.
    q, k : array_like
        Shape (..., tokens, dim) of one dtype.
    positions : array_like or sequence of array_like
        Of the tokens along each axis, a `grid` too; for `rope_2d` and `rope_3d` the coordinates along each axis of a
        grid of as many tokens.
    shift : float, Fraction or sequence of them
        s, a number, or one for each axis, not all 0.
    keys : dict, optional
        What keys have apart, {"downscale": True} in `xpos` and {"bias": ...} in `pope`.
    **arguments : keywords
        What else it takes by keyword.

    Returns
    -------
    Claim
        A `Claim`, true where the formula holds and the numbers agree within the bound; `holds` and `why` speak of the
        formula.

    Raises
    ------
    InputError
        E_CHOICE (encoding, keys), E_SHAPE, E_NUMBER (shift; q and k that are not finite), E_UNDECIDED where two
        frequencies agree to 4096 bits, and what the encoding raises.

    Notes
    -----
    `holds` is said of the formula, with the exact frequencies and for all positions; where it is true, R(m)^T R(n) =
    R(n - m). The numbers compared are the scores of all tokens, before and after the shift: products of the vectors
    that the encoding returns in their dtype, summed exactly. The bound is what half a unit in the last place of each
    channel makes of them.

    References
    ----------
    Su et al. 2021, RoFormer, arXiv:2104.09864, equation 16, which states it.

    Examples
    --------
    >>> import numpy as np, refpos
    >>> x = np.ones((3, 8), np.float32)
    >>> bool(distance_only(refpos.rope, x, x, 3, shift=2**20, pairing="half"))
    True
    >>> claim = distance_only(mixed_layouts, x, x, 3, shift=2**20, table="tiled", pairing="interleaved")
    >>> claim.holds, claim.why
    (False, 'pair 0 rotates its first channel by p0 theta_0 and its second by p0 theta_1, which is not a rotation')
    """
    name = _name(encoding)
    keys = checked_keys(name, {} if keys is None else keys)
    (queries, fmt), (vectors, other) = (
        rotary_arguments.read_channels(x, arguments.get("dtype"), of) for of, x in (("q", q), ("k", k))
    )
    if queries.shape != vectors.shape or fmt is not other or not queries.size or queries.ndim < 2:
        both = f"{queries.shape} of {queries.dtype} and {vectors.shape} of {vectors.dtype}"
        raise InputError("E_SHAPE", "k", f"q and k must be (..., tokens, dim) of one dtype and not empty, got {both}")
    axes = _axes(positions, name, arguments, queries.shape[-2])
    offsets = _offsets(shift, len(axes))
    scores = []
    for moved in ([0] * len(axes), offsets):
        where = [listed([p + s for p in axis]) for axis, s in zip(axes, moved)]
        pairs = ((queries, arguments), (vectors, {**arguments, **keys}))
        a, b = exact.whole("q and k", [_encoded(encoding, name, x, where, own) for x, own in pairs], fmt)
        b = exact.Whole(b.numbers.swapaxes(-1, -2), b.halves.swapaxes(-1, -2), b.exponent)
        scores.append((*exact.products(a, b), 2 * a.exponent))
    holds, why = RULES[name]({**_defaults(name), **arguments, "keys": keys}, queries.shape[-1])
    least = min(exponent for *_, exponent in scores)
    (one, error), (two, more) = ((a << exponent - least, b << exponent - least) for a, b, exponent in scores)
    differences, bounds = (exact.as_floats(part, least) for part in (abs(one - two), error + more))
    pair = [exact.patterns(part, least, fmt) for part in (two, one)]
    return judged(holds, why, fmt, pair, differences, bounds)


def _name(encoding):
    """The name of an encoding for which there is a rule."""
    functions = {name: mixed_layouts if name == "mixed_layouts" else catalogue.find(name).function for name in RULES}
    for name, function in functions.items():
        if encoding is function:
            return name
    sentence = f"encoding must be one of the functions {', '.join(RULES)}, got {shown(encoding)}"
    raise InputError("E_CHOICE", "encoding", sentence)


def _defaults(name):
    return {"base": 10000.0} if name == "mixed_layouts" else catalogue.find(name).defaults


def _axes(positions, name, arguments, tokens):
    """The positions along each axis as lists of fractions, at most one for each token; the cells of a grid singly."""
    positions = checks.of_numpy("positions", positions)
    parts = [positions]
    if isinstance(positions, Grid):
        parts = positions.axes
    elif name in BY_COORDINATES or _takes_axes(name, arguments):
        array = isinstance(positions, np.ndarray) and positions.ndim == 2
        parts = list(positions) if array else checks.listed("positions", positions, "positions of each axis")
    axes = [read_positions(part) for part in parts]
    if any(len(axis.shape) != 1 or axis.shape[0] > tokens for axis in axes):
        shapes = ", ".join(str(axis.shape) for axis in axes)
        sentence = f"positions must be those of {tokens} tokens along each axis, got shapes {shapes}"
        raise InputError("E_SHAPE", "positions", sentence)
    if isinstance(positions, Grid) and name not in BY_COORDINATES:
        axes = [cells(positions, k) for k in range(len(axes))]
    return [axis.fractions() for axis in axes]


def _offsets(shift, count):
    values = list(shift) if isinstance(shift, (list, tuple)) else [shift] * (count == 1)
    if len(values) != count:
        sentence = f"shift must be a number for each of {count} axes, got {shown(shift)}"
        raise InputError("E_SHAPE", "shift", sentence)
    offsets = [checks.real("shift", value) for value in values]
    if not any(offsets):
        raise InputError("E_NUMBER", "shift", f"shift must not be 0, got {shown(shift)}")
    return offsets


def _encoded(encoding, name, x, where, arguments):
    if name in BY_COORDINATES:
        return encoding(x, *where, **arguments)
    return encoding(x, where if _takes_axes(name, arguments) else where[0], **arguments)


def _takes_axes(name, arguments):
    """Whether positions are given axis by axis."""
    return name in BY_AXES or getattr(arguments.get("frequencies"), "axes", None) is not None
