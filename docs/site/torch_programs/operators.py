"""Core functions of the family operators as models write them in torch, in float32."""

import torch


def onnx_attention(q, k, v, attn_mask):
    """The operator of opset 23, with grouped heads: torch runs it as the exported graph does."""
    return torch.onnx.ops.attention(q, k, v, attn_mask)[0]


def onnx_rotary_embedding(x, cos_cache, sin_cache, position_ids):
    """The operator of opset 23: x is (batch, heads, seq, head_size)."""
    return torch.onnx.ops.rotary_embedding(x, cos_cache, sin_cache, position_ids, interleaved=True)
