"""A base or a factor that no list has, from the numbers: the one that comes nearest, rounded, and then tried."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import catalogue
from .call import is_call
from .far_bases import bases_within
from .mistake import Mistake
from .other_frequencies import named_base, with_frequencies
from .other_projections import scaled_projection
from .places import numbers_of, place_of
from .shifts import other_shifts

COARSE = 10  # steps of a decade
COARSER = 6  # of the numbers of scalings
WIDER = 3  # times as wide are the steps where angles are small, so that distances change slowly
SMALL = 8  # positions at which they are
FOUND = 0.01  # of how far the answers are off, what a base leaves beside which no other is looked for
BESIDE = 8  # widths of an interval that was left, for arithmetic that is less exact
FINE = 42  # golden sections of the interval that is left
GOLDEN = 0.6180339887498949
CLEARLY = 0.9  # of how far the answers are off, how much the nearest step may leave
CLOSE = 0.1  # of the size of the numbers, how far answers are off whose value may be beside the one asked for
DIGITS = 12
LARGEST = 10**9
#: numbers of scalings; lengths are whole
SCALING = ("factor", "alpha", "attention_factor", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor")
LENGTHS = ("original_max_position_embeddings", "max_position_embeddings", "seq_len")


def estimated(study):
    """[(significant digits, mistake)] of each argument whose value comes from the numbers, the fewest digits first."""
    yield [(0, one) for one in other_shifts(study)]
    yield [(0, one) for one in scaled_projection(study)]
    few = study.of_small_positions()
    wider = WIDER if _are_small(few.call) else 1
    for name, asked, change, text, (low, high, steps) in _numbers_of(study.call):
        values = [_nearest(few, change, low, high, steps / wider)]
        if values == [None] and wider > 1 and few.baseline and few.baseline < CLOSE:
            # a ramp whose ends are integers moves in steps, which wide steps may miss
            values = [_nearest(few, change, low, high, steps)]
        if name == "base":
            values.append(_far_base(study, few, change, low, high, steps))
        rounded = {one: _digits(one) for value in values if value is not None for one in _rounded(value, name)}
        yield [
            (digits, Mistake(name, text(one), f"{name}={asked!r}", partial(change, value=one)))
            for one, digits in sorted(rounded.items(), key=lambda one: one[1])
        ]


def _far_base(study, few, change, low, high, steps):
    """The base whose call is nearest to the answers where all positions are far from 0; None where none is near."""
    ends = [_tenth_power(place) for place in _places(low, high, steps)[::-1]]
    far, nearest = _distance(few, change), (CLEARLY * few.baseline, None)
    for left, right in bases_within(study, change, list(zip(ends[1:], ends))):
        more = BESIDE * (right - left)
        found = _lowest(far, _logarithm(left - more), _logarithm(right + more))
        nearest = min(nearest, (far(found), found), key=lambda one: one[0])
        if nearest[0] < FOUND * few.baseline:
            break
    return None if nearest[1] is None else _tenth_power(nearest[1])


def _are_small(call):
    """Whether all positions of a call are small."""
    found = place_of(call)
    return found is not None and bool((np.abs(numbers_of(found[1])) <= SMALL).all())


def _numbers_of(call):
    """(name, value, change of a call, text, (lowest, highest, steps of a decade)) of the numbers that are estimated."""
    base, bases = call.arguments.get("base", _default(call.suite, "base")), (1.01, LARGEST, COARSE)
    made = call.arguments.get("frequencies")
    if made is None and isinstance(base, (int, float)):
        yield "base", base, lambda call, value: call.change(base=value), named_base, bases
    elif made is None and isinstance(base, (list, tuple)):
        yield from _each(base, lambda call, value: call.change(base=value))
    if not is_call(made):
        return
    function, options = made["function"], made["arguments"]

    def changed(call, value, name):
        value = round(value) if name in LENGTHS else value
        return with_frequencies(call, {"function": function, "arguments": {**options, name: value}})

    base = options.get("base", _default(function, "base"))
    if isinstance(base, (int, float)):
        yield "base", base, partial(changed, name="base"), named_base, bases
    elif isinstance(base, (list, tuple)):
        yield from _each(base, partial(changed, name="base"))
    if function == "axial_frequencies" and isinstance(base, (int, float)):
        several = [base] * len(options["widths"])
        yield from _each(several, partial(changed, name="base"))
    for name in (*SCALING, *LENGTHS):
        value = options.get(name, _default(function, name))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low, high = max(value / 256, 1e-3), value * 256
            yield (
                name,
                value,
                partial(changed, name=name),
                lambda value, name=name: f"{name}={value!r}",
                (low, high, COARSER),
            )


def _each(bases, change):
    """The base of each axis alone."""
    for k in range(len(bases)):

        def one(call, value, k=k):
            return change(call, [*bases[:k], value, *bases[k + 1 :]])

        yield "base", list(bases), one, lambda value, k=k: f"{named_base(value)} on axis {k}", (1.01, LARGEST, COARSE)


def _default(function, name):
    return catalogue.find(function).defaults.get(name)


def _nearest(study, change, low, high, steps):
    """The value whose call is nearest to the answers on the sample, by steps of a part of a decade and then by golden
    sections; None where none is nearer than what is asked for."""
    far, places = _distance(study, change), _places(low, high, steps)
    distances = [far(place) for place in places]
    best, step = int(np.argmin(distances)), places[1] - places[0]
    # a value beside the one that is asked for may lie between two steps of which neither is nearer
    if not study.baseline or not (study.baseline < CLOSE or distances[best] < CLEARLY * study.baseline):
        return None
    found = _lowest(far, places[best] - step, places[best] + step)
    return _tenth_power(found) if far(found) < CLEARLY * study.baseline else None


def _distance(study, change):
    """How far a call is from the answers on the sample, as a function of the logarithm of a value."""

    def far(logarithm):
        distance = study.distance(Mistake("", "", "", partial(change, value=_tenth_power(logarithm))))
        return 2.0 if distance is None else distance

    return far


def _places(low, high, steps):
    """The logarithms of values, so many of a decade."""
    first, last = (_logarithm(end) for end in (low, high))
    return np.linspace(first, last, int((last - first) * steps) + 1)


def _lowest(far, left, right):
    """Where a function that falls and then rises is lowest, by golden sections."""
    one, other = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
    far_one, far_other = far(one), far(other)
    for _ in range(FINE):
        if far_one <= far_other:
            right, other, far_other = other, one, far_one
            one = right - GOLDEN * (right - left)
            far_one = far(one)
        else:
            left, one, far_one = one, other, far_other
            other = left + GOLDEN * (right - left)
            far_other = far(other)
    return (left + right) / 2


def _logarithm(value):
    """About the decimal logarithm of a number, straight between powers of ten: a scale to search on."""
    power = 0
    while value >= 10:
        value, power = value / 10, power + 1
    while value < 1:
        value, power = value * 10, power - 1
    return power + (value - 1) / 9


def _tenth_power(place):
    """The number at a place of that scale."""
    power = int(np.floor(place))
    mantissa = 1 + 9 * (place - power)
    return float(mantissa) * float(f"1e{power}")


def _rounded(value, name):
    """A number to more and more digits, whole where it is whole or that of a length."""
    if name in LENGTHS:
        return list(dict.fromkeys((round(value), int(value), int(value) + 1)))
    rounded = (float(f"{value:.{digits}g}") for digits in range(1, DIGITS))
    return list(dict.fromkeys(int(one) if one == int(one) else one for one in rounded))


def _digits(value):
    """How many digits of a number are significant."""
    return len(f"{value:.{DIGITS}e}".split("e")[0].replace(".", "").rstrip("0"))
