"""docs/coverage.md: what each row says exists, and every preset, scaling and builder of positions has a row."""

import functools
import inspect
import re
import sys
from dataclasses import replace
from pathlib import Path

import coverage_derived
import evidence
import mutants_page
import numpy as np
import orders
import pages
import pytest
import test_mutants
import test_orders
from coverage_derived import SECTIONS
from coverage_lists import LISTS
from coverage_rows import COUNTS, MORE, NOT_COVERED
from witness import suites as witnesses
from witness.suites import KINDS, SOURCES, WITNESSES

from refpos import catalogue, models
from refpos.golden.cases import _models
from refpos.golden.read import DATA, Loaded, open_suite, read_lock
from refpos.golden.run import argument
from refpos.steps.waves import grids

LOCK = read_lock()  # with it documents are read and not checked again
TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "coverage.md"
ROWS = [row for _, rows in SECTIONS for row in rows]
BY_HAND = [(title, row) for title, rows in coverage_derived.BY_HAND for row in rows]
#: {library: version} of the real code
VERSIONS = {
    **dict(found.split() for found in {models.find(name).checked for name in models.names()} - {"formula"}),
    "gluonts": "0.17.0",
    "positional_encodings": "6.0.3",
    "timm": "1.0.31",
    "x_transformers": "2.31.10",
}
#: modules that test_config.py finds by their names and compares, each of them
FOUND = re.compile(r"\w*(Rotary|Rope|RoPE)\w*Embedding")
PAGES = {
    "claims": "claims.md",
    "plots": "plots.md",
    "conversion": "layouts.md",
    "from_config": "configs.md",
    "grid": "rotary.md",
    "coordinates": "rotary.md",
}


# -- every preset has golden cases ------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_every_preset_has_golden_cases_at_every_level():
    assert set(evidence.NAMED) == set(evidence.ROTATIONS) - set(evidence.OTHERS)
    assert set(evidence.TABLES) == set(evidence.ADDED)
    assert set(evidence.OTHERS) <= set(models.names())
    for name in models.names():
        for level, ids in evidence.cases_of(name).items():
            assert ids, f"{name} has no golden case of its {level}"
        for witness in evidence.witness_of(name):
            assert callable(evidence.witness(witness)), name


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(evidence.NAMED))
def test_the_golden_cases_of_a_preset_are_what_it_gives(name):
    row = evidence.NAMED[name]
    rotary = row.rotary
    assert (row.pairing, row.inverse) == (rotary.pairing, rotary.inverse)
    inputs, expected = loaded(f"rope_table/{row.slug}")
    where = positions_of(row, inputs)
    for found, held in zip(rotary.table(where, dtype="float32"), (expected["cos"], expected["sin"]), strict=True):
        assert np.array_equal(found.reshape(held.shape).view(np.uint32), held.view(np.uint32))
    inputs, expected = loaded(f"rope/{row.slug}")
    found = rotary.rotate(inputs["x"], positions_of(row, inputs))
    assert len(found) == 2 and np.array_equal(found.view(np.uint32), expected["output"].view(np.uint32))
    assert case_of(f"rope/{row.slug}").entry["source"] == rotary.source
    if row.coordinates:
        assert np.array_equal(made_at(name, row.where), loaded(f"grid_positions/{row.slug}")[1]["output"])
    elif row.where is not None:
        assert np.array_equal(made_at(name, row.where), row.at)


@pytest.mark.parametrize("name", evidence.TABLES)
def test_the_golden_case_of_a_table_is_what_its_model_gives(name):
    row = evidence.TABLES[name]
    id = f"{row.encoding.function}/{evidence.slug(name)}"
    inputs, expected = loaded(id)
    call = inspect.signature(catalogue.find(row.encoding.function).function).parameters
    options = {"dtype": "float32"} if "dtype" in call else {}  # a copy has the dtype of its weight
    found = row.encoding.table(**inputs, **row.where, **options)
    assert found.dtype == np.float32 and np.array_equal(found.view(np.uint32), expected["output"].view(np.uint32))
    assert case_of(id).entry["source"] == row.encoding.source


