"""Certificates of all functions that are rounded once: proved by both programs, refused where a bit is flipped.

`python tests/test_certificates_of_all.py` writes the tables of docs/certificates.md.
"""

import itertools
import json
import math
import random
import re
import tempfile
from collections import Counter, deque

import pytest
from coverage_lists import LISTS
from test_certificates import (
    CHECKERS,
    CORPUS,
    ROOT,
    checker,
    flipped,
    in_c,
    is_true,
    last_line,
    run,
    sealed,
)

from refpos import catalogue

__all__ = ["checker", "in_c"]  # fixtures
PAGE = ROOT / "docs" / "certificates.md"
COVERED, WITHOUT, REASONS = "not covered", "why there are none", "why values have no certificate"


@pytest.fixture(scope="module")
def whole(checker, tmp_path_factory):
    """Certificates of all functions."""
    made = tmp_path_factory.mktemp("whole")
    assert checker.main([str(CORPUS), str(made), "--write"]) == 0
    return made


@pytest.mark.exhaustive
def test_both_prove_the_whole_core_corpus(checker, whole, in_c, capsys):
    capsys.readouterr()
    assert checker.main([str(CORPUS), str(whole)]) == 0
    said = capsys.readouterr().out
    proved = run(in_c, *sorted(whole.iterdir()))
    assert proved.returncode == 0, proved.stdout + proved.stderr
    assert last_line(said) == last_line(proved.stdout)
    assert f"\n{table_of(said)}\n" in PAGE.read_text(), "run: python tests/test_certificates_of_all.py"
    reasons = {reason for reason, _ in rows_of(REASONS)}
    assert set(re.findall(r"not covered: (.*)", said)) == reasons, "each has a row in the page"


def table_of(said):
    """The table of docs/certificates.md, of what the checker in Python prints."""
    rows, lines = [f"| function | values proved | {COVERED} |", "| --- | --- | --- |"], said.splitlines()
    for k, line in enumerate(lines[:-1]):
        if line.startswith(" "):
            continue
        left = [one.strip() for one in itertools.takewhile(lambda one: one.startswith(" "), lines[k + 1 :])]
        name, counts = line.split(": ")
        reasons = "; ".join(one.replace(" not covered:", ",") for one in left)
        rows.append(f"| `{name}` | {counts.removesuffix(' values proved')} | {reasons} |")
    return "\n".join([*rows, "", last_line(said) + "."])


# -- what has no certificate ------------------------------------------------------------------------------------------


def rows_of(heading):
    """The cells of the rows of the table of the page whose last column has that heading."""
    lines = PAGE.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.endswith(f"| {heading} |")) + 2
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip().strip("`") for cell in line[1:-1].split("|")] for line in rows]


def rounded_values(suite):
    """How many golden values of a suite are rounded numbers: float formats, and 8 bits, which are held as int64."""
    count = 0
    for case in json.loads((CORPUS / f"{suite}.json").read_text())["cases"]:
        for tensor in case.get("outputs", {}).values():
            if tensor["dtype"] != "int64" or case["arguments"].get("dtype", "").startswith("float8"):
                count += len(tensor["sample"]["bits"]) if "sample" in tensor else math.prod(tensor["shape"])
    return count


def functions_without(suites):
    """{function that is rounded once or copies, and is not among the suites: its golden values}"""
    entries = [one for entry in catalogue.ENTRIES.values() for one in (entry, entry.vjp) if one]
    names = {entry.name for entry in entries if entry.contract in ("once", "copied")} - set(suites)
    return {name: count for name in sorted(names) if (count := rounded_values(name))}


def test_each_function_that_is_rounded_once_has_certificates_or_a_reason(checker):
    """A function that surveys call core needs certificates; any other may have a row in the page instead."""
    rows = rows_of(WITHOUT)
    assert {name: int(count) for name, count, _ in rows} == functions_without(checker.SUITES)
    assert all(len(reason) > 20 for _, _, reason in rows)
    core = {name for *_, listed in LISTS for one in listed if one.tag == "C" for name in one.names.split()}
    assert "calendar_features" in core and not core & {name for name, _, _ in rows}


def test_the_table_has_a_row_for_each_function_with_certificates_and_for_each_reason(checker):
    rows = rows_of(COVERED)
    assert [name for name, *_ in rows] == checker.SUITES
    named = {reason.partition(", ")[2] for *_, left in rows for reason in left.split("; ") if left}
    assert named == {reason for reason, _ in rows_of(REASONS)}
    for _, counts, left in rows:
        proved, total = map(int, counts.split(" of "))
        assert total - proved == sum(int(one.partition(",")[0]) for one in left.split("; ") if left)


