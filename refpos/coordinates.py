"""Rules that place the coordinates of a grid; `steps.coordinates` explains each."""

from .steps.coordinates import affine, centred, half_pixel, linspace, listed, resampled

__all__ = ["affine", "centred", "half_pixel", "linspace", "listed", "resampled"]
