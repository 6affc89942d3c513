"""Which products of channels with cosines and sines an answer is the sum of, where it is no rotation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ...measure.held_format import Held
from ...measure.pairs import found_pairs
from ...measure.solving import unit_of
from ...measure.subjects import Rotation, measured_rows
from ..numbers import as_numbers
from .measured import Measured

VECTORS = 4096  # of channels, that are looked at
FITS, UNITS = (
    1e-5,
    8,
)  # the root of the mean square that terms may leave, as a share of that of x, and in rounding units
SIGNS = (1, -1, 0)
PAIRS = (("x1 cos", "x2 sin"), ("x2 cos", "x1 sin"), ("x1 cos", "x1 sin"), ("x2 cos", "x2 sin"), ("x1", "x2"))


def measured_terms(trial) -> Measured | None:
    """The terms of the first and the second channels of a rotation, or of cosines and sines, where they are others than
    those that are asked for; else None."""
    if tuple(trial.outputs) == ("cos", "sin"):
        return _of_table(trial)
    x, (name, expected) = trial.call.tensors.get("x"), next(iter(trial.outputs.items()))
    if x is None or len(trial.outputs) > 1 or expected.values.shape != x.values.shape:
        return None
    sequence = trial.call.arguments.get("seq_axis", -2) % x.values.ndim
    parts = _parts(Held(x), Held(expected), Held(trial.answered[name]), sequence)
    if parts is None:
        return None
    (before, asked, after), unit = parts, unit_of(expected.dtype)
    rotation = asked / np.where(before != 0, before, 1)
    cos, sin = rotation.real, rotation.imag
    basis = {"x1 cos": before.real * cos, "x2 sin": before.imag * sin, "x2 cos": before.imag * cos,
             "x1 sin": before.real * sin, "x1": before.real, "x2": before.imag}  # fmt: skip
    told = [_terms(values, basis, unit) for values in (after.real, after.imag)]
    if None in told or told == ["x1 cos - x2 sin", "x2 cos + x1 sin"]:
        return None
    name = _name(told)
    return Measured(f"{name}({told[0]}, {told[1]})", "(x1 cos - x2 sin, x2 cos + x1 sin)", named=bool(name))


def _parts(x, expected, answers, sequence):
    """Complex numbers of the pairs of x, of what is expected and of the answers, (vectors, pairs); None where there are
    no pairs."""
    shape = np.moveaxis(x.tensor.values, sequence, 0).shape[:-1]
    count = math.prod(shape)
    some = np.linspace(0, count - 1, min(VECTORS, count)).astype(np.int64)
    first, *others = np.unravel_index(some, shape)
    index = (*others[:sequence], first, *others[sequence:])
    few = [one.numbers(index) for one in (x, expected, answers)]
    pairs = found_pairs(few[0], few[1], unit_of(expected.format))
    if not pairs or not all(np.isfinite(one).all() for one in few):
        return None
    z = measured_rows(Rotation(x, expected, pairs[0], sequence, ()), 0)[0]
    before = pairs[0].complex_of(few[0])
    angles = z[first]
    return before, before * angles, pairs[0].complex_of(few[2], written=True)


def _terms(values, basis, unit):
    """The sum of two terms at most, each with a sign, that the values are; None where there is none."""
    size = float(np.sqrt(np.mean(basis["x1"] ** 2 + basis["x2"] ** 2)))
    for one, other in PAIRS:
        for first, second in product(SIGNS, SIGNS):
            left = values - first * basis[one] - second * basis[other]
            if np.sqrt(np.mean(left * left)) <= max(FITS, UNITS * unit) * size:
                return _sum((first, one), (second, other))
    return None


def _sum(*terms):
    """A sum in words."""
    text = " ".join(f"{'-' if sign < 0 else '+'} {name}" for sign, name in terms if sign)
    return text.removeprefix("+ ").replace("- x", "-x", 1 if text.startswith("- ") else 0) or "0"


def _name(told):
    """What is wrong with the terms of both channels, in a few words; nothing where that has no name."""
    both = " ".join(told)
    if "sin" not in both and "cos" in both:
        return "a rotation without the sine terms "
    if "cos" not in both and "sin" in both:
        return "a rotation without the cosine terms "
    if both == "x2 cos - x1 sin x1 cos + x2 sin":
        return "a rotation of x with its halves exchanged "
    if both == "x1 cos + x1 sin x2 cos + x2 sin":
        return "a rotation without rotate_half, x cos + x sin "
    if "-" not in both and "cos" in both and "sin" in both:
        return "rotate_half without its minus sign "
    return ""


def _whose(text):
    """Numbers in words: a constant, or those that another array should have."""
    return text if text.isdigit() else f"the numbers of {text.replace('-', 'minus ')}"


def _of_table(trial):
    """The same of the cosines and sines of a rotary table, each of which may stand for the other."""
    numbers = {name: as_numbers(one, one) for name, one in trial.outputs.items()}
    basis, told = {"cos": numbers["cos"], "sin": numbers["sin"]}, []
    for name, expected in trial.outputs.items():
        values, unit = as_numbers(trial.answered[name], expected), unit_of(expected.dtype)
        candidates = {f"{'-' if sign < 0 else ''}{of}": sign * one for of, one in basis.items() for sign in (1, -1)}
        candidates |= {"0": 0 * values, "1": 1 + 0 * values}
        fits = [text for text, one in candidates.items() if np.abs(values - one).max() <= max(FITS, UNITS * unit)]
        if not fits:
            return None
        told.append(f"{name} holds {_whose(fits[0])}")
    wrong = [one for one, name in zip(told, basis) if one != f"{name} holds {_whose(name)}"]
    return Measured(" and ".join(wrong), "cos and sin", named=True) if wrong else None
