"""ggml_rope_ext of llama.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..frequencies.linear import linear
from ..frequencies.longrope import longrope
from ..frequencies.mrope_frequencies import mrope_frequencies
from ..frequencies.yarn import yarn
from ..rotary.rope import rope
from ..steps.waves.rotary_arguments import read_channels
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["ggml_rope_ext"]

FREQUENCIES = {one.__name__: one for one in (linear, longrope, mrope_frequencies, yarn)}
#: GGML_ROPE_TYPE_NORMAL, _NEOX and _MROPE
PAIRINGS = {0: "interleaved", 2: "half", 8: "half"}
MROPE = 8


@register(
    family="operators",
    paper="llama.cpp, ggml_rope_ext and ggml_rope_multi of ggml.h",
    conventions="mode 0 rotates channels (2i, 2i + 1), modes 2 and 8 (i, i + n_dims / 2); freq_scale multiplies "
    "positions; freq_factors divide frequencies; attn_factor multiplies cosine and sine",
    also="ggml rope, GGML_OP_ROPE, ggml_rope_multi",
)
def ggml_rope_ext(
    x: ArrayLike,
    positions: ArrayLike,
    freq_factors: ArrayLike | None = None,
    *,
    n_dims: Integer,
    mode: Integer,
    n_ctx_orig: Integer = 0,
    freq_base: Number,
    freq_scale: Number = 1.0,
    ext_factor: Number = 0.0,
    attn_factor: Number = 1.0,
    beta_fast: Number = 32.0,
    beta_slow: Number = 1.0,
    sections: Sequence[Integer] | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Rotary position embedding of llama.cpp (ggml_rope_ext, ggml_rope_multi): `rope` with its parameters.

        y1 = m (x1 cos(p theta_i) - x2 sin(p theta_i)),  y2 = m (x2 cos(p theta_i) + x1 sin(p theta_i))
        theta_i = freq_scale freq_base**(-2i / n_dims) / freq_factors[i],  m = attn_factor;   YaRN: those of `yarn`

    Parameters
    ----------
    x : array_like
        Queries or keys, (tokens, heads, head_size) or (batch, tokens, heads, head_size): ne of ggml, backwards.
    positions : array_like
        Integers, (tokens,); of mode 8 (4 tokens,): all times, all rows, all columns and a fourth number that is not
        read.
    freq_factors : array_like, optional
        Numbers greater than 0 that frequencies are divided by, (n_dims / 2,).
    n_dims : int
        How many leading channels are rotated, an even number; the others are copied.
    mode : int
        0 for NORMAL, 2 for NEOX, 8 for MROPE.
    n_ctx_orig : int, default 0
        The context length that YaRN extends.
    freq_base : float or Fraction
        Base of the frequencies, greater than 0.
    freq_scale : float or Fraction, default 1
        What frequencies are multiplied by, greater than 0; with YaRN at most 1.
    ext_factor : float or Fraction, default 0
        1 for YaRN, 0 for none.
    attn_factor : float or Fraction, default 1
        What cosine and sine are multiplied by, greater than 0; with YaRN 1.
    beta_fast, beta_slow : float or Fraction, default 32 and 1
        Rotations within n_ctx_orig between which YaRN interpolates.
    sections : sequence of int, optional
        Number of pairs of times, rows, columns and 0, of mode 8: n_dims / 2 together.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be x itself, but not overlap x otherwise.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value of the formula for the exact x, cosine and sine, rounded
        once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (x, positions, freq_factors, sections), E_ODD_DIM, E_ROTARY_DIM, E_CHOICE (mode, ext_factor,
        attn_factor, freq_factors and freq_scale with YaRN), E_BASE, E_NUMBER, E_SIZE, E_MISSING (sections), E_POSITION,
        E_OUT.

    Notes
    -----
    With YaRN m is 1 + 0.1 ln(1 / freq_scale), attn_factor being 1. Here are not: an ext_factor that mixes both,
    attn_factor and freq_factors with YaRN, pairs of the fourth number, and the modes VISION (24) and IMROPE (40).

    References
    ----------
    llama.cpp at 1f08e2d, ggml/include/ggml.h, ggml_rope_ext; ggml/src/ggml-cpu/ops.cpp, rope_yarn, ggml_rope_cache_init
    and ggml_mrope_cache_init; ggml/src/ggml.c, ggml_rope_yarn_corr_dims.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 0.0, 1.0, 0.0]]], dtype=np.float32)
    >>> ggml_rope_ext(x, [2], n_dims=4, mode=0, freq_base=10000.0, freq_scale=0.5)
    array([[[0.5403023 , 0.84147096, 0.99995   , 0.00999983]]], dtype=float32)
    """
    array, _ = read_channels(x, dtype)
    call = ggml_call(
        array.shape, positions, freq_factors, n_dims, mode, n_ctx_orig, freq_base, freq_scale, ext_factor, attn_factor,
        beta_fast, beta_slow, sections,
    )  # fmt: skip
    return rope(x, **{**call, "frequencies": _made(call["frequencies"])}, dtype=dtype, out=out, threads=threads)


