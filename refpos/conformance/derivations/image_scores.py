"""Error bounds of the scores of places in images, and of networks that are given offsets."""

import numpy as np

from ...relative.distance_mlp import grid_of, read_layers, read_norms, read_size
from ...relative.log_coordinates import read_spans
from ...relative.window_rows import window_rows
from ...scores.convit_attention import features, read_cells
from ...scores.decomposed_scores import count_rows, read_queries, rows_of
from ...steps.scores import heads, ordered_sums
from ...tables.resize_table import resize_table
from ..classes import BFLOAT16, FLOAT64, RESIZE_CLASSES
from ..registry import complete, derivation_of, error_bound
from . import running_error
from .attention import ROOT
from .exact_inputs import exact_channels
from .rounding_errors import INFLATE, underflow_error, unit_roundoff
from .running_error import Bounded

LINEAR = {"method": "linear", "align": "half-pixel"}


def _floats(arguments, *names):
    """Arrays of the call as exact float64 numbers; None stays None."""
    return [None if arguments[name] is None else exact_channels(arguments[name], BFLOAT16) for name in names]


@error_bound("decomposed_scores")
def _decomposed_scores(arguments, fmt):
    """Two products of vectors and a sum; tables of another length are resized in the same arithmetic."""
    q, *tables = _floats(arguments, "q", "weight_h", "weight_w")
    queries, keys = list(arguments["query_grid"]), list(arguments["key_grid"])
    sign, first = arguments["sign"], int(arguments["class_token"])
    cells = read_queries(q, queries, first)
    shape = (*cells.shape[:-2], *queries, cells.shape[-1])
    rows = [rows_of(query, key, sign) for query, key in zip(queries, keys)]
    counts = [count_rows(query, key, sign) for query, key in zip(queries, keys)]

    lengthened = [_at_length(table, count) for table, count in zip(tables, counts)]

    def sequence(arithmetic):
        x = running_error.from_input(cells.reshape(shape), arithmetic)
        down, across = (resized(*pair, arithmetic) for pair in zip(tables, lengthened))
        of_rows = running_error.scores(x, _read(down, rows[0]))
        transposed = Bounded(*(part.swapaxes(-3, -2) for part in x[:2]), arithmetic)
        of_columns = running_error.scores(transposed, _read(across, rows[1]))
        sums = running_error.add(
            Bounded(of_rows.values[..., None], of_rows.error[..., None], arithmetic),
            Bounded(*(part.swapaxes(-3, -2)[..., None, :] for part in of_columns[:2]), arithmetic),
        )
        return Bounded(*(_with_class(part, cells.shape[:-1], keys, first) for part in sums[:2]), arithmetic)

    return running_error.limits(sequence, fmt)


def _read(table, rows):
    """Rows of a table."""
    return Bounded(table.values[rows], table.error[rows], table.fmt)


def _with_class(scores, lead, keys, first):
    """Scores (..., queries, keys), and zeros for the class token."""
    flat = scores.reshape(*lead, keys[0] * keys[1])
    return np.pad(flat, [(0, 0)] * (flat.ndim - 2) + [(first, 0)] * 2)


def _at_length(table, count):
    """A table at the length that the grids need."""
    return table if len(table) == count else resize_table(table, count, **LINEAR)


def resized(table, values, arithmetic):
    """A table at another length: the bound of `resize_table`, and no weight is larger than 1."""
    own = running_error.from_input(table, arithmetic)
    if values is table:
        return own
    limits = derivation_of("resize_table")(
        complete("resize_table", {"weight": table, "size": len(values), **LINEAR}), FLOAT64
    )
    (name,) = (name for name, kind in RESIZE_CLASSES.items() if kind is arithmetic)
    error = limits[name]["output"] + 2 * np.max(own.error, axis=0, initial=0.0)
    return Bounded(values, error * INFLATE, arithmetic)


@error_bound("convit_attention")
def _convit_attention(arguments, fmt):
    """Both softmaxes, two products, a sum, the sum over the keys and a quotient."""
    q, k, weight, bias, gate = _floats(arguments, "q", "k", "weight", "bias", "gate")
    height, width = arguments["height"], arguments["width"]
    queries, keys = read_cells(q, k, height * width)
    scale = heads.read_scale(arguments["scale"], queries.shape[-1])
    offsets = features(height, width)
    rows = window_rows(height, width, sign="key-query")

    def sequence(arithmetic):
        def numbers(values):
            return None if values is None else running_error.from_input(values, arithmetic)

        # a program has 1 / sqrt(dim) by a root and a quotient, or a power of its library
        relative = running_error.step_roundoff(arithmetic, running_error.LIBRARY, ROOT)
        factor = Bounded(np.array(scale), np.array(abs(scale) * relative), arithmetic)
        content = running_error.softmax(
            running_error.multiply(running_error.scores(numbers(queries), numbers(keys)), factor)
        )
        table = running_error.linear(numbers(offsets), numbers(weight), numbers(bias))
        places = running_error.softmax(Bounded(table.values.T[:, rows], table.error.T[:, rows], arithmetic))
        share = running_error.activate("sigmoid", numbers(gate[:, None, None]))
        rest = running_error.subtract(numbers(1.0), share)
        mixed = running_error.add(running_error.multiply(rest, content), running_error.multiply(share, places))
        return running_error.divide(mixed, running_error.last_axis(running_error.total(mixed)))

    return running_error.limits(sequence, fmt, 2.0)  # shares of a sum of numbers from 0 on are at most a little above 1


