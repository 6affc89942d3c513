"""Rotations: pairs of channels as the hands of clocks, and one rotated pair, as an arc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import catalogue
from ..errors import InputError, shown
from ..guard import guarded
from ..steps.angles.frequencies import Frequencies
from . import matrices, style
from .calls import places, readable
from .line_plots import chosen_pairs, frequencies_of, one_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import Integer, Number

MOST_HANDS = 16
LONGEST = 1e9  # channel of an arrow, whose score is written beside it
CIRCLE = 97  # points of a circle


def circle(turns: float = 1.0) -> np.ndarray:
    """Points (cos, sin) from angle 0 to so many turns."""
    whole = catalogue.ENTRIES["bands"].function(1, rule="powers", low=0, high=0)
    at = np.linspace(0, turns, CIRCLE)[:, None]
    return catalogue.ENTRIES["fourier_bands"].function(at, whole, factor="2pi", order="kind-band-axis")[:, ::-1]


@guarded
def clock_hands(
    frequencies: Frequencies | Integer = 64,
    *,
    pairs: Sequence[int] | None = None,
    positions: Sequence[int] = (0, 1, 2, 3, 4, 5),
    base: Number = 10000,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """Pairs of channels as the hands of clocks: (cos, sin) at a few positions, a clock for each pair.

    Parameters
    ----------
    frequencies : Frequencies or int, default 64
        What a scaling returns, or a width whose frequencies have `base`.
    pairs : sequence of int, optional
        Which pairs, at most 8; by default four from the first to the last.
    positions : sequence of int, default (0, 1, 2, 3, 4, 5)
        Positions of the hands, at most 16, from the oldest and faintest hand to the newest.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".

    Returns
    -------
    matplotlib Axes
        The Axes that holds the clocks.

    Raises
    ------
    InputError
        E_SIZE, E_POSITION, E_MISSING without matplotlib.

    Examples
    --------
    >>> ax = clock_hands(64, pairs=[0, 4, 8, 16])  # doctest: +SKIP
    """
    style.needed()
    frequencies = frequencies_of(frequencies, base)
    picked = chosen_pairs(pairs, len(frequencies), 4)
    at = places("positions", positions, 1)
    if not 0 < len(at) <= MOST_HANDS:
        raise InputError("E_SIZE", "positions", f"positions must be 1 to {MOST_HANDS}, a hand each, got {len(at)}")
    cos, sin = catalogue.ENTRIES["rope_table"].function(at, one_axis(frequencies))
    with style.canvas(ax, theme, 6.4, 1.6 if len(picked) <= 4 else 3.8, alone=False) as ax:
        columns = min(4, len(picked))
        lengths, rows = frequencies.wavelengths, -(-len(picked) // columns)
        parts = style.panels(ax, rows, columns, gap=0.05)
        reach = 1.3 * max(1.0, min(frequencies.attention_factor, LONGEST))  # the hands are as long as the factor
        for k, (part, pair) in enumerate(zip(parts, picked)):
            face(part, reach)
            still = abs(cos[-1, pair] - cos[0, pair]) + abs(sin[-1, pair] - sin[0, pair]) < 0.2  # one label for all
            for n, (x, y) in enumerate(zip(cos[:, pair], sin[:, pair])):
                colour = style.palette().lines[k]
                share = (n + 1) / len(at)
                part.plot([0, x], [0, y], "-", color=colour, alpha=0.25 + 0.75 * share, linewidth=0.8 + 1.4 * share)
                near = n and abs(x - cos[n - 1, pair]) + abs(y - sin[n - 1, pair]) < 0.2 and n < len(at) - 1
                if near or (still and n):
                    continue
                part.annotate(
                    f"{at[0]} to {at[-1]}" if still and len(at) > 1 else str(at[n]),
                    (1.16 * x, 1.16 * y),
                    ha="left" if still and x > 0.7 else "right" if still and x < -0.7 else "center",
                    va="center",
                    fontsize=style.FONT - 2.5,
                )
            part.set_title(f"pair {pair}\nwavelength {style.told(lengths[pair])}", fontsize=style.FONT, loc="center")
        for part in parts[len(picked) :]:
            part.remove()
        listed = ", ".join(f"{pair} (wavelength {style.told(lengths[pair])})" for pair in picked)
        words = (
            f"Clocks, one for each of the pairs {listed}: a hand at each of the positions {', '.join(map(str, at))}."
        )
        if frequencies.attention_factor != 1:
            words += f" Each hand is {style.told(frequencies.attention_factor)} long, as the attention factor is."
        return style.titled(ax, "", words)


def _pair(name, values):
    """The two channels of a query or key."""
    found = matrices.numbers(name, values)
    if found.shape != (2,):
        raise InputError("E_SHAPE", name, f"{name} must have 2 numbers, got shape {found.shape}")
    if not (np.abs(found) <= LONGEST).all():
        raise InputError("E_NUMBER", name, f"{name} must be at most {LONGEST:g} in size, got {found.tolist()}")
    return found


def length(vector):
    """The length of an arrow."""
    return float(np.sqrt((vector * vector).sum()))


def face(ax, reach=1.3):
    """A circle of radius 1 with its two axes, and no ticks."""
    points = circle()
    ax.plot(points[:, 0], points[:, 1], "-", color=style.palette().faint, linewidth=0.8)
    ax.axhline(0, color=style.palette().faint, linewidth=0.4)
    ax.axvline(0, color=style.palette().faint, linewidth=0.4)
    ax.set_aspect("equal")
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


@guarded
def rotation(
    query: Sequence[float] = (1.0, 0.25),
    key: Sequence[float] = (0.5, 0.75),
    *,
    positions: Sequence[Sequence[int]] = ((2, 0), (5, 3)),
    frequency: float = 0.6,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """One pair of a query and of a key, rotated by their positions along arcs: the score depends on the distance.

    Parameters
    ----------
    query : sequence of float, default (1.0, 0.25)
        Two channels of the query.
    key : sequence of float, default (0.5, 0.75)
        Two channels of the key.
    positions : sequence of pairs of int, default ((2, 0), (5, 3))
        (position of the query, of the key), a panel each, at most 4.
    frequency : float, default 0.6
        Radians from one position to the next.
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
        E_SHAPE, E_SIZE, what `rope` raises, and E_MISSING (E_DTYPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE,
        E_POSITION, E_CHOICE, E_OUT).

    Examples
    --------
    >>> ax = rotation(positions=[(1, 0), (6, 5)])  # doctest: +SKIP
    """
    style.needed()
    pairs = places("positions", positions, 2)
    if not 0 < len(pairs) <= 4 or len(pairs[0]) != 2:
        raise InputError(
            "E_SIZE", "positions", f"positions must be 1 to 4 pairs of query and key, got {shown(positions)}"
        )
    vectors = [_pair("query", query), _pair("key", key)]
    frequency = readable("frequency", frequency)
    rule = catalogue.ENTRIES["given_frequencies"].function([frequency])
    turn = catalogue.ENTRIES["rope"].function
    with style.canvas(ax, theme, 6.4, 3.1, alone=False) as ax:
        parts = style.panels(ax, 1, len(pairs), gap=0.04)
        scores = []
        for part, place in zip(parts, pairs):
            reach = 1.15 * max(1.0, *(float(np.abs(vector).sum()) for vector in vectors))
            face(part, reach)
            outside = 1.18 * max(1.0, *map(length, vectors))  # of all arcs
            ends = []
            for name, vector, position, colour, dash in zip("qk", vectors, place, style.palette().lines, ("-", "--")):
                steps = np.linspace(0, float(position), CIRCLE)
                path = turn(np.repeat(vector[None], CIRCLE, 0), steps, pairing="interleaved", frequencies=rule)
                part.plot(path[:, 0], path[:, 1], ":", color=colour, linewidth=1.2)
                part.plot([0, vector[0]], [0, vector[1]], dash, color=colour, linewidth=0.8, alpha=0.6)
                part.annotate(
                    "", path[-1], (0, 0), arrowprops=dict(arrowstyle="-|>", color=colour, linestyle=dash, linewidth=1.8)
                )
                out = path[-1] * outside / max(length(vector), 1e-9)
                part.annotate(f"{name} at {position}", out, ha="center", va="center", color=colour)
                ends.append(path[-1])
            scores.append(float(ends[0][0] * ends[1][0] + ends[0][1] * ends[1][1]))
            part.set_title(f"distance {place[0] - place[1]}: score {scores[-1]:.6g}", fontsize=style.FONT, loc="center")
        told = "; ".join(f"query at {q}, key at {k}, score {s:.6g}" for (q, k), s in zip(pairs, scores))
        words = f"A pair of a query and one of a key, rotated along arcs by their positions times {frequency}: {told}."
        return style.titled(ax, "", words)
