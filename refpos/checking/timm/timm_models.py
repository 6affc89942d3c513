"""The findings of a live model of timm, which has no configuration: its modules are held against the facts that they,
its patches and its architecture reveal."""

from .. import torch_modules
from ..finding import Finding
from ..roles import role_of
from . import patch_tables, rotary_grids, window_modules
from .architecture import name_of

NO_FACTS = "not described: no module of the model says what it should be"


def is_of_timm(model):
    """Whether a module is of timm."""
    return type(model).__module__.partition(".")[0] == "timm"


def findings(model):
    """The findings of all positional parts of a model; of the meta device none."""
    like = next(model.parameters(), None)
    if like is None or torch_modules.is_meta(like):
        return []
    found = [one for path, module in model.named_modules() for one in _of_module(path, module, name_of(model))]
    found += patch_tables.learned(model)
    known = {one.tensor for one in found}
    held = {*dict(model.named_buffers()), *dict(model.named_parameters())} - known
    inside = tuple(f"{path}." for path, module in model.named_modules() if _is_run(module) and path)
    left = sorted(name for name in held if _is_positional(name) and not name.startswith(inside))
    return found + [Finding(name, "not described", NO_FACTS) for name in left]


def _is_run(module):
    return type(module).__name__ in (*rotary_grids.MODULES, "PositionalEncodingFourier")


def _is_positional(name):
    """Whether a tensor is positional by its name, whatever stands behind the name of its encoding."""
    return role_of(name) is not None or any(word in name.rpartition(".")[2] for word in ("rel_pos", "rel_ind", "pos_e"))


def _of_module(path, module, name):
    kind = type(module).__name__
    if kind in rotary_grids.MODULES:
        return rotary_grids.findings(path, module, name)
    if kind == "PositionalEncodingFourier":
        return [patch_tables.fourier(path, module)]
    return window_modules.findings(path, module)
