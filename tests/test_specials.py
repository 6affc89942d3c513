"""docs/specials.md is what the calls give; zeros, infinities and NaN of single functions."""

import inspect

import numpy as np
import pages
import pytest
import specials
from mpmath import mp, mpf

import refpos
from refpos import catalogue
from refpos.steps.angles import phases
from refpos.steps.waves import rotation

PAGE = specials.PAGE.read_text()


@pytest.mark.exhaustive
def test_the_page_is_what_the_calls_give():
    assert pages.with_generated(PAGE, specials.table(), specials.MARK) == PAGE, "run: python tests/specials.py"


def test_a_sample_of_the_arguments_is_in_the_row_of_its_cells():
    sample = list(specials.arguments())[::12]
    assert len(sample) > 20
    for entry, name, found in sample:
        row = specials.row(entry, name, found)
        assert PAGE.splitlines().count(row) == 1, f"the calls give {row}; run: python tests/specials.py"


@pytest.mark.parametrize(
    "entry", [e for e in catalogue.ENTRIES.values() if e.contract == "copied"], ids=lambda e: e.name
)
def test_what_is_copied_passes_wherever_it_stands(entry):
    """Many of their cases leave the first and the last row of a table unread."""
    for line in PAGE.splitlines():
        if line.startswith(f"| [`{entry.name}`]"):
            cells = [cell.strip() for cell in line.split("|")[3:-1]]
            assert (cells[0], *cells[2:]) == ("-0", "inf", "NaN"), line


def test_a_place_that_no_call_reads_is_no_cell():
    assert "| as 1 |" not in PAGE
    found = next(cases for entry, name, cases in specials.arguments() if (entry.name, name) == ("t5_bias", "weight"))
    first = [specials.seen_at(case, "weight", "inf", 0, {}) for case in found]
    assert set() in first and specials.told(found, "weight", "inf", {}) == "inf"


PAYLOADS = np.array([[0xFFF8000000000ABC, 0x7FF0000000000001, 1 << 63, 0x7FF8000000000000]], np.uint64).view(float)


@pytest.mark.parametrize(
    "copied",
    [
        lambda x: refpos.learned(x, 1),
        lambda x: refpos.tables.learned_axes([x, x], (1, 1), combine="concat", axis_order="hw")[..., :4],
        lambda x: refpos.resize_table(x, 1, method="nearest"),
        lambda x: refpos.resize_table(x, 1, method="nearest-exact"),
        lambda x: refpos.tables.resize_packed(x[None], [[1, 1, 1]], method="nearest"),
        lambda x: refpos.tables.resize_bias(x, (1, 1), (1, 1), method="swin"),
        lambda x: refpos.scores.merge_scores([x, x], [[1]]),
        lambda x: refpos.absolute.frames(x, size=4, hop=4, padding="none"),
        lambda x: refpos.absolute.audio_patches(x, size=1, stride=1, outer="time"),
        lambda x: refpos.window_bias(x, 1, 1, sign="absolute"),
        lambda x: refpos.tables.tile_table(x, (1,)),
        lambda x: refpos.relative_bias(x, 1, 1, sign="key-query"),
        lambda x: refpos.t5_bias(np.tile(x, (2, 1)), 1, 1, bidirectional=False),
        lambda x: refpos.absolute.add(x, np.ones((0, 4)), prefix=1),
        lambda x: refpos.absolute.joined([x]),
    ],
)
def test_copies_keep_payloads_and_signs_of_zeros(copied):
    assert copied(PAYLOADS).tobytes() == PAYLOADS.tobytes()


def test_what_is_computed_is_the_quiet_nan():
    quiet = np.full((1, 2), np.nan).tobytes()
    for computed in (
        refpos.learned(PAYLOADS[:, :2], 1, scale=2),
        refpos.absolute.add(PAYLOADS[:, :2], np.ones((1, 2))),
        refpos.tables.gated_table(PAYLOADS[:, :2], 1.0, complement=False),
        refpos.rope(PAYLOADS[:, :2], [1], pairing="half"),
        refpos.resize_table(PAYLOADS[:, :2], 1, method="linear", align="half-pixel"),
    ):
        assert computed.tobytes() == quiet


def test_signs_of_zeros_that_docstrings_tell():
    assert np.signbit(refpos.tables.gated_table([[-0.0]], 0.0, complement=True))
    assert np.signbit(refpos.tables.gated_table([[-2.0]], 19.5, complement=True))
    assert np.signbit(refpos.absolute.add([[-0.0]], [[-0.0]])) and not np.signbit(
        refpos.absolute.add([[-0.0]], [[0.0]])
    )
    row = np.full((1, 2), -0.0)
    assert not np.signbit(refpos.tables.learned_axes([row, row], (1, 1), combine="sum")).any()
    assert not np.signbit(refpos.resize_table(row, 1, method="linear", align="half-pixel")).any()
    for dtype in ("float64", "float32"):
        assert np.signbit(refpos.scores.merge_scores([row, row], [[1]], dtype=dtype)).all()
        assert np.signbit(refpos.tables.resize_packed(row[None], [[1, 1, 1]], method="nearest", dtype=dtype)).all()


