"""A learned grid before and after it is resized, by each method."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue, checks
from ..errors import InputError, shown
from ..guard import guarded
from . import matrices, style
from .examples import noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import ArrayLike, Integer

#: the arguments of `resize_table` of each panel
METHODS: dict[str, dict[str, Any]] = {
    "nearest": dict(method="nearest"),
    "linear, half-pixel": dict(method="linear", align="half-pixel"),
    "linear, corners": dict(method="linear", align="corners"),
    "cubic -3/4, half-pixel": dict(method="cubic", align="half-pixel", cubic=Fraction(-3, 4)),
    "cubic -1/2, antialias": dict(method="cubic", align="half-pixel", cubic=Fraction(-1, 2), antialias=True),
}
LARGEST = 64  # cells along an axis


@guarded
def resizings(
    weight: ArrayLike | None = None,
    size: tuple[int, int] = (12, 12),
    *,
    channel: Integer = 0,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """One channel of a learned grid before and after each resizing of `resize_table`.

    Parameters
    ----------
    weight : array_like, optional
        Shape (rows, columns, channels), up to 64 cells along an axis; by default 6 x 6 numbers without a pattern.
    size : pair of int, default (12, 12)
        The new rows and columns, up to 64.
    channel : int, default 0
        Number of the channel that is drawn.
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
        E_SHAPE, E_SIZE, what `resize_table` raises, and E_MISSING without matplotlib (E_DTYPE, E_CHOICE, E_NUMBER,
        E_OUT, E_TOO_LARGE).

    Examples
    --------
    >>> ax = resizings(size=(9, 15))  # doctest: +SKIP
    """
    style.needed()
    table = noise(6, 6, 1, seed=3) if weight is None else matrices.numbers("weight", checks.learned("weight", weight))
    if table.ndim != 3 or max(table.shape[:2]) > LARGEST:
        sentence = f"weight must have shape (rows, columns, channels) of at most {LARGEST} cells along an axis"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {table.shape}")
    places = tuple(checks.integer("size", one, 1, LARGEST) for one in checks.listed("size", size, "two sizes"))
    if len(places) != 2:
        raise InputError("E_SHAPE", "size", f"size must be two sizes, got {shown(size)}")
    channel = checks.integer("channel", channel, 0, table.shape[2] - 1)
    before = np.ascontiguousarray(table[..., channel : channel + 1])
    resized = catalogue.ENTRIES["resize_table"].function
    made = {"before": before[..., 0]}
    made |= {name: resized(before, places, **options)[..., 0] for name, options in METHODS.items()}
    with style.canvas(ax, theme, 6.4, alone=False) as ax:
        scale = matrices.limits(*made.values(), centre=True)
        style.as_high(ax, 0.8)
        for part, (name, grid) in zip(style.panels(ax, 2, 3, gap=0.07, rise=2.2), made.items()):
            image = matrices.draw(part, grid, scale=scale, aspect="equal", numbers=False)
            style.whole_ticks(part, most=5)
            part.set_title(f"{name}: {grid.shape[0]} x {grid.shape[1]}", fontsize=style.FONT - 0.5)
        matrices.bar(ax, image)
        words = f"A grid of {table.shape[0]} by {table.shape[1]} cells, and what {', '.join(METHODS)} make of it at "
        return style.titled(ax, "", f"{words}{places[0]} by {places[1]}. All panels have one scale of colours.")
