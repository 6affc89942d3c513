"""Frequencies of 11 bits: those of float16 and the operands of tensor cores are told apart, or named together."""

import numpy as np
import pytest
from tiers import sampled

import refpos

F = np.float32
TOGETHER = "inv_freq rounded to float16 or TF32"
APART = {"float16": "inv_freq rounded to float16 (asked", "TF32": "inv_freq and positions rounded to TF32 (11 bits)"}
#: the names that sinusoids have, of which an emulation has every bit
EMULATIONS = {"float16": "emulate.float16_inv_freq", "TF32": "emulate.tf32_product"}


def tf32(values):
    """To 10 bits behind the first, ties away from zero."""
    bits = (np.asarray(values, F).view(np.uint32) + np.uint32(1 << 12)) & np.uint32(0xFFFFE000)
    return bits.view(F)


def angles(length, kind):
    inv_freq, p = F(1) / F(10000) ** (np.arange(0, 64, 2, dtype=F) / F(64)), np.arange(length, dtype=F)
    if kind == "float16":
        return p[:, None] * inv_freq.astype(np.float16).astype(F)
    return tf32(p)[:, None] * tf32(inv_freq)


def asked(length, kind, name):
    """The answer of a diagnosis of a program."""
    cos, sin = np.cos(angles(length, kind)), np.sin(angles(length, kind))
    if name == "rope_table":
        return refpos.diagnose((cos, sin), refpos.rope_table, length, refpos.inverse_frequencies(64), dtype="float32")
    if name == "sinusoidal":
        return refpos.diagnose(
            np.stack([sin, cos], -1).reshape(length, 64), refpos.sinusoidal, length, 64, dtype="float32"
        )
    x = np.random.default_rng(0).standard_normal((1, 1, length, 64)).astype(F)
    a, b = x[..., :32], x[..., 32:]
    y = np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)
    return refpos.diagnose(y, refpos.rope, x, length, pairing="half")


@pytest.mark.parametrize("kind", APART)
@pytest.mark.parametrize("name", sampled(["rope_table", "rope", "sinusoidal"], 3))
def test_below_2048_both_are_named_above_the_one_that_it_is(name, kind):
    short = str(asked(300, kind, name))
    if name == "sinusoidal":
        assert all(one in short for one in EMULATIONS.values()), short
    else:
        assert TOGETHER in short, short
    long, other = str(asked(3000, kind, name)), next(one for one in APART if one != kind)
    names = EMULATIONS if name == "sinusoidal" else APART
    assert names[kind] in long and names[other] not in long and TOGETHER not in long, long


def test_frequencies_that_float16_has_no_bits_for_are_told_apart_at_once():
    """Below 2**-14 float16 loses bits that TF32 has."""
    frequencies = refpos.inverse_frequencies(64, base=500000)
    inv_freq = F(1) / F(500000) ** (np.arange(0, 64, 2, dtype=F) / F(64))
    p = np.arange(300, dtype=F)[:, None]
    for kind, held in (("float16", inv_freq.astype(np.float16).astype(F)), ("TF32", tf32(inv_freq))):
        said = str(
            refpos.diagnose((np.cos(p * held), np.sin(p * held)), refpos.rope_table, 300, frequencies, dtype="float32")
        )
        assert APART[kind] in said and TOGETHER not in said, said
