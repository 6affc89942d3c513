"""Named models and published configurations: which rotary encoding each of them means."""

from . import continuous, diffusion, multimodal, text, vision
from .registry import Preset, families, find, load, names, positions
from .rotary import Mixed, Rotary, Unpaired

__all__ = [
    "Mixed",
    "Preset",
    "Rotary",
    "Unpaired",
    "continuous",
    "diffusion",
    "families",
    "find",
    "load",
    "multimodal",
    "names",
    "positions",
    "text",
    "vision",
]
