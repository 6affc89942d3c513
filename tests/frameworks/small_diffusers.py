"""Small random models of diffusers, by their classes, from their own arguments."""

import diffusers
import torch

HEADS = {"num_attention_heads": 2, "num_layers": 1}
FLUX = {**HEADS, "in_channels": 4, "num_single_layers": 1, "attention_head_dim": 16, "joint_attention_dim": 8,
        "axes_dims_rope": (4, 6, 6)}  # fmt: skip
WAN = {**HEADS, "attention_head_dim": 20, "in_channels": 4, "ffn_dim": 8, "text_dim": 8, "freq_dim": 24,
       "rope_max_seq_len": 32}  # fmt: skip
VIDEO = {**HEADS, "in_channels": 4, "attention_head_dim": 16, "text_embed_dim": 8, "rope_axes_dim": (4, 6, 6)}
PATCHES = {**HEADS, "attention_head_dim": 8, "in_channels": 4, "sample_size": 12, "patch_size": 2}
UNET = {"sample_size": 8, "in_channels": 4, "out_channels": 4, "layers_per_block": 1, "norm_num_groups": 8}
CONDITIONED = {**UNET, "block_out_channels": (16, 32), "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
               "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"), "cross_attention_dim": 8,
               "attention_head_dim": 2}  # fmt: skip
