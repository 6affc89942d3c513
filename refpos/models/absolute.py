"""What a named model adds to its embeddings: `Absolute`, a call of the catalogue that lacks only the input."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import catalogue, checks
from ..catalogue import signature_text
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..types import Array, Integers


@guarded
@dataclass(frozen=True)
class Absolute:
    """A model's absolute encoding: the function of the catalogue and the arguments that reproduce it.

    Attributes
    ----------
    function : str
        Name of the function, as "sinusoidal".
    arguments : dict
        All arguments that the model decides, by their names. What remains, positions or the weight of a learned table,
        `table` takes.
    source : dict of str
        Project, version and file.
    notes : tuple of str
        What else a porter must know, one sentence each.
    """

    function: str
    arguments: dict[str, Any]
    source: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def table(self, *where: Any, **options: Any) -> Array:
        """What the function gives at `where`, the arguments that the model leaves open.

        options: dtype, out and threads, where the function has them, or other values than those of the model. Raises
        E_CHOICE for arguments that do not make a call, and what the function raises.

        >>> Absolute("sinusoidal", {"dim": 4, "layout": "cos-sin"}).table([0, 1], dtype="float16")
        array([[1.    , 1.    , 0.    , 0.    ],
               [0.5405, 1.    , 0.8413, 0.01  ]], dtype=float16)
        """
        return _called(self.function, where, {**self.arguments, **options})


@guarded
@dataclass(frozen=True)
class Learned(Absolute):
    """A model's learned table: its shape, which of its rows tokens read, and the vectors of these rows.

    Attributes
    ----------
    shape : pair of int
        (rows, channels).
    function_of_rows : str
        Function that gives the rows, as `table_rows`.
    arguments_of_rows : dict
        Its arguments but for the tokens, as its rule.

    Notes
    -----
    The rest is that of `Absolute`, whose function is "learned".
    """

    shape: tuple[int, int] = (1, 1)
    function_of_rows: str = "table_rows"
    arguments_of_rows: dict[str, Any] = field(default_factory=dict)

    def rows(self, *tokens: Any, **options: Any) -> Integers:
        """The rows that tokens read: a number, ids or a mask of them, or what else the function of the rows takes.

        options: past, where the function has it, or other values than those of the model. Raises E_CHOICE for
        arguments that do not make a call, and what the function raises, as E_POSITION beyond the table.

        >>> Learned("learned", {}, shape=(6, 2), arguments_of_rows={"rule": "count", "offset": 2}).rows(3, past=1)
        array([3, 4, 5])
        """
        return _called(self.function_of_rows, tokens, {**self.arguments_of_rows, **options})

    def table(self, *where: Any, **options: Any) -> Array:
        """The vectors of rows: `learned` of a weight of the shape of the model, and of rows.

        options: scale, dtype, out and threads. Raises E_SHAPE for a weight of another shape, and as `learned` does.

        >>> Learned("learned", {}, shape=(2, 1)).table([[1.0], [2.0]], [1, 0, 1]).tolist()
        [[2.0], [1.0], [2.0]]
        """
        weight = where[0] if where else options.get("weight")
        if weight is not None and (shape := np.shape(checks.array("weight", weight))) != self.shape:
            raise InputError("E_SHAPE", "weight", f"weight must have the shape of the model, {self.shape}, got {shape}")
        return super().table(*where, **options)


def _called(name, where, arguments):
    """What a function of the catalogue gives at `where`."""
    function = catalogue.find(name).function
    try:
        inspect.signature(function).bind(*where, **arguments)
    except TypeError as error:
        sentence = f"where must be what the model leaves open of {name}{signature_text(function)}"
        raise InputTypeError("E_CHOICE", "where", f"{sentence}, got {error.args[0].removeprefix('got ')}") from None
    return function(*where, **arguments)
