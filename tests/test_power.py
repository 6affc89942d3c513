"""Resolving power: a class whose bounds would admit a wrong tensor is not met, wherever numbers are judged, and the
documents say of how many elements each bound says something."""

import json
import math
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache

import numpy as np
import pytest
import wrong_answers
from tiers import sampled

import refpos
from refpos import cli, golden
from refpos.conformance import CLASSES, bounds
from refpos.diagnosis import judge
from refpos.golden import run
from refpos.golden.bounds import bounds_of
from refpos.golden.read import DATA, open_suite, read_lock
from refpos.golden.verify import judged

LOCK = read_lock()  # with it documents are read and not checked again
pytest_plugins = ["pytester"]

HUGE = "sinusoidal/huge-f64"  # positions up to 1e308: bounds of float32-angle are 2
TOLD = "rope_table/telling-100-f64"  # and here some are below 1
ZEROS = np.zeros((3, 8))
SMALL = 64  # elements of a case of the fast tier
EACH = 1  # case of each suite, beside those of which some elements are not resolved


@cache
def positions():
    return golden.load(HUGE).inputs["positions"].values


def float32_table(id):
    """cos and sin of a case as float32 code computes them."""
    case = golden.load(id)
    base, dim = (case.entry["arguments"]["frequencies"]["arguments"][name] for name in ("base", "dim"))
    inv_freq = 1 / np.float32(base) ** (np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))
    angles = case.inputs["positions"].values.astype(np.float32)[:, None] * inv_freq
    return {"cos": np.cos(angles).astype(np.float64), "sin": np.sin(angles).astype(np.float64)}


# -- every door -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [ZEROS, ZEROS + 1, np.full((3, 8), -0.5)], ids=["zeros", "ones", "halves"])
def test_what_excludes_nothing_is_not_met(answer):
    result = golden.verify({f"{HUGE}/output": answer}, cases=[HUGE])
    assert not result and (result.exit_code, result.ran, result.met, result.counts) == (2, 1, None, {})
    (finding,) = result.of("untold")
    assert (finding.met, finding.classes, finding.silent) == (None, (), (24, 24))
    assert "output meets float32-angle, whose bounds would admit wrong numbers as well" in finding.sentence
    assert "not passed: 1 cannot be told; nothing was excluded" in str(result)
    told = result.to_json()
    assert (told["passed"], told["untold"], told["met"], told["findings"][0]["silent"]) == (False, 1, 0, 24)


def test_what_cannot_be_told_fails_no_port():
    answers = {HUGE: np.sin(np.arange(24.0)).reshape(3, 8), TOLD: float32_table(TOLD)}
    result = golden.verify(answers, cases=list(answers))
    assert result and (result.exit_code, result.met) == (0, "float32-angle"), str(result)
    assert f"cannot be told {HUGE}" in str(result)
    assert f"{TOLD}: met float32-angle (says nothing of 22 of 208 elements)" in str(result)
    assert str(result).endswith("passed: every case that can be told meets float32-angle; 1 case cannot be told")
    assert golden.verify({HUGE: refpos.sinusoidal(positions(), 8)}, cases=[HUGE]).met == "correct"


@pytest.mark.filterwarnings("error")  # positions near the largest number, doubled
def test_a_wrong_number_beside_it_is_wrong():
    answers = {HUGE: ZEROS, TOLD: {"cos": np.zeros((26, 4)), "sin": np.zeros((26, 4))}}
    assert golden.verify(answers, cases=list(answers)).exit_code == 1
    beyond = golden.verify({HUGE: ZEROS + 3}, cases=[HUGE])
    assert beyond.exit_code == 1 and beyond.of("differs")


@pytest.mark.parametrize(
    "kind, state", [("correct", "differs"), ("float64-angle", "differs"), ("bfloat16-table", "untold")]
)
def test_a_class_that_was_asked_for_must_exclude_something(kind, state):
    result = golden.verify({HUGE: ZEROS}, cases=[HUGE], conformance=kind)
    assert not result and result.findings[0].state == state


def test_one_output_that_is_told_does_not_vouch_for_another():
    report = refpos.compare(np.float32([1]), np.float32([1]))
    limits = {"float32-angle": np.full(2, 2.0)}
    silent = refpos.compare(np.float32([0.5, 0.5]), np.float32([1, -1]), bounds=limits, conformance="float32-angle")
    met = {"correct": False, "float32-angle": True}
    found = judged({"id": "x", "flags": ()}, {"cos": ({**met, "correct": True}, report), "sin": (met, silent)}, None)
    assert not silent and (silent.met, silent.untold, silent.silent) == (None, "float32-angle", 2)
    assert found.state == "untold" and found.sentence.startswith("sin meets float32-angle")