@pytest.mark.parametrize("name, where, coordinates", _models.ALONE, ids=[row[0] for row in _models.ALONE])
def test_positions_of_presets_without_a_row(name, where, coordinates):
    assert name in evidence.OTHERS
    assert np.array_equal(made_at(name, where), loaded(f"grid_positions/{evidence.slug(name)}")[1]["output"])


def made_at(name, where):
    """What the function of the positions of a preset gives, as an array."""
    named = isinstance(where, dict)
    return written_out(models.positions(name, **where) if named else models.positions(name, *where))


@functools.cache
def suite_of(name):
    """(a suite of the shipped corpus, its cases by id)."""
    suite = open_suite(DATA, name, LOCK)
    return suite, {entry["id"]: entry for entry in suite.document["cases"]}


def case_of(id):
    """`golden.load`, which reads the file of the suite each time."""
    suite, entries = suite_of(id.partition("/")[0])
    return Loaded(id, entries[id], **suite.tensors(entries[id]))


def loaded(id):
    """The input and output arrays of a golden case."""
    case = case_of(id)
    return [{name: tensor.values for name, tensor in side.items()} for side in (case.inputs, case.outputs)]


def positions_of(row, inputs):
    """The positions of a case as its tensors, or as the grid of its row."""
    return inputs["positions"] if "positions" in inputs else argument(row.at)


def written_out(positions):
    """The cells of a grid as an array, once more; other positions as they are, each axis on its own."""
    if not isinstance(positions, grids.Grid):
        return np.array([exact(axis) if hasattr(axis, "groups") else axis for axis in positions], np.float64)
    axes = [exact(axis) for axis in positions.axes]
    cells = [index.reshape(-1) for index in np.indices([len(axis) for axis in axes])]
    return np.array([[float(axis[k]) for k in index] for axis, index in zip(axes, cells, strict=True)])


def exact(axis):
    """The positions along one axis as fractions."""
    (group,) = axis.groups
    unit = axis.unit * 2**group.exponent if group.exponent >= 0 else axis.unit / 2**-group.exponent
    return [int(k) * unit for k in group.multipliers]


# -- the rows ---------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.id}-{row.what}")
def test_what_a_row_names_exists(row):
    assert (row.what and row.tests) or row.presets
    for name in row.calls.split():
        assert name in catalogue.ENTRIES or evidence.resolved(name, "refpos") is not None
    for name in row.presets.split():
        models.find(name)
    for pattern in row.cases.split():
        assert evidence.matching(pattern), f"{pattern} names no golden case"
    for name in row.witness.split():
        assert callable(evidence.witness(name))
    texts = {file: text_of(file) for file in row.tests.split()}
    for ran in row.ran.split():
        library, _, path = ran.partition(":")
        assert library in VERSIONS
        name = path.rpartition(".")[2]
        run = any(re.search(rf"\b{name}\b", text) for text in texts.values())
        assert run or ("test_config.py" in texts and FOUND.fullmatch(name)), f"no test runs {path}"
    assert bool(row.witness or row.presets) == bool(row.cases or row.presets), "cases have a witness"


def text_of(file):
    """The text of a test file, here and in frameworks."""
    found = [path.read_text() for path in (TESTS / file, TESTS / "frameworks" / file) if path.exists()]
    assert found, f"there is no {file}"
    return "\n".join(found)


def test_nothing_is_without_a_row():
    called = {name for row in ROWS for name in row.calls.split()}
    assert set(catalogue.ENTRIES) <= called, set(catalogue.ENTRIES) - called
    shown = {name for row in ROWS for name in row.presets.split()}
    missing = sorted(set(models.names()) - shown)
    assert not missing, f"tests/coverage_rows.py must have a row with presets={missing[0]!r}, then run this file"
    assert shown == set(models.names())


