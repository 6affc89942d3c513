"""Checks that must not pass by mistake: each mistake planted here has to turn `verify`, `compare` or the tests of the
documentation red. Folders are edited and sealed again with every digest made anew, as somebody careful would."""

import importlib
import json
import shutil

import numpy as np
import pytest

import refpos
from refpos import cli, golden, tensor_files, testing
from refpos.golden import format as golden_format
from refpos.golden.generate import sha256
from refpos.golden.run import outputs_of
from refpos.golden.strict_json import in_lines

SUITES = ["alibi_slopes", "sincos_2d", "xpos_scale"]
SUITE = "alibi_slopes"
ID = "alibi_slopes/recursive-5-f64"
FLOAT32 = "alibi_slopes/recursive-6-f32"


def is_red(call):
    """Whether a verification or comparison ends in anything but success."""
    try:
        return not call()
    except refpos.InputError as error:
        assert 0 < len(str(error)) < 600, error
        return True


def by_command(*arguments):
    """A call of the command line that is true when it says that all is well, and never says 1 for a breakdown."""
    status = cli.main([str(argument) for argument in arguments])
    assert status in (0, 1, 2)
    return status == 0


@pytest.fixture(scope="module", autouse=True)
def derived_once():
    """What verification derives of a case, its bounds and its outputs, is derived once for each call and its arrays."""
    judge, verify = map(importlib.import_module, ("refpos.diagnosis.judge", "refpos.golden.verify"))
    bounds, outputs, held = judge.bounds_of, verify.outputs_of, {}

    def bounds_of(suite, arguments, tensors, expected):
        arrays = [
            (name, tensor.dtype, tensor.values.shape, tensor.values.tobytes()) for name, tensor in tensors.items()
        ]
        shapes = [(name, tensor.dtype, tensor.values.shape) for name, tensor in expected.items()]
        key = repr((suite, arguments, arrays, shapes))
        return held[key] if key in held else held.setdefault(key, bounds(suite, arguments, tensors, expected))

    def computed(case):
        return held[case.id] if case.id in held else held.setdefault(case.id, outputs(case))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "bounds_of", bounds_of)
        patch.setattr(verify, "outputs_of", computed)
        yield


# -- golden folders ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "golden"
    golden.generate(folder, suites=SUITES)
    return folder


@pytest.fixture(scope="module")
def prompts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "prompt"
    golden.generate(folder, suites=SUITES, prompt=True)
    return folder


@pytest.fixture(scope="module")
def right():
    """{name: tensor}: the right answers to the suites."""
    members = [case for suite in SUITES for case in golden.cases(suite, tier="core") if not case.refusal]
    return {f"{case.id}/{name}": tensor for case in members for name, tensor in outputs_of(case).items()}


def edit(folder, change, suite=SUITE):
    """Change a document and the manifest, and make every digest anew."""
    path, listed = folder / f"{suite}.json", folder / "MANIFEST.json"
    document, manifest = json.loads(path.read_text()), json.loads(listed.read_text())
    files_of = dict(manifest["files"])
    change(document, manifest)
    document["digest"] = golden_format.document_digest(document)
    path.write_bytes(golden_format.serialise(document))
    for name in manifest["files"]:
        if (folder / name).exists() and manifest["files"][name] == files_of.get(name):
            manifest["files"][name] = sha256(folder / name)
    listed.write_bytes(in_lines(manifest))


def case_of(document, id=ID):
    return next(entry for entry in document["cases"] if entry["id"] == id)


def with_bits(tensor, change):
    """The tensor's entry with other bit strings, and its own digest of them."""
    tensor["bits"] = change(list(tensor["bits"]))
    values = golden_format.from_bit_strings(tensor["dtype"], tensor["shape"], tensor["bits"])
    tensor["sha256"] = golden_format.digest(values)


def in_case(change, id=ID):
    return lambda document, manifest: change(case_of(document, id))


def in_both(**fields):
    return lambda document, manifest: (document.update(fields), manifest.update(fields))


