"""Core functions as models write them in torch, in float32; the pages of the functions show them."""

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
    """Half of the channels for the row, half for the column: axis_order="hw", layout="sin-cos"."""
    omega = 1.0 / base ** (torch.arange(dim // 4, dtype=torch.float32) / (dim // 4))
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    angles = [axis.float()[..., None] * omega for axis in (y, x)]
    return torch.cat([wave for axis in angles for wave in (axis.sin(), axis.cos())], dim=-1)


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


def alibi_slopes(num_heads):
    """For a power of two of heads."""
    start = 2.0 ** (-8.0 / num_heads)
    return torch.tensor([start ** (k + 1) for k in range(num_heads)])


def alibi(num_heads, length):
    """The causal bias."""
    slopes = torch.tensor([2.0 ** (-8.0 * (k + 1) / num_heads) for k in range(num_heads)])
    distance = torch.arange(length)[None, :] - torch.arange(length)[:, None]
    return (slopes[:, None, None] * distance).masked_fill(distance > 0, float("-inf"))


def t5_buckets(relative_positions, num_buckets=32, max_distance=128):
    """bidirectional=True: key position minus query position; the logarithm is rounded to float32."""
    num_buckets //= 2
    buckets = (relative_positions > 0).long() * num_buckets
    distance = relative_positions.abs()
    exact = num_buckets // 2
    ratio = torch.log(distance.float().clamp(min=1) / exact) / math.log(max_distance / exact)
    large = (exact + (ratio * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return buckets + torch.where(distance < exact, distance, large)


def window_rows(height, width):
    """The relative position index of Swin: sign="query-key"."""
    grid = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    coords = torch.stack(grid).flatten(1)
    relative = coords[:, :, None] - coords[:, None, :]
    return (relative[0] + height - 1) * (2 * width - 1) + relative[1] + width - 1


def window_bias(weight, height, width):
    """weight is ((2 height - 1) (2 width - 1), heads); the bias is (heads, tokens, tokens)."""
    grid = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    coords = torch.stack(grid).flatten(1)
    relative = coords[:, :, None] - coords[:, None, :]
    index = (relative[0] + height - 1) * (2 * width - 1) + relative[1] + width - 1
    return weight[index.view(-1)].view(*index.shape, -1).permute(2, 0, 1)


def relative_scores(x, weight, rows):
    """by="query": x is (heads, queries, dim), weight (rows, dim), rows (queries, keys)."""
    return torch.einsum("hqd,qkd->hqk", x, weight[rows])


def attention(q, k, v, bias):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return F.softmax(scores + bias, dim=-1) @ v


def learned(weight, rows):
    return F.embedding(rows, weight)


def resize_table(weight, size):
    """method="cubic", as ViT of transformers: weight is (height, width, dim)."""
    image = weight.permute(2, 0, 1)[None]
    return F.interpolate(image, size=size, mode="bicubic", align_corners=False)[0].permute(1, 2, 0)
