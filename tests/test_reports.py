"""The reports of verify and compare as files: what they say, that they are whole, and that none is left from before."""

import base64
import html.parser
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from fnmatch import fnmatchcase

import numpy as np
import pytest

from refpos import cli, golden, reports
from refpos.conformance.error_map import LEVELS, error_map
from refpos.golden.run import outputs_of
from refpos.reports.png import png
from refpos.reports.stylesheet import DARK, LIGHT

FORMS = ["alibi_slopes/recursive-*", "rope_table/telling-*-f32"]
OFF, GONE, BAD = "rope_table/telling-10000-f32", "alibi_slopes/recursive-6-f32", "alibi_slopes/recursive-5-f64"
FILES = ("html", "junit", "markdown")


@pytest.fixture(scope="module")
def right():
    """The right answers to cases of two suites."""
    members = [case for form in FORMS for case in golden.cases(form.partition("/")[0]) if fnmatchcase(case.id, form)]
    return {f"{case.id}/{name}": held for case in members for name, held in outputs_of(case).items()}


@pytest.fixture(scope="module")
def wrong(right):
    """One case that is wrong in one row, one that is missing, and one of another shape."""
    answers = {name: held for name, held in right.items() if not name.startswith(GONE)}
    cos = answers[f"{OFF}/cos"].values.copy()
    cos[3, 2:5] = cos[3, 2:5] * np.float32(0.5)
    cos[3, 4] = np.nan
    answers[f"{OFF}/cos"] = cos
    answers[f"{BAD}/output"] = np.zeros(3)
    return answers


def written(folder, answers, *options):
    """(exit status, {kind: text of its report})."""
    np.savez(folder / "answers.npz", **{name: getattr(held, "values", held) for name, held in answers.items()})
    words = [f"--{kind}={folder / kind}" for kind in FILES]
    cases = [f"--case={form}" for form in FORMS]
    status = cli.main(["verify", str(folder / "answers.npz"), *cases, *words, *options])
    assert sorted(path.name for path in folder.iterdir()) == sorted(["answers.npz", *FILES])
    return status, {kind: (folder / kind).read_text() for kind in FILES}


@pytest.fixture(scope="module")
def texts(wrong, tmp_path_factory):
    """The reports of the wrong answers."""
    status, found = written(tmp_path_factory.mktemp("wrong"), wrong)
    assert status == 1
    return found


