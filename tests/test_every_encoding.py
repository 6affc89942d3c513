"""What must hold of every function of the catalogue, derived from its signature and its golden cases: indifference to
memory, kernels and threads, `out=` written and returned, inputs left alone, sizes 0 and 1. None is listed by hand."""

import hashlib
import inspect
import sys
import warnings
from dataclasses import replace
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import catalogue, checks, golden, kernels
from refpos.golden import run
from refpos.golden.read import DATA, open_suite
from refpos.kernels import numpy_kernels, threads

LARGEST = 1024  # elements of an output
EACH = 2  # cases of a function and a dtype
FILLS = (0x5A, 0xC3)  # bytes that lie in `out` before


def takes(name, option):
    return option in inspect.signature(catalogue.ENTRIES[name].function).parameters


def having(option):
    """The functions that have the option, as parameters of a test."""
    found = [name for name in catalogue.ENTRIES if takes(name, option)]
    assert len(found) > 10, option
    return pytest.mark.parametrize("name", sampled(found, 8))


each = pytest.mark.parametrize("name", sampled(catalogue.ENTRIES, 8))


@cache
def cases_of(name):
    """Some golden cases of each dtype, the same in every run."""
    cases = {case.id: case for case in golden.cases(name, tier="core")}
    by_dtype = {}
    for entry in open_suite(DATA, name).document["cases"]:
        outputs = entry.get("outputs", {}).values()
        if 0 < sum(int(np.prod(output["shape"])) for output in outputs) <= LARGEST:
            by_dtype.setdefault(tuple(output["dtype"] for output in outputs), []).append(entry["id"])
    chosen = [cases[id] for ids in by_dtype.values() for id in sorted(ids, key=digest)[:EACH]]
    assert chosen, f"{name} must have a golden case of 1 to {LARGEST} elements"
    return chosen


def digest(id):
    return hashlib.sha256(id.encode()).digest()


def prepared(case):
    """(function, arrays, other arguments) of a case, bfloat16 as the dtype of ml_dtypes."""
    arguments = {name: run.argument(value) for name, value in case.arguments.items()}
    if catalogue.ENTRIES[case.suite].family == "frequencies":
        arguments.pop("dtype", None)
    arrays = {name: native(tensor) for name, tensor in run.inputs_of(case).items()}
    return catalogue.ENTRIES[case.suite].function, arrays, arguments


def native(tensor):
    return tensor.values.view(ml_dtypes.bfloat16) if tensor.dtype == "bfloat16" else tensor.values


