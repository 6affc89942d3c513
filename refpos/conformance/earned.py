"""Whether numbers look like those of a table of 16 bits, and not only lie within the wide bounds of such a class.

Either all numbers are values of the format, or of the elements where the class allows SMALL times what float32 allows,
one in SHARE at least is off by more than the SMALL-th part of what it allows: a rounding to 16 bits moves most elements
so far, while a few wrong ones in float32 numbers, or a smaller error of all, are no such table.

A program of 16 bits misses that for an element with a probability of at most 1/2 (docs/conformance.md, float16-table).
Of FEWEST different elements and more it misses one in SHARE with a probability below 10^-6; of fewer by chance, so that
nothing is asked of them.
"""

import numpy as np

from ..arithmetic import rounding
from .classes import ANGLE_CLASSES, PIPELINES

SMALL = 16
SHARE = 16
AT_ONCE = 1 << 16  # numbers that are rounded together
FEWEST = 25
MOST_REPEATED = 1 << 10  # elements among which repeated ones are looked for


def stricter(name, limits):
    """The loosest class without a table among these limits, where the class of that name has one; else None."""
    if name not in PIPELINES or PIPELINES[name].table is None:
        return None
    return next((kind for kind in reversed(ANGLE_CLASSES) if kind in limits), None)


def counted(observed, limit, strict):
    """(how many elements a class allows far more, how many of these are off like it), of arrays; what is repeated, as
    keys of several heads, counts once where it could matter."""
    wide = limit > SMALL * strict
    found = np.stack([limit[wide], observed[wide]])
    if FEWEST <= found.shape[1] <= MOST_REPEATED:
        found = np.unique(found, axis=1)
    limit, observed = found
    return limit.size, int(((observed > limit / SMALL) & (observed <= limit)).sum())


def on_grid(name, tensor):
    """Whether the numbers of a Tensor of a wider format are all values of the table of a class."""
    if tensor.values.dtype not in (np.float32, np.float64):
        return False
    fmt, flat = PIPELINES[name].table, tensor.values.reshape(-1)
    for start in range(0, flat.size, AT_ONCE):
        values = flat[start : start + AT_ONCE].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            if not (rounding.widen(rounding.narrow(values, fmt), fmt) == values).all():
                return False
    return True


def is_earned(wide, used):
    """Whether so many of the elements that the class allows far more are off like it, or too few to tell."""
    return wide < FEWEST or used * SHARE >= wide


def tables_in(limits):
    """{class that must be earned: the class that it must exceed} among these limits."""
    return {name: strict for name in limits if (strict := stricter(name, limits))}


def without_unearned(limits, error):
    """{class: bounds} of flat arrays that remain, beside these errors."""
    kept = dict(limits)
    for name, strict in tables_in(limits).items():
        if not is_earned(*counted(error, *(np.broadcast_to(limits[one], error.shape) for one in (name, strict)))):
            del kept[name]
    return kept
