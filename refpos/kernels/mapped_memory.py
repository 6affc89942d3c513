"""Pages of memory: which of them the system takes back, and when.

Pages of memory-mapped files are given back as soon as they are written, so that a file may be larger than memory.
Temporaries are kept for the next one.
"""

import mmap

import numpy as np

# never of a private map (mode "c"), whose values stand nowhere else
SHARED = ("r", "r+", "w+")
GAP = 1 << 20  # bytes between two parts from which on they are given back one by one
TEMPORARIES = 2 << 20  # bytes: more than NumPy's kernels ever hold at a time in one array


def keep_freed_memory():
    """Have glibc keep what is freed of temporaries for the next one; elsewhere this does nothing.

    glibc maps blocks above a threshold one by one, and unmaps each when it is freed. The threshold rises to the size
    of the largest mapped block that was ever freed, so some are allocated and freed here: one alone may come from
    what the heap has free, and raise nothing. Where glibc's MALLOC_ variables are set, as dask.distributed does for
    its workers, they hold. Without this `sinusoidal(2048, 512, out=...)` with NumPy's kernels has the system clear
    1264 pages at each call, with it none, which takes 5 to 10 percent off its time (measured on x86-64 with glibc
    2.36).
    """
    blocks = [np.empty(TEMPORARIES, np.uint8) for _ in range(8)]
    del blocks


def give_back(array):
    """Let the system take back the pages that hold a part of a shared np.memmap; its values stay in the file."""
    pages = _mapped(array)
    if pages is None or not array.size:
        return
    start = np.frombuffer(pages, np.uint8).ctypes.data
    for low, high in _spans(array):
        first = (low - start) // mmap.PAGESIZE * mmap.PAGESIZE
        pages.madvise(mmap.MADV_DONTNEED, first, high - start - first)


def _mapped(array):
    """The map that the array is a view of; None where there is none, or one whose pages must stay."""
    mode = None
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            mode = array.mode
        array = array.base
    known = isinstance(array, mmap.mmap) and mode in SHARED and hasattr(mmap, "MADV_DONTNEED")
    return array if known else None


def _spans(array):
    """Addresses (low, high) that hold the array, apart where much lies between."""
    steps = [stride * (size - 1) for stride, size in zip(array.strides, array.shape)]
    extent = array.itemsize + sum(map(abs, steps))
    k = max(range(array.ndim), key=lambda k: abs(steps[k]), default=None)
    if k is not None and steps[k] and abs(array.strides[k]) > extent - abs(steps[k]) + GAP:
        for part in np.moveaxis(array, k, 0):
            yield from _spans(part)
        return
    low = array.ctypes.data + sum(min(step, 0) for step in steps)
    yield low, low + extent
