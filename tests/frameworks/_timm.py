"""timm, whose own __init__ imports torchvision, of which there is no build for the CPU torch that these tests use."""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

VERSION = "1.0.31"


def bare(name):
    """Make a package importable without what its own __init__ imports."""
    spec = find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"{name} must be installed: pip install --no-deps timm=={VERSION}")
    sys.modules[name] = module_from_spec(spec)


def timm_module(name):
    """A module of timm by its path, as "layers" or "models.xcit"."""
    return import_module(f"timm.{name}")


if "timm" not in sys.modules:
    # a class that timm only compares with; transformers, which asks for torchvision itself, still finds none
    sys.modules["torchvision.ops.misc"] = ModuleType("torchvision.ops.misc")
    sys.modules["torchvision.ops.misc"].FrozenBatchNorm2d = type("FrozenBatchNorm2d", (), {})
    for package in ("timm", "timm.data", "timm.models"):
        bare(package)
    # what the models import from the packages: the version, and means and deviations of colours
    sys.modules["timm"].__version__ = timm_module("version").__version__
    colours = vars(timm_module("data.constants"))
    vars(sys.modules["timm.data"]).update({name: colours[name] for name in colours if name.isupper()})
