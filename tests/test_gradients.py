"""Gradients: refused calls, exact sums, the finite differences of the functions, and how often a rotation is made."""

from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import refpos
from refpos import catalogue
from refpos.arithmetic import formats, rounding
from refpos.steps.rows import scatter
from refpos.tables import learned_axes

WITH_RULE = [entry for entry in catalogue.ENTRIES.values() if entry.gradients]


def scattered(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("entry", WITH_RULE, ids=lambda entry: entry.name)
def test_each_rule_is_on_the_page(entry):
    page = (Path(__file__).resolve().parent.parent / "docs" / "gradients.md").read_text(encoding="utf-8")
    assert f"`{entry.name}`" in page or f"`{entry.family}.{entry.name}`" in page
    assert all(f"`{name}`" in page for name in entry.gradients)


def test_a_function_without_a_rule_is_refused_with_those_that_have_one():
    for function in (refpos.alibi, print, None, lambda x: x):
        with pytest.raises(refpos.InputError, match=r"function must be one of .*refpos\.rope, .*got ") as caught:
            refpos.vjp(function, cotangent=np.ones(3))
        assert (caught.value.code, caught.value.argument) == ("E_CHOICE", "function")


def test_wrong_arguments_are_those_of_the_function():
    x = scattered(3, 4)
    with pytest.raises(TypeError, match="rope: missing a required argument: 'pairing'"):
        refpos.vjp(refpos.rope, x, 3, cotangent=x)
    with pytest.raises(refpos.InputError, match="out must be left out of a gradient, got ndarray") as caught:
        refpos.vjp(refpos.rope, x, 3, pairing="half", out=x.copy(), cotangent=x)
    assert caught.value.code == "E_OUT"


def test_strides_and_byte_order_do_not_matter():
    x, dy = scattered(4, 6, seed=1), scattered(4, 6, seed=2)
    wanted = refpos.vjp(refpos.rope, x, 4, pairing="half", cotangent=dy)["x"]
    for other in (np.asfortranarray(dy), dy.astype(">f8"), np.repeat(dy, 2, 1)[:, ::2]):
        assert (refpos.vjp(refpos.rope, x, 4, pairing="half", cotangent=other)["x"] == wanted).all()
    wanted = refpos.vjp(refpos.learned, x, [1, 1, 3, 0], cotangent=dy)["weight"]
    assert (refpos.vjp(refpos.learned, x, [1, 1, 3, 0], cotangent=np.asfortranarray(dy))["weight"] == wanted).all()


# -- exact sums -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("spread", [0, 12, 300, 1000])
def test_rows_are_exact_sums_rounded_once(dtype, spread):
    rng, count = np.random.default_rng(spread), 400
    powers = rng.integers(-spread, spread + 1, (count, 2))
    with np.errstate(over="ignore", under="ignore"):
        dy = np.ldexp(rng.standard_normal((count, 2)), powers).astype(dtype)
    dy[~np.isfinite(dy)] = 1
    rows = rng.integers(0, 6, count)
    dy[:99], rows[:99] = -dy[99:198], rows[99:198]  # much of a sum cancels
    found = refpos.vjp(refpos.learned, np.zeros((7, 2), dtype), rows, cotangent=dy)["weight"]
    for row, channel in np.ndindex(7, 2):
        exact = sum((Fraction(float(one)) for one in dy[rows == row, channel]), Fraction(0))
        pattern = rounding.nearest_fraction(exact, formats.FORMATS[dtype])
        assert int(formats.bits(found)[row, channel]) == int(pattern)


def test_sums_do_not_depend_on_the_order():
    dy, rows = scattered(5000, 3, seed=3, dtype=np.float32), np.arange(5000) % 17
    order = np.random.default_rng(4).permutation(5000)
    one = refpos.vjp(refpos.learned, np.zeros((17, 3), np.float32), rows, cotangent=dy)["weight"]
    other = refpos.vjp(refpos.learned, np.zeros((17, 3), np.float32), rows[order], cotangent=dy[order])["weight"]
    assert (one == other).all()


def test_blocks_make_no_difference(monkeypatch):
    dy, rows = scattered(1000, 3, seed=5), np.arange(1000) % 7
    whole = refpos.vjp(refpos.learned, np.zeros((8, 3)), rows, cotangent=dy)["weight"]
    monkeypatch.setattr(scatter, "BLOCK", 10)
    assert (refpos.vjp(refpos.learned, np.zeros((8, 3)), rows, cotangent=dy)["weight"] == whole).all()


def test_numbers_at_the_end_of_the_range_are_added_exactly():
    large = np.finfo(np.float64).max
    dy = np.array([[large], [large], [-large], [5e-324], [-large], [large], [large]])
    found = refpos.vjp(refpos.learned, np.zeros((2, 1)), [0, 0, 0, 0, 0, 1, 1], cotangent=dy)["weight"]
    assert found.tolist() == [[5e-324], [np.inf]]


# -- the transpose ----------------------------------------------------------------------------------------------------

X, GRID = (6, 8), {"height": 2, "width": 3}
#: {name: (function, shapes of its arguments that have gradients, its other arguments)}
CALLS = {
    "rope": (refpos.rope, {"x": X}, {"positions": 6, "pairing": "half", "rotary_dim": 6}),
    "mrope": (refpos.mrope, {"x": X}, {"position_ids": np.arange(18).reshape(3, 6), "pairing": "half",
                                       "sections": (2, 1, 1), "arrangement": "chunked"}),
    "rope_2d": (refpos.rope_2d, {"x": X}, {**GRID, "pairing": "interleaved", "axis_order": "hw"}),
    "rope_3d": (refpos.rope_3d, {"x": X}, {**GRID, "frames": 1, "pairing": "half", "axis_order": "thw",
                                           "widths": (2, 2, 4)}),
    "xpos": (refpos.rotary.xpos, {"x": X}, {"positions": 6, "pairing": "half", "centring": "floor"}),
    "learned": (refpos.learned, {"weight": (5, 2)}, {"rows": [[0, 3, 3], [3, 1, 0]], "scale": 0.75}),
    "learned_axes": (learned_axes, {"weights": (2, 4, 3)}, {"grid": (4, 2), "combine": "sum"}),
    "t5_bias": (refpos.t5_bias, {"weight": (8, 2)}, {"query_len": 4, "key_len": 9, "bidirectional": True,
                                                     "max_distance": 6}),
    "relative_bias": (refpos.relative_bias, {"weight": (5, 2)}, {"query_len": 4, "key_len": 6, "sign": "query-key"}),
    "window_bias": (refpos.window_bias, {"weight": (15, 2)}, {**GRID, "sign": "key-query"}),
    "window_bias view": (refpos.window_bias, {"weight": (15, 2)}, {**GRID, "sign": "key-query", "view": True}),
    "tile_table": (refpos.tables.tile_table, {"weight": (2, 3, 2)}, {"size": (5, 4)}),
    "resize_table": (refpos.resize_table, {"weight": (3, 4, 2), "window": (2, 2, 2)},
                     {"size": (5, 3), "method": "cubic", "align": "half-pixel", "cubic": -0.5}),
    "resize_table grid": (refpos.resize_table, {"weight": (13, 2)},
                          {"size": (5, 3), "method": "linear", "align": "corners", "prefix": 1, "grid": (3, 4),
                           "crop": ((0, 3), (1, 4))}),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_the_gradient_is_the_transpose(name):
    """Each function is linear: sum(dy * f(v)) = sum(vjp(dy) * v), for each argument alone, to a few units."""
    function, shapes, options = CALLS[name]
    zeros = {key: np.zeros(shape) for key, shape in shapes.items()}
    dy = scattered(*function(**zeros, **options).shape, seed=6)
    gradients = refpos.vjp(function, **zeros, **options, cotangent=dy)
    assert list(gradients) == list(shapes)
    for key, shape in shapes.items():
        v = scattered(*shape, seed=7)
        forwards = (dy * function(**{**zeros, key: v}, **options)).sum()
        assert gradients[key].shape == shape and abs(forwards - (gradients[key] * v).sum()) < 1e-12


def test_every_rule_is_held_against_its_function():
    """Those of scores stand in test_score_gradients.py."""
    assert {entry.name for entry in WITH_RULE if entry.family != "scores"} == {name.split()[0] for name in CALLS}


def test_rotations_have_the_finite_differences_of_the_formula():
    """At 60 digits: (L(x + h) - L(x - h)) / 2h of L = sum dy y, from the formula alone."""
    x, dy = scattered(1, 4, seed=8)[0], scattered(1, 4, seed=9)[0]
    found = refpos.vjp(refpos.rope, x[None], [1000003], pairing="half", cotangent=dy[None])["x"][0]
    with mpmath.workdps(60):
        angles = [1000003 * mpmath.mpf(10000) ** (mpmath.mpf(-i) / 2) for i in range(2)]

        def scalar(values):
            first = [values[i] * mpmath.cos(angles[i]) - values[i + 2] * mpmath.sin(angles[i]) for i in range(2)]
            second = [values[i + 2] * mpmath.cos(angles[i]) + values[i] * mpmath.sin(angles[i]) for i in range(2)]
            return mpmath.fdot([mpmath.mpf(float(one)) for one in dy], first + second)

        step = mpmath.mpf(10) ** -20
        for k in range(4):
            values = [[mpmath.mpf(float(one)) + sign * step * (j == k) for j, one in enumerate(x)] for sign in (1, -1)]
            difference = (scalar(values[0]) - scalar(values[1])) / (2 * step)
            assert float(difference) == found[k]


def test_resizing_has_the_finite_differences_of_the_function():
    """The table resized is linear: a difference is a column of the Jacobian."""
    weight, dy = np.zeros((3, 1)), scattered(5, 1, seed=10)
    options = {"size": 5, "method": "linear", "align": "corners"}
    found = refpos.vjp(refpos.resize_table, weight, **options, cotangent=dy)["weight"]
    for row in range(3):
        unit = np.zeros((3, 1))
        unit[row] = 1
        column = refpos.resize_table(unit, **options)  # halves, so that nothing is rounded
        exact = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(column[:, 0], dy[:, 0], strict=True))
        assert float(exact) == found[row, 0]


@pytest.mark.parametrize("name", ["rope", "mrope", "rope_2d", "rope_3d", "xpos"])
def test_a_gradient_of_a_rotation_is_one_rotation(name):
    """So that it takes the time of one, whatever else the machine does."""
    entry, calls = catalogue.find(name), []

    def counted(**arguments):
        calls.append(arguments)
        return arguments["x"]

    given = {**entry.defaults, "x": scattered(2, 4, 8)}
    dy = scattered(2, 4, 8, seed=1)
    assert entry.gradients["x"](counted, given, dy) is calls[0]["x"]
    assert len(calls) == 1 and calls[0]["inverse"] is not entry.defaults["inverse"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_infinities_of_both_signs_are_the_positive_quiet_nan(dtype):
    dy = np.array([[np.inf], [-np.inf], [np.inf], [1.0], [np.nan]], dtype)
    found = refpos.vjp(refpos.learned, np.zeros((4, 1), dtype), [0, 0, 1, 2, 3], cotangent=dy)["weight"]
    assert found[1, 0] == np.inf and found[2, 0] == 1
    patterns = found.view(f"u{found.itemsize}")[:, 0]
    fmt = formats.FORMATS[dtype]
    assert patterns[0] == patterns[3] == fmt.nan


def test_what_has_a_name_that_is_no_text_is_refused():
    def odd():
        """A function whose name cannot be looked up."""

    unnamed = type("Odd", (), {"__name__": []})()
    for function in (odd, unnamed, 3):
        with pytest.raises(refpos.InputError, match="function must be one of"):
            refpos.vjp(function, cotangent=np.zeros(1))


@pytest.mark.parametrize(
    ("cotangent", "code", "words"),
    [
        (np.zeros((3, 2)), "E_SHAPE", r"the shape of the result, \(2, 2\), got \(3, 2\)"),
        (np.zeros((2, 2), np.float32), "E_DTYPE", "the dtype of the result, float64, got float32"),
        (np.zeros((2, 2), np.int64), "E_DTYPE", "cotangent"),
    ],
)
def test_a_cotangent_that_is_not_that_of_the_result_is_refused(cotangent, code, words):
    with pytest.raises(refpos.InputError, match=words) as caught:
        refpos.vjp(refpos.learned, np.zeros((4, 2)), [0, 3], cotangent=cotangent)
    assert (caught.value.code, caught.value.argument) == (code, "cotangent")