def in_manifest(**fields):
    return lambda document, manifest: manifest.update(fields)


def in_document(**fields):
    return lambda document, manifest: document.update(fields)


def first_bit(strings):
    return [f"{int(strings[0], 16) ^ 1:0{len(strings[0])}x}", *strings[1:]]


def a_nan(strings):
    return ["7ff8000000000000", *strings[1:]]


def widened(document, manifest):
    for entry in document["cases"]:
        for limits in entry.get("classes", {}).values():
            limits.update(dict.fromkeys(limits, "41cdcd6500000000"))


def nan_as_a_prompt(document, manifest):
    with_bits(case_of(document)["outputs"]["output"], a_nan)
    manifest["prompt"] = True


#: of the document of alibi_slopes and of the manifest
DOCUMENTS = {
    "the first case gone": lambda document, _: document["cases"].pop(0),
    "the last case gone": lambda document, _: document["cases"].pop(),
    "every case gone": lambda document, _: document["cases"].clear(),
    "all values gone": lambda document, _: document.update(cases=[c for c in document["cases"] if "error" in c]),
    "refusals gone": lambda document, _: document.update(cases=[c for c in document["cases"] if "error" not in c]),
    "a case twice": lambda document, _: document["cases"].append(document["cases"][0]),
    "another order": lambda document, _: document["cases"].reverse(),
    "another id": in_case(lambda entry: entry.update(id=f"{SUITE}/of-my-own")),
    "two ids exchanged": lambda document, _: [
        entry.update(id=id)
        for entry, id in zip(document["cases"][:2], [c["id"] for c in document["cases"][1::-1]], strict=True)
    ],
    "a case more": lambda document, _: document["cases"].append({**case_of(document), "id": f"{SUITE}/of-my-own"}),
    "bounds of all classes": widened,
    "a class more": in_case(lambda entry: entry["classes"].update({"float32-angle": {"output": "3ff0000000000000"}})),
    "a class gone": in_case(lambda entry: entry["classes"].pop("float64-power")),
    "no classes": in_case(lambda entry: entry["classes"].clear()),
    "another source": in_case(lambda entry: entry.update(source={"paper": "mine"})),
    "no flags": in_case(lambda entry: entry["flags"].clear()),
    "another flag": in_case(lambda entry: entry.update(flags=["OffByOne"])),
    "other words": in_case(lambda entry: entry.update(about="right")),
    "another tier": in_case(lambda entry: entry.update(tier="extended")),
    "another argument": in_case(lambda entry: entry["arguments"].update(num_heads=6)),
    "no arguments": in_case(lambda entry: entry["arguments"].clear()),
    "another hardness": in_case(lambda entry: entry["hardness"].update(output=None)),
    "one bit": in_case(lambda entry: with_bits(entry["outputs"]["output"], first_bit)),
    "a NaN": in_case(lambda entry: with_bits(entry["outputs"]["output"], a_nan)),
    "a NaN, called a prompt": nan_as_a_prompt,
    "one bit, its digest left": in_case(lambda entry: entry["outputs"]["output"].update(
        bits=first_bit(entry["outputs"]["output"]["bits"])
    )),
    "an output under another name": in_case(lambda entry: entry.update(outputs={"out": entry["outputs"]["output"]})),
    "no outputs": in_case(lambda entry: entry["outputs"].clear()),
    "an output as float32": in_case(lambda entry: entry["outputs"]["output"].update(dtype="float32")),
    "another shape": in_case(lambda entry: entry["outputs"]["output"].update(shape=[1, 5])),
    "another refusal": in_case(lambda entry: entry["error"].update(code="E_BASE"), f"{SUITE}/refused-convention"),
    "a value as a refusal": in_case(lambda entry: [
        entry.pop(name) for name in ("outputs", "hardness", "classes")
    ] + [entry.update(error={"code": "E_SIZE", "argument": "num_heads"})]),
    "a value as a wish": in_case(lambda entry: [
        entry.pop(name) for name in ("outputs", "hardness", "classes")
    ] + [entry.update(wanted={"output": {"dtype": "float64", "shape": [5]}})]),
    "prompt in the manifest": in_manifest(prompt=True),
    "prompt in the document": in_document(prompt=True),
    "prompt in both": in_both(prompt=True),
    "prompt is 0": in_manifest(prompt=0),
    "values_version in the manifest": in_manifest(values_version="9.9.9"),
    "values_version in the document": in_document(values_version="9.9.9"),
    "values_version in both": in_both(values_version="9.9.9"),
    "values_version of before": in_both(values_version="1.0.0"),
    "format_version in the manifest": in_manifest(format_version="7"),
    "format_version in both": in_both(format_version="7"),
    "format_version is a number": in_manifest(format_version=1.0),
    "licence in both": in_both(licence="mine"),
    "tiers of nothing": in_manifest(tiers=["x"]),
    "no tiers": in_both(tiers=[]),
    "more tiers in the manifest": in_manifest(tiers=["core", "extended"]),
    "more tiers in both": in_both(tiers=["core", "extended"]),
    "another suite": in_document(suite="alibi"),
    "no files": in_manifest(files={}),
    "the document not listed": lambda _, manifest: manifest["files"].pop(f"{SUITE}.json"),
    "the payload not listed": lambda _, manifest: manifest["files"].pop(f"{SUITE}.safetensors"),
    "another file listed": lambda _, manifest: manifest["files"].update({"mine.json": "0" * 64}),
    "an absent suite listed": lambda _, manifest: manifest["files"].update({"rope.json": "0" * 64}),
    "another sha256": lambda _, manifest: manifest["files"].update({f"{SUITE}.json": "0" * 64}),
    "no sha256": lambda _, manifest: manifest["files"].update({f"{SUITE}.json": None}),
    "a field more": in_manifest(note="mine"),
    "no version": lambda _, manifest: manifest.pop("values_version"),
}  # fmt: skip


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "golden")
    return tmp_path / "golden"