@error_bound("distance_mlp")
def _distance_mlp(arguments, fmt):
    """The coordinates with their own errors, then the lines, norms and activations of the network."""
    names = ("weight_in", "bias_in", "weights", "biases", "weight_out", "bias_out", "norm_weights", "norm_biases")
    *lines, norm_weights, norm_biases = _floats(arguments, *names)
    sizes = read_size(arguments["size"])
    layers = read_layers(len(sizes), *lines)
    eps = arguments["norm_eps"]
    norms = read_norms(eps, norm_weights, norm_biases, len(layers) - 1, len(layers[0][0]))

    def sequence(arithmetic):
        def numbers(values):
            return None if values is None else running_error.from_input(values, arithmetic)

        x = _coordinates(sizes, arguments, arithmetic)
        for n, (weight, bias) in enumerate(layers):
            if n:
                x = running_error.activate(arguments["activation"], _normalised(x, norms[n - 1], numbers))
            flat = Bounded(*(part.reshape(-1, part.shape[-1]) for part in x[:2]), arithmetic)
            line = running_error.linear(flat, numbers(weight), numbers(bias))
            x = Bounded(*(part.reshape(*x.values.shape[:-1], len(weight)) for part in line[:2]), arithmetic)
        if arguments["sigmoid"] is None:
            return x
        return running_error.multiply(numbers(float(arguments["sigmoid"])), running_error.activate("sigmoid", x))

    return running_error.limits(sequence, fmt)


def _normalised(x, norm, numbers):
    """The norm before an activation, if there is one."""
    if norm is None:
        return x
    eps, weight, bias = norm
    x = _layer_norm(x, eps)
    x = x if weight is None else running_error.multiply(x, numbers(weight))
    return x if bias is None else running_error.add(x, numbers(bias))


def _layer_norm(x, eps):
    """(x - mean) / sqrt(variance + eps), also by a program that takes x r - mean r with r = 1 / sqrt(variance + eps).

    A difference from the mean inherits (1 - 1/n) of the error of its own number and 1/n of those of the others: none
    where n is 1. Its quotient is at most sqrt(n), plus what the difference was rounded by over sqrt(eps).
    """
    n, u = x.values.shape[-1], unit_roundoff(x.fmt)
    sizes = np.abs(x.values) + x.error
    shared = np.sum(x.error, axis=-1, keepdims=True)
    moved = (n + 4) * u * np.mean(sizes, axis=-1, keepdims=True) + 4 * u * sizes + underflow_error(x.fmt)
    centred = x.values - ordered_sums.mean(x.values)[..., None]
    centred = Bounded(centred, (x.error + (shared - 2 * x.error) / n + moved) * INFLATE, x.fmt)
    variance = running_error.mean(running_error.multiply(centred, centred))
    deviation = running_error.root(running_error.add(variance, running_error.from_input(eps, x.fmt)))
    result = running_error.divide(centred, running_error.last_axis(deviation))
    largest = np.abs(result.values) + 2 * (np.sqrt(n) + moved / np.sqrt(eps))
    return result._replace(error=np.minimum(result.error, largest))


def _coordinates(sizes, arguments, arithmetic):
    """Coordinates (.., axes): integers, or logarithms of 1 + a distance."""
    kind, pretrained = arguments["coordinates"], arguments["pretrained"]
    spans = read_spans(sizes, kind, pretrained) if kind == "swin-v2" else [None] * len(sizes)
    lines = [_line(size, span, kind, arithmetic) for size, span in zip(sizes, spans)]
    values, errors = (grid_of([line[part] for line in lines]) for part in (0, 1))
    return Bounded(values, errors, arithmetic)


def _line(size, span, kind, arithmetic):
    """The coordinates of one axis: the offset, its logarithm, or log(1 + 8 d / n) / log 8 as Swin v2 computes it."""
    d = np.arange(1 - size, size, dtype=np.float64)
    if kind == "offset":
        return running_error.from_input(d, arithmetic)
    grown = running_error.add(
        running_error.from_input(1.0, arithmetic), running_error.from_input(np.abs(d), arithmetic)
    )
    if kind == "swin-v2":
        share = running_error.divide(
            running_error.from_input(8 * np.abs(d), arithmetic),
            running_error.from_input(float(max(span, 1)), arithmetic),
        )
        grown = running_error.add(running_error.from_input(1.0, arithmetic), share)
    size_of = running_error.log(grown)
    if kind == "swin-v2":
        size_of = running_error.divide(size_of, running_error.log(running_error.from_input(8.0, arithmetic)))
    # a program has 0 where the offset is 0
    return Bounded(np.copysign(size_of.values, d), np.where(d == 0, 0.0, size_of.error), arithmetic)
