"""Rules that place the coordinates of a grid; `steps.positions.coordinates` explains each."""

from .steps.positions.coordinates import affine, centred, cropped, half_pixel, linspace, listed, resampled

__all__ = ["affine", "centred", "cropped", "half_pixel", "linspace", "listed", "resampled"]
