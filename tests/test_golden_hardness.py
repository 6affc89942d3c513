"""How hard the golden cases are, their error bounds, and how their inputs are made."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import witness
from proving import RULES
from test_golden import ENTRIES, SUITES, VALUES
from witness import suites

from refpos import catalogue
from refpos.conformance import error_bounds
from refpos.conformance.classes import ANGLE_CLASSES
from refpos.golden.case import mixed

# -- hardness and bounds ----------------------------------------------------------------------------------------------


def test_hardness_agrees_with_mpmath():
    entry, suite = VALUES["rope_table/telling-10000-f64"]
    held = suite.tensors(entry)
    with mpmath.workdps(80):
        for name, function in (("cos", mpmath.cos), ("sin", mpmath.sin)):
            nearest = mpmath.mpf(1)
            for p in held["inputs"]["positions"].values.tolist():
                for i in range(8 if p else 0):
                    value = abs(function(p * mpmath.mpf(10000) ** (-mpmath.mpf(i) / 8)))
                    scaled = mpmath.ldexp(value, 53 - mpmath.frexp(value)[1])
                    nearest = min(nearest, abs(scaled - mpmath.floor(scaled) - 0.5))
            assert entry["hardness"][name]["bits"] == int(mpmath.floor(-mpmath.log(nearest, 2)))


def test_hardness_of_fractions_of_a_turn_agrees_with_mpmath():
    """DINOv3 on 3 x 4 cells: whole turns at thirds and quarters, with halves and ones that are exact."""
    entry, _ = VALUES["rope_table/dinov3-separate-f64"]
    assert entry["arguments"]["positions"]["arguments"]["coordinates"][1]["arguments"]["size"] == 4
    with mpmath.workdps(80):
        for name, function in (("cos", mpmath.cos), ("sin", mpmath.sin)):
            nearest = mpmath.mpf(1)
            for size in (3, 4):
                for k in range(size):
                    turns = mpmath.mpf(2 * k + 1) / size - 1
                    for i in range(16):
                        value = abs(function(2 * mpmath.pi * turns * mpmath.mpf(100) ** (-mpmath.mpf(i) / 16)))
                        if value > 1e-60:
                            scaled = mpmath.ldexp(value, 53 - mpmath.frexp(value)[1])
                            nearest = min(nearest, abs(scaled - mpmath.floor(scaled) - 0.5))
            assert entry["hardness"][name]["bits"] == int(mpmath.floor(-mpmath.log(nearest, 2)))
            assert entry["hardness"][name]["ties"] == 0


def test_hardness_of_narrow_formats_and_ties():
    entry, suite = VALUES["alibi/distance-f16"]
    slopes = Fraction(1, 256) * np.arange(2060)
    ties = sum(witness.boundary_distance(Fraction(s), "float16") == 0 for s in slopes.tolist() if s)
    assert entry["hardness"]["output"]["ties"] == ties == 6
    entry, suite = VALUES["rope_table/telling-10000-bf16"]
    wide, _ = VALUES["rope_table/telling-10000-f64"]
    values = suite.tensors(wide)["outputs"]["cos"].values.reshape(-1).tolist()
    nearest = min(witness.boundary_distance(Fraction(v), "bfloat16") for v in values)
    assert (
        Fraction(1, 2) ** (entry["hardness"]["cos"]["bits"] + 1)
        <= nearest
        <= Fraction(1, 2) ** entry["hardness"]["cos"]["bits"]
    )


@pytest.mark.parametrize("base", [100, 10000])
def test_a_value_whose_float64_is_a_midpoint_is_no_tie(base):
    """Sines so near to a midpoint of float32 that their float64 is one, which is counted only if the value is one."""
    entry, suite = VALUES[f"rope_table/hard-{base}-f32"]
    positions = suite.tensors(entry)["inputs"]["positions"].values.tolist()
    with mpmath.workdps(80):
        nearest = mpmath.mpf(1)
        for p in positions:
            for i in range(8):
                value = abs(mpmath.sin(p * mpmath.mpf(base) ** (-mpmath.mpf(i) / 64)))
                scaled = mpmath.ldexp(value, 24 - mpmath.frexp(value)[1])
                nearest = min(nearest, abs(scaled - mpmath.floor(scaled) - 0.5))
        assert entry["hardness"]["sin"] == {"bits": int(mpmath.floor(-mpmath.log(nearest, 2))), "ties": 0}
    assert entry["hardness"]["sin"]["bits"] > 28


@pytest.mark.parametrize("name", SUITES)
def test_bounds_grow_with_the_class(name):
    compared = [bounds_of(id) for id in VALUES if id.startswith(f"{name}/")]
    assert compared and all(compared)


def of_bits(pattern):
    """A bound from its bits: a fraction, or infinity where there is none; never NaN."""
    value = float(np.array(int(pattern, 16), np.uint64).view(np.float64))
    return value if math.isinf(value) and value > 0 else suites.number({"float64": pattern})


def bounds_of(id):
    """How many outputs have bounds that grow with the class."""
    entry, _ = VALUES[id]
    kinds = {found["dtype"] for found in entry["outputs"].values()}
    exact = catalogue.find(id.partition("/")[0]).exact
    alone = exact or kinds == {"int64"}
    for name, found in entry["outputs"].items():
        whole = exact or found["dtype"] == "int64"
        held = {kind: of_bits(limits[name]) for kind, limits in entry["classes"].items()}
        assert held["correct"] == 0 and held.get("faithful", 0) == (0 if whole or 0 in found["shape"] else 1), id
        assert len(held) == 1 if alone else len(held) > 2 or not error_bounds.derives(id.partition("/")[0]), id
        if "float64-angle" in held and id.partition("/")[0] not in RULES:
            angles = [held[kind] for kind in ANGLE_CLASSES if kind in held]  # without frequencies there are two
            assert angles == sorted(angles) and len(angles) >= 2, id
    return len(entry["outputs"])


# -- inputs -----------------------------------------------------------------------------------------------------------


def test_the_counter_is_splitmix():
    def one(n):
        z = n * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    assert mixed(5, 3).tolist() == [one(3 * 2**32 + k) for k in range(1, 6)]
    assert mixed(1, 0).tolist() == [0xE220A8397B1DCDAF]  # the first output of the published generator with seed 0


def test_inputs_vary_and_cancel():
    entry, suite = ENTRIES["rope/telling-half-f32"]
    x = suite.tensors(entry)["inputs"]["x"].values
    assert len(np.unique(x)) == x.size and abs(x).max() < 16 and abs(np.frexp(x)[0] * 2.0**24 % 2).max() == 1
    entry, suite = ENTRIES["rope/cancelling-half-f64"]
    turned = suite.tensors(entry)["outputs"]["output"].values
    assert 0 < abs(turned[1:, :4]).max() < 2.0**-52
    entry, suite = ENTRIES["rope/subnormal-interleaved-f64"]
    x = suite.tensors(entry)["inputs"]["x"].values
    assert 0 < abs(x).max() < 1e-300 and (x == 0).any()
