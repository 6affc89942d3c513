"""Programs that copy rows of a table, make slopes or count positions, right and wrong, after code of published models.

Nothing here imports refpos. A `Plant` has what the program gave and what it read: rows, slopes or positions.
"""

import math
from typing import Any, NamedTuple

import numpy as np

F = np.float32
RNG = np.random.default_rng(25)


class Plant(NamedTuple):
    """What a program gave, the function that is meant, the table, and the rows, slopes or positions behind it."""

    y: Any
    function: str
    table: Any = None
    rows: Any = None
    slopes: Any = None


PLANTS = {}


def plant(name):
    def register(make):
        PLANTS[name] = make
        return make

    return register


def table(rows, width, seed=0):
    return np.random.default_rng((25, rows, width, seed)).standard_normal((rows, width)).astype(F)


def relative(queries, keys, start=0):
    """memory_position - context_position."""
    return np.arange(keys)[None, :] - (np.arange(queries) + start)[:, None]


# -- T5 ---------------------------------------------------------------------------------------------------------------


def t5_bucket(position, bidirectional=True, buckets=32, distance=128, log=np.log, exact=None, clip=None, upper=None):
    """_relative_position_bucket of transformers, with what others get wrong as arguments."""
    found = np.zeros_like(position)
    if bidirectional:
        buckets //= 2
        found += (position > 0 if upper is None else upper(position)).astype(position.dtype) * buckets
        position = abs(position)
    else:
        position = -np.minimum(position, 0)
    exact = buckets // 2 if exact is None else exact
    with np.errstate(divide="ignore"):
        large = log(position.astype(F) / F(exact)) / F(math.log(distance / exact)) * F(buckets - exact)
    large = exact + np.where(np.isfinite(large), large, 0).astype(np.int64)
    large = np.minimum(large, buckets - 1 if clip is None else clip)
    return found + np.where(position < exact, position, large)


def t5(rows, weight, function="t5_bias", layout=(2, 0, 1)):
    """values = embedding(rows).permute([2, 0, 1])."""
    return Plant(weight[rows].transpose(layout), function, weight, rows)


def of_t5(name, heads=8, weight_rows=32, queries=48, keys=48, start=0, **given):
    def make():
        weight = table(weight_rows, heads)
        made = t5(t5_bucket(relative(queries, keys, start), **given), weight)
        return made._replace(y=made.y[None])

    PLANTS[name] = make


of_t5("t5 encoder of transformers", queries=200, keys=200)
of_t5("t5 decoder of transformers", queries=200, keys=200, bidirectional=False)
of_t5("t5 decoder, one query behind a cache", queries=1, keys=60, start=59, bidirectional=False)
of_t5("umt5, 64 buckets to 256", weight_rows=64, queries=100, keys=300, buckets=64, distance=256)
of_t5("t5, max_distance left at 20", queries=100, keys=100, distance=20)
of_t5("t5, keys fewer than queries", queries=64, keys=32)
of_t5("t5 short, no logarithmic bucket", queries=6, keys=6)
of_t5("t5, base of the logarithm 2 in one place", queries=200, keys=200, log=np.log2)
of_t5("t5, last bucket one too early", queries=200, keys=200, clip=14)
of_t5("t5, exact buckets one too few", queries=120, keys=120, exact=7)
of_t5("t5, distance 0 in the upper half", queries=60, keys=60, upper=lambda position: position >= 0)
of_t5("t5, halves exchanged", queries=60, keys=60, upper=lambda position: position < 0)
of_t5("t5, max_distance 127", queries=200, keys=200, distance=127)
of_t5("t5, one head", heads=1, queries=90, keys=90)
of_t5("t5 decoder, encoder's rule", queries=90, keys=90, bidirectional=True, buckets=16)


@plant("t5 of flax, rounded to bf16 by truncation of float32 to float16")
def _():
    made = t5(t5_bucket(relative(80, 80)), table(32, 12))
    return made._replace(y=made.y.astype(np.float16))


