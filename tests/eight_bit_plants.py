"""Mistakes of 8-bit floats, made by ml_dtypes and NumPy: wrong formats, wrong rounding, wrong scales of blocks. Nothing
here imports refpos."""

from functools import partial
from typing import NamedTuple

import ml_dtypes
import numpy as np

E4, E5, SCALE = "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"
NANS = {E4: 0x7F, E5: 0x7E}
OTHERS = ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4")
LARGEST = {E4: 448.0, E5: 57344.0}
EMAX = {E4: 8, E5: 15}
SMALLEST_NORMAL = {E4: 2.0**-6, E5: 2.0**-14}


def cast(values, kind):
    """Rounded to nearest even by ml_dtypes, as bit patterns; NaN for what is too large where there is no infinity.

    ml_dtypes 0.6 rounds a float64 to float32 first, so that it is handed one whose last bit is 1 where it is not exact:
    rounded to odd, which no second rounding can tell from the number."""
    with np.errstate(all="ignore"):
        narrow = values.astype(np.float32)
        inexact = narrow.astype(np.float64) != values
        cut = np.where(np.abs(narrow.astype(np.float64)) > np.abs(values), np.nextafter(narrow, np.float32(0)), narrow)
        odd = np.where(inexact & np.isfinite(cut), (cut.view(np.uint32) | 1).view(np.float32), narrow)
        return odd.astype(getattr(ml_dtypes, kind)).view(np.uint8)


def numbers(patterns, kind):
    return patterns.view(getattr(ml_dtypes, kind)).astype(np.float64)


def tagged(patterns, kind):
    return patterns.view(getattr(ml_dtypes, kind))


def canonical(patterns, kind):
    """Every NaN as the positive one, as the corpus has it."""
    return np.where(np.isnan(numbers(patterns, kind)), np.uint8(NANS[kind]), patterns)


def saturated(values, kind):
    return cast(np.clip(values, -LARGEST[kind], LARGEST[kind]), kind)


def rounded(values, kind, saturate):
    """What is asked for."""
    return canonical(saturated(values, kind) if saturate else cast(values, kind), kind)


def through(values, first):
    """Values rounded to a wider format before."""
    with np.errstate(all="ignore"):
        return values.astype(getattr(ml_dtypes, first) if first == "bfloat16" else first).astype(np.float64)


def toward_zero(values, kind):
    patterns = saturated(values, kind)
    beyond = np.abs(numbers(patterns, kind)) > np.abs(values)
    return canonical(patterns - beyond.astype(np.uint8), kind)


def ties_away(values, kind):
    patterns = saturated(values, kind)
    low = np.abs(numbers(patterns, kind))
    high = np.abs(numbers(np.where(low < LARGEST[kind], patterns + 1, patterns).astype(np.uint8), kind))
    with np.errstate(invalid="ignore"):
        halfway = (np.abs(values) - low == high - np.abs(values)) & (high > low)
    return canonical(patterns + halfway.astype(np.uint8), kind)


def flushed(patterns, kind):
    """Subnormal numbers as zeros of their sign."""
    return np.where(np.abs(numbers(patterns, kind)) < SMALLEST_NORMAL[kind], patterns & 0x80, patterns).astype(np.uint8)


def without_sign_of_zero(patterns):
    return np.where(patterns == 0x80, 0, patterns).astype(np.uint8)


def with_other_signs(patterns, kind):
    return canonical(patterns ^ 0x80, kind)


# -- blocks -----------------------------------------------------------------------------------------------------------


def exponents(largest, kind, rule):
    """The exponents of scales by the rules of OCP and torchao; ceil: of the power of two at or above the largest."""
    fraction, power = np.frexp(largest)  # fraction from 1/2 to 1
    if rule == "ceil":
        power = power + (fraction > 0.5)
    if rule == "rceil":
        power = power + (fraction > 0.875)
    if rule == "even":
        power = power + (fraction >= 1 - 2.0 ** -(5 if kind == E4 else 4))
    return power - 1 - EMAX[kind]


def blocks(values, kind, rule, size=32, off=0, quotient=saturated):
    """(elements, scales) of blocks along the last axis; off: what is added to the exponents of scales."""
    parts = values.reshape(*values.shape[:-1], -1, size)
    largest = np.abs(parts).max(-1)
    s = np.clip(np.where(largest > 0, exponents(largest, kind, rule) + off, -127), -127, 127)
    elements = quotient(np.ldexp(parts, -s[..., None]), kind)
    return elements.reshape(values.shape), (s + 127).astype(np.uint8)


def along_columns(values, kind, rule, turned):
    """Blocks along the axis before the last."""
    elements, scales = blocks(np.ascontiguousarray(values.swapaxes(-1, -2)), kind, rule)
    scales = scales if turned else scales.swapaxes(-1, -2)
    return np.ascontiguousarray(elements.swapaxes(-1, -2)), np.ascontiguousarray(scales)


