"""The gallery: a picture for every function of the catalogue and for every kind of picture, and the pages that show
them: the core functions on one, and one for each family."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pages

from refpos import catalogue, public

PAGE = pages.DOCS / "gallery.md"
FOLDER = pages.DOCS / "gallery"
#: pictures of docs/plots.md, with the call that draws each
KINDS = {
    "waves": "waves(64, positions=64)",
    "counter": "counter(32, 5)",
    "clock_hands": "clock_hands(64, pairs=[0, 4, 8, 16])",
    "rotation": "rotation(positions=[(2, 0), (5, 3)])",
    "scalings": "scalings(128, base=500000, factor=8, trained=8192)",
    "decays": "decays()",
    "biases": "biases()",
    "sentence": 'sentence("the dog saw the cat and the cat saw the dog")',
    "resizings": "resizings(size=(12, 12))",
    "float_errors": "float_errors(64, base=500000)",
}
DESCRIPTION = re.compile(r"<dc:description>(.*?)</dc:description>", re.DOTALL)


def names():
    """The files of the gallery without their suffix: functions, and kinds behind the word `picture`."""
    return [*catalogue.ENTRIES, *(f"picture-{kind}" for kind in KINDS)]


def file_of(name, folder=FOLDER):
    return Path(folder) / f"{name}.svg"


def draw(name, folder=FOLDER):
    """Draw one picture of the gallery into a folder; the Axes."""
    from refpos import plots

    kind = name.removeprefix("picture-")
    ax = eval(f"plots.{KINDS[kind]}") if name != kind else plots.plot(name)
    plots.save(ax, file_of(name, folder))
    return ax


def words(name, folder=FOLDER):
    """The description that a picture carries."""
    root = ElementTree.fromstring(file_of(name, folder).read_bytes())
    (found,) = root.iter("{http://purl.org/dc/elements/1.1/}description")
    return found.text


def image(name, folder=FOLDER, place="gallery/"):
    """A picture with its words, as Markdown."""
    text = re.sub(r"([\[\]*_<`\\])", r"\\\1", words(name, folder))
    return pages.wrapped(f"![{text}]({place}{name}.svg)")


def page_of(family):
    return pages.DOCS / "galleries" / f"{family}.md"


def card(entry, place=""):
    """The picture of a function below its name; both lead to its section. place: from the page to docs."""
    link = f"{place}encodings/{entry.family}.md#{entry.name}"
    picture = image(entry.name, place=f"{place}gallery/").replace("\n", " ")
    return f"### {entry.name}\n\n" + pages.wrapped(f"[{picture}]({link})") + f"\n\n{pages.wrapped(entry.summary)}\n"


def texts():
    """{page: what stands below its mark}: the core functions by family, then the others of one family."""
    found = {PAGE: []}
    for family, what in catalogue.FAMILIES.items():
        known = pages.entries(family)
        parts = {kind: [entry for entry in known if public.is_core(entry.name) == kind] for kind in (True, False)}
        link = f"All {len(known)} are in [the gallery of this family](galleries/{family}.md)."
        found[PAGE] += [f"## {family.capitalize()}: {what}\n", f"{link}\n", *map(card, parts[True])]
        titles = {True: "## Used by many models", False: "## Others"}
        found[page_of(family)] = [
            line
            for kind, some in parts.items()
            if some
            for line in (f"{titles[kind]}\n", *(card(e, "../") for e in some))
        ]
    return {page: "\n".join(lines) for page, lines in found.items()}


def draft(family):
    """The page of a family before anything stands below its mark."""
    what = f"{family.capitalize()} functions: {catalogue.FAMILIES[family]}"
    said = "One picture of each, as `refpos plot NAME` draws it. [The gallery](../gallery.md) says how to read them."
    return f"# Gallery: {what}\n\n{pages.wrapped(said)}\n\n{pages.MARK}"


def write():
    """The pages with what stands below their marks now."""
    for page, text in texts().items():
        page.parent.mkdir(exist_ok=True)
        head = page.read_text() if page.exists() else draft(page.stem)
        page.write_text(pages.with_generated(head, text))
