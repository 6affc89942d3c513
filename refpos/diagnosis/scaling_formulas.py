"""Scalings by another formula: other powers in the base of ntk, attention factors of other rules, and factors of each
pair."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache, partial

from .. import catalogue
from ..arithmetic import reals
from .call import made_once
from .unusual_frequencies import BITS, PLAIN, exactly, value_of

LARGEST = 1 << 64  # of factors and bases
#: functions that multiply the base by a power of a factor, and the argument that holds it
STRETCHED = {"ntk": "factor", "ntk_alpha": "alpha", "dynamic_ntk": "factor"}
#: attention factors: (their formula from intervals of digits, a factor and the length of training, the function whose
#: own rule that is, which is tried as its default)
ATTENTION = {
    "0.1 ln(factor) + 1 (that of yarn)": (lambda digits, factor, length: digits.log(factor) / 10 + 1, "yarn"),
    "sqrt(1 + ln(factor) / ln(length)) (that of longrope)": (
        lambda digits, factor, length: digits.sqrt(digits.log(factor) / digits.log(length) + 1),
        "longrope",
    ),
    "ln(factor) + 1": (lambda digits, factor, length: digits.log(factor) + 1, None),
    "0.1 log10(factor) + 1": (lambda digits, factor, length: digits.log(factor) / digits.log(10) / 10 + 1, None),
}


def other_formulas(function, options, plain):
    """(name, computed, asked, the call that makes the frequencies) of scalings by another formula; plain: the call
    without the scaling."""
    yield from _other_powers(function, options)
    yield from _other_attention(function, options)
    yield from _other_lists(function, options)
    yield from _other_ramps(function, options, plain)


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
    whole = base * power_of(factor, power)
    if 1 < whole < LARGEST:
        recipe = {"function": PLAIN, "arguments": {"dim": dim, "base": whole}}
        yield "exponent", f"{text}: base {float(whole):.6g}", asked, recipe


def _other_attention(function, options):
    """The attention factor of another rule."""
    factor, length = options.get("factor"), options.get("original_max_position_embeddings")
    known = isinstance(factor, (int, float)) and type(length) is int and 1 < factor < LARGEST and 1 < length
    if not known or "attention_factor" not in catalogue.find(function).parameters:
        return
    for text in [text for text, (_, own) in ATTENTION.items() if own != function]:
        value = _attention_factor(text, Fraction(factor), length)
        recipe = {"function": function, "arguments": {**options, "attention_factor": value}}
        yield "attention_factor", f"attention_factor {float(value):.6g}: {text}", "attention_factor", recipe


@lru_cache(maxsize=256)
def power_of(factor, power):
    """A power as a fraction that is right to more bits than any format has."""
    return Fraction(reals.evaluated(lambda digits: digits.power(factor, power)).fixed(BITS), 1 << BITS)


@lru_cache(maxsize=256)
def _attention_factor(text, factor, length):
    """The attention factor of a rule, in the same way."""
    formula, _ = ATTENTION[text]
    return Fraction(reals.evaluated(lambda digits: formula(digits, factor, length)).fixed(BITS), 1 << BITS)


# -- factors of each pair ---------------------------------------------------------------------------------------------


def _other_lists(function, options):
    """Lists of factors from their end, or multiplied in place of divided."""
    lists = {name: options[name] for name in ("short_factor", "long_factor") if name in options}
    if not lists:
        return
    for name, values in lists.items():
        recipe = {"function": function, "arguments": {**options, name: list(values)[::-1]}}
        yield "factors", f"{name} reversed", name, recipe
    inverted = {name: [1 / _as_fraction(value) for value in values] for name, values in lists.items()}
    text = "frequencies multiplied by the factors in place of divided (the list inverted)"
    yield "factors", text, "frequencies divided", {"function": function, "arguments": {**options, **inverted}}


def _as_fraction(value):
    """A number as exactly what it is."""
    return Fraction(value if isinstance(value, (int, Fraction)) else float(value))


def _other_ramps(function, options, plain):
    """The ramp of ntk_by_parts and yarn in the other direction, of powers, or everywhere."""
    if "beta_fast" not in catalogue.find(function).parameters or not isinstance(options.get("factor"), (int, float)):
        return
    ramps = {
        "the ramp reversed (fast pairs divided, slow ones kept)": lambda share, factor: share + (1 - share) / factor,
        "a ramp of powers: frequencies divided by factor**ramp": lambda share, factor: 1 / power_of(factor, share),
        "every frequency divided (linear, no ramp)": lambda share, factor: 1 / factor,
    }
    if "attention_factor" not in catalogue.find(function).parameters:  # then that is `linear`
        ramps.popitem()
    for text, rule in ramps.items():
        yield "ramp", text, f"the ramp of {function}", cache(partial(_of_each_pair, function, options, plain, rule))


def _of_each_pair(function, options, plain, rule):
    """Frequencies times what a rule gives for the ramp at each pair, with the attention factor of a function."""
    scaled, factor = made_once({"function": function, "arguments": options}), Fraction(options["factor"])
    pairs = zip(exactly(scaled), exactly(made_once(plain)), strict=True)
    shares = [(1 - one / theta) / (1 - 1 / factor) if factor != 1 else Fraction(0) for one, theta in pairs]
    factors = [1 / rule(min(max(share, Fraction(0)), Fraction(1)), factor) for share in shares]
    lists = dict.fromkeys(("short_factor", "long_factor"), factors)
    numbers = {"attention_factor": scaled.factor.rational or Fraction(scaled.factor.fixed(BITS), 1 << BITS)}
    length = {"original_max_position_embeddings": options["original_max_position_embeddings"]}
    return {"function": "longrope", "arguments": {**plain["arguments"], **lists, **numbers, **length}}
