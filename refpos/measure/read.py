"""Reading: what an array of somebody's numbers is, measured from the numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from .. import catalogue
from ..errors import InputError, InputTypeError, shown
from ..guard import guarded
from ..public import dotted
from ..tensor_files import Tensor
from ..types import ArrayLike
from .held_format import held, narrowed
from .named_inputs import named_inputs
from .reading_result import Reading
from .resizing.linear_maps import MAPS
from .rotary_tables import read_table
from .rotated import read_rotation
from .scoring.read_scores import read_scores
from .scoring.score_parts import PARTS
from .wave_tables import FUNCTIONS, read_wave_table

#: functions whose numbers can be read
READ = ("rope", "rope_table", *FUNCTIONS, *PARTS, *MAPS)


@guarded
def read(
    y: Union[ArrayLike, Tensor, Sequence[Any], Mapping[str, Any]],
    function: Callable[..., Any],
    /,
    *inputs: Any,
    **named: Any,
) -> Reading:
    """Measure what numbers are: frequencies, positions, coefficients or weights, and the call that gives them.

    Parameters
    ----------
    y : array_like, or tuple or dict of two
        Numbers of any program: rotated queries or keys, (..., seq, dim) or (..., seq, heads, dim); of a rotary table
        (cos, sin) or one array, complex, of shape (..., pairs, 2) or with cosines beside sines, in any layout of
        `conversion.convert_table`; a table of sines and cosines, (..., dim); scores or weights, (..., heads, queries,
        keys), or an output of attention; a learned table at another size, (..., channels). float64, float32, float16 or
        bfloat16, also as bit patterns in uint16.
    function : callable
        What they are numbers of: refpos.rope, refpos.rope_table, refpos.sinusoidal, refpos.timestep_embedding,
        refpos.sincos_2d, refpos.sincos_3d or refpos.absolute.sincos_grid, of which five the call of another one is
        found as well; refpos.attention, refpos.scores.xl_scores, deberta_scores or relative_scores;
        refpos.resize_table, refpos.tables.resize_bias or mean_of_rows.
    *inputs : array_like
        What they were made of, in the order in which the function takes it: of refpos.rope x, of the shape of y.
    **named : array_like or number or str
        The same by name, and other arguments that were meant, such as scale, causal or grid. Of attention the arguments
        of refpos.rope too, where q and k are rotated in it; of the other scores k, mask, causal and outputs.

    Returns
    -------
    Reading
        The measurement: `pairs`, `gains`, `frequencies`, `positions`, `coefficients`, and `call` with `met` where a
        call of refpos has these numbers; str() is the report.

    Raises
    ------
    InputError
        E_CHOICE for a function that is not read and for inputs that it does not take, E_MISSING for an input that it
        needs and for arrays without numbers, E_SHAPE and E_DTYPE for arrays that are no rotation, table or scores,
        E_TOO_LARGE for more than 2**24 scores, and what the function itself raises.

    Notes
    -----
    Nothing is said of what was meant. Pairs are those of channels whose sum of squares the rotation keeps; frequencies
    are angles per row, known over longer and longer distances; positions follow from slow pairs to fast ones. Rules
    that fit are tried, known bases and scalings first, and a call is printed only where its values lie within the
    error bounds of the numbers, in one class at half of the rows at least. The other rows, heads and batch rows are
    listed, and read by themselves.

    Frequencies and positions are known up to one common factor: positions in steps of 1/4 are those of frequencies
    divided by 4.

    Of a table of sines and cosines the layout is the one whose pairs have one sum of squares; where there is none,
    frequencies are measured column by column. A grid is read axis by axis. The bounds of a grid are those of the
    table of each axis, of which it holds copies.

    Scores are sums of known parts, such as q.k, u.k and the bias: coefficients are those of least squares, rounded to
    a known number within their errors. Programs may put inputs together in other ways, with heads tiled or rows
    transposed; the way that leaves least is told. Of weights the logarithms are solved; of outputs known coefficients
    and masks are tried. Kernels of tables are tried, and where none has the numbers, the weights of each axis are
    solved.

    Arrays whose numbers are all values of a narrower format are judged in that format. Wider numbers that lie within
    the bounds of 16-bit tables alone are given a call for a base of published models at successive positions only.

    Examples
    --------
    >>> import numpy as np, refpos
    >>> x = np.linspace(-1, 1, 80, dtype=np.float32).reshape(10, 8)
    >>> found = read(refpos.rope(x, np.arange(5, 15), pairing="half", base=500000), refpos.rope, x)
    >>> found.call, found.met
    ("refpos.rope(x, np.arange(5, 15), pairing='half', base=500000)", 'correct')
    >>> q = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> print(read(q @ q.T, refpos.attention, q, q))
    scores of 1 head, 3 queries, 3 keys: q.k 1 (asked 1/sqrt(2))
      refpos.attention(q, k, None, scale=1, outputs='scores', dtype='float64')
      correctly rounded at all 9 elements
    """
    name = catalogue.name_of(function)
    if name not in READ or catalogue.ENTRIES[name].function is not function:
        *first, last = (dotted(one) for one in READ)
        known = f"{', '.join(first)} or {last}"
        received = name if isinstance(name, str) else shown(function)
        raise InputTypeError("E_CHOICE", "function", f"function must be {known}, got {received}")
    if name in PARTS or name in MAPS:
        return _of_inputs(y, name, named_inputs(name, inputs, named))
    x = _rotated(name, inputs, named)
    if name != "rope":
        return read_table(y) if name == "rope_table" else read_wave_table(y, name)
    return _rotation(y, x)


def _of_inputs(y, name, inputs):
    """The reading of numbers that are made of inputs."""
    y = held(y, "y")
    if len(y.shape) < 2 or not y.tensor.values.size:
        raise InputError("E_SHAPE", "y", f"y must have at least two axes and one number, got the shape {y.shape}")
    y = narrowed(y, "y")
    return read_scores(y, name, inputs) if name in PARTS else MAPS[name](y, inputs)


def _rotated(name, inputs, named):
    """What was rotated, which rope alone takes, and needs."""
    others = [key for key in named if key != "x"]
    if others or len(inputs) + len(named) > 1:
        got = others[0] if others else f"{len(inputs) + len(named)} arrays"
        raise InputTypeError("E_CHOICE", "inputs", f"inputs of {dotted(name)} must be x alone, got {got}")
    x = inputs[0] if inputs else named.get("x")
    if name == "rope" and x is None:
        raise InputError("E_MISSING", "x", "x must be given for refpos.rope, got none")
    if name != "rope" and x is not None:
        raise InputError("E_CHOICE", "x", f"x must be given for refpos.rope alone, got it for {dotted(name)}")
    return x


def _rotation(y, x):
    y, x = held(y, "y"), held(x, "x")
    if y.shape != x.shape:
        raise InputError("E_SHAPE", "x", f"x must have the shape {y.shape} of y, got {x.shape}")
    if len(y.shape) < 2 or y.shape[-1] < 2:
        raise InputError("E_SHAPE", "y", f"y must have the shape (.., seq, dim) with dim at least 2, got {y.shape}")
    if not y.tensor.values.size:
        raise InputError("E_MISSING", "y", f"y must have at least one number, got the shape {y.shape}")
    return read_rotation(narrowed(y, "y"), narrowed(x, "x"))
