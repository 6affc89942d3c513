"""Every public function called with hostile values, one argument at a time, the others being those of a valid call.

Run as a program it makes the calls, under a limit on memory and on time, and writes what they came to as JSON:

    python tests/hostile.py REPORT SHARE        SHARE: one of so many calls, chosen by name; 1 for all of them
"""

import contextlib
import doctest
import inspect
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np

import refpos
from refpos import catalogue, claims, conformance, conversion, coordinates, golden, models
from refpos.diagnosis.call import array_of
from refpos.errors import InputError
from refpos.golden import run
from refpos.steps.waves import grids

SECONDS = 5
BYTES = 1 << 30
NO_TWIN = object()
LONGEST_MESSAGE = 1000
#: where the folders of examples are, until the process ends
FOLDER = tempfile.TemporaryDirectory()
#: a scalar in one of these is how many there are, or one of them, as it is an int or an array
COUNTS = ("positions", "position_ids", "query_positions", "key_positions", "*0", "*1", "*2")
#: made in every run, however small its share
ALWAYS = ("ragged list", "masked array", "with a mask", "object that raises", "10**5000")
#: lists of axes that may have different lengths
RAGGED = ("coordinates", "grid", "parts")
#: arrays whose elements are only moved
ANY_DTYPE = ("array", "old", "new")
#: functions of the caller, who hears their own errors
CALLED = ("table", "progress")
MODULES = (golden, models, conversion, coordinates, conformance, claims)


class Call(NamedTuple):
    """A valid call: where its arguments come from, and what they are; a function so that each call has fresh ones."""

    origin: str
    size: int
    arguments: Callable  # () -> (positional, by name)


class Hostile(NamedTuple):
    """A hostile value. twin: the plain value that it equals, or NO_TWIN. refused: whether no function may take it.
    huge: whether what it asks for may lack memory."""

    name: str
    value: object
    twin: object = NO_TWIN
    refused: bool = False
    huge: bool = False


# -- functions and their valid calls ----------------------------------------------------------------------------------


@cache
def functions():
    """{name: function} of everything public that is a function; classes are what functions return."""
    found = {name: getattr(refpos, name) for name in refpos.__all__}
    found |= {name: entry.function for name, entry in catalogue.ENTRIES.items()}
    for module in MODULES:
        names = getattr(module, "__all__", None) or [
            name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        ]
        found.update({f"{module.__name__[7:]}.{name}": getattr(module, name) for name in names if name[0] != "_"})
    found = {name: value for name, value in found.items() if inspect.isfunction(value)}
    return {**found, **{f"models.load({name})": load_of(name) for name in models.names()}}


def load_of(name):
    """`models.load` of one model as a function of its sizes."""

    def load(**sizes):
        return models.load(name, **sizes)

    load.__signature__ = inspect.signature(models.find(name).encoding)
    return load


def valid_calls(name):
    """The valid calls that are known of a function: its golden cases, its part in other cases, its docstring."""
    if name.startswith("models.load("):
        return [Call("the defaults of the model", 0, lambda: ((), {}))]
    return [*from_cases().get(functions()[name], ()), *from_docstring(name)]


@cache
def from_cases():
    """{function: [Call]} of all golden cases with values: the call of the suite, and those that make its arguments."""
    found = {}
    for case in golden.cases(tier="core"):
        arguments = run.arguments_of(case)
        if case.refusal or "bfloat16" in (arguments.get("dtype"), *(v.dtype for v in case.inputs.values())):
            continue
        size = sum(int(np.prod(v.shape)) for v in case.inputs.values()) + len(repr(arguments)) + _numbers(arguments)
        entry = catalogue.find(case.suite)
        if entry.family == "frequencies":
            arguments.pop("dtype", None)
        found.setdefault(entry.function, []).append(Call(case.id, size, _maker(case, arguments)))
        for value in arguments.values():
            _add_inner(found, case.id, value)
    return {function: sorted(calls, key=lambda call: call.size) for function, calls in found.items()}


