"""The call that gives an encoding: one function for each kind of entry in the rows.

Each takes the entry and the `Values` of its part, and returns fields of an `Encoding`: name, place, call, inputs,
parameters, resize and notes, as far as they have a value.
"""

from fractions import Fraction
from math import isqrt

from ..errors import InputError, InputTypeError, shown

NO_FUNCTION = "refpos has no call for all of it yet"
LENGTH = "the number of tokens"
INPUTS = {
    "length": LENGTH,
    "tokens": "token ids (..., length)",
    "mask": "1 for tokens, 0 for padding (..., length)",
    "query_len": "the number of queries",
    "key_len": "the number of keys",
}
RESIZES = {
    "cubic": 'method="cubic", align="half-pixel", cubic=-0.75',
    "cubic-antialias": 'method="cubic", align="half-pixel", cubic=-0.5, antialias=True',
    "linear": 'method="linear", align="half-pixel"',
    "linear-antialias": 'method="linear", align="half-pixel", antialias=True',
    "linear-corners": 'method="linear", align="corners"',
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


# -- which row each token reads ---------------------------------------------------------------------------------------


def _rows(entry, values, num_rows):
    """(the rows of the tokens as text, names of its inputs, parameters) by one of the rules of table_rows."""
    rule, more = entry.get("rule", "count"), {}
    if rule in ("tokens", "fsmt", "clipped"):
        key = entry["padding"]  # of some types a number
        more["padding_idx"] = key if isinstance(key, int) else values.integer(key, "the row of padding", 0)
    if entry.get("offset"):
        more["offset"] = entry["offset"]
    if rule == "clipped" or num_rows is not None:
        more["num_rows"] = num_rows
    source = {"count": "length", "mask": "mask", "clipped": "mask"}.get(rule, "tokens")
    return f"refpos.table_rows({source}{arguments(rule=rule, **more)})", [source], {"rule": rule, **more}


def learned(entry, values):
    """A table of the weights that each token reads a row of."""
    count = values.integer(entry["rows"], "the rows of the table") if "rows" in entry else 0
    count += entry.get("more_rows", 0)
    shape = (count, values.width(entry["dim"]))
    inputs, parameters = weight(shape, entry["tensor"])
    if "index" in entry:
        where, more = entry["index"], entry["inputs"]
    else:
        where, names, rule = _rows(entry, values, count)
        more, parameters = named(names), {**rule, **parameters}
    return {"name": "learned", "call": f"refpos.learned(weight, {where})", "inputs": {**inputs, **more},
            "parameters": parameters}  # fmt: skip


def sinusoidal(entry, values):
    """Sines and cosines of the place of each token."""
    dim = values.width(entry["dim"], "the width of an embedding")
    options = dict(entry.get("arguments", {}))
    if "zero_row" in entry:
        options["zero_row"] = values.integer(entry["zero_row"], "the row that is zeros", 0)
    for name, key in entry.get("numbers", {}).items():
        options[name] = values.number(key, f"the argument {name}")
    if "ratio" in entry:
        options["base"] = _ratio(values, *entry["ratio"])
    where, names, rule = "length", ["length"], {"rule": "count"}
    if entry.get("rule", "count") != "count" or entry.get("offset"):
        where, names, rule = _rows(entry, values, None)
    if "rows" in entry:
        rule["rows"] = values.integer(entry["rows"], "the rows of the table") + entry.get("more_rows", 0)
    call = f"refpos.sinusoidal({where}, {dim}{arguments(**options)})"
    return {"name": "sinusoidal", "call": call, "inputs": named(names), "parameters": {"dim": dim, **options, **rule}}


def _ratio(values, over, under):
    """The base of a ladder that two keys give, which must be a float64."""
    high, low = (Fraction(values.number(name, "an end of the ladder")) for name in (over, under))
    if low <= 0 or high <= 0 or Fraction(float(high / low)) != high / low:
        path = values.keys.path(over)
        raise InputError("E_BASE", over, f"{path} / {under} must be a float64 greater than 0, got {high} / {low}")
    return float(high / low)


# -- images -----------------------------------------------------------------------------------------------------------


def _grid(entry, values):
    """(rows, columns) of patches."""
    if "side" in entry:  # the grid stands in the file itself
        side = values.integer(entry["side"], "the rows of the grid, squared" if entry.get("squared") else "the grid")
        root = isqrt(side) if entry.get("squared") else side
        if entry.get("squared") and root * root != side:
            raise InputError("E_SHAPE", entry["side"], f"{entry['side']} must be a square number, got {side}")
        return root, root
    image = values.pair(entry["image"], "the size of an image in pixels")
    patch = values.pair(entry["patch"], "the size of a patch in pixels")
    if any(one < other for one, other in zip(image, patch)):
        path = values.keys.path(entry["image"])
        raise InputError("E_SIZE", entry["image"], f"{path} must be at least a patch, {patch}, got {image}")
    return image[0] // patch[0], image[1] // patch[1]


def image_table(entry, values):
    """A table of the weights with a row for each patch of an image, behind rows of other tokens."""
    grid, prefix = _grid(entry, values), entry.get("prefix", 0)
    frames = values.integer(entry["frames"], "the frames of a video") if "frames" in entry else 1
    if "tubelet" in entry:
        frames //= values.integer(entry["tubelet"], "the frames of a token")
    count = prefix + frames * grid[0] * grid[1]
    inputs, parameters = weight((count, values.width(entry["dim"])), entry["tensor"])
    parameters |= {"grid": list(grid) if frames == 1 else [frames, *grid], "prefix": prefix}
    fields = {"name": "learned", "call": f"refpos.learned(weight, {count})", "inputs": inputs, "parameters": parameters}
    if "resize" in entry:
        rule = RESIZES[entry["resize"]]
        fields["resize"] = f"refpos.resize_table(weight, (height, width), prefix={prefix}, grid={grid}, {rule})"
        fields["inputs"] = {**inputs, "height": "the rows of patches", "width": "the columns of patches"}
    return fields


def sincos_2d(entry, values):
    """Sines and cosines of the row and the column of each patch."""
    (height, width), dim = _grid(entry, values), values.width(entry["dim"], "the width of an embedding")
    options = entry["arguments"]
    call = f"refpos.sincos_2d({height}, {width}, {dim}{arguments(**options)})"
    return {"name": "sincos_2d", "call": call, "parameters": {"grid": [height, width], "dim": dim, **options}}


def masked_sine_2d(entry, values):
    """Sines and cosines of the rows and columns that a mask counts."""
    dim, options = values.width(entry["dim"], "the width of an embedding"), entry["arguments"]
    call = f"refpos.masked_sine_2d(mask, {dim}{arguments(**options)})"
    inputs = {"mask": "1 for image, 0 for padding (..., height, width) of the feature map"}
    return {"name": "masked_sine_2d", "call": call, "inputs": inputs, "parameters": {"dim": dim, **options}}


def learned_axes(entry, values):
    """A learned vector of the column beside one of the row."""
    count, width = entry["count"], values.width(entry["dim"], "the width of both vectors together") // 2
    tables = {"row_weight": entry["row"], "column_weight": entry["column"]}
    inputs = {name: f"({count}, {width}), the tensor {tensor}" for name, tensor in tables.items()}
    inputs |= {"height": "the rows of the feature map", "width": "its columns"}
    options = {"combine": "concat", "axis_order": "wh"}
    call = f"refpos.learned_axes([row_weight, column_weight], (height, width){arguments(**options)})"
    parameters = {**options, "tensors": list(tables.values()), "shape": [count, width]}
    return {"name": "learned_axes", "call": call, "inputs": inputs, "parameters": parameters}


# -- scores -----------------------------------------------------------------------------------------------------------


def t5_bias(entry, values):
    """A learned number of each head for each bucket of distances."""
    heads = values.integer(entry["heads"], "the number of heads")
    buckets = values.integer(entry["buckets"], "the number of buckets", 2)
    options = {"bidirectional": entry["bidirectional"]}
    options["max_distance"] = (
        values.integer(entry["distance"], "from here on all distances share a bucket")
        if "distance" in entry
        else entry["max_distance"]
    )
    _check_buckets(entry, values, buckets, **options)
    inputs, parameters = weight((buckets, heads), entry["tensor"])
    call = f"refpos.t5_bias(weight, query_len, key_len{arguments(**options)})"
    return {"name": "t5_bias", "place": "scores", "call": call, "inputs": inputs | named(["query_len", "key_len"]),
            "parameters": {"num_buckets": buckets, **options, **parameters}}  # fmt: skip


def _check_buckets(entry, values, buckets, bidirectional, max_distance):
    """Refuse what the formula has no value for."""
    if bidirectional and (buckets % 2 or buckets < 4):
        sentence = f"{values.keys.path(entry['buckets'])} must be even and at least 4, got {buckets}"
        raise InputError("E_SIZE", entry["buckets"], sentence)
    exact = buckets // (4 if bidirectional else 2)
    if max_distance <= exact:
        name = entry.get("distance", entry["buckets"])
        sentence = f"{values.keys.path(name)} must be greater than {exact} of {buckets} buckets, got {max_distance}"
        raise InputError("E_SIZE", name, sentence)


def alibi(entry, values):
    """A bias that falls linearly with the distance, as one row that all queries share."""
    heads, options = values.integer(entry["heads"], "the number of heads"), {}
    if "max_bias" in entry:
        options["max_bias"] = values.number(entry["max_bias"], "the exponent of the last slope")
    where = {"mode": "linear", **entry.get("arguments", {})}
    call = f"refpos.alibi({heads}, 1, key_len{arguments(**where, **options)})"
    causal = f"refpos.alibi({heads}, query_len, key_len{arguments(**options)})"
    note = f"one row for all queries; to the softmax of a causal model it is the same as {causal}"
    return {"name": "alibi", "place": "scores", "call": call, "inputs": named(["key_len"]), "notes": (note,),
            "parameters": {"num_heads": heads, **where, **options}}  # fmt: skip


def window_bias(entry, values):
    """A learned number of each head for each offset of two cells of a window, or of an image behind a class token."""
    if "window" in entry:
        height = width = values.integer(entry["window"], "the side of a window")
        heads, options = _first_stage(values, entry["stages"]), {"sign": "query-key"}
    else:
        height, width = _grid(entry, values)
        heads = values.integer(entry["heads"], "the number of heads")
        options = {"sign": "query-key", "class_token": True}
    if height != width:  # the code reads the bias of a rectangle as that of (width, height)
        name = "learned bias of each offset in a rectangle (BEiT)"
        return without_function({"name": name, "keys": [entry["heads"]], "tensor": entry["tensor"]}, values)
    inputs, parameters = weight(((2 * height - 1) ** 2 + 3 * ("class_token" in options), heads), entry["tensor"])
    call = f"refpos.window_bias(weight, {height}, {width}{arguments(**options)})"
    return {"name": "window_bias", "place": "scores", "call": call, "inputs": inputs,
            "parameters": {"height": height, "width": width, **options, **parameters}}  # fmt: skip


def _first_stage(values, name):
    """The heads of the first stage, of a key that lists those of all."""
    keys, inner = values.at(name)
    heads = keys.take(inner, "the heads of each stage", values.row.defaults.get(name))
    if not isinstance(heads, (list, tuple)) or not heads or not all(type(one) is int and one > 0 for one in heads):
        sentence = f"{keys.path(inner)} must be a list of whole numbers from 1, got {shown(heads)}"
        raise InputTypeError("E_SIZE", inner, sentence)
    return heads[0]


# -- what refpos has no function for ----------------------------------------------------------------------------------


def without_function(entry, values):
    """An encoding by its name and the keys that decide it."""
    parameters = {name: _plain(values, name) for name in entry.get("keys", ())}
    if "tensor" in entry:
        parameters["tensor"] = entry["tensor"]
    return {"name": entry["name"], "place": entry.get("place", "scores"), "call": None, "parameters": parameters,
            "notes": (NO_FUNCTION,)}  # fmt: skip


def _plain(values, name):
    """The value of a key, whole numbers checked as sizes."""
    default = values.row.defaults.get(name)
    if isinstance(default, int) and not isinstance(default, bool):
        return values.integer(name, "a size of the encoding", -1)
    keys, inner = values.at(name)
    return keys.take(inner, "a parameter of the encoding", default)


KINDS = {
    function.__name__: function
    for function in (alibi, image_table, learned, learned_axes, masked_sine_2d, sincos_2d, sinusoidal, t5_bias,
                     window_bias, without_function)
}  # fmt: skip
