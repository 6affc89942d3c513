"""Answers that cannot be compared with what is expected, and what they are where that is known."""

from __future__ import annotations

import math

from . import judge
from .eight_bits.eight_bit_mistakes import of_another_kind, unlike
from .search import explanations_of


def unusable(trial):
    """{output: why it cannot be compared}, with what was computed of 8-bit floats and of blocks."""
    sentences = unlike(trial)
    for name, expected in trial.outputs.items():
        sentence = judge.unusable(trial.answered[name], expected)
        if sentence:
            sentences.setdefault(name, sentence)
    other = of_another_kind(trial) if sentences else None
    named = () if other is None else explanations_of(*other, math.inf)
    told = f": your numbers are those of {named[0].computed} (asked: {named[0].asked})" if named else ""
    return {name: sentence + told for name, sentence in sentences.items()}
