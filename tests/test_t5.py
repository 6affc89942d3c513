"""T5 buckets and biases against the witness, at every edge, for every integer dtype and both directions."""

import ml_dtypes
import numpy as np
import pytest
import witness
from tiers import sampled

from refpos import InputError, InputTypeError
from refpos.relative.t5_bias import t5_bias
from refpos.relative.t5_buckets import bucket_edges, t5_buckets

SETTINGS = [(32, 128), (64, 256), (320, 800), (32, 20), (16, 128)]
ODD_SETTINGS = [(4, 3), (6, 9), (10, 1000), (34, 35), (512, 2048), (8, 2**40), (128, 100)]
FLOATS = ("float64", "float32", "float16", "bfloat16")
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def bits(array):
    return np.asarray(array).view(f"u{array.itemsize}")


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("setting", sampled(SETTINGS + ODD_SETTINGS, 4))
def test_every_distance_to_3000_and_far_ones(setting, bidirectional):
    num_buckets, max_distance = setting
    far = [2**k + d for k in range(12, 63) for d in (-1, 0, 1)] + [999983, HIGHEST]
    relative = np.array([*range(-3000, 3001), *far, *(-n for n in far), LOWEST])
    options = dict(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    got = t5_buckets(relative, **options)
    assert got.dtype == np.int64 and got.shape == relative.shape
    np.testing.assert_array_equal(got, witness.t5_buckets(relative, **options))
    # the table behind large arrays, and single numbers, say the same
    np.testing.assert_array_equal(t5_buckets(np.tile(relative, 3), **options), np.tile(got, 3))
    np.testing.assert_array_equal([t5_buckets(r, **options) for r in relative[2900:3100].tolist()], got[2900:3100])


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("setting", SETTINGS + ODD_SETTINGS)
def test_the_bias_of_one_query_has_the_buckets_of_the_witness(setting, bidirectional):
    """Twice, the second time from buckets that are kept; beyond their ends, and where they are too many to keep."""
    num_buckets, max_distance = setting
    options = dict(bidirectional=bidirectional, max_distance=max_distance)
    weight = np.arange(num_buckets, dtype=np.float32)[:, None]
    for offset in (0, 40, 2**11, 2**12, 2**53, -(2**11), -(2**53)):
        relative = np.arange(4200) - offset
        expected = witness.t5_buckets(relative, num_buckets=num_buckets, **options)
        for _ in range(2):
            got = t5_bias(weight, 1, 4200, query_offset=offset, **options)
            np.testing.assert_array_equal(got[0, 0], expected)


def test_the_smallest_settings():
    for bidirectional, num_buckets, max_distance, expected in (
        (False, 2, 2, [1, 1, 1, 1, 0, 0, 0]),
        (True, 4, 2, [1, 1, 1, 1, 0, 3, 3]),
        (False, 5, 3, [4, 4, 2, 1, 0, 0, 0]),
    ):
        got = t5_buckets(
            [-9, -3, -2, -1, 0, 1, 9], bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
        )
        assert got.tolist() == expected


def test_edges_that_are_whole_numbers_belong_to_the_upper_bucket():
    # 8 * 16**(k/8) is whole for every second k: a logarithm rounded down would put it one bucket low
    edges, upper = bucket_edges(32, 128, True)
    assert upper == 16 and edges.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
    got = t5_buckets([-16, -32, -64, -15, -31, -63], bidirectional=True)
    assert got.tolist() == [10, 12, 14, 9, 11, 13]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", "<i4", ">i8", ">u8"])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("max_distance", [128, 2**62])
def test_integer_dtypes_do_not_wrap(dtype, bidirectional, max_distance):
    info = np.iinfo(dtype)
    values = sorted({info.min, info.min + 1, max(info.min, -100), max(info.min, -1), 0, 1, 100, info.max - 1, info.max})
    options = dict(bidirectional=bidirectional, num_buckets=32, max_distance=max_distance)
    expected = [witness.formulas.t5_bucket(v, **options) for v in values]
    got = t5_buckets(np.array(values, dtype), **options)
    assert got.dtype == np.int64 and got.tolist() == expected


def test_shapes_and_containers():
    relative = np.arange(-30, 30).reshape(3, 4, 5)
    flat = witness.t5_buckets(np.arange(-30, 30), bidirectional=True)
    np.testing.assert_array_equal(t5_buckets(relative, bidirectional=True), flat.reshape(3, 4, 5))
    np.testing.assert_array_equal(t5_buckets(relative.tolist(), bidirectional=True), flat.reshape(3, 4, 5))
    turned = t5_buckets(relative[::-1, :, ::2].T, bidirectional=True)
    np.testing.assert_array_equal(turned, flat.reshape(3, 4, 5)[::-1, :, ::2].T)
    single = t5_buckets(-7, bidirectional=False)
    assert isinstance(single, np.ndarray) and single.shape == () and single == 7
    assert t5_buckets(np.int8(-128), bidirectional=False) == witness.t5_buckets(np.array(-128), bidirectional=False)
    assert t5_buckets(2**63, bidirectional=True) == 31 and t5_buckets(LOWEST, bidirectional=True) == 15
    for empty in ([], np.empty((0, 3), np.int32), [[], []]):
        got = t5_buckets(empty, bidirectional=True)
        assert got.shape == np.shape(empty) and got.dtype == np.int64
    with np.errstate(all="raise"):
        t5_buckets(np.array(LOWEST), bidirectional=True)


def test_buckets_into_out():
    relative = np.arange(-50, 50).reshape(10, 10)
    expected = t5_buckets(relative, bidirectional=True)
    out = np.empty((10, 20), np.int64)[:, ::2]
    assert t5_buckets(relative, bidirectional=True, out=out) is out
    np.testing.assert_array_equal(out, expected)


READ_ONLY = np.empty(3, np.int64)
READ_ONLY.flags.writeable = False
SHARED = np.arange(3)
BOTH = dict(bidirectional=True)
CAUSAL = dict(bidirectional=False)


@pytest.mark.parametrize("relative, options, code, argument, said", [
    ([1.0, 2.0], BOTH, "E_DTYPE", "relative_positions", "must be integers of at most 64 bits, got float64"),
    (3.0, BOTH, "E_DTYPE", "relative_positions", "must be integers of at most 64 bits, got float64"),
    (True, BOTH, "E_DTYPE", "relative_positions", "got bool"),
    (2**64, BOTH, "E_DTYPE", "relative_positions", "got object"),
    ([1, None], BOTH, "E_DTYPE", "relative_positions", "got object"),
    ("3", BOTH, "E_DTYPE", "relative_positions", "must be integers"),
    ([[1, 2], [3]], BOTH, "E_DTYPE", "relative_positions", "must be a rectangular array of integers"),
    (np.empty(0), BOTH, "E_DTYPE", "relative_positions", "got float64"),
    ([1], dict(bidirectional=1), "E_CHOICE", "bidirectional", "bidirectional must be True or False, got 1"),
    ([1], BOTH | dict(num_buckets=33), "E_SIZE", "num_buckets", "must be even with bidirectional=True, got 33"),
    ([1], BOTH | dict(num_buckets=2), "E_SIZE", "num_buckets", "num_buckets must be at least 4, got 2"),
    ([1], CAUSAL | dict(num_buckets=1), "E_SIZE", "num_buckets", "num_buckets must be at least 2, got 1"),
    ([1], CAUSAL | dict(num_buckets=2**40), "E_SIZE", "num_buckets", "num_buckets must be at most 2048"),
    ([1], CAUSAL | dict(num_buckets=32.0), "E_SIZE", "num_buckets", "num_buckets must be an integer, got 32.0"),
    ([1], BOTH | dict(max_distance=8), "E_SIZE", "max_distance", "max_distance must be at least 9, got 8"),
    ([1], CAUSAL | dict(max_distance=16), "E_SIZE", "max_distance", "max_distance must be at least 17, got 16"),
    ([1], CAUSAL | dict(max_distance=128.0), "E_SIZE", "max_distance", "max_distance must be an integer, got 128.0"),
    ([1], CAUSAL | dict(max_distance=2**63), "E_SIZE", "max_distance", "max_distance must be at most"),
    ([1, 2, 3], BOTH | dict(out=np.empty(3, np.int32)), "E_OUT", "out", "out must have dtype int64, got int32"),
    ([1, 2, 3], BOTH | dict(out=np.empty(4, np.int64)), "E_OUT", "out", "out must have shape (3,), got (4,)"),
    ([1, 2, 3], BOTH | dict(out=READ_ONLY), "E_OUT", "out", "out must be writeable"),
    (SHARED, BOTH | dict(out=SHARED), "E_OUT", "out", "out must not overlap"),
    ([1, 2, 3], BOTH | dict(out=[0, 0, 0]), "E_OUT", "out", "out must be a NumPy array, got list"),
])  # fmt: skip
def test_bucket_errors(relative, options, code, argument, said):
    with pytest.raises(InputError) as caught:
        t5_buckets(relative, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert said in str(caught.value)
    kinds = ("integer, got", "True or False", "NumPy array")
    assert isinstance(caught.value, InputTypeError) == (code == "E_DTYPE" or any(kind in said for kind in kinds))


def test_direction_has_no_default():
    with pytest.raises(TypeError):
        t5_buckets([1])
    with pytest.raises(TypeError):
        t5_bias(np.zeros((32, 1)), 1, 1)


def random_weight(rows, heads, name, seed=0):
    """Random bits, so NaNs with payloads, infinities and subnormals among them."""
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    raw = np.random.default_rng(seed).bytes(rows * heads * dtype.itemsize)
    return np.frombuffer(raw, dtype).reshape(rows, heads).copy()


def gathered(weight, query_len, key_len, query_offset, **options):
    """The bias by the definition, one pair of positions at a time."""
    relative = np.arange(key_len)[None] - (query_offset + np.arange(query_len))[:, None]
    return np.moveaxis(bits(weight)[witness.t5_buckets(relative, num_buckets=len(weight), **options)], -1, 0)


@pytest.mark.parametrize("name", FLOATS + ("uint16",))
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("query_len, key_len, query_offset", [
    (5, 5, 0), (1, 200, 199), (200, 1, 0), (7, 300, 293), (9, 4, -3), (40, 60, 10**6), (3, 3, -(2**53)), (1, 1, 0),
])  # fmt: skip
def test_bias_is_a_gather(name, bidirectional, query_len, key_len, query_offset):
    for rows, heads, max_distance in ((32, 3, 128), (16, 1, 20)):
        weight = random_weight(rows, heads, name, seed=rows)
        options = dict(bidirectional=bidirectional, max_distance=max_distance)
        expected = gathered(weight, query_len, key_len, query_offset, **options)
        for view in (False, True):
            got = t5_bias(weight, query_len, key_len, query_offset=query_offset, view=view, **options)
            assert got.shape == (heads, query_len, key_len) and got.dtype == weight.dtype
            np.testing.assert_array_equal(got.copy().view(expected.dtype), expected)
            assert got.flags.writeable != view


@pytest.mark.parametrize("name", FLOATS)
def test_weight_in_any_strides_and_byte_order(name):
    weight = random_weight(32, 6, name)
    expected = bits(t5_bias(weight, 40, 50, bidirectional=True))
    transposed = np.ascontiguousarray(weight.T).T
    strided = np.repeat(np.repeat(weight, 2, 0), 3, 1)[::-2, ::3][::-1]
    for other in (transposed, strided, weight.copy(order="F")):
        np.testing.assert_array_equal(bits(t5_bias(other, 40, 50, bidirectional=True)), expected)
    if name != "bfloat16":  # which knows no other byte order
        swapped = weight.byteswap().view(weight.dtype.newbyteorder())
        assert not swapped.dtype.isnative
        got = t5_bias(swapped, 40, 50, bidirectional=True)
        assert got.dtype.isnative
        np.testing.assert_array_equal(bits(got), expected)


def test_view_is_small_and_read_only():
    weight = random_weight(32, 16, "float32")
    view = t5_bias(weight, 4096, 4096, bidirectional=True, view=True)
    assert view.strides == (8191 * 4, -4, 4) and view.nbytes == 2**30
    assert np.shares_memory(view[0, 0, :1], view[0, 1, 1:2]) and not np.shares_memory(view[0, :1], weight)
    with pytest.raises(ValueError):
        view[0, 0, 0] = 1


def test_empty_sizes():
    weight = random_weight(32, 4, "float64")
    for sizes in ((0, 5), (5, 0), (0, 0)):
        for view in (False, True):
            assert t5_bias(weight, *sizes, bidirectional=True, view=view).shape == (4, *sizes)
    assert t5_bias(weight[:, :0], 3, 5, bidirectional=True).shape == (0, 3, 5)
    assert t5_bias(weight[:, :0], 3, 5, bidirectional=True, view=True).shape == (0, 3, 5)


def test_bias_into_out():
    weight = random_weight(32, 4, "bfloat16")
    expected = bits(t5_bias(weight, 6, 9, bidirectional=False))
    tagged, patterns = np.empty((4, 6, 9), ml_dtypes.bfloat16), np.empty((4, 6, 9), np.uint16)
    for out in (tagged, patterns, np.empty((9, 6, 4), np.uint16).T):
        assert t5_bias(weight, 6, 9, bidirectional=False, out=out) is out
        np.testing.assert_array_equal(out.copy().view(np.uint16), expected)
    np.testing.assert_array_equal(t5_bias(weight.view(np.uint16), 6, 9, bidirectional=False, num_buckets=32), expected)


WEIGHT = np.zeros((32, 2))
LARGE = np.zeros((32, 24))


@pytest.mark.parametrize("arguments, options, code, argument, said", [
    ((np.zeros((32, 2), int), 3, 4), BOTH, "E_DTYPE", "weight", "got int64"),
    ((np.zeros((32, 2), complex), 3, 4), BOTH, "E_DTYPE", "weight", "got complex128"),
    ((np.zeros((32, 2), object), 3, 4), BOTH, "E_DTYPE", "weight", "got object"),
    (([[1.0, 2.0], [3.0]], 3, 4), BOTH, "E_DTYPE", "weight", "weight must be an array of floats, got [["),
    ((np.zeros(32), 3, 4), BOTH, "E_SHAPE", "weight", "weight must have shape (num_buckets, heads), got (32,)"),
    ((WEIGHT, 3, 4), BOTH | dict(num_buckets=16), "E_SHAPE", "weight", "must have num_buckets = 16 rows, got 32"),
    ((WEIGHT[:31], 3, 4), BOTH, "E_SIZE", "num_buckets", "num_buckets must be even with bidirectional=True, got 31"),
    ((WEIGHT[:0], 3, 4), CAUSAL, "E_SIZE", "num_buckets", "num_buckets must be at least 2, got 0"),
    ((WEIGHT, -1, 4), BOTH, "E_SIZE", "query_len", "query_len must be at least 0, got -1"),
    ((WEIGHT, 3, 4.0), BOTH, "E_SIZE", "key_len", "key_len must be an integer, got 4.0"),
    ((WEIGHT, 3, 4), BOTH | dict(query_offset=None), "E_POSITION", "query_offset", "must be an integer, got None"),
    ((WEIGHT, 3, 4), BOTH | dict(query_offset=2**60), "E_POSITION", "query_offset", "query_offset must be at most"),
    ((WEIGHT, 3, 4), BOTH | dict(max_distance=8), "E_SIZE", "max_distance", "max_distance must be at least 9, got 8"),
    ((WEIGHT, 3, 4), dict(bidirectional=None), "E_CHOICE", "bidirectional", "must be True or False, got None"),
    ((WEIGHT, 3, 4), BOTH | dict(view="yes"), "E_CHOICE", "view", "view must be True or False, got 'yes'"),
    ((WEIGHT, 2**40, 2**40), BOTH, "E_TOO_LARGE", "out", "the result must have fewer than 2**63 bytes"),
    ((WEIGHT, 2**40, 2**40), BOTH | dict(view=True), "E_TOO_LARGE", "out", "must have fewer than 2**63 bytes"),
    ((WEIGHT, 3, 4), BOTH | dict(view=True, out=np.empty((2, 3, 4))), "E_OUT", "out", "must be None with view=True"),
    ((WEIGHT, 3, 4), BOTH | dict(out=np.empty((2, 3, 5))), "E_OUT", "out", "must have shape (2, 3, 4), got (2, 3, 5)"),
    ((WEIGHT, 3, 4), BOTH | dict(out=np.empty((2, 3, 4), "f4")), "E_OUT", "out", "dtype float64, got float32"),
    ((LARGE, 4, 8), BOTH | dict(out=LARGE.reshape(24, 4, 8)), "E_OUT", "out", "out must not overlap"),
])  # fmt: skip
def test_bias_errors(arguments, options, code, argument, said):
    with pytest.raises(InputError) as caught:
        t5_bias(*arguments, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert said in str(caught.value)
