"""Numbers of 8 bits beside torch and the safetensors package."""

import numpy as np
import pytest
import safetensors.torch
import torch

import refpos.testing
from refpos import golden, tensor_files
from refpos.tables import round_float8, round_mxfp8

KINDS = {"float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
#: torch 2.13 saturates E4M3, infinity included, and E5M2 not
SATURATES = {"float8_e4m3fn": True, "float8_e5m2": False}


def inputs():
    rng = np.random.default_rng(28)
    every = torch.arange(1 << 16, dtype=torch.int32).to(torch.uint16)
    yield every.view(torch.float16)
    yield every.view(torch.bfloat16)
    yield torch.from_numpy(rng.integers(0, 1 << 32, 300_000, dtype=np.uint32).view(np.float32))
    yield torch.from_numpy(np.ldexp(rng.uniform(-1, 1, 300_000), rng.integers(-30, 25, 300_000)).astype(np.float32))


@pytest.mark.parametrize("name", KINDS)
def test_roundings_are_those_of_torch(name):
    for values in inputs():
        wanted = values.to(KINDS[name])
        found = torch.from_numpy(round_float8(values, dtype=name, saturate=SATURATES[name]))
        nan = torch.isnan(values.float())
        assert torch.equal(found[~nan], wanted.view(torch.uint8)[~nan])
        assert torch.isnan(found.view(KINDS[name]).float()[nan]).all()


def test_a_float64_is_rounded_twice_by_torch():
    """By way of float32: next to a midpoint torch rounds to the even neighbour."""
    value = np.array([1.1875 - 2.0**-50])
    assert round_float8(value, dtype="float8_e4m3fn", saturate=True).tolist() == [0x39]
    assert torch.from_numpy(value).to(torch.float8_e4m3fn).view(torch.uint8).tolist() == [0x3A]


def test_safetensors_reads_and_writes_the_same_files(tmp_path):
    codes = np.arange(256, dtype=np.uint8)
    elements, scales = round_mxfp8(
        np.random.default_rng(1).normal(size=(4, 64)), dtype="float8_e5m2", scale_rule="even"
    )
    tensors = {
        "e4m3": torch.from_numpy(codes).view(torch.float8_e4m3fn),
        "elements": torch.from_numpy(elements).view(torch.float8_e5m2),
        "scales": torch.from_numpy(scales).view(torch.float8_e8m0fnu),
    }
    tensor_files.write_safetensors(tmp_path / "ours.safetensors", tensors)
    read = safetensors.torch.load_file(tmp_path / "ours.safetensors")
    assert all(read[name].dtype == one.dtype for name, one in tensors.items())
    assert all(torch.equal(read[name].view(torch.uint8), one.view(torch.uint8)) for name, one in tensors.items())
    safetensors.torch.save_file(tensors, tmp_path / "theirs.safetensors")
    for name, held in tensor_files.read_tensors(tmp_path / "theirs.safetensors").items():
        assert held.dtype == str(tensors[name].dtype).removeprefix("torch.")
        assert held.values.tolist() == tensors[name].view(torch.uint8).tolist()


def test_tensors_of_torch_are_answers():
    case = golden.load("round_mxfp8/scattered-f32-floor")
    dtype = KINDS[case.entry["arguments"]["dtype"]]
    answers = {
        "elements": torch.from_numpy(case.outputs["elements"].values.astype(np.uint8)).view(dtype),
        "scales": torch.from_numpy(case.outputs["scales"].values.astype(np.uint8)).view(torch.float8_e8m0fnu),
    }
    assert golden.verify({case.id: answers}, cases=[case.id])
    answers["scales"] = (case.outputs["scales"].values + 1).astype(np.uint8)
    assert not golden.verify({case.id: answers}, cases=[case.id])


@pytest.mark.parametrize(
    "case", [one for one in refpos.testing.cases("round_float8") if not one.golden.refusal], ids=str
)
def test_cases_check_tensors_of_8_bit_floats(case):
    patterns = case.expected["output"].values.astype(np.uint8)
    assert case.check(torch.from_numpy(patterns).view(KINDS[case.arguments["dtype"]])) == "correct"
