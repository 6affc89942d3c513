"""Golden cases of operators as nodes of ONNX: their attributes, inputs and outputs under the names of the operator."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import catalogue
from ...operators._grouped import OUTPUTS, TENSORS
from ...operators._window_cache import resident
from ...tensor_files import Tensor
from ..format import SAMPLED
from ..run import argument, inputs_of

#: dtype -> its number in TensorProto
CODES = {"float64": 11, "float32": 1, "float16": 10, "bfloat16": 16, "int64": 7, "int32": 6, "bool": 9}
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

    def slots(self):
        """The names of its inputs and of its outputs in order, "" for one that is left out between others; what comes
        first is always made."""
        known = [one for one in OPERATORS.values() if (one.domain, one.name) == (self.domain, self.operator)]
        left, right = ([*names] for names in (known[0].inputs, known[0].outputs))
        return _without_gaps(left, self.inputs), _without_gaps(right, {right[0], *self.outputs})


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
    "onnx_attention": Operator(
        "",
        "Attention",
        ("float64", *ROTATED),
        {"Q": "q", "K": "k", "V": "v", **{name: name for name in ("attn_mask", "past_key", "past_value")}},
        {"Y": "output", **{name: name for name in ("present_key", "present_value", "qk_matmul_output")}},
    ),
    "group_query_attention": Operator(
        "com.microsoft",
        "GroupQueryAttention",
        ROTATED,
        {name: name for name in TENSORS},
        {name: name for name in OUTPUTS},
    ),
}
#: attributes that are floats
FLOATS = ("scale", "softcap")
#: inputs whose integers are of 32 bits
LENGTHS = ("seqlens_k", "total_sequence_length")
#: arguments that are no attributes
LEFT_OUT = ("dtype", "outputs")


def holds(case):
    """Whether a case has values, its floats one of the dtypes of the operator, no tensor that is empty or held as a
    sample, and no row that the operator leaves open."""
    if case.refusal or not _fills_its_cache(case):
        return False
    kinds = {one.dtype for one in case.inputs.values() if one.dtype != "int64"}
    sizes = [tensor.values.size for tensor in inputs_of(case).values()]
    kinds |= {case.arguments["dtype"]} if "dtype" in case.arguments else set()
    return len(kinds) == 1 and kinds <= {*OPERATORS[case.suite].dtypes} and 0 < min(sizes) and max(sizes) <= SAMPLED


def _fills_its_cache(case):
    """Whether a cache of a window holds as many tokens as it has rows: what is in the others is left open."""
    if not case.arguments.get("sliding_window_cache"):
        return True
    inputs = {name: tensor.values for name, tensor in inputs_of(case).items()}
    capacity = inputs["past_key"].shape[2]
    return bool((resident(inputs["seqlens_k"] + 1, capacity, case.arguments["local_window_size"]) == capacity).all())


def node(case, inputs, outputs):
    """The `Node` of a case of an operator."""
    operator, defaults = OPERATORS[case.suite], catalogue.find(case.suite).defaults
    held = {known: _as_mask(known, as_lengths(known, tensor)) for known, tensor in inputs.items()}
    given = {name: held[known] for name, known in operator.inputs.items() if known in held}
    arguments = {name: value for name, value in case.arguments.items() if name not in LEFT_OUT}
    attributes = {
        name: argument(value) for name, value in arguments.items() if value is not None and value != defaults.get(name)
    }
    attributes = {name: float(value) if name in FLOATS else value for name, value in attributes.items()}
    result = {name: outputs[known] for name, known in operator.outputs.items() if known in outputs}
    return Node(operator.domain, operator.name, attributes, given, result)


def _as_mask(name, tensor):
    """The tensor, of which integers of a mask are bool."""
    return Tensor("bool", tensor.values.astype(bool)) if (name, tensor.dtype) == ("attn_mask", "int64") else tensor


def as_lengths(name, tensor):
    """The tensor, of which lengths are integers of 32 bits."""
    return Tensor("int32", tensor.values.astype("int32")) if name in LENGTHS else tensor


def _without_gaps(names, present):
    """The names up to the last that is present, "" for others."""
    last = max(k for k, name in enumerate(names) if name in present)
    return [name if name in present else "" for name in names[: last + 1]]
