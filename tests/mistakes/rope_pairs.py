"""RoPE of GPT-J and Meta's Llama: neighbouring channels, by complex numbers, and M-RoPE."""

from __future__ import annotations

import numpy as np

import refpos

from .record import Call, Group, one_batch, one_head
from .stages import F32, count, even, half, interleaved, inverse, outer

DIM = 32


def states(s):
    """Queries (batch, seq, heads, dim), as Meta's Llama has them."""
    return s.normal(2, s.pick(24, 2048), s.pick(4, 2), DIM)


def ask(s):
    return Call(refpos.rope, (states(s), s.pick(24, 2048)), dict(pairing="interleaved", seq_axis=-3, base=500000.0))


def cis(angles):
    """torch.polar(ones, angles)."""
    return (np.cos(angles) + 1j * np.sin(angles)).astype(np.complex64)


def multiply(x, table):
    """view_as_complex(x.float()) * freqs_cis, back in the format of x."""
    pairs = x.astype(F32).reshape(*x.shape[:-1], -1, 2)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * table
    return np.stack((turned.real, turned.imag), axis=-1).reshape(x.shape).astype(x.dtype)


def program(s, *, inv=lambda dim: inverse(dim, 5e5), pos=count, table=cis, shape=lambda t: t[:, None], turn=multiply):
    """precompute_freqs_cis and apply_rotary_emb."""
    q = states(s)
    return turn(q, shape(table(outer(pos(q.shape[1]), inv(DIM)))))


def by_halves(x, table):
    part = DIM // 2
    pairs = (x[..., :part].astype(F32) + 1j * x[..., part:].astype(F32)) * table
    return np.concatenate((pairs.real, pairs.imag), axis=-1).astype(x.dtype)


def out_of_order(x, table):
    """Split in neighbours, put together in halves."""
    y = multiply(x, table)
    return np.concatenate((y[..., ::2], y[..., 1::2]), axis=-1)


