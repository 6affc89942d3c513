"""The files that `generate` writes for torch, WebNN and ONNX Runtime Web, used as these projects use theirs."""

import importlib.util
import json
import subprocess
import sys
import types
import unittest
from collections import Counter
from functools import partial

import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper
from test_operator_exports import COUNTS, is_within, jsonc

from refpos import golden
from refpos.errors import InputError

FORMATS = ("torch", "webnn", "ort-web")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("exports")
    for format in FORMATS:
        golden.export(where / format, format=format)
    return where


# -- torch -------------------------------------------------------------------------------------------------------------

#: samples of each dtype
SAMPLES = {torch.float64: 6, torch.float32: 17, torch.float16: 10, torch.bfloat16: 9}


@pytest.fixture(scope="module")
def OpInfo():
    """That of torch, whose testing code asks for expecttest, a package of test cases that it needs for no sample."""
    with pytest.MonkeyPatch.context() as patch:
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        patch.setitem(sys.modules, "expecttest", stub)
        from torch.testing._internal.opinfo.core import OpInfo
    return OpInfo


@pytest.fixture(scope="module")
def samples(folder):
    return imported(folder / "torch" / "rotary_embedding_samples.py")


def imported(path):
    spec = importlib.util.spec_from_file_location("rotary_embedding_samples", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rotary_embedding(x, cos, sin, position_ids=None, *, interleaved=False):
    """The proposal, of which only text and tests are known here."""
    if position_ids is not None:
        cos, sin = cos[position_ids].unsqueeze(1), sin[position_ids].unsqueeze(1)
    one, other = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, dim=-1)
    parts = one * cos - other * sin, one * sin + other * cos
    return torch.stack(parts, dim=-1).flatten(-2) if interleaved else torch.cat(parts, dim=-1)


@pytest.mark.parametrize("dtype", SAMPLES)
def test_torch_iterates_the_samples(dtype, samples, OpInfo):
    info = OpInfo("nn.functional.rotary_embedding", op=rotary_embedding, dtypes=tuple(SAMPLES),
                  sample_inputs_func=samples.sample_inputs)  # fmt: skip
    forms = Counter()
    for sample in info.sample_inputs("cpu", dtype):
        assert sample.input.dtype is dtype and sample.input.ndim == 4
        assert samples.is_within(info(sample.input, *sample.args, **sample.kwargs), sample.name), sample.name
        forms[len(sample.args), sample.args[0].ndim] += 1
    assert forms.total() == SAMPLES[dtype]
    assert min(forms[form] for form in ((3, 2), (2, 4), (2, 2))) >= 1, "caches by ids, by sequence, and (seq, half)"


def wrong(planted, x, cos, sin, ids=None, *, interleaved):
    """The proposal with a mistake, or None where it makes no difference."""
    if planted == "pairing":
        return None if x.shape[-1] == 2 else rotary_embedding(x, cos, sin, ids, interleaved=not interleaved)
    if planted == "sign":
        return rotary_embedding(x, cos, -sin, ids, interleaved=interleaved)
    if planted == "ids":
        return None if ids is None or not ids.any() else rotary_embedding(x, cos, sin, ids * 0, interleaved=interleaved)
    if planted == "dtype":
        return rotary_embedding(x, cos, sin, ids, interleaved=interleaved).to(torch.complex64)
    if planted == "nan":
        return rotary_embedding(x, cos, sin, ids, interleaved=interleaved) * torch.nan
    narrow = torch.bfloat16 if x.dtype.itemsize == 4 else torch.float32
    if x.dtype.itemsize == 2:
        return None
    return rotary_embedding(*(one.to(narrow) for one in (x, cos, sin)), ids, interleaved=interleaved).to(x.dtype)


@pytest.mark.parametrize("planted", ["pairing", "sign", "ids", "dtype", "nan", "narrow"])
def test_a_mistake_fails_the_samples(planted, samples, OpInfo):
    failed = 0
    info = OpInfo("f", op=rotary_embedding, dtypes=tuple(SAMPLES), sample_inputs_func=samples.sample_inputs)
    for dtype in SAMPLES:
        for sample in info.sample_inputs("cpu", dtype):
            found = wrong(planted, sample.input, *sample.args, **sample.kwargs)
            if found is not None:
                assert not samples.is_within(found, sample.name), sample.name
                failed += 1
    assert failed >= 15


