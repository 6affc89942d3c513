"""Golden cases of the distances of dual chunk attention."""

from ...case import listed, paper, suite
from .dual_chunk_positions import CHUNKLLAMA, FIGURE, FLAGS, LLAMA_2
from .dual_chunk_regions import EDGES

value, refused = suite("dual_chunk_distances", paper(
    "An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463, section 3"))

CASES = [
    value("figure-2-paper", "figure 2 of the paper, 13 tokens", query_positions=13, key_positions=13, **FIGURE,
          version="paper", flags=FLAGS),
    value("figure-2-chunkllama", "the same in the code", query_positions=13, key_positions=13, **FIGURE,
          version="chunkllama", flags=FLAGS, source=CHUNKLLAMA),
    value("decode", "the last query of 20 tokens", key_positions=20, **FIGURE, version="chunkllama",
          inputs={"query_positions": listed((19,))}, flags=(*FLAGS, "UnequalLengths"), source=CHUNKLLAMA),
    value("llama-2", "chunks of 2560 tokens at their edges", **LLAMA_2, version="chunkllama", inputs=EDGES, flags=FLAGS,
          source=CHUNKLLAMA),
    value("local-large", "more near tokens than a chunk has", query_positions=20, key_positions=20, chunk_size=20,
          local_size=15, version="chunkllama", flags=FLAGS),
    value("empty", "no keys", query_positions=3, key_positions=0, **FIGURE, version="paper"),
    refused("version-unknown", "a version that is no name", "E_CHOICE", "version", query_positions=2, key_positions=2,
            **FIGURE, version=None),
    refused("chunk-one", "chunk_size 1", "E_SIZE", "chunk_size", query_positions=2, key_positions=2, chunk_size=1,
            local_size=0, version="paper"),
]
