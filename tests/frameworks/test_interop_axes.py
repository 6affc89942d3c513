"""Real code on several axes: transformers, diffusers and torch answer golden cases in float32 or float64, and `verify`
names the class; the same code with bfloat16 frequencies or other axes meets none."""

from importlib import import_module

import numpy as np
import pytest
import torch
from diffusers.models import embeddings
from real_code import df, hf, settings

from refpos import golden


def inputs(id):
    """The inputs of a case as torch tensors."""
    return {name: torch.from_numpy(tensor.values) for name, tensor in golden.load(id).inputs.items()}


def cells(*axes):
    return torch.stack(torch.meshgrid(*map(torch.arange, axes), indexing="ij"), -1).flatten(0, -2)


def cast(module, dtype):
    """The module with its buffers cast, as model.to(dtype) leaves them."""
    return module if dtype is None else module.to(dtype)


# -- tables -----------------------------------------------------------------------------------------------------------


def text_table(name, kind, base, sections, id, dtype=None, order=(0, 1, 2)):
    """M-RoPE of transformers: (cos, sin) of one column for each pair."""
    ids = inputs(id)["positions"]
    shape = ids.shape[1:]
    module = cast(getattr(hf(name), kind)(settings(128, base, mrope_section=sections)), dtype)
    ids = ids.reshape(3, -1, shape[-1])[list(order)]
    tables = module(torch.zeros(1, dtype=torch.float32), ids)
    return [part[..., :64].reshape(*shape, 64) for part in tables]


def qwen2_vl(id, **wrong):
    return text_table("qwen2_vl", "Qwen2VLRotaryEmbedding", 1000000, [16, 24, 24], id, **wrong)


def qwen3_vl(id, **wrong):
    return text_table("qwen3_vl", "Qwen3VLTextRotaryEmbedding", 5000000, [24, 20, 20], id, **wrong)


def flux(id, dtype=None, order=(0, 1, 2)):
    ids = inputs(id)["positions"].T if inputs(id) else cells(1, 2, 3)
    tables = df("flux").FluxPosEmbed(theta=10000, axes_dim=[16, 56, 56])(ids[:, list(order)].float())
    shape = (len(ids),) if inputs(id) else (1, 2, 3)
    return [part[:, ::2].reshape(*shape, 64) for part in tables]


def wan(id, dtype=None, order=(0, 1, 2)):
    module = df("wan").WanRotaryPosEmbed(128, (1, 1, 1), 1024)
    sizes = [(2, 1, 3)[axis] for axis in order]
    tables = module(torch.zeros(1, 1, *sizes))
    return [part[0, :, 0, ::2].reshape(2, 1, 3, 64) for part in tables]


def pixtral(id, dtype=None, order=(0, 1)):
    module = cast(hf("pixtral").PixtralVisionRotaryEmbedding(settings(64, 10000, "axial")), dtype)
    tables = module(torch.zeros(1), cells(2, 3)[:, list(order)])
    return [part[..., :32].reshape(2, 3, 32) for part in tables]


def dinov3(id, dtype=None, order=(0, 1)):
    module = cast(hf("dinov3_vit").DINOv3ViTRopePositionEmbedding(settings(64, 100)).eval(), dtype)
    tables = module(torch.zeros(1, 3, 3, 4))
    return [part[:, :32].reshape(3, 4, 32).double() for part in tables]


def cogvideox_crop(id, dtype=None, order=(0, 1, 2)):
    """The frequencies of diffusers at linspaces of torch with their ends."""
    axes = [torch.zeros(1), torch.linspace(4, 26, 4), torch.linspace(0, 33.75, 3)]
    parts = [embeddings.get_1d_rotary_pos_embed(width, axes[axis], use_real=True)
             for width, axis in zip((16, 24, 24), order, strict=True)]  # fmt: skip
    tables = []
    for which in (0, 1):
        t, h, w = (part[which][:, ::2] for part in parts)
        shape = (1, 4, 3)
        blocks = t[:, None, None], h[None, :, None], w[None, None]
        tables.append(torch.cat([block.expand(*shape, -1) for block in blocks], -1).double())
    return tables


