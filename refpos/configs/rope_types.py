"""The frequencies of each rope_type, from its rope parameters."""

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
from ..frequencies.yarn import yarn
from .keys import contradiction

LENGTH = "original_max_position_embeddings"
#: what the two ends of a ramp decide, in rotations over the length of pretraining
KEPT = "frequencies with at least so many rotations are kept"
DIVIDED = "frequencies with fewer rotations are divided"


class Lengths:
    """max_position_embeddings and original_max_position_embeddings, asked for by the scalings that need them."""

    def __init__(self, row, keys):
        self.row, self.keys = row, keys

    def longest(self, decides):
        """The length that the model is made for."""
        return self.keys.integer("max_position_embeddings", decides, self.row.max_position_embeddings)

    def original(self, parameters, decides):
        """The length of pretraining, which stands among the rope parameters or at the top of the file."""
        default = self.row.original_max_position_embeddings
        if default is not None and LENGTH not in self.keys:
            parameters.ignore(LENGTH, "this class reads it at the top of the file, and has a default there")
            return self.keys.integer(LENGTH, decides, default)
        outer = self.keys.integer(LENGTH, decides)
        if LENGTH not in parameters:
            return self.longest(decides) if outer is None else outer
        inner = parameters.integer(LENGTH, decides)
        if outer not in (None, inner):
            raise contradiction(self.keys.path(LENGTH), outer, parameters.path(LENGTH), inner)
        return inner


def frequencies(rope_type, width, base, parameters, lengths, seq_len):
    """The frequencies of a table of `width` channels; a table of an odd width has one channel more.

    parameters: Keys with the numbers of the scaling. lengths: `Lengths`, of the keys around them.
    """
    known = checks.choice("rope_type", rope_type, tuple(RULES))
    if width % 2 and known not in ("default", "axial", "linear"):
        raise InputError("E_ODD_DIM", "partial_rotary_factor", f"the rotary width must be even, got {width}")
    if width < 1:
        raise InputError("E_ROTARY_DIM", "partial_rotary_factor", f"the rotary width must be at least 1, got {width}")
    return RULES[known](width, base, parameters, lengths, seq_len)


def _default(width, base, parameters, lengths, seq_len):
    even = width + width % 2
    return inverse_frequencies(even, base=base, exponent_dim=width if width % 2 else None)


def _linear(width, base, parameters, lengths, seq_len):
    factor = parameters.need("factor", "divides the frequencies")
    plain = _default(width, base, parameters, lengths, seq_len)
    return linear(plain.dim, factor=factor, frequencies=plain)


def _dynamic(width, base, parameters, lengths, seq_len):
    if parameters.peek("alpha"):
        parameters.ignore("factor", "alpha sets the base for every length")
        return ntk_alpha(width, base=base, alpha=parameters.number("alpha", "enlarges the base at every length"))
    factor = parameters.need("factor", "enlarges the base with the length of the sequence")
    parameters.ignore(LENGTH, "dynamic scaling starts at max_position_embeddings")
    trained = lengths.longest("the length from which the base grows")
    return dynamic_ntk(width, base=base, factor=factor, max_position_embeddings=trained, seq_len=seq_len)


def _yarn(width, base, parameters, lengths, seq_len):
    values = {
        "factor": parameters.number("factor", "divides the low frequencies"),
        "beta_fast": _unless_zero(parameters, "beta_fast", 32, KEPT),
        "beta_slow": _unless_zero(parameters, "beta_slow", 1, DIVIDED),
        "truncate": parameters.take("truncate", "whether the ends of the ramp are rounded to integers", True),
        "attention_factor": parameters.number("attention_factor", "multiplies cosine and sine"),
        LENGTH: lengths.original(parameters, "the length of pretraining, for the ramp"),
    }
    if values["factor"] is None:
        values["max_position_embeddings"] = lengths.longest("its ratio to the length of pretraining is the factor")
    values |= _mscales(parameters, values["attention_factor"])
    return yarn(width, base=base, **values)


def _unless_zero(parameters, name, default, decides):
    if parameters.peek(name) == 0:
        parameters.ignore(name, f"0 is read as a missing value: {default}")
        return default
    return parameters.number(name, decides, default)


