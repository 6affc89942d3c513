"""Which tables of two models meet in which layers."""

from typing import NamedTuple


class LayerPairs(NamedTuple):
    """pairs: {(table of a, table of b): layers}, None for a layer without a rotation; layers are empty where neither
    model counts them. beyond: (the model with more layers, these layers, and which tables among them are new)."""

    pairs: dict
    beyond: tuple | None = None


def layer_pairs(a, b, chosen=None):
    """The `LayerPairs` of two `Part`; chosen: only these layers."""
    if _is_by_label(a) or _is_by_label(b):
        labels = dict.fromkeys([*a.rotaries, *b.rotaries])
        return LayerPairs({tuple(one if one in part.rotaries else None for part in (a, b)): () for one in labels})
    if not a.layers and not b.layers:
        return LayerPairs({(next(iter(a.rotaries)), next(iter(b.rotaries))): tuple(chosen or ())})
    count = min(len(part.layers) for part in (a, b) if part.layers)
    names = [part.layers or tuple(part.rotaries) * count for part in (a, b)]
    pairs = {}
    for layer, pair in enumerate(zip(*names)):
        if chosen is None or layer in chosen:
            pairs.setdefault(pair, []).append(layer)
    return LayerPairs({pair: tuple(layers) for pair, layers in pairs.items()}, _beyond(names, count, chosen))


def _is_by_label(part):
    return not part.layers and len(part.rotaries) != 1


def _beyond(names, count, chosen):
    """(0 or 1, the layers that only this model has, the tables that stand in no layer of both), or None."""
    longer = max((0, 1), key=lambda k: len(names[k]))
    layers = [k for k in range(count, len(names[longer])) if chosen is None or k in chosen]
    if not layers:
        return None
    new = dict.fromkeys(names[longer][k] for k in layers if names[longer][k] not in names[longer][:count])
    return longer, tuple(layers), tuple(new)
