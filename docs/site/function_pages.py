"""A page for each function, in the site alone: what docs/encodings/FAMILY.md says of it, with its picture, its formula,
programs, traps and models. Sphinx makes them before it reads; the page of a family becomes a table of its functions."""

import ast
import inspect
import re
from collections import Counter
from functools import cache

import gallery
import pages
import standalone

from refpos import catalogue, models, public
from refpos.cli import docstrings
from refpos.configs import model_defaults
from refpos.golden import cases
from refpos.golden.flags import FLAGS

DOCS = pages.DOCS
ROOT = DOCS.parent
FOLDER = DOCS / "functions"
TORCH = DOCS / "site" / "torch_programs"
#: sections that the site shows as tabs
TABS = "Formula", "NumPy", "torch", "Traps"
MOST = 40  # models that are listed before the others are folded


def page_of(entry):
    """The Markdown of the page of one function."""
    found = docstrings.sections(inspect.getdoc(entry.function))
    summary, _, rest = found[""].partition("\n\n")
    also = [pages.escaped(f"*Also called* {', '.join(entry.also)}.").replace(r"\*", "*")] if entry.also else []
    start = [f"# {entry.name}", pages.escaped(summary), *also, gallery.image(entry.name, place="../gallery/")]
    tabs = formula(entry, rest), numpy_program(entry.name), torch_program(entry.name), traps(entry)
    more = [
        ("Example", pages.fenced("pycon", example(entry, found["Examples"]))),
        ("Parameters", "\n".join(map(pages.parameter, docstrings.items(found["Parameters"])))),
        *((title, "\n\n".join(map(pages.escaped, pages.described(found[title])))) for title in ("Returns", "Raises")),
        ("Notes", "\n\n".join(pages.blocks_of(found.get("Notes", "").splitlines()))),
        ("Order of operations", order(entry)),
        ("Models that use it", used_by(entry.name)),
        ("Compared with", compared(entry.name)),
        ("References", f"{pages.listed(found['References'])}\n\nPaper: {pages.escaped(entry.paper)}."),
        ("Source", source(entry)),
    ]
    sections = [f"## {title}\n\n{text}" for title, text in (*zip(TABS, tabs, strict=True), *more) if text]
    signature = pages.fenced("python", pages.signature(entry))
    return "\n\n".join([*start, signature, *sections]) + "\n"


def example(entry, text):
    """The example of a docstring with what it needs to run alone, its sentences as comments."""
    imports = [f">>> from {entry.public.rpartition('.')[0]} import {entry.name}"]
    if "np." in text and "import numpy as np" not in text:
        imports.insert(0, ">>> import numpy as np")
    parts = [part if part.startswith(">>> ") else re.sub("^", "# ", part, flags=re.MULTILINE)
             for part in text.split("\n\n")]  # fmt: skip
    return "\n".join([*imports, *[""] * parts[0].startswith("#"), "\n\n".join(parts)])


# -- the tabs ---------------------------------------------------------------------------------------------------------


def formula(entry, rest):
    """The formulas of docs/formulas.md and those of the docstring, with the contract and the conventions."""
    promise = f"Its numbers are {catalogue.CONTRACTS[entry.contract]}. Conventions: {entry.conventions}."
    parts = [*formulas().get(entry.name, ()), *pages.blocks_of(rest.splitlines()), pages.escaped(promise)]
    return "\n\n".join(parts)


@cache
def formulas():
    """{function: what docs/formulas.md says of it}: paragraphs and blocks, or a row of a table as a formula."""
    found = {}
    for part in re.split(r"^## .*$", (DOCS / "formulas.md").read_text(), flags=re.MULTILINE)[1:]:
        names = []
        for block in re.split(r"\n\n(?=\S)", part.strip()):
            rows = re.findall(r"^\| \[`(\w+)`\]\([^)]*\) \| (.*) \|$", block, re.MULTILINE)
            for name, text in rows:
                found.setdefault(name, []).append(text)
            named = [] if rows else re.findall(r"\]\(encodings/\w+\.md#(\w+)\)", block)
            names = named or ([] if rows else names)
            for name in names:
                own = re.sub(rf"\[`{name}`\]\([^)]*\)", f"`{name}`", block)
                found.setdefault(name, []).append(re.sub(r"\]\((?=[a-z])", "](../", own))
    return found


