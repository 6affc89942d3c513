"""Presets of named models by their formulas, their pages and what they refuse."""

import doctest
import inspect
import re
import sys
from pathlib import Path

import evidence
import numpy as np
import pages
import pytest
from mpmath import mp, mpf

import refpos
from refpos import models
from refpos.models import registry

# -- positions ----------------------------------------------------------------------------------------------------


def test_the_docstring_of_a_row_is_the_same_without_indentation():
    """As Python 3.13 hands docstrings out."""

    def like():
        """First: a title.

        base**(-2i / dim); half

        >>> like(2)
        0
        """

    made = [registry._docstring(like, "other", "Second", None, None)]
    like.__doc__ = inspect.cleandoc(like.__doc__)
    made.append(registry._docstring(like, "other", "Second", None, None))
    assert made == ["Second: a title.\n\nbase**(-2i / dim); half\n\n>>> other(2)\n0\n"] * 2


def tokens_by_axis(positions):
    """The positions of all tokens along each axis, as float64."""
    if isinstance(positions, refpos.steps.waves.grids.Grid):
        mesh = np.meshgrid(*(values(axis) for axis in positions.axes), indexing="ij")
        return [axis.reshape(-1) for axis in mesh]
    if isinstance(positions, refpos.steps.positions.exact_positions.Positions):
        return [values(positions)]
    if isinstance(positions, list) and isinstance(positions[0], refpos.steps.positions.exact_positions.Positions):
        return [values(axis) for axis in positions]
    found = np.asarray(positions, np.float64)
    return found.reshape(len(found), -1)


def values(axis):
    """Exact positions of one axis as float64."""
    (group,) = axis.groups
    return np.asarray(group.multipliers, np.float64) * 2.0**group.exponent * float(axis.unit)


# -- formulas ---------------------------------------------------------------------------------------------------------


def cells(height, width):
    return [(mpf(r), mpf(c)) for r in range(height) for c in range(width)]


def blocks(tokens, *parts):
    """For each token the angles of its pairs: block after block, a position times the frequencies of its axis."""
    return [[p * theta for p, part in zip(token, parts, strict=True) for theta in part] for token in tokens]


def geometric(base, count, start=0, step=1, of=None):
    """base**(-k / of) for k = start, start + step ..."""
    return [mpf(base) ** (-mpf(start + step * j) / (of or count)) for j in range(count)]


def spaced(first, last, count):
    return [first + (last - first) * mpf(j) / (count - 1) if count > 1 else mpf(first) for j in range(count)]


def centred(size, of):
    return [2 * (i + mpf(1) / 2) / of - 1 for i in range(size)]


def dinov3_angles(height, width, of_rows, of_columns, periods):
    tokens = [(r, c) for r in centred(height, of_rows) for c in centred(width, of_columns)]
    turns = [2 * mp.pi / period for period in periods]
    return blocks(tokens, turns, turns)


def swapped(tokens):
    return [token[::-1] for token in tokens]


