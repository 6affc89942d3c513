"""Programs of torch whose scores, weights, outputs and resized tables `refpos.read` reads: {name: (numbers, function,
inputs by name)}, as models write them, and with the mistakes that people make."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from transformers import Dinov2Config
from transformers.models.dinov2.modeling_dinov2 import Dinov2Embeddings

import refpos
from frameworks._timm import timm_module

HEADS, LENGTH, WIDTH = 4, 24, 32
SEED = torch.Generator().manual_seed(3)


def normal(*shape):
    return torch.randn(*shape, generator=SEED)


def array(tensor):
    return tensor.detach().numpy()


def distances(queries, keys):
    """Key minus query."""
    return torch.arange(keys)[None, :] - torch.arange(queries)[:, None]


def lower(queries, keys, diagonal=0):
    return torch.ones(queries, keys, dtype=torch.bool).tril(diagonal)


# -- attention --------------------------------------------------------------------------------------------------------


def slopes():
    return torch.tensor([2.0 ** (-2 * (h + 1)) for h in range(HEADS)])


def alibi(queries=LENGTH, keys=LENGTH):
    return slopes()[:, None, None] * distances(queries, keys).float()


def attention_plants():
    q, k, v = (normal(2, HEADS, LENGTH, WIDTH) for _ in range(3))
    bias, products, root = alibi(), q @ k.transpose(-1, -2), math.sqrt(WIDTH)
    plain = {"q": array(q), "k": array(k)}
    biased = {**plain, "bias": array(bias)}
    valued = {**plain, "v": array(v)}
    causal, minus = lower(LENGTH, LENGTH), float("-inf")
    masked = (products / root).masked_fill(~causal, minus)
    yield "plain scores", products / root, plain
    yield "no scale (T5)", products + bias, biased
    yield "scaled twice", products / root / root, plain
    yield "scale of the model width", products / math.sqrt(HEADS * WIDTH), plain
    yield "scale 1/d and bias", products / WIDTH + bias, biased
    yield "ALiBi after the scale", products / root + bias, biased
    yield "ALiBi before the scale", (products + bias) / root, biased
    yield "bias forgotten", products / root, biased
    yield "bias subtracted", products / root - bias, biased
    yield "bias twice", products / root + 2 * bias, biased
    yield "bias of query minus key", products / root + bias.transpose(-1, -2), biased
    yield "scale multiplied", products * root, plain
    yield "causal", masked, plain
    yield "causal, asked without", masked, biased
    yield "causal with the bias", masked + bias, biased
    yield "causal by -10000", products / root + bias + (~causal) * -10000.0, biased
    yield "causal without the diagonal", (products / root).masked_fill(~lower(LENGTH, LENGTH, -1), minus), plain
    yield "keys before", (products / root).masked_fill(causal.T.logical_not(), minus), plain
    padding = torch.arange(LENGTH) < LENGTH - 5
    padded = {**biased, "mask": array(padding)}
    yield "padding", (products / root + bias).masked_fill(~padding, minus), padded
    yield "padding forgotten", products / root + bias, padded
    yield "padding inverted", (products / root + bias).masked_fill(padding, minus), padded
    yield "padding and causal", (products / root + bias).masked_fill(~(padding & causal), minus), padded
    yield "queries and keys exchanged", (products / root).transpose(-1, -2), plain
    capped = {**biased, "softcap": 5.0}
    yield "soft cap", 5 * torch.tanh(products / root / 5) + bias, capped
    yield "soft cap after the bias", 5 * torch.tanh((products / root + bias) / 5), capped
    yield "soft cap forgotten", products / root + bias, capped
    yield "soft cap before the scale", 5 * torch.tanh(products / 5) / root + bias, capped
    yield "soft cap, unscaled", 5 * torch.tanh(products / 5) + bias, capped
    yield "weights", (products / root + bias).softmax(-1), biased
    yield "weights without scale", (products / 4 + bias).softmax(-1), biased
    yield "weights scaled twice", (products / WIDTH + bias).softmax(-1), biased
    yield "weights, causal", masked.softmax(-1), plain
    yield "weights, bias forgotten", (products / root).softmax(-1), biased
    yield "weights, bias negated", (products / root - bias).softmax(-1), biased
    yield "weights over the queries", (products / root).softmax(-2), plain
    yield "weights in bfloat16", (products / root + bias).softmax(-1).bfloat16().float(), biased
    yield "scores in bfloat16", (products / root + bias).bfloat16().float(), biased
    yield "output", F.scaled_dot_product_attention(q, k, v), valued
    yield "output, causal", F.scaled_dot_product_attention(q, k, v, is_causal=True), valued
    yield "output, scale 1", F.scaled_dot_product_attention(q, k, v, scale=1.0), valued
    yield "output, scaled twice", F.scaled_dot_product_attention(q, k, v, scale=1 / WIDTH), valued
    yield "output, bias", F.scaled_dot_product_attention(q, k, v, attn_mask=bias), {**valued, "bias": array(bias)}
    yield "output, bias forgotten", F.scaled_dot_product_attention(q, k, v), {**valued, "bias": array(bias)}
    yield "output, softmax over queries", (products / root).softmax(-2) @ v, valued
    few = {"q": array(q), "k": array(k[:, :2]), "v": array(v[:, :2])}
    repeated, tiled = k[:, :2].repeat_interleave(2, 1), k[:, :2].repeat(1, 2, 1, 1)
    grouped = {"q": few["q"], "k": few["k"]}
    yield "groups repeated", q @ repeated.transpose(-1, -2) / root, grouped
    yield "groups tiled", q @ tiled.transpose(-1, -2) / root, grouped
    yield "groups tiled, weights", (q @ tiled.transpose(-1, -2) / root).softmax(-1), grouped
    yield "groups tiled, output", F.scaled_dot_product_attention(q, tiled, v[:, :2].repeat(1, 2, 1, 1)), few
    short, longer = q[:, :, :10], {"q": array(q[:, :, :10]), "k": array(k), "v": array(v)}
    left, right = lower(10, LENGTH), lower(10, LENGTH, LENGTH - 10)
    scores = short @ k.transpose(-1, -2) / root
    some = {"q": longer["q"], "k": longer["k"]}
    yield "upper-left", scores.masked_fill(~left, minus), some
    yield "lower-right", scores.masked_fill(~right, minus), some
    yield "lower-right, asked upper-left", scores.masked_fill(~right, minus), {**some, "causal": "upper-left"}
    yield "upper-left, asked lower-right", scores.masked_fill(~left, minus), {**some, "causal": "lower-right"}
    yield "output, upper-left", F.scaled_dot_product_attention(short, k, v, is_causal=True), longer
    yield "output, lower-right", F.scaled_dot_product_attention(short, k, v, attn_mask=right), longer


def rotated(x, base=10000.0, positions=None):
    half = x.shape[-1] // 2
    inv_freq = 1.0 / base ** (torch.arange(0, 2 * half, 2).float() / (2 * half))
    angles = (torch.arange(x.shape[-2]).float() if positions is None else positions)[:, None] * inv_freq
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def paired(x):
    """Pairs of neighbours."""
    inv_freq = 1.0 / 10000.0 ** (torch.arange(0, WIDTH, 2).float() / WIDTH)
    angles = torch.arange(x.shape[-2]).float()[:, None] * inv_freq
    cos, sin, one, other = angles.cos(), angles.sin(), x[..., ::2], x[..., 1::2]
    return torch.stack([one * cos - other * sin, one * sin + other * cos], -1).flatten(-2)


def rotary_plants():
    q, k = normal(1, HEADS, LENGTH, WIDTH), normal(1, HEADS, LENGTH, WIDTH)
    given, root = {"q": array(q), "k": array(k), "pairing": "half", "base": 10000.0}, math.sqrt(WIDTH)
    yield "rotary", rotated(q) @ rotated(k).transpose(-1, -2) / root, given
    yield "rotary, keys not rotated", rotated(q) @ k.transpose(-1, -2) / root, given
    yield "rotary, queries not rotated", q @ rotated(k).transpose(-1, -2) / root, given
    yield "rotary left out", q @ k.transpose(-1, -2) / root, given
    yield "rotary of the other pairing", paired(q) @ paired(k).transpose(-1, -2) / root, given
    yield "rotary, no scale", rotated(q) @ rotated(k).transpose(-1, -2), given
    yield "rotary, weights", (rotated(q) @ rotated(k).transpose(-1, -2) / root).softmax(-1), given
    yield "rotary of another base", rotated(q, 500000.0) @ rotated(k, 500000.0).transpose(-1, -2) / root, given
    again = rotated(rotated(q)) @ rotated(rotated(k)).transpose(-1, -2) / root
    yield "rotary twice", again, given


# -- Transformer-XL, DeBERTa, Shaw ------------------------------------------------------------------------------------


def xl_plants():
    q, k = normal(1, HEADS, LENGTH, WIDTH), normal(1, HEADS, LENGTH, WIDTH)
    table, u, v = normal(HEADS, 2 * LENGTH - 1, WIDTH), normal(HEADS, WIDTH), normal(HEADS, WIDTH)
    rows = distances(LENGTH, LENGTH).neg() + LENGTH - 1
    given = {"q": array(q), "k": array(k), "projected": array(table), "rows": array(rows), "u": array(u), "v": array(v)}

    def content(bias):
        return (q + bias[:, None]) @ k.transpose(-1, -2)

    def position(bias, index=rows, of=table):
        scores = (q + bias[:, None]) @ of.transpose(-1, -2)
        return scores.gather(-1, index.expand(1, HEADS, -1, -1))

    root, none = math.sqrt(WIDTH), torch.zeros_like(u)
    yield "XL", (content(u) + position(v)) / root, given
    yield "XL, u forgotten", (content(none) + position(v)) / root, given
    yield "XL, v forgotten", (content(u) + position(none)) / root, given
    yield "XL, u and v forgotten", (content(none) + position(none)) / root, given
    yield "XL, u and v exchanged", (content(v) + position(u)) / root, given
    yield "XL, u for both", (content(u) + position(u)) / root, given
    yield "XL, no scale", content(u) + position(v), given
    yield "XL, scale of the content alone", content(u) / root + position(v), given
    yield "XL, position forgotten", content(u) / root, given
    yield "XL, distances reversed", (content(u) + position(v, rows.T)) / root, given
    yield "XL, distances off by one", (content(u) + position(v, (rows + 1).clamp(max=2 * LENGTH - 2))) / root, given
    yield "XL, position subtracted", (content(u) - position(v)) / root, given
    causal = lower(LENGTH, LENGTH)
    masked = ((content(u) + position(v)) / root).masked_fill(~causal, float("-inf"))
    yield "XL, causal", masked, given
    yield "XL, weights", masked.softmax(-1), given
    yield "XL, scale of the model width", (content(u) + position(v)) / math.sqrt(WIDTH * HEADS), given


def deberta_plants():
    q, k = normal(1, HEADS, LENGTH, WIDTH), normal(1, HEADS, LENGTH, WIDTH)
    keys, queries = normal(HEADS, 2 * LENGTH, WIDTH), normal(HEADS, 2 * LENGTH, WIDTH)
    rows = (distances(LENGTH, LENGTH).neg() + LENGTH).clamp(0, 2 * LENGTH - 1)
    given = {"q": array(q), "k": array(k), "key_table": array(keys), "query_table": array(queries), "rows": array(rows),
             "scaling": "products"}  # fmt: skip
    content = q @ k.transpose(-1, -2)
    c2p = (q @ keys.transpose(-1, -2)).gather(-1, rows.expand(1, HEADS, -1, -1))
    p2c = (k @ queries.transpose(-1, -2)).gather(-1, rows.T.expand(1, HEADS, -1, -1)).transpose(-1, -2)
    wrong = (k @ queries.transpose(-1, -2)).gather(-1, rows.expand(1, HEADS, -1, -1)).transpose(-1, -2)
    three, one = math.sqrt(3 * WIDTH), math.sqrt(WIDTH)
    yield "DeBERTa", (content + c2p + p2c) / three, given
    yield "DeBERTa, sqrt(d)", (content + c2p + p2c) / one, given
    yield "DeBERTa, p2c forgotten", (content + c2p) / three, given
    yield "DeBERTa, c2p forgotten", (content + p2c) / three, given
    yield "DeBERTa, c2p alone of two terms", (content + c2p) / math.sqrt(2 * WIDTH), given
    yield "DeBERTa, content scaled alone", content / three + c2p + p2c, given
    yield "DeBERTa, p2c not transposed", (content + c2p + wrong) / three, given
    yield "DeBERTa, positions forgotten", content / three, given
    yield "DeBERTa, no scale", content + c2p + p2c, given
    yield "DeBERTa, tables exchanged", _exchanged(q, k, keys, queries, rows) / three, given


def _exchanged(q, k, keys, queries, rows):
    c2p = (q @ queries.transpose(-1, -2)).gather(-1, rows.expand(1, HEADS, -1, -1))
    p2c = (k @ keys.transpose(-1, -2)).gather(-1, rows.T.expand(1, HEADS, -1, -1)).transpose(-1, -2)
    return q @ k.transpose(-1, -2) + c2p + p2c


def shaw_plants():
    q, k = normal(1, HEADS, LENGTH, WIDTH), normal(1, HEADS, LENGTH, WIDTH)
    table, own = normal(9, WIDTH), normal(HEADS, 9, WIDTH)
    rows = distances(LENGTH, LENGTH).clamp(-4, 4) + 4
    root = math.sqrt(WIDTH)

    def relative(x, of=table, index=rows):
        return torch.einsum("bhid,ijd->bhij", x, of[index])

    alone = {"x": array(q), "weight": array(table), "rows": array(rows), "by": "query"}
    whole = {**alone, "k": array(k)}
    content = q @ k.transpose(-1, -2)
    each = torch.einsum("bhid,hijd->bhij", q, own[:, rows])
    yield "Shaw, the term", relative(q), alone
    yield "Shaw, the term scaled", relative(q) / root, alone
    yield "Shaw, a table for each head", each / root, {**alone, "weight": array(own)}
    yield "Shaw", (content + relative(q)) / root, whole
    yield "Shaw, the term not scaled", content / root + relative(q), whole
    yield "Shaw, the term forgotten", content / root, whole
    yield "Shaw, distances reversed", (content + relative(q, index=rows.T)) / root, whole
    yield "Shaw, of keys", relative(k).transpose(-1, -2) / root, {**alone, "x": array(k), "by": "key"}
    by_key = torch.einsum("bhjd,ijd->bhij", k, table[rows])
    yield "Shaw, by key", by_key, {**alone, "x": array(k), "by": "key"}
    yield "Shaw, rows backwards", relative(q, index=8 - rows), alone


# -- resized tables ---------------------------------------------------------------------------------------------------


def interpolated(table, size, **options):
    """A table (height, width, channels) at another size."""
    return F.interpolate(table.permute(2, 0, 1)[None], **({"size": size} if size else {}), **options)[0].permute(
        1, 2, 0
    )


def resize_plants():
    table, row = normal(14, 14, 96), normal(20, 48)
    wide = normal(8, 12, 96)
    size = (10, 18)
    given = {"weight": array(table)}
    soft = {"align_corners": False}
    yield "bicubic", interpolated(table, size, mode="bicubic", **soft), given
    yield "bilinear", interpolated(table, size, mode="bilinear", **soft), given
    yield "bicubic, corners", interpolated(table, size, mode="bicubic", align_corners=True), given
    yield "bilinear, corners", interpolated(table, size, mode="bilinear", align_corners=True), given
    yield "nearest", interpolated(table, size, mode="nearest"), given
    yield "nearest-exact", interpolated(table, size, mode="nearest-exact"), given
    yield "bicubic, antialias", interpolated(table, (7, 9), mode="bicubic", antialias=True), given
    yield "bilinear, antialias", interpolated(table, (7, 9), mode="bilinear", antialias=True), given
    yield "smaller without antialias", interpolated(table, (7, 9), mode="bicubic", **soft), given
    factor = (16.1 / 14, 18.1 / 14)
    dino = interpolated(table, None, scale_factor=factor, mode="bicubic")
    yield "DINOv2 offset", dino, given
    yield "bicubic of a rectangle", interpolated(wide, (16, 10), mode="bicubic", **soft), {"weight": array(wide)}
    exchanged = interpolated(wide.transpose(0, 1), (16, 10), mode="bicubic", **soft)
    yield "height and width exchanged", exchanged, {"weight": array(wide)}
    misread = interpolated(wide.reshape(12, 8, 96), (16, 10), mode="bicubic", **soft)
    yield "rows read as columns", misread, {"weight": array(wide)}
    yield (
        "three channels",
        interpolated(table[..., :3], size, mode="bicubic", **soft),
        {"weight": array(table[..., :3])},
    )
    sequence = torch.cat([normal(1, 96), table.flatten(0, 1)])
    tokens = {"weight": array(sequence), "prefix": 1, "grid": (14, 14)}
    grid = interpolated(table, (16, 16), mode="bicubic", **soft).flatten(0, 1)
    yield "class token kept", torch.cat([sequence[:1], grid]), tokens
    yield "class token dropped", grid, tokens
    whole = F.interpolate(sequence.T[None], size=257, mode="linear", align_corners=False)[0].T
    yield "class token interpolated with the grid", whole, tokens
    bare = interpolated(sequence[:196].reshape(14, 14, 96), (16, 16), mode="bicubic", **soft).flatten(0, 1)
    yield "last row dropped in place of the class token", bare, tokens
    yield "class token last", torch.cat([grid, sequence[:1]]), tokens
    halves = F.interpolate(row.T[None], size=31, mode="linear", align_corners=False)[0].T
    yield "one axis", halves, {"weight": array(row)}
    smooth = F.interpolate(row.T[None], size=31, mode="linear", align_corners=True)[0].T
    yield "one axis, corners", smooth, {"weight": array(row)}
    yield "in bfloat16", interpolated(table, size, mode="bicubic", **soft).bfloat16().float(), given
    yield "transposed result", interpolated(table, size, mode="bicubic", **soft).transpose(0, 1).contiguous(), given
    yield "cropped", table[:10, 2:12].contiguous(), given
    yield "area", F.adaptive_avg_pool2d(table.permute(2, 0, 1)[None], (7, 7))[0].permute(1, 2, 0), given
    yield "scaled", 2 * interpolated(table, size, mode="bicubic", **soft), given
    shifted = (torch.arange(31).float() * 20 / 31).clamp(0, 19)
    low = shifted.floor().long().clamp(max=18)
    share = (shifted - low)[:, None]
    yield "asymmetric coordinates", row[low] * (1 - share) + row[low + 1] * share, {"weight": array(row)}


def bias_plants():
    old, new = (4, 4), (6, 5)
    table = normal(49, 8)
    grid = table.reshape(7, 7, 8)
    given = {"weight": array(table), "old": old, "new": new}
    soft = {"align_corners": False}
    yield "Swin bias", interpolated(grid, (11, 9), mode="bicubic", **soft).flatten(0, 1), given
    yield "BEiT bias", interpolated(grid, (11, 9), mode="bilinear", **soft).flatten(0, 1), given
    yield "bias, corners", interpolated(grid, (11, 9), mode="bicubic", align_corners=True).flatten(0, 1), given
    yield "bias, sizes exchanged", interpolated(grid, (9, 11), mode="bicubic", **soft).flatten(0, 1), given
    token = torch.cat([table, normal(3, 8)])
    resized = torch.cat([interpolated(grid, (11, 9), mode="bicubic", **soft).flatten(0, 1), token[-3:]])
    yield "bias with class rows", resized, {"weight": array(token), "old": old, "new": new, "class_token": True}
    of_row = F.interpolate(table.T[None], size=99, mode="linear", align_corners=False)[0].T
    yield "bias as one row", of_row, given


def timm_plants():
    """The code of timm, and of DINOv2 in transformers."""
    layers = timm_module("layers")
    sequence = normal(1, 1 + 14 * 14, 32)
    tokens = {"weight": array(sequence[0]), "prefix": 1, "grid": (14, 14)}
    yield "timm resample_abs_pos_embed", layers.resample_abs_pos_embed(sequence, [16, 12]), {**tokens, "size": (16, 12)}
    bilinear = layers.resample_abs_pos_embed(sequence, [7, 9], interpolation="bilinear")
    yield "timm resample_abs_pos_embed, bilinear", bilinear, {**tokens, "size": (7, 9)}
    plain = layers.resample_abs_pos_embed(sequence, [16, 12], antialias=False)
    yield "timm resample_abs_pos_embed, no antialias", plain, {**tokens, "size": (16, 12)}
    config = Dinov2Config(hidden_size=32, image_size=196, patch_size=14)
    module = Dinov2Embeddings(config)
    with torch.no_grad():
        module.position_embeddings.copy_(sequence)
    yield "DINOv2 of transformers", module.interpolate_pos_encoding(normal(1, 193, 32), 224, 168), tokens


def timm_bias_plants():
    """The tables of relative positions of timm."""
    module = timm_module("layers.pos_embed_rel")
    table, small = normal(49, 8), normal(16, 8)
    given = {"weight": array(table), "old": (4, 4), "new": (6, 5)}
    yield "timm geometric", module.resize_rel_pos_bias_table(table, (6, 5), (99, 8)), given
    yield "timm simple", module.resize_rel_pos_bias_table_simple(table, (6, 5), (99, 8)), given
    levit = module.resize_rel_pos_bias_table_levit(small, (36, 8))
    yield "timm levit", levit, {"weight": array(small), "old": (4, 4), "new": (6, 6)}


def mean_plants():
    table = normal(30, 64)
    rows = torch.tensor([[3, 4, 5, -1], [7, -1, -1, -1], [10, 11, 12, 13], [20, 21, -1, -1]])
    given, kept = {"weight": array(table), "rows": array(rows)}, (rows >= 0)[..., None]
    total, count = (table[rows.clamp(min=0)] * kept).sum(1), kept.sum(1)
    yield "mean", total / count, given
    yield "sum", total, given
    yield "mean with the padding counted", total / 4, given
    yield "row -1 read as the last", table[rows].mean(1), given
    yield "row -1 read as row 0", table[rows.clamp(min=0)].mean(1), given
    yield "first row alone", table[rows[:, 0]], given
    yield "mean of rows after", (table[(rows + 1).clamp(min=0)] * kept).sum(1) / count, given


PLANTS = {
    "attention": (refpos.attention, attention_plants),
    "rotary": (refpos.attention, rotary_plants),
    "xl": (refpos.scores.xl_scores, xl_plants),
    "deberta": (refpos.scores.deberta_scores, deberta_plants),
    "shaw": (refpos.scores.relative_scores, shaw_plants),
    "resize": (refpos.resize_table, resize_plants),
    "bias": (refpos.tables.resize_bias, bias_plants),
    "timm": (refpos.resize_table, timm_plants),
    "timm bias": (refpos.tables.resize_bias, timm_bias_plants),
    "mean": (refpos.tables.mean_of_rows, mean_plants),
}


def plants():
    """(name, numbers, function, inputs) of every program."""
    for function, made in PLANTS.values():
        for name, numbers, given in made():
            yield name, np.ascontiguousarray(array(numbers)), function, given