def _numbers(value):
    """The integers below 10**7 of some arguments, added up: how large the result may be."""
    if isinstance(value, dict):
        return sum(map(_numbers, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers, value))
    return value if isinstance(value, int) and 0 < value < 10**7 else 0


def _maker(case, arguments):
    def make():
        tensors = {name: array_of(name, tensor) for name, tensor in run.inputs_of(case).items()}
        return (), {**tensors, **{name: run.argument(value) for name, value in arguments.items()}}

    return make


def _add_inner(found, origin, value):
    if isinstance(value, (list, tuple)):
        for one in value:
            _add_inner(found, origin, one)
    if not (isinstance(value, dict) and "function" in value):
        return
    name, inner = value["function"], value["arguments"]
    for one in inner.values():
        _add_inner(found, origin, one)
    if name == "grid":
        function = grids.grid

        def make():
            return tuple(run.argument(inner["coordinates"])), {}

    else:
        function = getattr(coordinates, name, None) or catalogue.find(name).function

        def make():
            return (), {key: run.argument(one) for key, one in inner.items()}

    found.setdefault(function, []).append(Call(f"{origin} ({name})", len(repr(inner)) + _numbers(inner), make))


@cache
def from_docstring(name):
    """The calls that the examples in its docstring make; folders that an example makes stay."""
    function = functions()[name]
    found = []

    def recorder(*positional, **by_name):
        found.append(Call(f"docstring of {name}", len(found), lambda: (positional, by_name)))
        return function(*positional, **by_name)

    globs = {**inspect.getmodule(function).__dict__, function.__name__: recorder}
    example = doctest.DocTestParser().get_doctest(function.__doc__ or "", globs, name, None, 0)
    kept, tempfile.TemporaryDirectory = tempfile.TemporaryDirectory, _kept_folder
    try:
        doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None)
    finally:
        tempfile.TemporaryDirectory = kept
    return tuple(found)


@contextlib.contextmanager
def _kept_folder():
    yield tempfile.mkdtemp(dir=FOLDER.name)


def arguments_of(name):
    """The arguments of a function that can be named, and for those that cannot the numbers of their places."""
    found = []
    parameters = inspect.signature(functions()[name]).parameters
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            more = {key for call in valid_calls(name) for key in bound(name, call)} - set(parameters)
            found += [key for key in sorted(more) if key not in found]
        else:
            found.append(parameter.name)
    return found


def bound(name, call):
    """The arguments of a call by name; those of *rest as *0, *1 ..."""
    positional, by_name = call.arguments()
    names = list(inspect.signature(functions()[name]).parameters.values())
    found = {}
    for k, value in enumerate(positional):
        after = [p.kind is p.VAR_POSITIONAL for p in names].index(True) if _rest(names) else len(names)
        found[names[k].name if k < after else f"*{k - after}"] = value
    return {**found, **by_name}


def _rest(names):
    return any(p.kind is p.VAR_POSITIONAL for p in names)


def made(name, arguments):
    """The call with those arguments."""
    rest = [arguments[key] for key in sorted(arguments) if key.startswith("*")]
    named = {key: value for key, value in arguments.items() if not key.startswith("*")}
    before = []
    for parameter in inspect.signature(functions()[name]).parameters.values():
        by_place = parameter.kind is parameter.POSITIONAL_ONLY or rest
        if parameter.kind is parameter.VAR_POSITIONAL or not by_place:
            break
        before.append(named.pop(parameter.name))
    return functions()[name](*before, *rest, **named)


def call_for(name, argument):
    """The smallest valid call that gives the argument, else the smallest of all."""
    calls = valid_calls(name)
    return next((call for call in calls if argument in bound(name, call)), calls[0])


# -- hostile values ---------------------------------------------------------------------------------------------------


