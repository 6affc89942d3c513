"""`generate --format webnn` and `ort-web`: their graphs, evaluated, give the corpus within tolerances that are its
bounds, counted again by exact fractions."""

import json
from fractions import Fraction

import numpy as np
import pytest
from tiers import sampled

from refpos import cli, golden
from refpos.errors import InputError
from refpos.golden.exports import FORMATS, ort_web_tests, tolerances, webnn_graphs
from refpos.golden.run import inputs_of, outputs_of
from refpos.tensor_files import tensor

ROTATION = "onnx_rotary_embedding"
INTEGERS = {"float32": np.int32, "float16": np.int16}
#: how many cases each file has
COUNTS = {
    "onnx_rotary_embedding": 37,
    "microsoft_rotary_embedding": 30,
    "onnx_attention": 14,
    "group_query_attention": 35,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("web")
    for format in ("webnn", "ort-web"):
        golden.export(where / format, format=format)
    return where


@pytest.fixture(scope="module")
def graphs(folder):
    return webnn_tests((folder / "webnn" / "rotary_embedding_subgraph.https.any.js").read_text())


def webnn_tests(text):
    """The array of the file of WebNN, which is JSON."""
    held = json.loads(text.partition("const rotaryEmbeddingTests = ")[2].partition(";\n\n")[0])
    assert held, "the file must hold a test"
    return held


def jsonc(path):
    """The array of a file whose comments are whole lines."""
    held = json.loads("".join(line for line in path.read_text().splitlines(True) if not line.startswith("//")))
    assert held, "the file must hold a test"
    return held


# -- the graph of WebNN ------------------------------------------------------------------------------------------------


def evaluated(graph, arithmetic=None):
    """The output of a graph, whose operators round to the format of x, or else to another arithmetic."""
    held = {name: array_of(one) for name, one in graph["inputs"].items()}
    if arithmetic:
        held = {name: one.astype(arithmetic) if one.dtype.kind == "f" else one for name, one in held.items()}
    for node in graph["operators"]:
        given = {name: value for part in node["arguments"] for name, value in part.items()}
        held[node["outputs"]] = OPERATORS[node["name"]](held, **given)
    return held["output"]


def array_of(one):
    return np.array(one["data"], one["descriptor"]["dataType"]).reshape(one["descriptor"]["shape"])


def sliced(held, input, starts, sizes):
    """Refused where it would go beyond the tensor, as WebNN does."""
    whole = held[input]
    assert len(starts) == len(sizes) == whole.ndim
    assert all(0 < size and start + size <= room for start, size, room in zip(starts, sizes, whole.shape, strict=True))
    return whole[tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))]


def gathered(held, input, indices, options):
    rows = held[indices]
    assert rows.dtype == np.int32 and rows.min() >= 0
    return held[input].take(rows, axis=options["axis"])


OPERATORS = {
    "reshape": lambda held, input, newShape: held[input].reshape(newShape),
    "gather": gathered,
    "slice": sliced,
    "concat": lambda held, inputs, axis: np.concatenate([held[name] for name in inputs], axis),
    "mul": lambda held, a, b: held[a] * held[b],
    "sub": lambda held, a, b: held[a] - held[b],
    "add": lambda held, a, b: held[a] + held[b],
}


def ordered(array):
    """Integers in the order of the numbers, both zeros on 0."""
    bits = array.view(INTEGERS[array.dtype.name]).astype(np.int64)
    return np.where(bits < 0, -(bits & np.iinfo(INTEGERS[array.dtype.name]).max), bits)


def is_within(found, expected, limits):
    """Whether an output has the shape and dtype, and each element is within its ULPs, or its bound where these are
    null."""
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return False
    assert len(limits["ulp"]) == len(limits["atol"]) == expected.size > 0
    steps = np.abs(ordered(found) - ordered(expected)).reshape(-1).tolist()
    apart = np.abs(found.astype(np.float64) - expected.astype(np.float64)).reshape(-1).tolist()
    rows = zip(steps, apart, limits["ulp"], limits["atol"], strict=True)
    return all(away <= atol if ulp is None else step <= ulp for step, away, ulp, atol in rows)


