"""Golden cases of named models: a table and a rotation of each, with the parameters of the preset written out.

What stands here is the account that the presets of `refpos.models` are held to: frequencies, pairing and positions.
"""

from fractions import Fraction
from math import prod
from typing import NamedTuple
from zlib import crc32

from .. import models
from .case import call, fraction, grid, listed, scattered
from .telling import SHORT, narrow


class Named(NamedTuple):
    """A preset with sizes: the call that makes its frequencies, and where its tokens are in the cases.

    channels: width of the rotated vectors. positions: a `grid`, a count, or ids, for each axis where there are several.
    where: the sizes for which the positions of the preset are these; None where they come from a suite of their own.
    """

    model: str
    frequencies: dict
    pairing: str
    channels: int
    positions: object
    where: dict | None
    sizes: dict = {}
    dtype: str = "float32"
    inverse: bool = False

    @property
    def axes(self):
        """The positions along each axis: a size or a call of a grid, or ids."""
        if isinstance(self.positions, dict):
            return self.positions["arguments"]["coordinates"]
        several = isinstance(self.positions, tuple) and isinstance(self.positions[0], tuple)
        return self.positions if several else [self.positions]

    @property
    def tokens(self):
        """How many tokens there are."""
        sizes = [_size(axis) for axis in self.axes]
        return prod(sizes) if isinstance(self.positions, dict) else sizes[0]

    @property
    def ids(self):
        """The input tensor of the positions, where they are ids."""
        if not isinstance(self.positions, tuple):
            return {}
        flat = [p for axis in self.axes for p in axis]
        kind = "int64" if all(isinstance(p, int) for p in flat) else "float64"
        shape = (len(self.axes), self.tokens) if len(self.axes) > 1 else (self.tokens,)
        return {"positions": listed(flat, kind, shape)}

    @property
    def case(self):
        """What the cases of both suites share."""
        found = {"frequencies": self.frequencies, "source": models.load(self.model, **self.sizes).source}
        return found if self.ids else {**found, "positions": self.positions}

    @property
    def slug(self):
        """The end of the ids of its cases."""
        return "model-" + self.model.replace("_", "-")

    @property
    def about(self):
        """The summary of the preset, without its full stop."""
        return models.find(self.model).summary.rstrip(".").replace("`", "")


def _size(axis):
    """The number of positions along an axis."""
    if isinstance(axis, dict):
        return axis["arguments"]["size"] if "size" in axis["arguments"] else len(axis["arguments"]["values"])
    return axis if isinstance(axis, int) else len(axis)


def table_cases(value):
    """A table of each model in float32, made by the `value` of the suite rope_table."""
    return [
        value(n.slug, n.about, **n.case, dtype="float32", inputs=n.ids, flags=_axes(n)) for n in NAMED
    ]


def rotation_cases(value):
    """A rotation of each model, made by the `value` of the suite rope."""
    cases = []
    for n in NAMED:
        x = scattered(n.dtype, (n.tokens, n.channels), crc32(n.model.encode()) % 2**20)
        backwards = {"inverse": True} if n.inverse else {}
        flags = ["InterleavedVsHalf", *_axes(n), *narrow(n.dtype)] + ["Inverse"] * n.inverse
        about = f"{n.about}; {SHORT[n.dtype]}"
        cases.append(value(n.slug, about, **n.case, **backwards, pairing=n.pairing,
                           inputs={"x": x, **n.ids}, flags=flags))  # fmt: skip
    return cases


def _axes(named):
    return ("AxisOrder",) if len(named.axes) > 1 else ("NarrowAngle",)


# -- frequencies ------------------------------------------------------------------------------------------------------


def _one(dim, base=10000):
    return call("inverse_frequencies", dim=dim, base=base)


def _ax(*widths, **options):
    return call("axial_frequencies", widths=list(widths), **options)


def _mrope(dim, sections, arrangement, base):
    return call("mrope_frequencies", dim=dim, sections=sections, arrangement=arrangement, base=base)


