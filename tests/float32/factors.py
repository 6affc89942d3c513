"""Factors on queries and on the softmax scale, in float32."""

import numpy as np

from .angles import F, number, places
from .registry import float32


@float32("attention_temperature", kind="float32-logarithm")
def attention_temperature(positions, attn_scale, floor_scale, shift, **_):
    floor = np.floor((places(positions) + F(number(shift))) / F(number(floor_scale)))
    return F(1) + F(number(attn_scale)) * np.log(floor + F(1))


def _mscale(scale, c):
    return F(1) if number(scale) <= 1 else F(0.1) * F(number(c)) * np.log(F(number(scale))) + F(1)


@float32("yarn_softmax_scale", kind="float32-logarithm")
def yarn_softmax_scale(factor, mscale_all_dim, **_):
    return _mscale(factor, mscale_all_dim) ** 2


@float32("dual_chunk_mscale", kind="float32-logarithm")
def dual_chunk_mscale(scale, version, **_):
    return _mscale(scale, 0.5 if version == "chunkllama" else 1)


@float32("log_n_scale", kind="float32-logarithm")
def log_n_scale(positions, training_length, **_):
    return np.maximum(F(1), np.log(places(positions) + F(1)) / np.log(F(training_length)))


@float32("per_dim_scale", kind="sequence32")
def per_dim_scale(weight, dim, **_):
    return np.log1p(np.exp(weight)) / np.log1p(np.exp(F(0))) / np.sqrt(F(dim))
