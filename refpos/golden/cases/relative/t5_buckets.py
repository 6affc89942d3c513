"""Golden cases of the T5 buckets."""

from ...case import counting, listed, paper, project, suite

PAPER = paper("Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1")
value, refused = suite("t5_buckets", PAPER)
T5 = project("transformers", "5.23.0", "models/t5/modeling_t5.py", "_relative_position_bucket")
FLAGS = ("BucketEdge", "BucketDirection")
#: where bfloat16 and float16 logarithms were found to miss an edge, with neighbours
EDGES = (15, 16, 17, 31, 32, 33, 63, 64, 65, 75, 76, 77, 89, 90, 91, 127, 128, 129, 180, 181, 182, 255, 256, 257)
FAR = (-(2**63), -(2**53), -(2**31), -1025, -1, 0, 1, 1025, 2**31, 2**53, 2**63 - 1)


def _range(reach):
    return {"relative_positions": counting(-reach, 2 * reach + 1)}


def _at(values, shape=None):
    return {"relative_positions": listed(values, "int64", shape)}


CASES = [
    *[
        value(f"t5-{direction}", f"T5: 32 buckets to 128, {direction}", bidirectional=direction == "bidirectional",
              inputs=_range(140), flags=FLAGS, source=T5)
        for direction in ("bidirectional", "causal")
    ],
    *[
        value(f"{buckets}-{most}-{'bidirectional' if both else 'causal'}", f"{buckets} buckets to {most}{source}",
              bidirectional=both, num_buckets=buckets, max_distance=most, flags=FLAGS,
              inputs=_at(tuple(-n for n in reversed(EDGES)) + (-2, -1, 0, 1, 2) + EDGES + (most - 1, most, most + 1,
                  -most, 1 - most, -1 - most)))
        for buckets, most, both, source in (
            (16, 64, True, ""), (16, 128, True, ""), (16, 128, False, ""), (32, 20, True, ""), (32, 256, True, ""),
            (32, 256, False, ""),
            (64, 128, True, ""), (64, 256, True, ", LayoutLM in two dimensions"), (128, 512, True, ""),
            (320, 800, True, ", WavLM"),
            (320, 800, False, ""), (512, 2048, True, ", CPM-Ant"), (32, 100, True, ", UDOP"), (32, 1000, False, ""),
        )
    ],
    value("far-bidirectional", "distances to the ends of int64", bidirectional=True, inputs=_at(FAR),
          flags=("BucketDirection", "LongContextInteger")),
    value("far-causal", "distances to the ends of int64", bidirectional=False, inputs=_at(FAR),
          flags=("BucketDirection", "LongContextInteger")),
    value("matrix", "a matrix of key minus query", bidirectional=True,
          inputs=_at([j - i for i in range(5) for j in range(7)], (5, 7)), flags=FLAGS),
    value("smallest-bidirectional", "4 buckets to 2", bidirectional=True, num_buckets=4, max_distance=2,
          inputs=_range(4), flags=FLAGS),
    value("smallest-causal", "2 buckets to 2", bidirectional=False, num_buckets=2, max_distance=2, inputs=_range(4),
          flags=FLAGS),
    value("odd-causal", "7 buckets to 40", bidirectional=False, num_buckets=7, max_distance=40, inputs=_range(30),
          flags=FLAGS),
    value("empty", "no positions", bidirectional=True, inputs=_at(())),
    refused("floats", "positions that are floats", "E_DTYPE", "relative_positions", bidirectional=True,
            inputs={"relative_positions": listed((0.5,), "float64")}),
    refused("direction-null", "no direction", "E_CHOICE", "bidirectional", bidirectional=None, inputs=_at((1,))),
    refused("buckets-odd", "an odd number of buckets for both directions", "E_SIZE", "num_buckets", bidirectional=True,
            num_buckets=31, inputs=_at((1,))),
    refused("buckets-few", "too few buckets", "E_SIZE", "num_buckets", bidirectional=False, num_buckets=1,
            inputs=_at((1,))),
    refused("distance-small", "a largest distance below the linear buckets", "E_SIZE", "max_distance",
            bidirectional=True, num_buckets=32, max_distance=8, inputs=_at((1,))),
    value("extended-bidirectional", "T5 to 4000", bidirectional=True, inputs=_range(4000), tier="extended", flags=FLAGS,
          source=T5),
    value("extended-wavlm", "WavLM to 1000", bidirectional=True, num_buckets=320, max_distance=800, inputs=_range(1000),
          tier="extended", flags=FLAGS),
]
