"""ggml_rope_ext of llama.cpp: its parameters as ops.cpp reads them, the rotation as in `rope`, and in float32."""

import math
from fractions import Fraction

import numpy as np
from float32.angles import F, number
from float32.registry import float32
from witness.suites import WITNESSES, witness


def frequencies(given):
    """The call that makes the frequencies of a case."""
    dim, base, scale = given["n_dims"], given["freq_base"], Fraction(given.get("freq_scale", 1))
    plain = {"dim": dim, "base": base, "factor": 1 / scale}
    if given.get("ext_factor"):
        betas = {name: given.get(name, usual) for name, usual in (("beta_fast", 32), ("beta_slow", 1))}
        made = {"function": "yarn", "arguments": {
            **plain, **betas, "original_max_position_embeddings": given["n_ctx_orig"], "truncate": True,
            "clamp": "dim-1"}}  # fmt: skip
    else:
        divisors = given.get("freq_factors")
        divisors = [1] * (dim // 2) if divisors is None else [Fraction(one) for one in np.asarray(divisors).tolist()]
        held = {"dim": dim, "base": base, "short_factor": divisors, "long_factor": divisors,
                "original_max_position_embeddings": 2, "attention_factor": given.get("attn_factor", 1)}  # fmt: skip
        made = {
            "function": "linear",
            "arguments": {**plain, "frequencies": {"function": "longrope", "arguments": held}},
        }
    if given.get("sections") is None:
        return made
    sections = [int(one) for one in given["sections"][:3]]
    arguments = {"dim": dim, "sections": sections, "arrangement": "chunked", "frequencies": made}
    return {"function": "mrope_frequencies", "arguments": arguments}


def places(given):
    """The position of each token, of mode 8 on three axes."""
    positions = np.asarray(given["positions"])
    return positions.reshape(4, -1)[:3] if given["mode"] == 8 else positions


@witness("ggml_rope_ext", source="code: llama.cpp 1f08e2d, ggml/src/ggml-cpu/ops.cpp, rope_yarn")
def exact(given, call, dtype):
    pairing = "interleaved" if given["mode"] == 0 else "half"
    rotated = {"x": given["x"], "positions": places(given), "pairing": pairing, "seq_axis": -3}
    return WITNESSES["rope"](rotated, frequencies(given), dtype)


def corrected(n_dims, n_ctx_orig, rotations, base):
    """ggml_rope_yarn_corr_dim."""
    return n_dims * math.log(n_ctx_orig / (rotations * 2 * math.pi)) / (2 * math.log(base))


def ramp(given, n_dims, base):
    """rope_yarn_ramp of each pair."""
    low, high = (corrected(n_dims, given["n_ctx_orig"], float(number(given[name])), base)
                 for name in ("beta_fast", "beta_slow"))  # fmt: skip
    low, high = max(0.0, math.floor(low)), min(n_dims - 1.0, math.ceil(high))
    return F(1) - np.clip((np.arange(n_dims // 2).astype(F) - F(low)) / F(max(0.001, high - low)), F(0), F(1))


@float32("ggml_rope_ext", kind="float32-angle", wide=("x",))
def program(x, n_dims, mode, freq_base, freq_scale, ext_factor, attn_factor, freq_factors=None, **given):
    """Frequencies by a power, where ggml multiplies one by the other, which grows the error."""
    half, base, scale, m = n_dims // 2, float(number(freq_base)), F(number(freq_scale)), F(number(attn_factor))
    inverse = F(base) ** (-np.arange(half).astype(F) / F(half))
    inverse = inverse if freq_factors is None else inverse / np.asarray(freq_factors).astype(F)
    if number(ext_factor):
        mix = ramp(given, n_dims, base)
        inverse = inverse * scale * (F(1) - mix) + inverse * mix
        m = m * (F(1) + F(0.1) * np.log(F(1) / scale))
    else:
        inverse = inverse * scale
    positions = places({**given, "mode": mode}).astype(F)
    if mode == 8:
        axes = np.repeat([0, 1, 2], [int(one) for one in given["sections"][:3]])
        angles = positions[axes].T * inverse
    else:
        angles = positions[:, None] * inverse
    cos, sin = (m * part[:, None] for part in (np.cos(angles), np.sin(angles)))
    first, second = (np.s_[..., 0:n_dims:2], np.s_[..., 1:n_dims:2]) if mode == 0 else (
        np.s_[..., :half], np.s_[..., half:n_dims])  # fmt: skip
    result = np.array(x)
    result[first], result[second] = x[first] * cos - x[second] * sin, x[first] * sin + x[second] * cos
    return result
