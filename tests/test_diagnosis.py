"""Mistakes planted in random calls, one and two at a time: which share of them is named first; and right answers, of
which none may be accused."""

import dataclasses

import numpy as np
import planted
import pytest
import shares
from tiers import sampled

import refpos
from refpos import InputError
from refpos.diagnosis import call

CONFIGURATIONS = 20  # random calls of each encoding
ENCODINGS = list(planted.CALLS)
QUICK = ("sincos_2d", "alibi", "relative_rows")
#: the encodings of whose mistakes the fast tier looks at some
SAMPLED = [pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in QUICK)) for name in ENCODINGS]


@pytest.mark.parametrize("encoding", SAMPLED)
def test_a_sample_of_mistakes_is_named_first(encoding):
    counts, lost = shares.counted(encoding, [99])
    assert len(counts) >= 3 and not lost, lost


@pytest.mark.long
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_mistakes_are_named_first(encoding):
    counts, lost = shares.counted(encoding, range(CONFIGURATIONS))
    all_of = sum(n for *_, n in counts.values())
    assert all_of >= CONFIGURATIONS and len(lost) <= 0.01 * all_of, lost


@pytest.mark.parametrize("encoding", sampled(["alibi", "sinusoidal", "rope", "rope_table"], 4))
def test_a_sample_of_pairs_is_explained(encoding):
    named, all_of, lost = shares.pairs_named(encoding, [3, 4])
    assert all_of >= 4 and named >= 0.75 * all_of, lost


@pytest.mark.long
def test_pairs_are_explained():
    counts = {encoding: shares.pairs_named(encoding, range(5)) for encoding in ENCODINGS}
    named, all_of = (sum(one[k] for one in counts.values()) for k in (0, 1))
    assert all_of >= 150 and named >= 0.9 * all_of, (named, all_of, [one[2] for one in counts.values()])


# -- right answers ----------------------------------------------------------------------------------------------------


def test_right_answers_are_not_accused():
    wrong, count = shares.accused(range(54))
    assert count == 54 and not wrong


@pytest.mark.long
def test_ten_thousand_right_answers_are_not_accused():
    wrong, count = shares.accused(range(10_000))
    assert count == 10_000 and not wrong


def test_what_is_claimed_was_checked_on_every_element():
    """One element changed, wherever it is, and no call explains a table."""
    table = refpos.sinusoidal(np.arange(300) + 1, 32, dtype="float32")
    found = refpos.diagnose(table, refpos.sinusoidal, 300, 32)
    assert found.explanations[0].computed == "positions + 1" and found.explanations[0].elements == table.size
    for row in (0, 277):
        edited = table.copy()
        edited[row, 9] += 0.01
        (one,) = refpos.diagnose(edited, refpos.sinusoidal, 300, 32).explanations
        assert one.mistake == "measured" and not one.met and one.computed.endswith(f"except rows {row}")


@pytest.mark.parametrize("wrong", sampled(["another base", "noise", "two mistakes"], 3))
def test_a_large_table_is_computed_a_few_times_only(monkeypatch, wrong):
    """What diagnosis costs, as the numbers it has computed: mistakes are tried on a few rows."""
    computed, results = [], call.results

    def counting(*given):
        made = results(*given)
        computed.append(sum(tensor.values.size for tensor in made.values()))
        return made

    frequencies = refpos.yarn(128, factor=8, original_max_position_embeddings=4096)
    if wrong == "noise":
        table = tuple(np.random.default_rng(0).normal(size=(2, 4096, 64)).astype(np.float32))
    elif wrong == "another base":
        other = refpos.yarn(128, factor=8, original_max_position_embeddings=4096, base=12345)
        table = refpos.rope_table(4096, other, dtype="float32")
    else:
        table = refpos.rope_table(np.arange(4096) + 1, frequencies, dtype="float32")[::-1]
    monkeypatch.setattr(call, "results", counting)
    found = refpos.diagnose(table, refpos.rope_table, 4096, frequencies)
    named = {"noise": [], "another base": ["base=12345"], "two mistakes": ["positions + 1 and cos and sin exchanged"]}
    assert [one.computed for one in found.explanations] == named[wrong]
    assert 100 < len(computed) < 1000 and sum(computed) < 3 * 4096 * 128


def test_a_base_is_named_whatever_was_computed_before():
    """A scaling makes the frequencies it starts from with its base as a fraction, and equal ones are made once."""
    plain = refpos.inverse_frequencies(32, base=500000)
    refpos.yarn(32, base=500000, factor=8, original_max_position_embeddings=4096)
    table = refpos.rope_table(64, refpos.inverse_frequencies(32, base=1000), dtype="float32")
    (found,) = refpos.diagnose(table, refpos.rope_table, 64, plain).explanations
    assert found.asked == "base=500000" and found.computed.startswith("base=1000 ")


