"""Encodings that rotate queries and keys, one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
