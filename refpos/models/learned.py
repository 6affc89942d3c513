"""Learned tables that models of text and images add to their embeddings: sizes, and the rows that tokens read."""

from __future__ import annotations

from .. import checks
from ..errors import InputError
from ..types import Integer
from . import rows_read, token_positions
from .absolute import Absolute, Learned
from .registry import TRANSFORMERS, from_diffusers, from_transformers, row

#: why a table has more rows than there are positions
TWO_MORE = "The table has two rows more than positions: the first two are read by no token."


def _counted(count, dim, offset=0):
    """A row for each of `count` positions, behind `offset` rows."""
    num_rows = checks.integer("max_position_embeddings", count, 1) + offset
    return _learned(num_rows, dim, rule="count", offset=offset, num_rows=num_rows)


def _padded(num_rows, dim, padding_idx):
    """The rule of fairseq: tokens that do not pad count from padding_idx + 1."""
    num_rows = checks.integer("max_position_embeddings", num_rows, 1)
    padding_idx = checks.integer("padding_idx", padding_idx, 0, num_rows - 1)
    return _learned(num_rows, dim, rule="tokens", padding_idx=padding_idx, num_rows=num_rows)


def _masked(count, dim):
    """The rule of OPT: kept tokens count from row 2."""
    num_rows = checks.integer("max_position_embeddings", count, 1) + 2
    return _learned(num_rows, dim, rule="mask", offset=2, num_rows=num_rows)


def _clipped(num_rows, dim, padding_idx):
    """The rule of ProphetNet: kept tokens count from padding_idx + 1 to the last row."""
    num_rows = checks.integer("max_position_embeddings", num_rows, 1)
    padding_idx = checks.integer("padding_idx", padding_idx, 0, num_rows - 1)
    return _learned(num_rows, dim, rule="clipped", padding_idx=padding_idx, num_rows=num_rows)


def _cells(num_rows, dim):
    """The rule of TAPAS: tokens count in each cell, to the last row."""
    num_rows = checks.integer("max_position_embeddings", num_rows, 1)
    return _learned(num_rows, dim, "cell_rows", num_rows=num_rows)


def _axial(axial_pos_shape):
    """The two tables of Reformer, of which each position reads a row."""
    return Absolute("learned_axes", {"grid": tuple(axial_pos_shape), "combine": "concat", "axis_order": "hw"})


def _learned(count, dim, /, function="table_rows", **arguments):
    """The record of a table of that size."""
    return Learned("learned", {}, shape=(count, checks.integer("dim", dim, 1)), function_of_rows=function,
                   arguments_of_rows=arguments)  # fmt: skip


def _patches(image_size, patch_size, dim, prefix):
    """Rows of a prefix, and of the patches of a square image in row-major order."""
    side = checks.integer("image_size", image_size, 1) // checks.integer("patch_size", patch_size, 1)
    return _learned(prefix + side * side, dim, rule="count", num_rows=prefix + side * side)


def _fractions(image_size, patch_size, dim, rule):
    """A square table that images of any size read at their fractions."""
    side = checks.integer("image_size", image_size, 1) // checks.integer("patch_size", patch_size, 1)
    return _learned(side * side, dim, "fraction_rows", side=side, rule=rule)


# -- a row for each position ------------------------------------------------------------------------------------------


@from_transformers(
    file="models/bert/modeling_bert.py, BertEmbeddings",
    positions=token_positions.counted, notes=(
        "ALBERT, ELECTRA and many others have the same.",
    ),
)  # fmt: skip
def bert(dim: Integer = 768, *, max_position_embeddings: Integer = 512) -> Learned:
    """BERT: a learned row for each position.

    E[p] = weight[p], p = past, past + 1, ...

    >>> bert().rows(3, past=5)
    array([5, 6, 7])
    """
    return _counted(max_position_embeddings, dim)


row(
    bert, "gpt2", "GPT-2", "models/gpt2/modeling_gpt2.py, GPT2Model", "The first OpenAI GPT has 512 positions.",
    max_position_embeddings=1024,
)  # fmt: skip

row(bert, "clip", "CLIP, text", "models/clip/modeling_clip.py, CLIPTextEmbeddings", dim=512, max_position_embeddings=77)

