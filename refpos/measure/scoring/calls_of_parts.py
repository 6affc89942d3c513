"""The calls of refpos whose scores have given coefficients of their parts."""

from __future__ import annotations

import math

import numpy as np

from ..written import Call, Masked, Written
from .score_masks import IN_BIAS, NONE, bias_below
from .softmaxed import Softmaxed

ABSENT = Written("None", None)


def calls_of(name, way, coefficients, mask, kind):
    """The calls that are tried, as `Masked` or `Softmaxed`; kind: scores, weights or output."""
    if name == "attention":
        call = _attention(way, coefficients, mask, kind)
        return [] if call is None else [Masked(call, NONE)]
    made = Masked if kind == "scores" else Softmaxed
    return [made(call, mask) for call in CALLS[name](way, coefficients) if call is not None]


def times(factor, array):
    """An input times a number."""
    if factor == 1:
        return array
    if factor == -1:
        return Written(f"-{array.text}", -array.value)
    return Written(f"{_plain(factor)!r} * {array.text}", _plain(factor) * array.value)


def _plain(number):
    return int(number) if number == np.rint(number) and abs(number) < 2**53 else float(number)


def _scaled(scale, dim):
    """The argument `scale`, left out where it is that of the default."""
    return {} if scale == 1 / math.sqrt(dim) else {"scale": Written(repr(_plain(scale)), _plain(scale))}


def _attention(way, coefficients, mask, kind):
    inputs, given = way.inputs, dict(coefficients)
    added, factor = given.pop("mask", None), given.pop("bias", 0.0)
    arguments = {"q": inputs["q"], "k": inputs["k"], "v": inputs["v"] if kind == "output" else ABSENT}
    bias = times(factor, inputs["bias"]) if factor else None
    if added is not None:
        mask = mask._replace(below=added)
        total = Written(f"np.where({mask.counts.text}, 0, {added!r})", np.where(mask.counts.value, 0.0, added))
        bias = total if bias is None else Written(f"{bias.text} + {total.text}", bias.value + total.value)
    elif mask.below != -np.inf and kind == "scores" and mask.text != IN_BIAS:
        bias = bias_below(mask, bias, (*inputs["q"].value.shape[:-1], inputs["k"].value.shape[-2]))
    else:
        arguments |= mask.arguments
    if bias is not None:
        arguments["bias"] = bias
    scale = given.get("q.k")
    if way.after and factor:
        return None
    if way.capped is not None:
        if given["soft cap"] != 1:
            return None
        scale = way.capped
    if way.capped is not None or way.after:
        arguments["softcap"] = inputs["softcap"]
    if not scale:
        return None
    arguments |= _scaled(scale, inputs["q"].value.shape[-1])
    return Call("attention", {**arguments, "outputs": Written(repr(kind), kind)})


def _content(inputs, scale):
    """The call without positions."""
    arguments = {"q": inputs["q"], "k": inputs["k"], "v": ABSENT, **_scaled(scale, inputs["q"].value.shape[-1])}
    return Call("attention", {**arguments, "outputs": Written("'scores'", "scores")})


def _xl(way, coefficients):
    inputs, scale = way.inputs, coefficients["q.k"]
    known = {name: coefficients.get(name, 0.0) for name in ("u.k", "v.k", "q.p", "u.p", "v.p")}
    if not scale:
        if known.pop("q.p") and not any(known.values()):
            yield _relative_call(inputs["q"], inputs["projected"], inputs["rows"], coefficients["q.p"])
        return
    if not any(coefficients[name] for name in coefficients if name != "q.k"):
        yield _content(inputs, scale)
        return
    ratio = known["q.p"] / scale
    u = _bias(inputs, scale, {"u": known["u.k"], "v": known["v.k"]})
    v = _bias(inputs, known["q.p"], {"v": known["v.p"], "u": known["u.p"]})
    if u is None or v is None:
        return
    arguments = {"q": inputs["q"], "k": inputs["k"], "projected": times(ratio, inputs["projected"])}
    arguments |= {"rows": inputs["rows"], "u": u, "v": v, **_scaled(scale, inputs["q"].value.shape[-1])}
    if coefficients.get("q.segment"):
        s = _bias(inputs, coefficients["q.segment"], {"s": coefficients.get("s.segment", 0.0)})
        if s is None:
            return
        arguments["segments"] = times(coefficients["q.segment"] / scale, inputs["segments"])
        arguments |= {"segment_rows": inputs["segment_rows"], "s": s}
    yield Call("xl_scores", arguments)


def _bias(inputs, scale, of_each):
    """The one bias beside the queries, times what it has more than these; None where there is no such one."""
    kept = {name: value for name, value in of_each.items() if value}
    if not kept:
        return ABSENT
    if len(kept) > 1 or not scale:
        return None
    ((name, value),) = kept.items()
    return times(_ratio(value, scale), inputs[name])


def _relative_call(x, weight, rows, scale, by="query"):
    arguments = {"x": x, "weight": weight, "rows": rows, "by": Written(repr(by), by)}
    if scale != 1:
        arguments["scale"] = Written(repr(_plain(scale)), _plain(scale))
    return Call("relative_scores", arguments)


def _deberta(way, coefficients):
    inputs, scale = way.inputs, coefficients["q.k"]
    tables = {"c2p": "key_table", "p2c": "query_table"}
    own = {part: coefficients[part] for part in tables if part in coefficients}
    if not scale:
        return
    if not any(own.values()):
        yield _content(inputs, scale)
        return
    asked = 1 / math.sqrt(inputs["q"].value.shape[-1] * (1 + len(own)))
    factors = {"c2p": own.get("c2p", 0.0) / scale, "p2c": own.get("p2c", 0.0) / asked}
    arguments = {"q": times(_ratio(scale, asked), inputs["q"]), "k": inputs["k"]}
    for part, table in tables.items():
        arguments[table] = times(_ratio(factors[part], 1.0), inputs[table]) if part in own else ABSENT
    arguments |= {name: inputs[name] for name in ("rows", "scaling", "query_rows") if name in inputs}
    yield Call("deberta_scores", arguments)
    if not own.get("p2c") and "key_table" in inputs:
        table = times(factors["c2p"], inputs["key_table"])
        arguments = {"q": inputs["q"], "k": inputs["k"], "projected": table, "rows": inputs["rows"]}
        yield Call("xl_scores", {**arguments, "u": ABSENT, "v": ABSENT, **_scaled(scale, table.value.shape[-1])})


def _ratio(one, other):
    """A quotient, 1 where rounding alone keeps it from it."""
    return 1.0 if abs(one / other - 1) < 2.0**-50 else one / other


def _relative(way, coefficients):
    inputs, by = way.inputs, way.inputs["by"].value
    position = coefficients.get("q.p", coefficients.get("k.p", 0.0))
    scale = coefficients.get("q.k", 0.0)
    if not scale:
        if position:
            yield _relative_call(inputs["x"], inputs["weight"], inputs["rows"], position, by)
        return
    given = {"q": inputs["x"], "k": inputs["k"]}
    if not position:
        yield _content(given, scale)
        return
    arguments = {**given, "projected": times(_ratio(position, scale), inputs["weight"]), "rows": inputs["rows"]}
    yield Call("xl_scores", {**arguments, "u": ABSENT, "v": ABSENT, **_scaled(scale, inputs["x"].value.shape[-1])})


#: {function: the calls of its parts}
CALLS = {"xl_scores": _xl, "deberta_scores": _deberta, "relative_scores": _relative}
