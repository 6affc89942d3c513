"""The call that gives the rows of a table of distances: one function for each kind of entry in the rows.

The name of such an encoding is the function that makes scores of queries and the table: relative_scores,
relative_values, xl_scores, deberta_scores, decomposed_scores. Its call gives the rows that function reads, and `table`
the table where it is no weight.
"""

import re

from ...errors import InputError, InputTypeError, shown
from ..keys import MOST_LAYERS
from .call_text import arguments, head_width, named, weight
from .image_calls import read_grid

LENGTHS = ("query_len", "key_len")
QUERY_MINUS_KEY = "position of the query minus that of the key, np.arange(query_len)[:, None] - np.arange(key_len)"


def _end(end, values):
    """A distance: an integer, Python code, or factor (max(the sum of keys + plus, 0) // over)."""
    if not isinstance(end, dict):
        return end
    total = sum(values.integer(key, "how far distances have rows", 0) for key in end["sum"]) + end.get("plus", 0)
    return end.get("factor", 1) * (max(total, 0) // end.get("over", 1))


def _distances(entry, values):
    """The arguments that say which distance reads which row."""
    rule = {name: _end(entry[name], values) for name in ("low", "high")}
    if "query_offset" in entry:
        rule["query_offset"] = _end(entry["query_offset"], values)
    return {"sign": entry["sign"], **rule, "outside": entry["outside"]}


def _as_text(rule):
    """Arguments as text; those of distances may be code."""
    return "".join(f", {name}={value}" if name in ("low", "high", "query_offset") else arguments(**{name: value})
                   for name, value in rule.items())  # fmt: skip


def relative_rows(entry, values):
    """A learned vector for each distance, times the queries or the probabilities."""
    names = {name: entry[name] for name in ("tensor", "stored_as") if name in entry}
    weights = {}
    if "layer_type" in entry:
        layers = _layers_of_type(entry, values)
        if not layers:
            return None
        names = {name: _of_layer(text, layers[0]) for name, text in names.items()}
        weights = {**names, "layers": layers}
        del weights["tensor"]
    rule = _distances(entry, values)
    inputs, parameters = weight((rule["high"] - rule["low"] + 1, head_width(entry["dim"], values)), names["tensor"])
    call = f"refpos.relative.relative_rows(query_len, key_len{_as_text(rule)})"
    return {"name": entry["name"], "place": "scores", "call": call, "inputs": {**named(LENGTHS), **inputs},
            "parameters": {**rule, **parameters}, "weights": weights}  # fmt: skip


def _layers_of_type(entry, values):
    """The layers of a type: those of layer_types, or of a list of the layers of the other type, or every n-th."""
    keys, kind, other = values.keys, entry["layer_type"], entry["listed"]
    if "layer_types" in keys:
        types = keys.names("layer_types", "the type of each layer")
    else:
        count = values.integer("num_hidden_layers", "the number of layers", 0, MOST_LAYERS)
        listed = [i for i in range(count) if (i + 1) % entry["every"]]
        listed = keys.numbers(entry["listed_in"], f"the layers of the type {other}", listed)
        types = [other if i in {*listed} else entry["others"] for i in range(count)]
    return [i for i, name in enumerate(types) if name == kind]


def _of_layer(name, layer):
    """The name of a tensor of one layer."""
    return re.sub(r"\.\d+\.", f".{layer}.", name, count=1)


def relative_bias(entry, values):
    """A learned number of each head for each distance."""
    rule, heads = _distances(entry, values), values.integer(entry["heads"], "the number of heads")
    inputs, parameters = weight((rule["high"] - rule["low"] + 1, heads), entry["tensor"])
    call = f"refpos.relative_bias(weight, query_len, key_len{_as_text(rule)})"
    return {"name": "relative_bias", "place": "scores", "call": call, "inputs": {**inputs, **named(LENGTHS)},
            "parameters": {**rule, **parameters}}  # fmt: skip


def xl_scores(entry, values):
    """Sines of each distance, projected, that meet queries with learned biases u and v."""
    rule = _distances(entry, values)
    dim, options = values.width(entry["dim"], "the width of the sines"), entry["arguments"]
    first, stop = (_end(one, values) for one in entry["range"])
    clamp = 0
    if "clamp" in entry:
        clamp = values.integer(entry["clamp"], "greater than 0: the longest distance with sines of its own", -(2**31))
    if clamp > 0 and rule["outside"] == "zero":
        sentence = f"{values.keys.path(entry['clamp'])} must be at most 0 beside attn_type 'uni', got {clamp}"
        raise InputError("E_CHOICE", entry["clamp"], sentence)
    if clamp > 0:
        first, stop = clamp, -clamp - 1
        rule |= {"low": -clamp, "high": clamp, "outside": "clip"}
    table = f"refpos.sinusoidal(range({first}, {stop}, -1), {dim}{arguments(**options)})"
    parameters = {"dim": dim, **options, "tensors": entry["tensors"]}
    call = f"refpos.relative.relative_rows(query_len, key_len{_as_text(rule)})"
    return {"name": "xl_scores", "place": "scores", "inputs": named(LENGTHS), "table": table, "call": call,
            "parameters": parameters}  # fmt: skip


def deberta_scores(entry, values):
    """A learned vector for each distance or bucket of distances, times the keys and times the queries."""
    distance = values.integer(entry["distance"], "the largest distance", -1)
    if distance < 1:
        distance = values.integer(entry["length"], f"the largest distance, as {entry['distance']} is {distance}")
    buckets = values.integer(entry["buckets"], "how many distances have rows", -1) if "buckets" in entry else -1
    options = {"terms": _terms(values, entry["terms"])}
    if buckets > 0:
        _check_log_buckets(entry, values, buckets, distance)
        rule = {"num_buckets": buckets, "max_distance": distance}
        inner = f'refpos.relative.log_buckets(relative_positions, rule="deberta"{arguments(**rule)})'
        call, inputs = f"({inner} + {buckets}).clip(0, {2 * buckets - 1})", {"relative_positions": QUERY_MINUS_KEY}
    else:
        rule = {"sign": "query-key", "low": -distance, "high": distance - 1, "outside": "clip"}
        call, inputs = f"refpos.relative.relative_rows(query_len, key_len{arguments(**rule)})", named(LENGTHS)
    learned, parameters = weight((2 * max(buckets, 0) or 2 * distance, values.width(entry["dim"])), entry["tensor"])
    for name in entry.get("more", ()):
        options[name] = values.keys.take(name, "a parameter of the encoding", values.row.defaults.get(name))
    return {"name": "deberta_scores", "place": "scores", "call": call, "inputs": {**inputs, **learned},
            "parameters": {**rule, **options, **parameters}}  # fmt: skip


def _terms(values, name):
    """The names of a list, which may stand in one string with | between them."""
    terms = values.keys.take(name, "which terms there are", values.row.defaults.get(name))
    terms = terms.split("|") if isinstance(terms, str) else () if terms is None else terms
    if not isinstance(terms, (list, tuple)) or not all(isinstance(one, str) for one in terms):
        sentence = f"{values.keys.path(name)} must be a list of names, got {shown(terms)}"
        raise InputTypeError("E_CHOICE", name, sentence)
    return [one.strip().lower() for one in terms]


def _check_log_buckets(entry, values, buckets, distance):
    """Refuse what the formula has no value for, or log_buckets does not compute."""
    if buckets % 2 or not 4 <= buckets <= 512:
        sentence = f"{values.keys.path(entry['buckets'])} must be even and from 4 to 512, got {buckets}"
        raise InputError("E_SIZE", entry["buckets"], sentence)
    if distance < buckets:
        sentence = f"{values.keys.path(entry['distance'])} must be at least the {buckets} buckets, got {distance}"
        raise InputError("E_SIZE", entry["distance"], sentence)


def decomposed_scores(entry, values):
    """A learned vector for each distance of rows and of columns, times the queries; None where no layer has it."""
    listed, window = (), 0  # of types without windows
    if "window" in entry:
        default = values.row.defaults[entry["layers"]]
        listed = values.keys.sequence(entry["layers"], "which layers have windows", default)
        window = values.integer(entry["window"], "the side of a window, 0 for none", 0)
    if entry["of"] == "windows":
        sides, exists = (window, window), window and (listed or not entry["lists_windows"])
    else:
        sides, exists = read_grid(entry, values), listed or entry["lists_windows"] or not window
    if not exists:
        return None
    width = head_width(entry["dim"], values)
    layer, weights = _layers_of(entry, listed, window)
    names = [_of_layer(name, layer) for name in entry["tensors"]]
    names = {"row_weight": names[0], "column_weight": names[1]}
    inputs = {name: f"({2 * side - 1}, {width}), the tensor {tensor}"
              for (name, tensor), side in zip(names.items(), sides)}  # fmt: skip
    rows = ", ".join(f"refpos.relative.decomposed_rows({side}, {side})" for side in sides)
    return {"name": "decomposed_scores", "place": "scores", "call": f"[{rows}]", "inputs": inputs,
            "parameters": {"grid": list(sides), "tensors": list(names.values())},
            "weights": {"shapes": [[2 * side - 1, width] for side in sides], **weights}}  # fmt: skip


def _layers_of(entry, listed, window):
    """(the first layer that has an entry of windows or of whole images, what `weights` says of all of them)."""
    if not window:  # all layers read whole images
        return 0, {}
    listed = [one for one in listed or () if isinstance(one, int)]
    if (entry["of"] == "windows") == entry["lists_windows"]:
        return (listed or [0])[0], {"layers": listed} if listed else {}
    return next(layer for layer in range(len(listed) + 1) if layer not in listed), {"but_layers": listed}


KINDS = (decomposed_scores, deberta_scores, relative_bias, relative_rows, xl_scores)
