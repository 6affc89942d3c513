"""What torch computes for the table of peers is what refpos does."""

import pytest
from test_bench import WORKS, errors, name_of, run

from refpos.cli import measure


@pytest.mark.parametrize("work", [work for work in WORKS if work.how != "scattered"], ids=name_of)
def test_a_peer_computes_what_refpos_does(work):
    """The same layout, pairing and formula: at small positions a wrong one is off by much more than a hundredth."""
    modules, absent = run.load(["numpy", "torch"])
    assert not absent
    job = measure.prepare(work)
    job.call(1)
    calls = [pair for module in modules for pair in module.peers(work, job) if "compile" not in pair[0]]
    assert [name for name, _ in calls if name.startswith("torch")]
    # float32 angles at position 122880 are off by 2**-8, and 16-bit results by their own rounding
    most = 2**-4 if work.kind == "rope" else 2**-7
    for name, call in calls:
        assert errors(call(), job.out, work.dtype).absolute < most, name
