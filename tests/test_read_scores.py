"""`refpos.read` of scores, weights and outputs of attention, of programs in NumPy that share no code with refpos."""

import json
import math

import numpy as np
import pytest
from rotary_programs import plain, rotate, table
from score_programs import drawn, softmax
from tiers import sampled

import refpos
from refpos import catalogue, cli
from refpos.measure.coefficients import coefficient_text, fitted, known_members
from refpos.measure.scoring.calls_of_parts import calls_of
from refpos.measure.scoring.score_masks import NONE
from refpos.measure.scoring.score_ways import Way
from refpos.measure.written import Written

F = np.float32
RNG = np.random.default_rng(11)
HEADS, LENGTH, WIDTH = 3, 14, 16
Q, K, V = (RNG.standard_normal((2, HEADS, LENGTH, WIDTH)).astype(F) for _ in range(3))
BIAS = RNG.standard_normal((HEADS, LENGTH, LENGTH)).astype(F)
PRODUCTS = Q @ np.swapaxes(K, -1, -2)
CAUSAL = np.tri(LENGTH, dtype=bool)
#: of what a float32 program and a call of refpos may differ, relative to the largest number
NEAR = 1e-5


def evaluated(found, y, **inputs):
    """What the call of a reading gives."""
    return eval(found.call, {"refpos": refpos, "np": np, "found": found, "y": y, **inputs})


def is_near(found, y, **inputs):
    made = np.asarray(evaluated(found, y, **inputs))
    finite = np.isfinite(y)
    same = (np.isfinite(made) == finite).all() and made.shape == y.shape
    return same and np.abs(made[finite] - y[finite]).max() <= NEAR * np.abs(y[finite]).max()


def masked(scores, counts, below=-np.inf):
    return np.where(counts, scores, F(below))


# -- coefficients -----------------------------------------------------------------------------------------------------


def test_least_squares_are_those_of_a_library():
    parts = RNG.standard_normal((5, 300)) * [[1], [1e3], [1e-3], [1], [1]]
    numbers = RNG.standard_normal(300)
    fit = fitted(numbers, parts, 2.0**-53)
    wanted, *_ = np.linalg.lstsq(parts.T, numbers, rcond=None)
    assert np.abs(fit.values / wanted - 1).max() < 1e-12
    left = np.sqrt(((numbers - wanted @ parts) ** 2).mean() / (numbers**2).mean())
    assert abs(fit.left / left - 1) < 1e-12
    covariance = np.linalg.inv(parts @ parts.T)
    spread = np.sqrt(np.diag(covariance)) * left * np.sqrt((numbers**2).mean())
    assert (fit.widths >= 8 * spread * (1 - 1e-9)).all() and (fit.widths <= 8.01 * spread).all()


def test_a_part_that_others_tell_has_no_coefficient():
    parts = RNG.standard_normal((2, 50))
    fit = fitted(parts[0] * 3, np.stack([parts[0], parts[0] * 2, parts[1]]), 2.0**-53)
    assert fit.values[0] == pytest.approx(3) and math.isinf(fit.widths[1]) and abs(fit.values[2]) < 1e-12


@pytest.mark.parametrize(
    ("value", "width", "known", "first", "text"),
    [
        (0.12500001, 1e-6, (1.0,), 0.125, "1/8"),
        (0.17677, 1e-5, (), 1 / math.sqrt(32), "1/sqrt(32)"),
        (-5.65686, 1e-4, (), -math.sqrt(32), "-sqrt(32)"),
        (1e-9, 1e-6, (1.0,), 0.0, "0"),
        (0.99, 0.1, (1.0, 0.95), 1.0, "1"),
        (0.17341, 2e-5, (1.0,), 0.1734, "0.1734"),
        (5.0, math.inf, (0.25,), 0.25, "1/4"),
    ],
)
def test_the_known_number_of_an_interval(value, width, known, first, text):
    assert known_members(value, width, known)[0] == first and coefficient_text(first) == text


# -- scores -----------------------------------------------------------------------------------------------------------

