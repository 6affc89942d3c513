"""Golden cases of operators as nodes of ONNX: their attributes, inputs and outputs under the names of the operator."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import catalogue
from ...tensor_files import Tensor
from ..format import SAMPLED
from ..run import argument, inputs_of

#: dtype -> its number in TensorProto
CODES = {"float64": 11, "float32": 1, "float16": 10, "bfloat16": 16, "int64": 7}
#: what RotaryEmbedding rotates
ROTATED = ("float32", "float16", "bfloat16")


class Operator(NamedTuple):
    """Domain, name, the dtypes of its T, its inputs in order as {name: argument}, and the names of its outputs."""

    domain: str
    name: str
    dtypes: tuple[str, ...]
    inputs: dict[str, str]
    outputs: dict[str, str]


class Node(NamedTuple):
    """One operator with its tensors."""

    domain: str
    operator: str
    attributes: dict[str, Any]
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]


CACHES = {"cos_cache": "cos_cache", "sin_cache": "sin_cache"}
OPERATORS = {
    "onnx_rotary_embedding": Operator(
        "", "RotaryEmbedding", ROTATED, {"X": "x", **CACHES, "position_ids": "position_ids"}, {"Y": "output"}
    ),
    "microsoft_rotary_embedding": Operator(
        "com.microsoft",
        "RotaryEmbedding",
        ROTATED,
        {"input": "x", "position_ids": "position_ids", **CACHES},
        {"output": "output"},
    ),
}


def holds(case):
    """Whether a case has values, its floats one of the dtypes of the operator, and no tensor that is empty or held as a
    sample."""
    if case.refusal:
        return False
    kinds = {one.dtype for one in case.inputs.values() if one.dtype != "int64"}
    sizes = [tensor.values.size for tensor in inputs_of(case).values()]
    return len(kinds) == 1 and kinds <= {*OPERATORS[case.suite].dtypes} and 0 < min(sizes) and max(sizes) <= SAMPLED


def node(case, inputs, outputs):
    """The `Node` of a case of an operator."""
    operator, defaults = OPERATORS[case.suite], catalogue.find(case.suite).defaults
    given = {name: inputs[known] for name, known in operator.inputs.items() if known in inputs}
    attributes = {name: argument(value) for name, value in case.arguments.items() if value != defaults[name]}
    result = {name: outputs[known] for name, known in operator.outputs.items()}
    return Node(operator.domain, operator.name, attributes, given, result)
