"""Resized tables and the sums behind them against dense matrices of exact fractions: every method, wide ranges of
numbers, ties, zeros, underflow, overflow, what is not finite."""

from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled
from witness import resampling, round_fraction

import refpos
from refpos import InputError, models, resize_table
from refpos.arithmetic import formats
from refpos.steps.rows import interpolation_weights, weighted_sums

NAMES = ("float64", "float32", "float16", "bfloat16")
TWO_CUBICS = (-0.75, -0.5)
METHODS = [
    *({"method": "linear", "align": align} for align in ("half-pixel", "corners")),
    *({"method": "cubic", "align": align, "cubic": a} for align in ("half-pixel", "corners") for a in TWO_CUBICS),
    {"method": "linear", "align": "half-pixel", "antialias": True},
    {"method": "cubic", "align": "half-pixel", "cubic": -0.5, "antialias": True},
    {"method": "linear", "align": "half-pixel", "border": "zeros"},
    {"method": "cubic", "align": "half-pixel", "cubic": -0.75, "border": "zeros"},
    {"method": "cubic", "align": "half-pixel", "cubic": -0.5, "border": "renormalise"},
    {"method": "nearest"},
    {"method": "nearest-exact"},
]


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def wanted(weight, size, name, **options):
    """Bit patterns by the witness, one number at a time."""
    given = {"align": None, "cubic": None, "antialias": False, "border": "clamp", **options}
    exact = resampling.resized(np.asarray(weight, np.float64), size, **given)
    return np.array([round_fraction(value, name) for value in exact]).reshape(*size, weight.shape[-1])


def assert_resized(weight, size, name="float64", **options):
    found = resize_table(weight, size, dtype=name, **options)
    np.testing.assert_array_equal(bits(found), wanted(weight, size, name, **options))
    return found


def numbers(rng, shape, spread=0):
    return np.ldexp(rng.standard_normal(shape), rng.integers(-spread, spread + 1, shape))


# -- every method -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", METHODS, ids=lambda options: "-".join(map(str, options.values())))
def test_every_method_in_one_to_three_axes_and_every_dtype(options):
    rng = np.random.default_rng(len(str(options)))
    for name, (old, new) in product(NAMES, [((5,), (8,)), ((4, 3), (3, 7)), ((2, 3, 4), (3, 3, 2)), ((1, 6), (4, 1))]):
        assert_resized(numbers(rng, (*old, 3)), new, name, **options)


@pytest.mark.parametrize("old, new", list(product(range(1, 6), range(1, 8))))
def test_every_small_pair_of_sizes(old, new):
    weight = numbers(np.random.default_rng(old), (old, 2))
    for k, options in enumerate(METHODS):
        assert_resized(weight, (new,), NAMES[(old + new + k) % 4], **options)


@pytest.mark.parametrize("scale", [Fraction(161, 140), 16.1 / 14, [1.1, Fraction(3, 2)], 0.3, 7, 2.0**-20])
def test_a_scale_that_is_given(scale):
    weight = numbers(np.random.default_rng(3), (6, 5, 2))
    held = [options for options in METHODS if options.get("align") != "corners"]
    assert len(held) > 7
    for k, options in enumerate(held):
        outside = options.get("border") == "renormalise" or options.get("antialias")
        if outside and min(np.atleast_1d(np.array(scale, float))) < 1:
            with pytest.raises(InputError, match="so that 6 rows lie in the grid"):
                resize_table(weight, (6, 4), scale=scale, **options)
            continue
        assert_resized(weight, (6, 4), NAMES[k % 4], scale=scale, **options)


def test_the_ends_stay_where_they_are_with_corners():
    weight = numbers(np.random.default_rng(4), (4, 7, 2))
    for options in METHODS:
        if options.get("align") == "corners":
            found = resize_table(weight, (9, 5), **options)
            np.testing.assert_array_equal(found[::8, ::4], weight[::3, ::6])


# -- sums that are hard to round --------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", sampled([500, 0, 30, 1000], 4))
@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_any_size_beside_each_other(name, spread):
    rng = np.random.default_rng(spread)
    for options in METHODS[:8]:
        weight = numbers(rng, (4, 3, 6), spread)
        weight[rng.random(weight.shape) < 0.3] = 0
        assert_resized(weight, (7, 5), name, **options)


