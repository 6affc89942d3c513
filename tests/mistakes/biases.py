"""Biases of distances: ALiBi, KERPLE, and the decays of RetNet and Lightning attention."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, last_rows, one_head
from .stages import F32, distances

HEADS = 12


def sizes(s):
    return s.pick((20, 24), (48, 2048))


def powers(n, exponent=8.0):
    start = 2.0 ** (-exponent / n)
    return [start ** (k + 1) for k in range(n)]


def slopes(heads):
    """get_slopes of the authors."""
    lower = 2 ** math.floor(math.log2(heads))
    if lower == heads:
        return powers(heads)
    return powers(lower) + powers(2 * lower)[0::2][: heads - lower]


def ask(s):
    return Call(refpos.alibi, (HEADS, *sizes(s)), dict(mode="causal", dtype=s.dtype))


def causal(bias, d):
    return np.where(d > 0, F32(-np.inf), bias)


def program(s, *, slope=slopes, distance=None, side=causal, offset=None, after=lambda b: b, sign=1):
    """Slopes times distances, and -inf above the diagonal."""
    queries, keys = sizes(s)
    d = distances(queries, keys, keys - queries if offset is None else offset)
    m = np.array(slope(HEADS), dtype=F32)
    bias = m[:, None, None] * (d if distance is None else distance(d)).astype(F32)[None]
    return after(side(sign * bias, d)).astype(s.number)


MISTAKES = {
    "slopes of the formula": (dict(slope=powers), "geometric"),
    "slopes of tutorials": (dict(slope=lambda n: [2.0**-k for k in range(n)]), "halving"),
    "slopes of 16 heads": (dict(slope=lambda n: powers(16)[:n]), "num_heads 16 | 16 heads | of 16"),
    "slopes of 8 heads": (dict(slope=lambda n: (powers(8) * 2)[:n]), "num_heads 8 | 8 heads | of 8"),
    "slopes from 0": (dict(slope=lambda n: [1.0, *slopes(n)[:-1]]), "slope 0 | first slope 1 | shifted | exponent 0"),
    "extra slopes not every other": (
        dict(slope=lambda n: powers(8) + powers(16)[: n - 8]),
        "every other | extra | last slopes | slopes 8",
    ),
    "slopes reversed": (dict(slope=lambda n: slopes(n)[::-1]), "revers"),
    "slopes sorted": (dict(slope=lambda n: sorted(slopes(n), reverse=True)), "sort | order"),
    "exponent 16": (
        dict(slope=lambda n: [v**2 for v in slopes(n)]),
        "max_bias 16",
    ),
    "exponent 4": (dict(slope=lambda n: [v**0.5 for v in slopes(n)]), "max_bias 4"),
    "positive": (dict(sign=-1), "sign | negat | -1 | positive"),
    "symmetric": (dict(distance=lambda d: -np.abs(d), side=lambda b, d: b), "symmetric"),
    "linear, no mask": (dict(side=lambda b, d: b), "linear"),
    "zeros above the diagonal": (dict(side=lambda b, d: np.where(d > 0, F32(0), b)), "clipped"),
    "-10000 above the diagonal": (dict(side=lambda b, d: np.where(d > 0, F32(-10000), b)), "-10000 | 10000"),
    "finfo.min above the diagonal": (
        dict(side=lambda b, d: np.where(d > 0, F32(-65504.0), b)),
        "-65504 | finfo | lowest | least",
    ),
    "distances from 1": (dict(distance=lambda d: d - 1), "distance 1 | offset | -1 | query_offset 1"),
    "key positions": (dict(distance=lambda d: d - d[:, :1] + 0), "anchor key"),
    "distance to the last key": (dict(distance=lambda d: d - d[:, -1:]), "anchor last"),
    "queries from 0": (dict(offset=0), "query_offset 0"),
    "queries from 1": (dict(offset=1), "query_offset 1"),
    "transposed": (dict(distance=lambda d: -d), "sign | transposed | i - j | -1 times"),
    "logarithmic": (dict(distance=lambda d: -np.log1p(np.abs(d))), "log"),
    "squared": (dict(distance=lambda d: -(d.astype(float) ** 2)), "square | power 2"),
    "root": (dict(distance=lambda d: -np.sqrt(np.abs(d))), "root | sqrt | power 0.5"),
    "clipped at 8": (dict(distance=lambda d: np.maximum(d, -8)), "clip | at most"),
    "divided by sqrt(64)": (dict(after=lambda b: b / 8), "head_dim 64 | 0.125"),
    "times sqrt(64)": (
        dict(after=lambda b: b * 8),
        "times 8 | factor 8 | multiplied 8 | scale 8 | sqrt(64) | sqrt dim",
    ),
    "one slope": (
        dict(slope=lambda n: [slopes(n)[0]] * n),
        "same slope | one slope | first slope | head 0 | first head",
    ),
    "slopes in bfloat16": (
        dict(slope=lambda n: np.array(slopes(n), F32).astype("bfloat16").astype(F32)),
        "slopes bfloat16 | bfloat16",
    ),
    "distances in int8": (dict(distance=lambda d: (d * 10).astype(np.int8)), "int8"),
}
GROUPS = [
    Group(
        "alibi",
        "alibi",
        ask,
        program,
        MISTAKES,
        (
            "slopes of the formula + zeros above the diagonal",
            "exponent 4 + linear, no mask",
            "slopes of tutorials + linear, no mask",
            "exponent 16 + queries from 0",
            "slopes of the formula + divided by sqrt(64)",
        ),
        {
            "positive @ one head": (one_head(3), "head 3 | 3 | head | axis 0: index"),
            "zeros above the diagonal @ one head": (one_head(0), "head 0 | head | axis 0: index"),
            "distances from 1 @ last rows": (last_rows(4), "15 | 36 | last"),
            "clipped at 8 @ one head": (one_head(5), "head 5 | head | axis 0: index"),
            "slopes of the formula @ last heads": (lambda shape: (slice(8, None),), "8 | heads"),
        },
        {
            "as authors": {},
            "exp2": dict(slope=lambda n: np.exp2(np.log2(slopes(n)))),
            "abs and minus": dict(distance=lambda d: -np.abs(d)),
            "linear and mask added": dict(side=lambda b, d: b + np.where(d > 0, F32(-np.inf), F32(0))),
        },
    ),
]


def ask_slopes(s):
    return Call(refpos.alibi_slopes, (s.pick(12, 96),), dict(dtype=s.dtype))


SLOPES = {
    "formula": (dict(slope=powers), "geometric"),
    "halving": (dict(slope=lambda n: [2.0**-k for k in range(n)]), "halving"),
    "from 0": (dict(slope=lambda n: [1.0, *slopes(n)[:-1]]), "exponent 0 | shifted | rolled | first slope"),
    "max_bias 4": (dict(slope=lambda n: [v**0.5 for v in slopes(n)]), "max_bias 4"),
    "negative": (dict(slope=lambda n: [-v for v in slopes(n)]), "negat | sign | factor -1 | times -1"),
    "sorted": (dict(slope=lambda n: sorted(slopes(n))), "sort | order"),
    "reversed": (dict(slope=lambda n: slopes(n)[::-1]), "revers"),
    "base e": (dict(slope=lambda n: [math.exp(math.log2(v)) for v in slopes(n)]), "max_bias 11.54 | exp"),
    "squared": (dict(slope=lambda n: [v * v for v in slopes(n)]), "max_bias 16 | square"),
}
GROUPS.append(
    Group(
        "alibi",
        "slopes",
        ask_slopes,
        lambda s, slope=slopes: np.array(slope(s.pick(12, 96))).astype(s.number),
        SLOPES,
        (),
        {},
        {"as authors": {}, "float32": dict(slope=lambda n: np.array(slopes(n), F32))},
    ),
)

# -- KERPLE -----------------------------------------------------------------------------------------------------------


def parameters():
    return np.array([0.7, 1.3, 0.2, 2.5]), np.array([1.0, 0.05, 0.4, 0.9])


def ask_kerple(s):
    return Call(refpos.relative.kerple, (*parameters(), *sizes(s)), dict(kind="log", dtype=s.dtype))


def kernel(p, a, d):
    return -p * np.log(1 + a * d)


def kerple(s, *, given=parameters, rule=kernel, offset=None, side=lambda d: np.maximum(-d, 0)):
    """ParallelKerpleLog."""
    queries, keys = sizes(s)
    d = side(distances(queries, keys, keys - queries if offset is None else offset)).astype(F32)
    p, a = (v.astype(F32)[:, None, None] for v in given())
    return rule(p, a, d[None]).astype(s.number)


KERPLE = {
    "power": (dict(rule=lambda p, a, d: -a * d**p), "power"),
    "weight": (dict(rule=lambda p, a, d: np.exp(-a * d**p)), "weight"),
    "p and a exchanged": (dict(given=lambda: parameters()[::-1]), "p a exchanged | swapped | p=a | a=p | place"),
    "positive": (dict(rule=lambda p, a, d: -kernel(p, a, d)), "sign | negat | -1"),
    "log without 1": (dict(rule=lambda p, a, d: -p * np.log(np.maximum(a * d, F32(1e-6)))), "1 +"),
    "log of base 2": (dict(rule=lambda p, a, d: kernel(p, a, d) / F32(math.log(2))), "log2 | 1.4427"),
    "log of base 10": (dict(rule=lambda p, a, d: kernel(p, a, d) / F32(math.log(10))), "log10 | 0.4343"),
    "symmetric": (dict(side=np.abs), "symmetric | abs | both"),
    "queries from 0": (dict(offset=0), "query_offset 0"),
    "distances from 1": (dict(side=lambda d: np.maximum(-d, 0) + 1), "distance 1 | +1 | offset 1 | query_offset"),
    "least 0.5": (dict(given=lambda: tuple(np.maximum(v, 0.5) for v in parameters())), "least 0.5"),
    "a left out": (dict(rule=lambda p, a, d: -p * np.log(1 + d)), "a 1 | a left | without a"),
    "heads reversed": (dict(given=lambda: tuple(v[::-1] for v in parameters())), "head revers | revers"),
    "keys minus queries": (dict(side=lambda d: np.maximum(d, 0)), "sign | key | after"),
}
GROUPS.append(
    Group(
        "kerple",
        "kerple",
        ask_kerple,
        kerple,
        KERPLE,
        ("p and a exchanged + queries from 0",),
        {
            "positive @ one head": (one_head(2), "head 2 | head | axis 0: index"),
            "symmetric @ one head": (one_head(1), "head 1 | head | axis 0: index"),
        },
        {"as authors": {}, "log1p": dict(rule=lambda p, a, d: -p * np.log1p(a * d))},
    ),
)

# -- decays -----------------------------------------------------------------------------------------------------------


def gammas(heads):
    return 1 - 2.0 ** (-5 - np.arange(heads))


def ask_decay(s):
    return Call(refpos.relative.decay, (4, *sizes(s)), dict(rule="retnet", dtype=s.dtype))


def retention(s, *, rate=gammas, offset=None, distance=lambda d: -d, above=0.0, after=lambda b: b):
    """The mask of RetNet."""
    queries, keys = sizes(s)
    d = distances(queries, keys, keys - queries if offset is None else offset)
    grown = rate(4)[:, None, None] ** np.where(d > 0, 0, distance(d))[None]
    return after(np.where(d > 0, above, grown)).astype(s.number)


DECAY = {
    "exponent from 4": (dict(rate=lambda h: 1 - 2.0 ** (-4 - np.arange(h))), "-4 | exponent 4 | 1/16"),
    "exponent from 6": (dict(rate=lambda h: 1 - 2.0 ** (-6 - np.arange(h))), "-6 | exponent 6 | 1/64"),
    "rates of logspace": (
        dict(rate=lambda h: 1 - np.exp(np.linspace(math.log(1 / 32), math.log(1 / 512), h))),
        "logspace | 1/512 | linspace",
    ),
    "lightning": (dict(rate=lambda h: np.exp(-(2.0 ** (-8 * (np.arange(h) + 1) / h)))), "lightning"),
    "not masked": (dict(above=1.0), "above 1 | after 1 | future | mask | keys after"),
    "-inf above": (dict(above=-np.inf), "-inf | infinity"),
    "one more step": (dict(distance=lambda d: -d + 1), "+1 | distance 1 | offset 1 | one more | query_offset"),
    "row sums normalised": (dict(after=lambda b: b / np.sqrt(b.sum(-1, keepdims=True))), "normal | sum"),
    "logarithm": (dict(after=lambda b: np.log(np.maximum(b, 1e-30))), "log"),
    "queries from 0": (dict(offset=0), "query_offset 0"),
    "one rate": (dict(rate=lambda h: np.full(h, 31 / 32)), "same | one rate | head 0 | first head"),
    "heads reversed": (dict(rate=lambda h: gammas(h)[::-1]), "revers"),
    "rate squared": (dict(rate=lambda h: gammas(h) ** 2), "square | twice | power 2 | exponent 2 | doubled"),
}
GROUPS.append(
    Group(
        "decays",
        "retnet",
        ask_decay,
        retention,
        DECAY,
        ("exponent from 4 + queries from 0",),
        {
            "not masked @ one head": (one_head(1), "head 1 | head | axis 0: index"),
            "one more step @ last rows": (last_rows(2), "10 | 24 | last"),
            "exponent from 6 @ one head": (one_head(3), "head 3 | head | axis 0: index"),
        },
        {"power": {}, "exp of log": dict(rate=lambda h: np.exp(np.log(gammas(h))))},
    ),
)


def ask_lightning(s):
    return Call(
        refpos.relative.decay_rates, (s.pick(8, 64),), dict(rule="lightning", layer=3, layers=24, dtype=s.dtype)
    )


def rates(s, *, heads=None, layer=3, layers=24, eps=1e-5, exponent=8, flip=False):
    """The slopes of MiniMax, by head and layer."""
    n = heads or s.pick(8, 64)
    result = 2.0 ** (-exponent * (np.arange(s.pick(8, 64)) + 1) / n) * (1 - layer / (layers - 1 + eps) + eps)
    return (result[::-1] if flip else result).astype(s.number)


GROUPS.append(
    Group(
        "decays",
        "lightning rates",
        ask_lightning,
        rates,
        {
            "layer from 1": (dict(layer=4), "layer 4"),
            "layer left out": (dict(layer=0), "layer 0"),
            "layers not less 1": (dict(layers=25), "layers 25"),
            "eps 1e-2": (dict(eps=1e-2), "eps 0.01"),
            "exponent 4": (dict(exponent=4), "exponent 4 | -4 | half"),
            "heads of the group": (dict(heads=128), "128"),
            "reversed": (dict(flip=True), "revers"),
        },
        (),
        {},
        {"as MiniMax": {}},
    ),
)