row(
    bert, "led", "LED, encoder", "models/led/modeling_led.py, LEDLearnedPositionalEmbedding",
    "BART's class without its two rows; the decoder has 1024 positions.", dim=1024, max_position_embeddings=16384,
)  # fmt: skip

row(
    bert, "blenderbot", "Blenderbot",
    "models/blenderbot/modeling_blenderbot.py, BlenderbotLearnedPositionalEmbedding",
    "BART's class without its two rows.", dim=2560, max_position_embeddings=128,
)  # fmt: skip

row(
    bert, "canine", "CANINE, positions of characters", "models/canine/modeling_canine.py, CanineEmbeddings",
    "The characters themselves are hashed: hash_rows. The table has num_hash_buckets rows, as many as positions.",
    max_position_embeddings=16384,
)  # fmt: skip

row(
    bert, "layoutlm", "LayoutLM, order of words", "models/layoutlm/modeling_layoutlm.py, LayoutLMEmbeddings",
    "Vectors of boxes are added: layoutlm_boxes.",
)  # fmt: skip

row(
    bert, "layoutlmv2", "LayoutLMv2, order of words",
    "models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Embeddings",
    "Vectors of boxes are added: layoutlmv2_boxes.",
)  # fmt: skip

row(
    bert, "timesformer_time", "TimeSformer, time",
    "models/timesformer/modeling_timesformer.py, TimesformerEmbeddings",
    "Another number of frames reads the nearest row: resize_table with method nearest.", max_position_embeddings=8,
)  # fmt: skip


# -- behind two rows --------------------------------------------------------------------------------------------------


@from_transformers(
    file="models/bart/modeling_bart.py, BartLearnedPositionalEmbedding",
    positions=token_positions.behind_two, notes=(
        "PLBart and MVP have the same.",
        TWO_MORE,
    ),
)  # fmt: skip
def bart(dim: Integer = 1024, *, max_position_embeddings: Integer = 1024) -> Learned:
    """BART: a learned row for each position, behind two rows.

    E[p] = weight[p + 2], p = past, past + 1, ...

    >>> bart().rows(3, past=5)
    array([7, 8, 9])
    """
    return _counted(max_position_embeddings, dim, offset=2)


row(bart, "mbart", "mBART", "models/mbart/modeling_mbart.py, MBartLearnedPositionalEmbedding", TWO_MORE)

row(
    bart, "yoso", "YOSO", "models/yoso/modeling_yoso.py, YosoEmbeddings", "Nystromformer and MRA have the same.",
    TWO_MORE, dim=768, max_position_embeddings=4096,
)  # fmt: skip


# -- counted from the row of padding ----------------------------------------------------------------------------------


@from_transformers(
    file="models/roberta/modeling_roberta.py, create_position_ids_from_input_ids",
    positions=token_positions.padded, notes=(
        "max_position_embeddings counts rows: two less are tokens.",
        "XLM-RoBERTa, XMOD and Data2Vec have the same.",
    ),
)  # fmt: skip
def roberta(dim: Integer = 768, *, max_position_embeddings: Integer = 514, padding_idx: Integer = 1) -> Learned:
    """RoBERTa: tokens count from padding_idx + 1, and padding reads row padding_idx.

    E[p] = weight[padding_idx + how many ids up to here do not pad]; of an id that pads weight[padding_idx]

    >>> roberta().rows([[7, 1, 8]])
    array([[2, 1, 3]])
    """
    return _padded(max_position_embeddings, dim, padding_idx)


row(
    roberta, "camembert", "CamemBERT", "models/camembert/modeling_camembert.py, create_position_ids_from_input_ids",
    "max_position_embeddings counts rows: two less are tokens.",
)  # fmt: skip

row(
    roberta, "longformer", "Longformer",
    "models/longformer/modeling_longformer.py, create_position_ids_from_input_ids",
    "max_position_embeddings counts rows: two less are tokens.", max_position_embeddings=4098,
)  # fmt: skip

