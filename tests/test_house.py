"""The rooms of the package: imports stay in a room or go to a lower floor, and never round."""

import ast
import contextlib
import functools
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from test_lint import ROOT, tracked

import refpos

PACKAGE = Path(refpos.__file__).resolve().parent
#: floors from the ground up; rooms on one floor do not know each other
FLOORS = (
    ("guard",),
    ("_version", "errors", "types", "words"),
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
    ("operators",),
    ("gradients",),
    ("conversion",),
    ("models",),
    ("configs", "conformance"),
    ("emulate", "measure"),
    ("diagnosis",),
    ("golden", "claims", "checking"),
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


# -- what a reader can hold -------------------------------------------------------------------------------------------

MOST_MODULES = 40


def crowded(names):
    """{folder: its number of modules} of the folders with too many, of dotted names of modules."""
    counts = Counter(name.rpartition(".")[0] for name in names)
    return {folder: count for folder, count in counts.items() if count > MOST_MODULES}


def test_no_folder_has_more_modules_than_a_reader_can_hold():
    names = [name for name, path in modules().items() if path.name != "__init__.py"]
    assert len(names) > 600 and crowded(names) == {}
    assert crowded([f"rotary.{k}" for k in range(41)] + [f"tables.{k}" for k in range(40)]) == {"rotary": 41}


#: why modules of one name stand in several folders: {reason: the names}
SAME_NAMES = {
    "the bounds, the emulations, the presets, the steps and the functions of one kind of encoding, each in its room": (
        "attention calendar_features fourier graphs learned relative_vectors resizing rotations tables"
    ),
    "a command, in refpos/cli, and what it calls": "check config corpus diagnose plot read report",
    "what a room keeps, makes or reads of its own, under the usual word for it": (
        "arguments bounds calls files registry result tensors"
    ),
    "the public name of a module, and the room that has its parts": "coordinates errors",
}


def repeated(names):
    """The last parts that several dotted names of modules have; golden cases have the names of their functions."""
    counts = Counter(name.rpartition(".")[2] for name in names if not name.startswith("golden.cases."))
    return {stem for stem, count in counts.items() if count > 1}


def test_no_name_of_a_module_stands_twice_without_a_reason():
    names = [name for name, path in modules().items() if path.name != "__init__.py"]
    listed = [name for names in SAME_NAMES.values() for name in names.split()]
    assert len(listed) == len({*listed}) and all(len(reason) > 30 for reason in SAME_NAMES)
    found = repeated(names)
    assert found - {*listed} == set(), "give the newer module a name of its own"
    assert {*listed} - found == set(), "these stand once by now: take them off the list"
    assert repeated(["rotary.rope", "steps.waves.rope", "golden.cases.rotary.alibi", "relative.alibi"]) == {"rope"}


#: modules that import something under another name, and why
OTHER_NAMES = {
    "a function has the name of what it imports: its steps, the function that it bounds, or the comparison it makes": (
        "scores.attention conformance.derivations.attention conformance.derivations.running_error"
        " conformance.derivations.graphs conformance.derivations.fourier cli.tensors golden.run golden.discover"
        " diagnosis.diagnose"
    ),
    "a parameter or a local name, which readers know, has the name of the module": "scores.bucket_scores testing.cases",
    "names of several modules that are the same, or say nothing without their module": (
        "conformance.derivations.rotations relative.log_buckets models.multimodal"
    ),
    "a name that must not be public in refpos": "__init__",
}


def renaming(text):
    """The imports of a source text that give something another name; `a as a` says that a name is for others to use."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = [alias for node in nodes for alias in node.names if alias.asname not in (None, alias.name)]
    return [f"{one.name} as {one.asname}" for one in names if (one.name, one.asname) != ("numpy", "np")]


def test_imports_keep_their_names_but_for_a_reason():
    found = {name or "__init__" for name, path in modules().items() if renaming(path.read_text(encoding="utf-8"))}
    listed = [name for names in OTHER_NAMES.values() for name in names.split()]
    assert len(listed) == len({*listed}) and found - {*listed} == set(), "import the module, and name it before the dot"
    assert {*listed} - found == set(), "these rename nothing by now: take them off the list"
    assert renaming("import numpy as np\nfrom . import a as a\nfrom .b import c as d") == ["c as d"]


LONGEST = 2000
#: files whose lines are as long as they are, and why
LONG_LINES = {
    "refpos/golden/data/*": "golden documents, whose shortest form has the digest, and tensors",
    "*.svg": "pictures, whose paths are one line each",
}


def with_long_lines(files):
    """{name: its longest line} of {name: text}, where a line is too long to be read, or to be reviewed."""
    kept = {name: text for name, text in files.items() if not any(fnmatch(name, kind) for kind in LONG_LINES)}
    longest = {name: max(map(len, text.split("\n"))) for name, text in kept.items()}
    return {name: count for name, count in longest.items() if count > LONGEST}


def test_every_text_can_be_reviewed_line_by_line():
    texts = {}
    for path in tracked():
        with contextlib.suppress(UnicodeDecodeError):
            texts[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    assert len(texts) > 1000 and "pyproject.toml" in texts and with_long_lines(texts) == {}
    assert all(any(fnmatch(name, kind) for name in texts) for kind in LONG_LINES)
    long = "a\n" + "b" * (LONGEST + 1)
    assert with_long_lines({"docs/a.md": long, "docs/b.svg": long, "refpos/c.json": long[1:-1]}) == {"docs/a.md": 2001}
