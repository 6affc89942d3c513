"""One rotation from its keys: along a sequence, along the axes of M-RoPE, or along those of an image."""

from dataclasses import replace

from .. import checks
from ..errors import InputError
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.linear import linear
from ..models.continuous import of_atoms, twice_timed
from ..models.rotary import Rotary
from . import facts, parameters, rope_types
from .keys import WIDEST, Keys, contradiction


class _Lengths:
    """max_position_embeddings and original_max_position_embeddings, asked for by the scalings that need them."""

    def __init__(self, keys, kind):
        self.keys, self.kind = keys, kind

    def longest(self, decides):
        return self.keys.whole("max_position_embeddings", decides, facts.TYPES[self.kind][3])

    def original(self, own, decides):
        name = rope_types.LENGTH
        if self.kind in facts.ORIGINAL_LENGTH and name not in self.keys:
            own.ignore(name, "this class reads it at the top of the file, and has a default there")
            return self.keys.whole(name, decides, facts.ORIGINAL_LENGTH[self.kind])
        outer = self.keys.whole(name, decides)
        if name not in own:
            return self.longest(decides) if outer is None else outer
        inner = own.whole(name, decides)
        if outer not in (None, inner):
            raise contradiction(self.keys.where(name), outer, own.where(name), inner)
        return inner


def text(keys, kind, label, own, seq_len):
    """The rotation along one sequence, or along the axes of M-RoPE."""
    rope_type = "default" if label == "unscaled" else own.take("rope_type", "the scaling", "default")
    rope_type = facts.SYNONYMS.get(kind, {}).get(rope_type, rope_type)
    base = own.number("rope_theta", "the base of the frequencies", float(facts.TYPES[kind][4]))
    head, rotated = _widths(keys, kind, label)
    width = _rotary_width(own, kind, rope_type, rotated)
    lengths = _Lengths(keys, kind)
    _check_width(kind, width + width % 2, rotated, width)
    # phimoe: the list of divisors is that of short sequences at every length
    found = rope_types.frequencies(rope_type, width, base, own, lengths, None if kind == "phimoe" else seq_len)
    if kind == "qwen":
        found = rope_types.by_doublings(found, base, keys, seq_len)
    if kind == "phimoe" and rope_type != "default":
        found = rope_types.by_length(found, own, lengths, seq_len)
    if kind in facts.MROPE:
        arrangement, sections = facts.MROPE[kind]
        sections = own.listed("mrope_section", "how many pairs turn by frame, row and column", sections)
        found = rope_types.three_axes(found, arrangement, sections)
    if kind == "neomme":
        found = replace(found, axes=tuple(i % 2 for i in range(len(found))))
    pairing, deinterleaved = _pairing(keys, kind)
    read = {*own.account.used, *own.account.assumed}
    made = {name: value for name, (where, value) in own.entries.items() if where in read}
    return Rotary(
        found,
        pairing,
        head,
        placement="last" if kind in facts.LATENT or kind in ("deepseek_v4", "dots3_note_text") else "first",
        inverse=kind in facts.INVERSE,
        source=source(kind),
        notes=_notes(keys, kind, own, rope_type) + _of_other_projects(kind, own, rope_type, found),
        deinterleaved=deinterleaved,
        parameters={**made, "rope_type": rope_type, "rope_theta": base},
    )


