"""What the rotary operators share: the axes of their x, their caches by position, and the rotation by them."""

from __future__ import annotations

import numpy as np

from .. import checks, foreign
from ..arithmetic import formats
from ..arithmetic.formats import Format
from ..errors import InputError
from ..steps.rows import doubles, gather, learned_tables
from ..steps.waves import table_rotation
from ..steps.waves.rotary_arguments import read_channels, result_like
from ..types import Array, ArrayLike, DType


def read_attribute(name: str, value: object) -> int:
    """An attribute of the operator that is 0 or 1."""
    return checks.integer(name, value, 0, 1, "E_CHOICE")


def read_input(x: ArrayLike, dtype: DType | None) -> tuple[np.ndarray, Format]:
    """x of three or four axes, and its format."""
    x, fmt = read_channels(x, dtype)
    if x.ndim not in (3, 4):
        known = "(batch, seq, heads * head_size) or (batch, heads, seq, head_size)"
        raise InputError("E_SHAPE", "x", f"x must be {known}, got shape {x.shape}")
    return x, fmt


def read_any(name: str, value: ArrayLike) -> tuple[np.ndarray, Format]:
    """An array of floats, of which uint16 are bit patterns of bfloat16, and its format."""
    array, kind = foreign.read(name, value)
    return read_channels(value, "bfloat16" if kind is None and array.dtype == np.uint16 else None, name)


def heads_of(x: np.ndarray, num_heads: int) -> int:
    """The number of heads, which an x of four axes has itself."""
    if x.ndim == 4:
        return x.shape[1]
    if not num_heads:
        raise InputError("E_MISSING", "num_heads", "num_heads must be given for an x of three axes, got 0")
    if x.shape[2] % num_heads:
        sentence = f"num_heads must divide the {x.shape[2]} channels of x, got {num_heads}"
        raise InputError("E_SHAPE", "num_heads", sentence)
    return num_heads


def read_caches(cos_cache: ArrayLike, sin_cache: ArrayLike, axes: tuple[str, ...]) -> table_rotation.Tables:
    """The caches, of one shape and one format."""
    (cos, fmt), (sin, other) = (
        doubles.read(name, cache, axes) for name, cache in (("cos_cache", cos_cache), ("sin_cache", sin_cache))
    )
    if sin.shape != cos.shape:
        raise InputError("E_SHAPE", "sin_cache", f"sin_cache must be {cos.shape}, as cos_cache, got shape {sin.shape}")
    if other.name != fmt.name:
        raise InputError(
            "E_DTYPE", "sin_cache", f"sin_cache must have the dtype of cos_cache, got another: {other.name}"
        )
    return table_rotation.Tables(cos, sin, learned_tables.floats(fmt))


def at_positions(tables: table_rotation.Tables, position_ids: np.ndarray) -> table_rotation.Tables:
    """The rows of the caches (rows, half) at the positions (batch, seq)."""
    rows = gather.read_index("position_ids", position_ids, len(tables.cos))
    return tables._replace(cos=tables.cos[rows], sin=tables.sin[rows])


def check_width(tables: table_rotation.Tables, head_size: int, rotary_embedding_dim: int) -> None:
    """Refuse a rotated width that is odd, larger than a head or not twice that of the caches."""
    if head_size % 2:
        raise InputError("E_ODD_DIM", "x", f"x must have heads of an even size, got {head_size}")
    if rotary_embedding_dim % 2:
        sentence = f"rotary_embedding_dim must be even, got {rotary_embedding_dim}"
        raise InputError("E_ODD_DIM", "rotary_embedding_dim", sentence)
    if rotary_embedding_dim > head_size:
        sentence = f"rotary_embedding_dim must be at most the {head_size} channels of a head"
        raise InputError("E_ROTARY_DIM", "rotary_embedding_dim", f"{sentence}, got {rotary_embedding_dim}")
    half = (rotary_embedding_dim or head_size) // 2
    if tables.cos.shape[-1] != half:
        sentence = f"cos_cache must have {half} columns, half of the rotated channels, got {tables.cos.shape[-1]}"
        raise InputError("E_SHAPE", "cos_cache", sentence)


def rotated(
    x: np.ndarray,
    fmt: Format,
    heads: int,
    tables: table_rotation.Tables,
    interleaved: int,
    out: Array | None,
    caches: tuple[ArrayLike, ArrayLike],
) -> Array:
    """x with its heads rotated by the tables (batch, seq, half), in the axes of x."""
    result, stored = result_like(x, out, fmt)
    if out is not None and any(np.shares_memory(out, cache) for cache in doubles.arrays(*caches)):
        raise InputError("E_OUT", "out", "out must not overlap a cache, got an array that shares memory with one")
    if x.size:
        pairing = "interleaved" if interleaved else "half"
        source, target = (by_token(array, heads) for array in (formats.storage(x, fmt), stored))
        table_rotation.rotate(source, target, tables, pairing, fmt)
    return result


def by_token(array: np.ndarray, heads: int) -> np.ndarray:
    """(batch, heads, seq, head_size) or (batch, seq, heads * head_size) as (batch, seq, heads, head_size)."""
    if array.ndim == 4:
        return array.swapaxes(1, 2)
    batch, seq, width = array.shape
    return array.reshape(batch, seq, heads, width // heads)
