"""Angles, and their cosines and sines, that programs carry from position to position in float32."""

import time

import numpy as np
import pytest

import refpos

DIM, F32 = 64, np.float32
SUM, PRODUCT = "added up from position to position in float32", "(a running product)"


def inverse_frequencies(base=10000):
    return (F32(1) / F32(base) ** (np.arange(0, DIM, 2, dtype=F32) / F32(DIM))).astype(F32)


def summed(count, start=0, base=10000):
    angle, angles = F32(start) * inverse_frequencies(base), []
    for _ in range(count):
        angles.append(angle)
        angle = angle + inverse_frequencies(base)
    return np.cos(angles), np.sin(angles)


def complex_product(count):
    w, z, found = np.exp(1j * inverse_frequencies().astype(np.float64)).astype(np.complex64), np.complex64(1), []
    for _ in range(count):
        found.append(z * np.ones(DIM // 2, np.complex64))
        z = z * w
    return np.real(found).copy(), np.imag(found).copy()


def real_product(count):
    step, found = inverse_frequencies(), []
    cos, sin = np.ones(DIM // 2, F32), np.zeros(DIM // 2, F32)
    for _ in range(count):
        found.append((cos, sin))
        first, second = cos * np.cos(step), sin * np.sin(step)
        third, fourth = cos * np.sin(step), sin * np.cos(step)
        cos, sin = first - second, third + fourth
    return tuple(np.stack(part) for part in zip(*found, strict=True))


def rotated(x, cos, sin):
    a, b = x[..., : DIM // 2], x[..., DIM // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def interleaved(cos, sin):
    return np.stack([sin, cos], -1).reshape(len(cos), -1)


CARRIED = {"sum": (summed, SUM), "complex": (complex_product, PRODUCT), "real": (real_product, PRODUCT)}


@pytest.mark.parametrize("name", CARRIED)
@pytest.mark.parametrize("kind", ["table", "rotation", "sinusoid"])
def test_what_is_carried_on_is_named_within_10_seconds(name, kind):
    carried, words = CARRIED[name]
    cos, sin = carried(600)
    x = np.random.default_rng(0).standard_normal((2, 600, DIM)).astype(F32)
    asked = {"table": ((cos, sin), refpos.rope_table, 600, refpos.inverse_frequencies(DIM)),
             "rotation": (rotated(x, cos, sin), refpos.rope, x, 600),
             "sinusoid": (interleaved(cos, sin), refpos.sinusoidal, 600, DIM)}[kind]  # fmt: skip
    start = time.process_time()
    found = refpos.diagnose(*asked, **({"pairing": "half"} if kind == "rotation" else {}))
    assert time.process_time() - start < 10
    assert found.met is None and words in found.explanations[0].computed, found


def test_a_sum_that_does_not_begin_at_0_is_named():
    asked = np.arange(7, 607), refpos.inverse_frequencies(DIM)
    assert SUM in refpos.diagnose(summed(600, 7), refpos.rope_table, *asked).explanations[0].computed


@pytest.mark.exhaustive
def test_angles_by_themselves_are_right_and_other_mistakes_are_not_called_a_sum():
    angles = np.outer(np.arange(600, dtype=F32), inverse_frequencies())
    frequencies = refpos.inverse_frequencies(DIM)
    assert refpos.compare((np.cos(angles), np.sin(angles)), refpos.rope_table, 600, frequencies)
    for wrong in ((np.cos(angles + 1), np.sin(angles + 1)), summed(600, base=20000), summed(600, 1)):
        found = refpos.diagnose(wrong, refpos.rope_table, 600, frequencies)
        assert found.met is None
        assert not any("from position to position" in one.computed for one in found.explanations), found
