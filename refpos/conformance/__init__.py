"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from . import biases, factors, ladders, rotations, scalings, tables  # noqa: F401 each enters its error bounds
from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]
