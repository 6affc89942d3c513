"""Encodings that are added to embeddings: sinusoids, grids, Fourier features, times and graphs; one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