@pytest.mark.parametrize(
    "largest", sampled([2.0**-1074, 2.0**1000, 2.0**-1022, 2.0**-950, 2.0**-149, 2.0**-24, 2.0**127], 4)
)
@pytest.mark.parametrize("name", NAMES)
def test_tables_that_are_tiny_or_huge_as_a_whole_and_in_one_channel(name, largest):
    rng = np.random.default_rng(7)
    weight = rng.integers(-9, 10, (4, 3, 4)) * largest
    weight[..., 1] = rng.standard_normal((4, 3))
    for options in METHODS[:8]:
        assert_resized(weight, (5, 4), name, **options)
        assert_resized(weight[..., :1], (5, 4), name, **options)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_ties_and_what_lies_just_beside_them(name):
    """Halves and quarters of neighbours are ties; a tiny number further on decides."""
    one = 2.0 ** formats.FORMATS[name].ulp_of_one
    weight = np.array([[1.0, 1.0, 1.0, -1.0], [1 + one, 1 + one, 1 + one, -1 - one], [0, 2.0**-60, -(2.0**-60), 0]])
    for options in METHODS[:8]:
        for size in (3, 5, 6, 9):
            assert_resized(weight, (size,), name, **options)
    ties = resize_table(weight, 5, method="linear", align="corners", dtype=name)
    assert (bits(ties)[1] & 1 == 0).all()  # row 1 is halfway, to even
    exponents = resize_table(weight * 2.0**-500, 5, method="linear", align="corners") * 2.0**500
    assert (exponents == resize_table(weight, 5, method="linear", align="corners")).all()


def test_sums_that_are_zero_have_no_sign_and_those_that_vanish_keep_theirs():
    weight = np.array([[-0.0, 1.0, -1e-60], [-0.0, -1.0, -1e-60]])
    for name in NAMES:
        found = resize_table(weight, 3, method="linear", align="corners", dtype=name)
        assert np.signbit(found.astype(float)).tolist()[1] == [False, False, True]
        assert not found[1, :2].any() and (found[1, 2] == 0) == (name != "float64")


def test_a_table_of_zeros_is_not_slow():
    """No entry of it needs fractions, in any format."""
    for name in NAMES:
        weight = np.zeros((14, 14, 64))
        weight[0, 0] = 1
        asked = []
        original, weighted_sums.exact_entry = (
            weighted_sums.exact_entry,
            lambda *args: asked.append(args) or original(*args),
        )
        try:
            resize_table(weight, (32, 32), method="cubic", align="half-pixel", cubic=-0.75, dtype=name)
        finally:
            weighted_sums.exact_entry = original
        assert len(asked) < 32 * 32


def test_sums_without_loss_and_fractions_are_all_used():
    """Each of the three ways decides something, and the same."""
    weight = numbers(np.random.default_rng(5), (5, 5, 3))
    options = {"method": "cubic", "align": "half-pixel", "cubic": Fraction(-3, 4), "antialias": False}
    axes = [weighted_sums.axis(interpolation_weights.of_axis(5, 7, border="clamp", scale=None, **options))] * 2
    for name in NAMES:
        fmt = formats.FORMATS[name]
        grid = weighted_sums.grid_of(weight, axes, fmt)
        every = np.indices((7, 7, 3)).reshape(3, -1)
        by_sums, by_fractions, by_doubles = (np.empty((7, 7, 3), fmt.storage) for _ in range(3))
        weighted_sums.fill_entries(by_sums, grid, tuple(every))
        for entry in every.T.tolist():
            by_fractions[tuple(entry)] = weighted_sums.exact_entry(grid, entry)
        weighted_sums.fill(by_doubles, weight, axes, fmt)
        np.testing.assert_array_equal(bits(by_sums), bits(by_fractions))
        np.testing.assert_array_equal(bits(by_sums), bits(by_doubles))


@pytest.mark.filterwarnings("error")
def test_results_beyond_the_range_are_infinite():
    weight = np.array([[3e38, 1e308, 65504.0], [3.4e38, 1.7e308, 65535.0]])
    for name in NAMES:
        assert_resized(weight, (3,), name, method="cubic", align="half-pixel", cubic=-0.75)
        assert_resized(weight, (5,), name, method="nearest")


