"""What the catalogue knows of each function, and that none of its parts is missing: a sentence says which part, and the
file it belongs in."""

import doctest
import inspect
import re
from dataclasses import replace
from pathlib import Path

import float32
import missing as missing_parts
import numpy as np
import pytest
import unlocked
from missing import missing
from proving import REGISTER, WITNESSES
from witness import scalings, suites

import refpos
from refpos import catalogue
from refpos.conformance import bounds, registry
from refpos.golden import hardness, run
from refpos.golden.read import DATA, open_suite, read_lock

LOCK = read_lock()  # with it documents are read and not checked again


def test_nothing_is_missing():
    sentences = [sentence for entry in catalogue.ENTRIES.values() for sentence in missing(entry)]
    if sentences:
        pytest.fail("\n".join(sentences), pytrace=False)
    assert len(catalogue.ENTRIES) > 70 and len(registry.ERROR_BOUNDS) > 30


def test_nothing_is_left_of_what_is_gone():
    gradients = {entry.vjp.name: entry.vjp for entry in catalogue.ENTRIES.values() if entry.vjp}
    entries = {**catalogue.ENTRIES, **gradients}
    bound = set(registry.ERROR_BOUNDS)
    assert {*bound, *WITNESSES} <= set(entries) and {*hardness.EXACT_VALUES} <= set(catalogue.ENTRIES)
    reasons = {name for name, entry in entries.items() if registry.reason_for_none(entry)}
    exact = {name for name, entry in entries.items() if entry.exact}
    assert {*gradients} <= reasons | bound, "a gradient has a bound, or a reason for none"
    assert not reasons & bound and not reasons & exact and not bound & exact, "a bound, a reason, or nothing rounded"


@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_outputs_are_those_of_the_golden_cases(name):
    """And what is said to be whole, or copied bit by bit, is so."""
    entry, suite = catalogue.ENTRIES[name], open_suite(DATA, name, LOCK)
    cases = [case for case in suite.document["cases"] if "outputs" in case]
    assert cases and all(set(case["outputs"]) == set(entry.outputs_of(case["arguments"])) for case in cases)
    assert {output for case in cases for output in case["outputs"]} == set(entry.outputs)
    if entry.whole:
        assert {output["dtype"] for case in cases for output in case["outputs"].values()} == {"int64"}
    assert entry.copies is None or sum(copied(case, suite.tensors(case), entry.copies) for case in cases) > 5


@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_contracts_are_those_of_the_docstring_and_of_the_golden_cases(name):
    entry = catalogue.ENTRIES[name]
    says_order = re.search(r"`sequence64`|Rounding: all in float32", inspect.getdoc(entry.function)) is not None
    assert (entry.contract == "written") == says_order, "contract must be 'written' where the page has an order"
    assert (entry.contract == "copied") == (entry.copies is not None or name == "joined")
    outputs = [case["outputs"] for case in open_suite(DATA, name, LOCK).document["cases"] if "outputs" in case]
    dtypes = {output["dtype"] for one in outputs for key, output in one.items() if key != "axes"}
    integers = dtypes <= {"int64", "bool", "uint8"} and name not in suites.OF_8_BITS
    assert dtypes and (entry.contract == "integers") == integers, dtypes


def test_an_unknown_contract_is_refused():
    with pytest.raises(refpos.errors.InputError, match="contract must be one of once, written"):
        catalogue.register(family="absolute", paper="none", contract="nearly")


def copied(case, tensors, argument):
    """How many outputs were compared with the argument whose elements they hold; large ones are not at hand."""
    values = tensors["inputs"][argument].values
    held = {value.tobytes() for value in values.reshape(-1)}
    if case["arguments"].get("padding") in ("end", "zeros"):
        held.add(values.dtype.type(0).tobytes())
    outputs = [output for output in tensors["outputs"].values() if output is not None]
    assert all(value.tobytes() in held for output in outputs for value in output.values.reshape(-1)), case["id"]
    return len(outputs)


