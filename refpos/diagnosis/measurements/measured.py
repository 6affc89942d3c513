"""What answers are that no wrong call explains: read by themselves, beside what the call that is asked for gives."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

from ... import catalogue
from ...measure.copies.matched_rows import MASKED
from ...measure.frequency_rule import BASE_OF
from ...measure.named_inputs import DROPPED
from ...measure.panels import Panel, panels
from ...measure.placing import filled
from ...measure.read import OF_TABLE, READ, read
from ...measure.reading_result import Reading
from ...measure.resizing.linear_maps import MAPS
from ...measure.scoring.score_parts import PARTS
from ...measure.solving import asked_first
from ...measure.wording import frequencies_text, positions_argument, positions_text, several_of
from ...tensor_files import Tensor
from ...types import Array
from ..call import is_call
from ..explanation import MEASURED, Explanation
from ..places import numbers_of, place_of
from ..trial import REFUSED
from .measured_names import CLOSE, OF_PAIRS, SAME, in_other_units, is_near, is_same, names_of

#: arguments of tables that a rule names also where they are the defaults
OF_RULES = ("base", "layout", "max_period", "flip_sin_to_cos", "downscale_freq_shift")
NOT_OF_FREQUENCIES = ("dtype", "positions", "timesteps")
OF_UNITS = ("positions ", "first frequency ")  # clauses of positions and frequencies in other units
AS_ASKED = "the frequencies, positions and gain that are asked for, with larger errors"
MOST_RUNS = 3  # of pairs with other frequencies, that are told one by one
DIGITS = 9  # of positions that are counted on
IDS = "packed_positions"  # as which the ids of all functions of positions are read
UNREAD = ("unknown",)  # kinds of readings that say nothing of frequencies and positions


class Subject(NamedTuple):
    """Arrays to be read: the function they are read as, what it takes beside them, the answers and what is expected,
    by output; and the call that makes the frequencies with the positions, where the call that is asked for has them."""

    function: str
    inputs: dict[str, Any]
    answered: dict[str, Tensor]
    outputs: dict[str, Tensor]
    recipe: dict | None = None
    positions: Array | None = None


class Measured(NamedTuple):
    """What was measured, in words, and what is asked for in its place; the call that has the numbers and the class in
    which it has all of them, each empty where there is none; whether what was done has a name, whether nothing but
    positions differ, whether nothing does, but for errors, and whether rows or heads are said to be others."""

    computed: str
    asked: str
    call: str = ""
    met: str = ""
    named: bool = False
    of_positions: bool = False
    as_asked: bool = False
    has_others: bool = False


def subject_of(trial):
    """The `Subject` of a trial; None where its function is not read."""
    call = trial.call
    if call.suite not in READ:
        return _of_ids(trial)
    place = place_of(call)
    positions = None if place is None else numbers_of(place[1])
    return Subject(call.suite, _inputs_of(call), trial.answered, trial.outputs, _recipe_of(call), positions)


def _of_ids(trial):
    """The `Subject` of position ids whose function is not read by itself; None of anything else."""
    entry = catalogue.find(trial.call.suite)
    if entry.family != "positions" or len(trial.outputs) > 1:
        return None
    return Subject(IDS, {}, trial.answered, trial.outputs)


def _inputs_of(call):
    """{name: input} that `read` takes beside the numbers of a call."""
    if call.suite in PARTS or call.suite in MAPS:
        meant = {name: value for name, value in call.arguments.items() if name not in DROPPED and value is not None}
        return {**meant, **call.tensors}
    first = next((call.tensors[name] for name in ("x", "weight") if name in call.tensors), None)
    return {"x": first} if call.suite in ("rope", *OF_TABLE) else {}


def _recipe_of(call):
    """The call that makes the frequencies of a call, with its base; None where there is none."""
    made, given = call.arguments.get("frequencies"), call.arguments
    if is_call(made) and not any(map(is_call, made["arguments"].values())):
        base = {"base": catalogue.find(made["function"]).defaults.get("base")}
        known = {name: value for name, value in base.items() if value is not None}
        return {**made, "arguments": {**known, **made["arguments"]}}
    if made is not None:
        return None
    if call.suite == "rope":
        dim = given.get("rotary_dim", call.tensors["x"].values.shape[-1])
        return {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": _plain(given["base"])}}
    if call.suite not in BASE_OF:
        return None
    defaults = catalogue.find(call.suite).defaults
    arguments = {
        name: _plain(value)
        for name, value in given.items()
        if name not in NOT_OF_FREQUENCIES and (name in OF_RULES or name not in defaults or value != defaults[name])
    }
    return {"function": call.suite, "arguments": arguments}


def _plain(value):
    """An integer where a float is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def measured(subject):
    """The `Measured` of a `Subject`; None where the answers are read like what is expected, or not at all."""
    readings = readings_of(subject)
    return None if readings is None or _leaves_more(*readings, subject) else compared(*readings)