PERIODS = [1.0, 3.15625, 10.0, 31.625]
#: what could not be run, from its source: name, sizes, where, the pairing, and the angles of each token
FORMULAS = [
    ("rotary_embedding_torch", {"head_dim": 16}, (3, 5), "interleaved",
     lambda: blocks(cells(3, 5), geometric(10000, 4), geometric(10000, 4))),
    ("rotary_embedding_torch", {"head_dim": 20, "axes": 3, "axis_dim": 6}, (2, 3, 1), "interleaved",
     lambda: blocks([(mpf(t), mpf(r), mpf(0)) for t in range(2) for r in range(3)], *[geometric(10000, 3)] * 3)),
    ("rotary_embedding_torch_pixel", {"head_dim": 16}, (3, 1), "interleaved",
     lambda: blocks([(r, mpf(-1)) for r in (mpf(-1), mpf(0), mpf(1))],
                    *[[mp.pi * f for f in spaced(mpf(1), mpf(5), 4)]] * 2)),
    ("eva02", {"head_dim": 16}, {"height": 3, "width": 5, "trained": (16, 16)}, "interleaved",
     lambda: blocks([(r * 16 / 3, c * 16 / 5) for r, c in cells(3, 5)], geometric(10000, 4), geometric(10000, 4))),
    ("timm_rotary", {"head_dim": 16, "indexing": "xy", "base": 100},
     {"height": 3, "width": 5, "trained": (7, 9), "offset": 1}, "interleaved",
     lambda: blocks([((c + 1) * 9 / 5, (r + 1) * 7 / 3) for r, c in cells(3, 5)],
                    geometric(100, 4), geometric(100, 4))),
    ("timm_rotary", {"head_dim": 16, "half": True}, {"height": 1, "width": 5}, "half",
     lambda: blocks(cells(1, 5), geometric(10000, 4), geometric(10000, 4))),
    ("timm_rotary_pixel", {"head_dim": 16}, (2, 3), "interleaved",
     lambda: blocks([(mpf(2 * r - 1), c - 1) for r, c in cells(2, 3)],
                    *[[mp.pi * mpf(112) ** (mpf(j) / 3) for j in range(4)]] * 2)),
    ("timm_rotary_pixel", {"head_dim": 16, "linear_bands": True, "indexing": "xy"}, (2, 3), "interleaved",
     lambda: blocks([(c - 1, mpf(2 * r - 1)) for r, c in cells(2, 3)],
                    *[[mp.pi * f for f in spaced(mpf(1), mpf(112), 4)]] * 2)),
    ("rope_vit_axial", {"head_dim": 16}, {"height": 3, "width": 5}, "interleaved",
     lambda: blocks(swapped(cells(3, 5)), geometric(100, 4), geometric(100, 4))),
    ("mistral_vision", {"head_dim": 16}, {"height": 3, "width": 5}, "interleaved",
     lambda: blocks(cells(3, 5), geometric(10000, 4, 0, 2, of=8), geometric(10000, 4, 1, 2, of=8))),
    ("dinov3_stored", {}, {"height": 3, "width": 5}, "half", lambda: dinov3_angles(3, 5, 3, 5, map(mpf, PERIODS))),
    ("dinov3", {"head_dim": 16, "min_period": 0.5, "max_period": 90},
     {"height": 3, "width": 5, "normalize_coords": "max"}, "half",
     lambda: dinov3_angles(3, 5, 5, 5, [mpf(0.5) * mpf(180) ** (mpf(j) / 3) for j in range(4)])),
    ("dinov3", {"head_dim": 16}, {"height": 3, "width": 5, "normalize_coords": "min"},
     "half", lambda: dinov3_angles(3, 5, 3, 3, [mpf(100) ** (mpf(j) / 4) for j in range(4)])),
    ("timm_dinov3", {"head_dim": 16, "indexing": "xy"}, {"height": 2, "width": 3, "offset": 1}, "half",
     lambda: blocks([(2 * (c + mpf(3) / 2) / 3 - 1, 2 * (r + mpf(3) / 2) / 2 - 1) for r, c in cells(2, 3)],
                    *[[2 * mp.pi * f for f in geometric(100, 4)]] * 2)),
    ("timm_dinov3", {"head_dim": 16, "half": False}, {"height": 2, "width": 1}, "interleaved",
     lambda: dinov3_angles(2, 1, 2, 1, [mpf(100) ** (mpf(j) / 4) for j in range(4)])),
    ("genlip", {"head_dim": 16, "sections": (9, 2, 3)}, {"height": 3, "width": 5}, "half",
     # pairs 0 .. 7: time, row, column, time, row, column, time, time
     lambda: [[p * theta for p, theta in zip((0, r, c, 0, r, c, 0, 0), geometric(10000, 8), strict=True)]
              for r, c in cells(3, 5)]),
    ("videorope", {"head_dim": 16, "sections": (3, 3, 2)}, [[0, 4, 9.5], [1, -3, 8], [2, 7, 6]], "half",
     lambda: [[p * theta for p, theta in zip((r, c) * 3 + (t, t), geometric(1000000, 8), strict=True)]
              for t, r, c in ((0, 1, 2), (4, -3, 7), (mpf(9.5), 8, 6))]),
    ("pe_core", {"head_dim": 16}, {"height": 2, "width": 3}, "interleaved",
     lambda: blocks([(mpf(0), mpf(0)), *((c + 1, r + 1) for r, c in cells(2, 3))], geometric(10000, 4),
                    geometric(10000, 4))),
    ("pe_core", {"head_dim": 16}, {"height": 2, "width": 3, "use_cls_token": False}, "interleaved",
     lambda: blocks(swapped(cells(2, 3)), geometric(10000, 4), geometric(10000, 4))),
    ("rope_vit_mixed", {"freqs": [[[0.5, 0.25, -2.0]], [[-0.25, 0.5, 3.0]]]}, {"height": 3, "width": 2}, "interleaved",
     lambda: [[c * x + r * y for x, y in ((0.5, -0.25), (0.25, 0.5), (-2, 3))] for r, c in cells(3, 2)]),
    ("omnigen2", {"head_dim": 24, "widths": (8, 8, 8)},
     {"height": 2, "width": 1, "text_length": 3, "references": [(1, 4)]}, "interleaved",
     lambda: blocks([(i, i, i) for i in range(3)] + [(3, 0, c) for c in range(4)] + [(7, 0, 0), (7, 1, 0)],
                    *[geometric(10000, 4)] * 3)),
    ("hunyuan_video", {"head_dim": 24, "widths": (4, 8, 12), "theta_rescale_factor": (1, 2, 1.5)},
     {"frames": 2, "height": 1, "width": 3, "interpolation_factor": (1, 0.5, 2)}, "interleaved",
     lambda: blocks([(t, mpf(0), 2 * mpf(c)) for t in range(2) for c in range(3)], geometric(256, 2),
                    geometric(256 * mpf(2) ** (mpf(8) / 6), 4), geometric(256 * mpf(1.5) ** (mpf(12) / 10), 6))),
    ("mochi", {"pos_frequencies": [[[0.5, 0.25]], [[0.125, -0.5]], [[-0.25, 0.5]]]},
     {"frames": 2, "height": 3, "width": 5}, "interleaved",
     lambda: [[t * f + mp.sqrt(mpf(36864) / 15) * ((r - 1) * g + (c - 2) * h)
               for f, g, h in ((0.5, 0.125, -0.25), (0.25, -0.5, 0.5))]
              for t in range(2) for r, c in cells(3, 5)]),
    ("llama_meta", {"head_dim": 16}, [0, 1, 4095], "interleaved",
     lambda: [[p * f for f in geometric(10000, 8)] for p in (0, 1, 4095)]),
]  # fmt: skip