def test_what_is_not_finite_reaches_the_rows_whose_weight_is_not_zero():
    weight = np.zeros((6, 4))
    weight[2], weight[3, 3] = (np.inf, -np.inf, np.nan, np.inf), -np.inf
    found = resize_table(weight, 11, method="linear", align="corners")
    assert (found[:3] == 0).all() and (found[7:, :3] == 0).all() and (found[8:] == 0).all()
    np.testing.assert_array_equal(found[3:6, :3], [[np.inf, -np.inf, np.nan]] * 3)
    np.testing.assert_array_equal(found[3:8, 3], [np.inf, np.inf, np.nan, -np.inf, -np.inf])
    # behind one row, a cubic is negative
    cubic = resize_table(weight[:, :1], 12, method="cubic", align="half-pixel", cubic=-0.5, dtype="bfloat16")
    assert set(cubic[:, 0].astype(float).tolist()) == {0.0, np.inf, -np.inf}
    narrow = resize_table(weight, 11, method="linear", align="corners", dtype="float32")
    assert set(bits(narrow[np.isnan(narrow)]).tolist()) == {0x7FC00000}


# -- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "uint16"])
@pytest.mark.parametrize("prefix", [0, 1, 2, 5])
def test_prefix_rows_and_nearest_ones_are_copied_bit_by_bit(name, prefix):
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    raw = np.random.default_rng(9).bytes((prefix + 12) * 3 * dtype.itemsize)
    weight = np.frombuffer(raw, dtype).reshape(-1, 3)
    found = resize_table(weight, (5, 2), method="nearest", prefix=prefix, grid=(4, 3))
    assert found.dtype == dtype and found.shape == (prefix + 10, 3)
    np.testing.assert_array_equal(bits(found)[:prefix], bits(weight)[:prefix])
    rows = [prefix + 3 * r + c for r in (0, 0, 1, 2, 3) for c in (0, 1)]
    np.testing.assert_array_equal(bits(found)[prefix:], bits(weight)[rows])
    linear = resize_table(weight, (5, 2), method="linear", align="half-pixel", prefix=prefix, grid=(4, 3))
    np.testing.assert_array_equal(bits(linear)[:prefix], bits(weight)[:prefix])
    grid = resize_table(weight[prefix:].reshape(4, 3, 3), (5, 2), method="linear", align="half-pixel")
    np.testing.assert_array_equal(bits(linear)[prefix:], bits(grid).reshape(-1, 3))


def test_patterns_are_read_as_bfloat16():
    weight = numbers(np.random.default_rng(2), (4, 4, 2)).astype(ml_dtypes.bfloat16)
    options = {"method": "cubic", "align": "half-pixel", "cubic": -0.5}
    tagged, plain = (resize_table(one, (6, 3), **options) for one in (weight, weight.view(np.uint16)))
    assert plain.dtype == np.uint16 and tagged.dtype == weight.dtype
    np.testing.assert_array_equal(bits(tagged), plain)
    np.testing.assert_array_equal(
        resize_table(weight.view(np.uint16), (6, 3), dtype="float64", **options),
        resize_table(weight.astype(float), (6, 3), **options),
    )
    out = np.empty((6, 3, 2), np.uint16)
    assert resize_table(weight, (6, 3), out=out, **options) is out and (out == plain).all()


def test_a_new_format_rounds_prefix_and_nearest_rows_once():
    weight = np.array([[1 + 2.0**-8 + 2.0**-40], [1 + 2.0**-8], [3e38]])
    found = resize_table(weight, 2, method="nearest", prefix=1, grid=(2,), dtype="bfloat16")
    assert found[:, 0].astype(float).tolist() == [1 + 2.0**-7, 1.0, float(ml_dtypes.bfloat16(3e38))]
    assert np.isinf(resize_table(weight, 2, method="nearest", prefix=1, grid=(2,), dtype="float16")[2, 0])


@pytest.mark.parametrize("threads", sampled([3, 1, 2, 7], 4))
def test_threads_and_blocks_change_nothing(threads, monkeypatch):
    weight = numbers(np.random.default_rng(1), (6, 5, 4), 20).astype(np.float32)
    options = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
    whole = resize_table(weight, (19, 11), threads=1, **options)
    monkeypatch.setattr(weighted_sums, "ROWS", 3)
    monkeypatch.setattr(weighted_sums, "ENTRIES", 5)
    for dtype in ("float32", "float64"):
        found = resize_table(weight, (19, 11), threads=threads, dtype=dtype, **options)
        np.testing.assert_array_equal(found.astype(np.float32) if dtype == "float64" else found, whole)


# -- sizes and refusals -----------------------------------------------------------------------------------------------


