"""Error bounds of the gradients through sines and cosines of projected coordinates and of times."""

from math import prod

import numpy as np

from ...absolute.time2vec import column_of
from ...steps.positions.exact_positions import read_times
from ...steps.scores import ordered_sums
from ...steps.waves import fourier, tables
from ...steps.waves.points import read_points
from ..classes import Pipeline
from ..registry import complete
from . import running_error
from .angles import as_floats, coordinate_error, is_rounded
from .backward import bounds_gradients, changed, numbers, sums
from .exact_inputs import exact_positions, exact_values
from .fourier import projected
from .rounding_errors import unit_roundoff
from .running_error import Bounded
from .tables import table_errors


@bounds_gradients("fourier_projection", counted=("coordinates",))
def _fourier_projection(given, fmt):
    waves, layout = projected(given), given["layout"]
    count = waves.cos.shape[-1]
    dy = _by_token(given["cotangent"], fmt)
    if layout in ("sin", "cos"):
        none = changed(dy, np.zeros_like)
        of_cos, of_sin = (dy if layout == one else none for one in ("cos", "sin"))
    else:
        of_cos, of_sin = (
            Bounded(*pair, fmt)
            for pair in zip(*(tables.cos_sin_columns(part, layout, count, count) for part in dy[:2]))
        )
    axes = read_points("coordinates", exact_positions(given["coordinates"])).along_sequence().axes
    factor = fourier.read_factor("factor", given["factor"])
    weight, coordinates, phase = _sums(axes, given["weight"], _slopes(waves, of_cos, of_sin, fmt), factor)
    return {"coordinates": coordinates, "weight": weight, "phase": phase}


@bounds_gradients("time2vec", counted=("t",))
def _time2vec(given, fmt):
    times, weight, kind = read_times(exact_positions(given["t"]), "t"), exact_values(given["weight"]), given["kind"]
    call = {"coordinates": [times], "weight": weight[None], "phase": given["phase"], "factor": 1, "layout": kind}
    waves = projected(complete("fourier_projection", call))
    dy = _by_token(given["cotangent"], fmt)
    none = changed(dy, np.zeros_like)
    slopes = _slopes(waves, *((dy, none) if kind == "cos" else (none, dy)), fmt)
    if given["linear"] is not None:  # the slope is the cotangent
        column = column_of(given["linear"], weight)
        for part, own in zip(slopes[:2], dy):
            part[:, column] = own[:, column]
    of_weight, of_times, phase = _sums([times], weight[None], slopes, fourier.read_factor("factor", 1))
    return {"t": of_times, "weight": of_weight, "phase": phase}


def _by_token(cotangent, fmt):
    """The cotangent as rows (tokens, channels)."""
    return changed(numbers(cotangent, fmt), lambda part: part.reshape(prod(part.shape[:-1]), part.shape[-1]))


def _slopes(waves, of_cos, of_sin, fmt):
    """of_sin cos(angle) - of_cos sin(angle), (tokens, m)."""
    errors = table_errors(waves.phases, Pipeline(fmt))
    cos, sin = (
        Bounded(value.reshape(of_cos.values.shape), error.reshape(of_cos.values.shape), fmt)
        for value, error in ((waves.cos, errors.cos), (waves.sin, errors.sin))
    )
    return running_error.subtract(running_error.multiply(of_sin, cos), running_error.multiply(of_cos, sin))


def _sums(axes, weight, slopes, factor):
    """(of the weight (axes, m), of the coordinates (tokens, axes), of the phase (m,)): sums in any order, with the
    factor before or after them."""
    fmt, scaled, whole = slopes.fmt, slopes, {}
    if factor != (1, False):
        size = running_error.rounded(float(factor.fraction) * (np.pi if factor.pi else 1.0), 0.0, fmt)
        scaled, whole = running_error.multiply(slopes, size), {"unscaled": slopes, "scale": size.values}
    weight = numbers(exact_values(weight), fmt)
    of_coordinates = sums(ordered_sums.matmul, scaled, changed(weight, np.transpose), **whole)
    by_wave = changed(scaled, np.transpose)
    whole = {name: part if name == "scale" else changed(part, np.transpose) for name, part in whole.items()}
    of_weight = sums(ordered_sums.matmul, by_wave, _points(axes, fmt), **whole)
    ones = numbers(np.ones((len(slopes.values), 1)), fmt)
    of_phase = sums(ordered_sums.matmul, by_wave, ones, **whole)
    return changed(of_weight, np.transpose), of_coordinates, changed(of_phase, np.ravel)


def _points(axes, fmt):
    """The coordinates (tokens, axes) as a program has them."""
    exact = [as_floats(axis).reshape(-1) for axis in axes]
    u = unit_roundoff(fmt)
    errors = [u * (coordinate_error(axis).reshape(-1) + np.abs(x) * is_rounded(x, fmt)) for axis, x in zip(axes, exact)]
    return Bounded(np.stack(exact, -1), np.stack(errors, -1), fmt)
