"""Bad files of answers: each has a clear line, what is beside it is still verified, nothing of it is executed or read
that is not asked for, and the verification does not pass."""

import io
import json
import os
import pickle
import resource
import struct
import zipfile

import numpy as np
import pytest

import refpos
from refpos import cli, golden, tensor_files

BROKEN, WHOLE = "inverse_frequencies/dim-4", "alibi_slopes/recursive-5-f64"
CASES = [BROKEN, WHOLE]
HUGE = 10 << 30


@pytest.fixture(scope="module")
def right():
    return {f"{id}/output": golden.load(id).outputs["output"].values for id in CASES}


class Executed(Exception):
    """Raised where a pickle is loaded."""


def executed():
    raise Executed


class Bomb:
    def __reduce__(self):
        return executed, ()


def member(values, descr=None):
    """An npy file as bytes, of arrays or with a header that somebody wrote."""
    held = io.BytesIO()
    if descr is None:
        np.save(held, values, allow_pickle=True)
        return held.getvalue()
    text = f"{{'descr': {descr[0]!r}, 'fortran_order': False, 'shape': {descr[1]}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + values


def archive(path, members, stored=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", stored) as made:
        for name, data in members.items():
            made.writestr(name, data)


def safetensors(path, header, data=b"", size=None):
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
        if size is not None:
            file.truncate(8 + len(text) + size)


def entry(kind, shape, start, stop):
    return {"dtype": kind, "shape": shape, "data_offsets": [start, stop]}


#: what stands at the place of one answer -> words of the line that says so
MEMBERS = {
    "a pickle": (lambda: member(np.array([Bomb()], object)), "pickles are never loaded"),
    "complex numbers": (lambda: member(np.zeros(2, complex)), "got dtype '<c16'"),
    "text": (lambda: member(np.array(["1", "0.01"])), "got dtype '<U4'"),
    "long doubles": (lambda: member(np.zeros(2, np.longdouble)), "got dtype"),
    "records": (lambda: member(np.zeros(2, [("x", "<f8")])), "got dtype [('x', '<f8')]"),
    "no npy": (lambda: b"1.0, 0.01\n", "the bytes 31 2e 30"),
    "half of an npy": (lambda: member(np.zeros(2))[:-7], "must hold 16 bytes"),
    "a header cut off": (lambda: member(np.zeros(2))[:40], "npy header"),
    "a shape beyond all memory": (lambda: member(bytes(16), ("<f8", "(4611686018427387904, 4)")), "E_SHAPE"),
    "a negative size": (lambda: member(bytes(16), ("<f8", "(-2,)")), "npy header"),
    "a header that calls": (
        lambda: member(bytes(16), ("<f8", "__import__('os').abort()")), "must hold an npy header"
    ),
    "other sizes": (lambda: member(np.zeros(3)), "E_SHAPE: expected the shape (2,), got (3,)"),
    "integers": (lambda: member(np.zeros(2, np.int64)), "E_DTYPE"),
}  # fmt: skip


def verified(file, right, capsys, words):
    """Whether, of a file with one bad answer, the other case is met, and the line on the bad one is there."""
    result = golden.verify(file, cases=CASES)
    assert result.exit_code == 2 and [finding.id for finding in result.of("met")] == [WHOLE]
    (finding,) = result.of("unusable") or result.of("missing")
    told = " ".join([finding.sentence, *result.unreadable])
    assert finding.id == BROKEN and words in told and told.isprintable()
    assert cli.main(["verify", str(file), *(word for id in CASES for word in ("--case", id))]) == 2
    said = capsys.readouterr()
    assert BROKEN in said.out and "ran 1 of 2" in said.out and "Traceback" not in said.out + said.err
    return True


@pytest.mark.parametrize("planted", MEMBERS)
def test_a_bad_member_leaves_the_others(planted, right, tmp_path, capsys):
    make, words = MEMBERS[planted]
    members = {f"{BROKEN}/output.npy": make(), f"{WHOLE}/output.npy": member(right[f"{WHOLE}/output"])}
    archive(tmp_path / "a.npz", members)
    assert verified(tmp_path / "a.npz", right, capsys, words)
    for name, data in members.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True)
        (tmp_path / "folder" / name).write_bytes(data)
    assert verified(tmp_path / "folder", right, capsys, words)


def test_a_damaged_member_leaves_the_others(right, tmp_path, capsys):
    members = {f"{id}/output.npy": member(right[f"{id}/output"]) for id in CASES}
    archive(tmp_path / "a.npz", members)
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[data.index(right[f"{BROKEN}/output"].tobytes()) + 3] ^= 1
    (tmp_path / "a.npz").write_bytes(data)
    assert verified(tmp_path / "a.npz", right, capsys, "Bad CRC-32")


