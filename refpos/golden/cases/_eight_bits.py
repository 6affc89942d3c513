"""What is rounded to 8 bits: numbers at which roundings are decided, and calls whose exact values are rounded."""

import math

from ..case import call

DTYPES8 = ("float8_e4m3fn", "float8_e5m2")
SHORT8 = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
#: significand bits, exponent of the smallest subnormal, largest finite number
SHAPES8 = {"float8_e4m3fn": (4, -9, 448.0), "float8_e5m2": (3, -16, 57344.0)}
HALF = {"pairing": "half", "seq_axis": -2, "inverse": False}


def midpoints(dtype):
    """The numbers halfway between neighbours, of alternating sign, from 0 to halfway beyond the largest."""
    precision, lowest, largest = SHAPES8[dtype]
    numbers, power = [], lowest
    while not numbers or numbers[-1] < largest:
        for k in range(0 if power == lowest else 1 << precision - 1, 1 << precision):
            numbers.append(math.ldexp(k + 0.5, power))
        power += 1
    numbers = [one for one in numbers if one <= largest * 1.125]
    return [one if k % 2 else -one for k, one in enumerate(numbers)]


def beside(numbers):
    """The float64 neighbours of numbers, towards 0 and away from it in turn."""
    return [one * (1 + 2.0**-52 if k % 2 else 1 - 2.0**-53) for k, one in enumerate(numbers)]


def edges(dtype):
    """Zeros, subnormal numbers, numbers at and beyond the largest, infinities and NaN."""
    _, lowest, largest = SHAPES8[dtype]
    least = math.ldexp(1.0, lowest)
    ends = [0.0, least, least / 2, least * (0.5 + 2.0**-40), least / 4, 1.5 * least, largest, largest * 1.03125]
    ends += [largest * 1.0625, largest * 1.125, largest * 2, 5e-324, 1.7976931348623157e308, float("inf")]
    return [*ends, *(-one for one in ends), float("nan")]


def rotated(x, positions, **options):
    """A rotation of x, which is a list of rows."""
    return call("rope", x=x, positions=positions, **{**HALF, "base": 10000, **options})


def row(count, step, start=-2.0):
    """Numbers of full precision, and others of few bits."""
    return [start + k * step + (k % 3) * 2.0**-30 for k in range(count)]


def calls(width):
    """{name: (call, about)} of tables, rotations and biases whose last axis is a multiple of the width."""
    x = [row(width, 0.171875, -2.5), row(width, 0.3125, -4.0), row(width, 0.0390625, -0.5)]
    tall = [row(width, 0.171875, -2.5 + k) for k in range(6)]
    grid = [[0, 0, 1, 1, 2, 7], [0, 1, 0, 1, 2, 7], [0, 1, 1, 0, 2, 7]]
    weight = [[0.171875 * k - 1.3, 3.75 - 0.4375 * k] for k in range(32)]
    sections = [width // 4, width // 8, width // 8]
    return {
        "sinusoidal": (call("sinusoidal", positions=[0, 1, 131072], dim=width, base=10000), "a sinusoidal table"),
        "sin-cos": (call("sinusoidal", positions=[3, 0.5], dim=width, layout="sin-cos"), "sines and then cosines"),
        "sincos-2d": (call("sincos_2d", height=2, width=3, dim=width, axis_order="hw"), "a grid of two axes"),
        "sincos-3d": (call("sincos_3d", frames=2, height=1, width=3, dim=3 * width, axis_order="thw"), "three axes"),
        "timesteps": (call("timestep_embedding", timesteps=[1, 500, 999], dim=width, flip_sin_to_cos=True,
                           downscale_freq_shift=0, scale=1), "timesteps of diffusion"),
        "rope-table": (call("rope_table", positions=[0, 1, 4095], frequencies=call(
            "inverse_frequencies", dim=2 * width, base=500000)), "cosines and sines of a rotation"),
        "rope": (rotated(x, [0, 1, 131071]), "rotated channels"),
        "rope-interleaved": (rotated(x, [5, 2, 4096], pairing="interleaved", base=500000), "neighbours are pairs"),
        "rope-inverse": (rotated(x, [1, 2, 3], inverse=True), "rotated back"),
        "rope-2d": (call("rope_2d", x=tall, height=2, width=3, axis_order="hw", pairing="half", base=100, seq_axis=-2,
                         inverse=False), "a grid of two axes rotates"),
        "mrope": (call("mrope", x=tall, position_ids=grid, pairing="half", sections=sections, arrangement="chunked",
                       base=1000000, seq_axis=-2, inverse=False), "text and images rotate"),
        "alibi": (call("alibi", num_heads=8, query_len=2, key_len=width, mode="symmetric"),
                  "exact products, many halfway"),
        "alibi-roots": (call("alibi", num_heads=6, query_len=1, key_len=width, mode="linear",
                             convention="geometric"), "irrational slopes"),
        "t5": (call("t5_bias", weight=weight, query_len=3, key_len=width, bidirectional=True, max_distance=128,
                    query_offset=0), "a learned table of 32 buckets"),
    }  # fmt: skip

