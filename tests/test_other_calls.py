"""Mistakes of formulas, grids, tables and arrays, in programs of NumPy in float64: each is named, and the call that has
it is verified; the same numbers with one of them changed are not those of the call."""

import math

import numpy as np
import pytest
from mistakes.corpus import PLANTS
from mistakes.record import Setting
from tiers import sampled

import refpos

F32, RNG, DIM, LENGTH = np.float32, np.random.default_rng(25), 32, 200
INDEX = np.arange(0, DIM, 2)
SHORT, LONG = (tuple(1 + step * k for k in range(DIM // 2)) for step in (0.01, 1.5))
LISTS = dict(short_factor=SHORT, long_factor=LONG, factor=32, seq_len=8192, original_max_position_embeddings=4096)
OF_LISTS = math.sqrt(1 + math.log(32) / math.log(4096))
TRAINED = 512


def of_base(base):
    return base ** (-INDEX / DIM)


def ramp(factor=8, base=1e4):
    """Which share of each frequency is divided."""
    ends = [DIM * math.log(TRAINED / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (32, 1)]
    low, high = max(math.floor(ends[0]), 0), min(math.ceil(ends[1]), DIM - 1)
    return np.clip((np.arange(DIM // 2) - low) / (high - low), 0, 1)


def table(inv_freq, factor=1.0):
    angles = np.outer(np.arange(LENGTH), inv_freq)
    return tuple((factor * part).astype(F32) for part in (np.cos(angles), np.sin(angles)))


def yarn(change):
    return table(change(of_base(1e4), ramp()), 0.1 * math.log(8) + 1)


NTK, DYNAMIC = dict(factor=4), dict(factor=2, max_position_embeddings=1024, seq_len=4096)
YARN = dict(factor=8, original_max_position_embeddings=TRAINED)
#: words: function, its arguments, and the numbers
SCALINGS = {
    f"ntk with the exponent dim/(dim-1) of its factor: base {1e4 * 4 ** (32 / 31):.6g}": (
        "ntk", NTK, lambda: table(of_base(1e4 * 4 ** (32 / 31)))),
    f"ntk with the exponent (dim-2)/dim of its factor: base {1e4 * 4 ** (30 / 32):.6g}": (
        "ntk", NTK, lambda: table(of_base(1e4 * 4 ** (30 / 32)))),
    "dynamic_ntk with the exponent 1 of its factor: base 70000": (
        "dynamic_ntk", DYNAMIC, lambda: table(of_base(7e4))),
    "ntk with factor 8, which is factor seq_len/max_position_embeddings without minus (factor-1)": (
        "dynamic_ntk", DYNAMIC, lambda: table(of_base(1e4 * 8 ** (32 / 30)))),
    "attention_factor 1.34657: 0.1 ln(factor) + 1 (that of yarn)": (
        "longrope", LISTS, lambda: table(of_base(1e4) / LONG, 0.1 * math.log(32) + 1)),
    f"attention_factor {math.sqrt(4 / 3):.6g}: sqrt(1 + ln(factor) / ln(length)) (that of longrope)": (
        "yarn", YARN, lambda: table(of_base(1e4) * (1 - ramp() * 7 / 8), math.sqrt(1 + math.log(8) / math.log(512)))),
    "long_factor reversed": ("longrope", LISTS, lambda: table(of_base(1e4) / LONG[::-1], OF_LISTS)),
    "frequencies multiplied by the factors": ("longrope", LISTS, lambda: table(of_base(1e4) * LONG, OF_LISTS)),
    "the ramp reversed": ("yarn", YARN, lambda: yarn(lambda theta, r: theta * (r + (1 - r) / 8))),
    "a ramp of powers": ("yarn", YARN, lambda: yarn(lambda theta, r: theta / 8**r)),
    "every frequency divided (linear, no ramp)": ("yarn", YARN, lambda: yarn(lambda theta, r: theta / 8)),
}  # fmt: skip


def assert_named(words, made, function, *given, **options):
    """That a mistake is named first and its call verified, and that no call is where one number is another one."""
    found = refpos.diagnose(made, function, *given, **options)
    assert found.met is None and found.explanations[0].computed.startswith(words), found
    assert found.explanations[0].met, found
    changed = [np.array(part) for part in made] if isinstance(made, tuple) else np.array(made)
    first = changed[0] if isinstance(changed, list) else changed
    first[(-1,) * first.ndim] += 3
    changed = tuple(changed) if isinstance(changed, list) else changed
    again = refpos.diagnose(changed, function, *given, **options).explanations
    assert not again or not again[0].computed.startswith(words) or not again[0].met, again


@pytest.mark.parametrize("words", sampled(list(SCALINGS), 15))
def test_other_formulas_of_scalings_are_named(words):
    function, given, make = SCALINGS[words]
    asked = getattr(refpos, function)(DIM, **given)
    assert_named(words, make(), refpos.rope_table, LENGTH, asked)


def test_of_several_estimated_numbers_the_one_of_fewest_digits_comes_first():
    """The base that gives the same frequencies has seven digits."""
    inv_freq = of_base(1e4 * (2 * 4096 / 1500 - 1) ** (DIM / (DIM - 2))).astype(F32)
    angles = np.outer(np.arange(2048, dtype=F32), inv_freq)
    made = np.cos(angles).astype(F32), np.sin(angles).astype(F32)
    found = refpos.diagnose(made, refpos.rope_table, 2048, refpos.dynamic_ntk(DIM, **DYNAMIC)).explanations
    assert found[0].computed == "max_position_embeddings=1500" and found[0].met == "float32-angle"
    assert any(one.computed.startswith("base=") for one in found[1:])


# -- grids ------------------------------------------------------------------------------------------------------------


def rotated(x, parts):
    """x whose pairs of neighbours are rotated by the angles of several axes, side by side."""
    angles = np.concatenate([np.outer(places, inv_freq) for places, inv_freq in parts], axis=-1)
    pairs = x.astype(np.float64).reshape(*x.shape[:-1], -1, 2)
    exchanged = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angles)
    return np.stack([exchanged.real, exchanged.imag], -1).reshape(x.shape).astype(x.dtype)


def axis(width, base=100.0):
    return base ** (-np.arange(0, width, 2) / width)


def cells(*sizes):
    return [places.reshape(-1) for places in np.meshgrid(*map(np.arange, sizes), indexing="ij")]


ROW, COLUMN = cells(5, 7)
FRAME, HEIGHT, WIDTH = cells(2, 5, 4)
LATER = [np.moveaxis(places.reshape(2, 5, 4), 0, 2).reshape(-1) for places in (FRAME, HEIGHT, WIDTH)]
WIDTHS = (8, 12, 12)
GRIDS = {
    "the cells column by column": (2, [(np.tile(np.arange(5), 7), axis(16)), (np.repeat(np.arange(7), 5), axis(16))]),
    "coordinates divided by the size": (2, [(ROW / 5, axis(16)), (COLUMN / 7, axis(16))]),
    "width all 0": (2, [(ROW, axis(16)), (COLUMN * 0, axis(16))]),
    "the cells in the order height, width, frames (frames count fastest)": (
        3, [(places, axis(width)) for places, width in zip(LATER, WIDTHS, strict=True)]),
    "widths=[10, 10, 12]": (3, [(FRAME, axis(10)), (HEIGHT, axis(10)), (WIDTH, axis(12))]),
    "the exponents 2i/32 of the whole width": (
        3, [(places, axis(32)[: width // 2]) for places, width in zip((FRAME, HEIGHT, WIDTH), WIDTHS, strict=True)]),
}  # fmt: skip


@pytest.mark.parametrize("words", sampled(list(GRIDS), 9))
def test_other_grids_are_named(words):
    axes, parts = GRIDS[words]
    x = RNG.standard_normal((2, len(parts[0][0]), DIM)).astype(F32)
    options = dict(pairing="interleaved", base=100.0)
    if axes == 2:
        assert_named(words, rotated(x, parts), refpos.rope_2d, x, 5, 7, axis_order="hw", **options)
    else:
        assert_named(words, rotated(x, parts), refpos.rope_3d, x, 2, 5, 4, axis_order="thw", widths=WIDTHS, **options)


def test_tables_of_cells_that_were_transposed_are_named():
    table = np.array(refpos.sincos_2d(5, 7, DIM, axis_order="hw", dtype="float32"))
    made = np.ascontiguousarray(table.reshape(7, 5, DIM).swapaxes(0, 1))
    assert_named("the cells column by column", made, refpos.sincos_2d, 5, 7, DIM, axis_order="hw", dtype="float32")


# -- rows and arrays --------------------------------------------------------------------------------------------------

QUERIES, KEYS, CLIP = 9, 12, 5
AWAY = np.arange(KEYS) - np.arange(QUERIES)[:, None]
Q, K = (RNG.standard_normal((2, n, DIM)).astype(F32) for n in (QUERIES, KEYS))
WEIGHT = RNG.standard_normal((2 * CLIP, DIM)).astype(F32)
IDS = np.array([[0, 1, 2, 3, 0, 1], [4, 0, 1, 2, 0, 1]])
MINUS = np.roll(WEIGHT, 1, axis=0)


def scores(rows):
    return np.einsum("hid,ijd->hij", Q.astype(np.float64), WEIGHT.astype(np.float64)[rows]).astype(F32)


def clipped(distances, most=CLIP):
    return np.clip(distances, -min(most, CLIP - 1), most) + CLIP - 1


ROWS = {
    "rows of query - key in the place of key - query": clipped(-AWAY),
    "rows of the absolute distance": clipped(np.abs(AWAY)),
    "rows of the negative absolute distance": clipped(-np.abs(AWAY)),
    "distances clipped at 2": clipped(AWAY, 2),
    "rows of distances shifted by 1": clipped(AWAY + 1),
    "rows + 1, modulo 10": (clipped(AWAY) + 1) % 10,
}
LOOKED_UP = {
    "rows - 1, modulo 10": (MINUS[IDS], WEIGHT),
    "row 0 of weight all 0": (np.where(IDS[..., None] == 0, 0, WEIGHT[IDS]), WEIGHT),
    "weight transposed: its numbers written column by column": (WEIGHT.reshape(WEIGHT.shape[::-1]).T[IDS], WEIGHT),
    "weight transposed: its numbers read column by column": (WEIGHT.T.reshape(WEIGHT.shape)[IDS], WEIGHT),
    "weight reversed along axis 0": (WEIGHT[::-1][IDS], WEIGHT),
    "the result times 5.65685": ((WEIGHT[IDS] * math.sqrt(DIM)).astype(F32), WEIGHT),
    "the result plus 1": (WEIGHT[IDS] + F32(1), WEIGHT),
}


@pytest.mark.parametrize("words", sampled(list(ROWS), 9))
def test_other_rows_of_distances_are_named(words):
    relative = refpos.scores.relative_scores
    assert_named(words, scores(ROWS[words]), relative, Q, WEIGHT, clipped(AWAY), by="query", dtype="float32")


@pytest.mark.parametrize("words", sampled(list(LOOKED_UP), 9))
def test_other_tables_and_results_are_named(words):
    made, weight = LOOKED_UP[words]
    assert_named(words, made, refpos.learned, weight, IDS)


def test_rows_of_one_table_alone_are_named():
    rows = np.clip(8 - AWAY, 0, 15)
    tables = RNG.standard_normal((2, 2, 16, DIM)).astype(F32)
    q, k, first, second = (one.astype(np.float64) for one in (Q, K, *tables))
    made = q @ k.swapaxes(-1, -2) + np.einsum("hid,hijd->hij", q, first[:, rows])
    made += np.einsum("hjd,hijd->hij", k, second[:, np.clip(8 + AWAY, 0, 15)])
    words = "rows of query - key in the place of key - query (the other sign) in p2c alone (query_rows)"
    given = (Q, K, *tables, rows)
    made = (made / math.sqrt(3 * DIM)).astype(F32)
    assert_named(words, made, refpos.scores.deberta_scores, *given, scaling="products", dtype="float32")


def test_arrays_in_the_place_of_others_are_named():
    made = (K[:, -QUERIES:].astype(np.float64) @ K.astype(np.float64).swapaxes(-1, -2) / math.sqrt(DIM)).astype(F32)
    options = dict(outputs="scores", dtype="float32")
    assert_named("the last rows of k in the place of q", made, refpos.attention, Q, K, None, **options)


def test_noise_is_explained_by_no_array_and_no_rows():
    noise = RNG.standard_normal((2, QUERIES, KEYS)).astype(F32)
    asked = (refpos.scores.relative_scores, Q, WEIGHT, clipped(AWAY))
    assert refpos.diagnose(noise, *asked, by="query", dtype="float32").unexplained


# -- kinds of waves, and numbers of calls -----------------------------------------------------------------------------

ANGLES = np.outer(np.arange(40), of_base(1e4))
POINTS = RNG.uniform(-1, 1, (30, 3)).astype(F32)
BANDS = np.pi * POINTS.astype(np.float64)[:, None] * np.array([1.0, 2.0, 4.0])[:, None]


def bands(angles, kinds=(np.sin, np.cos)):
    waves = np.stack([kind(angles) for kind in kinds], axis=2)  # point, band, kind, axis
    return np.concatenate([POINTS, waves.reshape(len(POINTS), -1)], axis=-1).astype(F32)


def test_waves_of_one_kind_are_named():
    cosines, sines = np.cos(ANGLES).astype(F32), np.sin(ANGLES).astype(F32)
    plain = refpos.inverse_frequencies(DIM)
    assert_named("sin holds the numbers of cos: cos twice", (cosines, cosines), refpos.rope_table, 40, plain)
    assert_named("cos holds the numbers of sin: sin twice", (sines, sines), refpos.rope_table, 40, plain)
    steps, options = (
        np.arange(40, dtype=np.float64),
        dict(flip_sin_to_cos=True, downscale_freq_shift=0, dtype="float32"),
    )
    sides = np.concatenate([sines, sines], axis=-1)
    words = "only sines: sin in the place of cos"
    assert_named(words, sides, refpos.timestep_embedding, steps, DIM, **options)


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("only sines: sin in the place of cos", lambda: bands(BANDS, (np.sin, np.sin))),
        ("factor=1 (pi left out)", lambda: bands(BANDS / np.pi)),
        ("coordinates reversed along axis 1", lambda: np.c_[POINTS[:, ::-1], bands(BANDS[..., ::-1])[:, 3:]]),
        ("(coordinates + 1) / 2, half as wide", None),
    ],
)  # fmt: skip
def test_other_bands_are_named(words, made):
    octaves = refpos.frequencies.given_frequencies([1.0, 2.0, 4.0])
    options = dict(factor="pi", order="band-kind-axis", include="first", dtype="float32")
    if made is None:
        half = ((POINTS + 1) / 2).astype(np.float64)
        waves = bands(np.pi * half[:, None] * np.array([1.0, 2.0, 4.0])[:, None])
        waves[:, :3] = half
        assert_named(words, waves, refpos.absolute.fourier_bands, POINTS, octaves, **options)
    else:
        assert_named(words, made(), refpos.absolute.fourier_bands, POINTS, octaves, **options)


def test_numbers_in_the_place_of_none_are_named():
    plain = Q.astype(np.float64) @ K.astype(np.float64).swapaxes(-1, -2) / math.sqrt(DIM)
    capped = (30 * np.tanh(plain / 30)).astype(F32)
    assert_named("softcap=30", capped, refpos.attention, Q, K, None, outputs="scores", dtype="float32")
    weight = RNG.standard_normal((32, 4)).astype(F32)
    made = np.array(refpos.t5_bias(weight[:16], 20, 20, bidirectional=True))
    assert_named("num_buckets=16, the first 16 rows", made, refpos.t5_bias, weight, 20, 20, bidirectional=True)


# -- cells of tables --------------------------------------------------------------------------------------------------

GRID, SIZE = (4, 5), (6, 7)
CELLS = RNG.standard_normal((1 + 20, 8)).astype(F32)
RESIZED = dict(method="linear", align="half-pixel", prefix=1, grid=GRID)


def resized(values):
    return np.array(refpos.resize_table(values, SIZE, **RESIZED))


def moved(values, shape, change):
    grid = change(values[1:].reshape(*shape, -1)).reshape(-1, values.shape[-1])
    return np.ascontiguousarray(np.concatenate([values[:1], grid]))


ORDERS = {
    "the cells of the result transposed": lambda: moved(resized(CELLS), SIZE, lambda c: c.swapaxes(0, 1)),
    "rows of the result reversed": lambda: moved(resized(CELLS), SIZE, lambda c: c[::-1]),
    "columns of the result reversed": lambda: moved(resized(CELLS), SIZE, lambda c: c[:, ::-1]),
    "channels of the cells of the result reversed": lambda: moved(resized(CELLS), SIZE, lambda c: c[..., ::-1]),
    "the prefix last: class tokens at the end of the table and result": lambda: np.roll(
        resized(np.roll(CELLS, 1, 0)), -1, 0
    ),
    "the prefix last: class tokens at the end of the table alone": lambda: resized(np.roll(CELLS, 1, 0)),
}


@pytest.mark.parametrize("words", sampled(list(ORDERS), 9))
def test_cells_of_tables_in_another_order_are_named(words):
    assert_named(words, ORDERS[words](), refpos.resize_table, CELLS, SIZE, **RESIZED)


def test_a_transposed_square_grid_is_named():
    square = {**RESIZED, "grid": (4, 4)}
    exchanged = moved(CELLS[:17], (4, 4), lambda c: c.swapaxes(0, 1))
    made = np.array(refpos.resize_table(exchanged, SIZE, **square))
    assert_named("the cells of the table transposed", made, refpos.resize_table, CELLS[:17], SIZE, **square)


# -- regions ----------------------------------------------------------------------------------------------------------


def test_the_first_rows_are_named_as_such():
    x = RNG.standard_normal((2, 30, DIM)).astype(F32)
    made = np.array(refpos.rope(x, 30, pairing="half"))
    made[:, :8] = x[:, :8]
    (one,) = refpos.diagnose(made, refpos.rope, x, 30, pairing="half").explanations
    assert one.computed == "the first 8 rows: positions all 0: not rotated" and one.mistake == "positions" and one.met


def test_an_explanation_with_a_measured_part_is_a_measurement():
    plant = next(one for one in PLANTS if one.name == "context parallel: rank offset doubled")
    setting = Setting("bfloat16", False)
    call = plant.ask(setting)
    (one,) = refpos.diagnose(plant.made(setting), call.function, *call.args, **call.keywords).explanations
    assert one.computed.startswith("rows 4..7: positions + 24; rows 12..: positions 48 .. 51, ") and one.met
    assert one.mistake == "measured"
