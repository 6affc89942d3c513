"""LieRE, PoPE and PaTH as torch computes them."""

import math
from fractions import Fraction

import numpy as np
import torch
from test_generalised import bits, householders, skew_matrices

import refpos
from refpos import coordinates, grid

# -- LieRE ------------------------------------------------------------------------------------------------------------


def test_liere_is_what_torch_gives():
    """The source's own steps in float64: generators from weights, exponential, product from the left."""
    rng = np.random.default_rng(1)
    weight = torch.tensor(rng.random((2, 1, 2, 8, 8)) * 2 * math.pi)
    upper = torch.triu(weight, diagonal=1) - 0.5
    generators = upper - upper.mT
    np.testing.assert_allclose(refpos.rotary.liere_generators(weight.numpy()), generators.numpy(), atol=1e-15)
    places = torch.cartesian_prod(torch.linspace(0, 3 / 4, 3).double(), torch.linspace(0, 2 / 4, 2).double())
    sums = torch.einsum("ta,ahbij->htbij", places, generators)
    x = torch.tensor(rng.standard_normal((3, 6, 17)))
    blocks = x[..., :16].reshape(3, 6, 2, 8)
    turned = torch.einsum("tbij,htbj->htbi", torch.matrix_exp(sums[0]), blocks)
    along = [coordinates.linspace(0, Fraction(steps, 4), steps, endpoint=True) for steps in (3, 2)]
    found = refpos.rotary.liere(x.numpy(), grid(*along), refpos.rotary.liere_generators(weight.numpy()))
    np.testing.assert_allclose(found[..., :16], turned.reshape(3, 6, 16).numpy(), atol=1e-12)
    np.testing.assert_array_equal(found[..., 16:], x[..., 16:].numpy())


def test_liere_where_channels_are_not_finite():
    rng = np.random.default_rng(7)
    generators = skew_matrices(rng, 1, 1, 2, 3, 3)
    generators[0, 0, 1, 0], generators[0, 0, 1, :, 0] = 0, 0
    x = np.array([[[np.inf, 1.0, 2.0, -np.inf, 1.0, 2.0], [np.nan, 1.0, 2.0, 1.0, np.inf, -np.inf]]])
    found = refpos.rotary.liere(x, [[1, 2]], generators)
    first = torch.matrix_exp(torch.tensor(generators[0, 0, 0])).numpy()[:, 0]
    np.testing.assert_array_equal(found[0, 0, :3], np.inf * first)
    assert found[0, 0, 3] == -np.inf and np.isnan(found[0, 0, 4:]).all()  # the second block has exact zeros there
    assert np.isnan(found[0, 1, :4]).all()
    assert (bits(found[np.isnan(found)]) == 0x7FF8000000000000).all()


# -- PoPE -------------------------------------------------------------------------------------------------------------


def test_pope_is_what_torch_gives():
    rng = np.random.default_rng(11)
    x, bias = rng.standard_normal((2, 3, 9, 8)), rng.standard_normal((3, 8)) * 3
    angles = torch.arange(9).double()[:, None] * 10000.0 ** -(torch.arange(8).double() / 8)
    size = torch.nn.functional.softplus(torch.tensor(x))
    kept = torch.tensor(bias)[:, None].clamp(-2 * math.pi, 0)
    for delta, options in ((torch.zeros(3, 1, 8), {}), (kept, {"bias": bias})):
        wave = torch.polar(size, (angles + delta).expand(2, -1, -1, -1))
        halves = refpos.rotary.pope(x, 9, pairing="half", **options)
        np.testing.assert_allclose(halves, torch.cat([wave.real, wave.imag], -1).numpy(), rtol=1e-12, atol=1e-14)
        pairs = refpos.rotary.pope(x, 9, pairing="interleaved", **options)
        np.testing.assert_array_equal(pairs[..., ::2], halves[..., :8])
        np.testing.assert_array_equal(pairs[..., 1::2], halves[..., 8:])


# -- PaTH -------------------------------------------------------------------------------------------------------------


def test_path_is_what_torch_gives():
    q, k, w, beta = (torch.tensor(array) for array in householders(9, 4, np.float64))
    matrices = torch.eye(4) - beta[:, None, None] * w[:, :, None] * w[:, None, :]
    found = refpos.rotary.path(q.numpy(), k.numpy(), w.numpy(), beta.numpy())
    for i in range(9):
        row = q[i]
        for j in range(i, -1, -1):
            assert abs(found[i, j] - float(row @ k[j])) < 1e-13
            row = row @ matrices[j]
    assert (found[np.triu_indices(9, 1)] == -np.inf).all()
