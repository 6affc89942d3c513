"""Rotary encodings of text models whose convention is not the common one: `from_config` reads all others."""

from __future__ import annotations

from .. import checks
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..frequencies.proportional import proportional
from ..frequencies.yarn import yarn
from ..types import Integer, Number
from .registry import TRANSFORMERS, from_transformers, preset, row
from .rotary import Rotary
from .token_positions import text


def plain(head_dim, pairing, base, rotary_dim=None, **options):
    """One set of frequencies over the rotated channels."""
    width = head_dim if rotary_dim is None else rotary_dim
    return Rotary(inverse_frequencies(width, base=base), pairing, checks.integer("head_dim", head_dim), **options)


@from_transformers(
    file="models/llama/modeling_llama.py", positions=text,
    notes=("Checkpoints of Meta are in interleaved pairs: `llama_meta`; the conversion permutes their weights.",),
)  # fmt: skip
def llama(head_dim: Integer = 128, *, base: Number = 10000) -> Rotary:
    """Llama 2 as transformers has it, and most text models.

    base**(-2i / head_dim); half

    >>> llama().pairing
    'half'
    """
    return plain(head_dim, "half", base)


@preset(
    project="meta-llama/llama", version="689c7f2", file="llama/model.py, apply_rotary_emb",
    positions=text,
    notes=("A product of complex numbers in the original.",),
)  # fmt: skip
def llama_meta(head_dim: Integer = 128, *, base: Number = 10000) -> Rotary:
    """Llama 2 as Meta released it.

    base**(-2i / head_dim); interleaved

    >>> llama_meta().pairing
    'interleaved'
    """
    return plain(head_dim, "interleaved", base)


@from_transformers(
    file="models/gptj/modeling_gptj.py", positions=text,
    notes=("Tables are [sin | cos], and functions take sin before cos.", "CodeGen is the same."),
)  # fmt: skip
def gptj(head_dim: Integer = 256, *, rotary_dim: Integer = 64, base: Number = 10000) -> Rotary:
    """GPT-J and CodeGen: interleaved, on the first channels.

    base**(-2i / rotary_dim), the other channels left; interleaved

    >>> gptj().rotary_dim
    64
    """
    return plain(head_dim, "interleaved", base, rotary_dim)


row(
    llama_meta, "roformer", "RoFormer: the paper's own encoding.", "models/roformer/modeling_roformer.py",
    "Angles come from the additive table; values are rotated too where config.rotary_value is set.", head_dim=64,
    **TRANSFORMERS,
)  # fmt: skip


@from_transformers(file="models/gpt_neox/modeling_gpt_neox.py", positions=text)
def gpt_neox(head_dim: Integer = 96, *, rotary_dim: Integer = 24, base: Number = 10000) -> Rotary:
    """GPT-NeoX 20B: a quarter of the channels.

    base**(-2i / rotary_dim), the other channels left; half

    >>> gpt_neox().rotary_dim
    24
    """
    return plain(head_dim, "half", base, rotary_dim)


row(
    llama_meta, "cohere", "Cohere Command R: interleaved.", "models/cohere/modeling_cohere.py",
    "Tables repeat each angle in place; queries and keys are rotated in float32.", base=500000, **TRANSFORMERS,
)  # fmt: skip

row(
    gptj, "glm", "GLM-4: interleaved, on the first half of the channels.", "models/glm/modeling_glm.py",
    "Tables hold each angle tiled; the rotation takes their first half.", "GLM-4 (0414) is the same.", head_dim=128,
)  # fmt: skip

row(llama_meta, "helium", "Helium: interleaved.", "models/helium/modeling_helium.py", base=100000, **TRANSFORMERS)

row(
    llama_meta, "ernie4_5", "ERNIE 4.5: interleaved.", "models/ernie4_5/modeling_ernie4_5.py",
    "Tables stay float32 whatever the model's dtype.", base=500000, **TRANSFORMERS,
)  # fmt: skip


@from_transformers(
    file="models/deepseek_v2/modeling_deepseek_v2.py", positions=text,
    notes=(
        "Queries and keys are [not rotated | rotated]; the rotated part of the keys is shared by all heads.",
        "Released checkpoints scale the frequencies by yarn: `from_config` reads how.",
        "DeepSeek-V3 turns the same pairs and writes the result in halves, evens first; scores agree, keys do not.",
    ),
)  # fmt: skip
def deepseek_v2(qk_nope_head_dim: Integer = 128, *, qk_rope_head_dim: Integer = 64, base: Number = 10000) -> Rotary:
    """DeepSeek-V2, multi-head latent attention: the last channels, interleaved.

    base**(-2i / qk_rope_head_dim) on the last channels, the first left; interleaved

    >>> deepseek_v2().head_dim, deepseek_v2().placement
    (192, 'last')
    """
    width = qk_nope_head_dim + qk_rope_head_dim
    return plain(width, "interleaved", base, qk_rope_head_dim, placement="last")


@from_transformers(
    file="models/gpt_oss/modeling_gpt_oss.py", positions=text,
    notes=("The ends of the ramp are not cut to integers; the factor multiplies cosine and sine.",),
)  # fmt: skip
def gpt_oss(
    head_dim: Integer = 64,
    *,
    base: Number = 150000,
    factor: Number = 32,
    original_max_position_embeddings: Integer = 4096,
) -> Rotary:
    """gpt-oss: yarn without truncation.

    yarn(base, factor 32, 4096 positions, beta_fast 32, beta_slow 1, truncate=False); half

    >>> gpt_oss().attention_factor
    1.3465735902799727
    """
    frequencies = yarn(
        head_dim,
        base=base,
        factor=factor,
        original_max_position_embeddings=original_max_position_embeddings,
        truncate=False,
    )
    return Rotary(frequencies, "half", head_dim)


@from_transformers(
    file="models/nanochat/modeling_nanochat.py", positions=text,
    notes=("Its rotate_half is [x2, -x1]: with the same weights the scores are those of the mirrored distance.",),
)  # fmt: skip
def nanochat(head_dim: Integer = 128, *, base: Number = 10000) -> Rotary:
    """nanochat: rotates by -p.

    -base**(-2i / head_dim); half

    >>> nanochat().inverse
    True
    """
    return plain(head_dim, "half", base, inverse=True)


@from_transformers(
    file="models/gemma4/modeling_gemma4.py", positions=text,
    notes=("Layers of sliding attention have head_dim 256, all frequencies and base 10000.",),
)  # fmt: skip
def gemma4(head_dim: Integer = 512, *, partial_rotary_factor: Number = 0.25, base: Number = 1000000) -> Rotary:
    """Gemma 4, full attention: the exponents of the whole width, three quarters of the frequencies 0.

    base**(-2i / head_dim) for i < head_dim / 8, then 0; half

    >>> int((gemma4().inv_freq == 0).sum())
    192
    """
    frequencies = proportional(head_dim, base=base, partial_rotary_factor=partial_rotary_factor)
    return Rotary(frequencies, "half", head_dim)
