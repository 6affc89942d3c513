"""Results of the catalogue as Dask arrays, whose blocks are computed where and when they are needed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from .. import catalogue, checks, foreign
from ..errors import InputError, InputTypeError, shown
from ..guard import guarded
from .carried import Carried, token
from .cuts import RULES, is_dask
from .need import need

MOST_BLOCKS = 2**20


@guarded
def lazy(function: Callable[..., Any], *arguments: Any, chunks: Any = None, **options: Any) -> Any:
    """The result of a function of the catalogue as a Dask array, or one for each of its outputs.

        lazy(function, ...).compute() = function(...), bit for bit, whatever the chunks

    function: a table (`sinusoidal`, `rope_table`), a table of a grid (`sincos_2d`, or `rope_table` of a `grid`), a
    rotation (`rope`, `mrope`), a bias (`alibi`, `t5_bias`), buckets or positions (`t5_buckets`): each value of its
    result must depend on its own position or pair of positions alone. arguments, options: what else it takes, but `out`
    and `view`. Where it takes an array that is cut, such as positions or the x of a rotation, it may be a Dask array.
    chunks: those of the result, as Dask takes them (an int, a tuple, a dict, "auto"), where no argument is a Dask
    array, whose chunks are kept otherwise. Channels are made together, so that their axis is one chunk; so is the
    sequence of `rope_2d` and `rope_3d`, where `rope` of a `grid` can be cut. Dask writes down all blocks before it
    computes one, a million of them in gigabytes, so that there may be at most 2**20. threads: for each block (1), since
    Dask computes several at a time.

    A result of bfloat16 has the dtype of ml_dtypes; `.view("uint16")` gives its bit patterns. Nothing is computed here:
    what is wrong with the arguments is refused at once, and a value that cannot be used when its block is computed.

    Raises E_CHOICE for a function that is not made in blocks, and for arguments that stand for the whole result;
    E_SHAPE (chunks, positions), E_TOO_LARGE (chunks), E_MISSING where Dask is not installed, and what the function
    raises.

    >>> import refpos
    >>> table = lazy(refpos.sinusoidal, 10**9, 64, dtype="float32", chunks=(2**18, 64))  # 256 GB
    >>> table.shape, table.numblocks
    ((1000000000, 64), (3815, 1))
    >>> bool((table[:3].compute() == refpos.sinusoidal(3, 64, dtype="float32")).all())
    True
    """
    need("dask.array")
    entry = _entry(function)
    options = entry.current(options)
    for name in ("out", "view"):
        given = options.pop(name, None)
        if given is not None and given is not False:
            sentence = f"{name} must be left out, since blocks are made by workers, got {shown(given)}"
            raise InputError("E_CHOICE", name, sentence)
    if "threads" in entry.parameters:
        options.setdefault("threads", 1)
    bound = inspect.signature(function).bind(*arguments, **options)
    cut = RULES[entry.name](entry, dict(bound.arguments))
    for key, value in cut.keywords.items():
        checks.nesting(key, value)
    block = Carried(cut.block, cut.keywords, token(entry.name, cut.keywords))
    probe = block(*[_probe(source) for source in cut.sources])
    outputs = probe if isinstance(probe, tuple) else (probe,)
    sizes = _sizes(cut, outputs[0].shape)
    chosen = _chunks(cut, sizes, outputs[0].dtype, chunks)
    arrays = [_array(source, chosen) for source in cut.sources]
    name = f"{entry.name}-{token(entry.name, cut.keywords, [array.name for array in arrays], chosen)}"
    made = _blockwise(block, name, cut, arrays, sizes, outputs)
    return made if isinstance(probe, tuple) else made[0]


def _entry(function):
    """The entry of a function of the catalogue that has a rule."""
    name = catalogue.name_of(checks.function("function", function))
    entry = catalogue.ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None or entry.function is not function:
        sentence = f"function must be one of the catalogue, such as refpos.sinusoidal, got {shown(function)}"
        raise InputTypeError("E_CHOICE", "function", f"{sentence}: dask.array.map_blocks takes any other")
    if name not in RULES:
        sentence = f"function must be one whose values depend on their own positions alone ({', '.join(sorted(RULES))})"
        raise InputError("E_CHOICE", "function", f"{sentence}, got {name}, which is not made in blocks")
    return entry


def _probe(source):
    """A piece of a source without elements along the axes that are cut, to learn what a block is like."""
    if isinstance(source.values, range):
        piece = np.empty(0, np.int64)
    else:
        shape = [n if axis in source.whole else 0 for n, axis in zip(source.values.shape, source.axes)]
        piece = np.empty(shape, source.values.dtype)
    return piece if source.read is None else source.read(piece)


def _sizes(cut, shape):
    """{axis: size} of all axes: those that are cut from the sources, the others from a block without elements."""
    sizes = dict(zip(cut.axes, shape))
    for source in cut.sources:
        known = (len(source.values),) if isinstance(source.values, range) else source.values.shape
        for axis, size in zip(source.axes, known):
            if axis not in source.whole or axis not in sizes:
                if isinstance(size, float):
                    raise InputError("E_SHAPE", "chunks", "sizes must be known, got a Dask array of unknown ones")
                sizes[axis] = int(size)
    return sizes


def _chunks(cut, sizes, dtype, chunks):
    """{axis: its chunks} of all axes."""
    kept, whole = {}, {axis for source in cut.sources for axis in source.whole}
    along = {axis for source in cut.sources for axis in source.axes} - whole
    for source in cut.sources:
        if is_dask(source.values):
            for axis, own in zip(source.axes, source.values.chunks):
                if axis in source.whole and len(own) > 1:
                    sentence = f"axis {source.axes.index(axis)} of a Dask array must be one chunk here, got {len(own)}"
                    raise InputError("E_SHAPE", "chunks", f"{sentence}: .rechunk({{{source.axes.index(axis)}: -1}})")
                kept.setdefault(axis, own)
    if chunks is not None and any(is_dask(source.values) for source in cut.sources):
        sentence = f"chunks must be left out where a Dask array is given, whose chunks are kept, got {shown(chunks)}"
        raise InputError("E_CHOICE", "chunks", sentence)
    shape, free = tuple(sizes[axis] for axis in cut.axes), [axis in along for axis in cut.axes]
    asked = "auto" if chunks is None else _plain(checks.nesting("chunks", chunks))
    if isinstance(asked, (int, str)):
        asked = tuple(asked if cuttable else -1 for cuttable in free)
    if chunks is None:
        asked = tuple(kept.get(axis, one) for axis, one in zip(cut.axes, asked))
    _check_count(asked, shape)
    try:
        found = need("dask.array.core").normalize_chunks(asked, shape, dtype=dtype)
    except (ValueError, TypeError, NotImplementedError, ArithmeticError) as error:
        raise InputError("E_SHAPE", "chunks", f"chunks must fit shape {shape}, got {shown(chunks)}: {error}") from None
    for axis, cuttable, one in zip(range(len(shape)), free, found):
        if not cuttable and len(one) > 1:
            sentence = f"chunks must be one along axis {axis}, which is made as a whole, got {len(one)}"
            raise InputError("E_SHAPE", "chunks", f"{sentence}: .rechunk cuts it afterwards")
    return {**{axis: (size,) for axis, size in sizes.items()}, **kept, **dict(zip(cut.axes, found))}


def _plain(chunks):
    """Chunks with Python's numbers and tuples in place of arrays."""
    if isinstance(chunks, (np.ndarray, np.generic)) or foreign.is_foreign(chunks):
        chunks = checks.widened("chunks", chunks).tolist()
    if isinstance(chunks, dict):
        return {axis: _plain(one) for axis, one in chunks.items()}
    if isinstance(chunks, (list, tuple)):
        return tuple(_plain(one) for one in chunks)
    if chunks is not None and not isinstance(chunks, (int, float, str)):
        sentence = f"chunks must be an int, text, or a tuple or dict of these, got {shown(chunks)}"
        raise InputTypeError("E_SHAPE", "chunks", sentence)
    return chunks


