"""The golden corpus: what is shipped, confirmed by the witness, locked, and what verification says of others'
numbers."""

import copy
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from proving import WITNESSES
from tiers import sampled
from witness import suites

import refpos
from refpos import catalogue, golden
from refpos.errors import CODES
from refpos.golden import format as golden_format
from refpos.golden import lock
from refpos.golden.generate import case_entry
from refpos.golden.read import DATA, open_suite
from refpos.golden.run import inputs_of, outputs_of, refusal_of, results

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((Path(DATA).parent / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
LOCK = lock.read_lock()
#: with the lock, which makes it fast; tests/test_published_numbers.py reads each document without
SUITES = {name: open_suite(DATA, name, LOCK) for name in golden.suite_names()}
ENTRIES = {entry["id"]: (entry, suite) for suite in SUITES.values() for entry in suite.document["cases"]}
VALUES = {id: pair for id, pair in ENTRIES.items() if "outputs" in pair[0]}
BEYOND = [*golden.cases(tier="extended"), *golden.cases(tier="full")]
WIDTH = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8}


# -- what is there ----------------------------------------------------------------------------------------------------


def functions():
    """Every function of the catalogue, and every gradient."""
    return {*catalogue.ENTRIES, *(entry.vjp.name for entry in catalogue.ENTRIES.values() if entry.vjp)}


def test_every_encoding_and_every_gradient_has_a_suite_and_every_suite_one_of_them():
    assert set(golden.suite_names()) == functions()
    assert {id.partition("/")[0] for id in lock.read_lock()["cases"]} == functions()


#: bytes of a wheel
LARGEST_WHEEL = 8_500_000


def test_the_core_tier_is_shipped_whole():
    assert list(ENTRIES) == [case.id for case in golden.cases(tier="core")]
    assert len(VALUES) >= 150


def test_the_wheel_stays_small():
    package = Path(DATA).parent.parent
    files = [path for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    assert set(Path(DATA).iterdir()) <= set(files)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in files:
            wheel.write(path, path.relative_to(package.parent))
    size = len(memory.getvalue())
    assert size < LARGEST_WHEEL, f"a wheel must have less than {LARGEST_WHEEL} bytes: choose smaller cases, got {size}"


def test_every_flag_is_used_and_explained():
    used = {flag for case in golden.cases() for flag in case.flags}
    assert used == set(golden.FLAGS)
    for flag in golden.FLAGS.values():
        assert flag.description.endswith(".") and flag.links
        assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/issues/\d+", link) for link in flag.links)


def test_every_dtype_layout_and_telling_position_occurs():
    dtypes = {name: set() for name in SUITES}
    positions, choices = set(), set()
    for id, (entry, suite) in VALUES.items():
        dtypes[id.partition("/")[0]] |= {found["dtype"] for found in entry["outputs"].values()}
        given = suite.tensors(entry)["inputs"].get("positions")
        if given is not None and given.dtype == "int64":
            positions |= set(given.values.reshape(-1).tolist())
        choices |= {(name, value) for name, value in entry["arguments"].items() if isinstance(value, (str, bool))}
    # integers alone, positions that real code has in float32, and functions that take no bit patterns
    others = {"videorope_positions": {"float32"}, "qwen3_omni_positions": {"float32"}, "grid_positions": {"float64"}}
    others["liere_generators"] = others["joined"] = others["vjp_kerple"] = {"float64", "float32", "float16"}
    for name in SUITES:
        real = dtypes[name] - {"int64"}
        assert real in ({"float64", "float32", "float16", "bfloat16"}, others.get(name, set())), name
    telling = {
        0,
        1,
        10,
        255,
        256,
        257,
        2047,
        2048,
        2049,
        4095,
        4096,
        4097,
        65503,
        65536,
        131071,
        131072,
        262144,
        999983,
    }
    assert telling | {2**24 - 1, 2**24, 2**24 + 1, 2**31 - 1, -1} <= positions
    wanted = {
        ("layout", "interleaved"),
        ("layout", "sin-cos"),
        ("layout", "cos-sin"),
        ("odd", "pad"),
        ("endpoint", True),
        ("inverse", True),
    }
    wanted |= {
        ("pairing", "half"),
        ("pairing", "interleaved"),
        ("axis_order", "hw"),
        ("axis_order", "wh"),
        ("bidirectional", False),
    }
    wanted |= {
        ("mode", "causal"),
        ("mode", "symmetric"),
        ("mode", "linear"),
        ("convention", "geometric"),
        ("convention", "recursive"),
    }
    assert wanted <= choices


def test_cases_are_filtered_by_the_dtype_of_their_outputs():
    known = {case.id: case for case in golden.cases(tier="core")}
    for id, (entry, _) in VALUES.items():
        kinds = {found["dtype"] for found in entry["outputs"].values()}
        assert golden.discover.output_dtype(known[id]) in kinds - {"int64"} or kinds == {"int64"}, id


def test_cases_are_filtered_and_unknown_names_refused():
    assert {case.suite for case in golden.cases("rope", flag="PartialRotary")} == {"rope"}
    assert {case.tier for case in golden.cases(tier="extended")} == {"extended"}
    for options in ({"suite": "ropes"}, {"tier": "small"}, {"flag": "Narrow"}):
        with pytest.raises(refpos.InputError, match="must be one of") as caught:
            golden.cases(**options)
        assert caught.value.code == "E_CHOICE"
    with pytest.raises(refpos.InputError) as caught:
        golden.load("rope/nothing")
    assert caught.value.code == "E_MISSING"


# -- structure --------------------------------------------------------------------------------------------------------


def test_the_schema_closes_every_object():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    opened = []

    def walk(node, path):
        if isinstance(node, dict):
            if node.get("type") == "object" and node.get("additionalProperties") is not False:
                opened.append(path)
            for name, value in node.items():
                walk(value, f"{path}/{name}")
        elif isinstance(node, list):
            for k, value in enumerate(node):
                walk(value, f"{path}/{k}")

    walk(SCHEMA, "")
    assert opened == []


@pytest.mark.parametrize("name", sampled(SUITES, 6))
def test_documents_are_valid_and_whole(name):
    suite = SUITES[name]
    VALIDATOR.validate(suite.document)
    assert suite.document["licence"] == "CC0-1.0"
    for entry in suite.document["cases"]:
        tensors = suite.tensors(entry)
        for side in ("inputs", "outputs"):
            for key, found in entry.get(side, {}).items():
                if tensors[side][key] is not None:
                    assert sha256(found, tensors[side][key].values) == found["sha256"]


def sha256(found, values):
    """The digest of the docs, written once more."""
    data = b"".join(int(v).to_bytes(WIDTH[found["dtype"]], "little") for v in patterns(values).reshape(-1).tolist())
    return hashlib.sha256(
        found["dtype"].encode() + b"\0" + ",".join(str(n) for n in found["shape"]).encode() + b"\0" + data
    ).hexdigest()


def patterns(values):
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def broken(document):
    """Documents with one thing wrong, and what it is."""
    edits = {
        "an extra field": lambda d: d.update(more=1),
        "no licence": lambda d: d.pop("licence"),
        "another format": lambda d: d.update(format_version="2.0"),
        "an extra field in a case": lambda d: d["cases"][0].update(more=1),
        "a case without flags": lambda d: d["cases"][0].pop("flags"),
        "an extra field in a tensor": lambda d: d["cases"][0]["outputs"]["output"].update(more=1),
        "another dtype": lambda d: d["cases"][0]["outputs"]["output"].update(dtype="float8"),
        "a negative size": lambda d: d["cases"][0]["outputs"]["output"].update(shape=[-1]),
        "a short bit string": lambda d: d["cases"][-1]["outputs"]["output"].update(bits=["3ff"] * 2),
        "outputs and an error": lambda d: d["cases"][0].update(error={"code": "E_SIZE", "argument": "dim"}),
    }
    for what, edit in edits.items():
        changed = copy.deepcopy(document)
        edit(changed)
        yield what, changed


def test_documents_with_a_fault_are_refused():
    document = copy.deepcopy(SUITES["inverse_frequencies"].document)
    document["cases"] = [entry for entry in document["cases"] if "outputs" in entry][:12]
    golden_format.check(document, "document")
    VALIDATOR.validate(document)
    faults = list(broken(document))
    assert len(faults) == 10
    for what, changed in faults:
        assert not VALIDATOR.is_valid(changed), what
        with pytest.raises(refpos.FileError, match="must"):
            golden_format.check(changed, "document")
            pytest.fail(what)


def test_inputs_and_outputs_have_names_of_their_own():
    """They stand side by side in payloads, exports and answers."""
    for id, (entry, _) in VALUES.items():
        assert not set(entry["inputs"]) & set(entry["outputs"]), id


# -- the numbers ------------------------------------------------------------------------------------------------------


def widened(tensor):
    """Exact float64 values of an input tensor."""
    return suites.widened(tensor.dtype, tensor.values)


def against_witness(entry, inputs, outputs):
    """Whether the witness has the digests of the outputs: a list of what differs."""
    floats = [found["dtype"] for found in outputs.values() if found["dtype"] != "int64"]
    dtype = min(floats, key=WIDTH.get, default="int64")  # a gradient for a number without a dtype is float64
    tensors = {name: (tensor.dtype, tensor.values) for name, tensor in inputs.items()}
    found = suites.answer(entry["id"].partition("/")[0], entry["arguments"], tensors, dtype)
    assert set(found) == set(outputs)
    for name, held in outputs.items():
        assert list(found[name].shape) == held["shape"]
        assert found[name].dtype.itemsize == WIDTH[held["dtype"]]
    return [name for name, held in outputs.items() if sha256(held, found[name]) != held["sha256"]]


def test_every_suite_has_a_witness():
    assert set(WITNESSES) == set(SUITES)
    with pytest.raises(LookupError, match=r"spiral must have a witness: .* in tests/proofs/spiral\.py"):
        suites.answer("spiral", {}, {}, "float64")


def one_of_each_suite():
    """The ids of a case of each suite: the first of those in the widest format that have numbers, but not many."""
    ranked = {}
    for k, (id, (entry, suite)) in enumerate(VALUES.items()):
        outputs = entry["outputs"].values()
        size = sum(math.prod(output["shape"]) for output in outputs)
        rank = not 3 < size <= 500, min(-WIDTH[output["dtype"]] for output in outputs), k, id
        name = suite.document["suite"]
        ranked[name] = min(rank, ranked.get(name, rank))
    return {id for *_, id in ranked.values()}


@pytest.mark.once
@pytest.mark.parametrize("id", sampled(VALUES, 24, one_of_each_suite()))
def test_the_witness_confirms_the_shipped_case(id):
    entry, suite = VALUES[id]
    assert against_witness(entry, suite.tensors(entry)["inputs"], entry["outputs"]) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BEYOND, ids=lambda case: case.id)
def test_the_case_beyond_the_core_is_what_is_locked(case):
    assert lock.case_digest(case_entry(case, {})) == lock.read_lock()["cases"][case.id]


@pytest.mark.once
@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BEYOND, ids=lambda case: case.id)
def test_the_witness_confirms_the_case_beyond_the_core(case):
    entry = case_entry(case, {})
    assert against_witness(entry, inputs_of(case), entry["outputs"]) == []


