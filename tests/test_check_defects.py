"""Checkpoints with defects that look right at a glance: siblings, axes, rows, layers, stages, names, shards."""

import json
import zipfile

import numpy as np
import pytest
from test_check import GEMMA, LLAMA, NAME, check, folder, safetensors, states, thetas

import refpos
from refpos.checking import rotations, stored
from refpos.errors import InputError
from refpos.tensor_files import write_safetensors


def zeros(*shape):
    return np.zeros(shape, np.float32)


def table_states(path, config, tensors):
    return [one.state for one in check(path, config, tensors).findings]


# -- frequencies ------------------------------------------------------------------------------------------------------


def test_the_frequencies_of_all_layers_are_read_with_one_header(tmp_path, monkeypatch):
    """One read lists the tensors and one reads them, in however many layers; each is compared."""
    calls, read = [], stored.read_tensors
    monkeypatch.setattr(stored, "read_tensors", lambda *args, **named: calls.append(args) or read(*args, **named))
    wrong = thetas(base=10000.0)
    for count in (4, 40):
        calls.clear()
        tensors = {NAME.format(k): thetas() for k in range(count)} | {
            NAME.format(3): wrong,
            "other.weight": zeros(8, 8),
        }
        found = check(tmp_path, LLAMA, tensors)
        assert len(found.of("right")) == count - 1 and len(calls) == 2
        assert [one.tensor for one in found.of("differs")] == [NAME.format(3)]


def test_frequencies_beside_marked_ones_are_those_of_the_other_layers(tmp_path):
    full, sliding = thetas(1e6), thetas(1e4)
    plain = {f"rotary_emb.{name}": full for name in ("inv_freq", "original_inv_freq")}
    for marked in ("rotary_emb_local.inv_freq", "rotary_emb.sliding_attention_inv_freq"):
        assert [*states(check(tmp_path, GEMMA, {**plain, marked: sliding})).values()] == ["right"] * 3
        found = check(tmp_path, GEMMA, {**dict.fromkeys(plain, sliding), marked: sliding})
        assert [*states(found).values()] == ["differs", "differs", "right"]
    found = check(tmp_path, GEMMA, {"rotary_emb.inv_freq": full, "rotary_emb_global.inv_freq": full})
    assert [*states(found).values()] == ["differs", "right"]


@pytest.mark.exhaustive
def test_each_name_is_split_as_often_however_many_there_are(tmp_path, monkeypatch):
    """Looking at all names beside each took 11 s for 800 tensors."""
    splits = []
    right = rotations._without_types
    monkeypatch.setattr(rotations, "_without_types", lambda *given: splits.append(1) or right(*given))
    counts = []
    for count in (10, 20, 40):
        splits.clear()
        held = {f"part{k}.rotary_emb.inv_freq": thetas(1e6) for k in range(count)}
        assert check(tmp_path, GEMMA, held).passed
        counts.append(len(splits))
    assert 10 <= counts[0] and counts == [counts[0], 2 * counts[0], 4 * counts[0]]


def test_frequencies_without_a_word_of_vision_are_those_of_the_text(tmp_path):
    rope = {"type": "mrope", "mrope_section": [16, 24, 24]}
    config = {"model_type": "qwen2_vl", "hidden_size": 1536, "num_attention_heads": 12, "num_hidden_layers": 28,
              "rope_theta": 1e6, "rope_scaling": rope,
              "vision_config": {"depth": 32, "embed_dim": 1280, "num_heads": 16, "patch_size": 14}}  # fmt: skip
    images, text = thetas(1e4, 40), thetas(1e6, 128)
    found = check(tmp_path, config, {"model.rotary_emb.inv_freq": images, "visual.rotary_emb.inv_freq": images})
    assert [*states(found).values()] == ["differs", "right"] and "shape (20) for (64)" in found.findings[0].sentence
    assert check(tmp_path, config, {"model.rotary_emb.inv_freq": text}).passed


def test_frequencies_have_one_axis(tmp_path):
    name = NAME.format(0)
    assert check(tmp_path, LLAMA, {name: thetas()[None]}).passed
    found = check(tmp_path, LLAMA, {name: thetas().reshape(4, 8)})
    assert states(found) == {name: "differs"} and "shape (4, 8) for (32)" in found.findings[0].sentence


def test_frequencies_of_conformers_with_another_length(tmp_path):
    config = {"model_type": "wav2vec2-conformer", "position_embeddings_type": "rotary", "hidden_size": 64,
              "num_attention_heads": 4}  # fmt: skip
    name = "encoder.embed_positions.inv_freq"
    assert check(tmp_path, config, {name: thetas(10000.0, 16)}).passed
    found = check(tmp_path, config, {name: thetas(10000.0, 12)})
    assert states(found) == {name: "differs"} and "shape (6) for (8)" in found.findings[0].sentence


