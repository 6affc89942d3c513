"""A call of each function that is rounded once by a fast path, of typical numbers and some ten thousands of them."""

import ml_dtypes
import numpy as np

import refpos
from refpos import absolute, frequencies, operators, positions, relative, rotary, scores, tables

FREQUENCIES = refpos.inverse_frequencies(64)
AXIAL = frequencies.mrope_frequencies(64, sections=(8, 12, 12), arrangement="chunked")
TOKENS = np.random.default_rng(27).integers(0, 2**20, (3, 500))
TIMES = np.random.default_rng(28).integers(0, 2**31, 500)
REGIONS = np.random.default_rng(29).integers(0, 2, (100, 100))


def normal(*shape, dtype="float64", seed=1):
    """Random numbers in a format."""
    values = np.random.default_rng(seed).standard_normal(shape)
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def queries(dtype):
    """x of 500 tokens and 64 channels, twice."""
    return normal(2, 500, 64, dtype=dtype)


#: {function: its call in a format}; the result, or each of them, is rounded
CALLS = {
    "sinusoidal": lambda dtype: refpos.sinusoidal(1000, 64, dtype=dtype),
    "sincos_2d": lambda dtype: refpos.sincos_2d(30, 40, 64, axis_order="hw", dtype=dtype),
    "sincos_3d": lambda dtype: refpos.sincos_3d(5, 14, 15, 96, dtype=dtype),
    "sincos_grid": lambda dtype: absolute.sincos_grid([30, 40], 64, axis_order="hw", dtype=dtype),
    "timestep_embedding": lambda dtype: refpos.timestep_embedding(
        TIMES, 128, flip_sin_to_cos=True, downscale_freq_shift=0, dtype=dtype
    ),
    "timestep_fourier": lambda dtype: absolute.timestep_fourier(
        normal(500) ** 2, 128, ends="periods", first=0.004, last=4.0, flip_sin_to_cos=False, dtype=dtype
    ),
    "functional_time": lambda dtype: absolute.functional_time(TIMES, 128, dtype=dtype),
    "masked_sine_2d": lambda dtype: absolute.masked_sine_2d(
        (30, 40), 64, normalize=False, half_pixel=False, axis_order="hw", dtype=dtype
    ),
    "coordinate_sine": lambda dtype: absolute.coordinate_sine(
        1000 * normal(200, 4, seed=3), 128, order=[1, 0, 2, 3], factor="2pi", dtype=dtype
    ),
    "fixed_temporal": lambda dtype: absolute.fixed_temporal(
        TIMES.reshape(-1, 4) % [12, 28, 7, 24] + [1, 1, 0, 0], 128, dtype=dtype
    ),
    "exponential_modulation": lambda dtype: absolute.exponential_modulation(1000, 50, dtype=dtype),
    "add": lambda dtype: absolute.add(normal(500, 64, dtype=dtype), normal(500, 64, seed=2), scale=0.3),
    "time2vec": lambda dtype: absolute.time2vec(
        normal(500), normal(64, seed=2), normal(64, seed=3), linear=None, kind="sin", dtype=dtype
    ),
    "rope_table": lambda dtype: refpos.rope_table(1000, FREQUENCIES, dtype=dtype),
    "xpos_table": lambda dtype: rotary.xpos_table(20_000, FREQUENCIES, centring="floor", dtype=dtype),
    "rope": lambda dtype: refpos.rope(queries(dtype), 500, pairing="half", frequencies=FREQUENCIES),
    "rope_2d": lambda dtype: refpos.rope_2d(queries(dtype), 20, 25, pairing="half", axis_order="hw"),
    "rope_3d": lambda dtype: refpos.rope_3d(
        queries(dtype), 5, 10, 10, pairing="half", axis_order="thw", widths=(16, 24, 24)
    ),
    "mrope": lambda dtype: refpos.mrope(
        queries(dtype), TOKENS, pairing="half", sections=(8, 12, 12), arrangement="chunked"
    ),
    "xdrope": lambda dtype: rotary.xdrope(queries(dtype), TOKENS[[0, 1, 2, 0]], sections=(8, 8, 8, 8)),
    "xpos": lambda dtype: rotary.xpos(queries(dtype), 500, pairing="half", centring="floor"),
    "ernie_image_rope": lambda dtype: rotary.ernie_image_rope(queries(dtype), TOKENS, widths=(16, 24, 24)),
    "vjepa2_rope": lambda dtype: rotary.vjepa2_rope(queries(dtype), TOKENS),
    "rope_in_qkv": lambda dtype: rotary.rope_in_qkv(
        normal(500, 192, dtype=dtype), 500, num_heads=1, fusion="concatenated", pairing="half"
    ),
    "mlx_rope": lambda dtype: operators.mlx_rope(
        queries(dtype), 64, traditional=False, base=10000.0, scale=1.0, offset=100
    ),
    "ggml_rope_ext": lambda dtype: operators.ggml_rope_ext(
        normal(500, 2, 64, dtype=dtype), TIMES % 4096, n_dims=64, mode=2, freq_base=10000.0
    ),
    "alibi": lambda dtype: refpos.alibi(12, 1, 4000, dtype=dtype),
    "alibi_slopes": lambda dtype: refpos.alibi_slopes(20_000, convention="geometric", max_bias=12, dtype=dtype),
    "decay": lambda dtype: relative.decay(64, 1, 500, rule="lightning", layer=3, layers=12, dtype=dtype),
    "kerple": lambda dtype: relative.kerple(
        normal(12, seed=4) ** 2, normal(12, seed=5) ** 2, 1, 4000, kind="log", dtype=dtype
    ),
    "log_n_scale": lambda dtype: scores.log_n_scale(np.arange(2048, 14_048), training_length=1024, dtype=dtype),
    "resize_table": lambda dtype: refpos.resize_table(
        normal(14, 14, 32, dtype=dtype), (37, 41), method="cubic", align="half-pixel", cubic=-0.75
    ),
    "mean_of_rows": lambda dtype: tables.mean_of_rows(normal(50, 64, dtype=dtype), TOKENS.T % 50),
    "fourier_projection": lambda dtype: absolute.fourier_projection(
        normal(500, 2), normal(2, 32, seed=2), factor="2pi", layout="sin-cos", dtype=dtype
    ),
    "mixed_rope": lambda dtype: rotary.mixed_rope(
        normal(2, 500, 64, dtype=dtype), TOKENS[:2], normal(2, 2, 32, seed=2), pairing="interleaved"
    ),
    "rope_to_cache": lambda dtype: rotary.rope_to_cache(
        normal(500, 2, 64, dtype=dtype),
        TIMES % 4096,
        normal(1, 500, 2, 64, dtype=dtype),
        np.arange(500),
        pairing="half",
    ),
    "onnx_rotary_embedding": lambda dtype: operators.onnx_rotary_embedding(
        normal(1, 2, 500, 64, dtype=dtype), normal(1, 500, 32, dtype=dtype, seed=2), normal(1, 500, 32, dtype=dtype)
    ),
    "microsoft_rotary_embedding": lambda dtype: operators.microsoft_rotary_embedding(
        normal(1, 2, 500, 64, dtype=dtype),
        TOKENS[:1] % 600,
        normal(600, 32, dtype=dtype, seed=2),
        normal(600, 32, dtype=dtype),
    ),
    "alibi_2d": lambda dtype: relative.alibi_2d(12, 8, 8, dtype=dtype),
    "shift_matrix": lambda dtype: absolute.shift_matrix(50, 256, dtype=dtype),
    "learned": lambda dtype: refpos.learned(normal(50, 64, dtype=dtype), TOKENS % 50, scale=0.3),
    "learned_axes": lambda dtype: tables.learned_axes(normal(2, 50, 64, dtype=dtype), [20, 25], combine="sum"),
    "learned_boxes": lambda dtype: tables.learned_boxes(
        normal(4, 100, 128, dtype=dtype), TOKENS[0].reshape(-1, 4) % 100, combine="sum", clip=99
    ),
    "resize_bias": lambda dtype: tables.resize_bias(
        normal(27 * 27, 32, dtype=dtype), (14, 14), (24, 24), method="swin"
    ),
    "resize_packed": lambda dtype: tables.resize_packed(
        normal(12, 12, 64, dtype=dtype), [[1, 20, 30]], method="linear", align="corners"
    ),
    "grid_positions": lambda dtype: positions.grid_positions([100, 120]),
    "rerope_distances": lambda dtype: positions.rerope_distances(200, 200, window=50, factor=1.5, dtype=dtype),
    "rerope_positions": lambda dtype: positions.rerope_positions(
        20_000, role="key", window=512, factor=1.5, dtype=dtype
    ),
    "self_extend_distances": lambda dtype: positions.self_extend_distances(
        200, 200, group_size=8, neighbor_window=64, shift="floor"
    ),
    "self_extend_positions": lambda dtype: positions.self_extend_positions(
        20_000, role="query", group_size=8, neighbor_window=64, shift="floor"
    ),
    "xpos_scale": lambda dtype: rotary.xpos_scale(20_000, 64, centring="floor", dtype=dtype),
    "merge_scores": lambda dtype: scores.merge_scores(normal(2, 3, 100, 100, dtype=dtype), REGIONS),
    "liere_generators": lambda dtype: rotary.liere_generators(normal(2, 20, 40, 40, dtype=dtype)),
}

#: functions of which every number, or one for each token, channel or distance, is rounded from integers
BY_INTEGERS = {
    "attention_temperature", "box_relation", "calendar_features", "cape_2d", "centred_points",
    "convit_start", "decay_rates", "distance_features", "dual_chunk_mscale", "electrostatic_positions", "equal_earth",
    "fourier_bands", "heat_kernel", "hyena_features", "integrated_fourier", "liere", "log_coordinates", "path",
    "periodic", "pope", "random_walk_positions", "rotary_bias", "sandwich", "soft_grid", "sphere_code",
    "spherical_harmonics", "tree_positions", "yarn_softmax_scale",
}  # fmt: skip
#: functions of which more numbers are exactly halfway between two of a format, and why
HALFWAY = {
    "mean_of_rows": "a third of a sum that is a multiple of 3 has few bits: one mean of twenty",
    "resize_packed": "so has a sum times m / 29, where one of two weights is 1: one of a thousand",
}
