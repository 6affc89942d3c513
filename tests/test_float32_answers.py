"""Float32 code with one mistake in it fails wherever the mistake moves a value, in `verify` of the golden corpus.

That the code without it meets its class in every case is tested in test_float32.py.
"""

from functools import cache

import ml_dtypes
import numpy as np
import pytest
from float32 import angles

import refpos
from refpos import golden
from refpos.diagnosis import explaining
from refpos.golden.run import inputs_of, outputs_of
from refpos.tensor_files import Tensor, write_safetensors

FREQUENCIES = ["inverse_frequencies", "axial_frequencies", "mrope_frequencies"]
XPOS = ["xpos", "xpos_table", "xpos_scale"]
LARGEST, SMALLEST = float(np.finfo(np.float32).max), float(np.finfo(np.float32).smallest_normal)


def beyond(case):
    """Whether float32 cannot hold what is on the way: positions, factors of xPos, or the powers of a base."""
    given = inputs_of(case)
    where = given["positions"].values if "positions" in given else case.arguments.get("positions")
    if case.suite in XPOS:
        options = {name: case.arguments[name] for name in angles.XPOS if name in case.arguments}
        found = refpos.rotary.xpos_scale(where, width_of(case, given), **{**options, "downscale": False})
        return bool(found.size) and not SMALLEST <= found.min() <= found.max() <= LARGEST
    if case.suite == "inverse_frequencies":
        return outputs_of(case, dtype="float64")["output"].values.min() < SMALLEST
    if case.suite == "sincos_grid":
        listed = [axis for axis in case.arguments["grid"] if isinstance(axis, list)]
        return any(abs(number) > LARGEST for axis in listed for number in axis)
    return "positions" in given and np.abs(where.astype(np.float64)).max(initial=0) > LARGEST


def width_of(case, given):
    if case.arguments.get("frequencies"):
        return case.arguments["frequencies"]["arguments"]["dim"]
    return case.arguments.get("dim") or case.arguments.get("rotary_dim") or given["x"].values.shape[-1]


def answer(case):
    """{output name: tensor} as float32 code gives it; 16-bit inputs are widened and results cut once."""
    kinds = dtypes(case)
    call = {name: value for name, value in case.arguments.items() if name not in ("dtype", "threads")}
    for name, tensor in inputs_of(case).items():
        values = tensor.values.view(ml_dtypes.bfloat16) if tensor.dtype == "bfloat16" else tensor.values
        # float64 queries are turned in float64 by the float32 tables
        call[name] = values.astype(np.float32) if name == "x" and values.dtype != np.float64 else values
    with np.errstate(all="ignore"):
        if case.suite in FREQUENCIES:
            inv_freq, factor, axes = angles.made({"function": case.suite, "arguments": call})
            found = inv_freq, factor, np.zeros(len(inv_freq), int) if axes is None else axes
            found = found[: len(kinds)]  # plain frequencies have no factor and no axes
        else:
            found = getattr(angles, case.suite)(**call)
        found = found if isinstance(found, (tuple, list)) else [found]
        return {name: cut(np.asarray(array), kind) for (name, kind), array in zip(kinds.items(), found, strict=True)}


def cut(array, dtype):
    if dtype == "bfloat16":
        return Tensor(dtype, array.astype(ml_dtypes.bfloat16).view(np.uint16))
    return Tensor(dtype, array.astype(dtype))


DTYPES = {}


def dtypes(case):
    """{output name: dtype} of a case, in the order in which they are returned."""
    if case.id not in DTYPES:
        DTYPES[case.id] = {name: tensor.dtype for name, tensor in outputs_of(case).items()}
    return DTYPES[case.id]


@cache
def golden_cases(suite):
    """Every case that float32 code can answer."""
    return [case for case in golden.cases(suite, tier="core") if not case.refusal and not beyond(case)]


def cases_of(suite):
    """Those of them that are small."""
    return [case for case in golden_cases(suite) if case.arguments.get("positions") != 4096]


def answers(cases):
    """{name: tensor} of every output of the cases."""
    return {f"{case.id}/{name}": tensor for case in cases for name, tensor in answer(case).items()}


@cache
def right_answers(suite):
    """What float32 code without a mistake gives."""
    return answers(golden_cases(suite))


def verified(tmp_path, cases, tensors, conformance):
    write_safetensors(tmp_path / "answers.safetensors", tensors)
    return golden.verify(tmp_path / "answers.safetensors", cases=[case.id for case in cases], conformance=conformance)


def wanted(suite):
    return "float32-power" if suite == "xpos_scale" else "float32-angle"


# -- mistakes ---------------------------------------------------------------------------------------------------------


def bfloat16(array):
    return array.astype(ml_dtypes.bfloat16).astype(np.float32)


def on_result(change):
    return lambda function: lambda *args, **given: change(function(*args, **given))


def of_thetas(change):
    return on_result(lambda made: (change(made[0]), *made[1:]))


def of_axes(change):
    return on_result(lambda made: (made[0], made[1], None if made[2] is None else change(made[2])))


def with_argument(**changes):
    """A function whose arguments are changed where they are given."""

    def changed(function):
        return lambda *args, **given: function(*args, **{**given, **{k: f(given.get(k)) for k, f in changes.items()}})

    return changed


def with_one_base(**changes):
    """A function called with other arguments; with a base for each axis there is no such call."""

    def changed(function):
        def call(*args, base=10000.0, **given):
            return function(*args, base=base, **given if isinstance(base, list) else {**given, **changes})

        return call

    return changed


