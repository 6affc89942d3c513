"""Scores with positions in them: Shaw, Transformer-XL and DeBERTa."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, last_rows, one_batch, one_head
from .stages import F32, distances

DIM, HEADS = 16, 3


def sizes(s):
    return s.pick((12, 15), (32, 512))


def queries(s):
    return s.normal(2, HEADS, sizes(s)[0], DIM, seed=1)


def keys(s):
    return s.normal(2, HEADS, sizes(s)[1], DIM, seed=2)


def gathered(x, table, rows, dtype):
    """einsum("bhid,ijd->bhij") in float32."""
    return np.einsum("bhid,ijd->bhij", x.astype(F32), table.astype(F32)[rows], optimize=True).astype(dtype)


# -- Shaw -------------------------------------------------------------------------------------------------------------

CLIP = 4


def table(s):
    return s.normal(2 * CLIP + 1, DIM, seed=4)


def shaw_rows(s, clip=CLIP, flip=1, shift=0):
    return np.clip(flip * distances(*sizes(s)), -clip, clip) + CLIP + shift


def ask_shaw(s):
    return Call(refpos.scores.relative_scores, (queries(s), table(s), shaw_rows(s)), dict(by="query", dtype=s.dtype))


def shaw(s, *, rows=shaw_rows, read=table, x=queries, scale=1.0, after=lambda t: t):
    """relative_key of BERT: queries times vectors of distances."""
    made = gathered(x(s), read(s), rows(s), F32) * F32(scale)
    return after(made).astype(s.number)


SHAW = {
    "query minus key": (
        dict(rows=lambda s: shaw_rows(s, flip=-1)),
        "sign | query-key | query minus key | transposed | revers",
    ),
    "clipped at 2": (dict(rows=lambda s: shaw_rows(s, clip=2)), "clip 2 | low -2 | high 2"),
    "one row later": (
        dict(rows=lambda s: np.minimum(shaw_rows(s, shift=1), 2 * CLIP)),
        "row 1 | +1 | offset | shifted",
    ),
    "scaled": (dict(scale=0.25), "scale 0.25 | 0.25 | 1/4 | sqrt"),
    "multiplied by sqrt(dim)": (dict(scale=4.0), "times 4 | scale 4 | factor 4 | sqrt"),
    "divided by dim": (dict(scale=1 / 16), "0.0625 | 1/16 | dim"),
    "negative": (dict(scale=-1.0), "-1 | sign | negat"),
    "keys in place of queries": (
        dict(after=lambda t: t, x=lambda s: keys(s)[:, :, : sizes(s)[0]]),
        "keys | by key | other x",
    ),
    "table reversed": (dict(read=lambda s: table(s)[::-1]), "revers | sign"),
    "absolute distances": (
        dict(rows=lambda s: np.clip(np.abs(distances(*sizes(s))), 0, CLIP) + CLIP),
        "absolute | abs",
    ),
    "heads reversed": (dict(after=lambda t: t[:, ::-1]), "head revers | revers"),
    "rounded queries": (
        dict(x=lambda s: queries(s).astype("float8_e4m3fn").astype(s.number)),
        "rounded | float8 | e4m3",
    ),
    "distances not clipped but zero": (
        dict(after=lambda t: np.where(np.abs(distances(*t.shape[-2:])) > CLIP, 0, t)),
        "zero | outside",
    ),
}
GROUPS = [
    Group(
        "shaw",
        "shaw",
        ask_shaw,
        shaw,
        SHAW,
        ("scaled + query minus key", "negative + clipped at 2"),
        {
            "scaled @ one head": (one_head(1), "head | axis 1: index"),
            "query minus key @ one batch row": (one_batch(1), "batch | (1, | axis 0: index"),
            "negative @ last queries": (last_rows(3), "8 | 21 | 22 | last"),
        },
        {"einsum": {}, "float64": dict(after=lambda t: t.astype(np.float64))},
    ),
]

# -- Transformer-XL ---------------------------------------------------------------------------------------------------


def projected(s):
    return s.normal(HEADS, sum(sizes(s)), DIM, seed=5)


def bias(s, seed):
    return s.normal(HEADS, DIM, seed=seed)


def xl_rows(s, flip=1, shift=0):
    q, k = sizes(s)
    return np.clip(flip * distances(q, k, k - q) + k - 1 + shift, 0, q + k - 1)


def ask_xl(s):
    args = (queries(s), keys(s), projected(s), xl_rows(s))
    return Call(refpos.scores.xl_scores, args, dict(u=bias(s, 6), v=bias(s, 7), dtype=s.dtype))


def xl(
    s,
    *,
    rows=xl_rows,
    u=lambda s: bias(s, 6),
    v=lambda s: bias(s, 7),
    scale=0.25,
    position=1.0,
    content=1.0,
    positions_of=projected,
    after=lambda t: t,
):
    """rel_attn_core: AC + BD, in float32."""
    q = queries(s).astype(F32)
    ac = np.matmul(q + u(s).astype(F32)[:, None], keys(s).astype(F32).swapaxes(-1, -2))
    vectors = positions_of(s).astype(F32)[:, rows(s)]
    bd = np.einsum("bhid,hijd->bhij", q + v(s).astype(F32)[:, None], vectors, optimize=True)
    return after((content * ac + position * bd) * F32(scale)).astype(s.number)


def none(s):
    return bias(s, 6) * s.number(0)


XL = {
    "u forgotten": (dict(u=none), "u None | u 0 | without u | u zero | u left | u ="),
    "v forgotten": (dict(v=none), "v None | v 0 | without v | v zero | v ="),
    "u and v exchanged": (
        dict(u=lambda s: bias(s, 7), v=lambda s: bias(s, 6)),
        "u v exchanged | u v swapped | u=v | place",
    ),
    "not scaled": (dict(scale=1.0), "scale 1 | not scaled | scale 4"),
    "scale 1/dim": (dict(scale=1 / 16), "scale 0.0625 | scale 1/16 | 0.0625"),
    "positions not scaled": (dict(position=4.0), "position | parts | term"),
    "no positions": (dict(position=0.0), "projected 0 | no position | without | content only | term"),
    "no content": (dict(content=0.0), "content | keys"),
    "rows the other way": (dict(rows=lambda s: xl_rows(s, flip=-1)), "rows | sign | revers"),
    "shift of one row": (dict(rows=lambda s: xl_rows(s, shift=1)), "row 1 | +1 | offset | shifted"),
    "negative positions": (dict(position=-1.0), "sign | negat | -1"),
    "one table for all heads": (
        dict(positions_of=lambda s: projected(s)[[0, 0, 0]]),
        "head 0 | first head | one head | same head",
    ),
    "u for both": (dict(v=lambda s: bias(s, 6)), "v u | u for v"),
}
GROUPS.append(
    Group(
        "transformer-xl",
        "xl",
        ask_xl,
        xl,
        XL,
        ("u forgotten + not scaled", "not scaled + shift of one row"),
        {
            "u forgotten @ one head": (one_head(1), "head | axis 1: index"),
            "not scaled @ one batch row": (one_batch(0), "batch | (0, | axis 0: index"),
        },
        {"float32": {}, "scaled later": dict(scale=0.5, after=lambda t: t * F32(0.5))},
    ),
)

# -- DeBERTa ----------------------------------------------------------------------------------------------------------


def half_table(s, seed):
    return s.normal(HEADS, 16, DIM, seed=seed)


def deberta_rows(s, flip=1, shift=0):
    return np.clip(8 + flip * -distances(*sizes(s)) + shift, 0, 15)


def ask_deberta(s):
    args = (queries(s), keys(s), half_table(s, 8), half_table(s, 9), deberta_rows(s))
    return Call(refpos.scores.deberta_scores, args, dict(scaling="products", dtype=s.dtype))


def deberta(
    s,
    *,
    rows=deberta_rows,
    query_rows=None,
    first=lambda s: half_table(s, 8),
    second=lambda s: half_table(s, 9),
    terms=3,
    c2p=1.0,
    p2c=1.0,
    after=lambda t: t,
):
    """disentangled_attention_bias: c2c + c2p + p2c over sqrt(dim * 3)."""
    q, k = queries(s).astype(F32), keys(s).astype(F32)
    scale = F32(1 / math.sqrt(DIM * terms))
    r = rows(s)
    t = r if query_rows is None else query_rows(s)
    made = np.matmul(q, k.swapaxes(-1, -2))
    made = made + F32(c2p) * np.einsum("bhid,hijd->bhij", q, first(s).astype(F32)[:, r], optimize=True)
    made = made + F32(p2c) * np.einsum("bhjd,hijd->bhij", k, second(s).astype(F32)[:, t], optimize=True)
    return after(made * scale).astype(s.number)


DEBERTA = {
    "scale of one term": (dict(terms=1), "1.732 | sqrt(3) | sqrt(dim) | scale"),
    "scale of two terms": (dict(terms=2), "1.2247 | sqrt(1.5) | scale"),
    "p2c left out": (dict(p2c=0.0, terms=3), "query_table | p2c"),
    "c2p left out": (dict(c2p=0.0), "key_table | c2p"),
    "tables exchanged": (
        dict(first=lambda s: half_table(s, 9), second=lambda s: half_table(s, 8)),
        "key_table query_table | tables",
    ),
    "key minus query": (dict(rows=lambda s: deberta_rows(s, flip=-1)), "rows | sign | key minus query"),
    "p2c rows the other way": (dict(query_rows=lambda s: deberta_rows(s, flip=-1)), "query_rows | p2c"),
    "one row later": (dict(rows=lambda s: deberta_rows(s, shift=1)), "row 1 | +1 | offset | shifted"),
    "p2c doubled": (dict(p2c=2.0), "query_table 2 | p2c | twice"),
    "c2p negative": (dict(c2p=-1.0), "key_table | c2p | sign"),
    "keys reversed": (
        dict(after=lambda t: t[..., ::-1]),
        "keys revers | revers",
    ),
}
GROUPS.append(
    Group(
        "deberta",
        "deberta",
        ask_deberta,
        deberta,
        DEBERTA,
        ("scale of one term + tables exchanged",),
        {
            "scale of one term @ one head": (one_head(0), "head | axis 1: index"),
            "p2c left out @ one batch row": (one_batch(1), "batch | (1, | axis 0: index"),
        },
        {"float32": {}, "scaled operands": dict(after=lambda t: t)},
    ),
)
