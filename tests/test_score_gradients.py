"""Gradients of scores and attention: the derivatives of the formulas, what is shared, formats, threads and refusals."""

import mpmath
import numpy as np
import pytest
from test_gradients import scattered

import refpos
from refpos import catalogue

# -- attention: central differences of the formula, at 60 digits ------------------------------------------------------


def weights_of(q, k, head, options):
    """(scores, weights) of one head in mpmath; q and k are lists of vectors."""
    if "cosine" in options:
        q, k = ([[one / mpmath.norm(x) for one in x] for x in part] for part in (q, k))
        scale = mpmath.exp(min(options["cosine"][head], mpmath.log(100)))
    else:
        scale = 1 / mpmath.sqrt(len(q[0]))
    scores, weights = [], []
    for i, x in enumerate(q):
        row = [scale * mpmath.fdot(x, y) for y in k]
        cap = options.get("softcap")
        row = row if cap is None else [cap * mpmath.tanh(one / cap) for one in row]
        row = [one + options["bias"][head][i][j] for j, one in enumerate(row)]
        counted = [j <= i + len(k) - len(q) for j in range(len(k))]
        powers = [mpmath.exp(one) if keep else mpmath.mpf(0) for one, keep in zip(row, counted, strict=True)]
        scores.append([one if keep else 0 for one, keep in zip(row, counted, strict=True)])
        weights.append([one / mpmath.fsum(powers) for one in powers])
    return scores, weights


def scalar(arrays, cotangent, output, softcap):
    """sum of cotangent times output; arrays: {name: array of mpf}, query heads 0 and 1 read key head 0."""
    total, bias = mpmath.mpf(0), np.broadcast_to(arrays["bias"], (2, 2, 3))
    options = {"bias": bias.tolist(), "softcap": softcap}
    if "cosine" in arrays:
        options["cosine"] = arrays["cosine"].tolist()
    for head in range(2):
        found = weights_of(arrays["q"][head].tolist(), arrays["k"][0].tolist(), head, options)
        made = np.array(found[output != "scores"], object)
        made = made @ arrays["v"][0] if output == "output" else made
        total += (made * cotangent[head]).sum()
    return total


@pytest.mark.parametrize("output", ["output", "weights", "scores"])
@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("cosine", [None, [0.75, -0.5]])
@pytest.mark.parametrize("bias", [(2, 2, 3), (3,), (2, 1)])
def test_attention_has_the_derivatives_of_its_formula(output, softcap, cosine, bias):
    shapes = {"q": (2, 2, 2), "k": (1, 3, 2), "v": (1, 3, 2), "bias": bias}
    arrays = {name: scattered(*shape, seed=seed) for seed, (name, shape) in enumerate(shapes.items())}
    arrays.update({} if cosine is None else {"cosine": np.array(cosine)})
    dy = scattered(2, 2, 2 if output == "output" else 3, seed=9)
    found = refpos.vjp(refpos.attention, **arrays, softcap=softcap, causal="lower-right", outputs=output, cotangent=dy)
    with mpmath.workdps(60):
        exact = {name: np.vectorize(mpmath.mpf, otypes=[object])(array) for name, array in arrays.items()}
        dy = np.vectorize(mpmath.mpf, otypes=[object])(dy)
        step = mpmath.mpf(10) ** -20
        for name, array in exact.items():
            for place in np.ndindex(array.shape):
                ends = []
                for sign in (1, -1):
                    moved = array.copy()
                    moved[place] += sign * step
                    ends.append(scalar({**exact, name: moved}, dy, output, softcap))
                slope = (ends[0] - ends[1]) / (2 * step)
                assert abs(slope - found[name][place]) < 1e-15 * (1 + np.abs(found[name]).max()), (name, place)


# -- scores that are linear in each of their arguments ----------------------------------------------------------------

ROWS = np.array([[0, 0, 1, -1, 3], [-1, 1, 2, 3, 3], [2, 0, 4, 4, -1]])
OF_HEADS = np.stack([ROWS, ROWS[::-1]])
DECOMPOSED = refpos.scores.decomposed_scores
SHAW, SHAW_VALUES = refpos.scores.relative_scores, refpos.scores.relative_values
SEGMENTS = np.array([[0, 0, 1, 1, 0], [1, 0, -1, 1, 1], [0, 1, 1, 0, 0]])
XL = {"q": (2, 4, 3, 2), "k": (2, 2, 5, 2), "projected": (4, 5, 2), "u": (4, 2), "v": (4, 2), "segments": (2, 2),
      "s": (4, 2)}  # fmt: skip
