"""Tables of the NumPy kernels: small ones, and rows at floats of several exponents, have the bits of all others."""

import numpy as np
import pytest

import refpos
from refpos import kernels
from refpos.kernels import numpy_kernels
from refpos.steps.positions import exact_positions
from refpos.steps.waves import fast_path, tables

FORMATS = ("float32", "float16", "bfloat16", "float64")
LAYOUTS = ("interleaved", "sin-cos", "cos-sin")


@pytest.fixture
def ways(monkeypatch):
    """Switches the NumPy kernels between the short ways, which are recorded in the list that it returns, and the long
    one."""

    def switch(short):
        monkeypatch.undo()
        monkeypatch.setattr(kernels, "active", numpy_kernels)
        taken = []
        for name, known in {name: getattr(numpy_kernels, name) for name in ("table_small", "table_of_groups")}.items():
            if not short:
                monkeypatch.delattr(numpy_kernels, name)
                continue

            def recorded(*arguments, name=name, known=known):
                taken.append((name, known(*arguments)))
                return taken[-1][1]

            monkeypatch.setattr(numpy_kernels, name, recorded)
        return taken

    yield switch
    monkeypatch.undo()


def patterns(result):
    return [array.tobytes() for array in (result if isinstance(result, tuple) else (result,))]


def random_positions(rng):
    """A count, a range, a list or an array, of integers or of floats, with zeros among them."""
    count, bits = int(rng.integers(1, 300)), int(rng.integers(1, 54))
    whole = rng.integers(-(2**bits) * (rng.random() < 0.5), 2**bits, count, endpoint=True)
    whole[rng.random(count) < 0.05] = 0
    start, step = int(rng.integers(-40, 40)) * (rng.random() < 0.5), int(rng.choice([1, 1, -1, 7]))
    floats = rng.standard_normal(count) * 10.0 ** rng.integers(-6, 7)
    floats[rng.random(count) < 0.05] = 0
    kinds = {
        "count": count,
        "range": range(start, start + step * count, step),
        "list": whole.tolist(),
        "one": whole[:1].tolist(),
        "array": whole,
        "halves": whole / 2.0,
        "floats": floats,
        "narrow floats": floats.astype(np.float32),
    }
    kind = str(rng.choice(list(kinds)))
    return kind, kinds[kind]


def random_call(rng):
    """(what it is, a call of a table)."""
    kind, where = random_positions(rng)
    dim, dtype, layout = int(rng.integers(1, 90)), str(rng.choice(FORMATS)), str(rng.choice(LAYOUTS))
    dim = 700 if rng.random() < 0.05 else dim
    base = float(10 ** rng.uniform(0.3, 7))
    if rng.random() < 0.3:
        factor = refpos.yarn(2 * dim, base=base, factor=4.0, original_max_position_embeddings=64)
        frequencies = factor if rng.random() < 0.5 and dim > 2 else refpos.inverse_frequencies(2 * dim, base=base)
        return (kind, dtype), lambda: refpos.rope_table(where, frequencies, dtype=dtype)
    if rng.random() < 0.2:
        sizes = rng.integers(1, 20, 2).tolist()
        return ("grid", dtype), lambda: refpos.sincos_2d(
            *sizes, 4 * dim, axis_order="hw", layout=layout, base=base, dtype=dtype
        )
    return (kind, dtype), lambda: refpos.sinusoidal(where, dim, base=base, layout=layout, dtype=dtype)


@pytest.mark.exhaustive
def test_short_ways_have_the_bits_of_the_long_way(ways):
    rng, seen, total = np.random.default_rng(20261124), set(), 0
    for _ in range(600):
        what, call = random_call(rng)
        taken = ways(True)
        found = patterns(call())
        seen |= {(*what, name) for name, undecided in taken if undecided is not None}
        ways(False)
        assert found == patterns(call()), what
        total += sum(map(len, found))
    assert total > 10**7
    kinds = {(kind, name) for kind, _, name in seen}
    whole, rows = "table_small", "table_of_groups"
    assert kinds >= {(kind, whole) for kind in ("count", "range", "list", "one", "array", "grid")}
    assert kinds >= {(kind, rows) for kind in ("halves", "floats", "narrow floats")}
    assert {dtype for _, dtype, name in seen if name == whole} == {*FORMATS}
    assert {dtype for _, dtype, name in seen if name == rows} == {*FORMATS} - {"float64"}


def test_what_is_not_certain_is_rounded_exactly(ways):
    """With radii far too large most values are not certain, of each group."""
    rng = np.random.default_rng(7)
    many = rng.random(200) * 10.0 ** rng.integers(-3, 4, 200)
    fmt, frequencies = refpos.arithmetic.formats.FORMATS["float32"], refpos.inverse_frequencies(30)
    for where in (many, many[:9], np.array([0.5]), np.arange(9) / 8):
        results = []
        for radius, short in ((2.0**-49, False), (2.0**-49, True), (2.0**-26, True)):
            taken = ways(short)
            results.append(np.full((2, len(where), 15), np.nan, np.float32))
            at = exact_positions.read_positions(where)
            tables.fill(*results[-1], at, frequencies, fmt, 2, radius=lambda fmt, radius=radius: radius)
            assert bool(taken) == short and {name for name, _ in taken} <= {"table_of_groups"}
            share = sum(len(undecided) for _, undecided in taken) / (len(where) * 15)
            assert share < 0.2 if radius < 2.0**-40 else share > 0.5
        assert not np.isnan(results[0]).any()
        assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("dtype", FORMATS)
