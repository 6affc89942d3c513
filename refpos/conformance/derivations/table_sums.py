"""Error bounds of sums and means of rows of learned tables, in whatever order a program adds."""

import numpy as np

from ...steps.positions.boxes import rows_of
from ...tables.learned_boxes import TABLES
from ..classes import BFLOAT16
from ..registry import error_bound
from .exact_inputs import exact_channels
from .rounding_errors import against_rounded, compound, underflow_error, unit_roundoff


def _of_sums(sizes, count, roundings, fmt):
    """Bounds of sums of at most `count` numbers, of which each is rounded to the format, and so every operation.

    sizes: the sums of the sizes. roundings: those of the sum after it.
    """
    error = compound((count + roundings) * unit_roundoff(fmt)) * sizes + (count + roundings) * underflow_error(fmt)
    limit = np.where(np.isfinite(sizes), against_rounded(error, sizes, fmt), 0.0)
    return {"rounded-table": {"output": limit}}


@error_bound("mean_of_rows")
def _mean_of_rows(arguments, fmt):
    """Each row rounded, n - 1 additions, and the quotient, or the reciprocal of n and a product."""
    rows = np.asarray(arguments["rows"])
    kept = rows >= 0
    chosen = np.abs(exact_channels(arguments["weight"], BFLOAT16))[np.where(kept, rows, 0)] * kept[..., None]
    return _of_sums(chosen.sum(-2) / np.maximum(kept.sum(-1), 1)[..., None], rows.shape[-1], 2, fmt)


@error_bound("learned_boxes")
def _learned_boxes(arguments, fmt):
    """Each row rounded, and five additions; side by side the rounding alone."""
    weights = arguments["weights"]
    if type(weights) in (list, tuple):
        tables = [np.abs(exact_channels(weight, BFLOAT16)) for weight in weights]
    else:  # one array (4, positions, channels)
        tables = np.abs(exact_channels(weights, BFLOAT16))
    rows = rows_of(arguments["boxes"], arguments["clip"])
    parts = [tables[which][rows[..., place]] for place, which in enumerate(TABLES)]
    if arguments["combine"] == "sum":
        return _of_sums(sum(parts), len(parts), 0, fmt)
    return _of_sums(np.concatenate(parts, -1), 1, 0, fmt)
