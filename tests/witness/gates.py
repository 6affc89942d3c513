"""Biases that perceptrons and gates make, and parts of attention joined, in plain Python floats, pair by pair."""

import math

import numpy as np

from .elementary import rounded
from .sequences import activation, divided, dot, linear, softmax, total


def through(row, first, first_bias, last, last_bias, name):
    """A row through a line, an activation and a line."""
    return linear([activation(name, x) for x in linear(row, first, first_bias)], last, last_bias)


def psi(n, c):
    """log(|c n| + 1)."""
    return rounded("log", abs(c * float(n)) + 1.0)


def fire(queries, keys, lines, *, c, length, eps, mode, activation):
    """(heads, queries, keys)."""
    result = np.zeros((len(lines[2]), len(queries), len(keys)))
    for a, i in enumerate(queries):
        whole = psi(max(float(i), abs(length)), c) + eps
        for b, j in enumerate(keys):
            away = abs(i - j) if mode == "symmetric" else max(i - j, 0)
            result[:, a, b] = through([divided(psi(away, c), whole)], *lines, activation)
    return result


def dape(scores, bias, lines, activation):
    """Of the shape of scores, (..., heads, queries, keys)."""
    result = np.zeros(scores.shape)
    for *lead, i, j in np.ndindex(*scores.shape[:-3], *scores.shape[-2:]):
        own, other = scores[(*lead, slice(None), i, j)].tolist(), bias[:, i, j].tolist()
        change = through(own + other, *lines, activation)
        result[(*lead, slice(None), i, j)] = [x + y + z for x, y, z in zip(own, other, change, strict=True)]
    return result


def cope(scores, q, weight, mask, scale):
    """Of the shape of scores, (..., queries, keys)."""
    result, vectors = np.zeros(scores.shape), weight.tolist()
    scale = (1.0 / math.sqrt(len(vectors[0])) if vectors[0] else 1.0) if scale is None else scale
    mask = np.broadcast_to(1 if mask is None else mask, scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        z = [dot(q[row].tolist(), vector) for vector in vectors]
        count = 0.0
        for j in reversed(range(scores.shape[-1])):
            count = count + (rounded("sigmoid", scores[(*row, j)].item()) if mask[(*row, j)] else 0.0)
            p = min(count, float(len(vectors) - 1)) if count == count else count
            if p != p:
                result[(*row, j)] = p
                continue
            part = p - math.floor(p)
            result[(*row, j)] = (z[math.ceil(p)] * part + z[math.floor(p)] * (1.0 - part)) * scale
    return result


def forget_gate(logits, backward, *, mode, scale, queries):
    """(..., queries, length)."""
    length = logits.shape[-1]
    result = np.zeros((*logits.shape[:-1], queries, length))
    for row in np.ndindex(logits.shape[:-1]):
        ahead = running(logits[row].tolist(), scale)
        behind = running(backward[row].tolist(), scale) if mode == "bidirectional" else None
        for k in range(queries):
            i = length - queries + k
            for j in range(length):
                if j <= i or mode == "linear":
                    result[(*row, k, j)] = ahead[i] - ahead[j]
                else:
                    result[(*row, k, j)] = -math.inf if mode == "causal" else behind[j] - behind[i]
    return result + 0.0


def running(logits, scale):
    """Sums of scaled logarithms of gates up to each."""
    found, count = [], 0.0
    for x in logits:
        count = count + rounded("logsigmoid", x) * scale
        found.append(count)
    return found


def merge_outputs(outputs, log_sums):
    """(..., queries, dim)."""
    result = np.zeros(outputs.shape[1:])
    for row in np.ndindex(outputs.shape[1:-1]):
        logarithms = log_sums[(slice(None), *row)].tolist()
        weights = softmax(logarithms, [True] * len(logarithms))
        for c in range(outputs.shape[-1]):
            parts = outputs[(slice(None), *row, c)].tolist()
            pairs = zip(weights, parts, logarithms, strict=True)
            result[(*row, c)] = total([w * x if s != -math.inf else 0.0 for w, x, s in pairs])
    return result


def abacus_positions(ids, digits, offset):
    """Of the shape of ids."""
    result, digits = np.zeros(ids.shape, np.int64), set(digits)
    for row in np.ndindex(ids.shape[:-1]):
        place = 0
        for k, token in enumerate(ids[row].tolist()):
            place = place + 1 if token in digits else 0
            result[(*row, k)] = place + offset if place else 0
    return result
