"""What a model's rotary encoding is: its frequencies, and how they meet the channels of a head."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..encodings.rope import rope
from ..encodings.rope_table import rope_table
from ..errors import InputError
from ..steps.frequencies import Frequencies
from ..steps.grids import PositionsOfAxes
from ..types import Array, ArrayLike, OneBlockPairing

Placement = Literal["first", "last"]
PLACEMENTS = get_args(Placement)


@dataclass(frozen=True)
class Rotary:
    """A model's rotary encoding: the arguments of `rope` and `rope_table` that reproduce it, and where they come from.

    frequencies: exact frequencies with their attention_factor (and axes). pairing: as in `rope`. head_dim: channels of
    a head; the rotated ones, frequencies.dim of them, are the "first" or the "last" (placement). inverse: whether the
    model turns by -p. source: project, version and file. notes: what else a porter must know, one sentence each.
    blocks: into how many equal parts the rotated channels fall that are paired each on its own. deinterleaved: whether
    the result holds the first channels of all pairs, then the second ones, where "interleaved" pairs were read.
    parameters: what the frequencies were made from, in the words of a configuration (rope_type, rope_theta, factor).
    """

    frequencies: Frequencies
    pairing: OneBlockPairing
    head_dim: int
    placement: Placement = "first"
    inverse: bool = False
    source: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    blocks: int = 1
    deinterleaved: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def rotary_dim(self) -> int:
        """How many channels of a head are rotated."""
        return self.frequencies.dim

    @property
    def inv_freq(self) -> NDArray[np.float64]:
        """The frequencies as float64, rounded once."""
        return self.frequencies.inv_freq

    @property
    def attention_factor(self) -> float:
        """The factor on cosine and sine."""
        return self.frequencies.attention_factor

    def table(self, positions: PositionsOfAxes, **options: Any) -> tuple[Array, Array]:
        """(cos, sin) of `rope_table` at those positions; options: dtype, out, threads."""
        return rope_table(positions, self.frequencies, **options)

    def rotate(self, x: ArrayLike, positions: PositionsOfAxes, **options: Any) -> Array:
        """x (..., seq, ..., head_dim) with its channels turned, as `rope`; options: seq_axis, dtype, threads."""
        x = np.asarray(x)
        if x.ndim == 0 or x.shape[-1] != self.head_dim:
            raise InputError("E_SHAPE", "x", f"x must have {self.head_dim} channels, got shape {x.shape}")
        options = {**options, "pairing": self.pairing, "frequencies": self.frequencies, "inverse": self.inverse}
        first = checks.choice("placement", self.placement, PLACEMENTS) == "first"
        if first and self.blocks == 1 and not self.deinterleaved:
            return rope(x, positions, **options)
        part = slice(0, self.rotary_dim) if first else slice(self.head_dim - self.rotary_dim, self.head_dim)
        read, written = self._orders()
        turned = rope(np.ascontiguousarray(x[..., part][..., read]), positions, **options)
        result = x.copy()
        result[..., part] = turned[..., written]
        return result

    def _orders(self):
        """Which of the rotated channels `rope` reads, and which of its results each channel holds then."""
        channels = np.arange(self.rotary_dim, dtype=np.int64)
        if self.deinterleaved:
            return channels, np.concatenate([channels[0::2], channels[1::2]])
        # (block, half, pair) to (half, block, pair)
        read = channels.reshape(self.blocks, 2, -1).swapaxes(0, 1).reshape(-1)
        return read, np.argsort(read)
