"""Relative position biases: what their golden cases claim."""

from fractions import Fraction
from math import isqrt

from formulas import over_root, power, text, times
from positions import number
from sums import copied, elements, quotient


def exponents(a):
    """e = over / under of each slope 2**-e."""
    heads, (n, d) = a["num_heads"], number(a.get("max_bias", 8))
    whole = 1 << heads.bit_length() - 1

    def of_head(k):
        return {
            "halving": (k, 1),
            "geometric": (n * (k + 1), d * heads),
            "recursive": (n * (k + 1), d * whole) if k < whole else (n * (2 * (k - whole) + 1), 2 * d * whole),
        }[a["convention"]]

    return [of_head(k) for k in range(heads)]


def without_twos(n):
    """(the odd factor, how many twos)"""
    twos = (n & -n).bit_length() - 1
    return n >> twos, twos


def slopes(a):
    """(2**-e for each head, with the twos of head_dim and the sign of the root that is left of it)."""
    width, twos = without_twos(a.get("head_dim", 1))
    return [power((2, 1), -2 * over - twos * under, 2 * under) for over, under in exponents(a)], width


def alibi_slopes(a, _):
    return slopes(a)[0], "1", lambda index: f"t{index}"


def alibi(a, _):
    """Slope times distance; minus infinity behind a causal mask; with an anchor the distance of a key from it."""
    (thetas, width), queries, keys = slopes(a), a["query_len"], a["key_len"]
    offset, anchor = a.get("query_offset", keys - queries), a.get("anchor", "query")
    mask, divisor = [n for n, _ in a["mask"]["values"]] if "mask" in a else [1] * keys, isqrt(width)
    if divisor**2 != width:
        thetas, divisor = [times(theta, over_root(width)) for theta in thetas], 1
    heads = len(thetas)

    def value(index):
        head, q, k = index // (queries * keys) % heads, index // keys % queries, index % keys
        row = index // (queries * keys * heads) * keys
        distance = k - q - offset
        if a["mode"] == "causal" and distance > 0:
            return "-inf"
        distance = -abs(distance) if a["mode"] == "symmetric" else distance
        distance = min(distance, 0) if a["mode"] == "clipped" else distance
        if anchor != "query":
            token = sum(mask[row : row + k]) if mask[row + k] else 0
            distance = token - (keys - 1 if anchor == "last" else 0)
        return times(f"t{head}", text(distance, divisor)) if distance else "0"

    return thetas, "1", value


def rooted(exponent, square):
    """2**-e times the root of an integer."""
    (over, under), (odd, twos) = exponent, without_twos(square)
    found = power((2, 1), twos * under - 2 * over, 2 * under)
    return times(found, text(isqrt(odd))) if isqrt(odd) ** 2 == odd else f"{found} {odd} sqrt *"


def alibi_2d(a, _):
    """Slope times the distance of two patches; nothing of the class token before them."""
    height, width, heads, first = a["height"], a["width"], exponents(a), int(a.get("class_token", False))
    squares = sorted({y * y + x * x for y in range(height) for x in range(width)} - {0})
    count = first + height * width

    def value(index):
        head, p, q = index // count**2, index // count % count - first, index % count - first
        if p == q or p < 0 or q < 0:
            return "0"
        square = (p // width - q // width) ** 2 + (p % width - q % width) ** 2
        return f"t{head * len(squares) + squares.index(square)} -1 *"

    return [rooted(head, square) for head in heads for square in squares], "1", value


def gathered(a, queries, keys, row_of):
    """Of each head the element of the table at row_of(query, key)."""
    values, heads = a["weight"]["values"], a["weight"]["shape"][1]

    def value(index):
        head, i, j = index // (queries * keys), index // keys % queries, index % keys
        return copied(values, row_of(i, j) * heads + head)

    return elements(values), "1", value


def signed(offset, sign):
    """Of key minus query."""
    return {"key-query": offset, "query-key": -offset, "absolute": abs(offset)}[sign]


def relative_bias(a, _):
    rows, offset = a["weight"]["shape"][0], a.get("query_offset", 0)
    low = a.get("low")
    low = (0 if a["sign"] == "absolute" else -(rows // 2)) if low is None else low

    def row_of(i, j):
        return min(max(signed(j - i - offset, a["sign"]) - low, 0), rows - 1)

    return gathered(a, a["query_len"], a["key_len"], row_of)


def t5_bias(a, _):
    """The logarithms of a bucket are compared as powers of integers."""
    half = a["weight"]["shape"][0] // (2 if a["bidirectional"] else 1)
    exact, most, offset = half // 2, a.get("max_distance", 128), a.get("query_offset", 0)

    def bucket(distance):
        if distance < exact:
            return distance
        k, steps = 0, half - exact  # the last k below steps with distance / exact >= (most / exact)**(k / steps)
        while k + 1 < steps and distance**steps >= most ** (k + 1) * exact ** (steps - k - 1):
            k += 1
        return exact + k

    def row_of(i, j):
        relative = j - i - offset
        if not a["bidirectional"]:
            return bucket(max(-relative, 0))
        return bucket(abs(relative)) + (half if relative > 0 else 0)

    return gathered(a, a["query_len"], a["key_len"], row_of)


def window_bias(a, _):
    """The rows of offsets in C order, behind them those of class to token, token to class, and class to class."""
    height, width, stride, first = a["height"], a["width"], a.get("stride", 1), int(a.get("class_token", False))
    across, absolute = -(-width // stride), a["sign"] == "absolute"
    cells = height * width if absolute else (2 * height - 1) * (2 * width - 1)

    def row_of(i, j):
        i, j = i - first, j - first
        if i < 0 or j < 0:
            return cells + (2 if i == j else 0 if i < 0 else 1)
        y, x = j // width - i // across * stride, j % width - i % across * stride
        y, x = signed(y, a["sign"]), signed(x, a["sign"])
        return y * width + x if absolute else (y + height - 1) * (2 * width - 1) + x + width - 1

    return gathered(a, -(-height // stride) * across + first, height * width + first, row_of)


def convit_start(a, _):
    """strength (2 x, 2 y, -1) for the offset (x, y) of each head, from the middle of a square."""
    side, strength = isqrt(a["num_heads"]), Fraction(*number(a.get("strength", 1)))

    def value(index):
        head, c = divmod(index, 3)
        return quotient(strength * (-1 if c == 2 else 2 * (head % side if c else head // side) - side + 1))

    return [], "1", value


FUNCTIONS = {
    "convit_start": (convit_start, "num_heads strength"),
    "alibi_2d": (alibi_2d, "num_heads height width class_token convention max_bias"),
    "relative_bias": (relative_bias, "weight query_len key_len sign low high outside query_offset"),
    "t5_bias": (t5_bias, "weight query_len key_len bidirectional num_buckets max_distance query_offset"),
    "window_bias": (window_bias, "weight height width sign class_token stride"),
    "alibi": (alibi, "num_heads query_len key_len mode convention max_bias query_offset anchor mask head_dim"),
    "alibi_slopes": (alibi_slopes, "num_heads convention max_bias"),
}
