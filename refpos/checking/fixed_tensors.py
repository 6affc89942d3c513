"""Tensors that a configuration fixes beside rotations: sinusoids, slopes, indices, coordinates, position ids; and
the shape of tables of biases by other names."""

import ast
import math
import re

import numpy as np

from ..conformance.derivations.exact_inputs import exact_values
from .finding import Finding
from .held import held_against, shape_finding
from .learned_tensors import NUMBER, of_shape
from .rotary_tensors import best
from .rotations import meant_by, parts_of

#: functions that give a table of which each row is that of one position or one place
TABLES = ("sinusoidal", "normalised_sinusoidal", "sincos_2d", "sincos_3d")
#: the first stage in the name of a tensor of Swin
FIRST_STAGE = re.compile(r"(?:^|\.)(?:layers|stages)\.0\.")
NO_ENCODING = "not described: the configuration describes no encoding that has it"


def encodings_of(name, config, kinds):
    """The encodings of these names that a tensor of a name may belong to."""
    if config is None:
        return []
    parts = parts_of(name, list(dict.fromkeys(one.part for one in config.encodings)))
    return [one for one in config.encodings if one.name in kinds and one.part in parts]


# -- sinusoids --------------------------------------------------------------------------------------------------------


def table_finding(stored, config):
    """The `Finding` of a table of sinusoids; None where the configuration has none."""
    encodings = encodings_of(stored.name, config, TABLES)
    # a grid that is that of each image has no table of its own
    encodings = [one for one in encodings if one.name != "sincos_2d" or "grid" in one.parameters]
    if not encodings:
        return None
    fitting = [one for one in encodings if one.parameters.get("dim") == stored.shape[-1]]
    one = (fitting or encodings)[0]
    rows = math.prod(stored.shape[:-1])
    expected = _shape(one, max(rows, _least_rows(one, stored.context)))
    shape = rows, stored.shape[-1]
    tensor = stored.read() if fitting and (expected == shape or len(fitting) > 1) else None
    if tensor is None:
        return shape_finding(stored.name, one.part, shape, expected)
    tensor = tensor._replace(values=tensor.values.reshape(shape))
    return best(held_against(stored.name, one.part, tensor, call_of(one, rows)) for one in fitting)


def beside_right_tables(findings, by_name):
    """The findings, of which tables that nothing describes differ by shape from a right one of another layer; by_name:
    {name: `Stored`}."""
    right = {NUMBER.sub("#", one.tensor): one for one in findings if one.state == "right" and one.tensor in by_name}
    found = []
    for one in findings:
        like = right.get(NUMBER.sub("#", one.tensor)) if one.sentence == NO_ENCODING else None
        if like is not None:
            one = shape_finding(one.tensor, like.part, by_name[one.tensor].shape, by_name[like.tensor].shape)
        found.append(one)
    return found


def _least_rows(encoding, context):
    """The rows of the table of a new FSMT, which grows with longer texts."""
    known = encoding.parameters
    return context + known["padding_idx"] + 1 if context and known.get("rule") == "fsmt" else 0


