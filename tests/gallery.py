"""The gallery: a picture for every function of the catalogue and for every kind of picture, and the page that shows
them."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pages

from refpos import catalogue

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


def sections():
    """What stands below the mark of the page: families, and in each the functions."""
    for family, what in catalogue.FAMILIES.items():
        yield f"## {family.capitalize()}: {what}\n"
        for entry in pages.entries(family):
            yield f"### {entry.name}\n"
            link = f"[`{entry.name}`](encodings/{family}.md#{entry.name})"
            yield pages.wrapped(f"{link}, drawn by `refpos plot {entry.name}`.") + "\n"
            yield image(entry.name) + "\n"


def text():
    return "\n".join(sections())