def cogvideox_region(id, dtype=None, order=(0, 1, 2)):
    """The whole table of diffusers, for a region of its base grid."""
    pipeline = import_module("diffusers.pipelines.cogvideo.pipeline_cogvideox")
    region = pipeline.get_resize_crop_region_for_grid((3, 2), 45, 30)
    tables = embeddings.get_3d_rotary_pos_embed(64, region, (3, 2), 2)
    return [part[:, ::2].reshape(2, 3, 2, 32) for part in tables]


TABLES = {
    "rope_table/qwen2-vl-f32": (qwen2_vl, "float32-angle"),
    "rope_table/qwen3-vl-batch-f32": (qwen3_vl, "float32-angle"),
    "rope_table/flux-2x3-f32": (flux, "float64-angle"),
    "rope_table/flux-text-f32": (flux, "float64-angle"),
    "rope_table/wan-2x1x3-f32": (wan, "float64-angle"),
    "rope_table/pixtral-2x3-f32": (pixtral, "float32-angle"),
    "rope_table/dinov3-separate-f64": (dinov3, "float32-angle"),
    "rope_table/cogvideox-crop-ends": (cogvideox_crop, "float32-angle"),
    "rope_table/model-cogvideox": (cogvideox_region, "float32-angle"),
}


def verdict(tmp_path, answers, id, conformance=None):
    file = tmp_path / "answers.npz"
    np.savez(file, **{name: tensor.numpy() for name, tensor in answers.items()})
    return golden.verify(file, cases=[id], conformance=conformance)


def named(id, pair):
    return dict(zip((f"{id}/cos", f"{id}/sin"), pair, strict=True))


@pytest.mark.parametrize("id", TABLES)
def test_tables_of_real_code(tmp_path, id):
    table, expected = TABLES[id]
    result = verdict(tmp_path, named(id, table(id)), id)
    (found,) = result.findings
    assert found.report.classes[expected].met and found.state == "met", str(result)
    # and float32 code is no better
    assert expected != "float32-angle" or found.met == expected


@pytest.mark.parametrize(
    "id", ["rope_table/qwen2-vl-f32", "rope_table/qwen3-vl-batch-f32", "rope_table/pixtral-2x3-f32"]
)
def test_tables_of_real_code_cast_to_bfloat16_differ(tmp_path, id):
    # near position 0 the error of a bfloat16 frequency is below that of a bfloat16 table
    result = verdict(tmp_path, named(id, TABLES[id][0](id, dtype=torch.bfloat16)), id, "float32-angle")
    assert not result and result.of("differs"), str(result)


@pytest.mark.parametrize("id", ["rope_table/qwen2-vl-f32", "rope_table/qwen3-vl-batch-f32", "rope_table/flux-text-f32"])
def test_tables_of_real_code_with_axes_exchanged_differ(tmp_path, id):
    result = verdict(tmp_path, named(id, TABLES[id][0](id, order=(0, 2, 1))), id)
    assert not result and "AxisOrder" in result.shared_flags, str(result)


# -- rotations --------------------------------------------------------------------------------------------------------


def text_rotation(name, kind, base, sections, id, swap=False, **more):
    """Queries turned by a multimodal text model of transformers."""
    given, module = inputs(id), hf(name)
    x, ids = given["x"][None, None], given["position_ids"][:, None]
    ids = ids[[0, 2, 1]] if swap else ids
    rotary = getattr(module, kind)(settings(x.shape[-1], base, mrope_section=sections, **more))
    return module.apply_rotary_pos_emb(x, x, *rotary(x, ids))[0][0, 0]


def qwen2_vl_vision(id, swap=False):
    module, x = hf("qwen2_vl"), inputs(id)["x"][:, None]
    rotary = module.Qwen2VLVisionRotaryEmbedding(settings(x.shape[-1], 10000, "axial"))
    tables = rotary(x, cells(2, 3).flip(-1) if swap else cells(2, 3))
    return module.apply_rotary_pos_emb_vision(x, x, *tables)[0][:, 0]


def sam2(id, swap=False):
    module, x = hf("sam2_video"), inputs(id)["x"]
    config = settings(x.shape[-1], 10000, "axial")
    config.memory_attention_rope_feat_sizes = [1, 2]
    ids = torch.tensor([[0, 0], [1, 0]])  # columns first
    tables = module.Sam2VideoVisionRotaryEmbedding(config)(x, ids.flip(-1) if swap else ids)
    return module.apply_rotary_pos_emb_2d(x[None, None], x[None, None], *tables)[0][0, 0]


