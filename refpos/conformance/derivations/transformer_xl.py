"""Error bounds of the scores of Transformer-XL and its kin: matrix products, sums of terms and a scale."""

import numpy as np

from ... import checks
from ...scores.xl_scores import read_bias, read_terms
from ...steps.scores import heads, row_scores
from ...tables.project_table import read_table
from ..classes import BFLOAT16
from ..registry import error_bound
from . import sequences
from .inputs import exact_channels
from .sequences import Off


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
            return None if values is None else sequences.given(values, arithmetic)

        terms = [(numbers(vectors), rows, numbers(bias)) for vectors, rows, bias in tables]
        scale = scale_of(given["scale"], queries.shape[-1], arithmetic)
        return scores(numbers(queries), numbers(keys), numbers(content), terms, scale, given["scaled"])

    return sequences.limits(sequence, fmt)


def scores(q, k, content, terms, scale, scaled):
    """The scores of numbers that a program has; terms: [(vectors, rows, bias)], of which the bias may be None."""

    def biased(bias):
        parts = [part if part is None or scaled != "queries" else sequences.multiply(part, scale) for part in (q, bias)]
        return parts[0] if parts[1] is None else sequences.add(*parts)

    summands = [sequences.scores(biased(content), k)]
    for vectors, rows, bias in terms:
        products = sequences.scores(biased(bias), vectors)
        summands.append(Off(*(row_scores.picked(part, rows) for part in products[:2]), q.fmt))
    if scaled == "parts":
        summands = [sequences.multiply(part, scale) for part in summands]
    total = summands[0]
    for part in summands[1:]:
        total = sequences.add(total, part)
    return sequences.multiply(total, scale) if scaled == "sum" else total


def scale_of(scale, dim, fmt):
    """The factor of the scores: a number, or 1 / sqrt(dim), a root and a quotient."""
    if scale is not None or not dim:
        return sequences.given(heads.read_scale(scale, dim), fmt)
    return sequences.divide(sequences.given(1.0, fmt), sequences.root(sequences.given(float(dim), fmt)))


@error_bound("project_table")
def _project_table(arguments, fmt):
    table, weight = read_table(_exact(arguments["table"]), _exact(arguments["weight"]))

    def sequence(arithmetic):
        matrices = sequences.given(weight.swapaxes(-1, -2), arithmetic)
        return sequences.matmul(sequences.given(table, arithmetic), matrices)

    return sequences.limits(sequence, fmt)


@error_bound("per_dim_scale")
def _per_dim_scale(arguments, fmt):
    weight, dim = np.asarray(_exact(arguments["weight"]), np.float64), checks.integer("dim", arguments["dim"], 1)

    def sequence(arithmetic):
        above = sequences.activate("softplus", sequences.given(weight, arithmetic))
        at_zero = sequences.activate("softplus", sequences.given(0.0, arithmetic))
        root = sequences.root(sequences.given(float(dim), arithmetic))
        return sequences.divide(sequences.divide(above, at_zero), root)

    return sequences.limits(sequence, fmt)
