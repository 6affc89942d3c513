"""Gradients, from the formulas: rotations by the opposite angles, and sums of fractions, each rounded once."""

import math
from fractions import Fraction

import numpy as np

from . import distances, formulas, resampling
from .digits import SHAPES, from_fractions, patterns
from .suites import WITNESSES, witness


def _rotation(name):
    """dx1 = a (dy1 cos + dy2 sin), dx2 = a (dy2 cos - dy1 sin): the sine has the other sign, all else stays."""

    def confirm(given, call, dtype):
        cotangent = given.pop("cotangent")
        given = {**given, "x": cotangent, "inverse": not given.get("inverse", False)}
        return {"gradient_x": WITNESSES[name](given, call, dtype)["output"]}

    return confirm


for _name in ("rope", "mrope", "rope_2d", "rope_3d", "xpos"):
    witness(f"vjp_{_name}", source=f"definition: the derivative of {_name}")(_rotation(_name))


def total(terms, scale=1):
    """The sum of floats times fractions [(float, weight)], as a fraction, an infinity, or NaN."""
    odd = [value * math.copysign(1.0, weight) for value, weight in terms if weight and not math.isfinite(value)]
    if not scale and any(not math.isfinite(value) for value, _ in terms):
        return math.nan
    if odd:
        return sum(odd) * math.copysign(1.0, scale)  # infinities of both signs make a NaN
    return Fraction(scale) * sum((Fraction(value) * weight for value, weight in terms if weight), Fraction(0))


def rounded(totals, dtype):
    """Bit patterns of what `total` returns."""
    found = patterns(from_fractions([one if isinstance(one, Fraction) else Fraction(0) for one in totals]), dtype)
    precision, width = SHAPES[dtype][0], SHAPES[dtype][-1]
    infinity = (1 << width - 1) - (1 << precision - 1)
    for k, one in enumerate(totals):
        if isinstance(one, float):
            sign = 1 << width - 1 if one < 0 else 0
            found[k] = infinity | 1 << precision - 2 if math.isnan(one) else infinity | sign
    return found


def added(count, rows, vectors, dtype, scale=1):
    """The sums of the vectors (n, channels) of each of `count` rows, as bit patterns."""
    held = [[[] for _ in range(vectors.shape[1])] for _ in range(count)]
    for row, vector in zip(rows.reshape(-1).tolist(), vectors.tolist(), strict=True):
        for channel, value in zip(held[row], vector, strict=True):
            channel.append((value, Fraction(1)))
    made = [total(terms, scale) for row in held for terms in row]
    return rounded(made, dtype).reshape(count, vectors.shape[1])


@witness("vjp_learned", source="definition: the derivative of learned")
def _learned(given, call, dtype):
    weight, rows = given["weight"], given["rows"]
    rows = np.arange(rows) if isinstance(rows, int) else rows
    vectors = given["cotangent"].reshape(rows.size, weight.shape[1])
    return {"gradient_weight": added(len(weight), rows, vectors, dtype, given.get("scale", 1))}


@witness("vjp_learned_axes", source="definition: the derivative of learned_axes")
def _learned_axes(given, call, dtype):
    weights, grid, cotangent = given["weights"], given["grid"], given["cotangent"]
    names = "thw"[3 - len(grid) :]
    order = [names.index(axis) if isinstance(axis, str) else axis for axis in given.get("axis_order", "")]
    gradients, width = [], weights.shape[2]
    for axis, table in enumerate(weights):
        start = order.index(axis) * width if order else 0
        rows = np.indices(grid)[axis]
        vectors = cotangent[..., start : start + width].reshape(-1, width)
        gradients.append(added(len(table), rows, vectors, dtype))
    return {"gradient_weights": np.stack(gradients)}


def of_each_head(weight, rows, cotangent, dtype):
    """The sums of a cotangent (heads, *rows.shape) for a weight (rows, heads)."""
    vectors = np.moveaxis(cotangent, 0, -1).reshape(rows.size, weight.shape[1])
    return {"gradient_weight": added(len(weight), rows, vectors, dtype)}


@witness("vjp_t5_bias", source="definition: the derivative of t5_bias")
def _t5_bias(given, call, dtype):
    weight, queries, keys = given["weight"], given["query_len"], given["key_len"]
    relative = np.arange(keys)[None, :] - (given["query_offset"] + np.arange(queries))[:, None]
    rows = formulas.t5_buckets(
        relative, bidirectional=given["bidirectional"], num_buckets=len(weight), max_distance=given["max_distance"]
    )
    return of_each_head(weight, np.array(rows, np.int64), given["cotangent"], dtype)


