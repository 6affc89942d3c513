"""Scalings that keep fast pairs, divide slow ones by a factor, and have a ramp between: YaRN and Llama 3."""

from __future__ import annotations

import numpy as np

from .best_known import BASES, LENGTHS, digits_of, inside
from .estimates import PI, exponential, logarithm
from .frequency_rule import FACTORS, STANDARD_ERRORS, STRAIGHT, Rule, call, interval, line

BETAS = (32, 1)
FEWEST = 3  # pairs before the ramp that tell the base
DIGITS = 3  # of a beta that is not the usual one
LONGEST = 1 << 24  # length of pretraining
WITHIN = 0.02  # of the height of a ramp, how far from its ends a pair tells its slope
FALLS = 1.4  # a factor below which there is no ramp to be seen


def ramped(measured):
    """The rules of frequencies that such a scaling gives."""
    step, pairs = measured.step, len(measured.step)
    told = measured.told
    if told < FEWEST:
        return
    step = step / step[0]  # of rows that are several positions apart
    for base in _bases(measured):
        usual = exponential(-logarithm(base) / pairs * np.arange(pairs, dtype=np.float64))
        kept = step / usual
        slowest = kept[told - 1]
        if slowest * FALLS > 1 or slowest <= 0:
            continue
        for factor in _factors(measured, slowest, STANDARD_ERRORS * measured.error[told - 1] * slowest):
            shape = _Ramp(base, factor, usual, kept, measured)
            yield from _llama3(shape)
            yield from _yarn(shape)


def _factors(measured, slowest, error):
    """Factors that divide the slowest pair whose frequency was measured, and the one that the gain of YaRN says."""
    found = inside(1 / (slowest + error), 1 / max(slowest - error, 1e-300), FACTORS)[:3]
    if measured.gain > 1:
        ends = [exponential(10 * (measured.gain + off - 1)) for off in (-measured.gain_error, measured.gain_error)]
        found += [factor for factor in inside(*map(float, ends), FACTORS)[:2] if factor not in found]
    return found


class _Ramp:
    """What a base and a factor leave to be explained: the share of each frequency that was kept."""

    def __init__(self, base, factor, usual, kept, measured):
        self.base, self.factor, self.usual, self.kept, self.error = base, factor, usual, kept, measured.error
        self.measured, self.pairs = measured, len(usual)
        #: 1 where a frequency is kept, 0 where it is divided by the factor
        self.share = (kept - 1 / factor) / (1 - 1 / factor)
        share = self.share[: measured.told]
        self.inner = np.flatnonzero((share > WITHIN) & (share < 1 - WITHIN))

    def has(self, share):
        """Whether the pairs have these shares, within their measured errors."""
        expected = share + (1 - share) / self.factor
        near = np.abs(self.kept / expected - 1) <= STRAIGHT * self.error
        return bool(near[: self.measured.told].all())


def _bases(measured):
    """Bases of the pairs before the ramp, then known ones."""
    told, pairs, found = measured.told, len(measured.step), []
    logarithms = logarithm(measured.step[:told])
    for count in range(told, FEWEST - 1, -1):
        fitted = line(logarithms[:count], measured.error[:count])
        if fitted.worst <= STRAIGHT:
            low, high = interval(-fitted.slope * pairs, fitted.error_of_slope * pairs)
            found = inside(low, high, BASES)[:3]
            break
    return [*(base for base in found if base > 1), *(base for base in BASES if base not in found)]


def _yarn(shape):
    pairs = shape.pairs
    for truncate in (True, False):
        for length, fast, slow in _yarn_numbers(shape, truncate):
            low, high = (_place(shape, length, turns) for turns in (fast, slow))
            if truncate:
                low, high = np.floor(low), np.ceil(high)
            low, high = max(low, 0), min(high, 2 * pairs - 1)
            high = high + 0.001 if low == high else high
            share = 1 - np.clip((np.arange(pairs, dtype=np.float64) - low) / (high - low), 0, 1)
            if high > low and fast >= slow and shape.has(share):
                yield from _yarn_rules(shape, length, fast, slow, truncate)
                return


def _place(shape, length, turns):
    """Which pair makes so many turns within a length."""
    return shape.pairs * float(logarithm(length / (2 * PI * turns))) / float(logarithm(shape.base))


