"""docs/frameworks/dump.py, in each framework: what it writes passes, and what is wrong in it does not."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from refpos import golden

PAGE = Path(__file__).parents[2] / "docs"
CASES = {"torch": 3, "jax": 3, "mlx": 3, "onnxruntime": 141}


@pytest.fixture(scope="module")
def dump():
    spec = importlib.util.spec_from_file_location("dump", PAGE / "frameworks" / "dump.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("framework", CASES)
def test_the_answers_of_a_framework_pass(framework, dump, tmp_path):
    answers = dump.rotations() if framework == "onnxruntime" else dump.tables(framework)
    np.savez(tmp_path / "answers.npz", **answers)
    result = golden.verify(tmp_path / "answers.npz", only_answered=True)
    assert result and result.ran == CASES[framework] and result.met == "float32-angle"
    assert f"ran {CASES[framework]} of {CASES[framework]}: every case meets float32-angle" in (
        PAGE / "frameworks.md"
    ).read_text("utf-8")
    name = next(name for name in answers if "128" in name or "telling" in name)
    answers[name] = answers[name][..., ::-1]
    assert golden.verify(answers, cases=[name.rpartition("/")[0]]).exit_code == 1
