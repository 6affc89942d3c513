"""x in fewer bits than it has, as a cast before the rotation leaves it."""

from __future__ import annotations

from functools import partial

from ..arithmetic import formats
from ..measure.held_format import in_format
from .call import ROUNDED, stored
from .emulated import other_arithmetic
from .mistake import Mistake
from .numbers import as_numbers
from .places import NARROWER, held


def rounded_x(call):
    """The call with x rounded to a format that does not hold it; where the result is rounded too, in the arithmetic of
    programs as well."""
    x = call.tensors.get("x")
    if x is None or x.dtype not in formats.FORMATS:
        return
    for kind in NARROWER:
        if in_format(x, kind) is not None:
            continue
        cast = Mistake("precision", f"x rounded to {kind}", f"x of {x.dtype}", partial(_cast, kind=kind))
        yield cast
        if call.arguments.get(ROUNDED) == kind:
            yield from (cast.then(other)._replace(rare=True) for other in other_arithmetic(call))


def _cast(call, kind):
    """x rounded to a format and widened again."""
    x = call.tensors["x"]
    return call.given(x=stored(held(as_numbers(x, x), kind), formats.FORMATS[x.dtype]))
