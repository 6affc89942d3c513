"""Numbers and one rounding: formats, whole numbers, exact reals, powers."""
