"""Positions of the rows that DeepSeek-V4 compresses keys to, and how many of them a query sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers
from .. import _rows
from .._windows import MOST


class CompressedPositions(NamedTuple):
    """The position of each row that is closed, and how many rows each query may attend to."""

    positions: Integers
    visible: Integers


@register(
    family="positions",
    paper="DeepSeek-V4 in transformers 5.23.0, models/deepseek_v4/modeling_deepseek_v4.py",
    conventions="a row has the position of the first token of its window, and is seen from the last one on",
    outputs=("positions", "visible"),
    also="compressed rows, compressed KV, compressor, lightning indexer, CSA, HCA, compress_ratios,"
    " compressed sparse attention, heavily compressed attention",
)
def compressed_positions(length: Integer, *, ratio: Integer, past_length: Integer = 0) -> CompressedPositions:
    """Positions of the compressed rows that new tokens close, and how many rows each new token attends to.

        positions:  j ratio,  j = floor(past_length / ratio) .. floor((past_length + length) / ratio) - 1
        visible:    floor((p + 1) / ratio),  p = past_length .. past_length + length - 1

    Parameters
    ----------
    length : int
        Number of new tokens.
    ratio : int
        Tokens of a window, 1 to 2**31: 4 and 128 in DeepSeek-V4.
    past_length : int, default 0
        Number of tokens before them, up to 2**53, all rows of whose full windows are in the cache.

    Returns
    -------
    positions, visible : ndarray of int64
        Shapes (rows,) and (length,).

    Raises
    ------
    InputError
        E_SIZE (length, ratio, past_length), E_TOO_LARGE.

    Notes
    -----
    The rows of the compressor and of its indexer have these positions, with the frequencies of the compressed layers;
    queries have their own, p. A window that is not full has no row. Where windows overlap (ratio 4), row j also holds
    tokens of the window before, at the same position.

    References
    ----------
    transformers 5.23.0, models/deepseek_v4/modeling_deepseek_v4.py: DeepseekV4HCACompressor, DeepseekV4CSACompressor
    and DeepseekV4Indexer (first_window_position, causal_threshold).

    Examples
    --------
    >>> compressed_positions(9, ratio=4)
    CompressedPositions(positions=array([0, 4]), visible=array([0, 0, 0, 1, 1, 1, 1, 2, 2]))
    >>> compressed_positions(3, ratio=4, past_length=9).positions
    array([8])
    """
    length, past = (
        checks.integer("length", length),
        checks.integer("past_length", past_length, 0, _rows.LARGEST_POSITION),
    )
    ratio = checks.integer("ratio", ratio, 1, MOST)
    _, visible = checks.output(None, (length,), checks.INT64)
    visible[...] = np.arange(past + 1, past + 1 + length, dtype=np.int64) // ratio
    first = past // ratio
    positions = np.arange(first, (past + length) // ratio, dtype=np.int64)
    positions *= ratio
    return CompressedPositions(positions, visible)
