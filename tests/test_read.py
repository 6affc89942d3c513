"""`refpos.read`: what numbers are, measured from the numbers of programs that share no code with refpos."""

import json
import tracemalloc

import numpy as np
import pytest
from rotary_programs import ROUND, SCALINGS, bits_of_bfloat16, channels, drawn, plain, rotate, table
from tiers import sampled

import refpos
from refpos import cli
from refpos.measure import estimates

F = np.float32
RNG = np.random.default_rng(7)
X = RNG.standard_normal((2, 3, 120, 64)).astype(F)
ROWS = np.arange(120)


def rotated(x=X, positions=ROWS, base=10000, pairing="half", kind="float32", scaling="plain", start=0, **numbers):
    """The rotation of x by a program."""
    dim = numbers.pop("dim", x.shape[-1] - start)
    inverse = numbers.pop("inverse", False)
    frequencies, gain = SCALINGS[scaling](dim, base=base, **numbers)
    return rotate(x, *table(positions, frequencies, gain, kind), pairing, dim, start, kind, inverse)


def evaluated(found, x):
    """What the call of a reading gives."""
    return eval(found.call, {"refpos": refpos, "np": np, "x": x, "found": found})


# -- estimates --------------------------------------------------------------------------------------------------------


def test_estimates_are_those_of_a_library_to_a_few_units():
    angles, numbers = RNG.uniform(-np.pi, np.pi, 5000), np.exp(RNG.uniform(-300, 300, 5000))
    assert np.abs(estimates.angle(3 * np.sin(angles), 3 * np.cos(angles)) - angles).max() < 1e-15
    assert np.abs(estimates.logarithm(numbers) - np.log(numbers)).max() < 1e-12
    assert np.abs(estimates.exponential(np.log(numbers)) / numbers - 1).max() < 1e-12
    ends = estimates.angle(np.array([0.0, 0.0, 1.0, -1.0]), np.array([0.0, -1.0, 0.0, 0.0]))
    assert ends.tolist() == [0.0, estimates.PI, estimates.PI / 2, -estimates.PI / 2]


# -- rotations --------------------------------------------------------------------------------------------------------

YARN = {"factor": 8, "length": 4096}
LLAMA3 = {"factor": 8, "low": 1, "high": 4, "length": 8192}


def scaled(frequencies):
    """The call with frequencies of a scaling."""
    return f"refpos.rope(x, 120, pairing='half', frequencies=refpos.{frequencies})"


@pytest.mark.parametrize(
    ("program", "call"),
    sampled([
        ({}, "refpos.rope(x, 120, pairing='half', base=10000)"),
        ({"pairing": "interleaved", "base": 500000}, "refpos.rope(x, 120, pairing='interleaved', base=500000)"),
        ({"dim": 32}, "refpos.rope(x, 120, pairing='half', rotary_dim=32, base=10000)"),
        ({"start": 32}, "refpos.rope(x[..., 32:], 120, pairing='half', base=10000)"),
        ({"inverse": True}, "refpos.rope(x, 120, pairing='half', base=10000, inverse=True)"),
        ({"positions": ROWS + 131000}, "refpos.rope(x, np.arange(131000, 131120), pairing='half', base=10000)"),
        ({"positions": 2 * ROWS - 9}, "refpos.rope(x, np.arange(-9, 231, 2), pairing='half', base=10000)"),
        ({"positions": ROWS % 50}, "refpos.rope(x, found.positions, pairing='half', base=10000)"),
        ({"base": 12345}, "refpos.rope(x, 120, pairing='half', base=12345)"),
        ({"scaling": "yarn", **YARN}, scaled("yarn(64, base=10000, factor=8, original_max_position_embeddings=4096)")),
        (
            {"scaling": "llama3", "base": 500000, **LLAMA3},
            scaled("llama3(64, base=500000, factor=8, low_freq_factor=1, high_freq_factor=4, "
                   "original_max_position_embeddings=8192)"),
        ),
        ({"scaling": "linear", "factor": 4}, scaled("linear(64, base=10000, factor=4)")),
        ({"scaling": "ntk", "factor": 4}, scaled("ntk(64, base=10000, factor=4)")),
        ({"scaling": "proportional", "share": 0.5}, scaled("proportional(64, base=10000, partial_rotary_factor=0.5)")),
    ], 3, several=True),
)  # fmt: skip
def test_a_rotation_is_read_as_the_call_that_gives_it(program, call):
    y = rotated(**program)
    found = refpos.read(y, refpos.rope, X)
    assert (found.call, found.complete, found.elements) == (call, True, X.size)
    start = X.shape[-1] - evaluated(found, X).shape[-1]
    assert np.abs(evaluated(found, X) - y[..., start:]).max() < 0.05
    assert "within the bounds of float32" in str(found)