def test_the_samples_are_the_corpus(samples):
    """x and the result, bit for bit."""
    for held in samples.SAMPLES:
        case = golden.load(held["name"])
        for name, record in (("x", held["input"]), ("output", held["expected"])):
            wanted = {**case.inputs, **case.outputs}[name]
            bits = samples.tensor(record).view({2: torch.int16, 4: torch.int32, 8: torch.int64}[wanted.values.itemsize])
            found = bits.numpy().view(wanted.values.dtype)
            if wanted.values.ndim == 3:
                found = found.swapaxes(1, 2).reshape(wanted.values.shape)
            assert found.tobytes() == wanted.values.tobytes()
    assert len(samples.SAMPLES) == sum(SAMPLES.values())


def test_gradcheck_takes_the_samples(samples, OpInfo):
    info = OpInfo("f", op=rotary_embedding, dtypes=(torch.float64,), sample_inputs_func=samples.sample_inputs)
    for sample in info.sample_inputs("cpu", torch.float64, requires_grad=True):
        assert sample.input.requires_grad
        assert torch.autograd.gradcheck(partial(info, **sample.kwargs), (sample.input, *sample.args))


def test_no_samples_are_an_error(folder, tmp_path):
    text = (folder / "torch" / "rotary_embedding_samples.py").read_text()
    begin, _, end = text.partition("SAMPLES = ")
    (tmp_path / "empty.py").write_text(f"{begin}SAMPLES = []\n{end[end.index('if not SAMPLES') :]}")
    with pytest.raises(ValueError, match="SAMPLES must hold a sample, got none"):
        imported(tmp_path / "empty.py")
    with pytest.raises(InputError, match="must be one that holds a case"):
        golden.export(tmp_path, format="torch", cases="onnx_rotary_embedding/no-tokens-f32")


# -- WebNN -------------------------------------------------------------------------------------------------------------

#: what resources/utils.js and testharness.js of web-platform-tests provide; answers stand for the graph's
HARNESS = """
const answers = JSON.parse(require('fs').readFileSync(process.argv[2]));
globalThis.navigator = undefined;
const results = [];
const globals = {
  navigator: {ml: {}},
  MLGraphBuilder: class {},
  getContext: async () => ({}),
  test: (f) => f(),
  promise_test: (f, name) => results.push(f().then(() => [name, 'passed'], (error) => [name, String(error)])),
  assert_true: (value, message) => { if (value !== true) throw new Error(message); },
  assert_equals: (a, b, message) => { if (a !== b) throw new Error(message); },
  ulpDistance: (a, b, dataType) => {
    const order = (value) => {
      const bits = dataType === 'float16' ? value : new Uint32Array(Float32Array.of(value).buffer)[0];
      const sign = dataType === 'float16' ? 0x8000 : 0x80000000;
      return bits >= sign ? sign - bits : bits;
    };
    return Math.abs(order(a) - order(dataType === 'float16' ? half(b) : b));
  },
  float16AsUint16ToNumber: (bits) => {
    const e = (bits >> 10) & 31, m = bits & 1023, s = bits >> 15 ? -1 : 1;
    return e === 31 ? (m ? NaN : s * Infinity) : s * (e ? 1 + m / 1024 : m / 1024) * 2 ** ((e || 1) - 15);
  },
  buildAndExecuteGraph: async (context, builder, graph) => {
    const {descriptor, data} = graph.expectedOutputs.output;
    const answer = answers.shift();
    const output = descriptor.dataType === 'float16' ? Uint16Array.from(answer, half) : Float32Array.from(answer);
    return {result: {output}};
  },
};
const half = (value) => {  // of numbers that float16 has
  for (let bits = 0; bits < 0x7c00; bits++)
    if (globals.float16AsUint16ToNumber(bits) === Math.abs(value)) return value < 0 ? bits | 0x8000 : bits;
  return 0x7e00;
};
const source = require('fs').readFileSync(process.argv[3], 'utf8');
new Function(...Object.keys(globals), source)(...Object.values(globals));
Promise.all(results).then((all) => console.log(JSON.stringify(all)));
"""


