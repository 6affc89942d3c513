"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from .derivations import (
    attention,
    backward_attention,
    backward_deberta,
    backward_fire,
    backward_kernels,
    backward_resizing,
    backward_rotations,
    backward_scores,
    backward_sums,
    backward_waves,
    biases,
    computed_frequencies,
    factors,
    fourier,
    gated_attention,
    graphs,
    image_scores,
    kernels_of_distance,
    learned_biases,
    learned_layers,
    operators,
    relative_vectors,
    resizing,
    rotations,
    scalings,
    table_sums,
    tables,
    time_features,
    transformer_xl,
)
from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]

#: each enters its error bounds when it is imported
WITH_ERROR_BOUNDS = (
    attention, backward_attention, backward_deberta, backward_fire, backward_kernels, backward_resizing,
    backward_rotations, backward_scores, backward_sums, backward_waves, biases, computed_frequencies, factors, fourier,
    gated_attention, graphs, image_scores, kernels_of_distance, learned_biases, learned_layers, operators,
    relative_vectors, resizing, rotations, scalings, table_sums, tables, time_features, transformer_xl,
)  # fmt: skip
