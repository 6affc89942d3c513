"""Numbers of 8 bits: every pattern and rounding beside ml_dtypes, the exact value of a call rounded once, MXFP8 blocks,
and tensor files and answers of 8-bit floats."""

from fractions import Fraction
from functools import partial

import ml_dtypes
import numpy as np
import pytest
from tiers import sampled

import refpos
import refpos.testing
from refpos import golden, tensor_files
from refpos.arithmetic import eight_bits, formats, rounding
from refpos.cli import main
from refpos.tables import round_float8, round_mxfp8

NAMES = ("float8_e4m3fn", "float8_e5m2")
CODES = np.arange(256, dtype=np.uint8)
names = pytest.mark.parametrize("name", NAMES)


def values_of(patterns, name):
    return patterns.view(getattr(ml_dtypes, name)).astype(np.float64)


def same(found, wanted, name):
    """Equal bits, NaN of either sign or payload being NaN."""
    numbers = values_of(found, name), values_of(wanted, name)
    return ((found == wanted) | (np.isnan(numbers[0]) & np.isnan(numbers[1]))).all()


def cast(values, name):
    with np.errstate(all="ignore"):
        return values.astype(getattr(ml_dtypes, name)).view(np.uint8)


def inputs():
    """Every float16 and bfloat16, random float32 and float64 of all sizes."""
    rng = np.random.default_rng(28)
    every = np.arange(1 << 16, dtype=np.uint16)
    yield every.view(np.float16)
    yield every.view(ml_dtypes.bfloat16)
    yield rng.integers(0, 1 << 32, 200_000, dtype=np.uint32).view(np.float32)
    yield np.ldexp(rng.uniform(-1, 1, 200_000), rng.integers(-30, 25, 200_000)).astype(np.float32)
    yield rng.integers(0, 1 << 64, 200_000, dtype=np.uint64).view(np.float64)


@names
def test_every_pattern_is_the_rounding_of_its_number(name):
    known = ~np.isnan(values_of(CODES, name))
    found = round_float8(values_of(CODES, name), dtype=name, saturate=False)
    assert (found == CODES)[known].all() and known.sum() > 248
    assert set(found[~known].tolist()) == {eight_bits.FORMATS8[name].nan}


@names
def test_roundings_are_those_of_ml_dtypes(name):
    for values in inputs():
        assert same(round_float8(values, dtype=name, saturate=False), cast(values, name), name), values.dtype


@names
def test_midpoints_and_their_neighbours(name):
    numbers = np.unique(values_of(CODES[:128], name))
    numbers = numbers[np.isfinite(numbers)]
    numbers = np.append(numbers, 2 * numbers[-1] - numbers[-2])  # what would come next
    middle = (numbers[1:] + numbers[:-1]) / 2
    even = np.where(np.arange(len(middle)) % 2, numbers[1:], numbers[:-1])
    for offset, wanted in ((0, even), (-1, numbers[:-1]), (1, numbers[1:])):
        values = middle if not offset else np.nextafter(middle, offset * np.inf)
        wanted = np.where(wanted == numbers[-1], np.inf, wanted)
        for sign in (1.0, -1.0):
            found = values_of(round_float8(sign * values, dtype=name, saturate=False), name)
            beyond = np.isinf(wanted)
            assert (found[~beyond] == sign * wanted[~beyond]).all() and (~np.isfinite(found[beyond])).all()


@names
def test_saturation(name):
    largest = np.nanmax(np.where(np.isfinite(values_of(CODES, name)), values_of(CODES, name), np.nan))
    for values in inputs():
        found = round_float8(values, dtype=name, saturate=True)
        with np.errstate(invalid="ignore"):  # signalling NaN patterns
            wanted = np.clip(values.astype(np.float64), -largest, largest)
        assert same(found, cast(wanted, name), name) and not np.isinf(values_of(found, name)).any()


def test_a_number_without_axes_has_a_pattern_without_axes():
    found = round_float8(np.float32(1.3), dtype="float8_e5m2", saturate=False)
    assert found.shape == () and found == 0x3D


def test_zeros_keep_their_signs():
    for name in NAMES:
        assert round_float8([0.0, -0.0, -(2.0**-60)], dtype=name, saturate=True).tolist() == [0, 128, 128]


# -- calls ------------------------------------------------------------------------------------------------------------

#: rotations by so little that float64 loses it, of channels that are halfway: (channels, position, E4M3 patterns)
TWICE = [
    ([1.1875, 0.0], 2.0**-40, [0x39, 0x00]),  # 19/16 less 2**-81: to 18/16, where the float64 rounds up to 20/16
    ([-1.1875, 0.0], 2.0**-40, [0xB9, 0x80]),
    ([1.0625, 2.0**-12], -(2.0**-50), [0x39, 0x00]),  # 17/16 and more: up, where the float64 rounds to even, down
]


