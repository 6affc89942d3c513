"""Sums and what is made of them in the fixed order of the class `sequence64`: float64, each operation rounded once.

    sum       0 + x[0] + x[1] + ..
    product   0 + a[0] b[0] + a[1] b[1] + .., each product rounded before it is added
    linear    that, then + bias
    mean      sum / n
    variance  the mean of (x - mean)**2, or their sum / (n - 1)
    norm      (x - mean) / sqrt(variance + eps), then * weight, then + bias
    softmax   exp(x - maximum) / the sum of these, over the entries that count

The index of a sum goes up by one from 0. Quotients and roots are those of IEEE 754, exp is correctly rounded, nothing
is contracted: so the bits are the same everywhere. All functions take and give float64 arrays and work along the last
axis; every NaN of a result is the positive quiet one.
"""

import math

import numpy as np

from ... import checks, kernels
from ...arithmetic import elementary
from ...kernels.threads import for_blocks

WORK = 1 << 20  # products that a thread does at a time


def matmul(a, b, threads=None):
    """Products of matrices, (..., n, k) and (..., k, m), whose leading axes broadcast: (..., n, m)."""
    lead = checks.broadcast(a.shape[:-2], b.shape[:-2])
    rows, columns = a.shape[-2], b.shape[-1]
    if b.ndim == 2:  # one matrix for all rows
        return _product(a.reshape(math.prod(a.shape[:-1]), a.shape[-1]), b, threads).reshape(*lead, rows, columns)
    a, b = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (a, b))
    result = np.empty((*lead, rows, columns))
    for index in np.ndindex(lead):
        result[index] = _product(a[index], b[index], threads)
    return result


def _product(a, b, threads):
    a, b = (np.ascontiguousarray(part, np.float64) for part in (a, b))
    result = np.empty((len(a), b.shape[1]))
    step = max(1, WORK // max(1, b.size))

    for_blocks(lambda start, stop: product(a[start:stop], b, result[start:stop]), len(a), step, threads)
    return result


def product(a, b, result):
    """Fill `result` (n, m) with (n, k) times (k, m), all of them contiguous, or as many of each, on this thread."""
    matrices = (a, b, result) if result.ndim > 2 else (a[None], b[None], result[None])
    with np.errstate(all="ignore"):
        kernels.active.products(*matrices)
    result[np.isnan(result)] = np.nan
    return result


def linear(x, weight, bias=None, threads=None):
    """x (..., in) times the rows of weight (out, in), then + bias (out,): (..., out)."""
    result = _product(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]), weight.T, threads)
    result = result.reshape(*x.shape[:-1], len(weight))
    return result if bias is None else canonical(_quiet(np.add, result, bias))


def total(x, threads=None):
    """Sums (...) of x (..., n): products with 1, which change nothing."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return _product(rows, np.ones((x.shape[-1], 1)), threads).reshape(x.shape[:-1])


def row_sums(x):
    """Sums (m,) of contiguous rows (m, n), on this thread."""
    return product(x, np.ones((x.shape[1], 1)), np.empty((len(x), 1)))[:, 0]


def total_of(parts):
    """The sum of the entries of arrays (n,) that follow each other."""
    found = np.zeros(1)
    for part in parts:  # 0 + the sum before changes nothing
        found = row_sums(np.concatenate([found, part])[None])
    return found[0]


def mean(x, threads=None):
    """Means (...) of x (..., n)."""
    return canonical(_quiet(np.divide, total(x, threads), float(x.shape[-1])))


def variance(x, *, unbiased, threads=None):
    """Variances (...) of x (..., n) about the means; unbiased: the sum of squares is divided by n - 1."""
    centred = _quiet(np.subtract, x, mean(x, threads)[..., None])
    squares = total(_quiet(np.multiply, centred, centred), threads)
    return canonical(_quiet(np.divide, squares, float(x.shape[-1] - bool(unbiased))))


def layer_norm(x, weight=None, bias=None, *, eps, threads=None):
    """(x - mean) / sqrt(variance + eps), then * weight (n,), then + bias (n,)."""
    centred = _quiet(np.subtract, x, mean(x, threads)[..., None])
    size = np.sqrt(_quiet(np.add, variance(x, unbiased=False, threads=threads), eps))
    result = _quiet(np.divide, centred, size[..., None])
    if weight is not None:
        result = _quiet(np.multiply, result, weight)
    return canonical(result if bias is None else _quiet(np.add, result, bias))


def softmax(x, mask=None, threads=None):
    """exp(x - maximum) / sum over the last axis; mask: bool, broadcast to x, True where an entry counts.

    Entries that do not count are 0, and take part in no sum. A row where none counts, or all are -infinity, is zeros;
    one with NaN or +infinity among those that count is NaN there.
    """
    if mask is not None:
        mask = np.broadcast_to(mask, x.shape)
        x = np.where(mask, x, -np.inf)
    most = np.maximum.reduce(x, axis=-1, keepdims=True, initial=-np.inf)
    most[most == -np.inf] = 0.0
    result = elementary.exp(_quiet(np.subtract, x, most))
    sums = total(result, threads)[..., None]
    sums[sums == 0] = 1.0
    with np.errstate(all="ignore"):
        result /= sums
    result[np.isnan(result)] = np.nan
    return result if mask is None else np.where(mask, result, 0.0)


def canonical(values):
    """The same with every NaN as the positive quiet one: which one a machine makes is not said by IEEE 754."""
    return np.where(np.isnan(values), np.nan, values)


def _quiet(operation, *operands):
    """One operation of IEEE 754, whose infinities and NaN are no warnings."""
    with np.errstate(all="ignore"):
        return operation(*operands)
