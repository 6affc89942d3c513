# What `refpos.operators` holds, for editors and type checkers; written by `python tests/test_exports.py`.

from .ggml_rope_ext import ggml_rope_ext as ggml_rope_ext
from .group_query_attention import group_query_attention as group_query_attention
from .microsoft_rotary_embedding import microsoft_rotary_embedding as microsoft_rotary_embedding
from .mlx_rope import mlx_rope as mlx_rope
from .onnx_attention import onnx_attention as onnx_attention
from .onnx_rotary_embedding import onnx_rotary_embedding as onnx_rotary_embedding