def distances_finding(stored, config):
    """The `Finding` of a table of sinusoids with a row for each distance, the largest first; None where the
    configuration has none."""
    rows, width = math.prod(stored.shape[:-1]), stored.shape[-1]
    encodings = encodings_of(stored.name, config, ("xl_scores",))
    fitting = [one for one in encodings if one.parameters["dim"] == width and rows % 2]
    tensor = stored.read() if fitting else None
    if tensor is None:
        return None
    known = fitting[0].parameters
    options = {name: known[name] for name in ("layout", "endpoint", "odd") if name in known}
    distances = np.arange(rows // 2, -(rows // 2) - 1, -1, dtype=np.int64)
    tensor = tensor._replace(values=tensor.values.reshape(rows, width))
    return held_against(stored.name, fitting[0].part, tensor, ("sinusoidal", (distances, width), options))


def _shape(encoding, rows):
    """(rows, width) of the table of an encoding; rows: those of the tensor, where the encoding fixes none."""
    function, given, _ = call_of(encoding, rows)
    known = encoding.parameters
    if function == "sincos_2d":
        rows = math.prod(given[:2]) + known.get("extra_tokens", 0)
    elif "grid" in known:
        rows = math.prod(known["grid"])
    return known.get("rows", rows), known["dim"]


def call_of(encoding, rows):
    """(function, arguments, named arguments) of the call of an encoding, for a table of so many rows: whatever counts
    tokens is the number of rows."""
    call = ast.parse(encoding.call, mode="eval").body
    given = [_literal(one, rows) for one in call.args]
    return encoding.name, tuple(given), {one.arg: _literal(one.value, rows) for one in call.keywords}


def _literal(node, rows):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return rows


def frequencies_of_sinusoids(stored, config):
    """The `Finding` of frequencies of which a model computes its sinusoids; None where the configuration has none."""
    encodings = encodings_of(stored.name, config, ("sinusoidal", "xl_scores"))
    fitting = [one for one in encodings if 2 * math.prod(stored.shape) == one.parameters["dim"]]
    tensor = stored.read() if fitting and not fitting[0].parameters.get("endpoint") else None
    if tensor is None:
        return None
    tensor, dim = tensor._replace(values=tensor.values.reshape(-1)), fitting[0].parameters["dim"]
    return held_against(stored.name, fitting[0].part, tensor, ("inverse_frequencies", (dim,), {}))


# -- ALiBi ------------------------------------------------------------------------------------------------------------


def slopes_finding(stored, config):
    """The `Finding` of slopes of ALiBi, one a head, or of biases (heads, 1, keys)."""
    encodings = encodings_of(stored.name, config, ("alibi",))
    if not encodings:
        return Finding(stored.name, "not described", NO_ENCODING)
    known, part = encodings[0].parameters, encodings[0].part
    heads, count = known["num_heads"], math.prod(stored.shape)
    named = {name: known[name] for name in ("max_bias",) if name in known}
    if not stored.shape or count % heads or heads not in stored.shape:
        return shape_finding(stored.name, part, stored.shape, (heads,))
    tensor = stored.read()
    if tensor is None:
        return shape_finding(stored.name, part, (heads,), (heads,))
    if count == heads:
        tensor = tensor._replace(values=tensor.values.reshape(heads))
        return held_against(stored.name, part, tensor, ("alibi_slopes", (heads,), named))
    keys = stored.shape[-1]
    if count != heads * keys or known.get("mode") != "linear":
        return Finding(stored.name, "not described", NO_ENCODING, part)
    given = {name: value for name, value in known.items() if name != "num_heads"}
    tensor = tensor._replace(values=tensor.values.reshape(heads, 1, keys))
    return held_against(stored.name, part, tensor, ("alibi", (heads, 1, keys), given))


# -- integers and coordinates -----------------------------------------------------------------------------------------


def positions_finding(stored, config):
    """The `Finding` of position ids, which count from 0, or from the first row of tokens in a learned table, up to its
    last row at most; rows of several texts are alike."""
    tensor = stored.read()
    if tensor is None:
        return Finding(stored.name, "not described", "not described: it has no values")
    count = max(stored.shape) if math.prod(stored.shape) == max(stored.shape) else stored.shape[-1]
    if _is_of_grid(stored, config):
        return Finding(stored.name, "not described", "not described: coordinates of a grid, (places, axes)")
    rows = exact_values(tensor).reshape(-1, count)
    unlike = np.flatnonzero((rows != rows[0]).any(axis=1))
    if unlike.size:
        return Finding(stored.name, "differs", f"differs: row {unlike[0]} of {len(rows)} is not as row 0")
    values = rows[0]
    offsets = {0} | {_first_row(one.parameters) for one in (config.encodings if config else ())}
    start = int(values[0]) if values[0] in offsets else 0
    wrong = np.flatnonzero(values != np.arange(start, start + count, dtype=np.int64))
    if wrong.size:
        first = int(wrong[0])
        told = f"differs: {wrong.size} of {count} do not count from {start}, first at [{first}]: {values[first]:.9g}"
        return Finding(stored.name, "differs", f"{told} for {start + first}")
    tables = [one for one in encodings_of(stored.name, config, ("learned",)) if one.place == "embeddings"]
    rows = max((one.parameters["shape"][0] for one in tables if "shape" in one.parameters), default=start + count)
    if start + count > rows:
        told = f"differs from {tables[0].part}: counts to {start + count - 1}, beyond the {rows} rows of the table"
        return Finding(stored.name, "differs", told, tables[0].part)
    return Finding(stored.name, "right", f"counts from {start} to {start + count - 1}")


def _is_of_grid(stored, config):
    """Whether position ids (places, axes) are coordinates, as in a rotation of the configuration with so many axes."""
    if config is None or len(stored.shape) != 2 or stored.shape[0] <= stored.shape[1]:
        return False
    rotations = (one.rotary.frequencies for one in meant_by(stored.name, config))
    return any(one.axes is not None and len({*one.axes}) == stored.shape[1] for one in rotations)


def _first_row(known):
    """The row of a table that the first token reads; a table that skips padding has that of padding in front."""
    return known["padding_idx"] + 1 if known.get("rule") == "tokens" else known.get("offset", 0)


def index_finding(stored, config):
    """The `Finding` of the index of relative positions in a window."""
    encodings = encodings_of(stored.name, config, ("window_bias", "log_coordinates"))
    if not encodings or not stored.shape:
        return Finding(stored.name, "not described", NO_ENCODING)
    one = encodings[0]
    known = one.parameters
    named = {"sign": known.get("sign", "query-key"), "class_token": known.get("class_token", False)}
    height, width = known["height"], known["width"]
    if not named["class_token"]:  # a window beside a class token is that of the whole image, in every layer
        height, width = _window(stored, math.isqrt(math.isqrt(math.prod(stored.shape))), (height, width))
    tokens = height * width + named["class_token"]
    tensor = stored.read()
    if tensor is None or math.prod(stored.shape) != tokens**2:
        return shape_finding(stored.name, one.part, (math.prod(stored.shape),), (tokens**2,))
    tensor = tensor._replace(values=tensor.values.reshape(tokens, tokens))
    return held_against(stored.name, one.part, tensor, ("window_rows", (height, width), named))


def bias_finding(stored, config):
    """The `Finding` of a table of biases that the configuration has by another name, as in the weights of timm and of
    the first code of BEiT; None where the layers have several shapes."""
    encodings = encodings_of(stored.name, config, ("window_bias",))
    one = next((one for one in encodings if one.parameters.get("class_token")), None)
    return None if one is None else of_shape(stored, one, stored.name, one.parameters["shape"])


def _window(stored, side, window):
    """The sides of the window of a tensor: the configured ones, or side where it is smaller, as in the later stages of
    a small image; in the first stage only that of an image with fewer patches."""
    is_first = FIRST_STAGE.search(stored.name) is not None
    is_smaller = 0 < side < window[0] == window[1] and (not is_first or side == stored.grid)
    return (side, side) if is_smaller else window


def coordinates_finding(stored, config):
    """The `Finding` of the coordinates that the network of Swin 2 takes."""
    encodings = encodings_of(stored.name, config, ("log_coordinates",))
    if not encodings or len(stored.shape) < 3:
        return Finding(stored.name, "not described", NO_ENCODING)
    one = encodings[0]
    _, (height, width), named = call_of(one, 0)
    height, width = _window(stored, stored.shape[-2] // 2 + 1, (height, width))
    shape, tensor = (2 * height - 1, 2 * width - 1, 2), stored.read()
    if tensor is None or stored.shape[-3:] != shape:
        return shape_finding(stored.name, one.part, stored.shape[-3:], shape)
    tensor = tensor._replace(values=tensor.values.reshape(shape))
    return held_against(stored.name, one.part, tensor, (one.name, (height, width), named))


#: role -> the function that judges (tensor, configuration)
JUDGES = {
    "slopes": slopes_finding,
    "positions": positions_finding,
    "index": index_finding,
    "bias": bias_finding,
    "coordinates": coordinates_finding,
}
