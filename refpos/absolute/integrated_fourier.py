"""Integrated Fourier features: the expected sines and cosines of a Gaussian."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .. import checks
from ..arithmetic import enclosures, formats, reals
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.angles import phases
from ..steps.angles.frequencies import Frequencies, as_reals
from ..steps.waves import fourier, tables
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.points import read_points
from ..types import AngleFactor, Array, DType
from .fourier_bands import KINDS, ORDERS, BandOrder, Kinds, read_bands

__all__ = ["integrated_fourier"]


@register(
    family="absolute",
    paper="Barron et al. 2021, Mip-NeRF, arXiv:2103.13415, section 3.1, equation 14",
    conventions="order of kind, axis and band, and factor of the mean (no default), which the variance is not times",
    no_error_bound="mip-NeRF reduces large angles by a rounded 100 pi, other programs do not",
    also="integrated positional encoding, IPE, mip-NeRF",
)
def integrated_fourier(
    mean: PositionsOfAxes,
    variance: PositionsOfAxes,
    frequencies: Frequencies | Sequence[Frequencies],
    *,
    factor: AngleFactor,
    order: BandOrder,
    kinds: Kinds = "sin-cos",
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Integrated positional encoding of mip-NeRF: expected Fourier features of a Gaussian.

        exp(-f_b**2 v_a / 2) sin(factor m_a f_b),  exp(-f_b**2 v_a / 2) cos(factor m_a f_b)   for each axis and band

    Parameters
    ----------
    mean : array_like or sequence of array_like
        Means, as `coordinate_sine` takes coordinates: an array (..., n), exact positions of each coordinate, or a
        `grid`.
    variance : array_like or sequence of array_like
        Variances, the diagonal of a covariance, from 0 on, in the form of mean; they are those of factor times the
        coordinate, so that they are multiplied by f_b**2 alone.
    frequencies : Frequencies or sequence of Frequencies
        What `bands` returns, the same for all coordinates, or a list of one for each, of equal counts. mip-NeRF has
        bands(n, rule="powers", low=0, high=n - 1), whose squares are powers of 4.
    factor : {'pi', '2pi'}, float or Fraction
        Factor of the angles, a number greater than 0, "pi" or "2pi".
    order : {'kind-axis-band', 'kind-band-axis', 'axis-kind-band', 'axis-band-kind', 'band-kind-axis', 'band-axis-kind'}
        The loops over kind, axis and band, outermost first: "kind-axis-band" has all sines, then all cosines.
    kinds : {'sin-cos', 'cos-sin', 'sin', 'cos'}, default 'sin-cos'
        What each band gives: "sin-cos", "cos-sin", "sin" or "cos".
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., kinds n bands), the exact product rounded once to `dtype`; a mean of 0 and a variance of 0 are
        exact.

    Raises
    ------
    InputError
        E_SHAPE (mean, variance, frequencies), E_POSITION, E_NUMBER, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    It is made to check other code: some 0.5 ms for each element. That no product lies halfway between two values
    follows from Schanuel's conjecture where the factor is pi, the variance not 0 and the frequency no fraction.

    References
    ----------
    - google/mipnerf, internal/mip.py, integrated_pos_enc ("kind-band-axis", 1).
    - nerfstudio, field_components/encodings.py, NeRFEncoding ("kind-axis-band", "2pi", variances without 2 pi).

    Examples
    --------
    >>> from refpos.frequencies import bands
    >>> integrated_fourier([[0.0]], [[2]], bands(2, rule="powers", low=0, high=1), factor=1, order="kind-band-axis")
    array([[0.        , 0.        , 0.36787944, 0.01831564]])
    """
    means, variances = read_points("mean", mean), read_points("variance", variance)
    factor, fmt = fourier.read_factor("factor", factor), formats.resolve(dtype)
    checks.choice("order", order, ORDERS), checks.choice("kinds", kinds, KINDS)
    count = len(means.axes)
    if (variances.shape, len(variances.axes)) != (means.shape, count):
        sentence = f"variance must have the shape of mean, {(*means.shape, count)}"
        raise InputError("E_SHAPE", "variance", f"{sentence}, got {(*variances.shape, len(variances.axes))}")
    several = read_bands(frequencies, count)
    result, stored = checks.output(out, (*means.shape, (kinds.count("-") + 1) * count * len(several[0])), fmt)
    with tables.rows_of(stored) as rows:
        along = [means.along_sequence().axes, _at_least_zero(variances.along_sequence().axes)]
        for axis, (places, widths, one) in enumerate(zip(*along, several)):
            part = fourier.waves(axis, one, order, count, axis, kinds)
            thetas = as_reals(one)
            for which, columns in enumerate((part.cos, part.sin)):
                if columns is not None:
                    pairs = zip(places.fractions(), widths.fractions())
                    values = ([_expected(which, factor, theta, m, v) for theta in thetas] for m, v in pairs)
                    enclosures.fill(rows[:, columns], values, fmt)
    return result


def _at_least_zero(axes):
    for axis in axes:
        for value in axis.fractions():
            if value < 0:
                raise InputError("E_NUMBER", "variance", f"variance must be at least 0, got {shown_number(value)}")
    return axes


def _expected(which, factor, theta, mean, variance):
    """exp(-theta**2 variance / 2) times the cosine (0) or sine (1) of factor theta mean."""
    angle = reals.rational(mean * factor.fraction) * theta if mean else reals.rational(0)
    wave = _known_wave(which, angle, factor.pi)
    if wave == 0 or (wave is not None and (not variance or theta.rational == 0)):
        return wave

    def rule(digits):
        turns = digits.of(angle) / (2 if factor.pi else digits.pi() * 2)
        f = digits.of(theta)
        size = enclosures.damped(digits, f * f * (variance / 2))
        return size * (enclosures.cos_sin(digits, turns)[which] if wave is None else wave)

    return rule


def _known_wave(which, angle, is_pi):
    """The cosine or sine of an angle where it is a fraction, else None."""
    if angle.rational == 0:
        return Fraction(1 - which)
    if not is_pi or angle.rational is None:
        return None
    return phases.exact_cosine(angle.rational / 2 - Fraction(which, 4))
