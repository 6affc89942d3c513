"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from . import (
    biases,
    factors,
    fourier,
    gates,
    kernels_of_distance,
    ladders,
    learned,
    resizing,
    rotations,
    scalings,
    sums,
    tables,
)
from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]

#: each enters its error bounds when it is imported
WITH_ERROR_BOUNDS = (
    biases, factors, fourier, gates, kernels_of_distance, ladders, learned, resizing, rotations, scalings, sums, tables,
)  # fmt: skip
