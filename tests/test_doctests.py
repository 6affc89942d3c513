"""Every example in every docstring of the package runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import refpos
from refpos import catalogue

MODULES = sorted(m.name for m in pkgutil.walk_packages(refpos.__path__, "refpos.") if not m.name.endswith("__main__"))


EXTRA = [name for name in MODULES if name.startswith("refpos.dask")]
PARAMETERS = [pytest.param(name, marks=[pytest.mark.frameworks] * (name in EXTRA)) for name in ["refpos", *MODULES]]


@pytest.mark.parametrize("name", PARAMETERS)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0, "the captured output says where"


@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_every_encoding_has_an_example_that_says_what_it_prints(name):
    (found,) = doctest.DocTestFinder(recurse=False).find(catalogue.find(name).function, name)
    assert any(example.want for example in found.examples)
