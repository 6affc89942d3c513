"""Of a million numbers that a fast path computes, at most 100 are rounded from integers: counted, not timed."""

import threading

import numpy as np
import pytest
from caches import caches
from hard_calls import BY_INTEGERS, CALLS, HALFWAY
from tiers import sampled

from refpos import catalogue, golden
from refpos.arithmetic import rounding
from refpos.golden import run

LEAST, MOST = 10_000, 100e-6  # numbers of a call; hard cases of a number
ROUNDINGS = ("nearest", "nearest_fraction", "rounding_test", "round_exactly")


@pytest.fixture
def exact(monkeypatch):
    """The names of the exact roundings so far, of all threads, those within another left out."""
    done, within = [], threading.local()

    def counted(name, known):
        def call(*given, **named):
            outer = getattr(within, "another", False)
            if not outer:
                done.append(name)
            within.another = True
            try:
                return known(*given, **named)
            finally:
                within.another = outer

        return call

    for name in ROUNDINGS:
        monkeypatch.setattr(rounding, name, counted(name, getattr(rounding, name)))
    return done


def empty_caches():
    """Let the package compute again what tests before this one made it keep."""
    for cache in caches():
        cache.cache_clear()


def counted(name, dtype, exact):
    """(exact roundings of the call of a function, numbers of its result), once its constants are made."""
    CALLS[name](dtype)
    exact.clear()
    found = CALLS[name](dtype)
    return len(exact), sum(np.size(part) for part in (found if isinstance(found, tuple) else (found,)))


@pytest.mark.parametrize("dtype", sampled(["float64", "float32", "float16", "bfloat16"], 4))
@pytest.mark.parametrize("name", sorted(CALLS.keys() - HALFWAY.keys()))
def test_few_numbers_are_rounded_from_integers(name, dtype, exact):
    count, size = counted(name, dtype, exact)
    assert size >= LEAST and count <= MOST * size


@pytest.mark.parametrize("name", HALFWAY)
def test_more_where_numbers_are_halfway(name, exact):
    count, size = counted(name, "float64", exact)
    assert MOST * size < count < size / 10


@pytest.mark.parametrize("name", sorted(BY_INTEGERS))
def test_functions_without_a_fast_path_round_from_integers(name, exact):
    """One that has got a fast path belongs among the calls."""
    cases = [case for case in golden.cases(name, tier="core") if not case.refusal][:8]
    empty_caches()
    size = sum(tensor.values.size for case in cases for tensor in run.outputs_of(case).values())
    assert size and len(exact) > MOST * size


def test_every_function_that_is_rounded_once_is_here():
    """But those of frequencies, which are integers until they are rounded."""
    once = {name for name, entry in catalogue.ENTRIES.items() if entry.contract == "once" and not entry.exact}
    once -= {name for name in once if catalogue.ENTRIES[name].family == "frequencies"}
    assert len(once) > 70 and once == CALLS.keys() | BY_INTEGERS and not CALLS.keys() & BY_INTEGERS
    assert HALFWAY.keys() <= CALLS.keys()
