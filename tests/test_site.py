"""What the site adds to the pages of docs: a page for each function, tables that filter, scripts of its own. No Sphinx
is needed here; `.ci/run` builds the site."""

import ast
import builtins
import doctest
import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pages
import pytest

from refpos import catalogue, public

sys.path.insert(0, str(pages.DOCS / "site"))

import function_pages

SITE = pages.DOCS / "site"

#: sections of every page of a function
ALWAYS = ("Formula", "Traps", "Example", "Parameters", "Returns", "Raises", "Compared with", "References", "Source")
LONG = ("models", "model-types", "coverage", "performance", "encodings")


def sections(text):
    """{title: the text below it} of a page, that of the page first."""
    head, *parts = re.split(r"^##? (.*)$\n", text, flags=re.MULTILINE)
    assert not head
    return {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def lacking(name, text):
    """What the page of a function lacks, a sentence each."""
    found, entry = sections(text), catalogue.find(name)
    if next(iter(found)) != name or entry.summary.partition(" ")[0] not in found.get(name, ""):
        yield f"the page must begin with {name} and its summary"
    if f"(../gallery/{name}.svg)" not in text:
        yield "the page must show its picture"
    yield from (f"the page must have the section {one}" for one in ALWAYS if not found.get(one))
    listed = re.findall(r"^- ((?:`\w+`(?:, )?)+) \(", found.get("Parameters", ""), re.MULTILINE)
    names = [one for names in listed for one in re.findall(r"\w+", names)]
    if names != list(entry.parameters):
        yield f"the parameters must be {list(entry.parameters)}, got {names}"


@pytest.fixture(scope="module")
def texts():
    return {name: function_pages.page_of(entry) for name, entry in catalogue.ENTRIES.items()}


#: of which no golden case tells a mistake
WITHOUT_TRAPS = {"path_edge_rows"}


def test_every_function_has_a_page_with_all_it_needs(texts):
    assert len(texts) > 190 and set(texts) == set(catalogue.ENTRIES)
    found = {name: list(lacking(name, text)) for name, text in texts.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {
        name: ["the page must have the section Traps"] for name in WITHOUT_TRAPS
    }


@pytest.mark.parametrize(
    "pattern, said",
    [
        (r"^# rope$", "begin with rope"),
        (r"gallery/rope", "picture"),
        (r"^## Raises$", "Raises"),
        (r"`rotary_dim` \(", "parameters must be"),
    ],
)
def test_what_a_page_lacks_is_named(texts, pattern, said):
    broken = re.sub(pattern, lambda found: found[0].swapcase(), texts["rope"], flags=re.MULTILINE)
    assert broken != texts["rope"] and said in "; ".join(lacking("rope", broken))


def free_names(code):
    """Names that a program reads and does not make."""
    tree, known = ast.parse(code), {*dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            known.add(node.name)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - known


def program_of(text):
    """What a reader copies of the example of a page."""
    return "".join(one.source for one in doctest.DocTestParser().get_examples(sections(text)["Example"]))


def test_examples_run_alone(texts):
    assert {name: free_names(program_of(text)) for name, text in texts.items()} == {name: set() for name in texts}
    for name in ("rope", "qwen2_vl_positions", "window_rows", "round_mxfp8"):
        exec(program_of(texts[name]), {})
    assert free_names("import numpy as np\nx = np.ones(3)\nrope(x, y)") == {"rope", "y"}


CORE = [name for name in catalogue.ENTRIES if public.is_core(name)]


def without_a_tab(texts):
    """The tabs that the pages of core functions lack: a formula, a program or why there is none, and mistakes."""
    wanted = {"Formula": r"```math|\$", "NumPy": r"```python\n(@|def )|\]\(#source\)", "Traps": r"- \*\*"}
    for name in CORE:
        shown = sections(texts[name])
        yield from ((name, tab) for tab, pattern in wanted.items() if not re.search(pattern, shown.get(tab, "")))
        reason, program = function_pages.WITHOUT_TORCH.get(name), f"```python\ndef {name}("
        if (shown.get("torch") != reason) if reason else (program not in shown.get("torch", "")):
            yield name, "torch"


def test_core_functions_have_programs_or_a_reason(texts):
    programs = set(function_pages.torch_programs())
    assert len(CORE) > 50 and programs | set(function_pages.WITHOUT_TORCH) == set(CORE)
    assert not programs & set(function_pages.WITHOUT_TORCH)
    assert list(without_a_tab(texts)) == []
    for tab in function_pages.TABS:
        broken = {**texts, "yarn": re.sub(rf"(?s)## {tab}\n.*?(?=\n## )", "", texts["yarn"])}
        assert list(without_a_tab(broken)) == [("yarn", tab)]
    above, program = sections(texts["sincos_2d"])["torch"].split("```python")
    assert 'For "wh", as MAE and DiT' in above and '"""' not in program
    assert "`F` is `torch.nn.functional`" in sections(texts["learned"])["torch"]
    assert "program of [`t5_buckets`](../encodings/relative.md#t5_buckets)." in sections(texts["t5_bias"])["torch"]


def test_programs_and_formulas_are_those_of_functions(texts):
    assert set(CORE) <= set(function_pages.formulas()) <= set(catalogue.ENTRIES)
    assert len([text for text in texts.values() if re.search(r"\n## NumPy\n\n.*\n\n```python\n", text)]) > 80
    assert r"$\theta_i / s$" in sections(texts["linear"])["Formula"]


def test_programs_in_numpy_are_imported_as_their_tab_says(texts):
    shown = {name: sections(text).get("NumPy", "") for name, text in texts.items()}
    found = {name: re.search(r"`from (\S+) import (\w+)`", text) for name, text in shown.items() if "```python" in text}
    assert len(found) > 80 and all(found.values())
    for name, (module, made) in ((name, one.groups()) for name, one in found.items()):
        module = importlib.import_module(module)
        file = re.search(r"<\.\./\.\./(\S+)>`", shown[name])[1]
        assert Path(module.__file__) == function_pages.ROOT / file
        assert f"def {made}(" in shown[name] and callable(getattr(module, made))
        program = shown[name].partition("```python\n")[2].partition("```")[0]
        assert free_names(program) <= vars(module).keys(), name


def test_models_of_a_function_are_listed(texts):
    assert "`mistral`" in sections(texts["rope"])["Models that use it"]
    assert "`whisper`" in sections(texts["sinusoidal"])["Models that use it"]
    assert "`bloom`" in sections(texts["alibi"])["Models that use it"]


@pytest.mark.parametrize("family", catalogue.FAMILIES)
def test_the_page_of_a_family_is_a_table_of_its_functions(family):
    content = [pages.family_page(family).read_text()]
    function_pages.family_as_table(None, f"encodings/{family}", content)
    rows = re.findall(r"^\| \[`(\w+)`\]", content[0], re.MULTILINE)
    listed = re.findall(r"^\.\./functions/(\w+)$", content[0], re.MULTILINE)
    assert rows == listed == public.in_reading_order(family) and "## " not in content[0]


@pytest.mark.parametrize("docname", ["encodings", "rotary", "gallery", "galleries/rotary", "functions/rope"])
def test_other_pages_stay_what_they_are(docname):
    content = ["# A page\n"]
    function_pages.family_as_table(None, docname, content)
    assert content == ["# A page\n"]


def test_pages_of_functions_that_are_no_more_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(function_pages, "FOLDER", tmp_path / "functions")
    monkeypatch.setattr(function_pages, "page_of", lambda entry: entry.name)
    function_pages.FOLDER.mkdir()
    (function_pages.FOLDER / "spiral.myst").write_text("")
    function_pages.write()
    assert {path.stem for path in function_pages.FOLDER.iterdir()} == set(catalogue.ENTRIES)
    assert (function_pages.FOLDER / "rope.myst").read_text() == "rope"


def unlinked(text):
    """Paths of pages in the prose of a page that are no links."""
    prose = re.sub(r"```.*?```|`[^`\n]*`|\[[^]]*\]\([^)]*\)", "", text, flags=re.DOTALL)
    return [name for name in re.findall(r"\bdocs/([\w-]+\.md)\b", prose) if pages.is_page(name)]


def test_paths_of_pages_are_links(texts):
    assert {name: unlinked(text) for name, text in texts.items() if unlinked(text)} == {}
    families = {family: pages.family_page(family).read_text() for family in catalogue.FAMILIES}
    assert {name: unlinked(text) for name, text in families.items() if unlinked(text)} == {}
    assert "[docs/relative.md](../relative.md)" in texts["deberta_scores"]
    assert unlinked(texts["deberta_scores"].replace("[docs/relative.md](../relative.md)", "docs/relative.md"))
    assert "docs/Operators.md, RotaryEmbedding" in texts["onnx_rotary_embedding"]  # a file of ONNX


def test_the_first_page_says_what_refpos_is():
    tour, readme = (pages.DOCS / "tour.md").read_text(), (pages.DOCS.parent / "README.md").read_text()
    assert tour.split("\n\n")[1].startswith(
        "refpos is a NumPy package that computes the exact values of the positional"
    )
    assert len(readme.splitlines()) <= 150


# -- tables that filter -----------------------------------------------------------------------------------------------


def test_long_pages_are_tables_that_get_a_filter():
    least = int(re.search(r"LEAST = (\d+)", (SITE / "filter.js").read_text())[1])
    counts = [len(re.findall(r"^\| ", (pages.DOCS / f"{name}.md").read_text(), re.MULTILINE)) for name in LONG]
    assert np.min(counts) > 5 * least


def test_the_site_loads_its_own_scripts_and_no_other():
    conf = (pages.DOCS / "conf.py").read_text()
    for path in SITE.glob("*.js"):
        assert f'"{path.name}"' in conf, path.name
        text = path.read_text()
        assert "http" not in text and "import" not in text and "fetch" not in text
    assert "http" not in (SITE / "site.css").read_text()
