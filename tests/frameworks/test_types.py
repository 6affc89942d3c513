"""What a type checker says of code that uses refpos: mypy accepts tests/typed_use.py and refuses what it must."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import refpos

HERE = Path(__file__).resolve().parent.parent
USE, MISUSE = HERE / "typed_use.py", HERE / "typed_misuse.py"
PACKAGE = Path(refpos.__file__).resolve().parent


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """[(file, line, code)] of every error that mypy reports in the two files."""
    folder = tmp_path_factory.mktemp("mypy")
    installed = "site-packages" in PACKAGE.parts  # there py.typed says it all; a source tree has to be named
    environment = {**os.environ, "MYPYPATH": "" if installed else str(PACKAGE.parent)}
    options = "--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir", str(folder / "cache")
    command = [sys.executable, "-m", "mypy", *options, str(USE), str(MISUSE)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and not done.stderr, done.stdout + done.stderr
    found = re.findall(r"^(.*?):(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    assert len(found) == done.stdout.count(" error: ")
    return [(Path(file).name, int(line), code) for file, line, code in found]


def marked(path):
    """{line: code} of the lines that say with what they are refused."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {number: line.partition("# refused: ")[2] for number, line in lines if "# refused: " in line}


def test_mypy_accepts_what_users_write(said):
    assert [error for error in said if error[0] == USE.name] == []
    assert len(USE.read_text().splitlines()) > 40 and marked(USE) == {}


def test_mypy_refuses_each_mistake(said):
    wanted = marked(MISUSE)
    assert {line: code for file, line, code in said if file == MISUSE.name} == wanted
    assert len(wanted) > 20 and set(wanted.values()) >= {"arg-type", "attr-defined", "call-arg"}
    statements = [line for line in MISUSE.read_text().splitlines() if re.match(r"\w+\.", line)]
    assert [line for line in statements if "# refused: " not in line] == []
