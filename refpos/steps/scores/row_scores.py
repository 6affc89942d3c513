"""Scores of queries and the vectors of a table, of which every pair of a query and a key reads one row."""

import numpy as np

from ... import checks
from ...errors import InputError
from ..rows import doubles
from . import ordered_sums


def read_vectors(name, values, heads, dim):
    """float64 vectors (rows, dim), or (heads, rows, dim) where every head has its own; heads: () or (count,)."""
    numbers, _ = doubles.read(name, values)
    own = (*heads, dim)
    if numbers.ndim < 2 or (*numbers.shape[:-2], numbers.shape[-1]) not in (own, (dim,)):
        known = f"(rows, {dim})" + (f" or ({heads[0]}, rows, {dim})" if heads else "")
        raise InputError("E_SHAPE", name, f"{name} must be {known}, as q has channels, got shape {numbers.shape}")
    return numbers


def read_rows(name, rows, size, shape):
    """Row numbers as int64 of the shape (..., queries, keys) of the scores; -1 reads nothing."""
    array = checks.integers(name, rows)
    lead, pairs = shape[:-2], shape[-2:]
    broadcast = array.ndim <= len(shape) and all(n in (1, m) for n, m in zip(array.shape[:-2][::-1], lead[::-1]))
    if array.shape[-2:] != pairs or not broadcast:
        sentence = f"{name} must be {pairs}, queries and keys, or broadcast to {shape}"
        raise InputError("E_SHAPE", name, f"{sentence}, got shape {array.shape}")
    low, high = (int(array.min()), int(array.max())) if array.size else (-1, -1)
    if low < -1 or high >= size:
        sentence = f"{name} must be -1 or a row of the {size} in its table"
        raise InputError("E_POSITION", name, f"{sentence}, got {low if low < -1 else high}")
    return np.broadcast_to(array.astype(np.int64), shape)


def scores(q, vectors, rows, threads=None):
    """q_i . vectors[rows[i, j]] of queries (..., queries, dim): (..., queries, keys); 0 where the row is -1."""
    return picked(ordered_sums.matmul(q, vectors.swapaxes(-1, -2), threads), rows)


def picked(products, rows, nothing=0.0):
    """Of products (..., queries, table rows) those at the rows (..., queries, keys)."""
    if not products.shape[-1]:
        return np.full(rows.shape, nothing)
    return np.where(rows < 0, nothing, np.take_along_axis(products, np.maximum(rows, 0), -1))
