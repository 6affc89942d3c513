"""Programs of biases, decays, tables and attention with a mistake that no call has: what their numbers are said to be.

The numbers are those of NumPy programs of the papers' formulas, which import nothing of refpos."""

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos

QUERIES, KEYS = 18, 22
RNG = np.random.default_rng(11)
BACK = np.arange(QUERIES)[:, None] + KEYS - QUERIES - np.arange(KEYS)  # query minus key


def said(y, function, *given, **named):
    """What the first explanation says of numbers that are wrong; the class that they meet is None."""
    found = refpos.diagnose(y, function, *given, **named)
    assert found.met is None
    return found.explanations[0].computed if found.explanations else ""


# -- decays and kernels of the distance -------------------------------------------------------------------------------

GAMMAS = 1 - 2.0 ** (-5 - np.arange(4))
P, A = np.array([0.6, 1.4, 0.25, 2.0]), np.array([0.9, 0.1, 1.5, 0.4])


def retention(gammas=GAMMAS, back=BACK, after=0.0):
    grown = np.asarray(gammas)[:, None, None] ** np.maximum(back, 0)
    return np.where(back < 0, after, grown)


DECAYS = {
    "exponent 3 for head 0": retention(1 - 2.0 ** (-3 - np.arange(4))),
    "as of lightning": retention(np.exp(-(2.0 ** (-2.0 * (np.arange(4) + 1))))),
    "the same rate for all heads": retention(np.full(4, 0.7)),
    "keys after the query hold 1, asked 0": retention(after=1.0),
    "keys after the query hold -inf, asked 0": retention(after=-np.inf),
    "to the power 2 (squared)": retention(GAMMAS**2),
    "distances +1": np.where(BACK < 0, 0, GAMMAS[:, None, None] ** (np.maximum(BACK, 0) + 1)),
    "times 0.5": retention() / 2,
    "each row divided by its sum (normalised)": retention() / retention().sum(-1, keepdims=True),
    "the natural logarithm of the numbers": np.where(BACK < 0, -np.inf, np.log(np.maximum(retention(), 1e-300))),
    "symmetric": GAMMAS[:, None, None] ** np.abs(BACK),
    "distances of at most 5 (clipped)": retention(back=np.where(BACK > 5, 5, BACK)),
    "head 0 for all heads": retention(np.full(4, GAMMAS[0])),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("words", DECAYS)
def test_a_decay_is_measured_by_distance(words, dtype):
    y = DECAYS[words].astype(dtype)
    assert words in said(y, refpos.relative.decay, 4, QUERIES, KEYS, rule="retnet")


def kernel(rule, back=BACK):
    return rule(P[:, None, None], A[:, None, None], np.maximum(back, 0).astype(float))


KERNELS = {
    "linear in the distance": kernel(lambda p, a, d: -p * a * d),
    "keys after the query hold -10000, asked 0": np.where(BACK < 0, -1e4, kernel(lambda p, a, d: -p * np.log1p(a * d))),
    "without the 1": kernel(lambda p, a, d: np.where(d > 0, -p * np.log(np.maximum(a * d, 1e-9)), 0)),
    "each head": kernel(lambda p, a, d: -p * np.log1p(a * d) * (1 + p)),
}


@pytest.mark.parametrize("words", KERNELS)
def test_a_kernel_is_measured_by_distance(words):
    told = said(KERNELS[words].astype(np.float32), refpos.relative.kerple, P, A, QUERIES, KEYS, kind="log")
    assert (words if words != "each head" else "p 0.96, 3.36") in told


@pytest.mark.parametrize(
    "changed, words",
    [
        (dict(layer=5), "layer=5"),
        (dict(layers=31), "layers=31"),
        (dict(eps=1e-3), "eps=0.001"),
        (dict(heads=16), "of 16 heads"),
        (dict(exponent=6), "exponent 6"),
    ],
)
def test_rates_of_another_layer_are_named(changed, words):
    given = dict(layer=3, layers=24, eps=1e-5, heads=8, exponent=8) | changed
    layer, layers, eps = (given[name] for name in ("layer", "layers", "eps"))
    powers = 2.0 ** (-given["exponent"] * (np.arange(8) + 1) / given["heads"])
    y = (powers * (1 - layer / (layers - 1 + eps) + eps)).astype(np.float32)
    told = said(y, refpos.relative.decay_rates, 8, rule="lightning", layer=3, layers=24)
    assert words in told


# -- rows of tables ---------------------------------------------------------------------------------------------------


def bucket(distance, buckets=32, reach=128, exact=None, rounded=np.floor, later=lambda d: d > 0, extra=0):
    """T5's bucket of key minus query in both directions, in float64."""
    half = buckets // 2
    exact = half // 2 if exact is None else exact
    size = np.abs(distance)
    far = exact + rounded(np.log(np.maximum(size, 1) / exact) / np.log(reach / exact) * (half - exact)).astype(int)
    return later(distance) * half + np.where(size < exact, size, np.minimum(far, half - 1)) + extra


DISTANCES = np.arange(-180, 181)
BUCKETS = {
    "rounded up (ceil)": dict(rounded=np.ceil),
    "rounded to the nearest": dict(rounded=np.rint),
    "exact buckets up to 5 (asked 8)": dict(exact=5),
    "max_distance=100": dict(reach=100),
    "each row +2": dict(extra=2),
    "no side added": dict(later=lambda d: d * 0),
}


@pytest.mark.parametrize("words", BUCKETS)
def test_other_buckets_are_measured(words):
    y = bucket(DISTANCES, **BUCKETS[words])
    assert words in said(y, refpos.t5_buckets, DISTANCES, bidirectional=True)


def cells(height, width, rule):
    y, x = np.divmod(np.arange(height * width), width)
    return rule(y[:, None] - y, x[:, None] - x)


WINDOWS = {
    "7 dy + dx + 26, query - key, in 4 x 6 cells row by row (stride 2 height - 1 in place": lambda y, x: (
        (y + 3) * 7 + x + 5
    ),
    "row = dy + 7 dx + 38, query - key, in 4 x 6 cells row by row (axes exchanged)": lambda y, x: (x + 5) * 7 + y + 3,
    "columns mirrored, dx with the other sign": lambda y, x: (y + 3) * 11 - x + 5,
    "each row -1": lambda y, x: (y + 3) * 11 + x + 4,
    "the sum of both offsets, not multiplied": lambda y, x: y + x + 8,
    "|query - key| down, query - key across": lambda y, x: (abs(y) + 3) * 11 + x + 5,
}


@pytest.mark.parametrize("words", WINDOWS)
def test_rows_of_a_window_are_a_formula(words):
    assert words in said(cells(4, 6, WINDOWS[words]), refpos.relative.window_rows, 4, 6, sign="query-key")


@pytest.mark.parametrize("words", WINDOWS)
def test_rows_read_from_a_table_are_a_formula(words):
    table = RNG.normal(size=(77, 3)).astype(np.float32)
    y = table[cells(4, 6, WINDOWS[words])].transpose(2, 0, 1)
    words = {"each row -1": "each row -1 modulo 77"}.get(words, words)
    told = said(y, refpos.window_bias, table, 4, 6, sign="query-key")
    assert words in told or (words == "each row -1 modulo 77" and "each row -1" in told)


@pytest.mark.parametrize(
    "words, change",
    [
        ("times 8", lambda b: b * 8),
        ("head 0 for all heads", lambda b: b[[0, 0, 0]]),
        ("16 times the sigmoid", lambda b: 16 / (1 + np.exp(-b))),
    ],
)
def test_functions_of_a_bias_are_told(words, change):
    table = RNG.normal(size=(77, 3)).astype(np.float32)
    y = table[cells(4, 6, lambda y, x: (y + 3) * 11 + x + 5)].transpose(2, 0, 1)
    assert words in said(change(y).astype(np.float32), refpos.window_bias, table, 4, 6, sign="query-key")


# -- attention --------------------------------------------------------------------------------------------------------

Q, K, V = (RNG.normal(size=(2, 3, n, 16)).astype(np.float32) for n in (QUERIES, KEYS, KEYS))
BIAS = RNG.normal(size=(3, QUERIES, KEYS)).astype(np.float32)


def attended(q=Q, k=K, v=V, bias=BIAS, scale=0.25, mask=BACK >= 0, gain=1.0):
    scores = (q.astype(np.float64) @ np.swapaxes(k, -1, -2)) * scale + bias
    scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return gain * (powers / powers.sum(-1, keepdims=True)) @ v


OUTPUTS = {
    "scale 1 (not scaled)": dict(scale=1.0),
    "scale 1/16 (scaled twice)": dict(scale=1 / 16),
    "without bias": dict(bias=0.0),
    "bias subtracted": dict(bias=-BIAS),
    "bias twice": dict(bias=2 * BIAS),
    "no mask": dict(mask=True),
    "causal='upper-left'": dict(mask=BACK >= KEYS - QUERIES),
    "causal in a window of 5 keys": dict(mask=(BACK >= 0) & (BACK < 5)),
    "causal with the diagonal offset +1": dict(mask=BACK >= -1),
    "keys of bias reversed": dict(bias=BIAS[..., ::-1]),
    "bias of head 0 for all heads": dict(bias=BIAS[:1]),
    "v rolled, its keys shifted by 1": dict(v=np.roll(V, 1, -2)),
    "batch rows of k reversed": dict(k=K[::-1]),
    "the output times 2": dict(gain=2.0),
    "the output times 1/2": dict(gain=0.5),
}


@pytest.mark.parametrize("dtype", sampled(["float32", "float16"], 2))
@pytest.mark.parametrize("words", sampled(list(OUTPUTS), 3))
def test_outputs_of_attention_are_measured(words, dtype):
    inputs = [one.astype(dtype) for one in (Q, K, V, BIAS)]
    given = dict(zip(("q", "k", "v", "bias"), inputs, strict=True)) if dtype == "float16" else {}
    changed = {
        name: one if np.ndim(one) == 0 else one.astype(dtype) if name in ("q", "k", "v", "bias") else one
        for name, one in OUTPUTS[words].items()
    }
    y = attended(**{**given, **changed}).astype(dtype)
    told = said(y, refpos.attention, *inputs[:3], bias=inputs[3], causal="lower-right")
    assert words in told


SCALED = {
    "the output times 1/2": dict(gain=0.5),
    "the output times 1/3": dict(gain=1 / 3),
    "the output times 1.01": dict(gain=1.01),
    "the output times 0.7331": dict(gain=0.7331),
    "scale 1/sqrt(80) (0.111803)": dict(scale=80**-0.5),
    "scale 1/sqrt(128) (0.0883883)": dict(scale=128**-0.5),
    "scale 1/5": dict(scale=0.2),
    "q.k 1/sqrt(48) (asked 1/4), bias 1, the output times 1/3": dict(scale=48**-0.5, gain=1 / 3),
}


NEAR = "the output times 1.01"  # within the bounds of attention in bfloat16


@pytest.mark.parametrize("kind", sampled(["float32", "bfloat16", "float16"], 3))
@pytest.mark.parametrize("words", SCALED)
def test_a_factor_of_the_output_and_any_scale_are_measured_and_verified(words, kind):
    kind = getattr(ml_dtypes, kind, None) or getattr(np, kind)
    q, k, v, bias = (one.astype(kind).astype(np.float32) for one in (Q, K, V, BIAS))
    y = attended(q, k, v, bias, **SCALED[words]).astype(kind).astype(np.float32)
    if kind is np.float32:
        (first,) = refpos.diagnose(y, refpos.attention, q, k, v, bias=bias, causal="lower-right").explanations
        assert words in first.computed and first.met and first.call, first
    else:  # to the precision of the numbers
        got = refpos.read(y, refpos.attention, q, k, v, bias=bias, causal="lower-right")
        assert got.coefficients["q.k"] == pytest.approx(SCALED[words].get("scale", 0.25), rel=0.01), got.summary
        assert ("the output times" in got.summary) == (
            "gain" in SCALED[words] and (words != NEAR or kind is np.float16)
        ), got.summary


def test_right_attention_is_given_no_cause():
    """Weights rounded to float16, as programs have them: whatever is said of the class, no cause is."""
    q, k, v, bias = (one.astype(np.float16) for one in (Q, K, V, BIAS))
    scores = np.where(BACK >= 0, np.float32(0.25) * (q.astype(np.float32) @ np.swapaxes(k, -1, -2)) + bias, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = (powers / powers.sum(-1, keepdims=True)).astype(np.float16)
    y = (weights.astype(np.float32) @ v.astype(np.float32)).astype(np.float16)
    assert not refpos.diagnose(y, refpos.attention, q, k, v, bias=bias, causal="lower-right").explanations


def test_one_bucket_that_is_off_is_no_rule():
    """Distances whose doubles are not asked for, and the least int64, which has no absolute value."""
    distances = np.array([-(2**63), -(2**62), 2**62, 5, -7, 130, -131, 0, 1000, -1000, 2**63 - 1])
    wrong = refpos.t5_buckets(distances, bidirectional=True)
    wrong[0] = 1
    found = refpos.diagnose(wrong, refpos.t5_buckets, distances, bidirectional=True)
    assert found.met is None and not found.explanations, found
