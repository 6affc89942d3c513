"""Find the positions of the golden cases rope_table/hard-*, and write them to refpos/golden/cases/_hard.py.

    python tests/hard_positions.py

Of the first 8 frequencies base**(-2i/128) of each base: the positions below 2**21 of the cosines and sines nearest to a
midpoint of float32, float16 and bfloat16, of all that there are; those below 2**53 that a lattice finds for float64;
and those below 2**32 of the cosines and sines nearest to 0, by continued fractions.
"""

import heapq
import json
import random
import textwrap
from pathlib import Path

import numpy as np
from flint import arb
from witness import enclosures, hard_cases
from witness.scalings import plain

TO = Path(__file__).parent.parent / "refpos" / "golden" / "cases" / "_hard.py"
BASES, WIDTH, COUNT = (100, 10000, 500000, 1000000), 128, 8
FAR, ROWS, MIDPOINTS, ZEROS = 2**21, 2**16, 16, 8


def near_midpoints(base, far=FAR):
    """{format: [(distance in ulps, position, frequency, 0 of cosines)]} of the MIDPOINTS hardest below far."""
    return hardest(enclosures.balls(plain({"dim": WIDTH, "base": base}, COUNT)), 1, far, enclosures.NARROW, MIDPOINTS)


def hardest(thetas, start, far, names, count):
    """{format: [(distance in ulps, factor, index of theta, 0 of cosines)]} of the `count` hardest multiples of thetas
    by start .. far - 1."""
    steps, found = np.array([enclosures.limbs(theta) for theta in thetas]), {name: [] for name in names}
    for first in range(start, far, ROWS):
        pair = enclosures.cosines_and_sines(np.arange(first, min(first + ROWS, far)), steps)
        for which, value in enumerate(pair):
            for name, kept in found.items():
                _, gap, off, exponent = enclosures.nearest(value, name)
                limit = kept[-1][0] if len(kept) == count else 1.0
                near = np.flatnonzero(gap <= min(limit, np.partition(gap.ravel(), count)[count]) + off.max())
                for row, column in zip(*(part.tolist() for part in np.unravel_index(near, gap.shape)), strict=True):
                    ball = enclosures.exact(thetas[column], first + row, arb(1))[which]
                    distance = enclosures.exact_nearest(ball, exponent[row, column])[1]
                    kept.append((distance, first + row, column, which))
                found[name] = heapq.nsmallest(count, kept)
    return found


def zeros(base):
    """Positions below 2**32 at which a cosine or sine of the frequencies comes nearest to 0, nearest first."""
    found = []
    for i in range(COUNT):
        for which, search in (("sin", hard_cases.zeros_of_sine), ("cos", hard_cases.zeros_of_cosine)):
            for position in search(base, WIDTH, i, 2**32)[-2:]:
                found.append((abs(hard_cases.value(base, WIDTH, i, position, which)), position))
    return list(dict.fromkeys(position for _, position in sorted(found)))[:ZEROS]


def of_float64(base):
    """Positions below 2**53 that the lattice finds for float64, the nearest to a midpoint first."""
    found = []
    for i in range(COUNT):
        found += hard_cases.near_midpoints("float64", base, WIDTH, i, 2**53, 200, 4, random.Random(i))
    return list(dict.fromkeys(position for _, _, position in sorted(found)))[:MIDPOINTS]


def listed(positions):
    said = ", ".join(map(str, positions))
    return textwrap.fill(said + ",", 118, initial_indent=" " * 8, subsequent_indent=" " * 8)


def main():
    found = {}
    for base in BASES:
        least = near_midpoints(base)
        near = {name: list(dict.fromkeys(entry[1] for entry in kept)) for name, kept in least.items()}
        near["float64"] = of_float64(base)
        for name, positions in near.items():
            bits = "" if name == "float64" else f"{-np.log2(least[name][0][0]):.1f}"
            print(base, name, len(positions), bits, flush=True)
            found[base, name] = sorted({*positions, *zeros(base)})
    lines = [f"    ({base}, {json.dumps(name)}): (\n{listed(found[base, name])}\n    )," for base, name in found]
    about = '"""Positions of hard cases by base and format, found by tests/hard_positions.py."""\n\n'
    TO.write_text(about + "# fmt: off\nPOSITIONS = {\n" + "\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
