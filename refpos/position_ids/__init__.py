"""One file for each rule that gives tokens their positions; importing this package enters all of them."""

from ..catalogue import import_all

import_all(__name__, __path__)
