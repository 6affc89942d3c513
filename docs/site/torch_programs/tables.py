"""Core functions of the family tables as models write them in torch, in float32."""

import torch
from torch.nn import functional as F


def learned(weight, rows):
    return F.embedding(rows, weight)


def resize_table(weight, size):
    """method="cubic", as ViT of transformers: weight is (height, width, dim), without the class token.

    timm passes antialias=True, which is another filter: cubic=-0.5, antialias=True.
    """
    image = weight.permute(2, 0, 1)[None]
    return F.interpolate(image, size=size, mode="bicubic", align_corners=False)[0].permute(1, 2, 0)


def learned_axes(row_weight, column_weight, height, width):
    """combine="concat", axis_order="wh", as DETR."""
    columns = column_weight[:width].expand(height, -1, -1)
    rows = row_weight[:height, None].expand(-1, width, -1)
    return torch.cat([columns, rows], dim=-1)


def resize_bias(weight, old, new):
    """method="swin": weight is ((2 height - 1) (2 width - 1), heads)."""
    old_size, new_size = ([2 * side - 1 for side in window] for window in (old, new))
    table = weight.T.view(1, -1, *old_size)
    resized = F.interpolate(table, size=new_size, mode="bicubic", align_corners=False)
    return resized.flatten(2)[0].T
