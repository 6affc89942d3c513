"""Documents of the wrong structure, sealed again: nothing but FileError comes of them."""

import copy
import hashlib
import json
import os
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from test_golden_files import refused

import refpos
from refpos import cli, golden, tensor_files
from refpos.golden import format as golden_format
from refpos.golden.read import DATA
from refpos.golden.strict_json import in_lines

EVERYTHING = False  # whether each edit of a document goes through all doors, which takes minutes
MEMBERS = {"inverse_frequencies": ("refused-dim-odd", "dim-4", "llama-3"), "rope_table": ("model-flux",)}
INSTEAD = (None, True, 1.5, -1, "x", [], {}, [["x"]], {"x": 1}, "long " * 1000, 10**40, float("nan"))


def small(suite, members):
    """A document of few cases of a suite."""
    document = json.loads((Path(DATA) / f"{suite}.json").read_bytes())
    ids = [f"{suite}/{name}" for name in members]
    document["cases"] = [case for case in document["cases"] if case["id"] in ids]
    assert len(document["cases"]) == len(members)
    return document


def with_prompt(document):
    """As `generate --prompt` says it."""
    document = copy.deepcopy(document)
    document["prompt"] = True
    document["cases"] = [case for case in document["cases"] if "error" not in case]
    for case in document["cases"]:
        outputs = case.pop("outputs")
        case["wanted"] = {name: {key: held[key] for key in ("dtype", "shape")} for name, held in outputs.items()}
        del case["hardness"], case["classes"], case["resolved"]
    return document


