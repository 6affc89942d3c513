"""Numbers at both ends of the range: every call ends soon, in the right number or in an error of refpos."""

from decimal import Decimal
from fractions import Fraction

import extremes
import numpy as np
import pytest
from mpmath import mp, mpf

import refpos
from refpos.arithmetic import formats, long_functions, reals, rounding

FLOAT64 = formats.FORMATS["float64"]


# -- calls at random --------------------------------------------------------------------------------------------------


def wrong_of(first, count):
    """What is wrong with the calls of so many seeds, and the suites that returned something."""
    found = list(extremes.results(first, count))
    assert [one.seed for one in found] == list(range(first, first + count)), "each seed once"
    return [one for one in found if one.wrong], {one.call.split()[0] for one in found if one.kind == "returned"}


def test_calls_with_extreme_numbers_end_in_a_result_or_an_error_of_refpos():
    wrong, returned = wrong_of(0, 300)
    assert wrong == [] and len(returned) > 120


@pytest.mark.long
def test_5000_calls_with_extreme_numbers():
    wrong, returned = wrong_of(10_000, 5_000)
    assert wrong == [] and len(returned) > 150


def results_of(calls, folder):
    """The `Result` of each expression, made in the place of the calls of the seeds 0, 1, ..."""
    program = folder / "calls.py"
    lines = ["import sys", f"sys.path.insert(0, {str(extremes.HERE)!r})", "from fractions import Fraction"]
    lines += ["import extremes, refpos, numpy as np", "from refpos.arithmetic import rounding"]
    lines += [f"calls = iter([{', '.join(f'lambda: {call}' for call in calls)}][int(sys.argv[2]):])"]
    lines += [
        "extremes.run.results = lambda *_: next(calls)()",
        f"extremes.child(range(int(sys.argv[2]), {len(calls)}))",
    ]
    program.write_text("\n".join(lines))
    return list(extremes.results(0, len(calls), str(program)))


PLANTED = {
    "ended by signal": "10 ** (10**9)",
    "ZeroDivisionError": "1 / 0",
    "RuntimeWarning": "np.float64(1e308) * 10",
    "AssertionError: a fraction of": "rounding.nearest_fraction(Fraction(10) ** 200_000, None)",
}


@pytest.mark.exhaustive
def test_the_check_sees(tmp_path):
    found = results_of(PLANTED.values(), tmp_path)
    assert [one.seed for one in found] == [0, 1, 2, 3]
    for kind, one in zip(PLANTED, found, strict=True):
        assert one.wrong and kind in one.kind, (kind, one)


def test_a_process_that_makes_no_call_is_an_error(tmp_path):
    program = tmp_path / "empty.py"
    program.write_text("raise SystemExit(0)")
    with pytest.raises(RuntimeError, match="no call was made"):
        list(extremes.results(0, 1, str(program)))


# -- calls that did not end, or took many seconds ---------------------------------------------------------------------

BOXES = [[0, 0, 1, 1], [1, 0, 1, 2]]
FAR = "refpos.frequencies.bands(4, rule='geometric', low=1e-300, high=1e300)"
SLOW = {
    "kerple": "refpos.relative.kerple([1.0], [1e-300], 1, 2, kind='log', least=1e-300)",
    "box_relation": f"refpos.relative.box_relation({BOXES}, 16, base=1e-300, scale=1e300)",
    "t5_buckets": "refpos.t5_buckets([5], bidirectional=False, num_buckets=2048, max_distance=2**50)",
    "fourier_bands": f"refpos.absolute.fourier_bands([[1e300]], {FAR}, factor=1e-300, order='kind-axis-band', "
    "dtype='float16')",
    "spherical_harmonics": "refpos.absolute.spherical_harmonics([[1e300, -1e300, 1e-300]], 64, "
    "convention='nerfstudio')",
    "integrated_fourier, angles": "refpos.absolute.integrated_fourier([[1e300]], [[1e300]], "
    "refpos.frequencies.bands(3, rule='geometric', low=1e-300, high=1e300), factor=1, order='kind-axis-band')",
    "integrated_fourier, variances": "refpos.absolute.integrated_fourier([[1.0]], [[1e300]], "
    "refpos.frequencies.bands(3, rule='geometric', low=5e-324, high=1), factor=1, order='kind-axis-band')",
    "mlp_positions": "refpos.absolute.mlp_positions([1], [1.0], None, [[1.0]], None, activation='identity', "
    "divisor=5e-324)",
    "box_relation, base": "refpos.relative.box_relation([[k, k % 3, k % 5 + 1, 7 - k] for k in range(6)], 16, "
    "base=1e304)",
    "distance_features": "refpos.relative.distance_features(4, 4, 180, basis='gamma', dtype='bfloat16', "
    "normalise='table')",
    "ltx2_audio": "refpos.models.positions('ltx2_audio', frames=10**6)",
}


@pytest.mark.exhaustive
def test_slow_calls_end_soon(tmp_path):
    for name, one in zip(SLOW, results_of(SLOW.values(), tmp_path), strict=True):
        assert one.kind == "returned" and one.seconds < extremes.SECONDS, (name, one.kind, one.seconds)


@pytest.mark.parametrize("a", [1e-15, 1e-30, 1e-33, 1e-34, 1e-35, 2.0**-140, 1e-300, 5e-324, 0.3, 1e300])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_kerple_of_a_small_number_is_its_logarithm(a, dtype):
    (found,) = refpos.relative.kerple([1.5], [a], 1, 4, kind="log", least=5e-324, dtype=dtype)[0]
    fmt = formats.FORMATS[dtype]
    with mp.workdps(1500):
        exact = [-mpf(1.5) * mp.log1p(mpf(a) * d) for d in (3, 2, 1)]
        scale = 2**4500
        wanted = [rounding.nearest(int(mp.nint(value * scale)), 4500, fmt) for value in exact]
    assert formats.bits(np.ascontiguousarray(found)).tolist() == [*wanted, 0]


