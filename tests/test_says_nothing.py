"""Of a case that passes, every report counts the elements of which the class that it meets says nothing."""

import json
import re
import textwrap
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from test_power import TOLD, float32_table

import refpos
from refpos import cli, golden, reports, testing
from refpos.testing import noticing

pytest_plugins = ["pytester"]
COUNTED = {case.id: None for case in golden.cases("rope_table", tier="core") if "/telling-" in case.id}
SAID = "says nothing of {} of {} elements"


@pytest.fixture(scope="module")
def result():
    """Float32 tables at positions that are too far for float32, held against cases of every dtype."""
    answers = {f"{id}/{name}": values for id in COUNTED for name, values in float32_table(id).items()}
    found = golden.verify(answers, cases=list(COUNTED))
    assert found and len(found.partial) > 10 and found.partial == found.of("met")
    return found


@pytest.fixture(scope="module")
def counts(result):
    """{case: (elements of which nothing is said, elements)}, as the golden document has them."""
    found = {}
    for finding in result.partial:
        entry = golden.load(finding.id).entry
        size = sum(int(np.prod(one["shape"])) for one in entry["outputs"].values())
        found[finding.id] = size - sum(entry["resolved"][finding.met].values()), size
    return found


def totals(counts):
    return tuple(map(sum, zip(*counts.values(), strict=True)))


def test_the_result_counts_each_case(result, counts):
    assert {finding.id: finding.silent for finding in result.partial} == counts
    told = result.to_json()
    silent, elements = totals(counts)
    assert told["partial"] == {"cases": len(counts), "silent": silent, "elements": elements}
    assert {one["id"]: (one["silent"], one["elements"]) for one in told["findings"]} == counts


def test_the_text_of_a_result_says_the_sum_and_the_first_cases(result, counts):
    lines = str(result).splitlines()
    (at,) = [k for k, line in enumerate(lines) if SAID.format(*totals(counts)) in line]
    assert lines[at].startswith(f"{len(counts)} cases pass ")
    first = next(iter(counts))
    assert lines[at + 1] == f"{first}: met float32-angle ({SAID.format(*counts[first])})"
    assert any(line.startswith("... and ") and "to_json" in line for line in lines)
    alone = golden.verify({TOLD: float32_table(TOLD)}, cases=[TOLD])
    assert "cases pass" not in str(alone) and f"{TOLD}: met" in str(alone)


