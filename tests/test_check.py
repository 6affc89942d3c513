"""Checkpoints held against their configuration: files written by hand, right ones and ones with planted defects."""

import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tracemalloc
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from test_gguf_files import WRITTEN, file, floats, keys, pair

import refpos
from refpos.cli import main
from refpos.errors import InputError

CODES = {"float64": "F64", "float32": "F32", "float16": "F16", "uint16": "BF16", "int64": "I64", "int32": "I32"}
LLAMA = {"model_type": "llama", "head_dim": 64, "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 500000.0,
         "max_position_embeddings": 8192, "num_hidden_layers": 2}  # fmt: skip
YARN = {**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 1024}}
NAME = "model.layers.{}.self_attn.rotary_emb.inv_freq"


def safetensors(path, tensors):
    """A file by the rules of the format: uint16 are the bits of bfloat16."""
    header, data = {}, b""
    for name, values in tensors.items():
        values = np.ascontiguousarray(values)
        raw = values.astype(values.dtype.newbyteorder("<")).tobytes()
        ends = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": CODES[values.dtype.name], "shape": [*values.shape], "data_offsets": ends}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def folder(path, config, tensors):
    (path / "config.json").write_text(json.dumps(config))
    safetensors(path / "model.safetensors", tensors)
    return path


def thetas(base=500000.0, width=64, dtype="float32"):
    """The frequencies as programs compute them in float32."""
    exponents = np.arange(0, width, 2).astype(np.float32) / np.float32(width)
    return (np.float32(1) / np.float32(base) ** exponents).astype(dtype)


