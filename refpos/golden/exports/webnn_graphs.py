"""Rotations as graphs of WebNN, which has no operator for them: a test file of web-platform-tests."""

import os

from ...operators._rotary import heads_of
from ...tensor_files import Tensor, write_atomically
from ..run import arguments_of
from . import tolerances, web_records

SUITE = "onnx_rotary_embedding"
FILE = """// META: title=test WebNN API rotary embedding subgraph
// META: global=window,worker
// META: variant=?cpu
// META: variant=?gpu
// META: variant=?npu
// META: script=../resources/utils.js
// META: timeout=long
%s

'use strict';

const rotaryEmbeddingTests = %s;

// ulp counts ULPs for each element; where it is null the number is small beside its terms, and atol, an absolute
// difference, holds, as it does where an output was cast to another type.
const assertWithin = (actual, {data, descriptor}, {ulp, atol}) => {
  const {dataType, castedType} = descriptor;
  assert_equals(actual.length, data.length, 'number of elements');
  for (let i = 0; i < data.length; i++) {
    const value = (castedType || dataType) === 'float16' && actual instanceof Uint16Array ?
        float16AsUint16ToNumber(actual[i]) :
        actual[i];
    const distance =
        ulp[i] === null || castedType ? null : Number(ulpDistance(actual[i], data[i], dataType));
    assert_true(
        distance === null ? Math.abs(value - data[i]) <= atol[i] : distance <= ulp[i],
        `element ${i}: ${value} should be ${data[i]} within ${ulp[i]} ULP or ${atol[i]}`);
  }
};

if (rotaryEmbeddingTests.length === 0) {
  throw new Error('rotaryEmbeddingTests must hold a test, got none');
}

if (navigator.ml) {
  rotaryEmbeddingTests.forEach(({name, graph, tolerance}) => {
    promise_test(async () => {
      const context = await getContext();
      const {result} = await buildAndExecuteGraph(context, new MLGraphBuilder(context), graph);
      assertWithin(result.output, graph.expectedOutputs.output, tolerance.output);
    }, name);
  });
} else {
  test(() => assert_implements(navigator.ml, 'missing navigator.ml'));
}
"""


def prepare():
    """Nothing is needed."""


def holds(case):
    """Whether a case is a rotation that the operators of WebNN compute."""
    return case.suite == SUITE and web_records.holds_rotation(case)


def write(directory, suite, cases):
    """Write the test file."""
    records = web_records.as_json(_record(case, inputs, outputs) for case, inputs, outputs in cases)
    text = FILE % (web_records.head(suite), records)
    write_atomically(os.path.join(directory, "rotary_embedding_subgraph.https.any.js"), [text.encode("ascii")])


def _record(case, inputs, outputs):
    """The test of a case: its name, its graph, and the tolerances of its output."""
    output, limits = outputs["output"], tolerances.absolute(case, inputs, outputs)
    ids = inputs.get("position_ids")
    given = dict(inputs) if ids is None else {**inputs, "position_ids": Tensor("int32", ids.values)}
    graph = {
        "inputs": {name: {**_operand(one), "constant": False} for name, one in given.items()},
        "operators": operators(inputs, arguments_of(case)),
        "expectedOutputs": {"output": _operand(output)},
    }
    return {
        "name": case.id,
        "graph": graph,
        "tolerance": {"output": web_records.tolerance(output, limits["output"])},
    }


def _operand(tensor):
    shape = list(tensor.values.shape)
    return {"data": tolerances.numbers(tensor), "descriptor": {"shape": shape, "dataType": tensor.dtype}}


# -- the graph ---------------------------------------------------------------------------------------------------------


def operators(inputs, arguments):
    """The operators of a rotation in order; the last one gives "output".

    Each input is read by one operator, because the harness makes an operand each time that it is mentioned.
    """
    x, half = inputs["x"].values, inputs["cos_cache"].values.shape[-1]
    nodes = []
    count = heads_of(x, arguments["num_heads"])
    *ahead, size = x.shape if x.ndim == 4 else (*x.shape[:2], count, x.shape[2] // count)
    heads = _node(nodes, "reshape", "heads", {"input": "x"}, {"newShape": [*ahead, size]})
    tables = _tables(nodes, inputs, x.ndim == 4, [1] * arguments["interleaved"])
    parts = _pairs(nodes, heads, ahead, half, size, arguments["interleaved"])
    (c, s), (one, other) = tables, parts
    terms = [
        _node(nodes, "mul", f"{part}_{table}", {"a": part}, {"b": table}) for part in (one, other) for table in (c, s)
    ]
    first = _node(nodes, "sub", "first", {"a": terms[0]}, {"b": terms[3]})
    second = _node(nodes, "add", "second", {"a": terms[2]}, {"b": terms[1]})
    axis = 3 + arguments["interleaved"]
    rotated = _node(nodes, "concat", "rotated", {"inputs": [first, second]}, {"axis": axis})
    if arguments["interleaved"]:
        rotated = _node(nodes, "reshape", "joined", {"input": rotated}, {"newShape": [*ahead, 2 * half]})
    if 2 * half < size:
        kept = _slice(nodes, "kept", heads, [0, 0, 0, 2 * half], [*ahead, size - 2 * half])
        rotated = _node(nodes, "concat", "whole", {"inputs": [rotated, kept]}, {"axis": 3})
    _node(nodes, "reshape", "output", {"input": rotated}, {"newShape": list(x.shape)})
    return nodes


def _tables(nodes, inputs, is_heads_first, pair):
    """The names of cosines and sines, (batch, 1, seq, half) or (batch, seq, 1, half), and one more axis for pairs."""
    half = inputs["cos_cache"].values.shape[-1]
    batch, seq = inputs["position_ids" if "position_ids" in inputs else "cos_cache"].values.shape[:2]
    shape = [batch, 1, seq, half] if is_heads_first else [batch, seq, 1, half]
    names = ["cos_cache", "sin_cache"]
    if "position_ids" in inputs:
        ids = _node(nodes, "reshape", "rows", {"input": "position_ids"}, {"newShape": [batch, seq]})
        names = [
            _node(nodes, "gather", f"{name}_rows", {"input": name}, {"indices": ids}, {"options": {"axis": 0}})
            for name in names
        ]
    return [
        _node(nodes, "reshape", output, {"input": name}, {"newShape": [*shape, *pair]})
        for output, name in zip(("cos", "sin"), names)
    ]


def _pairs(nodes, heads, ahead, half, size, interleaved):
    """The names of both channels of the pairs that are rotated."""
    if not interleaved:
        return [_slice(nodes, name, heads, [0, 0, 0, k * half], [*ahead, half]) for k, name in enumerate(("x1", "x2"))]
    leading = heads if 2 * half == size else _slice(nodes, "leading", heads, [0, 0, 0, 0], [*ahead, 2 * half])
    pairs = _node(nodes, "reshape", "pairs", {"input": leading}, {"newShape": [*ahead, half, 2]})
    return [_slice(nodes, name, pairs, [0, 0, 0, 0, k], [*ahead, half, 1]) for k, name in enumerate(("x1", "x2"))]


def _slice(nodes, output, name, starts, sizes):
    return _node(nodes, "slice", output, {"input": name}, {"starts": starts}, {"sizes": sizes})


def _node(nodes, name, output, *arguments):
    """Append an operator; the name of its output."""
    nodes.append({"name": name, "arguments": list(arguments), "outputs": output})
    return output
