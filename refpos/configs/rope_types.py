"""What each rope_type makes of its keys: frequencies of a rotary width."""

from dataclasses import replace

from .. import checks
from ..arithmetic import reals
from ..errors import InputError
from ..frequencies.dynamic_ntk import dynamic_ntk
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..frequencies.linear import linear
from ..frequencies.llama3 import llama3
from ..frequencies.longrope import longrope
from ..frequencies.mrope_frequencies import mrope_frequencies
from ..frequencies.ntk_alpha import ntk_alpha
from ..frequencies.proportional import proportional
from ..frequencies.yarn import used_mscales, yarn

LENGTH = "original_max_position_embeddings"


def frequencies(rope_type, width, base, keys, lengths, seq_len):
    """Frequencies of `width` channels, an odd width taking one more.

    keys: the rope parameters. lengths: max_position_embeddings, and the original one where the file has it at its top.
    """
    known = checks.choice("rope_type", rope_type, tuple(RULES))
    if width % 2 and known not in ("default", "axial", "linear"):
        raise InputError("E_ODD_DIM", "partial_rotary_factor", f"the rotary width must be even, got {width}")
    if width < 1:
        raise InputError("E_ROTARY_DIM", "partial_rotary_factor", f"the rotary width must be at least 1, got {width}")
    return RULES[known](width, base, keys, lengths, seq_len)


def _default(width, base, keys, lengths, seq_len):
    even = width + width % 2
    return inverse_frequencies(even, base=base, exponent_dim=width if width % 2 else None)


def _linear(width, base, keys, lengths, seq_len):
    factor = keys.need("factor", "divides the frequencies")
    plain = _default(width, base, keys, lengths, seq_len)
    return linear(plain.dim, factor=factor, frequencies=plain)


def _dynamic(width, base, keys, lengths, seq_len):
    if keys.peek("alpha"):
        keys.ignore("factor", "alpha is given, which sets the base for every length")
        return ntk_alpha(width, base=base, alpha=keys.number("alpha", "enlarges the base at every length"))
    factor = keys.need("factor", "enlarges the base with the length of the sequence")
    keys.ignore(LENGTH, "dynamic scaling starts at max_position_embeddings")
    trained = lengths.longest("the length from which the base grows")
    return dynamic_ntk(width, base=base, factor=factor, max_position_embeddings=trained, seq_len=seq_len)


def _yarn(width, base, keys, lengths, seq_len):
    values = {
        "factor": keys.number("factor", "divides the low frequencies"),
        "beta_fast": _unless_zero(keys, "beta_fast", 32, "the turns from which frequencies stay"),
        "beta_slow": _unless_zero(keys, "beta_slow", 1, "the turns below which frequencies are divided"),
        "truncate": keys.take("truncate", "whether the ends of the ramp are whole numbers", True),
        "attention_factor": keys.number("attention_factor", "multiplies cosine and sine"),
        LENGTH: lengths.original(keys, "the length of pretraining, for the ramp"),
    }
    if values["factor"] is None:
        values["max_position_embeddings"] = lengths.longest("its ratio to the length of pretraining is the factor")
    values |= _mscales(keys, values["attention_factor"])
    return yarn(width, base=base, **values)


def _unless_zero(keys, name, default, decides):
    if keys.peek(name) == 0:
        keys.ignore(name, f"0 is taken for no number: {default}")
        return default
    return keys.number(name, decides, default)


def _mscales(keys, attention_factor):
    """mscale and mscale_all_dim, which count only together and without an attention_factor."""
    names = ("mscale", "mscale_all_dim")
    if attention_factor is not None:
        why = "attention_factor is given"
    elif all(keys.peek(name) for name in names):
        return {name: keys.number(name, "one of the two numbers in the attention factor") for name in names}
    else:
        why = "counts for the attention factor only where mscale and mscale_all_dim are both given and not 0"
    for name in names:
        keys.ignore(name, why)
    return {}


