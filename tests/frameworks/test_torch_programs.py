"""The torch programs that the site shows: each meets the error bounds of its function, and a changed one does not."""

import ast
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import refpos
from refpos import catalogue

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "docs" / "site"))

import torch_programs

AT = np.array([0, 1, 2, 10, 257, 4095])
X = np.random.default_rng(1).standard_normal((2, 6, 16)).astype(np.float32)
IDS = np.array([AT, AT[::-1], [0, 3, 1, 4, 1, 5]])
TABLE = np.random.default_rng(2).standard_normal((15, 4)).astype(np.float32)
GRID = np.random.default_rng(3).standard_normal((4, 6, 8)).astype(np.float32)
ROWS = np.array([[1, 2, 0], [0, 1, 2]])
LLAMA = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}
#: {function: (arguments of the program, arguments of refpos, options of refpos)}
CALLS = {
    "sinusoidal": ((AT, 16), (AT, 16), {}),
    "timestep_embedding": ((AT, 16), (AT, 16), {"flip_sin_to_cos": True, "downscale_freq_shift": 0}),
    "sincos_2d": ((3, 5, 16), (3, 5, 16), {"axis_order": "hw"}),
    "inverse_frequencies": ((16,), (16,), {}),
    "linear": ((16, 4), (16,), {"factor": 4}),
    "ntk": ((16, 4), (16,), {"factor": 4}),
    "dynamic_ntk": ((16, 4, 64, 200), (16,), {"factor": 4, "max_position_embeddings": 64, "seq_len": 200}),
    "llama3": ((128, 500000.0, *LLAMA.values()), (128,), {"base": 500000, **LLAMA}),
    "rope_table": (
        (AT, torch_programs.inverse_frequencies(16)),
        (AT, refpos.inverse_frequencies(16)),
        {},
    ),
    "rope": ((X, AT), (X, AT), {"pairing": "half"}),
    "mrope": ((X, IDS, [2, 3, 3]), (X, IDS), {"pairing": "half", "sections": (2, 3, 3), "arrangement": "chunked"}),
    "alibi_slopes": ((16,), (16,), {}),
    "alibi": ((8, 5), (8, 5, 5), {}),
    "t5_buckets": ((np.arange(-100, 101),), (np.arange(-100, 101),), {"bidirectional": True}),
    "window_rows": ((2, 3), (2, 3), {"sign": "query-key"}),
    "window_bias": ((TABLE, 2, 3), (TABLE, 2, 3), {"sign": "query-key"}),
    "relative_scores": ((X[:, :2, :4], TABLE, ROWS), (X[:, :2, :4], TABLE, ROWS), {"by": "query"}),
    "attention": ((X, X[:, :3], X[:, 3:], X[:, :, :3]), (X, X[:, :3], X[:, 3:]), {"bias": X[:, :, :3]}),
    "learned": ((TABLE, ROWS), (TABLE, ROWS), {}),
    "resize_table": ((GRID, (7, 5)), (GRID, (7, 5)), {"method": "cubic", "align": "half-pixel", "cubic": -0.75}),
}


def programs():
    text = inspect.getsource(torch_programs)
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def answer(name):
    """What a program returns, as arrays by the names of the outputs."""
    given, _, _ = CALLS[name]
    found = getattr(torch_programs, name)(
        *(torch.tensor(np.array(x)) if isinstance(x, np.ndarray) else x for x in given)
    )
    arrays = [one.numpy() for one in (found if isinstance(found, tuple) else (found,))]
    return dict(zip(catalogue.find(name).outputs_of({}), arrays, strict=False))


def judged(name, numbers):
    _, given, options = CALLS[name]
    return refpos.compare(numbers, catalogue.find(name).function, *given, **options)


def test_every_program_of_the_site_is_called():
    assert programs() == list(CALLS) and set(CALLS) <= set(catalogue.ENTRIES)


@pytest.mark.parametrize("name", CALLS)
def test_a_program_meets_a_bound_of_its_function_and_a_changed_one_does_not(name):
    numbers = answer(name)
    report = judged(name, numbers)
    assert report, str(report)
    first, array = next(iter(numbers.items()))
    changed = array.copy()
    place = np.unravel_index(np.argmax(np.where(np.isfinite(array), np.abs(array), 0)), array.shape)
    changed[place] = changed[place] * 2 if array.dtype.kind == "f" else changed[place] + 1
    assert not judged(name, {**numbers, first: changed})