LIKE = ("linear", "sinusoidal", "rope", "alibi", "attention", "grid_positions", "resize_table", "onnx_rotary_embedding")


@pytest.mark.parametrize("name", LIKE)
def test_a_function_without_a_row_by_hand_gets_one(name, monkeypatch):
    entry = catalogue.ENTRIES[name]
    for known in (coverage_derived.WITNESSES, coverage_derived.RULES):
        if entry.name in known:
            monkeypatch.setitem(known, "spiral", known[entry.name])
    made = coverage_derived.sections([entry, replace(entry, name="spiral")])
    (row,) = [row for title, rows in made for row in rows if (title, row) not in BY_HAND]
    assert (row.calls, row.cases, row.what) == ("spiral", "spiral/*", entry.summary.rstrip("."))
    assert callable(evidence.witness(row.witness)) and (TESTS / row.tests).exists()
    assert len([rows for title, rows in made if title == coverage_derived.SECTION[entry.family] and row in rows]) == 1
    assert {catalogue.ENTRIES[one].family for one in LIKE} == set(catalogue.FAMILIES)


def test_every_convention_of_the_lists_has_a_row_or_is_named_as_not_covered():
    wanted = {f"{letter}{k + 1}" for letter, count in COUNTS.items() for k in range(count)} | MORE
    # letters may follow a number: C1a; a row of several, as E1-E15, stands beside theirs
    shown = {re.match(r"[A-Z]\d+", id)[0] for row in ROWS if row.id for id in row.id.split(", ") if "-" not in id}
    missing = {row.id for row in NOT_COVERED}
    assert shown | missing == wanted
    # what is missing altogether is known, so that a lost row is no surprise of the page
    assert missing - shown == {"G9", "H6"}
    assert all(row.what and row.why for row in NOT_COVERED)


def test_paths_that_do_not_exist_are_noticed():
    for path in ("conversion.reorders", "scalings.yarns", "nothing"):
        with pytest.raises(ImportError):
            evidence.resolved(path, "refpos")
    assert not evidence.matching("rope/nothing-*")


# -- the lists --------------------------------------------------------------------------------------------------------


def exists(name):
    """Whether a name is one of the catalogue, of the named models, or a path below refpos."""
    if name in catalogue.ENTRIES or name in models.names():
        return True
    try:
        return evidence.resolved(name, "refpos") is not None
    except ImportError:
        return False


def missing(row):
    """The names of a row that do not exist."""
    return [name for name in row.names.split() if not exists(name)]


def is_done(row):
    return bool(row.names) and not row.why and not missing(row)


def test_the_lists_are_complete():
    assert {(part, title): count for part, title, count, _ in LISTS} == {
        (part, title): len(rows) for part, title, _, rows in LISTS
    }
    totals = {kind: sum(count for part, _, count, _ in LISTS if part == kind) for kind in ("absolute", "relative")}
    assert totals == {"absolute": 87, "relative": 52}
    for _, title, _, rows in LISTS:
        assert len({(row.ids, row.what) for row in rows}) == len(rows), title
        for row in rows:
            assert row.tag in "CMNR-" and row.what and row.ids
            assert all(re.fullmatch(r"seed|[sv][A-N]\d+", number) for number in row.ids.split())
            assert row.names or row.why, f"{row.what}: names, or the reason why there are none"


@pytest.mark.exhaustive
def test_what_a_list_names_has_golden_cases():
    named = {name for *_, rows in LISTS for row in rows for name in row.names.split()}
    for name in sorted(named & set(catalogue.ENTRIES)):
        assert evidence.matching(f"{name}/*"), f"{name} has no golden case"
    for name in sorted(named & set(models.names())):
        assert all(evidence.cases_of(name).values()), f"{name} has no golden case"


def test_a_name_that_does_not_exist_leaves_a_row_open():
    row = LISTS[0][3][0]
    assert is_done(row)
    for other in ({"names": ""}, {"names": "sinusoidals"}, {"names": f"{row.names} sinusoidals"}, {"why": "a part"}):
        assert not is_done(row._replace(**other))
    assert "sinusoidals" in standing(row._replace(names="sinusoidals"))