@pytest.mark.parametrize(("x", "position", "wanted"), TWICE)
def test_a_call_is_rounded_once_where_rounding_twice_differs(x, position, wanted):
    call = partial(refpos.rope, np.array([x]), [position], pairing="half")
    found = round_float8(call, dtype="float8_e4m3fn", saturate=True)[0]
    assert found.tolist() == wanted
    twice = cast(call(), "float8_e4m3fn")[0]
    assert found[0] != twice[0], "the case must tell rounding twice"


def test_marks_say_on_which_side_the_exact_number_is():
    for value, wanted in ((1, 0), (1 + Fraction(1, 2**90), 1), (1 - Fraction(1, 2**90), -1), (Fraction(3, 2**60), 0)):
        plain, marked = (
            rounding.nearest_fraction(Fraction(value), f) for f in (formats.FORMATS["float64"], formats.MARKED)
        )
        assert marked - plain == wanted
        assert rounding.nearest_fraction(-Fraction(value), formats.MARKED) == marked | 1 << 63


CALLS = {
    "sinusoidal": partial(refpos.sinusoidal, 300, 64),
    "sinusoidal far": partial(refpos.sinusoidal, [2**31, 131072, 5], 64, base=500000),
    "sincos_2d": partial(refpos.sincos_2d, 7, 5, 32, axis_order="hw"),
    "sincos_3d": partial(refpos.sincos_3d, 2, 3, 4, 48),
    "timesteps": partial(refpos.timestep_embedding, [0, 1, 999.5], 32, flip_sin_to_cos=True, downscale_freq_shift=0),
    "alibi": partial(refpos.alibi, 6, 40, 40, mode="symmetric"),
    "alibi of powers of two": partial(refpos.alibi, 8, 40, 40, mode="linear"),
    "rope": partial(refpos.rope, np.random.default_rng(1).normal(size=(50, 64)), 50, pairing="half"),
    "zeros and copies": partial(refpos.rope, np.tile([1.1875, 0.0, -0.0, 3.0], (4, 2)), [0, 1, 0, 2], pairing="half",
                                rotary_dim=4),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("name", NAMES)
def test_marks_change_no_rounding_where_float64_is_not_halfway(case, name):
    """Of these calls no float64 result is halfway without being exact, so that rounding twice is right as well."""
    call = CALLS[case]
    twice = cast(np.asarray(call()), name)
    assert same(round_float8(call, dtype=name, saturate=False), twice, name)


def test_the_formats_of_x_and_positional_arguments_are_read():
    x = np.random.default_rng(2).normal(size=(6, 8)).astype(ml_dtypes.bfloat16)
    wanted = round_float8(partial(refpos.rope, x.astype(np.float64), 6, pairing="half"), dtype=NAMES[0], saturate=True)
    for given in ({"x": x}, {"x": x.view(np.uint16), "dtype": "bfloat16"}):
        call = partial(refpos.rope, positions=6, pairing="half", **given)
        assert (round_float8(call, dtype=NAMES[0], saturate=True) == wanted).all()


def test_a_table_of_cosines_and_sines_has_an_axis_of_two():
    frequencies = refpos.inverse_frequencies(8)
    found = round_float8(partial(refpos.rope_table, 3, frequencies), dtype=NAMES[1], saturate=True)
    both = np.stack(refpos.rope_table(3, frequencies))
    assert found.shape == (2, 3, 4) and same(found, cast(both, NAMES[1]), NAMES[1])


def test_copies_are_rounded_from_the_table():
    weight = np.random.default_rng(3).normal(size=(32, 2)).astype(np.float32)
    call = partial(refpos.t5_bias, weight, 4, 4, bidirectional=True)
    assert same(round_float8(call, dtype=NAMES[0], saturate=True), cast(call(), NAMES[0]), NAMES[0])


REFUSED = [
    (partial(refpos.attention, None), "E_CHOICE", "the function of values must be one of"),
    (partial(np.sin, 3.0), "E_CHOICE", "the function of values must be one of"),
    (partial(refpos.sinusoidal, 3, 4, dtype="float32"), "E_CHOICE", "must leave dtype out"),
    (partial(refpos.sinusoidal, 3, 4, out=np.zeros((3, 4))), "E_CHOICE", "must leave out out"),
    (partial(refpos.sinusoidal, 3, 4, turns=1), "E_CHOICE", "unexpected keyword"),
    (partial(refpos.sinusoidal, 3, -4), "E_SIZE", "dim must be at least 1"),
    (partial(refpos.rope, pairing="half"), "E_DTYPE", "x must have dtype"),
    ([1, 2], "E_DTYPE", "values must have dtype"),
    (np.array([1j]), "E_DTYPE", "values must have dtype"),
]


@pytest.mark.parametrize(("values", "code", "sentence"), REFUSED)
def test_what_cannot_be_rounded_is_refused(values, code, sentence):
    with pytest.raises(refpos.InputError, match=sentence) as raised:
        round_float8(values, dtype="float8_e5m2", saturate=True)
    assert raised.value.code == code


def test_results_are_written_to_out():
    out = np.full((3, 2), 9, np.uint8)[::2]
    assert round_float8(np.ones((2, 2)), dtype=NAMES[0], saturate=True, out=out) is out and (out == 0x38).all()
    with pytest.raises(refpos.InputError, match="out must have dtype uint8"):
        round_float8(np.ones(2), dtype=NAMES[0], saturate=True, out=np.zeros(2))


# -- blocks -----------------------------------------------------------------------------------------------------------


def exact_scale(largest, name, rule):
    """The exponent of the scale by the formulas of the docstring, in fractions."""
    limit, emax = (448, 8) if name == NAMES[0] else (57344, 15)
    largest, power = Fraction(largest), -400
    while Fraction(2) ** (power + 1) <= largest:
        power += 1
    if rule == "even":
        unit = Fraction(2) ** (power - (3 if name == NAMES[0] else 2))
        return power - emax + ((largest / unit + Fraction(1, 2)).__floor__() * unit >= Fraction(2) ** (power + 1))
    if rule == "rceil":
        scale = power - emax - 2
        while Fraction(2) ** scale * limit < largest:
            scale += 1
        return scale
    return power - emax


@names
@pytest.mark.parametrize("rule", ["floor", "even", "rceil"])
def test_blocks_are_the_quotients_rounded_once(name, rule):
    rng = np.random.default_rng(5)
    values = np.ldexp(rng.normal(size=(60, 32)), rng.integers(-12, 3, (60, 32)) + rng.integers(-90, 90, (60, 1)))
    values[:8, 0] = np.array([1, 0.875, 0.96875, 0.9375, 1.875, 1.75, 1.9375, 31]) * 2.0**40
    found = round_mxfp8(values, dtype=name, scale_rule=rule)
    scales = [exact_scale(np.abs(row).max(), name, rule) for row in values]
    assert found.scales[:, 0].tolist() == [scale + 127 for scale in scales] and len(set(scales)) > 20
    wanted = round_float8(np.ldexp(values, -np.array(scales)[:, None]), dtype=name, saturate=True)
    assert (found.elements == wanted).all()


def test_the_scale_is_that_of_the_exact_numbers():
    """cos(2**-40) is 1 in float64, and below 1: its block is one below."""
    call = partial(refpos.sinusoidal, [2.0**-40], 64, base=1)
    assert refpos.sinusoidal([2.0**-40], 64, base=1).max() == 1.0
    assert round_mxfp8(call, dtype=NAMES[0], scale_rule="floor").scales.tolist() == [[118, 118]]
    assert round_mxfp8(call, dtype=NAMES[0], scale_rule="even").scales.tolist() == [[119, 119]]


# -- files and answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["floor", "even", "rceil"])
@pytest.mark.parametrize("shape", [(0, 32), (0, 2, 64), (2, 0, 32), (0, 0), (3, 0)])
def test_of_no_numbers_there_are_no_blocks(shape, rule):
    found = round_mxfp8(np.zeros(shape), dtype="float8_e5m2", scale_rule=rule)
    assert (found.elements.shape, found.scales.shape) == (shape, (*shape[:-1], shape[-1] // 32))
    assert round_float8(np.zeros(shape), dtype="float8_e5m2", saturate=True).shape == shape


def test_of_a_call_of_no_positions_there_are_no_blocks():
    found = round_mxfp8(partial(refpos.sinusoidal, 0, 32), dtype="float8_e5m2", scale_rule="floor")
    assert (found.elements.shape, found.scales.shape) == ((0, 32), (0, 1))


KINDS = {"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0"}


@pytest.mark.parametrize("name", KINDS)
def test_safetensors_hold_8_bit_floats(name, tmp_path):
    path = tmp_path / "a.safetensors"
    tensor_files.write_safetensors(path, {"codes": CODES.view(getattr(ml_dtypes, name)), "x": np.ones(3)})
    assert f'"dtype":"{KINDS[name]}"' in path.read_bytes().decode("latin-1")
    read = tensor_files.read_tensors(path)["codes"]
    assert read.dtype == name and read.values.dtype == np.uint8 and (read.values == CODES).all()
    tensor_files.write_npz(tmp_path / "a.npz", {"codes": read})
    assert (np.load(tmp_path / "a.npz")["codes"] == CODES).all()


def test_answers_may_be_8_bit_floats_with_any_nan(tmp_path):
    case = golden.load("round_float8/edges-e4m3")
    patterns = case.outputs["output"].values.astype(np.uint8)
    signed = np.where(patterns == 0x7F, 0xFF, patterns).astype(np.uint8)
    path = tmp_path / "a.safetensors"
    tensor_files.write_safetensors(path, {case.id: signed.view(ml_dtypes.float8_e4m3fn)})
    assert golden.verify(path, cases=[case.id]) and golden.verify({case.id: patterns}, cases=[case.id])
    assert golden.verify({case.id: signed.view(ml_dtypes.float8_e4m3fn)}, cases=[case.id])
    wrong = patterns.copy()
    wrong[1] ^= 1
    assert not golden.verify({case.id: wrong.view(ml_dtypes.float8_e4m3fn)}, cases=[case.id])
    assert refpos.compare(signed.view(ml_dtypes.float8_e4m3fn), patterns).different == 0
    assert refpos.compare(wrong.view(ml_dtypes.float8_e4m3fn), patterns).different == 1


# -- comparison and diagnosis -----------------------------------------------------------------------------------------

OF_NUMBERS = [case for case in refpos.testing.cases(["round_float8", "round_mxfp8"]) if not case.golden.refusal]


def outputs_of(name, **arguments):
    """{output: arrays of ml_dtypes} of a call of `round_float8` or `round_mxfp8`."""
    entry = refpos.catalogue.find(name)
    made = entry.function(**arguments)
    held = dict(zip(entry.outputs, made if isinstance(made, tuple) else (made,), strict=True))
    kinds = {"scales": ml_dtypes.float8_e8m0fnu}
    return {name: one.view(kinds.get(name, getattr(ml_dtypes, arguments["dtype"]))) for name, one in held.items()}


@pytest.mark.parametrize("case", sampled(OF_NUMBERS, 4), ids=str)
def test_cases_check_arrays_of_8_bit_floats(case):
    found = outputs_of(case.suite, **case.arguments)
    assert case.check(found) == "correct"
    for name, array in found.items():
        if array.size:
            patterns = array.view(np.uint8).copy()
            patterns.flat[-1] = 1 if patterns.flat[-1] != 1 else 2
            with pytest.raises(AssertionError, match="1 of"):
                case.check({**found, name: patterns.view(array.dtype)})


VALUES = np.arange(64.0).reshape(2, 32) + 0.3
FUNCTIONS = [
    (round_float8, {"saturate": True}),
    (round_mxfp8, {"scale_rule": "floor"}),
]


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize(("function", "options"), FUNCTIONS)
@pytest.mark.parametrize("values", [VALUES, VALUES.tolist(), partial(refpos.sinusoidal, 3, 32)])
def test_compare_and_diagnose_judge_8_bits(function, options, dtype, values):
    call = {"values": values, "dtype": dtype, **options}
    tagged = outputs_of(function.__name__, **call)
    patterns = {name: one.view(np.uint8) for name, one in tagged.items()}
    for found in (tagged, patterns):
        assert refpos.compare(found, function, **call).met == "correct"
        assert refpos.diagnose(found, function, **call).met == "correct"
    name, array = next(iter(patterns.items()))
    wrong = array.copy()
    wrong.flat[-1] ^= 1
    for found in (wrong, wrong.view(tagged[name].dtype)):
        compared = refpos.compare({**tagged, name: found}, function, **call)
        assert not compared and compared.reports[name].different == 1
        assert not refpos.diagnose({**tagged, name: found}, function, **call).met


def test_another_rule_for_the_scale_is_named():
    found = round_mxfp8(VALUES, dtype=NAMES[0], scale_rule="floor")
    named = refpos.diagnose(found, round_mxfp8, VALUES, dtype=NAMES[0], scale_rule="even").explanations
    assert (named[0].computed, named[0].asked) == ("scale_rule='floor'", "scale_rule='even'")


def test_another_format_is_refused_by_the_function():
    with pytest.raises(refpos.InputError, match="dtype must be one of 'float8_e4m3fn', 'float8_e5m2', got 'float64'"):
        refpos.compare(np.zeros(2, np.uint8), round_float8, [1.0, 2.0], dtype="float64", saturate=True)


def test_the_command_line_judges_8_bits(tmp_path, capsys):
    path, call = tmp_path / "found.npy", "round_float8([1.0, 2.5], dtype='float8_e5m2', saturate=True)"
    np.save(path, round_float8([1.0, 2.5], dtype="float8_e5m2", saturate=True))
    assert main(["diagnose", str(path), call]) == 0 and "nothing is wrong" in capsys.readouterr().out
    np.save(path, round_float8([1.0, 3.0], dtype="float8_e5m2", saturate=True))
    assert main(["diagnose", str(path), call]) == 1 and "unexplained" in capsys.readouterr().out
