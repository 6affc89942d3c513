"""Learned tables of position embeddings: read, joined and resized; one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