DEBERTA = {"q": (2, 4, 3, 2), "k": (2, 2, 5, 2), "key_table": (2, 4, 5, 2), "query_table": (1, 3, 2)}
#: {name: (function, shapes of its arguments that have gradients, its other arguments)}
LINEAR = {
    **{
        f"xl_scores {scaled}": (refpos.scores.xl_scores, XL,
                                {"rows": ROWS, "segment_rows": SEGMENTS, "scale": 0.3, "scaled": scaled})
        for scaled in ("sum", "parts", "queries")
    },
    **{
        f"deberta_scores {scaling}": (refpos.scores.deberta_scores, DEBERTA,
                                      {"rows": ROWS.clip(0), "query_rows": SEGMENTS + 1, "scaling": scaling})
        for scaling in ("queries", "products", "keys")
    },
    "decomposed_scores": (DECOMPOSED, {"q": (2, 7, 2), "weight_h": (3, 2), "weight_w": (5, 2)},
                          {"query_grid": (2, 3), "key_grid": (2, 3), "sign": "query-key", "class_token": True}),
    "decomposed_scores resize": (DECOMPOSED, {"q": (6, 2), "weight_h": (4, 2), "weight_w": (9, 2)},
                                 {"query_grid": (2, 3), "key_grid": (4, 2), "sign": "query-key", "resize": "linear"}),
    "decomposed_scores halo": (DECOMPOSED, {"q": (2, 2, 4, 3), "weight_h": (7, 3), "weight_w": (5, 3)},
                               {"query_grid": (2, 2), "key_grid": (4, 3), "sign": "key-query"}),
    "relative_scores": (SHAW, {"x": (2, 3, 4), "weight": (5, 4)}, {"rows": ROWS, "by": "query", "scale": 0.3}),
    "relative_scores key": (SHAW, {"x": (4, 5, 3), "weight": (2, 5, 3)}, {"rows": ROWS, "by": "key"}),
    "relative_scores shared": (SHAW, {"x": (3, 2), "weight": (5, 2)}, {"rows": OF_HEADS, "by": "query"}),
    "relative_values": (SHAW_VALUES, {"probabilities": (2, 3, 5), "weight": (5, 4)}, {"rows": ROWS}),
    "relative_values shared": (SHAW_VALUES, {"probabilities": (1, 3, 5), "weight": (2, 5, 2)}, {"rows": OF_HEADS}),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR)
def test_the_gradient_is_the_transpose(name):
    """sum(dy (f(v) - f(0))) = sum(vjp(dy) v) for each argument alone."""
    function, shapes, options = LINEAR[name]
    arrays = {key: scattered(*shape, seed=seed) for seed, (key, shape) in enumerate(shapes.items())}
    dy = scattered(*function(**arrays, **options).shape, seed=6)
    gradients = refpos.vjp(function, **arrays, **options, cotangent=dy)
    assert list(gradients) == list(shapes)
    for key, shape in shapes.items():
        v = scattered(*shape, seed=7)
        ends = [function(**{**arrays, key: one}, **options) for one in (v, np.zeros(shape))]
        assert gradients[key].shape == shape
        assert abs((dy * (ends[0] - ends[1])).sum() - (gradients[key] * v).sum()) < 1e-12


def test_every_rule_is_held_against_its_function():
    wanted = {entry.name for entry in catalogue.ENTRIES.values() if entry.gradients and entry.family == "scores"}
    assert wanted == {name.split()[0] for name in LINEAR} | {"attention"}


# -- what is shared, formats, threads ---------------------------------------------------------------------------------


def test_a_logit_beyond_its_limit_has_the_gradient_0():
    q, dy = scattered(3, 2, 2), scattered(3, 2, 2, seed=1)
    found = refpos.vjp(refpos.attention, q, q, q, cosine=np.array([1.0, 4.75, 9.0]), cotangent=dy)["cosine"]
    assert found[0] != 0 and found.tolist()[1:] == [0, 0]


def test_a_query_that_reads_no_key_gives_nothing():
    q, k, dy = scattered(3, 2), scattered(4, 2, seed=1), scattered(3, 2, seed=2)
    wanted = refpos.vjp(refpos.attention, q[:2], k, k, cotangent=dy[:2])
    q[2], dy[2] = np.nan, np.inf
    mask = np.array([[True], [True], [False]])
    found = refpos.vjp(refpos.attention, q, k, k, mask=mask, cotangent=dy)
    assert (found["q"] == [*wanted["q"], [0, 0]]).all()
    assert all((found[name] == wanted[name]).all() for name in "kv")


