"""Print the errors, in ulps, of the sines and cosines of NumPy, torch and JAX at rope_table/hard-arguments-*.

    python tests/hard_ulps.py       torch and jax where they are installed

The exact values are the witnesses'.
"""

import numpy as np
from flint import arb
from witness import enclosures
from witness.digits import SHAPES

from refpos.golden.cases._hard_arguments import ARGUMENTS


def with_numpy(angles, name, which):
    return getattr(np, which)(angles.astype(name))


def libraries():
    """{name: (function of (angles in float64, format, "cos" or "sin"), formats)} of those installed."""
    found = {f"NumPy {np.__version__}": (with_numpy, ("float32", "float64", "float16"))}
    try:
        import torch

        found[f"torch {torch.__version__}"] = (
            lambda angles, name, which: getattr(torch, which)(
                torch.from_numpy(angles).to(getattr(torch, name))
            ).double(),
            SHAPES,
        )
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        found[f"JAX {jax.__version__}"] = (
            lambda angles, name, which: getattr(jax.numpy, which)(jax.numpy.asarray(angles, name)),
            SHAPES,
        )
    except ImportError:
        pass
    return found


def errors(function, name):
    """(greatest error in ulps of the exact value, number of values not correctly rounded, number of values)."""
    precision, smallest = SHAPES[name][:2]
    angles, worst, wrong, count = np.array(ARGUMENTS[name]), 0.0, 0, 0
    for which in ("cos", "sin"):
        values = np.asarray(function(angles, name, which)).astype(np.float64)
        for angle, value in zip(angles.tolist(), values.tolist(), strict=True):
            ball = enclosures.balls(lambda angle=angle, which=which: getattr(arb(angle), which)())
            ulp = arb(2) ** (max(int(np.frexp(float(ball))[1]), smallest + 1) - precision)
            error = float(abs(ball - arb(value)) / ulp)
            worst, wrong, count = max(worst, error), wrong + (error > 0.5), count + 1
    return worst, wrong, count


if __name__ == "__main__":
    for library, (function, formats) in libraries().items():
        for name in formats:
            worst, wrong, count = errors(function, name)
            print(f"{library:24} {name}: {worst:.3f} ulp at most, {wrong} of {count} not correctly rounded")
