"""Comparison of what other code computed with what a function of refpos gives for the same arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import catalogue, checks, foreign
from ..diagnosis.call import as_data
from ..diagnosis.reading import format_of, takes_dtype_of_answers
from ..errors import InputTypeError, shown
from ..golden import run
from ..golden.case import Case
from ..guard import guarded
from ..steps.angles.frequencies import Frequencies
from ..tensor_files import Tensor, tensor
from ..types import ClassName, Pairing
from .arrays import by_name
from .judging import hold
from .met import Met

_WHERE_ONLY = ("out", "threads", "view")  # say where and how a result is made, not what it is
_ARRAYS = ("ArrayLike", "PositionsLike")  # annotations of arguments for which a list is an array


@guarded
def assert_matches(
    actual: Any, function: Callable[..., Any], /, *args: Any, at_least: ClassName | None = None, **arguments: Any
) -> Met:
    """Compare what other code computed with function(*args, **arguments).

    Parameters
    ----------
    actual : array_like
        Numbers to be judged, as in `TestCase.check`.
    function : callable
        One of refpos, such as `refpos.rope`.
    *args : arguments
        Arguments of the call, arrays of other libraries among them; where they give no dtype, it is that of actual.
        Frequencies are those that a function of refpos made, or the call that makes them, {"function": "llama3",
        "arguments": {...}}.
    at_least : str, optional
        The class that must be met, or a stricter one; None: any of the call.
    **arguments : keywords
        Arguments of the call by keyword.

    Returns
    -------
    str
        The strictest class that is met, or an `Untold` as in `TestCase.check`.

    Raises
    ------
    AssertionError
        Where no class is met: it says how far off the numbers are and which wrong call gives them.
    InputError
        E_CHOICE, E_DTYPE, E_MISSING, E_SHAPE for what cannot be read and for arguments that the function refuses, and
        what the function itself raises.

    Examples
    --------
    >>> import numpy as np, refpos
    >>> assert_matches(np.float32([[1, 0], [0.5403023, 0.84147096]]), refpos.rope, np.float32([[1, 0]] * 2), 2,
    ...     pairing="half")
    'correct'
    """
    __tracebackhide__ = True
    entry = _entry_of(function)
    bound = inspect.signature(function).bind(*args, **entry.current(arguments))
    tensors, plain = {}, {}
    for name, value in bound.arguments.items():
        if name in _WHERE_ONLY or (value is None and name not in entry.required):
            continue
        listed = any(kind in str(entry.parameters[name].annotation) for kind in _ARRAYS)
        if isinstance(value, Frequencies):
            plain[name] = as_data(value, is_given=True)
        elif _is_array(value) or (listed and isinstance(value, (list, tuple))):
            tensors[name] = tensor(value, name)
        else:
            plain[name] = _plain(name, value)
    if plain.get("dtype") == "bfloat16" and "x" in tensors and entry.defaults.get("dtype") is None:
        del plain["dtype"]  # which says that x holds bit patterns, and the tensor says so itself
    if takes_dtype_of_answers(entry, plain):
        plain["dtype"] = format_of(by_name(actual, entry.outputs_of(plain)))
    call = Case(f"{entry.name}/call", "", plain, dict(tensors), (), "core", {})  # its defaults are those of any case
    of = entry.name, run.arguments_of(call), tensors
    return hold(entry.name, of, run.results(*of), actual, at_least)


@guarded
def assert_rope(
    actual: Any, x: Any, positions: Any, *, pairing: Pairing, at_least: ClassName | None = None, **arguments: Any
) -> Met:
    """Compare what other code made of x with `refpos.rope(x, positions, pairing=..., **arguments)`.

    It is `assert_matches` of that call.

    Parameters
    ----------
    actual : array_like
        Numbers to be judged, as in `TestCase.check`.
    x : array_like
        Queries or keys, as in `refpos.rope`.
    positions : int or array_like
        Positions, as in `refpos.rope`.
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair, as in `refpos.rope`.
    at_least : str, optional
        The class that must be met, or a stricter one; None for any of the call.
    **arguments : keywords
        Further arguments of `refpos.rope`.

    Returns
    -------
    str
        The strictest class that is met, or an `Untold`, as in `assert_matches`.

    Raises
    ------
    AssertionError
        Where no class is met.
    InputError
        As `assert_matches`: E_CHOICE, E_DTYPE, E_MISSING, E_SHAPE and what `refpos.rope` raises.

    Examples
    --------
    >>> import numpy as np
    >>> assert_rope(np.float32([[1, 0], [0.5403023, 0.84147096]]), np.float32([[1, 0]] * 2), 2, pairing="half")
    'correct'
    """
    __tracebackhide__ = True
    rope = catalogue.find("rope").function
    return assert_matches(actual, rope, x, positions, pairing=pairing, at_least=at_least, **arguments)


def _entry_of(function):
    name = catalogue.name_of(function)
    entry = catalogue.ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None or entry.function is not function:
        sentence = f"function must be one of the catalogue of refpos, such as refpos.rope, got {shown(function)}"
        raise InputTypeError("E_CHOICE", "function", sentence)
    return entry


def _is_array(value):
    return isinstance(value, (Tensor, np.ndarray)) or foreign.is_foreign(value)


def _plain(name, value):
    """An argument that is not an array; of dtypes of torch their names."""
    checks.nesting(name, value)
    if name == "dtype":
        return str(value).removeprefix("torch.") if "torch" in str(value) else value
    return value
