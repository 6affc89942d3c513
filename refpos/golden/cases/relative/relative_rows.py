"""Golden cases of the rows of tables of distances."""

from ...case import counting, listed, paper, project, suite

SHAW = paper("Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, section 3.2")
value, refused = suite("relative_rows", SHAW)
FLAGS = ("BucketDirection", "OffByOne")


def _hf(name, function=None, version="5.23.0"):
    return project("transformers", version, f"models/{name}/modeling_{name}.py", function)


def _model(slug, about, queries, keys, sign, low, high, outside, source, **more):
    flags = FLAGS if queries == keys else (*FLAGS, "UnequalLengths")
    return value(
        slug,
        about,
        query_len=queries,
        key_len=keys,
        sign=sign,
        low=low,
        high=high,
        outside=outside,
        source=source,
        flags=flags,
        **more,
    )


CASES = [
    _model("shaw-clip-2", "Shaw: clipped to 2, both directions", 5, 7, "key-query", -2, 2, "clip", SHAW),
    _model("bert", "BERT, relative_key: 9 positions, nothing is clipped", 4, 9, "query-key", -8, 8, "refuse",
           _hf("bert", "BertSelfAttention", "4.40.2")),
    _model("bert-cached", "BERT, relative_key: the query behind 6 cached keys", 1, 7, "query-key", -8, 8, "refuse",
           _hf("bert", "BertSelfAttention", "4.40.2"), query_offset=6),
    _model("mctct", "M-CTC-T: key minus query", 3, 5, "key-query", -8, 8, "refuse",
           _hf("deprecated/mctct", None, "4.40.2")),
    _model("wav2vec2-bert", "Wav2Vec2-BERT: 64 to the left, 8 to the right", 3, 140, "key-query", -64, 8, "clip",
           _hf("wav2vec2_bert"), query_offset=70),
    _model("seamless-v2-edges", "SeamlessM4T v2: 65 to the left and 9 to the right", 75, 2, "key-query", -64, 8, "clip",
           _hf("seamless_m4t_v2")),
    _model("speecht5", "SpeechT5: query minus key, from -m to m - 1", 7, 11, "query-key", -3, 2, "clip",
           _hf("speecht5", "SpeechT5RelativePositionalEncoding")),
    _model("speecht5-160", "SpeechT5: 160, at both ends", 2, 330, "query-key", -160, 159, "clip",
           _hf("speecht5", "SpeechT5RelativePositionalEncoding"), query_offset=165),
    _model("nezha", "Nezha: clipped to 64, the row number is the position of its sinusoid", 1, 140, "key-query", -64,
           64, "clip", _hf("deprecated/nezha", None, "4.40.2"), query_offset=70),
    _model("vits-3", "VITS: window 4, short", 3, 3, "key-query", -4, 4, "zero",
           _hf("vits", "_get_relative_embeddings")),
    _model("vits-12", "VITS: window 4, zeros outside", 12, 12, "key-query", -4, 4, "zero",
           _hf("vits", "_get_relative_embeddings")),
    _model("transformer-xl", "Transformer-XL: 3 queries behind 4 keys, distances 6 .. 0", 3, 7, "key-query", -6, 0,
           "zero", _hf("deprecated/transfo_xl", None, "4.40.2"), query_offset=4),
    _model("xlnet-bi", "XLNet: distances 5 .. -2 of 3 queries and 5 keys", 3, 5, "key-query", -5, 2, "refuse",
           _hf("xlnet", "rel_shift_bnij"), query_offset=2),
    _model("xlnet-uni", "XLNet: distances 5 .. 0", 3, 5, "key-query", -5, 0, "zero", _hf("xlnet", "rel_shift_bnij"),
           query_offset=2),
    _model("funnel-1", "Funnel: 6 tokens, rows from distance 6 down", 6, 6, "key-query", -6, 5, "refuse",
           _hf("funnel", "_relative_shift_gather")),
    _model("funnel-pooled", "Funnel: 3 pooled queries of 6 keys, two keys apart", 3, 6, "key-query", -6, 5, "refuse",
           _hf("funnel", "_relative_shift_gather"), query_step=2),
    _model("conformer-1", "Conformer: one frame", 1, 1, "key-query", 0, 0, "refuse", _hf("wav2vec2_conformer")),
    _model("conformer-5", "Conformer: row 0 is that of distance +4", 5, 5, "key-query", -4, 4, "refuse",
           _hf("wav2vec2_conformer", "_apply_relative_embeddings")),
    _model("gemma3n-audio", "Gemma 3n: blocks of 3, 3 keys before and 1 behind", 3, 7, "key-query", -3, 1, "zero",
           _hf("gemma3n", "_relative_shift"), query_offset=3),
    _model("gemma4-audio", "Gemma 4: blocks of 12, rows from distance 12 down to 0", 12, 24, "key-query", -12, 0,
           "zero", _hf("gemma4", "_rel_shift"), query_offset=12),
    _model("inkling", "Inkling: 4 distances backwards, zeros outside", 7, 9, "query-key", 0, 3, "zero",
           _hf("inkling", "InklingRelativeLogits"), query_offset=2),
    _model("absolute", "distances without a direction", 4, 6, "absolute", 0, 2, "clip", SHAW),
    value("esmfold", "ESMFold: residues with gaps, 32 both ways", sign="key-query", low=-32, high=32, outside="clip",
          inputs={"query_len": listed((3, 4, 40, 36, 72)), "key_len": listed((3, 4, 40, 36, 72))},
          source=project("transformers", "5.23.0", "models/esm/modeling_esmfold.py", "EsmFoldRelativePosition"),
          flags=FLAGS),
    value("esmfold2-chains", "ESMFold2: two chains, query minus key", sign="query-key", low=-2, high=2, outside="clip",
          inputs={"query_len": listed((0, 1, 2, 5, 0, 3), shape=(2, 3)),
                  "key_len": listed((0, 1, 2, 5, 0, 3), shape=(2, 3))}, flags=FLAGS,
          source=_hf("esmfold2", "EsmFold2RelativePositionEncoding")),
    value("broadcast", "two rows of queries, one row of keys", sign="query-key", low=-1, high=3, outside="zero",
          inputs={"query_len": listed((0, 1, 7, 8, 2, -5), shape=(2, 3)), "key_len": counting(0, 4)}, flags=FLAGS),
    value("far", "positions at both ends of 2**53", sign="key-query", low=-1, high=1, outside="clip",
          inputs={"query_len": listed((-(2**53), 0, 2**53)), "key_len": listed((2**53, 2**53 - 1, -(2**53)))},
          flags=("LongContextInteger",)),
    _model("no-queries", "no queries", 0, 3, "key-query", -1, 1, "refuse", SHAW),
    refused("sign", "no such sign", "E_CHOICE", "sign", query_len=2, key_len=2, sign="both", low=-1, high=1,
            outside="clip"),
    refused("outside", "a distance without a row", "E_NUMBER", "key_len", query_len=2, key_len=4, sign="key-query",
            low=-2, high=2, outside="refuse"),
    refused("ends", "the ends exchanged", "E_NUMBER", "high", query_len=2, key_len=4, sign="key-query", low=2, high=-2,
            outside="clip"),
    refused("floats", "positions that are floats", "E_POSITION", "key_len", query_len=2, sign="key-query", low=-2,
            high=2, outside="clip", inputs={"key_len": listed((0.0, 1.0), "float64")}),
    refused("negative", "a negative number of keys", "E_SIZE", "key_len", query_len=2, key_len=-1, sign="key-query",
            low=-2, high=2, outside="clip"),
    refused("axes", "leading axes that do not broadcast", "E_SHAPE", "key_len", sign="key-query", low=-2, high=2,
            outside="clip", inputs={"query_len": listed((0, 1, 2, 3), shape=(2, 2)),
                                    "key_len": listed((0, 1, 2), shape=(3, 1))}),
]  # fmt: skip

# conventions that no case above tells
CASES += [
    _model("pooled-offset", "pooled queries behind 3 keys: the offset is one of keys", 3, 8, "key-query", -4, 5, "clip",
           SHAW, query_step=2, query_offset=3),
    value("offset-of-positions", "an offset and a step of positions that are given", sign="query-key", low=-3, high=6,
          outside="zero", query_offset=5, query_step=2, flags=FLAGS,
          inputs={"query_len": listed((0, 1, 4)), "key_len": listed((2, 3, 7, 9, 16))}),
]  # fmt: skip
