"""Queries, keys and values of the heads of attention, and the scores of queries and keys, as float64."""

import math

import numpy as np

from ... import checks
from ...errors import InputError
from ..rows import doubles, gather
from . import ordered_sums


def read(name, values):
    """float64 numbers (..., length, dim), at least two axes."""
    numbers, _ = doubles.read(name, values)
    if numbers.ndim < 2:
        raise InputError("E_SHAPE", name, f"{name} must be (..., length, dim), got shape {numbers.shape}")
    return numbers


def read_table(name, values):
    """A `Table` (..., length, dim) in its own format, at least two axes."""
    array = checks.array(name, values, "E_DTYPE", "an array of floats")
    if array.ndim < 2:
        raise InputError("E_SHAPE", name, f"{name} must be (..., length, dim), got shape {array.shape}")
    return gather.read_table(name, array, ("axis",) * array.ndim)


def read_queries_keys(q, k):
    """float64 q (..., heads, queries, dim) and k, its heads repeated where a group of queries shares them."""
    queries, keys = read("q", q), read("k", k)
    if queries.shape[-1] != keys.shape[-1]:
        sentence = f"k must have {queries.shape[-1]} channels, as q has, got shape {keys.shape}"
        raise InputError("E_SHAPE", "k", sentence)
    return queries, repeated("k", keys, queries.shape[:-2])


def repeated(name, keys, lead):
    """Keys (..., key heads, keys, dim) with the leading axes of queries: query head h reads key head h // group."""
    group = group_of(name, keys.shape[:-2], lead)
    return keys if group == 1 else np.repeat(keys, group, axis=-3)


def group_of(name, own, lead):
    """How many heads share one of the keys, from the leading axes of keys and of queries."""
    if own == lead:
        return 1
    same = len(own) == len(lead) > 0 and own[:-1] == lead[:-1]
    if not same or own[-1] == 0 or lead[-1] % own[-1]:
        sentence = f"{name} must have the leading axes {lead} of q, or heads that divide its heads"
        raise InputError("E_SHAPE", name, f"{sentence}, got {own}")
    return lead[-1] // own[-1]


def read_scale(scale, dim):
    """The factor of the scores as float64: a number, or 1 / sqrt(dim), a root and a quotient, each rounded."""
    if scale is not None:
        return doubles.number("scale", scale)
    return 1.0 / math.sqrt(dim) if dim else 1.0


def scores(q, k, threads=None):
    """q . k for each query and key, (..., queries, keys): products summed with the channel ascending."""
    return ordered_sums.matmul(q, k.swapaxes(-1, -2), threads)
