"""Rows of cells, boxes and fractions beside the modules that read them; hooks see what their tables are asked for."""

from importlib import import_module

import numpy as np
import pytest
import torch
from transformers.vision_utils import get_vision_nearest_position_ids

import refpos
from refpos import conformance

NUMBER = 200


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def config(name, cls, **sizes):
    return getattr(import_module(f"transformers.models.{name}.configuration_{name}"), cls)(**sizes)


def asked(module):
    """A list to which an embedding writes what it is asked."""
    rows = []
    module.register_forward_pre_hook(lambda _, arguments: rows.append(arguments[0].numpy()))
    return rows


# -- cells of a table of text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_rows", [64, 3])
def test_cells_of_tapas(num_rows):
    sizes = {"vocab_size": 16, "hidden_size": 4, "num_attention_heads": 1, "max_position_embeddings": num_rows}
    built = hf("tapas").TapasEmbeddings(config("tapas", "TapasConfig", reset_position_index_per_cell=True, **sizes))
    rows, rng, clipped = asked(built.position_embeddings), np.random.default_rng(num_rows), 0
    for _ in range(NUMBER):
        batch, length = rng.integers(1, [4, 33])
        types = np.zeros((batch, length, 7), np.int64)
        # most tables are read cell by cell, some not at all in order
        types[..., 1:3] = rng.integers(0, rng.integers(1, [5, 5]), (batch, length, 2))
        if rng.integers(4):
            types[..., 1:3].view("i8,i8").sort(axis=1)
        built(input_ids=torch.zeros((batch, length), dtype=torch.long), token_type_ids=torch.from_numpy(types))
        made = refpos.positions.cell_rows(types[..., 1], types[..., 2], num_rows=num_rows)
        assert np.array_equal(made, rows.pop())
        clipped += (made == num_rows - 1).sum()
    assert bool(clipped) == (num_rows < 60)


# -- boxes ------------------------------------------------------------------------------------------------------------

TABLES = ("x", "y", "h", "w")


def layout(name):
    """The module of a model that reads boxes, small, and how it is called."""
    sizes = {"vocab_size": 8, "hidden_size": 12, "num_attention_heads": 2, "max_2d_position_embeddings": 1024}
    if name == "layoutlm":
        built = hf(name).LayoutLMEmbeddings(config(name, "LayoutLMConfig", **sizes))
        return built, lambda boxes: built(input_ids=torch.zeros(boxes.shape[:2], dtype=torch.long), bbox=boxes)
    if name == "lilt":
        built = hf(name).LiltLayoutEmbeddings(config(name, "LiltConfig", **sizes))
        return built, lambda boxes: built(bbox=boxes, position_ids=torch.zeros(boxes.shape[:2], dtype=torch.long))
    shapes = {"coordinate_size": 2, "shape_size": 2}
    if name == "layoutlmv2":
        built = hf(name).LayoutLMv2Embeddings(config(name, "LayoutLMv2Config", **sizes, **shapes))
        return built, built._calc_spatial_position_embeddings
    built = hf(name).LayoutLMv3TextEmbeddings(config(name, "LayoutLMv3Config", **sizes, **shapes))
    return built, built.calculate_spatial_position_embeddings


@pytest.mark.parametrize("name", ["layoutlm", "layoutlmv2", "layoutlmv3", "lilt"])
def test_boxes_of_the_layoutlm_family(name):
    clip = 1023 if name == "layoutlmv3" else None
    built, call = layout(name)
    lists = [asked(getattr(built, f"{table}_position_embeddings")) for table in TABLES]
    rng, turned = np.random.default_rng(7), 0
    for k in range(NUMBER):
        boxes = rng.integers(0, 1001, (*rng.integers(1, 6, 2), 4))
        if k % 2:
            boxes = np.concatenate([boxes[..., :2], np.maximum(boxes[..., :2], boxes[..., 2:])], -1)
        try:
            call(torch.from_numpy(boxes))
        except IndexError:
            turned += 1
            with pytest.raises(refpos.InputError, match="got a size of -"):
                refpos.positions.box_rows(boxes, clip=clip, num_rows=1024)
            for rows in lists:
                rows.clear()
            continue
        (left, right), (upper, lower), (height,), (width,) = lists
        real = np.stack([left, upper, right, lower, height, width], -1)
        assert np.array_equal(refpos.positions.box_rows(boxes, clip=clip, num_rows=1024), real)
        for rows in lists:
            rows.clear()
    assert bool(turned) == (clip is None)


def test_boxes_beyond_the_tables():
    _, call = layout("layoutlmv3")
    with pytest.raises(IndexError, match="0-1000"):
        call(torch.tensor([[[0, 0, 1024, 5]]]))
    with pytest.raises(refpos.InputError, match="num_rows = 1024, the size of the tables, got row 1024"):
        refpos.positions.box_rows([0, 0, 1024, 5], clip=1023, num_rows=1024)


