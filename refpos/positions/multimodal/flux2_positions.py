"""Positions of Flux 2: text along the last axis, images on (row, column), reference images apart in time."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...types import ArrayLike, Integer, Integers
from .. import _rows
from .flux_positions import planar


@register(
    family="positions",
    paper="Black Forest Labs 2025, FLUX.2 (model card; no paper)",
    conventions="axes (time, row, column, text); reference images from time 10 on, 10 apart",
    outputs=("text", "image"),
)
def flux2_positions(
    height: Integer, width: Integer, *, text_length: Integer, references: ArrayLike = (), scale: Integer = 10
) -> tuple[Integers, Integers]:
    """The (time, row, column, text) positions of Flux 2.

        text token l:                             (0, 0, 0, l)
        token r, c of the image:                  (0, r, c, 0), column fastest
        token r, c of reference image i = 0, 1..: (scale + scale i, r, c, 0), after the image

    Parameters
    ----------
    height, width : int
        Rows and columns of tokens.
    text_length : int
        Number of tokens of text, 0 for none.
    references : array_like, default ()
        Shape (count, 2) rows and columns of the reference images.
    scale : int, default 10
        Time from one reference image to the next, 10 in the pipeline.

    Returns
    -------
    text, image : ndarray of int64
        Text, int64 (text_length, 4), and image, int64 (tokens, 4).

    Raises
    ------
    InputError
        E_SIZE (height, width, text_length, references, scale), E_SHAPE and E_DTYPE (references).

    References
    ----------
    _prepare_text_ids, _prepare_latent_ids and _prepare_image_ids in src/diffusers/pipelines/flux2/pipeline_flux2.py
    (diffusers 0.42.1).

    Examples
    --------
    >>> flux2_positions(1, 2, text_length=2, references=[(1, 1), (1, 1)]).image
    array([[ 0,  0,  0,  0],
           [ 0,  0,  1,  0],
           [10,  0,  0,  0],
           [20,  0,  0,  0]])
    """
    scale = checks.integer("scale", scale, 1, _rows.LARGEST_POSITION)
    none = isinstance(references, (tuple, list)) and not references
    others = _rows.read_integers("references", np.empty((0, 2), np.int64) if none else references, ("count", 2), 1)
    sizes = [(height, width), *others.tolist()]
    images = [_rows.grid_cells(np.array([scale * k], np.int64), *planar(*size)).T for k, size in enumerate(sizes)]
    image = np.pad(np.concatenate(images), ((0, 0), (0, 1)))
    text = np.zeros((checks.integer("text_length", text_length, 0, _rows.MOST_TOKENS), 4), np.int64)
    text[:, 3] = np.arange(len(text), dtype=np.int64)
    return _rows.TextAndImage(text, image)