row(
    roberta, "esm", "ESM-1b", "models/esm/modeling_esm.py, create_position_ids_from_input_ids",
    "max_position_embeddings counts rows: two less are tokens.", "ESM-2 rotates queries and keys instead.", dim=1280,
    max_position_embeddings=1026,
)  # fmt: skip

row(
    roberta, "mpnet", "MPNet", "models/mpnet/modeling_mpnet.py, create_position_ids_from_input_ids",
    "max_position_embeddings counts rows: two less are tokens.",
    "The id that pads is 1 whatever the configuration says.",
)  # fmt: skip

row(
    roberta, "luke", "LUKE, words", "models/luke/modeling_luke.py, create_position_ids_from_input_ids",
    "max_position_embeddings counts rows: two less are tokens.",
    "Entities have the mean of the rows of their words: luke_entities.",
)  # fmt: skip

row(
    roberta, "layoutlmv3", "LayoutLMv3, order of words",
    "models/layoutlmv3/modeling_layoutlmv3.py, LayoutLMv3TextEmbeddings",
    "max_position_embeddings counts rows: two less are tokens.", "Vectors of boxes are added: layoutlmv3_boxes.",
)  # fmt: skip

row(
    roberta, "lilt", "LiLT, order of words", "models/lilt/modeling_lilt.py, LiltTextEmbeddings",
    "max_position_embeddings counts rows: two less are tokens.",
    "Vectors of boxes: lilt_boxes; a narrower table of positions is added to them at the same rows.",
)  # fmt: skip


# -- counted in a mask ------------------------------------------------------------------------------------------------


@from_transformers(
    file="models/opt/modeling_opt.py, OPTLearnedPositionalEmbedding",
    positions=rows_read.masked, notes=(
        TWO_MORE,
        "Tokens that the mask leaves out read row 1.",
    ),
)  # fmt: skip
def opt(dim: Integer = 768, *, max_position_embeddings: Integer = 2048) -> Learned:
    """OPT: kept tokens count from row 2.

    E[p] = weight[1 + how many tokens up to here are kept]; of a token left out weight[1]

    >>> opt().rows([[0, 1, 1, 1]], past=1)
    array([[2, 3, 4]])
    """
    return _masked(max_position_embeddings, dim)


row(
    opt, "biogpt", "BioGPT", "models/biogpt/modeling_biogpt.py, BioGptLearnedPositionalEmbedding", TWO_MORE,
    "Tokens that the mask leaves out read row 1.", dim=1024, max_position_embeddings=1024,
)  # fmt: skip


@from_transformers(
    file="models/prophetnet/modeling_prophetnet.py, ProphetNetPositionalEmbeddings",
    positions=rows_read.clipped, notes=(
        "A step of decoding is neither masked nor clipped.",
    ),
)  # fmt: skip
def prophetnet(dim: Integer = 1024, *, max_position_embeddings: Integer = 512, padding_idx: Integer = 0) -> Learned:
    """ProphetNet: kept tokens count from padding_idx + 1, up to the last row.

    E[p] = weight[min(padding_idx + how many tokens up to here are kept, num_rows - 1)]

    >>> prophetnet(max_position_embeddings=3).rows([[1, 1, 1, 0]])
    array([[1, 2, 2, 0]])
    """
    return _clipped(max_position_embeddings, dim, padding_idx)


@from_transformers(
    file="models/tapas/modeling_tapas.py, TapasEmbeddings",
    positions=rows_read.cells_of_tables, notes=(
        "Without reset_position_index_per_cell positions are counted as by BERT.",
    ),
)  # fmt: skip
def tapas(dim: Integer = 768, *, max_position_embeddings: Integer = 1024) -> Learned:
    """TAPAS: positions begin again in every cell of a table, up to the last row.

    E[p] = weight[min(p - first token of the cell, num_rows - 1)]

    >>> tapas().rows([0, 1, 1, 2], [0, 1, 1, 1])
    array([0, 0, 1, 0])
    """
    return _cells(max_position_embeddings, dim)


# -- vectors of boxes, axes and spans ---------------------------------------------------------------------------------