def _leaves_more(found, asked, subject):
    """Whether a rule of copied rows leaves out as many elements as are not those that are asked for."""
    if not found.outside or found.parts or not found.rows.size or found.rows.shape != asked.rows.shape:
        return False
    size = sum(one.values.size for one in subject.answered.values())
    left = (found.rows != MASKED).mean() - found.elements / size
    return bool(left >= (found.rows != asked.rows).mean())


def panels_of(trial) -> tuple[Panel, ...]:
    """What can be measured of the answers of a trial, as curves beside what is expected."""
    subject = subject_of(trial)
    readings = None if subject is None else readings_of(subject)
    return () if readings is None else panels(*readings)


def readings_of(subject):
    """The readings of the answers and of what is expected; None where one of them cannot be read."""
    try:
        with asked_first(subject.recipe, subject.positions):
            asked = read_subject(subject, subject.outputs)
        with asked_first(asked.recipe or subject.recipe, subject.positions):
            found = read_subject(subject, subject.answered)
    except REFUSED:
        return None
    if found.kind in UNREAD or asked.kind in UNREAD:
        return None
    return _told_of_zeros(found), _told_of_zeros(asked, subject.positions)


def _told_of_zeros(reading, asked=None):
    """A reading whose sentence has positions of rows of zeros, which any position gives: those that are asked for, else
    those that go on with their neighbours; of the others that they may be any."""
    got = reading.positions
    if got.ndim != 1 or not 0 < np.isnan(got).sum() < len(got):
        return reading
    rows = np.isfinite(got)
    known = asked is not None and asked.shape == got.shape and np.allclose(asked[rows], got[rows], rtol=SAME, atol=SAME)
    before, after = positions_text(got), positions_text(asked if known else filled(got, rows).round(DIGITS))
    if not known and after.count(",") >= before.count(","):  # in no run with their neighbours
        after = re.sub(r"unknown \((\d+) rows\)", r"any (\1 rows of zeros)", before)
    return replace(reading, summary=reading.summary.replace(f"positions {before}", f"positions {after}"))


def read_subject(subject, tensors):
    """The `Reading` of the outputs of a call."""
    given = dict(tensors) if len(tensors) > 1 else next(iter(tensors.values()))
    return read(given, catalogue.find(subject.function).function, **subject.inputs)


def compared(found: Reading, asked: Reading) -> Measured | None:
    """The measurement of one reading beside that of another; None where they differ in nothing that is known."""
    found = _of_one_row(found)
    got, wanted = differences(found.summary, asked.summary)
    names = names_of(found, asked)
    got = [_of_some_pairs(found, asked) or clause if clause.startswith("frequencies ") else clause for clause in got]
    if in_other_units(found, asked):
        got, wanted = ([one for one in clauses if not one.startswith(OF_UNITS)] for clauses in (got, wanted))
    if not (got or names) or not is_known(found) or not (names or is_anchored(found, asked)):
        return None
    if found.call is None and not names and is_same(found, asked):
        return Measured(AS_ASKED, "numbers within the bounds of a class", as_asked=True)
    computed = ": ".join(filter(None, (" and ".join(names), ", ".join(got))))
    computed += "".join(f"; {text}" for text in _others(found))
    computed += f", except {'; '.join(found.outside)}" if found.outside else ""
    of_positions = not names and all(clause.startswith("positions ") for clause in got)
    met = found.met if found.complete else ""
    of_pairs = all(name.startswith(OF_PAIRS) for name in names) and is_near(found, asked)
    named, has_others = bool(names) and not of_pairs, bool(found.parts or found.outside)
    told = computed, ", ".join(wanted), found.call or "", met or ""
    return Measured(*told, named, of_positions, has_others=has_others)


