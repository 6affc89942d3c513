"""What must hold of encodings whatever their numbers are: symmetries, equalities, indifference to memory."""

import random
import warnings
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos

FORMATS = ("float64", "float32", "float16", "bfloat16")
PAIRINGS = ("half", "interleaved")
HALF_ULP = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
LAYOUTS = ("interleaved", "sin-cos", "cos-sin")


each_cpu = pytest.mark.usefixtures("cpu")


def bits(array):
    """Bit patterns, C order."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def same(one, other):
    """Equal dtype, shape and bits."""
    return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(bits(one), bits(other))


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def normal(shape, name, seed):
    values = np.random.default_rng(seed).normal(size=shape).astype(dtype_of(name))
    assert values.size < 20 or len(np.unique(values)) > 10
    return values


def scattered(count, seed, most=2**31):
    positions = np.random.default_rng(seed).integers(-most, most, count)
    assert len(np.unique(positions)) > count // 2
    return positions


# rotations


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_keeps_the_norm_of_each_pair(name, pairing):
    x = normal((200, 64), name, 4)
    y = refpos.rope(x, scattered(200, 5), pairing=pairing)
    before, after = (pair_norms(v.astype(np.float64), pairing) for v in (x, y))
    # each of the two results y is off by at most u |y|, so |norm' - norm| <= u norm; float16 results
    # below 2**-14 are off by 2**-25 at most, sqrt(2) times that for two; 2**-50 covers the float64 arithmetic here
    bound = before * (HALF_ULP[name] * (1 + HALF_ULP[name]) + 2.0**-50) + 2.0**-24 * (name == "float16")
    assert (abs(after - before) <= bound).all()
    assert (abs(after - before) > bound / 50).any()
    assert not np.array_equal(x, y)


def pair_norms(x, pairing):
    first, second = (x[..., 0::2], x[..., 1::2]) if pairing == "interleaved" else np.split(x, 2, axis=-1)
    return np.hypot(first, second)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_inverse_undoes_rope(name, pairing):
    x, positions = normal((100, 32), name, 6), scattered(100, 7)
    y = refpos.rope(x, positions, pairing=pairing)
    back = refpos.rope(y, positions, pairing=pairing, inverse=True).astype(np.float64)
    # turning back carries the error of y, u norm at most, and rounds once more: 2 u norm (1 + u) for each channel.
    # float16 results below 2**-14 are off by 2**-25 at most: sqrt(2) * 2**-25 carried and 2**-25 more are below 2**-23
    u, norm = HALF_ULP[name], pair_norms(x.astype(np.float64), pairing)
    bound = 2 * u * (1 + u) * norm + 2.0**-23 * (name == "float16")
    bound = np.repeat(bound, 2, axis=1) if pairing == "interleaved" else np.hstack([bound, bound])
    assert (abs(back - x.astype(np.float64)) <= bound).all()
    assert not np.array_equal(y, x)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_inverse_is_the_rotation_by_the_negative_position(pairing):
    for name in FORMATS:
        x, positions = normal((50, 24), name, 8), scattered(50, 9)
        one = refpos.rope(x, positions, pairing=pairing, inverse=True)
        assert same(one, refpos.rope(x, -positions, pairing=pairing))


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_scores_depend_on_the_distance_only(pairing):
    q, k = normal((1, 64), "float64", 10), normal((1, 64), "float64", 11)
    shift = np.array([0, 1, 1000, 131072, 2**31, 2**45])

    def scores(distance):
        rows = [np.repeat(v, len(shift), axis=0) for v in (q, k)]
        turned = refpos.rope(rows[0], shift + distance, pairing=pairing), refpos.rope(rows[1], shift, pairing=pairing)
        return (turned[0] * turned[1]).sum(axis=1)

    # every channel of q and k is off by half an ulp: 2 u |q| |k|, and products and sums round by less than 64 u |q| |k|
    bound = 67 * 2.0**-53 * np.linalg.norm(q) * np.linalg.norm(k)
    for distance in (0, 1, -7, 4096):
        found = scores(distance)
        assert abs(found - found[0]).max() <= bound
    assert abs(scores(1)[0] - scores(2)[0]) > 100 * bound


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_half_is_interleaved_after_a_permutation(name):
    x, positions = normal((60, 40), name, 12), scattered(60, 13)
    order = np.arange(40).reshape(2, 20).T.reshape(-1)  # 0, 20, 1, 21, ...
    half = refpos.rope(x, positions, pairing="half")
    assert same(refpos.rope(x[:, order], positions, pairing="interleaved"), half[:, order])
    assert not same(refpos.rope(x, positions, pairing="interleaved"), half)


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_rope_of_unit_vectors_is_the_rope_table(name):
    positions, frequencies = scattered(50, 14), refpos.inverse_frequencies(24, base=10**6)
    cos, sin = refpos.rope_table(positions, frequencies, dtype=name)
    x = np.zeros((50, 24), dtype_of(name))
    x[:, :12] = 1
    y = refpos.rope(x, positions, pairing="half", frequencies=frequencies)
    assert same(y[:, :12], cos) and same(y[:, 12:], sin)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_partial_rotary_copies_the_other_channels(pairing):
    for name in FORMATS:
        x = normal((30, 20), name, 15)
        y = refpos.rope(x, 30, pairing=pairing, rotary_dim=8)
        assert same(y[:, 8:], x[:, 8:])
        assert same(y[:, :8], refpos.rope(np.ascontiguousarray(x[:, :8]), 30, pairing=pairing))


# equalities between functions


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sinusoidal_columns_are_those_of_rope_table(name, layout):
    positions = scattered(30, 16)
    cos, sin = refpos.rope_table(positions, refpos.inverse_frequencies(20, base=500), dtype=name)
    table = refpos.sinusoidal(positions, 20, base=500, layout=layout, dtype=name)
    halves = {
        "interleaved": (table[:, 0::2], table[:, 1::2]),
        "sin-cos": (table[:, :10], table[:, 10:]),
        "cos-sin": (table[:, 10:], table[:, :10]),
    }
    assert same(halves[layout][0], sin) and same(halves[layout][1], cos)


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("axis_order", ["hw", "wh"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sincos_2d_is_two_sinusoidal_tables_side_by_side(name, axis_order, layout):
    height, width, dim, base = 5, 8, 24, 500
    grid = refpos.sincos_2d(height, width, dim, axis_order=axis_order, layout=layout, base=base, dtype=name)
    rows = refpos.sinusoidal(height, dim // 2, layout=layout, base=base, dtype=name)
    columns = refpos.sinusoidal(width, dim // 2, layout=layout, base=base, dtype=name)
    down, along = np.repeat(rows[:, None], width, axis=1), np.repeat(columns[None], height, axis=0)
    assert same(grid, np.concatenate([down, along] if axis_order == "hw" else [along, down], axis=2))
    tokens = refpos.sincos_2d(
        height, width, dim, axis_order=axis_order, layout=layout, base=base, dtype=name, extra_tokens=2
    )
    assert not bits(tokens[:2]).any()
    assert same(tokens[2:], grid.reshape(-1, dim))


def test_odd_widths_are_cut_or_padded_even_ones():
    p = scattered(20, 17)
    cut = refpos.sinusoidal(p, 9, layout="sin-cos")
    assert same(cut[:, 5:], refpos.sinusoidal(p, 9)[:, 1::2])
    assert same(refpos.sinusoidal(p, 9)[:, 0::2], cut[:, :5])
    for layout in LAYOUTS:
        padded = refpos.sinusoidal(p, 9, layout=layout, odd="pad")
        assert same(padded[:, :8], refpos.sinusoidal(p, 8, layout=layout)) and not bits(padded[:, 8]).any()


def test_alibi_is_slope_times_distance_where_slopes_are_powers_of_two():
    slopes = refpos.alibi_slopes(8)
    linear = refpos.alibi(8, 6, 6, mode="linear", convention="recursive")
    distance = np.arange(6)[None, :] - np.arange(6)[:, None]
    assert np.array_equal(linear, slopes[:, None, None] * distance)
    causal = refpos.alibi(8, 6, 6, mode="causal", convention="recursive")
    assert np.array_equal(causal, np.where(distance > 0, -np.inf, linear))
    symmetric = refpos.alibi(8, 6, 6, mode="symmetric", convention="recursive")
    assert np.array_equal(symmetric, symmetric.transpose(0, 2, 1)) and np.array_equal(
        np.minimum(linear, 0), np.tril(symmetric)
    )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", ["causal", "symmetric", "linear"])
def test_a_view_of_a_bias_holds_the_bits_of_the_bias(name, mode):
    options = {"mode": mode, "convention": "geometric", "dtype": name}
    view = refpos.alibi(5, 7, 12, view=True, **options)
    assert same(view, refpos.alibi(5, 7, 12, **options)) and not view.flags.writeable
    weight = normal((32, 6), name, 18)
    view = refpos.t5_bias(weight, 9, 40, bidirectional=True, view=True)
    assert same(view, refpos.t5_bias(weight, 9, 40, bidirectional=True)) and not view.flags.writeable


def test_a_later_query_is_a_row_further_down():
    options = {"mode": "linear", "convention": "recursive", "dtype": "float32"}
    whole = refpos.alibi(3, 10, 10, **options)
    assert same(refpos.alibi(3, 1, 10, **options), whole[:, 9:])
    assert same(refpos.alibi(3, 4, 10, query_offset=2, **options), whole[:, 2:6])
    weight = normal((32, 4), "float32", 19)
    whole = refpos.t5_bias(weight, 10, 10, bidirectional=False)
    assert same(refpos.t5_bias(weight, 3, 10, bidirectional=False, query_offset=5), whole[:, 5:8])


def test_t5_buckets_mirror_and_never_fall_with_distance():
    distance = np.arange(-600, 601)
    both = refpos.t5_buckets(distance, bidirectional=True)
    ahead, behind = both[601:], both[:600][::-1]
    assert np.array_equal(ahead, behind + 16) and (np.diff(ahead) >= 0).all() and ahead.max() == 31
    past = refpos.t5_buckets(distance, bidirectional=False)
    assert not past[600:].any() and (np.diff(past) <= 0).all() and past.max() == 31


# positions


@pytest.mark.parametrize("name", FORMATS)
def test_an_int_means_the_first_positions(name):
    frequencies = refpos.inverse_frequencies(10)
    table = refpos.sinusoidal(150, 11, dtype=name)
    assert same(table, refpos.sinusoidal(np.arange(150), 11, dtype=name))
    assert same(table, refpos.sinusoidal(list(range(150)), 11, dtype=name))
    for one, other in zip(
        refpos.rope_table(150, frequencies), refpos.rope_table(np.arange(150), frequencies), strict=True
    ):
        assert same(one, other)
    x = normal((150, 10), name, 20)
    assert same(refpos.rope(x, 150, pairing="half"), refpos.rope(x, np.arange(150), pairing="half"))


def position_kinds(values):
    """The same integers in every dtype that holds them."""
    for kind in ("int8", "int16", "uint8", "uint16", "int32", "uint32", "int64", "uint64", ">i4", "<i8", ">i8"):
        yield values.astype(kind)
    for kind in (np.float16, np.float32, np.float64, ">f8", ml_dtypes.bfloat16):
        yield values.astype(kind)


def test_positions_of_equal_value_give_equal_bits():
    values = np.array([0, 1, 127, 3, 64, 100, 2])
    table = refpos.sinusoidal(values, 16)
    x = normal((7, 16), "float32", 21)
    turned = refpos.rope(x, values, pairing="interleaved")
    for positions in position_kinds(values):
        assert np.array_equal(positions.astype(np.float64), values)
        assert same(refpos.sinusoidal(positions, 16), table), positions.dtype
        assert same(refpos.rope(x, positions, pairing="interleaved"), turned), positions.dtype
    far = np.array([2**53, -(2**53), 2**52 + 1, 2**31])
    assert same(refpos.sinusoidal(far, 16), refpos.sinusoidal(far.astype(np.float64), 16))


@each_cpu
def test_each_position_stands_alone():
    # scattered, evenly spaced, mixed with floats of other exponents: the row of a position never depends on its company
    positions = [0, 5, -3, 2**31 - 1, 0.5, 1e-300, 2.0**900, -0.125, 4095]
    together = refpos.sinusoidal(np.array(positions, np.float64), 14)
    for row, position in zip(together, positions, strict=True):
        assert same(refpos.sinusoidal(np.array([position], np.float64), 14)[0], row)
    run = refpos.sinusoidal(np.arange(-200, 400, 3), 14, dtype="float32")
    order = np.random.default_rng(22).permutation(200)
    assert same(refpos.sinusoidal(np.arange(-200, 400, 3)[order], 14, dtype="float32"), run[order])
    assert same(refpos.sinusoidal(np.arange(-200, 400, 3)[::-1], 14, dtype="float32"), run[::-1])


def test_position_scale_multiplies_the_positions():
    p = scattered(30, 23, 2**20)
    for scale in (2, 0.25, Fraction(7, 4), 1000):
        scaled = np.array([int(v * Fraction(scale) * 4) / 4 for v in p.tolist()])
        for endpoint in (False, True):
            one = refpos.sinusoidal(p, 10, position_scale=scale, endpoint=endpoint)
            assert same(one, refpos.sinusoidal(scaled, 10, endpoint=endpoint))
    assert not same(refpos.sinusoidal(p, 10, position_scale=1 + 2.0**-52), refpos.sinusoidal(p, 10))


@each_cpu
def test_sines_are_odd_and_cosines_even():
    p = scattered(40, 24)
    for name in FORMATS:
        there, back = (refpos.sinusoidal(q, 20, layout="sin-cos", dtype=name) for q in (p, -p))
        assert same(there[:, 10:], back[:, 10:]) and same(there[:, :10], -back[:, :10])


def test_positions_keep_their_shape():
    p = scattered(24, 25)
    flat = refpos.sinusoidal(p, 6)
    assert same(refpos.sinusoidal(p.reshape(2, 3, 4), 6), flat.reshape(2, 3, 4, 6))
    assert same(refpos.sinusoidal(np.array(5), 6), refpos.sinusoidal([5], 6)[0])
    assert same(refpos.sinusoidal(5.0, 6), refpos.sinusoidal([5], 6)[0])


@each_cpu
@pytest.mark.parametrize("seq_axis", [-2, -3])
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_batched_positions_are_row_by_row(seq_axis, pairing):
    for name in FORMATS:
        x = normal((3, 4, 5, 16), name, 26)  # batch, then heads and sequence in the order of seq_axis
        length = x.shape[seq_axis]
        positions = scattered(3 * length, 27).reshape(3, length)
        options = {"pairing": pairing, "seq_axis": seq_axis}
        whole = refpos.rope(x, positions, **options)
        for b in range(3):
            assert same(whole[b], refpos.rope(x[b], positions[b], **options))
            for s in range(length):
                row = x[b, s] if seq_axis == -3 else x[b, :, s]
                one = refpos.rope(row, np.full(len(row), positions[b, s]), pairing=pairing)
                assert same(one, whole[b, s] if seq_axis == -3 else whole[b, :, s])
        shared = refpos.rope(x, positions[0], **options)
        assert same(shared, refpos.rope(x, np.repeat(positions[:1], 3, axis=0), **options))
        assert same(shared, refpos.rope(x, positions[:1], **options))


def test_the_head_axis_may_stand_on_either_side():
    x, positions = normal((2, 6, 3, 8), "float32", 28), scattered(6, 29)
    before = refpos.rope(x, positions, pairing="half", seq_axis=-3)
    swapped = refpos.rope(np.ascontiguousarray(x.swapaxes(1, 2)), positions, pairing="half")
    assert same(before, swapped.swapaxes(1, 2))
    assert same(before, refpos.rope(x, positions, pairing="half", seq_axis=1))


# memory


def layouts_in_memory(array):
    """The same array in every way memory may hold it."""
    yield "read-only", read_only(array)
    yield "Fortran", np.asfortranarray(array)
    yield "reversed", np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    wide = np.zeros((*array.shape[:-1], 3 * array.shape[-1]), array.dtype)
    wide[..., 1::3] = array
    yield "strided", wide[..., 1::3]
    yield "transposed", np.ascontiguousarray(array.T).T
    raw = np.zeros(array.nbytes + 1, np.uint8)
    odd = raw[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    yield "unaligned", odd


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_does_not_care_how_x_lies_in_memory(name, pairing):
    x, positions = normal((40, 22), name, 30), scattered(40, 31)
    before = x.copy()
    plain = refpos.rope(x, positions, pairing=pairing, rotary_dim=20)
    assert same(x, before)
    for how, array in layouts_in_memory(x):
        assert same(array, x), how
        found = refpos.rope(array, positions, pairing=pairing, rotary_dim=20)
        assert same(found, plain), how
        assert same(array, before), how
    if name != "bfloat16":
        swapped = x.astype(x.dtype.newbyteorder("S"))
        found = refpos.rope(swapped, positions, pairing=pairing, rotary_dim=20)
        assert np.array_equal(bits(found.astype(x.dtype)), bits(plain))


def test_bfloat16_may_come_as_patterns():
    x, positions = normal((30, 16), "bfloat16", 32), scattered(30, 33)
    tagged = refpos.rope(x, positions, pairing="half")
    patterns = refpos.rope(x.view(np.uint16), positions, pairing="half", dtype="bfloat16")
    assert patterns.dtype == np.uint16 and np.array_equal(patterns, bits(tagged))


@each_cpu
def test_positions_may_lie_anyhow_in_memory():
    p = scattered(24, 34).reshape(4, 6)
    before = p.copy()
    for values in (p, p.astype(np.float64)):
        plain = refpos.sinusoidal(values, 8)
        for how, array in layouts_in_memory(values):
            assert same(refpos.sinusoidal(array, 8), plain), how
        assert same(refpos.sinusoidal(values.astype(values.dtype.newbyteorder("S")), 8), plain)
    assert np.array_equal(p, before)


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_rope_in_place(name, pairing):
    x, positions = normal((2, 30, 18), name, 35), scattered(30, 36)
    plain = refpos.rope(x, positions, pairing=pairing, rotary_dim=16)
    again = x.copy()
    assert refpos.rope(again, positions, pairing=pairing, rotary_dim=16, out=again) is again
    assert same(again, plain) and not same(x, plain)


@each_cpu
@pytest.mark.parametrize("name", sampled(FORMATS, 2))
def test_the_number_of_threads_changes_nothing(name):
    positions = scattered(5000, 37)
    x = normal((4, 700, 3, 32), name, 38)
    many = {
        "scattered": lambda n: refpos.sinusoidal(positions, 40, dtype=name, threads=n),
        "run": lambda n: refpos.sinusoidal(9000, 34, dtype=name, threads=n),
        "table": lambda n: np.stack(refpos.rope_table(9001, refpos.inverse_frequencies(30), dtype=name, threads=n)),
        "grid": lambda n: refpos.sincos_2d(60, 50, 32, axis_order="wh", dtype=name, threads=n),
        "rope": lambda n: refpos.rope(x, positions[:700], pairing="half", seq_axis=1, threads=n),
        "bias": lambda n: refpos.alibi(12, 90, 80, mode="symmetric", convention="geometric", dtype=name, threads=n),
    }
    for what, call in many.items():
        first = call(1)
        assert len(np.unique(bits(first))) > 100
        for count in (2, 3, 7, None):
            assert same(call(count), first), (what, count)


@pytest.mark.parametrize("name", FORMATS)
def test_valid_input_gives_no_warning(name):
    wild = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 6e4, 1e-7, -6e4]] * 6).astype(dtype_of(name))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for positions in (
            [1e300, -1e308, 5e-324, -0.0, 0.5, 2.0**60],
            [2**53, -(2**53), 0, 1, 2, 3],
            [1e300, 1e-200, 3, 4, 5, 6],
            [0.1] * 6,
        ):
            refpos.sinusoidal(np.array(positions), 7, dtype=name)
            refpos.rope_table(np.array(positions), refpos.inverse_frequencies(6, base=1e-3), dtype=name)
            for pairing in PAIRINGS:
                refpos.rope(wild, np.array(positions), pairing=pairing)
        refpos.alibi(130, 2, 3, mode="causal", convention="geometric", max_bias=5000, query_offset=-(2**53), dtype=name)
        refpos.t5_bias(wild, 3, 4, bidirectional=False)
    assert [str(warning.message) for warning in caught] == []


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_sizes_0_and_1(name):
    frequencies = refpos.inverse_frequencies(8)
    assert refpos.sinusoidal(0, 6, dtype=name).shape == (0, 6)
    assert refpos.sinusoidal([], 6, dtype=name).shape == (0, 6)
    assert refpos.sinusoidal(np.zeros((3, 0, 2), int), 5, dtype=name).shape == (3, 0, 2, 5)
    assert same(refpos.sinusoidal(1, 1, dtype=name), np.zeros((1, 1), dtype_of(name)))
    assert same(refpos.sinusoidal(1, 2, dtype=name), np.array([[0, 1]], dtype_of(name)))
    assert refpos.sincos_2d(0, 5, 8, axis_order="hw", dtype=name).shape == (0, 5, 8)
    assert refpos.sincos_2d(1, 1, 4, axis_order="hw", dtype=name).tolist() == [[[0, 1, 0, 1]]]
    assert [part.shape for part in refpos.rope_table(0, frequencies, dtype=name)] == [(0, 4), (0, 4)]
    assert refpos.rope(np.zeros((0, 8), dtype_of(name)), 0, pairing="half").shape == (0, 8)
    assert refpos.rope(np.zeros((3, 0, 8), dtype_of(name)), 0, pairing="half").shape == (3, 0, 8)
    assert refpos.rope(np.zeros((0, 3, 8), dtype_of(name)), 3, pairing="half").shape == (0, 3, 8)
    one = normal((1, 2), name, 39)
    assert same(refpos.rope(one, 1, pairing="half"), one)
    options = {"mode": "causal", "convention": "recursive", "dtype": name}
    assert refpos.alibi(3, 0, 4, **options).shape == (3, 0, 4)
    assert refpos.alibi(3, 4, 0, **options).shape == (3, 4, 0)
    assert refpos.alibi(1, 1, 1, **options).tolist() == [[[0]]]
    weight = normal((32, 2), name, 40)
    assert refpos.t5_bias(weight, 0, 3, bidirectional=True).shape == (2, 0, 3)
    assert refpos.t5_buckets([], bidirectional=True).shape == (0,)
    assert refpos.t5_buckets(np.array(-5), bidirectional=True).shape == ()


@each_cpu
def test_random_shapes_of_rope():
    # every axis arrangement against the plainest one: rows of one sequence
    rng = random.Random(41)
    seen = set()
    for turn in range(40):
        name = FORMATS[turn % 4]
        batch = tuple(rng.randrange(1, 4) for _ in range(rng.randrange(3)))
        others = tuple(rng.randrange(1, 4) for _ in range(rng.randrange(3)))
        seq, dim = rng.randrange(1, 9), 2 * rng.randrange(1, 7)
        x = normal((*batch, seq, *others, dim), name, turn)
        positions = scattered(int(np.prod((*batch, seq))) + 2, turn)[2:].reshape(*batch, seq)
        pairing = rng.choice(PAIRINGS)
        found = refpos.rope(x, positions, pairing=pairing, seq_axis=-2 - len(others))
        rows = np.broadcast_to(positions.reshape(*batch, seq, *(1 for _ in others)), x.shape[:-1]).reshape(-1)
        assert same(found.reshape(-1, dim), refpos.rope(x.reshape(-1, dim), rows, pairing=pairing))
        seen.add(x.shape)
    assert len(seen) > 30


def test_an_output_off_its_alignment_is_refused():
    off = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64).reshape(3, 4)
    wanted = "out must be aligned to its dtype, got an unaligned array"
    with pytest.raises(refpos.InputError, match=wanted) as raised:
        refpos.sinusoidal(3, 4, out=off)
    assert raised.value.code == "E_OUT" and not off.any()


@pytest.mark.parametrize("strides", [(24, 8), (8, 8), (0, 8), (-24, 8), (8, 16), (8, 0)])
def test_an_output_whose_elements_share_memory_is_refused(strides):
    memory = np.zeros(99)
    with pytest.raises(refpos.InputError, match="out must not overlap itself, got strides") as raised:
        refpos.sinusoidal(3, 4, out=np.lib.stride_tricks.as_strided(memory[40:], (3, 4), strides))
    assert raised.value.code == "E_OUT" and not memory.any()


@pytest.mark.parametrize("strides", [(32, 8), (-32, 8), (8, 24), (40, 8), (8, -24), (96, 16)])
def test_an_output_of_any_strides_without_overlap_is_filled(strides):
    out = np.lib.stride_tricks.as_strided(np.zeros(99)[40:], (3, 4), strides)
    assert refpos.sinusoidal(3, 4, out=out) is out and (out == refpos.sinusoidal(3, 4)).all()
