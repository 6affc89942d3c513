"""Time2Vec: one channel that grows with time, and sines of it at learned frequencies and phases."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..arithmetic.double_double import exact_product
from ..arithmetic.exact_sums import rounded_sum, total_of
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import PositionsLike, read_times
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.waves import fourier, wave_gradients
from ..steps.waves.points import rounded
from ..types import Array, ArrayLike, DType, Integer
from .fourier_projection import fourier_projection, read_floats

__all__ = ["time2vec"]

LinearPlace = Literal["first", "last"]
Wave = Literal["sin", "cos"]
SMALLEST, LARGEST = 2.0**-900, 2.0**900  # products within keep all their bits as pairs
KINDS = get_args(Wave)


def _gradient_for(name):
    """The rule for "t", "weight" or "phase"."""

    def gradient(function, given, cotangent):
        table_gradients.check_options(given)
        times, (weight, phase) = read_times(given["t"], "t"), _read_vectors(given["weight"], given["phase"])
        linear, kind = _read_linear(given["linear"]), checks.choice("kind", given["kind"], KINDS)
        fmt = formats.resolve(given["dtype"])
        cotangent = table_gradients.read_cotangent(cotangent, (*times.shape, len(weight)), fmt)
        of_sin, of_cos = np.zeros((2, prod(times.shape), len(weight)))
        (of_sin if kind == "sin" else of_cos)[...] = learned_tables.values(cotangent).reshape(of_sin.shape)
        points = wave_gradients.points_of([times])
        slopes = wave_gradients.slopes(points, weight[None], phase, of_sin, of_cos, fourier.Factor(Fraction(1), False))
        if linear is not None:  # a line is as steep as a sine at 0
            column = column_of(linear, weight)
            of_sin[:, column] += of_cos[:, column]
            of_cos[:, column] = slopes.sums[:, column] = 0
        return wave_gradients.of_argument(name, given[name], points, weight[None], slopes)

    return gradient


@register(
    family="absolute",
    paper="Kazemi et al. 2019, Time2Vec, arXiv:1907.05321, section 4",
    conventions="linear first, last or None, and kind sin or cos (no default)",
    also="Time2Vec, T2V",
    gradients={name: _gradient_for(name) for name in ("t", "weight", "phase")},
)
def time2vec(
    t: PositionsLike,
    weight: ArrayLike,
    phase: ArrayLike,
    *,
    linear: LinearPlace | None,
    kind: Wave,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Time2Vec: sines of times at learned frequencies and phases, beside one linear channel.

        E[..., j] = w_j t + p_j                      for j = 0 with linear="first", j = k - 1 with linear="last"
        E[..., j] = sin(w_j t + p_j)                 for all others; with kind="cos" the cosine

    Parameters
    ----------
    t : int or array_like
        Times of any shape, integers to 2**53 in size or finite floats; an integer alone is one time.
    weight : array_like
        Frequencies w (k,), finite floats or integers, in the order of the channels.
    phase : array_like
        Phases p (k,), likewise.
    linear : {'first', 'last'} or None
        Place of the linear channel: "first" as in the paper, "last" as in some of its programs, None for none, as in
        TGAT.
    kind : {'sin', 'cos'}
        The wave, "sin" or "cos".
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*t.shape, k), each element the exact value of the formula rounded once to `dtype`.

    Raises
    ------
    InputError
        E_POSITION (t), E_SHAPE (weight, phase), E_NUMBER, E_CHOICE (linear, kind), E_DTYPE, E_OUT.

    Notes
    -----
    Nothing of w t + p is rounded before the sine.

    References
    ----------
    - The paper, equation 1.
    - with kind "cos" and linear None the module TimeEncode of
      StatsDLMathsRecomSys/Inductive-representation-learning-on-temporal-graphs, module.py at 66b2ccd, after training.

    Examples
    --------
    >>> time2vec([0, 2], [0.5, 1], [1, 0], linear="first", kind="sin")
    array([[1.        , 0.        ],
           [2.        , 0.90929743]])
    """
    times, (weight, phase) = read_times(t, "t"), _read_vectors(weight, phase)
    linear = _read_linear(linear)
    checks.choice("kind", kind, KINDS), checks.thread_count(threads)
    fmt, count = formats.resolve(dtype), len(weight)
    result, stored = checks.output(out, (*times.shape, count), fmt, apart_from=doubles.arrays(t, weight, phase))
    waves = slice(int(linear == "first"), count - (linear == "last"))
    if weight[waves].size:
        target = result[..., waves]
        options = {"factor": 1, "layout": kind, "dtype": fmt, "threads": threads}
        fourier_projection([times], weight[None, waves], phase=phase[waves], **options, out=target)
    if linear is not None:
        column = column_of(linear, weight)
        values = _linear(times, float(weight[column]), float(phase[column]), fmt)
        stored[..., column] = values.reshape(times.shape)
    return result


def _read_linear(linear):
    return None if linear is None else checks.choice("linear", linear, get_args(LinearPlace))


def column_of(linear, weight):
    """Which channel is linear."""
    return 0 if linear == "first" else len(weight) - 1


def _read_vectors(weight, phase):
    weight, phase = read_floats("weight", weight), read_floats("phase", phase)
    if weight.ndim != 1 or not len(weight):
        raise InputError("E_SHAPE", "weight", f"weight must be (k,), k at least 1, got shape {weight.shape}")
    if phase.shape != weight.shape:
        raise InputError("E_SHAPE", "phase", f"phase must be {weight.shape}, as weight is, got shape {phase.shape}")
    return weight, phase


def _linear(times, weight, phase, fmt):
    """weight times + phase rounded once, flat: as pairs of doubles, and what these leave open as fractions."""
    if times.unit != 1:
        values = [rounding.nearest_fraction(x * Fraction(weight) + Fraction(phase), fmt) for x in times.fractions()]
        return np.array(values, f"u{fmt.width // 8}").view(fmt.storage)
    t = rounded(times, formats.FORMATS["float64"])
    with np.errstate(all="ignore"):
        product, rest = exact_product(t, np.full(t.shape, weight))
        high, low, lost, _ = total_of([(product, rest, None), (np.full(t.shape, phase), None, None)])
        result, sure = rounded_sum(high, low, 2 * lost, 0, fmt)
    size = np.abs(product)
    sure &= (size > SMALLEST) & (size < LARGEST) | (t == 0) | (weight == 0)
    sure &= (abs(phase) < LARGEST) & (np.abs(t) < LARGEST) & (abs(weight) < LARGEST) & (high != 0)
    patterns = formats.bits(result)
    for row in np.flatnonzero(~sure).tolist():
        patterns[row] = rounding.nearest_fraction(Fraction(float(t[row])) * Fraction(weight) + Fraction(phase), fmt)
    return result
