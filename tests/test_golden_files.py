"""Golden files that are damaged, missing or only half written: each gets a clear error, and nothing is lost."""

import errno
import io
import json
import os
import shutil
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import golden, tensor_files
from refpos.golden.read import DATA, open_suite


@pytest.fixture
def corpus(tmp_path):
    """A copy of the shipped corpus."""
    shutil.copytree(DATA, tmp_path / "golden")
    return tmp_path / "golden"


def refused(call, *words):
    """The message of the FileError that the call raises: one that says what must be and what was received."""
    with pytest.raises(refpos.FileError) as caught:
        call()
    assert caught.value.code == "E_FILE"
    sentence = str(caught.value)
    assert " must " in sentence and ", got " in sentence and all(word in sentence for word in words), sentence
    return sentence


FILES = sorted(path.name for path in Path(DATA).iterdir())  # MANIFEST.json comes first


@pytest.mark.parametrize("name", sampled(FILES, 128))
def test_one_flipped_bit_is_noticed(corpus, name):
    data = bytearray((corpus / name).read_bytes())
    for place in (len(data) // 3, len(data) // 2, len(data) - 2):
        changed = bytearray(data)
        changed[place] ^= 1
        (corpus / name).write_bytes(changed)
        assert refused(lambda: golden.verify(corpus))


@pytest.mark.parametrize("name", sampled(FILES[1:], 128))
def test_one_flipped_bit_is_noticed_without_the_manifest(corpus, name):
    """By the digests inside the files."""
    data = bytearray((corpus / name).read_bytes())
    data[len(data) // 2] ^= 1
    (corpus / name).write_bytes(data)

    def read_all():
        suite = open_suite(corpus, name.partition(".")[0])
        for entry in suite.document["cases"]:
            suite.tensors(entry)

    assert refused(read_all)


@pytest.mark.parametrize("name", sampled(FILES, 128))
def test_a_deleted_file_is_noticed(corpus, name):
    (corpus / name).unlink()
    assert refused(lambda: golden.verify(corpus), name)
    if name == "MANIFEST.json":
        assert refused(lambda: golden.verify(corpus), "no MANIFEST.json: generate was interrupted; run it again")


@pytest.mark.parametrize("name", sampled(FILES, 128))
def test_a_truncated_file_is_noticed(corpus, name):
    data = (corpus / name).read_bytes()
    for left in (0, len(data) // 100, len(data) - 1):
        (corpus / name).write_bytes(data[:left])
        assert refused(lambda: golden.verify(corpus), name)


def test_tensors_under_a_name_that_nothing_reads_are_named(corpus):
    shutil.copy(corpus / "alibi.safetensors", corpus / "mine.safetensors")
    assert refused(lambda: golden.verify(corpus), "no other tensors beside the corpus, got 'mine.safetensors'")


def test_an_edited_number_is_noticed_even_with_new_digests(corpus):
    """Who edits a value, its digest, the document's digest and the manifest still disagrees with the lock."""
    from refpos.golden.format import digest, from_bit_strings, seal, serialise
    from refpos.golden.generate import sha256
    from refpos.golden.strict_json import in_lines

    path = corpus / "alibi_slopes.json"
    document = json.loads(path.read_text())
    entry = next(entry for entry in document["cases"] if entry["id"] == "alibi_slopes/recursive-3-f64")
    tensor = entry["outputs"]["output"]
    tensor["bits"][0] = f"{int(tensor['bits'][0], 16) + 1:016x}"
    tensor["sha256"] = digest(from_bit_strings(tensor["dtype"], tensor["shape"], tensor["bits"]))
    del document["digest"]
    path.write_bytes(serialise(seal(document)))
    manifest = json.loads((corpus / "MANIFEST.json").read_text())
    manifest["files"]["alibi_slopes.json"] = sha256(path)
    (corpus / "MANIFEST.json").write_bytes(in_lines(manifest))
    result = golden.verify(corpus)
    assert result.exit_code == 1
    assert [finding.id for finding in result.of("differs")] == ["alibi_slopes/recursive-3-f64"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("about", "another"), ("flags", ["Base"]), ("source", {"paper": "another"}), ("tier", "extended"),
     ("hardness", {}),
     ("classes", {"correct": {"output": "7fe0000000000000"}, "faithful": {"output": "7fe0000000000000"},
                  "float32-power": {"output": "3e898b920617469d"}, "float64-power": {"output": "3cbb8b90bfc00a65"}})],
)  # fmt: skip
def test_a_case_that_says_something_else_is_not_loaded(corpus, field, value):
    """Whatever its document's digest: what the package says of the case decides."""
    from refpos.golden.format import seal, serialise

    path = corpus / "alibi_slopes.json"
    document = json.loads(path.read_text())
    entry = next(entry for entry in document["cases"] if entry["id"] == "alibi_slopes/recursive-3-f64")
    assert golden.load(entry["id"], corpus).entry == entry != {**entry, field: value}
    entry[field] = value
    del document["digest"]
    path.write_bytes(serialise(seal(document)))
    assert refused(lambda: golden.load("alibi_slopes/recursive-3-f64", corpus), f"the {field} that was published")


def test_another_spelling_of_the_same_document_is_refused(corpus):
    path = corpus / "alibi.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert refused(lambda: open_suite(corpus, "alibi"), "spelled")


def test_a_suite_under_another_name_is_refused(corpus):
    shutil.copy(corpus / "alibi_slopes.json", corpus / "alibi.json")
    shutil.copy(corpus / "alibi_slopes.safetensors", corpus / "alibi.safetensors")
    assert refused(lambda: open_suite(corpus, "alibi"), "'alibi'")


def test_a_payload_without_one_of_its_tensors_is_refused(corpus):
    path = corpus / "rope.safetensors"
    tensors = tensor_files.read_tensors(path)
    gone = sorted(tensors)[3]
    del tensors[gone]
    tensor_files.write_safetensors(path, tensors)
    assert refused(lambda: open_suite(corpus, "rope"), gone)


# -- files of answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2**63, 2**40, 10**6, 0, 7])
def test_a_safetensors_header_that_lies_about_its_length(tmp_path, length):
    path = tmp_path / "answers.safetensors"
    tensor_files.write_safetensors(path, {"alibi/one-head/output": np.zeros((1, 2, 2))})
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])
    assert refused(lambda: golden.verify(path, suites=["alibi"]), str(path))


