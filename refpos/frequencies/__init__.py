"""Frequencies and their scalings, one file each; importing this package enters all of them into the catalogue."""

from ..catalogue import import_all

import_all(__name__, __path__)
