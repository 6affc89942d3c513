"""config.json of diffusers: the named model of a class, with the widths and the base of the file."""

import numpy as np
import pytest

import refpos
from refpos import models
from refpos.configs.dialects.diffusers_classes import ROWS
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
    assert model.rotary().head_dim == width and set(values) < set(model.used)
    arguments = {
        "head_dim": width,
        **({"widths": (8,) * axes} if row.widths else {}),
        **({"base": 300} if row.base else {}),
    }
    expected = models.load(row.preset, **arguments)
    assert model.rotary().inv_freq.tolist() == expected.inv_freq.tolist() != standard.inv_freq.tolist()
    assert model.rotary().frequencies.axes == expected.frequencies.axes and model.rotary().notes == expected.notes
    assert "timestep" in model.unread["_class_name"]


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
    chroma = {"_class_name": "ChromaTransformer2DModel", "axes_dims_rope": [16, 56, 56]}
    assert refpos.same_encoding(FLUX, chroma)
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
