"""Named models: what the real code does to queries is what the preset says, within the rounding of its arithmetic.

Each row runs a rotary module of transformers or diffusers and the function that applies it on unit vectors, one for
each channel. Products with 0 and 1 are exact, so what comes back are the cosines and sines themselves, at the channels
that the model puts them: tables, pairing, order of the axes and channels left alone are judged at once.

`limit` derives how far they may be from the exact values, per pair of channels, from the operations of the code:
frequency base**-t by a power of POWER u with an exponent that is off by |ln theta| u, a reciprocal, a product with the
position (3 u with the rounding of the position), and SINE u for cosine and sine, u = 2**-24, as docs/conformance.md
counts them. Where a model rounds more on the way, its row says how often: `exponents` roundings of the exponent,
`factors` more factors on the angle, `places` roundings of coordinates of at most `reach` in size. Models that do all
of it in float64 are held to u = 2**-53 and one rounding of the result.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import evidence
import numpy as np
import pytest
import torch
from diffusers.models import embeddings as diffusers_embeddings
from real_code import df, hf, settings
from test_presets import tokens_by_axis, values

import refpos
from refpos import models
from refpos.conformance.derivations.rounding_errors import POWER, SINE

U = 2.0**-24
DOUBLE = {"arithmetic": 2.0**-53, "result": U}


@dataclass(frozen=True)
class Row:
    """A preset with sizes, its positions, and the real code, which turns x (vectors, tokens, channels)."""

    name: str
    sizes: dict
    where: dict
    turn: callable
    exponents: int = 1
    factors: int = 0
    places: int = 0
    reach: float = 1.0
    arithmetic: float = U  # rounding of the frequencies, angles, cosines and sines
    result: float = 0.0  # rounding of the result, where that is coarser
    id: str = ""


def limit(row, rotary, positions):
    """How far cosines and sines of a float32 pipeline may be from the exact ones: (tokens, pairs)."""
    theta, axes = rotary.inv_freq, rotary.frequencies.axes or (0,) * len(rotary.frequencies)
    p = np.stack([np.abs(axis) for axis in tokens_by_axis(positions)])[list(axes)].T  # (tokens, pairs)
    slope = np.abs(np.log(np.where(theta > 0, theta, 1.0))) + math.log(2 * math.pi) * (row.factors > 0)
    relative = (row.exponents * slope + POWER + 3 + row.factors) * row.arithmetic
    moved = p * theta * relative + theta * row.places * row.reach * U
    # what compounds adds less than a thousandth, as every sum here is below 2**-11
    return rotary.attention_factor * (moved + SINE * row.arithmetic) * 1.001 + 2 * row.arithmetic + row.result


def per_channel(row_limit, rotary):
    """The limits of pairs at the channels that hold them: (tokens, head_dim); 0 where channels are left alone."""
    pairs = row_limit.shape[1]
    if rotary.pairing == "interleaved":
        rotated = np.repeat(row_limit, 2, axis=1)
    elif rotary.pairing == "half":
        rotated = np.tile(row_limit, 2)
    else:
        axes = rotary.frequencies.axes
        runs = [axes.count(axis) for axis in dict.fromkeys(axes)]
        starts = np.cumsum([0, *runs])
        rotated = np.concatenate([np.tile(row_limit[:, a:b], 2) for a, b in pairwise(starts)], 1)
    left = np.zeros((len(row_limit), rotary.head_dim - 2 * pairs))
    parts = [left, rotated] if rotary.placement == "last" else [rotated, left]
    return np.concatenate(parts, 1)


def unit_vectors(width, tokens, dtype):
    """One vector for each channel, the same for all tokens: (width, tokens, width)."""
    return np.broadcast_to(np.eye(width, dtype=dtype)[:, None], (width, tokens, width)).copy()


# -- real code --------------------------------------------------------------------------------------------------------


def grid_ids(*axes):
    """(tokens, axes) of the cells of a grid, row-major, as models make them."""
    return torch.stack(torch.meshgrid(*(torch.as_tensor(a) for a in axes), indexing="ij"), -1).flatten(0, -2)


def hf_vision(name, kind, base, ids, x):
    """A vision tower of transformers: ids (tokens, axes), queries (tokens, heads, channels)."""
    module = hf(name)
    rotary = getattr(module, kind)(settings(x.shape[-1], base, "axial"))
    cos, sin = rotary(x, ids)
    return module.apply_rotary_pos_emb_vision(x.transpose(0, 1), x.transpose(0, 1), cos, sin)[0].transpose(0, 1)


def hf_pixtral(ids, x):
    module = hf("pixtral")
    cos, sin = module.PixtralVisionRotaryEmbedding(settings(x.shape[-1], 10000, "axial"))(x, ids)
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin, unsqueeze_dim=0)[0][0]


def hf_gemma4_vision(ids, x):
    module = hf("gemma4")
    cos, sin = module.Gemma4VisionRotaryEmbedding(settings(x.shape[-1], 100, "axial"))(x, ids[None])
    return module.apply_multidimensional_rope(x[None], cos, sin, ids[None], unsqueeze_dim=1)[0]


def hf_sam2(side, x):
    module = hf("sam2_video")
    config = settings(x.shape[-1], 10000, "axial")
    config.memory_attention_rope_feat_sizes = [side, side]
    cos, sin = module.Sam2VideoVisionRotaryEmbedding(config)(x, sam2_ids(config))
    return module.apply_rotary_pos_emb_2d(x[None], x[None], cos, sin)[0][0]


def sam2_ids(config):
    return hf("sam2_video").Sam2VideoMemoryAttention.precompute_positions(config)


def hf_sam2_memory(side, frames, pointers, x):
    """The keys of attention to memory: frames of side x side, then object pointers."""
    module = hf("sam2_video")
    config = settings(x.shape[-1], 10000, "axial")
    config.memory_attention_rope_feat_sizes = [side, side]
    cos, sin = module.Sam2VideoVisionRotaryEmbedding(config)(x, sam2_ids(config))
    return module.apply_rotary_pos_emb_2d(
        x[None, :, : side * side], x[None], cos, sin, num_k_exclude_rope=pointers, repeat_freqs_k=True
    )[1][0]


def hf_vjepa2(height, width, x):
    module = hf("vjepa2")
    m = 2 * (x.shape[-1] // 3 // 2)
    own = SimpleNamespace(grid_size=width, d_dim=m, h_dim=m, w_dim=m, attention_head_size=x.shape[-1])
    t, r, c = (axis.expand(len(x), 1, -1) for axis in torch.unbind(grid_ids(range(2), range(height), range(width)), -1))
    return module.VJEPA2RopeAttention.apply_rotary_embeddings(own, x[:, None], (t, r, c))[:, 0]


def hf_hunyuan_vl(ids, sections, x):
    module = hf("hunyuan_vl")
    config = settings(x.shape[-1], 10000, "dynamic", alpha=1000.0, mrope_section=list(sections))
    cos, sin = module.HunYuanVLRotaryEmbedding(config)(x, ids)
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin)[0][0]


def hf_neomme(kind, share, base, ids, x):
    module = hf("neomme")
    config = settings(x.shape[-1], base)
    config.rope_parameters = {kind: {"rope_type": "default", "rope_theta": base, "partial_rotary_factor": share}}
    config.layer_types = [kind]
    cos, sin = module.NeoMMERotaryEmbedding(config)(x, ids[:, None], kind)
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin)[0][0]


def sound_settings(head_dim=0, share=1.0):
    return SimpleNamespace(
        rope_parameters={"rope_type": "default", "rope_theta": 1200.0, "partial_rotary_factor": share},
        max_position_embeddings=1200.0, head_dim=head_dim, audio_frame_step=0.01, audio_token_id=7,
    )  # fmt: skip


def sound_times(windows, length):
    """The times that Music Flamingo gives two recordings, the second of one window."""
    ids = torch.tensor([[1] + [7] * (windows * length) + [2] + [7] * length + [2]])
    own, lengths = SimpleNamespace(config=sound_settings()), torch.tensor([length] * (windows + 1))
    return hf("musicflamingo").MusicFlamingoModel._build_audio_timestamps(own, ids, lengths, length)


def hf_music_flamingo(windows, length, share, x):
    module = hf("musicflamingo")
    rotary = module.MusicFlamingoRotaryEmbedding(sound_settings(x.shape[-1], share))
    cos, sin = (table.flatten(0, 1) for table in rotary(sound_times(windows, length)[:windows], length))
    return module.apply_rotary_time_emb(x, cos, sin)


def hf_esmfold2(atoms, x, spatial=2, uid=10):
    module = hf("esmfold2")
    config = SimpleNamespace(num_spatial_rope_pairs_per_axis=spatial, num_uid_rope_pairs=uid, head_dim=x.shape[-1],
                             spatial_rope_base_frequency=20.0, uid_rope_base_frequency=10000.0)  # fmt: skip
    place, residue = (torch.from_numpy(np.asarray(atoms[name])[None]) for name in ("ref_pos", "ref_space_uid"))
    cos, sin = module.EsmFold2RotaryEmbedding(config)(place, residue, torch.float32)
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin)[0][0]


def hf_llama4(side, x):
    module = hf("llama4")
    config = settings(x.shape[-1], 10000)
    config.image_size, config.patch_size = side, 1
    freqs = module.Llama4VisionRotaryEmbedding(config)(x)
    return module.vision_apply_rotary_emb(x.transpose(0, 1)[None], x.transpose(0, 1)[None], freqs)[0][0].transpose(0, 1)


def hf_dinov3(height, width, x):
    module = hf("dinov3_vit")
    config = settings(x.shape[-1], 100)
    config.rope_theta, config.image_size, config.patch_size = 100.0, 16, 1
    rotary = module.DINOv3ViTRopePositionEmbedding(config).eval()
    cos, sin = rotary(torch.zeros(1, 3, height, width))
    return module.apply_rotary_pos_emb(x, x, cos, sin)[0]


def hf_text(name, kind, base, ids, x, **parameters):
    """A text model of transformers: ids (batch, tokens) or (3, batch, tokens), queries (batch, heads, tokens, ...)."""
    module = hf(name)
    cos, sin = getattr(module, kind)(settings(x.shape[-1], base, **parameters))(x, ids)
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin)[0][0]


def first_channels(turn, width, x):
    """A model that hands its rotation the first channels only."""
    return torch.cat([turn(x[..., :width]), x[..., width:]], -1)


def hf_gptj(positions, x):
    module = hf("gptj")
    sin, cos = module.create_sinusoidal_positions(positions.max() + 1, x.shape[-1])[positions].chunk(2, -1)
    return module.apply_rotary_pos_emb(x.transpose(0, 1)[None], sin[None], cos[None])[0].transpose(0, 1)


def hf_roformer(positions, x):
    module = hf("roformer")
    embedding = module.RoFormerSinusoidalPositionalEmbedding(int(positions.max()) + 1, x.shape[-1])
    embedding.weight.data = embedding.create_weight()
    table = embedding(None, position_ids=positions)[None, None]
    attention = module.RoFormerSelfAttention.apply_rotary_position_embeddings
    return attention(table, x[None], x[None])[0][0]


def hf_deepseek_v2(positions, x):
    module = hf("deepseek_v2")
    config = settings(8, 10000)
    config.qk_rope_head_dim = 8
    freqs = module.DeepseekV2RotaryEmbedding(config)(x, positions[None])
    nope, rope = x.split([x.shape[-1] - 8, 8], -1)
    return torch.cat([nope, module.apply_rotary_emb(rope[None], rope[None], freqs)[0][0]], -1)


def hf_gpt_oss(positions, x):
    from transformers import GptOssConfig

    module = hf("gpt_oss")
    cos, sin = module.GptOssRotaryEmbedding(GptOssConfig())(x, positions[None])
    return module.apply_rotary_pos_emb(x[None], x[None], cos, sin)[0][0]


def hf_gemma4(positions, x):
    from transformers import Gemma4TextConfig

    module = hf("gemma4")
    cos, sin = module.Gemma4TextRotaryEmbedding(Gemma4TextConfig())(x, positions[None], "full_attention")
    return module.apply_rotary_pos_emb(x[None], cos, sin)[0]


def paired(cos, sin, x, real=-1):
    """`apply_rotary_emb` of diffusers; real -1 pairs neighbours, -2 halves."""
    return diffusers_embeddings.apply_rotary_emb(x[None], (cos, sin), use_real_unbind_dim=real)[0]


def complex_pairs(freqs, x):
    """`apply_rotary_emb` of diffusers on complex tables."""
    return diffusers_embeddings.apply_rotary_emb(x.transpose(0, 1)[None], freqs, use_real=False)[0].transpose(0, 1)


class Captured(Exception):
    """What an attention processor handed to attention."""


def through_processor(name, processor, x, **rotary):
    """The queries that an attention processor of diffusers computes from x as (batch, tokens, heads * channels)."""
    module = df(name)

    def capture(query, *_, **__):
        raise Captured(query)

    layers = dict.fromkeys(["to_q", "to_k", "to_v", "norm_q", "norm_k", "to_query", "to_key", "to_value"], same)
    layers |= {"query_norm": same, "key_norm": same, "add_k_proj": None}
    flags = {"fused_projections": False, "is_cross_attention": False}
    attention = SimpleNamespace(heads=len(x), num_heads=len(x), head_dim=x.shape[-1], **layers, **flags)
    hidden = x.transpose(0, 1).flatten(1)[None]
    original, module.dispatch_attention_fn = module.dispatch_attention_fn, capture
    try:
        getattr(module, processor)()(attention, hidden, **rotary)
    except Captured as found:
        return found.args[0][0].transpose(0, 1)
    finally:
        module.dispatch_attention_fn = original
    raise AssertionError(f"{processor} called no attention")


def same(x):
    return x


def df_hunyuan_dit(height, width, x):
    region = import_module("diffusers.pipelines.hunyuandit.pipeline_hunyuandit").get_resize_crop_region_for_grid(
        (height, width), 32
    )
    return paired(*diffusers_embeddings.get_2d_rotary_pos_embed(x.shape[-1], region, (height, width)), x)


def df_cogvideox(frames, height, width, x):
    region = import_module("diffusers.pipelines.cogvideo.pipeline_cogvideox").get_resize_crop_region_for_grid(
        (height, width), 45, 30
    )
    return paired(*diffusers_embeddings.get_3d_rotary_pos_embed(x.shape[-1], region, (height, width), frames), x)


def df_easyanimate(frames, height, width, x):
    embed = df("easyanimate").EasyAnimateRotaryPosEmbed(2, x.shape[-1])
    return paired(*embed(torch.zeros(1, 1, frames, 2 * height, 2 * width)), x)


def df_hidream(height, width, text_length, x):
    module = df("hidream_image")
    ids = torch.cat([grid_ids(range(1), range(height), range(width)), torch.zeros(text_length, 3, dtype=torch.long)])
    freqs = module.HiDreamImageEmbedND(10000, [64, 32, 32])(ids[None])
    query = x.transpose(0, 1)[None]
    return module.apply_rope(query, query, freqs)[0][0].transpose(0, 1)


def df_ernie_image(height, width, text_length, x):
    module = df("ernie_image")
    image = grid_ids(range(1), range(height), range(width)) + torch.tensor([text_length, 0, 0])
    text = torch.stack([torch.arange(text_length), *torch.zeros(2, text_length, dtype=torch.long)], -1)
    ids = torch.cat([image, text])[None].float()
    freqs = module.ErnieImageEmbedND3(x.shape[-1], 256, (8, 12, 12))(ids)
    return through_processor("ernie_image", "ErnieImageSingleStreamAttnProcessor", x, freqs_cis=freqs)


def df_mochi(frames, height, width, weight, x):
    """Queries (vectors, heads, tokens, channels) as attention gets them, without the token of text."""
    processors = import_module("diffusers.models.attention_processor")
    table = df("mochi").MochiRoPE()(torch.from_numpy(weight), frames, height, width, dtype=torch.float32)
    layers = dict.fromkeys(["to_q", "to_k", "to_v", "add_q_proj", "add_k_proj", "add_v_proj"], same)
    norms = dict.fromkeys(["norm_q", "norm_k", "norm_added_q", "norm_added_k"])
    attention = SimpleNamespace(heads=x.shape[1], **layers, **norms)
    hidden = x.transpose(1, 2).flatten(2)
    found = []

    def capture(query, *_, **__):
        found.append(query[0, :, :-1])
        return query

    original, processors.F.scaled_dot_product_attention = processors.F.scaled_dot_product_attention, capture
    attention.to_out, attention.to_add_out = [same, same], same
    try:
        mask = torch.ones(len(x), 1)
        processors.MochiAttnProcessor2_0()(attention, hidden, hidden[:, :1], mask, image_rotary_emb=table)
    finally:
        processors.F.scaled_dot_product_attention = original
    return torch.stack(found)


def df_cogvideox_1_5(frames, height, width, x):
    table = diffusers_embeddings.get_3d_rotary_pos_embed(
        x.shape[-1], None, (height, width), frames, grid_type="slice", max_size=(16, 16)
    )
    return paired(*table, x)


def df_allegro(frames, height, width, x):
    *tables, t, h, w = diffusers_embeddings.get_3d_rotary_pos_embed_allegro(
        x.shape[-1], ((0, 0), (height, width)), (height, width), frames, interpolation_scale=(2.2, 2.0, 2.0)
    )
    ids = grid_ids(t.long(), h.long(), w.long()).T[:, None]
    return diffusers_embeddings.apply_rotary_emb_allegro(x[None], tables, ids)[0]


def df_lumina(height, width, x, **factors):
    table = diffusers_embeddings.get_2d_rotary_pos_embed_lumina(x.shape[-1], height, width, **factors)
    return complex_pairs(table.flatten(0, 1)[None], x)


def df_lumina2(height, width, text_length, x):
    embed = df("lumina2").Lumina2RotaryPosEmbed(theta=10000, axes_dim=[32, 32, 32], patch_size=1)
    freqs = embed(torch.zeros(1, 1, height, width), torch.ones(1, text_length, dtype=torch.bool))[3]
    return complex_pairs(freqs, x)


def df_z_image(height, width, text_length, x):
    module = df("z_image")
    own = SimpleNamespace()
    for method in ("create_coordinate_grid", "_pad_with_ids", "_patchify_image", "patchify_and_embed"):
        found = getattr(module.ZImageTransformer2DModel, method)
        setattr(own, method, found if method == "create_coordinate_grid" else partial(found, own))
    image, text = [torch.zeros(1, 1, height, width)], [torch.zeros(text_length, 1)]
    embedded = own.patchify_and_embed(image, text, 1, 1)
    ids = [embedded[3][0], embedded[4][0]]
    lengths = [embedded[0][0].shape[0], embedded[1][0].shape[0]]
    embedder = module.RopeEmbedder(theta=256.0, axes_dims=[32, 48, 48], axes_lens=[1024, 512, 512])
    freqs = torch.cat([embedder(part)[:length] for part, length in zip(ids, lengths, strict=True)])
    return through_processor("z_image", "ZSingleStreamAttnProcessor", x, freqs_cis=freqs[None])


def df_flux(name, kind, arguments, ids, x):
    return paired(*getattr(df(name), kind)(**arguments)(ids), x)


def df_qwen_image(name, kind, apply, shapes, text_length, x):
    module = df(name)
    embed = getattr(module, kind)(theta=10000, axes_dim=[16, 56, 56], scale_rope=True)
    image, text = embed([shapes], max_txt_seq_len=text_length, device=torch.device("cpu"))
    query = x.transpose(0, 1)[None]  # (batch, tokens, heads, channels)
    return getattr(module, apply)(query, torch.cat([text, image]), use_real=False)[0].transpose(0, 1)


def df_qwen_image21(mask, shapes, x):
    module = df("qwenimage21")
    embed = module.QwenImage21Rope(theta=10000, axes_dim=[16, 56, 56])
    table = embed(shapes, torch.tensor(mask, dtype=torch.bool), torch.device("cpu"))
    return module.apply_rotary_emb_qwen(x.transpose(0, 1)[None], table, use_real=False)[0].transpose(0, 1)


def df_omnigen(length, factors, x):
    embed = df("omnigen").OmniGenSuScaledRotaryEmbedding(x.shape[-1], rope_scaling=factors)
    return paired(*embed(x, torch.arange(length)[None]), x, real=-2)


def df_helios(frames, height, width, x):
    module = df("helios")
    table = module.HeliosRotaryPosEmbed((44, 42, 42), 10000.0)(torch.tensor([frames]), height, width, "cpu")
    rows = table.flatten(2).transpose(1, 2)  # (batch, tokens, cosines and sines)
    return module.apply_rotary_emb_transposed(x[:, :, None], rows)[:, :, 0]


def df_sana_wm(frames, height, width, x):
    module = df("sana_wm")
    table = module.SanaWMRotaryPosEmbed(x.shape[-1], (1, 1, 1), 1024)((frames, height, width))
    return module._apply_rotary_emb(x[None].transpose(2, 3), table)[0].transpose(1, 2)


def df_anyflow_far(frames, height, width, compressed, pool, x):
    module = df("anyflow_far")
    embed = module.AnyFlowCausalRotaryPosEmbed(x.shape[-1], (1, 1, 1), (1, pool, pool), 1024)
    shapes = {"full_frame_shape": (height, width), "compressed_frame_shape": (height // pool, width // pool)}
    table = embed({"total_frames": frames, "num_compressed_frames": compressed, **shapes}, torch.device("cpu"))
    return module.apply_rotary_emb(x[None], table["query"])[0]


def df_cosmos3(frames, height, width, text_length, fps, x):
    module, pipeline = df("cosmos3"), import_module("diffusers.pipelines.cosmos.pipeline_cosmos3_omni")
    text, start = pipeline.get_3d_mrope_ids_text_tokens(text_length, 0, True)
    video, _ = pipeline.get_3d_mrope_ids_vae_tokens(frames, height, width, start + 15000, fps=fps)
    ids = torch.cat([text, video], 1)[:, None]
    embed = module.Cosmos3VLTextRotaryEmbedding(x.shape[-1], 5000000, (24, 20, 20))
    cos, sin = embed(ids, "cpu", torch.float32)
    return x * cos + module._rotate_half(x) * sin


def df_kandinsky6(name, kind, widths, frames, height, width, scale_factor, x):
    embed = getattr(df(name), kind)(widths)
    table = embed([torch.arange(n) for n in (frames, height, width)], scale_factor).flatten(0, 2)
    return df(name).apply_rotary(x.transpose(0, 1), table).transpose(0, 1)


def df_minimax_music3(length, x):
    module = df("minimax_music3")
    table = module.MiniMaxMusic3RotaryEmbedding(16)(length, torch.device("cpu"))
    return module._apply_partial_rotary_emb(x.transpose(0, 1)[None], table)[0].transpose(0, 1)


def df_cogview4(height, width, x):
    embed = df("cogview4").CogView4RotaryPosEmbed(x.shape[-1], 1, (256, 256))
    return paired(*embed(torch.zeros(1, 1, height, width)), x, real=-2)


def df_glm_image(height, width, x):
    embed = df("glm_image").GlmImageRotaryPosEmbed(x.shape[-1], 1)
    return paired(*embed(torch.zeros(1, 1, height, width)), x, real=-2)


def df_ideogram4(ids, x):
    module = df("ideogram4")
    table = module.Ideogram4MRoPE(x.shape[-1], 5000000, (24, 20, 20))(ids[None])
    attention = {"attention_mask": None, "image_rotary_emb": table}
    return through_processor("ideogram4", "Ideogram4AttnProcessor", x, **attention)


def df_hunyuan_video(frames, height, width, x):
    embed = df("hunyuan_video").HunyuanVideoRotaryPosEmbed(1, 1, [16, 56, 56])
    return paired(*embed(torch.zeros(1, 1, frames, height, width)), x)


def df_hunyuan_image(height, width, x):
    embed = df("hunyuanimage").HunyuanImageRotaryPosEmbed([1, 1], [8, 8])
    return paired(*embed(torch.zeros(1, 1, height, width)), x)


def df_wan(frames, height, width, x):
    embed = df("wan").WanRotaryPosEmbed(x.shape[-1], (1, 1, 1), 1024)
    table = embed(torch.zeros(1, 1, frames, height, width))
    return through_processor("wan", "WanAttnProcessor", x, rotary_emb=table)


def df_wan_kin(name, kind, frames, height, width, x):
    """Models that have the tables of Wan in a file of their own."""
    embed = getattr(df(name), kind)(x.shape[-1], (1, 1, 1), 1024)
    table = embed(torch.zeros(1, 1, frames, height, width))
    return through_processor("wan", "WanAttnProcessor", x, rotary_emb=table)


def df_anyflow(frames, height, width, x):
    module = df("anyflow")
    cells = {"total_frames": frames, "full_frame_shape": (height, width)}
    freqs = module.AnyFlowRotaryPosEmbed(x.shape[-1], (1, 1, 1), 1024)(cells, torch.device("cpu"))["query"]
    return module.apply_rotary_emb(x[None], freqs)[0]


def df_cosmos(frames, height, width, fps, x):
    embed = df("cosmos").CosmosRotaryPosEmbed(x.shape[-1], patch_size=(1, 1, 1))
    return paired(*embed(torch.zeros(1, 1, frames, height, width), fps=fps), x, real=-2)


def df_kandinsky5(frames, height, width, scale_factor, x):
    embed = df("kandinsky").Kandinsky5RoPE3D((16, 24, 24))
    table = embed((1, frames, height, width), [torch.arange(n) for n in (frames, height, width)], scale_factor)
    rope = table.flatten(1, 3)
    return through_processor("kandinsky", "Kandinsky5AttnProcessor", x, rotary_emb=rope)


def df_minimax_h3(ids, x):
    module = df("minimax_h3")
    cos, sin = module.MiniMaxH3RotaryPosEmbed(4)(ids)
    return module._apply_rotary_emb(x.transpose(0, 1)[None], cos, sin)[0].transpose(0, 1)


def df_stable_audio(length, x):
    processor = import_module("diffusers.models.attention_processor").StableAudioAttnProcessor2_0()
    table = diffusers_embeddings.get_1d_rotary_pos_embed(16, length, use_real=True, repeat_interleave_real=False)
    return processor.apply_partial_rotary_emb(x[None], table)[0]


def df_stable_audio_3(length, x):
    module = df("stable_audio3")
    freqs = module.StableAudio3RotaryEmbedding(16)(length, torch.device("cpu"))
    return module._apply_rotary_partial(x.transpose(0, 1)[None], freqs)[0].transpose(0, 1)


def df_audio_dit(length, x):
    module = df("longcat_audio_dit")
    table = module.AudioDiTRotaryEmbedding(x.shape[-1])(x, length)
    return module._apply_rotary_emb(x.transpose(0, 1)[None], table)[0].transpose(0, 1)


def df_ltx(frames, height, width, x):
    module = df("ltx")
    embed = module.LTXVideoRotaryPosEmbed(x.shape[-1])
    scale = (torch.tensor(8 / 25, dtype=torch.float64), 32.0, 32.0)
    table = embed(x[:1], frames, height, width, rope_interpolation_scale=scale)
    return module.apply_rotary_emb(x, table)


def df_ltx2(x, sizes, **options):
    module = df("ltx2")
    embed = module.LTX2AudioVideoRotaryPosEmbed(x.shape[-1], **options)
    return module.apply_interleaved_rotary_emb(x, embed(embed.prepare_coords(1, *sizes, device="cpu")))


def df_ltx2_split(head, heads, sizes, x):
    module = df("ltx2")
    width = x.shape[-1]
    embed = module.LTX2AudioVideoRotaryPosEmbed(heads * width, rope_type="split", num_attention_heads=heads)
    table = embed(embed.prepare_coords(1, *sizes, device="cpu"))
    whole = torch.zeros(*x.shape[:2], heads * width)
    whole[..., head * width : (head + 1) * width] = x
    turned = torch.stack([module.apply_split_rotary_emb(one[None], table)[0] for one in whole])
    return turned[..., head * width : (head + 1) * width]


# -- rows -------------------------------------------------------------------------------------------------------------

EDGES = torch.tensor([0, 1, 2, 255, 257, 4095])  # positions of text
THREE = torch.tensor([[0, 1, 7, 300, 2], [0, 2, 5, 40, 3000], [0, 3, 1, 2, 77]])  # (3, tokens): axes that differ


def merged(frames, height, width, temporal=False):
    from transformers.vision_utils import get_vision_position_ids

    return get_vision_position_ids(torch.tensor([[frames, height, width]]), 2, include_temporal=temporal)


def vision_rows():
    plane, sizes = grid_ids(range(3), range(5)), {"height": 3, "width": 5}
    one = grid_ids(range(1), range(7))
    for ids, where in ((plane, sizes), (one, {"height": 1, "width": 7})):
        tower = partial(hf_vision, ids=ids)
        yield Row("kimi_k25_vision", {"head_dim": 16}, where,
                  partial(tower, "kimi_k25", "Kimi_K25VisionRotaryEmbedding", 10000))  # fmt: skip
        yield Row("step3p7_vision", {"head_dim": 16}, where,
                  partial(tower, "step3p7", "Step3p7VisionRotaryEmbedding", 10000))  # fmt: skip
        yield Row("pixtral", {"head_dim": 24}, where, partial(hf_pixtral, ids))
        yield Row("gemma4_vision", {"head_dim": 24}, where, partial(hf_gemma4_vision, ids.flip(-1)))
    blocks = {"height": 4, "width": 6}
    yield Row("qwen2_vl_vision", {"head_dim": 24}, {**blocks, "frames": 2},
              partial(hf_vision, "qwen2_vl", "Qwen2VLVisionRotaryEmbedding", 10000, merged(2, 4, 6)))  # fmt: skip
    yield Row("inkling2_vision", {"head_dim": 24}, blocks,
              partial(hf_vision, "inkling2", "Inkling2VisionRotaryEmbedding", 10000, merged(1, 4, 6)))  # fmt: skip
    yield Row("minimax_m3_vision", {"head_dim": 20}, {**blocks, "frames": 2},
              partial(hf_vision, "minimax_m3_vl", "MiniMaxM3VLVisionRotaryEmbedding", 10000,
                      merged(2, 4, 6, True)))  # fmt: skip
    yield Row("sam2", {"head_dim": 16}, {"height": 5, "width": 5}, partial(hf_sam2, 5))
    yield Row("sam2", {"head_dim": 16}, {"height": 3, "width": 3, "k_repeat": 2, "num_k_exclude_rope": 4},
              partial(hf_sam2_memory, 3, 2, 4), id="sam2_memory")  # fmt: skip
    yield Row("llama4_vision", {"head_dim": 16}, {"side": 3}, partial(hf_llama4, 3))
    for height, width in ((3, 5), (1, 4), (7, 2)):
        # (i + 1/2) / n, times 2, less 1: each at most 1 in size
        yield Row("dinov3", {"head_dim": 24}, {"height": height, "width": width},
                  partial(hf_dinov3, height, width), factors=3, places=3)  # fmt: skip


def diffusion_rows():
    yield Row("hunyuan_dit", {"head_dim": 24}, {"height": 32, "width": 32, "spacing": "shrunk"},
              partial(df_hunyuan_dit, 32, 32), places=4, reach=32)  # fmt: skip
    for height, width in ((5, 9), (9, 4)):
        yield Row("hunyuan_dit", {"head_dim": 24}, {"height": height, "width": width, "spacing": "shrunk"},
                  partial(df_hunyuan_dit, height, width), places=4, reach=32)  # fmt: skip
        yield Row("cogvideox", {"head_dim": 32}, {"frames": 3, "height": height, "width": width, "spacing": "shrunk"},
                  partial(df_cogvideox, 3, height, width), places=4, reach=45)  # fmt: skip
    for height, width in ((5, 9), (9, 4)):
        yield Row("easyanimate", {"head_dim": 32}, {"frames": 2, "height": height, "width": width, "spacing": "shrunk"},
                  partial(df_easyanimate, 2, height, width), places=4, reach=45)  # fmt: skip
    volume = {"frames": 2, "height": 3, "width": 5}
    sizes = tuple(volume.values())
    yield Row("cogvideox_1_5", {"head_dim": 32}, volume, partial(df_cogvideox_1_5, *sizes))
    yield Row(
        "allegro", {"head_dim": 24}, {**volume, "scale": (2.2, 2, 2)}, partial(df_allegro, *sizes), places=2, reach=5
    )
    yield Row("lumina", {"head_dim": 24}, {"height": 3, "width": 5}, partial(df_lumina, 3, 5))
    yield Row("lumina", {"head_dim": 24, "linear_factor": 3, "ntk_factor": 1.5}, {"height": 3, "width": 5},
              partial(df_lumina, 3, 5, linear_factor=3.0, ntk_factor=1.5), factors=1)  # fmt: skip
    yield Row("lumina2", {}, {"height": 2, "width": 3, "text_length": 4}, partial(df_lumina2, 2, 3, 4), **DOUBLE)
    yield Row("z_image", {}, {"height": 5, "width": 3, "text_length": 33}, partial(df_z_image, 5, 3, 33))
    flux = import_module("diffusers.pipelines.flux.pipeline_flux").FluxPipeline._prepare_latent_image_ids
    ids = torch.cat([torch.zeros(2, 3), flux(1, 3, 5, "cpu", torch.float32)])
    where = {"height": 3, "width": 5, "text_length": 2}
    yield Row(
        "flux",
        {},
        where,
        partial(df_flux, "flux", "FluxPosEmbed", {"theta": 10000, "axes_dim": [16, 56, 56]}, ids),
        **DOUBLE,
    )
    for name, kind in (("bria", "BriaEmbedND"), ("bria_fibo", "BriaFiboEmbedND"), ("ovis_image", "OvisImagePosEmbed"),
                       ("longcat_image", "LongCatImagePosEmbed")):  # fmt: skip
        arguments = {"theta": 10000, "axes_dim": [16, 56, 56]}
        yield Row("flux", {}, where, partial(df_flux, name, kind, arguments, ids), **DOUBLE, id=name)
    yield Row("hidream", {}, where, partial(df_hidream, 3, 5, 2), **DOUBLE)
    yield Row(
        "krea2",
        {},
        where,
        partial(df_flux, "krea2", "Krea2RotaryPosEmbed", {"theta": 1000, "axes_dim": [32, 48, 48]}, ids),
        **DOUBLE,
    )
    pipeline = import_module("diffusers.pipelines.flux2.pipeline_flux2").Flux2Pipeline
    ids = torch.cat([
        pipeline._prepare_text_ids(torch.zeros(1, 4, 1))[0],
        pipeline._prepare_latent_ids(torch.zeros(1, 1, 2, 3))[0],
        pipeline._prepare_image_ids([torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 2, 1)])[0],
    ])  # fmt: skip
    yield Row("flux2", {}, {"height": 2, "width": 3, "text_length": 4, "references": [(1, 2), (2, 1)]},
              partial(df_flux, "flux2", "Flux2PosEmbed", {"theta": 2000, "axes_dim": [32] * 4}, ids),
              **DOUBLE)  # fmt: skip
    # its ids are given by the caller: those of Flux 2
    yield Row("flux3", {}, {"height": 2, "width": 3, "text_length": 4, "references": [(1, 2), (2, 1)]},
              partial(df_flux, "flux3", "Flux3PosEmbed", {"theta": 10000, "axes_dim": [32] * 4}, ids),
              **DOUBLE)  # fmt: skip
    yield from qwen_image_rows()
    yield Row("cogview4", {"head_dim": 24}, {"height": 3, "width": 300}, partial(df_cogview4, 3, 300))
    yield Row("glm_image", {"head_dim": 24}, {"height": 3, "width": 5}, partial(df_glm_image, 3, 5))
    ids = torch.cat([torch.arange(3)[:, None].expand(3, 3), grid_ids(range(1), range(2), range(3)) + 65536])
    yield Row("ideogram4", {}, {"height": 2, "width": 3, "text_length": 3}, partial(df_ideogram4, ids))
    yield Row("hunyuan_video", {}, volume, partial(df_hunyuan_video, *sizes))
    embed = df("hunyuan_video15").HunyuanVideo15RotaryPosEmbed(1, 1, [16, 56, 56])
    table = embed(torch.zeros(1, 1, *sizes))
    yield Row("hunyuan_video", {}, volume, partial(paired, *table), id="hunyuan_video_1_5")
    table = df("motif_video").MotifVideoRotaryPosEmbed(1, 1, [16, 56, 56])(torch.zeros(1, 1, *sizes))
    yield Row("hunyuan_video", {}, volume, partial(paired, *table), **DOUBLE, id="motif_video")
    yield Row("hunyuan_video", {"head_dim": 16, "widths": (8, 8)}, {"frames": 3, "height": 5, "width": 1},
              partial(df_hunyuan_image, 3, 5), id="hunyuan_image")  # fmt: skip
    for head_dim in (32, 44):
        yield Row("wan", {"head_dim": head_dim}, volume, partial(df_wan, *sizes), **DOUBLE)
    for name, kind, sizes_of in (
        ("skyreels_v2", "SkyReelsV2RotaryPosEmbed", sizes), ("sana_video", "WanRotaryPosEmbed", sizes),
        ("chronoedit", "ChronoEditRotaryPosEmbed", (3, 3, 5)),
    ):  # fmt: skip
        yield Row("wan", {}, {**volume, "frames": sizes_of[0]}, partial(df_wan_kin, name, kind, *sizes_of), **DOUBLE,
                  id=name)  # fmt: skip
    yield Row("wan", {"head_dim": 44}, volume, partial(df_anyflow, *sizes), **DOUBLE, id="anyflow")
    for fps in (None, 30, 16):
        yield Row(
            "cosmos", {"head_dim": 32}, {**volume, "fps": fps}, partial(df_cosmos, *sizes, fps), places=2, reach=3
        )
    yield Row("kandinsky5", {}, volume, partial(df_kandinsky5, *sizes, (1.0, 1.0, 1.0)), exponents=3, result=2.0**-9)
    yield Row("kandinsky5", {}, {**volume, "scale_factor": (1, 2, 3.5)},
              partial(df_kandinsky5, *sizes, (1.0, 2.0, 3.5)), exponents=3, factors=1, result=2.0**-9)  # fmt: skip
    yield Row("stable_audio", {"head_dim": 24, "rotary_dim": 16}, {"length": 300}, partial(df_stable_audio, 300))
    yield Row("stable_audio", {"head_dim": 32, "rotary_dim": 16}, {"length": 300}, partial(df_stable_audio_3, 300),
              id="stable_audio_3")  # fmt: skip
    yield Row("audio_dit", {"head_dim": 16}, {"length": 3000}, partial(df_audio_dit, 3000))
    yield Row("minimax_h3", {"head_dim": 32, "rope_freq_dim": 4}, volume,
              partial(df_minimax_h3, grid_ids(*map(range, sizes))))  # fmt: skip
    # exponents from torch.linspace are off by 2 u or less: a step, its product with half of the steps, and a sum
    spaced = math.ceil(2 * math.log(10000))
    for dim in (26, 28, 24):
        yield Row("ltx_video", {"dim": dim}, {**volume, "scale": (Fraction(8, 25), 32, 32)}, partial(df_ltx, *sizes),
                  factors=2 + spaced, places=7)  # fmt: skip
        yield Row("ltx2", {"dim": dim}, volume, partial(df_ltx2, sizes=sizes), factors=3, places=8)
    for dim in (6, 8):
        yield Row("ltx2_audio", {"dim": dim}, {"frames": 5},
                  partial(df_ltx2, sizes=(5,), modality="audio", scale_factors=(4,)), factors=3, places=8)  # fmt: skip
    for head in range(4):
        yield Row("ltx2_split", {"head": head, "dim": 64, "heads": 4}, volume, partial(df_ltx2_split, head, 4, sizes),
                  factors=3, places=8)  # fmt: skip


def qwen_image_rows():
    qwen = partial(df_qwen_image, "qwenimage", "QwenEmbedRope", "apply_rotary_emb_qwen")
    yield Row("qwen_image", {}, {"grid_thw": [(1, 3, 5), (1, 2, 2)], "text_length": 4},
              partial(qwen, [(1, 3, 5), (1, 2, 2)], 4))  # fmt: skip
    nucleus = partial(df_qwen_image, "nucleusmoe_image", "NucleusMoEEmbedRope", "_apply_rotary_emb_nucleus")
    yield Row("nucleusmoe_image", {}, {"grid_thw": [(1, 3, 5)], "text_length": 4},
              partial(nucleus, (1, 3, 5), 4))  # fmt: skip
    mask, shapes = [0] * 3 + [1] * 6 + [0] + [1] * 17 + [0, 0], [(1, 3, 2), (1, 5, 1), (1, 4, 3)]
    yield Row("qwen_image21", {}, {"image_pad_mask": mask, "grid_thw": shapes},
              partial(df_qwen_image21, mask, shapes))  # fmt: skip


def later_video_rows():
    volume = {"frames": 2, "height": 3, "width": 5}
    sizes = tuple(volume.values())
    # a quotient of the factors, and a product with the factor on cosine and sine and its rounding
    short, long = models.diffusion.OMNIGEN_SHORT, models.diffusion.PHI_3_LONG
    for length, count in ((4096, None), (4097, 4097)):
        yield Row("omnigen", {"seq_len": count}, {"length": length},
                  partial(df_omnigen, length, {"short_factor": short, "long_factor": long}), factors=2,
                  result=U, id="omnigen_long" if count else "")  # fmt: skip
    yield Row("helios", {}, volume, partial(df_helios, range(2), *sizes[1:]))
    yield Row("helios", {}, {**volume, "frames": [0, 7, 30]}, partial(df_helios, (0, 7, 30), *sizes[1:]),
              id="helios_history")  # fmt: skip
    for head_dim in (32, 112):
        yield Row("sana_wm", {"head_dim": head_dim}, volume, partial(df_sana_wm, *sizes))
    for pool, height, width in ((2, 3, 5), (1, 2, 3), (6, 13, 6), (3, 2, 9)):
        where = {"frames": 3, "height": height, "width": width, "compressed": 2, "pool": pool}
        yield Row("anyflow_far", {"head_dim": 44}, where, partial(df_anyflow_far, 3, height, width, 2, pool), **DOUBLE)
    # times: two rates, a quotient, a product and a sum
    for fps in (None, 30, 16):
        yield Row("cosmos3", {}, {**volume, "text_length": 3, "fps": fps}, partial(df_cosmos3, *sizes, 3, fps),
                  places=5, reach=15004)  # fmt: skip
    # the exponent is a product of ln(base) and a quotient, and frequencies are exponentials
    for scale in ((1.0, 1.0, 1.0), (1.0, 2.0, 3.5)):
        where = {**volume, "scale_factor": scale}
        yield Row("kandinsky6", {}, where, partial(df_kandinsky6, "kandinsky6", "Kandinsky6RoPE3D", (32, 48, 48),
                                                   *sizes, scale), exponents=3, factors=1)  # fmt: skip
        yield Row("kandinsky6_sr", {}, where, partial(df_kandinsky6, "kandinsky6_sr", "Kandinsky6SRRoPE3D",
                                                      (16, 24, 24), *sizes, scale), exponents=3, factors=1)  # fmt: skip
    yield Row("minimax_music3", {"head_dim": 24, "rotary_dim": 16}, {"length": 300}, partial(df_minimax_music3, 300))


def text_rows():
    ids = EDGES[None]
    plain = {
        "llama": ("llama", "LlamaRotaryEmbedding", 10000, {}),
        "cohere": ("cohere", "CohereRotaryEmbedding", 500000, {}),
        "helium": ("helium", "HeliumRotaryEmbedding", 100000, {}),
        "ernie4_5": ("ernie4_5", "Ernie4_5RotaryEmbedding", 500000, {}),
        "nanochat": ("nanochat", "NanoChatRotaryEmbedding", 10000, {}),
        "glm": ("glm", "GlmRotaryEmbedding", 10000, {"partial_rotary_factor": 0.5}),
        "gpt_neox": ("gpt_neox", "GPTNeoXRotaryEmbedding", 10000, {"partial_rotary_factor": 0.25}),
    }
    for name, (folder, kind, base, more) in plain.items():
        share = more.get("partial_rotary_factor")
        sizes = {"head_dim": 32} | ({"rotary_dim": int(32 * share)} if share else {})
        yield Row(name, sizes, {"at": EDGES}, partial(hf_text, folder, kind, base, ids, **more))
    yield Row("gptj", {"head_dim": 24, "rotary_dim": 16}, {"at": EDGES},
              partial(first_channels, partial(hf_gptj, EDGES), 16))  # fmt: skip
    yield Row("roformer", {"head_dim": 24}, {"at": EDGES}, partial(hf_roformer, EDGES))
    yield Row(
        "deepseek_v2", {"qk_nope_head_dim": 4, "qk_rope_head_dim": 8}, {"at": EDGES}, partial(hf_deepseek_v2, EDGES)
    )
    # the ramp: at most 6 more operations on each frequency
    yield Row("gpt_oss", {}, {"at": EDGES}, partial(hf_gpt_oss, EDGES), factors=8)
    yield Row("gemma4", {}, {"at": EDGES}, partial(hf_gemma4, EDGES))


ATOMS = {
    "ref_pos": np.float32([[0, 0.1, -2], [1.25, 70.5, 3], [-0.3, 12.75, 1e-3], [33.3, -9.9, 100]]),
    "ref_space_uid": [0, 1, 511, 4099],
}


def measured_rows():
    # timestamps: the step, its products with the window and with the step in it, and their sum; of the angle 8 more
    for windows, length in ((3, 5), (2, 1)):
        yield Row("music_flamingo", {"head_dim": 24, "rotary_dim": 8}, {"count": windows, "length": length},
                  partial(hf_music_flamingo, windows, length, 1 / 3), factors=13)  # fmt: skip
    yield Row("esmfold2", {}, ATOMS, partial(hf_esmfold2, ATOMS))
    yield Row("esmfold2", {"head_dim": 16, "num_spatial_rope_pairs_per_axis": 1, "num_uid_rope_pairs": 2}, ATOMS,
              partial(hf_esmfold2, ATOMS, spatial=1, uid=2), id="esmfold2_rest")  # fmt: skip


def multimodal_rows():
    ids = THREE[:, None]
    where, places = {"height": 2, "width": 3}, torch.from_numpy(models.positions("neomme", height=2, width=3))
    yield Row("neomme", {"head_dim": 32, "rotary_dim": 8}, where,
              partial(hf_neomme, "full_attention", 0.25, 1e6, places))  # fmt: skip
    yield Row("neomme", {"head_dim": 16, "rotary_dim": 16, "base": 10000}, where,
              partial(hf_neomme, "sliding_attention", 1.0, 1e4, places))  # fmt: skip
    qwen = {"mrope_section": [4, 6, 6]}
    for name, folder, kind, base in (
        ("qwen2_5_omni", "qwen2_5_omni", "Qwen2_5OmniRotaryEmbedding", 1000000),
        ("qwen2_5_vl", "qwen2_5_vl", "Qwen2_5_VLRotaryEmbedding", 1000000),
    ):
        yield Row(
            name,
            {"head_dim": 32, "sections": (4, 6, 6)},
            {"at": ids},
            partial(hf_text, folder, kind, base, ids, **qwen),
        )
    yield Row("qwen2_vl", {"head_dim": 32, "sections": (4, 6, 6)}, {"at": ids},
              partial(hf_text, "qwen2_vl", "Qwen2VLRotaryEmbedding", 1000000, ids, **qwen))  # fmt: skip
    for name, folder, kind, base in (
        ("qwen3_vl", "qwen3_vl", "Qwen3VLTextRotaryEmbedding", 5000000),
        ("qwen3_omni", "qwen3_omni_moe", "Qwen3OmniMoeThinkerTextRotaryEmbedding", 1000000),
    ):
        yield Row(name, {"head_dim": 32, "sections": (6, 5, 5)}, {"at": ids},
                  partial(hf_text, folder, kind, base, ids, mrope_section=[6, 5, 5]))  # fmt: skip
    yield Row("qwen3_5", {}, {"at": ids},
              partial(hf_text, "qwen3_5", "Qwen3_5TextRotaryEmbedding", 10000000, ids, mrope_section=[11, 11, 10],
                      partial_rotary_factor=0.25))  # fmt: skip
    for name, kind in (("glm4v", "Glm4vTextRotaryEmbedding"), ("glm4v_moe", "Glm4vMoeTextRotaryEmbedding")):
        yield Row(name, {"head_dim": 64, "rotary_dim": 32, "sections": (4, 6, 6)}, {"at": ids},
                  partial(hf_text, name, kind, 10000, ids, partial_rotary_factor=0.5, **qwen))  # fmt: skip
    yield Row("ernie4_5_vl", {}, {"at": ids},
              partial(hf_text, "ernie4_5_vl_moe", "Ernie4_5_VLMoeTextRotaryEmbedding", 500000, ids,
                      mrope_section=[22, 22, 20]))  # fmt: skip


ROWS = [*vision_rows(), *diffusion_rows(), *later_video_rows(), *text_rows(), *multimodal_rows(), *measured_rows()]


def named(row):
    return f"{row.id or row.name}-{'x'.join(str(n) for n in row.where.values() if isinstance(n, int))}"


@pytest.mark.parametrize("row", ROWS, ids=map(named, ROWS))
def test_the_real_code_turns_unit_vectors_as_the_preset_does(row):
    rotary = models.load(row.name, **row.sizes)
    positions = row.where["at"].numpy() if "at" in row.where else models.positions(row.name, **row.where)
    tokens = len(tokens_by_axis(positions[None] if "at" in row.where and positions.ndim == 1 else positions)[0])
    ours = rotary.rotate(unit_vectors(rotary.head_dim, tokens, np.float64), positions)
    x = torch.from_numpy(unit_vectors(rotary.head_dim, tokens, np.float32))
    real = row.turn(x=x).double().numpy()
    shaped = positions[None] if isinstance(positions, np.ndarray) and positions.ndim == 1 else positions
    allowed = per_channel(limit(row, rotary, shaped), rotary)
    # a limit that admits anything would show nothing
    assert allowed.max() < 0.05
    difference = np.abs(real - ours)
    worst = np.unravel_index(np.argmax(difference - allowed), difference.shape)
    assert (difference <= allowed).all(), (worst, real[worst], ours[worst], allowed[worst[1:]])
    # nothing stands outside the pairs, and what is left alone is so to the bit
    pair = per_channel(np.arange(1.0, len(rotary.frequencies) + 1)[None], rotary)[0]
    outside = pair[:, None] != pair
    assert not real.transpose(0, 2, 1)[outside].any()
    still = pair == 0
    assert (real[..., still] == ours[..., still]).all()


# -- what is not a rotation of pairs by one angle of one axis --------------------------------------------------

FOUR = torch.tensor([[0, 1, 7, 300], [0, 2, 5, 40], [0, 3, 1, 2], [0, 9, 1, 4]])  # (4, tokens)
UNPAIRED = [
    Row("vjepa2", {"head_dim": 20}, {"frames": 2, "height": 3, "width": 3}, partial(hf_vjepa2, 3, 3)),
    Row("hunyuan_vl", {"head_dim": 16, "sections": (2, 1, 3, 2)}, {"at": FOUR},
        partial(hf_hunyuan_vl, FOUR[:, None], (2, 1, 3, 2)), factors=3),
    Row("ernie_image", {"head_dim": 32, "widths": (8, 12, 12)}, {"height": 2, "width": 3, "text_length": 4},
        partial(df_ernie_image, 2, 3, 4)),
]  # fmt: skip


@pytest.mark.parametrize("row", UNPAIRED, ids=[row.name for row in UNPAIRED])
def test_what_is_no_rotation_is_what_the_real_code_does(row):
    """Each channel has an angle of its own: the limits of both halves of the pairs, at the channels that hold them."""
    found = models.load(row.name, **row.sizes)
    positions = row.where["at"].numpy() if "at" in row.where else models.positions(row.name, **row.where)
    limits = [limit(row, refpos.models.Rotary(one, found.pairing, one.dim), positions) for one in found.frequencies]
    tokens, width = len(limits[0]), found.rotary_dim
    if found.pairing == "half":
        allowed = np.concatenate(limits, 1)
    else:
        allowed = np.stack(limits, -1).reshape(tokens, width)
    ours = found.rotate(unit_vectors(found.head_dim, tokens, np.float64), positions)
    real = row.turn(x=torch.from_numpy(unit_vectors(found.head_dim, tokens, np.float32))).double().numpy()
    assert 0 < allowed.max() < 0.05
    assert (np.abs(real - ours)[..., :width] <= allowed).all(), np.abs(real - ours).max()
    assert (real[..., width:] == ours[..., width:]).all()
    # tables hold what unit vectors turn into
    cos, sin = (table.reshape(tokens, width) for table in found.table(positions))
    channels = np.arange(width)
    assert (ours[channels, :, channels].T == cos).all()
    other = channels ^ 1 if found.pairing == "interleaved" else (channels + width // 2) % width
    sign = np.where(other > channels, -1, 1)
    assert (ours[other, :, channels].T == sign * sin).all()
    # and no rotation: some pair has two angles
    first, second = refpos.steps.waves.rotation.pair_views(cos, found.pairing, width)
    assert (first != second).any()


@pytest.mark.parametrize("frames, height, width", [(2, 3, 5), (3, 1, 1), (1, 4, 9), (2, 6, 2)])
def test_mochi_is_what_the_real_code_does(frames, height, width):
    """Positions: 8 roundings of at most half a side; angles: products and sums of three terms, 4 u of their size."""
    weight = np.random.default_rng(3).standard_normal((3, 2, 4)).astype(np.float32)
    mochi = models.load("mochi", pos_frequencies=weight)
    positions = models.positions("mochi", frames=frames, height=height, width=width)
    tokens = frames * height * width
    stretch = math.sqrt(36864 / (height * width))
    p = np.stack(tokens_by_axis(positions), -1) * [1, stretch, stretch]
    reach = np.array([0, height, width]) * stretch / 2
    sizes = np.abs(weight.astype(np.float64))
    moved = (4 * np.abs(p)[:, :, None, None] + 8 * reach[:, None, None]) * sizes
    allowed = (moved.sum(1) + SINE + 2).transpose(1, 0, 2) * U * 1.001  # (heads, tokens, pairs)
    x = np.zeros((8, 2, tokens, 8), np.float32)
    x[np.arange(8), :, :, np.arange(8)] = 1
    real = df_mochi(frames, height, width, weight, torch.from_numpy(x)).double().numpy()
    ours = mochi.rotate(x.astype(np.float64), positions)
    assert allowed.max() < 0.05
    assert (np.abs(real - ours) <= np.repeat(allowed, 2, -1)).all(), np.abs(real - ours).max()
    assert tokens == 1 or np.abs(ours[0, ..., 0]).min() < 0.9
    for dtype in ("float64", "float32", "float16"):
        cos, sin = mochi.table(positions, dtype=dtype)
        wanted = ours if dtype == "float64" else mochi.rotate(x.astype(dtype), positions)
        assert cos.dtype == dtype and cos.shape == (2, tokens, 4)
        assert (cos == wanted[0::2, :, :, 0::2].diagonal(0, 0, 3)).all()
        assert (sin == wanted[0::2, :, :, 1::2].diagonal(0, 0, 3)).all()


def test_every_preset_with_real_code_has_a_row():
    run = {name for name in evidence.ROTATIONS if models.find(name).checked != "formula"}
    assert {row.name for row in [*ROWS, *UNPAIRED]} | {"mochi"} == run
    assert {models.find(name).checked for name in evidence.ROTATIONS} == {
        "formula", "diffusers 0.42.1", "transformers 5.23.0",
    }  # fmt: skip


# -- positions that are measured -------------------------------------------------------------------------------------


def exactly(positions):
    """Positions along each axis, as fractions."""
    if isinstance(positions, refpos.steps.positions.exact_positions.Positions):
        positions = [positions]
    found = []
    for axis in map(refpos.steps.positions.exact_positions.read_positions, getattr(positions, "axes", positions)):
        values = [Fraction(0)] * axis.shape[0]
        for index, multipliers, exponent in axis.groups:
            for row, m in zip(range(len(values)) if index is None else index, multipliers, strict=True):
                values[row] = int(m) * axis.unit * Fraction(2) ** exponent
        found.append(values)
    return found


def test_times_of_music_flamingo_are_those_of_the_model():
    theirs = sound_times(3, 5).double().numpy()
    assert theirs.shape == (4, 5) and (theirs[3] == theirs[0]).all()
    positions = models.positions("music_flamingo", count=3, length=5)
    ours = [np.array(axis, float).reshape(3, 5) for axis in exactly(positions)]
    for axis, number in zip(ours, (np.arange(3)[:, None], np.arange(5)), strict=True):
        # the step, its products with window and step, and their sum, in float32
        assert (np.abs(theirs[:3] * number - axis) <= 4 * U * axis).all()


def test_spacings_of_a_crop_differ_where_it_does_not_begin_at_0():
    found = [values(models.token_positions.cropped(4, 20, 8, spacing)) for spacing in ("open", "shrunk")]
    assert found[0].tolist() == np.linspace(4, 20, 8, endpoint=False).tolist()
    assert np.abs(found[1] - torch.linspace(4, 20 * 7 / 8, 8).numpy()).max() < 1e-5 < np.abs(found[0] - found[1]).max()
    assert (
        values(models.token_positions.cropped(0, 20, 8, "open")).tolist()
        == values(models.token_positions.cropped(0, 20, 8, "shrunk")).tolist()
    )


# -- positions of processors and pipelines -----------------------------------------------------------------------------


def test_positions_of_neomme_are_those_of_its_processor():
    processor = import_module("transformers.models.neomme.processing_neomme").NeoMMEProcessor
    for height, width in ((1, 1), (3, 2), (2, 5)):
        theirs = processor._image_positions(height, width, device="cpu").T.numpy()
        assert np.array_equal(models.positions("neomme", height=height, width=width), theirs)


@pytest.mark.parametrize("height", range(1, 40, 3))
@pytest.mark.parametrize("width", range(1, 50, 4))
def test_crop_regions_are_those_of_diffusers(height, width):
    cogvideo = import_module("diffusers.pipelines.cogvideo.pipeline_cogvideox")
    hunyuan = import_module("diffusers.pipelines.hunyuandit.pipeline_hunyuandit")
    crop = models.token_positions.crop_region
    assert crop(height, width, (30, 45)) == cogvideo.get_resize_crop_region_for_grid((height, width), 45, 30)
    assert crop(height, width, (32, 32)) == hunyuan.get_resize_crop_region_for_grid((height, width), 32)
