"""The call that gives an encoding of the scores: one function for each kind of entry in the rows.

Each takes the entry and the `Values` of its part, and returns fields of an `Encoding`, as those of encoding_calls do. A
name that takes queries, such as relative_scores, has the rows of its table as its call.
"""

from ...errors import InputError
from .call_text import arguments, named, weight, without_function
from .image_calls import read_grid


def t5_bias(entry, values):
    """A learned number of each head for each bucket of distances."""
    heads = values.integer(entry["heads"], "the number of heads")
    buckets = _count(entry, values)
    options = {"bidirectional": entry["bidirectional"]}
    options["max_distance"] = _largest(entry, values)
    _check_buckets(entry, values, buckets, **options)
    inputs, parameters = weight((buckets, heads), entry["tensor"])
    call = f"refpos.t5_bias(weight, query_len, key_len{arguments(**options)})"
    inputs |= named(["query_len", "key_len"])
    return {"name": entry.get("name", "t5_bias"), "place": "scores", "call": call, "inputs": inputs,
            "parameters": {"num_buckets": buckets, **options, **parameters}}  # fmt: skip


def _count(entry, values):
    """How many buckets there are, which code may fix."""
    key = entry["buckets"]
    return key if isinstance(key, int) else values.integer(key, "the number of buckets", 2)


def _largest(entry, values):
    """The distance from which on all share a bucket, which code may fix."""
    if "max_distance" in entry:
        return entry["max_distance"]
    return values.integer(entry["distance"], "from here on all distances share a bucket")


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
            "parameters": {"num_heads": heads, **where, **options}, "weights": entry.get("beside", {})}  # fmt: skip


def window_bias(entry, values):
    """A learned number of each head for each offset of two cells of a window, or of an image behind a class token."""
    if "halvings" in entry:
        side = values.pair(entry["image"], "the size of an image in pixels")[0]
        height = width = -(-side // 2 ** entry["halvings"])
        heads, options = _first_stage(values, entry["stages"]), {"sign": "absolute"}
    elif "window" in entry:
        height = width = values.integer(entry["window"], "the side of a window")
        heads, options = _first_stage(values, entry["stages"]), {"sign": "query-key"}
    else:
        height, width = read_grid(entry, values)
        heads = values.integer(entry["heads"], "the number of heads")
        options = {"sign": "query-key", "class_token": True}
    if height != width:  # the code reads the bias of a rectangle as that of (width, height)
        name = "learned bias of each offset in a rectangle (BEiT)"
        return without_function({"name": name, "keys": [entry["heads"]], "tensor": entry["tensor"]}, values)
    count = height**2 if options["sign"] == "absolute" else (2 * height - 1) ** 2 + 3 * ("class_token" in options)
    inputs, parameters = weight((count, heads), entry["tensor"])
    call = f"refpos.window_bias(weight, {height}, {width}{arguments(**options)})"
    fields = {"name": "window_bias", "place": "scores", "call": call, "inputs": inputs,
              "parameters": {"height": height, "width": width, **options, **parameters}}  # fmt: skip
    if "class_token" in options:
        sizes = f"({height}, {width}), (height, width)"
        fields["resize"] = f'refpos.tables.resize_bias(weight, {sizes}, method="beit", class_token=True)'
        fields["inputs"] = {**inputs, "height": "the rows of patches", "width": "the columns of patches"}
    return fields


def bucket_bias(entry, values):
    """A learned number of each head for each bucket of distances between places that a file does not fix."""
    call, rule, inputs = _buckets(entry, values)
    learned, parameters = weight((rule["num_buckets"], values.integer(entry["heads"], "the number of heads")),
                                 entry["tensor"])  # fmt: skip
    return {"name": "learned", "place": "scores", "call": f"refpos.learned(weight, {call})",
            "inputs": {**learned, **inputs}, "parameters": {**rule, **parameters}}  # fmt: skip


def bucket_scores(entry, values):
    """A number of each head for each bucket of distances, which a matrix makes of the hidden state of the query."""
    call, rule, inputs = _buckets(entry, values)
    heads = values.integer(entry["heads"], "the number of heads")
    learned, parameters = weight((rule["num_buckets"] * heads, values.width(entry["dim"])), entry["tensor"])
    return {"name": "relative_scores", "place": "scores", "call": call, "inputs": {**inputs, **learned},
            "parameters": {**rule, "num_heads": heads, **parameters}}  # fmt: skip


def _buckets(entry, values):
    """(the call of t5_buckets, what it depends on, its input)."""
    rule = {"num_buckets": _count(entry, values), "max_distance": _largest(entry, values)}
    _check_buckets(entry, values, rule["num_buckets"], entry["bidirectional"], rule["max_distance"])
    rule = {"bidirectional": entry["bidirectional"], **rule}
    inputs = named(["relative_positions"]) if "inputs" not in entry else entry["inputs"]
    return f"refpos.t5_buckets(relative_positions{arguments(**rule)})", rule, inputs


def cpm_ant_bias(entry, values):
    """A learned number of each head for each bucket of distances, and for each pair of segments."""
    rule = {"num_buckets": _count(entry, values), "max_distance": _largest(entry, values)}
    _check_buckets(entry, values, rule["num_buckets"], True, rule["max_distance"])
    rule["num_segments"] = values.integer(entry["segments"], "the number of segments")
    shape = (rule["num_segments"] ** 2 + rule["num_buckets"], values.integer(entry["heads"], "the number of heads"))
    learned, parameters = weight(shape, entry["tensor"])
    segments = "query_segments=query_segments, key_segments=key_segments"
    call = f'refpos.relative.log_buckets(relative_positions, rule="cpm_ant"{arguments(**rule)}, {segments})'
    return {"name": "learned", "place": "scores", "call": f"refpos.learned(weight, {call})",
            "inputs": {**learned, **entry["inputs"]}, "parameters": {**rule, **parameters}}  # fmt: skip


def log_coordinates(entry, values):
    """The coordinates of offsets in a window of which a network makes the bias."""
    window, heads = values.integer(entry["window"], "the side of a window"), _first_stage(values, entry["stages"])
    trained = values.whole_numbers(entry["pretrained"], "windows of training", 0)[0] if "pretrained" in entry else 0
    options = {"rule": "swin-v2", **({"pretrained": (trained, trained)} if trained else {})}
    call = f"refpos.relative.log_coordinates({window}, {window}{arguments(**options)})"
    parameters = {"height": window, "width": window, **options, "num_heads": heads, "tensors": entry["tensors"]}
    return {"name": "log_coordinates", "place": "scores", "call": call, "parameters": parameters}


def _first_stage(values, name):
    """The heads of the first stage, of a key that lists those of all."""
    return values.whole_numbers(name, "the heads of each stage")[0]


KINDS = (alibi, bucket_bias, bucket_scores, cpm_ant_bias, log_coordinates, t5_bias, window_bias)
