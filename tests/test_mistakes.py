"""The plants of tests/mistakes, how answers about them are judged, and that no fewer are named than the page says."""

import random
from collections import Counter

import mistakes_named
import numpy as np
import pytest
from mistakes import verdict
from mistakes.corpus import GROUPS, PLANTS
from mistakes.record import Plant, Setting, words
from mistakes.verdict import Told
from tiers import sampled

NUMBER = {plant.name: number for number, plant in enumerate(PLANTS)}
STORED = mistakes_named.stored()
PARTS = 4
# of those that take a second: long sequences take longer, and KERPLE, whose powers are exact, up to minutes
QUICK = [row for row in STORED if not row["long"] and row["family"] != "kerple"]
RIGHT = [row for row in QUICK if row["kind"] == "right"]
SAMPLE = random.Random(5).sample([row for row in QUICK if row not in RIGHT], 32) + random.Random(6).sample(RIGHT, 8)


def plant(accepted, where="", kind="one"):
    """A plant of which only the words count."""
    return Plant("name", "family", kind, None, None, None, words(accepted), words(where) if where else ())


# -- the plants -------------------------------------------------------------------------------------------------------


def test_there_are_as_many_plants_as_the_page_says():
    kinds = Counter(plant.kind for plant in PLANTS)
    assert kinds["one"] >= 540 and min(kinds["pair"], kinds["region"]) >= 50 and kinds["right"] >= 80
    assert len({plant.family for plant in PLANTS}) >= 17 and len(NUMBER) == len(PLANTS)


def test_every_mistake_has_words_and_every_region_a_place():
    for one in PLANTS:
        assert bool(one.accepted) == (one.kind != "right") and all(one.accepted), one.name
        assert bool(one.where) == (one.kind == "region"), one.name


def test_the_mistakes_of_a_pair_replace_different_stages():
    for group in GROUPS:
        for pair in group.pairs:
            first, second = (group.mistakes[name][0] for name in pair.split(" + "))
            assert not first.keys() & second.keys(), (group.name, pair)


def test_no_small_integer_is_enough():
    """Such a number is somewhere in nearly every sentence."""
    for one in PLANTS:
        for accepted in one.accepted:
            assert len(accepted) > 1 or not (min(accepted).isdigit() and int(min(accepted)) < 100), one.name


def test_every_stored_row_is_of_a_plant():
    assert [NUMBER[row["plant"]] for row in STORED] == sorted(NUMBER[row["plant"]] for row in STORED)
    assert len({row["plant"] for row in STORED}) >= 0.99 * len(
        PLANTS
    )  # of the others the format of their turn hides the mistake
    assert {row["verdict"] for row in STORED} <= {*verdict.WRONG, *verdict.RIGHT} == set(verdict.MEANING)


def test_programs_differ_from_those_without_the_mistake():
    for one in random.Random(2).sample([plant for plant in PLANTS if plant.kind != "right"], 60):
        setting = Setting("float32", False)
        assert not mistakes_named.same(one.made(setting), one.plain(setting)), one.name


def test_a_region_has_the_mistake_and_nothing_else():
    one = PLANTS[NUMBER["rope half: not rotated @ last quarter"]]
    setting = Setting("float32", False)
    differs = (one.made(setting) != one.plain(setting)).any(axis=(0, 1, 3))
    assert np.flatnonzero(differs).tolist() == list(range(24, 32))


# -- the judgement ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word, text, holds",
    [
        ("500000", "base=500000 (that of Llama 3)", True),
        ("500000", "base=500,000", True),
        ("0.00001", "eps=1e-05", True),
        ("0.25", "scale 1/4", True),
        ("1", "bfloat16", False),
        ("1", "base=10000", False),
        ("-1", "query_len - 1", True),
        ("-1", "rows n-1", False),
        ("+1", "positions + 1", True),
        ("+1", "positions + 16", False),
        ("6.283", "multiplied by 6.28319", True),
        ("6.4", "multiplied by 6.28319", False),
        ("reversed", "axis -1 from its end to its beginning", True),
        ("half-pixel", "align='half-pixel'", True),
        ("Interleaved", "pairing='interleaved'", True),
    ],
)
def test_words_and_numbers_are_found(word, text, holds):
    assert verdict.has(word, text) is holds


