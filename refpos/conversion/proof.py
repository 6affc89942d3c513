"""The proof that attention scores are the same in two layouts, by following every row of q and k.

A score is a sum over pairs of |q_i||k_i| cos(angle + (position of key - position of query) theta_i) and over copied
channels of their products. It stays the same for every input and every position when, in each head, pair i of the one
layout is pair i of the other (its first channel first) in q and in k alike, and each copied channel of q still meets
the same channel of k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import checks
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..rotary.rope_in_qkv import head_counts
from ..types import ArrayLike, Integer, Integers
from .channels import order
from .layout import Layout


@guarded
@dataclass(frozen=True, eq=False)
class Proof:
    """What `prove_orders` or `prove_weights` returns; true when the scores are proved equal.

    Attributes
    ----------
    equal : bool
        Whether the scores are proved equal.
    reasons : tuple of str
        A sentence for each thing that is wrong.
    q_fix, k_fix : ndarray of int64 or None
        What to take of the new q and k rows to make them right (`q[q_fix]`); None where no re-ordering does.
    """

    equal: bool
    reasons: tuple[str, ...]
    q_fix: Integers | None = field(repr=False)
    k_fix: Integers | None = field(repr=False)

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return "; ".join(self.reasons)


@guarded
def prove_orders(
    q_order: ArrayLike,
    k_order: ArrayLike,
    source: Layout,
    target: Layout,
    *,
    num_heads: Integer,
    num_kv_heads: Integer | None = None,
) -> Proof:
    """Whether taking these rows of q and k in one layout gives the same scores in another.

        rotate_target(q[q_order]) . rotate_target(k[k_order]) = rotate_source(q) . rotate_source(k)

    Parameters
    ----------
    q_order : array_like
        The row of the old weight of q that each row of the new one is, (num_heads * head_dim,).
    k_order : array_like
        The same for k, (num_kv_heads * head_dim,).
    source, target : Layout
        Old and new layout, what `layout` returns.
    num_heads : int
        Number of heads.
    num_kv_heads : int, optional
        Number of key-value heads; the default is num_heads.

    Returns
    -------
    Proof
        A `Proof`: true when the scores are equal for every input and every two positions; else its sentence says which
        rows are wrong and, where that is known, what was done to them; and the permutations that make it right.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, and what `order` raises (E_CHOICE, E_ROTARY_DIM, E_SIZE).

    Notes
    -----
    No weights are needed: the answer holds for all.

    References
    ----------
    Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2: q and k rotated by positions m and n have the score of q
    and k rotated by n - m.

    Examples
    --------
    >>> from refpos.conversion import layout
    >>> meta, hf = layout(8, pairing="interleaved"), layout(8, pairing="half")
    >>> right = order(meta, hf, num_heads=2)
    >>> bool(prove_orders(right, right, meta, hf, num_heads=2))
    True
    >>> print(prove_orders(right, np.arange(16), meta, hf, num_heads=2))
    k is not re-ordered: it is still interleaved, 8 channels
    """
    counts = head_counts(num_heads, num_kv_heads)
    right = [order(source, target, num_heads=heads) for heads in counts]
    orders = _indices("q_order", q_order, len(right[0])), _indices("k_order", k_order, len(right[1]))
    return _judge(orders, right, source, target, counts)


@guarded
def prove_weights(
    old: Sequence[ArrayLike | tuple[ArrayLike, ArrayLike]],
    new: Sequence[ArrayLike | tuple[ArrayLike, ArrayLike]],
    source: Layout,
    target: Layout,
    *,
    num_heads: Integer,
    num_kv_heads: Integer | None = None,
    axis: Integer = 0,
) -> Proof:
    """Whether the q and k weights of two checkpoints, each in its layout, give the same scores.

        new q row r is old q row order[r], bit for bit; then `prove_orders`

    Parameters
    ----------
    old, new : pair of array_like or of tuples
        The pair (q, k), each a weight (out, in) with axis=0 or (in, out) with axis=1, or a tuple of such a weight and
        its bias; old and new of one dtype. q has num_heads * head_dim rows, k num_kv_heads * head_dim.
    source, target : Layout
        Old and new layout, what `layout` returns.
    num_heads : int
        Number of heads.
    num_kv_heads : int, optional
        Number of key-value heads; the default is num_heads.
    axis : int, default 0
        Axis of the output channels: 0 for weights (out, in), 1 for (in, out).

    Returns
    -------
    Proof
        A `Proof`, as `prove_orders`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, and what `order` raises (E_CHOICE, E_ROTARY_DIM, E_SIZE).

    Notes
    -----
    It is false too where values differ: only re-orderings are recognised, not, say, a pair scaled in q and scaled back
    in k.

    References
    ----------
    As `prove_orders`.

    Examples
    --------
    >>> from refpos.conversion import layout, reorder
    >>> meta, hf = layout(4, pairing="interleaved"), layout(4, pairing="half")
    >>> q, k = np.arange(16.0).reshape(8, 2), np.arange(8.0).reshape(4, 2)
    >>> counts = {"num_heads": 2, "num_kv_heads": 1}
    >>> new = reorder(q, meta, hf, num_heads=2, axis=0), reorder(k, meta, hf, axis=0)
    >>> print(prove_weights((q, k), new, meta, hf, **counts))
    equal: every row of q and k stands where half, 4 channels reads what interleaved, 4 channels did
    >>> print(prove_weights((q, k), (new[0], k), meta, hf, **counts))
    k is not re-ordered: it is still interleaved, 4 channels
    """
    counts = head_counts(num_heads, num_kv_heads)
    right = [order(source, target, num_heads=heads) for heads in counts]
    orders, reasons = [], []
    for which, name in enumerate("qk"):
        indices, unknown = _matched(*_rows(old, new, which, axis, len(right[which])), right[which])
        orders.append(indices)
        if unknown:
            total = len(indices)
            reasons.append(f"{unknown} of the {total} rows of {name} are none of the old rows: their values differ")
    return Proof(False, tuple(reasons), None, None) if reasons else _judge(orders, right, source, target, counts)


def _judge(orders, right, source, target, counts):
    origins = [_origins(indices, source, target) for indices in orders]
    wrong = [_wrong(*each, source, target, counts) for each in zip("qk", orders, right, origins)]
    reasons = tuple(filter(None, wrong)) or _copied_apart(*origins, source, target)
    if reasons:
        return Proof(False, reasons, *(_fix(indices, good) for indices, good in zip(orders, right)))
    sentence = f"equal: every row of q and k stands where {target} reads what {source} did"
    return Proof(True, (sentence,), *(np.arange(len(indices), dtype=np.int64) for indices in orders))


def _origins(indices, source, target):
    """For each head and channel, in the order of `read`: the head it comes from, and its number in `read` there."""
    number = np.empty(source.head_dim, np.int64)
    number[source.read] = np.arange(source.head_dim, dtype=np.int64)
    rows = indices.reshape(-1, source.head_dim)[:, target.read]
    return rows // source.head_dim, number[rows % source.head_dim]


def _wrong(name, indices, right, origins, source, target, counts):
    """A sentence on what is wrong with the rows of q or of k by themselves, or None."""
    heads, numbers = origins
    rotated, every = source.rotary_dim, np.arange(source.head_dim, dtype=np.int64)
    moved = heads != np.arange(len(heads), dtype=np.int64)[:, None]
    mismatched = numbers[:, :rotated] != every[:rotated]
    if not (moved.any() or mismatched.any() or (np.sort(numbers) != every).any()):
        return None
    for mistake, sentence in _mistakes(right, source, target, counts):
        if np.array_equal(indices, mistake):
            return f"{name} {sentence}"
    if moved.any():
        h, c = map(int, np.argwhere(moved)[0])
        if (heads == heads[:, :1]).all():
            return f"{name} has whole heads moved: head {h} holds head {heads[h, 0]}"
        row = f"channel {target.read[c]} of head {h} comes from head {heads[h, c]}"
        return f"{name} has rows moved between heads: {row}"
    if mismatched.any():
        h, c = map(int, np.argwhere(mismatched)[0])
        pair = c % source.pairs
        got, wanted = (tuple(source.read[k[[pair, pair + source.pairs]]].tolist()) for k in (numbers[h], every))
        return f"{name} has pair {pair} of head {h} from channels {got} of the source, whose pair {pair} is {wanted}"
    return f"{name} uses a copied channel twice"


def _mistakes(right, source, target, counts):
    """Orders that people apply instead of the right one, each with a sentence."""
    heads = len(right) // source.head_dim
    yield np.arange(len(right), dtype=np.int64), f"is not re-ordered: it is still {source}"
    yield order(target, source, num_heads=heads), f"is re-ordered the wrong way round, from {target} to {source}"
    yield right[right], "is re-ordered twice"
    other = replace(target, inverse=not target.inverse)
    yield order(source, other, num_heads=heads), f"is re-ordered for the other direction: {other}"
    simple = not any(each.blocks or each.columns for each in (source, target))
    if simple and source.head_dim % 2 == 0:
        whole_heads = [replace(each, rotary_dim=each.head_dim) for each in (source, target)]
        yield order(*whole_heads, num_heads=heads), "is re-ordered over whole heads, copied channels and all"
        widths = {count: len(right) // count for count in (1, *counts) if len(right) % count == 0}
        for count, width in widths.items():
            if width % 2 == 0 and count != heads:
                resized = [replace(each, head_dim=width, rotary_dim=width) for each in (source, target)]
                yield order(*resized, num_heads=count), f"is re-ordered as {count} x {width} channels (heads x width)"


def _copied_apart(q_origins, k_origins, source, target):
    """A sentence where a copied channel of q meets another one of k."""
    copied = slice(source.rotary_dim, None)
    q, k = q_origins[1][:, copied], k_origins[1][:, copied]
    k = np.repeat(k, len(q) // len(k), axis=0)
    if (q == k).all():
        return ()
    h, c = map(int, np.argwhere(q != k)[0])
    met = f"{source.read[q[h, c]]} of q and {source.read[k[h, c]]} of k"
    return (f"copied channel {target.read[source.rotary_dim + c]} of head {h} is channel {met}",)


def _fix(indices, right):
    """What to take of rows in the order `indices` to have them in the right one; None where a row is missing."""
    if len(np.unique(indices)) < len(indices):
        return None
    inverse = np.empty(len(indices), np.int64)
    inverse[indices] = np.arange(len(indices), dtype=np.int64)
    return inverse[right]


def _indices(name, indices, count):
    indices = checks.array(name, indices)
    if indices.dtype.kind not in "iu":
        raise InputTypeError("E_DTYPE", name, f"{name} must have an integer dtype, got {indices.dtype}")
    if indices.shape != (count,) or (indices.size and not 0 <= indices.min() <= indices.max() < count):
        wanted = f"{count} row numbers of 0 .. {count - 1}"
        raise InputError("E_SHAPE", name, f"{name} must hold {wanted}, got shape {indices.shape}")
    return indices.astype(np.int64)


def _rows(old, new, which, axis, count):
    """The old and the new rows of q (which 0) or k (1), each (count, bytes)."""
    axis, of_sides = checks.integer("axis", axis, 0, 1, code="E_AXIS"), []
    for side, pair in (("old", old), ("new", new)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputTypeError("E_SHAPE", side, f"{side} must be a pair (q, k), got {type(pair).__name__}")
        parts = pair[which] if isinstance(pair[which], (tuple, list)) else (pair[which],)
        parts = [checks.array(side, part) for part in parts]
        shapes = [part.shape for part in parts]
        if not all(part.ndim in (1, 2) and part.shape[axis if part.ndim == 2 else 0] == count for part in parts):
            wanted = f"{'qk'[which]} must have {count} rows"
            raise InputError("E_SHAPE", side, f"{side} {wanted}, got shapes {', '.join(map(str, shapes))}")
        of_sides.append([part.T if axis and part.ndim == 2 else part.reshape(count, -1) for part in parts])
    kinds = [[(part.dtype.str, part.dtype.name, part.shape) for part in parts] for parts in of_sides]
    if kinds[0] != kinds[1]:
        described = [", ".join(f"{name} {shape}" for _, name, shape in kind) for kind in kinds]
        raise InputError("E_DTYPE", "new", f"new must have dtype and shape of old, {described[0]}, got {described[1]}")
    return [np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in parts], axis=1) for parts in of_sides]


def _matched(old, new, right):
    """For each new row the old row it is, the right one if that has the same bits; and how many are none."""
    same = (old[right] == new).all(axis=1)
    if same.all():
        return right, 0
    numbers = {row.tobytes(): number for number, row in reversed(list(enumerate(old)))}
    matches = [right[r] if same[r] else numbers.get(row.tobytes(), -1) for r, row in enumerate(new)]
    return np.array(matches, np.int64), matches.count(-1)
