"""How Sphinx makes a site of these pages: `python -m sphinx -W docs site`. The pages are those that GitHub shows."""

import re
import sys
from functools import cache
from pathlib import Path

import docutils.nodes
from latex2mathml import converter
from sphinx.addnodes import pending_xref

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'"(.+)"', (HERE.parent / "refpos" / "_version.py").read_text())[1]

project = "refpos"
author = "The refpos authors"
version = release = VERSION
copyright = "the refpos authors"

sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests"), str(HERE / "site")]
extensions = ["myst_parser", "function_pages", "search_names", "sessions", "starter_cases"]
source_suffix = {".md": "markdown", ".myst": "markdown"}  # .myst: pages of the site alone, which include others
exclude_patterns = ["README.md", "tour.md", "site"]  # contents.myst and index.myst include them
root_doc = "index"

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]  # as GitHub reads it
suppress_warnings = ["myst.header"]  # pages of families have sections that begin at the level of the index

html_theme = "pydata_sphinx_theme"
html_title = "refpos"
SCRIPTS = ["breaks.js", "filter.js", "tabs.js", "copy.js", "search.js"]
html_static_path = ["site/site.css", "site/browser", *(f"site/{name}" for name in SCRIPTS)]
templates_path = ["site"]
html_css_files = ["site.css"]
html_js_files = SCRIPTS
html_search_scorer = str(HERE / "site" / "scorer.js")
html_sidebars = {"**": ["contents.html"]}
html_copy_source = False
html_use_index = False  # no page has entries of it: the search and the list of functions find names
html_show_sphinx = False
html_theme_options = {
    "navigation_with_keys": False,
    "navbar_center": [],  # the pages stand at the left, all of them
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app):
    """Formulas as MathML, which browsers show by themselves: no script and no network."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("doctree-read", to_including_page)
    app.connect("html-page-context", list_pages_once)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def list_pages_once(app, page, template, context, doctree):
    """The theme renders the list of all pages twice, of which the first only says whether there is one."""
    context["toctree"] = cache(context["toctree"])


#: {page: the page of the site that includes it}
INCLUDED = {"README": "contents", "tour": root_doc, str(HERE.parent / "README"): "start"}


def to_including_page(app, doctree):
    """A link to a page that another includes leads to that one; one that shows the name of a file shows a title."""
    for link in doctree.findall(pending_xref):
        link["reftarget"] = INCLUDED.get(link["reftarget"], link["reftarget"])
        if link.astext().endswith(".md"):
            link["refexplicit"] = False


html_math_renderer = "mathml"


#: brackets around a matrix, which grow with it only in fonts that few machines have: the style draws them
FENCED = re.compile(r"<mo[^>]*>&#x00028;</mo><mtable>(.*?)</mtable><mo[^>]*>&#x00029;</mo>")
CASES = re.compile(r"<mo[^>]*>&#x0007B;</mo><mtable>")
#: a function before its argument without brackets, which browsers set as one word
APPLIED = re.compile(r"(<mi>(?:sin|cos|tanh|log|ln|exp)</mi>)(?=<mi>|<mn>|<msub>|<msup>|<msubsup>|<mfrac>)")


def mathml(text, **options):
    """A formula as MathML, its matrices and cases with brackets that the style draws, and `sin x` with its space."""
    formula = FENCED.sub(r'<mtable class="matrix">\1</mtable>', converter.convert(text, **options))
    return APPLIED.sub(r'\1<mspace width="0.17em"/>', CASES.sub('<mtable class="cases">', formula))


def inline(translator, node):
    translator.body.append(mathml(node.astext()))
    raise docutils.nodes.SkipNode


def block(translator, node):
    formula = mathml(node.astext(), display="block")
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise docutils.nodes.SkipNode
