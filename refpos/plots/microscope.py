"""What somebody's numbers were measured to be, as curves beside what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue
from ..guard import guarded
from ..measure.panels import Panel, panels
from ..measure.read import read
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 4
ACROSS = 2  # panels beside each other


@guarded
def measured(
    y: Any,
    function: Callable[..., Any] | str,
    /,
    *inputs: Any,
    asked: Any = None,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
    **named: Any,
) -> Axes:
    """What numbers are, measured: positions by row, frequencies and gains by pair, rows read by distance.

    Parameters
    ----------
    y : array_like, or tuple or dict of two
        Numbers of any program, as `refpos.read` takes them.
    function : callable or str
        What they are numbers of, as for `refpos.read`, or its name.
    *inputs : array_like
        What they were made of, as for `refpos.read`.
    asked : array_like, or tuple or dict of two, optional
        Expected numbers, which are measured in the same way and drawn beside the others.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".
    **named : array_like or number or str
        Further inputs by name, as for `refpos.read`.

    Returns
    -------
    matplotlib Axes
        The Axes that holds the panels; its label says what they show.

    Raises
    ------
    InputError
        What `refpos.read` raises, and E_MISSING without matplotlib (E_CHOICE, E_SHAPE, E_DTYPE).

    Notes
    -----
    A panel is drawn for each quantity that was measured, at most four: the position of each row, the frequency of each
    pair over the asked one, or its frequency where nothing was asked, its gain where it is not 1, the row of the table
    by the distance from query to key, slopes by head, coefficients of scores, and where on the old axis each cell of a
    resized table lies. What could not be measured is left out of the lines.

    Examples
    --------
    >>> x = np.ones((64, 8), np.float32)
    >>> y = catalogue.ENTRIES["rope"].function(x, 64, pairing="half", base=500000)
    >>> ax = measured(y, "rope", x)  # doctest: +SKIP
    """
    style.needed()
    if isinstance(function, str):
        function = catalogue.find(function).function
    found = read(y, function, *inputs, **named)
    beside = None if asked is None else read(asked, function, *inputs, **named)
    drawn = panels(found, beside)[:MOST_PANELS]
    with style.canvas(ax, theme, 6.6, alone=False) as ax:
        across = min(ACROSS, len(drawn)) or 1
        rows = -(-len(drawn) // across)
        style.as_high(ax, max(0.1, 0.36 * rows))
        for part, one in zip(style.panels(ax, rows, across, gap=0.14, rise=2.2) if drawn else (), drawn):
            draw(part, one)
        words = f"Measured: {found.summary}. " + "; ".join(one.words for one in drawn)
        return style.titled(ax, "" if drawn else found.summary, words + "." * bool(drawn))


def draw(ax: Axes, panel: Panel) -> None:
    """One panel: the measured numbers, over those that are asked for."""
    theme = style.palette()
    if panel.asked is not None:
        ax.plot(panel.at, panel.asked, label="asked", color=theme.faint, **_marks(panel, large=True))
    ax.plot(panel.at, panel.measured, label="measured", color=theme.lines[1], **_marks(panel, large=False))
    if panel.logarithmic and np.isfinite(panel.measured).any():
        ax.set_yscale("log")
    ax.set_title(panel.title)
    ax.set_xlabel(panel.by)
    if panel.labels:
        ax.set_xticks(panel.at, panel.labels)
        ax.set_xlabel("")
    else:
        style.whole_ticks(ax, y=False, most=5)
    ax.grid(True)
    if panel.asked is not None:
        ax.legend(loc="best")


def _marks(panel, large):
    if panel.joined and panel.at.size > 1:
        return {"linestyle": "-", "linewidth": 3.5 if large else 1.5}
    return {"linestyle": "", "marker": "o", "markersize": 6.5 if large else 3}