class Raises:
    """An object that cannot be converted to anything."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("this object is not an array")

    def __index__(self):
        raise RuntimeError("this object is not an integer")

    def __float__(self):
        raise RuntimeError("this object is not a number")

    def __fspath__(self):
        raise RuntimeError("this object is no path")

    def __iter__(self):
        raise RuntimeError("this object has no elements")

    def __len__(self):
        raise RuntimeError("this object has no length")


class RaisesInRepr(Raises):
    """One that cannot be shown either."""

    def __repr__(self):
        raise RuntimeError("this object cannot be shown")


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def whole_things():
    """Hostile values that do not depend on the argument."""
    most = 64 if int(np.__version__.partition(".")[0]) > 1 else 32
    structured = np.zeros(2, [("a", "i4"), ("b", "f8")])
    yield Hostile("ragged list", [[1.0, 2.0], [3.0]], refused=True)
    yield Hostile("ragged list of ints", [[1, 2], [3]], refused=True)
    yield Hostile("ragged tuple", ((1, 2), 3), refused=True)
    yield Hostile("nested list", [[[1]]])
    yield Hostile("list of lists deeper than arrays", deep(100), refused=True)
    yield Hostile("array of two sizes", np.array([8, 8]), [8, 8])
    yield Hostile("array of two floats", np.array([1.0, 2.0]), [1.0, 2.0])
    yield Hostile("array without axes", np.array(8), 8)
    yield Hostile("float array without axes", np.array(8.0), 8.0)
    yield Hostile("array of one size", np.array([8]), [8])
    yield Hostile("empty array", np.array([]))
    yield Hostile("empty ints", np.empty((0, 3), np.int64))
    for value in ("8", "", "a\0b", "\ud800", "x" * 100_000, b"8", b"", bytearray(b"8"), memoryview(b"8")):
        yield Hostile(f"text {type(value).__name__} {value[:4]!a}", value)
    for value in (None, True, False, ..., NotImplemented, float, len, object()):
        yield Hostile(f"{str(value)[:20]}", value)
    yield Hostile("np.True_", np.True_, True)
    for value in (float("nan"), float("inf"), float("-inf"), -1, 0, -0.0, 1e-320, 1e308, 2**53 + 1, 0.5):
        yield Hostile(repr(value), value)
    for name in ("float16", "float32", "float64", "longdouble"):
        yield Hostile(f"{name} nan", np.dtype(name).type("nan"))
        yield Hostile(f"{name} inf", np.dtype(name).type("inf"))
    for name, value in (("2**63", 2**63), ("2**64", 2**64), ("2**63 - 1", 2**63 - 1), ("2**62", 2**62)):
        yield Hostile(name, value, huge=True)
    yield Hostile("10**400", 10**400, huge=True)
    yield Hostile("-10**400", -(10**400))
    yield Hostile("10**5000", 10**5000)  # more digits than Python shows
    yield Hostile("10**12", 10**12, huge=True)
    yield Hostile("2**31", 2**31, huge=True)
    yield Hostile("array of 10**12", np.array([10**12, 10**12]), [10**12, 10**12], huge=True)
    yield Hostile("list of 10**12", [10**12, 10**12], huge=True)
    yield Hostile("list of 10**400", [10**400, 1], huge=True)
    yield Hostile("range(10**12)", range(10**12), huge=True)
    yield Hostile("range(2**70)", range(2**70), huge=True)
    yield Hostile("Fraction", Fraction(1, 3))
    yield Hostile("Fraction that is whole", Fraction(8), 8)
    yield Hostile("Fraction with large parts", Fraction(10**4000, 3))
    for text in ("0.1", "8", "NaN", "sNaN", "Infinity", "1E+999999999999999999", "1E-999999999999999999"):
        yield Hostile(f"Decimal {text}", Decimal(text), Decimal(text) if text == "8" else NO_TWIN)
    yield Hostile("complex", 1 + 2j, refused=True)
    yield Hostile("complex that is real", 8 + 0j, 8)
    yield Hostile("complex array", np.array([1 + 2j, 3]), refused=True)
    yield Hostile("array of objects", np.array([None, {}], object), refused=True)
    yield Hostile("array of fractions", np.array([Fraction(1, 3), 2], object))
    yield Hostile("array with an object that is not a number", np.array([1, "x", 2.0], object), refused=True)
    yield Hostile("object array without axes", np.array(None, object), refused=True)
    for value in ({}, {"a": 1}, {1: 2}, set(), {1}, frozenset(), [], (), [[]], [None], [{}], [[], []], ["x"], [1, "x"]):
        yield Hostile(f"{type(value).__name__} {value}", value)
    yield Hostile("dict with a key of another kind", {1: [2], (3,): None, None: {}})
    yield Hostile("list with itself", recursive())
    yield Hostile("masked array", np.ma.array([1, 2], mask=[False, True]), refused=True)
    yield Hostile("masked floats", np.ma.array([[1.0, 2.0]], mask=[[True, False]]), refused=True)
    yield Hostile("masked constant", np.ma.masked, refused=True)
    yield Hostile("masked array without axes", np.ma.array(8, mask=True), refused=True)
    yield Hostile("list with a masked array", [np.ma.array([1, 2], mask=[0, 1]), [1, 2]], refused=True)
    yield Hostile("masked array without a mask", np.ma.array([1, 2]), np.array([1, 2]))
    yield Hostile("structured array", structured, refused=True)
    yield Hostile("structured scalar", structured[0], refused=True)
    yield Hostile("record array", structured.view(np.recarray), refused=True)
    yield Hostile("dates", np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"), refused=True)
    yield Hostile("date", np.datetime64("2020-01-01"), refused=True)
    yield Hostile("time differences", np.array([1, 2], "timedelta64[s]"), refused=True)
    yield Hostile("time difference", np.timedelta64(3, "s"), refused=True)
    yield Hostile("array of text", np.array(["1", "2"]))
    yield Hostile("array of bytes", np.array([b"1", b"2"]), refused=True)
    yield Hostile("void", np.void(b"abcd"), refused=True)
    yield Hostile("array of many axes", np.ones((1,) * most))
    yield Hostile("ints of many axes", np.ones((1,) * most, np.int64))
    yield Hostile("array of bools", np.array([True, False]))
    yield Hostile("long doubles", np.array([1.0, 2.0], np.longdouble))
    yield Hostile("long double", np.longdouble(8), 8.0)
    yield Hostile("int8", np.array([1, 2], np.int8), [1, 2])
    yield Hostile("uint64 near 2**64", np.array([2**64 - 1, 1], np.uint64), huge=True)
    yield Hostile("one uint64 near 2**64", np.uint64(2**64 - 1), 2**64 - 1, huge=True)
    yield Hostile("matrix", np.matrix([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    yield Hostile("matrix of ints", np.matrix([[1, 2]]), np.array([[1, 2]]))
    yield Hostile("object that raises", Raises(), refused=True)
    yield Hostile("list of objects that raise", [Raises()], refused=True)
    yield Hostile("object that raises in repr", RaisesInRepr(), refused=True)
    yield Hostile("generator", (k for k in (1, 2)))
    yield Hostile("iterator", iter([1, 2]))
    yield Hostile("map", map(int, "12"))
    yield Hostile("slice", slice(1, 2), refused=True)
    yield Hostile("dtype", np.dtype("float32"))
    yield Hostile("dtype of another order", np.dtype(">f4"))
    yield Hostile("dtype with parts", np.dtype([("a", "f4")]), refused=True)


def recursive():
    value = []
    value.append(value)
    return value


def kin(value):
    """Hostile values made from the valid one: of equal value in another dress, or nearly it."""
    if isinstance(value, bool) or value is None:
        yield Hostile("as int", int(value or 0))
        yield Hostile("as array", np.array(value), NO_TWIN if value is None else value)
        return
    if isinstance(value, (int, np.integer)):
        yield from kin_of_int(int(value))
    elif isinstance(value, (float, Fraction)):
        yield Hostile("as array", np.array(value), value)
        yield Hostile("as list", [value])
        yield Hostile("as array of one", np.array([float(value)]), [float(value)])
        yield Hostile("as fraction", Fraction(value), value)
        yield Hostile("as float64", np.float64(value), float(value))
        yield Hostile("as long double", np.longdouble(float(value)), float(value))
        yield Hostile("as float32", np.float32(value), float(np.float32(value)))
        yield Hostile("as text", str(value), refused=True)
        yield Hostile("as masked", np.ma.array(float(value), mask=True), refused=True)
    elif isinstance(value, str):
        yield Hostile("as np.str_", np.str_(value), value)
        yield Hostile("as bytes", value.encode())
        yield Hostile("in capitals", value.upper() if value.upper() != value else value + "x")
        yield Hostile("with a surrogate", value + "\ud800")
        yield Hostile("as list", [value])
        yield Hostile("as array", np.array(value), value)
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield from kin_of_array(value)
    else:
        yield Hostile("in a list", [value])
        yield Hostile("as array of objects", np.array([value, None], object))
        yield Hostile("in a dict", {"value": value})


def kin_of_int(value):
    for name in ("int8", "int64", "uint64", "uint8"):
        limits = np.iinfo(name)
        if limits.min <= value <= limits.max:
            yield Hostile(f"as {name}", np.dtype(name).type(value), value)
    yield Hostile("as array", np.array(value), value)
    yield Hostile("as list", [value])
    yield Hostile("as array of one", np.array([value]), [value])
    yield Hostile("as float", float(value), value)
    yield Hostile("as fraction", Fraction(value), value)
    yield Hostile("as decimal", Decimal(value), value)
    yield Hostile("as complex", complex(value), value)
    yield Hostile("as text", str(value), refused=True)
    yield Hostile("as masked", np.ma.array(value, mask=True), refused=True)
    yield Hostile("as masked without a mask", np.ma.array(value), value)
    yield Hostile("as object", np.array(value, object), value)
    yield Hostile("negative", -value)
    yield Hostile("one more", value + 1)


def kin_of_array(value):
    try:
        plain = np.asarray(value)
    except ValueError:  # of several shapes
        plain = np.empty(0, object)
    if plain.dtype.kind in "iufb" and plain.size:
        yield from kin_of_numbers(value, plain)
    items = list(value) if not isinstance(value, np.ndarray) or value.ndim else []
    yield Hostile("as dict", dict(enumerate(items)), refused=True)
    yield Hostile("as generator", (item for item in items))
    yield Hostile("with None", [*items, None], refused=True)
    yield Hostile("with one item more", [*items, *items[:1]])
    yield Hostile("with one item less", items[:-1])
    yield Hostile("with one item ragged", [*items[:-1], [[1], 2]], refused=True)
    yield Hostile("in a list", [value])
    yield Hostile("without items", value[:0] if items else [])


def kin_of_numbers(value, plain):
    masked = np.zeros(plain.shape, bool)
    masked.reshape(-1)[-1] = True
    swapped = plain.astype(plain.dtype.newbyteorder())
    still = plain.copy()
    still.flags.writeable = False
    spaced = np.empty((*plain.shape[:-1], 2 * plain.shape[-1]), plain.dtype)[..., ::2] if plain.ndim else plain.copy()
    spaced[...] = plain
    yield Hostile("with a mask", np.ma.array(plain, mask=masked), refused=True)
    yield Hostile("with an empty mask", np.ma.array(plain, mask=np.zeros(plain.shape, bool)), plain)
    yield Hostile("read-only", still, plain)
    yield Hostile("of another byte order", swapped, plain)
    yield Hostile("in Fortran order", np.asfortranarray(plain), plain)
    yield Hostile("with gaps", spaced, plain)
    yield Hostile("as lists", plain.tolist(), value if isinstance(value, (list, tuple)) else NO_TWIN)
    yield Hostile("of objects", plain.astype(object), value)
    yield Hostile("of complex numbers", plain.astype(complex))
    yield Hostile("of long doubles", plain.astype(np.longdouble), plain)
    yield Hostile("of text", plain.astype(str))
    yield Hostile("of dates", np.zeros(plain.shape, np.int64).view("datetime64[s]"), refused=True)
    yield Hostile("as a structure", plain.copy().view([("a", plain.dtype)]), refused=True)
    yield Hostile("with an axis more", plain[None])
    yield Hostile("without its first axis", plain[0] if plain.ndim else plain)
    yield Hostile("turned round", plain.T)
    yield Hostile("negative", -plain if plain.dtype.kind != "b" else ~plain)
    if plain.ndim == 2:
        yield Hostile("as matrix", np.matrix(plain), plain)
    if plain.dtype.kind == "f":
        bad = plain.copy()
        bad.reshape(-1)[0] = np.nan
        yield Hostile("with nan", bad)
    else:
        for name in ("int8", "uint64", "float32"):
            if (plain.astype(name) == plain).all() and (plain.min() >= 0 or name != "uint64"):
                yield Hostile(f"of {name}", plain.astype(name), plain if name != "float32" else NO_TWIN)
        most = plain.astype(np.uint64)
        most.reshape(-1)[-1] = 2**64 - 1
        yield Hostile("of uint64 with a number near 2**64", most, huge=True)


def outs(result, inputs):
    """Hostile values of `out`, for a call with that result; inputs: arrays that it must not overlap."""
    if isinstance(result, tuple) and all(isinstance(array, np.ndarray) for array in result):
        fresh = tuple(np.empty_like(array) for array in result)
        yield Hostile("a pair that is one array twice", (fresh[0], fresh[0]), refused=True)
        yield Hostile("one of a pair", fresh[0], refused=True)
        yield Hostile("three", (*fresh, fresh[0]), refused=True)
        yield Hostile("pair as list", list(fresh), None)
        yield Hostile("array of both", np.stack(fresh) if len({a.shape for a in fresh}) == 1 else fresh, None)
        for bad in outs(result[0], inputs):
            yield Hostile(f"pair with {bad.name}", (bad.value, fresh[1]), bad.twin, bad.refused)
        return
    if not isinstance(result, np.ndarray):
        return
    good = np.empty_like(result)
    still = good.copy()
    still.flags.writeable = False
    other = np.dtype("float32" if result.dtype == np.float64 else "float64")
    yield Hostile("read-only", still, refused=True)
    yield Hostile("of another dtype", np.empty(result.shape, other), refused=True)
    yield Hostile("of ints", np.empty(result.shape, np.int8), refused=True)
    yield Hostile("of objects", np.empty(result.shape, object), refused=True)
    yield Hostile("of another byte order", good.view(good.dtype.newbyteorder()), refused=True)
    yield Hostile("with an axis more", np.empty((1, *result.shape), result.dtype), refused=True)
    yield Hostile("flat and longer", np.empty(result.size + 1, result.dtype), refused=True)
    yield Hostile("masked", np.ma.array(good.copy(), mask=np.ones(good.shape, bool)), refused=result.size > 0)
    yield Hostile("in Fortran order", np.empty(result.shape, result.dtype, "F"), None)
    yield Hostile("with gaps", np.empty((*result.shape, 2), result.dtype)[..., 0], None)
    if result.ndim == 2:
        yield Hostile("matrix", np.matrix(good.copy()), None)
    if result.size > 1:
        yield Hostile("one value", np.broadcast_to(result.reshape(-1)[0], result.shape), refused=True)
        repeated = np.lib.stride_tricks.as_strided(good.copy(), good.shape, (0,) * good.ndim)
        yield Hostile("overlapping itself", repeated, refused=True)
        raw = np.empty(result.nbytes + 1, np.uint8)[1:].view(result.dtype).reshape(result.shape)
        yield Hostile("off its alignment", raw, refused=True)
    for name, array in inputs.items():
        if array.dtype == result.dtype and array.size > result.size > 0:
            part = array.reshape(-1)[1 : 1 + result.size].reshape(result.shape)
            if np.shares_memory(part, array):
                yield Hostile(f"overlapping {name}", part, refused=True)


# -- calls ------------------------------------------------------------------------------------------------------------


class TooLong(BaseException):
    """A call that takes longer than it may; no Exception, so that nothing catches it."""


def _alarm(*_):
    raise TooLong


class Outcome(NamedTuple):
    """What a call came to: its result or its error, and how long it took."""

    result: object
    error: BaseException | None
    seconds: float


def outcome(name, arguments):
    """The call, under the limit of time; of a generator the first pieces."""
    start = time.process_time()
    signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # what every matrix says
            result = made(name, arguments)
            if inspect.isgenerator(result):
                result = tuple(islice(result, 3))  # of tables larger than memory
        return Outcome(parts(result), None, time.process_time() - start)
    except (Exception, TooLong) as error:
        return Outcome(None, error, time.process_time() - start)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def parts(result):
    """A result as plain tuples of arrays and values, so that results can be compared."""
    if isinstance(result, refpos.Frequencies):
        few = len(result) <= 4096
        return ("frequencies", result.dim, result.inv_freq if few else None, result.attention_factor, result.axes)
    if is_dataclass(result) and not isinstance(result, type):
        return tuple(parts(getattr(result, one.name)) for one in fields(result))
    if isinstance(result, (tuple, list)):
        return tuple(map(parts, result))
    if isinstance(result, dict):
        return tuple((key, parts(value)) for key, value in result.items())
    if isinstance(result, str):
        return str(result)
    if isinstance(result, (np.ndarray, np.generic)):
        return np.asarray(result)
    if result is None or isinstance(result, (bool, int, float, Fraction, range)):
        return result
    return str(result)


def same(one, other):
    """Whether two results have the same shapes, dtypes and bits; values alone where dtypes are of different inputs."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape:
            return False
        if one.dtype.newbyteorder("=") == other.dtype.newbyteorder("=") and one.dtype.kind != "O":
            return (
                one.astype(one.dtype.newbyteorder("=")).tobytes()
                == other.astype(other.dtype.newbyteorder("=")).tobytes()
            )
        return bool((one == other).all())
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and (one == other or one != one)


