"""The scaling of Llama 3.1: long wavelengths are divided, short ones stay, a ramp in the number of turns between."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial

from .. import checks
from ..arithmetic import fixed_point, reals
from ..catalogue import register
from ..errors import InputError, brief
from ..steps.angles.frequencies import Frequencies, scaled
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["llama3"]


@register(
    family="frequencies",
    paper="Llama Team 2024, The Llama 3 Herd of Models, arXiv:2407.21783, section 3.4.2",
    conventions="the ramp is linear in the number of turns",
    also="Llama 3 scaling, Llama 3.1, context extension",
)
def llama3(
    dim: Integer,
    *,
    base: Number = 10000.0,
    factor: Number,
    low_freq_factor: Number,
    high_freq_factor: Number,
    original_max_position_embeddings: Integer,
) -> Frequencies:
    """Llama 3 RoPE scaling: low frequencies divided by a factor, high ones kept, with a ramp between.

        theta_i = w_i ((1 - s_i) / factor + s_i),  w_i = base**(-2i / dim)
        s_i = min(max((r_i - low_freq_factor) / (high_freq_factor - low_freq_factor), 0), 1)
        r_i = original_max_position_embeddings w_i / (2 pi), the turns within the length of pretraining

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0, taken as exactly what it is.
    factor : float or Fraction
        Scaling factor, finite and greater than 0, taken as exactly what it is.
    low_freq_factor : float or Fraction
        Number of periods below which frequencies are divided by factor, finite and greater than 0, taken as exactly
        what it is.
    high_freq_factor : float or Fraction
        Number of periods above which frequencies are kept, not below low_freq_factor, taken as exactly what it is.
    original_max_position_embeddings : int
        Length of pretraining, at least 1.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_BASE, E_NUMBER (the factors), E_SIZE (original_max_position_embeddings).

    Notes
    -----
    Where the two factors of the ramp are equal the ramp is a step, s_i = 1 for r_i above them and 0 below, as in Llama
    4 Scout.

    The r_i are irrational for all arguments, so that the ends of the ramp are decided without error. With
    low_freq_factor 1 and high_freq_factor 32 it is the ramp of the YaRN paper (section 3.2), of which `ntk_by_parts` is
    the code.

    References
    ----------
    - meta-llama/llama-models, models/llama3/model.py, apply_scaling.
    - transformers 5.23.0, modeling_rope_utils.py, _compute_llama3_parameters.

    Examples
    --------
    >>> scaling = dict(factor=8, low_freq_factor=1, high_freq_factor=4, original_max_position_embeddings=8192)
    >>> frequencies = llama3(128, base=500000, **scaling)  # Llama 3.1
    >>> frequencies.inv_freq[[0, 32, 63]]
    array([1.00000000e+00, 5.24846161e-04, 3.06892599e-07])
    """
    dim = checks.even_width("dim", dim)
    base, factor = checks.positive("base", base, "E_BASE"), checks.positive("factor", factor)
    low = checks.positive("low_freq_factor", low_freq_factor)
    high = checks.positive("high_freq_factor", high_freq_factor)
    if high < low:
        least = brief(low_freq_factor)
        sentence = f"high_freq_factor must be at least low_freq_factor, {least}, got {brief(high_freq_factor)}"
        raise InputError("E_NUMBER", "high_freq_factor", sentence)
    trained = checks.integer("original_max_position_embeddings", original_max_position_embeddings, 1)
    frequencies = inverse_frequencies(dim, base=base)
    turns = [reals.Real(partial(_turns, frequencies, i, trained)) for i in range(len(frequencies))]
    turns = turns if base >= 1 else turns[::-1]  # the most first
    above = bisect_left(turns, True, key=lambda one: reals.compare(one, high) <= 0) if factor != 1 else len(turns)
    below = bisect_left(turns, True, above, key=lambda one: reals.compare(one, low) < 0)
    ramp = [_multiplier(one, low, high, factor) for one in turns[above:below]]
    multipliers = [reals.rational(1)] * above + ramp + [reals.rational(1 / factor)] * (len(turns) - below)
    multipliers = tuple(multipliers if base >= 1 else multipliers[::-1])
    return scaled(frequencies, multipliers)


def _multiplier(turns, low, high, factor):
    gain = (1 - 1 / factor) / (high - low)
    return reals.affine(turns, gain, 1 / factor - low * gain)


def _turns(frequencies, i, trained, bits):
    """trained * theta_i / 2 pi, times 2**bits, off by at most 1."""
    # of this number, which is below 2**size, theta and pi each leave open less than 2**-(bits + 6)
    size = trained.bit_length() + max(0, frequencies.fixed(8)[i].bit_length() - 8)
    work = bits + size + 8
    turns = (trained * frequencies.fixed(work)[i] << work) // (2 * fixed_point.pi(work))
    return turns + (1 << work - bits - 1) >> work - bits
