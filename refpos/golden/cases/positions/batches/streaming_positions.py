"""Golden cases of positions in a cache of sinks and a window."""

from ....case import paper, project, suite

STREAMING = project("streaming-llm", "d729b3f", "streaming_llm/kv_cache.py", "StartRecentKVCache")
MLX = project("mlx-lm", "f8e2d6f", "mlx_lm/models/cache.py", "RotatingKVCache")
value, refused = suite(
    "streaming_positions",
    paper("Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, arXiv:2309.17453, section 3.2"),
)
FLAGS = ("CacheOffset", "OffByOne")

CASES = [
    *[
        value(f"{order}-{slug}", f"{about}, {order}", length=length, sinks=sinks, window=window, order=order,
              flags=FLAGS, source=source)
        for order, source in (("sequential", STREAMING), ("rolling", MLX))
        for slug, about, length, sinks, window in (
            ("sinks", "4 sinks and a window of 6 of 23 tokens", 23, 4, 6),
            ("window", "a window without sinks", 11, 0, 4),
            ("one-more", "one token more than the cache holds", 8, 3, 4),
            ("filling", "a cache that fills", 5, 3, 4),
            ("sinks-only", "fewer tokens than sinks", 2, 3, 4),
            ("one", "a window of one token", 9, 2, 1),
            ("empty", "no tokens", 0, 4, 6),
        )
    ],
    value("long", "positions past 2**32", length=2**32 + 3, sinks=2, window=3, order="sequential",
          flags=(*FLAGS, "LongContextInteger"), source=STREAMING),
    value("rolling-long", "slots past 2**32", length=2**32 + 3, sinks=2, window=3, order="rolling",
          flags=(*FLAGS, "LongContextInteger"), source=MLX),
    refused("window", "no window", "E_SIZE", "window", length=9, sinks=2, window=0, order="sequential"),
    refused("sinks", "a negative number of sinks", "E_SIZE", "sinks", length=9, sinks=-1, window=4, order="rolling"),
    refused("order", "an unknown order", "E_CHOICE", "order", length=9, sinks=1, window=4, order="ring"),
    refused("length", "a negative length", "E_SIZE", "length", length=-1, sinks=1, window=4, order="rolling"),
]  # fmt: skip
