"""Rows and buckets of distances, one pair at a time, from their definitions in integers and fractions."""

import math
from fractions import Fraction

import flint
import numpy as np

from . import formulas, resampling
from .digits import round_fraction


def table(rows, columns, entry):
    """The int64 array of entry(row, column)."""
    made = [[entry(row, column) for column in columns] for row in rows]
    return np.array(made, np.int64).reshape(len(rows), len(columns))


def relative_row(query, key, sign, low, high, outside):
    """The row of one pair; -1 reads zeros."""
    distance = {"key-query": key - query, "query-key": query - key, "absolute": abs(key - query)}[sign]
    if distance < low:
        assert outside != "refuse"
        return 0 if outside == "clip" else -1
    if distance > high:
        assert outside != "refuse"
        return high - low if outside == "clip" else -1
    return distance - low


def relative_rows(query_len, key_len, *, query_offset=0, query_step=1, **options):
    lines = [list(range(one)) if isinstance(one, int) else one.tolist() for one in (query_len, key_len)]
    queries, keys = map(np.array, lines)
    leading = np.broadcast_shapes(queries.shape[:-1], keys.shape[:-1])
    queries = np.broadcast_to(queries, (*leading, queries.shape[-1]))
    keys = np.broadcast_to(keys, (*leading, keys.shape[-1]))
    result = np.empty((*leading, queries.shape[-1], keys.shape[-1]), np.int64)
    for at in np.ndindex(*leading):
        moved = [query_offset + query_step * int(query) for query in queries[at]]
        result[at] = table(moved, keys[at].tolist(), lambda query, key: relative_row(query, key, **options))
    return result