def cases_of(text):
    """{name: (kind of the element in a testcase, its message)} of JUnit XML."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites" and {suite.tag for suite in root} == {"testsuite"}
    found = {}
    for suite in root:
        kinds = [one[0].tag if len(one) else "passed" for one in suite]
        assert [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")] == [
            len(kinds), kinds.count("failure"), kinds.count("error"), kinds.count("skipped")
        ]  # fmt: skip
        found |= {one.get("name"): (kind, one[0].get("message") if len(one) else "")
                  for one, kind in zip(suite, kinds, strict=True)}  # fmt: skip
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root)
    return found


class Page(html.parser.HTMLParser):
    """What a page holds; that its elements are closed in order."""

    VOID = ("meta", "img", "source", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


# -- what they say ----------------------------------------------------------------------------------------------------


def test_every_case_stands_in_junit_with_its_state(right, texts):
    found = cases_of(texts["junit"])
    assert set(found) == {name.rpartition("/")[0] for name in right}
    assert found.pop(OFF)[0] == "failure"
    assert found.pop(GONE) == ("error", f"E_MISSING: expected the tensors {GONE}/output, got none")
    assert found.pop(BAD) == ("error", "E_SHAPE: expected the shape (5,), got (3,)")
    assert {kind for kind, _ in found.values()} == {"passed"} and len(found) > 15
    assert "wrong: axis 0: 3, of 0 to 25; axis 1: 2 to 4, of 0 to 7" in ElementTree.fromstring(texts["junit"])[1].find(
        f"testcase[@name='{OFF}']/failure").text  # fmt: skip


def test_markdown_says_what_and_where(texts):
    text = texts["markdown"]
    assert text.startswith("## refpos verify: not passed\n\n1 wrong, 1 missing, 1 unusable, of ")
    assert f"| `{OFF}/cos` | failed: " in text and "axis 0: 3, of 0 to 25; axis 1: 2 to 4, of 0 to 7 |" in text
    assert all(row.count("|") - row.count("\\|") == 4 for row in text.splitlines() if row.startswith("| `rope_table/"))


def test_the_page_says_what_and_where(texts):
    page = Page(texts["html"])
    words = " ".join(" ".join(page.words).split())
    assert "not passed 1 wrong, 1 missing, 1 unusable" in words
    assert words.index("What is wrong") < words.index("Where it is wrong") < words.index("All that was looked at")
    (image,) = page.of("img")
    assert image["alt"] == f"Map of the errors of {OFF}/cos: wrong at axis 0: 3, of 0 to 25; axis 1: 2 to 4, of 0 to 7"
    assert "E_SHAPE: expected the shape (5,), got (3,)" in words and GONE in words
    (ring,) = [one for one in page.of("span") if one.get("class") == "worst"]
    assert ring["style"] == f"top:{100 * 3.5 / 26:.2f}%;left:{100 * 4.5 / 8:.2f}%"


def test_a_wrong_call_is_what_the_reports_say_first(tmp_path, right):
    answers = {**right, f"{OFF}/cos": right[f"{OFF}/sin"], f"{OFF}/sin": right[f"{OFF}/cos"]}
    _, texts = written(tmp_path, answers)
    kind, message = cases_of(texts["junit"])[OFF]
    assert kind == "failure" and "the numbers of" in message and " (asked: " in message
    assert "your numbers are those of" in " ".join(texts["markdown"].splitlines()[4:5])
    words = " ".join(Page(texts["html"]).words)
    assert words.index("your numbers are those of") < words.index("Where it is wrong")


def test_reports_of_a_run_that_passes(tmp_path, right):
    status, texts = written(tmp_path, right)
    assert status == 0 and {kind for kind, _ in cases_of(texts["junit"]).values()} == {"passed"}
    assert (
        texts["markdown"].startswith("## refpos verify: passed\n") and "| `2 suites that pass` |" in texts["markdown"]
    )
    page = Page(texts["html"])
    assert page.of("img") == [] and "What is wrong" not in " ".join(page.words)


def test_what_is_left_out_is_skipped_and_a_stranger_is_an_error(tmp_path, right):
    answers = {f"{OFF}/{name}": right[f"{OFF}/{name}"] for name in ("cos", "sin")}
    status, texts = written(tmp_path, answers, "--only-answered")
    found = cases_of(texts["junit"])
    assert status == 0 and found.pop(OFF)[0] == "passed" and {kind for kind, _ in found.values()} == {"skipped"}
    status, texts = written(tmp_path, {**answers, "alibi_slopes/nonsense": np.zeros(2)}, "--only-answered")
    assert status == 2 and cases_of(texts["junit"])["alibi_slopes/nonsense"][0] == "error"
    assert "1 tensor without a case" in texts["markdown"]
    status, texts = written(tmp_path, {"x": np.zeros(2)}, "--only-answered")
    assert status == 2 and "error" in {kind for kind, _ in cases_of(texts["junit"]).values()}


def test_the_class_that_was_required_decides_what_is_allowed(tmp_path, right):
    cos = right[f"{OFF}/cos"].values
    answers = {**right, f"{OFF}/cos": np.nextafter(cos, np.float32(9))}
    assert written(tmp_path, answers)[0] == 0
    status, texts = written(tmp_path, answers, "--conformance", "correct")
    assert status == 1 and "208 wrong by less than 0.01 %" in " ".join(Page(texts["html"]).words)


# -- compare ----------------------------------------------------------------------------------------------------------


def test_compare_writes_the_same_reports(tmp_path):
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    actual = expected.copy()
    actual[:, 1] += 1
    np.savez(tmp_path / "a.npz", same=expected, table=actual, mine=expected)
    np.savez(tmp_path / "b.npz", same=expected, table=expected, theirs=expected)
    words = [f"--{kind}={tmp_path / kind}" for kind in FILES]
    assert cli.main(["compare", str(tmp_path / "a.npz"), str(tmp_path / "b.npz"), *words]) == 1
    found = cases_of((tmp_path / "junit").read_text())
    assert {name: kind for name, (kind, _) in found.items()} == {
        "same": "passed", "table": "failure", "mine": "error", "theirs": "error"
    }  # fmt: skip
    page = Page((tmp_path / "html").read_text())
    assert [one["alt"] for one in page.of("img")] == [
        "Map of the errors of table: wrong at axis 0: all 3; axis 1: 1, of 0 to 3"
    ]
    assert "1 of 4 tensors equal" in (tmp_path / "markdown").read_text()
    assert cli.main(["compare", str(tmp_path / "b.npz"), str(tmp_path / "b.npz"), *words]) == 0
    assert {kind for kind, _ in cases_of((tmp_path / "junit").read_text()).values()} == {"passed"}


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_report_of_an_earlier_run_is_not_left(tmp_path, right, capsys):
    """Continuous integration would take it for that of this run."""
    written(tmp_path, right)
    for path, code in ((tmp_path / "nothing.npz", "E_FILE"), (tmp_path, "E_FILE")):
        (tmp_path / "answers.npz").unlink(missing_ok=True)
        words = [f"--case={FORMS[0]}", *(f"--{kind}={tmp_path / kind}" for kind in FILES)]
        assert cli.main(["verify", str(path), *words]) == 2
        assert code in capsys.readouterr().err
        ((kind, message),) = cases_of((tmp_path / "junit").read_text()).values()
        assert kind == "error" and message.startswith(code)
        assert (tmp_path / "markdown").read_text().startswith("## refpos verify: not passed")
        assert "not passed" in (tmp_path / "html").read_text()
    assert cli.main(["verify", str(tmp_path), "--dtype", "float8", f"--junit={tmp_path / 'junit'}"]) == 2
    assert [kind for kind, _ in cases_of((tmp_path / "junit").read_text()).values()] == ["error"]


def test_a_report_that_cannot_be_written_is_refused_before_the_work(tmp_path, right, capsys):
    np.savez(tmp_path / "answers.npz", **{name: held.values for name, held in right.items()})
    answers = str(tmp_path / "answers.npz")
    before = (tmp_path / "answers.npz").read_bytes()
    for words in (
        ["--html", str(tmp_path / "no" / "report.html")],
        ["--html", str(tmp_path)],
        ["--html", "/dev/null"],
        ["--html", answers],
        ["--markdown", str(tmp_path / "one"), "--junit", str(tmp_path / "one")],
    ):
        assert cli.main(["verify", answers, *words]) == 2, words
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.startswith("refpos: E_FILE: "), words
    assert (tmp_path / "answers.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["answers.npz"]


# -- the page ---------------------------------------------------------------------------------------------------------

HOSTILE = "<script>alert(1)</script>\x1b[31m&\"'|`*\u202e]]>\x00"


def test_names_of_others_are_words_and_nothing_else():
    item = reports.Item(HOSTILE, HOSTILE, "failed", HOSTILE, HOSTILE, (HOSTILE,))
    hints = ((HOSTILE, HOSTILE, (f"https://{HOSTILE}",)),)
    outcome = reports.Outcome("verify", HOSTILE, HOSTILE, False, (item,), (HOSTILE,), hints, (HOSTILE,))
    text = reports.WRITERS["html"](outcome)
    page = Page(text)
    assert page.of("script") == [] and "\x1b" not in text and "\u202e" not in text
    assert any("<script>alert(1)</script>\\x1b[31m&\"'" in words for words in page.words)
    ((kind, message),) = cases_of(reports.WRITERS["junit"](outcome)).values()
    assert kind == "failure" and "alert(1)" in message and "\\x1b" in message
    summary = reports.WRITERS["markdown"](outcome)
    assert "<script>" not in summary and not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", summary)
    row = next(line for line in summary.splitlines() if "failed: " in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 4


def test_the_page_needs_nothing_else_and_forbids_it(texts):
    page = Page(texts["html"])
    policy = next(one["content"] for one in page.of("meta") if "http-equiv" in one)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object", "form"}
    sources = [one["src"] for one in page.of("img")] + [one["srcset"] for one in page.of("source")]
    assert len(sources) == 2 and all(source.startswith("data:image/png;base64,") for source in sources)
    assert all(re.match("https://|#", one["href"]) for one in page.of("a"))
    assert "url(" not in texts["html"] and "@import" not in texts["html"]


def test_the_page_can_be_read_without_seeing_and_without_a_mouse(texts):
    page = Page(texts["html"])
    assert page.of("html") == [{"lang": "en"}] and len(page.of("h1")) == len(page.of("main")) == 1
    assert all(one["alt"] for one in page.of("img"))
    assert all("scope" in one for one in page.of("th"))
    assert all({"tabindex", "aria-label"} <= set(one) for one in page.of("div") if one.get("class") == "scroll")
    assert len(page.of("summary")) == len(page.of("details")) > 0


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_words_stand_out_from_the_ground_and_the_levels_from_each_other():
    """Contrast of text as WCAG 2.2 asks for it, 1.4.3; levels of a map have all another brightness."""
    from refpos.reports.stylesheet import css

    blocks = css().split("@media (prefers-color-scheme: dark)")
    for block, levels in zip(blocks, (LIGHT, DARK), strict=False):
        colours = dict(re.findall(r"--(\w+): #([0-9a-f]{6})", block))
        for ground in ("ground", "card"):
            for ink in ("ink", "soft", "good", "bad", "link"):
                low, high = sorted((luminance(colours[ground]), luminance(colours[ink])))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ground, ink)
        wrong = [luminance(colour) for colour in levels[2:]]
        assert wrong == sorted(wrong, reverse=levels is LIGHT) and len(levels) == len(LEVELS)


# -- maps -------------------------------------------------------------------------------------------------------------


def pixels(data):
    """(rows of indices, palette) of a picture, read by the standard library alone."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    columns, rows, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == rows * (columns + 1) and not any(lines[:: columns + 1])
    found = [list(lines[k + 1 : k + 1 + columns]) for k in range(0, len(lines), columns + 1)]
    return found, [chunks[b"PLTE"][k : k + 3].hex() for k in range(0, len(chunks[b"PLTE"]), 3)]


