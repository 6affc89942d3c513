"""Files: what is written reads back to the same bits, here and in other packages; a damaged file is refused whole."""

import errno
import io
import json
import os
import pickle
import random
import stat
import time
import warnings
import zipfile

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import FileError, InputError, tensor_files
from refpos.errors import LONGEST, shortened, shown

PATTERNS = np.random.default_rng(5).integers(0, 256, 480, dtype=np.uint8)
#: one tensor of each element type, NaN payloads and both zeros among the bits; shapes with 0, 1, 2 and 3 axes
EVERY = {
    "a.f64": tensor_files.Tensor("float64", PATTERNS.view("float64")[:12].reshape(3, 4)),
    "b.f32": tensor_files.Tensor("float32", PATTERNS.view("float32")[:7]),
    "c.f16": tensor_files.Tensor("float16", PATTERNS.view("float16")[:6].reshape(1, 2, 3)),
    "d.bf16": tensor_files.Tensor("bfloat16", PATTERNS.view("uint16")[:10].reshape(5, 2)),
    "scalar": tensor_files.Tensor("float32", np.array(-0.0, np.float32)),
    "empty": tensor_files.Tensor("float64", np.empty((0, 3))),
    "truth": tensor_files.Tensor("bool", np.array([True, False, True])),
    **{
        name: tensor_files.Tensor(name, PATTERNS.view(name)[:5])
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
}


def same(one, other):
    return (
        one.dtype == other.dtype
        and one.values.shape == other.values.shape
        and one.values.tobytes() == other.values.tobytes()
    )


@pytest.mark.parametrize(
    "write, suffix", [(tensor_files.write_npz, "npz"), (tensor_files.write_safetensors, "safetensors")]
)
def test_every_element_type_survives(tmp_path, write, suffix):
    path = tmp_path / f"t.{suffix}"
    write(path, EVERY)
    found = tensor_files.read_tensors(path)
    assert sorted(found) == sorted(EVERY)
    for name, tensor in EVERY.items():
        assert same(found[name], tensor), name
        assert found[name].values.dtype.isnative


@pytest.mark.parametrize(
    "write, suffix", [(tensor_files.write_npz, "npz"), (tensor_files.write_safetensors, "safetensors")]
)
def test_bytes_depend_on_the_tensors_only(tmp_path, write, suffix):
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    write(one, EVERY)
    # another order of names, another byte order and other strides in memory
    turned = {}
    for name, (kind, values) in reversed(EVERY.items()):
        turned[name] = tensor_files.Tensor(kind, np.array(values, values.dtype.newbyteorder(">"), order="F"))
    write(other, turned)
    assert one.read_bytes() == other.read_bytes()


def test_an_array_may_stand_for_its_tensor(tmp_path):
    arrays = {"x": np.arange(3.0), "b": np.array([1.5, -2], ml_dtypes.bfloat16)}
    tensors = {
        "x": tensor_files.Tensor("float64", arrays["x"]),
        "b": tensor_files.Tensor("bfloat16", arrays["b"].view(np.uint16)),
    }
    tensor_files.write_npz(tmp_path / "arrays.npz", arrays)
    tensor_files.write_npz(tmp_path / "tensors.npz", tensors)
    assert (tmp_path / "arrays.npz").read_bytes() == (tmp_path / "tensors.npz").read_bytes()


def test_numpy_reads_and_writes_the_same_npz(tmp_path):
    path = tmp_path / "t.npz"
    tensor_files.write_npz(path, EVERY)
    with np.load(path) as found:
        assert found["d.bf16"].view(ml_dtypes.bfloat16).tobytes() == EVERY["d.bf16"].values.tobytes()
        assert found["a.f64"].tobytes() == EVERY["a.f64"].values.tobytes()
        assert found.files == sorted(EVERY)
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            assert member.date_time == (1980, 1, 1, 0, 0, 0)
            assert (member.create_system, member.external_attr) == (3, 0o644 << 16)
    arrays = {
        "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "s": np.float16(2),
    }
    arrays["b"] = np.array([1.5, -2], ml_dtypes.bfloat16)
    for save in (np.savez, np.savez_compressed):
        save(path, **arrays)
        found = tensor_files.read_tensors(path)
        assert found["f"].dtype == "float64" and (found["f"].values == arrays["f"]).all()
        assert (
            found["big"].dtype == "int32"
            and found["big"].values.tolist() == [0, 1, 2]
            and found["big"].values.dtype.isnative
        )
        assert found["s"].values.shape == ()
        assert same(found["b"], tensor_files.Tensor("bfloat16", arrays["b"].view(np.uint16)))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_is_named_after_the_file(tmp_path, version):
    path = tmp_path / "output.npy"
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.arange(4, dtype=np.float32), version=version)
    assert same(
        tensor_files.read_tensors(str(path))["output"], tensor_files.Tensor("float32", np.arange(4, dtype=np.float32))
    )


