"""Attention, its scores and what they are multiplied by, one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
