"""Random numbers of tests depend on the name of the test, not on what ran before it."""

import random

import numpy as np
import seeds

RNG, OTHER = np.random.default_rng(1), random.Random(1)


def drawn():
    return RNG.random(), OTHER.random()


def test_generators_start_anew_from_a_name():
    seeds.restart("one")
    first = drawn()
    assert drawn() != first
    seeds.restart("one")
    assert drawn() == first
    seeds.restart("other")
    assert drawn() != first


def test_a_run_starts_each_test_from_its_own_name(request):
    found = drawn()
    seeds.restart(request.node.nodeid)
    assert drawn() == found
