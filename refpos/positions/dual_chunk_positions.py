"""Positions of dual chunk attention: one for keys, one for queries in each of three regions."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike, read_whole_positions
from ..types import Integer, Integers
from . import _windows

Role = Literal["key", "intra", "successive", "inter", "successive-critical", "inter-critical"]
ROLES = get_args(Role)
Version = Literal["paper", "chunkllama"]
VERSIONS = get_args(Version)


@register(
    family="positions",
    paper="An et al. 2024, Training-Free Long-Context Scaling of Large Language Models, arXiv:2402.17463, section 3",
    conventions="largest position chunk_size - 1 (version paper) or chunk_size (chunkllama, vLLM too), no default",
    also="dual chunk attention, DCA, ChunkLlama",
)
def dual_chunk_positions(
    positions: PositionsLike, *, role: Role, chunk_size: Integer, local_size: Integer, version: Version
) -> Integers:
    """The position ids by which dual chunk attention (DCA) rotates keys and queries.

        key:         p mod s                    s = chunk_size - local_size
        intra:       p mod s                    queries whose key is in the same chunk of s tokens
        successive:  min(p mod s + s, top)      queries whose key is in the chunk before
        inter:       min(2s - 1, top)           queries whose key is further back; top in version "paper"
        successive-critical:  p mod s + s       vLLM, where it looks for the keys worth attending to
        inter-critical:  p mod s + chunk_size   vLLM, likewise

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or integers of any shape, 0 to 2**53.
    role : {'key', 'intra', 'successive', 'inter', 'successive-critical', 'inter-critical'}
        What the position ids are for, as stated above.
    chunk_size : int
        Size of a chunk, at least 2, at most 2**31.
    local_size : int
        Number of the nearest keys that keep their distance across chunks, from 0 to chunk_size - 1.
    version : {'paper', 'chunkllama'}
        Value of top: "paper" has top = chunk_size - 1, so that chunk_size positions occur (c there, which is s + w);
        "chunkllama", and vLLM, have top = chunk_size.

    Returns
    -------
    ndarray of int64
        int64 of the shape of positions; `dual_chunk_regions` says which role a pair has.

    Raises
    ------
    InputError
        E_POSITION, E_CHOICE (role, version), E_SIZE (chunk_size, local_size).

    Notes
    -----
    ChunkLlama takes chunk_size = 3 L // 4 of the pretraining length L, and local_size L // 8 (Llama, Mistral) or L //
    16 (Qwen and earlier versions); Qwen2.5-1M in vLLM gives both in its config.

    References
    ----------
    - An et al. 2024, arXiv:2402.17463, section 3.
    - HKUNLP/ChunkLlama, chunkllama_attn_replace.py, ChunkLlamaRotaryEmbedding.
    - vllm-project/vllm, layers/rotary_embedding/dual_chunk_rope.py.

    Examples
    --------
    >>> dual_chunk_positions(8, role="key", chunk_size=10, local_size=4, version="paper")
    array([0, 1, 2, 3, 4, 5, 0, 1])
    >>> dual_chunk_positions(8, role="successive", chunk_size=10, local_size=4, version="paper")
    array([6, 7, 8, 9, 9, 9, 6, 7])
    >>> dual_chunk_positions(8, role="successive", chunk_size=10, local_size=4, version="chunkllama")
    array([ 6,  7,  8,  9, 10, 10,  6,  7])
    """
    positions = read_whole_positions("positions", positions)
    chunk_size, length = read_chunk(chunk_size, local_size)
    return query_or_key(positions, checks.choice("role", role, ROLES), length, chunk_size, version)


def read_chunk(chunk_size, local_size):
    """(chunk size, how many tokens a chunk has)."""
    chunk_size = _windows.read_size("chunk_size", chunk_size, 2)
    return chunk_size, chunk_size - checks.integer("local_size", local_size, 0, chunk_size - 1)


def query_or_key(positions, role, length, chunk_size, version):
    """The positions of one role, from whole positions and the length of a chunk."""
    paper = checks.choice("version", version, VERSIONS) == "paper"
    within, top = positions % length, chunk_size - 1 if paper else chunk_size
    if role == "successive":
        return np.minimum(within + length, top)
    if role == "inter":
        return np.full_like(positions, top if paper else min(2 * length - 1, top))
    return within + {"successive-critical": length, "inter-critical": chunk_size}.get(role, 0)
