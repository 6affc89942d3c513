"""Arrays of torch and jax: compared where they lie, bfloat16 included, and the way back."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import refpos
from refpos import golden

FREQUENCIES = refpos.inverse_frequencies(16)


def test_tables_of_torch_and_jax_are_compared():
    cos, sin = refpos.rope_table(40, FREQUENCIES, dtype="float32")
    for make in (torch.from_numpy, jnp.asarray):
        assert refpos.compare((make(cos), make(sin)), refpos.rope_table, 40, FREQUENCIES).met == "correct"
        found = refpos.diagnose((make(sin), make(cos)), refpos.rope_table, 40, FREQUENCIES)
        assert found.explanations[0].computed == "cos and sin exchanged"


def test_bfloat16_goes_in_and_comes_back():
    bits = refpos.sinusoidal(9, 64, dtype="bfloat16", out=np.empty((9, 64), np.uint16))
    tensor = torch.from_numpy(bits).view(torch.bfloat16)
    assert refpos.compare(tensor, refpos.sinusoidal, 9, 64).met == "correct"
    moved = torch.from_numpy(np.roll(bits, 1, 0)).view(torch.bfloat16)
    assert not refpos.compare(moved, refpos.sinusoidal, 9, 64)
    assert refpos.compare(jnp.asarray(bits).view(jnp.bfloat16), refpos.sinusoidal, 9, 64).met == "correct"


def test_a_rotation_of_a_torch_tensor():
    x = torch.randn(1, 2, 12, 8, generator=torch.Generator().manual_seed(1))
    turned = torch.from_numpy(refpos.rope(x.numpy(), 12, pairing="half"))
    assert refpos.compare(turned, refpos.rope, x, 12, pairing="half").met == "correct"
    assert refpos.compare(turned, refpos.rope, x, torch.arange(12), pairing="half").met == "correct"


def test_what_requires_grad_is_refused_with_what_to_call():
    x = torch.ones(4, 8, requires_grad=True)
    for call in (
        lambda: refpos.rope(x, 4, pairing="half"),
        lambda: refpos.compare(x, refpos.sinusoidal, 4, 8),
        lambda: golden.verify({"sinusoidal/x": x}),
    ):
        with pytest.raises(refpos.InputTypeError, match=r"must not require grad: call \.detach\(\) first"):
            call()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_dtypes_of_torch_are_understood(dtype):
    cos, _ = refpos.rope_table(4, FREQUENCIES, dtype=getattr(torch, dtype))
    assert cos.dtype == dtype


def test_answers_in_memory_are_verified():
    id = "rope_table/telling-500000-f32"
    outputs = {name: torch.from_numpy(tensor.values) for name, tensor in golden.load(id).outputs.items()}
    assert golden.verify({id: outputs}, cases=[id]).met == "correct"


def test_read_takes_a_complex_table_of_torch_and_the_view_of_it_as_real_numbers():
    waves = torch.polar(torch.ones(50, 32), torch.outer(torch.arange(50.0), 1 / 10000 ** (torch.arange(32) / 32)))
    for table in (waves, torch.view_as_real(waves)):
        found = refpos.read(table, refpos.rope_table)
        assert found.complete and found.recipe["arguments"] == {"dim": 64, "base": 10000}
