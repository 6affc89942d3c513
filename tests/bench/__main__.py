"""`python -m tests.bench`: refpos and its peers in one table."""

import argparse
import sys
from pathlib import Path

from refpos.cli import measure

from . import report, run, small

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="refpos and its peers in one table.")
    parser.add_argument("--quick", action="store_true", help="small shapes and three rounds")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--work", metavar="NAME", action="append", help="only this encoding (repeatable)")
    parser.add_argument("--peer", choices=run.LIBRARIES, action="append", help="only this library (repeatable)")
    parser.add_argument("--runs", metavar="N", type=int, help="rounds (default: 9, or 3 with --quick)")
    parser.add_argument("--divide", metavar="N", type=int, help="divide the longest axes (default: 1, or 64)")
    parser.add_argument("--catalogue", action="store_true", help="every function beside its plain NumPy program")
    parser.add_argument("--small", action="store_true", help="small calls, directly and by refpos.plan")
    options = parser.parse_args()
    if options.small:
        return of_small_calls(options)
    if options.catalogue:
        return of_catalogue(options)
    divide, runs = options.divide or (64 if options.quick else 1), options.runs or (3 if options.quick else 9)
    modules, absent = run.load(options.peer or run.LIBRARIES)
    machine = measure.machine()  # before: a run makes the machine busy
    lines = list(run.lines(modules, divide, runs, options.work, absent))
    show("\n".join(report.described(machine, run.versions(modules), absent, lines, runs)), options)


def show(table, options, mark="measured"):
    """Print a table, and write it into the page where that is asked for."""
    print(table)
    if options.write:
        PAGE.write_text(report.into_page(PAGE.read_text(encoding="utf-8"), table, mark), encoding="utf-8")


def of_small_calls(options):
    """The table of small calls."""
    machine = measure.machine()
    rows = report.table(small.HEAD, small.rows(options.runs or 9))
    show("\n".join([report.of_machine(machine), "", *rows]), options, "small")


def of_catalogue(options):
    """The table of all functions, or of those named by --work."""
    from . import catalogue  # which needs what the tests need

    machine = measure.machine()
    names = options.work or sorted(catalogue.catalogue.ENTRIES)
    found = list(catalogue.rows(options.runs or 5, names))
    show("\n".join([report.of_machine(machine), "", *catalogue.described(found, names)]), options, "catalogue")


if __name__ == "__main__":
    sys.exit(main())
