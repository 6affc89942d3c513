"""Sinusoids as waves: chosen frequencies below each other, and the binary code beside the sinusoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import catalogue, checks
from ..errors import InputError
from ..guard import guarded
from ..steps.angles.frequencies import Frequencies
from . import matrices, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import Integer, Number

FINE = 4  # points drawn for each position, where there are few
MOST_POSITIONS = 4096


def frequencies_of(frequencies: Frequencies | Integer, base: Number) -> Frequencies:
    """The frequencies, or those of a width."""
    if isinstance(frequencies, Frequencies):
        return frequencies
    return catalogue.ENTRIES["inverse_frequencies"].function(frequencies, base=base)


def chosen_pairs(pairs, count, most):
    """The pairs that are asked for, or some from the first to the last."""
    if pairs is None:
        return matrices.chosen(count, most)
    found = checks.listed("pairs", pairs, "integers")
    found = [checks.integer("pairs", pair, 0, count - 1) for pair in found]
    if not 0 < len(found) <= style.MOST_LINES:
        raise InputError(
            "E_SIZE", "pairs", f"pairs must be 1 to {style.MOST_LINES}, that can be distinguished, got {len(found)}"
        )
    return found


@guarded
def waves(
    frequencies: Frequencies | Integer = 64,
    *,
    pairs: Sequence[int] | None = None,
    positions: Integer = 64,
    base: Number = 10000,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """The sines of chosen pairs of channels over the positions, one wave below the other.

    Parameters
    ----------
    frequencies : Frequencies or int, default 64
        What a scaling returns, or a width whose frequencies have `base`.
    pairs : sequence of int, optional
        Which pairs, at most 8; by default six from the first to the last.
    positions : int, default 64
        Number of positions, 2 to 4096; dots are the values at integer positions.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
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
        E_SIZE, what `inverse_frequencies` raises, and E_MISSING without matplotlib (E_ODD_DIM, E_BASE).

    Examples
    --------
    >>> ax = waves(64, pairs=[0, 4, 8], positions=32)  # doctest: +SKIP
    """
    style.needed()
    frequencies = frequencies_of(frequencies, base)
    count = checks.integer("positions", positions, 2, MOST_POSITIONS)
    picked = chosen_pairs(pairs, len(frequencies), 6)
    fine = FINE if count <= 256 else 1
    at = np.arange((count - 1) * fine + 1, dtype=np.int64) / fine
    sines = catalogue.ENTRIES["rope_table"].function(at, one_axis(frequencies))[1]
    with style.canvas(ax, theme) as ax:
        lengths = frequencies.wavelengths
        for k, pair in enumerate(picked):
            level, colour = -2.5 * k, style.palette().lines[k]
            ax.axhline(level, color=style.palette().faint, linewidth=0.5)
            ax.plot(at, sines[:, pair] + level, color=colour, linestyle="-")
            if count <= 128:
                ax.plot(at[::fine], sines[::fine, pair] + level, "o", color=colour, markersize=2.5)
            ax.annotate(f"pair {pair}\nwavelength {style.told(lengths[pair])}", (1.01, level),
                        xycoords=("axes fraction", "data"),
                        va="center", fontsize=style.FONT - 1, annotation_clip=False)  # fmt: skip
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlim(0, count - 1)
        ax.set_xlabel("position")
        listed = ", ".join(f"{pair} with a wavelength of {style.told(lengths[pair])}" for pair in picked)
        words = f"Waves over {count} positions, one below the other: the sines of pairs {listed}."
        return style.titled(ax, f"waves of {len(picked)} of {len(frequencies)} pairs", words)


def one_axis(frequencies: Frequencies) -> Frequencies:
    """The frequencies for positions on one axis, whatever axes they are of."""
    from dataclasses import replace

    return replace(frequencies, axes=None)


@guarded
def counter(
    positions: Integer = 32,
    bits: Integer = 5,
    *,
    base: Number = 2,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """The binary code beside the sinusoid: bits that flip twice as seldom from one to the next, and waves that do.

    Parameters
    ----------
    positions : int, default 32
        Number of rows, 2 to 512.
    bits : int, default 5
        Number of columns of the code, 1 to 16, and pairs of the sinusoid, whose sines at wavelengths of 2, 4, 8, ...
        positions are drawn with base 2 (a cosine of half a turn is the last bit itself); another base gives the
        frequencies of `sinusoidal` of width 2 * bits.
    base : float or Fraction, default 2
        Base of the frequencies, finite and greater than 0.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".

    Returns
    -------
    matplotlib Axes
        The Axes that holds both.

    Raises
    ------
    InputError
        E_SIZE, E_BASE, E_MISSING without matplotlib.

    Examples
    --------
    >>> ax = counter(32, 5)  # doctest: +SKIP
    """
    style.needed()
    count, columns = checks.integer("positions", positions, 2, matrices.MOST), checks.integer("bits", bits, 1, 16)
    code = catalogue.ENTRIES["binary_code"].function(count, columns, lowest_first=True)
    if checks.positive("base", base, "E_BASE") == 2:
        turns = catalogue.ENTRIES["bands"].function(columns, rule="powers", low=1 - columns, high=0)
        at = np.arange(count, dtype=np.float64)[:, None]
        both = catalogue.ENTRIES["fourier_bands"].function(at, turns, factor="pi", order="kind-band-axis")
        table = both[:, columns:][:, ::-1]
    else:
        table = catalogue.ENTRIES["sinusoidal"].function(count, 2 * columns, base=base)[:, 1::2]
    with style.canvas(ax, theme, alone=False) as ax:
        left, right = style.panels(ax, 1, 2, gap=0.16)
        matrices.draw(left, code, names=("position", "bit, lowest first"))
        image = matrices.draw(right, table, names=("", "pair, fastest first"))
        left.set_title("binary code", loc="left")
        right.set_title("cosines", loc="left")
        matrices.bar(right, image)
        words = f"Two tables of {count} positions. Left the binary digits of each, the lowest first: each column flips "
        words += "half as often as the one before. Right cosines, which do the same without steps."
        return style.titled(ax, "", words)
