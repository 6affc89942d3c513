"""Configurations of models without a rotation against their code: every row beside the class and the model it names.

Models are built from their configuration classes on torch's meta device, where weights have a shape and no values, or
with random weights; the call that a configuration names is run on the same input as the module.
"""

import importlib
import inspect
import itertools
import json
import re
from math import prod
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, AutoModel, FunnelConfig, ProphetNetConfig
from transformers.models.evolla.configuration_evolla import SaProtConfig

import refpos
from refpos import InputError, conformance, from_config
from refpos.configs.encodings.encoding_rows import rows

transformers.logging.set_verbosity_error()

LAYERS = ("num_hidden_layers", "n_layer", "encoder_layers", "decoder_layers", "num_layers", "num_decoder_layers")
BLOCKED = (FunnelConfig, ProphetNetConfig)  # their number of layers is another key
OWN = [kind for kind, row in rows().items() if row.source["project"] == "transformers"]
SINGLE = [kind for kind in OWN if rows()[kind].encodings]


def config_class(kind):
    return SaProtConfig if kind == "evolla_protein_encoder" else CONFIG_MAPPING[kind]


def configuration(kind, **changes):
    """The configuration of a type with one layer of each kind."""
    config = config_class(kind)(**changes)
    for name in LAYERS:
        if isinstance(getattr(config, name, None), int) and not isinstance(config, BLOCKED):
            setattr(config, name, 1)
    return config


def of(config, name):
    """The value of a key, which may lie in an inner object, as JSON has it."""
    for part in name.split("."):
        config = getattr(config, part)
    return json.loads(json.dumps(config))


#: keys that the code reads by getattr with a default, which the class does not have
ABSENT = {"deberta-v2": {"position_buckets", "share_att_key", "norm_rel_ebd"}, "sew-d": {"max_relative_positions"}}


# -- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SINGLE)
def test_defaults_are_those_of_the_class(kind):
    config, row = config_class(kind)(), rows()[kind]
    absent = ABSENT.get(kind, set())
    for name, value in row.defaults.items():
        assert name in absent or of(config, name) == value, name
        assert type(value) is not int or name in absent or type(of(config, name)) is int
    names = config_class(kind).attribute_map
    assert all(names.get(name) == other or names.get(other) == name for name, other in row.other_names.items())
    read = {value for entry in row.encodings for value in entry.values() if isinstance(value, str)}
    assert {**names}.keys() & read <= {*row.other_names} | {*row.other_names.values()} | {"text"}


@pytest.mark.parametrize("kind", [kind for kind in OWN if rows()[kind].parts])
def test_parts_are_those_of_the_class(kind):
    default, parts = config_class(kind)(), rows()[kind].parts
    # a part that is absent by default is what the class makes of an empty object
    config = config_class(kind)(**{name: {} for name in parts if getattr(default, name) is None})
    assert {name: getattr(config, name).model_type for name in parts} == parts


#: types without model files, and the type whose module reads their configuration
LIKE = {"layoutxlm": "layoutlmv2", "pp_chart2table_vision": "got_ocr2_vision"}


@pytest.mark.parametrize("kind", SINGLE)
def test_the_file_of_a_row_is_there(kind):
    text = (Path(transformers.__file__).parent / rows()[kind].source["file"]).read_text()
    assert "pos" in text.lower() and config_class(LIKE.get(kind, kind)).__name__ in text


def read(values):
    """The encodings of a configuration, none where it is refused for having none."""
    try:
        return from_config(values).encodings
    except InputError as error:
        assert error.code == "E_MISSING"
        return ()


# -- shapes -----------------------------------------------------------------------------------------------------------


def model_class(config):
    """The largest class of a model file that is built of a configuration, which AutoModel does not know."""
    folder = type(config).__module__.split(".")[-2]
    place = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    ends = re.compile(r"(Model|Transformer|Generation|ForCausalLM|Encoder|Backbone|ForUniversalSegmentation)$")
    classes = [cls for name, cls in vars(place).items()
               if isinstance(cls, type) and "PreTrained" not in name and ends.search(name)]  # fmt: skip
    wanted = (type(config), type(config).__name__)
    arguments = {cls: next(iter(inspect.signature(cls).parameters.values()), None) for cls in classes}
    built = [cls for cls, first in arguments.items() if first is not None and first.annotation in wanted]
    return max(built, key=lambda cls: sum(p.numel() for p in cls(config).parameters()))


