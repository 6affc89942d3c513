"""ALiBi slopes and biases against the witness, at the distances and ties where others go wrong."""

import math
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import witness
from tiers import sampled
from witness import second

from refpos import InputError, InputTypeError
from refpos.arithmetic import hard_cases
from refpos.relative.alibi import alibi
from refpos.relative.alibi_slopes import alibi_slopes

module = sys.modules["refpos.relative.alibi"]  # in refpos.relative stands the function
FORMATS = ("float64", "float32", "float16", "bfloat16")
CONVENTIONS = ("recursive", "geometric")
MODES = ("causal", "symmetric", "linear")
TELLING = [
    0, 1, 2, 10, 255, 256, 257, 2047, 2048, 2049, 2051, 4095, 4096, 4097, 65503, 65504, 65519, 65520, 65535, 65536,
    131071, 131072, 262144, 999983, 2**24 - 1, 2**24 + 1, 2**31 - 1, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 7, 2**53,
]  # fmt: skip


def bits(array):
    return np.asarray(array).view(f"u{array.itemsize}")


@pytest.mark.exhaustive
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_slopes_of_1_to_128_heads_are_correctly_rounded(convention):
    for heads in range(1, 129):
        exact = witness.alibi_slopes(heads, convention=convention)
        for name in FORMATS:
            got = alibi_slopes(heads, convention=convention, dtype=name)
            assert got.shape == (heads,) and got.dtype.name == name
            np.testing.assert_array_equal(bits(got), witness.patterns(exact, name), f"{heads} heads, {name}")


@pytest.mark.parametrize("heads", [32, 33, 112])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_slopes_of_many_heads_are_correctly_rounded(convention, heads):
    """More than 32 are made together, as pairs."""
    exact = witness.alibi_slopes(heads, convention=convention)
    for name in FORMATS:
        got = alibi_slopes(heads, convention=convention, dtype=name)
        np.testing.assert_array_equal(bits(got), witness.patterns(exact, name), name)


def test_slopes_of_many_heads_that_pairs_do_not_decide(monkeypatch):
    halving = alibi_slopes(1100, convention="halving")
    assert halving[1074] == 5e-324 and not halving[1075:].any()  # 2**-1075 is halfway between two numbers
    expected = alibi_slopes(48, convention="geometric", max_bias=9), alibi_slopes(40, convention="halving")
    monkeypatch.setattr(hard_cases, "inverse_powers_of_two", lambda exponents: hard_cases.unknown(len(exponents)))
    np.testing.assert_array_equal(alibi_slopes(48, convention="geometric", max_bias=9), expected[0])
    np.testing.assert_array_equal(alibi_slopes(40, convention="halving"), expected[1])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "max_bias",
    [1, 16, 0.1, 7.5, np.float32(0.3), Fraction(8, 3), Fraction(1, 10**9 + 7), 1e-12, 1e-300, 900, 1100, 20000, 1e308],
)
def test_max_bias_is_taken_exactly(max_bias):
    exactly = Fraction(max_bias) if isinstance(max_bias, (int, Fraction)) else Fraction(float(max_bias))
    for heads, convention in ((1, "recursive"), (6, "recursive"), (6, "geometric"), (40, "recursive")):
        exponents = witness.alibi_exponents(heads, convention, exactly)
        for name in FORMATS:
            # below half the smallest number of any format, 2**-2000 stands for all smaller ones
            exact = [second.slope_times(min(e, Fraction(2000)), 1) for e in exponents]
            expected = [witness.round_fraction(value, name) for value in exact]
            got = alibi_slopes(heads, convention=convention, max_bias=max_bias, dtype=name)
            assert bits(got).tolist() == expected, (heads, convention, name)


