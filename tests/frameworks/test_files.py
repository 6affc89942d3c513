"""Files that the safetensors package reads and writes."""

import json

import ml_dtypes
import numpy as np
import safetensors.numpy
from test_files import EVERY, same

from refpos import tensor_files


def test_the_safetensors_package_reads_what_is_written(tmp_path):
    path = tmp_path / "t.safetensors"
    tensor_files.write_safetensors(path, EVERY)
    found = safetensors.numpy.load_file(path)
    assert sorted(found) == sorted(EVERY)
    for name, tensor in EVERY.items():
        assert found[name].dtype.name == tensor.dtype and found[name].shape == tensor.values.shape
        assert found[name].tobytes() == tensor.values.tobytes(), name
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert length % 8 == 0 and list(header) == sorted(header)
    assert all(found["data_offsets"][0] % EVERY[name].values.itemsize == 0 for name, found in header.items())


def test_what_the_safetensors_package_writes_is_read(tmp_path):
    path = tmp_path / "t.safetensors"
    arrays = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1.5, -2], ml_dtypes.bfloat16)}
    safetensors.numpy.save_file(arrays, path, metadata={"format": "np"})
    found = tensor_files.read_tensors(path)
    assert same(found["x"], tensor_files.Tensor("float32", arrays["x"]))
    assert same(found["b"], tensor_files.Tensor("bfloat16", arrays["b"].view(np.uint16)))
