"""The NumPy programs of tests/float32/integers.py, which the site shows, give every golden number of the cases that
they are written for."""

import sys

import pages
import pytest
from float32 import integers

from refpos import catalogue, testing

sys.path.insert(0, str(pages.DOCS / "site"))

import standalone

PROGRAMS = {name: program for name, program in vars(integers).items() if name in catalogue.ENTRIES}


def answers(name, case):
    """{output: array} of the program for a golden case."""
    arrays = {key: case.arguments[key] for key in case.golden.inputs}
    found = PROGRAMS[name](**standalone.arguments(name, case.golden), **arrays)
    parts = found if isinstance(found, tuple) else (found,)
    return dict(zip(catalogue.find(name).outputs_of({}), parts, strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_golden_numbers(name):
    written = {case.id for case in standalone.cases_of(name)}
    known = [case for case in testing.cases(name) if case.id in written]
    assert len(known) >= 4
    for case in known:
        assert case.check(answers(name, case), at_least="correct") == "correct"