def test_the_witness_would_see_one_wrong_bit():
    entry, suite = VALUES["sinusoidal/telling-interleaved-f64"]
    tensors = suite.tensors(entry)
    wrong = tensors["outputs"]["output"].values.copy()
    wrong.view(np.uint64)[3, 5] ^= np.uint64(1)
    changed = {"output": {**entry["outputs"]["output"], "sha256": sha256(entry["outputs"]["output"], wrong)}}
    assert against_witness(entry, tensors["inputs"], changed) == ["output"]


@pytest.mark.parametrize("id", [id for id, (entry, _) in ENTRIES.items() if "sample" in str(entry.get("outputs", {}))])
def test_samples_are_what_they_say(id):
    entry, _ = ENTRIES[id]
    case = next(case for case in golden.cases(id.partition("/")[0]) if case.id == id)
    made = outputs_of(case)
    for name, found in entry["outputs"].items():
        stride, held = golden_format.sample_of(found)
        assert np.gcd(stride, made[name].values.size) == 1 and held.values.size >= 32
        flat = made[name].values.reshape(-1)[::stride]
        assert np.array_equal(patterns(flat), patterns(held.values)) and len(set(held.values.tolist())) > 20


@pytest.mark.parametrize("name", sampled(SUITES, 8))
def test_bfloat16_needs_no_other_package(name, monkeypatch):
    """What `refpos generate` computes where ml_dtypes is not installed."""
    narrow = [id for id, (entry, _) in VALUES.items() if id.startswith(f"{name}/") and "bfloat16" in str(entry)]
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    for case in (case for case in golden.cases(name, tier="core") if case.id in narrow[:1]):
        assert lock.case_digest(case_entry(case, {})) == lock.read_lock()["cases"][case.id]