def test_a_picture_holds_its_indices_and_its_colours(texts):
    indices = np.array([[0, 1, 2], [6, 5, 0]], np.uint8)
    assert pixels(png(indices, LIGHT)) == (indices.tolist(), list(LIGHT))
    (image,), (dark,) = (
        re.findall(rf'{name}="data:image/png;base64,([^"]*)"', texts["html"]) for name in ("src", "srcset")
    )
    rows, colours = pixels(base64.b64decode(image))
    assert pixels(base64.b64decode(dark)) == (rows, list(DARK)) and colours == list(LIGHT)
    assert (len(rows), len(rows[0])) == (26, 8) and [k for k, row in enumerate(rows) if any(row)] == [3]
    assert rows[3][4] == 6 and rows[3][:2] == [0, 0] and all(1 < level < 6 for level in rows[3][2:4])


def test_levels_of_a_map():
    expected = np.array([[100.0, 1, 1, 1], [1, 1, 1, np.inf]])
    actual = expected + np.array([[0.0, 0.009, 0.5, 20], [50, np.nan, 2**-52, 0]])
    found = error_map(actual, expected, [("ulp", 1)])
    assert found.levels.tolist() == [[0, 2, 3, 4], [5, 6, 1, 0]] and found.counts == (2, 1, 1, 1, 1, 1, 1)
    assert found.wrong == 5 and found.worst == (1, 1) and found.shape == (2, 4)
    assert found.places == ("all 2", "all 4")
    limits = np.full((2, 4), 0.6)
    assert error_map(actual, expected, [("absolute", limits)]).levels.tolist() == [[0, 1, 1, 4], [5, 6, 1, 0]]
    assert error_map(expected, expected).worst is None and error_map(expected, expected).wrong == 0


