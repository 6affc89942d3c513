"""What papers claim of encodings: decided of the formula, and measured on its numbers after rounding."""

from .claim import Claim
from .distance_only import distance_only
from .mixed_layouts import mixed_layouts
from .permutation_equivariant import permutation_equivariant
from .shift_invariant import shift_invariant
from .shift_is_linear import shift_is_linear

__all__ = [
    "Claim",
    "distance_only",
    "mixed_layouts",
    "permutation_equivariant",
    "shift_invariant",
    "shift_is_linear",
]
