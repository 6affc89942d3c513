"""Comparison: distances against a count of neighbours, what counts as equal, formats that differ, refusals."""

import json
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from refpos import InputError, tensor_files
from refpos.arithmetic import formats
from refpos.conformance.compare import CHUNK, compare

TYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SIXTEEN = ("float16", "bfloat16")


def steps(one, other, kind):
    """The number of nextafter calls from one finite value to another."""
    one, other, count = kind(one), kind(other), 0
    nextafter = ml_dtypes_nextafter if kind is ml_dtypes.bfloat16 else np.nextafter
    while one != other:
        one, count = nextafter(one, other), count + 1
    return count


def ml_dtypes_nextafter(one, other):
    return np.nextafter(np.array(one, ml_dtypes.bfloat16), np.array(other, ml_dtypes.bfloat16))[()]


@pytest.mark.parametrize("name", TYPES)
def test_distance_is_the_number_of_neighbours(name):
    kind = TYPES[name]
    tiny = float(np.finfo(kind).smallest_subnormal if name != "bfloat16" else ml_dtypes.finfo(kind).smallest_subnormal)
    step = float(np.finfo(kind).eps if name != "bfloat16" else ml_dtypes.finfo(kind).eps)
    pairs = [
        (1.0, 1.0), (1.0, 1.0 + step), (1.0 - step, 1.0), (1.0 - 3 * step, 1.0 + 2 * step), (2.0, 2.0 + 6 * step),
        (0.0, tiny), (-0.0, tiny), (-tiny, tiny), (-3 * tiny, 5 * tiny), (-1.0 - step, -1.0), (-0.0, 0.0),
    ]  # fmt: skip
    for one, other in pairs:
        for a, e in ((one, other), (other, one)):
            report = compare(np.array([a], kind), np.array([e], kind))
            assert report.max_ulp == steps(a, e, kind), (name, a, e)
            assert report.dtype == name and report.max_abs_error == abs(a - e)


@pytest.mark.parametrize("name", SIXTEEN)
def test_every_pattern_of_sixteen_bits_lies_at_its_rank(name):
    patterns = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        values = patterns.view(TYPES[name]).astype(np.float64)
    ranks = {value: rank for rank, value in enumerate(sorted(set(values[~np.isnan(values)])))}  # -0.0 == 0.0: one rank
    finite = patterns[~np.isnan(values)]
    for fixed in (0x0000, 0x8001, 0x3C01, 0xFC00 if name == "float16" else 0xFF80):
        against = np.full(finite.shape, fixed, np.uint16)
        wanted = [abs(ranks[v] - ranks[values[fixed]]) for v in values[finite]]
        report = compare(finite, against, dtype=name)
        assert report.max_ulp == max(wanted)
        assert report.histogram["0"] == wanted.count(0) and report.histogram["1"] == wanted.count(1)
        assert report.histogram["17-256"] == sum(17 <= w <= 256 for w in wanted)
        assert sum(report.histogram.values()) == len(finite)


@pytest.mark.parametrize("name", TYPES)
def test_zeros_and_nans(name):
    kind = TYPES[name]
    zeros = compare(np.array([0.0, -0.0, 1.0], kind), np.array([-0.0, -0.0, 1.0], kind))
    assert zeros and zeros.zero_signs == 1 and zeros.different == 0 and zeros.max_ulp == 0
    assert "sign of zero differs in 1" in str(zeros)
    payload = np.array([np.nan], kind)
    other = (payload.view(f"u{payload.itemsize}") | 1).view(kind)
    assert compare(payload, -other) and payload.tobytes() != other.tobytes()
    for pair in ((np.nan, 1.0), (1.0, np.nan), (np.nan, np.inf)):
        report = compare(*(np.array([2.0, v], kind) for v in pair))
        assert not report and report.max_ulp == math.inf and report.nan_mismatches == 1 and report.histogram["NaN"] == 1
        assert report.max_abs_error == math.inf and report.worst.index == (1,) and report.met is None


