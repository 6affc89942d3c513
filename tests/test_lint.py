"""House rules a program can check: no foreign transcendental in a value path, no hidden import, no machine path."""

import ast
import functools
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

import refpos
from refpos import catalogue

ROOT = Path(__file__).resolve().parent.parent
TOP = {"setup.py", "pyproject.toml", "README.md", "LICENSE", "refpos", "ext", "tests", "docs"}
LONGEST = 120

# results of these differ between libraries and machines; square roots are correctly rounded everywhere
TRANSCENDENTAL = re.compile(
    r"a?(sin|cos|tan)(h|pi)?|arc(sin|cos|tan)h?|a?tan2|arctan2|sinc|exp(2|m1)?|log(2|10|1p|addexp2?)?|"
    r"power|float_power|pow|cbrt|hypot|l?gamma|erfc?|rect|polar|logspace|geomspace"
)
NUMERIC_MODULES = {"np", "numpy", "math", "cmath"}


def tracked():
    """Every file of the repository that git does not ignore; without git, of the folders the design names."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        return [ROOT / name for name in names if name and (ROOT / name).exists()]
    files = [path for top in TOP for path in [ROOT / top, *(ROOT / top).rglob("*")] if path.is_file()]
    return [path for path in files if "__pycache__" not in path.parts and path.suffix not in (".so", ".pyd")]


FILES = tracked()
PACKAGE = [path for path in FILES if path.suffix == ".py" and ROOT / "refpos" in path.parents]
SOURCES = [path for path in FILES if ROOT / "ext" in path.parents and path.suffix != ".md"]
WITNESS = [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[:2] == ("tests", "witness")]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@functools.cache
def nodes_of(source):
    """Every node of the tree of a source; several rules ask for them."""
    return list(ast.walk(ast.parse(source)))


def broken_in(paths, rule):
    """What a rule finds in the text of each file, behind the name of the file."""
    assert paths
    return [(name_of(path), found) for path in paths for found in rule(text_of(path))]


def test_there_is_something_to_check():
    assert {"refpos/steps/tables.py", "refpos/kernels/numpy_kernels.py"} <= set(map(name_of, PACKAGE))
    assert "ext/compiled.pyx" in map(name_of, SOURCES) and WITNESS


# -- values -----------------------------------------------------------------------------------------------------------


def foreign_transcendentals(source):
    """Lines of Python that take a transcendental function of NumPy or the standard library, or a power of floats."""
    found = []
    for node in nodes_of(source):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in NUMERIC_MODULES:
            if TRANSCENDENTAL.fullmatch(node.attr):
                found.append((node.lineno, f"{node.value.id}.{node.attr}"))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in NUMERIC_MODULES:
            found += [(node.lineno, name.name) for name in node.names if TRANSCENDENTAL.fullmatch(name.name)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pow":
            found += [(node.lineno, "pow")] if len(node.args) < 3 else []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and of_floats(node):
            found.append((node.lineno, ast.unparse(node)))
    return found


def of_floats(power):
    """Whether a power is plainly one of floats: a quotient or a fraction in it. Powers of 2.0 are exact."""
    parts = [node for side in (power.left, power.right) for node in ast.walk(side)]
    return any(
        (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        or (isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 2.0)
        for node in parts
    )


def test_no_foreign_transcendental():
    assert broken_in(PACKAGE, foreign_transcendentals) == []


@pytest.mark.parametrize(
    "line",
    ["np.sin(x)", "numpy.exp2(x)", "math.log(2)", "cmath.exp(1j)", "from math import cos", "np.float_power(a, b)",
     "pow(a, b)", "base ** (-2 * i / dim)", "x ** 0.5", "np.arctan2(a, b)", "np.logspace(0, 1)", "f = np.cos"],
)  # fmt: skip
def test_the_check_sees(line):
    assert len(foreign_transcendentals("import numpy as np, numpy, math\n" + line)) == 1


PRODUCTS = {"matmul", "dot", "vdot", "inner", "tensordot", "einsum"}


def products_of_a_library(source):
    """Lines of Python that multiply matrices by NumPy's library, which sums in an order of its own on each machine."""
    for node in nodes_of(source):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in NUMERIC_MODULES:
            if node.attr in PRODUCTS:
                yield node.lineno, f"{node.value.id}.{node.attr}"


