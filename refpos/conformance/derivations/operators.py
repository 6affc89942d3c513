"""Error bounds of operators: rotations by given caches, and attention as `attention` has it."""

import numpy as np

from ...operators._rotary import at_positions, by_token, heads_of, read_caches
from ...operators.microsoft_rotary_embedding import head_sizes, positions_of_tokens
from ...operators.onnx_attention import OUTPUTS, read_call
from ...scores.attention import read_outputs
from ...steps.waves.rotation import pair_views
from ..classes import FLOAT64
from ..registry import complete, derivation_of, error_bound
from . import running_error
from .exact_inputs import exact_channels
from .rounding_errors import against_rounded, narrows, underflow_error, unit_roundoff


@error_bound("onnx_rotary_embedding")
def _onnx_rotary_embedding(arguments, fmt):
    x, ids = exact_channels(arguments["x"], fmt), arguments["position_ids"]
    tables = _caches(arguments, ("batch", "seq", "half") if ids is None else ("rows", "half"))
    heads = heads_of(x, arguments["num_heads"])
    return _rotated(x, heads, tables if ids is None else at_positions(tables, _bare(ids)), arguments, fmt)


@error_bound("microsoft_rotary_embedding")
def _microsoft_rotary_embedding(arguments, fmt):
    x, tables = exact_channels(arguments["x"], fmt), _caches(arguments, ("rows", "half"))
    width = 2 * tables.cos.shape[1]
    heads, _ = head_sizes(x, arguments["num_heads"], arguments["rotary_embedding_dim"], width)
    ids = positions_of_tokens(_bare(arguments["position_ids"]), x.shape[0], x.shape[-2])
    return _rotated(x, heads, at_positions(tables, ids), arguments, fmt)


def _caches(arguments, axes):
    return read_caches(_bare(arguments["cos_cache"]), _bare(arguments["sin_cache"]), axes)


def _bare(array):
    """The array of a `Tensor`, whose bit patterns are uint16 where it is bfloat16."""
    return getattr(array, "values", array)


def _rotated(x, heads, tables, arguments, fmt):
    """Caches rounded to the format of x, two products and their sum in that format."""
    limits = np.zeros(x.shape)
    if x.size:
        pairing, rotary_dim = ("half", "interleaved")[arguments["interleaved"]], 2 * tables.cos.shape[-1]
        first, second = (np.abs(view) for view in pair_views(by_token(x, heads), pairing, rotary_dim))
        cos, sin = (np.abs(part)[:, :, None] for part in tables[:2])
        rounded = narrows(tables.fmt, fmt)
        into = pair_views(by_token(limits, heads), pairing, rotary_dim)
        for view, one, other in zip(into, (first, second), (second, first)):
            view[...] = _channel_bound(one, cos, other, sin, rounded, fmt)
    return {"rounded-table": {"output": limits}}


def _channel_bound(one, cos, other, sin, rounded, fmt):
    """Bound of one cos -+ other sin, all without sign; rounded: whether the caches lose bits in the format."""
    u, tiny = unit_roundoff(fmt), underflow_error(fmt)
    with np.errstate(invalid="ignore", over="ignore"):
        size = one * cos + other * sin
        error = (u * size + tiny * (one + other)) if rounded else 0.0
        # two products, of which a fused multiply-add leaves one unrounded, and a sum
        error = error + u * (size + error) + 2 * tiny
        error = error + u * (size + error) + tiny
        limit = np.minimum(against_rounded(error, size, fmt), np.finfo(np.float64).max / 4)
    return np.where(np.isfinite(size), np.nan_to_num(limit), 0.0)


# -- attention ---------------------------------------------------------------------------------------------------------


@error_bound("onnx_attention")
def _onnx_attention(arguments, fmt):
    tensors = [_bare(arguments[name]) for name in ("q", "k", "v", "attn_mask", "past_key", "past_value")]
    options = [arguments[name] for name in ("is_causal", "kv_num_heads", "q_num_heads", "scale", "softcap")]
    call, rank = read_call(*tensors, *options)
    names, _ = read_outputs(arguments["outputs"], OUTPUTS)
    kind, shown = call.shown(arguments["qk_matmul_output_mode"])
    limits = {}
    if "output" in names:
        for name, limit in _attention(call, "output", call.shown(2)[1], fmt).items():
            limits.setdefault(name, {})["output"] = limit if rank == 4 else _joined(limit)
    if "qk_matmul_output" in names:
        for name, limit in _attention(call, kind, shown, fmt).items():
            limits.setdefault(name, {})["qk_matmul_output"] = limit
    for name, copied in (("present_key", call.k), ("present_value", call.v)):
        if name in names:  # copies, which a program has in its own format
            exact = running_error.from_input(copied, FLOAT64)
            for kind, arithmetic in running_error.SEQUENCES.items():
                held = running_error.from_input(copied, arithmetic)
                limits.setdefault(kind, {})[name] = running_error.bound(held, exact, fmt)
    return limits


def _attention(call, output, options, fmt):
    """{class: bound} of one output of `attention`."""
    arguments = {"q": call.q, "k": call.k, "v": call.v, "outputs": output, **options}
    found = derivation_of("attention")(complete("attention", arguments), fmt)
    return {name: limit[output] for name, limit in found.items()}


def _joined(values):
    """(batch, heads, seq, dim) as (batch, seq, heads * dim)."""
    batch, heads, seq, width = values.shape
    return values.swapaxes(1, 2).reshape(batch, seq, heads * width)
