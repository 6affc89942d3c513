"""Exact numbers and one rounding: formats, integers in fixed point, real numbers, powers, matrix exponentials."""