# -- plants -----------------------------------------------------------------------------------------------------------


class Plant(NamedTuple):
    """A mistake: its name, the options of the call, what it gives for values (an array or a pair), and what must be
    said to have been computed."""

    name: str
    options: dict
    make: object
    named: str

    @property
    def blocks(self):
        return "scale_rule" in self.options

    def right(self, values):
        kind = self.options["dtype"]
        if self.blocks:
            return blocks(values, kind, self.options["scale_rule"])
        return (rounded(values, kind, self.options["saturate"]),)

    def made(self, values):
        found = self.make(values)
        return found if isinstance(found, tuple) else (found,)


def of_formats():
    """Another format, by its bit patterns and as an array of it, and bytes of one format read as another."""
    for kind, other in ((E4, E5), (E5, E4)):
        asked = {"dtype": kind, "saturate": kind == E4}
        right = partial(rounded, kind=kind, saturate=kind == E4)
        cut = partial(saturated, kind=other)
        named, read = f"values rounded to {other}", f"the bytes of {kind} read as {other}"
        for name, options, make, text in (
            (f"{other} as bytes", asked, cut, named),
            (f"{other} unsaturated, as bytes", asked, partial(cast, kind=other), named),
            (f"{other} as an array", {**asked, "saturate": True}, lambda v, m=cut, o=other: tagged(m(v), o), named),
            (f"bytes of {kind} as an array of {other}", asked, lambda v, m=right, o=other: tagged(m(v), o), read),
            (f"bytes of {other} as an array of {kind}", asked, lambda v, m=cut, k=kind: tagged(m(v), k), named),
            (f"bytes of {kind} read as {other} and rounded again", asked,
             lambda v, m=right, k=kind, o=other: saturated(numbers(m(v), o), k), read),
        ):  # fmt: skip
            yield Plant(f"{kind}: {name}", options, make, text)
    right = partial(rounded, kind=E4, saturate=False)
    for other in OTHERS:
        made, named, asked = partial(cast, kind=other), f"values rounded to {other}", {"dtype": E4, "saturate": False}
        yield Plant(f"{other} as bytes", asked, made, named)
        yield Plant(f"{other} as an array", asked, lambda v, m=made, o=other: tagged(m(v), o), named)
        read = f"the bytes of {E4} read as {other}"
        yield Plant(f"bytes of {E4} as an array of {other}", asked, lambda v, o=other: tagged(right(v), o), read)
    asked = {"dtype": E4, "saturate": True}
    yield Plant("scales as bytes", asked, lambda v: cast(v, SCALE), f"values rounded to {SCALE}")
    yield Plant("scales as an array", asked, lambda v: tagged(cast(v, SCALE), SCALE), f"values rounded to {SCALE}")


def of_roundings():
    """Saturation, direction, two roundings, subnormal numbers."""
    for kind in (E4, E5):
        cut, kept = {"dtype": kind, "saturate": True}, {"dtype": kind, "saturate": False}
        yield Plant(f"{kind} saturated", kept, lambda v, k=kind: rounded(v, k, True), "saturate=True")
        yield Plant(f"{kind} not saturated", cut, lambda v, k=kind: rounded(v, k, False), "saturate=False")
        yield Plant(f"{kind} toward zero", cut, lambda v, k=kind: toward_zero(v, k), "values rounded toward zero")
        yield Plant(
            f"{kind} ties away", cut, lambda v, k=kind: ties_away(v, k), "halfway values rounded away from zero"
        )
        yield Plant(
            f"{kind} flushed",
            cut,
            lambda v, k=kind: flushed(rounded(v, k, True), k),
            "subnormal numbers flushed to zero",
        )
        right = partial(rounded, kind=kind, saturate=True)
        for name, make, named in (
            ("flushed to +0", lambda v, k=kind, m=right: without_sign_of_zero(flushed(m(v), k)),
             "subnormal numbers flushed to +0"),
            ("+0 for -0", lambda v, m=right: without_sign_of_zero(m(v)), "-0 written as +0"),
            ("other signs", lambda v, k=kind, m=right: with_other_signs(m(v), k), "the sign bit of every element"),
        ):  # fmt: skip
            yield Plant(f"{kind} {name}", cut, make, named)
        for first in ("bfloat16", "float16", "float32"):
            yield Plant(
                f"{kind} through {first}",
                cut,
                lambda v, k=kind, f=first: rounded(through(v, f), k, True),
                f"values rounded to {first} first",
            )


