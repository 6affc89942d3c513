"""Error bounds of operators: rotations by given caches, and attention as `attention` has it."""

import numpy as np

from ...operators import _grouped
from ...operators._heads import joined
from ...operators._rotary import at_positions, by_token, heads_of, read_caches
from ...operators.ggml_rope_ext import ggml_call
from ...operators.microsoft_rotary_embedding import head_sizes, positions_of_tokens
from ...operators.mlx_rope import mlx_call
from ...operators.onnx_attention import OUTPUTS, read_call
from ...scores.attention import read_outputs
from ...steps.rows import doubles
from ...steps.waves.rotation import pair_views
from ..classes import FLOAT64
from ..registry import complete, derivation_of, error_bound
from . import attention, running_error
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
    return {"rounded-table": {"output": _rotation_bound(x, heads, tables, arguments["interleaved"], fmt)}}


def _rotation_bound(x, heads, tables, interleaved, fmt):
    """Caches rounded to a format, two products and their sum in that format, to which the exact rotation is rounded."""
    limits = np.zeros(x.shape)
    if x.size:
        pairing, rotary_dim = ("half", "interleaved")[interleaved], 2 * tables.cos.shape[-1]
        first, second = (np.abs(view) for view in pair_views(by_token(x, heads), pairing, rotary_dim))
        cos, sin = (np.abs(part)[:, :, None] for part in tables[:2])
        rounded = narrows(tables.fmt, fmt)
        into = pair_views(by_token(limits, heads), pairing, rotary_dim)
        for view, one, other in zip(into, (first, second), (second, first)):
            view[...] = _channel_bound(one, cos, other, sin, rounded, fmt)
    return limits


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


@error_bound("mlx_rope")
def _mlx_rope(arguments, fmt):
    """Those of `rope`."""
    x, names = arguments["x"], ("dims", "traditional", "base", "scale", "offset", "freqs")
    call = mlx_call(np.shape(_bare(x)), *(_bare(arguments[name]) for name in names))
    return derivation_of("rope")(complete("rope", {"x": x, **call}), fmt)


@error_bound("ggml_rope_ext")
def _ggml_rope_ext(arguments, fmt):
    """Those of `rope`."""
    others = {name: _bare(value) for name, value in arguments.items() if name not in ("x", "dtype", "out", "threads")}
    x = arguments["x"]
    call = ggml_call(np.shape(_bare(x)), **others)
    return derivation_of("rope")(complete("rope", {"x": x, **call}), fmt)


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
            limits.setdefault(name, {})["output"] = limit if rank == 4 else joined(limit)
    if "qk_matmul_output" in names:
        for name, limit in _attention(call, kind, shown, fmt).items():
            limits.setdefault(name, {})["qk_matmul_output"] = limit
    for name, copied in (("present_key", call.k), ("present_value", call.v)):
        if name in names:
            for kind, arithmetic in attention.arithmetics(fmt).items():
                limits.setdefault(kind, {})[name] = _copied(copied, 0.0, arithmetic, fmt)
    return limits


def _copied(values, inherited, arithmetic, fmt):
    """What a program has in its own format, and inherits errors of."""
    held = running_error.from_input(values, arithmetic)
    held = held._replace(error=held.error + inherited)
    return running_error.bound(held, running_error.from_input(values, FLOAT64), fmt)


def _attention(call, output, options, fmt, inherited=None):
    """{class: bound} of one output of `attention`."""
    arguments = {"q": call.q, "k": call.k, "v": call.v, "outputs": output, **options}
    found = attention.of_inputs(complete("attention", arguments), fmt, inherited, roots=True)
    return {name: limit[output] for name, limit in found.items()}


@error_bound("group_query_attention")
def _group_query_attention(arguments, fmt):
    tensors = {name: _bare(arguments[name]) for name in _grouped.TENSORS}
    call = _grouped.read(tensors, {name: arguments[name] for name in _grouped.ATTRIBUTES})
    names, _ = read_outputs(arguments["outputs"], _grouped.OUTPUTS)
    rotations = {kind: _of_rotations(call, arithmetic) for kind, arithmetic in attention.arithmetics(fmt).items()}
    limits = {kind: {} for kind in rotations}
    shorter = slice(None), slice(None), slice(call.lengths.largest)
    errors = {kind: (q, _padded(k[shorter], call.k.shape)) for kind, (q, k) in rotations.items()}
    if "output" in names:
        for kind, limit in _attention(call, "output", call.options(), fmt, errors).items():
            limits[kind]["output"] = joined(limit)
    shown = _grouped.read_shown(names, arguments["qk_output"], call.windowed)
    if shown:
        for kind, limit in _attention(call, shown, call.options(), fmt, errors).items():
            limits[kind]["output_qk"] = call.of_keys(limit)
    for kind, arithmetic in attention.arithmetics(fmt).items():
        if "present_key" in names:
            limits[kind]["present_key"] = _copied(
                call.present(call.keys), call.present(rotations[kind][1]), arithmetic, fmt
            )
        if "present_value" in names:
            limits[kind]["present_value"] = _copied(call.present(call.values), 0.0, arithmetic, fmt)
    return limits


def _of_rotations(call, arithmetic):
    """How far the rotated queries and the cached keys of a program are from those that are rounded once."""
    queries, cache = np.zeros(call.q.shape), np.zeros(call.keys.shape)
    if call.rotations is not None:
        bounds = []
        for x, tables, interleaved, fmt in call.rotations:
            narrower = arithmetic if narrows(fmt, arithmetic) else fmt
            values, _ = doubles.read("x", x)
            bounds.append(_rotation_bound(values, x.shape[1], tables, interleaved, narrower))
        queries, new = bounds
        for b, start in enumerate(call.lengths.past.tolist()):
            cache[b, :, start : start + call.lengths.new] = new[b]
    return queries, cache


def _padded(errors, shape):
    """Errors of keys, and none of a sink behind them."""
    padded = np.zeros(shape)
    padded[:, :, : errors.shape[2]] = errors
    return padded
