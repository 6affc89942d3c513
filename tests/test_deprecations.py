"""Former names of functions and arguments work, warn with the new call, and are gone in time: docs/deprecations.md.

Nothing of the package has one now, so the functions here are made for the test.
"""

import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
import types
import typing
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import refpos
from refpos import catalogue, cli, deprecations, guard, public
from refpos.deprecations import renamed
from refpos.plots import calls

FAMILY = {"family": "rotary", "paper": "none"}


@pytest.fixture
def clean(monkeypatch):
    """No former name, and whatever a test enters is gone after it."""
    catalogue._all_entries()
    monkeypatch.setattr(deprecations, "FUNCTIONS", {})
    monkeypatch.setattr(deprecations, "ARGUMENTS", {})
    monkeypatch.setattr(catalogue, "_entered", dict(catalogue._entered))
    monkeypatch.setattr(catalogue, "ENTRIES", catalogue._entered, raising=False)


@pytest.fixture
def swirl(clean, monkeypatch):
    """A function of the family rotary that was called `eddy`, in the module where it would stand."""

    def swirl(x, *, base=10000.0):
        """Twice x, and the base."""
        return 2 * x, base

    swirl.__module__ = "refpos.rotary.swirl"
    function = catalogue.register(**FAMILY, formerly="eddy", until="0.3")(swirl)
    module = types.ModuleType("refpos.rotary.swirl")
    module.swirl = function
    monkeypatch.setitem(sys.modules, module.__name__, module)
    functions = {**public.functions_of("rotary"), "swirl": module.__name__}
    of = public.functions_of
    monkeypatch.setattr(public, "functions_of", lambda family: functions if family == "rotary" else of(family))
    yield function
    refpos.rotary.__dict__.pop("swirl", None)


# -- functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["refpos", "refpos.rotary"])
def test_a_former_name_is_the_function_and_warns_in_the_line_that_asks(where, swirl):
    place = sys.modules[where]
    for _ in range(2):  # not only the first time
        with pytest.warns(FutureWarning) as caught:
            assert place.eddy is swirl
        (said,) = caught
        called = "refpos.rotary.swirl: call refpos.rotary.swirl(...). refpos 0.3 has no eddy"
        assert str(said.message) == f"{where}.eddy is called {called}"
        assert said.filename == __file__
    assert place.__dict__.keys().isdisjoint({"eddy"})


def test_a_former_name_can_be_imported(swirl):
    names = {"__name__": "of.somebody", "__file__": "theirs.py"}
    with pytest.warns(FutureWarning, match="refpos.eddy is called") as caught:
        exec(compile("from refpos import eddy", "theirs.py", "exec"), names)
    assert names["eddy"] is swirl and {said.filename for said in caught} == {"theirs.py"}
    with pytest.warns(FutureWarning), warnings.catch_warnings():
        warnings.filterwarnings("error", module="of.nobody")
        exec("from refpos.rotary import eddy", names)


def test_a_former_name_is_in_no_list(swirl):
    for place in (refpos, refpos.rotary):
        assert "eddy" not in {*dir(place), *place.__all__}
    assert "eddy" not in catalogue.ENTRIES and swirl.__name__ == "swirl"


def test_only_that_function_is_found_by_it(swirl):
    for place in (refpos, refpos.rotary, refpos.absolute):
        with pytest.raises(AttributeError, match=r"has no attribute 'eddi'$"):
            _ = place.eddi
    with pytest.raises(AttributeError, match=r"has no attribute '_eddy'$"):
        _ = refpos._eddy


def test_the_catalogue_and_the_command_lead_to_the_function(swirl, capsys):
    with pytest.raises(refpos.InputError, match=r"did you mean swirl\?\), got 'eddy'"):
        catalogue.find("eddy")
    assert cli.main(["show", "eddy"]) == 0
    out = capsys.readouterr().out
    assert "call: refpos.rotary.swirl" in out and "also called: eddy" in out
    assert cli.main(["find", "eddy"]) == 0 and "refpos.rotary.swirl (function)" in capsys.readouterr().out


@pytest.mark.parametrize("taken", ["rope", "table_rows", "golden", "compare", "two words", "swirl"])
def test_a_name_that_something_has_is_no_former_name(taken, swirl):
    with pytest.raises(refpos.InputError, match="formerly must be a name that nothing in refpos has, got"):
        catalogue.register(**FAMILY, formerly=taken, until="0.3")(lambda: None)


