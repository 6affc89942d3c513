"""The searches for hard cases find what comparing everything finds, and the golden cases have what they find."""

import math
import random

import hard_arguments
import hard_far
import hard_positions
import pytest
from flint import arb
from tiers import sampled
from witness import enclosures, hard_cases, inhomogeneous, lattices
from witness.digits import boundary_distance
from witness.inhomogeneous import ONE
from witness.scalings import plain

from refpos.golden.cases._hard_arguments import ARGUMENTS
from refpos.golden.cases._hard_far import POSITIONS as FAR

RNG = random.Random(7)
STEPS = [
    *(RNG.randrange(ONE) for _ in range(20)),
    *((ONE * RNG.randrange(1, 50) // 90 + RNG.randrange(-ONE >> 9, ONE >> 9)) % ONE for _ in range(20)),
    *(ONE // n + shift for n in (2, 3, 100) for shift in (-1, 1)),
]  # fmt: skip
ZEROS = {argument for name in ARGUMENTS for argument in hard_arguments.zeros(name)}


@pytest.mark.parametrize("side", [0, 1])
def test_the_nearest_multiple_is_the_nearest_of_all(side):
    sign = -1 if side else 1
    for step in STEPS:
        for limit in (1, 7, RNG.randrange(300)):
            near, target = inhomogeneous.Nearest(step, limit), RNG.randrange(ONE)
            gaps = [sign * (p * step - target) % ONE for p in range(limit + 1)]
            p, gap = near.to(target, side)
            assert gap == min(gaps) == gaps[p]


@pytest.mark.parametrize("name, base, i", [("float16", 100, 0), ("bfloat16", 500000, 3)])
def test_the_hardest_of_few_positions_is_the_hardest_of_all(name, base, i):
    limit, theta = 2**13, enclosures.balls(plain({"dim": 128, "base": base}, 8), hard_cases.BITS)[i]
    every = hard_positions.hardest([theta], 1, limit, (name,), 16)[name]
    found = hard_far.nearest(theta, name, hard_far.targets(name), limit - 1)
    assert len(found) == 16 and found[0][1:] == (every[0][1], every[0][3])
    last = every[-1][0]
    assert {one[1:] for one in found if one[0] < last} <= {(one[1], one[3]) for one in every}


@pytest.mark.parametrize("base, name", FAR)
def test_far_positions_are_hard(base, name):
    """Each has a cosine or sine within 2**-50 ulp of a midpoint."""
    assert len(FAR[base, name]) == 16
    for position in FAR[base, name]:
        values = [hard_cases.value(base, 128, i, position, which) for i in range(8) for which in ("cos", "sin")]
        assert min(boundary_distance(value, name) for value in values) < 2.0**-50


@pytest.mark.exhaustive
@pytest.mark.parametrize("name, base, i", [("float16", 10000, 6), ("bfloat16", 10000, 3)])
def test_far_positions_of_a_frequency_are_found_again(name, base, i):
    """Those nearer than the last of the case are in it."""
    theta = enclosures.balls(plain({"dim": 128, "base": base}, 8), hard_cases.BITS)[i]
    found, positions = hard_far.nearest(theta, name, hard_far.targets(name)), FAR[base, name]
    places = ((p, i, which) for p in positions for i in range(8) for which in ("cos", "sin"))
    last = sorted(boundary_distance(hard_cases.value(base, 128, i, p, which), name) for p, i, which in places)[15]
    expected = {position for distance, position, _ in found if distance < last}
    assert expected and expected <= {*positions}


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_hard_arguments_are_the_hardest_of_all_numbers_of_16_bits(name):
    near = {argument for _, argument in hard_arguments.of_all(name)}
    assert {*ARGUMENTS[name]} == {*near, *hard_arguments.zeros(name)} and len(near) > 50


@pytest.mark.parametrize("least", sampled(range(-16, 53), 23))
def test_hard_arguments_of_a_binade_are_among_those_of_float32(least):
    hardest = hard_arguments.of_all("float32", least, least + 1)
    last = max(distance_of(argument, "float32") for argument in ARGUMENTS["float32"] if argument not in ZEROS)
    assert {argument for distance, argument in hardest if distance < last} <= {*ARGUMENTS["float32"]}
    assert len(hardest) == hard_arguments.MIDPOINTS


def distance_of(argument, name):
    """How far its cosine or sine is from a midpoint, in ulps, whichever is nearer."""
    values = [hard_cases.exact(lambda which=which: getattr(arb(argument), which)()) for which in ("cos", "sin")]
    return float(min(boundary_distance(value, name) for value in values))


def test_lattices_find_hard_arguments_from_nearby():
    """From 777 numbers away, where angles of neighbours are near; what is found is as near as is said."""
    missing = {argument for argument in ARGUMENTS["float64"] if argument not in ZEROS}
    for argument in sorted(missing):
        exponent = math.frexp(argument)[1] - 1
        k = int(argument * 2.0 ** (52 - exponent))
        for which in ("cos", "sin"):
            near = lattices.near(exponent, k + 777 * (exponent < 4), which, 2.0**-20)
            distances = [boundary_distance(hard_arguments.value(one, exponent - 52, which), "float64") for one in near]
            assert all(distance < 2.0**-19 for distance in distances)
            missing -= {argument} if k in near else set()
    assert len(ARGUMENTS["float64"]) > 70 and not missing


def test_arguments_of_float64_are_hard_or_next_to_zeros():
    assert {*hard_arguments.zeros("float64")} <= {*ARGUMENTS["float64"]}
    near = [argument for argument in ARGUMENTS["float64"] if argument not in ZEROS]
    assert len(near) > 50 and all(distance_of(argument, "float64") < 2.0**-25 for argument in near)
