"""Reading scores, weights and outputs of attention: the coefficient of each known part, the mask, and the call."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from ...errors import InputError
from ..coefficients import coefficient_text
from ..reading_result import Reading
from ..solving import unit_of
from ..wording import number, runs
from ..written import Masked
from .calls_of_parts import calls_of
from .few_queries import is_refuted
from .rotated_inputs import as_asked
from .score_checks import checked_scores
from .score_inputs import transposed
from .score_masks import NONE, asked_mask, mask_of_scores, mask_of_weights, masks_of
from .score_outputs import guesses
from .score_parts import Part
from .score_ways import coefficients_of, solved_ways

KINDS = {"scores": "scores", "weights": "attention weights", "output": "attention output"}
SUM = 2.0**-6  # that sums of weights may be off 1
DEEP = -5000.0  # scores below it may have the number of a mask
LEFT, MOST_LEFT = 1e-2, 0.1  # of the numbers, what is said to be left over, and what no known part explains


def read_scores(y, name, inputs):
    """The `Reading` of scores, weights or an output, `Held`, by the inputs of a function, `Written` by name."""
    shape, inputs = checked_scores(y, name, inputs)
    inputs, values, dims = as_asked(inputs), y.numbers(), _dims(inputs)
    if not values.any():
        return Reading("unknown", "every number is 0: nothing was written, or another buffer was read", y.format)
    kind, axis = _kind(values, inputs)
    wanted = (*shape[:-1], inputs["v"].value.shape[-1]) if kind == "output" else shape
    if y.shape != wanted:
        raise InputError("E_SHAPE", "y", f"y must have the shape {wanted} of {KINDS[kind]}, got {y.shape}")
    if kind == "output":
        found = (
            (one.solved, [one.coefficients], one.mask, one.exchanged)
            for one in guesses(name, inputs, values, dims, unit_of(y.format))
        )
    else:
        found = _solutions(y.format, name, inputs, values, kind, axis)
    first = None
    for solved, choices, mask, exchanged in found:
        for coefficients in choices or coefficients_of(solved, dims):
            first = first or (solved, coefficients, mask, exchanged)
            for call in calls_of(name, solved.way, coefficients, mask, kind):
                verdict = _verdict(call._replace(exchanged=exchanged), y)
                if verdict is not None and verdict.kind is not None:
                    told = _reading(y, inputs, kind, dims, solved, coefficients, mask, exchanged)
                    return _with_call(told, call._replace(exchanged=exchanged), y, verdict)
    if first is None:
        shape = " x ".join(map(str, y.shape))
        return Reading("unknown", f"no {KINDS[kind]} of these inputs: too few of {shape} numbers are finite", y.format)
    return _reading(y, inputs, kind, dims, *first, first[0].fit.left)


def _dims(inputs):
    """(channels of a head, heads) of the queries."""
    first = inputs["q"] if "q" in inputs else inputs["x"]
    return first.value.shape[-1], first.value.shape[-3] if first.value.ndim > 2 else 1


def _kind(values, inputs):
    """(scores, weights or output, the axis over which weights add up to 1)."""
    asked = inputs.get("outputs")
    if asked is not None:
        return asked.value, -1
    given = inputs.get("v")
    if "q" in inputs and given is not None and given.value is not None and "projected" not in inputs:
        if values.shape[-1] == given.value.shape[-1] != inputs["k"].value.shape[-2]:
            return "output", -1
    known = values[np.isfinite(values)]
    if known.size and (known >= 0).all() and (known <= 1 + SUM).all():
        for axis in (-1, -2):
            sums = values.sum(axis=axis)  # NaN where no key counts
            if ((np.abs(sums - 1) < SUM) | (sums == 0) | np.isnan(sums)).all():
                return "weights", axis
    scores = given is None or given.value is None or "projected" in inputs
    return ("scores" if scores or values.shape[-1] != given.value.shape[-1] else "output"), -1


def _solutions(fmt, name, inputs, values, kind, axis):
    """(solution, None for the coefficients of it, mask, whether the softmax is over the queries)."""
    exchanged = _exchanged(name, inputs) if axis == -2 else None
    if exchanged is not None:
        values, inputs = np.swapaxes(values, -1, -2), exchanged
    mask, counts = (mask_of_scores if kind == "scores" else mask_of_weights)(values, inputs)
    masks = [(mask, ())]
    if kind == "scores" and name == "attention" and mask is NONE and values.min(initial=0.0) < DEEP:
        masks += _added(inputs, values)
    for one, extra in masks:
        for solved in solved_ways(name, inputs, values, counts, fmt, extra, kind, axis == -2 and exchanged is None):
            yield solved, None, one, axis == -2


def _exchanged(name, inputs):
    """The inputs of weights whose softmax is over the queries, with these in place of the keys; None where they
    cannot be exchanged."""
    if name != "attention" or inputs["q"].value.shape[:-2] != inputs["k"].value.shape[:-2]:
        return None
    made = {**inputs, "q": inputs["k"], "k": inputs["q"]}
    for one in ("bias", "mask"):
        if inputs.get(one) is not None and np.ndim(inputs[one].value) > 1:
            made[one] = transposed(inputs[one])
    return made


def _added(inputs, values):
    """(mask, the part that it is) of masks that programs add as a number."""
    for mask in masks_of(inputs, *values.shape[-2:]):
        if mask.counts is not None:
            yield mask, (Part("mask", 1.0 - np.broadcast_to(mask.counts.value, values.shape).astype(float), 0.0),)


def _verdict(call, y):
    """`Verified` of a call; None where refpos does not take it."""
    with contextlib.suppress(InputError):
        plain = isinstance(call, Masked) and call.mask is NONE and not call.exchanged
        return None if plain and is_refuted(call.call, y.tensor) else call.verdict(y.tensor)
    return None


def _with_call(told, call, y, verdict):
    off = np.flatnonzero(~verdict.within)
    outside = (f"queries {runs(off)}",) if len(off) else ()
    size = y.tensor.values.size
    return replace(told, call=call.text(y.format), met=verdict.kind, elements=size, outside=outside)


def _reading(y, inputs, kind, dims, solved, coefficients, mask, exchanged, left=0.0):
    """The `Reading` without a call; left: what is left of the numbers, where no call has been verified."""
    way, queries = solved.way, y.shape[-2]
    keys = inputs["k"].value.shape[-2] if kind == "output" and "k" in inputs else y.shape[-1]
    words = [f"{KINDS[kind]} of {dims[1]} head{'s' if dims[1] > 1 else ''}, {queries} queries, {keys} keys: "]
    if left > MOST_LEFT:
        parts = " + ".join(f"{value:.3g} {part.name}" for part, value in zip(way.parts, solved.fit.values))
        left = f"the known parts do not explain them, {parts} leaves {number(f'{100 * left:.2g}')} %"
        return Reading("unknown", words[0] + left, y.format, notes=(y.note,) if y.note else ())
    told = _parts_text(way, coefficients)
    told += [way.text] if way.text else []
    told += ["softmax over the queries"] if exchanged else []
    told += _mask_text(inputs, mask, queries, keys, coefficients)
    if left > max(LEFT, 64 * unit_of(y.format)):
        told.append(f"which leaves {number(f'{100 * left:.2g}')} % of the numbers unexplained")
    summary = words[0] + ", ".join(told)
    notes = (y.note,) if y.note else ()
    return Reading(KINDS[kind], summary, y.format, coefficients=dict(coefficients), notes=notes, left=left)


def _parts_text(way, coefficients):
    """The parts with their coefficients, those of one coefficient together."""
    groups = {}
    for part in way.parts:
        text = _part_text(part, coefficients[part.name], way)
        if text is not None:
            groups.setdefault(text, []).append(part.name)
    return [" ".join(filter(None, (" and ".join(filter(None, (", ".join(names[:-1]), names[-1]))), text)))
            if names != ["soft cap"] else text for text, names in groups.items()]  # fmt: skip


def _part_text(part, value, way):
    """The coefficient of a part, and the asked one where it is another; None of what is neither there nor asked."""
    if part.name == "soft cap":
        times = "" if value == 1 else f", times {coefficient_text(value)}"
        return f"q.k {coefficient_text(way.capped)} in a soft cap of {number(way.inputs['softcap'].value)}{times}"
    if value == part.asked == 0 or (part.name == "mask"):
        return None
    asked = "" if value == part.asked else f" (asked {coefficient_text(part.asked)})"
    return f"{coefficient_text(value)}{asked}"


def _mask_text(inputs, mask, queries, keys, coefficients):
    """The mask, and the asked one where it is another."""
    asked = asked_mask(inputs, queries, keys)
    below = coefficients.get("mask", mask.below)
    if mask.text == asked.text and (mask is NONE or below == -np.inf):
        return [] if mask is NONE else [f"mask {mask.text}"]
    by = "" if below == -np.inf or mask is NONE else f" by {number(below)}"
    return [f"mask {mask.text}{by}" + (f" (asked {asked.text})" if mask.text != asked.text else "")]
