"""Error bounds of biases made by perceptrons and gates, and of parts of attention joined: the classes `sequence64` and
`sequence32`."""

import numpy as np

from ... import checks
from ...absolute.mlp_positions import read_layers
from ...arithmetic import elementary
from ...positions._windows import read_queries_and_keys
from ...relative.fire import distances_of, read_numbers
from ...relative.forget_gate import keys_ahead, read_gates
from ...scores.cope import interpolated_logits, read_cope, read_mask
from ...scores.dape import read_scores, read_wide_layers
from ...scores.merge_outputs import read_outputs
from ...steps.rows import learned_tables
from ...steps.scores import heads
from ..registry import error_bound
from . import running_error
from .learned_layers import _floats
from .rounding_errors import INFLATE, unit_roundoff
from .running_error import Bounded


def given(values, fmt):
    """Numbers of the caller, whose infinities a program has as they are."""
    x = running_error.from_input(values, fmt)
    return Bounded(x.values, np.where(np.isfinite(x.values), x.error, 0.0), fmt)


def logarithm(x):
    """The natural logarithm; log a - log(a - e) is at most e / (a - e)."""
    values = elementary.log(x.values)
    least = x.values - x.error
    inherited = np.where(least > 0, x.error / np.where(least > 0, least, 1.0), np.inf)
    return Bounded(values, (inherited + running_error.library(x, np.abs(values) + inherited)) * INFLATE, x.fmt)


def perceptron(x, layers, activation):
    """Numbers (..., n) through both lines."""
    for k, (weight, bias) in enumerate(layers):
        x = running_error.activate(activation, x) if k else x
        numbers = [None if part is None else running_error.from_input(part, x.fmt) for part in (weight, bias)]
        x = running_error.linear(x, *numbers)
    return x


def moved(x, source, target):
    """The same with an axis elsewhere."""
    return Bounded(np.moveaxis(x.values, source, target), np.moveaxis(x.error, source, target), x.fmt)


def running(x, reverse=False):
    """Running sums along the last axis, from the first number or from the last, in any order: of the n-th the bound of
    a sum of all, (n + 2) units of the sum of sizes."""
    values, sizes, error = (
        np.add.accumulate(part[..., ::-1] if reverse else part, axis=-1)
        for part in (x.values, np.abs(x.values) + x.error, x.error)
    )
    units = (x.values.shape[-1] + 2) * unit_roundoff(running_error.inside(x.fmt))
    error = (error + units / (1 - units) * sizes) * INFLATE
    values, error = (part[..., ::-1] if reverse else part for part in (values, error))
    return running_error.rounded_after(values, error, x.fmt)


@error_bound("fire")
def _fire(arguments, fmt):
    layers = read_layers(*_floats(arguments, "weight_in", "bias_in", "weight_out", "bias_out"))
    c, length, eps = read_numbers(*(arguments[name] for name in ("c", "length", "eps")))
    query, key = read_queries_and_keys(arguments["query_positions"], arguments["key_positions"])
    distances = distances_of(query - key, arguments["mode"])

    def sequence(arithmetic):
        x, *_ = ratios(query, distances, c, length, eps, arithmetic)
        return moved(perceptron(running_error.last_axis(x), layers, arguments["activation"]), -1, 0)

    return running_error.limits(sequence, fmt)


def ratios(query, distances, c, length, eps, fmt):
    """(psi of the distances over their divisor, that divisor, the larger of each query and the length)."""

    def psi(n):
        return logarithm(times_plus_one(c, n))

    place, threshold = running_error.from_input(query, fmt), running_error.from_input(length, fmt)
    most = Bounded(np.maximum(place.values, length), np.maximum(place.error, threshold.error), fmt)
    divisor = running_error.add(psi(most), running_error.from_input(eps, fmt))
    return running_error.divide(psi(running_error.from_input(distances, fmt)), divisor), divisor, most


def times_plus_one(c, n):
    """c n + 1."""
    product = running_error.multiply(running_error.from_input(c, n.fmt), n)
    return running_error.add(product, running_error.from_input(1.0, n.fmt))


