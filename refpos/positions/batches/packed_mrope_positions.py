"""Positions of multimodal sequences that are packed into one batch."""

from __future__ import annotations

from typing import Union

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, TransformersVersion
from .. import _rows
from ..multimodal.qwen2_vl_positions import qwen2_vl_positions
from . import _packed


@register(
    family="positions",
    paper="Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1; packed as in FlashAttention",
    conventions="each sequence counts from 0; grids in the order of the runs; text resumes by version",
    outputs=("positions", "deltas"),
    also="packed multimodal batch, M-RoPE with packing, Qwen2-VL with sequence packing, get_rope_index of packed rows",
)
def packed_mrope_positions(
    cu_seqlens: Union[Integer, ArrayLike],
    mm_token_type_ids: ArrayLike,
    *,
    version: TransformersVersion,
    image_grid_thw: ArrayLike | None = None,
    video_grid_thw: ArrayLike | None = None,
    spatial_merge_size: Integer = 2,
) -> _rows.MultimodalPositions:
    """The (time, row, column) positions of packed sequences of text, image and video tokens.

        P[:, cu_seqlens[s] : cu_seqlens[s + 1]] = qwen2_vl_positions of sequence s alone

    Parameters
    ----------
    cu_seqlens : int or array_like
        Integers (sequences + 1,), 0 and the running sums of the lengths; an int is the length of one sequence.
    mm_token_type_ids : array_like
        Integers (tokens,), at least one: 0 text, 1 image, 2 video; a block is one unbroken run of its kind.
    version : {'transformers-4.57.1', 'transformers-5.23.0'}
        Where text resumes after a block: see `qwen2_vl_positions`.
    image_grid_thw, video_grid_thw : array_like, optional
        Integers (count, 3), frames, rows and columns of patches, in the order of the runs through the batch.
    spatial_merge_size : int, default 2
        Patches merged to a token along each axis.

    Returns
    -------
    positions, deltas : ndarray of int64
        Shapes (3, tokens) and (sequences, 1): deltas are 0 of a sequence without tokens, else the largest position plus
        1, less the tokens.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_POSITION (cu_seqlens, mm_token_type_ids, grids that do not match), E_SIZE (grids), E_CHOICE
        (version, mm_token_type_ids), E_TOO_LARGE.

    Notes
    -----
    The time of text does not tell where sequences begin in the middle of a block, so packed attention needs cu_seqlens,
    not the position ids. A run of image tokens that a boundary divides is two runs.

    References
    ----------
    get_rope_index in src/transformers/models/qwen2_vl/modeling_qwen2_vl.py, transformers 4.57.1 and 5.23.0, of one row.

    Examples
    --------
    >>> packed_mrope_positions(
    ...     [0, 3, 8], [0, 0, 0, 0, 1, 1, 1, 1], version="transformers-5.23.0", image_grid_thw=[[1, 4, 4]]).positions
    array([[0, 1, 2, 0, 1, 1, 1, 1],
           [0, 1, 2, 0, 1, 1, 2, 2],
           [0, 1, 2, 0, 1, 2, 1, 2]])
    """
    bounds = _packed.read_cu_seqlens(cu_seqlens)
    types = _rows.read_integers("mm_token_type_ids", mm_token_type_ids, ("tokens",))
    if len(types) != bounds[-1] or not len(types):
        wanted = (
            f"{bounds[-1]} tokens, as many as cu_seqlens says," if bounds[-1] else "at least one token, as cu_seqlens,"
        )
        raise InputError("E_SHAPE", "mm_token_type_ids", f"mm_token_type_ids must have {wanted} got {len(types)}")
    lengths = np.diff(bounds)
    filled = np.flatnonzero(lengths)
    shape = len(filled), int(lengths.max())
    rows = checks.empty("mm_token_type_ids", shape, np.int64)
    kept = np.arange(shape[1], dtype=np.int64) < lengths[filled, None]
    rows[...] = _rows.TEXT
    rows[kept] = types
    found = qwen2_vl_positions(
        rows, version=version, image_grid_thw=image_grid_thw, video_grid_thw=video_grid_thw, attention_mask=kept,
        spatial_merge_size=spatial_merge_size,
    )  # fmt: skip
    deltas = np.zeros((len(lengths), 1), np.int64)
    # padding has positions of its own in each version, which no sequence alone has
    deltas[filled, 0] = np.where(kept, found.positions, -1).max((0, 2)) + 1 - lengths[filled]
    return _rows.MultimodalPositions(found.positions[:, kept], deltas)
