"""Mistakes of positions in batches: the cache left out, a batch shared out as a whole, nodes and rows by number."""

from __future__ import annotations

import numpy as np

from ..tensor_files import Tensor
from .mistake import Mistake

#: arguments that say how many tokens a cache has
CACHED = ("offsets", "past_length")


def other_batches(call):
    """The call with the cache left out or one token off, with other boundaries, or counted by number."""
    for name in CACHED:
        if _given(call, name) is not None:
            yield from _other_lengths(name)
    if call.suite == "context_parallel_indices" and np.ndim(_given(call, "cu_seqlens")):
        text = "cu_seqlens left out: the batch shared out as a whole"
        yield Mistake("cu_seqlens", text, "each sequence shared out", _as_one)
    if call.suite == "tree_depths":
        yield Mistake("parents", "positions by the number of the node", "positions by depth", _as_chains)
    if call.suite == "compressed_positions":
        text = f"rows at their number, not at the first of their {call.arguments['ratio']} tokens"
        yield Mistake("ratio", text, "rows at the first token", undo=lambda found: _by_number(call, found))


def _given(call, name):
    """The numbers of an argument, whether it is an array or a list; None without one."""
    return call.tensors[name].values if name in call.tensors else call.arguments.get(name)


def _with(call, name, value):
    """The call with a number or a list in place of an argument."""
    left = {key: tensor for key, tensor in call.tensors.items() if key != name}
    return call._replace(tensors=left).change(**{name: value})


def _other_lengths(name):
    text = f"{name} left out (a cache that was not told how far it is)"
    yield Mistake(name, text, name, lambda call: _with(call, name, 0))
    for shift in (1, -1):
        text = f"{name} {'+' if shift > 0 else '-'} 1"
        yield Mistake(
            name, text, name, lambda call, k=shift: _with(call, name, (np.asarray(_given(call, name)) + k).tolist())
        )


def _as_one(call):
    """One sequence with all tokens of the batch."""
    return _with(call, "cu_seqlens", int(_given(call, "cu_seqlens")[-1]))


def _as_chains(call):
    """Each node below the one before it."""
    shape = np.shape(_given(call, "parents"))
    return _with(call, "parents", np.broadcast_to(np.arange(-1, shape[-1] - 1, dtype=np.int64), shape).tolist())


def _by_number(call, found):
    """Answers whose rows were numbered, at the first tokens of their windows."""
    rows = found["positions"]
    return {**found, "positions": Tensor(rows.dtype, rows.values * call.arguments["ratio"])}
