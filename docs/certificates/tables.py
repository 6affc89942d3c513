"""Learned tables, copied, added and at another size: what their golden cases claim."""

from fractions import Fraction

import geometric
from filters import of_axis
from formulas import times
from intervals import need
from positions import number, product
from sums import copied, elements, roots, weighted
from words import argument


def rows_of(given):
    """Row numbers, counted or of a tensor."""
    return list(range(given)) if isinstance(given, int) else [n for n, _ in given["values"]]


def index_of(place, sizes):
    """The indices along each axis of a place in C order."""
    found = []
    for size in reversed(sizes):
        place, rest = divmod(place, size)
        found.append(rest)
    return found[::-1]


def place_of(indices, sizes):
    place = 0
    for index, size in zip(indices, sizes, strict=True):
        place = place * size + index
    return place


def learned(a, _):
    rows, channels, values = rows_of(a["rows"]), a["weight"]["shape"][1], a["weight"]["values"]

    def value(index):
        row, c = divmod(index, channels)
        k = rows[row] * channels + c
        return weighted(values, {k: Fraction(*number(a["scale"]))}) if "scale" in a else copied(values, k)

    return elements(values), "1", value


def tile_table(a, _):
    (*old, channels), values = a["weight"]["shape"], a["weight"]["values"]
    size = a["size"] if isinstance(a["size"], list) else [a["size"]]

    def value(index):
        cell, c = divmod(index, channels)
        cell = [j % n for j, n in zip(index_of(cell, size), old, strict=True)]
        return copied(values, place_of(cell, old) * channels + c)

    return elements(values), "1", value