def test_buckets_of_many_are_where_the_powers_say():
    half, end = 1024, 2**50
    edges = range(half, half + 400)
    found = refpos.t5_buckets([-edge for edge in edges], bidirectional=False, num_buckets=2048, max_distance=end)
    for edge, bucket in zip(edges[::37], found.tolist()[::37], strict=True):
        k = bucket - half  # (edge / half)**half lies from ratio**k to ratio**(k + 1)
        assert Fraction(end, half) ** k <= Fraction(edge, half) ** half < Fraction(end, half) ** (k + 1)


BEYOND = {
    "cosmos_learnable": lambda one: refpos.tables.cosmos_learnable(np.ones((3, 4, 2)), (2, 2, 2), eps=one),
    "fire": lambda one: refpos.relative.fire(
        [[1.0]], [0.0], [[1.0]], [0.0], 2, 2, c=one, length=1, eps=1, activation="relu", mode="clipped"
    ),
    "forget_gate": lambda one: refpos.relative.forget_gate([[0.0, 0.0]], mode="causal", scale=one),
}


@pytest.mark.parametrize("one", [2**1024, Fraction(10**400, 3)], ids=["integer", "fraction"])
@pytest.mark.parametrize("name", BEYOND)
def test_numbers_beyond_float64_are_refused(name, one):
    with pytest.raises(refpos.InputError, match="must be within float64, got"):
        BEYOND[name](one)


def test_temperatures_of_a_large_scale_at_position_0():
    assert refpos.scores.attention_temperature([0], attn_scale=1, floor_scale=1e-300, shift=0).tolist() == [1.0]


def test_frames_are_counted_before_they_are_made():
    with pytest.raises(refpos.InputError, match="at most a frame for each of 8 tokens, got 1000003"):
        refpos.positions.glm4v_positions([[0, 2, 0, 2, 0, 2, 2, 0]], video_grid_thw=[[10**6, 2, 2], [3, 4, 2]],
                               spatial_merge_size=2, version="transformers-5.23.0")  # fmt: skip


def test_a_flag_of_numpy_is_a_flag():
    made = refpos.relative.window_rows(2, 2, sign="absolute", class_token=np.bool_(True))
    assert (made == refpos.relative.window_rows(2, 2, sign="absolute", class_token=True)).all()


# -- ends of intervals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, wanted",
    [("1E-999999999999999999", 0), ("-1E-999999999999999999", 1 << 63), ("1E+999999999999999999", 0x7FF << 52),
     ("-1E+999999999999999999", 0xFFF << 52), ("0E+999999999999999999", 0), ("5E-324", 1), ("2.4E-324", 0),
     ("-1.5", 0xBFF8 << 48), ("1.8E+308", 0x7FF << 52)],
)  # fmt: skip
def test_decimals_of_any_exponent_are_rounded(text, wanted):
    assert rounding.nearest_decimal(Decimal(text), FLOAT64) == wanted


def test_an_interval_beyond_integers_is_undecided():
    digits = reals.Digits(40)
    for power in ("1E+200000", "-1E+200000"):
        with pytest.raises(reals.Undecided):
            reals.Interval(digits, Decimal(power), Decimal(power)).scaled(10)
    with pytest.raises(reals.Undecided):
        digits.exp(reals.Interval(digits, Decimal(0), Decimal("1E+300")))


@pytest.mark.parametrize("function, exact", [(long_functions.exp, mp.exp), (long_functions.log, mp.log)])
@pytest.mark.parametrize("text", ["7E+2", "12E+1", "5E+3"])
def test_long_functions_of_decimals_with_powers_of_ten(function, exact, text):
    digits = reals.Digits(150)
    with mp.workdps(400):
        low, high = (mpf(str(end)) for end in function(Decimal(text), digits.down, digits.up))
        value = exact(mpf(text))
        assert low < value < high and high - low < value * mpf(10) ** -148


@pytest.mark.parametrize("number", [3 * 10**2000 + 1, -(10**900), 7**5000, -(1 << 9000)])
@pytest.mark.parametrize("count", [20, 41, 160])
def test_long_integers_become_the_nearest_decimals(number, count):
    digits = reals.Digits(count)
    found = digits.of(number)
    assert (found.low, found.high) == (digits.down.create_decimal(number), digits.up.create_decimal(number))


@pytest.mark.parametrize("count", [150, 301, 1200])
def test_long_functions_enclose_narrowly(count):
    """Against mpmath with twice the digits, at arguments of all sizes; both ends are within 10**(2 - count)."""
    digits, compared = reals.Digits(count), 0
    numbers = [Fraction(n) for n in (2, 7, Fraction(1, 3), Fraction(10) ** 300, Fraction(1, 10**3000), 1 << 4000)]
    numbers += [1 + Fraction(sign, 10**k) for sign in (1, -1) for k in (1, 40, count - 10)]
    with mp.workdps(5 * count + 50):
        for number in numbers:
            for sign in (1, -1):
                x = number * sign
                for function, exact in ((long_functions.exp, mp.exp), (long_functions.log, mp.log)):
                    place = digits.of(x).low
                    ends = None if x < 0 and exact == mp.log else function(place, digits.down, digits.up)
                    if ends is None:
                        continue
                    value = exact(mpf(str(place)))
                    low, high = (mpf(str(end)) for end in ends)
                    assert low < value < high and high - low < abs(value) * mpf(10) ** (2 - count), (function, x)
                    compared += 1
    assert compared > 20
