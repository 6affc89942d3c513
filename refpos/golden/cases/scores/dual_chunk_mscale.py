"""Golden cases of the factor of dual chunk attention."""

from ...case import project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

CHUNKLLAMA = project("HKUNLP/ChunkLlama", "2add4d7", "chunkllama_attn_replace.py", "get_mscale")
VLLM = project("vllm", "006e0ac", "vllm/attention/backends/dual_chunk_flash_attn.py", "DualChunkFlashAttentionMetadata")
value, refused = suite("dual_chunk_mscale", CHUNKLLAMA)
FLAGS = ("AttentionFactor", "QueryKeyScale")

CASES = [
    *[
        value(f"{version}-4-{SHORT[dtype]}", f"four times the trained length, {version}, {dtype}", scale=4,
              version=version,
              dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=source)
        for version, source in (("chunkllama", CHUNKLLAMA), ("vllm", VLLM)) for dtype in DTYPES
    ],
    value("qwen-1m", "Qwen2.5-1M: 1010000 tokens of 262144", scale=1010000 / 262144, version="vllm", dtype="float32",
          flags=FLAGS, source=VLLM),
    *[
        value(f"{version}-{name}", f"scale {scale}: 1", scale=scale, version=version, flags=(*FLAGS, "ScalingBoundary"))
        for version in ("chunkllama", "vllm") for name, scale in (("1", 1), ("half", 0.5))
    ],
    value("next-to-1", "the float64 next to 1", scale=1 + 2.0**-52, version="chunkllama",
          flags=(*FLAGS, "ScalingBoundary")),
    refused("scale-zero", "scale 0", "E_NUMBER", "scale", scale=0, version="vllm"),
    refused("version-unknown", "a version that is no name", "E_CHOICE", "version", scale=2, version="paper"),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", scale=2, version="vllm", dtype="int64"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    bfloat16="vllm-1",
)

# what no other case tells apart
CASES += [
    value("chunkllama-100-f32", "a hundred times the trained length, in float32", scale=100, version="chunkllama",
          dtype="float32", flags=FLAGS),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="chunkllama-half vllm-half",
    float16="chunkllama-100-f32 chunkllama-half vllm-half",
    bfloat16="chunkllama-100-f32 chunkllama-half vllm-half",
)
