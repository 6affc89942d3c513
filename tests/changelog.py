"""The fragments of the changelog: what docs/contributing.md says of them, checked and put together.

    python tests/changelog.py                          check all fragments
    python tests/changelog.py draft                    what a release would add to docs/changelog.md
    python tests/changelog.py release 0.1.0 --date 2026-12-01

A fragment is a file such as docs/changes/masked-arrays.fixed.txt, one paragraph. A release writes them below the
heading of its version, in place of "not yet released", and deletes them.
"""

import argparse
import datetime
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: what a change is, in the order in which a release lists them
KINDS = {
    "added": "new features",
    "changed": "changed behaviour",
    "deprecated": "features that will be removed, and in which version",
    "removed": "removed features",
    "fixed": "bugs",
    "faster": "less time or memory",
}
NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.txt")
LONGEST, WIDEST = 600, 120
HEAD = "## Package\n"
UNRELEASED = "### {}, not yet released"


def fragments(root=ROOT):
    """The files of docs/changes, in the order of a release."""
    files = [path for path in (root / "docs" / "changes").glob("*") if path.is_file()]
    return sorted(files, key=lambda path: (order(path), path.name))


def order(path):
    kind = path.name.split(".")[1:2]
    return [*KINDS].index(kind[0]) if kind and kind[0] in KINDS else len(KINDS)


def faults(path, text):
    """One sentence for each thing that is wrong with a fragment."""
    if not NAME.fullmatch(path.name):
        kinds = ", ".join(KINDS)
        yield f"{path.name} must be called words-with-hyphens.KIND.txt, where KIND is one of {kinds}"
    said = text.strip()
    if not re.match(r"[A-Z`*]", said) or not said.endswith("."):
        yield f"{path.name} must be a sentence, from a capital or a name in backticks to a full stop"
    if "\n\n" in said or re.search(r"^\s*([-*#|>]|\d+\.) ", said, re.MULTILINE):
        yield f"{path.name} must be one paragraph, without a list or a heading"
    if len(said) > LONGEST or any(len(line) > WIDEST for line in text.splitlines()):
        yield f"{path.name} must have at most {LONGEST} characters in lines of {WIDEST}: pages say the rest"
    for target in re.findall(r"\]\(([^)#\s]+)", said):
        if "://" not in target and not (path.parent.parent / target).is_file():
            yield f"{path.name} must link to pages of docs by their names, got {target}"


def wrong(root=ROOT):
    """What is wrong with any fragment."""
    return [fault for path in fragments(root) for fault in faults(path, path.read_text(encoding="utf-8"))]


def lines(root=ROOT):
    """The fragments as items of a list."""
    for path in fragments(root):
        kind = path.name.split(".")[1].capitalize()
        text = f"- **{kind}.** {' '.join(path.read_text(encoding='utf-8').split())}"
        yield textwrap.fill(text, WIDEST, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def assembled(page, version, date, items):
    """The page with a section of that version: what was noted before stands below the new items."""
    open_section, heading = UNRELEASED.format(version), f"### {version}, {date}"
    new = "".join(f"{item}\n" for item in items)
    if open_section in page:
        before, _, after = page.partition(f"{open_section}\n")
        introduction, bullet, rest = after.partition("\n- ")
        return f"{before}{heading}\n{introduction}\n{new}{bullet[1:]}{rest}"
    if f"### {version}, " in page:
        raise SystemExit(f"docs/changelog.md must have no section of {version} yet, got one")
    before, head, after = page.partition(HEAD)
    return f"{before}{head}\n{heading}\n\n{new}{after}"


def release(version, date, root=ROOT):
    """Write the section of the version and delete the fragments."""
    page = root / "docs" / "changelog.md"
    text = assembled(page.read_text(encoding="utf-8"), version, date, list(lines(root)))
    page.write_text(text, encoding="utf-8")
    for path in fragments(root):
        path.unlink()


def main(arguments=None):
    """Check, and do what is asked; a status for the shell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("check", "draft", "release"), default="check")
    parser.add_argument("version", nargs="?", help="with release: such as 0.1.0")
    today = datetime.date.today().isoformat()
    parser.add_argument("--date", type=datetime.date.fromisoformat, default=today, help="with release; default today")
    options = parser.parse_args(arguments)
    found = wrong()
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    if options.what == "draft":
        print("\n".join(lines()))
    elif options.what == "release":
        if not re.fullmatch(r"\d+\.\d+\.\d+", options.version or ""):
            parser.error("release needs a version such as 0.1.0")
        release(options.version, options.date)
    else:
        print(f"{len(fragments())} fragments")
    return 0


if __name__ == "__main__":
    sys.exit(main())
