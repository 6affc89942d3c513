"""Error bounds of the gradients of scores that are linear in each of their arguments: sums of products in any order."""

import math

import numpy as np

from ...scores.decomposed_scores import read_grid, read_queries, read_tables, rows_of
from ...scores.relative_scores import read_vectors
from ...scores.relative_values import read_shares
from ...scores.xl_scores import TERMS, read_bias, read_terms
from ...steps.scores import heads, ordered_sums, relative_gradients, relative_vectors
from ..classes import FLOAT64
from . import image_scores, resizing, running_error, transformer_xl
from .backward import bounds_gradients, changed, numbers, sums


def of_vectors(change, table, rows, shape, **scaled):
    """The sums over the keys of the vectors that pairs read: of queries in that shape."""
    return sums(lambda a, b: relative_gradients.of_vectors(a, b, rows, shape), change, table, **scaled)


def of_table(change, x, rows, shape, **scaled):
    """The sums over the pairs that read a row: of a table of that shape."""
    return sums(lambda a, b: relative_gradients.of_table(a, b, rows, shape), change, x, **scaled)


def transposed(x):
    """The last two axes in the other order."""
    return changed(x, lambda part: part.swapaxes(-1, -2))


@bounds_gradients("relative_scores")
def _relative_scores(given, fmt):
    values, table, rows, _ = read_vectors(given["x"], given["weight"], given["rows"], given["by"])
    change, scaled = numbers(given["cotangent"], fmt), {}
    change = change if given["by"] == "query" else transposed(change)
    if given["scale"] is not None:
        factor = numbers(heads.read_scale(given["scale"], values.shape[-1]), fmt)
        scaled = {"unscaled": change, "scale": factor.values}
        change = running_error.multiply(change, factor)
    return {
        "x": of_vectors(change, numbers(table, fmt), rows, values.shape, **scaled),
        "weight": of_table(change, numbers(values, fmt), rows, table.shape, **scaled),
    }


@bounds_gradients("relative_values")
def _relative_values(given, fmt):
    shares, table, rows, lead = read_shares(given["probabilities"], given["weight"], given["rows"])
    change = numbers(given["cotangent"], fmt)
    whole = (*lead, *shares.shape[-2:])

    def products(a, b):
        made = np.empty(whole)
        relative_vectors.fill_scores(made, a, b, rows, FLOAT64)
        return relative_gradients.to_shape(made, shares.shape)

    own = changed(numbers(shares, fmt), lambda part: np.broadcast_to(part, whole))
    return {
        "probabilities": sums(products, change, numbers(table, fmt)),
        "weight": of_table(own, change, rows, table.shape),
    }


@bounds_gradients("xl_scores")
def _xl_scores(given, fmt):
    queries, keys = heads.read_queries_keys(given["q"], given["k"])
    names = ("projected", "rows", "v", "segments", "segment_rows", "s")
    terms = read_terms(queries, keys, *(given[name] for name in names))
    q, k = numbers(queries, fmt), numbers(keys, fmt)
    factor = transformer_xl.scale_of(given["scale"], queries.shape[-1], fmt)
    dy, before = numbers(given["cotangent"], fmt), given["scaled"] == "queries"
    change = dy if before else running_error.multiply(dy, factor)
    scaled = {"unscaled": dy, "scale": factor.values}

    def biased(bias):
        pair = [part if part is None or not before else running_error.multiply(part, factor) for part in (q, bias)]
        return pair[0] if pair[1] is None else running_error.add(*pair)

    def after(x):
        return running_error.multiply(x, factor) if before else x

    def of_bias(summed, table):
        shape = (*q.values.shape[:-2][-1:], 1, q.values.shape[-1])

        def over_queries(a, b):
            made = ordered_sums.total(summed(a, b).swapaxes(-1, -2))
            return relative_gradients.to_shape(made[..., None, :], shape)[..., 0, :]

        return after(sums(over_queries, change, table, **scaled))

    content = biased(numbers(read_bias("u", given["u"], queries), fmt))
    of_queries = sums(ordered_sums.matmul, change, k, **scaled)
    found = {"u": of_bias(ordered_sums.matmul, k), "k": sums(to_keys(np.shape(given["k"])), change, content, **scaled)}
    for (table, bias), (vectors, rows, values) in zip(TERMS, terms):
        read = numbers(vectors, fmt)

        def summed(a, b, rows=rows):
            return relative_gradients.of_vectors(a, b, rows, queries.shape)

        of_queries = running_error.add(of_queries, sums(summed, change, read, **scaled))
        found[table] = of_table(change, biased(numbers(values, fmt)), rows, vectors.shape, **scaled)
        found[bias] = of_bias(summed, read)
    return {"q": after(of_queries), **found}


def to_keys(shape):
    """The sums over the queries, and over the heads that share keys of that shape."""

    def summed(a, b):
        return relative_gradients.to_shape(ordered_sums.matmul(a.swapaxes(-1, -2), b), shape)

    return summed


@bounds_gradients("decomposed_scores")
def _decomposed_scores(given, fmt):
    grids = [read_grid(name, given[name]) for name in ("query_grid", "key_grid")]
    first, sign = int(given["class_token"]), given["sign"]
    cells, weights = read_queries(given["q"], grids[0], first), [given[name] for name in ("weight_h", "weight_w")]
    tables = read_tables(*weights, *grids, cells.shape[-1], sign, given["resize"])
    count = math.prod(cells.shape[:-2]), cells.shape[-2]
    images = numbers(cells.reshape(*count, cells.shape[-1]), fmt)
    dy = changed(
        numbers(given["cotangent"], fmt), lambda part: part[..., first:, first:].reshape(*count, math.prod(grids[1]))
    )
    parts, found = [], {}
    for axis, (name, weight, table) in enumerate(zip(("weight_h", "weight_w"), weights, tables)):
        places = [np.indices(grid, np.int64)[axis].reshape(-1) for grid in grids]
        rows = rows_of(grids[0][axis], grids[1][axis], sign)[np.ix_(*places)]
        own = numbers(weight, fmt).values
        used = image_scores.resized(own, own if len(own) == len(table) else numbers(table, fmt).values, fmt)
        parts.append(of_vectors(dy, used, rows, images.values.shape))
        made = of_table(dy, images, rows, table.shape)
        found[name] = made if len(table) == len(weight) else resizing.transposed(made, len(weight), image_scores.LINEAR)
    of_queries = running_error.add(*parts)
    lead = cells.shape[:-2]
    return {"q": changed(of_queries, lambda part: _with_class(part, lead, first)), **found}


def _with_class(cells, lead, first):
    """Cells (images, n, dim) behind the zeros of the class token."""
    made = np.zeros((*lead, cells.shape[1] + first, cells.shape[2]))
    made[..., first:, :] = cells.reshape(*lead, *cells.shape[1:])
    return made
