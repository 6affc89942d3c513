"""Golden cases of the gradient of the T5 bias: the exact sum of the cotangents of each bucket."""

from ...case import paper, suite
from .._gradients import cotangents_refused, in_each, special

PAPER = paper("Raffel et al. 2020, Exploring the Limits of Transfer Learning, arXiv:1910.10683, section 2.1")
value, refused = suite("vjp_t5_bias", PAPER)
FLAGS = ("BucketDirection", "BucketEdge", "UnequalLengths")

CASES = [
    *in_each(value, "encoder", "5 queries and 7 keys, 8 buckets", {"weight": (8, 2), "cotangent": (2, 5, 7)},
             query_len=5, key_len=7, bidirectional=True, max_distance=6, flags=FLAGS),
    *in_each(value, "decoder", "keys after a query share bucket 0", {"weight": (8, 2), "cotangent": (2, 4, 6)},
             query_len=4, key_len=6, bidirectional=False, max_distance=16, flags=FLAGS),
    *in_each(value, "decode-step", "one query at position 40", {"weight": (32, 1), "cotangent": (1, 1, 41)},
             query_len=1, key_len=41, query_offset=40, bidirectional=False, flags=(*FLAGS, "OffByOne")),
    *in_each(value, "not-finite", "infinities and NaN", {"weight": (4, 1), "cotangent": special(1, 2, 4)},
             query_len=2, key_len=4, bidirectional=True, max_distance=8, flags=FLAGS),
    *in_each(value, "no-keys", "no keys", {"weight": (8, 2), "cotangent": (2, 3, 0)}, query_len=3, key_len=0,
             bidirectional=True, dtypes=("float32",)),
    *in_each(value, "near", "4 buckets to distance 3", {"weight": (4, 1), "cotangent": (1, 4, 6)}, query_len=4,
             key_len=6, bidirectional=True, max_distance=3, flags=FLAGS),
    *in_each(value, "given", "the number of buckets said twice", {"weight": (8, 1), "cotangent": (1, 1, 20)},
             query_len=1, key_len=20, query_offset=19, bidirectional=False, num_buckets=8, max_distance=16,
             flags=FLAGS),
    *cotangents_refused(refused, "weight", (8, 2), (2, 5, 7), query_len=5, key_len=7, bidirectional=True),
]  # fmt: skip
