"""The lock of the corpus: which part of the version a change needs, what a suite's version is, and what an update
writes."""

import dataclasses
import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import sampled

from refpos import FileError, golden
from refpos.golden import format as golden_format
from refpos.golden import lock, read
from refpos.golden.generate import case_entry

VERSION = "values_version"
SMALL = ("alibi_slopes", "log_n_scale")  # suites whose cases take no time
ID = "alibi_slopes/recursive-5-f64"
OTHER = "log_n_scale/rerope-4096-f64"


@pytest.mark.parametrize(
    "ids, documents, part",
    [
        ({"a": "1"}, {"s": "1"}, None),
        ({"a": "2"}, {"s": "2"}, 0),
        ({}, {"s": "2"}, 0),
        ({"a": "1", "b": "1"}, {"s": "2"}, 1),
        ({"a": "1"}, {"s": "2"}, 2),
    ],
)
def test_the_part_of_the_version_that_a_change_needs(ids, documents, part):
    held = {"cases": {"a": "1"}, "documents": {"s": "1"}}
    assert lock.needed(held, ids, documents) == part
    lines = lock.differences(held["cases"], ids) + lock.differences(held["documents"], documents)
    assert bool(lines) == (part is not None)


@pytest.mark.parametrize("part, version", [(0, "2.0.0"), (1, "1.3.0"), (2, "1.2.4")])
def test_a_part_of_the_version_rises(part, version):
    assert lock.raised("1.2.3", part) == version


class Corpus:
    """A lock and package data of two suites, which the command may write."""

    def __init__(self, folder):
        self.path, self.data = folder / "lock.json", folder / "data"

    def held(self):
        return json.loads(self.path.read_text())

    def write(self, lock):
        self.path.write_bytes(golden_format.serialise(lock))

    def files(self):
        return {file.name: file.read_bytes() for file in self.data.iterdir()}


@pytest.fixture
def small(tmp_path, monkeypatch):
    corpus, published, cases = Corpus(tmp_path), lock.read_lock(), golden.cases
    tables = ("cases", "documents", "suites")
    corpus.write(published | {name: of_suites(published[name], SMALL) for name in tables})
    for module in (lock, sys.modules["refpos.golden.generate"], sys.modules["refpos.golden.manifest"]):
        monkeypatch.setattr(module, "suite_names", lambda: sorted(SMALL))
    monkeypatch.setattr(lock, "cases", lambda suite=None: [case for case in cases(suite) if case.suite in SMALL])
    monkeypatch.setattr(read, "LOCK", str(corpus.path))
    monkeypatch.setattr(read, "DATA", str(corpus.data))
    golden.generate(corpus.data)
    return corpus


def of_suites(table, suites):
    return {name: entry for name, entry in table.items() if name.split("/")[0] in suites}


@pytest.mark.exhaustive
def test_a_number_that_changed_is_major(small, capsys):
    assert lock.main([]) == 0
    held = small.held()
    held["cases"][ID] = "0" * 64
    small.write(held)
    assert lock.main([]) == 1 and f"{ID}: expected 0000" in capsys.readouterr().out
    for part in ("patch", "minor"):
        assert lock.main(["--update", part]) == 1 and "must be major, since" in capsys.readouterr().err
    assert small.held() == held
    assert lock.main(["--update", "major"]) == 0 and "Errata" in capsys.readouterr().out
    assert lock.main([]) == 0 and golden.verify(small.data)


@pytest.mark.parametrize("gone", [False, True])
def test_ids_that_are_new_or_gone_are_said_before_anything_is_computed(gone, small, capsys, monkeypatch):
    held = small.held()
    if gone:
        held["cases"]["alibi_slopes/of-before"] = "0" * 64
    else:
        del held["cases"][ID]
    small.write(held)
    monkeypatch.setattr(lock, "entries_of", lambda *_: pytest.fail("a case was computed"))
    assert lock.main(["--update", "patch"]) == 1
    printed = capsys.readouterr()
    line = "alibi_slopes/of-before: expected 0000" if gone else f"{ID}: new"
    wanted = "must be major, since published" if gone else "must be minor or major, since there are new cases"
    assert line in printed.out and wanted in printed.err and small.held() == held


@pytest.mark.parametrize("only", sampled([[], ["--only-changed"]], 2))
def test_a_new_suite_touches_its_own_files_alone(only, small, capsys, monkeypatch):
    """Its document and payload, the manifest and the lock; the others keep their version, bytes and digests."""
    published = small.held()
    tables = ("cases", "documents", "suites")
    small.write(published | {name: of_suites(published[name], SMALL[1:]) for name in tables})
    for file in small.data.glob("alibi_slopes.*"):
        file.unlink()
    before, computed = small.files(), []
    monkeypatch.setattr(lock, "case_entry", lambda case, payload: computed.append(case.suite) or case_entry(case, {}))
    assert lock.main(["--update", "minor", *only]) == 0
    assert set(computed) == set(SMALL[: 1 if only else 2])
    assert ("the other suites were not computed" in capsys.readouterr().out) == bool(only)
    version = lock.raised(published[VERSION], 1)
    after, held = small.files(), small.held()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"MANIFEST.json", "alibi_slopes.json", "alibi_slopes.safetensors"}
    assert held[VERSION] == version and held["cases"] == published["cases"]
    assert held["suites"]["alibi_slopes"][VERSION] == json.loads(after["alibi_slopes.json"])[VERSION] == version
    assert of_suites(held["documents"], SMALL[1:]) == of_suites(published["documents"], SMALL[1:])
    assert held["suites"]["log_n_scale"] == published["suites"]["log_n_scale"]
    assert lock.main([]) == 0 and golden.verify(small.data)


