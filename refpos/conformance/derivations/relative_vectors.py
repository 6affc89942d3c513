"""Error bounds of scores and values with the vectors of distances: the class `sequence64` and its float32 twin."""

import numpy as np

from ... import checks
from ...scores.bucket_scores import read_layer
from ...steps.scores import heads, relative_vectors
from ..classes import BFLOAT16, FLOAT64
from ..registry import error_bound
from . import running_error
from .exact_inputs import exact_channels
from .running_error import Bounded


@error_bound("relative_scores")
def _relative_scores(arguments, fmt):
    x, table = _floats(arguments, "x", "weight")
    rows, by, scale = np.asarray(arguments["rows"]), arguments["by"], arguments["scale"]
    rows = rows if by == "query" else rows.swapaxes(-1, -2)
    factor = None if scale is None else heads.read_scale(scale, x.shape[-1])
    limits = _score_limits(x, table, rows, fmt, scale=factor)
    if by == "key":
        limits = {name: {"output": one["output"].swapaxes(-1, -2)} for name, one in limits.items()}
    return limits


@error_bound("bucket_scores")
def _bucket_scores(arguments, fmt):
    x, weight = _floats(arguments, "x", "weight")
    count = int(arguments["heads"])
    table, bias = read_layer(weight, count), arguments["bias"]
    if bias is not None:
        bias = exact_channels(bias, BFLOAT16).reshape(table.shape[1], count).T
    x, rows = (part[..., None, :, :] for part in (x, np.asarray(arguments["rows"])))
    lead = (*checks.broadcast(x.shape[:-3], rows.shape[:-3]), count)
    return _score_limits(np.broadcast_to(x, (*lead, *x.shape[-2:])), table, rows, fmt, bias=bias)


@error_bound("relative_values")
def _relative_values(arguments, fmt):
    shares, table = _floats(arguments, "probabilities", "weight")
    rows = np.asarray(arguments["rows"])
    shape = (*checks.broadcast(shares.shape[:-2], rows.shape[:-2]), rows.shape[-2], table.shape[-1])

    def summed(a, b):
        result = np.empty(shape)
        relative_vectors.fill_sums(result, a, b, rows.astype(np.int64), FLOAT64)
        return result

    def formula(arithmetic):
        probabilities, vectors = (
            running_error.from_input(shares, arithmetic),
            running_error.from_input(table, arithmetic),
        )
        return running_error.sums(summed, probabilities, vectors, rows.shape[-1])

    return running_error.limits(formula, fmt)


def _score_limits(x, table, rows, fmt, *, bias=None, scale=None):
    """Products with every row of the table, of which a score is one; a scale may stand before them or after.

    The vectors that are multiplied stand in the last axis but one of x, those of the rows in the other order last.
    """
    lead = checks.broadcast(x.shape[:-2], rows.shape[:-2])
    x, rows = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (x, rows))
    if table.ndim == 3:  # of each head
        group = lead[-1] // max(1, len(table))
        table, bias = (part if part is None else np.repeat(part, group, axis=0) for part in (table, bias))

    def sequence(arithmetic):
        columns = running_error.from_input(table.swapaxes(-1, -2), arithmetic)
        scores = running_error.matmul(running_error.from_input(x, arithmetic), columns)
        if bias is not None:
            scores = running_error.add(scores, running_error.from_input(bias[:, None], arithmetic))
        if scale is not None:
            scores = running_error.multiply(scores, running_error.from_input(scale, arithmetic))
        return Bounded(*(_read(part, rows) for part in (scores.values, scores.error)), arithmetic)

    return running_error.limits(sequence, fmt)


def _read(numbers, rows):
    """The numbers (..., n, rows of the table) at rows (..., n, m); 0 for row -1."""
    with_zero = np.concatenate([numbers, np.zeros((*numbers.shape[:-1], 1))], axis=-1)
    return np.take_along_axis(with_zero, rows.astype(np.int64), axis=-1)


def _floats(arguments, *names):
    """Arrays of the call as exact float64 numbers; uint16 are bit patterns of bfloat16."""
    return [exact_channels(arguments[name], BFLOAT16) for name in names]
