"""Calls that are judged a part at a time: their bounds and reports are those of the whole."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import golden
from refpos.conformance import power
from refpos.conformance.compare import compare, limits_of, tally_of
from refpos.diagnosis import judge, parts
from refpos.diagnosis.bounds import bounds_of
from refpos.diagnosis.call import Call
from refpos.golden import run
from refpos.tensor_files import Tensor

#: a function of each way to cut a call
CUT = (
    "rope",
    "mrope",
    "xpos",
    "sinusoidal",
    "rope_table",
    "timestep_embedding",
    "alibi",
    "t5_bias",
    "attention",
    "relative_scores",
    "fourier_projection",
    "sincos_2d",
    "sincos_3d",
)


def cut(suite):
    """(id, call, outputs, parts) of the cases of a suite that are cut."""
    for case in golden.cases(suite, tier="core"):
        if case.refusal:
            continue
        arguments = {name: run.call(value) for name, value in run.arguments_of(case).items()}
        call, outputs = Call(case.suite, arguments, run.inputs_of(case)), run.outputs_of(case)
        made = parts.parts_of(call, outputs)
        if len(made) > 1:
            yield case.id, call, outputs, made


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(parts, "at_once", lambda size: max(1, size // 4))


@pytest.mark.parametrize("suite", sampled(golden.suite_names(), 20))
def test_bounds_of_parts_are_those_of_the_whole(suite, small_parts):
    count = 0
    for id, call, outputs, made in cut(suite):
        whole, count = bounds_of(*call, outputs), count + 1
        seen = {name: np.zeros(one.values.shape, np.int64) for name, one in outputs.items()}
        for part in made:
            limits = bounds_of(*part.call, part.outputs)
            assert limits.keys() == whole.keys()
            for name, one in outputs.items():
                seen[name][part.index[name]] += 1
                for kind in whole:
                    wanted = np.reshape(judge.of_name(whole[kind], name), one.values.shape)[part.index[name]]
                    found = np.reshape(judge.of_name(limits[kind], name), wanted.shape)
                    assert np.array_equal(found, wanted, equal_nan=True), (id, kind, name)
        assert all((one == 1).all() for one in seen.values()), id
    assert count or suite not in CUT


@pytest.mark.parametrize("suite", sampled(CUT, len(CUT)))
def test_reports_and_places_of_parts_are_those_of_the_whole(suite, small_parts):
    count = 0
    for id, call, outputs, _ in cut(suite):
        mine = {name: one._replace(values=moved(one.values)) for name, one in outputs.items()}
        limits, count = bounds_of(*call, outputs), count + 1
        found, wanted = (judge.reports_of(call, outputs, mine, limits=one) for one in (None, limits))
        assert repr(found) == repr(wanted), id
        found, wanted = (judge.beyond(mine, outputs, call, one) for one in (None, limits))
        assert all(np.array_equal(found[name], wanted[name]) for name in outputs), id
        ((name, first), *_) = outputs.items()
        last = first.values.shape[-1] - 1
        if not first.values.size:
            continue
        entry = judge.limits_at(call, {name: first}, first.values.ndim - 1, last)
        for kind, held in limits.items():
            whole = np.reshape(judge.of_name(held, name), first.values.shape)
            assert np.array_equal(entry[kind][name], whole[..., last], equal_nan=True), (id, kind)
    assert count


def moved(values):
    """Numbers of which every third has other bits."""
    other = np.array(values)
    bits = other.reshape(-1).view(f"u{other.dtype.itemsize}")
    bits[::3] ^= 1
    return other


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_of_any_order_have_one_report(dtype):
    rng = np.random.default_rng(3)
    expected = rng.normal(size=(6, 5, 8)).astype(dtype)
    expected[1, 2, 3], expected[5, 4, 7] = np.inf, np.nan
    actual = moved(expected)
    bound = np.abs(rng.normal(size=expected.shape))
    for size in (0.0, 1e-3, 1.0, 100.0):
        bounds = {"float32-angle": bound * size, "bfloat16-table": bound * size * 20}
        wanted = compare(actual, expected, bounds=bounds)
        for axis in range(3):
            tally, places = (
                tally_of(actual, expected),
                [(slice(None),) * axis + (slice(k, k + 2),) for k in range(0, 8, 2)],
            )
            limits = [(at, {kind: one[at] for kind, one in bounds.items()}) for at in places[::-1]]
            held = [(at, limits_of(some, tally.fmt, actual[at].shape)) for at, some in limits if actual[at].size]
            for at, some in held:
                tally.add(at, some)
            assert repr(tally.report(lambda held=held: held)) == repr(wanted), (size, axis)


def test_numbers_that_bounds_say_nothing_of_are_counted_in_parts():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(40, 6)).astype(np.float32)
    values[3, 3] = np.inf
    tensor, size = Tensor("float32", values), power.largest(Tensor("float32", values))
    told = set()
    for scale in (0.001, 0.3, 1.0, 10.0, 1000.0):
        limit = scale * np.abs(rng.normal(size=values.shape))
        if scale == 10.0:  # which no random numbers meet in the first rows, whatever the others admit
            limit[:20], limit[20:] = 1e-6, 1000.0
        whole = power.resolved(tensor, "absolute", limit, None, size)
        places = [(slice(k, k + 7),) for k in range(0, 40, 7)]
        few = power.resolved_in(tensor, {"a": "absolute"}, [(at, {"a": limit[at]}) for at in places], None, size)
        assert few == {"a": whole}
        told.add(whole)
    assert len(told) > 2 and 0 in told


def test_a_length_that_is_counted_is_that_of_all_rows():
    x = np.random.default_rng(5).normal(size=(1, 2, 512, 64)).astype(np.float32)
    options = {"pairing": "half", "centring": "floor"}
    mine = refpos.rotary.xpos(x, 512, **options, downscale=True)
    found = refpos.diagnose(mine, refpos.rotary.xpos, x, 512, **options)
    assert [one.computed for one in found.explanations] == ["downscale=True"]
