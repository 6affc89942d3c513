"""What the site adds to the pages of docs: a page for each function, tables that filter, scripts of its own. No Sphinx
is needed here; `.ci/run` builds the site."""

import ast
import contextlib
import doctest
import io
import re
import sys

import numpy as np
import pages
import pytest

from refpos import catalogue, public
from refpos.conformance import CLASSES

sys.path.insert(0, str(pages.DOCS / "site"))

import function_pages
import standalone

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


def block(text, title):
    """The program that a section of a page shows."""
    found = re.search(r"```python\n(.*?)\n```", sections(text).get(title, ""), re.DOTALL)
    return found and found[1]


def typed(text):
    """What a reader copies of the example of a page."""
    return "".join(one.source for one in doctest.DocTestParser().get_examples(sections(text)["Example"]))


def ran(code, packages=("numpy", "refpos")):
    """What a program prints that runs with nothing but these packages."""
    known = {*packages, *sys.stdlib_module_names}
    imports = (node for node in ast.walk(ast.parse(code)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    for node in imports:
        named = [node.module] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        assert {name.partition(".")[0] for name in named} <= known, f"a copy of the program cannot import {named}"
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "copied", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


#: functions whose programs the fast tier runs: frequencies, a rotation, a bias with helpers, one with other programs
SAMPLE = "yarn", "rope", "joined", "ggml_rope_ext", "qwen2_vl_positions"


def numpy_block_meets_a_class(text):
    assert ran(block(text, "NumPy")).strip() in CLASSES


@pytest.mark.parametrize("name", SAMPLE)
def test_a_numpy_program_runs_alone(texts, name):
    numpy_block_meets_a_class(texts[name])
    assert ran(typed(texts[name])) is not None


@pytest.mark.exhaustive
def test_every_program_and_example_runs_alone(texts):
    shown = [name for name, text in texts.items() if block(text, "NumPy")]
    assert set(shown) == {name for name in texts if name in standalone.programs()} and len(shown) > 100
    for name, text in texts.items():
        if name in shown:
            numpy_block_meets_a_class(text)
        ran(typed(text))


@pytest.mark.parametrize(
    "pattern, changed, error",
    [
        (r"def mscale\(", "def scale(", NameError),  # a helper that is missing
        (r"\* ramp \+", "* 1.01 * ramp +", AssertionError),  # other numbers
        (r"from fractions import", "from float32.angles import", AssertionError),  # what a reader has not
        (r"print\(case", "str(case", AssertionError),  # nothing is judged
    ],
)
def test_a_program_that_does_not_run_alone_is_noticed(texts, pattern, changed, error):
    broken = re.sub(pattern, changed, texts["yarn"])
    assert broken != texts["yarn"]
    with pytest.raises(error):
        numpy_block_meets_a_class(broken)


CORE = [name for name in catalogue.ENTRIES if public.is_core(name)]


def without_a_tab(texts):
    """The tabs that the pages of core functions lack: a formula, a program or why there is none, and mistakes."""
    wanted = {"Formula": r"```math|\$", "NumPy": r"```python\n|\]\(#source\)", "Traps": r"- \*\*"}
    for name in CORE:
        shown = sections(texts[name])
        yield from ((name, tab) for tab, pattern in wanted.items() if not re.search(pattern, shown.get(tab, "")))
        reason, program = function_pages.WITHOUT_TORCH.get(name), f"\ndef {name}("
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
    assert "from torch.nn import functional as F\n" in block(texts["learned"], "torch")
    assert "def t5_buckets(" in block(texts["t5_bias"], "torch")


def test_programs_and_formulas_are_those_of_functions(texts):
    assert set(CORE) <= set(function_pages.formulas()) <= set(catalogue.ENTRIES)
    assert r"$\theta_i / s$" in sections(texts["linear"])["Formula"]


def test_models_of_a_function_are_listed(texts):
    assert "`mistral`" in sections(texts["rope"])["Models that use it"]
    assert "`whisper`" in sections(texts["sinusoidal"])["Models that use it"]
    assert "`bloom`" in sections(texts["alibi"])["Models that use it"]
    assert all(
        "`deepseek_v3`" in sections(texts[name])["Models that use it"] for name in ("yarn", "yarn_softmax_scale")
    )


#: {function: an argument that the call of its script must have}: ViT, Stable Diffusion, an image in text, Swin
CALLED = {
    "resize_table": 'method="cubic"',
    "timestep_embedding": "dim=320",
    "qwen2_vl_positions": "image_grid_thw=",
    "window_rows": 'sign="query-key"',
    "window_bias": 'sign="query-key"',
}


@pytest.mark.parametrize("name, argument", CALLED.items())
def test_a_script_calls_the_case_of_the_model_that_readers_come_from(texts, name, argument):
    assert argument in block(texts[name], "NumPy").partition("(case,) =")[2]


def test_programs_of_integers_are_not_measured_by_bounds(texts):
    exact = [name for name in CORE if catalogue.find(name).contract in ("integers", "copied")]
    for name in (*exact, "grid_positions"):
        for title in "NumPy", "torch":
            said = sections(texts[name])[title].partition("```")[0]
            assert "float32" not in said.replace("tests/float32/", "") and "bound" not in said, f"{name}: {said}"
        assert f"\ndef {name}(" in block(texts[name], "NumPy")


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


def installs_from_an_index(text):
    """Commands that install refpos as if it were published."""
    return re.findall(r"pip install [^`\n]*?(?<![./\w])\"?refpos\b[^`\n]*", text)


def test_pages_install_from_the_source_tree():
    after = {"releasing.md", "changelog.md"}  # of what is published
    found = {path.name: installs_from_an_index(path.read_text()) for path in pages.DOCS.rglob("*.md")}
    assert not {name: lines for name, lines in found.items() if lines and name not in after}
    assert found["releasing.md"]
    for text in "pip install refpos torch pytest", 'pip install "refpos[plot]"', "pip install torch refpos":
        assert installs_from_an_index(text)


def test_commands_that_read_files_of_the_source_tree_say_so():
    """A block of a shell that names a file below docs stands below a sentence with the words."""
    blocks = [
        (path.name, found[1])
        for path in pages.DOCS.glob("*.md")
        for found in re.finditer(r"((?:^.+\n)+)\n```sh\n(?=[^`]*docs/)(?![^`]*tests/)", path.read_text(), re.MULTILINE)
        if path.name != "contributing.md"
    ]
    assert len(blocks) >= 4
    assert [name for name, said in blocks if "source\ntree" not in said and "source tree" not in said] == []
