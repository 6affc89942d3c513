"""Comparisons that cannot tell right numbers from wrong ones: no test passes by them alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence

from .met import Met
from .noticing import Comparison, listened, notice


class Untold(Met):
    """Why a comparison cannot tell whether the numbers are right; false, so that `assert case.check(...)` fails."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


def untold(subject: str, sentence: str, classes: tuple[str, ...], count: int) -> Untold:
    """What a comparison of `count` elements returns that cannot be told.

    The plugin skips a test that has no other; where it is not loaded, a test of pytest is skipped at once.
    """
    __tracebackhide__ = True
    why = f"{subject}: cannot be told: {sentence}"
    notice(subject, "cannot be told", classes, why)
    if not listened() and "PYTEST_CURRENT_TEST" in os.environ and "pytest" in sys.modules:
        sys.modules["pytest"].skip(why)
    return Untold(why, count, count)


def reason_to_skip(comparisons: Sequence[Comparison], cases: Collection[str]) -> str:
    """Why a test that took these cases has shown nothing: of one of them, or of all that it compared, nothing can be
    told; else nothing."""
    told = {one.subject for one in comparisons if not one.untold}
    silent = [one for one in comparisons if one.untold and one.subject not in told]
    return next((one.untold for one in silent if one.subject in cases or not told), "")
