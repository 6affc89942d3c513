"""refpos: the numerical ground truth for positional encodings, correctly rounded, from NumPy alone."""

from importlib import import_module
from typing import TYPE_CHECKING

from .kernels import show_config  # first: kernels check the floating point in which the others' constants are read

# isort: split
from ._version import __version__
from .encodings.add import add
from .encodings.alibi import alibi
from .encodings.alibi_2d import alibi_2d
from .encodings.alibi_slopes import alibi_slopes
from .encodings.attention import attention
from .encodings.binary_code import binary_code
from .encodings.box_relation import box_relation
from .encodings.bucket_scores import bucket_scores
from .encodings.centred_points import centred_points
from .encodings.conv_positions import conv_positions
from .encodings.convit_attention import convit_attention
from .encodings.convit_start import convit_start
from .encodings.coordinate_sine import coordinate_sine
from .encodings.cope import cope
from .encodings.cosmos_learnable import cosmos_learnable
from .encodings.dape import dape
from .encodings.deberta_scores import deberta_scores
from .encodings.decay import decay
from .encodings.decay_rates import decay_rates
from .encodings.decomposed_rows import decomposed_rows
from .encodings.decomposed_scores import decomposed_scores
from .encodings.distance_features import distance_features
from .encodings.distance_mlp import distance_mlp
from .encodings.equal_earth import equal_earth
from .encodings.ernie_image_rope import ernie_image_rope
from .encodings.exponential_modulation import exponential_modulation
from .encodings.fire import fire
from .encodings.forget_gate import forget_gate
from .encodings.fourier_bands import fourier_bands
from .encodings.fourier_projection import fourier_projection
from .encodings.gated_bias import gated_bias
from .encodings.gated_table import gated_table
from .encodings.hyena_features import hyena_features
from .encodings.integrated_fourier import integrated_fourier
from .encodings.irpe_rows import irpe_rows
from .encodings.joined import joined
from .encodings.kerple import kerple
from .encodings.layout_bias import layout_bias
from .encodings.learned import learned
from .encodings.learned_axes import learned_axes
from .encodings.learned_boxes import learned_boxes
from .encodings.liere import liere
from .encodings.liere_generators import liere_generators
from .encodings.log_buckets import log_buckets
from .encodings.log_coordinates import log_coordinates
from .encodings.masked_sine_2d import masked_sine_2d
from .encodings.mean_of_rows import mean_of_rows
from .encodings.merge_outputs import merge_outputs
from .encodings.merge_scores import merge_scores
from .encodings.mixed_rope import mixed_rope
from .encodings.mlp_positions import mlp_positions
from .encodings.mrope import mrope
from .encodings.normalised_sinusoidal import normalised_sinusoidal
from .encodings.path import path
from .encodings.pope import pope
from .encodings.project_table import project_table
from .encodings.relative_bias import relative_bias
from .encodings.relative_rows import relative_rows
from .encodings.relative_scores import relative_scores
from .encodings.relative_values import relative_values
from .encodings.resize_bias import resize_bias
from .encodings.resize_packed import resize_packed
from .encodings.resize_table import resize_table
from .encodings.rope import rope
from .encodings.rope_2d import rope_2d
from .encodings.rope_3d import rope_3d
from .encodings.rope_table import rope_table
from .encodings.rotary_bias import rotary_bias
from .encodings.sandwich import sandwich
from .encodings.segment_rows import segment_rows
from .encodings.shift_matrix import shift_matrix
from .encodings.sincos_2d import sincos_2d
from .encodings.sincos_3d import sincos_3d
from .encodings.sincos_grid import sincos_grid
from .encodings.sinusoidal import sinusoidal
from .encodings.soft_grid import soft_grid
from .encodings.sphere_code import sphere_code
from .encodings.spherical_harmonics import spherical_harmonics
from .encodings.t5_bias import t5_bias
from .encodings.t5_buckets import t5_buckets
from .encodings.tile_table import tile_table
from .encodings.timestep_embedding import timestep_embedding
from .encodings.timestep_fourier import timestep_fourier
from .encodings.vjepa2_rope import vjepa2_rope
from .encodings.window_bias import window_bias
from .encodings.window_rows import window_rows
from .encodings.xdrope import xdrope
from .encodings.xl_scores import xl_scores
from .encodings.xpos import xpos
from .encodings.xpos_scale import xpos_scale
from .encodings.xpos_table import xpos_table
from .errors import FileError, InputError, InputTypeError
from .factors.attention_temperature import attention_temperature
from .factors.dual_chunk_mscale import dual_chunk_mscale
from .factors.log_n_scale import log_n_scale
from .factors.per_dim_scale import per_dim_scale
from .factors.yarn_softmax_scale import yarn_softmax_scale
from .frequencies.axial_frequencies import axial_frequencies
from .frequencies.bands import bands
from .frequencies.dynamic_ntk import dynamic_ntk
from .frequencies.given_frequencies import given_frequencies
from .frequencies.high_frequencies import high_frequencies
from .frequencies.inverse_frequencies import inverse_frequencies
from .frequencies.learned_log_scale import learned_log_scale
from .frequencies.linear import linear
from .frequencies.llama3 import llama3
from .frequencies.longrope import longrope
from .frequencies.mrope_frequencies import mrope_frequencies
from .frequencies.ntk import ntk
from .frequencies.ntk_alpha import ntk_alpha
from .frequencies.ntk_by_parts import ntk_by_parts
from .frequencies.offset_geometric import offset_geometric
from .frequencies.proportional import proportional
from .frequencies.resonance import resonance
from .frequencies.yarn import yarn
from .position_ids.abacus_positions import abacus_positions
from .position_ids.attention_mask_positions import attention_mask_positions
from .position_ids.box_rows import box_rows
from .position_ids.cell_rows import cell_rows
from .position_ids.context_rows import context_rows
from .position_ids.dual_chunk_distances import dual_chunk_distances
from .position_ids.dual_chunk_positions import dual_chunk_positions
from .position_ids.dual_chunk_regions import dual_chunk_regions
from .position_ids.ernie4_5_vl_positions import ernie4_5_vl_positions
from .position_ids.ernie_image_positions import ernie_image_positions
from .position_ids.flux2_positions import flux2_positions
from .position_ids.flux_positions import flux_positions
from .position_ids.fraction_rows import fraction_rows
from .position_ids.funnel_positions import funnel_positions
from .position_ids.glm4v_positions import glm4v_positions
from .position_ids.glm_image_positions import glm_image_positions
from .position_ids.global_block_ids import global_block_ids
from .position_ids.grid_positions import grid_positions
from .position_ids.hash_rows import hash_rows
from .position_ids.hunyuan_vl_positions import hunyuan_vl_positions
from .position_ids.ideogram4_positions import ideogram4_positions
from .position_ids.llama4_vision_positions import llama4_vision_positions
from .position_ids.lumina2_positions import lumina2_positions
from .position_ids.minicpm_v_positions import minicpm_v_positions
from .position_ids.qwen2_5_omni_positions import qwen2_5_omni_positions
from .position_ids.qwen2_5_vl_positions import qwen2_5_vl_positions
from .position_ids.qwen2_vl_positions import qwen2_vl_positions
from .position_ids.qwen3_omni_positions import qwen3_omni_positions
from .position_ids.qwen3_vl_positions import qwen3_vl_positions
from .position_ids.qwen_image21_positions import qwen_image21_positions
from .position_ids.qwen_image_positions import qwen_image_positions
from .position_ids.rerope_distances import rerope_distances
from .position_ids.rerope_positions import rerope_positions
from .position_ids.self_extend_distances import self_extend_distances
from .position_ids.self_extend_positions import self_extend_positions
from .position_ids.skipped_positions import skipped_positions
from .position_ids.table_rows import table_rows
from .position_ids.videorope_positions import videorope_positions
from .position_ids.vision_token_order import vision_token_order
from .position_ids.window_regions import window_regions
from .position_ids.z_image_positions import z_image_positions
from .steps.frequencies import Frequencies

