"""Windows against plain loops: rectangles, strides, class rows, views without copies, and what is refused."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest
from witness import distances as witness

from refpos import InputError, window_bias
from refpos.relative import decomposed_rows, window_rows
from refpos.steps.distances import windows
from refpos.tables import resize_bias

SIGNS = ("query-key", "key-query", "absolute")


def bits(array):
    return np.asarray(array).view(f"u{array.itemsize}")


def random_weight(shape, dtype):
    """Random bits, so NaNs with payloads, infinities and subnormals among them."""
    dtype = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    raw = np.random.default_rng(len(shape)).bytes(int(np.prod(shape)) * dtype.itemsize)
    return np.frombuffer(raw, dtype).reshape(shape).copy()


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("height, width", list(product((1, 2, 5), (1, 3, 4))))
def test_rows_of_rectangles(height, width, sign):
    for options in ({}, {"class_token": True}, {"stride": 2}, {"stride": 3}, {"stride": 9}):
        ours = window_rows(height, width, sign=sign, **options)
        expected = witness.window_rows(height, width, sign=sign, **options)
        np.testing.assert_array_equal(ours, expected)
        assert ours.max() < windows.count_rows(height, width, sign, options.get("class_token", False))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "uint16"])
@pytest.mark.parametrize("sign", SIGNS)
def test_bias_is_a_gather_of_bits(sign, dtype):
    for height, width, heads in ((3, 5, 2), (1, 4, 1), (6, 2, 3)):
        for options in ({}, {"class_token": True}, {"stride": 2}):
            rows = witness.window_rows(height, width, sign=sign, **options)
            count = windows.count_rows(height, width, sign, options.get("class_token", False))
            weight = random_weight((count, heads), dtype)
            expected = np.moveaxis(bits(weight)[rows], -1, 0)
            for same in (weight, np.asfortranarray(weight), np.repeat(weight, 3, 0)[::3]):
                for threads in (1, 2):
                    ours = window_bias(same, height, width, sign=sign, threads=threads, **options)
                    np.testing.assert_array_equal(bits(ours), expected)
            if "class_token" not in options:
                view = window_bias(weight, height, width, sign=sign, view=True, **options)
                np.testing.assert_array_equal(bits(view.reshape(ours.shape)), expected)
                assert not view.flags.writeable


def test_a_view_is_smaller_than_the_bias():
    view = window_bias(random_weight((127 * 127, 4), "float32"), 64, 64, sign="query-key", view=True)
    assert view.shape == (4, 64, 64, 64, 64)
    spanned = (
        sum((size - 1) * abs(stride) for size, stride in zip(view.shape, view.strides, strict=True)) + view.itemsize
    )
    assert spanned < view.nbytes / 30


def test_a_bias_larger_than_a_cache():
    weight = random_weight((63 * 63, 5), "float32")
    expected = np.moveaxis(bits(weight)[window_rows(32, 32, sign="key-query")], -1, 0)
    np.testing.assert_array_equal(bits(window_bias(weight, 32, 32, sign="key-query")), expected)


@pytest.mark.parametrize("arguments, options, code, argument, said", [
    (((45, 2), 5, 5), {"sign": "query-key"}, "E_SHAPE", "weight", r"\(2 width - 1\) = 81 rows, got 45"),
    (((15, 2), 2, 3), {"sign": "query-key", "class_token": True}, "E_SHAPE", "weight", r"\+ 3 = 18 rows, got 15"),
    (((15, 2), 3, 3), {"sign": "absolute"}, "E_SHAPE", "weight", r"height \* width = 9 rows, got 15"),
    (((15, 2), 0, 3), {"sign": "absolute"}, "E_SIZE", "height", "height must be at least 1, got 0"),
    (((15, 2), 2, 3), {"sign": "swin"}, "E_CHOICE", "sign", "must be one of 'key-query', 'query-key', 'absolute'"),
    (((15, 2), 2, 3), {"sign": "query-key", "view": 1}, "E_CHOICE", "view", "view must be True or False, got 1"),
    (((15, 2), 2, 3), {"sign": "query-key", "view": True, "out": np.zeros(1)}, "E_OUT", "out", "None with view=True"),
    (((15, 2), 2, 3), {"sign": "query-key", "class_token": None}, "E_CHOICE", "class_token", "True or False, got None"),
])  # fmt: skip
def test_what_windows_refuse(arguments, options, code, argument, said):
    shape, *sizes = arguments
    with pytest.raises(InputError, match=said) as caught:
        window_bias(np.zeros(shape), *sizes, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_decomposed_rows_are_floors():
    for query, key in product(range(14), range(14)):
        np.testing.assert_array_equal(decomposed_rows(query, key), witness.decomposed_rows(query, key))
    assert decomposed_rows(16, 7)[15, 3] == 15 + 3 * 16 // 7


@pytest.mark.parametrize("method", ["swin", "beit", "levit", "geometric"])
def test_equal_windows_keep_their_bits(method):
    weight = random_weight((6 if method == "levit" else 15, 3), "float32")
    np.testing.assert_array_equal(bits(resize_bias(weight, (2, 3), (2, 3), method=method)), bits(weight))
    with_class = random_weight((9 if method == "levit" else 18, 3), "bfloat16")
    ours = resize_bias(with_class, (2, 3), (4, 2), method=method, class_token=True)
    np.testing.assert_array_equal(bits(ours[-3:]), bits(with_class[-3:]))


def test_the_geometric_rule_keeps_the_middle_and_holds_the_ends():
    weight = np.arange(-12.0, 13.0)[:, None]
    ours = resize_bias(weight, (3, 3), (9, 9), method="geometric").reshape(17, 17)
    assert ours[8, 8] == 0 and ours[0, 0] == -12 and ours[16, 16] == 12 and ours[8, 16] == 2
    np.testing.assert_array_equal(ours, -ours[::-1, ::-1])
