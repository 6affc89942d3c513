"""The name of measured positions: what has been done to those that are asked for."""

from __future__ import annotations

import re

import numpy as np

from ..places import held

CLOSE = {"float16": 2e-3, "bfloat16": 2e-3}  # of the largest position, by which measured ones may be off
CLOSE_OF_OTHERS = 5e-4
EXACT = 1e-6  # the same of positions that are multiples of 1/8
BITS = (8, 16)  # of integers that may have wrapped around
FORMATS = ("bfloat16", "float16")
OF_PI = {"pi": np.pi, "2 pi": 2 * np.pi, "pi/180, degrees taken for radians": np.pi / 180, "180/pi": 180 / np.pi}
OF_AXES = "sinusoidal grid"  # the kind of readings whose positions have axes


def named_positions(found, asked):
    """What the positions of one `Reading` are of those of another one, in words; nothing where they are the same or
    have no name."""
    if found.kind != asked.kind:
        return ""
    try:
        got, wanted = np.broadcast_arrays(found.positions, asked.positions)
    except ValueError:
        return ""
    whole = moved(got, wanted, found.format)
    if whole is not None or found.kind != OF_AXES:
        return whole or ""
    axes = [moved(one, other, found.format) for one, other in zip(got, wanted)]
    # the axes of cells, of which the positions are in the order of the columns
    cells = re.findall(r"of axis (\d+)", asked.summary)
    told = [f"{text} of axis {axis}" for axis, text in sorted(zip(cells, axes)) if text]
    return " and ".join(told) if None not in axes else ""


def moved(got, wanted, fmt):
    """What positions are of others, in words; nothing where they are the same, and None where that has no name."""
    known = np.isfinite(got) & np.isfinite(wanted)
    if known.sum() < 2:
        return None
    eighths = bool((got[known] * 8 == np.rint(got[known] * 8)).all())
    close = (EXACT if eighths else CLOSE.get(fmt, CLOSE_OF_OTHERS)) * float(np.abs(got[known]).max())
    if np.abs(got - wanted)[known].max() <= close:
        return ""
    for text, values in _candidates(got, wanted, known):
        apart = np.abs(got - values)[known]
        if np.isfinite(apart).all() and apart.max() <= close:
            return f"{'position' if ' for every row' in text else 'positions'} {text}"
    return None


def _candidates(got, wanted, known):
    """(what was done, the positions that it gives), the likeliest first."""
    one, other = got[known], wanted[known]
    shift = float(one[0] - other[0])
    yield f"{'+' if shift > 0 else '-'} {abs(shift):g}", wanted + shift
    yield "negated", -wanted
    yield "in reverse order", np.flip(wanted, -1)
    if (one == one[0]).all():
        yield ("all 0: not rotated" if one[0] == 0 else f"{one[0]:g} for every row"), np.full(wanted.shape, one[0])
    largest, step = float(one.max()), _step(one)
    yield f"of at most {largest:g}", np.minimum(wanted, largest)
    if largest > 0:
        yield f"modulo {largest + 1:g} (counted from 0 again)", np.mod(wanted, largest + 1)
    slope = (one[-1] - one[0]) / (other[-1] - other[0]) if other[-1] != other[0] else 0
    if abs(slope - 1) > CLOSE_OF_OTHERS and slope:
        yield f"times {factor(slope)}", wanted * slope
    if slope:
        yield f"rounded down to multiples of {step:g} (integer division)", np.floor(wanted / step) * step
        divisor = max(1.0, float(np.rint(1 / slope)))
        yield f"divided by {divisor:g} and rounded down", np.floor(wanted / divisor)
        start = one[0] - other[0] * slope
        yield f"times {slope:.6g} {'+' if start > 0 else '-'} {abs(start):.4g}", wanted * slope + start
    for text, line in _lines(one, other, wanted):
        yield from _narrowed(text, line)


def _lines(one, other, wanted):
    """(what was done, positions) of the lines that the first positions may be on before they were narrowed."""
    yield "", wanted
    if one[0] != other[0]:
        yield f"+ {one[0] - other[0]:g}, ", wanted + (one[0] - other[0])
    slope = (one[1] - one[0]) / (other[1] - other[0]) if other[1] != other[0] else 0
    if slope not in (0, 1):
        yield f"times {slope:g}, ", one[0] + (wanted - other[0]) * slope


def _narrowed(text, line):
    """Positions in formats and integers that do not hold them."""
    for bits in BITS:
        size = 1 << bits
        yield f"{text}held in int{bits}, which wrap around", np.mod(line + size // 2, size) - size // 2
        yield f"{text}held in uint{bits}, which wrap around", np.mod(line, size)
    for kind in FORMATS:
        yield f"{text}held in {kind}", held(line, kind)


def _step(positions):
    """The smallest distance of positions that differ, 1 where none do."""
    steps = np.diff(np.unique(positions))
    return float(steps.min()) if len(steps) else 1.0


def factor(value):
    """A factor to six digits, with the fraction or the multiple of pi that it is."""
    inverse = 1 / value
    if abs(inverse) > 1.5 and abs(inverse - np.rint(inverse)) < 1e-5 * abs(inverse):
        return f"{value:.6g} (1/{inverse:.0f})"
    near = next((text for text, one in OF_PI.items() if abs(value / one - 1) < CLOSE_OF_OTHERS), "")
    return f"{value:.6g}" + (f" ({near})" if near else "")
