"""`python -m tests.bench`: refpos and its peers in one table."""

import argparse
import sys
from pathlib import Path

from refpos.cli import measure

from . import report, run

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
    options = parser.parse_args()
    if options.catalogue:
        return of_catalogue(options)
    divide, runs = options.divide or (64 if options.quick else 1), options.runs or (3 if options.quick else 9)
    modules, absent = run.load(options.peer or run.LIBRARIES)
    machine = measure.machine()  # before: a run makes the machine busy
    lines = list(run.lines(modules, divide, runs, options.work, absent))
    table = "\n".join(report.described(machine, run.versions(modules), absent, lines, runs))
    print(table)
    if options.write:
        PAGE.write_text(report.into_page(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")


def of_catalogue(options):
    """Print the table of all functions, or of those named by --work, and write it into the page."""
    from . import catalogue  # which needs what the tests need

    machine = measure.machine()
    names = options.work or sorted(catalogue.catalogue.ENTRIES)
    found = list(catalogue.rows(options.runs or 5, names))
    table = "\n".join([report.of_machine(machine), "", *catalogue.described(found, names)])
    print(table)
    if options.write:
        PAGE.write_text(report.into_page(PAGE.read_text(encoding="utf-8"), table, "catalogue"), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
