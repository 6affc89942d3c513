"""Frequencies of rotary encodings and their scalings, one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
