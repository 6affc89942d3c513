"""Positions of Flux: text at the origin, the image on (row, column), a reference image apart on the first axis."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from .. import _rows


@register(
    family="positions",
    paper="Black Forest Labs 2024, FLUX.1 (model card), and 2025, FLUX.1 Kontext, arXiv:2506.15742",
    conventions="axes (image, row, column), all 0 for text",
    outputs=("text", "image"),
    also="FLUX.1, prepare_latent_image_ids",
)
def flux_positions(
    height: Integer, width: Integer, *, text_length: Integer, reference: ArrayLike | None = None
) -> tuple[Integers, Integers]:
    """The (image, row, column) positions of Flux and Flux Kontext.

        text token:                        (0, 0, 0)
        token r, c of the image:           (0, r, c), column fastest
        token r, c of the reference image: (1, r, c), after the image

    Parameters
    ----------
    height, width : int
        Rows and columns of tokens, which are 2 x 2 latents.
    text_length : int
        Number of tokens of text, 0 for none.
    reference : array_like, optional
        Shape (height, width) of the reference image of Kontext, or None.

    Returns
    -------
    text, image : ndarray of int64
        Text, int64 (text_length, 3), and image, int64 (tokens, 3).

    Raises
    ------
    InputError
        E_SIZE (height, width, text_length, reference), E_SHAPE and E_DTYPE (reference).

    Notes
    -----
    The pipelines hold them in the dtype of the latents: bfloat16 counts to 256 only.

    References
    ----------
    _prepare_latent_image_ids in src/diffusers/pipelines/flux/pipeline_flux.py and prepare_latents in
    pipeline_flux_kontext.py (diffusers 0.42.1).

    Examples
    --------
    >>> text, image = flux_positions(2, 2, text_length=1, reference=(1, 2))
    >>> image
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 1, 0],
           [0, 1, 1],
           [1, 0, 0],
           [1, 0, 1]])
    """
    sizes = [(height, width)]
    if reference is not None:
        sizes.append(_rows.read_integers("reference", reference, (2,), 1).tolist())
    images = [_rows.grid_cells(np.array([k], np.int64), *planar(*size)).T for k, size in enumerate(sizes)]
    text_length = checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS)
    return _rows.TextAndImage(np.zeros((text_length, 3), np.int64), np.concatenate(images))


def planar(height, width):
    """Rows and columns of an image, checked."""
    height = checks.integer("height", height, 1, _rows.MOST_TOKENS)
    width = checks.integer("width", width, 1, _rows.MOST_TOKENS)
    if height * width > _rows.MOST_TOKENS:
        sentence = f"height times width must be at most {_rows.MOST_TOKENS}, got {height} x {width}"
        raise InputError("E_SIZE", "height", sentence)
    return height, width
