"""Small calls, such as those of one decode step: the direct call, and the same by `refpos.plan` where a plan has it.

Before they are timed, both must give the same bits.
"""

import statistics
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

import refpos
from refpos.cli import measure

FAR, KEYS = 122_880, 4096
LLAMA = {"model_type": "llama", "head_dim": 128, "num_attention_heads": 32, "num_key_value_heads": 8}
QWEN = {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
        "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}  # fmt: skip
HEAD = "call", "µs", "by refpos.plan, µs"


class Small(NamedTuple):
    """A call, and that of a plan for the same numbers."""

    name: str
    call: Callable
    planned: Callable | None = None


def calls():
    """The `Small` calls, with their arguments made."""
    drawn = np.random.default_rng(4)
    q, k, v = drawn.standard_normal((3, 1, 8, 16, 64))
    x, keys = (drawn.standard_normal((1, heads, 1, 128), np.float32) for heads in (32, 8))
    frequencies = refpos.inverse_frequencies(128)
    yield Small("rope, 1x32x1x128 float32", lambda: refpos.rope(x, [FAR], pairing="half", frequencies=frequencies))
    for name, config, position in (("Llama", LLAMA, [FAR]), ("Qwen2-VL", QWEN, [[FAR], [FAR], [FAR + 9]])):
        decoding = refpos.plan(config)
        yield Small(
            f"{name}: 32 heads of queries and 8 of keys, 128 channels, float32",
            partial(_rotate_both, decoding.model.rotary(), x, keys, position),
            partial(decoding.rotate, x, keys, position),
        )
    bloom, t5 = refpos.plan({"model_type": "bloom", "n_head": 32}), refpos.plan({"model_type": "t5", "num_heads": 8})
    weight = drawn.standard_normal((32, 8), np.float32)
    yield Small(
        f"alibi, 32x1x{KEYS} float32",
        lambda: refpos.alibi(32, 1, KEYS, mode="linear", query_offset=0, dtype="float32"),
        lambda: bloom.bias(1, KEYS, dtype="float32"),
    )
    yield Small(
        f"t5_bias, 8x1x{KEYS} float32",
        lambda: refpos.t5_bias(weight, 1, KEYS, bidirectional=False, max_distance=128, query_offset=KEYS - 1),
        lambda: t5.bias(1, KEYS, weight=weight, part="decoder", query_offset=KEYS - 1),
    )
    bias = refpos.alibi(8, 16, 16)
    yield Small("attention, 1x8x16x64 float64", lambda: refpos.attention(q, k, v))
    yield Small("attention, 1x8x16x64 float64, bias of ALiBi", lambda: refpos.attention(q, k, v, bias=bias))


def _rotate_both(rotary, x, keys, position):
    return rotary.rotate(x, position), rotary.rotate(keys, position)


def agree(one):
    """Whether both calls give the same bits; a call without a plan agrees."""
    if one.planned is None:
        return True
    pairs = [found if isinstance(found, tuple) else (found,) for found in (one.call(), one.planned())]
    return all(_same(*both) for both in zip(*pairs, strict=True))


def _same(one, other):
    return one.size > 0 and (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def rows(runs):
    """(name, µs, µs of the plan) of each call, as text."""
    for one in calls():
        if not agree(one):
            raise ValueError(f"the plan must give the bits of the call, got others: {one.name}")
        both = {"call": one.call} | ({"planned": one.planned} if one.planned else {})
        taken = measure.interleave(both, runs, pause=0)
        times = [f"{statistics.median(taken[key]) * 1e6:.1f}" for key in both]
        yield one.name, *times, *[""] * (2 - len(times))
