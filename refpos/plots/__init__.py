"""Pictures of encodings, drawn with matplotlib (the extra `plot`) from the numbers of refpos; each returns an Axes.

    ax = refpos.plots.plot("rope")
    refpos.plots.save(ax, "rope.svg")

`plot` takes any name with the keywords of its call. No display is needed, and matplotlib is imported by the first
picture.
"""

from .error_plots import curves, side_by_side
from .errors import error_map, float_errors
from .line_plots import counter, waves
from .microscope import measured
from .phase_clock import clock_hands, rotation
from .plot import plot
from .resizings import resizings
from .scores import biases, decays, sentence
from .style import save
from .tables import heat_map
from .wavelength_plots import scalings

__all__ = [
    "biases",
    "clock_hands",
    "counter",
    "curves",
    "decays",
    "error_map",
    "float_errors",
    "heat_map",
    "measured",
    "plot",
    "resizings",
    "rotation",
    "save",
    "scalings",
    "sentence",
    "side_by_side",
    "waves",
]
