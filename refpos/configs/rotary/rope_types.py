"""The rope types: the numbers that each reads from its rope parameters, and the frequencies that they make."""

from dataclasses import replace

from ... import checks
from ...arithmetic import reals
from ...errors import InputError
from ...frequencies.dynamic_ntk import dynamic_ntk
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.linear import linear
from ...frequencies.llama3 import llama3
from ...frequencies.longrope import longrope
from ...frequencies.mrope_frequencies import mrope_frequencies
from ...frequencies.ntk_alpha import ntk_alpha
from ...frequencies.proportional import proportional
from ...frequencies.yarn import yarn
from ..keys import Entry, Field, contradiction
from .rope_parameters import LENGTH

#: what the two ends of a ramp decide, in rotations over the length of pretraining
KEPT = "frequencies with at least so many rotations are kept"
DIVIDED = "frequencies with fewer rotations are divided"

#: {rope_type: {key: how it is read}}, in the order of reading
FIELDS = {
    "default": {},
    "axial": {},
    "linear": {"factor": Field("divides the frequencies", is_required=True)},
    "dynamic": {"factor": Field("enlarges the base with the length of the sequence", is_required=True)},
    "yarn": {
        "factor": Field("divides the low frequencies"),
        "beta_fast": Field(KEPT, 32),
        "beta_slow": Field(DIVIDED, 1),
        "truncate": Field("whether the ends of the ramp are rounded to integers", True, "take"),
        "attention_factor": Field("multiplies cosine and sine"),
    },
    "longrope": {
        "short_factor": Field("divides the frequencies of short sequences", None, "numbers", is_required=True),
        "long_factor": Field("divides the frequencies of long sequences", None, "numbers", is_required=True),
        "attention_factor": Field("multiplies cosine and sine"),
        "factor": Field("sets the attention factor"),
    },
    "llama3": {
        "factor": Field("divides the low frequencies", is_required=True),
        "low_freq_factor": Field(DIVIDED, is_required=True),
        "high_freq_factor": Field(KEPT, is_required=True),
    },
    "proportional": {
        "partial_rotary_factor": Field("the part of the frequencies that are not 0", 1.0),
        "factor": Field("divides the frequencies", 1.0),
    },
}
FUNCTIONS = {"dynamic": dynamic_ntk, "yarn": yarn, "longrope": longrope, "llama3": llama3, "proportional": proportional}
#: what the lengths of pretraining and of the model decide, for the types that read them
PRETRAINING = {
    "yarn": "the length of pretraining, for the ramp",
    "longrope": "the length up to which the short list holds",
    "llama3": "the length of pretraining, for the ramp",
}
LONGEST = {
    "dynamic": "the length from which the base grows",
    "yarn": "its ratio to the length of pretraining is the factor",
    "longrope": "its ratio to the original length is the factor",
}
MSCALES_BY_LENGTH = {
    f"{name}_mscale": Field(f"multiplies cosine and sine of {name} sequences", is_required=True)
    for name in ("short", "long")
}
MSCALES = dict.fromkeys(("mscale", "mscale_all_dim"), Field("one of the two numbers in the attention factor"))


# -- reading ----------------------------------------------------------------------------------------------------------


def fields(row, keys, parameters, rope_type, width):
    """The fields of a `RopeConfig` that its rope type decides, and those that some model types have."""
    _check_type(row, rope_type, width)
    return {"scaling": scaling(row, keys, parameters, rope_type), **_more(row, keys, parameters, rope_type)}


def _check_type(row, rope_type, width):
    """Refuse an unknown type, one that the class refuses, and a width for which it has no frequencies."""
    known = checks.choice("rope_type", rope_type, tuple(FIELDS))
    if row.rope_types and known not in row.rope_types:
        sentence = f"rope_type of {row.model_type} must be {' or '.join(row.rope_types)}, got {rope_type}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    if width % 2 and known in FUNCTIONS:
        raise InputError("E_ODD_DIM", "partial_rotary_factor", f"the rotary width must be even, got {width}")
    if width < 1:
        raise InputError("E_ROTARY_DIM", "partial_rotary_factor", f"the rotary width must be at least 1, got {width}")


def scaling(row, keys, parameters, rope_type):
    """The arguments of the function of a rope type; parameters: Keys with its numbers, keys: those around them."""
    if is_by_alpha(row, parameters, rope_type):
        parameters.ignore("factor", "alpha sets the base for every length")
        return parameters.read({"alpha": Field("enlarges the base at every length")})
    fields = dict(FIELDS[rope_type])
    share = row.partial_rotary_factor_of_scalings
    if rope_type == "proportional" and share is not None:
        fields["partial_rotary_factor"] = fields["partial_rotary_factor"]._replace(default=share)
    zeros = {name: fields.pop(name).default for name in ("beta_fast", "beta_slow")
             if name in fields and parameters.peek(name) == 0}  # fmt: skip
    for name, default in zeros.items():
        parameters.ignore(name, f"0 is read as a missing value: {default}")
    if rope_type == "yarn" and "factor" not in parameters.nulls:  # null means the ratio of the lengths, absence nothing
        parameters.require("factor")
    values = parameters.read(fields) | zeros
    if rope_type == "yarn" and "truncate" not in parameters and "truncate" in parameters.nulls:
        values["truncate"] = _null_truncate(parameters)
    if rope_type == "dynamic":
        parameters.ignore(LENGTH, "dynamic scaling starts at max_position_embeddings")
    if rope_type in PRETRAINING:
        values[LENGTH] = pretraining(row, keys, parameters, PRETRAINING[rope_type])
    is_given = rope_type != "dynamic" and values.get("factor") is not None
    is_given |= rope_type == "longrope" and values["attention_factor"] is not None
    if rope_type in LONGEST and not is_given:
        values["max_position_embeddings"] = _longest(row, keys, LONGEST[rope_type])
    return values | (_mscales(parameters, values["attention_factor"]) if rope_type == "yarn" else {})