def answered(folder, right):
    tensor_files.write_npz(folder.parent / "right.npz", right)
    return folder.parent / "right.npz"


@pytest.mark.exhaustive
def test_what_is_whole_is_green(folder, prompts, right, tmp_path, capsys):
    """Else no mistake below would show anything."""
    count = sum(case.suite in SUITES for case in golden.cases(tier="core"))
    result = golden.verify(folder)
    assert result and result.ran == count and result.absent == len(golden.cases()) - count
    assert by_command("verify", folder) and f"{result.absent} of {len(golden.cases())}" in capsys.readouterr().out
    file = answered(folder, right)
    assert golden.verify(file, golden=folder) and golden.verify(file, suites=SUITES)
    edit(folder, lambda document, manifest: None)
    assert golden.verify(folder) and golden.verify(file, golden=folder)
    assert golden.verify(file, golden=prompts).ran == len(right)
    # one suite is whole too, and a second one beside it is verified with it
    golden.generate(tmp_path / "one", suites=["xpos_scale"])
    golden.generate(tmp_path / "one", suites=["alibi_slopes"])
    assert {found.id.partition("/")[0] for found in golden.verify(tmp_path / "one").findings} == set(SUITES[::2])


@pytest.mark.exhaustive
@pytest.mark.parametrize("planted", DOCUMENTS)
def test_a_sealed_folder_with_a_mistake_is_red(planted, folder, right):
    """As a folder, by suite, by command, and as what right answers are held against."""
    edit(folder, DOCUMENTS[planted])
    assert is_red(lambda: golden.verify(folder))
    assert is_red(lambda: golden.verify(folder, suites=[SUITE]))
    assert not by_command("verify", folder)
    file = answered(folder, right)
    assert is_red(lambda: golden.verify(file, golden=folder))
    assert not by_command("verify", file, "--golden", folder)
    shutil.copy(file, folder / "answers.npz")
    assert is_red(lambda: golden.verify(folder))


