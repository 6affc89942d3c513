"""Boxes of words as rows of tables: their sides, heights and widths."""

import numpy as np

from ... import checks
from ...errors import InputError


def rows_of(boxes, clip):
    """(..., 6) as int64 of boxes (..., 4): left, upper, right, lower, height, width; the last two within 0 .. clip."""
    sides = checks.integers("boxes", boxes)
    if not sides.ndim or sides.shape[-1] != 4:
        raise InputError("E_SHAPE", "boxes", f"boxes must have shape (..., 4), got {sides.shape}")
    if sides.size and (sides.min() < 0 or sides.max() > checks.LARGEST_SIZE):
        wrong = sides.min() if sides.min() < 0 else sides.max()
        raise InputError("E_POSITION", "boxes", f"boxes must lie within 0 .. 2**63 - 1, got {wrong}")
    sides = sides.astype(np.int64)
    sizes = sides[..., [3, 2]] - sides[..., [1, 0]]
    if clip is not None:
        sizes = np.clip(sizes, 0, checks.integer("clip", clip, 0))
    elif sizes.size and sizes.min() < 0:
        sentence = "boxes must have right and lower sides of at least the left and upper ones without a clip"
        raise InputError("E_POSITION", "boxes", f"{sentence}, got a size of {sizes.min()}")
    return np.concatenate([sides, sizes], -1)
