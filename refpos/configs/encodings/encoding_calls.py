"""The call that gives an encoding: one function for each kind of entry in the rows.

Each takes the entry and the `Values` of its part, and returns fields of an `Encoding`: name, place, call, inputs,
parameters, resize and notes, as far as they have a value.
"""

from fractions import Fraction

from ...errors import InputError
from . import distance_calls, image_calls, score_calls
from .call_text import arguments, named, weight, without_function

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
    return f"refpos.positions.table_rows({source}{arguments(rule=rule, **more)})", [source], {"rule": rule, **more}


def learned(entry, values):
    """A table of the weights that each token reads a row of."""
    count = values.integer(entry["rows"], "the rows of the table") if "rows" in entry else 0
    count += entry.get("more_rows", 0)
    shape = (count, values.width(entry["dim"]))
    inputs, parameters = weight(shape, entry["tensor"])
    if "resize" in entry:  # of every length the whole table
        resize = f"refpos.resize_table(weight, (1, length), grid=(1, {count}), {image_calls.RESIZES[entry['resize']]})"
        return {"name": "learned", "call": f"refpos.learned(weight, {count})", "resize": resize,
                "inputs": {**inputs, **named(["length"])}, "parameters": parameters}  # fmt: skip
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
    if "times" in entry:
        dim *= values.integer(entry["times"], f"times {entry['dim']} it is the width of an embedding")
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
    """The base of geometric frequencies that two keys give, which must be a float64."""
    high, low = (Fraction(values.number(name, "the shortest or the longest wavelength")) for name in (over, under))
    if low <= 0 or high <= 0 or Fraction(float(high / low)) != high / low:
        path = values.keys.path(over)
        raise InputError("E_BASE", over, f"{path} / {under} must be a float64 greater than 0, got {high} / {low}")
    return float(high / low)


def axial_sequence(entry, values):
    """Tables of two axes of a sequence that is read row by row, beside one another in the channels."""
    sizes, widths = (values.whole_numbers(entry[name], what) for name, what in (
        ("shape", "the two axes"), ("dims", "the widths of both tables")))  # fmt: skip
    for name, pair in (("shape", sizes), ("dims", widths)):
        if len(pair) != 2:
            path = values.keys.path(entry[name])
            raise InputError("E_SHAPE", entry[name], f"{path} must be two numbers, got {len(pair)}")
    names = ("row_weight", "column_weight")
    inputs = {name: f"({size}, {width}), the tensor {tensor}"
              for name, size, width, tensor in zip(names, sizes, widths, entry["tensors"])}  # fmt: skip
    options = {"combine": "concat", "axis_order": "hw"}
    call = f"refpos.tables.learned_axes([row_weight, column_weight], {sizes}{arguments(**options)})"
    return {"name": "learned_axes", "call": f"{call}.reshape(-1, {sum(widths)})[:length]",
            "inputs": {**inputs, **named(["length"])},
            "parameters": {"grid": list(sizes), **options, "tensors": entry["tensors"]}}  # fmt: skip


def patches_of_series(entry, values):
    """A table with a row for each patch of a time series: fixed sines, normalised, or learned."""
    length, patch = (values.integer(entry[name], f"the {name}") for name in ("length", "patch"))
    count = (max(length, patch) - patch) // values.integer(entry["stride"], "from one patch to the next") + 1
    count, dim = (
        count + bool("class_token" in entry and values.choice(entry["class_token"])),
        values.width(entry["dim"]),
    )
    if entry["fixed"]:
        call = f"refpos.absolute.normalised_sinusoidal({count}, {dim})"
        return {"name": "normalised_sinusoidal", "call": call, "parameters": {"rows": count, "dim": dim}}
    inputs, parameters = weight((count, dim), entry["tensor"])
    return {"name": "learned", "call": f"refpos.learned(weight, {count})", "inputs": inputs, "parameters": parameters}


ACTIVATIONS = {"gelu": "gelu", "relu": "relu", "silu": "silu", "swish": "silu", "gelu_new": "gelu_tanh",
               "gelu_pytorch_tanh": "gelu_tanh", "tanh": "tanh", "sigmoid": "sigmoid"}  # fmt: skip


def conv_positions(entry, values):
    """A learned convolution over the neighbours of each token, which is added to the tokens."""
    width, kernel_size = (
        values.width(entry["dim"]),
        values.integer(entry["kernel_size"], "the kernel size of the convolution"),
    )
    groups = values.integer(entry["groups"], "the groups of the convolution")
    name = values.keys.take(
        entry["activation"], "what follows the convolution", values.row.defaults[entry["activation"]]
    )
    if width % groups:
        sentence = f"{values.keys.path(entry['groups'])} must divide {width} channels, got {groups}"
        raise InputError("E_SIZE", entry["groups"], sentence)
    if not isinstance(name, str) or name not in ACTIVATIONS:
        name = f"a learned convolution over the sequence, then {name}"
        return without_function(
            {"name": name, "keys": [entry["kernel_size"], entry["groups"]], "place": "embeddings"}, values
        )
    options = {"groups": groups, "padding": "same", "activation": ACTIVATIONS[name]}
    suffix = "parametrizations.weight.original" if entry["weight_norm"] else "weight"
    inputs, parameters = weight(
        (width, width // groups, kernel_size), entry["tensor"] + suffix + "1" * entry["weight_norm"]
    )
    inputs = {"x": f"the tokens (..., length, {width})", **inputs}
    inputs["bias"] = f"({width},), the tensor {entry['tensor']}bias"
    call = f"refpos.absolute.conv_positions(x, weight, bias{arguments(**options)}"
    if entry["weight_norm"]:
        inputs["magnitude"] = f"({kernel_size},), the tensor {entry['tensor']}{suffix}0 of shape (1, 1, {kernel_size})"
        call += ", magnitude=magnitude"
    if "norm_eps" in entry:
        options["norm_eps"] = entry["norm_eps"]
        call += arguments(norm_eps=entry["norm_eps"])
    step = values.integer(entry["step"], "how many tokens become one") if "step" in entry else 1
    call += ")" if step == 1 else f")[..., ::{step}, :]"
    return {"name": "conv_positions", "call": call, "inputs": inputs, "parameters": {**options, **parameters}}


FUNCTIONS = (axial_sequence, conv_positions, learned, patches_of_series, sinusoidal, without_function)
KINDS = {
    function.__name__: function
    for function in (*FUNCTIONS, *image_calls.KINDS, *score_calls.KINDS, *distance_calls.KINDS)
}
