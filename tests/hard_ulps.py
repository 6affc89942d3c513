"""Print the errors, in ulps, of the sines and cosines of NumPy, torch and JAX at the positions of rope_table/hard-*.

    python tests/hard_ulps.py       torch and jax where they are installed

The angle of the first frequency, 1, is the position itself, so that the function is measured and no product:
float32 at positions below 2**24, float64 at all. The exact values are the witnesses'.
"""

import numpy as np
from flint import arb
from witness import enclosures

from refpos.golden.cases._hard import POSITIONS

FORMATS = {"float32": (24, 2**24), "float64": (53, 2**53)}


def libraries():
    """{name: function of (angles, "cos" or "sin")} of those installed."""
    found = {f"NumPy {np.__version__}": lambda angles, which: getattr(np, which)(angles)}
    try:
        import torch

        found[f"torch {torch.__version__}"] = lambda angles, which: getattr(torch, which)(torch.from_numpy(angles))
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        found[f"JAX {jax.__version__}"] = lambda angles, which: getattr(jax.numpy, which)(angles)
    except ImportError:
        pass
    return found


def errors(function, name):
    """(greatest error in ulps of the exact value, number of values not correctly rounded, number of values)."""
    precision, limit = FORMATS[name]
    places = sorted({p for positions in POSITIONS.values() for p in positions if p < limit})
    angles, worst, wrong, count = np.array(places, name), 0.0, 0, 0
    for which in ("cos", "sin"):
        values = np.asarray(function(angles, which)).astype(np.float64)
        for place, value in zip(places, values.tolist(), strict=True):
            ball = enclosures.balls(lambda place=place, which=which: getattr(arb(place), which)())
            ulp = arb(2) ** (int(np.frexp(float(ball))[1]) - precision)
            error = float(abs(ball - arb(value)) / ulp)
            worst, wrong, count = max(worst, error), wrong + (error > 0.5), count + 1
    return worst, wrong, count


if __name__ == "__main__":
    for library, function in libraries().items():
        for name in FORMATS:
            worst, wrong, count = errors(function, name)
            print(f"{library:24} {name}: {worst:.3f} ulp at most, {wrong} of {count} not correctly rounded")
