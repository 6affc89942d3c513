"""Named models and published configurations: which encoding each of them means."""

from . import continuous, diffusion, graphs, learned, multimodal, resizing, sequences, text, vision
from .absolute import Absolute, Learned
from .registry import Preset, families, find, load, names, positions
from .rotary import Mixed, Rotary, Unpaired

__all__ = [
    "Absolute",
    "Learned",
    "Mixed",
    "Preset",
    "Rotary",
    "Unpaired",
    "continuous",
    "diffusion",
    "families",
    "find",
    "graphs",
    "learned",
    "load",
    "multimodal",
    "names",
    "positions",
    "resizing",
    "sequences",
    "text",
    "vision",
]
