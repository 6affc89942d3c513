"""Pieces of the text of a call: its arguments, what its inputs stand for, and an encoding that has none."""

from ...errors import InputError

NO_FUNCTION = "refpos has no call for all of it yet"
LENGTH = "the number of tokens"
INPUTS = {
    "length": LENGTH,
    "tokens": "token ids (..., length)",
    "mask": "1 for tokens, 0 for padding (..., length)",
    "query_len": "the number of queries",
    "key_len": "the number of keys",
    "relative_positions": "position of the key minus that of the query, integers (queries, keys)",
}


def arguments(**values):
    """Keyword arguments as text, behind a comma each."""
    return "".join(f", {name}={written(value)}" for name, value in values.items())


def written(value):
    """A value as Python code, strings in double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def named(names):
    """What each input of a call stands for."""
    return {name: INPUTS[name] for name in names}


def weight(shape, tensor):
    """What is known of a learned table: (its input, its parameters)."""
    rank = f"({', '.join(map(str, shape))})"
    return {"weight": f"{rank}, the tensor {tensor}"}, {"tensor": tensor, "shape": list(shape)}


def head_width(names, values):
    """The channels of a head: a key, or [the key of all channels, that of the heads], which a third replaces."""
    if isinstance(names, str):
        return values.width(names, "the width of a head")
    if names[2:] and names[2] in values.keys:
        return values.width(names[2], "the width of a head")
    width, heads = values.width(names[0]), values.integer(names[1], "the number of heads")
    if width % heads:
        sentence = f"{values.keys.path(names[0])} must be a multiple of {heads} heads, got {width}"
        raise InputError("E_SIZE", names[0], sentence)
    return width // heads


def without_function(entry, values):
    """An encoding by its name and the keys that decide it."""
    parameters = {name: _plain(values, name) for name in entry.get("keys", ())}
    if "tensor" in entry:
        parameters["tensor"] = entry["tensor"]
    return {"name": entry["name"], "place": entry.get("place", "scores"), "call": None, "parameters": parameters,
            "notes": (NO_FUNCTION,)}  # fmt: skip


def _plain(values, name):
    """The value of a key, integers checked as sizes."""
    default = values.row.defaults.get(name)
    if isinstance(default, int) and not isinstance(default, bool):
        return values.integer(name, "a size of the encoding", -1)
    keys, inner = values.at(name)
    return keys.take(inner, "a parameter of the encoding", default)
