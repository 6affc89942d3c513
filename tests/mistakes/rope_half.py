"""RoPE of LLaMA and GPT-NeoX: the halves of a head, all of it or its first channels."""

from __future__ import annotations

import numpy as np

import refpos

from .record import Call, Group, first_rows, last_rows, one_batch, one_head
from .stages import F32, count, even, half, interleaved, inverse, outer, rotate_half, rotate_pairs, twice

DIM, PART = 64, 32


def states(s):
    """Queries (batch, heads, seq, dim)."""
    return s.normal(2, s.pick(4, 2), s.pick(32, 2048), DIM)


def ask(s):
    return Call(refpos.rope, (states(s), s.pick(32, 2048)), dict(pairing="half"))


def plain(value, s):
    return value


def program(s, *, x=states, inv=inverse, pos=count, angle=outer, table=plain, turn=half, after=plain):
    """LlamaRotaryEmbedding and apply_rotary_pos_emb."""
    q = x(s)
    angles = angle(pos(q.shape[-2]), inv(DIM))
    cos, sin = table((np.cos(angles), np.sin(angles)), s)
    return after(turn(q, cos, sin), s)


def based(base):
    return dict(inv=lambda dim: inverse(dim, base))


def bf16_positions(n):
    return count(n).astype("bfloat16").astype(F32)


def times(factor):
    return dict(pos=lambda n: count(n) * F32(factor))


