"""What configurations of transformers hold and no row reads: objects are named, positional weights accounted for."""

import itertools
import json
import re

import transformers
from transformers import CONFIG_MAPPING

from refpos import InputError, from_config
from refpos.configs.unread import UNREAD_KEY

from . import test_config_encodings

transformers.logging.set_verbosity_error()

#: keys of defaults that decide nothing there, and that other values would make decide: they are named
NAMED = {
    "blt.rope_parameters": "each part has its own",
    "data2vec-audio.num_conv_pos_embeddings": "the number of convolutions, 5, is that of the row",
    "deberta.max_relative_positions": "relative_attention is off",
    "deberta-v2.max_relative_positions": "relative_attention is off",
    "seamless_m4t.num_conv_pos_embeddings": "the class does not read it",
    "seamless_m4t.num_conv_pos_embedding_groups": "the class does not read it",
    "udop.relative_bias_args": "the rows are those of the released value",
}

#: objects that are named as not described, by their model_type: their network is in timm, or is not described
NOT_DESCRIBED = {
    "timm_backbone": """
        conditional_detr.backbone_config dab-detr.backbone_config deformable_detr.backbone_config detr.backbone_config
        maskformer.decoder_config.backbone_config omdet-turbo.backbone_config table-transformer.backbone_config
    """,
    "timm_wrapper": """
        edgetam.vision_config.backbone_config edgetam_vision_model.backbone_config fast_vlm.vision_config
        pe_audio_video.audio_video_config.video_config.vision_config pe_video.video_config.vision_config
        pe_audio_video_encoder.video_config.vision_config pe_video_encoder.vision_config perception_lm.vision_config
    """,
    "gemma3n_vision": "gemma3n.vision_config",
}


def answers():
    """(type, its default file, the answer) of each type of transformers whose default file has one."""
    for kind in sorted(CONFIG_MAPPING):
        try:
            values = CONFIG_MAPPING[kind]().to_dict()
        except Exception:  # a class without a default configuration
            continue
        values = json.loads(json.dumps({**values, "model_type": kind}, default=str))
        try:
            yield kind, values, from_config(values)
        except InputError:
            continue


def test_every_key_for_positions_of_a_default_file_is_read_or_named():
    found, read = set(), 0
    for kind, _, model in answers():
        read += 1
        found |= {f"{kind}.{path}" for path, why in model.unread.items() if why == UNREAD_KEY}
    assert found == {*NAMED} and read > 640


def objects(values, prefix=""):
    """The paths of the objects with a model_type."""
    for name, value in values.items():
        if isinstance(value, dict):
            if value.get("model_type"):
                yield f"{prefix}{name}", value["model_type"]
            yield from objects(value, f"{prefix}{name}.")


def test_every_object_with_a_model_type_is_read_or_named():
    named = set()
    for kind, values, model in answers():
        noted = {*model.used, *model.ignored, *model.assumed}
        for path, inner in objects(values):
            above = [path[: match.start()] for match in re.finditer(r"\.", path)]
            if any(one in model.unread for one in (path, *above)):
                named.add((f"{kind}.{path}", inner))
                continue
            is_read = any(one.startswith(f"{path}.") for one in noted)
            assert is_read or is_known(inner), f"{kind}: {path}, {inner}"
    assert named == {(path, kind) for kind, paths in NOT_DESCRIBED.items() for path in paths.split()}


def is_known(kind):
    """Whether a type has an answer of its own, or is known to encode no positions."""
    try:
        from_config({"model_type": kind})
    except InputError as error:
        return "must be one of the" not in str(error)
    return True


# -- weights ----------------------------------------------------------------------------------------------------------

WEIGHT = re.compile(
    r"(?i)(^|[._])(pos|position|positional|rel_pos|relative|tile|rpb|class_pos)(_|\.|$)|pos_?emb|_pos_enc"
)
#: buffers that hold counts, and weights of what is described under another name
EXCUSED = re.compile(
    r"position_ids(_k)?$|inv_freq$|freqs_ci$|relative_position_index$|relative_coords_table$"  # counts
    r"|pos_conv_embed|rel_attn|gru_rel_pos|relative_pos_embeddings|pos_bias|pos_enc\.pos_enc$"  # read by their encoding
    r"|embed_positions\.(weights?|pe)$|h\.\d+\.attn\.embed_positions$|pos_encoding$|position_enc$"  # sines
    r"|(positional_embedding|position_embeddings)\.positional_embedding$|inv_timescales$|position_angles$"
    r"|pos_emb\.positional_embedding$|visual_embeddings\.position_embeddings\.weight$"  # sines of Canary; of TVP unused
    r"|decoder\.relative_bias\."  # of UDOP: the first is that of the encoder
    r"|query_pos_head|query_position_embeddings|relative_order_head"  # of queries, which are no places
    r"|weight_integer$|weight_scaling_factor$|position_embeddings$|position_embedding(\.weights)?$"
)
#: weights that are others by another name
NONE = re.compile(r"(?!)")
TIED = {"udop": re.compile(r"encoder\.block\.layer\.SelfAttention\.relative_attention_bias\.weight$")}
#: weights that an encoding without a call stands for, or an object that is named
DESCRIBED = re.compile(
    r"shared_(image_)?embedding|memory_temporal_|no_memory_|temporal_positional_encoding_projection"  # SAM 2
    r"|box_rpb_embed|boxes_pos_enc|text_encoder\.embeddings"  # SAM 3
    r"|patch_embed\.pos_emb|position_embedding_table|layout_embeddings|class_pos_emb|mit\.|connector\.|cls_position"
    r"|embeddings\.position_embedding\.weight"
    r"|compressor\.position_bias|text_position_embedding|image_position_embed|visual_temporal_embed"
    r"|t2u_model|pos_emb_alpha"
    r"|tile_positional|gated_positional|vision_tower\.(positional|vision_encoder)|vision_encoder\.|audio_tower\."
    r"|positional_encoder|embed_positions"
)


def plain(name):
    """The name of a weight without the numbers of its layers."""
    return re.sub(r"\.\d+(?=\.|$)", "", f".{name}")


def tensors(encoding):
    """The names of the tensors of an encoding."""
    named = [encoding.parameters[key] for key in ("tensor", "tensors") if key in encoding.parameters]
    for one in named:
        yield from [one] if isinstance(one, str) else one.values() if isinstance(one, dict) else one


def unnamed(model, built):
    """The positional weights of a model that its answer does not name."""
    named = {plain(name) for one in model.encodings for name in tensors(one)}
    has_words = bool(model.unread) or any(one.call is None for one in model.encodings)
    for name, _ in itertools.chain(built.named_parameters(), built.named_buffers()):
        if not WEIGHT.search(name) or EXCUSED.search(name) or (has_words and DESCRIBED.search(name)):
            continue
        if not any(plain(name).endswith(one) or one.endswith(plain(name)) for one in named):
            yield plain(name)


def test_every_positional_weight_is_named_or_excused():
    wrong, done = {}, 0
    for kind, _, _ in answers():
        try:
            config = test_config_encodings.configuration(kind)
            built = test_config_encodings.made(config)
            values = json.loads(json.dumps({**config.to_dict(), "model_type": kind}, default=str))
            model = from_config(values)
        except Exception:  # a default configuration that no class can be built of, or code that is not installed
            continue
        done += 1
        wrong[kind] = sorted(name for name in {*unnamed(model, built)} if not TIED.get(kind, NONE).search(name))
    assert {kind: names for kind, names in wrong.items() if names} == {}
    assert done > 550