# -- what IEEE 754 says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length, dim, low, row", [(4, 3, 1e-50, 1), (24, 5, 5e-324, 17), (24, 3, 5e-324, 1), (7, 9, 1e-300, 3)]
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_negative_sine_of_hyena_underflows_to_minus_zero(length, dim, low, row, dtype):
    sines = refpos.absolute.hyena_features(length, dim, low=low, dtype=dtype)[:, 1 + dim // 2]
    assert sines[row] == 0 and np.signbit(sines[row]) and not np.signbit(sines[0])


def test_an_exact_zero_of_hyena_has_no_sign():
    features = refpos.absolute.hyena_features(8, 3, low=4)  # half turns
    assert not features[:, 2].any() and not np.signbit(features[:, 2]).any()


SPECIAL = np.array([[np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -1.5, 5e-324, -5e-324]])


@pytest.mark.parametrize("scale", [1, -1, 2, -0.25, 2.0**-60])
def test_scaled_rows_follow_ieee_754(scale):
    found, wanted = refpos.learned(SPECIAL, [0], scale=scale), SPECIAL * scale
    assert np.array_equal(found, wanted, equal_nan=True)
    assert np.signbit(found[0, 1:]).tolist() == np.signbit(wanted[0, 1:]).tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_zero_times_what_is_not_finite_is_nan(dtype):
    row = refpos.learned(SPECIAL, [0], scale=0, dtype=dtype)[0]
    assert np.isnan(row[:3]).all() and not row[3:].any() and not np.signbit(row).any()


@pytest.mark.parametrize("function", ["dape", "fire"])
def test_leaky_relu_is_what_its_page_says(function):
    text = " ".join(inspect.getdoc(refpos.catalogue.find(function).function).split())
    assert "x times the float64 nearest 0.01" in text and "100" not in text
    x = -np.arange(1, 2001) / 8.0
    found = refpos.scores.dape(x[None, None], -x[None, None], [[1.0, 0.0]], None, [[1.0]], None)[0, 0]
    assert found.tobytes() == (x * 0.01).tobytes() != (x / 100).tobytes()


@pytest.mark.parametrize("mean, f", [(1, 1), (2, 4), (3, 64), (1, 1024)])
def test_exact_zeros_of_damped_sines_have_no_sign(mean, f):
    """sin(pi m f) is 0 for integers, whatever variance it is damped by; a sine that is not 0 keeps its sign."""
    options = {
        "frequencies": refpos.frequencies.given_frequencies([float(f)]),
        "order": "kind-axis-band",
        "kinds": "sin",
    }
    for variance in (0, 1e-300, 1.0, 1e300):
        zero = refpos.absolute.integrated_fourier([[-float(mean)]], [[variance]], factor="pi", **options)
        assert zero == 0 and not np.signbit(zero)
    for sign in (1, -1):
        with mp.workdps(700):
            sine = mp.sin(mpf(sign * mean * f))
        damped = refpos.absolute.integrated_fourier([[sign * float(mean)]], [[1e300]], factor=1, **options)
        assert damped == 0 and np.signbit(damped) == (sine < 0)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_rotation_of_what_is_not_finite_is_that_of_single_pairs(dtype, inverse, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -3.0], size=(4, 6, 8)).astype(dtype)
    call = dict(positions=[0, -3, 1, 10**9, 2**40, 7], pairing="half", inverse=inverse)
    together = refpos.rope(x, **call)
    monkeypatch.setattr(rotation, "_write_not_finite", lambda views, undecided, *_: undecided)
    assert refpos.rope(x, **call).tobytes() == together.tobytes()


def test_rotations_of_what_is_not_finite_take_each_angle_once_at_most(monkeypatch):
    angles, original = [], phases.float64_without_factor
    monkeypatch.setattr(phases, "float64_without_factor", lambda angle: angles.append(angle) or original(angle))
    x = np.full((16, 8, 16), np.nan, "float32")
    refpos.rope(x, 8, pairing="half")
    assert not angles
    refpos.rope(np.full_like(x, np.inf), 8, pairing="half")
    assert len(angles) == 8 * 8


def test_zeros_for_a_reference_of_nan_differ_soon(monkeypatch):
    exactly = []
    monkeypatch.setattr(rotation, "_round_pair_exactly", lambda *pair: exactly.append(pair))
    x = np.ones((2, 4, 8, 16), "float32")
    found = refpos.compare(x * 0, refpos.rope, x * np.nan, 8, pairing="half")
    assert not found and "unexplained" in str(found) and not exactly
