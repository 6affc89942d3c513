"""Writing files of tensors: what is written can be read, and a failure leaves the old file."""

import errno
import io
import os
import random

import numpy as np
import pytest
from test_files import EVERY, refused, same

from refpos import FileError, InputError, tensor_files

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
    monkeypatch.setattr(tensor_files.safetensors, "LARGEST_HEADER", 1000)
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
        tensor_files.files, "open", lambda path, mode: Full(path, "x" if mode == "xb" else mode), raising=False
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
