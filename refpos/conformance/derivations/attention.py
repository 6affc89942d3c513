"""Error bounds of attention: its scores, its weights, and the weighted sums of values."""

import math
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary
from ...scores.attention import read_call, read_outputs
from ...steps.rows import learned_tables
from ...steps.scores import attention as steps
from ...steps.scores import heads, ordered_sums
from ..classes import CLASSES, FLOAT32, WEIGHTS16
from ..registry import error_bound
from . import running_error
from .rounding_errors import INFLATE, underflow_error, unit_roundoff
from .running_error import Bounded

#: a program may scale queries and keys, each by a rounded root of the scale, in place of the scores
SCALING = 6
#: a program that reads the keys in blocks has at least so many in each but the last
BLOCK = 16
#: units of a scale: a root and a quotient here and there
SCALE = 4
#: results that 16 bits round: of a scale its root and quotient; queries and keys that are both times a root
ROOT = VECTORS = 2
TOGETHER = 1 << 14  # scores of a head, from which on the bounds of each are derived by themselves


@error_bound("attention")
def _attention(arguments, fmt):
    return of_inputs(arguments, fmt)


def of_inputs(arguments, fmt, inherited=None, roots=False):
    """{class: {output: bounds}}. inherited: {class: (how far q of a program is from the argument, k)}; roots: whether
    one in 16 bits may multiply queries and keys by the root of the scale, not only one of them by the scale."""
    arrays = [arguments[name] for name in ("q", "k", "v", "bias", "mask")]
    options = [arguments[name] for name in ("causal", "scale", "softcap", "cosine")]
    call = read_call(*map(_bare, arrays), *options[:3], _bare(options[3]))
    names, _ = read_outputs(arguments["outputs"])
    if not math.prod(call.lead) or call.q.shape[-2] * call.k.shape[-2] < TOGETHER:
        return _limits(call, fmt, names, inherited, roots)
    found = {}
    for index in np.ndindex(call.lead):
        of_head = _limits(_head(call, index), fmt, names, inherited and _of_head(call, inherited, index), roots)
        for kind, parts in of_head.items():
            whole = found.setdefault(kind, {})
            for output, limit in parts.items():
                whole.setdefault(output, np.empty((*call.lead, *limit.shape[1:])))[index] = limit[0]
    return found


def _head(call, index):
    """The call of one head, with one leading axis of length 1."""
    q, bias = (part and part._replace(patterns=part.patterns[index][None]) for part in (call.q, call.bias))
    k, v = (part and part._replace(patterns=part.patterns[call.key_head(index)][None]) for part in (call.k, call.v))
    mask = None if call.mask is None else call.mask[index][None]
    return call._replace(q=q, k=k, v=v, bias=bias, mask=mask, factors=call.factors[index][None])


def _of_head(call, inherited, index):
    """What a program inherits of the queries and the keys of one head."""
    places = index, call.key_head(index)
    return {kind: tuple(part[at][None] for part, at in zip(both, places)) for kind, both in inherited.items()}


def _limits(call, fmt, names, inherited, roots):
    """The same of a call that was read, for outputs of these names."""
    with np.errstate(all="ignore"):
        known = _exact(call, names)
        exact = _program(call, running_error.SEQUENCES["sequence64"], known)
        programs = {
            name: _program(
                call, arithmetic, known, inherited and inherited[name], fmt if name == WEIGHTS16 else None, roots
            )
            for name, arithmetic in arithmetics(fmt).items()
            if name != "sequence64" or inherited is not None or roots
        }
        return {
            name: {
                output: running_error.bound(programs.get(name, exact)[output], exact[output], fmt) for output in names
            }
            for name in arithmetics(fmt)
        }


def arithmetics(fmt):
    """{class: the format that each step is rounded to} of programs whose outputs are in fmt."""
    found = {WEIGHTS16: FLOAT32, **running_error.sequences(fmt)} if fmt.width == 16 else running_error.sequences(fmt)
    return {name: found[name] for name in CLASSES if name in found}


def _bare(array):
    """The array of a `Tensor`, whose bit patterns are uint16 where it is bfloat16."""
    return getattr(array, "values", array)


def _program(call, fmt, known, inherited=None, narrow=None, roots=False):
    """{output: `Bounded`} of a program that computes in fmt; known: what the call gives, which is the same for all;
    narrow: the format that it rounds weights to before it multiplies the values."""
    products = scaled_products(call, *vectors(call, fmt, inherited), fmt, roots)
    scores = _of_products(call, products, known.scores, known.counts, fmt)
    if known.weights is None:
        return {"scores": scores}
    weights = running_error.softmax(scores, known.counts, rescalings=most_blocks(scores), values=known.weights)
    weights = weights if narrow is None else narrowed(weights, narrow)
    found = {"scores": scores, "weights": weights}
    return found if known.output is None else {**found, "output": _output(call, weights, known.output, fmt)}


def narrowed(weights, narrow):
    """Exponentials, the largest of which is 1 or was in its block, rounded to 16 bits for their products with the
    values, and it may be for their sum."""
    relative, n = 2 * unit_roundoff(narrow), weights.values.shape[-1]
    error = weights.error + relative * (weights.values + weights.error) + (n + 1) * underflow_error(narrow)
    return weights._replace(error=np.where(weights.values > 0, error * INFLATE, 0.0))


