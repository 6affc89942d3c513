"""What a release takes: checks, the source distribution, a wheel of it, and a test of the wheel (docs/releasing.md).

    python tests/release.py --dry-run       says what a release would be refused for, and goes on
    python tests/release.py --tag v0.1.0    refuses, or leaves both files in dist/

The wheel is installed alone into a fresh environment, where it must compute every golden case as the lock has it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import changelog

ROOT = changelog.ROOT


# -- what must hold ---------------------------------------------------------------------------------------------------


def version(root=ROOT):
    """The version of the package."""
    return re.search(r'^__version__ = "(.*)"$', (root / "refpos" / "_version.py").read_text(), re.MULTILINE)[1]


def refusals(tag, root=ROOT):
    """One sentence for each thing that keeps this tree from being released."""
    held = version(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", held):
        yield f"refpos/_version.py must have a version of three numbers, got {held}"
    if tag != f"v{held}":
        yield f"the tag must be v{held}, got {tag or 'none'}"
    page = (root / "docs" / "changelog.md").read_text()
    newest = re.search(r"^### (.*)$", page.partition(changelog.HEAD)[2], re.MULTILINE)
    if not newest or not re.fullmatch(re.escape(held) + r", \d{4}-\d\d-\d\d", newest[1]):
        yield f"docs/changelog.md must begin with {held} and its date, got {newest and newest[1]}"
    left = changelog.fragments(root)
    if left:
        yield f"docs/changes must be empty: python tests/changelog.py release {held}, got {len(left)} fragments"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    if changed.stdout:
        yield f"everything must be committed, got {len(changed.stdout.splitlines())} changed files"


def refusals_of_values(page, lock, ids):
    """What the page, the lock and the ids of all cases do not agree on: the numbers themselves are computed later."""
    newest = re.search(r"^\| (\d+\.\d+\.\d+) \| (\d+) in ", page, re.MULTILINE)
    said, locked = newest.groups(), (lock["values_version"], str(len(lock["cases"])))
    if said != locked:
        yield f"docs/changelog.md must begin with values {locked[0]} and {locked[1]} cases, got {said[0]} and {said[1]}"
    apart = {*ids} ^ {*lock["cases"]}
    if apart:
        yield f"refpos/golden/lock.json must hold every case and no other, got {len(apart)} apart: {min(apart)}"


def refusals_of_package(held):
    """What the package as it is imported here says against a release."""
    import refpos
    from refpos import deprecations, golden
    from refpos.golden.read import read_lock

    for module in walk_packages(refpos.__path__, "refpos."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    yield from deprecations.due(held)
    page = (ROOT / "docs" / "changelog.md").read_text()
    yield from refusals_of_values(page, read_lock(), [case.id for case in golden.cases()])


# -- the files --------------------------------------------------------------------------------------------------------


def build(folder):
    """(source distribution, wheel made of it), both in the folder; kernels must build."""
    environment = {**os.environ, "REFPOS_REQUIRE_KERNELS": "1", "SOURCE_DATE_EPOCH": committed()}
    folder.mkdir(exist_ok=True)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    (source,) = folder.glob("*.tar.gz")
    words = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source]
    subprocess.run(words, env=environment, check=True)
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def committed():
    """When the last change was committed, in seconds, so that the source distribution has the same bytes again."""
    words = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def tested(wheel, folder):
    """Whether the wheel, installed in an environment of its own, has its kernels and agrees with the lock."""
    venv.create(folder / "environment", with_pip=True)
    python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REFPOS_", "PYTHON"))}
    for words in (["pip", "install", "-q", wheel], ["refpos.golden.lock"]):
        done = subprocess.run([python, "-m", *words], cwd=folder, env={**kept, "REFPOS_KERNELS": "compiled"})
        if done.returncode:
            return False
    return True


def main(arguments=None):
    """Check, build and test; a status for the shell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", default="", help="the tag of the release, such as v0.1.0")
    parser.add_argument("--dry-run", action="store_true", help="say what would be refused, and go on")
    options = parser.parse_args(arguments)
    found = [*refusals(options.tag), *changelog.wrong(), *refusals_of_package(version())]
    for sentence in found:
        print(f"{'would be refused' if options.dry_run else 'REFUSED'}: {sentence}", flush=True)
    if found and not options.dry_run:
        return 1
    target = ROOT / "dist"
    with tempfile.TemporaryDirectory() as scratch:
        made = build(Path(scratch) / "dist")
        if not tested(made[1], Path(scratch)):
            print("REFUSED: the installed wheel does not agree with the lock")
            return 1
        target.mkdir(exist_ok=True)
        for path in made:
            shutil.copy(path, target)
            print(f"dist/{path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
