"""What `import refpos` shows, and its families: each name imported on first use, and written out for editors and type
checkers in stubs. `python tests/test_exports.py` writes the stubs."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import refpos
from refpos import catalogue, public

PACKAGE = Path(refpos.__file__).resolve().parent
STUB = PACKAGE / "__init__.pyi"
HEAD = "# What `{}` holds, for editors and type checkers; written by `python tests/test_exports.py`.\n\n"
#: what `refpos` has when it is imported, and where from
AT_ONCE = {"__version__": "_version", "show_config": "kernels", "Frequencies": "steps.angles.frequencies",
           "FileError": "errors", "InputError": "errors", "InputTypeError": "errors"}  # fmt: skip


def stubs():
    """{path: text} of the stubs of the package and of each family."""
    home = {**AT_ONCE, **public.OTHERS, **dict.fromkeys(public.MODULES)}
    for family, names in public.COMMON.items():
        home |= {name: public.functions_of(family)[name].removeprefix("refpos.") for name in names}
    texts = {STUB: stub("refpos", home)}
    for family in public.FAMILIES:
        home = {name: where.split(".", 2)[2] for name, where in public.functions_of(family).items()}
        texts[PACKAGE / family / "__init__.pyi"] = stub(f"refpos.{family}", home)
    return texts


def stub(name, home):
    """The text of a stub: {name: its module below the package, or None where it is a module itself}."""
    modules = [f"from . import {one} as {one}" for one, where in home.items() if where is None]
    return HEAD.format(name) + "\n".join(
        [*sorted(modules), *sorted(f"from .{where} import {one} as {one}" for one, where in home.items() if where), ""]
    )


def imported(stub):
    """{name: the module it comes from, below refpos (None: it is a module)} of the stub's imports."""
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    assert all(name.asname == name.name for node in imports for name in node.names), "without `as` it is private"
    return {name.name: node.module for node in imports for name in node.names}


def test_the_stubs_are_those_of_the_names():
    for path, text in stubs().items():
        assert path.read_text() == text, "run: python tests/test_exports.py"


def test_the_catalogue_is_in_the_order_of_its_families():
    """In a fresh process: a test that takes an entry out for a while brings it back at the end."""
    done = python(
        "from refpos import catalogue; entries = list(catalogue.ENTRIES.values());"
        "print(entries == sorted(entries, key=lambda one: (one.function.__module__, one.name)), len(entries) > 150,"
        "*sorted({one.family for one in entries}))"
    )
    assert done.stdout.split() == ["True", "True", *sorted(public.FAMILIES)], done.stderr


def test_dir_is_all():
    assert dir(refpos) == sorted(refpos.__all__) and len(set(refpos.__all__)) == len(refpos.__all__)
    assert {"golden", "models", "rope"} <= set(dir(refpos))
    assert {"checks", "kernels", "public", "_public"} & set(dir(refpos)) == set()
    assert all(hasattr(refpos, name) for name in refpos.__all__)


def test_a_family_holds_its_functions_and_nothing_else():
    for family in public.FAMILIES:
        room = getattr(refpos, family)
        entries = {name: entry.function for name, entry in catalogue.ENTRIES.items() if entry.family == family}
        least = 2 if family == "operators" else 6
        assert dir(room) == sorted(entries) == sorted(room.__all__) and len(entries) >= least
        assert {name: getattr(room, name) for name in entries} == entries


def test_common_functions_stand_in_the_package_as_well():
    names = [name for names in public.COMMON.values() for name in names]
    assert len(names) == len({*names}) == 26 and len(refpos.__all__) <= 61
    assert all(getattr(refpos, name) is catalogue.find(name).function for name in names)


@pytest.mark.parametrize("name", sorted({*catalogue.ENTRIES} - {*refpos.__all__}))
def test_a_name_that_stands_elsewhere_says_where(name):
    with pytest.raises(AttributeError) as caught:
        getattr(refpos, name)
    place = catalogue.find(name).public
    assert str(caught.value) == f"module 'refpos' has no attribute '{name}': it is {place}"
    family = catalogue.find(name).family
    other = next(one for one in public.FAMILIES if one != family)
    with pytest.raises(AttributeError, match=f"module 'refpos.{other}' has no attribute '{name}': it is {place}$"):
        getattr(getattr(refpos, other), name)


def test_the_module_of_a_function_does_not_hide_it():
    code = "import refpos.rotary.rope, refpos.positions.multimodal.qwen2_vl_positions; import refpos.rotary.rope as r;"
    done = python(
        f"{code} print(callable(r), callable(refpos.rotary.rope), callable(refpos.positions.qwen2_vl_positions))"
    )
    assert done.stdout == "True True True\n", done.stderr


def test_names_are_the_same_after_all_are_used():
    uses = "; ".join([*(f"refpos.{name}" for name in refpos.__all__), *(e.public for e in catalogue.ENTRIES.values())])
    rooms = (
        "[refpos, *(getattr(refpos, name) for name in refpos.__all__ if isinstance(getattr(refpos, name), type(sys)))]"
    )
    code = f"import sys, refpos; rooms = {rooms}; before = [dir(room) for room in rooms]; {uses};"
    done = python(f"{code} print(len(rooms), before == [dir(room) for room in rooms])")
    assert done.stdout == f"{1 + len(public.MODULES)} True\n", done.stderr


def test_help_of_the_package_begins_with_one_screen_that_names_everything():
    text = inspect.getdoc(refpos)
    assert len(text.splitlines()) <= 22 and max(map(len, text.splitlines())) <= 118
    words = {*re.findall(r"\w+", text)}
    assert {name for name in refpos.__all__ if name[0].islower()} - words == {"coordinates", "errors", "show_config"}


def test_type_checkers_see_every_name_from_its_module():
    names = imported(STUB.read_text())
    assert names.keys() == set(refpos.__all__)
    with pytest.raises(AssertionError, match="private"):
        imported("from .rotary.rope import rope")


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_what_is_imported_on_first_use_is_there_then():
    modules = {
        *(f"refpos.{name}" for name in public.MODULES),
        *(f"refpos.{module}" for module in public.OTHERS.values()),
    }
    modules -= {"refpos.errors"}
    modules |= {entry.function.__module__ for entry in catalogue.ENTRIES.values()}
    uses = "; ".join([*(f"refpos.{name}" for name in refpos.__all__), *(e.public for e in catalogue.ENTRIES.values())])
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


def test_finding_one_function_imports_no_other_family():
    done = python("from refpos import catalogue as c; c.find('vjp_rope'); print(*c._entered, 'ENTRIES' in vars(c))")
    *entered, whole = done.stdout.split()
    assert "rope" in entered and "alibi" not in entered and whole == "False", done.stderr


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
    root = Path(__file__).resolve().parents[1]
    files = [path for folder in (PACKAGE, root / "tests", root / "docs") for path in folder.rglob("*.py")]
    assert len(files) > 300
    assert [path for path in files if "# no" + "qa" in path.read_text()] == []


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
