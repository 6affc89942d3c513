"""Fourier features of coordinates that a matrix projects."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from .. import checks
from ..arithmetic import fixed_point, formats
from ..catalogue import register
from ..errors import InputError, shown
from ..kernels.threads import for_blocks
from ..steps.angles import frequency_sets
from ..steps.positions.exact_positions import read_positions
from ..steps.rows import learned_tables, table_gradients
from ..steps.waves import fourier, tables, wave_gradients
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..steps.waves.projection import projection
from ..types import AngleFactor, Array, ArrayLike, DType, Integer

__all__ = ["fourier_projection"]

ProjectionLayout = Literal["sin-cos", "cos-sin", "sin", "cos", "interleaved"]
Transform = Literal["ln"]
LAYOUTS, TRANSFORMS = get_args(ProjectionLayout), get_args(Transform)
BLOCK = 1 << 13  # angles that are made at a time


def _gradient_for(name):
    """The rule for "coordinates", "weight" or "phase"."""

    def gradient(function, given, cotangent):
        table_gradients.check_options(given)
        if given["transform"] is not None:
            sentence = f"transform must be None for a gradient, got {shown(given['transform'])}"
            raise InputError("E_CHOICE", "transform", sentence)
        fmt, layout = formats.resolve(given["dtype"]), checks.choice("layout", given["layout"], LAYOUTS)
        tokens = read_points("coordinates", given["coordinates"])
        weight, phase = read_weights(given["weight"], given["phase"], len(tokens.axes))
        factor, count = fourier.read_factor("factor", given["factor"]), weight.shape[1]
        alone = layout in ("sin", "cos")
        width = count if alone else 2 * count
        cotangent = table_gradients.read_cotangent(cotangent, (*tokens.shape, width), fmt)
        values = learned_tables.values(cotangent).reshape(-1, width)
        if alone:
            of_cos, of_sin = (values if layout == one else np.zeros_like(values) for one in ("cos", "sin"))
        else:
            of_cos, of_sin = tables.cos_sin_columns(values, layout, count, count)
        points = wave_gradients.points_of(tokens.along_sequence().axes)
        slopes = wave_gradients.slopes(points, weight, phase, of_sin, of_cos, factor)
        return wave_gradients.of_argument(name, given[name], points, weight, slopes)

    return gradient


@register(
    family="absolute",
    paper="Tancik et al. 2020, Fourier Features, arXiv:2006.10739, section 5",
    conventions="factor, such as 1 or 2 pi, and layout (no default); weight (n, m)",
    also=(
        "random Fourier features, Gaussian Fourier features, learned Fourier features, Fourier projection, "
        "PositionEmbeddingRandom"
    ),
    gradients={name: _gradient_for(name) for name in ("coordinates", "weight", "phase")},
)
def fourier_projection(
    coordinates: PositionsOfAxes,
    weight: ArrayLike,
    *,
    factor: AngleFactor,
    layout: ProjectionLayout,
    phase: ArrayLike | None = None,
    transform: Transform | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Random or learned Fourier features: sines and cosines of weighted sums of a token's coordinates.

        angle[p, j] = factor * (sum over a of x_a weight[a, j] + phase[j]),   sin(angle) and cos(angle)

    Parameters
    ----------
    coordinates : array_like or sequence of array_like
        Array (..., n) of integers or finite floats, taken as exactly what they are; a list of exact positions, one for
        each coordinate (`refpos.coordinates`); or a `grid`.
    weight : array_like
        Shape (n, m) of integers or finite floats, drawn once and kept with the model, taken as exactly what it is.
    factor : {'pi', '2pi'}, float or Fraction
        Factor of the angles, a number greater than 0, "pi" or "2pi".
    layout : {'sin-cos', 'cos-sin', 'sin', 'cos', 'interleaved'}
        Order of the channels: "sin-cos", "cos-sin", "sin", "cos" or "interleaved".
    phase : array_like, optional
        Shape (m,), what is added to the sums; None for nothing.
    transform : {'ln'}, optional
        "ln" takes ln x in place of x, for one coordinate greater than 0, such as a noise level.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., 2 m), or (..., m) of sines or cosines alone: of the exact sum, rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (coordinates, weight, phase), E_POSITION, E_NUMBER, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Where the angle is a twelfth of a turn, the result is exact. It is made for prompts and the grids of vision towers;
    each entry has its own exact angle. That no sine of pi times a logarithm lies halfway between two values follows
    from Schanuel's conjecture.

    References
    ----------
    - facebookresearch/segment-anything, modeling/prompt_encoder.py, PositionEmbeddingRandom (x first, 2 c - 1, "2pi",
      "sin-cos").
    - huggingface/diffusers, models/embeddings.py, GaussianFourierProjection (with and without the logarithm).
    - yang-song/score_sde_pytorch, models/ncsnpp.py (logarithm).
    - facebookresearch/3detr, models/position_embedding.py, get_fourier_embeddings ("2pi", "sin-cos").
    - transformers, models/esmfold2/modeling_esmfold2.py (cosines with a phase).

    Examples
    --------
    >>> fourier_projection([[0.5, 0.25]], [[0.5], [1]], factor="2pi", layout="sin-cos")
    array([[ 0., -1.]])
    """
    tokens = read_points("coordinates", coordinates)
    weight, phase = read_weights(weight, phase, len(tokens.axes))
    factor, fmt = fourier.read_factor("factor", factor), formats.resolve(dtype)
    checks.choice("layout", layout, LAYOUTS), checks.thread_count(threads)
    if transform is not None:
        checks.choice("transform", transform, TRANSFORMS)
    count = weight.shape[1]
    width = count * (1 if layout in ("sin", "cos") else 2)
    result, stored = checks.output(out, (*tokens.shape, width), fmt)
    if not stored.size:
        return result
    with tables.rows_of(stored) as rows:
        sums = (projection if transform is None else logarithmic)(tokens, weight, phase, factor)

        def work(start, stop):
            waves = np.empty((2, stop - start, count), fmt.storage)
            sums.fill(*waves, start, fmt, threads)
            _put(rows[start:stop], layout, *waves)

        for_blocks(work, len(rows), max(1, BLOCK // count), threads)
    return result


def _put(rows, layout, cos, sin):
    """Write cosines and sines (rows, m) to the columns of a layout."""
    if layout in ("sin", "cos"):
        rows[...] = sin if layout == "sin" else cos
        return
    count = cos.shape[1]
    for view, values in zip(tables.cos_sin_columns(rows, layout, count, count), (cos, sin)):
        view[...] = values


class LogarithmicSums(NamedTuple):
    """Sums (tokens, m) of ln x times weights (m,), and a phase (m,): integers over 2**shift."""

    coordinates: list
    weight: list
    phase: list
    shift: int
    factor: fourier.Factor

    def fill(self, cos, sin, start, fmt, threads):
        """Fill cos and sin (n, m) of the tokens from `start` on: their sums are frequencies of the position 1."""
        coordinates = self.coordinates[start : start + len(sin)]
        sums = frequency_sets.of_logarithms(coordinates, self.weight, self.phase, self.shift)
        waves = (array.reshape(1, -1) for array in (cos, sin))
        tables.fill(*waves, read_positions([1]), self.factor.times(sums), fmt, threads)


def logarithmic(tokens, weight, phase, factor):
    """The `LogarithmicSums` of the only coordinate of tokens."""
    if len(tokens.axes) != 1:
        sentence = f"coordinates must be (..., 1) for their logarithm, got {len(tokens.axes)} coordinates"
        raise InputError("E_SHAPE", "coordinates", sentence)
    values = tokens.along_sequence().axes[0].fractions()
    if min(values) <= 0:
        sentence = f"coordinates must be greater than 0 for their logarithm, got {shown(min(values))}"
        raise InputError("E_POSITION", "coordinates", sentence)
    both, shift = fixed_point.as_integers(np.concatenate([weight, phase[None]]))
    return LogarithmicSums(values, *both.tolist(), shift, factor)


def read_weights(weight, phase, axes):
    """weight (axes, m) and phase (m,) as float64, exactly; no phase is one of zeros."""
    weight = read_floats("weight", weight)
    if weight.ndim != 2 or len(weight) != axes or not weight.shape[1]:
        sentence = f"weight must be ({axes}, m) for {axes} coordinates, m at least 1, got shape {weight.shape}"
        raise InputError("E_SHAPE", "weight", sentence)
    phase = np.zeros(weight.shape[1]) if phase is None else read_floats("phase", phase)
    if phase.shape != weight.shape[1:]:
        sentence = f"phase must be ({weight.shape[1]},) as weight has columns, got shape {phase.shape}"
        raise InputError("E_SHAPE", "phase", sentence)
    return weight, phase


def read_floats(name, values):
    """Numbers as float64, exactly: integers, or finite floats of any of the formats; uint16 are bit patterns."""
    array = checks.of_64_bits(name, checks.learned(name, values), "E_NUMBER")
    floats = checks.copied(name, array, np.float64)
    if not np.isfinite(floats).all() or (array.dtype.kind in "iu" and (np.abs(floats) > 2.0**53).any()):
        raise InputError("E_NUMBER", name, f"{name} must be finite, integers to 2**53 in size, got {shown(values)}")
    return floats
