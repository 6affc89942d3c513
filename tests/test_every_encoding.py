"""What must hold of every function of the catalogue, derived from its signature and its golden cases: indifference to
memory, kernels and threads, `out=` written and returned, inputs left alone, sizes 0 and 1. None is listed by hand."""

import hashlib
import inspect
import math
import re
import sys
import warnings
from dataclasses import replace
from functools import cache, partial, update_wrapper

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import catalogue, checks, golden, kernels
from refpos.cli import docstrings
from refpos.golden import run
from refpos.golden.read import DATA, open_suite, read_lock
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
LOCK = read_lock()  # with it documents are read and not checked again
WITH_OUT = [name for name in catalogue.ENTRIES if takes(name, "out")]


@cache
def cases_of(name):
    """Some golden cases of each dtype, the same in every run."""
    cases = {case.id: case for case in golden.cases(name, tier="core")}
    by_dtype = {}
    for entry in open_suite(DATA, name, LOCK).document["cases"]:
        outputs = entry.get("outputs", {}).values()
        if 0 < sum(int(np.prod(output["shape"])) for output in outputs) <= LARGEST:
            by_dtype.setdefault(tuple(output["dtype"] for output in outputs), []).append(entry["id"])
    chosen = [cases[id] for ids in by_dtype.values() for id in sorted(ids, key=digest)[:EACH]]
    assert chosen, f"{name} must have a golden case of 1 to {LARGEST} elements"
    return chosen


def one_of_each_kind(name):
    """A golden case of each dtype with each number of axes of the outputs: the smallest without an axis of one."""
    cases = {case.id: case for case in golden.cases(name, tier="core")}
    smallest = {}
    for entry in open_suite(DATA, name, LOCK).document["cases"]:
        shapes = [output["shape"] for output in entry.get("outputs", {}).values()]
        if shapes and all(0 not in shape for shape in shapes):
            kind = tuple((output["dtype"], len(output["shape"])) for output in entry["outputs"].values())
            rank = sum(shape.count(1) for shape in shapes), sum(map(math.prod, shapes)), entry["id"]
            smallest[kind] = min(rank, smallest.get(kind, rank))
    assert smallest
    return [cases[id] for _, _, id in smallest.values()]


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


def forms_of_out(shape, dtype, fill):
    """(form, buffer, array of that shape in the buffer) for each way in which `out` may lie in memory."""

    def filled(shape):
        return np.frombuffer(bytearray([fill]) * (math.prod(shape) * dtype.itemsize), dtype).reshape(shape)

    def within(form, axis, size, part):
        wide = filled((*shape[:axis], size, *shape[axis + 1 :]))
        return form, wide, wide[(slice(None),) * axis + (part,)]

    yield "C", (whole := filled(shape)), whole
    count = math.prod(shape)
    yield "offset", (longer := filled((count + 3,))), longer[2 : count + 2].reshape(shape)
    if not shape:
        return
    yield "Fortran", (whole := filled(shape[::-1])), whole.T
    yield "reversed", (whole := filled(shape)), whole[(slice(None, None, -1),) * len(shape)]
    yield "permuted", (whole := filled((*shape[1:], shape[0]))), np.moveaxis(whole, -1, 0)
    yield "exchanged", (whole := filled((*shape[:-2], *shape[:-3:-1]))), np.moveaxis(whole, -1, -min(len(shape), 2))
    for axis, size in enumerate(shape):
        yield within(f"strided along {axis}", axis, 2 * size + 1, slice(1, None, 2))
        yield within(f"padded along {axis}", axis, size + 2, slice(1, size + 1))
        yield within(f"backwards along {axis}", axis, size, slice(None, None, -1))


