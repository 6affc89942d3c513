"""Learned tables of named models beside the modules that read them: every vector that the model adds, bit by bit."""

from importlib import import_module
from types import SimpleNamespace

import evidence
import numpy as np
import pytest
import torch
from diffusers.models.embeddings import ImagePositionalEmbeddings
from transformers.vision_utils import get_vision_nearest_position_ids

import refpos
from refpos import models

DIM, COUNT, NUMBER = 6, 20, 20
SIZES = {"vocab_size": 9, "hidden_size": DIM, "num_attention_heads": 1, "intermediate_size": 4, "pad_token_id": 1,
         "entity_vocab_size": 4, "type_vocab_size": 2}  # fmt: skip


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def config(name, cls, **sizes):
    return getattr(import_module(f"transformers.models.{name}.configuration_{name}"), f"{cls}Config")(**sizes)


def numbers(tensor):
    return tensor.detach().numpy()


def heard(module):
    """What an embedding gives from now on."""
    outputs = []
    module.register_forward_hook(lambda _, arguments, output: outputs.append(numbers(output)))
    return outputs


def random_arrays(high):
    """Random integers below `high` (batch, length), and how many tokens precede them."""
    rng = np.random.default_rng(high)
    for _ in range(NUMBER):
        yield rng.integers(0, high, rng.integers(1, 9, 2)), int(rng.integers(0, 6))


# Each function yields (weight, what the rows are of, options, what the model adds) of calls of the real code.


def of_embeddings(name, cls, count=COUNT, table="position_embeddings", by_ids=False, **more):
    """Models whose embeddings make their own positions from ids."""
    built = getattr(hf(name), f"{cls}Embeddings")(config(name, cls.replace("Text", ""), **SIZES, **{
        "max_position_embeddings": count, **more}))  # fmt: skip
    outputs, weight = heard(getattr(built, table)), numbers(getattr(built, table).weight)
    for ids, _ in random_arrays(4 if by_ids else 9):
        given = {"input_ids": torch.from_numpy(ids)}
        if name in ("layoutlm", "layoutlmv3"):
            given["bbox"] = torch.zeros((*ids.shape, 4), dtype=torch.long)
        if name in ("camembert", "longformer", "luke", "roberta", "bert", "layoutlmv3", "lilt"):
            given["token_type_ids"] = torch.zeros(ids.shape, dtype=torch.long)
        built(**given)
        yield weight, ids if by_ids else ids.shape[1], {}, outputs.pop()


def of_lengths(name, cls, of_shape):
    """The classes of BART, which are called with ids and a count of tokens before."""
    module = getattr(hf(name), cls)(COUNT, DIM)
    for ids, past in random_arrays(9):
        made = module(ids.shape if of_shape else torch.from_numpy(ids), past)
        yield numbers(module.weight), ids.shape[1], {"past": past}, numbers(made)


def of_masks(name, cls):
    module = getattr(hf(name), cls)(COUNT, DIM)
    for mask, past in random_arrays(2):
        past = min(past, mask.shape[1])
        yield numbers(module.weight), mask, {"past": past}, numbers(module(torch.from_numpy(mask), past))


def of_gpt2():
    module = hf("gpt2")
    model = module.GPT2Model(module.GPT2Config(vocab_size=9, n_positions=COUNT, n_embd=DIM, n_layer=1, n_head=1)).eval()
    outputs, weight = heard(model.wpe), numbers(model.wpe.weight)
    cache = model(torch.tensor([[1, 2, 3]])).past_key_values
    yield weight, 3, {}, outputs.pop()
    model(torch.tensor([[4, 5]]), past_key_values=cache)
    yield weight, 2, {"past": 3}, outputs.pop()


def of_clip():
    options = import_module("transformers").CLIPTextConfig(
        vocab_size=9, hidden_size=DIM, max_position_embeddings=COUNT, num_attention_heads=1
    )
    built = hf("clip").CLIPTextEmbeddings(options)
    outputs = heard(built.position_embedding)
    for ids, _ in random_arrays(9):
        built(torch.from_numpy(ids))
        yield numbers(built.position_embedding.weight), ids.shape[1], {}, outputs.pop()


