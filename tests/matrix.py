"""The Pythons and systems that refpos is checked with, from .github/matrix.json, for the workflows and .ci/run.

    python tests/matrix.py tests      the rows of the job that tests, as JSON: each Python on the first system, the
                                      oldest and the newest on the others
    python tests/matrix.py systems    the systems, as JSON: wheels are built on each
    python tests/matrix.py built      python:numpy of those for which the gate builds refpos
    python tests/matrix.py wheel      those that get the wheel that another Python built

In the file, `gate` says what .ci/run does with a Python: "all" its tests too, "built" the corpus after a build, "wheel"
the corpus with a wheel that another built. A system that is not `required` may fail: refpos has not been seen to pass
its tests there (docs/platforms.md).
"""

import json
import sys
from pathlib import Path

MATRIX = Path(__file__).resolve().parent.parent / ".github" / "matrix.json"
GATES = ("all", "built", "wheel")


def read():
    """The file, which must have a row of each kind."""
    matrix = json.loads(MATRIX.read_text())
    assert {row["gate"] for row in matrix["pythons"]} == {*GATES} and matrix["systems"][0]["required"]
    return matrix


def rows(matrix):
    """What the job that tests runs with."""
    pythons, (first, *others) = matrix["pythons"], matrix["systems"]
    pairs = [(python, first) for python in pythons]
    pairs += [(python, system) for system in others for python in (pythons[0], pythons[-1])]
    return [{"python": python["python"], "numpy": python["numpy"], **system} for python, system in pairs]


def of_gate(matrix, gate):
    """python:numpy of the Pythons with which .ci/run does that."""
    return [f"{row['python']}:{row['numpy']}" for row in matrix["pythons"] if row["gate"] == gate]


def main(asked):
    """What the words ask for, on standard output; a status for the shell."""
    matrix = read()
    if asked == "tests":
        print(json.dumps(rows(matrix)))
    elif asked == "systems":
        print(json.dumps(matrix["systems"]))
    elif asked in GATES:
        print("\n".join(of_gate(matrix, asked)))
    else:
        print(f"one of tests, systems, {', '.join(GATES)} must be asked for, got {asked!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else None))
