"""Reading a bias that is a kernel of the distance: logarithm, power or exponential, with numbers of each head."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..relative.decay import decay
from ..relative.kerple import kerple
from ..types import Array
from .best_known import inside
from .bias_calls import call_text, class_met, values_of
from .estimates import exponential, logarithm
from .made import made_in
from .reading_result import Reading
from .wording import several

KIND = "kernel of the distance"
STEPS = 3  # of least squares
HALVINGS = 60  # of the interval of a logarithm's number
LEAST = 0.01  # of the numbers of KERPLE
FEWEST = 4  # distances that tell a kernel


class Line(NamedTuple):
    """The numbers of each head at distances 1, 2, .., (heads, distances), that at distance 0, that of keys after the
    query (None where they are masked, or where there is none), and the position of the first query."""

    values: Array
    at_zero: float
    after: float | None
    start: int

    @property
    def distances(self):
        """The distances, as float64."""
        return np.arange(1, self.values.shape[1] + 1, dtype=np.float64)


def read_kernel(biases, name):
    """The `Reading` of `Biases` that depend on the distance of a key before the query alone; None where they do not."""
    line = _line(biases)
    if line is None:
        return None
    apart = 64 * float(np.ldexp(1.0, -formats.FORMATS[biases.format].precision))
    if line.at_zero == 1.0:
        return _of_weights(biases, line, apart)
    found = kernel_of(line.values, line.distances, apart)
    return None if found is None else _kerple(biases, line, *found, apart)


def first_places(distances: Array, start: int) -> tuple[Array, Array]:
    """(query, key) of the first element, in C order, at each distance query minus key; start: that of query 0 from
    key 0."""
    queries = np.maximum(distances - start, 0)
    return queries, queries + start - distances


def _line(biases):
    """The `Line` of all elements; None where an element has another number than its distance."""
    _, queries, keys = biases.values.shape
    relative = np.arange(keys, dtype=np.int64) - np.arange(queries, dtype=np.int64)[:, None]
    for start in dict.fromkeys((keys - queries, 0)):
        distances = start - relative
        farthest = int(distances.max())
        if farthest < FEWEST or distances.min() > 1:
            continue
        rows, columns = first_places(np.arange(1, farthest + 1, dtype=np.int64), start)
        values = biases.values[:, rows, columns]
        told, after = ~biases.masked, distances < 0
        zeros = biases.values[:, (distances == 0) & told]
        later = biases.values[:, after & told]
        at_zero = float(zeros.flat[0]) if zeros.size else 0.0
        beyond = float(later.flat[0]) if later.size else None
        made = np.where(distances > 0, values[:, (distances - 1).clip(0)], np.where(after, beyond or 0.0, at_zero))
        plain = at_zero in (0.0, 1.0) and beyond in (None, 0.0, at_zero) and np.isfinite(values).all()
        if plain and (made == biases.values)[:, told].all():
            return Line(values, at_zero, beyond, start)
    return None


def log_numbers(values, distances):
    """(p, a) of each head of -p ln(1 + a d), from the first and the last distance."""
    if not (values < 0).all():
        return None
    with np.errstate(all="ignore"):
        ratio = values[:, -1] / values[:, 0]
        low, high = np.full(len(values), 2.0**-30), np.full(len(values), 2.0**30)
        for _ in range(HALVINGS):
            middle = np.sqrt(low * high)
            falls = logarithm(1 + middle * distances[-1]) / logarithm(1 + middle) > ratio
            low, high = np.where(falls, middle, low), np.where(falls, high, middle)
        return _nearer(values, distances, -values[:, -1] / logarithm(1 + low * distances[-1]), low)


def _nearer(values, distances, p, a):
    """(p, a) nearest to the numbers at all distances, by steps of least squares in relative errors."""
    for _ in range(STEPS):
        logs = logarithm(1 + a[:, None] * distances)
        made = -p[:, None] * logs
        by_p, by_a = -logs / made, -p[:, None] * distances / (1 + a[:, None] * distances) / made
        left = values / made - 1
        sums = [(one * other).sum(axis=1) for one, other in ((by_p, by_p), (by_p, by_a), (by_a, by_a))]
        right = (by_p * left).sum(axis=1), (by_a * left).sum(axis=1)
        size = sums[0] * sums[2] - sums[1] * sums[1]
        p = p + (sums[2] * right[0] - sums[1] * right[1]) / size
        a = a + (sums[0] * right[1] - sums[1] * right[0]) / size
    return p, a


def power_numbers(values, distances):
    """(p, a) of each head of -a d**p, from the first and the last distance."""
    if not (values < 0).all():
        return None
    return logarithm(values[:, -1] / values[:, 0]) / logarithm(distances[-1]), -values[:, 0]


FITS = {"log": log_numbers, "power": power_numbers}


def kernel_of(values, distances, apart, kinds=tuple(FITS)):
    """(kind, (p, a)) of the first kernel of some kinds that numbers (heads, distances) are, about; None where they are
    none."""
    for kind in kinds:
        found = FITS[kind](values, distances)
        if found is not None and _near(values, distances, kind, found, apart):
            return kind, found
    return None


def _near(values, distances, kind, found, apart):
    """Whether the numbers at all distances are those of a kernel, about."""
    p, a = (one[:, None] for one in found)
    if kind == "log":
        made = -p * logarithm(1 + a * distances)
    else:
        made = -a * exponential(p * logarithm(distances))
    return bool((np.abs(made - values) <= apart * np.abs(values)).all())


def _kerple(biases, line, kind, found, apart):
    """The reading of a kernel of KERPLE, with the call where numbers of few digits have it within the bounds."""
    p, a = found
    rule = {"log": "-p ln(1 + a d)", "power": "-a d**p", "weight": "exp(-a d**p)"}[kind]
    where = "" if line.start == biases.values.shape[2] - biases.values.shape[1] else f", queries from {line.start} on"
    summary = f"{KIND} of {len(p)} heads{where}, {rule}, p {several(p)}, a {several(a)}"
    base = Reading(KIND, summary, biases.format, slopes=np.stack([p, a]), notes=biases.notes)
    if (line.after is None and biases.masked.any()) or min(p.min(), a.min()) < LEAST:
        return base
    for near in (apart, apart / 8, apart / 64, apart / 512):
        short = [[inside(one * (1 - near), one * (1 + near))[0] for one in part.tolist()] for part in (p, a)]
        named = _of_numbers(base, biases, line, kind, short)
        if named.call is not None:
            return named
    return base


def _of_numbers(base, biases, line, kind, short):
    """The reading with the call of `kerple` with these numbers, where its bounds verify it."""
    _, queries, keys = biases.values.shape
    where = line.start != keys - queries
    given = {"kind": kind, **({"query_offset": line.start} if where else {})}
    made = made_in(biases.format, kerple, *short, queries, keys, **given)
    call = {"p": short[0], "a": short[1], "query_len": queries, "key_len": keys, **given}
    return _judged(
        base, biases, ("kerple", call, made), call_text("kerple", (*short, queries, keys), given, base.format)
    )


def _judged(base, biases, call, text):
    """The reading with a call, where the numbers meet a class of its bounds."""
    name, given, made = call
    met = class_met(name, given, biases.format, biases.values, values_of(made, biases.format))
    if met is None:
        return base
    return replace(base, call=text + biases.ending, met=met, elements=biases.values.size)


def _of_weights(biases, line, apart):
    """The reading of kernels that multiply: a decay by one factor for each token, or KERPLE's."""
    if not ((line.values > 0) & (line.values < 1)).all():
        return None
    logs = logarithm(line.values)
    found = kernel_of(logs, line.distances, 64 * apart, ("power",))
    if found is None:
        return None
    p, a = found[1]
    if line.after not in (None, 0.0) or np.abs(p - 1).max() > 64 * apart:
        return _kerple(biases, line, "weight", (p, a), apart)
    heads, queries, keys = biases.values.shape
    summary = f"{KIND} of {heads} heads, g**d, g {several(line.values[:, 0])}"
    base = Reading(KIND, summary, biases.format, slopes=line.values[:, 0], notes=biases.notes)
    given = {"rule": "retnet", **({"query_offset": line.start} if line.start != keys - queries else {})}
    made = made_in(biases.format, decay, heads, queries, keys, **given)
    call = {"num_heads": heads, "query_len": queries, "key_len": keys, **given}
    return _judged(base, biases, ("decay", call, made), call_text("decay", (heads, queries, keys), given, base.format))
