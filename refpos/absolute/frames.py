"""Frames of a signal: overlapping pieces of one length, whose number is the position that a model of sound counts."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic.formats import bits
from ..catalogue import register
from ..errors import InputError
from ..kernels.threads import for_blocks
from ..steps.rows import gather
from ..types import Array, ArrayLike, Integer

__all__ = ["frames"]

BLOCK = 1 << 16  # places that are made at a time
FramePadding = Literal["none", "end", "zeros", "reflect"]


@register(
    family="absolute",
    paper="none: the framing of every short-time Fourier transform",
    conventions="padding none, end, zeros or reflect (no default), on which the count of frames depends",
    copies="samples",
    also="signal frames, framing, STFT frames",
)
def frames(
    samples: ArrayLike,
    *,
    size: Integer,
    hop: Integer,
    padding: FramePadding,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Frames of a signal of n samples, one every `hop` samples.

        F[..., i, j] = samples[..., i hop + j - left],   j = 0 .. size - 1

        none:     left = 0, floor((n - size) / hop) + 1 frames, none where n < size: what is left over is dropped
        end:      left = 0, ceil(n / hop) frames, zeros after the last sample
        zeros:    left = floor(size / 2), as many zeros on either side: floor((n + 2 left - size) / hop) + 1 frames
        reflect:  as zeros, with the signal mirrored at its first and its last sample, which are not repeated

    Parameters
    ----------
    samples : array_like
        Shape (..., n) of float64, float32, float16, bfloat16 or uint16 bit patterns.
    size : int
        Samples of a frame, at least 1.
    hop : int
        Samples from one frame to the next, at least 1.
    padding : {'none', 'end', 'zeros', 'reflect'}
        Samples beyond both ends, as stated above.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., frames, size) of the dtype of samples: bits are copied, and padding is +0.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (samples), E_SIZE (size, hop; reflect needs more than size / 2 samples), E_CHOICE, E_OUT,
        E_TOO_LARGE.

    References
    ----------
    - none: torch.Tensor.unfold; end: tf.signal.frame with pad_end.
    - zeros and reflect: torch.stft with center, and transformers 5.23.0, audio_utils.py, spectrogram.

    Examples
    --------
    >>> import numpy as np
    >>> frames(np.array([1.0, 2.0, 3.0, 4.0]), size=2, hop=3, padding="end")
    array([[1., 2.],
           [4., 0.]])
    """
    size, hop = (checks.integer(name, value, 1, 2**53) for name, value in (("size", size), ("hop", hop)))
    checks.choice("padding", padding, get_args(FramePadding)), checks.thread_count(threads)
    array = checks.array("samples", samples, "E_DTYPE", "an array of floats")
    table = gather.read_table("samples", array, ("samples",) * max(array.ndim, 1))
    length, left = table.shape[-1], size // 2 if padding in ("zeros", "reflect") else 0
    count = -(-length // hop) if padding == "end" else max(0, (length + 2 * left - size) // hop + 1)
    if padding == "reflect" and left >= length:
        sentence = f'size must be below {2 * length} with padding="reflect" of {length} samples, got {size}'
        raise InputError("E_SIZE", "size", sentence)
    shape = (*table.shape[:-1], count, size)
    result, stored = checks.output(out, shape, table.fmt, apart_from=(table.patterns,))
    if not stored.size:
        return result
    within = np.arange(-left, size - left, dtype=np.int64)

    def work(start, stop):
        places = hop * np.arange(start, stop, dtype=np.int64)[:, None] + within
        if padding == "reflect":
            places = np.abs(places)
            places = np.minimum(places, 2 * (length - 1) - places)
        block = stored[..., start:stop, :]
        if length:
            gather.fill(block, table, np.clip(places, 0, length - 1), axes=(-1,), threads=1)
        bits(block)[..., (places < 0) | (places >= length)] = 0

    for_blocks(work, count, max(1, BLOCK // size), threads)
    return result
