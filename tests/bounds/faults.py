"""Faults in the source for each script: a coefficient, a term, an exponent. (file, text, text in its place, variant)"""

from . import faults_of_angles
from .elementary_faults import FAULTS as OF_FUNCTIONS

SEEDS, TABLES, ROWS, PYX = "ext/seeds.h", "ext/tables.h", "ext/rows.h", "ext/compiled.pyx"
ROTATIONS, IN_KERNELS = "ext/rotations.h", "refpos/kernels/numpy_kernels.py"
POWERS, PRODUCTS = "refpos/steps/waves/scaled_rotation.py", "refpos/arithmetic/powers.py"
RADII = "refpos/steps/waves/rotation.py"
IN_NUMPY, WAVES = "refpos/kernels/numpy_seeds.py", "refpos/kernels/numpy_waves.py"

DOUBLE = [
    (SEEDS, "fma_d(y, ALL(VD, fourth / 24), ALL(VD, square / -2))", "ALL(VD, square / -2)", ""),
    (SEEDS, "unit * square / -6", "unit * square / -5.999", ""),
    (SEEDS, "* 0x1p-62, square", "* 0x1p-61, square", ""),
    (SEEDS, "fnma_d(s1, s, c1)", "fma_d(s1, s, c1)", ""),
]
DOUBLE_NUMPY = [
    (WAVES, "COS_4, SIN_5 = COS_2 * COS_2 / 6,", "COS_4, SIN_5 = COS_2 * COS_2 / 7,", ""),
    (WAVES, "    series += SIN_3\n", "", ""),
    (WAVES, "* 2.0**-74 ", "* 2.0**-73 ", ""),
]
FAULTS = {
    **OF_FUNCTIONS,
    "seed_double": DOUBLE,
    "seed_wave_numpy": DOUBLE_NUMPY,
    "seed_double_factor": [*DOUBLE, (PYX, "to.scaled[i] * t.steps[0]", "to.scaled[i] + t.steps[0]", "")],
    "seed_double_numpy": DOUBLE_NUMPY,
    "reduced_angle": [
        (SEEDS, "52707179.0 / 8388608.0", "52707180.0 / 8388608.0", ""),
        (SEEDS, "0x1.921fb54442d18p2 * 0x1p-89", "0x1.921fb54442d18p2 * 0x1p-88", ""),
        (SEEDS, " high * (-5.5636270456668466e-08 * 0x1p-37))", " ALL(VD, 0.0))", ""),
        (PYX, "52707179.0 / 8388608.0", "52707180.0 / 8388608.0", "one by one"),
        (PYX, "GRID_35 = 1.5 * 131072.0", "GRID_35 = 1.5 * 262144.0", "one by one"),
        (IN_NUMPY, "x1 = _to_grid(product, 35)", "x1 = _to_grid(product, 36)", "NumPy"),
        (IN_NUMPY, "TWO_PI = 6.283185307179586", "TWO_PI = 6.2831853072", "NumPy"),
    ],
    "seed_pairs_sine": [
        (SEEDS, "- square * (1.0 / 5040)", "", ""),
        (SEEDS, "square * (1.0 / 120 ", "square * (1.0 / 121 ", ""),
        (SEEDS, "x0 + x * square * (-1.0 / 6", "x0 + x * square * (-0.5 / 6", "not fused"),
        (PYX, "(1.0 / 120.0", "(1.0 / 119.0", "one by one"),
        (IN_NUMPY, "s0 = x0 + x * square", "s0 = x * square", "NumPy"),
    ],
    "seed_pairs_cosine": [
        (SEEDS, "- square * (1.0 / 720)", "", ""),
        (SEEDS, "(x1 + 0.5 * x0)", "(x1 + x0)", ""),
        (SEEDS, "(x1 + 0.5 * x0)", "(0.75 * x1 + 0.5 * x0)", "not fused"),
        (SEEDS, "square * square * (1.0 / 24 ", "square * (1.0 / 24 ", ""),
        (PYX, "(1.0 / 24.0", "(1.0 / 25.0", "one by one"),
        (IN_NUMPY, "x1 * x1 * 0.5", "x1 * x1 * 0.25", "NumPy"),
    ],
    "seed_pairs": [
        (SEEDS, "GRID(half_square, 0x1.8p7)", "GRID(half_square, 0x1.8p-14)", ""),
        (SEEDS, "+ b0 * x1)", ")", ""),
        (SEEDS, "second_high = GRID(second, 0x1.8p26)", "second_high = GRID(second, 0x1.8p27)", ""),
        (SEEDS, "(a1 * k0 + a0 * k)", "(a1 * k0)", "not fused"),
        (SEEDS, "-sin1, -sin0, x1, s0, k1", "sin1, -sin0, x1, s0, k1", ""),
        (PYX, "GRID_26 = 1.5 * 67108864.0", "GRID_26 = 1.5 * 33554432.0", "one by one"),
        (PYX, "- (second - second_high)", "", "one by one"),
        (IN_NUMPY, "carry = _to_grid(fine, 26)", "carry = _to_grid(fine, 25)", "NumPy"),
    ],
    "seed_scattered": [
        (SEEDS, "fma_d(y, ALL(VD, 1.0 / 720), ALL(VD, -1.0 / 24))", "ALL(VD, -1.0 / 24)", ""),
        (SEEDS, "ALL(VD, 1.0 / 120), ALL(VD, -1.0 / 6)", "ALL(VD, 1.0 / 130), ALL(VD, -1.0 / 6)", ""),
        (SEEDS, "(step - (*leading - a1)) + fnma_d", "fnma_d", ""),
        (TABLES, "APART_RADIUS 0x1p-69", "APART_RADIUS 0x1p-16", ""),
    ],
    "addition_double": [
        (TABLES, "fnma_d(s, t, c * d)", "fma_d(s, t, c * d)", "tables.h, fused"),
        (TABLES, "v[k] = s * d + c * t", "v[k] = s * d + c * (t + 0x1p-50)", "second look, not fused"),
        (SEEDS, "fma_d(s, d, c * t) * sign", "fma_d(s, d, c) * sign", "seeds.h, not fused"),
        (IN_NUMPY, "waves[0] * rotated[0]", "waves[0] + rotated[0]", "first fused"),
        (PYX, "p[0] * b[0] + sign", "p[0] * b[0] * 0.5 + sign", "one by one"),
    ],
    "addition_pairs": [
        (IN_NUMPY, "    rest += waves[1] * rotated[0]\n", "", "not fused"),
        (IN_NUMPY, "(waves[0] + waves[1]) * rotated[1]", "waves[1] * rotated[1]", "second fused"),
        (PYX, "(q[0] + q[a_plane]) * t[b_plane]", "(q[0] + q[a_plane]) * t[b_plane] * 0.5", "one by one"),
    ],
    "addition_pairs_vectors": [
        (TABLES, "fnma_d(s1, t0, fnma_d(s0, t, reach))", "fnma_d(s0, t, reach)", ""),
        (TABLES, "t = t1 + t0", "t = t1", ""),
        (TABLES, "twice = reach + reach;\n    const VD d1", "twice = reach * 0x1.8p1;\n    const VD d1", ""),
        ("refpos/steps/waves/tables.py", "PAIR_RADIUS = 2.0**-74", "PAIR_RADIUS = 2.0**-20", "not fused"),
    ],
    "addition_singles": [
        (TABLES, "fma_s(c, d, fnma_s(s, t, reach))", "fma_s(c, d, fma_s(s, t, reach))", ""),
        (TABLES, "fma_s(s, d, fma_s(c, t, reach))", "fma_s(s, d, c * t)", "not fused"),
        (ROWS, "SUM_FUSED 0x1.8p26", "SUM_FUSED 0x1.8p37", "fused"),
    ],
    "rotation_double": [
        (ROTATIONS, "u[j] = fnma_d(y, s, x * c)", "u[j] = fma_d(y, s, x * c)", ""),
        (ROTATIONS, "v[j] = fma_d(x, s, y * c)", "v[j] = fma_d(x, s, y * 0x1.0000000000008p0 * c)", "not fused"),
        (ROTATIONS, "y * d[0] + x * d[plane], reach", "y * d[0] + x * d[0], reach", "second look"),
        (PYX, "leading = x * c1 + y * s1\n", "leading = x * c1 + y * c1\n", "one by one"),
        (IN_KERNELS, "x * cos[0] + y * sin[0], 0.0", "x * cos[0] - y * sin[0], 0.0", "NumPy"),
    ],
    "rotation_singles": [
        (ROTATIONS, "= fma_s(x, cos, fnma_s(y, sin, reach))", "= fma_s(x, cos, fma_s(y, sin, reach))", ""),
        (ROTATIONS, "fma_s(y, cos, fma_s(x, sin, reach))", "fma_s(y, cos, fma_s(x, sin, 0x1p-30 + reach))", ""),
        (ROWS, "ROTATE_FUSED 0x1p26", "ROTATE_FUSED 0x1p44", "fused, piece 3"),
        (ROTATIONS, "fma_s(x, sin, reach)", "fma_s(x, cos, reach)", "not fused, piece 7"),
        (ROWS, "ROTATE_SINGLE 0x1.4p26", "ROTATE_SINGLE 0x1p26", "not fused, piece 5"),
    ],
    "rotation_pairs": [
        (IN_KERNELS, "(x - x1) * c1 + (y - y1) * s1", "(x - x1) * c1", ""),
        (IN_KERNELS, "0xFFFF_FFFF_F800_0000", "0xFFFF_FFFF_F000_0000", ""),
        (IN_KERNELS, "return leading, error +", "return leading, error * 0.5 +", "NumPy, with a factor"),
        (PYX, "(a - (sum_ - other)) + (b", "(a - (sum_ - other)) - (b", "one by one, without a factor"),
        (PYX, "rest[0] = last + ((error + other)", "rest[0] = last + ((error - other)", "one by one, own seeds"),
        (RADII, "CLOSER_RADIUS = 1.5 * 2.0**-77", "CLOSER_RADIUS = 1.5 * 2.0**-78", "one by one, own seeds"),
    ],
    "rotation_pairs_vectors": [
        (ROTATIONS, "fnma_d(y1, s1, x1 * c1)", "fma_d(y1, s1, x1 * c1)", ""),
        (ROTATIONS, "* 0x1.8p27", "* 0x1.8p26", ""),
        (ROTATIONS, "fnma_d(y, s0, reach)", "reach", "not fused, first channel, without a factor"),
        (ROTATIONS, "fma_d(y, c0, fma_d(x, s0", "fma_d(y, c1, fma_d(x, s0", "not fused, second channel, with a factor"),
        (RADII, "PAIR_RADIUS = 2.0**-74", "PAIR_RADIUS = 2.0**-75", "fused, first channel, with a factor"),
    ],
    "rotation_power_pairs": [
        (POWERS, "(first_rest + second_rest)", "(first_rest - second_rest)", ""),
        (POWERS, "(rest * high + total * low)", "(rest * high)", ""),
        (POWERS, "x * cos[1] + y * sin[1]", "2.0**-1 * x * cos[1] + y * sin[1]", "second channel"),
        (POWERS, "PAIR_RADIUS = 2.0**-74", "PAIR_RADIUS = 2.0**-77", ""),
    ],
    "exact_product": [
        (PRODUCTS, "+ one_low * other_low", "+ one_low * other_high", ""),
        (PRODUCTS, "(rest + one_high * other_low)", "(rest - one_high * other_low)", ""),
        (PRODUCTS, "1 << 26) & np.uint64(0xFFFF_FFFF_F800", "1 << 30) & np.uint64(0xFFFF_FFFF_8000", ""),
    ],
    "rotation_split": [
        (ROTATIONS, "0xFFFFFF0000000000ull", "0xFFFFFF8000000000ull", ""),
        (ROTATIONS, "fnma_s(y, sin_rest, x * cos_rest)", "fma_s(y, sin_rest, x * cos_rest)", ""),
        (ROTATIONS, "0x8FFFE000u", "0x8FFFF000u", "not fused, first channel"),
        (ROTATIONS, "fma_s(x, sin_rest, y * cos_rest)", "fma_s(x, sin_rest, cos_rest)", "not fused, second channel"),
    ],
    "split_conditions": [
        (ROTATIONS, "(AWAY_16 + 4)", "(AWAY_16 + 2)", ""),
        (ROTATIONS, "ALL(VI, 0x1FF8u)", "ALL(VI, 0x1FFCu)", ""),
        (ROWS, "ROTATE_SPLIT 0x1p37", "ROTATE_SPLIT 0x1p36", ""),
    ],
    "upper_bits": [
        (PYX, "0xFFFFFFFFF8000000ULL", "0xFFFFFFFFF0000000ULL", ""),
        (IN_KERNELS, "0xFFFF_FFFF_F800_0000", "0xFFFF_FFFF_F000_0000", ""),
        (PRODUCTS, "1 << 26) & np.uint64(0xFFFF", "1 << 25) & np.uint64(0xFFFF", ""),
    ],
    "rotation_power": [
        (POWERS, "(x * cos[0] + y * sin[0]) * high, 0.0", "(x * cos[0] - y * sin[0]) * high, 0.0", ""),
        (POWERS, "(x * cos[0] + y * sin[0]) * high, 0.0", "(x * cos[0] + y * sin[0]) + high, 0.0", ""),
        (POWERS, "combine(y, x, cos, sin, high, low)", "combine(y, x, sin, cos, high, low)", "second channel"),
        (POWERS, "(x * cos[0] + y * sin[0]) * high, 0.0", "(x * cos[0] * (1 + 2.0**-40) + y * sin[0]) * high, 0.0", ""),
    ],
    "rounding_tests": [
        (TABLES, "ALL(VI, 0xF0010000u)", "ALL(VI, 0xF0008000u)", ""),
        (TABLES, "ALL(VI, 0x1FFE0000u)", "ALL(VI, 0x1FFF0000u)", ""),
        (TABLES, "0x1000u - (112u << 23)", "0x1000u - (111u << 23)", ""),
    ],
    **faults_of_angles.FAULTS,
}  # fmt: skip
#: mathematics alone, which reads no source
WITHOUT_SOURCE = {"cauchy", "circle", "grid", "rotations"}