def _more(row, keys, parameters, rope_type):
    """Fields of a `RopeConfig` that some types have."""
    if row.model_type == "phimoe" and rope_type != "default":
        decides = "the length up to which the short factors hold"
        trained = pretraining(row, keys, parameters, decides)
        factors = parameters.read(MSCALES_BY_LENGTH).values()
        parameters.ignore("long_factor", "this model reads the short list at every length (transformers 5)")
        return {"factors_by_length": (trained, *factors)}
    if row.model_type == "qwen":
        if keys.take("use_dynamic_ntk", "whether the base grows with the length of the sequence", False):
            return {"doubles_from": keys.integer("seq_length", "the length from which the base grows", 8192)}
    if row.mrope_arrangement is not None:
        decides = "how many pairs turn by frame, row and column"
        return {"sections": parameters.sequence("mrope_section", decides, list(row.mrope_section))}
    return {}


def _null_truncate(parameters):
    """transformers takes null for false: its default is for a missing key alone."""
    path = parameters.path("truncate")
    parameters.log.assumed.pop(path, None)
    parameters.log.used[path] = "null, which is read as false: the ends of the ramp are no integers"
    return False


def is_by_alpha(row, parameters, rope_type):
    """Whether alpha sets the base for every length, as in the code of HunYuan."""
    return rope_type == "dynamic" and row.reads_alpha and bool(parameters.peek("alpha"))


def pretraining(row, keys, parameters, decides):
    """The length of pretraining, which stands among the rope parameters or at the top of the file."""
    default = row.original_max_position_embeddings
    if default is not None and LENGTH not in keys:
        parameters.ignore(LENGTH, "this class reads it at the top of the file, and has a default there")
        return keys.integer(LENGTH, decides, default)
    outer = keys.integer(LENGTH, decides)
    if LENGTH not in parameters:
        if outer is None:
            _refuse_late_length(row, keys)
        return _longest(row, keys, decides) if outer is None else outer
    inner = parameters.integer(LENGTH, decides)
    if outer not in (None, inner):
        raise contradiction(Entry(keys.path(LENGTH), outer), Entry(parameters.path(LENGTH), inner))
    return inner


def _refuse_late_length(row, keys):
    """Refuse a length under a name that transformers reads only after it has taken the default for the ramp."""
    name = "max_position_embeddings"
    written = row.other_names.get(name)
    if written is not None and not row.is_custom and keys.path(name) == keys.prefix + name and name in keys:
        sentence = f"{LENGTH} must be given where {written} is called {name}, got none"
        raise InputError("E_MISSING", LENGTH, sentence)


def _longest(row, keys, decides):
    """The length that the model is made for."""
    return keys.integer("max_position_embeddings", decides, row.max_position_embeddings)


def _mscales(parameters, attention_factor):
    """mscale and mscale_all_dim, which are read only together and without an attention_factor."""
    if attention_factor is not None:
        why = "attention_factor replaces it"
    elif all(parameters.peek(name) for name in MSCALES):
        return parameters.read(MSCALES)
    else:
        why = "enters the attention factor only where mscale and mscale_all_dim are both there and not 0"
    for name in MSCALES:
        parameters.ignore(name, why)
    return {}


# -- frequencies of a record ------------------------------------------------------------------------------------------


def frequencies(config, seq_len):
    """The frequencies of a `RopeConfig`; a table of an odd width has one channel more."""
    width, base, values = config.width, config.base, config.scaling
    if config.rope_type not in FUNCTIONS:
        even = width + width % 2
        plain = inverse_frequencies(even, base=base, exponent_dim=width if width % 2 else None)
        return linear(even, frequencies=plain, **values) if values else plain
    if "alpha" in values:
        return ntk_alpha(width, base=base, **values)
    if config.rope_type in ("dynamic", "longrope"):  # PhiMoE has the short list at every length
        values = {**values, "seq_len": None if config.factors_by_length else seq_len}
    return FUNCTIONS[config.rope_type](width, base=base, **values)


def by_length(frequencies, factors, seq_len):
    """PhiMoE: the length chooses the factor on the table."""
    trained, short, long = factors
    name, factor = ("long_mscale", long) if seq_len is not None and seq_len > trained else ("short_mscale", short)
    return replace(frequencies, factor=reals.rational(checks.positive(name, factor)))


def by_doublings(frequencies, base, trained, seq_len):
    """Qwen 1: the base grows at seq_length, 2 seq_length, 4 seq_length and so on."""
    if seq_len is None or seq_len <= trained:
        return frequencies
    # 2**(ceil(log2(seq_len / trained)) + 1) - 1
    doublings = (-(-seq_len // trained) - 1).bit_length()
    return ntk_alpha(frequencies.dim, base=base, alpha=2 ** (doublings + 1) - 1)


def three_axes(frequencies, arrangement, sections):
    """The frequencies with their axes: frame, row and column."""
    if arrangement != "interleaved":
        return mrope_frequencies(frequencies.dim, sections=sections, arrangement=arrangement, frequencies=frequencies)
    if len(sections) != 3:
        raise InputError("E_SHAPE", "mrope_section", f"mrope_section must have 3 numbers, got {len(sections)}")
    count = len(frequencies)
    rows, columns = (
        len(range(axis, min(3 * checks.integer("mrope_section", sections[axis]), count), 3)) for axis in (1, 2)
    )
    # the first section is not read: what rows and columns leave is the frames'
    read = (count - rows - columns, rows, columns)
    return mrope_frequencies(frequencies.dim, sections=read, arrangement=arrangement, frequencies=frequencies)
