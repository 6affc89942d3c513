"""numba: loops by hand on every core, into an output that exists already; float64 inside, rounded when stored."""

import math

import numba
import numpy as np

from .with_numpy import buckets, cache, frequencies, slopes

LIBRARY = "numba"
MAKERS = {}
loop = numba.njit(parallel=True)


def peers(work, job):
    if work.dtype not in ("float32", "float64") or work.kind not in MAKERS:
        return
    out = np.ones_like(job.out)
    run = MAKERS[work.kind](work, out, **job.inputs)

    def call():
        run()
        return out

    yield "numba loop, out=" + (", ready cache" if work.kind == "rope" else ""), call


def maker(function):
    MAKERS[function.__name__] = function
    return function


@maker
def sinusoidal(work, out, positions, dim):
    return lambda: _sinusoidal(positions, frequencies(dim), out)


@loop
def _sinusoidal(positions, theta, out):
    for row in numba.prange(len(positions)):
        for i in range(len(theta)):
            angle = positions[row] * theta[i]
            out[row, 2 * i] = math.sin(angle)
            out[row, 2 * i + 1] = math.cos(angle)


@maker
def rope_table(work, out, positions, dim):
    return lambda: _rope_table(positions, frequencies(dim), out)


@loop
def _rope_table(positions, theta, out):
    for row in numba.prange(len(positions)):
        for i in range(len(theta)):
            angle = positions[row] * theta[i]
            out[0, row, i] = math.cos(angle)
            out[1, row, i] = math.sin(angle)


@maker
def rope(work, out, x, positions, dim, pairing):
    cos, sin = cache(positions, dim, work.dtype)
    turn = _half if pairing == "half" else _interleaved
    return lambda: turn(x[0], cos, sin, out[0])


@loop
def _half(x, cos, sin, out):
    half = cos.shape[1]
    for flat in numba.prange(x.shape[0] * x.shape[1]):
        head, row = flat // x.shape[1], flat % x.shape[1]
        for i in range(half):
            a, b = x[head, row, i], x[head, row, half + i]
            out[head, row, i] = a * cos[row, i] - b * sin[row, i]
            out[head, row, half + i] = b * cos[row, i] + a * sin[row, i]


@loop
def _interleaved(x, cos, sin, out):
    for flat in numba.prange(x.shape[0] * x.shape[1]):
        head, row = flat // x.shape[1], flat % x.shape[1]
        for i in range(cos.shape[1]):
            a, b = x[head, row, 2 * i], x[head, row, 2 * i + 1]
            out[head, row, 2 * i] = a * cos[row, i] - b * sin[row, i]
            out[head, row, 2 * i + 1] = b * cos[row, i] + a * sin[row, i]


@maker
def sincos_2d(work, out):
    return lambda: _sincos_2d(_axis(work.shape[0], work.shape[2] // 2), _axis(work.shape[1], work.shape[2] // 2), out)


def _axis(size, dim):
    angles = np.arange(size)[:, None] * frequencies(dim)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


@loop
def _sincos_2d(rows, columns, out):
    half = rows.shape[1]
    for r in numba.prange(out.shape[0]):
        for c in range(out.shape[1]):
            for i in range(half):
                out[r, c, i] = rows[r, i]
                out[r, c, half + i] = columns[c, i]


@maker
def alibi(work, out):
    return lambda: _alibi(slopes(work.shape[0]), out)


@loop
def _alibi(slope, out):
    offset = out.shape[2] - out.shape[1]
    for flat in numba.prange(out.shape[0] * out.shape[1]):
        head, i = flat // out.shape[1], flat % out.shape[1]
        for j in range(out.shape[2]):
            out[head, i, j] = -slope[head] * np.float32(abs(j - i - offset))


@maker
def t5_bias(work, out, weight):
    def run():
        relative = np.arange(1 - work.shape[1], work.shape[2])
        _toeplitz(np.ascontiguousarray(weight[buckets(relative)].T), out)

    return run


@loop
def _toeplitz(values, out):
    queries = out.shape[1]
    for flat in numba.prange(out.shape[0] * queries):
        head, i = flat // queries, flat % queries
        for j in range(out.shape[2]):
            out[head, i, j] = values[head, j - i + queries - 1]
