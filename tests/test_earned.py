"""Classes of tables of 16 bits are met by numbers that look like one, at every door."""

from fractions import Fraction
from math import comb

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import conformance, testing
from refpos.cli import main
from refpos.conformance import earned

F = np.float32
LENGTH, DIM = 288, 64


def program(x, kind=None):
    """A rotation in float32, whose table is rounded to a format of 16 bits."""
    inv_freq = F(1) / F(10000) ** (np.arange(0, DIM, 2, dtype=F) / F(DIM))
    angle = np.arange(LENGTH, dtype=F)[:, None] * inv_freq
    cos, sin = np.cos(angle), np.sin(angle)
    if kind is not None:
        cos, sin = (part.astype(kind).astype(F) for part in (cos, sin))
    a, b = x[..., : DIM // 2], x[..., DIM // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(0).standard_normal((1, 4, LENGTH, DIM)).astype(F)


@pytest.fixture(scope="module")
def limits(x):
    found = conformance.bounds("rope", {"pairing": "half"}, {"x": x, "positions": LENGTH}, "float32")
    return {name: limit["output"] for name, limit in found.items()}


def one_off(x):
    """float32 numbers, of which one element is 3e-4 off."""
    y = program(x)
    y[0, 3, 33, 21] += F(3e-4)
    return y


def report_of(y, x, limits):
    return refpos.compare(y, refpos.rope(x, LENGTH, pairing="half"), bounds=limits)


def test_an_honest_table_is_in_its_class(x, limits):
    report = report_of(program(x), x, limits)
    assert report.met == "float32-angle" and report.classes["bfloat16-table"].met  # what is stricter is in it too
    assert report_of(program(x, np.float16), x, limits).met == "float16-table"
    assert report_of(program(x, ml_dtypes.bfloat16), x, limits).met == "bfloat16-table"
    assert "nothing is wrong" in str(refpos.diagnose(program(x, np.float16), refpos.rope, x, LENGTH, pairing="half"))


def test_one_wrong_element_is_no_table_of_16_bits(x, limits):
    y = one_off(x)
    assert (np.abs(y - refpos.rope(x, LENGTH, pairing="half")) <= limits["float16-table"]).all()  # the bound admits it
    report = report_of(y, x, limits)
    assert report.met is None and not report.classes["float16-table"].met
    assert "few are as large as those of 16 bits" in str(report) and "float16-table not earned" in str(report)


@pytest.mark.parametrize("size", [3e-6, 1e-5])
def test_a_smaller_error_of_all_elements_is_no_table_of_16_bits(x, limits, size):
    noise = np.random.default_rng(1).uniform(-size, size, x.shape) * (limits["float16-table"] > size)
    y = (program(x) + noise).astype(F)
    assert (np.abs(y - refpos.rope(x, LENGTH, pairing="half")) <= limits["float16-table"]).all()
    report = report_of(y, x, limits)
    assert report.met is None and "not earned" in str(report), report


def test_a_table_on_the_grid_is_one_however_few_elements_it_moves():
    found = refpos.conformance.bounds("rope_table", {"dim": 8}, {"positions": np.array([0, 1])}, "float32")
    cos, _ = refpos.rope_table([0, 1], refpos.inverse_frequencies(8), dtype="float32")
    held = cos.astype(np.float16).astype(F)
    report = refpos.compare(held, cos, bounds={name: limit["cos"] for name, limit in found.items()})
    assert report.classes["float16-table"].met


def test_every_door_says_which_element_is_off(x, tmp_path, capsys):
    y = one_off(x)
    for said in (refpos.diagnose(y, refpos.rope, x, LENGTH, pairing="half"),
                 refpos.compare(y, refpos.rope, x, LENGTH, pairing="half")):  # fmt: skip
        assert "output[0, 3, 33, 21]" in str(said) and "nothing is wrong" not in str(said)
    found = refpos.read(y, refpos.rope, x)
    assert found.met != "float16-table" and "rows 33" in str(found)
    with pytest.raises(AssertionError, match="0, 3, 33, 21"):
        testing.assert_matches(y, refpos.rope, x, LENGTH, pairing="half")
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "x.npy", x)
    call = f"rope(x, {LENGTH}, pairing='half')"
    assert main(["diagnose", str(tmp_path / "y.npy"), call, "--arrays", f"x={tmp_path / 'x.npy'}"]) == 1
    assert "[0, 3, 33, 21]" in " ".join(capsys.readouterr().out.split())