def with_sample(document):
    """With one output held as a sample."""
    document = copy.deepcopy(document)
    output = document["cases"][-1]["outputs"]["cos"]
    del output["payload"]
    output["sample"] = {"bits": ["00000000"] * -(-int(np.prod(output["shape"])) // 48), "stride": 48}
    return document


def nodes(value, path=()):
    """The paths of all nodes of a JSON document; of equal members of a list the first two."""
    yield path
    for name in sorted(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        if not (isinstance(name, int) and name > 1 and isinstance(value[name], str)):
            yield from nodes(value[name], (*path, name))


def edits(document):
    """(what was done, the document) for each node: replaced, taken away, repeated."""
    for path in nodes(document):
        for what in (*range(len(INSTEAD)), "delete", "repeat"):
            changed = copy.deepcopy(document)
            if not path:
                if what not in ("delete", "repeat"):
                    yield (path, what), copy.deepcopy(INSTEAD[what])
                continue
            *way, name = path
            parent = changed
            for step in way:
                parent = parent[step]
            if what == "delete":
                del parent[name]
            elif what == "repeat":
                parent[name] = parent[name] * 2 if isinstance(parent[name], list) else [parent[name]] * 2
            else:
                parent[name] = copy.deepcopy(INSTEAD[what])
            yield (path, what), changed


def sealed(document):
    """The bytes with the digest made again, where there is one."""
    if isinstance(document, dict) and isinstance(document.get("digest"), str):
        document = golden_format.seal(document)
    try:
        return golden_format.serialise(document)
    except ValueError:  # NaN, which is no JSON
        return json.dumps(document).encode()


def doors(folder, suite, ids, monkeypatch):
    """What a user may call on a directory."""
    answers = folder.parent / "answers.npz"
    tensor_files.write_npz(answers, {"of/another": np.zeros(1)})
    yield from (lambda id=id: golden.load(id, folder) for id in ids)
    yield lambda: golden.verify(folder)
    yield lambda: golden.verify(answers, golden=folder)
    with monkeypatch.context() as patch:
        patch.setattr(golden.read, "DATA", str(folder))
        yield lambda: cli.main(["show", ids[0]])
        yield lambda: cli.main(["show", ids[-1], "--json"])


SCHEMA = jsonschema.Draft202012Validator(json.loads((Path(golden.__file__).parent / "schema.json").read_bytes()))
DOCUMENTS = {
    "values": ("inverse_frequencies", small("inverse_frequencies", MEMBERS["inverse_frequencies"])),
    "payload": ("rope_table", small("rope_table", MEMBERS["rope_table"])),
    "sample": ("rope_table", with_sample(small("rope_table", MEMBERS["rope_table"]))),
    "prompt": ("rope_table", with_prompt(small("rope_table", MEMBERS["rope_table"]))),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("which", DOCUMENTS)
def test_a_document_of_another_structure_is_refused(tmp_path, monkeypatch, capsys, which):
    """Whatever stands at any node, nothing but FileError comes of it; one edit of 16 goes through all doors."""
    outcomes = outcomes_of_edits(which, 4, tmp_path, monkeypatch, capsys)
    assert outcomes["read"] > 5 and outcomes["refused"] > 125 and outcomes["doors"] > 7, outcomes


@pytest.mark.exhaustive
@pytest.mark.parametrize("which", DOCUMENTS)
def test_every_document_of_another_structure_is_refused(tmp_path, monkeypatch, capsys, which):
    outcomes = outcomes_of_edits(which, 1, tmp_path, monkeypatch, capsys)
    assert outcomes["read"] > 20 and outcomes["refused"] > 500 and outcomes["doors"] > 30, outcomes


def outcomes_of_edits(which, one_in, tmp_path, monkeypatch, capsys):
    """How many edits of a document are read and refused, of one in so many, and through how many doors they go."""
    suite, document = DOCUMENTS[which]
    ids = [case["id"] for case in document["cases"]]
    folder = tmp_path / "golden"
    folder.mkdir()
    payload = tensor_files.read_tensors(Path(DATA) / f"{suite}.safetensors")
    held = golden_format.parse(sealed(document), "whole")  # what is edited is sound
    named = {t["payload"] for c in held["cases"] for side in ("inputs", "outputs") for t in c.get(side, {}).values()
             if "payload" in t}  # fmt: skip
    if named:
        tensor_files.write_safetensors(folder / f"{suite}.safetensors", {name: payload[name] for name in named})
    outcomes = {"read": 0, "refused": 0, "doors": 0}
    for what, changed in edits(document):
        chosen = hashlib.sha256(f"{what}".encode()).digest()
        if chosen[1] % one_in:
            continue
        data = sealed(changed)
        try:
            golden_format.parse(data, "edited")
            assert SCHEMA.is_valid(json.loads(data)), what
            outcomes["read"] += 1
        except refpos.FileError as error:
            assert str(error).isprintable() and len(str(error)) < 1000
            outcomes["refused"] += 1
        if chosen[0] % 16 and not EVERYTHING:
            continue
        (folder / f"{suite}.json").write_bytes(data)
        manifest = {**json.loads((Path(DATA) / "MANIFEST.json").read_bytes()), "prompt": document["prompt"]}
        manifest["files"] = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()
                             if path.name != "MANIFEST.json"}  # fmt: skip
        (folder / "MANIFEST.json").write_bytes(in_lines(manifest))
        for door in doors(folder, suite, ids, monkeypatch):
            try:
                assert door() is not None
            except refpos.InputError as error:
                assert error.code == "E_FILE" or (error.code == "E_MISSING" and error.argument == "id"), (what, error)
            outcomes["doors"] += 1
        assert "Traceback" not in capsys.readouterr().err
    return outcomes


def test_where_a_document_goes_wrong_is_said():
    """A few of the edits, with what the message says."""
    document = small("inverse_frequencies", MEMBERS["inverse_frequencies"])
    one = document["cases"][0]["outputs"]["output"]
    for part, name, value, words in (
        (one, "dtype", ["x"], ("one of the dtypes", "['x']")),
        (one, "bits", None, ("a list as bits", "None")),
        (one, "shape", [1] * 33, ("at most 32 sizes", "[1, 1")),
        (one, "shape", [0, 2**52, 2**52], ("product below 2**53", "0, 4503")),
        (document, "tiers", [], ("at least one tier", "[]")),
        (document, "prompt", "true", ("true or false as prompt", "'true'")),
        (document["cases"][0], "arguments", {"dim": 1.5}, ("a number is not an integer", "1.5")),
        (document["cases"][0], "arguments", {"dim": {"fraction": [1, 0]}}, ("a denominator", "[1, 0]")),
        (document["cases"][0], "source", {"paper": "x", "file": "y"}, ("a paper, or a project", "'file'")),
    ):
        before, part[name] = part[name], value
        assert refused(lambda: golden_format.parse(sealed(document), "edited"), *words)
        part[name] = before
    deep = {"dim": 4}
    for _ in range(400):
        deep = {"dim": {"function": "linear", "arguments": deep}}
    document["cases"][0]["arguments"] = deep
    assert refused(lambda: golden_format.check(document, "edited"), "at most 16 deep")


def test_a_case_with_other_numbers_than_published_is_not_loaded(tmp_path):
    document = small("inverse_frequencies", MEMBERS["inverse_frequencies"])
    case = next(case for case in document["cases"] if case["id"].endswith("/dim-4"))
    (tmp_path / "inverse_frequencies.json").write_bytes(sealed(document))
    assert golden.load(case["id"], tmp_path).outputs["output"].values.tolist() == [1.0, 0.01]
    case["arguments"]["dim"] = 6
    (tmp_path / "inverse_frequencies.json").write_bytes(sealed(document))
    assert refused(lambda: golden.load(case["id"], tmp_path), case["id"], "that was published")


def test_directories_that_are_no_file_names(tmp_path):
    for directory in (8, b"x", "a\0b", ["x"], "\ud800"):
        with pytest.raises(refpos.InputError, match="directory must be a") as caught:
            golden.load("linear/x", directory)
        assert caught.value.code == "E_FILE" and caught.value.argument == "directory"
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "linear.json")
        assert refused(lambda: golden.load("linear/x", tmp_path), "a regular file")
    (tmp_path / "rope.json").symlink_to("/dev/zero")
    assert refused(lambda: golden.load("rope/x", tmp_path), "a regular file")