def judged(name, argument, base, hostile):
    """(sentence that says what is wrong or None, Outcome) of one call."""
    done = outcome(name, {**base, argument: hostile.value})
    error = done.error
    if isinstance(error, TooLong):
        return f"takes more than {SECONDS} s", done
    if isinstance(error, MemoryError):
        large = hostile.huge or (isinstance(hostile.value, (int, np.integer)) and hostile.value > 10**4)
        return None if large and done.seconds < 1 else "raises MemoryError", done
    if isinstance(error, InputError):
        return wrong_message(error), done
    if error is not None:
        return f"raises {type(error).__name__}: {str(error)[:120]}", done
    if hostile.refused:
        return None if may_be_taken(argument, hostile.name) else "is taken", done
    if argument == "out":
        hostile = hostile._replace(twin=None)
    if hostile.twin is not NO_TWIN and not (argument in COUNTS and np.ndim(hostile.twin) == 0):
        plain = outcome(name, {**base, argument: hostile.twin})
        if plain.error is not None:
            return f"is taken where its plain value is refused: {str(plain.error)[:120]}", done
        if not same(done.result, plain.result):
            return "has another result than its plain value", done
    return None, done


def may_be_taken(argument, what):
    """Whether a value that others refuse is one for this argument."""
    odd = any(word in what for word in ("ragged", "mask", "raise", "deeper"))
    return (argument in RAGGED and "ragged" in what) or (argument in ANY_DTYPE and not odd)


