"""Scores of DeBERTa and biases of WavLM, LayoutLM and Mega against the witness, and what their conventions mean."""

from fractions import Fraction

import numpy as np
import pytest
from witness import learned_biases as witness

import refpos
from refpos import InputError, conformance

SCALINGS = ("queries", "products", "keys")


def numbers(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape)


def deberta(heads=2, queries=3, keys=5, dim=5, span=3, seed=1):
    shapes = {"q": (queries, dim), "k": (keys, dim), "key_table": (2 * span, dim), "query_table": (2 * span, dim)}
    arrays = {name: numbers(heads, *shape, seed=seed + k) for k, (name, shape) in enumerate(shapes.items())}
    rows = refpos.relative.relative_rows(queries, keys, sign="query-key", low=-span, high=span - 1, outside="clip")
    return {**arrays, "rows": rows}


def by_witness(inputs, scaling):
    tables = ("key_table", "query_table")
    heads = [
        witness.deberta_scores(
            inputs["q"][h].tolist(), inputs["k"][h].tolist(),
            *(None if inputs[name] is None else inputs[name][h].tolist() for name in tables),
            inputs["rows"].tolist(), inputs["query_rows"].tolist() if "query_rows" in inputs else None, scaling,
        )
        for h in range(len(inputs["q"]))
    ]  # fmt: skip
    return np.array(heads)


# -- DeBERTa ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("absent", [(), ("key_table",), ("query_table",)])
def test_scores_are_those_of_the_witness(scaling, absent):
    for seed in range(10):
        sizes = {"heads": 1 + seed % 3, "queries": 3, "keys": 5, "dim": 1 + seed, "span": 1 + seed % 4}
        inputs = {**deberta(**sizes, seed=10 * seed), **dict.fromkeys(absent)}
        np.testing.assert_array_equal(
            refpos.scores.deberta_scores(**inputs, scaling=scaling), by_witness(inputs, scaling)
        )


def test_scalings_agree_up_to_their_roundings():
    inputs = deberta(dim=64)
    made = [refpos.scores.deberta_scores(**inputs, scaling=scaling) for scaling in SCALINGS]
    assert len({one.tobytes() for one in made}) == 3
    for one in made[1:]:
        np.testing.assert_allclose(one, made[0], rtol=0, atol=1e-13)


def test_p2c_reads_the_row_of_the_pair_and_not_of_the_transposed_one():
    """One key in one row of the table: only the queries whose distance is that of the row see it."""
    inputs = deberta(heads=1, queries=3, keys=5, dim=1, span=6)
    inputs |= {"q": np.zeros((1, 3, 1)), "k": np.ones((1, 5, 1)), "key_table": None}
    inputs["query_table"] = np.arange(-6.0, 6.0)[None, :, None]  # each row is its distance, query minus key
    made = refpos.scores.deberta_scores(**inputs, scaling="keys")[0] * 2**0.5
    np.testing.assert_allclose(made, np.arange(3)[:, None] - np.arange(5), rtol=1e-15, atol=0)


def test_other_rows_of_p2c():
    inputs = deberta(queries=4, keys=4)
    inputs["query_rows"] = inputs["rows"].T.copy()
    for scaling in SCALINGS:
        np.testing.assert_array_equal(
            refpos.scores.deberta_scores(**inputs, scaling=scaling), by_witness(inputs, scaling)
        )
    assert (
        refpos.scores.deberta_scores(**inputs, scaling="keys") != by_witness(deberta(queries=4, keys=4), "keys")
    ).any()


def test_rows_of_a_batch_and_shared_tables():
    inputs, rows = deberta(), np.random.default_rng(5).integers(0, 6, (2, 1, 3, 5))
    both = {**inputs, "q": np.stack([inputs["q"], -inputs["q"]]), "k": np.stack([inputs["k"]] * 2), "rows": rows}
    made = refpos.scores.deberta_scores(**both, scaling="products")
    for b, sign in enumerate((1, -1)):
        one = {**inputs, "q": sign * inputs["q"], "rows": rows[b, 0]}
        np.testing.assert_array_equal(made[b], refpos.scores.deberta_scores(**one, scaling="products"))


def test_numbers_that_are_not_finite():
    inputs = deberta(heads=1, dim=2)
    inputs["key_table"][0, 2, 1] = np.nan
    made = refpos.scores.deberta_scores(**inputs, scaling="products")
    np.testing.assert_array_equal(np.isnan(made[0]), inputs["rows"] == 2)
    assert set(made.view(np.uint64)[np.isnan(made)].tolist()) == {0x7FF8000000000000}
    nothing = {**deberta(), "q": np.zeros((0, 3, 5)), "k": np.zeros((0, 5, 5))}
    nothing |= {name: np.zeros((0, 6, 5)) for name in ("key_table", "query_table")}
    assert refpos.scores.deberta_scores(**nothing, scaling="keys").shape == (0, 3, 5)


