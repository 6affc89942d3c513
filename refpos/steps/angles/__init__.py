"""Frequencies, and position times frequency as a fraction of a turn."""
