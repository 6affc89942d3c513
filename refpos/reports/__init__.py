"""Reports of what was verified or compared, as files: HTML, JUnit XML and Markdown.

`outcome` says what there is to report, whatever command found it; each other module writes one format.
"""

import os

from ..errors import InputError
from ..tensor_files import write_atomically
from . import html, junit, markdown
from .outcome import Item, Outcome, of_check, of_comparison, of_diagnosis, of_error, of_result

#: format -> the function that makes its text of an Outcome
WRITERS = {"html": html.page, "junit": junit.document, "markdown": markdown.summary}

__all__ = [
    "WRITERS",
    "Item",
    "Outcome",
    "begin",
    "of_check",
    "of_comparison",
    "of_diagnosis",
    "of_error",
    "of_result",
    "write",
]


def begin(files):
    """Before the work: refuse {format: path} that cannot be written, and remove the reports of an earlier run, which
    nobody shall take for those of this one."""
    paths = [os.path.realpath(path) for path in files.values()]
    if len(set(paths)) < len(paths):
        raise InputError("E_FILE", "path", f"each report must have a file of its own, got {', '.join(files.values())}")
    for path in files.values():
        write_atomically(path, [])
    for path in files.values():
        os.remove(path)


def write(outcome, files):
    """Write an Outcome as {format: path}; each file appears whole or not at all."""
    for kind, path in files.items():
        write_atomically(path, [WRITERS[kind](outcome).encode("utf-8")])
