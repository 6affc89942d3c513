"""Random numbers of a test that depend on its name alone, so that a failure repeats whatever ran before it.

Modules of tests draw from generators of their own, which all their tests share. Each test starts them anew.
"""

import functools
import random
import sys
import zlib
from pathlib import Path

import numpy as np

TESTS = str(Path(__file__).resolve().parent)


def restart(name):
    """Start the generators of all modules of tests from the name of a test."""
    seed = zlib.crc32(name.encode())
    state = np.random.default_rng(seed).bit_generator.state
    for generator in generators(len(sys.modules)):
        if isinstance(generator, random.Random):
            generator.seed(seed)
        else:
            generator.bit_generator.state = state


@functools.lru_cache(maxsize=1)
def generators(modules):
    """The generators that the imported modules of tests hold, of which there are so many."""
    imported = [module for module in list(sys.modules.values()) if _of_tests(module)]
    held = [value for module in imported for value in list(vars(module).values())]
    found = {id(value): value for value in held if isinstance(value, (np.random.Generator, random.Random))}
    return list(found.values())


def _of_tests(module):
    return (getattr(module, "__file__", None) or "").startswith(TESTS)
