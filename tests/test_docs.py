"""The README and the documentation: their code runs, their tables are generated, their links and sums hold."""

import contextlib
import doctest
import functools
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import lessons
import numpy as np
import pages
import pytest

import refpos
from refpos import catalogue, golden
from refpos.conformance import CLASSES
from refpos.golden.flags import FLAGS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
#: whose Python blocks and commands run one after the other, in a folder of their own
SESSIONS = {"docs/verify.md": ROOT / "docs" / "verify.md"}


def named(page):
    """The page as seen from the root, such as docs/rotary.md."""
    return page.relative_to(PAGES[0].parent).as_posix()


def blocks(page, language):
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


# -- generated pages --------------------------------------------------------------------------------------------------


def test_the_generated_pages_are_those_of_the_catalogue():
    below = pages.generated()
    assert set(below) == {pages.INDEX, *(pages.DOCS / "encodings").glob("*.md")}
    for page, text in below.items():
        assert pages.with_generated(page.read_text(), text) == page.read_text(), "run: python tests/test_docs.py"


def test_the_promise_lists_the_functions_of_each_contract():
    page = pages.NUMBERS.read_text()
    assert pages.with_contracts(page) == page, "run: python tests/test_docs.py"
    listed = re.findall(r"^- \*\*(?:.|\n  )*", page.partition(pages.BEGIN)[2].partition(pages.END)[0], re.MULTILINE)
    names = [re.findall(r"\[`(\w+)`\]", part) for part in listed]
    assert sorted(name for part in names for name in part) == sorted(catalogue.ENTRIES) and all(names)
    with pytest.raises(AssertionError, match="must hold the lines"):
        pages.with_contracts("# A page")


def test_every_encoding_has_its_section_in_the_page_of_its_family():
    headings = {
        heading: page.stem
        for page in (pages.DOCS / "encodings").glob("*.md")
        for heading in re.findall(r"^## (\w+)$", page.read_text(), re.MULTILINE)
    }
    assert headings == {name: entry.family for name, entry in catalogue.ENTRIES.items()}


def test_a_page_without_its_mark_is_refused():
    with pytest.raises(AssertionError, match="must hold the line"):
        pages.with_generated("# A page", "text")


def test_formulas_and_examples_of_a_section_stand_in_blocks():
    section = pages.section(catalogue.find("alibi"))
    assert "\n\n```text\ncausal:    slope_h (j - i) for j <= i, -inf for j > i\n" in section
    assert "\n\n```pycon\n>>> alibi(1, 3, 3, mode=" in section and section.endswith("]]])\n```\n")
    assert pages.escaped("2**53 of `a**b`, _name and j < i") == r"2\*\*53 of `a**b`, \_name and j \< i"


# -- code and commands of the pages -----------------------------------------------------------------------------------


def execute(folder, page):
    """Run every Python block of a page in a folder, in order; what each printed. Those of the README share no name."""
    names, printed, before = {}, [], Path.cwd()
    os.chdir(folder)
    try:
        for code in blocks(page, "python"):
            names = {} if page == README else names
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, page.name, "exec"), names)
            printed.append(output.getvalue())
    finally:
        os.chdir(before)
    return printed


@pytest.fixture(scope="module", params=SESSIONS)
def session(request, tmp_path_factory):
    """A page, a folder in which every Python block of it has run, and what each printed."""
    page, folder = SESSIONS[request.param], tmp_path_factory.mktemp("page")
    return page, folder, execute(folder, page)


@pytest.mark.exhaustive
def test_the_code_of_a_session_prints_what_its_page_shows(session):
    page, _, printed = session
    assert [output for output in printed if output] == blocks(page, "text") != []


# the block of golden-format.md is a program with arguments, which test_golden.py runs
OTHERWISE = {*SESSIONS, "docs/golden-format.md"}
# dask is of the frameworks, and the calls of docs/read.md take seconds
RUN_ELSEWHERE = {"docs/dask.md": pytest.mark.frameworks, "docs/read.md": pytest.mark.exhaustive}
RUNNING = [
    pytest.param(page, marks=RUN_ELSEWHERE.get(named(page), ()))
    for page in PAGES
    if blocks(page, "python") and named(page) not in OTHERWISE
]


