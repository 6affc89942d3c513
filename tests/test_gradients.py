"""Gradients: refused calls, exact sums, the finite differences of the functions, and how often a rotation is made."""

from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import refpos
import refpos.testing
from refpos import catalogue, kernels
from refpos.absolute import fourier_projection, time2vec
from refpos.arithmetic import formats, rounding
from refpos.golden.run import argument, arguments_of, inputs_of
from refpos.kernels import numpy_kernels
from refpos.relative import fire, kerple
from refpos.steps.rows import integer_sums, scatter
from refpos.tables import learned_axes, mean_of_rows, resize_bias, resize_packed

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


def refusal(function, **arguments):
    """(type, code, argument, sentence) of what a call raises; None of one that is taken."""
    try:
        function(**arguments)
    except refpos.InputError as error:
        return type(error), error.code, error.argument, str(error)
    return None


def call_with(entry, name):
    """(cotangent, other arguments) of a golden case of the gradient that gives this argument; there must be one."""
    for case in refpos.testing.cases(entry.vjp.name):
        tensors = {key: tensor.values for key, tensor in inputs_of(case.golden).items()}
        plain = {key: argument(value) for key, value in arguments_of(case.golden).items()}
        given = {**plain, **tensors}
        if case.golden.refusal is None and given.get(name) is not None:
            return given.pop("cotangent"), given
    raise AssertionError(f"no case of {entry.vjp.name} gives {name}")


@pytest.mark.parametrize(
    ("entry", "name"),
    [(entry, name) for entry in WITH_RULE for name in entry.gradients],
    ids=lambda one: getattr(one, "name", one),
)
def test_none_is_refused_as_the_function_refuses_it(entry, name):
    """Or taken, as by the function: `fire` needs no bias_in."""
    cotangent, given = call_with(entry, name)
    assert (
        refusal(entry.function, **given) is None and refusal(entry.vjp.function, cotangent=cotangent, **given) is None
    )
    wanted = refusal(entry.function, **{**given, name: None})
    assert wanted or entry.takes_none(name)
    assert refusal(entry.vjp.function, cotangent=cotangent, **{**given, name: None}) == wanted


@pytest.mark.parametrize(
    ("entry", "name"),
    [(entry, name) for entry in WITH_RULE for name in ("threads", "view") if name in entry.parameters],
    ids=lambda one: getattr(one, "name", one),
)
@pytest.mark.parametrize("wrong", ["x", 0])
def test_wrong_threads_and_views_are_refused_as_the_function_refuses_them(entry, name, wrong):
    cotangent, given = call_with(entry, next(iter(entry.gradients)))
    wanted = refusal(entry.function, **{**given, name: wrong})
    assert wanted and refusal(entry.vjp.function, cotangent=cotangent, **{**given, name: wrong}) == wanted


MANY, ROWS = 2**53, np.broadcast_to(1.0, (2**22, 1))
LINES_OF_FIRE = {"weight_in": [[1.0]], "bias_in": None, "weight_out": [[1.0]], "bias_out": None, "c": 1.0,
                 "length": 2.0, "eps": 0.5, "mode": "clipped", "activation": "relu"}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "arguments", "shape"),
    [
        (kerple, {"p": [1.0], "a": [1.0], "query_len": MANY, "key_len": 1, "kind": "log"}, (1, MANY, 1)),
        (kerple, {"p": [1.0], "a": [1.0], "query_len": 1, "key_len": MANY, "kind": "log"}, (1, 1, MANY)),
        (refpos.t5_bias, {"weight": np.ones((8, 1)), "query_len": MANY, "key_len": 1, "bidirectional": True}, (1, 1)),
        (fire, {**LINES_OF_FIRE, "query_positions": MANY, "key_positions": 1}, (1, MANY, 1)),
    ],
)
def test_what_memory_does_not_hold_is_refused_as_too_large(function, arguments, shape):
    assert refusal(function, **arguments)[1] == "E_TOO_LARGE"
    gradient = catalogue.find(function.__name__).vjp.function
    assert refusal(gradient, cotangent=np.broadcast_to(1.0, shape), **arguments)[1] == "E_TOO_LARGE"


