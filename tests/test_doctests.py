"""Every example in every docstring of the package runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import refpos
from refpos import catalogue

MODULES = sorted(m.name for m in pkgutil.walk_packages(refpos.__path__, "refpos.") if not m.name.endswith("__main__"))


@pytest.mark.parametrize("name", ["refpos", *MODULES])
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0, "the captured output says where"


@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_every_encoding_has_an_example_that_says_what_it_prints(name):
    (found,) = doctest.DocTestFinder(recurse=False).find(catalogue.find(name).function, name)
    assert any(example.want for example in found.examples)
