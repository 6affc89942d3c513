"""Learned tables as torch, transformers and diffusers read them."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models.embeddings import ImagePositionalEmbeddings
from transformers.models.detr.modeling_detr import DetrLearnedPositionEmbedding
from transformers.models.gemma4.modeling_gemma4 import Gemma4VisionPatchEmbedder
from transformers.models.reformer.modeling_reformer import AxialPositionEmbeddings
from transformers.models.sam3.modeling_sam3 import Sam3ViTEmbeddings

from refpos import learned
from refpos.tables import learned_axes, tile_table


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_rows_are_those_of_an_embedding():
    weight, rows = numbers(12, 5), np.array([[3, 11, 0], [3, 3, 7]])
    theirs = torch.nn.Embedding.from_pretrained(torch.from_numpy(weight))
    np.testing.assert_array_equal(learned(weight, rows), theirs(torch.from_numpy(rows)).numpy())
    with pytest.raises(IndexError):
        theirs(torch.tensor([12]))
    half = theirs.to(torch.bfloat16)(torch.from_numpy(rows)).view(torch.uint16).numpy()
    out = np.empty((2, 3, 5), np.uint16)
    np.testing.assert_array_equal(learned(weight, rows, dtype="bfloat16", out=out), half)


def test_detr_puts_columns_first():
    module = DetrLearnedPositionEmbedding(6)
    made = module((1, 1, 3, 5), "cpu", torch.float32)[0].permute(1, 2, 0).detach().numpy()
    tables = [one.weight.detach().numpy() for one in (module.row_embeddings, module.column_embeddings)]
    np.testing.assert_array_equal(learned_axes(tables, (3, 5), combine="concat", axis_order="wh"), made)
    assert (learned_axes(tables, (3, 5), combine="concat", axis_order="hw") != made).any()


def test_vq_diffusion_adds_rows_and_columns():
    module = ImagePositionalEmbeddings(1, 3, 5, 4)
    module.emb.weight.data.zero_()
    made = module(torch.zeros(1, 15, dtype=torch.long))[0].detach().numpy().reshape(3, 5, 4)
    tables = [one.weight.detach().numpy() for one in (module.height_emb, module.width_emb)]
    np.testing.assert_array_equal(learned_axes(tables, (3, 5), combine="sum"), made)


def test_gemma4_adds_columns_and_rows():
    table = numbers(2, 16, 4)
    cells = np.stack(np.indices((5, 3))[::-1], -1).reshape(1, -1, 2)  # x, y
    space = SimpleNamespace(position_embedding_table=torch.from_numpy(table))
    padding = torch.zeros(1, 15, dtype=torch.bool)
    made = Gemma4VisionPatchEmbedder._position_embeddings(space, torch.from_numpy(cells), padding)[0].numpy()
    np.testing.assert_array_equal(learned_axes(table[::-1], (5, 3), combine="sum").reshape(15, 4), made)


def test_reformer_is_a_grid_cut_at_its_length():
    tables = [numbers(3, 2), numbers(5, 4, seed=1)]
    space = SimpleNamespace(
        weights=[torch.from_numpy(tables[0])[:, None], torch.from_numpy(tables[1])[None]], axial_pos_shape=(3, 5),
        training=False, least_common_mult_chunk_length=1, dropout=0.0,
    )  # fmt: skip
    grid = learned_axes(tables, (3, 5), combine="concat", axis_order="hw").reshape(15, 6)
    for length in (15, 11, 1):
        made = AxialPositionEmbeddings.forward(space, torch.arange(length)[None])[0].numpy()
        np.testing.assert_array_equal(grid[:length], made)


def test_sam3_tiles_and_cuts():
    weight = numbers(24, 24, 3)
    for size in ((30, 30), (24, 24), (10, 50)):
        made = Sam3ViTEmbeddings._tile_position_embeddings(None, torch.from_numpy(weight).reshape(1, -1, 3), *size)
        np.testing.assert_array_equal(tile_table(weight, size).reshape(-1, 3), made[0].numpy())