def test_all_pairs_of_attention_must_fit_into_memory():
    """The function makes its scores in blocks, the gradient all of a head at once."""
    gradient = catalogue.find("attention").vjp.function
    assert refusal(gradient, q=ROWS, k=ROWS, v=ROWS, cotangent=ROWS)[:3] == (
        refpos.InputError, "E_TOO_LARGE", "cotangent",
    )  # fmt: skip


def test_a_kernel_of_many_queries_and_no_keys_has_the_gradient_0():
    for shape in ((1, MANY, 0), (1, 0, MANY)):
        arguments = {"query_len": shape[1], "key_len": shape[2], "kind": "power"}
        found = refpos.vjp(kerple, [1.0], [1.0], **arguments, cotangent=np.zeros(shape))
        assert found["p"] == found["a"] == 0


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
    monkeypatch.setattr(integer_sums, "BLOCK", 10)
    monkeypatch.setattr(scatter, "BLOCK", 10)
    assert (refpos.vjp(refpos.learned, np.zeros((8, 3)), rows, cotangent=dy)["weight"] == whole).all()


def test_numbers_at_the_end_of_the_range_are_added_exactly():
    large = np.finfo(np.float64).max
    dy = np.array([[large], [large], [-large], [5e-324], [-large], [large], [large]])
    found = refpos.vjp(refpos.learned, np.zeros((2, 1)), [0, 0, 0, 0, 0, 1, 1], cotangent=dy)["weight"]
    assert found.tolist() == [[5e-324], [np.inf]]


@pytest.mark.parametrize("spread", [0, 300, 1000])
def test_the_numpy_kernels_give_the_same_sums(spread, monkeypatch):
    rng = np.random.default_rng(spread)
    powers, rows = rng.integers(-spread, spread + 1, (3000, 2)), np.arange(3000) % 7
    dy = np.ldexp(rng.standard_normal((3000, 2)), powers)
    wanted = refpos.vjp(refpos.learned, np.zeros((8, 2)), rows, cotangent=dy)["weight"]
    monkeypatch.setattr(kernels, "active", numpy_kernels)
    assert (refpos.vjp(refpos.learned, np.zeros((8, 2)), rows, cotangent=dy)["weight"] == wanted).all()


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
    "mean_of_rows": (mean_of_rows, {"weight": (5, 2)}, {"rows": [[0, 3, -1], [3, 3, 1], [-1, -1, -1]]}),
    "resize_bias": (resize_bias, {"weight": (18, 2)}, {"old": (2, 3), "new": (3, 2), "method": "beit",
                                                       "class_token": True}),
    "resize_packed": (resize_packed, {"weight": (3, 4, 2)},
                      {"grid_thw": [[1, 4, 2], [2, 2, 2]], "method": "linear", "align": "half-pixel", "merge_size": 2,
                       "length": 9}),
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
    names = {name.split()[0] for name in (*CALLS, *FORMULAS)}
    assert {entry.name for entry in WITH_RULE if entry.family != "scores"} == names