class Bomb:
    """An object that would tell of its own unpickling."""

    def __reduce__(self):
        return os.putenv, ("REFPOS_UNPICKLED", "1")


def test_pickles_are_never_loaded(tmp_path, monkeypatch):
    path = tmp_path / "answers.npz"
    np.savez(path, allow_pickle=True, **{"alibi/one-head/output": np.array([Bomb()], dtype=object)})
    loaded = []
    monkeypatch.setattr(os, "putenv", lambda *arguments: loaded.append(arguments))
    assert refused(lambda: tensor_files.read_tensors(path), "pickles are never loaded")
    result = golden.verify(path, suites=["alibi"])
    assert result.exit_code == 2 and "pickles are never loaded" in str(result)
    assert loaded == []


def test_an_npz_that_is_no_npz(tmp_path):
    path = tmp_path / "answers.npz"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    assert refused(lambda: golden.verify(path, suites=["alibi"]), str(path))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("alibi/one-head/output.npy", b"\x93NUMPY\x01\x00\xff\xff")
    path.write_bytes(held.getvalue())
    assert refused(lambda: tensor_files.read_tensors(path), str(path))
    result = golden.verify(path, suites=["alibi"])
    assert result.exit_code == 2 and str(path) in str(result)


@pytest.mark.exhaustive
def test_absent_and_empty_folders(tmp_path):
    assert refused(lambda: golden.verify(tmp_path / "nothing.npz"), "nothing.npz")
    assert refused(lambda: golden.verify(tmp_path), "none")
    tensor_files.write_npz(tmp_path / "a.npz", {"alibi/one-head": np.zeros((1, 2, 2))})
    assert refused(lambda: golden.verify(tmp_path / "a.npz", golden=tmp_path / "no"), "no")


