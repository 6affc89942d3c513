"""Some queries of attention: its inputs for them, and a look at a call that all of them refute."""

from __future__ import annotations

import numpy as np

from ..verification import any_within
from ..written import Call, Written
from .score_masks import asked_mask

LOOKED_AT = 16  # queries of each head, of which one must lie within some bound of a call


def spread(count, most):
    """So many queries, evenly spread."""
    return np.linspace(0, count - 1, min(most, count)).astype(np.intp)


def for_queries(arrays, chosen):
    """Those of the `Written` arrays, by name, that have a row for each query, with some of these rows."""
    count, taken = arrays["q"].value.shape[-2], {}
    for name in ("q", "bias", "mask"):
        one = arrays.get(name)
        if one is not None and np.ndim(one.value) > 1 and one.value.shape[-2] == count:
            errors = one.errors and {kind: error[..., chosen, :] for kind, error in one.errors.items()}
            taken[name] = Written(one.text, one.value[..., chosen, :], errors)
    return {**arrays, **taken}


def is_refuted(call, y):
    """Whether no query of a few has numbers of `y`, a `Tensor`, within the bounds of a call of attention."""
    count = y.values.shape[-2]
    if call.function != "attention" or count <= 2 * LOOKED_AT:
        return False
    chosen = spread(count, LOOKED_AT)
    arguments = for_queries(call.arguments, chosen)
    if "causal" in arguments:
        rule = asked_mask({"causal": arguments.pop("causal")}, count, call.arguments["k"].value.shape[-2])
        rows, mask = rule.counts.value[chosen], arguments.get("mask")
        given = mask is not None and mask.value is not None
        arguments["mask"] = Written("", rows & mask.value.astype(bool) if given else rows)
    some = Call("attention", arguments)
    answers = y._replace(values=np.ascontiguousarray(y.values[..., chosen, :]))
    return not any_within(answers, some.values(y.dtype), some.limits(y.dtype))
