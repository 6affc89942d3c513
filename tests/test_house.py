"""The rooms of the package: imports stay in a room or go to a lower floor, and never round."""

import ast
import functools
from pathlib import Path

import refpos

PACKAGE = Path(refpos.__file__).resolve().parent
#: floors from the ground up; rooms on one floor do not know each other
FLOORS = (
    ("guard",),
    ("_version", "errors", "types"),
    ("deprecations",),
    ("public",),
    ("foreign",),
    ("catalogue", "tensor_files", "arithmetic"),
    ("checks",),
    ("kernels",),
    ("steps",),
    ("frequencies", "coordinates", "positions"),
    ("absolute", "rotary", "tables"),
    ("relative",),
    ("scores",),
    ("conversion",),
    ("models",),
    ("configs", "conformance"),
    ("emulate",),
    ("diagnosis",),
    ("golden", "claims"),
    ("reports", "dask", "plots"),
    ("cli", "testing"),
    ("pytest_plugin",),
)
#: the doors of the package stand above the house
DOORS = ("__init__", "__main__")
FLOOR = {room: k for k, rooms in enumerate((*FLOORS, DOORS)) for room in rooms}


def modules():
    """{dotted name below refpos: path} of every module."""
    found = {path.relative_to(PACKAGE).with_suffix(""): path for path in PACKAGE.rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in found.items()}


def imports(name, path, known):
    """Names of the modules of refpos that a module imports, also inside its functions."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or (not node.level and not str(node.module).startswith("refpos")):
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        base = base + (node.module.removeprefix("refpos").strip(".").split(".") if node.module else [])
        for alias in node.names:
            target = ".".join(part for part in (*base, alias.name) if part)
            yield target if target in known else ".".join(part for part in base if part) or "__init__"


@functools.cache
def graph():
    """{module: the modules it imports}; what the doors of the package import is left out."""
    known = modules()
    return {name: set(imports(name, path, known)) - {name} for name, path in known.items() if name not in DOORS}


def wrong(found):
    """One sentence for each import that goes up, or across a floor."""
    for name, targets in sorted(found.items()):
        for target in sorted(targets):
            room, other = name.split(".")[0], target.split(".")[0]
            by_the_door = name.startswith("cli.") and target == "__init__"  # the command is a user of the package
            if room != other and FLOOR[other] >= FLOOR[room] and not by_the_door:
                pair = " imports ".join(f"refpos/{name.replace('.', '/')}.py" for name in (name, target))
                floors = f"{room} is on floor {FLOOR[room]} and {other} on {FLOOR[other]}"
                yield f"{pair}: a room may import only from the floors below it, and {floors}"


def circles(imported):
    """Modules that import each other, by way of others too: sorted, without repetition."""
    return sorted(name for name in imported if name in reached(name, imported))


def reached(name, imported):
    """The modules that a module imports, by way of others too."""
    seen, open_ends = set(), [name]
    while open_ends:
        new = imported.get(open_ends.pop(), set()) - seen
        seen |= new
        open_ends += new
    return seen


def test_every_room_has_a_floor():
    assert {name.split(".")[0] for name in modules()} | set(DOORS) == set(FLOOR)


def test_imports_go_down():
    assert list(wrong(graph())) == []


def test_no_imports_go_round():
    assert circles(graph()) == []


def test_an_import_from_the_door_is_named():
    (sentence,) = wrong({"kernels": {"__init__"}, "cli.bench": {"__init__"}})
    assert "refpos/kernels.py imports refpos/__init__.py" in sentence


def test_an_import_that_goes_up_is_named():
    found = {"checks": {"steps.waves.grids"}, "steps.waves.grids": {"checks"}}
    (sentence,) = wrong(found)
    assert "refpos/checks.py imports refpos/steps/waves/grids.py" in sentence and "the floors below it" in sentence
    assert circles(found) == ["checks", "steps.waves.grids"]


def test_no_module_is_longer_than_a_reader_can_hold():
    """400 lines at most; presets and golden cases, which are data, may have more."""
    data = ("models", "golden.cases")
    lengths = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert len(lengths) > 200
    assert {name: count for name, count in lengths.items() if count > 400 and not name.startswith(data)} == {}
