"""All plants, in the order of their modules, each made in one setting of its turn or in all of them."""

from __future__ import annotations

from . import (
    attention,
    biases,
    resized,
    rope_grids,
    rope_half,
    rope_pairs,
    rope_tables,
    rows,
    scores,
    sinusoids,
    tables,
    waves,
)
from .record import SETTINGS

MODULES = (
    rope_half,
    rope_pairs,
    rope_tables,
    rope_grids,
    sinusoids,
    waves,
    rows,
    biases,
    tables,
    resized,
    scores,
    attention,
)
GROUPS = [group for module in MODULES for group in module.GROUPS]
PLANTS = [plant for group in GROUPS for plant in group.plants()]


def settings(number, every):
    """All settings, or the one whose turn it is for the plant of that number."""
    return SETTINGS if every else [SETTINGS[number % len(SETTINGS)]]