@pytest.mark.exhaustive
def test_slopes_are_those_of_bloom_and_mpt():
    # their procedures in float64; Python's own power, as that of NumPy is off by several ulp on some machines
    for heads in range(1, 129):
        ours = alibi_slopes(heads)
        power = 2 ** math.floor(math.log2(heads))
        exponents = [*range(1, power + 1)]
        bloom = [(2 ** -(2 ** -(math.log2(power) - 3))) ** k for k in exponents]
        for k in range(1, 1 + 2 * (heads - power), 2):
            bloom.append((2 ** -(2 ** -(math.log2(2 * power) - 3))) ** k)
            exponents.append(k)
        # a base rounded to float64 is off by 2**-53, and k times that after its power; one ulp for the power itself
        assert (abs(np.array(bloom) / ours - 1) <= (np.array(exponents) + 3) * 2.0**-53).all(), heads
        for max_bias in (8, 16, 5.5):
            full = 2 ** math.ceil(math.log2(heads))
            mpt = [1 / 2 ** (k * (max_bias / full)) for k in range(1, full + 1)]
            mpt = np.array(mpt if full == heads else [*mpt[1::2], *mpt[::2]][:heads])
            ours = alibi_slopes(heads, max_bias=max_bias)
            assert (abs(mpt - ours) <= np.spacing(ours)).all(), (heads, max_bias)


def test_conventions_agree_for_powers_of_two_only():
    for heads in range(1, 65):
        same = np.array_equal(alibi_slopes(heads), alibi_slopes(heads, convention="geometric"))
        assert same == (heads & (heads - 1) == 0), heads
    assert (np.diff(alibi_slopes(12)) > 0).any() and (np.diff(alibi_slopes(12, convention="geometric")) < 0).all()


@pytest.mark.parametrize("name", sampled(FORMATS, 4))
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_products_at_telling_distances(name, convention):
    for heads in (1, 5, 8, 12, 16, 112):
        exact = witness.formulas.products(witness.alibi_exponents(heads, convention), [-d for d in TELLING])
        expected = witness.patterns(exact, name)
        for k, distance in enumerate(TELLING):
            got = alibi(heads, 1, 1, convention=convention, query_offset=distance, dtype=name)
            np.testing.assert_array_equal(bits(got)[:, 0, 0], expected[:, k], f"{heads} heads, distance {distance}")


@pytest.mark.exhaustive
@pytest.mark.parametrize("convention, heads, max_bias", [
    ("recursive", 12, 8), ("geometric", 10, 8), ("recursive", 8, 8), ("recursive", 7, Fraction(17, 10)),
    ("geometric", 3, 40),
])  # fmt: skip
def test_every_distance_to_4100_and_random_ones_to_the_limit(convention, heads, max_bias):
    # 40 heads in all, times 5001 distances
    exponents = witness.alibi_exponents(heads, convention, max_bias)
    far = -np.random.default_rng(heads).integers(0, 2**32, 900)
    exact = witness.formulas.products(exponents, [*range(-4100, 1)])
    random = witness.formulas.products(exponents, far.tolist())
    for name in FORMATS:
        near = alibi(heads, 1, 4101, convention=convention, max_bias=max_bias, dtype=name)
        np.testing.assert_array_equal(bits(near)[:, 0], witness.patterns(exact, name), name)
        fmt = module.formats.resolve(name)
        values = np.empty((heads, len(far)), fmt.storage)
        module.multiply(module.slopes_of(heads, convention, Fraction(max_bias)), far, values, fmt)
        np.testing.assert_array_equal(bits(values), witness.patterns(random, name), name)


@pytest.mark.parametrize("name, precision", [("float16", 11), ("bfloat16", 8)])
def test_ties_of_power_of_two_slopes_go_to_even(name, precision):
    got = bits(alibi(8, 1, 5001, dtype=name))[:, 0]
    ties = 0
    for head in range(8):
        for distance in range(5001):
            odd = distance // (distance & -distance) if distance else 0
            if odd.bit_length() == precision + 1:  # one bit too many: halfway between two values
                ties += 1
                expected = witness.round_fraction(Fraction(-distance, 2 ** (head + 1)), name)
                assert got[head, 5000 - distance] == expected, (head, distance)
    assert ties > 1000


