"""What `import refpos` shows: the names that the catalogue lists, written out so that editors and type checkers see
them, `dir(refpos)`, and what is imported on first use only. `python tests/test_exports.py` writes the names anew."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import refpos
from refpos import catalogue

INIT = Path(refpos.__file__).resolve()
#: everything public that no entry of the catalogue is
OTHERS = (
    "FileError", "Frequencies", "InputError", "InputTypeError", "__version__", "blocks", "claims", "compare",
    "conformance", "conversion", "coordinates", "from_config", "golden", "grid", "models", "plots", "position_ids",
    "show_config",
)  # fmt: skip

IMPORTS = re.compile(r"(?<=^# isort: split\n).*?(?=\n\n)", re.MULTILINE | re.DOTALL)
EXPORTS = re.compile(r"(?<=^__all__ = \[\n).*?(?=\n\]$)", re.MULTILINE | re.DOTALL)


def listed():
    """{name: the module that registers it, below refpos} of the catalogue."""
    return {name: entry.function.__module__.removeprefix("refpos.") for name, entry in catalogue.ENTRIES.items()}


def lacking(text, entries):
    """One sentence for each entry that the text of refpos/__init__.py does not import or does not export."""
    lines = text.splitlines()
    for name, module in sorted(entries.items()):
        for line in (f"from .{module} import {name}", f'    "{name}",'):
            if line not in lines:
                place = "its imports" if line.startswith("from") else "__all__"
                yield f"refpos/__init__.py must name {name} in {place}: add {line.strip()!r}, got no such line"


def completed(text, entries):
    """The text of refpos/__init__.py with the imports and `__all__` that the entries ask for."""
    block = IMPORTS.search(text)[0].splitlines()
    imports = sorted({*block, *(f"from .{module} import {name}" for name, module in entries.items())})
    names = [f'    "{name}",' for name in sorted({*OTHERS, *entries})]
    text, blocks = IMPORTS.subn("\n".join(imports), text)
    text, exports = EXPORTS.subn("\n".join(names), text)
    assert blocks == exports == 1
    return text


def later(text):
    """{name: module} that the text imports for type checkers alone."""
    (block,) = [node for node in ast.parse(text).body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    return {name.name: node.module for node in block.body for name in node.names}


def test_every_entry_is_imported_and_exported():
    text = INIT.read_text()
    assert list(lacking(text, listed())) == []
    assert completed(text, listed()) == text, "run: python tests/test_exports.py"


def test_an_entry_that_is_not_exported_is_named():
    entries = {**listed(), "octaves": "encodings.octaves"}
    first, second = lacking(INIT.read_text(), entries)
    assert "add 'from .encodings.octaves import octaves'" in first and "in __all__: add '\"octaves\",'" in second
    assert list(lacking(completed(INIT.read_text(), entries), entries)) == []


def test_the_catalogue_is_in_the_order_of_its_rooms():
    rooms = [module.partition(".")[0] for module in listed().values()]
    assert set(rooms) == {"encodings", "factors", "frequencies", "position_ids"}


def test_dir_is_all():
    assert dir(refpos) == sorted(refpos.__all__) and len(set(refpos.__all__)) == len(refpos.__all__)
    assert {"golden", "models", "rope"} <= set(dir(refpos))
    assert {"checks", "kernels", "_LATER"} & set(dir(refpos)) == set()
    assert all(hasattr(refpos, name) for name in refpos.__all__)


def test_every_exported_entry_is_that_of_the_catalogue():
    for name, entry in catalogue.ENTRIES.items():
        assert getattr(refpos, name) is entry.function


def test_type_checkers_see_what_is_imported_on_first_use():
    assert later(INIT.read_text()) == dict(refpos._LATER.items())
    with pytest.raises(ValueError):  # no such block
        later("import os\n")


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_what_is_imported_on_first_use_is_there_then():
    steps = {"blocks", "grid", "position_ids"}  # encodings need these anyway
    modules = [f"refpos.{module or name}" for name, module in refpos._LATER.items() if name not in steps]
    uses = "; ".join(f"refpos.{name}" for name in refpos._LATER)
    loaded = f"print(len({set(modules)} & sys.modules.keys()))"
    done = python(f"import sys, refpos; {loaded}; {uses}; {loaded}")
    assert len(modules) > 5 and done.stdout == f"0\n{len(modules)}\n", done.stderr


@pytest.mark.parametrize("first", ["refpos.golden.cases.rope", "refpos.golden.discover", "refpos.golden"])
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
    INIT.write_text(completed(INIT.read_text(), listed()))
