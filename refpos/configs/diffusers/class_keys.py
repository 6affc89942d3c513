"""The keys of a class of diffusers, with the values that the class has where a file is silent."""

from ...errors import InputError, shown
from ..keys import WIDEST

WAN = {"freq_dim": 256}
HEADS = {"num_attention_heads": 16, "attention_head_dim": 72}
VIDEO_15 = {"use_meanflow": False}
BRIA = {"time_theta": 10000}
#: class -> {key: its default}, as the class of diffusers 0.42.1 has it
DEFAULTS = {
    "UNet2DConditionModel": {"block_out_channels": 320, "flip_sin_to_cos": True, "freq_shift": 0,
                             "time_embedding_type": "positional", "addition_embed_type": None,
                             "addition_time_embed_dim": None},
    "UNet2DModel": {"block_out_channels": 224, "flip_sin_to_cos": True, "freq_shift": 0,
                    "time_embedding_type": "positional"},
    "DiTTransformer2DModel": {**HEADS, "sample_size": 32, "patch_size": 2},
    "PixArtTransformer2DModel": {**HEADS, "sample_size": 128, "patch_size": 2, "interpolation_scale": None,
                                 "use_additional_conditions": None},
    "SD3Transformer2DModel": {"num_attention_heads": 18, "attention_head_dim": 64, "sample_size": 128,
                              "patch_size": 2, "pos_embed_max_size": 96},
    "SanaTransformer2DModel": {"num_attention_heads": 70, "attention_head_dim": 32, "sample_size": 32,
                               "patch_size": 1, "interpolation_scale": None, "guidance_embeds": False},
    "AuraFlowTransformer2DModel": {"num_attention_heads": 12, "attention_head_dim": 256, "pos_embed_max_size": 1024},
    "CogVideoXTransformer3DModel": {
        "num_attention_heads": 30, "attention_head_dim": 64, "flip_sin_to_cos": True, "freq_shift": 0,
        "ofs_embed_dim": None, "sample_width": 90, "sample_height": 60, "sample_frames": 49, "patch_size": 2,
        "temporal_compression_ratio": 4, "max_text_seq_length": 226, "spatial_interpolation_scale": 1.875,
        "temporal_interpolation_scale": 1.0, "use_rotary_positional_embeddings": False,
        "use_learned_positional_embeddings": False,
    },
    "LatteTransformer3DModel": {"num_attention_heads": 16, "attention_head_dim": 88, "sample_size": 64,
                                "patch_size": None, "video_length": 16},
    "Flux2Transformer2DModel": {"timestep_guidance_channels": 256},
    "Flux3Transformer2DModel": {"timestep_channels": 256},
    "ChromaTransformer2DModel": {"approximator_num_channels": 64},
    "CosmosTransformer3DModel": {"num_attention_heads": 32, "attention_head_dim": 128, "max_size": (128, 240, 240),
                                 "patch_size": (1, 2, 2), "extra_pos_embed_type": "learnable"},
    "MochiTransformer3DModel": {"num_attention_heads": 24, "attention_head_dim": 128, "time_embed_dim": 256},
    "StableAudioDiTModel": {"time_proj_dim": 256},
    "CogView4Transformer2DModel": {"num_attention_heads": 64, "attention_head_dim": 40, "condition_dim": 256},
    "HunyuanDiT2DModel": {"text_len_t5": 256, "cross_attention_dim_t5": 2048},
    "NucleusMoEImageTransformer2DModel": {"num_attention_heads": 16, "attention_head_dim": 128},
    **dict.fromkeys(("BriaTransformer2DModel", "BriaFiboTransformer2DModel"), BRIA),
    **dict.fromkeys(("WanTransformer3DModel", "WanVACETransformer3DModel", "SkyReelsV2Transformer3DModel",
                     "AnyFlowTransformer3DModel", "ChronoEditTransformer3DModel", "HeliosTransformer3DModel"), WAN),
    **dict.fromkeys(("HunyuanVideo15Transformer3DModel", "HunyuanImageTransformer2DModel"), VIDEO_15),
}  # fmt: skip


class ClassKeys:
    """The keys of one class: those of the file, else its defaults."""

    def __init__(self, keys, name):
        self.keys, self.defaults = keys, DEFAULTS.get(name, {})

    def value(self, name, decides):
        """The value of a key, of a list the first one."""
        value = self.keys.take(name, decides, self.defaults.get(name))
        return value[0] if isinstance(value, (list, tuple)) and value else value

    def size(self, name, decides="the width of an embedding", most=16 * WIDEST):
        """An integer from 1 on."""
        value = self.value(name, decides)
        if type(value) is not int or not 1 <= value <= most:
            raise InputError("E_SIZE", name, f"{name} must be an integer from 1 to {most}, got {shown(value)}")
        return value

    def number(self, name, decides):
        """A number, or None where neither file nor class has one."""
        if self.keys.peek(name, self.defaults.get(name)) is None:
            return None
        return self.keys.number(name, decides, self.defaults.get(name))

    def positive(self, name, decides):
        """A number greater than 0, or None where neither file nor class has one."""
        value = self.number(name, decides)
        if value is not None and not 0 < value < float("inf"):
            raise InputError("E_NUMBER", name, f"{name} must be a number greater than 0, got {shown(value)}")
        return value

    def flag(self, name, decides):
        """True or False."""
        value = self.value(name, decides)
        if value is not None and not isinstance(value, bool):
            raise InputError("E_CHOICE", name, f"{name} must be true or false, got {shown(value)}")
        return bool(value)

    def sizes(self, name, decides, count):
        """A list of so many integers from 1 on."""
        value = self.keys.take(name, decides, self.defaults.get(name))
        fits = isinstance(value, (list, tuple)) and len(value) == count
        if not fits or any(type(one) is not int or not 1 <= one <= 2**20 for one in value):
            raise InputError("E_SHAPE", name, f"{name} must be a list of {count} sizes, got {shown(value)}")
        return list(value)

    def product(self, *names):
        """The product of several sizes."""
        result = 1
        for name in names:
            result *= self.size(name)
        return result