def of_scales():
    """Scales by another rule, or those that are off."""
    for kind in (E4, E5):
        for asked, rule in (("floor", "even"), ("floor", "rceil"), ("rceil", "floor"), ("even", "floor")):
            name, options = f"{kind} {rule} for {asked}", {"dtype": kind, "scale_rule": asked}
            yield Plant(name, options, partial(blocks, kind=kind, rule=rule), f"scale_rule={rule!r}")
        for asked in ("floor", "rceil"):
            name, options = f"{kind} ceil for {asked}", {"dtype": kind, "scale_rule": asked}
            yield Plant(
                name, options, partial(blocks, kind=kind, rule="ceil"), "scales of the power of two at or above"
            )
        for off, text in ((1, "scales twice as large"), (-1, "scales half as large")):
            floor = {"dtype": kind, "scale_rule": "floor"}
            made = partial(blocks, kind=kind, rule="floor", off=off)
            yield Plant(f"{kind} {text}, elements with them", floor, made, text)
            yield Plant(f"{kind} {text}, alone", floor, partial(alone, kind=kind, off=off), text)


def of_blocks():
    """Blocks of another size or axis, elements of another format or rounding, scales read in another way."""
    for kind in (E4, E5):
        made, of_floor = partial(blocks, kind=kind, rule="floor"), partial(along_columns, kind=kind, rule="floor")
        other = E5 if kind == E4 else E4
        for name, make, named in (
            ("columns", partial(of_floor, turned=False), "blocks along axis -2"),
            ("columns, scales turned", partial(of_floor, turned=True), "blocks along axis -2"),
            ("blocks of 16", partial(made, size=16), "blocks of 16"),
            ("blocks of 64", partial(made, size=64), "blocks of 64"),
            ("one scale for a row", partial(of_one_scale, kind=kind, axis=-1), "one scale for all blocks of a row"),
            ("one scale", partial(of_one_scale, kind=kind, axis=None), "one scale for all blocks of the array"),
            ("other signs", lambda v, k=kind, m=made: (m(v)[0] ^ 0x80, m(v)[1]), "the sign bit of every element"),
            ("scales inverted", partial(inverted, kind=kind), "scales inverted"),
            ("scales without a bias", partial(alone, kind=kind, off=-127), "scales without their bias"),
            ("not saturated", partial(made, quotient=cast), "elements that are not saturated"),
            ("elements toward zero", partial(made, quotient=toward_zero), "values rounded toward zero"),
            (
                "blocks through bfloat16",
                lambda v, m=made: m(through(v, "bfloat16")),
                "values rounded to bfloat16 first",
            ),
            (f"blocks of {other}", partial(blocks, kind=other, rule="floor"), f"values rounded to {other}"),
        ):
            yield Plant(f"{kind} {name}", {"dtype": kind, "scale_rule": "floor"}, make, named)


def of_one_scale(values, kind, axis):
    """(elements, scales) of blocks of 32 that have the scale of the largest number of a row, or of all."""
    largest = np.broadcast_to(np.abs(values).max(axis, keepdims=True), values.shape)[..., ::32]
    s = exponents(largest, kind, "floor").astype(int)
    elements = saturated(np.ldexp(values, -np.repeat(s, 32, -1)), kind)
    return elements, (s + 127).astype(np.uint8)


def alone(values, kind, off):
    elements, scales = blocks(values, kind, "floor")
    return elements, (scales.astype(int) + off).astype(np.uint8)


def inverted(values, kind):
    elements, scales = blocks(values, kind, "floor")
    return elements, (254 - scales.astype(int)).astype(np.uint8)


PLANTS = [*of_formats(), *of_roundings(), *of_scales(), *of_blocks()]


# -- values -----------------------------------------------------------------------------------------------------------


def telling(kind):
    """Numbers of all sizes, midpoints and their neighbours at three distances, subnormal, large and no numbers."""
    rng = np.random.default_rng(28)
    grid = np.unique(np.abs(numbers(np.arange(128, dtype=np.uint8), kind)))
    grid = grid[np.isfinite(grid)]
    middle = (grid[1:] + grid[:-1]) / 2
    near = [middle * (1 + sign * 2.0**-far) for far in (9, 13, 30) for sign in (1, -1)]
    ends = np.array([0.0, -0.0, 1, 1.07, 1.2, 1.5, 1.125, 2, 5, 500, 1000, 70000, np.inf, -np.inf, np.nan, 1e-4])
    spread = np.ldexp(rng.normal(size=200), rng.integers(-12, 9, 200))
    made = np.concatenate([middle, -middle, *near, ends, spread])
    return np.resize(made, 64 * -(-len(made) // 64)).reshape(-1, 64)


def scattered_blocks():
    """Blocks of numbers of several sizes, with largest ones that each rule treats in another way."""
    rng = np.random.default_rng(29)
    values = np.ldexp(rng.normal(size=(64, 64)), rng.integers(-9, 4, (64, 1)))
    values[:, 0] = np.resize(np.array([1, 0.9, 0.96875, 0.97, 1.99, 0.75]), 64) * 16
    values[:, 40] = np.resize(np.array([1, 0.9, 0.96875, 0.97, 1.99, 0.75]), 64) * 8
    values[::7] += np.ldexp(values[::7], -11)
    return values