@pytest.mark.parametrize("page", RUNNING, ids=named)
def test_the_code_of_a_page_prints_what_the_page_shows(page, tmp_path):
    assert [output for output in execute(tmp_path, page) if output] == blocks(page, "text")


def test_the_first_example_has_about_ten_lines():
    code = [line for line in blocks(README, "python")[0].splitlines() if line.strip()]
    assert 8 <= len(code) <= 12


def test_the_example_is_what_the_formula_says():
    # cos and sin of position 131071 at the lowest frequency of a 128-wide rotary with base 500000, by mpmath
    from mpmath import cos, mp, mpf, sin

    with mp.workdps(40):
        angle = 131071 * mpf(500000) ** (-mpf(126) / 128)
        expected = np.float32(float(cos(angle))), np.float32(float(sin(angle)))
    found = refpos.rope_table([131071], refpos.inverse_frequencies(128, base=500000), dtype="float32")
    assert tuple(array[0, 63] for array in found) == expected


CONSOLE = re.compile(r"(<!-- numbers vary -->\n)?^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def transcripts(text):
    """(command, output as a page shows it, whether values in it depend on the machine)."""
    for block in CONSOLE.finditer(text):
        for part in re.split(r"^\$ ", block[2], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output, bool(block[1])


def run(command, folder):
    """What a command prints to both streams, with the folder as three dots."""
    words = shlex.split(command)
    assert words[0] == "refpos", command
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": os.path.dirname(os.path.dirname(refpos.__file__))}
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    errors = [line for line in done.stderr.splitlines(True) if " kernels, " not in line]
    return (done.stdout + "".join(errors)).replace(str(folder), "...")


#: what a report says of the values of a failing case: how many are off, where the worst is, what it is
VALUES = re.compile(
    r"^  (?P<off>[\d,]+) of [\d,]+ elements of \w+ off$"
    r"|^  worst at (?P<worst>\[[\d, ]*\], [\d,]+ ulp, [\d.e+-]+):$"
    r"|^    (?:got     |expected)  (?P<value>[\d.e+-]+ +0x[0-9a-f]+)$",
    re.MULTILINE,
)


def masked(text):
    """Text with what may depend on the machine as one letter: the values of failing cases, and no count of cases."""
    return VALUES.sub(lambda found: found[0].replace(found[found.lastgroup], "N", 1), text)


@pytest.mark.exhaustive
def test_a_session_shows_what_its_commands_print(session):
    page, folder, _ = session
    shown = list(transcripts(page.read_text()))
    assert shown
    for command, expected, varies in shown:
        output = run(command, folder)
        same = masked if varies else str
        assert same(output) == same(expected), command


def test_the_transcripts_show_a_whole_corpus_and_one_wrong_call():
    assert lacking(SESSIONS["docs/verify.md"].read_text(), README.read_text()) == []


def lacking(verify, readme):
    """What the two pages are there to show and do not, as where they were written anew after a mistake."""
    count = len(golden.cases(tier="core"))
    shown = (
        (verify, f"wrote {count} golden cases of tier core"),
        (verify, f"ran {count} of {count}: every case meets correct"),
        (verify, "every case meets float32-angle"),
        (verify, "  3 cases: your numbers are those of emulate.bfloat16_inv_freq"),
        (readme, "passed: every case meets float32-angle"),
    )
    return [words for text, words in shown if words not in text]


def test_masking_leaves_the_words_and_the_counts():
    text = "  177 of 208 elements of float32 off\n  worst at [25, 3], 2,130 ulp, 1.99e-07:\n"
    text += "    got       -0.99  0xbf7ec906\n    expected  0.9     0x3f7fec1a\nran 3 of 3: 3 differ\n"
    plain = "  N of 208 elements of float32 off\n  worst at N:\n"
    plain += "    got       N\n    expected  N\nran 3 of 3: 3 differ\n"
    assert masked(text) == plain


def test_every_command_of_a_page_is_in_a_block_that_is_run():
    for page in PAGES:
        text = page.read_text()
        shown = list(transcripts(text))
        assert len(re.findall(r"^\s*\$ ", text, re.MULTILINE)) == len(shown), named(page)
        assert len(blocks(page, "console")) == len(CONSOLE.findall(text)) <= len(shown), named(page)
        assert all(output.strip() for _, output, _ in shown), named(page)


#: the kinds of blocks of a page, each of which some test runs, compares or reads
KINDS = {
    "README.md": {"python", "sh", "text"},
    "docs/absolute.md": {"python", "text"},
    "docs/attention.md": {"python", "text"},
    "docs/adding-an-encoding.md": {"py"},  # tests/test_catalogue.py
    "docs/citing.md": {"bibtex"},
    "docs/claims.md": {"python", "text"},
    "docs/names.md": {"python", "text"},
    "docs/texts.md": {"python", "text"},
    "docs/conformance.md": {"py", "python", "text"},  # py: tests/frameworks/test_conformance_page.py
    "docs/configs.md": {"console", "json", "python", "text"},
    "docs/contributing.md": {"sh"},
    "docs/conventions.md": {"python", "text"},
    "docs/formulas.md": {"math"},  # the site renders it without a warning
    "docs/deprecations.md": {"py"},  # tests/test_deprecations.py
    "docs/diagnose.md": {"python", "sh", "text"},
    "docs/emulations.md": {"python", "text"},
    "docs/dask.md": {"python", "sh", "text"},
    "docs/golden-format.md": {"python"},
    "docs/batches.md": {"python", "text"},
    "docs/certificates.md": {"sh", "text"},  # tests/test_certificates.py
    "docs/check.md": {"py", "python", "sh", "text"},  # py: tests/frameworks/test_check.py, sh: tests/test_check.py
    "docs/gradients.md": {"python", "text"},
    "docs/graphs.md": {"python", "text"},
    "docs/layouts.md": {"python", "text"},
    "docs/memory.md": {"python", "text"},
    "docs/models.md": {"pycon"},
    # tests/frameworks/test_dump.py and test_releases.py; the command of keras-hub by hand
    "docs/frameworks.md": {"py", "sh", "text", "yaml"},
    "docs/numbers.md": {"python", "text"},
    "docs/operators.md": {"python", "text"},
    "docs/performance.md": {"sh"},
    "docs/orders.md": {"text"},  # tests/test_orders.py
    "docs/platforms.md": {"sh"},
    "docs/readers.md": {"c", "js", "python", "sh", "text"},  # tests/frameworks/test_readers.py
    "docs/plots.md": {"py", "python", "sh", "text"},  # py and sh: tests/frameworks/test_plots.py
    "docs/relative.md": {"python", "text"},
    "docs/releasing.md": {"sh"},  # the options: tests/test_release.py, tests/test_changelog.py
    "docs/reports.md": {"json", "python", "sh", "text", "yaml"},  # tests/test_report_commands.py
    "docs/read.md": {"python", "sh", "text"},
    "docs/rotary.md": {"python", "text"},
    "docs/tables.md": {"python", "text"},
    "docs/time.md": {"python", "text"},
    "docs/tour.md": {"python", "text"},
    "docs/testing.md": {"py", "python", "text", "yaml"},  # tests/test_testing.py, tests/frameworks/test_testing.py
    "docs/usage.md": {"python", "text"},
    "docs/verify.md": {"console", "python", "sh", "text"},
    # py: tests/frameworks/test_lessons.py
    **{f"docs/lessons/{page.name}": {"py", "python", "text"} for page in lessons.PAGES},
    "docs/lessons/sinusoid.md": {"math", "py", "python", "text"},
    "docs/lessons/rotation.md": {"math", "py", "python", "text"},
    "docs/exhaustive.md": {"python", "sh", "text"},
    "docs/lessons/complex-numbers.md": {"math", "py", "python", "text"},
    "docs/lessons/relative-biases.md": {"math", "py", "python", "text"},
    "docs/lessons/images.md": {"math", "py", "python", "text"},
    **{f"docs/encodings/{family}.md": {"pycon", "text"} for family in catalogue.FAMILIES},
}


def test_every_block_is_of_a_kind_that_a_test_reads():
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```+|~~~+)(.*)$", page.read_text(), re.MULTILINE)
        assert not any(fences[1::2]) and len(fences) % 2 == 0, named(page)
        assert set(fences[::2]) == KINDS.get(named(page), set()), named(page)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=named)
def test_the_examples_of_a_page_give_what_they_show(page):
    """Each after `import numpy as np` and `from refpos import *`, and that of the family, as the pages say."""
    names = {"np": np} | {name: getattr(refpos, name) for name in refpos.__all__}
    if page.parent.name == "encodings":
        family = getattr(refpos, page.stem)
        names |= {name: getattr(family, name) for name in family.__all__}
    for text in blocks(page, "pycon"):
        assert ">>> " in text
        example = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
        failed, ran = doctest.DocTestRunner().run(example, clear_globs=False)
        assert ran and failed == 0, "the captured output says where"
        names = example.globs


def test_the_commands_stand_where_a_script_finds_them():
    text = README.read_text()
    found = re.findall(r"<!-- commands: (\w+) -->\n```sh\n(.*?)```", text, re.DOTALL)
    assert dict(found) == {
        "install": "pip install .\nrefpos generate golden\n",
        "test": 'pip install ".[test]"\npytest -n auto\n',
        "rest": 'pip install ".[test,frameworks]"\npip install --no-deps timm==1.0.31\n'
        'pytest -n auto -m "not long and (exhaustive or frameworks)"\n',
    }


def test_the_readme_names_the_pythons_of_the_metadata():
    metadata = (ROOT / "pyproject.toml").read_text()
    minors = sorted(map(int, re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', metadata)))
    assert f"Python 3.{minors[0]} to 3.{minors[-1]}, NumPy" in README.read_text()
    assert minors == list(range(minors[0], minors[-1] + 1)) and f'requires-python = ">=3.{minors[0]}"' in metadata


def test_the_changelog_begins_with_the_values_of_this_package():
    lock = json.loads((Path(refpos.__file__).parent / "golden" / "lock.json").read_text())
    suites = {id.partition("/")[0] for id in lock["cases"]}
    newest = re.search(r"^\| (\d[\d.]*) \| ([^|]*) \|", (ROOT / "docs" / "changelog.md").read_text(), re.MULTILINE)
    assert newest.groups() == (lock["values_version"], f"{len(lock['cases'])} in {len(suites)} suites"), (
        "docs/changelog.md must begin with the row of these values: python tests/announce.py NAME (function or model)"
    )


CITATION = ROOT / "docs" / "citing.md"


def with_versions(text):
    """The page on citing with the versions of now."""
    text = re.sub(r"(?<=version = \{)[^}]*", refpos.__version__, text)
    return re.sub(r"(?<=\{values )[^}]*", golden.VALUES_VERSION, text)


def test_the_citation_names_the_versions():
    (block,) = blocks(CITATION, "bibtex")
    assert f"version = {{{refpos.__version__}}}," in block and f"{{values {golden.VALUES_VERSION}}}" in block, (
        "run: python tests/test_docs.py"
    )


# -- words and links --------------------------------------------------------------------------------------------------


@functools.cache
def anchors(text):
    """What a link may name in a page of that text: its headings, in small letters with hyphens, without marks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\]\([^)]*\)", "]", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def links(page):
    """(file, anchor) of the relative links and pictures of a page, outside of its blocks."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`(?!\])", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(\s*([^)\s]*)\s*\)", text):
        if not re.match(r"https?://", target):
            file, _, anchor = target.partition("#")
            yield (page.parent / file).resolve() if file else page, anchor


