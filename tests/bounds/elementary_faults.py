"""Faults in the source of the elementary functions, for each script. (file, text, text in its place, variant)"""

PAIRS, POWERS = "refpos/arithmetic/double_double.py", "refpos/arithmetic/powers.py"
EXP, QUICK = "refpos/arithmetic/exponentials.py", "refpos/arithmetic/quick_exponential.py"
ERF, HARD_CASES = "refpos/arithmetic/error_function.py", "refpos/arithmetic/hard_cases.py"
ELEMENTARY = "refpos/arithmetic/elementary.py"

FAULTS = {
    "pair_product": [
        (POWERS, "(high * other_low + low * other_high)", "(high * other_low)", ""),
        (POWERS, "rest + (high * other_low", "rest - (high * other_low", "one cut"),
        (POWERS, "1 << 26) & np.uint64(0xFFFF_FFFF_F800_0000)", "1 << 28) & np.uint64(0xFFFF_FFFF_E000_0000)", ""),
        (POWERS, "+ one_low * other_low\n", "\n", "one cut"),
    ],
    "product_of_low": [
        (POWERS, "rest + (high * other_low", "rest - (high * other_low", ""),
        (POWERS, "(high * other_low + low * other_high)", "(low * other_high)", "positive"),
        (POWERS, "return total, rest - (total - product)", "return total, rest + (total - product)", ""),
    ],
    "pair_sum": [
        (PAIRS, "rest + (low + other_low)", "(low + other_low)", ""),
        (PAIRS, "rest + (low + other_low)", "rest + (low - other_low)", "close"),
        (PAIRS, "rest + (low + other_low)", "rest * 2.0 + (low + other_low)", ""),
        (PAIRS, "return total, small - (total - large)", "return total, small - total", "close"),
    ],
    "pair_quotient": [
        (PAIRS, "- rest + (low - quotient * other_low)", "+ (low - quotient * other_low)", ""),
        (PAIRS, "(low - quotient * other_low)", "(low + quotient * other_low)", "from 1"),
        (PAIRS, "remainder / other_high)", "remainder / high)", ""),
    ],
    "exp_argument": [
        (EXP, "for bits in (38, 70)", "for bits in (47, 79)", "large"),
        (EXP, "(first + second) - k * c.parts[2]", "(first + second)", "large"),
        (EXP, "two_sum(x, -k * c.parts[0])", "two_sum(x, k * c.parts[0])", ""),
    ],
    "exp_series": [
        (EXP, "range(10, 5, -1)", "range(9, 5, -1)", ""),
        (EXP, "    low = low + rest\n    for n in range(4", "    low = low - rest\n    for n in range(4", ""),
        (EXP, "for n in range(12)]", "for n in range(13)][1:]", ""),
        (EXP, "range(4, -1, -1)", "range(3, -1, -1)", "positive"),
    ],
    "exponential": [
        (EXP, "c.powers.high[step], c.powers.low[step])", "c.powers.high[step], 0.0)", ""),
        (EXP, "high, low = multiply(*_taylor(", "high, low = add(*_taylor(", ""),
        (POWERS, "(n >> size - 106, e + size - 106) if", "(n >> size - 80, e + size - 80) if", "from 1"),
    ],
    "quick_argument": [
        (QUICK, "FIRST = 2.0**-43", "FIRST = 2.0**-49", "positive"),
        (QUICK, "TO_INTEGER = 1.5 * 2.0**52", "TO_INTEGER = 1.5 * 2.0**53", "negative"),
        (QUICK, "k * c.parts[1]  #", "k * c.parts[0]  #", "positive"),
    ],
    "quick_exponential": [
        (QUICK, "r * (1 / 24 + r * (1 / 120))", "r * (1 / 24)", "positive"),
        (QUICK, "+ low * r_high + low +", "+ low +", "negative"),
        (QUICK, "RADIUS = 2.0**-72", "RADIUS = 2.0**-16", ""),
        (QUICK, "TO_GRID = 1.5 * 2.0**15", "TO_GRID = 1.5 * 2.0**9", "positive"),
    ],
    "log_double": [
        (EXP, "- z * (1 / 6)", "", ""),
        (EXP, "(1 / 3 - z * (1 / 4", "(1 / 3 + z * (1 / 4", ""),
        (EXP, "(high - cell / CELLS) / (cell / CELLS)", "(high - cell / CELLS)", "from 1"),
        (EXP, "CELLS = 128", "CELLS = 64", ""),
    ],
    "logarithm": [
        (EXP, "d - d * d / 2)", "d + d * d / 2)", "from 1"),
        (EXP, "d - d * d / 2)", "d)", "from 1"),
        (EXP, "d = (product - 1) + rest", "d = product - 1", "from 1"),
    ],
    "log_near": [
        (EXP, "two_sum(0.5, -u * (1 / 3 - u / 4))", "two_sum(0.5, -u * (1 / 3))", ""),
        (EXP, "(1 / 3 - u / 4)", "(0.333333 - u / 4)", "positive"),
        (EXP, "NEAR = 2.0**-20", "NEAR = 2.0**-10", ""),
        (EXP, "multiply(u, u_low, *log_1_plus_over(", "multiply(u, 0.0, *log_1_plus_over(", ""),
    ],
    "log_of_power": [
        (EXP, "*constants().log_2), high, low)", "*constants().log_2), high, 0.0)", ""),
        (EXP, "astype(np.float64), 0.0, *const", "astype(np.float64) * 2.5, 0.0, *const", ""),
        (EXP, "0.0, *constants().log_2)", "0.0, constants().log_2[0], 0.0)", "positive"),
    ],
    "sigmoid": [
        (ELEMENTARY, "(top, top_low, *add(1.0, 0.0, u, u_low))", "(top, top_low, *add(1.0, 0.0, -u, -u_low))", ""),
        (ELEMENTARY, "np.where(negative, high, 1.0), ", "np.where(negative, 1.0, high), ", ""),
        (ELEMENTARY, "top_low, *add(1.0, 0.0, u, u_low))", "top_low, *add(1.0, 2.0**-90, u, u_low))", "positive"),
    ],
    "tanh": [
        (ELEMENTARY, "divide(*add(1.0, 0.0, -u, -u_low), ", "divide(*add(1.0, 0.0, u, u_low), ", ""),
        (ELEMENTARY, "-u, -u_low), *add(1.0, 0.0, u, u_low)", "-u, -u_low), *add(1.0, 2.0**-60, u, u_low)", ""),
        (ELEMENTARY, "exponential(-2 * x))\n    q,", "exponential(-x))\n    q,", ""),
    ],
    "softplus": [
        (ELEMENTARY, "add(total, rest, np.maximum(", "add(total, 0.0, np.maximum(", ""),
        (ELEMENTARY, "one, one_low = add(1.0, 0.0, u, u_low)\n", "one, one_low = add(1.0, 0.0, u, 0.0)\n", ""),
        (EXP, "*constants().log_2), high, low)", "*constants().log_2), -high, -low)", "beyond 1.4143"),
    ],
    "exp_of_pair": [
        (EXP, "rest + low * low / 2)", "rest)", ""),
        (EXP, "rest + low * low / 2)", "rest + low * low / 3)", "positive"),
        (EXP, "one, rest = two_sum(1.0, low)", "one, rest = two_sum(1.0 + 2.0**-50, low)", "positive"),
    ],
    "erf": [
        (ERF, "(-1) ** (n - 1) / factorial(n)", "(-1) ** (n - 1) / factorial(n + 1)", ""),
        (ERF, "2 * c * now - 2 * (n - 1) * before", "2 * c * now - 2 * n * before", ""),
        (ERF, "        tail = tail * h + highs[n, centre]", "        tail = tail + highs[n, centre]", ""),
        (ERF, "highs[n, centre], lows[n, centre], high", "highs[n, centre], 0.0, high", "centres to 6, from 2"),
        (ERF, "DEGREE = 17", "DEGREE = 13", "centre 0, from 0"),
        (ERF, "PAIRS = 9", "PAIRS = 8", "centres to 6, from 9"),
    ],
    "as_pair": [
        (EXP, "return high, float(value - Fraction(high))", "return high, 0.0", ""),
        (EXP, "    high = float(value)\n", "    high = float(2 * value)\n", ""),
        (EXP, ".fixed(160), 1 << 160))", ".fixed(100), 1 << 100))", ""),
    ],
    "inverse_power": [
        (HARD_CASES, "low * -(2.0**-106), *exp", "low * -(2.0**-105), *exp", ""),
        (HARD_CASES, "<< 106) // e.denominator", "<< 90) // e.denominator", ""),
        (POWERS, "(high * other_low + low * other_high)", "(high * other_low)", ""),
    ],
}  # fmt: skip