def rules_differ(keys):
    """Whether the two rules of mscale give different attention factors."""
    given = [keys.peek(name) for name in ("mscale", "mscale_all_dim")]
    read = all(one is None or isinstance(one, (int, float)) and 0 <= one < 2**64 for one in given)
    if not read or keys.peek("attention_factor") is not None:
        return False
    return used_mscales(*map(_number, given), "both") != used_mscales(*map(_number, given), "ratio")


def _number(value):
    return None if value is None else float(value)


def _longrope(width, base, keys, lengths, seq_len):
    values = {name: _required(keys, name, f"divides the frequencies of {what} sequences")
              for name, what in (("short_factor", "short"), ("long_factor", "long"))}  # fmt: skip
    values["attention_factor"] = keys.number("attention_factor", "multiplies cosine and sine")
    values["factor"] = keys.number("factor", "sets the attention factor")
    values[LENGTH] = lengths.original(keys, "the length up to which the short list holds")
    if values["factor"] is None and values["attention_factor"] is None:
        values["max_position_embeddings"] = lengths.longest("its ratio to the original length is the factor")
    return longrope(width, base=base, seq_len=seq_len, **values)


def _required(keys, name, decides):
    if name not in keys:
        keys.need(name, decides)
    return keys.numbers(name, decides)


def _llama3(width, base, keys, lengths, seq_len):
    names = {
        "factor": "divides the low frequencies",
        "low_freq_factor": "the turns below which frequencies are divided",
        "high_freq_factor": "the turns from which frequencies stay",
    }
    values = {name: keys.need(name, decides) for name, decides in names.items()}
    values[LENGTH] = lengths.original(keys, "the length of pretraining, for the ramp")
    return llama3(width, base=base, **values)


def _proportional(width, base, keys, lengths, seq_len):
    share = keys.number("partial_rotary_factor", "the part of the frequencies that are not 0", 1.0)
    return proportional(width, base=base, partial_rotary_factor=share,
                        factor=keys.number("factor", "divides the frequencies", 1.0))  # fmt: skip


RULES = {
    "default": _default,
    "axial": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}


def by_length(found, keys, lengths, seq_len):
    """PhiMoE: the factor on the table is that of the length, and the list of divisors the short one at any length."""
    trained = lengths.original(keys, "the length up to which the short factors hold")
    long = seq_len is not None and seq_len > trained
    factors = [
        keys.need(f"{name}_mscale", f"multiplies cosine and sine of {name} sequences") for name in ("short", "long")
    ]
    keys.ignore("long_factor", "this model reads the short list at every length (transformers 5)")
    factor = checks.positive("long_mscale" if long else "short_mscale", factors[long])
    return replace(found, factor=reals.rational(factor))


def by_doublings(found, base, keys, seq_len):
    """Qwen 1: the base grows at seq_length, 2 seq_length, 4 seq_length and so on."""
    if not keys.take("use_dynamic_ntk", "whether the base grows with the length of the sequence", False):
        return found
    trained = keys.whole("seq_length", "the length from which the base grows", 8192)
    if seq_len is None or seq_len <= trained:
        return found
    # 2**(ceil(log2(seq_len / trained)) + 1) - 1
    doublings = (-(-seq_len // trained) - 1).bit_length()
    return ntk_alpha(found.dim, base=base, alpha=2 ** (doublings + 1) - 1)


def three_axes(found, arrangement, sections):
    """The frequencies with their axes: frame, row and column."""
    if arrangement == "interleaved":
        # the first section is not read: what rows and columns leave is the frames'
        if len(sections) != 3:
            raise InputError("E_SHAPE", "mrope_section", f"mrope_section must have 3 numbers, got {len(sections)}")
        axes = [0] * len(found)
        for axis in (1, 2):
            for i in range(axis, min(3 * checks.integer("mrope_section", sections[axis]), len(found)), 3):
                axes[i] = axis
        return replace(found, axes=tuple(axes))
    return mrope_frequencies(found.dim, sections=sections, arrangement=arrangement, frequencies=found)
