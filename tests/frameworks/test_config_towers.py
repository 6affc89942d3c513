"""Towers, decoders and codecs whose files stand alone: those without an encoding, and modules that no other test runs.

Modules are built on the meta device. Of types without an encoding, no weight is of positions, no module is named after
them, and no line of a forward computes with them but those that are listed.
"""

import collections
import functools
import importlib
import inspect
import re

import numpy as np
import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING

from refpos import InputError, from_config
from refpos.configs.encodings import encoding_rows
from refpos.configs.model_defaults import rows

from .test_config_encodings import configuration, made, run
from .test_config_unread import WEIGHT

transformers.logging.set_verbosity_error()


def place(folder, file=None):
    return importlib.import_module(f"transformers.models.{folder}.{file or 'modeling_' + folder}")


#: types whose module no automatic class builds: the class, in the model file beside the configuration
CLASSES = {
    "chameleon_vqgan": "ChameleonVQVAE",
    "emu3_vqgan": "Emu3VQVAE",
    "fastspeech2_conformer_hifigan": "FastSpeech2ConformerHifiGan",
    "flava_image_codebook": "FlavaImageCodebook",
    "idefics2_perceiver": "Idefics2PerceiverResampler",
    "janus_vqgan": "JanusVQVAE",
    "molmo2_adapter": "Molmo2Adapter",
    "moshi_depth": "MoshiDepthDecoder",
    "pp_ocrv5_mobile_det": "PPOCRV5MobileDetForObjectDetection",
    "pp_ocrv5_mobile_rec": "PPOCRV5MobileRecForTextRecognition",
    "pp_ocrv5_server_det": "PPOCRV5ServerDetForObjectDetection",
    "pp_ocrv5_server_rec": "PPOCRV5ServerRecForTextRecognition",
    "pp_ocrv6_medium_det": "PPOCRV6MediumDetForObjectDetection",
    "pp_ocrv6_small_det": "PPOCRV6SmallDetForObjectDetection",
    "pp_ocrv6_small_rec": "PPOCRV6SmallRecForTextRecognition",
    "pp_ocrv6_tiny_rec": "PPOCRV6TinyRecForTextRecognition",
    "rt_detr_resnet": "RTDetrResNetBackbone",
    "slanet": "SLANetForTableRecognition",
    "speecht5_hifigan": "SpeechT5HifiGan",
    "upernet": "UperNetForSemanticSegmentation",
    "vibevoice_diffusion": "VibeVoiceDiffusionHead",
    **{kind: CONFIG_MAPPING[kind].__name__.removesuffix("Config")
       for kind in encoding_rows.reasons() if kind.endswith("_mask_decoder")},
}  # fmt: skip
#: keys without which a class cannot be built
KEYS = {
    kind: {
        "intraclass_block_config": collections.defaultdict(lambda: [1, 1, 0]),
        "scale_factor_list": [1, 2, 4, 8],
        "kernel_list": [3, 2, 2],
    }
    for kind in ("pp_ocrv5_server_det", "pp_ocrv6_medium_det")
}
HEAD = {"upsample_out_channels": [8], "upsample_kernel_sizes": [4], "conv_out_channels": [8], "conv_kernel_sizes": [1]}
#: modules that take the configuration of the model around them, or several
OTHERS = {
    "gemma4_unified_audio": lambda: place("gemma4_unified").Gemma4UnifiedMultimodalEmbedder(
        CONFIG_MAPPING["gemma4_unified_audio"](), CONFIG_MAPPING["gemma4_unified_text"]()
    ),
    "idefics_perciever": lambda: place("idefics", "perceiver").IdeficsPerceiverResampler(
        transformers.IdeficsConfig(), 64, 2, 4, 16, 8
    ),
    "sam_hq_prompt_encoder": lambda: place("sam_hq").SamHQPromptEncoder(transformers.SamHQConfig()),
    "sam_prompt_encoder": lambda: place("sam").SamPromptEncoder(transformers.SamConfig()),
    "sapiens2_head": lambda: place("sapiens2").Sapiens2Head(transformers.Sapiens2Config(head_config=HEAD)),
}


@functools.cache
def built(kind):
    """The module of a type, without memory for its values."""
    if kind not in CLASSES and kind not in OTHERS:
        return made(configuration(kind))
    with torch.device("meta"):
        if kind in OTHERS:
            return OTHERS[kind]()
        config = CONFIG_MAPPING[kind](**KEYS.get(kind, {}))
        file = importlib.import_module(type(config).__module__.replace("configuration", "modeling"))
        return getattr(file, CLASSES[kind])(config)


def classes(module):
    return {type(one) for one in module.modules() if type(one).__module__.startswith("transformers.models")}


# -- types without an encoding ----------------------------------------------------------------------------------------