def test_a_partial_update_leaves_what_it_does_not_compute(small, capsys):
    """The comparison still refuses a number that changed elsewhere."""
    held = small.held()
    held["cases"][OTHER] = "0" * 64
    held["suites"]["alibi_slopes"]["definitions"] = "0" * 64
    small.write(held)
    assert lock.main(["--update", "patch", "--only-changed"]) == 0
    assert small.held()["cases"][OTHER] == "0" * 64
    assert lock.main([]) == 1 and OTHER in capsys.readouterr().out
    assert lock.main(["--update", "patch", "--only-changed"]) == 1 and "got none" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        lock.main(["--only-changed"])


@pytest.mark.exhaustive
def test_words_alone_are_a_patch_of_their_suite(small, capsys, monkeypatch):
    held, cases = small.held(), lock.cases

    def changed(suite=None):
        return [dataclasses.replace(c, about="Other words.") if c.id == ID else c for c in cases(suite)]

    monkeypatch.setattr(lock, "cases", changed)
    monkeypatch.setattr(sys.modules["refpos.golden.generate"], "discover", SimpleNamespace(cases=changed))
    assert lock.main([]) == 1
    assert lock.main(["--update", "patch", "--only-changed"]) == 0
    version = lock.raised(held[VERSION], 2)
    assert small.held()["suites"]["alibi_slopes"][VERSION] == version and small.held()["cases"] == held["cases"]
    assert small.held()["suites"]["log_n_scale"] == held["suites"]["log_n_scale"]
    assert lock.main([]) == 0 and b"Other words." in small.files()["alibi_slopes.json"]


@pytest.mark.exhaustive
def test_package_data_that_is_not_what_is_locked_is_named(small, capsys):
    file = small.data / "alibi_slopes.json"
    right, document = file.read_bytes(), json.loads(file.read_text())
    document["cases"][0]["about"] = "right"
    file.write_bytes(golden_format.serialise(golden_format.seal(document)))
    assert lock.main([]) == 1
    assert "package data: alibi_slopes/core: expected " in capsys.readouterr().out
    file.unlink()
    assert lock.main([]) == 1 and "alibi_slopes.json" in capsys.readouterr().out
    held = small.held()
    assert lock.main(["--update", "patch"]) == 0
    assert file.read_bytes() == right and small.held() == held


def test_each_document_says_the_version_in_which_its_suite_changed():
    held = lock.read_lock()
    documents = {name: read.open_suite(read.DATA, name).document for name in golden.suite_names()}
    assert {name: document[VERSION] for name, document in documents.items()} == {
        name: entry[VERSION] for name, entry in held["suites"].items()
    }
    versions = [golden_format.version_numbers(entry[VERSION]) for entry in held["suites"].values()]
    assert max(versions) <= golden_format.version_numbers(held[VERSION]) and golden.VALUES_VERSION == held[VERSION]
    assert {name: entry["definitions"] for name, entry in held["suites"].items()} == {
        name: lock.definitions(name) for name in golden.suite_names()
    }


def test_the_lock_has_the_digest_of_each_file_that_is_shipped():
    files = {name: Path(read.DATA, f"{name}.json").read_bytes() for name in golden.suite_names()}
    for name, data in files.items():  # sound, also for who does not trust the lock
        assert golden_format.serialise(golden_format.parse(data, name)) == data
    held = {name: entry["sha256"] for name, entry in lock.read_lock()["suites"].items()}
    assert held == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def test_a_shipped_file_that_is_not_locked_byte_for_byte_is_checked_in_full(small):
    path = small.data / "alibi_slopes.json"
    right = path.read_bytes()
    for old, new in (b'"convention":', b'"convention": '), (b'"about":', b'"about":"x","about":'):
        damaged = right.replace(old, new, 1)
        assert damaged != right
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="spelled"):
            read.open_suite(small.data, "alibi_slopes", small.held())


def test_an_update_writes_the_digests_of_the_files(small):
    held = small.held()
    held["suites"]["log_n_scale"]["sha256"] = "0" * 64
    small.write(held)
    assert lock.main([]) == 1
    assert lock.main(["--update", "patch"]) == 0 and lock.main([]) == 0
    data = (small.data / "log_n_scale.json").read_bytes()
    assert small.held()["suites"]["log_n_scale"]["sha256"] == hashlib.sha256(data).hexdigest()
