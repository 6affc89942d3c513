"""Encodings that are added to embeddings: sinusoids, grids, Fourier features, times and graphs; one file each."""
