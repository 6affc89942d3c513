"""The golden corpus: what is shipped, confirmed by the witness, locked, and what verification says of others'
numbers."""

import copy
import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema
import ml_dtypes
import mpmath
import numpy as np
import pytest
import witness
from witness import scalings, suites

import refpos
from refpos import catalogue, golden, tensor_files
from refpos.conformance import error_bounds
from refpos.errors import CODES
from refpos.golden import format as golden_format
from refpos.golden import lock
from refpos.golden.case import TIERS, mixed
from refpos.golden.read import DATA, open_suite
from refpos.golden.run import argument, inputs_of, outputs_of, refusal_of

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((Path(DATA).parent / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SUITES = {name: open_suite(DATA, name) for name in golden.suite_names()}
ENTRIES = {entry["id"]: (entry, suite) for suite in SUITES.values() for entry in suite.document["cases"]}
VALUES = {id: pair for id, pair in ENTRIES.items() if "outputs" in pair[0]}
BEYOND = [*golden.cases(tier="extended"), *golden.cases(tier="full")]
#: the least number of cases of a suite by family; LEAST in its file says another, and why
LEAST = {"positions": 5, "factors": 10, "frequencies": 8, "absolute": 15, "rotary": 15, "relative": 15}
WIDTH = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8}


# -- what is there ----------------------------------------------------------------------------------------------------


def test_every_encoding_has_a_suite_and_every_suite_an_encoding():
    assert set(golden.suite_names()) == set(catalogue.ENTRIES)
    assert {id.partition("/")[0] for id in lock.read_lock()["cases"]} == set(catalogue.ENTRIES)


def test_the_core_tier_is_shipped_whole():
    assert list(ENTRIES) == [case.id for case in golden.cases(tier="core")]
    assert len(VALUES) >= 150
    for name in SUITES:
        least = getattr(importlib.import_module(f"refpos.golden.cases.{name}"), "LEAST", None)
        least = least or LEAST[catalogue.ENTRIES[name].family]
        count = sum(id.startswith(f"{name}/") for id in VALUES)
        assert count >= least, f"{name} must have {least} golden cases at least in refpos/golden/cases, got {count}"
        assert any("error" in entry for id, (entry, _) in ENTRIES.items() if id.startswith(f"{name}/"))
    assert sum(path.stat().st_size for path in Path(DATA).iterdir()) < 4_500_000


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
    # whole numbers alone, positions that real code has in float32, and a function that takes no bit patterns
    others = {"videorope_positions": {"float32"}, "qwen3_omni_positions": {"float32"}, "grid_positions": {"float64"}}
    others["liere_generators"] = {"float64", "float32", "float16"}
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


@pytest.mark.parametrize("name", SUITES)
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
    dtype = next((found["dtype"] for found in outputs.values() if found["dtype"] != "int64"), "int64")
    tensors = {name: (tensor.dtype, tensor.values) for name, tensor in inputs.items()}
    found = suites.answer(entry["id"].partition("/")[0], entry["arguments"], tensors, dtype)
    assert set(found) == set(outputs)
    for name, held in outputs.items():
        assert list(found[name].shape) == held["shape"]
        assert found[name].dtype.itemsize == WIDTH[held["dtype"]]
    return [name for name, held in outputs.items() if sha256(held, found[name]) != held["sha256"]]


def test_every_suite_has_a_witness():
    assert set(suites.WITNESSES) == set(SUITES)
    with pytest.raises(LookupError, match=r"spiral must have a witness: .* in tests/witness/suites\.py"):
        suites.answer("spiral", {}, {}, "float64")


@pytest.mark.parametrize("id", VALUES)
def test_the_witness_confirms_the_shipped_case(id):
    entry, suite = VALUES[id]
    assert against_witness(entry, suite.tensors(entry)["inputs"], entry["outputs"]) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BEYOND, ids=lambda case: case.id)
