"""Cosine and sine tables of rotary position encoding."""

from .. import checks, formats, positions as steps, tables
from ..catalogue import register
from ..errors import InputTypeError
from ..frequencies import Frequencies
from ..layouts import as_rows

__all__ = ["rope_table"]


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="one column for each pair of channels",
)
def rope_table(positions, frequencies, *, dtype="float64", out=None, threads=None):
    """Cosine and sine of position times frequency, one column for each pair of channels.

        cos[p, i] = cos(p theta_i),  sin[p, i] = sin(p theta_i)

    positions: an int n (meaning 0 .. n-1) or an array of integers (to 2**53 in size) or finite floats, any shape,
    taken as exactly what they are. frequencies: what `inverse_frequencies` returns.

    Returns (cos, sin), each (*positions.shape, dim/2), every element the exact value rounded once to `dtype`. `out`
    is a pair of arrays that receive them. Frameworks that store each angle twice repeat or tile the columns.

    Raises E_NUMBER when frequencies are no Frequencies, E_POSITION, E_DTYPE, E_OUT, E_TOO_LARGE.

    Source: Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2.

    >>> from refpos import inverse_frequencies
    >>> cos, sin = rope_table(3, inverse_frequencies(4, base=10000), dtype="float32")
    >>> cos
    array([[ 1.        ,  1.        ],
           [ 0.5403023 ,  0.99995   ],
           [-0.41614684,  0.9998    ]], dtype=float32)
    """
    if not isinstance(frequencies, Frequencies):
        raise InputTypeError(
            "E_NUMBER",
            "frequencies",
            f"frequencies must come from inverse_frequencies, got {type(frequencies).__name__}",
        )
    fmt = formats.resolve(dtype)
    where = steps.read(positions)
    if out is None:
        out = None, None
    elif not isinstance(out, (tuple, list)) or len(out) != 2:
        raise InputTypeError("E_OUT", "out", f"out must be a pair (cos, sin) of arrays, got {type(out).__name__}")
    shape = (*where.shape, len(frequencies))
    results, rows, bring_backs = [], [], []
    for array in out:
        result, stored = checks.output(array, shape, fmt, apart_from=results)
        flat, bring_back = as_rows(stored)
        results.append(result), rows.append(flat), bring_backs.append(bring_back)
    tables.fill(*rows, where, frequencies, fmt, threads)
    for bring_back in bring_backs:
        bring_back()
    return tuple(results)
