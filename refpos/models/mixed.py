"""What a model's encoding is whose learned frequencies mix the axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..encodings.mixed_rope import mixed_rope
from ..errors import InputError, shown
from ..steps.grids import Grid, PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, OneBlockPairing


@dataclass(frozen=True, eq=False)
class Mixed:
    """A rotation by weighted sums of positions: the arguments of `mixed_rope` that reproduce it, and their source.

    weight: learned frequencies (axes, heads, head_dim / 2). pairing: "interleaved" or "half". area: None, or the area
    to which the rows and columns of a grid are stretched, each by sqrt(area / (height width)). source, notes: as in
    `Rotary`.
    """

    weight: Array
    pairing: OneBlockPairing
    area: Fraction | None = None
    source: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def head_dim(self) -> int:
        """Channels of a head, all of them rotated."""
        return 2 * self.weight.shape[-1]

    @property
    def rotary_dim(self) -> int:
        """How many channels of a head are rotated."""
        return self.head_dim

    def table(
        self, positions: PositionsOfAxes, *, dtype: DType = "float64", threads: Integer | None = None
    ) -> tuple[Array, Array]:
        """(cos, sin), each (heads, tokens, head_dim / 2), at a `grid`, or at positions (tokens,) for each axis."""
        fmt = formats.resolve(dtype)
        tokens = math.prod(positions.shape) if isinstance(positions, Grid) else len(positions[0])
        ones = np.zeros((self.weight.shape[1], int(tokens), self.head_dim))
        ones[..., self._firsts()] = 1
        # pairs (1, 0) turn into (cos, sin)
        vectors = rounding.narrow(ones, fmt).view(formats.array_dtype(fmt))
        found = self.rotate(vectors, positions, threads=threads)
        return found[..., self._firsts()], found[..., self._seconds()]

    def _firsts(self):
        return slice(0, None, 2) if self.pairing == "interleaved" else slice(0, self.head_dim // 2)

    def _seconds(self):
        return slice(1, None, 2) if self.pairing == "interleaved" else slice(self.head_dim // 2, None)

    def rotate(self, x: ArrayLike, positions: PositionsOfAxes, **options: Any) -> Array:
        """x (..., heads, tokens, head_dim) turned as `mixed_rope` does; options: dtype, threads."""
        return mixed_rope(
            x, positions, self.weight, pairing=self.pairing, squared_scale=self._squared_scale(positions), **options
        )

    def _squared_scale(self, positions):
        if self.area is None:
            return None
        if not isinstance(positions, Grid) or len(positions.axes) < 2:
            received = f"{len(positions.axes)} axis" if isinstance(positions, Grid) else shown(positions)
            sentence = f"positions must be a grid with rows and columns, got {received}"
            raise InputError("E_SHAPE", "positions", sentence)
        *others, height, width = positions.shape
        return [1] * len(others) + [self.area / (checks.integer("height", height, 1) * width)] * 2
