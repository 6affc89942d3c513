"""What a configuration says of encodings that are no rotation: tables, sines and biases, and what is refused."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import InputError, catalogue, from_config
from refpos.configs.encodings import call_text, encoding_calls, image_calls
from refpos.configs.encodings.encoding_rows import DATA, rows
from refpos.configs.model_types import types_of_parts

KINDS = [kind for kind, row in rows().items() if row.encodings]
DISTANCES = {"tensor", "sign", "low", "high", "outside"}
BUCKETS = {"tensor", "heads", "buckets", "distance", "bidirectional"}
FIELDS = {
    "learned": {"tensor", "rows", "more_rows", "dim", "rule", "padding", "offset", "index", "inputs",
                "resize"},
    "image_table": {"tensor", "image", "patch", "side", "squared", "sides", "axes", "tubelet", "frames", "dim",
                    "prefix", "suffix", "resize", "stages", "dims", "stacked"},
    "sinusoidal": {"dim", "arguments", "zero_row", "numbers", "ratio", "rule", "padding", "offset", "rows",
                   "more_rows", "times"},
    "sincos_2d": {"image", "patch", "dim", "arguments", "base"},
    "video_sinusoidal": {"image", "patch", "frames", "step", "dim", "arguments"},
    "masked_sine_2d": {"dim", "arguments", "bases"},
    "fourier_projection": {"tensor", "features"},
    "tile_table": {"tensor", "image", "patch", "windows", "resized", "resized_sides", "resize", "dim"},
    "axial_sequence": {"shape", "dims", "tensors"},
    "patches_of_series": {"length", "patch", "stride", "dim", "class_token", "fixed", "tensor"},
    "learned_axes": {"dim", "count", "row", "column"},
    "conv_positions": {"dim", "kernel_size", "groups", "activation", "weight_norm", "tensor", "norm_eps", "step"},
    "t5_bias": BUCKETS | {"max_distance", "name"},
    "bucket_bias": BUCKETS | {"max_distance", "inputs"},
    "bucket_scores": BUCKETS | {"dim"},
    "cpm_ant_bias": BUCKETS - {"bidirectional"} | {"segments", "inputs"},
    "alibi": {"heads", "max_bias", "arguments", "beside"},
    "window_bias": {"tensor", "heads", "stages", "window", "image", "patch", "halvings"},
    "log_coordinates": {"window", "stages", "pretrained", "tensors"},
    "relative_rows": DISTANCES | {"name", "dim", "layer_type", "listed", "listed_in", "others", "every"},
    "relative_bias": DISTANCES | {"heads"},
    "xl_scores": DISTANCES - {"tensor"} | {"query_offset", "range", "clamp", "dim", "arguments", "tensors"},
    "deberta_scores": {"tensor", "dim", "distance", "length", "buckets", "terms", "more"},
    "decomposed_scores": {"of", "image", "patch", "window", "layers", "lists_windows", "dim", "tensors"},
    "without_function": {"name", "keys"},
}  # fmt: skip
#: functions that take queries: the call of such an encoding gives the rows it reads, or the bias before a gate
OF_QUERIES = {"relative_scores", "relative_values", "xl_scores", "deberta_scores", "decomposed_scores", "gated_bias"}
#: what a minimal file of a type needs beside its type
NEEDED = {"baichuan": {"hidden_size": 5120}, "esm": {"pad_token_id": 1}}


def chosen(kind):
    """Files of a type that together choose each of its entries."""
    for entry in rows()[kind].encodings:
        when = {key: values[0] for key, values in entry.get("when", {}).items()}
        yield {"model_type": kind, **small(kind), **NEEDED.get(kind, {}), **when}


def everything():
    return [one for kind in KINDS for values in chosen(kind) for one in from_config(values).encodings]


# -- rows -------------------------------------------------------------------------------------------------------------


#: what any entry with a tensor may say of it
OF_TENSORS = {"held_by", "stored_as", "transposed"}


def test_rows_are_sorted_and_have_no_other_fields():
    data = json.loads(DATA.read_text("utf-8"))
    assert list(data["types"]) == sorted(data["types"]) and len(data["types"]) > 230 and len(KINDS) > 160
    assert {*FIELDS} == {*encoding_calls.KINDS}
    seen, of_tensors = {kind: set() for kind in FIELDS}, set()
    for kind in KINDS:
        for entry in rows()[kind].encodings:
            own = {*entry} - {"kind", "part", "place", "when", "note"} - OF_TENSORS
            assert "tensor" in entry or not OF_TENSORS & {*entry}, (kind, entry)
            of_tensors |= OF_TENSORS & {*entry}
            assert own <= FIELDS[entry["kind"]], (kind, own)
            seen[entry["kind"]] |= own
            assert entry.get("resize", "cubic") in image_calls.RESIZES
    assert seen == FIELDS and of_tensors == OF_TENSORS, "fields that no row has"
    assert all(part in rows() for row in rows().values() for part in row.parts.values())


# -- calls ------------------------------------------------------------------------------------------------------------


def inputs_of(one):
    """An input of each kind that a call names: weights are integers, each row another."""
    mask = np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
    values = {"length": 4, "tokens": np.where(mask, 7, one.parameters.get("padding_idx", 0)), "mask": mask,
              "query_len": 3, "key_len": 5, "height": 3, "width": 4, "timesteps": [4, 0], "rows": [[0, 1, 1]],
              "columns": [2, 0, 1], "frames": 2, "cells": np.array([[[0, 3, 1, 5]]]),
              "points": [[0.5, -0.25], [0.0, 1.0]], "query_segments": [0, 0, 1], "key_segments": [0, 0, 1, 1, 1],
              "relative_positions": np.arange(5) - np.arange(3)[:, None],
              "entity_position_ids": [[[3, 4, 4]]], "bbox": np.array([[[1, 2, 30, 50]]])}  # fmt: skip
    for name, what in one.inputs.items():
        size = re.match(r"\((\d+(?:, \d+)*),?\), the tensor ", what)
        if size:
            shape = tuple(map(int, size[1].split(", ")))
            rows = np.arange(shape[0], dtype=np.float32) % 97
            values[name] = np.broadcast_to(rows.reshape(-1, *[1] * (len(shape) - 1)), shape)
        width = re.match(r"the tokens \(\.\.\., length, (\d+)\)$", what)
        if width:
            values[name] = np.ones((2, int(width[1])), np.float32)
    assert {*one.inputs} <= {*values}, one
    return {name: values[name] for name in one.inputs}


def small(kind):
    """Sizes that make the result of a call small, where a file may give them."""
    return {"hidden_size": 48} if "num_conv_pos_embedding_groups" in rows()[kind].defaults else {}


@pytest.mark.exhaustive
def test_every_call_runs_on_the_inputs_it_names():
    ran, done = set(), set()
    for one in everything():
        assert (one.call is None) == (call_text.NO_FUNCTION in one.notes), one
        for call in filter(None, (one.call, one.table, one.resize)):
            if call not in done:
                result = eval(call, {"refpos": refpos}, inputs_of(one))  # as a user would type it
                for array in result if isinstance(result, list) else [result]:
                    assert array.size and np.isfinite(array).all()
            done.add(call)
            ran |= {*re.findall(r"refpos\.(?:\w+\.)?(\w+)\(", call)}
        if one.name in OF_QUERIES:
            assert one.place == "scores" and re.match(r"\W?refpos\.[\w.]+(rows|buckets|_bias)\(", one.call)
        else:
            assert one.table is None and (one.call is None or re.match(rf"refpos\.(\w+\.)?{one.name}\(", one.call))
        assert one.place in ("embeddings", "scores", "queries and keys") and one.source["file"].endswith(".py")
        assert all(isinstance(note, str) and len(note) < 160 for note in one.notes)
    names = {one.name for one in everything() if one.call} - OF_QUERIES
    assert names <= ran and len(ran) >= 20
    assert {"relative_rows", "log_buckets", "t5_buckets", "decomposed_rows", "resize_table", "table_rows"} <= ran


def test_functions_of_queries_are_there():
    assert {one.name for one in everything() if one.name in OF_QUERIES} == OF_QUERIES <= {*catalogue.ENTRIES}


def test_a_rectangle_of_beit_has_no_call():
    """Its code reads the bias of a rectangle as that of (width, height)."""
    values = {"model_type": "beit", "use_relative_position_bias": True}
    (square,), (rectangle,) = (from_config({**values, "image_size": size}).encodings for size in (64, [64, 32]))
    assert square.call == 'refpos.window_bias(weight, 4, 4, sign="query-key", class_token=True)'
    assert rectangle.call is None and "rectangle" in rectangle.name


def test_a_name_without_a_function_is_no_function():
    names = {one.name for one in everything() if one.call is None}
    assert len(names) >= 4 and not any(hasattr(refpos, name) for name in names)
    for word in ("convolution", "Funnel", "XLNet", "LightGlue"):
        assert any(word in name for name in names), word


MASKED = (
    'refpos.absolute.masked_sine_2d(mask, 256, normalize=True, half_pixel=False, axis_order="hw", scale="2pi", '
    "eps=1e-06)"
)
M2M_100 = (
    'refpos.sinusoidal(refpos.positions.table_rows(tokens, rule="tokens", padding_idx=1), 1024, layout="sin-cos",'
    ' endpoint=True, odd="pad", zero_row=1)'
)


@pytest.mark.parametrize(
    "values, part, name, call",
    [
        ({"model_type": "bert"}, "text", "learned",
         'refpos.learned(weight, refpos.positions.table_rows(length, rule="count", num_rows=512))'),
        ({"model_type": "gpt2", "n_positions": 2048}, "text", "learned",
         'refpos.learned(weight, refpos.positions.table_rows(length, rule="count", num_rows=2048))'),
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, "text", "learned",
         'refpos.learned(weight, refpos.positions.table_rows(tokens, rule="tokens", padding_idx=1, num_rows=514))'),
        ({"model_type": "opt"}, "text", "learned",
         'refpos.learned(weight, refpos.positions.table_rows(mask, rule="mask", offset=2, num_rows=2050))'),
        ({"model_type": "bart"}, "decoder", "learned",
         'refpos.learned(weight, refpos.positions.table_rows(length, rule="count", offset=2, num_rows=1026))'),
        ({"model_type": "vit", "image_size": [224, 384]}, "vision", "learned", "refpos.learned(weight, 337)"),
        ({"model_type": "deit"}, "vision", "learned", "refpos.learned(weight, 198)"),
        ({"model_type": "whisper", "d_model": 512}, "encoder", "sinusoidal",
         'refpos.sinusoidal(length, 512, layout="sin-cos", endpoint=True)'),
        ({"model_type": "marian", "d_model": 512}, "decoder", "sinusoidal",
         'refpos.sinusoidal(length, 512, layout="sin-cos")'),
        ({"model_type": "m2m_100"}, "encoder", "sinusoidal",
         M2M_100),
        ({"model_type": "vit_mae"}, "decoder", "sincos_2d",
         'refpos.sincos_2d(14, 14, 512, axis_order="wh", extra_tokens=1)'),
        ({"model_type": "detr"}, "vision", "masked_sine_2d",
         MASKED),
        ({"model_type": "t5"}, "decoder", "t5_bias",
         "refpos.t5_bias(weight, query_len, key_len, bidirectional=False, max_distance=128)"),
        ({"model_type": "bloom", "n_head": 112}, "text", "alibi",
         'refpos.alibi(112, 1, key_len, mode="linear", query_offset=0)'),
        ({"model_type": "mpt", "n_heads": 32, "attn_config": {"alibi_bias_max": 16}}, "text", "alibi",
         'refpos.alibi(32, 1, key_len, mode="linear", max_bias=16)'),
        ({"model_type": "baichuan", "hidden_size": 5120}, "text", "alibi",
         'refpos.alibi(40, 1, key_len, mode="linear")'),
    ],
)  # fmt: skip
def test_calls_of_well_known_models(values, part, name, call):
    model = from_config(values)
    one = model.encoding(part, name)
    assert one.call == call and (one.part, one.name) == (part, name) and not model.parts
    assert {*values} <= {key.partition(".")[0] for key in (*model.used, *model.ignored)}


def test_alibi_of_one_row_is_that_of_all_queries_but_for_a_constant():
    """So the softmax of a causal model does not see the difference; exactly, in whole multiples of the slope."""
    for values in ({"model_type": "bloom", "n_head": 8}, {"model_type": "mpt", "n_heads": 8}):
        one = from_config(values).encoding()
        row = eval(one.call, {"refpos": refpos}, {"key_len": 6})
        note = next(note for note in one.notes if "refpos.alibi" in note)
        causal = eval(note[note.index("refpos.alibi") :], {"refpos": refpos}, {"query_len": 6, "key_len": 6})
        for query in range(6):
            assert len({*np.ptp(row[:, 0, : query + 1] - causal[:, query, : query + 1], axis=-1)}) == 1


def test_keys_that_decide_are_told():
    model = from_config({"model_type": "bert", "n_embd": 3, "max_position_embeddings": 77, "type_vocab_size": 2})
    assert model.used == {"model_type": "read as bert, a class of transformers 5.23.0",
                          "max_position_embeddings": "the rows of the table"}  # fmt: skip
    assert model.assumed == {"hidden_size": 768} and not model.ignored
    assert model.encoding().parameters["shape"] == [77, 768]
    mpt = from_config({"model_type": "mpt", "attn_config": {"alibi": False}})
    assert "whatever" in mpt.ignored["attn_config.alibi"] and mpt.assumed == {
        "n_heads": 16, "attn_config.alibi_bias_max": 8}  # fmt: skip


def test_another_name_of_a_key():
    one = from_config({"model_type": "gpt2", "hidden_size": 64, "max_position_embeddings": 32}).encoding()
    assert one.parameters["shape"] == [32, 64]
    with pytest.raises(InputError, match="must agree with"):
        from_config({"model_type": "gpt2", "hidden_size": 64, "n_embd": 32})


# -- parts ------------------------------------------------------------------------------------------------------------

LLAVA = {"model_type": "llava", "text_config": {"model_type": "llama"},
         "vision_config": {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}}  # fmt: skip
CLIP = {"model_type": "clip", "text_config": {"hidden_size": 640}, "vision_config": {"image_size": 336}}


def test_each_part_is_told():
    model = from_config(LLAVA)
    assert list(model.parts) == ["text"] and model.rotary().rotary_dim == 128
    assert model.encoding().part == "vision" and model.encoding().parameters["grid"] == [24, 24]
    model = from_config(CLIP)
    assert [(one.part, one.parameters["shape"]) for one in model.encodings] == [("text", [77, 640]),
                                                                              ("vision", [101, 768])]  # fmt: skip
    donut = {"model_type": "vision-encoder-decoder", "encoder": {"model_type": "donut-swin"},
             "decoder": {"model_type": "mbart"}}  # fmt: skip
    assert [one.part for one in from_config(donut).encodings] == ["encoder", "decoder.encoder", "decoder.decoder"]
    sam = from_config({"model_type": "sam", "vision_config": {"model_type": "sam_vision_model"}})
    assert [one.part for one in sam.encodings if one.place == "scores"] == ["vision.windows", "vision.global"]


def test_the_rotation_of_a_model_is_the_same_beside_other_parts():
    alone, beside = from_config(LLAVA["text_config"]), from_config(LLAVA)
    assert np.array_equal(alone.rotary().inv_freq, beside.rotary().inv_freq) and not alone.encodings
    assert {f"text_config.{key}": what for key, what in alone.used.items()}.items() <= beside.used.items()


def test_one_encoding_of_several_is_asked_for():
    model = from_config({"model_type": "mpnet"})
    assert model.encoding(name="t5_bias").place == "scores" and model.encoding("text", "learned").place == "embeddings"
    layoutlm = from_config({"model_type": "layoutlm"})
    for ask, words in [
        (lambda: model.encoding(), "name must be one of learned, t5_bias, got None"),
        (lambda: model.encoding("vision"), "part must be one of 'text', got 'vision'"),
        (lambda: layoutlm.encoding(), "part must be one of text, text.x"),
        (lambda: from_config({"model_type": "llama"}).encoding(), "no rotation, got llama"),
        (lambda: model.rotary(), "must be one with a rotary encoding, got mpnet, which has learned"),
        (lambda: from_config({"model_type": "visual_bert"}).encoding(), "must choose one encoding, got 2"),
    ]:
        with pytest.raises(InputError, match=re.escape(words)):
            ask()


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, code, argument, words",
    [
        ({"model_type": "bert", "max_position_embeddings": None}, "E_NUMBER", "max_position_embeddings", "got null"),
        ({"model_type": "bert", "max_position_embeddings": 0}, "E_SIZE", "max_position_embeddings", "least 1, got 0"),
        ({"model_type": "bert", "max_position_embeddings": "512"}, "E_NUMBER", "max_position_embeddings", "'512'"),
        ({"model_type": "bert", "max_position_embeddings": 512.5}, "E_SIZE", "max_position_embeddings", "512.5"),
        ({"model_type": "bert", "hidden_size": -768}, "E_SIZE", "hidden_size", "-768"),
        ({"model_type": "esm"}, "E_NUMBER", "pad_token_id", "pad_token_id must be given, got only model_type"),
        ({"model_type": "esm", "position_embedding_type": "relative_key"}, "E_CHOICE", "position_embedding_type",
         "'absolute', 'rotary', got 'relative_key'"),
        ({"model_type": "detr", "position_embedding_type": "sin"}, "E_CHOICE", "position_embedding_type",
         "must be one of 'sine', 'learned', got 'sin'"),
        ({"model_type": "xlm", "sinusoidal_embeddings": "yes"}, "E_CHOICE", "sinusoidal_embeddings", "got 'yes'"),
        ({"model_type": "longt5", "encoder_attention_type": "x"}, "E_CHOICE", "encoder_attention_type", "got 'x'"),
        ({"model_type": "bloom", "n_head": 0}, "E_SIZE", "n_head", "at least 1, got 0"),
        ({"model_type": "mpt", "attn_config": {"alibi_bias_max": 0}}, "E_NUMBER", "alibi_bias_max", "got 0"),
        ({"model_type": "mpt", "attn_config": 3}, "E_NUMBER", "attn_config", "must be an object, got 3"),
        ({"model_type": "t5", "num_heads": 0}, "E_SIZE", "num_heads", "got 0"),
        ({"model_type": "t5", "relative_attention_num_buckets": 31}, "E_SIZE", "relative_attention_num_buckets",
         "even and at least 4, got 31"),
        ({"model_type": "t5", "relative_attention_max_distance": 8}, "E_SIZE", "relative_attention_max_distance",
         "must be greater than 8 of 32 buckets, got 8"),
        ({"model_type": "vit", "patch_size": 0}, "E_SIZE", "patch_size", "got 0"),
        ({"model_type": "vit", "image_size": [224, 224, 3]}, "E_SHAPE", "image_size", "one number or two"),
        ({"model_type": "vit", "image_size": [224, "a"]}, "E_SIZE", "image_size", "got [224, 'a']"),
        ({"model_type": "vit", "image_size": 8}, "E_SIZE", "image_size", "at least a patch"),
        ({"model_type": "siglip2_vision_model", "num_patches": 250}, "E_SHAPE", "num_patches", "square number"),
        ({"model_type": "timesfm", "use_positional_embedding": True, "min_timescale": 3}, "E_BASE", "max_timescale",
         "10000 / 3"),
        ({"model_type": "clip"}, "E_MISSING", "model_type", "got clip without its parts"),
        ({"model_type": "swin", "num_heads": []}, "E_SIZE", "num_heads", "a list of integers from 1, got []"),
        ({"model_type": "swin", "num_heads": [3, 0]}, "E_SIZE", "num_heads", "integers from 1, got [3, 0]"),
        ({"model_type": "swin", "window_size": 0}, "E_SIZE", "window_size", "got 0"),
        ({"model_type": "timesfm"}, "E_MISSING", "model_type", "got timesfm without one"),
        ({**CLIP, "vision_config": {"hidden_size": 0}}, "E_SIZE", "hidden_size", "vision_config.hidden_size must be"),
        ({"model_type": "mamba"}, "E_CHOICE", "model_type", "the order of its recurrence"),
    ],
)  # fmt: skip
def test_configurations_that_mean_nothing_are_refused(values, code, argument, words):
    with pytest.raises(InputError) as error:
        from_config(values)
    assert (error.value.code, error.value.argument) == (code, argument), error.value
    assert words in str(error.value) and len(str(error.value)) < 320


HOSTILE = (None, True, 0, -1, 3, 10**9, 10**400, 0.5, float("nan"), float("inf"), "", "x" * 5000, [], [[]], [None],
           [1, 2], {}, {"a": []}, b"x")  # fmt: skip


def read_alike():
    """One type of those whose rows say the same but for the names of tensors."""
    unread = ("tensor", "tensors", "note", "part")
    rules = {
        kind: [{name: one for name, one in entry.items() if name not in unread} for entry in rows()[kind].encodings]
        for kind in KINDS
    }
    return {json.dumps([rules[kind], sorted(rows()[kind].defaults)]): kind for kind in KINDS}.values()


@pytest.mark.exhaustive
def test_hostile_values_are_read_or_refused_in_a_sentence():
    seen = {"read": 0}
    for kind in read_alike():
        for values in chosen(kind):
            keys = {*rows()[kind].defaults, *values, *(key.partition(".")[0] for key in rows()[kind].defaults)}
            for key in keys:
                for hostile in HOSTILE:
                    try:
                        from_config({**values, key: hostile})
                        seen["read"] += 1
                    except InputError as error:
                        assert error.code in refpos.errors.CODES and error.argument and "\n" not in str(error)
                        assert 10 < len(str(error)) <= 320
                        seen[error.code] = seen.get(error.code, 0) + 1
    assert seen["read"] > 500 and {"E_SIZE", "E_NUMBER", "E_CHOICE"} <= {*seen}


@pytest.mark.parametrize("kind", "qwen3_vl qwen3_vl_moe qwen3_5 glm4v step3p7 kimi_k25 cosmos3_omni llama4".split())
def test_a_part_that_names_the_outer_type_or_none_has_its_table(kind):
    own = types_of_parts(kind)["vision_config"]
    said = [from_config({"model_type": kind, "vision_config": {"model_type": name}}) for name in (own, kind, None)]
    for model in said:
        assert model.parts["vision"].model_type == own
        assert all(why.startswith("missing: ") and key != "vision_config" for key, why in model.unread.items())
        assert [(one.part, one.call) for one in model.encodings] == [(one.part, one.call) for one in said[0].encodings]
        assert model.encodings[0].part == "vision"


# -- the command ------------------------------------------------------------------------------------------------------


def command(folder, values, *options):
    (folder / "config.json").write_text(json.dumps(values))
    words = [sys.executable, "-m", "refpos", "config", "config.json", *options]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


def joined(text):
    return " ".join(text.split())


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "values",
    sampled([{"model_type": "bloom", "n_head": 12}, {"model_type": "t5"},
             {"model_type": "deberta-v2", "relative_attention": True}, {"model_type": "swin"},
             {"model_type": "bert"}, {"model_type": "whisper"}, LLAVA, CLIP], 4),
    ids=lambda values: values["model_type"],
)  # fmt: skip
def test_the_command_says_the_same_as_text_and_as_json(values, tmp_path):
    model = from_config(values)
    done = command(tmp_path, values)
    assert done.returncode == 0 and not done.stderr
    said = json.loads(command(tmp_path, values, "--json").stdout)
    assert len(said["encodings"]) == len(model.encodings) > 0 and said["parts"].keys() == model.parts.keys()
    for one, plain in zip(model.encodings, said["encodings"], strict=True):
        assert plain == json.loads(json.dumps(vars(one)))
        assert joined(f"{one.part}, {one.place}: {one.name}") in joined(done.stdout)
        for text in (*filter(None, (one.call, one.resize)), *one.notes, *one.inputs.values()):
            assert joined(text) in joined(done.stdout)
    assert (said["used"], said["assumed"]) == (model.used, model.assumed)


@pytest.mark.exhaustive
def test_the_command_for_one_part(tmp_path):
    said = json.loads(command(tmp_path, LLAVA, "--json", "--part", "vision").stdout)
    assert not said["parts"] and [one["part"] for one in said["encodings"]] == ["vision"]
    said = json.loads(command(tmp_path, LLAVA, "--json", "--part", "text").stdout)
    assert list(said["parts"]) == ["text"] and not said["encodings"]
    said = json.loads(command(tmp_path, LLAVA, "--json", "--layer-type", "all").stdout)
    assert list(said["parts"]) == ["text"] and not said["encodings"]
    without = ("--part", "vision", "--layer-type", "all")
    for options, words in [(("--part", "audio"), "part must be one of 'text', 'vision', got 'audio'"),
                           (without, "part must be one of 'text', got 'vision'")]:  # fmt: skip
        done = command(tmp_path, LLAVA, *options)
        assert done.returncode == 2 and words in done.stderr and not done.stdout


def test_the_command_refuses_in_a_sentence(tmp_path):
    for values, words in [({"model_type": "bert", "max_position_embeddings": None}, "got null"),
                          ({"model_type": "bloom", "n_head": 0}, "n_head must be at least 1, got 0"),
                          ({"model_type": "clip"}, "without its parts")]:  # fmt: skip
        done = command(tmp_path, values)
        (line,) = [line for line in done.stderr.splitlines() if " kernels, " not in line]
        assert done.returncode == 2 and not done.stdout and words in line and "--model-type" not in line
