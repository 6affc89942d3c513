"""Small random models of timm, by the functions that make them."""

import torch

from frameworks._timm import timm_module

VIT = {"img_size": (24, 32), "patch_size": 8, "embed_dim": 32, "depth": 1, "num_heads": 2}
SWIN = {"img_size": 32, "patch_size": 4, "window_size": 4, "embed_dim": 16, "depths": (1, 1), "num_heads": (2, 2)}
#: function -> (file, arguments)
ARGUMENTS = {
    "vit_tiny_patch16_224": ("vision_transformer", VIT),
    "deit_tiny_distilled_patch16_224": ("deit", VIT),
    "deit3_small_patch16_224": ("deit", VIT),
    "beit_base_patch16_224": ("beit", VIT),
    "swin_tiny_patch4_window7_224": ("swin_transformer", SWIN),
    "swinv2_tiny_window8_256": ("swin_transformer_v2", SWIN),
    "swinv2_base_window12to16_192to256": ("swin_transformer_v2", {**SWIN, "pretrained_window_sizes": (3, 3)}),
    "swinv2_cr_tiny_224": ("swin_transformer_v2_cr", {**SWIN, "img_size": 64}),
    "eva02_tiny_patch14_224": ("eva", VIT),
    "vit_small_patch16_rope_224": ("eva", VIT),
    "vit_small_patch16_rope_mixed_224": ("eva", VIT),
    "vit_small_patch16_dinov3": ("eva", VIT),
    "vit_pe_core_tiny_patch16_384": ("eva", VIT),
    "naflexvit_base_patch16_gap": (
        "naflexvit",
        {"patch_size": 8, "embed_dim": 32, "depth": 1, "num_heads": 2, "pos_embed_grid_size": (3, 4),
         "rope_type": "axial"},
    ),
    "maxvit_tiny_tf_224": ("maxxvit", {"img_size": 64}),
    "maxvit_rmlp_pico_rw_256": ("maxxvit", {"img_size": 64}),
    "levit_128s": ("levit", {"img_size": 64, "embed_dim": (16, 24, 32), "key_dim": 8, "num_heads": (2, 2, 2),
                             "depth": (1, 1, 1)}),
    "crossvit_tiny_240": ("crossvit", {"img_size": 120}),
    "pit_ti_224": ("pit", {"img_size": 64}),
    "xcit_nano_12_p16_224": ("xcit", {"img_size": 32, "embed_dim": 32, "depth": 1, "num_heads": 2}),
    "vit_relpos_small_patch16_224": ("vision_transformer_relpos", VIT),
    "vit_srelpos_small_patch16_224": ("vision_transformer_relpos", VIT),
    "hiera_tiny_224": ("hiera", {"img_size": (64, 64), "embed_dim": 16, "num_heads": 1, "stages": (1, 1, 1, 1)}),
    "samvit_base_patch16": (
        "vision_transformer_sam",
        {"img_size": 64, "patch_size": 16, "embed_dim": 32, "depth": 2, "num_heads": 2, "global_attn_indexes": (1,),
         "window_size": 3},
    ),
    "cait_xxs24_224": ("cait", VIT),
}  # fmt: skip


def made(name, **changes):
    """The small model of a function."""
    torch.manual_seed(0)
    file, arguments = ARGUMENTS[name]
    return getattr(timm_module(f"models.{file}"), name)(**{**arguments, **changes})