def vectors(call, fmt, inherited=None):
    """The queries and the keys of each of their heads, by their norms where a program divides by these."""
    q, k = running_error.from_input(_values(call.q), fmt), running_error.from_input(_of_heads(call, call.k), fmt)
    if inherited is not None:
        left, right = inherited
        q = q._replace(error=q.error + left)
        k = k._replace(error=k.error + heads.repeated("k", right, call.lead))
    return (normalised(q), normalised(k)) if call.normalised else (q, k)


def scaled_products(call, q, k, fmt, roots=False):
    """The products of queries and keys times the scale."""
    return running_error.multiply(_products(q, k, VECTORS if roots else _inexact(call)), factors(call, fmt))


def _inexact(call):
    """Of each head 1, or 0 where its scale is a power of two, which changes no last bit."""
    return (np.frexp(call.factors)[0] != 0.5).astype(np.float64)[..., None, None]


def capped(call, products, fmt):
    """(the hyperbolic tangents, the products after the softcap)."""
    cap = running_error.from_input(call.softcap, fmt)
    tangent = running_error.activate("tanh", running_error.divide(products, cap))
    return tangent, running_error.multiply(tangent, cap)


def exact_scores(call, products, fmt):
    """The scores (*lead, queries, keys) of scaled products, and which keys count."""
    values, counts = _scores(call)
    return _of_products(call, products, values, counts, fmt), counts


def _of_products(call, products, values, counts, fmt):
    """The scores of scaled products, with their exact values and which keys count."""
    s = products if call.softcap is None else capped(call, products, fmt)[1]
    if call.bias is not None:
        s = running_error.add(s, running_error.from_input(np.where(counts, _values(call.bias), 0.0), fmt))
    return Bounded(values, np.where(counts, s.error, 0.0), fmt)


def most_blocks(scores):
    """How many blocks a program reads the keys in at most."""
    return -(-scores.values.shape[-1] // BLOCK)


def _products(q, k, results):
    """Products of queries and keys, of which a program may scale each before; in 16 bits it rounds so many of both."""
    products = running_error.scores(q, k)
    left, right = (np.abs(part.values) + part.error for part in (q, k))
    whole = ordered_sums.matmul(left, right.swapaxes(-1, -2))
    lost = underflow_error(q.fmt) * (ordered_sums.total(left)[..., None] + ordered_sums.total(right)[..., None, :])
    error = products.error + (running_error.step_roundoff(q.fmt, SCALING, results) * whole + 2 * lost) * INFLATE
    held = whole < math.ldexp(1.0, q.fmt.largest)  # what is larger may overflow
    return products._replace(error=np.where(held, error, np.inf))


def factors(call, fmt):
    """The scale: a rounded root and quotient, or the exponential of a logit that a program rounds."""
    factors = call.factors[..., None, None]
    units, results = SCALE, ROOT * _inexact(call)
    if call.normalised:
        logits = 2 * np.abs(elementary.log(np.where(factors > 0, factors, 1.0)))
        units, results = running_error.LIBRARY + SCALE + logits, 1 + logits
    relative = running_error.step_roundoff(fmt, units, results)
    return Bounded(factors, relative * np.abs(factors) + underflow_error(fmt), fmt)


def normalised(x):
    """Each row by its norm, which is at least EPS."""
    return running_error.divide(x, at_least_eps(norms(x)))


def norms(x):
    """The norm of each row, (rows, 1)."""
    return running_error.last_axis(running_error.root(running_error.total(running_error.multiply(x, x))))


def at_least_eps(norm):
    """The norm that a row is divided by."""
    error = norm.error + unit_roundoff(norm.fmt) * steps.EPS
    return Bounded(np.maximum(norm.values, steps.EPS), error, norm.fmt)


def _output(call, weights, values, fmt):
    """The weighted sums; what is not finite in them has no bound, so v is taken as 0 where it is not."""
    numbers = _of_heads(call, call.v)
    v = running_error.from_input(np.where(np.isfinite(numbers), numbers, 0.0), fmt)
    return running_error.matmul(weights, v)._replace(values=values)


class Exact(NamedTuple):
    """What a call gives: the scores of all heads, which keys count, and the weights and the output, None where the call
    has none of them."""

    scores: np.ndarray
    counts: np.ndarray
    weights: np.ndarray | None
    output: np.ndarray | None


def _exact(call, names):
    """`Exact` for the outputs of these names."""
    scores, counts = _scores(call)
    if set(names) == {"scores"}:
        return Exact(scores, counts, None, None)
    weights = ordered_sums.softmax(scores, counts)
    if call.v is None:
        return Exact(scores, counts, weights, None)
    output = np.empty((*call.q.shape[:-1], call.v.shape[-1]))
    for index in np.ndindex(call.lead):
        v = steps.head_numbers(call.v, call.key_head(index))
        output[index] = steps.weighted(weights[index], v, counts[index])
    return Exact(scores, counts, weights, output)


def _scores(call):
    """The scores of all heads and which keys count."""
    shape = (*call.q.shape[:-1], call.k.shape[-2])
    values, counts = np.empty(shape), np.empty(shape, bool)
    for index in np.ndindex(call.lead):
        (values[index],), (counts[index],) = steps.scores(call, [(index, steps.EVERY)])
    return values, counts


def _values(table):
    return learned_tables.values(table)


def _of_heads(call, table):
    """The numbers of keys or values for each head of the queries."""
    numbers = _values(table)
    return heads.repeated("k", numbers, call.lead)