def test_products_are_rounded_from_the_exact_slope():
    # what rounding the slope first would give: it must differ somewhere, else the test above could not tell
    for name in ("float64", "float32"):
        once = alibi(12, 1, 4096, dtype=name)[:, 0]
        twice = alibi_slopes(12, dtype=name)[:, None] * np.arange(-4095, 1).astype(name)
        assert np.count_nonzero(once != twice) > 1000


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query_len, key_len, query_offset", [
    (5, 5, None), (1, 9, None), (9, 1, None), (3, 8, None), (8, 3, None), (4, 6, 0), (4, 6, 100), (4, 6, -100),
    (2, 3, -2), (6, 2, 3), (1, 1, None), (1, 1, 7), (0, 4, None), (4, 0, None), (0, 0, None),
])  # fmt: skip
def test_modes_sizes_and_offsets(mode, query_len, key_len, query_offset, name):
    for heads in (1, 3):
        got = alibi(heads, query_len, key_len, mode=mode, query_offset=query_offset, dtype=name)
        assert got.shape == (heads, query_len, key_len) and got.dtype.name == name
        if got.size:
            expected = witness.alibi(heads, query_len, key_len, name, mode=mode, query_offset=query_offset)
            np.testing.assert_array_equal(bits(got), expected)
        view = alibi(heads, query_len, key_len, mode=mode, query_offset=query_offset, dtype=name, view=True)
        assert view.shape == got.shape and view.dtype == got.dtype and not view.flags.writeable
        np.testing.assert_array_equal(view.copy().view(bits(got).dtype), bits(got))


def test_zero_distance_is_positive_zero_and_the_future_is_masked():
    for mode in MODES:
        got = alibi(3, 4, 4, mode=mode)
        diagonal = got[:, np.arange(4), np.arange(4)]
        assert (diagonal == 0).all() and not np.signbit(diagonal).any(), mode
    for name in FORMATS:
        got = alibi(2, 4, 4, dtype=name).astype(np.float64)
        assert (np.isneginf(got) == np.triu(np.ones((4, 4), bool), 1)).all()


def test_float16_overflows_as_rounding_to_nearest_does():
    got = alibi(1, 1, 65521, max_bias=Fraction(1, 10**9), dtype="float16")[0, 0]
    assert got[0] == np.float16(-65504)  # 65520 times a slope just below 1
    got = alibi(1, 1, 70001, max_bias=Fraction(1, 10**9), dtype="float16")[0, 0]
    assert got[0] == -np.inf and got[4481] == -65504
    assert alibi(1, 1, 1, max_bias=1, query_offset=2 * 65520, dtype="float16")[0, 0, 0] == -np.inf  # a tie, to even
    assert alibi(1, 1, 1, max_bias=1, query_offset=2 * 65520 - 1, dtype="float16")[0, 0, 0] == -65504


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("offset", [20, 2**20 + 3, 2**31 + 3])
@pytest.mark.parametrize("max_bias", [Fraction(85), 899, 1000, 1045, 1085, 1100, 20000, 0.01])
def test_tiny_slopes_and_subnormal_products(name, max_bias, offset):
    exponents = [min(e, Fraction(3000)) for e in witness.alibi_exponents(3, "geometric", max_bias)]
    got = alibi(3, 1, 40, mode="linear", query_offset=offset, convention="geometric", max_bias=max_bias, dtype=name)
    expected = witness.patterns(witness.formulas.products(exponents, [*range(-offset, 40 - offset)]), name)
    np.testing.assert_array_equal(bits(got)[:, 0], expected)


@pytest.mark.parametrize("name", FORMATS)
def test_exact_path_agrees_with_the_fast_one(monkeypatch, name):
    fast = alibi(11, 3, 600, convention="geometric", mode="symmetric", dtype=name)
    monkeypatch.setattr(module, "LARGEST_EXACT", 0)
    slow = alibi(11, 3, 600, convention="geometric", mode="symmetric", dtype=name)
    np.testing.assert_array_equal(bits(fast), bits(slow))


def test_blocks_do_not_change_values(monkeypatch):
    whole = alibi(13, 4, 50, mode="linear")
    for block in (1, 60, 53 * 5):
        monkeypatch.setattr(module, "BLOCK", block)
        np.testing.assert_array_equal(alibi(13, 4, 50, mode="linear"), whole)


