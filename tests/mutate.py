"""Mutation testing of the package: one small fault at a time in a copy, and whether the tests see it.

    python tests/mutate.py --mutants 200 --seed 20261123 --to mutants.jsonl

writes one line for each mutant, and goes on from that file when it is run again. Of a mutant it first runs the golden
suites that its module feeds (tests/test_published_numbers.py), then the tests that name the module or its room; --whole
gives what still survives to the fast tier. docs/contributing.md says what to do with a survivor.
"""

import argparse
import ast
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("refpos", "tests", "docs", "ext", "pyproject.toml", "setup.py", "README.md", "LICENSE")
#: data and lists, which the golden digests and the pages hold, and what only dask runs
LEFT_OUT = ("refpos/golden/cases/", "refpos/models/", "refpos/dask/", "refpos/pytest_plugin/")
#: rooms in which a survivor is a fault of the tests: what they compute is a published value or bound
OF_VALUES = ("arithmetic", "absolute", "conformance", "coordinates", "frequencies", "kernels", "operators",
             "positions", "relative", "rotary", "scores", "steps", "tables")  # fmt: skip
REASONS = ROOT / "tests" / "data" / "survivors.json"
MOST_FILES = 15  # of tests that are related to a module
STEM = 6  # letters by which the name of a test file belongs to a module or a room: emulat(e), emulat(ions)
NEAREST = 4  # of them, whose exhaustive tests run as well
NO_TESTS = 5  # the status of pytest where the expression of marks leaves none
WHOLE = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]


class Mutant(NamedTuple):
    """A fault: the bytes start .. stop of a file become `after`."""

    path: str
    line: int
    start: int
    stop: int
    kind: str
    before: str
    after: str

    @property
    def id(self):
        """The same as long as the text around does not change, wherever it stands in the file."""
        words = f"{self.path}|{self.kind}|{self.before}|{self.after}"
        return f"{self.path.removeprefix('refpos/')}:{self.line}:{hashlib.sha256(words.encode()).hexdigest()[:8]}"

    @property
    def of_values(self):
        return self.path.split("/")[1] in OF_VALUES


# -- faults -----------------------------------------------------------------------------------------------------------

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
             ast.Mod: ast.Add, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
             ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr}  # fmt: skip
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
               ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
               ast.IsNot: ast.Is}  # fmt: skip
BOUNDS = {"range", "arange", "islice"}


def faults(node):
    """(kind, the expression in place of a node) for each fault that a node may have."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not isinstance(node.left, ast.JoinedStr):
        yield "operator", ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield "comparison", ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "constant", ast.Constant(node.value + 1 if type(node.value) is int else node.value * 1.5 + 0.25)
    if isinstance(node, ast.Call) and len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args):
        yield "exchanged arguments", ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    if isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", getattr(node.func, "id", "")) in BOUNDS:
        raised = ast.BinOp(node.args[-1], ast.Add(), ast.Constant(1))
        yield "off by one", ast.Call(node.func, [*node.args[:-1], raised], node.keywords)
    if isinstance(node, ast.Slice) and node.upper and not node.step:
        yield "off by one", ast.Slice(node.lower, ast.BinOp(node.upper, ast.Sub(), ast.Constant(1)))
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield "dropped negation", node.operand
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        first = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else ast.Constant(None)
        yield "return altered", ast.Return(first.value if isinstance(first, ast.Starred) else first)


def reachable(tree):
    """The nodes of what runs and gives a value: no annotations, decorators, docstrings, sentences of errors."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list") or isinstance(tree, (ast.Raise, ast.JoinedStr)):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node
                yield from reachable(node)


def mutants_of(path, source):
    """Every mutant of a source; a few are what was there, or no Python: `is_sound` says which."""
    starts = [0]
    for line in source.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    data, tree = source.encode(), ast.parse(source)
    for node in reachable(tree):
        for kind, instead in faults(node):
            start = starts[node.lineno - 1] + node.col_offset
            stop = starts[node.end_lineno - 1] + node.end_col_offset
            after = ast.unparse(ast.fix_missing_locations(instead))
            plain = isinstance(node, (ast.Return, ast.Slice))
            after = after if plain else f"({after})"
            yield Mutant(path, node.lineno, start, stop, kind, data[start:stop].decode(), after)


