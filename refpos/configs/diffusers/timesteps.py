"""Embeddings of diffusion timesteps: which modules of a class have one, and the arguments of each."""

from collections.abc import Callable
from typing import NamedTuple

from ..encodings.call_text import arguments
from ..encodings.encoding import Encoding


class Timesteps(NamedTuple):
    """The module of an embedding by its last name, its width (a number, or keys that are multiplied, and what divides
    them), its arguments, each a value or a key, and of which files it is."""

    module: str = "time_proj"
    dim: int | tuple[str, ...] = 256
    flip: bool | str = True
    shift: float | str = 0
    scale: int = 1
    max_period: float | str = 10000
    per: int = 1
    when: Callable = lambda keys: True


def _named(names, *rows):
    return dict.fromkeys((f"{name}DModel" for name in names.split()), rows)


INNER = ("num_attention_heads", "attention_head_dim")
KEYED = {"flip": "flip_sin_to_cos", "shift": "freq_shift"}


def _is_positional(keys):
    return keys.value("time_embedding_type", "which embedding timesteps have") == "positional"


def _has_added_times(keys):
    return keys.value("addition_embed_type", "which other conditions are embedded") == "text_time"


def _has_offsets(keys):
    return keys.number("ofs_embed_dim", "whether an offset is embedded, and how wide") is not None


def _has_conditions(keys):
    """PixArt has them for images of 1024 pixels where nothing says so."""
    if keys.keys.peek("use_additional_conditions") is None:
        return keys.size("sample_size") == 128
    return keys.flag("use_additional_conditions", "whether the size of an image is embedded")


ROWS = {
    "UNet2DConditionModel": (
        Timesteps(dim=("block_out_channels",), **KEYED, when=_is_positional),
        Timesteps("add_time_proj", ("addition_time_embed_dim",), **KEYED, when=_has_added_times),
    ),
    "UNet2DModel": (Timesteps(dim=("block_out_channels",), **KEYED, when=_is_positional),),
    **_named("DiTTransformer2", Timesteps(shift=1)),
    **_named("PixArtTransformer2", Timesteps(), Timesteps("additional_condition_proj", when=_has_conditions)),
    **_named("HunyuanDiT2", Timesteps(), Timesteps("size_proj")),
    **_named(
        "SanaTransformer2",
        Timesteps(),
        Timesteps("guidance_condition_proj", when=lambda keys: keys.flag("guidance_embeds", "whether it is embedded")),
    ),
    **_named("AuraFlowTransformer2", Timesteps("time_step_embed", scale=1000)),
    **_named(
        "CogVideoXTransformer3",
        Timesteps(dim=INNER, **KEYED),
        Timesteps("ofs_proj", ("ofs_embed_dim",), **KEYED, when=_has_offsets),
    ),
    **_named("Flux2Transformer2", Timesteps(dim=("timestep_guidance_channels",))),
    **_named("Flux3Transformer2", Timesteps(dim=("timestep_channels",))),
    **_named(
        "ChromaTransformer2",
        *(Timesteps(name, ("approximator_num_channels",), per=4) for name in ("time_proj", "guidance_proj")),
    ),
    **_named("BriaTransformer2 BriaFiboTransformer2", Timesteps(max_period="time_theta")),
    **_named("QwenImageTransformer2 QwenImage21Transformer2", Timesteps(scale=1000)),
    **_named("NucleusMoEImageTransformer2", Timesteps(dim=INNER, scale=1000)),
    **_named("CosmosTransformer3", Timesteps(dim=INNER)),
    **_named("MochiTransformer3", Timesteps(dim=("time_embed_dim",))),
    **_named("CogView4Transformer2", Timesteps(dim=INNER), Timesteps("condition_proj", ("condition_dim",))),
    **_named(
        "WanTransformer3 WanVACETransformer3 SkyReelsV2Transformer3 AnyFlowTransformer3 ChronoEditTransformer3"
        " HeliosTransformer3",
        Timesteps("timesteps_proj", ("freq_dim",)),
    ),
    **_named(
        "HunyuanVideo15Transformer3 HunyuanImageTransformer2",
        Timesteps(),
        Timesteps("time_proj_r", when=lambda keys: keys.flag("use_meanflow", "whether a second time is embedded")),
    ),
    **_named("ZImageTransformer2", Timesteps("t_embedder")),
    **_named(
        "SD3Transformer2 LatteTransformer3 AllegroTransformer3 FluxTransformer2 LongCatImageTransformer2"
        " OvisImageTransformer2 Lumina2Transformer2 HunyuanVideoTransformer3 HunyuanVideoFramepackTransformer3"
        " MotifVideoTransformer3 LTXVideoTransformer3 SanaVideoTransformer3",
        Timesteps(),
    ),
}  # fmt: skip


def encodings(name, part, keys, source):
    """The `Encoding` of each embedding of timesteps that a file of the class has."""
    return [_encoding(row, part, keys, source) for row in ROWS.get(name, ()) if row.when(keys)]


def _encoding(row, part, keys, source):
    dim = row.dim if isinstance(row.dim, int) else keys.product(*row.dim) // row.per
    options = {"flip_sin_to_cos": row.flip, "downscale_freq_shift": row.shift}
    if row.flip == KEYED["flip"]:
        options["flip_sin_to_cos"] = keys.flag(row.flip, "whether cosines come first")
    if row.shift == KEYED["shift"]:
        options["downscale_freq_shift"] = keys.number(row.shift, "the shift of the exponents")
    if row.scale != 1:
        options["scale"] = row.scale
    if isinstance(row.max_period, str):
        options["max_period"] = keys.positive(row.max_period, "the longest period")
    return Encoding(
        part, "timestep_embedding", "embeddings", f"refpos.timestep_embedding(timesteps, {dim}{arguments(**options)})",
        inputs={"timesteps": f"the timesteps as the module {row.module} is given them"},
        parameters={"dim": dim, **options, "module": row.module}, source=source,
    )  # fmt: skip
