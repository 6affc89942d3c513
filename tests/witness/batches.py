"""Positions in batches once more, token by token in plain Python from the sources that each function names.

Each function takes what the builder of its name takes and returns nested lists in the order of its outputs.
"""

from .position_ids import lists, qwen2_vl_positions

#: outputs of what has more than one
NAMES = {
    "unpad_indices": ("indices", "inverse", "cu_seqlens"),
    "context_parallel_indices": ("indices", "inverse"),
    "streaming_positions": ("indices", "positions"),
    "compressed_positions": ("positions", "visible"),
    "packed_mrope_positions": ("positions", "deltas"),
}
#: {suite: what its function was written from}, as `witness` of witness/suites.py takes it
SOURCES = {
    "cu_seqlens": "code: flash-attention 3c0d495, flash_attn/flash_attn_interface.py, flash_attn_varlen_func",
    "packed_positions": "code: transformers 5.23.0, data/data_collator.py, DataCollatorWithFlattening",
    "sequence_ids": "code: transformers 5.23.0, data/data_collator.py, DataCollatorWithFlattening",
    "unpad_indices": "code: flash-attention 3c0d495, flash_attn/bert_padding.py, unpad_input",
    "context_parallel_indices": "code: TransformerEngine 2.8, common/fused_attn/context_parallel.cu",
    "inverse_permutation": "definition: the inverse of a permutation",
    "tree_depths": "paper: Cai et al. 2024, arXiv:2401.10774, section 2.1.2",
    "streaming_positions": "code: streaming-llm d729b3f, streaming_llm/kv_cache.py, StartRecentKVCache",
    "compressed_positions": "code: transformers 5.23.0, models/deepseek_v4/modeling_deepseek_v4.py",
    "packed_mrope_positions": "code: transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py, get_rope_index",
}


def sequences(cu_seqlens):
    """The tokens of each sequence, as ranges."""
    bounds = lists(cu_seqlens)
    bounds = [0, bounds] if isinstance(bounds, int) else bounds
    return [range(bounds[s], bounds[s + 1]) for s in range(len(bounds) - 1)]


def cu_seqlens(values, *, rule):
    values, bounds = lists(values), [0]
    if rule == "lengths":
        for length in values:
            bounds.append(bounds[-1] + length)
        return bounds
    for t in range(1, len(values)):
        one = values[t]
        begins = {
            "segments": one != values[t - 1],
            "first": one == min(values),
            "zeros": one == 0,
            "jumps": one - values[t - 1] != 1,
        }
        if begins[rule]:
            bounds.append(t)
    return bounds + [len(values)] * (len(values) > 0)


def packed_positions(cu_seqlens, *, restart, offsets=0):
    """The collator starts `range(len(input_ids))` anew for each sample; vLLM adds what is computed of each request."""
    positions, offsets = [], lists(offsets)
    for s, tokens in enumerate(sequences(cu_seqlens)):
        offset = offsets if isinstance(offsets, int) else offsets[s]
        for inside in range(len(tokens)):
            positions.append(offset + (inside if restart else len(positions)))
    return positions


def sequence_ids(cu_seqlens):
    return [s for s, tokens in enumerate(sequences(cu_seqlens)) for _ in tokens]


def unpad_indices(attention_mask):
    indices, inverse, bounds = [], [], [0]
    for row, slots in enumerate(lists(attention_mask)):
        inverse.append([])
        for column, kept in enumerate(slots):
            inverse[-1].append(len(indices) if kept else -1)
            if kept:
                indices.append(row * len(slots) + column)
        bounds.append(len(indices))
    return indices, inverse, bounds


def context_parallel_indices(cu_seqlens, *, ranks, order):
    """Slices of each sequence, as extract_local of ring-flash-attention takes them, joined for each rank."""
    shards = []
    for rank in range(ranks):
        shard = []
        for tokens in sequences(cu_seqlens):
            if order == "striped":
                shard += tokens[rank::ranks]
            elif order == "contiguous":
                part = len(tokens) // ranks
                shard += tokens[rank * part : (rank + 1) * part]
            else:
                part = len(tokens) // (2 * ranks)
                last = 2 * ranks - 1 - rank
                shard += [*tokens[rank * part : (rank + 1) * part], *tokens[last * part : (last + 1) * part]]
        shards.append(shard)
    return shards, inverse_permutation([shards])


def inverse_permutation(indices):
    flat = lists(indices)
    while flat and isinstance(flat[0], list):
        flat = [one for part in flat for one in part]
    return [flat.index(token) for token in range(len(flat))]


def tree_depths(parents, *, past_length=0):
    parents, past = lists(parents), lists(past_length)
    if parents and isinstance(parents[0], list):
        pasts = [past] * len(parents) if isinstance(past, int) else past
        return [tree_depths(row, past_length=one) for row, one in zip(parents, pasts, strict=True)]
    positions = []
    for node in parents:
        steps = 0
        while node != -1:
            node, steps = parents[node], steps + 1
        positions.append(past + steps)
    return positions


def streaming_positions(length, *, sinks, window, order):
    """Token by token as the caches do it; of a long text the tokens of the last windows, which overwrite all before."""
    size = sinks + window
    if order == "sequential":
        kept = list(range(length)) if length <= size else [*range(sinks), *range(length - window, length)]
        return kept, list(range(len(kept)))
    slots = list(range(min(length, size)))
    written = max(size, length - 2 * window)
    slot = sinks + (written - size) % window
    for token in range(written, length):
        slots[slot] = token
        slot = slot + 1 if slot + 1 < size else sinks
    return slots, [sorted(slots).index(token) for token in slots]


def compressed_positions(length, *, ratio, past_length=0):
    """Tokens that come one by one: the last of a window closes its row, which is seen from then on."""
    positions, visible, rows = [], [], past_length // ratio
    for p in range(past_length, past_length + length):
        if (p + 1) % ratio == 0:
            positions.append(rows * ratio)
            rows += 1
        visible.append(rows)
    return positions, visible


def packed_mrope_positions(cu_seqlens, mm_token_type_ids, *, image_grid_thw=None, video_grid_thw=None, **options):
    """Each sequence alone, with the grids of its own runs."""
    kinds, positions, deltas = lists(mm_token_type_ids), [[], [], []], []
    grids = {1: [*map(list, lists(image_grid_thw) or ())] if image_grid_thw is not None else [],
             2: [*map(list, lists(video_grid_thw) or ())] if video_grid_thw is not None else []}  # fmt: skip
    for tokens in sequences(cu_seqlens):
        row = [kinds[t] for t in tokens]
        if not row:
            deltas.append([0])
            continue
        own = {kind: [] for kind in grids}
        for before, kind in zip([0, *row[:-1]], row, strict=True):
            if kind and kind != before:
                own[kind].append(grids[kind].pop(0))
        found, delta = qwen2_vl_positions(
            [row], image_grid_thw=own[1] or None, video_grid_thw=own[2] or None, **options
        )
        for axis in range(3):
            positions[axis] += found[axis][0]
        deltas.append(delta[0])
    return positions, deltas
