"""The claim that a bias, or a table, does not change where positions move together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import catalogue, checks
from ..arithmetic import formats
from ..conformance.distances import absolute_error, steps_between
from ..errors import InputError, shown
from ..guard import guarded
from ..types import Array, Integer
from .claim import Claim, judged

DISTANCE = "the formula reads the positions i and j of query and key only as j - i"
CELLS = "the formula reads the cells of query and key only as the difference of their rows and of their columns"
#: biases (heads, queries, keys)
OF_TOKENS = ("alibi", "t5_bias", "relative_bias", "kerple", "sandwich", "decay")
#: biases (heads, cells, cells), with a class token in front where there is one
OF_CELLS = ("window_bias", "alibi_2d")
#: tables (positions, channels)
OF_ROWS = ("learned", "sinusoidal")


@guarded
def shift_invariant(
    encoding: Callable[..., Array], *arguments: Any, shift: Integer | Sequence[Integer], **options: Any
) -> Claim:
    """Whether a bias, or a table, is the same where all positions are moved by so many places.

        bias[h, i + s, j + s] = bias[h, i, j];   of a table: E[p + s] = E[p]

    Parameters
    ----------
    encoding : callable
        `alibi`, `t5_bias`, `relative_bias`, `kerple`, `sandwich` or `decay`; `window_bias` or `alibi_2d`, whose cells
        move by s = (rows, columns); `learned` or `sinusoidal`, tables that are added to embeddings.
    *arguments : arguments
        What it takes.
    shift : int or pair of int
        s, an integer greater than 0 and less than the lengths, or (rows, columns).
    **options : keywords
        What it takes by keyword.

    Returns
    -------
    Claim
        A `Claim`, true where the formula holds and the numbers agree within the bound; `holds` and `why` speak of the
        formula.

    Raises
    ------
    InputError
        E_CHOICE (encoding; strides of `window_bias`), E_SHAPE and E_SIZE (shift, where nothing would be compared), and
        what the encoding raises.

    Notes
    -----
    `holds` is said of the formula: of biases for all positions, since they read nothing but differences. ALiBi with
    anchor "key" or "last" leaves a constant of each query out, and so has no such property, though the softmax, which
    does not see the constant, gives the same weights. A learned table has it where its rows are equal. What is compared
    is every number that the shift carries to another one, index that before the shift: the formula is rounded once, so
    the bound is 0.

    References
    ----------
    - Press et al. 2022, arXiv:2108.12409.
    - Raffel et al. 2020, T5, arXiv:1910.10683, section 2.1.

    Examples
    --------
    >>> import refpos
    >>> bool(shift_invariant(refpos.alibi, 4, 8, 8, mode="linear", shift=3))
    True
    >>> claim = shift_invariant(refpos.alibi, 4, 8, 8, mode="linear", anchor="key", shift=3)
    >>> claim.holds, claim.difference
    (False, 0.75)
    """
    name = _name(encoding)
    result = encoding(*arguments, **options)
    given = {**catalogue.find(name).defaults, **inspect.signature(encoding).bind(*arguments, **options).arguments}
    fmt = formats.of_array(result) or formats.FORMATS["bfloat16"]
    patterns = formats.bits(result)
    if name in OF_TOKENS:
        (offset,) = _offsets(shift, [min(result.shape[-2:])])
        pair = patterns[..., offset:, offset:], patterns[..., :-offset, :-offset]
    elif name in OF_CELLS:
        pair = _moved_cells(patterns, given, shift)
    else:
        rows = patterns.reshape(-1, patterns.shape[-1])
        (offset,) = _offsets(shift, [len(rows)])
        pair = rows[offset:], rows[:-offset]
    distance = steps_between(*pair, fmt)
    differences = absolute_error(*(np.ascontiguousarray(part) for part in pair), distance, fmt)
    return judged(*_rule(name, given, distance), fmt, pair, differences, np.zeros(differences.shape))


def _name(encoding):
    """The name of an encoding for which there is a rule."""
    for name in (*OF_TOKENS, *OF_CELLS, *OF_ROWS):
        if encoding is catalogue.find(name).function:
            return name
    names = ", ".join((*OF_TOKENS, *OF_CELLS, *OF_ROWS))
    raise InputError("E_CHOICE", "encoding", f"encoding must be one of the functions {names}, got {shown(encoding)}")


def _offsets(shift, lengths):
    """An integer for each length, from 0 up to less than it, not all 0: else nothing would be compared."""
    values = [shift] if len(lengths) == 1 else checks.listed("shift", shift, "integers")
    if len(values) != len(lengths):
        raise InputError("E_SHAPE", "shift", f"shift must be {len(lengths)} integers, got {shown(shift)}")
    if min(lengths) < 1 or max(lengths) < 2:
        sentence = f"shift must move positions onto others, of which there must be at least 2, got lengths {lengths}"
        raise InputError("E_SHAPE", "shift", sentence)
    least = 1 if len(lengths) == 1 else 0
    offsets = [checks.integer("shift", value, least, length - 1) for value, length in zip(values, lengths)]
    if not any(offsets):
        raise InputError("E_SIZE", "shift", f"shift must not be 0, got {shown(shift)}")
    return offsets


def _moved_cells(patterns, given, shift):
    """The bias of the cells that are moved and of those that they were, without what belongs to a class token."""
    if given.get("stride", 1) != 1:
        raise InputError("E_CHOICE", "stride", f"stride must be 1 for a shift of cells, got {shown(given['stride'])}")
    size = given["height"], given["width"]
    down, right = _offsets(shift, size)
    first = int(given["class_token"])
    cells = patterns if patterns.ndim == 5 else patterns[:, first:, first:].reshape(len(patterns), *size, *size)
    height, width = size
    moved = cells[:, down:, right:, down:, right:]
    return moved, cells[:, : height - down, : width - right, : height - down, : width - right]


def _rule(name, given, distance):
    """(Whether the formula has the property, why)."""
    if name == "alibi" and given["anchor"] not in (None, "query"):
        same = "a shift by s adds slope * s to all scores of a query, which leaves the softmax unchanged"
        return False, f'anchor "{given["anchor"]}" uses j alone: {same}'
    if name == "sinusoidal":
        return False, "each row holds the sines and cosines of the position itself"
    if name == "learned":
        equal = not distance.any()
        return equal, "all rows compared are equal" if equal else "each position has a row of its own"
    return True, CELLS if name in OF_CELLS else DISTANCE
