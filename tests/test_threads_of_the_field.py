"""Defects of published code, as people reported them: diagnosis names each first."""

import pytest
from threads import THREADS
from tiers import sampled

import refpos


def test_there_are_sixty_threads():
    assert len({one.name for one in THREADS}) == len(THREADS) >= 60


@pytest.mark.parametrize("name", sampled([one.name for one in THREADS], 20))
def test_the_defect_of_a_thread_is_named_first(name):
    thread = next(one for one in THREADS if one.name == name)
    found = refpos.diagnose(thread.actual, thread.function, *thread.given, **thread.named)
    assert found.met is None
    assert [one.computed for one in found.explanations][:1] != [], f"unexplained, expected {thread.computed}"
    assert found.explanations[0].computed.startswith(thread.computed), found
