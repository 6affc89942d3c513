"""Sinusoidal tables of papers and lessons, and the 2D and 3D grids of vision models."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, columns, last_rows
from .stages import F32, count, even, outer

DIM = 48


def ask(s):
    return Call(refpos.sinusoidal, (s.pick(40, 2048), DIM), dict(dtype=s.dtype))


def rates(dim, base=10000.0):
    """div_term of the PyTorch tutorial."""
    return np.exp(even(dim) * F32(-math.log(base) / dim))


def alternating(sin, cos):
    return np.stack((sin, cos), axis=-1).reshape(len(sin), -1)


def program(s, *, div=rates, pos=count, angle=lambda p, w: outer(p, w), put=alternating, after=lambda t: t):
    """PositionalEncoding of the PyTorch tutorial."""
    angles = angle(pos(s.pick(40, 2048)), div(DIM)).astype(F32)
    return after(put(np.sin(angles), np.cos(angles))).astype(s.number)


def lesson(power):
    """position / 10000 ** power(channel) as lessons have it: sine of even channels, cosine of odd ones."""

    def put(s):
        channel = np.arange(DIM)
        angles = (count(s.pick(40, 2048))[:, None] / 1e4 ** power(channel)).astype(F32)
        return np.where(channel % 2 == 0, np.sin(angles), np.cos(angles)).astype(s.number)

    return put


MISTAKES = {
    "cosines first": (
        dict(put=lambda a, b: alternating(b, a)),
        "sin cos exchanged | sin cos swapped | sine cosine exchanged | cosine first | cos-sin alternating",
    ),
    "halves": (dict(put=lambda a, b: np.concatenate((a, b), -1)), "sin-cos | halves alternate"),
    "halves, cosines first": (dict(put=lambda a, b: np.concatenate((b, a), -1)), "cos-sin"),
    "base 1000": (dict(div=lambda dim: rates(dim, 1e3)), "base 1000"),
    "base 100000": (dict(div=lambda dim: rates(dim, 1e5)), "base 100000"),
    "endpoint": (
        dict(div=lambda dim: np.exp(np.arange(dim // 2, dtype=F32) * F32(-math.log(1e4) / (dim // 2 - 1)))),
        "endpoint",
    ),
    "exponent i/d": (
        dict(div=lambda dim: rates(dim)[: dim // 2] ** F32(0.5)),
        "exponent i/d | exponent i / | base 100",
    ),
    "exponent 4i/d": (dict(div=lambda dim: rates(dim) ** F32(2)), "exponent 4i | base 100000000"),
    "log of base 10": (
        dict(div=lambda dim: np.exp(even(dim) * F32(-math.log10(1e4) / dim))),
        "log10 | base 54.6",
    ),
    "log of base 2": (dict(div=lambda dim: np.exp(even(dim) * F32(-math.log2(1e4) / dim))), "log2 | base 589"),
    "exponent not negative": (
        dict(div=lambda dim: 1 / rates(dim)),
        "base 0.0001 | base 1/10000 | sign exponent | inverted",
    ),
    "positions from 1": (dict(pos=lambda n: count(n) + 1), "positions 1 | offset 1 | +1 | shifted 1"),
    "padding_idx offset": (dict(pos=lambda n: count(n) + 2), "positions 2 | offset 2 | +2 | shifted 2"),
    "positions divided by n": (dict(pos=lambda n: count(n) / F32(n)), "0.025 | 1/40 | 1/2048 | 0.000488 | normal"),
    "positions to 1": (dict(pos=lambda n: count(n) / F32(n - 1)), "1/39 | 1/2047 | 0.02564 | normal"),
    "positions in bfloat16": (
        dict(pos=lambda n: (count(n) + 500).astype("bfloat16").astype(F32)),
        "bfloat16 500 | 500",
    ),
    "positions in uint8": (dict(pos=lambda n: (count(n) * 16).astype(np.uint8).astype(F32)), "uint8 16 | uint8"),
    "only sines": (dict(put=lambda a, b: alternating(a, a)), "sin place cos | only sin | all sin | sines both"),
    "only cosines": (dict(put=lambda a, b: alternating(b, b)), "cos place sin | only cos | all cos | cosines both"),
    "all channels times sqrt(dim)": (
        dict(after=lambda t: t * F32(math.sqrt(DIM))),
        "sqrt(dim) | sqrt dim | 6.928 | sqrt(48)",
    ),
    "divided by sqrt(dim)": (dict(after=lambda t: t / F32(math.sqrt(DIM))), "sqrt-dim | sqrt(dim) | 0.1443 | sqrt dim"),
    "padding row zero": (
        dict(after=lambda t: np.concatenate((t[:1] * 0, t[1:]))),
        "zero_row 0 | row 0 zero | first row",
    ),
    "transposed positions": (dict(pos=lambda n: count(n)[::-1]), "revers | descending"),
    "degrees": (dict(div=lambda dim: rates(dim) * F32(math.pi / 180)), "degree | 0.01745 | pi/180"),
    "times 2 pi": (dict(div=lambda dim: rates(dim) * F32(2 * math.pi)), "2 pi | 2pi | 6.28 | position_scale 6.28"),
    "clipped at 512": (dict(pos=lambda n: np.minimum(count(n), n // 4)), "clip | at most"),
    "sines negated": (dict(pos=lambda n: -count(n)), "negat | sign | positions -1 | -p | inverse"),
    "layer times position": (dict(pos=lambda n: count(n) * 3), "positions 3 | position_scale 3 | factor 3"),
    "one column shifted": (dict(after=lambda t: np.roll(t, 1, axis=-1)), "rolled | shifted channel | roll 1"),
}


def paired(channel):
    return 2 * (channel // 2) / DIM


LESSONS = {
    "2i/d with i the channel": (
        dict(power=lambda c: 2 * c / DIM),
        "2i i channel | exponent channel | exponent 2 channel | 2c",
    ),
    "i/d with i the channel": (dict(power=lambda c: c / DIM), "exponent channel | i/d channel | channel"),
    "2(i//2) without floor in cosines": (
        dict(power=lambda c: (c + c % 2) / DIM),
        "exponent cos | cosine channel | i+1",
    ),
    "i//2 / d": (dict(power=lambda c: (c // 2) / DIM), "base 100 | i/d | exponent i / | exponent half"),
    "over d - 1": (
        dict(power=lambda c: 2 * (c // 2) / (DIM - 1)),
        "exponent_dim 47 | d-1 | dim-1 | exponent base 12165",
    ),
    "over d / 2": (dict(power=lambda c: 2 * (c // 2) / (DIM / 2)), "4i | base 100000000 | exponent"),
}
GROUPS = [
    Group(
        "sinusoidal",
        "sinusoidal",
        ask,
        program,
        MISTAKES,
        (
            "halves + base 1000",
            "halves + endpoint",
            "positions from 1 + halves",
            "positions from 1 + endpoint",
            "base 100000 + positions from 1",
            "halves, cosines first + layer times position",
        ),
        {
            "base 1000 @ last half": (last_rows(2), "20 | 1024 | last"),
            "positions from 1 @ last half": (last_rows(2), "20 | 1024 | last"),
            "only sines @ last channels": (columns(2), "24 | channel"),
            "sines negated @ last quarter": (last_rows(4), "30 | 1536 | last"),
        },
        {
            "tutorial": {},
            "power": dict(div=lambda dim: (1 / 1e4 ** (even(dim) / dim)).astype(F32)),
            "float64": dict(div=lambda dim: 1e4 ** (-np.arange(0, dim, 2) / dim), angle=np.multiply.outer),
            "division": dict(div=lambda dim: 1e4 ** (even(dim) / dim), angle=lambda p, w: p[:, None] / w),
        },
    ),
    Group(
        "sinusoidal",
        "lesson",
        ask,
        lambda s, power=paired: lesson(power)(s),
        LESSONS,
        (),
        {},
        {"as the formula": {}},
    ),
]

# -- grids ------------------------------------------------------------------------------------------------------------


def size(s):
    return s.pick((4, 6), (32, 64))


def ask_grid(s):
    return Call(refpos.sincos_2d, (*size(s), DIM), dict(axis_order="hw", dtype=s.dtype))


def omega(dim, base=10000.0):
    """omega of MAE: 1 / 10000 ** (arange(dim / 2) / (dim / 2))."""
    return 1 / base ** (np.arange(dim // 2, dtype=np.float64) / (dim / 2))


def wave(positions, dim, rule=omega, put=None):
    angles = np.multiply.outer(positions, rule(dim))
    sin, cos = np.sin(angles), np.cos(angles)
    return np.concatenate((sin, cos), -1) if put is None else put(sin, cos)


def cells(h, w):
    return np.repeat(np.arange(h), w).astype(float), np.tile(np.arange(w), h).astype(float)


def grid(s, *, places=cells, rule=omega, put=None, join=lambda a: np.concatenate(a, -1), after=lambda t, h, w: t):
    """get_2d_sincos_pos_embed of MAE."""
    h, w = size(s)
    table = join([wave(axis, DIM // 2, rule, put) for axis in places(h, w)])
    return after(table.reshape(h, w, DIM), h, w).astype(s.number)


GRID = {
    "columns first": (dict(places=lambda h, w: cells(h, w)[::-1]), "axis_order wh"),
    "transposed cells": (
        dict(after=lambda t, h, w: t.reshape(w, h, DIM).transpose(1, 0, 2)),
        "transposed | column by column | order cells",
    ),
    "base 1000": (dict(rule=lambda d: omega(d, 1e3)), "base 1000"),
    "exponent of the whole width": (dict(rule=lambda d: omega(2 * d)[: d // 2]), "base 100 | exponent dim | exponent"),
    "endpoint": (dict(rule=lambda d: 1 / 1e4 ** (np.arange(d // 2) / (d // 2 - 1))), "endpoint"),
    "cosines first": (dict(put=lambda a, b: np.concatenate((b, a), -1)), "cos-sin"),
    "interleaved": (dict(put=lambda a, b: np.stack((a, b), -1).reshape(len(a), -1)), "interleaved"),
    "cells from 1": (
        dict(places=lambda h, w: tuple(a + 1 for a in cells(h, w))),
        "cells 1 | positions 1 | offset 1 | +1 | shifted 1 | height 1 width",
    ),
    "normalised to 1": (
        dict(places=lambda h, w: (cells(h, w)[0] / h, cells(h, w)[1] / w)),
        "normali | / height | size",
    ),
    "scaled to 16 cells": (
        dict(places=lambda h, w: (cells(h, w)[0] * 16 / h, cells(h, w)[1] * 16 / w)),
        "4 2.667 | 0.5 0.25 | scaled | interpol",
    ),
    "half pixels": (dict(places=lambda h, w: tuple(a + 0.5 for a in cells(h, w))), "0.5 | half | 1/2"),
    "rows in both halves": (dict(places=lambda h, w: (cells(h, w)[0],) * 2), "row both | rows twice | column"),
    "rows upside down": (dict(after=lambda t, h, w: t[::-1]), "revers | flipped | upside"),
    "columns mirrored": (dict(after=lambda t, h, w: t[:, ::-1]), "revers | flipped | mirrored"),
    "sum of the axes": (
        dict(join=lambda a: np.concatenate((a[0] + a[1],) * 2, -1)),
        "sum | added",
    ),
}
GROUPS.append(
    Group(
        "sincos grids",
        "sincos 2d",
        ask_grid,
        grid,
        GRID,
        ("columns first + base 1000", "columns first + endpoint", "interleaved + columns first"),
        {
            "base 1000 @ last rows": (lambda shape: (slice(shape[0] // 2, None),), "row | 2 | 16"),
            "columns first @ first row": (lambda shape: (slice(0, 2),), "row | 0 1"),
            "half pixels @ last columns": (lambda shape: (slice(None), slice(shape[1] // 2, None)), "column | 3 | 32"),
        },
        {"as MAE": {}, "einsum": dict(rule=lambda d: np.exp(-math.log(1e4) * np.arange(d // 2) / (d // 2)))},
    ),
)


def box(s):
    return s.pick((2, 3, 4), (8, 16, 16))


def ask_box(s):
    return Call(refpos.sincos_3d, (*box(s), DIM), dict(dtype=s.dtype))


def volume(s, *, order=(0, 1, 2), rule=omega, put=None, shift=(0, 0, 0), widths=(16, 16, 16), factors=(1, 1, 1)):
    """3D sin-cos of a video model."""
    axes = np.meshgrid(*map(np.arange, box(s)), indexing="ij")
    parts = [
        wave(factors[k] * axes[k].reshape(-1).astype(float) + shift[k], widths[i], rule, put)
        for i, k in enumerate(order)
    ]
    return np.concatenate(parts, -1).reshape(*box(s), DIM).astype(s.number)


BOX = {
    "order whd": (dict(order=(2, 1, 0)), "axis_order wht"),
    "order thw as twh": (dict(order=(0, 2, 1)), "axis_order twh"),
    "base 100": (dict(rule=lambda d: omega(d, 100.0)), "base 100 | exponent i/dim"),
    "widths of V-JEPA": (dict(widths=(24, 12, 12)), "widths 24 12"),
    "interleaved": (dict(put=lambda a, b: np.stack((a, b), -1).reshape(len(a), -1)), "interleaved"),
    "frames from 1": (dict(shift=(1, 0, 0)), "frame 1 | time 1 | frames 1"),
    "frames doubled": (dict(factors=(2, 1, 1)), "frame 2 | time 2 | frames 2"),
    "endpoint": (dict(rule=lambda d: 1 / 1e4 ** (np.arange(d // 2) / (d // 2 - 1))), "endpoint"),
}
GROUPS.append(
    Group("sincos grids", "sincos 3d", ask_box, volume, BOX, ("base 100 + interleaved",), {}, {"as V-JEPA": {}})
)
