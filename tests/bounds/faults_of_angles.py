"""Faults of phases, of factors, of products of waves, of small angles and of the rounding test of pairs."""

SEEDS, TABLES, ROTATIONS, PYX = "ext/seeds.h", "ext/tables.h", "ext/rotations.h", "ext/compiled.pyx"
IN_SEEDS, WAVES, KERNELS = (f"refpos/kernels/numpy_{name}.py" for name in ("seeds", "waves", "kernels"))
FACTOR, POWERS = "refpos/steps/angles/attention_factor.py", "refpos/arithmetic/powers.py"
PHASES = "refpos/steps/angles/phases.py"
SMALL, RADII = "refpos/steps/angles/small_angles.py", "refpos/steps/waves/tables.py"

FAULTS = {
    "frequencies": [
        (PHASES, "exponent) + 16", "exponent) - 8", ""),
        (PHASES, "<< size - 1) //", "<< size - 2) //", ""),
        (PHASES, "LIMBS = 5", "LIMBS = 4", ""),
    ],
    "phases": [
        (SEEDS, "(b1 >> 32) + multiply(by->high, f2)", "multiply(by->high, f2)", ""),
        (SEEDS, "*next = (column ^ by->flip) & lower;", "*next = column & lower;", ""),
        (SEEDS, "(multiply(by->high, LIMB(1)) >> 32)", "(multiply(by->high, LIMB(1)) >> 31)", ""),
        (PYX, "carry = (total >> 32) + (a >> 32)", "carry = total >> 32", ""),
        (IN_SEEDS, "carry += (below >> SHIFT32).view(np.int64) + ", "carry += ", ""),
        (IN_SEEDS, "column = (column >> SHIFT32) + low * phases[2]", "column = low * phases[2]", ""),
    ],
    "places": [
        (SEEDS, "(turns & 0x7FFFFFFull) << 25 | next >> 7", "(turns & 0x7FFFFFFull) << 25 | next >> 6", ""),
        (SEEDS, "*(loose_q *)knot = turns >> 54 << 1", "*(loose_q *)knot = turns >> 53", ""),
        (PYX, "& 0x1FFFFFFFFFFFFFULL) - (1LL << 52)", "& 0x1FFFFFFFFFFFFFULL) - (1LL << 51)", ""),
        (IN_SEEDS, "BELOW_KNOT = np.uint64(11)", "BELOW_KNOT = np.uint64(10)", ""),
    ],
    "seed_factor": [
        (FACTOR, "upper * low + lower * high + lower * low", "upper * low + lower * low", ""),
        (FACTOR, "GRID = 1.5 * 2.0**26", "GRID = 1.5 * 2.0**25", ""),
        (KERNELS, "np.ldexp(1.5, 26 + ", "np.ldexp(1.5, 25 + ", "NumPy, the factor below 1"),
        (KERNELS, "pairs[k + 1] * high", "pairs[k + 1] * 0.5 * high", "NumPy, the factor below 1"),
        (PYX, "* (2.0 * GRID_26)", "* (1.0 * GRID_26)", "one by one, the factor below 1"),
        (PYX, "upper * low + lower * high", "upper * low - lower * high", "one by one, the factor below 1"),
    ],
    "addition_factor": [
        (IN_SEEDS, "    rest += waves[1] * rotated[0]\n", "", "not fused"),
        (IN_SEEDS, "(waves[0] + waves[1]) * rotated[1]", "waves[1] * rotated[1]", "second fused"),
        (PYX, "(q[0] + q[a_plane]) * t[b_plane]", "(q[0] + q[a_plane]) * t[b_plane] * 0.5", "one by one"),
        (RADII, "PAIR_RADIUS = 2.0**-74", "PAIR_RADIUS = 2.0**-75", "not fused"),
    ],
    "addition_factor_vectors": [
        (TABLES, "fnma_d(s1, t0, fnma_d(s0, t, reach))", "fnma_d(s0, t, reach)", ""),
        (TABLES, "t = t1 + t0", "t = t1", ""),
        (TABLES, "fma_d(c1, d0, fma_d(c0, d,", "fma_d(c1, d0, fma_d(c0 * 0x1.8p0, d,", "not fused"),
    ],
    "wave_product": [
        (WAVES, "made *= table.take(", "made += table.take(", ""),
        (WAVES, "coarse[:, None] * fine", "coarse[:, None] * fine * 1.25", ""),
        (IN_SEEDS, "leading = waves[0] * rotated[0]", "leading = waves[0] * rotated[0] * 2", ""),
    ],
    "digits": [
        (WAVES, "return make, 2 if count == 2 else 4", "return make, 1 if count == 2 else 4", ""),
        (WAVES, "return make, 2 if count == 2 else 4", "return make, 2 if count == 2 else 3", ""),
        (WAVES, "MOST_DIGITS = 5", "MOST_DIGITS = 6", ""),
        ("refpos/kernels/numpy_small.py", "((2 * radius,) * 4", "((1 * radius,) * 4", ""),
        ("refpos/kernels/numpy_small.py", "MOST_DIGITS = {2: 4, 4: 2}", "MOST_DIGITS = {2: 8, 4: 2}", ""),
    ],
    "small_lower": [
        (SMALL, "(1 / 120) - 1 / 6)", "(1 / 120) - 1 / 3)", ""),
        (SMALL, "LARGEST = -14", "LARGEST = -13", ""),
        (POWERS, "low * other_high)", "low * other_high * 3)", ""),
    ],
    "small_sines": [
        (SMALL, "(1 / 120) - 1 / 6)", "(1 / 120) - 1 / 6.0001)", ""),
        (SMALL, "low + high * (square", "high * (square", ""),
        (POWERS, "(high * other_low + low * other_high)", "low * other_high", "with a factor"),
        (SMALL, "RADIUS = 2.0**-77", "RADIUS = 2.0**-80", ""),
    ],
    "small_cosines": [
        (SMALL, "(1 / 24) - 0.5)", "(1 / 25) - 0.5)", ""),
        (SMALL, "low = factor.low + factor.high", "low = factor.high", "with a factor"),
        (SMALL, "LARGEST = -14", "LARGEST = -13", ""),
    ],
    "ends": [
        (PYX, "narrowed(leading + (rest - radius)", "narrowed(leading + rest", ""),
        (PYX, "high + (low + error_radius)", "(high + low) + error_radius", ""),
        (KERNELS, "return leading + (rest - radius)", "return leading + rest", ""),
        (POWERS, "low + side * radius)", "low + side * radius * 0)", ""),
        (TABLES, "p + (u - twice)", "p + u", ""),
        (ROTATIONS, "v1 + (v0 - twice)", "(v1 + v0) - twice", ""),
    ],
}  # fmt: skip