def _of_some_pairs(found, asked):
    """The frequencies of the pairs that have others than asked, run by run of pairs; nothing where no pair, all of
    them or too many runs have."""
    one, other = found.frequencies, asked.frequencies
    if found.kind != asked.kind or one.ndim != 1 or one.shape != other.shape:
        return ""
    off = np.flatnonzero(np.isfinite(one) & ~np.isclose(one, other, rtol=CLOSE, atol=0))
    parts = np.split(off, np.flatnonzero(np.diff(off) != 1) + 1)
    if len(parts) > MOST_RUNS or not 0 < len(off) < len(one):
        return ""
    return " and ".join(
        f"{frequencies_text(one[part])} of {several_of('pair', part)} (asked {frequencies_text(other[part])})"
        for part in parts
    )


def _of_one_row(found):
    """A reading of one row that is rotated by minus the angle, as that of a negative position."""
    if not found.inverse or found.positions.size != 1:
        return found
    before, after = found.positions.reshape(-1), -found.positions.reshape(-1)
    summary = found.summary.replace(", rotated by minus the angle", "")
    summary = summary.replace(f"positions {positions_text(before)}", f"positions {positions_text(after)}")
    call = None if found.call is None else found.call.replace(", inverse=True", "")
    call = call and call.replace(positions_argument(before), positions_argument(after), 1)
    return replace(found, summary=summary, call=call, positions=-found.positions, inverse=False)


def is_known(found):
    """Whether a reading has a call, or frequencies or positions that have been measured."""
    measured = np.isfinite(found.frequencies).any() or np.isfinite(found.positions).any()
    return bool(found.call is not None or found.kind == "copy" or measured)


def is_anchored(found, asked):
    """Whether a reading has a call, or the frequencies or the positions that are asked for: noise has neither, and fits
    some frequencies at some positions."""
    pairs = [(found.frequencies, asked.frequencies), (found.positions, asked.positions)]
    alike = (one.shape == other.shape and np.allclose(one, other, rtol=SAME, atol=SAME) for one, other in pairs)
    return found.call is not None or not (found.frequencies.size and found.positions.size) or any(alike)


def _others(found):
    """What parts of a reading are that are no more of the same at other positions."""
    for where, part in found.parts:
        if _is_in_other_units(part, found):
            continue
        got, _ = differences(part.summary, found.summary)
        got = [clause for clause in got if not clause.startswith("positions ")]
        if got:
            yield f"{where}: {', '.join(got)}"


def _is_in_other_units(part, found):
    """Whether the frequencies of a part are those of the whole up to a factor, at positions of the whole: the numbers
    of a few rows alone do not tell the factor."""
    one, other, known = part.frequencies, found.frequencies, found.positions[np.isfinite(found.positions)]
    if one.shape != other.shape or not len(known) or not (np.isfinite(one).all() and (other > 0).all()):
        return False
    ratio = float(np.median(one / other))
    if not np.allclose(one, ratio * other, rtol=CLOSE) or np.isclose(ratio, 1, rtol=CLOSE):
        return False
    places = part.positions[np.isfinite(part.positions)] * ratio
    apart = np.abs(places[:, None] - known.reshape(-1)).min(axis=1, initial=np.inf)
    return bool((apart <= CLOSE * np.maximum(1, np.abs(places))).all())


def explained_by(read: Measured) -> Explanation:
    """A measurement as an explanation."""
    return Explanation(MEASURED, read.computed, read.asked, read.met, error_after=None, call=read.call)


# -- sentences --------------------------------------------------------------------------------------------------------


def differences(found, asked):
    """The clauses of one summary that another one does not have, and those that stand in their place."""
    one, other = clauses(found), clauses(asked)
    got, wanted = [], []
    for kind, start, stop, from_, to in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if start == stop or from_ == to:  # beside the clause that both have, since nothing stands in its place
            start, from_ = max(0, start - 1), max(0, from_ - 1)
        got += one[start:stop]
        wanted += other[from_:to]
    return got, wanted


def clauses(summary):
    """The clauses of a summary: its parts at commas before a word, where they are in no parentheses."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(summary):
        depth += (letter in "([") - (letter in ")]")
        after = summary[place + 1 : place + 3]
        if letter == "," and not depth and len(after) == 2 and after[0] == " " and after[1].isalpha():
            parts.append(summary[start:place])
            start = place + 2
    return [*parts, summary[start:]]
