"""Shared work: every block once, errors and interruptions that leave nobody writing, and the state of each thread."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import refpos
from refpos import kernels
from refpos.kernels.threads import for_blocks

ROOT = Path(refpos.__file__).resolve().parent.parent


def python(code):
    """What a fresh process with the same kernels prints."""
    environment = {**os.environ, kernels.VARIABLE: kernels.name, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("threads", [1, 2, 3, 64, None])
@pytest.mark.parametrize("size, block", [(0, 5), (1, 5), (5, 5), (6, 5), (1000, 7)])
def test_every_block_once(size, block, threads):
    seen = []
    for_blocks(lambda start, stop: seen.append((start, stop)), size, block, threads)
    assert sorted(seen) == [(start, min(start + block, size)) for start in range(0, size, block)]


def test_blocks_are_shared():
    """A block waits until another thread has one too: the caller and its helper."""
    meeting, seen = threading.Barrier(2, timeout=60), []

    def work(start, stop):
        seen.append(threading.get_ident())
        meeting.wait()

    for_blocks(work, 2, 1, 2)
    assert len(set(seen)) == 2 and threading.get_ident() in seen


def test_an_error_is_raised_and_no_block_is_begun_after_it():
    begun = []

    def work(start, stop):
        begun.append(start)
        if start == 3:
            raise ZeroDivisionError("third")
        time.sleep(1e-3)

    for threads in (1, 2, 5):
        begun.clear()
        with pytest.raises(ZeroDivisionError, match="third"):
            for_blocks(work, 10**6, 1, threads)
        count = len(begun)
        assert count < 100
        time.sleep(2e-2)
        assert len(begun) == count


def test_after_an_interruption_nobody_writes():
    """Ctrl-C twice, at any time: the call ends with KeyboardInterrupt, and the output stays as it then is."""
    printed = python(
        """
        import os, signal, threading, time
        from refpos.kernels.threads import for_blocks

        def interrupt(signum, frame):
            while frame is not None:
                if frame.f_code is for_blocks.__code__:
                    raise KeyboardInterrupt
                frame = frame.f_back

        signal.signal(signal.SIGINT, interrupt)
        running, most, caught, late = set(), 0, 0, 0

        def work(start, stop):
            global most
            running.add(start)
            most = max(most, len(running))
            until = time.perf_counter() + 2e-3
            try:
                while time.perf_counter() < until:
                    time.sleep(2e-4)
            finally:
                running.discard(start)

        for turn in range(60):
            def kill():
                time.sleep(turn * 3e-4)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1e-3)  # by now the caller waits for its helpers
                os.kill(os.getpid(), signal.SIGINT)
            other = threading.Thread(target=kill)
            other.start()
            try:
                for_blocks(work, 100, 1, 4)
            except KeyboardInterrupt:
                caught += 1
            late += len(running)
            other.join()
        print(most > 1, caught > 5, late)
        """
    )
    assert printed == "True True 0\n"


def test_forked_processes_compute():
    """Before, after and during calls of other threads."""
    printed = python(
        """
        import os, threading, warnings
        import numpy as np, refpos
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        def table():
            return refpos.sinusoidal(3000, 1024, dtype="float32", threads=2).tobytes()
        want, stop = table(), False
        def other():
            while not stop:
                table()
        busy = threading.Thread(target=other)
        busy.start()
        for _ in range(5):
            child = os.fork()
            if not child:
                os._exit(table() != want)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        stop = True
        busy.join()
        print("same")
        """
    )
    assert printed == "same\n"


def test_a_program_that_ends_computes():
    """No thread can be started then on some versions of Python; the calling one does all."""
    printed = python(
        """
        import atexit
        import numpy as np, refpos
        want = refpos.sinusoidal(3000, 1024, dtype="float32", threads=2)
        def last():
            found = refpos.sinusoidal(3000, 1024, dtype="float32", threads=2)
            print(np.array_equal(found, want))
        atexit.register(last)
        """
    )
    assert printed == "True\n"


def test_without_threads_to_start_the_caller_does_all(monkeypatch):
    def refuse(*given):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("_thread.start_new_thread", refuse)
    seen = []
    for_blocks(lambda start, stop: seen.append(start), 100, 1, 8)
    assert seen == list(range(100))


def test_many_callers_at_once():
    want = refpos.sinusoidal(3000, 1024, dtype="float32").tobytes()
    wrong = []

    def call():
        for _ in range(5):
            if refpos.sinusoidal(3000, 1024, dtype="float32", threads=4).tobytes() != want:
                wrong.append(threading.get_ident())

    callers = [threading.Thread(target=call) for _ in range(8)]
    [caller.start() for caller in callers]
    [caller.join() for caller in callers]
    assert wrong == [] and np.frombuffer(want, np.float32).any()
