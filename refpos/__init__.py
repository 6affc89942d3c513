"""refpos: the numerical ground truth for positional encodings, correctly rounded, from NumPy alone."""

from importlib import import_module
from typing import TYPE_CHECKING

from .kernels import show_config  # first: kernels check the floating point in which the others' constants are read

# isort: split
from ._version import __version__
from .encodings.alibi import alibi
from .encodings.alibi_slopes import alibi_slopes
from .encodings.ernie_image_rope import ernie_image_rope
from .encodings.liere import liere
from .encodings.liere_generators import liere_generators
from .encodings.mixed_rope import mixed_rope
from .encodings.mrope import mrope
from .encodings.path import path
from .encodings.pope import pope
from .encodings.rope import rope
from .encodings.rope_2d import rope_2d
from .encodings.rope_3d import rope_3d
from .encodings.rope_table import rope_table
from .encodings.sincos_2d import sincos_2d
from .encodings.sincos_3d import sincos_3d
from .encodings.sinusoidal import sinusoidal
from .encodings.t5_bias import t5_bias
from .encodings.t5_buckets import t5_buckets
from .encodings.vjepa2_rope import vjepa2_rope
from .encodings.xdrope import xdrope
from .encodings.xpos import xpos
from .encodings.xpos_scale import xpos_scale
from .encodings.xpos_table import xpos_table
from .errors import FileError, InputError, InputTypeError
from .factors.attention_temperature import attention_temperature
from .factors.dual_chunk_mscale import dual_chunk_mscale
from .factors.log_n_scale import log_n_scale
from .factors.yarn_softmax_scale import yarn_softmax_scale
from .frequencies.axial_frequencies import axial_frequencies
from .frequencies.dynamic_ntk import dynamic_ntk
from .frequencies.given_frequencies import given_frequencies
from .frequencies.inverse_frequencies import inverse_frequencies
from .frequencies.learned_log_scale import learned_log_scale
from .frequencies.linear import linear
from .frequencies.llama3 import llama3
from .frequencies.longrope import longrope
from .frequencies.mrope_frequencies import mrope_frequencies
from .frequencies.ntk import ntk
from .frequencies.ntk_alpha import ntk_alpha
from .frequencies.ntk_by_parts import ntk_by_parts
from .frequencies.proportional import proportional
from .frequencies.resonance import resonance
from .frequencies.yarn import yarn
from .position_ids.attention_mask_positions import attention_mask_positions
from .position_ids.dual_chunk_distances import dual_chunk_distances
from .position_ids.dual_chunk_positions import dual_chunk_positions
from .position_ids.dual_chunk_regions import dual_chunk_regions
from .position_ids.ernie4_5_vl_positions import ernie4_5_vl_positions
from .position_ids.ernie_image_positions import ernie_image_positions
from .position_ids.flux2_positions import flux2_positions
from .position_ids.flux_positions import flux_positions
from .position_ids.glm4v_positions import glm4v_positions
from .position_ids.glm_image_positions import glm_image_positions
from .position_ids.grid_positions import grid_positions
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
from .position_ids.videorope_positions import videorope_positions
from .position_ids.vision_token_order import vision_token_order
from .position_ids.window_regions import window_regions
from .position_ids.z_image_positions import z_image_positions
from .steps.frequencies import Frequencies

if TYPE_CHECKING:
    from . import conformance, conversion, coordinates, golden, models, position_ids
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
    "alibi",
    "alibi_slopes",
    "attention_mask_positions",
    "attention_temperature",
    "axial_frequencies",
    "blocks",
    "compare",
    "conformance",
    "conversion",
    "coordinates",
    "dual_chunk_distances",
    "dual_chunk_mscale",
    "dual_chunk_positions",
    "dual_chunk_regions",
    "dynamic_ntk",
    "ernie4_5_vl_positions",
    "ernie_image_positions",
    "ernie_image_rope",
    "flux2_positions",
    "flux_positions",
    "from_config",
    "given_frequencies",
    "glm4v_positions",
    "glm_image_positions",
    "golden",
    "grid",
    "grid_positions",
    "hunyuan_vl_positions",
    "ideogram4_positions",
    "inverse_frequencies",
    "learned_log_scale",
    "liere",
    "liere_generators",
    "linear",
    "llama3",
    "llama4_vision_positions",
    "log_n_scale",
    "longrope",
    "lumina2_positions",
    "minicpm_v_positions",
    "mixed_rope",
    "models",
    "mrope",
    "mrope_frequencies",
    "ntk",
    "ntk_alpha",
    "ntk_by_parts",
    "path",
    "pope",
    "position_ids",
    "proportional",
    "qwen2_5_omni_positions",
    "qwen2_5_vl_positions",
    "qwen2_vl_positions",
    "qwen3_omni_positions",
    "qwen3_vl_positions",
    "qwen_image21_positions",
    "qwen_image_positions",
    "rerope_distances",
    "rerope_positions",
    "resonance",
    "rope",
    "rope_2d",
    "rope_3d",
    "rope_table",
    "self_extend_distances",
    "self_extend_positions",
    "show_config",
    "sincos_2d",
    "sincos_3d",
    "sinusoidal",
    "t5_bias",
    "t5_buckets",
    "videorope_positions",
    "vision_token_order",
    "vjepa2_rope",
    "window_regions",
    "xdrope",
    "xpos",
    "xpos_scale",
    "xpos_table",
    "yarn",
    "yarn_softmax_scale",
    "z_image_positions",
]

#: imported on first use, from the module named (None: it is the module)
_LATER = {
    "conformance": None,
    "conversion": None,
    "coordinates": None,
    "golden": None,
    "models": None,
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
