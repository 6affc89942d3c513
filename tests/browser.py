"""The site in a real browser: `python tests/browser.py SITE [PICTURES]`.

SITE is what Sphinx made of docs; pages are opened as files, as a person opens them, in headless Chromium. Right, wrong
and hostile files are handed to the page that verifies answers, what it says is held against `golden.verify`, and any
request that would leave the machine is an error. No page is wider than a desk or a phone, the search finds names, every
link leads somewhere, and what a button copies runs alone.
With PICTURES, a page of each kind is drawn there, on desk and phone, light and dark.
"""

import sys
import tempfile
from pathlib import Path

import browser_answers
import browser_links
import browser_pages
from chromium import Browser, draw

from refpos import golden

WORDS = {"met": "met", "differs": "differs", "untold": "cannot be told", "unusable": "unusable"}


def given(browser, *paths):
    """(status, {case id: (state, text)}) that the page shows of files that are dropped together."""
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector="#answers")["nodeId"]
    browser.value("document.getElementById('result').replaceChildren(); document.getElementById('answers').value = ''")
    browser.call("DOM.setFileInputFiles", nodeId=node, files=list(map(str, paths)))
    browser.wait("document.querySelector('#result .headline')")
    status = browser.value("document.querySelector('#result .headline').dataset.status")
    rows = "document.querySelectorAll('#result > table > tbody > tr')"
    cells = f"Array.from({rows}, (row) => Array.from(row.cells, (cell) => cell.innerText))"
    return status, {id: (state, text) for id, state, text in browser.value(cells)}


def check(browser, name, path, result):
    """Hold what the page says of a file against the Result of `refpos.verify`, or None where that refuses the file."""
    status, rows = given(browser, path)
    if result is None:
        assert status == "unusable" and not rows, f"{name}: {status}, {rows}"
        return 0
    wanted = {0: "met", 1: "differs", 2: "unusable"}[result.exit_code]
    assert status == wanted, f"{name}: the page says {status}, refpos.verify {wanted}"
    assert rows.keys() == {one.id for one in result.findings}, f"{name}: other cases"
    for one in result.findings:
        state, text = rows[one.id]
        assert state == WORDS[one.state], f"{name}: {one.id}: the page says {state}, refpos.verify {one.state}"
        assert one.met is None or text.startswith(f"meets {one.met}"), f"{name}: {one.id}: {text}, not {one.met}"
    return len(rows)


def check_answers(browser, site, folder):
    """Hold the page that verifies answers against `golden.verify`; (how many files, how many findings)."""
    files = browser_answers.files(folder)
    browser.open(site / "browser.html")
    compared = sum(check(browser, name, path, browser_answers.result(path)) for name, path in files.items())
    return files, compared


def check_documents(browser, site, folder):
    """Hold what the page says of a suite that `golden.generate` wrote against its answers."""
    golden.generate(folder, suites="alibi")
    documents = sorted(folder.iterdir())
    browser.open(site / "browser.html")
    assert [path.name for path in documents] == ["MANIFEST.json", "alibi.json", "alibi.safetensors"]
    answers = browser_answers.changed(folder, browser_answers.outputs("alibi"), only=("right", "minus"))
    right, minus = sorted(answers, reverse=True)
    assert given(browser, *documents[:2])[0] == "unusable", "a document without its tensors must be refused"
    assert given(browser, *documents) == ("read", {})
    for path, status in ((right, "met"), (minus, "differs")):
        found, rows = given(browser, path)
        assert found == status and len(rows) > 50, f"{path.name}: {found}, {len(rows)} cases"
        check(browser, path.name, path, browser_answers.result(path, suites="alibi"))
    assert given(browser, *documents, minus)[0] == "differs"
    assert given(browser, right, minus)[0] == "unusable", "two files of answers must be refused"


def main(site, pictures=None):
    site = Path(site).resolve()
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder) / "profile")
        try:
            (Path(folder) / "answers").mkdir()
            files, compared = check_answers(browser, site, Path(folder) / "answers")
            if pictures:
                given(browser, files["noise.npz"])
                browser.value("document.querySelector('#result details').open = true")
                draw(browser, Path(pictures))
                browser_pages.draw_kinds(browser, site, Path(pictures))
            check_documents(browser, site, Path(folder) / "corpus")
            questions = browser_pages.check_search(browser, site)
            browser_pages.check_filter(browser, site)
            copied = browser_pages.check_copy(browser, site)
            commands = browser_pages.check_commands(browser, site)
            pages = browser_pages.check_widths(browser, site)
        finally:
            browser.close()
        assert not browser.errors, browser.errors[:5]
        outside = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:"))]
        assert browser.requests and not outside, f"requests leave the machine: {outside}"
    print(f"browser: {len(files)} files, {compared} findings as refpos.verify has them, no request left the machine")
    links = browser_links.check_links(site)
    print(f"{pages} pages, none wider than a screen; {questions} questions of the search; {links} links, none broken")
    print(f"{copied} programs run as the buttons copy them, {commands} commands are copied without their outputs")


if __name__ == "__main__":
    main(*sys.argv[1:])
