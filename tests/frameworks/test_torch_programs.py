"""The torch programs that the site shows: each runs when it is copied alone and meets the error bounds of its function,
and a changed one does not."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import refpos
from refpos import catalogue

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "docs" / "site"))

import function_pages


def copied(name):
    """The program of a function, of a namespace in which only the block of its page has run."""
    names = {}
    (code,) = re.findall(r"```python\n(.*?)```", function_pages.torch_program(name), re.DOTALL)
    exec(compile(code, name, "exec"), names)
    return names[name]


#: {function: program}
PROGRAMS = {name: copied(name) for name in function_pages.torch_programs()}

AT = np.array([0, 1, 2, 10, 257, 4095])
X = np.random.default_rng(1).standard_normal((2, 6, 16)).astype(np.float32)
IDS = np.array([AT, AT[::-1], [0, 3, 1, 4, 1, 5]])
TABLE = np.random.default_rng(2).standard_normal((15, 4)).astype(np.float32)
GRID = np.random.default_rng(3).standard_normal((4, 6, 8)).astype(np.float32)
ROWS = np.array([[1, 2, 0], [0, 1, 2]])
MASK = np.array([[[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]]) > 0
KERNEL = np.random.default_rng(4).standard_normal((8, 4, 6)).astype(np.float32)
CACHE = np.random.default_rng(5).uniform(-1, 1, (2, 9, 4)).astype(np.float32)
CACHES = np.random.default_rng(6).standard_normal((2, 2, 11, 16)).astype(np.float32)
OFFSETS = np.arange(6)[:, None] - np.arange(6)[None, :] + 5  # query minus key
FACTORS = {"short_factor": [1.0] * 8, "long_factor": [1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0]}
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
        (AT, PROGRAMS["inverse_frequencies"](16)),
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
    "conv_positions": (
        (X, KERNEL, X[0, 0, :8], GRID[0, :, 0] + 5, 4),
        (X, KERNEL, X[0, 0, :8]),
        {"groups": 4, "padding": "same", "activation": "gelu", "magnitude": (GRID[0, :, 0] + 5)},
    ),
    "fourier_bands": (
        (GRID[0, :, :3], 4),
        (GRID[0, :, :3], refpos.frequencies.bands(4, rule="powers", low=0, high=3)),
        {"factor": "pi", "order": "band-kind-axis", "include": "first"},
    ),
    "masked_sine_2d": (
        (MASK, 16),
        (MASK, 16),
        {"normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi"},
    ),
    "sincos_3d": ((2, 3, 5, (8, 4, 4)), (2, 3, 5, 16), {"widths": (8, 4, 4)}),
    "time2vec": ((AT, X[0, 0], X[0, 1]), (AT, X[0, 0], X[0, 1]), {"linear": "first", "kind": "sin"}),
    "axial_frequencies": (((16, 56, 56),), ((16, 56, 56),), {}),
    "longrope": (
        (16, *FACTORS.values(), 4096, 32, 4097),
        (16,),
        {**FACTORS, "original_max_position_embeddings": 4096, "factor": 32, "seq_len": 4097},
    ),
    "mrope_frequencies": ((16, (2, 3, 3)), (16,), {"sections": (2, 3, 3), "arrangement": "chunked"}),
    "proportional": ((16, 0.25, 8), (16,), {"partial_rotary_factor": 0.25, "factor": 8}),
    "yarn": ((64, 40, 4096), (64,), {"factor": 40, "original_max_position_embeddings": 4096}),
    "onnx_attention": (
        (X[None], X[None, :, :3], X[None, :, 3:], X[None, :, :, :3]),
        (X[None], X[None, :, :3], X[None, :, 3:], X[None, :, :, :3]),
        {},
    ),
    "onnx_rotary_embedding": (
        (X[None, ..., :8], *CACHE, IDS[2:]),
        (X[None, ..., :8], *CACHE, IDS[2:]),
        {"interleaved": 1},
    ),
    "attention_mask_positions": ((IDS > 1,), (IDS > 1,), {"masked": 1}),
    "grid_positions": ((3, 5), ((3, 5),), {}),
    "flux_positions": ((3, 5, 4), (3, 5, 4), {}),
    "qwen2_vl_positions": (
        (np.array([[0, 0, *[1] * 6, 0], [*[1] * 4, 0, 1, 1, 0, 0]]), np.array([[1, 4, 6], [1, 4, 4], [2, 2, 2]])),
        (np.array([[0, 0, *[1] * 6, 0], [*[1] * 4, 0, 1, 1, 0, 0]]),),
        {"image_grid_thw": [[1, 4, 6], [1, 4, 4], [2, 2, 2]], "version": "transformers-5.23.0"},
    ),
    "table_rows": ((IDS, 1), (IDS,), {"rule": "tokens", "padding_idx": 1}),
    "distance_mlp": (
        ((3, 5), GRID[0, :, :2], GRID[0, :, 2], GRID[1, :3, :6]),
        ((3, 5), GRID[0, :, :2], GRID[0, :, 2], GRID[1, :3, :6], None),
        {"coordinates": "swin-v2", "activation": "relu", "sigmoid": 16},
    ),
    "relative_bias": ((TABLE, 9, 20), (TABLE, 9, 20), {"sign": "key-query"}),
    "relative_rows": ((5, 9, 3), (5, 9), {"sign": "key-query", "low": -3, "high": 3, "outside": "clip"}),
    "t5_bias": ((TABLE[:8], 9, 200), (TABLE[:8], 9, 200), {"bidirectional": True}),
    "mixed_rope": ((X, IDS[:2] % 50, X[:, :2, :8]), (X, IDS[:2] % 50, X[:, :2, :8]), {"pairing": "interleaved"}),
    "rope_2d": ((X, 2, 3), (X, 2, 3), {"pairing": "half", "axis_order": "hw"}),
    "rope_3d": (
        (X[:, :4], 1, 2, 2, (8, 4, 4)),
        (X[:, :4], 1, 2, 2),
        {"pairing": "interleaved", "axis_order": "thw", "widths": (8, 4, 4)},
    ),
    "xpos": ((X,), (X, 6), {"pairing": "interleaved", "centring": "floor"}),
    "deberta_scores": (
        (X, X[::-1].copy(), *CACHES, OFFSETS),
        (X, X[::-1], *CACHES, OFFSETS),
        {"scaling": "products"},
    ),
    "decomposed_scores": (
        (X, X[0, :3], X[0, :5], 2, 3),
        (X, X[0, :3], X[0, :5], (2, 3), (2, 3)),
        {"sign": "query-key"},
    ),
    "xl_scores": (
        (X, X[::-1].copy(), CACHES[0], X[:, 0], X[:, 1]),
        (X, X[::-1], CACHES[0], OFFSETS.T),
        {"u": X[:, 0], "v": X[:, 1]},
    ),
    "learned_axes": (
        (TABLE, TABLE[::-1].copy(), 3, 5),
        ((TABLE, TABLE[::-1]), (3, 5)),
        {"combine": "concat", "axis_order": "wh"},
    ),
    "resize_bias": ((TABLE, (2, 3), (4, 3)), (TABLE, (2, 3), (4, 3)), {"method": "swin"}),
    "resize_table": ((GRID, (7, 5)), (GRID, (7, 5)), {"method": "cubic", "align": "half-pixel", "cubic": -0.75}),
}


def answer(name):
    """What a program returns, as arrays by the names of the outputs."""
    given, _, _ = CALLS[name]
    found = PROGRAMS[name](*(torch.tensor(np.array(x)) if isinstance(x, np.ndarray) else x for x in given))
    arrays = [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
    return dict(zip(catalogue.find(name).outputs_of({}), arrays, strict=False))


def judged(name, numbers):
    _, given, options = CALLS[name]
    if name == "resize_bias":  # has no error bound: that of the table of the same numbers
        table = TABLE.reshape(3, 5, -1), (7, 5)
        options = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
        np.testing.assert_array_equal(
            refpos.tables.resize_bias(TABLE, (2, 3), (4, 3), method="swin"),
            refpos.resize_table(*table, **options).reshape(35, -1),
        )
        return refpos.compare(numbers["output"].reshape(7, 5, -1), refpos.resize_table, *table, **options)
    return refpos.compare(numbers, catalogue.find(name).function, *given, **options)


def test_every_program_of_the_site_is_called():
    assert set(PROGRAMS) == set(CALLS) <= set(catalogue.ENTRIES)


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
