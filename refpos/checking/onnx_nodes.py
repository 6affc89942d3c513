"""Rotary nodes of an ONNX model held against its configuration: pairs, channels, and the caches that they read."""

from __future__ import annotations

from typing import NamedTuple

from ..tensor_files.onnx_files import list_onnx
from .finding import Finding
from .held import SAYS
from .rotary_tensors import NO_ROTATION, cache_finding
from .rotations import LAYER, meant_by

#: (domain, operator) -> (places of the caches among its inputs, the attribute of interleaved pairs)
ROTARY = {
    ("", "RotaryEmbedding"): (1, 2, "interleaved"),
    ("com.microsoft", "RotaryEmbedding"): (2, 3, "interleaved"),
    ("com.microsoft", "GroupQueryAttention"): (7, 8, "rotary_interleaved"),
    ("com.microsoft", "SparseAttention"): (9, 10, "rotary_interleaved"),
}
DOMAINS = {"ai.onnx": ""}
#: nodes that hand on their input: what they give is in the file
HANDED_ON = ("Identity", "Cast")
PAIRINGS = ("half", "interleaved")
SPLIT = "right only if the graph splits the heads before it"
PERMUTED = "right only if the rows of the weights of q and k were permuted"
COMPUTED = "not described: its cosines and sines are computed in the graph, or no tensors of the file"
OTHER = "not described: what this operator does with its cosines and sines is not read"


class _Rotation(NamedTuple):
    """What a node does: pairing, channels (None where neither node nor cache says it), factor, the names of its caches,
    a pair for each branch of an If that chooses one, and whether it rotates each head whole."""

    pairing: str
    rotary_dim: int | None
    scale: float
    caches: tuple[tuple[str, str], ...]
    is_whole: bool


def findings(path, tensors, config, longest):
    """(the findings of the rotary nodes of a file, the names of the tensors that they read).

    Nodes that do the same for the same layer types are told as one; tensors: the `Stored` ones of the file; longest:
    the configuration for sequences as long as the model takes.
    """
    by_name, groups, read = {one.name: one for one in tensors}, {}, set()
    nodes = list_onnx(path, lambda operator: operator in (*HANDED_ON, "If") or _may_rotate(operator))[0]
    choices = _choices(nodes)
    sources = {
        one.outputs[0]: one.inputs[0] for one in nodes if one.operator in HANDED_ON and one.inputs and one.outputs
    }
    rotations = [_rotation(node, by_name, sources, choices) for node in nodes]
    found = [_other_finding(node) for node, one in zip(nodes, rotations) if one is None and _is_other(node)]
    rotating = [(node, one) for node, one in zip(nodes, rotations) if one is not None]
    names = _names([node.name.replace("/", ".") for node, _ in rotating], config)
    for (node, rotation), words in zip(rotating, names):
        meant = meant_by(words, config)
        groups.setdefault((rotation, tuple(one.label for one in meant)), []).append((node, words, meant))
    for (rotation, _), members in groups.items():
        node, words, meant = members[0]
        count = f"{len(members)} nodes {node.operator}" if len(members) > 1 else f"node {node.operator}"
        name = f"{node.name or 'unnamed'} ({count})"
        found.append(_node_finding(name, rotation, meant))
        if len(rotation.caches) == 1:
            found.append(_cache_finding(name, rotation.caches[0], by_name, meant))
        else:
            longer = meant_by(words, longest)
            found += _chosen_findings(name, rotation.caches, by_name, meant, longer)
        read |= {cache for pair in rotation.caches for cache in pair}
    return found, read


def _names(names, config):
    """The names of rotating nodes, where none says a layer with the layer by their order: each rotated layer has as
    many of them, one or two, and no node can stand before those of the layer before."""
    parts = list(config.parts.values())
    rotated = [k for k, kind in enumerate(parts[0].layers) if kind is not None] if len(parts) == 1 else []
    each = len(names) / len(rotated) if rotated else 0
    if each not in (1, 2) or any(LAYER.search(name) for name in names):
        return names
    return [f"layers.{rotated[i // int(each)]}.{name}" for i, name in enumerate(names)]


def _may_rotate(operator):
    """Whether an operator may rotate queries and keys, by its name."""
    return "Rotary" in operator or "Attention" in operator


