"""Golden cases of the rows of pairs in one segment or in different ones."""

import math

from ...case import listed, paper, project, suite

value, refused = suite("segment_rows", paper("Yang et al. 2019, XLNet, arXiv:1906.08237, section 2.5"))
XLNET = project("transformers", "5.23.0", "models/xlnet/modeling_xlnet.py", "XLNetModel.forward")
FUNNEL = project("transformers", "5.23.0", "models/funnel/modeling_funnel.py", "token_type_ids_to_mat")
FLAGS = ("BucketDirection", "UnequalLengths")


def arrays(queries, keys, lead=(), of_keys=None):
    """The segments of queries and keys."""
    of_keys = lead if of_keys is None else of_keys
    return {
        "query_segments": listed(queries, shape=(*lead, len(queries) // math.prod(lead))),
        "key_segments": listed(keys, shape=(*of_keys, len(keys) // math.prod(of_keys))),
    }


def xlnet(slug, about, inputs, **more):
    """XLNet: row 0 is for one segment."""
    return value(f"xlnet-{slug}", about, inputs=inputs, order="same-different", source=XLNET, flags=FLAGS, **more)


def funnel(slug, about, inputs, **more):
    """Funnel: row 1 is for one segment, and its class token is in all."""
    return value(f"funnel-{slug}", about, inputs=inputs, order="different-same", source=FUNNEL, flags=FLAGS, **more)


CASES = [
    xlnet("pair", "two segments and their classifier", arrays((0, 0, 1, 1, 2), (0, 0, 1, 1, 2))),
    xlnet("memory", "a memory of segment 0 before the tokens", arrays((1, 1, 2), (0, 0, 0, 1, 1, 2))),
    xlnet("one", "one segment", arrays((0, 0, 0), (0, 0, 0))),
    xlnet("batch", "two sequences", arrays((0, 1, 1, 0, 0, 1), (0, 0, 1, 1, 0, 1, 0, 0), (2,), (2,))),
    xlnet("queries-only", "different segments only", arrays((5, 6), (7, 8, 9))),
    xlnet("far", "ids of 63 bits, and negative ones", arrays((2**62, -(2**62), 2**62 + 1), (2**62, 2**62 + 1, -1))),
    funnel("pair", "the class token of segment 2 is the same as all", arrays((2, 0, 0, 1, 1), (2, 0, 0, 1, 1)),
           shared=2),
    funnel("pooled", "3 pooled queries of 5 keys", arrays((2, 0, 1), (2, 0, 0, 1, 1)), shared=2),
    funnel("no-class", "without a class token", arrays((0, 0, 1), (0, 0, 1, 1))),
    funnel("class-0", "a class token whose segment is 0", arrays((0, 1, 2), (0, 1, 2)), shared=0),
    value("shared-xlnet", "a shared segment with the other order", order="same-different", shared=3,
          inputs=arrays((0, 3, 1), (3, 0, 1, 1)), flags=FLAGS),
    value("broadcast", "two sequences of queries, one of keys", order="different-same", flags=FLAGS,
          inputs=arrays((0, 1, 1, 0), (0, 1, 0), (2,), ())),
    value("one-query", "one token behind a memory", order="same-different", inputs=arrays((3,), (0, 3, 1, 3))),
    value("three-axes", "queries and keys of two batches of two", order="different-same", flags=FLAGS,
          inputs=arrays((0, 1, 1, 0), (0, 0, 1, 1, 0, 1, 2, 2), (2, 2))),
    value("no-queries", "no queries", order="same-different", inputs=arrays((), (0, 1))),
    refused("order", "no such order", "E_CHOICE", "order", order="same", inputs=arrays((0,), (1,))),
    refused("floats", "segments that are floats", "E_DTYPE", "key_segments", order="same-different", inputs={
            "query_segments": listed((0,)), "key_segments": listed((0.0,), "float64")}),
    refused("axes", "leading axes that do not broadcast", "E_SHAPE", "key_segments", order="same-different", inputs={
            "query_segments": listed((0, 1), shape=(2, 1)), "key_segments": listed((0, 1, 2), shape=(3, 1))}),
    refused("shared", "a shared segment that is not an integer", "E_POSITION", "shared", order="same-different",
            shared=0.5, inputs=arrays((0,), (1,))),
]  # fmt: skip
