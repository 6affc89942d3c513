"""Ports of the frequencies of YaRN in Python floats, each with another ramp, and the golden cases that they fail.

`refpos` has an argument for one of these ramps only, `clamp="dim/2-1"`: the others are mistakes that no argument says.
Frequencies of a port go into `rope` and `rope_table` as they are, so that a failure is one of the ramp alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import mutants
import numpy as np

from refpos.arithmetic import formats, rounding
from refpos.diagnosis import judge
from refpos.diagnosis.call import is_call, made_once
from refpos.frequencies import given_frequencies
from refpos.tensor_files import Tensor

FUNCTIONS = ("yarn", "ntk_by_parts")
INFINITE = math.inf


class Ramp(NamedTuple):
    """How a port limits the ends low and high of the ramp, and g between them; `width` of a ramp whose ends are one."""

    lowest: float = 0
    most: object = lambda dim: dim - 1
    least_g: float = 0
    most_g: float = 1
    width: float = 0.001


RIGHT = Ramp()
WRONG = {
    "low below 0": Ramp(lowest=-INFINITE),
    "low at least 1": Ramp(lowest=1),
    "high beyond dim-1": Ramp(most=lambda dim: INFINITE),
    "high at most dim": Ramp(most=lambda dim: dim),
    "high at most dim/2": Ramp(most=lambda dim: dim // 2),
    "high at most dim/2-1": Ramp(most=lambda dim: dim // 2 - 1),
    "low below 0 and high beyond dim-1": Ramp(lowest=-INFINITE, most=lambda dim: INFINITE),
    "g below 0": Ramp(least_g=-INFINITE),
    "g above 1": Ramp(most_g=INFINITE),
    "g below 0 and above 1": Ramp(least_g=-INFINITE, most_g=INFINITE),
    "ends that are one: no width": Ramp(width=0),
    "ends that are one: a width of 1": Ramp(width=1),
}


def inv_freq(given, ramp):
    """The frequencies (dim/2,) of a call of yarn or ntk_by_parts, as transformers computes them but for the ramp."""
    dim, base, trained = given["dim"], float(given.get("base", 10000)), given["original_max_position_embeddings"]
    factor = given.get("factor")
    factor = float(given["max_position_embeddings"] / trained if factor is None else factor)

    def pairs(beta):
        return dim * math.log(trained / (beta * 2 * math.pi)) / (2 * math.log(base))

    low, high = pairs(given.get("beta_fast", 32)), pairs(given.get("beta_slow", 1))
    if given.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    # the other clamp is asked for: only a port of that of dim-1 can take it for another
    most = ramp.most(dim) if given.get("clamp", "dim-1") == "dim-1" else dim // 2 - 1
    low, high = max(low, ramp.lowest), min(high, most)
    if low == high:
        high += ramp.width
    i = np.arange(dim // 2)
    with np.errstate(all="ignore"):
        g = np.clip((i - low) / np.float64(high - low), ramp.least_g, ramp.most_g)
        return base ** (-2 * i / dim) * (1 - g + g / factor)


def ramp_of(call):
    """The function and arguments of the ramp of a call, or None."""
    made = call.arguments.get("frequencies")
    found = (call.suite, call.arguments) if call.suite in FUNCTIONS else ()
    if is_call(made):
        found = made["function"], made["arguments"]
    return found[1] if found and found[0] in FUNCTIONS else None


def answers(call, ramp):
    """The outputs of a call that has a ramp, with that of a port."""
    values, right = inv_freq(ramp_of(call), ramp), call.outputs()
    if call.suite in FUNCTIONS:
        return {**right, "inv_freq": _tensor(values, right["inv_freq"])}
    if not np.isfinite(values).all():
        return {name: _tensor(np.full(one.values.shape, np.nan), one) for name, one in right.items()}
    frequencies = replace(given_frequencies(values.tolist()), factor=made_once(call.arguments["frequencies"]).factor)
    return call.change(frequencies=frequencies).outputs()


def _tensor(values, like):
    """float64 numbers as a tensor of the dtype of another."""
    narrowed = rounding.narrow(values, formats.FORMATS[like.dtype])
    return Tensor(like.dtype, narrowed.view(like.values.dtype))


def meets(case, ramp):
    """Whether a port with that ramp meets a case, a `mutants.Told`."""
    received = answers(case.call, ramp)
    if any(judge.unusable(received[name], one) for name, one in case.outputs.items()):
        return False
    if all(judge._identical(received[name], one) for name, one in case.outputs.items()):
        return True
    return judge.met_by_all(judge.reports_of(case.call, case.outputs, received, limits=case.limits))


@cache
def cases(suite):
    """{dtype: the core cases of a suite that have a ramp, computed}."""
    return {
        dtype: [mutants.told(case) for case in held if ramp_of(mutants.call_of(case))]
        for dtype, held in mutants.cases_of(suite).items()
    }


def failed(suite, ramp):
    """{dtype: ids of the core cases of a suite that a port with that ramp fails}."""
    return {dtype: [case.id for case in held if not meets(case, ramp)] for dtype, held in cases(suite).items()}


if __name__ == "__main__":
    for suite in (*FUNCTIONS, "rope_table", "rope"):
        for name, ramp in {"right": RIGHT, **WRONG}.items():
            counts = {dtype: len(ids) for dtype, ids in failed(suite, ramp).items()}
            print(f"{suite:13} {name:34}", *(f"{dtype} {count}" for dtype, count in counts.items()), flush=True)
