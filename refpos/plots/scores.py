"""What encodings do to scores: decay with the distance, matrices, and one sentence attended to under each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue, checks
from ..errors import InputError
from ..guard import guarded
from . import matrices, name_lookup, style
from .calls import called, table_of
from .examples import buckets, noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import Integer

DECAYS = ("rope", "xpos", "pope", "rotary_bias", "alibi", "kerple", "sandwich", "decay", "t5_bias", "fire", "xl_scores",
          "deberta_scores")  # fmt: skip
BIASES = ("alibi", "t5_bias", "window_bias", "deberta_scores", "relative_scores", "xl_scores")
TITLES = {"alibi": "ALiBi", "t5_bias": "T5", "window_bias": "Swin", "deberta_scores": "DeBERTa",
          "relative_scores": "Shaw", "xl_scores": "Transformer-XL"}  # fmt: skip
MOST_WORDS = 24
SENTENCE = "the dog saw the cat and the cat saw the dog".split()
ATTENDED = ("none", "sinusoidal", "rope", "alibi", "t5_bias", "relative_bias")


def scores_of(name: str) -> Any:
    """The matrix of scores of queries and keys that an encoding gives in its example, of its first head."""
    call = called(name_lookup.entry_of(name), {})
    entry, result = call.entry, np.asarray(table_of(call.result), np.float64)
    refused = InputError(
        "E_CHOICE", "names", f"names must be rotary or relative encodings that give scores, got {name!r}"
    )
    if entry.family == "rotary" and "x" in call.arguments and entry.name != "xpos":
        rows = result.reshape(-1, *result.shape[-2:])[0]
        return _products(rows, rows) / rows.shape[1]
    if entry.name == "xpos":
        keys = entry.function(**{**call.arguments, "downscale": True})
        return _products(result, keys) / result.shape[1]
    whole = entry.whole or ("query_len" not in entry.parameters and result.shape[-1] != result.shape[-2])
    if entry.family not in ("relative", "scores", "rotary") or result.ndim < 2 or whole or not _by_pairs(entry):
        raise refused
    return result.reshape(-1, *result.shape[-2:])[0]


#: what the numbers of a decay are, in the order of their panels
QUANTITIES = ("score of ones", "added to the score", "times the score", "score")


def quantity_of(name: str) -> str:
    """What the numbers of `scores_of` are."""
    entry = catalogue.ENTRIES[name_lookup.entry_of(name)]
    if entry.name == "decay":
        return "times the score"
    if entry.family == "rotary":
        return "score of ones"
    return "added to the score" if entry.family == "relative" and "q" not in entry.parameters else "score"


def _by_pairs(entry):
    return any(key in entry.parameters for key in ("query_len", "query_positions", "scores", "rows", "k", "height",
                                                   "query_grid", "logits", "bias", "boxes")) \
        and entry.name not in ("distance_features", "log_coordinates", "box_relation", "relative_values")  # fmt: skip


def _products(one, other):
    from ..steps.scores.ordered_sums import matmul

    return matmul(np.ascontiguousarray(one), np.ascontiguousarray(other.T))


@guarded
def decays(*encodings: str, ax: Axes | None = None, theme: style.ThemeName = "light") -> Axes:
    """How the score of the last query falls with the distance of the key, a panel for each encoding.

    Parameters
    ----------
    *encodings : str
        At most 12 names of rotary and relative encodings; by default twelve.
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
        E_CHOICE, E_SIZE, E_MISSING without matplotlib.

    Notes
    -----
    Panels are sorted by what their numbers are. Rotations act on vectors of ones, the others have the numbers of their
    example, first head; scores, biases and factors have scales of their own, and what falls is their shape. On grids
    the distance counts cells in reading order.

    Examples
    --------
    >>> ax = decays("rope", "alibi", "t5_bias")  # doctest: +SKIP
    """
    style.needed()
    picked = encodings or DECAYS
    if len(picked) > matrices.MOST_TILES:
        raise InputError("E_SIZE", "encodings", f"encodings must be at most {matrices.MOST_TILES}, got {len(picked)}")
    kinds = {name: quantity_of(name) for name in picked}
    rows = {name: scores_of(name)[-1, ::-1] for name in sorted(picked, key=lambda name: QUANTITIES.index(kinds[name]))}
    with style.canvas(ax, theme, 6.6, alone=False) as ax:
        columns = min(4, len(rows))
        high = -(-len(rows) // columns)
        style.as_high(ax, 0.28 * high if columns > 2 else 0.5)
        for k, (part, (name, line)) in enumerate(
            zip(style.panels(ax, high, columns, gap=0.11, rise=1.1), rows.items())
        ):
            finite = np.where(np.isfinite(line), line, np.nan)
            part.plot(np.arange(len(line), dtype=np.int64), finite, color=style.palette().lines[0])
            part.set_title(name, fontsize=style.FONT - 0.5)
            part.set_ylabel(kinds[name], fontsize=style.FONT - 2)
            part.grid(True, axis="y")
            style.whole_ticks(part, y=False, most=4)
            part.locator_params(axis="y", nbins=4)
            if k >= len(rows) - columns:
                part.set_xlabel("distance")
        told = "; ".join(f"{name} from {line[0]:.3g} to {line[-1]:.3g}" for name, line in rows.items())
        title = "How scores change with the distance of query and key\n"
        title += "Example numbers, not of a model: what rotates is a vector of ones, and what is learned."
        return style.titled(ax, title, f"How scores change from distance 0 to the largest, a panel for each: {told}.")


@guarded
def biases(*encodings: str, ax: Axes | None = None, theme: style.ThemeName = "light") -> Axes:
    """Matrices of queries and keys: what each encoding adds to their scores, or makes of them; a panel for each.

    Parameters
    ----------
    *encodings : str
        At most 12 names as in `decays`; by default ALiBi, T5, Swin, DeBERTa, Shaw and Transformer-XL.
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
        E_CHOICE, E_SIZE, E_MISSING without matplotlib.

    Notes
    -----
    Learned weights are stood in for. Each panel has its own scale.

    Examples
    --------
    >>> ax = biases("alibi", "t5_bias")  # doctest: +SKIP
    """
    style.needed()
    picked = encodings or BIASES
    if len(picked) > matrices.MOST_TILES:
        raise InputError("E_SIZE", "encodings", f"encodings must be at most {matrices.MOST_TILES}, got {len(picked)}")
    made = {name: scores_of(name) for name in picked}
    with style.canvas(ax, theme, 6.4, alone=False) as ax:
        columns = min(3, len(made))
        rows = -(-len(made) // columns)
        style.as_high(ax, rows / columns * 0.86)
        parts = style.panels(ax, rows, columns, gap=0.16, rise=1.05)
        for k, (part, (name, matrix)) in enumerate(zip(parts, made.items())):
            image = matrices.draw(
                part, matrix, names=("query" * (k % columns == 0), "key"), aspect="equal", numbers=False
            )
            style.whole_ticks(part, most=4)
            part.set_title(TITLES.get(name_lookup.FIELD.get(name, name), name))
            side = matrices.bar(part, image, place=(1.04, 0.0, 0.05, 1.0))
            side.tick_params(labelsize=style.FONT - 2.5)
        for part in parts[len(made) :]:
            part.remove()
        told = "; ".join(f"{TITLES.get(name, name)} from {low + 0.0:.3g} to {high + 0.0:.3g}" for name, (low, high) in
                         ((name, matrices.limits(matrix)) for name, matrix in made.items()))  # fmt: skip
        return style.titled(ax, "", f"Matrices of queries and keys, a panel for each: {told}. Striped: minus infinity.")


@guarded
def sentence(
    words: str | Sequence[str] = SENTENCE,
    encodings: Sequence[str] = ATTENDED,
    *,
    dim: Integer = 16,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
) -> Axes:
    """One sentence attended to under each encoding: the weights of every word for every word.

    Parameters
    ----------
    words : str or sequence of str, optional
        A text, or a list of 2 to 24 words; a word that comes twice has one vector, so that without an encoding both are
        attended to alike.
    encodings : sequence of str, default ('none', 'sinusoidal', 'rope', 'alibi', 't5_bias', 'relative_bias')
        Encodings among none, sinusoidal, rope, alibi, t5_bias and relative_bias, at most 12.
    dim : int, default 16
        Number of channels of the vectors, even.
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
        E_SIZE, E_ODD_DIM, E_CHOICE, E_MISSING without matplotlib.

    Notes
    -----
    Queries and keys are the vectors themselves, of numbers without a pattern.

    Examples
    --------
    >>> ax = sentence("a rose is a rose", ["none", "rope"])  # doctest: +SKIP
    """
    style.needed()
    said = words.split() if isinstance(words, str) else list(checks.listed("words", words, "words"))
    if not 2 <= len(said) <= MOST_WORDS or not all(isinstance(word, str) for word in said):
        raise InputError(
            "E_SIZE", "words", f"words must be 2 to {MOST_WORDS}, so that each can be read, got {len(said)}"
        )
    picked = checks.choices("encodings", encodings, ATTENDED)
    if not 0 < len(picked) <= matrices.MOST_TILES:
        raise InputError("E_SIZE", "encodings", f"encodings must be 1 to {matrices.MOST_TILES}, got {len(picked)}")
    vocabulary = list(dict.fromkeys(said))
    vectors = (
        3 * noise(len(vocabulary), checks.even_width("dim", dim), seed=5)[[vocabulary.index(word) for word in said]]
    )
    made = [attended(vectors, name) for name in picked]
    with style.canvas(ax, theme, 6.6, alone=False) as ax:
        columns = min(3, len(picked))
        rows = -(-len(picked) // columns)
        style.as_high(ax, rows / columns * 1.12 if rows > 1 else 1 / columns - 0.05 * (1 - 1 / columns))
        parts = style.panels(ax, rows, columns, gap=0.05, rise=3.4 / math.sqrt(rows))
        scale = (0.0, max(float(matrix.max()) for matrix in made))
        for k, (part, name, matrix) in enumerate(zip(parts, picked, made)):
            image = matrices.draw(part, matrix, scale=scale, aspect="equal", numbers=False)
            part.set_title(name)
            part.set_xticks(range(len(said)), said, rotation=90)
            part.set_yticks(range(len(said)), said if k % columns == 0 else [""] * len(said))
        for part in parts[len(picked) :]:
            part.remove()
        matrices.bar(ax, image, "weight")
        text = f"The words “{' '.join(said)}”, and how much each attends to every other: {', '.join(picked)}. "
        return style.titled(ax, "", text + "Without an encoding equal words have equal weights wherever they stand.")


def attended(vectors: Any, name: str) -> Any:
    """The weights of attention of vectors with themselves under an encoding."""
    make: Any = {key: entry.function for key, entry in catalogue.ENTRIES.items()}
    count, dim = vectors.shape
    q = k = vectors
    bias = None
    if name == "sinusoidal":
        q = k = make["add"](vectors, make["sinusoidal"](count, dim))
    elif name == "rope":
        q = k = make["rope"](vectors, count, pairing="half")
    elif name == "alibi":
        bias = make["alibi"](2, count, count, mode="symmetric")[0]
    elif name == "t5_bias":
        bias = make["t5_bias"](buckets({}, 1) / 4, count, count, bidirectional=True)[0]
    elif name == "relative_bias":  # the word before attracts, its neighbours do not
        bias = make["relative_bias"](np.array([[-1.0], [2.0], [0.0], [-1.0]]), count, count, sign="key-query", low=-2,
                                     high=1)[0]  # fmt: skip
    return make["attention"](q, k, None, bias=bias, outputs="weights")
