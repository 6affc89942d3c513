"""Live models of diffusers held against their own configuration: small random ones, right and with defects planted."""

import pytest
import torch
from diffusers.models import embeddings

import refpos
from frameworks.plants import (
    assert_found,
    attribute,
    each,
    given,
    halves,
    leave_unnamed,
    pairs,
    result,
    second_half,
    second_of_pair,
    tensor,
    transposed,
)
from frameworks.small_diffusers import ARGUMENTS, made
from frameworks.small_models import sentences

#: how many findings are right, and how many learned tensors fit
COUNTS = {
    "unet": (1, 0), "unet-sdxl": (2, 0), "unet-ddpm": (1, 0), "dit": (2, 0), "pixart": (3, 0), "sd3": (2, 0),
    "hunyuan-dit": (2, 1), "sana": (2, 0), "auraflow": (1, 1), "cogvideox": (2, 0), "latte": (3, 0),
    "allegro": (1, 0), "flux": (2, 0), "flux2": (2, 0), "chroma": (3, 0), "qwen-image": (3, 0), "lumina2": (4, 0),
    "z-image": (2, 0), "hunyuan-video": (3, 0), "hunyuan-image": (3, 0), "wan": (3, 0), "skyreels": (3, 0),
    "ltx": (2, 0), "cosmos": (2, 3), "mochi": (2, 1), "cogview4": (3, 0), "stable-audio": (1, 1),
    "framepack": (3, 0), "hunyuan-video15": (3, 0), "chrono-edit": (3, 0), "helios": (2, 0), "bria": (2, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_model_is_what_its_configuration_says(name):
    found = refpos.check(made(name))
    assert found.status == 0 and (len(found.of("right")), len(found.of("fits"))) == COUNTS[name], sentences(found)
    assert len(found.findings) == sum(COUNTS[name]), sentences(found)


# -- defects ----------------------------------------------------------------------------------------------------------


def table_of(**arguments):
    """The sinusoids of a grid by other arguments than those of the class."""
    return lambda held: embeddings.get_2d_sincos_pos_embed(16, 6, base_size=6, **arguments).float()[None]


TIMES = {
    "unet": "time_proj", "unet-ddpm": "time_proj", "dit": "transformer_blocks.0.norm1.emb.time_proj",
    "pixart": "adaln_single.emb.additional_condition_proj", "sd3": "time_text_embed.time_proj",
    "auraflow": "time_step_embed", "cogvideox": "time_proj", "wan": "condition_embedder.timesteps_proj",
    "chroma": "time_text_embed.guidance_proj", "mochi": "time_embed.time_proj",
}  # fmt: skip
#: (case, tensor or module, the defect)
DEFECTS = [
    *((name, path, attribute(path, flip_sin_to_cos=lambda held: not held)) for name, path in TIMES.items()),
    *((name, path, attribute(path, downscale_freq_shift=lambda held: 1 - held)) for name, path in TIMES.items()),
    ("auraflow", "time_step_embed", attribute("time_step_embed", scale=1)),
    ("qwen-image", "time_text_embed.time_proj", attribute("time_text_embed.time_proj", scale=1)),
    ("flux", "time_text_embed.time_proj", attribute("time_text_embed.time_proj", num_channels=128)),
    ("skyreels", "condition_embedder.timesteps_proj",
     attribute("condition_embedder.timesteps_proj", flip_sin_to_cos=False)),
    ("skyreels", "condition_embedder.timesteps_proj", given("condition_embedder.timesteps_proj", lambda t: t + 1)),
    ("stable-audio", "time_proj", attribute("time_proj", flip_sin_to_cos=False)),
    ("stable-audio", "time_proj", attribute("time_proj", log=True)),
    ("stable-audio", "time_proj.weight", tensor("time_proj.weight", lambda held: held[:-1])),
    # tables of grids
    ("dit", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", transposed(6, 6))),
    ("dit", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", lambda held: held.roll(1, 1))),
    ("dit", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", lambda held: held.roll(4, 2))),
    ("pixart", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", table_of(interpolation_scale=1.0))),
    ("pixart", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", table_of(interpolation_scale=2.01))),
    ("sd3", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", lambda held: held[:, :-10])),
    ("sd3", "pos_embed.pos_embed",
     tensor("pos_embed.pos_embed",
            lambda held: embeddings.get_2d_sincos_pos_embed(16, 10, base_size=10).float()[None])),
    ("sana", "patch_embed.pos_embed", tensor("patch_embed.pos_embed", transposed(8, 8))),
    ("sana", "patch_embed.pos_embed", tensor("patch_embed.pos_embed", lambda held: held * 1.001)),
    ("latte", "temp_pos_embed", tensor("temp_pos_embed", lambda held: held.roll(1, 1))),
    ("latte", "temp_pos_embed", tensor("temp_pos_embed", lambda held: held.roll(8, 2))),
    ("cogvideox", "patch_embed.pos_embedding",
     tensor("patch_embed.pos_embedding", lambda held: torch.cat([held[:, 1:], held[:, :1]], 1))),
    ("cogvideox", "patch_embed.pos_embedding",
     tensor("patch_embed.pos_embedding",
            lambda held: torch.cat([held[:, :5], transposed(3, 4, 6)(held[:, 5:])], 1))),
    ("auraflow", "pos_embed.pos_embed", tensor("pos_embed.pos_embed", lambda held: held[:, :-1])),
    ("hunyuan-dit", "time_extra_emb.pooler.positional_embedding",
     tensor("time_extra_emb.pooler.positional_embedding", lambda held: held[:-1])),
    ("cosmos", "learnable_pos_embed.pos_emb_h", tensor("learnable_pos_embed.pos_emb_h", lambda held: held[:-1])),
    # rotations of ids
    ("flux", "pos_embed", attribute("pos_embed", theta=9990)),
    ("flux", "pos_embed", attribute("pos_embed", axes_dim=[6, 4, 6])),
    ("flux", "pos_embed", given("pos_embed", lambda ids: ids + 1)),
    ("flux", "pos_embed", result("pos_embed", each(halves))),
    ("flux", "pos_embed", result("pos_embed", each(second_of_pair))),
    ("flux", "pos_embed", result("pos_embed", lambda pair: pair[::-1])),
    ("flux2", "pos_embed", attribute("pos_embed", theta=10000)),
    ("flux2", "pos_embed", given("pos_embed", lambda ids: ids.roll(1, -1))),
    ("chroma", "pos_embed", attribute("pos_embed", theta=1000)),
    ("z-image", "rope_embedder", attribute("rope_embedder", theta=10000.0)),
    ("z-image", "rope_embedder", attribute("rope_embedder", axes_dims=[6, 6, 4])),
    # rotations of grids
    ("qwen-image", "pos_embed", attribute("pos_embed", scale_rope=False)),
    ("qwen-image", "pos_embed", attribute("pos_embed", pos_freqs=lambda held: held.roll(1, 0))),
    ("qwen-image", "pos_embed", attribute("pos_embed", neg_freqs=lambda held: held.flip(0))),
    ("lumina2", "rope_embedder", attribute("rope_embedder", patch_size=1)),
    ("lumina2", "rope_embedder",
     attribute("rope_embedder", freqs_cis=lambda held: [held[0], held[2][:24], held[1].repeat(2, 1)[:28] * 1j])),
    ("hunyuan-video", "rope", attribute("rope", theta=256.0)),
    ("hunyuan-video", "rope", attribute("rope", patch_size=1)),
    ("hunyuan-video", "rope", result("rope", each(transposed(3, 2, 5)))),
    ("hunyuan-video", "rope", result("rope", each(halves))),
    ("hunyuan-image", "rope", attribute("rope", rope_dim=[4, 12])),
    ("hunyuan-image", "rope", attribute("rope", theta=255.0)),
    ("wan", "rope.freqs_cos, rope.freqs_sin", tensor("rope.freqs_cos", lambda held: held.roll(1, 0))),
    ("wan", "rope", tensor("rope.freqs_sin", lambda held: -held)),
    ("wan", "rope", attribute("rope", t_dim=6, h_dim=8)),
    ("skyreels", "rope", result("rope", lambda pair: (pair[0].roll(1, 1), pair[1].roll(1, 1)))),
    ("framepack", "rope", attribute("rope", theta=255.0)),
    ("framepack", "rope", given("rope", lambda frames: frames + 1)),
    ("chrono-edit", "rope", result("rope", each(lambda table: table.roll(2, -1)))),
    ("helios", "rope", tensor("rope.freqs_base_y", lambda held: held.flip(0))),
    ("helios", "rope", result("rope", lambda table: table.transpose(-1, -2))),
    ("bria", "time_embed.time_proj", attribute("time_embed.time_proj", time_theta=10000)),
    ("bria", "pos_embed", attribute("pos_embed", theta=1000)),
    ("ltx", "rope", attribute("rope", theta=9990.0)),
    ("ltx", "rope", attribute("rope", base_height=1024)),
    ("ltx", "rope", result("rope", each(lambda table: table.roll(2, -1)))),
    ("cosmos", "rope", attribute("rope", t_ntk_factor=1.0)),
    ("cosmos", "rope", result("rope", each(pairs))),
    ("cosmos", "rope", result("rope", each(second_half))),
    ("cosmos", "rope", attribute("rope", w_ntk_factor=1.0, h_ntk_factor=3.0)),
    ("cogview4", "rope", attribute("rope", rope_axes_dim=(256, 256))),
    ("cogview4", "rope", attribute("rope", theta=1000.0)),
    ("mochi", "rope", attribute("rope", target_area=128 * 128)),
    ("mochi", "rope", result("rope", lambda pair: (pair[0], -pair[1]))),
    ("mochi", "pos_frequencies", tensor("pos_frequencies", lambda held: held[..., :-1])),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(DEFECTS)), ids=lambda k: f"{k}-{DEFECTS[k][0]}-{DEFECTS[k][1]}")
def test_a_defect_is_found(number, monkeypatch):
    leave_unnamed(monkeypatch)
    name, where, plant = DEFECTS[number]
    assert_found(made(name), where, plant)


def test_a_mistake_has_its_name():
    model = made("flux")
    model.pos_embed.theta = 9990
    model.time_text_embed.time_proj.flip_sin_to_cos = False
    told = " ".join(one.sentence for one in refpos.check(model).of("differs"))
    assert "flip_sin_to_cos=False" in told and "base=9990" in told, told


def test_inputs_are_not_passed_over_in_silence():
    found = refpos.check(made("dit"), inputs={"timestep": torch.zeros(1)})
    assert found.findings[-1].state == "not described" and "forward passes" in found.findings[-1].sentence
