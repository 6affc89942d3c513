"""Rotated heads inside a buffer: those of `rope`, and every other element as it was."""

import numpy as np
from float32.angles import rope as float32_rope
from float32.registry import float32
from witness.formulas import with_specials
from witness.suites import WITNESSES, witness


def rotated_heads(heads, kv, fusion):
    """The numbers of the heads in a row that are queries or keys."""
    if fusion == "concatenated":
        return list(range(heads + kv))
    share = heads // kv + 2
    return [head for head in range(heads + 2 * kv) if head % share != share - 1]


def split(x, num_heads, num_kv_heads, fusion):
    """(x with an axis of heads, which of them are rotated)."""
    kv = num_kv_heads or num_heads
    heads = num_heads + 2 * kv
    return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads), rotated_heads(num_heads, kv, fusion)


@witness(
    "rope_in_qkv",
    source=(
        "paper: Su et al. 2021, arXiv:2104.09864, section 3.4.2",
        "code: flash-attention 2.8.3, flash_attn/layers/rotary.py, apply_rotary_emb_qkv_",
    ),
)
def exact(given, call, dtype):
    given = dict(given)
    x = given.pop("x")
    rows, which = split(x, given.pop("num_heads"), given.pop("num_kv_heads", None), given.pop("fusion"))
    made = with_specials(rows.astype(np.float64), dtype)
    if rows.size:
        turned = WITNESSES["rope"]({**given, "x": rows[..., which, :], "seq_axis": -3}, call, dtype)["output"]
        made[..., which, :] = turned
    return {"output": made.reshape(x.shape)}


@float32("rope_in_qkv", kind="float32-angle", defaults=False, wide=("x", "positions"))
def program(x, positions, num_heads, fusion, num_kv_heads=None, **options):
    rows, which = split(np.array(x), num_heads, num_kv_heads, fusion)
    rows[..., which, :] = float32_rope(rows[..., which, :], positions, seq_axis=-3, **options)
    return rows.reshape(x.shape)


@witness("rope_to_cache", source="code: vllm 0.11.0, csrc/cache_kernels.cu, reshape_and_cache_flash_kernel")
def written(given, call, dtype):
    given = dict(given)
    x, cache, slots = given.pop("x"), given.pop("cache"), given.pop("slot_mapping").tolist()
    made = with_specials(cache.astype(np.float64), dtype).reshape(-1, *cache.shape[-2:])
    if x.size:
        turned = WITNESSES["rope"]({**given, "x": x, "seq_axis": -3}, call, dtype)["output"]
        for token, slot in enumerate(slots):
            if slot >= 0:
                made[slot] = turned[token]
    return {"output": made.reshape(cache.shape)}


@float32("rope_to_cache", kind="float32-angle", defaults=False, wide=("x", "cache", "positions"))
def written_by_a_program(x, positions, cache, slot_mapping, **options):
    made = np.array(cache).reshape(-1, *cache.shape[-2:])
    turned = float32_rope(x, positions, seq_axis=-3, **options)
    for token, slot in enumerate(np.asarray(slot_mapping).tolist()):
        if slot >= 0:
            made[slot] = turned[token]
    return made.reshape(cache.shape)
