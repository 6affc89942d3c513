"""Modules of transformers and diffusers by the name of a model, and a configuration for their rotary modules."""

from importlib import import_module
from types import SimpleNamespace


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def df(name):
    return import_module(f"diffusers.models.transformers.transformer_{name}")


def settings(head_dim, base, rope_type="default", **more):
    """What rotary modules of transformers read of a configuration."""
    return SimpleNamespace(
        rope_parameters={"rope_type": rope_type, "rope_theta": float(base), **more},
        head_dim=head_dim,
        hidden_size=head_dim,
        embed_dim=head_dim,
        num_attention_heads=1,
        max_position_embeddings=4096,
        rope_theta=float(base),
        image_size=16,
        patch_size=1,
        memory_attention_hidden_size=head_dim,
        memory_attention_downsample_rate=1,
        memory_attention_num_attention_heads=1,
    )