def test_bounds_are_the_same_on_all_machines():
    """Golden documents hold them, bit by bit: sums of products are those of `steps.written`."""
    bounds = [path for path in PACKAGE if path.parent.name == "conformance"]
    assert len(bounds) > 15 and broken_in(bounds, products_of_a_library) == []
    assert len(list(products_of_a_library("a @ b\nnp.dot(a, b)\nwritten.matmul(a, b)\nnp.einsum('ij', a)"))) == 3


# each takes NumPy's default integer, of 32 bits on some platforms, unless it is told a dtype: by name, or at this place
INTEGERS = {"arange": 3, "indices": 1, "cumsum": 2, "cumprod": 2, "prod": 2, "array": 1, "full": 2}
METHODS = {"cumsum", "cumprod", "prod"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.USub)
PLAIN = (ast.List, ast.Tuple, ast.Starred, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Name, ast.expr_context)


def default_integers(source):
    """Lines of Python that leave the dtype of integers to NumPy."""
    found = []
    for node in nodes_of(source):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, owner = node.func.attr, node.func.value
        of_numpy = isinstance(owner, ast.Name) and owner.id in ("np", "numpy")
        told = any(word.arg == "dtype" for word in node.keywords) or (
            of_numpy and len(node.args) > INTEGERS.get(name, 0)
        )
        takes = name in INTEGERS if of_numpy else name in METHODS and getattr(owner, "id", None) != "math"
        if takes and not told and (name not in ("array", "full") or of_whole_numbers(node.args[-1])):
            found.append((node.lineno, ast.unparse(node)))
    return found


def of_whole_numbers(node):
    """Whether a list, or a number, is written with whole numbers, names and their sums and products alone."""
    return all(
        isinstance(part, (*PLAIN, *ARITHMETIC)) or (isinstance(part, ast.Constant) and type(part.value) is int)
        for part in ast.walk(node)
    ) and not isinstance(node, (ast.Name, ast.Subscript))


@pytest.mark.parametrize("path", PACKAGE, ids=name_of)
def test_integers_name_their_dtype(path):
    assert default_integers(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    ["np.arange(n)", "np.arange(a, b, 2)", "np.cumsum(mask, 1)", "np.cumsum(mask, axis=1)", "kept.cumsum(1)",
     "np.array([k])", "np.array([[0], [(h + 1) // 2]])", "np.array([0, *counts])", "np.full(shape, -1)",
     "np.indices((h, w))", "np.prod(shape)", "numpy.array((1, 2))"],
)  # fmt: skip
def test_the_check_sees_default_integers(line):
    assert len(default_integers(line)) == 1


@pytest.mark.parametrize(
    "line",
    ["np.arange(n, dtype=np.int64)", "np.arange(0, n, 1, np.int64)", "np.cumsum(mask, 1, np.int64)", "math.prod(shape)",
     "np.array([k], np.int64)", "np.array([1.0, 2])", "np.array([float(k)])", "np.array([a / b])", "np.array(values)",
     "np.full(shape, 0.5)", "np.full(shape, 1, np.int64)", "kept.cumsum(1, dtype=np.int64)", "np.array([limit(x)])"],
)  # fmt: skip
def test_the_check_lets_pass(line):
    assert default_integers(line) == []


def without_comments(source):
    """Cython or C without comments and strings."""
    return re.sub(r'"""(.|\n)*?"""|/\*(.|\n)*?\*/|//.*|#(?!include|define|if|el|end).*|"[^"\n]*"', " ", source)


CALLS = "sin|cos|tan|sincos|exp2?|expm1|log(2|10|1p)?|pow|fma|hypot|cbrt"
LIBM = re.compile(rf"libc\.math|math\.h|\b({CALLS})[fl]?\s*\(")


