"""Frequencies as wavelengths over their pairs: one set, or scalings of it side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue, checks
from ..guard import guarded
from ..steps.angles.frequencies import Frequencies
from . import style
from .calls import readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import Integer, Number

AXES = ("time", "row", "column", "fourth axis")
TRAINED = ("original_max_position_embeddings", "max_position_embeddings", "length")


def draw(ax, call, title):
    """The wavelengths of the frequencies that a call gives, beside those they were made from."""
    name, frequencies = call.entry.name, call.result
    plain = _plain(call)
    if plain is not None:
        ax.plot(
            np.arange(len(plain), dtype=np.int64),
            _finite(plain),
            color=style.palette().faint,
            linestyle="--",
            label="unscaled",
        )
    words = draw_wavelengths(ax, frequencies, name)
    trained = next((call.arguments[key] for key in TRAINED if isinstance(call.arguments.get(key), int)), None)
    if trained is not None:
        mark(ax, trained)
        words += f" A line marks the {trained} positions of training."
    dress(ax)
    if name == "bands":
        ax.set_ylabel("wavelength (in units of the coordinate)")
    if plain is not None or frequencies.axes is not None or trained is not None:
        beside = frequencies.axes is not None  # points of several axes leave no room
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1) if beside else None)
    if frequencies.attention_factor != 1:
        ax.annotate(
            f"attention factor {frequencies.attention_factor:.6g}", (0.98, 0.04), xycoords="axes fraction", ha="right"
        )
    return style.titled(ax, title, f"{call.entry.summary} {words}")


def draw_wavelengths(ax, frequencies, name):
    """The wavelengths as a line, or as points of each axis; in words."""
    waves, pairs = _finite(frequencies), np.arange(len(frequencies), dtype=np.int64)
    still = int(np.isnan(waves).sum())
    few = len(set(frequencies.axes or (0,)))
    if few > 1:
        for k, axis in enumerate(sorted(set(frequencies.axes))):
            of_axis = np.array(frequencies.axes) == axis
            label = AXES[axis] if few in (3, 4) else f"axis {axis}"
            ax.plot(pairs[of_axis], waves[of_axis], "os^D"[k % 4], markersize=3.5, linestyle="none", label=label)
    else:
        ax.plot(pairs, waves, marker="o" if len(pairs) <= 80 else "", markersize=2.5, label=name)
    finite = waves[~np.isnan(waves)]
    words = f"Wavelengths of {len(pairs)} pairs, {style.ends(finite)}, on a log scale."
    return words + (f" {still} pairs do not rotate and are left out." if still else "")


def _finite(frequencies):
    waves = frequencies.wavelengths
    return np.where(np.isfinite(waves), waves, np.nan)


def _plain(call):
    """The frequencies before scaling, where there is one."""
    given = call.arguments.get("frequencies")
    if isinstance(given, Frequencies):
        return given
    if "dim" not in call.arguments or call.entry.name in (
        "inverse_frequencies",
        "mrope_frequencies",
        "offset_geometric",
    ):
        return None
    base = call.arguments.get("base", call.entry.defaults.get("base", 10000))
    return catalogue.ENTRIES["inverse_frequencies"].function(call.arguments["dim"], base=base)


def mark(ax, length):
    """A line at the length of training."""
    ax.axhline(length, color=style.palette().lines[1], linestyle=":", linewidth=1.4, label=f"trained length {length}")


def dress(ax):
    """The axes of a plot of frequencies: pairs across, wavelengths up."""
    ax.set_yscale("log")
    ax.set_xlabel("pair of channels")
    ax.set_ylabel("wavelength (positions)")
    ax.grid(True)
    style.whole_ticks(ax, y=False)


@guarded
def scalings(
    dim: Integer = 128,
    *,
    base: Number = 500000,
    factor: Number = 8,
    trained: Integer = 8192,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """The frequencies of scalings side by side: how many times longer each makes the wavelength of each pair.

    Parameters
    ----------
    dim : int, default 128
        Width of the frequencies that are scaled.
    base : float or Fraction, default 500000
        Base of the frequencies that are scaled.
    factor : float or Fraction, default 8
        Factor by which all of them lengthen the context.
    trained : int, default 8192
        The length of training, which is marked where a wavelength reaches it.
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
        What the scalings raise, and E_MISSING without matplotlib.

    Notes
    -----
    The scalings are linear, NTK, dynamic NTK (at factor times the trained length), YaRN, Llama 3 (low 1, high 4) and
    LongRoPE, whose learned long factors are replaced by a line from 1 to `factor`.

    Examples
    --------
    >>> ax = scalings(128, base=500000, factor=8, trained=8192)  # doctest: +SKIP
    """
    style.needed()
    dim, trained = checks.even_width("dim", dim), checks.integer("trained", trained, 1)
    base, factor = readable("base", base), readable("factor", factor)
    plain = catalogue.ENTRIES["inverse_frequencies"].function(dim, base=base)
    made = {
        name: scaled.wavelengths / plain.wavelengths for name, scaled in scaled_frequencies(dim, base, factor, trained)
    }
    with style.canvas(ax, theme) as ax:
        for name, times in made.items():
            ax.plot(np.arange(len(times), dtype=np.int64), times, label=name)
        reached = int((plain.wavelengths < trained).sum())
        ax.axvline(reached - 0.5, color=style.palette().faint, linestyle=":", linewidth=1.4)
        ax.annotate(f"wavelength {trained},\nthe trained length", (reached - 0.5, 0.98), (5, 0),
                    xycoords=("data", "axes fraction"), textcoords="offset points", va="top",
                    fontsize=style.FONT - 1)  # fmt: skip
        ax.set_xlabel("pair of channels")
        ax.set_ylabel("wavelength, times the unscaled one")
        ax.set_yscale("log", base=2)
        ax.yaxis.set_major_formatter("{x:g}")
        style.whole_ticks(ax, y=False)
        ax.grid(True)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
        words = (
            f"How many times longer {', '.join(made)} make the wavelengths of {len(plain)} pairs, base {base}, factor "
        )
        words += f"{factor}. From pair {reached} on a wavelength is longer than the {trained} positions of training."
        title = f"How much longer each scaling makes the wavelengths, at {int(trained * factor)} tokens\n"
        title += f"factor {factor}, dim {dim}, base {base}, trained at {trained} tokens\n"
        return style.titled(ax, f"{title}Example numbers, not of a model: the long factors of LongRoPE.", words)


def scaled_frequencies(dim, base, factor, trained):
    """(name, frequencies) of each scaling, all of one set of frequencies."""
    make: Any = {name: entry.function for name, entry in catalogue.ENTRIES.items() if entry.family == "frequencies"}
    original = dict(original_max_position_embeddings=trained)
    yield "linear", make["linear"](dim, base=base, factor=factor)
    yield "NTK", make["ntk"](dim, base=base, factor=factor)
    length = int(trained * factor)
    yield (
        "dynamic NTK",
        make["dynamic_ntk"](dim, base=base, factor=factor, max_position_embeddings=trained, seq_len=length),
    )
    yield "YaRN", make["yarn"](dim, base=base, factor=factor, **original)
    yield "Llama 3", make["llama3"](dim, base=base, factor=factor, low_freq_factor=1, high_freq_factor=4, **original)
    pairs = dim // 2
    long = [1 + (float(factor) - 1) * i / max(pairs - 1, 1) for i in range(pairs)]
    yield "LongRoPE", make["longrope"](dim, base=base, factor=factor, short_factor=[1] * pairs, long_factor=long,
                                       seq_len=length, **original)  # fmt: skip