def sample_of_another(document, manifest):
    sample = case_of(document, "sincos_2d/mae-base-f32")["outputs"]["output"]["sample"]
    sample["bits"] = first_bit(sample["bits"])


def input_of_another(document, manifest):
    with_bits(case_of(document, "xpos_scale/paper")["inputs"]["positions"], first_bit)


@pytest.mark.exhaustive
@pytest.mark.parametrize("suite, change", [("sincos_2d", sample_of_another), ("xpos_scale", input_of_another)])
def test_a_sample_and_an_input_with_a_mistake_are_red(suite, change, folder, right):
    edit(folder, change, suite)
    assert is_red(lambda: golden.verify(folder)) and not by_command("verify", folder)
    assert is_red(lambda: golden.verify(answered(folder, right), golden=folder))


def moved(name, other):
    return lambda folder: (folder / name).rename(folder / other)


def copied_from(options):
    """A suite of another kind beside those of the manifest."""

    def change(folder):
        golden.generate(folder.parent / "other", suites=["alibi"], **options)
        for path in folder.parent.glob("other/alibi.*"):
            shutil.copy(path, folder / path.name)

    return change


def one_tensor_more(folder):
    path = folder / f"{SUITE}.safetensors"
    tensor_files.write_safetensors(path, {**tensor_files.read_tensors(path), "mine": np.zeros(3)})
    edit(folder, lambda document, manifest: None)


def one_bit_of_the_payload(folder):
    path = folder / f"{SUITE}.safetensors"
    tensors = tensor_files.read_tensors(path)
    name = f"{SUITE}/bloom-112/output"
    tensors[name].values.view(np.uint64)[3] ^= np.uint64(1)
    tensor_files.write_safetensors(path, tensors)
    edit(folder, in_case(lambda entry: entry["outputs"]["output"].update(
        sha256=golden_format.digest(tensors[name])
    ), f"{SUITE}/bloom-112"))  # fmt: skip


#: of the files in the folder
FILES = {
    "no manifest": lambda folder: (folder / "MANIFEST.json").unlink(),
    "an empty manifest": lambda folder: (folder / "MANIFEST.json").write_text(""),
    "a manifest that is a list": lambda folder: (folder / "MANIFEST.json").write_text("[]\n"),
    "a manifest under another name": moved("MANIFEST.json", "manifest.json.old"),
    "no document": lambda folder: (folder / f"{SUITE}.json").unlink(),
    "no payload": lambda folder: (folder / f"{SUITE}.safetensors").unlink(),
    "an empty payload": lambda folder: (folder / f"{SUITE}.safetensors").write_bytes(b""),
    "a tensor more": one_tensor_more,
    "one bit of the payload": one_bit_of_the_payload,
    "answers misnamed": lambda folder: np.savez(folder / "answer.npz", x=np.zeros(3)),
    "answers misnamed as safetensors": lambda folder: tensor_files.write_safetensors(
        folder / "my.safetensors", {"x": [0.0]}
    ),
    "answers as npy": lambda folder: np.save(folder / "answers.npy", np.zeros(3)),
    "answers in capitals": lambda folder: tensor_files.write_npz(folder / "Answers.NPZ", {"x": np.zeros(3)}),
    "answers in a folder below": lambda folder: (
        (folder / "answers").mkdir(),
        tensor_files.write_npz(folder / "answers" / "answers.npz", {"x": np.zeros(3)}),
    ),
    "a payload in capitals": lambda folder: shutil.copy(
        folder / f"{SUITE}.safetensors", folder / f"{SUITE}.SAFETENSORS"
    ),
    "answers that are none": lambda folder: np.savez(folder / "answers.npz"),
    "answers that are broken": lambda folder: (folder / "answers.npz").write_bytes(b"PK\x03\x04"),
    "a suite of another tier": copied_from({"tier": "extended"}),
    "prompts of a suite": copied_from({"prompt": True}),
    "a payload without its document": lambda folder: shutil.copy(
        folder / f"{SUITE}.safetensors", folder / "alibi.safetensors"
    ),
}