def run_by_node(tmp_path, file, answers):
    """[(name, "passed" or what was wrong)] of the tests of a file, given what the graphs answer."""
    (tmp_path / "harness.js").write_text(HARNESS)
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    command = ["node", "harness.js", "answers.json", file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def webnn(folder):
    path = folder / "webnn" / "rotary_embedding_subgraph.https.any.js"
    text = path.read_text().partition("const rotaryEmbeddingTests = ")[2].partition(";\n\n")[0]
    return path, json.loads(text)


def test_node_runs_the_file_of_webnn(tmp_path, webnn):
    path, tests = webnn
    right = [test["graph"]["expectedOutputs"]["output"]["data"] for test in tests]
    assert run_by_node(tmp_path, path, right) == [[test["name"], "passed"] for test in tests]


@pytest.mark.parametrize("planted", ["beyond", "nan", "short"])
def test_the_file_of_webnn_notices(planted, tmp_path, webnn):
    """The last element beyond its tolerance, by one step more than ULPs admit or twice the bound, NaN, or absent."""
    path, tests = webnn
    answers = []
    for test in tests:
        output, limits = test["graph"]["expectedOutputs"]["output"], test["tolerance"]["output"]
        data = list(output["data"])
        value, ulp, atol = np.array(data[-1:], output["descriptor"]["dataType"]), limits["ulp"][-1], limits["atol"][-1]
        if planted == "beyond":
            kind = value.dtype.type
            for _ in range(0 if ulp is None else ulp + 1):
                value = np.nextafter(value, kind(np.inf))
            data[-1] = float((value + kind(2 * atol if ulp is None else 0))[0])
        answers.append(data[:-1] if planted == "short" else [*data[:-1], "NaN" if planted == "nan" else data[-1]])
    found = run_by_node(tmp_path, path, answers)
    assert len(found) >= 30 and all(said.startswith("Error") for _, said in found)


def test_a_file_of_webnn_without_tests_is_an_error(tmp_path, webnn):
    text = webnn[0].read_text()
    begin, _, rest = text.partition("const rotaryEmbeddingTests = ")
    (tmp_path / "empty.js").write_text(f"{begin}const rotaryEmbeddingTests = []{rest[rest.index(';') :]}")
    with pytest.raises(AssertionError, match="rotaryEmbeddingTests must hold a test, got none"):
        run_by_node(tmp_path, "empty.js", [])


# -- ONNX Runtime Web --------------------------------------------------------------------------------------------------

KINDS = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "int64": TensorProto.INT64,
         "int32": TensorProto.INT32, "bool": TensorProto.BOOL}  # fmt: skip
#: tests whose model ONNX Runtime 1.32.0 refuses on a CPU: docs/frameworks.md says how
REFUSED = {"onnx_rotary_embedding/longer-than-cache-f32", "onnx_attention/mask-batch-f32"}


def answered(test):
    """The outputs of ONNX Runtime for a test, as its runner makes a model of it: one node, inputs and outputs."""
    (held,) = test["cases"]
    sides = [[(f"{side}_{k}", one) for k, one in enumerate(held[side])] for side in ("inputs", "outputs")]
    attributes = {one["name"]: one["data"] for one in test["attributes"]}
    names = [[name if one["data"] is not None else "" for name, one in side] for side in sides]
    node = helper.make_node(test["operator"], *names, domain=test["opset"]["domain"], **attributes)
    given, results = (
        [helper.make_tensor_value_info(name, KINDS[one["type"]], one["dims"]) for name, one in side if one["data"]]
        for side in sides
    )
    imports = {"": 23, test["opset"]["domain"]: test["opset"]["version"]}
    imports = [helper.make_opsetid(*one) for one in imports.items()]
    model = helper.make_model(helper.make_graph([node], "test", given, results), opset_imports=imports, ir_version=11)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {name: array_of(one) for name, one in sides[0] if one["data"]})


def array_of(one):
    return np.array(one["data"], one["type"]).reshape(one["dims"])


@pytest.mark.parametrize("suite", COUNTS)
def test_onnxruntime_answers_the_jsonc_files(suite, folder):
    name, refused, ran = suite.replace("_", "-"), set(), 0
    tests, limits = (jsonc(folder / "ort-web" / f"{name}.{end}") for end in ("jsonc", "ulp.json"))
    for test, limit in zip(tests, limits, strict=True):
        try:
            found = answered(test)
        except Exception:  # whatever it raises that refuses a model
            refused.add(test["name"])
            continue
        asked = [(one, bound) for one, bound in zip(test["cases"][0]["outputs"], limit["outputs"], strict=True)
                 if one["data"] is not None]  # fmt: skip
        for array, (one, bound) in zip(found, asked, strict=True):
            assert is_within(array, array_of(one), bound), test["name"]
            moved = np.roll(array, 1)
            assert not is_within(moved, array_of(one), bound) or (moved == array).all()
        ran += 1
    here = {id for id in REFUSED if id.startswith(f"{suite}/")}
    assert refused == here and ran == COUNTS[suite] - len(here)