@pytest.mark.parametrize("kind", ROUND)
def test_the_format_is_that_of_the_numbers(kind):
    x = ROUND[kind](RNG.standard_normal((100, 32)))
    y = rotated(x, np.arange(100), kind=kind)
    found = refpos.read(y, refpos.rope, x)
    assert (found.format, found.call) == (kind, "refpos.rope(x, 100, pairing='half', base=10000)")
    widened = kind in ("float16", "bfloat16")
    assert (f"all numbers of y are values of {kind}" in found.notes) is widened
    if kind == "bfloat16":
        bits = refpos.read(bits_of_bfloat16(y), refpos.rope, bits_of_bfloat16(x))
        assert (bits.format, bits.call, bits.notes) == (kind, found.call, ())


def test_tf32_is_named_and_judged_as_float32():
    # beyond the range of float16, which has as many bits
    x, y = ((one[0, 0] * F(2.0**20)).view(np.uint32) >> 13 << 13 for one in (X, rotated()))
    found = refpos.read(y.view(F), refpos.rope, x.view(F))
    assert found.format == "float32" and "all numbers of y are values of TF32" in found.notes
    assert found.call == "refpos.rope(x, 120, pairing='half', base=10000)" and found.met == "bfloat16-table"


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_tables_of_fewer_bits_than_the_rotation(kind):
    y = rotate(X, *table(ROWS, *plain(64, 10000), kind), "half", 64, 0, "float32")
    found = refpos.read(y, refpos.rope, X)
    assert (found.call, found.complete) == ("refpos.rope(x, 120, pairing='half', base=10000)", True)
    assert (found.format, found.met) == ("float32", f"{kind}-table")
    assert found.summary.endswith("only within the bounds of 16-bit tables")


def test_one_factor_of_everything_is_an_attention_factor():
    found = refpos.read(rotated() / 8, refpos.rope, X)
    assert found.recipe["arguments"]["attention_factor"] == 0.125 and found.complete
    assert found.summary.endswith("gain 0.125") and "attention factor" not in found.summary
    assert np.abs(evaluated(found, X) - rotated() / 8).max() < 1e-4


def test_pairs_of_any_order():
    order = RNG.permutation(64)
    x, y = np.empty_like(X), np.empty_like(X)
    x[..., order], y[..., order] = X, rotated()
    found = refpos.read(y, refpos.rope, x)
    planted = {(int(order[k]), int(order[k + 32])) for k in range(8)}
    assert planted <= set(found.pairs) and found.positions.tolist() == ROWS.tolist()
    assert found.complete and np.abs(evaluated(found, x) - y[..., found.channels]).max() < 1e-3


def test_pairs_read_in_one_order_and_written_in_another():
    y = np.empty_like(X)
    y[..., np.concatenate(channels("half", 64, 0))] = rotated(pairing="interleaved")[
        ..., np.concatenate(channels("interleaved", 64, 0))
    ]
    found = refpos.read(y, refpos.rope, X)
    assert "pairs (2i, 2i + 1), written to (i, i + 32), base 10000" in found.summary and found.complete
    assert found.pairs[1] == (2, 3) and found.written[1] == (1, 33)
    assert np.abs(evaluated(found, X) - y[..., found.channels_written]).max() < 1e-3


def test_heads_after_the_sequence():
    x = np.ascontiguousarray(np.swapaxes(X, 1, 2))
    found = refpos.read(np.swapaxes(rotated(), 1, 2), refpos.rope, x)
    assert found.call == "refpos.rope(x, 120, pairing='half', base=10000, seq_axis=-3)" and found.complete
    assert np.abs(evaluated(found, x) - np.swapaxes(rotated(), 1, 2)).max() < 1e-3


