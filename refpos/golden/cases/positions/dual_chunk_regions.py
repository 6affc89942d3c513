"""Golden cases of the regions of dual chunk attention."""

from ...case import listed, suite
from .dual_chunk_positions import CHUNKLLAMA, FIGURE, FLAGS, LLAMA_2

value, refused = suite("dual_chunk_regions", CHUNKLLAMA)
EDGES = {
    "query_positions": listed((2559, 2560, 5119, 5120, 7679, 7680)),
    "key_positions": listed((0, 2559, 2560, 5119, 5120, 7679, 7680)),
}

CASES = [
    value("figure-2", "13 tokens, chunks of 6", query_positions=13, key_positions=13, **FIGURE, flags=FLAGS),
    value("decode", "the last query of 20 tokens", key_positions=20, **FIGURE,
          inputs={"query_positions": listed((19,))},
          flags=(*FLAGS, "UnequalLengths")),
    value("llama-2", "chunks of 2560 tokens at their edges", **LLAMA_2, inputs=EDGES, flags=FLAGS),
    value("far", "positions to 2**53", **FIGURE, flags=(*FLAGS, "LongContextInteger"),
          inputs={"query_positions": listed((2**53 - 1, 2**53)),
          "key_positions": listed((0, 2**53 - 7, 2**53 - 1, 2**53))}),
    value("empty", "no queries", query_positions=0, key_positions=3, **FIGURE),
    refused("local-whole", "local_size as large as chunk_size", "E_SIZE", "local_size", query_positions=2,
            key_positions=2,
            chunk_size=10, local_size=10),
    refused("matrix", "keys of two axes", "E_SHAPE", "key_positions", query_positions=2, **FIGURE,
            inputs={"key_positions": listed((0, 1), shape=(1, 2))}),
]