def _is_other(node):
    """Whether a node rotates, as an operator that is not read."""
    known = (DOMAINS.get(node.domain, node.domain), node.operator) in ROTARY
    return not known and _may_rotate(node.operator) and ("Rotary" in node.operator or node.attributes.get("do_rotary"))


def _other_finding(node):
    return Finding(f"{node.name or 'unnamed'} (node {node.operator})", "not described", OTHER)


def _choices(nodes):
    """{an output of an If: what each of its branches gives for it}."""
    return {
        output: tuple(branch[place] for branch in node.branches)
        for node in nodes
        if node.operator == "If"
        for place, output in enumerate(node.outputs)
        if all(place < len(branch) for branch in node.branches)
    }


def _rotation(node, by_name, sources, choices):
    """What a node rotates; None where it rotates nothing, or is of no operator that is known. sources: {what a node
    hands on: its input}; choices: those of `_choices`."""
    known = ROTARY.get((DOMAINS.get(node.domain, node.domain), node.operator))
    if known is None or (node.operator != "RotaryEmbedding" and not node.attributes.get("do_rotary")):
        return None
    first, second, interleaved = known
    caches = _caches(
        [node.inputs[place] if place < len(node.inputs) else "" for place in (first, second)], sources, choices
    )
    pairing = PAIRINGS[bool(node.attributes.get(interleaved))]
    # GroupQueryAttention has a `scale` of its scores
    scale = node.attributes.get("scale", 1.0) if node.operator == "RotaryEmbedding" else 1.0
    cos = by_name.get(caches[0][0])
    of_cache = 2 * cos.shape[-1] if cos is not None and cos.shape else None
    rotary_dim = node.attributes.get("rotary_embedding_dim") or of_cache
    return _Rotation(pairing, rotary_dim, scale, caches, _is_whole(node))


def _is_whole(node):
    """Whether a node rotates all channels of a head, whose width it takes from its cache."""
    known = node.domain == "com.microsoft" and node.operator == "RotaryEmbedding"
    return known and not node.attributes.get("rotary_embedding_dim")


def _caches(names, sources, choices):
    """((cosines, sines) of each branch,) for the names of the inputs of a node."""
    given = [_source(name, sources) for name in names]
    chosen = [choices.get(name, (name,)) for name in given]
    if len(chosen[0]) != len(chosen[1]):
        return (tuple(given),)
    return tuple((_source(cos, sources), _source(sin, sources)) for cos, sin in zip(*chosen))


def _source(name, sources):
    """The name of what is handed on under another name."""
    for _ in range(len(sources)):
        if name not in sources:
            break
        name = sources[name]
    return name


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
    elif rotation.is_whole and rotary.rotary_dim != rotary.head_dim:
        yield f"heads of {rotary.rotary_dim} channels for {rotary.head_dim}: rotary_embedding_dim is 0, {SPLIT}"
    if rotation.scale != 1:
        yield f"positions multiplied by {rotation.scale:g}"


def _cache_finding(name, caches, by_name, meant):
    """The finding of the cosines and sines of a node, where they are tensors of the file."""
    if not all(cache in by_name for cache in caches):
        return Finding(f"caches of {name}", "not described", COMPUTED)
    if any(0 in by_name[cache].shape for cache in caches):
        return Finding(f"caches of {name}", "differs", "differs: a cache without rows or columns")
    return cache_finding(*(by_name[cache] for cache in caches), meant)


def _chosen_findings(name, pairs, by_name, meant, longer):
    """The findings of the caches of which an If chooses one: each is that of short or of long sequences, and where
    these differ there is one of each."""
    found, kinds = [], set()
    for pair in pairs:
        one, kind = _cache_finding(name, pair, by_name, meant), "short"
        if one.state == "differs":
            other = _cache_finding(name, pair, by_name, [one._replace(part=f"{one.part}, long") for one in longer])
            one, kind = (other, "long") if other.state == "right" else (one, kind)
        found.append(one)
        kinds.add(kind)
    is_by_length = [one.rotary.inv_freq.tolist() for one in meant] != [one.rotary.inv_freq.tolist() for one in longer]
    if is_by_length and len(kinds) == 1 and all(one.state == "right" for one in found):
        missing = "long" if "short" in kinds else "short"
        sentence = f"differs: no branch of the If has the cache of {missing} sequences, which the configuration has"
        found.append(Finding(f"caches of {name}", "differs", sentence))
    return found
