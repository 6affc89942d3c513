"""How far numbers may be from the truth: classes with derived bounds, and the comparison of tensors."""

from .error_bounds import CLASSES, bounds, derives

__all__ = ["CLASSES", "bounds", "derives"]
