"""What was measured, as small drawings in the page: lines or points over those that are asked for."""

from __future__ import annotations

from html import escape

import numpy as np

from ..measure.panels import Panel

WIDE, HIGH = 320, 170  # of the drawing
LEFT, TOP = 48, 8  # where the numbers of its axes stand
RIGHT, BOTTOM = WIDE - 8, HIGH - 24
MOST = 1024  # points that are drawn


def figure(panel: Panel) -> str:
    """The panel as a figure: an SVG with its words, without a script or a style of its own."""
    at, measured, asked = _thinned(panel)
    across, up = _scale(at, LEFT, RIGHT), _scale(_both(measured, asked), BOTTOM, TOP)
    draw = _line if panel.joined and at.size > 1 else _points
    drawn = "" if asked is None else f'<path class="asked" d="{draw(across(at), up(asked))}"/>'
    drawn += f'<path class="got" d="{draw(across(at), up(measured))}"/>'
    frame = f'<path class="frame" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    words = escape(panel.words, quote=True)
    svg = (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{words}">{frame}{drawn}{_ticks(panel, at, up)}</svg>'
    )
    return f'<figure class="curve">{svg}<figcaption>{escape(panel.words)}</figcaption></figure>'


def _thinned(panel):
    """The points, every so many where there are too many, of numbers on a scale that may be logarithmic."""
    keep = slice(None, None, -(-panel.at.size // MOST) or 1)
    scaled = [one if one is None else _of_size(one[keep], panel.logarithmic) for one in (panel.measured, panel.asked)]
    return np.asarray(panel.at[keep], np.float64), *scaled


def _of_size(values, logarithmic):
    """Numbers as heights: of those of many sizes the exponent of 2 with the fraction between two."""
    values = np.asarray(values, np.float64)
    if not logarithmic:
        return values
    fraction, exponent = np.frexp(values)
    return exponent + 2 * fraction - 2


def _both(measured, asked):
    every = measured if asked is None else np.concatenate([measured, asked])
    return every[np.isfinite(every)]


def _scale(values, start, stop):
    """The map of numbers to pixels, from the smallest at start to the largest at stop; of one number to the middle."""
    low, high = (values.min(), values.max()) if values.size else (0.0, 0.0)
    if high > low:
        return lambda one: start + (one - low) / (high - low) * (stop - start)
    return lambda one: np.where(np.isfinite(one), (start + stop) / 2, np.nan)


def _line(x, y):
    """Lines through neighbours that are numbers."""
    known, parts = np.isfinite(y), []
    for k in np.flatnonzero(known):
        parts.append(f"{'L' if k and known[k - 1] else 'M'}{x[k]:.1f} {y[k]:.1f}")
    return "".join(parts)


def _points(x, y):
    return "".join(f"M{one:.1f} {other:.1f}h0" for one, other in zip(x, y) if np.isfinite(other))


def _ticks(panel, at, up):
    """The first and the last number of each axis, or the names below the points."""
    values = _both(panel.measured, panel.asked)
    marks = [(LEFT - 4, y, "end", f"{value:.4g}") for value, y in _ends(values, up, panel.logarithmic)]
    if panel.labels:
        x = _scale(at, LEFT, RIGHT)(at)
        marks += [(one, HIGH - 8, "middle", label) for one, label in zip(x, panel.labels)]
    else:
        marks += [(LEFT, HIGH - 8, "start", f"{at[0]:.0f}"), (RIGHT, HIGH - 8, "end", f"{at[-1]:.0f}")]
        marks += [((LEFT + RIGHT) / 2, HIGH - 8, "middle", panel.by)]
    return "".join(
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>' for x, y, anchor, text in marks
    )


def _ends(values, up, logarithmic):
    """(number, height of its text) of the smallest and the largest number."""
    for value in dict.fromkeys((values.min(), values.max()) if values.size else ()):
        yield value, float(up(_of_size(np.array([value], np.float64), logarithmic))[0]) + 4