def made(config):
    """The model of a configuration without memory for its values."""
    config.architectures = config.architectures or []  # AutoModel takes a list where a type has several classes
    with torch.device("meta"):
        try:
            return AutoModel.from_config(config)
        except ValueError:
            return model_class(config)(config)


def own_name(model, tensor):
    """The name of a tensor of a base model in this one, which may be a part of it or hold it."""
    names = [name for name, _ in itertools.chain(model.named_parameters(), model.named_buffers())]
    (name,) = [name for name in names if f".{name}".endswith(f".{tensor}") or f".{tensor}".endswith(f".{name}")]
    return name


def tensor_of(model, name):
    return dict(itertools.chain(model.named_parameters(), model.named_buffers()))[name]


def is_in(model, tensor):
    """Whether a model has a tensor: one of two classes that share a configuration, or the first layer of a kind."""
    return "prenet." not in tensor and not re.search(r"layers?\.[1-9]", tensor)


def alike(shape):
    """The shapes of tables that hold the numbers of a tensor: without axes of 1, with cells in a row, transposed."""
    table = [prod(shape[:-1]), shape[-1]]
    return shape, shape[-2:], shape[::-1], table, table[::-1]


def changes(kind):
    """Values of the keys that decide the rows of a table, other than those of the class."""
    row, changed = rows()[kind], {}
    for entry in row.encodings:
        for field in ("rows", "buckets"):
            name = entry.get(field)
            if isinstance(name, str) and field in ("rows", "buckets"):
                changed[name] = row.defaults[name] + (3 if field == "rows" else 4)
        if isinstance(entry.get("image"), str) and ("patch" in entry or "tubelet" in entry):
            size = row.defaults[entry.get("patch", entry.get("tubelet"))]
            size = max(size) if isinstance(size, list) else size
            sides = [3 * size + 1, 4 * size + 1]
            changed[entry["image"]] = sides if isinstance(row.defaults[entry["image"]], list) else sides[0]
    return changed


def variants(kind):
    """The class's own configuration, another size of each table, and each value of a key that chooses."""
    yield {}
    if changes(kind):
        yield changes(kind)
    for entry in rows()[kind].encodings:
        for name, values in entry.get("when", {}).items():
            yield from ({name: value} for value in values if value != rows()[kind].defaults.get(name))


SERIES = {kind: {"prediction_length": 24} for kind in ("autoformer", "informer", "time_series_transformer")}
NEEDED = {"esm": {"pad_token_id": 1, "vocab_size": 33}, **SERIES}
#: types whose table is not compared, and why
LEFT_OUT = {
    "layoutlmv2": "detectron2 is not installed",
    "layoutxlm": "its code is that of layoutlmv2",
    "pp_chart2table_vision": "its code is that of got_ocr2_vision; test_config_towers builds it",
    "patchtsmixer": "two keys choose its table; test_config_rows builds it",
    "perceiver": "the table belongs to the model around it; test_config_rows builds it",
    "blip_2_qformer": "the table belongs to the model around it, which reads it as BERT",
    "evolla_protein_encoder": "its class has rotary positions alone in a default configuration",
    "tvp": "its own forward fails with the grid of its default configuration",
}
TIMM = ("conditional_detr", "deformable_detr", "detr", "table-transformer")  # their default backbone is timm's


WEIGHTED = [kind for kind in SINGLE if any({"tensor", "tensors"} & {*entry} for entry in rows()[kind].encodings)]


