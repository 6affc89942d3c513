"""Answers of a framework to golden cases: python dump.py torch|jax|mlx|onnxruntime ANSWERS.npz"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from refpos import golden


def table(framework, positions, dim, base):
    """cos and sin as models compute them: frequencies and angles in float32."""
    exponents, positions = np.arange(0, dim, 2, dtype=np.float32) / dim, np.asarray(positions, np.float32)
    if framework == "torch":
        import torch as xp

        exponents, positions = xp.from_numpy(exponents), xp.from_numpy(positions)
    elif framework == "jax":
        import jax.numpy as xp
    else:
        import mlx.core as xp

        exponents, positions = xp.array(exponents), xp.array(positions)
    angles = positions[:, None] * (1.0 / base**exponents)
    return np.asarray(xp.cos(angles)), np.asarray(xp.sin(angles))


def tables(framework):
    answers = {}
    for case in golden.cases("rope_table", tier="core"):
        if "/telling-" in case.id and case.id.endswith("-f32"):
            held = golden.load(case.id)
            arguments = held.entry["arguments"]["frequencies"]["arguments"]
            made = table(framework, held.inputs["positions"].values, **arguments)
            answers |= {f"{case.id}/{name}": values for name, values in zip(("cos", "sin"), made, strict=True)}
    return answers


def rotations():
    """Each model of one RotaryEmbedding, run on the test data beside it."""
    import onnx
    import onnxruntime
    from onnx import numpy_helper

    answers, read = {}, lambda file: numpy_helper.to_array(onnx.load_tensor(file))
    with tempfile.TemporaryDirectory() as folder:
        golden.export(folder, format="onnx", cases="rope/*", dtype="float32")
        for model in Path(folder).glob("test_*/model.onnx"):
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            files = sorted(model.parent.glob("test_data_set_0/input_*.pb"))
            given = dict(zip((one.name for one in session.get_inputs()), map(read, files), strict=True))
            shape = (
                golden.load(id := f"rope/{model.parent.name.removeprefix('test_rope_')}").outputs["output"].values.shape
            )
            answers[f"{id}/output"] = session.run(None, given)[0].reshape(shape)
    return answers


if __name__ == "__main__":
    framework, path = sys.argv[1:]
    np.savez(path, **(rotations() if framework == "onnxruntime" else tables(framework)))
