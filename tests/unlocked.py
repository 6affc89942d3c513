"""What is said of a suite whose golden document is not there yet, in the place of a traceback."""

import os

from refpos import golden
from refpos.golden.read import DATA

LOCK = "python -m refpos.golden.lock --update minor --only-changed"


def not_locked(name):
    return f"{name} has golden cases that are not locked: run {LOCK}"


def about(error):
    """The sentence of the suite without a golden document that an error is about; None where it is about another."""
    for name in golden.suite_names():
        path = os.path.join(DATA, f"{name}.json")
        if path in str(error) and not os.path.exists(path):
            return not_locked(name)
    return None
