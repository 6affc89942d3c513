"""Emulations against the real code on a CPU: bit for bit, or at most 1 unit in the last place at every step.

A library rounds powers, exponentials, sines and cosines to one of the two neighbours, an emulation to the nearest; all
other operations are the same bits. So each step is compared from the numbers that the real code has before it.
"""

import math
import subprocess

import jax
import jax.numpy as jnp
import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import torch
from diffusers.models.embeddings import get_1d_rotary_pos_embed, get_timestep_embedding
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor as mpt
from x_transformers.x_transformers import RotaryEmbedding

import refpos
from refpos import emulate

POSITIONS = np.r_[0:300, 2047:2050, 4095:4098, 65503:65537:7, 131071, 131072]
LENGTHS = {"original_max_position_embeddings": 4096, "max_position_embeddings": 8192}
LONG = {"short_factor": [1 + i / 10 for i in range(32)], "long_factor": [2.0 + i for i in range(32)]}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 4096}
END = int(POSITIONS.max()) + 1
#: rope_type: (what a config says, the function of refpos, its arguments)
SCALINGS = {
    "default": ({}, "inverse_frequencies", {}),
    "linear": ({"factor": 4.0}, "linear", {"factor": 4.0}),
    "llama3": (LLAMA3, "llama3", LLAMA3),
    "yarn": ({"factor": 2.0, "original_max_position_embeddings": 4096}, "yarn",
             {"factor": 2.0, "original_max_position_embeddings": 4096}),
    "dynamic": ({"factor": 4.0}, "dynamic_ntk", {"factor": 4.0, "max_position_embeddings": 8192, "seq_len": END}),
    "proportional": ({"partial_rotary_factor": 0.25}, "proportional", {"partial_rotary_factor": 0.25}),
    "longrope": ({**LONG, "original_max_position_embeddings": 4096}, "longrope", {**LONG, **LENGTHS, "seq_len": END}),
}  # fmt: skip


def numbers(tensor):
    """A torch tensor as an array, of bfloat16 too."""
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.detach().numpy()


def assert_near(actual, expected, most=1):
    """How many elements differ; none by more than `most`."""
    report = refpos.compare(actual, expected)
    assert report.count > 1 and report.max_ulp <= most, report
    return report.different


def given(inv_freq):
    return {"function": "given_frequencies", "arguments": {"inv_freq": np.asarray(inv_freq, np.float64)}}


def llama(rope_type, base, says):
    return LlamaRotaryEmbedding(
        LlamaConfig(
            hidden_size=256, num_attention_heads=4, head_dim=64, max_position_embeddings=8192,
            rope_parameters={"rope_type": rope_type, "rope_theta": base, **says},
        )
    )  # fmt: skip


# -- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rope_type", SCALINGS)
@pytest.mark.parametrize("base", [10000.0, 500000.0, 123456.7])
def test_float32_tables_of_transformers(rope_type, base):
    says, function, arguments = SCALINGS[rope_type]
    module = llama(rope_type, base, says)
    real = [part[0, :, :32] for part in module(torch.zeros(1), torch.tensor(POSITIONS)[None])]
    inv_freq, factor = emulate.float32_angle(function, **{"dim": 64, "base": base, **arguments})
    assert factor == module.attention_scaling
    assert_near(module.inv_freq.numpy(), inv_freq)
    # sine and cosine at the angles that the module has; those of a factor before the product with it
    waves = emulate.float32_angle("rope_table", POSITIONS, given(module.inv_freq.numpy()))
    angle = torch.tensor(POSITIONS).float()[:, None] * module.inv_freq
    for part, wave, function in zip(real, waves, (torch.cos, torch.sin), strict=True):
        assert_near(function(angle).numpy(), wave)
        assert torch.equal(function(angle) * module.attention_scaling, part)


