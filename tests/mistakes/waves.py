"""Timestep embeddings of diffusion models, and Fourier features of coordinates."""

from __future__ import annotations

import math

import numpy as np

import refpos

from .record import Call, Group, columns, last_rows
from .stages import F32

DIM = 64


def steps(s):
    """Timesteps of a sampler, some of them fractional."""
    return np.linspace(0, 999, s.pick(20, 2048)).astype(F32)


def ask(s):
    keywords = dict(flip_sin_to_cos=True, downscale_freq_shift=0, dtype=s.dtype)
    return Call(refpos.timestep_embedding, (steps(s), DIM), keywords)


def rates(half, shift=0.0, period=10000.0):
    return np.exp(-F32(math.log(period)) * np.arange(half, dtype=F32) / F32(half - shift))


def program(s, *, times=steps, rule=rates, scale=1.0, put=lambda a, b: np.concatenate((b, a), -1), after=lambda t: t):
    """get_timestep_embedding of diffusers."""
    angles = F32(scale) * (times(s).astype(F32)[:, None] * rule(DIM // 2)[None, :])
    return after(put(np.sin(angles), np.cos(angles))).astype(s.number)


MISTAKES = {
    "sines first": (dict(put=lambda a, b: np.concatenate((a, b), -1)), "flip_sin_to_cos False"),
    "interleaved": (
        dict(put=lambda a, b: np.stack((b, a), -1).reshape(len(a), -1)),
        "interleaved | alternating halves",
    ),
    "shift 1": (dict(rule=lambda h: rates(h, 1.0)), "downscale_freq_shift 1"),
    "shift 0.5": (dict(rule=lambda h: rates(h, 0.5)), "downscale_freq_shift 0.5 | downscale_freq_shift 1/2"),
    "period 1000": (dict(rule=lambda h: rates(h, period=1e3)), "max_period 1000"),
    "period 100000": (dict(rule=lambda h: rates(h, period=1e5)), "max_period 100000"),
    "scale 1000": (dict(scale=1000.0), "scale 1000 | multiplied 1000"),
    "timesteps in 0..1": (dict(times=lambda s: steps(s) / F32(1000)), "scale 0.001 | 1/1000 | 0.001 | divided 1000"),
    "timesteps as integers": (dict(times=lambda s: np.floor(steps(s))), "floor | integer | truncated | rounded down"),
    "timesteps in float16": (dict(times=lambda s: (steps(s) + 3000).astype(np.float16)), "3000"),
    "timesteps in bfloat16": (dict(times=lambda s: steps(s).astype("bfloat16")), "bfloat16"),
    "timesteps reversed": (dict(times=lambda s: steps(s)[::-1]), "revers"),
    "timesteps from the end": (dict(times=lambda s: F32(999) - steps(s)), "revers | 999"),
    "one step later": (dict(times=lambda s: steps(s) + 1), "+1 | offset 1 | shifted 1 | timesteps 1"),
    "exponent doubled": (dict(rule=lambda h: rates(h) ** 2), "exponent 2i | max_period 100000000"),
    "exponent halved": (dict(rule=lambda h: np.sqrt(rates(h))), "max_period 100 | exponent i/dim"),
    "times 2 pi": (dict(scale=2 * math.pi), "2 pi | 2pi | 6.28"),
    "log timesteps": (dict(times=lambda s: np.log1p(steps(s))), "log"),
    "only sines": (
        dict(put=lambda a, b: np.concatenate((a, a), -1)),
        "sin place cos | only sin | all sin | sines both",
    ),
    "divided by sqrt(dim)": (dict(after=lambda t: t / 8), "0.125 | sqrt | divided 8"),
}
GROUPS = [
    Group(
        "timesteps",
        "timesteps",
        ask,
        program,
        MISTAKES,
        (
            "sines first + shift 1",
            "sines first + scale 1000",
            "sines first + period 1000",
            "sines first + one step later",
        ),
        {
            "scale 1000 @ last half": (last_rows(2), "10 | 1024 | last"),
            "shift 1 @ last half": (last_rows(2), "10 | 1024 | last"),
        },
        {
            "as diffusers": {},
            "float64": dict(rule=lambda h: 1e4 ** (-np.arange(h) / h)),
            "power": dict(rule=lambda h: (F32(1e4) ** (-np.arange(h, dtype=F32) / h)).astype(F32)),
        },
    ),
]

BANDS = 6


def points(s):
    """Coordinates of rays in -1 .. 1, three for each point."""
    return np.random.default_rng(7).uniform(-1, 1, (s.pick(24, 2048), 3)).astype(F32)


def ask_points(s):
    octaves = refpos.frequencies.given_frequencies([2.0**k for k in range(BANDS)])
    keywords = dict(factor="pi", order="band-kind-axis", include="first", dtype=s.dtype)
    return Call(refpos.absolute.fourier_bands, (points(s), octaves), keywords)


def nerf(
    s,
    *,
    bands=lambda: 2.0 ** np.arange(BANDS, dtype=F32),
    factor=np.pi,
    coordinates=points,
    include=True,
    loops="bka",
    kinds=(np.sin, np.cos),
):
    """Embedder of NeRF."""
    x = coordinates(s)
    angles = (x[:, None, :] * bands()[None, :, None] * F32(factor)).astype(F32)
    table = np.stack([kind(angles) for kind in kinds], axis=1)  # point, kind, band, axis
    order = [0] + [1 + "kba".index(loop) for loop in loops]
    table = table.transpose(order).reshape(len(x), -1)
    return (np.concatenate((x, table), -1) if include is True else np.concatenate((table, x), -1)).astype(s.number)


NERF = {
    "without pi": (dict(factor=1.0), "factor 1"),
    "factor 2 pi": (dict(factor=2 * np.pi), "factor 2pi | 2pi | 2 pi"),
    "kinds outermost": (dict(loops="kba"), "kind-band-axis"),
    "axis outermost": (dict(loops="abk"), "axis-band-kind"),
    "axis innermost exchanged": (dict(loops="bak"), "band-axis-kind"),
    "cosines first": (dict(kinds=(np.cos, np.sin)), "cos-sin"),
    "coordinates last": (dict(include=False), "include last"),
    "linear bands": (
        dict(bands=lambda: np.linspace(1, 2 ** (BANDS - 1), BANDS).astype(F32)),
        "linear | frequencies | linspace",
    ),
    "bands from 2": (
        dict(bands=lambda: 2.0 ** np.arange(1, BANDS + 1, dtype=F32)),
        "factor 2pi | frequencies 2 | double",
    ),
    "coordinates in 0..1": (dict(coordinates=lambda s: (points(s) + 1) / 2), "(x+1)/2 | 0.5 | half"),
    "axes exchanged": (
        dict(coordinates=lambda s: points(s)[:, ::-1]),
        "axes revers | axis revers | coordinates revers | axes",
    ),
    "sines only": (dict(kinds=(np.sin, np.sin)), "sin place cos | only sin | all sin | sines both"),
    "coordinates in bfloat16": (dict(coordinates=lambda s: points(s).astype("bfloat16").astype(F32)), "bfloat16"),
}
GROUPS.append(
    Group(
        "timesteps",
        "nerf",
        ask_points,
        nerf,
        NERF,
        ("without pi + kinds outermost", "cosines first + without pi"),
        {
            "without pi @ last half": (last_rows(2), "12 | 1024 | last"),
            "cosines first @ last channels": (columns(2), "channel | columns 20"),
        },
        {"as NeRF": {}, "in float64": dict(coordinates=lambda s: points(s).astype(np.float64))},
    ),
)