ALONG = ["rope_table", "rope_2d", "rope_3d", "mrope"]
TURN = {0: 1, 1: 2, 2: 0}
OTHER = {"ceil": "floor", "floor": "ceil", "chunked": "interleaved", "interleaved": "chunked"}
#: what is wrong: a function of float32/angles.py, how it is changed, and the suites that show it
MISTAKES = {
    "inv_freq in bfloat16": (
        "inverse_frequencies", of_thetas(bfloat16), [*FREQUENCIES, *ALONG, "vjepa2_rope", "xdrope"]
    ),
    "inv_freq in float16": ("inverse_frequencies", of_thetas(lambda f: f.astype(np.float16).astype(np.float32)), ALONG),
    "positions in bfloat16": ("places", on_result(bfloat16), ["mrope", "xdrope", "vjepa2_rope"]),
    "coordinates in bfloat16": ("coordinates", on_result(bfloat16), ["rope_table", "rope_2d", "rope_3d", "sincos_3d"]),
    "angles in bfloat16": ("angles", on_result(lambda made: (bfloat16(made[0]), made[1])), ALONG),
    "axes of a grid exchanged": ("axial_frequencies", of_axes(lambda axes: axes.max() - axes), ["rope_2d", "rope_3d"]),
    "axes of sections exchanged": (
        "mrope_frequencies", of_axes(lambda axes: np.array([TURN[k] for k in axes])), ["mrope", "mrope_frequencies"]
    ),
    "sections interleaved and chunked exchanged": (
        "mrope_frequencies", with_argument(arrangement=lambda name: OTHER.get(name, name)), ["mrope"]
    ),
    "axes of sines exchanged": (
        "sincos_3d", with_argument(axis_order=lambda order: (order or "thw")[::-1]), ["sincos_3d"]
    ),
    "axes of cells exchanged": ("sincos_grid", with_argument(axis_order=lambda order: order[::-1]), ["sincos_grid"]),
    "kinds of each axis together": ("sincos_grid", with_argument(packing=lambda packing: "axes"), ["sincos_grid"]),
    "crops from the corner": ("cropped", with_argument(start=lambda start: 0), ["sincos_grid"]),
    "middles of cells left out": ("half_pixel", with_argument(offset=lambda offset: -0.5), ["rope_table", "rope_2d"]),
    "count one less": ("half_pixel", with_argument(count=lambda count: (count or 2) - 1), ["rope_2d"]),
    "centred the other way": ("centred", with_argument(rounding=OTHER.get), ["rope_table", "rope_3d"]),
    "whole turns left out": ("axial_frequencies", with_argument(times_pi=lambda number: None), ["rope_2d", "rope_3d"]),
    "the exponents of the whole width": (
        "axial_frequencies", with_one_base(allocation="sections"), ["rope_2d"]
    ),
    "frequencies without their axes": ("axial_frequencies", of_axes(np.zeros_like), ["rope_2d", "rope_3d"]),
    "weights in bfloat16": ("mixed_rope", with_argument(weight=bfloat16), ["mixed_rope"]),
    "axes of weights exchanged": ("mixed_rope", with_argument(weight=lambda weight: weight[::-1]), ["mixed_rope"]),
    "the other centre": ("xpos_scale", with_argument(centring=OTHER.get), ["xpos", "xpos_scale"]),
    "keys as queries": ("xpos_scale", with_argument(downscale=lambda downscale: False), XPOS[:2]),
    "positions not centred": ("xpos_scale", with_argument(length=lambda length: 0), XPOS),
    "factors in bfloat16": ("xpos_scale", on_result(bfloat16), XPOS),
    "gamma of another width": ("xpos_scale", with_argument(gamma=lambda gamma: 0.5 if gamma is None else 0.4), XPOS),
}  # fmt: skip


def moved(right, wrong):
    """Whether an answer differs by more than float32 rounds, in a format in which that shows."""
    if right.dtype not in ("float64", "float32", "int64"):
        return False
    with np.errstate(all="ignore"):
        one, other = (tensor.values.astype(np.float64) for tensor in (right, wrong))
        apart = np.abs(one - other) > 2.0**-10 * np.maximum(np.abs(one), 2.0**-5)
    return bool((apart & np.isfinite(one)).any())


@pytest.mark.exhaustive
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_fails_wherever_it_moves_a_value(tmp_path, monkeypatch, mistake):
    name, change, suites = MISTAKES[mistake]
    right = {suite: right_answers(suite) for suite in suites}
    # what the mistake is called is tested in tests/test_explanations.py
    monkeypatch.setattr(explaining, "explained", lambda failing: {})
    monkeypatch.setattr(angles, name, change(getattr(angles, name)))
    for suite in suites:
        wrong = answers(cases_of(suite))
        moving = {key.rpartition("/")[0] for key in wrong if moved(right[suite][key], wrong[key])}
        touched = [case for case in cases_of(suite) if case.id in moving]
        assert touched, suite
        wrong = {key: tensor for key, tensor in wrong.items() if key.rpartition("/")[0] in moving}
        result = verified(tmp_path, touched, wrong, wanted(suite))
        # float64 cases at positions beyond float32: no bound of float32 says anything there
        untold = [finding.id for finding in result.of("untold")]
        assert all(id.startswith("rope_table/hard-") and id.endswith("-f64") for id in untold), untold
        assert len(result.of("differs")) == len(touched) - len(untold) > 0, str(result)