if TYPE_CHECKING:
    from . import claims, conformance, conversion, coordinates, golden, models, plots, position_ids
    from .configs.config import from_config
    from .conformance.compare import compare
    from .steps.blocks import blocks
    from .steps.grids import grid

__all__ = [
    "FileError",
    "Frequencies",
    "InputError",
    "InputTypeError",
    "__version__",
    "abacus_positions",
    "add",
    "alibi",
    "alibi_2d",
    "alibi_slopes",
    "attention",
    "attention_mask_positions",
    "attention_temperature",
    "axial_frequencies",
    "bands",
    "binary_code",
    "blocks",
    "box_relation",
    "box_rows",
    "bucket_scores",
    "cell_rows",
    "centred_points",
    "claims",
    "compare",
    "conformance",
    "context_rows",
    "conv_positions",
    "conversion",
    "convit_attention",
    "convit_start",
    "coordinate_sine",
    "coordinates",
    "cope",
    "cosmos_learnable",
    "dape",
    "deberta_scores",
    "decay",
    "decay_rates",
    "decomposed_rows",
    "decomposed_scores",
    "distance_features",
    "distance_mlp",
    "dual_chunk_distances",
    "dual_chunk_mscale",
    "dual_chunk_positions",
    "dual_chunk_regions",
    "dynamic_ntk",
    "equal_earth",
    "ernie4_5_vl_positions",
    "ernie_image_positions",
    "ernie_image_rope",
    "exponential_modulation",
    "fire",
    "flux2_positions",
    "flux_positions",
    "forget_gate",
    "fourier_bands",
    "fourier_projection",
    "fraction_rows",
    "from_config",
    "funnel_positions",
    "gated_bias",
    "gated_table",
    "given_frequencies",
    "glm4v_positions",
    "glm_image_positions",
    "global_block_ids",
    "golden",
    "grid",
    "grid_positions",
    "hash_rows",
    "high_frequencies",
    "hunyuan_vl_positions",
    "hyena_features",
    "ideogram4_positions",
    "integrated_fourier",
    "inverse_frequencies",
    "irpe_rows",
    "joined",
    "kerple",
    "layout_bias",
    "learned",
    "learned_axes",
    "learned_boxes",
    "learned_log_scale",
    "liere",
    "liere_generators",
    "linear",
    "llama3",
    "llama4_vision_positions",
    "log_buckets",
    "log_coordinates",
    "log_n_scale",
    "longrope",
    "lumina2_positions",
    "masked_sine_2d",
    "mean_of_rows",
    "merge_outputs",
    "merge_scores",
    "minicpm_v_positions",
    "mixed_rope",
    "mlp_positions",
    "models",
    "mrope",
    "mrope_frequencies",
    "normalised_sinusoidal",
    "ntk",
    "ntk_alpha",
    "ntk_by_parts",
    "offset_geometric",
    "path",
    "per_dim_scale",
    "plots",
    "pope",
    "position_ids",
    "project_table",
    "proportional",
    "qwen2_5_omni_positions",
    "qwen2_5_vl_positions",
    "qwen2_vl_positions",
    "qwen3_omni_positions",
    "qwen3_vl_positions",
    "qwen_image21_positions",
    "qwen_image_positions",
    "relative_bias",
    "relative_rows",
    "relative_scores",
    "relative_values",
    "rerope_distances",
    "rerope_positions",
    "resize_bias",
    "resize_packed",
    "resize_table",
    "resonance",
    "rope",
    "rope_2d",
    "rope_3d",
    "rope_table",
    "rotary_bias",
    "sandwich",
    "segment_rows",
    "self_extend_distances",
    "self_extend_positions",
    "shift_matrix",
    "show_config",
    "sincos_2d",
    "sincos_3d",
    "sincos_grid",
    "sinusoidal",
    "skipped_positions",
    "soft_grid",
    "sphere_code",
    "spherical_harmonics",
    "t5_bias",
    "t5_buckets",
    "table_rows",
    "tile_table",
    "timestep_embedding",
    "timestep_fourier",
    "videorope_positions",
    "vision_token_order",
    "vjepa2_rope",
    "window_bias",
    "window_regions",
    "window_rows",
    "xdrope",
    "xl_scores",
    "xpos",
    "xpos_scale",
    "xpos_table",
    "yarn",
    "yarn_softmax_scale",
    "z_image_positions",
]

#: imported on first use, from the module named (None: it is the module)
_LATER = {
    "claims": None,
    "conformance": None,
    "conversion": None,
    "coordinates": None,
    "golden": None,
    "models": None,
    "plots": None,
    "position_ids": None,
    "from_config": "configs.config",
    "compare": "conformance.compare",
    "blocks": "steps.blocks",
    "grid": "steps.grids",
}

if not TYPE_CHECKING:  # which would take any name for one of these

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module 'refpos' has no attribute {name!r}")
        module = import_module(f".{_LATER[name] or name}", __name__)
        value = getattr(module, name) if _LATER[name] else module
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