#: how a core function computes of which no program is measured, because its float32 is that of an operation or none
WITHOUT_NUMPY = (
    "No float32 program of it is measured. refpos computes it with whole NumPy arrays, in the functions that its"
    " [source](#source) calls."
)
#: what is said of a program in NumPy, and of one in torch, by whether its numbers are exact
IN_NUMPY = {
    False: "The formula as NumPy programs compute it in float32. {alone} The program is from {file}, where the tests"
    " hold it against its error bound.",
    True: "A plain NumPy program, whose numbers are exact. {alone} The program is from {file}; the tests compare it"
    " with every golden case that has these arguments.",
}
ALONE = (
    "The script runs alone, with NumPy and refpos: the last lines call the program with a golden case and print the"
    " [class](../conformance.md) that its numbers meet."
)
IN_TORCH = {
    False: "As models write it, in float32. A test compares it with this function, by the error bound of its class.",
    True: "As models write it. A test compares it with this function: all numbers are equal.",
}


def is_exact(name):
    """Whether the numbers of a program are integers, or copied at integers."""
    return name in standalone.programs() and standalone.programs()[name][0].stem == "integers"


def numpy_program(name):
    """The program of tests/float32 that the tests hold against the function, as a script."""
    if name not in standalone.programs():
        return WITHOUT_NUMPY if public.is_core(name) else ""
    file = standalone.programs()[name][0].relative_to(ROOT).as_posix()
    said = IN_NUMPY[is_exact(name)].format(alone=ALONE, file=f"{{download}}`{file} <../../{file}>`")
    return f"{said}\n\n{pages.fenced('python', standalone.script(name).rstrip())}"


@cache
def torch_programs():
    """{function: its file} of docs/site/torch_programs."""
    parts = {path: ast.parse(path.read_text()).body for path in sorted(TORCH.glob("*.py"))}
    return {one.name: path for path, body in parts.items() for one in body if isinstance(one, ast.FunctionDef)}


#: core functions that no program in torch computes, and why
WITHOUT_TORCH = {
    "given_frequencies": "Models read these numbers from a checkpoint or hold them as a parameter: there is nothing to"
    " compute.",
}


def torch_program(name):
    if name not in torch_programs():
        return WITHOUT_TORCH.get(name, "")
    program = standalone.Script().add((torch_programs()[name], name)).text().rstrip("\n")
    said = IN_TORCH[is_exact(name)]
    return f"{said}\n\n{pages.fenced('python', program)}"


def traps(entry):
    """The mistakes that golden cases of the function tell, those of most cases first, with threads about them."""
    counts = Counter(flag for case in cases(entry.name) for flag in case.flags)
    items = []
    for flag, count in counts.most_common():
        links = [f"[{thread(link)}]({link})" for link in FLAGS[flag].links]
        met = f" Met in {', '.join(links)}." if links else ""
        items.append(f"- **{flag}** ({count} golden cases): {pages.escaped(FLAGS[flag].description)}{met}")
    return "\n".join(items)


def thread(link):
    """owner/name#number of the address of a thread."""
    owner, name, _, number = link.rstrip("/").split("/")[-4:]
    return f"{owner}/{name}#{number}"


def order(entry):
    """The orders of operations of a function and of its gradient, with the activations where they call one."""
    names = pages.orders_of(entry)
    texts = [pages.order_of(name) for name in names]
    if not names:
        return ""
    said = "Each operation is rounded to float64, in the language of [orders](../orders.md); tests run these lines."
    parts = [said]
    for name, text in zip(names, texts, strict=True):
        parts += ["The gradients:"] * (name != entry.name) + [pages.fenced("text", text.strip("\n"))]
    if any("apply(" in text for text in texts):
        parts += ["The activations:", pages.fenced("text", pages.order_of("functions").strip("\n"))]
    return "\n\n".join(parts)


# -- what uses it -----------------------------------------------------------------------------------------------------


def used_by(name):
    """Named models and model types whose encoding it is."""
    known = [f"[`{model}`](../models.md#{model})" for model in named_models().get(name, ())]
    types = [f"`{one}`" for one in model_types().get(name, ())]
    parts = []
    if known:
        parts.append(f"[Named models](../models.md): {folded(known)}")
    if types:
        parts.append(f"[Model types](../model-types.md) of configurations: {folded(types)}")
    if name in ("yarn", "yarn_softmax_scale"):
        scaled = [f"`{one}`" for one, row in model_defaults.rows().items() if row.scales_softmax]
        parts.append(f"[Model types](../model-types.md) whose files ask for it by `mscale_all_dim`: {folded(scaled)}")
    return "\n\n".join(parts)


