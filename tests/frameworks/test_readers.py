"""The readers of the corpus in C++, Rust and JavaScript; a compiler that is absent is a failure."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import readers

from refpos import golden
from refpos.golden.read import DATA

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "readers.md").read_text()


@pytest.mark.parametrize("language", [name for name in readers.READERS if name != "c"])
def test_the_reader(language, tmp_path):
    command = readers.build(language, tmp_path)
    readers.assert_reads(command, DATA, readers.SUITES)
    readers.assert_notices(command, DATA, tmp_path)


@pytest.mark.parametrize("language", [name for name in readers.LIBRARIES if name != "c"])
def test_the_reader_as_a_library(language, tmp_path):
    readers.assert_copies(readers.build_library(language, tmp_path), DATA, tmp_path)


def test_a_tool_that_is_absent_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="rustc must be installed"):
        readers.build("rust", tmp_path)


def test_the_commands_of_the_page(tmp_path):
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "refpos").write_text(f'#!/bin/sh\nexec {sys.executable} -m refpos "$@"\n')
    (tmp_path / "refpos").chmod(0o755)
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-euc", commands], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (line,) = set(re.findall(r"^\d+ tensors agree, .*$", done.stdout, re.MULTILINE))
    assert done.stdout.count(line) == 4 and int(line.split()[0]) > 300 and " 0 differ, " in line


def test_the_program_of_the_page(tmp_path):
    (program,) = re.findall(r"^```c\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (tmp_path / "main.c").write_text(program)
    count = golden.export(tmp_path, format="c", suites="inverse_frequencies")
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "main", "main.c"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == count > 20


def test_the_module_of_the_page(tmp_path):
    (program,) = re.findall(r"^```js\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (tmp_path / "reader.mjs").write_bytes((readers.FOLDER / "reader.mjs").read_bytes())
    (tmp_path / "port.mjs").write_text(program)
    (tmp_path / "golden").symlink_to(DATA)
    subprocess.run(["node", "port.mjs"], cwd=tmp_path, check=True)
    answers = tmp_path / "answers.safetensors"
    assert golden.verify(answers, suites="alibi_slopes", only_answered=True, conformance="correct").exit_code == 0