@plant("t5 of mesh, (queries, keys, heads)")
def _():
    return t5(t5_bucket(relative(64, 64)), table(32, 16), layout=(0, 1, 2))


@plant("t5, query minus key")
def _():
    return t5(t5_bucket(-relative(64, 64)), table(32, 8))


@plant("t5 decoder, query minus key")
def _():
    return t5(t5_bucket(-relative(64, 64), bidirectional=False), table(32, 8))


@plant("t5, heads in reverse order")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 8))
    return made._replace(y=made.y[::-1])


@plant("t5, heads 2 and 3 of a shard")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 8))
    return made._replace(y=made.y[2:4])


@plant("t5 with a causal mask of the smallest float32")
def _():
    made = t5(t5_bucket(relative(64, 64), bidirectional=False), table(32, 8))
    return made._replace(y=np.where(relative(64, 64) > 0, np.finfo(F).min, made.y))


@plant("t5 divided by sqrt(64)")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 8))
    return made._replace(y=made.y * F(0.125))


@plant("t5 times an odd factor")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 8))
    return made._replace(y=made.y * F(1.2345678))


@plant("t5, one head of another direction")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 4))
    y = made.y.copy()
    y[3] = made.table[t5_bucket(-relative(64, 64)), 3]
    return made._replace(y=y)


@plant("t5 from a table stored as (heads, rows)")
def _():
    made = t5(t5_bucket(relative(64, 64)), table(32, 8))
    return made._replace(table=np.ascontiguousarray(made.table.T))


@plant("t5, two entries of other offsets")
def _():
    weight = table(32, 4)
    rows = t5_bucket(relative(30, 40)), t5_bucket(relative(30, 40, 10))
    return Plant(np.stack([weight[one].transpose(2, 0, 1) for one in rows]), "t5_bias", weight, rows[0])


@plant("t5 with two equal rows")
def _():
    weight = table(32, 4)
    weight[15] = weight[14]
    return t5(t5_bucket(relative(90, 90)), weight)


# -- clipped distances ------------------------------------------------------------------------------------------------


def shaw(queries, keys, most, sign=1, start=0, last=None):
    """_generate_relative_positions_matrix of tensor2tensor."""
    distance = sign * relative(queries, keys, start)
    return np.clip(distance, -most, most if last is None else last) + most


@plant("shaw of tensor2tensor")
def _():
    rows, weight = shaw(50, 50, 16), table(33, 64)
    return Plant(weight[rows], "relative_rows", weight, rows)


@plant("shaw of tensor2tensor with a cache")
def _():
    rows, weight = shaw(1, 50, 16, start=49), table(33, 64)
    return Plant(weight[rows], "relative_rows", weight, rows)


@plant("shaw of fairseq, query minus key")
def _():
    rows, weight = shaw(40, 40, 8, sign=-1), table(17, 32)
    return Plant(weight[rows], "relative_rows", weight, rows)


@plant("shaw clipped one too early")
def _():
    rows, weight = shaw(40, 40, 8, last=7), table(17, 32)
    return Plant(weight[rows], "relative_rows", weight, rows)


@plant("shaw, zeros beyond the clip")
def _():
    weight, distance = table(17, 32), relative(40, 40)
    vectors = np.where((abs(distance) <= 8)[..., None], weight[np.clip(distance, -8, 8) + 8], F(0))
    return Plant(vectors, "relative_rows", weight, np.where(abs(distance) <= 8, distance + 8, -1))


def scalar(name, rows_of, weight_rows, heads=6, **given):
    PLANTS[name] = lambda: t5(rows_of(**given), table(weight_rows, heads), "relative_bias")


scalar("relative bias, 2 m + 1 rows", shaw, 33, queries=64, keys=64, most=16)
scalar("relative bias, query minus key", shaw, 33, queries=64, keys=64, most=16, sign=-1)
scalar("relative bias, keys longer", shaw, 33, queries=20, keys=64, most=16, start=44)
scalar("relative bias, offset one", shaw, 33, queries=64, keys=64, most=16, start=1)
scalar("relative bias that is never clipped", shaw, 127, queries=64, keys=64, most=63)