@pytest.mark.parametrize("kind", [kind for kind in WEIGHTED if kind not in TIMM and kind not in LEFT_OUT])
def test_shapes_are_those_of_the_model(kind):
    compared = 0
    for more in variants(kind):
        more = {**NEEDED.get(kind, {}), **more}
        model = made(configuration(kind, **more))
        for one in read({"model_type": kind, **more}):
            if "tensor" in one.parameters and "shape" in one.parameters and is_in(model, one.parameters["tensor"]):
                expected = list(tensor_of(model, own_name(model, one.parameters["tensor"])).shape)
                assert one.parameters["shape"] in alike(expected), (more, one, expected)
                compared += 1
            names = one.parameters.get("tensors", ())
            for name in names.values() if isinstance(names, dict) else names:
                assert not is_in(model, name) or own_name(model, name)
                compared += 1
    assert compared


# -- what modules add -------------------------------------------------------------------------------------------------

TOKENS = np.array([[7, 5, 9, 1, 1, 1, 1], [5, 9, 8, 7, 6, 5, 4]])
MASK = (TOKENS != 1).astype(np.int64)
LENGTH = TOKENS.shape[1]


def run(call, **inputs):
    """What the text of a call gives."""
    return eval(call, {"refpos": refpos}, inputs)  # as a user would type it


def outputs_of(model, name, forward):
    """What the module that holds a tensor returns while a model runs."""
    seen = []
    module = model.get_submodule(name.rpartition(".")[0])
    hook = module.register_forward_hook(lambda module, arguments, output: seen.append(output))
    with torch.no_grad():
        forward(model)
    hook.remove()
    return [one[0] if isinstance(one, tuple) else one for one in seen]


def weight_of(model, name):
    """The values of a tensor, of that rank that a table has."""
    tensor = tensor_of(model, name).detach()
    return (tensor[0] if tensor.ndim == 3 else tensor).numpy()


#: types whose forward takes sound, or more than tokens; their tables are compared by shape
OF_SOUND = ("audioflamingo3_encoder", "bark", "clvp_decoder", "cohere_asr", "molmo2_vision",
            "moss_transcribe_diarize_audio", "qwen2_audio_encoder", "voxtral_encoder")  # fmt: skip
#: test_config_rows runs these
SMALL_MODULES = ("reformer",)
SMALL = {"vocab_size": 50, "pad_token_id": 1}
TEXT = [kind for kind in SINGLE if kind not in (*LEFT_OUT, *OF_SOUND, *SMALL_MODULES) and any(
    entry["kind"] == "learned" and not {"index", "resize"} & {*entry} for entry in rows()[kind].encodings)]  # fmt: skip


def small(kind, **more):
    """The configuration of a type, of few tokens and layers, and its model with random weights."""
    own = {name: value for name, value in SMALL.items() if hasattr(config_class(kind)(), name)}
    config = configuration(kind, **own, **more)
    torch.manual_seed(0)
    try:
        return config, AutoModel.from_config(config).eval()
    except ValueError:
        return config, model_class(config)(config).eval()


#: what a model needs beside its tokens
MORE = {
    "bros": {"bbox": torch.zeros(2, LENGTH, 4)},
    "lxmert": {"visual_feats": torch.zeros(2, 1, 2048), "visual_pos": torch.zeros(2, 1, 4)},
    "tvp": {"pixel_values": torch.zeros(2, 1, 3, 448, 448)},
    "vilt": {"pixel_values": torch.zeros(2, 3, 384, 384)},
    "whisper": {"input_features": torch.zeros(2, 80, 3000)},
}