def test_infinities_are_neighbours_of_the_largest_numbers():
    largest = np.finfo(np.float32).max
    report = compare(np.float32([np.inf, -np.inf, np.inf]), np.float32([np.inf, -np.inf, largest]))
    assert report.different == 1 and report.max_ulp == 1 and report.max_abs_error == math.inf
    assert compare(np.float64([np.inf]), np.float64([-np.inf])).max_ulp == 2 * 0x7FF0_0000_0000_0000


def test_worst_element_is_named_with_decimals_and_bits():
    expected = np.ones((2, 3), np.float32)
    actual = expected.copy()
    actual[1, 2] = np.float32(1.0000005)
    actual[0, 1] = np.nextafter(np.float32(1), np.float32(2))
    report = compare(actual, expected)
    assert report.worst == ((1, 2), "1.0000005", "1.0", "3f800004", "3f800000", 4, 4 * 2.0**-23)
    assert (report.count, report.different, report.fraction_off) == (6, 2, 2 / 6)
    assert report.histogram == {**dict.fromkeys(report.histogram, 0), "0": 4, "1": 1, "3-4": 1}
    text = str(report)
    assert (
        "2 of 6 elements of float32 off (33.3%)" in text
        and "(1, 2): 1.0000005 (0x3f800004) for 1.0 (0x3f800000)" in text
    )


def test_largest_ulp_distance_and_largest_absolute_error_are_both_named():
    expected = np.float32([1e-30, 1.0])
    report = compare(np.float32([1.1e-30, 1.0000002]), expected)
    assert report.worst.index == (0,) and report.worst_abs.index == (1,)
    assert report.worst.actual == "1.1e-30" and report.worst_abs.abs_error == report.max_abs_error == 2 * 2.0**-23
    assert "largest absolute error at (1,)" in str(report)


@pytest.mark.parametrize("name", TYPES)
def test_decimals_are_the_shortest_that_read_back(name):
    kind = TYPES[name]
    values = (np.random.default_rng(1).standard_normal(200) * 10.0 ** np.arange(-4, 4).repeat(25)).astype(kind)
    for value in values:
        shown = compare(np.array([value]), np.zeros(1, kind)).worst.actual
        assert np.float64(shown).astype(kind) == value
        if name != "bfloat16":
            assert len(shown) <= max(len(str(value)), 3) or float(shown) == float(str(value))
    assert compare(np.array([0.1], kind), np.zeros(1, kind)).worst.actual == "0.1"


def test_absolute_error_is_the_rounded_exact_difference():
    rng = np.random.default_rng(2)
    actual, expected = rng.standard_normal((2, 500)) * 10.0 ** rng.integers(-20, 20, (2, 500))
    exact = [abs(Fraction(a) - Fraction(e)) for a, e in zip(actual, expected, strict=True)]
    assert compare(actual, expected).max_abs_error == float(max(exact))
    for a, e, difference in zip(actual, expected, exact, strict=True):
        assert compare(np.array([a]), np.array([e])).max_abs_error == float(difference)


