"""Positions of drafted tokens that form a tree."""

from __future__ import annotations

from typing import Union

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...steps.positions.exact_positions import LIMIT
from ...types import ArrayLike, Integer, Integers
from .. import _rows
from . import _packed


@register(
    family="positions",
    paper="Cai et al. 2024, Medusa, arXiv:2401.10774, section 2.1.2; Miao et al. 2023, SpecInfer, arXiv:2305.09781",
    conventions="a root is -1 and has depth 0; nodes in any order",
    also="Medusa, EAGLE, SpecInfer, tree attention, speculative decoding, draft tree, medusa_position_ids,"
    " tree_position_ids, token tree",
)
def tree_depths(parents: ArrayLike, *, past_length: Union[Integer, ArrayLike] = 0) -> Integers:
    """Position ids of the drafted tokens of speculative decoding: the depth of each node of their tree.

        P[i] = past_length                where parents[i] is -1
        P[i] = P[parents[i]] + 1          else

    Parameters
    ----------
    parents : array_like
        Integers (nodes,) or (batch, nodes): the node before each node, -1 for a root; nodes in any order.
    past_length : int or array_like, default 0
        Position of the roots, for all rows or each (batch,): the number of tokens before the tree.

    Returns
    -------
    ndarray of int64
        The shape of parents.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (parents, past_length), E_POSITION (a parent out of range, a cycle), E_SIZE (past_length).

    Notes
    -----
    Nodes of one depth share a position, so the number of a node in the tree is not its position. Medusa and EAGLE have
    the last accepted token as their root; a tree without it has several roots, at its position plus 1.

    References
    ----------
    - FasterDecoding/Medusa at 10a2697, medusa/model/utils.py, generate_medusa_buffers (medusa_position_ids) and
      tree_decoding.
    - SafeAILab/EAGLE at 148042c, eagle/model/cnets.py, topK_genrate (tree_position_ids).

    Examples
    --------
    >>> tree_depths([-1, 0, 0, 1, 1, 2], past_length=10)
    array([10, 11, 11, 12, 12, 12])
    """
    found = checks.integers("parents", parents)
    if found.ndim not in (1, 2):
        sentence = f"parents must have shape (nodes,) or (batch, nodes), got {found.shape}"
        raise InputError("E_SHAPE", "parents", sentence)
    array = _rows.read_integers("parents", found, found.shape, -1, "E_POSITION")
    nodes = array.shape[-1]
    if array.size and array.max() >= nodes:
        sentence = f"parents must be between -1 and {nodes - 1}, got {array.max()}"
        raise InputError("E_POSITION", "parents", sentence)
    rows = array.reshape(-1, nodes) if array.size else array.reshape(array.shape if array.ndim == 2 else (1, 0))
    past = _packed.read_offsets("past_length", past_length, len(rows), "rows")
    # row by row in one axis, so that one index leads to any ancestor
    above = np.where(rows < 0, -1, rows + nodes * np.arange(len(rows), dtype=np.int64)[:, None]).reshape(-1)
    positions = _depths(above, nodes).reshape(rows.shape) + past[:, None]
    if positions.size and positions.max() > LIMIT:
        raise InputError("E_POSITION", "past_length", f"positions must be at most 2**53, got {positions.max()}")
    return positions.reshape(array.shape)


def _depths(above, nodes):
    """The number of ancestors of each node; each step doubles how far `above` reaches, so that log2(nodes) suffice."""
    depths = (above >= 0).astype(np.int64)
    for _ in range(nodes.bit_length()):
        open_ones = np.flatnonzero(above >= 0)
        if not len(open_ones):
            break
        higher = above[open_ones]
        depths[open_ones] += depths[higher]
        above[open_ones] = above[higher]
    if (above >= 0).any():
        node = int(np.argmax(above >= 0)) % nodes
        raise InputError("E_POSITION", "parents", f"parents must lead to a root, -1, got a cycle above node {node}")
    return depths
