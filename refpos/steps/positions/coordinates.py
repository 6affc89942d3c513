"""Coordinates: the exact position of each step along one axis of a grid, under the maps that models use.

Each function returns positions that every table and rotation accepts. They are integers times one fraction, so
that i / 3 is a third and no rounded float.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from ... import checks
from ...errors import InputError, brief
from ...guard import guarded
from ...types import Array, Integer, Number
from .exact_positions import LIMIT, Group, Positions, PositionsLike, read_line

__all__ = ["affine", "centred", "cropped", "half_pixel", "linspace", "listed", "resampled"]

Rounding = Literal["floor", "ceil", "middle"]
CENTRINGS = get_args(Rounding)
Span = Literal["unit", "signed"]
SPANS = {"unit": (Fraction(0), Fraction(1)), "signed": (Fraction(-1), Fraction(1))}


@guarded
def affine(size: Integer, *, start: Number = 0, step: Number = 1) -> Positions:
    """Coordinates start + i * step, i = 0 .. size - 1, exactly.

    Parameters
    ----------
    size : int
        Number of coordinates, an integer.
    start : float or Fraction, default 0
        First coordinate, an int, float or fraction, taken as exactly what it is.
    step : float or Fraction, default 1
        Distance of two coordinates, taken as exactly what it is.

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE, E_NUMBER, E_POSITION beyond 2**53 units.

    Notes
    -----
    Integers have start=0; 1-based ones (Llama-4 vision, PE-Core) start=1; positions of a longer or shorter grid
    rescaled to the trained one (EVA-02) step=Fraction(trained, size); frames at another rate (Cosmos)
    step=Fraction(base_fps, fps); interpolated positions step=Fraction(1, factor).

    References
    ----------
    - baaivision/EVA, rope.py.
    - huggingface/diffusers, transformer_cosmos.py.
    - transformers, modeling_llama4.py.

    Examples
    --------
    >>> affine(3, start=1, step=0.5)
    Positions(shape=(3,), groups=[Group(index=None, multipliers=range(2, 5), exponent=0)], unit=Fraction(1, 2))
    """
    size = checks.integer("size", size)
    start, step = checks.real("start", start), checks.real("step", step)
    return _exact("start", size, start, step)


@guarded
def listed(values: Sequence[Number] | Array) -> Positions:
    """Coordinates that are any list of ints, floats or fractions, exactly.

    Parameters
    ----------
    values : array_like
        Coordinates, taken as exactly what they are.

    Returns
    -------
    Positions
        Exact positions of shape (len(values),).

    Raises
    ------
    InputError
        E_NUMBER, E_POSITION beyond 2**53 units.

    Examples
    --------
    >>> listed([0, Fraction(1, 3), 2]).unit
    Fraction(1, 3)
    """
    values = [checks.real("values", value) for value in checks.listed("values", values, "numbers")]
    unit = _unit(values)
    return _of_multipliers([int(value / unit) for value in values], unit)


def multiples(numbers, unit):
    """Coordinates that are those integers of units, exactly: as `listed`, for many of them."""
    largest = math.gcd(*numbers) or unit.denominator
    return _of_multipliers([number // largest for number in numbers], unit * largest)


def _of_multipliers(multipliers, unit):
    _check_size("values", multipliers)
    return Positions((len(multipliers),), [Group(None, np.array(multipliers, np.int64), 0)], unit)


@guarded
def half_pixel(size: Integer, *, span: Span = "signed", count: Integer | None = None, offset: Number = 0) -> Positions:
    """Coordinates of the middles of cells, (i + 1/2) / count, in 0 .. 1 or stretched to -1 .. 1.

        span "unit": (i + 1/2 + offset) / count;   span "signed": 2 (i + 1/2 + offset) / count - 1

    Parameters
    ----------
    size : int
        Number of cells.
    span : {'unit', 'signed'}, default 'signed'
        Interval, "unit" for 0 .. 1 or "signed" for -1 .. 1, as stated above.
    count : int, optional
        The number of cells that span the interval (default: size); DINOv3 divides both axes by the longer or the
        shorter side under normalize_coords "max" and "min".
    offset : float or Fraction, default 0
        Cells by which all are moved (timm, grid_offset).

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE, E_CHOICE, E_NUMBER.

    References
    ----------
    - facebookresearch/dinov3, layers/rope_position_encoding.py.
    - timm, layers/pos_embed_sincos.py.

    Examples
    --------
    >>> half_pixel(2).unit
    Fraction(1, 2)
    """
    size = checks.integer("size", size)
    count = size if count is None else checks.integer("count", count, 1)
    low, high = SPANS[checks.choice("span", span, tuple(SPANS))]
    step = (high - low) / max(count, 1)
    return _exact("offset", size, low + step * (Fraction(1, 2) + checks.real("offset", offset)), step)


@guarded
def centred(size: Integer, *, rounding: Rounding) -> Positions:
    """Whole coordinates around 0: i - c, with c = floor(size/2), ceil(size/2) or floor((size - 1)/2).

    Parameters
    ----------
    size : int
        Number of coordinates.
    rounding : {'floor', 'ceil', 'middle'}
        Choice of c: "ceil" gives -ceil(size/2) .. (Qwen-Image: -3 .. 1 for 5), "floor" -floor(size/2) .. (-2 .. 2),
        "middle" -floor((size - 1)/2) .. (VideoRoPE: -1 .. 2 for 4, where the others give -2 .. 1).

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE, E_CHOICE.

    References
    ----------
    huggingface/diffusers, transformer_qwenimage.py; Wiselnn570/VideoRoPE.

    Examples
    --------
    >>> centred(5, rounding="ceil").groups[0].multipliers
    range(-3, 2)
    """
    size = checks.integer("size", size)
    checks.choice("rounding", rounding, CENTRINGS)
    middle = {"floor": size // 2, "ceil": -(-size // 2), "middle": (size - 1) // 2}[rounding]
    return _exact("size", size, Fraction(-middle), Fraction(1))


@guarded
def cropped(coordinates: PositionsLike, size: Integer, *, start: Integer | None = None) -> Positions:
    """Some steps of a longer axis, by default those in its middle: what is left of a grid that is cropped.

        coordinates[start + i], i = 0 .. size - 1;   start = floor((n - size) / 2) by default, n = len(coordinates)

    Parameters
    ----------
    coordinates : int or array_like
        An int n (meaning 0 .. n-1), a list of numbers, or what another function here returns.
    size : int
        Number of coordinates.
    start : int, optional
        Index of the first step that is kept; by default the middle is kept.

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE (more than there are), E_SHAPE, E_POSITION.

    Notes
    -----
    Stable Diffusion 3 crops the middle, Audio-MAE from start=0.

    References
    ----------
    huggingface/diffusers, models/embeddings.py, PatchEmbed.cropped_pos_embed.

    Examples
    --------
    >>> cropped(affine(8, step=2), 3).groups[0].multipliers
    range(2, 5)
    """
    along = read_line(coordinates)
    size = checks.integer("size", size, 0, along.shape[0])
    left = along.shape[0] - size
    start = left // 2 if start is None else checks.integer("start", start, 0, left)
    return along.part(start, start + size)


@guarded
def linspace(start: Number, stop: Number, size: Integer, *, endpoint: bool = False) -> Positions:
    """Evenly spaced coordinates from start to stop, which is left out unless endpoint.

        start + i (stop - start) / size,  or / (size - 1) with endpoint

    Parameters
    ----------
    start : float or Fraction
        First coordinate.
    stop : float or Fraction
        End of the interval.
    size : int
        Number of coordinates.
    endpoint : bool, default False
        Whether stop is the last coordinate.

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE, E_NUMBER.

    References
    ----------
    huggingface/diffusers, models/embeddings.py, get_2d_rotary_pos_embed (without endpoint: crop regions of Hunyuan-DiT
    and CogVideoX); StanfordMIMI/LieRE (with it).

    Examples
    --------
    >>> linspace(4, 20, 8).groups[0].multipliers
    range(2, 10)
    """
    start, stop = checks.real("start", start), checks.real("stop", stop)
    size = checks.integer("size", size)
    gaps = max(size - 1, 1) if checks.flag("endpoint", endpoint) else max(size, 1)
    return _exact("start", size, start, (stop - start) / gaps)


@guarded
def resampled(size: Integer, *, reference: Integer) -> Positions:
    """Whole coordinates of a fixed reference grid, floor(i * reference / size): several steps may share one.

    Parameters
    ----------
    size : int
        Number of coordinates.
    reference : int
        Number of cells of the reference grid.

    Returns
    -------
    Positions
        Exact positions of shape (size,).

    Raises
    ------
    InputError
        E_SIZE.

    References
    ----------
    huggingface/diffusers, transformer_cogview4.py.

    Examples
    --------
    >>> resampled(4, reference=2).groups[0].multipliers
    array([0, 0, 1, 1])
    """
    # i * (reference % size) stays below 2**62
    size, reference = checks.integer("size", size, 0, 2**31), checks.integer("reference", reference, 1, LIMIT)
    quotient, rest = divmod(reference, max(size, 1))
    numbers = checks.counted("size", size)
    return Positions((size,), [Group(None, numbers * quotient + numbers * rest // max(size, 1), 0)])


def _exact(name, size, start, step):
    unit = _unit([start, step])
    first, gap = int(start / unit), int(step / unit)
    last = first + gap * max(size - 1, 0)
    _check_size(name, [first, last])
    if gap:
        return Positions((size,), [Group(None, range(first, first + gap * size, gap), 0)], unit)
    return Positions((size,), [Group(None, np.full(size, first, np.int64), 0)], unit)


def _unit(values):
    """The largest fraction of which all values are whole multiples; 1 where there are none but 0."""
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(int(value * denominator) for value in values)) or denominator, denominator)


def _check_size(name, multipliers):
    worst = max((abs(m) for m in multipliers), default=0)
    if worst > LIMIT:
        received = brief(int(worst))
        sentence = f"coordinates must be at most 2**53 times their common unit, got {received} times"
        raise InputError("E_POSITION", name, sentence)
