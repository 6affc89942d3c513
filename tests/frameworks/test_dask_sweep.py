"""The sweep of exactness on two workers: it ends, counts what ran, and goes on from its journal."""

import argparse
import json
import runpy
import subprocess
import sys
from pathlib import Path

import refpos

SWEEP = Path(__file__).resolve().parents[1] / "sweep.py"
BATCHES = [["sinusoidal", "float32", 0], ["sincos_2d", "float32", 0]]


def swept(journal):
    """The last line of a sweep of two encodings in float32, and the batches of its journal."""
    command = [sys.executable, SWEEP, "--encodings", "sinusoidal", "sincos_2d", "--dtypes", "float32"]
    command += ["--elements", "1", "--dask", "2", "--journal", journal]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1], [
        json.loads(line) for line in journal.read_text().splitlines() if line[-1:] == "]"
    ]


def test_a_sweep_of_two_workers_ends_and_goes_on_from_its_journal(tmp_path):
    journal = tmp_path / "sweep.jsonl"
    closing, batches = swept(journal)
    # one batch of each: nothing is made that was not asked for
    assert [batch[2:5] for batch in batches] == BATCHES
    sizes = [batch[-1][0] for batch in batches]
    assert min(sizes) > 10**5 and closing.startswith(f"{sum(sizes)} elements in ")
    assert " 0 differ; " in closing and closing.endswith(" 0 wrong")
    # a batch that stands in the journal is not made again: one that is edited is believed; one cut short is made
    batches[0][-1][0] += 7
    journal.write_text("\n".join(map(json.dumps, batches))[:-9])
    again, _ = swept(journal)
    assert again == closing.replace(str(sum(sizes)), str(sum(sizes) + 7))


def test_a_journal_counts_for_the_same_kernels_and_whole_lines(tmp_path):
    sweep, journal = runpy.run_path(str(SWEEP)), tmp_path / "sweep.jsonl"
    lines = [json.dumps([refpos.__version__, alone, *BATCHES[0], 1, [5, 0, 3, 0, []]]) for alone in (False, True)]
    other = json.dumps(["0.0.0", False, *BATCHES[1], 1, [5, 0, 3, 0, []]])
    for written, alone, count in (
        (lines[0], False, 1), (lines[1], False, 0), (lines[1], True, 1), (lines[0][:-3], False, 0), (other, False, 0),
    ):  # fmt: skip
        journal.write_text(f"{written}\n")
        assert len(sweep["read_journal"](argparse.Namespace(journal=journal, alone=alone))) == count, written
    assert sweep["read_journal"](argparse.Namespace(journal=None, alone=False)) == {}


def test_the_batches_ahead_are_those_of_the_whole_sweep():
    sweep = runpy.run_path(str(SWEEP))
    options = argparse.Namespace(elements=2.5e6, dtypes=["float32", "float16"], encodings=["rope"], first=3, seed=1)
    assert sweep["planned"](options) == [("rope", name, k, 1) for name in options.dtypes for k in (3, 4)]
