"""The rule of a table of sines and cosines: base, exponents and first frequency, as the call that has them."""

from __future__ import annotations

import math

from .best_known import BASES, digits_of, inside
from .estimates import PI, logarithm
from .frequency_rule import Rule, bases, call, interval, straight
from .solving import in_order, measurements, one_gain

FALLBACK = 4  # the rank of known bases where no line tells one
GRIDS = ("sincos_2d", "sincos_3d", "sincos_grid")  # whose coordinates have the first frequency 1
MOST_SHIFT = 4  # of timesteps, that is looked for


def rules_of(layout, width, name, angles, found):
    """The rules that fit angles of one step, the likeliest first; name: the function whose call is preferred."""
    divisor = _divisor(width, angles)
    if divisor is None:
        return []
    if name in GRIDS and divisor:
        return []
    form, rules = (layout, width, name, divisor), []
    for k, measured in enumerate(measurements(angles, found, (1, 0.0))):
        fitted = straight(measured)
        if fitted is not None and fitted[1]:
            rules += [rule._replace(rank=rule.rank + k / 64) for rule in _rules(form, fitted[0], measured.told)]
    for ends in (False, True):
        rules += [Rule(_call(form, base, ends), FALLBACK + 0.5 * ends) for base in BASES if layout.both.sum() > ends]
    return in_order([rule for rule in rules if rule.recipe is not None])


def measured_rule(layout, width, name, angles, found):
    """The likeliest rule that fits angles of one step, whatever factor the numbers have; None where there is none."""
    for measured in measurements(angles, found, (1, 0.0)):
        fitted = straight(measured)
        if fitted is not None and fitted[1] and measured.told > 1:
            rules = [rule for rule in _rules((layout, width, name, {}), fitted[0], measured.told) if rule.recipe]
            return min(rules, key=lambda rule: rule.rank, default=None)
    return None


def _divisor(width, angles):
    """The divisor of all numbers as arguments; None where no call has their factor."""
    gain = one_gain(angles)
    if gain is None:
        return None
    if gain[0] == 1:
        return {}
    return {"divisor": "sqrt-dim"} if abs(gain[0] * math.sqrt(width) - 1) <= 8 * angles.unit else None


def _rules(form, fitted, told):
    layout, width, name, _ = form
    dim = width - (width % 2 if "odd" in layout.arguments else 0)
    count = (dim + 1) // 2
    for scale, unusual in scales(fitted, width) if name not in GRIDS else [(None, 0)]:
        if told < 2:
            yield Rule(_call(form, 10000, False, scale), unusual)
            continue
        for ends, span in ((False, dim / 2), (True, count - 1)):
            for base, rank in bases(fitted, span) if span else ():
                yield Rule(_call(form, base, ends, scale), rank + 0.02 * ends + unusual)
        for shift in _shifts(fitted, count) if name not in GRIDS else ():
            yield Rule(_timesteps(form, 10000, shift, scale), 2 + unusual)


def scales(fitted, width):
    """(first frequency, how unusual it is): None where positions have the factor."""
    low, high = interval(fitted.at_zero, fitted.error_at_zero)
    several = low > 1 and any(number == int(number) for number in inside(low, high))
    own = low <= 1 <= high or several
    if not own:
        known = (1 / width, 2 / width, PI / 180, 2 * PI, PI, 1000, 100)
        yield from ((scale, 0) for scale in inside(low, high, known)[:2])
    yield None, 0 if own else 0.5


def _shifts(fitted, count):
    """Numbers other than 0 and 1 by which the half of a width may be shifted to have exponents of base 10000."""
    slope, error = -fitted.slope, 4 * fitted.error_of_slope
    if slope <= error:
        return
    size = float(logarithm(10000.0))
    for shift in inside(count - size / (slope - error), count - size / (slope + error))[:1]:
        if abs(shift) <= MOST_SHIFT and digits_of(shift) <= 2 and shift not in (0, 1):
            yield shift


def _call(form, base, ends, scale=None):
    layout, width, name, divisor = form
    if name == "timestep_embedding" and not divisor and _is_halved(layout, width):
        return _timesteps(form, base, int(ends), scale)
    numbers = {"endpoint": True} if ends else {}
    numbers |= {} if scale is None else {"position_scale": scale}
    return call("sinusoidal", dim=width, base=base, **layout.arguments, **numbers, **divisor)


def _timesteps(form, base, shift, scale):
    layout, width, _, divisor = form
    if divisor or not _is_halved(layout, width) or shift == width // 2:
        return None
    numbers = {"flip_sin_to_cos": layout.name == "cos-sin", "downscale_freq_shift": shift, "max_period": base}
    return call("timestep_embedding", dim=width, **numbers, **({} if scale is None else {"scale": scale}))


def _is_halved(layout, width):
    """Whether it is a layout of `timestep_embedding`."""
    return layout.name != "interleaved" and layout.channels is None and (width % 2 == 0 or "odd" in layout.arguments)
