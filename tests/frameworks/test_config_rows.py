"""Rows, tables and biases that a configuration prints, run as they are, beside the small real module it describes."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING

import refpos
from refpos import conformance, from_config

transformers.logging.set_verbosity_error()


def place(folder, file=None):
    """The module of the code of a model."""
    return importlib.import_module(f"transformers.models.{folder}.modeling_{file or folder}")


def one_of(kind, part=None, name=None, place=None, **keys):
    """(the encoding of a file with these keys, the class's configuration of the same keys)."""
    found = [one for one in from_config({"model_type": kind, **keys}).encodings
             if part in (None, one.part) and name in (None, one.name) and place in (None, one.place)]  # fmt: skip
    (one,) = found
    return one, CONFIG_MAPPING[kind](**keys)


def run(expression, **inputs):
    """What an expression gives, as a user would type it."""
    return eval(expression, {"refpos": refpos}, inputs)


def rows_of(one, query_len, key_len):
    """The rows of a call that depends on lengths, or on positions of query minus key."""
    relative = np.arange(query_len)[:, None] - np.arange(key_len)
    return run(one.call, query_len=query_len, key_len=key_len, relative_positions=relative)


# -- rows of distances ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, 160])
def test_speecht5(most):
    one, config = one_of("speecht5", "encoder", encoder_max_relative_position=most, hidden_size=24,
                         encoder_attention_heads=3, num_conv_pos_embedding_groups=4)  # fmt: skip
    module = place("speecht5").SpeechT5RelativePositionalEncoding(8, most)
    weight = module.pe_k.weight.detach().numpy()
    assert list(weight.shape) == one.parameters["shape"] == [2 * most, 8] and config.encoder_attention_heads == 3
    theirs = module(torch.zeros(1, 9, 24)).detach().numpy()
    np.testing.assert_array_equal(weight[rows_of(one, 9, 9)], theirs)


@pytest.mark.parametrize("left, right", [(0, 0), (2, 1), (64, 8)])
def test_wav2vec2_bert(left, right):
    ends = {"left_max_position_embeddings": left, "right_max_position_embeddings": right}
    one, config = one_of("wav2vec2-bert", hidden_size=12, num_attention_heads=3, intermediate_size=8, **ends)
    module = place("wav2vec2_bert").Wav2Vec2BertSelfAttention(config, is_adapter_attention=False)
    seen = []
    module.distance_embedding.register_forward_hook(lambda module, rows, output: seen.append(rows[0]))
    module(torch.zeros(1, 80, 12))
    assert list(module.distance_embedding.weight.shape) == one.parameters["shape"] == [left + right + 1, 4]
    np.testing.assert_array_equal(rows_of(one, 80, 80), seen[0].numpy())


@pytest.mark.parametrize("kind", ["granite_speech_encoder", "granite_speech_plus_encoder"])
def test_granite_speech(kind):
    one, config = one_of(kind, max_pos_emb=9, dim_head=4, context_size=7, hidden_dim=8, num_heads=2, num_layers=1)
    name = {"granite_speech_encoder": "GraniteSpeechCTCEncoder"}.get(kind, "GraniteSpeechPlusCTCEncoder")
    module = getattr(place(kind.removesuffix("_encoder")), name)(config)
    assert list(module.layers[0].attn.rel_pos_emb.weight.shape) == one.parameters["shape"] == [19, 4]
    np.testing.assert_array_equal(rows_of(one, 7, 7), module.attention_dists.numpy())


@pytest.mark.parametrize("length", [3, 5, 12])
def test_vits(length):
    config = CONFIG_MAPPING["vits"](hidden_size=16, num_attention_heads=2, window_size=4)
    module = place("vits").VitsAttention(config)
    for name, table in (("relative_scores", module.emb_rel_k), ("relative_values", module.emb_rel_v)):
        one, _ = one_of("vits", name=name, hidden_size=16, num_attention_heads=2, window_size=4)
        assert list(table.shape[1:]) == one.parameters["shape"] == [9, 8]
        weight = torch.randn(1, 9, 1)
        theirs = module._get_relative_embeddings(weight, length)[0, :, 0]  # of distances 1 - length to length - 1
        ours = np.append(weight[0, :, 0].numpy(), 0)[rows_of(one, length, length)]  # row -1 reads zero
        apart = np.arange(length) - np.arange(length)[:, None] + length - 1
        np.testing.assert_array_equal(ours, theirs.numpy()[apart])


def test_inkling():
    keys = {"d_rel": 3, "rel_extent": 6, "sliding_window_size": 4}
    for part, extent in (("text.sliding", 4), ("text.full", 6)):
        one, _ = one_of("inkling_text", part, **keys)
        assert one.parameters["shape"] == [extent, 3]
        module = place("inkling").InklingRelativeLogits(3, extent)
        torch.nn.init.normal_(module.proj)
        states = torch.randn(1, 9, 1, 3)
        theirs = module(states, torch.arange(9), torch.arange(11))[0, 0].detach().numpy()
        rows, scores = rows_of(one, 9, 11), (states[0, :, 0] @ module.proj).detach().numpy()
        ours = np.where(rows < 0, 0, np.take_along_axis(scores, np.maximum(rows, 0), 1))
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("symmetric", [False, True])
def test_phi4_audio(symmetric):
    keys = {"bias_max_distance": 5, "bias_symmetric": symmetric, "num_attention_heads": 3}
    one, config = one_of("phi4_multimodal_audio", **keys)
    module = place("phi4_multimodal").Phi4MultimodalAudioRelativeAttentionBias(config)
    weight = module.bias_values.weight.detach().numpy()
    length = 5 if symmetric else 12  # beyond it the symmetric table is too short in the code
    assert list(weight.shape) == one.parameters["shape"]
    ours = run(one.call, weight=weight, query_len=length, key_len=length)
    np.testing.assert_array_equal(ours, module(torch.zeros(1, length, 1))[0].detach().numpy())


# -- DeBERTa ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [(5, 5), (3, 700), (700, 3), (40, 40)])
@pytest.mark.parametrize("buckets, distance", [(256, -1), (32, 64), (-1, 20), (-1, -1)])
def test_deberta_v2(lengths, buckets, distance):
    keys = {"relative_attention": True, "position_buckets": buckets, "max_relative_positions": distance,
            "pos_att_type": "c2p|p2c", "hidden_size": 8}  # fmt: skip
    one, _ = one_of("deberta-v2", name="deberta_scores", **keys)
    largest = 512 if distance < 1 else distance
    span = buckets if buckets > 0 else largest
    states = [torch.zeros(1, length, 8) for length in lengths]
    relative = place("deberta_v2").build_relative_position(*states, bucket_size=buckets, max_position=largest)
    theirs = torch.clamp(relative[0] + span, 0, 2 * span - 1)
    np.testing.assert_array_equal(rows_of(one, *lengths), theirs.numpy())
    assert one.parameters["shape"] == [2 * span, 8] and one.parameters["terms"] == ["c2p", "p2c"]


def test_deberta_and_sew_d():
    one, _ = one_of("deberta", name="deberta_scores", relative_attention=True, max_relative_positions=7, hidden_size=8)
    code = place("deberta")
    for length in (3, 7, 30):
        states = torch.zeros(1, length, 8)
        span = int(code.compute_attention_span(states, states, 7))
        theirs = torch.clamp(code.build_relative_position(states, states)[0] + span, 0, 2 * span - 1) + 7 - span
        np.testing.assert_array_equal(rows_of(one, length, length), theirs.numpy())
    one, _ = one_of("sew-d", name="deberta_scores")
    relative = place("sew_d").build_relative_position(600, 600, bucket_size=256, max_position=512)
    theirs = torch.clamp(relative[0] + 256, 0, 511)
    np.testing.assert_array_equal(rows_of(one, 600, 600), theirs.numpy())


# -- sines that enter the scores --------------------------------------------------------------------------------------


def shifted(function, queries, columns):
    """The column that a shift moves to each place of a matrix: it is run on the numbers of the columns."""
    numbers = torch.arange(columns, dtype=torch.float64).expand(1, 1, queries, columns).contiguous()
    return function(numbers)[0, 0].long().numpy()


def is_their_table(one, theirs, **lengths):
    """Whether a table is that of the expression, within a few roundings of angles in float32."""
    ours = run(one.table, **lengths)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(theirs.detach().numpy(), ours, rtol=0, atol=len(ours) * 2.0**-21)
    assert np.abs(theirs.detach().numpy()[::-1] - ours).max() > 0.1  # the other direction is another table


@pytest.mark.parametrize("kind", ["parakeet_encoder", "nemotron_asr_streaming_encoder"])
def test_parakeet(kind):
    one, config = one_of(kind, hidden_size=16, num_attention_heads=2)
    folder = kind.removesuffix("_encoder")
    prefix = "Parakeet" if folder == "parakeet" else "NemotronAsrStreaming"
    module = getattr(place(folder), f"{prefix}EncoderRelPositionalEncoding")(config)
    is_their_table(one, module(torch.zeros(1, 7, 16))[0], query_len=7, key_len=7)
    attention = getattr(place(folder), f"{prefix}EncoderAttention")
    theirs = shifted(lambda scores: attention._rel_shift(None, scores), 7, 13)[:, :7]
    np.testing.assert_array_equal(rows_of(one, 7, 7), theirs)


def test_fastspeech2_conformer():
    (one, _), config = (
        one_of("fastspeech2_conformer", "encoder", hidden_size=16),
        CONFIG_MAPPING["fastspeech2_conformer"],
    )
    code, config = place("fastspeech2_conformer"), config(hidden_size=16)
    module = code.FastSpeech2ConformerRelPositionalEncoding(config, {"positional_dropout_rate": 0.0})
    is_their_table(one, module(torch.zeros(1, 7, 16))[1][0], query_len=7, key_len=7)
    shift = code.FastSpeech2ConformerAttention.shift_relative_position_tensor
    np.testing.assert_array_equal(rows_of(one, 7, 7), shifted(lambda scores: shift(None, scores), 7, 13))


@pytest.mark.parametrize("attn_type", ["bi", "uni"])
@pytest.mark.parametrize("lengths", [(5, 5), (3, 8)])
def test_xlnet(lengths, attn_type):
    one, config = one_of("xlnet", d_model=16, n_head=2, d_inner=8, n_layer=1, attn_type=attn_type)
    query_len, key_len = lengths
    code = place("xlnet")
    table = code.XLNetModel(config).relative_positional_encoding(query_len, key_len)[:, 0]
    is_their_table(one, table, query_len=query_len, key_len=key_len)
    theirs = shifted(lambda scores: code.XLNetRelativeAttention.rel_shift_bnij(scores, key_len), query_len, len(table))
    ours = rows_of(one, *lengths)
    allowed = np.ones_like(ours, bool)
    if attn_type == "uni":  # the mask leaves the keys up to the query
        allowed = np.arange(key_len) <= np.arange(query_len)[:, None] + key_len - query_len
        assert (ours[~allowed] == -1).all()
    np.testing.assert_array_equal(ours[allowed], theirs[allowed])


def test_funnel():
    one, config = one_of("funnel", d_model=16, n_head=2, d_inner=8)
    code = place("funnel")
    table = (
        code.FunnelAttentionStructure(config).eval().get_position_embeds(6, torch.float32, torch.device("cpu"))[0][0]
    )
    is_their_table(one, table, query_len=6, key_len=6)
    theirs = shifted(lambda scores: code._relative_shift_gather(scores, 6, 1), 6, len(table))
    np.testing.assert_array_equal(rows_of(one, 6, 6), theirs)


@pytest.mark.parametrize("kind", ["gemma3n_audio", "gemma4_audio"])
def test_gemma_audio(kind):
    """A block of 3 queries, with 3 keys before it."""
    if kind == "gemma3n_audio":
        keys = {"conf_attention_context_left": 4, "conf_attention_context_right": 1, "hidden_size": 16,
                "conf_num_attention_heads": 2}  # fmt: skip
        one, config = one_of(kind, **keys)
        module = place("gemma3n").Gemma3nAudioRelativePositionEmbedding(config)
        table = module._get_timing_signal_1d_pos(torch.arange(3, -2, -1)[None], torch.float32)[0]
        columns, context = torch.arange(5.0).expand(1, 1, 1, 3, 5), 3 + 3 + 1
        theirs = module._relative_shift(columns, 1, 1, 1, 3, context, 5)[0, 0, 0].long().numpy()
    else:
        keys = {"attention_chunk_size": 3, "attention_context_left": 4, "attention_context_right": 0,
                "hidden_size": 16, "num_attention_heads": 2}  # fmt: skip
        one, config = one_of(kind, **keys)
        code, context = place("gemma4"), 6
        table = code.Gemma4AudioRelPositionalEncoding(config)(torch.zeros(1, 3, 16)).reshape(-1, 16)
        columns = torch.arange(float(len(table))).expand(1, 1, 1, 3, len(table))
        module = SimpleNamespace(context_size=context)
        theirs = code.Gemma4AudioAttention._rel_shift(module, columns)[0, 0, 0].long().numpy()
    is_their_table(one, table)
    ours = rows_of(one, 3, context)
    np.testing.assert_array_equal(ours[ours >= 0], theirs[ours >= 0])
    assert (ours[:, 0] >= 0).sum() == 1 and (np.diff(ours, axis=1)[ours[:, 1:] > 0] == 1).all()


# -- buckets of places that a file does not fix -----------------------------------------------------------------------


@pytest.mark.parametrize("part, edge", [("text.x", 0), ("text.y", 3)])
def test_layoutlmv3(part, edge):
    keys = {"num_attention_heads": 3, "hidden_size": 12, "rel_2d_pos_bins": 16, "max_rel_2d_pos": 50}
    one, config = one_of("layoutlmv3", part, place="scores", **keys)
    encoder = place("layoutlmv3").LayoutLMv3Encoder(config)
    boxes = torch.from_numpy(np.random.default_rng(0).integers(0, 1000, (1, 20, 4)))
    with torch.no_grad():
        (encoder.rel_pos_y_bias if edge == 0 else encoder.rel_pos_x_bias).weight.zero_()
    weight = (encoder.rel_pos_x_bias if edge == 0 else encoder.rel_pos_y_bias).weight.detach().numpy().T
    where = boxes[0, :, edge].numpy()
    ours = run(one.call, weight=weight, relative_positions=where - where[:, None])
    np.testing.assert_array_equal(ours.transpose(2, 0, 1), encoder._cal_2d_pos_emb(boxes)[0].detach().numpy())
    assert list(weight.shape) == one.parameters["shape"] == [16, 3]


@pytest.mark.parametrize("part, index", [("encoder.x", 1), ("encoder.y", 2)])
def test_udop(part, index):
    one, config = one_of("udop", part, num_heads=3, d_model=12)
    module = place("udop").create_relative_bias(config)[index]
    boxes = torch.from_numpy(np.random.default_rng(index).random((1, 20, 4), np.float32))
    theirs = module(torch.ones(1, 20), boxes)[0].detach().numpy()
    weight = module.relative_attention_bias.weight.detach().numpy()
    ours = run(one.call, weight=weight, relative_positions=module.prepare_input(None, boxes)[0].numpy())
    np.testing.assert_array_equal(ours.transpose(2, 0, 1), theirs)
    assert list(weight.shape) == one.parameters["shape"] == [32, 3]


def test_prophetnet():
    one, _ = one_of("prophetnet", name="relative_scores", num_buckets=20, relative_max_distance=60)
    positions = torch.arange(1, 91)[None]
    theirs, _ = place("prophetnet").compute_all_stream_relative_buckets(20, 60, positions)
    relative = np.arange(90) - np.arange(90)[:, None]
    np.testing.assert_array_equal(run(one.call, relative_positions=relative), theirs[0].numpy())


@pytest.mark.parametrize(
    "kind, heads, module",
    [
        ("prophetnet", "num_decoder_attention_heads",
         lambda code, config: code.ProphetNetNgramSelfAttention(config).relative_pos_embeddings),
        ("speecht5", "num_attention_heads", lambda code, config: code.SpeechT5Encoder(config).embed_positions.pe_k),
        ("granite_speech5_encoder", "num_attention_heads",
         lambda code, config: code.GraniteSpeech5EncoderAttention(config, 0).rel_pos_emb),
    ],
)  # fmt: skip
def test_shapes_by_the_heads_of_the_module(kind, heads, module):
    config = CONFIG_MAPPING[kind](**{heads: 16 if "granite" in kind else 24 if kind == "speecht5" else 32})
    with torch.device("meta"):
        shape = list(module(place(kind.removesuffix("_encoder")), config).weight.shape)
    found = from_config({"model_type": kind, heads: getattr(config, heads)}).encodings
    assert [one.parameters["shape"] for one in found if one.name == "relative_scores"] == [shape]


def test_cpmant():
    one, config = one_of("cpmant", num_attention_heads=3, segment_types=4, position_bias_num_buckets=16,
                         position_bias_max_distance=20)  # fmt: skip
    module = place("cpmant").CpmAntSegmentPositionEmbedding(config)
    torch.nn.init.normal_(module.relative_attention_bias)
    segments = torch.tensor([[0, 0, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3]])
    theirs = module(torch.arange(12)[None], torch.arange(12)[None], segments, segments)[0].detach().numpy()
    inputs = {"query_segments": segments[0].numpy(), "key_segments": segments[0].numpy()}
    inputs["relative_positions"] = np.arange(12) - np.arange(12)[:, None]
    ours = run(one.call, weight=module.relative_attention_bias.detach().numpy(), **inputs)
    np.testing.assert_array_equal(ours.transpose(2, 0, 1), theirs)


# -- images -----------------------------------------------------------------------------------------------------------


def test_decomposed_rows_and_tables_of_vitdet_and_sam():
    keys = {"image_size": 96, "patch_size": 16, "window_size": 4, "hidden_size": 12, "num_attention_heads": 3}
    vitdet = {"use_relative_position_embeddings": True, "window_block_indices": [0]}
    sam = {"global_attn_indexes": [1], "num_hidden_layers": 2, "output_channels": 8, "mlp_dim": 8}
    for kind, more, code in (("vitdet", {**vitdet, "num_hidden_layers": 2}, "VitDetModel"),
                             ("sam_vision_model", sam, "SamVisionModel")):  # fmt: skip
        encodings = from_config({"model_type": kind, **keys, **more}).encodings
        found = [one for one in encodings if one.name == "decomposed_scores"]
        model = getattr(place(kind.removesuffix("_vision_model")), code)(CONFIG_MAPPING[kind](**keys, **more))
        shapes = sorted({tuple(table.shape) for name, table in model.named_parameters() if "rel_pos" in name})
        assert [one.parameters["grid"] for one in found] == [[4, 4], [6, 6]] and shapes == [(7, 4), (11, 4)]
        for one, shape in zip(found, shapes, strict=True):
            assert all(what.startswith(f"{shape}, the tensor") for what in one.inputs.values())
            numbers = torch.arange(shape[0], dtype=torch.float32)[:, None]
            side = one.parameters["grid"][0]
            theirs = place("vitdet").get_rel_pos(side, side, numbers)[..., 0].long().numpy()
            for rows in run(one.call):
                np.testing.assert_array_equal(rows, theirs)
    assert not from_config({"model_type": "vitdet"}).encodings[1:]


@pytest.mark.parametrize("trained", [[0, 0, 0, 0], [12, 12, 12, 6]])
def test_swinv2(trained):
    one, config = one_of("swinv2", window_size=5, pretrained_window_sizes=trained)
    module = place("swinv2").Swinv2SelfAttention(config, 12, 3, (5, 5), (trained[0],) * 2)
    theirs = module.relative_coords_table[0].numpy()
    np.testing.assert_allclose(run(one.call), theirs, rtol=2.0**-20, atol=0)  # a logarithm in float32
    assert not np.allclose(run(one.call), -theirs)


def test_levit_and_clap():
    one, config = one_of("levit", image_size=96, num_attention_heads=[2, 3, 4])
    module = place("levit").LevitAttention(12, 4, 2, 2, 6)
    table = torch.randn(2, 36)
    theirs = table[:, module.attention_bias_idxs].numpy()
    np.testing.assert_array_equal(run(one.call, weight=np.ascontiguousarray(table.numpy().T)), theirs)
    one, config = one_of("clap_audio_model", window_size=3, num_attention_heads=[2, 4])
    module = place("clap").ClapAudioSelfAttention(config, 8, 2, 3)
    weight = torch.randn(25, 2)
    theirs = weight[module.relative_position_index.view(-1)].view(9, 9, 2).permute(2, 0, 1).numpy()
    np.testing.assert_array_equal(run(one.call, weight=weight.numpy()), theirs)


def test_video_and_sound_tables():
    one, config = one_of("videomae", "encoder", image_size=32, patch_size=8, num_frames=6, hidden_size=16)
    theirs = place("videomae").VideoMAEEmbeddings(config).position_embeddings[0].numpy()
    np.testing.assert_array_equal(run(one.call).astype(np.float32), theirs)
    keys = {"num_mel_bins": 26, "max_length": 47, "patch_size": 6, "frequency_stride": 5, "time_stride": 7,
            "hidden_size": 8}  # fmt: skip
    one, config = one_of("audio-spectrogram-transformer", **keys)
    module = place("audio_spectrogram_transformer").ASTEmbeddings(config)
    assert list(module.position_embeddings.shape[1:]) == one.parameters["shape"] and one.parameters["grid"] == [5, 6]
    keys = {"image_size": [32, 48], "patch_size": 8, "num_detection_tokens": 5, "hidden_size": 8}
    one, config = one_of("yolos", "vision", **keys)
    module = place("yolos").YolosEmbeddings(config)
    assert list(module.position_embeddings.shape[1:]) == one.parameters["shape"] == [1 + 24 + 5, 8]
    one, config = one_of("sam3_vit_model", name="tile_table", pretrain_image_size=28, patch_size=14, hidden_size=8,
                         num_attention_heads=2)  # fmt: skip
    table = torch.randn(1, 4, 8)
    theirs = place("sam3").Sam3ViTEmbeddings._tile_position_embeddings(None, table, 5, 3)
    ours = run(one.call, weight=table.reshape(2, 2, 8).numpy(), height=5, width=3)
    np.testing.assert_array_equal(ours.reshape(1, 15, 8), theirs.numpy())


def test_sines_of_detectors():
    mask = np.ones((1, 5, 7), np.int64)
    mask[0, 4:] = mask[0, :, 6:] = 0
    mask[0, 4:, 0] = mask[0, 0, 6:] = 1
    for kind, folder, name, keys in (
        ("dab-detr", "dab_detr", "DabDetrSinePositionEmbedding", {"hidden_size": 32, "temperature_height": 30}),
        ("grounding-dino", "grounding_dino", "GroundingDinoSinePositionEmbedding", {"d_model": 32}),
    ):
        one, config = one_of(kind, **keys)
        theirs = getattr(place(folder), name)(config)(torch.zeros(1), torch.from_numpy(mask))
        error = np.abs(theirs.permute(0, 2, 3, 1).numpy() - run(one.call, mask=mask))
        assert error.max() <= 16 * 2.0**-22  # a few roundings in float32 of angles to 2 pi
    one, _ = one_of("mask2former", hidden_dim=32)
    module = place("mask2former").Mask2FormerSinePositionEmbedding(16, normalize=True)
    theirs = module(torch.Size([1, 1, 5, 7]), "cpu", torch.float32, torch.from_numpy(mask))
    assert np.abs(theirs.permute(0, 2, 3, 1).numpy() - run(one.call, mask=mask)).max() <= 16 * 2.0**-22
    one, _ = one_of("rt_detr", encoder_hidden_dim=32, positional_encoding_temperature=500)
    theirs = place("rt_detr").build_2d_sinusoidal_position_embedding(3, 5, 32, 500.0, dtype=torch.float64).numpy()
    np.testing.assert_allclose(run(one.call, height=3, width=5).reshape(15, 32), theirs, rtol=0, atol=2.0**-48)


def test_points_of_sam():
    one, _ = one_of("sam", "prompt", vision_config={"num_pos_feats": 6})
    config = SimpleNamespace(scale=1.0, num_pos_feats=6)
    module = place("sam").SamPositionalEmbedding(config).double()
    points = np.array([[[[3.0, 7.0], [20.5, 1.25]]]])
    theirs = module(torch.from_numpy(points), (32, 32)).detach().numpy()
    weight = module.positional_embedding.detach().numpy()
    np.testing.assert_allclose(run(one.call, points=points / 32 * 2 - 1, weight=weight), theirs, rtol=0, atol=2.0**-46)


# -- other tables -----------------------------------------------------------------------------------------------------


def test_series_text_and_axes():
    mixer = "PatchTSMixerPositionalEncoding", {"use_positional_encoding": True}
    for kind, code, flag in (("patchtst", "PatchTSTPositionalEncoding", {}), ("patchtsmixer", *mixer)):
        keys = {"context_length": 40, "patch_length": 8, "patch_stride": 4, "d_model": 6, **flag}
        one, config = one_of(kind, name="normalised_sinusoidal", **keys)
        config.num_patches = 9
        module = getattr(place(kind), code)(*((config, 9) if kind == "patchtst" else (config,)))
        np.testing.assert_allclose(run(one.call), module.position_enc.numpy(), rtol=0, atol=2.0**-20)
        one, config = one_of(kind, name="learned", positional_encoding_type="random", **keys)
        assert one.parameters["shape"] == [9, 6]
    keys = {"axial_pos_shape": (3, 5), "axial_pos_embds_dim": (4, 2), "hidden_size": 6}
    one, config = one_of("reformer", **keys)
    module = place("reformer").AxialPositionEmbeddings(config).eval()
    for weight in module.weights:
        torch.nn.init.normal_(weight)
    weights = [weight.detach().numpy().reshape(-1, weight.shape[-1]) for weight in module.weights]
    ours = run(one.call, row_weight=weights[0], column_weight=weights[1], length=11)
    np.testing.assert_array_equal(ours, module(torch.arange(11)[None])[0].detach().numpy())
    one, config = one_of("perceiver", d_model=8, max_position_embeddings=9, vocab_size=5)
    module = place("perceiver").PerceiverTextPreprocessor(config)
    assert list(module.position_embeddings.weight.shape) == one.parameters["shape"]


AUDIO = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM", "sew": "SEW", "speecht5": "SpeechT5"}


@pytest.mark.parametrize("kind", AUDIO)
def test_convolutions(kind):
    keys = {"hidden_size": 24, "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4}
    one, config = one_of(kind, name="conv_positions", **keys)
    module = getattr(place(kind), f"{AUDIO[kind]}PositionalConvEmbedding")(config).double()
    parts = module.conv.parametrizations.weight
    inputs = {"weight": parts.original1, "bias": module.conv.bias, "magnitude": parts.original0.reshape(-1)}
    inputs = {name: tensor.detach().numpy() for name, tensor in inputs.items()}
    assert [one.inputs[name].split("),")[0] + ")" for name in inputs] == [
        str(array.shape) if array.ndim > 1 else f"({len(array)},)" for array in inputs.values()]  # fmt: skip
    inputs["x"] = np.random.default_rng(1).standard_normal((1, 16, 24))
    x, ours = torch.from_numpy(inputs["x"]), run(one.call, **inputs)
    theirs = module(x.transpose(1, 2)).transpose(1, 2) if kind == "sew" else module(x)
    theirs = theirs.detach().numpy()
    options = {"groups": 4, "padding": "same", "activation": "gelu"}
    limit = conformance.bounds("conv_positions", options, inputs, "float64")["sequence64"]["output"]
    limit = limit[:, ::2] if kind == "sew" else limit
    assert ours.shape == theirs.shape and (np.abs(ours - theirs) <= limit).all()
    assert (np.abs(run(one.call, **{**inputs, "bias": -inputs["bias"]}) - theirs) > limit).any()


def test_sines_of_other_modules():
    """Tables of classes that only their own models have."""
    keys = {"hidden_size": 24, "max_position_embeddings": 9}
    one, config = one_of("videoprism_text_model", **keys)
    theirs = [(one, place("videoprism").create_sinusoidal_positions(9, 24))]
    one, config = one_of("tipsv2_text_model", **keys)
    theirs.append((one, place("tipsv2").Tipsv2SinusoidalPositionalEmbedding(config).weights))
    one, _ = one_of("speecht5", "encoder.text", hidden_size=48)
    theirs.append((one, place("speecht5").SpeechT5ScaledPositionalEncoding(0.0, 48, 9).pe[0]))
    one, _ = one_of("qwen3_asr_encoder", d_model=16)
    theirs.append((one, place("qwen3_asr").SinusoidsPositionEmbedding(9, 16).positional_embedding))
    one, _ = one_of("qwen2_5_omni_audio_encoder", d_model=16)
    theirs.append((one, place("qwen2_5_omni").SinusoidsPositionEmbedding(9, 16).positional_embedding))
    for one, table in theirs:
        np.testing.assert_allclose(table.numpy(), run(one.call, length=9), rtol=0, atol=9 * 2.0**-22)