def _widths(keys, kind, label):
    """(channels of a head, channels that a table of the whole width would rotate)."""
    if kind in facts.LATENT or kind == "dots3_note_text":
        nope, rope = facts.LATENT.get(kind, (128, 64))
        if kind == "dots3_note_text" and label == "sliding_attention" and "per_layer_config" not in keys:
            return keys.width("swa_head_dim", "a head of sliding attention", 256), rope
        nope = _of_layer(keys, "qk_nope_head_dim", label) or keys.whole(
            "qk_nope_head_dim", "not rotated", nope, 0, WIDEST
        )
        rope = keys.width("qk_rope_head_dim", "the rotary part of a head", rope)
        _check_latent_head(keys, kind, nope, rope)
        return nope + rope, rope
    if kind in ("gptj", "codegen"):
        head = _head_dim(keys, kind)
        return head, keys.width("rotary_dim", "the rotary part of a head", 64)
    if kind == "clvp_encoder":
        heads = keys.whole("num_attention_heads", "divides projection_dim", facts.TYPES[kind][1])
        width = keys.width("projection_dim", "the rotary part is projection_dim / (2 num_attention_heads), or 32", 768)
        return _head_dim(keys, kind), max(width // (2 * heads), 32)
    head = _of_layer(keys, "head_dim", label)
    if head is None and kind in facts.GLOBAL_HEAD_DIM and label == "full_attention":
        head = keys.width("global_head_dim", "the width of a head of full attention", facts.GLOBAL_HEAD_DIM[kind])
    head = head or _head_dim(keys, kind)
    return head, head


def _check_latent_head(keys, kind, nope, rope):
    """head_dim where the rotary part has a key of its own."""
    if kind in facts.HEAD_DIM_IS_REPLACED:
        keys.ignore("head_dim", "the width of the rotary part is qk_rope_head_dim")
    elif "head_dim" in keys:
        wanted = nope + rope if kind in ("mistral4", "dots3_note_text") else rope
        found = keys.width("head_dim", "the width of the table")
        if found != wanted and kind != "dots3_note_text":
            raise InputError("E_ROTARY_DIM", "head_dim", f"{keys.where('head_dim')} must be {wanted}, got {found}")


def _of_layer(keys, name, label):
    """The value of a key in per_layer_config at the layers of one type, or None."""
    found = set()
    types = keys.names("layer_types", default=())
    for i, values in keys.dictionary("per_layer_config").items():
        if not str(i).isdecimal() or len(str(i)) > 9:
            sentence = f"the keys of per_layer_config must be numbers of layers, got {i!r}"
            raise InputError("E_SIZE", "per_layer_config", sentence)
        i = int(i)
        if i < len(types) and types[i] == label and isinstance(values, dict) and name in values:
            found.add(Keys(values, f"{keys.place}per_layer_config.{i}.").width(name, "of these layers"))
    found.discard(None)
    if not found:
        return None
    if len(found) > 1:
        sentence = f"per_layer_config must give the layers of {label} one {name}, got {sorted(found)}"
        raise InputError("E_CHOICE", "per_layer_config", sentence)
    keys.take("per_layer_config", f"{name} of the layers of some types")
    return found.pop()


def _head_dim(keys, kind):
    size, heads, head, *_ = facts.TYPES[kind]
    if kind in facts.DERIVED_HEAD_DIM:
        keys.ignore("head_dim", "this class sets it to hidden_size / num_attention_heads")
    elif "head_dim" in keys:
        return keys.width("head_dim", "the width of a head")
    elif head is not None:
        return keys.width("head_dim", "the width of a head", head)
    size = keys.whole("hidden_size", "a head is its part", size)
    heads = keys.whole("num_attention_heads", "divides hidden_size", heads)
    twice = 2 if kind == "zamba2" else 1
    if not 1 <= twice * size // heads <= WIDEST:
        sentence = f"hidden_size / num_attention_heads must be from 1 to {WIDEST}, got {size} / {heads}"
        raise InputError("E_SIZE", "num_attention_heads", sentence)
    return twice * size // heads


def _rotary_width(own, kind, rope_type, width):
    name = "partial_rotary_factor"
    if "rotary_dim" in own:
        return own.width("rotary_dim", "the width of the rotary part")
    if rope_type == "proportional":
        return width
    if rope_type == "default" and kind not in facts.PARTIAL or own.peek("alpha") and rope_type == "dynamic":
        own.ignore(name, "this model's ladder without a scaling does not read it")
        return width
    if kind in facts.LATENT or kind == "dots3_note_text":
        return _latent_width(own, kind, rope_type, width)
    share = own.number(name, "the part of a head that is rotated", facts.PARTIAL.get(kind))
    if share is None:
        return width
    return _share(name, share, width)


def _share(name, share, width):
    """int(width share), as models cut it."""
    if checks.positive(name, share) > WIDEST:
        raise InputError("E_ROTARY_DIM", name, f"{name} must be at most {WIDEST}, got {share!r}")
    return int(width * float(share))


def _latent_width(own, kind, rope_type, width):
    if kind in ("mistral4", "dots3_note_text"):
        own.take("partial_rotary_factor", "the rotary part of a head")
        return width
    share = own.number("partial_rotary_factor", "the part of qk_rope_head_dim that the table is for")
    return width if share is None else _share("partial_rotary_factor", share, width)


def _check_width(kind, dim, rotated, width):
    """Whether the code of the model can turn so many channels of a vector."""
    name = "partial_rotary_factor"
    if kind in facts.SLICED_EVEN and width % 2:
        raise InputError("E_ODD_DIM", name, f"the rotary width of {kind} must be even, got {width}")
    sliced = kind in facts.SLICED or kind in ("gptj", "codegen", "clvp_encoder")
    if dim > rotated or dim < rotated and not sliced:
        limit = f"at most {rotated}" if sliced else f"that of the rotated vector, {rotated}"
        raise InputError("E_ROTARY_DIM", name, f"the width of the table of {kind} must be {limit}, got {dim}")


def _pairing(keys, kind):
    if kind in facts.DEINTERLEAVED_BY_KEY:
        whole = keys.take("rope_interleave", "whether channels 2i and 2i + 1 turn together", True)
        return ("interleaved", True) if whole else ("half", False)
    if kind == "nomic_bert_custom" and keys.take("rotary_emb_interleaved", "how channels are paired", False):
        return "interleaved", False
    if kind in facts.DEINTERLEAVED:
        return "interleaved", True
    return "interleaved" if kind in facts.INTERLEAVED else "half", False


def _notes(keys, kind, own, rope_type):
    notes = [facts.NOTES[kind]] if kind in facts.NOTES else []
    if kind in facts.TWO_BASES and own.where("rope_type").endswith(".type") and rope_type != "default":
        notes.append(f"transformers {facts.VERSION} drops this scaling, as the file calls it type and not rope_type")
    if kind in facts.SOFTMAX_SCALED and rope_type != "default" and own.peek("mscale_all_dim"):
        own.take("mscale_all_dim", "multiplies the softmax scale by yarn_softmax_scale(factor, mscale_all_dim)")
        notes.append("the softmax scale is multiplied by yarn_softmax_scale(factor, mscale_all_dim=mscale_all_dim)")
    if own.peek("llama_4_scaling_beta"):
        own.take("llama_4_scaling_beta", "queries are multiplied by attention_temperature at long distances")
        notes.append("queries are multiplied by attention_temperature(attn_scale=llama_4_scaling_beta, shift=0)")
    if kind == "qwen" and keys.take("use_logn_attn", "whether queries are scaled beyond seq_length"):
        notes.append("queries are multiplied by log_n_scale(training_length=seq_length)")
    if "dual_chunk_attention_config" in keys:
        notes.append(f"dual_chunk_attention_config: {facts.ELSEWHERE['dual_chunk_attention_config']}")
    if kind == "llama4_text" and keys.take("attn_temperature_tuning", "whether layers without rotation scale queries"):
        notes.append("queries of layers without rotation are multiplied by attention_temperature(shift=1)")
    return tuple(notes)


def _of_other_projects(kind, own, rope_type, found):
    """Where other projects are known to compute something else from these keys: see docs/conventions.md."""
    notes = []
    if rope_type == "yarn" and own.peek("truncate") is False:
        notes.append("llama.cpp and mlx-lm do not read truncate: their ramp has whole ends, and their numbers differ")
    if rope_type == "yarn" and kind in facts.MROPE:
        notes.append("vLLM multiplies max_position_embeddings by 4 before this ramp reads it: its numbers differ")
    if rope_type == "yarn" and rope_types.rules_differ(own):
        notes.append("Megatron, vLLM and MLX multiply by another attention factor: yarn(mscale_rule='ratio')")
    if rope_type == "longrope":
        notes.append("mlx-lm takes long_factor at every length")
    if kind in facts.MROPE and facts.MROPE[kind][0] == "interleaved":
        if any(axis == 0 and i % 3 for i, axis in enumerate(found.axes)):
            notes.append("llama.cpp turns the last pairs by a fourth position (imrope), to be given that of the frame")
    return tuple(notes)


def source(kind):
    """Project, version and file of what is known about a type."""
    if kind in facts.CUSTOM:
        project, file = facts.CUSTOM[kind]
        return {"project": project, "version": "1", "file": file}
    folder = facts.TYPES[kind][5] if len(facts.TYPES[kind]) > 5 else kind
    return {
        "project": "transformers",
        "version": facts.VERSION,
        "file": f"models/{folder}/modeling_{folder}.py".replace("-", "_"),
    }


def axial(keys, kind):
    """The rotation along the axes of an image."""
    options = dict(facts.AXIAL[kind])
    given = [keys.dictionary(name) for name in parameters.SPELLINGS if keys.dictionary(name)]
    own = parameters.single(keys, kind) if given or kind not in facts.PARAMETERS else Keys({})
    rope_type = own.take("rope_type", "the rotation is along the axes of an image", "axial")
    if rope_type not in ("axial", "default"):
        raise InputError(
            "E_CHOICE", "rope_type", f"{own.where('rope_type')} must be axial or default, got {rope_type!r}"
        )
    base = own.number("rope_theta", "the base of the frequencies", float(facts.TYPES[kind][4]))
    head = _tower_width(keys, kind)
    axes = len(options.get("axes", (0, 1)))
    each = 2 * (head // axes // 2)
    if kind == "efficientloftr":
        each = _rotary_width(own, kind, "default", _head_dim(keys, kind))
    own.ignore_rest("no part of the rotation reads it")
    if each % 2 or not each or (each * axes != head and kind != "minimax_m3_vl_vision"):
        raise InputError("E_ODD_DIM", "head_dim", f"a head of {kind} must share out among {axes} axes, got {head}")
    return Rotary(
        axial_frequencies((each,) * axes, base=base, **options),
        "interleaved" if kind in facts.INTERLEAVED else "half",
        head,
        source=source(kind),
        notes=(f"positions: {facts.AXES.get(kind, 'row and column, from 0')}",),
        blocks=facts.BLOCKS.get(kind, 1),
        parameters={"rope_type": "axial", "rope_theta": base},
    )


def _tower_width(keys, kind):
    if kind == "efficientloftr":
        return keys.width("hidden_size", "the vector of all heads is rotated", facts.TYPES[kind][0])
    if facts.TYPES[kind][0] is not None:
        return _head_dim(keys, kind)
    rate = keys.whole("memory_attention_downsample_rate", "divides memory_attention_hidden_size", 1)
    heads = keys.whole("memory_attention_num_attention_heads", "divides memory_attention_hidden_size", 1)
    return keys.width("memory_attention_hidden_size", "a head is its part", 256) // (rate * heads)


# -- positions that are measured --------------------------------------------------------------------------------------


def sound(keys, kind):
    """The rotation of audio embeddings by their times, windows and steps."""
    own = parameters.single(keys, kind)
    rope_type = own.take("rope_type", "the scaling", "default")
    if rope_type not in ("default", "linear"):  # with all others the class of the model raises
        sentence = f"{own.where('rope_type')} must be default or linear, got {rope_type!r}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    base = own.number("rope_theta", "the base of the frequencies, and what divides them", facts.TYPES[kind][4])
    audio = Keys(keys.dictionary("audio_config"), f"{keys.place}audio_config.", keys.account)
    width = audio.width("hidden_size", "the width of an embedding", facts.TYPES[kind][0])
    keys.ignore("head_dim", "this class sets it to audio_config.hidden_size")
    keys.ignore("max_position_embeddings", "this class sets it to rope_theta")
    rotary = _rotary_width(own, kind, rope_type, width)
    _check_width(kind, 2 * (rotary + rotary % 2), width, width)
    found = rope_types.frequencies(rope_type, rotary, base, own, None, None)
    own.ignore_rest("no part of the rotation reads it")
    return Rotary(
        twice_timed(linear(found.dim, factor=base, frequencies=found)),
        "interleaved",
        width,
        inverse=True,
        source=source(kind),
        notes=("positions: seconds times the window, and times the step in it; the encoder's output is turned",),
        parameters={"rope_type": rope_type, "rope_theta": base},
    )


def atoms(keys, kind):
    """The rotation of atoms by their coordinates and the number of their residue."""
    head = _head_dim(keys, kind)
    spatial = keys.whole("num_spatial_rope_pairs_per_axis", "pairs that turn by each coordinate", 2)
    uid = keys.whole("num_uid_rope_pairs", "pairs that turn by the residue", 10)
    bases = [
        keys.number("spatial_rope_base_frequency", "the base for coordinates", facts.TYPES[kind][4]),
        keys.number("uid_rope_base_frequency", "the base for residues", 10000.0),
    ]
    pairs = checks.multiple("head_dim", head, 2) // 2
    counts = checks.integer("num_spatial_rope_pairs_per_axis", spatial, 1), checks.integer("num_uid_rope_pairs", uid, 1)
    return Rotary(
        of_atoms(pairs, *counts, *bases),
        "half",
        head,
        source=source(kind),
        notes=("positions: x, y, z and the number of the residue (ref_pos and ref_space_uid)",),
        parameters={"spatial_rope_base_frequency": bases[0], "uid_rope_base_frequency": bases[1]},
    )


MEASURED = {"esmfold2_atom_encoder": atoms, "musicflamingo": sound}
