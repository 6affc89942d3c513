"""Finding the cases: every module in `cases` is a suite, and its CASES are the cases of that suite."""

from __future__ import annotations

import importlib
import pkgutil

from .. import checks
from .case import TIERS, Case, Tier
from .cases import __path__ as SUITES  # with this file: its name in `golden` then goes to the function below
from .flags import FLAGS


def suite_names() -> list[str]:
    """Names of the suites, sorted.

    >>> "rope" in suite_names()
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules(SUITES))


def cases(suite: str | None = None, tier: Tier | None = None, flag: str | None = None) -> list[Case]:
    """The golden cases as records, in the order of their suites; each filter may be left out.

    A record has id, suite, about, arguments, inputs, flags, tier, source and refusal (None, or code and argument of the
    error that is expected). `load(id)` gives the arrays.

    Raises E_CHOICE for a suite, tier or flag that is unknown.

    >>> [case.id for case in cases("rope", flag="PartialRotary")][0]
    'rope/gpt-j-256-64'
    """
    names = suite_names()
    for name, value, known in (("suite", suite, names), ("tier", tier, TIERS), ("flag", flag, sorted(FLAGS))):
        if value is not None:
            checks.choice(name, value, known)
    return [
        case
        for name in names
        if suite in (None, name)
        for case in importlib.import_module(f"{__package__}.cases.{name}").CASES
        if tier in (None, case.tier) and (flag is None or flag in case.flags)
    ]
