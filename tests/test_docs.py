"""The README and the documentation: their code runs, their tables are generated, their links and sums hold."""

import contextlib
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import refpos
from refpos import catalogue
from refpos.cli import listing
from refpos.conformance import CLASSES
from refpos.golden.flags import FLAGS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
ENCODINGS = ROOT / "docs" / "encodings.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page, language):
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


# -- generated parts --------------------------------------------------------------------------------------------------


def with_table(text):
    """The text with the table of encodings between its two marks."""
    table = "\n".join(listing.markdown(listing.by_family()))
    new, count = re.subn(
        r"(<!-- encodings -->\n).*?(<!-- /encodings -->)", lambda found: f"{found[1]}{table}\n{found[2]}", text, flags=re.DOTALL
    )
    assert count == 1
    return new


def with_sections(text):
    """The page of encodings with a section for each, from their docstrings."""
    head = text.partition("<!-- sections -->\n")[0]
    return head + "<!-- sections -->\n" + "\n".join(map(section, listing.by_family()))


def section(entry):
    facts = listing.facts(entry)
    return (
        f"## {entry.name}\n\nPaper: {entry.paper}. Conventions: {entry.conventions}.\n\n"
        f"```text\n{facts['signature']}\n\n{inspect.getdoc(entry.function)}\n```\n"
    )


def test_the_table_in_the_readme_is_that_of_the_catalogue():
    assert with_table(README.read_text()) == README.read_text(), "run: python tests/test_docs.py"


def test_the_page_of_encodings_is_that_of_the_catalogue():
    text = ENCODINGS.read_text()
    assert with_sections(with_table(text)) == text, "run: python tests/test_docs.py"


def test_every_encoding_has_its_heading():
    headings = re.findall(r"^## (\w+)$", ENCODINGS.read_text(), re.MULTILINE)
    assert headings == [entry.name for entry in listing.by_family()]
    assert set(headings) == set(catalogue.ENTRIES)


# -- code and commands of the README ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def readme_folder(tmp_path_factory):
    """A folder in which every Python block of the README has run, in order; and what each printed."""
    folder = tmp_path_factory.mktemp("readme")
    names, printed = {}, []
    before = Path.cwd()
    os.chdir(folder)
    try:
        for code in blocks(README, "python"):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, "README.md", "exec"), names)
            printed.append(output.getvalue())
    finally:
        os.chdir(before)
    return folder, printed


def test_the_code_of_the_readme_runs_and_says_what_it_prints(readme_folder):
    _, printed = readme_folder
    assert len(printed) >= 3
    shown = "".join(blocks(README, "text"))
    for output in filter(None, printed):
        assert output in shown, output


def test_the_first_example_has_about_ten_lines():
    code = [line for line in blocks(README, "python")[0].splitlines() if line.strip()]
    assert 8 <= len(code) <= 12


def test_the_example_is_what_the_formula_says():
    # cos and sin of position 131071 at the lowest frequency of a 128-wide rotary with base 500000, by mpmath
    from mpmath import mp, mpf, cos, sin

    with mp.workdps(40):
        angle = 131071 * mpf(500000) ** (-mpf(126) / 128)
        expected = np.float32(float(cos(angle))), np.float32(float(sin(angle)))
    found = refpos.rope_table([131071], refpos.inverse_frequencies(128, base=500000), dtype="float32")
    assert tuple(array[0, 63] for array in found) == expected


def transcripts():
    """(command, output as the README shows it, whether its numbers depend on the machine)."""
    text = README.read_text()
    found = re.findall(r"(<!-- numbers vary -->\n)?^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for varies, block in found:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output, bool(varies)


def run(command, folder):
    words = shlex.split(command)
    assert words[0] == "refpos", command
    environment = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, text=True)


def masked(text):
    """Text with every number and bit pattern replaced by one letter."""
    return re.sub(r"0x[0-9a-f]+|-?\d[\d.,]*(e[+-]?\d+)?", "N", text)


