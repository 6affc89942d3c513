"""Rotations along several axes: every bit against the witness, through the public functions."""

from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from flint import arb, ctx
from witness import geometric, patterns, round_fraction
from witness.axes import ball, rotate, table

import refpos
from refpos import coordinates, grid, kernels
from refpos.arithmetic import reals
from refpos.cli import measure
from refpos.errors import InputError
from refpos.kernels import numpy_kernels
from refpos.steps.waves import grids

DTYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def blocks(widths, base):
    """The thetas of blocks, each with frequencies of its own, as a rule of balls."""
    rules = [geometric(width // 2, Fraction(2, width), base) for width in widths]
    return lambda: [theta for rule in rules for theta in rule()]


def cells(*axes):
    """The coordinates of the cells of a grid, row-major, as a list for each axis."""
    mesh = np.meshgrid(*(np.arange(len(axis)) for axis in axes), indexing="ij")
    return [[axis[k] for k in index.reshape(-1).tolist()] for axis, index in zip(axes, mesh, strict=True)]


def assert_patterns(found, digits, dtype):
    for array, wanted in zip(found, digits, strict=True):
        np.testing.assert_array_equal(bits(array).reshape(wanted.shape), patterns(wanted, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_tables_of_grids_and_of_ids(dtype):
    widths, base = (4, 6, 2), 500
    frequencies = refpos.frequencies.axial_frequencies(widths, base=base, axes=(2, 0, 1))
    thirds = [Fraction(2 * i + 1, 7) - 1 for i in range(7)]
    along = list(range(1, 6)), thirds, [Fraction(-i, 3) for i in range(3)]
    backwards = coordinates.affine(3, step=Fraction(-1, 3))
    places = grid(coordinates.affine(5, start=1), coordinates.half_pixel(7), backwards)
    positions = cells(*along)
    wanted = table(positions, (2, 2, 0, 0, 0, 1), blocks(widths, base), rational=1)
    found = refpos.rope_table(places, frequencies, dtype=dtype)
    assert found[0].shape == (5, 7, 3, 6)
    assert_patterns(found, wanted, dtype)
    listed = [coordinates.listed(axis) for axis in positions]
    assert_patterns(refpos.rope_table(listed, frequencies, dtype=dtype), wanted, dtype)


def test_large_grids_are_written_as_small_ones_are():
    frequencies = refpos.frequencies.axial_frequencies((44, 42, 42))
    wanted = refpos.rope_table([grids.cells(grid(9, 65, 64), k) for k in range(3)], frequencies, dtype="float32")
    out = tuple(np.empty((9, 65, 64, 64), np.float32) for _ in range(2))
    for threads in (1, 3):
        refpos.rope_table(grid(9, 65, 64), frequencies, dtype="float32", out=out, threads=threads)
        for array, expected in zip(out, wanted, strict=True):
            np.testing.assert_array_equal(bits(array).reshape(-1, 64), bits(expected))


@pytest.mark.parametrize("arrangement", ["chunked", "interleaved", "alternating"])
def test_mrope_gives_each_pair_its_axis(arrangement):
    sections = (3, 3, 4) if arrangement == "alternating" else (4, 3, 3)
    axes = {
        "chunked": (0, 0, 0, 0, 1, 1, 1, 2, 2, 2),
        "interleaved": (0, 1, 2, 0, 1, 2, 0, 1, 2, 0),
        "alternating": (1, 2, 1, 2, 1, 2, 0, 0, 0, 0),
    }[arrangement]
    ids = np.array([[0, 3, 7], [0, 5, 1], [0, 2, 9]])
    x = np.random.default_rng(1).standard_normal((2, 4, 3, 24)).astype(np.float32)
    found = refpos.mrope(x, ids, pairing="half", sections=sections, arrangement=arrangement, base=1000000)
    rule = geometric(10, Fraction(1, 10), 1000000)
    np.testing.assert_array_equal(found[..., 20:], x[..., 20:])
    np.testing.assert_array_equal(found[..., 0, :], x[..., 0, :])
    for batch, head in ((0, 0), (1, 3)):
        a, b = x[batch, head, 1:, :10].astype(float), x[batch, head, 1:, 10:20].astype(float)
        wanted = rotate(a, b, ids[:, 1:].tolist(), axes, rule)
        assert_patterns((found[batch, head, 1:, :10], found[batch, head, 1:, 10:20]), wanted, "float32")


def test_position_ids_of_a_batch():
    ids = np.random.default_rng(2).integers(0, 4000, (3, 2, 5))
    x = np.random.default_rng(3).standard_normal((2, 3, 5, 16))
    options = {"pairing": "interleaved", "sections": (2, 3, 3), "arrangement": "interleaved"}
    found = refpos.mrope(x, ids, **options)
    for k in range(2):
        np.testing.assert_array_equal(found[k], refpos.mrope(x[k], ids[:, k], **options))
    same = refpos.mrope(x, ids[:1].repeat(3, 0), **options)
    np.testing.assert_array_equal(same, refpos.rope(x, ids[0], pairing="interleaved"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pairing", ["half", "interleaved", "block-half"])
def test_rotations_of_a_grid(pairing, dtype):
    x = np.random.default_rng(4).standard_normal((2, 15, 13)).astype(DTYPES[dtype])
    frequencies = refpos.frequencies.axial_frequencies((4, 8), base=100, axes=(1, 0))
    found = refpos.rope(x, grid(5, coordinates.affine(3, start=1)), pairing=pairing, frequencies=frequencies)
    np.testing.assert_array_equal(bits(found[..., 12:]), bits(x[..., 12:]))
    first = {"half": [0, 1, 2, 3, 4, 5], "interleaved": [0, 2, 4, 6, 8, 10], "block-half": [0, 1, 4, 5, 6, 7]}[pairing]
    second = {"half": [6, 7, 8, 9, 10, 11], "interleaved": [1, 3, 5, 7, 9, 11], "block-half": [2, 3, 8, 9, 10, 11]}
    second = second[pairing]
    positions = cells(range(5), range(1, 4))
    busy = slice(3, None)  # the first row of cells has position 0 on one axis
    for head in range(2):
        a, b = (x[head, busy][:, columns].astype(float) for columns in (first, second))
        wanted = rotate(a, b, [axis[3:] for axis in positions], (1, 1, 0, 0, 0, 0), blocks((4, 8), 100))
        assert_patterns([found[head, busy][:, columns] for columns in (first, second)], wanted, dtype)
    narrow = refpos.inverse_frequencies(4)
    still = refpos.rope(x[:, :3], coordinates.affine(3, start=1), pairing="half", frequencies=narrow)
    assert still.shape == (2, 3, 13)


def test_named_functions_are_short_calls():
    x = np.random.default_rng(5).standard_normal((3, 12, 16)).astype(np.float32)
    frequencies = refpos.frequencies.axial_frequencies((8, 8), axes=(1, 0))
    wanted = refpos.rope(x, grid(3, 4), pairing="half", frequencies=frequencies)
    np.testing.assert_array_equal(refpos.rope_2d(x, 3, 4, pairing="half", axis_order="wh"), wanted)
    frequencies = refpos.frequencies.axial_frequencies((4, 6, 6), axes=(2, 0, 1), base=256)
    wanted = refpos.rope(x, grid(2, 2, 3), pairing="interleaved", frequencies=frequencies)
    options = {"pairing": "interleaved", "axis_order": "wth", "widths": (4, 6, 6), "base": 256}
    np.testing.assert_array_equal(refpos.rope_3d(x, 2, 2, 3, **options), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_fractions_of_a_turn_are_exact(dtype):
    """DINOv3: angles 2 pi coordinate / period; zeros, halves and ones come out as such."""
    frequencies = refpos.frequencies.axial_frequencies((4, 4), base=100, times_pi=2)
    rule = geometric(4, Fraction(1, 2), 100)
    axes = (0, 0, 1, 1)
    along = [[Fraction(2 * i + 1, n) - 1 for i in range(n)] for n in (3, 4)]
    found = refpos.rope_table(grid(coordinates.half_pixel(3), coordinates.half_pixel(4)), frequencies, dtype=dtype)

    def thetas():
        one, tenth = rule()[:2]
        return [2 * arb.pi() * value for value in (one, tenth, one, tenth)]

    assert_patterns(found, table(cells(*along), axes, thetas, rational=1), dtype)
    assert not np.signbit(found[1][0][found[1][0] == 0].astype(float)).any()


def test_pairs_that_cancel_at_an_eighth_of_a_turn_are_zero():
    frequencies = refpos.frequencies.axial_frequencies((2,), times_pi=Fraction(1, 4))
    x = np.array([[3.0, 3.0], [3.0, -3.0], [0.0, 5.0], [7.0, 0.0]])
    found = refpos.rope(x, [1, 1, 2, 4], pairing="half", frequencies=frequencies)
    assert found[0, 0] == 0 and found[1, 1] == 0 and found[2].tolist() == [-5.0, 0.0]
    assert found[3].tolist() == [-7.0, 0.0]
    twice = refpos.rope(found, [7, 7, 6, 4], pairing="half", frequencies=frequencies)
    np.testing.assert_allclose(twice, x, rtol=1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pairs_that_stand_still(dtype):
    frequencies = refpos.frequencies.given_frequencies([0, 1, 0, 0.25, 0, 0])
    cos, sin = refpos.rope_table([0, 3, 2**40], frequencies, dtype=dtype)
    assert (cos[:, [0, 2, 4, 5]] == 1).all() and (bits(sin[:, [0, 2, 4, 5]]) == 0).all()
    x = np.random.default_rng(6).standard_normal((3, 2, 12)).astype(DTYPES[dtype])
    found = refpos.rope(x, [0, 3, 2**40], pairing="half", frequencies=frequencies, seq_axis=0)
    still = [0, 2, 4, 5, 6, 8, 10, 11]
    np.testing.assert_array_equal(bits(found[..., still]), bits(x[..., still]))
    moving = refpos.rope(
        x[..., [1, 3, 7, 9]],
        [0, 3, 2**40],
        pairing="half",
        frequencies=refpos.frequencies.given_frequencies([1, 0.25]),
        seq_axis=0,
    )
    np.testing.assert_array_equal(bits(found[..., [1, 3, 7, 9]]), bits(moving))


def each_kernel():
    """Run the block that follows once with each of the kernels of this build, and with NumPy's."""
    compiled = kernels.active
    try:
        for which in range(len(compiled.cpus()) if kernels.name == "compiled" else 0):
            with measure.held_to(which):
                yield
        kernels.active = numpy_kernels
        yield
    finally:
        kernels.active = compiled


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_kernels_turn_several_axes_alike(dtype):
    rng = np.random.default_rng(11)
    x = rng.standard_normal((3, 37, 140)).astype(DTYPES[dtype])
    ids = rng.integers(-(2**40), 2**40, (3, 37))
    for frequencies in (
        refpos.frequencies.mrope_frequencies(128, sections=(24, 20, 20), arrangement="interleaved"),
        refpos.frequencies.mrope_frequencies(128, sections=(22, 22, 20), arrangement="alternating"),
        refpos.frequencies.axial_frequencies((44, 42, 42), axes=(2, 0, 1)),
        with_factor(Fraction(9, 7), refpos.frequencies.axial_frequencies((6, 4, 30))),
    ):
        for pairing in ("half", "interleaved"):
            found = [refpos.rope(x, ids, pairing=pairing, frequencies=frequencies) for _ in each_kernel()]
            for other in found[1:]:
                np.testing.assert_array_equal(bits(found[0]), bits(other))


def test_positions_of_many_exponents_on_one_axis():
    frequencies = refpos.frequencies.axial_frequencies((4, 4))
    x = np.random.default_rng(12).standard_normal((5, 8))
    along = [0.0, 1e-300, 3.5, 1e17, -2.0], [4, 3, 2, 1, 0]
    found = refpos.rope(x, along, pairing="half", frequencies=frequencies)
    for row in range(5):
        one = refpos.rope(
            x[row : row + 1],
            [along[0][row : row + 1], along[1][row : row + 1]],
            pairing="half",
            frequencies=frequencies,
        )
        np.testing.assert_array_equal(found[row : row + 1], one)


def with_factor(value, frequencies=None):
    """The frequencies with a factor of their own."""
    return replace(frequencies or refpos.inverse_frequencies(16, base=10000), factor=reals.rational(value))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [Fraction(1346573590279973, 10**15), Fraction(1, 3), Fraction(7), Fraction(3, 2**40)])
def test_a_factor_multiplies_before_anything_is_rounded(value, dtype):
    frequencies, rule = with_factor(value), geometric(8, Fraction(1, 8), 10000)

    def factor():
        return ball(value)

    for places in (range(1, 70), [5, 131071, 7, 2**31 - 1]):
        wanted = table([list(places)], (0,) * 8, rule, factor, rational=value)
        assert_patterns(refpos.rope_table(list(places), frequencies, dtype=dtype), wanted, dtype)
    x = np.random.default_rng(7).standard_normal((2, 69, 16)).astype(DTYPES[dtype])
    for places in (range(1, 70), [k * k % 1009 + 1 for k in range(69)]):
        found = refpos.rope(x, list(places), pairing="half", frequencies=frequencies)
        a, b = x[1, :, :8].astype(float), x[1, :, 8:].astype(float)
        assert_patterns((found[1, :, :8], found[1, :, 8:]), rotate(a, b, [list(places)], (0,) * 8, rule, factor), dtype)
    still = refpos.rope(x[:, :1], [0], pairing="half", frequencies=frequencies)
    exact = [float(v) for v in x[0, 0].astype(float)]
    wanted = [Fraction(v) * value for v in exact]
    assert bits(still)[0, 0].tolist() == [round_fraction(v, dtype) for v in wanted]


def test_mixed_frequencies():
    rng = np.random.default_rng(8)
    weight = rng.standard_normal((2, 3, 4)).astype(np.float32)
    x = rng.standard_normal((2, 3, 15, 8)).astype(np.float32)
    for pairing in ("half", "interleaved"):
        found = refpos.rotary.mixed_rope(x, grid(coordinates.affine(5, start=1), 3), weight, pairing=pairing)
        positions = cells(range(1, 6), range(3))
        for head in range(3):
            sums = [
                [Fraction(float(weight[0, head, i])) * r + Fraction(float(weight[1, head, i])) * c for i in range(4)]
                for r, c in zip(*positions, strict=True)
            ]
            flat = [value for row in sums for value in row]
            columns = (slice(0, 4), slice(4, 8)) if pairing == "half" else (slice(0, 8, 2), slice(1, 8, 2))
            a, b = (x[1, head][:, part].astype(float).reshape(1, -1) for part in columns)
            wanted = rotate(a, b, [[1]], (0,) * len(flat), lambda: [ball(value) for value in flat])
            assert_patterns([found[1, head][:, part].reshape(1, -1) for part in columns], wanted, "float32")


@pytest.mark.parametrize("scales", [(1, Fraction(36864, 15), Fraction(36864, 15)), (Fraction(9, 4), 3, 12), (2, 8, 50)])
def test_mixed_frequencies_of_scaled_axes(scales):
    """Roots that are fractions, that are equal, that are multiples of each other; sums of them that are 0."""
    weight = np.array([[[0.5, -3, 1]], [[1, 0.25, -2]], [[-0.5, 1, 1]]])
    x = np.random.default_rng(15).standard_normal((1, 12, 6))
    places = grid(coordinates.affine(2, start=1), coordinates.affine(3, start=-1), 2)
    positions = cells(range(1, 3), range(-1, 2), range(2))
    found = refpos.rotary.mixed_rope(x, places, weight, pairing="half", squared_scale=scales)
    terms = [
        [
            tuple(Fraction(p) * Fraction(w) for p, w in zip(token, column, strict=True))
            for column in weight[:, 0].T.tolist()
        ]
        for token in zip(*positions, strict=True)
    ]
    flat = [pair for token in terms for pair in token]

    def turned():
        return [sum((ball(p) * ball(s).sqrt() for p, s in zip(pair, scales, strict=True)), arb(0)) for pair in flat]

    still = [turned()[k].contains(0) for k in range(len(flat))]
    a, b = x[0, :, :3].reshape(1, -1), x[0, :, 3:].reshape(1, -1)
    busy = [k for k, rest in enumerate(still) if not rest]
    wanted = rotate(a[:, busy], b[:, busy], [[1]], (0,) * len(busy), lambda: [turned()[k] for k in busy])
    assert_patterns(
        [found[0, :, :3].reshape(1, -1)[:, busy], found[0, :, 3:].reshape(1, -1)[:, busy]], wanted, "float64"
    )
    rest = [k for k, it in enumerate(still) if it]
    assert np.array_equal(found[0, :, :3].reshape(-1)[rest], a[0, rest]) and len(busy) + len(rest) == 36
    if scales[1:] == (3, 12):  # sqrt(3) - sqrt(12) / 2 is 0: a rational angle stays beside it
        sums = [(Fraction(1, 2), Fraction(1)), (Fraction(0), Fraction(3))]
        assert reals.sum_of_roots(sums).rational == Fraction(1, 2)


def test_sums_of_roots_are_as_near_as_they_say():
    terms = [(Fraction(3, 7), Fraction(2)), (Fraction(-5), Fraction(3, 5)), (Fraction(1, 9), Fraction(1))]
    with ctx.workprec(400):
        exact = sum((ball(r) * ball(q).sqrt() for r, q in terms), arb(0))
        for bits_ in (8, 64, 200):
            assert abs(ball(reals.sum_of_roots(terms).fixed(bits_)) - exact * arb(2) ** bits_) < 1
    assert reals.sum_of_roots(terms).rational is None
    assert reals.root(Fraction(18, 8)) == Fraction(3, 2) and reals.root(Fraction(18, 9)) is None


def test_mixed_frequencies_of_bit_patterns():
    x = np.random.default_rng(13).standard_normal((2, 6, 4)).astype(ml_dtypes.bfloat16)
    weight = np.random.default_rng(14).standard_normal((2, 2, 2))
    wanted = refpos.rotary.mixed_rope(x, grid(2, 3), weight, pairing="half")
    found = refpos.rotary.mixed_rope(bits(x), grid(2, 3), weight, pairing="half", dtype="bfloat16")
    np.testing.assert_array_equal(found, bits(wanted))


def test_lists_are_channels_too():
    x = [[1.0, 0.0, 2.0, 0.5]] * 6
    options = {"pairing": "half", "axis_order": "hw"}
    np.testing.assert_array_equal(refpos.rope_2d(x, 2, 3, **options), refpos.rope_2d(np.array(x), 2, 3, **options))


def test_encodings_that_are_no_rotations():
    rng = np.random.default_rng(9)
    x = rng.standard_normal((24, 20)).astype(np.float32)
    positions = [[p + 1 for p in axis] for axis in cells(range(2), range(4), range(3))]
    found = refpos.rotary.vjepa2_rope(x, positions)  # blocks of 6, of 3 pairs
    rule = geometric(3, Fraction(1, 3), 10000)
    axes = (0, 0, 0, 1, 1, 1, 2, 2, 2)

    def of(shift):
        return lambda: [rule()[(2 * i + shift) % 3] for i in range(3)] * 3

    wanted = rotate(x[:, :18:2].astype(float), x[:, 1:18:2].astype(float), positions, axes, of(0), other=(axes, of(1)))
    assert_patterns((found[:, :18:2], found[:, 1:18:2]), wanted, "float32")
    np.testing.assert_array_equal(found[:, 18:], x[:, 18:])

    ids = rng.integers(1, 900, (3, 24))
    found = refpos.rotary.ernie_image_rope(
        x[:, :18], ids, widths=(2, 6, 8), base=100
    )  # 8 angles, for channels 0, 1; 2, 3 ...
    one, two, three = (geometric(count, Fraction(1, count), 100) for count in (1, 3, 4))
    axes = (0, 1, 1, 1, 2, 2, 2, 2)
    first, second = [0, 0, 1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6, 7, 7]

    def of(places):
        return lambda: [[*one(), *two(), *three()][k] for k in places]

    wanted = rotate(
        x[:, :8].astype(float), x[:, 8:16].astype(float), ids.tolist(), [axes[k] for k in first], of(first),
        other=([axes[k] for k in second], of(second)),
    )  # fmt: skip
    assert_patterns((found[:, :8], found[:, 8:16]), wanted, "float32")
    np.testing.assert_array_equal(found[:, 16:], x[:, 16:18])

    ids = rng.integers(1, 900, (4, 24))
    found = refpos.rotary.xdrope(x[:, :16], ids, sections=(2, 2, 2, 2))
    rule = geometric(8, Fraction(1, 8), 10000)
    wanted = rotate(
        x[:, :8].astype(float),
        x[:, 8:16].astype(float),
        ids.tolist(),
        (0,) * 4 + (1,) * 4,
        rule,
        other=((2,) * 4 + (3,) * 4, rule),
    )
    assert_patterns((found[:, :8], found[:, 8:]), wanted, "float32")
    text = np.broadcast_to(ids[0], (4, 24))
    same = refpos.rotary.xdrope(x[:, :16], text, sections=(2, 2, 2, 2))
    np.testing.assert_array_equal(same, refpos.rope(x[:, :16], ids[0], pairing="half"))


def test_frequencies_of_pixtral_and_lumina():
    frequencies = refpos.frequencies.axial_frequencies((8, 8), allocation="strided")
    whole = refpos.inverse_frequencies(16).inv_freq
    np.testing.assert_array_equal(frequencies.inv_freq, np.concatenate([whole[0::2], whole[1::2]]))
    frequencies = refpos.frequencies.axial_frequencies((8, 8), arrangement="interleaved")
    assert frequencies.axes == (0, 1) * 4
    np.testing.assert_array_equal(frequencies.inv_freq, refpos.inverse_frequencies(8).inv_freq.repeat(2))
    frequencies = refpos.frequencies.axial_frequencies((4, 8, 4), allocation="sections", axes=(1, 0, 2))
    np.testing.assert_array_equal(frequencies.inv_freq, whole)
    assert frequencies.axes == (1, 1, 0, 0, 0, 0, 2, 2)


def test_sincos_3d_against_its_axes():
    found = refpos.sincos_3d(3, 4, 5, 24, axis_order="wth", widths=(8, 10, 8), layout="interleaved", dtype="float32")
    t, h, w = (
        refpos.sinusoidal(n, width, layout="interleaved", dtype="float32") for n, width in ((3, 10), (4, 8), (5, 8))
    )
    assert found.shape == (3, 4, 5, 24)
    np.testing.assert_array_equal(found[..., :8], np.broadcast_to(w, (3, 4, 5, 8)))
    np.testing.assert_array_equal(found[..., 8:18], np.broadcast_to(t[:, None, None], (3, 4, 5, 10)))
    np.testing.assert_array_equal(found[..., 18:], np.broadcast_to(h[:, None, :6], (3, 4, 5, 6)))
    rows = refpos.sincos_3d(3, 4, 5, 24, axis_order="wth", widths=(8, 10, 8), layout="interleaved", extra_tokens=2)
    assert rows.shape == (62, 24) and not rows[:2].any()


@pytest.mark.parametrize(
    "call, code",
    [
        (lambda: refpos.frequencies.axial_frequencies((4, 3)), "E_ODD_DIM"),
        (lambda: refpos.frequencies.axial_frequencies(8), "E_SHAPE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 4), axes=(0,)), "E_SHAPE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 4), axes=(0, -1)), "E_AXIS"),
        (lambda: refpos.frequencies.axial_frequencies((4, 4), base=(100, 200, 300)), "E_SHAPE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 6), arrangement="interleaved"), "E_SHAPE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 6), allocation="strided"), "E_SHAPE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 4), allocation="shared"), "E_CHOICE"),
        (lambda: refpos.frequencies.axial_frequencies((4, 4), times_pi=0), "E_NUMBER"),
        (lambda: refpos.frequencies.mrope_frequencies(16, sections=(2, 2, 2), arrangement="chunked"), "E_SHAPE"),
        (lambda: refpos.frequencies.mrope_frequencies(12, sections=(2, 2), arrangement="chunked"), "E_SHAPE"),
        (lambda: refpos.frequencies.mrope_frequencies(12, sections=(1, 2, 3), arrangement="alternating"), "E_SHAPE"),
        (lambda: refpos.frequencies.given_frequencies([[1.0]]), "E_SHAPE"),
        (lambda: refpos.frequencies.given_frequencies([float("nan")]), "E_NUMBER"),
        (lambda: refpos.rope_table(grid(2), refpos.frequencies.axial_frequencies((2, 2))), "E_SHAPE"),
        (lambda: refpos.rope_table(5, refpos.frequencies.axial_frequencies((2, 2))), "E_SHAPE"),
        (lambda: refpos.rope_table([[1, 2], [1]], refpos.frequencies.axial_frequencies((2, 2))), "E_SHAPE"),
        (
            lambda: refpos.rope(
                np.ones((5, 4)), grid(2, 3), pairing="half", frequencies=refpos.frequencies.axial_frequencies((2, 2))
            ),
            "E_SHAPE",
        ),
        (lambda: refpos.sincos_3d(2, 2, 2, 8), "E_ODD_DIM"),
        (lambda: refpos.sincos_3d(2, 2, 2, 8, widths=(2, 2, 2)), "E_SHAPE"),
        (
            lambda: refpos.rotary.mixed_rope(np.ones((1, 4, 4)), grid(2, 2), np.ones((2, 2, 2)), pairing="half"),
            "E_SHAPE",
        ),
        (
            lambda: refpos.rotary.mixed_rope(
                np.ones((1, 4, 4)), grid(2, 2), np.ones((2, 1, 2)), pairing="half", squared_scale=3
            ),
            "E_SHAPE",
        ),
        (
            lambda: refpos.rotary.mixed_rope(
                np.ones((1, 4, 4)), grid(2, 2), np.ones((2, 1, 2)), pairing="half", squared_scale=(1, -3)
            ),
            "E_NUMBER",
        ),
        (lambda: refpos.rotary.ernie_image_rope(np.ones((1, 4)), [[1], [1]], widths=(2, 4)), "E_ROTARY_DIM"),
        (lambda: refpos.rope_2d(1.0, 1, 1, pairing="half", axis_order="hw"), "E_SHAPE"),
        (
            lambda: refpos.mrope(np.ones((1, 4)), [[1]] * 3, pairing="half", arrangement="chunked", sections=2),
            "E_SHAPE",
        ),
        (
            lambda: refpos.mrope(
                np.ones((1, 4)), [[1]] * 3, pairing="half", arrangement="chunked", sections=(1, 1, 0), frequencies=3
            ),
            "E_NUMBER",
        ),
        (lambda: coordinates.listed([2**60, Fraction(1, 3)]), "E_POSITION"),
        (grid, "E_SHAPE"),
        (lambda: grid([[1, 2]]), "E_SHAPE"),
    ],
)
def test_refusals(call, code):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.code == code