def _check_count(asked, shape):
    """Refuse more than MOST_BLOCKS, which Dask would write down one by one."""
    if not isinstance(asked, (dict, tuple)):
        return
    axes = asked.items() if isinstance(asked, dict) else enumerate(asked[: len(shape)])
    of_axis = [(shape[axis], one) for axis, one in axes if axis in range(-len(shape), len(shape))]
    count = math.prod(
        len(one) if isinstance(one, tuple) else -(-size // one) if isinstance(one, int) and one > 0 else 1
        for size, one in of_axis
    )
    if count > MOST_BLOCKS:
        raise InputError("E_TOO_LARGE", "chunks", f"chunks must make at most {MOST_BLOCKS} blocks, got {shown(count)}")


def _array(source, chunks):
    """The Dask array of a source."""
    array, values = need("dask.array"), source.values
    wanted = tuple((size,) if axis in source.whole else chunks[axis] for axis, size in _named(source))
    if is_dask(values):
        return values
    if isinstance(values, range):
        return array.arange(values.start, values.stop, values.step, chunks=wanted, dtype=np.int64)
    return array.from_array(values, chunks=wanted)


def _named(source):
    """(axis, size) of a source."""
    shape = (len(source.values),) if isinstance(source.values, range) else source.values.shape
    return zip(source.axes, shape)


def _blockwise(block, name, cut, arrays, sizes, outputs):
    """The Dask arrays of the outputs, which share what makes their blocks."""
    blockwise, count = need("dask.array").blockwise, len(cut.axes)
    pieces = [part for array, source in zip(arrays, cut.sources) for part in (array, source.axes)]
    known = {axis for source in cut.sources for axis in source.axes}
    new = {axis: sizes[axis] for axis in cut.axes if axis not in known}
    metas = [np.empty((0,) * count, output.dtype) for output in outputs]
    call = _Read(block, [source.read for source in cut.sources])
    options = {"name": name, "new_axes": new, "concatenate": True, "meta": metas[0], "dtype": metas[0].dtype}
    # the chunks of what was no Dask array are chosen alike: nothing is to be cut again
    uneven = any(is_dask(source.values) for source in cut.sources)
    made = blockwise(call, cut.axes, *pieces, align_arrays=uneven, **options)
    if len(outputs) == 1:
        return (made,)
    return tuple(
        blockwise(itemgetter(k), cut.axes, made, cut.axes, name=f"{name}-{k}", meta=meta, dtype=meta.dtype)
        for k, meta in enumerate(metas)
    )


class _Read:
    """A block whose pieces are read as its sources say, which its function decides."""

    def __init__(self, block, readers):
        self.block, self.readers, self.told = block, readers, block.told

    def __call__(self, *pieces):
        return self.block(*[piece if read is None else read(piece) for piece, read in zip(pieces, self.readers)])