# -- rows -------------------------------------------------------------------------------------------------------------


def waves(count, width, base=10000.0):
    angles = np.arange(count)[:, None] * base ** -(np.arange(0, width, 2) / width)
    return np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32)


def test_rows_of_the_table_of_a_rotation(tmp_path):
    config = {"model_type": "roformer", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 64}
    name = "encoder.embed_positions.weight"
    assert states(check(tmp_path, config, {name: waves(64, 16)})) == {name: "right"}
    found = check(tmp_path, config, {name: waves(40, 16)})
    assert states(found) == {name: "differs"} and "shape (40, 16) for (64, 16)" in found.findings[0].sentence


def test_the_table_of_a_rotation_with_another_shape_beside_a_right_one(tmp_path):
    config = {"model_type": "gptj", "rotary_dim": 8, "n_embd": 64, "n_head": 4, "n_positions": 32}
    angles = np.arange(32)[:, None] * thetas(1e4, 8, "float64")
    table = np.concatenate([np.sin(angles), np.cos(angles)], 1).astype(np.float32)
    name = "transformer.h.{}.attn.embed_positions".format
    for wrong in (np.tile(table, 2), np.ascontiguousarray(table.T)):
        found = check(tmp_path, config, {name(0): table, name(1): wrong, name(2): table})
        assert [*states(found).values()] == ["right", "differs", "right"]
        assert f"shape {wrong.shape!s} for (32, 8)" in found.findings[1].sentence


def test_rows_of_a_table_that_grows(tmp_path):
    """FSMT: log(10000) / (half - 1) from one frequency to the next, the row of padding is zeros."""
    config = {"model_type": "fsmt", "d_model": 16, "max_position_embeddings": 64, "pad_token_id": 1}
    angles = np.arange(80)[:, None] * 10000.0 ** -(np.arange(8) / 7)
    table = np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32)
    table[1] = 0
    for rows, state in ((66, "right"), (80, "right"), (65, "differs"), (40, "differs")):
        assert table_states(tmp_path, config, {"model.encoder.embed_positions.weight": table[:rows]}) == [state], rows


BERT = {"model_type": "bert", "hidden_size": 32, "max_position_embeddings": 64, "num_attention_heads": 4}


def test_position_ids_beyond_the_table(tmp_path):
    name = "embeddings.position_ids"
    for ids, state in ((np.arange(64), "right"), (np.arange(64.0), "right"), (np.arange(65), "differs"),
                       (np.arange(64) * 1.5, "differs"), (np.arange(64) + 0.25, "differs")):  # fmt: skip
        assert table_states(tmp_path, BERT, {name: ids[None]}) == [state]
    assert "beyond the 64 rows" in check(tmp_path, BERT, {name: np.arange(128)}).findings[0].sentence


def test_position_ids_from_the_first_row_of_tokens(tmp_path):
    name, roberta = "embeddings.position_ids", {**BERT, "model_type": "roberta", "max_position_embeddings": 128}
    for ids, state in ((np.arange(2, 128), "right"), (np.arange(126), "right"), (np.arange(2, 129), "differs"),
                       (np.arange(1, 127), "differs"), (np.arange(3, 128), "differs")):  # fmt: skip
        assert table_states(tmp_path, roberta, {name: ids[None]}) == [state], ids
    assert table_states(tmp_path, {**roberta, "pad_token_id": 3}, {name: np.arange(4, 128)}) == ["right"]


def test_rows_of_position_ids_are_alike(tmp_path):
    name, ids = "embeddings.position_ids", np.arange(64)
    unlike = np.stack([ids, ids[::-1]])
    for rows, state in ((np.stack([ids, ids]), "right"), (unlike, "differs"), (unlike[::-1], "differs"),
                        (unlike[:, None], "differs"), (np.stack([ids, ids]) + 1, "differs"),
                        (ids[:, None], "right")):  # fmt: skip
        assert table_states(tmp_path, BERT, {name: rows}) == [state]
    assert "row 1 of 2 is not as row 0" in check(tmp_path, BERT, {name: unlike}).findings[0].sentence


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_position_ids_of_text_and_of_images(tmp_path, kind):
    shared = {"hidden_size": 32, "num_attention_heads": 4}
    config = {"model_type": kind,
              "text_config": {"model_type": f"{kind}_text_model", "max_position_embeddings": 64, **shared},
              "vision_config": {"model_type": f"{kind}_vision_model", "image_size": 32, "patch_size": 8,
                                **shared}}  # fmt: skip
    patches = 16 + (kind == "clip")
    names = "text_model.embeddings.position_ids", "vision_model.embeddings.position_ids"
    for counts, expected in (((64, patches), ["right"] * 2), ((65, patches + 1), ["differs"] * 2)):
        held = {name: np.arange(count)[None] for name, count in zip(names, counts, strict=True)}
        assert table_states(tmp_path, config, held) == expected


