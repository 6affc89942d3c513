"""Error bounds along axes: programs that compute coordinates stay within theirs, and the terms that
docs/conformance.md derives add up to the bound."""

import math
from fractions import Fraction

import numpy as np
import pytest

import refpos
from refpos import coordinates
from refpos.conformance import error_bounds
from refpos.conformance.derivations.angles import coordinate_error
from refpos.steps.positions.exact_positions import read_positions

U = 2.0**-24


def test_counted_and_given_coordinates_cost_nothing():
    whole = [
        coordinates.affine(5, start=7),
        coordinates.centred(5, rounding="ceil"),
        coordinates.resampled(5, reference=3),
    ]
    for given in (*whole, read_positions([0.5, 1 / 3, 2.25]), read_positions(9), coordinates.listed([1, 2, 5])):
        assert not coordinate_error(given).any()
    halves = coordinate_error(coordinates.affine(5, step=0.5))
    assert halves[0] == 0 < halves[1]


# -- the terms of the derivation, to first order ----------------------------------------------------------------------


def shares(name, arguments, inputs, moved, angle, factor=1.0, factor_error=0.0, kind="float32-angle"):
    """The sum of the terms over the bound, of cosine and sine: angles off by `moved`, functions of 2 ulp, a factor."""
    limits = error_bounds.bounds(name, arguments, inputs, "float64")[kind]
    cos, sin = abs(np.cos(angle)), abs(np.sin(angle))
    for output, value, slope in (("cos", cos, sin), ("sin", sin, cos)):
        terms = (
            factor * (np.minimum(moved, moved * slope + moved**2 / 2) + 5 * U * value) + factor * value * factor_error
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            yield np.where(limits[output] > 0, terms / limits[output], 1.0)


def extremes(outputs):
    """How far the shares of all outputs lie from 1: below it, above it."""
    arrays = list(outputs)
    return 1 - min(array.min() for array in arrays), max(array.max() for array in arrays) - 1


def mesh(*axes):
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def test_terms_along_axes():
    """A power and a reciprocal (10 u) with an exponent that is rounded, a product (u), and the coordinates."""
    widths, base = (12, 20), 100.0
    arguments = {"frequencies": {"function": "axial_frequencies", "arguments": {"widths": widths, "base": base}}}
    rows, columns = np.array([0, 16 / 3, 32 / 3]), np.arange(4.0)
    where = refpos.grid(coordinates.affine(3, step=Fraction(16, 3)), 4)
    cells = mesh(rows, columns)
    p = np.repeat(cells, [6, 10], axis=-1)
    t = np.concatenate([2 * np.arange(6) / 12, 2 * np.arange(10) / 20])
    theta = base**-t
    # sixths and tenths are no float32, but for 0, 1/2 and integers
    rounded = t % 0.5 != 0
    relative = np.where(t == 0, 0, (t * math.log(base) * rounded + 11) * U)
    # rows: 5 |m| + |c|, and the product of a frequency of 1 is none
    coordinate = np.where(np.arange(16) < 6, 6 * p * U, 0)
    below, above = extremes(
        shares("rope_table", arguments, {"positions": where}, theta * (p * relative + coordinate), p * theta)
    )
    assert below < 1e-4 and above < 1e-9


def test_terms_of_whole_turns_at_middles_of_cells():
    """DINOv3: 2 pi and its product (3 u), coordinates from -1 + 1/n."""
    call = {"widths": (8, 8), "base": 100.0, "times_pi": 2}
    middles = [2 * (np.arange(n) + 0.5) / n - 1 for n in (3, 5)]
    p = np.repeat(mesh(*middles), 4, axis=-1)
    first = np.repeat([-2 / 3, -4 / 5], 4)
    t = np.tile(np.arange(4) / 4, 2)
    theta = 2 * np.pi * 100.0**-t
    relative = (np.where(t == 0, 0, 10) + 3 + 1) * U
    coordinate = U * (5 * abs(p - first) + abs(first) + (abs(first) + 1) + abs(p))
    where = refpos.grid(coordinates.half_pixel(3), coordinates.half_pixel(5))
    arguments = {"frequencies": {"function": "axial_frequencies", "arguments": call}}
    found = shares("rope_table", arguments, {"positions": where}, theta * (abs(p) * relative + coordinate), p * theta)
    below, above = extremes(found)
    assert below < 1e-4 and above < 1e-9


def test_terms_of_frequencies_that_end_at_one_over_the_base():
    """Exponents that are evenly spaced: 3 u; by an exponential 7 t L u and 6 u."""
    call = {"widths": (14,), "base": 10000.0, "endpoint": True}
    limits = error_bounds.bounds("axial_frequencies", call, {}, "float64")
    t = np.arange(7) / 6
    rounded = np.array([i % 6 % 3 != 0 for i in range(7)])
    theta, slope = 10000.0**-t, t * math.log(10000)
    power = slope * 3 * rounded + 10
    for kind, units in (("float32-angle", power), ("float32-exp-angle", np.maximum(power, slope * 7 + 6))):
        share = theta * units * U / np.where(t == 0, 1, limits[kind]["inv_freq"])
        assert share[1:] == pytest.approx(1, abs=1e-4)
    assert not limits["float32-angle"]["axes"].any() and not limits["faithful"]["axes"].any()


def test_sections_are_copies_of_the_frequencies():
    call = {"dim": 12, "sections": (2, 2, 2), "base": 1000.0}
    ids = np.array([[5, 300], [77, 2], [9, 41]])
    for arrangement, axes in (("chunked", [0, 0, 1, 1, 2, 2]), ("interleaved", [0, 1, 2] * 2)):
        recipe = {"function": "mrope_frequencies", "arguments": {**call, "arrangement": arrangement}}
        limits = error_bounds.bounds("rope_table", {"frequencies": recipe}, {"positions": ids}, "float32")
        for axis in range(3):
            alone = error_bounds.bounds("rope_table", {"dim": 12, "base": 1000.0}, {"positions": ids[axis]}, "float32")
            of_axis = np.array(axes) == axis
            for kind in alone:
                for output in ("cos", "sin"):
                    assert (limits[kind][output][:, of_axis] == alone[kind][output][:, of_axis]).all()


def test_stored_frequencies_cost_what_the_format_cannot_hold():
    values = np.array([1.0, 1 / 3, -0.5])
    limit = error_bounds.bounds("given_frequencies", {}, {"inv_freq": values}, "float64")["float32-angle"]["output"]
    assert limit[1] == pytest.approx(U / 3, rel=1e-5) and limit[0] < 2.0**-50 > limit[2]
    thirds = [1, Fraction(1, 3), 0.5]  # no float64 holds the second, so that it was computed
    limit = error_bounds.bounds("given_frequencies", {"inv_freq": thirds}, {}, "float64")["float32-angle"]["output"]
    assert limit[1] == pytest.approx(4 * U / 3, rel=1e-5) and limit[0] < 2.0**-50 > limit[2]


def test_terms_of_weighted_sums():
    """A product and a sum (2 u) for each of two terms, and a weight that is not a float32."""
    weight = np.array([[[0.1, 0.75]], [[2.5, -1.3]]])
    where = np.array([[1, 2, 300], [4, 5, 6]])
    x = np.zeros((1, 3, 4))
    x[..., 0::2] = 1.0  # the results are the cosines and sines
    limits = error_bounds.bounds(
        "mixed_rope", {"pairing": "interleaved"}, {"x": x, "positions": where, "weight": weight}, "float64"
    )
    terms = abs(where[:, :, None] * weight[:, 0, None])  # (axes, tokens, pairs)
    given = np.array([[1, 0], [0, 1]])[:, None]
    moved = (terms * (2 + given) * U).sum(0)
    angle = (where[:, :, None] * weight[:, 0, None]).sum(0)
    cos, sin = abs(np.cos(angle)), abs(np.sin(angle))
    for k, value, slope in ((0, cos, sin), (1, sin, cos)):
        found = (moved * slope + moved**2 / 2 + 5 * U * value) / limits["float32-angle"]["output"][0, :, k::2]
        assert found.max() < 1 + 1e-9 and found.min() > 1 - 1e-4


@pytest.mark.parametrize("downscale", [False, True])
def test_terms_of_the_powers_of_xpos(downscale):
    """Base 4 u t, exponent (2 u) t ln zeta, power 9 u, the reciprocal of keys u, and the product with the table u."""
    dim, n = 16, 64
    arguments = {"frequencies": {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": 1e4}},
                 "centring": "ceil", "downscale": downscale, "length": n}  # fmt: skip
    p = np.array([1, 5, 40, 63])[:, None]
    zeta = (np.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
    t = (p - 32) / 512
    units = abs(t) * 4 + abs(t * np.log(zeta)) * 2 + 9 + downscale
    j = np.arange(dim // 2)
    theta = 1e4 ** (-2 * j / dim)
    moved = p * theta * np.where(j == 0, 0, 11) * U
    inputs = {"positions": p[:, 0]}
    power = zeta ** (-t if downscale else t)
    below, above = extremes(shares("xpos_table", arguments, inputs, moved, p * theta, power, (units + 1) * U))
    assert below < 1e-4 and above < 1e-9
    given = {name: arguments[name] for name in ("centring", "downscale", "length")}
    limits = error_bounds.bounds("xpos_scale", {"dim": dim, **given}, inputs, "float64")["float32-power"]["output"]
    assert units * U * power / limits == pytest.approx(1, abs=1e-4)


def test_the_power_at_the_centre_is_exact():
    arguments = {"dim": 4, "centring": "floor", "length": 10}
    limits = error_bounds.bounds("xpos_scale", arguments, {"positions": np.array([5, 2**24 + 1])}, "float32")
    assert (limits["float32-power"]["output"][0] < 2.0**-24 * 1.01).all()  # the rounding of the expected value
    assert (limits["float32-power"]["output"][1] >= 0).all()


def test_coordinates_at_rest_are_exact_in_every_class():
    where = refpos.grid(coordinates.affine(3, step=Fraction(1, 3)), coordinates.centred(3, rounding="floor"))
    arguments = {"frequencies": {"function": "axial_frequencies", "arguments": {"widths": (4, 4)}}}
    limits = error_bounds.bounds("rope_table", arguments, {"positions": where}, "float32")
    for kind in set(limits) - {"faithful"}:
        for output in ("cos", "sin"):
            assert (limits[kind][output][0, :, :2] == 0).all() and (limits[kind][output][:, 1, 2:] == 0).all()


def test_logarithms_of_counts():
    positions = np.array([0, 4094, 4095, 4096, 10**6])
    limits = error_bounds.bounds("log_n_scale", {"training_length": 4096}, {"positions": positions}, "float64")
    limit = limits["float32-logarithm"]["output"]
    ratio = np.log(positions + 1) / math.log(4096)
    assert limit[0] == 0 and limit[3:] == pytest.approx(
        (ratio[3:] * (7 + 1 / math.log(4096)) + 1 / math.log(4096)) * U, rel=1e-5
    )
    computed = np.log((positions + 1).astype(np.float32)) / np.float32(math.log(4096))
    assert (abs(np.maximum(computed, 1) - refpos.scores.log_n_scale(positions, training_length=4096)) <= limit).all()
    for version, slope in (("chunkllama", 0.05), ("vllm", 0.1)):
        limit = error_bounds.bounds("dual_chunk_mscale", {"scale": 4, "version": version}, {}, "float64")
        size = slope * math.log(4)
        # logarithm, two products, the slope and 1/10, the number under the logarithm; the sum
        units = size * 7 + slope + (size + 1)
        assert limit["float32-logarithm"]["output"] == pytest.approx(units * (1 + size) * U, rel=0.2)
        assert limit["float32-logarithm"]["output"] >= units * U
