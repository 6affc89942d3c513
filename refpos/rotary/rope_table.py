"""Cosine and sine tables of rotary position encoding."""

from __future__ import annotations

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputTypeError
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.waves import fast_path
from ..steps.waves.axis_tables import fill_table
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.rotary_arguments import read_token_positions
from ..types import Array, DType, Integer

__all__ = ["rope_table"]


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="one column for each pair of channels",
    outputs=("cos", "sin"),
    also=(
        "cos_sin_cache, freqs_cis, precompute_freqs_cis, rotary table, cos and sin, cos_cached, "
        "reshape_for_broadcast, get_1d_rotary_pos_embed, sin_cached, rope cache"
    ),
)
def rope_table(
    positions: PositionsOfAxes,
    frequencies: Frequencies,
    *,
    dtype: DType = "float64",
    out: tuple[Array, Array] | None = None,
    threads: Integer | None = None,
) -> tuple[Array, Array]:
    """Cosine and sine tables of RoPE: position times frequency, one column for each pair.

        cos[p, i] = a cos(p theta_i),  sin[p, i] = a sin(p theta_i),  a = attention_factor

    Parameters
    ----------
    positions : array_like or sequence of array_like
        An int n (meaning 0 .. n-1) or an array of integers (to 2**53 in size) or finite floats, any shape, taken as
        exactly what they are.
    frequencies : Frequencies
        What `inverse_frequencies`, a scaling or `axial_frequencies` returns. Where they have several axes, positions
        has one array for each, (axes, ...), or is a `grid`, and column i takes p from the axis of theta_i.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : tuple of two ndarrays, optional
        A pair of arrays that receive the results.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    cos, sin : ndarray
        (cos, sin), each (*shape, dim/2) for positions of that shape, every element the exact value rounded once to
        `dtype`.

    Raises
    ------
    InputError
        E_NUMBER when frequencies are no Frequencies, E_SHAPE, E_POSITION, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Frameworks that store each angle twice repeat or tile the columns.

    References
    ----------
    Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2.

    Examples
    --------
    >>> from refpos import inverse_frequencies
    >>> cos, sin = rope_table(3, inverse_frequencies(4, base=10000), dtype="float32")
    >>> cos
    array([[ 1.        ,  1.        ],
           [ 0.5403023 ,  0.99995   ],
           [-0.41614684,  0.9998    ]], dtype=float32)
    """
    if out is None and fast_path.on_one_thread(threads):
        rows = fast_path.table(positions, frequencies, dtype)
        if rows is not None:
            return rows
    checked(frequencies), checks.thread_count(threads)
    fmt = formats.resolve(dtype)
    tokens = read_token_positions(positions, frequencies)
    if out is None:
        out = None, None
    elif not isinstance(out, (tuple, list)) or len(out) != 2:
        raise InputTypeError("E_OUT", "out", f"out must be a pair (cos, sin) of arrays, got {type(out).__name__}")
    results, stored = [], []
    for array in out:
        result, memory = checks.output(array, (*tokens.shape, len(frequencies)), fmt, apart_from=results)
        results.append(result), stored.append(memory)
    fill_table(*stored, tokens, frequencies, fmt, threads)
    return tuple(results)