# -- learned tensors --------------------------------------------------------------------------------------------------


def test_transposed_tables_differ(tmp_path):
    name = "embeddings.position_embeddings.weight"
    assert table_states(tmp_path, BERT, {name: zeros(64, 32)}) == ["fits"]
    assert table_states(tmp_path, BERT, {name: zeros(32, 64)}) == ["differs"]
    vit = {"model_type": "vit", "hidden_size": 32, "image_size": 32, "patch_size": 8}
    assert table_states(tmp_path, vit, {"embeddings.position_embeddings": zeros(1, 17, 32)}) == ["fits"]
    assert table_states(tmp_path, vit, {"embeddings.position_embeddings": zeros(1, 32, 17)}) == ["differs"]
    # LeViT holds the transpose of the weight
    levit = {"model_type": "levit"}
    name = refpos.from_config(levit).encoding().parameters["tensor"]
    assert table_states(tmp_path, levit, {name: zeros(4, 196)}) == ["fits"]
    assert table_states(tmp_path, levit, {name: zeros(196, 4)}) == ["differs"]


BLOCK = "encoder.block.{}.layer.0.SelfAttention.relative_attention_bias.weight"


def test_biases_of_other_layers(tmp_path):
    t5 = {"model_type": "t5", "num_heads": 4, "relative_attention_num_buckets": 12}
    umt5 = {**t5, "model_type": "umt5"}
    right, wrongs = zeros(12, 4), (zeros(4, 12), zeros(12, 5), zeros(32, 4))
    assert table_states(tmp_path, umt5, {BLOCK.format(0): right, BLOCK.format(1): right}) == ["fits", "fits"]
    assert table_states(tmp_path, t5, {BLOCK.format(0): right}) == ["fits"]
    for wrong in wrongs:
        for config in (t5, umt5):
            held = {BLOCK.format(0): right, BLOCK.format(1): wrong}
            assert table_states(tmp_path, config, held) == ["fits", "differs"]
            assert table_states(tmp_path, config, {BLOCK.format(0): wrong}) == ["differs"]
    found = check(tmp_path, t5, {BLOCK.format(0): right, BLOCK.format(1): right})
    assert [*states(found).values()] == ["fits", "differs"] and "first layer alone" in found.findings[1].sentence


WINDOWS = {
    "swin": "swin.encoder.layers.{}.blocks.{}.attention.self.relative_position_bias_table",
    "donut-swin": "encoder.layers.{}.blocks.{}.attention.self.relative_position_bias_table",
}


@pytest.mark.parametrize("kind", WINDOWS)
def test_biases_of_the_blocks_of_a_stage(tmp_path, kind):
    config = {"model_type": kind, "num_heads": [2, 4], "depths": [2, 2], "window_size": 4}
    name = WINDOWS[kind].format
    right = {name(0, 0): zeros(49, 2), name(0, 1): zeros(49, 2), name(1, 0): zeros(49, 4)}
    assert table_states(tmp_path, config, right) == ["fits", "fits", "not described"]
    found = table_states(tmp_path, config, {**right, name(0, 1): zeros(49, 3)})
    assert found == ["fits", "differs", "not described"]


LAYERS = {
    "beit": "encoder.layer.{}.attention.attention.relative_position_bias.relative_position_bias_table",
    "data2vec-vision": "encoder.layer.{}.attention.attention.relative_position_bias.relative_position_bias_table",
}


