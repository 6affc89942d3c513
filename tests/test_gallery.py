"""The gallery without matplotlib: every function has its picture and its place, and every picture its words.

`python tests/test_gallery.py` draws it anew, or `python tests/test_gallery.py NAME...` some of it."""

import re
import sys

import gallery
import pages

from refpos import catalogue, public

MOST = 90_000  # bytes of a picture
ALL = 5_000_000


def lacking(names, drawn):
    """One sentence for each name without a picture, and for each picture without a name."""
    for name in sorted(set(names) - set(drawn)):
        yield f"docs/gallery must hold {name}.svg, got no such picture: run python tests/test_gallery.py {name}"
    for name in sorted(set(drawn) - set(names)):
        yield f"docs/gallery must hold pictures of what can be drawn, got {name}.svg"


def drawn():
    return [path.stem for path in gallery.FOLDER.iterdir()]


def test_every_function_has_its_picture():
    assert len(gallery.names()) > 150 and list(lacking(gallery.names(), drawn())) == []


def test_a_function_without_a_picture_is_named():
    found = list(lacking([*catalogue.ENTRIES, "octaves"], [*catalogue.ENTRIES, "left-over"]))
    assert len(found) == 2 and "octaves.svg, got no such picture" in found[0] and "got left-over.svg" in found[1]


def shown(page):
    """The functions whose pictures a page shows."""
    return re.findall(r"gallery/(\w+)\.svg\)\]", page.read_text())


def test_the_pages_show_every_picture_with_its_words():
    for page, text in gallery.texts().items():
        assert pages.with_generated(page.read_text(), text) == page.read_text(), "run: python tests/test_gallery.py"
    assert set(gallery.texts()) == {gallery.PAGE, *(pages.DOCS / "galleries").iterdir()}
    for family in catalogue.FAMILIES:
        assert shown(gallery.page_of(family)) == public.in_reading_order(family)
    assert sorted(shown(gallery.PAGE)) == sorted(name for name in catalogue.ENTRIES if public.is_core(name))
    assert all(len(gallery.words(name)) > 60 for name in gallery.names())


def test_the_pictures_of_the_page_about_plots_have_their_words():
    page = (pages.DOCS / "plots.md").read_text()
    for kind in gallery.KINDS:
        assert gallery.image(f"picture-{kind}") in page, "run: python tests/test_gallery.py"


def test_pictures_are_small_and_plain():
    sizes = {path.name: path.stat().st_size for path in gallery.FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size > MOST} == {} and sum(sizes.values()) < ALL
    for path in gallery.FOLDER.iterdir():
        text = path.read_text()
        assert "<text" in text and "<dc:date>" not in text and "<script" not in text, path.name


def main(names):
    for name in names or gallery.names():
        gallery.draw(name)
    if not names:
        for name in set(drawn()) - set(gallery.names()):
            gallery.file_of(name).unlink()
    gallery.write()
    plots = pages.DOCS / "plots.md"
    text = plots.read_text()
    for kind in gallery.KINDS:
        shown = re.compile(rf"!\[[^\]]*(?:\\\][^\]]*)*\]\(gallery/picture-{kind}\.svg\)")
        assert len(shown.findall(text)) == 1, kind
        text = shown.sub(lambda _, kind=kind: gallery.image(f"picture-{kind}"), text)
    plots.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
