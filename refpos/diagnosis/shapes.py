"""Answers of another shape that hold the numbers that are expected: tables given twice, transposed, or flat."""

from __future__ import annotations

import math

import numpy as np

from .narrower import Done


def of_another_shape(trial):
    """(trial with answers of the expected shape, what was done to them) where every output has one; else None."""
    for text, change in (
        ("the table once for each half of the channels (tiled: cat(freqs, freqs))", _tiled),
        ("each column twice in a row (repeat_interleave)", _repeated),
        ("the last two axes exchanged", _transposed),
        ("the numbers in another shape of the same order", _flat),
    ):
        made = {}
        for name, expected in trial.outputs.items():
            values = change(trial.answered[name].values, expected.values.shape)
            if values is None:
                break
            made[name] = trial.answered[name]._replace(values=values)
        if len(made) == len(trial.outputs):
            return trial._replace(answered=made), Done("shape", text, "the shape of the result")
    return None


def _tiled(values, shape):
    *left, width = values.shape or (0,)
    if tuple(left) != shape[:-1] or not shape or width != 2 * shape[-1]:
        return None
    one, other = values[..., : shape[-1]], values[..., shape[-1] :]
    return one if _equal(one, other) else None


def _repeated(values, shape):
    *left, width = values.shape or (0,)
    if tuple(left) != shape[:-1] or not shape or width != 2 * shape[-1]:
        return None
    one, other = values[..., ::2], values[..., 1::2]
    return one if _equal(one, other) else None


def _equal(one, other):
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


def _transposed(values, shape):
    return values.swapaxes(-1, -2) if values.ndim > 1 and values.swapaxes(-1, -2).shape == shape else None


def _flat(values, shape):
    kept = [n for n in values.shape if n != 1] == [n for n in shape if n != 1]
    flat = values.size == math.prod(shape) and values.shape[-1:] == shape[-1:]
    return values.reshape(shape) if kept or flat else None