@plant("relative bias of phi4, -m to m - 1")
def _():
    rows = np.clip(relative(40, 40), -8, 7) + 8
    return t5(rows, table(16, 4), "relative_bias")


@plant("relative bias of sizes of distances")
def _():
    return t5(np.minimum(abs(relative(40, 40)), 15), table(16, 4), "relative_bias")


@plant("relative bias clipped before the offset is added, wrapping negative rows")
def _():
    return t5(np.clip(relative(40, 40), -8, 8) % 17, table(17, 4), "relative_bias")


@plant("deberta v2, buckets")
def _():
    distance = relative(90, 90) * -1
    middle = 32
    size = np.where(abs(distance) < middle, middle - 1, abs(distance)).astype(F)
    large = np.ceil(np.log(size / middle) / np.log(F((128 - 1) / middle)) * (middle - 1)) + middle
    rows = np.where(size <= middle, distance, large * np.sign(distance)).astype(np.int64)
    rows = np.clip(rows + 64, 0, 127)
    weight = table(128, 48)
    return Plant(weight[rows], "log_buckets", weight, rows)


@plant("index of transformer xl")
def _():
    return Plant(np.clip(-relative(24, 24), 0, 23), "relative_rows", None, np.clip(-relative(24, 24), 0, 23))


@plant("rows of nonsense")
def _():
    rows = np.random.default_rng(3).integers(0, 32, (24, 24))
    return t5(rows, table(32, 8))


@plant("distances in steps of 4")
def _():
    return t5(np.clip(np.floor_divide(relative(40, 40), 4) + 8, 0, 16), table(17, 6), "relative_bias")


# -- windows ----------------------------------------------------------------------------------------------------------


def swin(height, width, sign=1, shift=(0, 0), factor=None, order="row"):
    """get_relative_position_index of Swin v1."""
    cells = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"))
    flat = cells.transpose(0, 2, 1).reshape(2, -1) if order == "column" else cells.reshape(2, -1)
    coords = sign * (flat[:, :, None] - flat[:, None, :])
    dy, dx = coords[0] + height - 1 + shift[0], coords[1] + width - 1 + shift[1]
    return dy * (2 * width - 1 if factor is None else factor) + dx


def with_class(rows, height, width):
    """What BEiT writes into the first row and column."""
    count = (2 * height - 1) * (2 * width - 1) + 3
    made = np.zeros((len(rows) + 1, len(rows) + 1), np.int64)
    made[1:, 1:] = rows
    made[0, 0:], made[0:, 0], made[0, 0] = count - 3, count - 2, count - 1
    return made


def window(name, weight_rows, rows_of, *given, heads=4, **named):
    PLANTS[name] = lambda: t5(rows_of(*given, **named), table(weight_rows, heads), "window_bias")


window("swin v1, 7 x 7", 169, swin, 7, 7)
window("swin v1, 8 x 6", 165, swin, 8, 6)
window("swin, key minus query", 169, swin, 7, 7, sign=-1)
window("swin, axes exchanged", 165, swin, 8, 6, order="column")
window("swin, the factor of the other axis", 225, swin, 8, 6, factor=15)
window("swin, no shift of columns", 169, swin, 7, 7, shift=(0, -6), heads=3)
window("swin, factor 2 width", 200, swin, 7, 7, factor=14)
window("beit with a class token", 732, lambda: with_class(swin(14, 14), 14, 14), heads=12)
window("beit without rows of the class token", 729, lambda: np.pad(swin(14, 14), ((1, 0), (1, 0))), heads=3)


@plant("swin v2's bias, 16 sigmoid")
def _():
    made = t5(swin(8, 8), (16 / (1 + np.exp(-table(225, 4)))).astype(F), "window_bias")
    return made


@plant("index of swin, a buffer")
def _():
    return Plant(swin(7, 7), "window_rows", None, swin(7, 7))


