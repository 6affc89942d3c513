"""What a name stands for: a function of the catalogue, a named model, or a model type of transformers."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import catalogue
from ..errors import InputError, nearest, shown
from ..public import dotted
from .calls import Call, called
from .examples import falling, table

#: what the field says, where the catalogue says something else
FIELD = {
    "shaw": "relative_scores", "transformer_xl": "xl_scores", "transfo-xl": "xl_scores", "retnet": "decay",
    "nerf": "fourier_bands", "disentangled": "deberta_scores", "rotary": "rope", "m-rope": "mrope",
}  # fmt: skip


def entry_of(name: str) -> str:
    """The name of a function of the catalogue; an error with five that resemble it."""
    if isinstance(name, str) and name in FIELD:
        return FIELD[name]
    if not isinstance(name, str) or name not in catalogue.ENTRIES:
        raise unknown(name, catalogue.ENTRIES)
    return name


def unknown(name: object, known: Any) -> InputError:
    """The error for a name that nothing has."""
    like = nearest(name, list(known)) if isinstance(name, str) else []
    like = [*like, *(one for one in ("rope", "sinusoidal", "alibi", "t5_bias", "window_bias") if one not in like)][:5]
    sentence = f"NAME must be something that can be drawn, such as {', '.join(like)}, got {shown(name)}"
    return InputError("E_CHOICE", "name", f"{sentence}; `refpos list` and `refpos list models` name them")


def call_of(name: str, given: Mapping[str, Any], pictures: Any = ()) -> tuple[Call, str | None]:
    """(the call that a name stands for, a title where the name is that of a model)."""
    if isinstance(name, str) and (name in FIELD or name in catalogue.ENTRIES):
        return called(entry_of(name), given), None
    from .. import models

    if isinstance(name, str) and name in models.names():
        return _of_preset(models.load(name), given), name
    types = _model_types()
    if isinstance(name, str) and name in types:
        found = _of_model_type(name, given)
        if found is not None:
            return found, name
    raise unknown(name, [*catalogue.ENTRIES, *models.names(), *types, *FIELD, *pictures])


def _model_types():
    """The model types of transformers that have an encoding."""
    from ..configs import model_defaults
    from ..configs.encodings import encoding_rows

    rotary = {name for name, row in model_defaults.rows().items() if row.has_rotation}
    return sorted(rotary | {name for name, row in encoding_rows.rows().items() if row.encodings})


def _of_preset(encoding, given):
    """The call of a named model: of its table, or of its frequencies."""
    frequencies = getattr(encoding, "frequencies", None)
    if frequencies is not None:
        rotated = dict(x=np.ones((64, encoding.rotary_dim)), positions=64, pairing=encoding.pairing)
        if frequencies.axes is None:
            return called("rope", {**rotated, "frequencies": frequencies, **given})
        entry = catalogue.ENTRIES["axial_frequencies"]
        return Call(entry, {"base": encoding.parameters.get("rope_theta")}, frequencies)
    if not hasattr(encoding, "function"):
        return called("mixed_rope", given)
    arguments = {key: value for key, value in encoding.arguments.items() if key != "dtype"}
    if encoding.function in ("resize_table", "resize_packed", "tile_table"):
        return _resized(encoding, arguments, given)
    if encoding.function == "learned":
        rows = min(64, getattr(encoding, "shape", (64, 64))[0])
        arguments = {**arguments, "weight": table(rows, 64), "rows": rows}
    return called(encoding.function, {**arguments, **given})


def _resized(encoding, arguments, given):
    """A resizing of a model, of a table of the size that it is made for where it says so."""
    grid = arguments.get("grid")
    rows = arguments.get("prefix", 0) + int(np.prod(grid, dtype=np.int64)) if grid else None
    weight = {"weight": table(rows, 16)} if rows and rows <= 4096 else {}
    try:
        return called(encoding.function, {**arguments, **weight, **given})
    except InputError:  # its sizes depend on the input: the method is shown at those of the example
        return called(encoding.function, {"method": arguments.get("method", "linear"), **given})


def _of_model_type(name, given):
    """The first encoding of a model type that can be drawn, with what its configuration decides; None without one."""
    from ..configs.config import from_config

    try:
        config = from_config({"model_type": name})
    except InputError:  # a type whose configuration has to say more
        return None
    for part in config.parts.values():
        for rotary in part.rotaries.values():
            return _of_preset(rotary, given)
    for encoding in config.encodings:
        if encoding.name in catalogue.ENTRIES:
            return called(encoding.name, {**_decided(encoding), **given})
    return None


def _decided(encoding):
    """The arguments that are written out in the call of an encoding, and weights of the shape that it names."""
    match = re.search(rf"{re.escape(dotted(encoding.name))}\(", encoding.call or "")
    if match is None:
        return {}
    node: Any = ast.parse(encoding.call[match.start() :] if match.start() == 0 else encoding.call, mode="eval")
    calls = [
        one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == dotted(encoding.name)
    ]
    parameters = list(catalogue.ENTRIES[encoding.name].parameters)
    words = {**dict(zip(parameters, calls[0].args)), **{word.arg: word.value for word in calls[0].keywords}}
    found = {}
    for key, value in words.items():
        try:
            found[key] = ast.literal_eval(value)
        except ValueError:  # what the input decides: the example says it
            continue
    lengths = {key for key in ("query_len", "key_len") if key in parameters}
    if lengths:  # a step of decoding is a row; its picture has as many queries as keys
        found = {key: value for key, value in found.items() if key not in (*lengths, "query_offset")}
    shape = encoding.parameters.get("shape")
    if "weight" in parameters and shape is not None and encoding.name == "learned":
        found |= {"weight": table(min(64, shape[0]), 64), "rows": min(64, shape[0])}
    elif encoding.name == "relative_bias" and shape is not None:
        found["weight"] = falling(shape[0], min(shape[1], 4))
    return found
