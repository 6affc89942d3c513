"""Gradients beside those of jax.vjp in float64: every function that has a rule, written in jax."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_gradients import BESIDE, scattered, values_of

import refpos
from refpos import catalogue
from refpos.frequencies import inverse_frequencies

CELLS = np.array([[0, row, column] for row in range(2) for column in range(3)])


def rotated(x, angle, interleaved=False):
    """Pairs of channels rotated by angles (tokens, pairs): halves of the channels, or neighbours."""
    shape = (len(x), -1, 2) if interleaved else (len(x), 2, -1)
    first, second = jnp.moveaxis(x.reshape(shape), 2 if interleaved else 1, 0)
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    both = first * cos - second * sin, second * cos + first * sin
    return jnp.stack(both, 2 if interleaved else 1).reshape(x.shape)


def rope(x):
    angle = np.arange(6)[:, None] * inverse_frequencies(6).inv_freq
    return jnp.concatenate([rotated(x[:, :6], angle), x[:, 6:]], -1)


def mrope(x):
    return rotated(x, np.arange(18).reshape(3, 6)[[0, 0, 1, 2]].T * inverse_frequencies(8).inv_freq)


def rope_2d(x):
    return rotated(x, CELLS[:, [1, 1, 2, 2]] * np.array([1, 0.01, 1, 0.01]), interleaved=True)


def rope_3d(x):
    return rotated(x, CELLS[:, [0, 1, 2, 2]] * np.array([1, 1, 1, 0.01]))


def xpos(x):
    zeta = (2 * np.arange(4) + 0.4 * 8) / (1.4 * 8)
    scale = zeta ** ((np.arange(6)[:, None] - 3) / 512)
    angle = np.arange(6)[:, None] * inverse_frequencies(8).inv_freq
    return rotated(x, angle) * np.concatenate([scale, scale], 1)


def learned(weight):
    return weight[np.array([[0, 3, 3], [3, 1, 0]])] * 0.75


def learned_axes(weights):
    return weights[0][:4, None] + weights[1][None, :2]


def t5_bias(weight):
    relative = np.arange(9) - np.arange(4)[:, None]
    rows = refpos.t5_buckets(relative, bidirectional=True, num_buckets=8, max_distance=6)
    return jnp.moveaxis(weight[rows], -1, 0)


def relative_bias(weight):
    return jnp.moveaxis(weight[np.clip(np.arange(4)[:, None] - np.arange(6), -2, 2) + 2], -1, 0)


def window_bias(weight):
    row, column = np.divmod(np.arange(6), 3)
    return jnp.moveaxis(weight[(row - row[:, None] + 1) * 5 + column - column[:, None] + 2], -1, 0)


def tile_table(weight):
    return jnp.tile(weight, (3, 2, 1))[:5, :4]


def resize_table(weight, window):
    """jax.image.resize renormalises its weights at the border, and a is -1/2."""
    made = jax.image.resize(weight, (5, 3, 2), "cubic", antialias=False)
    return made + jnp.tile(window, (3, 2, 1))[:5, :3]


def resize_table_grid(weight):
    grid = weight[1:].reshape(3, 4, 2)[:, 1:]
    rows, columns = np.meshgrid(np.arange(5) / 2, np.arange(3), indexing="ij")
    made = [jax.scipy.ndimage.map_coordinates(grid[..., k], [rows, columns], order=1) for k in range(2)]
    return jnp.concatenate([weight[:1], jnp.stack(made, -1).reshape(15, 2)])


def mean_of_rows(weight):
    rows = np.array([[0, 3, -1], [3, 3, 1], [-1, -1, -1]])
    counts = (rows >= 0).astype(float)
    return (weight[np.maximum(rows, 0)] * counts[..., None]).sum(1) / np.maximum(counts.sum(1), 1)[:, None]


def resize_bias(weight):
    """At the border jax renormalises, which of two neighbours is what holding the last row is."""
    made = jax.image.resize(weight[:15].reshape(3, 5, 2), (5, 3, 2), "linear", antialias=False)
    return jnp.concatenate([made.reshape(15, 2), weight[15:]])


def resize_packed(weight):
    images = []
    for frames, height, width in [[1, 4, 2], [2, 2, 2]]:
        made = jax.image.resize(weight, (height, width, 2), "linear", antialias=False)
        blocks = made.reshape(height // 2, 2, width // 2, 2, 2).swapaxes(1, 2).reshape(-1, 2)
        images.append(jnp.concatenate([blocks] * frames + [blocks[:1]]))
    return jnp.stack(images)


def fourier_projection(coordinates, weight, phase):
    angle = 1.5 * (coordinates @ weight + phase)
    return jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)


def fourier_projection_interleaved(coordinates, weight):
    angle = 2 * jnp.pi * (coordinates @ weight)
    return jnp.stack([jnp.sin(angle), jnp.cos(angle)], -1).reshape(4, 6)


def fourier_projection_cosines(coordinates, weight):
    return jnp.cos(1.5 * coordinates @ weight)


def time2vec(t, weight, phase):
    sums = t[..., None] * weight + phase
    return jnp.concatenate([jnp.sin(sums[..., :-1]), sums[..., -1:]], -1)


def time2vec_cosines(t, weight, phase):
    return jnp.cos(t[:, None] * weight + phase)


def distances():
    """The distances of 2 queries, the last of 5 tokens, from the keys before them, on an axis behind that of heads."""
    return np.maximum(np.arange(3, 5)[:, None] - np.arange(5), 0.0)[None]


def kerple_log(p, a):
    p, a = (jnp.maximum(one, 0.125)[:, None, None] for one in (p, a))
    return -p * jnp.log1p(a * distances())


def kerple_power(p, a):
    p, a = jnp.clip(p, 0.125, 2)[:, None, None], jnp.maximum(a, 0.125)[:, None, None]
    return -a * distances() ** p


def kerple_weight(p, a):
    return jnp.exp(kerple_power(p, a))


def of_ratios(queries, distances, activation, weight_in, bias_in, weight_out, bias_out, c, length):
    """The perceptron of psi of distances over psi of the queries or the threshold."""
    most = jnp.maximum(queries, jnp.abs(length))[:, None]
    x = jnp.log1p(jnp.abs(c) * distances) / (jnp.log1p(jnp.abs(c) * most) + 0.125)
    hidden = activation(x[..., None] @ weight_in.T + bias_in)
    return jnp.moveaxis(hidden @ weight_out.T + bias_out, -1, 0)


def fire(*arrays):
    queries = np.arange(3.0)
    return of_ratios(queries, abs(queries[:, None] - np.arange(4)), jax.nn.relu, *arrays)


def fire_clipped(*arrays):
    queries = np.array([5.0, 2.0, 2.0])
    return of_ratios(queries, np.maximum(queries[:, None] - np.arange(4), 0), jax.nn.leaky_relu, *arrays)


IN_JAX = (rope, mrope, rope_2d, rope_3d, xpos, learned, learned_axes, t5_bias, relative_bias, window_bias, tile_table,
          resize_table, resize_table_grid, fourier_projection, fourier_projection_interleaved,
          fourier_projection_cosines, time2vec, time2vec_cosines, kerple_log, kerple_power, kerple_weight,
          fire, fire_clipped, mean_of_rows, resize_bias, resize_packed)  # fmt: skip
#: options that jax has otherwise
CHANGED = {"resize_table": {"border": "renormalise"}}


@pytest.mark.parametrize("program", IN_JAX, ids=lambda program: program.__name__)
def test_gradients_are_those_of_jax(program):
    name = program.__name__
    function, _, options = BESIDE[name]
    options = {**options, **CHANGED.get(name, {})}
    arrays = values_of(name)
    with jax.enable_x64(True):
        result, pull = jax.vjp(program, *map(jnp.asarray, arrays.values()))
        dy = scattered(*result.shape, seed=9)
        gradients = [np.asarray(one) for one in pull(jnp.asarray(dy))]
    assert result.dtype == np.float64 and np.abs(function(**arrays, **options) - np.asarray(result)).max() < 1e-13
    found = refpos.vjp(function, **arrays, **options, cotangent=dy)
    assert len(gradients) == len(found)
    for one, other in zip(found.values(), gradients, strict=True):
        assert one.shape == other.shape and np.abs(one - other).max() < 1e-13


def test_every_function_with_gradients_stands_here():
    """Those of scores stand beside torch alone, in test_autograd_scores.py."""
    names = {entry.name for entry in catalogue.ENTRIES.values() if entry.gradients and entry.family != "scores"}
    assert names == {BESIDE[program.__name__][0].__name__ for program in IN_JAX}
