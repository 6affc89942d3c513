"""The public names: which stand in `refpos` itself, and the families, whose attributes are their functions.

Nothing is imported before it is used. A name that is not where it was asked for is an AttributeError that says where it
is.
"""

import pkgutil
import sys
from functools import cache
from importlib import import_module
from types import ModuleType

from . import guard

FAMILIES = {
    "absolute": "added to embeddings",
    "tables": "learned tables, read, joined and resized",
    "rotary": "rotates queries and keys",
    "relative": "biases, added to attention scores",
    "scores": "attention, its scores, and what multiplies them",
    "frequencies": "angles per position, before any encoding",
    "positions": "which position each token has",
    "operators": "rotation and attention as runtimes define them",
}
#: functions of the families that stand in `refpos` as well
COMMON = {
    "absolute": ("sinusoidal", "sincos_2d", "sincos_3d", "timestep_embedding"),
    "frequencies": (
        "inverse_frequencies",
        "linear",
        "ntk",
        "dynamic_ntk",
        "yarn",
        "llama3",
        "longrope",
        "proportional",
    ),
    "relative": ("alibi", "alibi_slopes", "t5_bias", "t5_buckets", "relative_bias", "window_bias"),
    "rotary": ("rope", "rope_table", "rope_2d", "rope_3d", "mrope"),
    "scores": ("attention",),
    "tables": ("learned", "resize_table"),
}
#: what many models use besides, by family; lists, pages and the gallery begin with these
CORE = {
    "absolute": ("fourier_bands", "masked_sine_2d", "conv_positions", "time2vec"),
    "frequencies": ("axial_frequencies", "mrope_frequencies", "given_frequencies"),
    "positions": ("table_rows", "attention_mask_positions", "grid_positions", "qwen2_vl_positions", "flux_positions"),
    "relative": ("window_rows", "relative_rows", "distance_mlp"),
    "rotary": ("xpos", "mixed_rope"),
    "scores": ("relative_scores", "xl_scores", "deberta_scores", "decomposed_scores"),
    "tables": ("learned_axes", "resize_bias"),
    "operators": ("onnx_rotary_embedding", "onnx_attention"),
}
#: {name: the module below refpos that defines it} of what belongs to no family
OTHERS = {
    "blocks": "steps.positions.blocks",
    "check": "checking.check",
    "compare": "diagnosis.diagnose",
    "diagnose": "diagnosis.diagnose",
    "from_config": "configs.config",
    "grid": "steps.waves.grids",
    "plan": "configs.decoding.plan",
    "read": "measure.read",
    "same_encoding": "configs.same.same_encoding",
    "vjp": "gradients",
}
#: modules and packages to use by their names
MODULES = (
    *FAMILIES, "claims", "conformance", "conversion", "coordinates", "dask", "emulate", "errors", "golden", "models",
    "plots", "testing",
)  # fmt: skip
#: what is imported when it is used
NAMES = (*(name for names in COMMON.values() for name in names), *OTHERS, *MODULES)


class Family(ModuleType):
    """A package with one function in each module, of the module's name: that function is the attribute."""

    def __getattr__(self, name):
        module = functions_of(self.__name__.rpartition(".")[2]).get(name)
        if module is None:
            return former(self.__name__, name)
        value = getattr(imported(module), name)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name, value):
        # the import system binds each module in its package
        super().__setattr__(name, getattr(value, name, value) if isinstance(value, ModuleType) else value)

    def __dir__(self):
        return sorted(functions_of(self.__name__.rpartition(".")[2]))


def open_family(name):
    """Make the package of that name a `Family`; its `__all__`."""
    sys.modules[name].__class__ = Family
    return sorted(functions_of(name.rpartition(".")[2]))


@cache
def functions_of(family):
    """{function: its module} of a family, as its folder has them."""
    path, prefix = [f"{folder}/{family}" for folder in sys.modules[__package__].__path__], f"{__package__}.{family}."
    modules = [info.name for info in pkgutil.walk_packages(path, prefix) if not info.ispkg]
    found = {name.rpartition(".")[2]: name for name in modules}
    return {name: found[name] for name in sorted(found) if not name.startswith("_")}


def in_reading_order(family):
    """The functions of a family: those of most models first, then the others by name."""
    first = (*COMMON.get(family, ()), *CORE.get(family, ()))
    return [*first, *(name for name in functions_of(family) if name not in first)]


def is_core(name):
    """Whether it is one of the functions that most models need."""
    return any(name in names for table in (COMMON, CORE) for names in table.values())


@cache
def modules_of(package):
    """The names of the modules and packages in a package."""
    return {info.name for info in pkgutil.iter_modules(sys.modules[package].__path__)}


def family_of(name):
    """The family that has a function of that name; None where none has."""
    return next((family for family in FAMILIES if name in functions_of(family)), None)


def dotted(name):
    """How a function of the catalogue is called: "refpos.rope", "refpos.positions.table_rows"."""
    family = family_of(name)
    return (
        f"{__package__}.{name}"
        if family is None or name in COMMON.get(family, ())
        else f"{__package__}.{family}.{name}"
    )


def imported(module):
    """The module, imported in the default floating-point state, because finding one computes as well."""
    return guard.run(import_module, (module,), {}) if guard.built else import_module(module)


@cache
def import_all():
    """Import the modules of all families: each function says what it was called before."""
    for family in FAMILIES:
        for module in functions_of(family).values():
            imported(module)


def former(where, name):
    """The function that was called so, with a warning; an AttributeError where none was."""
    # what is asked of any module, what is being imported, and what is elsewhere
    if name.startswith("_") or name in modules_of(where) or family_of(name):
        raise AttributeError(unknown(where, name))
    import_all()
    from . import deprecations

    new, until = deprecations.FUNCTIONS.get(name, (None, None))
    if new is None:
        raise AttributeError(unknown(where, name))
    deprecations.warn(f"{where}.{name} is called {dotted(new)}: call {dotted(new)}(...). refpos {until} has no {name}")
    return getattr(sys.modules[f"{__package__}.{family_of(new)}"], new)


def unknown(where, name):
    """That a module has no such name, and where it is."""
    sentence = f"module {where!r} has no attribute {name!r}"
    place = dotted(name) if family_of(name) else f"{__package__}.{name}" if name in (*OTHERS, *MODULES) else None
    return sentence if place in (None, f"{where}.{name}") else f"{sentence}: it is {place}"
