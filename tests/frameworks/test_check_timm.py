"""Live models of timm, which have no configuration: held against what they reveal, right and with defects planted."""

import pytest
import torch

import refpos
from frameworks._timm import timm_module
from frameworks.plants import assert_found, attribute, halves, leave_unnamed, pairs, result, tensor
from frameworks.small_models import sentences
from frameworks.small_timm import ARGUMENTS, made

#: how many findings are right, and how many learned tensors fit
COUNTS = {
    "vit_tiny_patch16_224": (0, 1), "deit_tiny_distilled_patch16_224": (0, 1), "deit3_small_patch16_224": (0, 1),
    "beit_base_patch16_224": (1, 1), "swin_tiny_patch4_window7_224": (2, 2), "swinv2_tiny_window8_256": (4, 0),
    "swinv2_base_window12to16_192to256": (4, 0), "swinv2_cr_tiny_224": (2, 0), "eva02_tiny_patch14_224": (2, 1),
    "vit_small_patch16_rope_224": (2, 0), "vit_small_patch16_rope_mixed_224": (2, 0),
    "vit_small_patch16_dinov3": (1, 0), "vit_pe_core_tiny_patch16_384": (2, 1), "naflexvit_base_patch16_gap": (1, 1),
    "maxvit_tiny_tf_224": (44, 22), "maxvit_rmlp_pico_rw_256": (44, 0), "levit_128s": (5, 5),
    "crossvit_tiny_240": (0, 2), "pit_ti_224": (0, 1), "xcit_nano_12_p16_224": (1, 0),
    "vit_relpos_small_patch16_224": (2, 0), "vit_srelpos_small_patch16_224": (2, 0), "hiera_tiny_224": (0, 1),
    "samvit_base_patch16": (0, 5), "cait_xxs24_224": (0, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_model_is_what_it_reveals(name):
    found = refpos.check(made(name))
    assert found.status == 0 and (len(found.of("right")), len(found.of("fits"))) == COUNTS[name], sentences(found)
    assert len(found.findings) == sum(COUNTS[name]), sentences(found)


def test_tensors_that_no_module_explains():
    found = refpos.check(made_convit())
    (left,) = found.of("not described")
    assert left.tensor.endswith("rel_indices") and found.status == 0


def made_convit():
    return timm_module("models.convit").convit_tiny(
        img_size=32, patch_size=8, embed_dim=32, depth=1, num_heads=2, local_up_to_layer=1
    )


@pytest.mark.parametrize(
    "name", ["eva02_tiny_patch14_224", "swinv2_tiny_window8_256", "xcit_nano_12_p16_224", "maxvit_tiny_tf_224"]
)
def test_a_model_in_bfloat16(name):
    found = refpos.check(made(name).to(torch.bfloat16))
    assert found.status == 0 and (len(found.of("right")), len(found.of("fits"))) == COUNTS[name], sentences(found)


# -- defects ----------------------------------------------------------------------------------------------------------

INDEX, BIASES = "relative_position_index", "relative_position_bias_table"
FIRST = {
    "beit_base_patch16_224": "blocks.0.attn", "swin_tiny_patch4_window7_224": "layers.0.blocks.0.attn",
    "swinv2_tiny_window8_256": "layers.1.blocks.0.attn", "vit_relpos_small_patch16_224": "blocks.0.attn.rel_pos",
    "vit_srelpos_small_patch16_224": "shared_rel_pos",
    "maxvit_rmlp_pico_rw_256": "stages.1.blocks.0.attn_grid.attn.rel_pos",
}  # fmt: skip
LEARNED = {
    "vit_tiny_patch16_224": "pos_embed", "deit_tiny_distilled_patch16_224": "pos_embed",
    "deit3_small_patch16_224": "pos_embed", "hiera_tiny_224": "pos_embed", "cait_xxs24_224": "pos_embed",
    "crossvit_tiny_240": "pos_embed_1", "beit_base_patch16_224": f"blocks.0.attn.{BIASES}",
    "swin_tiny_patch4_window7_224": f"layers.0.blocks.0.attn.{BIASES}",
    "levit_128s": "stages.1.downsample.attn_downsample.attention_biases",
    "maxvit_tiny_tf_224": "stages.0.blocks.0.attn_block.attn.rel_pos.relative_position_bias_table",
    "samvit_base_patch16": "blocks.1.attn.rel_pos_w", "naflexvit_base_patch16_gap": "embeds.pos_embed",
}  # fmt: skip


def side_by_side(change):
    """The change of [sines | cosines], each by itself."""
    return lambda table: torch.cat([change(one) for one in table.chunk(2, -1)], -1)


def exchanged(table):
    """[cosines | sines] of [sines | cosines]."""
    return torch.cat(table.chunk(2, -1)[::-1], -1)


def columns_first(tokens, rows, columns):
    """An index whose tokens count down the columns."""
    order = torch.arange(tokens)
    order[tokens - rows * columns :] = (torch.arange(rows * columns).reshape(columns, rows).T.flatten()
                                       + tokens - rows * columns)  # fmt: skip
    return lambda held: held.reshape(tokens, tokens)[order][:, order].reshape(held.shape)


COORDINATES = {
    "swinv2_tiny_window8_256": "layers.0.blocks.0.attn.relative_coords_table",
    "swinv2_base_window12to16_192to256": "layers.0.blocks.0.attn.relative_coords_table",
    "vit_relpos_small_patch16_224": "blocks.0.attn.rel_pos.rel_coords_log",
    "maxvit_rmlp_pico_rw_256": "stages.0.blocks.0.attn_block.attn.rel_pos.rel_coords_log",
}
LOOKUP = "stages.0.blocks.0.attn_block.attn.rel_pos"
PAIRS = "stages.1.blocks.0.attn.relative_coordinates_log"
#: (model, tensor or module, the defect)
DEFECTS = [
    *((name, f"{path}.{INDEX}", tensor(f"{path}.{INDEX}", lambda held: held.flip(0))) for name, path in FIRST.items()),
    *((name, f"{path}.{INDEX}", tensor(f"{path}.{INDEX}", lambda held: held.roll(1))) for name, path in FIRST.items()),
    *((name, path, tensor(path, lambda held: held.swapaxes(-2, -3))) for name, path in COORDINATES.items()),
    *((name, path, tensor(path, lambda held: 1.001 * held)) for name, path in COORDINATES.items()),
    *((name, path, tensor(path, lambda held: held[..., :-1])) for name, path in LEARNED.items()),
    ("pit_ti_224", "pos_embed", tensor("pos_embed", lambda held: held[..., :-1])),
    ("swin_tiny_patch4_window7_224", f"layers.0.blocks.0.attn.{INDEX}",
     tensor(f"layers.0.blocks.0.attn.{INDEX}", columns_first(16, 4, 4))),
    ("swin_tiny_patch4_window7_224", f"layers.0.blocks.0.attn.{INDEX}",
     tensor(f"layers.0.blocks.0.attn.{INDEX}", lambda held: held.T)),
    ("vit_relpos_small_patch16_224", f"blocks.0.attn.rel_pos.{INDEX}",
     tensor(f"blocks.0.attn.rel_pos.{INDEX}", columns_first(12, 3, 4))),
    ("beit_base_patch16_224", f"blocks.0.attn.{INDEX}",
     tensor(f"blocks.0.attn.{INDEX}", lambda held: torch.cat([held[:, 1:], held[:, :1]], 1))),
    ("swinv2_base_window12to16_192to256", "layers.0.blocks.0.attn.relative_coords_table",
     attribute("layers.0.blocks.0.attn", pretrained_window_size=(0, 0))),
    ("swinv2_cr_tiny_224", PAIRS, tensor(PAIRS, lambda held: -held)),
    ("swinv2_cr_tiny_224", PAIRS, tensor(PAIRS, lambda held: held.roll(1, 0))),
    ("maxvit_tiny_tf_224", f"{LOOKUP}.height_lookup", tensor(f"{LOOKUP}.height_lookup", lambda held: held.flip(-1))),
    ("maxvit_tiny_tf_224", f"{LOOKUP}.width_lookup", tensor(f"{LOOKUP}.width_lookup", lambda held: held.roll(1, -1))),
    ("levit_128s", "stages.0.blocks.0.attn.attention_bias_idxs",
     tensor("stages.0.blocks.0.attn.attention_bias_idxs", columns_first(16, 4, 4))),
    ("levit_128s", "stages.1.downsample.attn_downsample.attention_bias_idxs",
     tensor("stages.1.downsample.attn_downsample.attention_bias_idxs", lambda held: held.flip(0))),
    ("xcit_nano_12_p16_224", "pos_embed", attribute("pos_embed", temperature=1000)),
    ("xcit_nano_12_p16_224", "pos_embed", attribute("pos_embed", scale=6.0)),
    # rotations
    *((name, "rope.get_embed", result("rope", side_by_side(halves), "get_embed"))
      for name in ("eva02_tiny_patch14_224", "vit_small_patch16_rope_224", "naflexvit_base_patch16_gap")),
    ("vit_small_patch16_dinov3", "rope.get_embed", result("rope", side_by_side(pairs), "get_embed")),
    *((name, "rope.get_embed", result("rope", exchanged, "get_embed"))
      for name in ("vit_pe_core_tiny_patch16_384", "vit_small_patch16_dinov3", "vit_small_patch16_rope_mixed_224")),
    ("eva02_tiny_patch14_224", "rope.get_embed", tensor("rope.pos_embed", lambda held: held.roll(1, 0))),
    ("naflexvit_base_patch16_gap", "rope.get_embed", tensor("rope.bands", lambda held: held.flip(0))),
    ("vit_small_patch16_dinov3", "rope.get_embed", tensor("rope.periods", lambda held: held * 1.001)),
    ("vit_small_patch16_rope_mixed_224", "rope.get_embed", tensor("rope.t_x", lambda held: held + 1)),
    ("vit_small_patch16_rope_mixed_224", "rope.get_embed", attribute("rope", t_x=lambda held: held.flip(0))),
]  # fmt: skip
#: rotations of other arguments than those of the architecture
OTHERS = {
    "eva02_tiny_patch14_224": [{"rope_temperature": 100.0}, {"rope_grid_indexing": "xy"}, {"rope_grid_offset": 1.0}],
    "vit_small_patch16_rope_224": [{"rope_temperature": 10000.0}, {"rope_grid_indexing": "ij"}],
    "vit_small_patch16_dinov3": [{"rope_temperature": 10000.0}, {"rope_rotate_half": False}],
    "vit_pe_core_tiny_patch16_384": [{"rope_grid_offset": 0.0}, {"rope_temperature": 1000.0}],
    "vit_small_patch16_rope_mixed_224": [{"rope_grid_indexing": "ij"}],
}


@pytest.mark.parametrize("number", range(len(DEFECTS)), ids=lambda k: f"{k}-{DEFECTS[k][0]}")
def test_a_defect_is_found(number, monkeypatch):
    leave_unnamed(monkeypatch)
    name, where, plant = DEFECTS[number]
    assert_found(made(name), where, plant)


@pytest.mark.parametrize("name, changes", [(name, one) for name, many in OTHERS.items() for one in many])
def test_an_architecture_with_another_rotation(name, changes, monkeypatch):
    leave_unnamed(monkeypatch)
    found = refpos.check(made(name, **changes))
    off = {one.tensor.partition("(")[0] for one in found.of("differs")}
    assert found.status == 1 and off == {"rope.get_embed"}, sentences(found)


def test_inputs_are_not_passed_over_in_silence():
    found = refpos.check(made("cait_xxs24_224"), inputs={"x": torch.zeros(1)})
    assert found.findings[-1].state == "not described" and "forward passes" in found.findings[-1].sentence
