"""Error bounds of gradients: what lies beyond them is refused, and what they are of."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import catalogue, golden
from refpos.arithmetic import formats, rounding
from refpos.conformance import bounds, registry
from refpos.diagnosis import judge
from refpos.diagnosis.call import stored
from refpos.golden.bounds import bounds_of
from refpos.golden.run import arguments_of, inputs_of, results

GRADIENTS = sorted(name for name in registry.ERROR_BOUNDS if name.startswith(catalogue.VJP))
ROTATIONS = ["vjp_mrope", "vjp_rope", "vjp_rope_2d", "vjp_rope_3d", "vjp_xpos"]
SUITES = [suite for suite in GRADIENTS if suite not in ROTATIONS]
ORDERED = sorted(entry.vjp.name for entry in catalogue.ENTRIES.values() if entry.vjp and entry.contract == "written")
#: gradients that are sums of products, rounded once
OF_PRODUCTS = ["vjp_fourier_projection", "vjp_kerple", "vjp_resize_bias", "vjp_resize_packed", "vjp_resize_table",
               "vjp_time2vec"]  # fmt: skip
SUMS = [suite for suite in SUITES if suite not in (*ORDERED, *OF_PRODUCTS)]
QUICK_FIRST = sorted(SUITES, key=lambda suite: suite != "vjp_relative_scores")
SEQUENCES = ("sequence64", "sequence32")


def numbers(tensor):
    fmt = formats.FORMATS[tensor.dtype]
    return rounding.widen(np.ascontiguousarray(tensor.values).view(fmt.storage), fmt).astype(np.float64)


def with_values(suite):
    """(case, its outputs, its bounds) of the golden cases."""
    for case in golden.cases(suite, tier="core"):
        if not case.refusal:
            call = case.suite, arguments_of(case), inputs_of(case)
            outputs = results(*call)
            yield case, outputs, bounds_of(*call, outputs)


def test_every_gradient_has_bounds():
    gradients = {entry.vjp.name: entry for entry in catalogue.ENTRIES.values() if entry.vjp}
    assert sorted(gradients) == GRADIENTS == sorted([*ROTATIONS, *ORDERED, *SUMS, *OF_PRODUCTS])
    assert len(ORDERED) == len(SUMS) == 7
    assert {name for name, entry in gradients.items() if entry.copies} < {*SUMS}


def test_every_gradient_of_a_rotation_has_the_bounds_of_the_rotation_back():
    rotations = [entry for entry in catalogue.ENTRIES.values() if entry.gradients and "inverse" in entry.parameters]
    assert ROTATIONS == sorted(entry.vjp.name for entry in rotations)
    for suite in ROTATIONS:
        for case, _, limits in with_values(suite):
            call = {**arguments_of(case)}
            back = {**call, "inverse": not call["inverse"]}
            tensors = {name: one for name, one in inputs_of(case).items() if name != "cotangent"}
            tensors["x"] = inputs_of(case)["cotangent"]
            name = suite.removeprefix(catalogue.VJP)
            wanted = bounds_of(name, back, tensors, results(name, back, tensors))
            assert list(limits) == list(wanted) and len(limits) > 4, case.id
            for kind, held in wanted.items():
                np.testing.assert_array_equal(limits[kind]["gradient_x"], held["output"], err_msg=case.id)


@pytest.mark.parametrize("suite", sampled(QUICK_FIRST, len(SUITES), always=("vjp_relative_values", *SUMS)))
def test_one_element_that_is_three_bounds_off_is_refused(suite):
    refused = 0
    for case, outputs, limits in with_values(suite):
        for name, expected in outputs.items():
            limit = np.maximum(*(limits[kind][name].reshape(-1) for kind in SEQUENCES))
            values = numbers(expected).reshape(-1)
            told = np.flatnonzero(np.isfinite(values) & np.isfinite(limit) & (limit > 0))
            for at in told[:: max(1, len(told) // 4)]:
                moved = values.copy()
                with np.errstate(over="ignore"):
                    moved[at] += 3 * limit[at]
                answer = stored(moved.reshape(expected.values.shape), formats.FORMATS[expected.dtype])
                reports = judge.reports_of(None, outputs, {**outputs, name: answer}, limits=limits)
                assert not {*SEQUENCES} & {*judge.admitted_by_all(reports)}, (case.id, name, at)
                refused += 1
    assert refused > (100 if suite in ORDERED else 40)


@pytest.mark.parametrize("suite", sampled(QUICK_FIRST, 4))
def test_bounds_are_those_of_float64_and_wider_ones_of_float32(suite):
    told = 0
    for case, outputs, limits in with_values(suite):
        assert list(limits) == ["correct", "faithful", *SEQUENCES]
        for name, expected in outputs.items():
            narrow, wide = (limits[kind][name] for kind in SEQUENCES)
            assert narrow.shape == wide.shape == expected.values.shape, (case.id, name)
            some, fmt = np.isfinite(wide), formats.FORMATS[expected.dtype]
            flushed = 2.0 ** (fmt.lowest + fmt.precision)  # what a rounding of float64 may lose, and float32 has not
            assert (narrow[some] <= wide[some] + flushed).all() and not np.isnan(wide).any(), (case.id, name)
            told += int(some.sum())
    assert told > (200 if suite in ORDERED else 90)


def test_bounds_are_asked_for_by_the_name_of_the_gradient():
    q, k, v, dy = (np.ones((2, 3), np.float32) * n for n in range(1, 5))
    arrays = {"q": q, "k": k, "v": v, "cotangent": dy.astype(np.float64)}
    limits = bounds("vjp_attention", {}, arrays, "float32")
    assert list(limits["sequence32"]) == ["gradient_q", "gradient_k", "gradient_v"]
    assert all(0 < limit.max() < 1e-3 for limit in limits["sequence32"].values())
    with pytest.raises(refpos.InputError, match="cotangent must have the dtype of the result, float64, got float32"):
        bounds("vjp_attention", {}, {**arrays, "cotangent": dy}, "float32")
    with pytest.raises(refpos.InputError, match=r"function_name must be one of .*, got 'vjp_alibi'"):
        bounds("vjp_alibi", {}, arrays, "float32")


def test_a_sum_of_n_is_off_by_n_minus_1_units_of_the_sizes():
    """And by one more of its own size, that of the last rounding; with a scale by two more, its own and that of a
    product. What is read once without a scale is copied, and what is not read is 0."""
    u, dy = 2.0**-24, np.array([[1.0], [2.0**-24], [2.0**-24], [-5.0]], np.float32)
    arrays = {"weight": np.zeros((3, 1), np.float32), "rows": np.array([1, 1, 1, 0]), "cotangent": dy}
    limit = bounds("vjp_learned", {}, arrays, "float32")["sequence32"]["gradient_weight"].ravel()
    whole = 1 + 2 * u
    assert limit[0] == limit[2] == 0 and 3 * u * whole <= limit[1] < 3.0001 * u * whole
    wide = {name: array if name == "rows" else array.astype(np.float64) for name, array in arrays.items()}
    (of_wide,) = bounds("vjp_learned", {}, wide, "float64")["sequence64"].values()
    assert 3 * 2.0**-53 * whole <= of_wide[1, 0] < 3.0001 * 2.0**-53 * whole
    scaled = bounds("vjp_learned", {"scale": 0.1}, arrays, "float32")["sequence32"]["gradient_weight"].ravel()
    assert 5 * u * whole * 0.1 <= scaled[1] < 5.0001 * u * whole * 0.1 and scaled[2] == 0
    assert 3 * u * 0.5 <= scaled[0] < 3.0001 * u * 0.5


def test_tables_in_a_list_have_the_bounds_of_one_array():
    tables, dy = [np.zeros((4, 2), np.float32)] * 2, np.ones((3, 4, 2), np.float32)
    call = {"grid": [3, 4], "combine": "sum"}
    listed, stacked = (
        bounds("vjp_learned_axes", call, {"weights": weights, "cotangent": dy}, "float32")["sequence32"]
        for weights in (tables, np.stack(tables))
    )
    np.testing.assert_array_equal(listed["gradient_weights"], stacked["gradient_weights"])
    ragged = {"weights": [*tables[:1], np.zeros((5, 2), np.float32)], "cotangent": dy}
    with pytest.raises(refpos.InputTypeError, match="weights must be a rectangular array"):
        bounds("vjp_learned_axes", call, ragged, "float32")
