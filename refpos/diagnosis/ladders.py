"""Other frequencies: of another base, exponent, precision or scaling."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from .. import catalogue
from ..arithmetic import reals
from ..frequencies.ntk_by_parts import SINGLE, pairs_with_turns
from ..steps.frequencies import Frequencies
from ..steps.ladders import from_fractions
from .call import MADE, Call, is_call, made_once
from .choices import alternatives
from .mistake import Mistake
from .places import NARROWER, held

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
BITS = 512  # of frequencies that are put together here
PLAIN = "inverse_frequencies"


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
    text, other = "the exponent i/dim (half of what it should be)", reals_root(base)
    return Mistake("exponent", text, "the exponent 2i/dim", partial(change, other=other))


def reals_root(base):
    """The square root of a base, as a fraction that is right to more bits than any format has."""
    return Fraction(reals.square_root(Fraction(base)).fixed(BITS), 1 << BITS)


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
    for kind in NARROWER if made is not None else ():
        change = partial(with_frequencies, recipe=_later(_rounded, made, kind))
        yield Mistake("precision", f"inv_freq rounded to {kind}", "inv_freq", change)


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
    if call.suite in ("mrope", "xdrope"):
        return None
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
    return lambda: make(*given)


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
    return {"function": function, "arguments": {**options, "base": reals_root(base)}}


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
        yield other("attention_factor", text, "attention_factor", _later(_factor_squared, changed()))
        yield other(
            "scaling", f"frequencies not scaled, attention_factor kept ({function})", function,
            _later(_factor_alone, plain, changed()),
        )  # fmt: skip
    yield other("scaling", f"{function} applied twice", f"{function} once", _later(_twice, plain, changed()))
    yield other("scaling", f"{function} inverted", function, _later(_inverted, plain, changed()), True)
    yield from _of_one_factor(function, options, other, base)
    yield from _numbers(function, options, other, changed)
    if "beta_fast" in parameters:
        text = "beta_fast and beta_slow exchanged"
        yield other("beta", text, f"beta_fast={_value(function, options, 'beta_fast')}", _later(_betas, plain, changed()))


def _value(function, options, name):
    return options.get(name, catalogue.find(function).defaults.get(name))


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
        yield other("exponent", text, function, _later(_all_divided, width, base, factor))


#: rules of one factor and one length, with the numbers that models give them
RULES = {"yarn": {}, "ntk_by_parts": {}, "llama3": {"low_freq_factor": 1, "high_freq_factor": 4}}
#: numbers of scalings that are exchanged, and defaults that replace others
EXCHANGED = (
    ("low_freq_factor", "high_freq_factor"), ("short_factor", "long_factor"),
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
                    yield other(name, f"{name}={another!r}", f"{name}={value!r}", changed(**{name: another}), not likely)
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
        text = "all channels turned"
        full = {"function": PLAIN, "arguments": {"dim": width, **base}}
        yield other("partial", text, f"the first {dim} channels", full)
    if function == "proportional" and dim == width:
        part = int(options["partial_rotary_factor"] * width) // 2 * 2
        if 0 < part < width:
            text = f"partial rotation (the first {part} channels, with exponents of their own)"
            first = {"function": PLAIN, "arguments": {"dim": part, **base}}
            yield other("partial", text, "proportional rotation", first)


# -- frequencies that no call has -------------------------------------------------------------------------------------


def _like(frequencies, fractions, factor=None):
    """Frequencies that are fractions, with the axes and the factor of others and the call of their error bounds."""
    made = replace(
        from_fractions(fractions), axes=frequencies.axes, factor=frequencies.factor if factor is None else factor
    )
    object.__setattr__(made, "recipe", frequencies.recipe)
    return made


def _exactly(frequencies):
    """Frequencies as fractions that are right to far more bits than any format has."""
    return [Fraction(n, 1 << BITS) for n in frequencies.fixed(BITS)]


def _rounded(made, kind):
    frequencies = made_once(made)
    return _like(frequencies, [Fraction(float(value)) for value in held(frequencies.inv_freq, kind)])


def _factor_squared(made):
    frequencies = made_once(made)
    factor = frequencies.factor.rational or Fraction(frequencies.factor.fixed(BITS), 1 << BITS)
    return _with_factor(frequencies, factor * factor)


def _with_factor(frequencies, factor):
    changed = replace(frequencies, factor=reals.rational(factor))
    object.__setattr__(changed, "recipe", frequencies.recipe)
    return changed


def _factor_alone(plain, made):
    frequencies, scaled = made_once(plain), made_once(made)
    changed = replace(frequencies, factor=scaled.factor)
    object.__setattr__(changed, "recipe", scaled.recipe)
    return changed


def _twice(plain, made):
    scaled = made_once(made)
    pairs = zip(_exactly(scaled), _exactly(made_once(plain)), strict=True)
    return _like(scaled, [_cut(one * one / start) for one, start in pairs])


def _inverted(plain, made):
    scaled = made_once(made)
    pairs = zip(_exactly(scaled), _exactly(made_once(plain)), strict=True)
    return _like(scaled, [_cut(start * start / one) if one else start for one, start in pairs])


def _betas(plain, made):
    """The ramp of ntk_by_parts from the end of beta_slow to that of beta_fast, as code with the two exchanged has it."""
    function, options = made["function"], made["arguments"]
    dim, trained = options["dim"], options["original_max_position_embeddings"]
    base, factor = (Fraction(_value(function, options, name)) for name in ("base", "factor"))
    ends = []
    for name, whole in (("beta_slow", reals.floor), ("beta_fast", reals.ceiling)):
        beta = Fraction(_value(function, options, name))
        end = reals.evaluated(partial(pairs_with_turns, dim, base, trained / beta))
        truncated = _value(function, options, "truncate")
        ends.append(Fraction(whole(end)) if truncated else Fraction(end.fixed(BITS), 1 << BITS))
    most = dim - 1 if _value(function, options, "clamp") == "dim-1" else dim // 2 - 1
    low, high = max(ends[0], Fraction(0)), min(ends[1], Fraction(most))
    width = high - low or SINGLE
    steps = [min(max((i - low) / width, Fraction(0)), Fraction(1)) for i in range(dim // 2)]
    thetas = _exactly(made_once(plain))
    return _like(
        made_once(made), [_cut(theta * (1 - step + step / factor)) for theta, step in zip(thetas, steps, strict=True)]
    )


def _all_divided(dim, base, factor):
    """Every frequency divided by factor**(dim / (dim - 2))."""
    plain = made_once({"function": PLAIN, "arguments": {"dim": dim, **base}})
    power = made_once({"function": PLAIN, "arguments": {"dim": 4, "base": factor, "exponent_dim": 2 * (dim - 2)}})
    step = _exactly(power)[1]  # factor**(-2 / (2 (dim - 2)))
    divided = Fraction(1)
    for _ in range(dim):
        divided = _cut(divided * step)
    return _like(plain, [_cut(theta * divided) for theta in _exactly(plain)])


def _cut(fraction):
    """A fraction to so many bits."""
    return Fraction(round(fraction * (1 << BITS)), 1 << BITS)
