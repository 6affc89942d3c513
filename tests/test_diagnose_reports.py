"""The reports of `refpos diagnose`, written into files: what was computed, and where it differs."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import refpos
from refpos import cli

CALL = "rope_table(12, inverse_frequencies(8, base=500000))"


@pytest.fixture
def write(tmp_path):
    """A function that writes (cos, sin) and gives the paths of that file and of the reports, with their options."""

    def wrote(cos, sin):
        path = tmp_path / "answers.npz"
        np.savez(path, cos=cos, sin=sin)
        files = {name: tmp_path / f"report.{name}" for name in ("html", "junit", "markdown")}
        return str(path), files, [word for name, file in files.items() for word in (f"--{name}", str(file))]

    return wrote


def table(positions):
    return refpos.rope_table(positions, refpos.inverse_frequencies(8, base=500000), dtype="float32")


def test_each_report_names_the_mistake_and_the_place(write, capsys):
    path, files, options = write(*table(np.arange(12) + 1))
    assert cli.main(["diagnose", path, CALL, *options]) == 1
    capsys.readouterr()
    page = files["html"].read_text()
    assert "Your numbers are those of positions + 1 (asked: positions)." in page
    assert page.count("<img") == 2 and "largest error beyond what is allowed (the ring), at [" in page
    suite = ElementTree.parse(files["junit"]).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    assert all("the numbers of positions + 1" in "".join(case.itertext()) for case in suite.iter("testcase"))
    summary = files["markdown"].read_text()
    assert summary.startswith("## refpos diagnose: not passed") and "those of positions + 1" in summary
    assert "| `rope_table/cos` |" in summary and "| `rope_table/sin` |" in summary


def test_an_output_that_is_right_has_no_map(write, capsys):
    cos, sin = table(np.arange(12))
    path, files, options = write(cos, -sin)
    assert cli.main(["diagnose", path, CALL, *options]) == 1
    page = files["html"].read_text()
    assert page.count("<img") == 1 and "those of minus sin" in page and "1 of 2 outputs is wrong" in page
    capsys.readouterr()


def test_what_nothing_explains_is_said_to_be_unexplained(write, capsys):
    cos, sin = (np.random.default_rng(0).normal(size=part.shape).astype(part.dtype) for part in table(np.arange(12)))
    path, files, options = write(cos, sin)
    assert cli.main(["diagnose", path, CALL, *options]) == 1
    page = files["html"].read_text()
    assert "These are the numbers of no call that was tried." in page and "your numbers are" not in page.lower()
    capsys.readouterr()


def test_rows_that_are_all_0_are_said_to_be(write, capsys):
    cos, sin = (part.copy() for part in table(np.arange(12)))
    cos[9:] = 0
    path, files, options = write(cos, sin)
    assert cli.main(["diagnose", path, CALL, *options]) == 1
    page = files["html"].read_text()
    assert "those of rows 9..: cos: all numbers are 0" in page.replace("&#x27;", "'")
    assert "rows 9.. are all 0" in page and re.search("axis 0: 9 to 11, of 0 to 11", page)
    capsys.readouterr()


def test_right_numbers_pass(write, capsys):
    path, files, options = write(*table(np.arange(12)))
    assert cli.main(["diagnose", path, CALL, *options]) == 0
    assert "passed</span>" in files["html"].read_text() and "not passed" not in files["html"].read_text()
    assert ElementTree.parse(files["junit"]).getroot().get("failures") == "0"
    capsys.readouterr()


def test_what_cannot_be_used_is_written_into_each_report(write, tmp_path, capsys):
    path, files, options = write(*table(np.arange(12)))
    for file in files.values():
        file.write_text("of an earlier run")
    assert cli.main(["diagnose", path, "rope_table(12, pairing='half')", *options]) == 2
    said = capsys.readouterr().err
    assert "E_CHOICE" in said
    suite = ElementTree.parse(files["junit"]).getroot()
    assert suite.get("errors") == "1" and "not passed" in files["html"].read_text()
    for file in files.values():
        assert "E_CHOICE" in file.read_text().replace("\\", "") and "earlier run" not in file.read_text()
    assert cli.main(["diagnose", path, CALL, "--html", path]) == 2
    assert "a file of its own" in capsys.readouterr().err


def test_an_answer_of_another_shape_is_wrong_though_its_numbers_are_right(write, capsys):
    cos, sin = (np.concatenate([part, part], -1) for part in table(np.arange(12)))
    path, files, options = write(cos, sin)
    assert cli.main(["diagnose", path, CALL, *options]) == 1
    page = files["html"].read_text()
    assert "those of the table once for each half of the channels" in page and "2 of 2 outputs are wrong" in page
    capsys.readouterr()
