"""Golden cases of the order that puts shards together."""

from ....case import listed, project, suite

value, refused = suite(
    "inverse_permutation",
    project("torch", "2.13", "distributed/tensor/experimental/_context_parallel/_load_balancer.py"),
)
FLAGS = ("ContextParallel",)


def shards(*values, shape=None):
    return {"indices": listed(values, shape=shape)}


CASES = [
    value("zigzag", "two ranks, zigzag", inputs=shards(0, 3, 1, 2, shape=(2, 2)), flags=FLAGS),
    value("striped", "three ranks, striped", inputs=shards(0, 3, 1, 4, 2, 5, shape=(3, 2)), flags=FLAGS),
    value("documents", "two documents of 4 on 2 ranks", inputs=shards(0, 3, 4, 7, 1, 2, 5, 6, shape=(2, 4)),
          flags=FLAGS),
    value("identity", "one rank", inputs=shards(0, 1, 2, 3), flags=FLAGS),
    value("cycle", "a permutation that is not its own inverse", inputs=shards(2, 0, 1, 4, 3), flags=FLAGS),
    value("one", "one token", inputs=shards(0), flags=FLAGS),
    value("none", "no tokens", inputs=shards(shape=(2, 0)), flags=FLAGS),
    refused("twice", "a token in two shards", "E_POSITION", "indices", inputs=shards(0, 1, 1, 3)),
    refused("range", "slices that do not cover", "E_POSITION", "indices", inputs=shards(0, 1, 4, 5)),
    refused("negative", "a negative index", "E_POSITION", "indices", inputs=shards(0, -1)),
    refused("floats", "floats", "E_DTYPE", "indices", inputs={"indices": listed((0.0,), "float32")}),
]  # fmt: skip