def test_one_name_in_two_files_is_refused(tmp_path):
    for name in ("a.npz", "b.npz"):
        tensor_files.write_npz(tmp_path / name, {"alibi/one-head": np.zeros((1, 2, 2))})
    assert refused(lambda: golden.verify(tmp_path, suites=["alibi"]), "once")
    assert refused(lambda: golden.verify(tmp_path / "a.npz", tmp_path / "b.npz", suites=["alibi"]), "once")


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_path_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("here")
    assert refused(lambda: golden.generate(tmp_path / "file"), "file")
    assert refused(lambda: golden.generate(tmp_path / "file" / "below"), "file")
    assert refused(lambda: golden.export_npz(tmp_path / "file"), "file")
    assert (tmp_path / "file").read_text() == "here"


class Full(io.FileIO):
    """A file on a disk with room for 1000 bytes."""

    room = 1000

    def write(self, data):
        Full.room -= len(memoryview(data).cast("B"))
        if Full.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


def opened_on(kind):
    """`open` with files for writing of that kind."""

    def opener(path, mode="r", *arguments, **options):
        if "x" in mode or "w" in mode:
            return kind(path, mode.replace("b", ""))
        return open(path, mode, *arguments, **options)

    return opener


#: suites whose files are larger together than the room of every full disk
SOME = ["add", "alibi", "rope_table", "sinusoidal"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("room", [1000, 0, 100_000])
def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch, room):
    Full.room = room
    with monkeypatch.context() as patch:
        patch.setattr(tensor_files.files, "open", opened_on(Full), raising=False)
        assert refused(lambda: golden.generate(tmp_path, suites=SOME), os.strerror(errno.ENOSPC))
    left = sorted(path.name for path in tmp_path.iterdir())
    assert "MANIFEST.json" not in left and not [name for name in left if name.endswith(".part")]
    for name in left:
        assert (tmp_path / name).read_bytes() == (Path(DATA) / name).read_bytes()
    golden.generate(tmp_path, suites=SOME)
    expected = {name for name in FILES if name.partition(".")[0] in SOME} | {"MANIFEST.json"}
    assert {path.name for path in tmp_path.iterdir()} == expected and len(expected) > 5


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    def denied(path, mode="r", *arguments, **options):
        if "x" in mode:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return open(path, mode, *arguments, **options)

    monkeypatch.setattr(tensor_files.files, "open", denied, raising=False)
    assert refused(lambda: golden.generate(tmp_path), os.strerror(errno.EACCES))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_an_interrupted_run_is_resumed(tmp_path):
    def interrupt(done, total, name):
        if name.startswith("rope_table/") and done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        golden.generate(tmp_path, progress=interrupt)
    left = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert "rope.json" in left and "rope_table.json" not in left and "MANIFEST.json" not in left
    made = []
    golden.generate(tmp_path, progress=lambda done, total, name: made.append(name))
    later = {name for name in golden.suite_names() if name >= "rope_table"}
    assert {name.partition("/")[0] for name in made if "/" in name} == later
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in left} == left
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: (Path(DATA) / name).read_bytes() for name in FILES
    }


@pytest.mark.exhaustive
def test_an_interruption_while_changing_files_leaves_no_manifest_that_vouches(corpus):
    (corpus / "rope.json").write_bytes(b"{}")

    def interrupt(done, total, name):
        if name.startswith("rope/"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        golden.generate(corpus, progress=interrupt)
    assert not (corpus / "MANIFEST.json").exists()


@pytest.mark.exhaustive
def test_a_damaged_suite_is_written_again(corpus):
    for name in ("t5_buckets.json", "alibi.safetensors"):
        data = bytearray((corpus / name).read_bytes())
        data[len(data) // 2] ^= 1
        (corpus / name).write_bytes(data)
    golden.generate(corpus)
    assert {path.name: path.read_bytes() for path in corpus.iterdir()} == {
        name: (Path(DATA) / name).read_bytes() for name in FILES
    }


def test_resume_keeps_only_what_was_asked_for(corpus):
    golden.generate(corpus, suites=["alibi_slopes"], tier="extended")
    ids = [entry["id"] for entry in open_suite(corpus, "alibi_slopes").document["cases"]]
    assert any("extended" in id for id in ids)
    golden.generate(corpus, suites=["alibi_slopes"], prompt=True)
    assert open_suite(corpus, "alibi_slopes").document["prompt"] is True
