"""A table of vectors through a learned projection, for each head."""

from __future__ import annotations

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["project_table"]


@register(
    family="tables",
    paper="Dai et al. 2019, Transformer-XL, arXiv:1901.02860, section 3.3: the key of a position",
    contract="written",
    also="projected position table",
)
def project_table(
    table: ArrayLike,
    weight: ArrayLike,
    *,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Projected position table: every row times the learned matrix of each head (Transformer-XL).

        R[h, t] = weight[h] table[t]

    Parameters
    ----------
    table : array_like
        Shape (rows, width); in Transformer-XL the sinusoids of its distances.
    weight : array_like
        Learned table, shape (heads, dim, width), or (dim, width) for one matrix. nn.Linear keeps (heads dim, width):
        `weight.reshape(heads, dim, width)`; XLNet and Funnel (width, heads, dim): `weight.transpose(1, 2, 0)`.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, rows, dim) or (rows, dim) of class `sequence64`: sums of products in float64 with the channel of
        the table ascending, each operation rounded, then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - Dai et al. 2019, section 3.3, W_kR R.
    - transformers 5.23.0: linear_pos in models/wav2vec2_conformer, r in models/xlnet, r_kernel in models/funnel,
      relative_k_proj in models/parakeet and models/gemma4.

    Examples
    --------
    >>> project_table([[0.0, 1.0], [0.5, 0.25]], [[[2.0, 4.0]], [[1.0, 0.0]]])
    array([[[4. ],
            [2. ]],
    <BLANKLINE>
           [[0. ],
            [0.5]]])
    """
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)
    rows, matrices = read_table(table, weight)
    shape = (*matrices.shape[:-2], len(rows), matrices.shape[-2])
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(table, weight))
    doubles.store(stored, ordered_sums.matmul(rows, matrices.swapaxes(-1, -2), threads), fmt)
    return result


def read_table(table, weight):
    """A table and its matrices as float64."""
    rows, _ = doubles.read("table", table, ("rows", "width"))
    matrices, _ = doubles.read("weight", weight)
    width = rows.shape[1]
    if matrices.ndim not in (2, 3) or matrices.shape[-1] != width:
        sentence = f"weight must be (heads, dim, {width}) or (dim, {width}), as wide as the table"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got shape {matrices.shape}")
    return rows, matrices
