"""All mistakes that are tried for a call, the likeliest first: a list of sources, each a function of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .arrays.other_arrays import other_arrays
from .arrays.other_cells import other_cells
from .arrays.other_kinds import other_kinds
from .arrays.other_rows import other_rows, rows_of_other_sign
from .batches import other_batches
from .call import Call
from .choices import other_choices
from .eight_bits.eight_bit_mistakes import wrong_8_bits
from .emulated import other_arithmetic
from .mistake import Mistake
from .other_frequencies import other_bases, other_frequencies, rounded_frequencies
from .other_grids import other_grids
from .other_ids import other_ids
from .other_projections import other_projections
from .other_rotations import other_rotations
from .outcomes import other_results
from .places import other_positions
from .rounded_x import rounded_x

#: each yields the mistakes of one kind for a call; a further kind is one more line
SOURCES: list[Callable[[Call], Iterator[Mistake]]] = [
    other_choices,
    wrong_8_bits,
    other_batches,
    other_ids,
    other_grids,
    other_results,
    rows_of_other_sign,
    other_frequencies,
    other_positions,
    other_bases,
    rounded_frequencies,
    rounded_x,
    other_rotations,
    other_projections,
    other_arithmetic,
]
#: the same of mistakes that are tried where none of those, and no measurement, gives the numbers
OF_ARRAYS: list[Callable[[Call], Iterator[Mistake]]] = [other_kinds, other_cells, other_rows, other_arrays]


def mistakes(call: Call) -> Iterator[Mistake]:
    """All mistakes that are tried for a call, the likeliest first."""
    for source in SOURCES:
        yield from source(call)


def mistakes_of_arrays(call: Call) -> Iterator[Mistake]:
    """The mistakes of the arrays of a call, which are tried where no other one gives the numbers."""
    for source in OF_ARRAYS:
        yield from source(call)
