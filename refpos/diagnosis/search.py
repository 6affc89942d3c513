"""The search: which wrong call gives the numbers of an answer, one mistake at a time and then two, tried on a few rows
and claimed only when every element agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from ..conformance import CLASSES
from . import judge
from .eight_bits.eight_bit_results import of_8_bits
from .error_places import NOT_NUMBERS, one_value
from .estimate import estimated
from .explanation import Explanation
from .mistake import Mistake, same
from .mistakes import SOURCES, mistakes, mistakes_of_arrays
from .narrower import Done, of_fewer_bits
from .numbers import blocks
from .places import NAMES, short_cache
from .samples import rows_of
from .slopes import other_slopes
from .trial import REFUSED, Study, Trial

SMALL_ENOUGH = 1 << 20  # elements of a call without rows whose pairs of mistakes are tried
CHECKED = 16  # of the nearest wrong calls, how many are looked at closely
TIES = 4  # wrong calls that are equally far on the sample, of which one may hold everywhere
SHOWN = 4  # wrong calls that are checked on every element
ENOUGH = 1e-3  # of how far an answer is off, what two mistakes may leave so that no others are tried
PLACES = (*NAMES, "position scale", "precision")  # mistakes of positions
FAR = 0.1  # of how far an answer is off, what a wrong call leaves that need not be looked at beside a right one
EXACT, UNIT = map(list(CLASSES).index, ("correct", "faithful"))
NEARER = 0.9  # of how far an answer is off, how much a wrong call may leave


def explanations(trial: Trial, names: Collection[str] | None = None) -> tuple[Explanation, ...]:
    """The wrong calls, or those of some mistakes, whose numbers the answers are; the likeliest first."""
    found = _explanations(trial, names)
    if names is not None or _within_a_unit(found):
        return found
    # answers whose last bits are all 0 were computed in fewer bits, whatever else comes near them
    eight = of_8_bits(trial)
    if eight is not None:
        return explanations_after(trial, eight, ("correct", 0.0), error_of(trial))
    narrow = (explanations_of(*one, error_of(trial)) for one in of_fewer_bits(trial))
    return next(filter(None, narrow), found)


def explanations_of(trial, done, before):
    """The explanations of answers in their own format: what was done to them, and what else is wrong; before: the
    largest error in the format that was asked for."""
    judged = judge.reports_of(trial.call, trial.outputs, trial.answered)
    error = max(report.max_abs_error for _, report in judged.values())
    met = judge.met_by_all(judged)
    return explanations_after(trial, done, (met[0], error) if met else None, before)


def explanations_after(
    trial: Trial, done: Done, met: tuple[str, float] | None, before: float
) -> tuple[Explanation, ...]:
    """The explanations of answers that were brought into the expected shape and format, with what was done to them;
    met: the class that they meet now, and the largest error. before: that in the format that was asked for."""
    eight = of_8_bits(trial) if met is None else None
    if eight is not None:
        done, met = eight._replace(asked=done.asked), ("correct", 0.0)
    if met is not None:
        return (Explanation(*done, met[0], trial.size, before, met[1]),)
    return tuple(after(one, done, before) for one in _explanations(trial))


def after(one: Explanation, done: Done, before: float) -> Explanation:
    """An explanation and what was done to the result before; before: the largest error in the format asked for."""
    both = Done(one.mistake, one.computed, one.asked).then(done)
    return one._replace(**both._asdict(), error_before=before)


def of_one_mistake(trial: Trial) -> tuple[Explanation, ...]:
    """The wrong calls with one mistake whose numbers the answers are."""
    return _explanations(trial, alone=True)


def of_arrays(trial: Trial) -> tuple[Explanation, ...]:
    """The calls with another array whose numbers the answers are."""
    tried = {True: [], False: []}
    for one in mistakes_of_arrays(trial.call):
        tried[one.name == "kinds"].append(one)  # which a few rows tell; they have not all of an array
    return of_mistakes(trial, tried[True]) or of_mistakes(trial, tried[False], whole=True)


def of_mistakes(trial: Trial, tried: Iterable[Mistake], whole: bool = False) -> tuple[Explanation, ...]:
    """The wrong calls among some mistakes whose numbers the answers are; whole: compared in all rows from the first."""
    study = Study(trial)
    if whole:
        study.rows = None
    return _verified(study, _nearest(study, tried)) if study.baseline else ()


def _explanations(trial, names=None, alone=False):
    """The explanations in the format that the call asks for; alone: of one mistake."""
    study = Study(trial)
    # nothing is off, or nothing can be compared, or these are no numbers
    if not study.baseline or one_value(trial) == NOT_NUMBERS:
        return ()
    single = [one for one in mistakes(trial.call) if names is None or one.name in names]
    found = _verified(study, _nearest(study, [*single, *_of_rows(study, names)]))
    if found or names is not None:
        return found
    found = _explained(study, _estimates(study))
    if alone:
        return found
    if _within_a_unit(found) or (study.rows is None and trial.size > SMALL_ENOUGH):
        return found or _verified(study, _nearest(study, other_slopes(study)))
    # a number that comes near may stand for two mistakes that give every bit
    pairs = _verified(study, _nearest(study, _pairs(study, single), apart=True, enough=ENOUGH), apart=True)
    if _within_a_unit(pairs):
        return (*pairs, *found)
    return found or pairs or _verified(study, _nearest(study, other_slopes(study)))


def _within_a_unit(found):
    """Whether the first of explanations leaves no more than a unit in the last place."""
    return bool(found) and found[0].met in ("correct", "faithful")


def _of_rows(study, names):
    """The mistakes that the first wrong row hints at."""
    if names is not None or study.trial.call is None:
        return []
    off = study.off if study.rows is not None else _first_rows(study)
    if off is None or not off.any():
        return []
    return short_cache(study.trial.call, int(np.flatnonzero(off)[0]))


def _first_rows(study):
    rows = rows_of(study.trial.call, study.trial.outputs)
    if rows is None:
        return None
    other = Study(study.trial)
    other.rows = rows
    return other.off


def _nearest(study, tried, apart=False, enough=0.0):
    """The mistakes that come nearest to the answers on the sample; of those that are equally far, the first of all.

    apart: leave out what is as far as some before it, which mostly are the same call said in another way. enough: look
    no further then when one is so near, as a share of how far the answers are off, and every element meets a class.
    """
    limit = NEARER * study.baseline
    scored, seen = [], Counter()
    for mistake in tried:
        distance = study.distance(mistake)
        if distance is None or not distance < limit or (apart and seen[distance] >= TIES):
            continue
        seen[distance] += 1
        scored.append((distance, len(scored), mistake))
        near = apart and distance <= enough * study.baseline
        if near and study.met_on_sample(mistake) and study.judged(mistake):
            break
    scored.sort(key=lambda one: one[:2])
    return scored[:CHECKED]


def _estimates(study):
    """What holds every element of arguments whose value comes from the numbers: of each argument the value of the
    strictest class that has the fewest digits; of several such arguments those of fewer digits first."""
    found = []
    for group in estimated(study):
        digits = {mistake: count for count, mistake in group}
        nearest = _nearest(study, digits, apart=True)
        strictest = min((one[0] for one in _held(study, nearest[:SHOWN], apart=True)), default=None)
        for _, _, mistake in [] if strictest is None else sorted(nearest, key=lambda one: one[1]):
            judged = study.judged(mistake) if study.met_on_sample(mistake) else None
            if judged is not None and list(CLASSES).index(judged.met) <= strictest:
                found.append((strictest, digits[mistake], mistake, judged))
                break
    within = [one for one in found if one[0] <= UNIT]
    return sorted(within or found, key=lambda one: one[:2])


def _verified(study, nearest, apart=False):
    """The explanations among mistakes: those that hold every element, of the strictest class first; apart: one of those
    that are equally far."""
    return _explained(study, _each_argument_once(_held(study, nearest, apart)))


def _held(study, nearest, apart):
    """(number of the class, place, mistake, `Judged`) of the mistakes that hold every element, the strictest class
    first."""
    found, best, told = [], {}, set()
    for distance, place, mistake in nearest:
        if apart and distance in told:
            continue
        # beside a call within a unit in the last place, those far from it say nothing that a class would hold, and
        # beside one that gives every bit another number of the same argument says nothing at all
        alike = best.get(mistake.name, len(CLASSES))
        strictly = alike <= UNIT or (
            min(best.values(), default=len(CLASSES)) <= UNIT and distance > FAR * study.baseline
        )
        if len(found) >= SHOWN or (alike == EXACT and distance) or not study.met_on_sample(mistake, strictly):
            continue
        judged = study.judged(mistake, strictly)
        if judged is not None:
            found.append((list(CLASSES).index(judged.met), place, mistake, judged))
            best[mistake.name] = min(alike, found[-1][0])
            told.add(distance)
    return sorted(found, key=lambda one: one[:2])


def _explained(study, found):
    """The explanations of mistakes that hold every element."""
    before = error_of(study.trial) if found else 0.0
    return tuple(
        Explanation(one.name, one.computed, one.asked, judged.met, study.trial.size, before, judged.error)
        for _, _, one, judged in found
    )


def _each_argument_once(found):
    """Of several numbers of one argument the one of the strictest class, and of these the first, which has the fewest
    digits."""
    kept, seen = [], set()
    for one in found:
        argument, _, value = one[2].computed.rpartition("=")
        is_number = value.replace(".", "", 1).replace("e+", "").isdigit()
        key = argument if argument and is_number else one[2].computed
        kept += [] if key in seen else [one]
        seen.add(key)
    return kept


def error_of(trial):
    """The largest absolute difference between answers and what is expected."""
    largest = 0.0
    for name, expected in trial.outputs.items():
        for got, wanted in blocks(trial.answered[name], expected, expected):
            with np.errstate(all="ignore"):
                far = np.where(got == wanted, 0.0, np.abs(got - wanted))
            largest = max(largest, float(np.nan_to_num(far, nan=np.inf, posinf=np.inf).max(initial=0.0)))
    return largest


def _pairs(study, single):
    """Two mistakes: of the call and of its result, of two parts of the call, or of one part of it."""
    tried = [one for one in single if not one.rare and _is_a_call(study, one)]
    done = [one for one in tried if one.undo is not same]
    calls = [one for one in tried if one.undo is same]
    place = {one.computed: k for k, one in enumerate(calls)}
    kind = _kinds(study.trial.call)
    for first in done:
        yield from (second.then(first) for second in calls if second.name != first.name)
    for k, first in enumerate(calls):
        of_another_kind = (one for one in calls[k + 1 :] if kind.get(one.computed) != kind.get(first.computed))
        yield from (first.then(second) for second in of_another_kind if second.name != first.name)
    for first in calls:
        try:
            changed = first.change(study.call)
        except REFUSED:
            continue
        for second in mistakes(changed):
            plain = second.undo is same and not second.rare and second.name != first.name
            plain &= kind.get(second.computed, kind.get(first.computed)) == kind.get(first.computed)
            # what is done to positions matters in its order
            either = second.name in PLACES or place.get(second.computed, len(place)) > place[first.computed]
            if plain and either:
                yield first.then(second)
    for k, first in enumerate(done):
        yield from (first.then(second) for second in done[k + 1 :] if second.name != first.name)


def _kinds(call):
    """{what was computed: the number of the source of that mistake}."""
    return {one.computed: number for number, source in enumerate(SOURCES) for one in source(call)}


def _is_a_call(study, mistake):
    """Whether there is a call with that mistake, which is another one."""
    try:
        outputs = mistake.outputs(mistake.change(study.call))
    except REFUSED:
        return False
    if mistake.undo is not same:
        return True
    return any(
        outputs[name].values.shape != tensor.values.shape or outputs[name].values.tobytes() != tensor.values.tobytes()
        for name, tensor in study.expected.items()
        if name in outputs
    )
