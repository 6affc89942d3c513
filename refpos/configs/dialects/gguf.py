"""GGUF metadata: which rotary encoding the keys of a llama.cpp file mean."""

from dataclasses import replace

from ... import checks
from ...arithmetic import reals
from ...errors import InputError, shown
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.linear import linear
from ...frequencies.yarn import yarn
from ...models.rotary import Rotary
from ..keys import WIDEST, Keys, check_names
from ..rotary import rope_types
from ..submodels import Part
from . import gguf_factors, gguf_scores
from .gguf_layers import FULL, SLIDING, types_of_layers
from .gguf_rows import WHOLE, row_of

SOURCE = {"project": "llama.cpp", "version": "2026", "file": "src/models, src/llama-context.cpp"}


def is_file(values):
    """Whether a dict holds the keys of a GGUF file."""
    return isinstance(values.get("general.architecture"), str)


def read(values, log, seq_len):
    """(architecture, {name: Part}, no other encodings, nothing left out): the rotations that the metadata of a GGUF
    file describe, and its tensors of factors."""
    check_names(values, "")
    architecture = values["general.architecture"]
    prefix = f"{architecture}."
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    row = row_of(architecture, _has_sections(own))
    log.used["general.architecture"] = "which layers are rotated, and how channels are paired"
    if row.is_fixed:
        unread = {name for name, value in own.items() if name.startswith("rope.") and value is not None}
        log.ignored.update(
            dict.fromkeys((prefix + name for name in sorted(unread)), "the base is 10000, of all channels")
        )
        own = {name: value for name, value in own.items() if name not in unread}
    keys = Keys(own, prefix, log)
    types, rotated = types_of_layers(row, keys)
    rotations = {
        name: gguf_scores.scaled(gguf_factors.divided(rotary, row, values, keys, seq_len), row, keys)
        for name, rotary in _rotations(architecture, row, keys, types).items()
    }
    if types is None:
        return architecture, {"text": Part(architecture, rotations)}, (), {}
    names = tuple(("all" if "all" in rotations else kind) if turns else None for kind, turns in zip(types, rotated))
    rotations = {name: rotations[name] for name in rotations if name in names}
    return architecture, {"text": Part(architecture, rotations, names)}, (), {}


def _has_sections(own):
    """Whether pairs turn by several axes."""
    sections = own.get("rope.dimension_sections")
    return isinstance(sections, (list, tuple)) and len(sections) > 1 and all(sections[:2])


def _rotations(architecture, row, keys, types):
    """{layer type, or "all": Rotary}."""
    head, width = _widths(keys)
    base = keys.number("rope.freq_base", "the base of the frequencies", 10000.0)
    if architecture == "hunyuan-dense" and keys.peek("rope.scaling.alpha"):
        raise InputError(
            "E_CHOICE", "rope.scaling.alpha", "rope.scaling.alpha must be 0: refpos.ntk_alpha has its base"
        )
    frequencies, scaling = _scaled(keys, width, base, row)
    if row.axes is not None and "rope.dimension_sections" in keys:
        sections = keys.sequence("rope.dimension_sections", "how many pairs turn by frame, row and column")
        frequencies = rope_types.three_axes(frequencies, row.axes, list(sections)[:3])
    if row.layers != "finetuned":
        keys.ignore("rope.scaling.finetuned", "says how the model was trained, and changes nothing")
    others = _rotary(row, frequencies, head, {"rope_type": scaling, "rope_theta": base})
    if types is None or row.sliding == "same" or SLIDING not in types:
        return {"all": others}
    return {FULL: others, SLIDING: _sliding(row, keys, others, head, width)}


def _sliding(row, keys, others, head, width):
    """The rotation of the layers that slide; others: that of the full ones."""
    base, scaling = others.parameters["rope_theta"], others.parameters["rope_type"]
    if row.sliding == "plain":
        plain = inverse_frequencies(width, base=base)
        return _rotary(row, plain, head, {"rope_type": "default", "rope_theta": base})
    base = keys.number(
        "rope.freq_base_swa", "the base of the layers that slide", 10000.0 if row.sliding == "own" else base
    )
    if row.sliding == "own scaled":
        return _rotary(row, _scaled(keys, width, base, row)[0], head, {"rope_type": scaling, "rope_theta": base})
    plain = _times(inverse_frequencies(width, base=base), _factor(keys))
    return _rotary(row, plain, head, {"rope_type": "default", "rope_theta": base})


def _rotary(row, frequencies, head, parameters):
    return Rotary(frequencies, row.pairing, head, placement=row.placement, source=dict(SOURCE), parameters=parameters)