def test_a_logit_that_is_nan_gives_nothing_where_no_key_counts():
    q = scattered(2, 2)
    mask = np.array([[True], [False]])
    found = refpos.vjp(refpos.attention, q, q, q, cosine=np.array([np.nan]), mask=mask, cotangent=q)
    assert np.isnan(found["q"][0]).all() and (found["q"][1] == 0).all()


@pytest.mark.parametrize("output", ["output", "weights", "scores"])
@pytest.mark.parametrize("hidden", [np.nan, np.inf])
def test_vectors_of_no_pair_that_counts_have_the_gradient_0_with_cosine(output, hidden):
    """Heads 0 and 1 read one head of keys: key 1 counts for neither, key 2 for head 1 alone, and for query 0 no key."""
    q, k, dy = scattered(2, 3, 2), scattered(1, 3, 2, seed=1), scattered(2, 3, 3, seed=2)
    mask = np.ones((2, 3, 3), bool)
    mask[:, 0], mask[:, :, 1], mask[0, :, 2] = False, False, False
    dy = dy[..., :2] if output == "output" else dy
    call = {"mask": mask, "cosine": np.array([1.0, 0.5]), "outputs": output, "cotangent": dy}
    wanted = refpos.vjp(refpos.attention, q, k, k, **call)
    q[:, 0], k[:, 1] = hidden, hidden
    found = refpos.vjp(refpos.attention, q, k, k, **call)
    for name, gradient in found.items():
        assert np.isfinite(gradient).all() and (gradient == wanted[name]).all(), name
    assert (found["q"][:, 0] == 0).all() and (found["k"][0, 1] == 0).all() and (found["k"][0, 2] != 0).all()


def test_a_logit_that_is_a_number_has_no_gradient():
    q = scattered(1, 2, 2)
    assert list(refpos.vjp(refpos.attention, q, q, q, cosine=1, cotangent=q)) == ["q", "k", "v"]


def test_what_is_shared_is_the_sum_of_its_heads():
    q, k, dy = scattered(4, 3, 2), scattered(2, 5, 2, seed=1), scattered(4, 3, 2, seed=2)
    shared = refpos.vjp(refpos.attention, q, k, k, bias=np.zeros((1, 3, 5)), cotangent=dy)
    repeated = np.repeat(k, 2, 0)
    apart = refpos.vjp(refpos.attention, q, repeated, repeated, bias=np.zeros((4, 3, 5)), cotangent=dy)
    assert (shared["q"] == apart["q"]).all()
    for name in ("k", "v"):
        assert (shared[name] == apart[name][::2] + apart[name][1::2]).all()
    heads = apart["bias"]
    assert (shared["bias"][0] == heads[0] + heads[1] + heads[2] + heads[3]).all()


@pytest.mark.parametrize("dtypes", [{"q": "float16", "k": "float32", "v": "float64"},
                                    {"q": "float32", "k": "float16", "v": "float16"}])  # fmt: skip
def test_each_gradient_has_the_dtype_of_its_argument(dtypes):
    arrays = {name: scattered(2, 3, 4, seed=k, dtype=kind) for k, (name, kind) in enumerate(dtypes.items())}
    dy = scattered(2, 3, 4, seed=3, dtype=np.float32)
    found = refpos.vjp(refpos.attention, **arrays, dtype="float32", cotangent=dy)
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    wanted = refpos.vjp(refpos.attention, **wide, cotangent=dy.astype(np.float64))
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype and (found[name] == wanted[name].astype(array.dtype)).all()


def test_strides_and_threads_do_not_matter():
    q, k, v, dy = (scattered(40, 70, 6, seed=seed) for seed in range(4))
    wanted = refpos.vjp(refpos.attention, q, k, v, cotangent=dy, threads=1)
    for threads in (2, 3, None):
        other = [np.asfortranarray(q), k[:, ::-1][:, ::-1], np.repeat(v, 2, 2)[..., ::2]]
        found = refpos.vjp(refpos.attention, *other, cotangent=dy.astype(">f8"), threads=threads)
        assert all((found[name] == wanted[name]).all() for name in "qkv")


def test_arguments_are_left_as_they_are():
    arrays = {name: scattered(2, 3, 4, seed=seed) for seed, name in enumerate("qkv")}
    kept = {name: array.copy() for name, array in arrays.items()}
    found = refpos.vjp(refpos.attention, **arrays, cotangent=arrays["q"])
    assert all((arrays[name] == kept[name]).all() for name in "qkv")
    assert not any(np.shares_memory(found[name], array) for name in "qkv" for array in arrays.values())
