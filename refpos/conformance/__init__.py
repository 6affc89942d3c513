"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from . import biases, factors, ladders, rotations, scalings, tables
from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]

#: each enters its error bounds when it is imported
WITH_ERROR_BOUNDS = (biases, factors, ladders, rotations, scalings, tables)