# -- what is said of a part that is missing ---------------------------------------------------------------------------


def spiral(dim, *, base=10000.0, factor):
    """A scaling that is nowhere but here."""


spiral.__module__ = "refpos.elsewhere.spiral"

PLANTED = {
    "frequencies": ("conformance/derivations/scalings.py (see linear)", "refpos/frequencies/spiral.py"),
    "absolute": ("conformance/derivations/tables.py (see sinusoidal)", "refpos/absolute/spiral.py"),
    "rotary": ("conformance/derivations/rotations.py (see rope)", "refpos/rotary/spiral.py"),
    "relative": ("conformance/derivations/biases.py (see alibi)", "refpos/relative/spiral.py"),
    "scores": ("conformance/derivations/attention.py (see attention)", "refpos/scores/spiral.py"),
    "tables": ("conformance/derivations/resizing.py (see resize_table)", "refpos/tables/spiral.py"),
    "operators": (
        "conformance/derivations/operators.py (see onnx_rotary_embedding)",
        "refpos/operators/spiral.py",
    ),
}


@pytest.mark.parametrize("family", PLANTED)
def test_what_is_missing_is_said_in_one_sentence_each_in_the_order_of_the_work(family):
    bound, file = PLANTED[family]
    found = list(missing(catalogue.Entry("spiral", family, "", "", spiral)))
    scaling = family == "frequencies"
    parts_in_order = [
        file,
        f"refpos/golden/cases/{family}/spiral.py",
        f'below @{"scaling" if scaling else "witness"}("spiral") in tests/proofs/spiral.py',
        f"refpos/conformance/derivations/{bound.split('/')[-1]}",
        f"below @{'makes_frequencies' if scaling else 'float32'}",
        "run python -m refpos.golden.lock --update minor --only-changed",
        "run python tests/announce.py spiral",
        f"refpos/{family}/__init__.pyi: run python tests/test_exports.py",
        f"docs/encodings/{family}.md: run python tests/test_docs.py",
        f"docs/galleries/{family}.md: run python tests/test_gallery.py spiral",
        "tests/mutants.json: run python tests/test_mutants.py spiral",
        "docs/sharpness.md: run python tests/test_float32.py spiral",
        "docs/coverage.md: run python tests/test_coverage.py",
    ]
    assert len(found) == len(parts_in_order)
    for part, sentence in zip(parts_in_order, found, strict=True):
        assert part in sentence and "\n" not in sentence and len(sentence) < 250


def test_too_few_golden_cases_are_said(monkeypatch):
    monkeypatch.setitem(missing_parts.LEAST, "frequencies", 500)
    module = missing_parts.discover.module_of("linear")
    monkeypatch.setattr(module, "CASES", [case for case in module.CASES if not case.refusal])
    few, none = missing_parts.cases(catalogue.ENTRIES["linear"])
    assert "golden cases with values of 500: add some to refpos/golden/cases/frequencies/linear.py, or LEAST = " in few
    assert none.endswith("add one to refpos/golden/cases/frequencies/linear.py")
    monkeypatch.setattr(module, "LEAST", 3, raising=False)
    assert list(missing_parts.cases(catalogue.ENTRIES["linear"])) == [none]


def test_a_golden_document_that_is_not_there_yet_is_one_sentence(monkeypatch):
    """tests/conftest.py puts it in the place of the traceback."""
    with pytest.raises(refpos.FileError) as caught:
        open_suite(DATA, "spiral")
    assert unlocked.about(caught.value) is None
    monkeypatch.setattr(unlocked.golden, "suite_names", lambda: ["rope", "spiral"])
    assert unlocked.about(caught.value) == unlocked.not_locked("spiral")
    with pytest.raises(refpos.FileError) as caught:
        open_suite("nowhere", "rope")
    assert unlocked.about(caught.value) is None


@pytest.mark.parametrize("family", PLANTED)
def test_the_files_that_the_sentences_name_exist(family):
    file, like = registry.FILE_OF_FAMILY[family]
    module = f"refpos.conformance.derivations.{file.removesuffix('.py')}"
    assert registry.ERROR_BOUNDS[like].__module__ == module
    assert catalogue.ENTRIES[like].family == family


