"""Graphs, trees, pages, points and a picture in slices, of which examples are drawn."""

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


def page():
    """Boxes of a heading and of words in three lines below it, in thousandths of the page."""
    heading, words = [[100, 60, 620, 120]], []
    for line, widths in enumerate([(90, 200, 140, 260), (240, 110, 180, 150), (160, 210, 120, 90, 110)]):
        ends = np.cumsum([width + 20 for width in widths], dtype=np.int64) + 80
        words += [[int(end - width), 180 + 60 * line, int(end), 220 + 60 * line] for end, width in zip(ends, widths)]
    return heading + words


def spans():
    """Spans of 1, 2, 4 .. 32 rows from row 8 on, and one without rows, as rows that -1 fills up."""
    return [[8 + k if k < size else -1 for k in range(32)] for size in (1, 2, 4, 8, 16, 32, 0)]


def square(size):
    """The cells of an image from -1 to 1 along both axes, (rows, columns, 2), x along the first."""
    along = np.linspace(-1, 1, size)
    return np.stack(np.meshgrid(along, along, indexing="ij"), axis=-1)


def words():
    """Boxes of words in four lines of a page."""
    return [[60 * (k % 4), 30 * (k // 4), 60 * (k % 4) + 50, 30 * (k // 4) + 20] for k in range(16)]


def pixels():
    """Points on an image of 640 x 480 pixels, x first."""
    across, down = np.meshgrid(np.arange(0, 641, 80, dtype=np.int64), np.arange(0, 481, 80, dtype=np.int64))
    return np.stack([across, down], axis=-1).reshape(-1, 2)


def plane(size):
    """So many points on each of two lines across the unit square."""
    across, down = np.meshgrid(np.linspace(0, 1, size), [0.25, 0.75])
    return np.stack([across, down], axis=-1).reshape(-1, 2)


#: batches: {function: its arguments}
BATCHES = {
    "cu_seqlens": lambda: dict(values=[12, 8, 1, 15], rule="lengths"),
    "packed_positions": lambda: dict(cu_seqlens=[0, 12, 20, 21, 36], restart=True, offsets=[0, 0, 30, 8]),
    "sequence_ids": lambda: dict(cu_seqlens=[0, 12, 20, 21, 36]),
    "unpad_indices": lambda: dict(attention_mask=[[0] * 5 + [1] * 9, [1] * 14, [0] * 8 + [1] * 6]),
    "context_parallel_indices": lambda: dict(cu_seqlens=[0, 16, 24, 48], ranks=2, order="zigzag"),
    "inverse_permutation": lambda: dict(indices=[0, 1, 6, 7, 8, 11, 2, 3, 4, 5, 9, 10]),
    "tree_depths": lambda: dict(parents=[-1, 0, 0, 0, 1, 1, 2, 4, 4, 5, 7], past_length=32),
    "streaming_positions": lambda: dict(length=45, sinks=4, window=16, order="rolling"),
    "compressed_positions": lambda: dict(length=32, ratio=4),
    "packed_mrope_positions": lambda: dict(cu_seqlens=[0, 18, 36], mm_token_type_ids=[0] * 4 + [1] * 12 + [0] * 8
                                           + [1] * 6 + [0] * 6, image_grid_thw=[[1, 6, 8], [1, 4, 6]],
                                           version="transformers-5.23.0"),
}  # fmt: skip
