"""Other values of arguments: every choice and flag as the types of the parameters say them, and numbers that are often
confused. A new encoding brings its mistakes with it."""

from __future__ import annotations

import itertools
import typing
from functools import lru_cache, partial
from typing import get_args, get_origin

from .. import catalogue
from .mistake import Mistake

#: arguments that say where and how a result is returned, not what it is
NOT_TRIED = ("dtype", "out", "threads", "view", "frequencies", "outputs")
#: {argument: values that code has in its place}
NUMBERS = {
    "num_buckets": (16, 32, 64, 320),
    "max_distance": (20, 64, 128, 256, 512, 800),
    "max_bias": (8, 4, 16),
    "downscale_freq_shift": (0, 1),
    "position_scale": (1,),
    "scale_base": (512,),
    "times_pi": (1, 2),
    "max_period": (10000, 1000, 100000),
    "query_step": (1, 2),
    "softcap": (50, 30),
}
#: numbers in the place of None or of a choice
NUMBERS_TOO = {"factor": (1, 2), "softcap": (50, 30)}
#: sizes of the axes of a grid
SIZES = ("frames", "height", "width")


def other_choices(call):
    """The call with one flag, choice or number of another value, or with the sizes of two axes exchanged."""
    for name, value, other in alternatives(call.suite, call.arguments):
        yield replaced(name, value, other)
    for name, values in NUMBERS.items():
        value = call.arguments.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            near = [value * 2, value / 2 if isinstance(value, float) or value % 2 else value // 2]
            yield from (replaced(name, value, other) for other in _others(value, (*values, *near)))
    for name in NUMBERS_TOO.keys() & catalogue.find(call.suite).parameters.keys():
        value = call.arguments.get(name)
        if value is None or isinstance(value, str):
            for other in NUMBERS_TOO[name]:
                left_out = f" ({value} left out)" if name == "factor" and other == 1 else ""
                yield replaced(name, value, other, note=left_out)
    yield from _fewer_buckets(call)
    yield from _axes_exchanged(call)
    yield from _counted_from_zero(call)
    yield from _lists_in_another_order(call)


def _fewer_buckets(call):
    """A table of which the first buckets alone are used."""
    table = call.tensors.get("weight")
    if "num_buckets" not in catalogue.find(call.suite).parameters or table is None:
        return
    rows = len(table.values)
    for count in dict.fromkeys((16, rows // 2)):
        if 1 < count < rows:
            text = f"num_buckets={count}, the first {count} rows of the table"
            fewer = partial(_cut_table, count=count)
            yield Mistake("num_buckets", text, f"num_buckets={rows}", fewer, rare=True)


def _cut_table(call, count):
    table = call.tensors["weight"]
    return call.given(weight=table._replace(values=table.values[:count])).change(num_buckets=count)


def replaced(name, value, other, rare=False, note=""):
    """The mistake of another value of an argument; note: what that is."""
    text = f"{name}={other!r}{note}"
    return Mistake(name, text, f"{name}={value!r}", lambda call: call.change(**{name: other}), rare=rare)


def _others(value, values):
    return [other for other in dict.fromkeys(values) if other != value and other >= 0]


def alternatives(function, arguments):
    """(name, value, another value) of the arguments of a function that are flags or choices."""
    defaults = catalogue.find(function).defaults
    for name, values in _choices(function).items():
        if name in NOT_TRIED or (name not in arguments and name not in defaults):
            continue
        value = arguments.get(name, defaults.get(name))
        known = [other for other in values if type(other) is not type(value) or other != value]
        yield from ((name, value, other) for other in known)


@lru_cache(maxsize=256)
def _choices(function):
    """{parameter: its values} of the flags and choices of a function."""
    hints = typing.get_type_hints(catalogue.find(function).function)
    values = {name: tuple(_values(hint)) for name, hint in hints.items()}
    return {name: known for name, known in values.items() if known}


def _values(hint):
    if hint is bool:
        return [False, True]
    if get_origin(hint) is typing.Literal:
        return get_args(hint)
    return [value for part in get_args(hint) for value in _values(part)] if get_origin(hint) is typing.Union else []


def _axes_exchanged(call):
    """The sizes of a grid, exchanged in pairs."""
    held = [name for name in SIZES if isinstance(call.arguments.get(name), int)]
    for one, other in itertools.combinations(held, 2):
        first, second = call.arguments[one], call.arguments[other]
        if first != second:
            text = f"{one} and {other} exchanged"
            asked = f"{one}={first}, {other}={second}"
            yield Mistake(
                "sizes", text, asked, lambda call, s=(one, second), f=(other, first): call.change(**dict([s, f]))
            )


def _counted_from_zero(call):
    """The coordinates of a grid counted from 0 on every axis, where they are given."""
    given = {name: _coordinates(call, name) for name in SIZES}
    counts = {name: len(values) for name, values in given.items() if values is not None}
    if any(list(given[name]) != list(range(count)) for name, count in counts.items()):
        text = "coordinates counted from 0 on every axis (offsets ignored)"
        yield Mistake("offset", text, "a grid with offsets", lambda call: _with_sizes(call, counts))


def _coordinates(call, name):
    """The coordinates of an axis, where a call has more than their number."""
    values = call.tensors[name].values if name in call.tensors else call.arguments.get(name)
    return values if isinstance(values, (list, tuple, range)) or getattr(values, "ndim", 0) == 1 else None


def _with_sizes(call, counts):
    left = {name: tensor for name, tensor in call.tensors.items() if name not in counts}
    return call._replace(tensors=left).change(**counts)


def _lists_in_another_order(call):
    """Sections, widths and bases of axes in another order."""
    for name in ("sections", "widths", "base"):
        value = call.arguments.get(name)
        if isinstance(value, (list, tuple)) and 1 < len(value) <= 4 and all(isinstance(n, (int, float)) for n in value):
            for order in itertools.permutations(value):
                if order != tuple(value):
                    yield replaced(name, value, type(value)(order) if type(value) is list else order)
