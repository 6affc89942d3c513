"""Weights and layouts as transformers itself has them."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_conversion import HF, META, as_arrays, patterns, same
from transformers import AttentionInterface, EsmConfig, Gemma4VisionConfig, GPTNeoXConfig, LlamaConfig
from transformers.core_model_loading import PermuteForRope
from transformers.modeling_gguf_pytorch_utils import LlamaTensorProcessor
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.deepseek_v2 import modeling_deepseek_v2 as deepseek_v2
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek_v4
from transformers.models.esm import modeling_esm as esm
from transformers.models.falcon.modeling_falcon import FalconAttention
from transformers.models.gemma4 import modeling_gemma4 as gemma4
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.llama4 import modeling_llama4 as llama4
from transformers.models.musicflamingo import modeling_musicflamingo as musicflamingo
from transformers.models.nanochat import modeling_nanochat as nanochat
from transformers.models.pe_audio import modeling_pe_audio as pe_audio
from transformers.models.roformer.modeling_roformer import RoFormerSelfAttention
from transformers.models.sam2_video import modeling_sam2_video as sam2
from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerSelfAttention

from refpos import InputError, compare, inverse_frequencies, rope, rope_table
from refpos.conformance import error_bounds
from refpos.conversion import convert_table, layout, prove_orders, qkv_rows, reorder
from refpos.frequencies import axial_frequencies

# -- weights of real checkpoints --------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads, dim", [(1, 8), (4, 8), (3, 10)])
def test_transformers_permute_for_rope(heads, dim):
    meta, hf = (layout(dim, pairing=pairing) for pairing in ("interleaved", "half"))
    weight, bias = patterns((heads * dim, 5), "f4"), patterns((heads * dim,), "f4")
    config = SimpleNamespace(num_attention_heads=heads)
    for array in (weight, bias):
        there = PermuteForRope()._permute_for_rope(torch.from_numpy(array), config).numpy()
        back = PermuteForRope(inverse=True)._permute_for_rope(torch.from_numpy(array), config).numpy()
        assert same(reorder(array, meta, hf, num_heads=heads, axis=0), there)
        assert same(reorder(array, hf, meta, num_heads=heads, axis=0), back)


@pytest.mark.parametrize("heads", [8, 2])
def test_gguf_weights_as_transformers_reads_them(heads):
    """llama.cpp stores interleaved channels; the count of key-value heads goes with k."""
    weight = patterns((heads * 8, 5), "f2")
    found = reorder(weight, META, HF, num_heads=heads, axis=0)
    assert same(found, LlamaTensorProcessor({})._reverse_permute_weights(weight, 8, heads))


@pytest.mark.parametrize("heads, kv_heads, new", [(6, 2, True), (6, 6, False), (6, 1, False)])
def test_falcon_splits_grouped_rows(heads, kv_heads, new):
    """Multi-query (one key-value head) is the same in both fusions."""
    self = SimpleNamespace(new_decoder_architecture=new, num_heads=heads, num_kv_heads=kv_heads, head_dim=4,
                           multi_query=kv_heads == 1)  # fmt: skip
    rows = torch.arange((heads + 2 * kv_heads) * 4)[None, None]
    parts = [part[0, 0] for part in FalconAttention._split_heads(self, rows)]
    for fusion in ("grouped", "concatenated") if kv_heads == 1 else ("grouped",):
        found = qkv_rows(heads, 4, fusion=fusion, num_kv_heads=kv_heads)
        shared = [part[:: heads // kv_heads] if new else part for part in parts[1:]]
        for rows_found, theirs in zip(found, [parts[0], *shared], strict=True):
            assert rows_found.tolist() == theirs.reshape(-1).tolist()


def captured(_, query, key, value, mask, **options):
    """An attention that hands out what it is given."""
    CAPTURED.append((query, key, value))
    return torch.zeros_like(query).transpose(1, 2), None


CAPTURED = []
AttentionInterface.register("captured", captured)


def test_gpt_neox_reads_grouped_rows():
    config = GPTNeoXConfig(hidden_size=24, num_attention_heads=3, attention_bias=False)
    config._attn_implementation = "captured"
    module = gpt_neox.GPTNeoXAttention(config, 0).double()
    weight = np.random.default_rng(0).normal(size=(72, 24))
    module.query_key_value.weight.data = torch.from_numpy(weight)
    still = torch.ones(1, 24, 2).double(), torch.zeros(1, 24, 2).double()
    with torch.no_grad():
        module(torch.eye(24).double()[None], None, position_embeddings=still)
    for part, rows in zip(CAPTURED.pop(), qkv_rows(3, 8, fusion="grouped"), strict=True):
        assert np.array_equal(part[0].transpose(1, 2).reshape(24, 24).numpy(), weight[rows])


# -- how real models apply it -----------------------------------------------------------------------------------------

BATCH, HEAD_COUNT, LENGTH = 2, 3, 6
POSITIONS = np.array([0, 1, 2, 255, 4097, 131071])
UNIT = {"f8": 2.0**-53, "f4": 2.0**-24}


def channels(dim, order="bhld", precision="f8", seed=5):
    shape = {"bhld": (BATCH, HEAD_COUNT, LENGTH, dim), "blhd": (BATCH, LENGTH, HEAD_COUNT, dim)}[order]
    return np.random.default_rng(seed).normal(size=shape).astype(precision).astype("f8")


def columns(width, name, base=10000, precision="f8", blocks=None, positions=POSITIONS):
    """The table of refpos in a framework's layout, as torch tensors with a batch axis."""
    table = rope_table(positions, inverse_frequencies(width, base=base), dtype=np.dtype(precision).name)
    return tuple(
        torch.from_numpy(part)[None] for part in as_arrays(convert_table(table, "compact", name, blocks=blocks))
    )