@pytest.mark.exhaustive
def test_error_bound_of_the_fast_path_holds_and_is_not_idle():
    worst = 0
    for exponent in [Fraction(k, 12) * 8 for k in (1, 2, 4, 5, 7)] + [Fraction(1, 3), Fraction(999, 1000)]:
        slope = second.slope_times(exponent, 1)
        parts = np.array([module._parts(exponent)]).T[:3, :, None]
        rng = np.random.default_rng(1)
        distances = np.concatenate([rng.integers(1, 2**32, 2000), [1, 2**32 - 1]])
        total, rest = module._pair(*parts, distances.astype(np.float64))
        for k, distance in enumerate(distances.tolist()):
            product = slope * distance
            worst = max(worst, abs(Fraction(total[0, k]) + Fraction(rest[0, k]) - product) / product)
    assert Fraction(2) ** -97 < worst < Fraction(2) ** -92


@pytest.mark.parametrize("name", FORMATS)
def test_uncertain_products_are_found(name):
    # a rest that reaches the boundary must not be called certain
    fmt = module.formats.resolve(name)
    step = 2.0**-fmt.precision
    total = np.array([[1.0 + step, 1.0 + step + step / 8]]) if name != "float64" else np.array([[1.0, 1.0]])
    rest = np.array([[0.0, 0.0]]) if name != "float64" else np.array([[2.0**-53, 2.0**-56]])
    values = np.empty((1, 2), fmt.storage)
    certain = module._round(total, rest, np.array([[1.0]]), values, fmt)
    assert certain.tolist() == [[False, True]]


def test_view_is_small_and_shared():
    view = alibi(32, 4096, 4096, dtype="float32", view=True)
    assert view.shape == (32, 4096, 4096) and view.strides == (8191 * 4, -4, 4)
    assert np.shares_memory(view[0, 0, :1], view[0, 1, 1:2]) and view.nbytes == 2**31
    first = view[0, -1:, :1].__array_interface__["data"][0]
    last = view[-1, :1, -1:].__array_interface__["data"][0]
    assert last - first == (32 * 8191 - 1) * 4  # the whole of it, from the first address to the last
    with pytest.raises(ValueError):
        view[0, 0, 0] = 1
    with pytest.raises(ValueError):
        view.flags.writeable = True


@pytest.mark.parametrize("name", FORMATS)
def test_out_receives_the_values(name):
    expected = alibi(5, 3, 7, dtype=name)
    for out in (
        np.empty((5, 3, 7), expected.dtype),
        np.empty((7, 3, 5), expected.dtype).T,
        np.empty((5, 6, 14), expected.dtype)[:, ::-2, ::2],
    ):
        assert alibi(5, 3, 7, dtype=name, out=out) is out
        np.testing.assert_array_equal(bits(np.ascontiguousarray(out)), bits(expected))
    slopes = np.empty(5, expected.dtype)
    assert alibi_slopes(5, dtype=name, out=slopes) is slopes
    np.testing.assert_array_equal(slopes, alibi_slopes(5, dtype=name))


def test_bfloat16_patterns_need_no_package():
    out = np.empty((5, 3, 7), np.uint16)
    assert alibi(5, 3, 7, dtype="bfloat16", out=out) is out
    np.testing.assert_array_equal(out.view(ml_dtypes.bfloat16), alibi(5, 3, 7, dtype=ml_dtypes.bfloat16))


def test_threads_do_not_change_values():
    for threads in (1, 2, 7):
        np.testing.assert_array_equal(alibi(6, 9, 11, threads=threads), alibi(6, 9, 11))


READ_ONLY = np.empty((2, 3, 4))
READ_ONLY.flags.writeable = False
SWAPPED = np.empty((2, 3, 4), np.dtype("f8").newbyteorder())
FOLDED = np.lib.stride_tricks.as_strided(np.empty(99), (2, 3, 4), (8, 8, 8))