def test_content_decides_what_a_suffix_does_not(tmp_path):
    tensor_files.write_npz(tmp_path / "t.npz", {"x": np.zeros(2)})
    (tmp_path / "t.npz").rename(tmp_path / "t.npy")
    assert list(tensor_files.read_tensors(tmp_path / "t.npy")) == ["x"]
    tensor_files.write_safetensors(tmp_path / "t.safetensors", {"x": np.zeros(2)})
    (tmp_path / "t.safetensors").rename(tmp_path / "answers")
    assert list(tensor_files.read_tensors(tmp_path / "answers")) == ["x"]


# -- files that must be refused ---------------------------------------------------------------------------------------


def packed(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npy_of(header, data=b""):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def zipped(members, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


class Trap:
    """Writes a file when unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


GOOD_NPY = npy(np.arange(4.0))
REFUSED = {
    "empty.npz": (b"", "hold tensors", "an empty file"),
    "empty.safetensors": (b"", "hold tensors", "an empty file"),
    "text.npz": (b"hello, world", "start as an npz", "68 65 6c"),
    "json.npy": (b"12345678{}", "start as an npz", "31 32"),
    # safetensors
    "short.safetensors": (b"\x02\0\0", "header that fits", "3 bytes"),
    "long-header.safetensors": (packed({}, length=1000), "header that fits", "a header length of 1000 in 10 bytes"),
    "huge-header.safetensors": (packed({}, length=2**63), "header that fits", str(2**63)),
    "not-json.safetensors": (packed(b"{nothing"), "a JSON object", "nothing"),
    "not-object.safetensors": (packed(b"[1]"), "a JSON object", "[1]"),
    "space-first.safetensors": (packed(b" {}"), "a JSON object", "{}"),
    "not-utf8.safetensors": (packed(b'{"\xff":1}'), "a JSON object", "xff"),
    "deep.safetensors": (packed(b'{"x":' + b"[" * 100_000), "a JSON object", "[["),
    "twice.safetensors": (
        packed(b'{"x":%b,"x":%b}' % ((json.dumps(entry()).encode(),) * 2), bytes(8)),
        "name each tensor",
        "'x' twice",
    ),
    "metadata.safetensors": (packed({"__metadata__": {"n": 1}}), "map text to text", "'n': 1"),
    "not-entry.safetensors": (packed({"x": 3}), "dtype, shape and data_offsets for 'x'", "3"),
    "extra-field.safetensors": (packed({"x": {**entry(), "more": 1}}, bytes(8)), "data_offsets for 'x'", "more"),
    "dtype.safetensors": (packed({"x": entry("F8_E4M3")}, bytes(8)), "'x' as one of F64", "'F8_E4M3'"),
    "dtype-kind.safetensors": (packed({"x": entry(["F32"])}, bytes(8)), "'x' as one of F64", "['F32']"),
    "negative.safetensors": (packed({"x": entry(shape=(-2,))}, bytes(8)), "shape of 'x'", "[-2]"),
    "bool-size.safetensors": (packed({"x": entry(shape=(True,))}, bytes(8)), "shape of 'x'", "[True]"),
    "float-size.safetensors": (packed({"x": entry(shape=(2.0,))}, bytes(8)), "shape of 'x'", "[2.0]"),
    "offsets.safetensors": (packed({"x": entry(offsets=(0,))}, bytes(8)), "two data_offsets for 'x'", "[0]"),
    "count.safetensors": (packed({"x": entry(shape=(3,))}, bytes(8)), "hold 12 bytes for 'x'", "8 (offsets 0 to 8)"),
    "backwards.safetensors": (packed({"x": entry(offsets=(8, 0))}, bytes(8)), "hold 8 bytes for 'x'", "-8"),
    "enormous.safetensors": (
        packed({"x": entry(shape=(2**62, 2**62))}, bytes(8)),
        f"hold {2**126} bytes",
        "8 (offsets",
    ),
    "no-room.safetensors": (packed({"x": entry()}, bytes(4)), "in its 4 bytes of data", "data_offsets to 8"),
    "rest.safetensors": (packed({"x": entry()}, bytes(9)), "hold 8 bytes of data", "9"),
    "overlap.safetensors": (
        packed({"x": entry(), "y": entry(offsets=(4, 12))}, bytes(12)),
        "start the data of 'y' at 8",
        "4",
    ),
    "gap.safetensors": (
        packed({"x": entry(), "y": entry(offsets=(12, 20))}, bytes(20)),
        "start the data of 'y' at 8",
        "12",
    ),
    "axes.safetensors": (
        packed({"x": entry(shape=[1] * 100 + [2])}, bytes(8)),
        "'x' in at most 64 dimensions",
        "101",
    ),
    "truth.safetensors": (
        packed({"x": entry("BOOL", (2,), (0, 2))}, b"\1\2"),
        "only 0 and 1 in the bool tensor 'x'",
        "2",
    ),
    # npy
    "magic.npy": (b"\x93NUMPY", "'magic' as npy version", "93 4e"),
    "version.npy": (b"\x93NUMPY\x09\x00\x00\x00", "'version' as npy version 1, 2 or 3", "09 00"),
    "length.npy": (b"\x93NUMPY\x01\x00\xff\xff{}", "the npy header of 'length'", "65535"),
    "length2.npy": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "the npy header of 'length2'", str(2**32 - 1)),
    "truncated.npy": (GOOD_NPY[:-1], "hold 32 bytes for 'truncated'", "31"),
    "longer.npy": (GOOD_NPY + b"\0", "hold 32 bytes for 'longer'", "33"),
    "header.npy": (npy_of("{'descr': '<f8'"), "an npy header with descr", "descr"),
    "header-kind.npy": (npy_of("[1, 2]"), "an npy header with descr", "[1, 2]"),
    "header-call.npy": (npy_of("{'descr': open('x'), 'fortran_order': False, 'shape': (1,)}"), "an npy header", "open"),
    "header-shape.npy": (npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), "an npy header", "-1"),
    "header-more.npy": (
        npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'x': 1}"),
        "an npy header",
        "'x'",
    ),
    "header-order.npy": (npy_of("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}"), "an npy header", "fortran_order"),
    "descr.npy": (
        npy_of("{'descr': 'nonsense', 'fortran_order': False, 'shape': ()}"),
        "(pickles are never loaded)",
        "nonsense",
    ),
    "complex.npy": (npy(np.zeros(2, complex)), "'complex' as one of float64", "'<c16'"),
    "text.npy": (npy(np.array(["a"])), "'text' as one of float64", "'<U1'"),
    "record.npy": (npy(np.zeros(2, "f4,i4")), "'record' as one of float64", "f0"),
    "far.npy": (
        npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}"),
        f"hold {2**65} bytes",
        "0",
    ),
    # npz
    "truncated.npz": (zipped([("x.npy", GOOD_NPY)])[:-30], "whole zip archive", "not a zip file"),
    "member.npz": (zipped([("x.npy", GOOD_NPY), ("readme.txt", b"x")]), "members end in .npy", "'readme.txt'"),
    "not-npy.npz": (zipped([("x.npy", b"nothing of the kind")]), "hold 'x' as npy version", "6e 6f"),
    "cut-member.npz": (zipped([("x.npy", GOOD_NPY[:-8])]), "hold 32 bytes for 'x'", "24"),
    "checksum.npz": (zipped([("x.npy", GOOD_NPY)]).replace(GOOD_NPY[-8:], b"\1" * 8, 1), "whole zip archive", "CRC"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, name):
    content, expected, received = REFUSED[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        tensor_files.read_tensors(path)
    message = str(caught.value)
    assert caught.value.code == "E_FILE"
    assert message.startswith(f"{path} must ") and "\n" not in message
    before, _, after = message.partition(", got ")
    assert expected in before and received in after, message
    assert len(message) < 500


def test_the_checksum_of_a_compressed_member_is_compared(tmp_path):
    content = zipped([("x.npy", npy(np.arange(1000.0)))], zipfile.ZIP_DEFLATED)
    checksum = content[14:18]
    assert content.count(checksum) == 2  # in the local header and in the directory
    (tmp_path / "t.npz").write_bytes(content.replace(checksum, b"\1\2\3\4"))
    with pytest.raises(FileError, match=r"whole zip archive without encryption, got .*CRC"):
        tensor_files.read_tensors(tmp_path / "t.npz")


def test_a_header_above_the_limit_of_the_format_is_refused_unread(tmp_path):
    path = tmp_path / "t.safetensors"
    with open(path, "wb") as file:
        file.write((100_000_001).to_bytes(8, "little") + b"{")
        file.truncate(8 + 100_000_001)  # sparse
    with pytest.raises(FileError, match="at most 100000000 bytes, got 100000001"):
        tensor_files.read_tensors(path)


def test_a_name_twice_in_a_zip_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        content = zipped([("x.npy", GOOD_NPY), ("x.npy", GOOD_NPY)])
    (tmp_path / "t.npz").write_bytes(content)
    with pytest.raises(FileError, match="'x' twice"):
        tensor_files.read_tensors(tmp_path / "t.npz")


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_a_pickle_is_never_loaded(tmp_path, suffix):
    trace, path = tmp_path / "sprung", tmp_path / f"x.{suffix}"
    array = np.array([Trap(trace)], object)
    with open(path, "wb") as file:
        np.save(file, array) if suffix == "npy" else np.savez(file, x=array)
    with pytest.raises(FileError, match=r"\(pickles are never loaded\), got dtype '\|O'"):
        tensor_files.read_tensors(path)
    assert not trace.exists()
    pickle.loads(pickle.dumps(Trap(trace))).close()  # the trap works
    assert trace.exists()


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileError, match=r"nowhere\.npz must be a readable file, got No such file"):
        tensor_files.read_tensors(tmp_path / "nowhere.npz")
    with pytest.raises(FileError, match="must be a readable file, got Is a directory"):
        tensor_files.read_tensors(tmp_path)


@pytest.mark.parametrize(
    "write, suffix", [(tensor_files.write_npz, "npz"), (tensor_files.write_safetensors, "safetensors")]
)
def test_no_flipped_bit_or_cut_leads_to_another_error(tmp_path, write, suffix):
    path = tmp_path / f"t.{suffix}"
    write(path, {"x": np.arange(3.0), "y": tensor_files.Tensor("bfloat16", np.arange(4, dtype=np.uint16))})
    whole = path.read_bytes()
    cut_refused = 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            tensor_files.read_tensors(path)
        cut_refused += 1
    assert cut_refused == len(whole)
    refused = 0
    for at in range(len(whole)):
        for bit in (0, 5, 7):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                tensor_files.read_tensors(path)
            except FileError:
                refused += 1
    assert refused > len(whole)  # any other exception has failed the test already


# -- hostile files ----------------------------------------------------------------------------------------------------


def refused(call, *words):
    """The message of the FileError that the call raises, which is one short line without control characters."""
    with pytest.raises(FileError) as caught:
        call()
    message = str(caught.value)
    assert caught.value.code == "E_FILE" and message.isprintable() and len(message) < 1000, message
    assert all(word in message for word in words), message
    return message


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


def test_values_are_shortened_for_messages():
    for text in ("", "\x1b[31m", "\ud800", "\u202e", "a" * 120, "a" * 121, "\x1b" * 121, "\U000e0001" * 10**5):
        assert len(shortened(text)) <= 120 and shortened(text).isprintable()
        assert len(shown(text, 20)) <= 20 and shown(text, 20).isprintable()
    assert shortened("a" * 120) == "a" * 120 and shown(10**5000).startswith("a value of type int")
    error = InputError("E_CHOICE", "name", "x\n\x1b" + "y" * 10_000)
    assert len(str(error)) == LONGEST and str(error).isprintable()
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


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


@pytest.mark.parametrize("kind", ["npy", "safetensors", "stored", "deflated"])
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


# -- writing ----------------------------------------------------------------------------------------------------------

WRITERS = [(tensor_files.write_npz, "npz"), (tensor_files.write_safetensors, "safetensors")]


@pytest.mark.parametrize("write, suffix", WRITERS)
@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x\udcff", 3, None, b"x", ("a",)], ids=repr)
def test_names_that_no_reader_gives_back_are_not_written(tmp_path, write, suffix, name):
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(b"old")
    tensors = {"a": np.zeros(2), name: np.ones(2)}
    with pytest.raises(InputError, match="the name of a tensor must be text") as caught:
        write(path, tensors)
    assert caught.value.code == "E_FILE" and str(caught.value).isprintable()
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == [path.name] and list(tensors) == ["a", name]


def test_names_that_are_too_long_are_not_written(tmp_path, monkeypatch):
    path = tmp_path / "t.npz"
    for name in ("a" * 65_532, "\u00e9" * 32_766):
        assert refused(lambda: tensor_files.write_npz(path, {name: np.zeros(2)}), "at most 65531 bytes, got 65532")
    assert os.listdir(tmp_path) == []
    for name in ("a" * 65_531, "\u00e9" * 32_765):
        tensor_files.write_npz(path, {name: np.zeros(2)})
        assert list(tensor_files.read_tensors(path)) == [name]
    tensor_files.write_safetensors(path, {"a" * 70_000: np.zeros(2)})
    monkeypatch.setattr(tensor_files, "LARGEST_HEADER", 1000)
    with pytest.raises(FileError, match=r"header of at most 1000 bytes|at most .* bytes, got 1001"):
        tensor_files.write_safetensors(path, {"a" * 999: np.zeros(2)})
    assert len(path.read_bytes()) > 70_000


@pytest.mark.parametrize("write, suffix", WRITERS)
def test_what_is_no_dict_of_arrays_is_not_written(tmp_path, write, suffix):
    wrong = [None, 3, [np.zeros(2)], "x", {"x": [[1.0], [1.0, 2.0]]},
             {"x": tensor_files.Tensor("float64", np.zeros(2, int))},
             {"x": tensor_files.Tensor("nothing", np.zeros(2))}, {"x": tensor_files.Tensor(["float64"], np.zeros(2))},
             {"x": tensor_files.Tensor("bfloat16", np.zeros(2, np.float16))},
             {"x": tensor_files.Tensor("float64", [1.0])},
             {"x": "text"}, {"x": None}]  # fmt: skip
    for tensors in wrong:
        with pytest.raises(InputError, match=" must ") as caught:
            write(tmp_path / f"t.{suffix}", tensors)
        assert caught.value.code == "E_DTYPE" and len(str(caught.value)) < 500
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("write, suffix", WRITERS)
def test_what_a_writer_writes_its_reader_reads(tmp_path, write, suffix):
    path = tmp_path / ("n" * (255 - len(suffix) - 1) + f".{suffix}")  # as long as a name may be
    drawn = random.Random(6)
    letters = "ab/\\.:*\"' \t\n\r\x01\x7f\x9b\u00e9\u0301\u202e\u3000\ufeff\uffff\U0001f600"
    for _ in range(150):
        names = {"".join(drawn.choices(letters, k=drawn.randrange(6))) for _ in range(drawn.randrange(5))} | {".npy"}
        tensors = {}
        for name in names:
            kind, values = EVERY[drawn.choice(sorted(EVERY))]
            tensors[name] = tensor_files.Tensor(kind, values[: drawn.randrange(4)] if values.ndim else values)
        write(path, tensors)
        found = tensor_files.read_tensors(path)
        assert sorted(found) == sorted(tensors)
        assert all(same(found[name], tensors[name]) for name in tensors)


def test_element_types_that_no_file_holds(tmp_path):
    with pytest.raises(InputError, match=r"must have one of the dtypes float64.*got complex128") as caught:
        tensor_files.write_npz(tmp_path / "t.npz", {"x": np.zeros(2, complex)})
    assert caught.value.code == "E_DTYPE"
    with pytest.raises(InputError, match="got object"):
        tensor_files.write_safetensors(tmp_path / "t.safetensors", {"x": np.array([None])})
    with pytest.raises(FileError, match="'__metadata__'"):
        tensor_files.write_safetensors(tmp_path / "t.safetensors", {"__metadata__": np.zeros(2)})
    assert os.listdir(tmp_path) == []


def test_a_failure_keeps_the_old_file_and_leaves_nothing_aside(tmp_path, monkeypatch):
    path = tmp_path / "out.bin"
    tensor_files.write_atomically(path, [b"old"])

    def chunks(error):
        yield b"new"
        raise error

    for error in (RuntimeError("stop"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            tensor_files.write_atomically(path, chunks(error))
        assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["out.bin"]

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(tensor_files.os, name, lambda *_: full(None))
            for write in (
                lambda: tensor_files.write_atomically(path, [b"new"]),
                lambda: tensor_files.write_npz(path, {"x": np.zeros(2)}),
            ):
                with pytest.raises(FileError, match=r"out\.bin must be written whole, got No space left on device"):
                    write()
        assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["out.bin"]
    tensor_files.write_atomically(path, [b"n", b"ew"])
    assert path.read_bytes() == b"new"


class Full(io.FileIO):
    """A file on a device with room for four bytes."""

    def write(self, data):
        if self.tell() + len(data) > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


def test_a_device_that_fills_up_while_writing(tmp_path, monkeypatch):
    path = tmp_path / "out.bin"
    monkeypatch.setattr(
        tensor_files, "open", lambda path, mode: Full(path, "x" if mode == "xb" else mode), raising=False
    )
    tensor_files.write_atomically(path, [b"fits"])
    with pytest.raises(FileError, match=r"out\.bin must be written whole, got No space left on device"):
        tensor_files.write_atomically(path, [b"four", b" more"])
    for write in (tensor_files.write_npz, tensor_files.write_safetensors):
        with pytest.raises(FileError, match="No space left on device"):
            write(path, {"x": np.zeros(2)})
    assert path.read_bytes() == b"fits" and os.listdir(tmp_path) == ["out.bin"]


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(FileError, match="must be written whole, got No such file or directory"):
        tensor_files.write_atomically(tmp_path / "no" / "out.bin", [b"x"])