def written(call, wanted, what):
    """How many forms of `out` receive all of the result, which is returned, and leave what is around them alone."""
    fill = FILLS[digest(str(what))[0] % 2]
    options = [list(forms_of_out(array.shape, array.dtype, fill)) for array in wanted]
    most = max(map(len, options))
    for k in range(most):
        forms, buffers, outs = zip(*(forms[min(k, len(forms) - 1)] for forms in options), strict=True)
        result = call(outs if len(outs) > 1 else outs[0])
        parts = result if isinstance(result, tuple) else (result,)
        assert all(part is given for part, given in zip(parts, outs, strict=True)), (what, forms)
        same(outs, wanted, (what, forms))
        for buffer, given in zip(buffers, outs, strict=True):
            assert given.shape == () or np.shares_memory(buffer, given), (what, forms)
            given[...] = np.frombuffer(bytes([fill]) * given.itemsize, given.dtype)[0]
            assert set(buffer.tobytes()) <= {fill}, (what, forms)
    return most


def check_out(name):
    compared = 0
    for case in one_of_each_kind(name):
        function, arrays, arguments = prepared(case)
        wanted = called(function, arrays, arguments)
        call = partial(called_into, function, {**arguments, **arrays})
        compared += written(call, wanted, case.id)
    return compared


def called_into(function, arguments, out):
    return function(**arguments, out=out)


@pytest.mark.parametrize("name", sampled(WITH_OUT, 3))
def test_out_receives_all_of_the_result(name):
    assert check_out(name) >= 2 * len(one_of_each_kind(name))


