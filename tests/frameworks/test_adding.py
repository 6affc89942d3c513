"""Adding in torch and transformers beside `add`: their sums meet the class of tables that are rounded first."""

import math
from fractions import Fraction
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest
import torch
from real_code import hf
from x_transformers.x_transformers import ScaledSinusoidalEmbedding

import refpos
from refpos import compare, conformance

TORCH = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "float64": torch.float64}


def embeddings(dtype, shape=(2, 60, 32), seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(TORCH[dtype])


def array(tensor):
    if tensor.dtype is torch.bfloat16:
        return tensor.contiguous().view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def judged(theirs, x, table, **arguments):
    """The report on a sum of torch."""
    x, dtype = array(x), str(x.dtype).removeprefix("torch.")
    limits = conformance.bounds("add", arguments, {"x": x, "table": table}, dtype)
    bounds = {name: limit["output"] for name, limit in limits.items()}
    return compare(array(theirs), refpos.absolute.add(x, table, **arguments), bounds=bounds)


@pytest.mark.parametrize("dtype", TORCH)
def test_x_plus_a_table_of_that_dtype(dtype):
    """`x + pe[:T]` rounds the table first; with the rounded table it is the exact sum rounded once."""
    x, table = embeddings(dtype), refpos.sinusoidal(60, 32)
    rounded = torch.from_numpy(table).to(x.dtype)
    theirs = x + rounded
    report = judged(theirs, x, table)
    assert report.classes["rounded-table"].met
    given = refpos.absolute.add(array(x), array(rounded))
    assert np.array_equal(given, array(theirs))
    differing = (array(theirs) != refpos.absolute.add(array(x), table)).mean()
    assert differing > 0.02 if dtype != "float64" else differing == 0
    assert judged(x + rounded.flip(0), x, table).met is None


def test_a_float32_table_makes_float32_of_bfloat16():
    """torch promotes the sum, and a cast afterwards rounds twice: only ties differ, which few sums meet."""
    x, table = embeddings("bfloat16", (64, 60, 32)), refpos.sinusoidal(60, 32, dtype="float32")
    theirs = x + torch.from_numpy(table)
    assert theirs.dtype is torch.float32
    differing = (array(theirs.bfloat16()) != refpos.absolute.add(array(x), table)).sum()
    assert 0 < differing < 1e-3 * x.numel()
    x, table = torch.tensor([[1.0]], dtype=torch.bfloat16), np.array([[2.0**-8 + 2.0**-31]], np.float32)
    assert (x + torch.from_numpy(table)).bfloat16().item() == 1
    assert refpos.absolute.add(array(x), table).astype(np.float64).item() == 1 + 2.0**-7


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 0.837399959564208984375])
def test_speecht5(dtype, alpha):
    module = hf("speecht5").SpeechT5ScaledPositionalEncoding(0.0, 32, 60).eval()
    table = module.pe[0].numpy().copy()
    with torch.no_grad():
        module.alpha.fill_(alpha)
        x = embeddings(dtype)
        theirs = module.to(x.dtype)(x)
    scale = module.alpha.item()  # in the dtype of the model
    assert judged(theirs, x, table, scale=scale).classes["rounded-table"].met
    assert judged(theirs, x, table, scale=scale + 0.5).met is None
    if alpha == 0:
        assert np.array_equal(array(theirs), array(x))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("dim", [512, 1024])
def test_marian(dtype, dim):
    """The encoder multiplies x by sqrt(d_model), then adds; its table is float32 until the model is cast."""
    marian = hf("marian")
    config = marian.MarianConfig(d_model=dim, encoder_layers=0, decoder_layers=0, vocab_size=50, pad_token_id=49,
                                 max_position_embeddings=64, scale_embedding=True, dropout=0.0)  # fmt: skip
    encoder = marian.MarianEncoder(config).eval()
    exact = encoder.embed_positions.weight.detach().numpy().copy()
    x = embeddings(dtype, (2, 20, dim))
    with torch.no_grad():  # embeddings that are given are not scaled
        encoder.to(x.dtype).embed_tokens.weight[:40] = x.reshape(40, dim)
        theirs = encoder(input_ids=torch.arange(40).reshape(2, 20)).last_hidden_state
    assert encoder.embed_scale == math.sqrt(dim)
    assert judged(theirs, x, exact, squared_x_scale=dim).classes["rounded-table"].met
    assert judged(theirs, x, exact, squared_scale=dim).met is None
    assert judged(theirs, x, exact).met is None


def test_ctrl():
    """`inputs_embeds *= np.sqrt(d_model)`, then the sum with a table of float32."""
    ctrl = hf("ctrl")
    table = ctrl.positional_encoding(64, 1280, torch.float).numpy()
    config = ctrl.CTRLConfig(n_embd=1280, dff=8, n_layer=0, n_head=16, n_positions=64, vocab_size=50, embd_pdrop=0.0)
    model = ctrl.CTRLModel(config).eval()
    seen = SimpleNamespace()
    model.dropout.register_forward_hook(lambda module, given, result: seen.__setattr__("x", given[0]))
    x = embeddings("float32", (2, 20, 1280))
    with torch.no_grad():
        model(inputs_embeds=x.clone())
    assert judged(seen.x, x, table, squared_x_scale=1280).classes["rounded-table"].met
    assert judged(seen.x, x, table, squared_scale=1280).met is None


@pytest.mark.parametrize("dim", [512, 6])
def test_scaled_sinusoidal(dim):
    """x-transformers multiplies its table, sines first, by a parameter that begins as dim ** -0.5."""
    module = ScaledSinusoidalEmbedding(dim)
    x, positions = embeddings("float32", (2, 60, dim)), np.arange(3, 63)
    with torch.no_grad():
        theirs = x + module(x, offset=3)
        module.scale.fill_(1)
        table = module(x, offset=3).numpy()
    call = {"dim": dim, "layout": "sin-cos"}
    limits = conformance.bounds("sinusoidal", call, {"positions": positions}, "float32")
    of_table = {name: limit["output"] for name, limit in limits.items()}
    report = compare(table, refpos.sinusoidal(positions, **call, dtype="float32"), bounds=of_table)
    assert report.classes["float32-exp-angle"].met, str(report)
    assert judged(theirs, x, table, squared_scale=Fraction(1, dim)).classes["rounded-table"].met
    assert judged(theirs, x, table, squared_scale=dim).met is None
