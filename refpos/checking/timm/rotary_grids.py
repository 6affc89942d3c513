"""Rotary modules of timm, which return [sines | cosines] for a grid of patches, run on their own grid and another."""

import copy
import math
from fractions import Fraction

import numpy as np

from ... import models
from ...tensor_files import Tensor
from .. import embedder_calls, mixed_rotations, torch_modules
from ..finding import Finding
from ..held import held_against, without_loose
from .architecture import rotation_of

OTHER = (3, 5)  # rows and columns that are not alike
PAIRED = {"interleaved": "2i and 2i + 1", "half": "i and i + {}"}


def findings(path, module, name):
    """The findings of a module: of the grid that it holds, and of another one; name: the architecture."""
    settings = {**_own(module), **rotation_of(name)}
    made = MODULES[type(module).__name__]
    held = getattr(module, "feat_shape", None)
    for grid in dict.fromkeys([held and tuple(held), OTHER]):
        if grid is not None:
            label = f"{path}.get_embed({grid[0]}, {grid[1]})".lstrip(".")
            try:
                table = _run(module, grid, held).float()
            except Exception as error:  # whatever a module raises that does not take a shape
                told = f"not described: not run, since it raises {type(error).__name__}: {error}"
                yield Finding(label, "not described", told)
                continue
            yield from made(label, table, settings, grid, module)


def _run(module, grid, held):
    """What a module returns for a grid, on a copy."""
    module = copy.deepcopy(module).eval()
    if held is None:
        return module.get_embed(list(grid)).detach()
    if grid != tuple(held):
        module.update_feat_shape(list(grid))
    return module.get_embed().detach()


def _own(module):
    """The settings that a module keeps."""
    names = ("temperature", "grid_indexing", "rotate_half", "grid_offset", "normalize_coords", "max_res")
    return {name: getattr(module, name) for name in (*names, "linear_bands") if hasattr(module, name)}


def _axial(label, table, settings, grid, module):
    if module.grid_type == "pixel":
        options = {"max_res": settings["max_res"], "linear_bands": settings["linear_bands"]}
        positions = models.positions("timm_rotary_pixel", *grid)
        preset = "timm_rotary_pixel"
    else:
        options, preset = {"base": settings["temperature"]}, "timm_rotary"
        trained = None if module.ref_feat_shape is None else tuple(module.ref_feat_shape)
        positions = models.positions(preset, *grid, trained=trained, offset=Fraction(settings["grid_offset"]))
    yield _of_preset(label, table, (preset, options, settings), positions, module)


def _dinov3(label, table, settings, grid, module):
    if module.min_period is not None:
        yield Finding(label, "not described", "not described: periods between two ends")
        return
    normalised = settings["normalize_coords"]
    positions = models.positions("timm_dinov3", *grid, normalize_coords=normalised, offset=settings["grid_offset"])
    yield _of_preset(label, table, ("timm_dinov3", {"base": settings["temperature"]}, settings), positions, module)


def _of_preset(label, table, meant, positions, module):
    preset, options, settings = meant
    half, indexing = settings["rotate_half"], settings["grid_indexing"]
    rotary = models.load(preset, head_dim=module.dim, indexing=indexing, half=half, **options)
    sin, cos = (torch_modules.numbers(one) for one in table.chunk(2, -1))
    pairs = [_columns(one, rotary.pairing) for one in (cos, sin)]
    if None in pairs:
        told = PAIRED[rotary.pairing].format(module.dim // 2)
        return Finding(label, "differs", f"differs from {preset}: columns {told} are not alike, which turn together")
    shape = (*positions.shape, module.dim // 2)
    if any(one.values.size != math.prod(shape) for one in pairs):
        return Finding(label, "differs", f"differs from {preset}: {len(pairs[0].values)} tokens for a grid {shape[:2]}")
    pairs = [one._replace(values=one.values.reshape(shape)) for one in pairs]
    found = held_against(label, preset, tuple(pairs), ("rope_table", (positions, rotary.frequencies), {}))
    return without_loose(found, pairs)


def _columns(tensor, pairing):
    """The table with a column for each pair, whose two columns are alike; else None."""
    values, count = tensor.values, tensor.values.shape[-1] // 2
    first, second = (values[:, 0::2], values[:, 1::2]) if pairing == "interleaved" else (
        values[:, :count], values[:, count:])  # fmt: skip
    return Tensor(tensor.dtype, np.ascontiguousarray(first)) if np.array_equal(first, second) else None


def _mixed(label, table, settings, grid, module):
    """One finding for each layer, by its own learned frequencies; [columns, rows] of "xy", [rows, columns] of "ij"."""
    places = embedder_calls.grid(grid).astype(np.float64)
    positions = list(places[::-1] if settings["grid_indexing"] == "xy" else places)
    for layer, (made, weight) in enumerate(zip(table, module.freqs.detach().float().unbind(1))):
        sin, cos = (torch_modules.numbers(one.movedim(0, 1).contiguous()) for one in made.chunk(2, -1))
        pairs = [one._replace(values=one.values[..., 0::2]) for one in (cos, sin)]
        if any(not np.array_equal(one.values[..., 0::2], one.values[..., 1::2]) for one in (cos, sin)):
            yield Finding(label, "differs", "differs from mixed_rope: columns 2i and 2i + 1 are not alike")
            continue
        meant = positions, torch_modules.numbers(weight).values, [1, 1]
        yield mixed_rotations.finding(f"{label} of layer {layer}", "mixed_rope", pairs, meant)


#: class -> the function that yields findings of (name, table [sines | cosines], settings, grid, module)
MODULES = {
    "RotaryEmbeddingCat": _axial,
    "RotaryEmbeddingDinoV3": _dinov3,
    "RotaryEmbeddingMixed": _mixed,
}
