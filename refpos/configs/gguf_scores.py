"""What the graph of a GGUF file multiplies its scores by, beside the rotation."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..frequencies.yarn import softmax_scale
from . import notes

SCALE, STEP = "attention.temperature_scale", "attention.temperature_length"


def scaled(rotary, keys):
    """The `Rotary` with its softmax factor and the temperature of its queries; keys: those of the architecture."""
    more = _temperature(keys)
    if keys.prefix == "deepseek2.":
        factor = _softmax_factor(rotary, keys)
        rotary = replace(rotary, softmax_factor=factor)
        more += () if factor == 1 else (f"the softmax scale is multiplied by {factor!r}, beside cosine and sine",)
    return replace(rotary, notes=(*rotary.notes, *more))


def _softmax_factor(rotary, keys):
    """(a m(s, 1) m(s, l))**2 rounded once, where YaRN has m(s, 1) in the factor a on cosine and sine already."""
    rope_type = rotary.parameters["rope_type"]
    factor = Fraction(1 if rope_type == "default" else keys.peek("rope.scaling.factor", 1) or 1)
    multiplier = np.float32(keys.peek("rope.scaling.yarn_log_multiplier", 0)) / np.float32(0.1)  # of its conversion
    once = rotary.frequencies.factor * softmax_scale(factor, Fraction(float(multiplier)))
    if rope_type != "yarn":
        once *= softmax_scale(factor, Fraction(1))
    return float(once * once)


def _temperature(keys):
    """The note on what queries are multiplied by, in the graphs that read it."""
    if keys.prefix not in ("deepseek2.", "mistral3.") or not keys.peek(SCALE):
        return ()
    scale = keys.number(SCALE, "queries are multiplied by attention_temperature")
    if keys.prefix == "deepseek2.":
        step = keys.size(STEP, "the step of attention_temperature")
    else:
        name = "rope.scaling.original_context_length"
        step = keys.size(name if name in keys else "context_length", "the step of attention_temperature")
    return (f"queries are multiplied by {notes.temperature(scale, step, 0)}",)
