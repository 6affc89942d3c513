"""Reading: what an array of somebody's numbers is, measured from the numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Union

from .. import catalogue
from ..errors import InputError, InputTypeError, nearest, shown
from ..guard import guarded
from ..public import dotted
from ..tensor_files import Tensor
from ..types import ArrayLike
from .copies.read_copies import BIASES, INDICES, read_bias, read_index, read_vectors
from .copies.read_learned import LEARNED, read_learned
from .held_format import held, narrowed
from .linear_bias import SLOPED, read_slopes
from .named_inputs import named_inputs
from .read_positions import POSITIONS, read_positions
from .reading_result import Reading
from .resizing.linear_maps import MAPS
from .rotary_tables import read_table
from .rotated import read_rotation
from .scoring.read_scores import read_scores
from .scoring.score_parts import PARTS
from .wave_tables import FUNCTIONS, read_wave_table

#: functions whose numbers can be read
READ = ("rope", "rope_table", *FUNCTIONS, *BIASES, *INDICES, *LEARNED, *SLOPED, *POSITIONS, *PARTS, *MAPS)
#: those whose numbers are copies of a table, which is then needed
OF_TABLE = (*BIASES, *LEARNED)
NEAREST = 3  # functions that a refusal names


@guarded
def read(
    y: Union[ArrayLike, Tensor, Sequence[Any], Mapping[str, Any]],
    function: Callable[..., Any],
    /,
    *inputs: Any,
    **named: Any,
) -> Reading:
    """Measure what numbers are: frequencies, positions, rows, slopes, coefficients or weights, and the call of them.

    Parameters
    ----------
    y : array_like, or tuple or dict of two
        Numbers of any program: rotated queries or keys, (..., seq, dim) or (..., seq, heads, dim); of a rotary table
        (cos, sin) or one array, complex, of shape (..., pairs, 2) or with cosines beside sines, in any layout of
        `conversion.convert_table`; a table of sines and cosines, (..., dim); a bias, (..., heads, queries, keys) or
        (queries, keys, heads); vectors of relative positions, (..., queries, keys, dim); rows of a learned table,
        (..., n, dim); slopes, (heads,); scores or weights, (..., heads, queries, keys), or an output of attention; a
        learned table at another size, (..., channels). float64, float32, float16 or bfloat16, also as bit patterns in
        uint16. Row numbers, (..., queries, keys), and position ids, (..., n), are integers.
    function : callable
        What they are numbers of: refpos.rope, refpos.rope_table, a table of sines and cosines (refpos.sinusoidal,
        refpos.timestep_embedding, refpos.sincos_2d, refpos.sincos_3d, refpos.absolute.sincos_grid), a bias or rows
        from a table (refpos.t5_bias, refpos.relative_bias, refpos.window_bias, refpos.learned,
        refpos.tables.tile_table), the rows themselves (refpos.t5_buckets and log_buckets, relative_rows, window_rows,
        irpe_rows of refpos.relative), a linear bias (refpos.alibi, refpos.alibi_slopes, refpos.relative.kerple,
        refpos.relative.decay), position ids (packed_positions, table_rows, attention_mask_positions, grid_positions
        of refpos.positions), scores (refpos.attention, refpos.scores.xl_scores, deberta_scores or relative_scores), or
        a table at another size (refpos.resize_table, refpos.tables.resize_bias or mean_of_rows). Where another function
        of its kind has the numbers, the call of that one is found.
    *inputs : array_like
        What they were made of, in the order in which the function takes it. Of refpos.rope x, of the shape of y; of
        copies the table, (rows, heads), (rows, dim) or of cells (height, width, dim), without which y of t5_buckets,
        log_buckets, relative_rows, window_rows and irpe_rows are row numbers.
    **named : array_like or number or str
        The same by name, and other arguments that were meant, such as scale, causal or grid. Of attention the arguments
        of refpos.rope too, where q and k are rotated in it; of the other scores k, mask, causal and outputs.

    Returns
    -------
    Reading
        The measurement: `pairs`, `gains`, `frequencies`, `positions`, `rows`, `slopes`, `coefficients`, and `call` with
        `met` where a call of refpos has these numbers; str() is the report.

    Raises
    ------
    InputError
        E_CHOICE for a function that is not read and for inputs that it does not take, E_MISSING for an input that it
        needs and for arrays without numbers, E_SHAPE and E_DTYPE for arrays of another kind, E_TOO_LARGE for more than
        2**24 scores, and what the function itself raises.

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

    Copies are found by equality: of a bias the vector over the heads is a row of the table, as it is, transposed,
    rounded to a narrower format, times a factor, or with its columns in another order. Rules of these rows are tried:
    clipped distances, the buckets of T5 and DeBERTa, windows and iRPE. A call is printed where it has three quarters
    of the elements at least; the others are listed.
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
        received = name if isinstance(name, str) else shown(function)
        raise InputTypeError("E_CHOICE", "function", f"function must be {_known(received)}, got {received}")
    if name in PARTS or name in MAPS:
        return _of_inputs(y, name, named_inputs(name, inputs, named))
    return _reader(name, _x_alone(name, inputs, named))(y)


def _known(received):
    """The functions that are read, in words: those with a name like the one received, or of its family, first."""
    entry = catalogue.ENTRIES.get(received)
    family = [name for name in READ if entry is not None and catalogue.find(name).family == entry.family]
    near = dict.fromkeys([*nearest(received, READ), *family])
    told = ", ".join([dotted(name) for name in near][:NEAREST] or ["refpos.rope"])
    return f"one that is read ({told}, ..; help(refpos.read) lists all {len(READ)})"


def _reader(name, x):
    """What makes the `Reading` of y."""
    if name == "rope":
        return lambda y: _rotation(y, x)
    if name == "rope_table":
        return read_table
    for names, reader in ((BIASES, read_bias), (LEARNED, read_learned), (INDICES, read_vectors)):
        if name in names and x is not None:
            return partial(reader, table=x, name=name)
    readers = ((INDICES, read_index), (SLOPED, read_slopes), (POSITIONS, read_positions), (FUNCTIONS, read_wave_table))
    return next(partial(reader, name=name) for names, reader in readers if name in names)


def _of_inputs(y, name, inputs):
    """The reading of numbers that are made of inputs."""
    y = held(y, "y")
    if len(y.shape) < 2 or not y.tensor.values.size:
        raise InputError("E_SHAPE", "y", f"y must have at least two axes and one number, got the shape {y.shape}")
    y = narrowed(y, "y")
    return read_scores(y, name, inputs) if name in PARTS else MAPS[name](y, inputs)


def _x_alone(name, inputs, named):
    """What was rotated, or the table of which numbers are copies; None for functions that take neither."""
    others = [key for key in named if key != "x"]
    if others or len(inputs) + len(named) > 1:
        got = others[0] if others else f"{len(inputs) + len(named)} arrays"
        raise InputTypeError("E_CHOICE", "inputs", f"inputs of {dotted(name)} must be x alone, got {got}")
    x = inputs[0] if inputs else named.get("x")
    if x is None and name in ("rope", *OF_TABLE):
        what = "what was rotated" if name == "rope" else "the table"
        raise InputError("E_MISSING", "x", f"x must be {what} for {dotted(name)}, got none")
    if x is not None and name not in ("rope", *OF_TABLE, *INDICES):
        raise InputError("E_CHOICE", "x", f"x must be left out for {dotted(name)}, got {shown(x)}")
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