def of_canine():
    # whose table has a row for each hash bucket
    options = config("canine", "Canine", hidden_size=8, max_position_embeddings=COUNT, num_hash_buckets=COUNT)
    built = hf("canine").CanineEmbeddings(options)
    outputs = heard(built.char_position_embeddings)
    for ids, _ in random_arrays(9):
        built(torch.from_numpy(ids))
        yield numbers(built.char_position_embeddings.weight), ids.shape[1], {}, outputs.pop()


def of_layoutlmv2():
    options = config(
        "layoutlmv2", "LayoutLMv2", **SIZES, max_position_embeddings=COUNT, coordinate_size=1, shape_size=1
    )
    built = hf("layoutlmv2").LayoutLMv2Embeddings(options)
    outputs, space = heard(built.position_embeddings), SimpleNamespace(embeddings=built)
    for ids, _ in random_arrays(9):
        places = built.position_ids[:, : ids.shape[1]].expand(ids.shape)
        boxes, kinds = torch.zeros((*ids.shape, 4), dtype=torch.long), torch.zeros(ids.shape, dtype=torch.long)
        hf("layoutlmv2").LayoutLMv2Model._calc_text_embeddings(space, torch.from_numpy(ids), boxes, places, kinds)
        yield numbers(built.position_embeddings.weight), ids.shape[1], {}, outputs.pop()


def of_lilt():
    options = config("lilt", "Lilt", **SIZES, max_position_embeddings=COUNT)
    built = hf("lilt").LiltTextEmbeddings(options)
    outputs = heard(built.position_embeddings)
    for ids, _ in random_arrays(4):
        built(torch.from_numpy(ids))
        yield numbers(built.position_embeddings.weight), ids, {}, outputs.pop()


def of_prophetnet():
    options = SimpleNamespace(max_position_embeddings=COUNT, hidden_size=DIM, pad_token_id=1)
    module = hf("prophetnet").ProphetNetPositionalEmbeddings(options)
    for mask, _ in random_arrays(2):
        yield numbers(module.weight), mask, {}, numbers(module(mask.shape, "cpu", torch.from_numpy(mask))[0])
    cache = SimpleNamespace(get_seq_length=lambda: 5)
    made = module((1, 1), "cpu", past_key_values=cache)[0]
    yield numbers(module.weight), np.array([[1]]), {"past": 5}, numbers(made)


def of_tapas():
    options = config("tapas", "Tapas", reset_position_index_per_cell=True, vocab_size=9, hidden_size=DIM,
                     num_attention_heads=1, max_position_embeddings=COUNT)  # fmt: skip
    built = hf("tapas").TapasEmbeddings(options)
    outputs = heard(built.position_embeddings)
    for ids, _ in random_arrays(3):
        kinds = np.zeros((*ids.shape, 7), np.int64)
        kinds[..., 1], kinds[..., 2] = ids, ids[::-1]
        built(input_ids=torch.from_numpy(ids), token_type_ids=torch.from_numpy(kinds))
        yield numbers(built.position_embeddings.weight), (kinds[..., 1], kinds[..., 2]), {}, outputs.pop()


def image_module(name, cls, **more):
    """The embeddings of an image model in which everything but the table of positions is 0."""
    module = getattr(hf(name), f"{cls}Embeddings")
    options = config(name, cls.removesuffix("Vision") if name != "siglip" else cls, hidden_size=DIM, image_size=48,
                     patch_size=16, num_attention_heads=1, **more)  # fmt: skip
    built = module(options).eval()
    with torch.no_grad():
        for key, parameter in built.named_parameters():
            parameter.normal_() if key.startswith("position_embedding") else parameter.zero_()
    return built


def of_image(name, cls, leave_out=(), **more):
    built = image_module(name, cls, **more)
    table = built.position_embedding.weight if name == "siglip" else built.position_embeddings
    weight = numbers(table).reshape(-1, DIM)
    made = numbers(built(torch.zeros(2, 3, 48, 48)))
    kept = np.setdiff1d(np.arange(made.shape[1]), leave_out)
    assert not made[:, list(leave_out)].any()
    for one in made[:, kept]:
        yield weight, len(weight), {}, one