# -- what witnesses were written from ---------------------------------------------------------------------------------


def test_every_witness_says_what_it_was_written_from():
    assert set(SOURCES) == set(WITNESSES)
    ordered = {suite for suite in SOURCES if "order" in kinds(suite)}
    assert ordered == set(orders.names()) | test_orders.LEFT, "an order is that of a function of the class sequence64"
    for suite, texts in SOURCES.items():
        assert set(kinds(suite)) - {"order"}, f"{suite}: no formula is taken from a page of refpos"
        for text in texts:
            assert not text.startswith("order: ") or (TESTS.parent / text.removeprefix("order: ")).exists(), suite
            assert not text.startswith("paper: ") or re.search(r" \d{4}(,|$)", text), f"{suite}: {text} has no year"
            assert not text.startswith("code: ") or re.search(r", \w[\w./-]*$|, [\w./-]+, [\w.]+$", text), (
                f"{suite}: {text}"
            )


def test_the_papers_of_witnesses_are_those_of_the_functions():
    for suite, texts in SOURCES.items():
        entry = catalogue.ENTRIES.get(suite)
        said = "" if entry is None else f"{entry.paper} {inspect.getdoc(entry.function)} {case_sources(suite)}"
        for text in texts:
            if text.startswith("paper: "):
                who = re.match(r"paper: (.*? \d{4})", text)[1]
                assert who in said, f"{suite}: {who}"


def case_sources(suite):
    """The sources of the golden cases of a suite, in one text."""
    return " ".join(str(case["source"]) for case in suite_of(suite)[1].values())


@pytest.mark.parametrize("source", ["", "page: encodings/absolute.md", "Vaswani et al. 2017", ("paper: ", "code: x")])
def test_a_witness_without_a_source_is_refused(source):
    with pytest.raises(AssertionError, match="a source must be one of paper"):
        witnesses.witness("spiral", source=source)
    with pytest.raises(TypeError, match="source"):
        witnesses.witness("spiral")


# -- the page ---------------------------------------------------------------------------------------------------------


def with_rows(text):
    """The page with its lists, after its introduction."""
    head = text.partition("<!-- rows -->\n")[0]
    sections = [section(title, rows) for title, rows in SECTIONS]
    return head + "<!-- rows -->\n" + "\n".join([*sections, listed(), mutants_page.section(), sources(), not_covered()])


def not_covered():
    """The table of what this package does not compute."""
    head = ["## Not covered", "", "| what it is | why it is not here |", "| --- | --- |"]
    rows = [f"| {evidence.escaped(row.what)} | {evidence.escaped(row.why)} |" for row in NOT_COVERED]
    return "\n".join([*head, *rows, ""])


def listed():
    """The count of each list, and the table of all rows."""
    lines = ["## Absolute and relative encodings, counted", ""]
    for kind in ("absolute", "relative"):
        parts = [(title, count, sum(map(is_done, rows))) for part, title, count, rows in LISTS if part == kind]
        each = "; ".join(f"{title.lower()} {done} of {count}" for title, count, done in parts)
        done, of = sum(done for *_, done in parts), sum(count for _, count, _ in parts)
        lines += [pages.wrapped(f"- **{kind}: {done} of {of}**. {each}."), ""]
    lines += ["| number | tag | what it is | computed by |", "| --- | --- | --- | --- |"]
    for _, title, _, rows in LISTS:
        lines.append(f"| | | **{title}** | |")
        lines += [f"| {', '.join(row.ids.split())} | {row.tag} | {row.what} | {standing(row)} |" for row in rows]
    return "\n".join([*lines, ""])


def standing(row):
    """What computes a row, or what it lacks."""
    if missing(row):
        return f"open: there is no {evidence.code(missing(row))}"
    names = [preset_link(name) if name in models.names() else link(name) for name in row.names.split()]
    return "; ".join([", ".join(names)] * bool(names) + [f"open: {row.why}"] * bool(row.why))