def agrees(theirs, ours, x, where, precision="f8"):
    """Same numbers in the same places.

    In precision u the table is off by u, each product by u, their sum by u, and ours by 2**-53: together less than
    4 u (|x1| + |x2|) (1 + 4 u). Copied channels are copied.
    """
    unit, n = UNIT[precision], where.pairs
    size = np.zeros(x.shape)
    size[..., where.written[: 2 * n]] = np.tile(sum(np.split(abs(x[..., where.read[: 2 * n]]), 2, -1)), 2)
    error = abs(theirs.detach().numpy().astype("f8") - ours)
    assert theirs.shape == ours.shape == x.shape and not np.array_equal(ours, x)
    return bool((error <= 4 * unit * size * (1 + 2.0**-20)).all())


def both(function):
    """A function of q and k, on one tensor."""
    return lambda x, *tables, **options: function(x, x, *tables, **options)[1]


def tensor(x, precision="f8"):
    return torch.from_numpy(x.astype(precision))


@pytest.mark.parametrize(
    "apply, name, axis",
    [
        (both(llama.apply_rotary_pos_emb), "tiled", -2),
        (both(gpt_oss.apply_rotary_pos_emb), "compact", -2),
        (lambda x, *t: llama.apply_rotary_pos_emb(x, x, *t, unsqueeze_dim=2)[0], "tiled", -3),
        (lambda x, *t: gemma4.apply_rotary_pos_emb(x, *t, unsqueeze_dim=2), "tiled", -3),
    ],
)
def test_half(apply, name, axis):
    x = channels(16, "bhld" if axis == -2 else "blhd")
    theirs = apply(tensor(x), *columns(16, name))
    where = layout(16, pairing="half")
    assert agrees(theirs, rope(x, POSITIONS, pairing="half", seq_axis=axis), x, where)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="interleaved", seq_axis=axis), x, where)


def test_half_of_the_first_channels():
    x = channels(16)
    theirs = both(gpt_neox.apply_rotary_pos_emb)(tensor(x), *columns(4, "tiled"))
    ours = rope(x, POSITIONS, pairing="half", rotary_dim=4)
    assert agrees(theirs, ours, x, layout(16, pairing="half", rotary_dim=4))


