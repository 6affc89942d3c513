"""LongRoPE: one divisor for each frequency, from a list for short and one for long sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies, scaled
from ..types import ArrayLike, Integer, Number
from .inverse_frequencies import inverse_frequencies
from .yarn import given_factor

__all__ = ["longrope"]


@register(
    family="frequencies",
    paper="Ding et al. 2024, LongRoPE, arXiv:2402.13753, section 3",
    conventions="long from original_max_position_embeddings + 1 tokens on",
    also="LongRoPE, su, long_factor, short_factor, Phi-3, context extension, long context",
)
def longrope(
    dim: Integer,
    *,
    base: Number = 10000.0,
    short_factor: ArrayLike | Sequence[Number],
    long_factor: ArrayLike | Sequence[Number],
    original_max_position_embeddings: Integer,
    seq_len: Integer | None = None,
    factor: Number | None = None,
    max_position_embeddings: Integer | None = None,
    attention_factor: Number | None = None,
    short_mscale: Number | None = None,
    long_mscale: Number | None = None,
) -> Frequencies:
    """LongRoPE scaling: each frequency divided by a factor of its own, with an attention factor.

        theta_i = base**(-2i / dim) / long_factor[i] if seq_len > original_max_position_embeddings,
                  base**(-2i / dim) / short_factor[i] else
        a = sqrt(1 + ln(factor) / ln(original_max_position_embeddings)) for factor > 1,  1 for factor <= 1

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, a finite number greater than 0.
    short_factor, long_factor : array_like
        Factors of short and of long sequences, lists or arrays of dim/2 numbers greater than 0.
    original_max_position_embeddings : int
        The length of pretraining, at least 2.
    seq_len : int, optional
        The length of the sequence, the largest position plus 1; None means a short one.
    factor : float or Fraction, optional
        Scaling factor, a number greater than 0, or without it max_position_embeddings /
        original_max_position_embeddings.
    max_position_embeddings : int, optional
        Length of the model, from which factor is computed where it is not given.
    attention_factor : float or Fraction, optional
        Attention factor, a number greater than 0 in place of a.
    short_mscale : float or Fraction, optional
        Attention factor with the short list, a number greater than 0, which comes before attention_factor.
    long_mscale : float or Fraction, optional
        Attention factor with the long list, a number greater than 0, which comes before attention_factor.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read.

    Raises
    ------
    InputError
        E_ODD_DIM, E_BASE, E_SHAPE (lists of another length), E_SIZE (lengths), E_NUMBER.

    Notes
    -----
    Numbers given are taken as exactly what they are. Phi-3.5-MoE in transformers 5 reads the short list at every
    length: give it as both.

    References
    ----------
    - Ding et al. 2024, arXiv:2402.13753, section 3.
    - transformers 5.23.0, modeling_rope_utils.py, _compute_longrope_parameters.
    - The mscales: models/phimoe/modeling_phimoe.py.

    Examples
    --------
    >>> lists = dict(short_factor=[1, 1], long_factor=[1, 4], original_max_position_embeddings=4096)
    >>> longrope(4, **lists, factor=32, seq_len=4097).inv_freq
    array([1.    , 0.0025])
    >>> longrope(4, **lists, factor=32).attention_factor
    1.1902380714238083
    """
    dim = checks.even_width("dim", dim)
    frequencies = inverse_frequencies(dim, base=base)
    trained = checks.integer("original_max_position_embeddings", original_max_position_embeddings, 2)
    lists = [_numbers("short_factor", short_factor, dim // 2), _numbers("long_factor", long_factor, dim // 2)]
    long = seq_len is not None and checks.integer("seq_len", seq_len, 0) > trained
    short_mscale, long_mscale, factor_of_both = [
        None if value is None else checks.positive(name, value)
        for name, value in (
            ("short_mscale", short_mscale),
            ("long_mscale", long_mscale),
            ("attention_factor", attention_factor),
        )
    ]
    chosen = (long_mscale if long else short_mscale) or factor_of_both
    if chosen is None:
        a = _attention_factor(given_factor(factor, max_position_embeddings, trained), trained)
    else:
        a = reals.rational(chosen)
    return replace(scaled(frequencies, tuple(reals.rational(1 / number) for number in lists[long])), factor=a)


def _numbers(name, values, count):
    return [checks.positive(name, value) for value in checks.numbers(name, values, count)]


def _attention_factor(factor, trained):
    if factor <= 1:
        return reals.rational(1)
    ratio = _log_ratio(factor, trained)
    if ratio is None:
        return reals.evaluated(lambda digits: digits.sqrt(digits.log(factor) / digits.log(trained) + 1))
    return reals.square_root(1 + ratio)


def _log_ratio(factor, trained):
    """ln(factor) / ln(trained) where it is a fraction, else None."""
    # trained is at most the power bit_length of an integer, which bounds the denominator
    ratio = reals.evaluated(lambda digits: digits.log(factor) / digits.log(trained))
    likely = Fraction(ratio.fixed(256), 1 << 256).limit_denominator(trained.bit_length())
    return likely if factor**likely.denominator == Fraction(trained) ** likely.numerator else None