@pytest.mark.parametrize("name", ["layoutlm", "layoutlmv2", "layoutlmv3", "lilt"])
def test_vectors_of_boxes(name):
    combine, clip = "sum" if name == "layoutlm" else "concat", 1023 if name == "layoutlmv3" else None
    built, call = layout(name)
    tables = [getattr(built, f"{table}_position_embeddings") for table in TABLES]
    weights = [table.weight.detach().numpy() for table in tables]
    sides = np.random.default_rng(8).integers(0, 1001, (3, 50, 2, 2))
    boxes = np.sort(sides, axis=2).reshape(3, 50, 4)
    made = refpos.tables.learned_boxes(weights, boxes, combine=combine, clip=clip)
    if name in ("layoutlmv2", "layoutlmv3"):
        assert np.array_equal(call(torch.from_numpy(boxes)).detach().numpy(), made)
    if name == "lilt":  # what its linear layer is given
        seen = asked(built.box_linear_embeddings)
        with torch.no_grad():
            call(torch.from_numpy(boxes))
        assert np.array_equal(seen.pop(), made)
    if name == "layoutlm":  # what its layer norm is given, where words, positions and types are zeros
        seen = asked(built.LayerNorm)
        with torch.no_grad():
            for other in (built.word_embeddings, built.position_embeddings, built.token_type_embeddings):
                other.weight.zero_()
            call(torch.from_numpy(boxes))
        limits = conformance.bounds(
            "learned_boxes", {"combine": "sum", "clip": None}, {"weights": weights, "boxes": boxes}, "float32"
        )
        report = refpos.compare(seen.pop(), made, bounds={"rounded-table": limits["rounded-table"]["output"]})
        assert report.classes["rounded-table"].met


# -- spans ------------------------------------------------------------------------------------------------------------


def test_spans_of_luke():
    sizes = {"vocab_size": 8, "entity_vocab_size": 8, "hidden_size": 6, "entity_emb_size": 6, "num_attention_heads": 1}
    built = hf("luke").LukeEntityEmbeddings(config("luke", "LukeConfig", max_position_embeddings=40, **sizes))
    seen, weight = asked(built.LayerNorm), built.position_embeddings.weight.detach().numpy()
    rng, equal, total = np.random.default_rng(9), 0, 0
    with torch.no_grad():
        built.entity_embeddings.weight.zero_()
        built.token_type_embeddings.weight.zero_()
        for _ in range(NUMBER):
            batch, entities, most = rng.integers(1, [3, 5, 31])
            rows = rng.integers(2, 40, (batch, entities, most))
            rows[np.arange(most) >= rng.integers(0, most + 1, (batch, entities, 1))] = -1
            built(torch.zeros((batch, entities), dtype=torch.long), torch.from_numpy(rows))
            theirs, ours = seen.pop(), refpos.tables.mean_of_rows(weight, rows)
            limits = conformance.bounds("mean_of_rows", {}, {"weight": weight, "rows": rows}, "float32")
            report = refpos.compare(theirs, ours, bounds={"rounded-table": limits["rounded-table"]["output"]})
            assert report.classes["rounded-table"].met
            equal, total = equal + (theirs == ours).sum(), total + ours.size
    assert equal / total > 0.3


def test_a_row_beyond_the_table_of_luke():
    weight = np.ones((40, 2), np.float32)
    with pytest.raises(IndexError):
        torch.nn.Embedding.from_pretrained(torch.from_numpy(weight))(torch.tensor([40]))
    with pytest.raises(refpos.InputError, match="rows must lie within the 40 rows of the table, got row 40"):
        refpos.tables.mean_of_rows(weight, [[40, -1]])


# -- fractions of an image --------------------------------------------------------------------------------------------


def edges_are_rounded_once(side):
    """Whether torch's edges are the float32 nearest to k / side on this machine."""
    real = torch.arange(1 / side, 1.0, 1 / side)[: side - 1].numpy()
    return np.array_equal(real, (np.arange(1, side) / side).astype(np.float32))


def test_fractions_of_minicpm_v():
    same, others = 0, 0
    for side in range(1, 81):
        sizes = [[n, 2 * side + 1 - n] for n in range(1, 2 * side + 1)]
        real = get_vision_nearest_position_ids(torch.tensor(sizes), side).numpy()
        made = refpos.positions.fraction_rows(sizes, side, rule="quotient")
        if edges_are_rounded_once(side):
            assert np.array_equal(made, real), side
            same += 1
            continue
        # a cell is missed only where a patch begins at an edge
        cell = np.concatenate([np.stack(np.indices(size), -1).reshape(-1, 2) for size in sizes])
        count = np.repeat(np.array(sizes), [h * w for h, w in sizes], 0)
        at_edge = cell * side % count == 0
        for axis, (ours, theirs) in enumerate(zip(np.divmod(made, side), np.divmod(real, side), strict=True)):
            off = ours != theirs
            assert at_edge[off, axis].all() and (abs(ours - theirs) <= 1).all()
        others += 1
    assert same + others == 80 and same > 20
    assert all(map(edges_are_rounded_once, (14, 16, 24, 26, 32, 35, 70)))


VISION = {"idefics2": "Idefics2VisionEmbeddings", "idefics3": "Idefics3VisionEmbeddings",
          "smolvlm": "SmolVLMVisionEmbeddings", "phi4_multimodal": "Phi4MultimodalVisionEmbeddings"}  # fmt: skip


@pytest.mark.parametrize("name", VISION)
@pytest.mark.parametrize("side", [7, 26, 32, 35, 70])
def test_fractions_of_idefics_and_its_kin(name, side):
    options = config(name, VISION[name].replace("Embeddings", "Config"), image_size=side, patch_size=1, hidden_size=2)
    built = getattr(hf(name), VISION[name])(options)
    rows, rng = asked(built.position_embedding), np.random.default_rng(side)
    largest = 4 * side // 3
    for size in [(25, 7), *rng.integers(1, largest, (10, 2)).tolist()]:
        whole = [most + int(rng.integers(0, 3)) for most in size]  # the batch is padded to this
        kept = np.zeros((1, *whole), bool)
        kept[:, : size[0], : size[1]] = True
        built(torch.zeros(1, 3, *whole), torch.from_numpy(kept))
        real = rows.pop().reshape(whole)
        made = refpos.positions.fraction_rows([size], side, rule="step").reshape(size)
        assert np.array_equal(real[: size[0], : size[1]], made)
        assert not real[~kept[0]].any()