@pytest.mark.parametrize("command, expected, varies", transcripts(), ids=lambda value: value if isinstance(value, str) else "")
def test_the_readme_shows_what_the_commands_print(command, expected, varies, readme_folder):
    folder, _ = readme_folder
    done = run(command, folder)
    found = (done.stdout + done.stderr).replace(str(folder), "...")
    if varies:
        found, expected = masked(found), masked(expected)
    assert found == expected


def test_the_readme_has_transcripts():
    assert len(list(transcripts())) >= 3


def test_the_two_commands_stand_where_a_script_finds_them():
    text = README.read_text()
    found = re.findall(r"<!-- commands: (\w+) -->\n```sh\n(.*?)```", text, re.DOTALL)
    assert dict(found) == {
        "install": "pip install .\nrefpos generate golden\n",
        "test": 'pip install ".[test]"\npytest\n',
    }


# -- words and links --------------------------------------------------------------------------------------------------


def test_links_between_pages_resolve():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]*)[^)]*\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).is_file(), f"{page.name}: {target}"


def test_every_page_is_reached_from_the_readme():
    linked = set(re.findall(r"\((docs/[\w-]+\.md)\)", README.read_text()))
    assert linked == {f"docs/{page.name}" for page in PAGES[1:]}


def test_named_flags_classes_and_codes_exist():
    from refpos.errors import CODES

    for page in PAGES:
        text = page.read_text()
        assert set(re.findall(r"\bE_[A-Z_]+\b", text)) <= set(CODES), page.name
        hyphenated = set(re.findall(r"`((?:float|bfloat)\d+-[a-z-]+)`", text))
        assert hyphenated <= set(CLASSES), page.name
        # words of two capitals or more in code spans are flags or names of the package
        words = set(re.findall(r"`(?:refpos\.)?((?:[A-Z][a-z0-9]+){2,})`", text))
        assert words <= set(FLAGS) | set(refpos.__all__) | {"ValueError", "TypeError"}, page.name


def test_conventions_names_every_choice_of_the_package():
    from refpos.encodings import alibi, alibi_slopes, rope, sincos_2d, sinusoidal
    from refpos.layouts import LAYOUTS

    text = (ROOT / "docs" / "conventions.md").read_text()
    modules = {name: sys.modules[f"refpos.encodings.{name}"] for name in ("alibi", "alibi_slopes", "rope", "sincos_2d", "sinusoidal")}
    choices = [
        *LAYOUTS,
        *modules["rope"].PAIRINGS,
        *modules["sincos_2d"].AXIS_ORDERS,
        *modules["sinusoidal"].ODD_RULES,
        *modules["alibi"].MODES,
        *modules["alibi_slopes"].CONVENTIONS,
    ]
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
        elif row and row[1] == "total":
            yield terms, float(row[2])
        elif row:
            terms.append(float(row[2]))


def test_the_terms_of_every_bound_add_up_to_no_more_than_its_total():
    found = list(budgets())
    assert len(found) == 9
    for terms, total in found:
        assert len(terms) >= 2
        assert sum(2.0**-term for term in terms) <= 2.0**-total
        # and the total is no padding: a tenth of a bit more would not hold
        assert sum(2.0**-term for term in terms) > 2.0 ** -(total + 0.1001)


def test_the_radii_exceed_the_bounds_of_the_documentation():
    from refpos import tables

    totals = [total for _, total in budgets()]
    pairs, doubles, rotation_doubles, rotation_pairs = totals[-4:]
    assert tables.PAIR_RADIUS - 2.0**-79 > max(2.0**-pairs, 2.0**-rotation_pairs)
    assert tables.DOUBLE_RADIUS - 2.0**-53 > max(2.0**-doubles, 2.0**-rotation_doubles)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text()))
    ENCODINGS.write_text(with_sections(with_table(ENCODINGS.read_text())))
