"""Attention in plain Python floats, one query after the other, in the order that the docstring of `attention` says."""

import math

import numpy as np

from .elementary import rounded
from .sequences import divided, dot, softmax

LARGEST_LOGIT = 4.605170185988092  # the float64 nearest to ln 100; `test_attention.py` proves it


def scale_of(dim, scale, logit):
    """What products are multiplied by."""
    if logit is not None:
        return rounded("exp", min(logit, LARGEST_LOGIT))
    if scale is not None:
        return float(scale)
    return 1.0 / math.sqrt(float(dim)) if dim else 1.0


def unit(x):
    """A vector by its norm, or by 1e-12."""
    norm = math.sqrt(dot(x, x))
    norm = norm if norm >= 1e-12 or norm != norm else 1e-12
    return [divided(value, norm) for value in x]


def capped(score, cap):
    """cap tanh(score / cap)."""
    if cap is None or score != score:
        return score
    quotient = score / cap
    return cap * (math.copysign(1.0, quotient) if math.isinf(quotient) else rounded("tanh", quotient))


def of_query(q, keys, values, channels, *, bias, kept, scale, cap, logit):
    """(scores, weights, output) of one query."""
    kept = [keep and number != -math.inf for keep, number in zip(kept, bias or [0.0] * len(kept), strict=True)]
    factor, scores = scale_of(len(q), scale, logit), []
    q = q if logit is None else unit(q)
    for j, key in enumerate(keys):
        score = capped(dot(q, key if logit is None else unit(key)) * factor, cap)
        score = score if bias is None else score + bias[j]
        scores.append(score if kept[j] else -math.inf)
    weights = with_nan(softmax, scores, kept)
    output = []
    for channel in range(channels):
        whole = 0.0
        for weight, value, keep in zip(weights, values, kept, strict=True):
            whole = whole + weight * value[channel] if keep else whole
        output.append(whole)
    return scores, weights, output


def with_nan(normalise, scores, kept):
    """The weights; a NaN or +infinity among the scores that count makes NaN of all that count."""
    counted = [score for score, keep in zip(scores, kept, strict=True) if keep]
    if any(score != score or score == math.inf for score in counted):
        return [math.nan if keep else 0.0 for keep in kept]
    return normalise(scores, kept)


def queries(given):
    """(index, the index of its keys, options of `of_query`) of each query of a call, heads and queries ascending."""
    q, k, logits = given["q"], given["k"], given.get("cosine")
    lead, counts = q.shape[:-2], (*q.shape[:-1], k.shape[-2])
    bias, mask = (
        None if given.get(name) is None else np.broadcast_to(given[name], counts) for name in ("bias", "mask")
    )
    if logits is not None:
        logits = np.broadcast_to(np.array(logits, np.float64).reshape(-1), (lead or (1,))[-1:])
    corner = {"upper-left": 0, "lower-right": counts[-1] - counts[-2], None: counts[-1]}[given.get("causal")]
    for index in np.ndindex(q.shape[:-1]):
        *head, i = index
        of_keys = (*head[:-1], head[-1] * k.shape[-3] // lead[-1]) if head else ()
        options = {
            "bias": None if bias is None else bias[index].tolist(),
            "kept": [bool(mask is None or mask[index][j]) and j <= i + corner for j in range(counts[-1])],
            "scale": given.get("scale"),
            "cap": None if given.get("softcap") is None else float(given["softcap"]),
            "logit": None if logits is None else float(logits[head[-1] if head else 0]),
        }
        yield index, of_keys, options