@pytest.mark.parametrize(
    "apply, name, axis, precision",
    [
        (both(glm.apply_rotary_pos_emb), "tiled", -2, "f8"),
        (lambda x, *t: gptj.apply_rotary_pos_emb(x, *t[0].chunk(2, -1)), "sin-cos", -3, "f8"),
        (both(cohere.apply_rotary_pos_emb), "repeated", -2, "f4"),
        (both(sam2.apply_rotary_pos_emb_2d), "repeated", -2, "f4"),
        (both(deepseek_v2.apply_rotary_emb), "complex", -2, "f4"),
        (both(llama4.apply_rotary_emb), "complex", -3, "f4"),
        (
            lambda x, *t: RoFormerSelfAttention.apply_rotary_position_embeddings(t[0][:, None], x, x)[1],
            "sin-cos",
            -2,
            "f8",
        ),
        (both(pe_audio.apply_rotary_pos_emb), "tiled", -2, "f8"),
    ],
)
def test_interleaved(apply, name, axis, precision):
    x = channels(16, "bhld" if axis == -2 else "blhd", precision)
    theirs = apply(tensor(x, precision), *columns(16, name, precision=precision))
    where = layout(16, pairing="interleaved")
    assert agrees(theirs, rope(x, POSITIONS, pairing="interleaved", seq_axis=axis), x, where, precision)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="half", seq_axis=axis), x, where, precision)


def test_interleaved_first_channels():
    x = channels(16)
    tables = columns(8, "tiled")
    theirs = both(glm.apply_rotary_pos_emb)(tensor(x), *tables)
    where = layout(16, pairing="interleaved", rotary_dim=8)
    assert agrees(theirs, rope(x, POSITIONS, pairing="interleaved", rotary_dim=8), x, where)
    # MusicFlamingo rotates embeddings (batch, seq, dim), and its function of the name rotate_half turns neighbours
    rows = x[:, 0]
    theirs = musicflamingo.apply_rotary_time_emb(tensor(rows), *columns(8, "repeated"))
    assert agrees(theirs, rope(rows, POSITIONS, pairing="interleaved", rotary_dim=8), rows, where)


@pytest.mark.parametrize("model", ["gpt_neox", "glm", "gpt_oss", "gptj", "deepseek_v2"])
def test_whole_pipelines_are_float32_angle(model):
    """Tables and rotation as the models compute them, in float32."""
    parameters = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    config = SimpleNamespace(
        rope_parameters=parameters, head_dim=16, hidden_size=48, num_attention_heads=3, max_position_embeddings=131072
    )
    at, x = torch.from_numpy(POSITIONS)[None], channels(16, "blhd" if model == "gptj" else "bhld", "f4").astype("f4")
    half, axis = model in ("gpt_neox", "gpt_oss"), -3 if model == "gptj" else -2
    rotary_dim = 8 if model in ("gpt_neox", "glm") else 16
    if model == "gptj":
        sin, cos = gptj.create_sinusoidal_positions(131072, 16)[at].chunk(2, -1)
        theirs = gptj.apply_rotary_pos_emb(torch.from_numpy(x), sin, cos)
    else:
        name = {"gpt_neox": "GPTNeoX", "glm": "Glm", "gpt_oss": "GptOss", "deepseek_v2": "DeepseekV2"}[model]
        module = getattr(globals()[model], f"{name}RotaryEmbedding")(config)
        table = module(torch.zeros(1), at)
        apply = deepseek_v2.apply_rotary_emb if model == "deepseek_v2" else globals()[model].apply_rotary_pos_emb
        theirs, _ = apply(*[torch.from_numpy(x)] * 2, *(table if isinstance(table, tuple) else (table,)))
    call = {"pairing": "half" if half else "interleaved", "base": 10000, "rotary_dim": rotary_dim, "seq_axis": axis}
    limits = error_bounds.bounds("rope", call, {"x": x, "positions": POSITIONS}, "float32")
    limits = {kind: limit["output"] for kind, limit in limits.items()}
    report = compare(theirs.numpy(), rope(x, POSITIONS, **call), bounds=limits)
    assert report.classes["float32-angle"].met and not report.classes["float64-angle"].met
    call["pairing"] = "interleaved" if half else "half"
    assert not compare(theirs.numpy(), rope(x, POSITIONS, **call), bounds=limits).classes["float32-angle"].met


def test_matrices():
    """PE-Audio builds 2x2 matrices from a tiled table."""
    cos, sin = columns(16, "tiled")
    ours = convert_table((cos.numpy(), sin.numpy()), "tiled", "matrix")
    assert same(pe_audio.stack_freqs(cos, sin).numpy(), ours)


