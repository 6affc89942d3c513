"""Golden cases of positions of packed sequences, chunks and decoding."""

from ....case import listed, project, suite

COLLATOR = project("transformers", "5.23.0", "data/data_collator.py", "DataCollatorWithFlattening")
VLLM = project("vllm", "4e17906", "vllm/v1/worker/gpu_model_runner.py", "_prepare_inputs")
value, refused = suite("packed_positions", COLLATOR)
FLAGS = ("OffByOne", "PackedSequence")
CACHE = (*FLAGS, "CacheOffset")
#: boundaries of packed sequences
BATCHES = (
    ("three", "sequences of 3, 2 and 4", (0, 3, 5, 9)),
    ("documents", "two documents of 4", (0, 4, 8)),
    ("empty-sequences", "sequences without tokens", (0, 0, 3, 3, 3, 5, 5)),
    ("singles", "sequences of one token", (0, 1, 2, 3)),
    ("one", "one sequence", (0, 6)),
    ("none", "no sequences", (0,)),
    ("no-tokens", "two sequences without tokens", (0, 0, 0)),
)


def batch(*bounds, offsets=None, dtype="int64"):
    given = {} if offsets is None else {"offsets": listed(offsets, dtype)}
    return {"cu_seqlens": listed(bounds, dtype), **given}


CASES = [
    *[
        value(f"{slug}-{'restart' if restart else 'run-on'}", about, restart=restart, inputs=batch(*bounds),
              flags=FLAGS)
        for slug, about, bounds in BATCHES
        for restart in (True, False)
    ],
    value("length", "the length of one sequence", cu_seqlens=5, restart=True, flags=FLAGS),
    value("length-run-on", "the length of one sequence that runs on", cu_seqlens=3, restart=False, flags=FLAGS),
    value("roberta", "sequences that begin at 2", restart=True, offsets=2, inputs=batch(0, 3, 5), flags=CACHE),
    value("run-on-2", "a batch that begins at 2", restart=False, offsets=2, inputs=batch(0, 3, 5), flags=CACHE),
    value("chunks", "the second chunks of two prompts", restart=True, inputs=batch(0, 4, 7, offsets=(4, 512)),
          source=VLLM, flags=CACHE),
    value("decode", "one token of each request", restart=True, inputs=batch(0, 1, 2, 3, offsets=(17, 0, 4095)),
          source=VLLM, flags=CACHE),
    value("mixed", "prefill, chunk and decoding in one batch", restart=True,
          inputs=batch(0, 2, 7, 8, 8, offsets=(0, 3, 40, 9)), source=VLLM, flags=CACHE),
    value("run-on-offsets", "offsets where positions run on", restart=False, inputs=batch(0, 2, 5, offsets=(7, 1)),
          flags=CACHE),
    value("long", "positions past 2**31 and 2**32", restart=True,
          inputs=batch(0, 2, 4, offsets=(2**31 - 1, 2**32 - 1)), source=VLLM, flags=(*CACHE, "LongContextInteger")),
    value("most", "the largest position", restart=True, inputs=batch(0, 2, offsets=(2**53 - 1,)), flags=CACHE),
    refused("falls", "boundaries that fall", "E_POSITION", "cu_seqlens", restart=True, inputs=batch(0, 3, 2)),
    refused("start", "boundaries from 1", "E_POSITION", "cu_seqlens", restart=True, inputs=batch(1, 3)),
    refused("no-boundary", "no boundary", "E_SHAPE", "cu_seqlens", restart=True, inputs=batch()),
    refused("rows", "boundaries of two axes", "E_SHAPE", "cu_seqlens", restart=True,
            inputs={"cu_seqlens": listed((0, 3), shape=(1, 2))}),
    refused("floats", "boundaries of floats", "E_DTYPE", "cu_seqlens", restart=True,
            inputs={"cu_seqlens": listed((0.0, 3.0), "float32")}),
    refused("negative", "a negative length", "E_SIZE", "cu_seqlens", cu_seqlens=-1, restart=True),
    refused("restart", "a number for a flag", "E_CHOICE", "restart", cu_seqlens=3, restart=1),
    refused("offsets", "an offset too few", "E_SHAPE", "offsets", restart=True, inputs=batch(0, 3, 5, offsets=(1,))),
    refused("offset", "a negative offset", "E_SIZE", "offsets", restart=True, inputs=batch(0, 3, offsets=(-1,))),
    refused("most", "a position past 2**53", "E_POSITION", "offsets", restart=True,
            inputs=batch(0, 2, offsets=(2**53,))),
]  # fmt: skip
