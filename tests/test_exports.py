"""What `import refpos` shows: the names that the catalogue lists, each imported on first use, and written out for
editors and type checkers in refpos/__init__.pyi. `python tests/test_exports.py` adds the lines that are missing."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import refpos
from refpos import catalogue

INIT = Path(refpos.__file__).resolve()
STUB = INIT.with_suffix(".pyi")
#: everything public that no entry of the catalogue is
OTHERS = (
    "FileError", "Frequencies", "InputError", "InputTypeError", "__version__", "blocks", "claims", "compare",
    "conformance", "conversion", "coordinates", "dask", "diagnose", "emulate", "from_config", "golden", "grid",
    "models", "plots", "show_config", "testing",
)  # fmt: skip

LATER = re.compile(r"(?<=^_LATER = \{\n).*?(?=\n\}$)", re.MULTILINE | re.DOTALL)
IMPORTS = re.compile(r"(?<=\n\n)from .*(?=\n)", re.DOTALL)


def listed():
    """{name: the module that registers it, below refpos} of the catalogue."""
    return {name: entry.function.__module__.removeprefix("refpos.") for name, entry in catalogue.ENTRIES.items()}


def completed(init, stub, entries):
    """The texts of refpos/__init__.py and its stub, in alphabetical order, with a line for each of the entries."""
    later = {*LATER.search(init)[0].splitlines(), *(f'    "{name}": "{module}",' for name, module in entries.items())}
    imports = {f"from .{module} import {name} as {name}" for name, module in entries.items()}
    imports |= set(IMPORTS.search(stub)[0].splitlines())
    return LATER.sub("\n".join(sorted(later)), init), IMPORTS.sub("\n".join(sorted(imports)), stub)


def imported(stub):
    """{name: the module it comes from, below refpos (None: it is a module)} of the stub's imports."""
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    assert all(name.asname == name.name for node in imports for name in node.names), "without `as` it is private"
    return {name.name: node.module for node in imports for name in node.names}


def test_every_entry_has_its_lines():
    init, stub = INIT.read_text(), STUB.read_text()
    assert completed(init, stub, listed()) == (init, stub), "run: python tests/test_exports.py"
    assert {*refpos.__all__} == {*OTHERS, *listed()}


def test_an_entry_without_lines_gets_them():
    init, stub = completed(INIT.read_text(), STUB.read_text(), {**listed(), "octaves": "absolute.octaves"})
    assert {*init.splitlines()} - {*INIT.read_text().splitlines()} == {'    "octaves": "absolute.octaves",'}
    line = "from .absolute.octaves import octaves as octaves"
    assert {*stub.splitlines()} - {*STUB.read_text().splitlines()} == {line}


def test_the_catalogue_is_in_the_order_of_its_rooms():
    rooms = [module.partition(".")[0] for module in listed().values()]
    assert set(rooms) == {*catalogue.FAMILIES} and rooms == sorted(rooms)


def test_dir_is_all():
    assert dir(refpos) == sorted(refpos.__all__) and len(set(refpos.__all__)) == len(refpos.__all__)
    assert {"golden", "models", "rope"} <= set(dir(refpos))
    assert {"checks", "kernels", "_LATER"} & set(dir(refpos)) == set()
    assert all(hasattr(refpos, name) for name in refpos.__all__)


def test_every_exported_entry_is_that_of_the_catalogue():
    for name, entry in catalogue.ENTRIES.items():
        assert getattr(refpos, name) is entry.function


def test_type_checkers_see_every_name_from_its_module():
    names = imported(STUB.read_text())
    assert {name: module for name, module in names.items() if name in refpos._LATER} == refpos._LATER
    assert names.keys() == set(refpos.__all__)
    with pytest.raises(AssertionError, match="private"):
        imported("from .encodings.rope import rope")


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_what_is_imported_on_first_use_is_there_then():
    modules = {f"refpos.{module or name}" for name, module in refpos._LATER.items()}
    uses = "; ".join(f"refpos.{name}" for name in refpos._LATER)
    loaded = f"print(len({modules} & sys.modules.keys()))"
    done = python(f"import sys, refpos; {loaded}; {uses}; {loaded}")
    assert len(modules) > 150 and done.stdout == f"0\n{len(modules)}\n", done.stderr


def test_a_function_is_in_the_catalogue_before_and_after_the_rest():
    done = python(
        "import sys, refpos; from refpos import catalogue; refpos.rope; few = dict(catalogue._entered);"
        "print(list(few), 'refpos.relative.alibi' in sys.modules);"
        "print(catalogue.find('rope') is few['rope'], len(catalogue.ENTRIES) > 150)"
    )
    assert done.stdout.splitlines() == ["['rope'] False", "True True"], done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", ["refpos.golden.cases.rotary.rope", "refpos.golden.discover", "refpos.golden"])
def test_golden_cases_is_the_function_in_any_order(first):
    done = python(f"import {first}, refpos; print(len(refpos.golden.cases('rope')) > 10)")
    assert done.stdout == "True\n", done.stderr


def test_an_unknown_name_is_an_attribute_error_with_a_suggestion():
    done = python("import refpos; refpos.rop")
    assert done.stderr.strip().splitlines()[-1] == (
        "AttributeError: module 'refpos' has no attribute 'rop'. Did you mean: 'rope'?"
    )


def test_no_rule_of_the_linter_is_silenced_in_a_line():
    files = [path for folder in (INIT.parent, Path(__file__).parent) for path in folder.rglob("*.py")]
    assert len(files) > 300
    assert [path for path in files if "# no" + "qa" in path.read_text()] == []


if __name__ == "__main__":
    for path, text in zip((INIT, STUB), completed(INIT.read_text(), STUB.read_text(), listed()), strict=True):
        path.write_text(text)
