"""Inner products of waves, of rotated vectors and of reflected ones: what their golden cases claim."""

from fractions import Fraction

from formulas import power, text
from intervals import need
from positions import number
from sums import elements, quotient


def sandwich(a, _):
    """The sum of the cosines of a distance, over a number of each head (Chi et al. 2023)."""
    queries, keys, half, heads = a["query_len"], a["key_len"], a["dim"] // 2, a["num_heads"]
    offset = a.get("query_offset", keys - queries)
    thetas = [power(number(a["base"]), -2 * (a["first"] + k), a["dim"]) for k in range(half)]

    def value(index):
        head, d = index // (queries * keys), index // keys % queries + offset - index % keys
        d, less = max(d, 0) if a["mode"] == "clipped" else abs(d), half if a["subtract"] else 0
        if d == 0:
            return text(heads * (half - less), 8 * (head + 1))
        words = " ".join(f"{d} t{k} * cos{' +' if k else ''}" for k in range(half))
        return f"{words} {less} - {text(heads, 8 * (head + 1))} *"

    return thetas, "1", value


def rotary_bias(a, _):
    """The inner product of two vectors, rotated by the distance of their tokens (Mega)."""
    queries, keys, (_, dim) = a["query_len"], a["key_len"], a["alpha"]["shape"]
    half, offset = dim // 2, a.get("query_offset", keys - queries)
    values = [*a["alpha"]["values"], *a["beta"]["values"]]
    second = len(a["alpha"]["values"])
    thetas = [power(number(a["base"]), -2 * k, dim) for k in range(half)]

    def value(index):
        head, d = index // (queries * keys), index % keys - index // keys % queries - offset
        waves = {}  # the products that each wave is multiplied by; equal frequencies may cancel
        for k in range(half):
            x = head * dim + k
            y, u, v = x + half, second + x, second + x + half
            angle = f" {d} {thetas[k]} *"
            waves.setdefault(f"{angle} cos *" if d else "", []).extend([(x, u, 1), (y, v, 1)])
            if d:
                waves.setdefault(f"{angle} sin *", []).extend([(y, u, 1), (x, v, -1)])
        words = "0"
        for wave, products in waves.items():
            if sum(sign * Fraction(*values[m]) * Fraction(*values[n]) for m, n, sign in products):
                words += " 0" + "".join(f" t{m} t{n} * {sign} * +" for m, n, sign in products) + f"{wave} +"
        return words

    return elements(values), "1", value


def path(a, _):
    """q (I - b w w') ... (I - b w w') k of the tokens between, and the sum of their gates (PaTH)."""
    (*_, tokens, dim) = a["q"]["shape"]
    q, k, w = (rows(a[name], dim) for name in "qkw")
    betas, gates = fractions(a["beta"]), fractions(a["gate"]) if "gate" in a else None

    def value(index):
        row, j = divmod(index, tokens)
        batch, i = row // tokens * tokens, row % tokens
        if j > i:
            return "-inf"
        x = k[batch + j]
        between = range(batch + j + 1, batch + i + 1)
        used = [*q[batch + i], *x, *(one for s in between for one in [*w[s], betas[s], *([gates[s]] if gates else [])])]
        need(None not in used, "infinity or NaN")
        for s in between:
            share = betas[s] * sum(m * n for m, n in zip(w[s], x, strict=True))
            x = [n - share * m for m, n in zip(w[s], x, strict=True)]
        total = sum(m * n for m, n in zip(q[batch + i], x, strict=True))
        return quotient(total + sum(gates[s] for s in between) if gates else total)

    return [], "1", value


def fractions(tensor):
    return [one and Fraction(*one) for one in tensor["values"]]


def rows(tensor, width):
    values = fractions(tensor)
    return [values[k : k + width] for k in range(0, len(values), width)]


FUNCTIONS = {
    "sandwich": (sandwich, "num_heads query_len key_len dim first subtract mode base query_offset"),
    "rotary_bias": (rotary_bias, "alpha beta query_len key_len base query_offset"),
    "path": (path, "q k w beta gate"),
}
