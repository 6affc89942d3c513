"""What the code of a model type fixes where its config.json is silent: one row for each type, read from package data.

The rows stand in transformers_5_23.json, sorted by model_type, each with those fields of `ModelDefaults` that are not
the default. They were read in the configuration classes and model files of that version; where a row has a `project`,
in the code beside its weights. A key in a file always wins over the value in the row.
"""

import functools
import json
from dataclasses import dataclass, field
from importlib import resources

DATA = resources.files(__package__) / "transformers_5_23.json"  # also of a package in a zip archive


@dataclass(frozen=True, kw_only=True)
class Switch:
    """A key that decides whether there is a rotation."""

    key: str
    value: object  # with this value there is one
    default: object = None  # the value in a file without the key


@dataclass(frozen=True, kw_only=True)
class LayerBase:
    """The base of one layer type, where a file has no object for each of them."""

    rope_theta: float
    key: str | None = None  # its name in a file; None: a file cannot change it
    scaled: bool = False  # whether rope_scaling is for this layer type


@dataclass(frozen=True, kw_only=True)
class LayerPattern:
    """Attention is full at every n-th layer, n - 1, 2n - 1 and so on; the others have another type."""

    every: int
    key: str | None = None  # the name of n in a file
    others: str = "sliding_attention"
    from_first: bool = False  # full at layers 0, n, 2n and so on
    last_is_full: bool = False  # full at the last layer too
    last_is_forced: bool = False  # also where a file has layer_types with another type there
    one_is_full: bool = False  # full at the last layer if at no other


@dataclass(frozen=True, kw_only=True)
class LayerIndices:
    """A list of numbers of layers, counted from 0: they have one type, and the others another."""

    key: str | None = None  # the name of the list in a file; None: a file has layer_types, or the default holds
    default: tuple | None = None  # None: all layers
    listed: str = "full_attention"
    others: str


@dataclass(frozen=True, kw_only=True)
class LayerCycle:
    """A list of types that is repeated until every layer has one."""

    key: str
    default: tuple


