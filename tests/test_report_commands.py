"""The commands, the protocol and the steps of continuous integration that docs/reports.md shows are really run."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from refpos import golden
from refpos.golden.live import inline, question

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "reports.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the code of the page has run, beside the pages and a command `refpos`."""
    where = tmp_path_factory.mktemp("page")
    (where / "docs").symlink_to(ROOT / "docs")
    (where / "bin").mkdir()
    (where / "bin" / "refpos").write_text(f'#!/bin/sh\nexec {sys.executable} -m refpos "$@"\n')
    (where / "bin" / "refpos").chmod(0o755)
    (where / "bin" / "python").symlink_to(sys.executable)
    (where / "dump.py").write_text(blocks("python")[0])
    names, before = {}, Path.cwd()
    os.chdir(where)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(blocks("python")[0], names)
    finally:
        os.chdir(before)
    return where


def run(command, folder):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    package = os.pathsep.join(filter(None, (str(ROOT), *sys.path)))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": package, "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    return subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.exhaustive
def test_the_commands_of_the_page(folder):
    first, second = blocks("sh")
    done = run(first, folder)
    assert done.returncode == 1 and "3 cases: your numbers are those of emulate.bfloat16_inv_freq" in done.stdout
    page = (folder / "report.html").read_text()
    assert "3 cases: your numbers are those of emulate.bfloat16_inv_freq" in page
    assert "wrong at axis 0: 3 to 24, of 0 to 25; axis 1: 1 to 7, of 0 to 7" in page
    done = run(second, folder)
    assert done.returncode == 0 and "every case meets" in done.stdout, done.stderr


@pytest.mark.exhaustive
def test_the_steps_of_continuous_integration(folder):
    (text,) = blocks("yaml")
    steps = re.findall(r"^- run: (.*)$", text, re.MULTILINE)
    assert [run(step, folder).returncode for step in steps] == [0, 1]
    summary = (folder / "summary").read_text()
    assert summary.startswith("## refpos verify: not passed") and "inv\\_freq rounded to bfloat16" in summary
    assert (folder / "report.xml").read_text().count("<failure") == 3


def test_the_lines_of_the_protocol():
    asked, answered = map(json.loads, blocks("json"))
    held = golden.load(asked["id"])
    assert asked == question(held.entry, held.inputs)
    outputs = {name: inline(tensor) for name, tensor in held.outputs.items()}
    assert answered == {"id": asked["id"], "outputs": outputs}