def test_the_command_says_the_sum_and_the_first_cases(result, counts, tmp_path, capsys):
    answers = {f"{id}/{name}": values for id in counts for name, values in float32_table(id).items()}
    np.savez(tmp_path / "a.npz", **answers)
    words = [word for id in counts for word in ("--case", id)]
    assert cli.main(["verify", str(tmp_path / "a.npz"), *words]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{len(counts)} cases pass " in out and SAID.format(*totals(counts)) in out
    named = re.findall(
        r"(rope_table/telling-[\w-]+)(?:: met float32-angle)? \((?:says nothing of )?(\d+) of (\d+)", out
    )
    assert len(named) > 5 and all(counts[id] == (int(n), int(m)) for id, n, m in named)


def test_junit_counts_each_case(result, counts):
    root = ElementTree.fromstring(reports.WRITERS["junit"](reports.of_result(result)))
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert set(cases) == set(counts)
    for id, case in cases.items():
        assert [child.tag for child in case] == ["system-out"]
        assert SAID.format(*counts[id]) in case.find("system-out").text


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_markdown_and_html_count_each_case(kind, result, counts):
    text = reports.WRITERS[kind](reports.of_result(result))
    assert SAID.format(*totals(counts)) in text and f"{len(counts)} cases pass" in text
    lines = text.replace("<tr>", "\n<tr>").splitlines()
    for id, (silent, elements) in counts.items():
        (line,) = [line for line in lines if re.search(rf"{id}\b(?!-)", line)]
        assert f"{silent} of {elements}" in line


@pytest.mark.exhaustive
def test_no_report_leaves_a_case_out():
    """Lists of what is wrong are cut short; this one is not."""
    items = tuple(
        reports.Item("rope", f"rope/{k}", "passed", "meets faithful (says nothing of 1 of 9 elements)", silent=(1, 9))
        for k in range(300)
    )
    outcome = reports.Outcome("verify", "x", "fine", True, items)
    for kind, writer in reports.WRITERS.items():
        assert all(re.search(rf"rope/{k}\b", writer(outcome)) for k in range(300)), kind
    clean = outcome._replace(items=(reports.Item("rope", "rope/a", "passed", "meets correct"),))
    assert all("nothing" not in writer(clean) for writer in reports.WRITERS.values())


def test_other_commands_count_too(tmp_path):
    positions = golden.load(TOLD).inputs["positions"].values
    np.savez(tmp_path / "a.npz", **float32_table(TOLD))
    np.save(tmp_path / "p.npy", positions)
    entry = golden.load(TOLD).entry["arguments"]["frequencies"]["arguments"]
    call = f"rope_table(p, inverse_frequencies({entry['dim']}, base={entry['base']}))"
    words = ["--arrays", f"p={tmp_path / 'p.npy'}", "--junit", str(tmp_path / "x.xml")]
    assert cli.main(["diagnose", str(tmp_path / "a.npz"), call, *words]) == 0
    said = [one.text for one in ElementTree.parse(tmp_path / "x.xml").iter("system-out")]
    assert said and all(re.search(r"says nothing of \d+ of \d+ elements", text) for text in said)


# -- in tests ---------------------------------------------------------------------------------------------------------


def test_a_check_that_passes_has_the_counts():
    case = testing.cases(TOLD)[0]
    with noticing.noticed() as heard:
        met = case.check(float32_table(TOLD))
    assert met == "float32-angle" and (met.silent, met.elements) == (22, 208)
    assert (heard[0].silent, heard[0].elements) == (22, 208)
    exact = case.check(refpos.rope_table(**case.arguments))
    assert exact == "correct" and (exact.silent, exact.elements) == (0, 208)


def test_a_comparison_with_a_call_has_the_counts():
    mine = np.float32([[1, 0], [0.5403023, 0.84147096]])
    met = testing.assert_matches(mine, refpos.rope, np.float32([[1, 0]] * 2), 2, pairing="half")
    assert met == "correct" and (met.silent, met.elements) == (0, 4)
    far = testing.assert_matches(np.zeros((3, 8)), refpos.sinusoidal, np.array([1e300, 2e300, 3e300]), 8)
    assert not far and (far.silent, far.elements) == (24, 24)


PORT = """
    import numpy as np, pytest
    from test_power import float32_table
    from refpos import testing

    @pytest.mark.parametrize("case", testing.cases("rope_table/telling-*"))
    def test_table(case):
        assert case.arguments["positions"].size
        case.check(float32_table(case.id))
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [(), ("-p", "xdist.plugin", "-n2")], ids=["alone", "xdist"])
def test_the_plugin_says_the_sum_and_writes_each_case(options, counts, pytester, monkeypatch):
    (pytester.path / "test_port.py").write_text(textwrap.dedent(PORT))
    tests = str(pytester.path.__class__(__file__).parent)
    root = str(pytester.path.__class__(refpos.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", f"{root}:{tests}")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    record = ("--refpos-record=r.json", "--refpos-write-record")
    done = pytester.runpytest_subprocess("-p", "refpos.pytest_plugin", "--junitxml=x.xml", *record, *options)
    text = " ".join(str(done.stdout).split())
    assert done.ret == 0, text
    assert f"refpos: {len(counts)} comparisons pass " in text and SAID.format(*totals(counts)) in text
    written = {}
    for case in ElementTree.parse(pytester.path / "x.xml").iter("testcase"):
        for one in case.iter("property"):
            if one.get("name").startswith("refpos says nothing: "):
                written[one.get("name").partition(": ")[2]] = one.get("value")
    assert written == {id: f"{n} of {m} elements" for id, (n, m) in counts.items()}
    assert set(json.loads((pytester.path / "r.json").read_text()))