def broken(page):
    """The links of a page that lead nowhere."""
    for file, anchor in links(page):
        if not file.is_file() or (anchor and anchor not in anchors(file.read_text())):
            yield f"{named(page)}: {file.name}#{anchor}"


def test_every_link_leads_to_a_page_and_to_a_heading_of_it():
    assert [link for page in PAGES for link in broken(page)] == []
    assert sum(len(list(links(page))) for page in PAGES) > 200


@pytest.mark.parametrize("target", ["docs/nothing.md", "docs/rotary.md#nothing", "#nothing", "docs"])
def test_a_link_that_leads_nowhere_is_noticed(target, tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    monkeypatch.setattr(sys.modules[__name__], "PAGES", [page])
    page.write_text(f"# Here\n\n[one](docs/rotary.md#several-axes), [two](#here), [three]({target})\n")
    assert len(list(broken(page))) == 1


def chance_items(text):
    """Lines that are read as items of a list because a paragraph was broken before a plus or a number."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    last = 0
    for line in text.splitlines():
        mark = re.match(r" *(\+|(\d+)[.)]) ", line)
        if mark and not (mark[2] and int(mark[2]) in (1, last + 1)):
            yield line
        last = int(mark[2]) if mark and mark[2] else last


def test_no_paragraph_becomes_a_list_by_chance():
    assert {
        named(page): list(chance_items(page.read_text())) for page in PAGES if any(chance_items(page.read_text()))
    } == {}
    assert list(chance_items("the sum s = a\n+ b, and divides\n12. The rest\n\n1. one\n2. two\n")) == [
        "+ b, and divides",
        "12. The rest",
    ]


def listed_on_the_site(text):
    """The pages that the tables of contents of a page list."""
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in filter(None, map(str.strip, block.splitlines())):
            if not line.startswith(":"):
                yield line.rpartition("<")[2].rstrip(">")


def test_every_page_is_in_a_table_of_contents_of_the_site():
    folder = ROOT / "docs"
    listed = {name for page in folder.rglob("*.m*") for name in listed_on_the_site(page.read_text())}
    pages = {page.relative_to(folder).with_suffix("").as_posix() for page in folder.rglob("*.md")}
    assert pages - listed == {"README", "tour"} and listed - pages == {"start", "contents", "browser"}
    assert [*listed_on_the_site("```{toctree}\n:hidden:\n\nusage\n1 A page <lessons/one>\n```\nconfigs")] == [
        "usage", "lessons/one",
    ]  # fmt: skip


def test_every_page_is_reached_from_the_readme_by_way_of_the_index():
    top = PAGES[0].parent.resolve()
    index = top / "docs" / "README.md"
    assert index in {file for file, _ in links(PAGES[0])}
    assert {page.resolve() for page in PAGES} - {file for file, _ in links(index)} == {index, top / "README.md"}


def test_named_flags_classes_and_codes_exist():
    from refpos.errors import CODES

    for page in PAGES:
        text = page.read_text()
        assert set(re.findall(r"\bE_[A-Z_]+\b", text)) <= set(CODES), page.name
        hyphenated = set(re.findall(r"`((?:float|bfloat)\d+-[a-z-]+)`", text))
        assert hyphenated <= set(CLASSES), page.name
        # words of two capitals or more in code spans are flags or names of the package
        words = set(re.findall(r"`(?:refpos\.)?((?:[A-Z][a-z0-9]+){2,})`", text))
        errors = {"ValueError", "TypeError", "FloatingPointError", "ImportError", "FutureWarning"}
        assert words <= set(FLAGS) | set(refpos.__all__) | errors, page.name


def test_conventions_names_every_choice_of_the_package():
    text = (ROOT / "docs" / "conventions.md").read_text()
    lists = "steps.waves.tables.LAYOUTS", "rotary.rope.PAIRINGS", "absolute.sincos_2d.AXIS_ORDERS"
    lists += "absolute.sinusoidal.ODD_RULES", "relative.alibi.MODES", "relative.alibi_slopes.CONVENTIONS"
    choices = []
    for place in lists:
        module, _, name = place.rpartition(".")
        choices += getattr(sys.modules[f"refpos.{module}"], name)
    for choice in choices:
        assert f'`"{choice}"`' in text, choice


# -- the inequality ---------------------------------------------------------------------------------------------------


def budgets():
    """Each table of error terms in docs/numbers.md: (terms, total), as exponents of 1/2."""
    terms = []
    for line in (ROOT / "docs" / "numbers.md").read_text().splitlines():
        row = re.fullmatch(r"\| (.*) \| 2\^-([\d.]+) \|", line)
        if line.startswith("| term"):
            terms = []
        elif row and row[1].startswith("total, "):
            yield terms, float(row[2])
            terms = []
        elif row:
            terms.append(float(row[2]))


def test_the_terms_of_every_bound_add_up_to_no_more_than_its_total():
    found = list(budgets())
    assert len(found) == 32
    for terms, total in found:
        assert len(terms) >= 2
        assert sum(2.0**-term for term in terms) <= 2.0**-total
        # and the total is no padding: a tenth of a bit more would not hold
        assert sum(2.0**-term for term in terms) > 2.0 ** -(total + 0.1001)


def test_the_radii_exceed_the_bounds_of_the_documentation():
    from refpos.steps.angles import small_angles
    from refpos.steps.waves import rotation, scaled_rotation, tables

    totals = [2.0**-total for _, total in list(budgets())[:-2]]  # the last are those of exp
    seed = totals[4]
    pairs, ends, multiplied_seeds, multiplied_pairs, multiplied_ends, doubles, rotated_doubles, *rest = totals[-21:]
    rotated_pairs, rotated_registers, rotated_closely, multiplied_rotation, multiplied_registers, *rest = rest
    powered_doubles, powered_pairs, *single, small, small_cosines = rest
    # adding a radius rounds too
    assert tables.PAIR_RADIUS > pairs + 2.0**-79
    assert tables.PAIR_RADIUS > ends  # of which the radius is part
    assert tables.PAIR_RADIUS > multiplied_pairs + 2.0**-77.1
    assert tables.PAIR_RADIUS > multiplied_ends
    assert 2.0**0.5 * (seed + multiplied_seeds) <= 2.0**-75.5
    assert tables.DOUBLE_RADIUS > doubles + 2.0**-53
    assert rotation.PAIR_RADIUS > rotated_pairs + 2.0**-77.6
    assert rotation.PAIR_RADIUS > rotated_registers + 2.0**-78
    assert rotation.PAIR_RADIUS > multiplied_rotation + 2.0**-76.9
    assert rotation.PAIR_RADIUS > multiplied_registers + 2.0**-77.2
    assert sum(2.0 ** -terms[0] == multiplied_seeds for terms, _ in budgets()) == 2
    assert rotation.DOUBLE_RADIUS > rotated_doubles + 2.0**-53
    assert scaled_rotation.PAIR_RADIUS > powered_pairs + 2.0**-77.6
    assert scaled_rotation.DOUBLE_RADIUS > powered_doubles + 2.0**-53
    assert small_angles.RADIUS > max(small, small_cosines) + 2.0**-81
    assert tables.SEED_RADIUS > seed + 2.0**-106
    assert rotation.CLOSER_RADIUS > rotated_closely + 2.0**-106
    # as multiples of these the vector code has the error radii of float32
    header = (ROOT / "ext" / "rows.h").read_text()
    reach = {name: float.fromhex(value) for name, value in re.findall(r"#define (\w+) (0x[\d.]+p\d+)", header)}
    fused, table, turned_fused, turned, split = single
    assert tables.DOUBLE_RADIUS * reach["SUM_FUSED"] > fused * (1 + 2.0**-20)
    assert tables.DOUBLE_RADIUS * reach["SUM_SINGLE"] > table * (1 + 2.0**-20)
    assert rotation.DOUBLE_RADIUS * reach["ROTATE_FUSED"] > turned_fused * (1 + 2.0**-20)
    assert rotation.DOUBLE_RADIUS * reach["ROTATE_SINGLE"] > turned * (1 + 2.0**-20)
    least = rotation.DOUBLE_RADIUS * reach["ROTATE_SPLIT"]
    assert 2.0**-23 + split / least < 2.0**-22


def with_transcripts(page, folder):
    """A page with what its code and commands print now; where numbers vary, only if more than those do."""
    printed = iter([output for output in execute(folder, page) if output])
    block = re.compile(r"^```text\n.*?^```$", re.MULTILINE | re.DOTALL)
    text = block.sub(lambda _: f"```text\n{next(printed)}```", page.read_text())

    def again(block):
        parts = [(command, run(command, folder), output) for command, output, _ in transcripts(block[0])]
        kept = (f"$ {c}\n{old if block[1] and masked(old) == masked(new) else new}" for c, new, old in parts)
        return f"{block[1] or ''}```console\n{''.join(kept)}```"

    return CONSOLE.sub(again, text)


if __name__ == "__main__":
    import tempfile

    texts = {}
    for page in SESSIONS.values():
        with tempfile.TemporaryDirectory() as folder:
            texts[page] = with_transcripts(page, folder)
    missing = lacking(texts[SESSIONS["docs/verify.md"]], README.read_text())
    assert not missing, missing
    for page, text in texts.items():
        page.write_text(text)
    for page, text in pages.generated().items():
        page.write_text(pages.with_generated(page.read_text(), text))
    pages.NUMBERS.write_text(pages.with_contracts(pages.NUMBERS.read_text()))
    CITATION.write_text(with_versions(CITATION.read_text()))
