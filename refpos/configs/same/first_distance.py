"""The first distance between a query and a key at which two biases differ, or read rows that differ."""

import numpy as np

from ...relative.alibi_slopes import alibi_slopes
from ...relative.log_buckets import log_buckets
from ...relative.t5_buckets import t5_buckets
from .differences import TOLERANCE

FARTHEST = 2**20
#: {encoding: the parameters of the function that gives its rows}
BUCKETS = {
    "t5_bias": ("bidirectional", "num_buckets", "max_distance"),
    "gated_bias": ("bidirectional", "num_buckets", "max_distance"),
    "deberta_scores": ("num_buckets", "max_distance"),
}


def first_distance(a, b):
    """The distance for two `Encoding` of one name; None where no rule says it."""
    if a.name == "alibi":
        return _of_slopes(a.parameters, b.parameters)
    if a.name in BUCKETS and all(set(BUCKETS[a.name]) <= set(one.parameters) for one in (a, b)):
        return _of_buckets(a, b)
    if all(one.parameters.get("outside") == "clip" for one in (a, b)):
        return _of_ends(a.parameters, b.parameters)
    return None


def _of_slopes(a, b):
    """The first distance whose ALiBi differs by more than TOLERANCE in some head that both have."""
    slopes = [alibi_slopes(one["num_heads"], max_bias=one.get("max_bias", 8)) for one in (a, b)]
    heads = min(map(len, slopes))
    largest = float(np.abs(slopes[0][:heads] - slopes[1][:heads]).max())
    return int(TOLERANCE / largest) + 1 if largest else None


def _of_buckets(a, b):
    """The first distance whose rows differ, of keys before the query."""
    farthest = min(FARTHEST, 2 * max(one.parameters["max_distance"] for one in (a, b)))
    before = -np.arange(farthest, dtype=np.int64)
    differs = _rows(a, before) != _rows(b, before)
    return int(differs.argmax()) if differs.any() else None


def _rows(encoding, relative):
    values = {name: encoding.parameters[name] for name in BUCKETS[encoding.name]}
    return log_buckets(relative, rule="deberta", **values) if len(values) == 2 else t5_buckets(relative, **values)


def _of_ends(a, b):
    """The first distance that has a row of its own in one of two tables that end elsewhere."""
    ends = [(abs(a[name]), abs(b[name])) for name in ("low", "high") if isinstance(a[name], int) and a[name] != b[name]]
    return min((min(pair) + 1 for pair in ends), default=None)