PADDED = {"bias": BIAS, "mask": np.arange(LENGTH) < LENGTH - 3}
#: (numbers, inputs beside q and k, the measurement, the arguments of the call behind q, k and None)
SCORES = {
    "right": (PRODUCTS / F(4), {}, "q.k 1/4", ""),
    "no scale": (PRODUCTS + BIAS, {"bias": BIAS}, "q.k 1 (asked 1/4), bias 1", "bias=bias, scale=1, "),
    "twice": (PRODUCTS / F(16), {}, "q.k 1/16 (asked 1/4)", "scale=0.0625, "),
    "width of the model": (
        PRODUCTS / np.sqrt(F(48)),
        {},
        "q.k 1/sqrt(48) (asked 1/4)",
        f"scale={1 / math.sqrt(48)!r}, ",
    ),
    "bias first": (
        (PRODUCTS + BIAS) / F(4),
        {"bias": BIAS},
        "q.k 1/4, bias 1/4 (asked 1)",
        "bias=0.25 * bias, ",
    ),
    "bias forgotten": (PRODUCTS / F(4), {"bias": BIAS}, "q.k 1/4, bias 0 (asked 1)", ""),
    "bias subtracted": (PRODUCTS / F(4) - BIAS, {"bias": BIAS}, "q.k 1/4, bias -1 (asked 1)", "bias=-bias, "),
    "bias transposed": (
        PRODUCTS / F(4) + np.swapaxes(BIAS, -1, -2),
        {"bias": BIAS},
        "q.k 1/4, bias 1, bias transposed",
        "bias=np.swapaxes(bias, -1, -2), ",
    ),
    "asked scale": (PRODUCTS / F(4), {"scale": np.float64(0.5)}, "q.k 1/4 (asked 1/2)", ""),
    "causal": (masked(PRODUCTS / F(4), CAUSAL), {}, "q.k 1/4, mask causal (asked none)", "causal='upper-left', "),
    "causal as asked": (
        masked(PRODUCTS / F(4), CAUSAL),
        {"causal": "lower-right"},
        "q.k 1/4, mask causal",
        "causal='lower-right', ",
    ),
    "mask forgotten": (
        PRODUCTS / F(4) + BIAS,
        PADDED,
        "q.k 1/4, bias 1, mask none (asked as given)",
        "bias=bias, ",
    ),
    "mask inverted": (
        masked(PRODUCTS / F(4), ~PADDED["mask"]),
        PADDED,
        "bias 0 (asked 1), mask of the keys that do not count (asked as given)",
        "mask=~mask, ",
    ),
    "diagonal masked": (
        masked(PRODUCTS / F(4), np.tri(LENGTH, k=-1, dtype=bool)),
        {},
        "mask causal without the diagonal (asked none)",
        f"mask=np.tri({LENGTH}, {LENGTH}, -1, dtype=bool), ",
    ),
    "of no rule": (
        masked(PRODUCTS / F(4), RNG.random((LENGTH, LENGTH)) < 0.7),
        {},
        "mask of no rule that is known",
        "mask=y > -1e+30, ",
    ),
    "by a number": (
        masked(PRODUCTS / F(4), CAUSAL, np.finfo(F).min),
        {},
        "mask causal by -3.40282e+38",
        f"bias=np.where(np.tri({LENGTH}, {LENGTH}, dtype=bool), 0.0, {float(np.finfo(F).min)!r}), ",
    ),
    "by a sum": (
        PRODUCTS / F(4) + np.where(CAUSAL, F(0), F(-10000)),
        {},
        "mask causal by -10000 (asked none)",
        f"bias=np.where(np.tri({LENGTH}, {LENGTH}, dtype=bool), 0, -10000.0), ",
    ),
    "soft cap": (
        F(3) * np.tanh(PRODUCTS / F(4) / F(3)) + BIAS,
        {"bias": BIAS, "softcap": 3.0},
        "q.k 1/4 in a soft cap of 3, bias 1",
        "bias=bias, softcap=3.0, ",
    ),
    "soft cap forgotten": (
        PRODUCTS / F(4) + BIAS,
        {"bias": BIAS, "softcap": 3.0},
        "q.k 1/4, bias 1, no soft cap",
        "bias=bias, ",
    ),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_programs(name):
    y, inputs, measured, arguments = SCORES[name]
    found = refpos.read(y, refpos.attention, Q, K, **inputs)
    assert measured in found.summary and "leaves" not in found.summary, str(found)
    assert found.call == f"refpos.attention(q, k, None, {arguments}outputs='scores', dtype='float32')"
    assert found.complete and found.met in ("correct", "faithful", "sequence64", "sequence32")
    assert is_near(found, y, q=Q, k=K, **inputs) and found.elements == y.size


def test_soft_caps_that_have_no_call_are_measured():
    inputs = {"bias": BIAS, "softcap": 3.0}
    found = refpos.read(F(3) * np.tanh((PRODUCTS / F(4) + BIAS) / F(3)), refpos.attention, Q, K, **inputs)
    assert found.call is None and "q.k 1/4, bias 1, soft cap after the bias" in found.summary
    found = refpos.read(F(3) * np.tanh(PRODUCTS / F(3)) / F(4) + BIAS, refpos.attention, Q, K, **inputs)
    assert found.call is None and "q.k 1 in a soft cap of 3, times 1/4, bias 1" in found.summary


def test_no_call_is_made_of_parts_that_attention_does_not_have():
    inputs = {name: Written(name, value) for name, value in (("q", Q), ("k", K), ("bias", BIAS), ("softcap", 3.0))}
    after = Way("", inputs, [], after=True)
    assert calls_of("attention", after, {"q.k": 0.25, "bias": 1.0}, NONE, "scores") == []
    assert len(calls_of("attention", after, {"q.k": 0.25, "bias": 0.0}, NONE, "scores")) == 1
    inside = Way("", inputs, [], capped=0.25)
    assert calls_of("attention", inside, {"soft cap": 0.5, "bias": 1.0}, NONE, "scores") == []
    assert len(calls_of("attention", inside, {"soft cap": 1.0, "bias": 1.0}, NONE, "scores")) == 1


@pytest.mark.parametrize("side", ["upper-left", "lower-right"])
def test_causal_masks_of_fewer_queries_than_keys(side):
    counts = np.tri(9, LENGTH, 0 if side == "upper-left" else LENGTH - 9, dtype=bool)
    y = masked((PRODUCTS / F(4))[:, :, :9], counts)
    other = {"upper-left": "lower-right", "lower-right": "upper-left"}[side]
    found = refpos.read(y, refpos.attention, Q[:, :, :9], K, causal=other)
    assert f"mask causal {side} (asked causal {other})" in found.summary and f"causal={side!r}" in found.call


@pytest.mark.parametrize("kind", ["scores", "weights", "output"])
def test_key_heads_that_are_tiled(kind):
    q = RNG.standard_normal((1, 4, LENGTH, WIDTH)).astype(F)
    k, v = K[:1, :2], V[:1, :2]
    for way, heads in (
        ("", np.repeat),
        ("key heads tiled", lambda one, times, axis: np.concatenate([one] * times, axis)),
    ):
        scores = q @ np.swapaxes(heads(k, 2, 1), -1, -2) / F(4)
        y = {"scores": scores, "weights": softmax(scores), "output": softmax(scores) @ heads(v, 2, 1)}[kind]
        found = refpos.read(y, refpos.attention, q, k, v, outputs=kind)
        assert found.complete and (way in found.summary) and ("np.concatenate([k] * 2, -3)" in found.call) is bool(way)
        assert is_near(found, y, q=q, k=k, v=v)


@pytest.mark.parametrize(
    ("scores", "inputs", "measured"),
    [
        (PRODUCTS / F(4) + BIAS, {"bias": BIAS}, "q.k 1/4, bias 1"),
        (PRODUCTS / F(16) - BIAS, {"bias": BIAS}, "q.k 1/16 (asked 1/4), bias -1 (asked 1)"),
        (masked(PRODUCTS / F(4), CAUSAL), {"bias": BIAS}, "bias 0 (asked 1), mask causal (asked none)"),
        (
            masked(PRODUCTS * F(0.1734), PADDED["mask"]),
            PADDED,
            "q.k 0.1734 (asked 1/4), bias 0 (asked 1), mask as given",
        ),
    ],
)
def test_weights(scores, inputs, measured):
    found = refpos.read(softmax(scores), refpos.attention, Q, K, **inputs)
    assert found.summary.startswith("attention weights of 3 heads") and measured in found.summary and found.complete
    assert is_near(found, softmax(scores), q=Q, k=K, **inputs)


def test_a_softmax_over_the_queries():
    y = np.swapaxes(softmax(np.swapaxes(PRODUCTS / F(4) + BIAS, -1, -2)), -1, -2)
    found = refpos.read(y, refpos.attention, Q, K, bias=BIAS)
    assert "q.k 1/4, bias 1, softmax over the queries" in found.summary and found.complete
    assert is_near(found, y, q=Q, k=K, bias=BIAS)


def test_weights_of_other_scores():
    y, _, inputs = _xl(1.0, 1.0, 1.0)
    found = refpos.read(softmax(masked(y, CAUSAL)), refpos.scores.xl_scores, **inputs)
    assert found.complete and "q.k, u.k, q.p and v.p 1/4, mask causal (asked none)" in found.summary
    assert is_near(found, softmax(masked(y, CAUSAL)), **inputs)
    large = {**inputs, "q": F(300) * inputs["q"], "u": F(300) * inputs["u"], "v": F(300) * inputs["v"]}
    found = refpos.read(softmax(F(300) * y), refpos.scores.xl_scores, **large, scale=0.25)
    assert found.complete, str(found)  # though scores are off by far more than units of weights
    swapped = np.swapaxes(softmax(np.swapaxes(y, -1, -2)), -1, -2)
    found = refpos.read(swapped, refpos.scores.xl_scores, **inputs)
    assert found.call is None and "q.k, u.k, q.p and v.p 1/4, softmax over the queries" in found.summary


@pytest.mark.parametrize(
    ("scores", "measured", "argument"),
    [
        (PRODUCTS / F(4) + BIAS, "q.k 1/4, bias 1", "bias=bias"),
        (PRODUCTS / F(16), "q.k 1/16 (asked 1/4), bias 0 (asked 1)", "scale=0.0625"),
        (masked(PRODUCTS / F(4) - BIAS, CAUSAL), "bias -1 (asked 1), mask causal (asked none)", "bias=-bias"),
    ],
)
def test_outputs(scores, measured, argument):
    y = softmax(scores) @ V
    found = refpos.read(y, refpos.attention, Q, K, V, bias=BIAS)
    assert found.complete and measured in found.summary and argument in found.call
    assert is_near(found, y, q=Q, k=K, v=V, bias=BIAS)


def test_masks_in_the_bias():
    for below in (-np.inf, np.finfo(F).min):
        bias = masked(BIAS, CAUSAL, below)
        for y in (PRODUCTS / F(4) + bias, softmax(PRODUCTS / F(4) + bias)):
            found = refpos.read(y, refpos.attention, Q, K, bias=bias)
            assert found.complete and "bias 1, mask in the bias" in found.summary and "bias=bias, " in found.call


def test_queries_that_are_others_are_listed():
    y = PRODUCTS / F(4)
    y[:, :, 3:5] *= 2
    found = refpos.read(y, refpos.attention, Q, K)
    assert found.outside == ("queries 3..4",) and not found.complete and "q.k 1/4" in found.summary


def test_numbers_that_no_part_explains():
    noise = RNG.standard_normal(PRODUCTS.shape)
    found = refpos.read(noise, refpos.attention, Q, K, bias=BIAS)
    assert (found.kind, found.call) == ("unknown", None) and "the known parts do not explain them" in found.summary
    assert "every number is 0" in refpos.read(np.zeros_like(noise), refpos.attention, Q, K).summary
    assert "too few" in refpos.read(noise * np.nan, refpos.attention, Q, K).summary


def test_rotations_inside_of_attention():
    made = table(np.arange(LENGTH), *plain(WIDTH, 10000), "float32")
    q, k = (rotate(one, *made, "half", WIDTH, 0, "float32") for one in (Q, K))
    twice = [rotate(one, *made, "half", WIDTH, 0, "float32") for one in (q, k)]
    inputs = {"q": Q, "k": K, "pairing": "half", "base": 10000}
    for pair, way in (((q, k), "q.k 1/4"), ((q, K), "keys not rotated"), ((Q, k), "queries not rotated"),
                      ((Q, K), "not rotated"), (twice, "rotated twice")):  # fmt: skip
        y = pair[0] @ np.swapaxes(pair[1], -1, -2) / F(4)
        found = refpos.read(y, refpos.attention, **inputs)
        assert found.summary.endswith(way) and found.complete, str(found)
        assert is_near(found, y, **inputs)
    weights = softmax(q @ np.swapaxes(k, -1, -2) / F(4))
    assert refpos.read(weights, refpos.attention, **inputs).complete


def test_rotations_at_far_positions_have_the_errors_of_their_angles():
    positions = np.arange(LENGTH) + 100000
    made = table(positions, *plain(WIDTH, 10000), "float32")
    q, k = (rotate(one, *made, "half", WIDTH, 0, "float32") for one in (Q, K))
    y, inputs = q @ np.swapaxes(k, -1, -2) / F(4), {"pairing": "half", "base": 10000, "positions": positions}
    assert refpos.read(y, refpos.attention, Q, K, **inputs).complete
    exact = [refpos.rope(one, **inputs) for one in (Q, K)]
    assert not refpos.read(y, refpos.attention, *exact).complete  # without these errors


# -- Transformer-XL, DeBERTa, Shaw ------------------------------------------------------------------------------------


def _xl(content, position, both):
    """(scores with factors of u.k, of v.p and of the position, inputs)."""
    rng = np.random.default_rng(5)
    q, k = Q[0], K[0]
    p = rng.standard_normal((HEADS, 2 * LENGTH - 1, WIDTH)).astype(F)
    u, v = rng.standard_normal((2, HEADS, WIDTH)).astype(F)
    rows = np.arange(LENGTH)[:, None] - np.arange(LENGTH) + LENGTH - 1
    positions = ((q + F(position) * v[:, None]) @ np.swapaxes(p, -1, -2))[:, np.arange(LENGTH)[:, None], rows]
    y = ((q + F(content) * u[:, None]) @ np.swapaxes(k, -1, -2) + F(both) * positions) / F(4)
    return y, positions, {"q": q, "k": k, "projected": p, "rows": rows, "u": u, "v": v}


@pytest.mark.parametrize(
    ("factors", "measured", "arguments"),
    [
        ((1, 1, 1), "q.k, u.k, q.p and v.p 1/4", "projected, rows, u=u, v=v, "),
        ((0, 1, 1), "u.k 0 (asked 1/4)", "projected, rows, u=None, v=v, "),
        ((1, 0, 1), "v.p 0 (asked 1/4)", "projected, rows, u=u, v=None, "),
        ((1, 1, -1), "q.p and v.p -1/4 (asked 1/4)", "-projected, rows, u=u, v=v, "),
        ((1, 1, 4), "q.p and v.p 1 (asked 1/4)", "4 * projected, rows, u=u, v=v, "),
        ((-1, 1, 1), "u.k -1/4 (asked 1/4)", "projected, rows, u=-u, v=v, "),
        ((1, 1, 0), "q.p and v.p 0 (asked 1/4)", "0 * projected, rows, u=u, v=None, "),
    ],
)
def test_transformer_xl(factors, measured, arguments):
    y, _, inputs = _xl(*factors)
    found = refpos.read(y, refpos.scores.xl_scores, **inputs)
    assert measured in found.summary and found.complete, str(found)
    assert found.call == f"refpos.scores.xl_scores(q, k, {arguments}dtype='float32')"
    assert is_near(found, y, **inputs)


def test_transformer_xl_with_other_distances():
    y, _, inputs = _xl(1, 1, 1)
    rows = inputs["rows"]
    for other, way in ((rows.T, "distances negated"), (rows - 1, "the row after"), (rows + 1, "the row before")):
        if way != "distances negated":
            other = np.clip(other, 0, 2 * LENGTH - 2)
        found = refpos.read(y, refpos.scores.xl_scores, **{**inputs, "rows": other})
        assert way in found.summary or found.call is None
    found = refpos.read(y, refpos.scores.xl_scores, **{**inputs, "rows": rows.T})
    assert found.complete and "np.swapaxes(rows, -1, -2)" in found.call
    flipped = np.ascontiguousarray(inputs["projected"][:, ::-1])
    found = refpos.read(y, refpos.scores.xl_scores, **{**inputs, "projected": flipped})
    assert found.complete and ("distances negated" in found.summary or "from its end" in found.summary)


def test_biases_that_are_exchanged():
    y, _, inputs = _xl(1, 1, 1)
    given = {**inputs, "u": inputs["v"], "v": inputs["u"]}
    found = refpos.read(y, refpos.scores.xl_scores, **given)
    assert "u=v, v=u" in found.call and found.complete and is_near(found, y, **given)


def test_position_terms_alone():
    _, positions, inputs = _xl(0, 0, 1)
    found = refpos.read(positions * F(0.5), refpos.scores.xl_scores, **inputs)
    assert found.call == "refpos.scores.relative_scores(q, projected, rows, by='query', scale=0.5, dtype='float32')"
    assert found.complete and is_near(found, positions * F(0.5), **inputs)


# -- random programs --------------------------------------------------------------------------------------------------

#: how far coefficients may be from planted ones, of the largest of them: what 16 bits tell
TOLERANCES = {"float32": 1e-4, "float16": 0.02, "bfloat16": 0.05}


def outcome(seed):
    """named, measured, misnamed or silent."""
    program = drawn(seed)
    found = refpos.read(program.numbers, catalogue.find(program.function).function, **program.inputs)
    if not found.coefficients:
        return "silent"
    size = TOLERANCES[program.format] * max(map(abs, program.coefficients.values()))
    right = all(abs(found.coefficients[name] - value) <= size for name, value in program.coefficients.items())
    others = set(found.coefficients) - set(program.coefficients)
    right &= all(abs(found.coefficients[name]) <= size for name in others)
    if not right or "leaves" in found.summary:
        return "misnamed"
    return "measured" if found.call is None else "named"


def counted(seeds):
    found = [outcome(seed) for seed in seeds]
    return {word: found.count(word) for word in ("named", "measured", "misnamed", "silent")}


@pytest.mark.parametrize("first", sampled(range(0, 300, 50), 6))
def test_random_programs(first):
    found = counted(range(first, first + 50))
    assert found["misnamed"] == found["silent"] == 0 and found["named"] >= 46, found


@pytest.mark.long
def test_two_thousand_random_programs():
    found = counted(range(2000))
    assert found["misnamed"] == found["silent"] == 0 and found["named"] >= 1900, found


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q), "E_MISSING", "k must be given for refpos.attention"),
        (lambda: refpos.read(PRODUCTS[..., 1:], refpos.attention, Q, K), "E_SHAPE", "y must have the shape"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K, sacle=1), "E_CHOICE", "got sacle"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K, q=Q), "E_CHOICE", "got q twice"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K, causal="right"), "E_CHOICE", "causal must be one of"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K, outputs="output"), "E_CHOICE", "outputs must be one"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K, cosine=1.0), "E_CHOICE", "not read, got 1.0"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, Q, K[..., 1:]), "E_SHAPE", "k must have 16 channels"),
        (lambda: refpos.read(3.0, refpos.attention, Q, K), "E_SHAPE", "y must have at least two axes"),
        (lambda: refpos.read(PRODUCTS, refpos.attention, *[Q] * 11), "E_CHOICE", "must be at most"),
    ],
)
def test_what_cannot_be_read_is_refused(call, code, words):
    with pytest.raises(refpos.InputError) as error:
        call()
    assert error.value.code == code and words in str(error.value)


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys):
    y, arrays, bias = (str(tmp_path / name) for name in ("y.npy", "arrays.npz", "bias.npy"))
    np.save(y, PRODUCTS / F(4) - BIAS)
    np.savez(arrays, q=Q, k=K)
    np.save(bias, BIAS)
    command = ["read", y, "--of", "attention", "--arrays", arrays, "--arrays", f"bias={bias}"]
    assert cli.main(command) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "q.k 1/4, bias -1 (asked 1)" in told and "bias=-bias" in told
    assert cli.main([*command, "--set", "scale=0.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["coefficients"] == {"q.k": 0.25, "bias": -1.0} and "q.k 1/4 (asked 1/2)" in found["summary"]
    assert cli.main([*command, "--set", "scale"]) == 2
    assert "--set must be NAME=VALUE, got 'scale'" in capsys.readouterr().err
    assert cli.main([*command, "--set", "causal=left"]) == 2
    assert "causal must be one of 'upper-left', 'lower-right', got 'left'" in capsys.readouterr().err


@pytest.mark.parametrize("below", [-100, -1e4, -65504])
def test_a_mask_by_a_moderate_number_is_measured(below):
    rng = np.random.default_rng(3)
    q, k = (rng.normal(size=(1, 4, 20, 16)).astype(F) for _ in range(2))
    scores = q @ k.swapaxes(-1, -2) / F(4)
    found = refpos.read(np.where(np.tri(20, dtype=bool), scores, F(below)), refpos.attention, q, k)
    assert found.summary.endswith(f"q.k 1/4, mask causal by {int(below)} (asked none)")
    assert "mask" not in refpos.read(scores, refpos.attention, q, k).summary
    few = np.minimum(scores[..., :2, :1], -1)  # equal numbers where a key of the first query would be hidden
    assert "by" not in refpos.read(few, refpos.attention, q[..., :2, :], k[..., :1, :]).summary
