"""Work cut into blocks of fixed size, so that no value depends on how many threads share it."""

import _thread
import threading

from .. import checks
from ..guard import run


def for_blocks(work, size, block, threads):
    """Call work(start, stop) for each block of 0 .. size, on up to `threads` threads; the first error is raised here.

    Each helper works under the guard of the floating-point state, since not every system starts a thread in that of
    its parent. Helpers are started anew for each call: those of an earlier call would be missing in a forked process.
    """
    starts = range(0, size, block)
    # one block asks for no count of the cores, but a count that was given is checked
    count = 1 if threads is None and len(starts) < 2 else min(checks.thread_count(threads), len(starts))
    if count > 1:
        _share(lambda start: work(start, min(start + block, size)), list(reversed(starts)), count)
        return
    for start in starts:
        work(start, min(start + block, size))


def _share(work, left, count):
    """Call work for each item left, the last first: on this thread, and on up to count - 1 that help it.

    Nothing waits for a helper to begin: one that comes late finds its lock taken and ends.
    """
    errors = []

    def take():
        try:
            while left:
                try:
                    item = left.pop()
                except IndexError:  # another thread took the last
                    return
                work(item)
        except BaseException as error:
            left.clear()
            errors.append(error)

    def help_out(lock):
        if lock.acquire(blocking=False):
            take()
            lock.release()

    # of the kind that a thread may take again: an interruption can come just after it was taken
    locks = [threading.RLock() for _ in range(count - 1)]
    try:
        for lock in locks:
            _thread.start_new_thread(run, (help_out, (lock,), {}))
    except RuntimeError:
        pass  # no more threads, as in a program that ends: this one does what is left
    except BaseException as error:
        left.clear()
        errors.append(error)
    take()
    for lock in locks:
        _acquire(lock, left, errors)
    if errors:
        raise errors[0]


def _acquire(lock, left, errors):
    """Wait until a helper has ended, or never will begin; an interruption waits as well."""
    while True:
        try:
            lock.acquire()
            return
        except BaseException as error:
            left.clear()
            errors.append(error)
