"""Files made to harm: what reads them refuses in one sentence, before it takes time or memory."""

import io
import os
import random
import stat
import time
import warnings
import zipfile

import numpy as np
import pytest
from test_files import GOOD_NPY, PATTERNS, entry, npy, npy_of, packed, refused, same, zipped
from tiers import sampled

import refpos
from refpos import FileError, InputError, tensor_files


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_of_any_compression(tmp_path, kind):
    path = tmp_path / "t.npz"
    content = zipped([("x.npy", npy(PATTERNS))], kind)
    path.write_bytes(content)
    if kind == zipfile.ZIP_DEFLATED:
        assert same(tensor_files.read_tensors(path)["x"], tensor_files.Tensor("uint8", PATTERNS))
    else:  # of which zipfile bounds no read
        assert refused(lambda: tensor_files.read_tensors(path), "'x' stored or deflated", "compression by")
    start = 30 + len("x.npy")
    for at in range(start, start + 200, 20):
        path.write_bytes(content[:at] + b"\xff" * 16 + content[at + 16 :])
        assert refused(lambda: tensor_files.read_tensors(path), str(path))


def test_an_encrypted_member_is_refused(tmp_path):
    content = bytearray(zipped([("x.npy", GOOD_NPY)]))
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    (tmp_path / "t.npz").write_bytes(content)
    assert refused(lambda: tensor_files.read_tensors(tmp_path / "t.npz"), "without encryption", "password")


@pytest.mark.parametrize("sizes", [[2**62] * 240, [1] * 200_000, [2**62] * 64, [0, 2**62, 2**62]], ids=len)
def test_shapes_that_no_array_has(tmp_path, sizes):
    header = {"x": {"dtype": "U8", "shape": sizes, "data_offsets": [0, 1]}}
    (tmp_path / "t.safetensors").write_bytes(packed(header, b"1"))
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {tuple(sizes)!r}}}".encode()
    (tmp_path / "t.npy").write_bytes(b"\x93NUMPY\2\0" + len(text).to_bytes(4, "little") + text)
    started = time.process_time()
    for name in ("t.safetensors", "t.npy"):
        assert refused(lambda: tensor_files.read_tensors(tmp_path / name), name)
    assert time.process_time() - started < 5  # the product of 300,000 sizes took minutes


def test_no_message_holds_an_escape_or_a_page(tmp_path):
    hostile = "\x1b[31m\r\n\x9b" + "x" * 100_000
    half = hostile[:60_000]
    contents = [packed({hostile: 3}), packed({"x": {hostile: 1}}), packed({"x": entry(hostile)}),
                packed({hostile: entry(shape=(3,))}, bytes(8)), packed({"__metadata__": {hostile: 1}}),
                packed({"\ud800": entry()}, bytes(8)), packed({"a\0b": entry()}, bytes(8)),
                zipped([(half, b"")]), zipped([(half + ".npy", b"")]),
                npy_of("{'descr': '" + half), npy_of(f"{{'descr': {half!r}, 'shape': ()}}")]  # fmt: skip
    for at, content in enumerate(contents):
        path = tmp_path / f"\x1b[2J{at}"
        path.write_bytes(content)
        assert f"\\x1b[2J{at} must " in refused(lambda: tensor_files.read_tensors(path))


def test_a_small_file_that_expands_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, a=np.arange(5.0), b=np.zeros(4_000_000, np.uint8))
    assert path.stat().st_size < 10_000
    assert tensor_files.read_tensors(path)["b"].values.size == 4_000_000
    read = zipfile.ZipExtFile.read
    held = []
    monkeypatch.setattr(zipfile.ZipExtFile, "read", lambda self, n=-1: held.append(n) or read(self, n))
    assert refused(
        lambda: tensor_files.read_tensors(path, most_bytes=1_000_000), "at most 1000000 bytes", "4000040 up to 'b'"
    )
    assert refused(
        lambda: tensor_files.read_tensors(path, most_bytes={"b": 3_999_999}), "at most 3999999 bytes for 'b'", "4000000"
    )
    assert refused(lambda: tensor_files.read_tensors(path, most_bytes={"a": 39}), "at most 39 bytes for 'a'", "40")
    assert max(held) < 1000
    monkeypatch.setattr(tensor_files, "LARGEST_EXPANSION", 1_000_000)
    assert refused(lambda: tensor_files.read_tensors(path), "at most 1000000 bytes", "most_bytes")
    assert refused(lambda: tensor_files.read_tensors(path, most_bytes={"a": 40}), "at most 1000000 bytes")
    limits = {"a": 40, "b": 4_000_000}
    assert sorted(tensor_files.read_tensors(path, most_bytes=limits)) == ["a", "b"]
    assert sorted(tensor_files.read_tensors(path, most_bytes=4_000_040)) == ["a", "b"] and limits == {
        "a": 40,
        "b": 4_000_000,
    }
    np.savez(path, b=np.zeros(4_000_000, np.uint8))  # as large on the disk as in memory
    assert tensor_files.read_tensors(path)["b"].values.size == 4_000_000