def _widths(keys):
    """Channels of a key, and how many of them are rotated."""
    if "attention.key_length_mla" in keys:
        head = keys.width("attention.key_length_mla", "the width of a head")
    elif "attention.key_length" in keys:
        head = keys.width("attention.key_length", "the width of a head")
    else:
        size = keys.need("embedding_length", "divided by attention.head_count it is the width of a head")
        heads = keys.need("attention.head_count", "divides embedding_length")
        size, heads = checks.integer("embedding_length", size, 1), checks.integer("attention.head_count", heads, 1)
        head = size // heads
        if head > WIDEST:
            sentence = f"embedding_length / attention.head_count must be at most {WIDEST}, got {size} / {heads}"
            raise InputError("E_SIZE", "embedding_length", sentence)
    width = keys.integer("rope.dimension_count", "how many channels are rotated", head)
    if width > head:
        sentence = f"rope.dimension_count must be at most the width of a head, {head}, got {width}"
        raise InputError("E_ROTARY_DIM", "rope.dimension_count", sentence)
    if width < head and keys.prefix.rstrip(".") in WHOLE:
        sentence = (
            f"rope.dimension_count must be the width of a head, {head}, with which llama.cpp loads it, got {width}"
        )
        raise InputError("E_ROTARY_DIM", "rope.dimension_count", sentence)
    for name, same in (("attention.key_length_swa", head), ("rope.dimension_count_swa", width)):
        if keys.width(name, "must be that of the layers that do not slide") not in (None, same):
            raise InputError("E_ROTARY_DIM", name, f"{name} must be {same}, as in other layers, got {keys.peek(name)}")
    return head, width


def _scaled(keys, width, base, row):
    """The frequencies, and the name of their scaling."""
    scaling = keys.take("rope.scaling.type", "the scaling", "linear")
    known = ("none", "linear", "yarn", *(("longrope",) if row.has_factors else ()))
    scaling = checks.choice("rope.scaling.type", scaling, known)
    _check_yarn(keys, row, scaling)
    if scaling == "longrope":  # its lists are tensors; what is left of it is the factor
        scaling = "linear"
    if "rope.scaling.factor" not in keys:
        keys.rename("rope.scale_linear", "rope.scaling.factor")
    factor = _divisor(keys, row, scaling)
    attention_factor = _factor(keys)
    if scaling == "yarn":
        frequencies = _yarn(row, keys, width, base, factor)
        return _times(frequencies, attention_factor), scaling
    frequencies = inverse_frequencies(width, base=base)
    if scaling == "linear" and factor != 1:
        frequencies = linear(width, factor=factor, frequencies=frequencies)
    return _times(frequencies, attention_factor), "default" if factor == 1 else scaling


def _divisor(keys, row, scaling):
    """rope.scaling.factor, 1 where nothing reads it."""
    if scaling != "none":
        return keys.number("rope.scaling.factor", "divides the frequencies") or 1
    if row.scales_softmax:
        return keys.number("rope.scaling.factor", "enters the softmax factor, and divides no frequencies") or 1
    keys.ignore("rope.scaling.factor", "rope.scaling.type is none")
    return 1


def _times(frequencies, factor):
    """The frequencies with their factor times another; as they are, with the call that makes them, where that is 1."""
    return frequencies if factor.rational == 1 else replace(frequencies, factor=frequencies.factor * factor)


def _check_yarn(keys, row, scaling):
    """Refuse numbers of YaRN that some graphs read and others do not, unless they are what a graph has without them."""
    is_yarn = scaling == "yarn"
    expected = {"rope.scaling.yarn_ext_factor": (float(is_yarn), -1.0), "rope.scaling.yarn_attn_factor": (1.0,)}
    if is_yarn and not row.has_betas:
        expected |= {"rope.scaling.yarn_beta_fast": (32.0,), "rope.scaling.yarn_beta_slow": (1.0,)}
    if not row.multiplier and (is_yarn or row.scales_softmax):
        expected[gguf_scores.MULTIPLIER] = (0.0,)
    for name, neutral in expected.items():
        if keys.number(name, "must be what graphs have that do not read it") not in (None, *neutral):
            sentence = f"{keys.path(name)} must be {neutral[0]:g} or left out, got {shown(keys.peek(name))}"
            raise InputError("E_CHOICE", name, f"{sentence}: graphs differ in whether they read it")
    if is_yarn and row.multiplier == "whole" and not keys.peek(gguf_scores.MULTIPLIER):
        sentence = f"{gguf_scores.MULTIPLIER} must be given with yarn in a mistral3 file, got none"
        raise InputError("E_CHOICE", gguf_scores.MULTIPLIER, f"{sentence}: versions of its graph differ without it")


def _factor(keys):
    """The factor on cosine and sine, exactly."""
    factor = keys.number("rope.scaling.attn_factor", "multiplies cosine and sine", 1.0)
    return reals.rational(checks.positive("rope.scaling.attn_factor", factor))


def _yarn(row, keys, width, base, factor):
    """The frequencies of YaRN as llama.cpp reads its keys."""
    trained = keys.integer("rope.scaling.original_context_length", "the length of pretraining, for the ramp")
    if trained is None:
        trained = keys.need("context_length", "the length of pretraining, for the ramp")
    multiplier = gguf_scores.mscale_all_dim(row, keys)
    if multiplier and keys.prefix == "deepseek2.":
        multiplier = 1  # its mscale is taken to be the same number: the two cancel
    return yarn(
        width,
        base=base,
        factor=factor,
        original_max_position_embeddings=trained,
        beta_fast=keys.number("rope.scaling.yarn_beta_fast", rope_types.KEPT, 32.0),
        beta_slow=keys.number("rope.scaling.yarn_beta_slow", rope_types.DIVIDED, 1.0),
        mscale=1 if multiplier else None,
        mscale_all_dim=multiplier or None,
    )
