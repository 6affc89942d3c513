"""Names of measurements: what one reading is of another one, by its positions, frequencies, gain and arguments."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np

from ...measure.grouped import NEARLY
from .measured_positions import factor, named_positions

CLOSE = 5e-4  # by which measured frequencies may be off
SAME = 1e-2  # by which measurements may differ that are those that are asked for
SAME_GAIN = 1e-2  # by which gains of pairs, each measured by itself, may differ
DECIMALS = range(2, 7)  # to which frequencies may have been written down
OF_PAIRS = "frequencies of "  # before runs of pairs with factors of their own
RUN = 3  # pairs whose frequencies have one factor that is said
#: arguments that are frequencies and are said as such
OF_FREQUENCIES = ("frequencies", "base", "max_period", "scale")


def names_of(found, asked):
    """What one `Reading` is of another one, in words: its positions, frequencies, gain, and other arguments."""
    ratio = _ratio_of_units(found, asked)
    if ratio is not None:
        found = replace(found, positions=found.positions * ratio, frequencies=found.frequencies / ratio)
    positions, frequencies = named_positions(found, asked), named_frequencies(found, asked)
    positions = _next_pairs(positions, asked) or positions
    named = [text for text in (positions, frequencies, named_gain(found, asked)) if text]
    return [*named, *other_arguments(found.call, asked.call)]


def is_same(found, asked):
    """Whether frequencies and positions of two readings are the same as far as they are measured, and the gain too."""
    pairs = [(found.frequencies, asked.frequencies), (found.positions, asked.positions), (found.gains, asked.gains)]
    alike = all(one.shape == other.shape and np.allclose(one, other, rtol=SAME, atol=SAME) for one, other in pairs)
    return alike and max(_drift(found.frequencies, *pairs[1]), _drift(found.positions, *pairs[0])) <= SAME


def is_near(found, asked):
    """Whether other frequencies change the angles of the rows so little that each pair is looked at by itself."""
    one, other, positions = found.frequencies, asked.frequencies, found.positions
    if one.shape != other.shape or not one.size or not np.isfinite(positions).any():
        return True
    off = np.sqrt(np.nanmean((one - other) ** 2)) if np.isfinite(one).any() else np.inf
    return bool(off * np.nanmedian(np.abs(positions)) <= NEARLY)


def _drift(factors, one, other):
    """The largest angle that two arrays give that differ, times the largest of some factors."""
    return float(np.abs(one - other).max(initial=0.0) * np.abs(factors).max(initial=0.0))


def in_other_units(found, asked):
    """Whether the positions of two readings are the same, in units that differ by their first frequencies."""
    ratio = _ratio_of_units(found, asked)
    return ratio is not None and not named_positions(replace(found, positions=found.positions * ratio), asked)


def _ratio_of_units(found, asked):
    """The factor of the first frequencies of two tables whose positions differ too; None where one of these is the
    same."""
    alike = found.kind == asked.kind == "sinusoidal table" and found.positions.shape == asked.positions.shape
    if not alike or not (found.frequencies[:1] > 0).any() or not (asked.frequencies[:1] > 0).any():
        return None
    ratio = float(found.frequencies[0] / asked.frequencies[0])
    same = np.allclose(found.positions, asked.positions, rtol=CLOSE, equal_nan=True)
    return None if same or abs(ratio - 1) <= CLOSE else ratio


def _next_pairs(positions, asked):
    """Positions times the frequency of the second pair, said as frequencies; else nothing."""
    times = re.fullmatch(r"positions times (\S+)( \(.*\))?", positions)
    if times is None or asked.frequencies.ndim != 1 or asked.frequencies.size < 2:
        return ""
    told = _times(float(times[1]), asked.frequencies)
    return told if told.startswith("exponents") else ""


def other_arguments(call, asked):
    """The keywords that one call of a function, as Python writes it, has and another one has not."""
    one, other = (keywords(text) for text in (call, asked))
    if not one or not other or one[0] != other[0]:
        return []
    values = {name: value for name, value in one[1].items() if name not in OF_FREQUENCIES}
    return [f"{name}={value}" for name, value in values.items() if other[1].get(name) != value]


def keywords(call):
    """(function, {keyword: value as it is written}) of the first call in a line of Python; None where there is none."""
    nodes = [] if call is None else [node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call)]
    if not nodes:
        return None
    return ast.unparse(nodes[0].func), {one.arg: ast.unparse(one.value) for one in nodes[0].keywords if one.arg}


# -- frequencies ------------------------------------------------------------------------------------------------------


def named_frequencies(found, asked):
    """What the frequencies of one `Reading` are of those of another one, in words; nothing where they are the same or
    have no name."""
    got, wanted = found.frequencies, asked.frequencies
    known = found.kind == asked.kind and got.ndim == 1 and got.shape == wanted.shape and len(got) > 1
    if not known or not np.isfinite(got).all() or not (wanted > 0).all() or not (got > 0).all():
        return ""
    places = next((k for k in DECIMALS if (got == np.round(wanted, k)).all() and (got != wanted).any()), None)
    if places is not None:
        return f"frequencies rounded to {places} decimals"
    if _alike(got, wanted):
        return ""
    ratio = float(np.median(got / wanted))
    if _alike(got, ratio * wanted):
        return _times(ratio, wanted)
    for text, values in _other_frequencies(wanted / wanted[0]):
        if _alike(got, values * wanted[0]):
            return text
    return "frequencies in another order" if _alike(np.sort(got), np.sort(wanted)) else _of_runs(got / wanted)


def _other_frequencies(wanted):
    """(what was done, the frequencies that it gives) of frequencies of which the first is 1."""
    yield "frequencies in reverse order", wanted[::-1]
    yield "frequencies not inverted", 1 / wanted
    yield "exponents doubled (frequencies squared)", wanted * wanted
    yield "exponents halved (square roots of the frequencies)", np.sqrt(wanted)


def _of_runs(ratio):
    """The factors of runs of pairs that have one, in words; nothing where fewer than half of them do."""
    told, start, count = [], 0, 0
    while start < len(ratio):
        alike = np.abs(ratio[start:] / ratio[start] - 1) <= CLOSE
        length = len(alike) if alike.all() else int(np.argmin(alike))
        if length >= RUN:
            same = abs(ratio[start] - 1) <= CLOSE
            told.append(
                f"pairs {start}..{start + length - 1} {'as asked' if same else f'times {factor(ratio[start])}'}"
            )
            count += length
        start += length
    return f"{OF_PAIRS}{', '.join(told)}" if 2 * count >= len(ratio) else ""


def _alike(one, other):
    """Whether two arrays of frequencies are the same as far as they are measured."""
    return bool((np.abs(one - other) <= CLOSE * np.abs(other)).all())


def _times(ratio, frequencies):
    """Frequencies times a factor, in words: those of the next pairs where it is the frequency of the second one."""
    inverse = 1 / ratio
    if abs(frequencies[1] / ratio - 1) <= CLOSE and abs(inverse - np.rint(inverse)) > CLOSE * inverse:
        return f"exponents from 1 (first frequency {ratio:.6g}, that of pair 1)"
    return f"frequencies times {factor(ratio)}"


# -- the gain ---------------------------------------------------------------------------------------------------------


def named_gain(found, asked):
    """What the gain of one `Reading` is of that of another one, in words; nothing where it is the same or none."""
    got, wanted = found.gains, asked.gains
    if found.kind != asked.kind or not got.size or not np.isfinite(got).all() or not np.isfinite(wanted).all():
        return ""
    one, other = float(np.median(got)), float(np.median(wanted))
    alike = np.abs(got - one).max() <= SAME_GAIN * abs(one) and np.abs(wanted - other).max() <= SAME_GAIN * abs(other)
    if not alike or not one or not other or abs(one / other - 1) <= SAME_GAIN:
        return ""
    return f"every number times {float(f'{one / other:.4g}'):g}{_of_width(one / other, 2 * len(got))}"


def _of_width(ratio, width):
    """What a factor is of the number of channels."""
    known = {f"sqrt({width})": np.sqrt(width), f"1/sqrt({width})": 1 / np.sqrt(width)}
    return next((f" ({text})" for text, value in known.items() if abs(ratio / value - 1) <= SAME_GAIN / 4), "")