GROUPS = encoding_rows.without()
GIVEN = GROUPS["which takes the encodings of positions from the model around it"]
FOURIER = GROUPS["whose Fourier features are described with the model around it"]
#: groups without such modules; those with attention beside it are known by their names alone
NO_ATTENTION = (encoding_rows.BY_ORDER, "which has no layer that joins places",
                "whose layers are linear in the places of a patch")  # fmt: skip
ENCODES, OUTPUT = re.compile("Rotary|Position|Relative"), "head.out_point_positions2D"  # of UVDoc, what it finds
RECURRENT = ("RwkvSelfAttention",)  # called attention in its file
LINES = re.compile(r"position|rotary|\bpos_|_pos\b|arange|\.sin\(|\.cos\(|relative")
#: lines that pass positions on, count tokens for a mask, or are about other things
HARMLESS = re.compile(
    r"position_ids|position_embeddings(: tuple.*| = None|=None|=position_embeddings),?$|bool_masked_pos|top_k_pos"
    r"|torch\.sin\((self\.alpha \* |hidden_states \* alpha)"  # Snake, an activation
    r"|out_point_positions2D|falling back to SDPA|num_frames\[:|position_idx"
)
#: the lines that are left, and why they encode no positions
LEFT = {
    "moshi_depth": {"codebook_idx = torch.arange(input_ids.shape[1], device=input_ids.device) + past_seen_tokens":
                    "each codebook has weights of its own",
                    "if self.rotary_emb is not None:": "it is None",
                    "query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)": "not run"},
    "vibevoice_diffusion": {"embedding = torch.cat([torch.cos(freq), torch.sin(freq)], dim=-1)": "of the timestep"},
}  # fmt: skip


def lines(module):
    """The lines of the forward functions of a module that speak of positions."""
    for one in classes(module):
        source = re.sub(r'"""(.|\n)*?"""', "", inspect.getsource(one.forward))
        for line in source.split("\n"):
            line = line.partition("#")[0].strip()
            if LINES.search(line) and not HARMLESS.search(line):
                yield line


@pytest.mark.parametrize("kind", [kind for kind in encoding_rows.reasons() if kind not in (*GIVEN, *FOURIER)])
def test_modules_without_an_encoding(kind):
    module = built(kind)
    named = [name for name, _ in (*module.named_parameters(), *module.named_buffers()) if WEIGHT.search(name)]
    assert not [name for name in named if not name.startswith(OUTPUT)]
    assert not [one for one in classes(module) - {place("uvdoc").UVDocPointPositions2D} if ENCODES.search(one.__name__)]
    assert {*lines(module)} == {*LEFT.get(kind, ())}
    assert any(True for _ in module.parameters()) and classes(module)


def test_the_decoder_of_codebooks_of_moshi_builds_no_rotation():
    attention = [one for one in built("moshi_depth").modules() if hasattr(one, "rotary_emb")]
    assert attention and all(one.rotary_emb is None for one in attention)


@pytest.mark.parametrize("kind", [kind for reason in NO_ATTENTION for kind in GROUPS[reason]])
def test_modules_without_attention(kind):
    names = {one.__name__ for one in classes(built(kind))} - {*RECURRENT}
    assert names and not [one for one in names if re.search(r"Atten|Attn", one)]


@pytest.mark.parametrize("kind", GIVEN)
def test_decoders_are_given_their_positions(kind):
    """They make none: what they add is an argument, and no weight is of positions."""
    module = built(kind)
    assert not [name for name, _ in (*module.named_parameters(), *module.named_buffers()) if WEIGHT.search(name)]
    assert not [one for one in classes(module) if ENCODES.search(one.__name__)]
    given = [name for name in inspect.signature(module.forward).parameters if "pos" in name]
    assert len(given) == 1 and not any(re.search(r"arange|\.sin\(|\.cos\(|rotary", line) for line in lines(module))


@pytest.mark.parametrize("kind", FOURIER)
def test_prompt_encoders_are_described_with_the_model_around_them(kind):
    module, outer = built(kind), kind.removesuffix("_prompt_encoder")
    named = [name for name, _ in (*module.named_parameters(), *module.named_buffers()) if WEIGHT.search(name)]
    assert named == ["shared_embedding.positional_embedding"]
    parts = encoding_rows.rows()[outer].encodings
    assert "prompt" in [entry.get("part") for entry in parts]


@pytest.mark.parametrize("kind", encoding_rows.reasons())
def test_a_file_of_a_type_without_an_encoding_is_refused_with_the_reason(kind):
    with pytest.raises(InputError) as error:
        from_config({"model_type": kind})
    sentence = f"model_type must be one with a position encoding, got {kind!r}, {encoding_rows.reasons()[kind]}"
    assert str(error.value) == sentence and error.value.argument == "model_type"
    assert kind in CONFIG_MAPPING and kind not in rows() and kind not in encoding_rows.rows()