def bfloat16(values):
    """The bits of numbers rounded to bfloat16, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def states(found):
    return {one.tensor: one.state for one in found.findings}


def check(path, config, tensors):
    return refpos.check(folder(path, config, tensors))


# -- frequencies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_right_frequencies_in_each_layer(tmp_path, dtype):
    held = {NAME.format(k): thetas(dtype=dtype) for k in (0, 1)} | {"model.norm.weight": np.ones(256, np.float32)}
    if dtype == "float64":
        held = {name: 500000.0 ** -(np.arange(0, 64, 2) / 64) if "inv" in name else one for name, one in held.items()}
    found = check(tmp_path, LLAMA, held)
    assert found and found.status == 0 and states(found) == dict.fromkeys((NAME.format(k) for k in (0, 1)), "right")
    assert all(one.part == "text" and one.report.met and one.report.met in one.sentence for one in found.findings)
    assert found.verdict == "all 2 compared are as the configuration says"


HALVES = np.r_[thetas()[1::2], thetas()[0::2]]
DEFECTS = {
    "bfloat16": (LLAMA, bfloat16(thetas()), "frequencies in bfloat16"),
    "float16": (LLAMA, thetas().astype(np.float16), "frequencies in float16"),
    "bfloat16 held in float32": (LLAMA, widened(bfloat16(thetas())), "frequencies in bfloat16"),
    "float16 held in float32": (LLAMA, thetas().astype(np.float16).astype(np.float32), "frequencies in float16"),
    "another base": (LLAMA, thetas(10000.0), "base=10000"),
    "a scaling that is not applied": (YARN, thetas(), "yarn dropped"),
    "channels permuted": (LLAMA, HALVES, "numbers off"),
    "one number": (LLAMA, np.where(np.arange(32) == 7, np.float32(0.05), thetas()), "columns 0..6, 8.. agree"),
    "too few": (LLAMA, thetas()[:16], "shape (16) for (32)"),
    "not a number": (LLAMA, np.where(np.arange(32) == 31, np.float32("nan"), thetas()), "column 31 is all NaN"),
    "all zero": (LLAMA, np.zeros(32, np.float32), "32 of 32 numbers off"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defects_of_frequencies_are_found(tmp_path, defect):
    config, values, words = DEFECTS[defect]
    right = refpos.from_config(config).rotary().frequencies.rounded("float32")
    found = check(tmp_path, config, {NAME.format(0): right, NAME.format(1): values})
    assert states(found) == {NAME.format(0): "right", NAME.format(1): "differs"} and found.status == 1 and not found
    assert words in found.findings[1].sentence and found.verdict == "1 of 2 differ"


def test_frequencies_are_found_by_their_content(tmp_path):
    held = {"rotary.theta": thetas(), "norm.weight": np.ones(32, np.float32), "scale": thetas()[::-1]}
    assert states(check(tmp_path, LLAMA, held)) == {"rotary.theta": "right"}


GEMMA = {"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 12, "rope_theta": 1e6,
         "rope_local_base_freq": 10000.0, "sliding_window": 512, "sliding_window_pattern": 6}  # fmt: skip


def test_layers_with_two_bases(tmp_path):
    full, sliding = thetas(1e6), thetas(1e4)
    held = {"model.rotary_emb.inv_freq": full, "model.rotary_emb_local.inv_freq": sliding, NAME.format(5): full}
    held |= {NAME.format(4): sliding, "rotary_emb.sliding_attention_inv_freq": sliding}
    assert states(check(tmp_path, GEMMA, held)) == dict.fromkeys(held, "right")
    swapped = {name: full if one is sliding else sliding for name, one in held.items() if name != next(iter(held))}
    assert states(check(tmp_path, GEMMA, swapped)) == dict.fromkeys(swapped, "differs")


def test_words_of_a_name_choose_the_part(tmp_path):
    config = {"model_type": "llava", "text_config": LLAMA, "vision_config": {"model_type": "pixtral", "head_dim": 64}}
    text, vision = thetas(), refpos.from_config(config).rotary("vision").frequencies.rounded("float32")
    names = "language_model.rotary_emb.inv_freq", "vision_tower.patch_positional_embedding.inv_freq"
    assert states(check(tmp_path, config, dict(zip(names, (text, vision), strict=True)))) == dict.fromkeys(
        names, "right"
    )
    swapped = {names[0]: vision[: len(text)], names[1]: np.resize(text, len(vision))}
    assert states(check(tmp_path, config, swapped)) == dict.fromkeys(names, "differs")
    other = check(tmp_path, config, {"time_embedding.inv_freq": thetas(width=20)})
    assert [one.state for one in other.findings] == ["not described"]


def test_frequencies_of_a_part_that_has_none(tmp_path):
    bert = {"model_type": "bert", "hidden_size": 64}
    assert states(check(tmp_path, bert, {"rotary_emb.inv_freq": thetas()})) == {"rotary_emb.inv_freq": "not described"}


def test_frequencies_of_images_are_those_of_one_axis(tmp_path):
    config = {"model_type": "qwen2_vl", "text_config": {"model_type": "qwen2_vl_text"},
              "vision_config": {"model_type": "qwen2_vl", "embed_dim": 1280, "num_heads": 16}}  # fmt: skip
    name = "visual.rotary_pos_emb.inv_freq"
    right = thetas(10000.0, 40)
    assert states(check(tmp_path, config, {name: right})) == {name: "right"}
    assert states(check(tmp_path, config, {name: right * np.float32(1.001)})) == {name: "differs"}


# -- caches -----------------------------------------------------------------------------------------------------------


def caches(count=300, repeat=np.tile, base=500000.0, **changes):
    angles = np.arange(count)[:, None] * base ** -(np.arange(0, 64, 2) / 64)
    tables = {name: getattr(np, name)(angles).astype(np.float32) for name in ("cos", "sin")} | changes
    return {f"layers.0.rotary_emb.{name}_cached": repeat(one, (1, 2))[None, None] for name, one in tables.items()}


def in_pairs(table, _):
    return np.repeat(table, 2, -1)


@pytest.mark.parametrize("repeat", [np.tile, lambda table, _: table])
def test_caches_of_cosines_and_sines(tmp_path, repeat):
    found = check(tmp_path, LLAMA, caches(repeat=repeat))
    assert [one.state for one in found.findings] == ["right"] and "cos_cached, " in found.findings[0].tensor
    wrong = check(tmp_path, LLAMA, caches(repeat=repeat, base=10000.0))
    assert [one.state for one in wrong.findings] == ["differs"] and "base=10000" in wrong.findings[0].sentence


def test_the_columns_of_a_cache_show_its_pairs(tmp_path):
    wrong = check(tmp_path, LLAMA, caches(repeat=in_pairs))
    assert [one.state for one in wrong.findings] == ["differs"] and wrong.status == 1
    assert "columns 2i and 2i + 1 have one angle, as for interleaved pairs" in wrong.findings[0].sentence
    for repeat in (in_pairs, np.tile):  # code of interleaved pairs may take the first half
        right = check(tmp_path, {**LLAMA, "model_type": "cohere"}, caches(repeat=repeat))
        assert [one.state for one in right.findings] == ["right"]


def test_frequencies_of_a_layer_without_a_rotation_are_not_described(tmp_path):
    config = {"model_type": "smollm3", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 4}
    name = "model.layers.%d.self_attn.rotary_emb.inv_freq"
    found = check(tmp_path, config, {name % layer: thetas(2e6, 64) for layer in range(4)})
    expected = {name % layer: "right" for layer in range(3)} | {name % 3: "not described"}
    assert states(found) == expected
    assert "describes no rotation for it" in found.findings[3].sentence


def test_caches_of_a_rotation_with_axes_are_those_of_one_axis(tmp_path):
    rope = {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": [8, 12, 12]}
    config = {**LLAMA, "model_type": "qwen2_vl_text", "rope_parameters": rope}
    assert [one.state for one in check(tmp_path, config, caches()).findings] == ["right"]
    assert [one.state for one in check(tmp_path, config, caches(base=1e4)).findings] == ["differs"]


def test_a_cache_in_one_tensor_in_bfloat16(tmp_path):
    cos, sin = (one[0, 0] for one in caches(repeat=lambda table, _: table).values())
    name = "model.rotary_emb.cos_sin_cache"
    assert states(check(tmp_path, LLAMA, {name: bfloat16(np.hstack([cos, sin]))})) == {name: "right"}
    shifted = bfloat16(np.hstack([cos, sin])[1:])
    found = check(tmp_path, LLAMA, {name: shifted})
    assert states(found) == {name: "differs"} and "positions + 1" in found.findings[0].sentence
    assert states(check(tmp_path, LLAMA, {name: bfloat16(np.hstack([cos, sin])[:, :60])})) == {name: "differs"}


def test_a_cache_with_one_wrong_row_far_down(tmp_path):
    held = caches(count=5000)
    held["layers.0.rotary_emb.sin_cached"][0, 0, 4999, 0] += 0.01
    held["layers.0.rotary_emb.sin_cached"][0, 0, 4999, 32] += 0.01
    assert [one.state for one in check(tmp_path, LLAMA, held).findings] == ["differs"]


def test_cosines_alone_are_not_compared(tmp_path):
    held = {name: one for name, one in caches().items() if "cos" in name}
    assert [one.state for one in check(tmp_path, LLAMA, held).findings] == ["not described"]


# -- other encodings --------------------------------------------------------------------------------------------------

WHISPER = {"model_type": "whisper", "d_model": 64, "max_source_positions": 150, "max_target_positions": 44}


def sinusoids(count=150, width=64):
    steps = np.exp(-np.log(10000) / (width // 2 - 1) * np.arange(width // 2))
    angles = np.arange(count)[:, None] * steps
    return np.hstack([np.sin(angles), np.cos(angles)]).astype(np.float32)


def test_sinusoids_beside_a_learned_table(tmp_path):
    names = ["model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"]
    learned = np.ones((44, 64), np.float32)
    right = check(tmp_path, WHISPER, {names[0]: sinusoids(), names[1]: learned})
    assert states(right) == {names[0]: "right", names[1]: "fits"} and right.status == 0
    wrongs = ((np.roll(sinusoids(), 1, 0), "numbers off"), (sinusoids()[:, ::-1], "numbers off"),
              (sinusoids(151)[1:], "positions + 1"), (sinusoids(149), "shape (149, 64) for (150, 64)"))  # fmt: skip
    for wrong, words in wrongs:
        found = check(tmp_path, WHISPER, {names[0]: wrong, names[1]: learned})
        assert states(found) == {names[0]: "differs", names[1]: "fits"}
        assert words in found.of("differs")[0].sentence
    short = check(tmp_path, WHISPER, {names[0]: sinusoids(), names[1]: learned[:40]})
    assert states(short)[names[1]] == "differs" and "40 rows for 44" in short.of("differs")[0].sentence


def test_sinusoids_in_bfloat16_are_rounded_once(tmp_path):
    name = "encoder.embed_positions.weight"
    assert states(check(tmp_path, WHISPER, {name: bfloat16(sinusoids())})) == {name: "right"}


def test_learned_tables_of_other_models(tmp_path):
    held = {"bert.embeddings.position_embeddings.weight": np.ones((512, 64), np.float32),
            "bert.embeddings.position_ids": np.arange(512)[None]}  # fmt: skip
    bert = {"model_type": "bert", "hidden_size": 64}
    assert [*states(check(tmp_path, bert, held)).values()] == ["fits", "right"]
    assert [*states(check(tmp_path, {**bert, "max_position_embeddings": 1024}, held)).values()] == ["differs", "right"]
    held["bert.embeddings.position_ids"] = np.arange(1, 513)[None]
    for name in ("weight", "word_embeddings.weight"):
        with pytest.raises(InputError, match="nothing positional was found"):
            check(tmp_path, bert, {name: np.ones((512, 64), np.float32)})
    found = check(tmp_path, bert, held)
    assert [*states(found).values()] == ["fits", "differs"] and "first at [0]: 1 for 0" in found.findings[1].sentence


def test_sinusoids_of_a_grid(tmp_path):
    """[sines and cosines of the column, then of the row], behind a row of zeros; by the names of the two parts."""
    config = {"model_type": "vit_mae", "hidden_size": 16, "decoder_hidden_size": 16, "image_size": 48, "patch_size": 16}
    row, column = np.divmod(np.arange(9), 3)
    steps = 10000.0 ** -(np.arange(4) / 4)
    parts = [wave(axis[:, None] * steps) for axis in (column, row) for wave in (np.sin, np.cos)]
    table = np.vstack([np.zeros((1, 16)), np.hstack(parts)]).astype(np.float32)
    names = ["vit.embeddings.position_embeddings", "decoder.decoder_pos_embed"]
    assert [*states(check(tmp_path, config, dict.fromkeys(names, table[None]))).values()] == ["right"] * 2
    swapped = np.hstack([table[:, 8:], table[:, :8]])
    for wrong in (swapped, table[1:], table[:, :14]):
        assert [*states(check(tmp_path, config, dict.fromkeys(names, wrong[None]))).values()] == ["differs"] * 2


def test_sinusoids_of_distances(tmp_path):
    config = {"model_type": "fastspeech2_conformer", "hidden_size": 16}
    angles = np.arange(5, -6, -1)[:, None] * 10000.0 ** -(np.arange(8) / 8)
    table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(1, 11, 16).astype(np.float32)
    name = "encoder.pos_enc.pos_enc"
    assert states(check(tmp_path, config, {name: table})) == {name: "right"}
    assert states(check(tmp_path, config, {name: table[:, ::-1]})) == {name: "differs"}
    assert states(check(tmp_path, config, {name: table[:, 1:]})) == {name: "not described"}


def test_frequencies_of_sinusoids(tmp_path):
    config, name = {"model_type": "parakeet_encoder", "hidden_size": 64}, "encode_positions.inv_freq"
    assert states(check(tmp_path, config, {name: thetas(10000.0)})) == {name: "right"}
    assert states(check(tmp_path, config, {name: thetas(10001.0)})) == {name: "differs"}


def test_a_table_whose_encoding_has_no_call_is_not_held_against_another(tmp_path):
    name = "t2u_model.model.decoder.embed_positions.weights"
    config = {"model_type": "seamless_m4t_v2", "hidden_size": 64}
    assert states(check(tmp_path, config, {name: sinusoids()})) == {name: "not described"}


def test_slopes(tmp_path):
    bloom, slopes = {"model_type": "bloom", "n_head": 8}, (2.0 ** -np.arange(1, 9)).astype(np.float32)
    name = "h.0.attn.alibi_slopes"
    assert states(check(tmp_path, bloom, {name: slopes})) == {name: "right"}
    biases = slopes[:, None, None] * np.arange(12, dtype=np.float32)
    assert states(check(tmp_path, bloom, {"alibi": biases})) == {"alibi": "right"}
    sixteen = (2.0 ** (-np.arange(1, 17) / 2)).astype(np.float32)
    assert states(check(tmp_path, bloom, {name: sixteen[:8]})) == {name: "differs"}
    assert states(check(tmp_path, bloom, {name: sixteen})) == {name: "differs"}
    assert states(check(tmp_path, bloom, {"alibi": biases * np.float32(-1)})) == {"alibi": "differs"}
    assert states(check(tmp_path, LLAMA, {name: slopes})) == {name: "not described"}


def window(side):
    rows, columns = np.divmod(np.arange(side * side), side)
    rows, columns = (one[:, None] - one + side - 1 for one in (rows, columns))
    return rows * (2 * side - 1) + columns


def test_learned_biases_of_windows(tmp_path):
    swin, ends = {"model_type": "swin", "num_heads": [4, 4, 4], "depths": [1, 1, 1]}, "relative_position_bias_table"
    name = f"encoder.layers.{{}}.blocks.0.attention.relative_position_bias.{ends}".format
    held = {name(0): np.ones((169, 4)), name(1): np.ones((169, 4)), name(2): np.ones((169, 8))}
    assert [*states(check(tmp_path, swin, held)).values()] == ["fits", "fits", "not described"]
    assert states(check(tmp_path, swin, {name(0): np.ones((169, 8))})) == {name(0): "differs"}
    assert "(169, 8) for (169, 4)" in refpos.check(tmp_path).findings[0].sentence


def test_windows(tmp_path):
    swin = {"model_type": "swinv2", "window_size": 7, "image_size": 224, "patch_size": 4}
    name = "encoder.layers.{}.blocks.0.attention.self.{}".format
    offsets = np.stack(np.meshgrid(*[np.arange(-6, 7) / 6] * 2, indexing="ij"), -1) * 8
    coordinates = (np.sign(offsets) * np.log2(np.abs(offsets) + 1) / np.log2(8))[None]
    held = {name(0, "relative_position_index"): window(7), name(3, "relative_position_index"): window(4),
            name(0, "relative_coords_table"): coordinates.astype(np.float32)}  # fmt: skip
    assert [*states(check(tmp_path, swin, held)).values()] == ["right"] * 3
    wrong = {key: np.ascontiguousarray(one.T if one.ndim == 2 else one.swapaxes(1, 2)) for key, one in held.items()}
    assert [*states(check(tmp_path, swin, wrong)).values()] == ["differs"] * 3
    assert states(check(tmp_path, swin, {name(0, "relative_position_index"): window(9)})) != {} and not refpos.check(
        tmp_path
    )


@pytest.mark.parametrize("nested", [False, True])
def test_smaller_windows_of_the_first_stage(tmp_path, nested):
    """The last stages of a small image have smaller windows, the first one only where the image is smaller."""
    name, short = "encoder.layers.{}.blocks.0.attention.self.{}".format, np.zeros((1, 7, 7, 2), np.float32)
    short[0] = np.stack(np.meshgrid(*[np.arange(-3, 4) / 3] * 2, indexing="ij"), -1) * 8
    short = (np.sign(short) * np.log2(np.abs(short) + 1) / np.log2(8)).astype(np.float32)
    held = {"relative_position_index": window(4), "relative_coords_table": short}
    for layer, size, state in ((3, 224, "right"), (0, 224, "differs"), (0, [16, 16], "right"), (0, 12, "differs")):
        swin = {"model_type": "swinv2", "window_size": 7, "image_size": size, "patch_size": 4}
        config = {"model_type": "vision-encoder-decoder", "encoder": swin, "decoder": LLAMA} if nested else swin
        prefix = "encoder." * nested
        found = check(tmp_path, config, {prefix + name(layer, leaf): one for leaf, one in held.items()})
        assert [*states(found).values()] == [state] * 2, (layer, size)
    del swin["image_size"]
    assert not check(tmp_path, swin, {name(0, "relative_position_index"): window(4)})


# -- other files ------------------------------------------------------------------------------------------------------


def test_shards_of_an_index(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    shards = {f"model-{k}.safetensors": {NAME.format(k): thetas(1e4 if k else 5e5)} for k in (0, 1)}
    for name, held in shards.items():
        safetensors(tmp_path / name, held)
    safetensors(tmp_path / "consolidated.safetensors", {NAME.format(2): thetas(3.0)})
    index = {"weight_map": {tensor: name for name, held in shards.items() for tensor in held}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert states(refpos.check(tmp_path)) == {NAME.format(0): "right", NAME.format(1): "differs"}


def test_the_files_of_a_folder_that_are_read(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    right, wrong = {NAME.format(0): thetas()}, {NAME.format(1): thetas(1e4)}
    safetensors(tmp_path / "a.safetensors", right)
    safetensors(tmp_path / "b.safetensors", wrong)
    assert len(refpos.check(tmp_path).findings) == 2
    safetensors(tmp_path / "c.safetensors", right)
    with pytest.raises(InputError, match="hold each tensor once"):
        refpos.check(tmp_path)
    (tmp_path / "b.safetensors.index.json").write_text(json.dumps({"weight_map": {NAME.format(1): "b.safetensors"}}))
    assert states(refpos.check(tmp_path)) == {NAME.format(1): "differs"}
    safetensors(tmp_path / "model.safetensors", right)
    assert states(refpos.check(tmp_path)) == {NAME.format(0): "right"}


def test_one_file_and_its_configuration(tmp_path):
    folder(tmp_path, LLAMA, {NAME.format(0): thetas()})
    assert refpos.check(tmp_path / "model.safetensors").passed
    assert not refpos.check(tmp_path / "model.safetensors", {**LLAMA, "rope_theta": 1e4})
    np.savez(tmp_path / "own.npz", inv_freq=thetas(), weights=np.ones((4, 4)))
    assert refpos.check(str(tmp_path / "own.npz"), LLAMA).passed
    os.remove(tmp_path / "config.json")
    with pytest.raises(InputError, match="config must be given") as error:
        refpos.check(tmp_path / "model.safetensors")
    assert error.value.code == "E_MISSING"


LLAMA_3_1 = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 500000.0,
             "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                              "original_max_position_embeddings": 8192}}  # fmt: skip


def test_factors_of_a_gguf_file():
    assert states(refpos.check(WRITTEN, LLAMA_3_1)) == {"rope_freqs.weight": "right"}
    other = {**LLAMA_3_1, "rope_scaling": {**LLAMA_3_1["rope_scaling"], "factor": 32.0}}
    found = refpos.check(WRITTEN, other)
    assert (
        states(found) == {"rope_freqs.weight": "differs"}
        and "first at [4]: 2.69453001 for 3.2922621" in found.findings[0].sentence
    )
    alone = refpos.check(WRITTEN)
    assert alone.status == 2 and "config.json it was converted from" in alone.findings[0].sentence


def test_factors_of_longrope_and_the_table_of_a_gguf_file(tmp_path):
    phi = {"model_type": "phi3", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 131072,
           "original_max_position_embeddings": 4096,
           "rope_scaling": {"type": "longrope", "short_factor": [1.1] * 8, "long_factor": [1.5] * 8}}  # fmt: skip
    path = tmp_path / "phi.gguf"
    tensors = [
        (f"rope_factors_{kind}.weight", (8,), 0, floats([one] * 8)) for kind, one in (("long", 1.5), ("short", 1.1))
    ]
    path.write_bytes(file(keys(), tensors))
    assert [*states(refpos.check(path, phi)).values()] == ["right", "right"]
    phi["rope_scaling"]["short_factor"] = [1.1] * 7 + [1.2]
    assert [*states(refpos.check(path, phi)).values()] == ["right", "differs"]
    table = [("position_embd.weight", (64, 512), 2, b"\0" * 64)]
    path.write_bytes(file([pair("general.architecture", "bert")], table))
    roberta = {"model_type": "roberta", "hidden_size": 64, "max_position_embeddings": 514, "pad_token_id": 1}
    assert states(refpos.check(path, roberta)) == {"position_embd.weight": "fits"}
    assert states(refpos.check(path, {**roberta, "max_position_embeddings": 1026})) == {
        "position_embd.weight": "differs"
    }


def test_the_header_of_a_large_model_is_read_alone(tmp_path):
    """A file of 14 GB without its data: the header of a model with 7 billion parameters, and its frequencies."""
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "num_hidden_layers": 32}))
    shapes = {NAME.format(k): (32,) for k in range(32)}
    for k in range(32):
        shapes |= {f"model.layers.{k}.mlp.{name}.weight": (11008, 4096) for name in ("up", "down", "gate")}
        shapes |= {f"model.layers.{k}.self_attn.{name}.weight": (4096, 4096) for name in "qkvo"}
    header, end = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape)) * (4 if "inv" in name else 2)
        header[name] = {"dtype": "F32" if "inv" in name else "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    with open(tmp_path / "model.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + thetas().tobytes() * 32)
        out.truncate(8 + len(text) + end)
    assert refpos.check(tmp_path).passed  # imports are done
    tracemalloc.start()
    found = refpos.check(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.passed and len(found.findings) == 32 and peak < 2**24, peak


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys):
    folder(tmp_path, LLAMA, {NAME.format(0): thetas(), NAME.format(1): thetas(10000.0)})
    reports = [tmp_path / "check.xml", tmp_path / "check.html"]
    assert main(["check", str(tmp_path), "--junit", str(reports[0]), "--html", str(reports[1])]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "base=10000" in printed and "1 of 2 differ" in printed
    suites = ElementTree.fromstring(reports[0].read_text())
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1") and "base=10000" in reports[1].read_text()
    assert main(["check", str(tmp_path), "--json"]) == 1
    plain = json.loads(capsys.readouterr().out)
    assert plain["status"] == 1 and [one["state"] for one in plain["findings"]] == ["right", "differs"]
    folder(tmp_path, LLAMA, {NAME.format(0): thetas()})
    assert main(["check", str(tmp_path), "--config", str(tmp_path / "config.json")]) == 0
    assert main(["check", str(tmp_path), "--model-type", "nothing"]) == 2


def test_the_commands_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("model").mkdir()
    folder(Path("model"), LLAMA, {NAME.format(0): thetas()})
    folder(Path(), LLAMA_3_1, {"inv_freq": refpos.from_config(LLAMA_3_1).rotary().frequencies.rounded("float32")})
    np.savez("tables.npz", inv_freq=refpos.from_config(LLAMA_3_1).rotary().frequencies.rounded("float32"))
    shutil.copy(WRITTEN, "model.gguf")
    page = Path(__file__).parents[1] / "docs" / "check.md"
    lines = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)[0].splitlines()
    assert len(lines) == 4 and all(line.startswith("refpos check ") for line in lines)
    for line in lines:
        assert main(shlex.split(line, comments=True)[1:]) == 0, capsys.readouterr().out


def test_a_check_that_compares_nothing_does_not_pass(tmp_path, capsys):
    folder(tmp_path, LLAMA, {"model.norm.weight": np.ones(256, np.float32)})
    report = tmp_path / "check.xml"
    assert main(["check", str(tmp_path), "--junit", str(report)]) == 2
    assert "nothing positional was found" in capsys.readouterr().err and 'errors="1"' in report.read_text()
    folder(tmp_path, {"model_type": "bert", "hidden_size": 64}, {"inv_freq": thetas()})
    assert main(["check", str(tmp_path)]) == 2
    assert "nothing was compared" in " ".join(capsys.readouterr().out.split())


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


HOSTILE = {
    "cut": cut,
    "empty": lambda path: path.write_bytes(b""),
    "a header that goes on": lambda path: path.write_bytes(struct.pack("<Q", 2**62) + b"{}"),
    "no JSON": lambda path: path.write_bytes(struct.pack("<Q", 4) + b"[[[["),
    "a name twice": lambda path: path.write_bytes(struct.pack("<Q", 13) + b'{"a":1,"a":1}'),
}


@pytest.mark.parametrize("damage", HOSTILE)
def test_files_that_cannot_be_read(tmp_path, damage, capsys):
    folder(tmp_path, LLAMA, {NAME.format(0): thetas(), NAME.format(1): thetas()})
    HOSTILE[damage](tmp_path / "model.safetensors")
    assert main(["check", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert "mistake of refpos" not in said.err and len((said.out + said.err).splitlines()) < 12


@pytest.mark.parametrize(
    "text",
    ['{"weight_map": {"a": "../model.safetensors"}}', '{"weight_map": {"a": "/etc/passwd"}}', '{"weight_map": 3}', "[",
     '{"weight_map": {"a": "missing.safetensors"}}', '{"weight_map": {"a": null}}', "[" * 100000, '{"weight_map": {}}'],
)  # fmt: skip
def test_an_index_that_cannot_be_used(tmp_path, text, capsys):
    folder(tmp_path, LLAMA, {NAME.format(0): thetas()})
    (tmp_path / "model.safetensors.index.json").write_text(text)
    assert main(["check", str(tmp_path)]) == 2 and capsys.readouterr().err.startswith("refpos: E_")


def test_a_gguf_file_that_is_cut(tmp_path, capsys):
    path = tmp_path / "model.gguf"
    for count in (3, 30, 200, len(WRITTEN.read_bytes()) - 20):
        path.write_bytes(WRITTEN.read_bytes()[:count])
        for config in ([], ["--config", str(tmp_path / "config.json")]):
            folder(tmp_path, LLAMA_3_1, {})
            assert main(["check", str(path), *config]) == 2
            assert "mistake of refpos" not in capsys.readouterr().err


NAMES = ("inv_freq", "rope.freqs", "cos_cached", "cos_sin_cache", "embed_positions.weight", "alibi_slopes",
         "relative_position_index", "relative_coords_table", "position_ids", "rope_freqs.weight", "pos_embed",
         "position_embd.weight", "embeddings.position_embeddings.weight")  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["llama", "bert", "whisper", "bloom", "swinv2", "roformer", "parakeet_encoder", "fsmt"]
)
def test_shapes_that_no_tensor_of_that_name_has(tmp_path, kind):
    held = {"sin_cached": np.ones(())}
    for shape in ((), (0,), (1,), (0, 64), (64, 0), (2, 3, 5)):
        held |= {f"{len(held)}.{name}".removeprefix("" if "rope_" in name else "."): np.ones(shape) for name in NAMES}
    found = check(tmp_path, {"model_type": kind}, held)
    assert not found.of("right") and len(found.findings) > 60 and "fits" not in found.verdict


@pytest.mark.parametrize("name", ["", "missing.safetensors", "config.json"])
def test_what_is_no_checkpoint(tmp_path, name, capsys):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert main(["check", str(tmp_path / name)]) == 2 and capsys.readouterr().err.startswith("refpos: E_FILE")
    with pytest.raises(InputError, match="model must be a path, a torch module or a dict of arrays, got int"):
        refpos.check(7)


def test_frameworks_are_not_imported(tmp_path):
    folder(tmp_path, LLAMA, {NAME.format(0): thetas()})
    code = "import sys, refpos; assert refpos.check(sys.argv[1]); assert not {'torch', 'safetensors'} & {*sys.modules}"
    root = Path(refpos.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["mlx.nn.layers.base", "flax.nnx.module"])
def test_modules_of_other_frameworks_are_refused_with_a_way_to_check_them(module):
    base = type("Module", (), {"__module__": module})
    with pytest.raises(InputError, match=r"got Model; modules of MLX and Flax are not run: give their arrays"):
        refpos.check(type("Model", (base,), {"__module__": "own"})(), LLAMA)
    base = type("Module", (dict,), {"__module__": module})  # MLX has modules that are dicts, and Flax dicts
    if module.startswith("mlx"):
        with pytest.raises(InputError, match=r"got Module; modules of MLX and Flax are not run: give their arrays"):
            refpos.check(base(inv_freq=thetas()), LLAMA)
    else:
        assert refpos.check(base(inv_freq=thetas()), LLAMA).status == 0
    with pytest.raises(InputError, match=r"a dict of arrays, got object$"):
        refpos.check(object(), LLAMA)


def test_dicts_of_arrays_as_modules_of_flax_and_mlx_have_them():
    wrong = refpos.inverse_frequencies(128, base=10000).rounded("float32")
    for own, status in ((thetas(), 0), (wrong, 1)):
        found = refpos.check({"model": {"layers": [{"rotary_emb": {"inv_freq": own}}]}, "head": {"kernel": own}}, LLAMA)
        assert found.status == status and found.findings[0].tensor == "model.layers.0.rotary_emb.inv_freq"
    bert = {"model_type": "bert", "hidden_size": 8, "max_position_embeddings": 16}
    for rows, state in ((16, "fits"), (15, "differs")):
        table = {"bert": {"embeddings": {"position_embeddings": {"embedding": np.zeros((rows, 8), np.float32)}}}}
        (one,) = refpos.check(table, bert).findings
        assert (one.state, one.tensor) == (state, "bert.embeddings.position_embeddings.weight")


def test_dicts_that_hold_no_arrays_or_no_configuration_are_refused():
    arrays = {"rotary_emb": {"inv_freq": thetas()}}
    text = {"rotary_emb": {"inv_freq": "x"}}
    for model, words in ((text, r"model\['rotary_emb.inv_freq'\] must be an array, or a dict"),
                         ({}, "the dict of arrays must hold positional tensors")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            refpos.check(model, LLAMA)
    with pytest.raises(
        InputError, match="config must be given where none lies with the tensors, of the dict of arrays"
    ):
        refpos.check(arrays)
    with pytest.raises(InputError, match="what the forward of a live module takes, got the dict of arrays"):
        refpos.check(arrays, LLAMA, inputs={})
    endless = {}
    endless["a"] = endless
    with pytest.raises(InputError, match="must be an array, or a dict or list of them"):
        refpos.check(endless, LLAMA)
