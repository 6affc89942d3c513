"""Error bounds of the gradients of resized tables, waves and kernels of distance: what has none, and what is exact."""

import numpy as np
import pytest

import refpos
from refpos.conformance import bounds
from refpos.relative import kerple

SEQUENCES = ("sequence64", "sequence32")
LINEAR = {"method": "linear", "align": "half-pixel"}


def limits_of(name, arrays, dtype="float64", **arguments):
    found = bounds(f"vjp_{name}", arguments, arrays, dtype)
    return [found[kind] for kind in SEQUENCES]


def test_integers_have_no_bounds_and_bit_patterns_have():
    dy = np.ones((1, 1, 3))
    lengths = {"query_len": 1, "key_len": 3, "kind": "log"}
    for whole in (np.array([1], np.int64), np.array([1], np.uint16)):
        for found in limits_of("kerple", {"p": whole, "a": np.array([0.5]), "cotangent": dy}, **lengths):
            assert list(found) == ["gradient_a"]
    t, weight, dy = np.array([16256, 3], np.uint16), np.array([0.5]), np.ones((2, 1))
    arrays = {"t": t, "weight": weight, "phase": weight, "cotangent": dy}
    narrow, wide = limits_of("time2vec", arrays, linear=None, kind="sin")
    assert list(narrow) == list(wide) == ["gradient_weight", "gradient_phase"]
    table = np.array([[16256], [16256]], np.uint16)  # ones of bfloat16
    arrays = {"weight": table, "cotangent": np.full((3, 1), 16256, np.uint16)}
    narrow, wide = limits_of("resize_table", arrays, dtype="bfloat16", size=3, **LINEAR)
    assert (0 < narrow["gradient_weight"]).all() and (narrow["gradient_weight"] < wide["gradient_weight"]).all()
    assert wide["gradient_weight"].max() < 2.0**-6


def test_what_every_program_has_is_bounded_by_0():
    """Rows that are cropped, those that are copied, and parameters beyond a limit."""
    weight, dy = np.ones((7, 1), np.float32), np.ones((3, 1), np.float32)
    call = {"size": [2], "prefix": 1, "grid": [6], "crop": [[0, 3]], **LINEAR}
    for found in limits_of("resize_table", {"weight": weight, "cotangent": dy}, dtype="float32", **call):
        limit = found["gradient_weight"][:, 0]
        assert (limit[1:4] > 0).all() and (limit[[0, 4, 5, 6]] == 0).all()
    p, dy = np.array([0.0078125, 2.5, 1.0]), np.ones((3, 1, 3))
    arrays = {"p": p, "a": np.ones(3), "cotangent": dy}
    for found in limits_of("kerple", arrays, query_len=1, key_len=3, kind="power"):
        assert (found["gradient_p"][:2] == 0).all() and found["gradient_p"][2] > 0


@pytest.mark.parametrize("p, limit", [(np.nextafter(0.01, 0), 0.01), (np.nextafter(2.0, 3), 2.0)])
def test_a_parameter_that_float32_rounds_onto_a_limit_has_either_gradient(p, limit):
    """p is beyond the limit and has the gradient 0; in float32 it is the limit, which has that of the kernel."""
    assert np.float32(p) == np.float32(limit) and p != limit
    lengths, dy = {"query_len": 1, "key_len": 4, "kind": "power"}, np.ones((1, 1, 4))
    narrow, wide = limits_of("kerple", {"p": np.array([p]), "a": np.ones(1), "cotangent": dy}, **lengths)
    at_limit = refpos.vjp(kerple, np.array([limit]), np.ones(1), **lengths, cotangent=dy)["p"]
    assert refpos.vjp(kerple, np.array([p]), np.ones(1), **lengths, cotangent=dy)["p"] == 0 != at_limit
    assert narrow["gradient_p"] == 0 and abs(at_limit) <= wide["gradient_p"] < 1.001 * abs(at_limit)


def test_padding_and_frames_are_terms():
    """A cell that more rows copy has a wider bound; sums of sizes beyond the largest number have one too."""
    weight, grid = np.ones((1, 1, 1)), np.array([[1, 1, 1]])
    known = []
    for length in (1, 100):
        arrays = {"weight": weight, "grid_thw": grid, "cotangent": np.ones((1, length, 1))}
        known += [limits_of("resize_packed", arrays, length=length, method="nearest")[1]["gradient_weight"].item()]
    frames = {"weight": weight, "grid_thw": np.array([[100, 1, 1]]), "cotangent": np.ones((100, 1))}
    same = limits_of("resize_packed", frames, method="nearest")[1]["gradient_weight"].item()
    assert known == pytest.approx([5 * 2.0**-24, 100 * 104 * 2.0**-24], rel=1e-3) and same == known[1]
    huge = np.array([[1.7e308], [-1.7e308]])
    arrays = {"weight": np.ones((1, 1)), "cotangent": huge}
    narrow, _ = limits_of("resize_table", arrays, size=2, method="linear", align="corners")
    assert 0 < narrow["gradient_weight"].item() < 1e296


def test_an_angle_that_float32_does_not_tell_has_a_bound_of_all_slopes():
    arrays = {"t": np.array([2.0**30 + 0.5]), "weight": np.ones(1), "phase": np.zeros(1), "cotangent": np.ones((1, 1))}
    narrow, wide = limits_of("time2vec", arrays, linear=None, kind="sin")
    assert narrow["gradient_phase"].item() < 1e-6 and wide["gradient_phase"].item() > 1.9
