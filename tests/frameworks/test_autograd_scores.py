"""Gradients of scores and attention beside those of torch.autograd, in float64 and float32."""

import math

import numpy as np
import pytest
import torch
from test_gradients import scattered
from torch.nn import functional

import refpos
from refpos import catalogue

DTYPES = {"float64": 1e-13, "float32": 1e-4}


def attention(q, k, v):
    return functional.scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]


def attention_bias(q, k, v, bias):
    mask = torch.ones(3, 5, dtype=torch.bool).tril(2)
    return functional.scaled_dot_product_attention(q, k, v, bias.masked_fill(~mask, -torch.inf), scale=0.75)


def attention_gemma(q, k, v):
    """softcap, as eager_attention_forward of Gemma 2 has it."""
    scores = q @ k.transpose(-1, -2) / math.sqrt(6)
    return torch.tanh(scores / 1.5).mul(1.5).softmax(-1) @ v


def attention_swin(q, k, v, cosine):
    """cosines, as Swinv2SelfAttention has them."""
    scores = functional.normalize(q, dim=-1) @ functional.normalize(k, dim=-1).transpose(-1, -2)
    return (scores * torch.clamp(cosine, max=math.log(100)).exp()).softmax(-1) @ v


def vectors(weight):
    """The vector of each pair, zeros for row -1."""
    return torch.cat([weight, torch.zeros_like(weight[..., :1, :])], -2)[..., torch.tensor(ROWS), :]


def relative_scores(x, weight):
    """relative_key, as BertSelfAttention has it."""
    return torch.matmul(x[..., None, :], vectors(weight).transpose(-1, -2))[..., 0, :] / math.sqrt(6)


def relative_scores_key(x, weight):
    return (x[..., None, :, :] * vectors(weight)).sum(-1)


def relative_values(probabilities, weight):
    return torch.matmul(probabilities[..., None, :], vectors(weight))[..., 0, :]


def xl_scores(q, k, projected, u, v):
    """Content and positions, as XLNetRelativeAttention has them."""
    content = torch.einsum("hid,hjd->hij", q + u[:, None], k)
    positions = torch.einsum("hid,hrd->hir", q + v[:, None], projected)
    index = torch.tensor(ROWS.clip(0)).expand(2, 3, 5)
    return (content + torch.gather(positions, 2, index).masked_fill(torch.tensor(ROWS < 0), 0)) / math.sqrt(6)


def deberta_scores(q, k, key_table, query_table):
    """disentangled_attention_bias, as DisentangledSelfAttention of DeBERTa v2 has it."""
    scale, index = math.sqrt(6 * 3), torch.tensor(ROWS.clip(0)).expand(2, 3, 5)
    scores = torch.bmm(q, k.transpose(-1, -2) / scale)
    to_position = torch.gather(torch.bmm(q, key_table.transpose(-1, -2)), -1, index) / scale
    made = torch.bmm(k, query_table.transpose(-1, -2))
    to_content = torch.gather(made, -1, index.transpose(-1, -2)).transpose(-1, -2) / scale
    return scores + (to_position + to_content)


def decomposed_scores(q, weight_h, weight_w):
    """add_decomposed_relative_positions of ViTDet, 2 x 3 cells."""
    grid = q.reshape(2, 2, 3, 6)
    down = weight_h[torch.arange(2)[:, None] - torch.arange(2) + 1]
    across = weight_w[torch.arange(3)[:, None] - torch.arange(3) + 2]
    height = torch.einsum("bhwc,hkc->bhwk", grid, down)
    width = torch.einsum("bhwc,wkc->bhwk", grid, across)
    return (height[..., None] + width[..., None, :]).reshape(2, 6, 6)


ROWS = np.array([[0, 0, 1, -1, 3], [-1, 1, 2, 3, 3], [2, 0, 4, 4, -1]])
Q, K, V = (2, 3, 6), (2, 5, 6), (2, 5, 4)
#: {program: (shapes of what trains, other arguments)}
CALLS = {
    attention: ({"q": (4, 3, 6), "k": K, "v": V}, {}),
    attention_bias: ({"q": Q, "k": K, "v": V, "bias": (2, 3, 5)}, {"scale": 0.75, "causal": "lower-right"}),
    attention_gemma: ({"q": Q, "k": K, "v": V}, {"softcap": 1.5}),
    relative_scores: ({"x": Q, "weight": (5, 6)}, {"rows": ROWS, "by": "query", "scale": 1 / math.sqrt(6)}),
    relative_scores_key: ({"x": K, "weight": (2, 5, 6)}, {"rows": ROWS, "by": "key"}),
    relative_values: ({"probabilities": (2, 3, 5), "weight": (5, 6)}, {"rows": ROWS}),
    xl_scores: ({"q": Q, "k": K, "projected": (2, 5, 6), "u": (2, 6), "v": (2, 6)}, {"rows": ROWS}),
    deberta_scores: (
        {"q": Q, "k": K, "key_table": (2, 5, 6), "query_table": (2, 5, 6)},
        {"rows": ROWS.clip(0), "scaling": "products"},
    ),
    decomposed_scores: (
        {"q": (2, 6, 6), "weight_h": (3, 6), "weight_w": (5, 6)},
        {"query_grid": (2, 3), "key_grid": (2, 3), "sign": "query-key"},
    ),
    attention_swin: ({"q": Q, "k": K, "v": V, "cosine": (2, 1, 1)}, {}),
}


def function_of(program):
    """The function of refpos whose name that of the program begins with."""
    name = max((name for name in catalogue.ENTRIES if program.__name__.startswith(name)), key=len)
    return catalogue.ENTRIES[name]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", CALLS, ids=lambda program: program.__name__)
def test_gradients_are_those_of_autograd(program, dtype):
    shapes, options = CALLS[program]
    function = function_of(program).function
    arrays = {key: scattered(*shape, seed=k, dtype=dtype) for k, (key, shape) in enumerate(shapes.items())}
    tensors = {key: torch.tensor(array, requires_grad=True) for key, array in arrays.items()}
    result = program(**tensors)
    dy = scattered(*result.shape, seed=9, dtype=dtype)
    result.backward(torch.tensor(dy))
    options = {**options, "dtype": dtype}
    assert np.abs(function(**arrays, **options) - result.detach().numpy()).max() < DTYPES[dtype]
    found = refpos.vjp(function, **arrays, **options, cotangent=dy)
    assert list(found) == list(shapes)
    for key, tensor in tensors.items():
        assert np.abs(found[key] - tensor.grad.numpy()).max() < DTYPES[dtype]


def test_every_function_of_scores_with_gradients_stands_here():
    wanted = {entry.name for entry in catalogue.ENTRIES.values() if entry.gradients and entry.family == "scores"}
    assert wanted == {function_of(program).name for program in CALLS}
