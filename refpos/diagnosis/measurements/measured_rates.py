"""The number of each head in a decay, a logarithm or a power of the distance, and the rule of these numbers."""

from __future__ import annotations

import numpy as np

from ...measure.distance_kernels import kernel_of, power_numbers
from ...measure.estimates import LOG_2, exponential, logarithm
from ...measure.wording import number, several

UNITS = 16  # rounding units that numbers of a kernel may be off
CLOSE = 0.02  # that exponents of two may be off
SEEN = 1e-3  # of 1, what is left where a weight is fitted
LEFT = 0.2  # of 1, what a decay must leave at the distance that tells its rate
EXPONENTS = {1.0: "linear in the distance", 2.0: "the distance squared", 0.5: "the root of the distance"}


def named_rates(before, unit):
    """The kernel of numbers at distances 0, 1, .., (heads, distances), in words; None where it is none."""
    if not np.isfinite(before).all() or before.shape[1] < 4:
        return None
    distances = np.arange(1, before.shape[1], dtype=np.float64)
    values, one = before[:, 1:], bool((before[:, 0] == 1).all())
    with np.errstate(all="ignore"):
        if one and (values >= 0).all() and (values <= 1).all() and (values[:, -1] < 1).all():
            return _decay(values, distances, unit)
        if not one and np.ptp(values, axis=1).all():
            return (_kernel(values, distances, unit) if (values < 0).all() else None) or _logarithm(
                values, distances, unit
            )


def _decay(values, distances, unit):
    """Words for g**d, or for exp(-a d**p)."""
    far = np.maximum((values > LEFT).sum(axis=1) - 1, 0)
    heads = np.arange(len(values), dtype=np.int64)
    rates = -logarithm(values[heads, far]) / distances[far]
    made = exponential(np.maximum(-rates[:, None] * distances, -700))
    wide = UNITS * unit * (1 + distances / distances[far][:, None])
    if np.isfinite(rates).all() and (np.abs(made - values) <= wide * np.maximum(made, unit)).all():
        return f"rates of decay g {several(exponential(-rates))}{_rule(rates)}"
    some = (values > SEEN).all(axis=0)
    found = power_numbers(logarithm(values[:, some]), distances[some]) if some.sum() > 2 else None
    if found is None:
        return None
    made = exponential(np.maximum(-found[1][:, None] * exponential(found[0][:, None] * logarithm(distances)), -700))
    far = np.abs(made - values)
    if not (far[:, some] <= 4 * unit * made[:, some]).all() or (far > SEEN).any() or found[0].min() <= 0:
        return None
    return f"the weight exp(-a d**p), p {several(found[0])}, a {several(found[1])}"


def _rule(rates):
    """The rule of rates s, where g is exp(-s), in words; nothing where it is none that is known."""
    heads = len(rates)
    lost = np.where(rates < 1e-3, rates * (1 - rates / 2 + rates * rates / 6), 1 - exponential(-rates))
    line = _line(-logarithm(lost) / LOG_2)
    if heads > 1 and np.ptp(rates) <= 1e-3 * rates.max():
        return ", the same rate for all heads"
    if line is not None:
        first, last = (f"1/{number(float(f'{1 / one:.3g}'))}" for one in (lost[0], lost[-1]))
        rule = f" = 1 - 2**(-{line[0]:.3g} {'-' if line[1] > 0 else '+'} {abs(line[1]):.3g} h)"
        return f"{rule}: exponent {line[0]:.3g} for head 0, 1 - g from {first} to {last} (logspace)"
    line = _line(-logarithm(rates) / LOG_2)
    if line is not None:
        told = " as of lightning" if abs(line[0] - 8 / heads) < CLOSE and abs(line[1] - 8 / heads) < CLOSE else ""
        return f" = exp(-2**(-{line[0]:.3g} - {line[1]:.3g} h)){told}"
    return ""


def _line(exponents):
    """(first, step) of exponents that rise by one step from head to head; None where they do not."""
    if len(exponents) < 3:
        return None
    step = float(exponents[-1] - exponents[0]) / (len(exponents) - 1)
    made = exponents[0] + step * np.arange(len(exponents), dtype=np.float64)
    near = np.abs(exponents - made).max() <= CLOSE and abs(step) > CLOSE
    return (float(exponents[0]), step) if near else None


def _kernel(values, distances, unit):
    """Words for a logarithm or a power of the distance."""
    found = kernel_of(values, distances, UNITS * unit, ("power", "log"))
    if found is None:
        return None
    kind, (p, a) = found
    if kind == "log":
        return f"a logarithm of the distance, -p ln(1 + a d), p {several(p)}, a {several(a)}"
    exponent = float(np.median(p))
    alike = np.ptp(p) <= CLOSE and round(exponent, 1) in EXPONENTS
    same = f" ({EXPONENTS[round(exponent, 1)]})" if alike else ""
    return f"a power of the distance, -a d**p{same}, p {several(p)}, a {several(a)}"


def _logarithm(values, distances, unit):
    """Words for a logarithm of the distance alone."""
    slopes = (values[:, -1] - values[:, 0]) / logarithm(distances[-1])
    made = values[:, :1] + slopes[:, None] * logarithm(distances)
    if (np.abs(made - values) <= UNITS * unit * np.abs(values).max(axis=1, keepdims=True)).all():
        return f"a logarithm without the 1, -p ln(a d), p {several(-slopes)}"
    return None