def test_the_sine_table_of_gpt_j_and_the_module_of_llama():
    table = gptj.create_sinusoidal_positions(300, 16).numpy()
    cos, sin = convert_table(table, "sin-cos", "compact")
    assert same(cos, table[:, 8:]) and same(sin, table[:, :8]) and cos[0].tolist() == [1] * 8
    config = LlamaConfig(head_dim=16, rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    tiled = tuple(part.numpy() for part in llama.LlamaRotaryEmbedding(config)(torch.zeros(1), torch.arange(300)[None]))
    assert convert_table(tiled, "tiled", "compact")[0].shape == (1, 300, 8)
    with pytest.raises(InputError, match="its columns are tiled"):
        convert_table(tiled, "repeated", "compact")


def test_half_within_blocks():
    """Gemma 4 vision: two axes, each a block of half the head; its module tiles each block."""
    x, at = channels(16, "blhd"), np.random.default_rng(1).integers(0, 64, (BATCH, LENGTH, 2))
    config = Gemma4VisionConfig(head_dim=16, rope_parameters={"rope_type": "axial", "rope_theta": 100.0})
    module = gemma4.Gemma4VisionRotaryEmbedding(config)
    theirs = [part.numpy() for part in module(torch.zeros(1), torch.from_numpy(at))]
    found = convert_table(theirs, "tiled", "compact", blocks=(8, 8))
    expected = [rope_table(at[..., axis], inverse_frequencies(8, base=100)) for axis in (0, 1)]
    for which in (0, 1):
        table = np.concatenate([expected[0][which], expected[1][which]], -1)
        assert abs(found[which] - table).max() < 64 * 2.0**-21 and found[which].shape == table.shape
    exact = [np.concatenate([expected[0][which], expected[1][which]], -1) for which in (0, 1)]
    tables = [torch.from_numpy(part) for part in convert_table(exact, "compact", "tiled", blocks=(8, 8))]
    theirs = gemma4.apply_multidimensional_rope(tensor(x), *tables, torch.from_numpy(at))
    parts = [rope(x[..., k * 8 : k * 8 + 8], at[..., k], pairing="half", base=100, seq_axis=-3) for k in (0, 1)]
    at_once = rope(
        x,
        np.moveaxis(at, -1, 0),
        pairing="block-half",
        frequencies=axial_frequencies((8, 8), base=100),
        seq_axis=-3,
    )
    assert same(at_once, np.concatenate(parts, -1))
    blocks = layout(16, pairing="block-half", blocks=(8, 8))
    assert agrees(theirs, np.concatenate(parts, -1), x, blocks)


def test_deinterleaved_output():
    """DeepSeek-V3 reads neighbours and writes halves."""
    x = channels(16)
    theirs = both(deepseek_v3.apply_rotary_pos_emb_interleave)(tensor(x), *columns(16, "tiled"))
    read, written = layout(16, pairing="interleaved"), layout(16, pairing="interleaved", output="half")
    ours = rope(x, POSITIONS, pairing="interleaved")
    assert agrees(theirs, reorder(ours, read, written, rotated=True), x, written)
    assert not agrees(theirs, ours, x, read)
    # scores are those of the interleaved layout, without touching a weight
    assert prove_orders(np.arange(48), np.arange(48), read, written, num_heads=3)


def test_last_channels_and_rotated_outputs():
    """DeepSeek-V4 rotates the last channels of q and of the one k that is v too, then turns the output back."""
    x = channels(24, precision="f4")
    cos, sin = columns(16, "compact", precision="f4")
    theirs = deepseek_v4.apply_rotary_pos_emb(tensor(x, "f4"), cos, sin)
    where = layout(24, pairing="interleaved", rotary_dim=16, place="last")
    ours = x.copy()
    ours[..., -16:] = rope(x[..., -16:], POSITIONS, pairing="interleaved")
    assert agrees(theirs, ours, x, where, "f4")
    back = deepseek_v4.apply_rotary_pos_emb(tensor(x, "f4"), cos, -sin)
    ours[..., -16:] = rope(x[..., -16:], POSITIONS, pairing="interleaved", inverse=True)
    assert agrees(back, ours, x, where, "f4")


def test_the_other_direction():
    x = channels(16)
    theirs = both(nanochat.apply_rotary_pos_emb)(tensor(x), *columns(16, "tiled"))
    where = layout(16, pairing="half", inverse=True)
    ours = rope(x, POSITIONS, pairing="half", inverse=True)
    assert agrees(theirs, ours, x, where)
    assert not agrees(theirs, rope(x, POSITIONS, pairing="half"), x, where)
    # the same as Llama's rotation of swapped halves
    llamas = layout(16, pairing="half")
    assert same(reorder(rope(reorder(x, where, llamas), POSITIONS, pairing="half"), llamas, where), ours)


def test_rotated_values():
    """RoFormer with rotary_value: v is rotated as q and k are."""
    q, k, v = (channels(16, seed=seed) for seed in (1, 2, 3))
    (table,) = columns(16, "sin-cos")
    theirs = RoFormerSelfAttention.apply_rotary_position_embeddings(table[:, None], *map(tensor, (q, k, v)))
    for found, x in zip(theirs, (q, k, v), strict=True):
        assert agrees(found, rope(x, POSITIONS, pairing="interleaved"), x, layout(16, pairing="interleaved"))


def test_before_the_heads_are_split():
    """LTX-Video turns neighbours of the whole width, so each head has frequencies of its own."""
    x = channels(48)[:, 0]
    cos, sin = (part.numpy() for part in columns(48, "repeated"))
    neighbours = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    theirs = torch.from_numpy(x * cos + neighbours * sin)
    ours = rope(x, POSITIONS, pairing="interleaved")
    assert agrees(theirs, ours, x, layout(48, pairing="interleaved"))
    heads = rope(x.reshape(BATCH, LENGTH, 3, 16), POSITIONS, pairing="interleaved", seq_axis=1)
    assert not np.array_equal(heads.reshape(x.shape), ours)


def test_before_the_projection():
    """Wav2Vec2-Conformer rotates the input of the layer, head by head, and projects q and k from the result."""
    x = channels(48)[:, 0]
    cos, sin = (part[0, :, None, None] for part in columns(16, "tiled"))
    module = SimpleNamespace(num_heads=3, head_size=16)
    theirs = Wav2Vec2ConformerSelfAttention._apply_rotary_embedding(module, tensor(x), torch.stack([cos, sin]))
    heads = x.reshape(BATCH, LENGTH, 3, 16)
    ours = rope(heads, POSITIONS, pairing="half", seq_axis=1)
    assert agrees(theirs.reshape(heads.shape), ours, heads, layout(16, pairing="half"))


def test_scaled_queries():
    """ESM scales q before the rotation, which for a width of 4**k is the same to the bit as after it."""
    config = EsmConfig(hidden_size=48, num_attention_heads=3, position_embedding_type="rotary", vocab_size=8)
    config._attn_implementation = "captured"
    module = esm.EsmSelfAttention(config)
    states = torch.from_numpy(channels(48)[:, 0].astype("f4"))
    tables = columns(16, "tiled", precision="f4")
    with torch.no_grad():
        module(states, position_embeddings=tables)
        q, k = (f(states).view(BATCH, LENGTH, 3, 16).transpose(1, 2).numpy() for f in (module.query, module.key))
    (query, key, _), half = CAPTURED.pop(), layout(16, pairing="half")
    scaled = q.astype("f8") * 16**-0.5
    assert agrees(query, rope(scaled, POSITIONS, pairing="half"), scaled, half, "f4")
    assert agrees(key, rope(k.astype("f8"), POSITIONS, pairing="half"), k.astype("f8"), half, "f4")
    assert same(rope(scaled, POSITIONS, pairing="half"), rope(q.astype("f8"), POSITIONS, pairing="half") * 16**-0.5)


@pytest.mark.parametrize(
    "apply, name", [(llama.apply_rotary_pos_emb, "repeated"), (cohere.apply_rotary_pos_emb, "tiled")]
)
def test_a_table_in_the_wrong_layout_leaves_the_first_and_the_last_channel(apply, name):
    x = channels(16)
    pairing = "half" if apply is llama.apply_rotary_pos_emb else "interleaved"
    theirs = apply(tensor(x), tensor(x), *columns(16, name))[0].numpy()
    ours = rope(x, POSITIONS, pairing=pairing)
    near = (abs(theirs - ours) < 1e-6).all(axis=(0, 1))
    assert near[1:].nonzero()[1].tolist() == [0, 15] * 5
    size, change = (abs(np.linalg.norm(t, axis=-1) / np.linalg.norm(x, axis=-1) - 1)[..., 1:] for t in (ours, theirs))
    assert size.max() < 1e-12 and change.min() > 1e-6
