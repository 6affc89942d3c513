"""The layout of a head: which channels each pair is read from, and to which the rotated pair is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..errors import InputError, shown
from ..guard import guarded
from ..rotary.rope import PAIRINGS
from ..types import Integer, Integers, Pairing

MOST = 2**28  # heads, and channels of a head: so many of both have indices that an array can be asked for
Place = Literal["first", "last"]
PLACES = get_args(Place)


@guarded
@dataclass(frozen=True)
class Layout:
    """Where the channels of one head stand; two layouts are equal when their parameters are. Made by `layout`."""

    head_dim: int
    pairing: str
    rotary_dim: int
    place: str
    output: str
    blocks: tuple[int, ...]
    columns: tuple[int, ...] | None
    inverse: bool

    @property
    def pairs(self) -> int:
        """How many pairs are rotated."""
        return self.rotary_dim // 2

    @cached_property
    def read(self) -> Integers:
        """Channels before the rotation, (head_dim,): the first of each pair, the second of each, the copied ones."""
        return self._channels(self.pairing)

    @cached_property
    def written(self) -> Integers:
        """Channels after the rotation, in the order of `read`."""
        return self._channels(self.output)

    def _channels(self, pairing):
        start = 0 if self.place == "first" else self.head_dim - self.rotary_dim
        halves = [[], []]
        for width in self.blocks if pairing == "block-half" else (self.rotary_dim,):
            step, apart = (2, 1) if pairing == "interleaved" else (1, width // 2)
            first = start + step * np.arange(width // 2, dtype=np.int64)
            halves[0].append(first), halves[1].append(first + apart)
            start += width
        # pair j rotates by column columns[j] of the table; pairs are listed by column
        by_column = slice(None) if self.columns is None else np.argsort(self.columns)
        first, second = (np.concatenate(half)[by_column] for half in halves)
        # turning (a, b) back is turning (b, a) on
        rotated = (second, first) if self.inverse else (first, second)
        copied = np.setdiff1d(np.arange(self.head_dim, dtype=np.int64), np.concatenate(rotated))
        return np.concatenate([*rotated, copied])

    def __str__(self) -> str:
        pairs = self.pairing + (f" {' + '.join(map(str, self.blocks))}" if self.blocks else "")
        share = "" if self.rotary_dim == self.head_dim else f" {self.place} {self.rotary_dim} of"
        more = f", written {self.output}" if self.output != self.pairing else ""
        more += ", columns permuted" if self.columns is not None else ""
        return f"{pairs},{share} {self.head_dim} channels{more}{', inverse' if self.inverse else ''}"


@guarded
def layout(
    head_dim: Integer,
    *,
    pairing: Pairing,
    rotary_dim: Integer | None = None,
    place: Place = "first",
    output: Pairing | None = None,
    blocks: Sequence[Integer] | None = None,
    columns: Sequence[Integer] | None = None,
    inverse: bool = False,
) -> Layout:
    """The layout of one head: which channels are a pair, and where the rotated pair goes.

        interleaved: pair i is channels (2i, 2i+1)     half: (i, i + rotary_dim/2)     block-half: half in each block

    Parameters
    ----------
    head_dim : int
        Number of channels of a head; of the whole width where the rotation comes before the heads are split
        (LTX-Video).
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair: "interleaved", "half" or "block-half".
    rotary_dim : int, optional
        Number of channels that are rotated (default all).
    place : {'first', 'last'}, default 'first'
        Whether those are the "first" or the "last" of the head (MLA: DeepSeek-V2 and later).
    output : {'interleaved', 'half', 'block-half'}, optional
        The pairing in whose order the result is written, where that is another ("half" for DeepSeek-V3, which reads
        interleaved pairs).
    blocks : sequence of int, optional
        Of block-half, the even widths that sum to rotary_dim (Gemma 4 vision: two of half the head).
    columns : sequence of int, optional
        For each pair the column of the table it rotates by, where that is not 0, 1, 2 ...
    inverse : bool, default False
        Whether the rotation is by minus the phase (NanoChat).

    Returns
    -------
    Layout
        A `Layout`, for `order`, `reorder`, `qkv_order`, `prove_orders` and `prove_weights`.

    Raises
    ------
    InputError
        E_SIZE, E_ODD_DIM, E_ROTARY_DIM, E_CHOICE, E_SHAPE.

    References
    ----------
    transformers, models/llama, models/gptj, models/deepseek_v3, models/gemma4.

    Examples
    --------
    >>> print(layout(128, pairing="interleaved", rotary_dim=64))
    interleaved, first 64 of 128 channels
    >>> layout(6, pairing="half").read
    array([0, 1, 2, 3, 4, 5])
    >>> layout(6, pairing="interleaved").read
    array([0, 2, 4, 1, 3, 5])
    """
    head_dim = checks.integer("head_dim", head_dim, 1, MOST)
    rotary_dim = checks.multiple(*(("head_dim", head_dim) if rotary_dim is None else ("rotary_dim", rotary_dim)), 2)
    if rotary_dim > head_dim:
        raise InputError("E_ROTARY_DIM", "rotary_dim", f"rotary_dim must be at most {head_dim}, got {rotary_dim}")
    checks.choice("pairing", pairing, PAIRINGS)
    checks.choice("place", place, PLACES)
    output = pairing if output is None else checks.choice("output", output, PAIRINGS)
    if (blocks is not None) != ("block-half" in (pairing, output)):
        received = f"{shown(blocks)} and {pairing!r}"
        raise InputError("E_CHOICE", "blocks", f"blocks must go with 'block-half', got {received}")
    blocks = () if blocks is None else block_widths(blocks, rotary_dim)
    if columns is not None:
        columns = _checked_columns(columns, rotary_dim // 2)
    return Layout(head_dim, pairing, rotary_dim, place, output, blocks, columns, checks.flag("inverse", inverse))


def block_widths(blocks, width):
    """The blocks as a tuple of even widths that sum to the width."""
    blocks = tuple(checks.multiple("blocks", block, 2) for block in checks.listed("blocks", blocks, "even widths"))
    if sum(blocks) != width:
        raise InputError("E_SHAPE", "blocks", f"blocks must sum to the rotated width {width}, got {sum(blocks)}")
    return blocks


def _checked_columns(columns, pairs):
    columns = tuple(checks.integer("columns", column) for column in checks.listed("columns", columns, "column numbers"))
    if sorted(columns) != list(range(pairs)):
        received = shown(columns)
        raise InputError("E_SHAPE", "columns", f"columns must hold each of 0 .. {pairs - 1} once, got {received}")
    return None if columns == tuple(range(pairs)) else columns
