"""NTK-aware scaling: a larger base in place of smaller frequencies."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies, frequencies_of_powers, geometric_frequencies
from ..types import Integer, Number

__all__ = ["ntk"]

Rule = Literal["power", "product"]
RULES = get_args(Rule)


@register(
    family="frequencies",
    paper="bloc97 2023, NTK-aware scaled RoPE; Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.1",
    conventions="rule power (the paper) or product (diffusers)",
    also="NTK-aware, NTK-aware scaling, context extension",
)
def ntk(dim: Integer, *, base: Number = 10000.0, factor: Number, rule: Rule = "power") -> Frequencies:
    """NTK-aware RoPE scaling: a larger base divides the lowest frequency by the factor and keeps the highest.

        power      theta_i = (base factor**(dim / (dim - 2)))**(-2i / dim)
        product    theta_i = (base factor)**(-2i / dim)

    Parameters
    ----------
    dim : int
        Rotary dimension, even, at least 4 under the rule "power".
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0, taken as exactly what it is.
    factor : float or Fraction
        Scaling factor, finite and greater than 0, taken as exactly what it is.
    rule : {'power', 'product'}, default 'power'
        Which formula, as stated above.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SIZE when the exponent dim / (dim - 2) has no value, E_BASE, E_NUMBER (factor), E_CHOICE (rule).

    References
    ----------
    - Peng et al. 2023, arXiv:2309.00071, section 3.1, equation 16.
    - The rule "product": diffusers, embeddings.py, ntk_factor of get_1d_rotary_pos_embed.

    Examples
    --------
    >>> ntk(4, base=10000, factor=16).inv_freq[1] * 16 == 0.01
    np.True_
    """
    dim = checks.even_width("dim", dim)
    base, factor = checks.positive("base", base, "E_BASE"), checks.positive("factor", factor)
    if checks.choice("rule", rule, RULES) == "product":
        return geometric_frequencies(dim, dim // 2, Fraction(2, dim), base * factor)
    return stretched(dim, base, factor)


def stretched(dim, base, factor):
    """The frequencies of the base times factor**(dim / (dim - 2)), both fractions."""
    checks.integer("dim", dim, 4)
    return frequencies_of_powers(dim, dim // 2, ((base, Fraction(2, dim)), (factor, Fraction(2, dim - 2))))
