"""What was measured as curves: of readings, in the HTML report and as a picture."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import refpos
from refpos.cli import main
from refpos.measure.panels import Panel, panels
from refpos.reports import curves

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 16)).astype(np.float32)
RESTARTED = np.concatenate([np.arange(40), np.arange(20)])


def rotated(positions, base, x=X):
    return refpos.read(refpos.rope(x, positions, pairing="half", base=base), refpos.rope, x)


def by_title(*readings):
    return {one.title: one for one in panels(*readings)}


def test_positions_and_frequencies_beside_the_asked_ones():
    found = by_title(rotated(RESTARTED, 500000), rotated(60, 10000))
    assert list(found) == ["position", "frequency over the asked one"]
    position, ratio = found.values()
    assert position.by == "row" and position.measured.tolist() == RESTARTED.tolist()
    assert position.asked.tolist() == list(range(60))
    np.testing.assert_allclose(ratio.measured, 50.0 ** -(np.arange(8) / 8), rtol=1e-3)
    assert ratio.asked.tolist() == [1.0] * 8
    assert position.words == "position by row: 0 to 39, 20 of 60 not as asked"


def test_the_head_whose_positions_are_off_is_drawn():
    x = RNG.standard_normal((2, 3, 60, 16)).astype(np.float32)
    positions = np.broadcast_to(np.arange(60), (2, 1, 60)).copy()
    y = refpos.rope(x, positions, pairing="half", base=10000)
    y[1, 2] = refpos.rope(x[1, 2], np.arange(60) + 5, pairing="half", base=10000)
    found = by_title(refpos.read(y, refpos.rope, x), rotated(60, 10000))
    assert [title for title in found if title.startswith("position")] == ["position, [1, 2]"]
    assert found["position, [1, 2]"].measured.tolist() == list(range(5, 65))


def test_frequencies_alone_are_on_a_logarithmic_scale():
    table = refpos.rope_table(30, refpos.inverse_frequencies(16))
    one = by_title(refpos.read(table, refpos.rope_table))["frequency"]
    assert one.logarithmic and one.asked is None
    np.testing.assert_allclose(one.measured, refpos.inverse_frequencies(16).inv_freq, rtol=1e-6)


def test_gains_where_they_are_not_one():
    y = refpos.rope(X, 60, pairing="half") * np.float32(1.5)
    gain = by_title(refpos.read(y, refpos.rope, X), rotated(60, 10000))["gain"]
    np.testing.assert_allclose(gain.measured, 1.5, rtol=1e-5)
    np.testing.assert_allclose(gain.asked, 1.0, rtol=1e-6)
    assert "gain" not in by_title(rotated(60, 10000))


def test_rows_by_distance():
    table = RNG.standard_normal((32, 4)).astype(np.float32)
    wrong, right = (
        refpos.read(refpos.t5_bias(table, 30, 50, bidirectional=True, max_distance=most), refpos.t5_bias, table)
        for most in (64, 128)
    )
    (one,) = panels(wrong, right)
    assert (one.title, one.by, one.joined) == ("row of the table", "key - query", False)
    distances = np.unique(one.at)
    assert distances.tolist() == list(range(-29, 50)) and one.at.size == 79
    for most, rows in ((64, one.measured), (128, one.asked)):
        assert rows.tolist() == refpos.t5_buckets(distances, bidirectional=True, max_distance=most).tolist()


def test_slopes_coefficients_and_resized_tables():
    (slopes,) = panels(refpos.read(refpos.alibi(8, 6, 9, mode="symmetric"), refpos.alibi))
    assert slopes.measured.tolist() == [0.5**k for k in range(1, 9)] and slopes.by == "head"
    q, k = RNG.standard_normal((2, 5, 8)), RNG.standard_normal((2, 7, 8))
    unscaled = refpos.read(np.einsum("hqd,hkd->hqk", q, k), refpos.attention, q, k)
    right = refpos.read(refpos.attention(q, k, None, outputs="scores"), refpos.attention, q, k)
    (parts,) = panels(unscaled, right)
    assert parts.labels == ("q.k",) and parts.measured.tolist() == [1.0]
    np.testing.assert_allclose(parts.asked, 8**-0.5)
    table = RNG.standard_normal((5, 7, 3))
    resized = refpos.resize_table(table, (9, 7), method="linear", align="corners")
    down, across = panels(refpos.read(resized, refpos.resize_table, table))
    np.testing.assert_allclose(down.measured, np.arange(9) / 2, atol=1e-9)
    np.testing.assert_allclose(across.measured, np.arange(7), atol=1e-9)


def test_what_could_not_be_measured_has_no_panel():
    noise = RNG.standard_normal((20, 8))
    assert "position" not in by_title(refpos.read(noise, refpos.rope_table))
    assert panels(refpos.read(X, refpos.rope, X))[:0] == ()


# -- drawings of the page ---------------------------------------------------------------------------------------------


def paths(panel):
    """{class: d} of the paths of a drawing, which is well-formed XML."""
    svg = ElementTree.fromstring(curves.figure(panel)).find("svg")
    return {one.get("class"): one.get("d") for one in svg.iter("path")}, [one.text for one in svg.iter("text")]


def test_the_line_goes_from_corner_to_corner():
    at = np.arange(3, dtype=np.int64)
    drawn, texts = paths(Panel("position", "row", at, np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, 4.0])))
    assert drawn["got"] == "M48.0 146.0L180.0 111.5L312.0 8.0" and drawn["asked"] == "M48.0 146.0L180.0 77.0L312.0 8.0"
    assert texts == ["0", "4", "0", "2", "row"]


@pytest.mark.parametrize(
    ("values", "drawn"),
    [([1.0, np.nan, 2.0, 3.0], "M48.0 146.0M224.0 77.0L312.0 8.0"),
     ([np.inf, 5.0, 5.0, np.nan], "M136.0 77.0L224.0 77.0")],
)  # fmt: skip
def test_gaps_are_gaps_and_equal_numbers_are_in_the_middle(values, drawn):
    panel = Panel("gain", "pair", np.arange(4, dtype=np.int64), np.array(values))
    assert paths(panel)[0]["got"] == drawn


def test_a_logarithmic_scale_has_powers_of_two_at_even_heights():
    panel = Panel("frequency", "pair", np.arange(3, dtype=np.int64), np.array([4.0, 3.0, 1.0]), logarithmic=True)
    assert paths(panel) == ({"frame": "M48 8V146H312", "got": "M48.0 8.0L180.0 42.5L312.0 146.0"},
                            ["1", "4", "0", "2", "pair"])  # fmt: skip


def test_one_point_many_points_and_words_of_others():
    one = Panel("slope", "head", np.arange(1), np.array([2.0]), joined=False)
    assert paths(one)[0]["got"] == "M180.0 77.0h0"
    many = Panel("position", "row", np.arange(5000), np.arange(5000.0))
    assert paths(many)[0]["got"].count("L") == 999
    named = Panel("<b>", "&", np.arange(2), np.arange(2.0), labels=('"x"', "<i>"), joined=False)
    assert paths(named)[1][2:] == ['"x"', "<i>"] and "<b>" not in curves.figure(named)


def test_the_html_report_of_a_diagnosis_draws_them(tmp_path, capsys):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", refpos.rope(X, RESTARTED, pairing="half", base=10000))
    np.save(tmp_path / "right.npy", refpos.rope(X, 60, pairing="half", base=10000))
    texts = []
    for name in ("y", "right"):
        page = tmp_path / f"{name}.html"
        call = ["rope(x, 60, pairing='half')", "--arrays", f"x={tmp_path / 'x.npy'}", "--html", str(page)]
        assert main(["diagnose", str(tmp_path / f"{name}.npy"), *call]) == (name == "y")
        texts.append(page.read_text())
    assert "position by row: 0 to 39, 20 of 60 not as asked" in texts[0] and texts[0].count("<svg") == 2
    assert "<svg" not in texts[1]


def test_the_html_report_of_a_verification_draws_two_cases_of_a_suite(tmp_path, capsys):
    answers = {}
    for case in refpos.golden.cases("t5_bias", tier="core"):
        held = refpos.golden.load(case.id)
        if (
            "output" in held.outputs
            and held.outputs["output"].dtype == "float32"
            and held.outputs["output"].values.size
        ):
            answers[f"{case.id}/output"] = np.ascontiguousarray(held.outputs["output"].values[:, :, ::-1])
    np.savez(tmp_path / "answers.npz", **answers)
    page = tmp_path / "page.html"
    assert main(["verify", str(tmp_path / "answers.npz"), "--only-answered", "--html", str(page)]) == 1
    text = page.read_text()
    assert 1 <= text.count('class="curves"') <= 2 and "row of the table by key - query" in text
