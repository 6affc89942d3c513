"""Adding a table to embeddings."""

from __future__ import annotations

import math

import numpy as np

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError, shown
from ..kernels.threads import for_blocks
from ..steps.rows import addition
from ..steps.rows.gather import read_index, read_table
from ..steps.rows.learned_tables import floats
from ..steps.waves.rotary_arguments import read_channels, result_like
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["add"]

BLOCK = 1 << 15  # elements that are added at a time, so that they stay in the cache


@register(
    family="absolute",
    paper="Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5",
    conventions="the exact sum rounded once; programs round the table to the format of x before",
    also="add position embeddings",
)
def add(
    x: ArrayLike,
    table: ArrayLike,
    *,
    scale: Number = 1,
    squared_scale: Number | None = None,
    x_scale: Number = 1,
    squared_x_scale: Number | None = None,
    prefix: Integer = 0,
    at: ArrayLike | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Embeddings plus a table of positions, the exact sum rounded once.

        y[..., k + i, :] = x_scale * x[..., k + i, :] + scale * table[at[i]],   k = prefix,   at[i] = i by default

    Parameters
    ----------
    x : array_like
        Shape (..., tokens, dim), of float64, float32, float16 or bfloat16 (or uint16 patterns with dtype="bfloat16").
    table : array_like
        Shape (rows, dim), of any of the four formats, also another than x; uint16 are bfloat16 patterns.
    scale : float or Fraction, default 1
        Factor of the table: any number, taken as exactly what it is.
    squared_scale : float or Fraction, optional
        Square of the factor of the table, in place of scale, for a factor that is a root, as 512 for sqrt(512).
    x_scale : float or Fraction, default 1
        Factor of x: any number, taken as exactly what it is.
    squared_x_scale : float or Fraction, optional
        Square of the factor of x, in place of x_scale.
    prefix : int, default 0
        Number of first tokens (class, registers) that stay as they are, bit for bit.
    at : array_like, optional
        The row of each token behind the prefix, integers (tokens,) or with the leading axes of x or 1.
    dtype : str or dtype, optional
        Format of the result, by default that of x: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result; it may be x itself.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and the format of x. Each element is the exact value of the formula rounded once, -0 where
        both products are -0; with an infinity or NaN it is what IEEE arithmetic gives, and every NaN that is computed
        is the positive quiet one.

    Raises
    ------
    InputError
        E_SHAPE (more tokens than rows, another width), E_NUMBER (at beyond the table, a factor), E_SIZE (prefix),
        E_DTYPE, E_OUT.

    Notes
    -----
    Programs give other values: they first round the table to the format of x, and then the sum; in bfloat16, of numbers
    as large as the table, that is off in about one element of four.

    References
    ----------
    - Vaswani et al. 2017.
    - sqrt(dim) times x: transformers, models/marian/modeling_marian.py and models/ctrl/modeling_ctrl.py.
    - a learned factor on the table: models/speecht5/modeling_speecht5.py, SpeechT5ScaledPositionalEncoding; dim**(-1/2)
      on it: x-transformers, ScaledSinusoidalEmbedding.

    Examples
    --------
    >>> add(np.ones((1, 2, 2), np.float32), np.array([[0.0, 1.0], [0.25, 0.5]]), scale=2)
    array([[[1. , 3. ],
            [1.5, 2. ]]], dtype=float32)
    """
    x, fmt = read_channels(x, dtype)
    rows = read_table("table", table, ("rows", "dim"))
    of_x = addition.Term(fmt, number_or_root("x_scale", x_scale, squared_x_scale))
    of_table = addition.Term(floats(rows.fmt), number_or_root("scale", scale, squared_scale))
    skipped, index = _which_rows(x, rows, prefix, at)
    checks.thread_count(threads)
    result, stored = result_like(x, out, fmt)
    if out is not None and np.shares_memory(out, rows.patterns):
        raise InputError("E_OUT", "out", "out must not overlap table, got an array that shares memory with it")
    source = formats.storage(x, fmt).reshape(math.prod(x.shape[:-2]), *x.shape[-2:])
    target = stored.reshape(source.shape)
    _copy(target[:, :skipped], source[:, :skipped])
    weight = rows.patterns.view(of_table.fmt.storage)
    _fill(target[:, skipped:], source[:, skipped:], weight, index, of_x, of_table, threads)
    if not np.shares_memory(target, stored):
        stored[...] = target.reshape(stored.shape)
    return result


def number_or_root(name, scale, square):
    """A number, or the root of one in its place, as a `Real`."""
    number = checks.real(name, scale)
    if square is None:
        return reals.rational(number)
    if number != 1:
        raise InputError("E_NUMBER", name, f"{name} must be left out where squared_{name} is given, got {shown(scale)}")
    return reals.square_root(checks.positive(f"squared_{name}", square))


def _which_rows(x, table, prefix, at):
    """(tokens of the prefix, the row of each other token or None for the first ones, in order)."""
    if x.ndim < 2 or x.shape[-1] != table.shape[1]:
        sentence = f"x must have shape (..., tokens, {table.shape[1]}), as wide as table, got {x.shape}"
        raise InputError("E_SHAPE", "x", sentence)
    prefix = checks.integer("prefix", prefix, 0, x.shape[-2])
    tokens, rows = x.shape[-2] - prefix, table.shape[0]
    if at is None:
        if tokens > rows:
            raise InputError("E_SHAPE", "table", f"table must have a row for each of {tokens} tokens, got {rows}")
        return prefix, None
    index = read_index("at", at, rows)
    shape = (*x.shape[:-2], tokens)
    trailing = shape[len(shape) - index.ndim :] if 0 < index.ndim <= len(shape) else (-1,)
    if index.shape[-1:] != (tokens,) or any(n not in (1, m) for n, m in zip(index.shape, trailing)):
        raise InputError("E_SHAPE", "at", f"at must have a shape that broadcasts to {shape}, got {index.shape}")
    return prefix, index if index.ndim == 1 else np.broadcast_to(index, shape).reshape(-1, tokens)


def _copy(target, source):
    """Copy bits, so that no NaN changes."""
    bits = np.dtype(f"u{source.itemsize}")
    formats.bits(target)[...] = source.view(bits if source.dtype.isnative else bits.newbyteorder())


def _fill(target, source, weight, index, of_x, of_table, threads):
    """The sums of all blocks: several sequences, or some tokens of one."""
    if not target.size:
        return
    batch, tokens, dim = target.shape
    together = max(1, BLOCK // (tokens * dim))
    rows = tokens if together > 1 else max(1, BLOCK // dim)
    corners = [(k, row) for k in range(0, batch, together) for row in range(0, tokens, rows)]

    def work(start, stop):
        for k, row in corners[start:stop]:
            at = slice(k, k + together), slice(row, row + rows)
            if index is None:
                chosen = weight[:tokens][at[1]]
            else:
                chosen = weight[index[at[1]] if index.ndim == 1 else index[at]]
            addition.fill(target[at], source[at], chosen, of_x, of_table)

    for_blocks(work, len(corners), 1, threads)