@from_transformers(
    file="models/layoutlm/modeling_layoutlm.py, LayoutLMEmbeddings",
    positions=rows_read.boxes, notes=(
        "Sides are thousandths of the page; the tables have 1024 rows.",
    ),
)  # fmt: skip
def layoutlm_boxes() -> Absolute:
    """LayoutLM: vectors of the sides of boxes, their heights and widths, added.

    X[x0] + Y[y0] + X[x1] + Y[y1] + H[y1 - y0] + W[x1 - x0]

    >>> layoutlm_boxes().arguments
    {'combine': 'sum', 'clip': None}
    """
    return Absolute("learned_boxes", {"combine": "sum", "clip": None})


@from_transformers(
    file="models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Embeddings",
    positions=rows_read.boxes, notes=(
        "Sides are thousandths of the page; the tables have 1024 rows.",
    ),
)  # fmt: skip
def layoutlmv2_boxes() -> Absolute:
    """LayoutLMv2: vectors of the sides of boxes, their heights and widths, side by side.

    [X[x0] | Y[y0] | X[x1] | Y[y1] | H[h] | W[w]], h = y1 - y0, w = x1 - x0

    >>> layoutlmv2_boxes().arguments
    {'combine': 'concat', 'clip': None}
    """
    return Absolute("learned_boxes", {"combine": "concat", "clip": None})


@from_transformers(
    file="models/layoutlmv3/modeling_layoutlmv3.py, LayoutLMv3TextEmbeddings",
    positions=rows_read.boxes, notes=(
        "Sides are thousandths of the page; the tables have 1024 rows.",
    ),
)  # fmt: skip
def layoutlmv3_boxes() -> Absolute:
    """LayoutLMv3: vectors of the sides of boxes, their heights and widths, side by side.

    [X[x0] | Y[y0] | X[x1] | Y[y1] | H[h] | W[w]], h = y1 - y0, w = x1 - x0 within 0 .. 1023

    >>> layoutlmv3_boxes().arguments
    {'combine': 'concat', 'clip': 1023}
    """
    return Absolute("learned_boxes", {"combine": "concat", "clip": 1023})


row(
    layoutlmv2_boxes, "lilt_boxes", "LiLT", "models/lilt/modeling_lilt.py, LiltLayoutEmbeddings",
    "Sides are thousandths of the page; the tables have 1024 rows.", "A linear layer follows.",
)  # fmt: skip


@from_transformers(
    file="models/luke/modeling_luke.py, LukeEntityEmbeddings",
    positions=rows_read.spans, notes=(
        "The table is another one than that of the words.",
        "Rows of a mention are positions of its words from 0, -1 behind the last.",
    ),
)  # fmt: skip
def luke_entities() -> Absolute:
    """LUKE, entities: the mean of the rows of the words of a mention.

    E[s] = mean of weight[r] over the rows r of the mention; 0 without a mention

    >>> luke_entities().table([[0.0], [1.0], [5.0]], [[1, 2, -1]], dtype="float32")
    array([[3.]], dtype=float32)
    """
    return Absolute("mean_of_rows", {})


@from_transformers(
    file="models/detr/modeling_detr.py, DetrLearnedPositionEmbedding",
    positions=rows_read.sizes, notes=(
        "Both tables have 50 rows and half of the width.",
        "The sinusoidal encoding of DETR has rows first.",
    ),
)  # fmt: skip
def detr_learned() -> Absolute:
    """DETR, learned: learned vectors of the column and of the row side by side.

    [weights[1][column] | weights[0][row]]

    >>> detr_learned().table([[[1.0], [2.0]], [[3.0], [4.0]]], (2, 1))[..., 0, :].tolist()
    [[3.0, 1.0], [3.0, 2.0]]
    """
    return Absolute("learned_axes", {"combine": "concat", "axis_order": "wh"})


row(
    detr_learned, "florence2_image", "Florence-2, image",
    "models/florence2/modeling_florence2.py, Florence2VisionLearnedAbsolutePositionEmbedding2D",
    "Both tables have 50 rows; of an odd width the columns have a channel more.",
)  # fmt: skip


