"""Dynamic NTK scaling: the base grows with the length of the sequence."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies
from ..types import Integer, Number
from .ntk import stretched

__all__ = ["dynamic_ntk"]


@register(
    family="frequencies",
    paper="emozilla 2023, Dynamic NTK; Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.3",
    conventions="lengths up to max_position_embeddings are not scaled",
    also="dynamic NTK, dynamic, dynamic NTK scaling, context extension",
)
def dynamic_ntk(
    dim: Integer,
    *,
    base: Number = 10000.0,
    factor: Number,
    max_position_embeddings: Integer,
    seq_len: Integer | None = None,
) -> Frequencies:
    """Dynamic NTK scaling: the base grows with the sequence once it is longer than the trained context.

        theta_i = (base x**(dim / (dim - 2)))**(-2i / dim),
        x = factor L / max_position_embeddings - (factor - 1),  L = max(seq_len, max_position_embeddings)

    Parameters
    ----------
    dim : int
        Rotary dimension, even, at least 4.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0, taken as exactly what it is.
    factor : float or Fraction
        Scaling factor, finite and greater than 0, taken as exactly what it is.
    max_position_embeddings : int
        Trained length of the model, at least 1.
    seq_len : int, optional
        The length of this sequence, at least 1; None means that of the model.

    Returns
    -------
    Frequencies
        `Frequencies`, rounded once where they are read, with the attention factor 1.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SIZE (dim 2, lengths), E_BASE, E_NUMBER (factor).

    Notes
    -----
    No state is kept: what a model remembers from earlier calls is `kept_length`.

    References
    ----------
    Transformers 5.23.0, modeling_rope_utils.py, _compute_dynamic_ntk_parameters.

    Examples
    --------
    >>> dynamic_ntk(4, base=100, factor=2, max_position_embeddings=8, seq_len=16).inv_freq * 3
    array([3. , 0.1])
    """
    dim = checks.even_width("dim", dim)
    base, factor = checks.positive("base", base, "E_BASE"), checks.positive("factor", factor)
    trained = checks.integer("max_position_embeddings", max_position_embeddings, 1)
    length = trained if seq_len is None else max(checks.integer("seq_len", seq_len, 1), trained)
    return stretched(dim, base, factor * Fraction(length, trained) - (factor - 1))


def kept_length(seq_len, kept, *, max_position_embeddings):
    """The length that a model with dynamic NTK scaling keeps after a call: the state of its rotary module.

    The scaling of a call is that of the length kept after it: seq_len where that is longer than any before, else the
    longest one so far; a sequence shorter than max_position_embeddings brings the kept length back to that. kept: the
    state before the call, max_position_embeddings at first.

    Raises E_SIZE.

    Source: transformers 5.23.0, modeling_rope_utils.py, dynamic_rope_update.

    >>> from refpos.frequencies.dynamic_ntk import kept_length
    >>> kept_length(16, 8, max_position_embeddings=8), kept_length(8, 16, max_position_embeddings=8)
    (16, 16)
    >>> kept_length(7, 16, max_position_embeddings=8)
    8
    """
    trained = checks.integer("max_position_embeddings", max_position_embeddings, 1)
    seq_len, kept = checks.integer("seq_len", seq_len, 1), checks.integer("kept", kept, trained)
    return trained if seq_len < trained else max(seq_len, kept)