def test_no_rows_and_no_channels():
    weight = np.ones((3, 4, 2), np.float32)
    for options in METHODS:
        assert resize_table(weight, (0, 5), **options).shape == (0, 5, 2)
        assert resize_table(weight[..., :0], (2, 5), **options).shape == (2, 5, 0)
    found = resize_table(np.ones((13, 2)), (0, 5), method="nearest", prefix=1, grid=(3, 4))
    assert found.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize(
    "change, argument, said",
    [
        ({"align": None}, "align", "align must be one of 'half-pixel', 'corners', got None"),
        ({"cubic": None}, "cubic", "cubic must be -0.75 or -0.5, got None"),
        ({"cubic": -0.6}, "cubic", "cubic must be -0.75 or -0.5, got -0.6"),
        ({"method": "linear"}, "cubic", "cubic must be left out with method='linear', got -0.75"),
        (
            {"method": "nearest", "cubic": None},
            "align",
            "align must be left out with method='nearest', got 'half-pixel'",
        ),
        ({"method": "nearest", "cubic": None, "align": None, "antialias": True}, "antialias", "must be left out"),
        ({"method": "bicubic"}, "method", "method must be one of 'nearest', 'nearest-exact', 'linear', 'cubic'"),
        ({"antialias": True, "align": "corners"}, "align", "align must be 'half-pixel' with antialias, got 'corners'"),
        ({"antialias": True, "border": "clamp"}, "border", "border must be left out with antialias, got 'clamp'"),
        ({"scale": 2, "align": "corners"}, "scale", "scale must be left out with align='corners', got 2"),
        ({"scale": 0}, "scale", "scale must be greater than 0, got 0"),
        ({"scale": [1, 2, 3]}, "scale", "scale must have 2 numbers"),
        ({"scale": Fraction(1, 3**80)}, "scale", "scale must be a fraction of integers up to 2**64"),
        ({"scale": 1, "border": "renormalise"}, "scale", "scale must be at least 11/6 so that 6 rows lie in the grid"),
        ({"size": (6,)}, "weight", "weight must have shape (width, channels), got (3, 4, 2)"),
        ({"size": (6, 5, 4, 3)}, "size", "size must be one to three sizes, got (6, 5, 4, 3)"),
        ({"size": (6, -5)}, "size", "size must be at least 0, got -5"),
        ({"size": 2.5}, "size", "size must be an integer, got 2.5"),
        ({"prefix": 1}, "grid", "grid must be given with a prefix, got None with prefix 1"),
        ({"grid": (3,)}, "grid", "grid must have as many sizes as size, 2, got (3,)"),
        ({"grid": (3, 4)}, "weight", "weight must have shape (rows, channels), got (3, 4, 2)"),
        ({"grid": (3, 4), "prefix": 2, "weight": np.ones((13, 2))}, "weight", "must have 2 + 3 * 4 rows, got 13"),
        (
            {"weight": np.ones((3, 0, 2))},
            "weight",
            "weight must have 1 to 1048576 rows along each axis, got shape (3, 0, 2)",
        ),
        ({"weight": np.ones((3, 4, 2), int)}, "weight", "must have one of the dtypes"),
        ({"grid": (0, 4), "weight": np.ones((0, 2))}, "grid", "grid must be at least 1, got 0"),
        ({"grid": (14, 14), "prefix": 1, "weight": np.ones((196, 2))}, "weight", "have 1 + 14 * 14 rows, got 196"),
        ({"weight": np.ones((1, 3, 4, 2))}, "weight", "must have shape (height, width, channels), got (1, 3, 4, 2)"),
        ({"crop": (0, 2)}, "crop", "crop must be a list of pairs, got 0"),
        ({"crop": [(0, 2)]}, "crop", "crop must have a pair for each axis, 2, got [(0, 2)]"),
        (
            {"crop": [(0, 2), (3, 3)]},
            "crop",
            "pairs start < stop within the old sizes (3, 4), got [(0, 2), (3, 3)]",
        ),
        ({"crop": [(0, 4), (0, 4)]}, "crop", "pairs start < stop within the old sizes (3, 4), got [(0, 4), (0, 4)]"),
        ({"window": np.ones((2, 2))}, "window", "window must have shape (height, width, channels), got (2, 2)"),
        ({"window": np.ones((2, 2, 3))}, "window", "one row along each axis and 2 channels, got shape (2, 2, 3)"),
        (
            {"method": "nearest", "align": None, "cubic": None, "window": np.ones((1, 1, 2))},
            "window",
            "window must be left out with method='nearest', got ndarray",
        ),
        ({"threads": 0}, "threads", "threads must be at least 1, got 0"),
    ],
)
def test_what_is_refused(change, argument, said):
    call = {"weight": np.ones((3, 4, 2)), "size": (6, 5), "method": "cubic", "align": "half-pixel", "cubic": -0.75}
    resize_table(**call)
    with pytest.raises(InputError) as caught:
        resize_table(**{**call, **change})
    assert said in str(caught.value) and caught.value.argument == argument


