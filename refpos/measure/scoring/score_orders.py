"""Inputs of attention in another order along one axis: reversed, rolled by one, or the first entry for all."""

from __future__ import annotations

import numpy as np

from ..written import Written
from .rotated_inputs import changed

LEADING = ("heads", "batch rows")
#: the axes of each input, from the last one on
AXES = {name: ("channels", word, *LEADING) for name, word in (("q", "queries"), ("k", "keys"), ("v", "keys"))}
AXES["bias"] = ("keys", "queries", *LEADING)


def orders_of(inputs):
    """(what a program does otherwise, the inputs as it takes them)."""
    for name, axes in AXES.items():
        array = inputs.get(name)
        if array is None or array.value is None or np.ndim(array.value) < 2:
            continue
        for place, word in enumerate(axes[: np.ndim(array.value)]):
            axis = -1 - place
            if array.value.shape[axis] > 1:
                for text, other in _orders(array, axis, word, name):
                    yield text, changed(inputs, **{name: other})


def _orders(array, axis, word, name):
    values, text = array.value, array.text
    yield f"{word} of {name} reversed", Written(f"np.flip({text}, {axis})", np.ascontiguousarray(np.flip(values, axis)))
    for by in (1, -1):
        rolled = Written(f"np.roll({text}, {by}, {axis})", np.roll(values, by, axis))
        yield f"{name} rolled, its {word} shifted by {by}", rolled
    if axis < -2:
        for head in (0, values.shape[axis] - 1):
            one = np.repeat(values.take([head], axis), values.shape[axis], axis)
            what = word[:-1]
            yield (
                f"{name} of {what} {head} for all {word}",
                Written(f"np.repeat({text}.take([{head}], {axis}), {values.shape[axis]}, {axis})", one),
            )
