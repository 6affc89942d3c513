"""Error bounds of random walks, tree positions and Graphormer's bias: the classes `sequence64` and `sequence32`."""

import math

import numpy as np

from ...absolute.random_walk_positions import random_walk_positions as walks
from ...absolute.random_walk_positions import read_steps
from ...absolute.tree_positions import read_decays
from ...absolute.tree_positions import tree_positions as powers_of
from ...relative.graphormer_bias import hops_of
from ..registry import error_bound
from . import running_error
from .exact_inputs import exact_values
from .learned_layers import _exact
from .rounding_errors import INFLATE, underflow_error, unit_roundoff
from .running_error import LIBRARY, Bounded


@error_bound("random_walk_positions")
def _random_walk_positions(arguments, fmt):
    """Products of matrices that have no negative entries: of n terms each, in any order and with any powers shared, so
    that errors are shares of the value. A quotient, a power and its product come to that."""
    edges, n, dim = exact_values(arguments["edges"]).astype(np.int64), arguments["n"], arguments["space_dim"]
    steps = arguments["steps"]
    listed = read_steps(steps if np.ndim(steps) == 0 else exact_values(steps).astype(np.int64))
    values = walks(edges.reshape(-1, 2), n, listed, space_dim=dim)
    k = np.array(listed, np.float64)
    factor = np.sqrt([float(min(max(step, 1) ** dim, 2**1023)) for step in listed])

    def sequence(arithmetic):
        units = (k * (LIBRARY + n + 4) + LIBRARY + 2) * unit_roundoff(arithmetic)
        share = np.where(units < 1, units / np.where(units < 1, 1 - units, 1.0), np.inf)
        lost = (k * n * (n + 2) + 2) * underflow_error(arithmetic) * factor * (values > 0)
        held = factor < math.ldexp(1.0, 100 if arithmetic.width == 32 else 1000)
        return Bounded(values, np.where(held, (values * share + lost) * INFLATE, np.inf), arithmetic)

    return running_error.limits(sequence, fmt, programs=running_error.SEQUENCES)


@error_bound("tree_positions")
def _tree_positions(arguments, fmt):
    """The power of a decay by a library, the root of (1 - decay**2) dim / 2, and their product."""
    options = {name: arguments[name] for name in ("degree", "depth")}
    paths = arguments["paths"]
    paths = exact_values(paths).astype(np.int64) if isinstance(paths, np.ndarray) else paths
    decay = arguments["decay"]
    decay = _exact(decay) if isinstance(decay, np.ndarray) else decay
    p = np.array([float(one) for one in read_decays(decay)])
    powers = powers_of(paths, decay=decay, dim=None, **options).reshape(-1, len(p))

    def sequence(arithmetic):
        given = running_error.from_input(p, arithmetic)
        # a rounded decay d (1 + e) to the power a is off by a share of a e / (1 - a e)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = arguments["depth"] * np.where(p == 0, 0.0, given.error / np.abs(np.where(p == 0, 1.0, p)))
        share = share / np.where(share < 0.5, 1 - share, 0.5) + LIBRARY * unit_roundoff(arithmetic)
        error = np.where(powers == 0, 0.0, np.abs(powers) * share + underflow_error(arithmetic)) * INFLATE
        power = Bounded(powers, error, arithmetic)
        if arguments["dim"] is not None:
            half = running_error.from_input(float(arguments["dim"]) / 2, arithmetic)
            rest = running_error.subtract(
                running_error.from_input(1.0, arithmetic), running_error.multiply(given, given)
            )
            power = running_error.multiply(power, running_error.root(running_error.multiply(rest, half)))
            power = Bounded(power.values, np.where(powers == 0, 0.0, power.error), arithmetic)
        shape = (len(paths), -1) if len(paths) else (0, arguments["depth"] * arguments["degree"] * len(p))
        return Bounded(power.values.reshape(shape), power.error.reshape(shape), arithmetic)

    return running_error.limits(sequence, fmt, programs=running_error.SEQUENCES)


@error_bound("graphormer_bias")
def _graphormer_bias(arguments, fmt):
    rows = exact_values(arguments["spatial"]).astype(np.int64)
    table, token = (_exact(arguments[name]) for name in ("spatial_weight", "virtual"))
    heads, n = table.shape[1], len(rows)
    mask = None if arguments["mask"] is None else _exact(arguments["mask"])
    numbers = [arguments[name] for name in ("paths", "edge_weight", "hop_weight")]
    if numbers[0] is not None:
        paths, edges = exact_values(numbers[0]).astype(np.int64), _exact(numbers[1])
        hops = _exact(numbers[2]).reshape(-1, heads, heads)

    def sequence(arithmetic):
        def given(values):
            x = running_error.from_input(values, arithmetic)
            return Bounded(x.values, np.where(np.isfinite(x.values), x.error, 0.0), arithmetic)

        bias = given(np.zeros((n, n, heads)) if mask is None else np.repeat(mask[1:, 1:, None], heads, axis=2))
        bias = running_error.add(bias, given(table[rows]))
        if numbers[0] is not None:
            features = running_error.mean(moved(given(edges[paths]), -2, -1))
            total = given(np.zeros((n, n, heads)))
            for k in range(paths.shape[2]):
                hop = Bounded(features.values[:, :, k], features.error[:, :, k], arithmetic)
                total = running_error.add(total, running_error.matmul(hop, given(hops[k])))
            count = hops_of(rows, paths.shape[2])[..., None]
            bias = running_error.add(bias, running_error.divide(total, given(count)))
        whole = given(np.zeros((heads, n + 1, n + 1)) if mask is None else np.broadcast_to(mask, (heads, n + 1, n + 1)))
        whole = running_error.add(whole, given(np.broadcast_to(token.reshape(heads, 1, 1), whole.values.shape)))
        for part, inner in zip(whole[:2], bias[:2]):
            part[:, 1:, 1:] = np.moveaxis(inner, -1, 0)
        return whole if mask is None else running_error.add(whole, given(np.broadcast_to(mask, whole.values.shape)))

    return running_error.limits(sequence, fmt)


def moved(x, source, target):
    """The same with an axis elsewhere."""
    return Bounded(np.moveaxis(x.values, source, target), np.moveaxis(x.error, source, target), x.fmt)
