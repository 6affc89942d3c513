"""Other frequencies: of another base, exponent, precision or scaling."""

from __future__ import annotations

from functools import cache, partial

from .. import catalogue
from ..steps.angles.frequencies import Frequencies
from .call import MADE, Call, is_call
from .choices import alternatives
from .mistake import Mistake
from .places import NARROWER, TF32, held, in_format, moves, place_of
from .scaling_formulas import other_formulas
from .unusual_frequencies import (
    PLAIN,
    all_divided,
    betas_exchanged,
    factor_alone,
    factor_squared,
    llama3_reversed,
    made_once,
    root_of,
    rounded_to,
    scaled_inversely,
    scaled_twice,
    value_of,
)

#: bases that models have
KNOWN = {
    10000: "Su et al. 2021, Llama 2",
    500000: "Llama 3",
    1000000: "Qwen2, Mixtral, Code Llama",
    5000000: "Yi",
    10000000: "Qwen2.5-1M",
    100000: "Falcon 3, GLM",
    1000: "Flux 2D tables",
    100: "vision models, DINOv3",
    150000: "gpt-oss",
    160000: "ModernBERT",
    2000: "Flux 2",
    256: "ERNIE-Image",
}


def named_base(base):
    """A base as an argument, with whose it is."""
    whole = int(base) if base == int(base) else base
    return f"base={whole!r}" + (f" (that of {KNOWN[whole]})" if whole in KNOWN else "")


#: bases that are tried together with a second mistake
LIKELY = (10000, 500000, 1000000, 1000)


