"""Relative position biases: what their golden cases claim."""

from math import isqrt

from formulas import over_root, power, text, times
from positions import number


def slopes(a):
    """(2**-e for each head, with the twos of head_dim and the sign of the root that is left of it)."""
    heads, (n, d) = a["num_heads"], number(a.get("max_bias", 8))
    whole, width, twos = 1 << heads.bit_length() - 1, a.get("head_dim", 1), 0
    while width % 2 == 0:
        width, twos = width // 2, twos + 1
    thetas = []
    for k in range(heads):
        over, under = {
            "halving": (k, 1),
            "geometric": (n * (k + 1), d * heads),
            "recursive": (n * (k + 1), d * whole) if k < whole else (n * (2 * (k - whole) + 1), 2 * d * whole),
        }[a["convention"]]
        thetas.append(power((2, 1), -2 * over - twos * under, 2 * under))
    return thetas, width


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


FUNCTIONS = {
    "alibi": (alibi, "num_heads query_len key_len mode convention max_bias query_offset anchor mask head_dim"),
    "alibi_slopes": (alibi_slopes, "num_heads convention max_bias"),
}
