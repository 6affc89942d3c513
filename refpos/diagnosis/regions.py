"""The part of an answer that is off, found by the bounds of the call alone, and what that part is."""

from __future__ import annotations

import itertools

import numpy as np

from ..conformance import CLASSES
from ..measure.scoring.score_parts import PARTS
from ..measure.wording import number
from ..tensor_files import Tensor
from . import judge, search
from .attention_rows import of_queries
from .error_places import all_of, axis_word, is_one, named
from .explanation import MEASURED, Explanation
from .measurements.measured import explained_by, measured, readings_of, subject_of
from .measurements.measured_profiles import measured_profile
from .measurements.measured_scores import measured_scores
from .numbers import as_numbers
from .places import place_of
from .region import Region, pairs_of_regions, regions_of
from .region_contents import MOST_ENTRIES, contents_of
from .trial import REFUSED, Trial

LARGEST = 1 << 22  # elements that are looked at
FEW = 4  # elements that are off and are listed
TRIED = 2  # regions that are looked into


def of_region(trial: Trial, rows: bool = True, narrowed: int | None = None) -> Explanation | None:
    """What is off in the part of the answers that is off, where the rest is within the bounds of the call; else None.
    rows: whether that part may be rows, and not heads or batch rows only; narrowed: an axis of which the trial has some
    entries, whose numbers there are not those of the answers."""
    shapes = {tensor.values.shape for tensor in trial.outputs.values()}
    if trial.size > LARGEST:
        return None
    off = trial.beyond
    if sum(int(one.sum()) for one in off.values()) <= FEW < trial.size // 8:
        return _elements(trial, off)
    if len(shapes) > 1:
        return None
    anywhere = np.any(list(off.values()), axis=0)
    regions = [
        one
        for one in sorted(regions_of(anywhere), key=lambda one: one.share)
        if one.axis != narrowed and _may(trial, one, anywhere, rows)
    ]
    measured_only = None
    for region in regions[: TRIED + 1]:
        found = _constant(trial, region, off) or _beside_others(trial, region, off)
        parts = [] if found is None else [(region, found)]
        if found is None and _is_part(trial, region, anywhere.ndim, rows):
            parts = _of_entries(trial, region)
        found = None if parts else _frequencies(trial, region)
        parts = parts or ([] if found is None else [(region, found)])
        told = _joined(trial, parts) if parts else None
        if told and told.met:
            return told
        measured_only = measured_only or told
    return (_of_two(trial, anywhere) if rows and narrowed is None else None) or measured_only


def of_all(trial: Trial, what: str = "the result") -> Explanation | None:
    """The `Explanation` of answers that are all as many times as large or moved by one number; else None. what: what
    the answers are called."""
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    if trial.size > LARGEST or not shape:
        return None
    every = Region(0, np.arange(shape[0], dtype=np.int64), shape[0])
    off = {name: np.ones(one.values.shape, bool) for name, one in trial.outputs.items()}
    found = contents_of(trial, every, off, None)
    return found and found._replace(computed=f"{what} {found.computed}", asked=what)


def _joined(trial, parts):
    """One `Explanation` of the (region, explanation) of parts, beside which the rest is judged by the bounds."""
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    off = np.any([region.mask(shape) for region, _ in parts], axis=0)
    met = _met_beside(trial, dict.fromkeys(trial.outputs, off))
    for _, found in parts:
        met = _weaker(found.met, met)
    computed = "; ".join(f"{_told(trial, region)}: {found.computed}" for region, found in parts)
    asked = ", and ".join(dict.fromkeys(found.asked for _, found in parts))
    kinds, errors = [found.mistake for _, found in parts], [found.error_after for _, found in parts]
    error = None if None in errors else max(errors)
    mistake = MEASURED if MEASURED in kinds else kinds[0]
    return parts[0][1]._replace(mistake=mistake, computed=computed, asked=asked, met=met, error_after=error)


