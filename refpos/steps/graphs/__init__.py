"""Graphs, their Laplacians and eigenvectors."""
