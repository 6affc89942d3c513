"""Tables that models of timm add to their patches: learned ones, by shape, and the sinusoids that XCiT projects."""

import copy
import math

import numpy as np

from ...tensor_files import Tensor
from .. import torch_modules
from ..finding import Finding
from ..held import held_against, shape_text, without_loose

GRID = (3, 5)


def learned(model):
    """The findings of the learned tables of a model whose grid of patches is known."""
    for path, module in model.named_modules():
        wanted = _wanted(module)
        for leaf, (tokens, width) in wanted.items():
            tensor = vars(module).get("_parameters", {}).get(leaf)
            if tensor is not None:
                yield _by_shape(f"{path}.{leaf}".lstrip("."), tuple(tensor.shape), tokens, width)


def _wanted(module):
    """{name of a table: (the tokens it must have rows for, its channels)}."""
    patches, width = getattr(module, "patch_embed", None), getattr(module, "embed_dim", None)
    if isinstance(getattr(module, "num_patches", None), list):  # CrossViT: a table for each branch
        sizes = zip(module.num_patches, width)
        return {f"pos_embed_{k}": (count + 1, channels) for k, (count, channels) in enumerate(sizes)}
    if hasattr(module, "tokens_spatial_shape"):  # Hiera
        return {"pos_embed": (math.prod(module.tokens_spatial_shape), width)}
    grid = getattr(patches, "grid_size", None)
    if grid is None or not hasattr(patches, "proj"):
        return {}
    channels = getattr(patches.proj, "out_channels", None)
    beside = 0 if getattr(module, "no_embed_class", False) else getattr(module, "num_prefix_tokens", 0)
    return {"pos_embed": (math.prod(grid) + beside, channels)} if channels else {}


def _by_shape(name, shape, tokens, width):
    """The finding of a table (tokens, channels), whose tokens may have an axis for rows and one for columns."""
    sizes = tuple(size for size in shape if size != 1)
    if sizes and sizes[-1] == width and math.prod(sizes[:-1]) == tokens:
        told = f"learned, shape {shape_text(shape)} fits (by the patches of the model)"
        return Finding(name, "fits", told, "the patches of the model")
    told = f"differs from the patches of the model: shape {shape_text(shape)} for {shape_text((tokens, width))}"
    return Finding(name, "differs", told, "the patches of the model")


def fourier(path, module):
    """The finding of the sinusoids of XCiT before its projection, on a grid of another height than width."""
    name = f"{path}({GRID[0]}, {GRID[1]})"
    run = copy.deepcopy(module)
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
