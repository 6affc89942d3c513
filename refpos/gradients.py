"""Vector-Jacobian products of the functions that train, or are trained through."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import catalogue
from .errors import InputError, shown
from .guard import guarded
from .types import Array, ArrayLike


@guarded
def vjp(function: Callable[..., Any], /, *args: Any, cotangent: ArrayLike, **arguments: Any) -> dict[str, Any]:
    """Vector-Jacobian product: the gradients of a scalar for the arguments of a function, from that for its result.

        gradient[i] = sum_j cotangent[j] d function(...)[j] / d argument[i]

    Parameters
    ----------
    function : function
        `rope`, `learned` or another of the functions that docs/gradients.md lists.
    *args : Any
        Arguments of the function by position.
    cotangent : array_like
        Gradient of the scalar for the result, of the shape and dtype of the result; uint16 are bit patterns of bfloat16
        where the function reads its arguments so.
    **arguments : Any
        Arguments of the function by name, all but `out`.

    Returns
    -------
    dict
        {argument: gradient} of each argument that trains or is trained through, in the shape and dtype of the argument,
        each element the exact value rounded once; of scores, attention and `fire` in float64, in the order of
        docs/gradients.md, then rounded once. Arguments of integers are left out.

    Raises
    ------
    InputError
        E_CHOICE (function; outputs, a list), E_SHAPE and E_DTYPE (cotangent), E_OUT (out), E_TOO_LARGE, and what the
        function itself raises.

    Notes
    -----
    Other sums are exact, whatever the order of their terms: a row that is read several times has the exact sum of its
    cotangents, rounded once; a sum that is 0, also one of no terms, is +0. Each NaN is the positive quiet one.

    Examples
    --------
    >>> import numpy as np
    >>> from refpos.tables import learned
    >>> vjp(learned, np.zeros((3, 1)), [2, 0, 2], cotangent=np.array([[0.5], [1.0], [0.25]]))
    {'weight': array([[1.  ],
           [0.  ],
           [0.75]])}
    """
    entry = _differentiable(function)
    try:
        bound = inspect.signature(entry.function).bind(*args, **entry.current(arguments))
    except TypeError as error:
        raise TypeError(f"{entry.name}: {error}") from None
    given = dict(bound.arguments)
    out = given.pop("out", None)
    if out is not None:
        raise InputError("E_OUT", "out", f"out must be left out of a gradient, got {type(out).__name__}")
    gradients: dict[str, Array] = entry.vjp.function(cotangent=cotangent, **given)
    return gradients


def differentiable() -> list[str]:
    """The functions that `vjp` takes, as they are called: "refpos.rope".

    >>> "refpos.rope" in differentiable()
    True
    """
    return [entry.public for entry in catalogue.ENTRIES.values() if entry.gradients]


def _differentiable(function):
    """The entry of a function that has gradients."""
    name = catalogue.name_of(function)
    entry = catalogue.ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None or entry.function is not function or not entry.gradients:
        got = entry.public if entry is not None and entry.function is function else shown(function)
        sentence = f"function must be one of {', '.join(differentiable())}, got {got}"
        raise InputError("E_CHOICE", "function", sentence)
    return entry