@from_diffusers(
    file="src/diffusers/models/embeddings.py, ImagePositionalEmbeddings",
    positions=rows_read.sizes, notes=(
        "The sum is added to the vectors of the codes of an image.",
    ),
)  # fmt: skip
def vq_diffusion() -> Absolute:
    """VQ-Diffusion: learned vectors of the row and of the column added.

    weights[0][row] + weights[1][column]

    >>> vq_diffusion().table([[[1.0], [2.0]], [[3.0], [5.0]]], (2, 2))[..., 0].tolist()
    [[4.0, 6.0], [5.0, 7.0]]
    """
    return Absolute("learned_axes", {"combine": "sum"})


row(
    vq_diffusion, "gemma4_learned", "Gemma 4, image", "models/gemma4/modeling_gemma4.py, Gemma4VisionPatchEmbedder",
    "The weight of the model (2, positions, channels) has columns first: it is given as weight[::-1].",
    "Patches that pad get zeros.", example=">>> gemma4_learned().arguments\n{'combine': 'sum'}", **TRANSFORMERS,
)  # fmt: skip


@from_transformers(
    file="models/reformer/modeling_reformer.py, AxialPositionEmbeddings",
    positions=token_positions.counted, notes=(
        "The grid is flattened, and its first rows are read; training needs as many tokens as cells.",
    ),
)  # fmt: skip
def reformer(*, axial_pos_shape: tuple[Integer, Integer] = (64, 64)) -> Absolute:
    """Reformer: learned vectors of quotient and remainder of each position side by side.

    [weights[0][p // n2] | weights[1][p % n2]], (n1, n2) = axial_pos_shape

    >>> reformer(axial_pos_shape=(1, 2)).table([[[1.0]], [[3.0], [4.0]]]).reshape(2, 2).tolist()
    [[1.0, 3.0], [1.0, 4.0]]
    """
    return _axial(axial_pos_shape)


# -- images -----------------------------------------------------------------------------------------------------------


@from_transformers(
    file="models/vit/modeling_vit.py, ViTEmbeddings",
    positions=rows_read.class_and_patches, notes=(
        "Images of another size: resize_table with prefix=1.",
    ),
)  # fmt: skip
def vit(dim: Integer = 768, *, image_size: Integer = 224, patch_size: Integer = 16) -> Learned:
    """ViT: a learned row for a class token, then for each patch.

    E = weight[r], r = 0, 1, ...: rows of the prefix (1), then patches in row-major order

    >>> vit().shape
    (197, 768)
    """
    return _patches(image_size, patch_size, dim, 1)


@from_transformers(
    file="models/deit/modeling_deit.py, DeiTEmbeddings",
    positions=rows_read.two_and_patches, notes=(
        "Images of another size: resize_table with prefix=2.",
    ),
)  # fmt: skip
def deit(dim: Integer = 768, *, image_size: Integer = 224, patch_size: Integer = 16) -> Learned:
    """DeiT, distilled: a learned row for class and distillation tokens, then for each patch.

    E = weight[r], r = 0, 1, ...: rows of the prefix (2), then patches in row-major order

    >>> deit().shape
    (198, 768)
    """
    return _patches(image_size, patch_size, dim, 2)


row(
    vit, "dinov2", "DINOv2", "models/dinov2/modeling_dinov2.py, Dinov2Embeddings",
    "Images of another size: resize_table with prefix=1.", image_size=518, patch_size=14,
    example=">>> dinov2().shape\n(1370, 768)",
)  # fmt: skip

row(
    vit, "dinov2_with_registers", "DINOv2 with registers",
    "models/dinov2_with_registers/modeling_dinov2_with_registers.py, Dinov2WithRegistersEmbeddings",
    "Images of another size: resize_table with prefix=1.",
    "Registers stand between the class token and the patches, and read no row.", image_size=518, patch_size=14,
    example=">>> dinov2_with_registers().shape\n(1370, 768)",
)  # fmt: skip


@from_transformers(
    file="models/siglip/modeling_siglip.py, SiglipVisionEmbeddings",
    positions=rows_read.patches, notes=(
        "Images of another size: resize_table with prefix=0.",
    ),
)  # fmt: skip
def siglip(dim: Integer = 768, *, image_size: Integer = 224, patch_size: Integer = 16) -> Learned:
    """SigLIP, image: a learned row for each patch.

    E = weight[r], r = 0, 1, ...: patches in row-major order

    >>> siglip().shape
    (196, 768)
    """
    return _patches(image_size, patch_size, dim, 0)