def called(function, arrays, arguments, **more):
    """The arrays that a call gives, with warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return arrays_of(function(**arrays, **arguments, **more))


def arrays_of(result):
    if isinstance(result, refpos.Frequencies):
        return [result.rounded("float64"), np.asarray(result.attention_factor), np.asarray(result.axes or ())]
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def same(found, wanted, what):
    """Equal shapes and bits, whatever the order of the bytes."""
    assert len(found) == len(wanted), what
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape and one.dtype.newbyteorder("=") == other.dtype.newbyteorder("="), what
        assert bytes_of(one) == bytes_of(other), what


def bytes_of(array):
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


# -- out --------------------------------------------------------------------------------------------------------------


def outs_like(wanted, fill):
    """Arrays that lie in memory in each way that `out` may."""

    def filled(shape, dtype):
        return np.frombuffer(bytearray([fill]) * (int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)

    yield "C", tuple(filled(array.shape, array.dtype) for array in wanted)
    yield "Fortran", tuple(filled(array.shape[::-1], array.dtype).T for array in wanted)
    if all(array.ndim for array in wanted):
        wide = [filled((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype) for array in wanted]
        yield "every second", tuple(array[..., 1::2] for array in wide)


def check_out(name):
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        for fill in FILLS:
            for how, outs in outs_like(wanted, fill):
                out = outs if len(outs) > 1 else outs[0]
                result = function(**arrays, **arguments, out=out)
                parts = result if isinstance(result, tuple) else (result,)
                assert all(part is given for part, given in zip(parts, outs, strict=True)), (case.id, how)
                same(outs, wanted, (case.id, how))
                compared += 1
                for given in outs:  # what lies between its elements is left alone
                    if given.base is not None and how == "every second":
                        beside = given.base.reshape(*given.shape[:-1], -1)[..., 0::2]
                        assert set(beside.tobytes()) <= {fill}, (case.id, how)
    return compared


@having("out")
def test_out_receives_all_of_the_result(name):
    assert check_out(name)


# -- positions of several axes ----------------------------------------------------------------------------------------


def folded(arrays, arguments):
    """The positions of a case in two rows, and how many there are; None where they are not one row."""
    where = arrays.get("positions", arguments.get("positions"))
    where = np.arange(where) if type(where) is int else where
    if not isinstance(where, np.ndarray) or where.ndim != 1 or len(where) < 2:
        return None
    count = len(where) // 2 * 2
    return where[:count].reshape(2, -1), count


def check_shapes(name):
    """Positions in two rows give the same rows, also in an `out` whose strides allow no view of all rows as one."""
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        if (both := folded(arrays, arguments)) is None:
            continue
        rows, count = both
        given = {key: value for key, value in {**arguments, **arrays}.items() if key != "positions"}
        one_row = called(function, {**given, "positions": rows.reshape(-1)}, {})
        wanted = [array.reshape(2, count // 2, *array.shape[1:]) for array in one_row]
        same(called(function, {**given, "positions": rows}, {}), wanted, case.id)
        for how, outs in outs_like(wanted, FILLS[0]):
            function(**given, positions=rows, out=outs if len(outs) > 1 else outs[0])
            same(outs, wanted, (case.id, how))
        compared += 1
    return compared


AT_POSITIONS = [name for name in catalogue.ENTRIES if takes(name, "positions") and takes(name, "out")]
AT_POSITIONS = [name for name in AT_POSITIONS if not takes(name, "x")]


@pytest.mark.parametrize("name", AT_POSITIONS)
def test_positions_of_two_axes(name):
    assert check_shapes(name), f"{name} must have a small golden case with positions in one row"


# -- inputs -----------------------------------------------------------------------------------------------------------


def forms(array):
    """The same array in each way that memory may hold it."""
    still = array.copy()
    still.flags.writeable = False
    yield "read-only", still
    if array.ndim:
        yield "Fortran", np.asfortranarray(array)  # which makes one axis of none
        yield "reversed", np.ascontiguousarray(array[::-1])[::-1]
        wide = np.zeros((*array.shape[:-1], 3 * array.shape[-1]), array.dtype)
        wide[..., 1::3] = array
        yield "strided", wide[..., 1::3]
    unaligned = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    unaligned[...] = array
    yield "one byte on", unaligned
    if array.dtype.kind in "iuf" and array.dtype.itemsize > 1 and array.dtype != ml_dtypes.bfloat16:
        yield "byte-swapped", array.astype(array.dtype.newbyteorder("S"))


def check_inputs(name):
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        for key, array in arrays.items():
            for how, form in forms(array):
                before = form.tobytes()
                same(called(function, {**arrays, key: form}, arguments), wanted, (case.id, key, how))
                assert form.tobytes() == before, f"{case.id} changed {key}, {how}"
                compared += 1
    return compared


WITH_TENSORS = [name for name in catalogue.ENTRIES if any(case.inputs for case in cases_of(name))]


@pytest.mark.parametrize("name", sampled(WITH_TENSORS, 8))
def test_inputs_may_lie_anyhow_in_memory_and_stay_as_they_are(name):
    assert check_inputs(name) > 4


def check_lists(name):
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        for key, array in arrays.items():
            if array.dtype in (np.int64, np.float64) and array.size:
                same(called(function, {**arrays, key: array.tolist()}, arguments), wanted, (case.id, key))
                compared += 1
    return compared


WITH_LISTS = [
    name for name in WITH_TENSORS if any(a.dtype in (np.int64, np.float64) and a.size for case in cases_of(name)
                                         for a in prepared(case)[1].values())
]  # fmt: skip


@pytest.mark.parametrize("name", sampled(WITH_LISTS, 8))
def test_inputs_may_be_lists(name):
    assert check_lists(name)


# -- threads and kernels ----------------------------------------------------------------------------------------------


def check_threads(name, monkeypatch):
    """Each count gives the same bits, is looked at, and reaches the work that is shared, if there is any."""
    asked, compared = [], 0

    def recorded(work, size, block, count):
        asked.append(count)
        return original(work, size, block, count)

    def looked_at(count):
        asked.append(count)
        return counted(count)

    original, counted = threads.for_blocks, checks.thread_count
    monkeypatch.setattr(checks, "thread_count", looked_at)
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("refpos.") and vars(module).get("for_blocks") is original:
            monkeypatch.setattr(module, "for_blocks", recorded)
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        for count in (1, 3):
            asked.clear()
            same(called(function, arrays, arguments, threads=count), wanted, (case.id, count))
            assert asked and set(asked) == {count}, f"{case.id} with threads={count} shares work among {asked}"
            compared += 1
    return compared


@having("threads")
def test_threads_change_nothing_and_are_passed_on(name, monkeypatch):
    assert check_threads(name, monkeypatch)


def check_kernels(name, monkeypatch):
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        same(called(function, arrays, arguments), wanted, case.id)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "active", numpy_kernels)
            same(called(function, arrays, arguments), wanted, case.id)
        compared += 1
    return compared


@each
def test_both_kernels_and_every_call_give_the_same_bits(name, monkeypatch):
    assert check_kernels(name, monkeypatch)


# -- sizes ------------------------------------------------------------------------------------------------------------


def check_sizes(name):
    """Every whole number among the arguments as 0 and as 1: arrays of the same kinds, or a refusal that names it."""
    compared = 0
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        for key, value in arguments.items():
            if type(value) is int:
                for size in (0, 1):
                    compared += reduced(function, arrays, {**arguments, key: size}, wanted, (case.id, key, size))
    return compared


def reduced(function, arrays, arguments, wanted, what):
    try:
        found = called(function, arrays, arguments)
    except refpos.InputError as error:
        assert error.argument and len(str(error)) < 400, what
        return 1
    assert [array.dtype for array in found] == [array.dtype for array in wanted], what
    assert [array.ndim for array in found] == [array.ndim for array in wanted], what
    return 1


WITH_SIZES = [
    name
    for name in catalogue.ENTRIES
    if any(type(value) is int for case in cases_of(name) for value in case.arguments.values())
]


@pytest.mark.parametrize("name", sampled(WITH_SIZES, 8))
def test_sizes_0_and_1(name):
    assert check_sizes(name)


# -- the checks themselves --------------------------------------------------------------------------------------------


def out_is_not_written(function):
    def planted(*args, out=None, **more):
        found = function(*args, **more)
        return found if out is None else out

    return planted


def out_is_written_but_for_one(function):
    def planted(*args, out=None, **more):
        found = function(*args, **more)
        if out is None:
            return found
        last = out[(-1,) * out.ndim].copy()
        out[...] = found
        out[(-1,) * out.ndim] = last
        return out

    return planted


def rows_are_not_brought_back(function):
    def planted(*args, out=None, **more):
        found = function(*args, **more)
        if out is None:
            return found
        out.reshape(-1, out.shape[-1])[...] = found.reshape(-1, out.shape[-1])
        return out

    return planted


def out_is_not_returned(function):
    return lambda *args, out=None, **more: function(*args, **more).copy() if out is None else +function(
        *args, out=out, **more)  # fmt: skip


def threads_are_ignored(function):
    return lambda *args, threads=None, **more: function(*args, **more)


def an_input_is_changed(function):
    def planted(x, *args, **more):
        found = function(x, *args, **more)
        if isinstance(x, np.ndarray) and x.flags.writeable:
            x[...] = 0
        return found

    return planted


def strides_are_ignored(function):
    def planted(x, *args, **more):
        return function(np.ndarray(x.shape, x.dtype, x.tobytes("A")), *args, **more)

    return planted


def lists_are_refused(function):
    def planted(x, *args, **more):
        return function(x[:], *args, **more) if isinstance(x, np.ndarray) else function(np.zeros(3), *args, **more)

    return planted


def calls_are_counted(function):
    calls = []

    def planted(*args, **more):
        calls.append(0)
        return function(*args, **more) + len(calls)

    return planted


def a_size_of_0_crashes(function):
    def planted(*args, dim, **more):
        if dim == 0:
            raise ZeroDivisionError
        return function(*args, dim=dim, **more)

    return planted


PLANTED = {
    out_is_not_written: ("sinusoidal", check_out),
    out_is_written_but_for_one: ("sinusoidal", check_out),
    out_is_not_returned: ("sinusoidal", check_out),
    threads_are_ignored: ("rope", check_threads),
    an_input_is_changed: ("rope", check_inputs),
    strides_are_ignored: ("rope", check_inputs),
    lists_are_refused: ("rope", check_lists),
    calls_are_counted: ("alibi", check_kernels),
    a_size_of_0_crashes: ("sinusoidal", check_sizes),
    rows_are_not_brought_back: ("sinusoidal", check_shapes),
}


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    name, check = PLANTED[fault]
    more = (monkeypatch,) if check in (check_threads, check_kernels) else ()
    check(name, *more)
    entry = catalogue.ENTRIES[name]
    monkeypatch.setitem(catalogue.ENTRIES, name, replace(entry, function=fault(entry.function)))
    with pytest.raises((AssertionError, refpos.InputError, ZeroDivisionError)):
        check(name, *more)