def forward_text(kind, model):
    """Run a model on two sequences, of which one ends with padding."""
    ids, mask = torch.from_numpy(TOKENS), torch.from_numpy(MASK)
    names = inspect.signature(model.forward).parameters
    known = {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": ids, "decoder_attention_mask": mask}
    arguments = {name: value for name, value in known.items() if name in names} | MORE.get(kind, {})
    if kind == "xmod":
        model.set_default_language("en_XX")
    if kind == "whisper":
        del arguments["attention_mask"]
    model(**arguments)


@pytest.mark.parametrize("kind", TEXT)
def test_rows_of_learned_tables_are_those_that_the_model_reads(kind):
    config, model = small(kind)
    values = {**config.to_dict(), "model_type": kind}
    compared = 0
    for one in read(values):
        if one.name != "learned" or "rule" not in one.parameters:
            continue
        tensor = own_name(model, one.parameters["tensor"])
        (theirs,) = outputs_of(model, tensor, lambda model: forward_text(kind, model))
        mask = np.ones_like(MASK) if any("all ones" in note for note in one.notes) else MASK
        ours = run(one.call, weight=weight_of(model, tensor), length=LENGTH, tokens=TOKENS, mask=mask)
        # models with windows pad the sequence to a multiple of them
        theirs = theirs.numpy().reshape(-1, theirs.shape[-2], ours.shape[-1])[:, :LENGTH]
        assert ours.dtype == theirs.dtype == np.float32
        both = np.broadcast_arrays(ours, theirs)
        np.testing.assert_array_equal(*both)
        assert both[0].shape in ((2, LENGTH, ours.shape[-1]), (1, LENGTH, ours.shape[-1]))
        compared += 1
    assert compared


# -- tables of images -------------------------------------------------------------------------------------------------

IMAGES = [kind for kind in SINGLE if kind not in LEFT_OUT and any(
    entry["kind"] == "image_table" for entry in rows()[kind].encodings)]  # fmt: skip
#: sound, videos, patches in the order of merging or in windows, several tables, or so many layers that a whole model
#: takes long: the shapes are compared, and test_config_rows runs modules of some
OTHER_INPUT = ("audio-spectrogram-transformer", "cohere_compass_vision", "cosmos3_edge_vision",
               "deepseek_ocr2_sam_vision_model", "eomt", "glm4v_moe_vision", "glm4v_vision", "glm_image_vision",
               "got_ocr2_vision", "granite_docling_vision", "hiera", "hunyuan_vl_vision", "idefics2_vision",
               "idefics_vision", "janus_vision_model", "llama4_vision_model", "lw_detr_vit", "minicpm_ocr_vision",
               "minicpmv4_6_vision", "minicpmv4_7_vision", "muse_glimmer_vision", "muse_spark_vision",
               "paddleocr_vl_vision", "phi4_multimodal_vision", "pp_formulanet_vision", "pvt", "qwen3_5_moe_vision",
               "qwen3_5_vision", "qwen3_omni_moe_vision_encoder", "qwen3_vl_moe_vision", "qwen3_vl_vision",
               "qwen4_exp_vision", "radio", "rf_detr_dinov2", "sam_hq_vision_model", "sam_vision_model", "seggpt",
               "slanext_vision", "step3p5_vision", "timesformer", "unlimited_ocr_sam_vision_model",
               "unlimited_ocr_vision_encoder", "videomt", "videoprism_vision_model", "vitdet", "vitpose_backbone",
               "vivit", "yolos")  # fmt: skip
#: their forward needs more than an image
FIRST = {
    "layoutlmv3": "the sequence of words stands before the image",
    "siglip2_vision_model": "it takes patches; test_resize_table runs it",
    "vilt": "words stand before the image",
}


def alone(model, name):
    """The module that holds a table, all its other weights set to 0: what it returns for any image is the table."""
    holder = name.removesuffix(".weight").rpartition(".")[0]
    module = model.get_submodule(holder) if holder else model
    with torch.no_grad():
        for other, tensor in module.named_parameters():
            if f"{holder}.{other}".strip(".") != name:
                tensor.zero_()
    return module


@pytest.mark.parametrize("kind", [kind for kind in IMAGES if kind not in (*FIRST, *OTHER_INPUT)])
def test_tables_of_images_are_what_the_model_adds(kind):
    entry = next(entry for entry in rows()[kind].encodings if entry["kind"] == "image_table")
    more = {name: values[0] for name, values in entry.get("when", {}).items()}
    config, model = small(kind, **more)
    (one,) = [one for one in read({**config.to_dict(), "model_type": kind}) if "grid" in one.parameters]
    name = own_name(model, one.parameters["tensor"])
    with torch.no_grad():
        tensor_of(model, name).copy_(torch.randn(tensor_of(model, name).shape))
    weight, module = weight_of(model, name), alone(model, name)
    theirs = module_on_image(kind, module, config, [size * side_of(config) for size in one.parameters["grid"]])
    ours = run(one.call, weight=weight)
    prefix = one.parameters["prefix"]
    extra = len(theirs) - len(ours)  # registers, which have no row
    theirs = np.concatenate([theirs[:prefix], theirs[prefix + extra :]])
    np.testing.assert_array_equal(ours, theirs)
    if one.resize:
        height, width = 5, 9
        size = height * side_of(config), width * side_of(config)
        theirs = module_on_image(kind, module, config, size, resized=True)
        ours = run(one.resize, weight=weight, height=height, width=width)
        theirs = np.concatenate([theirs[:prefix], theirs[prefix + extra :]])
        # float32 coordinates to 32 are off by 2**-19, slopes of weights are below 2, and 4 x 4 values below 8 are added
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=2.0**-19 * 2 * 16 * 8)


