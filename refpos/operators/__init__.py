"""Rotation and attention as operators of exchange formats and runtimes define them, one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
