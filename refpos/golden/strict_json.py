"""JSON in which each key stands once and each number is finite, unlike that of the standard library."""

import json
import math

from ..errors import shortened, shown


class Ambiguous(ValueError):
    """A repeated key, of which a reader takes one or the other, or a number that JSON does not have."""


def loads(text):
    """The value of a JSON text; ValueError where it is none, and Ambiguous where it repeats a key or has NaN."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_infinite, parse_float=_finite)


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Ambiguous(f"each key must stand once in an object, got {shown(twice, 60)} twice")
    return found


def _infinite(text):
    raise Ambiguous(f"numbers must be finite, got {shortened(text, 60)}")


def _finite(text):
    value = float(text)
    return value if math.isfinite(value) else _infinite(text)


def in_lines(names):
    """A manifest or lock as it is written: a line for each name, so that branches merge and a review shows which digest
    moved."""
    return (json.dumps(names, sort_keys=True, indent=1) + "\n").encode("ascii")
