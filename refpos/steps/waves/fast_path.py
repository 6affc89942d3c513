"""Small calls, one decode step as a rule: from the caller's arrays to the compiled kernel with nothing between.

What is no small call of the plainest kind, or has a result that the rounding test leaves undecided, goes the way of all
others, which also words every refusal. The bits are the same.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ... import checks, kernels
from ...arithmetic import formats
from ..angles import attention_factor, phases, seeds
from ..angles.frequencies import Frequencies, rotary_inv_freq
from ..positions.exact_positions import as_int64
from . import rotation, rotation_plan, tables

MOST = 1 << 13  # channels of a rotation, entries of a table
LEAST_BASE, LARGEST_BASE = 1.0, 2.0**64  # beyond them the frequencies may be refused
_inv_freq = lru_cache(maxsize=64)(rotary_inv_freq)
_NOTHING = np.zeros(1, np.int64)


def on_one_thread(threads):
    """Whether a call leaves the count of threads open or asks for one; that count is looked at as any other is."""
    return threads is None or (type(threads) is int and threads == 1 and checks.thread_count(threads) == 1)


def rotate(x, positions, pairing, frequencies, base, backwards, seq_axis, dtype, out):
    """The rotated channels as `refpos.rope` returns them; None where the call is not of this kind."""
    kernel = getattr(kernels.active, "rotate_small", None)  # NumPy has no shorter way
    if kernel is None or type(x) is not np.ndarray or not 0 < x.size <= MOST:
        return None
    if type(pairing) is not str or type(backwards) is not bool:
        return None
    if type(seq_axis) is not int or not -x.ndim <= seq_axis < x.ndim:
        return None
    if pairing not in ("half", "interleaved"):
        return None
    fmt = _format(x.dtype, dtype) if dtype is None or type(dtype) is str else None
    frequencies = _frequencies(frequencies, base, x)
    if fmt is None or frequencies is None:
        return None
    turns, axes = _rotation_turns(frequencies, fmt)
    if axes is not None:
        positions = _axis_by_axis(positions, axes, x.shape, seq_axis % x.ndim)
    if not turns or _count(positions) is None:
        return None
    if out is None:
        out = np.empty(x.shape, x.dtype)
    elif type(out) is not np.ndarray or out.dtype != x.dtype or not out.flags.writeable:
        return None
    source, target = (x, out) if fmt.name != "bfloat16" else (x.view(np.uint16), out.view(np.uint16))
    done = kernel(source, target, positions, seq_axis, turns, pairing != "half", backwards)
    return out if done else None


def table(positions, frequencies, dtype):
    """(cos, sin) as `refpos.rope_table` returns them; None where the call is not of this kind."""
    positions, count = _read(positions)
    if count is None or type(frequencies) is not Frequencies or type(dtype) is not str or dtype not in formats.FORMATS:
        return None
    fmt, shape = formats.FORMATS[dtype], (count, len(frequencies))
    if not 0 < shape[0] * shape[1] <= _most():
        return None
    results = np.empty(shape, formats.array_dtype(fmt)), np.empty(shape, formats.array_dtype(fmt))
    cos, sin = (formats.storage(array, fmt) for array in results)
    return results if _fill(cos, sin, positions, frequencies, fmt) else None


def sinusoids(positions, frequencies, dim, layout, cosines, fmt):
    """The table (positions, dim) of `sinusoids.filled`; None where the call is not of this kind."""
    positions, count = _read(positions)
    if count is None or not 0 < count * dim <= _most() or dim != len(frequencies) + cosines:
        return None
    result = np.empty((count, dim), formats.array_dtype(fmt))
    columns = tables.cos_sin_columns(formats.storage(result, fmt), layout, len(frequencies), cosines)
    return result if _fill(*columns, positions, frequencies, fmt) else None


def rows(cos, sin, positions, frequencies, fmt):
    """Fill cos and sin (n, half) at `positions.Positions`; whether the call was of this kind and nothing was open."""
    if not 0 < sin.size <= _most() or not hasattr(kernels.active, "table_small") or len(positions.groups) != 1:
        return False
    index, multipliers, exponent = positions.groups[0]
    if index is not None or exponent or positions.unit != 1:
        return False
    return _fill(cos, sin, multipliers if _reads_ranges() else as_int64(multipliers), frequencies, fmt)


def _most():
    """Entries of a small table."""
    return getattr(kernels.active, "SMALL", MOST)


def _reads_ranges():
    """Whether the small kernel takes evenly spaced positions as such."""
    return getattr(kernels.active, "READS_RANGES", False)


def _read(positions):
    """The positions of a table as its kernel reads them, a count as a range where it reads ranges, and how many they
    are; None of what it does not read."""
    if not hasattr(kernels.active, "table_small"):
        return positions, None
    if type(positions) is int and 0 <= positions <= _most() and _reads_ranges():
        positions = range(positions)
    if type(positions) is range and _reads_ranges():
        return positions, None if positions[_most() :] else len(positions)
    return positions, _count(positions)


def _count(positions):
    """How many positions a list or an array of int64 has, which small kernels read; None of all else."""
    if type(positions) is list:
        return len(positions)
    if type(positions) is np.ndarray and positions.ndim == 1 and positions.dtype == np.int64:
        return len(positions)
    return None


def _axis_by_axis(positions, axes, shape, axis):
    """The positions of tokens along each axis of frequencies, (axes, seq) or (axes, 1, seq), one axis after the other
    in the order `axes`, as `_count` takes them; None of what small kernels do not read."""
    if type(positions) is list and len(positions) == len(axes):
        if any(type(along) is not list or len(along) != shape[axis] for along in positions):
            return None
        return [number for k in axes for number in positions[k]]
    if type(positions) is not np.ndarray or positions.dtype != np.int64:
        return None
    known = (len(axes), shape[axis]), (len(axes), *(1,)[:axis], shape[axis])
    return positions[axes].reshape(-1) if positions.shape in known else None


def _fill(cos, sin, positions, frequencies, fmt):
    """Fill a small table; whether it was one of this kind."""
    if fmt.marked:
        return False
    turns = _turns(frequencies, fmt, tables.radii)
    done = turns and kernels.active.table_small(cos, sin, positions, turns)
    if done is None or type(done) is bool:
        return done
    if len(done):  # what NumPy's kernels leave undecided
        tables.round_entries_exactly((cos, sin), done, np.array(positions, np.int64), frequencies, 0, fmt)
    return True


@lru_cache(maxsize=64)
def _format(kind, dtype):
    """The format of arrays of a NumPy dtype, with the argument `dtype` of the call; None where it is none."""
    if dtype is not None:
        return formats.FORMATS["bfloat16"] if (kind, dtype) == (np.dtype("uint16"), "bfloat16") else None
    return formats.of_array(np.empty(0, kind)) if kind.isnative else None


def _frequencies(frequencies, base, x):
    """The frequencies of the call: those given beside the usual base, or those of a base; None for all others."""
    if frequencies is None:
        usual = x.ndim and x.shape[-1] % 2 == 0 and LEAST_BASE < base < LARGEST_BASE
        return _inv_freq(x.shape[-1], base) if usual else None
    return frequencies if type(frequencies) is Frequencies and base == 10000.0 else None


def _rotation_turns(frequencies, fmt):
    """(What small rotations share, the axes whose positions they take one after the other); None where there is none,
    and of frequencies without axes."""
    if frequencies.axes is None:
        return _turns(frequencies, fmt, rotation.radii), None
    key = kernels.active.Turns, fmt.name
    if key not in frequencies.prepared:
        frequencies.prepared[key] = _made_turns_of_axes(frequencies, fmt)
    return frequencies.prepared[key]


def _made_turns_of_axes(frequencies, fmt):
    used, factor = sorted(set(frequencies.axes)), frequencies.factor
    if not used or used != list(range(len(used))) or not attention_factor.is_near_one(factor):
        return None, None
    scales = tuple((axis, 0, Fraction(1)) for axis in used)
    per_position, starts, order, axes, _ = rotation_plan.by_axis(frequencies, scales)
    steps = attention_factor.multiply_seeds(seeds.step_zero(rotation_plan.planes(fmt), len(frequencies)), factor)
    shared = per_position, seeds.knots(), steps, fmt, *rotation.radii(fmt, factor), _NOTHING, starts, order
    return kernels.active.Turns(*shared), axes


def _turns(frequencies, fmt, radii):
    """What kernels share between all small tables or rotations, kept with the frequencies; None where there is none."""
    key = kernels.active.Turns, radii, fmt.name
    turns = frequencies.prepared.get(key)
    if turns or not len(frequencies) or frequencies.axes is not None:
        return turns
    factor = frequencies.factor
    if not attention_factor.is_near_one(factor):
        return None
    steps = attention_factor.multiply_seeds(seeds.step_zero(rotation_plan.planes(fmt), len(frequencies)), factor)
    per_position = phases.per_position(frequencies, 0)
    turns = kernels.active.Turns(per_position, seeds.knots(), steps, fmt, *radii(fmt, factor), _NOTHING)
    return frequencies.prepared.setdefault(key, turns)