def test_a_head_whose_backbone_has_an_encoding():
    values = {"model_type": "upernet", "backbone_config": {"model_type": "swin"}}
    assert [(one.part, one.name) for one in from_config(values).encodings] == [("backbone", "window_bias")]


# -- tables that modules resize ---------------------------------------------------------------------------------------


def encoding(kind, **values):
    """The first encoding of a type."""
    return from_config({"model_type": kind, **values}).encodings[0]


def filled(shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def of_hunyuan(mode, weight, height, width):
    config = CONFIG_MAPPING["hunyuan_vl_vision"](max_image_size=96, hidden_size=16, interpolate_mode=mode)
    module = place("hunyuan_vl").HunYuanVLVisionPatchEmbed(config)
    module.position_embedding.weight.data = weight
    return module.interpolate_pos_encoding(weight, height, width)[0]


def of_unlimited(weight, height, width):
    config = CONFIG_MAPPING["unlimited_ocr_vision_encoder"](image_size=84, hidden_size=16)
    module = place("unlimited_ocr").UnlimitedOcrVisionEmbeddings(config)
    module.position_embedding.weight.data, module.class_embedding.data = weight, torch.zeros(16)
    return module(torch.zeros(1, 16, height, width))[0, 1:]


def of_seggpt(weight, height, width):
    config = CONFIG_MAPPING["seggpt"](pretrain_image_size=96, hidden_size=16)
    module = place("seggpt").SegGptEmbeddings(config)
    module.position_embeddings.data = weight[None]
    return module.interpolate_pos_encoding(height, width)[0].reshape(-1, 16)


RESIZED = {
    "hunyuan_vl_vision": ({"max_image_size": 96}, functools.partial(of_hunyuan, "bilinear")),
    "hunyuan_vl_vision, bicubic": ({"max_image_size": 96, "interpolate_mode": "bicubic"},
                                   functools.partial(of_hunyuan, "bicubic")),
    "seggpt": ({"pretrain_image_size": 96}, of_seggpt),
    "unlimited_ocr_vision_encoder": ({"image_size": 84}, of_unlimited),
}  # fmt: skip


@pytest.mark.parametrize("name", RESIZED)
@pytest.mark.parametrize("height, width", [(6, 6), (5, 9), (4, 3)])
def test_tables_for_other_sizes(name, height, width):
    values, theirs = RESIZED[name]
    one, weight = encoding(name.partition(",")[0], hidden_size=16, **values), filled((37, 16))
    assert one.parameters["grid"] == [6, 6] and one.parameters["shape"] == [37, 16]
    ours = run(one.resize, weight=weight.numpy(), height=height, width=width)[1:]
    with torch.no_grad():
        found = theirs(weight, height, width).numpy()
    # float32 coordinates to 8 are off by 2**-21, slopes of weights are below 8, and 4 x 4 values below 4 are added
    np.testing.assert_allclose(found, ours, rtol=0, atol=2.0**-21 * 8 * 16 * 4)
    assert found.shape == (height * width, 16)


@pytest.mark.parametrize("length", [77, 20, 32])
def test_the_text_of_sam3_lite_resizes_its_rows(length):
    one = encoding("sam3_lite_text_text_model", hidden_size=16)
    module = place("sam3_lite_text").Sam3LiteTextTextPositionEmbedding(77, 16)
    module.position_embedding.data = filled((1, 1, 77, 16))
    weight = module.position_embedding.detach()[0, 0].numpy()
    ours = run(one.resize, weight=weight, length=length)
    theirs = module(length)[0].detach().numpy()
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=2.0**-17 * 8 * 4)
    if length == 77:
        assert np.array_equal(run(one.call, weight=weight), theirs)


def test_the_tower_of_pp_chart2table_is_that_of_got_ocr2():
    with torch.device("meta"):
        module = place("got_ocr2").GotOcr2VisionEncoder(CONFIG_MAPPING["pp_chart2table_vision"]())
    shapes, compared = {name: tuple(one.shape) for name, one in module.named_parameters()}, 0
    for one, other in zip(*(from_config({"model_type": kind}).encodings for kind in
                            ("pp_chart2table_vision", "got_ocr2_vision")), strict=True):  # fmt: skip
        assert (one.call, one.parameters, one.weights) == (other.call, other.parameters, other.weights)
        if "tensor" in one.parameters:
            assert int(np.prod(shapes[one.parameters["tensor"]])) == int(np.prod(one.parameters["shape"]))
        for name, shape in zip(one.parameters.get("tensors", ()), one.weights.get("shapes", ()), strict=True):
            assert shapes[name] == tuple(shape)
        compared += 1
    assert compared == 3


# -- rotations, and encodings by name alone ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [f"{codec}_{part}" for codec in ("mimi", "pocket_tts_audio_tokenizer")
                                  for part in ("encoder", "decoder")])  # fmt: skip