def of_timesformer():
    options = config("timesformer", "Timesformer", hidden_size=DIM, image_size=48, patch_size=16, num_frames=4,
                     num_attention_heads=1)  # fmt: skip
    built = hf("timesformer").TimesformerEmbeddings(options).eval()
    images = torch.zeros(1, 4, 3, 48, 48)
    with torch.no_grad():
        for key, parameter in built.named_parameters():
            parameter.normal_() if key.endswith("position_embeddings") else parameter.zero_()
        of_space = numbers(built.position_embeddings)[0].copy()
        space = numbers(built(images))[0]
        built.position_embeddings.zero_()
        built.time_embeddings.normal_()
        time = numbers(built(images))[0]
    return of_space, space, numbers(built.time_embeddings)[0], time


def of_timesformer_space():
    weight, made, *_ = of_timesformer()
    yield weight, len(weight), {}, np.concatenate([made[:1], made[1::4]])  # frames of a patch stand together


def of_timesformer_time():
    *_, weight, made = of_timesformer()
    for first in range(1, len(made), 4):
        yield weight, 4, {}, made[first : first + 4]


def of_vivit():
    options = config("vivit", "Vivit", hidden_size=DIM, image_size=6, num_frames=4, tubelet_size=[2, 2, 3],
                     num_attention_heads=1)  # fmt: skip
    built = hf("vivit").VivitEmbeddings(options).eval()
    with torch.no_grad():
        for key, parameter in built.named_parameters():
            parameter.normal_() if key == "position_embeddings" else parameter.zero_()
        made = numbers(built(torch.zeros(2, 4, 3, 6, 6)))
    for one in made:
        yield numbers(built.position_embeddings)[0], made.shape[1], {}, one


def of_fractions(name, cls):
    options = config(name, f"{cls}Vision", hidden_size=DIM, image_size=35, patch_size=1)
    built = getattr(hf(name), f"{cls}VisionEmbeddings")(options)
    outputs, weight = heard(built.position_embedding), numbers(built.position_embedding.weight)
    for height, width in ((25, 3), (1, 49), (35, 2), (7, 5)):
        built(torch.zeros(1, 3, height, width), torch.ones(1, height, width, dtype=torch.bool))
        yield weight, [[height, width]], {}, outputs.pop()[0]


def of_minicpm_v():
    weight = np.random.default_rng(3).standard_normal((35 * 35, DIM)).astype(np.float32)
    for sizes in ([[25, 3], [1, 49]], [[35, 35]]):
        yield weight, sizes, {}, weight[get_vision_nearest_position_ids(torch.tensor(sizes), 35).numpy()]