def _of_entries(trial, region):
    """[(region, explanation)] of a region, or of a few entries each, where these are not alike; [] without one."""
    found = _of_one(trial, region)
    if found is not None:
        return [(_from_the_first(trial, region, found), found)]
    if not 1 < len(region.entries) <= MOST_ENTRIES or axis_word(trial, region.axis) == "row":
        return []
    alike, parts = {}, []
    for entry in region.entries.tolist():
        found = _of_one(trial, region._replace(entries=np.array([entry], np.int64)))
        if found is None:
            return []
        alike.setdefault((found.computed, found.met), []).append((entry, found))
    for some in alike.values():
        entries, found = zip(*some)
        worst = max(found, key=lambda one: one.error_after or 0.0)
        parts.append((region._replace(entries=np.array(entries, np.int64)), worst))
    return parts


def _told(trial, region):
    """The entries of a region in words."""
    word, count = axis_word(trial, region.axis), len(region.entries)
    is_start = 1 < count == region.entries[-1] + 1 and "index" not in word
    return f"the first {count} {word}s" if is_start else named(word, region.chosen)


def _from_the_first(trial, region, found):
    """The region with the first entry of its axis, where that is as asked for with the mistake as well, as the position
    0 is that no mistake of a frequency rotates; else the region."""
    if found is None or found.mistake == MEASURED or region.entries[0] != 1:
        return region
    wider = region._replace(entries=np.concatenate([[0], region.entries]))
    part = _narrowed(trial, wider)
    again = () if part is None else search.explanations(part, {found.mistake})
    return wider if found.computed in [one.computed for one in again] else region


def _of_two(trial, off):
    """What is off in two regions, each explained where the other is not; else None."""
    for one, other in itertools.islice(pairs_of_regions(off), TRIED):
        parts = []
        for region, beside in ((one, other), (other, one)):
            part = _narrowed(trial, beside.rest)
            found = None if part is None else _of_one(part, region.without(beside))
            parts += [] if found is None else [(region, found)]
        if len(parts) == 2:
            return _joined(trial, parts)
    return None


def _elements(trial, off):
    """The elements that are off, each with its value and the one that is expected."""
    got, wanted = [], []
    for name, chosen in off.items():
        pair = [one[name]._replace(values=one[name].values[chosen]) for one in (trial.answered, trial.outputs)]
        answers, expected = (as_numbers(one, trial.outputs[name]).tolist() for one in pair)
        for index, answer, asked in zip(np.argwhere(chosen).tolist(), answers, expected):
            got.append(f"{name}[{', '.join(map(str, index))}] = {answer:.9g}")
            wanted.append(f"{asked:.9g}")
    if not got:
        return None
    return Explanation("elements", ", ".join(got), ", ".join(wanted), _met_beside(trial, off), 0, 0.0, 0.0)


def _is_part(trial, region, axes, rows):
    """Whether a region may be looked into: channels make pairs, and rows count only where they may."""
    sequence = trial.call.arguments.get("seq_axis", -2) % axes if axes > 1 else 0
    return (region.axis < axes - 1 or axes == 1) and (rows or region.axis != sequence)


def _may(trial, region, off, rows):
    """Whether a region may be looked at: columns by themselves, or what may be looked into."""
    return region.axis == off.ndim - 1 or _is_part(trial, region, off.ndim, rows)


def _beside_others(trial, region, off):
    """The `Explanation` of the numbers of a region beside what is expected of it, and of the others."""
    word = axis_word(trial, region.axis).split(": ")[-1]
    return contents_of(trial, region, off, lambda chosen: named(word, chosen))


def _frequencies(trial, region):
    """The `Explanation` of a few columns of a table by the frequencies that were measured in them; else None."""
    width = {tensor.values.shape[-1:] for tensor in trial.outputs.values()}
    subject = subject_of(trial)
    if subject is None or len(region.entries) > FEW or width != {(region.size,)}:
        return None
    found, asked = readings_of(subject) or (None, None)
    if found is None or not found.frequencies.size == asked.frequencies.size == region.size:
        return None
    got, wanted = (_numbers_text(one.frequencies[region.entries]) for one in (found, asked))
    told = Explanation(MEASURED, f"frequencies {got}", f"frequencies {wanted}", "", error_after=None)
    return None if got == wanted else told


