"""Memory: what a call takes beside its output, files larger than memory, and calls from many threads."""

import itertools
import os
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import kernels
from refpos.kernels import mapped_memory

FORMATS = ("float64", "float32", "float16", "bfloat16")
MIB = 1 << 20
SIZE = (32 if kernels.name == "compiled" else 16) * MIB
FILE = (256 if kernels.name == "compiled" else 128) * MIB
LIMIT = (4 if kernels.name == "compiled" else 12) * MIB  # of one thread


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


# -- temporaries ------------------------------------------------------------------------------------------------------


def beside(call):
    """The most bytes that NumPy and Python held at a time during a call, over what they held before it."""
    call()  # what is kept from call to call is there now
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def calls(name):
    """(what, call(threads)) for outputs of SIZE, which are there beforehand."""
    kind = dtype_of(name)
    count = SIZE // kind.itemsize // 256
    table, pair = np.empty((count, 256), kind), (np.empty((count, 128), kind), np.empty((count, 128), kind))
    frequencies = refpos.inverse_frequencies(256)
    scattered = np.random.default_rng(1).integers(0, 2**31, count)
    x = np.ones((1, 8, count // 4, 128), kind)
    turned = np.empty_like(x)
    swapped = x if name == "bfloat16" else x.byteswap().view(kind.newbyteorder())
    half = {"pairing": "half", "out": turned}
    yield "rope of another byte order", lambda threads: refpos.rope(swapped, count // 4, threads=threads, **half)
    yield "partial rope", lambda threads: refpos.rope(x, count // 4, rotary_dim=64, threads=threads, **half)
    grid, bias = np.empty((256, count // 256, 256), kind), np.empty((8, 1024, count // 32), kind)
    weight = np.ones((32, 8), kind)
    options = {"dtype": name, "out": table}
    yield "table", lambda threads: refpos.sinusoidal(count, 256, threads=threads, **options)
    floats = scattered / 2.0**20 + 0.1  # of many exponents
    yield "floats", lambda threads: refpos.sinusoidal(floats, 256, threads=threads, **options)
    yield "scattered", lambda threads: refpos.sinusoidal(scattered, 256, threads=threads, **options)
    yield "pair", lambda threads: refpos.rope_table(count, frequencies, dtype=name, out=pair, threads=threads)
    for pairing, out in itertools.product(("half", "interleaved"), (turned, x)):
        one = {"pairing": pairing, "out": out}
        yield f"rope {pairing}", lambda threads: refpos.rope(x, count // 4, threads=threads, **one)
    one = {"axis_order": "hw", "dtype": name, "out": grid}
    yield "grid", lambda threads: refpos.sincos_2d(*grid.shape, threads=threads, **one)
    yield "alibi", lambda threads: refpos.alibi(*bias.shape, dtype=name, out=bias, threads=threads)
    more = {"bidirectional": True, "out": bias}
    yield "t5", lambda threads: refpos.t5_bias(weight, *bias.shape[1:], threads=threads, **more)


# the other formats take the same ways through the kernels, with other stores
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["bfloat16", "float64", "float32", "float16"])
def test_no_call_takes_much_beside_its_output(name):
    for what, call in calls(name):
        for threads in (1, 2):
            held = beside(lambda: call(threads))
            assert held < LIMIT * threads, (what, threads, held / MIB)


def test_the_check_sees_a_temporary():
    out = np.empty((1 << 16, 64))
    assert beside(lambda: np.copyto(out, refpos.sinusoidal(len(out), 64))) > 32 * MIB


# -- resident memory, in processes of their own -----------------------------------------------------------------------

MEASURE = """
import sys, threading
import numpy as np
import refpos

def peak():
    "the most bytes that this program ever had in memory; not ru_maxrss, which begins with what the parent had"
    return status("VmHWM")

def resident():
    return status("VmRSS")

def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))
"""


def measured(code, *arguments):
    """The numbers that a fresh process prints in its last line."""
    environment = {
        **os.environ,
        kernels.VARIABLE: kernels.name,
        "PYTHONPATH": str(Path(refpos.__file__).resolve().parent.parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", MEASURE + textwrap.dedent(code), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.splitlines()[-1].split()]


@pytest.mark.parametrize("name", ("float64", "float32", "float16"))
def test_peak_of_the_process(name):
    before, after = measured(
        """
        name = sys.argv[1]
        out = np.zeros(2**27 // np.dtype(name).itemsize, name)
        out[...] = 1
        def work():
            refpos.sinusoidal(len(out) // 512, 512, dtype=name, out=out.reshape(-1, 512), threads=2)
            x = out.reshape(1, 8, -1, 128)
            refpos.rope(x, x.shape[2], pairing="half", out=x, threads=2)
            refpos.alibi(8, 1024, len(out) // 8192, dtype=name, out=out.reshape(8, 1024, -1), threads=2)
        before = peak()
        work()
        print(before, peak())
        """,
        name,
    )
    assert 128 * MIB < before and after - before < 16 * MIB


FILL = """
gib, where, how = float(sys.argv[1]), sys.argv[2], sys.argv[3]
count = int(gib * 2**30) // 2048
out = np.lib.format.open_memmap(where, "w+", dtype=np.float32, shape=(count, 512))
frequencies = refpos.inverse_frequencies(512)
one = dict(dtype="float32")
refpos.sinusoidal(10, 512, **one)
before = peak()
if how == "blocks":
    for start, piece in refpos.blocks(refpos.sinusoidal, count, 512, out=out, **one):
        assert piece[0, 1] == np.float32(refpos.sinusoidal([start], 2)[0, 1])
elif how == "sinusoidal":
    refpos.sinusoidal(count, 512, out=out, **one)
elif how == "sin-cos, a view":
    refpos.sinusoidal(count, 512, layout="sin-cos", out=np.asarray(out), **one)
elif how == "rope_table":
    refpos.rope_table(count, frequencies, out=(out[:, :256], out[:, 256:]), **one)
elif how.startswith("rope"):
    x = out if how == "rope in place" else np.lib.format.open_memmap(where + ".x", "w+", out.dtype, out.shape)
    with open(x.filename, "r+b") as file:
        file.seek(x.offset)
        for row in range(0, count, 64):  # not through the map
            file.write(np.arange(row * 512, (row + 64) * 512).astype(np.float32).tobytes())
    x, out = x.reshape(8, -1, 256), out.reshape(8, -1, 256)
    refpos.rope(x, x.shape[1], frequencies=refpos.inverse_frequencies(128), pairing="half", out=out)
elif how == "sincos_3d":
    refpos.sincos_3d(count // 64, 8, 8, 512, widths=(172, 170, 170), out=out.reshape(-1, 8, 8, 512), **one)
elif how == "alibi":
    refpos.alibi(2, count // 4, 1024, out=out.reshape(2, -1, 1024), **one)
else:
    for start in range(0, count, 8192):
        out[start : start + 8192] = 1
print(before, peak())
"""


def rows_of(path, rows):
    """Rows of a file that the tests above wrote, with the position of each."""
    table = np.load(path, mmap_mode="r")
    at = np.unique(np.concatenate([np.random.default_rng(2).integers(0, len(table), rows), [0, len(table) - 1]]))
    return at, np.array(table[at])


def wanted(how, at, count):
    """Those rows, made in memory."""
    if how in ("blocks", "sinusoidal"):
        return refpos.sinusoidal(at, 512, dtype="float32")
    if how == "sin-cos, a view":
        return refpos.sinusoidal(at, 512, layout="sin-cos", dtype="float32")
    if how == "rope_table":
        return np.hstack(refpos.rope_table(at, refpos.inverse_frequencies(512), dtype="float32"))
    if how == "sincos_3d":
        frames = count // 64
        return refpos.sincos_3d(frames, 8, 8, 512, widths=(172, 170, 170), dtype="float32").reshape(-1, 512)[at]
    if how == "alibi":
        # two heads with slopes 1/16 and 1/256; two rows for each query, of which the last has the last position
        head, row = np.divmod(at, count // 2)
        distance = row[:, None] % 2 * 512 + np.arange(512) - (1024 - count // 4 + row[:, None] // 2)
        return np.where(distance > 0, -np.inf, distance / 16.0 ** (head[:, None] + 1)).astype(np.float32)
    # eight heads, two positions in each row
    x = (at[:, None] * 512 + np.arange(512)).astype(np.float32)
    position = at % (count // 8) * 2
    return np.hstack(
        [refpos.rope(x[:, k * 256 :][:, :256], position + k, rotary_dim=128, pairing="half") for k in (0, 1)]
    )


FILES = (
    "blocks",
    "sinusoidal",
    "sin-cos, a view",
    "rope_table",
    "rope, of a file",
    "rope in place",
    "alibi",
    "sincos_3d",
    "NumPy",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", FILES)
def test_a_file_is_in_memory_by_blocks_only(tmp_path, how):
    before, after = measured(FILL, FILE / 2**30, tmp_path / "table.npy", how)
    if how == "NumPy":
        # in memory until the system needs the room: this shows that the measurement sees it
        assert after - before > 0.8 * FILE
        return
    at, rows = rows_of(tmp_path / "table.npy", 2000)
    assert np.array_equal(bits(rows), bits(wanted(how, at, FILE // 2048)))
    assert after - before < 0.375 * FILE  # blocks of two threads, of x and of the output


@pytest.mark.long
@pytest.mark.parametrize("how", ("blocks", "sinusoidal"))
def test_a_file_of_twenty_gibibytes(tmp_path, how):
    path = tmp_path / "table.npy"
    try:
        before, after = measured(FILL, 20, path, how)
        at, rows = rows_of(path, 10**5)
        size = path.stat().st_size
    finally:
        path.unlink()
    assert np.array_equal(bits(rows), bits(wanted(how, at, None)))
    assert size > 20 * 2**30 and after < 1 << 30
    print(f"{how}: {size} bytes written, at most {after} in memory ({before} before), {len(at)} rows checked")


# -- pieces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_pieces_are_the_table(name):
    frequencies = refpos.inverse_frequencies(10)
    scattered = np.random.default_rng(3).integers(-(2**31), 2**31, (50, 3))
    for positions in (100, range(5, 300, 3), scattered, scattered / 4, list(range(9)), 0):
        whole = refpos.sinusoidal(positions, 33, dtype=name)
        pair = refpos.rope_table(positions, frequencies, dtype=name)
        for rows in (1, 7, 64, 1000):
            found = list(refpos.blocks(refpos.sinusoidal, positions, 33, rows=rows, dtype=name))
            assert [start for start, _ in found] == list(range(0, max(1, len(whole)), rows))
            assert np.array_equal(bits(np.concatenate([piece for _, piece in found])), bits(whole))
            out = np.empty_like(whole)
            for _, piece in refpos.blocks(refpos.sinusoidal, positions, 33, rows=rows, dtype=name, out=out):
                assert np.shares_memory(piece, out) or not out.size
            assert np.array_equal(bits(out), bits(whole))
            outs = [np.empty_like(array) for array in pair]
            options = {"rows": rows, "dtype": name, "out": outs}
            pairs = [piece for _, piece in refpos.blocks(refpos.rope_table, positions, frequencies, **options)]
            for which in range(2):
                assert np.array_equal(bits(outs[which]), bits(pair[which]))
                assert np.array_equal(bits(np.concatenate([piece[which] for piece in pairs])), bits(pair[which]))


@pytest.mark.parametrize(
    "code, argument, positions, more",
    [
        ("E_SIZE", "rows", 5, {"rows": 0}),
        ("E_SIZE", "rows", 5, {"rows": 2.0}),
        ("E_SHAPE", "positions", 0.5, {}),
        ("E_SHAPE", "positions", np.array(3), {}),
        ("E_POSITION", "positions", -1, {}),
        ("E_POSITION", "positions", None, {}),
        ("E_OUT", "out", 5, {"out": np.empty((4, 4))}),
        ("E_OUT", "out", 5, {"out": "file"}),
        ("E_OUT", "out", 5, {"out": np.empty((5, 3))}),
        ("E_CHOICE", "layout", 5, {"layout": "other"}),
    ],
)
def test_what_pieces_refuse(code, argument, positions, more):
    with pytest.raises(refpos.InputError) as caught:
        next(refpos.blocks(refpos.sinusoidal, positions, 4, **more))
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_pages_given_back_keep_their_values(tmp_path):
    """Also where pieces begin within a page, in other strides, and in private maps, which are left alone."""
    want = refpos.sinusoidal(3000, 7)
    for mode, order in (("w+", "C"), ("r+", "C"), ("r+", "F"), ("c", "C")):
        out = np.memmap(tmp_path / "values", np.float64, mode, offset=1000, shape=(3000, 7), order=order)
        for _ in refpos.blocks(refpos.sinusoidal, 3000, 7, rows=11, out=out[::-1]):
            pass
        assert np.array_equal(bits(out[::-1]), bits(want)), (mode, order)
        out[...] = -1
        mapped_memory.give_back(out)
        assert (out == -1).all()


# -- many threads at once ---------------------------------------------------------------------------------------------

SHARED = """
count, calls = int(sys.argv[1]), int(sys.argv[2])
frequencies = refpos.inverse_frequencies(128, base=500000)
rng = np.random.default_rng(4)
x = rng.normal(size=(8, 33, 128)).astype(np.float32)
asked = [dict(pairing=pairing, positions=positions, threads=threads)
         for pairing in ("half", "interleaved")
         for positions in (33, rng.integers(0, 2**31, 33), rng.uniform(0, 100, 33))
         for threads in (1, 2)]
want = [refpos.rope(x, frequencies=frequencies, **one).tobytes() for one in asked]
wrong = []

def work(thread, calls):
    for k in range(calls):
        at = (k + thread) % len(asked)
        if refpos.rope(x, frequencies=frequencies, **asked[at]).tobytes() != want[at]:
            wrong.append((thread, k))

def run(calls):
    threads = [threading.Thread(target=work, args=(k, calls)) for k in range(count)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return resident()

first = run(calls // 4 // count)
last = run(calls // count)
print(len(wrong), first, last)
"""


def shared_frequencies(calls):
    """How many calls of eight threads gave other bytes, and by how many bytes the process grew."""
    wrong, first, last = measured(SHARED, 8, calls)
    print(f"{calls} calls: {wrong} differ, {first} bytes in memory after a quarter as many, {last} at the end")
    return wrong, last - first


def test_eight_threads_share_frequencies():
    wrong, growth = shared_frequencies(800)
    assert wrong == 0 and growth < 4 * MIB


@pytest.mark.long
def test_eight_threads_share_frequencies_for_long():
    wrong, growth = shared_frequencies(10**4)
    assert wrong == 0 and growth < 4 * MIB  # 420 bytes a call


# -- functions that make indices, products or parts of what they return -----------------------------------------------

NUMBERS = np.random.default_rng(2)
STREAMED = {
    "gated_table": ((NUMBERS.random((4096, 512), np.float32), 0.5), {"complement": True}),
    "frames": ((NUMBERS.random(1_000_000, np.float32),), {"size": 400, "hop": 160, "padding": "reflect"}),
    "audio_patches": ((NUMBERS.random((4096, 512), np.float32),), {"outer": "frequency"}),
    "functional_time": ((np.arange(20_000) * 1000, 128), {}),
    "hyena_features": ((20_000, 65), {}),
    "learned": ((NUMBERS.random((4096, 512), np.float32), NUMBERS.integers(0, 4096, 8192)), {}),
    "learned_axes": ((list(NUMBERS.random((2, 128, 256))), (64, 128)), {"combine": "sum"}),
    "relative_rows": ((2000, 1500), {"sign": "absolute", "low": 0, "high": 1999, "outside": "refuse"}),
    "window_rows": ((48, 48), {"sign": "query-key"}),
    "binary_code": ((200_000, 20), {"lowest_first": True}),
    "grid_positions": (((8, 200, 200),), {}),
    "decay": ((8, 600, 600), {"rule": "retnet"}),
    "calendar_features": ((NUMBERS.integers(0, 2**31, 140_000),), {"frequency": "s", "zone": "UTC"}),
    "calendar_rows": ((NUMBERS.integers(0, 2**31, 140_000),), {"rule": "gluonts", "frequency": "s", "zone": "UTC"}),
    "cosmos_learnable": ((NUMBERS.random((3, 32, 64), np.float32), (32, 32, 32)), {}),
    "normalised_sinusoidal": ((8192, 128), {}),
    "cope": (
        (NUMBERS.random((1024, 1024), np.float32), NUMBERS.random((1024, 8)), NUMBERS.random((32, 8))),
        {"scale": 1, "mask": np.tri(1024, dtype=bool)},
    ),
    "resize_packed": (
        (NUMBERS.random((8, 8, 64), np.float32), [[12, 48, 48]]),
        {"method": "linear", "align": "corners", "merge_size": 2},
    ),
    "irpe_rows": ((32, 32), {"method": "product", "alpha": 2, "beta": 4, "gamma": 15}),
    "t5_buckets": ((np.arange(1024) - np.arange(1024)[:, None],), {"bidirectional": True}),
}


@pytest.mark.parametrize("name", sampled(list(STREAMED), 4))
def test_what_is_made_on_the_way_is_made_in_blocks(name):
    given, named = STREAMED[name]
    entry = refpos.catalogue.find(name)
    named = {**named, **({"threads": 1} if "threads" in entry.parameters else {})}
    size = []

    def call():
        size[:] = [entry.function(*given, **named).nbytes]

    held = beside(call)
    assert size[0] > 6 * MIB and held - size[0] < LIMIT, (held / MIB, size[0] / MIB)
