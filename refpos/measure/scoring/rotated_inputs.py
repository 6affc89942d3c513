"""Queries and keys that attention rotates first: both as asked, one of them, none, or by the other pairing."""

from __future__ import annotations

import numpy as np

from ...conformance import error_bounds
from ...rotary.rope import rope
from ..best_known import BASES
from ..written import Written

#: arguments of `refpos.rope` that may stand beside those of attention
ROTARY = ("positions", "pairing", "base", "rotary_dim", "frequencies")
MOST_BASES = 3  # of published models, that are tried
#: {class of attention: the class of a rotation that it inherits, the loosest of that precision}
INHERITED = {"sequence64": "float64-angle", "sequence32": "float32-exp-angle"}
SIXTEEN = ("weights16", "sequence16")  # classes that inherit the loosest of all, whose table has 16 bits


def changed(inputs, **others):
    """The inputs with others in their place."""
    return {**inputs, **others}


def as_asked(inputs):
    """The inputs of attention whose queries and keys are rotated, where a pairing is given; else the same."""
    return changed(inputs, **_rotated(inputs, "q", "k")) if "pairing" in inputs else inputs


def rotations_of(inputs):
    """(what a program does otherwise, the inputs as it takes them)."""
    if "pairing" not in inputs:
        return
    plain = {name: inputs[f"plain_{name}"] for name in ("q", "k")}
    yield "keys not rotated", changed(inputs, k=plain["k"])
    yield "queries not rotated", changed(inputs, q=plain["q"])
    yield "not rotated", changed(inputs, **plain)
    other = "interleaved" if inputs["pairing"].value == "half" else "half"
    others = changed(inputs, **plain, pairing=Written(repr(other), other))
    yield f"rotated with pairing {other!r}", changed(inputs, **_rotated(others, "q", "k"))
    for base in BASES[:MOST_BASES] if "frequencies" not in inputs else ():
        others = changed(inputs, **plain, base=Written(repr(base), base))
        yield f"rotated with base {base}", changed(inputs, **_rotated(others, "q", "k"))
    yield "rotated twice", changed(inputs, **_rotated(inputs, "q", "k"))


def _rotated(inputs, *names):
    """{name: its rotation, plain_name: itself}."""
    made = {}
    for name in names:
        one = inputs[name]
        given = {key: inputs[key] for key in ROTARY if key in inputs}
        positions = given.pop("positions", Written(str(one.value.shape[-2]), one.value.shape[-2]))
        words = ", ".join(f"{key}={value.text}" for key, value in given.items())
        arguments = {key: value.value for key, value in given.items()}
        values = rope(one.value, positions.value, **arguments)
        made[name] = Written(
            f"refpos.rope({one.text}, {positions.text}, {words})",
            values,
            _errors(one.value, positions.value, arguments),
        )
        made[f"plain_{name}"] = one
    return made


def _errors(x, positions, arguments):
    """{class of attention: bounds of the rotation}; None where frequencies are no call that says how they are made."""
    if "frequencies" in arguments:
        return None
    bits = {np.dtype(np.uint16): "bfloat16"}.get(np.asarray(x).dtype, np.asarray(x).dtype.name)
    limits = error_bounds.bounds("rope", arguments, {"x": x, "positions": positions}, bits)
    loosest = list(limits)[-1]
    return {kind: limits[of]["output"] for kind, of in {**INHERITED, **dict.fromkeys(SIXTEEN, loosest)}.items()}
