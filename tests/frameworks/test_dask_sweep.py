"""The sweep of exactness on two workers: it ends, counts what ran, and goes on from its journal."""

import json
import subprocess
import sys
from pathlib import Path

SWEEP = Path(__file__).resolve().parents[1] / "sweep.py"


def swept(*arguments):
    """The last line of a sweep of two encodings in float32, and how many batches its journal holds."""
    journal = Path(arguments[-1])
    command = [sys.executable, SWEEP, "--encodings", "alibi", "sinusoidal", "--dtypes", "float32", "--elements", "1"]
    done = subprocess.run([*map(str, (*command, "--dask", 2, *arguments))], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1], [line for line in journal.read_text().splitlines() if line[-1:] == "]"]


def test_a_sweep_of_two_workers_ends_and_goes_on_from_its_journal(tmp_path):
    closing, lines = swept("--journal", tmp_path / "sweep.jsonl")
    assert " 0 differ; " in closing and closing.endswith(" 0 wrong")
    # one batch of each: nothing is made that was not asked for
    assert [json.loads(line)[2:5] for line in lines] == [["alibi", "float32", 0], ["sinusoidal", "float32", 0]]
    sizes = [json.loads(line)[-1][0] for line in lines]
    assert min(sizes) > 10**6 - 10**5 and closing.startswith(f"{sum(sizes)} elements in ")
    # a batch that stands in the journal is not made again: one that is edited is believed
    edited = json.loads(lines[0])
    edited[-1][0] += 7
    (tmp_path / "sweep.jsonl").write_text(json.dumps(edited) + "\n" + lines[1][:-9])
    again, more = swept("--journal", tmp_path / "sweep.jsonl")
    assert again.startswith(f"{sum(sizes) + 7} elements in ") and len(more) == 2
    # what NumPy's kernels alone were held against says nothing of the compiled ones
    alone, most = swept("--alone", "--journal", tmp_path / "sweep.jsonl")
    assert alone.startswith(f"{sum(sizes)} elements in 1 accounts") and len(most) == 4
