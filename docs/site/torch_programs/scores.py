"""Core functions of the family scores as models write them in torch, in float32."""

import math

import torch
from torch.nn import functional as F


def relative_scores(x, weight, rows):
    """by="query": x is (heads, queries, dim), weight (rows, dim), rows (queries, keys)."""
    return torch.einsum("hqd,qkd->hqk", x, weight[rows])


def attention(q, k, v, bias):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return F.softmax(scores + bias, dim=-1) @ v


def deberta_scores(q, k, key_table, query_table, rows):
    """scaling="products", as DeBERTa v2: the tables are (heads, rows, dim), and rows has p2c read the same rows."""
    scale = math.sqrt(q.shape[-1] * 3)
    rows = rows.expand(len(q), -1, -1)
    c2p = torch.gather(q @ key_table.transpose(-1, -2), -1, rows)
    p2c = torch.gather(k @ query_table.transpose(-1, -2), -1, rows.transpose(-1, -2)).transpose(-1, -2)
    return q @ (k / scale).transpose(-1, -2) + (c2p / scale + p2c / scale)


def decomposed_scores(q, weight_h, weight_w, height, width):
    """sign="query-key", as SAM with as many queries as keys: q is (heads, height * width, dim)."""
    tables = []
    for weight, size in ((weight_h, height), (weight_w, width)):
        tables.append(weight[torch.arange(size)[:, None] - torch.arange(size)[None, :] + size - 1])
    grid = q.view(len(q), height, width, -1)
    rel_h = torch.einsum("bhwc,hkc->bhwk", grid, tables[0])
    rel_w = torch.einsum("bhwc,wkc->bhwk", grid, tables[1])
    return (rel_h[..., :, None] + rel_w[..., None, :]).reshape(len(q), height * width, height * width)


def xl_scores(q, k, projected, u, v):
    """As Wav2Vec2-Conformer: projected is (heads, 2 length - 1, dim), of the distances length - 1 to 1 - length."""
    content = (q + u[:, None]) @ k.transpose(-1, -2)
    position = (q + v[:, None]) @ projected.transpose(-1, -2)
    heads, length, rows = position.shape
    shifted = F.pad(position, (1, 0)).view(heads, rows + 1, length)[:, 1:].view(heads, length, rows)
    return (content + shifted[..., :length]) / math.sqrt(q.shape[-1])