def test_the_witness_confirms_the_case_beyond_the_core(case):
    from refpos.golden.generate import case_entry

    entry = case_entry(case, {})
    assert lock.case_digest(entry) == lock.read_lock()["cases"][case.id]
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


def test_error_cases_are_refused_with_their_codes():
    refused = [case for case in golden.cases() if case.refusal]
    assert len(refused) > 50
    assert {case.id: refusal_of(case) for case in refused} == {case.id: case.refusal for case in refused}
    assert {case.refusal[0] for case in refused} <= set(CODES)
    # what need files, arrays as arguments or endless precision cannot stand in a document
    assert set(CODES) - {case.refusal[0] for case in refused} == {"E_OUT", "E_FILE", "E_MISSING", "E_UNDECIDED"}


# -- hardness and bounds ----------------------------------------------------------------------------------------------


def test_hardness_agrees_with_mpmath():
    entry, suite = VALUES["rope_table/telling-10000-f64"]
    held = suite.tensors(entry)
    with mpmath.workdps(80):
        for name, function in (("cos", mpmath.cos), ("sin", mpmath.sin)):
            nearest = mpmath.mpf(1)
            for p in held["inputs"]["positions"].values.tolist():
                for i in range(8 if p else 0):
                    value = abs(function(p * mpmath.mpf(10000) ** (-mpmath.mpf(i) / 8)))
                    scaled = mpmath.ldexp(value, 53 - mpmath.frexp(value)[1])
                    nearest = min(nearest, abs(scaled - mpmath.floor(scaled) - 0.5))
            assert entry["hardness"][name]["bits"] == int(mpmath.floor(-mpmath.log(nearest, 2)))


def test_hardness_of_fractions_of_a_turn_agrees_with_mpmath():
    """DINOv3 on 3 x 4 cells: whole turns at thirds and quarters, with halves and ones that are exact."""
    entry, _ = VALUES["rope_table/dinov3-separate-f64"]
    assert entry["arguments"]["positions"]["arguments"]["coordinates"][1]["arguments"]["size"] == 4
    with mpmath.workdps(80):
        for name, function in (("cos", mpmath.cos), ("sin", mpmath.sin)):
            nearest = mpmath.mpf(1)
            for size in (3, 4):
                for k in range(size):
                    turns = mpmath.mpf(2 * k + 1) / size - 1
                    for i in range(16):
                        value = abs(function(2 * mpmath.pi * turns * mpmath.mpf(100) ** (-mpmath.mpf(i) / 16)))
                        if value > 1e-60:
                            scaled = mpmath.ldexp(value, 53 - mpmath.frexp(value)[1])
                            nearest = min(nearest, abs(scaled - mpmath.floor(scaled) - 0.5))
            assert entry["hardness"][name]["bits"] == int(mpmath.floor(-mpmath.log(nearest, 2)))
            assert entry["hardness"][name]["ties"] == 0


def test_hardness_of_narrow_formats_and_ties():
    entry, suite = VALUES["alibi/distance-f16"]
    slopes = Fraction(1, 256) * np.arange(2060)
    ties = sum(witness.boundary_distance(Fraction(s), "float16") == 0 for s in slopes.tolist() if s)
    assert entry["hardness"]["output"]["ties"] == ties == 6
    entry, suite = VALUES["rope_table/telling-10000-bf16"]
    wide, _ = VALUES["rope_table/telling-10000-f64"]
    values = suite.tensors(wide)["outputs"]["cos"].values.reshape(-1).tolist()
    nearest = min(witness.boundary_distance(Fraction(v), "bfloat16") for v in values)
    assert (
        Fraction(1, 2) ** (entry["hardness"]["cos"]["bits"] + 1)
        <= nearest
        <= Fraction(1, 2) ** entry["hardness"]["cos"]["bits"]
    )


