"""The orders of docs/orders as programs: read, run in plain Python, and compared by tests/test_orders.py.

Nothing here imports the package under test.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from witness import suites
from witness.digits import SHAPES, round_fraction

from . import arguments, reading, running

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs" / "orders"
FUNCTIONS = "functions"

__all__ = ["FOLDER", "FUNCTIONS", "names", "outputs", "program"]


def names():
    """The functions that have an order."""
    return sorted(path.stem for path in FOLDER.glob("*.txt") if path.stem != FUNCTIONS)


@cache
def program(name):
    """The lines of an order behind the definitions that all share."""
    return [line for one in (FUNCTIONS, name) for line in reading.read((FOLDER / f"{one}.txt").read_text("utf-8"))]


def outputs(lines, suite, case, inputs, held, run=running.Run):
    """{output: bit patterns} of a golden case as the order computes them. inputs: {name: (dtype, values)}; held: {name:
    (dtype, shape)} of the outputs."""
    given = {name: suites.number(value) for name, value in case.items() if name not in ("dtype", "frequencies")}
    given["dtypes"] = {name: kind for name, (kind, _) in inputs.items()}
    given.update({name: suites.widened(kind, values) for name, (kind, values) in inputs.items()})
    lead, at, sizes = arguments.inputs_of(lines, suite, given)
    made = [run(lines, at(place), sizes).arrays for place in np.ndindex(lead)]
    found = {}
    for name, (dtype, shape) in held.items():
        parts = [list(one[name].values()) if isinstance(one[name], dict) else [one[name]] for one in made]
        found[name] = patterns([value for part in parts for value in part], shape, dtype)
    return found


def patterns(values, shape, dtype):
    """Bit patterns of numbers rounded once to the dtype, doubles and exact ones."""
    if any(isinstance(value, Fraction) for value in values):
        made = [round_fraction(Fraction(value), dtype) for value in values]
        return np.array(made, f"u{SHAPES[dtype][3] // 8}").reshape(shape)
    return suites.of_doubles([float(value) for value in values], shape, dtype)
