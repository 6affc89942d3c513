"""The rule of some slopes of heads: a convention of ALiBi, of other heads, in another order, divided by a root."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..relative.alibi_slopes import CONVENTIONS, alibi_slopes
from ..types import Array
from .best_known import inside
from .estimates import LOG_2, logarithm
from .wording import number, several

MOST_HEADS = 4096
WIDEST_HEAD = 4096


class SlopeRule(NamedTuple):
    """Slopes (heads,), arguments of the call that are not the defaults, its number of heads, which of them the numbers
    have, as an index or "", a sign, and the words of all that."""

    slopes: Array
    arguments: dict
    heads: int
    chosen: str
    words: str

    def of(self, values):
        """Values of all heads of the call in the order of the numbers."""
        return eval_index(values, self.chosen)


def eval_index(values, chosen):
    """Some heads: "" all, ":n" the first, "::-1" reversed, or a list of numbers as text."""
    if not chosen:
        return values
    if chosen == "::-1":
        return values[::-1]
    if chosen.startswith(":"):
        return values[: int(chosen[1:])]
    return values[[int(one) for one in chosen.strip("[]").split(",")]]


def rules_of(slopes, fmt):
    """The `SlopeRule`s that positive slopes may have, the plainest first."""
    count = len(slopes)
    power = 1 << count.bit_length() - 1
    apart = 8 * float(np.ldexp(1.0, -formats.FORMATS[fmt].precision))
    counts = [heads for heads in dict.fromkeys((count, 2 * power, 2 * count)) if heads <= MOST_HEADS]
    for biases, rule in ((_usual, _orders), (_biases, _orders), (_usual, _divided)):
        for heads, convention in product(counts, CONVENTIONS):
            for bias in biases(slopes, heads, convention, apart):
                given = {"convention": convention} if convention != "recursive" else {}
                given |= {"max_bias": bias} if bias != 8 else {}
                yield from rule(slopes, alibi_slopes(heads, **given), given, heads, apart)


def _usual(slopes, heads, convention, apart):
    yield 8


def _biases(slopes, heads, convention, apart):
    """Numbers that max_bias may be, as the largest slope and the first one tell."""
    if convention == "halving":
        return
    steps = 1 << heads.bit_length() - 1 if convention == "recursive" else heads
    for told in (slopes.max(), slopes[0]):
        exponent = -float(logarithm(told)) / LOG_2 * steps
        if exponent > 0:
            wide = 4 * apart * steps
            yield from (one for one in inside(exponent - wide, exponent + wide)[:2] if one != 8 and one > 0)


def _orders(slopes, known, given, heads, apart):
    """The same slopes, the first of them, or those of heads in another order."""
    count = len(slopes)
    convention = given.get("convention", "recursive")
    said = f"slopes {several(slopes)}, {convention}" + (
        f" to max_bias {number(given['max_bias'])}" if "max_bias" in given else ""
    )
    if heads == count:
        if _alike(slopes, known, apart):
            yield SlopeRule(slopes, given, heads, "", said)
        elif _alike(slopes, known[::-1], apart):
            yield SlopeRule(slopes, given, heads, "::-1", f"{said}, the heads in reverse order")
        elif _alike(np.sort(slopes), np.sort(known), apart) and len(np.unique(known)) == count:
            order = np.argsort(np.argsort(slopes))
            chosen = np.argsort(known)[order].tolist()
            yield SlopeRule(slopes, given, heads, str(chosen), f"{said}, the heads in another order")
    elif _alike(slopes, known[:count], apart):
        yield SlopeRule(slopes, given, heads, f":{count}", f"{said}, the first {count} of {heads} heads")


def _divided(slopes, known, given, heads, apart):
    """The slopes divided by the root of a width of heads."""
    if heads != len(slopes):
        return
    root = float(known[0] / slopes[0])
    square = root * root
    width = round(square) if square < WIDEST_HEAD else 0
    if width > 1 and _alike(slopes, known / np.sqrt(width), apart):
        said = f"slopes {several(slopes)}, {given.get('convention', 'recursive')} divided by sqrt({width})"
        yield SlopeRule(slopes, {**given, "head_dim": width}, heads, "", said)


def _alike(one, other, apart):
    return bool((np.abs(one - other) <= apart * np.abs(other)).all())


# -- slopes that no call has ------------------------------------------------------------------------------------------


def words_beside(slopes, fmt, given):
    """What slopes are beside those of a convention, as {convention, max_bias} give it, in words; nothing where no rule
    gives them."""
    count, apart = len(slopes), 16 * float(np.ldexp(1.0, -formats.FORMATS[fmt].precision))
    power, asked = 1 << count.bit_length() - 1, alibi_slopes(count, **given)
    for convention in ("recursive", "geometric"):
        of = partial(alibi_slopes, **{**given, "convention": convention})
        parts = (of(power), of(power)[: count - power]) if convention == "recursive" else (of(count),)
        if _alike(slopes, _from_zero(*parts), apart):
            return f"{convention}, with exponents that are counted from 0"
        for more in (2 * power, 2 * count, power):
            if more >= count and _alike(slopes, of(more)[:count], apart):
                return f"the first {count} of {more} heads"
    if _alike(slopes, np.sort(asked)[::-1], apart):
        return "those of the heads in the order of their size"
    with np.errstate(over="ignore", invalid="ignore"):  # slopes as large as the format has
        times = slopes[0] / asked[0]
        scaled = asked * times
    if np.isfinite(scaled).all() and _alike(slopes, scaled, apart):
        return f"{float(times):.6g} times what they should be"
    return "those of the heads in another order" if _alike(np.sort(slopes), np.sort(asked), apart) else ""


def _from_zero(*parts):
    """Slopes whose exponents are counted from 0: 1, and then all but the last."""
    return np.concatenate([np.concatenate([[1.0], part[:-1]]) if len(part) else part for part in parts])
