"""The golden cases with values that are not large."""

from functools import cache
from math import prod

from refpos import golden

MOST_NUMBERS = 2000  # in the inputs of a case


@cache
def short_cases():
    """{suite: its core cases with values and few input numbers}, suites in alphabetical order."""
    found = {}
    for case in golden.cases(tier="core"):
        if not case.refusal and sum(prod(values.shape) for values in case.inputs.values()) <= MOST_NUMBERS:
            found.setdefault(case.suite, []).append(case)
    return dict(sorted(found.items()))
