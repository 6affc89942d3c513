"""What the encoding of a named model is: `Rotary`, `Mixed`, whose learned frequencies mix the axes, and `Unpaired`,
which multiplies the two channels of a pair by numbers of different angles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arithmetic import formats, rounding
from ..errors import InputError, shown
from ..guard import guarded
from ..rotary._two_angles import rope_by_two_angles
from ..rotary.mixed_rope import mixed_rope
from ..rotary.rope import rope
from ..rotary.rope_table import rope_table
from ..steps.angles.frequencies import Frequencies
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import Grid, PositionsOfAxes
from ..steps.waves.rotation import pair_views
from ..types import Array, ArrayLike, DType, Integer, OneBlockPairing

Placement = Literal["first", "last"]
PLACEMENTS = get_args(Placement)


@guarded
@dataclass(frozen=True)
class Rotary:
    """A model's rotary encoding: the arguments of `rope` and `rope_table` that reproduce it, and where they come from.

    Attributes
    ----------
    frequencies : Frequencies
        Exact frequencies with their attention_factor (and axes).
    pairing : {'interleaved', 'half'}
        Channels of a pair, as in `rope`.
    head_dim : int
        Number of channels of a head.
    placement : {'first', 'last'}
        Whether the rotated channels, frequencies.dim of them, are the first or the last of the head.
    inverse : bool
        Whether the model rotates by -p.
    source : dict of str
        Project, version and file.
    notes : tuple of str
        What else a porter must know, one sentence each.
    blocks : int
        Number of equal parts of the rotated channels that are paired each on its own.
    deinterleaved : bool
        Whether the result holds the first channels of all pairs, then the second ones, where "interleaved" pairs were
        read.
    parameters : dict
        What the frequencies were made from, in the words of a configuration (rope_type, rope_theta, factor).
    softmax_factor : float
        What the model multiplies its softmax scale by, beside the attention factor on cosine and sine.
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
    softmax_factor: float = 1.0

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
        """x (..., seq, ..., head_dim) with its channels rotated, as `rope`; options: seq_axis, dtype, threads."""
        x = _with_channels(x, self.head_dim)
        options = {**options, "pairing": self.pairing, "frequencies": self.frequencies, "inverse": self.inverse}
        first = checks.choice("placement", self.placement, PLACEMENTS) == "first"
        if first and self.blocks == 1 and not self.deinterleaved:
            return rope(x, positions, **options)
        part, read, written = orders_of(self)
        rotated = rope(np.ascontiguousarray(x[..., part][..., read]), positions, **options)
        result = x.copy()
        result[..., part] = rotated[..., written]
        return result


def orders_of(rotary: Rotary) -> tuple[slice, NDArray[np.int64], NDArray[np.int64]]:
    """The rotated channels of a head, which of them `rope` reads, and which of its results each of them holds then."""
    start = 0 if rotary.placement == "first" else rotary.head_dim - rotary.rotary_dim
    part, channels = slice(start, start + rotary.rotary_dim), np.arange(rotary.rotary_dim, dtype=np.int64)
    if rotary.deinterleaved:
        return part, channels, np.concatenate([channels[0::2], channels[1::2]])
    # (block, half, pair) to (half, block, pair)
    read = channels.reshape(rotary.blocks, 2, -1).swapaxes(0, 1).reshape(-1)
    return part, read, np.argsort(read)


@guarded
@dataclass(frozen=True, eq=False)
class Mixed:
    """A rotation by weighted sums of positions: the arguments of `mixed_rope` that reproduce it, and their source.

    Attributes
    ----------
    weight : ndarray
        Learned frequencies (axes, heads, head_dim / 2).
    pairing : {'interleaved', 'half'}
        Channels of a pair.
    area : Fraction or None
        None, or the area to which the rows and columns of a grid are stretched, each by sqrt(area / (height width)).
    source : dict of str
        Project, version and file.
    notes : tuple of str
        What else a porter must know, one sentence each.
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
        along = positions if isinstance(positions, Grid) else rotary_arguments.read_axes(positions, len(self.weight))[0]
        tokens = math.prod(along.shape)
        # the pair (1, 0) becomes (cos, sin)
        vectors, stored = checks.output(None, (self.weight.shape[1], tokens, self.head_dim), fmt)
        stored[...] = 0
        stored[..., self._firsts()] = rounding.narrow(np.ones(1), fmt)
        table = self.rotate(vectors, positions, threads=threads)
        return table[..., self._firsts()], table[..., self._seconds()]

    def _firsts(self):
        return slice(0, None, 2) if self.pairing == "interleaved" else slice(0, self.head_dim // 2)

    def _seconds(self):
        return slice(1, None, 2) if self.pairing == "interleaved" else slice(self.head_dim // 2, None)

    def rotate(self, x: ArrayLike, positions: PositionsOfAxes, **options: Any) -> Array:
        """x (..., heads, tokens, head_dim) rotated as `mixed_rope` does; options: dtype, threads."""
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
        cells = checks.integer("height", height, 1) * checks.integer("width", width, 1)
        return [1] * len(others) + [self.area / cells] * 2


@guarded
@dataclass(frozen=True)
class Unpaired:
    """An encoding that looks like a rotation and is none, and where it is from.

    Attributes
    ----------
    frequencies : pair of Frequencies
        Exact frequencies of the first and of the second channels of the pairs, with axes.
    pairing : {'interleaved', 'half'}
        Channels of a pair.
    head_dim : int
        Number of channels of a head; the first rotary_dim channels are rotated, the others left.
    source : dict of str
        Project, version and file.
    notes : tuple of str
        What else a porter must know, one sentence each.
    """

    frequencies: tuple[Frequencies, Frequencies]
    pairing: OneBlockPairing
    head_dim: int
    source: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def rotary_dim(self) -> int:
        """How many channels of a head are rotated."""
        return self.frequencies[0].dim

    def table(self, positions: PositionsOfAxes, **options: Any) -> tuple[Array, Array]:
        """(cos, sin) with a column for each rotated channel, (..., rotary_dim); options: dtype, threads."""
        parts = [rope_table(positions, one, **options) for one in self.frequencies]
        tables = []
        for first, second in zip(*parts):
            table = np.empty((*first.shape[:-1], self.rotary_dim), first.dtype)
            for view, part in zip(pair_views(table, self.pairing, self.rotary_dim), (first, second)):
                view[...] = part
            tables.append(table)
        return tuple(tables)

    def rotate(self, x: ArrayLike, positions: PositionsOfAxes, **options: Any) -> Array:
        """x (..., seq, ..., head_dim) with its channels rotated; options: seq_axis, dtype, threads."""
        x = _with_channels(x, self.head_dim)
        return rope_by_two_angles(x, positions, pairing=self.pairing, frequencies=self.frequencies, **options)


def _with_channels(x, count):
    """The array, whose last axis must hold so many channels."""
    x = checks.array("x", x)
    if x.ndim == 0 or x.shape[-1] != count:
        raise InputError("E_SHAPE", "x", f"x must have {count} channels, got shape {x.shape}")
    return x