def bases_beside(base):
    """The bases that are tried for a call of some base: those of models, ten times it and a tenth."""
    near = [base * 10, base / 10 if isinstance(base, float) or base % 10 else base // 10]
    return [other for other in dict.fromkeys([*KNOWN, *near]) if other != base and other > 1]


def other_bases(call):
    """The call with another base of its own."""
    base = call.arguments.get("base", catalogue.find(call.suite).defaults.get("base"))
    if call.arguments.get("frequencies") is None and isinstance(base, (int, float)):
        yield _exponent(base, lambda call, other=None: call.change(base=other))
        for other in bases_beside(base):
            yield _base(base, other, lambda call, other=other: call.change(base=other))


def _base(base, other, change):
    return Mistake("base", named_base(other), f"base={base!r}", change, rare=other not in LIKELY)


def _exponent(base, change):
    text, other = "the exponent i/dim (half of what it should be)", root_of(base)
    return Mistake("exponent", text, "the exponent 2i/dim", partial(change, other=other))


def other_frequencies(call):
    """The frequencies of the call with another choice, base or precision, or without their scaling."""
    made = frequencies_of(call)
    if made is None:
        return
    function, options = made["function"], made["arguments"]

    def other(name, computed, asked, recipe, rare=False):
        return Mistake(name, computed, asked, partial(with_frequencies, recipe=recipe), rare=rare)

    def changed(**values):
        return {"function": function, "arguments": {**options, **values}}

    if call.arguments.get("frequencies") is not None or _makes_frequencies(call):
        for name, value, another in alternatives(function, options):
            yield other(name, f"{name}={another!r}", f"{name}={value!r}", changed(**{name: another}))
        yield from _scalings(function, options, other, changed)
    yield from _exponents(call, function, options, other, changed)
    yield from _shares(call, made, other)
    if call.arguments.get("frequencies") is not None or _makes_frequencies(call):
        yield from _bases_of(function, options, other, changed)
        yield from _nested(made, other)


def rounded_frequencies(call):
    """The frequencies of the call in formats that cannot hold them."""
    made = frequencies_of(call)
    if made is None:
        return
    same = _same_in_tf32(call, made)
    for kind in NARROWER:
        either = " or TF32 (11 bits; positions above 2048 tell which)" if kind == "float16" and same else ""
        change = partial(with_frequencies, recipe=_later(rounded_to, made, kind))
        yield Mistake("precision", f"inv_freq rounded to {kind}{either}", "inv_freq", change)
    if not same:
        text, recipe = "inv_freq and positions rounded to TF32 (11 bits)", _later(rounded_to, made, TF32)
        change = partial(with_frequencies, recipe=recipe)
        yield Mistake("precision", text, "inv_freq", lambda call: in_format(change(call), TF32))


def _same_in_tf32(call, made):
    """Whether tensor cores that round both operands to TF32 have the numbers of inv_freq in float16."""
    inv_freq, place = made_once(made).inv_freq, place_of(call)
    return (held(inv_freq, "float16") == held(inv_freq, TF32)).all() and (place is None or not moves(place[1], TF32))


def frequencies_of(call):
    """The call that makes the frequencies of a call, or would make them; None where it has none."""
    made = call.arguments.get("frequencies")
    if MADE in call.arguments:
        return None
    if _makes_frequencies(call):
        arrays = {name: tensor.values for name, tensor in call.tensors.items()}
        return {"function": call.suite, "arguments": {**call.without("dtype").arguments, **arrays}}
    if isinstance(made, Frequencies):
        return None  # already changed in a way that no call has
    if is_call(made):
        return made
    if "frequencies" not in catalogue.find(call.suite).parameters or "x" not in call.tensors:
        return None
    if call.suite == "xdrope":
        return None
    if call.suite == "mrope":
        dim = 2 * sum(call.arguments["sections"])
        return {"function": PLAIN, "arguments": {"dim": dim, "base": call.arguments.get("base", 10000)}}
    dim = call.arguments.get("rotary_dim") or call.tensors["x"].values.shape[-1]
    return {"function": PLAIN, "arguments": {"dim": dim, "base": call.arguments.get("base", 10000)}}


def with_frequencies(call, recipe):
    """The call with other frequencies; a function makes them when the call is changed."""
    frequencies = recipe() if callable(recipe) else recipe
    if _makes_frequencies(call):
        return _in_place(call, frequencies)
    return call.without("base", "rotary_dim").change(frequencies=frequencies)


def _makes_frequencies(call):
    return catalogue.find(call.suite).family == "frequencies"


def _in_place(call, frequencies):
    """The call that makes other frequencies."""
    dtype = {name: value for name, value in call.arguments.items() if name == "dtype"}
    if is_call(frequencies):
        return Call(frequencies["function"], {**frequencies["arguments"], **dtype}, {})
    return call.change(**{MADE: frequencies})


def _later(make, *given):
    """What a function gives, made when it is asked for and then kept."""
    return cache(lambda: make(*given))


# -- bases and exponents ----------------------------------------------------------------------------------------------


def _bases_of(function, options, other, changed):
    base = options.get("base", catalogue.find(function).defaults.get("base"))
    if isinstance(base, (int, float)):
        text = "the exponent i/dim (half of what it should be)"
        yield other("exponent", text, "the exponent 2i/dim", _later(_half_exponent, function, options, base))
        for b in bases_beside(base):
            yield other("base", named_base(b), f"base={base!r}", changed(base=b), b not in LIKELY)
    elif isinstance(base, (list, tuple)):
        for k, one in enumerate(base):
            for b in bases_beside(one):
                bases = [*base[:k], b, *base[k + 1 :]]
                yield other("base", f"{named_base(b)} on axis {k}", f"base={base!r}", changed(base=bases), True)


def _half_exponent(function, options, base):
    return {"function": function, "arguments": {**options, "base": root_of(base)}}


def _exponents(call, function, options, other, changed):
    if function != PLAIN:
        return
    dim = options.get("dim")
    if type(dim) is not int:
        return
    usual = options.get("exponent_dim") or dim
    widths = {call.tensors["x"].values.shape[-1]: "the width of x"} if "x" in call.tensors else {}
    widths |= {dim: "dim", dim - 2: "half-1, so that the last frequency is 1/base", dim + 2: "half+1"}
    for width, meaning in widths.items():
        if width > 0 and width != usual:
            text = f"exponent_dim={width} ({meaning})"
            yield other("exponent", text, f"exponent_dim={usual}", changed(exponent_dim=width))


# -- scalings ---------------------------------------------------------------------------------------------------------


def _scalings(function, options, other, changed):
    width = options.get("dim")
    if function == PLAIN or not isinstance(width, int):
        return
    base = {"base": options["base"]} if "base" in options else {}
    plain = {"function": PLAIN, "arguments": {"dim": width, **base}}
    yield other("scaling", f"no scaling ({function} dropped)", function, plain)
    parameters = catalogue.find(function).parameters
    if "attention_factor" in parameters and options.get("attention_factor") != 1.0:
        without = changed(attention_factor=1.0)
        yield other("attention_factor", "attention_factor dropped", function, without)
        text = "attention_factor applied twice"
        yield other("attention_factor", text, "attention_factor", _later(factor_squared, changed()))
        yield other(
            "scaling", f"frequencies not scaled, attention_factor kept ({function})", function,
            _later(factor_alone, plain, changed()),
        )  # fmt: skip
    yield other("scaling", f"{function} applied twice", f"{function} once", _later(scaled_twice, plain, changed()))
    if "short_factor" not in options:  # whose lists are inverted
        yield other("scaling", f"{function} inverted", function, _later(scaled_inversely, plain, changed()), True)
    yield from _of_one_factor(function, options, other, base)
    yield from (other(*one, rare=True) for one in other_formulas(function, options, plain))
    yield from _numbers(function, options, other, changed)
    if function == "llama3":
        yield from _llama3_exchanged(options, other, changed, plain)
    if "beta_fast" in parameters:
        text = "beta_fast and beta_slow exchanged"
        yield other(
            "beta",
            text,
            f"beta_fast={value_of(function, options, 'beta_fast')}",
            _later(betas_exchanged, plain, changed()),
        )


def _llama3_exchanged(options, other, changed, plain):
    """The two ends of the ramp exchanged: what is left of the ramp depends on the order in which code compares."""
    low, high = options["low_freq_factor"], options["high_freq_factor"]
    if low == high:
        return
    text, asked = "low_freq_factor and high_freq_factor exchanged", f"low_freq_factor={low!r}"
    for end in (high, low):  # as transformers compares, and as Meta's code does
        step = changed(low_freq_factor=end, high_freq_factor=end)
        yield other("low_freq_factor", f"{text}: no ramp, but a step at {end!r}", asked, step)
    reversed_ramp = _later(llama3_reversed, plain, changed())
    yield other("low_freq_factor", f"{text}: slow pairs kept, fast ones divided", asked, reversed_ramp)


def _of_one_factor(function, options, other, base):
    """Another rule with the same factor."""
    factor, width = options.get("factor", options.get("alpha")), options["dim"]
    if not isinstance(factor, (int, float)):
        return
    common = {"dim": width, **base, "factor": factor}
    if function != "linear":
        text = f"positions divided by {factor} in place of {function}"
        yield other("scaling", text, function, {"function": "linear", "arguments": common})
    if function != "ntk":
        text = f"ntk with factor={factor} in place of {function}"
        yield other("scaling", text, function, {"function": "ntk", "arguments": common})
    trained = options.get("original_max_position_embeddings")
    if trained is not None:
        common = {**common, "original_max_position_embeddings": trained}
        for rule, numbers in RULES.items():
            if rule != function:
                made = {"function": rule, "arguments": {**common, **numbers}}
                yield other("scaling", f"{rule} in place of {function}", function, made)
    if function in ("ntk", "dynamic_ntk", "ntk_alpha"):
        text = f"every frequency divided by factor**(dim / (dim - 2)), not the base multiplied ({function})"
        yield other("exponent", text, function, _later(all_divided, width, base, factor))


#: rules of one factor and one length, with the numbers that models give them
RULES = {"yarn": {}, "ntk_by_parts": {}, "llama3": {"low_freq_factor": 1, "high_freq_factor": 4}}
#: numbers of scalings that are exchanged, and defaults that replace others
EXCHANGED = (
    ("short_factor", "long_factor"),
    ("mscale", "mscale_all_dim"), ("original_max_position_embeddings", "max_position_embeddings"),
)  # fmt: skip
OTHER_NUMBERS = {
    "low_freq_factor": (1, 1.0), "high_freq_factor": (4, 4.0), "beta_fast": (32, 16, 64), "beta_slow": (1, 2),
    "factor": (8, 32, 4, 2, 16, 40), "original_max_position_embeddings": (8192, 4096, 2048, 32768),
    "partial_rotary_factor": (0.25, 0.5, 1.0),
}  # fmt: skip


def _numbers(function, options, other, changed):
    defaults = catalogue.find(function).defaults
    for name in ("short_factor", "long_factor"):
        if name in options:
            text = f"the {name} at every length"
            yield other("factors", text, function, changed(short_factor=options[name], long_factor=options[name]))
    for one, two in EXCHANGED:
        first, second = (options.get(name, defaults.get(name)) for name in (one, two))
        if one in options or two in options:
            if first is not None and second is not None and first is not second:
                text = f"{one} and {two} exchanged"
                yield other(one, text, f"{one}={_short(first)}", changed(**{one: second, two: first}))
    for name, values in OTHER_NUMBERS.items():
        value = options.get(name, defaults.get(name))
        if isinstance(value, (int, float)):
            near = {"factor": (value * 2, value / 2), "original_max_position_embeddings": (value * 2, value // 2)}
            for another in dict.fromkeys((*values, *near.get(name, ()))):
                if another != value:
                    likely = another in near.get(name, ()) or name.endswith("_factor")
                    yield other(
                        name, f"{name}={another!r}", f"{name}={value!r}", changed(**{name: another}), not likely
                    )
    for name in ("mscale", "mscale_all_dim"):
        if options.get(name) is not None:
            yield other(name, f"{name} left out", f"{name}={options[name]!r}", changed(**{name: None}))


def _short(value):
    return repr(value) if not isinstance(value, (list, tuple)) or len(value) < 4 else f"[{value[0]!r}, ...]"


def _nested(made, other):
    """What is wrong with frequencies inside of others, and those alone."""
    inner = made["arguments"].get("frequencies")
    if not is_call(inner):
        return
    function = made["function"]
    yield other("scaling", f"no scaling ({function} dropped)", function, inner)
    if function == "linear":
        return
    base = inner["arguments"].get("base", catalogue.find(inner["function"]).defaults.get("base"))
    if isinstance(base, (int, float)):
        for b in bases_beside(base):
            changed = {**inner, "arguments": {**inner["arguments"], "base": b}}
            outer = {**made, "arguments": {**made["arguments"], "frequencies": changed}}
            yield other("base", named_base(b), f"base={base!r}", outer, b not in LIKELY)


def _shares(call, made, other):
    """Partial rotation with the exponents of the whole width, and the reverse."""
    x, function, options = call.tensors.get("x"), made["function"], made["arguments"]
    if x is None or type(options.get("dim")) is not int:
        return
    width, dim = x.values.shape[-1], options["dim"]
    base = {"base": options["base"]} if "base" in options else {}
    if function == PLAIN and dim < width and not width % 2:
        share = {"dim": width, "partial_rotary_factor": dim / width, **base}
        text = "proportional rotation (pairs and exponents of the whole width)"
        yield other("partial", text, f"the first {dim} channels", {"function": "proportional", "arguments": share})
        text = "all channels rotated"
        full = {"function": PLAIN, "arguments": {"dim": width, **base}}
        yield other("partial", text, f"the first {dim} channels", full)
    if function == "proportional" and dim == width:
        part = int(options["partial_rotary_factor"] * width) // 2 * 2
        if 0 < part < width:
            text = f"partial rotation (the first {part} channels, with exponents of their own)"
            first = {"function": PLAIN, "arguments": {"dim": part, **base}}
            yield other("partial", text, "proportional rotation", first)