def wrong_message(error):
    """What is wrong with the message of an error, or None."""
    text = str(error)
    if len(text) > LONGEST_MESSAGE:
        return f"raises an error of {len(text)} characters: {text[:100]}"
    if not text.isprintable():
        return f"raises an error with characters that cannot be printed: {text[:100]!r}"
    if not isinstance(error.argument, str) or not error.argument:
        return f"raises an error that names no argument: {text[:100]}"
    return None


def hostile_values(name, argument, base):
    """The hostile values of one argument, without its default."""
    yield from whole_things()
    if argument == "out":
        result = outcome(name, {key: value for key, value in base.items() if key != "out"}).result
        yield from outs(result, {key: value for key, value in base.items() if isinstance(value, np.ndarray)})
    elif argument in base or default_of(name, argument) is not NO_TWIN:
        yield from kin(base.get(argument, default_of(name, argument)))


def chosen(name, argument, hostile, share):
    """Whether a call is one of the share that is made; the choice depends on the names alone."""
    return hostile.name in ALWAYS or zlib.crc32(f"{name} {argument} {hostile.name}".encode()) % share == 0


def default_of(name, argument):
    parameter = inspect.signature(functions()[name]).parameters.get(argument)
    return NO_TWIN if parameter is None or parameter.default is parameter.empty else parameter.default


