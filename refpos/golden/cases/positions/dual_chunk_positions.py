"""Golden cases of the positions of dual chunk attention."""

from ...case import counting, listed, paper, project, suite

value, refused = suite("dual_chunk_positions", paper(
    "An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463, section 3"))
CHUNKLLAMA = project("HKUNLP/ChunkLlama", "2add4d7", "chunkllama_attn_replace.py", "ChunkLlamaRotaryEmbedding")
VLLM = project("vllm", "07b1349", "vllm/model_executor/layers/rotary_embedding/dual_chunk_rope.py",
               "DualChunkRotaryEmbedding")
FLAGS = ("OffByOne", "ScalingBoundary")
FIGURE = {"chunk_size": 10, "local_size": 4}
LLAMA_2 = {"chunk_size": 3072, "local_size": 512}
ROLES = ("key", "intra", "successive", "inter")

CASES = [
    *[
        value(f"figure-2-{role}-chunkllama", f"chunks of 6 tokens, 4 near, in the code: {role}", role=role,
              version="chunkllama", positions=13, **FIGURE, flags=FLAGS, source=CHUNKLLAMA)
        for role in ROLES
    ],
    *[
        value(f"figure-2-{role}-paper", f"figure 2 of the paper: {role}", role=role, version="paper", positions=13,
              **FIGURE, flags=FLAGS)
        for role in ROLES
    ],
    *[
        value(f"llama-2-{role}", f"ChunkLlama: 4096 tokens, chunk 3072, local 512, {role}", role=role,
              version="chunkllama", inputs={"positions": listed((0, 511, 512, 2559, 2560, 2561, 3072, 5119, 5120,
              100000))},
              **LLAMA_2, flags=FLAGS, source=CHUNKLLAMA)
        for role in ROLES
    ],
    *[
        value(f"vllm-{role}", f"vLLM: chunk 8192, local 1024, {role}", role=role, version="chunkllama", chunk_size=8192,
              local_size=1024, inputs={"positions": listed((0, 1023, 1024, 7167, 7168, 8192, 14336, 1010000))},
              flags=FLAGS,
              source=VLLM)
        for role in (*ROLES, "successive-critical", "inter-critical")
    ],
    value("local-0", "no near tokens", role="successive", version="chunkllama", chunk_size=6, local_size=0,
          positions=13,
          flags=FLAGS),
    value("local-large", "more near tokens than a chunk has", role="inter", version="chunkllama", chunk_size=20,
          local_size=15, positions=13, flags=FLAGS),
    value("far", "positions to 2**53", role="key", version="paper", **FIGURE,
          inputs={"positions": listed((2**31, 2**53 - 1, 2**53))}, flags=(*FLAGS, "LongContextInteger")),
    value("matrix", "positions (2, 8)", role="key", version="paper", **FIGURE,
          inputs={"positions": listed(tuple(range(16)), shape=(2, 8))}, flags=FLAGS),
    value("counting", "from a cache on", role="successive", version="chunkllama", **FIGURE,
          inputs={"positions": counting(100, 20)}, flags=FLAGS),
    value("empty", "no positions", role="inter", version="paper", **FIGURE, positions=0),
    refused("role-unknown", "a role that is no name", "E_CHOICE", "role", role="query", version="paper", **FIGURE,
            positions=2),
    refused("version-unknown", "a version that is no name", "E_CHOICE", "version", role="inter", version="vllm",
            **FIGURE,
            positions=2),
    refused("chunk-one", "chunk_size 1", "E_SIZE", "chunk_size", role="key", version="paper", chunk_size=1,
            local_size=0,
            positions=2),
    refused("local-whole", "local_size as large as chunk_size", "E_SIZE", "local_size", role="key", version="paper",
            chunk_size=10, local_size=10, positions=2),
    refused("negative", "a negative position", "E_POSITION", "positions", role="key", version="paper", **FIGURE,
            inputs={"positions": listed((-1,))}),
]
