"""Gradients beside those of torch.autograd: the functions written in torch, in float64 and float32."""

import numpy as np
import pytest
import torch
from test_gradients import BESIDE, scattered, values_of

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


def mean_of_rows(weight):
    rows = torch.tensor([[0, 3, -1], [3, 3, 1], [-1, -1, -1]])
    counts = (rows >= 0).to(weight.dtype)
    return (weight[rows.clamp(min=0)] * counts[..., None]).sum(1) / counts.sum(1).clamp(min=1)[:, None]


def resize_bias(weight):
    made = interpolated(weight[:15].reshape(3, 5, 2), (5, 3), mode="bilinear", align_corners=False)
    return torch.cat([made.reshape(15, 2), weight[15:]])


def resize_packed(weight):
    images = []
    for frames, height, width in [[1, 4, 2], [2, 2, 2]]:
        made = interpolated(weight, (height, width), mode="bilinear", align_corners=False)
        rows = made.reshape(height // 2, 2, width // 2, 2, 2).transpose(1, 2).reshape(-1, 2).repeat(frames, 1)
        images.append(torch.cat([rows, rows[:1]]))
    return torch.stack(images)


def fourier_projection(coordinates, weight, phase):
    angle = 1.5 * (coordinates @ weight + phase)
    return torch.cat([angle.sin(), angle.cos()], -1)


def fourier_projection_interleaved(coordinates, weight):
    angle = 2 * torch.pi * (coordinates @ weight)
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(4, 6)


def fourier_projection_cosines(coordinates, weight):
    return (1.5 * coordinates @ weight).cos()


def time2vec(t, weight, phase):
    sums = t[..., None] * weight + phase
    return torch.cat([sums[..., :-1].sin(), sums[..., -1:]], -1)


def time2vec_cosines(t, weight, phase):
    return (t[:, None] * weight + phase).cos()


def distances():
    """The distances of 2 queries, the last of 5 tokens, from the keys before them, on an axis behind that of heads."""
    return torch.clamp(torch.arange(3, 5)[:, None] - torch.arange(5), min=0)[None].to(torch.float64)


def kerple_log(p, a):
    p, a = (torch.clamp(one, min=0.125)[:, None, None] for one in (p, a))
    return -p * torch.log(1 + a * distances().to(p.dtype))


def kerple_power(p, a):
    p, a = torch.clamp(p, min=0.125, max=2)[:, None, None], torch.clamp(a, min=0.125)[:, None, None]
    return -a * distances().to(p.dtype) ** p


def kerple_weight(p, a):
    return kerple_power(p, a).exp()


def of_ratios(queries, distances, activation, lines, c, length):
    """The perceptron of psi of distances over psi of the queries or the threshold."""
    weight_in, bias_in, weight_out, bias_out = lines
    most = torch.maximum(torch.tensor(queries).to(c.dtype), length.abs())[:, None]
    x = torch.log(abs(c) * torch.tensor(distances).to(c.dtype) + 1) / (torch.log(abs(c) * most + 1) + 0.125)
    hidden = activation(x[..., None] @ weight_in.T + bias_in)
    return (hidden @ weight_out.T + bias_out).permute(2, 0, 1)


def fire(c, length, **lines):
    queries = np.arange(3)
    return of_ratios(queries, abs(queries[:, None] - np.arange(4)), torch.relu, lines.values(), c, length)


def fire_clipped(c, length, **lines):
    queries = np.array([5, 2, 2])
    distances = np.maximum(queries[:, None] - np.arange(4), 0)
    return of_ratios(queries, distances, torch.nn.functional.leaky_relu, lines.values(), c, length)


IN_TORCH = (rope, mrope, rope_2d, rope_3d, xpos, learned, learned_axes, t5_bias, relative_bias, window_bias, tile_table,
            resize_table, resize_table_grid, fourier_projection, fourier_projection_interleaved,
            fourier_projection_cosines, time2vec, time2vec_cosines, kerple_log, kerple_power,
            kerple_weight, fire, fire_clipped, mean_of_rows, resize_bias, resize_packed)  # fmt: skip
#: options that torch has otherwise
CHANGED = {"resize_table": {"method": "linear", "align": "half-pixel", "cubic": None}}


def dtype_of(function, dtype):
    """The argument that gives the result the dtype of the arrays, where they do not."""
    return {"dtype": dtype} if catalogue.find(function.__name__).defaults.get("dtype") else {}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", IN_TORCH, ids=lambda program: program.__name__)
def test_gradients_are_those_of_autograd(program, dtype):
    name = program.__name__
    function, _, options = BESIDE[name]
    options = {**options, **CHANGED.get(name, {}), **dtype_of(function, dtype)}
    arrays = values_of(name, np.dtype(dtype).type)
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
    functions = {BESIDE[program.__name__][0].__name__ for program in IN_TORCH}
    assert names == functions
