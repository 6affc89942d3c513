"""Weights of scores that are no scores of `attention`: its call with the scores as a bias, and bounds of both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arithmetic import formats
from ...conformance.classes import FLOAT64
from ...conformance.derivations import attention, running_error
from ...conformance.derivations.running_error import Bounded
from ..verification import ULPS
from ..written import Call, Written, judged
from .score_masks import Mask


class Softmaxed(NamedTuple):
    """A call whose values are scores, and the mask of the softmax that follows."""

    call: Call
    mask: Mask
    exchanged: bool = False

    def _attention(self):
        """The call of attention: queries and keys without channels, whose scores are 0, and the scores as a bias."""
        names = ("q", "k") if "q" in self.call.arguments else ("x", "x")
        empty = [self.call.arguments[name] for name in names]
        q, k = (Written(f"{one.text}[..., :0]", one.value[..., :0]) for one in empty)
        bias = Written(self.call.text("float64"), self.call.values("float64").values)
        given = {"q": q, "k": k, "v": Written("None", None), "bias": bias, **self.mask.arguments}
        return Call("attention", {**given, "outputs": Written("'weights'", "weights")})

    def text(self, fmt):
        """The call as Python writes it."""
        return self._attention().text(fmt)

    def verdict(self, y):
        """`Verified` of weights, a `Tensor`."""
        call = self._attention()
        scores = call.arguments["bias"].value
        return judged(y, call.values(y.dtype), lambda: self._limits(scores, formats.FORMATS[y.dtype]))

    def _limits(self, scores, fmt):
        """{class: bounds} of the softmax of scores that a program has in its format, off by their own bounds."""
        counts = np.ones(scores.shape, bool)
        if self.mask.counts is not None:
            counts = np.broadcast_to(self.mask.counts.value, scores.shape).astype(bool)
        limits = {kind: np.full(scores.shape, ulps) for kind, ulps in ULPS.items()}
        with np.errstate(all="ignore"):
            for kind, arithmetic in running_error.sequences(fmt).items():
                error = np.where(counts, self.call.limits(arithmetic.name)[kind], 0.0)
                both = Bounded(scores, error, arithmetic), Bounded(scores, 0 * error, FLOAT64)
                blocks = attention.most_blocks(both[0])
                program, exact = (running_error.softmax(one, counts, rescalings=blocks) for one in both)
                limits[kind] = running_error.bound(program, exact, fmt)
        return limits
