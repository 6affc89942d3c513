"""Measurements in words, and calls as Python writes them."""

from __future__ import annotations

import numpy as np

from ..public import dotted

SHOWN = 4  # runs of positions, and frequencies, that are written out
LISTED = 12  # positions that a call lists
GIVEN = "found.positions"  # what a call takes that does not list them


def number(value):
    """A number to six digits, an integer as one."""
    value = float(value) + 0.0  # no -0
    return f"{value:.0f}" if value == np.rint(value) and abs(value) < 1e15 else f"{value:.6g}"


def runs(indices):
    """Indices as runs: "3, 40..47"."""
    indices = np.asarray(indices, np.int64)
    if not len(indices):
        return "none"
    cuts = np.flatnonzero(np.diff(indices) != 1) + 1
    parts = [(part[0], part[-1]) for part in np.split(indices, cuts)]
    told = [f"{first}" if first == last else f"{first}..{last}" for first, last in parts[: 2 * SHOWN]]
    return ", ".join(told) + (f" and {len(parts) - len(told)} more runs" if len(parts) > len(told) else "")


def several_of(word, indices, plural=None):
    """Indices with the name of what they count: "head 3", "heads 0..2"."""
    return f"{word if len(indices) == 1 else plural or word + 's'} {runs(indices)}"


def frequencies_text(frequencies):
    """The first of some frequencies, or the one that all of them are."""
    alike = len(frequencies) and (frequencies == frequencies[0]).all()
    return f"frequency {number(frequencies[0])}" if alike else f"frequencies {several(frequencies)}"


def positions_text(positions):
    """Positions of one sequence as runs of one step: "0 .. 99, 0 .. 199"; NaN is a row without any angle."""
    told, start = [], 0
    while start < len(positions) and len(told) < SHOWN:
        stop = _end_of_run(positions, start)
        first, last = positions[start], positions[stop - 1]
        if stop - start == 1 or not np.isfinite(first):
            told.append(number(first) if np.isfinite(first) else f"unknown ({stop - start} rows)")
        elif first == last:
            told.append(f"{number(first)} ({stop - start} rows)")
        elif abs(positions[start + 1] - first) == 1:
            told.append(f"{number(first)} .. {number(last)}")
        else:
            told.append(f"{number(first)}, {number(positions[start + 1])} .. {number(last)}")
        start = stop
    return ", ".join(told) + (f", .. ({len(positions)} rows)" if start < len(positions) else "")


def _end_of_run(positions, start):
    """Where positions from a row on cease to have one step; a run of two needs a step of 0, 1 or -1."""
    if start + 1 >= len(positions):
        return len(positions)
    steps = np.diff(positions[start:])
    same = np.isclose(steps, steps[0], rtol=1e-6, atol=1e-9, equal_nan=True)
    if np.isnan(steps[0]):
        known = np.isfinite(positions[start:])
        return start + 1 if known[0] else start + (int(np.argmax(known)) if known.any() else len(known))
    length = len(steps) if same.all() else int(np.argmin(same))
    return start + length + 1 if length > 1 or abs(steps[0]) in (0, 1) else start + 1


def positions_argument(positions):
    """Positions of one sequence as an argument: a count, a range, a list; else the attribute that holds them."""
    count = len(positions)
    index = np.arange(count, dtype=np.int64)
    if (positions == index).all():
        return str(count)
    step = positions[1] - positions[0] if count > 1 else 0
    first = positions[0]
    if count > 2 and step and (positions == np.rint(positions)).all() and (positions == first + step * index).all():
        first, step = int(first), int(step)
        return f"np.arange({first}, {first + count * step}{'' if step == 1 else f', {step}'})"
    if count <= LISTED:
        return str([int(one) if one == int(one) else float(one) for one in positions.tolist()])
    return GIVEN


