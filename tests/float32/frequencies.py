"""Frequencies and the scalings of long contexts; an attention factor is computed where a program has it."""

import math

import numpy as np

from . import angles
from .angles import F, made, number
from .registry import float32


def makes_frequencies(function):
    """Registers a function that gives (inv_freq, attention factor, axes or None of each frequency): as a formula, and
    for the calls that tables and rotations take."""
    name = function.__name__
    setattr(angles, name, function)  # where `made` finds it, and a test changes it

    def formula(**arguments):
        inv_freq, factor, axes = made({"function": name, "arguments": arguments})
        return [inv_freq, np.asarray(factor), np.zeros(len(inv_freq), int) if axes is None else axes]

    float32(name, kind="float32-angle", defaults=False)(formula)
    return function


for _name in ("inverse_frequencies", "given_frequencies", "axial_frequencies", "mrope_frequencies"):
    makes_frequencies(getattr(angles, _name))


@makes_frequencies
def linear(factor, frequencies=None, **plain):
    start, scale, axes = made(frequencies) if frequencies else angles.inverse_frequencies(**plain)
    return start / F(factor), scale, axes


@makes_frequencies
def ntk(dim, factor, base=10000.0, rule="power"):
    grown = F(base) * F(factor) ** F(dim / (dim - 2)) if rule == "power" else F(base) * F(factor)
    return angles.inverse_frequencies(dim, grown)


@makes_frequencies
def ntk_alpha(dim, alpha, base=10000.0):
    return ntk(dim, alpha, base)


@makes_frequencies
def proportional(dim, partial_rotary_factor, base=10000.0, factor=1):
    found = angles.inverse_frequencies(dim, base)[0] / F(factor)
    found[int(partial_rotary_factor * dim // 2) :] = 0
    return found, F(1), None


@makes_frequencies
def llama3(dim, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings, base=10000.0):
    found = angles.inverse_frequencies(dim, base)[0]
    turns = F(original_max_position_embeddings) / (F(2 * math.pi) / found)
    wide = F(high_freq_factor - low_freq_factor)
    part = np.clip((turns - F(low_freq_factor)) / wide, F(0), F(1)) if wide else (turns > F(low_freq_factor)).astype(F)
    return (F(1) - part) * (found / F(factor)) + part * found, F(1), None


@makes_frequencies
def resonance(frequencies):
    start, scale, axes = made(frequencies)
    return F(2 * math.pi) / np.round(F(2 * math.pi) / start), scale, axes


@makes_frequencies
def learned_log_scale(frequencies, alpha):
    start, scale, axes = made(frequencies)
    return start * np.exp(np.array([float(number(value)) for value in alpha]).astype(F)), scale, axes


@makes_frequencies
def high_frequencies(frequencies, length):
    start, scale, axes = made(frequencies)
    with np.errstate(divide="ignore"):
        return np.where(F(2 * math.pi) / np.abs(start) <= F(number(length)), start, F(0)), scale, axes


@makes_frequencies
def dynamic_ntk(dim, factor, max_position_embeddings, seq_len=None, base=10000.0):
    length = max(seq_len or max_position_embeddings, max_position_embeddings)
    grown = F(number(factor)) * F(length) / F(max_position_embeddings) - (F(number(factor)) - F(1))
    return angles.inverse_frequencies(dim, F(number(base)) * grown ** F(dim / (dim - 2)))


@makes_frequencies
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
    plain = angles.inverse_frequencies(dim, base)[0]
    return plain / F(number(factor)) * ramp + plain * (F(1) - ramp), F(1), None


def mscale(factor, c=1):
    return 0.1 * float(number(c)) * math.log(float(number(factor))) + 1 if number(factor) > 1 else 1.0


@makes_frequencies
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


@makes_frequencies
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


@makes_frequencies
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


@makes_frequencies
def offset_geometric(dim, max_position=8192):
    n = dim // 2
    i = np.arange(n).astype(F)
    return F(1) / (i + F(max_position - n + 1) ** (i / F(max(n - 1, 1)))), F(1), None