def test_comparison_and_diagnosis_of_a_call():
    found = refpos.compare(ZEROS, refpos.sinusoidal, positions(), 8)
    assert not found and found.met is None and "cannot be told" in str(found) and found.to_json()["untold"]
    told = refpos.diagnose(ZEROS, refpos.sinusoidal, positions(), 8)
    assert told.met is None and told.untold and not told.unexplained and "cannot be told: output meets" in str(told)
    limits = bounds("sinusoidal", {"dim": 8}, {"positions": positions()}, "float64")
    limits = {name: limit["output"] for name, limit in limits.items()}
    right = refpos.sinusoidal(positions(), 8)
    report = refpos.compare(ZEROS, right, bounds=limits, conformance="float32-angle")
    assert not report and (report.met, report.untold) == (None, "float32-angle") and "cannot be told" in str(report)
    assert refpos.compare(right, right, bounds=limits, conformance="float32-angle")


def test_a_claimed_mistake_excludes_something():
    """Wrong calls at such positions have bounds of 2 too: none may be named by them; what is said meets no class."""
    answer = np.full((3, 8), 2.5)
    found = refpos.diagnose(answer, refpos.sinusoidal, positions(), 8).explanations
    assert [(one.computed, one.met) for one in found] == [("all numbers are 2.5", "")]


