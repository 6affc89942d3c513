"""Which keys count: the masks that programs have, and the one that numbers of scores or weights show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...steps.rows import doubles
from ...types import Array
from ..written import Written

LOWEST = -1e30  # numbers below it stand for -infinity
FEWEST = 3  # equal numbers that are no coincidence
MOST_WINDOW = 16  # keys of a window, that are tried
IN_BIAS = "in the bias"


class Mask(NamedTuple):
    """A mask in words, as one array (True where a key counts) with its text, the arguments of attention that make it,
    and the number that programs write in place of -infinity."""

    text: str
    counts: Written | None
    arguments: dict[str, Written]
    below: float = -np.inf


NONE = Mask("none", None, {})


def asked_mask(inputs, queries, keys):
    """The mask that the call asks for."""
    return _with_bias(_joined(inputs.get("mask"), _given_causal(inputs), queries, keys), inputs)


def _given_causal(inputs):
    return inputs["causal"].value if "causal" in inputs else None


def _joined(mask, causal, queries, keys):
    """The mask of an array (or None) and of a causal rule (or None)."""
    if causal is None:
        return NONE if mask is None or mask.value is None else Mask("as given", mask, {"mask": mask})
    offset = keys - queries if causal == "lower-right" else 0
    rule = _triangle(queries, keys, offset)
    name = "causal" if queries == keys else f"causal {causal}"
    argument = {"causal": Written(repr(causal), causal)}
    if mask is None or mask.value is None:
        return Mask(name, rule, argument)
    both = Written(f"{mask.text} & {rule.text}", mask.value.astype(bool) & rule.value)
    return Mask(f"as given and {name}", both, {"mask": mask, **argument})


def _triangle(queries, keys, offset):
    end = f", {offset}" if offset else ""
    return Written(f"np.tri({queries}, {keys}{end}, dtype=bool)", np.tri(queries, keys, offset, dtype=bool))


def masks_of(inputs, queries, keys):
    """The masks that are tried, the asked one first, without repetition."""
    mask, causal = inputs.get("mask"), _given_causal(inputs)
    rules = dict.fromkeys((causal, None, "upper-left", *(("lower-right",) if queries != keys else ())))
    masks = [_joined(one, rule, queries, keys) for one in (mask, None) for rule in rules]
    if mask is not None and mask.value is not None:
        inverted = Written(
            f"~{mask.text}" if mask.value.dtype == bool else f"1 - {mask.text}", ~mask.value.astype(bool)
        )
        masks += [_joined(inverted, rule, queries, keys)._replace(text="of the keys that do not count")
                  for rule in rules if rule == causal]  # fmt: skip
    before = _triangle(queries, keys, -1)
    after = Written(f"np.tri({keys}, {queries}, dtype=bool).T", np.tri(keys, queries, dtype=bool).T)
    masks.append(Mask("causal without the diagonal", before, {"mask": before}))
    masks.append(Mask("the keys from the query on", after, {"mask": after}))
    both = [other for mask in masks for other in (_with_bias(mask, inputs), mask)]
    return list({mask.text: mask for mask in both[::-1]}.values())[::-1]


def bands_of(queries, keys):
    """Masks of a band of distances, the last queries at the last keys: windows, more or fewer keys, those behind."""
    last = keys - queries
    tri = f"np.tri({queries}, {keys}, {{}}, dtype=bool)"
    for ahead in (1, 2, -1, -2):
        text = f"causal with the diagonal offset {ahead:+d}"
        rule = Written(tri.format(last + ahead), np.tri(queries, keys, last + ahead, dtype=bool))
        yield Mask(text, rule, {"mask": rule})
    for size in range(1, min(MOST_WINDOW, keys) + 1):
        sides = {f"causal in a window of {size} keys": last}
        sides[f"a window of {size - 1} keys on each side"] = last + size - 1
        for text, end in sides.items():
            band = np.tri(queries, keys, end, dtype=bool) & ~np.tri(queries, keys, last - size, dtype=bool)
            rule = Written(f"{tri.format(end)} & ~{tri.format(last - size)}", band)
            yield Mask(text, rule, {"mask": rule})
    after = Written(f"~{tri.format(last - 1)}", ~np.tri(queries, keys, last - 1, dtype=bool))
    yield Mask("causal reversed: the keys from the query on", after, {"mask": after})


def _with_bias(mask, inputs):
    """The mask and that of a bias in which -infinity, or a number like it, stands for keys that do not count."""
    bias = inputs.get("bias")
    if bias is None or bias.value is None:
        return mask
    values = doubles.read("bias", bias.value)[0]
    if (values > LOWEST).all():
        return mask
    own = Written(f"({bias.text} > {LOWEST:g})", values > LOWEST)
    if mask.counts is None:
        return Mask(IN_BIAS, own, {})
    joined = Written(f"{mask.counts.text} & {own.text}", mask.counts.value.astype(bool) & own.value)
    return Mask(f"{mask.text} and {IN_BIAS}", joined, mask.arguments)


def mask_of_scores(values, inputs):
    """(the `Mask` of scores, which of them count)."""
    low = ~(values > LOWEST)  # NaN too
    if not low.any():
        return _by_one_number(values, inputs)
    below = float(np.where(low & ~np.isnan(values), values, 0.0).min())
    kind = np.isnan(values)
    mask = _mask_of_keys(~low, inputs)
    if mask is not None:
        return mask._replace(below=below), ~low & ~kind
    own = Written(f"y > {LOWEST:g}", ~low)
    return Mask("of no rule that is known", own, {"mask": own}, below), ~low & ~kind


def _by_one_number(values, inputs):
    """The same where all scores are moderate: a mask whose keys have the least number, such as -10000, each."""
    least = values.min(initial=0.0)
    counts = values != least
    hidden = counts.size - np.count_nonzero(counts)
    mask = _mask_of_keys(counts, inputs) if least < 0 and FEWEST <= hidden < counts.size else None
    if mask is None:
        return NONE, np.ones(values.shape, bool)
    return mask._replace(below=float(least)), counts


def _mask_of_keys(counts, inputs):
    """The `Mask` by whose rule just these keys count; None where there is none."""
    for mask in masks_of(inputs, *counts.shape[-2:]):
        if mask.counts is not None and (np.broadcast_to(mask.counts.value, counts.shape) == counts).all():
            return mask
    return None


def mask_of_weights(values, inputs):
    """(the `Mask` of weights, which of them count)."""
    queries, keys = values.shape[-2:]
    some = values > 0
    if some.all():
        return NONE, some
    best = None
    for mask in masks_of(inputs, queries, keys):
        counts = np.ones(values.shape, bool)
        if mask.counts is not None:
            counts = np.broadcast_to(mask.counts.value, values.shape).astype(bool)
        if not (some & ~counts).any() and (best is None or counts.sum() < best[1]):
            best = mask, counts.sum()
    if best is not None and best[1] <= some.sum() + values.size // 50:
        return best[0], some
    own = Written("y > 0", some)
    return Mask("of no rule that is known", own, {"mask": own}), some


def bias_below(mask, bias, shape):
    """The bias of attention that has the number of a mask in place of -infinity, as written; None for the same."""
    values = 0.0 if bias is None else doubles.read("bias", bias.value)[0]
    text = "0.0" if bias is None else bias.text
    counts: Array = np.broadcast_to(mask.counts.value, shape).astype(bool)
    return Written(f"np.where({mask.counts.text}, {text}, {mask.below!r})", np.where(counts, values, mask.below))
