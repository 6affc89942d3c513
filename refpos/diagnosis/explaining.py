"""What is said of wrong numbers: the wrong call that gives them; else what the part of them is that is off; else what
was measured of all of them."""

from __future__ import annotations

from collections.abc import Collection

from ..measure.scoring.score_parts import PARTS
from . import search
from .explanation import MEASURED, Explanation
from .measurements.measured import explained_by, measured, subject_of
from .measurements.measured_angles import measured_angles
from .measurements.measured_axes import measured_axes
from .measurements.measured_layers import measured_layer
from .measurements.measured_profiles import measured_profile
from .measurements.measured_rows import measured_rows
from .measurements.measured_scores import measured_scores
from .measurements.measured_terms import measured_terms
from .narrower import Done
from .regions import of_region
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
    found = search.explanations(trial, names)
    return found if found or names is not None else _measured(trial)


def explanations_after(
    trial: Trial, done: Done, met: tuple[str, float] | None, before: float
) -> tuple[Explanation, ...]:
    """The same of answers that were brought into the expected shape and format, with what was done to them; met: the
    class that they meet now, and the largest error. before: that in the format that was asked for."""
    found = search.explanations_after(trial, done, met, before)
    return found or tuple(search.after(one, done, before) for one in _measured(trial))


def _measured(trial):
    """One `Explanation` of what was measured, or none."""
    before = search.error_of(trial)
    subject = subject_of(trial)
    whole = _whole(trial, subject)
    rounded = None if subject is None or (whole and whole.met) else measured_angles(trial, subject)
    if rounded is not None:
        return (explained_by(rounded)._replace(elements=trial.size, error_before=before),)
    if whole is None or not whole.met:
        profile = measured_profile(trial.call, trial.answered) or measured_layer(trial) or measured_rows(trial)
        if profile is not None:
            return (explained_by(profile)._replace(elements=trial.size, error_before=before),)
    # positions of one rule that jump are those of some rows
    rows_too = whole is None or not whole.met or whole.of_positions
    if rows_too or not whole.named:
        region = of_region(trial, rows_too)
        if region is not None:
            return (region._replace(elements=trial.size, error_before=before),)
    whole = whole or measured_terms(trial)
    return () if whole is None else (explained_by(whole)._replace(elements=trial.size, error_before=before),)


def _whole(trial, subject):
    """What all of the numbers are."""
    if trial.call.suite in PARTS:
        return measured_scores(trial)
    return measured_axes(trial) if subject is None else measured(subject)
