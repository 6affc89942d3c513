"""Relative positions in the windows of timm: indices, lookups and coordinates, and the shapes of learned tables."""

import math

import numpy as np

from ...conformance.derivations.exact_inputs import exact_values
from ...relative.window_rows import window_rows
from .. import torch_modules
from ..finding import Finding
from ..held import held_against, shape_finding


def _label(module):
    """What a module is held against."""
    height, width = _side(getattr(module, "window_size", None) or module.resolution)
    return f"its window of {height} x {width}"


def _side(size):
    """Rows and columns."""
    return (size, size) if isinstance(size, int) else tuple(map(int, size))


def _held(module, path, leaf, call, shape):
    """The finding of a buffer held against a call, whose result has that shape."""
    name = f"{path}.{leaf}".lstrip(".")
    tensor = torch_modules.numbers(getattr(module, leaf))
    if tensor.values.size != math.prod(shape):
        return shape_finding(name, _label(module), tensor.values.shape, shape)
    return held_against(name, _label(module), tensor._replace(values=tensor.values.reshape(shape)), call)


def _learned(module, path, leaf, shape):
    """The finding of a learned table."""
    held = tuple(getattr(module, leaf).shape)
    found = shape_finding(f"{path}.{leaf}".lstrip("."), _label(module), held, shape)
    told = f"learned, shape {found.sentence.split('shape ')[1].split(' fits')[0]} fits ({_label(module)})"
    return found._replace(sentence=told) if found.state == "fits" else found


def _index(module, path, class_token):
    height, width = _side(module.window_size)
    tokens = height * width + class_token
    call = "window_rows", (height, width), {"sign": "query-key", "class_token": bool(class_token)}
    return _held(module, path, "relative_position_index", call, (tokens, tokens))


def _table(module, path):
    """An index of window rows and the learned table with a row for each (Swin, BEiT, EVA, MaxViT, relpos ViT)."""
    height, width = _side(module.window_size)
    rows = (2 * height - 1) * (2 * width - 1)
    beside = len(module.relative_position_bias_table) - rows
    class_token = getattr(module, "prefix_tokens", int(beside == 3))
    yield _index(module, path, class_token)
    heads = getattr(module, "num_heads", module.relative_position_bias_table.shape[-1])
    yield _learned(module, path, "relative_position_bias_table", (rows + 3 * class_token, heads))


def _logarithmic(module, path):
    """An index, and the coordinates that a network takes (Swin 2, RelPosMlp)."""
    height, width = _side(module.window_size)
    leaf = next(name for name in ("relative_coords_table", "rel_coords_log") if hasattr(module, name))
    trained = _side(module.pretrained_window_size)
    named = {"rule": "swin-v2" if getattr(module, "mode", "swin") == "swin" else "cr"}
    if named["rule"] == "swin-v2" and min(trained) > 0:
        named["pretrained"] = trained
    yield _index(module, path, 0)
    call = "log_coordinates", (height, width), named
    yield _held(module, path, leaf, call, (2 * height - 1, 2 * width - 1, 2))


def _lookups(module, path):
    """Lookups with a 1 at key - query, and the learned table of a head (MaxViT of TensorFlow)."""
    height, width = _side(module.window_size)
    for leaf, size in (("height_lookup", height), ("width_lookup", width)):
        name, held = f"{path}.{leaf}".lstrip("."), exact_values(torch_modules.numbers(getattr(module, leaf)))
        place = np.arange(size, dtype=np.int64)
        rows = place[None, :] - place[:, None] + size - 1
        expected = rows[..., None] == np.arange(2 * size - 1, dtype=np.int64)
        if held.shape != expected.shape:
            yield shape_finding(name, _label(module), held.shape, expected.shape)
        elif np.array_equal(held, expected):
            yield Finding(name, "right", f"1 at key - query alone ({_label(module)})", _label(module))
        else:
            at = np.argwhere(held != expected)[0].tolist()
            told = (
                f"differs from {_label(module)}: {held[tuple(at)]:.3g} at {at}, where key - query has 1 and all else 0"
            )
            yield Finding(name, "differs", told, _label(module))
    yield _learned(module, path, "relative_position_bias_table", (module.num_heads, 2 * height - 1, 2 * width - 1))


def _absolute(module, path):
    """An index of absolute offsets, and the learned biases of each (LeViT, TinyViT, EfficientFormer)."""
    height, width = _side(module.resolution)
    stride = getattr(module, "stride", 1)
    queries = -(-height // stride) * -(-width // stride)
    named = {"sign": "absolute", "stride": stride}
    call = "window_rows", (height, width), named
    yield _held(module, path, "attention_bias_idxs", call, (queries, height * width))
    yield _learned(module, path, "attention_biases", (module.attention_biases.shape[0], height * width))


def _pairs(module, path):
    """The coordinates of each pair of tokens (Swin 2 cr): those of one offset are alike, and make the table."""
    height, width = _side(module.window_size)
    tensor, name = torch_modules.numbers(module.relative_coordinates_log), f"{path}.relative_coordinates_log"
    rows = window_rows(height, width, sign="query-key").reshape(-1)
    if tensor.values.shape != (len(rows), 2):
        return [shape_finding(name, _label(module), tensor.values.shape, (len(rows), 2))]
    table = np.zeros(((2 * height - 1) * (2 * width - 1), 2), tensor.values.dtype)
    table[rows] = tensor.values
    unlike = np.flatnonzero((table[rows] != tensor.values).any(axis=1))
    if unlike.size:
        told = f"differs from {_label(module)}: pairs of one offset are not alike, first at [{unlike[0]}]"
        return [Finding(name, "differs", told, _label(module))]
    tensor = tensor._replace(values=table.reshape(2 * height - 1, 2 * width - 1, 2))
    return [held_against(name, _label(module), tensor, ("log_coordinates", (height, width), {"rule": "cr"}))]


#: names that a module has -> the function that yields its findings
KINDS = (
    (("relative_position_bias_table", "relative_position_index", "window_size"), _table),
    (("relative_coords_table", "window_size", "pretrained_window_size"), _logarithmic),
    (("rel_coords_log", "window_size", "pretrained_window_size"), _logarithmic),
    (("relative_coordinates_log", "window_size"), _pairs),
    (("height_lookup", "width_lookup", "window_size"), _lookups),
    (("attention_bias_idxs", "attention_biases", "resolution"), _absolute),
)


def findings(path, module):
    """The findings of a module that has a window; none of another."""
    for names, judge in KINDS:
        if all(getattr(module, name, None) is not None for name in names):
            return judge(module, path)
    return ()