def test_no_libm_in_the_kernels():
    assert broken_in(SOURCES, lambda text: LIBM.findall(without_comments(text))) == []


def test_the_check_sees_libm():
    assert all(map(LIBM.search, ("from libc.math cimport sin", "y = cosf (x)", "#include <math.h>")))
    assert not LIBM.search(without_comments('# sin(x)\n/* cos(x) */ turn(x) "exp(x)"'))


# on Windows it has 32 bits, everywhere else those of a pointer
LONG = re.compile(r"(?<!long )(?<!unsigned )\blong\b(?! long)")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_count_is_a_long(path):
    assert LONG.findall(without_comments(path.read_text())) == []


def test_the_check_sees_a_long():
    assert all(map(LONG.search, ("long n = 0;", "cdef long f(", "(long)x", "const long a")))
    assert not LONG.search(without_comments("long long n; unsigned long long m; ctypedef long long i64  # a long way"))


# -- imports ----------------------------------------------------------------------------------------------------------

# what may be imported inside a function only, when it is asked for
EXTRAS = {"ml_dtypes", "onnx", "safetensors", "matplotlib", "scipy", "dask", "distributed", "zarr"}


def imports(source):
    """(top-level module, whether it is imported with the file) for each absolute import."""
    at_once = {id(node) for node in nodes_of(source)[0].body}
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            yield from ((name.name.split(".")[0], id(node) in at_once) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0], id(node) in at_once


def foreign_imports(source):
    for module, at_once in imports(source):
        if not (module in sys.stdlib_module_names or module == "numpy" or (module in EXTRAS and not at_once)):
            yield f"{module} is imported {'with the file' if at_once else 'in a function'}"


def test_the_package_imports_numpy_and_the_standard_library():
    # only pytest imports its plugin
    assert broken_in(PACKAGE, foreign_imports) == [("refpos/pytest_plugin.py", "pytest is imported with the file")]
    assert list(foreign_imports("import json, numpy, torch\nimport onnx")) == [
        "torch is imported with the file", "onnx is imported with the file"
    ]  # fmt: skip


def imports_of_the_package(source):
    yield from (module for module, _ in imports(source) if module == "refpos")
    yield from re.findall(r"import_module|__import__", source)


def test_the_witness_never_imports_the_package():
    assert broken_in(WITNESS, imports_of_the_package) == []
    assert list(imports_of_the_package("from refpos import rope\n__import__('refpos')")) == ["refpos", "__import__"]


# -- names ------------------------------------------------------------------------------------------------------------


def test_each_encoding_file_registers_the_function_of_its_name():
    stems = sorted(path.stem for path in PACKAGE if path.parent.name == "encodings" and not path.stem.startswith("_"))
    registered = {entry.name: entry.function.__module__ for entry in catalogue.ENTRIES.values()}
    assert sorted(n for n, module in registered.items() if module.startswith("refpos.encodings.")) == stems
    for stem in stems:
        assert registered[stem] == f"refpos.encodings.{stem}"
        assert getattr(refpos, stem) is catalogue.find(stem).function


def test_all_is_what_is_defined():
    names = {name for name in dir(refpos) if not name.startswith("_")}
    modules = {path.stem for path in PACKAGE if path.parent.name == "refpos"} | {
        path.parent.name for path in PACKAGE if path.name == "__init__.py"
    }
    assert len(set(refpos.__all__)) == len(refpos.__all__)
    assert all(hasattr(refpos, name) for name in refpos.__all__)
    assert names - modules - set(refpos.__all__) == set()
    assert set(catalogue.ENTRIES) <= set(refpos.__all__)