@pytest.mark.parametrize("kind", LAYERS)
def test_biases_of_images_by_their_names_in_files(tmp_path, kind):
    config = {"model_type": kind, "hidden_size": 32, "image_size": 32, "patch_size": 8, "num_attention_heads": 4}
    name, each = LAYERS[kind].format, {**config, "use_relative_position_bias": True}
    assert table_states(tmp_path, each, {name(0): zeros(52, 4), name(1): zeros(52, 4)}) == ["fits", "fits"]
    assert table_states(tmp_path, each, {name(0): zeros(52, 4), name(1): zeros(52, 5)}) == ["fits", "differs"]
    shared = {**config, "use_shared_relative_position_bias": True}
    name = "encoder.relative_position_bias.relative_position_bias_table"
    assert table_states(tmp_path, shared, {name: zeros(52, 4)}) == ["fits"]
    assert table_states(tmp_path, shared, {name: zeros(53, 4)}) == ["differs"]


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("name", ["blocks.0.attn.{}", "rel_pos_bias.{}", "encoder.layer.1.attention.attention.{}"])
def test_biases_and_indices_behind_a_class_token(tmp_path, kind, name):
    """By the names of timm and of the first code of BEiT too: three rows more than the offsets of the whole image."""
    config = {"model_type": kind, "hidden_size": 32, "image_size": 32, "patch_size": 8, "num_attention_heads": 4,
              "use_relative_position_bias": True}  # fmt: skip
    table, index = name.format("relative_position_bias_table"), name.format("relative_position_index")
    for rows, state in ((52, "fits"), (49, "differs"), (28, "differs")):
        assert table_states(tmp_path, config, {table: zeros(rows, 4)}) == [state]
    behind = refpos.relative.window_rows(4, 4, sign="query-key", class_token=True)
    later, smaller = behind.copy(), refpos.relative.window_rows(3, 3, sign="query-key", class_token=True)
    later[0, 0], later[1:, 0], later[0, 1:] = 49, 50, 51  # the three rows in another order
    for rows, state in ((behind, "right"), (later, "differs"), (behind[1:, 1:], "differs"), (smaller, "differs")):
        assert table_states(tmp_path, config, {index: np.ascontiguousarray(rows)}) == [state]


def test_a_table_of_biases_that_no_encoding_has_is_left_alone(tmp_path):
    config = {"model_type": "swin", "num_heads": [2, 4], "depths": [2, 2], "window_size": 4}
    name = "layers.1.blocks.0.attn.relative_position_bias_table"
    with pytest.raises(refpos.InputError, match="nothing positional was found"):
        table_states(tmp_path, config, {name: zeros(49, 4)})


def test_tables_that_swin_adds(tmp_path):
    config = {"model_type": "swin", "embed_dim": 16, "image_size": 32, "use_absolute_embeddings": True}
    name = "swin.embeddings.position_embeddings"
    assert table_states(tmp_path, config, {name: zeros(1, 64, 16)}) == ["fits"]
    assert table_states(tmp_path, config, {name: zeros(1, 65, 16)}) == ["differs"]


def test_tables_of_rows_and_columns(tmp_path):
    config = {"model_type": "detr", "position_embedding_type": "learned", "d_model": 32}
    names = [f"model.position_embedding.{axis}_embeddings.weight" for axis in ("column", "row")]
    assert table_states(tmp_path, config, dict.fromkeys(names, zeros(50, 16))) == ["fits", "fits"]
    assert table_states(tmp_path, config, {names[0]: zeros(50, 16), names[1]: zeros(49, 16)}) == ["fits", "differs"]


def test_tables_of_windows_and_of_whole_images(tmp_path):
    config = {"model_type": "sam_vision_model", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
              "image_size": 32, "patch_size": 8, "window_size": 2, "global_attn_indexes": [1]}  # fmt: skip
    name = "vision_encoder.layers.{}.attn.rel_pos_{}".format
    windows, whole = refpos.from_config(config).encodings[1:]
    assert windows.parameters["tensors"] == [name(0, "h"), name(0, "w")]
    assert whole.parameters["tensors"] == [name(1, "h"), name(1, "w")]
    held = {name(layer, axis): zeros(7 if layer == 1 else 3, 8) for layer in (0, 1, 2) for axis in "hw"}
    assert table_states(tmp_path, config, held) == ["fits"] * 6
    for one in held:
        wrong = zeros(3 if name(1, "") in one else 7, 8)
        found = check(tmp_path, config, {**held, one: wrong})
        assert [found.tensor for found in found.of("differs")] == [one]
    every = {**config, "window_size": 0}
    assert table_states(tmp_path, every, {name(k, "h"): zeros(7, 8) for k in (0, 1)}) == ["fits", "fits"]
    vitdet = {"model_type": "vitdet", "hidden_size": 32, "num_attention_heads": 4, "image_size": 32, "patch_size": 8,
              "window_size": 2, "window_block_indices": [0, 2], "use_relative_position_embeddings": True,
              "use_absolute_position_embeddings": False}  # fmt: skip
    name = "encoder.layer.{}.attention.rel_pos_h".format
    assert table_states(tmp_path, vitdet, {name(0): zeros(3, 8), name(1): zeros(7, 8)}) == ["fits", "fits"]
    assert table_states(tmp_path, vitdet, {name(1): zeros(3, 8), name(2): zeros(7, 8)}) == ["differs", "differs"]


