"""Positions and factors of sequences that are longer than those of the training: what their golden cases claim."""

from fractions import Fraction

from formulas import log, root, text
from positions import cells, coordinates, number, tokens
from sums import quotient


def integers(given):
    return [Fraction(*one) for one in tokens(given, False)[1][0]]


def rerope_positions(a, _):
    """w for queries and 0 for keys; with a factor (p + w (factor - 1)) / factor, and p / factor."""
    places, window, asked = integers(a["positions"]), a["window"], a["role"] == "query"
    factor = None if a.get("factor") is None else Fraction(*number(a["factor"]))

    def value(index):
        if factor is None:
            return str(window if asked else 0)
        return quotient(Fraction(places[index] + (window * (factor - 1) if asked else 0), factor))

    return [], "1", value


def of_pairs(a, distance):
    """The claims of a distance of each query and key."""
    queries, keys = integers(a["query_positions"]), integers(a["key_positions"])
    return [], "1", lambda index: quotient(distance(queries[index // len(keys)], keys[index % len(keys)], queries))


def rerope_distances(a, _):
    """q - k within a window, beyond it w, or with a factor w + (q - k - w) / factor."""
    window, factor = a["window"], None if a.get("factor") is None else Fraction(*number(a["factor"]))

    def distance(q, k, _):
        if abs(q - k) < window:
            return q - k
        return window if factor is None else window + Fraction(q - k - window, factor)

    return of_pairs(a, distance)


def shift_of(a, queries):
    """W - W // G, or W - W / G; nothing if no query reaches W."""
    window, group = a["neighbor_window"], a["group_size"]
    longest = max(queries, default=0) if a.get("longest") is None else a["longest"]
    if longest < window:
        return Fraction(0)
    return window - (Fraction(window, group) if a["shift"] == "exact" else Fraction(window // group))


def self_extend_positions(a, _):
    places = integers(a["positions"])
    shift = shift_of(a, places) if a["role"] == "query" else Fraction(0)
    return [], "1", lambda index: quotient(places[index] // a["group_size"] + shift)


def self_extend_distances(a, _):
    def distance(q, k, queries):
        if abs(q - k) < a["neighbor_window"]:
            return q - k
        return q // a["group_size"] + shift_of(a, queries) - k // a["group_size"]

    return of_pairs(a, distance)


def grid_positions(a, _):
    """The coordinates of each cell, an axis after another."""
    places = [place for axis in cells([coordinates(one) for one in a["coordinates"]]) for place in axis]
    return [], "1", lambda index: text(*places[index])


def attention_temperature(a, _):
    """1 + attn_scale ln(1 + floor((p + shift) / floor_scale))"""
    places, scale = integers(a["positions"]), number(a["attn_scale"])
    shift, length = (Fraction(*number(a[name])) for name in ("shift", "floor_scale"))

    def value(index):
        count = Fraction(places[index] + shift, length)
        count = count.numerator // count.denominator
        return f"{count + 1} ln {text(*scale)} * 1 +" if count and scale[0] else "1"

    return [], "1", value


def exponents(x, base):
    """(m, n) with x = g**m and base = g**n for an integer g, or None."""
    n = next(n for n in range(base.bit_length(), 0, -1) if root(base, n))
    g, m = root(base, n), 0
    while x % g == 0:
        x, m = x // g, m + 1
    return (m, n) if x == 1 else None


def log_n_scale(a, _):
    """max(1, ln(p + 1) / ln(length))"""
    places, length = integers(a["positions"]), a["training_length"]

    def value(index):
        count = places[index].numerator + 1
        if count <= length:
            return "1"
        found = exponents(count, length)
        return text(*found) if found else f"{text(count)} ln {length} ln /"

    return [], "1", value


def magnitude(factor, slope):
    """1 + slope ln(factor), and 1 of factors up to 1."""
    return f"{log(*factor)} {text(*slope)} * 1 +" if factor[0] > factor[1] and slope[0] else "1"


def dual_chunk_mscale(a, _):
    slope = {"chunkllama": (1, 20), "vllm": (1, 10)}[a["version"]]
    return [], "1", lambda _: magnitude(number(a["scale"]), slope)


def yarn_softmax_scale(a, _):
    n, d = number(a.get("mscale_all_dim", 1))
    return [magnitude(number(a["factor"]), (n, 10 * d))], "1", lambda _: "t0 t0 *"


FUNCTIONS = {
    "rerope_positions": (rerope_positions, "positions role window factor"),
    "rerope_distances": (rerope_distances, "query_positions key_positions window factor"),
    "self_extend_positions": (self_extend_positions, "positions role group_size neighbor_window shift longest"),
    "self_extend_distances": (
        self_extend_distances,
        "query_positions key_positions group_size neighbor_window shift longest",
    ),
    "grid_positions": (grid_positions, "coordinates"),
    "attention_temperature": (attention_temperature, "positions attn_scale floor_scale shift"),
    "log_n_scale": (log_n_scale, "positions training_length"),
    "dual_chunk_mscale": (dual_chunk_mscale, "scale version"),
    "yarn_softmax_scale": (yarn_softmax_scale, "factor mscale_all_dim"),
}
