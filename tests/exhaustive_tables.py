"""Compare every element of the tables of named models and model types with enclosures, and with Arb where these fail.

    python tests/exhaustive_tables.py                the 20 sets of frequencies most used, positions 0 to 8191
    python tests/exhaustive_tables.py --whole        all sets, to the longest context that their users state
    python tests/exhaustive_tables.py --whole --most N  the same, but at most N positions of each set
    python tests/exhaustive_tables.py --to FILE      results, one line of JSON for each set; a second run resumes there

Formats are float32, float16 and bfloat16. Each element has a float64 value with a radius (witness/enclosures.py), which
decides its rounding unless a midpoint is near; what is near, and a sample, is evaluated by Arb. Exit status: 0 when all
elements are equal, 1 when not. tests/exhaustive_page.py writes the page of the results.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import exhaustive_sets
import numpy as np
from witness import enclosures

FORMATS = tuple(enclosures.NARROW)
STORED = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16}
CHUNK = 2**19  # elements of an array
NEAR = 2.0**-22  # ulps: Arb decides what is at least this near to a midpoint, beside what the radius leaves open
SAMPLE = 8  # elements of each chunk whose enclosure is compared with Arb


def as_float64(array, name):
    """The values of an array of a format; bfloat16 is the upper half of float32."""
    if name == "bfloat16":
        array = (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array.astype(np.float64)


def compare(value, stored, name, ball_of):
    """(number of unequal elements, elements evaluated by Arb, (distance, row, column) of the hardest) of an array."""
    expected, gap, off, exponent = enclosures.nearest(value, name)
    least, hardest = float(gap.min()), (1.0, 0, 0)
    rows, columns = np.nonzero(gap <= np.maximum(off, max(NEAR, least)) + off)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        exact, distance = enclosures.exact_nearest(ball_of(row, column), exponent[row, column])
        expected[row, column] = exact
        hardest = min(hardest, (distance, row, column))
    unequal = expected.view(np.uint64) != as_float64(stored, name).view(np.uint64)
    unequal &= (expected != 0) | (as_float64(stored, name) != 0)  # a zero has no sign here
    return int(unequal.sum()), len(rows), hardest


def sampled(value, ball_of, rng):
    """The greatest error of some enclosures as a part of their radius, which must stay below 1."""
    worst = 0.0
    for _ in range(SAMPLE):
        row, column = (int(rng.integers(n)) for n in value.shape)
        error = float(abs(ball_of(row, column) - enclosures.arb(float(value[row, column]))))
        worst = max(worst, error / (abs(value[row, column]) * enclosures.RADIUS + enclosures.FLOOR))
    return worst


def run(one, length, table=None):
    """The result of one set at positions 0 .. length - 1, as a line of the file of results."""
    thetas, factor = one.witness
    steps, table = np.array([enclosures.limbs(theta) for theta in thetas]), table or one.table()
    rng, found, begun = np.random.default_rng(1), dict.fromkeys(FORMATS, (1.0, "", 0, 0)), time.process_time()
    result = {
        "set": one.name,
        "users": len(set(one.users)),
        "stated": one.length,
        "length": length,
        "elements": 0,
        "unequal": 0,
        "arb": 0,
    }
    enclosure, rows = 0.0, max(1, CHUNK // len(thetas))
    for start in range(0, length, rows):
        positions = np.arange(start, min(start + rows, length))
        pair = enclosures.cosines_and_sines(positions, steps, float(factor))

        def ball_of(row, column, which, first=start):
            return enclosures.exact(thetas[column], first + row, factor)[which]

        for name in FORMATS:
            out = tuple(np.empty(pair[0].shape, STORED[name]) for _ in pair)
            table(positions, name, out)
            for which, (value, stored) in enumerate(zip(pair, out, strict=True)):
                unequal, by_arb, (gap, row, column) = compare(
                    value, stored, name, lambda row, column, which=which: ball_of(row, column, which)
                )
                result["elements"] += value.size
                result["unequal"] += unequal
                result["arb"] += by_arb
                if start + row:  # position 0 is exact
                    found[name] = min(found[name], (gap, ("cos", "sin")[which], start + row, column))
        for which, value in enumerate(pair):
            enclosure = max(enclosure, sampled(value, lambda r, c, which=which: ball_of(r, c, which), rng))
    assert result["elements"] == 2 * len(FORMATS) * length * len(thetas)
    return {**result, "enclosure": round(enclosure, 3), "hardest": found, "seconds": time.process_time() - begun}


def results(path):
    """The lines of a file of results, by set and length."""
    lines = path.read_text().splitlines() if path and path.exists() else []
    return {(one["set"], one["length"]): one for one in map(json.loads, lines)}


def told(one):
    bits = ", ".join(f"{name} {-np.log2(gap):.1f}" for name, (gap, *_) in one["hardest"].items())
    state = "equal " if not one["unequal"] else "WRONG "
    return f"{state} {one['set'][:60]:60} {one['length']:8} {one['elements']:11} bits beyond: {bits}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="all sets to the longest context of their users")
    parser.add_argument("--most", type=int, default=2**31, help="at most so many positions of a set")
    parser.add_argument("--to", type=Path, help="file of results")
    options = parser.parse_args(arguments)
    os.nice(10)
    sets, without = exhaustive_sets.distinct()
    done, wrong = results(options.to), 0
    work = (
        [(one, min(one.length, options.most)) for one in sets]
        if options.whole
        else [(one, min(8192, options.most)) for one in sets[:20]]
    )
    for one, length in sorted(work, key=lambda pair: pair[1]):
        result = done.get((one.name, length)) or run(one, length)
        wrong += result["unequal"]
        print(told(result), flush=True)
        if options.to and (one.name, length) not in done:
            with options.to.open("a") as file:
                file.write(json.dumps(result) + "\n")
    print(f"{len(work)} sets compared, {wrong} elements unequal; {len(without)} users without a set of whole positions")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
