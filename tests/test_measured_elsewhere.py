"""What numbers are measured to be that no call gives: entries of other rows, sides and blocks of a bias, sums of
weights, logarithmic coordinates, coordinates in other units."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos.diagnosis import diagnose as diagnosing
from refpos.diagnosis.measurements import measured_entries

RNG = np.random.default_rng(25)
X = RNG.normal(size=(2, 4, 12, 8)).astype(np.float32)


def angles(count, width=8, base=10000.0):
    inv_freq = (1 / base ** (np.arange(0, width, 2) / width)).astype(np.float32)
    return np.arange(count, dtype=np.float32)[:, None] * inv_freq


def half(x):
    return np.concatenate([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)


def turned(x, theta, turn=half):
    """rotate_half in float32, as transformers has it."""
    return x * np.tile(np.cos(theta), 2) + turn(x) * np.tile(np.sin(theta), 2)


def told(y, function, /, *given, **named):
    """The words of the one explanation of wrong numbers, and the class of a call that was verified."""
    found = refpos.diagnose(y, function, *given, **named)
    assert found.met is None and len(found.explanations) == 1, found
    assert found.explanations[0].elements == sum(np.size(one) for one in (y if isinstance(y, tuple) else (y,)))
    return found.explanations[0].computed, found.explanations[0].met


def of_rope(y, x=X):
    return told(y, refpos.rope, x, x.shape[-2], pairing="half")


# -- entries of an axis -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "order, axis, words",
    sampled(
        [
            (np.roll(np.arange(12), 1), 2, "rows 1..11 hold those of row - 1; row 0 holds those of row 11"),
            ([0, 1, 2, 9, 4, 5, 6, 7, 8, 3, 10, 11], 2, "row 9 holds those of row 3; row 3 holds those of row 9"),
            (
                [1, 0],
                0,
                "axis 0, index 1 holds those of axis 0, index 0; axis 0, index 0 holds those of axis 0, index 1",
            ),
            ([0, 0, 2, 2], 1, "axis 1, indices 1, 3 hold those of axis 1, index - 1"),
        ],
        1,
        several=True,
    ),
)
def test_entries_that_hold_those_of_others(order, axis, words):
    computed, met = of_rope(turned(X, angles(12)).take(order, axis))
    assert computed == f"other numbers: {words}" and met == "float32-angle"


def test_entries_are_not_said_where_one_number_is_off():
    y = turned(X, angles(12)).take(np.roll(np.arange(12), 1), 2)
    y[1, 2, 5, 3] += 0.01
    assert refpos.diagnose(y, refpos.rope, X, 12, pairing="half").unexplained


def test_entries_of_rows_of_zeros_and_in_no_order():
    rows = np.array([3, 0, 1, 2, 4])
    assert (
        measured_entries.told_of(rows, "row")
        == "other numbers: rows 1..3 hold those of row - 1; row 0 holds those of row 3"
    )
    assert measured_entries.told_of(np.array([0, 1, measured_entries.ZEROS]), "row") == "other numbers: row 2 holds 0"
    scattered = RNG.permutation(40)
    assert measured_entries.told_of(scattered, "row") == ""


def test_columns_of_one_axis_in_both_halves():
    right = refpos.sincos_2d(5, 6, 32, axis_order="wh", dtype="float32")
    wrong = np.concatenate([right[..., :16], right[..., :16]], -1)
    computed, met = told(wrong, refpos.sincos_2d, 5, 6, 32, axis_order="wh")
    assert computed == "other numbers: columns 16..31 hold those of column - 16" and met == "correct"


# -- biases -----------------------------------------------------------------------------------------------------------

D = np.arange(24)[:, None] - np.arange(24)
SLOPES = (2.0 ** -np.arange(1, 9))[:, None, None]
MIRRORED = "the numbers of the same distance on the other side"


def of_alibi(y, mode="symmetric"):
    return told(y.astype(np.float32), refpos.alibi, 8, 24, 24, mode=mode)[0]


@pytest.mark.parametrize(
    "y, mode, words",
    sampled([
        (np.where(D <= 0, -np.inf, -SLOPES * D), "causal", "distance 0: -inf (one number)"),
        (np.where(D > 0, -np.inf, 3 * SLOPES * D), "causal",
         "keys before the query: -inf (one number), keys after the query: 3 times " + MIRRORED),
        (-SLOPES * np.where(D < 0, -2 * D, D), "symmetric",
         "keys after the query: 2 times the numbers of the same distance"),
        (np.where(D > 8, -np.inf, np.where(D < 0, -np.inf, -SLOPES * D)), "causal",
         "-inf at distances beyond 8 (a window)"),
        (-SLOPES * abs(np.arange(24)[:, None] % 10 - np.arange(24) % 10), "symmetric",
         "distances of positions that start again from 0 every 10 (packed)"),
        (-SLOPES * abs(D + 5 * (np.arange(24) >= 20)[:, None]), "symmetric", "rows 20..23: query - key + 5"),
    ], 3, several=True),
)  # fmt: skip
def test_sides_and_rows_of_a_bias(y, mode, words):
    assert of_alibi(y, mode) == words


def test_a_side_with_one_wrong_number_has_no_rule():
    y = np.where(D <= 0, -np.inf, -SLOPES * D)
    y[3, 12, 4] *= 1.01
    assert refpos.diagnose(y.astype(np.float32), refpos.alibi, 8, 24, 24, mode="causal").unexplained


# -- rotations, weights and coordinates -------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_x_that_is_added_divided_by_its_norm_or_not_turned():
    y = turned(X, angles(12))
    assert of_rope(y + X) == ("the result plus x", "float32-angle")
    normed = X / np.sqrt((X * X).sum(-1, keepdims=True))
    assert of_rope(turned(normed, angles(12)))[0] == "the rotation of x, each row divided by its norm"
    assert of_rope(turned(X, angles(12), lambda x: x))[0].startswith("a rotation without rotate_half, x cos + x sin")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_angles_of_float32_that_are_rounded_again(kind):
    theta = angles(200, 64)
    if kind == "float16":
        rounded = theta.astype(np.float16).astype(np.float32)
    else:
        bits = theta.view(np.uint32)
        rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)
    table = np.cos(rounded), np.sin(rounded)
    frequencies = refpos.inverse_frequencies(64)
    words = f"angles rounded to {kind}"
    assert told(table, refpos.rope_table, 200, frequencies, dtype="float32")[0] == words
    waves = np.stack(table[::-1], -1).reshape(200, 64)
    assert told(waves, refpos.sinusoidal, 200, 64, dtype="float32")[0] == words


def weights(scores, axis=-1, more=0.0):
    e = np.exp(scores)
    return (e / (e.sum(axis=axis, keepdims=True) + more)).astype(np.float32)


def test_weights_that_sum_to_1_elsewhere_or_nowhere_and_scaled_scores():
    q, k, v = RNG.normal(size=(3, 1, 4, 12, 8)).astype(np.float32)
    scores = q.astype(np.float64) @ k.swapaxes(-1, -2) / np.sqrt(8)

    def of(y):
        return told(y, refpos.attention, q, k, v, outputs="weights")[0]

    assert of(weights(scores, -2)).startswith("softmax over the queries")
    assert of(weights(scores, 1)).startswith("softmax over the heads")
    assert "each row times its own number, rows that sum to 0." in of(weights(scores, more=1.0))
    times = np.array([1, 1, 3, 1])[:, None, None]
    assert of(weights(times * scores)) == "the weights of scores times 3 in head 2"
    rows = 1 + np.arange(12)[:, None] / 12
    assert of(weights(rows * scores)).startswith("the weights of scores times a number of its own in each row")


def test_log_coordinates_of_another_factor_and_no_logarithm():
    d = np.stack(np.meshgrid(np.arange(-6, 7), np.arange(-7, 8), indexing="ij"), -1)
    sides = np.array([6, 7])

    def of(y):
        return told(y.astype(np.float32), refpos.relative.log_coordinates, 7, 8, rule="swin-v2")[0]

    def logs(z):
        return np.sign(z) * np.log1p(abs(z))

    assert of(logs(d / sides) / np.log(8)) == "offsets times 0.125 before the logarithm"
    assert of(8 * d / sides) == "coordinates without the logarithm, sign(d) times 1.33333, 1.14286 |d|"
    assert of(logs(8 * d / sides) / 3) == "coordinates times 0.693147"


def test_places_that_hold_one_number_and_rows_modulo_the_table():
    q, table = RNG.normal(size=(1, 2, 9, 8)).astype(np.float32), RNG.normal(size=(7, 8)).astype(np.float32)
    away = np.arange(9) - np.arange(9)[:, None]

    def scores(rows):
        return np.einsum("bhqd,qkd->bhqk", q.astype(np.float64), table[rows]).astype(np.float32)

    def of(y):
        return told(y, refpos.scores.relative_scores, q, table, np.clip(away, -3, 3) + 3, by="query")[0]

    later = np.where(away > 0, np.float32(0), scores(np.clip(away, -3, 3) + 3))
    assert of(later) == "elements of keys after the query: all numbers are 0"
    assert of(scores((away + 3) % 7)) == "rows of distances modulo the table (not clipped)"


@pytest.mark.exhaustive
def test_integers_plus_a_number_and_a_table_plus_1():
    theta = angles(40, 32)
    table = np.stack([np.sin(theta), np.cos(theta)], -1).reshape(40, 32)
    assert told(table + np.float32(1), refpos.sinusoidal, 40, 32)[0] == "the result plus 1"
    distances = np.arange(40) - np.arange(40)[:, None]
    named = dict(rule="deberta", num_buckets=16, max_distance=64)
    right = np.asarray(refpos.relative.log_buckets(distances, **named))
    assert told(right + 64, refpos.relative.log_buckets, distances, **named)[0] == "the result plus 64"


@pytest.mark.exhaustive
def test_coordinates_in_other_units_and_without_an_axis():
    x, weight = RNG.random((20, 2)).astype(np.float32), RNG.normal(size=(2, 8)).astype(np.float32)

    def of(coordinates):
        phase = 2 * np.pi * (coordinates.astype(np.float64) @ weight)
        y = np.concatenate([np.sin(phase), np.cos(phase)], -1).astype(np.float32)
        return told(y, refpos.absolute.fourier_projection, x, weight, factor="2pi", layout="sin-cos")[0]

    assert of(255 * x.astype(np.float64)) == "coordinates times 255"
    assert of(x + np.float64(0.5)) == "coordinates plus 0.5"
    assert of(x * [1, 0]) == "axis 1 of coordinates left out (0)"


def test_ids_of_axes_exchanged_where_the_deltas_agree():
    types = np.zeros((1, 13), np.int64)
    types[0, 3:9] = 1
    given = dict(mm_token_type_ids=types, version="transformers-5.23.0", image_grid_thw=[[1, 4, 6]])
    positions, deltas = refpos.positions.qwen2_vl_positions(**given)
    computed, met = told((np.asarray(positions)[[0, 2, 1]], deltas), refpos.positions.qwen2_vl_positions, **given)
    assert "axis 0, index 1 holds those of axis 0, index 2" in computed and met == "correct"


def test_inverse_frequencies_of_mrope_in_bfloat16():
    inv_freq = (1 / 10000.0 ** (np.arange(0, 16, 2) / 16)).astype(np.float32)
    bits = inv_freq.view(np.uint32)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)
    ids = np.stack([np.arange(60), np.arange(60) * 3 % 47, np.arange(60) * 5 % 51])[:, None]
    theta = ids[[0] * 2 + [1] * 3 + [2] * 3, 0].T.astype(np.float32) * rounded
    x = RNG.normal(size=(1, 1, 60, 16)).astype(np.float32)
    given = dict(pairing="half", sections=(2, 3, 3), arrangement="chunked")
    found = refpos.diagnose(turned(x, theta), refpos.mrope, x, ids, **given)
    assert found.explanations[0].computed == "inv_freq rounded to bfloat16"


def test_right_answers_have_no_explanation():
    found = diagnosing.diagnose(turned(X, angles(12)), refpos.rope, X, 12, pairing="half")
    assert found.met and not found.explanations