def rounded(value):
    """The nearest float64; quarter turns, of which pi in 60 digits leaves a rest, are 0."""
    return 0.0 if abs(value) < mpf(10) ** -50 else float(value)


def where_of(name, where):
    if isinstance(where, dict):
        return models.positions(name, **where)
    return models.positions(name, *where) if isinstance(where, tuple) else np.array(where)


@pytest.mark.parametrize("name, sizes, where, pairing, angles", FORMULAS, ids=[row[0] for row in FORMULAS])
def test_presets_without_real_code_are_their_formulas_to_the_bit(name, sizes, where, pairing, angles):
    rotary = models.load(name, **sizes)
    assert rotary.pairing == pairing
    with mp.workdps(60):
        wanted = angles()
        cosines, sines = ([[rounded(f(a)) for a in token] for token in wanted] for f in (mp.cos, mp.sin))
    cos, sin = (table.reshape(len(wanted), -1) for table in rotary.table(where_of(name, where)))
    assert np.array_equal(cos, cosines) and np.array_equal(sin, sines)


def test_every_preset_that_is_not_run_has_its_formula():
    presets = models.registry.PRESETS.items()  # graphs: tests/frameworks/test_graphs.py
    unrun = {name for name, found in presets if found.checked == "formula" and found.family != "graphs"}
    lacking = ", ".join(sorted(unrun - {row[0] for row in FORMULAS}))
    assert not lacking, f"FORMULAS must have a row for each preset that is not run, got none for {lacking}"