def cogvideox(id, swap=False):
    sizes = (3, 1) if swap else (1, 3)
    tables = embeddings.get_3d_rotary_pos_embed(64, None, sizes, 2, grid_type="slice", max_size=(16, 16))
    return embeddings.apply_rotary_emb(inputs(id)["x"][None, None], tables)[0, 0]


def hunyuan_video(id, swap=False):
    module = df("hunyuan_video").HunyuanVideoRotaryPosEmbed(1, 1, [16, 56, 56])
    tables = module(torch.zeros(1, 1, 2, *((3, 1) if swap else (1, 3))))
    return embeddings.apply_rotary_emb(inputs(id)["x"][None, None], tables)[0, 0]


def mochi(id, swap=False):
    """Learned weights times positions, summed by the einsum of diffusers."""
    given = inputs(id)
    x, weight = given["x"], given["weight"][[0, 2, 1]] if swap else given["weight"]
    tables = df("mochi").MochiRoPE()(weight, 2, 1, 3, dtype=torch.float32)
    cos, sin = (part.transpose(0, 1) for part in tables)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def torchscale(id, swap=False):
    """The tables of XPOS in torch: powers from -(length // 2, up) on, multiplied into cosine and sine."""
    x, keys = inputs(id)["x"], "keys" in id
    length, width = x.shape
    zeta = (torch.arange(0, width, 2) + 0.4 * width) / (1.4 * width)
    least = -length // 2
    scale = zeta ** (torch.arange(least, length + least).to(zeta).div(512))[:, None]
    scale = 1 / scale if keys != swap else scale
    theta = 1.0 / 10000 ** (torch.arange(0, width // 2) / (width // 2))
    angle = torch.arange(length, dtype=torch.float)[:, None] * theta
    cos, sin = (wave.repeat_interleave(2, -1) for wave in (angle.cos() * scale, angle.sin() * scale))
    other = torch.stack([-x[:, 1::2], x[:, ::2]], -1).flatten(-2)
    return x * cos + other * sin


ROTATIONS = {
    "mrope/qwen2-vl": lambda id, **w: text_rotation("qwen2_vl", "Qwen2VLRotaryEmbedding", 1e6, [16, 24, 24], id, **w),
    "mrope/qwen3-vl": lambda id, **w: text_rotation(
        "qwen3_vl", "Qwen3VLTextRotaryEmbedding", 5e6, [24, 20, 20], id, **w
    ),
    "mrope/glm-4v": lambda id, **w: text_rotation(
        "glm4v", "Glm4vTextRotaryEmbedding", 1e4, [8, 12, 12], id, partial_rotary_factor=0.5, **w
    ),
    "mrope/ernie-4-5-vl": lambda id, **w: text_rotation(
        "ernie4_5_vl_moe", "Ernie4_5_VLMoeTextRotaryEmbedding", 5e5, [22, 22, 20], id, **w
    ),
    "rope_2d/qwen2-vl-vision-2x3": qwen2_vl_vision,
    "rope_2d/sam2-1x2": sam2,
    "rope_3d/cogvideox": cogvideox,
    "rope_3d/hunyuan-video": hunyuan_video,
    "mixed_rope/mochi-1x3-f32": mochi,
    "xpos/torchscale-5-queries": torchscale,
    "xpos/torchscale-5-keys": torchscale,
}


@pytest.mark.parametrize("id", ROTATIONS)
def test_rotations_of_real_code(tmp_path, id):
    result = verdict(tmp_path, {id: ROTATIONS[id](id)}, id, "float32-angle")
    assert result and result.met == "float32-angle", str(result)


@pytest.mark.parametrize("id", ROTATIONS)
def test_rotations_of_real_code_with_axes_exchanged_differ(tmp_path, id):
    """Rows for columns; of xPos, queries for keys."""
    result = verdict(tmp_path, {id: ROTATIONS[id](id, swap=True)}, id)
    assert not result and result.of("differs"), str(result)