def is_sound(source, mutant):
    """Whether a mutant compiles, to something else than its source."""
    try:
        return ast.dump(ast.parse(changed(source, mutant))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def changed(source, mutant):
    data = source.encode()
    return (data[: mutant.start] + mutant.after.encode() + data[mutant.stop :]).decode()


def chosen(count, seed, paths):
    """So many mutants, the same for each seed: in turn from every room of the package, at random within it; those of
    values and bounds first."""
    rng, rooms = random.Random(seed), {}
    for path in sorted(paths):
        rooms.setdefault(path.split("/")[1], []).append(path)
    for members in rooms.values():
        rng.shuffle(members)
    found, turn = {}, 0
    while len(found) < count and turn < 10 * count:
        for _, members in sorted(rooms.items()):
            path = members[turn % len(members)]
            source = (ROOT / path).read_text(encoding="utf-8")
            options = list(mutants_of(path, source)) if len(found) < count else []
            rng.shuffle(options)
            sound = (mutant for mutant in options if is_sound(source, mutant))
            found.update((mutant, turn) for mutant in itertools.islice(sound, 1))
        turn += 1
    return sorted(found, key=lambda mutant: not mutant.of_values)


def package():
    """The files of the package that are changed."""
    paths = [path.relative_to(ROOT).as_posix() for path in (ROOT / "refpos").rglob("*.py")]
    return [path for path in paths if not path.startswith(LEFT_OUT)]


# -- tests ------------------------------------------------------------------------------------------------------------


def suites_of(path):
    """The golden suites that a module feeds: those whose function imports it, by way of others too."""
    import test_house

    from refpos import catalogue

    module, graph = path.removeprefix("refpos/").removesuffix(".py").replace("/", "."), test_house.graph()
    fed = []
    for name, entry in catalogue.ENTRIES.items():
        home = entry.function.__module__.removeprefix("refpos.")
        if home == module or module in test_house.reached(home, graph):
            fed.append(name)
    return fed


def tests_of(path, folder):
    """Test files of the copy that name the module, those of its own name first, then those that name its room."""
    stem = Path(path).parent.name if path.endswith("__init__.py") else Path(path).stem
    files = sorted((folder / "tests").glob("test_*.py"))
    files = [file for file in files if file.stem not in ("test_lint", "test_mutate", "test_published_numbers")]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    words = [stem.strip("_"), path.split("/")[1].removesuffix(".py")]  # the module, then its room
    by_word = [[file for file in files if re.search(rf"\b{word}\b", texts[file])] for word in words]
    near = [file for file in files if any(word[:STEM] in file.stem for word in words)]
    named = list(dict.fromkeys(itertools.chain(near, *by_word)))
    return [f"tests/{file.name}" for file in named[:MOST_FILES]]


def commands(mutant, folder, whole):
    """(what it is, command, more of the environment) of the runs that may see a mutant, the quickest first."""
    numpy = {"REFPOS_KERNELS": "numpy"} if "numpy_" in mutant.path else {}
    numbers, suites = "tests/test_published_numbers.py", suites_of(mutant.path)
    if suites:
        ids = [f"{numbers}::test_every_case_has_the_published_values_and_bounds[{name}]" for name in suites]
        yield "published numbers", [*WHOLE, *ids], numpy
    elif mutant.of_values:
        yield "published numbers", [*WHOLE, numbers], numpy
    if files := tests_of(mutant.path, folder):
        yield "related tests", [*WHOLE, *files], numpy
        yield "related exhaustive tests", [*WHOLE, "-m", "exhaustive and not long", *files[:NEAREST]], numpy
    if whole:
        yield "fast tier", [*WHOLE, "tests"], numpy


def run(command, folder, environment, limit):
    """(passed, failed or timeout; the test that failed) of one run in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **environment}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode in (0, NO_TESTS):
        return "passed", ""
    return "failed", failed[0] if failed else (done.stdout + done.stderr).strip()[-200:]


def outcome(mutant, folder, limit, whole):
    """What became of a mutant: killed (by which test), timeout, or survived."""
    path = folder / mutant.path
    source = path.read_text(encoding="utf-8")
    path.write_text(changed(source, mutant), encoding="utf-8")
    started, said = time.monotonic(), {"outcome": "survived", "by": ""}
    try:
        for what, command, more in commands(mutant, folder, whole):
            found, test = run(command, folder, more, limit)
            if found != "passed":
                said = {"outcome": "killed" if found == "failed" else "timeout", "by": f"{what}: {test}"}
                break
    finally:
        path.write_text(source, encoding="utf-8")
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    return {**said, "seconds": round(time.monotonic() - started, 1)}


# -- the command ------------------------------------------------------------------------------------------------------


def known(path):
    """{id: line of the file} of mutants that are decided."""
    if not path.exists():
        return {}
    return {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def report(rows, reasons):
    """Sentences: how many died, and each survivor with its reason; then whether one in values or bounds has none."""
    counts = {name: sum(row["outcome"] == name for row in rows) for name in ("killed", "timeout", "survived")}
    yield f"{len(rows)} mutants: " + ", ".join(f"{count} {name}" for name, count in counts.items())
    for row in rows:
        if row["outcome"] == "survived":
            where = "values or bounds" if row["of_values"] else "elsewhere"
            yield f"survived, {where}: {row['id']} {row['kind']}: {row['before']} -> {row['after']}"
            yield f"    {reasons.get(row['id'], 'no reason is given in tests/data/survivors.json')}"


def unexplained(rows, reasons):
    """Survivors that need a test, or a reason: all without one."""
    return [row["id"] for row in rows if row["outcome"] == "survived" and row["id"] not in reasons]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--to", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--limit", type=int, default=900, help="seconds for each run of tests")
    parser.add_argument("--whole", action="store_true", help="the fast tier for what survives the related tests")
    given = parser.parse_args(arguments)
    mutants = chosen(given.mutants, given.seed, package())
    print(f"seed {given.seed}: {len(mutants)} mutants", flush=True)
    done, reasons = known(given.to), json.loads(REASONS.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder) / name)
        for mutant in mutants:
            if mutant.id in done:
                continue
            found = outcome(mutant, Path(folder), given.limit, given.whole)
            done[mutant.id] = {"id": mutant.id, "of_values": mutant.of_values, **mutant._asdict(), **found}
            with given.to.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[mutant.id]) + "\n")
            print(f"{mutant.id} {mutant.kind}: {found['outcome']} in {found['seconds']} s {found['by']}", flush=True)
    rows = [done[mutant.id] for mutant in mutants]
    print("\n".join(report(rows, reasons)))
    return 1 if unexplained(rows, reasons) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
