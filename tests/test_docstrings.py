"""The docstring of every public function has the sections of numpydoc, and they agree with its signature."""

import inspect
import re

import hostile
import pytest

import refpos
from refpos import catalogue, claims, conformance, conversion, emulate, golden, models, plots, testing
from refpos.cli import docstrings, screen
from refpos.configs import submodels
from refpos.diagnosis import result
from refpos.errors import CODES

ORDER = ("", "Parameters", "Returns", "Yields", "Raises", "Notes", "References", "Examples")
PUBLIC = {name: one for name, one in hostile.functions().items() if not name.startswith("models.load(")}
PUBLIC |= {
    f"{room.__name__[7:]}.{name}": getattr(room, name)
    for room in (emulate, plots, testing)
    for name in room.__all__
    if inspect.isfunction(getattr(room, name))
}
PUBLIC["conformance.compare.compare"] = conformance.compare.compare
#: those without arguments
CANNOT_RAISE = {name for name, one in PUBLIC.items() if not inspect.signature(one).parameters}


def wrong(name, function):
    """One sentence for each thing that the docstring of a public function lacks."""
    text = inspect.getdoc(function) or ""
    found = docstrings.sections(text)
    expected = [one for one in ORDER if one in found]
    if list(found) != expected:
        yield f"{name} must have the sections {', '.join(ORDER[1:])} in this order, got {', '.join(found)}"
    if not found[""] or "\n" in found[""].partition("\n\n")[0]:
        yield f"{name} must begin with one line"
    signature = inspect.signature(function).parameters
    described = docstrings.parameters(text)
    if list(described) != list(signature):
        yield f"{name} must describe the parameters {list(signature)}, got {list(described)}"
    yield from (f"{name} must say type and meaning of {key}" for key, one in described.items() if not all(one))
    for key, one in signature.items():
        kind, _ = described.get(key, ("optional", ""))
        if one.default is not inspect.Parameter.empty and not re.search(r"optional$|default ", kind):
            yield f"{name} must say that {key} may be left out"
    if "Returns" not in found and "Yields" not in found:
        yield f"{name} must say what it returns"
    codes = set(re.findall(r"\bE_[A-Z]+(?:_[A-Z]+)*\b", found.get("Raises", "")))
    if name not in CANNOT_RAISE and not (codes and codes <= set(CODES)):
        yield f"{name} must say which codes it raises, got {sorted(codes)}"
    if name in catalogue.ENTRIES and "References" not in found:
        yield f"{name} must say where it comes from"
    if ">>> " not in found.get("Examples", ""):
        yield f"{name} must have an example"


@pytest.mark.parametrize("name", PUBLIC)
def test_the_docstring_of_a_public_function_agrees_with_its_signature(name):
    assert list(wrong(name, PUBLIC[name])) == []


def test_few_functions_cannot_raise():
    assert 0 < len(CANNOT_RAISE) < 10


CLASSES = {
    f"{room.__name__}.{name}": one
    for room in (refpos, claims, conversion, emulate, golden, models, result, submodels)
    for name, one in vars(room).items()
    if inspect.isclass(one) and "\nAttributes\n---" in (inspect.getdoc(one) or "")
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_attributes_of_a_class_are_those_it_says(name):
    one, items = CLASSES[name], docstrings.items(docstrings.sections(inspect.getdoc(CLASSES[name]))["Attributes"])
    names = [attribute for head, _ in items for attribute in head.partition(" : ")[0].split(", ")]
    assert set(names) <= {
        *one.__annotations__,
        *(key for key, value in vars(one).items() if isinstance(value, property)),
    }
    assert len(names) == len(set(names)) and all(" : " in head and text for head, text in items)


def test_classes_of_every_room_have_attributes():
    rooms = {name.split(".")[1] for name in CLASSES}
    assert {"Frequencies", "claims", "conversion", "emulate", "golden", "models", "diagnosis", "configs"} <= rooms


def good(x, *more, scale=1):
    """One line.

        y = scale x

    Parameters
    ----------
    x, *more : array_like
        Numbers of any shape.
    scale : float, default 1
        What multiplies x:
        - "one" is 1.

    Returns
    -------
    ndarray
        Of the shape of x.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (x).

    References
    ----------
    The formula.

    Examples
    --------
    >>> good(1)
    1
    """


def test_a_good_docstring_is_accepted():
    assert list(wrong("good", good)) == []


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("One line.", "One line\n    and another.", "must begin with one line"),
        ("x, *more", "x", "must describe the parameters"),
        ("scale : float, default 1", "scales : float, default 1", "must describe the parameters"),
        (
            '    scale : float, default 1\n        What multiplies x:\n        - "one" is 1.\n',
            "",
            "must describe the parameters",
        ),
        ("float, default 1", "float", "may be left out"),
        ("        Numbers of any shape.\n", "", "type and meaning of x"),
        ("    Returns\n    -------", "    Result\n    ------", "must say what it returns"),
        ("E_DTYPE, E_SHAPE (x).", "Something.", "must say which codes"),
        ("E_DTYPE", "E_NOTHING", "must say which codes"),
        ("    References\n    ----------\n", "    Where\n    -----\n", "must say where it comes from"),
        (">>> good(1)", "good(1)", "must have an example"),
        ("    Raises\n    ------", "    Examples\n    --------", "in this order"),
    ],
)
def test_a_wrong_docstring_is_noticed(old, new, sentence, monkeypatch):
    monkeypatch.setitem(catalogue.ENTRIES, "good", None)
    text = good.__doc__
    assert text.count(old) == 1
    monkeypatch.setattr(good, "__doc__", text.replace(old, new))
    assert any(sentence in one for one in wrong("good", good))


def test_a_section_is_wrapped_and_formulas_and_examples_are_not(monkeypatch):
    monkeypatch.setattr(screen, "width", lambda: 40)
    long = "a word " * 12
    text = f"One line.\n\n    y = {long}\n\nParameters\n----------\nx : {long}\n    {long}\n    - {long}\n\n"
    text += f"Notes\n-----\n{long}\n\n    z = {long}\n\nReferences\n----------\n- {long}\n- b\n\n"
    text += f"Examples\n--------\n>>> {long}"
    lines = screen.docstring(text).splitlines()
    kept = [line for line in lines if len(line) > 40]
    assert [line.split()[0] for line in kept] == ["y", "z", ">>>"]
    assert lines[lines.index("Parameters") + 1] == "-" * 10 and "- b" in lines
    below = lines[lines.index("Parameters") + 3 : lines.index("Notes") - 1]
    assert all(line.startswith("    ") for line in below) and any(line.startswith("    - a") for line in below)
    assert "\n\nReturns\n-------\nndarray\n    Of the shape of x.\n\n" in screen.docstring(inspect.getdoc(good))


def test_show_prints_the_sections_of_every_encoding():
    for name, entry in catalogue.ENTRIES.items():
        text = screen.docstring(inspect.getdoc(entry.function))
        assert re.findall(r"^(\w+)\n-{3,}$", text, re.MULTILINE) == list(docstrings.sections(text))[1:], name
        assert " ".join(text.split()) == " ".join(inspect.getdoc(entry.function).split()), name


def test_the_package_has_its_functions_under_test():
    assert {"compare", "diagnose", "from_config", "grid", "rope", "coordinates.linspace"} <= set(PUBLIC)
    assert refpos.rope is PUBLIC["rope"]