@pytest.mark.parametrize("layers", [2, 3, 5])
def test_tables_of_layers_in_one_tensor(tmp_path, layers):
    config = {"model_type": "yolos", "hidden_size": 16, "num_hidden_layers": layers, "image_size": [32, 48],
              "patch_size": 8, "num_detection_tokens": 5}  # fmt: skip
    for name in ("encoder.mid_position_embeddings", "encoder.interpolation.mid_position_embeddings"):
        assert table_states(tmp_path, config, {name: zeros(layers - 1, 1, 30, 16)}) == ["fits"]
        assert table_states(tmp_path, config, {name: zeros(layers, 1, 30, 16)}) == ["differs"]


# -- files ------------------------------------------------------------------------------------------------------------


def test_an_index_that_maps_a_tensor_to_a_file_without_it(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    for k in (0, 1):
        safetensors(tmp_path / f"model-{k}.safetensors", {NAME.format(k): thetas()})
    index = {NAME.format(k): f"model-{k}.safetensors" for k in (0, 1)}
    for more, words in (({}, None), ({NAME.format(0): "model-1.safetensors"}, NAME.format(0)),
                        ({"lm_head.weight": "model-1.safetensors"}, "without 'lm_head.weight'")):  # fmt: skip
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {**index, **more}}))
        if words is None:
            assert refpos.check(tmp_path).passed
            continue
        with pytest.raises(InputError, match="hold each tensor where its index says") as error:
            refpos.check(tmp_path)
        assert words in str(error.value)


def test_some_of_the_files_of_a_model(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    safetensors(tmp_path / "model-00001-of-00002.safetensors", {NAME.format(0): thetas()})
    with pytest.raises(InputError, match="hold all 2 files of 'model', got 1"):
        refpos.check(tmp_path)
    safetensors(tmp_path / "model-00002-of-00002.safetensors", {NAME.format(1): thetas()})
    assert refpos.check(tmp_path).passed


def test_a_member_whose_header_claims_more_than_it_holds(tmp_path):
    np.savez(tmp_path / "whole.npz", inv_freq=thetas())
    with zipfile.ZipFile(tmp_path / "whole.npz") as archive:
        raw = archive.read("inv_freq.npy")
    claimed = raw.replace(b"(32,), }" + b" " * 11, b"(1099511627776,), }")
    assert len(claimed) == len(raw) and claimed != raw
    with zipfile.ZipFile(tmp_path / "claims.npz", "w") as archive:
        archive.writestr("inv_freq.npy", claimed)
    assert refpos.check(tmp_path / "whole.npz", LLAMA).passed
    with pytest.raises(InputError, match="must hold 4398046511104 bytes for 'inv_freq'"):
        refpos.check(tmp_path / "claims.npz", LLAMA)


def test_names_in_the_report_are_short_and_on_one_line(tmp_path):
    name = "\x1b[31m\n" * 20000 + ".inv_freq"
    found = refpos.check(folder(tmp_path, LLAMA, {name: thetas()}))
    assert found.findings[0].tensor == name
    assert "\x1b" not in str(found) and len(str(found).splitlines()) == 2 and len(found.lines()[0]) < 400


@pytest.mark.parametrize("name, state, status", [("head.filter", "not described", 0),
                                                 (NAME.format(1), "unreadable", 2)])  # fmt: skip
def test_a_tensor_of_an_unknown_dtype_does_not_hinder_the_others(name, state, status, tmp_path):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"rotary_emb.inv_freq": thetas(), name: np.zeros(len(thetas()))})
    path.write_bytes(path.read_bytes().replace(b'"F64"', b'"C64"'))
    found = refpos.check(path, LLAMA)
    assert {one.tensor: one.state for one in found.findings} == {"rotary_emb.inv_freq": "right", name: state}
    assert found.status == status
    write_safetensors(path, {"rotary_emb.inv_freq": thetas(base=1e4), name: np.zeros(len(thetas()))})
    path.write_bytes(path.read_bytes().replace(b'"F64"', b'"C64"'))
    assert refpos.check(path, LLAMA).of("differs")


def test_a_damaged_entry_of_a_header_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"rotary_emb.inv_freq": thetas(), "head.filter": np.zeros(3)})
    whole = path.read_bytes()
    size = 8 + int.from_bytes(whole[:8], "little")
    for code in (b"64", b"null", b'"float64"'):
        header = whole[8:size].replace(b'"F64"', code)
        path.write_bytes(len(header).to_bytes(8, "little") + header + whole[size:])
        with pytest.raises(InputError, match=r"must hold 'head\.filter' as one of"):
            refpos.check(path, LLAMA)