def run_argument(name, argument, share, report):
    """All calls of one argument."""
    call = call_for(name, argument)
    default = default_of(name, argument)
    for hostile in hostile_values(name, argument, bound(name, call)):
        if argument in CALLED and callable(hostile.value):
            continue
        if hostile.value is default or not chosen(name, argument, hostile, share):
            continue
        base = bound(name, call)
        overlapped = hostile.name.removeprefix("pair with ").removeprefix("overlapping ")
        first = hostile.value[0] if hostile.name.startswith("pair with ") else hostile.value
        owner = getattr(first, "base", None)
        if overlapped in base and getattr(owner, "size", 0) == np.size(base[overlapped]):
            # the very array, and no other of the same numbers
            base[overlapped] = owner.reshape(base[overlapped].shape)
        report["now"] = f"{name}({argument} = {hostile.name})"
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sentence, done = judged(name, argument, base, hostile)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        report["calls"][name][argument] = report["calls"][name].get(argument, 0) + 1
        report["compared"] += done.error is None and hostile.twin is not NO_TWIN
        kind = "taken" if done.error is None else type(done.error).__name__
        report["kinds"][kind] = report["kinds"].get(kind, 0) + 1
        if sentence:
            report["wrong"][name].append(f"{argument} = {hostile.name}: {sentence}")
        report["slowest"] = max(report["slowest"], [round(done.seconds, 3), report["now"]])
        report["largest"] = max(report["largest"], [grown // 1024, report["now"]])


def run_all(share, names=None):
    """The report of all functions; under the limits of memory and time."""
    report = {"calls": {}, "wrong": {}, "kinds": {}, "slowest": [0, ""], "largest": [0, ""], "now": "", "compared": 0}
    for name in names or functions():
        report["calls"][name], report["wrong"][name] = {}, []
        if not valid_calls(name):
            where = f"refpos/golden/cases/{name}.py" if name in catalogue.ENTRIES else f"the docstring of refpos.{name}"
            report["wrong"][name].append(f"no valid call of {name} is known: add one to {where}")
            continue
        plain = outcome(name, bound(name, valid_calls(name)[0]))
        if plain.error is not None:
            origin = valid_calls(name)[0].origin
            error = f"{type(plain.error).__name__}: {plain.error}"
            report["wrong"][name].append(f"the valid call of {origin} raises {error}")
            continue
        for argument in arguments_of(name):
            print(f"{name}({argument})", file=sys.stderr)  # what a process that is ended was at
            run_argument(name, argument, share, report)
    return report


def main(path, share, *names):
    from_cases()
    with open("/proc/self/status") as status:
        used = int(next(line for line in status if line.startswith("VmData")).split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + BYTES,) * 2)
    start = time.process_time()
    report = run_all(int(share), names)
    report["cpu"] = round(time.process_time() - start, 1)
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    with open(path, "w") as file:
        json.dump(report, file, indent=1)


if __name__ == "__main__":
    target = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(target, *sys.argv[2:])
