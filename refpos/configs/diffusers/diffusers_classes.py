"""config.json of diffusers: which named model a class of transformers for images and videos is, with which widths; and
its embeddings of timesteps, and the tables that it adds to patches."""

import inspect
import re
from dataclasses import replace
from typing import NamedTuple

from ... import models
from ...errors import InputError, shown
from ..keys import WIDEST, Keys
from ..submodels import Part
from . import added_tables, timesteps
from .class_keys import ClassKeys

#: what the answer leaves out
TIMESTEP = "its embedding of the diffusion timestep is not described"
PIPELINE = "the pipeline computes its rotation, which is not described"
OF_TIMESTEPS = ("timestep_embedding", "fourier_projection")
#: classes whose rotation is an input, and what they must say where they may have none
ROTATED_OUTSIDE = {
    "AllegroTransformer3DModel": None,
    "CogVideoXTransformer3DModel": "use_rotary_positional_embeddings",
    "HunyuanDiT2DModel": None,
    "StableAudioDiTModel": None,
}
SOURCE = {"project": "huggingface/diffusers", "version": "0.42.1"}
SIZES = ("hidden_size", "num_attention_heads")


class Row(NamedTuple):
    """The keys of a class: of the widths of the axes, of the base, of the width of a head, or the two that are divided,
    of the rows of its tables, and of the factors on the axes; None for what is a constant of its code. times: the key
    of the heads, where all of them are rotated as one."""

    preset: str
    widths: str | None = "axes_dims_rope"
    base: str | None = None
    head: str | tuple[str, str] = "attention_head_dim"
    table_rows: str | None = None
    factors: str | None = None
    times: str | None = None


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
    **_named("CosmosTransformer3", Row("cosmos", None, factors="rope_scale")),
    **_named("CogView4Transformer2", Row("cogview4", None)),
    **_named("LTXVideoTransformer3", Row("ltx_video", None, times="num_attention_heads")),
}
#: the classes without a rotation, or with one that is not described, too
CLASSES = dict.fromkeys([*ROWS, *timesteps.ROWS, *added_tables.ROWS])
#: defaults of classes that differ from those of their named model
OTHER_DEFAULTS = {
    "HunyuanImageTransformer2DModel": {"widths": (64, 64)},
    "SanaVideoTransformer3DModel": {"head_dim": 112},
    "LTXVideoTransformer3DModel": {"head_dim": 64, "times": 32},
}
#: keys that change the positions of a class when they are true
OTHER_POSITIONS = {"use_layer3d_rope": "layers of an image have positions of their own, which are not described"}


def is_file(values):
    """Whether a dict is the configuration of a class of diffusers."""
    return isinstance(values.get("_class_name"), str) and "model_type" not in values


def read(values, log, seq_len):
    """(class, {name: Part}, other encodings, what is left out): what a transformer or a U-Net of diffusers has."""
    keys, name = Keys(values, "", log), values["_class_name"]
    if name not in CLASSES:
        sentence = f"_class_name must be one of the {len(CLASSES)} known classes of diffusers, got {shown(name)}"
        raise InputError("E_CHOICE", "_class_name", sentence)
    row, part = ROWS.get(name), "unet" if name.startswith("UNet") else "transformer"
    log.used["_class_name"] = f"read as the named model {row.preset}" if row else "the class of the encodings"
    for key, why in OTHER_POSITIONS.items():
        if keys.peek(key):
            raise InputError("E_CHOICE", key, f"{key} must be false, got {shown(keys.peek(key))}: {why}")
        keys.ignore(key, "positions are those of the class")
    parts = {} if row is None else {part: Part(name, {"all": _rotary(keys, row, defaults(name))})}
    given = part, ClassKeys(keys, name), SOURCE
    others = (*timesteps.encodings(name, *given), *added_tables.encodings(name, *given))
    return name, parts, others, _left_out(name, keys, {one.name for one in others})


def _left_out(name, keys, described):
    """What the answer leaves out of a class."""
    outside = name in ROTATED_OUTSIDE and (ROTATED_OUTSIDE[name] is None or keys.peek(ROTATED_OUTSIDE[name]))
    left = [TIMESTEP] * described.isdisjoint(OF_TIMESTEPS) + [PIPELINE] * bool(outside)
    return {"_class_name": "; ".join(left)} if left else {}


def _rotary(keys, row, standard):
    """The rotation of a class."""
    arguments = {"head_dim": _head(keys, row, standard)}
    if row.times is not None:
        heads = keys.width(row.times, "the heads that are rotated as one", standard["times"])
        arguments = {"dim": heads * arguments["head_dim"]}
    if row.widths is not None:
        widths = keys.numbers(row.widths, "the channels of each axis", list(standard["widths"]))
        arguments["widths"] = tuple(widths)
    if row.base is not None:
        arguments["base"] = keys.number(row.base, "the base of the frequencies", standard["base"])
    if row.factors is not None:
        factors = keys.numbers(row.factors, "the factor of each axis", list(standard[row.factors]))
        arguments[row.factors] = tuple(factors)
    try:
        rotary = models.load(row.preset, **arguments)
    except InputError as error:
        head = row.head if isinstance(row.head, str) else row.head[0]
        key = {"widths": row.widths, "base": row.base, "head_dim": head, "dim": head}.get(error.argument, row.factors)
        raise type(error)(error.code, key, f"{key}: {error}") from None
    if row.table_rows is not None and row.table_rows in keys:
        rotary = replace(rotary, notes=_of_table(rotary.notes, keys.size(row.table_rows, "positions of the tables")))
    return rotary


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
