"""Attention of torch in bfloat16 and float16, read as `.float().numpy()`: no right program is accused."""

import numpy as np
import pytest
import torch

import refpos

SHAPES = [(1, 3, 200, 32), (2, 4, 33, 64), (1, 1, 128, 64), (3, 2, 7, 16), (1, 2, 16, 32)]


def weights_of(q, k, causal):
    """As modules of transformers compute them: every result in the format, the softmax in float32 and cast."""
    scores = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    if causal:
        least = torch.finfo(q.dtype).min
        scores = scores + torch.full(scores.shape[-2:], least, dtype=q.dtype).triu(1)
    return torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype)


def eager(q, k, v, causal):
    return torch.matmul(weights_of(q, k, causal), v)


def fused(q, k, v, causal):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


PROGRAMS = {"eager": (eager, "output"), "fused": (fused, "output"),
            "weights": (lambda q, k, v, causal: weights_of(q, k, causal), "weights")}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])
def test_no_right_attention_is_accused(kind, program):
    made, outputs = PROGRAMS[program]
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        q, k, v = (torch.randn(SHAPES[seed % 5], generator=generator).to(kind) for _ in range(3))
        causal = seed % 2 == 0
        given, answer = [one.float().numpy() for one in (q, k, v)], made(q, k, v, causal).float().numpy()
        keywords = {"causal": "lower-right" if causal else None, "outputs": outputs}
        result = refpos.compare(answer, refpos.attention, *given, **keywords)
        assert result and result.held == str(kind).partition(".")[2], (seed, str(result))
    assert not refpos.compare(
        np.roll(answer, 1, axis=-2)[:1], refpos.attention, *(one[:1] for one in given), **keywords
    )
