"""What a result is of that which is asked for where each row has its own factor, x is added, or weights sum to 1 along
another axis."""

from __future__ import annotations

import numpy as np

from ...arithmetic import formats
from ...conformance import CLASSES
from ...measure.estimates import exponential, logarithm
from ...measure.solving import unit_of
from ...measure.wording import number, several, several_of
from .. import judge
from ..bounds import bounds_of
from ..call import stored
from ..numbers import as_numbers
from ..region_contents import back_from_sum
from .measured import Measured

WEIGHTS = "weights"
SAME = 1e-3  # of a factor of scores, within which factors are the same
FEWEST = 3  # keys that tell one
UNITS = 4  # rounding units of a sum for each of its terms


def measured_sums(trial) -> Measured | None:
    """What was measured of weights, of a result with x added, and of rows with factors; None without."""
    (name, *others) = trial.outputs
    if others:
        return None
    expected = trial.outputs[name]
    got, wanted = as_numbers(trial.answered[name], expected), as_numbers(expected, expected)
    if expected.dtype not in formats.FORMATS or not (np.isfinite(got).all() and np.isfinite(wanted).all()):
        return None
    if name == WEIGHTS:
        return _of_weights(got, wanted, unit_of(expected.dtype))
    x = trial.call.tensors.get("x")
    if trial.call.suite != "rope" or x is None or x.values.shape != got.shape:
        return None
    return _of_rotation(trial, name, got, wanted, as_numbers(x, x))


def _of_weights(got, wanted, unit):
    """The axis along which weights sum to 1, or the sums of their rows."""
    words = {-1: "each row (over the keys)", -2: "each column (over the queries)", -3: "all heads at one place"}
    sums = {axis: got.sum(axis=axis) for axis in range(-min(3, got.ndim), 0)}
    ones = [axis for axis, one in sums.items() if (np.abs(one - 1) <= UNITS * unit * got.shape[axis]).all()]
    if -1 in ones:
        return _of_scores(got, wanted, unit)
    if not (np.abs(wanted.sum(axis=-1) - 1) <= UNITS * unit * got.shape[-1]).all():
        return None
    if ones:
        name = {-2: "softmax over the queries", -3: "softmax over the heads"}[ones[0]]
        return Measured(f"{name}: weights that sum to 1 in {words[ones[0]]}", f"weights that sum to 1 in {words[-1]}",
                        named=True)  # fmt: skip
    low, high = float(sums[-1].min()), float(sums[-1].max())
    share = got / np.where(sums[-1] != 0, sums[-1], 1)[..., None]
    told = f"rows that sum to {number(low)}" + (f" .. {number(high)}" if high > low else "")
    if (np.abs(share - wanted) <= UNITS * unit * got.shape[-1]).all():
        return Measured(f"the weights, each row times its own number, {told}", "rows that sum to 1", named=True)
    return Measured(told, "rows that sum to 1")


def _of_scores(got, wanted, unit):
    """Weights of scores that were multiplied by a number: one for all, or for each head or row its own."""
    positive = (got > 0).all(axis=-1, keepdims=True) & (wanted > 0).all(axis=-1, keepdims=True)
    if got.shape[-1] < FEWEST or not positive.all():
        return None
    one, other = (logarithm(values) for values in (got, wanted))
    one, other = (values - values.mean(axis=-1, keepdims=True) for values in (one, other))
    rows = (one * other).sum(axis=-1) / np.maximum((other * other).sum(axis=-1), 1e-300)
    heads = np.median(rows, axis=-1)
    for text, factors in (("head", np.broadcast_to(heads[..., None], rows.shape)), ("row", rows)):
        made = exponential(factors[..., None] * other)
        made = made / made.sum(axis=-1, keepdims=True)
        if (np.abs(made - got) <= UNITS * unit * (1 + np.abs(factors[..., None])) * got.shape[-1]).all():
            told = _factors(heads if text == "head" else rows, text)
            return told and Measured(f"the weights of scores times {told}", "the weights of the scores", named=True)
    return None


def _factors(values, word):
    """A factor of all, or those of heads or rows that are no 1, in words; nothing where all are 1."""
    values = values.reshape(-1, values.shape[-1])
    if not (np.abs(values - values[0]) <= SAME * np.abs(values)).all():
        return f"a number of its own in each {word}, {number(values.min())} .. {number(values.max())}"
    first = values[0]
    off = np.flatnonzero(np.abs(first - 1) > SAME)
    if len(off) == 0 or np.ptp(first) <= SAME * abs(first[0]):
        return number(first[0]) if len(off) else ""
    if np.ptp(first[off]) <= SAME * abs(first[off[0]]):
        return f"{number(np.median(first[off]))} in {several_of(word, off)}"
    return f"a number of its own in each {word}: {several(first)}"


def _of_rotation(trial, name, got, wanted, x):
    """A rotation to which x was added, or whose rows have factors."""
    kind = trial.outputs[name].dtype
    met = _met(trial, name, back_from_sum(got, wanted, got - x, wanted + x, kind))
    if met:
        return Measured("the result plus x", "the result", met=met, named=True)
    size = (wanted * wanted).sum(axis=-1, keepdims=True)
    factors = (got * wanted).sum(axis=-1, keepdims=True) / np.where(size > 0, size, 1)
    if not factors.all():
        return None
    # the rounding of the product is undone with it
    same = np.abs(wanted * factors - got) <= 2 * unit_of(kind) * np.abs(got)
    met = _met(trial, name, np.where(same, wanted, got / factors), 1)
    if not met:
        return None
    norms, near = np.sqrt((x * x).sum(axis=-1, keepdims=True)), 8 * unit_of(kind)
    if (np.abs(factors * norms - 1) <= near * x.shape[-1]).all():
        return Measured("the rotation of x, each row divided by its norm", "the rotation of x", met=met, named=True)
    return Measured(f"the result, each row times its own number: {several(factors.reshape(-1))}", "the result", met=met)


def _met(trial, name, undone, after=0):
    """The class that answers meet with what was done to them undone, none of the first ones after which it is looked
    for; nothing where there is none."""
    answers = {name: stored(undone, formats.FORMATS[trial.outputs[name].dtype])}
    limits = bounds_of(*trial.call, trial.outputs)
    met = judge.met_by_all(judge.reports_of(trial.call, trial.outputs, answers, limits=limits))
    return next(iter(kind for kind in met if kind not in list(CLASSES)[:after]), "")
