"""Rotary nodes of an ONNX model held against its configuration: pairs, channels, and the caches that they read."""

from __future__ import annotations

from typing import NamedTuple

from ..tensor_files.onnx_files import list_onnx
from .finding import Finding
from .held import SAYS
from .rotary_tensors import NO_ROTATION, cache_finding
from .rotations import meant_by

#: (domain, operator) -> (places of the caches among its inputs, the attribute of interleaved pairs)
ROTARY = {
    ("", "RotaryEmbedding"): (1, 2, "interleaved"),
    ("com.microsoft", "RotaryEmbedding"): (2, 3, "interleaved"),
    ("com.microsoft", "GroupQueryAttention"): (7, 8, "rotary_interleaved"),
    ("com.microsoft", "SparseAttention"): (9, 10, "rotary_interleaved"),
}
OPERATORS = frozenset(operator for _, operator in ROTARY)
DOMAINS = {"ai.onnx": ""}
PAIRINGS = ("half", "interleaved")
PERMUTED = "right only if the rows of the weights of q and k were permuted"
COMPUTED = "its cosines and sines are computed in the graph"


class _Rotation(NamedTuple):
    """What a node does: pairing, channels (None where neither node nor cache says it), factor, names of its caches."""

    pairing: str
    rotary_dim: int | None
    scale: float
    caches: tuple[str, str]


def findings(path, tensors, config):
    """(the findings of the rotary nodes of a file, the names of the tensors that they read).

    Nodes that do the same for the same layer types are told as one; tensors: the `Stored` ones of the file.
    """
    by_name, found, groups = {one.name: one for one in tensors}, [], {}
    for node in list_onnx(path, OPERATORS)[0]:
        rotation = _rotation(node, by_name)
        if rotation is not None:
            meant = meant_by(node.name.replace("/", "."), config)
            groups.setdefault((rotation, tuple(one.label for one in meant)), []).append((node, meant))
    for (rotation, _), members in groups.items():
        node, meant = members[0]
        count = f"{len(members)} nodes {node.operator}" if len(members) > 1 else f"node {node.operator}"
        name = f"{node.name or 'unnamed'} ({count})"
        found += [_node_finding(name, rotation, meant), *_cache_findings(name, rotation.caches, by_name, meant)]
    return found, {name for rotation, _ in groups for name in rotation.caches}


def _rotation(node, by_name):
    """What a node rotates; None where it rotates nothing."""
    known = ROTARY.get((DOMAINS.get(node.domain, node.domain), node.operator))
    if known is None or (node.operator != "RotaryEmbedding" and not node.attributes.get("do_rotary")):
        return None
    first, second, interleaved = known
    caches = tuple(node.inputs[place] if place < len(node.inputs) else "" for place in (first, second))
    pairing = PAIRINGS[bool(node.attributes.get(interleaved))]
    # GroupQueryAttention has a `scale` of its scores
    scale = node.attributes.get("scale", 1.0) if node.operator == "RotaryEmbedding" else 1.0
    cos = by_name.get(caches[0])
    of_cache = 2 * cos.shape[-1] if cos is not None and cos.shape else None
    return _Rotation(pairing, node.attributes.get("rotary_embedding_dim") or of_cache, scale, caches)


def _node_finding(name, rotation, meant):
    """The finding of what nodes do with their caches."""
    if not meant:
        return Finding(name, "not described", NO_ROTATION)
    off = [[*_off(rotation, one.rotary)] for one in meant]
    if [] not in off:
        return Finding(name, "differs", f"differs from {meant[0].label}: {'; '.join(off[0])}", meant[0].label)
    label, rotary = meant[off.index([])].label, meant[off.index([])].rotary
    told = f"pairing {rotation.pairing!r}, {rotary.rotary_dim} of {rotary.head_dim} channels"
    return Finding(name, "right", f"{SAYS} ({label}): {told}", label)


def _off(rotation, rotary):
    """What a node does otherwise than the configuration says."""
    if rotation.pairing != rotary.pairing:
        yield f"pairing {rotation.pairing!r} for {rotary.pairing!r}, {PERMUTED}"
    if rotation.rotary_dim not in (None, rotary.rotary_dim):
        yield f"{rotation.rotary_dim} channels for {rotary.rotary_dim}"
    if rotation.scale != 1:
        yield f"positions multiplied by {rotation.scale:g}"


def _cache_findings(name, caches, by_name, meant):
    """The finding of the caches, where they are tensors of the file."""
    if not all(cache in by_name for cache in caches):
        return [Finding(f"caches of {name}", "not described", f"not described: {COMPUTED}")]
    return [cache_finding(*(by_name[cache] for cache in caches), meant)]