RELATIVE = [[[0, 1, 9], [-1, 0, 30]], [[0, -2, -9], [2, 0, -30]]]
#: arguments that are read after the first element of a result was written
READ_LATE = {
    "log_buckets": lambda late, out: refpos.relative.log_buckets(
        RELATIVE, rule="cpm_ant", num_buckets=8, max_distance=20, num_segments=3, query_segments=late.reshape(2, 2),
        key_segments=[[0, 1, 2], [2, 1, 0]], out=out.reshape(2, 2, 3)),
    "masked_sine_2d": lambda late, out: refpos.absolute.masked_sine_2d(
        late.reshape(2, 2), 4, normalize=False, half_pixel=False, axis_order="hw",
        out=out.view(np.float64)[:16].reshape(2, 2, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", READ_LATE)
def test_out_may_not_overlap_what_is_read_late(name):
    for start in (0, 2, 11):
        buffer = np.zeros(28, np.int64)
        late, out = buffer[start : start + 4], buffer[: 12 if name == "log_buckets" else 16]
        late[...] = [0, 1, 1, 0]
        with pytest.raises(refpos.InputError, match="out must not overlap another argument"):
            READ_LATE[name](late, out)


def test_there_are_as_many_forms_of_out_as_stated():
    for axes in range(4):
        forms = list(forms_of_out((2, 3, 4)[:axes], np.dtype(np.float32), 7))
        assert len({form for form, _, _ in forms}) == len(forms) == (6 + 3 * axes if axes else 2)
        assert all(array.shape == (2, 3, 4)[:axes] and np.shares_memory(buffer, array) for _, buffer, array in forms)
    assert sum(not array.flags.c_contiguous for _, _, array in forms) == 12


# -- arrays of several axes -------------------------------------------------------------------------------------------

#: what takes a row as a whole, not number by number
WHOLE_ROWS = {("frames", "samples"): "windows of neighbours"}


def arrays_of_any_kind(name):
    """The arguments of a function that are annotated as positions or arrays."""
    parameters = inspect.signature(catalogue.ENTRIES[name].function).parameters
    found = [key for key, one in parameters.items() if re.search("PositionsLike|ArrayLike", str(one.annotation))]
    return [key for key in found if (name, key) not in WHOLE_ROWS]


def of_any_shape(name, key):
    """Whether the docstring of a function says that an argument may have any shape."""
    _, description = docstrings.parameters(inspect.getdoc(catalogue.ENTRIES[name].function))[key]
    return "any shape" in " ".join(description.lower().split())


def folded(where):
    """An argument in two rows; None where it is not one row."""
    where = np.arange(where) if type(where) is int and 2 <= where <= LARGEST else where
    if not isinstance(where, np.ndarray) or where.ndim != 1 or len(where) < 2:
        return None
    return where[: len(where) // 2 * 2].reshape(2, -1)


def in_two_rows(function, arrays, arguments, key):
    """(the call with the argument in two rows, what it must give), or None where rows do not follow the argument.

    What an argument of one row gives number by number, it gives of two rows too, if they are not refused.
    """
    rows = folded(arrays.get(key, arguments.get(key)))
    if rows is None:
        return None
    try:
        one_row = called(function, {**arguments, **arrays, key: rows.reshape(-1)}, {})
        if any(array.shape[:1] != (rows.size,) for array in one_row):
            return None
        call = {**arguments, **arrays, key: rows}
        called(function, call, {})
    except refpos.InputError:
        return None
    return call, [array.reshape(*rows.shape, *array.shape[1:]) for array in one_row]


def check_shapes(name):
    """The arguments that were compared: two rows give the rows of one, also in each form of `out`. What has several
    axes in a golden case is compared with the corpus."""
    compared = set()
    for case in cases_of(name):
        function, arrays, arguments = prepared(case)
        compared |= {key for key, array in arrays.items() if array.ndim > 1}
        for key in arrays_of_any_kind(name):
            if both := in_two_rows(function, arrays, arguments, key):
                call, wanted = both
                same(called(function, call, {}), wanted, (case.id, key))
                written(partial(called_into, function, call), wanted, (case.id, key))
                compared.add(key)
    return compared


@pytest.mark.parametrize("name", sampled(WITH_OUT, 3))
def test_arrays_of_two_axes(name):
    wanted = {key for key in arrays_of_any_kind(name) if of_any_shape(name, key)}
    missing = wanted - check_shapes(name)
    assert not missing, f"{name} must have a small golden case with {missing} in one row"


def test_many_arguments_have_any_shape():
    pairs = [(name, key) for name in WITH_OUT for key in arrays_of_any_kind(name) if of_any_shape(name, key)]
    assert len(pairs) > 18 and ("sinusoidal", "positions") in pairs and ("time2vec", "t") in pairs


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
    """Every integer among the arguments as 0 and as 1: arrays of the same kinds, or a refusal that names it."""
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
    """A view of all rows as one is a copy where the strides of `out` allow none."""

    def planted(*args, out=None, **more):
        found = function(*args, **more)
        if out is None:
            return found
        out.reshape(-1, out.shape[-1])[...] = found.reshape(-1, out.shape[-1])
        return out

    return planted


def gaps_are_written(function):
    """Into the memory that ends where `out` ends, as if it were contiguous."""

    def planted(*args, out=None, **more):
        found = function(*args, **more)
        if out is None:
            return found
        out[...] = found
        if out.ndim and out.strides[0] > out[0].nbytes:
            out.base.reshape(-1).view(np.uint8)[0] ^= 1
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


#: (fault, function, check)
PLANTED = [
    (out_is_not_written, "sinusoidal", check_out),
    (out_is_written_but_for_one, "sinusoidal", check_out),
    (out_is_not_returned, "sinusoidal", check_out),
    (rows_are_not_brought_back, "alibi", check_out),
    (gaps_are_written, "sinusoidal", check_out),
    (threads_are_ignored, "rope", check_threads),
    (an_input_is_changed, "rope", check_inputs),
    (strides_are_ignored, "rope", check_inputs),
    (lists_are_refused, "rope", check_lists),
    (calls_are_counted, "alibi", check_kernels),
    (a_size_of_0_crashes, "sinusoidal", check_sizes),
    (rows_are_not_brought_back, "sinusoidal", check_shapes),
    (rows_are_not_brought_back, "timestep_embedding", check_shapes),
]


@pytest.mark.parametrize("fault, name, check", PLANTED, ids=lambda part: getattr(part, "__name__", part))
def test_a_planted_fault_is_noticed(fault, name, check, monkeypatch):
    more = (monkeypatch,) if check in (check_threads, check_kernels) else ()
    assert check(name, *more)
    entry = catalogue.ENTRIES[name]
    planted = update_wrapper(fault(entry.function), entry.function)
    monkeypatch.setitem(catalogue.ENTRIES, name, replace(entry, function=planted))
    with pytest.raises((AssertionError, refpos.InputError, ZeroDivisionError)):
        check(name, *more)
