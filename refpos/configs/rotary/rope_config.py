"""The rotation of a model as a record: what its configuration says, read once, for all that computes with it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ..model_defaults import ModelDefaults


@dataclass(frozen=True, kw_only=True)
class RopeConfig:
    """One rotation: the scaling, the widths and the pairs, with the values of the class where the file is silent."""

    row: ModelDefaults
    rope_type: str
    base: float
    head_dim: int
    width: int  # channels that the frequencies are made for, of each axis where there are several
    scaling: dict = field(default_factory=dict)  # arguments of the function of the scaling
    parameters: dict = field(default_factory=dict)  # what was read, by the names of the file
    pairing: str = "half"
    deinterleaved: bool = False
    sections: tuple | list = ()  # pairs of each axis of M-RoPE
    factors_by_length: tuple = ()  # (length, factor up to it, factor beyond), in place of the attention factor
    doubles_from: int | None = None  # the length from which the base grows by doublings (Qwen 1)
    mscales: tuple = ()  # mscale and mscale_all_dim of the file, also where they decide nothing
    softmax_factor: float = 1.0
    notes: tuple = ()


class PartConfig(NamedTuple):
    """One part of a model: its rotations by layer type, None for a type without one, and the name of each layer's."""

    row: ModelDefaults
    rotations: dict
    layers: tuple = ()
    first_position: int = 0
