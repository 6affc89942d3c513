"""The page that verifies answers, in a real browser: `python tests/browser.py SITE [PICTURES]`.

SITE is what Sphinx made of docs; the page is opened as a file, as a person opens it, in headless Chromium. Right, wrong
and hostile files are handed to its input, what it says is held against `golden.verify`, and any request that would
leave the machine is an error. With PICTURES, the page is drawn there, on desk and phone, light and dark.
"""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import browser_answers

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe""".split()
SIZES = {"desk": (1280, 900, False), "phone": (390, 844, True)}
WORDS = {"met": "met", "differs": "differs", "untold": "cannot be told", "unusable": "unusable"}


def _pipe():
    """Both ends of a pipe, as numbers that are not 3 and 4."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low)
    for end in low:
        os.close(end)
    return high


class Browser:
    """Chromium, spoken to through a pipe: each message is JSON with a zero byte behind it."""

    def __init__(self, profile):
        program = shutil.which("chromium") or sys.exit("chromium must be installed, got none")
        (their_in, self._out), (self._in, their_out) = _pipe(), _pipe()

        # Chromium reads 3 and writes 4
        command = ["bash", "-c", f'exec "$@" 3<&{their_in} 4>&{their_out}', "-", program, *FLAGS]
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"], pass_fds=(their_in, their_out), stderr=subprocess.DEVNULL
        )
        os.close(their_in)
        os.close(their_out)
        self._held, self._count, self.requests, self.errors = b"", 0, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "DOM"):
            self.call(f"{domain}.enable")

    _session = None

    def call(self, method, **params):
        """What a command answers; requests and errors that are told meanwhile are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._count:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            if told.get("method") == "Network.requestWillBeSent":
                self.requests.append(told["params"]["request"]["url"])
            elif told.get("method") == "Runtime.exceptionThrown":
                self.errors.append(told["params"]["exceptionDetails"]["text"])

    def _next(self):
        while b"\0" not in self._held:
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("chromium ended")
            self._held += more
        message, self._held = self._held.split(b"\0", 1)
        return json.loads(message)

    def value(self, expression):
        """What an expression of the page is, once its promises are kept."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def open(self, page):
        self.call("Page.navigate", url=page.as_uri())
        self.value(
            "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )

    def close(self):
        self.process.terminate()
        self.process.wait()


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


def draw(browser, folder):
    """Pictures of the page as it is now."""
    for device, (width, height, mobile) in SIZES.items():
        for scheme in ("light", "dark"):
            browser.value(f"document.documentElement.dataset.theme = '{scheme}'")
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
            browser.call("Emulation.setDeviceMetricsOverride", **metrics)
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            (folder / f"{device}-{scheme}.png").write_bytes(base64.b64decode(picture))
    browser.call("Emulation.clearDeviceMetricsOverride")


def main(site, pictures=None):
    with tempfile.TemporaryDirectory() as folder:
        files = browser_answers.files(Path(folder))
        browser = Browser(Path(folder) / "profile")
        try:
            browser.open(Path(site).resolve() / "browser.html")
            compared = sum(check(browser, name, path, browser_answers.result(path)) for name, path in files.items())
            if pictures:
                given(browser, files["noise.npz"])
                browser.value("document.querySelector('#result details').open = true")
                draw(browser, Path(pictures))
        finally:
            browser.close()
        assert not browser.errors, browser.errors
        outside = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:"))]
        assert browser.requests and not outside, f"requests leave the machine: {outside}"
    print(f"browser: {len(files)} files, {compared} findings as refpos.verify has them, no request left the machine")


if __name__ == "__main__":
    main(*sys.argv[1:])
