"""Tables of cosines and sines from one layout into another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Union, overload

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..types import Array, ArrayLike, Integer
from .layout import block_widths

# how often a column stands in the table, and how cosine and sine lie beside each other
REPETITIONS = ("", "tiled", "repeated")
PACKINGS = ("", "cos-sin", "sin-cos")
FORMS = {"-".join(filter(None, (packing, repetition))) or "compact": (packing, repetition)
         for packing in PACKINGS for repetition in REPETITIONS}  # fmt: skip
FORMS |= {"complex": ("complex", ""), "matrix": ("matrix", "")}
PARTS = {"complex64": np.float32, "complex128": np.float64}


PairLayout = Literal["compact", "tiled", "repeated"]
ArrayLayout = Literal[
    "cos-sin", "cos-sin-tiled", "cos-sin-repeated", "sin-cos", "sin-cos-tiled", "sin-cos-repeated", "complex", "matrix"
]
TableLayout = Literal[PairLayout, ArrayLayout]
Tables = Union[ArrayLike, tuple[ArrayLike, ArrayLike]]


@overload
def convert_table(
    tables: Tables, source: TableLayout, target: PairLayout, *, blocks: Sequence[Integer] | None = None
) -> tuple[Array, Array]: ...
@overload
def convert_table(
    tables: Tables, source: TableLayout, target: ArrayLayout, *, blocks: Sequence[Integer] | None = None
) -> Array: ...
@guarded
def convert_table(
    tables: Tables, source: TableLayout, target: TableLayout, *, blocks: Sequence[Integer] | None = None
) -> Array | tuple[Array, Array]:
    """Cosines and sines from one table layout into another.

        compact   (cos, sin), one column a pair     tiled   (cos, sin), all columns, then all again
        repeated  (cos, sin), each column twice     complex cos + i sin     matrix  [[cos, -sin], [sin, cos]]
        cos-sin, sin-cos: one array, the two beside each other, plain or -tiled or -repeated

    Parameters
    ----------
    tables : ndarray or pair of ndarrays
        A pair of arrays (..., n) or (..., 2n), or one array: complex (..., n), matrix (..., n, 2, 2), the others (...,
        2n) or (..., 4n). The formats are float64, float32, float16, bfloat16 or patterns in uint16; complex has no 16
        bits.
    source : str
        Layout of tables, as stated above.
    target : str
        Layout of the result, as stated above.
    blocks : sequence of int, optional
        Even widths in channels, each tiled within itself (Gemma 4 vision: [f0, f0, f1, f1]), for tiled layouts.

    Returns
    -------
    ndarray or pair of ndarrays
        The same in the other layout: a pair for compact, tiled and repeated, else one array.

    Raises
    ------
    InputError
        E_CHOICE for an unknown layout and for tables that are not in the one named (columns that should be equal
        differ; the message says where, and which layout would fit), E_SHAPE, E_DTYPE.

    Notes
    -----
    Bits are only moved; the matrix has sines with the sign bit flipped.

    References
    ----------
    - compact: refpos, gpt-oss.
    - tiled: transformers, models/llama.
    - repeated: models/cohere.
    - sin-cos: models/gptj.
    - complex: Meta's Llama, models/deepseek_v2.
    - matrix: Flux, models/pe_audio; sin-cos-repeated: timm.

    Examples
    --------
    >>> cos, sin = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> convert_table((cos, sin), "compact", "tiled")
    (array([[1., 2., 1., 2.]]), array([[3., 4., 3., 4.]]))
    >>> convert_table((cos, sin), "compact", "sin-cos")
    array([[3., 4., 1., 2.]])
    >>> convert_table((cos, sin), "compact", "complex")
    array([[1.+3.j, 2.+4.j]])
    """
    checks.choice("source", source, FORMS), checks.choice("target", target, FORMS)
    (packing, repetition), (to_packing, to_repetition) = FORMS[source], FORMS[target]
    if blocks is not None and "tiled" not in (repetition, to_repetition):
        raise InputError("E_CHOICE", "blocks", f"blocks must go with a tiled layout, got {source!r} and {target!r}")
    pair = _unpacked(tables, packing, source)
    width = pair[0].shape[-1] if repetition else 2 * pair[0].shape[-1]
    if width % 2:
        raise InputError("E_SHAPE", "tables", f"tables of layout {source!r} must have an even width, got {width}")
    blocks = (width,) if blocks is None else block_widths(blocks, width)
    once = tuple(_once(array, name, repetition, source, blocks) for array, name in zip(pair, ("cos", "sin")))
    if to_repetition:
        once = tuple(np.take(array, _repeated_columns(to_repetition, blocks), -1) for array in once)
    return _packed(*once, to_packing)


def _repeated_columns(repetition, blocks):
    """The column of the compact table that each column of a table with repetition holds."""
    if repetition == "repeated":
        return np.repeat(np.arange(sum(blocks) // 2, dtype=np.int64), 2)
    counts = [block // 2 for block in blocks]
    starts = np.cumsum([0, *counts], dtype=np.int64)
    return np.concatenate([np.tile(np.arange(start, start + n, dtype=np.int64), 2) for start, n in zip(starts, counts)])


def _once(array, name, repetition, source, blocks):
    """Each column of a table once; refuses one whose equal columns differ."""
    if not repetition:
        return array
    columns = _repeated_columns(repetition, blocks)
    _, first_columns = np.unique(columns, return_index=True)
    once = np.take(array, first_columns, -1)
    differs = _bits(np.take(once, columns, -1)) != _bits(array)
    if differs.any():
        at = tuple(int(k) for k in np.argwhere(differs)[0])
        twin = (*at[:-1], int(first_columns[columns[at[-1]]]))
        others = [other for other in REPETITIONS[1:] if other != repetition]
        fits = [other for other in others if _fits(array, _repeated_columns(other, blocks))]
        hint = f"; its columns are {fits[0]}" if fits else ""
        raise InputError(
            "E_CHOICE",
            "source",
            f"source must be the layout of tables: in {source!r} {name} at {twin} and {at} are equal, got "
            f"{array[twin]} and {array[at]}{hint}",
        )
    return once


def _fits(array, columns):
    _, first_columns = np.unique(columns, return_index=True)
    return bool((_bits(np.take(np.take(array, first_columns, -1), columns, -1)) == _bits(array)).all())


def _unpacked(tables, packing, source):
    """The arrays (cos, sin) of a packed table."""
    if packing == "":
        if not isinstance(tables, (tuple, list)) or len(tables) != 2:
            kind = type(tables).__name__
            raise InputTypeError("E_SHAPE", "tables", f"tables of layout {source!r} must be (cos, sin), got {kind}")
        cos, sin = map(_real, tables)
        if cos.shape != sin.shape or cos.dtype != sin.dtype or not cos.ndim:
            shapes = f"{cos.shape} {cos.dtype} and {sin.shape} {sin.dtype}"
            raise InputError("E_SHAPE", "tables", f"cos and sin must have one shape (..., n) and dtype, got {shapes}")
        return cos, sin
    if isinstance(tables, (tuple, list)):
        raise InputTypeError("E_SHAPE", "tables", f"tables of layout {source!r} must be one array, got a pair")
    if packing == "complex":
        array = checks.array("tables", tables)
        if array.dtype.name not in PARTS or not array.ndim:
            kinds = " or ".join(PARTS)
            raise InputTypeError("E_DTYPE", "tables", f"tables must be an array of {kinds}, got {array.dtype}")
        return array.real.copy(), array.imag.copy()
    array = _real(tables)
    if packing == "matrix":
        return _from_matrices(array)
    if not array.ndim or array.shape[-1] % 2:
        raise InputError("E_SHAPE", "tables", f"tables of layout {source!r} must be (..., 2n), got {array.shape}")
    parts = np.split(array, 2, -1)
    return tuple(parts if packing == "cos-sin" else parts[::-1])


def _from_matrices(array):
    if array.shape[-2:] != (2, 2) or array.ndim < 3:
        raise InputError("E_SHAPE", "tables", f"tables of layout 'matrix' must be (..., n, 2, 2), got {array.shape}")
    (cos, minus), (sin, again) = ((array[..., i, 0], array[..., i, 1]) for i in (0, 1))
    differs = (_bits(cos) != _bits(again)) | (_bits(_negative(sin)) != _bits(minus))
    if differs.any():
        at = tuple(int(k) for k in np.argwhere(differs)[0])
        raise InputError(
            "E_CHOICE",
            "source",
            f"source must be the layout of tables: a 'matrix' is [[cos, -sin], [sin, cos]], got {array[at].tolist()}"
            f" at {at}",
        )
    return cos.copy(), sin.copy()


def _packed(cos, sin, packing):
    if packing == "":
        return cos, sin
    if packing == "complex":
        kinds = {np.dtype(part): kind for kind, part in PARTS.items()}
        kind = kinds.get(cos.dtype.newbyteorder("="))
        if kind is None:
            wanted = "float32 or float64 for a complex layout"
            raise InputTypeError("E_DTYPE", "tables", f"tables must have dtype {wanted}, got {cos.dtype}")
        result = np.empty(cos.shape, kind)
        result.real, result.imag = cos, sin
        return result
    if packing == "matrix":
        result = np.empty((*cos.shape, 2, 2), cos.dtype)
        result[..., 0, 0] = result[..., 1, 1] = cos
        result[..., 1, 0], result[..., 0, 1] = sin, _negative(sin)
        return result
    return np.concatenate((cos, sin) if packing == "cos-sin" else (sin, cos), -1)


def _real(array):
    array = checks.array("tables", array)
    if formats.of_array(array) is None and array.dtype != np.uint16:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", "tables", f"tables must have dtype {known}, or patterns, got {array.dtype}")
    return array


def _bits(array):
    return np.ascontiguousarray(array).view(f"{array.dtype.byteorder.replace('|', '=')}u{array.dtype.itemsize}")


def _negative(array):
    """The array with every sign bit flipped, in native byte order."""
    flipped = _bits(array) ^ np.array(1 << 8 * array.dtype.itemsize - 1, f"u{array.dtype.itemsize}")
    return flipped.astype(flipped.dtype.newbyteorder("=")).view(array.dtype.newbyteorder("="))