def test_verify_refuses_a_case_with_one_wrong_element():
    """The answers of a golden case of float32, of which one is off by half of what float16 allows."""
    case = "rope_table/telling-500000-f32"
    cos, sin = (np.array(refpos.golden.load(case).outputs[name].values) for name in ("cos", "sin"))
    assert cos.size > 100 and cos.dtype == F
    assert cos[1, 0] == F(0.5403023)  # of the angle 1
    cos[1, 0] += F(2.0**-12)
    result = refpos.golden.verify({case: {"cos": cos, "sin": sin}}, cases=case)
    assert not result and "cos[1, 0]" in str(result) and "classes met: none" in str(result)


# -- programs of 16 bits on few elements ------------------------------------------------------------------------------


def in_16_bits(x, position, kind):
    """A rotation whose cosines, sines, products and sums are in the format of x, at one position."""
    dim = x.shape[-1]
    angle = F(position) * (F(1) / F(10000) ** (np.arange(0, dim, 2, dtype=F) / F(dim)))
    cos, sin = (np.tile(part, 2).astype(kind) for part in (np.cos(angle), np.sin(angle)))
    half = dim // 2
    return x * cos + np.concatenate([-x[..., half:], x[..., :half]], -1) * sin


def accused(seed, kind, heads=1, repeated=1):
    x = np.random.default_rng(seed).normal(size=(1, heads, 1, 64)).astype(kind).repeat(repeated, 1)
    return not refpos.compare(in_16_bits(x, 100, kind), refpos.rope, x, [100], pairing="half")


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_few_elements_of_16_bits_are_no_mistake(kind):
    assert not [seed for seed in range(12) if accused(seed, kind)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("heads", [1, 4, 16, 40])
def test_many_calls_of_few_elements_of_16_bits_are_no_mistake(kind, heads):
    assert not [seed for seed in range(100) if accused(seed, kind, heads)]


def test_repeated_heads_are_no_further_elements():
    assert not [seed for seed in range(12) if accused(seed, np.float16, repeated=32)]


def test_fewer_elements_than_asked_are_off_with_a_small_probability():
    """The sum of docs/conformance.md from FEWEST on, and Hoeffding's inequality where it is long."""
    risk = {n: Fraction(sum(comb(n, k) for k in range(-(-n // earned.SHARE))), 2**n) for n in range(1, 300)}
    above = [n for n, chance in risk.items() if chance > Fraction(1, 10**6)]
    assert max(above) == earned.FEWEST - 1
    assert 2 * 300 * (1 / 2 - 1 / earned.SHARE) ** 2 > 6 * np.log(10)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_half_of_the_wide_elements_of_a_program_are_off_like_16_bits(kind):
    """The probability of docs/conformance.md, counted where a product is largest beside its unit and in general."""
    x = np.random.default_rng(0).normal(size=(1, 512, 1, 64)).astype(kind)
    found = conformance.bounds("rope", {"pairing": "half"}, {"x": x, "positions": [100]}, np.dtype(kind).name)
    table, strict = (
        found[name]["output"].reshape(-1) for name in (f"{np.dtype(kind).name}-table", "float32-exp-angle")
    )
    expected = refpos.rope(x, [100], pairing="half").astype(float).reshape(-1)
    wide, used = earned.counted(np.abs(in_16_bits(x, 100, kind).astype(float).reshape(-1) - expected), table, strict)
    assert wide > 500 and 2 * used > wide


def test_two_units_of_one_element_in_each_row_of_16_bits_are_refused():
    """Numbers rounded once to float16, otherwise: within what the class allows, and of no program of 16 bits."""
    x = np.random.default_rng(0).normal(size=(1, 64, 1, 64)).astype(np.float16)
    expected = refpos.rope(x, [100], pairing="half")
    y, up = expected.copy(), np.float16(9)
    y[..., 3] = np.nextafter(np.nextafter(y[..., 3], up), up)
    found = conformance.bounds("rope", {"pairing": "half"}, {"x": x, "positions": [100]}, "float16")
    report = refpos.compare(y, expected, bounds={name: limit["output"] for name, limit in found.items()})
    assert report.met is None and report.classes["float16-table"].ratio <= 1 and report.max_ulp == 2, report