def test_what_is_not_certain_of_a_small_table_is_rounded_exactly(ways, dtype, monkeypatch):
    for k, where in enumerate((5, range(40), [3], np.array([0, 5, 900]), [2**40, -7])):
        results, shares = [], []
        for short, coarse in ((False, False), (True, False), (True, True)):
            taken = ways(short)
            if coarse:  # most values are then not certain
                monkeypatch.setattr(tables, "PAIR_RADIUS", 2.0**-54)
                monkeypatch.setattr(tables, "SEED_RADIUS", 2.0**-54)
                monkeypatch.setattr(tables, "DOUBLE_RADIUS", 2.0 ** {"float32": -26, "float16": -13}.get(dtype, -10))
            frequencies = refpos.inverse_frequencies(30, base=30.0 + k)
            frequencies.prepared.clear()
            results.append(patterns(refpos.rope_table(where, frequencies, dtype=dtype)))
            shares.append(sum(len(undecided) for name, undecided in taken if name == "table_small"))
        assert results[0] == results[1] == results[2], where
        assert shares[0] == 0 and shares[2] > 6 and shares[2] > 2 * shares[1]


@pytest.mark.parametrize("dtype", FORMATS)
def test_sines_at_position_0_are_0(ways, dtype):
    zero, one = np.zeros(3, dtype if dtype != "bfloat16" else "u2"), {"bfloat16": 0x3F80}.get(dtype, 1)
    whole = 1, [0], range(1), np.zeros(1, np.int64), [0, 3], [3, 0, 5, 0], range(-3, 4), range(0, -5, -1), 40
    floats = [0.0], [-0.0], [0.3, 0.0, 700.1], [0.0, 700.1, 1e-9]
    for where in (*whole, *map(np.array, floats)):
        ways(True)
        cos, sin = refpos.rope_table(where, refpos.inverse_frequencies(6), dtype=dtype)
        rows = np.flatnonzero(np.asarray(where if not isinstance(where, int) else range(where)) == 0)
        assert len(rows)
        for row in rows:
            assert sin[row].tobytes() == zero.tobytes() and (cos[row].view(zero.dtype) == one).all()


def test_few_positions_are_refused_as_all_are(ways):
    frequencies = refpos.inverse_frequencies(8)
    refused = ([2**53 + 1], range(2**53, 2**53 + 2), [True], [1.5, np.nan], np.array([np.inf]), range(-(2**70), 0), -1)
    for where in refused:
        errors = []
        for short in (True, False):
            ways(short)
            with pytest.raises(refpos.errors.InputError) as error:
                refpos.rope_table(where, frequencies, dtype="float32")
            errors.append((error.value.code, str(error.value)))
        assert errors[0] == errors[1]


def test_kept_waves_are_not_written_to(ways):
    ways(True)
    frequencies = refpos.inverse_frequencies(64, base=77.0)
    first = patterns(refpos.rope_table(32, frequencies, dtype="float32"))
    (turns,) = [kept for key, kept in frequencies.prepared.items() if key[0] is numpy_kernels.Turns]
    before = [table.tobytes() for table in turns._tables]
    assert len(before) == 1
    refpos.rope_table(500, frequencies, dtype="float32"), refpos.rope_table([5], frequencies, dtype="float32")
    refpos.rope_table([5, 900, 7, 7], frequencies, dtype="float32")
    assert [table.tobytes() for table in turns._tables][:1] == before and len(turns._tables) == 2
    assert patterns(refpos.rope_table(32, frequencies, dtype="float32")) == first
    assert fast_path._turns(frequencies, turns.fmt, tables.radii) is turns


def test_sines_and_cosines_in_turns_are_recognised():
    """Whole arrays by their owner, all else by address; what lies otherwise is never taken for it."""
    for rows in (1, 3):
        whole, wide, narrow = (np.zeros((rows, columns), np.float32) for columns in (8, 20, 7))
        for memory, at in ((whole, 0), (wide, 0), (wide, 5), (whole.view(np.uint32), 0), (wide[::-1], 3)):
            sin, cos = memory[:, at : at + 8 : 2], memory[:, at + 1 : at + 9 : 2][:, :4]
            both = numpy_kernels._side_by_side(cos, sin)
            assert both.shape == (rows, 8) and both.strides == (memory.strides[0], 4) and both.dtype == memory.dtype
            assert both.__array_interface__["data"] == sin.__array_interface__["data"]
        others = [
            (whole[:, ::2], whole[:, 1::2]),  # the cosine first
            (whole[:, 4:], whole[:, :4]),
            (narrow[:, 1::2], narrow[:, ::2]),  # one cosine less
            (wide[:, 3:11:2], wide[:, 0:8:2]),
            (whole[:, 7::-2], whole[:, 6::-2]),
            (whole.copy()[:, 1::2], whole[:, ::2]),
        ]
        for cos, sin in others:
            assert numpy_kernels._side_by_side(cos, sin) is None