def test_error_cases_are_refused_with_their_codes():
    refused = [case for case in golden.cases() if case.refusal]
    assert len(refused) > 50
    assert {case.id: refusal_of(case) for case in refused} == {case.id: case.refusal for case in refused}
    assert {case.refusal[0] for case in refused} <= set(CODES)
    # what need files, arrays as arguments or endless precision cannot stand in a document
    assert set(CODES) - {case.refusal[0] for case in refused} == {"E_OUT", "E_FILE", "E_UNDECIDED"}


def test_a_port_can_refuse_what_the_documents_say():
    """The arguments of a refusal are read from its document, where a float that is whole stands as an integer."""
    found = {}
    for id, (entry, suite) in ENTRIES.items():
        if "error" in entry:
            try:
                results(entry["id"].partition("/")[0], entry["arguments"], suite.tensors(entry)["inputs"])
                found[id] = None
            except refpos.InputError as error:
                found[id] = error.code
    assert len(found) > 1000
    wrong = {id: got for id, got in found.items() if got != ENTRIES[id][0]["error"]["code"]}
    assert wrong == {}


# -- the lock ---------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_the_kernels_give_what_is_locked():
    held = lock.read_lock()
    found, documents = lock.current(held, ("core", "extended"))
    full = {case.id for case in golden.cases(tier="full")}
    assert set(held["cases"]) == set(found) | full
    assert lock.differences({id: digest for id, digest in held["cases"].items() if id not in full}, found) == []
    smaller = {name: digest for name, digest in held["documents"].items() if name.split("/")[1] != "full"}
    assert lock.differences(smaller, documents) == [] and len(smaller) * 3 == len(held["documents"]) * 2