def _length(shape, place, turns):
    """The length within which the pair of a place makes so many turns."""
    return 2 * PI * turns * float(exponential(place / shape.pairs * float(logarithm(shape.base))))


def _yarn_numbers(shape, truncate):
    """(length of pretraining, beta_fast, beta_slow) that the ramp may have, known ones first."""
    fast, slow = BETAS
    yield from ((length, fast, slow) for length in LENGTHS)
    if len(shape.inner) < 2:
        return
    fitted = line(shape.share[shape.inner], shape.error[shape.inner])
    if fitted.slope >= 0:
        return
    start = shape.inner[0]
    low, high = start + (1 - fitted.at_zero) / fitted.slope, start - fitted.at_zero / fitted.slope
    if not -shape.pairs < low < high < 3 * shape.pairs:  # the ramp of a YaRN call lies within 0 .. 2 pairs - 1
        return
    if truncate:
        low, high = np.rint(low), np.rint(high)
        ends = [(_length(shape, low, fast), _length(shape, low + 1, fast))]
        ends.append((_length(shape, high - 1, slow), _length(shape, high, slow)))
    else:
        near = 1e-3
        ends = [(_length(shape, low, fast) * (1 - near), _length(shape, low, fast) * (1 + near))]
        ends.append((_length(shape, high, slow) * (1 - near), _length(shape, high, slow) * (1 + near)))
    both = max(end[0] for end in ends), min(end[1] for end in ends)
    if both[0] < both[1]:
        yield from ((round(length), fast, slow) for length in inside(*both, LENGTHS))
    for length in inside(*ends[1], LENGTHS):
        turns = sorted(length / _length(shape, place, 1) for place in (low, low + 1 if truncate else low))
        for beta in inside(turns[0] * (1 - 1e-3), turns[1] * (1 + 1e-3)):
            if digits_of(beta) <= DIGITS and length < LONGEST:
                yield round(length), beta, slow


def _yarn_rules(shape, length, fast, slow, truncate):
    numbers = {"factor": shape.factor, "original_max_position_embeddings": length}
    if (fast, slow) != BETAS:
        numbers |= {"beta_fast": fast, "beta_slow": slow}
    numbers |= {} if truncate else {"truncate": False}
    gain, wide = shape.measured.gain, shape.measured.gain_error
    if gain == 1:
        yield Rule(call("ntk_by_parts", dim=2 * shape.pairs, base=shape.base, **numbers), 1)
        return
    usual = 1 + float(logarithm(max(shape.factor, 1))) / 10
    if abs(gain - usual) <= wide:
        yield Rule(call("yarn", dim=2 * shape.pairs, base=shape.base, **numbers), 0)
        return
    for factor in inside(gain - wide, gain + wide):
        yield Rule(call("yarn", dim=2 * shape.pairs, base=shape.base, **numbers, attention_factor=factor), 2)


def _llama3(shape):
    if shape.measured.gain != 1:
        return
    for length, low, high in _llama3_numbers(shape):
        periods = length * shape.usual / (2 * PI)
        share = np.clip((periods - low) / (high - low), 0, 1) if high > low else (periods > low).astype(np.float64)
        if shape.has(share):
            numbers = {"factor": shape.factor, "low_freq_factor": low, "high_freq_factor": high}
            numbers["original_max_position_embeddings"] = length
            yield Rule(call("llama3", dim=2 * shape.pairs, base=shape.base, **numbers), 0)
            return


def _llama3_numbers(shape):
    """(length of pretraining, low_freq_factor, high_freq_factor) that the ramp may have, known ones first."""
    yield from ((length, low, high) for low, high in ((1, 4), (1, 1), (1, 32)) for length in LENGTHS)
    if len(shape.inner) < 2:
        return
    usual, share = shape.usual[shape.inner], shape.share[shape.inner]
    slope = (share[0] - share[-1]) / (usual[0] - usual[-1])
    below = slope * usual.mean() - share.mean()
    if slope <= 0 or below <= 0:
        return
    for high in inside((1 + 1 / below) * (1 - 1e-3), (1 + 1 / below) * (1 + 1e-3)):
        length = slope * 2 * PI * (high - 1)
        for found in inside(length * (1 - 1e-3), length * (1 + 1e-3), LENGTHS):
            if digits_of(high) <= DIGITS and found < LONGEST:
                yield round(found), 1, high
