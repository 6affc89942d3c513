"""Golden cases of the tokens of each rank in context parallelism."""

from ....case import listed, project, suite

MEGATRON = project("Megatron-LM", "d086a2e", "megatron/training/utils.py", "get_batch_on_this_cp_rank")
TE = project("TransformerEngine", "2.8", "common/fused_attn/context_parallel.cu", "thd_partition_indices_kernel")
RING = project("ring-flash-attention", "22f0e1d", "test/test_zigzag_ring_flash_attn_varlen_func.py", "extract_local")
STRIPE = project("ring-flash-attention", "0d624f5", "test/test_stripe_flash_attn_varlen_func.py", "extract_local")
value, refused = suite("context_parallel_indices", TE)
FLAGS = ("ContextParallel", "OffByOne")
SOURCES = {"contiguous": RING, "striped": STRIPE, "zigzag": TE}


def batch(*bounds):
    return {"cu_seqlens": listed(bounds)}


CASES = [
    *[
        value(f"{order}-{slug}", f"{about}, {order}", ranks=ranks, order=order, inputs=batch(*bounds), flags=FLAGS,
              source=source)
        for order, source in SOURCES.items()
        for slug, about, ranks, bounds in (
            ("two-documents", "two documents of 4 on 2 ranks", 2, (0, 4, 8)),
            ("lengths-differ", "documents of 4, 12 and 8 on 2 ranks", 2, (0, 4, 16, 24)),
            ("three-ranks", "documents of 6 and 12 on 3 ranks", 3, (0, 6, 18)),
            ("empty-sequences", "sequences without tokens", 2, (0, 0, 8, 8)),
            ("none", "no sequences", 2, (0,)),
        )
    ],
    *[
        value(f"{order}-whole", f"a batch as a whole, {order}", cu_seqlens=length, ranks=2, order=order, flags=FLAGS,
              source=MEGATRON if order == "zigzag" else source)
        for length, (order, source) in zip((16, 10, 12), SOURCES.items())
    ],
    refused("zigzag", "a length that is no multiple of 2 R", "E_SIZE", "cu_seqlens", ranks=2, order="zigzag",
            inputs=batch(0, 4, 10)),
    refused("striped", "a length that is no multiple of R", "E_SIZE", "cu_seqlens", ranks=2, order="striped",
            inputs=batch(0, 3, 6)),
    refused("ranks", "no ranks", "E_SIZE", "ranks", cu_seqlens=4, ranks=0, order="zigzag"),
    refused("order", "an unknown order", "E_CHOICE", "order", cu_seqlens=4, ranks=2, order="ring"),
    refused("falls", "boundaries that fall", "E_POSITION", "cu_seqlens", ranks=2, order="striped",
            inputs=batch(0, 4, 2)),
]  # fmt: skip
