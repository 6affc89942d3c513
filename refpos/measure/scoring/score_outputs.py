"""Outputs of attention: of the ways, masks and coefficients of programs those that leave least of the numbers."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from ...steps.scores import heads, ordered_sums
from ..coefficients import Fit
from ..estimates import exponential
from .few_queries import for_queries, spread
from .free_scale import scaled_ways
from .score_masks import Mask, asked_mask, bands_of, masks_of
from .score_orders import orders_of
from .score_parts import parts_of
from .score_ways import Solved, usual_scales, ways_of

MOST_QUERIES = 32  # of a head, that are looked at
MOST_HEADS = 4
UNITS = 4  # rounding units of the numbers, that need no further explanation
TRIED = 3  # of the best ones, that are verified


class Guess(NamedTuple):
    """A way with its coefficients, the mask, and whether the softmax is over the queries."""

    solved: Solved
    coefficients: dict[str, float]
    mask: Mask
    exchanged: bool


def guesses(name, inputs, values, dims, unit):
    """The `Guess`es that leave least of an output (.., queries, dim), the best first; unit: the rounding unit of its
    format."""
    found, size = [], float(np.sqrt((values * values).mean()))
    for way in ways_of(name, inputs, False):
        wide = _sampled(way, inputs, values)
        for mask, (coefficients, scores) in product(masks_of(inputs, *wide.shape), _combined(way, wide, dims)):
            for exchanged in (False, True) if mask.counts is None else (False,):
                rest = wide.output(scores, mask, exchanged) - wide.answers
                left = float(np.sqrt((rest * rest).mean())) / size if size else 0.0
                fit = Fit(np.array(list(coefficients.values())), np.zeros(len(coefficients)), left)
                found.append(Guess(Solved(way, fit), coefficients, mask, exchanged))
    if name == "attention":
        found += _as_asked(inputs, values, size, dims)
        if min(guess.solved.fit.left for guess in found) > UNITS * unit:
            found += _of_free_scale(inputs, values, dims, unit)
    return sorted(found, key=lambda guess: guess.solved.fit.left)[:TRIED]


def _as_asked(inputs, values, size, dims):
    """`Guess`es with one thing otherwise beside what is asked for: the order of an input, the coefficient of the bias,
    or a window of keys."""
    base = next(ways_of("attention", inputs, False))
    if base.capped is not None:
        return
    keys = base.inputs["k"].value.shape[-2]
    asked = asked_mask(inputs, values.shape[-2], keys)
    plain = {part.name: part.asked for part in base.parts}
    for text, others in orders_of(inputs):
        few = for_queries(others, spread(values.shape[-2], MOST_QUERIES))
        way = base._replace(text=text, inputs=others, parts=parts_of("attention", few))
        yield _guess(way, _sampled(way, inputs, values, few=True), plain, asked, size)
    wide = _sampled(base, inputs, values)
    for factor in (2.0, 0.5, float(np.sqrt(dims[0])), -2.0) if "bias" in plain else ():
        yield _guess(base, wide, {**plain, "bias": factor}, asked, size)
    for mask in bands_of(values.shape[-2], keys):
        yield _guess(base, wide, plain, mask, size)


def _of_free_scale(inputs, values, dims, unit):
    """`Guess`es of a factor of the output and of any scale, beside what is asked for."""
    base = next(ways_of("attention", inputs, False))
    if base.capped is not None:
        return
    wide, plain = _sampled(base, inputs, values), {part.name: part.asked for part in base.parts}
    asked = asked_mask(inputs, values.shape[-2], base.inputs["k"].value.shape[-2])

    def output(scale):
        return wide.output(_scores(wide, {**plain, "q.k": scale}), asked, False).reshape(-1)

    for solved, coefficients in scaled_ways(base, plain, output, wide.answers.reshape(-1), dims, unit):
        yield Guess(solved, coefficients, asked, False)


def _guess(way, wide, coefficients, mask, size):
    """The `Guess` of a way with coefficients and a mask."""
    rest = wide.output(_scores(wide, coefficients), mask, False) - wide.answers
    left = float(np.sqrt((rest * rest).mean())) / size if size else 0.0
    return Guess(Solved(way, Fit(np.array(list(coefficients.values())), np.zeros(len(coefficients)), left)),
                 coefficients, mask, False)  # fmt: skip


def _scores(wide, coefficients):
    """The scores of parts with their coefficients."""
    first, *others = (factor * wide.parts[name] for name, factor in coefficients.items())
    return first + sum(others) if others else first


class Sample(NamedTuple):
    """A few heads of an output: the parts of the scores, of all queries or of a few, the values of each head, which
    queries these are, and the axes of the scores, (.., queries, keys)."""

    parts: dict
    v: np.ndarray
    answers: np.ndarray
    queries: np.ndarray
    scores: tuple

    @property
    def shape(self):
        """(queries, keys) of the scores."""
        return self.scores[-2:]

    def output(self, scores, mask, exchanged):
        """The output of some queries."""
        if exchanged:
            return ordered_sums.matmul(_softmax(scores, -2), self.v)[:, self.queries]
        counts = True if mask.counts is None else self.of_queries(self.of_lead(mask.counts.value.astype(bool)))
        return ordered_sums.matmul(_softmax(np.where(counts, self.of_queries(scores), -np.inf), -1), self.v)

    def of_queries(self, values):
        """The rows (heads, queries, keys) of the queries that are looked at, of all rows or of these alone."""
        return values if values.shape[1] == len(self.queries) else values[:, self.queries]

    def of_lead(self, values):
        """An array of scores, or one that broadcasts to them, for these heads: (heads, queries, keys)."""
        rows = values.shape[-2] if np.ndim(values) > 1 and values.shape[-2] == len(self.queries) else self.shape[0]
        wide = np.broadcast_to(values, (*self.scores[:-2], rows, self.shape[1]))
        return wide.reshape(-1, *wide.shape[-2:])[: len(self.answers)]


def _sampled(way, inputs, values, few=False):
    """The `Sample` of a way; few: whether its parts are those of the queries that are looked at."""
    lead, count = values.shape[:-2], values.shape[-2]
    keys = way.inputs["k"].value.shape[-2]
    v = heads.repeated("v", heads.read("v", way.inputs["v"].value), lead)
    chosen = spread(count, MOST_QUERIES)
    heads_of = (part.reshape(-1, *part.shape[-2:])[:MOST_HEADS] for part in (v, values))
    sample = Sample({}, next(heads_of), next(heads_of)[:, chosen], chosen, (*lead, count, keys))
    parts = {part.name: sample.of_lead(part.values) for part in way.parts}
    return sample._replace(parts={name: sample.of_queries(one) if few else one for name, one in parts.items()})


def _combined(way, sample, dims):
    """({part: coefficient}, the scores) of known coefficients."""
    first, *others = way.parts
    tried = (1.0,) if way.capped is not None else usual_scales(first.asked, dims)
    for scale in tried:
        scores = scale * sample.parts[first.name]
        if not others:
            yield {first.name: scale}, scores
        for factor in dict.fromkeys((1.0, 0.0, -1.0, scale)) if others else ():
            coefficients = {first.name: scale, others[0].name: factor}
            yield coefficients, scores + factor * sample.parts[others[0].name]


def _softmax(scores, axis):
    most = scores.max(axis=axis, keepdims=True)
    powers = np.where(
        np.isfinite(scores), exponential(np.maximum(scores - np.where(np.isfinite(most), most, 0), -700)), 0
    )
    sums = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(sums > 0, sums, 1.0)
