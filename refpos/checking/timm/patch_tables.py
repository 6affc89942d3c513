"""Tables that models of timm add to their patches: learned ones, by shape, and the sinusoids that XCiT projects."""

import copy
import math

import numpy as np

from ...tensor_files import Tensor
from .. import torch_modules
from ..finding import Finding
from ..held import held_against, shape_text, without_loose

GRID = (3, 5)
PATCHES = "the patches of the model"


#: classes that put the class token in front of the patches later, without a row of the table
LATER = ("Cait", "ConVit")


def learned(model):
    """The findings of the learned tables of a model whose grid of patches is known."""
    grid = getattr(getattr(model, "patch_embed", None), "grid_size", None)
    for path, module in model.named_modules():
        for leaf, wanted in {**_wanted(module), **_decomposed(module, grid)}.items():
            inner, _, last = leaf.rpartition(".")
            tensor = dict(module.get_submodule(inner).named_parameters(recurse=False)).get(last)
            if tensor is not None:
                yield _by_shape(f"{path}.{leaf}".lstrip("."), tuple(tensor.shape), wanted)


def _wanted(module):
    """{name of a table: its axes, the channels last}, by the patches of the module."""
    patches = getattr(module, "patch_embed", None)
    if hasattr(module, "img_size_scaled"):  # CrossViT: a table for each branch
        branches = enumerate(zip(patches, module.embed_dim))
        return {f"pos_embed_{k}": (one.num_patches + 1, width) for k, (one, width) in branches}
    if hasattr(module, "pos_embed_grid_size"):  # NaFlexViT, one table or one for each axis
        height, width = module.pos_embed_grid_size or (0, 0)
        sizes = {"pos_embed": (height, width), "pos_embed_y": (height,), "pos_embed_x": (width,)}
        return {leaf: (*axes, module.embed_dim) for leaf, axes in sizes.items()}
    layer = getattr(patches, "proj", getattr(patches, "conv", None))
    grid = getattr(module, "tokens_spatial_shape", getattr(patches, "grid_size", None))
    if grid is None or not hasattr(layer, "out_channels"):
        return {}
    beside = 0 if getattr(module, "no_embed_class", False) else getattr(module, "num_prefix_tokens", 0)
    axes = (math.prod(grid) + beside,) if beside and type(module).__name__ not in LATER else tuple(grid)
    return {"pos_embed": (*axes, layer.out_channels)}


def _decomposed(module, grid):
    """{name of a table of offsets along an axis: its axes} of a block of SAM, whose window 0 is the whole image."""
    attention, window = getattr(module, "attn", None), getattr(module, "window_size", None)
    if not hasattr(attention, "rel_pos_h") or not isinstance(window, int) or grid is None:
        return {}
    sizes = (window, window) if window else grid
    return {f"attn.rel_pos_{axis}": (2 * size - 1, attention.head_dim) for axis, size in zip("hw", sizes)}


def _by_shape(name, shape, wanted):
    """The finding of a learned table: its rows and columns may be one axis, and its channels stand first or last."""
    sizes, (*grid, width) = tuple(size for size in shape if size != 1), wanted
    grid = [size for size in grid if size != 1]
    orders = [(*grid, width), (math.prod(grid), width), (width, *grid)]
    if sizes in [tuple(size for size in one if size != 1) for one in orders]:
        return Finding(name, "fits", f"learned, shape {shape_text(shape)} fits ({PATCHES})", PATCHES)
    told = f"differs from {PATCHES}: shape {shape_text(shape)} for {shape_text(wanted)}"
    return Finding(name, "differs", told, PATCHES)


def fourier(path, module):
    """The finding of the sinusoids of XCiT before its projection, on a grid of another height than width."""
    name = f"{path}({GRID[0]}, {GRID[1]})"
    run = copy.deepcopy(module).float()
    seen = []
    run.token_projection.register_forward_pre_hook(lambda layer, given: seen.append(given[0].detach()))
    try:
        run(1, *GRID)
    except Exception as error:  # whatever a module raises that does not take a batch, rows and columns
        return Finding(name, "not described", f"not described: not run, since it raises {type(error).__name__}")
    table = torch_modules.numbers(seen[0][0].float())
    table = Tensor(table.dtype, np.ascontiguousarray(np.moveaxis(table.values, 0, -1)))
    named = {"normalize": True, "half_pixel": False, "scale": "2pi", "axis_order": "hw"}
    call = "masked_sine_2d", (list(GRID), table.values.shape[-1]), named
    return without_loose(held_against(name, "sinusoids of XCiT", table, call), [table])
