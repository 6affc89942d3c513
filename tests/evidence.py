"""Steps that docs/coverage.md and docs/models.md share: golden cases are counted, witnesses and real code are found."""

import importlib
from fnmatch import fnmatchcase
from functools import cache

from proving import WITNESSES
from witness import formulas

from refpos import catalogue, golden, models
from refpos.golden.cases import _absolute, _models
from refpos.golden.cases._models import slug

#: positions of models that stand for a suite of another name
PLACES = {
    "text": "attention_mask_positions/*",
    **dict.fromkeys(("counted", "behind_two"), "table_rows/*"),
    "padded": "table_rows/roberta*",
    "fsmt": "table_rows/fsmt*",
    "masked": "table_rows/opt*",
    "clipped": "table_rows/prophetnet*",
    "cells_of_tables": "cell_rows/*",
    **dict.fromkeys(("patches", "class_and_patches", "two_and_patches", "class_and_tubelets"), "table_rows/*"),
    **dict.fromkeys(("fractions_step", "fractions_quotient"), "fraction_rows/*"),
    "merge_blocks": "vision_token_order/merge-blocks-*",
    "volume_blocks": "vision_token_order/merge-blocks-*",
    "flux": "flux_positions/*",
    "flux2": "flux2_positions/*",
    "lumina2": "lumina2_positions/*",
    "qwen_image": "qwen_image_positions/*",
}
#: names of the models that add a table to their embeddings, and of those that rotate queries and keys
ADDED = [name for name in models.names() if isinstance(models.load(name), models.Absolute)]
ROTATIONS = [name for name in models.names() if name not in ADDED]
TABLES = {row.name: row for row in _absolute.ROWS}
NAMED = {row.name: row for row in _models.NAMED}
#: golden cases and witness of presets without a table of cosines and sines in pairs: learned sums, and what is not a
#: rotation
OTHERS = {
    "vjepa2": ("vjepa2_rope/*", "axes.vjepa2_rules"),
    "hunyuan_vl": ("xdrope/*", "axes.xdrope_axes"),
    "ernie_image": ("ernie_image_rope/*", "axes.ernie_image_rules"),
    "mochi": ("mixed_rope/mochi*", "axes.rotate"),
    "rope_vit_mixed": ("mixed_rope/rope-vit*", "axes.rotate"),
}
#: the witness of what frequencies along axes are made from; that of a scaling has its name
WITNESS = {"axial_frequencies": "axes.axial", "mrope_frequencies": "axes.sections_of"}


@cache
def case_ids():
    """The ids of all golden cases that have values."""
    return tuple(case.id for case in golden.cases() if not case.refusal)


def matching(*patterns):
    """The golden cases that any of the patterns names."""
    return {id for id in case_ids() if any(fnmatchcase(id, pattern) for pattern in patterns)}


def position_pattern(name):
    """The golden cases of the positions of a preset: of a builder, of the grid that it makes, or of its table, where
    they are listed."""
    positions = models.find(name).positions.__name__
    if positions in PLACES:
        return PLACES[positions]
    if positions in catalogue.ENTRIES:
        return f"{positions}/*"
    if name in TABLES:
        return f"{TABLES[name].encoding.function}/{slug(name)}"
    listed = name in NAMED and not NAMED[name].coordinates
    return f"rope_table/{slug(name)}" if listed else f"grid_positions/{slug(name)}"


def cases_of(name):
    """The golden cases of a preset at each level."""
    if name in TABLES:
        function = TABLES[name].encoding.function
        return {"table": matching(f"{function}/{slug(name)}"), "positions": matching(position_pattern(name))}
    if name in OTHERS:
        return {"q and k": matching(OTHERS[name][0]), "positions": matching(position_pattern(name))}
    return {
        "table": matching(f"rope_table/{slug(name)}"),
        "q and k": matching(f"rope/{slug(name)}"),
        "positions": matching(position_pattern(name)),
    }


def witness_of(name):
    """The functions below tests/witness that confirm the golden cases of a preset."""
    if name in TABLES:
        function = TABLES[name].encoding.function
        found = f"formulas.{function}"
        return [found if hasattr(formulas, function) else f"suites.{WITNESSES[function].__name__}"]
    first = OTHERS[name][1] if name in OTHERS else NAMED[name].frequencies["function"]
    functions = [first if name in OTHERS else WITNESS.get(first, f"scalings.{first}")]
    builder = position_pattern(name).partition("/")[0]
    if builder != "rope_table":
        functions.append("axes.coordinates" if builder == "grid_positions" else f"position_ids.{builder}")
    return functions


def witness(path):
    """The function that a row names: below tests/witness, or in a file of tests/proofs."""
    package, _, rest = path.partition(".")
    return resolved(rest, package) if package == "proofs" else resolved(path, "witness")


def resolved(path, package):
    """What a dotted path below a package names: a module, or something in one. Raises ImportError."""
    name, _, rest = path.partition(".")
    inner = f"{package}.{name}"
    try:
        module = importlib.import_module(inner)
    except ModuleNotFoundError as error:
        if error.name != inner:
            raise
        holder = importlib.import_module(package)
        for part in path.split("."):
            if not hasattr(holder, part):
                raise ImportError(f"{package} has no {path}") from None
            holder = getattr(holder, part)
        return holder
    return resolved(rest, inner) if rest else module


def code(names):
    """Names as code, one after the other."""
    return ", ".join(f"`{name}`" for name in names)


def escaped(text):
    """Text in a cell of a table."""
    return text.replace("|", "\\|")
