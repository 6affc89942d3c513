"""Named models and published configurations: which rotary encoding each of them means."""

from . import diffusion, multimodal, text, vision
from .registry import Preset, find, load, names, positions
from .rotary import Rotary

__all__ = ["Preset", "Rotary", "diffusion", "find", "load", "multimodal", "names", "positions", "text", "vision"]
