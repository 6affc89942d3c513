"""Golden cases of buckets of logarithmic width."""

from ...case import counting, fraction, listed, paper, project, suite

DEBERTA = project("transformers", "5.23.0", "models/deberta_v2/modeling_deberta_v2.py", "make_log_bucket_position")
SEW_D = project("transformers", "5.23.0", "models/sew_d/modeling_sew_d.py", "make_log_bucket_position")
CPM_ANT = project("transformers", "5.23.0", "models/cpmant/modeling_cpmant.py", "CpmAntSegmentPositionEmbedding")
EXCHANGED = project("transformers", "5.23.0", "models/deberta_v2/modeling_deberta_v2.py", "build_rpos")
WAVLM = project("transformers", "5.23.0", "models/wavlm/modeling_wavlm.py", "_relative_positions_bucket")
IRPE = project("microsoft/Cream", "12aed81bb10a7b678c700dabd28d71b27f1d8830", "iRPE/DeiT-with-iRPE/irpe.py",
               "piecewise_index")  # fmt: skip
PAPER = paper("He et al. 2021, DeBERTa: Decoding-enhanced BERT with Disentangled Attention, arXiv:2006.03654")
value, refused = suite("log_buckets", PAPER)
FLAGS = ("BucketEdge", "BucketDirection")


def _at(values, shape=None):
    return {"relative_positions": listed(values, "int64", shape)}


def _range(reach):
    return {"relative_positions": counting(-reach, 2 * reach + 1)}


def _segments(query, key):
    """Segments, and key minus query, of one batch row."""
    relative = [j - i for i in range(len(query)) for j in range(len(key))]
    return {"relative_positions": listed(relative, shape=(len(query), len(key))),
            "query_segments": listed(query), "key_segments": listed(key)}  # fmt: skip


def _irpe(ratio):
    """alpha, beta and gamma: 1, 2 and 8 times a number of tenths."""
    return {name: fraction(times * ratio, 10) for name, times in (("alpha", 1), ("beta", 2), ("gamma", 8))}