@error_bound("dape")
def _dape(arguments, fmt):
    scores, bias = read_scores(*_floats(arguments, "scores", "bias"))
    names = ("weight_in", "bias_in", "weight_out", "bias_out")
    layers = read_wide_layers(scores.shape[-3], *_floats(arguments, *names))
    added = np.broadcast_to(bias, scores.shape)

    def sequence(arithmetic):
        own, other = (running_error.from_input(part, arithmetic) for part in (scores, added))
        both = Bounded(*(np.concatenate(parts, axis=-3) for parts in zip(own[:2], other[:2])), arithmetic)
        change = moved(perceptron(moved(both, -3, -1), layers, arguments["activation"]), -1, -3)
        return running_error.add(running_error.add(own, other), change)

    return running_error.limits(sequence, fmt)


@error_bound("cope")
def _cope(arguments, fmt):
    table, q, weight = read_cope(*_floats(arguments, "scores", "q", "weight"))
    scores = learned_tables.values(table)
    counts = read_mask(arguments["mask"], scores.shape)
    factor = heads.read_scale(arguments["scale"], weight.shape[1])

    def sequence(arithmetic):
        gates = running_error.activate("sigmoid", given(scores, arithmetic))
        gates = Bounded(*(np.where(counts, part, 0.0) for part in gates[:2]), arithmetic)
        p = running(gates, reverse=True)
        p = Bounded(np.minimum(p.values, len(weight) - 1.0), p.error, arithmetic)
        z = running_error.scores(running_error.from_input(q, arithmetic), running_error.from_input(weight, arithmetic))
        return running_error.multiply(interpolated(z, p), running_error.from_input(factor, arithmetic))

    return running_error.limits(sequence, fmt)


def interpolated(z, p):
    """Between the values z (..., rows) around p (..., keys): a function of p without jumps, whose slope is at most the
    largest difference of two neighbours, and a mean of values that are off by their errors."""
    values, u = interpolated_logits(z.values, p.values), unit_roundoff(p.fmt)
    steps = np.abs(np.diff(z.values, axis=-1))
    steepest = np.max(steps, axis=-1, keepdims=True, initial=0.0)
    off, size = (np.max(part, axis=-1, keepdims=True) for part in (z.error, np.abs(z.values) + z.error))
    # the difference 1 - w, two products and their sum: at most four roundings of numbers up to the largest
    error = steepest * p.error + off + 4 * u * (1 + 4 * u) * size
    return Bounded(values, error * INFLATE, p.fmt)


@error_bound("forget_gate")
def _forget_gate(arguments, fmt):
    mode, factor = arguments["mode"], float(checks.real("scale", arguments["scale"]))
    gates = read_gates(*_floats(arguments, "logits", "backward"), mode)
    length = gates[0].shape[-1]
    queries = length if arguments["query_len"] is None else arguments["query_len"]
    ahead = keys_ahead(queries, length)

    def between(logits, arithmetic):
        gate = running_error.activate("softplus", given(-logits, arithmetic))
        total = running(running_error.multiply(gate, running_error.from_input(-factor, arithmetic)))
        rows = Bounded(*(part[..., length - queries :, None] for part in total[:2]), arithmetic)
        return running_error.subtract(rows, Bounded(total.values[..., None, :], total.error[..., None, :], arithmetic))

    def sequence(arithmetic):
        found = between(gates[0], arithmetic)
        values, error = found.values, np.where(ahead == 0, 0.0, found.error)  # a number minus itself
        if mode == "causal":
            values, error = np.where(ahead > 0, -np.inf, values), np.where(ahead > 0, 0.0, error)
        elif mode == "bidirectional":
            other = between(gates[1], arithmetic)
            values = np.where(ahead > 0, -other.values, values)
            error = np.where(ahead > 0, other.error, error)
        return Bounded(values, error, arithmetic)

    return running_error.limits(sequence, fmt)


@error_bound("merge_outputs")
def _merge_outputs(arguments, fmt):
    parts, logarithms = read_outputs(*_floats(arguments, "outputs", "log_sums"))

    def sequence(arithmetic):
        weights = running_error.softmax(moved(given(logarithms, arithmetic), 0, -1))
        rows = moved(running_error.from_input(parts, arithmetic), 0, -2)
        counted = (np.moveaxis(logarithms, 0, -1) != -np.inf)[..., None]
        rows = Bounded(*(np.where(counted, part, 0.0) for part in rows[:2]), arithmetic)
        weights = Bounded(weights.values[..., None, :], weights.error[..., None, :], arithmetic)
        found = running_error.matmul(weights, rows)
        return Bounded(found.values[..., 0, :], found.error[..., 0, :], arithmetic)

    return running_error.limits(sequence, fmt)