def test_16_bit_tables_and_rotations_of_transformers():
    module, random = llama("default", 10000.0, {}), np.random.default_rng(0)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        q = torch.tensor(random.standard_normal((1, 4, 300, 64))).to(dtype)
        cos, sin = module(q, torch.arange(300)[None])
        turned, _ = apply_rotary_pos_emb(q, q, cos, sin)
        tables = emulate.huggingface("rope_table", 300, refpos.inverse_frequencies(64), dtype=numbers(q).dtype)
        wrong = [assert_near(numbers(part[0, :, :32]), table) for part, table in zip((cos, sin), tables, strict=True)]
        expected = emulate.huggingface("rope", numbers(q), 300, pairing="half")
        if dtype == torch.float32:  # from the tables of the module: a product of the same numbers
            one, other = numbers(q)[..., :32], numbers(q)[..., 32:]
            c, s = (numbers(part)[..., :32] for part in (cos, sin))
            expected = np.concatenate([one * c - other * s, other * c + one * s], -1)
        else:
            assert wrong == [0, 0]
        assert assert_near(numbers(turned), expected) == 0


def test_cast_buffers_and_autocast():
    module = llama("default", 10000.0, {})
    frequencies, positions = refpos.inverse_frequencies(64), torch.arange(300)[None]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        angle = (module.inv_freq[None, :, None] @ positions[:, None, :].float()).transpose(1, 2)
        cos, sin = angle.cos(), angle.sin()
    assert cos.dtype == torch.bfloat16
    tables = emulate.bfloat16_angle("rope_table", 300, frequencies)
    assert [assert_near(numbers(part[0]), table) for part, table in zip((cos, sin), tables, strict=True)] == [0, 0]
    for dtype, emulation in ((torch.bfloat16, emulate.bfloat16_inv_freq), (torch.float16, emulate.float16_inv_freq)):
        module.inv_freq = llama("default", 10000.0, {}).inv_freq.to(dtype)
        real = module(torch.zeros(1), positions)
        for part, table in zip(real, emulation("rope_table", 300, frequencies), strict=True):
            assert_near(part[0, :, :32].numpy(), table)


def test_modules_of_x_transformers_cast_whole():
    for dtype, emulation in ((torch.bfloat16, emulate.bfloat16_angle), (torch.float16, emulate.float16_angle)):
        angle, _ = RotaryEmbedding(64).to(dtype)(torch.arange(300))
        angle = angle.reshape(300, 64)[:, ::2]
        assert angle.dtype == dtype
        tables = emulation("rope_table", 300, refpos.inverse_frequencies(64))
        for part, table in zip((angle.cos(), angle.sin()), tables, strict=True):
            assert_near(numbers(part), table)


def test_positions_in_the_dtype_of_x():
    """As rotary-embedding-torch makes them: positions in 16 bits, frequencies in float32."""
    inv_freq = 1.0 / (10000 ** (torch.arange(0, 64, 2).float() / 64))
    for dtype, emulation in ((torch.bfloat16, emulate.bfloat16_positions), (torch.float16, emulate.float16_positions)):
        angle = torch.einsum("n,f->nf", torch.arange(4100, dtype=dtype).type(torch.float32), inv_freq)
        tables = emulation("rope_table", 4100, refpos.inverse_frequencies(64))
        for part, table in zip((angle.cos(), angle.sin()), tables, strict=True):
            assert_near(part.numpy(), table)


def test_float64_tables():
    frequencies = refpos.inverse_frequencies(64)
    tables = emulate.float64_angle("rope_table", 600, frequencies, dtype="float32")
    cos, sin = get_1d_rotary_pos_embed(64, torch.arange(600), use_real=True, freqs_dtype=torch.float64)
    for part, table in zip((cos, sin), tables, strict=True):
        assert_near(part[:, ::2].numpy(), table)
    inv_freq = 1.0 / 10000.0 ** (np.arange(0, 64, 2) / 64)  # powers of NumPy, which are others with AVX-512
    tables = emulate.float64_angle("rope_table", 600, given(inv_freq))
    for function, table in zip((np.cos, np.sin), tables, strict=True):
        assert_near(function(np.arange(600)[:, None] * inv_freq), table)