def _mscales(parameters, attention_factor):
    """mscale and mscale_all_dim, which are read only together and without an attention_factor."""
    names = ("mscale", "mscale_all_dim")
    if attention_factor is not None:
        why = "attention_factor replaces it"
    elif all(parameters.peek(name) for name in names):
        return {name: parameters.number(name, "one of the two numbers in the attention factor") for name in names}
    else:
        why = "enters the attention factor only where mscale and mscale_all_dim are both there and not 0"
    for name in names:
        parameters.ignore(name, why)
    return {}


def _longrope(width, base, parameters, lengths, seq_len):
    values = {name: _required(parameters, name, f"divides the frequencies of {what} sequences")
              for name, what in (("short_factor", "short"), ("long_factor", "long"))}  # fmt: skip
    values["attention_factor"] = parameters.number("attention_factor", "multiplies cosine and sine")
    values["factor"] = parameters.number("factor", "sets the attention factor")
    values[LENGTH] = lengths.original(parameters, "the length up to which the short list holds")
    if values["factor"] is None and values["attention_factor"] is None:
        values["max_position_embeddings"] = lengths.longest("its ratio to the original length is the factor")
    return longrope(width, base=base, seq_len=seq_len, **values)


def _required(parameters, name, decides):
    parameters.require(name)
    return parameters.numbers(name, decides)


def _llama3(width, base, parameters, lengths, seq_len):
    names = {
        "factor": "divides the low frequencies",
        "low_freq_factor": DIVIDED,
        "high_freq_factor": KEPT,
    }
    values = {name: parameters.need(name, decides) for name, decides in names.items()}
    values[LENGTH] = lengths.original(parameters, "the length of pretraining, for the ramp")
    return llama3(width, base=base, **values)


def _proportional(width, base, parameters, lengths, seq_len):
    share = parameters.number("partial_rotary_factor", "the part of the frequencies that are not 0", 1.0)
    return proportional(width, base=base, partial_rotary_factor=share,
                        factor=parameters.number("factor", "divides the frequencies", 1.0))  # fmt: skip


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


def by_length(frequencies, parameters, lengths, seq_len):
    """PhiMoE: the length chooses the factor on the table, and the divisors are the short ones at every length."""
    trained = lengths.original(parameters, "the length up to which the short factors hold")
    length = "long" if seq_len is not None and seq_len > trained else "short"
    factors = {
        name: parameters.need(f"{name}_mscale", f"multiplies cosine and sine of {name} sequences")
        for name in ("short", "long")
    }
    parameters.ignore("long_factor", "this model reads the short list at every length (transformers 5)")
    factor = checks.positive(f"{length}_mscale", factors[length])
    return replace(frequencies, factor=reals.rational(factor))


def by_doublings(frequencies, base, keys, seq_len):
    """Qwen 1: the base grows at seq_length, 2 seq_length, 4 seq_length and so on."""
    if not keys.take("use_dynamic_ntk", "whether the base grows with the length of the sequence", False):
        return frequencies
    trained = keys.integer("seq_length", "the length from which the base grows", 8192)
    if seq_len is None or seq_len <= trained:
        return frequencies
    # 2**(ceil(log2(seq_len / trained)) + 1) - 1
    doublings = (-(-seq_len // trained) - 1).bit_length()
    return ntk_alpha(frequencies.dim, base=base, alpha=2 ** (doublings + 1) - 1)


def three_axes(frequencies, arrangement, sections):
    """The frequencies with their axes: frame, row and column."""
    if arrangement != "interleaved":
        return mrope_frequencies(frequencies.dim, sections=sections, arrangement=arrangement, frequencies=frequencies)
    # the first section is not read: what rows and columns leave is the frames'
    if len(sections) != 3:
        raise InputError("E_SHAPE", "mrope_section", f"mrope_section must have 3 numbers, got {len(sections)}")
    axes = [0] * len(frequencies)
    for axis in (1, 2):
        for i in range(axis, min(3 * checks.integer("mrope_section", sections[axis]), len(frequencies)), 3):
            axes[i] = axis
    return replace(frequencies, axes=tuple(axes))
