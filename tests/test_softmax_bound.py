"""The error bound of softmax against programs that compute it in other ways, on rows of all kinds."""

import numpy as np
import pytest

from refpos.conformance.classes import FLOAT32, FLOAT64
from refpos.conformance.derivations import running_error
from refpos.steps.scores import ordered_sums

INF = float("inf")
KINDS = {"float32": FLOAT32, "float64": FLOAT64}
BLOCK = 16


def rows(rng):
    """Scores: small and huge, tied, about a large number, some of them -infinity."""
    count = int(rng.choice([1, 2, 3, 7, 33, 200, 1500]))
    x = rng.standard_normal((4, count)) * rng.choice([1e-3, 1.0, 30.0, 300.0, 1e4, 1e6])
    x = [x, np.round(x), x + 1e4, np.sort(x), np.repeat(x[:, :1], count, 1)][rng.integers(5)]
    return np.where(rng.random(x.shape) < rng.choice([0.0, 0.3, 0.95]), -INF, x)


def by_pairs(x):
    """The maximum, exponentials, their sum in pairs, quotients."""
    most = np.max(x, axis=-1, keepdims=True)
    powers = np.exp(x - np.where(most == -INF, 0, most).astype(x.dtype))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def one_by_one(x):
    """The same summed from left to right, and times the reciprocal of the sum."""
    most = np.max(x, axis=-1, keepdims=True)
    powers = np.exp(x - np.where(most == -INF, 0, most).astype(x.dtype))
    return powers * (x.dtype.type(1) / np.cumsum(powers, axis=-1)[:, -1:])


def in_blocks(x):
    """Block after block, what there is being multiplied whenever the maximum has grown."""
    most, whole, parts = np.full((len(x), 1), -INF, x.dtype), np.zeros((len(x), 1), x.dtype), []
    for start in range(0, x.shape[1], BLOCK):
        block = x[:, start : start + BLOCK]
        grown = np.maximum(most, np.max(block, axis=-1, keepdims=True))
        about = np.where(grown == -INF, 0, grown).astype(x.dtype)
        factor, powers = np.exp(most - about), np.exp(block - about)
        whole, parts = whole * factor + np.sum(powers, axis=-1, keepdims=True), [part * factor for part in parts]
        parts, most = [*parts, powers], grown
    return np.concatenate(parts, axis=-1) / whole


PROGRAMS = {by_pairs: False, one_by_one: False, in_blocks: True}


def bound_of(x, fmt, rescalings=0):
    """The bound of a program that rounds x to its format."""
    finite = np.isfinite(x)
    given = running_error.from_input(np.where(finite, x, 0.0), fmt)
    program = running_error.softmax(running_error.Bounded(x, given.error, fmt), rescalings=rescalings)
    exact = running_error.softmax(running_error.Bounded(x, np.zeros(x.shape), FLOAT64))
    return running_error.bound(program, exact, fmt)


def share_of_bound(x, fmt, program):
    """The largest error of a program as a share of its bound; rows where nothing counts are left out."""
    exact = ordered_sums.softmax(x).astype(fmt.name).astype(np.float64)
    limit = bound_of(x, fmt, -(-x.shape[1] // BLOCK) if PROGRAMS[program] else 0)
    counts = np.any(x > -INF, axis=-1)
    error = np.abs(program(x.astype(fmt.name)).astype(np.float64) - exact)[counts]
    assert (limit[~counts] < 1e-40).all() and not np.isnan(limit).any()
    return float(np.max(error / np.where(error > 0, limit[counts], 1.0), initial=0.0)) if counts.any() else None


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs_keep_within_the_bound(program, dtype):
    rng, shares = np.random.default_rng(5), []
    with np.errstate(all="ignore"):
        for _ in range(150):
            shares.append(share_of_bound(rows(rng), KINDS[dtype], program))
    shares = [share for share in shares if share is not None]
    assert len(shares) > 100 and max(shares) <= 1
    assert max(shares) > (0.5 if dtype == "float32" else 0.01)  # float32 has the rounded scores: the bound is near


@pytest.mark.parametrize(("count", "units"), [(2, 45), (64, 120), (1000, 1100)])
def test_the_bound_is_of_the_size_of_its_roundings(count, units):
    """Of scores that float32 holds: two exponentials of 16 units, a sum of `count` and the differences."""
    x = np.random.default_rng(6).standard_normal((20, count)).astype(np.float32).astype(np.float64)
    relative = bound_of(x, FLOAT32) / ordered_sums.softmax(x) * 2.0**24
    assert 32 + count < relative.max() < units + 10


def test_mistakes_are_out_of_the_bound():
    x = np.random.default_rng(7).standard_normal((20, 64)) * 5
    limit, exact = bound_of(x, FLOAT32), ordered_sums.softmax(x)
    mistakes = {
        "a score is off by 1e-4": by_pairs(np.where(np.arange(64) == 3, x + 1e-4, x)),
        "a key is left out of the sum": by_pairs(x) * (1 + exact[:, :1]),
        "an exponential of 16 bits": by_pairs(x.astype(np.float16)),
        "one in the denominator": by_pairs(np.concatenate([x, np.zeros((20, 1))], 1))[:, :-1],
    }
    for name, weights in mistakes.items():
        assert (np.abs(weights - exact) > limit).any(), name


def test_exponents_that_a_float_cannot_tell_apart():
    """The least difference from the maximum still has room: 2**-53 of 512 is half a unit in its last place."""
    x = np.array([[0.0, -512.0], [0.0, -(2.0**20)]])
    off = running_error.softmax(running_error.Bounded(x, np.zeros(x.shape), FLOAT64))
    assert off.error[0, 1] > 512 * 2.0**-53 * off.values[0, 1]
    for error in (INF, 1e30):  # what is not known at all
        off = running_error.softmax(running_error.Bounded(x, np.full(x.shape, error), FLOAT32))
        assert off.error.tolist() == [[2.0, 2.0], [2.0, 2.0]]
