"""What a configuration says of a model: its parts, and what became of its keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import checks
from ..errors import InputError
from ..guard import guarded
from ..models.rotary import Rotary
from .encodings.encoding import Encoding

__all__ = ["Encoding", "ModelConfig", "Part"]


@guarded
@dataclass(frozen=True)
class Part:
    """A part of a model, such as text or vision.

    Attributes
    ----------
    model_type : str
        Type of the part.
    rotaries : dict of Rotary
        A `Rotary` for each layer type, or one named "all".
    layers : tuple of str or None
        For each layer the name of its Rotary, or None where it has no rotation; empty where all layers are alike.
    first_position : int
        The position id of the first token, where the model is given none.
    """

    model_type: str
    rotaries: dict[str, Rotary]
    layers: tuple[str | None, ...] = ()
    first_position: int = 0

    @property
    def without_rope(self) -> tuple[int, ...]:
        """The layers that have no rotation (NoPE), counted from 0."""
        return tuple(i for i, name in enumerate(self.layers) if name is None)


@guarded
@dataclass(frozen=True)
class ModelConfig:
    """What a configuration means: the encodings of the parts of a model, and what became of each key.

    Attributes
    ----------
    model_type : str
        Type of the model.
    parts : dict of Part
        `Part` by name, those with a rotation.
    used : dict of str
        What each key of the file decided.
    ignored : dict of str
        Why others decided nothing.
    assumed : dict of str
        The values of keys that the file does not have, as the class of the model fixes them in the project and version
        that `Rotary.source` and `Encoding.source` name.
    encodings : tuple of Encoding
        An `Encoding` for each one that is not a rotation.
    unread : dict of str
        What the answer leaves out: objects of types that are not described, and keys that nothing reads although their
        names are those of positions.
    """

    model_type: str
    parts: dict[str, Part]
    used: dict[str, str]
    ignored: dict[str, str]
    assumed: dict[str, str]
    encodings: tuple[Encoding, ...] = ()
    unread: dict[str, str] = field(default_factory=dict)

    def encoding(self, part: str | None = None, name: str | None = None) -> Encoding:
        """The `Encoding` of a part and a name, which is no rotation; either may be left out where there is one."""
        if not self.encodings:
            sentence = f"model_type must be one with an encoding that is no rotation, got {self.model_type}"
            raise InputError("E_MISSING", "model_type", sentence)
        of_part = only("part", part, _grouped(self.encodings, "part"))
        of_name = only("name", name, _grouped(of_part, "name"))
        if len(of_name) > 1:
            sentence = f"part and name must choose one encoding, got {len(of_name)} with the name {of_name[0].name}"
            raise InputError("E_MISSING", "name", sentence)
        return of_name[0]

    def rotary(self, part: str | None = None, layer_type: str | None = None) -> Rotary:
        """The `Rotary` of a part and a layer type; either may be left out where there is one."""
        return only("layer_type", layer_type, self.part(part).rotaries)

    def part(self, name: str | None = None) -> Part:
        """The `Part` of that name, which may be left out where there is one."""
        if not self.parts:
            what = ", ".join(dict.fromkeys(f"{one.name} ({one.part})" for one in self.encodings))
            sentence = f"model_type must be one with a rotary encoding, got {self.model_type}, which has {what}"
            raise InputError("E_MISSING", "model_type", sentence)
        return only("part", name, self.parts)


def _grouped(encodings, attribute):
    """{value of an attribute: the encodings with it}."""
    groups = {}
    for encoding in encodings:
        groups.setdefault(getattr(encoding, attribute), []).append(encoding)
    return groups


def only(argument, name, by_name):
    """The value of that name, or where it is None the only value there is."""
    if name is None and len(by_name) == 1:
        return next(iter(by_name.values()))
    if name is None:
        known = ", ".join(by_name) or "none"
        raise InputError("E_MISSING", argument, f"{argument} must be one of {known}, got None")
    return by_name[checks.choice(argument, name, tuple(by_name))]