def test_a_row_without_a_table_is_refused():
    inputs = deberta()
    inputs["rows"] = inputs["rows"] + 6
    with pytest.raises(InputError, match=r"rows must be within 0 \.\. 5"):
        refpos.scores.deberta_scores(**inputs, scaling="keys")
    with pytest.raises(InputError, match=r"query_table must be \(2, rows, 5\)"):
        refpos.scores.deberta_scores(**{**inputs, "query_table": numbers(2, 6, 4, seed=1)}, scaling="keys")


# -- WavLM ------------------------------------------------------------------------------------------------------------


def wavlm(heads=2, queries=3, keys=4, dim=5, seed=1):
    shapes = {"bias": (heads, queries, keys), "hidden": (heads, queries, dim), "weight": (8, dim), "weight_bias": (8,),
              "constant": (heads,)}  # fmt: skip
    return {name: numbers(*shape, seed=seed + k) for k, (name, shape) in enumerate(shapes.items())}


def test_gates_are_those_of_the_witness():
    inputs = wavlm()
    line = inputs["weight"].tolist(), inputs["weight_bias"].tolist()
    gates = [
        [witness.gate(x.tolist(), *line, float(one)) for x in head]
        for head, one in zip(inputs["hidden"], inputs["constant"], strict=True)
    ]
    np.testing.assert_array_equal(refpos.relative.gated_bias(**inputs), np.array(gates)[..., None] * inputs["bias"])


def test_the_gate_lies_between_one_and_two_where_the_constant_is_one():
    inputs = {**wavlm(dim=3), "constant": np.ones(2), "bias": np.ones((2, 3, 1))}
    gate = refpos.relative.gated_bias(**inputs)
    assert (gate > 1).all() and (gate < 2).all()  # a (b - 1) + 2 with a and b from 0 to 1
    zero = {**inputs, "weight": np.zeros((8, 3)), "weight_bias": None}
    np.testing.assert_array_equal(refpos.relative.gated_bias(**zero), np.full((2, 3, 1), 1.75))  # 1/2 (1/2 - 1) + 2


def test_one_head_does_not_see_the_channels_of_another():
    inputs = wavlm()
    made = refpos.relative.gated_bias(**inputs)
    inputs["hidden"][1] = 7
    again = refpos.relative.gated_bias(**inputs)
    np.testing.assert_array_equal(made[0], again[0])
    assert (made[1] != again[1]).any()


# -- LayoutLM ---------------------------------------------------------------------------------------------------------


def layoutlm(tokens=6, seed=1):
    rng = np.random.default_rng(seed)
    boxes = np.sort(rng.integers(0, 1001, (tokens, 2, 2)), axis=1).reshape(tokens, 4)
    shapes = {"weight": (32, 3), "x_weight": (64, 3), "y_weight": (64, 3)}
    tables = {name: numbers(*shape, seed=seed + k) for k, (name, shape) in enumerate(shapes.items())}
    return {**tables, "position_ids": rng.integers(0, 400, tokens), "boxes": boxes}


@pytest.mark.parametrize("head_dim", [None, 12, 64])
@pytest.mark.parametrize("absent", [(), ("weight", "position_ids"), ("x_weight", "y_weight", "boxes")])
def test_layout_biases_are_those_of_the_witness(head_dim, absent):
    inputs = {**layoutlm(), **dict.fromkeys(absent)}
    lists = (None if inputs[name] is None else inputs[name].tolist() for name in ("position_ids", "boxes"))
    expected = witness.layout_bias(
        *(inputs[name] for name in ("weight", "x_weight", "y_weight")), *lists, head_dim, 128, 256
    )
    np.testing.assert_array_equal(refpos.relative.layout_bias(**inputs, head_dim=head_dim), expected)


def test_parts_are_biases_of_t5():
    """Without boxes and in order it is the bias of T5; the page adds one of x0 and one of y1."""
    inputs = layoutlm()
    text = {**inputs, "position_ids": np.arange(6), **dict.fromkeys(("x_weight", "y_weight", "boxes"))}
    expected = refpos.t5_bias(inputs["weight"], 6, 6, bidirectional=True)
    np.testing.assert_array_equal(refpos.relative.layout_bias(**text, head_dim=None), expected)
    page = {**inputs, **dict.fromkeys(("weight", "position_ids"))}
    made = refpos.relative.layout_bias(**page, head_dim=None)
    for side, read in ((0, True), (1, False), (2, False), (3, True)):
        boxes = inputs["boxes"].copy()
        boxes[0, side] += 300
        assert (refpos.relative.layout_bias(**{**page, "boxes": boxes}, head_dim=None) != made).any() == read


