"""Cosines and sines of angles as tables, and the rotation of pairs of channels."""