def _made(call):
    """Frequencies of a call, and of those in it."""
    arguments = dict(call["arguments"])
    if "frequencies" in arguments:
        arguments["frequencies"] = _made(arguments["frequencies"])
    return FREQUENCIES[call["function"]](**arguments)


def ggml_call(
    shape, positions, freq_factors, n_dims, mode, n_ctx_orig, freq_base, freq_scale, ext_factor, attn_factor, beta_fast,
    beta_slow, sections,
):  # fmt: skip
    """The arguments of `rope` for an x of this shape but x itself; frequencies are the call that makes them."""
    if len(shape) not in (3, 4):
        known = "(tokens, heads, head_size) or (batch, tokens, heads, head_size)"
        raise InputError("E_SHAPE", "x", f"x must be {known}, got shape {shape}")
    width = checks.even_width("n_dims", n_dims)
    if width > shape[-1]:
        raise InputError("E_ROTARY_DIM", "n_dims", f"n_dims must be at most the {shape[-1]} channels of x, got {width}")
    kind = checks.integer("mode", mode, code="E_CHOICE")
    if kind not in PAIRINGS:
        raise InputError("E_CHOICE", "mode", f"mode must be 0 (NORMAL), 2 (NEOX) or 8 (MROPE), got {kind}")
    base, scale = checks.positive("freq_base", freq_base, "E_BASE"), checks.positive("freq_scale", freq_scale)
    plain = {"dim": width, "base": base, "factor": 1 / scale}
    betas = {"beta_fast": checks.positive("beta_fast", beta_fast), "beta_slow": checks.positive("beta_slow", beta_slow)}
    trained = checks.integer("n_ctx_orig", n_ctx_orig)
    divisors = divided_by(width, base, freq_factors, attn_factor)
    if is_yarn(ext_factor, freq_scale, freq_factors, attn_factor):
        made = {"function": "yarn", "arguments": {**plain, "original_max_position_embeddings": trained, **betas}}
    else:
        made = {"function": "linear", "arguments": {**plain, **divisors}}
    ids = checks.integers("positions", positions)
    if (sections is None) == (kind == MROPE):
        got = "none" if sections is None else shown(sections)
        raise InputError("E_MISSING", "sections", f"sections must be given with mode 8 and no other, got {got}")
    if kind == MROPE:
        arranged = {"dim": width, "sections": read_sections(sections, width), "arrangement": "chunked"}
        made = {"function": "mrope_frequencies", "arguments": {**arranged, "frequencies": made}}
    count = shape[-3] * (4 if kind == MROPE else 1)
    if ids.shape != (count,):
        raise InputError("E_SHAPE", "positions", f"positions must be ({count},), got shape {ids.shape}")
    ids = ids.reshape(4, shape[-3])[:3] if kind == MROPE else ids
    return {"positions": ids, "pairing": PAIRINGS[kind], "frequencies": made, "seq_axis": -3}


def divided_by(width, base, freq_factors, attn_factor):
    """{"frequencies": those divided by factors, with the attention factor}, or nothing where both are 1."""
    factor = checks.positive("attn_factor", attn_factor)
    if freq_factors is None and factor == 1:
        return {}
    divisors = [1] * (width // 2)
    if freq_factors is not None:
        numbers = checks.numbers("freq_factors", freq_factors, width // 2)
        divisors = [checks.positive("freq_factors", one) for one in numbers]
    arguments = {"dim": width, "base": base, "short_factor": divisors, "long_factor": divisors}
    arguments |= {"original_max_position_embeddings": 2, "attention_factor": factor}
    return {"frequencies": {"function": "longrope", "arguments": arguments}}


def is_yarn(ext_factor, freq_scale, freq_factors, attn_factor):
    """Whether ext_factor is 1; what YaRN is not defined with is refused."""
    mixed = checks.real("ext_factor", ext_factor)
    if mixed not in (0, 1):
        raise InputError("E_CHOICE", "ext_factor", f"ext_factor must be 0 or 1, got {shown(ext_factor)}")
    for name, value, is_defined, rule in (
        ("freq_factors", freq_factors, freq_factors is None, "None"),
        ("attn_factor", attn_factor, attn_factor == 1, "1"),
        ("freq_scale", freq_scale, freq_scale <= 1, "at most 1"),
    ):
        if mixed and not is_defined:
            raise InputError("E_CHOICE", name, f"{name} must be {rule} with ext_factor=1, got {shown(value)}")
    return bool(mixed)


def read_sections(sections, width):
    """The pairs of times, rows and columns."""
    found = [checks.integer("sections", one) for one in checks.numbers("sections", sections, 4)]
    if found[3] or sum(found) != width // 2:
        sentence = f"sections must be four numbers, the last 0, of together {width // 2} pairs"
        raise InputError("E_SHAPE", "sections", f"{sentence}, got {found}")
    return found[:3]
