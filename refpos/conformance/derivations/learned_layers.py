"""Error bounds of what passes through learned weights: the class `sequence64` and its float32 twin."""

import numpy as np

from ... import checks
from ...absolute.conv_positions import read_eps, zeros_around
from ...absolute.mlp_positions import scaled
from ...absolute.normalised_sinusoidal import TIMES
from ...absolute.sinusoidal import sinusoidal
from ...steps.positions.exact_positions import read_positions
from ...tables.cosmos_learnable import read_tables
from ...tables.gated_table import read_gate
from ..classes import ANGLE_CLASSES, BFLOAT16, FLOAT64, PIPELINES
from ..registry import complete, derivation_of, error_bound
from . import running_error
from .exact_inputs import exact_channels, exact_positions
from .running_error import Bounded


def _exact(array):
    """An array as exact float64 numbers; uint16 are bit patterns of bfloat16."""
    return exact_channels(array, BFLOAT16)


def _floats(arguments, *names):
    """Arrays of the call as exact float64 numbers; None stays None."""
    return [None if arguments[name] is None else _exact(arguments[name]) for name in names]


@error_bound("mlp_positions")
def _mlp_positions(arguments, fmt):
    names = ("weight_in", "bias_in", "weight_out", "bias_out")
    first, first_bias, last, last_bias = _floats(arguments, *names)
    positions = scaled(read_positions(exact_positions(arguments["positions"])), 1)
    divisor = float(checks.positive("divisor", arguments["divisor"]))

    def sequence(arithmetic):
        def numbers(values):
            return None if values is None else running_error.from_input(values, arithmetic)

        x = running_error.divide(numbers(positions[..., None]), numbers(divisor))
        hidden = running_error.linear(x, numbers(first.reshape(-1, 1)), numbers(first_bias))
        return running_error.linear(
            running_error.activate(arguments["activation"], hidden), numbers(last), numbers(last_bias)
        )

    return running_error.limits(sequence, fmt)


@error_bound("conv_positions")
def _conv_positions(arguments, fmt):
    """A convolution as sums of products: by Fourier transforms or Winograd's tiles a program is not in the class."""
    x, weight, bias, magnitude = _floats(arguments, "x", "weight", "bias", "magnitude")
    around = [zeros_around(size, arguments["padding"]) for size in weight.shape[2:]]
    eps = read_eps(arguments["norm_eps"])

    def sequence(arithmetic):
        kernel, source = running_error.from_input(weight, arithmetic), running_error.from_input(x, arithmetic)
        if magnitude is not None:
            kernel = running_error.weight_norm(
                kernel, running_error.from_input(magnitude.reshape(1, 1, -1), arithmetic)
            )
        y = running_error.convolution(source, kernel, arguments["groups"], around)
        y = y if bias is None else running_error.add(y, running_error.from_input(bias, arithmetic))
        y = running_error.activate(arguments["activation"], y if eps is None else running_error.layer_norm(y, eps))
        return running_error.add(y, source) if arguments["residual"] else y

    return running_error.limits(sequence, fmt)


@error_bound("gated_table")
def _gated_table(arguments, fmt):
    (weight,) = _floats(arguments, "weight")
    gate = arguments["gate"]
    gate = read_gate(gate if np.isscalar(gate) else _exact(gate))

    def sequence(arithmetic):
        factor = running_error.activate("tanh", running_error.from_input(gate, arithmetic))
        if arguments["complement"]:
            factor = running_error.subtract(running_error.from_input(1.0, arithmetic), factor)
        return running_error.multiply(factor, running_error.from_input(weight, arithmetic))

    return running_error.limits(sequence, fmt)


@error_bound("cosmos_learnable")
def _cosmos_learnable(arguments, fmt):
    weights = arguments["weights"]
    parts = [_exact(part) for part in weights] if type(weights) in (list, tuple) else _exact(weights)
    tables, _ = read_tables(parts, list(arguments["grid"]))
    eps = float(checks.real("eps", arguments["eps"]))

    def sequence(arithmetic):
        t, r, c = (running_error.from_input(table, arithmetic) for table in tables)
        frames, rows, columns = (
            Bounded(part.values[index], part.error[index], arithmetic)
            for part, index in ((t, np.s_[:, None, None]), (r, np.s_[None, :, None]), (c, np.s_[None, None]))
        )
        cells = running_error.add(running_error.add(frames, rows), columns)
        size = running_error.root(running_error.total(running_error.multiply(cells, cells)))
        share = running_error.root(
            running_error.divide(
                running_error.from_input(1.0, arithmetic),
                running_error.from_input(float(cells.values.shape[-1]), arithmetic),
            )
        )
        divisor = running_error.add(running_error.multiply(share, size), running_error.from_input(eps, arithmetic))
        return running_error.divide(cells, running_error.last_axis(divisor))

    # no number is larger than the root of the sum of squares; twice that leaves room for every rounding
    return running_error.limits(sequence, fmt, 2 * np.sqrt(tables[0].shape[1]))


@error_bound("normalised_sinusoidal")
def _normalised_sinusoidal(arguments, fmt):
    """The table as each angle class makes it, then the sequence in its arithmetic."""
    options = {name: arguments[name] for name in ("positions", "dim", "base")}
    tables = derivation_of("sinusoidal")(complete("sinusoidal", options), FLOAT64)
    positions = exact_positions(arguments["positions"])
    table = sinusoidal(positions, arguments["dim"], base=arguments["base"])

    def normalised(error, arithmetic):
        entries = Bounded(table.reshape(1, -1), error.reshape(1, -1), arithmetic)
        centred = running_error.deviations(entries)
        size = running_error.standard_deviation(centred, unbiased=True)
        size = running_error.multiply(size, running_error.from_input(TIMES, arithmetic))
        return running_error.divide(centred, running_error.last_axis(size))

    limits, largest = {}, 2 * np.sqrt(table.size) / TIMES  # as for Cosmos
    with np.errstate(all="ignore"):
        exact = normalised(np.abs(table) * 2.0**-53, FLOAT64)
        for name in ANGLE_CLASSES:
            arithmetic = PIPELINES[name].arithmetic
            program = normalised(tables[name]["output"], arithmetic)
            limits[name] = {"output": running_error.bound(program, exact, fmt, largest).reshape(table.shape)}
    return limits