#: name of a case -> (class, its arguments)
ARGUMENTS = {
    "unet": ("UNet2DConditionModel", CONDITIONED),
    "unet-sdxl": ("UNet2DConditionModel",
                  {**CONDITIONED, "addition_embed_type": "text_time", "addition_time_embed_dim": 12,
                   "projection_class_embeddings_input_dim": 80}),
    "unet-ddpm": ("UNet2DModel",
                  {**UNET, "block_out_channels": (16, 32), "down_block_types": ("DownBlock2D", "DownBlock2D"),
                   "up_block_types": ("UpBlock2D", "UpBlock2D"), "flip_sin_to_cos": False, "freq_shift": 1}),
    "dit": ("DiTTransformer2DModel", {**PATCHES, "num_embeds_ada_norm": 10}),
    "pixart": ("PixArtTransformer2DModel",
               {**PATCHES, "cross_attention_dim": 16, "caption_channels": 8, "interpolation_scale": 2,
                "use_additional_conditions": True}),
    "sd3": ("SD3Transformer2DModel",
            {**PATCHES, "joint_attention_dim": 8, "caption_projection_dim": 16, "pooled_projection_dim": 8,
             "pos_embed_max_size": 10}),
    "hunyuan-dit": ("HunyuanDiT2DModel",
                    {**PATCHES, "hidden_size": 16, "cross_attention_dim": 8, "cross_attention_dim_t5": 8,
                     "pooled_projection_dim": 8}),
    "sana": ("SanaTransformer2DModel",
             {**HEADS, "in_channels": 4, "out_channels": 4, "attention_head_dim": 8, "num_cross_attention_heads": 2,
              "cross_attention_head_dim": 8, "cross_attention_dim": 16, "caption_channels": 8, "sample_size": 8,
              "interpolation_scale": 2.0}),
    "auraflow": ("AuraFlowTransformer2DModel",
                 {"sample_size": 8, "patch_size": 2, "in_channels": 4, "num_mmdit_layers": 1,
                  "num_single_dit_layers": 1, "attention_head_dim": 8, "num_attention_heads": 2,
                  "joint_attention_dim": 8, "caption_projection_dim": 16, "pos_embed_max_size": 16}),
    "cogvideox": ("CogVideoXTransformer3DModel",
                  {**HEADS, "attention_head_dim": 8, "in_channels": 4, "time_embed_dim": 8, "text_embed_dim": 8,
                   "sample_width": 12, "sample_height": 8, "sample_frames": 9, "max_text_seq_length": 5}),
    "latte": ("LatteTransformer3DModel",
              {**PATCHES, "caption_channels": 8, "cross_attention_dim": 16, "video_length": 6,
               "norm_type": "ada_norm_single", "num_embeds_ada_norm": 1000}),
    "allegro": ("AllegroTransformer3DModel",
                {**HEADS, "attention_head_dim": 24, "in_channels": 4, "out_channels": 4, "cross_attention_dim": 48,
                 "caption_channels": 8, "sample_height": 8, "sample_width": 8, "sample_frames": 2}),
    "flux": ("FluxTransformer2DModel", {**FLUX, "pooled_projection_dim": 8, "guidance_embeds": True}),
    "flux2": ("Flux2Transformer2DModel",
              {**FLUX, "attention_head_dim": 32, "rope_theta": 300, "axes_dims_rope": (8, 8, 10, 6),
               "timestep_guidance_channels": 24}),
    "chroma": ("ChromaTransformer2DModel",
               {**FLUX, "approximator_num_channels": 16, "approximator_hidden_dim": 8, "approximator_layers": 1}),
    "qwen-image": ("QwenImageTransformer2DModel",
                   {**HEADS, "in_channels": 4, "out_channels": 4, "attention_head_dim": 16, "joint_attention_dim": 8,
                    "axes_dims_rope": (4, 6, 6)}),
    "lumina2": ("Lumina2Transformer2DModel",
                {"sample_size": 8, "patch_size": 2, "in_channels": 4, "hidden_size": 32, "num_layers": 1,
                 "num_refiner_layers": 1, "num_attention_heads": 2, "num_kv_heads": 1, "axes_dim_rope": (4, 6, 6),
                 "axes_lens": (20, 24, 28), "cap_feat_dim": 8}),
    "z-image": ("ZImageTransformer2DModel",
                {"in_channels": 4, "dim": 32, "n_layers": 1, "n_refiner_layers": 1, "n_heads": 2, "n_kv_heads": 2,
                 "cap_feat_dim": 8, "axes_dims": [4, 6, 6], "axes_lens": [20, 24, 28]}),
    "hunyuan-video": ("HunyuanVideoTransformer3DModel",
                      {**VIDEO, "num_single_layers": 1, "num_refiner_layers": 1, "pooled_projection_dim": 8,
                       "rope_theta": 100.0}),
    "hunyuan-image": ("HunyuanImageTransformer2DModel",
                      {**VIDEO, "num_single_layers": 1, "num_refiner_layers": 1, "rope_axes_dim": (8, 8),
                       "patch_size": (1, 1), "text_embed_2_dim": 8}),
    "wan": ("WanTransformer3DModel", WAN),
    "skyreels": ("SkyReelsV2Transformer3DModel", WAN),
    "ltx": ("LTXVideoTransformer3DModel",
            {**HEADS, "in_channels": 4, "out_channels": 4, "attention_head_dim": 10, "cross_attention_dim": 20,
             "caption_channels": 8}),
    "cosmos": ("CosmosTransformer3DModel",
               {**HEADS, "in_channels": 4, "out_channels": 4, "attention_head_dim": 24, "text_embed_dim": 8,
                "adaln_lora_dim": 4, "max_size": (8, 12, 12), "patch_size": (1, 2, 2), "rope_scale": (2.0, 1.0, 3.0)}),
    "mochi": ("MochiTransformer3DModel",
              {**HEADS, "attention_head_dim": 8, "pooled_projection_dim": 16, "in_channels": 4, "text_embed_dim": 8,
               "time_embed_dim": 24, "max_sequence_length": 8}),
    "cogview4": ("CogView4Transformer2DModel",
                 {**HEADS, "patch_size": 2, "in_channels": 4, "out_channels": 4, "attention_head_dim": 8,
                  "text_embed_dim": 8, "time_embed_dim": 8, "condition_dim": 12, "sample_size": 8,
                  "rope_axes_dim": (32, 32)}),
    "framepack": ("HunyuanVideoFramepackTransformer3DModel",
                  {**VIDEO, "num_single_layers": 1, "num_refiner_layers": 1, "pooled_projection_dim": 8}),
    "hunyuan-video15": ("HunyuanVideo15Transformer3DModel",
                        {**VIDEO, "num_refiner_layers": 1, "text_embed_2_dim": 8, "image_embed_dim": 8}),
    "chrono-edit": ("ChronoEditTransformer3DModel", WAN),
    "helios": ("HeliosTransformer3DModel",
               {key: value for key, value in WAN.items() if key != "rope_max_seq_len"} | {"rope_dim": (8, 6, 6)}),
    "bria": ("BriaTransformer2DModel", {**FLUX, "pooled_projection_dim": 8, "time_theta": 1000}),
    "stable-audio": ("StableAudioDiTModel",
                     {**HEADS, "sample_size": 4, "in_channels": 4, "attention_head_dim": 8, "out_channels": 4,
                      "num_key_value_attention_heads": 1, "cross_attention_dim": 8, "time_proj_dim": 8,
                      "global_states_input_dim": 8, "cross_attention_input_dim": 8}),
}  # fmt: skip


def made(name, **changes):
    """The small model of a case."""
    torch.manual_seed(0)
    kind, arguments = ARGUMENTS[name]
    return getattr(diffusers, kind)(**{**arguments, **changes})