# -- the registry -----------------------------------------------------------------------------------------------------


def test_names_are_found_and_unknown_ones_refused():
    assert models.names() == sorted(models.registry.PRESETS) and len(models.names()) > 60
    with pytest.raises(refpos.InputError, match=r"flux3.*got 'flux9'") as caught:
        models.load("flux9")
    assert (caught.value.code, caught.value.argument) == ("E_CHOICE", "name")
    with pytest.raises(refpos.InputError, match="must be new"):
        models.registry.preset(project="", version="", file="", positions=None)(models.text.llama)


FILM = {"frames": 2, "height": 4, "width": 6}
WITH_TEXT = {"height": 4, "width": 6, "text_length": 3}
CROPPED = {"height": 4, "width": 6, "spacing": "open"}
IMAGE = {"height": 4, "width": 6}
MEDIA = {"mm_token_type_ids": [[0, 1, 1, 0]], "image_grid_thw": [[1, 2, 4]]}
VERSIONED_MEDIA = {**MEDIA, "version": "transformers-5.23.0"}
OMNI = {"input_ids": [[9, 4, 1, 1, 6]], "image_grid_thw": [[1, 2, 4]], "image_token_id": 1, "video_token_id": 2,
        "audio_token_id": 3, "vision_start_token_id": 4, "audio_start_token_id": 5}  # fmt: skip
IDS = {"tokens": [[1, 7, 8], [9, 1, 7]]}
MASKS = {"tokens": [[0, 1, 1], [1, 1, 1]]}
SQUARE = {"height": 14, "width": 14}
#: what the function of the positions of each preset is given by name
GIVEN = {
    **dict.fromkeys(["image", "resized", "centres", "merge_blocks", "behind_cls", "memory", "flat_image", "neomme"],
                    IMAGE),
    **dict.fromkeys(["volume", "volume_blocks", "shrunken", "divided", "multiplied", "binned", "timed", "midpoints"],
                    FILM),
    **dict.fromkeys(["flux", "flux2", "lumina2", "image_first", "omnigen2", "z_image_positions", "ideogram4_positions",
                     "ernie_image_positions"], WITH_TEXT),
    **dict.fromkeys(["qwen2_vl_positions", "qwen3_vl_positions", "glm4v_positions"], VERSIONED_MEDIA),
    "cropped_image": CROPPED, "cropped_video": {**CROPPED, "frames": 2}, "fractions": {**FILM, "scale": (1, 32, 32)},
    "pooled": {**FILM, "compressed": 1}, "cosmos3": {**FILM, "text_length": 3, "fps": 30},
    "from_one": {"length": 5}, "counted": {"length": 5}, "behind_two": {"length": 5}, "descending": {"context_size": 8},
    "padded": IDS, "fsmt": IDS, "masked": MASKS, "clipped": MASKS,
    "cells_of_tables": {"columns": [[0, 1, 1]], "rows": [[0, 1, 1]]},
    "patches": SQUARE, "class_and_patches": SQUARE, "two_and_patches": SQUARE,
    "class_and_tubelets": {"frames": 2, **SQUARE}, "sizes": {"height": 2, "width": 3},
    "fractions_step": {"sizes": [[2, 3]], "side": 32}, "fractions_quotient": {"sizes": [[2, 3]], "side": 70},
    "boxes": {"boxes": [[1, 2, 3, 5]]}, "spans": {"rows": [[1, 2, -1]]},
    "audio_midpoints": {"frames": 3}, "text": {"length": 5}, "windows": {"count": 2, "length": 3},
    "llama4_vision_positions": {"side": 3}, "resampled_image": {"height": 4, "width": 6},
    "atoms": {"ref_pos": [[0.5, 1, 2], [3, 4, 5]], "ref_space_uid": [0, 1]},
    "qwen_image": {"grid_thw": [[1, 4, 6]], "text_length": 3},
    "qwen_image21_positions": {"image_pad_mask": [0, 1, 1], "grid_thw": [[1, 1, 2]]},
    "ernie4_5_vl_positions": MEDIA, "videorope_positions": {**MEDIA, "scale_factor": 2},
    "qwen2_5_vl_positions": {**MEDIA, "version": "sglang-0.5.23", "tokens_per_second": 2},
    "hunyuan_vl_positions": {"mm_token_type_ids": [[0, 1, 1, 1, 0]], "image_grid_thw": [[1, 2, 4]], "num_axes": 4},
    "qwen2_5_omni_positions": OMNI, "qwen3_omni_positions": OMNI, "undirected": {"edges": [[0, 1], [1, 2]]},
}  # fmt: skip
#: functions that take one size for each axis, of any number
IN_ORDER = {"grid": (4, 6), "corners": (4, 6)}


