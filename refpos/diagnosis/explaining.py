"""What is said of wrong numbers: the wrong call that gives them; else what the part of them is that is off; else what
was measured of all of them."""

from __future__ import annotations

from collections.abc import Collection

from ..conformance import CLASSES
from ..measure.scoring.score_parts import PARTS
from . import search
from .error_places import one_value
from .explanation import MEASURED, Explanation
from .measurements.measured import Measured, explained_by, measured, subject_of
from .measurements.measured_angles import measured_angles
from .measurements.measured_axes import measured_axes
from .measurements.measured_entries import measured_entries
from .measurements.measured_layers import measured_layer
from .measurements.measured_log_coordinates import measured_log_coordinates
from .measurements.measured_pairs import measured_pairs
from .measurements.measured_places import measured_places
from .measurements.measured_profiles import measured_profile
from .measurements.measured_rows import measured_rows
from .measurements.measured_running import measured_running
from .measurements.measured_scores import measured_scores
from .measurements.measured_sums import measured_sums
from .measurements.measured_tail import measured_tail
from .measurements.measured_terms import measured_terms
from .measurements.one_kind_off import of_one_kind
from .narrower import Done
from .regions import of_all, of_region
from .trial import Trial

PER_SUITE = 8  # failing cases of a suite that are explained
MOST = 64  # and of all suites
LARGEST = 1 << 18  # elements of a case that is


def explained(trials):
    """{id: Explanations} of the failing cases {id: Trial} that are tried, evenly spread over each suite."""
    suites = {}
    for id, trial in trials.items():
        if trial.size <= LARGEST:
            suites.setdefault(trial.call.suite, []).append(id)
    found = {}
    for id in _spread([id for ids in suites.values() for id in _spread(ids, PER_SUITE)], MOST):
        # the mistakes of cases before it first: mostly there is one
        likely = {one.mistake for explanations in found.values() for one in explanations} - {MEASURED}
        found[id] = (likely and explanations(trials[id], likely)) or explanations(trials[id])
    return found


def _spread(items, most):
    """So many of the items at most, evenly spread, the first and the last among them."""
    count = min(most, len(items))
    return [items[k * (len(items) - 1) // max(1, count - 1)] for k in range(count)]


def explanations(trial: Trial, names: Collection[str] | None = None) -> tuple[Explanation, ...]:
    """What the answers of a trial are, the likeliest first: wrong calls, or those of some mistakes; else one
    measurement; nothing where nothing can be measured."""
    running = measured_running(trial) if names is None else None
    if running is not None:  # in no bounds of a call, so that the search would be long and find nothing
        return (_told(trial, running),)
    found = search.explanations(trial, names)
    return found if found or names is not None else _not_found(trial)


def explanations_after(
    trial: Trial, done: Done, met: tuple[str, float] | None, before: float
) -> tuple[Explanation, ...]:
    """The same of answers that were brought into the expected shape and format, with what was done to them; met: the
    class that they meet now, and the largest error. before: that in the format that was asked for."""
    found = search.explanations_after(trial, done, met, before)
    return found or tuple(search.after(one, done, before) for one in _not_found(trial))


def _not_found(trial):
    """The explanations of what no search finds: a measurement that a call verifies, else calls with another array, else
    what was measured."""
    found = _measured(trial)
    if found and found[0].met:
        return found
    return search.of_arrays(trial) or found or _elsewhere(trial)


def _elsewhere(trial):
    """One `Explanation` of entries of an axis that hold those of others, of coordinates, sums or places, or
    none."""
    kinds = (_by_rows, measured_entries, measured_log_coordinates, measured_sums, measured_places)
    found = next(filter(None, (measure(trial) for measure in kinds)), None)
    return () if found is None else (_told(trial, found),)


def _by_rows(trial):
    """The `Measured` of a bias whose rows have other distances; else None."""
    return measured_profile(trial.call, trial.answered, by_rows=True)


def _measured(trial):
    """One `Explanation` of what was measured, or none."""
    found = _found(trial)
    if found is None:
        return ()
    return (_told(trial, found),)


def _told(trial, found):
    """The `Explanation` of a measurement, with the number of elements and their error."""
    found = explained_by(found) if isinstance(found, Measured) else found
    return found._replace(elements=trial.size, error_before=search.error_of(trial))


def _found(trial):
    """The `Measured` of all that is off, or the `Explanation` of a part; None where nothing can be measured."""
    tail = measured_tail(trial)
    if tail is not None:
        return tail
    alone = of_one_kind(trial)
    if alone is not None:
        return alone
    subject = subject_of(trial)
    whole = _whole(trial, subject)
    part = _of_kinds(trial, subject, whole)
    if part is None and not (whole is not None and whole.met):
        part = of_all(trial)
    part = part or _of_part(trial, whole)
    return part or whole or measured_terms(trial) or _one_value(trial)


def _of_kinds(trial, subject, whole):
    """The `Measured` of what has no reading that a call verifies; None where there is none."""
    if whole is not None and whole.met:
        return None
    found = None if subject is None else measured_angles(trial, subject)
    if found is None and subject is not None and not (whole and whole.named):
        found = measured_pairs(trial, subject)
    return found or measured_profile(trial.call, trial.answered) or measured_layer(trial) or measured_rows(trial)


def _of_part(trial, whole):
    """The `Explanation` of the part that is off; None where the whole is said better."""
    # positions of one rule that jump are those of some rows
    rows_too = whole is None or not whole.met or whole.of_positions
    if not rows_too and whole.named:
        return None
    region = of_region(trial, rows_too)
    return None if region is None or _is_weaker(region, whole) else region


def _one_value(trial):
    """The `Measured` of answers that are one number, or NaN, all over; else None."""
    told = one_value(trial)
    return Measured(told, "more than one number", named=True) if told else None


def _is_weaker(region, whole):
    """Whether a region with the rest beside it meets a weaker class than one call of everything."""
    order = list(CLASSES)
    if whole is None or not whole.met:
        return False
    return not region.met or order.index(region.met) > order.index(whole.met)


def _whole(trial, subject):
    """What all of the numbers are."""
    if trial.call.suite in PARTS:
        return measured_scores(trial)
    return measured_axes(trial) if subject is None else measured(subject)