def side_of(config):
    return config.patch_size[0] if isinstance(config.patch_size, (list, tuple)) else config.patch_size


def module_on_image(kind, module, config, size, resized=False):
    """What a module of embeddings returns for a black image of some size in pixels."""
    names = inspect.signature(module.forward).parameters
    channels = getattr(config, "num_channels", 3)
    more = {"interpolate_pos_encoding": True} if resized and "interpolate_pos_encoding" in names else {}
    if "patch_attention_mask" in names:
        more["patch_attention_mask"] = torch.ones(1, *(one // side_of(config) for one in size), dtype=torch.bool)
    with torch.no_grad():
        output = module(torch.zeros(1, channels, *size), **more)
    if not isinstance(output, torch.Tensor):
        output = output[0] if isinstance(output, tuple) else output.last_hidden_states
    return output[0].reshape(-1, output.shape[-1]).numpy()


# -- sines ------------------------------------------------------------------------------------------------------------

PAIR = ("encoder.embed_positions", "decoder.embed_positions")
FLAG = {"sinusoidal_embeddings": True}
#: {type: (the modules that add a table, in the order of the parts, or its buffers; keys of the file)}
SINES = {
    "ctrl": (("pos_encoding",), {}),
    "distilbert": (("embeddings.position_embeddings.weight",), {"sinusoidal_pos_embds": True}),
    "flaubert": (("position_embeddings.weight",), FLAG),
    "fsmt": (PAIR, {"max_position_embeddings": 9}),
    "autoformer": (("encoder.embed_positions.weight", "decoder.embed_positions.weight"), {"prediction_length": 24}),
    "informer": (("encoder.embed_positions.weight", "decoder.embed_positions.weight"), {"prediction_length": 24}),
    "kosmos_2_text_model": (("embed_positions",), {}),
    "m2m_100": (PAIR, {}),
    "marian": (PAIR, {}),
    "musicgen_decoder": (("embed_positions.weights",), {}),
    "musicgen_melody_decoder": (("embed_positions.weights",), {}),
    "nllb-moe": (PAIR, {}),
    "pegasus": (PAIR, {}),
    "pegasus_x": (PAIR, {}),
    "seamless_m4t": (("text_encoder.embed_positions.weights", "text_decoder.embed_positions.weights"), {}),
    "speech_to_text": (("encoder.embed_positions.weights", "decoder.embed_positions.weights"), {}),
    "time_series_transformer": (("encoder.embed_positions.weight", "decoder.embed_positions.weight"),
                                {"prediction_length": 24}),
    "timesfm": ((), {"use_positional_embedding": True}),
    "trocr": (("model.decoder.embed_positions",), {"use_learned_position_embeddings": False}),
    "whisper": (("encoder.embed_positions.weight",), {}),
    "xglm": (("embed_positions",), {}),
    "xlm": (("position_embeddings.weight",), FLAG),
}  # fmt: skip


class Recorded:
    """refpos, but for `sinusoidal`, which returns its arguments."""

    positions = refpos.positions

    @staticmethod
    def sinusoidal(positions, dim, **options):
        return positions, {"dim": dim, **options}


def is_sinusoidal(theirs, positions, arguments):
    """Whether a table is float32 sines within what one of the usual pipelines explains."""
    positions = np.broadcast_to(np.arange(positions) if isinstance(positions, int) else positions, theirs.shape[:-1])
    limits = conformance.bounds("sinusoidal", arguments, {"positions": positions}, "float32")
    ours = refpos.sinusoidal(positions, **arguments, dtype="float32")
    report = refpos.compare(theirs, ours, bounds={name: limit["output"] for name, limit in limits.items()})
    return any(report.classes[name].met for name in ("float64-angle", "float32-angle", "float32-exp-angle"))


@pytest.mark.parametrize("kind", [kind for kind in SINES if SINES[kind][0]])
def test_sines_are_those_that_the_model_adds(kind):
    names, more = SINES[kind]
    config, model = small(kind, **more)
    encodings = [one for one in read({**config.to_dict(), "model_type": kind}) if one.name == "sinusoidal"]
    assert len(encodings) == len(names)
    for one, name in zip(encodings, names, strict=True):
        inputs = {"length": LENGTH, "tokens": TOKENS, "mask": MASK}
        positions, arguments = eval(one.call, {"refpos": Recorded}, inputs)
        buffers = dict(itertools.chain(model.named_parameters(), model.named_buffers()))
        if name.rpartition(".")[2] in ("weight", "weights", "pos_encoding"):
            table = next(tensor for full, tensor in buffers.items() if f".{full}".endswith(f".{name}")).detach().numpy()
            assert len(table) == one.parameters.get("rows", len(table))
            assert is_sinusoidal(table, len(table), arguments)
            continue
        name = next(full for full, _ in model.named_modules() if f".{full}".endswith(f".{name}"))
        (theirs,) = outputs_of(model, f"{name}.weight", lambda model: forward_text(kind, model))
        theirs = theirs.numpy().reshape(-1, LENGTH, arguments["dim"])
        assert is_sinusoidal(theirs, positions, arguments)


#: sines of modules of sound, or of the same class as one that is run
LIKE_OTHERS = ("canary_decoder", "fun_asr_nano_encoder", "kosmos_2_5_text_model", "qwen2_5_omni_audio_encoder",
               "qwen3_asr_encoder", "qwen3_omni_moe_audio_encoder", "seamless_m4t_v2", "speecht5",
               "tipsv2_text_model", "videoprism_text_model")  # fmt: skip


def test_every_sinusoidal_row_is_run():
    sinusoidal = {kind for kind in SINGLE for entry in rows()[kind].encodings if entry["kind"] == "sinusoidal"}
    assert sinusoidal == {*SINES, *LIKE_OTHERS} and not {*SINES} & {*LIKE_OTHERS}


@pytest.mark.parametrize("width", [16, 1024])
def test_canary_adds_the_sines_of_the_paper(width):
    """Its max_timescale cancels the endpoint of its steps."""
    values = {"model_type": "canary_decoder", "hidden_size": width, "max_position_embeddings": 300}
    (one,) = read(values)
    place = importlib.import_module("transformers.models.canary.modeling_canary")
    table = place.CanaryPositionalEmbedding(300, width).positional_embedding.numpy()
    positions, arguments = eval(one.call, {"refpos": Recorded}, {"length": 300})
    assert is_sinusoidal(table, positions, arguments) and one.parameters["rows"] == 300
    assert not is_sinusoidal(table, positions, {**arguments, "endpoint": True})


@pytest.mark.parametrize("bins, stacked", [(4, 4), (80, 7)])
def test_fun_asr_nano_counts_from_1(bins, stacked):
    values = {"num_mel_bins": bins, "num_stacked_frames": stacked, "max_position_embeddings": 64}
    (one,) = read({"model_type": "fun_asr_nano_encoder", **values})
    place = importlib.import_module("transformers.models.fun_asr_nano.modeling_fun_asr_nano")
    config = place.FunAsrNanoEncoderConfig(**values, num_hidden_layers=22)
    with torch.device("meta"):
        module = place.FunAsrNanoEncoder(config).position_embeddings
    assert (module.length, module.channels) == (one.parameters["rows"], one.parameters["dim"])
    module = type(module)(module.length, module.channels)
    theirs = module(torch.zeros(1, 40, 1)).numpy()
    positions, arguments = eval(one.call, {"refpos": Recorded}, {"length": 40})
    assert positions.tolist() == list(range(1, 41)) and is_sinusoidal(theirs, positions, arguments)
    assert not is_sinusoidal(theirs, positions - 1, arguments)


@pytest.mark.parametrize("kind, prefix", [("sam2_vision_model", "Sam2"), ("edgetam_vision_model", "EdgeTam")])
def test_necks_add_sines_of_row_and_column(kind, prefix):
    config = config_class(kind)(fpn_hidden_size=64)
    one = read({**config.to_dict(), "model_type": kind})[-1]
    place = importlib.import_module(type(config).__module__.replace("configuration", "modeling"))
    with torch.device("meta"):
        module = getattr(place, f"{prefix}VisionNeck")(config).position_encoding
    theirs = module(torch.Size([1, 64, 5, 7]), "cpu", torch.float32)[0].permute(1, 2, 0).numpy()
    error = np.abs(theirs - run(one.call, mask=np.ones((5, 7), np.int64)))
    assert error.max() <= 16 * 2.0**-22 and theirs.shape == (5, 7, 64)


@pytest.mark.parametrize("ends", [(1, 10000), (2, 30000)])
def test_timesfm_adds_its_table(ends):
    more = {"use_positional_embedding": True, "min_timescale": ends[0], "max_timescale": ends[1]}
    config, model = small("timesfm", **more)
    (one,) = read({**config.to_dict(), "model_type": "timesfm"})
    length, arguments = eval(one.call, {"refpos": Recorded}, {"length": 9})
    assert is_sinusoidal(model.position_emb(length)[0].numpy(), length, arguments)


def test_vit_mae_adds_row_and_column():
    """What both parts copy into their tables, which are zeros in a model that was not read from a checkpoint."""
    config, model = small("vit_mae")
    encodings = read({**config.to_dict(), "model_type": "vit_mae"})
    whole, copied = transformers.ViTMAEForPreTraining(config), []
    place = importlib.import_module(type(model).__module__)
    model.embeddings.patch_embeddings.projection._is_hf_initialized = False  # else it returns at once
    with mock.patch.object(place.init, "copy_", lambda tensor, values: copied.append(values)):
        model.embeddings.initialize_weights()
        whole.decoder.initialize_weights(14 * 14)
    for one, theirs in zip(encodings, copied, strict=True):
        error = np.abs(theirs[0].numpy() - run(one.call))
        assert error.max() <= 14 * 2.0**-22  # an angle of at most 14 in float32


# -- scores -----------------------------------------------------------------------------------------------------------

T5 = ["longt5", "mt5", "pop2piano", "switch_transformers", "t5", "umt5"]


@pytest.mark.parametrize("kind", T5)
def test_t5_biases_are_those_of_the_model(kind):
    more = {"pad_token_id": 0, "vocab_size": 50, "num_heads": 3, "d_kv": 4, "d_model": 12, "d_ff": 8}
    values = {"num_buckets": 14, "max_distance": 21}
    config = configuration(kind, **more, **{f"relative_attention_{key}": value for key, value in values.items()})
    try:
        model = AutoModel.from_config(config)
    except ValueError:
        model = model_class(config)(config)
    encodings = read({**config.to_dict(), "model_type": kind})
    assert len(encodings) == 2
    for one in encodings:
        name = own_name(model, one.parameters["tensor"])
        attention = model.get_submodule(name.removesuffix(".relative_attention_bias.weight"))
        ours = run(one.call, weight=weight_of(model, name), query_len=31, key_len=31)
        if "local" in type(attention).__name__.lower():  # block by block: the middle of three blocks of 31
            theirs = attention.compute_bias(31).detach()[0, 0]
            span = refpos.t5_bias(weight_of(model, name), 31, 93, query_offset=31, bidirectional=True, max_distance=21)
            np.testing.assert_array_equal(span, theirs.numpy())
            theirs = theirs[..., 31:62]
        else:
            theirs = attention.compute_bias(31, 31).detach()[0]
        np.testing.assert_array_equal(ours, theirs.numpy())


def test_mpnet_adds_a_t5_bias():
    config, model = small("mpnet")
    (one,) = [one for one in read({**config.to_dict(), "model_type": "mpnet"}) if one.name == "t5_bias"]
    ours = run(one.call, weight=weight_of(model, one.parameters["tensor"]), query_len=40, key_len=40)
    theirs = model.encoder.compute_position_bias(torch.zeros(1, 40, 1))[0].detach()
    assert ours.shape == (12, 40, 40) and np.array_equal(ours, theirs.numpy())


def alibi_of(kind, heads, length):
    """What the model adds, as its own function makes it."""
    place = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
    if kind == "mpt":
        return place.build_mpt_alibi_tensor(heads, length, 5)
    return place.build_alibi_tensor(torch.ones(1, length, dtype=torch.long), heads, torch.float32)


HEADS = {"bloom": "n_head", "mpt": "n_heads", "falcon": "num_attention_heads"}


@pytest.mark.parametrize("kind, heads", [*itertools.product(HEADS, [1, 8, 12, 71, 112])])
def test_alibi_is_that_of_the_model(kind, heads):
    (one,) = read({"model_type": kind, HEADS[kind]: heads, "alibi": True, "attn_config": {"alibi_bias_max": 5}})
    ours, theirs = run(one.call, key_len=64), alibi_of(kind, heads, 64).numpy()
    assert ours.shape == theirs.shape == (heads, 1, 64)
    # a slope of two powers in float32; Falcon rounds it and the product to 8 bits
    error = 2.0**-8 + 2.0**-8 if kind == "falcon" else 64 * 2.0**-23
    np.testing.assert_allclose(theirs, ours, rtol=error, atol=0)
    assert np.abs(theirs - np.roll(ours, 1, -1)).max() > 1e-3


# -- DETR -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TIMM)
def test_detr_adds_sines_or_learned_vectors(kind):
    folder = kind.replace("-", "_")
    place = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    prefix = "".join(word.capitalize() for word in folder.split("_"))
    (sine,), (learned,) = (read({"model_type": kind, "d_model": 64, "position_embedding_type": name})
                           for name in ("sine", "learned"))  # fmt: skip
    mask = np.ones((2, 5, 7), np.int64)
    mask[1, 3:] = mask[1, :, 6:] = 0
    mask[1, 3:, 0] = mask[1, 0, 6:] = 1
    module = getattr(place, f"{prefix}SinePositionEmbedding")(32, normalize=True)
    if kind == "table-transformer":
        theirs = module(torch.zeros(2, 1, 5, 7), torch.from_numpy(mask))
    else:
        theirs = module(torch.Size([2, 1, 5, 7]), "cpu", torch.float32, torch.from_numpy(mask).bool())
    error = np.abs(theirs.permute(0, 2, 3, 1).numpy() - run(sine.call, mask=mask))
    assert error.max() <= 16 * 2.0**-22  # a few roundings in float32 of angles to 2 pi
    module = getattr(place, f"{prefix}LearnedPositionEmbedding")(32)
    if kind == "table-transformer":
        theirs = module(torch.zeros(1, 1, 5, 7))[0]
    else:
        theirs = module(torch.Size([1, 1, 5, 7]), "cpu", torch.float32)[0]
    weights = {"row_weight": module.row_embeddings.weight.detach().numpy(),
               "column_weight": module.column_embeddings.weight.detach().numpy()}  # fmt: skip
    assert list(weights["row_weight"].shape) == learned.parameters["shape"]
    ours = run(learned.call, **weights, height=5, width=7)
    assert np.array_equal(ours, theirs.permute(1, 2, 0).detach().numpy())
