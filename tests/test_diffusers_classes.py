"""config.json of diffusers: the named model of a class, with the widths and the base of the file."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

import refpos
from refpos import models
from refpos.configs.diffusers import timesteps
from refpos.configs.diffusers.diffusers_classes import ROWS
from refpos.errors import InputError

FLUX = {"_class_name": "FluxTransformer2DModel", "_diffusers_version": "0.30.0", "num_attention_heads": 24}


@pytest.mark.parametrize("name", ROWS)
def test_every_key_of_a_class_decides(name):
    row = ROWS[name]
    standard = refpos.from_config({"_class_name": name}).rotary()
    axes = len(set(standard.frequencies.axes))
    values = {row.widths: [8] * axes} if row.widths else {}
    values |= {row.base: 300} if row.base else {}
    width = 8 * axes if row.widths else 48
    values |= {row.head: width} if isinstance(row.head, str) else {row.head[0]: 4 * width, row.head[1]: 4}
    model = refpos.from_config({"_class_name": name, **values})
    heads = 32 if row.times else 1  # by default; all heads are rotated as one
    assert model.rotary().head_dim == heads * width and set(values) < set(model.used)
    arguments = {
        **({"dim": heads * width} if row.times else {"head_dim": width}),
        **({"widths": (8,) * axes} if row.widths else {}),
        **({"base": 300} if row.base else {}),
    }
    expected = models.load(row.preset, **arguments)
    assert model.rotary().inv_freq.tolist() == expected.inv_freq.tolist() != standard.inv_freq.tolist()
    assert model.rotary().frequencies.axes == expected.frequencies.axes and model.rotary().notes == expected.notes
    assert ("timestep" in model.unread.get("_class_name", "")) == (not model.encodings)


def test_flux_is_rotated_by_image_row_and_column():
    model = refpos.from_config({**FLUX, "axes_dims_rope": [4, 6, 6], "attention_head_dim": 16})
    expected = [1 / 10000 ** (2 * j / width) for width in (4, 6, 6) for j in range(width // 2)]
    assert np.abs(model.rotary("transformer").inv_freq / expected - 1).max() < 1e-14
    assert model.assumed == {} and model.rotary().pairing == "interleaved"
    assert refpos.from_config(FLUX).assumed == {"axes_dims_rope": [16, 56, 56], "attention_head_dim": 128}


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.preset == "wan"])
def test_the_note_on_the_tables_of_wan_has_their_length(name):
    found, standard = (refpos.from_config({"_class_name": name, **more}) for more in ({"rope_max_seq_len": 64}, {}))
    assert found.rotary().notes[0] == "Tables of 64 positions, computed in float64."
    assert standard.rotary().notes[0] == "Tables of 1024 positions, computed in float64."
    assert found.rotary().notes[1:] == standard.rotary().notes[1:] and "rope_max_seq_len" in found.used
    with pytest.raises(InputError, match="rope_max_seq_len must be at least 1"):
        refpos.from_config({"_class_name": name, "rope_max_seq_len": 0})


def test_two_classes_of_one_encoding_are_the_same():
    longcat = {"_class_name": "LongCatImageTransformer2DModel", "axes_dims_rope": [16, 56, 56]}
    assert refpos.same_encoding(FLUX, longcat)
    chroma = {"_class_name": "ChromaTransformer2DModel", "axes_dims_rope": [16, 56, 56]}
    differences = refpos.same_encoding(FLUX, chroma).differences
    assert {one.what for one in differences} == {"dim", "embeddings"}  # of timesteps, and how many of these there are
    assert not refpos.same_encoding(FLUX, {"_class_name": "Flux2Transformer2DModel"})


@pytest.mark.parametrize(
    ("values", "argument", "words"),
    [
        ({"_class_name": "FluxPipeline"}, "_class_name", r"\d+ known classes of diffusers, got 'FluxPipeline'"),
        ({"_class_name": "QwenImageTransformer2DModel", "use_layer3d_rope": True}, "use_layer3d_rope", "must be false"),
        ({**FLUX, "axes_dims_rope": [16, 56, 57]}, "axes_dims_rope", "axes_dims_rope: widths.*57"),
        ({**FLUX, "axes_dims_rope": []}, "axes_dims_rope", "axes_dims_rope: widths"),
        ({**FLUX, "axes_dims_rope": "16"}, "axes_dims_rope", "a list"),
        ({**FLUX, "attention_head_dim": 64}, "axes_dims_rope", "128.*64|64.*128"),
        ({"_class_name": "ZImageTransformer2DModel", "dim": 3840, "n_heads": 31}, "dim", "a multiple of n_heads"),
        ({"_class_name": "Flux2Transformer2DModel", "rope_theta": 0}, "rope_theta", "greater than 0"),
    ],
)  # fmt: skip
def test_what_is_refused(values, argument, words):
    with pytest.raises(InputError, match=words) as caught:
        refpos.from_config(values)
    assert caught.value.argument == argument


# -- timesteps and tables ---------------------------------------------------------------------------------------------


def calls(name, **values):
    return [one.call for one in refpos.from_config({"_class_name": name, **values}).encodings]


def table(name, **values):
    """The table that the one encoding with a grid gives."""
    encodings = refpos.from_config({"_class_name": name, **values}).encodings
    (call,) = (one.call for one in encodings if one.name == "sincos_grid")
    return eval(call, {"refpos": refpos, "Fraction": Fraction})


@pytest.mark.parametrize("name", timesteps.ROWS)
def test_every_embedding_of_timesteps_has_a_call(name):
    sizes = {"patch_size": 2} if name == "LatteTransformer3DModel" else {}
    encodings = refpos.from_config({"_class_name": name, **sizes}).encodings
    found = [one for one in encodings if one.name == "timestep_embedding"]
    assert found and all(one.place == "embeddings" and one.part in ("unet", "transformer") for one in found)
    for one in found:
        made = eval(one.call, {"refpos": refpos}, {"timesteps": [0.0, 1.0]})
        assert made.shape == (2, one.parameters["dim"])
        sines = made[0] == 0  # of timestep 0: cosines are 1 there
        half = one.parameters["dim"] // 2
        assert sines[half:].all() if one.parameters["flip_sin_to_cos"] else sines[:half].all()


def test_keys_of_timesteps_decide():
    sdxl = {"addition_embed_type": "text_time", "addition_time_embed_dim": 256}
    start = "refpos.timestep_embedding(timesteps, "
    assert calls("UNet2DConditionModel", block_out_channels=[32, 64], flip_sin_to_cos=False, freq_shift=1, **sdxl) == [
        f"{start}{dim}, flip_sin_to_cos=False, downscale_freq_shift=1)" for dim in (32, 256)
    ]
    assert calls("UNet2DConditionModel", time_embedding_type="fourier") == []
    left = refpos.from_config({"_class_name": "UNet2DConditionModel", "time_embedding_type": "fourier"}).unread
    assert "timestep is not described" in left["_class_name"]
    assert len(calls("PixArtTransformer2DModel")) == 3 and len(calls("PixArtTransformer2DModel", sample_size=64)) == 2
    assert len(calls("SanaTransformer2DModel", guidance_embeds=True)) == 2
    assert calls("ChromaTransformer2DModel", approximator_num_channels=16)[0].startswith(f"{start}4,")
    assert "max_period=100" in calls("BriaTransformer2DModel", time_theta=100)[0]


def test_tables_of_grids():
    """One coordinate of each, by the formula: columns first, and of CogVideoX frames and then columns."""
    sizes = {"num_attention_heads": 2, "attention_head_dim": 8, "patch_size": 2}
    plain = table("DiTTransformer2DModel", sample_size=12, **sizes)
    assert plain.shape == (36, 16) and abs(plain[1, 0] - mp.sin(1)) < 1e-15
    squeezed = table("PixArtTransformer2DModel", sample_size=12, interpolation_scale=2, **sizes)
    assert abs(squeezed[1, 0] - mp.sin(0.5)) < 1e-15 and squeezed[6, 0] == 0
    larger = table("SD3Transformer2DModel", sample_size=12, pos_embed_max_size=10, **sizes)
    assert larger.shape == (100, 16) and abs(larger[1, 0] - mp.sin(mp.mpf(6) / 10)) < 1e-15
    video = {"sample_width": 12, "sample_height": 8, "sample_frames": 9, "max_text_seq_length": 5}
    text = table("CogVideoXTransformer3DModel", **video, **sizes)
    assert text.shape == (5 + 3 * 4 * 6, 16) and not text[:5].any()
    assert abs(text[6, 4] - mp.sin(mp.mpf(8) / 15)) < 1e-15 and text[6, 0] == 0
    assert calls("CogVideoXTransformer3DModel", use_rotary_positional_embeddings=True, **video, **sizes) == [
        "refpos.timestep_embedding(timesteps, 16, flip_sin_to_cos=True, downscale_freq_shift=0)"
    ]


def test_z_image_is_no_params_json():
    """Its keys dim, n_layers and n_heads are those of a params.json of Llama too."""
    names = {"dim": 3840, "n_layers": 30, "n_heads": 30, "n_kv_heads": 30, "norm_eps": 1e-5, "rope_theta": 256.0}
    model = refpos.from_config({"_class_name": "ZImageTransformer2DModel", **names})
    assert model.model_type == "ZImageTransformer2DModel" and model.rotary().head_dim == 128


@pytest.mark.parametrize(
    ("name", "values", "argument", "words"),
    [
        ("DiTTransformer2DModel", {"sample_size": 0}, "sample_size", "an integer from 1 to"),
        ("UNet2DModel", {"block_out_channels": []}, "block_out_channels", "an integer from 1 to"),
        ("UNet2DModel", {"flip_sin_to_cos": 1}, "flip_sin_to_cos", "true or false, got 1"),
        ("CosmosTransformer3DModel", {"max_size": [8, 8]}, "max_size", "a list of 3 sizes"),
        ("PixArtTransformer2DModel", {"interpolation_scale": 0}, "interpolation_scale", "greater than 0, got 0"),
        ("CosmosTransformer3DModel", {"rope_scale": [1, 1]}, "rope_scale", "rope_scale: "),
    ],
)  # fmt: skip
def test_sizes_that_are_refused(name, values, argument, words):
    with pytest.raises(InputError, match=words) as caught:
        refpos.from_config({"_class_name": name, **values})
    assert caught.value.argument == argument
