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
#: what confirms the package imports nothing of it
OWN = (("tests", "witness"), ("tests", "float32"), ("tests", "proofs"))
WITNESS = [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[:2] in OWN]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@functools.lru_cache(maxsize=1)
def nodes_of(source):
    """Every node of the tree of a source: all rules of one file ask for them, one after the other."""
    return list(ast.walk(ast.parse(source)))


def broken_in(paths, rule):
    """What a rule finds in the text of each file, behind the name of the file."""
    assert paths
    return [(name_of(path), found) for path in paths for found in rule(text_of(path))]


def test_there_is_something_to_check():
    assert {"refpos/steps/waves/tables.py", "refpos/kernels/numpy_kernels.py"} <= set(map(name_of, PACKAGE))
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
    """Whether a power is plainly one of floats. 2.0**-60 is a constant; 2.0**k is a call of pow: math.ldexp(1.0, k)."""
    exponent = power.right.operand if isinstance(power.right, ast.UnaryOp) else power.right
    if isinstance(power.left, ast.Constant) and isinstance(power.left.value, float):
        return power.left.value != 2.0 or not isinstance(exponent, ast.Constant)
    parts = [node for side in (power.left, power.right) for node in ast.walk(side)]
    return any(
        (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        or (isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 2.0)
        for node in parts
    )


def powers_in_kernels(source):
    """Lines of Cython that raise to a power, which it writes as a call of pow, outside comments and docstrings."""
    code = re.sub(r'""".*?"""|#[^\n]*', lambda found: "\n" * found[0].count("\n"), source, flags=re.DOTALL)
    return [(code[: found.start()].count("\n") + 1, "**") for found in re.finditer(r"[\d)] ?\*\* ?[\w(-]", code)]


def test_kernels_call_no_power():
    kernels = [path for path in SOURCES if path.suffix in (".pyx", ".pxi")]
    assert len(kernels) > 3 and broken_in(kernels, powers_in_kernels) == []
    assert powers_in_kernels('"""2**3"""\n# 2**3\nx = 2.0**-51') == [(3, "**")]


@pytest.mark.parametrize(
    "line",
    ["np.sin(x)", "numpy.exp2(x)", "math.log(2)", "cmath.exp(1j)", "from math import cos", "np.float_power(a, b)",
     "pow(a, b)", "base ** (-2 * i / dim)", "x ** 0.5", "2.0 ** k", "2.0 ** -k", "2.0 ** (k + 1)", "10.0 ** 3",
     "np.arctan2(a, b)", "np.logspace(0, 1)", "f = np.cos"],
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


def test_the_check_sees_products_of_a_library():
    assert len(list(products_of_a_library("a @ b\nnp.dot(a, b)\nwritten.matmul(a, b)\nnp.einsum('ij', a)"))) == 3


def test_no_formula_of_float32_calls_einsum():
    """np.einsum multiplies a sum over an axis of size 0 by a number it reads where no element is, so that NumPy 2.4 may
    give NaN for 0: what the memory held before decides it. np.matmul does not."""
    formulas = sorted((ROOT / "tests" / "float32").glob("*.py"))
    assert len(formulas) > 8
    called = {path.name: [name for _, name in products_of_a_library(path.read_text())] for path in formulas}
    assert any("@" in name for names in called.values() for name in names)
    assert [name for name, names in called.items() if "np.einsum" in names] == []


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
    """Whether a list, or a number, is written with integers, names and their sums and products alone."""
    return all(
        isinstance(part, (*PLAIN, *ARITHMETIC)) or (isinstance(part, ast.Constant) and type(part.value) is int)
        for part in ast.walk(node)
    ) and not isinstance(node, (ast.Name, ast.Subscript))


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


def test_the_check_sees_foreign_imports():
    assert list(foreign_imports("import json, numpy, torch\nimport onnx")) == [
        "torch is imported with the file", "onnx is imported with the file"
    ]  # fmt: skip


def imports_of_the_package(source):
    yield from (module for module, _ in imports(source) if module == "refpos")
    yield from re.findall(r"import_module|__import__", source)


def test_the_check_sees_imports_of_the_package():
    assert list(imports_of_the_package("from refpos import rope\n__import__('refpos')")) == ["refpos", "__import__"]


# -- names ------------------------------------------------------------------------------------------------------------


def test_each_file_of_a_family_registers_the_function_of_its_name():
    files = {path.stem: path for path in PACKAGE if path.relative_to(ROOT / "refpos").parts[0] in catalogue.FAMILIES}
    stems = {stem for stem in files if not stem.startswith("_") and stem != "multimodal"}
    registered = {entry.name: entry.function.__module__ for entry in catalogue.ENTRIES.values()}
    assert set(registered) == stems
    for stem in stems:
        assert registered[stem] == ".".join(files[stem].relative_to(ROOT).with_suffix("").parts)


def test_all_is_what_is_defined():
    names = {name for name in dir(refpos) if not name.startswith("_")}
    modules = {path.stem for path in PACKAGE if path.parent.name == "refpos"} | {
        path.parent.name for path in PACKAGE if path.name == "__init__.py"
    }
    assert len(set(refpos.__all__)) == len(refpos.__all__)
    assert all(hasattr(refpos, name) for name in refpos.__all__)
    assert names - modules - set(refpos.__all__) == set()


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


#: one of these is in every match of PLACES; looking for them alone is ten times as fast
PARTS = ("/wo" + "rk", "/ro" + "ot", "/tm" + "p", "/ho" + "me", "/fa" + "rm", ".or" + "g", "python" + "hosted",
         "deb" + ".", "npm" + "js", "crates" + ".")  # fmt: skip


def faults_of_text(text):
    if any(part in text for part in PARTS):
        yield from (match.group() for match in PLACES.finditer(text))
    if "\r" in text or (text and not text.endswith("\n")):
        yield "an end of a line"


def test_text_of_every_file():
    kinds = (".safetensors", ".npz", ".npy", ".gguf")
    binary = [path for path in FILES if path.suffix in kinds]  # only their names are text
    assert [path for path in binary if PLACES.search(path.name)] == []
    texts = [path for path in FILES if path not in binary]
    assert len(texts) > 300 and broken_in(texts, faults_of_text) == []
    but = [path for path in texts if path.name != "LICENSE"]
    assert broken_in(but, blanks_before_an_end) == []
    assert list(faults_of_text("\r")) == ["an end of a line"]
    assert list(blanks_before_an_end("a \n")) == [" \n"] and list(blanks_before_an_end(" a\n\tb\n")) == []
    places = ["/wo" + "rk/x", "(/ro" + "ot/", "/tm" + "p/", "/ho" + "me/a", "/fa" + "rm", "a.pypi" + ".org",
              "python" + "hosted", "deb" + ".debian", "npm" + "js.", "crates" + ".io"]  # fmt: skip
    assert all(any(True for _ in faults_of_text(f"{place}\n")) for place in places)


def blanks_before_an_end(text):
    return [blank for blank in (" \n", "\t\n") if blank in text]


def test_no_code_line_is_long():
    code = [path for path in FILES if path.suffix in (".py", ".pyx", ".pxi", ".h", ".js") or path.name == "run"]
    assert len(code) > 800 and broken_in(code, long_lines) == []
    assert list(long_lines("a\n" + "b" * (LONGEST + 1) + "\n")) == [(2, LONGEST + 1)]


def long_lines(text):
    return ((n, len(line)) for n, line in enumerate(text.split("\n"), 1) if len(line) > LONGEST)


TESTS = [path for path in FILES if path.suffix == ".py" and ROOT / "tests" in path.parents]
NOT_RUN = {"skip", "skipif", "xfail", "importorskip"}


def left_out(source):
    return {node.attr for node in nodes_of(source) if isinstance(node, ast.Attribute)} & NOT_RUN


def test_the_check_sees_a_test_that_is_left_out():
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


def test_the_check_sees_a_test_without_assertion():
    bodies = {"a": "same(1, 2)", "b": "assert_same(1, 2)", "c": "assert same(1, 2)", "d": "expect(1).assert_same(2)"}
    source = "".join(f"def test_{name}():\n    {body}\n" for name, body in bodies.items())
    assert list(without_assertion(source)) == ["test_a"]


UNFINISHED = re.compile("TO" + r"DO|FIX" + r"ME|XX" + "X")


def unfinished(source):
    # tokens take longer than the tree, and few sources hold the words at all
    tokens = tokenize.generate_tokens(io.StringIO(source).readline) if UNFINISHED.search(source) else ()
    for token in tokens:
        if token.type == tokenize.COMMENT and UNFINISHED.search(token.string):
            yield token.string
    for node in nodes_of(source):
        if isinstance(node, ast.Raise) and node.exc and "NotImplemented" in ast.unparse(node.exc):
            yield f"NotImplemented at line {node.lineno}"
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield f"a bare except at line {node.lineno}"


def test_the_check_sees_what_is_unfinished_or_silenced():
    assert len(list(unfinished("try:\n    raise NotImplementedError\nexcept:\n    pass  # TO" + "DO\n"))) == 3


# -- all rules of a file at once, so that it is parsed once -----------------------------------------------------------

RULES = (foreign_transcendentals, default_integers, foreign_imports, unfinished)
#: only pytest imports its plugin
ALLOWED = {
    (f"refpos/pytest_plugin/{name}.py", "pytest is imported with the file")
    for name in ("__init__", "listening", "outside", "reporting")
}


def rules_of(path):
    """The rules of a file of Python."""
    if path.relative_to(ROOT).parts[0] == "tests":
        return (left_out, without_assertion, *([imports_of_the_package] if path in WITNESS else []))
    # golden documents hold bounds, bit by bit: sums of products are those of `steps.scores.ordered_sums`
    return (*RULES, products_of_a_library) if "conformance" in path.parts else RULES


@pytest.mark.parametrize("path", [*PACKAGE, *TESTS], ids=name_of)
def test_the_rules_of_a_file(path):
    faults = [(name_of(path), fault) for rule in rules_of(path) for fault in rule(text_of(path))]
    assert [fault for fault in faults if fault not in ALLOWED] == []


def test_every_file_has_rules():
    assert len(PACKAGE) > 600 and len(TESTS) > 200 and len(WITNESS) > 25
    assert sum(products_of_a_library in rules_of(path) for path in PACKAGE) > 15
    assert all(imports_of_the_package in rules_of(path) for path in WITNESS)