def test_a_former_name_is_that_of_one_function(swirl):
    def whirl(x):
        """Another."""

    with pytest.raises(refpos.InputError, match="that one function had, got 'eddy' of swirl and whirl"):
        catalogue.register(**FAMILY, formerly="eddy", until="0.3")(whirl)


@pytest.mark.parametrize("until", ["", "0.3.1", "soon", None])
def test_the_version_is_two_numbers(until, clean):
    for ask in (lambda: catalogue.register(**FAMILY, formerly="eddy", until=until)(anew()), lambda: anew(until)):
        with pytest.raises(refpos.InputError, match="until must be a version such as"):
            ask()


# -- arguments --------------------------------------------------------------------------------------------------------


def plain(x, *, base=10000.0, dtype="float64"):
    """Its arguments."""
    return x, base, dtype


def anew(until="0.4"):
    """A function whose base was called theta, and its x y."""
    return renamed(theta="base", y="x", until=until)(plain)


def test_a_former_argument_works_and_warns_in_the_line_of_the_call(clean):
    function = anew()
    with pytest.warns(FutureWarning) as caught:
        assert function(3, theta=500.0) == (3, 500.0, "float64")
    assert str(caught[0].message) == (
        "theta of plain is called base: call plain(..., base=...). refpos 0.4 takes no theta"
    )
    assert caught[0].filename == __file__ and len(caught) == 1
    with pytest.warns(FutureWarning, match="y of plain is called x"):
        assert function(y=3, base=1.0) == (3, 1.0, "float64")


@pytest.mark.filterwarnings("error")
def test_the_argument_itself_does_not_warn(clean):
    assert anew()(3, base=7) == (3, 7, "float64") and anew()(x=1, dtype="float32") == (1, 10000.0, "float32")


def test_both_names_are_refused(clean):
    function = anew()
    for call in (
        lambda: function(3, base=1, theta=1),
        lambda: function(3, y=3),
        lambda: function(x=3, y=3),
    ):
        with pytest.raises(refpos.InputTypeError, match="must be given once, got it and") as caught:
            call()
        assert caught.value.code == "E_CHOICE" and isinstance(caught.value, TypeError)


def test_a_renamed_function_looks_as_before(clean):
    function = anew()
    assert inspect.signature(function) == inspect.signature(plain) and function.__doc__ == plain.__doc__
    assert function.__name__ == "plain" and function.__module__ == __name__ and typing.get_type_hints(function) == {}
    with pytest.raises(TypeError, match="'thta'"):
        function(3, thta=1)


@pytest.mark.parametrize("names", [{"theta": "bass"}, {"base": "x"}])
def test_names_that_lead_nowhere_are_refused(names, clean):
    with pytest.raises(refpos.InputError, match="former names must lead to arguments of plain, got"):
        renamed(**names, until="0.4")(plain)


def test_two_renamings_of_one_function_are_one(clean):
    function = renamed(kind="dtype", until="0.5")(anew())
    with pytest.warns(FutureWarning) as caught:
        assert function(3, theta=2.0, kind="float32") == (3, 2.0, "float32")
    assert [str(one.message).rpartition(". ")[2] for one in caught] == [
        "refpos 0.4 takes no theta", "refpos 0.5 takes no kind"
    ]  # fmt: skip
    assert inspect.signature(function) == inspect.signature(plain) and function.__wrapped__ is plain


# -- registered functions ---------------------------------------------------------------------------------------------


def registered(family, body):
    """The body, registered, with theta= as the former name of base=."""
    body.__module__ = f"refpos.{family}.{body.__name__}"
    return catalogue.register(family=family, paper="none")(renamed(theta="base", until="0.4")(body))


def test_the_guard_is_inside_and_the_entry_has_the_function(clean):
    def swell(x, *, base=10000.0):
        """The smallest number times a large one."""
        return x * 2.0**1000, base

    function = registered("rotary", swell)
    entry = catalogue.ENTRIES["swell"]
    assert entry.function is function and guard.is_guarded(function) and guard.is_guarded(function.__wrapped__)
    assert list(entry.parameters) == ["x", "base"] and entry.defaults == {"base": 10000.0}
    assert function.__wrapped__.__wrapped__ is swell
    with pytest.warns(FutureWarning) as caught:
        assert function(5e-324, theta=2) == (2.0**-74, 2)
    assert caught[0].filename == __file__
    assert inspect.signature(function) == inspect.signature(swell)


