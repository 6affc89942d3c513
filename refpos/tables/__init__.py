"""Learned tables of position embeddings: read, joined and resized; one file each."""
