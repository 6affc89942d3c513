"""Defects that people reported, as small arrays by plain NumPy in float32 or by the wrong call that was made: what was
computed, the call that was meant, and how the first explanation must begin."""

from typing import Any, NamedTuple

import numpy as np

import refpos

F = np.float32


class Thread(NamedTuple):
    """A thread, what was computed there, the function and arguments that were meant, and what must be named."""

    name: str
    actual: Any
    function: Any
    given: tuple
    named: dict
    computed: str | tuple[str, ...]


RNG = np.random.default_rng(14)
X = RNG.normal(size=(1, 3, 24, 16)).astype(F)  # (batch, heads, sequence, channels)
FAR = np.array([0, 1, 2, 3, 255, 257, 300, 1000, 2049, 4095])
DIM = 64


# -- plain NumPy ------------------------------------------------------------------------------------------------------


def inv_freq(dim, base=10000.0, divide=None):
    return F(1) / F(base) ** (np.arange(0, dim, 2, dtype=F) / F(divide or dim))


def bfloat16(values):
    bits = np.asarray(values, F).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(F)


def half(values):
    return np.asarray(values).astype(np.float16).astype(F)


def tables(positions, inv, factor=1.0):
    angles = np.asarray(positions, F)[:, None] * np.asarray(inv, F)
    return np.cos(angles) * F(factor), np.sin(angles) * F(factor)


def rotate_half(x):
    return np.concatenate([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)


def rotate_pairs(x):
    return np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)


def tiled(table):
    return np.concatenate([table, table], -1)


def repeated(table):
    return np.repeat(table, 2, -1)


def applied(x, cos, sin, rotate):
    return x * cos + rotate(x) * sin


def rope_half(x, positions, base=10000.0):
    return applied(x, *map(tiled, tables(positions, inv_freq(x.shape[-1], base))), rotate_half)


def rope_pairs(x, positions, base=10000.0):
    return applied(x, *map(repeated, tables(positions, inv_freq(x.shape[-1], base))), rotate_pairs)


def partial(x, positions, dim, divide, rope=rotate_half):
    inv = inv_freq(dim, divide=divide)
    return np.concatenate([applied(x[..., :dim], *map(tiled, tables(positions, inv)), rope), x[..., dim:]], -1)


def proportional(x, positions, share):
    inv = inv_freq(x.shape[-1])
    inv[int(share * len(inv)) :] = 0
    return applied(x, *map(tiled, tables(positions, inv)), rotate_half)


def sinusoid(positions, dim, layout, divide=None):
    sin, cos = tables(positions, inv_freq(dim, divide=divide))[::-1]
    if layout == "interleaved":
        return np.stack([sin, cos], -1).reshape(len(sin), dim)
    return np.concatenate([sin, cos] if layout == "sin-cos" else [cos, sin], -1)


