"""The ways in which a program may make scores of its inputs, each with its coefficients by least squares."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary
from ..coefficients import Fit, fitted, known_members
from ..solving import unit_of
from .score_inputs import changes_of
from .score_parts import Part, capped, parts_of, uncapped

MOST_CELLS = 1 << 15  # that are looked at
SMALLEST = {"float16": 2.0**-13, "bfloat16": 2.0**-120, "float32": 2.0**-120, "float64": 2.0**-1000}
SECOND = 8  # coefficients that are not the first choice, that are tried in its place
CLOSE, UNITS = 2.0, 8  # what ways may leave more than the best one: a factor, and rounding units


class Way(NamedTuple):
    """What a program does otherwise, its inputs and parts; the scale in a soft cap, and whether that is made after the
    bias."""

    text: str
    inputs: dict
    parts: list[Part]
    capped: float | None = None
    after: bool = False


class Solved(NamedTuple):
    """A way with its coefficients."""

    way: Way
    fit: Fit


def ways_of(name, inputs, scores):
    """The ways that are tried, the asked one first; scores: whether numbers are scores."""
    for text, one in changes_of(name, inputs):
        parts = parts_of(name, one)
        if one.get("softcap") is None:
            yield Way(text, one, parts)
        else:
            yield from _of_softcap(text, one, parts, scores)


def _of_softcap(text, inputs, parts, scores):
    cap, products = float(inputs["softcap"].value), parts[0]
    for scale in usual_scales(products.asked, (1, 1)):
        values = capped(scale * products.values, cap)
        other = "" if scale == products.asked else f"soft cap of q.k times {scale:.6g}"
        part = Part("soft cap", values, 1.0)
        yield Way(", ".join(filter(None, (text, other))), inputs, [part, *parts[1:]], scale)
    without = {name: one for name, one in inputs.items() if name != "softcap"}
    yield Way(", ".join(filter(None, (text, "no soft cap"))), without, parts)
    if scores:
        yield Way(", ".join(filter(None, (text, "soft cap after the bias"))), inputs, parts, after=True)


def solved_ways(name, inputs, values, counts, fmt, extra, kind, swapped):
    """`Solved` of the ways that leave little more than the best one, in the order in which they are tried.

    swapped: whether the softmax is over the queries of these inputs.
    """
    found, shape, unit = [], values.shape, unit_of(fmt)
    values, counts = (np.swapaxes(part, -1, -2) if swapped else part for part in (values, counts))
    for way in ways_of(name, inputs, kind == "scores"):
        way = way._replace(parts=[*way.parts, *extra])
        wide = [np.broadcast_to(part.values, shape) for part in way.parts]
        wide = [np.swapaxes(part, -1, -2) for part in wide] if swapped else wide
        numbers, wide = _cells(values, wide, counts, fmt, way, kind)
        if numbers.size > len(wide):
            found.append(Solved(way, fitted(numbers, wide, unit)))
    least = min((one.fit.left for one in found), default=0.0)
    return [one for one in found if one.fit.left <= CLOSE * least + UNITS * unit]


def _cells(values, parts, counts, fmt, way, kind):
    """(numbers, parts) of the cells that count: of weights their logarithms, without what a row has in common."""
    counts = counts & np.isfinite(parts).all(axis=0)
    parts = [np.where(counts, part, 0.0) for part in parts]
    if kind == "scores":
        with np.errstate(invalid="ignore"):
            values = uncapped(values, float(way.inputs["softcap"].value)) if way.after else values
        chosen = np.flatnonzero((counts & np.isfinite(values)).reshape(-1))
        chosen = chosen[:: max(1, len(chosen) // MOST_CELLS)]
        return values.reshape(-1)[chosen], np.stack([part.reshape(-1)[chosen] for part in parts])
    counts = counts & (values >= SMALLEST[fmt]) & np.isfinite(values)
    rows = max(1, MOST_CELLS // values.shape[-1])
    step = max(1, values.size // values.shape[-1] // rows)
    values, counts, *parts = (part.reshape(-1, values.shape[-1])[::step] for part in (values, counts, *parts))
    logarithms = elementary.log(np.where(counts, values, 1.0))
    numbers, *parts = (_centred(part, counts)[counts] for part in (logarithms, *parts))
    return numbers, np.stack(parts)


def _centred(part, counts):
    """Numbers of cells that count, minus the mean of their row."""
    part = np.where(counts, part, 0.0)
    return part - part.sum(axis=-1, keepdims=True) / np.maximum(counts.sum(axis=-1, keepdims=True), 1)


def coefficients_of(solved, dims):
    """Choices of {part: coefficient}: the best known number of each, then others in the place of one, then the asked
    ones."""
    chosen, members = {}, {}
    for part, value, width in zip(solved.way.parts, solved.fit.values, solved.fit.widths):
        known = (part.asked, *chosen.values(), *(-one for one in chosen.values()), *usual(dims), -part.asked)
        members[part.name] = _none_beside_0(known_members(value, width, known), part.asked)
        chosen[part.name] = members[part.name][0]
    yield chosen
    for name, others in members.items():
        for other in others[1 : SECOND + 1]:
            yield {**chosen, name: other}
    yield {part.name: part.asked for part in solved.way.parts}  # which most rows may have where others differ


def _none_beside_0(members, asked):
    """Numbers that a coefficient may be: of those that rounding does not tell from 0, that and the asked one."""
    return [one for one in members if one in (0.0, asked)] if 0.0 in members else members


def usual(dims):
    """Scales of programs: of (channels of a head, heads)."""
    dim, count = dims
    return (1.0, 1 / math.sqrt(dim), 1 / dim, 1 / math.sqrt(dim * count), 1 / (dim * count), math.sqrt(dim), -1.0)


def usual_scales(asked, dims):
    """The asked scale, those of programs, and the asked one twice, each once."""
    found = []
    for scale in (asked, *usual(dims)[:-1], asked * asked):
        if not any(abs(scale / other - 1) < 2.0**-48 for other in found):
            found.append(scale)
    return found
