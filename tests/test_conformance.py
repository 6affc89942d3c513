"""Conformance: what pipelines give lies in their class and not in a stricter one, an adversary inside a class stays
within its bounds and comes near them, and typical mistakes lie in no class."""

import itertools
import math
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import InputError
from refpos.conformance import error_bounds
from refpos.conformance.compare import compare

F32 = np.float32
DTYPES = {"float32": F32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float64": np.float64}
POSITIONS = np.unique(
    np.concatenate([np.arange(300), np.random.default_rng(0).integers(0, 131073, 500), [65535, 131072]])
)
BASES = (1e4, 5e5, 1e6)


def frequencies(dim, base, how):
    """inv_freq as programs compute it."""
    if how == "float64":
        return base ** -(np.arange(0, dim, 2) / dim)
    if how == "exp":
        return np.exp(np.arange(0, dim, 2).astype(F32) * F32(-math.log(base) / dim))
    exponent = np.arange(0, dim, 2).astype(F32) / F32(dim)
    return F32(1) / F32(base) ** exponent


def cosines_and_sines(positions, inv_freq):
    angle = positions.astype(inv_freq.dtype)[..., None] * inv_freq
    return np.cos(angle), np.sin(angle)


def judged(name, arguments, inputs, actual, dtype="float32", expected=None, where=...):
    """Reports of each output: actual is {output: array}."""
    if expected is None:
        call = {**arguments, **inputs}
        call.update({"dtype": dtype} if name != "rope" else {})
        expected = {"output": refpos.catalogue.find(name).function(**call)}
    limits = error_bounds.bounds(name, arguments, inputs, dtype)
    reports = []
    for output, array in actual.items():
        bounds = {kind: limit[output] for kind, limit in limits.items()}
        for limit in bounds.values():
            assert limit.shape == expected[output].shape and limit.dtype == np.float64 and (limit >= 0).all()
        reports.append(compare(array[where], expected[output][where], bounds={k: v[where] for k, v in bounds.items()}))
    return reports


def judged_table(actual, positions, dim, base, dtype="float32", where=...):
    expected = refpos.rope_table(positions, refpos.inverse_frequencies(dim, base=base), dtype=dtype)
    arguments, inputs = {"dim": dim, "base": base}, {"positions": positions}
    named = [dict(zip(("cos", "sin"), pair, strict=True)) for pair in (actual, expected)]
    return judged("rope_table", arguments, inputs, named[0], dtype, named[1], where)


# -- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("dim", [128, 80, 2])
def test_a_float32_table_is_float32_angle_and_no_better(base, dim):
    reports = judged_table(cosines_and_sines(POSITIONS, frequencies(dim, base, "power")), POSITIONS, dim, base)
    for report in reports:
        assert report.classes["float32-angle"].met and report.classes["bfloat16-table"].met
        if dim > 2:  # with one frequency, which is 1, no angle is rounded
            assert report.met == "float32-angle" and report.classes["float64-angle"].ratio > 1000
            assert 0.02 < report.classes["float32-angle"].ratio < 1


@pytest.mark.parametrize("base", BASES)
def test_a_float32_table_by_exponentials_is_a_class_of_its_own(base):
    table = cosines_and_sines(POSITIONS, frequencies(512, base, "exp"))
    for report in judged_table(table, POSITIONS, 512, base):
        assert report.classes["float32-exp-angle"].met and not report.classes["float64-angle"].met


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_float64_table_cast_once_is_faithful_and_float64_angle(dtype):
    near = POSITIONS[POSITIONS < 8192]
    with np.errstate(under="ignore"):
        table = [part.astype(DTYPES[dtype]) for part in cosines_and_sines(near, frequencies(128, 1e4, "float64"))]
    for report in judged_table(table, near, 128, 1e4, dtype):
        assert report.met in ("correct", "faithful") and report.classes["float64-angle"].met


def test_a_float64_table_in_float64_is_float64_angle_and_no_better():
    table = cosines_and_sines(POSITIONS, frequencies(128, 5e5, "float64"))
    for report in judged_table(table, POSITIONS, 128, 5e5, "float64"):
        assert report.met == "float64-angle" and report.classes["float64-angle"].ratio > 0.02


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_table_cut_to_sixteen_bits(name):
    table = cosines_and_sines(POSITIONS, frequencies(128, 1e4, "power"))
    cut = [part.astype(DTYPES[name]).astype(F32) for part in table]
    near = POSITIONS < 100  # where the cut shows beside the error of the angle
    for report in judged_table(cut, POSITIONS, 128, 1e4, where=near):
        assert report.met == f"{name}-table"
    for report in judged_table(cut, POSITIONS, 128, 1e4):
        assert report.classes[f"{name}-table"].met


def test_table_classes_stand_where_they_cut():
    def names(dtype):
        return set(error_bounds.bounds("rope_table", {"dim": 4}, {"positions": 3}, dtype))

    angles = {"correct", "faithful", "float64-angle", "float32-angle", "float32-exp-angle"}
    assert names("float64") == names("float32") == angles | {"float16-table", "bfloat16-table"}
    assert names("float16") == angles | {"bfloat16-table"}
    assert names("bfloat16") == angles
    inputs = {"x": np.ones((3, 4)), "positions": 3}
    for dtype, tables in (("float32", {"float16-table", "bfloat16-table"}), ("bfloat16", {"bfloat16-table"})):
        found = error_bounds.bounds(
            "rope", {"pairing": "half"}, {**inputs, "x": inputs["x"].astype(DTYPES[dtype])}, dtype
        )
        assert set(found) == angles | tables


MISTAKES = {
    "bfloat16 inv_freq": lambda p, f: cosines_and_sines(p, f.astype(ml_dtypes.bfloat16).astype(F32)),
    "float16 inv_freq": lambda p, f: cosines_and_sines(p, f.astype(np.float16).astype(F32)),
    "positions from 1": lambda p, f: cosines_and_sines(p + 1, f),
    "bfloat16 positions": lambda p, f: cosines_and_sines(p.astype(ml_dtypes.bfloat16).astype(F32), f),
    "bfloat16 angles": lambda p, f: [
        g((p.astype(F32)[:, None] * f).astype(ml_dtypes.bfloat16).astype(F32)) for g in (np.cos, np.sin)
    ],
    "degrees of another base": lambda p, f: cosines_and_sines(p, frequencies(2 * len(f), 10001.0, "power")),
    "sine and cosine swapped": lambda p, f: cosines_and_sines(p, f)[::-1],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_lie_in_no_angle_class(mistake):
    positions = np.concatenate([[255, 257, 4097], POSITIONS[POSITIONS > 257]])
    table = MISTAKES[mistake](positions, frequencies(128, 1e4, "power"))
    for where in (slice(None), slice(0, 3)):
        for report in judged_table(table, positions, 128, 1e4, where=where):
            assert not any(
                report.classes[name].met for name in ("float64-angle", "float32-angle", "float32-exp-angle")
            ), mistake
    if mistake == "bfloat16 inv_freq":
        for report in judged_table(table, positions, 128, 1e4, where=slice(0, 1)):
            assert report.met is None and report.classes["bfloat16-table"].ratio > 10


def test_an_adversary_inside_the_class_stays_within_the_bound_and_comes_near_it():
    """Every error of the derivation of float32-angle at its limit and of one sign, in float64 arithmetic."""
    dim, base, u = 128, 1e4, 2.0**-24  # the exponents 2i/128 and the base are exact
    positions = POSITIONS[(0 < POSITIONS) & (POSITIONS < 3000)]
    theta = refpos.inverse_frequencies(dim, base=base).inv_freq
    relative = np.where(np.arange(dim // 2) == 0, 0, 11 * u)  # a power of 4 ulp, a reciprocal, a product
    limits = error_bounds.bounds("rope_table", {"dim": dim, "base": base}, {"positions": positions}, "float64")[
        "float32-angle"
    ]
    for output, function in (("cos", np.cos), ("sin", np.sin)):
        nearest = np.zeros(limits[output].shape)
        for sign in (1, -1):
            for turn in (1, -1):
                computed = np.clip(
                    function(positions[:, None] * theta * (1 + sign * relative)) * (1 + turn * 5 * u), -1, 1
                )
                share = abs(computed - function(positions[:, None] * theta)) / limits[output]
                nearest = np.maximum(nearest, share)
        assert nearest.max() <= 1
        assert np.median(nearest) > 0.99 and nearest.min() > 0.5


def test_an_adversary_in_float64():
    """As above to first order, since the errors are below what float64 arithmetic shows."""
    dim, base, u = 128, 1e4, 2.0**-53
    positions = POSITIONS[(0 < POSITIONS) & (POSITIONS < 3000)]
    i = np.arange(dim // 2)
    angle = positions[:, None] * refpos.inverse_frequencies(dim, base=base).inv_freq
    # a power and a reciprocal, or a logarithm, two operations, an exponential and a reciprocal; a product
    moved = angle * np.where(i == 0, 0, 1 + np.maximum(10, 5 * (2 * i / dim) * math.log(base) + 6)) * u
    limits = error_bounds.bounds("rope_table", {"dim": dim, "base": base}, {"positions": positions}, "float64")[
        "float64-angle"
    ]
    cos, sin = abs(np.cos(angle)), abs(np.sin(angle))
    for output, value, slope in (("cos", cos, sin), ("sin", sin, cos)):
        share = (moved * slope + 6 * u * value) / limits[
            output
        ]  # a function of 2 ulp, and the rounding of the expected value
        assert share.max() < 1 + 1e-9 and share.min() > 1 - 1e-3


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_classes_contain_the_stricter_ones(dtype):
    limits = error_bounds.bounds("rope_table", {"dim": 96, "base": 500000.0}, {"positions": POSITIONS}, dtype)
    chains = [
        ["float64-angle", "float32-angle", "float32-exp-angle"],
        ["float32-angle", "float16-table"],
        ["float32-angle", "bfloat16-table"],
    ]
    expected = refpos.rope_table(POSITIONS, refpos.inverse_frequencies(96, base=500000.0), dtype=dtype)
    for output, values in zip(("cos", "sin"), expected, strict=True):
        for chain in chains:
            known = [limits[name][output] for name in chain if name in limits]
            assert all((a <= b).all() for a, b in itertools.pairwise(known))
        with np.errstate(over="ignore"):
            neighbours = values.view(f"u{values.itemsize}") + np.array([[[1]], [[-1]]]).astype(f"u{values.itemsize}")
        apart = abs(neighbours.view(values.dtype).astype(np.float64) - values.astype(np.float64))
        moving = POSITIONS > 0
        # beside a power of two a neighbour may be off by the whole wider step
        assert (apart <= limits["float64-angle"][output] * (1 + 2.0**-7))[:, moving].all()
        assert all((limits[name][output] <= 2).all() for name in limits)
        assert all((limits[name][output][~moving] == 0).all() for name in limits if name != "faithful")


def test_a_frequency_of_one_leaves_only_the_functions():
    limits = error_bounds.bounds("rope_table", {"dim": 64}, {"positions": np.array([131072, 2**24 + 1])}, "float32")
    near, far = limits["float32-angle"]["sin"][:, 0]
    assert near < 8 * 2.0**-24 and far > 1  # 2**24 + 1 is not a float32


def test_a_power_beyond_float32_may_give_a_frequency_of_zero():
    positions = np.array([2**52])
    limits = error_bounds.bounds("rope_table", {"dim": 8, "base": 1e60}, {"positions": positions}, "float64")
    assert limits["float32-angle"]["sin"][0, 3] >= 2.0**52 * 1e-45 > limits["float64-angle"]["sin"][0, 3] * 2.0**40


# -- absolute encodings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["interleaved", "sin-cos", "cos-sin"])
@pytest.mark.parametrize("dim, odd", [(16, "truncate"), (15, "truncate"), (15, "pad"), (1, "truncate"), (16, "pad")])
@pytest.mark.parametrize("endpoint", [False, True])
def test_bounds_lie_in_the_channels_of_their_values(layout, dim, odd, endpoint):
    width = dim - 1 if odd == "pad" and dim % 2 else dim
    count = (width + 1) // 2
    exponent = np.arange(count) / max(count - 1, 1) if endpoint else 2 * np.arange(count) / width
    cos, sin = cosines_and_sines(POSITIONS, F32(1) / F32(1e6) ** exponent.astype(F32))
    cos = cos[:, : width - count]
    if layout == "interleaved":
        actual = np.stack([sin, np.pad(cos, ((0, 0), (0, count - cos.shape[1])))], -1).reshape(len(sin), -1)[:, :width]
    else:
        actual = np.concatenate([sin, cos] if layout == "sin-cos" else [cos, sin], -1)
    actual = np.pad(actual, ((0, 0), (0, dim - width)))
    arguments = {"dim": dim, "base": 1e6, "layout": layout, "odd": odd, "endpoint": endpoint}
    (report,) = judged("sinusoidal", arguments, {"positions": POSITIONS}, {"output": actual})
    assert report.classes["float32-angle"].met
    limits = error_bounds.bounds("sinusoidal", arguments, {"positions": POSITIONS}, "float32")["float32-angle"][
        "output"
    ]
    assert (limits[1:, :width] > 0).all() and (limits[:, width:] == 0).all() and (limits[0] == 0).all()


def test_positions_of_any_shape_scale_and_kind():
    positions = np.random.default_rng(4).standard_normal((3, 5)) * 1000
    for given in (positions, positions.astype(F32), positions.astype(ml_dtypes.bfloat16)):
        exact = given.astype(np.float64)
        cos, sin = cosines_and_sines(exact.astype(F32) * F32(1000.1), frequencies(8, 1e4, "power"))
        actual = np.stack([sin, cos], -1).reshape(3, 5, 8)
        arguments = {"dim": 8, "position_scale": 1000.1}
        (report,) = judged("sinusoidal", arguments, {"positions": given}, {"output": actual})
        assert report.classes["float32-angle"].met and not report.classes["float64-angle"].met
    assert error_bounds.bounds("sinusoidal", {"positions": 5, "dim": 8}, {}, "float16")["correct"]["output"].shape == (
        5,
        8,
    )


@pytest.mark.parametrize("axis_order", ["hw", "wh"])
@pytest.mark.parametrize("extra", [None, 2])
def test_a_grid_in_float64_is_float64_angle(axis_order, extra):
    height, width, dim = 5, 9, 24
    omega = 1 / 10000 ** (np.arange(dim // 4) / (dim / 4))
    y, x = (np.concatenate([g(np.arange(n)[:, None] * omega) for g in (np.sin, np.cos)], -1) for n in (height, width))
    halves = {
        "h": np.broadcast_to(y[:, None], (height, width, dim // 2)),
        "w": np.broadcast_to(x, (height, width, dim // 2)),
    }
    actual = np.concatenate([halves[axis] for axis in axis_order], -1)
    if extra:
        actual = np.concatenate([np.zeros((extra, dim)), actual.reshape(-1, dim)])
    arguments = {"height": height, "width": width, "dim": dim, "axis_order": axis_order, "extra_tokens": extra}
    (report,) = judged("sincos_2d", arguments, {}, {"output": actual}, "float64")
    assert report.classes["float64-angle"].met
    other = {**arguments, "axis_order": axis_order[::-1]}
    (report,) = judged("sincos_2d", other, {}, {"output": actual}, "float64")
    assert report.met is None


@pytest.mark.parametrize(
    "how, name", [("float64", "float64-angle"), ("power", "float32-angle"), ("exp", "float32-exp-angle")]
)
def test_frequencies(how, name):
    for dim, base in ((128, 1e4), (80, 5e5), (512, 1e6)):
        actual = frequencies(dim, base, how)
        dtype = "float64" if how == "float64" else "float32"
        expected = refpos.inverse_frequencies(dim, base=base).rounded(dtype)
        (report,) = judged(
            "inverse_frequencies", {"dim": dim, "base": base}, {}, {"output": actual}, dtype, {"output": expected}
        )
        assert report.classes[name].met
        cut = actual.astype(ml_dtypes.bfloat16).astype(actual.dtype)
        (report,) = judged(
            "inverse_frequencies", {"dim": dim, "base": base}, {}, {"output": cut}, dtype, {"output": expected}
        )
        assert report.met is None


# -- rotation ---------------------------------------------------------------------------------------------------------


def rotated(x, cos, sin, pairing, width):
    """The rotation as frameworks write it, every operation in the dtype of its operands."""
    y = x.astype(np.result_type(x, cos)) if x.dtype != cos.dtype else x.copy()
    a, b = (
        (slice(0, width, 2), slice(1, width, 2))
        if pairing == "interleaved"
        else (slice(0, width // 2), slice(width // 2, width))
    )
    one, other = y[..., a].copy(), y[..., b].copy()
    y[..., a], y[..., b] = one * cos - other * sin, other * cos + one * sin
    return y


@pytest.mark.parametrize("pairing", ["half", "interleaved"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("rotary_dim", [None, 12])
def test_a_rotation_by_float32_tables(pairing, dtype, rotary_dim):
    positions = np.array([0, 1, 255, 4097, 131071])
    x = np.random.default_rng(6).standard_normal((2, 3, 5, 20)).astype(DTYPES[dtype])
    width = rotary_dim or 20
    table = cosines_and_sines(positions, frequencies(width, 1e4, "power"))
    arguments = {"pairing": pairing, "base": 1e4, "rotary_dim": rotary_dim}
    actual = rotated(x.astype(F32), *table, pairing, width).astype(DTYPES[dtype])
    (report,) = judged("rope", arguments, {"x": x, "positions": positions}, {"output": actual}, dtype)
    assert report.classes["float32-angle"].met and not report.classes["faithful"].met
    if dtype != "float32":
        cut = [part.astype(DTYPES[dtype]) for part in table]
        inside = rotated(x, *cut, pairing, width)
        (report,) = judged("rope", arguments, {"x": x, "positions": positions}, {"output": inside}, dtype)
        assert report.classes[f"{dtype}-table"].met and not report.classes["float64-angle"].met
        if dtype == "bfloat16":
            (report,) = judged(
                "rope", {**arguments, "dtype": dtype}, {"x": x.view(np.uint16), "positions": positions},
                {"output": inside}, dtype, {"output": refpos.rope(x, positions, **arguments)},
            )  # fmt: skip
            assert report.classes["bfloat16-table"].met
    other = "half" if pairing == "interleaved" else "interleaved"
    wrong = rotated(x.astype(F32), *table, other, width).astype(DTYPES[dtype])
    (report,) = judged("rope", arguments, {"x": x, "positions": positions}, {"output": wrong}, dtype)
    assert report.met is None
    limits = error_bounds.bounds("rope", arguments, {"x": x, "positions": positions}, dtype)["float32-angle"]["output"]
    assert (limits[..., width:] == 0).all() and (limits[:, :, 0] == 0).all() and (limits[:, :, 1:, :width] > 0).all()


def test_positions_stand_along_the_sequence_axis():
    x = np.random.default_rng(7).standard_normal((2, 5, 3, 8)).astype(F32)
    positions = np.array([[0, 1, 2, 3, 4], [0, 0, 10000, 10001, 10002]])
    arguments = {"pairing": "half", "seq_axis": -3}
    cos, sin = cosines_and_sines(positions, frequencies(8, 1e4, "power"))
    actual = rotated(x, cos[:, :, None], sin[:, :, None], "half", 8)
    (report,) = judged("rope", arguments, {"x": x, "positions": positions}, {"output": actual})
    assert report.classes["float32-angle"].met
    limits = error_bounds.bounds("rope", arguments, {"x": x, "positions": positions}, "float32")["float32-angle"][
        "output"
    ]
    assert (limits[1, 1] == 0).all() and (limits[1, 2, :, 1] > 20 * limits[0, 2, :, 1]).all()


def test_positions_of_a_batch_hold_for_every_head():
    x = np.random.default_rng(8).standard_normal((2, 3, 4, 8)).astype(F32)
    positions = np.array([[0, 1, 2, 3], [1000, 1001, 1002, 1003]])
    cos, sin = cosines_and_sines(positions, frequencies(8, 1e4, "power"))
    actual = rotated(x, cos[:, None], sin[:, None], "half", 8)
    (report,) = judged("rope", {"pairing": "half"}, {"x": x, "positions": positions}, {"output": actual})
    assert report.classes["float32-angle"].met


def test_a_rotation_may_err_by_the_sum_of_its_roundings():
    """First order, where the frequency is 1 and the angle is exact: table, two products, a sum, the expected value."""
    positions = np.arange(1, 50)
    cos, sin = abs(np.cos(positions)), abs(np.sin(positions))
    for dtype, name, u, table in (
        ("bfloat16", "bfloat16-table", 2.0**-8, 2.0**-8),
        ("float16", "float16-table", 2.0**-11, 2.0**-11),
        ("float32", "float32-angle", 2.0**-24, 5 * 2.0**-24),  # the functions
        ("float64", "float64-angle", 2.0**-53, 5 * 2.0**-53),
    ):
        x = np.repeat(np.array([[1.5, -0.75]], DTYPES[dtype]), len(positions), 0)
        turned = abs(refpos.rope(x.astype(np.float64), positions, pairing="half")[:, 0])
        inputs = {"x": x, "positions": positions}
        limit = error_bounds.bounds("rope", {"pairing": "half"}, inputs, dtype)[name]["output"][:, 0]
        size = 1.5 * cos + 0.75 * sin
        share = (table * size + u * size + 2 * u * turned) / limit
        assert share.max() <= 1 and share.min() > 0.98, dtype
        # a result that is rounded to fewer bits afterwards: one rounding of it and one of the expected value
        x = x.astype(np.float16)
        limit = error_bounds.bounds("rope", {"pairing": "half"}, {**inputs, "x": x}, "float16")["float64-angle"][
            "output"
        ]
        assert (limit[:, 0] >= 2 * 2.0**-11 * turned).all() and (
            limit[:, 0] <= 2.01 * 2.0**-11 * turned + 2.0**-22
        ).all()


def test_rotations_of_extreme_values():
    largest = np.finfo(np.float64).max
    x = np.array([[largest, largest], [np.inf, 1.0], [np.nan, 1.0], [5e-324, 5e-324]])
    limits = error_bounds.bounds("rope", {"pairing": "half"}, {"x": x, "positions": np.arange(1, 5)}, "float64")
    for limit in (limits[name]["output"] for name in limits if name != "faithful"):
        assert np.isfinite(limit).all() and (limit[1:3] == 0).all()
    assert (limits["float64-angle"]["output"][0] > 0).all() and (
        limits["float64-angle"]["output"][0] < largest * 2.0**-45
    ).all()


# -- biases -----------------------------------------------------------------------------------------------------------


def press(heads, dtype=np.float64):
    """Slopes by powers of a root, with the heads that are left from the next power of two."""

    def powers(n):
        root = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return (
            [root * root**i for i in range(n)] if dtype is np.float64 else F32(root) ** np.arange(1, n + 1).astype(F32)
        )

    n = 2 ** math.floor(math.log2(heads))
    return np.array([*powers(n), *powers(2 * n)[0::2][: heads - n]], dtype)


@pytest.mark.parametrize("heads", [1, 2, 8, 12, 16, 20, 32, 71, 112])
def test_slopes(heads):
    (report,) = judged("alibi_slopes", {"num_heads": heads}, {}, {"output": press(heads)}, "float64")
    assert report.classes["float64-power"].met
    (report,) = judged("alibi_slopes", {"num_heads": heads}, {}, {"output": press(heads).astype(F32)}, "float32")
    assert report.classes["float64-power"].met and report.classes["faithful"].met
    (report,) = judged("alibi_slopes", {"num_heads": heads}, {}, {"output": press(heads, F32)}, "float32")
    assert report.classes["float32-power"].met
    bits = press(heads).astype(ml_dtypes.bfloat16).astype(F32)
    if heads > 8:
        (report,) = judged("alibi_slopes", {"num_heads": heads}, {}, {"output": bits}, "float32")
        assert report.met is None
    if heads & heads - 1:
        geometric = (2.0 ** (-8 * np.arange(1, heads + 1) / heads)).astype(F32)
        (report,) = judged("alibi_slopes", {"num_heads": heads}, {}, {"output": geometric}, "float32")
        assert report.met is None
        (report,) = judged("alibi_slopes", {"num_heads": heads, "convention": "geometric"}, {}, {"output": geometric})
        assert report.classes["float64-power"].met


@pytest.mark.parametrize("mode", ["causal", "symmetric", "linear"])
def test_biases(mode):
    heads, queries, keys = 12, 20, 50
    distance = np.arange(keys) - (np.arange(queries)[:, None] + keys - queries)
    arguments = {"num_heads": heads, "query_len": queries, "key_len": keys, "mode": mode}

    def bias(slopes):
        value = slopes[:, None, None] * (-abs(distance) if mode == "symmetric" else distance).astype(slopes.dtype)
        return np.where(distance > 0, -np.inf, value).astype(slopes.dtype) if mode == "causal" else value

    (report,) = judged("alibi", arguments, {}, {"output": bias(press(heads)).astype(F32)})
    assert report.classes["float64-power"].met
    (report,) = judged("alibi", arguments, {}, {"output": bias(press(heads).astype(F32))})
    assert report.classes["float32-product"].met and not report.classes["correct"].met
    (report,) = judged("alibi", arguments, {}, {"output": bias(press(heads, F32))})
    assert report.classes["float32-power"].met
    (report,) = judged("alibi", {**arguments, "query_offset": 0}, {}, {"output": bias(press(heads))}, "float64")
    assert report.met is None


def test_biases_may_err_by_the_sum_of_their_roundings():
    u = 2.0**-24
    slopes = refpos.alibi_slopes(12)
    limits = error_bounds.bounds("alibi_slopes", {"num_heads": 12}, {}, "float64")["float32-power"]["output"]
    by_two = 2 * -np.log2(slopes) * math.log(2) + 10
    by_root = np.array([0] * 8 + [1, 3, 5, 7]) + 10  # the root of the first eight is exactly 1/2
    assert limits / (slopes * u) == pytest.approx(np.maximum(by_two, by_root), rel=1e-5)
    arguments = {"num_heads": 12, "query_len": 5, "key_len": 9}
    distance = np.arange(9) - np.arange(5)[:, None] - 4
    limits = error_bounds.bounds("alibi", arguments, {}, "float32")
    for name, allowed in (("float32-product", 3), ("float64-power", 2)):  # slope, product, and the expected value
        limit = limits[name]["output"]
        assert (limit[:, distance >= 0] == 0).all()
        size = (slopes[:, None, None] * abs(distance))[:, distance < 0]
        assert limit[:, distance < 0] / (size * u) == pytest.approx(allowed, rel=1e-5)


def test_gathers_are_correct_or_nothing():
    arguments = {"bidirectional": True}
    limits = error_bounds.bounds("t5_buckets", arguments, {"relative_positions": np.zeros((3, 4), int)}, "int64")
    assert list(limits) == ["correct"] and limits["correct"]["output"].shape == (3, 4)
    limits = error_bounds.bounds(
        "t5_bias", {"query_len": 3, "key_len": 5, **arguments}, {"weight": np.zeros((32, 7), F32)}, "float32"
    )
    assert list(limits) == ["correct"] and limits["correct"]["output"].shape == (7, 3, 5)


# -- the list and its page --------------------------------------------------------------------------------------------


def test_every_class_has_a_heading_in_the_derivation():
    page = (Path(__file__).parents[1] / "docs" / "conformance.md").read_text(encoding="utf-8")
    headings = [line.removeprefix("### ").strip("` ") for line in page.splitlines() if line.startswith("### ")]
    assert [heading for heading in headings if heading in error_bounds.CLASSES] == list(error_bounds.CLASSES)


def test_what_has_no_classes_is_refused():
    with pytest.raises(InputError, match=r"one of \d+ names \(did you mean 'attention', .*got 'attentions'") as caught:
        error_bounds.bounds("attentions", {}, {}, "float32")
    assert caught.value.code == "E_CHOICE"
    given = {"frequencies": refpos.inverse_frequencies(8)}
    with pytest.raises(InputError, match="frequencies must be given as the call that makes them, got Frequencies"):
        error_bounds.bounds("rope_table", given, {"positions": 4}, "float32")
    blocks = {"widths": [8, 8], "frequencies": [given["frequencies"]] * 2}
    with pytest.raises(InputError, match="frequencies must be given as the call that makes them, got Frequencies"):
        error_bounds.bounds("axial_frequencies", blocks, {}, "float32")
    with pytest.raises(InputError, match="dtype must be one of"):
        error_bounds.bounds("rope_table", {"dim": 4}, {"positions": 4}, "float8")