def sincos_2d(height, width, dim, first):
    rows, columns = np.divmod(np.arange(height * width), width)
    axes = (rows, columns) if first == "h" else (columns, rows)
    parts = [sinusoid(axis, dim // 2, "sin-cos") for axis in axes]
    return np.concatenate(parts, -1).reshape(height, width, dim)


def slopes_geometric(heads):
    return F(2) ** (-8 * np.arange(1, heads + 1, dtype=F) / F(heads))


def alibi(slopes, length):
    distance = np.arange(length)[:, None] - np.arange(length)
    return np.where(distance < 0, -np.inf, -slopes[:, None, None] * distance).astype(F)


# -- calls ------------------------------------------------------------------------------------------------------------


def frequencies(**other):
    return refpos.inverse_frequencies(DIM, **other)


def yarn(**other):
    return refpos.yarn(**{"dim": DIM, "factor": 16, "original_max_position_embeddings": 4096, **other})


def llama3(**other):
    numbers = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
    return refpos.llama3(DIM, base=500000.0, **{**numbers, **other})


def longrope(seq_len):
    short, long = (np.linspace(1, most, DIM // 2).round(2).tolist() for most in (2, 30))
    lengths = {"original_max_position_embeddings": 4096, "max_position_embeddings": 131072, "seq_len": seq_len}
    return refpos.longrope(DIM, short_factor=short, long_factor=long, **lengths)


def table(name, made, meant, computed, positions=FAR):
    """What rotary tables of some frequencies were, and those that were meant."""
    actual = made if isinstance(made, tuple) else tables(positions, made.inv_freq, made.attention_factor)
    return Thread(name, actual, refpos.rope_table, (positions, meant), {}, computed)


def rotated(name, made, computed, pairing="half", positions=24, **named):
    return Thread(name, made, refpos.rope, (X, positions), {"pairing": pairing, **named}, computed)


def layouts():
    for name in ("huggingface/transformers#25199", "huggingface/nanotron#427", "huggingface/candle#3948"):
        yield rotated(name, rope_pairs(X, range(24)), "pairing='interleaved'")
    for name in ("huggingface/transformers#31859", "WestWaters/pollard-weights#70", "Dao-AILab/flash-attention#288"):
        yield rotated(name, rope_half(X, range(24)), "pairing='half'", "interleaved")
    wide = rope_pairs(X, range(24), 500000.0)
    yield rotated("tenstorrent/tt-metal#26844", wide, "pairing='interleaved'", base=500000.0)
    yield rotated("microsoft/onnxruntime#29261", rope_half(X, range(24)), "pairing='half'", "interleaved")
    mixed = applied(X, *map(repeated, tables(range(24), inv_freq(16))), rotate_half)
    yield rotated("raiyanyahya/how-to-train-your-gpt#7", mixed, "tables that repeat each angle")
    mixed = applied(X, *map(tiled, tables(range(24), inv_freq(16))), rotate_pairs)
    yield rotated("rasbt/LLMs-from-scratch#750", mixed, "tables in halves", "interleaved")
    shuffled = rope_half(X, range(24)).reshape(*X.shape[:-1], 2, 8).swapaxes(-1, -2).reshape(X.shape)
    for name in ("vllm-project/vllm#26995", "InternLM/lmdeploy#1700"):
        yield rotated(name, shuffled, "channels alternating")
    along_heads = rope_half(X.swapaxes(1, 2), range(3)).swapaxes(1, 2)
    for name in ("ml-explore/mlx-lm#1553", "mlfoundations/open_lm#4"):
        yield rotated(name, along_heads, "axis 1 (of 3) read as the sequence")
    ids = RNG.integers(0, 90, (3, 24))
    sections = {"sections": [4, 2, 2], "arrangement": "chunked"}
    made = refpos.mrope(X, ids, pairing="half", **sections)
    meant = {"pairing": "interleaved", **sections}
    yield Thread("vllm-project/vllm#49290", made, refpos.mrope, (X, ids), meant, "pairing='half'")


def shares():
    own = partial(X, range(24), 8, 8)
    whole = partial(X, range(24), 8, 16)
    share = refpos.proportional(16, partial_rotary_factor=0.5)
    for name in ("apple/coreai-models#66", "NVIDIA-NeMo/Megatron-Bridge#4195", "zml/zml#660"):
        yield rotated(name, own, "partial rotation", frequencies=share)
    for name in ("ml-explore/mlx-lm#1698", "huggingface/transformers#48652", "pegainfer-project/pegainfer#820"):
        yield rotated(name, proportional(X, range(24), 0.5), "proportional rotation", rotary_dim=8)
    for name in ("pie-project/pie#602", "pie-project/pie#603"):
        yield rotated(name, whole, "exponent_dim=16 (the width of x)", rotary_dim=8)


def in_16_bits(dtype):
    """An emulation where the sines of NumPy are the emulated bits, which with AVX-512 they are not; or the mistake."""
    return f"emulate.{dtype}_positions", f"positions held in {dtype}"


def precision():
    coarse = "inv_freq rounded to bfloat16"
    for name, base in (
        ("huggingface/transformers#25681", 10000.0), ("NVIDIA-NeMo/Automodel#2549", 500000.0),
        ("NVIDIA/TransformerEngine#1245", 500000.0), ("sgl-project/sglang-jax#1472", 1000000.0),
        ("Modalities/modalities#462", 10000.0), ("tinygrad/tinygrad#17698", 500000.0),
        ("tenstorrent/tt-metal#54528", 1000000.0), ("huggingface/transformers#29496", 10000.0),
    ):  # fmt: skip
        yield table(name, tables(FAR, bfloat16(inv_freq(DIM, base))), frequencies(base=base), coarse)
    made = tables(FAR, half(inv_freq(DIM)))
    yield table("EleutherAI/gpt-neox#1003", made, frequencies(), "inv_freq rounded to float16")
    late = 65536 + np.arange(12)
    for name, places in (("huggingface/transformers#29285", FAR), ("huggingface/diffusers#13922", late)):
        made = tables(bfloat16(places), inv_freq(DIM))
        yield table(name, made, frequencies(), in_16_bits("bfloat16"), places)
    made = tables(half(FAR), inv_freq(DIM))
    yield table("huggingface/transformers#26602", made, frequencies(), in_16_bits("float16"))


def scalings():
    for name in ("vllm-project/vllm#46280", "ml-explore/mlx-lm#1507", "PrimeIntellect-ai/prime-rl#2802"):
        yield table(name, yarn(attention_factor=1.0), yarn(), "attention_factor dropped")
    squared = yarn().attention_factor ** 2
    for name in ("ggml-org/llama.cpp#17945", "kekzl/imp#880", "onnxruntime/mobius#548"):
        yield table(name, yarn(attention_factor=squared), yarn(), "attention_factor applied twice")
    both = yarn(mscale=1, mscale_all_dim=1)
    for name in ("vllm-project/vllm#48621", "huggingface/transformers#47435"):
        yield table(name, yarn(), both, "mscale left out" if name.endswith("1") else "mscale")
    yield table("turboderp-org/exllamav3#259", both, yarn(mscale=0.7, mscale_all_dim=1), "attention_factor dropped")
    odd = {"factor": 32, "base": 150000.0}
    for name in ("vllm-project/vllm#27722", "vllm-project/vllm#28244", "sgl-project/sglang#14270"):
        yield table(name, yarn(**odd), yarn(truncate=False, **odd), "truncate=True")
    long = {"original_max_position_embeddings": 131072, "base": 10000.0}
    for name in ("keras-team/keras-hub#2981", "jingyaogong/minimind#602"):
        yield table(name, yarn(clamp="dim/2-1", **long), yarn(**long), "clamp='dim/2-1'")
    yield table("pytorch/torchtitan#3787", betas_exchanged(), yarn(), "beta_fast and beta_slow exchanged")
    divided = refpos.linear(DIM, base=500000.0, factor=8.0)
    yield table("rasbt/LLMs-from-scratch#940", divided, llama3(), "positions divided by 8.0 in place of llama3")
    plain = frequencies(base=500000.0)
    for name in (
        "unslothai/unsloth#6197", "lablup/mlxcel#1355", "felafax/felafax#59", "ggml-org/llama.cpp#8676",
        "sbryngelson/ANEForge#58",
    ):  # fmt: skip
        yield table(name, plain, llama3(), "no scaling (llama3 dropped)")
    unscaled = yarn(attention_factor=1.0)
    yield table("NVIDIA/TensorRT-Model-Connect#399", frequencies(), unscaled, "no scaling (yarn dropped)")
    for name in ("apache/tvm#18422", "ggml-org/llama.cpp#24875"):
        yield table(name, longrope(1000), longrope(9000), "the short_factor at every length")
    yield table("lablup/mlxcel#1358", longrope(9000), longrope(1000), "the long_factor at every length")
    twice = refpos.linear(DIM, factor=16)
    yield table("ggml-org/ggml#835", twice, refpos.linear(DIM, factor=4), "linear applied twice")
    yield table("paiml/aprender#2161", frequencies(), frequencies(base=1000000.0), "base=10000")
    yield table("osaurus-ai/vmlx-swift#225", frequencies(base=2345.0), frequencies(), "base=2345")


def betas_exchanged():
    """The ramp of YaRN as NumPy has it, from the end of beta_slow to that of beta_fast."""
    theta = inv_freq(DIM).astype(np.float64)
    low, high = (DIM * np.log(4096 / (beta * 2 * np.pi)) / (2 * np.log(10000.0)) for beta in (1, 32))
    low, high = max(np.floor(low), 0), min(np.ceil(high), DIM - 1)
    ramp = np.clip((np.arange(DIM // 2) - low) / (high - low), 0, 1)
    return tables(FAR, theta * (1 - ramp) + theta / 16 * ramp, yarn().attention_factor)


def axes():
    ids = RNG.integers(0, 90, (3, 24))
    for name, made, meant in (
        ("alibaba/MNN#4133", "chunked", "interleaved"), ("Blaizzy/mlx-vlm#576", "interleaved", "chunked"),
        ("ollama/ollama#12807", "chunked", "interleaved"), ("ggml-org/llama.cpp#16780", "interleaved", "chunked"),
    ):  # fmt: skip
        both = [{"pairing": "half", "sections": [4, 2, 2], "arrangement": one} for one in (made, meant)]
        actual = refpos.mrope(X, ids, **both[0])
        yield Thread(name, actual, refpos.mrope, (X, ids), both[1], f"arrangement='{made}'")
    for name in ("facebookresearch/mae#18", "facebookresearch/mae#67", "huggingface/diffusers#10877"):
        made = sincos_2d(5, 7, 32, "w")
        yield Thread(name, made, refpos.sincos_2d, (5, 7, 32), {"axis_order": "hw"}, "axis_order='wh'")
    for name in (
        "huggingface/transformers#41380", "pytorch/torchtitan#4244", "huggingface/pytorch-image-models#2541",
        "NVIDIA/physicsnemo#1096",
    ):  # fmt: skip
        exchanged = "height and width exchanged"
        made = sincos_2d(7, 5, 32, "h").reshape(5, 7, 32)
        yield Thread(name, made, refpos.sincos_2d, (5, 7, 32), {"axis_order": "hw"}, exchanged)
    text = np.repeat(ids[:1], 3, 0)
    named = {"pairing": "half", "sections": [4, 2, 2], "arrangement": "chunked"}
    made = refpos.mrope(X, text, **named)
    yield Thread("huggingface/transformers#40490", made, refpos.mrope, (X, ids), named, "position_ids of axis 0")
    grid = {"pairing": "interleaved", "axis_order": "hw"}
    made = refpos.rope_2d(X, 4, 6, **grid, arrangement="interleaved")
    yield Thread("vllm-project/vllm-omni#1784", made, refpos.rope_2d, (X, 4, 6), grid, "arrangement='interleaved'")


def sinusoids():
    for name, made, meant in (
        ("tensorflow/tensor2tensor#1925", "sin-cos", "interleaved"),
        ("allenai/allennlp#2993", "sin-cos", "interleaved"),
        ("facebookresearch/fairseq#4648", "interleaved", "sin-cos"),
        ("tatp22/multidim-positional-encoding#20", "sin-cos", "interleaved"),
    ):  # fmt: skip
        named = {"layout": meant}
        yield Thread(name, sinusoid(range(40), 32, made), refpos.sinusoidal, (40, 32), named, f"layout='{made}'")
    ends = sinusoid(range(40), 32, "sin-cos", divide=30)
    yield Thread("hojonathanho/diffusion#15", ends, refpos.sinusoidal, (40, 32), {"layout": "sin-cos"}, "endpoint=True")
    times = np.arange(0, 1000, 37)
    shifted = {"flip_sin_to_cos": True, "downscale_freq_shift": 1}
    made = sinusoid(times, 32, "cos-sin")
    name = "huggingface/diffusers#12791"
    yield Thread(name, made, refpos.timestep_embedding, (times, 32), shifted, "downscale_freq_shift=0")
    order = {"flip_sin_to_cos": False, "downscale_freq_shift": 0}
    for name in ("huggingface/diffusers#1369", "kohya-ss/sd-scripts#1187"):
        yield Thread(name, made, refpos.timestep_embedding, (times, 32), order, "flip_sin_to_cos=True")
    exchanged = tables(FAR, inv_freq(DIM))[::-1]
    yield table("flashinfer-ai/flashinfer#3819", exchanged, frequencies(), "cos and sin exchanged")
    for name, shift in (
        ("huggingface/transformers#13481", 2), ("huggingface/transformers#19240", 1),
        ("huggingface/transformers#5285", 2),
    ):  # fmt: skip
        made = sinusoid(np.arange(40) + shift, 32, "sin-cos")
        yield Thread(name, made, refpos.sinusoidal, (40, 32), {"layout": "sin-cos"}, f"positions + {shift}")
    named = {"bidirectional": True}
    distances = np.arange(-200, 200).reshape(20, 20)
    for name in ("huggingface/candle#727", "lucidrains/x-transformers#10"):
        made = refpos.t5_buckets(distances, bidirectional=False)
        yield Thread(name, made, refpos.t5_buckets, (distances,), named, "bidirectional=False")
    for name in ("ml-explore/mlx#343", "huggingface/transformers#28380"):
        yield Thread(name, alibi(slopes_geometric(12), 16), refpos.alibi, (12, 16, 16), {}, "convention='geometric'")
    made = refpos.relative.relative_rows(8, 8, sign="query-key", low=-4, high=4, outside="clip")
    named = {"sign": "key-query", "low": -4, "high": 4, "outside": "clip"}
    yield Thread("kimiyoung/transformer-xl#132", made, refpos.relative.relative_rows, (8, 8), named, "sign='query-key'")
    swapped = tuple(array.byteswap() for array in tables(FAR, inv_freq(DIM)))
    yield table("numpy/numpy#15179", swapped, frequencies(), "the bytes of each number reversed")


THREADS = [one for some in (layouts, shares, precision, scalings, axes, sinusoids) for one in some()]
