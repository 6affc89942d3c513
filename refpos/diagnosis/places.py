"""Other positions: counted from another start, in too few bits, of another axis, or read from a cache that is too
short."""

from __future__ import annotations

import numpy as np

from ..arithmetic import formats, rounding
from ..emulate import operations
from ..tensor_files import Tensor
from .mistake import Mistake

SHIFTS = (1, -1, 2, -2)
FARTHER = tuple(sign * n for n in range(3, 33) for sign in (1, -1))
SCALES = (2, 4, 8, 16, 32, 64, 1000)
NARROWER = ("bfloat16", "float16", "float32")
TF32 = "tf32"  # 11 bits of float32, as tensor cores take them
NAMES = ("positions", "timesteps", "position_ids")
WHOLE = "int64"


def place_of(call):
    """(name, Tensor) of the positions of a call, or None; a number of them is written out."""
    for name in NAMES:
        if name in call.tensors:
            return name, call.tensors[name]
        if type(call.arguments.get(name)) is int and name != "timesteps":
            return name, Tensor(WHOLE, np.arange(call.arguments[name], dtype=np.int64))
        if type(call.arguments.get(name)) is int:
            return name, Tensor(WHOLE, np.array(call.arguments[name], np.int64))
    return None


def moved(name, function):
    """A change of a call: its positions, as float64, sent through a function."""

    def change(call):
        _, tensor = place_of(call)
        with np.errstate(over="ignore"):  # what is beyond float64 then is refused as a position
            values = function(numbers_of(tensor))
        kept = np.array_equal(values, np.rint(values)) and tensor.dtype not in formats.FORMATS
        return call.given(**{name: Tensor(WHOLE, values.astype(np.int64)) if kept else Tensor("float64", values)})

    return change


def numbers_of(tensor):
    """The values of a tensor as float64."""
    if tensor.dtype in ("bfloat16", "float16") and tensor.values.dtype == np.uint16:
        return rounding.widen(tensor.values, formats.FORMATS[tensor.dtype]).astype(np.float64)
    return tensor.values.astype(np.float64)


def other_positions(call):
    """The call with its positions moved, scaled, narrowed or of another order."""
    found = place_of(call)
    if found is None:
        yield from _other_offsets(call)
        return
    name, tensor = found

    def other(text, function, kind=name, rare=False):
        return Mistake(kind, text, name, moved(name, function), rare=rare)

    for shift in SHIFTS:
        yield other(f"{name} {'+' if shift > 0 else '-'} {abs(shift)}", lambda p, k=shift: p + k)
    yield other(f"minus the {name}", np.negative)
    yield from _narrowed(name, tensor, other)
    yield other(f"{name} doubled (the rotation applied twice)", lambda p: 2 * p)
    for scale in SCALES:
        yield other(f"{name} divided by {scale}", lambda p, s=scale: p / s, "position scale", scale > 8)
        if scale > 2:
            yield other(f"{name} multiplied by {scale}", lambda p, s=scale: p * s, "position scale", rare=True)
    yield other(f"{name} all 0{': not rotated' if 'x' in call.tensors else ''}", np.zeros_like)
    yield other(f"{name} counted from 0", lambda p: p - p.min(initial=np.inf) if p.size else p)
    yield other(f"{name} rounded down", np.floor)
    yield from _several_axes(name, tensor, other)
    for shift in FARTHER:
        yield other(f"{name} {'+' if shift > 0 else '-'} {abs(shift)}", lambda p, k=shift: p + k, rare=True)
    yield from _other_offsets(call)


def _narrowed(name, tensor, other):
    """Positions in formats that cannot hold them."""
    values = numbers_of(tensor)
    for kind in NARROWER:
        rounded = held(values, kind)
        if (rounded != values).any() and np.isfinite(rounded).all():
            yield other(f"{name} held in {kind}", lambda p, kind=kind: held(p, kind), "precision")


def moves(tensor, kind):
    """Whether a format cannot hold numbers of a tensor."""
    values = numbers_of(tensor)
    return bool((held(values, kind) != values).any())


def in_format(call, kind):
    """The call with its positions, if it has any, rounded to a format."""
    place = place_of(call)
    return call if place is None else moved(place[0], lambda p: held(p, kind))(call)


def held(values, kind):
    """float64 values rounded to a format."""
    if kind == TF32:
        return operations.rounded(values, operations.TF32)
    fmt = formats.FORMATS[kind]
    return np.asarray(rounding.widen(rounding.narrow(values, fmt), fmt), np.float64)


def _several_axes(name, tensor, other):
    """Positions of several axes, or batch rows, in another order, or those of one used for all."""
    if tensor.values.ndim < 2:
        return
    axes = tensor.values.shape[0]
    # ids have their axes first, other positions their batch rows
    word, plural = ("axis", "axes") if name == "position_ids" else ("batch row", "batch rows")
    if axes <= 4:
        for one in range(axes):
            for two in range(one + 1, axes):
                order = [two if k == one else one if k == two else k for k in range(axes)]
                yield other(f"{name} of {plural} {one} and {two} exchanged", lambda p, o=order: p[o], "axes")
        for one in range(axes):
            text = f"{name} of {word} {one} for every {word}"
            yield other(text, lambda p, k=one: np.repeat(p[k : k + 1], len(p), 0), "axes")
    if tensor.values.ndim > 2:
        yield other(f"{name} of the first row for every row", lambda p: np.broadcast_to(p[..., :1, :], p.shape), "rows")


def short_cache(call, row):
    """What a table that ends before some row gives: its last row again, its rows from the start, or other positions
    from that row on. row: the first one that is wrong."""
    found = place_of(call)
    if found is None or found[1].values.ndim != 1 or not 0 < row < len(found[1].values):
        return
    name, tensor = found
    values = numbers_of(tensor)
    first, last = values[row], values[row - 1]

    def other(text, function):
        return Mistake("cache", text, name, moved(name, function), rare=True)

    yield other(f"{name} of at most {last:g} (a table of {last + 1:g} rows)", lambda p: np.minimum(p, last))
    if first > 0:
        yield other(f"{name} modulo {first:g} (a table of {first:g} rows)", lambda p: np.mod(p, first))
    text = f"{name} from {first:g} on counted from 0 again (a cache that was not told how far it is)"
    yield other(text, lambda p: np.where(p >= first, p - first, p))


def _other_offsets(call):
    for name in ("query_offset", "first"):
        value = call.arguments.get(name)
        if type(value) is int:
            for shift in (1, -1):
                yield _offset(name, value, value + shift)
    lengths = [call.arguments.get(name) for name in ("query_len", "key_len")]
    if all(type(n) is int for n in lengths) and "query_offset" not in call.tensors:
        value = call.arguments.get("query_offset")
        for other in dict.fromkeys((0, lengths[1] - lengths[0])):
            if other != value:
                yield _offset("query_offset", value, other)


def _offset(name, value, other):
    return Mistake(name, f"{name}={other}", f"{name}={value}", lambda call: call.change(**{name: other}))
