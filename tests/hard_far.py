"""Find the positions of the golden cases rope_table/hard-far-*, and write them to refpos/golden/cases/_hard_far.py.

    python tests/hard_far.py

float16 and bfloat16 have so few midpoints that each is asked for the whole positions below 2**53 at which a cosine or
sine of one of the first 8 frequencies base**(-2i/128) comes nearest to it, from either side. Such a position is found
exactly, by the continued fraction of the frequency, and so the hardest position below 2**53 is among them.
"""

import heapq
import json
from fractions import Fraction
from pathlib import Path

from flint import arb, ctx, fmpq
from hard_positions import BASES, COUNT, MIDPOINTS, WIDTH, listed
from witness import enclosures, hard_cases, inhomogeneous
from witness.digits import SHAPES, boundary_distance
from witness.inhomogeneous import ONE
from witness.scalings import plain

TO = Path(__file__).parent.parent / "refpos" / "golden" / "cases" / "_hard_far.py"
FORMATS, LIMIT = ("float16", "bfloat16"), 2**53 - 1
#: no sine or cosine of a position below LIMIT is smaller, but that of 0 (`main` compares)
LEAST = Fraction(1, 2**60)


def midpoints(name):
    """[(midpoint, exponent of the ulp)] of the positive values from LEAST to 1."""
    precision, smallest = SHAPES[name][:2]
    found = []
    for power in range(max(smallest, -60), 0):
        exponent = power - precision + 1
        first = 0 if power == smallest else 2 ** (precision - 1)  # the subnormal ones too
        found += [(Fraction(2 * n + 1, 2) * Fraction(2) ** exponent, exponent) for n in range(first, 2**precision)]
    return found


def fixed(ball):
    """A ball between 0 and 1 in units of 2**-BITS."""
    whole = (ball * ONE).floor().unique_fmpz()
    assert whole is not None, "a ball has too few bits"
    return int(whole)


def targets(name):
    """[(half turns at which a cosine or sine is a midpoint or its negative, 0 of cosines, change in ulps a unit)]."""
    ctx.prec, found = enclosures.BITS, []
    for middle, exponent in midpoints(name):
        ball = arb(fmpq(middle.numerator, middle.denominator))
        sine, slope = fixed(ball.asin() / arb.pi()), float((1 - ball * ball).sqrt() * arb.pi()) * 2.0**-exponent / ONE
        for which, zero in ((0, ONE // 2), (1, ONE)):
            found += [((zero + side * sine) % ONE, which, slope) for side in (1, -1)]
    return found


def nearest(theta, name, aims, limit=LIMIT):
    """[(distance in ulps, position, 0 of cosines)] of the MIDPOINTS hardest positions of one frequency."""
    turns = theta / arb.pi()
    near = inhomogeneous.Nearest(fixed(turns - turns.floor()), limit)
    best = ((gap * slope, place, which) for target, which, slope in aims for side in (0, 1)
            for place, gap in (near.to(target, side),) if place)  # fmt: skip
    found = []
    for _, place, which in heapq.nsmallest(2 * MIDPOINTS, best):
        value = hard_cases.exact(lambda place=place, which=which: (theta * place).sin_cos()[1 - which])
        found.append((float(boundary_distance(value, name)), place, which))
    return heapq.nsmallest(MIDPOINTS, set(found))


def smallest(base):
    """The smallest sine or cosine of a position to LIMIT, of any frequency."""
    searches = ("sin", hard_cases.zeros_of_sine), ("cos", hard_cases.zeros_of_cosine)
    return min(
        abs(hard_cases.value(base, WIDTH, i, position, which))
        for i in range(COUNT)
        for which, search in searches
        for position in search(base, WIDTH, i, LIMIT)[-1:]
    )


def main():
    aims = {name: targets(name) for name in FORMATS}
    lines = []
    for base in BASES:
        assert smallest(base) > LEAST
        thetas = enclosures.balls(plain({"dim": WIDTH, "base": base}, COUNT), hard_cases.BITS)
        for name in FORMATS:
            found = [(*one, i) for i, theta in enumerate(thetas) for one in nearest(theta, name, aims[name])]
            found = heapq.nsmallest(MIDPOINTS, found)
            print(base, name, found[0], flush=True)
            places = sorted({entry[1] for entry in found})
            lines.append(f"    ({base}, {json.dumps(name)}): (\n{listed(places)}\n    ),")
    about = '"""Positions below 2**53 of hard cases by base and format, found by tests/hard_far.py."""\n\n'
    TO.write_text(about + "# fmt: off\nPOSITIONS = {\n" + "\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
