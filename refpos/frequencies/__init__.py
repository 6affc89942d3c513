"""Frequencies and their scalings, one file each; each function enters itself into the catalogue."""
