"""Reading a linear bias: the slope of each head, what it is a multiple of, and the rule of the slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..errors import InputError
from ..relative.alibi import alibi
from ..relative.alibi_slopes import alibi_slopes
from ..types import Array
from .bias_calls import call_text, class_met, values_of
from .distance_kernels import read_kernel
from .held_format import held, narrowed
from .made import made_in
from .reading_result import Reading
from .slope_rules import rules_of, words_beside
from .wording import several, several_of

SLOPED = ("alibi", "alibi_slopes", "kerple", "decay")
KIND = "linear bias"
MASKED_BELOW = -1e4  # numbers of a mask, the same in all heads
NO_RULE = "of no rule that is known"
ANCHORS = {"query": "key - query", "key": "key", "last": "key - last key"}
#: modes in the order in which they are tried, each with the position from which it counts
FORMS = (("causal", "query"), ("symmetric", "query"), ("linear", "query"), ("clipped", "query"), ("linear", "key"),
         ("linear", "last"), ("causal", "key"), ("causal", "last"))  # fmt: skip


class Biases(NamedTuple):
    """Values (heads, queries, keys) as float64, their format, which elements are masked, what a call ends with, how
    often the heads are repeated, and what was seen."""

    values: Array
    format: str
    masked: Array
    ending: str
    notes: tuple[str, ...]


class Form(NamedTuple):
    """What slopes are multiplied with, (queries, keys): mode, anchor, position of the first query, distances, and the
    slopes that the numbers then have."""

    mode: str
    anchor: str
    start: int
    distances: Array
    slopes: Array


def read_slopes(y, name):
    """The `Reading` of a bias (.., heads, queries, keys), or of slopes (heads,) alone."""
    y = narrowed(held(y, "y"), "y")
    if len(y.shape) < 1 or not y.tensor.values.size:
        sentence = f"y must have the shape (heads, queries, keys) with at least one number, got {y.shape}"
        raise InputError("E_SHAPE", "y", sentence)
    if name == "alibi_slopes" or len(y.shape) == 1:
        return _alone(y)
    best = None
    for axis, ending in ((-3, ""), (-1, ".transpose(1, 2, 0)")):
        biases = _biases(y, axis, ending)
        if biases is None:
            continue
        found = _linear(biases, y)
        if found is None:
            found = read_kernel(biases, name)
        if found is not None and found.call is not None:
            return _entries(y, axis, found)
        best = best or (None if found is None else _entries(y, axis, found))
    return best or _none(y)


def _biases(y, axis, ending):
    """`Biases` of the first entry of the leading axes; None where y has no such axis."""
    values = y.numbers()
    if values.ndim == 2:
        if axis != -3:
            return None
        values, ending = values[None], "[0]"
    values = np.moveaxis(values, axis, -3)
    values = values.reshape(-1, *values.shape[-3:])[0]
    masked = (values == values[:1]).all(axis=0) & (values[0] <= (MASKED_BELOW if len(values) > 1 else -1e30))
    return Biases(values, y.format, masked, ending, (y.note,) if y.note else ())


def _entries(y, axis, found):
    """A reading of the first entry, with the entries that are others."""
    if len(y.shape) < 4:
        return found
    values = np.moveaxis(y.numbers(), axis, -3)
    flat = values.reshape(-1, *values.shape[-3:])
    off = np.flatnonzero((flat != flat[:1]).any(axis=(1, 2, 3)))
    if len(off):
        return replace(found, outside=(*found.outside, f"{several_of('entry', off, 'entries')} of the leading axes"))
    call = None if found.call is None else f"np.broadcast_to({found.call}, {y.shape})"
    return replace(found, call=call, elements=found.elements * len(flat))


def _none(y):
    values = y.numbers()
    summary = "no linear bias: no head is a slope times a distance, nor a kernel of one"
    if not np.isfinite(values).any():
        summary = "no number is finite"
    elif not values.any():
        summary = "every number is 0: nothing was written, or another buffer was read"
    return Reading("unknown", summary, y.format, notes=(y.note,) if y.note else ())


# -- slopes times distances -------------------------------------------------------------------------------------------


def _linear(biases, y):
    """The `Reading` of slopes times distances; None where no form has them."""
    forms = list(_forms(biases))
    if not forms:
        return None
    form = next((form for form in forms if (form.slopes >= 0).all()), forms[0])
    heads, tiles = _tiles(form.slopes)
    sign = "-" if (form.slopes <= 0).all() and (form.slopes < 0).any() else ""
    begin = f", queries from {form.start} on" if form.anchor == "query" and form.start != _usual(biases) else ""
    repeated = f", {tiles} times" if tiles > 1 else ""
    what = f"{KIND} of {heads} heads{repeated}, {form.mode}, by {ANCHORS[form.anchor]}{begin}"
    what += ", of the other sign" if sign else ""
    unnamed = words_beside(np.abs(form.slopes[:heads]), biases.format, {}) or NO_RULE
    base = Reading(KIND, f"{what}, slopes {several(form.slopes[:heads])} {unnamed}", biases.format,
                   slopes=form.slopes, notes=biases.notes)  # fmt: skip
    if not form.distances.any():
        return replace(base, summary=f"{KIND}: only distance 0, which tells no slope")
    slopes = -form.slopes if sign else form.slopes
    if (slopes[:heads] <= 0).any():
        return base
    for rule in rules_of(slopes[:heads], biases.format):
        found = _verified(base, biases, form, rule, (sign, tiles))
        if found is not None:
            return replace(found, summary=f"{what}, {rule.words}")
    return base


def _usual(biases):
    return biases.values.shape[2] - biases.values.shape[1]


def _tiles(slopes):
    """(heads, how often they are repeated), as in (batch * heads, 1, keys)."""
    for heads in range(1, len(slopes)):
        if len(slopes) % heads == 0 and heads > 1 and (slopes.reshape(-1, heads) == slopes[:heads]).all():
            return heads, len(slopes) // heads
    return len(slopes), 1


def _forms(biases):
    """The `Form`s that all numbers have."""
    values, told = biases.values, ~biases.masked
    _, queries, keys = values.shape
    query, key = np.arange(queries, dtype=np.int64)[:, None], np.arange(keys, dtype=np.int64)
    zero = np.flatnonzero((values[:, 0] == 0).all(axis=0) & told[0])
    starts = list(dict.fromkeys([keys - queries, 0, *zero[-1:].tolist()]))
    unit = float(np.ldexp(1.0, -formats.FORMATS[biases.format].precision))
    for mode, anchor in FORMS:
        for start in starts if anchor == "query" or mode == "causal" else starts[:1]:
            relative = key - query - start
            after = (relative > 0) & (mode == "causal")
            if (biases.masked != after).any():
                continue
            distances = {"query": relative, "key": key - 0 * query, "last": key - (keys - 1) - 0 * query}[anchor]
            distances = -abs(distances) if mode == "symmetric" else distances
            distances = np.where((relative > 0) & (mode in ("causal", "clipped")), 0, distances)
            slopes = _slopes(values, distances, told, unit)
            if slopes is not None:
                yield Form(mode, anchor, start, distances, slopes)


def _slopes(values, distances, told, unit):
    """The slope of each head, at the largest distance; None where other distances have another."""
    far = int(np.argmax(np.where(told, np.abs(distances), 0)))
    size = distances.reshape(-1)[far]
    slopes = values.reshape(len(values), -1)[:, far] / (size or 1)
    if not np.isfinite(slopes).all():
        return None
    for one, slope in zip(values, slopes):  # a head at a time
        meant = slope * distances[told]
        with np.errstate(invalid="ignore"):
            if not (np.abs(one[told] - meant) <= 8 * unit * np.abs(meant)).all():
                return None
    return slopes


def _verified(base, biases, form, rule, repeated):
    """The reading with the call whose bounds all numbers meet; None where they do not."""
    sign, tiles = repeated
    given, fmt = _arguments(biases, form, rule), biases.format
    sizes = (rule.heads, *biases.values.shape[1:])
    expected = rule.of(values_of(made_in(fmt, alibi, *sizes, **given), fmt))
    hidden = biases.masked & (biases.values[0] != expected[0])  # masked by another number
    kept = np.where(biases.masked, 0, biases.values[: len(rule.slopes)])
    expected = np.where(biases.masked, 0, -expected if sign else expected)
    call = dict(zip(("num_heads", "query_len", "key_len"), sizes)) | given
    met = class_met("alibi", call, fmt, kept, expected, rule.of)
    if met is None:
        return None
    text = sign + call_text("alibi", sizes, given, fmt)
    text = f"({text})" if sign and (rule.chosen or biases.ending) else text
    text += f"[{rule.chosen}]" if rule.chosen else ""
    text = f"np.tile({text}, ({tiles}, 1, 1))" if tiles > 1 else text
    rows, outside = np.flatnonzero(hidden.any(axis=1)), ()
    if len(rows):
        number = biases.values[0][hidden].flat[0]
        outside = (f"masked keys of {several_of('query', rows, 'queries')}, which hold {number:.6g}",)
    elements = int((~hidden).sum()) * len(rule.slopes) * tiles
    return replace(base, call=text + biases.ending, met=met, outside=outside, elements=elements)


def _arguments(biases, form, rule):
    """The arguments of `alibi` behind the sizes that are not its defaults."""
    given = {"mode": form.mode} if form.mode != "causal" else {}
    given |= {"anchor": form.anchor} if form.anchor != "query" else {}
    counts = form.anchor == "query" or form.mode == "causal"
    return given | rule.arguments | ({"query_offset": form.start} if counts and form.start != _usual(biases) else {})


def _alone(y):
    """The reading of slopes (heads,)."""
    values, notes = y.numbers().reshape(-1), (y.note,) if y.note else ()
    if values.size != max(y.shape) or not (np.isfinite(values) & (values > 0)).all():
        summary = "no slopes: they must be positive numbers of the shape (heads,)"
        return Reading("unknown", summary, y.format, notes=notes)
    unnamed = words_beside(values, y.format, {}) or NO_RULE
    base = Reading("slopes", f"slopes {several(values)} {unnamed}", y.format, slopes=values, notes=notes)
    for rule in rules_of(values, y.format):
        if "head_dim" in rule.arguments:
            continue
        made = rule.of(values_of(made_in(y.format, alibi_slopes, rule.heads, **rule.arguments), y.format))
        call = {"num_heads": rule.heads, **rule.arguments}
        met = class_met("alibi_slopes", call, y.format, values, made, rule.of)
        if met is not None:
            text = call_text("alibi_slopes", [rule.heads], rule.arguments, y.format)
            text += (f"[{rule.chosen}]" if rule.chosen else "") + (f".reshape{y.shape}" if len(y.shape) > 1 else "")
            return replace(base, summary=rule.words, call=text, met=met, elements=values.size)
    return base