#: one entry of a safetensors header, before 16 bytes and then the answer of the other case
ENTRIES = {
    "an unknown dtype": (entry("F6_E2M3", [16], 0, 16), "got dtype 'F6_E2M3'"),
    "an offset beyond all memory": (entry("F64", [2], 0, 1 << 60), "offsets 0 to 1152921504606846976"),
    "a shape beyond all memory": (entry("F64", [1 << 62, 1 << 62], 0, 16), "bytes for"),
    "a negative offset": (entry("F64", [2], -16, 0), "data_offsets"),
    "offsets in text": (entry("F64", [2], "0", "16"), "data_offsets"),
    "a nested shape": (entry("F64", [[2]], 0, 16), "shape"),
    "a field more": ({**entry("F64", [2], 0, 16), "run": "x"}, "must give dtype, shape and data_offsets"),
    "no entry": ("F64", "must give dtype, shape and data_offsets"),
}


@pytest.mark.parametrize("planted", ENTRIES)
def test_a_bad_entry_leaves_the_others(planted, right, tmp_path, capsys):
    held, words = ENTRIES[planted]
    other = right[f"{WHOLE}/output"]
    header = {f"{BROKEN}/output": held, f"{WHOLE}/output": entry("F64", [5], 16, 56)}
    safetensors(tmp_path / "a.safetensors", header, bytes(16) + other.tobytes())
    assert verified(tmp_path / "a.safetensors", right, capsys, words)


def test_what_is_left_of_a_truncated_file_is_verified(right, tmp_path, capsys):
    header = {f"{WHOLE}/output": entry("F64", [5], 0, 40), f"{BROKEN}/output": entry("F64", [2], 40, 56)}
    safetensors(tmp_path / "a.safetensors", header, right[f"{WHOLE}/output"].tobytes() + bytes(9))
    assert verified(tmp_path / "a.safetensors", right, capsys, "in its 49 bytes of data")


def bomb_file(path):
    path.write_bytes(pickle.dumps(Bomb()))


def truncated(path):
    tensor_files.write_npz(path, {f"{BROKEN}/output": np.zeros(2)})
    path.write_bytes(path.read_bytes()[:-30])


#: a second file beside the right answer to one case -> words of the line on it
FILES = {
    "a pickle": ("b.npz", bomb_file, "must start as"),
    "a pickle as npy": ("b.npy", bomb_file, "must start as"),
    "a truncated archive": ("b.npz", truncated, "whole zip archive"),
    "an empty file": ("b.safetensors", lambda path: path.write_bytes(b""), "an empty file"),
    "a header without an end": (
        "b.safetensors", lambda path: path.write_bytes(b"\xff" * 8 + b"{"), "a header length of 18446744073709551615"
    ),
    "a header of brackets": (
        "b.safetensors", lambda path: path.write_bytes(struct.pack("<Q", 10**6) + b"[" * 10**6), "a JSON object"
    ),
    "a folder": ("b.npy", lambda path: path.mkdir(), ""),
    "a pipe": ("b.npy", os.mkfifo, "must be a regular file"),
    "a link to a device": ("b.npy", lambda path: path.symlink_to("/dev/zero"), "must be a regular file"),
    "a link to another kind of file": ("b.npy", lambda path: path.symlink_to("/etc/passwd"), "must start as"),
    "a link to nothing": ("b.npz", lambda path: path.symlink_to("nowhere"), "must be a readable file"),
}  # fmt: skip


@pytest.mark.parametrize("planted", FILES)
def test_a_bad_file_leaves_the_others(planted, right, tmp_path, capsys):
    name, make, words = FILES[planted]
    make(tmp_path / name)
    tensor_files.write_npz(tmp_path / "a.npz", {f"{WHOLE}/output": right[f"{WHOLE}/output"]})
    assert verified(tmp_path, right, capsys, words)
    result = golden.verify(tmp_path, cases=[WHOLE])  # also where nothing is asked of it
    assert result.ran == 1 and result.exit_code == (0 if planted == "a folder" else 2)


def wrong_in(path):
    path.parent.mkdir(exist_ok=True)
    write = tensor_files.write_safetensors if path.suffix.lower() == ".safetensors" else tensor_files.write_npz
    write(path, {f"{BROKEN}/output": np.zeros(2)})


def linked(folder):
    wrong_in(folder.parent / "elsewhere" / "b.npz")
    (folder / "link").symlink_to(folder.parent / "elsewhere")


#: wrong numbers for a case, beside a folder's right answer to another
WRONG = {
    "capitals": lambda folder: wrong_in(folder / "Wrong.NPZ"),
    "capitals of safetensors": lambda folder: wrong_in(folder / "wrong.SafeTensors"),
    "capitals of npy": lambda folder: (
        (folder / BROKEN).mkdir(parents=True),
        (folder / BROKEN / "output.NPY").write_bytes(member(np.zeros(2))),
    ),
    "a folder below": lambda folder: wrong_in(folder / "below" / "b.npz"),
    "a link to a folder": linked,
}


