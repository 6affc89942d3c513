"""Patches of a spectrogram: the tokens of the Audio Spectrogram Transformer and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..kernels.threads import for_blocks
from ..steps.rows import gather
from ..types import Array, ArrayLike, Integer

__all__ = ["audio_patches"]

SpectrogramAxis = Literal["frequency", "time"]
AXES = ("frequency", "time")
BLOCK = 1 << 16  # cells of patches that are numbered at a time


@register(
    family="absolute",
    paper="Gong et al. 2021, AST: Audio Spectrogram Transformer, arXiv:2104.01778, section 2.1",
    conventions="outer frequency (AST) or time (Audio-MAE), of the tokens and within a patch (no default)",
    copies="spectrogram",
    also="spectrogram patches, AST patches",
)
def audio_patches(
    spectrogram: ArrayLike,
    *,
    outer: SpectrogramAxis,
    size: Integer | Sequence[Integer] = 16,
    stride: Integer | Sequence[Integer] = 10,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Patches of a spectrogram, flattened to one row of numbers for each token.

        P[..., i m + j, a s + b] = spectrogram[..., time, frequency]

        frequency outer:  i, a along frequency, j, b along time:  frequency = i stride_f + a,  time = j stride_t + b
        time outer:       i, a along time, j, b along frequency
        patches along an axis of n:  floor((n - size) / stride) + 1, none where n < size

    Parameters
    ----------
    spectrogram : array_like
        Shape (..., times, frequencies), as feature extractors return it, of float64, float32, float16, bfloat16 or
        uint16 bit patterns.
    outer : {'frequency', 'time'}
        The axis that the tokens follow first, and the numbers within a patch.
    size : int or sequence of int, default 16
        Size of a patch, a number or (along frequency, along time).
    stride : int or sequence of int, default 10
        Distance between patches, in the same form; AST has patches of 16 x 16, 10 apart; Audio-MAE 16 apart.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., patches, size_f size_t) of the dtype of spectrogram: bits are copied, what no patch covers is
        dropped.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (spectrogram, size, stride), E_SIZE, E_CHOICE (outer), E_OUT, E_TOO_LARGE.

    Notes
    -----
    A matrix product with the weight of a patch embedding, (width, 1, size, size) as (width, size size), gives the
    tokens.

    References
    ----------
    Transformers 5.23.0, models/audio_spectrogram_transformer/modeling_audio_spectrogram_transformer.py,
    ASTPatchEmbeddings and ASTEmbeddings.get_shape (which transposes the spectrogram first).

    Examples
    --------
    >>> import numpy as np
    >>> audio_patches(np.arange(6.0).reshape(3, 2), outer="frequency", size=(1, 2), stride=1)
    array([[0., 2.],
           [2., 4.],
           [1., 3.],
           [3., 5.]])
    """
    sizes, strides = (read_pair(name, value) for name, value in (("size", size), ("stride", stride)))
    checks.choice("outer", outer, AXES), checks.thread_count(threads)
    array = checks.array("spectrogram", spectrogram, "E_DTYPE", "an array of floats")
    table = gather.read_table("spectrogram", array, (*[""] * (array.ndim - 2), "times", "frequencies"))
    *lead, times, frequencies = table.shape
    # the number of the first cell of each patch along frequency and time, and of each cell from there
    steps, places = (1, frequencies), []
    for length, patch, stride, step in zip((frequencies, times), sizes, strides, steps):
        count = max(0, (length - patch) // stride + 1)
        starts, cells = (step * np.arange(n, dtype=np.int64) for n in (count, patch if count else 0))
        places.append((stride * starts, cells))
    (first, within_first), (second, within_second) = places if outer == "frequency" else places[::-1]
    shape = (*lead, len(first) * len(second), sizes[0] * sizes[1])
    result, stored = checks.output(out, shape, table.fmt, apart_from=(table.patterns,))
    if stored.size:
        cells = gather.Table(table.patterns.reshape(*lead, times * frequencies), table.fmt)
        corners, within = np.add.outer(first, second).reshape(-1), np.add.outer(within_first, within_second).reshape(-1)

        def work(start, stop):
            index = np.add.outer(corners[start:stop], within)
            gather.fill(stored[..., start:stop, :], cells, index, axes=(-1,), threads=1)

        for_blocks(work, corners.size, max(1, BLOCK // within.size), threads)
    return result


def read_pair(name, value):
    """One number for both axes, or one along frequency and one along time."""
    both = [value, value] if np.isscalar(value) or value is None else checks.listed(name, value, "numbers")
    if len(both) != 2:
        raise InputError("E_SHAPE", name, f"{name} must be one number or two, got {len(both)}")
    return tuple(checks.integer(name, one, 1, 2**20) for one in both)
