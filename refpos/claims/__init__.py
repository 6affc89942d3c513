"""What papers claim about encodings: decided for the formula, and measured on the rounded numbers."""

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
