"""NumPy as textbooks and reference implementations write it: float64 throughout, rounded at the end.

Tables and grids of float32 also in float32 throughout, where the sines of NumPy are fastest.
"""

import numpy as np

LIBRARY = "numpy"


def frequencies(dim, base=10000.0):
    return 1.0 / base ** (np.arange(0, dim, 2) / dim)


def peers(work, job):
    make = {
        "sinusoidal": _sinusoidal,
        "rope_table": _rope_table,
        "rope": _rope,
        "sincos_2d": _sincos_grid,
        "sincos_3d": _sincos_grid,
        "alibi": _alibi,
        "t5_bias": _t5_bias,
        "resize_table": _resize_table,
    }[work.kind]
    yield from make(work, **job.inputs)


def _sinusoidal(work, positions, dim):
    if work.dtype == "bfloat16":
        return  # NumPy has none

    def call():
        angles = positions[:, None] * frequencies(dim)
        table = np.empty((len(positions), dim), work.dtype)
        table[:, 0::2] = np.sin(angles)
        table[:, 1::2] = np.cos(angles)
        return table

    def call32():
        angles = positions.astype(np.float32)[:, None] * frequencies(dim).astype(np.float32)
        table = np.empty((len(positions), dim), np.float32)
        table[:, 0::2] = np.sin(angles)
        table[:, 1::2] = np.cos(angles)
        return table

    yield "numpy textbook", call
    if work.dtype == "float32":
        yield "numpy, angles in float32", call32


def _rope_table(work, positions, dim):
    def call():
        angles = positions[:, None] * frequencies(dim)
        return np.stack([np.cos(angles).astype(work.dtype), np.sin(angles).astype(work.dtype)])

    yield "numpy textbook", call


def cache(positions, dim, dtype):
    """Cosine and sine (tokens, dim/2), the cache that a model holds ready."""
    angles = positions[:, None] * frequencies(dim)
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)


def _rope(work, x, positions, dim, pairing):
    if work.dtype == "bfloat16":
        return
    cos, sin = cache(positions, dim, work.dtype)

    def half():
        first, second = x[..., : dim // 2], x[..., dim // 2 :]
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

    def interleaved():
        first, second = x[..., 0::2], x[..., 1::2]
        return np.stack([first * cos - second * sin, second * cos + first * sin], axis=-1).reshape(x.shape)

    yield "numpy textbook, ready cache", half if pairing == "half" else interleaved


def _one_axis(positions, dim, dtype="float64"):
    angles = positions.reshape(-1)[:, None].astype(dtype) * frequencies(dim).astype(dtype)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def _sincos_grid(work):
    *sizes, dim = work.shape
    share = dim // len(sizes)

    def whole():
        # every cell by itself, as the reference code of masked autoencoders does
        axes = np.meshgrid(*map(np.arange, sizes), indexing="ij")
        table = np.concatenate([_one_axis(axis, share) for axis in axes], axis=1)
        return table.astype(work.dtype).reshape(work.shape)

    def separable(inside="float64"):
        table = np.empty(work.shape, work.dtype)
        for k, size in enumerate(sizes):
            along = [1] * len(sizes)
            along[k] = size
            table[..., k * share : (k + 1) * share] = _one_axis(np.arange(size), share, inside).reshape(*along, share)
        return table

    yield "numpy, every cell", whole
    yield "numpy, separable", separable
    if work.dtype == "float32":
        yield "numpy, separable, angles in float32", lambda: separable("float32")


def slopes(heads):
    return (2.0 ** (-8 * np.arange(1, heads + 1) / heads)).astype(np.float32)


def _alibi(work):
    heads, queries, keys = work.shape

    def call():
        distance = np.abs(np.arange(keys) - np.arange(keys - queries, keys)[:, None]).astype(np.float32)
        return -slopes(heads)[:, None, None] * distance

    yield "numpy textbook", call


def buckets(relative, count=32, most=128):
    """The bidirectional bucket of each key position minus query position, by float logarithms."""
    half, exact = count // 2, count // 4
    size = np.abs(relative)
    far = exact + (np.log(np.maximum(size, 1) / exact) / np.log(most / exact) * (half - exact)).astype(np.int64)
    return (relative > 0) * half + np.where(size < exact, size, np.minimum(far, half - 1))


def _t5_bias(work, weight):
    def call():
        relative = np.arange(work.shape[2]) - np.arange(work.shape[1])[:, None]
        return weight[buckets(relative)].transpose(2, 0, 1)

    yield "numpy textbook", call


def _resize_table(work, weight):
    """The matrix of weights of each axis, in float32."""

    def matrix(new, old):
        x = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * np.float32(old / new) - np.float32(0.5)
        rows = np.floor(x).astype(int)[:, None] + np.arange(-1, 3)
        d, a = np.abs(rows - x[:, None]), np.float32(-0.75)
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, a * (((d - 5) * d + 8) * d - 4)
        made = np.zeros((new, old), np.float32)
        np.add.at(made, (np.arange(new)[:, None], rows.clip(0, old - 1)), np.where(d < 1, near, far))
        return made

    def call():
        rows, columns = (matrix(new, old) for new, old in zip(work.shape[:2], weight.shape[:2], strict=True))
        return np.matmul(columns, np.tensordot(rows, weight, 1))

    yield "numpy textbook", call
