"""Learned rows of a table, and the numbers of tokens in batches that are padded, packed, cached or shared by ranks."""

from __future__ import annotations

import numpy as np

import refpos

from .record import Call, Group, last_rows, one_batch
from .stages import half, inverse, outer

DIM = 24


def length(s):
    return s.pick(20, 1024)


def weight(s):
    return s.normal(length(s) + 4, DIM)


def numbers(s):
    """Two packed documents in one row, and a row of three."""
    n = length(s)
    third = n // 3
    return np.stack((np.arange(n) % (n // 2), np.arange(n) - (np.arange(n) // third) * third))


def ask(s):
    return Call(refpos.learned, (weight(s), numbers(s)), {})


def program(s, *, table=weight, ids=numbers, after=lambda e, s: e):
    """nn.Embedding of the ids of a packed batch."""
    w, rows = table(s), ids(s)
    return after(w[np.clip(rows, -len(w), len(w) - 1)], s)


def counted(s):
    return np.broadcast_to(np.arange(length(s)), (2, length(s)))


MISTAKES = {
    "not reset for each document": (
        dict(ids=counted),
        "reset | restart | rows 20 | rows 1024 | running | arange | consecutive | count",
    ),
    "offset of 2": (dict(ids=lambda s: numbers(s) + 2), "rows 2 | offset 2 | +2 | shifted 2"),
    "one later": (dict(ids=lambda s: numbers(s) + 1), "rows 1 | offset 1 | +1 | shifted 1"),
    "one before": (dict(ids=lambda s: numbers(s) - 1), "-1"),
    "first document only": (dict(ids=lambda s: numbers(s)[[0, 0]]), "batch 0 | row 0 | first row | batch | same"),
    "batch rows exchanged": (dict(ids=lambda s: numbers(s)[::-1]), "batch exchanged | revers batch | revers | swapped"),
    "clipped": (dict(ids=lambda s: np.minimum(numbers(s), length(s) // 4)), "clip 5 | clip 256 | at most | clipped"),
    "reversed ids": (dict(ids=lambda s: numbers(s)[:, ::-1]), "revers"),
    "padding row": (
        dict(table=lambda s: np.concatenate((weight(s)[:1] * 0, weight(s)[1:]))),
        "row 0 zero | padding | zero",
    ),
    "times sqrt(dim)": (
        dict(after=lambda e, s: (e.astype(np.float32) * np.float32(DIM**0.5)).astype(s.number)),
        "4.899 | sqrt(dim) | sqrt dim | sqrt(24)",
    ),
    "doubled": (dict(after=lambda e, s: e + e), "times 2 | factor 2 | scale 2 | multiplied 2 | twice | double"),
    "halved": (dict(after=lambda e, s: (e / 2).astype(s.number)), "0.5 | half | 1/2"),
    "table in float16": (
        dict(table=lambda s: weight(s).astype(np.float32).astype("float8_e4m3fn").astype(s.number)),
        "float8 | e4m3 | rounded",
    ),
    "rows rolled": (dict(table=lambda s: np.roll(weight(s), 1, axis=0)), "roll | -1 | shifted"),
    "added to itself as token": (dict(after=lambda e, s: e + s.number(1)), "+1 | constant | added 1 | plus 1"),
    "normalised rows": (
        dict(after=lambda e, s: (e / np.linalg.norm(e.astype(np.float32), axis=-1, keepdims=True)).astype(s.number)),
        "norm",
    ),
    "table transposed": (
        dict(table=lambda s: weight(s).T.reshape(-1, DIM)),
        "transposed",
    ),
    "sign": (dict(after=lambda e, s: -e), "sign | -1 | negat"),
    "channels reversed": (dict(after=lambda e, s: e[..., ::-1]), "channels revers | revers"),
}
GROUPS = [
    Group(
        "learned rows",
        "learned",
        ask,
        program,
        MISTAKES,
        ("one later + doubled", "offset of 2 + halved", "reversed ids + doubled"),
        {
            "not reset for each document @ one batch row": (one_batch(1), "batch | (1, | row 1 | axis 0: index"),
            "one later @ last quarter": (last_rows(4), "15 | 768 | last"),
            "doubled @ one batch row": (one_batch(0), "batch | (0, | row 0 | axis 0: index"),
            "batch rows exchanged @ last half": (last_rows(2), "10 | 512 | last"),
        },
        {"gathered": {}, "one hot": dict(after=lambda e, s: (np.float32(1) * e.astype(np.float32)).astype(s.number))},
    ),
]

# -- numbers of tokens ------------------------------------------------------------------------------------------------


def mask(s):
    """Padding on the left: 1 where a token is."""
    n = length(s)
    return (np.arange(n) >= np.array([0, n // 4, n // 2])[:, None]).astype(np.int64)


def ask_mask(s):
    return Call(refpos.positions.attention_mask_positions, (mask(s),), dict(masked=1))


def from_mask(s, *, given=mask, minus=1, fill=1, after=lambda p: p):
    """position_ids of generation: cumsum - 1, filled with 1."""
    m = given(s)
    ids = np.cumsum(m, axis=-1) - minus
    return after(np.where(m == 0, fill, ids))


IDS = {
    "padding ignored": (
        dict(after=lambda p: np.broadcast_to(np.arange(p.shape[1]), p.shape).copy()),
        "padding | mask | slots | running | arange | consecutive | count",
    ),
    "filled with 0": (dict(fill=0), "masked 0"),
    "filled with -1": (dict(fill=-1), "-1 masked | masked -1"),
    "without minus 1": (dict(minus=0), "+1 | 1 more | offset 1 | shifted 1 | from 1"),
    "minus 2": (dict(minus=2), "-1 | less"),
    "padding on the other side": (dict(given=lambda s: mask(s)[:, ::-1]), "side | right | revers | flipped"),
    "positions from the end": (dict(after=lambda p: p[:, ::-1]), "revers"),
    "row of the first sequence": (dict(after=lambda p: p[[0, 0, 0]]), "first | row 0 | batch 0 | same"),
    "int8": (dict(after=lambda p: (p * 9).astype(np.int8).astype(np.int64)), "int8"),
    "cumulated over the batch": (
        dict(after=lambda p: np.cumsum(np.ones_like(p), axis=0) - 1),
        "batch | axis 0",
    ),
    "not reset": (dict(after=lambda p: np.arange(p.size).reshape(p.shape)), "reset | running | batch | continues"),
    "mask inverted": (dict(given=lambda s: 1 - mask(s)), "inverted | mask 0 | exchanged | negat"),
    "doubled": (dict(after=lambda p: p * 2), "times 2 | factor 2 | scale 2 | multiplied 2 | twice | double"),
    "cache offset": (dict(after=lambda p: p + 7), "+7 | offset 7 | shifted 7 | positions 7 | later 7 | past 7"),
}
GROUPS.append(
    Group(
        "position ids",
        "left padding",
        ask_mask,
        from_mask,
        IDS,
        ("filled with 0 + without minus 1",),
        {
            "without minus 1 @ one row": (one_batch(2), "2"),
            "padding ignored @ one row": (one_batch(1), "1"),
            "cache offset @ last slots": (lambda shape: (slice(None), slice(shape[1] // 2, None)), "10 | 512 | last"),
        },
        {"generate": {}, "masked_fill": dict(minus=1)},
    ),
)


def ids(s):
    """Tokens with padding id 1 behind, as RoBERTa has them."""
    n = length(s)
    tokens = np.random.default_rng(3).integers(5, 90, (2, n))
    tokens[1, n - n // 4 :] = 1
    return tokens


def ask_ids(s):
    return Call(refpos.positions.table_rows, (ids(s),), dict(rule="tokens", padding_idx=1))


def roberta(s, *, pad=1, offset=1, masked=True, past=0, after=lambda p: p):
    """create_position_ids_from_input_ids."""
    m = (ids(s) != pad).astype(np.int64)
    numbered = np.cumsum(m, axis=1) + past
    return after((numbered * m if masked else numbered) + offset)


ROBERTA = {
    "from 0": (dict(offset=0), "offset -1 | -1 | padding_idx 0"),
    "from 2 behind the padding": (dict(offset=2), "+1 | padding_idx 2 | offset 1 | shifted 1 | more 1"),
    "padding counted": (dict(pad=-5), "padding | counted | count"),
    "padding not zeroed": (dict(masked=False), "padding | mask | fsmt | clipped"),
    "another padding id": (dict(pad=0), "padding_idx 0 | padding"),
    "plain count": (
        dict(after=lambda p: np.broadcast_to(np.arange(p.shape[1]), p.shape).copy()),
        "running | arange | consecutive | count",
    ),
    "past length": (dict(past=5), "past 5 | +5 | offset 5"),
    "clipped at the table": (dict(after=lambda p: np.minimum(p, p.shape[1] // 2)), "num_rows | clip | at most"),
    "over the batch": (dict(after=lambda p: p[::-1]), "batch | revers | row"),
}
GROUPS.append(Group("position ids", "roberta", ask_ids, roberta, ROBERTA, (), {}, {"as RoBERTa": {}}))

# -- rotary positions of caches and ranks -----------------------------------------------------------------------------


def states(s):
    return s.normal(2, 2, s.pick(32, 2048), 16)


def ranks(n, parts=4, order=(0, 7, 1, 6, 2, 5, 3, 4)):
    """Zigzag of context parallel training: chunk r and its mirror on each rank."""
    return np.concatenate([np.array_split(np.arange(n), 2 * parts)[k] for k in order])


def ask_ranks(s):
    return Call(refpos.rope, (states(s), ranks(s.pick(32, 2048))), dict(pairing="half"))


def parallel(s, *, pos=ranks):
    """Queries of all ranks in the order in which they lie."""
    angles = outer(pos(s.pick(32, 2048)).astype(np.float32), inverse(16))
    angles = angles if angles.ndim == 2 else angles[:, None]
    return half(states(s), np.cos(angles), np.sin(angles))


RANKS = {
    "numbered as they lie": (
        dict(pos=np.arange),
        "in order | positions 32 | positions 2048 | running | arange | consecutive | count",
    ),
    "every rank from 0": (dict(pos=lambda n: ranks(n) % (n // 4)), "rank | modulo | restart | every | reset | wrap"),
    "without zigzag": (
        dict(pos=lambda n: ranks(n, order=(0, 1, 2, 3, 4, 5, 6, 7))),
        "in order | positions 32 | positions 2048 | running | arange | consecutive | count",
    ),
    "striped": (dict(pos=lambda n: np.arange(n).reshape(-1, 4).T.reshape(-1)), "strid | every 4 | step 4 | interleav"),
    "mirror first": (dict(pos=lambda n: ranks(n, order=(7, 0, 6, 1, 5, 2, 4, 3))), "order | mirror | chunk | permut"),
    "second row from the end of the first": (
        dict(pos=lambda n: np.stack((ranks(n), ranks(n) + n))),
        "batch | positions 32 | positions 2048 | row 1",
    ),
    "offset of the cache": (
        dict(pos=lambda n: ranks(n) + n),
        "+32 | +2048 | offset 32 | offset 2048 | positions 32 | positions 2048",
    ),
    "one token lost": (dict(pos=lambda n: ranks(n) - 1), "-1"),
    "one chunk wrong": (
        dict(pos=lambda n: np.concatenate((ranks(n)[: n - n // 8], ranks(n)[-n // 8 :] - n // 8))),
        "from 28 | 1792 | last | rows 28",
    ),
    "rank offset doubled": (dict(pos=lambda n: ranks(n) + ranks(n) // (n // 4) * (n // 4)), "rank | offset | chunk"),
    "padding moved on": (
        dict(pos=lambda n: np.stack((ranks(n), np.maximum(ranks(n) - 5, 0)))),
        "batch 5 | row 1 5 | -5",
    ),
}
GROUPS.append(
    Group(
        "position ids",
        "context parallel",
        ask_ranks,
        parallel,
        RANKS,
        (),
        {
            "offset of the cache @ one row": (one_batch(1), "batch | (1, | row 1 | axis 0: index"),
            "numbered as they lie @ last half": (last_rows(2), "16 | 1024 | last"),
        },
        {"zigzag": {}},
    ),
)
