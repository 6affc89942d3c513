"""Which row of a table each token reads: the index rules of absolute encodings."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, InputTypeError, shown
from ..types import ArrayLike, Integer, Integers
from . import _rows

RowRule = Literal["count", "tokens", "mask", "clipped", "fsmt", "sample"]
RULES = get_args(RowRule)
#: the rules that read each argument; the others refuse it
READ_BY = {
    "padding_idx": ("tokens", "clipped", "fsmt"),
    "offset": ("count", "mask", "sample"),
    "past": ("count", "tokens", "mask", "clipped", "fsmt"),
}


@register(
    family="positions",
    paper="a convention of each model; fairseq/utils.py, make_positions, for tokens",
    conventions="rule count, tokens (RoBERTa, fairseq), mask (OPT), clipped (ProphetNet), fsmt or sample (no default)",
    also=("position_ids, position ids, create_position_ids_from_input_ids, make_positions, padding, padding_idx"),
)
def table_rows(
    tokens: ArrayLike,
    *,
    rule: RowRule,
    padding_idx: Integer | None = None,
    offset: Integer = 0,
    past: Integer = 0,
    num_rows: Integer | None = None,
) -> Integers:
    """Position ids of tokens: the row of a learned table that each token reads, padding included.

        count:    offset + past + 0, 1, 2, ...                       tokens: their number
        tokens:   padding_idx + (c + past) m                         tokens: ids; m = id is not padding_idx
        mask:     offset + c m - 1, the first `past` slots cut off   tokens: a mask m
        clipped:  min(padding_idx + c m, num_rows - 1)               tokens: a mask m
                  padding_idx + past + length for all, if past > 0
        fsmt:     padding_idx + c m + past                           tokens: ids; m = id is not padding_idx
        sample:   offset + tokens                                    tokens: rows that were drawn, ascending

    c counts m along the last axis, from 1.

    Parameters
    ----------
    tokens : array_like
        A number, or integers (..., length); masks of 0 and 1 or booleans.
    rule : {'count', 'tokens', 'mask', 'clipped', 'fsmt', 'sample'}
        Which rule, as stated above.
    padding_idx : int, optional
        The id that pads, and with "clipped" the row of padded tokens.
    offset : int, default 0
        Number of rows before the first.
    past : int, default 0
        Number of tokens that precede these.
    num_rows : int, optional
        The size of the table, None for a table without end.

    Returns
    -------
    ndarray of int64
        int64 of the shape of tokens, with "mask" without the slots cut off.

    Raises
    ------
    InputError
        E_CHOICE (rule, a mask, an argument that the rule does not read), E_SIZE, E_DTYPE and E_SHAPE (tokens),
        E_POSITION (a row beyond the table or before it, or a sample that does not ascend).

    Notes
    -----
    The arguments padding_idx, offset and past belong to the rules that name them.

    References
    ----------
    - transformers 5.23.0: models/bert, models/bart (offset 2) and models/roberta for count and tokens (of embeddings
      RoBERTa counts, with offset padding_idx + 1).
    - models/opt.
    - models/prophetnet.
    - models/fsmt, whose padding reads row padding_idx + past. sample: Ruoss et al. 2023, Randomized Positional
      Encodings, arXiv:2305.16843, 3.

    Examples
    --------
    >>> table_rows([[9, 9, 1], [1, 9, 9]], rule="tokens", padding_idx=1)
    array([[2, 3, 1],
           [1, 2, 3]])
    >>> table_rows([[0, 1, 1]], rule="mask", offset=2)
    array([[1, 2, 3]])
    """
    checks.choice("rule", rule, RULES)
    padding_idx = _read(rule, "padding_idx", padding_idx, None)
    offset, past = _read(rule, "offset", offset, 0), _read(rule, "past", past, 0)
    if num_rows is not None or rule == "clipped":
        num_rows = checks.integer("num_rows", num_rows, 1)
    if rule == "count":
        return _counted(tokens, offset + past, num_rows)
    if rule == "sample":
        rows = offset + _sample(tokens)
    elif rule in ("mask", "clipped"):
        rows = _of_mask(rule, tokens, padding_idx, offset, past, num_rows)
    else:
        kept = _ids(tokens) != padding_idx
        rows = padding_idx + (_seen(kept) + past * (kept if rule == "tokens" else 1))
    _check_below(num_rows, int(rows.max(initial=0)))
    return rows


# -- arguments --------------------------------------------------------------------------------------------------------


def _read(rule, name, value, unread):
    """An integer, which a rule that does not read it must leave at `unread`."""
    if rule in READ_BY[name]:
        return checks.integer(name, value, 0, _rows.LARGEST_POSITION)
    if value is not None and checks.integer(name, value) != unread:
        raise InputError("E_CHOICE", name, f'{name} must be left out with rule="{rule}", got {shown(value)}')
    return unread


def _check_below(num_rows, largest):
    if num_rows is not None and largest >= num_rows:
        sentence = f"tokens must read rows below num_rows = {num_rows}, the size of the table, got row {largest}"
        raise InputError("E_POSITION", "tokens", sentence)


def _ids(tokens):
    array = checks.integers("tokens", tokens)
    if not array.ndim:
        raise InputError("E_SHAPE", "tokens", f"tokens must have at least one axis, got {shown(tokens)}")
    return array


# -- rules ------------------------------------------------------------------------------------------------------------


def _seen(kept):
    """How many tokens are kept up to each one that is, and 0 at the others."""
    return np.cumsum(kept, -1, dtype=np.int64) * kept


def _counted(tokens, first, num_rows):
    count = checks.integer("tokens", tokens, 0, _rows.LARGEST_POSITION)
    if count:
        _check_below(num_rows, first + count - 1)
    return checks.counted("tokens", count, first)


def _of_mask(rule, mask, padding_idx, offset, past, num_rows):
    array = checks.array("tokens", mask)
    if not array.ndim:
        raise InputTypeError("E_SHAPE", "tokens", f"tokens must be a mask of at least one axis, got {shown(mask)}")
    kept = _rows.read_flags("tokens", mask, array.shape)
    length = array.shape[-1]
    if rule == "mask":
        past = checks.integer("past", past, 0, length)
        rows = (_seen(kept) - 1 + offset)[..., past:]
        if rows.size and rows.min() < 0:
            sentence = "offset must be at least 1 where the mask leaves out a token, got 0"
            raise InputError("E_POSITION", "offset", sentence)
        return rows
    if past:  # a step of decoding: neither masked nor clipped
        return np.full(array.shape, padding_idx + past + length, np.int64)
    return np.minimum(padding_idx + _seen(kept), num_rows - 1)


def _sample(tokens):
    rows = _rows.read_integers("tokens", tokens, _ids(tokens).shape, 0, "E_POSITION")
    if (np.diff(rows, axis=-1) <= 0).any():
        raise InputError("E_POSITION", "tokens", "tokens must ascend without repeats, got a sample that does not")
    if rows.size and rows.max() > _rows.LARGEST_POSITION:
        raise InputError("E_POSITION", "tokens", f"tokens must be at most 2**53, got {rows.max()}")
    return rows
