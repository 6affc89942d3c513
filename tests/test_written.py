"""Sums in the fixed order, in every kernel, and what is made of them, against plain Python floats."""

import math

import numpy as np
import pytest
from witness import sequences

from refpos.steps.scores import activations, convolution, ordered_sums

NAN, INF = float("nan"), float("inf")


def scattered(shape, seed, spread=3):
    """Numbers of many sizes and both signs."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) * 10.0 ** rng.integers(-spread, spread + 1, shape)


def bits(values):
    """The bit patterns, every NaN as one."""
    values = np.array(values, np.float64)
    return np.where(np.isnan(values), np.nan, values).view(np.uint64).tolist()


SHAPES = [(0, 3, 2), (2, 0, 3), (3, 4, 0), (1, 1, 1), (4, 1, 8), (5, 7, 3), (9, 33, 37), (6, 5, 16), (13, 64, 71)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_are_those_of_plain_floats(kernel, shape):
    rows, depth, columns = shape
    a, b = scattered((rows, depth), 1), scattered((depth, columns), 2)
    expected = [[sequences.dot(row, column) for column in b.T.tolist()] for row in a.tolist()]
    result = ordered_sums.matmul(a, b)
    assert result.shape == (rows, columns) and bits(result) == bits(np.array(expected).reshape(rows, columns))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_of_several_matrices_are_those_of_each(kernel, shape):
    rows, depth, columns = shape
    a, b = scattered((3, rows, depth), 5), scattered((3, depth, columns), 6)
    result = ordered_sums.product(a, b, np.full((3, rows, columns), 7.0))
    each = [ordered_sums.product(*both, np.full((rows, columns), 8.0)) for both in zip(a, b, strict=True)]
    assert bits(result) == bits(each)
    with pytest.raises(ValueError):
        ordered_sums.product(a[:2], b, np.empty((3, rows, columns)))


@pytest.mark.parametrize("columns", [1, 4, 16, 19])
def test_the_order_and_the_roundings_can_be_seen(kernel, columns):
    ones = np.ones((3, columns))
    assert (ordered_sums.matmul(np.array([[2.0**53, 1.0, 1.0]]), ones) == 2.0**53).all()
    assert (ordered_sums.matmul(np.array([[1.0, 1.0, 2.0**53]]), ones) == 2.0**53 + 2).all()
    following = 1 + 2.0**-52
    factors = np.tile([[-1 - 2.0**-51], [following]], columns)
    assert (ordered_sums.matmul(np.array([[1.0, following]]), factors) == 0).all()  # not 2**-104, as with one rounding
    assert math.copysign(1, ordered_sums.matmul(np.full((1, 1), -0.0), np.ones((1, columns)))[0, -1]) == 1
    special = ordered_sums.matmul(np.array([[INF, 1.0], [INF, INF], [NAN, 0.0]]), np.tile([[1.0], [-1.0]], columns))
    assert bits(special) == bits([[INF] * columns, [NAN] * columns, [NAN] * columns])
    assert special.view(np.uint64)[2, 0] == 0x7FF8000000000000


def test_threads_and_leading_axes_change_nothing(kernel, monkeypatch):
    a, b = scattered((2, 1, 9, 5), 3), scattered((3, 5, 11), 4)
    expected = ordered_sums.matmul(a, b, 1)
    assert expected.shape == (2, 3, 9, 11)
    assert bits(expected[1, 2]) == bits(ordered_sums.matmul(a[1, 0], b[2]))
    monkeypatch.setattr(ordered_sums, "WORK", 100)
    for threads in (1, 2, 3, 8):
        assert bits(ordered_sums.matmul(a, b, threads)) == bits(expected)
    assert bits(ordered_sums.matmul(a[:, 0], b[0].T.copy().T)) == bits(expected[:, 0])


def test_linear_mean_variance_and_norm(kernel):
    x, weight, bias = scattered((3, 5, 7), 5, 1), scattered((4, 7), 6), scattered(4, 7)
    gain, shift = scattered(7, 8), scattered(7, 9)
    rows = x.reshape(-1, 7).tolist()
    results = {
        "linear": (
            ordered_sums.linear(x, weight, bias), [sequences.linear(row, weight.tolist(), bias) for row in rows]
        ),
        "bare": (ordered_sums.linear(x, weight), [sequences.linear(row, weight.tolist()) for row in rows]),
        "mean": (ordered_sums.mean(x), [sequences.mean(row) for row in rows]),
        "biased": (ordered_sums.variance(x, unbiased=False), [sequences.variance(row, False) for row in rows]),
        "unbiased": (ordered_sums.variance(x, unbiased=True), [sequences.variance(row, True) for row in rows]),
        "norm": (ordered_sums.layer_norm(x, gain, shift, eps=1e-5),
                 [sequences.layer_norm(row, gain.tolist(), shift.tolist(), 1e-5) for row in rows]),
    }  # fmt: skip
    for name, (result, expected) in results.items():
        assert bits(result) == bits(np.array(expected).reshape(result.shape)), name
    assert results["mean"][0].shape == (3, 5) and results["norm"][0].shape == (3, 5, 7)
    assert bits(ordered_sums.variance(np.ones((2, 1)), unbiased=True)) == bits([NAN, NAN])
    assert bits(ordered_sums.mean(np.ones((2, 0)))) == bits([NAN, NAN])


def test_softmax(kernel):
    x = scattered((4, 6), 10, 1)
    mask = np.array([[1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]], bool)
    x[0, 2], x[1, 0] = -INF, NAN
    expected = [sequences.softmax(*row) for row in zip(x.tolist(), mask.tolist(), strict=True)]
    assert bits(ordered_sums.softmax(x, mask)) == bits(expected)
    assert ordered_sums.softmax(x, mask)[2].tolist() == [0] * 6 and ordered_sums.softmax(x, mask)[3].tolist() == [
        0
    ] * 5 + [1]
    assert bits(ordered_sums.softmax(x[2:])) == bits([sequences.softmax(row, [True] * 6) for row in x[2:].tolist()])
    assert ordered_sums.softmax(np.full((1, 3), -INF)).tolist() == [[0, 0, 0]]
    assert bits(ordered_sums.softmax(np.array([[1.0, NAN], [INF, 0.0]]))) == bits([[NAN, NAN], [NAN, NAN]])
    assert bits(ordered_sums.softmax(np.array([[1.0, NAN]]), np.array([[False, True]]))) == bits([[0.0, NAN]])
    assert ordered_sums.softmax(np.ones((3, 0))).shape == (3, 0) and ordered_sums.softmax(
        np.array([[7.0]])
    ).tolist() == [[1]]
    assert bits(ordered_sums.softmax(x[:1], mask[1])) == bits([sequences.softmax(x[0].tolist(), mask[1].tolist())])


@pytest.mark.parametrize("name", sorted(activations.ACTIVATIONS))
def test_activations(name):
    x = np.concatenate([scattered(60, 11, 2), [0.0, -0.0, 40.0, -40.0, 1e-300, -1e300]])
    assert bits(activations.ACTIVATIONS[name](x)) == bits([sequences.activation(name, value) for value in x.tolist()])
    assert np.isnan(activations.ACTIVATIONS[name](np.array([NAN]))).all()


@pytest.mark.parametrize(("channels", "out", "groups", "size", "padding"), [
    (6, 9, 3, 4, (2, 2)), (6, 6, 6, 3, (1, 1)), (2, 3, 1, 5, (4, 0)), (1, 1, 1, 1, (0, 0)), (4, 2, 2, 9, (0, 0)),
])  # fmt: skip
def test_convolution(kernel, channels, out, groups, size, padding):
    x, weight = scattered((2, 8, channels), 12), scattered((out, channels // groups, size), 13)
    bias = scattered(out, 14)
    result = convolution.convolution(x, weight, bias, groups=groups, padding=[padding])
    for k in range(2):
        rows = sequences.convolution(x[k].tolist(), weight.tolist(), groups, padding)
        expected = np.array(rows).reshape(-1, out) + bias
        assert result[k].shape == expected.shape and bits(result[k]) == bits(expected)


def test_convolution_of_two_axes(kernel):
    """Depthwise 3 x 3: rows of the kernel one after the other, not transposed."""
    x, weight = scattered((3, 5, 2), 15), scattered((2, 1, 3, 3), 16)
    result = convolution.convolution(x, weight, groups=2, padding=[(1, 1), (1, 1)])
    wide = np.pad(x, [(1, 1), (1, 1), (0, 0)])
    for i, j, c in np.ndindex(3, 5, 2):
        part = wide[i : i + 3, j : j + 3, c].reshape(-1).tolist()
        assert result[i, j, c] == sequences.dot(part, weight[c, 0].reshape(-1).tolist()), (i, j, c)


def test_weight_norm(kernel):
    direction, size = scattered((4, 3, 5), 17), scattered((1, 1, 5), 18)
    result = convolution.weight_norm(direction, size, 2)
    for t in range(5):
        norm = math.sqrt(sequences.total([value * value for value in direction[:, :, t].reshape(-1).tolist()]))
        assert bits(result[:, :, t]) == bits(direction[:, :, t] * (size[0, 0, t] / norm))
