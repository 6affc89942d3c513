"""The `refpos` command: what it accepts, and how it ends.

It ends with 0 when all is well, 1 when numbers differ, 2 when something is missing, cannot be used or goes wrong in
refpos itself, 130 when interrupted, and 141 when the reader of its output has gone.
"""

import gc
import os
import sys
from contextlib import contextmanager

from ..errors import InputError
from ..guard import guarded
from .arguments import parser
from .screen import escaped

UNUSABLE, INTERRUPTED, READER_GONE = 2, 130, 141
OBJECTS = 200_000  # new ones before Python looks for garbage among them


@contextmanager
def _rare_collections():
    """Garbage collections at long intervals: the corpus is a million objects read as JSON, none of them garbage."""
    known = gc.get_threshold()
    gc.set_threshold(known[0] and max(known[0], OBJECTS), *known[1:])  # 0 means never
    try:
        yield
    finally:
        gc.set_threshold(*known)


@guarded
@_rare_collections()
def main(arguments=None):
    """Run one command and return its exit status; what goes wrong is one sentence on standard error.

    >>> main(["show", "nothing"])
    2
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file name may hold what the terminal cannot show
    try:
        options = parser().parse_args(arguments)
        status = options.run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return _without_output(READER_GONE)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except InputError as error:
        return _complain(f"{error.code}: {error}", UNUSABLE)
    except MemoryError:
        return _complain("E_TOO_LARGE: the result must fit into memory, and it does not", UNUSABLE)
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _without_output(_complain(f"E_FILE: {where}{error.strerror or error}", UNUSABLE))
    except Exception as error:  # Python would end with 1, which says that numbers differ
        what = f"{type(error).__name__}: {error!s:.200}"
        return _complain(f"a mistake of refpos itself, {_where(error)}: {what}", UNUSABLE)


def _where(error):
    """File and line at which an exception was raised."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)} line {trace.tb_lineno}"


def _complain(sentence, status):
    print(f"refpos: {escaped(' '.join(sentence.split()))}", file=sys.stderr)
    return status


def _without_output(status):
    # what is still buffered has nowhere to go: without this the interpreter fails again when it exits
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    return status
