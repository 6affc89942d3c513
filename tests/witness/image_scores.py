"""Scores of places in images, and networks of offsets, in plain Python floats, one pair of cells after the other."""

import math
from fractions import Fraction

import numpy as np

from . import distances, sequences
from .elementary import rounded


def cells(grid):
    """(row, column) of every cell, row by row."""
    return [(r, c) for r in range(grid[0]) for c in range(grid[1])]


def row_of_pair(i, j, queries, keys, sign):
    """The row of a table that query i and key j of one axis read."""
    if sign == "key-query":
        return j - i + keys - 1
    a, b = max(Fraction(keys, queries), 1), max(Fraction(queries, keys), 1)
    return math.floor(i * a - j * b + (keys - 1) * b)


def decomposed(q, tables, query_grid, key_grid, sign, first):
    """Scores (queries, keys) of one image: q as lists, a row for the class token before the cells."""
    scores = [[0.0] * (first + key_grid[0] * key_grid[1]) for _ in q]
    for n, (r, c) in enumerate(cells(query_grid)):
        vector = q[first + n]
        for m, (s, d) in enumerate(cells(key_grid)):
            down = tables[0][row_of_pair(r, s, query_grid[0], key_grid[0], sign)]
            across = tables[1][row_of_pair(c, d, query_grid[1], key_grid[1], sign)]
            scores[first + n][first + m] = sequences.dot(vector, down) + sequences.dot(vector, across)
    return scores


def resized(table, count):
    """Rows between those of a table, linear, half-pixel: exact fractions, rounded once to float64."""
    rows = []
    for j in range(count):
        at = min(max(Fraction(2 * j + 1, 2) * Fraction(len(table), count) - Fraction(1, 2), 0), len(table) - 1)
        low = math.floor(at)
        high, share = min(low + 1, len(table) - 1), at - low
        pairs = zip(table[low], table[high], strict=True)
        rows.append([float(Fraction(a) * (1 - share) + Fraction(b) * share) for a, b in pairs])
    return rows


def convit(q, k, grid, weight, bias, gate, scale):
    """Attention (queries, keys) of one head."""
    share, whole = rounded("sigmoid", gate), cells(grid)
    attention = []
    for vector, (r, c) in zip(q, whole, strict=True):
        content = [sequences.dot(vector, key) * scale for key in k]
        places = []
        for s, d in whole:
            x, y = float(d - c), float(s - r)
            places += sequences.linear([x, y, x * x + y * y], [weight], None if bias is None else [bias])
        both = [sequences.softmax(scores, [True] * len(whole)) for scores in (content, places)]
        mixed = [(1 - share) * a + share * b for a, b in zip(*both, strict=True)]
        total = sequences.total(mixed)
        attention.append([value / total for value in mixed])
    return attention


def coordinate(d, kind, span):
    """The coordinate of an offset, rounded once to float64; span: n - 1 of the window that Swin v2 divides by."""
    if kind == "offset" or d == 0:
        return float(d)
    if kind == "log":
        return math.copysign(rounded("log1p", float(abs(d))), d)
    return float(np.array([distances.log_coordinate(d, span, "float64")], np.uint64).view(np.float64)[0])


def network(c, layers, norms, activation, factor):
    """A row of coordinates through lines, with (eps, weight, bias) or None before every activation."""
    x = sequences.linear(c, *layers[0])
    for norm, (weight, bias) in zip(norms, layers[1:], strict=True):
        if norm is not None:
            eps, size, shift = norm
            x = normalised(x, eps, size, shift)
        x = sequences.linear([sequences.activation(activation, value) for value in x], weight, bias)
    return x if factor is None else [factor * rounded("sigmoid", value) for value in x]


def normalised(x, eps, weight, bias):
    """Each value less the mean, by the root of variance + eps, times weight, plus bias where they are given."""
    middle, size = sequences.mean(x), math.sqrt(sequences.variance(x, False) + eps)
    x = [sequences.divided(value - middle, size) for value in x]
    x = x if weight is None else [value * w for value, w in zip(x, weight, strict=True)]
    return x if bias is None else [value + b for value, b in zip(x, bias, strict=True)]
