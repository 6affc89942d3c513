"""Gradients of scaled dot product attention of the class `sequence64`, one head of the queries at a time.

    V'[j, c] = sum over i of w[i, j] dy[i, c];   w'[i, j] = sum over c of dy[i, c] v[j, c]
    s'[i, j] = w[i, j] (w'[i, j] - sum over j of w[i, j] w'[i, j]);   x' = s' (1 - t t),  t = tanh(x / softcap)
    a' = scale x';   q'[i] = sum over j of a'[i, j] k[j];   k'[j] = sum over i of a'[i, j] q[i]

A pair whose key does not count takes part in no sum, and a vector of no other pair has the gradient 0. Each sum is from
0 with its index ascending. What several heads share is a sum for each of them, and these are added from 0, the head
ascending. So the gradient of a bias is a sum over the keys where all have the same, then over the queries, then over
the heads.
"""

import numpy as np

from ...arithmetic import elementary
from ...kernels.threads import for_blocks
from . import attention, ordered_sums


def gradients(call, cotangent, output, wanted, held=None, threads=None):
    """{name: float64 gradient} of each name of `wanted`, {name: shape}: "q", "k", "v", "bias" and "cosine".

    cotangent: a `Table` of the shape of the output "scores", "weights" or "output". held: where a logit is at its
    limit, which has the gradient 0, of the shape of "cosine".
    """
    sums = {name: np.zeros(shape) for name, shape in {"q": call.q.shape, "k": call.k.shape, **wanted}.items()}
    group = call.lead[-1] // call.k.shape[-3] if call.lead and call.k.shape[-3] else 1

    def work(first, last):
        for own in parts[first:last]:
            read = np.zeros(call.k.shape[-2], bool)
            for place in range(group):
                head = (*own[:-1], own[-1] * group + place) if own else ()
                read |= _add_head(sums, call, cotangent, output, head).any(0)
            if call.normalised:
                sums["k"][own] = of_normalised(sums["k"][own], attention.head_numbers(call.k, own), read)

    parts, pairs = list(np.ndindex(call.k.shape[:-2])), call.q.shape[-2] * call.k.shape[-2]
    # what heads share is added in their order, on one thread
    together = len(parts) if "bias" in sums or "cosine" in sums else attention.TOGETHER // max(1, group * pairs)
    for_blocks(work, len(parts), max(1, together), threads)
    if "cosine" in sums:
        sums["cosine"] = np.where(held, 0.0, sums["cosine"])
    return {name: sums[name] for name in wanted}


def _add_head(sums, call, cotangent, output, head):
    """Add what one head of the queries gives to each of the sums; returns which keys count, (queries, keys)."""
    own, factor = call.key_head(head), call.factors[head]
    part = [(head, attention.EVERY)]
    (scores,), (counts,) = attention.scores(call, part)
    (q,), (k,) = attention.vectors(call, part)
    with np.errstate(all="ignore"):
        change = _of_scores(sums, call, cotangent, output, head, scores, counts)
        if "bias" in sums:
            _add_shared(sums["bias"], change, head)
        if call.softcap is not None or "cosine" in sums:
            x = attention.products(q, k, factor)
        if call.softcap is not None:
            capped = elementary.tanh(x / call.softcap)
            change = change * (1.0 - capped * capped)
        if "cosine" in sums:
            logits = sums["cosine"].reshape(*sums["cosine"].shape[:1], 1, 1)
            _add_shared(logits, np.where(counts, change * x, 0.0), head)
        change = np.where(counts, change * factor, 0.0)
        made = attention.weighted(change, k, counts)
        if call.normalised:
            made = of_normalised(made, attention.head_numbers(call.q, head), counts.any(1))
        sums["q"][head] = made
        sums["k"][own] += attention.weighted(change.T, q, counts.T)
    return counts


def _of_scores(sums, call, cotangent, output, head, scores, counts):
    """The gradient for the scores of a head after their bias, (queries, keys), 0 where a key does not count."""
    change = attention.head_numbers(cotangent, head)
    if output != "scores":
        weights, own = ordered_sums.softmax(scores, counts), call.key_head(head)
        if output == "output":
            v = attention.head_numbers(call.v, own)
            sums["v"][own] += attention.weighted(weights.T, change, counts.T)
            change = ordered_sums.product(change, np.ascontiguousarray(v.T), np.empty(weights.shape))
        change = np.where(counts, change, 0.0)
        change = weights * (change - _total(weights * change))
    return np.where(counts, change, 0.0)


def _add_shared(sums, change, head):
    """Add (queries, keys) of a head to sums that broadcast to (*lead, queries, keys)."""
    shape = (1,) * (len(head) + 2 - sums.ndim) + sums.shape
    if shape[-1] == 1:
        change = _total(change)
    if shape[-2] == 1:
        change = _total(change.T).T
    place = tuple(number if size > 1 else 0 for number, size in zip(head, shape))
    sums.reshape(shape)[place] += change


def _total(values):
    """Sums (n, 1) of each row of (n, m)."""
    values = np.ascontiguousarray(values)
    return ordered_sums.product(values, np.ones((values.shape[1], 1)), np.empty((len(values), 1)))


def of_normalised(change, x, read):
    """The gradient for rows x from that for x / n, n = max(norm, EPS): (x' - y (y . x')) / n, x' / n below EPS, and 0
    for a row that is not read, whatever its numbers are."""
    norms, y = attention.norms(x), attention.normalised(x)
    with np.errstate(all="ignore"):
        along = np.where(norms < attention.EPS, 0.0, y * _total(y * change))
        return np.where(read[:, None], (change - along) / np.maximum(norms, attention.EPS), 0.0)