WAVES, MATRIX = {"coordinates": (4, 2), "weight": (2, 3)}, {"factor": 1.5, "layout": "interleaved"}
LINES = {"weight_in": (4, 1), "bias_in": (4,), "weight_out": (2, 4), "bias_out": (2,)}
#: {name: (function, shapes of its arguments that have gradients, its other arguments)} of what is not linear in these
FORMULAS = {
    "fourier_projection": (fourier_projection, {**WAVES, "phase": (3,)}, {**MATRIX, "layout": "sin-cos"}),
    "fourier_projection interleaved": (fourier_projection, WAVES, {**MATRIX, "factor": "2pi"}),
    "fourier_projection cosines": (fourier_projection, WAVES, {**MATRIX, "layout": "cos"}),
    "time2vec": (time2vec, {"t": (2, 2), "weight": (3,), "phase": (3,)}, {"linear": "last", "kind": "sin"}),
    **{
        f"kerple {kind}": (kerple, {"p": (2,), "a": (2,)}, {"query_len": 2, "key_len": 5, "kind": kind, "least": 0.125})
        for kind in ("log", "power", "weight")
    },
    "fire": (fire, {**LINES, "c": (), "length": ()}, {"query_positions": 3, "key_positions": 4, "eps": 0.125,
                                                      "mode": "symmetric", "activation": "relu"}),
    "fire clipped": (fire, {**LINES, "c": (), "length": ()}, {"query_positions": [5, 2, 2], "key_positions": 4,
                                                              "eps": 0.125, "mode": "clipped",
                                                              "activation": "leaky_relu"}),
    "time2vec cosines": (time2vec, {"t": (4,), "weight": (3,), "phase": (3,)}, {"linear": None, "kind": "cos"}),
}  # fmt: skip
#: the calls by the names of the programs of tests/frameworks that they are compared with
BESIDE = {name.replace(" ", "_"): call for name, call in (*CALLS.items(), *FORMULAS.items())}


def values_of(name, dtype=np.float64):
    """Arguments that have gradients; parameters of kernels lie within their limits."""
    arrays = {key: scattered(*shape, seed=k, dtype=dtype) for k, (key, shape) in enumerate(BESIDE[name][1].items())}
    return {key: abs(one) % 1 + dtype(0.25) for key, one in arrays.items()} if name.startswith("kerple") else arrays


@pytest.mark.parametrize("name", FORMULAS)
def test_the_gradient_is_that_of_finite_differences(name):
    """(L(v + h) - L(v - h)) / 2h of L = sum dy f(v), to the square of h."""
    function, shapes, options = FORMULAS[name]
    values = values_of(name.replace(" ", "_"))
    dy = scattered(*function(**values, **options).shape, seed=6)
    gradients, h = refpos.vjp(function, **values, **options, cotangent=dy), 2.0**-17
    assert list(gradients) == list(shapes)
    for key, at in [(key, at) for key, shape in shapes.items() for at in np.ndindex(shape)]:
        unit = np.zeros(shapes[key])
        unit[at] = h
        ends = (function(**{**values, key: values[key] + step}, **options) for step in (unit, -unit))
        difference = (dy * np.subtract(*ends)).sum() / (2 * h)
        assert gradients[key].shape == shapes[key] and abs(difference - gradients[key][at]) < 1e-8


def test_a_threshold_at_a_query_has_half_of_the_slope():
    """As torch.maximum divides the gradient; hidden units of 0 have the slope of those below."""
    lines = {"weight_in": [1.0], "bias_in": [0.0], "weight_out": [[1.0]], "bias_out": [0.0]}
    call = {"query_positions": [2], "key_positions": 2, "c": 1.0, "eps": 0.0, "mode": "clipped", "activation": "relu"}
    slopes = [refpos.vjp(fire, **lines, **call, length=length, cotangent=np.ones((1, 1, 2)))["length"]
              for length in (2.0, np.nextafter(2.0, 3))]  # fmt: skip
    assert slopes[0] < 0 and abs(slopes[1] - 2 * slopes[0]) < 1e-14
    at_zero = {**call, "query_positions": [1], "key_positions": [1], "activation": "leaky_relu", "length": 1.0}
    assert refpos.vjp(fire, **lines, **at_zero, cotangent=np.ones((1, 1, 1)))["bias_in"] == [0.01]


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
        (np.zeros((2, 2), np.uint16), "E_DTYPE", "of the result, float64, got uint16, bit patterns of bfloat16"),
        (np.zeros((2, 2), np.int64), "E_DTYPE", "cotangent"),
    ],
)
def test_a_cotangent_that_is_not_that_of_the_result_is_refused(cotangent, code, words):
    with pytest.raises(refpos.InputError, match=words) as caught:
        refpos.vjp(refpos.learned, np.zeros((4, 2)), [0, 3], cotangent=cotangent)
    assert (caught.value.code, caught.value.argument) == (code, "cotangent")
