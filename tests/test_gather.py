"""The gather of learned tables against plain loops over their bits: tables of any rank, any index, every dtype."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from refpos import InputError
from refpos.steps.rows import gather as step
from refpos.steps.rows.gather import gather, read_index, read_table

FLOATS = ("float64", "float32", "float16", "bfloat16")
NAMES = {1: ("entries",), 2: ("entries", "heads"), 3: ("heads", "rows", "columns")}


def bits(array):
    return np.asarray(array).view(f"u{array.itemsize}")


def random_weight(shape, name):
    """Random bits, so NaNs with payloads, infinities and subnormals among them."""
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    raw = np.random.default_rng(len(shape)).bytes(int(np.prod(shape)) * dtype.itemsize)
    return np.frombuffer(raw, dtype).reshape(shape).copy()


def table_of(weight):
    return read_table("weight", weight, NAMES[weight.ndim])


def offsets(height, width):
    """Row and column differences of the cells of a window, key minus query, from 0: two arrays (cells, cells)."""
    cells = list(product(range(height), range(width)))
    pairs = [[(b[k] - a[k] + (height, width)[k] - 1) for k in (0, 1)] for a in cells for b in cells]
    return [np.array(part).reshape(len(cells), len(cells)) for part in zip(*pairs, strict=True)]


@pytest.mark.parametrize("name", FLOATS + ("uint16",))
def test_a_plane_for_each_head_by_two_indices(name):
    """MaxViT: a table (heads, 2h - 1, 2w - 1), by row and column difference in a window of 2 x 3."""
    weight = random_weight((4, 3, 5), name)
    rows, columns = (read_index("index", part, size) for part, size in zip(offsets(2, 3), (3, 5), strict=True))
    result = gather(table_of(weight), rows, columns, axes=(1, 2))
    assert result.shape == (4, 6, 6) and result.dtype == weight.dtype
    for head, i, j in np.ndindex(4, 6, 6):
        row, column = j // 3 - i // 3 + 1, j % 3 - i % 3 + 2
        assert bits(result)[head, i, j] == bits(weight)[head, row, column]


@pytest.mark.parametrize("name", FLOATS)
def test_heads_last_in_the_table_by_one_flat_index(name):
    """Swin: a table ((2h - 1)(2w - 1), heads), whose entries the two differences number together."""
    weight = random_weight((15, 4), name)
    rows, columns = offsets(2, 3)
    flat = gather(table_of(weight), read_index("index", rows * 5 + columns, 15))
    planes = weight.reshape(3, 5, 4)
    assert flat.shape == (4, 6, 6)
    for head, i, j in np.ndindex(4, 6, 6):
        assert bits(flat)[head, i, j] == bits(planes)[j // 3 - i // 3 + 1, j % 3 - i % 3 + 2, head]
    by_two = gather(table_of(planes), rows, columns, axes=(0, 1))
    np.testing.assert_array_equal(bits(by_two), bits(flat))
    np.testing.assert_array_equal(bits(gather(table_of(weight.T), rows * 5 + columns, axes=(-1,))), bits(flat))


def test_channels_last_in_the_result():
    """Shaw: vectors of clipped distances, (queries, keys, channels)."""
    weight = random_weight((5, 3), "float32")
    distance = np.clip(np.arange(7)[None] - np.arange(4)[:, None], -2, 2) + 2
    result = gather(table_of(weight), distance, others="last")
    assert result.shape == (4, 7, 3)
    for i, j, channel in np.ndindex(4, 7, 3):
        assert bits(result)[i, j, channel] == bits(weight)[min(max(j - i, -2), 2) + 2, channel]


@pytest.mark.parametrize("others", ["first", "last"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (3, 1, 2, 2)])
def test_an_index_of_any_shape(shape, others):
    weight = random_weight((6, 2), "float16")
    index = np.random.default_rng(0).integers(0, 6, shape)
    expected = bits(weight)[index]
    result = gather(table_of(weight), read_index("index", index, 6), others=others)
    np.testing.assert_array_equal(bits(result), np.moveaxis(expected, -1, 0) if others == "first" else expected)
    # a table of one axis has an entry for each number and nothing else
    single = gather(table_of(weight[:, 0]), index, others=others)
    assert isinstance(single, np.ndarray) and single.shape == shape
    np.testing.assert_array_equal(bits(single), expected[..., 0])


@pytest.mark.parametrize("name", FLOATS)
def test_a_weight_in_any_strides_and_byte_order(name):
    weight = random_weight((9, 4), name)
    index = np.arange(12).reshape(3, 4) % 9
    expected = bits(gather(table_of(weight), index))
    read_only = weight.copy()
    read_only.flags.writeable = False
    strided = np.repeat(np.repeat(weight, 2, 0), 3, 1)[::-2, ::3][::-1]
    swapped = [weight.byteswap().view(weight.dtype.newbyteorder())] if name != "bfloat16" else []
    for other in (read_only, strided, weight.copy(order="F"), *swapped):
        result = gather(table_of(other), index)
        assert result.dtype.isnative
        np.testing.assert_array_equal(bits(result), expected)
    for other in (index.astype(">i2"), index.astype(np.uint8), np.repeat(index, 2, 1)[:, ::2], index.tolist()):
        np.testing.assert_array_equal(bits(gather(table_of(weight), read_index("index", other, 9))), expected)


@pytest.mark.parametrize("others", ["first", "last"])
@pytest.mark.parametrize("block", [1, 7, 1 << 18])
def test_out_of_any_strides_and_every_block_and_thread_count(monkeypatch, others, block):
    monkeypatch.setattr(step, "BLOCK", block)
    weight = random_weight((11, 3), "float32")
    index = np.random.default_rng(1).integers(0, 11, (13, 5))
    expected = bits(weight)[index]
    expected = np.moveaxis(expected, -1, 0) if others == "first" else expected
    weight_before, index_before = weight.copy(), index.copy()
    for threads in (None, 1, 3):
        wide = np.zeros(tuple(2 * size for size in expected.shape), np.float32)
        for out in (np.empty(expected.shape, "f4"), wide[::2, ::-2, 1::2], np.zeros(expected.shape[::-1], "f4").T):
            assert gather(table_of(weight), index, others=others, out=out, threads=threads) is out
            np.testing.assert_array_equal(bits(out), expected)
        assert not wide[1::2].any() and not wide[:, :, ::2].any()
    np.testing.assert_array_equal(bits(weight), bits(weight_before))
    np.testing.assert_array_equal(index, index_before)


@pytest.mark.parametrize(
    "index, size, said",
    [
        ([0, 5, 2], 5, "index must be within 0 .. 4, got 5"),
        ([0, -1], 5, "index must be within 0 .. 4, got -1"),
        (np.array([2**64 - 1], np.uint64), 5, "index must be within 0 .. 4, got 18446744073709551615"),
        ([0], 0, "index must be empty, as the table is, got 0"),
        ([0.0], 5, "index must be integers of at most 64 bits, got float64"),
        ([True], 5, "index must be integers of at most 64 bits, got bool"),
    ],
)
def test_an_index_out_of_range_is_refused(index, size, said):
    with pytest.raises(InputError) as caught:
        read_index("index", index, size)
    assert str(caught.value) == said and caught.value.argument == "index"


def test_a_table_without_entries_has_an_empty_index():
    assert gather(table_of(np.zeros((0, 3))), read_index("index", np.empty((2, 0), int), 0)).shape == (3, 2, 0)


@pytest.mark.parametrize(
    "weight, said",
    [
        (np.zeros((3, 2), int), "must have one of the dtypes float64, float32, float16, bfloat16, uint16, got int64"),
        (np.zeros((3, 2), complex), "got complex128"),
        (np.zeros(3), "weight must have shape (entries, heads), got (3,)"),
    ],
)
def test_a_weight_that_is_no_table_is_refused(weight, said):
    with pytest.raises(InputError) as caught:
        read_table("weight", weight, ("entries", "heads"))
    assert said in str(caught.value) and caught.value.argument == "weight"


def test_out_may_not_be_the_weight_or_the_index():
    weight = np.zeros((4, 4), np.float64)
    with pytest.raises(InputError, match="out must not overlap"):
        gather(table_of(weight), np.arange(4), out=weight)
