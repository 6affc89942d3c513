"""The scripts of the page that verifies answers in the browser, run by node: they must say what `refpos.verify` says.
`.ci/run` opens the page itself, in Chromium (tests/browser.py)."""

import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

import browser_answers
import numpy as np
import pytest

from refpos import golden
from refpos.conformance import CLASSES
from refpos.golden.starter import STARTER
from refpos.tensor_files import Tensor, read_tensors, write_npz

SITE = Path(__file__).resolve().parent.parent.parent / "docs" / "site"
sys.path.insert(0, str(SITE))

#: prints a line for each file: {"refused": why}, or {"findings": {id: ...}, "unknown": names}
PROGRAM = """
const fs = require("fs"), [folder, starter, ...files] = process.argv.slice(2);
require(starter);
for (const name of ["tensors", "compare", "documents", "page"]) require(`${folder}/${name}.js`);
const cases = refposStarter.cases.map(refposPage.decodedCase);
const plain = (key, value) => (typeof value === "bigint" ? String(value) : value === Infinity ? "inf" : value);
(async () => {
  for (const file of files) {
    let line;
    try {
      const tensors = await refposTensors.readTensors(new Uint8Array(fs.readFileSync(file)));
      const { findings, unknown } = refposCompare.verify(cases, refposStarter.classes, tensors);
      const found = findings.filter(({ state }) => state !== "missing").map(({ off, ...one }) =>
        [one.id, { ...one, different: off?.length, worst: off && refposCompare.worstOf(off) }]);
      line = { findings: Object.fromEntries(found), unknown };
    } catch (error) {
      if (!(error instanceof refposTensors.FileError)) throw error;
      line = { refused: error.message };
    }
    console.log(JSON.stringify(line, plain));
  }
})();
"""


def said(folder, paths):
    """What the scripts say of each file."""
    starter, program = folder / "starter.js", folder / "program.js"
    importlib.import_module("starter_cases").write(starter)
    program.write_text(PROGRAM)
    command = ["node", program, SITE / "browser", starter, *paths]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(paths)
    return lines


def same(line, result):
    """Hold what is said of a file against its Result; how many cases were compared."""
    if result is None:
        assert "refused" in line, line
        return 0
    assert line["findings"].keys() == {one.id for one in result.findings}
    assert set(result.unknown) <= set(line["unknown"])
    for finding in result.findings:
        one = line["findings"][finding.id]
        assert one["state"] == finding.state, finding.id
        if finding.report is not None:
            _same_numbers(one, finding)
    return len(result.findings)


def _same_numbers(one, finding):
    report, worst = finding.report, one["worst"]
    assert (one["output"], one["different"]) == (finding.output, report.different), finding.id
    if finding.state == "met":
        assert (one["met"], one["silent"], one["elements"]) == (finding.met, *finding.silent), finding.id
    if report.worst is None:
        assert worst is None
        return
    at = int(np.ravel_multi_index(report.worst.index, report.shape))
    steps = math.inf if worst["steps"] is None else int(worst["steps"])
    mine = (worst["index"], steps, float(worst["error"]), float(worst["actual"]), float(worst["expected"]))
    theirs = (at, *report.worst[5:], float(report.worst.actual), float(report.worst.expected))
    np.testing.assert_array_equal(mine, theirs, err_msg=finding.id)  # where NaN is NaN


def test_right_wrong_and_hostile_files(tmp_path):
    (tmp_path / "files").mkdir()
    files = browser_answers.files(tmp_path / "files")
    results = [browser_answers.result(path) for path in files.values()]
    assert {None if result is None else result.exit_code for result in results} == {0, 1, 2, None}
    states = {one.state for result in results if result is not None for one in result.findings}
    assert states >= {"met", "differs", "unusable"}
    lines = said(tmp_path, list(files.values()))
    assert sum(map(same, lines, results)) > 300