def _numbers_text(values):
    """A few frequencies in a sentence."""
    return ", ".join(number(value) for value in values.tolist())


# -- the part that is off ---------------------------------------------------------------------------------------------


def _of_one(trial, region):
    """The `Explanation` of the answers of a region, by a wrong call of it or by measurement; None without one."""
    part = _narrowed(trial, region)
    found = () if part is None else search.of_one_mistake(part)
    if found:
        return found[0]
    subject = _subject(trial, region) if part is None else subject_of(part)
    if part is not None and part.call.suite in PARTS:
        read = measured_scores(part)
    else:
        read = None if subject is None else measured(subject)
    if read is None:
        read = measured_profile(trial.call, trial.answered, region.of)
    if read is None and part is not None and part.size < trial.size:
        return of_region(part, narrowed=region.axis)
    # rows and heads that are others are counted in the region
    if read is None or read.as_asked or (read.has_others and region.entries[-1] >= len(region.entries)):
        return None
    return explained_by(read)


def _constant(trial, region, off):
    """The `Explanation` of outputs that are one number throughout a region; None where one that is off is not."""
    told = []
    for name, expected in trial.outputs.items():
        if region.of(off[name]).any():
            values, wanted = (region.part({name: one[name]})[name] for one in (trial.answered, trial.outputs))
            if not is_one(values, expected) or is_one(wanted, expected):
                return None
            text = all_of(values, expected)
            told.append(text if len(trial.outputs) == 1 else f"{name}: {text}")
    return Explanation("one value", ", ".join(told), "more than one number", "correct", error_after=0.0)


def _narrowed(trial, region):
    """The trial of the entries of a region; None where no arrays of the call have them, bit for bit."""
    outputs, answered = region.part(trial.outputs), region.part(trial.answered)
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    inputs = _taken_inputs(trial, region, shape)
    positions = ({}, *_taken_positions(trial.call, region)) if inputs else _taken_positions(trial.call, region)
    calls = (of_queries(trial.call, region), *(trial.call.given(**inputs, **more) for more in positions))
    for call in filter(None, calls):
        try:
            made = call.outputs()
        except REFUSED:
            continue
        if all(_same(made[name], tensor) for name, tensor in outputs.items()):
            return Trial(call, outputs, answered)
    return None


def _taken_inputs(trial, region, shape):
    """The entries of the arrays of a call that have the shape of its outputs."""
    tensors = trial.call.tensors.items()
    return {name: one._replace(values=region.of(one.values)) for name, one in tensors if one.values.shape == shape}


def _taken_positions(call, region):
    """The entries of the positions of a call, along each axis that is as long."""
    name, tensor = place_of(call) or ("", None)
    for axis in range(tensor.values.ndim) if name else ():
        if tensor.values.shape[axis] == region.size:
            yield {name: tensor._replace(values=region.of(tensor.values, axis))}


def _subject(trial, region):
    """What is read of a region whose call is not known."""
    whole = subject_of(trial)
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    if whole is None or any(not isinstance(one, Tensor) or one.values.shape != shape for one in whole.inputs.values()):
        return None
    inputs = {name: one._replace(values=region.of(one.values)) for name, one in whole.inputs.items()}
    return whole._replace(inputs=inputs, answered=region.part(whole.answered), outputs=region.part(whole.outputs))


def _same(one, other):
    return one.values.shape == other.values.shape and one.values.tobytes() == other.values.tobytes()


# -- the rest ---------------------------------------------------------------------------------------------------------


def _met_beside(trial, off):
    """The strictest class that answers meet beside those that are off; nothing where there is none."""
    kept = {}
    for name, expected in trial.outputs.items():
        answer = trial.answered[name]
        if (answer.dtype, answer.values.dtype) != (expected.dtype, expected.values.dtype):
            return ""
        kept[name] = answer._replace(values=np.where(off[name], expected.values, answer.values))
    met = judge.met_by_all(judge.reports_of(trial.call, trial.outputs, kept))
    return met[0] if met else ""


def _weaker(one, other):
    """The weaker of two classes; nothing where one is nothing."""
    return max(one, other, key=list(CLASSES).index) if one and other else ""
