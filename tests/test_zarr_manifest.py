"""The manifest of a Zarr array that refpos wrote, as it is read: a field that is wrong is named."""

import json

import pytest

from refpos.dask.zarr_manifest import digest_of, manifest_of, zarr_sha256
from refpos.errors import InputError

ONE, OTHER = "0" * 64, "1" * 64


@pytest.fixture
def folder(tmp_path):
    """A folder with a manifest of an array of two blocks, which is whole."""
    (tmp_path / "zarr.json").write_text("{}")
    header = {"shape": [40, 8], "chunks": [20, 8], "dtype": "float32"}
    blocks = {"0.0": ONE, "1.0": OTHER}
    held = {**header, "blocks": blocks, "digest": digest_of(header, blocks), "zarr": zarr_sha256(tmp_path)}
    (tmp_path / "refpos.json").write_text(json.dumps(held))
    assert manifest_of(str(tmp_path)) == held
    return tmp_path


WRONG = [
    ({"dtype": "x"}, "have in dtype the name of a dtype of integers, floats or booleans, got 'x'"),
    ({"dtype": "077"}, "have in dtype the name of"),
    ({"dtype": 32}, "have in dtype the name of a dtype of integers, floats or booleans, got 32"),
    ({"dtype": "complex64"}, "have in dtype the name of"),
    ({"dtype": "f4"}, "have in dtype the name of"),
    ({"digest": 0}, "have in digest the sha256 of dtype, shape, chunks and blocks, "),
    ({"digest": ONE}, f", got '{ONE}'"),
    ({"zarr": None}, "have in zarr the sha256 of zarr.json as 64 hexadecimal digits, got None"),
    ({"zarr": "0"}, "have in zarr the sha256 of zarr.json as 64 hexadecimal digits, got '0'"),
    ({"shape": [-1, 8]}, "have in shape a list of at most 64 sizes from 0 to 2**63 - 1, got [-1, 8]"),
    ({"shape": "40"}, "have in shape a list of at most 64 sizes from 0 to 2**63 - 1, got '40'"),
    ({"shape": [True, 8]}, "have in shape a list"),
    ({"chunks": [20]}, "have in chunks a size for each of the 2 axes, from 1 to that of the shape, got [20]"),
    ({"chunks": [20, 0]}, "have in chunks a size for each of the 2 axes, from 1 to that of the shape, got [20, 0]"),
    ({"chunks": {}}, "have in chunks a size for each of the 2 axes"),
    ({"blocks": {"0.0": ONE}}, "have in blocks the 2 blocks of the array by name, got 1"),
    ({"blocks": {"0.0": ONE, "0.1": OTHER}}, "have in blocks the 2 blocks of the array by name, got '0.1' for '1.0'"),
    ({"blocks": [ONE, OTHER]}, "have in blocks the 2 blocks of the array by name, got a list"),
    ({"blocks": {"0.0": ONE, "1.0": None}}, "have in blocks the sha256 of 1.0 as 64 hexadecimal digits, got None"),
]


@pytest.mark.parametrize(("changed", "sentence"), WRONG)
def test_a_field_that_is_wrong_is_named(folder, changed, sentence):
    path = folder / "refpos.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    with pytest.raises(InputError) as caught:
        manifest_of(str(folder))
    assert caught.value.code == "E_FILE" and sentence in str(caught.value) and str(path) in str(caught.value)
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "be a JSON object, got a list"),
        ("{", "be a complete JSON document in ASCII, got"),
        ("\udcff", "be a complete JSON document in ASCII, got"),
        ("[" * 10**5, "be a complete JSON document in ASCII, got"),
        ("{}", "have the fields blocks, chunks, digest, dtype, shape, zarr, got none"),
    ],
)
def test_what_is_no_manifest_is_refused(folder, text, sentence):
    (folder / "refpos.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        manifest_of(str(folder))
    assert sentence in str(caught.value) and len(str(caught.value)) < 800