@pytest.mark.parametrize("name", ["right.npz", "right.safetensors", "deflated.npz"])
def test_damaged_files(name, tmp_path):
    """Of a file that is cut, or has a bit that is another, at most what is whole is met; nothing else is raised."""
    (tmp_path / "files").mkdir()
    whole = browser_answers.files(tmp_path / "files")[name].read_bytes()
    rng, paths = np.random.default_rng(1), []
    for k in range(120):
        data = bytearray(whole)
        if k % 2:
            data[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        else:
            del data[rng.integers(len(whole)) :]
        paths.append(tmp_path / f"{k}-{name}")
        paths[-1].write_bytes(data)
    for k, line in enumerate(said(tmp_path, paths)):
        met = [id for id, one in line.get("findings", {}).items() if one["state"] == "met"]
        assert len(met) < len(STARTER) if k % 2 == 0 else len(met) >= len(STARTER) - 1 or "refused" in line, paths[k]


def test_a_class_that_excludes_nothing(tmp_path):
    """Only where the bounds of a class say something of some elements is it met."""
    program = tmp_path / "untold.js"
    program.write_text("""
for (const name of ["tensors", "compare"]) require(`${process.argv[2]}/${name}.js`);
const tensor = (...values) => ({ dtype: "float64", shape: [2], data: new Uint8Array(new Float64Array(values).buffer) });
for (const resolved of [0, 1, 2]) {
  const bounds = { "float32-angle": { unit: "absolute", limit: new Float64Array([1, 1]), resolved } };
  const one = { id: "case/a", beside: [], outputs: { output: { ...tensor(0.5, 1), bounds } } };
  const answers = new Map([["case/a", tensor(0.75, 1)]]);
  const [{ state, silent }] = refposCompare.verify([one], ["correct", "float32-angle"], answers).findings;
  console.log(state, silent);
}
""")
    done = subprocess.run(["node", program, SITE / "browser"], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["untold undefined", "met 1", "met 0"], done.stderr


# -- documents that refpos generate wrote ------------------------------------------------------------------------------

#: prints a line for each file of answers: {"refused": why}, or {"leftOut", "findings": {id: {state, met}}}
DOCUMENTS = """
const fs = require("fs"), [folder, classes, documents, ...answers] = process.argv.slice(2);
for (const name of ["tensors", "compare", "documents"]) require(`${folder}/${name}.js`);
const opened = (path) => new File([fs.readFileSync(path)], path.split("/").pop());
(async () => {
  for (const path of answers) {
    let line;
    try {
      const files = [...documents.split(":"), path].map(opened);
      const read = await refposDocuments.readFiles(files);
      const tensors = await refposTensors.readTensors(new Uint8Array(await read.answers[0].arrayBuffer()));
      const { findings } = refposCompare.verify(read.cases, classes.split(","), tensors);
      line = { leftOut: read.leftOut, findings: Object.fromEntries(findings.map((one) => [one.id, one.state])) };
      line.met = Object.fromEntries(findings.map((one) => [one.id, one.met ?? null]));
    } catch (error) {
      if (!(error instanceof refposTensors.FileError)) throw error;
      line = { refused: error.message };
    }
    console.log(JSON.stringify(line));
  }
})();
"""
SUITES = "alibi", "attention", "rope_2d", "t5_buckets"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    golden.generate(folder, suites=SUITES)
    return folder


def read_documents(folder, documents, answers):
    program = folder / "documents.js"
    program.write_text(DOCUMENTS)
    joined = ":".join(map(str, documents))
    command = ["node", program, SITE / "browser", ",".join(CLASSES), joined, *answers]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(answers)
    return lines


@pytest.mark.parametrize("suite", SUITES)
def test_documents_of_a_suite_are_judged(suite, corpus, tmp_path):
    """Right is what is correct or faithful, wrong what exceeds every bound; between them nothing is said."""
    paths = browser_answers.changed(tmp_path, browser_answers.outputs(suite))
    documents = [corpus / name for name in ("MANIFEST.json", f"{suite}.json", f"{suite}.safetensors")]
    states = set()
    for path, line in zip(paths, read_documents(tmp_path, documents, paths), strict=True):
        result = browser_answers.result(path, suites=suite)
        findings = {one.id: one for one in result.findings}
        assert len(findings) > 20 and findings.keys() <= line["findings"].keys(), path
        for id, one in findings.items():
            state = line["findings"][id]
            if one.state == "unusable" or one.met in ("correct", "faithful"):
                assert (state, line["met"][id]) == (one.state, one.met), (path, id)
            elif state == "differs":
                assert one.state == "differs", (path, id)
            else:
                assert state == "untold", (path, id)
            states.add((state, one.state))
    assert states >= {("met", "met"), ("differs", "differs")}


def test_documents_that_are_not_whole_are_refused(corpus, tmp_path):
    (answers,) = browser_answers.changed(tmp_path, browser_answers.outputs("alibi"), only=["right"])
    text, payload = (corpus / "alibi.json").read_text(), (corpus / "alibi.safetensors").read_bytes()
    flipped = bytearray(payload)
    flipped[-1] ^= 1
    bits = text.index('"bits":["') + 9
    wrong = {
        "is cut": (text[: len(text) // 2], payload, "must be a JSON document"),
        "is none": ("[]", payload, "must be the document of a suite"),
        "holds nothing": ("{}", payload, "must be the document of a suite"),
        "is of another format": (text.replace('"1.1"', '"1.0"'), payload, "must have the format_version 1.1, got 1.0"),
        "has another bit": (f"{text[:bits]}f{text[bits + 1 :]}", payload, "must have the digest that it says"),
        "has another bound": (text.replace("3ff0000000000000", "4ff0000000000000", 1), payload, "must have the digest"),
        "has another payload": (text, bytes(flipped), "must have tensors with the digest that it says"),
        "has no payload": (text, None, "must be given together with alibi.safetensors"),
    }
    for name, (words, data, said) in wrong.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "alibi.json").write_text(words)
        if data is not None:
            (folder / "alibi.safetensors").write_bytes(data)
        (line,) = read_documents(folder, sorted(folder.iterdir()), [answers])
        assert said in line.get("refused", ""), (name, line)
    (line,) = read_documents(
        tmp_path, [corpus / "MANIFEST.json", corpus / "alibi.json", corpus / "alibi.safetensors"], [answers]
    )
    assert "refused" not in line and line["leftOut"] > 0


def test_bfloat16_and_half_precision(tmp_path):
    """Formats that no starter case has: every pattern of 16 bits is read as NumPy reads it, and compared."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    paths = []
    for name in ("float16", "bfloat16"):
        paths.append(tmp_path / f"{name}.npz")
        values = patterns.view(np.float16) if name == "float16" else patterns
        write_npz(paths[-1], {"a": Tensor(name, values), "b": Tensor("float64", _widened(name, patterns))})
    program = tmp_path / "bits.js"
    program.write_text("""
const fs = require("fs"), [folder, ...files] = process.argv.slice(2);
for (const name of ["tensors", "compare"]) require(`${folder}/${name}.js`);
(async () => {
  for (const file of files) {
    const tensors = await refposTensors.readTensors(new Uint8Array(fs.readFileSync(file)));
    const bounds = { correct: { unit: "ulp", limit: new Float64Array(65536), resolved: 65536 } };
    const one = { id: "case/a", beside: [], outputs: { output: { ...tensors.get("a"), bounds } } };
    for (const name of ["a", "b"]) {
      const { findings } = refposCompare.verify([one], ["correct"], new Map([["case/a", tensors.get(name)]]));
      console.log(findings[0].state, findings[0].met);
    }
  }
})();
""")
    done = subprocess.run(["node", program, SITE / "browser", *paths], capture_output=True, text=True)
    assert done.stdout.split("\n") == ["met correct"] * 4 + [""], done.stderr
    assert read_tensors(paths[0])["a"].dtype == "float16"


def _widened(name, patterns):
    if name == "float16":
        return patterns.view(np.float16).astype(np.float64)
    with np.errstate(invalid="ignore"):  # of signalling NaN
        return (patterns.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
