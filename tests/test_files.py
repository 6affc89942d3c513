"""Files: what is written reads back to the same bits, here and in other packages; a damaged file is refused whole."""

import io
import json
import pickle
import zipfile

import ml_dtypes
import numpy as np
import pytest

from refpos import FileError, tensor_files

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


def refused(call, *words):
    """The message of the FileError that the call raises, which is one short line without control characters."""
    with pytest.raises(FileError) as caught:
        call()
    message = str(caught.value)
    assert caught.value.code == "E_FILE" and message.isprintable() and len(message) < 1000, message
    assert all(word in message for word in words), message
    return message


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
    "dtype.safetensors": (packed({"x": entry("F6_E2M3")}, bytes(8)), "'x' as one of F64", "'F6_E2M3'"),
    "dtype-kind.safetensors": (packed({"x": entry(["F32"])}, bytes(8)), "'x' as one of F64", "['F32']"),
    "negative.safetensors": (packed({"x": entry(shape=(-2,))}, bytes(8)), "shape of 'x'", "[-2]"),
    "size-of-65-bits.safetensors": (
        packed({"x": entry(shape=(0, 2**63), offsets=(0, 0))}),
        "give the shape of 'x' as a list of sizes",
        f"[0, {2**63}]",
    ),
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


@pytest.mark.exhaustive
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
