"""Outputs of attention that were multiplied by a number, or whose scores have another scale than any known one: both
are measured, by least squares over the output and its derivative in the scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..coefficients import DEVIATIONS, Fit, coefficient_text, fitted, known_members
from .calls_of_parts import times
from .score_ways import Solved, usual

STEPS = np.outer(np.ldexp(1.0, np.arange(-6, 6, dtype=np.int64)), [1.0, 1.5]).reshape(
    -1
)  # of the asked scale, where a search starts
ROUNDS = 12  # of least squares from there
SMALL = 2.0**-12  # of the scale, by which the derivative is taken
UNMOVED = 2.0**-40  # of the scale, below which a round moves it no more
BETTER = 0.5  # of what one number leaves, that two numbers may leave
ROUNDED = 2.0**-22  # of a scale, by which it may be off a known number
DOWN = 32.0  # a scale that is farther away than this is none


class Scaled(NamedTuple):
    """A scale of the scores and a factor of the output, each with half the width of its interval, and what they leave
    of the numbers."""

    scale: float
    factor: float
    scale_width: float
    factor_width: float
    left: float


def scaled_ways(base, coefficients, output, answers, dims, unit):
    """(solution, {part: coefficient}) of a factor of the output, another scale, or both, each as a known number where
    there is one within its interval. output: a function of the scale; answers: what it should be."""
    asked = coefficients["q.k"]
    alone = _factor_alone(output(asked), answers, asked, unit)
    scaled = _refined(output, answers, _start(output, answers, asked, False), False, unit)
    both = _refined(output, answers, _start(output, answers, asked, True), True, unit)
    least = min(one.left for one in (alone, scaled) if one is not None)
    for one in (alone, scaled, both):
        if one is None or not 1 / DOWN < one.scale / asked < DOWN or (one is both and one.left > BETTER * least):
            continue
        scale = known_members(one.scale, one.scale_width, (asked, *usual(dims)))[0]
        factor = known_members(one.factor, one.factor_width, (1.0, 1 / dims[1]))[0]
        if factor and (scale, factor) != (asked, 1.0):
            text = "" if factor == 1 else f"the output times {coefficient_text(factor)}"
            inputs = {**base.inputs, "v": times(factor, base.inputs["v"])}
            way = base._replace(text=text, inputs=inputs)
            made = {**coefficients, "q.k": scale}
            yield Solved(way, Fit(np.array(list(made.values())), np.zeros(len(made)), one.left)), made


def _factor_alone(made, answers, scale, unit):
    """The `Scaled` of a factor of the output with the asked scale."""
    found = fitted(answers, made[None], unit)
    return Scaled(scale, float(found.values[0]), 0.0, float(found.widths[0]), found.left)


def _start(output, answers, asked, free):
    """The scale that leaves least of the numbers; free: with any factor of the output."""

    def left(scale):
        made = output(scale)
        factor = float((made * answers).sum() / max((made * made).sum(), 1e-300)) if free else 1.0
        rest = factor * made - answers
        return float((rest * rest).sum())

    return float(min(asked * STEPS, key=left))


def _refined(output, answers, scale, free, unit):
    """The `Scaled` of least squares from a scale onwards; None where they lead nowhere."""
    factor, first = 1.0, abs(scale)
    for _ in range(ROUNDS):
        made = output(scale)
        slope = (output(scale * (1 + SMALL)) - output(scale * (1 - SMALL))) / (2 * SMALL * scale)
        if free:
            found = fitted(answers, np.stack([made, slope]), unit)
            factor, moved = float(found.values[0]), float(found.values[1])
            moved = moved / factor if factor else 0.0
            widths, left = found.widths / np.array([1.0, abs(factor) or 1.0]), found.left
        else:
            moved, widths, left = _of_scale(answers, made, slope, scale)
        if not (np.isfinite(moved) and first / DOWN < abs(scale + moved) < DOWN * first):
            return None
        scale += moved
        widths[-1] += ROUNDED * abs(scale) if free else 0.0
        if abs(moved) <= UNMOVED * abs(scale):
            break
    return Scaled(scale, factor, float(widths[-1]), float(widths[0]) if free else 0.0, left)


def _of_scale(answers, made, slope, scale):
    """(by how much the scale is moved, half the width of its interval, what is left of the numbers)."""
    rest, length = answers - made, float((slope * slope).sum())
    moved = float((rest * slope).sum()) / length if length else 0.0
    after = rest - moved * slope
    left, size = (float(np.sqrt((one * one).mean())) for one in (after, answers))
    # programs round the scale itself to float32
    width = DEVIATIONS * left / np.sqrt(length) + ROUNDED * abs(scale) if length else np.inf
    return moved, np.array([width], np.float64), left / size if size else 0.0
