"""What the exports for the web share: which cases they have, and the tolerances of an output."""

import json

from ..format import SAMPLED
from ..read import read_lock, suite_version
from ..run import inputs_of, outputs_of
from . import onnx_operators, tolerances

#: the formats that both WebNN and ONNX Runtime Web have
ROTATED = ("float32", "float16")
ROTATIONS = ("onnx_rotary_embedding", "microsoft_rotary_embedding")


def holds_rotation(case):
    """Whether a case is a rotation of one of their formats, of numbers that JSON has and whose sums are finite."""
    if case.suite not in ROTATIONS or case.refusal:
        return False
    inputs = inputs_of(case)
    known = inputs["x"].dtype in ROTATED and inputs["x"].values.size <= SAMPLED
    return known and tolerances.rotates_within(inputs) and tolerances.tell(case, inputs, outputs_of(case))


def holds_attention(case):
    """Whether a case is attention of finite numbers in float32, whose classes have no arithmetic of 16 bits, with its
    first output, which an operator always has."""
    if case.suite in ROTATIONS or case.suite not in onnx_operators.OPERATORS or not onnx_operators.holds(case):
        return False
    inputs, kind = inputs_of(case), case.arguments.get("dtype", "float32")
    floats = {one.dtype for one in inputs.values()} - {"int64"}
    if {*floats, kind} != {"float32"}:
        return False
    outputs = outputs_of(case)
    finite = "output" in outputs and all(map(tolerances.are_finite, (inputs, outputs)))
    return finite and tolerances.tell(case, inputs, outputs)


def tolerance(tensor, limit):
    """The bounds of an output: "ulp", a count or null for each element, and "atol", a number for each."""
    return {"ulp": tolerances.ulps(tensor, limit), "atol": limit.reshape(-1).tolist()}


def head(suite):
    """The line that says where the numbers are from."""
    return f"// refpos, golden values {suite_version(read_lock(), suite)} of {suite}, CC0-1.0"


def as_json(records):
    """The records as a JSON array, one on each line; numbers that are not finite raise."""
    return "[\n" + ",\n".join(json.dumps(one, allow_nan=False) for one in records) + "\n]"
