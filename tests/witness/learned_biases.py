"""DeBERTa, WavLM, LayoutLM and Mega from their papers and code, in plain Python floats or as balls."""

import math
from fractions import Fraction

import numpy as np

from .decays import ball, expanded, relative
from .elementary import rounded
from .formulas import power, t5_buckets
from .sequences import dot, total


def divided(x, number):
    return [value / number for value in x]


def times(x, number):
    return [value * number for value in x]


def deberta_scores(q, k, key_table, query_table, rows, query_rows, scaling):
    """One head, lists of lists: content, words to distances, distances to words."""
    dim = len(q[0])
    terms = 1 + (key_table is not None) + (query_table is not None)
    root = math.sqrt(dim * terms)
    result = []
    for i, query in enumerate(q):
        line = []
        for j, key in enumerate(k):
            r = rows[i][j]
            t = r if query_rows is None else query_rows[i][j]
            if scaling == "queries":
                content = dot(divided(query, root), key)
                to_distance = None if key_table is None else dot(divided(query, root), key_table[r])
                to_word = None if query_table is None else dot(key, divided(query_table[t], root))
            elif scaling == "products":
                content = dot(query, divided(key, root))
                to_distance = None if key_table is None else dot(query, key_table[r]) / root
                to_word = None if query_table is None else dot(key, query_table[t]) / root
            else:
                factor = 1.0 / root
                content = dot(query, times(key, factor))
                to_distance = None if key_table is None else dot(query, times(key_table[r], factor))
                to_word = None if query_table is None else dot(key, times(query_table[t], factor))
            if to_distance is None or to_word is None:
                line.append(content + (to_word if to_distance is None else to_distance))
            else:
                line.append(content + (to_distance + to_word))
        result.append(line)
    return result


def gate(x, weight, offsets, constant):
    """The gate of WavLM for the hidden state of one head and token."""
    z = [dot(x, row) for row in weight]
    z = z if offsets is None else [value + offset for value, offset in zip(z, offsets, strict=True)]
    half = len(z) // 2
    a, b = (rounded("sigmoid", total(part)) for part in (z[:half], z[half:]))
    return a * (b * constant - 1.0) + 2.0


def layout_bias(weight, x_weight, y_weight, positions, boxes, head_dim, max_distance, max_box_distance):
    """One row of a batch: (heads, tokens, tokens) of floats."""

    def gathered(table, places, most):
        pairs = np.array([[there - here for there in places] for here in places], np.int64)
        return table[t5_buckets(pairs, bidirectional=True, num_buckets=len(table), max_distance=most)]

    page = None
    if x_weight is not None:
        page = gathered(x_weight, [box[0] for box in boxes], max_box_distance) + gathered(
            y_weight, [box[3] for box in boxes], max_box_distance
        )
    if weight is None:
        summed = page
    else:
        summed = gathered(weight, positions, max_distance)
        summed = summed if page is None else summed + page
    summed = summed if head_dim is None else summed / math.sqrt(head_dim)
    return np.moveaxis(summed, -1, 0)


def rotary_bias(alpha, beta, query_len, key_len, name, *, base, query_offset=None):
    """The vector of the query as it is, that of the key turned by the distance; channels k and k + half are a pair."""

    def row(head):
        a, b = ([Fraction(value) for value in rows[head].tolist()] for rows in (alpha, beta))
        half = len(a) // 2
        pairs = [((a[k], a[k + half]), (b[k], b[k + half]), Fraction(-k, half)) for k in range(half)]

        def value(distance):
            if not distance:
                return sum(x * y for x, y in zip(a, b, strict=True))
            used = [pair for pair in pairs if any(pair[0]) and any(pair[1])]  # others add nothing
            if base == 1 and not any(map(sum, zip(*(both(*pair) for pair in used), strict=True))):
                return Fraction(0)  # all turn alike, and what they add cancels
            return (lambda: sum(turned(*pair, distance) for pair in used)) if used else Fraction(0)

        def both(first, second, _):
            """The product, and that with the second a quarter of a turn further."""
            return first[0] * second[0] + first[1] * second[1], first[1] * second[0] - first[0] * second[1]

        def turned(first, second, exponent, distance):
            angle = power(Fraction(base), exponent) * distance
            cos, sin = angle.cos(), angle.sin()
            x, y = map(ball, second)
            return ball(first[0]) * (x * cos - y * sin) + ball(first[1]) * (y * cos + x * sin)

        return value

    return expanded([row(head) for head in range(len(alpha))], relative(query_len, key_len, query_offset), name)