@pytest.mark.parametrize("planted", FILES)
def test_a_folder_with_other_files_is_red(planted, folder):
    FILES[planted](folder)
    assert is_red(lambda: golden.verify(folder))
    assert not by_command("verify", folder)


def test_a_folder_without_a_manifest_is_called_interrupted(folder, capsys):
    (folder / "MANIFEST.json").unlink()
    for arguments in ([folder], [folder, "--suite", SUITE], [folder / "a.npz", "--golden", folder]):
        assert not by_command("verify", *arguments)
        assert "no MANIFEST.json: generate was interrupted; run it again" in capsys.readouterr().err


def test_another_version_is_refused_by_name_with_what_to_do(folder, capsys):
    edit(folder, in_both(values_version="1.0.0"))
    assert not by_command("verify", folder)
    said = capsys.readouterr().err
    assert all(word in said for word in ("values_version", "'1.0.0'", golden.VALUES_VERSION, "refpos generate"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [{"tier": "extended"}, {"tier": "extended", "prompt": True}])
def test_the_larger_tiers_and_the_prompts_are_locked_too(options, tmp_path, right):
    """Bounds, words, samples and wishes, of which the digest of a case says nothing."""
    folder = tmp_path / "golden"
    golden.generate(folder, suites=[SUITE], **options)
    file = answered(folder, right)
    ids = [name.rpartition("/")[0] for name in right if name.startswith(f"{SUITE}/")]
    assert golden.verify(file, golden=folder, cases=ids)
    if "prompt" not in options:
        found = golden.verify(folder)
        assert found and found.expected == len(golden.cases(SUITE))
    changes = [in_case(lambda entry: entry.update(about="right")), lambda document, _: document["cases"].pop()]
    changes += [in_case(lambda entry: entry["wanted" if "wanted" in entry else "classes"].clear())]
    for change in changes:
        shutil.copytree(folder, tmp_path / "copy")
        edit(tmp_path / "copy", change)
        assert is_red(lambda: golden.verify(tmp_path / "copy"))
        assert is_red(lambda: golden.verify(file, golden=tmp_path / "copy", cases=ids))
        shutil.rmtree(tmp_path / "copy")


#: of what is asked of a whole folder
QUESTIONS = {
    "a case that is none": {"cases": ["rope/nonexist*"]},
    "a case of these suites that is none": {"cases": [f"{SUITE}/nonexist*"]},
    "one form of two meets none": {"cases": [ID, f"{SUITE}/nonexist*"]},
    "a case of another tier": {"cases": [golden.cases(SUITE, tier="extended")[0].id]},
    "no cases": {"cases": []},
    "an empty form": {"cases": [""]},
    "a suite that is none": {"suites": ["nothing"]},
    "a suite that is not there": {"suites": ["rope"]},
    "one suite of two is not there": {"suites": [SUITE, "rope"]},
    "no suites": {"suites": []},
    "a case of another suite": {"suites": ["sincos_2d"], "cases": [ID]},
    "a class that is none": {"conformance": "exact"},
    "an empty class": {"conformance": ""},
    "a corpus to hold it against": {"golden": "."},
}


@pytest.mark.parametrize("planted", QUESTIONS)
def test_a_question_that_no_case_answers_is_red(planted, made, right, tmp_path):
    options = QUESTIONS[planted]
    assert is_red(lambda: golden.verify(made, **options))
    names = {"cases": "--case", "suites": "--suite", "conformance": "--conformance", "golden": "--golden"}
    given = {names[key]: [held] if isinstance(held, str) else held for key, held in options.items()}
    words = [(name, word) for name, held in given.items() for word in held]
    if words:  # an empty list cannot be said there
        assert not by_command("verify", made, *sum(words, ()))
    if "golden" not in options:
        tensor_files.write_npz(tmp_path / "a.npz", right)
        assert is_red(lambda: golden.verify(tmp_path / "a.npz", golden=made, **options))


def test_what_is_asked_of_a_folder_is_what_is_verified(made, capsys):
    assert golden.verify(made, cases=[ID]).ran == golden.verify(made, cases=ID).ran == 1
    assert [f.id for f in golden.verify(made, cases=["*/recursive-6-*"]).findings] == [FLOAT32]
    count = len(golden.cases("xpos_scale", tier="core"))
    assert golden.verify(made, suites="xpos_scale").ran == golden.verify(made, suites=["xpos_scale"]).ran == count
    assert by_command("verify", made, "--case", ID, "--json")
    assert [found["id"] for found in json.loads(capsys.readouterr().out)["findings"]] == [ID]
    assert by_command("verify", made, "--suite", SUITE, "--dtype", "float32")
    count = len(testing.cases(SUITE, dtype="float32"))
    assert count > 5 and f"ran {count} of {count}: " in capsys.readouterr().out
    assert not by_command("verify", made, "--case", ID, "--dtype", "float32")
    assert "--dtype" in capsys.readouterr().err


# -- prompts and answers ----------------------------------------------------------------------------------------------


def changed(name, change):
    """Answers with another array under that name."""
    return lambda held: {**held, name: tensor_files.Tensor(held[name].dtype, change(held[name].values.copy()))}


def put(values, at, what):
    values.flat[at] = what
    return values


def renamed(change):
    return lambda held: {change(name): tensor for name, tensor in held.items()}


VALUE, NARROW = f"{ID}/output", f"{FLOAT32}/output"
PATTERNS = f"{SUITE}/recursive-12-bf16/output"

#: of right answers to the three suites; each leaves at least one case wrong, missing or unusable
ANSWERS = {
    "nothing": lambda held: {},
    "one answer missing": lambda held: {name: tensor for name, tensor in held.items() if name != VALUE},
    "one answer alone": lambda held: {VALUE: held[VALUE]},
    "a suite missing": lambda held: {name: tensor for name, tensor in held.items() if not name.startswith(SUITE)},
    "another output name": renamed(lambda name: name.replace(VALUE, f"{ID}/out")),
    "other output names": renamed(lambda name: name.replace("/output", "/outputs")),
    "another id": renamed(lambda name: name.replace(ID, f"{ID}x")),
    "other letters": renamed(str.upper),
    "names of one suite": renamed(lambda name: name.partition("/")[2]),
    "a NaN": changed(VALUE, lambda values: put(values, 1, np.nan)),
    "every value NaN": changed(VALUE, lambda values: values * np.nan),
    "an infinity": changed(VALUE, lambda values: put(values, 1, np.inf)),
    "a sign": changed(VALUE, lambda values: put(values, 1, -values[1])),
    "zeros": changed(VALUE, np.zeros_like),
    "a value in a thousand": changed(VALUE, lambda values: values * 1.001),
    "two values exchanged": changed(VALUE, lambda values: values[[1, 0, 2, 3, 4]]),
    "the values reversed": changed(VALUE, lambda values: values[::-1].copy()),
    "one value too few": changed(VALUE, lambda values: values[:-1]),
    "no values": changed(VALUE, lambda values: values[:0]),
    "an axis more": changed(VALUE, lambda values: values[None]),
    "one number": changed(VALUE, lambda values: values[:1].reshape(())),
    "rows for columns": changed("sincos_2d/dim-12/output", lambda values: np.swapaxes(values, 0, 1)),
    "a narrower format": lambda held: {**held, VALUE: tensor_files.tensor(held[VALUE].values.astype(np.float32))},
    "integers": lambda held: {**held, VALUE: tensor_files.tensor(held[VALUE].values.astype(np.int64))},
    "truth values": lambda held: {**held, VALUE: tensor_files.tensor(held[VALUE].values != 0)},
    "patterns as numbers": lambda held: {
        **held, PATTERNS: tensor_files.tensor(held[PATTERNS].values.astype(np.float32))
    },
    "patterns for float32": lambda held: {**held, NARROW: tensor_files.tensor(np.ones(6, np.uint16))},
    "the other kind of 16 bits": lambda held: {**held, PATTERNS: tensor_files.tensor(held[PATTERNS].values.view("f2"))},
    "patterns of zeros": lambda held: {**held, PATTERNS: tensor_files.tensor(np.zeros(12, np.uint16))},
    "the answer of another case": lambda held: {**held, VALUE: held[f"{SUITE}/geometric-7-f64/output"]},
    "a sampled case in one place": changed("sincos_2d/mae-base-f32/output", lambda values: put(values, 1, 0.5)),
}  # fmt: skip


#: of the same; prompts have no refusals
REFUSALS = {
    "a refusal with another code": lambda held: {
        **held, f"{SUITE}/refused-convention/error": tensor_files.tensor(np.frombuffer(b"E_BASE", np.uint8))
    },
    "a refusal without a code": lambda held: {
        **held, f"{SUITE}/refused-convention/error": tensor_files.tensor(np.zeros(0, np.uint8))
    },
    "a refusal in numbers": lambda held: {
        **held, f"{SUITE}/refused-convention/error": tensor_files.tensor(np.zeros(8))
    },
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("planted", REFUSALS)
def test_a_refusal_with_a_mistake_is_red(planted, right, tmp_path):
    tensor_files.write_npz(tmp_path / "answers.npz", REFUSALS[planted](right))
    assert is_red(lambda: golden.verify(tmp_path / "answers.npz", suites=SUITES))
    assert not by_command("verify", tmp_path / "answers.npz", "--suite", SUITE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
@pytest.mark.parametrize("planted", ANSWERS)
def test_answers_with_a_mistake_are_red(planted, suffix, prompts, right, tmp_path):
    """As a file, in a folder of files, and in the folder of the prompts."""
    write = tensor_files.write_npz if suffix == "npz" else tensor_files.write_safetensors
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / f"answers.{suffix}"
    write(file, ANSWERS[planted](right))
    assert is_red(lambda: golden.verify(file, suites=SUITES))
    assert not by_command("verify", file.parent, *(word for suite in SUITES for word in ("--suite", suite)))
    shutil.copytree(prompts, tmp_path / "prompt")
    shutil.copy(file, tmp_path / "prompt")
    assert is_red(lambda: golden.verify(tmp_path / "prompt"))


@pytest.mark.exhaustive
def test_right_answers_are_green(prompts, right, tmp_path):
    for suffix, write in (("npz", tensor_files.write_npz), ("safetensors", tensor_files.write_safetensors)):
        folder = tmp_path / suffix
        shutil.copytree(prompts, folder)
        write(folder / f"answers.{suffix}", right)
        result = golden.verify(folder)
        assert result and result.ran == len(right) and by_command("verify", folder, "--conformance", "correct")
        assert golden.verify(folder / f"answers.{suffix}", suites=SUITES, conformance="correct").ran == len(right)


#: of a folder of prompts, with right answers at hand
EXCHANGES = {
    "no answers": lambda folder, right: None,
    "misnamed": lambda folder, right: tensor_files.write_npz(folder / "answer.npz", right),
    "misnamed as npy": lambda folder, right: np.save(folder / "answers.npy", np.zeros(3)),
    "in another case": lambda folder, right: tensor_files.write_npz(folder / "Answers.npz", right),
    "in a folder below": lambda folder, right: (
        (folder / "answers").mkdir(), tensor_files.write_npz(folder / "answers" / "answers.npz", right)
    ),
    "a folder of that name": lambda folder, right: (folder / "answers.npz").mkdir(),
    "an empty file": lambda folder, right: (folder / "answers.npz").write_bytes(b""),
    "no tensors": lambda folder, right: tensor_files.write_npz(folder / "answers.npz", {}),
    "beside others in capitals": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right),
        tensor_files.write_npz(folder / "Answers2.NPZ", {"x": np.zeros(3)})
    ),
    "twice": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right),
        tensor_files.write_safetensors(folder / "answers.safetensors", right)
    ),
    "another wish": lambda folder, right: (tensor_files.write_npz(folder / "answers.npz", right), edit(
        folder, in_case(lambda entry: entry["wanted"]["output"].update(shape=[6]))
    )),
    "another argument": lambda folder, right: (tensor_files.write_npz(folder / "answers.npz", right), edit(
        folder, in_case(lambda entry: entry["arguments"].update(max_bias=1000))
    )),
    "a prompt gone": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right), edit(folder, lambda document, _: document["cases"].pop())
    ),
    "all prompts gone": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right),
        edit(folder, lambda document, _: document["cases"].clear())
    ),
    "another input": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right), edit(folder, input_of_another, "xpos_scale")
    ),
    "another version": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right), edit(folder, in_both(values_version="1.0.0"))
    ),
    "no manifest": lambda folder, right: (
        tensor_files.write_npz(folder / "answers.npz", right), (folder / "MANIFEST.json").unlink()
    ),
}  # fmt: skip