row(
    vit, "timesformer", "TimeSformer, space", "models/timesformer/modeling_timesformer.py, TimesformerEmbeddings",
    "Another size reads the nearest row: resize_table with method nearest and prefix=1.",
    "Frames: timesformer_time.",
)  # fmt: skip


@from_transformers(
    file="models/idefics2/modeling_idefics2.py, Idefics2VisionEmbeddings",
    positions=rows_read.fractions_step, notes=(
        "Patches that pad a batch read row 0.",
    ),
)  # fmt: skip
def idefics2(dim: Integer = 1152, *, image_size: Integer = 980, patch_size: Integer = 14) -> Learned:
    """Idefics2, image: each patch reads the cell of a square table in which its fraction of the image lies.

    E = weight[cell(row, rows) side + cell(column, columns)], cell(i, n) = floor(i (1 / n) side) as float32 has it

    >>> idefics2().rows([[1, 2]])
    array([ 0, 35])
    """
    return _fractions(image_size, patch_size, dim, "step")


row(
    idefics2, "idefics3", "Idefics3, image", "models/idefics3/modeling_idefics3.py, Idefics3VisionEmbeddings",
    "Patches that pad a batch read row 0.", image_size=364, example=">>> idefics3().rows([[1, 2]])\narray([ 0, 13])",
)  # fmt: skip

row(
    idefics2, "smolvlm", "SmolVLM, image", "models/smolvlm/modeling_smolvlm.py, SmolVLMVisionEmbeddings",
    "Patches that pad a batch read row 0.", dim=768, image_size=512, patch_size=16,
    example=">>> smolvlm().rows([[1, 2]])\narray([ 0, 16])",
)  # fmt: skip

row(
    idefics2, "phi4_multimodal", "Phi-4 multimodal, image",
    "models/phi4_multimodal/modeling_phi4_multimodal.py, Phi4MultimodalVisionEmbeddings",
    "Patches that pad a batch read row 0.", image_size=448,
    example=">>> phi4_multimodal().rows([[1, 2]])\narray([ 0, 16])",
)  # fmt: skip


@from_transformers(
    file="models/minicpmv4_7/modeling_minicpmv4_7.py, MiniCPMV4_7VisionEmbeddings",
    positions=rows_read.fractions_quotient, notes=(
        "Images are packed one after the other.",
    ),
)  # fmt: skip
def minicpm_v(dim: Integer = 1152, *, image_size: Integer = 980, patch_size: Integer = 14) -> Learned:
    """MiniCPM-V 4.7, image: each patch reads the cell of a square table in which its fraction of the image lies.

    E = weight[cell(row, rows) side + cell(column, columns)], cell(i, n) = floor(i side / n)

    >>> minicpm_v().rows([[1, 2]])
    array([ 0, 35])
    """
    return _fractions(image_size, patch_size, dim, "quotient")


@from_transformers(
    file="models/vivit/modeling_vivit.py, VivitEmbeddings",
    positions=rows_read.class_and_tubelets,
)  # fmt: skip
def vivit(
    dim: Integer = 768,
    *,
    num_frames: Integer = 32,
    image_size: Integer = 224,
    tubelet_size: tuple[Integer, Integer, Integer] = (2, 16, 16),
) -> Learned:
    """ViViT: a learned row for a class token, then for each tubelet.

    E = weight[r], r = 0, 1, ...: a row of the class token, then tubelets, frames outermost

    >>> vivit().shape
    (3137, 768)
    """
    sizes = [checks.integer("tubelet_size", size, 1) for size in checks.listed("tubelet_size", tubelet_size, "sizes")]
    if len(sizes) != 3:
        raise InputError("E_SHAPE", "tubelet_size", f"tubelet_size must be three sizes, got {len(sizes)}")
    image_size = checks.integer("image_size", image_size, 1)
    cells = (
        checks.integer("num_frames", num_frames, 1) // sizes[0] * (image_size // sizes[1]) * (image_size // sizes[2])
    )
    return _learned(1 + cells, dim, rule="count", num_rows=1 + cells)
