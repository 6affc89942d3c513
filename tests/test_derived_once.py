"""What a diagnosis leaves out: bounds of equal numbers, calls that no query has, bounds of all heads together."""

from importlib import import_module

import numpy as np
import pytest

import refpos
from refpos.conformance import CLASSES, error_bounds
from refpos.conformance.derivations import attention as derivation
from refpos.diagnosis import judge
from refpos.measure import verification
from refpos.measure.resizing.table_kernels import applied
from refpos.measure.scoring.few_queries import is_refuted
from refpos.measure.written import Call, Compared, Written
from refpos.tensor_files import Tensor

RNG = np.random.default_rng(25)
LENGTH, DIM = 40, 8
MASK = RNG.random((4, LENGTH, LENGTH)) < 0.8
BIAS = np.where(RNG.random((4, LENGTH, LENGTH)) < 0.1, -np.inf, RNG.standard_normal((4, LENGTH, LENGTH)))


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


QUERIES, KEYS, VALUES = normal(2, 4, LENGTH, DIM), normal(2, 2, LENGTH, DIM), normal(2, 2, LENGTH, 6)


@pytest.mark.parametrize("given", [{}, {"causal": "lower-right", "mask": MASK}, {"bias": BIAS, "softcap": 3.0}],
                         ids="-".join)  # fmt: skip
@pytest.mark.parametrize("fmt", ["float32", "float16"])
def test_bounds_of_attention_are_those_of_all_heads_together(fmt, given, monkeypatch):
    arrays = {"q": QUERIES, "k": KEYS, "v": VALUES, **{name: given[name] for name in ("mask", "bias") if name in given}}
    options = {name: value for name, value in given.items() if name not in arrays}
    found = []
    for together in (1, 1 << 30):
        monkeypatch.setattr(derivation, "TOGETHER", together)
        found.append(error_bounds.bounds("attention", options, arrays, fmt))
    one, other = found
    assert list(one) == list(other)
    for kind, parts in one.items():
        assert np.array_equal(parts["output"], other[kind]["output"]), kind
        assert parts["output"].shape == (2, 4, LENGTH, 6)


X, PLACES = normal(64, DIM), np.arange(64)
RIGHT = refpos.rope(X, PLACES, pairing="half")
SOME = PLACES % 3 == 0
ANSWERS = {
    "correct": RIGHT,
    "one unit off": np.where(SOME[:, None], np.nextafter(RIGHT, np.float32(9)), RIGHT),
    "angles in float32": refpos.rope(X, PLACES + SOME * 2.0**-18, pairing="half"),
    "rows elsewhere": refpos.rope(X, PLACES + SOME * 0.5, pairing="half"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_numbers_within_a_unit_are_judged_as_by_all_bounds(name):
    frequencies, asked = {"function": "inverse_frequencies", "arguments": {"dim": DIM}}, []
    given = {"pairing": "half", "frequencies": frequencies}
    limits = error_bounds.bounds("rope", given, {"x": X, "positions": PLACES}, "float32")

    def limits_of():
        asked.append(1)
        return {kind: parts["output"] for kind, parts in limits.items()}

    subject = Compared(Tensor("float32", ANSWERS[name]), Tensor("float32", RIGHT), limits_of)
    found = verification.verified(subject, 0, None, np.zeros(64), False, tuple(CLASSES))
    assert bool(asked) == (name not in ("correct", "one unit off"))
    blocks = verification._blocks(subject, 0, PLACES, (None, np.zeros(64), False))
    whole = verification._verified(blocks, PLACES, tuple(CLASSES), False)
    assert found.kind == whole.kind and np.array_equal(found.within, whole.within)


def call_of(**given):
    arrays = {"q": QUERIES, "k": KEYS, "v": VALUES, "outputs": "output", **given}
    return Call("attention", {name: Written(name, value) for name, value in arrays.items()})


GIVEN = [{}, {"causal": "lower-right"}, {"causal": "upper-left", "mask": MASK}, {"bias": BIAS},
         {"bias": BIAS[0, :1], "mask": MASK}]  # fmt: skip


@pytest.mark.parametrize("given", GIVEN, ids="-".join)
def test_a_call_is_refuted_where_no_query_has_its_numbers(given):
    call = call_of(**given)
    made = call.values("float32")
    assert not is_refuted(call, made)
    assert is_refuted(call, made._replace(values=made.values + np.float32(1)))
    one = made.values + np.float32(1)
    one[..., 0, :] = made.values[..., 0, :]
    assert not is_refuted(call, made._replace(values=one))


@pytest.mark.parametrize(("chosen", "times"), [(slice(None), 2), (slice(1500, 1600), 3)], ids=["all", "rows"])
def test_bounds_of_all_rows_are_derived_a_few_times_in_parts(chosen, times, monkeypatch):
    """For the verdict, for what is off, and to judge the other rows beside a part; held whole they need memory."""
    x, asked = normal(2048, DIM), []
    y = refpos.rope(x, 2048, pairing="half")
    y[chosen] = normal(2048, DIM)[chosen]

    def counted(suite, arguments, tensors, outputs, plain=judge.bounds_of):
        asked.append(len(tensors["x"].values))
        return plain(suite, arguments, tensors, outputs)

    for module in (judge, import_module("refpos.diagnosis.diagnose")):
        monkeypatch.setattr(module, "bounds_of", counted)
    assert refpos.diagnose(y, refpos.rope, x, 2048, pairing="half").met is None
    large = [rows for rows in asked if rows > 100]
    assert max(large) < 2048 and sum(large) == times * 2048


def test_weights_are_applied_along_each_axis():
    table = RNG.standard_normal((5, 4, 3))
    matrices = [np.where(RNG.random((rows, old)) < 0.5, 0.0, RNG.random((rows, old))) for rows, old in ((7, 5), (2, 4))]
    assert np.allclose(applied(matrices, table), np.einsum("ai,bj,ijc->abc", *matrices, table), rtol=1e-13)
