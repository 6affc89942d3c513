"""Finding the cases: every public module in a folder of `cases` is a suite, whose cases are its CASES."""

from __future__ import annotations

import importlib
import pkgutil
from fnmatch import fnmatchcase
from functools import cache

from .. import catalogue, checks
from ..arithmetic import formats
from ..errors import InputError, InputTypeError, nearest, shown
from ..guard import guarded
from .case import TIER_NAMES, Case, TierName
from .cases import __path__ as SUITES
from .flags import FLAGS
from .run import arguments_of, outputs_of
from .starter import STARTER


@guarded
def suite_names() -> list[str]:
    """Names of the suites, sorted.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> "rope" in suite_names()
    True
    """
    return list(_modules())


@cache
def _modules():
    """{suite: its module}, sorted; the folders are read once, because `cases` is called for single cases, often."""
    files = [info for info in pkgutil.walk_packages(SUITES, f"{__package__}.cases.") if not info.ispkg]
    found = {info.name.rpartition(".")[2]: info.name for info in files}
    return {name: found[name] for name in sorted(found) if not name.startswith("_")}  # _models serves several suites


def module_of(suite):
    """The module whose CASES are those of a suite."""
    return importlib.import_module(_modules()[suite])


@guarded
def cases(suite: str | None = None, tier: TierName | None = None, flag: str | None = None) -> list[Case]:
    """The golden cases as records, in the order of their suites; each filter may be left out.

    Parameters
    ----------
    suite : str, optional
        Name of a suite.
    tier : {'starter', 'core', 'extended', 'full'}, optional
        "core", "extended" or "full", or "starter": some twenty small cases of the core tier, to begin with.
    flag : str, optional
        Name of a flag that the cases have.

    Returns
    -------
    list of Case
        Records.

    Raises
    ------
    InputError
        E_CHOICE for a suite, tier or flag that is unknown.

    Notes
    -----
    A record has id, suite, about, arguments, inputs, flags, tier, source and refusal (None, or code and argument of the
    error that is expected). `load(id)` gives the arrays.

    Examples
    --------
    >>> [case.id for case in cases("rope", flag="PartialRotary")][0]
    'rope/gpt-j-256-64'
    """
    names = suite_names()
    if suite is not None:
        checks.choice("suite", suite, names, "refpos list")
    for name, value, known in (("tier", tier, TIER_NAMES), ("flag", flag, sorted(FLAGS))):
        if value is not None:
            checks.choice(name, value, known)
    return [
        case
        for name in names
        if suite in (None, name)
        for case in module_of(name).CASES
        if (tier is None or is_of(case, (tier,))) and (flag is None or flag in case.flags)
    ]


def is_of(case, tiers):
    """Whether a case is of one of the tiers."""
    return case.tier in tiers or ("starter" in tiers and case.id in STARTER)


def matching(members, forms=None, dtype=None):
    """Those of the cases whose id is one of the forms, and whose outputs are of the dtype, each where it is given."""
    return [
        case
        for case in members
        if (forms is None or any(fnmatchcase(case.id, form) for form in forms))
        and (dtype is None or (not case.refusal and output_dtype(case) == dtype))
    ]


def chosen(members, forms=None, dtype=None):
    """Those of the cases whose id is one of the forms, as "rope/gpt-*", and whose outputs are of the dtype; each form
    must be that of a case, and a case must be left."""
    kind = dtype_name(dtype)
    for form in forms or ():
        if not any(fnmatchcase(case.id, form) for case in members):
            like = nearest(form, [case.id for case in members], 2)
            known = f"did you mean {', '.join(like)}?" if like else "`refpos list` names the suites"
            sentence = f"cases must be ids of cases to write ({known}), or patterns of them, got {shown(form, 60)}"
            raise InputError("E_CHOICE", "cases", sentence)
    left = matching(members, forms, kind)
    if forms == []:
        raise InputError("E_CHOICE", "cases", "cases must hold an id or a form of ids, got an empty list")
    if not left:
        raise InputError("E_CHOICE", "dtype", f"dtype must be that of a case that is chosen, got {shown(dtype)}")
    return left


def dtype_name(dtype):
    """The name of a dtype of outputs, which may be int64."""
    return dtype if dtype is None or (isinstance(dtype, str) and dtype == "int64") else formats.resolve(dtype).name


def output_dtype(case):
    """The dtype of a case's outputs, by which cases are filtered: int64 where all of them are integers."""
    entry = catalogue.find(case.suite)
    asked = None if case.refusal or entry.whole or entry.is_vjp else arguments_of(case).get("dtype")
    if asked or entry.whole or case.refusal:
        return asked or "int64"
    if entry.is_vjp:  # each gradient has the dtype of its argument
        held = [case.inputs.get(name.removeprefix(catalogue.GRADIENT)) for name in entry.outputs]
    else:  # the result has the dtype of an array, or its own
        held = [case.inputs.get(entry.copies or "x", case.inputs.get("x"))]
    kinds = [one.dtype for one in held if one] or [one.dtype for one in outputs_of(case).values()]
    return next((kind for kind in kinds if kind != "int64"), "int64")


def some_of(name, names):
    """`names_of` of "suites" or "cases", of which there is at least one where they are given."""
    names = names_of(name, names)
    if names is not None and not names:
        sentence = f"{name} must name at least one {name.removesuffix('s')}, or be None for all, got []"
        raise InputError("E_CHOICE", name, sentence)
    return names


def names_of(name, names):
    """A list of names or patterns, of which one may stand alone; None stays."""
    if names is None or isinstance(names, str):
        return names if names is None else [names]
    names = checks.listed(name, names, "names", "E_CHOICE")
    if not all(isinstance(one, str) for one in names):
        raise InputTypeError("E_CHOICE", name, f"{name} must be a list of names, got {shown(names)}")
    return names
