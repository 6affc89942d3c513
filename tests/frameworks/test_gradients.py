"""Gradients beside those of torch.autograd: the functions written in torch, in float64 and float32."""

import numpy as np
import pytest
import torch
from test_gradients import CALLS, scattered

import refpos
from refpos import catalogue
from refpos.frequencies import inverse_frequencies

DTYPES = {"float64": 1e-13, "float32": 2e-5}


def rotated(x, positions, frequencies, first, second):
    """The formula of a rotation; positions (tokens, pairs)."""
    angle = torch.tensor(positions).to(torch.float64) * torch.tensor(frequencies, dtype=torch.float64)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    y = x.clone()
    y[:, first] = x[:, first] * cos - x[:, second] * sin
    y[:, second] = x[:, second] * cos + x[:, first] * sin
    return y


def halves(pairs):
    return list(range(pairs)), list(range(pairs, 2 * pairs))


def rope(x):
    return rotated(x, np.arange(6)[:, None] + np.zeros(3), inverse_frequencies(6).inv_freq, *halves(3))


def mrope(x):
    axes = np.arange(18).reshape(3, 6)[[0, 0, 1, 2]].T
    return rotated(x, axes, inverse_frequencies(8).inv_freq, *halves(4))


def rope_2d(x):
    cells = np.array([[row, row, column, column] for row in range(2) for column in range(3)])
    first = [0, 2, 4, 6]
    return rotated(x, cells, [1, 0.01, 1, 0.01], first, [k + 1 for k in first])


def rope_3d(x):
    cells = np.array([[0, row, column, column] for row in range(2) for column in range(3)])
    return rotated(x, cells, [1, 1, 1, 0.01], *halves(4))


def xpos(x):
    y = rotated(x, np.arange(6)[:, None] + np.zeros(4), inverse_frequencies(8).inv_freq, *halves(4))
    zeta = (2 * torch.arange(4, dtype=torch.float64) + 0.4 * 8) / (1.4 * 8)
    scale = zeta ** ((torch.arange(6, dtype=torch.float64)[:, None] - 3) / 512)
    return y * torch.cat([scale, scale], 1).to(x.dtype)


def learned(weight):
    return torch.nn.functional.embedding(torch.tensor([[0, 3, 3], [3, 1, 0]]), weight) * 0.75


def learned_axes(weights):
    return weights[0][:4, None] + weights[1][None, :2]


def t5_bias(weight):
    rows = refpos.t5_buckets(np.arange(9) - np.arange(4)[:, None], bidirectional=True, num_buckets=8, max_distance=6)
    return torch.nn.functional.embedding(torch.tensor(rows), weight).permute(2, 0, 1)


def relative_bias(weight):
    rows = np.clip(np.arange(4)[:, None] - np.arange(6), -2, 2) + 2
    return weight[torch.tensor(rows)].permute(2, 0, 1)


def window_bias(weight):
    row, column = np.divmod(np.arange(6), 3)
    rows = (row - row[:, None] + 1) * 5 + column - column[:, None] + 2
    return weight[torch.tensor(rows)].permute(2, 0, 1)


def tile_table(weight):
    return weight.repeat(3, 2, 1)[:5, :4]


def interpolated(weight, size, **options):
    grid = torch.nn.functional.interpolate(weight.permute(2, 0, 1)[None], size, **options)
    return grid[0].permute(1, 2, 0)


def resize_table(weight, window):
    """torch has a = -0.5 with antialias alone, which changes nothing where a table grows."""
    made = interpolated(weight, (5, 3), mode="bilinear", align_corners=False)
    return made + window.repeat(3, 2, 1)[:5, :3]


def resize_table_grid(weight):
    grid = weight[1:].reshape(3, 4, 2)[:, 1:]
    made = interpolated(grid, (5, 3), mode="bilinear", align_corners=True)
    return torch.cat([weight[:1], made.reshape(15, 2)])


IN_TORCH = (rope, mrope, rope_2d, rope_3d, xpos, learned, learned_axes, t5_bias, relative_bias, window_bias, tile_table,
            resize_table, resize_table_grid)  # fmt: skip
#: options that torch has otherwise
CHANGED = {"resize_table": {"method": "linear", "align": "half-pixel", "cubic": None}}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", IN_TORCH, ids=lambda program: program.__name__)
def test_gradients_are_those_of_autograd(program, dtype):
    name = program.__name__
    function, shapes, options = CALLS[name.replace("_grid", " grid")]
    options = {**options, **CHANGED.get(name, {})}
    arrays = {key: scattered(*shape, seed=k, dtype=dtype) for k, (key, shape) in enumerate(shapes.items())}
    tensors = {key: torch.tensor(array, requires_grad=True) for key, array in arrays.items()}
    result = program(**tensors)
    dy = scattered(*result.shape, seed=9, dtype=dtype)
    result.backward(torch.tensor(dy))
    assert np.abs(function(**arrays, **options) - result.detach().numpy()).max() < DTYPES[dtype]
    found = refpos.vjp(function, **arrays, **options, cotangent=dy)
    for key, tensor in tensors.items():
        assert np.abs(found[key] - tensor.grad.numpy()).max() < DTYPES[dtype]


def test_tensors_are_read_as_they_are():
    x, dy = torch.randn(3, 4, dtype=torch.bfloat16), torch.randn(3, 4, dtype=torch.bfloat16)
    gradient = refpos.vjp(refpos.rope, x, 3, pairing="half", cotangent=dy)["x"]
    again = refpos.rope(dy, 3, pairing="half", inverse=True)
    assert gradient.dtype.name == "bfloat16" and (gradient == again).all()


def test_every_function_with_gradients_stands_here():
    names = {entry.name for entry in catalogue.ENTRIES.values() if entry.gradients and entry.family != "scores"}
    assert names == {program.__name__ for program in IN_TORCH} - {"resize_table_grid"}
