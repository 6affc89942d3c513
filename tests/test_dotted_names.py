"""Names such as `refpos.rotary.pope`, in docstrings and pages, are there after `import refpos` and nothing else."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import refpos

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(refpos.__file__).resolve().parent
NAME = re.compile(r"(?<![\w./@-])refpos(?:\.[A-Za-z_]\w*)+(?![\w/]|\.(?:json|npz|md|svg|html|whl))")
#: what pages name that is no attribute: modules that are run, files, and names that are said not to be there
ELSEWHERE = {
    "refpos.golden.lock": "python -m", "refpos.json": "a file of Zarr", "refpos.float_guard": "an extension",
    "refpos.deprecations": "for who works on it", "refpos.absolute.counted_positions": "an example of a former name",
    "refpos.counted_positions": "the same", "refpos.FAMILY.NAME": "a placeholder",
}  # fmt: skip


def docstrings(path):
    """The docstrings of a module and of what it defines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""


def named():
    """{dotted name: a file that has it}."""
    texts = [(path, "\n".join(docstrings(path))) for path in sorted(PACKAGE.rglob("*.py"))]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts += [(path, path.read_text()) for path in pages if path.name != "changelog.md"]
    return {name: path.name for path, text in texts for name in NAME.findall(text)}


def missing(names):
    """Those that a fresh process does not find."""
    code = (
        "import sys, refpos\n"
        "for name in sys.argv[1:]:\n"
        "    value = refpos\n"
        "    try:\n"
        "        for part in name.split('.')[1:]:\n"
        "            value = getattr(value, part)\n"
        "    except AttributeError as error:\n"
        "        print(name, '|', error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.exhaustive
def test_every_dotted_name_is_there():
    names = named()
    gone = [f"{names[line.split(' | ')[0]]}: {line}" for line in missing(sorted(set(names) - set(ELSEWHERE)))]
    assert gone == [] and len(names) > 100


def test_a_name_that_is_not_there_is_found():
    assert missing(["refpos.rope", "refpos.pope", "refpos.rotary.pope"]) == [
        "refpos.pope | module 'refpos' has no attribute 'pope': it is refpos.rotary.pope"
    ]
