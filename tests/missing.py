"""What a function of the catalogue lacks: one sentence for each part, with the file that it belongs in or the command
that writes it, in the order in which the parts are added."""

from pathlib import Path

import announce
from proving import REGISTER, WITNESSES
from test_mutants import unexplained
from unlocked import not_locked

from refpos import catalogue, golden
from refpos.conformance import registry
from refpos.golden import discover, lock

TESTS = Path(__file__).resolve().parent
#: the least number of golden cases with values of a function of a family; LEAST in its file says another, and why
LEAST = {
    "positions": 5,
    "frequencies": 8,
    **dict.fromkeys(("absolute", "rotary", "relative", "scores", "tables", "operators"), 15),
}
#: {file that a command writes: (the command, what stands in it for a function)}; those with {name} write one function
WRITTEN = {
    "refpos/{family}/__init__.pyi": ("python tests/test_exports.py", " {name} as {name}\n"),
    "docs/encodings/{family}.md": ("python tests/test_docs.py", "\n## {name}\n"),
    "docs/galleries/{family}.md": ("python tests/test_gallery.py {name}", "\n### {name}\n"),
    "tests/mutants.json": ("python tests/test_mutants.py {name}", '\n "{name}": '),
    "docs/sharpness.md": ("python tests/test_float32.py {name}", "\n| `{name}` |"),
}
COVERAGE = {"docs/coverage.md": ("python tests/test_coverage.py", "\n| `{name}` |")}


def missing(entry):
    """The sentences of one function."""
    for part in (place, by_hand, locked, announced):
        yield from part(entry)
    yield from written(entry, WRITTEN)
    yield from unexplained([entry.name])  # before the page on coverage, which lists the reasons
    yield from written(entry, COVERAGE)


def place(entry):
    module = entry.function.__module__.split(".")
    if module[1] != entry.family or module[-1] != entry.name:
        file, wanted = "/".join(module), f"refpos/{entry.family}/{entry.name}.py"
        instead = f" or register family={module[1]!r}" if module[1] in catalogue.FAMILIES else ""
        yield f"{entry.name} is registered with family={entry.family!r} in {file}.py: move it to {wanted}{instead}"


def cases(entry):
    """Golden cases, as many of the core tier as the family has, and one that must be refused."""
    name, file = entry.name, f"refpos/golden/cases/{entry.family}/{entry.name}.py"
    if name not in golden.suite_names():
        yield f"{name} has no golden cases: write {file} (see docs/adding-an-encoding.md)"
        return
    module = discover.module_of(name)
    refused = [case.refusal is not None for case in module.CASES if case.tier == "core"]
    count, least = refused.count(False), getattr(module, "LEAST", LEAST[entry.family])
    if count < least:
        yield f"{name} has {count} golden cases with values of {least}: add some to {file}, or LEAST = {count} and why"
    if not any(refused):
        yield f"{name} has no golden case that must be refused: add one to {file}"


def by_hand(entry):
    """The files that say what the function computes, and how far a program may be from it."""
    name = entry.name
    yield from cases(entry)
    if name not in WITNESSES:
        below = "@scaling" if entry.family == "frequencies" else "@witness"
        yield f'{name} has no witness: add one below {below}("{name}") in tests/proofs/{name}.py'
    if not registry.derives(name) and not registry.reason_for_none(entry):
        yield registry.without_bound(entry)
    if name not in REGISTER and not entry.exact and not registry.reason_for_none(entry):
        below = "@makes_frequencies" if entry.family == "frequencies" else f'@float32("{name}", kind=CLASS)'
        yield f"{name} has no float32 formula: add one below {below} in tests/proofs/{name}.py"


def locked(entry):
    if not any(id.startswith(f"{entry.name}/") for id in lock.read_lock()["cases"]):
        yield not_locked(entry.name)


def announced(entry):
    if not announce.is_announced(entry.name):
        yield f"{entry.name} is not in docs/changes: run python tests/announce.py {entry.name}"


def written(entry, files):
    """Those of the generated files that do not have the function yet."""
    named = {"name": entry.name, "family": entry.family}
    for file, (command, mark) in files.items():
        if file == "docs/sharpness.md" and (entry.exact or registry.reason_for_none(entry)):
            continue
        path = TESTS.parent / file.format(**named)
        if mark.format(**named) not in path.read_text(encoding="utf-8"):
            yield f"{entry.name} is not in {file.format(**named)}: run {command.format(**named)}"
