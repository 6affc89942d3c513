"""The lengths that a configuration names: of the context, and those at which its scalings change."""

#: keys that hold the length of the context, in HF files and in GGUF metadata
CONTEXT = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length")
GGUF_CONTEXT = ".context_length"
#: keys with a length at which some scaling changes
THRESHOLDS = (*CONTEXT, "original_max_position_embeddings", "max_trained_positions")
LONGEST = 2**40


def context(values, part):
    """(key, length) of the context of a part, where the file says it; (None, None) where it does not."""
    architecture = values.get("general.architecture")
    names = CONTEXT if architecture is None else (f"{architecture}{GGUF_CONTEXT}",)
    inner = object_of(values, part)
    return next(((name, inner[name]) for name in names if _is_length(inner.get(name))), (None, None))


def object_of(values, part):
    """The object of a part, found by the steps of its name; for a part that has none the file itself."""
    for step in part.split("."):
        inner = next((values[name] for name in (f"{step}_config", step) if isinstance(values.get(name), dict)), None)
        if inner is None:
            return values
        values = inner
    return values


def thresholds(values, assumed):
    """Lengths of a file, and of the class of its model, at which a scaling may change, and the lengths beside them."""
    named = {name.rpartition(".")[2]: value for name, value in assumed.items()}
    found = {value for name, value in [*_items(values), *named.items()] if name in THRESHOLDS and _is_length(value)}
    return {int(length) * k + more for length in found for k in (1, 2, 4) for more in (0, 1)}


def _items(values):
    """(key, value) of an object and of the objects inside it."""
    for name, value in values.items():
        yield name, value
        if isinstance(value, dict):
            yield from _items(value)


def _is_length(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 1 <= value <= LONGEST
