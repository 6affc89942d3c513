"""Tensors that a configuration fixes beside rotations: sinusoids, slopes, indices, coordinates, position ids."""

import ast
import math

import numpy as np

from .finding import Finding
from .held import SAYS, held_against, shape_finding
from .rotary_tensors import best
from .rotations import parts_of

#: functions that give a table of which each row is that of one position or one place
TABLES = ("sinusoidal", "normalised_sinusoidal", "sincos_2d", "sincos_3d")
NO_ENCODING = "not described: the configuration describes no encoding that has it"


def encodings_of(name, config, kinds):
    """The encodings of these names that a tensor of a name may belong to."""
    if config is None:
        return []
    known = [one for one in config.encodings if one.name in kinds]
    parts = parts_of(name, list(dict.fromkeys(one.part for one in known)))
    return [one for one in known if one.part in parts]


# -- sinusoids --------------------------------------------------------------------------------------------------------


def table_finding(stored, config):
    """The `Finding` of a table of sinusoids; None where the configuration has none."""
    encodings = encodings_of(stored.name, config, TABLES)
    if not encodings or not stored.shape:
        return None
    fitting = [one for one in encodings if one.parameters.get("dim") == stored.shape[-1]]
    one = (fitting or encodings)[0]
    rows = math.prod(stored.shape[:-1])
    expected = _shape(one, rows)
    if not fitting or expected != (rows, stored.shape[-1]) and len(fitting) == 1:
        return shape_finding(stored.name, one.part, (rows, stored.shape[-1]), expected)
    tensor = stored.read()
    if tensor is None:
        return shape_finding(stored.name, one.part, (rows, stored.shape[-1]), expected)
    tensor = tensor._replace(values=tensor.values.reshape(rows, stored.shape[-1]))
    return best(held_against(stored.name, one.part, tensor, call_of(one, rows)) for one in fitting)


def _shape(encoding, rows):
    """(rows, width) of the table of an encoding; rows: those of the tensor, where the encoding fixes none."""
    function, given, _ = call_of(encoding, rows)
    known = encoding.parameters
    if function == "sincos_2d" and len(given) == 3:
        rows = math.prod(given[:2]) + known.get("extra_tokens", 0)
    elif "grid" in known:
        rows = math.prod(known["grid"])
    return known.get("rows", rows), known["dim"]


def call_of(encoding, rows):
    """(function, arguments, named arguments) of the call of an encoding, for a table of so many rows: whatever counts
    tokens is the number of rows."""
    call = ast.parse(encoding.call, mode="eval").body
    given = [_literal(one, rows) for one in call.args]
    if encoding.name == "sincos_2d" and rows and not isinstance(call.args[0], ast.Constant):
        given[:2] = [1, rows]
    return encoding.name, tuple(given), {one.arg: _literal(one.value, rows) for one in call.keywords}


def _literal(node, rows):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return rows


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
    """The `Finding` of position ids, which count from 0."""
    tensor, count = stored.read(), math.prod(stored.shape)
    if tensor is None:
        return Finding(stored.name, "not described", "not described: its values are not stored")
    wrong = np.flatnonzero(tensor.values.reshape(-1) != np.arange(count))
    if not wrong.size:
        return Finding(stored.name, "right", f"counts from 0 to {count - 1}")
    first = int(wrong[0])
    told = f"differs: {wrong.size} of {count} are not those that count from 0, first {tensor.values.reshape(-1)[first]}"
    return Finding(stored.name, "differs", f"{told} for {first}")


def index_finding(stored, config):
    """The `Finding` of the index of relative positions in a window."""
    encodings = encodings_of(stored.name, config, ("window_bias", "log_coordinates"))
    if not encodings or not stored.shape:
        return Finding(stored.name, "not described", NO_ENCODING)
    one = encodings[0]
    known = one.parameters
    named = {"sign": known.get("sign", "query-key"), "class_token": known.get("class_token", False)}
    height, width = _window(math.prod(stored.shape), known, named["class_token"])
    tokens = height * width + named["class_token"]
    tensor = stored.read()
    if tensor is None or math.prod(stored.shape) != tokens**2:
        return shape_finding(stored.name, one.part, (math.prod(stored.shape),), (tokens**2,))
    tensor = tensor._replace(values=tensor.values.reshape(tokens, tokens))
    return held_against(stored.name, one.part, tensor, ("window_rows", (height, width), named))


def _window(count, known, class_token):
    """The sides of the window: those of the configuration, or of a smaller window, which the last stages of a small
    image have."""
    side = math.isqrt(math.isqrt(count) - class_token)
    is_smaller = side < known["height"] == known["width"] and (side * side + class_token) ** 2 == count
    return (side, side) if is_smaller else (known["height"], known["width"])


def coordinates_finding(stored, config):
    """The `Finding` of the coordinates that the network of Swin 2 takes."""
    encodings = encodings_of(stored.name, config, ("log_coordinates",))
    if not encodings or len(stored.shape) < 3:
        return Finding(stored.name, "not described", NO_ENCODING)
    one = encodings[0]
    _, (height, width), named = call_of(one, 0)
    side = stored.shape[-2] // 2 + 1
    if side < height == width and stored.shape[-3] == stored.shape[-2]:
        height = width = side
    shape, tensor = (2 * height - 1, 2 * width - 1, 2), stored.read()
    if tensor is None or stored.shape[-3:] != shape:
        return shape_finding(stored.name, one.part, stored.shape[-3:], shape)
    tensor = tensor._replace(values=tensor.values.reshape(shape))
    return held_against(stored.name, one.part, tensor, (one.name, (height, width), named))


# -- factors of a GGUF file -------------------------------------------------------------------------------------------


def factors_finding(stored, rotaries):
    """The `Finding` of the factors of frequencies in a GGUF file, against the configuration it was converted from."""
    from ..frequencies.inverse_frequencies import inverse_frequencies

    if len(rotaries) != 1 or "rope_theta" not in rotaries[0].rotary.parameters:
        return Finding(stored.name, "not described", "not described: factors of no rotation of the configuration")
    ((part, _, rotary),) = rotaries
    plain = inverse_frequencies(rotary.rotary_dim, base=rotary.parameters["rope_theta"]).inv_freq
    if stored.shape != plain.shape:
        return shape_finding(stored.name, part, stored.shape, plain.shape)
    factors = stored.read().values.astype(np.float64)
    expected = plain / rotary.inv_freq
    # conversions divide float32 frequencies: by powers of at most 64 ulp, and a quotient
    off = np.abs(factors / expected - 1)
    at = int(np.argmax(off))
    if off[at] <= 2.0**-17:
        return Finding(stored.name, "right", f"{SAYS} ({part}): at most {off[at]:.3g} off relatively", part)
    told = f"differs from {part}: {int((off > 2.0**-17).sum())} of {len(off)} factors off"
    return Finding(stored.name, "differs", f"{told}, worst at [{at}]: {factors[at]:.9g} for {expected[at]:.9g}", part)


#: role -> the function that judges (tensor, configuration)
JUDGES = {
    "slopes": slopes_finding,
    "positions": positions_finding,
    "index": index_finding,
    "coordinates": coordinates_finding,
}