@pytest.mark.parametrize(
    "planted", ["capitals", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in [*WRONG][1:])]
)
def test_no_file_of_a_folder_is_passed_over(planted, right, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    tensor_files.write_npz(folder / "a.npz", {f"{WHOLE}/output": right[f"{WHOLE}/output"]})
    assert golden.verify(folder, only_answered=True)
    WRONG[planted](folder)
    result = golden.verify(folder, only_answered=True)
    assert result.exit_code == 1 and [one.id for one in result.of("differs")] == [BROKEN], str(result)


def test_folders_that_lead_back_or_cannot_be_listed_are_refused(right, tmp_path, monkeypatch):
    tensor_files.write_npz(tmp_path / "a.npz", {f"{WHOLE}/output": right[f"{WHOLE}/output"]})
    (tmp_path / "below").mkdir()
    listed = os.scandir

    def scandir(path):
        if os.path.basename(path) == "below":
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    with monkeypatch.context() as patched, pytest.raises(refpos.FileError, match="below must be a folder that can be"):
        patched.setattr(os, "scandir", scandir)
        golden.verify(tmp_path, cases=[WHOLE])
    (tmp_path / "below" / "back").symlink_to(tmp_path)
    with pytest.raises(refpos.FileError, match="must hold each folder once"):
        golden.verify(tmp_path, cases=[WHOLE])


def test_a_bad_file_alone_is_refused(tmp_path, capsys):
    bomb_file(tmp_path / "a.npz")
    file = str(tmp_path / "a.npz")
    for arguments in (["verify", file, "--case", WHOLE], ["compare", file, file]):
        assert cli.main(arguments) == 2
        assert "must start as" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["safetensors", "npz", "npy"])
def test_what_is_larger_than_the_memory_is_passed_over(kind, right, tmp_path, capsys):
    """10 GiB, most of them nowhere on the disk."""
    other = right[f"{WHOLE}/output"]
    if kind == "safetensors":
        huge = entry("F64", [HUGE // 8], 40, HUGE + 40)
        header = {f"{WHOLE}/output": entry("F64", [5], 0, 40), f"{BROKEN}/output": huge}
        safetensors(tmp_path / "a.safetensors", header, other.tobytes(), HUGE + 40)
    else:
        path = tmp_path / f"{BROKEN}/output.npy"
        path.parent.mkdir(parents=True)
        with open(path, "wb") as file:
            file.write(member(b"", ("<f8", f"({HUGE // 8},)")))
            file.truncate(file.tell() + HUGE)
        tensor_files.write_npz(tmp_path / "a.npz", {f"{WHOLE}/output": other})
    if kind == "npz":  # a small archive of a large member
        path.unlink()
        data = member(b"", ("<f8", f"({1 << 22},)")) + bytes(1 << 25)
        with zipfile.ZipFile(tmp_path / "a.npz", "a", zipfile.ZIP_DEFLATED) as made:
            made.writestr(f"{BROKEN}/output.npy", data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert verified(tmp_path, right, capsys, "E_SHAPE: expected the shape (2,)")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # kB


def test_a_tensor_of_no_case_does_not_pass(right, tmp_path, capsys):
    """Nor does a name that leads out of the folder; nothing is written or read there."""
    for name in ("alibi_slopes/recursive-5-f65/output", "../../../outside"):
        tensor_files.write_npz(tmp_path / "a.npz", {**right, name: np.zeros(3)})
        result = golden.verify(tmp_path / "a.npz", cases=CASES)
        assert result.exit_code == 2 and len(result.of("met")) == 2 and result.unknown == (name,)
        assert cli.main(["verify", str(tmp_path / "a.npz"), *(f"--case={id}" for id in CASES)]) == 2
        assert f"tensors without a case: {name}" in capsys.readouterr().out
    assert not (tmp_path / "../../../outside").exists()


@pytest.mark.parametrize("name", ["alibi_slopes.x/../../secret", "../secret", "/etc/passwd", "alibi_slopes.npz"])
def test_a_manifest_names_files_of_its_folder_only(name, tmp_path, monkeypatch):
    golden.generate(tmp_path / "golden", suites=["alibi_slopes"])
    manifest = tmp_path / "golden" / "MANIFEST.json"
    held = json.loads(manifest.read_text())
    held["files"][name] = "0" * 64
    manifest.write_text(json.dumps(held, indent=1) + "\n")
    read = []
    monkeypatch.setattr("refpos.golden.manifest.sha256", lambda path: read.append(path) or "0" * 64)
    with pytest.raises(refpos.FileError):
        golden.verify(tmp_path / "golden")
    assert not any("secret" in path or "passwd" in path for path in read)


def test_every_value_nan_differs(right, tmp_path):
    held = {name: values * np.nan for name, values in right.items()}
    tensor_files.write_npz(tmp_path / "a.npz", held)
    result = golden.verify(tmp_path / "a.npz", cases=CASES)
    assert result.exit_code == 1 and len(result.of("differs")) == 2
    assert all(finding.report.max_abs_error == np.inf for finding in result.findings)
