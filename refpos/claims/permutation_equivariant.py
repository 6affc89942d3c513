"""The claim that attention without positions does not know the order of its tokens."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..conformance.derivations import running_error
from ..errors import InputError, shown
from ..guard import guarded
from ..steps.rows import doubles
from ..steps.scores import heads, ordered_sums
from ..types import ArrayLike, Number
from .claim import Claim, judged

FMT = formats.FORMATS["float64"]
HOLDS = "every score goes with its tokens, and a softmax and a sum do not depend on the order of their terms"


@guarded
def permutation_equivariant(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    order: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: Number | None = None,
) -> Claim:
    """Whether attention gives permuted tokens the permuted outputs, so that it does not know where they stand.

        attention(q[order], k[order], v[order]) = attention(q, k, v)[order],   attention = softmax(scale q k^T + bias) v

    Parameters
    ----------
    q, k : array_like
        Shape (..., tokens, dim), of the four formats.
    v : array_like
        Values, shape (..., tokens, values).
    order : array_like
        A permutation of the tokens that moves at least one.
    bias : array_like, optional
        Shape (..., tokens, tokens), added to the scores; it stays where it is.
    mask : array_like, optional
        Mask, shape (tokens, tokens), True where a query sees a key; it stays where it is.
    scale : float or Fraction, optional
        Factor of the scores; None is 1 / sqrt(dim).

    Returns
    -------
    Claim
        A `Claim`, true where the formula holds and the numbers agree within the bound; `holds` and `why` speak of the
        formula.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_NUMBER (numbers that are not finite; scale; order).

    Notes
    -----
    `holds` is said of the formula for all q, k and v: without bias and mask always; with them where bias[order][:,
    order] is bias, but for a constant in each row, which the softmax does not see, and mask likewise: an encoding of
    positions is there to prevent it. The numbers compared are outputs in the fixed order of the class `sequence64`.
    The formula is equivariant, its rounding is not: sums go over the keys in another order. The bound is twice that of
    a program that computes in float64, from `refpos.conformance`.

    References
    ----------
    Lee et al. 2019, Set Transformer, arXiv:1810.00825, section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(1).normal(size=(3, 6, 4))
    >>> order = [3, 1, 5, 0, 2, 4]
    >>> bool(permutation_equivariant(q, k, v, order=order))
    True
    >>> permutation_equivariant(q, k, v, order=order, mask=np.tri(6, dtype=bool)).why
    'query 0 sees key 1 after the permutation only'
    """
    queries, keys = heads.read_queries_keys(q, k)
    values = heads.repeated("v", heads.read("v", v), queries.shape[:-2])
    count = queries.shape[-2]
    if not (keys.shape[-2] == values.shape[-2] == count) or not queries.size or not values.size:
        shapes = f"{queries.shape}, {keys.shape} and {values.shape}"
        raise InputError("E_SHAPE", "q", f"q, k and v must have the same tokens, at least one, got shapes {shapes}")
    for name, part in (("q", queries), ("k", keys), ("v", values)):
        if not np.isfinite(part).all():
            raise InputError("E_NUMBER", name, f"{name} must be finite, got infinity or NaN")
    order = _permutation(order, count)
    factor = heads.read_scale(scale, queries.shape[-1])
    bias, mask = _bias(bias, (*queries.shape[:-2], count, count)), _mask(mask, count)
    holds, why = _decided(bias, mask, order)
    with np.errstate(all="ignore"):
        before = _attention(queries, keys, values, bias, mask, factor)
        after = _attention(*(part[..., order, :] for part in (queries, keys, values)), bias, mask, factor)
    one, error = (part[..., order, :] for part in before)
    other, more = after
    pair = [formats.bits(np.ascontiguousarray(part)) for part in (other, one)]
    return judged(holds, why, FMT, pair, np.abs(other - one), error + more)


def _attention(q, k, v, bias, mask, factor):
    """The outputs in the fixed order, and how far these may be from the formula."""
    q, k, v = (running_error.from_input(part, FMT) for part in (q, k, v))
    scores = running_error.multiply(running_error.scores(q, k), running_error.from_input(factor, FMT))
    if bias is not None:
        scores = running_error.add(scores, running_error.from_input(bias, FMT))
    result = running_error.matmul(running_error.softmax(scores, mask), v)
    values = ordered_sums.matmul(ordered_sums.softmax(scores.values, mask), v.values)
    return values, result.error


def _permutation(order, count):
    found = checks.integers("order", order, "E_SHAPE")
    if found.shape != (count,) or not np.array_equal(np.sort(found), np.arange(count, dtype=np.int64)):
        raise InputError("E_NUMBER", "order", f"order must be a permutation of 0 .. {count - 1}, got {shown(order)}")
    if (found == np.arange(count, dtype=np.int64)).all():
        raise InputError("E_NUMBER", "order", f"order must move at least one token, got {shown(order)}")
    return found


def _bias(bias, shape):
    if bias is None:
        return None
    numbers, _ = doubles.read("bias", bias)
    try:
        numbers = np.broadcast_to(numbers, shape)
    except ValueError:
        sentence = f"bias must fit the scores {shape}, got shape {numbers.shape}"
        raise InputError("E_SHAPE", "bias", sentence) from None
    if np.isnan(numbers).any() or (numbers == np.inf).any():
        raise InputError("E_NUMBER", "bias", "bias must be finite or minus infinity, got NaN or infinity")
    return numbers


def _mask(mask, count):
    if mask is None:
        return None
    found = checks.array("mask", mask)
    if found.shape != (count, count) or found.dtype != bool:
        sentence = f"mask must be bool ({count}, {count}), got {found.dtype} {found.shape}"
        raise InputError("E_SHAPE", "mask", sentence)
    return found


def _decided(bias, mask, order):
    """(Whether the formula is equivariant, why), from the exact bias and mask."""
    count = len(order)
    seen = np.ones((count, count), bool) if mask is None else mask
    logits = np.zeros((1, count, count)) if bias is None else bias.reshape(-1, count, count)
    for matrix in np.where(seen, logits, -np.inf):
        moved = matrix[order][:, order]
        apart = np.argwhere(np.isfinite(matrix) != np.isfinite(moved))
        if len(apart):
            i, j = apart[0].tolist()
            when = "after" if math.isfinite(moved[i, j]) else "before"
            return False, f"query {i} sees key {j} {when} the permutation only"
        for i, (row, other) in enumerate(zip(matrix.tolist(), moved.tolist())):
            steps = [Fraction(a) - Fraction(b) for a, b in zip(row, other) if math.isfinite(a)]
            if len(set(steps)) > 1:
                return False, f"the bias of query {i} is another after the permutation, by more than a constant"
    return True, HOLDS if bias is None and mask is None else f"bias and mask are as before, and {HOLDS}"