@pytest.mark.parametrize("far", [3000, 131072])
def test_a_base_of_no_list_is_named_where_all_positions_are_far_from_0(far):
    places, plain = far + np.arange(5), refpos.inverse_frequencies(32)
    table = refpos.rope_table(places, refpos.inverse_frequencies(32, base=12345), dtype="float32")
    found = refpos.diagnose(table, refpos.rope_table, places, plain).explanations
    assert [one.computed for one in found] == ["base=12345"] and found[0].elements == 160


def test_a_far_base_is_named_beside_infinite_channels():
    places, plain = 70000 + np.arange(5), refpos.inverse_frequencies(32)
    x = np.random.default_rng(0).normal(size=(5, 32)).astype(np.float32)
    x[:, 3] = np.inf
    call = {"frequencies": plain, "pairing": "half"}
    turned = refpos.rope(x, places, **{**call, "frequencies": refpos.inverse_frequencies(32, base=12345)})
    found = refpos.diagnose(turned, refpos.rope, x, places, **call).explanations
    assert [one.computed for one in found] == ["base=12345"]


@pytest.mark.parametrize(
    ("shift", "said"),
    [(17, "positions + 17"), (-32, "positions - 32"), (577, "positions + 577"), (-4000, "positions - 4000")],
)
def test_an_offset_of_the_positions_is_named(shift, said):
    places = np.arange(9) + 5000
    x = np.random.default_rng(0).normal(size=(2, 3, 9, 16)).astype(np.float32)
    turned = refpos.diagnose(refpos.rope(x, places + shift, pairing="half"), refpos.rope, x, places, pairing="half")
    table = refpos.diagnose(refpos.sinusoidal(places + shift, 32), refpos.sinusoidal, places, 32)
    assert [found.explanations[0].computed for found in (turned, table)] == [said, said]


@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_cosines_and_sines_that_are_exchanged_are_named_where_a_part_of_the_channels_is_turned(pairing):
    x = np.random.default_rng(0).normal(size=(9, 16)).astype(np.float32)
    cos, sin = refpos.rope_table(9, refpos.inverse_frequencies(8), dtype="float32")
    first, second = (slice(0, 4), slice(4, 8)) if pairing == "half" else (slice(0, 8, 2), slice(1, 8, 2))
    mine = x.copy()
    mine[:, first], mine[:, second] = x[:, first] * sin - x[:, second] * cos, x[:, first] * cos + x[:, second] * sin
    found = refpos.diagnose(mine, refpos.rope, x, 9, pairing=pairing, rotary_dim=8)
    assert found.explanations[0].computed == "cosines and sines exchanged"


@pytest.mark.parametrize("rotation", ["half", "interleaved"])
def test_tables_of_one_layout_with_a_rotation_of_the_other_meet_the_class_of_float32_code(rotation):
    """The bounds are those of the angle that each channel has got, not of the one it should have."""
    x, places = np.random.default_rng(0).normal(size=(5, 16)).astype(np.float32), np.arange(99995, 100000)
    angles = places[:, None].astype(np.float32) * (
        1 / np.float32(10000) ** (np.arange(0, 16, 2, dtype=np.float32) / 16)
    )
    if rotation == "half":
        cos, sin = (np.repeat(wave(angles), 2, -1) for wave in (np.cos, np.sin))
        turned = np.concatenate([-x[:, 8:], x[:, :8]], -1)
    else:
        cos, sin = (np.tile(wave(angles), 2) for wave in (np.cos, np.sin))
        turned = np.stack([-x[:, 1::2], x[:, ::2]], -1).reshape(x.shape)
    for pairing in ("half", "interleaved"):
        found = refpos.diagnose(x * cos + turned * sin, refpos.rope, x, places, pairing=pairing).explanations
        assert found[0].mistake == "mixed layouts" and found[0].met == "float32-angle"
        pairs = "pairs (i, i + dim/2)" if rotation == "half" else "pairs (2i, 2i+1)"
        assert found[0].computed.endswith(f"with a rotation of {pairs}")


#: {rule: slopes of six heads in place of 2**-1, -2, -3, -4, -0.5 and -1.5}
SLOPES = {
    "the first 6 of 8 heads": 2.0 ** (-np.arange(1, 7) / 2),
    "geometric, with exponents that are counted from 0": 2.0 ** (-4 * np.arange(6) / 6),
    "recursive, with exponents that are counted from 0": 2.0 ** np.array([0, -1, -2, -3, 0, -1]),
    "those of the heads in the order of their size": 2.0 ** np.array([-0.5, -1, -1.5, -2, -3, -4]),
    "those of the heads in another order": 2.0 ** np.array([-4, -1, -2, -3, -0.5, -1.5]),
    "0.125 times what they should be": 2.0 ** (np.array([-1, -2, -3, -4, -0.5, -1.5]) - 3),
    "": np.array([0.3, 0.2, 0.1, 0.7, 0.9, 0.8]),
}