@pytest.mark.parametrize("name", SUITES)
def test_bounds_grow_with_the_class(name):
    compared = [bounds_of(id) for id in VALUES if id.startswith(f"{name}/")]
    assert compared and all(compared)


def bounds_of(id):
    """How many outputs have bounds that grow with the class."""
    entry, _ = VALUES[id]
    kinds = {found["dtype"] for found in entry["outputs"].values()}
    exact = catalogue.ENTRIES[id.partition("/")[0]].exact
    alone = exact or kinds == {"int64"}
    for name, found in entry["outputs"].items():
        whole = exact or found["dtype"] == "int64"
        held = {kind: suites.number({"float64": limits[name]}) for kind, limits in entry["classes"].items()}
        assert held["correct"] == 0 and held.get("faithful", 0) == (0 if whole or 0 in found["shape"] else 1), id
        assert len(held) == 1 if alone else len(held) > 2 or not error_bounds.derives(id.partition("/")[0]), id
        if "float64-angle" in held and id.partition("/")[0] not in scalings.RULES:
            assert held["float64-angle"] <= held["float32-angle"] <= held["float32-exp-angle"], id
    return len(entry["outputs"])


# -- inputs -----------------------------------------------------------------------------------------------------------


def test_the_counter_is_splitmix():
    def one(n):
        z = n * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    assert mixed(5, 3).tolist() == [one(3 * 2**32 + k) for k in range(1, 6)]
    assert mixed(1, 0).tolist() == [0xE220A8397B1DCDAF]  # the first output of the published generator with seed 0


def test_inputs_vary_and_cancel():
    entry, suite = ENTRIES["rope/telling-half-f32"]
    x = suite.tensors(entry)["inputs"]["x"].values
    assert len(np.unique(x)) == x.size and abs(x).max() < 16 and abs(np.frexp(x)[0] * 2.0**24 % 2).max() == 1
    entry, suite = ENTRIES["rope/cancelling-half-f64"]
    turned = suite.tensors(entry)["outputs"]["output"].values
    assert 0 < abs(turned[1:, :4]).max() < 2.0**-52
    entry, suite = ENTRIES["rope/subnormal-interleaved-f64"]
    x = suite.tensors(entry)["inputs"]["x"].values
    assert 0 < abs(x).max() < 1e-300 and (x == 0).any()


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


def test_the_shipped_files_are_what_is_generated(generated):
    made = {path.name: path.read_bytes() for path in generated.iterdir()}
    assert len(made) > len(SUITES) and made == {path.name: path.read_bytes() for path in Path(DATA).iterdir()}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "changes", [{"REFPOS_KERNELS": "numpy", "PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "LC_ALL": "C"}]
)
def test_two_runs_are_byte_identical(tmp_path, changes):
    code = "import sys, refpos; refpos.golden.generate(sys.argv[1])"
    where = str(Path(refpos.__file__).resolve().parent.parent)
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": where, **changes},
        check=True,
        cwd=tmp_path,
    )
    for path in Path(DATA).iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_name_that_leaves_the_catalogue_is_noticed(monkeypatch):
    monkeypatch.delitem(catalogue.ENTRIES, "alibi")
    with pytest.raises(refpos.InputError):
        lock.current(lock.read_lock(), ("core",))
    assert set(golden.suite_names()) != set(catalogue.ENTRIES)


# -- verification -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers():
    """The right answers to every core case: what is shipped, made anew where that is a sample."""
    return {f"{id}/{name}": tensor for id in VALUES for name, tensor in shipped(id).items()}


def shipped(id):
    """The outputs of a case, whole."""
    entry, suite = VALUES[id]
    held = suite.tensors(entry)["outputs"]
    if None not in held.values():
        return held
    (case,) = (case for case in golden.cases(id.partition("/")[0], tier="core") if case.id == id)
    return outputs_of(case)


