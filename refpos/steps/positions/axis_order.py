"""The order of the axes of a grid: in which of its blocks of channels each axis stands."""

from collections.abc import Sequence
from typing import Union, get_args

from ... import checks
from ...errors import InputError, shown
from ...types import AxisOrder2D, AxisOrder3D, Integer

AxisOrder = Union[AxisOrder2D, AxisOrder3D, Sequence[Integer]]
AXIS_ORDERS = (*get_args(AxisOrder2D), *get_args(AxisOrder3D))
LETTERS = {2: "hw", 3: "thw"}


def read_order(axis_order, count):
    """The axes as numbers, from their letters or from numbers: each of `count` axes once."""
    if axis_order is None or isinstance(axis_order, str):
        checks.choice("axis_order", axis_order, AXIS_ORDERS)
        order = [LETTERS[len(axis_order)].index(axis) for axis in axis_order]
    else:
        order = [checks.integer("axis_order", axis, 0, count - 1, "E_AXIS")
                 for axis in checks.listed("axis_order", axis_order, "axes", "E_AXIS")]  # fmt: skip
    if sorted(order) != list(range(count)):
        sentence = f"axis_order must have each of the {count} axes of grid once, got {shown(axis_order)}"
        raise InputError("E_AXIS", "axis_order", sentence)
    return order
