"""Cosine and sine tables: the cache of a model, and its scalings (linear, NTK, YaRN, Llama 3, LongRoPE)."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, last_rows
from .stages import F32, count, even, inverse, outer

DIM = 64


def length(s):
    return s.pick(32, 2048)


def asked(frequencies):
    """The call of a table with these frequencies."""
    return lambda s: Call(refpos.rope_table, (length(s), frequencies()), dict(dtype=s.dtype))


def plain(value):
    return value


def program(s, *, inv=inverse, pos=count, angle=plain, factor=1.0, table=plain, after=None):
    """cos_cached and sin_cached of a rotary embedding."""
    angles = angle(outer(pos(length(s)), inv(DIM)))
    cos, sin = table((np.cos(angles) * F32(factor), np.sin(angles) * F32(factor)))
    cos, sin = cos.astype(s.number), sin.astype(s.number)
    return (cos, sin) if after is None else after(cos, sin)


def scaled(inv, factor=1.0):
    """The program with the frequencies and the attention factor of a scaling."""
    return lambda s, **stages: program(s, **{"inv": inv, "factor": factor} | stages)


def rounded(dtype):
    return lambda a: a.astype(dtype).astype(F32)


PLAIN = {
    "base 500000": (dict(inv=lambda dim: inverse(dim, 5e5)), "base 500000"),
    "base 10": (dict(inv=lambda dim: inverse(dim, 10.0)), "base 10"),
    "cos and sin exchanged": (dict(table=lambda t: t[::-1]), "cos sin exchanged | cos sin swapped | sin place cos"),
    "sine negated": (dict(table=lambda t: (t[0], -t[1])), "inverse | sign | negative | -p | backward"),
    "cosine twice": (dict(table=lambda t: (t[0], t[0])), "cos place sin | cos twice | sin cos same | both cos"),
    "positions from 1": (dict(pos=lambda n: count(n) + 1), "positions 1 | offset 1 | +1 | shifted 1"),
    "cache without its first row": (dict(pos=lambda n: count(n + 4)[4:]), "positions 4 | offset 4 | +4 | shifted 4"),
    "positions in float16": (
        dict(pos=lambda n: (count(n) * 3).astype(np.float16).astype(F32)),
        "positions 3 | float16 3",
    ),
    "angles in bfloat16": (dict(angle=rounded("bfloat16")), "angles bfloat16 | phases bfloat16"),
    "angles in float16": (dict(angle=rounded(np.float16)), "angles float16 | phases float16"),
    "frequencies in bfloat16": (
        dict(inv=lambda dim: inverse(dim).astype("bfloat16").astype(F32)),
        "frequencies bfloat16 | inv_freq bfloat16",
    ),
    "frequencies stored with 4 decimals": (
        dict(inv=lambda dim: np.round(inverse(dim), 4)),
        "frequencies rounded | decimals | 4 places",
    ),
    "exponent i/d": (
        dict(inv=lambda dim: (1 / 1e4 ** (np.arange(dim // 2) / dim)).astype(F32)),
        "exponent i/d | exponent i / | exponent_dim 128 | base 100",
    ),
    "exponent over d-2": (
        dict(inv=lambda dim: (1 / 1e4 ** (even(dim) / (dim - 2))).astype(F32)),
        "endpoint | exponent_dim 62 | d-2 | half-1",
    ),
    "frequencies reversed": (dict(inv=lambda dim: inverse(dim)[::-1]), "revers | columns order | frequencies order"),
    "factor 2 pi": (dict(inv=lambda dim: inverse(dim) * F32(2 * np.pi)), "2 pi | 2pi | 6.28"),
    "table of multiplied angles": (dict(angle=lambda a: a * 4), "positions 4 | factor 0.25 | angles 4 | factor 1/4"),
    "cache in int8 positions": (dict(pos=lambda n: (count(n) * 8).astype(np.int8).astype(F32)), "int8"),
}

GROUPS = [
    Group(
        "rope tables",
        "rope table",
        asked(lambda: refpos.inverse_frequencies(DIM)),
        program,
        PLAIN,
        ("base 500000 + cos and sin exchanged", "base 10 + positions from 1", "sine negated + positions from 1"),
        {
            "base 500000 @ last half": (last_rows(2), "16 | 1024 | last"),
            "positions from 1 @ last quarter": (last_rows(4), "24 | 1536 | last"),
        },
        {
            "cached": {},
            "float64": dict(inv=lambda dim: 1e4 ** (-np.arange(0, dim, 2) / dim)),
            "exp and log": dict(inv=lambda dim: np.exp(even(dim) * F32(-math.log(1e4) / dim))),
            "half of twice": dict(angle=lambda a: np.concatenate((a, a), -1)[:, : DIM // 2]),
        },
    ),
]


def linear(dim, base=1e4, factor=4.0):
    return inverse(dim, base) / F32(factor)


LINEAR = {
    "no scaling": (
        dict(inv=inverse),
        "factor 1 | not scaled | unscaled | no scaling | without scaling | inverse_frequencies",
    ),
    "factor 8": (dict(inv=lambda dim: linear(dim, factor=8)), "factor 8"),
    "multiplied": (dict(inv=lambda dim: inverse(dim) * 4), "factor 0.25 | factor 1/4 | multiplied"),
    "scaled twice": (dict(inv=lambda dim: linear(dim, factor=16)), "factor 16 | twice"),
    "ntk instead": (dict(inv=lambda dim: inverse(dim, 1e4 * 4 ** (64 / 62))), "ntk"),
    "base multiplied": (dict(inv=lambda dim: inverse(dim, 4e4)), "base 40000 | product"),
    "integer division": (dict(inv=inverse, pos=lambda n: count(n) // 4), "floor | integer | // | whole | floored"),
    "factor for amplitude": (
        dict(inv=inverse, factor=0.25),
        "amplitude | result 0.25 | cos sin 0.25 | scaled 0.25 | 1/4",
    ),
    "base 500000": (dict(inv=lambda dim: linear(dim, 5e5)), "base 500000"),
}
GROUPS.append(
    Group(
        "scalings",
        "linear",
        asked(lambda: refpos.linear(DIM, factor=4)),
        scaled(linear),
        LINEAR,
        (),
        {},
        {"inv_freq divided": dict(inv=linear), "positions divided": dict(inv=inverse, pos=lambda n: count(n) / 4)},
    ),
)


def ntk(dim, factor=4.0, base=1e4):
    return inverse(dim, base * factor ** (dim / (dim - 2)))


NTK = {
    "linear instead": (dict(inv=linear), "linear | positions divided 4"),
    "exponent left out": (dict(inv=lambda dim: inverse(dim, 4e4)), "product | base 40000"),
    "exponent d/(d-1)": (dict(inv=lambda dim: inverse(dim, 1e4 * 4 ** (64 / 63))), "dim-1 | d-1 | base 40890"),
    "exponent (d-2)/d": (dict(inv=lambda dim: inverse(dim, 1e4 * 4 ** (62 / 64))), "62/64 | base 38304 | (d-2)/d"),
    "factor 8": (dict(inv=lambda dim: ntk(dim, 8)), "factor 8"),
    "no scaling": (dict(inv=inverse), "factor 1 | not scaled | unscaled | no scaling | without | inverse_frequencies"),
    "both scalings": (
        dict(inv=lambda dim: ntk(dim) / 4),
        "linear 4 | twice | both | factor 4 positions | 0.25 positions | positions divided 4",
    ),
}
GROUPS.append(
    Group(
        "scalings",
        "ntk",
        asked(lambda: refpos.ntk(DIM, factor=4)),
        scaled(ntk),
        NTK,
        (),
        {},
        {"base changed": dict(inv=ntk)},
    )
)


def dynamic(dim, factor=2.0, trained=1024, length=4096, base=1e4):
    return inverse(dim, base * (factor * length / trained - (factor - 1)) ** (dim / (dim - 2)))


DYNAMIC = {
    "no scaling": (
        dict(inv=inverse),
        "seq_len 1024 | not scaled | unscaled | factor 1 | inverse_frequencies | without | no scaling",
    ),
    "length of training": (dict(inv=lambda dim: dynamic(dim, trained=2048)), "max_position_embeddings 2048"),
    "another length": (dict(inv=lambda dim: dynamic(dim, length=4097)), "seq_len 4097"),
    "static": (dict(inv=lambda dim: ntk(dim, 2.0)), "ntk 2 | seq_len | static"),
    "without minus (factor - 1)": (
        dict(inv=lambda dim: inverse(dim, 1e4 * 8 ** (64 / 62))),
        "factor-1 | ntk 8 | factor 8 | x 8",
    ),
    "factor 4": (dict(inv=lambda dim: dynamic(dim, factor=4.0)), "factor 4"),
    "linear": (dict(inv=lambda dim: linear(dim, factor=2.0)), "linear | positions divided 2"),
}
GROUPS.append(
    Group(
        "scalings",
        "dynamic ntk",
        asked(lambda: refpos.dynamic_ntk(DIM, factor=2, max_position_embeddings=1024, seq_len=4096)),
        scaled(dynamic),
        DYNAMIC,
        (),
        {},
        {"as transformers": dict(inv=dynamic)},
    ),
)


def yarn(dim, *, factor=8.0, base=1e4, trained=4096, fast=32.0, slow=1.0, truncate=True, ramp_over=None, mix=None):
    """_compute_yarn_parameters."""

    def dimension(turns):
        return dim * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = dimension(fast), dimension(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = np.clip((np.arange(dim // 2, dtype=F32) - F32(low)) / F32(high - low), 0, 1)
    ramp = ramp if ramp_over is None else ramp_over(ramp)
    plain_ones = inverse(dim, base)
    return plain_ones / F32(factor) * ramp + plain_ones * (1 - ramp) if mix is None else mix(plain_ones, ramp)


MSCALE = 0.1 * math.log(8) + 1
YARN = {
    "mscale forgotten": (
        dict(factor=1.0),
        "attention_factor 1 | mscale 1 | attention factor 1 | attention_factor dropped",
    ),
    "mscale twice": (dict(factor=MSCALE**2), "attention factor twice | 1.459 | squared | attention_factor 1.459"),
    "mscale inverted": (dict(factor=1 / MSCALE), "0.8279 | inverse attention factor | 1/1.2079"),
    "mscale without 0.1": (dict(factor=math.log(8) + 1), "3.079"),
    "log of base 10": (dict(factor=0.1 * math.log10(8) + 1), "1.0903"),
    "factor 4": (dict(inv=lambda dim: yarn(dim, factor=4.0), factor=0.1 * math.log(4) + 1), "factor 4"),
    "length of training": (dict(inv=lambda dim: yarn(dim, trained=32768)), "original_max_position_embeddings 32768"),
    "betas exchanged": (
        dict(inv=lambda dim: yarn(dim, ramp_over=lambda r: 1 - r)),
        "beta_fast beta_slow | ramp exchanged | ramp",
    ),
    "beta_fast 16": (dict(inv=lambda dim: yarn(dim, fast=16.0)), "beta_fast 16"),
    "beta_slow 2": (dict(inv=lambda dim: yarn(dim, slow=2.0)), "beta_slow 2"),
    "not truncated": (dict(inv=lambda dim: yarn(dim, truncate=False)), "truncate False"),
    "linear": (dict(inv=lambda dim: linear(dim, factor=8.0)), "linear | ramp | positions divided 8"),
    "no scaling": (dict(inv=inverse), "not scaled | unscaled | factor 1 | inverse_frequencies | without | no scaling"),
    "ramp of powers": (
        dict(inv=lambda dim: yarn(dim, mix=lambda w, r: w / F32(8) ** r)),
        "geometric ramp | power ramp | ramp",
    ),
    "base 1000000": (dict(inv=lambda dim: yarn(dim, base=1e6)), "base 1000000"),
}
GROUPS.append(
    Group(
        "scalings",
        "yarn",
        asked(lambda: refpos.yarn(DIM, factor=8, original_max_position_embeddings=4096)),
        scaled(yarn, MSCALE),
        YARN,
        ("mscale forgotten + length of training", "mscale forgotten + base 1000000", "mscale forgotten + beta_fast 16"),
        {"mscale forgotten @ last half": (last_rows(2), "16 | 1024 | last")},
        {"as transformers": {}},
    ),
)


def llama3(dim, *, base=5e5, factor=8.0, low=1.0, high=4.0, trained=8192, smooth=True, over="wavelength"):
    """_compute_llama3_parameters."""
    plain_ones = inverse(dim, base)
    waves = 2 * np.pi / plain_ones
    between = (trained / waves - low) / (high - low)
    between = np.clip(between, 0, 1) if smooth else (between > 0).astype(F32)
    if over == "index":
        between = np.clip(1 - np.arange(dim // 2) / (dim // 2 - 1), 0, 1)
    return ((1 - between) * plain_ones / factor + between * plain_ones).astype(F32)


LLAMA3 = {
    "no scaling": (
        dict(inv=lambda dim: inverse(dim, 5e5)),
        "not scaled | unscaled | factor 1 | inverse_frequencies | without | no scaling",
    ),
    "factor 32": (dict(inv=lambda dim: llama3(dim, factor=32.0)), "factor 32"),
    "length 4096": (dict(inv=lambda dim: llama3(dim, trained=4096)), "original_max_position_embeddings 4096"),
    "length 131072": (dict(inv=lambda dim: llama3(dim, trained=131072)), "original_max_position_embeddings 131072"),
    "low factor 2": (dict(inv=lambda dim: llama3(dim, low=2.0)), "low_freq_factor 2"),
    "high factor 8": (dict(inv=lambda dim: llama3(dim, high=8.0)), "high_freq_factor 8"),
    "no ramp": (dict(inv=lambda dim: llama3(dim, smooth=False)), "ramp | smooth | step | high_freq_factor 1"),
    "linear": (dict(inv=lambda dim: linear(dim, 5e5, 8.0)), "linear | positions divided 8"),
    "ramp over the index": (dict(inv=lambda dim: llama3(dim, over="index")), "ramp"),
    "base 10000": (dict(inv=lambda dim: llama3(dim, base=1e4)), "base 10000"),
    "yarn": (dict(inv=lambda dim: yarn(dim, base=5e5, trained=8192)), "yarn | ntk_by_parts"),
}
GROUPS.append(
    Group(
        "scalings",
        "llama3",
        asked(
            lambda: refpos.llama3(
                DIM, base=5e5, factor=8, low_freq_factor=1, high_freq_factor=4, original_max_position_embeddings=8192
            )
        ),
        scaled(llama3),
        LLAMA3,
        (),
        {},
        {"as transformers": {}},
    ),
)

SHORT = [1.0 + 0.01 * i for i in range(DIM // 2)]
LONG = [1.0 + 1.5 * i for i in range(DIM // 2)]
LONG_FACTOR = math.sqrt(1 + math.log(32) / math.log(4096))


def longrope(dim, factors=tuple(LONG)):
    return inverse(dim) / np.array(factors, dtype=F32)


LONGROPE = {
    "short list": (dict(inv=lambda dim: longrope(dim, SHORT)), "short"),
    "no list": (dict(inv=inverse), "not scaled | unscaled | factors 1 | inverse_frequencies | without"),
    "factor forgotten": (dict(factor=1.0), "attention_factor 1 | attention factor 1 | attention_factor dropped"),
    "factor without root": (dict(factor=LONG_FACTOR**2), "1.4167 | root | squared | twice"),
    "factor as yarn": (dict(factor=0.1 * math.log(32) + 1), "1.3466 | yarn"),
    "multiplied by the list": (dict(inv=lambda dim: inverse(dim) * np.array(LONG, F32)), "multipl | inverted"),
    "list reversed": (dict(inv=lambda dim: longrope(dim, LONG[::-1])), "revers"),
}
GROUPS.append(
    Group(
        "scalings",
        "longrope",
        asked(
            lambda: refpos.longrope(
                DIM,
                short_factor=SHORT,
                long_factor=LONG,
                factor=32,
                seq_len=8192,
                original_max_position_embeddings=4096,
            )
        ),
        scaled(longrope, LONG_FACTOR),
        LONGROPE,
        ("short list + factor forgotten",),
        {},
        {"as Phi-3": {}},
    ),
)
