"""Scores and resized tables as programs compute them, in plain NumPy and independent of refpos; random ones of them."""

import math
from typing import NamedTuple

import numpy as np
from rotary_programs import ROUND

F = np.float32
SCALES = {
    "root": lambda dim, heads: 1 / math.sqrt(dim),
    "one": lambda dim, heads: 1.0,
    "twice": lambda dim, heads: 1 / dim,
    "model": lambda dim, heads: 1 / math.sqrt(dim * heads),
    "any": lambda dim, heads: 0.1734,
}


class Program(NamedTuple):
    """What was planted: the coefficients by name and the mask; the numbers, the function, and its inputs."""

    coefficients: dict
    counts: np.ndarray | None
    kind: str
    format: str
    numbers: np.ndarray
    function: str
    inputs: dict


def drawn(seed):
    """The program of a seed."""
    rng = np.random.default_rng(seed)
    function = str(rng.choice(["attention", "attention", "xl_scores", "deberta_scores", "relative_scores"]))
    heads, dim = int(rng.integers(1, 6)), int(rng.choice([8, 16, 20, 32, 64]))
    queries = int(rng.integers(6, 40))
    keys = queries + int(rng.integers(0, 9)) * int(rng.integers(0, 2))
    parts, inputs = PARTS[function](rng, heads, queries, keys, dim)
    scale = SCALES[str(rng.choice(list(SCALES)))](dim, heads)
    factors = {name: _factor(rng, name, scale) for name in parts}
    factors[next(iter(parts))] = scale
    scores = sum(F(factors[name]) * part for name, part in parts.items())
    causal = rng.choice(["none", "upper-left", "lower-right", "padding"])
    counts = _counts(rng, causal, queries, keys)
    if causal == "padding":
        inputs["mask"] = counts
    kind = "weights" if function == "attention" and rng.random() < 0.3 else "scores"
    masked = scores if counts is None else np.where(counts, scores, F(-np.inf))
    numbers = masked if kind == "scores" else softmax(masked)
    fmt = str(rng.choice(["float32", "float32", "float32", "bfloat16", "float16"]))
    return Program(factors, counts, kind, fmt, ROUND[fmt](numbers).astype(F), function, inputs)


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True, dtype=F)


def _factor(rng, name, scale):
    """The coefficient of a part: that of the others, 0, its negative, or another one."""
    return float(rng.choice([scale, scale, scale, 0.0, -scale, 1.0 if name == "bias" else scale]))


def _counts(rng, causal, queries, keys):
    if causal == "none":
        return None
    if causal == "padding":
        return np.arange(keys) < keys - int(rng.integers(1, 4))
    return np.tri(queries, keys, keys - queries if causal == "lower-right" else 0, dtype=bool)


def _vectors(rng, *shape):
    return rng.standard_normal(shape).astype(F)


def _products(q, k):
    return q @ np.swapaxes(k, -1, -2)


def _attention(rng, heads, queries, keys, dim):
    q, k = _vectors(rng, heads, queries, dim), _vectors(rng, heads, keys, dim)
    inputs, parts = {"q": q, "k": k}, {"q.k": _products(q, k)}
    if rng.random() < 0.6:
        inputs["bias"] = parts["bias"] = _vectors(rng, heads, queries, keys)
    return parts, inputs


def _picked(products, rows):
    return np.take_along_axis(products, np.broadcast_to(rows, (*products.shape[:-1], rows.shape[-1])), -1)


def _rows(queries, keys, far):
    """Query minus key, held within so many, as rows from 0 on."""
    return np.clip(np.arange(queries)[:, None] - np.arange(keys), -far, far) + far


def _xl_scores(rng, heads, queries, keys, dim):
    parts, inputs = _attention(rng, heads, queries, keys, dim)
    q, k = inputs["q"], inputs["k"]
    table, rows = _vectors(rng, heads, 2 * keys + 1, dim), _rows(queries, keys, keys)
    u, v = _vectors(rng, heads, dim), _vectors(rng, heads, dim)
    wide = [np.broadcast_to(one[:, None], q.shape) for one in (u, v)]
    made = {
        "q.k": parts["q.k"],
        "u.k": _products(wide[0], k),
        "q.p": _picked(_products(q, table), rows),
        "v.p": _picked(_products(wide[1], table), rows),
    }
    return made, {"q": q, "k": k, "projected": table, "rows": rows, "u": u, "v": v}


def _deberta_scores(rng, heads, queries, keys, dim):
    parts, inputs = _attention(rng, heads, queries, keys, dim)
    q, k = inputs["q"], inputs["k"]
    tables, rows = [_vectors(rng, heads, 2 * keys + 1, dim) for _ in range(2)], _rows(queries, keys, keys)
    p2c = np.swapaxes(_picked(_products(k, tables[1]), rows.T), -1, -2)
    made = {"q.k": parts["q.k"], "c2p": _picked(_products(q, tables[0]), rows), "p2c": p2c}
    return made, {"q": q, "k": k, "key_table": tables[0], "query_table": tables[1], "rows": rows, "scaling": "products"}


def _relative_scores(rng, heads, queries, keys, dim):
    x, table, rows = _vectors(rng, heads, queries, dim), _vectors(rng, 9, dim), _rows(queries, keys, 4)
    made, inputs = {"q.p": _picked(_products(x, table), rows)}, {"x": x, "weight": table, "rows": rows, "by": "query"}
    if rng.random() < 0.5:
        inputs["k"] = _vectors(rng, heads, keys, dim)
        made = {"q.k": _products(x, inputs["k"]), **made}
    return made, inputs


PARTS = {
    "attention": _attention,
    "xl_scores": _xl_scores,
    "deberta_scores": _deberta_scores,
    "relative_scores": _relative_scores,
}


# -- tables -----------------------------------------------------------------------------------------------------------


class Resized(NamedTuple):
    """What was planted: the kernel and how grids are aligned; the numbers, and the inputs."""

    kernel: str
    corners: bool
    numbers: np.ndarray
    weight: np.ndarray


def cubic(x, a):
    x = abs(x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


KERNELS = {
    "linear": (lambda x: max(0.0, 1 - abs(x)), 1),
    "cubic (a -0.75)": (lambda x: cubic(x, -0.75), 2),
    "cubic (a -0.5)": (lambda x: cubic(x, -0.5), 2),
}


def matrix(kernel, old, new, corners):
    """The weights of one axis (new, old), in float64; rows outside of the grid are the nearest ones."""
    weight, reach = KERNELS[kernel]
    made = np.zeros((new, old))
    for j in range(new):
        at = j * (old - 1) / max(1, new - 1) if corners else (j + 0.5) * old / new - 0.5
        for row in range(math.floor(at) - reach, math.floor(at) + reach + 2):
            made[j, min(max(row, 0), old - 1)] += weight(row - at)
    return made


def resized(seed):
    """The table of a seed at another size."""
    rng = np.random.default_rng(seed)
    kernel, corners = str(rng.choice(list(KERNELS))), bool(rng.integers(0, 2))
    old, new = (tuple(int(one) for one in rng.integers(4, 16, 2)) for _ in range(2))
    weight = _vectors(rng, *old, int(rng.integers(2, 40)))
    down, across = (matrix(kernel, *sides, corners).astype(F) for sides in zip(old, new, strict=True))
    numbers = np.einsum("ja,kb,abc->jkc", down, across, weight).astype(F)
    return Resized(kernel, corners, numbers, weight)
