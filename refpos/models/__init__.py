"""Named models and published configurations: which rotary encoding each of them means."""

from . import diffusion, measured, multimodal, text, vision
from .mixed import Mixed
from .registry import Preset, find, load, names, positions
from .rotary import Rotary
from .unpaired import Unpaired

__all__ = [
    "Mixed",
    "Preset",
    "Rotary",
    "Unpaired",
    "diffusion",
    "find",
    "load",
    "measured",
    "multimodal",
    "names",
    "positions",
    "text",
    "vision",
]
