"""Rows of cells, boxes and fractions where golden cases do not reach: dtypes, and large inputs."""

from fractions import Fraction

import numpy as np
import pytest

import refpos


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64", ">i4"])
def test_every_integer_dtype_gives_the_same_rows(dtype):
    boxes = np.array([[9, 8, 2, 3], [1, 2, 30, 40]])
    made = refpos.positions.box_rows(boxes.astype(dtype), clip=20)
    assert made.dtype == np.int64 and made.tolist() == [[9, 8, 2, 3, 0, 0], [1, 2, 30, 40, 20, 20]]
    sizes = np.array([[3, 2], [1, 5]]).astype(dtype)
    for rule in ("quotient", "step"):
        assert np.array_equal(
            refpos.positions.fraction_rows(sizes, 4, rule=rule),
            refpos.positions.fraction_rows(sizes.tolist(), 4, rule=rule),
        )
    columns, rows = np.array([3, 0, 3, 3, 255]).astype(np.uint8), np.array([1, 1, 1, 2, 1])
    assert refpos.positions.cell_rows(columns, rows.astype(dtype)).tolist() == [0, 0, 2, 0, 0]


@pytest.mark.parametrize("side", [7, 27, 70])
def test_quotients_are_those_of_fractions(side):
    for n in range(1, 3 * side, 5):
        made = refpos.positions.fraction_rows([[n, 1]], side, rule="quotient")
        assert made.tolist() == [side * int(Fraction(i * side, n)) for i in range(n)]


def test_cells_of_long_tables():
    rng = np.random.default_rng(5)
    columns, rows = rng.integers(0, 3, (2, 4, 5000))
    made = refpos.positions.cell_rows(columns, rows)
    for line, cells in zip(made, np.stack([columns, rows], -1).tolist(), strict=True):
        assert line.tolist() == [k - cells.index(cell) for k, cell in enumerate(cells)]


def test_no_boxes_have_no_rows():
    assert refpos.positions.box_rows(np.zeros((2, 0, 4), int), clip=None, num_rows=1).shape == (2, 0, 6)
    with pytest.raises(refpos.InputError, match=r"boxes must have shape \(..., 4\), got \(\)"):
        refpos.positions.box_rows(3, clip=None)


def test_vectors_of_boxes_may_have_different_widths_side_by_side():
    tables = [np.arange(5.0 * width).reshape(5, width) for width in (2, 3, 1, 4)]
    made = refpos.tables.learned_boxes(tables, [[1, 2, 3, 4]], combine="concat", clip=None)
    parts = [tables[which][row] for which, row in ((0, 1), (1, 2), (0, 3), (1, 4), (2, 2), (3, 2))]
    assert np.array_equal(made[0], np.concatenate(parts))
    with pytest.raises(refpos.InputError, match=r"one width to be added, got \[2, 3, 1, 4\]"):
        refpos.tables.learned_boxes(tables, [[1, 2, 3, 4]], combine="sum", clip=None)
    with pytest.raises(refpos.InputError, match="weights must have one dtype, got float64, float32"):
        refpos.tables.learned_boxes(
            [tables[0], tables[1].astype("f4"), *tables[2:]], [1, 2, 3, 4], combine="concat", clip=None
        )


def test_means_meet_what_is_not_finite_as_sums_do():
    weight = np.array([[np.inf, 1.0], [-np.inf, 2.0], [np.nan, 3.0], [1.0, 4.0]])
    made = refpos.tables.mean_of_rows(weight, [[0, 3], [0, 1], [2, 3], [1, -1], [3, -1]])
    assert np.isposinf(made[0, 0]) and np.isnan(made[1:3, 0]).all() and np.isneginf(made[3, 0])
    assert made[:, 1].tolist() == [2.5, 1.5, 3.5, 2.0, 4.0] and made[4, 0] == 1


def test_rows_of_bit_patterns_are_those_of_bfloat16():
    weight = np.array([[0x3F80], [0x4000]], np.uint16)  # 1, 2
    assert refpos.tables.mean_of_rows(weight, [0, 1]).tolist() == [0x3FC0]
    assert refpos.tables.learned_boxes([weight] * 4, [0, 0, 1, 1], combine="sum", clip=None).tolist() == [0x4120]
