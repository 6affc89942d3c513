"""Errors as colours on a logarithmic scale: what classes of code may leave, and what numbers that were computed do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue, checks
from ..conformance import bounds
from ..conformance.compare import BINS, as_tensor, compare
from ..conformance.report import Report
from ..errors import InputError, InputTypeError, shown
from ..golden import Result, verify
from ..guard import guarded
from . import matrices, style
from .calls import places, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import ArrayLike, ClassName, DType, Integer, Number

POSITIONS = tuple(2**k for k in range(21))
LOWEST, HIGHEST = 1e-9, 2.0  # of the scale, where errors of cosines are drawn
MOST_CASES = 40


@guarded
def float_errors(
    dim: Integer = 64,
    *,
    base: Number = 500000,
    positions: Sequence[int] = POSITIONS,
    classes: Sequence[ClassName] | None = None,
    dtype: DType = "float32",
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """Where float code leaves the exact cosine of a rotary table, by position and pair: measured and allowed.

    The first panel is what angles rounded to float32 do to exact cosines; the others are the bounds of
    `refpos.conformance` for each class.

    Parameters
    ----------
    dim : int, default 64
        Width of the frequencies.
    base : float or Fraction, default 500000
        Base of the frequencies.
    positions : sequence of int, optional
        Positions, at most 512.
    classes : sequence of str, optional
        Classes that are drawn; by default those of tables.
    dtype : str or dtype, default 'float32'
        Format of the result.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".

    Returns
    -------
    matplotlib Axes
        The Axes that holds the panels.

    Raises
    ------
    InputError
        E_SIZE, E_CHOICE, what `rope_table` raises, E_MISSING without matplotlib (E_NUMBER, E_SHAPE, E_POSITION,
        E_DTYPE, E_OUT, E_TOO_LARGE).

    Examples
    --------
    >>> ax = float_errors(64, base=10000, classes=["float32-angle"])  # doctest: +SKIP
    """
    style.needed()
    at = np.array(places("positions", positions, 1))
    if not 0 < at.size <= matrices.MOST:
        raise InputError("E_SIZE", "positions", f"positions must be 1 to {matrices.MOST}, got {at.size}")
    dim, base = checks.even_width("dim", dim), readable("base", base)
    found = bounds("rope_table", {"dim": dim, "base": base}, {"positions": at}, dtype)
    known = [name for name in found if name not in ("correct", "faithful")]
    picked = known if classes is None else checks.choices("classes", classes, tuple(known))
    made = {"angles in float32, measured": measured(dim, base, at), **{name: found[name]["cos"] for name in picked}}
    with style.canvas(ax, theme, 6.6, alone=False) as ax:
        columns = min(3, len(made))
        rows = -(-len(made) // columns)
        style.as_high(ax, 0.34 * rows * 3 / columns)
        for k, (part, (name, values)) in enumerate(
            zip(style.panels(ax, rows, columns, gap=0.06, rise=2), made.items())
        ):
            image = matrices.draw(
                part,
                np.maximum(values, LOWEST),
                names=("", "pair" * (k >= len(made) - columns)),
                norm=logarithmic(LOWEST, HIGHEST),
            )
            part.set_title(name, fontsize=style.FONT - 0.5)
            style.whole_ticks(part, y=False, most=5)
            ticks = matrices.chosen(at.size, 5)
            part.set_yticks(ticks, [str(at[one]) for one in ticks] if k % columns == 0 else [""] * len(ticks))
            part.set_ylabel("position" * (k % columns == 0))
        matrices.bar(ax, image, "absolute error of the cosine")
        told = "; ".join(f"{name} up to {values.max():.2g}" for name, values in made.items())
        return style.titled(ax, "", f"Errors of cosines by position and pair, at positions to {at.max()}: {told}.")


def logarithmic(low: float, high: float) -> Any:
    """A scale of colours for errors of many sizes."""
    from matplotlib.colors import LogNorm

    return LogNorm(low, high, clip=True)


def measured(dim: Any, base: Any, at: Any) -> Any:
    """The errors of exact cosines of angles that were rounded to float32: frequencies, then their products."""
    make: Any = {
        name: catalogue.ENTRIES[name].function for name in ("inverse_frequencies", "rope_table", "given_frequencies")
    }
    frequencies = make["inverse_frequencies"](dim, base=base)
    angles = at[:, None].astype(np.float32) * frequencies.rounded("float32")
    cosines = make["rope_table"](angles, make["given_frequencies"]([1.0]))[0][..., 0]
    return np.abs(cosines - make["rope_table"](at, frequencies)[0])


@guarded
def error_map(
    actual: Any,
    expected: ArrayLike | None = None,
    /,
    *,
    bounds: Mapping[ClassName, ArrayLike] | None = None,
    dtype: DType | None = None,
    cases: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """Where numbers are off, and by how much: of two arrays, of a report, or of a verification.

    Parameters
    ----------
    actual : object
        An array, as `refpos.compare` takes it, with expected; or one of the objects below alone.
    expected : array_like, optional
        The array that it should be.
    bounds : dict of array_like, optional
        Bounds of the classes, as `refpos.compare` takes them.
    dtype : str or dtype, optional
        Format of the numbers, as `refpos.compare` takes it.
    cases : str or sequence of str, optional
        Cases of the answers that are shown.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".

    Returns
    -------
    matplotlib Axes
        The Axes.

    Raises
    ------
    InputError
        What `compare` and `golden.verify` raise, and E_MISSING without matplotlib.

    Notes
    -----
    Of two arrays it draws every element's absolute error, striped where equal, hatched where one of the two is NaN;
    leading axes become rows, and of blocks of large arrays the largest error is drawn. Or it draws one of these alone:
    a `Report`, whose steps of ULP are drawn; the `Result` of `golden.verify`, or the file or folder of answers that it
    takes (with `cases`): a row for each case that differs, at most 40, and how many of its elements are how far off.

    Examples
    --------
    >>> ax = error_map(np.float32([[1.0, 2.0]]), np.float32([[1.0, 2.5]]))  # doctest: +SKIP
    """
    style.needed()
    if expected is not None:
        report = compare(actual, expected, bounds=bounds, dtype=dtype)
        with style.canvas(ax, theme) as ax:
            return _of_arrays(ax, _floats("actual", actual, dtype), _floats("expected", expected, dtype), report)
    if isinstance(actual, (str, os.PathLike)):
        actual = verify(actual, cases=cases, only_answered=cases is None)
    if not isinstance(actual, (Report, Result)):
        sentence = "actual must be an array with expected beside it, a Report, a Result or the path of answers"
        raise InputTypeError("E_CHOICE", "actual", f"{sentence}, got {shown(actual)}")
    with style.canvas(ax, theme) as ax:
        return _of_report(ax, actual) if isinstance(actual, Report) else _of_result(ax, actual)


def _floats(name, values, dtype):
    from ..arithmetic import formats, rounding

    found = as_tensor(name, values, dtype)
    array = np.asarray(found.values)
    if found.dtype in formats.FORMATS and array.dtype.kind != "f":
        array = rounding.widen(array, formats.FORMATS[found.dtype])
    return np.atleast_2d(array.astype(np.float64))


def _of_arrays(ax, one, other, report):
    rows = (np.prod(one.shape[:-1], dtype=np.int64), one.shape[-1])
    with np.errstate(invalid="ignore"):
        error = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other)).reshape(rows)
    matrices.as_floats(error)
    unknown = np.isnan(error)
    blocks = [max(1, -(-size // matrices.MOST)) for size in error.shape]
    error = largest_of_blocks(np.where(unknown, np.inf, error), blocks)
    finite = error[np.isfinite(error) & (error > 0)]
    low, high = (finite.min(), finite.max()) if finite.size else (1e-9, 1.0)
    drawn = np.where(np.isposinf(error), np.nan, np.where(error == 0, -np.inf, error))
    image = matrices.draw(ax, drawn, norm=logarithmic(low, high if high > low else 2 * low), numbers=False,
                          names=[f"{name}{_of_block(k)}" for name, k in zip(("row", "column"), blocks)])  # fmt: skip
    note = "\nhatched: no number" * bool(np.isnan(drawn).any())
    matrices.bar(ax, image, f"absolute error\nstriped: equal{note}")
    first = str(report).splitlines()[0]
    return style.titled(ax, first, f"An error map of {rows[0]} by {rows[1]} elements. {report}")


def _of_block(size):
    return "" if size == 1 else f" (blocks of {size}, the largest error of each)"


def largest_of_blocks(error, blocks):
    """The largest number of each block of rows and columns."""
    for axis, block in enumerate(blocks):
        if block > 1:
            error = np.maximum.reduceat(error, np.arange(0, error.shape[axis], block, np.int64), axis=axis)
    return error


def _of_report(ax, report):
    counts = list(report.histogram.values())
    ax.bar(range(len(counts)), counts, color=style.palette().lines[0], width=0.8)
    for k, count in enumerate(counts):
        if count:
            ax.annotate(
                f"{count}", (k, count), (0, 2), textcoords="offset points", ha="center", fontsize=style.FONT - 1
            )
    ax.set_xticks(range(len(BINS)), BINS)
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(0, max(counts, default=1) * 3 + 1)
    ax.set_xlabel("units in the last place off")
    ax.set_ylabel("elements")
    return style.titled(ax, str(report).splitlines()[0], f"Bars of how many elements are how far off. {report}")


def _of_result(ax, result):
    failing = [finding for finding in result.of("differs") if finding.report is not None]
    title = f"ran {result.ran} of {result.expected}: {len(result.of('differs'))} differ"
    if not failing:
        ax.set_axis_off()
        ax.annotate(f"no case differs\n{title}", (0.5, 0.5), xycoords="axes fraction", ha="center", va="center")
        return style.titled(ax, "", f"No case differs; {title}.")
    rows = failing[:MOST_CASES]
    shares = np.array([[n / max(one.report.count, 1) for n in one.report.histogram.values()] for one in rows])
    style.as_high(ax, min(3.0, max(0.25, 0.045 * len(rows))))
    image = matrices.draw(ax, np.where(shares == 0, -np.inf, shares), scale=(0, 1), numbers=False)
    ax.set_xticks(range(len(BINS)), BINS, rotation=90)
    ax.set_yticks(range(len(rows)), [f"{one.id}/{one.output}" if one.output else one.id for one in rows])
    ax.tick_params(labelsize=style.FONT - 2)
    ax.set_xlabel("units in the last place off")
    matrices.bar(ax, image, "share of the elements\nstriped: none")
    more = "" if len(rows) == len(failing) else f", of which {len(rows)} are drawn"
    words = f"Cases that differ, a row for each, and how many of their elements are how far off: {title}{more}."
    return style.titled(
        ax, title + more, words + (f" Worst {max(one.report.max_ulp for one in rows):g} ULP." if rows else "")
    )
