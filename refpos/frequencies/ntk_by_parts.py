"""NTK-by-parts: high frequencies stay, low ones are divided, a ramp in between."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal, get_args

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, brief
from ..steps.angles.frequencies import Frequencies, scaled
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["ntk_by_parts"]

Clamp = Literal["dim-1", "dim/2-1"]
CLAMPS = get_args(Clamp)
SINGLE = Fraction(1, 1000)  # the width of a ramp whose two ends are one


@register(
    family="frequencies",
    paper="Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.2",
    conventions="truncate; clamp dim-1 (the authors' code, transformers) or dim/2-1",
    also="NTK-by-parts, context extension",
)
def ntk_by_parts(
    dim: Integer,
    *,
    base: Number = 10000.0,
    factor: Number,
    original_max_position_embeddings: Integer,
    beta_fast: Number = 32,
    beta_slow: Number = 1,
    truncate: bool = True,
    clamp: Clamp = "dim-1",
) -> Frequencies:
    """NTK-by-parts scaling: low frequencies divided by a factor, high ones kept; `yarn` without attention factor.

        theta_i = base**(-2i / dim) (1 - g_i + g_i / factor),  g_i = min(max((i - low) / (high - low), 0), 1)
        low = max(floor(D(beta_fast)), 0),  high = min(ceil(D(beta_slow)), dim - 1)
        D(r) = dim ln(original_max_position_embeddings / (2 pi r)) / (2 ln base)

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    base : float or Fraction, default 10000
        Base of the frequencies, a finite number greater than 1.
    factor : float or Fraction
        Scaling factor, a number greater than 0.
    original_max_position_embeddings : int
        The length of pretraining, at least 1.
    beta_fast : float or Fraction, default 32
        Number of periods within the length of pretraining above which frequencies are kept, a number greater than 0 and
        not below beta_slow, taken as exactly what it is.
    beta_slow : float or Fraction, default 1
        Number of periods below which frequencies are divided by factor, a number greater than 0, taken as exactly what
        it is.
    truncate : bool, default True
        Whether low and high are rounded; False leaves floor and ceil out.
    clamp : {'dim-1', 'dim/2-1'}, default 'dim-1'
        Largest value of high, "dim-1" or "dim/2-1".

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_BASE, E_SIZE (original_max_position_embeddings), E_CHOICE (truncate, clamp), E_NUMBER (factor,
        beta_fast, beta_slow; original_max_position_embeddings where it leaves low above high, which code answers with a
        ramp that goes the wrong way).

    Notes
    -----
    Where low = high, high is 1/1000 more.

    D is irrational for all arguments, so floor, ceil and the ends of the ramp are decided without error. The paper's
    own ramp, linear in the number of periods, is `llama3` with low_freq_factor 1 and high_freq_factor 32.

    References
    ----------
    - Peng et al. 2023, arXiv:2309.00071, section 3.2.
    - The authors' code (jquesnelle/yarn), LlamaYaRNScaledRotaryEmbedding.py.
    - transformers 5.23.0, modeling_rope_utils.py, _compute_yarn_parameters.

    Examples
    --------
    >>> ntk_by_parts(8, base=10000, factor=4, original_max_position_embeddings=4096).inv_freq
    array([1.00e+00, 1.00e-01, 6.25e-03, 2.50e-04])
    """
    dim = checks.even_width("dim", dim)
    base = checks.positive("base", base, "E_BASE")
    if base <= 1:
        raise InputError("E_BASE", "base", f"base must be greater than 1, got {brief(base)}")
    factor = checks.positive("factor", factor)
    trained = checks.integer("original_max_position_embeddings", original_max_position_embeddings, 1)
    fast, slow = checks.positive("beta_fast", beta_fast), checks.positive("beta_slow", beta_slow)
    if fast < slow:
        raise InputError(
            "E_NUMBER", "beta_fast", f"beta_fast must be at least beta_slow, got {brief(fast)} below {brief(slow)}"
        )
    most = dim - 1 if checks.choice("clamp", clamp, CLAMPS) == "dim-1" else dim // 2 - 1
    low, high = correction_range(dim, base, trained, fast, slow, checks.flag("truncate", truncate), most)
    return scaled(inverse_frequencies(dim, base=base), _multipliers(dim // 2, low, high, factor))


def correction_range(dim, base, trained, fast, slow, truncate, most):
    """The ends of the ramp as `Real`, in pairs of channels."""
    low, high = (reals.evaluated(partial(pairs_with_turns, dim, base, trained / beta)) for beta in (fast, slow))
    if truncate:
        low, high = reals.rational(reals.floor(low)), reals.rational(reals.ceiling(high))
    if reals.compare(low, 0) < 0:
        low = reals.rational(0)
    if reals.compare(high, most) > 0:
        high = reals.rational(most)
    # two ends that no integer replaced are one where the betas are
    same = fast == slow and low.rational is None and high.rational is None
    order = 0 if same else reals.compare(high, low)
    if order < 0:
        raise InputError(
            "E_NUMBER",
            "original_max_position_embeddings",
            f"original_max_position_embeddings must leave a ramp that goes up, got {trained}, with which it would go"
            f" from {float(low):.6g} to {float(high):.6g}",
        )
    if order == 0:
        known = low.rational is not None
        high = reals.rational(low.rational + SINGLE) if known else reals.evaluated(lambda d: d.of(low) + SINGLE)
    return low, high


def pairs_with_turns(dim, base, ratio, digits):
    """How many pairs of channels turn at least so often within the length of pretraining."""
    return digits.log(digits.of(ratio) / (2 * digits.pi())) * Fraction(dim, 2) / digits.log(base)


def _multipliers(count, low, high, factor):
    kept, divided = reals.rational(1), reals.rational(1 / factor)
    if factor == 1:
        return (kept,) * count
    # floor and ceiling say on which side of the ends an integer is
    below, above = min(reals.floor(low) + 1, count), min(reals.ceiling(high), count)
    ramp = _ramp(range(below, above), low, high, 1 - 1 / factor)
    return (kept,) * below + ramp + (divided,) * (count - below - len(ramp))


def _ramp(pairs, low, high, loss):
    if low.rational is not None and high.rational is not None:
        slope = loss / (high.rational - low.rational)
        start = 1 + slope * low.rational
        return tuple(reals.rational(start - slope * i) for i in pairs)
    share = reals.evaluated(lambda digits: loss / (digits.of(high) - digits.of(low)))
    return tuple(reals.evaluated(partial(_between, i, low, share)) for i in pairs)


def _between(i, low, share, digits):
    return 1 - (i - digits.of(low)) * digits.of(share)
