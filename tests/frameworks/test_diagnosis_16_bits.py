"""Rotations of torch in 16 bits, named by diagnosis whatever their dtype is when they are handed over."""

import types

import numpy as np
import pytest
import torch

import refpos


def in_torch(x, pairing, kind):
    """(bits of cosine and sine, x and all products in a format of 16 bits) as rotary modules of torch compute them."""
    dtype, dim, rows = getattr(torch, kind), x.shape[-1], x.shape[-2]
    angles = torch.outer(torch.arange(rows).float(), 1 / 10000 ** (torch.arange(0, dim, 2).float() / dim))
    x = torch.from_numpy(x).to(dtype)
    if pairing == "half":
        angles, (one, other) = torch.cat([angles, angles], -1), x.chunk(2, -1)
        turned = torch.cat([-other, one], -1)
    else:
        angles = angles.repeat_interleave(2, -1)
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * angles.cos().to(dtype) + turned * angles.sin().to(dtype)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
@pytest.mark.parametrize("shape", [(6, 16), (1, 2, 32, 64)])
def test_a_rotation_of_16_bits_is_named_as_it_is_and_widened(kind, pairing, shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    q = in_torch(x, pairing, kind)
    for answer in (q, q.float().numpy()):
        found = refpos.diagnose(answer, refpos.rope, x, shape[-2], pairing=pairing)
        assert found.met is None and f"the result rounded to {kind}" in found.explanations[0].computed
        assert found.explanations[0].mistake == "precision"
        other = "half" if pairing == "interleaved" else "interleaved"
        found = refpos.diagnose(answer, refpos.rope, x, shape[-2], pairing=other)
        assert found.explanations[0].computed == f"pairing={pairing!r} and the result rounded to {kind}"
    right = refpos.diagnose(q, refpos.rope, q.new_tensor(x), shape[-2], pairing=pairing)
    assert right.met and not right.explanations


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_an_x_of_16_bits_with_a_result_of_float32_is_named(kind):
    x = np.random.default_rng(0).normal(size=(9, 16)).astype(np.float32)
    cast = torch.from_numpy(x).to(getattr(torch, kind)).float().numpy()
    found = refpos.diagnose(refpos.rope(cast, 9, pairing="half"), refpos.rope, x, 9, pairing="half")
    assert found.explanations[0].computed == f"x rounded to {kind}" and found.explanations[0].met == "correct"


def test_a_dtype_of_bfloat16_is_that_of_x():
    x = torch.arange(96).reshape(6, 16).to(torch.bfloat16)
    right, bits = refpos.rope(x, 6, pairing="half"), x.view(torch.uint16)
    assert refpos.diagnose(right, refpos.rope, bits, 6, pairing="half", dtype="bfloat16").met == "correct"
    with pytest.raises(refpos.InputError, match="got 'bfloat16' with float32"):
        refpos.diagnose(right, refpos.rope, x.float(), 6, pairing="half", dtype="bfloat16")


def test_sizes_may_be_tensors_of_no_axis_and_bounds_any_mapping():
    given = {"positions": np.arange(3)}
    found = refpos.conformance.bounds("sinusoidal", types.MappingProxyType({"dim": torch.tensor(4)}), given, "float32")
    assert found["float32-angle"]["output"].shape == (3, 4)
    table = refpos.sinusoidal(3, 4, dtype="float32")
    limits = types.MappingProxyType({"float32-angle": found["float32-angle"]["output"]})
    assert refpos.compare(table, table, bounds=limits)
    with pytest.raises(refpos.InputError):
        refpos.conformance.bounds("sinusoidal", {"dim": torch.tensor(4.5)}, given, "float32")