@pytest.mark.parametrize("name", ["t.npy", "t.safetensors"])
def test_what_a_tensor_may_have_holds_in_every_container(tmp_path, name):
    path = tmp_path / name
    if name == "t.npy":
        np.save(path, np.arange(4.0))
    else:
        tensor_files.write_safetensors(path, {"t": np.arange(4.0)})
    for most in (32, {"t": 32}, {}, None, {"t": np.int64(32)}):
        assert tensor_files.read_tensors(path, most_bytes=most)["t"].values.size == 4
    for most in (31, {"t": 31}, 0):
        assert refused(lambda: tensor_files.read_tensors(path, most_bytes=most), "at most", "got 32")
    for wrong in (-1, "8", 8.0, {"t": None}, [8]):
        with pytest.raises(InputError, match="most_bytes must be a number of bytes") as caught:
            tensor_files.read_tensors(path, most_bytes=wrong)
        assert caught.value.code == "E_SIZE"


@pytest.mark.parametrize("claimed", [64, 10**6])
def test_a_member_that_lies_about_its_size(tmp_path, claimed):
    whole = npy(np.zeros(1_000_000, np.uint8))
    content = zipped([("x.npy", whole)], zipfile.ZIP_DEFLATED)
    size = len(whole).to_bytes(4, "little")
    assert content.count(size) == 2
    (tmp_path / "t.npz").write_bytes(content.replace(size, claimed.to_bytes(4, "little")))
    assert refused(lambda: tensor_files.read_tensors(tmp_path / "t.npz"))


@pytest.mark.parametrize(
    "descr",
    ["None", "'float'", "'float64'", "'f8'", "'=f8'", "'|f8'", "'a4'", "'S4'", "'O'", "'|O'", "'<f16'", "'<c8'", "'V2'",
     "'<M8[ns]'", "'<U1'", "''", "8", "('<f8', (2,))", "[('x', '<f8')]", "'<f8\\q'", "'<b2'", "'<V4'", "True"],
)  # fmt: skip
def test_only_explicit_element_types_are_read(tmp_path, descr):
    path = tmp_path / "t.npy"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path.write_bytes(npy_of(f"{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}", bytes(8)))
        assert refused(lambda: tensor_files.read_tensors(path))


