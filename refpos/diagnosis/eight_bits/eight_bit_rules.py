"""Numbers of 8 bits by other rules than those of a call of `round_float8` or `round_mxfp8`: what a wrong program gives.

A call has the argument RULE, {field of `Rule`: value}, for what is done otherwise.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from ...arithmetic import eight_bits, formats, rounding
from ...foreign import float8
from ...steps.rows import exact_calls
from ...tensor_files import Tensor
from ...tensor_files.tensors import NANS

#: the argument of a call that holds what is done otherwise
RULE = "rule_of_8_bits"
SUITES = ("round_float8", "round_mxfp8")
SCALES = "scales"
MOST = 127  # exponent of the largest scale, and less the smallest
NEAREST, TIES_AWAY, TOWARD_ZERO = "nearest even", "ties away", "toward zero"


class Rule(NamedTuple):
    """How numbers are rounded. kind: the format; through: a format to which they are rounded before; saturate: whether
    what is too large is the largest; flushed: whether subnormal results are 0; plus_zero: whether zeros have no sign;
    negated: whether the sign bit is inverted; read_as: the format in which the bytes are read, and rounded again.

    Of blocks: scale, the rule of their scales; more, what is added to the exponents of scales; shared: "row" or "array"
    where blocks of it have one scale; block, their size; axis; transposed, whether the scales stay as of the exchanged
    axes; written, what becomes of the patterns of scales alone.
    """

    kind: str
    through: str = ""
    direction: str = NEAREST
    saturate: bool = True
    flushed: bool = False
    plus_zero: bool = False
    negated: bool = False
    read_as: str = ""
    scale: str = ""
    more: int = 0
    shared: str = ""
    block: int = eight_bits.BLOCK
    axis: int = -1
    transposed: bool = False
    written: str = ""


#: {what becomes of the patterns of scales: function}
WRITTEN = {
    "one more": lambda scales: scales + 1 & 0xFF,
    "one less": lambda scales: scales - 1 & 0xFF,
    "inverted": lambda scales: 2 * eight_bits.BIAS - scales & 0xFF,
    "without a bias": lambda scales: scales - eight_bits.BIAS,
    "without a bias, as bytes": lambda scales: scales - eight_bits.BIAS & 0xFF,
}


def bytes_of(suite, answered):
    """The answers, of which bytes read as int8 are bit patterns where the suite has these."""
    if suite not in SUITES:
        return answered
    return {
        name: Tensor("uint8", one.values.view(np.uint8)) if one.dtype == "int8" else one
        for name, one in answered.items()
    }


def outputs(suite, arguments):
    """{output: Tensor} of a call with RULE; values is an array or a call that is not made yet."""
    given = dict(arguments)
    changed, values = given.pop(RULE), exact_calls.marked("values", given["values"])
    asked = {"saturate": given.get("saturate", True), "scale": given.get("scale_rule", "")}
    rule = Rule(**{"kind": given["dtype"], **asked, **changed})
    if rule.through:
        values = _through(values, rule.through)
    made = {"output": _rounded(values, rule)} if suite == SUITES[0] else _blocks(values, rule)
    return {name: Tensor("int64", np.asarray(one, np.int64)) for name, one in made.items()}


def numbers_of(values, rule):
    """float64 numbers in another 8-bit format, and widened again."""
    if rule.through:
        values = _through(values, rule.through)
    return float8.widened(_rounded(values, rule).astype(np.uint8), rule.kind).astype(np.float64)


def holds(kind, values):
    """Whether all float64 numbers but NaN are values of an 8-bit format."""
    finite = np.abs(values[np.isfinite(values)])
    grid = _finite(kind)
    return bool((grid[np.minimum(np.searchsorted(grid, finite), len(grid) - 1)] == finite).all())


def _through(values, kind):
    fmt = formats.FORMATS[kind]
    return np.asarray(rounding.widen(rounding.narrow(values, fmt), fmt), np.float64).reshape(values.shape)


@functools.cache
def _finite(kind):
    """The finite numbers of the patterns from 0 on, in ascending order."""
    numbers = float8.widened(np.arange(128 << (kind == eight_bits.SCALE), dtype=np.uint8), kind).astype(np.float64)
    return numbers[np.isfinite(numbers)]


@functools.cache
def _nan(kind):
    """The pattern of the positive NaN."""
    every = float8.widened(np.arange(256, dtype=np.uint8), kind)
    return NANS.get(kind, int(np.flatnonzero(np.isnan(every))[0]))


@functools.cache
def canonical(kind):
    """A function of outputs: bit patterns without a format, every NaN of the elements the positive one."""

    def change(outputs):
        first = next(iter(outputs))
        patterns = outputs[first].values
        known = (patterns >= 0) & (patterns <= 0xFF)
        is_nan = np.isnan(float8.widened(np.where(known, patterns, 0).astype(np.uint8), kind)) & known
        return {**outputs, first: Tensor("int64", np.where(is_nan, _nan(kind), patterns).astype(np.int64))}

    return change


def _rounded(values, rule):
    """The patterns of numbers."""
    patterns = _nearest(values, rule)
    if not rule.read_as:
        return patterns
    again = float8.widened(patterns.astype(np.uint8), rule.read_as).astype(np.float64)
    return _nearest(again, rule)


def _nearest(values, rule):
    grid, size = _finite(rule.kind), np.abs(values)
    ends = np.append(grid, 2 * grid[-1] - grid[-2])  # what would come behind the largest
    at = np.clip(np.searchsorted(ends, size, side="right") - 1, 0, len(grid))
    low, high = ends[at], ends[np.minimum(at + 1, len(grid))]
    middle = low / 2 + high / 2
    away = rule.direction == TIES_AWAY or rule.kind == eight_bits.SCALE  # as ml_dtypes rounds scales
    up = (size > middle) | ((size == middle) & (away | (at % 2 == 1)))
    if rule.direction != TOWARD_ZERO:
        at += up & (at < len(grid))
    cut = (rule.saturate and rule.kind != eight_bits.SCALE) | ((rule.direction == TOWARD_ZERO) & np.isfinite(size))
    patterns = np.where(at < len(grid), at, np.where(cut, len(grid) - 1, _overflow(rule.kind)))
    if rule.flushed:
        patterns[at < 1 << int(rule.kind.partition("m")[2][0])] = 0
    return _signed(patterns, -values if rule.negated else values, rule)


def _overflow(kind):
    """The pattern of infinity, or NaN where there is none."""
    infinite = np.flatnonzero(np.isinf(float8.widened(np.arange(128, dtype=np.uint8), kind)))
    return int(infinite[0]) if len(infinite) else _nan(kind)


def _signed(patterns, values, rule):
    """Patterns of magnitudes with the signs of the numbers, and NaN."""
    kind = rule.kind
    if kind == eight_bits.SCALE:  # which has no sign and no zero
        return np.where(values > 0, patterns, _nan(kind))
    negative = np.signbit(values) & (patterns != _nan(kind))
    if kind.endswith("fnuz") or rule.plus_zero:
        negative &= patterns != 0
    return np.where(np.isnan(values), _nan(kind), patterns | negative.astype(np.int64) << 7)


def _blocks(values, rule):
    """{output: patterns} of numbers in blocks."""
    transposed = np.moveaxis(values, rule.axis, -1)
    parts = transposed.reshape(*transposed.shape[:-1], -1, rule.block)
    largest = _shared(np.abs(parts).max(-1, initial=0.0), rule.shared)
    finite = np.isfinite(largest)
    s = np.where(finite & (largest > 0), _exponents(np.where(finite, largest, 0), rule) + rule.more, -MOST)
    s = np.clip(s, -MOST, MOST)
    elements = _rounded(np.ldexp(np.where(finite[..., None], parts, np.nan), -s[..., None]), rule)
    scales = np.where(finite, s + eight_bits.BIAS, eight_bits.SCALE_NAN)
    scales = WRITTEN[rule.written](scales) if rule.written else scales
    return {
        "elements": np.moveaxis(elements.reshape(transposed.shape), -1, rule.axis),
        SCALES: scales if rule.transposed else np.moveaxis(scales, -1, rule.axis),
    }


def _shared(largest, shared):
    """The largest magnitudes by which blocks are scaled."""
    axis = {"row": -1, "array": None}
    return np.broadcast_to(largest.max(axis[shared], keepdims=True), largest.shape) if shared else largest


def _exponents(largest, rule):
    """The exponents of the scales of blocks by the largest magnitudes in them."""
    top, emax = math.frexp(_finite(rule.kind)[-1])
    significand, exponent = np.frexp(largest)  # from 1/2 to 1
    precision = int(rule.kind.partition("m")[2][0]) + 1
    least = {"even": 1 - math.ldexp(0.5, -precision), "rceil": math.nextafter(top, 1), "ceil": math.nextafter(0.5, 1)}
    return exponent - emax + (significand >= least.get(rule.scale, 1))