def learned_axes(a, _):
    """Copies of the rows of each axis side by side, or their sum."""
    need("shape" in a["weights"], "tables of several shapes")
    (count, rows, channels), values, grid = a["weights"]["shape"], a["weights"]["values"], a["grid"]
    order = argument(a, "axis_order", list(range(count)))
    order = [{2: "hw", 3: "thw"}[count].index(axis) for axis in order] if isinstance(order, str) else order
    width = channels * (count if a["combine"] == "concat" else 1)

    def value(index):
        cell, c = divmod(index, width)
        at = [(axis * rows + j) * channels for axis, j in enumerate(index_of(cell, grid))]
        if a["combine"] == "concat":
            return copied(values, at[order[c // channels]] + c % channels)
        if all(values[k + c] == (0, -1) for k in at):
            return "-0"
        return weighted(values, {k + c: Fraction(1) for k in at})

    return elements(values), "1", value


def learned_boxes(a, _):
    """Rows of four sides of a box, of its height and its width, side by side or added (LayoutLM)."""
    (_, rows, channels), values = a["weights"]["shape"], a["weights"]["values"]
    sides, concat = [n for n, _ in a["boxes"]["values"]], a["combine"] == "concat"
    width = channels * (6 if concat else 1)

    def length(n):
        return n if a["clip"] is None else min(max(n, 0), a["clip"])

    def value(index):
        box, c = divmod(index, width)
        x0, y0, x1, y1 = sides[4 * box : 4 * box + 4]
        picked = [(0, x0), (1, y0), (0, x1), (1, y1), (2, length(y1 - y0)), (3, length(x1 - x0))]
        at = [(table * rows + row) * channels + c % channels for table, row in picked]
        return copied(values, at[c // channels]) if concat else weighted(values, {k: at.count(k) for k in at})

    return elements(values), "1", value


def mean_of_rows(a, _):
    """Of the rows of each span that are not -1."""
    spans, most = rows_of(a["rows"]), a["rows"]["shape"][-1]
    channels, values = a["weight"]["shape"][1], a["weight"]["values"]

    def value(index):
        span, c = divmod(index, channels)
        rows = [row for row in spans[span * most : (span + 1) * most] if row >= 0]
        return weighted(values, {row * channels + c: Fraction(rows.count(row), len(rows)) for row in rows})

    return elements(values), "1", value


def resampling(old, size, a, crop=None):
    """The function from a new cell to {old cell: weight}."""
    crop, cubic, scales = crop or [(0, n) for n in old], a.get("cubic"), a.get("scale")
    scales = scales if isinstance(scales, list) else [scales] * len(size)
    axes = []
    for new, (start, stop), scale in zip(size, crop, scales, strict=True):
        options = {name: a.get(name) for name in ("align", "antialias", "border")}
        options["cubic"] = None if cubic is None else Fraction(*number(cubic))
        options["scale"] = None if scale is None else Fraction(*number(scale))
        rows = of_axis(stop - start, new, a["method"], **options)
        axes.append([{start + i: w for i, w in row.items()} for row in rows])
    return crossed(axes, old, size)


def crossed(axes, old, size):
    """The function from a new cell to {old cell: weight}, of the weights of each axis."""

    def weights(cell):
        found = {0: Fraction(1)}
        for axis, j, wide in zip(axes, index_of(cell, size), old, strict=True):
            found = {k * wide + i: w * v for k, w in found.items() for i, v in axis[j].items()}
        return found

    return weights


def resize_table(a, _):
    """Behind rows that are copied; a second table, repeated, is added."""
    (*old, channels), values = a["weight"]["shape"], list(a["weight"]["values"])
    size = a["size"] if isinstance(a["size"], list) else [a["size"]]
    prefix, old, second = a.get("prefix") or 0, argument(a, "grid", old), len(values)
    weights = resampling(old, size, a, a.get("crop"))
    (*repeated, _), more = (a["window"]["shape"], a["window"]["values"]) if "window" in a else ([0], [])
    values += more

    def value(index):
        row, c = divmod(index, channels)
        if row < prefix:
            return copied(values, index)
        found = {(prefix + k) * channels + c: w for k, w in weights(row - prefix).items()}
        if a["method"].startswith("nearest"):
            return copied(values, *found)
        if more:
            cell = [j % n for j, n in zip(index_of(row - prefix, size), repeated, strict=True)]
            found[second + place_of(cell, repeated) * channels + c] = Fraction(1)
        return weighted(values, found)

    return elements(values), "1", value


def resize_packed(a, _):
    """The rows of each image, in blocks of cells, and behind them copies of the first one."""
    (*old, channels), values, side = a["weight"]["shape"], a["weight"]["values"], a.get("merge_size", 1)
    numbers, rows = rows_of(a["grid_thw"]), []
    for frames, height, width in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        weights, across = resampling(old, [height, width], a), width // side
        blocks = [(block, cell) for block in range(height * width // side**2) for cell in range(side**2)]
        cells = [
            (block // across * side + cell // side) * width + block % across * side + cell % side
            for block, cell in blocks
        ]
        made = [weights(cell) for cell in cells] * frames
        rows += made + made[:1] * (argument(a, "length", len(made)) - len(made))

    def value(index):
        row, c = divmod(index, channels)
        if a["method"].startswith("nearest"):
            return copied(values, next(iter(rows[row])) * channels + c)
        return weighted(values, {k * channels + c: w for k, w in rows[row].items()})

    return elements(values), "1", value


def resize_bias(a, _):
    """The table of a window at another size, and three rows that are copied with a class token."""
    grids = [side if a["method"] == "levit" else [2 * n - 1 for n in side] for side in (a["old"], a["new"])]
    options = {"align": "half-pixel", "cubic": {"fraction": [-3, 4]}, "method": "cubic"}
    if a["method"] == "levit":
        options |= {"cubic": {"fraction": [-1, 2]}, "antialias": True}
    if a["method"] == "geometric":
        weights = crossed([geometric.of_axis(*sides) for sides in zip(a["old"], a["new"], strict=True)], *grids)
    else:
        weights = resampling(*grids, options | ({"method": "linear"} if a["method"] == "beit" else {}))
    channels, values, count = a["weight"]["shape"][1], a["weight"]["values"], product(grids[1])

    def value(index):
        row, c = divmod(index, channels)
        if row >= count or a["old"] == a["new"]:
            return copied(values, (row - count + product(grids[0])) * channels + c)
        return weighted(values, {k * channels + c: w for k, w in weights(row).items()})

    return elements(values), "1", value


def add(a, _):
    """x and rows of a table, each times a number or a root; tokens before the prefix are copied."""
    *_, tokens, dim = a["x"]["shape"]
    x, table, prefix, at = a["x"]["values"], a["table"]["values"], a.get("prefix", 0), a.get("at")
    values, names = [*x, *table], ("x_scale", "scale")
    squares = [number(a[f"squared_{name}"]) if f"squared_{name}" in a else (1, 1) for name in names]
    rooted = roots(squares)
    factors = [share * Fraction(*number(a.get(name, 1))) for (share, _), name in zip(rooted, names, strict=True)]

    def row_of(vector):
        place, batch = vector % tokens - prefix, vector // tokens
        if at is None:
            return place
        count = at["shape"][-1]
        return at["values"][place if len(at["values"]) == count else batch * count + place][0]

    def value(index):
        vector, c = divmod(index, dim)
        if vector % tokens < prefix:
            return copied(values, index)
        pair = index, len(x) + row_of(vector) * dim + c
        need(all(values[k] is not None for k in pair), "infinity or NaN")
        if all(values[k] == ((0, -1) if factor >= 0 else (0, 1)) for k, factor in zip(pair, factors, strict=True)):
            return "-0"
        if rooted[0][1] == rooted[1][1]:
            return times(weighted(values, dict(zip(pair, factors, strict=True))), rooted[0][1])
        terms = [weighted(values, {k: factor}) for k, factor in zip(pair, factors, strict=True)]
        return " ".join(times(term, root) for term, (_, root) in zip(terms, rooted, strict=True)) + " +"

    return elements(values), "1", value


FILTER = " method align cubic antialias border"
FUNCTIONS = {
    "learned": (learned, "weight rows scale"),
    "tile_table": (tile_table, "weight size"),
    "learned_axes": (learned_axes, "weights grid combine axis_order"),
    "add": (add, "x table scale squared_scale x_scale squared_x_scale prefix at"),
    "learned_boxes": (learned_boxes, "weights boxes combine clip"),
    "mean_of_rows": (mean_of_rows, "weight rows"),
    "resize_table": (resize_table, "weight size scale prefix grid crop window" + FILTER),
    "resize_packed": (resize_packed, "weight grid_thw merge_size length" + FILTER),
    "resize_bias": (resize_bias, "weight old new method class_token"),
}
