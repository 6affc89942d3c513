"""Core functions of the family absolute as models write them in torch, in float32."""

import math

import torch
from torch.nn import functional as F


def sinusoidal(positions, dim, base=10000.0):
    """Sines and cosines in turn."""
    div_term = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(base) / dim))
    angles = positions.float()[:, None] * div_term
    table = torch.zeros(len(positions), dim)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def timestep_embedding(timesteps, dim, max_period=10000):
    """Cosines first, as Stable Diffusion and DiT have them; DDPM has the sines first (flip_sin_to_cos=False)."""
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32) / half)
    angles = timesteps.float()[:, None] * freqs
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


def sincos_2d(height, width, dim, base=10000.0):
    """Rows first: axis_order="hw", layout="sin-cos". For "wh", as MAE and DiT, write `for axis in (x, y)` below."""
    omega = 1.0 / base ** (torch.arange(dim // 4, dtype=torch.float32) / (dim // 4))
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    angles = [axis.float()[..., None] * omega for axis in (y, x)]
    return torch.cat([wave for axis in angles for wave in (axis.sin(), axis.cos())], dim=-1)


def conv_positions(x, weight, bias, magnitude, groups):
    """The positional convolution of wav2vec 2.0, which the model adds to x: x is (batch, length, channels)."""
    weight = weight * (magnitude / weight.norm(dim=(0, 1), keepdim=True))
    kernel = weight.shape[-1]
    y = F.conv1d(x.transpose(1, 2), weight, bias, padding=kernel // 2, groups=groups)
    if kernel % 2 == 0:
        y = y[..., :-1]
    return F.gelu(y).transpose(1, 2)


def fourier_bands(x, num_bands):
    """NeRF with factor="pi": include="first", order="band-kind-axis"."""
    waves = [wave(math.pi * x * 2.0**k) for k in range(num_bands) for wave in (torch.sin, torch.cos)]
    return torch.cat([x, *waves], dim=-1)


def masked_sine_2d(mask, dim, temperature=10000.0, eps=1e-6):
    """DETR: mask is True where there is image, normalize=True, half_pixel=False, axis_order="hw", scale="2pi"."""
    y, x = mask.cumsum(1, dtype=torch.float32), mask.cumsum(2, dtype=torch.float32)
    y = y / (y[:, -1:, :] + eps) * 2 * math.pi
    x = x / (x[:, :, -1:] + eps) * 2 * math.pi
    dim_t = temperature ** (torch.arange(0, dim // 2, 2).float() / (dim // 2))
    waves = [torch.stack([(a[..., None] / dim_t).sin(), (a[..., None] / dim_t).cos()], dim=-1) for a in (y, x)]
    return torch.cat([one.flatten(-2) for one in waves], dim=-1)


def sincos_3d(frames, height, width, widths, base=10000.0):
    """axis_order="thw", layout="sin-cos": widths are the channels of time, rows and columns."""
    axes = torch.meshgrid(torch.arange(frames), torch.arange(height), torch.arange(width), indexing="ij")
    waves = []
    for axis, size in zip(axes, widths, strict=True):
        omega = 1.0 / base ** (torch.arange(size // 2, dtype=torch.float32) / (size // 2))
        angles = axis.float()[..., None] * omega
        waves += [angles.sin(), angles.cos()]
    return torch.cat(waves, dim=-1)


def time2vec(t, weight, phase):
    """linear="first", kind="sin"."""
    angles = t.float()[..., None] * weight + phase
    return torch.cat([angles[..., :1], angles[..., 1:].sin()], dim=-1)
