"""Slopes of ALiBi that no argument gives: each head's from its numbers at distance 1, and the rule that they follow."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import catalogue
from ..arithmetic import formats
from ..measure.slope_rules import words_beside
from ..measure.solving import unit_of
from ..measure.wording import several_of
from ..relative.alibi_slopes import alibi_slopes
from .call import EMULATION
from .emulated import stored
from .mistake import Mistake
from .numbers import as_numbers

SLOPES = "alibi_slopes"
LEAST = 3  # distances that a slope must give
SHOWN = 3  # slopes in a sentence
UNITS = 2  # rounding units, by which a slope is another one


def other_slopes(study):
    """The slopes that the numbers have, where each head has one; those of `alibi_slopes` alone only by a known rule."""
    call, alone = study.trial.call, study.trial.call.suite == SLOPES
    if call.suite not in ("alibi", SLOPES) or call.arguments.get("head_dim") is not None:
        return
    ((name, expected),) = study.trial.outputs.items()
    slopes = _slopes(study.trial.answered[name], expected, _distances(call))
    if slopes is None or not np.isfinite(slopes).all():
        return
    given = {name: call.arguments[name] for name in ("convention", "max_bias") if name in call.arguments}
    asked, rule = alibi_slopes(len(slopes), **given), words_beside(slopes, expected.dtype, given)
    if alone and not rule:
        return
    off, heads = slice(None), ""
    if _listed(slopes) == _listed(asked):  # others than the first ones differ
        off = np.flatnonzero(np.abs(slopes - asked) > UNITS * unit_of(expected.dtype) * asked)
        heads = f" of {several_of('head', off)}"
    negated = " (the other sign)" if (slopes[off] == -asked[off]).all() else ""
    word = "slope" if len(slopes[off]) == 1 else "slopes"
    computed = f"the {word} {_listed(slopes[off])}{heads}{f' ({rule})' if rule else negated}"
    convention = f"convention={call.arguments.get('convention', 'recursive')!r} ({_listed(asked[off])})"
    yield Mistake("slopes", computed, convention, partial(_emulated, slopes=tuple(slopes.tolist())), outputs=_products)


def _slopes(answered, expected, distances):
    """The slope of each head, at the least distance; None where there are too few distances for it to be one."""
    if distances.ndim == 1:
        return as_numbers(answered, expected)
    sizes = np.unique(np.abs(distances[np.isfinite(distances) & (distances != 0)]))
    if len(sizes) < LEAST:
        return None
    *left, _, row, column = np.argwhere(np.abs(distances) == sizes[0])[0].tolist()
    heads = answered._replace(values=answered.values[(*left, slice(None), row, column)])
    return as_numbers(heads, expected) / distances[(*left, 0, row, column)]


def _emulated(call, slopes):
    """The call, with a word that no error bounds of other slopes hold for it."""
    return call.change(**{EMULATION: SLOPES, "slopes": slopes})


def _products(call):
    """The products of slopes and distances, each rounded once to float64 and then to the format of the call."""
    slopes, plain = np.array(call.arguments["slopes"]), call.without(EMULATION, "slopes")
    distances = _distances(plain)
    with np.errstate(invalid="ignore"):  # a slope of 0 at an infinite distance
        values = slopes if plain.suite == SLOPES else slopes[:, None, None] * distances
    kept = np.broadcast_to(np.isinf(distances) | (distances == 0), values.shape)
    values = np.where(kept, distances, values)
    (name,) = catalogue.find(plain.suite).outputs_of(plain.arguments)
    return {name: stored(values, formats.FORMATS[plain.arguments.get("dtype", "float64")])}


def _distances(call):
    """What slopes of 1 give."""
    if call.suite == SLOPES:
        return np.ones(1)
    ones = call.change(num_heads=1, convention="halving", max_bias=8, dtype="float64").outputs()
    (distances,) = ones.values()
    return distances.values


def _listed(slopes):
    """The first of some slopes."""
    return ", ".join([*(f"{float(one):.6g}" for one in slopes[:SHOWN]), *["..."][: len(slopes) - SHOWN]])
