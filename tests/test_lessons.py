"""The lessons without matplotlib: their pictures, words, mistakes and exercises are there.

`python tests/test_lessons.py` runs them, draws their pictures and writes what they print, or `python
tests/test_lessons.py NAME...` some of them."""

import re
import sys
import tempfile
from pathlib import Path

import gallery
import lessons
import pages
import pytest

ORDER = ("why-position", "sinusoid", "rotation", "relative-biases", "long-context", "images", "complex-numbers")


def sections(page, level):
    """The text below each heading of a level, to the next heading of that level or above."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^{'#' * level} (.*)\n((?:(?!^#{{1,{level}}} ).*\n)*)", text, re.MULTILINE)


def test_the_index_has_all_lessons_in_order():
    assert sorted(page.stem for page in lessons.PAGES) == sorted(ORDER)
    index = (pages.DOCS / "index.myst").read_text()
    places = [index.index(f"<lessons/{name}>") for name in ORDER]
    assert places == sorted(places)


@pytest.mark.parametrize("page", lessons.PAGES, ids=lambda page: page.stem)
def test_a_lesson_shows_its_pictures_and_each_mistake_has_one(page):
    shown = lessons.IMAGE.findall(page.read_text())
    drawn = re.findall(r'plots\.save\(ax, "([\w-]+)\.svg"\)', page.read_text())
    assert [name for _, name in shown] == drawn and len(drawn) >= 5
    mistakes = [text for title, text in sections(page, 3) if title.startswith("Mistake: ")]
    assert len(mistakes) >= 3 and all(text.count("![") == 1 for text in mistakes)


def test_every_picture_belongs_to_a_lesson_and_has_its_words():
    text = "\n".join(page.read_text() for page in lessons.PAGES)
    files = sorted(path.stem for path in lessons.FOLDER.glob("*.svg"))
    assert sorted(re.findall(r"\(([\w-]+)\.svg\)$", text, re.MULTILINE)) == files
    for name in files:
        words = gallery.words(name, lessons.FOLDER)
        assert len(words) > 60 and gallery.image(name, lessons.FOLDER, "") in text, "run: python tests/test_lessons.py"
        assert gallery.file_of(name, lessons.FOLDER).stat().st_size < 90_000, name


@pytest.mark.parametrize("page", lessons.PAGES, ids=lambda page: page.stem)
def test_a_picture_takes_three_lines_at_most_and_an_exercise_has_an_answer(page):
    for kind, code in lessons.BLOCK.findall(page.read_text()):
        assert max(map(len, code.splitlines())) <= 120
        assert kind == "python" or len(code.splitlines()) <= 3, code
    ((_, exercises),) = [one for one in sections(page, 2) if one[0] == "Exercises"]
    asked = re.findall(r"^\*\*(\d)\.\*\* ", exercises, re.MULTILINE)
    assert asked == ["1", "2", "3"]
    assert exercises.count("<details><summary>Answer</summary>\n") == exercises.count("\n</details>") == 3


def main(names):
    for page in lessons.PAGES:
        if not names or page.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                page.write_text(lessons.with_results(page, folder))
                for picture in Path(folder).glob("*.svg"):
                    gallery.file_of(picture.stem, lessons.FOLDER).write_bytes(picture.read_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
