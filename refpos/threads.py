"""Work cut into blocks of fixed size, so that no value depends on how many threads share it."""

from . import checks
from .kernels.floats import state_fault


def for_blocks(work, size, block, threads):
    """Call work(start, stop) for each block of 0 .. size, on up to `threads` threads; the first error is raised here.

    New threads inherit the floating-point state of the calling one, which other code may have changed.
    """
    fault = state_fault()
    if fault:
        raise FloatingPointError(f"floating point must round to nearest and keep subnormal numbers, got {fault}")
    starts = range(0, size, block)
    count = min(checks.thread_count(threads), len(starts))
    if count <= 1:
        for start in starts:
            work(start, min(start + block, size))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work, start, min(start + block, size)) for start in starts]:
            done.result()
