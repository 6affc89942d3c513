"""What multiplies queries, keys or scores, one file each; importing this package enters them into the catalogue."""

from ..catalogue import import_all

import_all(__name__, __path__)
