"""Stages that several programs share, in the formats and the order of operations of PyTorch code."""

from __future__ import annotations

import numpy as np

F32 = np.float32


def even(dim):
    """torch.arange(0, dim, 2, dtype=float32)."""
    return np.arange(0, dim, 2, dtype=F32)


def inverse(dim, base=10000.0):
    """1.0 / base ** (torch.arange(0, dim, 2).float() / dim)."""
    return (F32(1) / F32(base) ** (even(dim) / F32(dim))).astype(F32)


def count(n):
    """torch.arange(n, dtype=float32)."""
    return np.arange(n, dtype=F32)


def outer(positions, frequencies):
    """Angles as torch.outer gives them, in float32."""
    return (np.asarray(positions)[..., None] * frequencies).astype(F32)


def rotate_half(x):
    """[-x2, x1] of the halves."""
    half = x.shape[-1] // 2
    return np.concatenate((-x[..., half:], x[..., :half]), axis=-1)


def rotate_pairs(x):
    """[-x1, x0, -x3, x2, ...]."""
    return np.stack((-x[..., 1::2], x[..., ::2]), axis=-1).reshape(x.shape)


def twice(table):
    """torch.cat((table, table), dim=-1)."""
    return np.concatenate((table, table), axis=-1)


def repeat(table):
    """repeat_interleave(table, 2)."""
    return np.repeat(table, 2, axis=-1)


def half(x, cos, sin):
    """The rotation of transformers: x cos + rotate_half(x) sin, each operation in the format of x."""
    cos, sin = twice(cos).astype(x.dtype), twice(sin).astype(x.dtype)
    return x * cos + rotate_half(x) * sin


def interleaved(x, cos, sin):
    """The rotation of GPT-J: x cos + rotate_every_two(x) sin."""
    cos, sin = repeat(cos).astype(x.dtype), repeat(sin).astype(x.dtype)
    return x * cos + rotate_pairs(x) * sin


def matmul(a, b, dtype):
    """A product of matrices that is summed in float32 and stored in the format, as accelerators do."""
    return np.matmul(a.astype(F32), b.astype(F32)).astype(dtype)


def softmax(scores, axis=-1):
    """Softmax in float32."""
    scores = scores.astype(F32)
    top = np.max(scores, axis=axis, keepdims=True)
    grown = np.exp(scores - np.where(np.isfinite(top), top, 0))
    return grown / np.sum(grown, axis=axis, keepdims=True)


def distances(queries, keys, offset=0):
    """Key position minus query position."""
    return np.arange(keys)[None, :] - (np.arange(queries)[:, None] + offset)
