"""Defects of published code, as people reported them: diagnosis names each first."""

import pytest
from threads import THREADS

import refpos


def test_there_are_sixty_threads():
    assert len({one.name for one in THREADS}) == len(THREADS) >= 60


@pytest.mark.parametrize("thread", THREADS, ids=[one.name for one in THREADS])
def test_the_defect_of_a_thread_is_named_first(thread):
    found = refpos.diagnose(thread.actual, thread.function, *thread.given, **thread.named)
    assert not found
    assert [one.computed for one in found.explanations][:1] != [], f"unexplained, expected {thread.computed}"
    assert found.explanations[0].computed.startswith(thread.computed), found
