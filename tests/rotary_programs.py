"""Rotations and rotary tables as programs compute them, in plain NumPy and independent of refpos; random ones of them.

A program is drawn from a seed: its formula of frequencies, the width, the pairing, the positions and the format.
"""

import math
from typing import NamedTuple

import numpy as np

F = np.float32
BASES = (10000, 500000, 1000000, 10000000, 5000000, 12345, 31415.5, 777, 250000)


def bfloat16(values):
    """float32 numbers rounded to nearest even bfloat16, as float32."""
    bits = np.ascontiguousarray(values, F).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).view(F)


def bits_of_bfloat16(values):
    """The patterns of bfloat16 numbers held in float32."""
    return (np.ascontiguousarray(values, F).view(np.uint32) >> 16).astype(np.uint16)


ROUND = {
    "float64": lambda values: np.asarray(values, np.float64),
    "float32": lambda values: np.asarray(values, F),
    "float16": lambda values: np.asarray(values, F).astype(np.float16).astype(F),
    "bfloat16": bfloat16,
}


class Program(NamedTuple):
    """What was planted, and what a program made of it."""

    scaling: str
    numbers: dict
    dim: int
    positions: np.ndarray
    pairing: str
    place: str
    kind: str
    inverse: bool
    x: np.ndarray
    y: np.ndarray


# -- frequencies, by the formulas of the papers -----------------------------------------------------------------------


def plain(dim, base):
    return base ** (-np.arange(0, dim, 2) / dim), 1.0


def linear(dim, base, factor):
    return plain(dim, base)[0] / factor, 1.0


def ntk(dim, base, factor):
    return plain(dim, base * factor ** (dim / (dim - 2)))[0], 1.0


def llama3(dim, base, factor, low, high, length):
    w = plain(dim, base)[0]
    smooth = np.clip((length * w / (2 * math.pi) - low) / (high - low), 0, 1)
    return w * ((1 - smooth) / factor + smooth), 1.0


def yarn(dim, base, factor, length):
    def place(turns):
        return dim * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = max(math.floor(place(32)), 0), min(math.ceil(place(1)), dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / max(high - low, 0.001), 0, 1)
    w = plain(dim, base)[0]
    return w * (1 - ramp + ramp / factor), 0.1 * math.log(factor) + 1


def proportional(dim, base, share):
    w = plain(dim, base)[0]
    return np.where(np.arange(dim // 2) < int(share * dim) // 2, w, 0), 1.0


SCALINGS = {"plain": plain, "linear": linear, "ntk": ntk, "llama3": llama3, "yarn": yarn, "proportional": proportional}


# -- tables and rotations ---------------------------------------------------------------------------------------------


def table(positions, frequencies, gain, kind):
    """Cosines and sines in a format: angles in float64 for float64, in float32 for all others."""
    held = np.float64 if kind == "float64" else F
    angles = np.multiply.outer(positions.astype(held), frequencies.astype(held))
    return tuple(ROUND[kind](wave(angles) * held(gain)) for wave in (np.cos, np.sin))


def channels(pairing, dim, start):
    if pairing == "half":
        return start + np.arange(dim // 2), start + np.arange(dim // 2) + dim // 2
    return start + np.arange(0, dim, 2), start + np.arange(1, dim, 2)


def rotate(x, cos, sin, pairing, dim, start, kind, inverse=False):
    """x with its pairs rotated, each operation rounded to the format."""
    held, y = ROUND[kind], x.copy()
    one, other = (x[..., part] for part in channels(pairing, dim, start))
    sin = -sin if inverse else sin
    first, second = channels(pairing, dim, start)
    y[..., first] = held(held(one * cos) - held(other * sin))
    y[..., second] = held(held(other * cos) + held(one * sin))
    return y


def drawn_positions(rng, rows):
    """Positions of one sequence: from 0, from elsewhere, in strides, packed, shuffled, negative, or fractional."""
    index = np.arange(rows)
    kinds = ("zero", "zero", "offset", "far", "stride", "packed", "shuffled", "negative", "quarter")
    kind = kinds[rng.integers(len(kinds))]
    cut = int(rng.integers(1, rows))
    return {
        "zero": index,
        "offset": index + int(rng.integers(1, 5000)),
        "far": index + int(rng.integers(5000, 100000)),
        "stride": index * int(rng.integers(2, 4)),
        "packed": np.where(index < cut, index, index - cut),
        "shuffled": rng.permutation(3 * rows)[:rows],
        "negative": index - int(rng.integers(1, rows)),
        "quarter": index / 4 + int(rng.integers(0, 3)),
    }[kind]


def drawn_scaling(rng, dim, base):
    """(name, numbers) of a scaling that goes with a width and a base."""
    names = ["plain"] * 5 + ["linear", "ntk"] + (["yarn", "llama3", "proportional"] if dim >= 32 else [])
    name = names[rng.integers(len(names))]
    factor = int(rng.choice([2, 4, 8, 16, 32]))
    numbers = {
        "plain": {},
        "linear": {"factor": factor},
        "ntk": {"factor": factor},
        "yarn": {"factor": factor, "length": int(2 ** rng.integers(11, 16))},
        "llama3": {"factor": factor, "low": 1, "high": 4, "length": 8192},
        "proportional": {"share": float(rng.choice([0.25, 0.5, 0.75]))},
    }[name]
    return name, {"base": base, **numbers}


def drawn(seed):
    """The `Program` of a seed."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["float64", "float32", "float32", "float16", "bfloat16"]))
    dim = int(rng.choice([16, 32, 48, 64, 96, 128]))
    copied = int(rng.choice([0, 0, 0, dim]))
    pairing, place = str(rng.choice(["half", "interleaved"])), str(rng.choice(["first", "first", "last"]))
    base = BASES[rng.integers(len(BASES))]
    rows = int(rng.integers(24, 200))
    positions = drawn_positions(rng, rows)
    name, numbers = drawn_scaling(rng, dim, base)
    frequencies, gain = SCALINGS[name](dim, **numbers)
    shape = [(), (2,), (1, 3)][rng.integers(3)]
    inverse = bool(rng.integers(8) == 0) and (positions >= 0).all()
    x = ROUND[kind](rng.standard_normal((*shape, rows, dim + copied)))
    start = copied if place == "last" else 0
    y = rotate(x, *table(positions, frequencies, gain, kind), pairing, dim, start, kind, inverse)
    return Program(name, numbers, dim, positions, pairing, place, kind, inverse, x, y)