MISTAKES = {
    "base 10000": (dict(inv=inverse), "base 10000"),
    "base 50000": (dict(inv=lambda dim: inverse(dim, 5e4)), "base 50000"),
    "half pairing": (dict(turn=by_halves), "half"),
    "outputs in halves": (dict(turn=out_of_order), "order channels | deinterleave | halves | evens odds | permuted"),
    "inputs in halves": (
        dict(turn=lambda x, t: multiply(np.stack(np.split(x, 2, axis=-1), axis=-1).reshape(x.shape), t)),
        "order channels | interleave | halves | permuted",
    ),
    "conjugate": (dict(table=lambda a: cis(a).conj()), "inverse | conjugate | sign | backward | negative"),
    "real and imaginary exchanged": (
        dict(table=lambda a: cis(a).imag + 1j * cis(a).real),
        "sin cos exchanged | sin cos swapped | sine cosine exchanged | sin place cos",
    ),
    "heads as positions": (
        dict(shape=lambda t: t[:4][None, :] if t.shape[0] == 24 else t[:2][None, :]),
        "seq_axis -2 | seq_axis | head | axis 2 sequence",
    ),
    "positions from 1": (dict(pos=lambda n: count(n) + 1), "positions 1 | offset 1 | +1 | shifted 1"),
    "cache offset of 100": (dict(pos=lambda n: count(n) + 100), "positions 100 | offset 100 | shifted 100 | +100"),
    "cache offset by one row less": (dict(pos=lambda n: count(n) - 1), "-1 | before"),
    "position in bfloat16": (
        dict(pos=lambda n: (count(n) + 4096).astype("bfloat16").astype(F32)),
        "bfloat16 4096 | positions bfloat16 | 4096",
    ),
    "positions in int8": (dict(pos=lambda n: (count(n) * 10).astype(np.int8).astype(F32)), "int8 10 | int8"),
    "positions by 10": (dict(pos=lambda n: count(n) * 10), "positions 10 | factor 10 | factor 0.1 | factor 1/10"),
    "exponent i/d": (
        dict(inv=lambda dim: (1 / 5e5 ** (np.arange(dim // 2) / dim)).astype(F32)),
        "exponent i/d | exponent i / | exponent_dim 64 | base 707.1",
    ),
    "exponent of the number of pairs": (
        dict(inv=lambda dim: (1 / 5e5 ** (even(dim) / (dim // 2))).astype(F32)),
        "exponent_dim 16 | exponent 4i | exponent dim/2",
    ),
    "magnitude left out": (
        dict(turn=lambda x, t: multiply(x, t) * x.dtype.type(0)),
        "zero | all 0",
    ),
    "values doubled": (
        dict(table=lambda a: 2 * cis(a)),
        "times 2 | factor 2 | scale 2 | multiplied 2 | twice | double",
    ),
    "not rotated": (
        dict(turn=lambda x, t: x),
        "not rotated | unrotated | unchanged | no rotation | itself | positions all 0",
    ),
    "rotated by angle squared": (
        dict(inv=lambda dim: inverse(dim, 5e5) ** 2),
        "base 250000000000 | exponent | squared",
    ),
}

GROUPS = [
    Group(
        "rope interleaved",
        "rope interleaved",
        ask,
        program,
        MISTAKES,
        (
            "base 10000 + half pairing",
            "base 10000 + positions from 1",
            "conjugate + cache offset of 100",
            "base 50000 + conjugate",
            "half pairing + positions by 10",
        ),
        {
            "not rotated @ one batch row": (one_batch(0), "batch | (0, | index 0 | row 0 | axis 0: index"),
            "conjugate @ one batch row": (one_batch(1), "batch | (1, | index 1 | axis 0: index"),
            "base 10000 @ last head": (lambda shape: (..., -1, slice(None)), "head | row 3 differs"),
            "positions from 1 @ last tokens": (
                lambda shape: (slice(None), slice(shape[1] // 2, None)),
                "12 | 1024 | last",
            ),
        },
        {
            "as Meta's": {},
            "as GPT-J": dict(turn=lambda x, t: interleaved(x.astype(F32), t.real, t.imag).astype(x.dtype)),
            "complex128": dict(table=lambda a: np.exp(1j * a.astype(np.float64))),
            "in the format": dict(turn=lambda x, t: interleaved(x, t.real, t.imag)),
            "exp and log": dict(inv=lambda dim: np.exp(-np.log(F32(5e5)) * even(dim) / dim).astype(F32)),
        },
    ),
]

SECTIONS = (4, 6, 6)


def image_ids(n, *, start=4, width=6):
    """Text, one image and text, as Qwen2-VL numbers them: (3, n)."""
    cells = (n - start) // 2 // width * width
    height = cells // width
    text = np.tile(np.arange(start), (3, 1))
    image = start + np.stack(
        (np.zeros(cells, int), np.repeat(np.arange(height), width), np.tile(np.arange(width), height))
    )
    after = n - start - cells
    return np.concatenate((text, image, np.tile(image.max() + 1 + np.arange(after), (3, 1))), axis=1)


def tokens(s):
    return s.normal(2, 2, s.pick(40, 2048), DIM)


def ask_mrope(s):
    ids = image_ids(s.pick(40, 2048))
    keywords = dict(pairing="half", sections=SECTIONS, arrangement="chunked")
    return Call(refpos.mrope, (tokens(s), ids), keywords)


def by_sections(table, sections):
    """Column c of the table of its axis."""
    axis = np.repeat(np.arange(3), sections)
    return np.stack([table[a, :, i] for i, a in enumerate(axis)], axis=-1)


def by_turns(table, _):
    """Axes in turn: t h w t h w."""
    return np.stack([table[i % 3, :, i] for i in range(table.shape[-1])], axis=-1)


def mrope(s, *, ids=image_ids, sections=SECTIONS, choose=by_sections, inv=inverse, turn=half):
    """apply_multimodal_rotary_pos_emb."""
    q = tokens(s)
    angles = outer(ids(q.shape[-2]), inv(DIM))
    return turn(q, choose(np.cos(angles), sections), choose(np.sin(angles), sections))


def each_section(table, sections):
    """Frequencies that start anew in every section."""
    return np.concatenate([table[a, :, : sections[a]] for a in range(3)], axis=-1)


MROPE = {
    "height and width exchanged": (
        dict(ids=lambda n: image_ids(n)[[0, 2, 1]]),
        "height width exchanged | rows columns | axes exchanged | axes",
    ),
    "time and width exchanged": (
        dict(ids=lambda n: image_ids(n)[[2, 1, 0]]),
        "axes | time width | axes revers",
    ),
    "time everywhere": (dict(ids=lambda n: image_ids(n)[[0, 0, 0]]), "time | axis 0 | one axis | first axis"),
    "flat positions": (
        dict(ids=lambda n: np.tile(np.arange(n), (3, 1))),
        "flat | 1D | running | arange | consecutive | count",
    ),
    "sections exchanged": (dict(sections=(6, 6, 4)), "sections 6 4"),
    "sections equal": (dict(sections=(5, 5, 6)), "sections 5 6"),
    "axes in turn": (dict(choose=by_turns), "alternating | interleaved | turn"),
    "frequencies anew in every section": (dict(choose=each_section), "frequencies section | anew | separate | restart"),
    "base 1000000": (dict(inv=lambda dim: inverse(dim, 1e6)), "base 1000000"),
    "interleaved pairing": (dict(turn=interleaved), "interleaved"),
    "ids from 1": (dict(ids=lambda n: image_ids(n) + 1), "+1 | offset 1 | position_ids 1 | positions 1 | shifted 1"),
    "text not moved behind the image": (
        dict(ids=lambda n: np.where(np.arange(n) >= 4 + (n - 4) // 2 // 6 * 6, np.arange(n), image_ids(n))),
        "text | from 22 | from 1024 | position_ids",
    ),
    "backwards": (dict(inv=lambda dim: -inverse(dim)), "inverse | sign | negative | backward"),
}

GROUPS.append(
    Group(
        "mrope",
        "mrope",
        ask_mrope,
        mrope,
        MROPE,
        ("base 1000000 + sections exchanged", "interleaved pairing + ids from 1", "axes in turn + base 1000000"),
        {
            "backwards @ one head": (one_head(1), "head | axis 1: index"),
            "base 1000000 @ one batch row": (one_batch(1), "batch | (1, | axis 0: index"),
            "time everywhere @ one batch row": (one_batch(0), "batch | (0, | axis 0: index"),
        },
        {"as Qwen2-VL": {}, "float64": dict(inv=lambda dim: 1e4 ** (-np.arange(0, dim, 2) / dim))},
    )
)
