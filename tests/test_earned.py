"""Classes of tables of 16 bits are met by numbers that look like one, at every door."""

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import conformance, testing
from refpos.cli import main

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
