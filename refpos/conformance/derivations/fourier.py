"""Error bounds of sines and cosines of continuous coordinates, and of the counts of masks."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ... import checks
from ...absolute.centred_points import centred_points
from ...absolute.coordinate_sine import exponents, waves_of
from ...absolute.fourier_bands import waves_of as waves_of_bands
from ...absolute.fourier_projection import fourier_projection
from ...absolute.masked_sine_2d import counted, read_bases, read_mask, read_rule
from ...absolute.soft_grid import soft_grid
from ...frequencies.bands import octaves, read_end
from ...relative.box_relation import box_relation, frequencies_of, ratios_of, read_eps
from ...steps.angles import axis_runs
from ...steps.angles.frequencies import sinusoid_inv_freq
from ...steps.scores import ordered_sums
from ...steps.waves import fourier
from ...steps.waves.points import read_points
from ..registry import computed_frequencies, error_bound
from .angles import Phases, as_floats, coordinate_error, is_rounded, phases_of
from .computed_frequencies import ComputedFrequencies, power_errors
from .exact_inputs import exact_positions, exact_values
from .rounding_errors import (
    LOGARITHM,
    after_roundings,
    against_rounded,
    compound,
    conversion_error,
    followed_by,
    log_size,
    underflow_error,
    unit_roundoff,
)
from .tables import rounded_tables, sines_and_cosines, table_pipelines


def bounds_of_waves(tokens, parts, factor, width, fmt, raw=None):
    """Bounds of an array (*shape, width) of waves times a factor: parts of (`fourier.Waves`, errors of their
    frequencies as a function of a pipeline). raw: the columns of the coordinates themselves."""
    axes = tokens.along_sequence().axes
    computed = [ComputedFrequencies(part.times(factor).frequencies, _times(errors, factor)) for part, errors in parts]
    phases = [phases_of(axes[part.axis], one) for (part, _), one in zip(parts, computed)]
    limits = {}
    for name, pipeline in table_pipelines(fmt).items():
        rows = np.zeros((int(np.prod(tokens.shape, dtype=np.int64)), width))
        for (part, _), one in zip(parts, phases):
            for columns, limit in zip((part.cos, part.sin), rounded_tables(one, fmt, pipeline)):
                if columns is not None:
                    rows[:, columns] = limit.reshape(len(rows), len(part.frequencies))
        if raw is not None:
            rows[:, raw] = np.stack([_raw(axis, pipeline, fmt).reshape(-1) for axis in axes], -1)
        limits[name] = {"output": rows.reshape(*tokens.shape, width)}
    return limits


def _raw(axis, pipeline, fmt):
    """Bounds of coordinates as they are: counted or stored ones are rounded once, computed ones are off before."""
    exact, u = as_floats(axis), unit_roundoff(pipeline.arithmetic)
    error = u * (coordinate_error(axis) + np.abs(exact) * is_rounded(exact, pipeline.arithmetic))
    path = [part for part in (pipeline.arithmetic, pipeline.table, fmt) if part]
    limit = against_rounded(after_roundings(error, np.abs(exact) + error, path)[0], np.abs(exact), fmt)
    return np.where((error == 0) & (pipeline.table is None), 0.0, limit)


def _times(errors, factor):
    """Errors of frequencies times a factor, which is rounded, and a product."""
    if factor == (1, False):
        return errors
    return _more(errors, 2)


def _more(errors, roundings):
    """Errors of frequencies, and so many roundings that follow."""
    return lambda pipeline: followed_by(errors(pipeline), roundings * unit_roundoff(pipeline.arithmetic))


@error_bound("coordinate_sine")
def _coordinate_sine(arguments, fmt):
    tokens = read_points("coordinates", exact_positions(arguments["coordinates"]))
    options = [arguments[name] for name in ("dim", "order", "base", "layout", "widths", "repeated")]
    base = checks.positive("base", arguments["base"], "E_BASE")
    parts = [
        (part, _powers(exponents(2 * len(part.frequencies), arguments["repeated"]), base, part.frequencies))
        for part in waves_of(len(tokens.axes), *options)
    ]
    return bounds_of_waves(tokens, parts, fourier.read_factor("factor", arguments["factor"]), arguments["dim"], fmt)


def _powers(exponents, base, exact):
    """The errors of 1 / base**t."""
    return lambda pipeline: power_errors(
        exponents, log_size(base), conversion_error(base, pipeline.arithmetic), exact, pipeline
    )


@error_bound("masked_sine_2d")
def _masked_sine_2d(arguments, fmt):
    shape, mask = read_mask(arguments["mask"])
    factor, rule = read_rule(*(arguments[name] for name in ("normalize", "half_pixel", "scale", "eps")))
    # eps, the sum with it, and a quotient
    more = (3 if checks.real("eps", arguments["eps"]) else 1) if arguments["normalize"] else 0
    half, blocks = arguments["dim"] // 2, []
    for axis, base in enumerate(read_bases(arguments["base"])):
        frequencies = sinusoid_inv_freq(half, base, False)
        errors = _more(_times(_powers(exponents(half, False), base, frequencies), factor), more)
        computed = ComputedFrequencies(factor.times(frequencies), errors)
        counts, lasts = counted(np.ones(shape, bool) if mask is None else mask, axis - 2)
        blocks.append(_of_counts(counts, lasts, rule, computed, fmt))
    first, second = blocks if arguments["axis_order"] == "hw" else blocks[::-1]
    return {name: {"output": np.concatenate([first[name], second[name]], -1)} for name in first}


def _of_counts(counts, lasts, rule, computed, fmt):
    """Bounds (*cells, channels) of the sines and cosines of counts, by class."""
    width = 2 * len(computed.frequencies)
    limits = {name: np.zeros((*counts.shape, width)) for name in table_pipelines(fmt)}
    for last in np.unique(lasts).tolist():
        cells = lasts == last
        positions = rule(counts[cells], last)
        # integers, and their unit among the frequencies
        frequencies = axis_runs.in_units(computed.frequencies, positions.unit)
        phases = phases_of(positions._replace(unit=Fraction(1)), computed._replace(frequencies=frequencies))
        for name, limit in sines_and_cosines(phases, fmt, width, "interleaved", width // 2).items():
            limits[name][cells] = limit["output"]
    return limits


@error_bound("fourier_bands")
def _fourier_bands(arguments, fmt):
    tokens = read_points("coordinates", exact_positions(arguments["coordinates"]))
    calls, count = arguments["frequencies"], len(tokens.axes)
    computed = [computed_frequencies(call) for call in (calls if isinstance(calls, (list, tuple)) else [calls] * count)]
    options = [arguments[name] for name in ("order", "kinds", "include")]
    parts, raw, width = waves_of_bands(count, [one.frequencies for one in computed], *options)
    factor = fourier.read_factor("factor", arguments["factor"])
    errors = [(part, one.errors) for part, one in zip(parts, computed)]
    return bounds_of_waves(tokens, errors, factor, width, fmt, raw)


@error_bound("bands")
def _bands(arguments, exact):
    rule, n = arguments["rule"], arguments["n"]
    low, high = (read_end(name, arguments[name], rule) for name in ("low", "high"))
    values = exact.inv_freq
    gaps = max(n - 1, 1) if arguments["endpoint"] else n

    def evenly(pipeline):
        # an end, the step, a product and a sum, which is a difference where the bands fall
        u = 5 * unit_roundoff(pipeline.arithmetic)
        reach = np.maximum(float(low), values) if low > high else values
        return np.where(values == 0, 0.0, u * reach / np.where(values == 0, 1.0, values))

    def as_powers(pipeline):
        u = unit_roundoff(pipeline.arithmetic)
        base, step = octaves(low, high, gaps)[:2] if rule == "powers" else (high / low, Fraction(1, gaps))
        logs = abs(low) + abs(high) if rule == "powers" else log_size(low) + log_size(high)
        # the lowest and its product; both ends as logarithms, evenly between them
        more = 2 * u + 5 * u * float(logs)
        spaced = [i * abs(step) for i in range(n)]
        return power_errors(spaced, log_size(base), u, exact, pipeline, more, 3)

    return ComputedFrequencies(exact, evenly if rule == "linear" else as_powers)


@error_bound("fourier_projection")
def _fourier_projection(arguments, fmt):
    phases = projected(arguments).phases
    layout, count = arguments["layout"], phases.cos.shape[-1]
    if layout not in ("sin", "cos"):
        return sines_and_cosines(phases, fmt, 2 * count, layout, count)
    which = ("cos", "sin").index(layout)
    pipelines = table_pipelines(fmt).items()
    return {name: {"output": rounded_tables(phases, fmt, pipeline)[which]} for name, pipeline in pipelines}


class Projected(NamedTuple):
    """Exact cosines and sines (*tokens, m) of projected coordinates, and their `Phases`."""

    cos: np.ndarray
    sin: np.ndarray
    phases: Phases


def projected(arguments):
    """The waves of a call of `fourier_projection`, whatever its layout."""
    tokens = read_points("coordinates", exact_positions(arguments["coordinates"]))
    weight, phase = (None if arguments[name] is None else exact_values(arguments[name]) for name in ("weight", "phase"))
    call = {name: arguments[name] for name in ("factor", "coordinates", "transform")}
    cos, sin = (fourier_projection(**call, weight=weight, phase=phase, layout=layout) for layout in ("cos", "sin"))
    of_axis = _of_logarithms if arguments["transform"] else _of_coordinates
    along = [of_axis(axis) for axis in tokens.along_sequence().axes]
    error, is_zero = _sums(along, weight, phase, fourier.read_factor("factor", arguments["factor"]))
    sizes, shape = (np.abs(cos), np.abs(sin)), cos.shape
    phases = Phases(*sizes, is_zero.reshape(shape), lambda pipeline: error(pipeline).reshape(shape), 1.0, None)
    return Projected(cos, sin, phases)


def _of_coordinates(axis):
    """(values, errors in units of u), and where a format does not hold the values."""
    x = as_floats(axis).reshape(-1)
    return x, coordinate_error(axis).reshape(-1), lambda fmt: is_rounded(x, fmt)


def _of_logarithms(axis):
    """The same of the logarithms: a relative error of a number is an absolute one of its logarithm."""
    x = as_floats(axis).reshape(-1)
    logs = np.array([log_size(value) for value in axis.fractions()])
    # a number may have any error that its format makes in it, then a logarithm of 1 ulp
    return logs, coordinate_error(axis).reshape(-1) / x + 1 + LOGARITHM * logs, lambda fmt: np.zeros(len(x), bool)


def _sums(along, weight, phase, factor):
    """(the errors of the angles (tokens, m) as a function of a pipeline, where they are surely 0)."""
    x, off = (np.stack([axis[k] for axis in along], -1) for k in (0, 1))
    more = np.zeros(weight.shape[1]) if phase is None else np.abs(phase)
    size = float(factor.fraction) * (np.pi if factor.pi else 1)
    reach = ordered_sums.matmul(np.abs(x), np.abs(weight)) + more

    def error(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        # numbers that the format does not hold, a product and the sums; a factor, and its product
        loses = np.stack([axis[2](fmt) for axis in along], -1)
        lost = ordered_sums.matmul(np.abs(x * loses), np.abs(weight))
        lost = lost + ordered_sums.matmul(np.abs(x), np.abs(weight * is_rounded(weight, fmt)))
        lost = lost + ordered_sums.matmul(off, np.abs(weight))
        total = u * (lost + more * (more > 0) + (len(along) + (phase is not None)) * reach)
        total = total + 2 * u * reach * (factor != (1, False))
        return np.minimum(size * compound(total / np.maximum(reach, 2.0**-1000)) * reach + underflow_error(fmt), 2.0)

    return error, ordered_sums.matmul(np.abs(x) + off, np.abs(weight)) + more == 0


@error_bound("box_relation")
def _box_relation(arguments, fmt):
    dim, eps = arguments["dim"], read_eps(arguments["eps"])
    boxes, targets = (
        None if arguments[name] is None else exact_values(arguments[name]) for name in ("boxes", "targets")
    )
    options = {name: arguments[name] for name in ("base", "scale")}
    ratios, shape = ratios_of(boxes, targets, eps)
    logs = np.array([log_size(ratio) for ratio in ratios]).reshape(*shape, 4, 1)
    waves = np.abs(box_relation(boxes, dim, targets=targets, **options, eps=eps)).reshape(*shape, 4, dim)
    frequencies, base = frequencies_of(dim, **options), checks.positive("base", arguments["base"], "E_BASE")
    powers = _more(_powers([Fraction(4 * i, dim) for i in range(dim // 2)], base, frequencies), 3)  # and the scale
    rounded = _ratio_errors(boxes, boxes if targets is None else targets, float(eps))[..., None]

    def error(pipeline):
        u = unit_roundoff(pipeline.arithmetic)
        of_logs = compound(u * rounded) + LOGARITHM * u * logs
        angles = frequencies.inv_freq * (of_logs + (logs + of_logs) * powers(pipeline))
        return np.minimum(angles + underflow_error(pipeline.arithmetic), 2.0)

    phases = Phases(waves[..., dim // 2 :], waves[..., : dim // 2], logs == 0, error, 1.0, None)
    limits = sines_and_cosines(phases, fmt, dim, "sin-cos", dim // 2)
    return {name: {"output": limit["output"].reshape(*shape, 4 * dim)} for name, limit in limits.items()}


def _ratio_errors(boxes, targets, eps):
    """The relative errors (..., n, m, 4) of computed ratios in units of u: all numbers may be rounded first."""
    one, other = np.abs(boxes)[..., :, None, :], np.abs(targets)[..., None, :, :]
    distance = np.abs(boxes[..., :, None, :2] - targets[..., None, :, :2])
    below = one[..., 2:] + eps
    # a difference, a size with eps, a quotient, and the sum with 1
    places = (one[..., :2] + other[..., :2] + 4 * distance) / (distance + below) + 1
    return np.concatenate([places, np.full(places.shape, 5.0)], -1)


# -- coordinates that are no angles -----------------------------------------------------------------------------------


@error_bound("soft_grid")
def _soft_grid(arguments, fmt):
    exact = soft_grid(arguments["height"], arguments["width"])
    # a step, its product, and the difference from 1; both ends are exact
    return bounds_of_values(exact, lambda u: 3 * u * ((exact != 0) & (exact != 1)), fmt)


@error_bound("centred_points")
def _centred_points(arguments, fmt):
    tokens = read_points("points", exact_positions(arguments["points"]))
    sizes = {name: arguments[name] for name in ("height", "width")}
    share = checks.positive("share", arguments["share"])
    exact = centred_points(exact_positions(arguments["points"]), **sizes, share=share)
    axes = tokens.along_sequence().axes
    places = np.stack([np.abs(as_floats(axis)) + coordinate_error(axis) for axis in axes], -1).reshape(exact.shape)
    # the number, the middle, their difference, the share, its product and a quotient
    middles = np.array([arguments["width"], arguments["height"]]) / 2
    sums = (places + middles) / float(share * max(sizes.values()))
    return bounds_of_values(exact, lambda u: compound(u * (2 * sums + 4 * np.abs(exact))), fmt)


def bounds_of_values(exact, error_of, fmt, lost=0.0):
    """Bounds of an array of numbers, from their errors as a function of u; lost: how many of the numbers on the way may
    be flushed to zero, each times what multiplies it afterwards."""
    limits = {}
    for name, pipeline in table_pipelines(fmt).items():
        path = [part for part in (pipeline.arithmetic, pipeline.table, fmt) if part]
        error = error_of(unit_roundoff(pipeline.arithmetic)) + lost * underflow_error(pipeline.arithmetic)
        size = np.abs(exact) + error
        limits[name] = {"output": against_rounded(after_roundings(error, size, path)[0], np.abs(exact), fmt)}
    return limits