@plant("index of swin v2, flat")
def _():
    return Plant(swin(16, 16), "window_rows", None, swin(16, 16))


def levit(height, stride=1):
    """attention_bias_idxs of LeViT: offsets in the order in which they are met."""
    points = [(y, x) for y in range(height) for x in range(height)]
    queries = [(y * stride, x * stride) for y in range(-(-height // stride)) for x in range(-(-height // stride))]
    known, rows = {}, []
    for one in queries:
        for other in points:
            offset = abs(one[0] - other[0]), abs(one[1] - other[1])
            rows.append(known.setdefault(offset, len(known)))
    return np.array(rows).reshape(len(queries), len(points))


window("levit", 196, levit, 14)
window("levit, subsampled", 196, levit, 14, 2)


@plant("levit's own table, (heads, offsets)")
def _():
    weight, rows = table(4, 49), levit(7)
    return Plant(weight[:, rows], "window_bias", weight, rows)


def irpe(height, method, ratio):
    """get_bucket_ids_2d of iRPE, with piecewise_index in float32."""
    alpha, beta, gamma = ratio, 2 * ratio, 8 * ratio

    def piecewise(distance):
        size = abs(distance).astype(F)
        with np.errstate(divide="ignore"):
            far = np.minimum(beta, np.round(alpha + np.log(size / alpha) / math.log(gamma / alpha) * (beta - alpha)))
        return np.where(size > alpha, np.sign(distance) * np.maximum(far, 0), distance).astype(np.int64)

    points = np.stack(np.meshgrid(np.arange(height), np.arange(height), indexing="ij")).reshape(2, -1)
    down, across = points[:, :, None] - points[:, None]
    middle = int(beta)
    if method == "product":
        return (piecewise(down) + middle) * (2 * middle + 1) + piecewise(across) + middle
    if method == "quant":
        return piecewise(down**2 + across**2) + middle
    return piecewise(np.round(np.sqrt(down**2 + across**2)).astype(np.int64)) + middle


window("irpe, product", 49, irpe, 14, "product", 1.9)
window("irpe, euclidean", 7, irpe, 14, "euclidean", 1.9)
window("irpe, quant", 7, irpe, 14, "quant", 1.9)
window(
    "irpe, a token before the cells", 50, lambda: np.pad(irpe(8, "product", 1.9), ((1, 0), (1, 0)), constant_values=49)
)


# -- rows of learned tables -------------------------------------------------------------------------------------------


def rows_of(name, rows, weight_rows=128, width=32, function="learned", change=lambda y: y):
    def make():
        weight = table(weight_rows, width)
        return Plant(change(weight[np.asarray(rows)]), function, weight, np.asarray(rows))

    PLANTS[name] = make


rows_of("gpt2", np.arange(100))
rows_of("opt, offset 2", np.arange(2, 102))
rows_of("mbart, offset 2, two entries", np.tile(np.arange(2, 50), (2, 1)))
rows_of("learned, reversed", np.arange(100)[::-1])
rows_of("learned, sampled rows", np.sort(np.random.default_rng(1).permutation(128)[:40]))
rows_of("learned, every second row", np.arange(0, 128, 2))
rows_of("learned, one row", [17])
rows_of("roberta, padded on the right", [*range(2, 60), *[1] * 6])
rows_of("learned, packed", [*range(30), *range(50), *range(9)])
rows_of("learned, clamped at the last row", np.minimum(np.arange(160), 127))
rows_of("learned times sqrt(32)", np.arange(64), change=lambda y: y * F(math.sqrt(32)))
rows_of("learned, rounded to float16", np.arange(64), change=lambda y: y.astype(np.float16))
rows_of("learned of a bf16 model in float32", np.arange(64),
        change=lambda y: ((y.view("u4") + 0x7FFF + (y.view("u4") >> 16 & 1)) & 0xFFFF0000).view(F))  # fmt: skip
rows_of("learned, repeated for each frame", np.arange(120) // 8)
rows_of("tiles of hiera", np.arange(300) % 128, function="tile_table")
rows_of("vit with a class token left out", np.arange(1, 128))


@plant("tiles of sam, 2D")
def _():
    weight = np.random.default_rng(5).standard_normal((8, 8, 16)).astype(F)
    cells = np.add.outer(np.arange(20) % 8 * 8, np.arange(12) % 8)
    return Plant(weight.reshape(64, 16)[cells], "tile_table", weight, cells)


@plant("learned, with equal rows")
def _():
    weight = table(128, 32)
    weight[40:44] = weight[3]
    return Plant(weight[:100], "learned", weight, np.arange(100))


@plant("learned, padded with zeros")
def _():
    weight = table(128, 32)
    y = weight[np.arange(60)]
    y[50:] = 0
    return Plant(y, "learned", weight, np.where(np.arange(60) < 50, np.arange(60), -1))


@plant("learned, one row of another table")
def _():
    weight = table(128, 32)
    y = weight[np.arange(60)]
    y[7] = table(128, 32, 1)[7]
    return Plant(y, "learned", weight, np.where(np.arange(60) == 7, -3, np.arange(60)))


# -- slopes -----------------------------------------------------------------------------------------------------------


def slopes_of(heads):
    """get_slopes of ALiBi's authors."""

    def of_power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return of_power(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return of_power(closest) + slopes_of(2 * closest)[0::2][: heads - closest]


def alibi(name, slopes, distances, mask=None, change=lambda y: y):
    def make():
        one = np.asarray(slopes() if callable(slopes) else slopes, F)
        y = one[:, None, None] * distances.astype(F)
        y = y if mask is None else np.where(mask, F(-np.inf), y)
        return Plant(change(y), "alibi", None, None, one)

    PLANTS[name] = make


N = relative(40, 40)
alibi("alibi, causal of the authors", slopes_of(8), N, N > 0)
alibi("alibi, 12 heads", slopes_of(12), N, N > 0)
alibi("alibi, symmetric", slopes_of(16), -abs(N))
alibi("alibi, symmetric of the other sign", [-one for one in slopes_of(16)], -abs(N))
alibi("alibi of bloom", slopes_of(16), np.arange(60)[None])
alibi("alibi of bloom, a batch of 2", lambda: slopes_of(16) * 2, np.arange(60)[None])
alibi("alibi of falcon, divided by 8", [one / 8 for one in slopes_of(16)], np.arange(60)[None])
alibi("alibi of mpt", [2.0 ** (-8 * k / 16) for k in range(1, 17)], np.arange(-59, 1)[None])
alibi("alibi of mpt, max 16", [2.0 ** (-16 * k / 16) for k in range(1, 17)], np.arange(-59, 1)[None])
alibi("alibi of mpt, max 5.5", [2.0 ** (-5.5 * k / 16) for k in range(1, 17)], np.arange(-59, 1)[None])
alibi("alibi, geometric of 12 heads", [2.0 ** (-8 * k / 12) for k in range(1, 13)], N, N > 0)
alibi("alibi, first 12 of 16 heads", slopes_of(16)[:12], N, N > 0)
alibi("alibi, heads in reverse order", slopes_of(8)[::-1], N, N > 0)
alibi("alibi, heads sorted", sorted(slopes_of(12))[::-1], N, N > 0)
alibi("alibi, exponents from 0", [2.0 ** (-8 * k / 8) for k in range(8)], N, N > 0)
alibi("alibi, learned slopes", [0.3, 0.21, 0.7, 0.011], N, N > 0)
alibi("alibi, queries from 0 with a cache", slopes_of(8), relative(4, 40), relative(4, 40) > 0)
alibi("alibi, mask of -1e9", slopes_of(8), N, None, lambda y: np.where(N > 0, F(-1e9), y))
alibi("alibi, keys after the query at 0", slopes_of(8), np.minimum(N, 0))
alibi("alibi in float16", slopes_of(12), N, N > 0, lambda y: y.astype(np.float16))


@plant("alibi, slopes alone")
def _():
    return Plant(np.asarray(slopes_of(20), F), "alibi_slopes", None, None, np.asarray(slopes_of(20), F))


@plant("kerple, logarithm")
def _():
    p, a = np.array([0.5, 1.25, 2.0, 0.75], F), np.array([1.5, 0.25, 3.0, 1.0], F)
    distance = np.maximum(-N, 0).astype(F)
    return Plant(-p[:, None, None] * np.log(1 + a[:, None, None] * distance), "kerple", None, None, np.stack([p, a]))


@plant("kerple, learned numbers")
def _():
    rng = np.random.default_rng(8)
    p, a = rng.uniform(0.1, 2, (2, 4)).astype(F)
    distance = np.maximum(-N, 0).astype(F)
    return Plant(-p[:, None, None] * np.log(1 + a[:, None, None] * distance), "kerple", None, None, np.stack([p, a]))


@plant("retention")
def _():
    gamma = 1 - 2.0 ** (-5 - np.arange(8))
    y = np.where(N > 0, 0, gamma[:, None, None] ** np.maximum(-N, 0)).astype(F)
    return Plant(y, "decay", None, None, gamma)


# -- position ids -----------------------------------------------------------------------------------------------------


def ids(name, positions, function="packed_positions", dtype=np.int64):
    PLANTS[name] = lambda: Plant(
        np.asarray(positions).astype(dtype), function, None, np.asarray(positions).astype(dtype)
    )


def mask_positions(mask, masked):
    """cumsum - 1, masked_fill_(mask == 0, masked)."""
    return np.where(mask, np.cumsum(mask, -1) - 1, masked)


MASK = np.array([[0, 0, 0, 1, 1, 1, 1, 1, 1], [1] * 9, [0, 1, 1, 1, 1, 1, 1, 1, 1]])
TOKENS = np.array([[5, 6, 7, 8, 1, 1, 1], [5, 6, 7, 8, 9, 5, 1], [9] * 7])
ids("ids, plain", np.arange(64))
ids("ids, packed and restarted", [*range(20), *range(7), *range(31)])
ids("ids, packed and run on", np.arange(58))
ids("ids, restarted one token late", [*range(21), *range(6), *range(31)])
ids("ids, an offset of each sequence", [*range(8, 20), *range(100, 107), *range(5, 36)])
ids("ids, many short documents", [k for n in (3, 4, 5) * 9 for k in range(n)])
ids("ids, int8", np.arange(300), dtype=np.int8)
ids("ids, int16", np.arange(40000), dtype=np.int16)
ids("ids in float16", np.arange(3000), dtype=np.float16)
ids("ids of transformers 4, padded on the left", mask_positions(MASK, 1), "attention_mask_positions")
ids("ids of transformers 5, padded on the left", mask_positions(MASK, 0), "attention_mask_positions")
ids("ids of roberta", np.cumsum(TOKENS != 1, -1) * (TOKENS != 1) + 1, "table_rows")
ids("ids of roberta, padding 0", np.cumsum(TOKENS != 1, -1) * (TOKENS != 1), "table_rows")
ids("ids of opt", np.cumsum(MASK, -1) * MASK - 1 + 2, "table_rows")
ids("ids, off by one", np.arange(1, 65))
ids("ids from -1", np.arange(-1, 63))
ids("ids, each twice", np.arange(64) // 2)
ids("ids, reversed", np.arange(64)[::-1])
ids("ids, all the same", np.full(20, 7))
ids("ids of a grid", np.stack(np.meshgrid(np.arange(6), np.arange(9), indexing="ij")).reshape(2, -1), "grid_positions")
ids("ids of a grid, axes exchanged", np.stack(np.meshgrid(np.arange(6), np.arange(9))).reshape(2, -1), "grid_positions")
ids("ids of a grid, axes last", np.stack(np.meshgrid(np.arange(6), np.arange(9), indexing="ij"), -1).reshape(-1, 2),
    "grid_positions")  # fmt: skip
ids("ids, batch with one row that begins at 5", np.stack([np.arange(30), np.arange(30), np.arange(5, 35)]))
ids("ids, a random order", np.random.default_rng(2).permutation(40))
ids(
    "ids of two axes, text and image",
    np.stack([[*range(10), *[10] * 6], [*range(10), *range(10, 16)]]),
    "grid_positions",
)


# -- random programs --------------------------------------------------------------------------------------------------


def drawn(seed):
    """A random program: T5, clipped distances, a window, rows of a learned table, slopes, or position ids."""
    rng = np.random.default_rng((seed, 77))
    return (drawn_t5, drawn_clip, drawn_window, drawn_rows, drawn_slopes, drawn_ids)[seed % 6](rng)


def drawn_t5(rng):
    buckets, heads = int(rng.choice([8, 16, 32, 64])), int(rng.integers(1, 9))
    rows = t5_bucket(
        rng.choice([-1, 1]) * relative(*rng.integers(2, 150, 2), rng.integers(0, 30)),
        bidirectional=bool(rng.integers(2)), buckets=buckets, distance=int(rng.choice([64, 100, 128, 256])),
    )  # fmt: skip
    made = t5(rows, table(buckets, heads, int(rng.integers(99))))
    return made._replace(y=made.y.astype(rng.choice([F, np.float64])))


def drawn_clip(rng):
    low, high = -int(rng.integers(1, 20)), int(rng.integers(0, 20))
    sign, start = int(rng.choice([-1, 1])), int(rng.integers(-5, 20))
    rows = np.clip(sign * relative(*rng.integers(3, 60, 2), start), low, high) - low
    weight = table(high - low + 1, int(rng.integers(1, 9)))
    if rng.integers(2):
        return Plant(weight[rows], "relative_rows", weight, rows)
    return t5(rows, weight, "relative_bias")


def drawn_window(rng):
    height, width = (int(one) for one in rng.integers(2, 9, 2))
    factor = int(rng.choice([2 * width - 1, 2 * width - 1, 2 * width, 2 * height - 1]))
    rows = swin(height, width, int(rng.choice([-1, 1])), factor=factor)
    rows = with_class(rows, height, width) if factor == 2 * width - 1 and rng.integers(2) else rows
    return t5(rows - min(rows.min(), 0), table(int(rows.max() - min(rows.min(), 0)) + 1, 4), "window_bias")


def drawn_positions(rng):
    kind, count = rng.integers(6), int(rng.integers(2, 80))
    if kind == 0:
        return np.arange(count) + int(rng.integers(0, 40))
    if kind == 1:
        return np.concatenate([np.arange(n) for n in rng.integers(2, 30, rng.integers(2, 6))])
    if kind == 2:
        return np.arange(count)[::-1]
    if kind == 3:
        return np.arange(count) // int(rng.integers(1, 6))
    if kind == 4:
        return rng.integers(0, 80, count)
    padding = int(rng.integers(0, 3))
    return np.concatenate([np.full(int(rng.integers(1, 9)), padding), padding + 1 + np.arange(count)])


def drawn_rows(rng):
    rows, weight = drawn_positions(rng), table(200, int(rng.integers(2, 40)))
    return Plant(weight[rows], "learned", weight, rows)


def drawn_ids(rng):
    positions = drawn_positions(rng)
    return Plant(
        positions, str(rng.choice(["packed_positions", "table_rows", "attention_mask_positions"])), None, positions
    )


def drawn_slopes(rng):
    heads, kind = int(rng.integers(2, 20)), int(rng.integers(4))
    bias = float(rng.choice([8, 8, 4, 16]))
    slopes = np.array(slopes_of(heads) if kind < 2 else 2.0 ** (-bias * np.arange(1, heads + 1) / heads), F)
    slopes = rng.uniform(0.01, 1, heads).astype(F) if kind == 3 else slopes
    distances = relative(*sorted(rng.integers(3, 40, 2)))
    distances = -abs(distances) if rng.integers(2) else distances
    return Plant(slopes[:, None, None] * distances.astype(F), "alibi", None, None, slopes)
