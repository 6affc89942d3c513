"""How many layers the parts of two configurations have, as far as the files say it."""

from ...errors import InputError
from ..unread import OTHER_SIZES
from .lengths import object_of

NAME = "num_hidden_layers"


def check(chosen, models, names):
    """Refuse a chosen layer that no compared part of either model has; models: two `Reading`, names: of the parts."""
    counts = {name: _count(name, models) for name in names}
    if not chosen or None in counts.values():
        return
    name = max(counts, key=counts.get)
    beyond = [layer for layer in chosen if layer >= counts[name]]
    if beyond:
        sentence = f"layers must be below {counts[name]}, the layers of {name}, got {beyond[0]}"
        raise InputError("E_SIZE", "layers", sentence)


def _count(name, models):
    """The layers of a part of the model that has more of them; None where a file does not say it."""
    counts = [_of_model(name, one.values, one.config.parts.get(name)) for one in models]
    return None if None in counts else max(counts)


def _of_model(name, values, part):
    if part is not None and part.layers:
        return len(part.layers)
    inner, architecture = object_of(values, name), values.get("general.architecture")
    for key in (NAME, *OTHER_SIZES[NAME], f"{architecture}.block_count"):
        if isinstance(inner.get(key), int):
            return inner[key]
    return None