@pytest.mark.parametrize("arguments, options, code, argument, said", [
    ((0, 3, 4), {}, "E_SIZE", "num_heads", "num_heads must be at least 1, got 0"),
    ((2.0, 3, 4), {}, "E_SIZE", "num_heads", "num_heads must be an integer, got 2.0"),
    ((True, 3, 4), {}, "E_SIZE", "num_heads", "num_heads must be an integer, got True"),
    ((2, -1, 4), {}, "E_SIZE", "query_len", "query_len must be at least 0, got -1"),
    ((2, 3, "4"), {}, "E_SIZE", "key_len", "key_len must be an integer, got '4'"),
    ((2, 1, 2**60), {}, "E_TOO_LARGE", "out", "got 2 x 1 x 1152921504606846976 of float64"),
    ((2**40, 2**40, 2**40), {}, "E_TOO_LARGE", "out", "the result must have fewer than 2**63 bytes"),
    ((2**40, 2**40, 2**40), {"view": True}, "E_TOO_LARGE", "out", "the result must have fewer than 2**63 bytes"),
    ((2, 3, 4), {"mode": "future"}, "E_CHOICE", "mode", "'symmetric', 'linear', 'clipped', got 'future'"),
    ((2, 3, 4), {"convention": None}, "E_CHOICE", "convention", "one of 'recursive', 'geometric', 'halving', got None"),
    ((2, 3, 4), {"max_bias": 0}, "E_NUMBER", "max_bias", "max_bias must be greater than 0, got 0"),
    ((2, 3, 4), {"max_bias": -8.0}, "E_NUMBER", "max_bias", "max_bias must be greater than 0, got -8.0"),
    ((2, 3, 4), {"max_bias": float("nan")}, "E_NUMBER", "max_bias", "max_bias must be finite, got nan"),
    ((2, 3, 4), {"max_bias": float("inf")}, "E_NUMBER", "max_bias", "max_bias must be finite, got inf"),
    ((2, 3, 4), {"max_bias": "8"}, "E_NUMBER", "max_bias", "max_bias must be a real number, got '8'"),
    ((2, 3, 4), {"query_offset": 1.5}, "E_POSITION", "query_offset", "query_offset must be an integer, got 1.5"),
    ((2, 3, 4), {"query_offset": 2**53 + 1}, "E_POSITION", "query_offset", "query_offset must be at most"),
    ((2, 3, 4), {"query_offset": -(2**53) - 1}, "E_POSITION", "query_offset", "query_offset must be at least"),
    ((2, 3, 4), {"dtype": "int8"}, "E_DTYPE", "dtype", "got 'int8'"),
    ((2, 3, 4), {"threads": 0}, "E_SIZE", "threads", "threads must be at least 1, got 0"),
    ((2, 3, 4), {"view": 1}, "E_CHOICE", "view", "view must be True or False, got 1"),
    ((2, 3, 4), {"view": True, "out": np.empty((2, 3, 4))}, "E_OUT", "out", "out must be None with view=True, got nd"),
    ((2, 3, 4), {"out": [0.0]}, "E_OUT", "out", "out must be a NumPy array, got list"),
    ((2, 3, 4), {"out": np.empty((2, 4, 3))}, "E_OUT", "out", "out must have shape (2, 3, 4), got (2, 4, 3)"),
    ((2, 3, 4), {"out": np.empty((2, 3, 4), "f4")}, "E_OUT", "out", "out must have dtype float64, got float32"),
    ((2, 3, 4), {"out": SWAPPED}, "E_OUT", "out", "out must have dtype float64 in native byte order"),
    ((2, 3, 4), {"out": READ_ONLY}, "E_OUT", "out", "out must be writeable"),
    ((2, 3, 4), {"out": FOLDED}, "E_OUT", "out", "out must not overlap itself"),
    ((2, 3, 4), {"dtype": "float16", "out": np.empty((2, 3, 4), "u2")}, "E_OUT", "out", "out must have dtype float16"),
])  # fmt: skip
def test_errors(arguments, options, code, argument, said):
    with pytest.raises(InputError) as caught:
        alibi(*arguments, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert said in str(caught.value)


@pytest.mark.parametrize("heads, options, code, argument, kind", [
    (0, {}, "E_SIZE", "num_heads", InputError),
    (-3, {}, "E_SIZE", "num_heads", InputError),
    (8.0, {}, "E_SIZE", "num_heads", InputTypeError),
    (2**62, {}, "E_TOO_LARGE", "out", InputError),
    (8, {"convention": "paper"}, "E_CHOICE", "convention", InputError),
    (8, {"max_bias": 0.0}, "E_NUMBER", "max_bias", InputError),
    (8, {"max_bias": 1j}, "E_NUMBER", "max_bias", InputTypeError),
    (8, {"dtype": "float8"}, "E_DTYPE", "dtype", InputTypeError),
    (8, {"out": np.empty(7)}, "E_OUT", "out", InputError),
])  # fmt: skip
def test_slope_errors(heads, options, code, argument, kind):
    with pytest.raises(kind) as caught:
        alibi_slopes(heads, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("head_dim", sampled([80, 1, 2, 9, 18, 64, 128, 2**20 - 1], 8))
def test_products_divided_by_a_root(head_dim, name):
    """All distances to 1500, whole, rational and irrational roots."""
    for convention, heads in (("recursive", 12), ("geometric", 5), ("halving", 3)):
        exponents = witness.alibi_exponents(heads, convention)
        exact = witness.formulas.products(exponents, [*range(1501)], head_dim)
        got = alibi(heads, 1, 1501, anchor="key", mode="linear", convention=convention, head_dim=head_dim, dtype=name)
        np.testing.assert_array_equal(bits(got)[:, 0], witness.patterns(exact, name))


def test_a_view_of_other_anchors_is_the_bias():
    for mask in (None, [[0, 1, 1, 0], [1, 1, 1, 1]]):
        one = alibi(3, 5, 4, anchor="key", mode="linear", mask=mask, view=True)
        np.testing.assert_array_equal(one, alibi(3, 5, 4, anchor="key", mode="linear", mask=mask))
        assert not one.flags.writeable and one.strides[-2] == 0


# -- single queries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sampled(FORMATS, 4))
def test_kept_products_are_those_of_the_distances(dtype, monkeypatch):
    """Of single queries and others, at both ends of what is kept, in any order."""
    rng, calls, kept = np.random.default_rng(27), [], []
    for _ in range(150):
        heads, convention, mode = int(rng.integers(1, 40)), str(rng.choice(CONVENTIONS)), str(rng.choice(MODES))
        queries, keys = (1, int(2 ** rng.uniform(0, 11))) if rng.random() < 0.7 else rng.integers(0, 70, 2).tolist()
        options = {"mode": mode, "convention": convention, "view": bool(rng.random() < 0.2)}
        if rng.random() < 0.5:
            options["query_offset"] = int(rng.integers(-3, keys + 3))
        if rng.random() < 0.2:
            options["head_dim"] = int(rng.integers(1, 129))
        calls.append(lambda given=(heads, queries, keys), options=options: alibi(*given, dtype=dtype, **options))

    def counted(*given):
        kept.append(products_of(*given))
        return kept[-1]

    products_of = module._kept_products
    monkeypatch.setattr(module, "_kept_products", counted)
    found = [bits(call()).tolist() for call in calls]
    assert sum(one is not None for one in kept) > 50 and sum(one is None for one in kept) > 20
    monkeypatch.setattr(module, "_kept_products", lambda *given: None)
    assert found == [bits(call()).tolist() for call in calls]


def test_kept_products_are_not_handed_out():
    first = alibi(3, 1, 20)
    expected = first.tolist()
    first[...] = 7
    assert alibi(3, 1, 20).tolist() == expected and not np.shares_memory(alibi(3, 1, 20), alibi(3, 1, 20))


def test_slopes_that_need_integers_keep_no_products():
    """All the products of tiny slopes are rounded exactly: no more of them are made than the call has."""
    of = 6, "recursive", Fraction(20000), Fraction(1)
    assert module._kept_products(of, np.arange(-40, 1), module.formats.FORMATS["float64"]) is None
