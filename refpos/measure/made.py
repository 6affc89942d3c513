"""Results of functions in a format, also in bfloat16, for which NumPy has no dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def made_in(fmt: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a function gives in a format; bfloat16 as bit patterns, which need an array to go to."""
    if fmt != "bfloat16":
        return function(*given, **named, dtype=fmt)
    shapes = function(*given, **named, dtype="float16")  # the same ones
    return function(*given, **named, dtype=fmt, out=patterns(shapes))


def patterns(results: Any) -> Any:
    """Arrays for bit patterns in the shapes of the results."""
    if isinstance(results, tuple):
        return tuple(map(patterns, results))
    return np.empty(results.shape, np.uint16)
