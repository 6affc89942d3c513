"""jax.numpy under jit, in its default float32, and the result waited for."""

import jax
import jax.numpy as jnp
import numpy as np

LIBRARY = "jax"


def peers(work, job):
    if work.dtype != "float32" or work.kind == "resize_table":  # whose cubic has another slope
        return
    function, given = {
        "sinusoidal": _sinusoidal,
        "rope_table": _rope_table,
        "rope": _rope,
        "sincos_2d": _sincos_grid,
        "sincos_3d": _sincos_grid,
        "alibi": _alibi,
        "t5_bias": _t5_bias,
    }[work.kind](work, **job.inputs)
    compiled = jax.jit(function)
    given = [jnp.asarray(array) for array in given]
    ready = ", ready cache" if work.kind == "rope" else ""
    yield f"jax jit{ready}", lambda: np.asarray(compiled(*given).block_until_ready())


def inv_freq(dim):
    return 1.0 / 10000.0 ** (jnp.arange(0, dim, 2, dtype=jnp.float32) / dim)


def _sinusoidal(work, positions, dim):
    def function(positions):
        angles = positions[:, None].astype(jnp.float32) * inv_freq(dim)
        return jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1).reshape(work.shape)

    return function, [positions.astype(np.int32)]


def _rope_table(work, positions, dim):
    def function(positions):
        angles = positions[:, None].astype(jnp.float32) * inv_freq(dim)
        return jnp.stack([jnp.cos(angles), jnp.sin(angles)])

    return function, [positions.astype(np.int32)]


def _rope(work, x, positions, dim, pairing):
    angles = jnp.asarray(positions, jnp.float32)[:, None] * inv_freq(dim)

    def half(x, cos, sin):
        first, second = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

    def interleaved(x, cos, sin):
        first, second = x[..., 0::2], x[..., 1::2]
        return jnp.stack([first * cos - second * sin, second * cos + first * sin], axis=-1).reshape(x.shape)

    return half if pairing == "half" else interleaved, [x, jnp.cos(angles), jnp.sin(angles)]


def _sincos_grid(work):
    *sizes, dim = work.shape
    share = dim // len(sizes)

    def axis(k):
        angles = jnp.arange(sizes[k], dtype=jnp.float32)[:, None] * inv_freq(share)
        along = [1] * len(sizes)
        along[k] = sizes[k]
        table = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=1).reshape(*along, share)
        return jnp.broadcast_to(table, (*sizes, share))

    return lambda: jnp.concatenate([axis(k) for k in range(len(sizes))], axis=-1), []


def _alibi(work):
    heads, queries, keys = work.shape

    def function(slopes):
        distance = jnp.abs(jnp.arange(keys) - jnp.arange(keys - queries, keys)[:, None]).astype(jnp.float32)
        return -slopes[:, None, None] * distance

    return function, [(2.0 ** (-8 * np.arange(1, heads + 1) / heads)).astype(np.float32)]


def _t5_bias(work, weight):
    def function(weight):
        relative = jnp.arange(work.shape[2])[None] - jnp.arange(work.shape[1])[:, None]
        size = jnp.abs(relative)
        far = 8 + (jnp.log(jnp.maximum(size, 1) / 8) / jnp.log(128 / 8) * 8).astype(jnp.int32)
        bucket = (relative > 0) * 16 + jnp.where(size < 8, size, jnp.minimum(far, 15))
        return weight[bucket].transpose(2, 0, 1)

    return function, [weight]
