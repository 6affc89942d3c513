"""Steps that docs/coverage.md and docs/models.md share: golden cases are counted, witnesses and real code are found."""

import importlib
from fnmatch import fnmatchcase
from functools import cache

from refpos import catalogue, golden, models
from refpos.golden import named

#: positions of models that stand for a suite of another name
PLACES = {
    "text": "attention_mask_positions/*",
    "merge_blocks": "vision_token_order/merge-blocks-*",
    "volume_blocks": "vision_token_order/merge-blocks-*",
    "flux": "flux_positions/*",
    "flux2": "flux2_positions/*",
    "lumina2": "lumina2_positions/*",
    "qwen_image": "qwen_image_positions/*",
}
NAMED = {row.name: row for row in named.NAMED}
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
    """The golden cases of the positions of a preset: of a builder, or of the grid that it makes."""
    positions = models.find(name).positions.__name__
    if positions in PLACES:
        return PLACES[positions]
    return f"{positions}/*" if positions in catalogue.ENTRIES else f"grid_positions/{slug(name)}"


def slug(name):
    return "model-" + name.replace("_", "-")


def cases_of(name):
    """The golden cases of a preset at each level."""
    return {
        "table": matching(f"rope_table/{slug(name)}"),
        "q and k": matching(f"rope/{slug(name)}"),
        "positions": matching(position_pattern(name)),
    }


def witness_of(name):
    """The functions below tests/witness that confirm the golden cases of a preset."""
    function = NAMED[name].frequencies["function"]
    builder = position_pattern(name).partition("/")[0]
    places = "axes.coordinates" if builder == "grid_positions" else f"position_ids.{builder}"
    return [WITNESS.get(function, f"scalings.{function}"), places]


def found(path, package):
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
    return found(rest, inner) if rest else module


def code(names):
    """Names as code, one after the other."""
    return ", ".join(f"`{name}`" for name in names)


def escaped(text):
    """Text in a cell of a table."""
    return text.replace("|", "\\|")
