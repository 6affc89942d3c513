"""What is said of numbers that nothing explains: how many are off, where, and the largest error."""

import re

import ml_dtypes
import numpy as np
import pytest

import refpos

F = np.float32
X = np.random.default_rng(0).normal(size=(1, 4, 32, 16)).astype(F)
SAID = re.compile(
    r"(?:(\d+) of (\d+)|all (\d+)) elements? (?:is|are) off(.*); largest error (\S+)(?: \((\d+) ulp\))? at \[(.*)\]"
)
BOXES = {
    "everything": (np.s_[:], ""),
    "two heads": (np.s_[:, 1:3], ", in heads 1..2"),
    "every third row": (np.s_[:, :, 2:30:3], ", in rows 2, 5 .. 29"),
    "two channels of half the heads": (np.s_[:, ::2, :, [3, 9]], ", in heads 0, 2, in channels 3, 9"),
    "heads, rows and channels": (np.s_[:, 1:, 4:, 1::2], ", in heads 1.., in rows 4.., in channels 1, 3 .. 15"),
}
CASES = [pytest.param(box, marks=[] if box == "two heads" else pytest.mark.exhaustive) for box in BOXES]


def noise(shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(F)


def asked(x=X):
    return refpos.rope(x, 32, pairing="half")


def said(mine, x=X):
    found = refpos.diagnose(mine, refpos.rope, x, 32, pairing="half")
    assert found.met is None and not any(one.met for one in found.explanations), found
    name, _, sentence = found.where[0].partition(": ")
    assert name == "output" and found.where[0] in str(found)
    return sentence


@pytest.mark.parametrize("box", CASES)
def test_count_place_and_largest_error(box):
    index, place = BOXES[box]
    mine, wanted = asked().copy(), asked()
    mine[index] = noise(mine[index].shape)
    error = np.abs(mine.astype(float) - wanted.astype(float))
    count, size, every, where, largest, _, at = SAID.fullmatch(said(mine)).groups()
    assert int(count or every) == (error > 1e-5).sum() and int(size or every) == mine.size
    assert where == place
    assert tuple(map(int, at.split(", "))) == np.unravel_index(error.argmax(), error.shape)
    assert largest == f"{error.max():.3g}"


@pytest.mark.exhaustive
def test_elements_of_no_box_are_among_it():
    mine = asked().copy()
    rows = np.arange(32) * 7 % 16  # one channel in each row
    mine[0, 1, np.arange(32), rows] += noise(32) + F(4)
    assert said(mine).startswith("32 of 2048 elements are off, among those in head 1; largest error ")


def test_units_in_the_last_place_are_those_of_the_format():
    x = X.astype(ml_dtypes.bfloat16)
    mine = asked(x).copy()
    chosen = np.random.default_rng(2).integers(0, 2, mine.shape).astype(bool)
    mine.view(np.uint16)[chosen] += np.uint16(40)  # to be told from roundings
    _, _, _, where, _, ulp, _ = SAID.fullmatch(said(mine, x)).groups()
    assert int(ulp) == 40 and where == ""


def test_what_is_no_number_has_a_place():
    mine = noise(X.shape)
    mine[0, 2, 9, 1] = np.nan
    expected = "nan for " + str(asked()[0, 2, 9, 1])
    assert said(mine) == f"all 2048 elements are off; {expected} at [0, 2, 9, 1]"


def test_integers_have_an_error_and_no_units():
    right = refpos.t5_buckets(np.arange(-20, 21), bidirectional=True)
    mine = right + np.random.default_rng(3).integers(1, 9, right.shape)
    found = refpos.diagnose(mine, refpos.t5_buckets, np.arange(-20, 21), bidirectional=True)
    at = int(np.abs(mine - right).argmax())
    assert found.where[0].endswith(f"all 41 elements are off; largest error {mine[at] - right[at]} at [{at}]"), found


def test_answers_that_a_call_explains_say_no_more():
    mine = refpos.rope(X, 32, pairing="interleaved")
    assert refpos.diagnose(mine, refpos.rope, X, 32, pairing="half").where == ("output: row 0 agrees, rows 1.. differ",)
