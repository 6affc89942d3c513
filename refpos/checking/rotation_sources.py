"""What the rotated tensors of a forward pass were before: the output of a projection, or of an earlier rotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import torch_modules
from .finding import Finding

KEYS, VALUES = re.compile(r"^k(?:ey)?(?:_|$)"), re.compile(r"^v(?:alue)?(?:_|$)")


class Sources:
    """The outputs of the submodules of each module that runs, and which of them its rotations took."""

    def __init__(self) -> None:
        self.running: dict[str, dict[str, Any]] = {}
        self.earlier: dict[str, list[np.ndarray]] = {}
        self.layers: dict[str, list[tuple[set[str], set[str]]]] = {}

    def given(self, path: str, made: Any) -> None:
        """Note the output of a module, and forget those of its submodules."""
        self.running.pop(path, None)
        self.earlier.pop(path, None)
        parent, _, leaf = path.rpartition(".")
        if torch_modules.is_tensor(made):
            self.running.setdefault(parent, {})[leaf] = made
            if parent in self.earlier:
                self.layers[parent][-1][1].add(leaf)

    def fault(self, path: str, before: np.ndarray, after: np.ndarray) -> str | None:
        """What is wrong with the tensor that a rotation took, None where nothing is known to be."""
        made = self.running.get(path, {})
        if path not in self.earlier:
            self.layers.setdefault(path, []).append((set(), set(made)))
            self.earlier[path] = []
        taken = [leaf for leaf, one in made.items() if _has_same_numbers(one, before)]
        self.layers[path][-1][0].update(taken)
        again = any(one.shape == before.shape and np.array_equal(one, before) for one in self.earlier[path])
        if not np.array_equal(before, after):
            self.earlier[path].append(after)
        if again:
            return "differs: rotated twice, it is the result of an earlier rotation of this layer"
        if taken and all(VALUES.match(leaf) for leaf in taken):
            return f"differs: values are rotated, it is the output of {taken[0]}"
        return None

    def missing(self) -> Iterator[Finding]:
        """Findings of layers whose keys are not rotated, where other layers of such a name rotate them."""
        rotated: dict[str, set[str]] = {}
        for path, runs in self.layers.items():
            keys = {leaf for taken, _ in runs for leaf in taken if KEYS.match(leaf)}
            rotated.setdefault(re.sub(r"\d+", "#", path), set()).update(keys)
        for path, runs in self.layers.items():
            expected = rotated[re.sub(r"\d+", "#", path)]
            left = sorted({leaf for taken, ran in runs for leaf in expected & ran - taken})
            for leaf in left:
                yield Finding(f"{path}.{leaf}", "differs", "differs: its output is not rotated, as in other layers")


def _has_same_numbers(made, before):
    """Whether a tensor has the numbers of another, in whatever order of axes."""
    if int(made.numel()) != before.size:
        return False
    values = torch_modules.numbers(made).values
    return values.dtype == before.dtype and np.array_equal(np.sort(values, axis=None), np.sort(before, axis=None))
