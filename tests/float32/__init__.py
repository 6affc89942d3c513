"""The formulas of the field as programs compute them in float32: one for each function with an error bound."""

from . import (
    absolute,
    factors,
    feature_gradients,
    frequencies,
    gradients,
    learned,
    relative,
    rotary,
    scores,
    sixteen_bits,
)
from .registry import REGISTER, Formula

__all__ = [
    "REGISTER", "Formula", "absolute", "factors", "feature_gradients", "frequencies", "gradients", "learned",
    "relative", "rotary", "scores", "sixteen_bits",
]  # fmt: skip
