"""The independent witness: the papers' formulas in rigorous ball arithmetic, with its own rounding.

Nothing here imports the package under test. A value is never trusted until a ball that surely contains it fixes its 64
leading binary digits; wider balls are computed again at twice the precision. A second engine (mpmath and fractions)
answers for samples of the first.
"""

from .digits import Digits, boundary_distance, from_floats, from_fractions, patterns, round_fraction
from .formulas import (
    alibi,
    alibi_exponents,
    alibi_slopes,
    frequency_digits,
    geometric,
    rope,
    rope_table,
    sincos_2d,
    sinusoidal,
    t5_bucket,
    t5_buckets,
)

__all__ = [
    "Digits",
    "alibi",
    "alibi_exponents",
    "alibi_slopes",
    "boundary_distance",
    "frequency_digits",
    "from_floats",
    "from_fractions",
    "geometric",
    "patterns",
    "rope",
    "rope_table",
    "round_fraction",
    "sincos_2d",
    "sinusoidal",
    "t5_bucket",
    "t5_buckets",
]
