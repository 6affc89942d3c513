"""Headless Chromium without a driver: pages of files, expressions of a page, sizes of screens and pictures."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe""".split()
SIZES = {"desk": (1280, 900, False), "phone": (390, 844, True)}


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

    def wait(self, condition):
        """Until an expression of the page is true; a minute at most."""
        self.value(f"""new Promise((done, fail) => {{
            const end = Date.now() + 60_000;
            const again = () => Date.now() > end ? fail(new Error("a minute is over")) : setTimeout(look, 10);
            const look = () => {condition} ? done() : again();
            look(); }})""")

    def open(self, page, query=""):
        """A page, once it is loaded."""
        self.call("Page.navigate", url=page.as_uri() + query)
        self.value(
            "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )

    def close(self):
        self.process.terminate()
        self.process.wait()


def sized(browser, device):
    """The screen of a device."""
    width, height, mobile = SIZES[device]
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    browser.call("Emulation.setDeviceMetricsOverride", **metrics)


def draw(browser, folder, name=""):
    """Pictures of the page as it is now, on desk and phone, light and dark."""
    for device in SIZES:
        sized(browser, device)
        for scheme in ("light", "dark"):
            browser.value(f"document.documentElement.dataset.theme = '{scheme}'; scrollTo(0, 0)")
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            (folder / f"{name}{device}-{scheme}.png").write_bytes(base64.b64decode(picture))
    browser.call("Emulation.clearDeviceMetricsOverride")