def test_the_graphs_give_the_rotations(graphs):
    counted = {"float32": 0, "float16": 0}
    for test in graphs:
        expected, limits = array_of(test["graph"]["expectedOutputs"]["output"]), test["tolerance"]["output"]
        case = golden.load(test["name"])
        assert tensor(expected).values.tobytes() == case.outputs["output"].values.tobytes()
        assert is_within(evaluated(test["graph"]), expected, limits), test["name"]
        fused = evaluated(test["graph"], np.float64).astype(expected.dtype)
        assert is_within(fused, expected, limits), f"{test['name']}, fewer roundings"
        mentioned = [v for node in test["graph"]["operators"] for part in node["arguments"] for v in part.values()]
        assert all(mentioned.count(name) == 1 for name in test["graph"]["inputs"]), "the harness would make it twice"
        counted[expected.dtype.name] += 1
    assert len(graphs) == COUNTS[ROTATION] and min(counted.values()) >= 10


def test_every_input_of_a_graph_is_that_of_the_case(graphs):
    for test in graphs:
        case = golden.load(test["name"])
        held = {name: array_of(one) for name, one in test["graph"]["inputs"].items()}
        assert held.keys() == case.inputs.keys()
        for name, array in held.items():
            wanted = case.inputs[name].values
            assert array.tobytes() == wanted.astype(array.dtype).tobytes() and (array == wanted).all()