@pytest.mark.parametrize(("width", "said"), [(14, "half-1, so that the last frequency is 1/base"), (18, "half+1")])
def test_exponents_of_another_width_are_named(width, said):
    inv_freq = 10000.0 ** (-2 * np.arange(8) / width)
    (first, *_) = refpos.diagnose(inv_freq, refpos.inverse_frequencies, dim=16).explanations
    assert (first.mistake, first.computed) == ("exponent", f"exponent_dim={width} ({said})")


@pytest.mark.parametrize("rule", SLOPES)
def test_slopes_that_no_convention_gives_are_named_with_their_rule(rule):
    slopes = SLOPES[rule].astype(np.float32)
    mine = slopes[:, None, None] * (np.arange(5, dtype=np.float32) - np.arange(5, dtype=np.float32)[:, None])
    (found,) = refpos.diagnose(mine, refpos.alibi, 6, 5, 5, mode="linear", max_bias=4).explanations
    first = ", ".join(f"{float(slope):.6g}" for slope in slopes[:3])
    assert found.computed == f"the slopes {first}, ..." + (f" ({rule})" if rule else "")
    assert found.asked == "convention='recursive' (0.5, 0.25, 0.125, ...)" and found.elements == mine.size
    mine[2, 4, 0] += 0.01
    assert refpos.diagnose(mine, refpos.alibi, 6, 5, 5, mode="linear", max_bias=4).unexplained
    alone = refpos.diagnose(slopes, refpos.alibi_slopes, 6, max_bias=4).explanations
    assert [one.computed for one in alone] == ([found.computed] if rule else [])


@pytest.mark.parametrize("slope", [1e308, -1e308])
@pytest.mark.filterwarnings("error")
def test_slopes_beyond_all_ratios_have_no_rule(slope):
    assert refpos.diagnose(np.array([slope, 2.0**-8]), refpos.alibi_slopes, 2).unexplained


def test_of_wrong_calls_of_the_same_numbers_the_likelier_comes_first():
    """A word of the call before a change of its result, and that before other positions."""
    frequencies, x = refpos.inverse_frequencies(32, base=500000), np.random.default_rng(0).normal(size=(9, 32))
    call = {"frequencies": frequencies, "pairing": "half"}
    turned_back, table = refpos.rope(x, 9, inverse=True, **call), refpos.rope_table(-np.arange(9), frequencies)
    for found, likelier in (
        (refpos.diagnose(turned_back, refpos.rope, x, 9, **call), "inverse=True"),
        (refpos.diagnose(table, refpos.rope_table, 9, frequencies), "minus sin"),
    ):
        assert [one.computed for one in found.explanations] == [likelier, "minus the positions"]


def test_noise_is_unexplained():
    noise = np.random.default_rng(0).normal(size=(40, 64)).astype(np.float32)
    found = refpos.diagnose(noise, refpos.sinusoidal, 40, 64)
    assert found.unexplained and found.met is None and "unexplained" in str(found)


# -- what was planted --------------------------------------------------------------------------------------------------


def test_right_answers_were_not_accused_and_pairs_were_named():
    held = shares.swept()
    assert held["right"]["answers"] >= 10_000 and not held["right"]["accused"]
    assert list(held["pairs"]) == ENCODINGS
    for encoding, one in held["pairs"].items():
        assert one["seeds"] >= 20 and one["planted"] >= 20 and one["named"] >= 0.9 * one["planted"], encoding
        assert len(one["lost"]) == one["planted"] - one["named"], encoding


def test_nearly_all_mistakes_that_were_planted_were_named():
    held = shares.kept()
    assert list(held) == ENCODINGS
    for encoding, one in held.items():
        counts = one["counts"].values()
        same, all_of = (sum(row[k] for row in counts) for k in (1, 2))
        assert all_of >= 60 and min(row[2] for row in counts) >= 20, encoding  # of each kind
        assert len(one["lost"]) == all_of - same <= 0.01 * all_of, encoding


def test_changed_frequencies_are_not_judged_without_their_axes_or_factor():
    """Their call is not known, and that of their numbers alone has neither."""
    scaled = refpos.yarn(16, factor=4, original_max_position_embeddings=512)
    sections = refpos.frequencies.mrope_frequencies(16, sections=(4, 2, 2), arrangement="chunked")
    x, positions = np.ones((5, 16)), np.arange(15).reshape(3, 5)
    for frequencies, places in ((scaled, 5), (sections, positions)):
        call = {"pairing": "half", "frequencies": frequencies}
        assert refpos.compare(refpos.rope(x, places, **call), refpos.rope, x, places, **call).met == "correct"
        call = {"pairing": "half", "frequencies": dataclasses.replace(frequencies)}
        with pytest.raises(InputError, match="must be those that a function such as yarn returned, got changed ones"):
            refpos.compare(refpos.rope(x, places, **call), refpos.rope, x, places, **call)