@pytest.mark.parametrize("name", evidence.ROTATIONS)
def test_every_preset_has_positions_that_its_table_takes(name):
    function = models.find(name).positions.__name__
    positions = models.positions(name, *IN_ORDER.get(function, ()), **GIVEN.get(function, {}))
    rotary = models.load(name)
    frequencies = getattr(rotary, "frequencies", None)
    axes = frequencies.axes if hasattr(frequencies, "axes") else None
    tokens = tokens_by_axis(positions)
    assert len(tokens[0]) > 1 and any(np.ptp(axis) for axis in tokens)
    assert axes is None or set(axes) == set(range(len(tokens)))
    for table in rotary.table(positions):
        assert len(tokens[0]) in (table.size // table.shape[-1], table[0].size // table.shape[-1])


@pytest.mark.parametrize("name", [name for name in evidence.ADDED if models.find(name).family != "resizing"])
def test_every_absolute_preset_has_positions_that_its_table_takes(name):
    function = models.find(name).positions.__name__
    positions = models.positions(name, *IN_ORDER.get(function, ()), **GIVEN.get(function, {}))
    narrow = {"dim": 2} if isinstance(models.load(name), models.Learned) else {}
    encoding = models.load(name, **narrow)
    read = [] if name == "reformer" else [positions]  # whose grid is all positions
    nodes = [3] if encoding.function == "laplacian_positions" else []
    table = encoding.table(*weights_of(encoding), *read, *nodes, dtype="float32")
    assert table.dtype == np.float32 and np.ptp(table)
    if encoding.function in ("sinusoidal", "learned"):
        assert table.shape[:-1] == positions.shape


def weights_of(encoding):
    """What a model's encoding takes before positions: one table or more, of numbers; nothing for sinusoids."""
    if isinstance(encoding, models.Learned):
        return [np.arange(2.0 * encoding.shape[0]).reshape(encoding.shape)]
    tables = np.arange(2.0**13).reshape(4, 1024, 2)
    taken = {"learned_axes": tables[:2], "learned_boxes": tables, "mean_of_rows": tables[0]}
    return [taken[encoding.function]] if encoding.function in taken else []


def test_every_function_of_positions_is_tried():
    assert set(GIVEN) | set(IN_ORDER) == {models.find(each).positions.__name__ for each in models.names()}


@pytest.mark.parametrize("name", models.names())
def test_every_preset_says_where_it_is_from(name):
    encoding = models.load(name)
    assert set(encoding.source) == {"project", "version", "file"} and all(encoding.source.values())
    assert all(note.endswith(".") for note in encoding.notes)
    assert name in evidence.ADDED or encoding.rotary_dim <= encoding.head_dim
    assert ">>> " in models.find(name).encoding.__doc__ and models.find(name).angles


ROWS = [name for name in models.names() if name not in vars(sys.modules[models.find(name).encoding.__module__])]


@pytest.mark.parametrize("name", ROWS)
def test_the_example_of_a_row_runs(name):
    """Those of presets that are functions run with the examples of their modules."""
    encoding = models.find(name).encoding
    known = {**vars(sys.modules[encoding.__module__]), name: encoding}
    example = doctest.DocTestParser().get_doctest(encoding.__doc__, known, name, None, None)
    assert example.examples and name in encoding.__doc__.partition(">>> ")[2]
    assert doctest.DocTestRunner().run(example).failed == 0, "the captured output says where"


def test_rows_are_presets_with_other_sizes():
    assert len(ROWS) > 80 and "gpt2" in ROWS
    shorter, longer = models.load("bert"), models.load("gpt2")
    assert (shorter.shape, longer.shape) == ((512, 768), (1024, 768)) and shorter.source != longer.source
    assert models.load("gpt2", max_position_embeddings=512, dim=4).shape == (512, 4)
    with pytest.raises(refpos.InputTypeError, match=r"sizes must be those of gpt2\(dim=768, \*, max_position_emb"):
        models.load("gpt2", head_dim=4)
    with pytest.raises(refpos.InputError, match="sizes must be those of bert, got head_dim"):
        models.registry.row(models.learned.bert, "none", "None", "none.py", head_dim=4)
    with pytest.raises(refpos.InputError, match="a model's name must be new, got 'gpt2' twice"):
        models.registry.row(models.learned.bert, "gpt2", "GPT-2", "none.py")


def test_a_table_takes_what_its_model_leaves_open_and_no_more():
    whisper = models.load("whisper", dim=4)
    assert (whisper.table(3, layout="cos-sin") == whisper.table(3)[:, [2, 3, 0, 1]]).all()
    for wrong in (lambda: whisper.table(), lambda: whisper.table(3, 4), lambda: whisper.table(3, width=4)):
        with pytest.raises(
            refpos.InputTypeError, match=r"where must be what the model leaves open of sinusoidal\(pos"
        ) as e:
            wrong()
        assert (e.value.code, e.value.argument) == ("E_CHOICE", "where")


@pytest.mark.parametrize("call, code", [
    (lambda: models.load("sam2", head_dim=30), "E_ODD_DIM"),
    (lambda: models.load("flux", head_dim=64), "E_SHAPE"),
    (lambda: models.load("cosmos", head_dim=33), "E_ODD_DIM"),
    (lambda: models.load("timm_rotary", indexing="yx"), "E_CHOICE"),
    (lambda: models.load("dinov3", min_period=1), "E_NUMBER"),
    (lambda: models.load("ltx2_split", head=32), "E_SIZE"),
    (lambda: models.load("qwen2_vl", head_dim=64), "E_SHAPE"),
    (lambda: models.positions("dinov3", height=2, width=2, normalize_coords="mean"), "E_CHOICE"),
    (lambda: models.positions("hunyuan_dit", height=2, width=2, spacing="closed"), "E_CHOICE"),
    (lambda: models.positions("cosmos", frames=2, height=2, width=2, fps=0), "E_NUMBER"),
    (lambda: models.positions("eva02", height=0, width=2), "E_SIZE"),
    (lambda: models.positions("eva02", height=2, width=2, trained=(16,)), "E_SHAPE"),
    (lambda: models.positions("cogvideox", frames=1, height=2, width=0, spacing="open"), "E_SIZE"),
    (lambda: models.positions("hunyuan_dit", height=2, width=2, base=32, spacing="open"), "E_SHAPE"),
    (lambda: models.positions("allegro", frames=1, height=2, width=2, scale=(2, 2)), "E_SHAPE"),
    (lambda: models.positions("ltx_video", frames=1, height=2, width=2, scale=(1, 32, 32, 32)), "E_SHAPE"),
    (lambda: models.positions("ltx2", frames=1, height=-2, width=2), "E_SIZE"),
    (lambda: models.positions("ltx2", frames=1, height=2, width=2, scale=(8, 32)), "E_SHAPE"),
    (lambda: models.positions("z_image", height=2.0, width=2, text_length=1), "E_SIZE"),
    (lambda: models.positions("ideogram4", height=2, width=-1, text_length=1), "E_SIZE"),
    (lambda: models.positions("ideogram4", height=0, width=2**16 + 1, text_length=1), "E_SIZE"),
    (lambda: models.positions("llama4_vision", side=-1), "E_SIZE"),
    (lambda: models.positions("dinov3", height=0, width=2), "E_SIZE"),
    (lambda: models.positions("rotary_embedding_torch"), "E_SHAPE"),
    (lambda: models.positions("rotary_embedding_torch_pixel", -1, 2), "E_SIZE"),
    (lambda: models.positions("anyflow_far", frames=2, height=2, width=2, compressed=3), "E_SIZE"),
    (lambda: models.positions("anyflow_far", frames=2, height=7, width=7, compressed=1, pool=7), "E_SIZE"),
    (lambda: models.positions("cosmos3", frames=2, height=2, width=2, text_length=1, fps=0), "E_NUMBER"),
    (lambda: models.positions("cosmos3", frames=2, height=2, width=2, text_length=1, margin=-1), "E_SIZE"),
    (lambda: models.load("omnigen", short_factor=[1, 2]), "E_SHAPE"),
    (lambda: models.load("kandinsky6", head_dim=64), "E_SHAPE"),
    (lambda: models.load("mochi", pos_frequencies=[[[1.0]]] * 2), "E_SHAPE"),
    (lambda: models.load("mochi", area=0), "E_NUMBER"),
    (lambda: models.load("mochi").rotate(np.ones((1, 2, 4)), [[0, 1]] * 3), "E_SHAPE"),
    (lambda: models.load("mochi").table(refpos.grid(2)), "E_SHAPE"),
    (lambda: models.load("rope_vit_mixed", freqs=[["a"]]), "E_SHAPE"),
    (lambda: models.load("vjepa2", head_dim=5), "E_SIZE"),
    (lambda: models.load("vjepa2").rotate(np.ones((2, 32)), refpos.grid(1, 1, 2)), "E_SHAPE"),
    (lambda: models.load("ernie_image", head_dim=64), "E_SIZE"),
    (lambda: models.load("hunyuan_vl", head_dim=64), "E_SHAPE"),
    (lambda: models.load("neomme", rotary_dim=6), "E_ODD_DIM"),
    (lambda: models.load("esmfold2", num_uid_rope_pairs=11), "E_SHAPE"),
    (lambda: models.load("hunyuan_video", theta_rescale_factor=(2, 2)), "E_SHAPE"),
    (lambda: models.positions("esmfold2", ref_pos=[[1, 2]], ref_space_uid=[1]), "E_SHAPE"),
    (lambda: models.positions("music_flamingo", count=-1, length=2), "E_SIZE"),
    (lambda: models.positions("hunyuan_video", frames=1, height=1, width=1, interpolation_factor=(1, 2)), "E_SHAPE"),
    (lambda: models.positions("kandinsky5", frames=1, height=1, width=1, scale_factor=(1, 0, 1)), "E_NUMBER"),
    (lambda: models.positions("sam2", height=2, width=2, k_repeat=-1), "E_SIZE"),
    (lambda: models.positions("pe_core", height=2, width=2, use_cls_token="no"), "E_CHOICE"),
    (lambda: models.positions("omnigen2", height=2, width=2, text_length=1, references=[(1, -1)]), "E_SIZE"),
])  # fmt: skip
def test_wrong_sizes_are_refused(call, code):
    with pytest.raises((refpos.InputError, refpos.InputTypeError)) as caught:
        call()
    assert caught.value.code == code


# -- the page ---------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parent.parent / "docs" / "models.md"
GROUPS = {
    "vision": "Vision transformers",
    "diffusion": "Image and video diffusion transformers",
    "multimodal": "Multimodal text models",
    "text": "Text models",
    "continuous": "Models whose positions are measured",
    "sequences": "Tables added to text, sound and series",
    "resizing": "Learned tables that are resized",
    "graphs": "Graphs",
    "learned": "Learned tables",
}


def with_models(text):
    """The page with a section for each model and a table of positions, after its introduction."""
    head = text.partition("<!-- models -->\n")[0]
    return head + "<!-- models -->\n" + "\n".join([overview(), *map(group, GROUPS), places_table()])


def presets_of(module):
    return [p for p in models.registry.PRESETS.values() if p.encoding.__module__.endswith(f".{module}")]


def overview():
    """The table of all models, which links to the section of each."""
    rows = ["## All models", "", "| model | what it is | kind | positions |", "| --- | --- | --- | --- |"]
    for module, title in GROUPS.items():
        for p in presets_of(module):
            what = evidence.escaped(pages.escaped(p.summary))
            rows.append(f"| [`{p.name}`](#{p.name}) | {what} | {title} | `{p.positions.__name__}` |")
    return "\n".join([*rows, ""])


def group(module):
    presets = presets_of(module)
    return "\n\n".join([f"## {GROUPS[module]}", *map(entry, presets)]) + "\n"


def entry(preset):
    """What is known of a model: angles, positions, source and evidence, a line each."""
    encoding = preset.encoding()
    source = "{project} {version}, {file}".format(**encoding.source)
    cases = ", ".join(f"{level} {len(ids)}" for level, ids in evidence.cases_of(preset.name).items())
    lines = [
        f"- {'table' if preset.name in evidence.ADDED else 'angles'}: `{preset.angles}`",
        *sizes_of(preset, encoding),
        f"- positions: `{preset.positions.__name__}`",
        f"- source: {source}; compared with {preset.checked.replace('formula', 'the formula')}",
        f"- golden cases: {cases}; witness {evidence.code(evidence.witness_of(preset.name))}",
        *[f"- {pages.escaped(' '.join(encoding.notes))}"] * bool(encoding.notes),
    ]
    summary = pages.wrapped(pages.escaped(preset.summary))
    return "\n".join([f"### {preset.name}", "", summary, "", *map(pages.wrapped, lines)])


def sizes_of(preset, encoding):
    """The call with the defaults of its arguments, and the rows in front of a grid that is resized."""
    call = re.sub(r"\((?:[^(),]+, ){8}[^()]+\)", "(...)", str(pages.without_annotations(preset.encoding))[1:])
    call = call.replace("*, ", "")  # `load` takes them by keyword
    kept = getattr(encoding, "arguments", {}).get("prefix", 0)
    rows = "row, that of the class token, stays as it is" if kept == 1 else f"{kept} rows stay as they are"
    lines = [f'- call: `models.load("{preset.name}", {call}`'] * (call != ")")
    return lines + [f"- `prefix={kept}`: the first {rows}; the others are the grid"] * bool(kept)


def places_table():
    functions = {p.positions.__name__: p.positions for p in models.registry.PRESETS.values()}
    rows = ["## Positions", "", "| function | positions |", "| --- | --- |"]
    for name in sorted(functions):
        rows.append(f"| `{name}` | {evidence.escaped(functions[name].__doc__.strip().splitlines()[0])} |")
    return "\n".join([*rows, ""])


def test_the_call_of_an_entry_has_the_defaults_of_its_preset():
    shown = re.findall(r'^- call: `models.load\("(\w+)", ((?:.|\n)*?)`$', PAGE.read_text(), re.MULTILINE)
    assert len(shown) > 100
    for name, text in shown:
        text = re.sub(r"\w+=\(\.\.\.\), ", "", text)  # lists too long to be shown
        given = eval(f"dict({text}", {})
        defaults = {
            key: one.default for key, one in inspect.signature(registry.PRESETS[name].encoding).parameters.items()
        }
        assert given and given.items() <= defaults.items(), name
        assert type(models.load(name, **given)) is type(models.load(name))


@pytest.mark.exhaustive
def test_the_page_of_models_is_that_of_the_presets():
    assert with_models(PAGE.read_text()) == PAGE.read_text(), "run: python tests/test_presets.py"


if __name__ == "__main__":
    PAGE.write_text(with_models(PAGE.read_text()))