def of(answers, suite):
    return {name: tensor for name, tensor in answers.items() if name.startswith(f"{suite}/")}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "suffix, write", [("safetensors", tensor_files.write_safetensors), ("npz", tensor_files.write_npz)]
)
def test_right_answers_are_correct(answers, tmp_path, suffix, write):
    path = tmp_path / f"answers.{suffix}"
    write(path, answers)
    steps = []
    result = golden.verify(path, progress=lambda done, total, name: steps.append((done, total)))
    assert result and result.exit_code == 0 and result.met == "correct", str(result)
    assert (result.ran, result.expected) == (len(VALUES), len(VALUES))
    assert f"ran {len(VALUES)} of {len(VALUES)}" in str(result)
    assert steps[0] == (0, len(ENTRIES)) and steps[-1] == (len(ENTRIES), len(ENTRIES))


def test_one_wrong_bit_is_found_and_shown(answers, tmp_path):
    mine = of(answers, "sinusoidal")
    name = "sinusoidal/base-100-f64/output"
    values = mine[name].values.copy()
    values.view(np.uint64)[3, 4] ^= np.uint64(1 << 63)
    mine[name] = tensor_files.Tensor("float64", values)
    tensor_files.write_npz(tmp_path / "a.npz", mine)
    result = golden.verify(tmp_path / "a.npz", suites=["sinusoidal"])
    assert not result and result.exit_code == 1 and result.met is None
    (finding,) = result.of("differs")
    assert finding.id == "sinusoidal/base-100-f64" and finding.report.worst.index == (3, 4)
    assert set(result.shared_flags) == set(finding.flags)
    text = str(result)
    assert (
        f"{int(values.view(np.uint64)[3, 4]):016x}" in text and "(3, 4)" in text and repr(float(values[3, 4])) in text
    )
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert found["exit_code"] == 1 and found["differs"] == 1 and found["ran"] == found["expected"]


#: the cases of rope_table along one axis; those along several are in test_float32_answers.py
ACCOUNTED = [
    id
    for id, (entry, _) in VALUES.items()
    if id.startswith("rope_table/")
    and entry["arguments"]["frequencies"]["function"] not in ("axial_frequencies", "mrope_frequencies")
]


def float32_tables(inverse=lambda inv_freq: inv_freq):
    """What float32 code gives for the suite rope_table, and with a change to its frequencies."""
    held = {}
    for id in ACCOUNTED:
        entry, suite = VALUES[id]
        call = entry["arguments"]["frequencies"]
        nested, factor = call["arguments"], np.float32(1)
        if call["function"] == "inverse_frequencies":
            exponents = np.arange(0, nested["dim"], 2, dtype=np.float32) / np.float32(nested["dim"])
            inv_freq = inverse((1 / np.float32(nested["base"]) ** exponents).astype(np.float32))
        else:
            scaled = argument(call)
            inv_freq, factor = inverse(scaled.rounded("float32")), np.float32(scaled.attention_factor)
        given = suite.tensors(entry)["inputs"].get("positions")
        places = np.arange(entry["arguments"]["positions"]) if given is None else widened(given)
        angle = places.astype(np.float32)[..., None] * inv_freq
        for name, function in (("cos", np.cos), ("sin", np.sin)):
            dtype = entry["outputs"][name]["dtype"]
            dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
            held[f"{id}/{name}"] = (function(angle) * factor).astype(dtype)
    return held


def test_float32_code_meets_its_class(tmp_path):
    tensor_files.write_npz(tmp_path / "a.npz", float32_tables())
    result = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED)
    assert result and result.met == "float32-angle", str(result)
    strict = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED, conformance="faithful")
    assert strict.exit_code == 1 and "float32-angle, not faithful" in str(strict)


def test_bfloat16_frequencies_fail_and_are_named(tmp_path):
    tensor_files.write_npz(
        tmp_path / "a.npz", float32_tables(lambda f: f.astype(ml_dtypes.bfloat16).astype(np.float32))
    )
    result = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED)
    assert result.exit_code == 1 and len(result.of("differs")) > 20
    assert next(iter(result.flags)) == "NarrowAngle" and "NarrowAngle" in result.shared_flags
    assert golden.FLAGS["NarrowAngle"].links[0] in str(result)


