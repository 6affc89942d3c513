"""onnxruntime: its RotaryEmbedding operator, with a float32 cache made ready."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from .with_numpy import cache

LIBRARY = "onnxruntime"
KINDS = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


def peers(work, job):
    if work.kind == "rope" and work.dtype in KINDS:
        yield "onnxruntime, ready cache", _rope(work, **job.inputs)


def _rope(work, x, positions, dim, pairing):
    cos, sin = cache(positions, dim, work.dtype)
    kind = KINDS[work.dtype]
    names = "x", "at", "cos", "sin"
    node = helper.make_node("RotaryEmbedding", names, ["y"], domain="com.microsoft", interleaved=pairing != "half")
    inputs = [
        helper.make_tensor_value_info("x", kind, x.shape),
        helper.make_tensor_value_info("at", TensorProto.INT64, (1, len(positions))),
        helper.make_tensor_value_info("cos", kind, cos.shape),
        helper.make_tensor_value_info("sin", kind, sin.shape),
    ]
    graph = helper.make_graph([node], "rotary", inputs, [helper.make_tensor_value_info("y", kind, x.shape)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feed = {"x": x, "at": np.arange(len(positions))[None], "cos": cos, "sin": sin}
    return lambda: session.run(None, feed)[0]
