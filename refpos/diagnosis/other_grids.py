"""Grids whose cells are in another order than row by row, as tokens that were transposed."""

from __future__ import annotations

import itertools

from .choices import SIZES
from .mistake import Mistake

LETTERS = {"frames": "t", "height": "h", "width": "w"}


def other_grids(call):
    """The call with its cells in each other order of the axes: the call of a grid whose sizes are in that order, with
    the axes of the channels as they are asked for."""
    axes = [name for name in SIZES if name in call.arguments or name in call.tensors]
    channels = call.arguments.get("axis_order", "")
    letters = [LETTERS[name] for name in axes]
    if len(axes) < 2 or sorted(channels) != sorted(letters):
        return
    for order in itertools.permutations(range(len(axes))):
        if order == tuple(range(len(axes))):
            continue
        there = {letters[axis]: letters[place] for place, axis in enumerate(order)}
        renamed = "".join(there[letter] for letter in channels)
        sources = {axes[place]: axes[axis] for place, axis in enumerate(order)}
        yield Mistake("token order", _told([axes[axis] for axis in order]), _told(axes), _moved(sources, renamed))


def _told(axes):
    """The order of the cells of a grid in words."""
    if len(axes) == 2:
        return "the cells column by column" if axes[0] == "width" else "the cells row by row"
    return f"the cells in the order {', '.join(axes)} ({axes[-1]} count fastest)"


def _moved(sources, axis_order):
    """The change of a call to the sizes or coordinates of other axes."""

    def change(call):
        held = {**call.arguments, **call.tensors}
        given = {name: held[source] for name, source in sources.items()}
        tensors = {name: one for name, one in given.items() if sources[name] in call.tensors}
        plain = {name: value for name, value in given.items() if name not in tensors}
        left = call._replace(tensors={name: one for name, one in call.tensors.items() if name not in plain})
        return left.given(**tensors).change(**plain, axis_order=axis_order)

    return change
