"""Core functions of the family relative as models write them in torch, in float32."""

import math

import torch
from torch.nn import functional as F


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


def distance_mlp(window, weight_in, bias_in, weight_out):
    """coordinates="swin-v2", sigmoid=16: the table of all offsets, which `window_bias` gathers."""
    height, width = window
    offsets = torch.meshgrid(torch.arange(1 - height, height), torch.arange(1 - width, width), indexing="ij")
    coords = torch.stack(offsets, dim=-1) / torch.tensor([height - 1, width - 1]) * 8
    coords = coords.sign() * torch.log2(coords.abs() + 1) / math.log2(8)
    hidden = F.relu(F.linear(coords.view(-1, 2), weight_in, bias_in))
    table = 16 * torch.sigmoid(F.linear(hidden, weight_out))
    return table.view(2 * height - 1, 2 * width - 1, -1)


def relative_rows(query_len, key_len, max_distance):
    """sign="key-query", outside="clip": low=-max_distance, high=max_distance."""
    distance = torch.arange(key_len)[None, :] - torch.arange(query_len)[:, None]
    return distance.clamp(-max_distance, max_distance) + max_distance


def relative_bias(weight, query_len, key_len):
    """weight is (2 max_distance + 1, heads); the bias is (heads, queries, keys)."""
    rows = relative_rows(query_len, key_len, len(weight) // 2)
    return F.embedding(rows, weight).permute(2, 0, 1)


def t5_bias(weight, query_len, key_len):
    """bidirectional=True, as the encoder of T5: weight is (num_buckets, heads)."""
    relative_positions = torch.arange(key_len)[None, :] - torch.arange(query_len)[:, None]
    return F.embedding(t5_buckets(relative_positions, len(weight)), weight).permute(2, 0, 1)