def rows_of_files(text):
    """The files that the table of ext/README.md has a row for, in its order."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_every_source_of_the_kernels_has_its_row():
    rows = rows_of_files((ROOT / "ext" / "README.md").read_text())
    assert sorted(rows) == sorted(path.name for path in SOURCES) and len(rows) > 5
    assert rows_of_files("| file |\n| `a.h` | all |\ntext `b.h`\n") == ["a.h"]


# -- text -------------------------------------------------------------------------------------------------------------


def test_the_top_level_holds_what_the_design_names():
    assert {path.relative_to(ROOT).parts[0] for path in FILES if not name_of(path).startswith(".")} - TOP == set()


# written in parts, so that this file passes its own check
PLACES = re.compile(
    "|".join([
        r"(^|[^\w.])/(" + "|".join(["work", "root", "tmp", "home", "farm"]) + r")(/|\b)",
        "pypi" + r"\.org", "python" + "hosted", "deb" + r"\.debian", "npm" + r"js\.", "crates" + r"\.io",
    ]),
    re.MULTILINE,
)  # fmt: skip


def faults_of_text(text):
    yield from (match.group() for match in PLACES.finditer(text))
    if "\r" in text or (text and not text.endswith("\n")):
        yield "an end of a line"


def test_text_of_every_file():
    binary = [path for path in FILES if path.suffix in (".safetensors", ".npz", ".npy")]  # only their names are text
    assert [path for path in binary if PLACES.search(path.name)] == []
    texts = [path for path in FILES if path not in binary]
    assert len(texts) > 300 and broken_in(texts, faults_of_text) == []
    but = [path for path in texts if path.name != "LICENSE"]
    assert broken_in(but, lambda text: re.findall(r"[ \t]$", text, re.MULTILINE)) == []
    assert list(faults_of_text("\r")) == ["an end of a line"]


def test_no_code_line_is_long():
    code = [path for path in FILES if path.suffix in (".py", ".pyx", ".pxi", ".h") or path.name == "run"]
    lines = [(name_of(path), n, len(line)) for path in code for n, line in enumerate(path.read_text().splitlines(), 1)]
    assert [place for place in lines if place[2] > LONGEST] == []


TESTS = [path for path in FILES if path.suffix == ".py" and ROOT / "tests" in path.parents]
NOT_RUN = {"skip", "skipif", "xfail", "importorskip"}


def left_out(source):
    return {node.attr for node in nodes_of(source) if isinstance(node, ast.Attribute)} & NOT_RUN


def test_no_test_is_left_out():
    assert broken_in(TESTS, left_out) == []
    assert left_out("@pytest.mark.skip\ndef test(): pass") == {"skip"}


def asserts(node):
    """Whether a piece of a test says what must hold: by itself, or through a function whose name begins with assert."""
    if isinstance(node, ast.Assert):
        return True
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return name in ("pytest.raises", "pytest.fail") or name.rpartition(".")[2].startswith("assert_")


def without_assertion(source):
    """Tests that only call: what they compare, or whether they do, cannot be seen."""
    for node in nodes_of(source):
        if (
            isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and not any(map(asserts, ast.walk(node)))
        ):
            yield node.name


def test_every_test_asserts_in_sight():
    assert broken_in(TESTS, without_assertion) == []
    bodies = {"a": "same(1, 2)", "b": "assert_same(1, 2)", "c": "assert same(1, 2)", "d": "expect(1).assert_same(2)"}
    source = "".join(f"def test_{name}():\n    {body}\n" for name, body in bodies.items())
    assert list(without_assertion(source)) == ["test_a"]


def unfinished(source):
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and re.search("TO" + r"DO|FIX" + r"ME|XX" + "X", token.string):
            yield token.string
    for node in nodes_of(source):
        if isinstance(node, ast.Raise) and node.exc and "NotImplemented" in ast.unparse(node.exc):
            yield f"NotImplemented at line {node.lineno}"
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield f"a bare except at line {node.lineno}"


def test_nothing_is_unfinished_or_silenced():
    assert broken_in(PACKAGE, unfinished) == []
    assert len(list(unfinished("try:\n    raise NotImplementedError\nexcept:\n    pass  # TO" + "DO\n"))) == 3