def test_a_family_in_the_wrong_folder_is_named():
    entry = replace(catalogue.ENTRIES["linear"], family="rotary")
    sentence, *later = missing(entry)
    assert all("linear is not in " in one for one in later), "the pages of the other family"
    assert sentence == (
        "linear is registered with family='rotary' in refpos/frequencies/linear.py: move it to"
        " refpos/rotary/linear.py or register family='frequencies'"
    )


def test_a_reason_for_no_bound_is_enough():
    entry = catalogue.Entry("spiral", "rotary", "", "", spiral)
    assert any("error bound" in sentence for sentence in missing(entry))
    assert not any("error bound" in sentence for sentence in missing(replace(entry, no_error_bound="it is exact")))


def test_the_witness_says_what_is_missing():
    with pytest.raises(LookupError, match="spiral must have a witness: add its rule below @scaling in tests/proofs"):
        scalings.scaling_digits({"function": "spiral", "arguments": {"dim": 8}})


def test_bounds_say_what_is_missing(monkeypatch):
    """No KeyError on the way, whether the function is asked for or stands in another call."""
    entry = catalogue.Entry("spiral", "frequencies", "", "", refpos.linear)
    monkeypatch.setitem(catalogue.ENTRIES, "spiral", entry)
    given = {"dim": 8, "factor": 2}
    place = "refpos/conformance/derivations/scalings.py"
    wanted = f'spiral has no error bound: add one under @error_bound."spiral". in {place} .see'
    with pytest.raises(refpos.InputError, match=wanted) as caught:
        bounds("spiral", given, {}, "float32")
    assert caught.value.code == "E_CHOICE"
    recipe = {"function": "spiral", "arguments": given}
    with pytest.raises(refpos.InputError, match=wanted):
        bounds("rope_table", {"frequencies": recipe}, {"positions": 3}, "float32")
    with pytest.raises(refpos.InputError, match="path has no error bound: programs multiply its matrices in diff"):
        bounds("path", {}, {}, "float32")
    with pytest.raises(refpos.InputError, match="grid_positions has no error bound: positions are integers"):
        bounds("grid_positions", {}, {}, "float32")


# -- arguments --------------------------------------------------------------------------------------------------------


def test_defaults_are_those_of_the_signature(monkeypatch):
    """A default that changes in an encoding changes its bound; nothing repeats it."""
    call = {"num_heads": 8, "query_len": 3, "key_len": 5}
    before = bounds("alibi", {**call, "max_bias": 16}, {}, "float32")["float32-power"]["output"]
    assert (bounds("alibi", call, {}, "float32")["float32-power"]["output"] != before).any()
    entry = catalogue.ENTRIES["alibi"]
    parameters = dict(inspect.signature(entry.function).parameters)
    parameters["max_bias"] = parameters["max_bias"].replace(default=16)

    def changed(*args, **more):
        return entry.function(*args, **more)

    changed.__signature__ = inspect.Signature(list(parameters.values()))
    monkeypatch.setitem(catalogue.ENTRIES, "alibi", replace(entry, function=changed))
    assert (bounds("alibi", call, {}, "float32")["float32-power"]["output"] == before).all()


@pytest.mark.parametrize(
    "name, arguments, code, message",
    [
        ("alibi", {"num_heads": 8, "query_len": 3}, "E_MISSING", "key_len must be given for alibi, got none"),
        ("alibi", {"num_heads": 8, "query_len": 3, "key_len": 3, "max_bais": 4}, "E_CHOICE", "got 'max_bais'"),
        ("linear", {"dim": 8}, "E_MISSING", "factor must be given for linear, got none"),
        ("rope_table", {"positions": 3}, "E_MISSING", "dim or frequencies must be given for rope_table, got none"),
        ("rope_table", {"positions": 3, "frequencies": {"function": "linear", "arguments": {"dim": 8}}}, "E_MISSING",
         "factor must be given for linear, got none"),
        ("sinusoidal", {"dim": 4}, "E_MISSING", "positions must be given for sinusoidal, got none"),
        (["rope"], {}, "E_CHOICE", r"function_name must be one of \d+ names, such as 'add', "),
    ],
)  # fmt: skip
def test_calls_that_lack_an_argument_are_refused(name, arguments, code, message):
    with pytest.raises(refpos.InputError, match=message) as caught:
        bounds(name, arguments, {}, "float32")
    assert caught.value.code == code


