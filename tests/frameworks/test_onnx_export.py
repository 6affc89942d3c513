"""The exported models of ONNX: onnxruntime and the reference evaluator of onnx give the golden rotations."""

import mpmath
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from refpos import golden
from refpos.golden.discover import output_dtype
from refpos.golden.exports import onnx_models
from refpos.golden.run import outputs_of
from refpos.tensor_files import tensor

CASES = [case for case in golden.cases("rope", tier="core") if onnx_models.holds(case)]
#: what the CPU kernels of onnxruntime have no code for
RUNS = {"float32": ("onnxruntime", "onnx"), "float16": ("onnx",), "bfloat16": ("onnx",)}
UNITS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
SMALLEST = {2.0**-24: 2.0**-149, 2.0**-11: 2.0**-24, 2.0**-8: 2.0**-133}
LARGEST = {2.0**-24: 2.0**127, 2.0**-11: 2.0**15, 2.0**-8: 2.0**127}
#: how many runs of each there are at least
LEAST = {"float32": 200, "float16": 8, "bfloat16": 12}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("onnx")
    held = [case for case in golden.cases(tier="core") if onnx_models.holds(case)]
    assert golden.export(where, format="onnx") == len(held) > len(CASES) > 100
    return where


def loaded(path):
    """The array of a file of test data, with its name."""
    held = onnx.TensorProto()
    held.ParseFromString(path.read_bytes())
    return held.name, numpy_helper.to_array(held)


def runners(model, dtype):
    for name in RUNS[dtype]:
        if name == "onnx":
            yield ReferenceEvaluator(model)
        else:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 3
            yield onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def assert_within_rounding(found, feeds, expected, unit):
    """Four roundings of a term, and one of the expected value: cache, product, sum, and the store of a narrow dtype.

    |error| <= 5 u (|x1 cos| + |x2 sin|) (1 + 5 u), and what underflows; each term is at most the largest of its row.
    """
    wide = {name: np.abs(array.astype(np.float64)) for name, array in feeds.items()}
    known = np.isfinite(wide["X"])
    largest = np.max(wide["X"], axis=-1, keepdims=True, where=known, initial=0)
    largest = largest * max(wide["cos_cache"].max(), wide["sin_cache"].max())
    limit = 5 * unit * (1 + 5 * unit) * 2 * largest + 8 * SMALLEST[unit]
    found, expected = (array.astype(np.float64) for array in (found, expected))
    finite = np.isfinite(expected) & np.isfinite(found)
    assert finite.any() and (np.abs(found - expected) <= limit)[finite].all()
    # a number may overflow where a sum of the others stays below the largest, or is rounded to infinity; what is
    # infinite or NaN gives others such
    may = (largest * 2 > LARGEST[unit]) | ~known.all(axis=-1, keepdims=True)
    assert may[~finite.all(axis=-1, keepdims=True)].all()


@pytest.mark.parametrize("dtype", RUNS)
def test_the_operator_gives_the_golden_rotations(dtype, folder):
    ran = 0
    for case in (case for case in CASES if output_dtype(case) == dtype):
        where = folder / f"test_rope_{case.id.partition('/')[2]}"
        model = onnx.load(where / "model.onnx")
        onnx.checker.check_model(model, full_check=True)
        feeds = dict(loaded(path) for path in sorted((where / "test_data_set_0").glob("input_*.pb")))
        name, expected = loaded(where / "test_data_set_0" / "output_0.pb")
        assert list(feeds) == ["X", "cos_cache", "sin_cache", "position_ids"] and name == "Y"
        held = tensor(expected)
        assert held.dtype == dtype and held.values.tobytes() == outputs_of(case)["output"].values.tobytes()
        for runner in runners(model, dtype):
            (found,) = runner.run(None, feeds)
            assert found.shape == expected.shape and tensor(found).dtype == dtype
            assert_within_rounding(found, feeds, expected, UNITS[dtype])
            ran += 1
    assert ran >= LEAST[dtype]


@pytest.mark.parametrize("planted", ["sin", "pairing", "rows"])
def test_a_wrong_model_is_noticed(planted, folder):
    where = folder / "test_rope_telling-half-f32"
    model = onnx.load(where / "model.onnx")
    feeds = dict(loaded(path) for path in sorted((where / "test_data_set_0").glob("input_*.pb")))
    _, expected = loaded(where / "test_data_set_0" / "output_0.pb")
    if planted == "sin":
        feeds["sin_cache"] = -feeds["sin_cache"]
    if planted == "rows":
        feeds["position_ids"] = feeds["position_ids"][:, ::-1].copy()
    if planted == "pairing":
        model.graph.node[0].attribute[0].i = 1
    (found,) = next(runners(model, "float32")).run(None, feeds)
    with pytest.raises(AssertionError):
        assert_within_rounding(found, feeds, expected, UNITS["float32"])


def test_the_caches_are_not_random(folder):
    """Cosines and sines of positions up to 2**31, by mpmath."""
    feeds = dict(
        loaded(path) for path in (folder / "test_rope_telling-half-f32" / "test_data_set_0").glob("input_*.pb")
    )
    positions = golden.load("rope/telling-half-f32").inputs["positions"].values
    assert positions.max() > 2**30
    with mpmath.workdps(60):
        for row, position in enumerate(positions.tolist()):
            for k in range(4):
                angle = position * mpmath.mpf(10000) ** (-mpmath.mpf(2 * k) / 8)
                for name, exact in (("cos_cache", mpmath.cos(angle)), ("sin_cache", mpmath.sin(angle))):
                    assert feeds[name][row, k] == np.float32(float(exact))
