"""What a configuration says of a model: its parts, and what became of its keys."""

from __future__ import annotations

from dataclasses import dataclass

from .. import checks
from ..errors import InputError
from ..models.rotary import Rotary

__all__ = ["ModelConfig", "Part"]


@dataclass(frozen=True)
class Part:
    """A part of a model, such as text or vision.

    rotaries: a `Rotary` for each layer type, or one named "all"; layers: for each layer the name of its Rotary, or
    None where it has no rotation; empty where all layers are alike.
    """

    model_type: str
    rotaries: dict[str, Rotary]
    layers: tuple[str | None, ...] = ()

    @property
    def without_rope(self) -> tuple[int, ...]:
        """The layers that have no rotation (NoPE), counted from 0."""
        return tuple(i for i, name in enumerate(self.layers) if name is None)


@dataclass(frozen=True)
class ModelConfig:
    """What a configuration means: the parts of a model, and what became of each key.

    parts: `Part` by name. used: what each key of the file decided. ignored: why others decided nothing. assumed: the
    values of keys that the file does not have, as the class of the model fixes them in the project and version that
    `Rotary.source` names.
    """

    model_type: str
    parts: dict[str, Part]
    used: dict[str, str]
    ignored: dict[str, str]
    assumed: dict[str, str]

    def rotary(self, part: str | None = None, layer_type: str | None = None) -> Rotary:
        """The `Rotary` of a part and a layer type; either may be left out where there is one."""
        return _only("layer_type", layer_type, self.part(part).rotaries)

    def part(self, name: str | None = None) -> Part:
        """The `Part` of that name, which may be left out where there is one."""
        return _only("part", name, self.parts)


def _only(argument, name, by_name):
    """The value of that name, or where it is None the only value there is."""
    if name is None and len(by_name) == 1:
        return next(iter(by_name.values()))
    if name is None:
        known = ", ".join(by_name) or "none"
        raise InputError("E_MISSING", argument, f"{argument} must be one of {known}, got None")
    return by_name[checks.choice(argument, name, tuple(by_name))]