# -- flipped bits -----------------------------------------------------------------------------------------------------


def proofs_of(checker, suite, rng):
    """(name, dtype, bits, claims) of at most 20 values of a random case of a suite."""
    cases, payload = checker.read_suite(CORPUS, suite)
    rng.shuffle(cases)
    outputs = (one for case in cases for one in checker.outputs_of(suite, [case], payload))
    name, dtype, bits, (thetas, factor, claims), _ = next(one for one in outputs if one[2])
    start = rng.randrange(len(bits))
    return name, dtype, bits[start : start + 20], (thetas, factor, claims[start : start + 20])


def refused(checker, lines, *proof):
    try:
        checker.checked(deque(lines), *proof, Counter())
    except (checker.Refused, checker.Uncovered):
        return True
    return False


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(10))
def test_flipped_bits_of_values_of_all_functions_are_refused(checker, in_c, tmp_path, part):
    """One bit of a golden value, in corpus and certificate, under a right hash: the arithmetic refuses each."""
    rng, path = random.Random(part), tmp_path / "flipped.txt"
    for suite in suites_of(checker, part):
        name, dtype, bits, found = proofs_of(checker, suite, rng)
        lines, head = checker.written(name, dtype, bits, found, Counter()), f"refpos claims 1 {suite}"
        assert not refused(checker, lines, name, dtype, bits, found)
        path.write_text(sealed(checker, "\n".join([head, *lines, ""])))
        assert run(in_c, path).returncode == 0, name
        k, width = rng.randrange(len(bits)), sum(checker.FORMATS[dtype])
        other = bits[k] ^ 1 << rng.randrange(width)
        line = len(lines) - len(bits) + k
        lines[line] = lines[line].replace(f"v {bits[k]:0{width // 4}x} ", f"v {other:0{width // 4}x} ")
        assert refused(checker, lines, name, dtype, [*bits[:k], other, *bits[k + 1 :]], found), lines[line]
        path.write_text(sealed(checker, "\n".join([head, *lines, ""])))
        assert run(in_c, path).returncode in (1, 2), lines[line]


def suites_of(checker, part):
    """20 functions of a part of ten: each function is in one at least."""
    return [checker.SUITES[(part * 20 + k) % len(checker.SUITES)] for k in range(20)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(10))
def test_flipped_bits_of_certificates_of_all_functions_are_refused(checker, in_c, tmp_path, part):
    """Of stored bits, digits, formulas and lines before the values. The Python program refuses all. The C program may
    prove a file with another formula or line that says something true: the arithmetic in Python proves it too."""
    rng, path = random.Random(100 + part), tmp_path / "flipped.txt"
    for turn, suite in enumerate(suites_of(checker, part)):
        proof = proofs_of(checker, suite, rng)
        lines, place = checker.written(*proof, Counter()), (turn + part) % 4
        k = rng.randrange(len(lines) - len(proof[2])) if place == 3 else -1 - rng.randrange(len(proof[2]))
        words = [lines[k]] if place == 3 else lines[k].split(" ", 3)
        words[(place + 1) % 4] = flipped(rng, words[(place + 1) % 4])
        lines[k] = " ".join(words)
        assert refused(checker, lines, *proof), lines[k]
        path.write_text(sealed(checker, "\n".join([f"refpos claims 1 {suite}", *lines, ""])))
        code = run(in_c, path).returncode
        if code == 0 and place in (2, 3):
            prove_lines(checker, lines)
        else:
            assert code in (1, 2), lines[k]


def prove_lines(checker, lines):
    """Fail unless the arithmetic of the Python program proves each value of a certificate with a changed line."""
    factor, numbers = None, []
    for line in lines[1:]:
        kind, rest = line[0], line[2:]
        if kind == "f":
            factor = line
        elif kind == "t":
            numbers.append(line)
        else:
            assert kind == "v", line
            is_true(checker, ["", lines[0], *numbers, factor], rest.split(" ", 2))


if __name__ == "__main__":
    import contextlib
    import io
    import sys

    sys.path.insert(0, str(CHECKERS))
    import check

    with tempfile.TemporaryDirectory() as made:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert check.main([str(CORPUS), made, "--write"]) == 0
        said = said.getvalue().replace(" written", " proved")
    begin, end = f"| function | values proved | {COVERED} |", " values proved."
    head, rest = PAGE.read_text().split(begin)
    PAGE.write_text(head + table_of(said) + rest.partition(end)[2])
