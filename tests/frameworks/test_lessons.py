"""The lessons with matplotlib: all their code runs from top to bottom, and the pictures shown are those it draws."""

import gallery
import lessons
import matplotlib
import numpy as np
import pytest

from refpos import InputError, plots


@pytest.mark.parametrize("page", lessons.PAGES, ids=lambda page: page.stem)
def test_a_lesson_prints_and_draws_what_it_shows(page, tmp_path):
    assert lessons.with_results(page, tmp_path) == page.read_text(), f"run: python tests/test_lessons.py {page.stem}"
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert len(drawn) >= 5
    if f"drawn with matplotlib {matplotlib.__version__}" in gallery.PAGE.read_text():
        for name in drawn:
            assert (tmp_path / name).read_bytes() == (lessons.FOLDER / name).read_bytes(), name


def test_what_is_beside_each_other_are_the_numbers():
    right, wrong = np.eye(3), np.array([[0, 1, np.nan], [2, 3, 4], [5, 6, -np.inf]])
    ax = plots.side_by_side({"right": right}, wrong=wrong, names=("query", "key"), words="A mistake.")
    panels = [part for part in ax.child_axes if part.images and part.get_title("left")]
    assert [part.get_title("left") for part in panels] == ["right", "wrong"]
    assert panels[0].images[0].get_array().tolist() == right.tolist()
    assert panels[1].images[0].get_clim() == panels[0].images[0].get_clim() == (0.0, 6.0)
    assert ax.get_label() == (
        "A mistake. Matrices on one scale of colours: right from 0 to 1; wrong from 0 to 6. "
        "Hatched cells are NaN. Striped cells are -∞."
    )


def test_curves_are_the_numbers():
    ax = plots.curves({"one": [3, 2, 1]}, two=[1, np.nan, 3], names=("distance", "score"))
    assert [line.get_label() for line in ax.lines] == ["one", "two"] and ax.get_xlabel() == "distance"
    assert ax.lines[0].get_ydata().tolist() == [3, 2, 1] and np.isnan(ax.lines[1].get_ydata()[1])
    assert ax.get_label() == "Lines over 3 points: one from 1 to 3; two from 1 to 3."
    assert plots.curves({"one": [3, 2]}, at=[10, 20]).lines[0].get_xdata().tolist() == [10, 20]


@pytest.mark.parametrize(
    ("picture", "given", "code", "sentence"),
    [
        ("side_by_side", {}, "E_SIZE", "tables must be 1 to 12, each with a title, got 0"),
        ("side_by_side", {f"t{k}": [[1]] for k in range(13)}, "E_SIZE", "got 13"),
        ("side_by_side", {"a": [1, 2]}, "E_SHAPE", r"a must have 2 axes, got shape \(2,\)"),
        ("side_by_side", {"a": np.zeros((0, 3))}, "E_SHAPE", "at least one number"),
        ("side_by_side", {"a": [[1]], "names": ("x",)}, "E_SIZE", "names must be two"),
        ("curves", {f"t{k}": [1] for k in range(9)}, "E_SIZE", "lines must be 1 to 8, each with a title, got 9"),
        ("curves", {"a": [[1]]}, "E_SHAPE", "a must have 1 axis"),
        ("curves", {"a": np.zeros(5000)}, "E_SIZE", "at most 4096 numbers each, got 5000"),
        ("curves", {"a": [1, 2], "at": [1]}, "E_SHAPE", "one coordinate for each value, got 1 for 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(picture, given, code, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        getattr(plots, picture)(**given)
    assert caught.value.code == code
    with pytest.raises(InputError, match=r"must be \{title: array\}, got"):
        getattr(plots, picture)([1, 2])
