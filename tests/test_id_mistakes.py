"""Mistakes of position ids, which are integers that a program makes: every number is compared."""

import numpy as np
import pytest

import refpos

P = refpos.positions
LENGTHS, STARTS = (200, 70, 130), [0, 200, 270, 400]
RIGHT = np.concatenate([np.arange(n) for n in LENGTHS])
PACKED = (P.packed_positions, (STARTS,), {"restart": True})
LONG = (P.packed_positions, ([0, 40000],), {"restart": True})
GRID = (P.grid_positions, ([4, 6],), {})
ROWS, COLUMNS = (part.reshape(-1) for part in np.meshgrid(np.arange(4), np.arange(6), indexing="ij"))
MASK = np.ones((2, 12), np.int64)
MASK[0, :3] = MASK[1, :5] = 0
PADDED = (P.attention_mask_positions, (MASK,), {"masked": 1})
TOKENS = (P.table_rows, (np.where(MASK == 1, 7, 1)[:, ::-1],), {"rule": "tokens", "padding_idx": 1})
COUNTED = np.cumsum(MASK, 1) - 1
SEQUENCES = (P.sequence_ids, ([0, 5, 9, 20],), {})
IDS = np.repeat(np.arange(3), [5, 4, 11])
TREE = (P.tree_depths, ([-1, 0, 1, 2, 0, 4],), {})

#: words: what is asked for, and the ids of a program
MISTAKES = {
    "restart=False": (PACKED, np.arange(400)),
    "restart from 0 at 270": (PACKED, np.concatenate([np.arange(270), np.arange(130)])),
    "offsets=[0, 10, 20]": (PACKED, np.concatenate([np.arange(n) + 10 * k for k, n in enumerate(LENGTHS)])),
    "each 2 times": (PACKED, np.repeat(np.arange(200), 2)),
    "positions held in int8": (PACKED, (RIGHT + 128) % 256 - 128),
    "positions held in int16": (LONG, (np.arange(40000) + 32768) % 65536 - 32768),
    "axes in the order 1, 0": (GRID, np.stack([COLUMNS, ROWS])),
    "a grid of 6 x 4 cells": (GRID, np.stack([np.tile(np.arange(4), 6), np.repeat(np.arange(6), 4)])),
    "without a restart": (GRID, np.stack([np.arange(24), np.arange(24)])),
    "positions + 1": (GRID, np.stack([ROWS + 1, COLUMNS + 1])),
    "-1 where padded on the left": (PADDED, COUNTED),
    "batch rows in the order 1, 0": (PADDED, np.where(MASK == 1, COUNTED, 1)[::-1]),
    "positions counted on over the batch": (PADDED, np.arange(24).reshape(2, 12)),
    "padding counted too": (TOKENS, np.stack([np.arange(2, 14), np.arange(2, 14)])),
    "positions 0 .. 11": (PADDED, np.stack([np.arange(12), np.arange(12)])),
    "positions held in uint8": ((P.sequence_ids, (list(range(301)),), {}), np.arange(300) % 256),
    "ids + 1": (SEQUENCES, IDS + 1),
    "positions by the number of the node": (TREE, np.arange(6)),
    "restart from 0 at 5, 9": (SEQUENCES, np.concatenate([np.arange(5), np.arange(4), np.arange(11)])),
}
RIGHTS = {
    "packed": (PACKED, RIGHT),
    "long": (LONG, np.arange(40000)),
    "grid": (GRID, np.stack([ROWS, COLUMNS])),
    "padded": (PADDED, np.where(MASK == 1, COUNTED, 1)),
    "sequences": (SEQUENCES, IDS),
    "tree": (TREE, np.array([0, 1, 2, 3, 1, 2])),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_of_position_ids_are_named(words):
    (function, args, keywords), made = MISTAKES[words]
    found = refpos.diagnose(made, function, *args, **keywords)
    told = " or ".join(one.computed for one in found.explanations)
    assert found.met is None and words.replace("ids +", "positions +") in told, found
    assert found.explanations[0].met == "correct", found


@pytest.mark.parametrize("name", RIGHTS)
def test_right_ids_are_right_and_random_ones_have_no_name(name):
    (function, args, keywords), made = RIGHTS[name]
    assert refpos.compare(made, function, *args, **keywords)
    wrong = np.random.default_rng(2).integers(0, 1000, made.shape)
    found = refpos.diagnose(wrong, function, *args, **keywords)
    assert found.met is None and not any(one.met and one.mistake != "measured" for one in found.explanations), found


def test_axes_of_several_outputs_are_named():
    text, image = np.zeros((5, 3), np.int64), np.stack([0 * ROWS, ROWS, COLUMNS], -1)
    assert refpos.compare((text, image), P.flux_positions, 4, 6, text_length=5)
    found = refpos.diagnose((text, image[:, [0, 2, 1]]), P.flux_positions, 4, 6, text_length=5)
    assert found.explanations[0].computed == "axes in the order 0, 2, 1", found