def test_a_swapped_pairing_is_named(answers, tmp_path):
    mine = {}
    for name, tensor in of(answers, "rope").items():
        case = next(case for case in golden.cases("rope") if name == f"{case.id}/output")
        mine[name] = tensor
        if "InterleavedVsHalf" in case.flags:
            other = "half" if case.arguments["pairing"] == "interleaved" else "interleaved"
            swapped = type(case)(
                case.id,
                case.about,
                {**case.arguments, "pairing": other},
                case.inputs,
                case.flags,
                case.tier,
                case.source,
            )
            if not any(values.rule == "cancelling" for values in case.inputs.values()):
                mine[name] = outputs_of(swapped)["output"]
    tensor_files.write_safetensors(tmp_path / "a.safetensors", mine)
    result = golden.verify(tmp_path / "a.safetensors", suites=["rope"])
    assert result.exit_code == 1 and next(iter(result.flags)) == "InterleavedVsHalf" == result.shared_flags[0]


def test_missing_and_unknown_tensors_are_named(answers, tmp_path):
    mine = of(answers, "alibi_slopes")
    del mine["alibi_slopes/bloom-112/output"]
    mine["alibi_slopes/blooom/output"] = np.zeros(3)
    tensor_files.write_npz(tmp_path / "a.npz", mine)
    result = golden.verify(tmp_path / "a.npz", suites=["alibi_slopes"])
    assert result.exit_code == 2 and result.ran == result.expected - 1
    assert result.of("missing")[0].id == "alibi_slopes/bloom-112" and result.unknown == ("alibi_slopes/blooom/output",)
    assert "alibi_slopes/bloom-112/output" in str(result) and "alibi_slopes/blooom/output" in str(result)
    assert golden.verify(tmp_path / "a.npz", cases=["alibi_slopes/recursive-3-f64"]).exit_code == 0


@pytest.mark.parametrize(
    "array, code",
    [
        (np.zeros(3), "E_SHAPE"),
        (np.zeros((0, 12)), "E_SHAPE"),
        (np.zeros(12, np.float32), "E_DTYPE"),
        (np.zeros(12, np.int64), "E_DTYPE"),
        (np.zeros(12, np.uint16), "E_DTYPE"),
    ],
)
def test_answers_of_another_shape_or_dtype_are_unusable(tmp_path, array, code):
    tensor_files.write_npz(tmp_path / "a.npz", {"alibi_slopes/recursive-12-f64": array})
    result = golden.verify(tmp_path / "a.npz", cases=["alibi_slopes/recursive-12-f64"])
    assert result.exit_code == 2 and result.of("unusable")[0].sentence.startswith(code)


def test_answers_may_be_patterns_wider_or_folders(answers, tmp_path):
    ids = [
        "rope_table/telling-10000-bf16",
        "rope_table/telling-10000-f16",
        "t5_buckets/far-causal",
        "rope_table/telling-10000-f32",
    ]
    folder = tmp_path / "answers"
    for id in ids:
        for name in VALUES[id][0]["outputs"]:
            held = answers[f"{id}/{name}"]
            file = folder / f"{id}/{name}.npy"
            file.parent.mkdir(parents=True, exist_ok=True)
            values = {
                "bfloat16": held.values,
                "float16": held.values.view(np.uint16),
                "int64": held.values.astype(np.int32),
            }
            np.save(file, values.get(held.dtype, held.values.astype(np.float64)))
    result = golden.verify(folder, cases=ids)
    assert result and result.ran == 4, str(result)


