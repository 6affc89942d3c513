"""All plants, in the order of their modules, and the settings in which each is made."""

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
    """The setting whose turn it is for that plant; all for those without a mistake, which are quick."""
    return SETTINGS if every or PLANTS[number].kind == "right" else [SETTINGS[number % len(SETTINGS)]]
