"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from .derivations import (
    attention,
    biases,
    factors,
    fourier,
    gates,
    graphs,
    image_scores,
    kernels_of_distance,
    ladders,
    learned,
    learned_biases,
    relative_vectors,
    resizing,
    rotations,
    scalings,
    sums,
    tables,
    times,
    transformer_xl,
)
from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]

#: each enters its error bounds when it is imported
WITH_ERROR_BOUNDS = (
    attention, biases, factors, fourier, gates, graphs, image_scores, kernels_of_distance, ladders, learned,
    learned_biases, relative_vectors, resizing, rotations, scalings, sums, tables, times,
    transformer_xl,
)  # fmt: skip
