"""Core functions of the family rotary as models write them in torch, in float32."""

import torch


def rope_table(positions, inv_freq):
    """One column for each pair; models often repeat the columns."""
    angles = positions.float()[:, None] * inv_freq
    return angles.cos(), angles.sin()


def rope(x, positions, base=10000.0):
    """pairing="half", as Llama of transformers: x is (..., seq, head_dim)."""
    dim = x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    angles = positions.float()[:, None] * inv_freq
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    rotate_half = torch.cat([-x[..., dim // 2 :], x[..., : dim // 2]], dim=-1)
    return x * cos + rotate_half * sin


def mrope(x, position_ids, sections, base=10000.0):
    """pairing="half", arrangement="chunked", as Qwen2-VL; position_ids is (3, seq): time, row, column."""
    dim = x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    axis = torch.repeat_interleave(torch.arange(len(sections)), torch.tensor(sections))
    angles = position_ids.float()[axis].T * inv_freq
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    rotate_half = torch.cat([-x[..., dim // 2 :], x[..., : dim // 2]], dim=-1)
    return x * cos + rotate_half * sin


def mixed_rope(x, positions, weight):
    """pairing="interleaved", as RoPE-ViT: x is (heads, seq, dim), weight (axes, heads, dim / 2)."""
    angles = torch.einsum("an,ahi->hni", positions.float(), weight)
    rotated = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(rotated).flatten(-2)


def rope_2d(x, height, width, base=10000.0):
    """pairing="half", axis_order="hw", as the vision tower of Qwen2-VL: x is (..., height * width, head_dim)."""
    dim = x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, dim // 2, 2, dtype=torch.float32) / (dim // 2))
    y, x_of = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    angles = torch.cat([axis.flatten().float()[:, None] * inv_freq for axis in (y, x_of)], dim=-1)
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    rotate_half = torch.cat([-x[..., dim // 2 :], x[..., : dim // 2]], dim=-1)
    return x * cos + rotate_half * sin


def rope_3d(x, frames, height, width, widths, base=10000.0):
    """pairing="interleaved", axis_order="thw", as Wan: x is (..., frames * height * width, head_dim)."""
    axes = torch.meshgrid(torch.arange(frames), torch.arange(height), torch.arange(width), indexing="ij")
    freqs = [1.0 / base ** (torch.arange(0, size, 2, dtype=torch.float32) / size) for size in widths]
    angles = torch.cat([axis.flatten().float()[:, None] * one for axis, one in zip(axes, freqs, strict=True)], dim=-1)
    rotated = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(rotated).flatten(-2)


def xpos(x, scale_base=512, downscale=False):
    """pairing="interleaved", centring="floor", as torchscale: x is (..., seq, head_dim); keys have downscale=True."""
    length, dim = x.shape[-2:]
    zeta = (torch.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
    power = (torch.arange(length) - length // 2).float()[:, None] / scale_base
    scale = zeta ** (-power if downscale else power)
    inv_freq = 1.0 / 10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    angles = torch.arange(length).float()[:, None] * inv_freq
    cos, sin = (torch.repeat_interleave(wave * scale, 2, dim=-1) for wave in (angles.cos(), angles.sin()))
    rotate_every_two = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * cos + rotate_every_two * sin