def test_refusals_may_be_answered(tmp_path):
    ids = ["alibi/refused-mode", "alibi/refused-heads-zero"]
    code = np.frombuffer(b"E_CHOICE", np.uint8)
    tensor_files.write_npz(tmp_path / "a.npz", {f"{id}/error": code for id in ids})
    result = golden.verify(tmp_path / "a.npz", cases=ids)
    assert [finding.state for finding in result.findings] == ["differs", "met"]
    assert result.exit_code == 1


@pytest.mark.parametrize("tier", ["core", pytest.param("extended", marks=pytest.mark.exhaustive)])
def test_the_blind_exchange(tier, answers, tmp_path):
    count = golden.generate(tmp_path, prompt=True, tier=tier, suites=["rope", "t5_bias"])
    tiers = TIERS[: TIERS.index(tier) + 1]
    wanted = [
        case for case in golden.cases() if case.suite in ("rope", "t5_bias") and case.tier in tiers and not case.refusal
    ]
    assert count == len(wanted)
    for name in ("rope", "t5_bias"):
        document = json.loads((tmp_path / f"{name}.json").read_text())
        VALIDATOR.validate(document)
        assert all("outputs" not in entry and "error" not in entry for entry in document["cases"])
    with pytest.raises(refpos.FileError, match=r"no answers\.npz or answers\.safetensors"):
        golden.verify(tmp_path)
    tensor_files.write_safetensors(
        tmp_path / "answers.safetensors",
        {f"{case.id}/{name}": tensor for case in wanted for name, tensor in outputs_of(case).items()},
    )
    result = golden.verify(tmp_path)
    assert result and result.ran == count and result.met == "correct", str(result)
    tensor_files.write_npz(tmp_path / "answers.npz", {"rope/units-half": np.eye(8)})
    (tmp_path / "answers.safetensors").unlink()
    result = golden.verify(tmp_path)
    assert result.exit_code == 1 and result.ran == 1 and len(result.of("missing")) == count - 1


def test_an_export_holds_inputs_and_outputs_for_numpy(tmp_path):
    golden.export_npz(tmp_path, suites=["alibi_slopes", "t5_bias"])
    with np.load(tmp_path / "t5_bias.npz") as held:
        id = "t5_bias/t5-small-encoder-bf16"
        found = held[f"{id}/output"].view(ml_dtypes.bfloat16), held[f"{id}/weight"].view(ml_dtypes.bfloat16)
        assert np.array_equal(found[0][:, 0, 0], found[1][0])
    assert golden.verify(tmp_path, suites=["alibi_slopes", "t5_bias"]).met == "correct"


@pytest.mark.parametrize("options", [{"suites": ["nothing"]}, {"cases": ["rope/nothing"]}, {"conformance": "exact"}])
def test_unknown_names_are_refused(tmp_path, options):
    tensor_files.write_npz(tmp_path / "a.npz", {"x": np.zeros(1)})
    with pytest.raises(refpos.InputError) as caught:
        golden.verify(tmp_path / "a.npz", **options)
    assert caught.value.code == "E_CHOICE"


# -- the documentation ------------------------------------------------------------------------------------------------


def reader():
    (found,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "golden-format.md").read_text(), re.DOTALL)
    return found


@pytest.mark.parametrize("name", SUITES)
def test_the_reader_of_the_documentation_reads_every_suite(name):
    code = reader()
    assert len([line for line in code.splitlines() if line.strip()]) <= 30
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, DATA, name], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    document = SUITES[name].document
    wanted = [
        f"{entry['id']} {key}"
        for entry in document["cases"]
        for side in ("inputs", "outputs")
        for key, found in entry.get(side, {}).items()
        if "sample" not in found
    ]
    assert len(lines) == len(wanted) and all(line.startswith(start) for line, start in zip(lines, wanted, strict=True))


def test_the_documentation_names_every_field():
    text = (ROOT / "docs" / "golden-format.md").read_text()
    fields = {key for entry, _ in ENTRIES.values() for key in entry}
    assert all(f"`{key}`" in text for key in fields)
