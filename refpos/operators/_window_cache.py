"""Caches of the size of a window, which hold the last tokens only: how many, and where each token is."""

import numpy as np


def resident(tokens, capacity, window):
    """How many of the last tokens a cache of so many rows holds after so many, (batch,): it evicts as many at once as
    leave the window whole."""
    at_once = capacity - window + 1
    return tokens - at_once * -(-np.maximum(tokens - capacity, 0) // at_once)


def by_position(cache, tokens, held, count):
    """The rows of a cache at the positions of their tokens, (batch, heads, count, size); zeros where there is none."""
    rows = np.zeros((*cache.shape[:2], count, cache.shape[3]))
    for b, (end, kept) in enumerate(zip(tokens.tolist(), held.tolist())):
        rows[b, :, end - kept : end] = cache[b, :, :kept]
    return rows


def last_tokens(rows, tokens, held, capacity):
    """The cache (batch, heads, capacity, size) of rows at the positions of their tokens, the inverse of by_position."""
    cache = np.zeros((*rows.shape[:2], capacity, rows.shape[3]))
    for b, (end, kept) in enumerate(zip(tokens.tolist(), held.tolist())):
        cache[b, :, :kept] = rows[b, :, end - kept : end]
    return cache
