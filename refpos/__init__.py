"""refpos: the numerical ground truth for positional encodings, correctly rounded, from NumPy alone."""

from importlib import import_module as _import_module

from . import kernels  # first: it checks the floating point in which the constants of the others are read
from . import catalogue, encodings, factors, frequencies, position_ids
from ._version import __version__
from .errors import FileError, InputError, InputTypeError
from .steps.frequencies import Frequencies
from .kernels import show_config

globals().update({name: entry.function for name, entry in catalogue.ENTRIES.items()})

# imported on first use, from the module named (None: it is the module)
_LATER = {
    "compare": "conformance.compare",
    "golden": None,
    "blocks": "steps.blocks",
    "grid": "steps.grids",
    "coordinates": None,
    "conversion": None,
    "models": None,
    "from_config": "configs.config",
}

__all__ = [
    *catalogue.ENTRIES,
    "Frequencies",
    "FileError",
    "InputError",
    "InputTypeError",
    "show_config",
    *_LATER,
    "__version__",
]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'refpos' has no attribute {name!r}")
    module = _import_module(f".{_LATER[name] or name}", __name__)
    value = getattr(module, name) if _LATER[name] else module
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})
