"""The site in a real browser: `python tests/browser.py SITE [PICTURES]`.

SITE is what Sphinx made of docs; pages are opened as files, as a person opens them, in headless Chromium. Right, wrong
and hostile files are handed to the page that verifies answers, what it says is held against `golden.verify`, and any
request that would leave the machine is an error. No page is wider than a desk or a phone, and the search finds names.
With PICTURES, a page of each kind is drawn there, on desk and phone, light and dark.
"""

import sys
import tempfile
from pathlib import Path

import browser_answers
import browser_pages
from chromium import Browser, draw

WORDS = {"met": "met", "differs": "differs", "untold": "cannot be told", "unusable": "unusable"}


def given(browser, path):
    """(status, {case id: (state, text)}) that the page shows of a file."""
    root = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=root, selector="#answers")["nodeId"]
    browser.value("document.getElementById('result').replaceChildren()")
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    shown = """new Promise((done) => {
        const look = () => document.querySelector("#result .headline") ? done() : setTimeout(look, 10); look(); })"""
    browser.value(shown)
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
            questions = browser_pages.check_search(browser, site)
            pages = browser_pages.check_widths(browser, site)
        finally:
            browser.close()
        assert not browser.errors, browser.errors
        outside = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:"))]
        assert browser.requests and not outside, f"requests leave the machine: {outside}"
    print(f"browser: {len(files)} files, {compared} findings as refpos.verify has them, no request left the machine")
    print(f"{pages} pages, none wider than a screen; {questions} questions of the search")


if __name__ == "__main__":
    main(*sys.argv[1:])