def folded(names):
    """Names with commas; many of them below a line that opens them."""
    text = f"{', '.join(names)}."
    if len(names) <= MOST:
        return text
    return f"{len(names)}.\n\n<details><summary>All {len(names)}</summary>\n\n{text}\n\n</details>"


@cache
def named_models():
    """{function: named models}: that makes their table, their frequencies, their rotation or their positions."""
    found = {}
    for preset in models.registry.PRESETS.values():
        encoding = preset.encoding()
        recipe = getattr(getattr(encoding, "frequencies", None), "recipe", None)
        made = [getattr(encoding, "function", None), recipe[0] if recipe else None, preset.positions.__name__]
        if isinstance(encoding, models.Rotary):
            made.append("rope")
        for name in dict.fromkeys(one for one in made if one in catalogue.ENTRIES):
            found.setdefault(name, []).append(preset.name)
    return found


@cache
def model_types():
    """{function: model types} of docs/model-types.md."""
    found = {}
    for kind, row in re.findall(r"^\| `([^`]+)` \| (.*) \|$", (DOCS / "model-types.md").read_text(), re.MULTILINE):
        for name in dict.fromkeys(re.findall(r"\.md#(\w+)\)", row)):
            found.setdefault(name, []).append(kind)
    return found


@cache
def coverage():
    """The rows of the tables of docs/coverage.md, each a list of cells."""
    lines = (DOCS / "coverage.md").read_text().splitlines()
    rows = [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in lines if line.startswith("| ")]
    return [row for row in rows if len(row) == 7]


def compared(name):
    """The conventions of the function, with their golden cases and the code of others that tests run."""
    rows = [row for row in coverage() if f".md#{name})" in row[1]]
    head = ["| convention | compared with | golden cases |", "| --- | --- | --- |"]
    return "\n".join([*head, *(f"| {row[0]} | {row[5]} | {row[2]} |" for row in rows)]) if rows else ""


def source(entry):
    """The module of the function, folded."""
    file = (
        f"{inspect.unwrap(entry.function).__module__.replace('.', '/')}.py"  # in this tree, where it is installed too
    )
    code = f"```{{literalinclude}} ../../{file}\n:language: python\n```"
    return f"<details><summary>{file}</summary>\n\n{code}\n\n</details>"


# -- Sphinx -----------------------------------------------------------------------------------------------------------


def write(app=None):
    """The pages in docs/functions, which git ignores; those of functions that are no more are removed."""
    FOLDER.mkdir(exist_ok=True)
    texts = {f"{name}.myst": page_of(entry) for name, entry in catalogue.ENTRIES.items()}
    for path in FOLDER.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def family_as_table(app, docname, content):
    """The page of a family: what it says of all its functions, a table of them, and their pages in its contents."""
    folder, _, family = docname.partition("/")
    if folder == "encodings" and family:
        head = content[0].partition(pages.MARK)[0]
        head = head.partition("The examples run after")[0]
        table = "\n".join([*pages.TABLE, *(pages.row(entry, "") for entry in pages.entries(family))])
        names = "\n".join(f"../functions/{entry.name}" for entry in pages.entries(family))
        contents = f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"
        content[0] = f"{head}\n{table}\n\n{contents}"


def to_function_pages(app, doctree):
    """Links to sections of docs/encodings lead to the pages of functions; sections that are tabs and code that does not
    run alone are marked."""
    from docutils import nodes
    from sphinx.addnodes import pending_xref

    for link in doctree.findall(pending_xref):
        name = link.get("reftargetid")
        if str(link["reftarget"]).startswith("encodings/") and name in catalogue.ENTRIES:
            link["reftarget"], link["reftargetid"] = f"functions/{name}", None
    if app.env.docname.startswith("functions/"):
        doctree.next_node(nodes.literal_block)["classes"].append("signature")
        for section in doctree.findall(nodes.section):
            title = section.next_node(nodes.title).astext()
            section["classes"] += ["tab"] * (title in TABS) + ["module"] * (title == "Source")
    if app.env.docname.startswith("encodings"):
        for table in doctree.findall(nodes.table):
            table["classes"].append("functions")
    if app.env.docname.startswith("galler"):
        for section in doctree.findall(nodes.section):
            if any(isinstance(child, nodes.section) for child in section) and section.next_node(nodes.image):
                section["classes"].append("pictures")


def setup(app):
    app.connect("builder-inited", write)
    app.connect("source-read", family_as_table)
    app.connect("doctree-read", to_function_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
