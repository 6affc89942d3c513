"""Golden cases of the merge mask of Self-Extend and ReRoPE."""

from ...case import counting, listed, project, suite

LONGLM = project("datamllab/LongLM", "18950b5", "self_extend_patch/Llama.py", "self_extend_forward")
REROPE = project("bojone/rerope", "2cbd019", "rerope_patch.py", "forward_with_rerope")
value, refused = suite("window_regions", LONGLM)
FLAGS = ("OffByOne", "ScalingBoundary")

CASES = [
    value("prefill", "12 queries and keys, window 4", query_positions=12, key_positions=12, window=4, flags=FLAGS),
    value("decode", "one query of 12 tokens, window 4", key_positions=12, window=4,
          inputs={"query_positions": listed((11,))}, flags=(*FLAGS, "UnequalLengths")),
    value("rerope-512", "ReRoPE: window 512 around its edges", window=512, source=REROPE, flags=FLAGS,
          inputs={"query_positions": listed((511, 512, 513, 1023, 4096)), "key_positions": counting(0, 8)}),
    value("short", "fewer tokens than the window: all near", query_positions=5, key_positions=5, window=1024,
          flags=FLAGS),
    value("far", "positions beyond 2**31", window=2**31, flags=(*FLAGS, "LongContextInteger"),
          inputs={"query_positions": listed((2**31 - 1, 2**31, 2**53)), "key_positions": listed((0, 1, 2**53))}),
    value("empty", "no queries", query_positions=0, key_positions=3, window=1),
    refused("window-zero", "window 0", "E_SIZE", "window", query_positions=2, key_positions=2, window=0),
    refused("negative", "a negative position", "E_POSITION", "key_positions", query_positions=2, window=2,
            inputs={"key_positions": listed((0, -1))}),
    refused("floats", "positions that are floats", "E_POSITION", "query_positions", key_positions=2, window=2,
            inputs={"query_positions": listed((0.0, 1.0), "float64")}),
    refused("matrix", "queries of two axes", "E_SHAPE", "query_positions", key_positions=2, window=2,
            inputs={"query_positions": listed((0, 1), shape=(1, 2))}),
]
