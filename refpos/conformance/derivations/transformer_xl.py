"""Error bounds of the scores of Transformer-XL and its kin: matrix products, sums of terms and a scale."""

import numpy as np

from ... import checks
from ...scores.xl_scores import read_bias, read_terms
from ...steps.scores import heads, row_scores
from ...tables.project_table import read_table
from ..classes import BFLOAT16
from ..registry import error_bound
from . import running_error
from .exact_inputs import exact_channels
from .running_error import Bounded


def _exact(values):
    """Numbers as exact float64 ones; uint16 are bit patterns of bfloat16, and None stays None."""
    return None if values is None else exact_channels(values, BFLOAT16)


@error_bound("xl_scores")
def _xl_scores(arguments, fmt):
    floats = ("q", "k", "projected", "u", "v", "segments", "s")
    given = {**arguments, **{name: _exact(arguments[name]) for name in floats}}
    queries, keys = heads.read_queries_keys(given["q"], given["k"])
    names = ("projected", "rows", "v", "segments", "segment_rows", "s")
    tables = read_terms(queries, keys, *(given[name] for name in names))
    content = read_bias("u", given["u"], queries)

    def sequence(arithmetic):
        def numbers(values):
            return None if values is None else running_error.from_input(values, arithmetic)

        terms = [(numbers(vectors), rows, numbers(bias)) for vectors, rows, bias in tables]
        scale = scale_of(given["scale"], queries.shape[-1], arithmetic)
        return scores(numbers(queries), numbers(keys), numbers(content), terms, scale, given["scaled"])

    return running_error.limits(sequence, fmt)


def scores(q, k, content, terms, scale, scaled):
    """The scores of numbers that a program has; terms: [(vectors, rows, bias)], of which the bias may be None."""

    def biased(bias):
        parts = [
            part if part is None or scaled != "queries" else running_error.multiply(part, scale) for part in (q, bias)
        ]
        return parts[0] if parts[1] is None else running_error.add(*parts)

    summands = [running_error.scores(biased(content), k)]
    for vectors, rows, bias in terms:
        products = running_error.scores(biased(bias), vectors)
        summands.append(Bounded(*(row_scores.picked(part, rows) for part in products[:2]), q.fmt))
    if scaled == "parts":
        summands = [running_error.multiply(part, scale) for part in summands]
    total = summands[0]
    for part in summands[1:]:
        total = running_error.add(total, part)
    return running_error.multiply(total, scale) if scaled == "sum" else total


def scale_of(scale, dim, fmt):
    """The factor of the scores: a number, or 1 / sqrt(dim), a root and a quotient."""
    if scale is not None or not dim:
        return running_error.from_input(heads.read_scale(scale, dim), fmt)
    return running_error.divide(
        running_error.from_input(1.0, fmt), running_error.root(running_error.from_input(float(dim), fmt))
    )


@error_bound("project_table")
def _project_table(arguments, fmt):
    table, weight = read_table(_exact(arguments["table"]), _exact(arguments["weight"]))

    def sequence(arithmetic):
        matrices = running_error.from_input(weight.swapaxes(-1, -2), arithmetic)
        return running_error.matmul(running_error.from_input(table, arithmetic), matrices)

    return running_error.limits(sequence, fmt)


@error_bound("per_dim_scale")
def _per_dim_scale(arguments, fmt):
    weight, dim = np.asarray(_exact(arguments["weight"]), np.float64), checks.integer("dim", arguments["dim"], 1)

    def sequence(arithmetic):
        above = running_error.activate("softplus", running_error.from_input(weight, arithmetic))
        at_zero = running_error.activate("softplus", running_error.from_input(0.0, arithmetic))
        root = running_error.root(running_error.from_input(float(dim), arithmetic))
        return running_error.divide(running_error.divide(above, at_zero), root)

    return running_error.limits(sequence, fmt)
