"""Compare T5 and DeBERTa buckets at every distance to 2**24, and ALiBi slopes to 256 heads, with integers and with Arb.

    python tests/exhaustive_buckets.py               a line of JSON for each setting
    python tests/exhaustive_buckets.py --torch       the distances at which transformers' float32 logarithms differ

A bucket begins at an integer that a comparison of integer powers gives. Exit status: 0 when all are equal, 1 when not.
"""

import json
import sys
from fractions import Fraction

import numpy as np
from flint import arb
from witness import enclosures
from witness.formulas import alibi_exponents, power

from refpos.relative import alibi_slopes, log_buckets, t5_buckets

FAR, CHUNK = 2**24, 2**20
#: num_buckets and max_distance of T5 and most others; LayoutLM; WavLM; UDOP; CPM-Ant; and those of older releases
T5 = ((32, 128), (64, 256), (320, 800), (32, 100), (512, 2048), (32, 256), (16, 128), (128, 512))
DEBERTA = ((256, 512), (32, 128), (64, 256), (128, 512))
HEADS = 256
SHAPES = {"float64": (53, -1022), **enclosures.NARROW}


def first_where(holds, low, high):
    """The least n of low .. high for which holds(n), which stays so beyond; high + 1 where there is none."""
    while low <= high:
        middle = (low + high) // 2
        low, high = (low, middle - 1) if holds(middle) else (middle + 1, high)
    return low


def t5_edges(buckets, most):
    """The distances at which buckets 1, 2, ... of one direction begin: n**s E**k >= E**s most**k for bucket E + k."""
    exact = buckets // 2
    s, edges = buckets - exact, list(range(1, exact + 1))
    for k in range(1, s):
        goal = exact ** (s - k) * most**k
        edges.append(first_where(lambda n, goal=goal: n**s >= goal, edges[-1], most))
    return edges


def deberta_edges(buckets, most):
    """The same of DeBERTa, which has no last bucket: beyond middle + k - 1 where n**s > middle**(s-k) (most-1)**k."""
    middle = buckets // 2
    s, edges = middle - 1, list(range(1, middle + 2))
    for k in range(1, 40 * s):
        power_of_ratio = (most - 1) ** k
        below = middle ** max(0, k - s)
        goal = middle ** max(0, s - k) * power_of_ratio
        edge = first_where(lambda n, goal=goal, below=below: n**s * below > goal, edges[-1], FAR)
        if edge > FAR:
            break
        edges.append(edge)
    return edges


def unequal(edges, ours, after):
    """How many distances -FAR .. FAR have another bucket than the edges say; after(bucket): that of positive ones."""
    count = wrong = 0
    for start in range(0, FAR + 1, CHUNK):
        distances = np.arange(start, min(start + CHUNK, FAR + 1))
        bucket = np.searchsorted(edges, distances, side="right")
        for sign, expected in ((-1, bucket), (1, np.where(distances > 0, after(bucket), bucket))):
            wrong += int(np.count_nonzero(ours(sign * distances) != expected))
            count += len(distances)
    assert count == 2 * (FAR + 1)
    return {"distances": count, "unequal": wrong}


def t5(buckets, most, both, function=t5_buckets):
    half = buckets // 2 if both else buckets
    options = {"bidirectional": both, "num_buckets": buckets, "max_distance": most}
    return unequal(
        t5_edges(half, most),
        lambda distances: function(distances, **options),
        (lambda bucket: bucket + half) if both else np.zeros_like,
    )


def deberta(buckets, most):
    def ours(distances):
        return log_buckets(distances, rule="deberta", num_buckets=buckets, max_distance=most)

    return unequal(deberta_edges(buckets, most), lambda distances: -ours(distances), np.negative)


def slopes(convention, function=alibi_slopes):
    """All slopes of 1 to 256 heads in four formats; and the least distance to a midpoint, in ulps of each."""
    count = wrong = 0
    hardest = dict.fromkeys(SHAPES, (1.0, 0, 0))
    enclosures.balls(lambda: None)
    for heads in range(1, HEADS + 1):
        exponents = alibi_exponents(heads, convention)
        assert len(exponents) == heads
        for name, (precision, smallest) in SHAPES.items():
            stored = np.empty(heads, np.uint16 if name == "bfloat16" else name)
            function(heads, convention=convention, dtype=name, out=stored)
            found = widened(stored, name)
            for k, e in enumerate(exponents):
                ulp = max(-(e.__ceil__()), smallest) + 1 - precision
                expected, gap = enclosures.exact_nearest(slope(e), ulp)
                wrong += expected != found[k]
                count += 1
                if e.denominator > 1:  # others are powers of 2
                    hardest[name] = min(hardest[name], (gap, heads, k))
    return {"slopes": count, "unequal": wrong, "hardest": hardest}


def slope(e):
    return arb(2) ** -int(e) if e.denominator == 1 else power(Fraction(2), -e)


def widened(stored, name):
    """The values in float64."""
    if name == "bfloat16":
        stored = (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return stored.astype(np.float64).tolist()


def differing(buckets, most, both):
    """At which distances of keys before the query the float32 logarithms of transformers give another bucket."""
    import torch
    from transformers.models.t5.modeling_t5 import T5Attention

    edges, found = t5_edges(buckets // 2 if both else buckets, most), []
    for start in range(0, FAR + 1, CHUNK):
        distances = np.arange(start, min(start + CHUNK, FAR + 1))
        theirs = T5Attention._relative_position_bucket(torch.from_numpy(-distances), bool(both), buckets, most).numpy()
        found += distances[theirs != np.searchsorted(edges, distances, side="right")].tolist()
    return {"distances": FAR + 1, "differ": found}


def main(arguments):
    wrong = 0
    if arguments == ["--torch"]:
        given = [(n, most, both) for n, most in T5 for both in (True, False)]
        lines = (
            (f"torch {n} {most} {'both' if both else 'causal'}", differing(n, most, both)) for n, most, both in given
        )
    else:
        settings = [
            (f"t5 {n} {most} {'both' if b else 'causal'}", t5, (n, most, b)) for n, most in T5 for b in (True, False)
        ]
        settings += [(f"deberta {n} {most}", deberta, (n, most)) for n, most in DEBERTA]
        settings += [(f"alibi {name}", slopes, (name,)) for name in ("recursive", "geometric")]
        lines = ((name, function(*given)) for name, function, given in settings)
    for name, result in lines:
        wrong += result.get("unequal", 0)
        print(json.dumps({"what": name, **result}), flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
