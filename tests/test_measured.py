"""Numbers that no wrong call explains: what they are measured to be, beside what is asked for, and in which part."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos.diagnosis import region
from refpos.diagnosis.measurements import measured, measured_angles, measured_names, measured_positions

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 4, 48, 32)).astype(np.float32)


def angles(positions, width=32, base=10000.0):
    inv_freq = (1 / base ** (np.arange(0, width, 2) / width)).astype(np.float32)
    return np.asarray(positions, np.float32)[:, None] * inv_freq


def turned(x, theta):
    """rotate_half in float32, as transformers has it."""
    cos, sin = np.tile(np.cos(theta), 2), np.tile(np.sin(theta), 2)
    half = np.concatenate([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)
    return x * cos + half * sin


def of(y, x=X, **more):
    """The one explanation of numbers in place of rope(x, ..)."""
    found = refpos.diagnose(y, refpos.rope, x, x.shape[-2], pairing="half", **more)
    assert found.met is None and not found.unexplained
    return found.explanations[0]


# -- measured beside asked --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y, computed, asked",
    sampled(
        [
            (
                turned(X, angles(np.arange(48)[::-1])),
                "positions in reverse order: positions 47 .. 0",
                "positions 0 .. 47",
            ),
            (turned(X, angles(3 * np.arange(48)) + 0), "positions times 3: positions 0, 3 .. 141", "positions 0 .. 47"),
            (turned(X, angles(np.arange(48))[:, ::-1]), "frequencies in reverse order", "base 10000"),
            (turned(X, angles(np.arange(48))) * np.float32(32**0.5), "every number times 5.657 (sqrt(32))", "gain 1"),
            (turned(X, angles(np.arange(48)) * np.float32(np.pi / 180)), "pi/180, degrees taken for radians", ""),
            (
                turned(X, angles((9 * np.arange(48)).astype(np.uint8))),
                "positions times 9, held in uint8",
                "positions 0 .. 47",
            ),
        ],
        3,
        several=True,
    ),
)
def test_what_differs_is_said_beside_what_is_asked_for(y, computed, asked):
    one = of(y)
    assert computed in one.computed and asked in one.asked and one.met in ("float32-angle", "float32-exp-angle")
    assert one.error_before > 0.1 and one.elements == y.size


def test_the_verified_call_gives_the_numbers():
    y = turned(X[..., :24], angles(np.arange(48) * 3, 24))
    y = np.concatenate([y, X[..., 24:]], -1)
    one = of(y)
    assert one.call == "refpos.rope(x, np.arange(0, 144, 3), pairing='half', rotary_dim=24, base=10000)"
    made = eval(one.call, {"refpos": refpos, "np": np, "x": X})
    assert refpos.compare(y, made, bounds={"faithful": 1e9}).max_abs_error < 1e-4 < one.error_before
    assert "rotary_dim=24" in one.computed and str(refpos.diagnose(y, refpos.rope, X, 48, pairing="half")).count(
        one.call
    )


@pytest.mark.exhaustive
def test_what_no_call_has_is_called_measured_and_not_verified():
    y = turned(turned(X, angles(np.arange(48))).astype(np.float16), angles(np.arange(48))).astype(np.float16)
    x = X.astype(np.float16)
    gains = np.tile(np.linspace(1, 2, 16), 2).astype(np.float32)
    one = of(turned(X, angles(np.arange(48))) * gains)
    assert one.met == "" and one.error_after is None and "gains 1 .. 2" in one.computed
    found = refpos.diagnose(turned(X, angles(np.arange(48))) * gains, refpos.rope, X, 48, pairing="half")
    assert "your numbers are measured:" in str(found) and "no call is verified" in str(found)
    assert of(y, x).met != "correct"


def test_random_numbers_are_unexplained():
    found = refpos.diagnose(RNG.normal(size=X.shape).astype(np.float32), refpos.rope, X, 48, pairing="half")
    assert found.unexplained and found.explanations == ()


def test_right_numbers_are_not_measured(monkeypatch):
    monkeypatch.setattr(measured, "read_subject", None)
    assert refpos.diagnose(turned(X, angles(np.arange(48))), refpos.rope, X, 48, pairing="half").met == "float32-angle"


def test_clauses_are_compared_and_not_characters():
    got, wanted = measured.differences(
        "pairs (i, i + 4), base 10, positions 0 .. 3, 0 .. 5, gain 1",
        "pairs (i, i + 4), base 7, positions 0 .. 9, gain 1",
    )
    assert got == ["base 10", "positions 0 .. 3, 0 .. 5"] and wanted == ["base 7", "positions 0 .. 9"]
    got, wanted = measured.differences("base 10, rotated by minus the angle, gain 1", "base 10, gain 1")
    assert got == ["base 10", "rotated by minus the angle"] and wanted == ["base 10"]
    assert measured.differences("gain 1", "gain 1") == ([], [])


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "got, name",
    [
        (np.arange(300) + 7, "positions + 7"),
        (-np.arange(300), "positions negated"),
        (np.arange(300)[::-1], "positions in reverse order"),
        (np.full(300, 5), "position 5 for every row"),
        (np.zeros(300), "positions all 0: not rotated"),
        (np.minimum(np.arange(300), 99), "positions of at most 99"),
        (np.arange(300) % 100, "positions modulo 100 (counted from 0 again)"),
        (np.arange(300) / 4, "positions times 0.25 (1/4)"),
        (np.arange(300) // 4, "positions divided by 4 and rounded down"),
        (np.arange(300) // 8 * 8, "positions rounded down to multiples of 8 (integer division)"),
        (np.arange(300).astype(np.int8), "positions held in int8, which wrap around"),
        ((3 * np.arange(300)).astype(np.uint8), "positions times 3, held in uint8, which wrap around"),
        (np.arange(300), ""),
        (RNG.permutation(300), None),
    ],
)
def test_positions_have_the_name_of_what_was_done_to_them(got, name):
    assert measured_positions.moved(got.astype(float), np.arange(300.0), "float32") == name


def test_keywords_of_calls_are_compared():
    one, other = "refpos.rope(x, 9, pairing='half', base=5)", "refpos.rope(x, 9, pairing='interleaved', base=7)"
    assert measured_names.other_arguments(one, other) == ["pairing='half'"]
    assert measured_names.other_arguments(one, None) == measured_names.other_arguments(one, "refpos.f(x)") == []


# -- the part that is off ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index, change, computed",
    sampled(
        [
            (np.s_[:, 3], lambda x: turned(x, angles(-np.arange(48))), "head 3: inverse=True"),
            (np.s_[1:], lambda x: x, "batch row 1: positions all 0: not rotated"),
            (np.s_[:, :, 30:], lambda x: turned(x, angles(np.arange(48) + 1)), "rows 30..: positions + 1"),
            (np.s_[:, :, 30:], lambda x: x * np.float32(0), "rows 30..: all numbers are 0"),
            (np.s_[:, :, 28:29], lambda x: turned(x, angles(np.arange(48) - 100)), "row 28: positions -72"),
            (
                np.s_[:, 1:3],
                lambda x: turned(x, angles(np.arange(48)[::-1])),
                "heads 1..2: positions in reverse order: positions 47 .. 0",
            ),
        ],
        3,
        several=True,
    ),
)
def test_the_part_that_is_off_is_found_by_the_bounds_and_said(index, change, computed):
    y = turned(X, angles(np.arange(48)))
    y[index] = change(X)[index]
    one = of(y)
    assert one.computed.startswith(computed) and one.met == "float32-angle" and one.elements == y.size


def test_one_element_is_said_with_its_values():
    y = turned(X, angles(np.arange(48)))
    right = y[1, 2, 33, 5]
    y[1, 2, 33, 5] = 3
    one = of(y)
    assert (one.mistake, one.computed) == ("elements", "output[1, 2, 33, 5] = 3") and one.met == "float32-angle"
    assert abs(float(one.asked) - right) < 1e-5


def test_regions_are_told_by_bounds_alone():
    off = np.zeros((40, 6), bool)
    off[10:20] = True
    (rows,) = region.regions_of(off)
    assert (rows.axis, rows.entries.tolist()) == (0, [*range(10, 20)]) and rows.mask(off.shape).sum() == 60
    off[1:] = True  # nine in ten agree in nothing: a whole that is off
    assert list(region.regions_of(off)) == []


# -- tables, axes, terms and angles -----------------------------------------------------------------------------------


def test_a_table_is_measured():
    theta = angles(np.arange(90) // 3, 64)
    table = np.stack([np.sin(theta), np.cos(theta)], -1).reshape(90, 64)
    (one,) = refpos.diagnose(table, refpos.sinusoidal, 90, 64).explanations
    assert one.computed.startswith("positions divided by 3 and rounded down") and one.met


def test_positions_of_several_axes_are_measured_axis_by_axis():
    x = RNG.normal(size=(2, 35, 32)).astype(np.float32)
    rows, columns = np.repeat(np.arange(5), 7), np.tile(np.arange(7), 5)
    theta = np.concatenate([angles(rows[::-1], 16, 100), angles(columns + 0.5, 16, 100)], -1)
    found = refpos.diagnose(turned(x, theta), refpos.rope_2d, x, 5, 7, pairing="half", axis_order="hw", base=100)
    (one,) = found.explanations
    first, second = one.computed.split("; ")
    assert "positions in reverse order" in first and "positions + 0.5" in second and one.met == ""


def test_terms_of_what_is_no_rotation_are_named():
    theta = angles(np.arange(48))
    one = of(X * np.tile(np.cos(theta), 2))
    assert one.computed == "a rotation without the sine terms (x1 cos, x2 cos)" and one.met == ""
    one = of(turned(np.roll(X, 16, -1), theta))
    assert one.computed == "a rotation of x with its halves exchanged (x2 cos - x1 sin, x1 cos + x2 sin)"
    assert one.asked == "(x1 cos - x2 sin, x2 cos + x1 sin)"


def test_one_array_of_a_rotary_table_for_the_other():
    theta = angles(np.arange(40))
    found = refpos.diagnose(
        (np.cos(theta), np.cos(theta)), refpos.rope_table, 40, refpos.inverse_frequencies(32), dtype="float32"
    )
    assert found.explanations[0].computed == "sin holds the numbers of cos: cos twice" and found.explanations[0].met


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_angles_that_were_rounded_are_named(kind):
    import ml_dtypes

    theta = angles(np.arange(48)).astype({"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}[kind])
    y = turned(X, theta.astype(np.float32))
    assert kind in of(y).computed


def test_angles_of_the_format_of_the_numbers_are_not_called_rounded():
    trial, _, _ = refpos.diagnosis.diagnose._trial(
        turned(X, angles(np.arange(48) + 2)), refpos.rope, (X, 48), {"pairing": "half"}
    )
    assert measured_angles.measured_angles(trial, measured.subject_of(trial)) is None


@pytest.mark.parametrize("lengths", [{"original_max_position_embeddings": 8, "max_position_embeddings": 32}, None])
def test_frequencies_of_calls_within_calls_and_of_lengths_are_measured(lengths):
    inner = refpos.ntk(16, factor=2)
    made = refpos.linear(16, factor=4, frequencies=inner) if lengths is None else refpos.yarn(16, **lengths)
    cos, sin = refpos.rope_table(30, made, dtype="float32")
    cos, sin = cos[::-1] * np.float32(3), sin[::-1] * np.float32(3)
    found = refpos.diagnose((cos, sin), refpos.rope_table, 30, made, dtype="float32")
    assert not found.unexplained and "every number times 3" in found.explanations[0].computed


@pytest.mark.parametrize(
    "positions, words",
    [
        (np.arange(24)[::-1], "positions 23 .. 0 (asked: positions 0 .. 23)"),
        (0.37 * np.arange(24), "positions 0, 0.37 .. 8.51 (asked: positions 0 .. 23)"),
        (np.arange(24) ** 2, "positions any (1 rows of zeros), 1, 4, 9, .. (24 rows) (asked: positions 0 .. 23)"),
    ],
)
def test_positions_of_rows_of_zeros_are_those_that_are_asked_for(positions, words):
    """x is 0 at position 0: its position was "unknown", on both sides of the sentence."""
    x = np.random.default_rng(0).standard_normal((2, 24, 16)).astype(np.float32)
    x[:, 0] = 0
    angles = positions[:, None] * 10000.0 ** (-np.arange(0, 16, 2) / 16)
    first, second = x[..., :8], x[..., 8:]
    y = np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                        second * np.cos(angles) + first * np.sin(angles)], -1)  # fmt: skip
    told = str(refpos.diagnose(y.astype(np.float32), refpos.rope, x, 24, pairing="half"))
    assert words in told and "unknown" not in told, told