HEAD = ("convention", "computed by", "golden cases", "witness", "written from", "compared with", "tests")


def section(title, rows):
    lines = [f"## {title}", "", f"| {' | '.join(HEAD)} |", "| --- |" + " --- |" * (len(HEAD) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(cells(row))} |" for row in rows), ""])


def cells(row):
    """A convention: its calls, how many golden cases it has, their witness, what was run, and the tests that do it."""
    presets = row.presets.split()
    calls = [link(name) for name in row.calls.split()] + [preset_link(name) for name in presets]
    ids = evidence.matching(*row.cases.split())
    ids |= evidence.matching(*(f"*/{evidence.slug(name)}" for name in presets))
    ids |= evidence.matching(*(evidence.OTHERS[name][0] for name in presets if name in evidence.OTHERS))
    witnesses = [*row.witness.split(), *(evidence.witness_of(name)[0] for name in presets)]
    held = (str(len(ids)), evidence.code(dict.fromkeys(witnesses)), kinds_of(ids)) if ids else ("", "", "")
    return evidence.escaped(row.what), ", ".join(calls), *held, *against(row)


def kinds_of(ids):
    """The kinds of sources that the witnesses of golden cases were written from."""
    suites = {id.partition("/")[0] for id in ids}
    return ", ".join(kind for kind in KINDS if any(kind in kinds(suite) for suite in suites))


def kinds(suite):
    return [source.partition(": ")[0] for source in SOURCES[suite]]


def sources():
    """The table of what each witness was written from."""
    head = ["## Sources of the witnesses", "", "| golden cases of | written from |", "| --- | --- |"]
    rows = [f"| `{suite}` | {evidence.escaped('; '.join(SOURCES[suite]))} |" for suite in sorted(SOURCES)]
    return "\n".join([*head, *rows, ""])


def link(name):
    if name in catalogue.ENTRIES:
        return f"[`{name}`](encodings/{catalogue.ENTRIES[name].family}.md#{name})"
    page = PAGES.get(name.partition(".")[0])
    return f"[`{name}`]({page})" if page else f"`{name}`"


def preset_link(name):
    return f"[`{name}`](models.md#{models.find(name).name})"


def against(row):
    """What was run with its version, and the files that do it."""
    run = {}
    for ran in row.ran.split():
        library, _, path = ran.partition(":")
        place = ".".join(f"{library}.{path}".split(".")[-2:])
        run.setdefault(f"{library} {VERSIONS[library]}", []).append(place)
    said = [f"{what}: {evidence.code(names)}" for what, names in run.items()]
    kinds = {}
    for name in row.presets.split():
        kinds.setdefault(models.find(name).checked, []).append(name)
    for kind, names in kinds.items():
        if kind not in run:
            what = kind.replace("formula", "the formula")
            said.append(f"{what}: {evidence.code(names)}" if len(kinds) > 1 else what)
    rotations = [name for name in row.presets.split() if name in evidence.ROTATIONS]
    files = dict.fromkeys([*row.tests.split(), *["test_models.py"] * bool(rotations)])
    ran = f"{'; '.join(said or ['the formula'])}{f' ({row.note})' * bool(row.note)}"
    return evidence.escaped(ran), ", ".join(files)


@pytest.mark.exhaustive
def test_the_page_is_that_of_the_rows():
    assert with_rows(PAGE.read_text()) == PAGE.read_text(), "run: python tests/test_coverage.py"


def test_the_rows_of_named_models_are_made_from_calls():
    assert all(row.frequencies["function"] in catalogue.ENTRIES for row in _models.NAMED)
    assert len({row.slug for row in _models.NAMED}) == len(_models.NAMED)


if __name__ == "__main__":
    unexplained = list(test_mutants.unexplained(test_mutants.SUITES))
    if unexplained:
        sys.exit("\n".join(unexplained))
    PAGE.write_text(with_rows(PAGE.read_text()))
