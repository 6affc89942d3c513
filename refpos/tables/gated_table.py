"""A learned table times a learned gate."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import elementary
from ..catalogue import register
from ..errors import InputError
from ..kernels.threads import for_blocks
from ..steps.rows import doubles, gather, learned_tables
from ..steps.scores import ordered_sums
from ..steps.waves import tables
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["gated_table"]

BLOCK = 1 << 16  # products that are made at a time


@register(
    family="tables",
    paper="Llama team 2024, The Llama 3 Herd of Models, arXiv:2407.21783, section 7: its vision encoder",
    conventions="complement: the gate is 1 - tanh g, else tanh g",
    contract="written",
    also="gated position embedding",
)
def gated_table(
    weight: ArrayLike,
    gate: ArrayLike,
    *,
    complement: bool,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """A learned table times the tanh of a gate, or times 1 minus it (Llama 3.2 Vision).

        E = (1 - tanh g) weight   where `complement` is true,   E = tanh(g) weight   where it is not

    Parameters
    ----------
    weight : array_like
        Of any shape: the patches of a tile with `complement`, those of all tiles without, as Mllama adds both.
    gate : array_like
        One learned number, an array of one entry or a finite number.
    complement : bool
        Whether the weight is multiplied by 1 minus the tanh of the gate, and not by the tanh.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape of weight in `dtype` or that of weight, of class `sequence64`: the hyperbolic tangent, the
        difference and the product are each rounded to float64, and the result once to its dtype.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_NUMBER (gate), E_CHOICE (complement), E_OUT, E_TOO_LARGE.

    Notes
    -----
    A weight or gate of uint16 is read as bit patterns of bfloat16.

    At g = 0 the complement is the table itself. A product that is 0 has the sign of IEEE 754, so that a 0 of either
    factor may give -0.

    References
    ----------
    Transformers 5.23.0, models/mllama/modeling_mllama.py, MllamaPrecomputedPositionEmbedding.

    Examples
    --------
    >>> import numpy as np
    >>> gated_table(np.array([[1.0, -2.0]]), 0.0, complement=True)
    array([[ 1., -2.]])
    """
    checks.thread_count(threads)
    table = doubles.read_table("weight", weight)
    g, complement = read_gate(gate), checks.flag("complement", complement)
    fmt = learned_tables.result_format(table, dtype)
    result, stored = checks.output(out, table.shape, fmt, apart_from=doubles.arrays(weight, gate))
    factor = elementary.tanh(np.array(g))
    factor = 1 - factor if complement else factor

    def work(start, stop):
        with np.errstate(all="ignore"):
            products = ordered_sums.canonical(factor * learned_tables.values(cells.part(slice(start, stop))))
        doubles.store(rows[start:stop], products, fmt)

    with tables.rows_of(np.atleast_2d(stored)) as rows:
        cells = gather.Table(table.patterns.reshape(rows.shape), table.fmt)
        for_blocks(work, len(rows), max(1, BLOCK // max(1, rows.shape[1])), threads)
    return result


def read_gate(gate):
    """The one number of the argument `gate`, as float64."""
    if np.isscalar(gate):
        return doubles.number("gate", gate)
    values, _ = doubles.read("gate", gate)
    if values.size != 1:
        raise InputError("E_SHAPE", "gate", f"gate must have one entry, got shape {values.shape}")
    return float(values.reshape(()))