def test_batch_rows_with_positions_of_their_own():
    y = np.stack([rotated()[0], rotated(positions=ROWS + 33)[1]])
    found = refpos.read(y, refpos.rope, X)
    assert found.positions.shape == (2, 1, 120) and found.positions[1, 0, 0] == 33 and found.complete
    assert np.abs(evaluated(found, X) - y).max() < 1e-3


@pytest.mark.exhaustive
def test_rows_of_another_base_are_read_by_themselves():
    y = rotated()
    y[..., 80:, :] = rotated(base=500000)[..., 80:, :]
    found = refpos.read(y, refpos.rope, X)
    assert found.outside == ("rows 80..119",) and not found.complete
    ((where, part),) = found.parts
    assert where == "rows 80..119" and part.call == "refpos.rope(x, np.arange(80, 120), pairing='half', base=500000)"
    assert "at 46080 elements, except rows 80..119" in str(found)


def test_heads_of_another_pairing_are_read_by_themselves():
    y = rotated()
    y[:, 2:] = rotated(pairing="interleaved")[:, 2:]
    found = refpos.read(y, refpos.rope, X)
    assert found.call is None and found.summary == "no one rotation of x: along axis 1 pairs of channels differ"
    (first, half), (then, pairs) = found.parts
    count = X.shape[1]
    assert (first, then) == ("heads 0..1", f"heads 2..{count - 1}" if count > 3 else "head 2")
    assert "pairing='half'" in half.call and "pairing='interleaved'" in pairs.call
    assert half.elements + pairs.elements == y.size and not found.complete
    noise = RNG.standard_normal(X.shape).astype(F)
    assert refpos.read(noise, refpos.rope, X).parts == ()


def test_a_batch_row_of_another_base_is_read_by_itself():
    y = np.stack([rotated()[0], rotated(base=500000)[1]])
    found = refpos.read(y, refpos.rope, X)
    ((where, part),) = found.parts
    calls = {found.recipe["arguments"]["base"], part.recipe["arguments"]["base"]}
    assert where == "axis 0 at 1" and calls == {10000, 500000}


@pytest.mark.exhaustive
def test_rows_without_an_angle_have_no_position_of_their_own():
    x, y = X.copy(), rotated()
    x[..., 5, :] = y[..., 5, :] = 0
    y[..., 9, :] = np.nan
    x[..., 3], x[..., 35], y[..., 3], y[..., 35] = 0, 0, 0, 0
    found = refpos.read(y, refpos.rope, x)
    assert found.call == "refpos.rope(x, 120, pairing='half', base=10000)" and found.outside == ("rows 9",)
    assert np.flatnonzero(np.isnan(found.positions)).tolist() == [5] and found.elements == X.size * 119 // 120
    assert np.flatnonzero(np.isnan(found.frequencies)).tolist() == [3]
    assert "rows 5 have no angle: any position gives their numbers" in found.notes


def test_channels_of_zeros_have_no_frequency():
    x = X.copy()
    x[..., 16:32] = x[..., 48:] = 0
    found = refpos.read(rotated(x), refpos.rope, x)
    assert found.recipe == {"function": "inverse_frequencies", "arguments": {"dim": 64, "base": 10000}}
    assert np.isnan(found.frequencies[16:]).all() and not np.isnan(found.frequencies[:16]).any()
    assert "pairs 16..31 have no angle in any row: nothing is said of their frequencies" in found.notes


def test_padding_has_no_position():
    x = X[:, :, :30].copy()
    x[:, :, :10] = 0
    found = refpos.read(rotated(x, np.maximum(np.arange(30) - 10, 0)), refpos.rope, x)
    assert np.isnan(found.positions[:10]).all() and found.positions[10:].tolist() == list(range(20))
    assert "positions unknown (10 rows), 0 .. 19" in found.summary and "of rows with an angle" in str(found)
    x[:, :, 11:] = 0
    found = refpos.read(rotated(x, np.full(30, 9)), refpos.rope, x)
    assert evaluated(found, x).shape == x.shape


