"""The cells of a square table of positions that the patches of an image of any size read."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers
from . import _rows

FractionRule = Literal["quotient", "step"]
RULES = get_args(FractionRule)
#: what no coordinate of "step" exceeds
NEARLY_ONE = np.float32(1 - 1e-6)
LARGEST_SIDE = 1 << 11  # so that the square of a side has 22 bits, and float32 tells i / n and k / side apart


@register(
    family="positions",
    paper="Dehghani et al. 2023, Patch n' Pack: NaViT, arXiv:2307.06304, section 2.1",
    conventions="rule quotient (i / n) or step (i times 1 / n in float32); no default",
)
def fraction_rows(sizes: ArrayLike, side: Integer, *, rule: FractionRule) -> Integers:
    """Table index of each patch by its fraction of height and width, for a square table (Idefics2).

        row r, column c of n_h x n_w patches:  cell(r, n_h) side + cell(c, n_w)

        "quotient": cell(i, n) = floor(i side / n)
        "step":     cell(i, n) = how many of the float32 k / side, k = 1 .. side - 1, are at most x
                    x = min(i (1 / n), 1 - 1e-6), each operation rounded to float32

    Parameters
    ----------
    sizes : array_like
        Rows and columns of patches of each image, integers (images, 2), each 1 to 2048.
    side : int
        Rows of the table, and columns, 1 to 2048.
    rule : {'quotient', 'step'}
        How the cell is found, as stated above.

    Returns
    -------
    ndarray of int64
        Shape (patches of all images,), image after image, each in row-major order.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_SIZE (sizes), E_SIZE (side), E_CHOICE (rule).

    Notes
    -----
    Where i side / n is an integer "step" can be one cell less: i 5, n 25 and side 35 give 6 and not 7. A program that
    divides i / n in float32 gives "quotient", as division keeps the order, if its edges k / side are rounded once.
    Those of torch are not: the last bits of torch.arange(1 / side, 1, 1 / side) depend on the vectors of the machine,
    and for a side of 27, say, it can miss a cell by one where i side / n is an integer.

    References
    ----------
    - transformers 5.23.0, models/idefics2/modeling_idefics2.py, Idefics2VisionEmbeddings ("step"; the same in Idefics3,
      SmolVLM and Phi-4 multimodal).
    - vision_utils.py, get_vision_nearest_position_ids ("quotient", MiniCPM-V).

    Examples
    --------
    >>> fraction_rows([[1, 3], [2, 2]], 4, rule="quotient")
    array([ 0,  1,  2,  0,  2,  8, 10])
    """
    checks.choice("rule", rule, RULES)
    sizes = _rows.read_integers("sizes", sizes, ("images", 2), 1)
    if sizes.size and sizes.max() > LARGEST_SIDE:
        raise InputError("E_SIZE", "sizes", f"sizes must be at most {LARGEST_SIDE}, got {sizes.max()}")
    side = checks.integer("side", side, 1, LARGEST_SIDE)
    cells = {n: _cells(n, side, rule) for n in np.unique(sizes).tolist()}
    images = [(cells[h][:, None] * side + cells[w]).reshape(-1) for h, w in sizes.tolist()]
    return np.concatenate([np.empty(0, np.int64), *images])


def _cells(count, side, rule):
    """The cell of each of `count` patches along one axis."""
    patch = np.arange(count, dtype=np.int64)
    if rule == "quotient":
        return patch * side // count
    edges = np.arange(1, side, dtype=np.float32) / np.float32(side)
    at = np.minimum(patch.astype(np.float32) * (np.float32(1) / np.float32(count)), NEARLY_ONE)
    return np.searchsorted(edges, at, side="right").astype(np.int64)