@pytest.mark.parametrize("values", [{}, {"rope_theta": 5e5}, {"head_dim": 32}])
def test_halves_of_codecs_rotate_as_the_whole(kind, values):
    config = CONFIG_MAPPING[kind](**values)
    with torch.device("meta"):
        module = getattr(place(kind.rpartition("_")[0]), type(config).__name__.replace("Config", "Model"))(config)
    (rotary,) = [one for name, one in module.named_modules() if name.endswith("rotary_emb")]
    theirs, ours = type(rotary)(config).inv_freq, from_config({"model_type": kind, **values}).rotary()
    assert theirs.shape == ours.inv_freq.shape and np.abs(theirs.numpy() / ours.inv_freq - 1).max() < 1e-6
    whole = from_config({"model_type": kind.rpartition("_")[0], **values}).rotary()
    assert (ours.pairing, ours.head_dim) == (whole.pairing, whole.head_dim)


@pytest.mark.parametrize("name, kind", [("EvollaModel", "evolla"), ("mlcd", "mlcd_vision_model")])
def test_other_names_of_types(name, kind):
    assert CONFIG_MAPPING[name] is CONFIG_MAPPING[kind]
    assert from_config({"model_type": name}).model_type == kind


#: {type: {a weight of the module: its shape, by the keys}} of encodings that have a name and no call
WEIGHTS = {
    "gemma4_unified_vision": {"pos_embedding": ("mm_posemb_size", 2, "mm_embed_dim")},
    "lw_detr": {"decoder.ref_point_head.layers.0.weight": ("d_model", 512)},
    "mllama_vision_model": {"gated_positional_embedding.embedding": (1025, "hidden_size"),
                            "gated_positional_embedding.tile_embedding.weight": (9, 4 * 1025 * 1280),
                            "pre_tile_positional_embedding.embedding.weight": (9, 4 * 1280)},
    "rf_detr": {"decoder.ref_point_head.layers.0.weight": ("d_model", 512)},
    "sam3_detr_decoder": {"ref_point_head.layer1.weight": ("hidden_size", 512),
                          "box_rpb_embed_x.layer1.weight": ("hidden_size", 2)},
    "sam3_geometry_encoder": {"boxes_pos_enc_project.weight": ("hidden_size", 258)},
    "sam3_lite_text_detr_decoder": {"ref_point_head.layer1.weight": ("hidden_size", 512)},
    "sam3_lite_text_geometry_encoder": {"boxes_pos_enc_project.weight": ("hidden_size", 258)},
    "superglue": {"keypoint_encoder.encoder.0.linear.weight": (32, 3)},
}  # fmt: skip
MODULES = {
    "mllama_vision_model": lambda config: place("mllama").MllamaVisionModel(config),
    "sam3_detr_decoder": lambda config: place("sam3").Sam3DetrDecoder(config),
    "sam3_geometry_encoder": lambda config: place("sam3").Sam3GeometryEncoder(config),
    "sam3_lite_text_detr_decoder": lambda config: place("sam3_lite_text").Sam3LiteTextDetrDecoder(config),
    "sam3_lite_text_geometry_encoder": lambda config: place("sam3_lite_text").Sam3LiteTextGeometryEncoder(config),
    "gemma4_unified_vision": lambda config: place("gemma4_unified").Gemma4UnifiedVisionEmbedder(
        config, CONFIG_MAPPING["gemma4_unified_text"]()
    ),
    "lw_detr": lambda config: place("lw_detr").LwDetrModel(CONFIG_MAPPING["lw_detr"](projector_scale_factors=[1.0])),
    "superglue": lambda config: place("superglue").SuperGlueForKeypointMatching(config),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_of_encodings_without_a_call(kind):
    config = configuration(kind)
    with torch.device("meta"):
        module = MODULES[kind](config) if kind in MODULES else made(config)
    weights = {name: tuple(one.shape) for name, one in (*module.named_parameters(), *module.named_buffers())}
    for name, shape in WEIGHTS[kind].items():
        expected = tuple(getattr(config, one) if isinstance(one, str) else one for one in shape)
        (found,) = [value for full, value in weights.items() if f".{full}".endswith(f".{name}")]
        assert found == expected, (name, found)
    assert any(one.call is None for one in from_config({**config.to_dict(), "model_type": kind}).encodings)


def test_a_number_for_each_neighbour_of_dinat():
    config = CONFIG_MAPPING["dinat"]()
    with torch.device("meta"):
        module = place("dinat").NeighborhoodAttention(config, 64, config.num_heads[0], config.kernel_size, 1)
    one = encoding("dinat")
    side = 2 * one.parameters["kernel_size"] - 1
    assert tuple(module.rpb.shape) == (one.parameters["num_heads"][0], side, side)
