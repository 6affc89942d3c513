"""Enclosures contain exact values, comparisons of whole tables find single faults, and the page is of its runs."""

import exhaustive_buckets
import exhaustive_page
import exhaustive_sets
import exhaustive_tables
import hard_positions
import numpy as np
import pages
import pytest
from flint import arb
from tiers import sampled
from witness import enclosures, formulas, scalings

from refpos.golden.cases import _hard

CALL = exhaustive_sets.plain(16, 500000)


def frequency_set():
    return exhaustive_sets.FrequencySet(CALL)


@pytest.mark.parametrize("base, factor", [(100, 1.0), (10000, 1.25), (10**8, 0.75)])
def test_enclosures_contain_the_exact_values(base, factor):
    thetas = enclosures.balls(scalings.plain({"dim": 24, "base": base}))
    steps = np.array([enclosures.limbs(theta) for theta in thetas])
    rng = np.random.default_rng(base)
    positions = np.sort(np.concatenate([np.arange(8), rng.integers(1, 2**31, 60), [710, 103993, 2**31 - 1]]))
    pair, worst = enclosures.cosines_and_sines(positions, steps, factor), 0.0
    for row, position in enumerate(positions):
        for column, theta in enumerate(thetas):
            for value, ball in zip(pair, enclosures.exact(theta, position, arb(factor)), strict=True):
                error = float(abs(ball - arb(float(value[row, column]))))
                worst = max(worst, error / (abs(value[row, column]) * enclosures.RADIUS + enclosures.FLOOR))
    assert 0.01 < worst < 0.5


@pytest.mark.parametrize("name", enclosures.NARROW)
@pytest.mark.parametrize("which", [0, 1])
def test_a_fault_in_the_last_bit_of_one_element_is_found(name, which):
    one, honest = frequency_set(), frequency_set().table()

    def faulty(positions, dtype, out):
        honest(positions, dtype, out)
        if dtype == name:
            out[which].view(f"u{out[which].itemsize}")[700, 5] ^= 1

    assert exhaustive_tables.run(one, 1024)["unequal"] == 0
    assert exhaustive_tables.run(one, 1024, faulty)["unequal"] == 1


def test_a_wrong_rounding_next_to_a_midpoint_is_found_by_arb(monkeypatch):
    """The element that float64 alone cannot decide: the radius is made so large that Arb decides everything."""
    monkeypatch.setattr(enclosures, "RADIUS", 2.0**-10)
    result = exhaustive_tables.run(frequency_set(), 64)
    assert result["unequal"] == 0 and result["arb"] > result["elements"] / 3


@pytest.mark.parametrize("setting", sampled(exhaustive_buckets.T5, 3))
def test_edges_by_powers_are_those_of_the_witness(setting):
    buckets, most = setting
    edges = exhaustive_buckets.t5_edges(buckets, most)
    assert len(edges) == buckets - 1
    around = sorted({n + d for n in edges for d in (-1, 0, 1)})
    options = {"bidirectional": False, "num_buckets": buckets, "max_distance": most}
    expected = [formulas.t5_bucket(-n, **options) for n in around]
    assert np.searchsorted(edges, around, side="right").tolist() == expected


def test_a_bucket_that_begins_one_late_is_found(monkeypatch):
    monkeypatch.setattr(exhaustive_buckets, "FAR", 1000)
    assert exhaustive_buckets.t5(32, 128, True)["unequal"] == 0
    edges = exhaustive_buckets.t5_edges
    monkeypatch.setattr(exhaustive_buckets, "t5_edges", lambda *given: [*edges(*given)[:-1], edges(*given)[-1] + 1])
    assert exhaustive_buckets.t5(32, 128, True)["unequal"] == 2


def test_golden_cases_hold_the_hardest_of_a_small_search():
    """The positions below 2**15 found again are no harder than those that the cases have."""
    least = {base: hard_positions.near_midpoints(base, 2**15) for base in (100, 500000)}
    for (base, name), positions in _hard.POSITIONS.items():
        assert len(positions) == len(set(positions)) >= 20
        if base in least and name in least[base]:
            below = [p for p in positions if p < 2**15]
            found = [entry[1] for entry in least[base][name][:16]]
            assert set(below) <= set(found)


def test_the_default_run_has_the_sets_most_used():
    sets, _ = exhaustive_sets.distinct()
    assert len(sets) > 70 and sets[0].name == "inverse_frequencies dim=128 base=10000"
    assert exhaustive_tables.run(sets[20], 256)["unequal"] == 0


def test_the_results_are_of_all_sets_and_equal():
    sets, _ = exhaustive_sets.distinct()
    found = exhaustive_page.longest()
    assert set(found) == {one.name for one in sets}, "run: python tests/exhaustive_tables.py --whole --most 131072"
    for one in sets:
        result = found[one.name]
        assert result["unequal"] == 0 and result["enclosure"] < 1 and result["stated"] == one.length
        assert min(one.length, 131072) <= result["length"] <= one.length
        assert result["elements"] == 6 * result["length"] * len(one.witness[0])


def test_the_page_has_the_results():
    text = exhaustive_page.PAGE.read_text()
    expected = pages.with_generated(text, exhaustive_page.below(), exhaustive_page.MARK)
    assert text == expected, "run: python tests/exhaustive_page.py"