def rule_text(recipe):
    """The rule of some frequencies."""
    function, given = recipe["function"], dict(recipe["arguments"])
    dim, base = given.pop("dim", None), given.pop("base", None)
    exponent = f"base {number(base)}, exponent 2i/{dim}" if base is not None else ""
    if function == "inverse_frequencies":
        return exponent
    if function in ("sinusoidal", "timestep_embedding"):
        return _table_rule(function, recipe["arguments"])
    if function == "linear":
        return f"{exponent}, frequencies divided by {number(given['factor'])}"
    if function == "proportional":
        share = given["partial_rotary_factor"]
        divided = f", divided by {number(given['factor'])}" if "factor" in given else ""
        return f"{exponent}{divided}, frequency 0 after {round(share * dim / 2)} of {dim // 2} pairs"
    if function == "given_frequencies":
        return f"frequencies {several(given['inv_freq'])} of no rule that is known"
    if function == "yarn" and given.get("factor") == 1:  # the gain is said beside the rule
        return exponent
    told = ", ".join(f"{name} {_argument(value)}" for name, value in given.items())
    return f"{exponent}, {function} scaling ({told})"


def _argument(value):
    """An argument of a scaling, a list by its first numbers."""
    return f"[{several(value)}]" if isinstance(value, (list, tuple)) else value


def _table_rule(function, given):
    """The rule of a table of sines and cosines."""
    dim = given["dim"] - (given["dim"] % 2 if given.get("odd") == "pad" else 0)
    base, half = given.get("base", given.get("max_period")), (dim + 1) // 2
    exponent, scale = f"2i/{dim}", given.get("position_scale", given.get("scale"))
    if function == "timestep_embedding":
        half = dim // 2
        shift = given["downscale_freq_shift"]
        exponent = f"i/{number(half - shift)}"
    elif given.get("endpoint"):
        exponent = f"i/{half - 1}"
    first = "" if scale in (None, 1) else f", first frequency {known_factor(scale, dim)}"
    zeros = f", zeros at position {given['zero_row']}" if "zero_row" in given else ""
    return f"base {number(base)}, exponent {exponent}{first}{zeros}"


def several(values):
    """The first of some numbers."""
    told = ", ".join(number(one) for one in values[:SHOWN])
    return told + (", .." if len(values) > SHOWN else "")


def frequencies_call(recipe):
    """The call that makes frequencies."""
    given = dict(recipe["arguments"])
    first = [repr(given.pop(name)) for name in ("dim", "inv_freq") if name in given]
    return f"{dotted(recipe['function'])}({', '.join(first + [f'{name}={value!r}' for name, value in given.items()])})"


def known_factor(value, dim):
    """A factor, with what it is of the width beside it."""
    known = {"1/{}": 1 / dim, "2/{}": 2 / dim, "sqrt({})": np.sqrt(dim), "1/sqrt({})": 1 / np.sqrt(dim)}
    told = [text.format(dim) for text, one in known.items() if abs(value / one - 1) <= 1e-5]
    return number(f"{value:.4g}") + (f" ({told[0]})" if told and abs(value - 1) > 1e-5 else "")


def table_call(recipe, positions, fmt):
    """The call of a table of sines and cosines."""
    given = dict(recipe["arguments"])
    words = [positions, repr(given.pop("dim")), *(f"{name}={value!r}" for name, value in given.items())]
    return f"{dotted(recipe['function'])}({', '.join(words)}, dtype={fmt!r})"


def gains_text(angles, word="gain"):
    """The gain of pairs and rows of `Angles`: one, or those of the first and the last."""
    gains, of_rows, unit = angles.gains, angles.rows_of_gain, angles.unit
    known = gains[np.isfinite(gains)]
    if not len(known):
        return f"{word} unknown"
    middle = float(np.median(known))
    rows = of_rows[np.isfinite(of_rows)]
    for several, what in ((known, f"{word}s"), (rows, f"{word}s of rows")):
        if np.abs(several - middle).max(initial=0.0) > max(0.01, 8 * angles.of_format) * middle:
            return f"{what} {number(f'{several[0]:.4g}')} .. {number(f'{several[-1]:.4g}')}"
    if abs(middle - 1) <= 8 * unit:
        return f"{word} 1"
    return f"{word} {known_factor(middle, 2 * len(gains)) if word == 'factor' else number(f'{middle:.4g}')}"