@pytest.mark.parametrize(
    "name, sizes, shape, said",
    [
        ("vit_resize", {"grid": (12, 16)}, (193, 2), "grid must be a square, got 12 x 16"),
        ("vit_resize", {"size": (16,)}, (197, 2), "size must be 2 sizes, got [16]"),
        ("vit_resize", {"size": (16, -1)}, (197, 2), "size must be at least 0, got -1"),
        ("vit_resize", {}, (198, 2), "weight must have 1 + 14 * 14 rows, got 198"),
        ("deit_resize", {}, (197, 2), "weight must have 2 + 14 * 14 rows, got 197"),
        ("vit_resize", {}, (14, 14, 2), "weight must have shape (rows, channels), got (14, 14, 2)"),
        ("ast_resize", {"size": (0, 4)}, (1214, 2), "size must be at least 1, got 0"),
        ("timesformer_resize", {"grid": (12, 16)}, (193, 2), "grid must be a square, got 12 x 16"),
        ("radio_resize", {"grid": (0, 4)}, (0, 4, 2), "grid must be at least 1, got 0"),
    ],
)
def test_what_presets_refuse(name, sizes, shape, said):
    with pytest.raises(InputError) as caught:
        models.load(name, **sizes).table(np.ones(shape))
    assert said in str(caught.value)


def test_early_returns_of_presets():
    """A table that is taken as it is keeps its bits; where the code asks for the shape, another is resized."""
    weight = np.random.default_rng(4).standard_normal((197, 2)).astype(np.float32)
    for name in ("vit_resize", "timm_resize", "dino_resize", "timesformer_resize", "jax_vit_resize"):
        same = models.load(name, size=(14, 14), grid=(14, 14)).table(weight)
        np.testing.assert_array_equal(bits(same), bits(weight))
        wide = models.load(name, size=(7, 28), grid=(14, 14)).table(weight)
        assert np.array_equal(wide, weight) == (name == "timesformer_resize")
    pvt = models.load("pvt_resize", size=(7, 28), grid=(14, 14)).table(weight[1:])
    np.testing.assert_array_equal(bits(pvt), bits(weight[1:]))
    assert models.load("vit_resize", size=(0, 24)).table(weight).shape == (1, 2)


def test_a_window_is_added_before_the_one_rounding():
    rng = np.random.default_rng(6)
    weight, window = (numbers(rng, shape).astype(np.float32) for shape in ((3, 4, 2), (2, 3, 2)))
    options = {"method": "cubic", "align": "half-pixel", "cubic": -0.75, "dtype": "bfloat16"}
    own = resize_table(weight, (5, 7), window=window, **options)
    alone = {key: value for key, value in options.items() if key != "dtype"}
    exact = resampling.resized(
        weight.astype(float), (5, 7), **{**alone, "antialias": False, "border": "clamp"}, scale=None
    )
    held = [round_fraction(value, "bfloat16") for value in resampling.with_window(exact, (5, 7), window)]
    np.testing.assert_array_equal(bits(own).reshape(-1), held)
    twice = resize_table(weight, (5, 7), **options).astype(np.float32) + np.tile(window, (3, 3, 1))[:5, :7]
    assert (twice.astype(ml_dtypes.bfloat16) != own).any()


def test_out_may_not_be_the_weight():
    weight = np.ones((4, 2))
    with pytest.raises(InputError, match="out must not overlap"):
        resize_table(weight, 4, method="nearest", out=weight)


def test_the_witness_is_no_identity():
    """It tells the methods apart, on the grid of the real models."""
    weight = numbers(np.random.default_rng(0), (14, 1))
    found = {tuple(wanted(weight, (16,), "float64", **options).flat) for options in METHODS}
    assert len(found) > 8 and refpos.resize_table is resize_table
