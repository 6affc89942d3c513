"""`python -m tests.bench.scatter`: gradients of learned tables beside np.add.at, as the table of docs/gradients.md.

Both make a fresh table and add to it. np.add.at adds vectors, or numbers with an index of their own; the faster of the
two counts. For 16 bits it adds in float32. Times are those of the processor, the least of some rounds in turns, which
other programs on the machine change less than those of the clock; both programs run in one thread.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import refpos
from refpos import kernels
from refpos.arithmetic import formats
from refpos.cli import measure
from refpos.kernels import numpy_kernels

from . import report

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gradients.md"
DTYPES = ("float64", "float32", "float16", "bfloat16")
ORDERS = ("random", "ascending", "equal", "zipf")
NUMBERS = 10**7
TABLES = {1: (2, 10, 1000, 10**5, 10**7), 3: (2, 1000, 10**5), 64: (2, 1000, 10**5), 768: (2, 1000, 10**4)}


class Work(NamedTuple):
    """Vectors (n, channels) that are added to rows of a table."""

    vectors: int
    channels: int
    table: int
    order: str

    @property
    def name(self):
        return f"{self.vectors} x {self.channels} to {self.table}, {self.order}"


def works(divide=1):
    """Every line, its numbers and its table divided by so much."""
    for channels, tables in TABLES.items():
        for table in tables:
            orders = ORDERS if channels == 1 else ORDERS[:1]
            for order in (*orders, "padding") if table == 1000 else orders:
                yield Work(max(16, NUMBERS // channels // divide), channels, max(2, table // divide), order)


def rows_of(work):
    """The row of each vector. zipf: heavy-tailed, a quarter of row 0; padding: half of row 0, which has no gradient."""
    rng = np.random.default_rng(1)
    if work.order == "equal":
        return np.full(work.vectors, work.table // 2, np.int64)
    if work.order == "zipf":
        return np.minimum(rng.zipf(1.3, work.vectors) - 1, work.table - 1)
    rows = rng.integers(0, work.table, work.vectors)
    if work.order == "padding":
        rows[rng.random(work.vectors) < 0.5] = 0
    return np.sort(rows) if work.order == "ascending" else rows


def calls_of(work, rows, values, dtype):
    """{name: call}, each of which returns the gradient; and a copy of the vectors."""
    wide = np.float64 if dtype == "float64" else np.float32
    given, added = values.astype(formats.array_dtype(formats.FORMATS[dtype])), values.astype(wide)
    weight, target = np.zeros((work.table, work.channels), given.dtype), np.empty_like(given)

    def finished(gradient):
        if work.order == "padding":
            gradient[0] = 0
        return gradient

    def own():
        return finished(refpos.vjp(refpos.learned, weight, rows, cotangent=given)["weight"])

    def vectors():
        made = np.zeros(weight.shape, wide)
        np.add.at(*((made[:, 0], rows, added[:, 0]) if work.channels == 1 else (made, rows, added)))
        return finished(made)

    def numbers():
        made, cells = np.zeros(weight.shape, wide), rows[:, None] * work.channels + np.arange(work.channels)
        np.add.at(made.reshape(-1), cells.reshape(-1), added.reshape(-1))
        return finished(made)

    others = {"np.add.at": vectors, "np.add.at, numbers": numbers}
    if work.channels == 1:
        del others["np.add.at, numbers"]
    copy = {"copy": lambda: np.copyto(target, given)}
    plain = {"NumPy kernels": partial(_with_numpy, own)} if dtype == "float64" else {}
    return {"refpos": own, **plain, **others, **copy}


def _with_numpy(call):
    compiled, kernels.active = kernels.active, numpy_kernels
    try:
        return call()
    finally:
        kernels.active = compiled


def times_of(calls, runs):
    """The least milliseconds of the processor for each call; one call before is not counted."""
    taken = {name: [] for name in calls}
    for turn in range(runs + 1):
        for name, call in calls.items():
            start = time.process_time_ns()
            call()
            if turn:
                taken[name].append((time.process_time_ns() - start) * 1e-6)
    return {name: min(times) for name, times in taken.items()}


def lines(divide, runs):
    """Cells of the table, work by work."""
    for work in works(divide):
        print(work.name, file=sys.stderr, flush=True)
        rows, values = rows_of(work), np.random.default_rng(2).standard_normal((work.vectors, work.channels))
        found = {dtype: times_of(calls_of(work, rows, values, dtype), runs) for dtype in DTYPES}
        least = {dtype: min(ms for name, ms in times.items() if "add.at" in name) for dtype, times in found.items()}
        first = found["float64"]
        yield (
            work.name,
            *(f"{first[name]:.1f}" for name in ("refpos", "copy")),
            f"{least['float64']:.1f}",
            *(f"{found[dtype]['refpos'] / least[dtype]:.2f}" for dtype in DTYPES),
            f"{first['NumPy kernels'] / least['float64']:.1f}",
        )


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scatter", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the numbers")
    parser.add_argument("--write", action="store_true", help="put the table into docs/gradients.md")
    options = parser.parse_args()
    machine, rows = measure.machine(), list(lines(100 if options.quick else 1, 4))
    head = "vectors, table, order", "refpos ms", "copy ms", "np.add.at ms", *DTYPES, "NumPy kernels"
    table = "\n".join([report.of_machine(machine), "", *report.table(head, rows)])
    print(table)
    if options.write:
        PAGE.write_text(report.into_page(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
