"""Twins: kernels, threads, block sizes and kinds of store never change a bit, nor a byte beside the output.

The reference is NumPy's kernels on one thread. Where the compiled kernels are built, each instruction set that this
machine runs is compared with them; otherwise NumPy's are, with other threads and blocks.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import kernels
from refpos.kernels import numpy_kernels
from refpos.steps.waves import rotation, rotation_plan, tables

FORMATS = ("float64", "float32", "float16", "bfloat16")
LAYOUTS = ("interleaved", "sin-cos", "cos-sin")
PAIRINGS = ("half", "interleaved")
CPUS = kernels.active.cpus() if kernels.name == "compiled" else []
STORES = (0, 1 << 62)  # from how many bytes on stores go past the cache: always, never
BLOCKS = (None, 1, 7, 61, 997, 12345)  # None: as it is
CANARY = 0xA5
EDGE = 96  # canaries on either side, in elements

# every pair of threads and blocks comes up within 48 calls
TURNS = itertools.cycle([(threads, BLOCKS[(threads + k) % len(BLOCKS)]) for k in range(6) for threads in range(1, 9)])


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


@pytest.fixture
def use(monkeypatch):
    """A function that chooses kernels ("numpy" or an instruction set), the kind of store and the block size."""
    before = kernels.active.cpu() if CPUS else None
    ran = kernels.active

    def choose(name, store, block):
        monkeypatch.undo()
        monkeypatch.setattr(kernels, "active", numpy_kernels if name == "numpy" else ran)
        monkeypatch.setattr(tables, "STREAM", store)
        monkeypatch.setattr(kernels.active, "CACHED_BYTES", 0)
        if block is not None:
            monkeypatch.setattr(kernels.active, "BLOCK", block)
        if name != "numpy":
            kernels.active.use_cpu(name)

    yield choose
    monkeypatch.undo()
    if CPUS:
        kernels.active.use_cpu(before)


def ways():
    """Kernels and stores, each with threads and a block size that change from call to call."""
    for name in CPUS:
        for store in STORES:
            yield name, store, *next(TURNS)
    if not CPUS:
        yield "numpy", STORES[0], *next(TURNS)


def guarded(shape, name, skip, gap=0):
    """An array within canaries: from `skip` elements after them on, with `gap` canaries after each row; and all."""
    dtype = dtype_of(name)
    wide = (*shape[:-1], shape[-1] + gap)
    count = int(np.prod(wide))
    memory = np.full((2 * EDGE + skip + count) * dtype.itemsize, CANARY, np.uint8)
    elements = memory.view(dtype)[EDGE + skip : EDGE + skip + count]
    return elements.reshape(wide)[..., : shape[-1]], memory


def untouched(memory, array):
    """Whether all canaries are what they were."""
    array.view(f"u{array.dtype.itemsize}")[...] = int.from_bytes([CANARY] * array.dtype.itemsize, "little")
    return bool((memory == CANARY).all())


def compare(use, call, shapes, name, what, *, ways=ways, contents=None, reference=None):
    """call(out, threads) the reference way and every other: the same bits, and no canary touched.

    shapes: of each output; contents: what an output holds before; reference: the call that says what is expected, if
    it is another one. Returns how many elements were compared.
    """
    use("numpy", STORES[1], None)
    expected = [bits(array).copy() for array in run(reference or call, [None] * len(shapes), 1, contents)]
    total = 0
    for turn, (kernel, store, threads, block) in enumerate(ways()):
        use(kernel, store, block)
        where = what, kernel, store, threads, block
        skip, gap = int(RNG.integers(9)), int(RNG.integers(4)) * (turn % 2)
        outputs = [guarded(shape, name, skip + k, gap) for k, shape in enumerate(shapes)]
        if turn % 3 == 2:
            outputs = [(None, None)] * len(shapes)
        results = run(call, [out for out, _ in outputs], threads, contents)
        for array, pattern, (_, memory) in zip(results, expected, outputs, strict=True):
            assert array.shape == pattern.shape and np.array_equal(bits(array), pattern), where
            assert memory is None or untouched(memory, array), where
            total += pattern.size
    return total


RNG = np.random.default_rng(35)


def run(call, outs, threads, contents):
    if contents is not None:
        outs = [np.empty(contents.shape, contents.dtype) if out is None else out for out in outs]
        for out in outs:
            out[...] = contents
    result = call(outs if len(outs) > 1 else outs[0], threads)
    return result if isinstance(result, tuple) else (result,)


# -- memory of exactly its size ---------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_memory_of_exactly_its_size(use, name):
    """What writes or reads past an end is seen by tests/sanitize.py, which runs this first; all ways agree, too."""
    results = []
    for kernel, store, threads, block in ways():
        use(kernel, store, block)
        results.append(list(everything(name, threads)))
    use("numpy", STORES[1], None)
    for expected, *others in zip(everything(name, 1), *results, strict=True):
        assert others and all(np.array_equal(expected, other) for other in others)


def everything(name, threads):
    """The bits of small outputs of every kernel, each in memory of its own."""

    def results():
        for dim in (*range(2, 36, 2), 64, 66):
            frequencies = refpos.inverse_frequencies(dim)
            for layout in LAYOUTS:
                yield refpos.sinusoidal(65, dim, layout=layout, dtype=name, threads=threads)
                yield refpos.sinusoidal([9, 5, 2], dim - 1, layout=layout, dtype=name, threads=threads)
            yield from refpos.rope_table(65, frequencies, dtype=name, threads=threads)
            yield refpos.sincos_2d(3, 5, 2 * dim, axis_order="hw", dtype=name, threads=threads)
            for pairing in PAIRINGS:
                x = np.ones((2, 33, dim), dtype_of(name))
                yield refpos.rope(x, 33, pairing=pairing, threads=threads)
                yield refpos.rope(x, 33, pairing=pairing, threads=threads, out=x)
            yield refpos.alibi(2, 3, dim, dtype=name, threads=threads)

    return map(bits, results())


# -- tables -----------------------------------------------------------------------------------------------------------

POSITIONS = [
    0, 1, 64, 65, 131,
    np.arange(131072, 130800, -3),
    RNG.integers(-(2**53), 2**53, 33),
    RNG.uniform(-1e4, 1e4, 21),
    np.arange(-70, 70).reshape(2, 70),
    np.array([0, 0.5, 1e-300, 2.0**900, -3.25, 4095]),
]  # fmt: skip


def count_of(positions):
    return (positions,) if isinstance(positions, int) else positions.shape


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_sinusoidal_of_every_width(use, name):
    turn, compared = itertools.count(), 0
    for dim in [*range(1, 71), 128, 257, 1030]:
        for layout in LAYOUTS:
            k = next(turn)
            positions = POSITIONS[k % len(POSITIONS)]
            odd = "pad" if dim > 1 and k % 2 else "truncate"
            options = {"layout": layout, "dtype": name, "endpoint": k % 5 == 4, "odd": odd}
            compared += compare(
                use,
                lambda out, threads: refpos.sinusoidal(positions, dim, out=out, threads=threads, **options),
                [(*count_of(positions), dim)],
                name,
                (dim, k % len(POSITIONS), options),
            )
    assert compared > 10**5


def rope_table_of(positions, frequencies, name):
    """What `compare` calls: with an output that exists already, or without."""
    return lambda out, threads: refpos.rope_table(
        positions, frequencies, dtype=name, threads=threads, **({} if out[0] is None else {"out": out})
    )


@pytest.mark.parametrize("name", FORMATS)
def test_rope_table_of_every_width(use, name):
    compared = 0
    for dim in [*range(2, 68, 2), 128, 258]:
        frequencies = refpos.inverse_frequencies(dim, base=500000)
        positions = POSITIONS[dim // 2 % len(POSITIONS)]
        shape = (*count_of(positions), dim // 2)
        compared += compare(
            use,
            rope_table_of(positions, frequencies, name),
            [shape, shape],
            name,
            (dim, dim // 2 % len(POSITIONS)),
        )
    assert compared


SCATTERED = [
    RNG.permutation(200),
    np.sort(RNG.integers(0, 2**31, 150)),
    np.sort(RNG.integers(0, 2**31, 70))[::-1],
    RNG.choice([0, 1, -1, 2**31, 2**32 - 1, 2**32, -(2**32), 2**53, -(2**53)], 66),
    RNG.integers(-(2**53), 2**53, 65),
    RNG.integers(-(2**40), 2**40, 67) / 8,
    2.0**62 - 2.0**40 * RNG.integers(-3, 99, 5),
    np.tile(np.arange(40), 4),
]  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("factor", sampled([1, 8.0], 2))
def test_scattered_rows(use, name, factor):
    """Positions that are no arithmetic run, more than are done together: with and without an attention factor."""
    compared = 0
    for dim, positions in itertools.product((64, 90, 256), SCATTERED):
        frequencies = refpos.inverse_frequencies(dim)
        if factor != 1:
            frequencies = refpos.yarn(dim, base=10000.0, factor=factor, original_max_position_embeddings=2048)
        compared += compare(
            use,
            rope_table_of(positions, frequencies, name),
            [(len(positions), dim // 2)] * 2,
            name,
            (dim, positions[:3], factor),
        )
    assert compared > 10**5


#: of 4 * 10**9 values (8 bases, 256 frequencies, 2**20 positions) those so near a midpoint of two float32 that the
#: double of the compiled kernels lies on its wrong side: base, position, column
WRONG_SIDE = [
    (500000, 816978, 91), (1000, 285290, 11), (1000, 651816, 85), (20, 209107, 53), (20, 897231, 237),
    (20, 1044166, 138), (10**7, 461372, 173), (10**7, 557864, 7), (5, 182392, 225), (5, 443536, 205),
]  # fmt: skip


def test_values_whose_double_is_on_the_wrong_side_of_a_midpoint(use):
    for base, position, _ in WRONG_SIDE:
        start = position - position % rotation_plan.STEPS
        where, frequencies = np.arange(start, start + rotation_plan.STEPS), refpos.inverse_frequencies(512, base=base)
        assert compare(
            use,
            lambda out, threads: (
                refpos.rope_table(where, frequencies, dtype="float32", out=out, threads=threads)
                if out[0] is not None
                else refpos.rope_table(where, frequencies, dtype="float32", threads=threads)
            ),
            [(rotation_plan.STEPS, 256)] * 2,
            "float32",
            (base, position),
        )


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_count_of_threads_with_every_block(use, name, layout):
    """The whole product on one table of evenly spaced and one of scattered positions."""
    for positions in (700, RNG.integers(0, 2**31, 40)):
        every = list(itertools.product(CPUS or ["numpy"], STORES, range(1, 9), BLOCKS))
        assert compare(
            use,
            lambda out, threads: refpos.sinusoidal(positions, 34, layout=layout, dtype=name, out=out, threads=threads),
            [(*count_of(positions), 34)],
            name,
            (layout, positions),
            ways=lambda: every,
        )


@pytest.mark.parametrize("name", FORMATS)
def test_outputs_in_other_strides(use, name):
    """Reversed, Fortran and every second element, where rows have no unit stride."""
    expected = refpos.sinusoidal(200, 26, dtype=name)
    for how in range(4):
        for kernel, store, threads, block in ways():
            use(kernel, store, block)
            wide, memory = guarded((400, 52), name, 3)
            strided = (wide[::2, ::2], wide[399::-2, 51::-2], wide[::2, 25::-1], wide.reshape(52, 400)[::2, ::2].T)[how]
            refpos.sinusoidal(200, 26, dtype=name, out=strided, threads=threads)
            assert np.array_equal(bits(strided), bits(expected)), (how, kernel, store, threads, block)
            assert untouched(memory, strided), (how, kernel, store, threads, block)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("half", [5, 64, 128])
def test_pairs_of_outputs_that_run_apart(use, name, half):
    """Sines and cosines side by side in one row alone: the rows of the one go up, those of the other down."""
    frequencies, size = refpos.inverse_frequencies(2 * half), dtype_of(name).itemsize
    expected = refpos.rope_table(9, frequencies, dtype=name)
    for first, second in ((np.s_[:half], np.s_[half:]), (np.s_[::2], np.s_[1::2])):
        for (kernel, store, threads, block), skip in itertools.product(ways(), (1, *range(0, 64 // size, 16 // size))):
            use(kernel, store, block)
            wide, memory = guarded((19, 2 * half), name, skip)
            sin, cos = wide[9:18, first], wide[9:0:-1, second]
            refpos.rope_table(9, frequencies, dtype=name, threads=threads, out=(cos, sin))
            where = first, skip, kernel, store, threads, block
            assert np.array_equal(bits(cos), bits(expected[0])) and np.array_equal(bits(sin), bits(expected[1])), where
            wide[...] = 0
            assert untouched(memory, wide), where


# -- the test with own seeds ---------------------------------------------------------------------------------------

#: radii of the first test so wide that nearly all entries stay undecided
WIDE = {"float64": 2.0**-52, "float32": 2.0**-22, "float16": 2.0**-9, "bfloat16": 2.0**-6}


def widen(monkeypatch, name):
    """Set the radii of the first test; a function that counts the entries rounded exactly, in integers, since then."""
    exact_calls = []
    for module, function in ((tables, "_round_exactly"), (rotation, "_round_pair_exactly")):
        monkeypatch.setattr(module, "PAIR_RADIUS", WIDE[name])
        monkeypatch.setattr(module, "DOUBLE_RADIUS", WIDE[name])
        original = getattr(module, function)
        monkeypatch.setattr(module, function, lambda *all, original=original: exact_calls.append(0) or original(*all))
    return lambda: len(exact_calls)


@pytest.mark.parametrize("name", FORMATS)
def test_what_the_first_test_leaves_undecided_is_tested_with_its_own_seed(use, monkeypatch, name):
    frequencies = refpos.inverse_frequencies(48, base=500)
    axes = refpos.frequencies.axial_frequencies((24, 24), arrangement="interleaved")
    x = RNG.normal(size=(3, 23, 48)).astype(dtype_of(name))

    def results():
        yield from refpos.rope_table(np.arange(131072, 131095), frequencies, dtype=name)
        yield refpos.sinusoidal(np.arange(900, 830, -3), 47, layout="cos-sin", dtype=name)
        yield refpos.rope(x, 2**40 + np.arange(23), pairing="half", frequencies=frequencies)
        yield refpos.rope(x, -np.arange(23), pairing="interleaved", frequencies=frequencies, inverse=True)
        yield refpos.rope(x, [7 - np.arange(23), 2 * np.arange(23)], pairing="half", frequencies=axes)

    use("numpy", STORES[1], None)
    wanted = [bits(array) for array in results()]
    for cpu in CPUS:
        use(cpu, STORES[1], None)
        count = widen(monkeypatch, name)
        for array, pattern in zip(results(), wanted, strict=True):
            assert np.array_equal(bits(array), pattern), cpu
        # of some 4000 entries: those that are exact, at position 0, or undecided again in float64
        assert count() < 300, (cpu, count())
    use("numpy", STORES[1], None)
    count = widen(monkeypatch, name)
    refpos.rope_table(3, frequencies, dtype=name, threads=2)  # small tables keep the radii with the frequencies
    assert count() > 24


def test_a_narrower_second_radius_goes_wrong(use, monkeypatch):
    # slow frequencies: results far below 1 have fine spacing, so that absolute errors reach roundings
    slow = refpos.inverse_frequencies(64, base=10**12)
    truth = refpos.rope_table(15000, slow)
    for cpu in CPUS:
        wrong = {}
        for halvings in (0, 8):
            use(cpu, STORES[1], None)
            widen(monkeypatch, "float64")
            monkeypatch.setattr(tables, "SEED_RADIUS", 2.0 ** -(77.8 + halvings))
            wrong[halvings] = sum(
                int((a != b).sum()) for a, b in zip(refpos.rope_table(15000, slow), truth, strict=True)
            )
        assert wrong[0] == 0 and wrong[8] > 0, (cpu, wrong)


def test_entries_with_a_factor_are_rounded_exactly(use, monkeypatch):
    frequencies = refpos.yarn(16, factor=4.0, original_max_position_embeddings=64)
    use("numpy", STORES[1], None)
    wanted = refpos.rope_table(9, frequencies)
    for cpu in CPUS or ["numpy"]:
        use(cpu, STORES[1], None)
        count = widen(monkeypatch, "float64")
        for array, expected in zip(refpos.rope_table(9, frequencies), wanted, strict=True):
            assert np.array_equal(bits(array), bits(expected)), cpu
        assert count() > 40, (cpu, count())


# -- rotation ---------------------------------------------------------------------------------------------------------

AXES = {-2: (3, 37), -3: (37, 3), 0: (37, 2, 2), 1: (2, 37, 1, 2)}  # seq_axis: the axes before the channels


def channels(axis, dim, name, pairing, positions, frequencies):
    """Random x with NaN, infinities, subnormal numbers, zeros of both signs, extremes and pairs that nearly cancel."""
    kind = dtype_of(name)
    shape = (*AXES[axis], dim)
    rows = np.zeros((*shape[:axis], *shape[axis + 1 : -1], shape[axis], dim), kind)
    with np.errstate(all="ignore"):
        rows[...] = RNG.normal(size=rows.shape).astype(kind)
        # the first position, a few pairs: x cos - y sin is 0 but for the rounding of x and y
        cos, sin = refpos.rope_table(positions, frequencies)
        pairs = (slice(0, dim, 2), slice(1, dim, 2)) if pairing == "interleaved" else (
            slice(dim // 2), slice(dim // 2, dim))  # fmt: skip
        for values, pair in zip((sin, cos), pairs, strict=True):
            rows[..., 0, pair][..., :5] = (values * 3)[0, :5].astype(kind)
        info = ml_dtypes.finfo(kind)
        extremes = [float(value) for value in (info.smallest_subnormal, info.tiny, info.max)]
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.0, *extremes]).astype(kind)
        at = RNG.integers(0, rows.size, 40)
        rows.reshape(-1)[at] = special[RNG.integers(0, len(special), 40)]
    return np.ascontiguousarray(np.moveaxis(rows, -2, axis))


def forms(x):
    """The same array in every way memory may hold it."""
    for skip in range(1, 8):
        elements = np.zeros(x.size + 8, x.dtype)[skip : skip + x.size].reshape(x.shape)
        elements[...] = x
        yield f"{skip} elements on", elements
    yield "reversed", np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    yield "channels reversed", np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    yield "Fortran", np.asfortranarray(x)
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]), x.dtype)
    wide[..., 1::3] = x
    yield "every third", wide[..., 1::3]
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    unaligned[...] = x
    yield "one byte on", unaligned
    if x.dtype.kind == "f":  # ml_dtypes has no other byte order
        yield "byte-swapped", x.astype(x.dtype.newbyteorder("S"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_of_pairs_that_nearly_cancel(use, name, pairing):
    """32768 pairs whose first result is far below a last place of the channels, where errors of their size weigh."""
    positions, frequencies = np.arange(64) + 7, refpos.inverse_frequencies(1024, base=10)
    cos, sin = refpos.rope_table(positions, frequencies)
    x = np.empty((64, 1024), dtype_of(name))
    pairs = np.s_[:, ::2], np.s_[:, 1::2]
    if pairing == "half":
        pairs = np.s_[:, :512], np.s_[:, 512:]
    sizes = RNG.uniform(2**12, 2**14, (64, *cos.shape))
    first, second = ((sizes * values).astype(x.dtype) for values in (sin, cos))
    nearest = np.abs(first * cos - second * sin).argmin(axis=0)[None]
    for pair, drawn in zip(pairs, (first, second), strict=True):
        x[pair] = np.take_along_axis(drawn, nearest, axis=0)[0]
    assert compare(
        use,
        lambda out, threads: refpos.rope(
            x, positions, pairing=pairing, frequencies=frequencies, out=out, threads=threads
        ),
        [x.shape],
        name,
        (name, pairing),
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_of_every_width(use, name, pairing):
    turn = itertools.count()
    for dim in range(2, 132, 2):
        k = next(turn)
        axis = list(AXES)[k % len(AXES)]
        frequencies = refpos.inverse_frequencies(dim)
        positions = (np.arange(37), RNG.integers(-(2**31), 2**31, 37), RNG.uniform(0, 100, 37))[k % 5 % 3]
        x = channels(axis, dim, name, pairing, positions, frequencies)
        options = {"pairing": pairing, "seq_axis": axis, "inverse": k % 2 == 1, "frequencies": frequencies}

        def turned(x, out, threads):
            return refpos.rope(x, positions, out=out, threads=threads, **options)

        def in_place(out, threads):
            return turned(out, out, threads)

        def expected(out, threads):
            return turned(x, None, threads)

        # in turn: two forms of memory, and in place; the test below has all forms
        every = list(forms(x))
        how, held = every[k % len(every)]

        def call(out, threads):
            result = turned(held, out, threads)
            return result.astype(x.dtype) if out is None else result  # a fresh result has the byte order of x

        what = dim, axis, how, options
        if k % 3 == 2:
            what = dim, axis, "in place", options
            assert compare(use, in_place, [x.shape], name, what, contents=x, reference=expected)
        else:
            assert compare(use, call, [x.shape], name, what, reference=expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_in_every_form_of_memory(use, name, pairing):
    for dim, rotary_dim in ((18, 18), (70, 64)):
        frequencies, positions = refpos.inverse_frequencies(rotary_dim), np.arange(100, 137)
        x = channels(-2, dim, name, pairing, positions, refpos.inverse_frequencies(dim))
        options = {"pairing": pairing, "frequencies": frequencies}
        use("numpy", STORES[1], None)
        expected = bits(refpos.rope(x, positions, **options))
        for how, held in forms(x):
            before = bits(held).copy()
            for kernel, store, threads, block in ways():
                use(kernel, store, block)
                result = refpos.rope(held, positions, threads=threads, **options).astype(x.dtype)
                assert np.array_equal(bits(result), expected), (dim, how, kernel, store, threads, block)
                assert np.array_equal(bits(held), before), (dim, how, kernel, store, threads, block)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rotations_carry_the_factor(use, name, pairing):
    """(1, 0) turns into the cosine and the sine that a table has, factor included, however the positions are spaced."""
    frequencies = refpos.yarn(38, factor=40, original_max_position_embeddings=4096)
    for positions in (np.arange(70), np.array([5, 0, 2**40, 7, -3]), np.array([0.5, 0, 3.25])):
        x = np.zeros((len(positions), 38), dtype_of(name))
        first, second = (slice(0, 38, 2), slice(1, 38, 2)) if pairing == "interleaved" else (slice(19), slice(19, 38))
        x[:, first] = 1
        use("numpy", STORES[1], None)
        cos, sin = refpos.rope_table(positions, frequencies, dtype=name)
        for kernel, store, threads, block in [("numpy", *STORES[:1], 1, None), *ways()]:
            use(kernel, store, block)
            turned = refpos.rope(x, positions, pairing=pairing, frequencies=frequencies, threads=threads)
            for values, expected in ((turned[:, first], cos), (turned[:, second], sin)):
                assert np.array_equal(bits(values), bits(expected)), (positions[:2], kernel, store, threads, block)


@pytest.mark.parametrize("name", ("float16", "bfloat16", "float32"))
def test_rotations_at_every_scale(use, name):
    """Rotations through values near every kind of midpoint: normal, subnormal, next to overflow."""
    kind, rng = dtype_of(name), np.random.default_rng(11)
    info = ml_dtypes.finfo(kind)
    scales = [float(info.max), 1.0, float(info.tiny), 4 * float(info.smallest_subnormal)]
    frequencies = refpos.inverse_frequencies(36, base=10**6)
    for scale in scales:
        with np.errstate(all="ignore"):
            x = (rng.uniform(-1, 1, (400, 36)) * scale).astype(kind)
        for pairing in PAIRINGS:
            assert compare(
                use,
                lambda out, threads: refpos.rope(
                    x, np.arange(400), pairing=pairing, frequencies=frequencies, out=out, threads=threads
                ),
                [x.shape],
                name,
                (scale, pairing),
            )


# -- grids and biases -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_grids(use, name):
    sizes = [(1, 1, 4), (3, 70, 4), (7, 5, 12), (37, 53, 36), (70, 3, 260), (0, 3, 8)]
    for k, (height, width, dim) in enumerate(sizes):
        for order in ("hw", "wh"):
            extra = (None, 0, 3)[k % 3]
            shape = (height, width, dim) if extra is None else (extra + height * width, dim)
            options = {"axis_order": order, "layout": LAYOUTS[k % 3], "extra_tokens": extra, "dtype": name}
            assert compare(
                use,
                lambda out, threads: refpos.sincos_2d(height, width, dim, out=out, threads=threads, **options),
                [shape],
                name,
                (height, width, dim, options),
            )


@pytest.mark.parametrize("name", FORMATS)
def test_grids_of_any_number_of_axes(use, name):
    for k, (sizes, dim) in enumerate([((300,), 12), ((37, 53), 36), ((5, 7, 11), 24), ((3, 2, 40, 9), 16)]):
        for packing in ("axes", "kinds"):
            order = tuple(range(len(sizes)))
            token_order = ("row-major", "column-major", "reversed")[k % 3]
            extra = (1, 0, 3, 2)[k]
            options = {"axis_order": order[::-1], "packing": packing, "token_order": token_order, "dtype": name}
            assert compare(
                use,
                lambda out, threads: refpos.absolute.sincos_grid(
                    sizes, dim, extra_tokens=extra, out=out, threads=threads, **options
                ),
                [(extra + int(np.prod(sizes)), dim)],
                name,
                (sizes, dim, options),
            )


@pytest.mark.parametrize("name", FORMATS)
def test_biases(use, name):
    for heads, queries, keys in [(1, 1, 1), (3, 1, 300), (5, 37, 53), (2, 300, 1), (12, 9, 1030)]:
        for mode in ("causal", "symmetric", "linear"):
            options = {"mode": mode, "dtype": name}
            assert compare(
                use,
                lambda out, threads: refpos.alibi(heads, queries, keys, out=out, threads=threads, **options),
                [(heads, queries, keys)],
                name,
                (heads, queries, keys, mode),
            )
        weight = RNG.integers(0, 256, 32 * heads * dtype_of(name).itemsize, np.uint8).view(dtype_of(name))
        weight = weight.reshape(32, heads)
        for both in (False, True):
            assert compare(
                use,
                lambda out, threads: refpos.t5_bias(
                    weight, queries, keys, bidirectional=both, query_offset=5, out=out, threads=threads
                ),
                [(heads, queries, keys)],
                name,
                (heads, queries, keys, both),
            )


# -- the check itself, and the long run -------------------------------------------------------------------------------


def test_the_check_sees_one_element_past_the_end(use):
    def careless(out, threads):
        result = refpos.sinusoidal(9, 8, dtype="float32", out=out)
        if out is not None:
            np.lib.stride_tricks.as_strided(out, (10, 8), out.strides)[9, 0] = 1
        return result

    with pytest.raises(AssertionError, match="planted"):
        compare(use, careless, [(9, 8)], "float32", "planted", ways=lambda: [("numpy", STORES[0], 1, None)])


def test_the_check_sees_one_bit(use):
    def careless(out, threads):
        result = refpos.sinusoidal(9, 8, dtype="float32", out=out)
        bits(result)[8, 6] ^= out is not None
        return result

    with pytest.raises(AssertionError, match="planted"):
        compare(use, careless, [(9, 8)], "float32", "planted", ways=lambda: [("numpy", STORES[0], 1, None)])


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_a_hundred_million_elements(use, name):
    """Each way compares all of them; the positions are contiguous, spaced or scattered, the widths of every kind."""
    rng, done = np.random.default_rng(FORMATS.index(name)), 0
    while done < 10**8:
        dim = int(rng.choice([2, 7, 64, 129, 256, 1000, 1024, rng.integers(1, 2000)]))
        count = max(1, (1 << 22) // dim)
        start = int(rng.integers(-(2**31), 2**31))
        step = int(rng.choice([1, 1, 3, -1, rng.integers(2, 10**6)]))
        positions = [
            count,
            np.arange(start, start + step * count, step),
            rng.integers(-(2**31), 2**31, count),
            rng.integers(-(2**53), 2**53, count, endpoint=True),
        ][int(rng.choice([0, 1, 1, 2, 3]))]
        layout, base = str(rng.choice(LAYOUTS)), int(rng.choice([100, 10000, 500000]))
        every = [(kernel, store, *next(TURNS)) for kernel in CPUS or ["numpy"] for store in STORES]
        # the smallest blocks would take hours
        every = [(*way[:3], way[3] if way[3] and way[3] > 900 else None) for way in every]
        assert compare(
            use,
            lambda out, threads: refpos.sinusoidal(
                positions, dim, base=base, layout=layout, dtype=name, out=out, threads=threads
            ),
            [(count, dim)],
            name,
            (dim, count, start, step, layout, base),
            ways=lambda: every,
        )
        done += count * dim
    print(f"{name}: {done} elements in {len(every)} ways, 0 differ")


# the arguments of a call as the package makes it, and then an output of 30 axes
TOO_MANY_AXES = """
import numpy as np
import refpos
from refpos import kernels

seen, table = [], kernels.active.table
kernels.active.table = lambda *given: seen.append(given) or table(*given)
refpos.sinusoidal(5000, 4)
for place in (4, 5):
    given = list(seen[0])
    given[place] = np.zeros((1,) * 30)
    try:
        print(table(*given))
    except ValueError as error:
        print(error)
"""


def test_the_compiled_kernels_refuse_arrays_of_more_than_three_axes():
    """In a process of its own, which ended with a segmentation fault; NumPy's kernels index arrays of any axes."""
    environment = {**os.environ, kernels.VARIABLE: kernels.name, "PYTHONPATH": str(Path(refpos.__file__).parents[1])}
    command = [sys.executable, "-c", TOO_MANY_AXES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = "an array must have at most 3 axes, got 30\n"
    assert done.returncode == 0 and (done.stdout == 2 * said) == bool(CPUS), done.stdout + done.stderr