COUNTED = {"max_position_embeddings": COUNT, "dim": DIM}
PADDED = {**COUNTED, "padding_idx": 1}
IMAGE = {"image_size": 48, "patch_size": 16, "dim": DIM}
FRACTIONS = {"image_size": 35, "patch_size": 1, "dim": DIM}
LEARNED = {
    "bert": (COUNTED, lambda: of_embeddings("bert", "Bert")),
    "gpt2": (COUNTED, of_gpt2),
    "clip": (COUNTED, of_clip),
    "canine": ({**COUNTED, "dim": 8}, of_canine),
    "layoutlm": (COUNTED, lambda: of_embeddings("layoutlm", "LayoutLM")),
    "layoutlmv2": (COUNTED, of_layoutlmv2),
    "led": (COUNTED, lambda: of_lengths("led", "LEDLearnedPositionalEmbedding", True)),
    "blenderbot": (COUNTED, lambda: of_lengths("blenderbot", "BlenderbotLearnedPositionalEmbedding", True)),
    "bart": (COUNTED, lambda: of_lengths("bart", "BartLearnedPositionalEmbedding", False)),
    "mbart": (COUNTED, lambda: of_lengths("mbart", "MBartLearnedPositionalEmbedding", False)),
    "yoso": (COUNTED, lambda: of_embeddings("yoso", "Yoso")),
    **{
        name: (PADDED, lambda name=name, cls=cls: of_embeddings(name, cls, by_ids=True))
        for name, cls in (("roberta", "Roberta"), ("camembert", "Camembert"), ("longformer", "Longformer"),
                          ("mpnet", "MPNet"), ("luke", "Luke"))
    },
    "esm": (PADDED, lambda: of_embeddings("esm", "Esm", by_ids=True, position_embedding_type="absolute")),
    "layoutlmv3": (PADDED, lambda: of_embeddings("layoutlmv3", "LayoutLMv3Text", by_ids=True, coordinate_size=1,
                                                 shape_size=1)),
    "lilt": (PADDED, of_lilt),
    "opt": (COUNTED, lambda: of_masks("opt", "OPTLearnedPositionalEmbedding")),
    "biogpt": (COUNTED, lambda: of_masks("biogpt", "BioGptLearnedPositionalEmbedding")),
    "prophetnet": (PADDED, of_prophetnet),
    "tapas": (COUNTED, of_tapas),
    "vit": (IMAGE, lambda: of_image("vit", "ViT")),
    "deit": (IMAGE, lambda: of_image("deit", "DeiT")),
    "dinov2": (IMAGE, lambda: of_image("dinov2", "Dinov2")),
    "dinov2_with_registers": (IMAGE, lambda: of_image("dinov2_with_registers", "Dinov2WithRegisters", (1, 2, 3, 4))),
    "siglip": (IMAGE, lambda: of_image("siglip", "SiglipVision")),
    "timesformer": (IMAGE, of_timesformer_space),
    "timesformer_time": ({"max_position_embeddings": 4, "dim": DIM}, of_timesformer_time),
    "vivit": ({"num_frames": 4, "image_size": 6, "tubelet_size": (2, 2, 3), "dim": DIM}, of_vivit),
    "idefics2": (FRACTIONS, lambda: of_fractions("idefics2", "Idefics2")),
    "idefics3": (FRACTIONS, lambda: of_fractions("idefics3", "Idefics3")),
    "smolvlm": (FRACTIONS, lambda: of_fractions("smolvlm", "SmolVLM")),
    "phi4_multimodal": (FRACTIONS, lambda: of_fractions("phi4_multimodal", "Phi4Multimodal")),
    "minicpm_v": (FRACTIONS, of_minicpm_v),
}  # fmt: skip


@pytest.mark.parametrize("name", LEARNED)
def test_vectors_are_those_of_the_model(name):
    sizes, calls = LEARNED[name]
    encoding, count = models.load(name, **sizes), 0
    for weight, tokens, options, real in calls():
        rows = encoding.rows(*(tokens if isinstance(tokens, tuple) else (tokens,)), **options)
        made = encoding.table(weight, rows)
        assert np.array_equal(np.broadcast_to(made, real.shape).view(np.uint32), real.view(np.uint32))
        count += 1
    assert count


# -- tables of axes, boxes and spans ----------------------------------------------------------------------------------


