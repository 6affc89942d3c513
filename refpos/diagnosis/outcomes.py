"""What became of a result that was right: exchanged, reversed, or read in another way than it was written."""

from __future__ import annotations

import numpy as np

from .. import catalogue
from .mistake import Mistake

ROWS, RESULT = "the rows in order", "the result"


def other_results(call):
    """What may have been done to the outputs of a call."""
    names = catalogue.find(call.suite).outputs_of(call.arguments)
    if len(names) == 2 and catalogue.find(call.suite).family != "frequencies":
        first, second = names
        yield _after("exchanged", f"{first} and {second} exchanged", f"{first}, {second}", _exchanged)
        for name in names:
            yield _after("sign", f"minus {name}", name, lambda outputs, name=name: _one(outputs, name, _negated))
    yield _after("sign", "minus the result", RESULT, _each(_negated))
    yield _after("transposed", "the last two axes exchanged", RESULT, _each(_transposed))
    yield _after("memory order", "the elements in column-major order", "row-major order", _each(_row_major))
    yield _after("byte order", "the bytes of each number reversed", "little-endian numbers", _each(_swapped))
    for axis in (-1, -2, -3):
        text = f"axis {axis} from its end to its beginning"
        yield _after("reversed", text, RESULT, _each(lambda values, axis=axis: _reversed(values, axis)))
    yield from _channels(call)
    yield from _columns_first(call)
    yield from _other_format(call)


def _after(name, computed, asked, undo):
    return Mistake(name, computed, asked, undo=undo)


def _exchanged(outputs):
    (first, one), (second, other) = outputs.items()
    return {first: other, second: one}


def _one(outputs, name, change):
    return {**outputs, name: outputs[name]._replace(values=change(outputs[name].values))}


def _each(change):
    return lambda outputs: {name: tensor._replace(values=change(tensor.values)) for name, tensor in outputs.items()}


def _negated(values):
    if values.dtype == np.uint16:  # bit patterns
        return values ^ np.uint16(1 << 15)
    return ~values if values.dtype == bool else -values


def _transposed(values):
    return values.swapaxes(-1, -2) if values.ndim > 1 else values


def _row_major(values):
    return values.reshape(-1).reshape(values.shape, order="F") if values.ndim > 1 else values


def _swapped(values):
    return values.byteswap()


def _reversed(values, axis):
    return np.flip(values, axis) if values.ndim >= -axis else values


def _channels(call):
    """Channels that were dealt out in turn where they stand in halves, or the reverse."""

    def dealt(values):
        half = values.shape[-1] // 2
        return (
            values
            if values.shape[-1] % 2
            else values.reshape(*values.shape[:-1], 2, half).swapaxes(-1, -2).reshape(values.shape)
        )

    def halves(values):
        half = values.shape[-1] // 2
        return (
            values
            if values.shape[-1] % 2
            else values.reshape(*values.shape[:-1], half, 2).swapaxes(-1, -2).reshape(values.shape)
        )

    if catalogue.find(call.suite).family in ("absolute", "tables", "rotary"):
        text = "channels in halves that should alternate (0, 2, 4 ... first)"
        yield _after("channels", text, "channels in order", _each(dealt))
        text = "channels alternating that should stand in halves (0, dim/2, 1 ...)"
        yield _after("channels", text, "channels in order", _each(halves))


def _columns_first(call):
    """The cells of a grid column by column."""
    height, width = (call.arguments.get(name) for name in ("height", "width"))
    if type(height) is not int or type(width) is not int or "frames" in call.arguments or min(height, width) < 2:
        return

    def undone(values):
        shape = values.shape
        at = next((k for k, count in enumerate(shape) if count == height * width), None)
        if at is None:
            at = next((k for k in range(len(shape) - 1) if shape[k : k + 2] == (height, width)), None)
        else:
            values = values.reshape(*shape[:at], width, height, *shape[at + 1 :])
        return values if at is None else values.swapaxes(at, at + 1).reshape(shape)

    yield _after("token order", "the cells column by column", "the cells row by row", _each(undone))


def _other_format(call):
    """16 bits of one format read as those of the other."""
    kinds = ("float16", "bfloat16")
    asked = call.arguments.get("dtype")
    if asked not in kinds or "dtype" not in catalogue.find(call.suite).parameters:
        return
    other = kinds[asked == kinds[0]]

    def read_again(outputs):
        return {
            name: tensor._replace(dtype=other, values=tensor.values.view("float16" if other == "float16" else "uint16"))
            for name, tensor in outputs.items()
        }

    text = f"the bits of {other} read as {asked}"
    yield Mistake("format", text, asked, lambda call: call.change(dtype=other), read_again)