def test_frequencies_remember_the_call_by_the_names_of_today(clean):
    def spread(dim, *, base=10000.0):
        """Frequencies as they are without scaling."""
        return refpos.inverse_frequencies.__wrapped__.__wrapped__(dim, base=base)

    function = registered("frequencies", spread)
    with pytest.warns(FutureWarning):
        made = function(8, theta=500.0)
    assert made.recipe == ("spread", (8,), {"base": 500.0})
    assert pickle.loads(pickle.dumps(made)).inv_freq.tolist() == made.inv_freq.tolist()
    with pytest.warns(FutureWarning):
        restored = refpos.steps.angles.frequencies._made("spread", (8,), {"theta": 500.0})  # an older pickle
    assert restored.inv_freq.tolist() == made.inv_freq.tolist()


def test_whoever_takes_a_call_takes_the_former_names(clean, monkeypatch):
    """compare, diagnose, bounds, emulations, pictures and assert_matches."""
    entry = catalogue.ENTRIES["sinusoidal"]
    function = renamed(theta="base", until="0.4")(entry.function)
    taken = replace(entry, function=function)
    monkeypatch.setitem(catalogue.ENTRIES, "sinusoidal", taken)
    table, of = (
        refpos.sinusoidal(4, 8, base=500.0),
        ("sinusoidal", {"dim": 8, "theta": 500.0}, {"positions": 4}, "float32"),
    )
    asked = (
        lambda: refpos.compare(table, function, 4, 8, theta=500.0).met == "correct",
        lambda: refpos.diagnose(table, function, 4, 8, theta=500.0).met == "correct",
        lambda: refpos.testing.assert_matches(table, function, 4, 8, theta=500.0) == "correct",
        lambda: "float32-angle" in refpos.conformance.bounds(*of),
        lambda: refpos.emulate.float32_angle(function, 4, 8, theta=500.0).shape == (4, 8),
        lambda: (calls.called("sinusoidal", {"positions": 4, "dim": 8, "theta": 500.0}).result == table).all(),
    )
    for call in asked:
        with pytest.warns(FutureWarning, match="theta of sinusoidal is called base") as caught:
            assert call()
        assert {said.filename for said in caught} == {__file__}
    assert taken.current({"dim": 8}) == {"dim": 8} and entry.current({"theta": 1}) == {"theta": 1}


def test_unused_it_costs_nothing():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, refpos; refpos.rope; print('refpos.deprecations' in sys.modules)"],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "False\n", done.stderr
    assert not hasattr(refpos.rope, "__renamed__") and refpos.rope.__code__.co_filename == "<guard of rope>"


def test_the_code_of_the_page_gives_former_names(clean, monkeypatch):
    page = (Path(__file__).resolve().parent.parent / "docs" / "deprecations.md").read_text()
    blocks = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 2 and deprecations.FUNCTIONS == {"counted_positions": ("position_counts", "0.4")}
    with pytest.warns(FutureWarning, match="theta of scaled_counts is called base"):
        assert names["scaled_counts"](3, theta=2) == (3, 2)


# -- in time ----------------------------------------------------------------------------------------------------------


def test_no_former_name_is_past_its_version():
    for module in pkgutil.walk_packages(refpos.__path__, "refpos."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    assert list(deprecations.due(refpos.__version__)) == []


@pytest.mark.parametrize(
    "version, sentences",
    [
        ("0.2.0", 0),
        ("0.2.7", 0),
        ("0.3.0", 1),
        ("0.4.0", 2),
        ("1.0.0", 2),
        ("0.1.9", 1),  # theta is promised for three minor versions
    ],
)
def test_former_names_that_are_due_are_named(version, sentences, swirl):
    anew()
    deprecations.ARGUMENTS.pop((f"{__name__}.plain", "y"))
    found = list(deprecations.due(version))
    assert len(found) == sentences
    assert any("function swirl is still called eddy" in one for one in found) == (version >= "0.3")
    assert any("base of test_deprecations.plain is still called theta" in one for one in found) == (version >= "0.4")
    assert np.all([len(one) < 150 for one in found])
