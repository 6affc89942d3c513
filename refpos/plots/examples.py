"""What is drawn of an encoding when nothing is asked for: the arguments of an example call, a line each.

An entry without one is drawn from one of its golden cases. A value that is a function takes the arguments so far, so
that what must fit them, such as weights, does. Learned weights are replaced: tables by sinusoids, biases by
numbers that fall with the distance.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from .. import catalogue
from ..golden.case import build, scattered
from . import example_shapes

N = 32  # positions, where a matrix has them on both sides


def make(name: str, *args: Any, **more: Any) -> Any:
    """What a function of the catalogue returns."""
    return catalogue.ENTRIES[name].function(*args, **more)


def noise(*shape: int, seed: int = 1) -> Any:
    """Numbers from -1 to 1 without a pattern, the same everywhere."""
    return build(scattered("float64", shape, seed, 0), None).values


def table(rows: int, dim: int) -> Any:
    """A table that stands for a learned one."""
    return make("sinusoidal", rows, dim, base=100)


def cells(height: int, width: int, dim: int) -> Any:
    """A table of cells that stands for a learned one."""
    return make("sincos_2d", height, width, dim, axis_order="hw", base=100)


def count(positions: Any) -> int:
    """How many positions there are, of an int n, an array, or positions of several axes."""
    return int(positions) if np.ndim(positions) == 0 else np.shape(positions)[-1]


def ones(*where: str, dim: int = 32, heads: tuple[int, ...] = ()) -> Callable[[dict[str, Any]], Any]:
    """A vector of ones for each token; where: the arguments that say how many there are."""

    def made(arguments):
        sizes = [count(arguments[name]) for name in where]
        return np.ones((*heads, int(np.prod(sizes, dtype=np.int64)), dim))

    return made


def falling(rows: int, heads: int, middle: float | None = None) -> Any:
    """A bias for each row and head that falls with the distance of the row from the middle."""
    far = np.abs(np.arange(rows, dtype=np.float64) - ((rows - 1) / 2 if middle is None else middle))
    return -far[:, None] / np.arange(2, 2 * heads + 1, 2, np.int64)


def falling_cells(arguments: dict[str, Any], heads: int = 3) -> Any:
    """A bias for each offset of two cells that falls with their distance, from head to head in another direction."""
    height, width = arguments["height"], arguments["width"]
    down, across = np.mgrid[1 - height : height, 1 - width : width].astype(np.float64)
    squares = [down * down + across * across, 4 * down * down + across * across, down * down + 4 * across * across]
    return -np.stack([square.ravel() / 8 for square in squares[:heads]], axis=1)


def buckets(arguments: dict[str, Any], heads: int = 4) -> Any:
    """A bias for each bucket of T5 that falls with it, more slowly for keys behind the query."""
    half = 16 if arguments.get("bidirectional", True) else 32
    return -(np.arange(32, dtype=np.float64) % half)[:, None] / np.arange(1, heads + 1, dtype=np.int64)


def picture_ids(axes: str = "thw") -> Any:
    """Positions of four words, an image of 4 x 5 cells and four more words, on each axis, (axes, 28)."""
    types = np.array([[0] * 4 + [1] * 20 + [0] * 4], dtype=np.int64)
    grids = [[1, 8, 10]]
    if axes == "thw":
        options: dict[str, Any] = dict(version="transformers-5.23.0", image_grid_thw=grids)
        return make("qwen2_vl_positions", types, **options).positions[:, 0]
    return make(
        "hunyuan_vl_positions", np.array([[0] * 4 + [1] * 26 + [0] * 2], dtype=np.int64), image_grid_thw=grids
    ).positions[:, 0]


def globe(step: int) -> Any:
    """Places of a sphere in degrees, longitude and latitude, (rows, columns, 2)."""
    across, up = np.arange(-180, 181, step, dtype=np.int64), np.arange(90, -91, -step, dtype=np.int64)
    return np.stack(np.meshgrid(across, up), axis=-1).astype(np.float64)


def line(start: float, stop: float, size: int) -> Any:
    """Numbers at equal steps, as one coordinate each, (size, 1)."""
    return np.linspace(start, stop, size)[:, None]


def _rows(low: int, high: int) -> Callable[[dict[str, Any]], Any]:
    def made(arguments):
        sizes = [np.shape(arguments[name])[-2] for name in (("q", "k") if "k" in arguments else ("x", "x"))]
        return make("relative_rows", *sizes, sign="key-query", low=low, high=high, outside="clip")

    return made


ABSOLUTE = {
    "add": lambda: dict(x=noise(64, 32, seed=7) / 2, table=table(64, 32)),
    "audio_patches": lambda: dict(spectrogram=table(64, 24), outer="frequency", size=8, stride=8),
    "binary_code": lambda: dict(positions=64, bits=6, lowest_first=True),
    "calendar_features": lambda: dict(times=_hours(), frequency="h", zone=None),
    "cape_2d": lambda: dict(coordinates=example_shapes.square(20), dim=16, radii="ends"),
    "centred_points": lambda: dict(points=example_shapes.pixels(), height=480, width=640, share=Fraction(1, 2)),
    "conv_positions": lambda: dict(x=_impulse(), weight=noise(16, 4, 9), groups=4, padding="same",
                                   activation="identity"),
    "coordinate_sine": lambda: dict(coordinates=example_shapes.plane(24), dim=64, order=[1, 0], factor="2pi"),
    "cosmos_learnable": lambda: dict(weights=[table(8, 24)] * 3, grid=(2, 4, 6)),
    "electrostatic_positions": lambda: dict(edges=example_shapes.molecule(), n=14),
    "equal_earth": lambda: dict(coordinates=globe(15)[..., ::-1]),
    "exponential_modulation": lambda: dict(length=128, channels=32),
    "fixed_temporal": lambda: dict(rows=make("calendar_rows", _hours(), rule="informer", frequency="h", zone=None),
                                   dim=32),
    "fourier_bands": lambda: dict(coordinates=line(-1, 1, 65), frequencies=_octaves(6), factor="pi",
                                  order="band-kind-axis"),
    "fourier_projection": lambda: dict(coordinates=line(0, 1, 65), weight=3 * noise(1, 16), factor="2pi",
                                       layout="sin-cos"),
    "frames": lambda: dict(samples=table(200, 8)[:, 2], size=16, hop=10, padding="zeros"),
    "functional_time": lambda: dict(times=np.arange(0, 64000, 1000, np.int64), dim=32),
    "gated_table": lambda: dict(weight=table(64, 32), gate=0.5, complement=True),
    "heat_kernel": lambda: dict(edges=example_shapes.molecule(), n=14, times=[2**k for k in range(-4, 6)]),
    "hyena_features": lambda: dict(length=64, dim=17),
    "integrated_fourier": lambda: dict(mean=line(-1, 1, 65), variance=np.full((65, 1), 0.001), order="band-kind-axis",
                                       frequencies=_octaves(6), factor="pi"),
    "joined": lambda: dict(parts=[table(8, 8)[:, None], table(10, 8)]),
    "laplacian_positions": lambda: dict(edges=example_shapes.ring(24), n=24, k=8, laplacian="sym", loops="drop",
                                        skip_first=True, pad="zeros", normaliser=None),
    "laplacian_values": lambda: dict(edges=example_shapes.ring(24), n=24, k=24, laplacian="sym", loops="drop",
                                     skip_first=False, pad="nan"),
    "learned": lambda: dict(weight=table(64, 32), rows=64),
    "learned_boxes": lambda: dict(weights=[_slow(1001, 2)] * 4, boxes=example_shapes.page(), combine="concat",
                                  clip=None),
    "learned_axes": lambda: dict(weights=[table(8, 16), table(8, 16)], grid=(8, 8), combine="concat",
                                 axis_order="hw"),
    "masked_sine_2d": lambda: dict(mask=_padded(), dim=16, normalize=True, half_pixel=False, axis_order="hw",
                                   scale="2pi"),
    "mean_of_rows": lambda: dict(weight=table(64, 32), rows=example_shapes.spans()),
    "mlp_positions": lambda: dict(positions=64, weight_in=noise(16, 1) / 8, bias_in=-noise(16, seed=2),
                                  weight_out=noise(12, 16, seed=3), bias_out=None, activation="relu"),
    "normalised_sinusoidal": lambda: dict(positions=64, dim=32),
    "periodic": lambda: dict(x=np.arange(48, dtype=np.int64), period=24),
    "random_walk_positions": lambda: dict(edges=example_shapes.molecule(), n=14, steps=16),
    "resize_packed": lambda: dict(weight=cells(8, 8, 8), grid_thw=[[1, 12, 12], [1, 6, 8]], method="linear",
                                  align="half-pixel"),
    "resize_table": lambda: dict(weight=cells(7, 7, 8), size=(12, 12), method="cubic", align="half-pixel",
                                 cubic=Fraction(-3, 4)),
    "shift_matrix": lambda: dict(offset=3, dim=16, base=100),
    "sincos_2d": lambda: dict(height=14, width=14, dim=16, axis_order="hw", base=100),
    "sincos_3d": lambda: dict(frames=4, height=6, width=6, dim=48),
    "sincos_grid": lambda: dict(grid=(14, 20), dim=16, axis_order="hw", base=100),
    "sinusoidal": lambda: dict(positions=64, dim=64),
    "soft_grid": lambda: dict(height=12, width=16),
    "sphere_code": lambda: dict(coordinates=globe(10), rule="theory",
                                frequencies=make("given_frequencies", [Fraction(1, 16)])),
    "spherical_harmonics": lambda: dict(x=make("sphere_code", globe(15), rule="cartesian"), degree=3,
                                        convention="nerfstudio"),
    "tile_table": lambda: dict(weight=cells(4, 5, 4), size=(12, 12)),
    "time2vec": lambda: dict(t=np.linspace(-1, 1, 65), weight=np.arange(1, 17, dtype=np.int64),
                             phase=np.zeros(16), linear="first", kind="sin"),
    "timestep_embedding": lambda: dict(timesteps=np.arange(0, 1000, 10, np.int64), dim=64, flip_sin_to_cos=True,
                                       downscale_freq_shift=0),
    "tree_positions": lambda: dict(paths=example_shapes.leaves(3), degree=2, depth=4, decay=[0.9, 0.5], dim=None),
    "timestep_fourier": lambda: dict(timesteps=np.linspace(0, 1, 65), dim=32, ends="periods", first=4,
                                     last=Fraction(1, 20), flip_sin_to_cos=False),
}  # fmt: skip

ROTARY = {
    "ernie_image_rope": lambda: dict(x=ones("positions"), positions=picture_ids(), widths=(8, 12, 12)),
    "liere": lambda: dict(x=np.ones((1, 64, 8)), positions=_cell_rows(8, 8),
                          generators=make("liere_generators", noise(2, 1, 1, 8, 8) / 8)),
    "mixed_rope": lambda: dict(x=np.ones((1, 64, 16)), positions=_cell_rows(8, 8), weight=noise(2, 1, 8) / 2,
                               pairing="interleaved"),
    "mrope": lambda: dict(x=ones("position_ids"), position_ids=picture_ids(), pairing="half", sections=(4, 6, 6),
                          arrangement="chunked"),
    "path": lambda: dict(q=np.ones((N, 8)), k=np.ones((N, 8)), w=_units(N, 8), beta=np.full(N, 0.5)),
    "pope": lambda: dict(x=lambda a: np.zeros((count(a["positions"]), 16)), positions=64, pairing="half"),
    "rope": lambda: dict(x=ones("positions"), positions=64, pairing="half"),
    "rope_2d": lambda: dict(x=ones("height", "width"), height=8, width=8, pairing="half", axis_order="hw"),
    "rope_3d": lambda: dict(x=ones("frames", "height", "width"), frames=3, height=4, width=6, pairing="half",
                            axis_order="thw", widths=(8, 12, 12)),
    "rope_table": lambda: dict(positions=64, frequencies=make("inverse_frequencies", 64)),
    "vjepa2_rope": lambda: dict(x=ones("positions", dim=36), positions=_cell_rows(3, 4, 6)),
    "xdrope": lambda: dict(x=ones("position_ids"), position_ids=picture_ids("xd"), sections=(4, 4, 4, 4)),
    "xpos": lambda: dict(x=ones("positions"), positions=64, pairing="interleaved", centring="floor"),
    "xpos_scale": lambda: dict(positions=256, dim=64, centring="floor"),
    "xpos_table": lambda: dict(positions=256, frequencies=make("inverse_frequencies", 64), centring="floor"),
}  # fmt: skip

RELATIVE = {
    "alibi": lambda: dict(num_heads=8, query_len=N, key_len=N, mode="causal"),
    "alibi_2d": lambda: dict(num_heads=4, height=5, width=5),
    "alibi_slopes": lambda: dict(num_heads=12),
    "box_relation": lambda: dict(boxes=[[10 * k, 5 * k, 8 + k, 6 + 3 * (k % 4)] for k in range(10)], dim=2),
    "bucket_scores": lambda: dict(x=np.ones((N, 16)), weight=table(64, 16), bias=None, heads=2,
                                  rows=make("t5_buckets", _distances(N), bidirectional=True)),
    "convit_attention": lambda: dict(q=np.zeros((4, 25, 4)), k=np.zeros((4, 25, 4)), height=5, width=5, bias=None,
                                     weight=make("convit_start", 4), gate=np.full(4, 8.0)),
    "convit_start": lambda: dict(num_heads=9),
    "cope": lambda: dict(scores=noise(N, N) * 2, q=np.ones((N, 8)), weight=table(N, 8), scale=1,
                         mask=np.tri(N, dtype=np.bool_)),
    "dape": lambda: dict(scores=np.zeros((2, N, N)), bias=make("alibi", 2, N, N, mode="symmetric"),
                         weight_in=noise(8, 4), bias_in=None, weight_out=noise(2, 8, seed=2), bias_out=None),
    "deberta_scores": lambda: dict(q=np.ones((1, N, 16)), k=np.ones((1, N, 16)), key_table=table(64, 16)[None],
                                   query_table=table(64, 16)[None], rows=_deberta_rows(N), scaling="queries"),
    "decay": lambda: dict(num_heads=4, query_len=N, key_len=N, rule="retnet"),
    "decay_rates": lambda: dict(num_heads=12, rule="retnet"),
    "decomposed_rows": lambda: dict(query=12, key=12),
    "decomposed_scores": lambda: dict(q=np.ones((36, 8)), weight_h=table(11, 8), weight_w=table(11, 8),
                                      query_grid=(6, 6), key_grid=(6, 6), sign="query-key"),
    "distance_features": lambda: dict(query_len=64, key_len=64, features=36, symmetric=False,
                                      basis=["exponential", "central-mask", "gamma"], rule="doubling",
                                      normalise="table"),
    "distance_mlp": lambda: dict(size=(7, 7), weight_in=noise(12, 2), bias_in=noise(12, seed=2), coordinates="swin-v2",
                                 weight_out=noise(3, 12, seed=3), bias_out=None, activation="relu"),
    "fire": lambda: dict(weight_in=noise(12, 1) * 3, bias_in=noise(12, seed=2), weight_out=noise(4, 12, seed=3),
                         bias_out=None, query_positions=N, key_positions=N, c=1, length=8, eps=1e-6, mode="clipped",
                         activation="relu"),
    "forget_gate": lambda: dict(logits=2 + 2 * noise(2, N), mode="causal"),
    "gated_bias": lambda: dict(bias=make("t5_bias", buckets({}, 2), N, N, bidirectional=True),
                               hidden=noise(2, N, 4), weight=noise(8, 4, seed=2), weight_bias=None,
                               constant=np.ones(2)),
    "irpe_rows": lambda: dict(height=5, width=5, method="product", alpha=Fraction(19, 10), beta=Fraction(38, 10),
                              gamma=Fraction(152, 10)),
    "kerple": lambda: dict(p=[1, 1, 2, 4], a=[0.25, 1, 1, 1], query_len=N, key_len=N, kind="log"),
    "layout_bias": lambda: dict(weight=falling(32, 2, 0), x_weight=falling(64, 2, 0), y_weight=falling(64, 2, 0),
                                position_ids=np.arange(16, dtype=np.int64), boxes=example_shapes.words(),
                                head_dim=None),
    "graphormer_bias": lambda: dict(spatial=make("spatial_rows", example_shapes.molecule(), 14, rule="graphormer"),
                                    spatial_weight=falling(12, 4, 0), virtual=np.full(4, 0.5)),
    "log_buckets": lambda: dict(relative_positions=np.arange(-128, 129, dtype=np.int64), rule="deberta",
                                num_buckets=32, max_distance=128),
    "log_coordinates": lambda: dict(height=8, width=8, rule="swin-v2"),
    "merge_outputs": lambda: dict(outputs=_two_outputs(), log_sums=[np.linspace(4, -4, N), np.zeros(N)]),
    "merge_scores": lambda: dict(scores=_two_scores(14), regions=_near_and_far(14)),
    "project_table": lambda: dict(table=table(63, 16), weight=noise(2, 16, 16)),
    "relative_bias": lambda: dict(weight=falling(33, 3), query_len=N, key_len=N, sign="key-query"),
    "relative_rows": lambda: dict(query_len=12, key_len=12, sign="key-query", low=-4, high=4, outside="clip"),
    "relative_scores": lambda: dict(x=np.ones((N, 16)), weight=table(33, 16), rows=_rows(-16, 16), by="query"),
    "relative_values": lambda: dict(probabilities=np.full((N, N), 1 / N), weight=table(33, 16),
                                    rows=make("relative_rows", N, N, sign="key-query", low=-16, high=16,
                                              outside="clip")),
    "resize_bias": lambda: dict(weight=falling_cells(dict(height=4, width=4), 2), old=(4, 4), new=(7, 7),
                                method="beit"),
    "rotary_bias": lambda: dict(alpha=np.ones((1, 16)), beta=np.ones((1, 16)), query_len=N, key_len=N),
    "sandwich": lambda: dict(num_heads=4, query_len=N, key_len=N, dim=64, first=1, subtract=True),
    "segment_rows": lambda: dict(query_segments=[0] * 5 + [1] * 5 + [2], key_segments=[0] * 5 + [1] * 5 + [2],
                                 order="same-different"),
    "t5_bias": lambda: dict(weight=buckets, query_len=N, key_len=N, bidirectional=True),
    "t5_buckets": lambda: dict(relative_positions=np.arange(-128, 129, dtype=np.int64), bidirectional=True),
    "window_bias": lambda: dict(weight=falling_cells, height=7, width=7, sign="query-key"),
    "window_rows": lambda: dict(height=3, width=4, sign="query-key"),
    "xl_scores": lambda: dict(q=np.ones((1, N, 16)), k=np.zeros((1, N, 16)), projected=table(N, 16),
                              rows=make("relative_rows", N, N, sign="query-key", low=0, high=N - 1, outside="zero"),
                              u=None, v=None),
}  # fmt: skip

OTHERS = {
    "attention": lambda: dict(q=2 * noise(16, 8), k=2 * noise(16, 8, seed=2), v=noise(16, 8, seed=3),
                              mask=np.tri(16, dtype=np.bool_), outputs=["weights"]),
    "attention_temperature": lambda: dict(positions=np.arange(0, 131072, 512, np.int64), attn_scale=0.1,
                                          floor_scale=8192, shift=1),
    "log_n_scale": lambda: dict(positions=np.arange(0, 32768, 128, np.int64), training_length=2048),
    "yarn_softmax_scale": lambda: dict(factor=40),
    "dual_chunk_mscale": lambda: dict(scale=4, version="chunkllama"),
    "inverse_frequencies": lambda: dict(dim=128),
    "given_frequencies": lambda: dict(inv_freq=np.float32([1, 0.5, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001])),
    "box_rows": lambda: dict(boxes=example_shapes.page()[:12], clip=None),
    "calendar_rows": lambda: dict(times=_hours(), rule="informer", frequency="h", zone=None),
    "abacus_positions": lambda: dict(tokens=[10, 3, 1, 4, 11, 2, 7, 1, 8, 12, 5, 9, 10], digits=list(range(10))),
    "degree_rows": lambda: dict(edges=example_shapes.molecule(), n=14, direction="out", offset=1),
    "path_edge_rows": lambda: dict(edges=example_shapes.ring(7), n=7, attributes=np.arange(14, dtype=np.int64), hops=3),
    "spatial_rows": lambda: dict(edges=example_shapes.molecule(), n=14, rule="graphormer"),
    "qwen2_vl_positions": lambda: dict(mm_token_type_ids=[[0] * 4 + [1] * 20 + [0] * 4], image_grid_thw=[[1, 8, 10]],
                                       version="transformers-5.23.0"),
    "qwen2_5_vl_positions": lambda: dict(mm_token_type_ids=[[0] * 3 + [2] * 24 + [0] * 3],
                                         video_grid_thw=[[4, 4, 6]], version="transformers-5.23.0",
                                         tokens_per_second=2, second_per_grid_ts=[1.0]),
    "qwen3_vl_positions": lambda: dict(mm_token_type_ids=[[0] * 3 + [1] * 12 + [0] * 3], image_grid_thw=[[1, 6, 8]],
                                       version="transformers-5.23.0"),
    "glm4v_positions": lambda: dict(mm_token_type_ids=[[0] * 3 + [1] * 12 + [0] * 3], image_grid_thw=[[1, 6, 8]],
                                    version="transformers-5.23.0"),
    "hunyuan_vl_positions": lambda: dict(mm_token_type_ids=[[0] * 3 + [1] * 17 + [0] * 3],
                                         image_grid_thw=[[1, 6, 8]]),
    "ernie4_5_vl_positions": lambda: dict(mm_token_type_ids=[[0] * 3 + [1] * 12 + [0] * 3],
                                          image_grid_thw=[[1, 6, 8]]),
    "videorope_positions": lambda: dict(mm_token_type_ids=[[0] * 4 + [2] * 24 + [0] * 4], video_grid_thw=[[4, 4, 6]],
                                        scale_factor=2),
    "dual_chunk_distances": lambda: dict(query_positions=24, key_positions=24, chunk_size=10, local_size=4,
                                         version="paper"),
    "dual_chunk_regions": lambda: dict(query_positions=24, key_positions=24, chunk_size=10, local_size=4),
    "rerope_distances": lambda: dict(query_positions=24, key_positions=24, window=8),
    "self_extend_distances": lambda: dict(query_positions=24, key_positions=24, group_size=3, neighbor_window=8,
                                          shift="floor"),
    "window_regions": lambda: dict(query_positions=24, key_positions=24, window=8),
    "grid_positions": lambda: dict(coordinates=[2, 3, 4]),
    "table_rows": lambda: dict(tokens=[[9, 9, 9, 9, 9, 1, 1], [9, 9, 9, 1, 1, 1, 1]], rule="tokens", padding_idx=1),
    "llama4_vision_positions": lambda: dict(side=5),
    "flux_positions": lambda: dict(height=4, width=5, text_length=4),
    "flux2_positions": lambda: dict(height=4, width=5, text_length=4, references=[(2, 2)]),
    "lumina2_positions": lambda: dict(height=4, width=5, text_lengths=[6, 4]),
    "fraction_rows": lambda: dict(sizes=[[4, 6], [6, 3]], side=8, rule="quotient"),
    "rerope_positions": lambda: dict(positions=48, role="query", window=16, factor=4, dtype="float64"),
    "skipped_positions": lambda: dict(chunks=[8, 8, 8], skips=[0, 10, 14]),
    "glm_image_positions": lambda: dict(input_ids=[[9, 1] + [5] * 12 + [2, 9, 1]], image_start_token_id=1,
                                        image_end_token_id=2, image_grid_thw=[[1, 3, 4], [1, 2, 3]]),
    "qwen2_5_omni_positions": lambda: dict(input_ids=[[9, 4, 5] + [2] * 12 + [3] * 4 + [8, 8, 9]], image_token_id=1,
                                           video_token_id=2, audio_token_id=3, vision_start_token_id=4,
                                           audio_start_token_id=5, video_grid_thw=[[2, 4, 6]], audio_seqlens=[16],
                                           second_per_grids=[1.0], use_audio_in_video=True),
    "qwen3_omni_positions": lambda: dict(input_ids=[[9, 4, 5] + [2] * 12 + [3] * 2 + [8, 8, 9]], image_token_id=1,
                                         video_token_id=2, audio_token_id=3, vision_start_token_id=4,
                                         audio_start_token_id=5, video_grid_thw=[[2, 4, 6]], audio_seqlens=[16],
                                         second_per_grids=[0.02], use_audio_in_video=True),
    "minicpm_v_positions": example_shapes.slices,
    "funnel_positions": lambda: dict(length=32, block=2, separate_cls=True, truncate_seq=True),
    **example_shapes.BATCHES,
}  # fmt: skip


def _impulse():
    x = np.zeros((33, 16))
    x[16] = 1
    return x


def _hours():
    """Every third hour of a week with a leap day, as a clock shows them."""
    return np.arange("2024-02-26", "2024-03-04", np.timedelta64(3, "h"), dtype="M8[h]")


def _octaves(size):
    return make("bands", size, rule="powers", low=0, high=size - 1)


def _padded():
    mask = np.ones((12, 16), np.bool_)
    mask[9:], mask[:, 13:] = False, False
    return mask


def _cell_rows(*sizes):
    """The positions of the cells of a grid on each axis, (axes, cells)."""
    return make("grid_positions", list(sizes))


def _units(rows, dim):
    """Vectors along one axis each, one after the other."""
    return np.eye(dim)[np.arange(rows, dtype=np.int64) % dim]


def _distances(size):
    return np.arange(size, dtype=np.int64)[None, :] - np.arange(size, dtype=np.int64)[:, None]


def _deberta_rows(size):
    return make("log_buckets", -_distances(size), rule="deberta", num_buckets=64, max_distance=128) + 32


def _slow(rows, octaves):
    """A table that stands for a learned one of many rows: waves of half a turn in all, of one turn, and so on."""
    return make("fourier_bands", line(0, 1, rows), frequencies=_octaves(octaves), factor="pi", order="band-kind-axis")


def _two_scores(size):
    """Scores that are minus the distance, and minus the distance that Self-Extend gives far keys."""
    far = make("self_extend_distances", size, size, group_size=3, neighbor_window=5, shift="floor")
    return [-np.abs(_distances(size)).astype(np.float64), -far.astype(np.float64)]


def _near_and_far(size):
    """0 where a key is near, 1 where it is far, -1 behind the query."""
    return np.where(_distances(size) > 0, -1, make("window_regions", size, size, window=5))


def _two_outputs():
    """What attention to near and to far keys gives every query: short waves over the channels, and a long one."""
    return [np.tile(make("periodic", np.arange(N, dtype=np.int64), period)[:, 1], (N, 1)) for period in (4, 32)]


EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {**ABSOLUTE, **ROTARY, **RELATIVE, **OTHERS}