def test_jax():
    inv_freq = 1.0 / (10000 ** (jnp.arange(0, 128, 2, dtype=jnp.float32) / 128))
    assert_near(np.array(inv_freq), emulate.float32_angle("inverse_frequencies", 128)[0])
    angle = jnp.asarray(POSITIONS, jnp.float32)[:, None] * inv_freq
    tables = emulate.float32_angle("rope_table", POSITIONS, given(inv_freq))
    for function, table in zip((jnp.cos, jnp.sin), tables, strict=True):
        assert_near(np.array(function(angle)), table)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        inv_freq = 1.0 / (10000 ** (jnp.arange(0, 128, 2, dtype=jnp.float64) / 128))
        angle = jnp.asarray(POSITIONS, jnp.float64)[:, None] * inv_freq
        assert angle.dtype == np.float64
        tables = emulate.float64_angle("rope_table", POSITIONS, given(inv_freq))
        for function, table in zip((jnp.cos, jnp.sin), tables, strict=True):
            assert_near(np.array(function(angle)), table)


# -- sinusoids --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [32, 33, 320])
@pytest.mark.parametrize("flip, shift, scale", [(True, 0, 1), (False, 1, 1000.0), (True, 0.5, 0.3)])
def test_timesteps_of_diffusers(dim, flip, shift, scale):
    times, half = torch.rand(50, generator=torch.Generator().manual_seed(0)) * 1000, dim // 2
    real = get_timestep_embedding(times, dim, flip_sin_to_cos=flip, downscale_freq_shift=shift, scale=scale).numpy()
    options = {"flip_sin_to_cos": flip, "downscale_freq_shift": shift, "scale": scale}
    made = emulate.float32_exp_quotient("timestep_embedding", times.numpy(), dim, **options)
    exponent = -math.log(10000) * torch.arange(half, dtype=torch.float32) / (half - shift)
    own = inv_freq_of("float32_exp_quotient", half, half - shift)
    assert_near(torch.exp(exponent).numpy(), own)
    # columns whose frequency has the same bits have the same angles
    same = np.flatnonzero(torch.exp(exponent).numpy() == own)
    assert len(same) > half * 0.8
    for start in (0, half):
        assert_near(real[:, start + same], made[:, start + same])
    assert (real[:, 2 * half :] == 0).all()


def inv_freq_of(name, count, denominator):
    from refpos.emulate.float_frequencies import geometric

    return geometric(count, denominator, 10000, emulate.find(name)).inv_freq.astype(np.float32)


def test_sinusoids_of_transformers():
    marian = MarianSinusoidalPositionalEmbedding(600, 64)
    real = marian.create_weight().detach().numpy()
    assert_near(real, emulate.float64_quotient("sinusoidal", 600, 64, layout="sin-cos", dtype="float32"))
    real = M2M100SinusoidalPositionalEmbedding.get_embedding(600, 64).numpy()
    made = emulate.float32_exp("sinusoidal", 600, 64, layout="sin-cos", endpoint=True)
    frequencies = torch.exp(torch.arange(32, dtype=torch.int64).float() * -(math.log(10000) / 31)).numpy()
    own = inv_freq_of("float32_exp", 32, 31)
    assert_near(frequencies, own)
    same = np.flatnonzero(frequencies == own)
    assert len(same) > 28
    for start in (0, 32):
        assert_near(real[:, start + same], made[:, start + same])


# -- other libraries --------------------------------------------------------------------------------------------------


