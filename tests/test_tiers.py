"""The count of each tier: what ran is counted, and a count that fell is refused in one sentence."""

import tiers


def test_counts_are_those_of_tests_not_of_instruction_sets():
    ran = [("t.py::a[avx2-float32]", ()), ("t.py::a[avx512-float32]", ()), ("t.py::a[avx2-float16]", ()),
           ("t.py::b[numpy]", {"exhaustive"}), ("f/t.py::c", {"frameworks", "exhaustive"}),
           ("t.py::d", {"long"})]  # fmt: skip
    assert tiers.counted(ran) == {"fast": 2, "exhaustive": 1, "frameworks": 1}


def test_a_count_that_fell_is_refused():
    least = tiers.least()
    assert set(least) == set(tiers.TIERS) and all(count > 100 for count in least.values())
    assert list(tiers.fallen(least, tiers.TIERS)) == []
    found = {**least, "exhaustive": least["exhaustive"] - 1, "fast": 0}
    assert list(tiers.fallen(found, ["frameworks"])) == []
    assert list(tiers.fallen(found, tiers.TIERS)) == [
        f"the fast tier must pass {least['fast']} tests at least (tests/counts.json), got 0",
        f"the exhaustive tier must pass {least['exhaustive']} tests at least (tests/counts.json), got "
        + str(least["exhaustive"] - 1),
    ]
    assert list(tiers.fallen(found, ["all"])) == [
        "REFPOS_REQUIRE_TIERS must name tiers of fast, exhaustive, frameworks, got 'all'"
    ]


def test_the_summary_says_what_did_not_run():
    least = tiers.least()
    assert tiers.summary({"fast": 7, "exhaustive": 0, "frameworks": 0}) == (
        f"tiers: 7 of {least['fast']} fast, 0 of {least['exhaustive']} exhaustive, "
        f"0 of {least['frameworks']} frameworks"
    )
