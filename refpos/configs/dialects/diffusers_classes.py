"""config.json of diffusers: which named model a class of transformers for images and videos is, with which widths."""

import inspect
import re
from dataclasses import replace
from typing import NamedTuple

from ... import models
from ...errors import InputError, shown
from ..keys import WIDEST, Keys
from ..submodels import Part

#: what the answer leaves out
TIMESTEP = {"_class_name": "its embedding of the diffusion timestep is not described"}
SIZES = ("hidden_size", "num_attention_heads")


class Row(NamedTuple):
    """The keys of a class: of the widths of the axes, of the base, of the width of a head, or the two that are divided,
    and of the rows of its tables; None for what is a constant of its code."""

    preset: str
    widths: str | None = "axes_dims_rope"
    base: str | None = None
    head: str | tuple[str, str] = "attention_head_dim"
    table_rows: str | None = None


def _named(names, row):
    return dict.fromkeys((f"{name}DModel" for name in names.split()), row)


ROWS = {
    **_named("FluxTransformer2 ChromaTransformer2 LongCatImageTransformer2 OvisImageTransformer2", Row("flux")),
    **_named("BriaTransformer2 BriaFiboTransformer2", Row("flux", base="rope_theta")),
    **_named("Flux2Transformer2", Row("flux2", base="rope_theta")),
    **_named("Flux3Transformer2", Row("flux3", base="rope_theta")),
    **_named("Krea2Transformer2", Row("krea2", base="rope_theta")),
    **_named("QwenImageTransformer2", Row("qwen_image")),
    **_named("QwenImage21Transformer2", Row("qwen_image21")),
    **_named("NucleusMoEImageTransformer2", Row("nucleusmoe_image")),
    **_named("ZImageTransformer2", Row("z_image", "axes_dims", "rope_theta", ("dim", "n_heads"))),
    **_named("Lumina2Transformer2", Row("lumina2", "axes_dim_rope", None, SIZES)),
    **_named(
        "HunyuanVideoTransformer3 HunyuanVideo15Transformer3 HunyuanVideoFramepackTransformer3"
        " HunyuanImageTransformer2 MotifVideoTransformer3",
        Row("hunyuan_video", "rope_axes_dim", "rope_theta"),
    ),
    **_named(
        "WanTransformer3 WanVACETransformer3 SkyReelsV2Transformer3 AnyFlowTransformer3 ChronoEditTransformer3"
        " SanaVideoTransformer3",
        Row("wan", None, table_rows="rope_max_seq_len"),
    ),
    **_named("HeliosTransformer3", Row("helios", "rope_dim", "rope_theta")),
}
#: defaults of classes that differ from those of their named model
OTHER_DEFAULTS = {
    "HunyuanImageTransformer2DModel": {"widths": (64, 64)},
    "SanaVideoTransformer3DModel": {"head_dim": 112},
}
#: keys that change the positions of a class when they are true
OTHER_POSITIONS = {"use_layer3d_rope": "layers of an image have positions of their own, which are not described"}


def is_file(values):
    """Whether a dict is the configuration of a class of diffusers."""
    return isinstance(values.get("_class_name"), str) and "model_type" not in values


def read(values, log, seq_len):
    """(class, {name: Part}, no other encodings, what is left out): the rotation of a transformer of diffusers."""
    keys, name = Keys(values, "", log), values["_class_name"]
    if name not in ROWS:
        sentence = f"_class_name must be one of the {len(ROWS)} known classes of diffusers, got {shown(name)}"
        raise InputError("E_CHOICE", "_class_name", sentence)
    row = ROWS[name]
    log.used["_class_name"] = f"read as the named model {row.preset}"
    for key, why in OTHER_POSITIONS.items():
        if keys.peek(key):
            raise InputError("E_CHOICE", key, f"{key} must be false, got {shown(keys.peek(key))}: {why}")
        keys.ignore(key, "positions are those of the class")
    standard = defaults(name)
    arguments = {"head_dim": _head(keys, row, standard)}
    if row.widths is not None:
        widths = keys.numbers(row.widths, "the channels of each axis", list(standard["widths"]))
        arguments["widths"] = tuple(widths)
    if row.base is not None:
        arguments["base"] = keys.number(row.base, "the base of the frequencies", standard["base"])
    try:
        rotary = models.load(row.preset, **arguments)
    except InputError as error:
        head = row.head if isinstance(row.head, str) else row.head[0]
        key = {"widths": row.widths, "base": row.base, "head_dim": head}[error.argument]
        raise type(error)(error.code, key, f"{key}: {error}") from None
    if row.table_rows is not None and row.table_rows in keys:
        rotary = replace(rotary, notes=_of_table(rotary.notes, keys.size(row.table_rows, "positions of the tables")))
    return name, {"transformer": Part(name, {"all": rotary})}, (), TIMESTEP


def _of_table(notes, count):
    """The notes of a named model with the length of the tables of a file."""
    return tuple(re.sub(r"^Tables of \d+ positions", f"Tables of {count} positions", note) for note in notes)


def defaults(name):
    """What the class of that name has where a file says nothing: the defaults of the named model, but for these."""
    parameters = inspect.signature(models.find(ROWS[name].preset).encoding).parameters
    return {**{key: value.default for key, value in parameters.items()}, **OTHER_DEFAULTS.get(name, {})}


def _head(keys, row, standard):
    """The width of a head."""
    if isinstance(row.head, str):
        return keys.width(row.head, "the width of a head", standard["head_dim"])
    size, heads = (keys.integer(name, "the width of a head", maximum=2**31) for name in row.head)
    if None in (size, heads):
        return standard["head_dim"]
    if size % heads or size // heads > WIDEST:
        sentence = f"{row.head[0]} must be a multiple of {row.head[1]}, with heads of at most {WIDEST} channels"
        raise InputError("E_SIZE", row.head[0], f"{sentence}, got {size} and {heads}")
    return size // heads