@pytest.mark.parametrize("planted", EXCHANGES)
def test_a_blind_exchange_with_a_mistake_is_red(planted, prompts, right, tmp_path):
    folder = tmp_path / "prompt"
    shutil.copytree(prompts, folder)
    EXCHANGES[planted](folder, right)
    assert is_red(lambda: golden.verify(folder))
    assert is_red(lambda: golden.verify(folder, conformance="correct"))
    assert not by_command("verify", folder)


def test_prompts_without_answers_say_what_is_missing(prompts, capsys):
    assert cli.main(["verify", str(prompts), "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "no answers.npz or answers.safetensors in prompt" in said.err
    with pytest.raises(refpos.FileError) as caught:
        golden.verify(prompts)
    assert caught.value.code == "E_FILE"


@pytest.mark.exhaustive
def test_what_is_no_answer_is_red(made, right, tmp_path):
    """The corpus is not its own answer, and a refusal that is asked for by its id must be answered."""
    file = tmp_path / "a.npz"
    tensor_files.write_npz(file, right)
    assert golden.verify(file, suites=SUITES)
    big = ["sincos_2d/dim-12"]  # which the payload holds
    assert is_red(lambda: golden.verify(made, file, cases=big)) and is_red(lambda: golden.verify(file, made, cases=big))
    assert is_red(lambda: golden.verify(made.parent, cases=big))
    assert is_red(lambda: golden.verify(file, file, suites=SUITES))
    assert is_red(lambda: golden.verify(file, cases=[ID, f"{SUITE}/refused-convention"]))
    assert is_red(lambda: golden.verify(file, cases=[f"{SUITE}/refused-*"]))
    for nowhere in (tmp_path / "no", file, tmp_path, ""):
        assert is_red(lambda: golden.verify(file, golden=nowhere, suites=SUITES)), nowhere
    assert is_red(golden.verify) and is_red(lambda: golden.verify(tmp_path / "no"))


@pytest.mark.exhaustive
def test_a_wrong_name_is_said_with_the_right_one_before_what_is_missing(right, tmp_path, capsys):
    held = {f"{ID}/out": right[VALUE], "alibi_slopes/\x1b[31mmine": right[VALUE]}
    tensor_files.write_npz(tmp_path / "a.npz", held)
    assert cli.main(["verify", str(tmp_path / "a.npz")]) == 2
    said = capsys.readouterr().out
    flowing = " ".join(said.split())
    assert f"unusable: {ID}: E_MISSING: expected the tensors {VALUE}, got '{ID}/out'" in flowing
    assert flowing.index("unusable: ") < flowing.index("missing: ")
    assert len(said.splitlines()) < 20 and "\x1b" not in said and "\\x1b[31mmine" in said
    assert "\x1b" not in str(golden.verify(tmp_path / "a.npz"))
