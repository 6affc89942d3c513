"""The arguments of a golden case as the inputs of its order: arrays by the indices that the order names them with.

What is no arithmetic stands here: packed heads are split, an int n means 0 .. n - 1, buckets of T5 are looked up.
"""

import math
from fractions import Fraction

import numpy as np
from proofs import group_query_attention, onnx_attention
from witness.formulas import t5_buckets


def columns(given, *names):
    """The same with (hidden, 1) of a first layer as (hidden,)."""
    return {**given, **{name: given[name].reshape(-1) for name in names}}


def by_places(given):
    """Positions of any shape in one row."""
    positions = given["positions"]
    positions = range(positions) if isinstance(positions, int) else np.asarray(positions).reshape(-1).tolist()
    return {**given, "positions": np.array([Fraction(one) for one in positions], object)}


def _conv(given):
    """One axis as two, the first of size 1."""
    weight, x = given["weight"], given["x"]
    if weight.ndim == 4:
        return given
    return {**given, "weight": weight[:, :, None], "x": x[..., None, :, :]}


def _merge(given):
    """The parts beside the queries."""
    outputs, sums = given["outputs"], given["log_sums"]
    return {"outputs": np.moveaxis(outputs, 0, -3), "log_sums": np.moveaxis(sums, 0, -2)}


def _fire(given):
    given = columns(given, "weight_in")
    for name in ("query_positions", "key_positions"):
        places = given[name]
        given[name] = np.arange(places) if isinstance(places, int) else places.reshape(-1).astype(np.int64)
    return given


def _distance_mlp(given):
    sizes = given["size"] if isinstance(given["size"], list) else [given["size"]]
    weight = given["weight_in"].reshape(-1, len(sizes))
    return {**given, "size": np.array(sizes), "weight_in": weight}


def _layout(given):
    """The buckets of each pair of tokens, of the text and of two sides of the boxes."""
    made = dict(given)
    boxes = given.get("boxes")
    along = {"text": (given.get("position_ids"), "weight", "max_distance", 128)}
    for side, axis, name in (("x", 0, "x_weight"), ("y", 3, "y_weight")):
        along[side] = (None if boxes is None else boxes[..., axis], name, "max_box_distance", 256)
    for side, (places, table, name, most) in along.items():
        if places is not None and given.get(table) is not None:
            away, count = places[..., None, :] - places[..., :, None], len(given[table])
            made[f"{side}_bucket"] = t5_buckets(
                away, bidirectional=True, num_buckets=count, max_distance=given.get(name, most)
            )
    return made


def _cosmos(given):
    return {**given, **dict(zip(("frames", "rows", "columns"), given["weights"], strict=True))}


def _onnx(given):
    q, k, v, past = onnx_attention.whole(given)
    made = {**given, "q": q, "k": k, "v": v, "past": past, "packed": int(given["q"].ndim == 3)}
    mask = given.get("attn_mask")
    if mask is not None:
        made["bias" if mask.dtype.kind == "f" else "boolean_mask"] = mask
    return made


def _group_query(given):
    query, key, value = group_query_attention.whole(given)
    seq, largest = query.shape[2], int(given["total_sequence_length"].reshape(-1)[0])
    made = {**given, "query": query, "key": key, "value": value, "total_sequence_length": largest}
    made.update(query_format=given["dtypes"]["query"], key_format=given["dtypes"].get("key", given["dtypes"]["query"]))
    if given.get("position_ids") is not None and seq == largest:
        made["position_ids"] = given["position_ids"][0, 0] + np.arange(seq)
    return made


def _graphormer(given):
    made = {**given, "virtual": given["virtual"].reshape(-1)}
    if given.get("hop_weight") is not None:
        heads = given["spatial_weight"].shape[1]
        made["hop_weight"] = given["hop_weight"].reshape(-1, heads, heads)
    return made


def _attention(given):
    logits = given.get("cosine")
    if not isinstance(logits, np.ndarray):
        return given
    return {**given, "cosine": logits.reshape(logits.shape[:1])}


def _vjp_attention(given):
    logits = given.get("cosine")
    if logits is None:
        return given
    return {**given, "cosine": np.atleast_1d(np.array(logits, object)).reshape(-1)}


def _images(given):
    """All leading axes of q as one."""
    names = "q", "cotangent"
    made = {name: given[name].reshape(math.prod(given[name].shape[:-2]), *given[name].shape[-2:]) for name in names}
    return {**given, **made}


PREPARED = {
    "attention": _attention, "conv_positions": _conv, "cosmos_learnable": _cosmos, "distance_mlp": _distance_mlp,
    "fire": _fire, "gated_table": lambda given: {**given, "gate": np.array(given["gate"], object).reshape(-1)[0]},
    "graphormer_bias": _graphormer, "group_query_attention": _group_query, "layout_bias": _layout,
    "merge_outputs": _merge, "mlp_positions": lambda given: by_places(columns(given, "weight_in")),
    "normalised_sinusoidal": by_places, "vjp_attention": _vjp_attention, "vjp_decomposed_scores": _images,
    "vjp_fire": _fire, "onnx_attention": _onnx,
}  # fmt: skip


def inputs_of(program, suite, given):
    """(leading axes, a function from an index of them to the inputs, sizes) of a case."""
    given = PREPARED.get(suite, lambda one: one)(given)
    declared = [line[1:] for line in program if line[0] == "input"]
    arrays, scalars, shapes = {}, {}, {}
    for kind, name, indices, default in declared:
        value = given.get(name)
        value = default if value is None and default != "none" else value
        if isinstance(value, (np.ndarray, list)) or (indices and value is not None):
            array = np.asarray(value)
            array = array[(None,) * max(0, len(indices) - array.ndim)]
            arrays[name] = kind, array
            shapes[name] = indices, array.shape[array.ndim - len(indices) :]
        else:
            scalars[name] = number(kind, value)
    sizes = {}
    for indices, shape in shapes.values():
        for index, size in zip(indices, shape, strict=True):
            known = sizes.setdefault(index, size)
            assert known == size or 1 in (known, size), f"{index} counts to {known} and to {size}"
            sizes[index] = size if known == 1 else known
    lead = np.broadcast_shapes(
        *(array.shape[: array.ndim - len(shapes[name][0])] for name, (_, array) in arrays.items())
    )

    def at(place):
        found = dict(scalars)
        for name, (kind, array) in arrays.items():
            whole = np.broadcast_to(array, (*lead, *(sizes[index] for index in shapes[name][0])))
            found[name] = nested(kind, whole[place].tolist())
        return found

    return lead, at, sizes


def nested(kind, values):
    """Lists of numbers of a type."""
    return [nested(kind, one) for one in values] if isinstance(values, list) else number(kind, values)


def number(kind, value):
    """A number, a word or None as the type of an input has it."""
    if value is None or kind == "word":
        return value
    if kind == "float":
        return float(value)
    if kind == "exact":
        return Fraction(value)
    assert int(value) == float(value) or math.isnan(float(value)), f"an integer must be given, got {value}"
    return int(value)
