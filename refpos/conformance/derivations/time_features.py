"""Error bounds of features of the calendar, and of sines of times at frequencies that are given or learned."""

import numpy as np

from ... import checks
from ...absolute.calendar_features import calendar_features
from ...absolute.fixed_temporal import MOST, read_rows
from ...absolute.periodic import turning
from ...steps.positions.exact_positions import read_times
from ..registry import complete, derivation_of, error_bound
from .angles import as_floats, coordinate_error, phases_of
from .computed_frequencies import ComputedFrequencies, sinusoid_frequencies
from .exact_inputs import exact_positions, exact_values
from .fourier import bounds_of_values
from .rounding_errors import after_roundings, against_rounded, compound, conversion_error, unit_roundoff
from .tables import rounded_tables, sines_and_cosines, table_errors, table_pipelines


@error_bound("calendar_features")
def _calendar_features(arguments, fmt):
    exact = calendar_features(**{**arguments, "dtype": "float64", "out": None})
    # a quotient from 0 to 1, and the difference from it; of both ends each is exact
    return bounds_of_values(exact, lambda u: compound(u * (exact + 0.5 + np.abs(exact))) * (np.abs(exact) != 0.5), fmt)


@error_bound("periodic")
def _periodic(arguments, fmt):
    period = checks.positive("period", arguments["period"])

    def errors(pipeline):
        # pi, and a quotient; the product with x is counted with the angle
        return np.array(
            [compound(2 * unit_roundoff(pipeline.arithmetic)) + conversion_error(period, pipeline.arithmetic)]
        )

    phases = phases_of(_times(arguments["x"]), ComputedFrequencies(turning(period), errors))
    return sines_and_cosines(phases, fmt, 2, "sin-cos", 1)


@error_bound("functional_time")
def _functional_time(arguments, fmt):
    dim, base = arguments["dim"], arguments["base"]
    # evenly spaced exponents: the space, a product and a sum
    phases = phases_of(_times(arguments["times"]), sinusoid_frequencies(2 * dim, base, True, roundings=3))
    pipelines = table_pipelines(fmt).items()
    return {name: {"output": rounded_tables(phases, fmt, pipeline)[0]} for name, pipeline in pipelines}


@error_bound("time2vec")
def _time2vec(arguments, fmt):
    times, linear = _times(arguments["t"]), arguments["linear"]
    weight, phase = exact_values(arguments["weight"]), exact_values(arguments["phase"])
    call = {"coordinates": [times], "weight": weight[None], "phase": phase, "factor": 1, "layout": arguments["kind"]}
    limits = derivation_of("fourier_projection")(complete("fourier_projection", call), fmt)
    if linear is None:
        return limits
    column = 0 if linear == "first" else len(weight) - 1
    product, rest = np.abs(as_floats(times) * weight[column]), np.abs(phase[column])
    lost = np.abs(coordinate_error(times) * weight[column])
    # the time, the weight and a product; the phase and the sum
    flushed = 2 + np.abs(as_floats(times)) + np.abs(weight[column])  # a product and a phase, a weight, a time
    grown = bounds_of_values(
        product + rest, lambda u: compound(4 * u) * (product + rest) + compound(u) * lost, fmt, flushed
    )
    for name, limit in grown.items():
        limits[name]["output"][..., column] = limit["output"]
    return limits


@error_bound("fixed_temporal")
def _fixed_temporal(arguments, fmt):
    """Tables of each field in the arithmetic or rounded, and their sums in the same format."""
    rows, dim = read_rows(arguments["rows"]), arguments["dim"]
    phases = phases_of(np.arange(MOST, dtype=np.int64), sinusoid_frequencies(dim, arguments["base"]))
    limits = {}
    for name, pipeline in table_pipelines(fmt).items():
        kept, found = pipeline.table or pipeline.arithmetic, table_errors(phases, pipeline)
        error, size = (_interleaved(*pair)[rows].sum(-2) for pair in ((found.sin, found.cos), found[3:1:-1]))
        sums = error + compound((rows.shape[-1] - 1) * unit_roundoff(kept)) * size
        error = after_roundings(sums, size + sums, [kept, fmt])[0]
        limits[name] = {"output": against_rounded(error, size, fmt)}
    return limits


def _interleaved(sin, cos):
    """Sines and cosines (n, half) in turn, (n, dim)."""
    return np.stack([sin, cos], -1).reshape(len(sin), -1)


def _times(values):
    """The times of a call, exactly, an integer as one."""
    return read_times(exact_positions(values), "times")
