"""Rules that place the coordinates of a grid; `steps.coordinates` explains each."""

from .steps.coordinates import *  # noqa: F403
from .steps.coordinates import __all__
