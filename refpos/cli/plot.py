"""`refpos plot`: the picture of an encoding, a named model, or a comparison, written to a file."""

import ast
import inspect
import os
import re
from fractions import Fraction

from ..errors import InputError, nearest, shown
from . import screen


def plot(options):
    """Draw it, write the file, and say in words what it shows."""
    from .. import plots

    by_place, by_name = _read(options.arguments)
    name = options.name
    if name in plots.__all__ and name not in ("plot", "save"):
        picture = getattr(plots, name)
        by_place = _tensors(by_place) if len(by_place) > 1 or name != "error_map" else by_place
        _check(name, picture, by_place, by_name)
        ax = picture(*by_place, **_values(by_name), theme=options.theme)
    elif by_place:
        raise InputError(
            "E_CHOICE", "arguments", f"arguments must be KEY=VALUE, such as dim=64, got {shown(by_place[0])}"
        )
    else:
        ax = plots.plot(name, **_values(by_name), theme=options.theme)
    file = plots.save(ax, options.out if options.out is not None else f"{name}.svg")
    words = ax.get_label()
    if options.json:
        screen.as_json({"name": name, "file": file, "description": words})
    else:
        print(f"wrote {file}\n{screen.paragraph(words)}")
    return 0


def _read(words):
    """(values without a name, {name: value}) of what stands behind NAME."""
    by_place, by_name = [], {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and re.fullmatch(r"[A-Za-z_]\w*", key):
            by_name[key] = value
        else:
            by_place.append(word)
    return by_place, by_name


def _values(by_name):
    for key in ("theme", "ax"):
        if key in by_name:
            raise InputError(
                "E_CHOICE",
                key,
                f"{key} must be left out of the call (--theme chooses the background), got {by_name[key]}",
            )
    return {key: _value(value) for key, value in by_name.items()}


def _value(text):
    """A value as Python writes it, a fraction, a .npy file, or the text itself."""
    if re.fullmatch(r"-?\d+/\d+", text) and int(text.partition("/")[2]):
        return Fraction(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _tensors([text])[0]


def _tensors(texts):
    """The texts, or what is in the files of one tensor that they name."""
    from ..tensor_files import read_tensors

    found = []
    for text in texts:
        if text.lower().endswith((".npy", ".npz", ".safetensors")) and os.path.exists(text):
            tensors = read_tensors(text)
            if len(tensors) != 1:
                raise InputError("E_FILE", "arguments", f"{text} must hold one tensor to be drawn, got {len(tensors)}")
            (tensor,) = tensors.values()
            text = tensor if tensor.dtype == "bfloat16" else tensor.values
        found.append(text)
    return found


def _check(name, picture, by_place, by_name):
    """Refuse keywords that the picture does not have, and places that it lacks, before it is called."""
    signature = inspect.signature(picture)
    open_ended = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    for key in by_name:
        if key not in signature.parameters and not open_ended:
            known = [one for one in signature.parameters if one not in ("ax", "theme")]
            like = ", ".join(nearest(key, known) or known[:5])
            raise InputError("E_CHOICE", key, f"keywords must each be one of {name}, such as {like}, got {shown(key)}")
    try:
        signature.bind(*by_place, **by_name)
    except TypeError as error:
        raise InputError("E_CHOICE", "arguments", f"arguments must be those of refpos.plots.{name}: {error}") from None