@witness("vjp_relative_bias", source="definition: the derivative of relative_bias")
def _relative_bias(given, call, dtype):
    weight = given["weight"]
    distance = np.arange(given["key_len"])[None, :] - (given["query_offset"] + np.arange(given["query_len"]))[:, None]
    distance = {"key-query": distance, "query-key": -distance, "absolute": abs(distance)}[given["sign"]]
    low = given.get("low", 0 if given["sign"] == "absolute" else -(len(weight) // 2))
    rows = np.clip(distance, low, low + len(weight) - 1) - low
    return of_each_head(weight, rows, given["cotangent"], dtype)


@witness("vjp_window_bias", source="definition: the derivative of window_bias")
def _window_bias(given, call, dtype):
    weight, cotangent = given.pop("weight"), given.pop("cotangent")
    rows = distances.window_rows(given.pop("height"), given.pop("width"), **given)
    return of_each_head(weight, rows, cotangent, dtype)


@witness("vjp_tile_table", source="definition: the derivative of tile_table")
def _tile_table(given, call, dtype):
    weight, cotangent = given["weight"], given["cotangent"]
    numbers, channels = np.arange(weight[..., 0].size).reshape(weight.shape[:-1]), weight.shape[-1]
    cells = np.ix_(*(np.arange(new) % old for new, old in zip(cotangent.shape[:-1], weight.shape, strict=False)))
    found = added(numbers.size, numbers[cells], cotangent.reshape(-1, channels), dtype)
    return {"gradient_weight": found.reshape(weight.shape)}


@witness("vjp_resize_table", source="definition: the derivative of resize_table")
def _resize_table(given, call, dtype):
    weight, prefix, size, cotangent = given["weight"], given["prefix"], given["size"], given["cotangent"]
    size, channels = [size] if isinstance(size, int) else size, weight.shape[-1]
    old = given.get("grid", weight.shape[:-1])
    crop = given.get("crop") or [(0, count) for count in old]
    options = {name: given.get(name) for name in ("method", "align", "cubic", "antialias", "border", "scale")}
    options["border"] = options["border"] or "clamp"
    first = [[(value, Fraction(1))] for value in cotangent[:prefix].reshape(-1).tolist()]
    vectors = cotangent[prefix:] if "grid" in given else cotangent
    vectors = vectors.reshape(math.prod(size), channels).tolist()
    cells = {cell: [[] for _ in range(channels)] for cell in np.ndindex(*old)}
    for cell in np.ndindex(*(stop - start for start, stop in crop)):
        # the column of the Jacobian: a table that is 1 in one cell, resized
        unit = np.zeros([stop - start for start, stop in crop])
        unit[cell] = 1.0
        column = resampling.resized(unit[..., None], size, **options)
        at = cells[tuple(place + start for place, (start, _) in zip(cell, crop, strict=True))]
        for share, vector in zip(column, vectors, strict=True):
            for terms, value in zip(at, vector, strict=True):
                terms.append((value, Fraction(share)))
    made = [total(terms) for terms in first] + [total(terms) for row in cells.values() for terms in row]
    found = {"gradient_weight": rounded(made, dtype).reshape(weight.shape)}
    if "window" in given:
        tile = given["window"]
        found["gradient_window"] = _tile_table({"weight": tile, "cotangent": cotangent}, call, dtype)["gradient_weight"]
    return found


def weighted(shape, terms, dtype):
    """Bit patterns (*rows, channels) of sums of vectors: terms are (number of the row, weight, vector)."""
    held = [[[] for _ in range(shape[-1])] for _ in range(math.prod(shape[:-1]))]
    for row, weight, vector in terms:
        for cell, value in zip(held[row], vector, strict=True):
            cell.append((value, Fraction(weight)))
    return rounded([total(cell) for row in held for cell in row], dtype).reshape(shape)


@witness("vjp_mean_of_rows", source="definition: the derivative of mean_of_rows")
def _mean_of_rows(given, call, dtype):
    weight, spans, terms = given["weight"], given["rows"], []
    count = math.prod(spans.shape[:-1])
    vectors = given["cotangent"].reshape(count, weight.shape[1]).tolist()
    for span, vector in zip(spans.reshape(count, spans.shape[-1]).tolist(), vectors, strict=True):
        named = [row for row in span if row != -1]
        terms += [(row, Fraction(named.count(row), len(named)), vector) for row in sorted(set(named))]
    return {"gradient_weight": weighted(weight.shape, terms, dtype)}


@witness("vjp_resize_bias", source="definition: the derivative of resize_bias")
def _resize_bias(given, call, dtype):
    """The columns of the Jacobian: tables that are 1 in one row, resized."""
    weight, old, new = given["weight"], given["old"], given["new"]
    kept = len(weight) if old == new else 3 * given.get("class_token", False)
    count, vectors, terms = len(weight) - kept, given["cotangent"].tolist(), []
    made = len(vectors) - kept
    for row in range(count):
        unit = np.zeros((count, 1))
        unit[row] = 1.0
        column = distances.resized_bias(unit, old, new, given["method"])
        terms += [(row, share, vector) for share, vector in zip(column, vectors[:made], strict=True) if share]
    terms += [(count + k, Fraction(1), vector) for k, vector in enumerate(vectors[made:])]
    return {"gradient_weight": weighted(weight.shape, terms, dtype)}


@witness("vjp_resize_packed", source="definition: the derivative of resize_packed")
def _resize_packed(given, call, dtype):
    weight, merge, terms, start = given["weight"], given.get("merge_size", 1), [], 0
    options = {name: given.get(name) for name in ("method", "align", "cubic", "antialias", "border", "scale")}
    options["border"] = options["border"] or "clamp"
    cotangent, cells = given["cotangent"], list(np.ndindex(weight.shape[:2]))
    for image, (frames, height, width) in enumerate(given["grid_thw"].tolist()):
        order = np.arange(height * width).reshape(height // merge, merge, width // merge, merge).swapaxes(1, 2).ravel()
        order = np.tile(order, frames).tolist()
        vectors = cotangent[image] if "length" in given else cotangent[start : start + len(order)]
        start, order = start + len(order), order + order[:1] * (len(vectors) - len(order))
        for number, cell in enumerate(cells):
            unit = np.zeros((*weight.shape[:2], 1))
            unit[cell] = 1.0
            column = resampling.resized(unit, (height, width), **options)
            pairs = zip(order, vectors.tolist(), strict=True)
            terms += [(number, column[place], vector) for place, vector in pairs if column[place]]
    return {"gradient_weight": weighted(weight.shape, terms, dtype)}
