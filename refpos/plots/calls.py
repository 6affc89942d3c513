"""From a name and keywords to the numbers of a picture: the call of the catalogue, with an example's arguments for
those that it needs and that are not given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import catalogue, checks, foreign
from ..errors import InputError, InputTypeError, nearest, shown
from ..steps.angles.frequencies import Frequencies
from ..steps.positions.exact_positions import read_positions

MOST_NUMBERS = 2**24
SIZES = ("positions", "dim", "num_heads", "query_len", "key_len", "height", "width", "frames", "length", "bits",
         "query_positions", "key_positions", "rows", "features")  # fmt: skip


class Call(NamedTuple):
    """A call that was made: the entry of the catalogue, all its arguments, and what it returned."""

    entry: catalogue.Entry
    arguments: dict[str, Any]
    result: Any


def called(name: str, given: Mapping[str, Any]) -> Call:
    """The result of a function of the catalogue; what the call lacks comes from its example."""
    entry = catalogue.ENTRIES[name]
    given = entry.current(given)
    for keyword in given:
        if keyword not in entry.parameters:
            like = nearest(keyword, list(entry.parameters)) or list(entry.parameters)[:5]
            known = f"an argument of {name}, such as {', '.join(like)}"
            raise InputError("E_CHOICE", keyword, f"keywords must each be {known}, got {shown(keyword)}")
    arguments = dict(given)
    if not set(entry.required) <= set(given):
        arguments = {**example(name), **arguments}
    for keyword, value in arguments.items():
        if keyword not in given and callable(value):  # what follows from the others
            arguments[keyword] = _followed(keyword, value, arguments, given)
    check_size(arguments)
    result = entry.function(**arguments)
    return Call(entry, {keyword: readable(keyword, value) for keyword, value in arguments.items()}, result)


def readable(name: str, value: Any) -> Any:
    """An argument as a picture reads it: numbers of NumPy and other libraries are those of Python, arrays are NumPy's,
    in lists too."""
    if type(value) in (list, tuple) and not {*map(type, value)} <= {int, float, str, bool}:
        return type(value)(readable(name, one) for one in value)
    if isinstance(value, Frequencies) or not (isinstance(value, (np.ndarray, np.generic)) or foreign.is_foreign(value)):
        return value
    array = checks.widened(name, value)
    return array.item() if array.ndim == 0 and array.dtype.kind in "biuf" else array


def places(name: str, positions: Any, axes: int) -> list[Any]:
    """Positions of so many axes as lists of the numbers that they are."""
    found = checks.widened(name, positions)
    read_positions(found, name)
    if found.ndim != axes:
        wanted = "a list of positions" if axes == 1 else "a list of pairs"
        raise InputTypeError("E_SHAPE", name, f"{name} must be {wanted}, got {shown(positions)}")
    return found.tolist()


def _followed(keyword, value, arguments, given):
    """What follows from the other arguments, where they are such that something does."""
    try:
        return value(arguments)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        told = ", ".join(f"{name}={shown(one)}" for name, one in given.items())
        sentence = f"keywords must be values for which the picture can make {keyword}, got {told}"
        raise InputError("E_CHOICE", next(iter(given), keyword), sentence) from error


def check_size(arguments: Mapping[str, Any]) -> None:
    """Refuse sizes that multiply to more numbers than a picture is worth."""
    sizes = {key: int(arguments[key]) for key in SIZES if isinstance(arguments.get(key), (int, np.integer))}
    sizes = {key: size for key, size in sizes.items() if size > 1}
    if math.prod(sizes.values()) > MOST_NUMBERS:
        told = ", ".join(f"{key}={shown(size)}" for key, size in sizes.items())
        sentence = f"sizes must multiply to at most {MOST_NUMBERS} for a picture, which draws 512 rows, got {told}"
        hint = "; positions may be a list of those to draw" if "positions" in sizes else ""
        raise InputError("E_TOO_LARGE", max(sizes, key=lambda key: sizes[key]), sentence + hint)


def example(name: str) -> dict[str, Any]:
    """The arguments of a picture: those written down for it, else of the golden case that is best seen."""
    from .examples import EXAMPLES

    if name in EXAMPLES:
        return dict(EXAMPLES[name]())
    from ..golden import run

    case = telling_case(name)
    arrays = {key: tensor.values for key, tensor in run.inputs_of(case).items()}
    arguments = {key: run.argument(value) for key, value in case.arguments.items()}
    if catalogue.ENTRIES[name].family == "frequencies":
        arguments.pop("dtype", None)
    return {**arrays, **arguments}


def telling_case(name):
    """The golden case of a function whose first output is largest among those of up to 4096 numbers in float64 or
    int64, whole and finite."""
    from ..golden import cases
    from ..golden.read import DATA, open_suite

    best, most = None, -1
    shapes = {entry["id"]: entry.get("outputs", {}) for entry in open_suite(DATA, name).document["cases"]}
    for case in cases(name):
        outputs = list(shapes.get(case.id, {}).values())
        sizes = [int(np.prod(output["shape"], dtype=np.int64)) for output in outputs]
        wide = all(output["dtype"] in ("float64", "int64") for output in outputs[:1])
        odd = any(word in flag for flag in case.flags for word in ("Infin", "NaN", "Subnormal", "Overflow", "Large"))
        if outputs and wide and not odd and most < max(sizes) <= 4096:
            best, most = case, max(sizes)
    return best or next(case for case in cases(name) if not case.refusal)


def table_of(result: Any) -> Any:
    """The array of a result of which a picture is made: the first of several, the frequencies as they are."""
    if isinstance(result, (Frequencies, np.ndarray)) or not isinstance(result, tuple):
        return result
    return result[0]


Maker = Callable[[dict[str, Any]], Any]
