"""One column or row of an answer that is wrong while the others are right: what its numbers are, with its place. The
programs are NumPy in float32."""

import numpy as np
import pytest
from tiers import sampled

import refpos

RNG = np.random.default_rng(11)
SIZE, WIDTH, HEADS = 40, 32, 4
ROWS, INV = np.arange(SIZE), 10000.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
SLOPES = 2.0 ** (-2.0 * np.arange(1, HEADS + 1))


def sinusoid():
    made = np.empty((SIZE, WIDTH))
    made[:, 0::2], made[:, 1::2] = np.sin(np.outer(ROWS, INV)), np.cos(np.outer(ROWS, INV))
    return made.astype(np.float32)


def alibi():
    return (-SLOPES[:, None, None] * np.abs(ROWS[:, None] - ROWS)).astype(np.float32)


Q, K, V = RNG.standard_normal((3, 2, SIZE, WIDTH)).astype(np.float32)


def attention(causal=True, scale=WIDTH**-0.5):
    scores = np.matmul(Q, K.swapaxes(-1, -2)) * np.float32(scale)
    scores = np.where((ROWS[:, None] >= ROWS) | (not causal), scores, np.float32(-np.inf))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.matmul(powers / powers.sum(-1, keepdims=True), V)


ASKED = {
    "sinusoid": (sinusoid, refpos.sinusoidal, (SIZE, WIDTH), {}),
    "alibi": (alibi, refpos.alibi, (HEADS, SIZE, SIZE), {"mode": "symmetric"}),
    "attention": (attention, refpos.attention, (Q, K, V), {"causal": "lower-right"}),
}


def changed(name, place, change):
    """The numbers of a program with one place of them changed."""
    made = ASKED[name][0]().copy()
    made[place] = change(made)
    return made


def told(name, made):
    _, function, args, keywords = ASKED[name]
    found = refpos.diagnose(made, function, *args, **keywords)
    assert found.met is None and len(found.explanations) == 1, found
    return found.explanations[0]


LAST, ROW = (..., 7), (..., 9, slice(None))
#: (program, place, what stands there, what is said)
CHANGED = [
    ("sinusoid", LAST, lambda y: 0, "column 7: all numbers are 0"),
    ("sinusoid", LAST, lambda y: -y[..., 7], "column 7: times -1"),
    ("sinusoid", LAST, lambda y: 2 * y[..., 7], "column 7: times 2"),
    ("sinusoid", LAST, lambda y: y[..., 12], "column 7: the numbers of column 12"),
    ("sinusoid", (..., [3, 4]), lambda y: y[..., [4, 3]], "columns 3..4: the numbers of columns 3..4 in the order"),
    ("alibi", LAST, lambda y: 0, "column 7: all numbers are 0"),
    ("alibi", LAST, lambda y: 2 * y[..., 7], "column 7: times 2"),
    ("alibi", LAST, lambda y: y[..., 7] + 1, "column 7: plus 1"),
    ("alibi", LAST, lambda y: y[..., 8], "column 7: the numbers of column 8"),
    ("alibi", ROW, lambda y: 4 * y[ROW], "row 9: times 4"),
    ("attention", LAST, lambda y: y[LAST] * np.float32(0.5), "column 7: times 0.5"),
    ("attention", ROW, lambda y: 0, "row 9: all numbers are 0"),
    ("attention", ROW, lambda y: 3 * y[ROW], "row 9: times 3"),
    ("attention", ROW, lambda y: y[..., 8, :], "row 9: the numbers of row 8"),
    ("attention", ROW, lambda y: attention(False)[ROW], "row 9: no mask"),
    ("attention", ROW, lambda y: attention(scale=1)[ROW], "row 9: scale 1 (not scaled)"),
    ("attention", (0, 9), lambda y: 2 * y[0, 9], "row 9: head 0: times 2"),
]  # fmt: skip


@pytest.mark.parametrize(
    "name, place, change, words", sampled(CHANGED, 3, several=True), ids=lambda one: one if type(one) is str else ""
)
def test_one_wrong_column_or_row_is_said_with_its_place(name, place, change, words):
    first = told(name, changed(name, place, change))
    assert first.computed.startswith(words) and first.met in ("correct", "faithful", "float32-angle", "sequence32"), (
        first
    )


def test_a_column_of_another_frequency_is_measured_and_not_verified():
    inv = INV * np.where(np.arange(len(INV)) == 3, 1.1, 1.0)
    made = tuple(function(np.outer(ROWS, inv)).astype(np.float32) for function in (np.cos, np.sin))
    first = refpos.diagnose(made, refpos.rope_table, SIZE, refpos.inverse_frequencies(WIDTH)).explanations[0]
    assert first.computed.startswith("column 3: frequencies 0.195611") and not first.met, first
    assert first.asked == "frequencies 0.177828"


@pytest.mark.parametrize("name, place", [("sinusoid", LAST), ("alibi", LAST), ("attention", ROW)])
def test_noise_is_given_no_cause_and_its_place_is_said(name, place):
    made = changed(name, place, lambda y: RNG.standard_normal(y[place].shape))
    _, function, args, keywords = ASKED[name]
    found = refpos.diagnose(made, function, *args, **keywords)
    assert not any(one.met for one in found.explanations) and any("differs" in one for one in found.where), found


@pytest.mark.parametrize("name", ASKED)
def test_a_region_whose_rest_is_wrong_as_well_is_not_verified(name):
    made = changed(name, LAST, lambda y: 2 * y[LAST])
    made[..., 3, 20:24] += RNG.standard_normal(made[..., 3, 20:24].shape).astype(np.float32)
    _, function, args, keywords = ASKED[name]
    found = refpos.diagnose(made, function, *args, **keywords)
    assert not any(one.met for one in found.explanations), found
