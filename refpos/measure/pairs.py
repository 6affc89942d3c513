"""Which channels of a rotation are pairs: those whose sum of squares the rotation keeps, up to a factor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..types import Array

LARGEST_MISFIT = 0.05  # of the sum of squares; of channels that are no pairs it is some 0.3
BESIDE = 4  # times the smallest misfit, within which the arithmetic decides and not the pairing
BLOCKS = (2, 3, 4)
SHARES = ((1, 4), (1, 2), (3, 4), (1, 1))  # of a head, which models rotate


class Pairs(NamedTuple):
    """The channels of x that are the first and the second of each pair, (pairs,), and those of the result.

    arguments: the keywords of `rope` that say so, beside the range of channels it is given; None where no keywords do.
    free: whether it is not known which pair is the fastest, and which channel of a pair is the first.
    """

    first: Array
    second: Array
    first_written: Array
    second_written: Array
    text: str
    arguments: dict[str, Any] | None
    free: bool = False

    def copied(self, width):
        """The channels that are in no pair."""
        return np.setdiff1d(np.arange(width, dtype=np.int64), np.concatenate([self.first, self.second]))

    def complex_of(self, x, written=False):
        """Channels (..., width) as complex numbers (..., pairs)."""
        first, second = (self.first_written, self.second_written) if written else (self.first, self.second)
        return x[..., first] + 1j * x[..., second]


def square(values):
    """The squares of the sizes of complex numbers."""
    return values.real * values.real + values.imag * values.imag


def found_pairs(x, y, unit):
    """The `Pairs` that rows x and y, (rows, width), may have, the likeliest first; unit: the rounding unit of y."""
    moving = np.flatnonzero((x != y).any(axis=0))
    if not len(moving):
        return []
    measured = [(_misfit(x, y, pairs), k, pairs) for k, pairs in enumerate(_layouts(x.shape[-1], moving))]
    lowest = min((misfit for misfit, _, _ in measured), default=np.inf)  # of an odd width there are none
    if lowest < LARGEST_MISFIT:
        within = max(BESIDE * lowest, 2 * unit)
        return [pairs for misfit, _, pairs in sorted(measured, key=lambda one: one[1]) if misfit <= within]
    free = _of_equal_change(x, y)
    return [] if free is None or _misfit(x, y, free) > max(LARGEST_MISFIT, 16 * unit) else [free]


def _misfit(x, y, pairs):
    """How much of the sum of squares is not where a rotation of these pairs has it."""
    one, other = (square(pairs.complex_of(x)), square(pairs.complex_of(y, written=True)))
    size = one.sum(axis=0)
    gain = other.sum(axis=0) / np.where(size > 0, size, 1)
    before, after = (part[:, pairs.copied(x.shape[-1])] for part in (x, y))
    apart = np.abs(other - gain * one).sum() + ((after - before) * (after - before)).sum()
    return float(apart / max(float((y * y).sum()), 1e-300))


def _layouts(width, moving):
    """The pairings that models have, of every width that holds all channels that are not copied."""
    low, high = int(moving[0]), int(moving[-1]) + 1
    shares = {width * n // m // 2 * 2 for n, m in SHARES} | {high + high % 2}
    for rotary in sorted(one for one in shares if high <= one <= width):
        yield _laid_out(_interleaved(0, rotary), width, 0, rotary, "interleaved")
    for rotary in range(high + high % 2, width + 1, 2):
        yield _laid_out(_half(0, rotary), width, 0, rotary, "half")
    for rotary in range(width - low + (width - low) % 2, width, 2):
        start = width - rotary
        yield _laid_out(_half(start, rotary), width, start, rotary, "half")
        if rotary in shares or rotary == width - low + (width - low) % 2:
            yield _laid_out(_interleaved(start, rotary), width, start, rotary, "interleaved")
    for count in BLOCKS:
        if width % (2 * count) == 0:
            block = width // count
            parts = [_half(k * block, block) for k in range(count)]
            first, second = (np.concatenate(part) for part in zip(*parts))
            text = f"pairs (i, i + {block // 2}) in each block of {block} channels"
            yield Pairs(first, second, first, second, text, None)
    for rotary in sorted(one for one in shares if high <= one <= width):
        one, other = _interleaved(0, rotary), _half(0, rotary)
        yield Pairs(*one, *other, f"pairs (2i, 2i + 1), written to (i, i + {rotary // 2})", None)
        yield Pairs(*other, *one, f"pairs (i, i + {rotary // 2}), written to (2i, 2i + 1)", None)


def _interleaved(start, rotary):
    first = start + np.arange(0, rotary, 2, dtype=np.int64)
    return first, first + 1


def _half(start, rotary):
    first = start + np.arange(rotary // 2, dtype=np.int64)
    return first, first + rotary // 2


def _laid_out(channels, width, start, rotary, pairing):
    """The `Pairs` of a pairing of `rope`, of the first channels or of the last ones."""
    index = "i" if not start else f"{start} + i"
    text = f"pairs ({index}, {index} + {rotary // 2})"
    if pairing == "interleaved":
        index = "2i" if not start else f"{start} + 2i"
        text = f"pairs ({index}, {index} + 1)" if not start else f"pairs ({index}, {start + 1} + 2i)"
    arguments = {"pairing": pairing} | ({"rotary_dim": rotary} if rotary < width and not start else {})
    return Pairs(*channels, *channels, text, arguments)


def _of_equal_change(x, y):
    """The pairs of channels of which one gains in squares what the other loses; None where there are none."""
    gain = (y * y).sum() / max((x * x).sum(), 1e-300)
    change = y * y - gain * x * x
    size = np.abs(change).sum(axis=0)
    apart = np.empty((len(size), len(size)))
    for channel in range(len(size)):
        both = np.abs(change + change[:, channel : channel + 1]).sum(axis=0)
        apart[channel] = both / np.maximum(size + size[channel], 1e-300)
    np.fill_diagonal(apart, 2.0)
    nearest = apart.argmin(axis=1)
    mutual = [k for k in range(len(size)) if nearest[nearest[k]] == k and k < nearest[k] and apart[k].min() < 0.1]
    if not mutual:
        return None
    first = np.array(mutual, np.int64)
    second = nearest[first]
    return in_any_order(first, second)


def in_any_order(first, second):
    """The `Pairs` of channels that no pairing of `rope` has."""
    shown = ", ".join(f"({a}, {b})" for a, b in zip(first[:4], second[:4]))
    return Pairs(first, second, first, second, f"pairs {shown}{', ..' if len(first) > 4 else ''}", None, True)
