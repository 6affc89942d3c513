"""Work cut into blocks of fixed size, so that no value depends on how many threads share it."""

from . import checks


def for_blocks(work, size, block, threads):
    """Call work(start, stop) for each block of 0 .. size, on up to `threads` threads; the first error is raised here."""
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
