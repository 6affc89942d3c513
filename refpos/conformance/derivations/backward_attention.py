"""Error bounds of the gradients of attention: the softmax of the forward pass, and the sums of the backward pass."""

import math

import numpy as np

from ...scores.attention import ARGUMENTS, read_call, read_outputs
from ...steps.rows import learned_tables
from ...steps.scores import heads, ordered_sums, relative_gradients
from ...steps.scores.attention import EPS, LARGEST_LOGIT
from . import attention, running_error
from .backward import bounds_gradients, changed, numbers, once_more, sums, total
from .rounding_errors import unit_roundoff
from .running_error import Bounded


@bounds_gradients("attention")
def _attention(arguments, fmt):
    call = read_call(*(arguments[name] for name in ARGUMENTS))
    ((output,), _) = read_outputs(arguments["outputs"])
    dy, found = numbers(arguments["cotangent"], fmt), {}
    q, k = attention.vectors(call, fmt)
    products = attention.scaled_products(call, q, k, fmt)
    scores, counts = attention.exact_scores(call, products, fmt)
    change = dy
    if output != "scores":
        weights = running_error.softmax(scores, counts, attention.most_blocks(scores), kept_sums=True)
        change = _of_softmax(call, weights, dy, output)
        if output == "output":
            found["v"] = sums(_to_keys(call, call.v.shape), weights, dy)
    change = _counted(change, counts)
    if call.bias is not None:
        found["bias"] = _over(change, arguments["bias"].shape)
    if call.softcap is not None:
        change = _of_cap(call, change, products)
    if "cosine" in arguments and isinstance(arguments["cosine"], np.ndarray):
        found["cosine"] = _of_logits(arguments["cosine"], _counted(running_error.multiply(change, products), counts))
    factors = attention.factors(call, fmt)
    scaled = _counted(running_error.multiply(change, factors), counts)
    later = {"unscaled": change, "scale": factors.values}
    of_queries = sums(ordered_sums.matmul, scaled, _finite(k), **later)
    of_keys = sums(_to_keys(call, call.k.shape), scaled, _finite(q), **later)
    if call.normalised:
        by_query, by_key = (counts.any(axis)[..., None].astype(np.float64) for axis in (-1, -2))
        by_key = relative_gradients.to_shape(by_key, (*call.k.shape[:-1], 1))
        of_queries, of_keys = (
            _of_normalised(x, numbers(learned_tables.values(table), fmt), read > 0)
            for x, table, read in ((of_queries, call.q, by_query), (of_keys, call.k, by_key))
        )
    none = Bounded(*(np.zeros(() if call.v is None else call.v.shape) for _ in range(2)), fmt)
    return {"v": none, **found, "q": of_queries, "k": of_keys}


def _finite(x):
    """0 where numbers are not finite: what reads them has no bound."""
    held = np.isfinite(x.values)
    return changed(x, lambda part: np.where(held, part, 0.0))


def _counted(x, counts):
    """0 where a key does not count."""
    return changed(x, lambda part: np.where(counts, part, 0.0))


def _of_softmax(call, weights, dy, output):
    """w (w' - D): the sum D over the keys, or over the channels of the output, as flash-attention has it; both numbers
    may be multiplied by w before they are subtracted."""
    change = dy
    if output == "output":
        v = numbers(heads.repeated("v", learned_tables.values(call.v), call.lead), dy.fmt)
        change = running_error.scores(dy, v)
    mean = _dots(weights, change)
    if output == "output":
        by_channels = _dots(running_error.matmul(weights, v), dy)
        mean = mean._replace(error=np.maximum(mean.error, by_channels.error))
    return running_error.multiply(weights, running_error.subtract(once_more(change), once_more(mean)))


def _dots(a, b):
    """The sums of the products along the last axis, which they keep."""
    return running_error.last_axis(running_error.total(running_error.multiply(a, b)))


def _to_keys(call, shape):
    """The sums over the queries, and over the heads that share keys: (.., queries, keys) and (.., queries, n)."""

    def summed(a, b):
        return relative_gradients.to_shape(ordered_sums.matmul(a.swapaxes(-1, -2), b), shape)

    return summed


def _over(x, shape):
    """The sums over what an array of that shape, which broadcasts, has only once."""
    whole = (1,) * (x.values.ndim - len(shape)) + tuple(shape)
    over = [axis for axis, size in enumerate(whole) if size == 1]
    kept = [axis for axis in range(len(whole)) if axis not in over]

    def flat(part):
        part = part.transpose(*kept, *over)
        return part.reshape(*part.shape[: len(kept)], math.prod(part.shape[len(kept) :]))

    return changed(total(changed(x, flat)), lambda part: part.reshape(shape))


def _of_cap(call, change, products):
    """change (1 - t t), also as (change + change t) (1 - t), and with the cap multiplied by and divided by."""
    tangent, _ = attention.capped(call, products, change.fmt)
    square = once_more(once_more(running_error.multiply(tangent, tangent)))
    slope = running_error.subtract(numbers(1.0, change.fmt), square)
    return once_more(once_more(running_error.multiply(change, slope)))


def _of_logits(logits, x):
    """The sums for each head; of a logit that a program may find on the other side of its limit there is no bound."""
    heads = changed(x, lambda part: part.reshape(*part.shape[:-2] or (1,), *part.shape[-2:]))
    made = _over(heads, logits.shape if logits.ndim == 3 else (*logits.shape, 1, 1))
    error = made.error.reshape(logits.shape)
    off = unit_roundoff(x.fmt) * 2 * LARGEST_LOGIT
    beyond = logits - LARGEST_LOGIT
    error = np.where(beyond > off, 0.0, np.where(np.abs(beyond) <= off, np.inf, error))
    return Bounded(np.where(beyond > 0, 0.0, made.values.reshape(logits.shape)), error, x.fmt)


def _of_normalised(change, x, read):
    """(x' - y (y . x')) / n, or x' / n - y ((x' / n) . y), for y = x / n and n = max(norm, EPS); 0 for a vector that is
    not read."""
    y = attention.normalised(x)
    norm = attention.norms(x)
    along = running_error.multiply(y, once_more(once_more(_dots(y, change))))
    below = norm.values < EPS
    unclear = np.abs(norm.values - EPS) <= norm.error + unit_roundoff(x.fmt) * EPS
    along = changed(along, lambda part: np.where(below, 0.0, part))
    made = running_error.subtract(once_more(change), once_more(along))
    made = once_more(running_error.divide(made, attention.at_least_eps(norm)))
    return _counted(made._replace(error=np.where(unclear, np.inf, made.error)), read)
