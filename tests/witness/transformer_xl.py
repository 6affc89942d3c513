"""Scores of Transformer-XL and its kin in plain Python, pair by pair, from the distances that the papers write."""

import math

from .elementary import rounded
from .sequences import dot


def added(x, y):
    """Channel by channel; None adds nothing."""
    return x if y is None else [a + b for a, b in zip(x, y, strict=True)]


def times(x, factor):
    """Channel by channel."""
    return None if x is None else [a * factor for a in x]


def score(query, key, content, terms, scale, scaled):
    """One score; content: the bias u or None. terms: [(vector or None, bias or None)] of what is read beside the key.

    A vector of None adds 0.
    """
    if scaled == "queries":
        query, content = times(query, scale), times(content, scale)
        terms = [(vector, times(bias, scale)) for vector, bias in terms]
    parts = [dot(added(query, content), key)]
    parts += [0.0 if vector is None else dot(added(query, bias), vector) for vector, bias in terms]
    if scaled == "parts":
        parts = [part * scale for part in parts]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total * scale if scaled == "sum" else total


def inverse_root(dim):
    """1 / sqrt(dim), where there are channels."""
    return 1.0 / math.sqrt(dim) if dim else 1.0


def per_dim_scale(weight, dim):
    """softplus(weight) / ln 2 / sqrt(dim) of one number."""
    return rounded("softplus", weight) / rounded("softplus", 0.0) / math.sqrt(dim)


def same_segment(query, key, shared):
    """Whether two tokens are in one segment."""
    return query == key or (shared is not None and shared in (query, key))


def funnel_positions(length, block, separate_cls, truncate_seq):
    """Tokens 2**block apart: with a class token the second one stays at 1. Each pooling leaves half, rounded up."""
    count = length
    for _ in range(block):
        count = -(-(count + (separate_cls and not truncate_seq and count > 0)) // 2)
    first = 1 - 2**block if separate_cls else 0
    return [first + 2**block * k for k in range(count)]


def context_rows(length, block, left, right):
    """Blocks of a padded list: each sees `left` tokens before it and `right` behind it."""
    padded = [-1] * left + list(range(length)) + [-1] * (right + block)
    return [padded[start : start + left + block + right] for start in range(0, length, block)]