def test_commands_and_reports(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", **{HUGE: ZEROS, **{f"{TOLD}/{k}": v for k, v in float32_table(TOLD).items()}})
    files = {kind: tmp_path / f"report.{kind}" for kind in ("html", "junit", "markdown")}
    options = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert cli.main(["verify", str(tmp_path / "a.npz"), "--case", HUGE, "--case", TOLD, *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"cannot be told: {HUGE}: output meets float32-angle" in out
    assert f"{TOLD}: met float32-angle (says nothing of 22 of 208 elements)" in out
    (skipped,) = ElementTree.parse(files["junit"]).findall(".//skipped")
    assert skipped.get("message").startswith("cannot be told: output meets float32-angle")
    assert "cannot be told: output meets" in files["markdown"].read_text()
    assert "What cannot be told: 1" in files["html"].read_text()
    assert cli.main(["verify", str(tmp_path / "a.npz"), "--case", HUGE, *options]) == 2
    assert "nothing was excluded" in " ".join(capsys.readouterr().out.split())
    assert ElementTree.parse(files["junit"]).findall(".//error")
    assert "not passed" in files["markdown"].read_text() and "not passed" in files["html"].read_text()


def test_the_command_diagnose(tmp_path, capsys):
    np.save(tmp_path / "a.npy", ZEROS)
    np.save(tmp_path / "p.npy", positions())
    arrays = ["--arrays", f"p={tmp_path / 'p.npy'}"]
    assert cli.main(["diagnose", str(tmp_path / "a.npy"), "sinusoidal(p, 8)", *arrays]) == 2
    assert "cannot be told" in capsys.readouterr().out


LIVE = """
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    tensor = {"dtype": "float64", "shape": [3, 8], "bits": ["0" * 16] * 24}
    print(json.dumps({"id": case["id"], "outputs": {"output": tensor}}), flush=True)
"""


def test_a_process_that_is_asked():
    result = golden.verify_live([sys.executable, "-c", LIVE], cases=[HUGE])
    assert result.exit_code == 2 and len(result.of("untold")) == 1, str(result)


TESTS = f"""
import numpy as np, pytest, refpos
from refpos import testing
HUGE = testing.cases("{HUGE}")
ZEROS = np.zeros((3, 8))

@pytest.mark.parametrize("case", HUGE)
def test_parameter(case):
    assert not case.check(ZEROS)

def test_loop():
    for case in HUGE:
        assert "cannot be told" in case.check(ZEROS)

def test_call():
    testing.assert_matches(ZEROS, refpos.sinusoidal, np.array([1e300, 2e300, 3e300]), 8)

def test_beside_others():
    HUGE[0].check(ZEROS)
    assert testing.assert_matches(refpos.alibi_slopes(4), refpos.alibi_slopes, 4) == "correct"

@pytest.mark.parametrize("case", HUGE)
def test_strict(case):
    with pytest.raises(AssertionError):
        case.check(ZEROS, at_least="correct")
    assert case.check(refpos.sinusoidal(case.arguments["positions"], 8)) == "correct"
"""


@pytest.mark.parametrize(
    "options, passed, skipped",
    [pytest.param([], 2, 3, id="plugin"),
     pytest.param(["-p", "no:refpos"], 1, 4, id="alone", marks=pytest.mark.exhaustive)],
)  # fmt: skip
def test_in_pytest_such_a_test_is_skipped(pytester, monkeypatch, options, passed, skipped):
    monkeypatch.setenv("PYTHONPATH", str(golden.read.LOCK).partition("/refpos/golden")[0])
    pytester.makepyfile(test_port=TESTS)
    result = pytester.runpytest_subprocess("-rs", *options)
    result.assert_outcomes(passed=passed, skipped=skipped)
    assert f"{HUGE}: cannot be told: output meets float32-angle" in result.stdout.str()


def test_a_record_says_nothing_of_it():
    from refpos.testing import noticing, record

    with noticing.noticed() as heard:
        returned = refpos.testing.cases(HUGE)[0].check(ZEROS)
    assert not returned and record.met_in(heard) == {}
    assert record.worse({HUGE: "float32-angle"}, heard) == []
    (line,) = record.worse({HUGE: "float64-angle"}, heard)
    assert "cannot be told" in line


# -- tensors about which there is little to tell ----------------------------------------------------------------------


def report_of(actual, expected, limit, kind="float32-angle"):
    limits = {kind: np.full(np.shape(expected), limit)}
    return refpos.compare(np.array(actual, np.float64), np.array(expected, np.float64), bounds=limits, conformance=kind)


def test_zeros_that_are_right():
    assert report_of([0, 0, 0], [0, 0, 0], 1e-30).met == "correct"
    assert report_of([0, 1e-31, 0], [0, 0, 0], 1e-30).met == "float32-angle"
    assert report_of([0, 0.5, 0], [0, 0, 0], 1.0).untold == "float32-angle"


def test_a_mask_does_not_vouch_for_what_is_beside_it():
    inf, nan = math.inf, math.nan
    assert report_of([0, -inf, nan], [0.5, -inf, nan], 0.6).untold == "float32-angle"
    assert report_of([0.5, -inf, nan], [0.4, -inf, nan], 0.11).untold == "float32-angle"  # one number in four
    assert report_of([0.4001, -inf, nan], [0.4, -inf, nan], 0.001).met == "float32-angle"
    assert report_of([-inf, nan], [-inf, nan], 9).met == "correct"


def test_one_in_a_hundred_random_tensors():
    told = report_of([0.9, 0.01], [0.9, 0], [0.0179, 2])
    assert (told.met, told.silent) == ("float32-angle", 1)
    assert report_of([0.9, 0.01], [0.9, 0], [0.0181, 2]).untold == "float32-angle"


def test_a_bound_that_is_no_number_admits_equality_alone():
    limits = {"float32-angle": np.array([math.inf, math.nan, 1e-3])}
    report = refpos.compare(np.array([1, 2, 3.0001]), np.array([1, 2, 3.0]), bounds=limits, conformance="float32-angle")
    assert report and report.silent == 0


def test_faithful_says_nothing_of_the_smallest_number():
    tiny = np.array([5e-324])
    assert refpos.compare(np.zeros(1), tiny, conformance="faithful").untold == "faithful"
    assert refpos.compare(np.nextafter(np.ones(1), 2), np.ones(1), conformance="faithful").met == "faithful"


def test_without_elements_the_shape_is_all():
    id = next(case.id for case in golden.cases("sinusoidal", tier="core") if 0 in sizes(case.id))
    (expected,) = golden.load(id).outputs.values()
    finding = golden.verify({id: expected.values}, cases=[id]).findings[0]
    assert (finding.state, finding.met) == ("met", "correct")
    assert golden.verify({id: np.zeros((3, 3))}, cases=[id]).exit_code == 2


def sizes(id):
    held = golden.load(id).entry.get("outputs", {})
    return [math.prod(output["shape"]) for output in held.values()]


# -- what the documents say -------------------------------------------------------------------------------------------


def plainly_resolved(values, limit):
    """What docs/conformance.md says, element by element; limit: absolute bounds in float64."""
    pairs = [(float(v), 0.0 if not math.isfinite(b) else float(b)) for v, b in zip(values, limit, strict=True)]
    inside = [(v, b) for v, b in pairs if math.isfinite(v)]
    size = max((abs(v) for v, _ in inside), default=0) or 1.0
    plain = [v for v, _ in inside]
    for wrong in ([0.0] * len(plain), [1.0] * len(plain), plain[::-1], plain[-1:] + plain[:-1]):
        errors = [abs(w - v) for w, v in zip(wrong, plain, strict=True)]
        if errors and 2 * max(errors) >= size and all(e <= b for e, (_, b) in zip(errors, inside, strict=True)):
            return 0
    chance = 1.0
    for v, b in inside:
        chance *= (min(v / size + b / size, 1) - max(v / size - b / size, -1)) / 2
    if inside and chance > 0.01:
        return 0
    return sum(not math.isfinite(v) or 2 * b < size for v, b in pairs)


def chosen(suite, everything=False):
    """Entries of small cases of a suite: those with elements that are not resolved, and a few others."""
    held = [entry for entry in open_suite(DATA, suite, LOCK).document["cases"] if "outputs" in entry]
    counts = {entry["id"]: [math.prod(one["shape"]) for one in entry["outputs"].values()] for entry in held}
    if everything:
        return held
    held = sorted((entry for entry in held if sum(counts[entry["id"]])), key=lambda entry: sum(counts[entry["id"]]))
    silent = [
        entry for entry in held
        if sum(counts[entry["id"]]) <= SMALL
        and any(n < min(counts[entry["id"]]) for of in entry["resolved"].values() for n in of.values())
    ]  # fmt: skip
    return silent + [entry for entry in held if entry not in silent][:EACH]


@cache
def members(suite):
    return {case.id: case for case in golden.cases(suite, tier="core")}


def derived(entry):
    """(the outputs of a case, its bounds)."""
    case = members(entry["id"].partition("/")[0])[entry["id"]]
    outputs = run.outputs_of(case)
    return outputs, bounds_of(case.suite, run.arguments_of(case), run.inputs_of(case), outputs)


def check_document(entry):
    outputs, limits = derived(entry)
    assert {kind: set(held) for kind, held in entry["resolved"].items()} == {
        kind: set(held) for kind, held in entry["classes"].items()
    }
    for kind, held in limits.items():
        for name, limit in held.items():
            values = wrong_answers.numbers(judge.of_name({"output": None, **outputs}, name) or outputs["inv_freq"])
            count = entry["resolved"][kind][name]
            if CLASSES[kind].unit == "absolute":
                assert count == plainly_resolved(values.reshape(-1), np.reshape(limit, -1)), (entry["id"], kind, name)
            elif kind == "correct":
                assert count == values.size


def check_wrong(entry, kinds):
    """(how many wrong answers there are, how many of them a class holds)."""
    outputs, limits = derived(entry)
    count = held = 0
    for kind, answered, share, off in wrong_answers.wrong_answers(outputs, kinds):
        reports = judge.reports_of(None, outputs, answered, limits=limits)
        found = judged(entry, reports, None)
        count, held = count + 1, held + (found.state == "met")
        if found.state == "met":
            told = f"{entry['id']}: {kind} meets {found.met}, {found.silent}"
            # half of the size and more is off only where the verdict says that nothing is told
            assert off <= found.silent[0], told
            assert kind not in wrong_answers.NEVER or share < 0.01, told
    return count, held


@pytest.mark.parametrize("suite", sampled(golden.suite_names(), 3))
def test_no_wrong_tensor_meets_a_class(suite):
    entries = chosen(suite)
    for entry in entries:
        check_document(entry)
    counts = [check_wrong(entry, wrong_answers.NEVER[:6]) for entry in entries]
    assert sum(count for count, _ in counts) >= 1, suite


@pytest.mark.exhaustive
@pytest.mark.parametrize("suite", golden.suite_names())
def test_no_wrong_answer_is_held_unsaid(suite):
    entries = chosen(suite, everything=True)
    for entry in entries:
        if max(math.prod(one["shape"]) for one in entry["outputs"].values()) <= 4096:
            check_document(entry)
    count = sum(check_wrong(entry, tuple(wrong_answers.WRONG))[0] for entry in entries)
    assert count >= len(entries), suite


@pytest.mark.parametrize("change", [
    lambda entry: entry["resolved"].clear(),
    lambda entry: entry["resolved"].pop("correct"),
    lambda entry: entry["resolved"]["correct"].update(output=10**6),
    lambda entry: entry["resolved"]["correct"].update(output=-1),
    lambda entry: entry["resolved"]["correct"].update(output=1.5),
    lambda entry: entry["resolved"]["correct"].update(other=1),
    lambda entry: entry["resolved"]["correct"].update(output=0),
    lambda entry: entry.pop("resolved"),
], ids=["empty", "a class gone", "too many", "below 0", "half", "another output", "other counts", "gone"])  # fmt: skip
def test_counts_that_are_edited_are_refused(tmp_path, change):
    from refpos.golden import format as golden_format
    from refpos.golden.generate import sha256
    from refpos.golden.strict_json import in_lines

    golden.generate(tmp_path / "g", suites=["alibi_slopes"])
    path, listed = tmp_path / "g" / "alibi_slopes.json", tmp_path / "g" / "MANIFEST.json"
    assert golden.verify(tmp_path / "g")
    document, manifest = json.loads(path.read_text()), json.loads(listed.read_text())
    change(next(entry for entry in document["cases"] if "outputs" in entry))
    document["digest"] = golden_format.document_digest(document)
    path.write_text(json.dumps(document) if "1.5" in str(document) else golden_format.serialise(document).decode())
    manifest["files"]["alibi_slopes.json"] = sha256(path)
    listed.write_bytes(in_lines(manifest))
    with pytest.raises(refpos.InputError):
        golden.verify(tmp_path / "g")
