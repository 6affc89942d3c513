"""How many mistakes of programs `refpos.diagnose` names: `python tests/mistakes_named.py` asks it about all of
tests/mistakes, each in one format and length, and prints a table of the families; with --every in float32, bfloat16 and
float16, short and long. --write writes tests/data/mistakes.json and the table of docs/diagnose.md, --answers every
answer into a file, one JSON object a line."""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from mistakes import verdict
from mistakes.corpus import PLANTS, settings

import refpos

TESTS = Path(__file__).resolve().parent
PAGE, DATA = TESTS.parent / "docs" / "diagnose.md", TESTS / "data" / "mistakes.json"
COLUMNS = [*verdict.WRONG[:-1], *verdict.RIGHT]
KINDS = {"one": "one mistake", "pair": "two mistakes", "region": "one in a region", "right": "no mistake"}
FIELDS = ("plant", "family", "kind", "dtype", "long", "verdict")
START, END = "<!-- mistakes: written by tests/mistakes_named.py -->", "<!-- end of mistakes -->"


def same(first, second):
    """Whether two programs give the same bits, as where a format hides a mistake."""
    if isinstance(first, tuple):
        return all(same(*parts) for parts in zip(first, second, strict=True))
    return first.dtype == second.dtype and first.tobytes() == second.tobytes()


def ask(number, setting):
    """The answer about one plant in one setting, None where its mistake changes no bit."""
    plant = PLANTS[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the programs divide by zero and overflow as they please
        call, made = plant.ask(setting), plant.made(setting)
        if plant.kind != "right" and same(made, plant.plain(setting)):
            return None
    row = dict(plant=plant.name, family=plant.family, kind=plant.kind, dtype=setting.dtype, long=setting.long)
    row["call"], begin = str(call), time.perf_counter()
    try:
        found = refpos.diagnose(made, call.function, *call.args, **call.keywords)
        told = verdict.Told.of(found)
        row |= told._asdict() | {"verdict": verdict.of(plant, told), "answer": str(found)}
    except Exception as error:  # what a report must show, whatever it is
        row["verdict"], row["answer"] = "failed", f"{type(error).__name__}: {error}"
    row["seconds"] = round(time.perf_counter() - begin, 2)
    return row


def answers(chosen, jobs=1):
    """The answers about these plants and settings, in their order, as they come."""
    if jobs == 1:
        yield from (row for one in chosen if (row := ask(*one)) is not None)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from (row for row in pool.map(ask, *zip(*chosen, strict=True)) if row is not None)


def line(name, verdicts):
    """A row of the table."""
    counts = Counter(verdicts)
    return f"| {name} | {' | '.join(str(counts[column] or '') for column in COLUMNS)} |"


def table(found):
    """The counts of each family and kind of plants, as Markdown."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "| --- |" + " ---: |" * len(COLUMNS)]
    for key in ("family", "kind"):
        verdicts = defaultdict(list)
        for row in found:
            verdicts[row[key]].append(row["verdict"])
        lines += [line(KINDS.get(name, name), verdicts[name]) for name in verdicts]
    return "\n".join([*lines, line("all", [row["verdict"] for row in found])])


def stored():
    """The rows that the page was written from."""
    return [dict(zip(FIELDS, row, strict=True)) for row in json.loads(DATA.read_text())]


def page(text, found):
    """The page with the table of these rows between its marks."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n\n{table(found)}\n\n{END}{after}"


def merged(found):
    """The rows that are stored with these in place of those of the same families."""
    families = {row["family"] for row in found}
    new = {(row["plant"], row["dtype"], row["long"]): row for row in found}
    kept = [new.pop((row["plant"], row["dtype"], row["long"]), row) for row in stored()]
    return [*kept, *new.values()] if families < {row["family"] for row in kept} else found


def write(found):
    """The data and the page."""
    DATA.write_text("[\n" + ",\n".join(json.dumps([row[name] for name in FIELDS]) for row in found) + "\n]\n")
    PAGE.write_text(page(PAGE.read_text(), found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--every", action="store_true", help="all formats and lengths")
    parser.add_argument("--family", default="", help="a word of the families")
    parser.add_argument("--write", action="store_true", help="write the data and the page")
    parser.add_argument("--answers", type=Path, help="a file for all answers")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    if given.write and given.every:
        parser.error("--write is for a run in the formats of their turn")
    numbers = [number for number, plant in enumerate(PLANTS) if given.family in plant.family]
    found, chosen = [], [(number, one) for number in numbers for one in settings(number, given.every)]
    with open(given.answers or os.devnull, "w") as kept:
        for row in answers(chosen, given.jobs):
            found.append(row)
            print(json.dumps(row), file=kept, flush=True)
    print(table(found))
    slowest = sorted(found, key=lambda row: -row["seconds"])[:10]
    print("slowest:", *(f"{row['seconds']} s {row['plant']} {row['dtype']}" for row in slowest), sep="\n  ")
    if given.write:
        write(merged(found))


if __name__ == "__main__":
    main()
