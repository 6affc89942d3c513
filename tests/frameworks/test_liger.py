"""The rotary kernels of Liger at ead96b6, forward and backward, written as formulas in torch, beside `refpos.rope`,
`refpos.mrope` and their gradients: ops/rope.py, ops/qwen2vl_mrope.py and ops/llama4_rope.py."""

import numpy as np
import pytest
import torch
from test_gradients import scattered

import refpos
from refpos import golden
from refpos.conformance import bounds

SHAPES = {"queries": (2, 5, 4, 12), "keys": (2, 5, 2, 12)}  # batch, seq, heads, head_dim, as the kernels store them
POSITIONS = np.array([[0, 1, 2, 70000, 4095], [7, 8, 0, 1, 131071]])
FREQUENCIES = {
    "plain": {"function": "inverse_frequencies", "arguments": {"dim": 12, "base": 500000}},
    "with an attention factor": {
        "function": "yarn",
        "arguments": {"dim": 12, "factor": 16.0, "original_max_position_embeddings": 4096},
    },
}


def frequencies_of(call):
    return getattr(refpos, call["function"])(**call["arguments"])


def rope(x, cos, sin, backward=False):
    """_triton_rope: cos and sin (batch or 1, seq, head_dim), of which the left half is read; the whole head turns."""
    half = x.shape[-1] // 2
    cos, sin = (part[..., None, :half] for part in (cos, sin))
    sin = -sin if backward else sin
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def mrope(x, cos, sin, sections, backward=False):
    """_triton_qwen2vl_mrope: cos and sin (3, batch, seq, head_dim); the third axis has the rest of the pairs."""
    ends = np.cumsum(sections[:2])
    axis = np.searchsorted(ends, np.arange(x.shape[-1] // 2), side="right")
    tables = [torch.stack([part[a, ..., i] for i, a in enumerate(axis)], -1) for part in (cos, sin)]
    return rope(x, *tables, backward)


def llama4(x, freqs_cis, backward=False):
    """_llama4_rope_kernel: neighbours are pairs, row i of (seq, pairs) belongs to token i of each sequence."""
    freqs = freqs_cis[None, :, None]
    real, imag = freqs.real, -freqs.imag if backward else freqs.imag
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * real - second * imag, second * real + first * imag], -1).flatten(-2)


def doubled(tables):
    """cos and sin of pairs as transformers hands them over, (.., head_dim)."""
    return [torch.cat([torch.tensor(part)] * 2, -1) for part in tables]


def with_gradient(function, options, arrays):
    """(arrays and a cotangent, the gradient for x)."""
    dy = scattered(*arrays["x"].shape, seed=5, dtype=np.float32)
    return {**arrays, "cotangent": dy}, refpos.vjp(function, **arrays, **made(options), cotangent=dy)["x"]


def within(function, options, arrays, exact, found):
    """Whether what a kernel gives is within float32-angle of a rotation, or, with a cotangent, of its gradient."""
    name, output = (
        (f"vjp_{function.__name__}", "gradient_x") if "cotangent" in arrays else (function.__name__, "output")
    )
    limit = bounds(name, options, arrays, "float32")["float32-angle"][output]
    return (np.abs(found.numpy() - exact) <= limit).all()


def made(options):
    """Options with the frequencies of the call that makes them."""
    call = options.get("frequencies")
    return {**options, "frequencies": frequencies_of(call)} if call else options


def assert_agrees(function, options, arrays, kernel):
    """Hold kernel(x, backward) against a rotation and its gradient, which is not the rotation itself."""
    exact = function(**arrays, **made(options))
    assert within(function, options, arrays, exact, kernel(torch.tensor(arrays["x"]), False))
    given, exact = with_gradient(function, options, arrays)
    dy = torch.tensor(given["cotangent"])
    assert within(function, options, given, exact, kernel(dy, True))
    assert not within(function, options, given, exact, kernel(dy, False))


@pytest.mark.parametrize("which", FREQUENCIES)
@pytest.mark.parametrize("heads", SHAPES)
@pytest.mark.parametrize("batch", [1, 2], ids=["one row of positions", "a row for each sequence"])
def test_rope(heads, which, batch):
    positions = POSITIONS if batch == 2 else POSITIONS[:1]
    options = {"pairing": "half", "seq_axis": -3, "frequencies": FREQUENCIES[which]}
    arrays = {"x": scattered(*SHAPES[heads], dtype=np.float32), "positions": positions}
    cos, sin = doubled(refpos.rope_table(positions, frequencies_of(FREQUENCIES[which]), dtype="float32"))
    assert_agrees(refpos.rope, options, arrays, lambda x, backward: rope(x, cos, sin, backward))


@pytest.mark.parametrize("heads", SHAPES)
@pytest.mark.parametrize("sections", [(2, 3, 1), (1, 1, 4), (2, 2, 2)], ids=str)
def test_mrope(heads, sections):
    ids = np.stack([POSITIONS, POSITIONS // 3, POSITIONS % 97])
    options = {"pairing": "half", "seq_axis": -3, "sections": list(sections), "arrangement": "chunked", "base": 1000000}
    arrays = {"x": scattered(*SHAPES[heads], dtype=np.float32), "position_ids": ids}
    frequencies = refpos.inverse_frequencies(12, base=1000000)
    cos, sin = doubled(refpos.rope_table(ids, frequencies, dtype="float32"))
    assert_agrees(refpos.mrope, options, arrays, lambda x, backward: mrope(x, cos, sin, sections, backward))
    given, exact = with_gradient(refpos.mrope, options, arrays)
    other = mrope(torch.tensor(given["cotangent"]), cos, sin, sections[::-1], backward=True)
    assert sections == sections[::-1] or not within(refpos.mrope, options, given, exact, other)


@pytest.mark.parametrize("heads", SHAPES)
def test_llama4(heads):
    options = {"pairing": "interleaved", "seq_axis": -3, "base": 500000}
    arrays = {"x": scattered(*SHAPES[heads], dtype=np.float32), "positions": np.arange(5)}
    cos, sin = refpos.rope_table(5, refpos.inverse_frequencies(12, base=500000), dtype="float32")
    freqs = torch.tensor(cos + 1j * sin)
    assert_agrees(refpos.rope, options, arrays, lambda x, backward: llama4(x, freqs, backward))


@pytest.mark.parametrize("id", ["vjp_rope/yarn-f32", "vjp_rope/half-far-f32"])
def test_golden_cases_of_the_gradient(id):
    """What a program in float32 computes meets float32-angle, as the rotation does."""
    case = golden.load(id)
    call = case.entry["arguments"].get("frequencies", {"function": "inverse_frequencies", "arguments": {"dim": 8}})
    arguments = {name: float(value) if isinstance(value, str) else value for name, value in call["arguments"].items()}
    frequencies = getattr(refpos, call["function"])(**arguments)
    inv_freq = frequencies.inv_freq.astype(np.float32)
    angles = case.inputs["positions"].values.astype(np.float32)[:, None] * inv_freq
    factor = np.float32(frequencies.attention_factor)
    tables = doubled([np.cos(angles) * factor, np.sin(angles) * factor])
    dy = torch.tensor(case.inputs["cotangent"].values)[:, None]
    answers = {f"{id}/gradient_x": rope(dy, *tables, backward=True)[:, 0].numpy()}
    (finding,) = golden.verify(answers, cases=id).findings
    assert (finding.state, finding.met) == ("met", "float32-angle"), finding
    answers = {f"{id}/gradient_x": rope(dy, *tables)[:, 0].numpy()}
    (finding,) = golden.verify(answers, cases=id).findings
    assert finding.state == "differs"
