"""The lessons: pages whose code runs from top to bottom, and whose pictures are those that the code draws."""

import contextlib
import io
import os
import re
from pathlib import Path

import gallery
import pages

FOLDER = pages.DOCS / "lessons"
PAGES = sorted(FOLDER.glob("*.md"))
BLOCK = re.compile(r"^```(python|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"^```text\n.*?^```$", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"^!\[((?:[^\]\\]|\\.)*)\]\((\S+)\.svg\)$", re.MULTILINE)


def run(page, folder):
    """Run the blocks of a page in a folder, those that draw among them; what each of the others printed."""
    names, printed, before = {}, [], Path.cwd()
    os.chdir(folder)
    try:
        for kind, code in BLOCK.findall(page.read_text()):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, page.name, "exec"), names)
            assert kind == "python" or not output.getvalue(), f"{page.name}: a block that draws prints nothing"
            printed += [output.getvalue()] * bool(output.getvalue())
    finally:
        os.chdir(before)
    return printed


def with_results(page, folder):
    """The page with what its code prints, and with the words of the pictures that it drew into the folder."""
    printed = iter(run(page, folder))
    text = TEXT.sub(lambda _: f"```text\n{next(printed)}```", page.read_text())
    assert not list(printed), f"{page.name}: something is printed and not shown"
    return IMAGE.sub(lambda found: gallery.image(found[2], folder, ""), text)
