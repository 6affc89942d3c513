"""`refpos compare` of two files holds a few tensors at a time, and says the same however many that are."""

import json
import weakref

import numpy as np
import pytest

from refpos import cli, tensor_files
from refpos.cli import tensors as command

HELD = {f"layer.{k}": np.arange(8.0) + k for k in range(5)}


def written(path, arrays):
    write = tensor_files.write_npz if path.suffix == ".npz" else tensor_files.write_safetensors
    write(path, arrays)
    return str(path)


@pytest.fixture
def pair(tmp_path):
    """Files that differ in two tensors, and of which each has one more."""
    other = {name: array.copy() for name, array in HELD.items()}
    other["layer.1"][3] += 1
    other["layer.4"][0] = np.nan
    actual = written(tmp_path / "a.npz", {**other, "only.a": np.ones(2)})
    return actual, written(tmp_path / "b.safetensors", {**HELD, "only.b": np.ones(2)})


def said(capsys, *arguments):
    status = cli.main(["compare", *arguments])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("most", [1, 130, 300, 1 << 28])
def test_a_few_tensors_at_a_time_say_what_all_at_once_do(pair, capsys, monkeypatch, most):
    asked, read = [], tensor_files.read_tensors

    def counting(path, *, wanted):
        asked.append([name for name, one in read(path, wanted=wanted).items() if isinstance(one, tensor_files.Tensor)])
        return read(path, wanted=wanted)

    monkeypatch.setattr(tensor_files, "read_tensors", counting)
    monkeypatch.setattr(command, "AT_A_TIME", most)
    status, text = said(capsys, *pair, "--json")
    found = json.loads(text)
    assert status == 1 and list(found["tensors"]) == list(HELD)
    assert [name for name, one in found["tensors"].items() if one["different"]] == ["layer.1", "layer.4"]
    assert (found["unused"], found["missing"]) == (["only.a"], ["only.b"])
    # the headers of each file, and then each tensor of both once
    at_once = max(1, min(len(HELD), most // 128))
    assert asked[:2] == [[], []] and max(map(len, asked)) == at_once
    for side in (0, 1):
        assert sorted(name for some in asked[2 + side :: 2] for name in some) == sorted(HELD)


def test_a_tensor_that_cannot_be_read_is_no_difference(tmp_path, capsys):
    right = written(tmp_path / "right.npz", HELD)
    damaged = tmp_path / "damaged.npz"
    data = bytearray((tmp_path / "right.npz").read_bytes())
    at = data.index(np.float64(3.0).tobytes())
    data[at] ^= 1  # the checksum of the archive tells
    damaged.write_bytes(data)
    status = cli.main(["compare", str(damaged), right])
    error = capsys.readouterr().err
    assert status == 2 and "damaged.npz" in error and "CRC" in error


def test_a_tensor_of_another_shape_leaves_the_others_compared(tmp_path, capsys):
    right = written(tmp_path / "right.npz", HELD)
    page = tmp_path / "page.html"
    turned = written(tmp_path / "turned.npz", {**HELD, "layer.0": HELD["layer.0"].reshape(2, 4)})
    status, text = said(capsys, turned, right, "--html", str(page))
    assert status == 2 and text.count(": equal: ") == 4 and text.endswith("4 of 5 tensors equal\n")
    assert "cannot be compared: E_SHAPE: layer.0: actual must have the shape (8,)" in " ".join(text.split())
    assert "E_SHAPE" in page.read_text() and "not passed" in page.read_text()
    status, text = said(capsys, turned, right, "--json")
    found = json.loads(text)
    assert status == 2 and not found["passed"] and list(found["unusable"]) == ["layer.0"] and len(found["tensors"]) == 4
    # where numbers differ as well, that is what the status says
    other = written(tmp_path / "other.npz", {**HELD, "layer.3": HELD["layer.3"] + 1})
    assert said(capsys, turned, other)[0] == 1


@pytest.mark.parametrize(
    "dtypes", [("float32", "float64"), ("float64", "float16"), ("int32", "int64"), ("int8", "bool")]
)
def test_a_tensor_of_another_dtype_is_not_equal(tmp_path, capsys, dtypes):
    one, other = ({**HELD, "layer.0": HELD["layer.0"].clip(0, 1).astype(dtype)} for dtype in dtypes)
    files = written(tmp_path / "one.npz", one), written(tmp_path / "other.npz", other)
    status, text = said(capsys, *files)
    assert status == 2 and text.count(": equal: ") == 4 and text.endswith("4 of 5 tensors equal\n")
    sentence = (
        "cannot be compared: E_DTYPE: layer.0: actual must have the dtype {1} of expected, or --dtype name a format"
    )
    assert f"{sentence.format(*dtypes)} for both, got {dtypes[0]}" in " ".join(text.split())
    status, text = said(capsys, *files, "--json")
    assert status == 2 and not json.loads(text)["passed"] and list(json.loads(text)["unusable"]) == ["layer.0"]


def test_one_tensor_of_another_dtype_is_compared_in_the_format_that_is_asked_for(tmp_path, capsys):
    third = np.float64([1 / 3])
    files = written(tmp_path / "one.npz", {"x": third.astype("float32")}), written(tmp_path / "two.npz", {"x": third})
    assert cli.main(["compare", *files]) == 2
    assert "actual must have the dtype float64 of expected" in capsys.readouterr().err
    assert said(capsys, *files, "--dtype", "float32")[0] == 0


def test_the_maps_of_a_page_are_those_of_what_differs(pair, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "AT_A_TIME", 1)
    page = tmp_path / "page.html"
    assert said(capsys, *pair, "--html", str(page))[0] == 1
    text = page.read_text()
    assert text.count("<img") == 2 and "not a number" in text
    assert "largest error beyond what is allowed (the ring), at [3]: " in text


@pytest.mark.parametrize("shape", [(8,), (2, 4)])
def test_no_tensor_is_held_while_the_next_is_read(tmp_path, monkeypatch, shape):
    right = written(tmp_path / "right.npz", HELD)
    left = written(tmp_path / "left.npz", {**HELD, "layer.1": HELD["layer.1"].reshape(shape)})
    read, held, alive = tensor_files.read_tensors, [], []

    def counting(path, *, wanted):
        alive.append(sum(values() is not None for values in held))
        found = read(path, wanted=wanted)
        held.extend(weakref.ref(one.values) for one in found.values() if isinstance(one, tensor_files.Tensor))
        return found

    monkeypatch.setattr(tensor_files, "read_tensors", counting)
    monkeypatch.setattr(command, "AT_A_TIME", 1)
    cli.main(["compare", left, right])
    # the headers of both files, and then one tensor of each at a time
    assert alive == [0, 0] + [0, 1] * len(HELD)
