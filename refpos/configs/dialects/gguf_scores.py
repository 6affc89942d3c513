"""What the graph of a GGUF file multiplies its scores by, beside the rotation."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...frequencies.yarn import softmax_scale
from ..rotary import notes

MULTIPLIER = "rope.scaling.yarn_log_multiplier"
SCALE, STEP, WINDOW = "attention.temperature_scale", "attention.temperature_length", "attention.sliding_window"
#: what the graph of llama4 has in place of keys
BARE_LAYERS = f"{notes.BARE_LAYERS} {notes.temperature(0.1, 8192, 1)}"
STOPPED = "some versions of llama.cpp stop at the layers without rotation of a llama4 file whose layers do not slide"


def scaled(rotary, row, keys):
    """The `Rotary` with its softmax factor and the temperature of its queries; keys: those of the architecture."""
    more = _temperature(row, keys)
    if row.scales_softmax:
        factor = _softmax_factor(rotary, row, keys)
        rotary = replace(rotary, softmax_factor=factor)
        more += () if factor == 1 else (f"the softmax scale is multiplied by {factor!r}, beside cosine and sine",)
    return replace(rotary, notes=(*rotary.notes, *more))


def mscale_all_dim(row, keys):
    """The number that yarn_log_multiplier means, as the float32 that llama.cpp has; 0 without the key."""
    value = np.float32(keys.number(MULTIPLIER, "mscale_all_dim of the factor on cosine and sine") or 0)
    return float(value / np.float32(0.1) if row.multiplier == "tenth" else value)


def _softmax_factor(rotary, row, keys):
    """(a m(s, 1) m(s, l))**2 rounded once, where YaRN has m(s, 1) in the factor a on cosine and sine already."""
    rope_type = rotary.parameters["rope_type"]
    factor = Fraction(1 if rope_type == "default" else keys.peek("rope.scaling.factor", 1) or 1)
    once = rotary.frequencies.factor * softmax_scale(factor, Fraction(mscale_all_dim(row, keys)))
    if rope_type != "yarn":
        once *= softmax_scale(factor, Fraction(1))
    return float(once * once)


def _temperature(row, keys):
    """The note on what queries are multiplied by, in the graphs that do it."""
    if row.temperature == "bare layers":
        return (BARE_LAYERS,) if keys.peek(WINDOW) != 0 else (STOPPED,)
    if not row.temperature or not keys.peek(SCALE):
        return ()
    scale = keys.number(SCALE, "queries are multiplied by attention_temperature")
    name = STEP
    if row.temperature == "pretraining":
        trained = "rope.scaling.original_context_length"
        name = trained if trained in keys else "context_length"
    step = keys.size(name, "the step of attention_temperature")
    return (f"queries are multiplied by {notes.temperature(scale, step, 0)}",)
