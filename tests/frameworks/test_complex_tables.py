"""What docs/lessons/complex-numbers.md says of torch and transformers: which calls conjugate, what a cast leaves of a
complex buffer, and the modulus of a table of Llama 4."""

import pytest
import torch
from transformers.models.llama4.modeling_llama4 import Llama4TextConfig, Llama4TextRotaryEmbedding

import refpos


def model_with_table():
    model = torch.nn.Module()
    angles = torch.arange(4.0)
    model.register_buffer("freqs_cis", torch.polar(torch.ones_like(angles), angles))
    return model


def test_vdot_conjugates_and_other_products_do_not():
    z, w = torch.tensor([1 + 2j, 3j]), torch.tensor([2 - 1j, 1 + 1j])
    conjugated, plain = (z.conj() * w).sum(), (z * w).sum()
    assert conjugated != plain
    assert torch.vdot(z, w) == conjugated
    assert plain == z @ w == torch.dot(z, w) == torch.einsum("i,i->", z, w)


def test_a_cast_to_bfloat16_discards_the_imaginary_part():
    model = model_with_table()
    cosines = model.freqs_cis.real.to(torch.bfloat16)
    torch.set_warn_always(True)  # otherwise the warning appears once in a process
    try:
        with pytest.warns(UserWarning, match="discards the imaginary part"):
            model.to(torch.bfloat16)
    finally:
        torch.set_warn_always(False)
    assert model.freqs_cis.dtype == torch.bfloat16 and torch.equal(model.freqs_cis, cosines)


@pytest.mark.parametrize("cast", ["half", "bfloat16"])
def test_half_and_bfloat16_leave_a_complex_buffer(cast):
    model, table = model_with_table(), model_with_table().freqs_cis
    getattr(model, cast)()
    assert torch.equal(model.freqs_cis, table)


def test_view_as_complex_reads_adjacent_channels():
    x = torch.arange(8.0)
    assert torch.view_as_complex(x.reshape(-1, 2)).tolist() == [0 + 1j, 2 + 3j, 4 + 5j, 6 + 7j]


def test_the_table_of_llama_4_has_the_attention_factor_as_modulus():
    scaling = {"rope_type": "yarn", "factor": 8.0, "rope_theta": 10000.0, "original_max_position_embeddings": 8192}
    config = Llama4TextConfig(head_dim=64, max_position_embeddings=65536, rope_parameters=scaling)
    table = Llama4TextRotaryEmbedding(config)(torch.zeros(1, 4, 64), torch.arange(4)[None])
    factor = refpos.yarn(64, factor=8, original_max_position_embeddings=8192).attention_factor
    assert table.dtype == torch.complex64 and factor > 1.2
    assert (table.abs() - factor).abs().max() < 1e-6
