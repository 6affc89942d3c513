"""Biases and decays that depend on the distance alone: what the numbers at each distance are of those asked for."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from ...measure.best_known import inside
from ...measure.copies.matched_rows import MASKED_BELOW
from ...measure.distance_kernels import first_places
from ...measure.estimates import exponential, logarithm
from ...measure.solving import unit_of
from ...measure.wording import several
from ...types import Array
from ..call import results
from ..numbers import as_numbers
from .measured import Measured
from .measured_rates import named_rates
from .measured_sides import distances_of, restarts_of, rows_of_others, sides_of

KERNELS = ("alibi", "kerple", "decay")
SUITES = (*KERNELS, "t5_bias", "relative_bias", "window_bias")
UNITS = 4  # rounding units that each number may be off
FLOAT32 = 2.0**-24
SHIFTS = (1, -1, 2, -2)
CLOSE = 2e-3  # of a common factor, within which the best known number is tried
MOST_KEYS = 512  # of rows that are compared with those of other distances
FEWEST = 3  # distances that tell a profile


class Off(NamedTuple):
    """How far numbers may be off: the rounding unit of the format, and a size below which errors are no smaller."""

    unit: float
    size: float

    @property
    def units(self):
        """How many units that is: 16-bit numbers are mostly rounded once."""
        return UNITS if self.unit <= FLOAT32 else 2


class Profile(NamedTuple):
    """Numbers of each head by query minus key, (heads, distances), and these distances, which rise by 1."""

    values: Array
    distances: Array

    @property
    def before(self):
        """The numbers at distances 0, 1, .."""
        return self.values[:, self.distances >= 0]

    @property
    def after(self):
        """The numbers of keys after the query, the nearest first."""
        return self.values[:, self.distances < 0][:, ::-1]


def measured_profile(call, answered, chosen=lambda values: values, by_rows=False) -> Measured | None:
    """What a bias (heads, queries, keys) is of the one that is asked for, where both depend on the distance alone;
    None where they do not, or where it has no name. chosen: the part of the numbers that is looked at;
    by_rows: whether rows may have other distances each."""
    if call.suite not in SUITES:
        return None
    made = results(*call, dtype="float64") if call.suite in KERNELS else call.outputs()
    ((name, exact),) = made.items()
    answer = answered[name]
    expected = answer._replace(dtype=call.arguments.get("dtype", exact.dtype))
    got, wanted = chosen(as_numbers(answer, expected)), chosen(as_numbers(exact, exact))
    if got.shape != wanted.shape or got.ndim != 3 or got.shape[1:] != exact.values.shape[1:]:
        return None
    unit = Off(unit_of(expected.dtype), 1.0 if call.suite in ("kerple", "decay") else 0.0)
    sums = _row_factor(got, wanted, unit)
    if sums is not None:
        return Measured(*sums, named=True)
    if call.suite not in KERNELS:
        told = _same_before(*(one.reshape(len(one), -1) for one in (got, wanted)), unit, True)
        if told or call.suite == "window_bias":
            return Measured(", ".join(told), "the numbers themselves", named=True) if told else None
    start = call.arguments.get("query_offset", got.shape[2] - got.shape[1] if call.suite in KERNELS else 0)
    profiles, near = [_profile(one, start) for one in (got, wanted)], partial(_near, off=unit)
    if profiles[1] is None:
        return None
    if profiles[0] is None:
        told = _of_rows(call, got, start, near) if by_rows else restarts_of(got, profiles[1], start, near)
    else:
        told = _told(call.suite, *profiles, unit) or sides_of(*profiles, near) or distances_of(*profiles, near)
    return Measured(", ".join(told), "the numbers of the distance query - key", named=True) if told else None


def _of_rows(call, got, start, near):
    """Words for rows of numbers that are those of other distances, of which more are made; [] without."""
    count = sum(got.shape[1:])
    given = {name: value for name, value in call.arguments.items() if name != "query_offset"}
    if got.shape[2] > MOST_KEYS or not {"query_len", "key_len"} <= given.keys():
        return []
    made = results(call.suite, {**given, "query_len": count, "key_len": count}, call.tensors)
    ((_, wide),) = made.items()
    wanted = _profile(as_numbers(wide, wide), 0)
    return [] if wanted is None else rows_of_others(got, wanted, start, near)


def _profile(values, start):
    """The `Profile` of values; None where an element has another number than its distance."""
    _, queries, keys = values.shape
    relative = start + np.arange(queries, dtype=np.int64)[:, None] - np.arange(keys, dtype=np.int64)
    distances = np.arange(start - keys + 1, start + queries, dtype=np.int64)
    first, last = first_places(distances, start)
    found = values[:, first, last]
    made = found[:, relative - distances[0]]
    same = (made == values) | (np.isnan(made) & np.isnan(values))
    return Profile(found, distances) if same.all() and (distances >= 0).sum() >= FEWEST else None


def _row_factor(got, wanted, unit):
    """(what was done, what is asked for) where each row was multiplied by a number that follows from its sum."""
    sums = wanted.sum(axis=-1, keepdims=True)
    if not (np.isfinite(sums) & (sums > 0)).all():
        return None
    for text, factor in (("its sum (normalised)", sums), ("the root of its sum (normalised)", np.sqrt(sums))):
        if _near(got, wanted / factor, unit).all() and np.ptp(factor) > UNITS * unit.unit * factor.max():
            return f"each row divided by {text}", "rows as they are"
    return None


def _near(got, made, off):
    """Which numbers are those that were made, as far as rounding tells; NaN and infinities where they are too."""
    with np.errstate(invalid="ignore"):
        near = np.abs(got - made) <= off.units * off.unit * np.abs(made) + UNITS * min(off.unit, FLOAT32) * off.size
    return (near & np.isfinite(made)) | (got == made) | (np.isnan(got) & np.isnan(made))


# -- what one profile is of another one -------------------------------------------------------------------------------


def _told(suite, got, wanted, unit):
    """What was done, in words, the keys before the query first; nothing where that has no name."""
    if got.before.shape[1] > FEWEST and _near(got.values, wanted.values[:, ::-1][:, : len(got.distances)], unit).all():
        if got.distances[0] == -got.distances[-1]:
            return ["transposed: key - query in place of query - key"]
    for text, moved in _moved(got, wanted):
        before = _same_before(moved.before, wanted.before, unit, bool(text))
        if before is None and suite in KERNELS:
            rates = named_rates(moved.before, unit.unit)
            before = None if rates is None else [rates]
        if before is None:
            continue
        after = _told_after(moved, wanted, unit, bool(before))
        if after is not None and (text or before or after):
            return [*text, *before, *after]
    swapped = _directions_swapped(got, wanted, unit)
    return [swapped] if swapped else []


def _moved(got, wanted):
    """(what was done to the queries, the profile without that)."""
    yield [], got
    last = int(wanted.distances[0] + got.values.shape[1] - 1)
    keys = -int(got.distances[0])
    starts = dict.fromkeys((last - keys, *SHIFTS))
    for shift in starts:
        distances = got.distances + shift
        kept = (distances >= wanted.distances[0]) & (distances <= wanted.distances[-1])
        if shift and (kept & (distances >= 0)).sum() > FEWEST and (kept & (distances < 0)).sum() > FEWEST:
            yield [f"query_offset {'+' if shift > 0 else '-'} {abs(shift)}"], Profile(got.values[:, kept],
                                                                                     distances[kept])  # fmt: skip


def _same_before(got, wanted, unit, moved):
    """What the numbers of keys before the query are of others, [] where they are the same; None without a name."""
    count = min(got.shape[1], wanted.shape[1])
    got, wanted = got[:, :count], wanted[:, :count]
    for text, one, skipped in _combined(wanted, got):
        if moved and "distances" in text:  # which would take it back
            continue
        use = slice(None, count - skipped)
        with np.errstate(all="ignore"):
            made = one(wanted)
        if _near(got[:, use], made[:, use], unit).all():
            return [text] if text else []
    return None


def _combined(wanted, got):
    """(what was done, the function that does it, how many of the last distances it cannot tell)."""
    plain = ("", lambda values: values, 0)
    of_distances, of_heads = [plain, *_distances(wanted), *_clipped(got), *_windowed(got)], [plain, *_heads(wanted)]
    for first, second in product(of_heads, of_distances):
        if first[0] and second[0]:
            continue
        for text, function in _functions(wanted, got, first, second):
            words = " and ".join(filter(None, (text, second[0], first[0])))
            yield words, lambda v, f=function, a=first[1], b=second[1]: f(a(b(v))), second[2]


def _functions(wanted, got, of_heads, of_distances):
    """(what was done, a function of the number) of numbers; a common factor or exponent is measured."""
    yield "", lambda v: v
    made = of_heads[1](of_distances[1](wanted))
    yield "negated", lambda v: -v
    if of_heads[0] or of_distances[0]:
        return
    with np.errstate(all="ignore"):
        yield from _measured_functions(made, got)
    yield "1 minus the numbers", lambda v: 1 - v
    yield "16 times the sigmoid of the numbers", lambda v: 16 / (1 + exponential(-v))
    yield "the exponential of the numbers", lambda v: exponential(np.minimum(v, 700))
    if (wanted > 0).all():
        yield "the natural logarithm of the numbers", logarithm
        yield "the logarithm of base 2 of the numbers", lambda v: logarithm(v) / logarithm(2)
        yield "the logarithm of base 10 of the numbers", lambda v: logarithm(v) / logarithm(10)


def _measured_functions(made, got):
    """A factor, a constant or an exponent that all numbers have in common."""
    last = made.shape[1] - 1
    ratio, shift = got[:, last] / made[:, last], got[0, 0] - made[0, 0]
    if np.isfinite(ratio).all() and ratio[0] and ratio[0] != 1 and np.ptp(ratio) <= 0.05 * abs(ratio[0]):
        middle = float(np.median(ratio))
        factor = inside(*sorted((middle * (1 - CLOSE), middle * (1 + CLOSE))))[0]
        for number in (factor, middle):
            yield f"times {number:.6g}", lambda v, n=number: v * n
    elif np.isfinite(ratio).all() and (ratio > 0).all():
        yield f"each head times its own number: {several(ratio)}", lambda v: v * ratio[:, None]
    if np.isfinite(shift) and shift:
        yield f"{'+' if shift > 0 else '-'} {abs(shift):.6g}", lambda v: v + shift
    if (made > 0).all() and (got > 0).all() and (made[:, 1] < 1).all():
        power = float(np.median(logarithm(got[:, 1:]) / logarithm(made[:, 1:])))
        name = {2.0: " (squared)", 0.5: " (roots)"}.get(round(power, 2), "")
        exponent = round(power * 8) / 8
        if exponent not in (0, 1) and abs(power - exponent) < 0.02:
            yield f"to the power {exponent:g}{name}", lambda v: exponential(exponent * logarithm(v))


def _distances(wanted):
    """(what was done to the distances, a function of (heads, distances), how many distances it does not tell)."""
    count = wanted.shape[1]
    distance = np.arange(count, dtype=np.int64)
    for shift in SHIFTS:
        taken = np.clip(distance + shift, 0, count - 1)
        yield f"distances {shift:+d}", lambda v, t=taken: v[:, t], max(shift, 0)
    root = np.floor(np.sqrt(distance)).astype(np.int64)
    for text, taken in (("halved and rounded down", distance // 2), ("rooted and rounded down", root)):
        yield f"distances {text}", lambda v, t=taken: v[:, t], 0
    for text, places in (("times 2", 2 * distance), ("squared", distance * distance)):
        taken = places.clip(0, count - 1)
        yield f"distances {text}", lambda v, t=taken: v[:, t], int((places >= count).sum())


def _clipped(got):
    """The distance from which on no number changes."""
    moves = np.flatnonzero((got[:, 1:] != got[:, :-1]).any(axis=0))
    last = int(moves[-1]) + 1 if len(moves) else 0
    if last and last < got.shape[1] - 1:
        taken = np.minimum(np.arange(got.shape[1], dtype=np.int64), last)
        yield f"distances of at most {last} (clipped)", lambda v: v[:, taken], 0


def _windowed(got):
    """The distance beyond which all numbers are 0, or those of a mask."""
    value = float(got[0, -1])
    kept = np.flatnonzero((got != value).any(axis=0))
    last = int(kept[-1]) if len(kept) else 0
    if last > 1 and last < got.shape[1] - 1 and (value == 0 or value < MASKED_BELOW):
        inside = np.arange(got.shape[1], dtype=np.int64) <= last
        yield f"{value:g} at distances beyond {last} (a window)", lambda v: np.where(inside, v, value), 0


def _heads(wanted):
    """(what was done to the heads, a function of (heads, distances), 0)."""
    heads = len(wanted)
    if heads < 2:
        return
    orders = {"the heads in reverse order": np.arange(heads, dtype=np.int64)[::-1]}
    orders |= {f"head {head} for all heads": np.full(heads, head, np.int64) for head in (0, heads - 1)}
    orders |= {
        f"the heads in another order, moved by {by}": np.roll(np.arange(heads, dtype=np.int64), by)
        for by in range(1, heads)
    }
    half = heads // 2
    orders["heads repeated in pairs"] = (
        np.repeat(np.arange(half, dtype=np.int64), 2)[:heads] if heads % 2 == 0 else np.arange(heads, dtype=np.int64)
    )
    orders["the first half of the heads twice"] = np.arange(heads, dtype=np.int64) % max(half, 1)
    for text, order in orders.items():
        yield text, lambda v, o=order: v[o], 0


def _told_after(got, wanted, unit, changed):
    """What the keys after the query hold that is not asked for, []: nothing else; None where that has no name."""
    one, other = got.after, wanted.after
    count = min(one.shape[1], other.shape[1])
    one, other = one[:, :count], other[:, :count]
    if not count or _near(one, other, unit).all():
        return []
    if np.isnan(one).all():
        return ["keys after the query hold NaN"]
    if (one == one[0, 0]).all():
        return [f"keys after the query hold {one[0, 0]:.6g}, asked {_constant(other)}"]
    near = got.before[:, 1 : count + 1]
    if near.shape[1] and _near(one[:, : near.shape[1]], near, unit).all():
        return ["symmetric: keys after the query have the numbers of those before it (no mask)"]
    if near.shape[1] and _near(one[:, : near.shape[1]], -near, unit).all():
        return ["keys after the query have the numbers of those before it with the other sign (no mask)"]
    same = changed and (one == got.before[:, :1]).all()
    return ["keys after the query have the number of distance 0"] if same else None


def _constant(values):
    return f"{values[0, 0]:.6g}" if (values == values[0, 0]).all() else "other numbers"


def _directions_swapped(got, wanted, unit):
    """Words for the numbers of keys before the query at those after it, and the other way; else nothing."""
    one, other = got.after, wanted.before[:, 1:]
    count = min(one.shape[1], other.shape[1])
    rest, zero = got.before[:, 1:], wanted.after
    after = count >= FEWEST and _near(one[:, :count], other[:, :count], unit).all()
    if not after:
        return ""
    alike = min(rest.shape[1], zero.shape[1])
    if _near(rest[:, :alike], zero[:, :alike], unit).all():
        return "the numbers of keys before the query at keys after it, and the other way: key - query, sign exchanged"
    return ""