def test_a_table_without_boxes_is_refused():
    inputs = layoutlm()
    with pytest.raises(InputError, match="boxes must be given as x_weight is, got None"):
        refpos.relative.layout_bias(**{**inputs, "boxes": None}, head_dim=None)
    with pytest.raises(InputError, match="position_ids must be None as weight is, got ndarray"):
        refpos.relative.layout_bias(**{**inputs, "weight": None}, head_dim=None)
    with pytest.raises(InputError, match="max_box_distance must be at least 17, got 16"):
        refpos.relative.layout_bias(**inputs, head_dim=None, max_box_distance=16)
    for beyond in (-(2**53) - 1, 2**53 + 1):
        ids = np.array([beyond, 0, 1, 2, 3, 4])
        with pytest.raises(InputError, match=f"position_ids must be from -2.*53 to 2.*53, got {beyond}$"):
            refpos.relative.layout_bias(**{**inputs, "position_ids": ids}, head_dim=None)


# -- Mega -------------------------------------------------------------------------------------------------------------


def test_the_rotary_bias_is_the_product_of_turned_vectors():
    """Each vector turned by `rope` at its own position, and multiplied: the same to the roundings of that way."""
    alpha, beta = numbers(2, 3, 8, seed=1)
    made = refpos.relative.rotary_bias(alpha, beta, 4, 7)
    turned = [
        refpos.rope(np.repeat(vector[:, None], len(at), 1), at, pairing="half")
        for vector, at in ((alpha, np.arange(3, 7)), (beta, np.arange(7)))
    ]
    np.testing.assert_allclose(made, turned[0] @ turned[1].swapaxes(1, 2), rtol=0, atol=1e-13)


def test_the_rotary_bias_depends_on_the_distance_alone():
    alpha, beta = numbers(2, 1, 6, seed=2)
    made = refpos.relative.rotary_bias(alpha, beta, 5, 5)
    for d in range(-4, 5):
        assert len(set(np.diagonal(made[0], d).tolist())) == 1
    np.testing.assert_array_equal(refpos.relative.rotary_bias(beta, alpha, 5, 5), made.swapaxes(1, 2))
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(alpha[0].tolist(), beta[0].tolist(), strict=True))
    assert made[0, 2, 2] == float(exact)


def test_what_cancels_exactly_is_zero():
    pairs = {"alpha": [[1.0, 1.0, 0.0, 0.0]], "beta": [[3.0, -3.0, 5.0, -5.0]]}
    assert (refpos.relative.rotary_bias(**pairs, query_len=2, key_len=3, base=1).view(np.uint64) == 0).all()
    assert (
        refpos.relative.rotary_bias(**pairs, query_len=2, key_len=3) != 0
    ).sum() == 4  # at distance 0 it still cancels


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaling", SCALINGS)
def test_float32_is_inside_its_bound_and_not_inside_that_of_float64(scaling):
    inputs = {name: one.astype(np.float32) if one.dtype == float else one for name, one in deberta(dim=16).items()}
    q, k, key_table, query_table = (inputs[name] for name in ("q", "k", "key_table", "query_table"))
    root = np.sqrt(np.float32(48))
    c2p = np.take_along_axis(q @ key_table.swapaxes(1, 2), np.broadcast_to(inputs["rows"], (2, 3, 5)), -1)
    p2c = np.take_along_axis(query_table @ k.swapaxes(1, 2), np.broadcast_to(inputs["rows"], (2, 3, 5)), -2)
    if scaling == "queries":
        c2p = np.take_along_axis((q / root) @ key_table.swapaxes(1, 2), np.broadcast_to(inputs["rows"], (2, 3, 5)), -1)
        theirs = (q / root) @ k.swapaxes(1, 2) + (c2p + p2c / root)
    else:
        theirs = q @ k.swapaxes(1, 2) / root + (c2p / root + p2c / root)
    exact = refpos.scores.deberta_scores(**inputs, scaling=scaling)
    limits = conformance.bounds("deberta_scores", {"scaling": scaling}, inputs, "float64")
    away = np.abs(theirs - exact)
    assert (away <= limits["sequence32"]["output"]).all() and (away > limits["sequence64"]["output"]).any()
    assert (limits["sequence32"]["output"] < 1e-4).all() and (limits["sequence64"]["output"] < 1e-13).all()
