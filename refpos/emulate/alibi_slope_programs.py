"""The linear bias in an emulated arithmetic."""

import math

import numpy as np

from ..errors import InputError
from ..relative.alibi import positions_of_keys
from .operations import BFLOAT16, FLOAT32, FLOAT64, power, product, quotient, rounded
from .profile_registry import emulates


@emulates("alibi_slopes")
def _alibi_slopes(arguments, profile):
    return (_slopes(arguments, profile),)


def _slopes(arguments, profile):
    """The slopes of the heads, in the order of the recursive convention."""
    if arguments["convention"] != "recursive":
        sentence = f"convention must be 'recursive' for {profile.name}, got {arguments['convention']!r}"
        raise InputError("E_CHOICE", "convention", sentence)
    heads, most = arguments["num_heads"], float(arguments["max_bias"])
    whole = 1 << heads.bit_length() - 1
    parts = [
        (whole, np.arange(1, whole + 1, dtype=np.int64)),
        (2 * whole, np.arange(1, 2 * (heads - whole) + 1, 2, dtype=np.int64)),
    ]
    slopes = np.concatenate([_RULES[profile.name](count, k, most) for count, k in parts])
    return rounded(slopes, BFLOAT16) if profile.name == "falcon_alibi" else slopes


def _by_python(count, k, most):
    """start * start**(k - 1) in Python floats, then float32."""
    start = _root(count, most)
    return rounded(product(start, power(start, k - 1, FLOAT64), FLOAT64), FLOAT32)


def _root(count, most):
    return float(power(2.0, -(most / count), FLOAT64))


def _by_root(count, k, most):
    """A power of a root in float32."""
    return power(rounded(_root(count, most), FLOAT32), k, FLOAT32)


def _by_exponent(count, k, most):
    """1 / 2**(k most / count) in float32."""
    exponents = product(k, rounded(most / count, FLOAT32), FLOAT32)
    return quotient(1.0, power(2.0, exponents, FLOAT32), FLOAT32)


_RULES = {
    "press_alibi": _by_python,
    "bloom_alibi": _by_root,
    "falcon_alibi": _by_root,
    "mpt_alibi": _by_exponent,
}


@emulates("alibi")
def _alibi(arguments, profile):
    fmt = BFLOAT16 if profile.name == "falcon_alibi" else FLOAT32
    distances, masked = _distances(arguments)
    bias = product(_slopes(arguments, profile)[:, None, None], rounded(distances, fmt)[..., None, :, :], fmt)
    if arguments["head_dim"] is not None:
        bias = quotient(bias, rounded(math.sqrt(arguments["head_dim"]), FLOAT32), fmt)
    return (np.where(masked, -np.inf, bias + 0.0),)


def _distances(arguments):
    """What slopes are multiplied by, (..., queries, keys), and which pairs are masked."""
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    offset, mode = keys - queries if offset is None else offset, arguments["mode"]
    key, query = np.arange(keys, dtype=np.int64), offset + np.arange(queries, dtype=np.int64)[:, None]
    relative = key - query
    masked = (relative > 0) & (mode == "causal")
    if arguments["anchor"] not in (None, "query"):
        positions, ranks = positions_of_keys(arguments["anchor"], keys, arguments["mask"])
        rows = positions[ranks][..., None, :]
        return np.broadcast_to(rows, (*rows.shape[:-2], queries, keys)), masked
    relative = -np.abs(relative) if mode == "symmetric" else relative
    return np.where((relative > 0) & (mode == "clipped"), 0, relative), masked
