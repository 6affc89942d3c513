"""Mistakes of results in 8 bits: wrong formats, rules of rounding, scales and blocks."""
