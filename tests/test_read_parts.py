"""Tables of which rows are of another base, are NaN, or hold one number, and arrays that are no table."""

import numpy as np
import pytest
from tiers import sampled

import refpos

RNG = np.random.default_rng(25)


def cache(rows, base, start=0):
    inv_freq = (1 / base ** (np.arange(0, 64, 2) / 64)).astype(np.float32)
    angles = np.arange(start, start + rows, dtype=np.float32)[:, None] * inv_freq
    return np.concatenate([np.cos(angles), np.sin(angles)], -1)


def mixed(chosen):
    return np.where(chosen[:, None], cache(200, 500000.0), cache(200, 10000.0))


@pytest.mark.parametrize(
    "chosen",
    sampled([np.arange(200) >= 100, np.arange(200) % 2 == 1, np.arange(200) % 3 == 0, RNG.permutation(200) < 60], 4),
)
def test_rows_of_another_base_are_a_part_with_it(chosen):
    table = mixed(chosen)
    found = refpos.read(table, refpos.rope_table)
    ((where, part),) = found.parts
    assert {found.recipe["arguments"]["base"], part.recipe["arguments"]["base"]} == {10000, 500000}
    assert not found.complete and part.complete and where == found.outside[0]
    of_part = chosen == (part.recipe["arguments"]["base"] == 500000)
    of_part[0] = False  # cosines 1 and sines 0, of every base
    assert (part.positions == np.flatnonzero(of_part)).all()


def test_two_tables_one_after_another_are_read_each_from_0():
    table = np.concatenate([cache(100, 10000.0), cache(100, 500000.0)])
    found = refpos.read(table, refpos.rope_table)
    ((where, part),) = found.parts
    assert where == "rows 101..199" and (part.positions == np.arange(1, 100)).all()
    assert part.recipe["arguments"]["base"] == 500000 and found.recipe["arguments"]["base"] == 10000


def test_rows_that_are_no_table_are_outside_and_no_part():
    table = cache(200, 10000.0)
    table[30:40] = RNG.uniform(-1, 1, (10, 64))
    found = refpos.read(table, refpos.rope_table)
    assert found.outside == ("rows 30..39",) and found.parts == ()


@pytest.mark.parametrize("function", [refpos.rope_table, refpos.sinusoidal, refpos.rope])
def test_rows_of_nan_are_said(function):
    table = cache(50, 10000.0)
    table[5:8] = np.nan
    x = RNG.normal(size=(1, 2, 50, 64)).astype(np.float32)
    y = refpos.rope(x, 50, pairing="half")
    y[:, :, 5:8] = np.nan
    found = refpos.read(y, function, x) if function is refpos.rope else refpos.read(table, function)
    assert found.outside == ("rows 5..7, which are NaN",)
    assert found.recipe["arguments"]["base"] == 10000


@pytest.mark.parametrize("function", [refpos.rope_table, refpos.sinusoidal, refpos.rope])
@pytest.mark.parametrize(
    "value, said",
    [
        (np.nan, "no number is finite: every one is NaN"),
        (-np.inf, "no number is finite: every one is -inf"),
        (0.5, "every number is 0.5"),
        (0.0, "every number is 0: nothing was written, or another buffer was read"),
    ],
)
def test_one_number_everywhere_is_said(function, value, said):
    y = np.full((50, 64), value, np.float32)
    x = (RNG.normal(size=y.shape).astype(np.float32),) if function is refpos.rope else ()
    found = refpos.read(y, function, *x)
    assert found.kind == "unknown" and found.summary == said and found.call is None


def test_position_0_alone_is_a_table_and_a_copy_is_one():
    table = (np.ones((50, 32), np.float32), np.zeros((50, 32), np.float32))
    assert refpos.read(table, refpos.rope_table).kind == "rotary table"
    x = np.ones((50, 64), np.float32)
    assert refpos.read(x, refpos.rope, x).kind == "copy" or refpos.read(x, refpos.rope, x).call is not None


@pytest.mark.parametrize("values", [RNG.normal(size=(50, 64)), RNG.uniform(-1, 1, (50, 64))])
def test_numbers_whose_squares_add_up_to_nothing_are_no_table(values):
    found = refpos.read(values.astype(np.float32), refpos.rope_table)
    sizes = values[:, :32] ** 2 + values[:, 32:] ** 2
    assert found.kind == "unknown" and found.summary.startswith("no rotary table: cos^2 + sin^2 of one pair differs")
    low, high = (float(one) for one in found.summary.split("row, ")[1].split(" to "))
    assert np.allclose([low, high], [sizes.min(), sizes.max()], rtol=1e-3)
    # of unrelated angles the squares add up to 1
    angles = RNG.uniform(-np.pi, np.pi, (50, 32))
    table = np.concatenate([np.cos(angles), np.sin(angles)], -1).astype(np.float32)
    assert refpos.read(table, refpos.rope_table).kind == "rotary table"