def test_a_width_may_stand_for_the_frequencies_of_a_table():
    recipe = {"function": "inverse_frequencies", "arguments": {"dim": 8, "base": 500.0}}
    limits = [
        bounds("rope_table", arguments, {"positions": 9}, "float32")["float32-angle"]["sin"]
        for arguments in ({"frequencies": recipe}, {"dim": 8, "base": 500}, {"rotary_dim": 8, "base": 500})
    ]
    assert (limits[0] == limits[1]).all() and (limits[0] == limits[2]).all() and limits[0].any()
    x = {"x": np.ones((9, 16)), "positions": 9}
    by_rotation = [
        bounds("rope", {"pairing": "half", key: 8}, x, "float32")["float32-angle"]["output"]
        for key in ("dim", "rotary_dim")
    ]
    assert (by_rotation[0] == by_rotation[1]).all() and not by_rotation[0][:, 8:].any() and by_rotation[0][1:, :8].all()


def test_a_second_bound_for_a_function_is_refused():
    with pytest.raises(refpos.InputError, match="must have one error bound, got 'rope' twice"):
        registry.error_bound("rope")(spiral)


# -- the page ---------------------------------------------------------------------------------------------------------


def same_thrice(case, exact, program):
    """The values of a case are those of its witness, and nearly those of its float32 formula."""
    found = run.outputs_of(case)["output"]
    given = {"positions": run.inputs_of(case)["positions"].values, "count": case.arguments["count"]}
    assert np.array_equal(found.values.view(f"u{found.values.itemsize}"), exact(given, None, found.dtype)["output"])
    if found.dtype == "float32":
        assert 0 < abs(program(**given) - found.values).max() < 1e-4


def test_the_template_of_the_page_works(monkeypatch):
    """The files that docs/adding-an-encoding.md shows are an encoding: its example, cases and proof are true."""
    page = (Path(__file__).parents[1] / "docs" / "adding-an-encoding.md").read_text(encoding="utf-8")
    function, cases, proof = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    entries, witnesses, formulas = {**catalogue.ENTRIES}, {**WITNESSES}, {**REGISTER}
    for name in ("ENTRIES", "_entered"):
        monkeypatch.setattr(catalogue, name, entries)
    monkeypatch.setattr(suites, "WITNESSES", witnesses)
    monkeypatch.setattr(suites, "SOURCES", {**suites.SOURCES})
    monkeypatch.setattr(float32.registry, "REGISTER", formulas)
    module = {"__name__": "refpos.absolute.octaves", "__package__": "refpos.absolute"}
    exec(function, module)
    tests = doctest.DocTestFinder().find(module["octaves"], "octaves", globs=module)
    assert doctest.DocTestRunner().run(tests[0]) == (0, 1)
    suite = {"__package__": "refpos.golden.cases.absolute"}
    exec(cases, suite)
    exec(proof, {"__name__": "proofs.octaves"})
    assert len(suite["CASES"]) == 5
    for case in suite["CASES"]:
        assert run.refusal_of(case) == case.refusal
        if not case.refusal:
            same_thrice(case, witnesses["octaves"], formulas["octaves"].function)
    assert len(function.replace(module["octaves"].__doc__, "").splitlines()) < 40
    assert max(map(len, function.splitlines())) <= 120
    for family, (file, like) in registry.FILE_OF_FAMILY.items():
        assert f"| {family} | `refpos/conformance/derivations/{file}` | `{like}` |" in page
