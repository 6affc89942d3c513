"""What a file holds that nothing here reads: objects of models, and keys whose names speak of positions."""

import re

from ..errors import InputError, shown
from . import model_defaults
from .encodings import encoding_rows
from .rotary.notes import NOT_READ
from .rotary.rope_types import FIELDS, LENGTH, MSCALES

UNREAD_KEY = "not read, though its name is that of a key for positions"
UNREAD_SIZE = "not read, though its name is that of a size in other formats"
#: keys that change the frequencies, and the value that leaves them: a file read as another type must not lose one
CHANGES = {
    "rope_ratio": 1,
    "rope_pct": 1,
    "rotary_pct": 1,
    "rotary_dim": None,
    "rotary_emb_base": None,
    "rotary_emb_fraction": 1,
    "rotary_embedding_base": None,
    "rotary_scaling_factor": None,
    "partial_rotary_factor": 1,
    "rope_scaling": None,
    "rope_parameters": None,
    "rope_type": "default",
    "alibi": False,
    "use_alibi": False,
    "use_dynamic_ntk": False,
}
#: switches of a rotation, in small letters: false leaves none, where false of other keys leaves a change out
SWITCH = re.compile(
    r"(?:(?:use|apply|with|enable|has|is|do)_)?(?:rope|rotary)(?:_pos\w*)?(?:_(?:emb|enc|embed|embedding|encoding)s?)?"
    r"(?:_enabled)?"
)
#: {size: its names in other formats}
OTHER_SIZES = {
    "hidden_size": ("dim", "d_model", "n_embd"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads"),
    "head_dim": ("head_size", "d_head", "dim_head"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
}
SIZES = {other: name for name, others in OTHER_SIZES.items() for other in others}
HEAD = ("hidden_size", "num_attention_heads")  # their ratio is the width of a head
#: words in the name of a key that decides positions
WORDS = re.compile(
    r"(?:^|[_.])(?:[mi]?rope|rotary|yarn|theta|compress\w*|ratios?|alibi|relative|rel|buckets?|pos|position_emb\w*"
    r"|position(?:al)?_enc\w*|position_(?:scale|offset)|nope_layers?|ntk|xpos|swa_theta"
    r"|temperature_(?:scale|length|tuning))(?:[_.]|$)"
)
#: keys of a scaling that have other meanings in objects which describe no model, and are read among rope parameters
OF_SCALINGS = frozenset({*MSCALES, LENGTH, "scaling_factor"}.union(*FIELDS.values()) - {"truncate"})
#: names with such a word that are about other things: widths, convolutions, training, lengths
OTHER_MEANINGS = frozenset(
    "aspect_ratios assign_mlp_ratio attention_ratio channel_ratios channel_shrink_ratio compress"
    " downsample_ratio downsampling_ratios expand_ratios expansion_ratio head_ratio importance_sample_ratio"
    " inference_sigma_max_ratio inference_sigma_min_ratio label_noise_ratio learned_pos_emb"
    " mask_downsample_ratio mask_point_sample_ratio mask_ratio max_position_embeddings mlp_ratio mlp_ratios"
    " num_pos_feats num_relative_features oversample_ratio pixel_shuffle_ratio"
    " pos_embed_rescale projector_pooling_ratio random_mask_ratio rel_l2_clip_threshold"
    " scaled_images_overlap_ratios scaled_images_ratios sequence_reduction_ratios squeeze_expansion_ratio"
    " supported_aspect_ratios trim_right_ratio upsampling_ratios vision_aspect_ratio".split()
)
#: objects that describe a part of a model although they name no type
ROLES = frozenset(
    "audio audio_config audio_encoder_config backbone_config decoder decoder_config encoder encoder_config"
    " multimodal reading_order_config text text_config video_config vision vision_args vision_config vision_cfg"
    " vision_encoder vision_model text_cfg visual".split()
)


def of_file(values, log):
    """{path: why} of the objects and the keys that a reading, with its log, has passed over."""
    # an assumed path may be that of a key which stands in another place of the file, and is not read there
    noted = {*log.used, *log.ignored}
    paths = {*noted, *log.assumed}
    above = {path[:end] for path in paths for end in range(len(path)) if path[end] == "."}
    return {**dict(_of_object(values, "", noted, above, is_model=True)), **_sizes(values, noted, log.assumed)}


def _sizes(values, noted, assumed):
    """{path: why} of sizes by other names, in objects for whose rotation the class gave the width of a head."""
    widths = [path.rpartition(".") for path in assumed]
    found = {}
    for prefix in dict.fromkeys(outer for outer, _, name in widths if name in ("head_dim", *HEAD)):
        inner = values
        for step in filter(None, prefix.split(".")):
            inner = inner.get(step, {}) if isinstance(inner, dict) else {}
        for other in SIZES.keys() & inner.keys() if isinstance(inner, dict) else ():
            path = f"{prefix}.{other}".lstrip(".")
            if inner[other] is not None and SIZES[other] not in inner and path not in noted:
                found[path] = UNREAD_SIZE
    return dict(sorted(found.items()))


def _of_object(values, prefix, noted, above, is_model):
    """Pairs of `of_file` for one object; noted: paths with a note, above: those of the objects around them; is_model:
    whether the object describes a model or a part."""
    for name, value in values.items():
        path, lower = f"{prefix}{name}", str(name).lower()
        is_switched_off = value is False and is_switch(lower)
        if path in noted or (value in (None, False, {}, []) and not is_switched_off):
            continue
        if isinstance(value, dict) and _is_model(name, value) and path not in above:
            yield from _unknown_model(path, value)
        elif (_is_of_positions(lower) or (is_model and _is_of_scaling(lower, value))) and path not in above:
            yield path, UNREAD_KEY
        elif isinstance(value, dict):
            yield from _of_object(value, f"{path}.", noted, above, _is_model(name, value))


def _is_of_positions(name):
    has_word = WORDS.search(name) is not None or name.startswith(("rope", "rotary"))
    return has_word and name.rpartition(".")[2] not in OTHER_MEANINGS


def _is_of_scaling(name, value):
    return name in OF_SCALINGS or (name == "type" and isinstance(value, str) and value in FIELDS)


def _is_model(name, value):
    return name in ROLES or any(value.get(key) for key in ("model_type", "_class_name"))


def _unknown_model(path, value):
    """The note on an object none of whose keys has one; none where its type is known, and so all of it is read."""
    kind = value.get("model_type") or value.get("_class_name")
    kind = model_defaults.aliases().get(kind, kind) if isinstance(kind, str) else "no model_type"
    if kind not in {*model_defaults.rows(), *encoding_rows.rows(), *encoding_rows.reasons()}:
        yield path, f"{kind}, not described"


# -- a file read as another type ---------------------------------------------------------------------------------------


def check_dropped(values, model_type, log, parts, passed_over):
    """Refuse to read a file as a type which would drop what decides its positions; passed_over: as of `of_file`."""
    rotaries = [rotary for part in parts.values() for rotary in part.rotaries.values()]
    for name, neutral in CHANGES.items():
        value = values.get(name)
        same = value in (None, neutral, {})
        if name == "rotary_dim":
            same = same or all(rotary.rotary_dim == value for rotary in rotaries)
        elif name.endswith("base"):
            same = same or all(rotary.parameters.get("rope_theta") == value for rotary in rotaries)
        if not same and not any(path == name or path.startswith(name + ".") for path in log.used):
            raise _dropped(model_type, name, value, "which changes the frequencies")
    unread = [path for path, why in {**log.ignored, **passed_over}.items() if why in (NOT_READ, UNREAD_KEY)]
    sizes = {other: "which is a size" for other, name in SIZES.items() if name != "num_hidden_layers"}
    for path in (*unread, *sizes):
        name = path.rpartition(".")[2]
        value = _value(values, path)
        is_neutral = value in (None, False, {}, CHANGES.get(name)) and not (value is False and is_switch(name))
        if not is_neutral and path not in log.used and path not in CHANGES:
            raise _dropped(model_type, path, value, sizes.get(path, "which may decide positions"))


def is_switch(name):
    """Whether a key switches a rotation on and off, by its name."""
    return SWITCH.fullmatch(name.lower()) is not None


def _value(values, path):
    """The value at a dotted path, whose names may have dots themselves; None where there is none."""
    for name, value in values.items():
        if name == path:
            return value
        if isinstance(value, dict) and path.startswith(f"{name}."):
            found = _value(value, path.removeprefix(f"{name}."))
            if found is not None:
                return found
    return None


def _dropped(model_type, path, value, why):
    sentence = f"{path} must be a key that {model_type} reads, got {shown(value)}, {why}"
    return InputError("E_CHOICE", path.rpartition(".")[2], sentence)
