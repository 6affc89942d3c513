"""Scalings by another formula: other powers in the base of ntk, and attention factors of other rules."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from .. import catalogue
from ..arithmetic import reals
from .unusual_frequencies import BITS, PLAIN, value_of

LARGEST = 1 << 64  # of factors and bases
#: functions that multiply the base by a power of a factor, and the argument that holds it
STRETCHED = {"ntk": "factor", "ntk_alpha": "alpha", "dynamic_ntk": "factor"}
#: attention factors by their formula, from intervals of digits, a factor and the length of training
ATTENTION = {
    "0.1 ln(factor) + 1 (that of yarn)": lambda digits, factor, length: digits.log(factor) / 10 + 1,
    "sqrt(1 + ln(factor) / ln(length)) (that of longrope)": lambda digits, factor, length: digits.sqrt(
        digits.log(factor) / digits.log(length) + 1
    ),
    "ln(factor) + 1": lambda digits, factor, length: digits.log(factor) + 1,
    "0.1 log10(factor) + 1": lambda digits, factor, length: digits.log(factor) / digits.log(10) / 10 + 1,
}


def other_formulas(function, options):
    """(name, computed, asked, the call that makes the frequencies) of scalings by another formula."""
    yield from _other_powers(function, options)
    yield from _other_attention(function, options)


def _other_powers(function, options):
    """The base times another power of the factor than dim / (dim - 2), or of another factor."""
    given, dim = options.get(STRETCHED.get(function, "")), options["dim"]
    if not isinstance(given, (int, float)) or dim < 4:
        return
    base, factor = Fraction(value_of(function, options, "base")), Fraction(given)
    powers = {"dim/(dim-1)": Fraction(dim, dim - 1), "(dim-2)/dim": Fraction(dim - 2, dim)}
    if "rule" not in catalogue.find(function).parameters:  # which has this one
        powers["1"] = Fraction(1)
    if function == "dynamic_ntk":
        trained = options["max_position_embeddings"]
        ratio = factor * Fraction(max(options.get("seq_len") or trained, trained), trained)
        text = f"ntk with factor {float(ratio):.6g}, which is factor seq_len/max_position_embeddings"
        asked = "factor seq_len/max_position_embeddings - (factor-1)"
        yield from _power(f"{text} without minus (factor-1)", asked, dim, base, ratio, Fraction(dim, dim - 2))
        factor = ratio - (factor - 1)
    for text, power in powers.items():
        told = f"{function} with the exponent {text} of its factor"
        yield from _power(told, "the exponent dim/(dim-2)", dim, base, factor, power)


def _power(text, asked, dim, base, factor, power):
    """Plain frequencies of the base times a power of the factor."""
    if not 1 / LARGEST < factor < LARGEST:
        return
    whole = base * _power_of(factor, power)
    if 1 < whole < LARGEST:
        recipe = {"function": PLAIN, "arguments": {"dim": dim, "base": whole}}
        yield "exponent", f"{text}: base {float(whole):.6g}", asked, recipe


def _other_attention(function, options):
    """The attention factor of another rule."""
    factor, length = options.get("factor"), options.get("original_max_position_embeddings")
    known = isinstance(factor, (int, float)) and type(length) is int and 1 < factor < LARGEST and 1 < length
    if not known or "attention_factor" not in catalogue.find(function).parameters:
        return
    for text in ATTENTION:
        value = _attention_factor(text, Fraction(factor), length)
        recipe = {"function": function, "arguments": {**options, "attention_factor": value}}
        yield "attention_factor", f"attention_factor {float(value):.6g}: {text}", "attention_factor", recipe


@lru_cache(maxsize=256)
def _power_of(factor, power):
    """A power as a fraction that is right to more bits than any format has."""
    return Fraction(reals.evaluated(lambda digits: digits.power(factor, power)).fixed(BITS), 1 << BITS)


@lru_cache(maxsize=256)
def _attention_factor(text, factor, length):
    """The attention factor of a rule, in the same way."""
    return Fraction(reals.evaluated(lambda digits: ATTENTION[text](digits, factor, length)).fixed(BITS), 1 << BITS)