@pytest.mark.parametrize("at", [(5, 1, 1), (CHUNK // 2, 0, 1), (CHUNK - 1, 2, 1)])
def test_large_and_strided_arrays_are_seen_whole(at):
    actual, expected = (np.zeros((2, CHUNK, 3), np.float16).transpose(1, 2, 0) for _ in range(2))
    actual[at] = 1
    report = compare(actual, expected)
    assert report.count == 6 * CHUNK and report.different == 1 and report.worst.index == at
    limits = {"float64-angle": np.zeros(expected.shape)}
    assert not compare(actual, expected, bounds=limits).classes["float64-angle"].met
    limits["float64-angle"][at] = 1
    assert compare(actual, expected, bounds=limits).met == "float64-angle"


def test_empty_and_single():
    report = compare(np.empty((0, 3)), np.empty((0, 3)))
    assert (
        report and report.worst is None and report.count == 0 and report.fraction_off == 0 and report.met == "correct"
    )
    assert compare(1.5, np.float64(1.5)).shape == ()


# -- formats that differ ----------------------------------------------------------------------------------------------


def test_an_exact_value_is_rounded_once_to_a_narrower_answer():
    expected = np.float64([0.1, 1 / 3, 1e-50, 1e300, np.nan, -0.0])
    report = compare(np.float32([0.1, 1 / 3, 0, np.inf, np.nan, 0.0]), expected)
    assert report and report.dtype == "float32" and report.ties == 0 and report.zero_signs == 1
    assert "actual is float32, expected is float64: expected rounded once to float32" in str(report)
    assert compare(np.float32([0.1]), np.float64([0.1 + 2.5e-8])).max_ulp == 3
    for name in SIXTEEN:
        kind = TYPES[name]
        values = np.random.default_rng(3).standard_normal(1000) * 1e-4
        assert compare(values.astype(np.float32).astype(kind), values.astype(np.float32)).different == 0


@pytest.mark.parametrize("wide, narrow, half", [("float64", "float32", 2.0**-24), ("float32", "bfloat16", 2.0**-8)])
def test_halfway_values_accept_both_neighbours_and_no_other(wide, narrow, half):
    expected = np.full(4, 1 + half, TYPES[wide])  # the number behind it may lie on either side
    below, above = 1.0, 1 + 2 * half
    report = compare(np.array([below, above, 1 - half, 1 + 4 * half], TYPES[narrow]), expected)
    assert report.ties == 4 and report.different == 2 and report.max_ulp == 1
    assert "4 halfway" in str(report)
    beside = compare(np.array([above], TYPES[narrow]), np.array([1 + half - 2.0**-10 * half], TYPES[wide]))
    assert beside.ties == 0 and beside.max_ulp == 1


def test_halfway_between_the_largest_number_and_the_next():
    largest = np.finfo(np.float32).max
    middle = float(largest) + 2.0**103
    report = compare(np.float32([largest, np.inf]), np.float64([middle, middle]))
    assert report and report.ties == 2


def test_halfway_below_the_smallest_number():
    tiny = 2.0**-24
    report = compare(np.float16([0, tiny, tiny]), np.float64([tiny / 2, tiny / 2, -tiny / 2]))
    assert report.ties == 3 and report.different == 1 and report.max_ulp == 1


def test_a_wider_answer_is_rounded_and_said_to_be():
    report = compare(np.float64([0.1, 0.7]), np.float32([0.1, 0.7]))
    assert report and report.dtype == "float32"
    assert "actual is float64, expected is float32: actual rounded once to float32" in str(report)
    assert compare(np.float64([0.1]), np.float32([0.1]) + np.float32(1e-8)).max_ulp == 1


def test_dtype_names_the_format_to_compare_in():
    one, other = np.float64([1.0, 0.1]), np.float64([1.0, 0.1 + 1e-9])
    assert compare(one, other).different == 1
    report = compare(one, other, dtype="float32")
    assert report and report.dtype == "float32"
    patterns = np.array([0x3F80, 0x3F81], np.uint16)
    assert compare(patterns, patterns.view(ml_dtypes.bfloat16), dtype="bfloat16").dtype == "bfloat16"
    assert compare(patterns, np.float32([1, 1.0078125]), dtype="bfloat16")
    assert compare(np.array([0x3C00], np.uint16), np.float16([1]), dtype="float16")
    assert compare(tensor_files.Tensor("bfloat16", patterns), np.float32([1, 1.0078125])).dtype == "bfloat16"
    assert compare(patterns, patterns).dtype == "uint16"


# -- integers ----------------------------------------------------------------------------------------------------


def test_whole_numbers_differ_by_their_difference():
    report = compare(np.array([1, -3, 7], np.int32), np.array([1, 2, 7]))
    assert not report and report.max_ulp == 5 and report.max_abs_error == 5 and report.dtype == "int64"
    assert report.worst[:5] == ((1,), "-3", "2", "fffffffd", "0000000000000002")
    assert list(report.classes) == ["correct"]
    edges = np.array([2**63 - 1, -(2**63)])
    assert compare(edges, edges[::-1]).max_ulp == 2**64 - 2 and compare(edges, edges[::-1]).nan_mismatches == 0
    assert compare(np.array([200], np.uint8), np.array([200]))
    assert compare(np.array([True, False]), np.array([True, True])).different == 1


# -- classes ----------------------------------------------------------------------------------------------------------


def test_classes_are_judged_strictest_first_and_the_required_one_decides():
    expected = np.float32([1.0, 2.0, 0.0])
    actual = np.float32([1.0, 2.0 + 2.0**-21, 0.0])  # 2 ulp
    limits = {
        name: np.full(3, size)
        for name, size in (("bfloat16-table", 1e-2), ("float32-angle", 1e-6), ("float64-angle", 1e-9))
    }
    report = compare(actual, expected, bounds=limits)
    assert list(report.classes) == ["correct", "faithful", "float64-angle", "float32-angle", "bfloat16-table"]
    assert report.met == "float32-angle" and not report
    far = compare(actual, expected, bounds={"float64-angle": np.full(3, 1e-320)})
    assert far.classes["float64-angle"][:2] == (False, math.inf)
    assert report.classes["float32-angle"].ratio == 2.0**-21 / 1e-6 and report.classes["faithful"][:2] == (False, 2.0)
    assert "meets float32-angle" in str(report)
    assert compare(actual, expected, bounds=limits, conformance="float32-angle")
    assert not compare(actual, expected, bounds=limits, conformance="float64-angle")
    assert compare(np.float32([1]), np.float32([1 + 2.0**-23]), conformance="faithful")


def test_the_class_that_is_nearest_is_named_where_none_is_met():
    expected, actual = np.float32([1.0, 2.0, 0.0]), np.float32([1.0, 2.0 + 2.0**-21, 0.0])  # 2 ulp
    limits = {"float64-angle": np.full(3, 1e-9), "float32-angle": np.full(3, 2.0**-21 / 1.5)}
    assert "meets no class; nearest is float32-angle, whose bound is exceeded 1.5 times\n" in str(
        compare(actual, expected, bounds=limits)
    )
    assert "meets no class; nearest is faithful, whose bound is exceeded 2 times\n" in str(compare(actual, expected))
    # a NaN, and a bound that bounds nothing
    assert "meets no class\n" in str(compare(np.float32([np.nan]), np.float32([1.0])))
    assert "nearest is faithful" in str(compare(actual, expected, bounds={"float32-angle": np.full(3, np.inf)}))
    assert "meets no class\n" in str(compare(actual, expected, bounds={"float32-angle": np.full(3, -1.0)}))


def test_a_bound_is_for_its_element_alone():
    expected, actual = np.zeros(2), np.array([0.5, 0.25])
    assert compare(actual, expected, bounds={"float64-angle": np.array([0.5, 0.25])}).classes["float64-angle"].met
    assert not compare(actual, expected, bounds={"float64-angle": np.array([0.25, 0.5])}).classes["float64-angle"].met


def test_no_bound_lets_a_nan_pass():
    limits = {"float64-angle": np.array([np.inf])}
    report = compare(np.array([np.nan]), np.array([1.0]), bounds=limits)
    assert report.met is None and not report.classes["float64-angle"].met
    assert compare(np.array([np.nan]), np.array([np.nan]), bounds={"float64-angle": np.array([0.0])}).met == "correct"


def test_json_holds_everything_in_plain_values():
    report = compare(np.array([np.nan, 2.0]), np.array([1.0, 2.0]))
    plain = report.to_json()
    again = json.loads(json.dumps(plain, allow_nan=False))
    assert again == plain
    assert (
        plain["max_ulp"] == "inf"
        and plain["worst"]["index"] == [0]
        and plain["worst"]["expected_bits"] == "3ff" + "0" * 13
    )
    assert plain["met"] is None and plain["passed"] is False and plain["equal"] is False
    assert (
        plain["classes"]["correct"] == {"met": False, "ratio": "inf", "resolved": None}
        and plain["histogram"]["NaN"] == 1
    )
    assert compare(1.0, 1.0).to_json()["worst"] is None


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "actual, expected, options, code, message",
    [
        (np.zeros(3), np.zeros((3, 1)), {}, "E_SHAPE", r"shape \(3, 1\) of expected, got \(3,\)"),
        (np.float16([1]), np.array([1], ml_dtypes.bfloat16), {}, "E_DTYPE", "got actual float16 and expected bfloat16"),
        (np.float16([1]), np.array([1], ml_dtypes.bfloat16), {"dtype": "float32"}, "E_DTYPE", "with dtype float32"),
        (
            np.float32([1]),
            np.float32([1]),
            {"dtype": "float64"},
            "E_DTYPE",
            "float32 and expected float32 with dtype float64",
        ),
        (np.float32([1]), np.array([1]), {}, "E_DTYPE", "got float32 for int64"),
        (np.array([1]), np.array([1], ml_dtypes.bfloat16), {}, "E_DTYPE", "got int64 for bfloat16"),
        (np.array([True]), np.array([1]), {}, "E_DTYPE", "got bool for int64"),
        (np.array([1]), np.array([1]), {"dtype": "float32"}, "E_DTYPE", "got int64 for int64 with dtype float32"),
        (np.array([1j]), np.array([1.0]), {}, "E_DTYPE", "actual must have .* got complex128"),
        (np.array([1.0]), np.array(["x"]), {}, "E_DTYPE", "expected must have .* got <U1"),
        (np.array([1.0]), [[1.0], [2.0, 3.0]], {}, "E_DTYPE", "expected must be a rectangular array"),
        (np.array([2**63], np.uint64), np.array([1]), {}, "E_DTYPE", f"must fit in int64, got {2**63}"),
        (1.0, 1.0, {"dtype": "float8"}, "E_DTYPE", "dtype must be one of"),
        (
            1.0,
            1.0,
            {"conformance": "float32-angle"},
            "E_CHOICE",
            "one of 'correct', 'faithful', got 'float32-angle', which bounds= is needed to judge",
        ),
        (1.0, 1.0, {"conformance": "float32_angle"}, "E_CHOICE", "got 'float32_angle'$"),
        (1.0, 1.0, {"bounds": {"perfect": 0}}, "E_CHOICE", "among correct, .* got 'perfect'"),
        (np.ones(2), np.ones(2), {"bounds": {"float64-angle": 0.0}}, "E_SHAPE", r"must have shape \(2,\), got \(\)"),
    ],
)
def test_what_cannot_be_compared_is_refused(actual, expected, options, code, message):
    with pytest.raises(InputError, match=message) as caught:
        compare(actual, expected, **options)
    assert caught.value.code == code


@pytest.mark.parametrize("name", formats.FORMATS)
def test_an_overflow_is_no_last_place(name):
    fmt = formats.FORMATS[name]
    infinity = (1 << fmt.width - 1) - (1 << fmt.precision - 1)
    largest, inf = (tensor_files.Tensor(name, _of_pattern(pattern, fmt)) for pattern in (infinity - 1, infinity))
    for actual, expected in ((inf, largest), (largest, inf)):
        report = compare(actual, expected)
        assert report.max_ulp == 1 and report.met is None and report.classes["faithful"].ratio == np.inf
        assert "an infinity stands in place of another number, which no class allows" in str(report)
        assert not compare(actual, expected, conformance="faithful")
        with_bound = compare(actual, expected, bounds={"float32-angle": np.array([np.inf])})
        assert with_bound.met is None
    assert compare(inf, inf).met == "correct"
    beside = tensor_files.Tensor(name, _of_pattern(infinity - 2, fmt))
    assert compare(beside, largest).met == "faithful" and "infinity" not in str(compare(beside, largest))


def _of_pattern(pattern, fmt):
    stored = np.array([pattern], f"u{fmt.width // 8}")
    return stored if fmt.name == "bfloat16" else stored.view(fmt.name)


def test_an_overflow_of_a_difference_is_no_infinity():
    largest = np.finfo(np.float64).max
    assert "infinity" not in str(compare(np.array([largest]), np.array([-largest])))
