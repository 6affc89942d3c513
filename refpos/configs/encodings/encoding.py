"""An encoding of a model that is no rotation: which one, where it enters, and the call that gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ...guard import guarded

__all__ = ["Encoding", "Place"]

Place = Literal["embeddings", "scores", "queries and keys"]


@guarded
@dataclass(frozen=True)
class Encoding:
    """One encoding of one part of a model, as its configuration describes it.

    part: "text", "vision", "encoder" and so on. name: the function of refpos, or the name of an encoding for which
    refpos has none. place: what it enters, "embeddings", "scores" or "queries and keys". call: a Python expression that
    gives it, or None where no call gives all of it yet. A name that takes queries (relative_scores, relative_values,
    xl_scores, deberta_scores, decomposed_scores) has as its call the rows that it reads, gated_bias the bias before the
    gate; table: the expression for the table of these rows where that is no weight, else None. inputs: what each name
    in them stands for. parameters: what the configuration decides, with `tensor`, the name of the weight in the state
    of the base model, and its `shape`. resize: the expression for an image of another size, or None. notes: what else a
    porter must know, a sentence each. source: project, version and file. weights: what else is known of the tensors:
    `stored_as`, another name in files; `transposed`, where the tensor is the transpose of the weight; `held_by`,
    "first" where the first layer alone has it, "stage" where each stage has its own shape; `stacked`, how many layers
    stand in one tensor; `shapes` of several tensors, and the `layers` that have them, or all `but_layers`.
    """

    part: str
    name: str
    place: Place
    call: str | None
    inputs: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    table: str | None = None
    resize: str | None = None
    notes: tuple[str, ...] = ()
    source: dict[str, str] = field(default_factory=dict)
    weights: dict[str, Any] = field(default_factory=dict)
