"""Rows of learned tables, tables of each axis, and tiles: copied bits, products and sums rounded once, refusals."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from witness import round_fraction

from refpos import InputError, learned
from refpos.tables import learned_axes, tile_table

NAMES = ("float64", "float32", "float16", "bfloat16")


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def random_bits(shape, name):
    """Any bits: NaNs with payloads, infinities, subnormals."""
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    return np.frombuffer(np.random.default_rng(3).bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)


@pytest.mark.parametrize("name", [*NAMES, "uint16"])
def test_all_three_copy_bits(name):
    weight = random_bits((2, 6, 3), name)
    rows = np.array([[5, 0], [3, 3]])
    np.testing.assert_array_equal(bits(learned(weight[0], rows)), bits(weight[0])[rows])
    np.testing.assert_array_equal(bits(learned(weight[0], 6)), bits(weight[0]))
    tiles = tile_table(weight, (3, 14))
    np.testing.assert_array_equal(bits(tiles), np.tile(bits(weight), (2, 3, 1))[:3, :14])
    both = bits(learned_axes(weight, (4, 6), combine="concat", axis_order="wh"))
    for r, c in np.ndindex(4, 6):
        assert both[r, c].tolist() == [*bits(weight)[1, c].tolist(), *bits(weight)[0, r].tolist()]
    assert learned(weight[0], 2).dtype == tiles.dtype == weight.dtype


@pytest.mark.parametrize("name", NAMES)
def test_products_and_sums_are_rounded_once(name):
    rng = np.random.default_rng(1)
    weight = rng.standard_normal((3, 4, 5)) * 2.0 ** rng.integers(-30, 30, (3, 4, 5))
    for scale in (Fraction(1, 3), 0.1, -7, 2.0**-64, Fraction(10**19, 3), 1):
        found = bits(learned(weight[0], [3, 1], scale=scale, dtype=name)).reshape(-1)
        exact = [Fraction(value) * Fraction(scale) for value in weight[0, [3, 1]].reshape(-1).tolist()]
        assert found.tolist() == [round_fraction(value, name) for value in exact]
    for axes in (2, 3):
        grid = (4, 3, 2)[:axes]
        found = bits(learned_axes(list(weight[:axes]), grid, combine="sum", dtype=name))
        for cell in np.ndindex(*grid):
            exact = [
                sum(map(Fraction, column))
                for column in zip(*(weight[k, i].tolist() for k, i in enumerate(cell)), strict=True)
            ]
            assert found[cell].tolist() == [round_fraction(value, name) for value in exact]


def test_a_bfloat16_sum_has_one_rounding():
    weight = np.array([[[1.0]], [[2.0**-8 + 2.0**-30]]])
    found = learned_axes(weight, (1, 1), combine="sum", dtype="bfloat16")
    assert found[0, 0, 0] == 1 + 2.0**-7  # by way of float32 it is a tie, and 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axes", [2, 3])
def test_a_sum_that_is_zero_is_positive(name, axes):
    negative = np.full((2, 3), 0x8000, np.uint16) if name == "bfloat16" else np.full((2, 3), -0.0, name)
    found = learned_axes([negative] * axes, (2,) * axes, combine="sum")
    assert not np.frombuffer(found.tobytes(), np.uint8).any()


def test_tables_may_differ_in_length_and_width():
    rows, columns = np.arange(6.0).reshape(3, 2), np.arange(100.0, 112.0).reshape(4, 3)
    found = learned_axes([rows, columns], (3, 4), combine="concat", axis_order="hw")
    assert found.shape == (3, 4, 5) and found[2, 1].tolist() == [4.0, 5.0, 103.0, 104.0, 105.0]
    with pytest.raises(InputError, match=r"weights must have one width to be added, got \[2, 3\]"):
        learned_axes([rows, columns], (3, 4), combine="sum")
    with pytest.raises(InputError, match="weights must have one dtype, got float64, float32"):
        learned_axes([rows, rows.astype("f4")], (2, 2), combine="sum")


def test_what_is_not_finite_and_zeros():
    weight = np.array([[np.inf, np.nan, -0.0], [1.0, -0.0, -np.inf]])
    assert learned(weight, 2, scale=-1).tolist()[0][0] == -np.inf and np.isnan(learned(weight, 2, scale=-1)[0, 1])
    assert bits(learned(weight, 1, scale=2))[0, 2] == 1 << 63  # -0 times 2, as IEEE 754 multiplies
    total = learned_axes(np.array([weight, -weight]), (2, 2), combine="sum")
    assert np.isnan(total[0, 0, :2]).all() and total[0, 1, 0] == np.inf and total[0, 1, 2] == np.inf


def test_the_limit_of_a_table_is_said():
    weight = np.ones((512, 2), np.float32)
    assert learned(weight, 512).shape == (512, 2)
    for rows, row in ((513, 512), ([0, 600], 600)):
        with pytest.raises(
            InputError, match=f"rows must lie within the 512 rows of the table, got row {row}"
        ) as caught:
            learned(weight, rows)
        assert caught.value.code == "E_POSITION" and caught.value.argument == "rows"
    with pytest.raises(InputError, match="grid must lie within the 512 rows of its table, got 513"):
        learned_axes([weight, weight], (2, 513), combine="sum")
    with pytest.raises(InputError, match="rows must be"):
        learned(weight, None)
    for scale in (2.0**65, 1e-30, Fraction(2**2000)):
        with pytest.raises(InputError, match=r"scale must be 0 or of a size from 2\*\*-64 to 2\*\*64") as caught:
            learned(weight, 2, scale=scale)
        assert caught.value.argument == "scale"


def test_many_equal_rows_are_made_once():
    weight = np.random.default_rng(0).standard_normal((3, 4))
    rows = np.random.default_rng(1).integers(0, 3, 100_000)
    np.testing.assert_array_equal(learned(weight, rows, scale=0.5), weight[rows] * 0.5)


def test_out_may_not_be_the_table():
    weight = np.ones((4, 2))
    for call in (lambda: learned(weight, 4, out=weight), lambda: tile_table(weight, 4, out=weight)):
        with pytest.raises(InputError, match="out must not overlap"):
            call()
