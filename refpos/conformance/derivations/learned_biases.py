"""Error bounds of scores and biases that are made of learned numbers: DeBERTa, WavLM, LayoutLM, Mega."""

from fractions import Fraction

import numpy as np

from ... import checks
from ...relative.gated_bias import read_gated
from ...relative.layout_bias import gathered_biases, read_layout, summed
from ...relative.rotary_bias import rotary_bias
from ...scores.deberta_scores import gathered_scores, read_terms
from ...steps.angles.frequencies import geometric_frequencies
from ...steps.scores import ordered_sums
from ..classes import BFLOAT16
from ..registry import error_bound
from . import running_error
from .exact_inputs import exact_channels
from .kernels_of_distance import ANGLE_FORMATS
from .rounding_errors import POWER, SINE, compound, log_size, rounded_bound, underflow_error, unit_roundoff
from .running_error import Bounded


def _exact(arguments, *names):
    """Arrays of the call as exact float64 numbers; None stays None."""
    return [None if arguments[name] is None else exact_channels(arguments[name], BFLOAT16) for name in names]


def _given(values, arithmetic):
    return None if values is None else running_error.from_input(values, arithmetic)


@error_bound("deberta_scores")
def _deberta_scores(arguments, fmt):
    """Quotients by a root, products summed in any order, and as many sums as there are terms."""
    arrays = _exact(arguments, "q", "k", "key_table", "query_table")
    terms = read_terms(*arrays, arguments["rows"], arguments["query_rows"])
    scaling = arguments["scaling"]

    def sequence(arithmetic):
        queries, keys, *tables = (_given(part, arithmetic) for part in terms[:4])
        divisor = running_error.from_input(np.array(terms.divisor), arithmetic)
        if scaling == "queries":
            queries, tables[1] = (part and running_error.divide(part, divisor) for part in (queries, tables[1]))
            others = keys
        elif scaling == "products":
            others = running_error.divide(keys, divisor)
        else:
            factor = running_error.divide(running_error.from_input(np.array(1.0), arithmetic), divisor)
            others, *tables = (part and running_error.multiply(part, factor) for part in (keys, *tables))
        parts = []
        for first, table, rows, transposed in ((queries, tables[0], terms.key_rows, False),
                                           (keys, tables[1], terms.query_rows, True)):  # fmt: skip
            if table is not None:
                part = _gathered(running_error.scores(first, table), rows, transposed)
                parts.append(running_error.divide(part, divisor) if scaling == "products" else part)
        added = running_error.add(*parts) if len(parts) == 2 else parts[0]
        return running_error.add(running_error.scores(queries, others), added)

    return running_error.limits(sequence, fmt)


def _gathered(products, rows, transposed):
    """Products of queries and rows, or of keys and rows, at the row of each pair."""
    values, error = (part.swapaxes(-1, -2) if transposed else part for part in products[:2])
    axis = -2 if transposed else -1
    return Bounded(*(gathered_scores(part, rows, axis) for part in (values, error)), products.fmt)


@error_bound("gated_bias")
def _gated_bias(arguments, fmt):
    """A line, two sums, two sigmoids, and five operations."""
    names = ("bias", "hidden", "weight", "weight_bias", "constant")
    bias, x, (weight, offsets), constant = read_gated(*_exact(arguments, *names))

    def sequence(arithmetic):
        z = running_error.linear(*(_given(part, arithmetic) for part in (x, weight, offsets)))
        values, error = (part.reshape(*part.shape[:-1], 2, part.shape[-1] // 2) for part in z[:2])
        gates = running_error.activate("sigmoid", running_error.total(Bounded(values, error, arithmetic)))
        a, b = (Bounded(gates.values[..., k], gates.error[..., k], arithmetic) for k in (0, 1))
        one, two = (running_error.from_input(np.array(number), arithmetic) for number in (1.0, 2.0))
        inner = running_error.subtract(running_error.multiply(b, _given(constant[:, None], arithmetic)), one)
        gate = running_error.add(running_error.multiply(a, inner), two)
        return running_error.multiply(running_error.last_axis(gate), _given(bias, arithmetic))

    return running_error.limits(sequence, fmt)


@error_bound("layout_bias")
def _layout_bias(arguments, fmt):
    """One or two sums, a root and a quotient."""
    tables = _exact(arguments, "weight", "x_weight", "y_weight")
    others = (arguments[name] for name in ("position_ids", "boxes", "max_distance", "max_box_distance"))
    parts, _ = read_layout(*tables, *others)
    head_dim = arguments["head_dim"]

    def sequence(arithmetic):
        numbers = [_given(gathered_biases(*part), arithmetic) for part in parts]
        whole = summed(numbers, running_error.add)
        if head_dim is None:
            return whole
        return running_error.divide(
            whole, running_error.root(running_error.from_input(np.array(float(head_dim)), arithmetic))
        )

    return running_error.limits(sequence, fmt)


def _products(queries, keys):
    """Products of all rows in the fixed order, the same on every machine."""
    return ordered_sums.matmul(queries, keys.swapaxes(1, 2))


@error_bound("rotary_bias")
def _rotary_bias(arguments, fmt):
    """Both vectors rotated by their own positions, as Mega does, or by the distance, and their product in any order."""
    alpha, beta = _exact(arguments, "alpha", "beta")
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    offset, half = keys - queries if offset is None else offset, alpha.shape[1] // 2
    base = checks.positive("base", arguments["base"], "E_BASE")
    exact = np.abs(rotary_bias(alpha, beta, queries, keys, base=base, query_offset=offset))
    exponents = np.arange(half, dtype=np.int64) / half
    frequencies = geometric_frequencies(2 * half, half, Fraction(1, half), base).inv_freq
    sizes = [np.abs(part[:, :half]) + np.abs(part[:, half:]) for part in (alpha, beta)]  # (heads, half)
    positions = (np.arange(count, dtype=np.int64) + first for count, first in ((queries, offset), (keys, 0)))
    limits, positions = {}, [np.abs(part).astype(np.float64)[:, None] for part in positions]
    for name, arithmetic in ANGLE_FORMATS.items():
        u, least = unit_roundoff(arithmetic), underflow_error(arithmetic)
        # a frequency by power or exponential, the position, the angle; sine and cosine; of each channel its rounding,
        # two products and a sum
        angle = compound(5 * exponents * log_size(base) * u + (POWER + 3 + exponents) * u)
        waves = [np.minimum(part * frequencies * angle, 2) + SINE * u for part in positions]
        a, b = (size[:, None] for size in sizes)  # (heads, 1, half)
        first, second = (
            size * (wave + compound(4 * u) * (1 + wave)) + 4 * least for size, wave in zip((a, b), waves)
        )  # (heads, positions, half)
        a, b = (np.broadcast_to(size, part.shape) for size, part in ((a, first), (b, second)))
        moved = _products(a, second) + _products(first, b + second)
        whole = _products(a + first, b + second)
        count = 2 * half + 2
        error = 2 * (moved + compound(count * u) * whole) + count * least
        limits[name] = {"output": rounded_bound(error, exact, arithmetic, fmt)}
    return limits
