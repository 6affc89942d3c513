"""Core functions of the family positions as models write them in torch, in float32."""

import itertools

import torch


def attention_mask_positions(attention_mask):
    """As transformers 4: padding on the left, whose positions are 1."""
    position_ids = attention_mask.long().cumsum(-1) - 1
    return position_ids.masked_fill(attention_mask == 0, 1)


def grid_positions(height, width):
    """Row and column of each token of an image."""
    return torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")).flatten(1)


def flux_positions(height, width, text_length):
    """The ids of text and image; height and width are half of those of the latents."""
    image = torch.zeros(height, width, 3, dtype=torch.int64)
    image[..., 1] += torch.arange(height)[:, None]
    image[..., 2] += torch.arange(width)
    return torch.zeros(text_length, 3, dtype=torch.int64), image.flatten(0, 1)


def qwen2_vl_positions(mm_token_type_ids, image_grid_thw, spatial_merge_size=2):
    """Rows without padding, as transformers 5: 0 is a token of text, 1 one of an image."""
    grids, positions, deltas = iter(image_grid_thw.tolist()), [], []
    for row in mm_token_type_ids.tolist():
        start, parts = 0, []
        for kind, run in itertools.groupby(row):
            if kind == 0:
                t, h, w = len(list(run)), 1, 1
                parts.append(start + torch.arange(t).expand(3, t))
            else:
                t, h, w = next(grids)
                h, w = h // spatial_merge_size, w // spatial_merge_size
                axes = torch.meshgrid(torch.arange(t), torch.arange(h), torch.arange(w), indexing="ij")
                parts.append(start + torch.stack(axes).flatten(1))
            start += t if kind == 0 else max(h, w)
        positions.append(torch.cat(parts, dim=1))
        deltas.append(positions[-1].max() + 1 - len(row))
    return torch.stack(positions, dim=1), torch.stack(deltas)[:, None]


def table_rows(input_ids, padding_idx):
    """rule="tokens", as RoBERTa: the first row is padding_idx + 1, and padding reads row padding_idx."""
    mask = (input_ids != padding_idx).long()
    return torch.cumsum(mask, dim=1) * mask + padding_idx