def test_mlx():
    step = np.float32(np.float32(math.log(10000)) / np.float32(64))
    inv_freq = np.array(mx.exp(mx.arange(0, -64, -1, dtype=mx.float32) * float(step)))
    assert_near(inv_freq, emulate.mlx("inverse_frequencies", 128)[0])
    angle = POSITIONS.astype(np.float32)[:, None] * inv_freq
    tables = emulate.mlx("rope_table", POSITIONS, given(inv_freq), dtype="float32")
    for function, table in zip((mx.cos, mx.sin), tables, strict=True):
        assert_near(np.array(function(mx.array(angle))), table)
    x = np.random.default_rng(0).standard_normal((1, 2, 300, 128)).astype(np.float32)
    cos, sin = (np.array(function(mx.array(angle[:300]))) for function in (mx.cos, mx.sin))
    for traditional, (one, other) in ((True, (np.s_[..., ::2], np.s_[..., 1::2])),
                                      (False, (np.s_[..., :64], np.s_[..., 64:]))):  # fmt: skip
        real = np.array(mx.fast.rope(mx.array(x), 128, traditional=traditional, base=10000.0, scale=1.0, offset=0))
        assert np.array_equal(real[one], x[one] * cos - x[other] * sin)
        assert np.array_equal(real[other], x[one] * sin + x[other] * cos)


GGML = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **given) {  /* angles of each pair: the position times theta_scale again and again */
  int dim = atoi(given[1]);
  float base = atof(given[2]), scale = powf(base, -2.0f / dim);
  for (int k = 3; k < n; k++) {
    float theta = atof(given[k]);
    for (int i = 0; i < dim / 2; i++, theta *= scale)
      printf("%.9g %.9g %.9g %.9g\\n", theta, cosf(theta), sinf(theta), scale);
  }
}
"""


@pytest.mark.parametrize("dim, base", [(64, 10000), (128, 500000), (80, 1000000)])
def test_the_running_product_with_the_functions_of_the_c_library(dim, base, tmp_path):
    """The loop of ggml_rope_cache_init (ggml/src/ggml-cpu/ops.cpp), written anew in C."""
    (tmp_path / "ggml.c").write_text(GGML)
    subprocess.run(["cc", "-O1", "-ffp-contract=off", "ggml.c", "-o", "ggml", "-lm"], cwd=tmp_path, check=True)
    words = [str(tmp_path / "ggml"), str(dim), str(base), *map(str, POSITIONS.tolist())]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    real = np.array(printed.split(), np.float64).reshape(len(POSITIONS), dim // 2, 4).astype(np.float32)
    tables = emulate.ggml_product("rope_table", POSITIONS, refpos.inverse_frequencies(dim, base=base))
    for part, table in zip((real[..., 1], real[..., 2]), tables, strict=True):
        assert_near(part, table)


# -- the linear bias --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [7, 8, 12, 16, 32, 71])
def test_biases_of_transformers(heads):
    mask = torch.ones(1, 700, dtype=torch.int64)
    call = (heads, 1, 700)
    real = bloom(mask, heads, torch.float32).numpy()[:, 0]
    slopes = real[:, 1]  # of position 1
    assert_near(slopes, emulate.bloom_alibi("alibi_slopes", heads))
    assert np.array_equal(real, slopes[:, None] * np.arange(700, dtype=np.float32))
    same = slopes == emulate.bloom_alibi("alibi_slopes", heads)
    assert assert_near(real[same], emulate.bloom_alibi("alibi", *call, mode="linear", anchor="key")[same, 0]) == 0
    real = numbers(falcon(mask, heads, torch.bfloat16))[:, 0]
    assert assert_near(real, emulate.falcon_alibi("alibi", *call, mode="linear", anchor="key")[:, 0]) == 0
    real = mpt(heads, 700).numpy().reshape(heads, -1)
    assert_near(real, emulate.mpt_alibi("alibi", *call, mode="linear", anchor="last")[:, 0])


def test_the_authors_slopes_in_python():
    def powers(count):
        start = 2 ** (-(2 ** -(math.log2(count) - 3)))
        return [start * start**i for i in range(count)]

    for heads in (4, 8, 12, 16, 71):
        whole = 2 ** math.floor(math.log2(heads))
        slopes = powers(whole) + powers(2 * whole)[0::2][: heads - whole]
        assert_near(np.array(slopes, np.float32), emulate.press_alibi("alibi_slopes", heads))
