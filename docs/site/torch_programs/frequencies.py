"""Core functions of the family frequencies as models write them in torch, in float32."""

import math

import torch
from torch.nn import functional as F


def inverse_frequencies(dim, base=10000.0):
    return 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)


def linear(dim, factor, base=10000.0):
    """Position interpolation."""
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    return inv_freq / factor


def ntk(dim, factor, base=10000.0):
    """NTK-aware: another base."""
    base = base * factor ** (dim / (dim - 2))
    return 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)


def dynamic_ntk(dim, factor, max_position_embeddings, seq_len, base=10000.0):
    """The base of NTK for the length of the sequence."""
    seq_len = max(seq_len, max_position_embeddings)
    growth = factor * seq_len / max_position_embeddings - (factor - 1)
    base = base * growth ** (dim / (dim - 2))
    return 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)


def llama3(dim, base, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings):
    """Divided by the factor where the wavelength is long, kept where it is short, and a ramp between."""
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    rotations = original_max_position_embeddings * inv_freq / (2 * math.pi)
    ramp = (rotations - low_freq_factor) / (high_freq_factor - low_freq_factor)
    ramp = ramp.clamp(0, 1)
    return (1 - ramp) * inv_freq / factor + ramp * inv_freq


def axial_frequencies(widths, base=10000.0):
    """As Flux, a block of channels for each axis: pair i rotates by the position on axes[i] times inv_freq[i]."""
    blocks = [1.0 / base ** (torch.arange(0, width, 2, dtype=torch.float32) / width) for width in widths]
    axes = torch.repeat_interleave(torch.arange(len(widths)), torch.tensor(widths) // 2)
    return torch.cat(blocks), 1.0, axes


def longrope(dim, short_factor, long_factor, original_max_position_embeddings, factor, seq_len, base=10000.0):
    """Phi-3: the list is chosen by the length, and cos and sin are multiplied by the second result."""
    ext_factors = torch.tensor(long_factor if seq_len > original_max_position_embeddings else short_factor)
    inv_freq = 1.0 / (ext_factors * base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
    if factor <= 1:
        return inv_freq, 1.0
    return inv_freq, math.sqrt(1 + math.log(factor) / math.log(original_max_position_embeddings))


def mrope_frequencies(dim, sections, base=10000.0):
    """arrangement="chunked", as Qwen2-VL: which of the three positions of a token rotates each pair."""
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    return inv_freq, 1.0, torch.repeat_interleave(torch.arange(len(sections)), torch.tensor(sections))


def proportional(dim, partial_rotary_factor, factor=1.0, base=10000.0):
    """Gemma 4: the other pairs have frequency 0 and stay as they are."""
    rotated = int(partial_rotary_factor * dim // 2)
    inv_freq = 1.0 / base ** (torch.arange(0, 2 * rotated, 2, dtype=torch.int64).float() / dim)
    return F.pad(inv_freq, (0, dim // 2 - rotated)) / factor


def yarn(dim, factor, original_max_position_embeddings, beta_fast=32, beta_slow=1, base=10000.0):
    """With truncate=True and no mscale; cos and sin are multiplied by the second result."""
    lengths = [original_max_position_embeddings / (2 * math.pi * beta) for beta in (beta_fast, beta_slow)]
    low, high = (dim * math.log(one) / (2 * math.log(base)) for one in lengths)
    low, high = max(math.floor(low), 0), min(math.ceil(high), dim - 1)
    ramp = ((torch.arange(dim // 2).float() - low) / (high - low)).clamp(0, 1)
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    return inv_freq / factor * ramp + inv_freq * (1 - ramp), 0.1 * math.log(factor) + 1.0
