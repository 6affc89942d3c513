"""Frequencies that no call of the package gives: rounded, scaled twice or inversely, of a ramp that runs backwards."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from .. import catalogue
from ..arithmetic import fixed_point, reals
from ..frequencies.ntk_by_parts import SINGLE, pairs_with_turns
from ..steps.angles.frequency_sets import from_fractions
from .call import is_call, made_once
from .places import held

BITS = 512  # of frequencies that are put together here
PLAIN = "inverse_frequencies"


def value_of(function, options, name):
    """An argument of a call, or its default."""
    return options.get(name, catalogue.find(function).defaults.get(name))


def root_of(base):
    """The square root of a base, as a fraction that is right to more bits than any format has."""
    return Fraction(reals.square_root(Fraction(base)).fixed(BITS), 1 << BITS)


def _like(frequencies, fractions, factor=None):
    """Frequencies that are fractions, with the axes and the factor of others and the call of their error bounds."""
    made = replace(
        from_fractions(fractions), axes=frequencies.axes, factor=frequencies.factor if factor is None else factor
    )
    object.__setattr__(made, "recipe", frequencies.recipe)
    return made


def exactly(frequencies):
    """Frequencies as fractions that are right to far more bits than any format has."""
    return [Fraction(n, 1 << BITS) for n in frequencies.fixed(BITS)]


def rounded_to(made, kind):
    """Frequencies rounded to a format."""
    frequencies = made_once(made)
    return _like(frequencies, [Fraction(float(value)) for value in held(frequencies.inv_freq, kind)])


def factor_squared(made):
    """Frequencies whose factor is applied twice: the same call with that factor, where it takes one."""
    frequencies = made_once(made)
    factor = frequencies.factor.rational or Fraction(frequencies.factor.fixed(BITS), 1 << BITS)
    if is_call(made) and "attention_factor" in catalogue.find(made["function"]).parameters:
        return {**made, "arguments": {**made["arguments"], "attention_factor": factor * factor}}
    return _with_factor(frequencies, factor * factor)


def _with_factor(frequencies, factor):
    changed = replace(frequencies, factor=reals.rational(factor))
    object.__setattr__(changed, "recipe", frequencies.recipe)
    return changed


def factor_alone(plain, made):
    """Frequencies without their scaling, with its factor."""
    frequencies, scaled = made_once(plain), made_once(made)
    changed = replace(frequencies, factor=scaled.factor)
    object.__setattr__(changed, "recipe", scaled.recipe)
    return changed


def scaled_twice(plain, made):
    """Frequencies that are scaled twice."""
    scaled = made_once(made)
    pairs = zip(exactly(scaled), exactly(made_once(plain)), strict=True)
    return _like(scaled, [cut(one * one / start) for one, start in pairs])


def scaled_inversely(plain, made):
    """Frequencies that are multiplied where they should be divided."""
    scaled = made_once(made)
    pairs = zip(exactly(scaled), exactly(made_once(plain)), strict=True)
    return _like(scaled, [cut(start * start / one) if one else start for one, start in pairs])


def betas_exchanged(plain, made):
    """The ramp of ntk_by_parts from the end of beta_slow to that of beta_fast, as code that exchanged them."""
    function, options = made["function"], made["arguments"]
    dim, trained = options["dim"], options["original_max_position_embeddings"]
    base, factor = (Fraction(value_of(function, options, name)) for name in ("base", "factor"))
    ends = []
    for name, whole in (("beta_slow", reals.floor), ("beta_fast", reals.ceiling)):
        beta = Fraction(value_of(function, options, name))
        end = reals.evaluated(partial(pairs_with_turns, dim, base, trained / beta))
        truncated = value_of(function, options, "truncate")
        ends.append(Fraction(whole(end)) if truncated else Fraction(end.fixed(BITS), 1 << BITS))
    most = dim - 1 if value_of(function, options, "clamp") == "dim-1" else dim // 2 - 1
    low, high = max(ends[0], Fraction(0)), min(ends[1], Fraction(most))
    width = high - low or SINGLE
    steps = [min(max((i - low) / width, Fraction(0)), Fraction(1)) for i in range(dim // 2)]
    thetas = exactly(made_once(plain))
    return _like(
        made_once(made), [cut(theta * (1 - step + step / factor)) for theta, step in zip(thetas, steps, strict=True)]
    )


def llama3_reversed(plain, made):
    """The ramp of llama3 between exchanged factors, cut to 0 and 1: slow pairs are kept and fast ones divided."""
    function, options = made["function"], made["arguments"]
    names = ("low_freq_factor", "high_freq_factor", "factor", "original_max_position_embeddings")
    low, high, factor, trained = (Fraction(value_of(function, options, name)) for name in names)
    circle = Fraction(2 * fixed_point.pi(BITS), 1 << BITS)
    thetas = exactly(made_once(plain))
    kept = [min(max((high - trained * theta / circle) / (high - low), Fraction(0)), Fraction(1)) for theta in thetas]
    divided = [cut(theta * (share + (1 - share) / factor)) for theta, share in zip(thetas, kept, strict=True)]
    return _like(made_once(made), divided)


def all_divided(dim, base, factor):
    """Every frequency divided by factor**(dim / (dim - 2))."""
    plain = made_once({"function": PLAIN, "arguments": {"dim": dim, **base}})
    power = made_once({"function": PLAIN, "arguments": {"dim": 4, "base": factor, "exponent_dim": 2 * (dim - 2)}})
    step = exactly(power)[1]  # factor**(-2 / (2 (dim - 2)))
    divided = Fraction(1)
    for _ in range(dim):
        divided = cut(divided * step)
    return _like(plain, [cut(theta * divided) for theta in exactly(plain)])


def cut(fraction):
    """A fraction to so many bits."""
    return Fraction(round(fraction * (1 << BITS)), 1 << BITS)
