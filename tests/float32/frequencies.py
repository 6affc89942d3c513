"""Frequencies and the scalings of long contexts; an attention factor is computed where a program has it."""

import math

import numpy as np

from . import angles
from .angles import F, inverse_frequencies, made, number
from .registry import float32

SCALINGS = ("linear", "proportional", "learned_log_scale", "resonance", "high_frequencies", "ntk", "ntk_alpha",
            "dynamic_ntk", "llama3", "ntk_by_parts", "yarn", "longrope")  # fmt: skip
LADDERS = ("inverse_frequencies", "given_frequencies", "axial_frequencies", "mrope_frequencies", "bands",
           "offset_geometric")  # fmt: skip


def learned_log_scale(frequencies, alpha):
    start, scale, axes = made(frequencies)
    return start * np.exp(np.array([float(number(value)) for value in alpha]).astype(F)), scale, axes


def high_frequencies(frequencies, length):
    start, scale, axes = made(frequencies)
    with np.errstate(divide="ignore"):
        return np.where(F(2 * math.pi) / np.abs(start) <= F(number(length)), start, F(0)), scale, axes


def dynamic_ntk(dim, factor, max_position_embeddings, seq_len=None, base=10000.0):
    length = max(seq_len or max_position_embeddings, max_position_embeddings)
    grown = F(number(factor)) * F(length) / F(max_position_embeddings) - (F(number(factor)) - F(1))
    return inverse_frequencies(dim, F(number(base)) * grown ** F(dim / (dim - 2)))


def ntk_by_parts(dim, factor, original_max_position_embeddings, base=10000.0, truncate=True, beta_fast=32,
                 beta_slow=1, clamp="dim-1"):  # fmt: skip
    def corrected(beta):
        turns = original_max_position_embeddings / (float(number(beta)) * 2 * math.pi)
        return dim * math.log(turns) / (2 * math.log(float(number(base))))

    low, high = corrected(beta_fast), corrected(beta_slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1 if clamp == "dim-1" else dim // 2 - 1)
    ramp = np.clip((np.arange(dim // 2).astype(F) - F(low)) / F(high - low or 0.001), F(0), F(1))
    plain = inverse_frequencies(dim, base)[0]
    return plain / F(number(factor)) * ramp + plain * (F(1) - ramp), F(1), None


def mscale(factor, c=1):
    return 0.1 * float(number(c)) * math.log(float(number(factor))) + 1 if number(factor) > 1 else 1.0


def yarn(dim, original_max_position_embeddings, factor=None, max_position_embeddings=None, attention_factor=None,
         mscale_rule="both", **given):  # fmt: skip
    one, all_dim = given.pop("mscale", None), given.pop("mscale_all_dim", None)
    factor = factor or max_position_embeddings / original_max_position_embeddings
    found = ntk_by_parts(dim, factor, original_max_position_embeddings, **given)
    if attention_factor is not None:
        scale = number(attention_factor)
    elif mscale_rule == "ratio":
        scale = mscale(factor, 1 if one is None else one) / mscale(factor, all_dim or 0)
    else:
        scale = mscale(factor, one) / mscale(factor, all_dim) if one and all_dim else mscale(factor)
    return found[0], F(scale), None


def longrope(dim, short_factor, long_factor, original_max_position_embeddings, base=10000.0, seq_len=None,
             factor=None, max_position_embeddings=None, attention_factor=None, short_mscale=None,
             long_mscale=None):  # fmt: skip
    trained = original_max_position_embeddings
    long = seq_len is not None and seq_len > trained
    divisors = np.array([float(number(value)) for value in (long_factor if long else short_factor)]).astype(F)
    exponent = np.arange(0, dim, 2).astype(F) / F(dim)
    own = long_mscale if long else short_mscale
    own = attention_factor if own is None else own
    if own is None:
        ratio = number(factor) if factor else max_position_embeddings / trained
        own = np.sqrt(F(1) + np.log(F(ratio)) / np.log(F(trained))) if ratio > 1 else F(1)
    return F(1) / (divisors * F(number(base)) ** exponent), F(number(own)), None


def bands(n, low, high, rule, endpoint=True):
    low, high = (F(number(value)) for value in (low, high))
    t = np.arange(n).astype(F) / F(max(n - 1 if endpoint else n, 1))
    if rule == "linear":
        found = low + t * (high - low)
    elif rule == "geometric":
        found = low * (high / low) ** t
    else:
        found = F(2) ** (low + t * (high - low))
    return found, F(1), None


def offset_geometric(dim, max_position=8192):
    n = dim // 2
    i = np.arange(n).astype(F)
    return F(1) / (i + F(max_position - n + 1) ** (i / F(max(n - 1, 1)))), F(1), None


for _function in (learned_log_scale, high_frequencies, dynamic_ntk, ntk_by_parts, yarn, longrope, bands,
                  offset_geometric):  # fmt: skip
    setattr(angles, _function.__name__, _function)  # `made` looks for the functions of calls there


def _of(name):
    def formula(**arguments):
        inv_freq, factor, axes = made({"function": name, "arguments": arguments})
        return [inv_freq, np.asarray(factor), np.zeros(len(inv_freq), int) if axes is None else axes]

    return formula


for _name in (*SCALINGS, *LADDERS):
    float32(_name, kind="float32-angle", defaults=False)(_of(_name))