@pytest.mark.parametrize(
    ("positions", "dim", "base"),
    [
        ((np.arange(300) + 65400) % 65536, 64, 10000),
        ((np.arange(300) + 65400) % 65536, 32, 500000),
        (np.arange(64), 2, 10000),
        (np.arange(1000), 4, 10000),
        (np.arange(5000, 5068), 8, 10000),
    ],
)
def test_positions_are_integers_where_the_bounds_admit_them(positions, dim, base):
    x = RNG.standard_normal((len(positions), dim)).astype(F)
    found = refpos.read(rotated(x, positions, base), refpos.rope, x)
    assert found.positions.tolist() == positions.tolist() and not found.inverse and found.complete
    assert found.recipe["arguments"]["base"] == base
    assert ("base not determined" in found.summary) is (dim == 2)


def test_a_table_of_position_0_tells_no_base():
    found = refpos.read((np.ones((20, 32), F), np.zeros((20, 32), F)), refpos.rope_table)
    assert "base not determined" in found.summary
    assert found.notes == ("all angles are 0: neither the base nor the width is determined",)


def test_one_row():
    x = RNG.standard_normal((1, 64))
    found = refpos.read(rotated(x, np.array([1234]), kind="float64"), refpos.rope, x)
    assert found.call == "refpos.rope(x, [1234], pairing='half', base=10000)"


def test_far_positions():
    x = RNG.standard_normal((50, 64))
    found = refpos.read(rotated(x, np.arange(50) + 2**31, kind="float64"), refpos.rope, x)
    assert found.positions.tolist() == list(range(2**31, 2**31 + 50)) and found.recipe["arguments"]["base"] == 10000


def test_slow_pairs_alone():
    x = RNG.standard_normal((200, 32))
    y = rotate(x, *table(np.arange(200), plain(128, 10000)[0][-16:], 1.0, "float64"), "half", 32, 0, "float64")
    found = refpos.read(y, refpos.rope, x)
    assert found.complete and np.abs(evaluated(found, x) - y).max() < 1e-12


def test_arrays_that_are_not_contiguous():
    x, y = np.asfortranarray(X), rotated().astype(F)[:, :, ::1, :].copy(order="F")
    assert refpos.read(y, refpos.rope, x).call == "refpos.rope(x, 120, pairing='half', base=10000)"
    backwards = refpos.read(rotated()[..., ::-1, :], refpos.rope, X[..., ::-1, :])
    assert backwards.call == "refpos.rope(x, np.arange(119, -1, -1), pairing='half', base=10000)"


def test_numbers_that_are_no_rotation():
    assert refpos.read(X, refpos.rope, X).kind == "copy"
    noise = refpos.read(RNG.standard_normal(X.shape), refpos.rope, X)
    assert (noise.kind, noise.call) == ("unknown", None) and "no rotation of x" in str(noise)
    assert "every number is 0" in str(refpos.read(np.zeros_like(X), refpos.rope, X))