def test_the_forms_of_an_npy_header_that_are_read(tmp_path):
    path = tmp_path / "t.npy"
    forms = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }": (1, 2),
        '{"shape":(2,),"fortran_order":False,"descr":"<f4"}': (2,),
        "{'descr': '<f4', 'fortran_order': True, 'shape': ( 2 , 1 ,)}   ": (2, 1),
    }
    for header, shape in forms.items():
        path.write_bytes(npy_of(header, np.array([1, 2], "<f4").tobytes()))
        assert tensor_files.read_tensors(path)["t"].values.shape == shape
        assert tensor_files.read_tensors(path)["t"].values.reshape(-1).tolist() == [1, 2]
    for shape in ("(2)", "2", "(2,,)", "(,)", "(2L,)", "(2.0,)", f"({2**63},)", "(-2,)", "(2 2,)", "()()"):
        path.write_bytes(npy_of(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}", bytes(8)))
        assert refused(lambda: tensor_files.read_tensors(path))
    path.write_bytes(npy_of("{'descr': '>V2', 'fortran_order': False, 'shape': (1,)}", b"\x3f\x80"))
    assert tensor_files.read_tensors(path)["t"].values.tolist() == [0x3F80]
    path.write_bytes(npy_of("{" + " " * 65_000, b""))
    started = time.process_time()
    assert refused(lambda: tensor_files.read_tensors(path))
    assert time.process_time() - started < 5


@pytest.mark.parametrize("path", [0, None, 1.5, b"t.npz", ["t.npz"], "a\0b", "\ud800", ""], ids=repr)
def test_paths_that_name_no_file(path):
    calls = [lambda: tensor_files.read_tensors(path), lambda: tensor_files.read_bytes(path, 8),
             lambda: tensor_files.write_npz(path, {}),
             lambda: tensor_files.write_safetensors(path, {}),
             lambda: tensor_files.write_atomically(path, [b"x"])]  # fmt: skip
    for call in calls if path != "" else calls[:1]:
        with pytest.raises(InputError, match=r"path must be a|must be a readable file") as caught:
            call()
        assert caught.value.code == "E_FILE" and isinstance(caught.value, FileError) == isinstance(path, str)


@pytest.mark.exhaustive
def test_only_regular_files_are_read_and_replaced(tmp_path):
    others = [os.devnull] + ["/dev/zero"] * os.path.exists("/dev/zero")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        others.append(str(tmp_path / "pipe"))
    for path in others:
        kind = stat.S_IFMT(os.stat(path).st_mode)
        for call in (
            lambda: tensor_files.read_tensors(path),
            lambda: tensor_files.read_bytes(path, 100),
            lambda: tensor_files.write_npz(path, {"x": np.zeros(2)}),
            lambda: refpos.golden.verify(path),
        ):
            assert refused(call, "must be a regular file, got a pipe, a socket or a device")
        assert stat.S_IFMT(os.stat(path).st_mode) == kind
    assert refused(lambda: tensor_files.read_bytes(tmp_path, 100), "must be a readable file")
    (tmp_path / "nine").write_bytes(b"123456789")
    assert tensor_files.read_bytes(tmp_path / "nine", 9) == b"123456789"
    assert refused(lambda: tensor_files.read_bytes(tmp_path / "nine", 8), "at most 8 bytes, got 9")


def mutants(content, count, seed):
    """The content with bytes flipped, cut out, put in, repeated or set to telling values."""
    drawn = random.Random(seed)
    for _ in range(count):
        changed = bytearray(content)
        for _ in range(drawn.choice((1, 1, 1, 2, 5))):
            at, length = drawn.randrange(len(changed) + 1), drawn.choice((1, 1, 2, 4, 8, 30))
            some = drawn.choice((b"\0", b"\xff", b"9", b"[", b"'", b"\\", bytes([drawn.randrange(256)]))) * length
            kind = drawn.randrange(5)
            if kind == 0 and at < len(changed):
                changed[at] ^= 1 << drawn.randrange(8)
            elif kind == 1:
                del changed[at : at + length]
            elif kind == 2:
                changed[at:at] = some
            elif kind == 3:
                changed[at : at + length] = some
            else:
                changed[at:at] = changed[at : at + length]
        yield bytes(changed)


TWO = {"x": np.arange(6.0).reshape(2, 3), "flags": np.array([True, False])}


def container(kind):
    stream = io.BytesIO()
    if kind == "npy":
        return npy(np.asfortranarray(TWO["x"]))
    if kind == "safetensors":
        return packed({"x": entry("F64", (2, 3), (0, 48)), "flags": entry("BOOL", (2,), (48, 50))}, bytes(50))
    (np.savez if kind == "stored" else np.savez_compressed)(stream, **TWO)
    return stream.getvalue()


@pytest.mark.parametrize("kind", sampled(["npy", "safetensors", "stored", "deflated"], 4))
def test_a_mutated_file_is_refused_or_read(tmp_path, kind):
    content = container(kind)
    path = tmp_path / ("t.npz" if kind in ("stored", "deflated") else f"t.{kind}")
    path.write_bytes(content)
    assert tensor_files.read_tensors(path)
    state, outcomes = np.geterr(), {"read": 0, "refused": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for changed in mutants(content, 1500, seed=kind):
            path.write_bytes(changed)
            try:
                found = tensor_files.read_tensors(path)
            except FileError as error:
                assert str(error).isprintable() and len(str(error)) < 1000
                outcomes["refused"] += 1
            else:
                assert all(isinstance(tensor, tensor_files.Tensor) for tensor in found.values())
                outcomes["read"] += 1
            assert path.read_bytes() == changed
    assert np.geterr() == state and outcomes["refused"] > 500 and sum(outcomes.values()) == 1500, outcomes


def test_mutated_gguf_metadata_are_refused_or_read():
    metadata = {
        "general.architecture": "llama", "llama.embedding_length": 64, "llama.attention.head_count": 4,
        "llama.rope.dimension_count": 16, "llama.rope.freq_base": 10000.0, "llama.context_length": 4096,
        "llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0,
        "llama.rope.scaling.original_context_length": 1024,
    }  # fmt: skip
    assert refpos.from_config(metadata)
    outcomes = {"read": 0, "refused": 0}
    for name in metadata:
        for value in (None, True, -1, 0, 1.5, 2**70, float("nan"), float("inf"), "x", "1", b"x", [], [1], {}, {"x": 1}):
            for changed in ({**metadata, name: value}, {key: held for key, held in metadata.items() if key != name}):
                try:
                    refpos.from_config(changed)
                    outcomes["read"] += 1
                except InputError:
                    outcomes["refused"] += 1
    assert outcomes["refused"] > 50 and outcomes["read"] > 20, outcomes