def _evenly(count, first, last):
    """Evenly spaced frequencies, both ends included."""
    values = [fraction((count - 1) * first + j * (last - first), count - 1) for j in range(count)]
    return call("given_frequencies", inv_freq=values)


PERIODS = call("given_frequencies", inv_freq=[1, fraction(32, 101), fraction(1, 10), fraction(8, 253)])
GROWING = {"base": fraction(1, 10000), "endpoint": True, "times_pi": 0.5}
COLUMNS_FIRST = [1, 0]
COSMOS = [call("ntk", dim=dim, base=10000, factor=factor) for dim, factor in ((44, 2), (42, 1), (42, 1))]
WINDOW = call("linear", dim=8, base=1200, factor=1200)
GPT_OSS = call("yarn", dim=64, base=150000, factor=32, original_max_position_embeddings=4096, truncate=False)
GEMMA_4 = call("proportional", dim=512, base=1000000, partial_rotary_factor=0.25)

# -- positions --------------------------------------------------------------------------------------------------------


def _crop(*ends):
    """A grid with both ends of each axis."""
    return grid(*(call("linspace", start=a, stop=b, size=size, endpoint=True) for a, b, size in ends))


def _values(numerators, denominator):
    return call("listed", values=[fraction(n, denominator) for n in numerators])


PLANE, PLANE_SIZES = grid(2, 3), {"height": 2, "width": 3}
VOLUME, VOLUME_SIZES = grid(2, 1, 2), {"frames": 2, "height": 1, "width": 2}
CORNERS = _crop((-1, 1, 2), (-1, 1, 3))
MIDDLES = grid(*(call("half_pixel", size=n) for n in (2, 3)))
MERGED = ((0, 0, 1, 1), (0, 1, 0, 1))
SMALL = {"height": 1, "width": 2, "text_length": 1}
LATENTS = grid(_values((-479, -470), 480), _values((-63,), 64), _values((-63, -61), 64))
MULTIMODAL = ((0, 1, 1, 3), (0, 1, 2, 3), (0, 1, 1, 3))
TEXT = (0, 1, 4095)