@pytest.mark.parametrize(
    ("at", "words"),
    [([3], "3, of 0 to 8"), ([0, 1, 2], "0 to 2, of 0 to 8"), ([0, 1, 7], "0 to 1 and 7, of 0 to 8"),
     ([0, 2, 3, 8], "0, 2 to 3 and 8, of 0 to 8"), ([1, 3, 5, 7], "every second from 1, of 0 to 8"),
     ([0, 2, 4, 7], "4 indices from 0 to 7, of 0 to 8"), (list(range(9)), "all 9"), ([], "none, of 0 to 8")],
)  # fmt: skip
def test_places_in_words(at, words):
    actual = np.zeros(9)
    actual[at] = 1
    assert error_map(actual, np.zeros(9)).places == (words,)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 0), (0, 3), (300, 400), (2, 3, 4), (100000,), (5000, 2)])
def test_a_map_of_any_shape(shape):
    found = error_map(np.ones(shape), np.zeros(shape))
    size = int(np.prod(shape, dtype=np.int64))
    assert found.wrong == size and found.levels.shape[0] <= 128 and found.levels.shape[1] <= 192
    assert found.levels.size == 0 or (found.levels == 5).all()
    item = reports.Item("suite", "case", "failed", "differs", errors=found)
    text = reports.WRITERS["html"](reports.Outcome("verify", "x", "wrong", False, (item,)))
    assert len(Page(text).of("img")) == bool(size)


def test_one_wrong_element_of_many_is_seen():
    actual = np.zeros((500, 999), np.float32)
    actual[432, 998] = 1e-30
    found = error_map(actual, np.zeros_like(actual))
    assert found.levels.max() == 5 and found.places == ("432, of 0 to 499", "998, of 0 to 998")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_maps_of_bit_patterns_and_of_wider_answers(dtype):
    one = 0x3F80 if dtype == "bfloat16" else 0x3C00
    patterns = np.array([one, one], np.uint16)
    assert error_map(patterns, np.array([one, one + 1], np.uint16), [("ulp", 1)], dtype=dtype).levels.tolist() == [
        [0, 1]
    ]
    assert error_map(patterns, np.array([one, 0], np.uint16), dtype=dtype).levels.tolist() == [[0, 5]]
    assert error_map(np.array([1, 2**60]), np.array([1, 2**60 + 1])).levels.tolist() == [[0, 2]]
