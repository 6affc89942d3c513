"""What a model's encoding is that turns the two channels of a pair by different angles: no rotation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..encodings._two_angles import rope_unpaired
from ..encodings.rope_table import rope_table
from ..errors import InputError
from ..steps.frequencies import Frequencies
from ..steps.grids import PositionsOfAxes
from ..steps.rotation import pair_views
from ..types import Array, ArrayLike, OneBlockPairing


@dataclass(frozen=True)
class Unpaired:
    """An encoding that looks like a rotation and is none, and where it is from.

    frequencies: exact frequencies of the first and of the second channels of the pairs, with axes. pairing,
    head_dim, source, notes: as in `Rotary`. The first rotary_dim channels are turned, the others left.
    """

    frequencies: tuple[Frequencies, Frequencies]
    pairing: OneBlockPairing
    head_dim: int
    source: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def rotary_dim(self) -> int:
        """How many channels of a head are turned."""
        return self.frequencies[0].dim

    def table(self, positions: PositionsOfAxes, **options: Any) -> tuple[Array, Array]:
        """(cos, sin) with a column for each turned channel, (..., rotary_dim); options: dtype, threads."""
        parts = [rope_table(positions, one, **options) for one in self.frequencies]
        tables = []
        for first, second in zip(*parts):
            whole = np.empty((*first.shape[:-1], self.rotary_dim), first.dtype)
            for view, part in zip(pair_views(whole, self.pairing, self.rotary_dim), (first, second)):
                view[...] = part
            tables.append(whole)
        return tuple(tables)

    def rotate(self, x: ArrayLike, positions: PositionsOfAxes, **options: Any) -> Array:
        """x (..., seq, ..., head_dim) with its channels turned; options: seq_axis, dtype, threads."""
        x = np.asarray(x)
        if x.ndim == 0 or x.shape[-1] != self.head_dim:
            raise InputError("E_SHAPE", "x", f"x must have {self.head_dim} channels, got shape {x.shape}")
        return rope_unpaired(x, positions, pairing=self.pairing, frequencies=self.frequencies, **options)