def relative_bias_rows(count, query_len, key_len, *, sign, low=None, high=None, outside="clip", query_offset=0):
    """The rows of a weight of `count` rows."""
    if low is None:
        low = 0 if sign == "absolute" else -((count - 1) // 2)
    assert high in (None, low + count - 1)
    return relative_rows(query_len, key_len, query_offset=query_offset, sign=sign, low=low, high=low + count - 1,
                         outside=outside)  # fmt: skip


# -- buckets ----------------------------------------------------------------------------------------------------------


def with_exact(x, low, high, scale, shift, wanted):
    """wanted(shift + scale log(x / low) / log(high / low)), where the argument may be a rational number.

    wanted takes a fraction below it, one above it, and must give one result for both; else the argument is taken to be
    the simplest fraction between them, which powers must confirm.
    """
    x, low, high, scale, shift = map(Fraction, (x, low, high, scale, shift))
    with flint.ctx.workprec(400):
        ratio, whole, factor = (flint.arb(flint.fmpq(*one.as_integer_ratio())) for one in (x / low, high / low, scale))
        ball = ratio.log() / whole.log() * factor
        assert ball.rad() * flint.arb(2) ** 300 < 1
        middle = Fraction(int((ball.mid() * flint.arb(2) ** 300).floor().unique_fmpz()), 2**300)
    lower, upper = middle - Fraction(1, 2**250), middle + Fraction(1, 2**250)
    results = {wanted(shift + lower), wanted(shift + upper)}
    if len(results) == 1:
        return results.pop()
    simple = middle.limit_denominator(10**6)
    share = simple / scale
    assert (x / low) ** share.denominator == (high / low) ** share.numerator
    return wanted(shift + simple)


def deberta_bucket(r, num_buckets, max_distance):
    middle, distance = num_buckets // 2, abs(r)
    if distance <= middle:
        return r
    beyond = with_exact(distance, middle, max_distance - 1, middle - 1, 0, math.ceil)
    return (1 if r > 0 else -1) * (middle + beyond)


def deberta_exchanged_bucket(r, num_buckets, max_distance):
    """The rule of DeBERTa with its numbers exchanged; the logarithm may have a base below 1, and turns its sign."""
    middle, distance, end = max_distance // 2, abs(r), num_buckets - 1
    if distance <= middle:
        beyond = distance
    elif end > middle:
        beyond = middle + with_exact(distance, middle, end, middle - 1, 0, math.ceil)
    else:  # log(x) / log(1/y) is -log(x) / log(y), and ceil(-x) is -floor(x)
        beyond = middle - with_exact(distance, middle, Fraction(middle * middle, end), middle - 1, 0, math.floor)
    return (1 if r > 0 else -1) * max(-num_buckets, min(beyond, num_buckets))


def irpe_bucket(r, alpha, beta, gamma):
    if abs(r) <= alpha:
        return r
    bucket = with_exact(abs(r), alpha, gamma, beta - alpha, alpha, round)  # of a fraction: halves to even
    return (1 if r > 0 else -1) * min(bucket, math.floor(beta))


def log_buckets(relative, *, rule, query_segments=None, key_segments=None, num_segments=None, **options):
    if rule in ("t5", "cpm_ant"):
        options.setdefault("bidirectional", True)
        made = formulas.t5_buckets(relative, **options).reshape(relative.shape)
        if rule == "t5":
            return made
        for *batch, i, j in np.ndindex(*relative.shape):
            query, key = query_segments[(*batch, i)], key_segments[(*batch, j)]
            if query != key:
                made[(*batch, i, j)] = options["num_buckets"] + num_segments * query + key
        return made
    bucket = {"deberta": deberta_bucket, "deberta_exchanged": deberta_exchanged_bucket, "irpe": irpe_bucket}[rule]
    options = {name: value if isinstance(value, int) else Fraction(value) for name, value in options.items()}
    known = {r: bucket(r, **options) for r in set(relative.reshape(-1).tolist())}
    return np.array([known[r] for r in relative.reshape(-1).tolist()], np.int64).reshape(relative.shape)


# -- windows ----------------------------------------------------------------------------------------------------------


def window_rows(height, width, *, sign, class_token=False, stride=1):
    cells = [(row, column) for row in range(height) for column in range(width)]
    asking = [(row, column) for row, column in cells if row % stride == 0 and column % stride == 0]
    if sign == "absolute":
        offsets = [(row, column) for row in range(height) for column in range(width)]
    else:
        offsets = [(row, column) for row in range(1 - height, height) for column in range(1 - width, width)]
    number = {offset: k for k, offset in enumerate(offsets)}

    def entry(query, key):
        if None in (query, key):
            return len(offsets) + [(None, 0), (0, None), (None, None)].index(
                (None if query is None else 0, None if key is None else 0)
            )
        if sign == "absolute":
            return number[abs(key[0] - query[0]), abs(key[1] - query[1])]
        first, second = (query, key) if sign == "query-key" else (key, query)
        return number[first[0] - second[0], first[1] - second[1]]

    token = [None] * class_token
    return table(token + asking, token + cells, entry)


def decomposed_rows(query, key):
    across, along = max(Fraction(key, max(query, 1)), 1), max(Fraction(query, max(key, 1)), 1)
    return table(range(query), range(key), lambda i, j: math.floor(i * across - j * along + (key - 1) * along))


def irpe_rows(height, width, *, method, alpha, beta, gamma, prefix=0):
    alpha, beta, gamma = Fraction(alpha), Fraction(beta), Fraction(gamma)
    middle, cells = math.floor(beta), [(row, column) for row in range(height) for column in range(width)]

    def bucket(r):
        return irpe_bucket(r, alpha, beta, gamma) + middle

    def entry(query, key):
        if None in (query, key):
            return (2 * middle + 1) ** (1 + (method == "product"))
        down, across = query[0] - key[0], query[1] - key[1]
        with flint.ctx.workprec(100):
            root = int((flint.arb(down**2 + across**2).sqrt() + flint.arb(0.5)).floor().unique_fmpz())
        return {
            "euclidean": lambda: bucket(root),
            "quant": lambda: bucket(down**2 + across**2),
            "cross-rows": lambda: bucket(down),
            "cross-columns": lambda: bucket(across),
            "product": lambda: bucket(down) * (2 * middle + 1) + bucket(across),
        }[method]()

    return table([None] * prefix + cells, [None] * prefix + cells, entry)


# -- windows of another size ------------------------------------------------------------------------------------------


def geometric_places(count, reach):
    """The distances 1, 1 + q, ... of BEiT's rule, q by bisection; doubles, but powers are those of fractions."""
    left, right = 1.01, 1.5

    def power(base, exponent):
        return float(np.uint64(round_fraction(Fraction(base) ** exponent, "float64")).view(np.float64))

    while right - left > 1e-6:
        q = (left + right) / 2.0
        if 1.0 * (1.0 - power(q, count)) / (1.0 - q) > reach:
            right = q
        else:
            left = q
    distances, current = [], 1.0
    for i in range(count):
        distances.append(current)
        current += power(q, i + 1)
    return distances


def geometric_matrix(old, new):
    """[[weight of each old offset] of each new offset]."""
    right = [Fraction(one) for one in geometric_places(old - 1, new - 1)]
    places = [-one for one in right[::-1]] + [Fraction(0)] + right
    rows = []
    for x in range(1 - new, new):
        x = min(max(Fraction(x), places[0]), places[-1])
        weights = [Fraction(0)] * len(places)
        above = next(k for k, place in enumerate(places) if place >= x)
        if places[above] == x:
            weights[above] = Fraction(1)
        else:
            gap = places[above] - places[above - 1]
            weights[above - 1], weights[above] = (places[above] - x) / gap, (x - places[above - 1]) / gap
        rows.append(weights)
    return rows


FILTERS = {
    "swin": ("cubic", Fraction(-3, 4), False),
    "beit": ("linear", None, False),
    "levit": ("cubic", Fraction(-1, 2), True),
}


def resized_bias(values, old, new, method):
    """Exact fractions (rows, heads) of float64 values (rows, heads) without those of a class token."""
    before, after = (one if method == "levit" else [2 * side - 1 for side in one] for one in (old, new))
    grid = values.reshape(*before, values.shape[1])
    if method != "geometric":
        name, cubic, antialias = FILTERS[method]
        return resampling.resized(grid, after, method=name, align="half-pixel", cubic=cubic, antialias=antialias,
                                  border="clamp")  # fmt: skip
    down, across = (geometric_matrix(*sides) for sides in zip(old, new, strict=True))
    lines = [[[Fraction(one) for one in cell] for cell in line] for line in grid.tolist()]
    return [
        sum(u * v * lines[i][j][head] for i, u in enumerate(rows) if u for j, v in enumerate(columns) if v)
        for rows in down
        for columns in across
        for head in range(values.shape[1])
    ]


def log_coordinate(offset, span, dtype):
    """Bit pattern of one coordinate; span: what offsets are divided by, None for ln(1 + |d|)."""
    if not offset:
        return 0
    stretched = Fraction(abs(offset)) if span is None else Fraction(8 * abs(offset), span)
    with flint.ctx.workprec(400):
        ball = flint.arb(flint.fmpq(*(1 + stretched).as_integer_ratio())).log()
        if span is not None:
            ball /= flint.arb(8).log()
        middle = Fraction(int((ball * flint.arb(2) ** 300).floor().unique_fmpz() or 0), 2**300)
    for third in range(1, 64):
        if span is not None and 1 + stretched == 2**third:
            middle = Fraction(third, 3)
    assert middle
    return round_fraction(middle if offset > 0 else -middle, dtype)


def log_coordinates(height, width, dtype, *, rule, pretrained=None):
    spans = (None, None) if rule == "cr" else [side - 1 for side in pretrained or (height, width)]
    rows, columns = ([log_coordinate(d, span, dtype) for d in range(1 - side, side)]
                     for side, span in zip((height, width), spans, strict=True))  # fmt: skip
    return [[[row, column] for column in columns] for row in rows]
