"""A process that answers line by line over its standard input and output, and cannot hold up who asks."""

import os
import selectors
import signal
import subprocess
import time

from ..errors import FileError, InputError, shortened

CHUNK = 1 << 16
REMEMBERED = 4096  # bytes of what it writes to standard error
ENDING = 5.0  # seconds that it has to end after its input has ended


class Trouble(Exception):
    """Why a process gave no answer, in words."""


class Child:
    """A running process; a class because buffers are carried from one exchange to the next."""

    def __init__(self, command):
        if os.name != "posix":
            raise InputError("E_CHOICE", "live", f"a live process needs a POSIX system, got {os.name}")
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            # a session of its own, so that what it starts ends with it
            self.process = subprocess.Popen(command, **pipes, bufsize=0, start_new_session=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            sentence = f"the command must be one that can be started, got {command[0]!r}: {reason}"
            raise FileError("E_FILE", "live", sentence) from None
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            os.set_blocking(stream.fileno(), False)
        self.received, self.said = b"", b""

    def ask(self, line, seconds, most):
        """Send a line; the one line that comes back, of `most` bytes. Trouble where there is none in time."""
        end, left = time.monotonic() + seconds, line
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdin, selectors.EVENT_WRITE)
            ready.register(self.process.stdout, selectors.EVENT_READ)
            ready.register(self.process.stderr, selectors.EVENT_READ)
            while b"\n" not in self.received:
                if len(self.received) > most:
                    raise Trouble(f"more than {most} bytes without the end of a line")
                for key, _ in self._wait(ready, end, seconds):
                    if key.fileobj is self.process.stdin:
                        left = self._write(left, ready)
                    elif not self._read(key.fileobj):
                        ready.unregister(key.fileobj)
                        if key.fileobj is self.process.stdout:
                            raise Trouble(f"{self._ended()} before it answered{self._last_words()}")
        answer, _, self.received = self.received.partition(b"\n")
        if left:
            raise Trouble(f"an answer before the whole question was read: {shown(answer)}")
        if self.received:
            raise Trouble(f"more than one line for one question, the second of them {shown(self.received)}")
        return answer

    def _wait(self, ready, end, seconds):
        remaining = end - time.monotonic()
        events = ready.select(remaining) if remaining > 0 else []
        if not events:
            raise Trouble(f"no answer in {seconds:g} s{self._last_words()}")
        return events

    def _write(self, left, ready):
        try:
            left = left[os.write(self.process.stdin.fileno(), left[:CHUNK]) :]
        except BlockingIOError:
            return left
        except BrokenPipeError:  # what it printed before says more
            ready.unregister(self.process.stdin)
            return left
        if not left:
            ready.unregister(self.process.stdin)
        return left

    def _read(self, stream):
        """Whether there may be more in the stream."""
        try:
            data = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return True
        if stream is self.process.stdout:
            self.received += data
        else:
            self.said = (self.said + data)[-REMEMBERED:]
        return bool(data)

    def finish(self):
        """End its input, and wait for its end; Trouble where it does not end well, or prints more than was asked."""
        self.process.stdin.close()
        end = time.monotonic() + ENDING
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            ready.register(self.process.stderr, selectors.EVENT_READ)
            while ready.get_map():
                remaining = end - time.monotonic()
                events = ready.select(remaining) if remaining > 0 else []
                if not events:
                    raise Trouble(f"no end of the process {ENDING:g} s after the end of its input")
                for key, _ in events:
                    if not self._read(key.fileobj):
                        ready.unregister(key.fileobj)
                if self.received:
                    raise Trouble(f"more lines than questions, the first of them {shown(self.received)}")
        ended = self._ended()
        if self.process.returncode:
            raise Trouble(f"{ended} after its last answer{self._last_words()}")

    def _ended(self):
        try:
            status = self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            return "the process closed its output"
        return (
            f"the process ended with status {status}" if status >= 0 else f"the process was ended by signal {-status}"
        )

    def _last_words(self):
        """The last line on standard error."""
        while self._has_more():
            pass
        lines = self.said.decode("utf-8", "replace").strip().splitlines()
        return f": {shortened(lines[-1], 200)}" if lines else ""

    def _has_more(self):
        before = self.said
        return self._read(self.process.stderr) and self.said != before

    def kill(self):
        """End it and what it started, whatever state it is in."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


def shown(data, most=80):
    """The first line of bytes, for a message."""
    return repr(shortened(data.lstrip().partition(b"\n")[0][: 4 * most].decode("utf-8", "replace").strip(), most))