NAMED = (
    # vision transformers
    Named("rotary_embedding_torch", _ax(32, 32), "interleaved", 64, PLANE, None),
    Named("rotary_embedding_torch_pixel", _ax(32, 32, frequencies=[_evenly(16, 1, 5)] * 2, times_pi=1), "interleaved",
          64, CORNERS, None, dtype="bfloat16"),
    Named("eva02", _ax(32, 32), "interleaved", 64,
          grid(*(call("affine", size=n, step=fraction(16, n)) for n in (2, 3))),
          {**PLANE_SIZES, "trained": (16, 16)}, dtype="float16"),
    Named("timm_rotary", _ax(32, 32), "interleaved", 64, PLANE, PLANE_SIZES),
    Named("timm_rotary_pixel", _ax(32, 32, base=fraction(1, 112), endpoint=True, times_pi=1), "interleaved", 64,
          CORNERS, None),
    Named("genlip", _mrope(64, [10, 12, 10], "interleaved", 10000), "half", 64, grid(1, 2, 3), PLANE_SIZES),
    Named("rope_vit_axial", _ax(32, 32, base=100, axes=COLUMNS_FIRST), "interleaved", 64, PLANE, PLANE_SIZES,
          dtype="bfloat16"),
    Named("pe_core", _ax(32, 32, axes=COLUMNS_FIRST), "interleaved", 64, ((0, 1, 1), (0, 1, 2)),
          {"height": 1, "width": 2}),
    Named("sam2", _ax(128, 128, axes=COLUMNS_FIRST), "interleaved", 256, ((0, 0, 0, 0, 0), (0, 1, 0, 1, 0)),
          {"height": 1, "width": 2, "k_repeat": 2, "num_k_exclude_rope": 1}, dtype="bfloat16"),
    Named("llama4_vision", _ax(44, 44, axes=COLUMNS_FIRST), "interleaved", 88, ((1, 1, 2, 2, 0), (1, 2, 1, 2, 0)),
          {"side": 2}, dtype="bfloat16"),
    Named("step3p7_vision", _ax(48, 48, axes=COLUMNS_FIRST), "half", 96, PLANE, PLANE_SIZES),
    Named("inkling2_vision", _ax(32, 32, axes=COLUMNS_FIRST), "interleaved", 64, MERGED, {"height": 2, "width": 2}),
    Named("kimi_k25_vision", _ax(36, 36, axes=COLUMNS_FIRST, arrangement="interleaved"), "half", 72, PLANE, PLANE_SIZES,
          dtype="bfloat16"),
    Named("gemma4_vision", _ax(32, 32, base=100, axes=COLUMNS_FIRST), "block-half", 64, PLANE, PLANE_SIZES),
    Named("dinov3", _ax(32, 32, base=100, times_pi=2), "half", 64, MIDDLES, PLANE_SIZES, dtype="bfloat16"),
    Named("dinov3_stored", _ax(8, 8, frequencies=[PERIODS] * 2, times_pi=2), "half", 16, MIDDLES, PLANE_SIZES),
    Named("timm_dinov3", _ax(32, 32, base=100, times_pi=2), "half", 64, MIDDLES, PLANE_SIZES),
    Named("pixtral", _ax(32, 32, ladder="strided"), "half", 64, PLANE, PLANE_SIZES, dtype="bfloat16"),
    Named("mistral_vision", _ax(32, 32, ladder="strided"), "interleaved", 64, PLANE, PLANE_SIZES),
    Named("qwen2_vl_vision", _ax(40, 40), "half", 80, ((0, 0, 1, 1, 0, 0, 1, 1), (0, 1, 0, 1, 2, 3, 2, 3)),
          {"height": 2, "width": 4}, dtype="bfloat16"),
    Named("minimax_m3_vision", _ax(26, 26, 26), "half", 80, ((0, 0, 0, 0), *MERGED),
          {"frames": 1, "height": 2, "width": 2}),
    # image and video diffusion transformers
    Named("hunyuan_dit", _ax(44, 44, axes=COLUMNS_FIRST), "interleaved", 88,
          grid(call("linspace", start=6, stop=27, size=2), call("linspace", start=0, stop=32, size=3)),
          {**PLANE_SIZES, "spacing": "open"}, dtype="float16"),
    Named("cogvideox", _ax(16, 24, 24), "interleaved", 64, _crop((0, 1, 2), (8, 8, 1), (0, 30, 3)),
          {"frames": 2, "height": 1, "width": 3, "spacing": "shrunk"}),
    Named("easyanimate", _ax(16, 24, 24), "interleaved", 64, _crop((0, 0, 1), (0, 15, 2), (8, 19, 2)),
          {"frames": 1, "height": 2, "width": 2, "spacing": "shrunk"}, dtype="bfloat16"),
    Named("cogvideox_1_5", _ax(16, 24, 24), "interleaved", 64, VOLUME, VOLUME_SIZES),
    Named("allegro", _ax(32, 32, 32), "block-half", 96,
          grid(*(call("affine", size=n, step=step) for n, step in ((2, fraction(5, 11)), (1, 0.5), (2, 0.5)))),
          VOLUME_SIZES),
    Named("lumina", _ax(36, 36, arrangement="interleaved"), "interleaved", 72, PLANE, PLANE_SIZES),
    Named("lumina2", _ax(32, 32, 32), "interleaved", 96, ((0, 1, 2, 2), (0, 0, 0, 0), (0, 0, 0, 1)),
          {"height": 1, "width": 2, "text_length": 2}, dtype="bfloat16"),
    Named("omnigen2", _ax(32, 32, 32), "interleaved", 96, ((0, 1, 1, 3, 3), (0, 0, 1, 0, 0), (0, 0, 0, 0, 1)),
          {**SMALL, "references": ((2, 1),)}),
    Named("z_image", _ax(32, 48, 48, base=256), "interleaved", 128,
          ((1, 1, *[0] * 30), (0,) * 32, (0, 1, *[0] * 30)), {"height": 1, "width": 2, "text_length": 0},
          dtype="bfloat16"),
    Named("flux", _ax(16, 56, 56), "interleaved", 128, ((0, 0, 0), (0, 0, 0), (0, 0, 1)), SMALL, dtype="bfloat16"),
    Named("hidream", _ax(64, 32, 32), "interleaved", 128, ((0,) * 5, (0, 0, 1, 1, 0), (0, 1, 0, 1, 0)),
          {"height": 2, "width": 2, "text_length": 1}),
    Named("krea2", _ax(32, 48, 48, base=1000), "interleaved", 128, ((0, 0, 0), (0, 0, 0), (0, 0, 1)), SMALL),
    Named("flux2", _ax(32, 32, 32, 32, base=2000), "interleaved", 128,
          ((0, 0, 0, 0, 10), (0, 0, 0, 0, 0), (0, 0, 0, 1, 0), (0, 1, 0, 0, 0)),
          {"height": 1, "width": 2, "text_length": 2, "references": ((1, 1),)}, dtype="bfloat16"),
    Named("qwen_image", _ax(16, 56, 56), "interleaved", 128, ((1, 0, 0), (1, -1, 0), (1, -1, -1)),
          {"grid_thw": ((1, 2, 1),), "text_length": 1}, dtype="bfloat16"),
    Named("cogview4", _ax(20, 20), "half", 40, grid(*(call("resampled", size=n, reference=256) for n in (2, 3))),
          PLANE_SIZES),
    Named("glm_image", _ax(20, 20), "half", 40, PLANE, PLANE_SIZES, dtype="bfloat16"),
    Named("ideogram4", _mrope(256, [88, 20, 20], "interleaved", 5000000), "half", 256,
          ((1, 65536, 65536), (1, 65536, 65536), (1, 65536, 65537)), None, dtype="bfloat16"),
    Named("hunyuan_video", _ax(16, 56, 56, base=256), "interleaved", 128, VOLUME, VOLUME_SIZES),
    Named("wan", _ax(44, 42, 42), "interleaved", 128, VOLUME, VOLUME_SIZES),
    Named("cosmos", _ax(44, 42, 42, frequencies=COSMOS), "half", 128,
          grid(call("affine", size=2, step=fraction(24, 30)), 1, 2), {**VOLUME_SIZES, "fps": 30}, dtype="bfloat16"),
    Named("kandinsky5", _ax(16, 24, 24), "interleaved", 64,
          grid(2, 1, call("affine", size=2, step=fraction(2, 7))), {**VOLUME_SIZES, "scale_factor": (1, 1, 3.5)}),
    Named("minimax_h3", _ax(32, 32, 32), "half", 128, VOLUME, VOLUME_SIZES, dtype="bfloat16"),
    Named("stable_audio", _one(32), "half", 64, 3, {"length": 3}),
    Named("audio_dit", _one(64, 100000), "half", 64, 3, {"length": 3}),
    Named("ltx_video", _ax(8, 8, 8, arrangement="interleaved", **GROWING), "interleaved", 24,
          grid(call("affine", size=2, start=-1, step=fraction(4, 125)),
               *(call("affine", size=n, start=-1, step=fraction(1, 32)) for n in (1, 2))),
          {**VOLUME_SIZES, "scale": (Fraction(8, 25), 32, 32)}, sizes={"dim": 26}),
    Named("ltx2", _ax(8, 8, 8, arrangement="interleaved", **GROWING), "interleaved", 24, LATENTS, VOLUME_SIZES,
          sizes={"dim": 28}),
    Named("ltx2_audio", _ax(8, **GROWING), "interleaved", 8, grid(_values((-1999, -1994), 2000)), {"frames": 2},
          sizes={"dim": 8}),
    Named("ltx2_split", _ax(8, 8, 8, arrangement="interleaved", **GROWING), "half", 24, LATENTS, VOLUME_SIZES,
          sizes={"head": 0, "dim": 24, "heads": 1}),
    # multimodal text models
    Named("qwen2_vl", _mrope(128, [16, 24, 24], "chunked", 1000000), "half", 128, MULTIMODAL, None, dtype="bfloat16"),
    Named("qwen2_5_vl", _mrope(128, [16, 24, 24], "chunked", 1000000), "half", 128, MULTIMODAL, None),
    Named("qwen2_5_omni", _mrope(128, [16, 24, 24], "chunked", 1000000), "half", 128, MULTIMODAL, None),
    Named("qwen3_vl", _mrope(128, [24, 20, 20], "interleaved", 5000000), "half", 128, MULTIMODAL, None,
          dtype="bfloat16"),
    Named("qwen3_5", _mrope(64, [11, 11, 10], "interleaved", 10000000), "half", 256, MULTIMODAL, None,
          dtype="bfloat16"),
    Named("qwen3_omni", _mrope(128, [24, 20, 20], "interleaved", 1000000), "half", 128,
          ((0, 1, 3.25, 4.5), (0, 1, 2, 3), (0, 1, 1, 3)), None),
    Named("glm4v", _mrope(64, [8, 12, 12], "chunked", 10000), "interleaved", 128, MULTIMODAL, None),
    Named("glm4v_moe", _mrope(64, [8, 12, 12], "chunked", 10000), "half", 128, MULTIMODAL, None, dtype="bfloat16"),
    Named("ernie4_5_vl", _mrope(128, [22, 22, 20], "alternating", 500000), "interleaved", 128, MULTIMODAL, None),
    Named("videorope", _mrope(128, [24, 24, 16], "alternating", 1000000), "half", 128,
          ((0, 2.0, 2.0, 5), (0, 1.5, 2.5, 5), (0, -1.0, 1.0, 5)), None),
    Named("neomme", _ax(8, 8, base=1000000, ladder="strided", arrangement="interleaved"), "half", 64,
          ((0, 1, 2, 2), (0, 1, 2, 3)), {"height": 1, "width": 1}),
    # text models
    Named("llama", _one(128), "half", 128, TEXT, None),
    Named("llama_meta", _one(128), "interleaved", 128, TEXT, None, dtype="bfloat16"),
    Named("gptj", _one(64), "interleaved", 256, TEXT, None, dtype="float16"),
    Named("roformer", _one(64), "interleaved", 64, TEXT, None),
    Named("gpt_neox", _one(24), "half", 96, TEXT, None, dtype="float16"),
    Named("cohere", _one(128, 500000), "interleaved", 128, TEXT, None, dtype="bfloat16"),
    Named("glm", _one(64), "interleaved", 128, TEXT, None, dtype="bfloat16"),
    Named("helium", _one(128, 100000), "interleaved", 128, TEXT, None, dtype="bfloat16"),
    Named("ernie4_5", _one(128, 500000), "interleaved", 128, TEXT, None),
    Named("deepseek_v2", _one(64), "interleaved", 64, TEXT, None, dtype="bfloat16"),
    Named("gpt_oss", GPT_OSS, "half", 64, TEXT, None),
    Named("nanochat", _one(128), "half", 128, TEXT, None, dtype="bfloat16", inverse=True),
    Named("gemma4", GEMMA_4, "half", 512, TEXT, None, dtype="bfloat16"),
    # models whose positions are measured
    Named("music_flamingo", _ax(8, 8, times_pi=2, frequencies=[WINDOW, _ax(8, times_pi=2, frequencies=[WINDOW])]),
          "interleaved", 20, ((0, 0.0, 0.5, 0.75), (0, 0.25, 0, 0.75)),
          {"count": 2, "length": 2, "frame_step": 0.0625}, sizes={"head_dim": 20, "rotary_dim": 8}, inverse=True),
    Named("esmfold2", _ax(4, 4, 4, 20, base=[20, 20, 20, 10000]), "half", 32,
          ((0, 1.25, -3.5), (2, 0.5, 100), (-7.75, 0, 41), (0, 1, 511)),
          {"ref_pos": ((0, 2, -7.75), (1.25, 0.5, 0), (-3.5, 100, 41)), "ref_space_uid": (0, 1, 511)}),
)  # fmt: skip
