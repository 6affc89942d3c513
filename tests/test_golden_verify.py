"""What verification says of the numbers of others, and the reader of the documentation."""

import json
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from test_golden import ENTRIES, ROOT, SUITES, VALIDATOR, VALUES, widened
from tiers import sampled

import refpos
from refpos import golden, tensor_files
from refpos.golden.case import TIERS
from refpos.golden.read import DATA
from refpos.golden.run import argument, outputs_of

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


def test_bounds_are_derived_where_an_answer_differs(answers, tmp_path, monkeypatch):
    module, asked = sys.modules["refpos.diagnosis.judge"], []
    derive = module.bounds_of
    monkeypatch.setattr(module, "bounds_of", lambda *call: asked.append(call[0]) or derive(*call))
    mine = of(answers, "alibi_slopes")
    tensor_files.write_npz(tmp_path / "right.npz", mine)
    right = golden.verify(tmp_path / "right.npz", suites=["alibi_slopes"])
    assert right and not asked and right.met == "correct" and "float64-power" in right.findings[0].classes
    name = "alibi_slopes/recursive-5-f64/output"
    mine[name] = tensor_files.Tensor("float64", np.nextafter(mine[name].values, 1))
    tensor_files.write_npz(tmp_path / "near.npz", mine)
    near = golden.verify(tmp_path / "near.npz", suites=["alibi_slopes"])
    assert asked == ["alibi_slopes"] and near.met == "faithful"


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
            of = nested.get("exponent_dim") or nested["dim"]
            exponents = np.arange(0, nested["dim"], 2, dtype=np.float32) / np.float32(of)
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


@pytest.mark.exhaustive
def test_float32_code_meets_its_class(tmp_path):
    tensor_files.write_npz(tmp_path / "a.npz", float32_tables())
    result = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED)
    assert result and result.met == "float32-angle", str(result)
    strict = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED, conformance="faithful")
    assert strict.exit_code == 1 and "float32-angle, not faithful" in str(strict)


@pytest.mark.exhaustive
def test_bfloat16_frequencies_fail_and_are_named(tmp_path):
    tensor_files.write_npz(
        tmp_path / "a.npz", float32_tables(lambda f: f.astype(ml_dtypes.bfloat16).astype(np.float32))
    )
    result = golden.verify(tmp_path / "a.npz", cases=ACCOUNTED)
    assert result.exit_code == 1 and len(result.of("differs")) > 20
    assert next(iter(result.flags)) == "NarrowAngle" and "NarrowAngle" in result.shared_flags
    # as a wrong call, or where the angle is exactly that of float32 as the emulation of it
    named = "cases: your numbers are those of (emulate.bfloat16_inv_freq .float32_angle with )?inv_freq rounded to bf"
    assert re.search(named, str(result))


@pytest.mark.exhaustive
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
    one = golden.verify(tmp_path / "a.npz", cases=["alibi_slopes/recursive-3-f64"])
    assert one.ran == len(one.of("met")) == 1 and one.exit_code == 2 and "1 without a case" in str(one)
    del mine["alibi_slopes/blooom/output"]
    tensor_files.write_npz(tmp_path / "a.npz", mine)
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("tier", ["core", "extended"])
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


@pytest.mark.parametrize("name", ["suites", "cases"])
@pytest.mark.parametrize("live", [False, True])
def test_a_choice_of_nothing_is_no_fault_of_the_folder(name, live):
    one = f"{name} must name at least one {name[:-1]}, or be None for all, got []"
    for none in ([], ()):
        with pytest.raises(refpos.InputError, match=re.escape(one)) as caught:
            golden.verify_live(["cat"], **{name: none}) if live else golden.verify({"a/b": np.ones(1)}, **{name: none})
        assert (caught.value.code, caught.value.argument) == ("E_CHOICE", name)


def test_a_case_of_another_suite_than_those_chosen_is_named_so():
    for case in ("rope_table/telling-500000-f32", "rope_table/telling-*"):
        sentence = f"cases must be those of the suites that are chosen (alibi, rope), got {case!r} of rope_table"
        with pytest.raises(refpos.InputError, match=re.escape(sentence)) as caught:
            golden.verify({case: np.ones(1)}, suites=["rope", "alibi"], cases=["rope/llama-*", case])
        assert (caught.value.code, caught.value.argument) == ("E_CHOICE", "cases")
    with pytest.raises(refpos.InputError, match="did you mean rope_table/telling-"):
        golden.verify({"a/b": np.ones(1)}, suites=["rope"], cases=["rope_table/teling-500000-f32"])


# -- the documentation ------------------------------------------------------------------------------------------------


def reader():
    (found,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "golden-format.md").read_text(), re.DOTALL)
    return found


@pytest.mark.parametrize("name", sampled(SUITES, 12))
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


def test_a_file_that_cannot_be_opened_is_refused_before_the_corpus_is_read(tmp_path, monkeypatch):
    verify = sys.modules["refpos.golden.verify"]
    monkeypatch.setattr(verify, "_expected", lambda *_: pytest.fail("the corpus was read"))
    with pytest.raises(refpos.FileError, match=r"missing\.npz must be a readable file"):
        golden.verify(tmp_path / "missing.npz")


def test_names_of_other_cases_are_no_answers_to_one(tmp_path):
    """`a/b` is no prefix of the names of `a/bc`."""
    path = tmp_path / "answers.npz"
    tensor_files.write_npz(path, {"alibi_slopes/recursive-5-f64x": np.zeros(5), "rope": np.zeros(2)})
    result = golden.verify(path, cases=["alibi_slopes/recursive-5-f64"])
    assert [finding.state for finding in result.findings] == ["missing"]
    assert "got none" in result.findings[0].sentence and result.unknown == ("alibi_slopes/recursive-5-f64x", "rope")