CASES = [
    *[
        value(f"deberta-{buckets}-{most}", f"DeBERTa v2: {buckets} buckets to {most}", rule="deberta",
              num_buckets=buckets, max_distance=most, inputs=_range(reach), flags=FLAGS, source=source)
        for buckets, most, reach, source in (
            (256, 512, 520, DEBERTA), (32, 128, 140, DEBERTA), (64, 256, 40, DEBERTA), (128, 512, 70, SEW_D),
            (4, 4, 9, PAPER), (4, 9, 30, PAPER), (6, 1000, 20, PAPER),
        )
    ],
    value("deberta-edges", "DeBERTa v2: first and last distances of buckets", rule="deberta", num_buckets=256,
          max_distance=512, flags=FLAGS, source=DEBERTA,
          inputs=_at([sign * n for n in (127, 128, 129, 130, 131, 254, 255, 256, 508, 509, 510, 511, 512, 513, 600)
                      for sign in (1, -1)])),
    value("deberta-far", "beyond max_distance buckets go on", rule="deberta", num_buckets=16, max_distance=64,
          inputs=_at((-(2**53), -(10**6), -1000, 999, 10**6, 2**53)), flags=(*FLAGS, "LongContextInteger")),
    value("deberta-matrix", "query minus key of 5 queries and 8 keys", rule="deberta", num_buckets=4, max_distance=6,
          inputs=_at([i - j for i in range(5) for j in range(8)], (5, 8)), flags=FLAGS, source=DEBERTA),
    *[
        value(f"exchanged-{buckets}-{most}", f"DeBERTa v2 of transformers, exchanged: {buckets} and {most}",
              rule="deberta_exchanged", num_buckets=buckets, max_distance=most, inputs=_at(values), flags=FLAGS,
              source=EXCHANGED)
        for buckets, most, values in (
            (256, 512, [sign * n for n in (0, 1, 128, 255, 256, 257, 258, 259, 300, 2000) for sign in (1, -1)]),
            (32, 128, [sign * n for n in range(60, 140) for sign in (1, -1)]), (4, 9, list(range(-12, 13))),
            (256, 300, [sign * n for n in range(148, 160) for sign in (1, -1)]), (6, 7, list(range(-9, 10))),
            (16, 65, [2**53, -(2**63), 1000, 511, 63, 0]),
        )
    ],
    value("irpe-19", "iRPE: ratio 1.9, buckets -3 .. 3", rule="irpe", inputs=_range(30), flags=FLAGS, source=IRPE,
          **_irpe(19)),
    value("irpe-quant", "iRPE: squared distances", rule="irpe", inputs=_at([i * i + j * j for i in range(7)
          for j in range(7)], (7, 7)), flags=FLAGS, source=IRPE, **_irpe(19)),
    value("irpe-10", "iRPE: ratio 1", rule="irpe", inputs=_range(20), flags=FLAGS, source=IRPE, **_irpe(10)),
    value("irpe-halves", "halves on whole distances: 2.5 at 4 goes to 2", rule="irpe", alpha=1, beta=4, gamma=16,
          inputs=_range(70), flags=FLAGS),
    value("irpe-odd-halves", "halves on whole distances: 1.5 at 2 goes to 2", rule="irpe", alpha=1, beta=3, gamma=16,
          inputs=_range(20), flags=FLAGS),
    value("irpe-fine", "iRPE: ratio 5", rule="irpe", inputs=_range(90), flags=FLAGS, source=IRPE, **_irpe(50)),
    value("cpm-ant", "CPM-Ant: two segments", rule="cpm_ant", num_buckets=512, max_distance=2048, num_segments=32,
          inputs=_segments((0, 0, 1, 1), (0, 0, 1, 1, 1)), flags=FLAGS, source=CPM_ANT),
    value("cpm-ant-last", "CPM-Ant: the last row of its table", rule="cpm_ant", num_buckets=512, max_distance=2048,
          num_segments=32, inputs=_segments((31, 30, 0), (31, 0)), flags=FLAGS, source=CPM_ANT),
    value("cpm-ant-small", "8 buckets and 3 segments, a batch", rule="cpm_ant", num_buckets=8, max_distance=20,
          num_segments=3, flags=FLAGS,
          inputs={"relative_positions": listed((0, 1, 9, -1, 0, 30, 0, -2, -9, 2, 0, -30), shape=(2, 2, 3)),
                  "query_segments": listed((0, 1, 2, 2), shape=(2, 2)),
                  "key_segments": listed((0, 1, 2, 2, 1, 0), shape=(2, 3))}),
    *[
        value(f"t5-{'both' if both else 'causal'}", f"T5: {'both directions' if both else 'causal'}", rule="t5",
              bidirectional=both, num_buckets=32, max_distance=128, inputs=_range(140), flags=FLAGS)
        for both in (True, False)
    ],
    value("wavlm", "WavLM: 320 buckets to 800", rule="t5", bidirectional=True, num_buckets=320, max_distance=800,
          inputs=_at([sign * n for n in (79, 80, 81, 82, 83, 400, 780, 790, 799, 800, 801) for sign in (1, -1)]),
          flags=FLAGS, source=WAVLM),
    value("empty", "no positions", rule="deberta", num_buckets=32, max_distance=128, inputs=_at(())),
    refused("rule", "no such rule", "E_CHOICE", "rule", rule="t6", inputs=_at((1,))),
    refused("left-out", "an argument that the rule needs", "E_CHOICE", "max_distance", rule="deberta", num_buckets=32,
            inputs=_at((1,))),
    refused("not-read", "an argument that the rule does not read", "E_CHOICE", "bidirectional", rule="deberta",
            num_buckets=32, max_distance=128, bidirectional=True, inputs=_at((1,))),
    refused("exchanged", "buckets and distance exchanged", "E_SIZE", "max_distance", rule="deberta", num_buckets=512,
            max_distance=256, inputs=_at((1,))),
    refused("exchanged-base-1", "a logarithm to base 1", "E_SIZE", "max_distance", rule="deberta_exchanged",
            num_buckets=32, max_distance=62, inputs=_at((1,))),
    refused("exchanged-far", "a distance whose half is too large an exponent", "E_SIZE", "max_distance",
            rule="deberta_exchanged", num_buckets=32, max_distance=2049, inputs=_at((1,))),
    refused("odd", "an odd number of buckets", "E_SIZE", "num_buckets", rule="deberta", num_buckets=33,
            max_distance=128, inputs=_at((1,))),
    refused("float-ratio", "a float that is no short fraction", "E_NUMBER", "alpha", rule="irpe", alpha=1.9, beta=4,
            gamma=16, inputs=_at((1,))),
    refused("gamma", "gamma below alpha", "E_NUMBER", "gamma", rule="irpe", alpha=2, beta=4, gamma=1,
            inputs=_at((1,))),
    refused("segment", "a segment beyond the last", "E_NUMBER", "key_segments", rule="cpm_ant", num_buckets=512,
            max_distance=2048, num_segments=32, inputs=_segments((0, 1), (0, 32))),
    refused("segment-shape", "segments of another length", "E_SHAPE", "query_segments", rule="cpm_ant",
            num_buckets=512, max_distance=2048, num_segments=32,
            inputs={**_segments((0, 1), (0, 1)), "query_segments": listed((0, 1, 1))}),
    refused("floats", "positions that are floats", "E_DTYPE", "relative_positions", rule="deberta", num_buckets=32,
            max_distance=128, inputs={"relative_positions": listed((0.5,), "float64")}),
    value("extended-deberta", "DeBERTa v2 to 4000", rule="deberta", num_buckets=256, max_distance=512,
          inputs=_range(4000), tier="extended", flags=FLAGS, source=DEBERTA),
]  # fmt: skip