MISTAKES = {
    "base 500000": (based(5e5), "base 500000 | theta 500000"),
    "base 1000000": (based(1e6), "base 1000000"),
    "base 1000": (based(1e3), "base 1000"),
    "exponent i/d": (
        dict(inv=lambda dim: (1 / 1e4 ** (np.arange(dim // 2, dtype=F32) / dim)).astype(F32)),
        "exponent i/d | exponent i / | exponent_dim 128 | base 100 | exponent half",
    ),
    "exponent of endpoint": (
        dict(inv=lambda dim: (1 / 1e4 ** (even(dim) / (dim - 2))).astype(F32)),
        "endpoint | exponent_dim 62 | exponent dim-2 | exponent half-1",
    ),
    "exponent from 1": (
        dict(inv=lambda dim: (1 / 1e4 ** ((even(dim) + 2) / dim)).astype(F32)),
        "exponent i+1 | exponents 1 | frequencies shifted | exponent starts 1 | exponent 2(i+1) | first frequency",
    ),
    "frequencies reversed": (dict(inv=lambda dim: inverse(dim)[::-1]), "frequencies reverse | frequencies order"),
    "frequencies not inverted": (dict(inv=lambda dim: inverse(dim, 1e-4)), "base 0.0001 | base 1/10000 | inverted"),
    "frequencies in bfloat16": (
        dict(inv=lambda dim: inverse(dim).astype("bfloat16").astype(F32)),
        "frequencies bfloat16 | inv_freq bfloat16",
    ),
    "frequencies in float16": (
        dict(inv=lambda dim: inverse(dim).astype(np.float16).astype(F32)),
        "frequencies float16 | inv_freq float16",
    ),
    "frequencies times 2 pi": (
        dict(inv=lambda dim: inverse(dim) * F32(2 * np.pi)),
        "2 pi | 2pi | times_pi 2 | 6.283",
    ),
    "interleaved rotation": (dict(turn=interleaved), "pairing interleaved | interleaved"),
    "tables tiled, pairs interleaved": (
        dict(turn=lambda x, c, z: x * twice(c).astype(x.dtype) + rotate_pairs(x) * twice(z).astype(x.dtype)),
        "tiled interleaved | twice interleaved | concatenated interleaved | interleaved half | tiled pairs",
    ),
    "sine and cosine exchanged": (
        dict(table=lambda t, s: t[::-1]),
        "sin cos exchanged | sin cos swapped | cosine sine exchanged | sin place cos",
    ),
    "rotated backwards": (
        dict(table=lambda t, s: (t[0], -t[1])),
        "inverse | sign angle | negative position | -p | backward | opposite",
    ),
    "x1 and x2 exchanged": (
        dict(turn=lambda x, c, z: half(np.roll(x, DIM // 2, axis=-1), c, z)),
        "halves exchanged | halves swapped | halves order | rolled",
    ),
    "rotate_half without minus": (
        dict(turn=lambda x, c, z: x * twice(c).astype(x.dtype) + np.roll(x, DIM // 2, -1) * twice(z).astype(x.dtype)),
        "minus | sign rotate_half | reflection | without sign | sign x2",
    ),
    "positions from 1": (dict(pos=lambda n: count(n) + 1), "positions 1 | position +1 | offset 1 | shifted 1"),
    "positions from 2": (dict(pos=lambda n: count(n) + 2), "positions 2 | position +2 | offset 2 | shifted 2"),
    "positions from -1": (dict(pos=lambda n: count(n) - 1), "positions -1 | offset -1 | shifted -1 | before"),
    "positions reversed": (dict(pos=lambda n: count(n)[::-1]), "positions reverse | last first | positions descending"),
    "positions all zero": (dict(pos=lambda n: count(n) * 0), "not rotated | unrotated | positions 0 | unchanged"),
    "positions halved": (times(0.5), "positions 0.5 | positions 1/2 | factor 2 | positions half | positions divided 2"),
    "positions times 4": (times(4), "positions 4 | factor 0.25 | factor 4 | factor 1/4"),
    "positions clipped at 15": (dict(pos=lambda n: np.minimum(count(n), 15)), "clipped 15 | positions 15 | at most 15"),
    "positions restart at half": (dict(pos=lambda n: count(n) % (n // 2)), "restart | modulo | again | repeat | wrap"),
    "position of the head": (
        dict(pos=lambda n: count(n)[:, None], angle=lambda p, f: outer(p[:1] * 0 + count(2)[:, None] * 0 + 1, f)[:1]),
        "positions 1 | all positions | same position | constant",
    ),
    "not rotated": (
        dict(turn=lambda x, c, z: x),
        "not rotated | unrotated | unchanged | no rotation | itself | copied | positions all 0",
    ),
    "rotated twice": (dict(turn=lambda x, c, z: half(half(x, c, z), c, z)), "twice | positions 2 | factor 0.5 | two"),
    "only the cosine": (dict(table=lambda t, s: (t[0], t[1] * 0)), "sine missing | cos only | without sin | sin zero"),
    "scaled by sqrt(dim)": (
        dict(after=lambda y, s: (y * 8).astype(s.number)),
        "times 8 | factor 8 | multiplied 8 | scale 8 | sqrt(64) | sqrt dim | sqrt(dim)",
    ),
    "scaled by 1/sqrt(dim)": (
        dict(after=lambda y, s: (y / 8).astype(s.number)),
        "0.125 | 1/8 | sqrt(dim) | sqrt dim | sqrt(64)",
    ),
    "degrees": (dict(inv=lambda dim: inverse(dim) * F32(np.pi / 180)), "degree | 0.01745 | pi/180"),
    "seq and heads exchanged": (
        dict(x=states, turn=lambda x, c, z: half(x, c[: x.shape[1], None], z[: x.shape[1], None])),
        "seq_axis -3 | axis heads | position head | seq_axis | axis 1 sequence",
    ),
    "batch as positions": (
        dict(turn=lambda x, c, z: half(x, c[: x.shape[0], None, None], z[: x.shape[0], None, None])),
        "batch | seq_axis 0 | seq_axis -4 | axis 0 sequence",
    ),
    "angles in bfloat16": (
        dict(angle=lambda p, f: outer(p, f).astype("bfloat16").astype(F32)),
        "angles bfloat16 | phases bfloat16",
    ),
    "angles in float16": (
        dict(angle=lambda p, f: outer(p, f).astype(np.float16).astype(F32)),
        "angles float16 | phases float16",
    ),
    "only the last rows": (
        dict(after=lambda y, s: np.concatenate((states(s)[:, :, :8], y[:, :, 8:]), axis=2)),
        "not rotated 8 | unrotated 8 | unchanged 8 | copied 8 | first rows",
    ),
    "last frequency lost": (
        dict(inv=lambda dim: np.append(inverse(dim)[:-1], F32(0))),
        "last frequency | last pair | frequency 0 | pair 31",
    ),
    "base given as int32 power": (
        dict(inv=lambda dim: (1 / 1e4 ** (even(dim) // dim)).astype(F32)),
        "all frequencies 1 | base 1 | exponent 0",
    ),
}
REGIONS = {
    "not rotated @ last quarter": (last_rows(4), "last | from 24 | from 1536 | 24 | 1536"),
    "not rotated @ one batch row": (one_batch(1), "batch 1 | batch | row 1 | index 1 | (1, | axis 0: index"),
    "not rotated @ one head": (one_head(1), "head 1 | heads | head | index 1 | axis 1: index"),
    "rotated backwards @ one head": (one_head(0), "head 0 | heads | head | index 0 | axis 1: index"),
    "base 500000 @ one batch row": (one_batch(1), "batch 1 | batch | (1, | axis 0: index"),
    "positions from 1 @ last half": (last_rows(2), "from 16 | from 1024 | 16 | 1024 | last"),
    "interleaved rotation @ first half": (first_rows(2), "first | up to 15 | up to 1023 | to 15 | to 1023 | 16 | 1024"),
    "scaled by 1/sqrt(dim) @ last half": (last_rows(2), "16 | 1024 | last"),
}


def fused(x, cos, sin):
    """One rounding at the end, as a fused kernel in float32 registers has."""
    wide = x.astype(np.float64)
    return (wide * twice(cos.astype(F32)) + rotate_half(wide) * twice(sin.astype(F32))).astype(x.dtype)


def complex_multiplication(x, cos, sin):
    """view_as_complex of the halves."""
    part = x.shape[-1] // 2
    pairs = x[..., :part].astype(F32) + 1j * x[..., part:].astype(F32)
    pairs = pairs * (cos + 1j * sin).astype(np.complex64)
    return np.concatenate((pairs.real, pairs.imag), axis=-1).astype(x.dtype)


def running(dim):
    """Frequencies as a running product in float64."""
    step = 1e4 ** (-2 / dim)
    return np.cumprod(np.append(1.0, np.full(dim // 2 - 1, step))).astype(F32)


def negative(x, cos, sin):
    """[x1 c - x2 s, x2 c + x1 s] with separate halves."""
    part, cos, sin = x.shape[-1] // 2, cos.astype(x.dtype), sin.astype(x.dtype)
    first, second = x[..., :part], x[..., part:]
    return np.concatenate((first * cos - second * sin, second * cos + first * sin), axis=-1)


def recurrence(s):
    """Tables by the addition theorem, in float64."""
    step = np.exp(1j * inverse(DIM).astype(np.float64))
    powers = np.cumprod(np.broadcast_to(step, (s.pick(32, 2048), DIM // 2)), axis=0) / step
    return powers.real.astype(F32), powers.imag.astype(F32)


RIGHT = {
    "as transformers": {},
    "fused": dict(turn=fused),
    "complex": dict(turn=complex_multiplication),
    "running product": dict(inv=running),
    "float64 tables": dict(inv=lambda dim: 1e4 ** (-np.arange(0, dim, 2) / dim), angle=np.multiply.outer),
    "exp of log": dict(inv=lambda dim: np.exp(even(dim) * F32(-np.log(1e4) / dim))),
    "separate halves": dict(turn=negative),
    "recurrence": dict(table=lambda t, s: recurrence(s)),
    "float32 result of rounded numbers": dict(after=lambda y, s: y.astype(F32)),
}


def ask_part(s):
    return Call(refpos.rope, (states(s), s.pick(32, 2048)), dict(pairing="half", rotary_dim=PART))


def partial(s, *, inv=inverse, pos=count, width=PART, turn=half, front=True):
    """GPT-NeoX with rotary_pct 0.5."""
    q = states(s)
    angles = outer(pos(q.shape[-2]), inv(width))
    cos, sin = np.cos(angles), np.sin(angles)
    if front:
        return np.concatenate((turn(q[..., :width], cos, sin), q[..., width:]), axis=-1)
    return np.concatenate((q[..., :-width], turn(q[..., -width:], cos, sin)), axis=-1)


PARTIAL = {
    "all channels rotated": (dict(width=DIM), "rotary_dim 64 | all channels"),
    "half as many channels": (dict(width=16), "rotary_dim 16"),
    "too many channels": (dict(width=48), "rotary_dim 48"),
    "last channels rotated": (dict(front=False), "last channels | last 32 | trailing"),
    "exponent over the head": (
        dict(inv=lambda width: inverse(DIM)[: width // 2]),
        "exponent_dim 64 | exponent 64 | exponents dim",
    ),
    "interleaved": (dict(turn=interleaved), "interleaved"),
    "base 100": (dict(inv=lambda width: inverse(width, 100.0)), "base 100 | exponent_dim 64"),
    "positions from 1": (dict(pos=lambda n: count(n) + 1), "positions 1 | offset 1 | +1 | shifted 1"),
    "not rotated": (
        dict(turn=lambda x, c, z: x),
        "not rotated | unrotated | unchanged | no rotation | itself | positions all 0",
    ),
}

GROUPS = [
    Group(
        "rope half",
        "rope half",
        ask,
        program,
        MISTAKES,
        (
            "base 500000 + positions from 1",
            "base 500000 + interleaved rotation",
            "positions from 1 + rotated backwards",
            "interleaved rotation + positions from 1",
            "scaled by sqrt(dim) + base 1000000",
            "base 1000 + positions reversed",
            "rotated backwards + scaled by 1/sqrt(dim)",
        ),
        REGIONS,
        RIGHT,
    ),
    Group(
        "rope partial",
        "rope partial",
        ask_part,
        partial,
        PARTIAL,
        ("all channels rotated + base 100", "interleaved + positions from 1", "half as many channels + interleaved"),
        {
            "not rotated @ last quarter": (last_rows(4), "last | 24 | 1536"),
            "interleaved @ one head": (one_head(0), "head | axis 1: index"),
        },
        {"as GPT-NeoX": {}, "fused": dict(turn=fused), "complex": dict(turn=complex_multiplication)},
    ),
]