@pytest.mark.parametrize(
    "state, said, place, expected",
    [
        ("explained", "base=500000", "", "named"),
        ("explained", "the number 500000", "", "measured"),
        ("explained", "the slopes 0.5, 0.25, ...", "", "measured"),
        ("unexplained", "", "base 500000 in rows 2..", "measured"),
        ("explained", "pairing='interleaved'", "", "misnamed"),
        ("unexplained", "", "row 0 agrees", "silent"),
        ("measured", "positions 3", "", "measured"),
        ("measured", "base 500000", "", "named"),
        ("described", "positions 3", "", "silent"),
        ("met", "", "", "passed"),
        ("untold", "", "", "passed"),
    ],
)
def test_answers_about_a_mistake_are_sorted(state, said, place, expected):
    assert verdict.of(plant("base 500000 | theta 5e5"), Told(state, said, place)) == expected


@pytest.mark.parametrize(
    "state, said, place, expected",
    [
        ("explained", "base=500000", "rows 24.. differ", "named"),
        ("explained", "base=500000", "row 0 agrees", "misnamed"),
        ("explained", "pairing", "rows 24.. differ", "misnamed"),
        ("unexplained", "", "rows 24.. differ", "measured"),
        ("unexplained", "", "row 0 agrees", "silent"),
    ],
)
def test_a_mistake_in_a_region_needs_its_place(state, said, place, expected):
    assert verdict.of(plant("base 500000", "24 | last", "region"), Told(state, said, place)) == expected


@pytest.mark.parametrize(
    "state, expected", [("met", "clean"), ("untold", "clean"), ("explained", "accused"), ("unexplained", "accused")]
)
def test_a_program_without_a_mistake_is_clean_or_accused(state, expected):
    assert verdict.of(plant("", kind="right"), Told(state)) == expected


# -- the answers ------------------------------------------------------------------------------------------------------


def fallen(before, after):
    """What became worse between two lists of rows of the same plants."""
    old, new = (Counter(row["verdict"] for row in rows) for rows in (before, after))
    lost = [name for name in ("named", "clean") if new[name] < old[name]]
    lost += ["measured"] * (new["named"] + new["measured"] < old["named"] + old["measured"])
    return lost + [name for name in ("accused", "failed", "misnamed", "passed") if new[name] > old[name]]


def again(chosen):
    """The rows of the same plants in the same settings, asked again."""
    return list(mistakes_named.answers([(NUMBER[row["plant"]], Setting(row["dtype"], row["long"])) for row in chosen]))


def test_a_fall_is_seen():
    named, silent, accused = ([dict(verdict=name)] for name in ("named", "silent", "accused"))
    assert fallen(named, silent) == ["named", "measured"] and fallen(silent, accused) == ["accused"]
    assert fallen(named, named) == fallen(silent, named) == []


@pytest.mark.parametrize("part", sampled(range(PARTS), 2))
def test_a_sample_is_named_as_before(part):
    chosen = SAMPLE[part::PARTS]
    assert fallen(chosen, again(chosen)) == []


@pytest.mark.long
@pytest.mark.parametrize("family", sorted({plant.family for plant in PLANTS}))
def test_every_family_is_named_as_before(family):
    chosen = [row for row in STORED if row["family"] == family]
    assert fallen(chosen, again(chosen)) == []


def test_the_table_of_the_page_is_that_of_the_stored_answers():
    text = mistakes_named.PAGE.read_text("utf-8")
    assert text == mistakes_named.page(text, STORED)
