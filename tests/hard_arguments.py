"""Find the arguments of the golden cases rope_table/hard-arguments-*, and write them to
refpos/golden/cases/_hard_arguments.py.

    python tests/hard_arguments.py

The frequency of these cases is 1: the angle is the argument itself, a number of the format, so that they test the
sine and cosine of a library and no product. Of float32, float16 and bfloat16 every normal number from 2**-16 to 2**53
is compared; below 2**-16, no sine or cosine is nearer to a midpoint than a third of an ulp. Of float64 lattices search
around PLACES arguments of each binade from 1/4 on. Those at which a cosine or sine is nearest to 0 are found by
continued fractions.
"""

import heapq
from pathlib import Path

from flint import arb
from hard_positions import hardest, listed
from witness import enclosures, hard_cases, lattices
from witness.digits import SHAPES, boundary_distance

TO = Path(__file__).parent.parent / "refpos" / "golden" / "cases" / "_hard_arguments.py"
MIDPOINTS, ZEROS, PLACES = 64, 8, 1024
LEAST, MOST = -16, 53  # exponents


def value(significand, exponent, which):
    """A sine or cosine of significand * 2**exponent."""
    return hard_cases.exact(lambda: getattr(arb(significand) * arb(2) ** exponent, which)())


def of_all(name, least=LEAST, most=MOST):
    """[(distance in ulps, argument)] of the MIDPOINTS hardest of all numbers of a narrow format."""
    precision, smallest, largest, _ = SHAPES[name]
    exponents = range(max(least, smallest) - precision + 1, min(most, largest + 1) - precision + 1)
    thetas = enclosures.balls(lambda: [arb(2) ** exponent for exponent in exponents])
    found = hardest(thetas, 2 ** (precision - 1), 2**precision, (name,), MIDPOINTS)[name]
    return [(distance, significand * 2.0 ** exponents[column]) for distance, significand, column, _ in found]


def of_float64(least=-2, most=MOST, places=PLACES):
    """[(distance in ulps, argument)] of the MIDPOINTS hardest that lattices find."""
    found = set()
    for exponent in range(least, most):
        for which in ("sin", "cos"):
            for place in range(places):
                middle = 2**52 + (2 * place + 1) * 2**51 // places
                for k in lattices.near(exponent, middle, which, 2.0**-20):
                    distance = boundary_distance(value(k, exponent - 52, which), "float64")
                    found.add((float(distance), k * 2.0 ** (exponent - 52)))
        found = set(heapq.nsmallest(MIDPOINTS, found))
    return sorted(found)


def zeros(name):
    """The ZEROS arguments below 2**MOST at which a sine or cosine is nearest to 0."""
    precision, _, largest, _ = SHAPES[name]
    found = {}
    for exponent in range(1 - precision, min(MOST, largest + 1) - precision + 1):
        ratio = hard_cases.exact(lambda exponent=exponent: arb(2) ** (exponent + 1) / arb.pi())
        for turns, significand in list(hard_cases.convergents(ratio, 2**precision - 1))[-2:]:
            if turns:
                size = abs(value(significand, exponent, "cos" if turns % 2 else "sin"))
                found[significand * 2.0**exponent] = size
    return sorted(found, key=found.get)[:ZEROS]


def main():
    lines = []
    for name in SHAPES:
        near = of_float64() if name == "float64" else of_all(name)
        print(name, *near[0], flush=True)
        arguments = sorted({*(argument for _, argument in near), *zeros(name)})
        lines.append(f'    "{name}": (\n{listed(arguments)}\n    ),')
    about = '"""Arguments of hard sines and cosines by format, found by tests/hard_arguments.py."""\n\n'
    TO.write_text(about + "# fmt: off\nARGUMENTS = {\n" + "\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