def test_what_no_call_gives_is_only_measured():
    y = rotated() * np.tile(np.linspace(1, 2, 32, dtype=F), 2)
    found = refpos.read(y, refpos.rope, X)
    assert found.call is None and "no call of refpos was found" in str(found) and "gains 1 .. 2" in found.summary
    assert np.abs(found.frequencies - plain(64, 10000)[0]).max() < 1e-5
    assert np.abs(found.gains - np.linspace(1, 2, 32)).max() < 1e-5
    assert found.positions.tolist() == pytest.approx(ROWS.tolist(), abs=1e-3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_factors_of_their_own_for_each_pair_are_measured(seed):
    x = RNG.standard_normal((8, 64)).astype(F)
    factors = np.sort(np.random.default_rng(seed).uniform(1, 60, 32))
    frequencies = plain(64, 300000)[0] / factors
    y = rotate(x, *table(np.arange(8), frequencies, 1.0, "float32"), "half", 64, 0, "float32")
    found = refpos.read(y, refpos.rope, x)
    assert found.kind == "rotation" and (found.call is None or "given_frequencies" in found.call)


@pytest.mark.parametrize("base", sampled([10000, 1000000], 2))
@pytest.mark.parametrize("seed", sampled([0, 1], 2))
def test_a_rotation_there_and_back_is_no_ramp(base, seed):
    x = np.random.default_rng(seed).standard_normal((1, 2, 64, 64)).astype(F)
    there = rotated(x, np.arange(64) + 100, base)
    found = refpos.read(rotated(there, np.full(64, -100), base), refpos.rope, x)
    assert found.call is None or (not found.complete and "except rows" in str(found))
    assert found.call in (None, f"refpos.rope(x, 64, pairing='half', base={base})")


@pytest.mark.parametrize("seed", [48, 58, 94])
def test_random_positions_are_no_ramp(seed):
    x, places = RNG.standard_normal((64, 64)).astype(F), np.sort(np.random.default_rng(seed).random(64)) * 1000
    found = refpos.read(rotated(x, places), refpos.rope, x)
    assert found.recipe is None or found.recipe["arguments"] == {"dim": 64, "base": 10000}
    assert np.abs(found.positions - places).max() < 1e-3


def test_positions_of_several_axes_are_not_given_one():
    index = np.arange(36)
    axes = np.array([[8] * 36, 8 + index // 6, 8 + index % 6])
    places = np.concatenate([np.tile(np.arange(8), (3, 1)), axes, np.tile(np.arange(14, 34), (3, 1))], 1)
    of_pairs = places[np.repeat([0, 1, 2], (8, 12, 12))].T
    angles = of_pairs.astype(F) * plain(64, 1000000)[0].astype(F)
    for seed in range(2):
        x = np.random.default_rng(seed).standard_normal((64, 64)).astype(F)
        y = rotate(x, np.cos(angles), np.sin(angles), "half", 64, 0, "float32")
        found = refpos.read(y, refpos.rope, x)
        assert found.call is None or set(found.outside) == {"rows 9..43"}
        assert found.call or "frequencies unknown, positions unknown" in found.summary


def test_a_rotation_by_minus_the_angle_is_said_in_the_first_line():
    found = refpos.read(rotated(inverse=True), refpos.rope, X)
    assert "positions 0 .. 119, rotated by minus the angle, gain 1" in found.summary
    frequencies = plain(64, 10000)[0] * np.linspace(0.5, 1, 32)
    y = rotate(X, *table(ROWS, frequencies, 1.5, "float32"), "half", 64, 0, "float32", True)
    found = refpos.read(y, refpos.rope, X)
    assert found.call is None and found.inverse
    assert "positions 0 .. 119, rotated by minus the angle, gain 1.5" in found.summary


def test_measured_positions_start_where_they_may():
    found = refpos.read(rotate(X, *table(ROWS, np.linspace(1, 0.01, 32), 1.0, "float32"), "half", 64, 0, "float32"),
                        refpos.rope, X)  # fmt: skip
    assert found.call is None and found.positions.tolist() == ROWS.tolist()


def test_gains_of_rows_are_not_called_one():
    y = rotated() * np.linspace(0.98, 1.02, 120, dtype=F)[:, None]
    assert refpos.read(y, refpos.rope, X).summary.endswith("gains of rows 0.98 .. 1.02")


def test_heads_are_named():
    y = rotated()
    y[:, 2] = rotated(base=500000)[:, 2]
    found = refpos.read(y, refpos.rope, X)
    ((where, part),) = found.parts
    assert "nan_to_num" in found.call and "of rows with an angle" not in str(found)
    assert evaluated(found, X).shape == X.shape
    assert "head 2" in where and part.recipe["arguments"]["base"] == 500000


# -- tables -----------------------------------------------------------------------------------------------------------


LAYOUTS = "compact tiled repeated cos-sin sin-cos cos-sin-tiled complex matrix".split()


@pytest.mark.parametrize("layout", sampled([*LAYOUTS, "pairs (cos, sin)"], 5))
def test_a_table_of_any_layout(layout):
    cos, sin = table(np.arange(300) + 5, *plain(64, 1000000), "float32")
    made = {
        "compact": (cos, sin),
        "tiled": (np.tile(cos, 2), np.tile(sin, 2)),
        "repeated": (np.repeat(cos, 2, -1), np.repeat(sin, 2, -1)),
        "cos-sin": np.concatenate([cos, sin], -1),
        "sin-cos": np.concatenate([sin, cos], -1),
        "cos-sin-tiled": np.concatenate([cos, cos, sin, sin], -1),
        "complex": cos + 1j * sin,
        "pairs (cos, sin)": np.stack([cos, sin], -1),
        "matrix": np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2),
    }[layout]
    found = refpos.read(made, refpos.rope_table)
    compact = "refpos.rope_table(np.arange(5, 305), refpos.inverse_frequencies(64, base=1000000), dtype='float32')"
    whole = compact if layout == "compact" else f"refpos.conversion.convert_table({compact}, 'compact', {layout!r})"
    whole = f"np.stack({compact}, -1)" if layout.startswith("pairs") else whole
    assert (found.call, found.complete) == (whole, True)
    result = evaluated(found, None)
    assert all(np.abs(a - b).max() < 1e-4 for a, b in zip(result, made, strict=True)) and np.shape(result) == np.shape(
        made
    )


def test_a_table_of_a_batch_by_name():
    cos, sin = (
        np.stack(part) for part in zip(*(table(ROWS + k, *plain(32, 10000), "float32") for k in (0, 7)), strict=True)
    )
    found = refpos.read({"cos": cos[:, None], "sin": sin[:, None]}, refpos.rope_table)
    assert found.positions.shape == (2, 120) and found.positions[:, 0].tolist() == [0, 7] and found.complete


# -- random programs --------------------------------------------------------------------------------------------------

#: how far angles of a reading may be from those that were planted, as its bounds cannot tell them apart
TOLERANCES = {"float64": 1e-9, "float32": 1e-3, "float16": 0.02, "bfloat16": 0.1}


def angles_of(frequencies, positions, inverse, pairing, dim, start, width):
    """The angle of each channel, signed, (rows, width)."""
    found = np.zeros((len(positions), width))
    for part in channels(pairing, dim, start):
        found[:, part] = np.multiply.outer(positions * (-1 if inverse else 1), frequencies)
    return found


def is_planted(program, found):
    """Whether a reading has the angles that were planted, exactly (1), within what its bounds tell (2), or not (0)."""
    width = program.x.shape[-1]
    start = width - program.dim if program.place == "last" else 0
    frequencies = SCALINGS[program.scaling](program.dim, **program.numbers)[0]
    meant = angles_of(frequencies, program.positions, program.inverse, program.pairing, program.dim, start, width)
    got = np.zeros_like(meant)
    for pair, frequency in zip(found.pairs, found.frequencies, strict=True):
        got[:, pair] = (found.positions * (-1 if found.inverse else 1) * frequency)[:, None]
    apart = np.abs(estimates.wrapped(got - meant)).max()
    return 1 if apart <= 1e-6 * max(1, np.abs(meant).max()) else 2 if apart <= TOLERANCES[program.kind] else 0


def shares(seeds):
    """(share of programs read exactly, share within what bounds tell, programs that were read as others)."""
    marks, wrong = [], []
    for seed in seeds:
        program = drawn(seed)
        found = refpos.read(program.y, refpos.rope, program.x)
        mark = is_planted(program, found) if found.complete else 0
        marks.append(mark)
        wrong += [seed] if found.complete and not mark else []
    return marks.count(1) / len(marks), 1 - marks.count(0) / len(marks), wrong


def test_random_programs():
    exact, told, wrong = shares(range(3))
    assert wrong == [] and exact >= 0.6 and told >= 0.6


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", [1000, 1050])
def test_fifty_random_programs(first):
    exact, told, wrong = shares(range(first, first + 50))
    assert wrong == [] and exact >= 0.8 and told >= 0.9


@pytest.mark.long
def test_many_random_programs():
    exact, told, wrong = shares(range(1100, 1400))
    assert wrong == [] and exact >= 0.8 and told >= 0.9


@pytest.mark.exhaustive
def test_memory_of_a_rotation():
    x = RNG.standard_normal((4096, 128)).astype(F)
    y = rotated(x, np.arange(4096), base=500000)
    refpos.read(y[:32], refpos.rope, x[:32])
    tracemalloc.start()
    try:
        assert refpos.read(y, refpos.rope, x).complete
        assert tracemalloc.get_traced_memory()[1] < 4 * (x.nbytes + y.nbytes)
    finally:
        tracemalloc.stop()


def test_a_refusal_is_short():
    for function, near in (
        (refpos.rope_2d, "refpos.rope,"),
        (refpos.relative.fire, "refpos.t5_bias,"),
        (len, "refpos.rope,"),
    ):
        with pytest.raises(refpos.InputError, match="got ") as error:
            refpos.read(X, function)
        assert near in str(error.value) and len(str(error.value)) < 200


# -- refusals and the command -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: refpos.read(X, refpos.rope_2d), "E_CHOICE", "refpos.rope_table, ..; help(refpos.read) lists all"),
        (lambda: refpos.read(X, refpos.relative.fire), "E_CHOICE", "(refpos.t5_bias, refpos.relative_bias, "),
        (lambda: refpos.read(X, 3), "E_CHOICE", "got 3"),
        (lambda: refpos.read(X, refpos.rope), "E_MISSING", "x must be what was rotated for refpos.rope, got none"),
        (lambda: refpos.read(X, refpos.rope, X[0]), "E_SHAPE", "the shape (2, 3, 120, 64) of y, got (3, 120, 64)"),
        (lambda: refpos.read(X[0, 0, 0], refpos.rope, X[0, 0, 0]), "E_SHAPE", "(.., seq, dim)"),
        (lambda: refpos.read(X[:0], refpos.rope, X[:0]), "E_MISSING", "at least one number"),
        (lambda: refpos.read(ROWS.reshape(-1, 2), refpos.rope, ROWS.reshape(-1, 2)), "E_DTYPE", "got int64"),
        (lambda: refpos.read(X, refpos.rope_table, X), "E_CHOICE", "x must be left out for refpos.rope_table, got"),
        (lambda: refpos.read((X, X[0]), refpos.rope_table), "E_SHAPE", "cos and sin must have one shape"),
        (lambda: refpos.read(X[..., :63], refpos.rope_table), "E_SHAPE", "a layout of conversion.convert_table, got"),
        (lambda: refpos.read({"cos": X}, refpos.rope_table), "E_MISSING", "none named sin"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(call, code, words):
    with pytest.raises(refpos.InputError) as error:
        call()
    assert error.value.code == code and words in str(error.value)


def test_the_command(tmp_path, capsys):
    x, y, cache = (str(tmp_path / name) for name in ("x.npy", "y.npy", "cache.npz"))
    np.save(x, X), np.save(y, rotated())
    cos, sin = table(ROWS, *plain(32, 10000), "float32")
    np.savez(cache, cos=cos, sin=sin)
    assert cli.main(["read", y, "--of", "rope", "--x", x]) == 0
    assert "refpos.rope(x, 120, pairing='half', base=10000)" in capsys.readouterr().out
    assert cli.main(["read", cache, "--of", "rope_table", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["met"] == "float32-angle" and told["positions"] == ROWS.tolist()
    assert cli.main(["read", x, "--of", "rope", "--x", x]) == 1
    waves = str(tmp_path / "waves.npy")
    np.save(waves, cos + 1j * sin)
    assert cli.main(["read", waves, "--of", "rope_table"]) == 0
    assert "layout 'complex', base 10000" in capsys.readouterr().out.replace("\n    ", " ")
    with open(waves, "r+b") as file:
        file.truncate(999)
    assert cli.main(["read", waves, "--of", "rope_table"]) == 2
    assert "must be a whole npy file, got one that says" in capsys.readouterr().err
    assert cli.main(["read", y, "--of", "fire"]) == 2
    assert "resize_bias, mean_of_rows, got 'fire'" in " ".join(capsys.readouterr().err.split())
    assert cli.main(["read", cache, "--of", "rope", "--x", x]) == 2
    assert "must hold one tensor for y, got 2" in capsys.readouterr().err
