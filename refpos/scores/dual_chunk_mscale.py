"""What models with dual chunk attention multiply their tables or scores by."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..types import Array, DType, Number

__all__ = ["dual_chunk_mscale"]

#: slope of the logarithm in each project
Version = Literal["chunkllama", "vllm"]
SLOPES = {"chunkllama": Fraction(1, 20), "vllm": Fraction(1, 10)}


@register(
    family="scores",
    paper="An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463",
    conventions="version chunkllama (slope 1/20) or vllm (slope 1/10), no default",
)
def dual_chunk_mscale(scale: Number, *, version: Version, dtype: DType = "float64", out: Array | None = None) -> Array:
    """The factor that dual chunk attention takes from YaRN where a sequence exceeds the trained length.

        m = ln(scale) / 20 + 1  (chunkllama),  ln(scale) / 10 + 1  (vllm);  1 for scale <= 1

    Parameters
    ----------
    scale : float or Fraction
        The length of the sequence divided by the trained one, a number greater than 0, taken as exactly what it is (a
        Fraction says a ratio exactly).
    version : {'chunkllama', 'vllm'}
        Program whose slope is taken, as stated above.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of shape (), the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_NUMBER, E_CHOICE (version), E_DTYPE, E_OUT.

    Notes
    -----
    In ChunkLlama cosine and sine of queries and of keys are multiplied by m, so that a score is by m**2; in vLLM the
    keys as they are cached, and the softmax scale or in decoding the queries, which gives m**2 as well.

    References
    ----------
    - HKUNLP/ChunkLlama, chunkllama_attn_replace.py, get_mscale (its flash_decoding_chunkllama.py has slope 1/10).
    - vllm-project/vllm, attention/backends/dual_chunk_flash_attn.py, scaling_factor.

    Examples
    --------
    >>> float(dual_chunk_mscale(4, version="chunkllama")), float(dual_chunk_mscale(4, version="vllm"))
    (1.0693147180559945, 1.138629436111989)
    """
    scale = checks.positive("scale", scale)
    slope = SLOPES[checks.choice("version", version, tuple(SLOPES))]
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (), fmt)
    value = reals.evaluated(lambda digits: slope * digits.log(scale) + 1) if scale > 1 else reals.rational(1)
    formats.bits(stored)[...] = value.pattern(fmt)
    return result
