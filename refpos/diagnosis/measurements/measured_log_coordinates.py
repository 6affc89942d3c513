"""Logarithmic coordinates of a window (Swin v2) of other sizes, factors or logarithms, axis by axis."""

from __future__ import annotations

import numpy as np

from ...measure.estimates import exponential, logarithm
from ...measure.solving import unit_of
from ...measure.wording import number
from ..numbers import as_numbers
from .measured import Measured

RULES = {"swin-v2": float(logarithm(8.0)), "cr": 1.0}  # the natural logarithm of the base
UNITS = 16  # rounding units of the largest coordinate, that numbers may be off


def measured_log_coordinates(trial) -> Measured | None:
    """What coordinates are of those that are asked for; None where they have no rule."""
    if trial.call.suite != "log_coordinates":
        return None
    ((name, expected),) = trial.outputs.items()
    got, wanted = as_numbers(trial.answered[name], expected), as_numbers(expected, expected)
    off = UNITS * unit_of(expected.dtype)
    if not (np.isfinite(got).all() and got.any()):
        return None
    base = RULES[trial.call.arguments["rule"]]
    linear = _without(wanted, base)
    for text, made, before in (
        ("coordinates times {}", lambda z: z, wanted),
        ("coordinates without the logarithm, sign(d) times {} |d|", lambda z: z, linear),
        ("offsets times {} before the logarithm", lambda z: _with(z, base), linear),
    ):
        back = got if before is wanted or "without" in text else _without(got, base)
        factors = [_ratio(back[..., axis], before[..., axis]) for axis in range(got.shape[-1])]
        again = made(before * np.array(factors))
        if (np.abs(again - got) <= off * np.abs(got).max()).all():
            offsets = _linear_factors(trial, factors) if "without" in text else factors
            told = ", ".join(dict.fromkeys(map(number, offsets)))
            return Measured(text.format(told), "the coordinates themselves", named=True)
    return None


def _without(values, base):
    """Coordinates before the logarithm."""
    return np.sign(values) * (exponential(np.abs(values) * base) - 1)


def _with(values, base):
    return np.sign(values) * logarithm(1 + np.abs(values)) / base


def _ratio(got, wanted):
    """The least-squares factor of one array of another."""
    return float((got * wanted).sum() / (wanted * wanted).sum()) if wanted.any() else 1.0


def _linear_factors(trial, factors):
    """The factors of offsets in cells, of factors of what stands below the logarithm."""
    given = trial.call.arguments
    if given["rule"] == "cr":
        return factors
    sides = given.get("pretrained") or (given["height"], given["width"])
    return [8 * factor / max(side - 1, 1) for factor, side in zip(factors, sides)]
