"""YaRN: NTK-by-parts with a factor on cosine and sine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles.frequencies import Frequencies
from ..types import Integer, Number
from .ntk_by_parts import Clamp, ntk_by_parts

__all__ = ["yarn"]

COEFFICIENT = Fraction(1, 10)
MscaleRule = Literal["both", "ratio"]
RULES = get_args(MscaleRule)


@register(
    family="frequencies",
    paper="Peng et al. 2023, YaRN, arXiv:2309.00071, sections 3.2 and 3.4",
    conventions="truncate; clamp dim-1 (the authors' code, transformers) or dim/2-1; mscale_rule both or ratio",
    also="YaRN, yet another RoPE extension, mscale, context extension, long context, YaRN scaling",
)
def yarn(
    dim: Integer,
    *,
    base: Number = 10000.0,
    factor: Number | None = None,
    original_max_position_embeddings: Integer,
    max_position_embeddings: Integer | None = None,
    beta_fast: Number = 32,
    beta_slow: Number = 1,
    truncate: bool = True,
    clamp: Clamp = "dim-1",
    attention_factor: Number | None = None,
    mscale: Number | None = None,
    mscale_all_dim: Number | None = None,
    mscale_rule: MscaleRule = "both",
) -> Frequencies:
    """YaRN scaling: low frequencies divided by a factor, high ones kept, and an attention factor on cos and sin.

        theta_i = base**(-2i / dim) (1 - g_i + g_i / factor),  g_i the ramp of `ntk_by_parts`
        both       a = m(factor, mscale) / m(factor, mscale_all_dim) where both are given and not 0, or m(factor, 1)
        ratio      a = m(factor, mscale) / m(factor, mscale_all_dim), with 1 for no mscale and 0 for no mscale_all_dim
        m(s, c) = c ln(s) / 10 + 1 for s > 1,  1 for s <= 1

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, a finite number greater than 1.
    factor : float or Fraction, optional
        Scaling factor, a number greater than 0; without it max_position_embeddings / original_max_position_embeddings.
    original_max_position_embeddings : int
        Length of pretraining, at least 1.
    max_position_embeddings : int, optional
        Length of the model, from which factor is computed where it is not given.
    beta_fast : float or Fraction, default 32
        Number of periods above which frequencies are kept, as in `ntk_by_parts`.
    beta_slow : float or Fraction, default 1
        Number of periods below which frequencies are divided by factor, as in `ntk_by_parts`.
    truncate : bool, default True
        False leaves floor and ceil out of the ramp, as in `ntk_by_parts`.
    clamp : {'dim-1', 'dim/2-1'}, default 'dim-1'
        Largest value of high in the ramp, as in `ntk_by_parts`.
    attention_factor : float or Fraction, optional
        Attention factor, a number greater than 0 in place of a.
    mscale, mscale_all_dim : float or Fraction, optional
        Numbers of the attention factor, not below 0.
    mscale_rule : {'both', 'ratio'}, default 'both'
        Rule of the attention factor: "both" is that of transformers, in which one of the two alone changes nothing;
        "ratio" that of DeepSeek's code, which Megatron, vLLM and MLX follow.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read.

    Raises
    ------
    InputError
        What `ntk_by_parts` raises, E_SIZE (max_position_embeddings), E_CHOICE (mscale_rule), and E_NUMBER for
        attention_factor, mscale, mscale_all_dim out of range, and for factor where nothing gives it (E_ODD_DIM,
        E_BASE).

    Notes
    -----
    Numbers given are taken as exactly what they are; the 1/10 is the paper's. `attention_factor` of the result is a,
    which tables and rotations are multiplied by; models that scale the scores instead multiply their softmax scale by
    `yarn_softmax_scale`.

    References
    ----------
    - Peng et al. 2023, arXiv:2309.00071, sections 3.2 and 3.4.
    - transformers 5.23.0, modeling_rope_utils.py, _compute_yarn_parameters.
    - mscale: deepseek-ai/DeepSeek-V2, modeling_deepseek.py.

    Examples
    --------
    >>> given = dict(factor=40, original_max_position_embeddings=4096)
    >>> yarn(64, **given).attention_factor
    1.3688879454113936
    >>> yarn(64, **given, mscale=1, mscale_all_dim=1).attention_factor  # DeepSeek-V3
    1.0
    >>> yarn(64, **given, mscale=0.707, mscale_rule="ratio").attention_factor
    1.2608037774058554
    """
    frequencies = ntk_by_parts(
        dim,
        base=base,
        factor=given_factor(factor, max_position_embeddings, original_max_position_embeddings),
        original_max_position_embeddings=original_max_position_embeddings,
        beta_fast=beta_fast,
        beta_slow=beta_slow,
        truncate=truncate,
        clamp=clamp,
    )
    factor = given_factor(factor, max_position_embeddings, original_max_position_embeddings)
    scales = used_mscales(mscale, mscale_all_dim, checks.choice("mscale_rule", mscale_rule, RULES))
    if attention_factor is not None:
        return replace(frequencies, factor=reals.rational(checks.positive("attention_factor", attention_factor)))
    return replace(frequencies, factor=_ratio(factor, *scales))


def given_factor(factor, max_position_embeddings, original_max_position_embeddings):
    """The factor, or the ratio of the two lengths."""
    trained = checks.integer("original_max_position_embeddings", original_max_position_embeddings, 1)
    if max_position_embeddings is not None:
        max_position_embeddings = checks.integer("max_position_embeddings", max_position_embeddings, 1)
    if factor is not None:
        return checks.positive("factor", factor)
    if max_position_embeddings is None:
        raise InputError("E_NUMBER", "factor", "factor must be given where max_position_embeddings is not, got None")
    return Fraction(max_position_embeddings, trained)


def used_mscales(mscale, mscale_all_dim, rule):
    """The two numbers, as fractions, that the attention factor is a ratio of."""
    scales = _scale("mscale", mscale), _scale("mscale_all_dim", mscale_all_dim)
    if rule == "ratio":
        return Fraction(1) if mscale is None else scales[0], scales[1]
    return scales if all(scales) else (Fraction(1), Fraction(0))


def _scale(name, value):
    number = Fraction(0) if value is None else checks.real(name, value)
    if number < 0:
        raise InputError("E_NUMBER", name, f"{name} must be at least 0, got {shown(value)}")
    return number


def softmax_scale(factor, mscale):
    """m(factor, mscale) as a `Real`; irrational but for 1, since the logarithm of a fraction is."""
    if factor <= 1 or mscale == 0:
        return reals.rational(1)
    return reals.evaluated(lambda digits: mscale * COEFFICIENT * digits.log(factor) + 1)


def _ratio(factor, mscale, mscale_all_dim):
    if factor <= 1 or mscale == mscale_all_dim:
        return reals.rational(1)
    above, below = softmax_scale(factor, mscale), softmax_scale(factor, mscale_all_dim)
    if mscale_all_dim == 0:
        return above
    return reals.evaluated(lambda digits: digits.of(above) / digits.of(below))
