"""What reads learned tables as programs of jax, which jax.vjp differentiates; each takes the arguments of a golden case
but the table by name, and returns a function of the table."""

import jax.numpy as jnp
import numpy as np


def learned(rows, scale=None):
    rows = np.arange(rows) if isinstance(rows, int) else rows
    return lambda weight: weight[rows] if scale is None else weight[rows] * float(scale)


def mean_of_rows(rows):
    counted = rows >= 0
    counts = np.maximum(counted.sum(-1, keepdims=True), 1)
    return lambda weight: jnp.where(counted[..., None], weight[np.maximum(rows, 0)], 0).sum(-2) / counts


def learned_axes(grid, combine, axis_order=None):
    names = "thw"[-len(grid) :]
    order = [names.index(axis) if isinstance(axis, str) else axis for axis in axis_order or ()]

    def program(weights):
        along = [tuple(size if k == axis else 1 for k in range(len(grid))) for axis, size in enumerate(grid)]
        parts = [table[:size].reshape(*shape, -1) for table, size, shape in zip(weights, grid, along, strict=True)]
        if combine == "sum":
            return sum(parts[1:], parts[0])
        return jnp.concatenate([jnp.broadcast_to(parts[axis], (*grid, parts[axis].shape[-1])) for axis in order], -1)

    return program


def tile_table(size):
    size = [size] if isinstance(size, int) else size

    def program(weight):
        times = [-(-new // old) for new, old in zip(size, weight.shape, strict=False)]
        return jnp.tile(weight, (*times, 1))[tuple(map(slice, size))]

    return program


def of_heads(rows_of):
    """The rows may depend on how many the table has."""
    return lambda weight: jnp.moveaxis(weight[rows_of(len(weight))], -1, 0)


def distances(queries, keys, query_offset):
    """Key minus query."""
    return np.arange(keys) - np.arange(query_offset, query_offset + queries)[:, None]


def t5_bias(query_len, key_len, bidirectional, num_buckets=None, max_distance=128, query_offset=0):
    far = distances(query_len, key_len, query_offset)

    def rows(count):
        side = count // 2 if bidirectional else count
        near, exact = abs(far) if bidirectional else np.maximum(-far, 0), side // 2
        # the largest bucket b > exact whose first distance, exact (max_distance / exact)**(..), is reached
        first = exact * (max_distance / exact) ** (np.arange(side - exact) / (side - exact))
        wide = exact - 1 + (near[..., None] >= first).sum(-1)
        return np.where(near < exact, near, wide) + (side * (far > 0) if bidirectional else 0)

    return of_heads(rows)


def signed(far, sign):
    return {"key-query": far, "query-key": -far, "absolute": abs(far)}[sign]


def relative_bias(query_len, key_len, sign, low=None, high=None, outside="clip", query_offset=0):
    far = signed(distances(query_len, key_len, query_offset), sign)

    def rows(count):
        first = low if low is not None else 0 if sign == "absolute" else -(count // 2)
        return np.clip(far, first, first + count - 1) - first

    return of_heads(rows)


def window_bias(height, width, sign, class_token=False, stride=1):
    wide = 2 * width - 1 if sign != "absolute" else width

    def rows(count):
        far = [signed(distances(size, size, 0), sign) for size in (height, width)]
        (down, across) = (axis[::stride] - axis.min() for axis in far)
        found = down[:, None, :, None] * wide + across[None, :, None, :]
        found = found.reshape(-1, height * width)
        if not class_token:
            return found
        found = np.pad(found, ((1, 0), (1, 0)), constant_values=count - 2)
        found[0] = count - 3
        found[0, 0] = count - 1
        return found

    return of_heads(rows)


PROGRAMS = {
    program.__name__: program
    for program in (learned, learned_axes, mean_of_rows, relative_bias, t5_bias, tile_table, window_bias)
}
