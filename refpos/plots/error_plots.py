"""What is right beside what is not: matrices on one scale of colours, and lines in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .. import checks
from ..errors import InputError, shown
from ..guard import guarded
from . import matrices, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import ArrayLike

MOST_POINTS = 4096


@guarded
def side_by_side(
    tables: Mapping[str, ArrayLike] | None = None,
    /,
    *,
    names: tuple[str, str] = ("position", "channel"),
    words: str = "",
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
    **more: ArrayLike,
) -> Axes:
    """Matrices beside each other on one scale of colours: what is right, what a mistake makes of it.

    Parameters
    ----------
    tables : dict of array_like, optional
        {title: matrix}, at most 12.
    names : pair of str, default ('position', 'channel')
        Names of rows and columns.
    words : str, default ''
        What the picture shows, for those who cannot see it; the range of each matrix is said behind it.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".
    **more : array_like
        Further matrices by keyword.

    Returns
    -------
    matplotlib Axes
        The Axes that holds the panels.

    Raises
    ------
    InputError
        E_SHAPE, E_SIZE, E_MISSING without matplotlib.

    Notes
    -----
    Longer axes than 512 are thinned, NaN is hatched, infinities are striped.

    Examples
    --------
    >>> ax = side_by_side({"right": np.eye(4), "one too far": np.eye(4, k=1)})  # doctest: +SKIP
    """
    style.needed()
    made = read_arrays("tables", tables, more, 2, matrices.MOST_TILES)
    square = all(matrix.shape[0] == matrix.shape[1] for matrix in made.values())
    with style.canvas(ax, theme, 6.2 if len(made) > 1 else 3.4, alone=False) as ax:
        matrices.mosaic(ax, list(made.values()), list(made), names=_two(names), aspect="equal" if square else "auto")
        told = "; ".join(f"{title} {matrices.extent(matrix)}" for title, matrix in made.items())
        noted = matrices.told(np.concatenate([matrix.ravel() for matrix in made.values()]))
        return style.titled(ax, "", f"{words} Matrices on one scale of colours: {told}. {noted}")


@guarded
def curves(
    lines: Mapping[str, ArrayLike] | None = None,
    /,
    *,
    at: ArrayLike | None = None,
    names: tuple[str, str] = ("position", ""),
    words: str = "",
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
    **more: ArrayLike,
) -> Axes:
    """Lines in one picture: scores by distance, lengths by position, what a mistake does to them.

    Parameters
    ----------
    lines : dict of array_like, optional
        {title: numbers}, at most 8 of at most 4096 numbers each.
    at : array_like, optional
        The x coordinates of the values, by default 0, 1, 2, ...
    names : pair of str, default ('position', '')
        Labels of the x and y axes.
    words : str, default ''
        What the picture shows, for those who cannot see it.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".
    **more : array_like
        Further lines by keyword.

    Returns
    -------
    matplotlib Axes
        The Axes.

    Raises
    ------
    InputError
        E_SHAPE, E_SIZE, E_MISSING without matplotlib.

    Notes
    -----
    What is not finite is left out.

    `ax.set_yscale("log")` makes the scale of the result logarithmic.

    Examples
    --------
    >>> ax = curves({"right": [3, 2, 1], "wrong": [1, 2, 3]}, names=("distance", "score"))  # doctest: +SKIP
    """
    style.needed()
    made = read_arrays("lines", lines, more, 1, style.MOST_LINES)
    (longest,) = max(values.shape for values in made.values())
    if longest > MOST_POINTS:
        raise InputError("E_SIZE", "lines", f"lines must have at most {MOST_POINTS} numbers each, got {longest}")
    places = np.arange(longest, dtype=np.int64) if at is None else matrices.numbers("at", at)
    if at is not None and any(values.shape != places.shape for values in made.values()):
        sizes = ", ".join(str(values.size) for values in made.values())
        raise InputError("E_SHAPE", "at", f"at must have one coordinate for each value, got {places.size} for {sizes}")
    across, up = _two(names)
    with style.canvas(ax, theme) as ax:
        for title, values in made.items():
            ax.plot(places[: values.size], np.where(np.isfinite(values), values, np.nan), label=title)
        ax.set_xlabel(across)
        ax.set_ylabel(up)
        ax.grid(True)
        if at is None:
            style.whole_ticks(ax, y=False)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
        told = "; ".join(f"{title} {matrices.extent(values)}" for title, values in made.items())
        return style.titled(ax, "", f"{words} Lines over {longest} points: {told}.")


def read_arrays(name, given, more, axes, most):
    """{title: float64 array of so many axes} of a mapping and of keywords, at most so many."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError("E_SHAPE", name, f"{name} must be {{title: array}}, got {shown(given)}")
    both = {**(given or {}), **more}
    if not 0 < len(both) <= most:
        raise InputError("E_SIZE", name, f"{name} must be 1 to {most}, each with a title, got {len(both)}")
    made = {str(title): matrices.numbers(str(title), values) for title, values in both.items()}
    for title, values in made.items():
        if values.ndim != axes:
            wanted = "1 axis" if axes == 1 else f"{axes} axes"
            raise InputError("E_SHAPE", title, f"{title} must have {wanted}, got shape {values.shape}")
    return made


def _two(names):
    found = tuple(checks.listed("names", names, "two names"))
    if len(found) != 2:
        raise InputError("E_SIZE", "names", f"names must be two, of rows and columns, got {len(found)}")
    return found