FAULTS = ["sin", "first", "second", "rows", "pairs", "late", "one number", "shape"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_graph_is_noticed(fault, graphs):
    noticed = 0
    for test in graphs:
        if np.prod(test["graph"]["inputs"]["cos_cache"]["descriptor"]["shape"]) < 8:
            continue  # a head of two channels has one pairing only
        graph = json.loads(json.dumps(test["graph"]))
        expected, limits = array_of(graph["expectedOutputs"]["output"]), test["tolerance"]["output"]
        found = planted(fault, graph)
        if found is not None:
            assert not is_within(found, expected, limits), test["name"]
            noticed += 1
    assert noticed >= 10


def planted(fault, graph):
    """The output of a graph with a fault, or None where it has no place for it."""
    by_output = {node["outputs"]: node for node in graph["operators"]}
    if fault == "sin":
        graph["inputs"]["sin_cache"]["data"] = [-one for one in graph["inputs"]["sin_cache"]["data"]]
    if fault in ("first", "second"):
        by_output[fault]["name"] = {"first": "add", "second": "sub"}[fault]
    if fault == "rows":
        if "position_ids" not in graph["inputs"]:
            return None
        graph["inputs"]["position_ids"]["data"] = [0] * len(graph["inputs"]["position_ids"]["data"])
    if fault == "pairs":
        if by_output["rotated"]["arguments"][1]["axis"] != 3:
            return None
        by_output["rotated"]["arguments"][0]["inputs"].reverse()
    if fault == "late":
        graph["inputs"]["x"]["data"] = np.roll(graph["inputs"]["x"]["data"], 1).tolist()
    found = evaluated(graph)
    if fault == "one number":
        found.flat[-1] = found.flat[-1] * 1.01
    return found.reshape(-1) if fault == "shape" else found


# -- the tolerances ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", sampled(sorted(COUNTS, reverse=True), len(COUNTS)))
def test_the_ulps_are_the_bounds_counted_by_fractions(suite):
    """The last number within the bound is so many steps away on one side, and none is farther on either."""
    told = null = 0
    for case in filter(ort_web_tests.holds, golden.cases(suite, tier="core")):
        outputs = outputs_of(case)
        limits = tolerances.absolute(case, inputs_of(case), outputs)
        for name, limit in limits.items():
            counts = tolerances.ulps(outputs[name], limit)
            for value, bound, count in zip(outputs[name].values.flat, limit.flat, counts, strict=True):
                bound = Fraction(float(bound))
                assert (count is None) == (bound > abs(Fraction(float(value))) / 2)
                if count is None:
                    null += 1
                    continue
                inside = [is_inside(value, side * count, bound) for side in (1, -1)]
                beyond = [is_inside(value, side * (count + 1), bound) for side in (1, -1)]
                assert any(inside) and not any(beyond), (case.id, name, value, count)
                told += 1
    assert told > 500 and (null > 0 or suite == "onnx_attention")


def is_inside(value, steps, bound):
    """Whether the number so many steps away is within the bound; NumPy steps, fractions compare."""
    other = value
    for _ in range(abs(steps)):
        other = np.nextafter(other, value.dtype.type(np.copysign(np.inf, steps)))
    return bool(np.isfinite(other)) and abs(Fraction(float(other)) - Fraction(float(value))) <= bound


# -- the files of ONNX Runtime Web -------------------------------------------------------------------------------------


def test_the_jsonc_files_hold_the_cases(folder):
    for suite, count in COUNTS.items():
        name = suite.replace("_", "-")
        tests, limits = jsonc(folder / "ort-web" / f"{name}.jsonc"), jsonc(folder / "ort-web" / f"{name}.ulp.json")
        assert [test["name"] for test in tests] == [limit["name"] for limit in limits] and len(tests) == count
        for test, limit in zip(tests, limits, strict=True):
            assert test.keys() == {"name", "operator", "opset", "attributes", "cases"}
            (held,) = test["cases"]
            assert held.keys() == {"name", "inputs", "outputs"}
            case = golden.load(test["name"])
            (output, *_), (bound, *_) = held["outputs"], limit["outputs"]
            array = np.array(output["data"], output["type"]).reshape(output["dims"])
            assert array.tobytes() == case.outputs["output"].values.tobytes()
            assert is_within(array, array, bound)
            given = [one for one in held["inputs"] if one["data"] is not None]
            assert sorted(len(one["data"]) for one in given) == sorted(one.values.size for one in case.inputs.values())
            assert all(len(one["data"]) == np.prod(one["dims"]) for one in given)


def test_what_the_files_leave_out(graphs):
    """Numbers that JSON does not have, formats that neither project has, sums of products beyond the largest number,
    and subnormal numbers of float32, whose bounds admit all others of the case."""
    left = {case.id for case in golden.cases(ROTATION, tier="core") if not case.refusal}
    left -= {test["name"] for test in graphs}
    named = {id.partition("/")[2] for id in left if not id.endswith(("-bf16", "-f64")) and "float64" not in id}
    assert named == {"specials-f32", "specials-f16", "extreme-f32", "extreme-f16", "no-tokens-f32", "no-batch-f32",
                     "wide-cache-f16", "tiny-f32"}  # fmt: skip


def test_nothing_to_write_is_an_error(tmp_path):
    for format in ("torch", "webnn", "ort-web"):
        with pytest.raises(InputError, match=f"must be one that holds a case that is chosen, got '{format}'"):
            golden.export(tmp_path / "none", format=format, suites="alibi_slopes")
    assert not (tmp_path / "none").exists()


def test_a_number_that_json_does_not_have_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(webnn_graphs, "holds", lambda case: True)
    with pytest.raises(ValueError, match="JSON"):
        golden.export(tmp_path, format="webnn", cases=f"{ROTATION}/specials-f32")


def test_the_command_has_every_format(tmp_path, capsys):
    for format in ("torch", "webnn", "ort-web"):
        assert cli.main(["generate", str(tmp_path), "--format", format, "--case", f"{ROTATION}/square-f32"]) == 0
        assert "wrote 1 golden cases" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["generate", str(tmp_path), "--format", "none"])
    known = capsys.readouterr().err.partition("choose from ")[2]
    assert all(name in known for name in ("json", "npz", *FORMATS))
