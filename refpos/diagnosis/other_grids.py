"""Grids whose cells are in another order than row by row, as tokens that were transposed, or whose coordinates are
divided by the sizes or all 0."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import partial

from .choices import SIZES, replaced
from .mistake import Mistake
from .scaling_formulas import LARGEST, power_of

LETTERS = {"frames": "t", "height": "h", "width": "w"}


def other_grids(call):
    """The call with its cells in another order, or with other coordinates of its axes."""
    axes = [name for name in SIZES if name in call.arguments or name in call.tensors]
    yield from _other_orders(call, axes)
    sizes = {name: call.arguments.get(name) for name in axes}
    if "x" not in call.tensors or not all(type(size) is int and size > 1 for size in sizes.values()):
        return
    yield from _other_widths(call)
    counted = {
        name: {"function": "affine", "arguments": {"size": size, "step": Fraction(1, size)}}
        for name, size in sizes.items()
    }
    text, asked = "coordinates divided by the size of each axis (normalised)", "coordinates 0, 1, 2 .."
    yield Mistake("coordinates", text, asked, lambda call: call.change(**counted), rare=True)
    for name, size in sizes.items():
        still = partial(_still, name=name, size=size)
        yield Mistake("coordinates", f"{name} all 0: not rotated by it", asked, still, rare=True)


def _still(call, name, size):
    return call.change(**{name: [0] * size})


def _other_widths(call):
    """The channels shared in about equal parts, and exponents of the width of all axes."""
    widths, base = call.arguments.get("widths"), call.arguments.get("base")
    if not isinstance(widths, (list, tuple)) or not widths:
        return
    dim, share = sum(widths), sum(widths) // len(widths) // 2 * 2
    equal = [share] * (len(widths) - 1)
    for order in dict.fromkeys(itertools.permutations([*equal, dim - sum(equal)])):
        if order != tuple(widths) and share:
            yield replaced("widths", widths, list(order), rare=True)
    if isinstance(base, (int, float)) and 1 < base < LARGEST:
        bases = [power_of(Fraction(base), Fraction(width, dim)) for width in widths]
        text = f"the exponents 2i/{dim} of the whole width on every axis"
        asked = "the exponents 2i/width of each axis"
        yield Mistake("exponent", text, asked, lambda call: call.change(base=bases), rare=True)


def _other_orders(call, axes):
    """The call with its cells in each other order of the axes: the call of a grid whose sizes are in that order, with
    the axes of the channels as they are asked for."""
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
        told = _told([axes[axis] for axis in order])
        yield Mistake("token order", told, _told(axes), _moved(sources, renamed), rare=True)


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