def random(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("name", ["detr_learned", "florence2_image"])
def test_columns_stand_before_rows(name):
    if name == "detr_learned":
        module = hf("detr").DetrLearnedPositionEmbedding(3)
        made = module((1, 1, 3, 5), "cpu", torch.float32)
    else:  # an odd width: the columns have a channel more
        vision = SimpleNamespace(max_position_embeddings=8, embed_dim=[7])
        module = hf("florence2").Florence2VisionLearnedAbsolutePositionEmbedding2D(
            SimpleNamespace(vision_config=vision)
        )
        made = module(torch.zeros(1, 1, 3, 5))
    tables = [numbers(one.weight) for one in (module.row_embeddings, module.column_embeddings)]
    ours = models.load(name).table(tables, models.positions(name, height=3, width=5))
    assert np.array_equal(ours, numbers(made)[0].transpose(1, 2, 0))


def test_rows_and_columns_of_vq_diffusion_are_added():
    module = ImagePositionalEmbeddings(1, 3, 5, 4)
    module.emb.weight.data.zero_()
    made = numbers(module(torch.zeros(1, 15, dtype=torch.long)))[0].reshape(3, 5, 4)
    tables = [numbers(one.weight) for one in (module.height_emb, module.width_emb)]
    where = models.positions("vq_diffusion", height=3, width=5)
    assert np.array_equal(models.load("vq_diffusion").table(tables, where), made)


def test_rows_and_columns_of_gemma4_are_added():
    weight = random(2, 16, 4)
    cells = np.stack(np.indices((5, 3))[::-1], -1).reshape(1, -1, 2)  # x, y
    space = SimpleNamespace(position_embedding_table=torch.from_numpy(weight))
    padding = torch.zeros(1, 15, dtype=torch.bool)
    made = hf("gemma4").Gemma4VisionPatchEmbedder._position_embeddings(space, torch.from_numpy(cells), padding)[0]
    where = models.positions("gemma4_learned", height=5, width=3)
    ours = models.load("gemma4_learned").table(weight[::-1], where)
    assert np.array_equal(ours.reshape(15, 4), made.numpy())


def test_the_axes_of_reformer():
    tables = [random(3, 2), random(5, 4)]
    space = SimpleNamespace(
        weights=[torch.from_numpy(tables[0])[:, None], torch.from_numpy(tables[1])[None]], axial_pos_shape=(3, 5),
        training=False, least_common_mult_chunk_length=1, dropout=0.0,
    )  # fmt: skip
    flat = models.load("reformer", axial_pos_shape=(3, 5)).table(tables).reshape(15, 6)
    for length in (15, 11, 1):
        made = hf("reformer").AxialPositionEmbeddings.forward(space, torch.arange(length)[None])[0]
        assert np.array_equal(flat[models.positions("reformer", length)], made.numpy())


BOXES = {"layoutlm_boxes": False, "layoutlmv2_boxes": True, "layoutlmv3_boxes": True, "lilt_boxes": True}


@pytest.mark.parametrize("name", BOXES)
def test_boxes_are_put_together_as_by_the_model(name):
    encoding = models.load(name)
    tables, boxes = [random(20, 2) + k for k in range(4)], np.array([[[2, 3, 9, 5], [0, 0, 19, 19]]])
    embed = [torch.nn.Embedding.from_pretrained(torch.from_numpy(table)) for table in tables]
    space = SimpleNamespace(**{f"{axis}_position_embeddings": one for axis, one in zip("xyhw", embed, strict=True)})
    ours = encoding.table(tables, models.positions(name, boxes), dtype="float32")
    if name == "layoutlmv2_boxes":
        theirs = hf("layoutlmv2").LayoutLMv2Embeddings._calc_spatial_position_embeddings(space, torch.from_numpy(boxes))
    elif name == "layoutlmv3_boxes":
        real = hf("layoutlmv3").LayoutLMv3TextEmbeddings.calculate_spatial_position_embeddings
        theirs = real(space, torch.from_numpy(boxes))
    else:  # test_index_rows.py runs the modules, whose sums and linear layers come in between
        (x, y, h, w), sides = embed, torch.from_numpy(boxes)
        left, upper, right, lower = sides.unbind(-1)
        parts = [x(left), y(upper), x(right), y(lower), h(lower - upper), w(right - left)]
        theirs = torch.cat(parts, -1) if BOXES[name] else sum(part.double() for part in parts).float()
    assert np.array_equal(ours, theirs.numpy())


def test_entities_of_luke_have_the_mean_of_their_words():
    weight, rows = random(9, 4), np.array([[2, 3, 4, 5], [7, 8, -1, -1], [1, -1, -1, -1]])
    ours = models.load("luke_entities").table(weight, models.positions("luke_entities", rows))
    kept = torch.from_numpy(rows != -1)
    vectors = torch.from_numpy(weight)[torch.from_numpy(rows).clamp(min=0)].double() * kept[..., None]
    assert np.array_equal(ours, (vectors.sum(-2) / kept.sum(-1, keepdim=True)).float().numpy())


def test_a_weight_of_another_shape_is_refused():
    roberta = models.load("roberta", max_position_embeddings=6, dim=2)
    with pytest.raises(refpos.InputError, match=r"shape of the model, \(6, 2\), got \(7, 2\)"):
        roberta.table(np.zeros((7, 2)), [1])
    with pytest.raises(refpos.InputError, match="num_rows = 6, the size of the table, got row 6"):
        roberta.rows([[5, 5, 5, 5, 5]])


#: presets of this page
ABSOLUTE = ("detr_learned", "florence2_image", "vq_diffusion", "gemma4_learned", "reformer", "luke_entities", *BOXES)


def test_every_learned_preset_is_run():
    assert {*LEARNED, *ABSOLUTE} == {name for name in evidence.ADDED if models.find(name).family == "learned"}
