"""Graphs, trees and a picture in slices, of which examples are drawn."""

from __future__ import annotations

import numpy as np


def both(pairs):
    """Edges in both directions."""
    return np.array([*pairs, *(pair[::-1] for pair in pairs)], np.int64)


def ring(size):
    """A ring of so many nodes."""
    return both([(i, (i + 1) % size) for i in range(size)])


def molecule():
    """Caffeine without its hydrogen."""
    return both([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (6, 8), (8, 9), (8, 10), (10, 11), (10, 12),
                  (1, 5), (12, 13), (4, 12)])  # fmt: skip


def leaves(depth):
    """All paths of a tree with two children each, by their length."""
    return [[code >> k & 1 for k in reversed(range(size))] for size in range(depth + 1) for code in range(1 << size)]


def slices():
    """A picture of 4 x 6 tokens in MiniCPM-V: a thumbnail of 2 x 3, and two slices of 4 x 3 beside each other."""
    ids = [9, 1] + [7] * 6 + [2] + ([3] + [7] * 12 + [4]) * 2 + [5, 9, 9]
    return dict(input_ids=[ids], mm_token_type_ids=[[int(token == 7) for token in ids]], downsample_mode="4x",
                target_sizes=[[4, 6], [8, 6], [8, 6]], image_start_id=1, image_end_id=2, slice_start_id=3,
                slice_end_id=4, newline_id=5)  # fmt: skip
