"""Operators as tests of ONNX Runtime Web: the files of its js/web/test/data/ops, and their tolerances beside them."""

import os

from ...tensor_files import Tensor, write_atomically
from . import onnx_operators, tolerances, web_records
from .onnx_models import OPSET


def prepare():
    """Nothing is needed."""


def holds(case):
    """Whether a case is one of an operator, of numbers that JSON has."""
    return web_records.holds_rotation(case) or web_records.holds_attention(case)


def write(directory, suite, cases):
    """Write <suite>.jsonc, a test for each case, and <suite>.ulp.json, the tolerances of its outputs by its name."""
    tests, limits = [], []
    for case, inputs, outputs in cases:
        node = onnx_operators.node(case, inputs, outputs)
        tests.append(_test(case, node))
        bounds, names = tolerances.absolute(case, inputs, outputs), onnx_operators.OPERATORS[suite].outputs
        held = {name: web_records.tolerance(one, bounds[names[name]]) for name, one in node.outputs.items()}
        limits.append({"name": case.id, "outputs": [held.get(name) for name in node.slots()[1]]})
    files = {
        "jsonc": f"{web_records.head(suite)}\n{web_records.as_json(tests)}",
        "ulp.json": web_records.as_json(limits),
    }
    for end, text in files.items():
        write_atomically(os.path.join(directory, f"{suite.replace('_', '-')}.{end}"), [f"{text}\n".encode("ascii")])


def _test(case, node):
    """The test of a case in the form of op-test-schema.json."""
    left, right = node.slots()
    held = {
        "name": case.about,
        "inputs": [_value(node.inputs.get(name)) for name in left],
        "outputs": [_value(node.outputs.get(name)) for name in right],
    }
    attributes = [
        {"name": name, "data": value, "type": "float" if isinstance(value, float) else "int"}
        for name, value in node.attributes.items()
    ]
    opset = {"domain": node.domain, "version": 1 if node.domain else OPSET}
    return {"name": case.id, "operator": node.operator, "opset": opset, "attributes": attributes, "cases": [held]}


def _value(tensor: Tensor | None):
    """A tensor, or what stands for one that is left out."""
    if tensor is None:
        return {"data": None, "type": "float32"}
    return {"data": tolerances.numbers(tensor), "dims": list(tensor.values.shape), "type": tensor.dtype}