def test_the_shipped_files_are_what_is_locked():
    held = lock.read_lock()["cases"]
    assert {id: golden_format.case_digest(entry) for id, (entry, _) in ENTRIES.items()} == {
        id: held[id] for id in ENTRIES
    }
    documents = lock.read_lock()["documents"]
    assert {name: suite.document["digest"] for name, suite in SUITES.items()} == {
        name: documents[f"{name}/core"] for name in SUITES
    }
    result = golden.verify(DATA)
    assert result and result.ran == len(ENTRIES), str(result)


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """A folder with the corpus, made by the kernels of this run, once."""
    folder = tmp_path_factory.mktemp("corpus")
    golden.generate(folder)
    return folder


@pytest.mark.once
@pytest.mark.exhaustive
def test_the_shipped_files_are_what_is_generated(generated):
    made = {path.name: path.read_bytes() for path in generated.iterdir()}
    assert len(made) > len(SUITES) and made == {path.name: path.read_bytes() for path in Path(DATA).iterdir()}


@pytest.mark.once
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "changes", [{"REFPOS_KERNELS": "numpy", "PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "LC_ALL": "C"}]
)
def test_two_runs_are_byte_identical(tmp_path, changes):
    # one suite of eight; .ci/run makes the whole corpus with these variables
    suites = list(SUITES)[::8]
    code = "import sys, refpos; refpos.golden.generate(sys.argv[1], suites=sys.argv[2:])"
    where = str(Path(refpos.__file__).resolve().parent.parent)
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), *suites],
        env={**os.environ, "PYTHONPATH": where, **changes},
        check=True,
        cwd=tmp_path,
    )
    made = sorted(path.name for path in tmp_path.iterdir() if path.name != "MANIFEST.json")
    assert made == sorted(path.name for path in Path(DATA).iterdir() if path.name.partition(".")[0] in suites)
    assert len(made) >= len(suites) > 15
    for name in made:
        assert (tmp_path / name).read_bytes() == (Path(DATA) / name).read_bytes(), name


def test_a_name_that_leaves_the_catalogue_is_noticed(monkeypatch):
    monkeypatch.delitem(catalogue.ENTRIES, "alibi")
    with pytest.raises(refpos.InputError):
        lock.current(lock.read_lock(), ("core",))
    assert set(golden.suite_names()) != functions()