@dataclass(frozen=True, kw_only=True)
class ModelDefaults:
    """A row. rope_theta is None for types that have a rotation in their parts alone."""

    model_type: str
    # -- its source; a row in the data has the folder below models/ of transformers, where that is not model_type
    project: str
    version: str
    file: str
    comment: str = ""  # for readers of the data

    # -- values of keys that a file leaves out
    hidden_size: int | None = None
    num_attention_heads: int | None = None
    head_dim: int | None = None  # None: hidden_size / num_attention_heads
    max_position_embeddings: int | None = None
    original_max_position_embeddings: int | None = None  # read at the top of the file, not among the rope parameters
    rope_theta: float | None = None
    rope_parameters: dict = field(default_factory=dict)  # where a file has neither them nor rope_scaling
    # None: with rope_type "default" the class does not read this key; with every other rope_type all classes do
    partial_rotary_factor: float | None = None
    scaled_partial_rotary_factor: float | None = None  # where that of the other rope types is not the same
    num_hidden_layers: int | None = None  # of types whose layers differ
    rotary_dim: int | None = None
    qk_nope_head_dim: int | None = None  # a head is [nope | rope],
    qk_rope_head_dim: int | None = None  # of which rope is rotated
    global_head_dim: int | None = None  # head_dim of full attention layers without per_layer_config

    # -- names
    aliases: tuple = ()  # other names of this type
    other_names: dict = field(default_factory=dict)  # {key: its other name}; a file may have either
    reads_alpha: bool = False  # dynamic with alpha, which enlarges the base at every length
    rope_type_synonyms: dict = field(default_factory=dict)  # {rope_type of a file: the one it means}
    rope_types: tuple = ()  # those that the class takes; empty: all
    part_name: str | None = None  # of a part that is neither text nor vision
    parts: dict = field(default_factory=dict)  # {key: model_type of a part that does not name its own}
    other_type_by_key: dict = field(default_factory=dict)  # {key: the type of files with it, which have the same name}

    # -- which keys are read
    switch: Switch | None = None
    hidden_size_replaced_by: str | None = None  # the width of this part, where hidden_size is that of the text model
    unread_key: tuple = ()  # (outer, inner): a key that files have and the code does not read
    reads_other_names_alone: bool = False  # of rope_theta and partial_rotary_factor it reads the other name
    # the class sets head_dim, whatever the file says: to qk_rope_head_dim, or to hidden_size / num_attention_heads
    ignores_head_dim: bool = False
    reads_null_head_dim: bool = False  # null is hidden_size / num_attention_heads, and a missing key is another width
    head_dim_is_of_head: bool = False  # head_dim and partial_rotary_factor are about nope and rope together
    ignores_outer_partial_rotary_factor: bool = False  # read in rope_parameters and rope_scaling alone
    default_sets_alone: bool = False  # a set with rope_type "default" does not take partial_rotary_factor beside it
    rope_scaling_replaces: bool = False  # the key, even null or empty, replaces rope_parameters
    nested_only: bool = False  # rope_parameters must hold an object for each layer type; no key beside it is read
    layer_types_alone: bool = False  # any other key in rope_parameters is refused
    layer_bases: dict = field(default_factory=dict)  # {layer type: LayerBase}, from flat keys

    # -- which layers are rotated
    # "all"; "sliding": those with sliding attention; "sliding_window": the same, but all where that key is null;
    # "no_rope_layers": those with 1 in that key, and without it all but every fourth;
    # "layer_rope_theta": those with another base than 0 in that key;
    # "layer_rope_theta flags": the same, and rope_theta is the base
    rotated_layers: str = "all"
    bare_layer_every: int | None = None  # without layer_rope_theta every n-th layer, from the last, has no rotation
    layer_pattern: LayerPattern | None = None
    layer_indices: LayerIndices | None = None
    layer_cycle: LayerCycle | None = None
    layer_type: str | None = None  # all layers are of this one

    # -- which channels are a pair, and how they are rotated
    pairing: str = "half"
    pairing_key: str | None = None  # the key that chooses between "interleaved" (true) and "half"
    deinterleaved: bool = False  # in the result of interleaved pairs the first channels of all pairs come first
    inverse: bool = False  # rotated by -p
    placement: str = "first"  # or "last": where in a head the rotated channels are
    blocks: int = 1  # equal parts of a head that are rotated each on its own
    # what the code does with a table narrower than a head: "no": it fails; "table": it rotates as many channels as the
    # table has; "even": the same, but int(head_dim * partial_rotary_factor) must be even; "key": as many as a key says
    rotates_part: str = "no"

    # -- axes
    mrope_arrangement: str | None = None  # of the three axes of M-RoPE
    mrope_section: tuple = ()
    axial: dict | None = None  # a rotation along the axes of an image: arguments of axial_frequencies
    axial_positions: str = "row and column, from 0"
    # the position id of the first token where the forward is given none; None: as the type of each part has it, or 0
    first_position: int | None = None

    # -- what a porter must know beside the numbers
    scales_softmax: bool = False  # by yarn_softmax_scale(factor, mscale_all_dim), where mscale_all_dim is there
    note: str = ""
    not_described: str = ""  # why the rotation of this type is not described here

    @property
    def partial_rotary_factor_of_scalings(self):
        """The part of a head that is rotated with a scaling."""
        if self.scaled_partial_rotary_factor is None:
            return self.partial_rotary_factor
        return self.scaled_partial_rotary_factor

    @property
    def has_rotation(self):
        """Whether the type has a rotation itself, not only in its parts."""
        return self.rope_theta is not None

    @property
    def is_known(self):
        """Whether the type or one of its parts has a rotation."""
        return self.has_rotation or bool(self.parts)

    @property
    def is_latent(self):
        """Whether a head is [nope | rope], each with a key for its width."""
        return self.qk_rope_head_dim is not None

    @property
    def has_nested_sets(self):
        """Whether the code reads rope parameters for each layer type."""
        return self.nested_only or any(one is None or isinstance(one, dict) for one in self.rope_parameters.values())

    @property
    def is_custom(self):
        """Whether the code lies beside the weights and not in transformers."""
        return self.project != "transformers"

    @property
    def source(self):
        """Project, version and file of what is known about the type."""
        return {"project": self.project, "version": self.version, "file": self.file}


#: {field of a row: the record that the data has for it}
RECORDS = {
    "switch": Switch,
    "layer_pattern": LayerPattern,
    "layer_indices": LayerIndices,
    "layer_cycle": LayerCycle,
}


@functools.cache
def rows():
    """{model_type: ModelDefaults} of every type that is known."""
    data = json.loads(DATA.read_text("utf-8"))
    return {name: _row(name, data["version"], **fields) for name, fields in data["types"].items()}


@functools.cache
def aliases():
    """{another name of a type: its model_type}."""
    return {alias: name for name, row in rows().items() for alias in row.aliases}


def _row(name, version, folder=None, project="transformers", file=None, **fields):
    folder = (folder or name).replace("-", "_")
    if project == "transformers":
        file = f"models/{folder}/modeling_{folder}.py"
    else:
        version = "1"  # the code beside the weights has none
    for key, make in RECORDS.items():
        if key in fields:
            fields[key] = make(**fields[key])
    fields["layer_bases"] = {label: LayerBase(**base) for label, base in fields.get("layer_bases", {}).items()}
    return ModelDefaults(model_type=name, project=project, version=version, file=file, **fields)
