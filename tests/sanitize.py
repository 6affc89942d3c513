"""The compiled kernels under AddressSanitizer and UndefinedBehaviorSanitizer.

    python tests/sanitize.py            builds them with both, runs the tests that reach them; prints "0 reports"
    python tests/sanitize.py --plant    one store is moved one element on first: the same job must report it
    python tests/sanitize.py --tests "tests/test_kernel_twins.py -k rope"

Needs gcc with its sanitizers, Cython, and what the tests need. Everything happens in a copy of the tree in a temporary
folder. Exit status: 0 when there is no report and every test passes (with --plant, when the planted write is reported),
1 otherwise, 2 when the job could not run.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = (
    "-m 'not long' tests/test_kernel_twins.py tests/test_small_calls.py tests/test_written.py tests/test_properties.py "
    "tests/test_every_encoding.py tests/test_golden.py tests/test_golden_verify.py tests/test_alibi.py "
    "tests/test_t5.py --deselect tests/test_golden.py::test_the_wheel_stays_small"  # sanitizers make the library larger
)
FLAGS = (
    "-shared -fPIC -O1 -g -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-omit-frame-pointer -w -Wno-psabi "
    "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
).split()
# the store of a register into the caller's memory, one element past where it belongs; ext/tables.h makes it
STORE, MOVED = re.compile(r"(\(\*\(loose_i \*\))\(p\) = "), r"\1((p) + 2) = "
# what a report begins with; the word of the sanitizers, or of a process that dies without one
REPORT = re.compile(r"^.*(?:ERROR: AddressSanitizer|: runtime error: ).*$", re.MULTILINE)


def copy(folder):
    """The tree without what was built."""
    for name in ("refpos", "ext", "tests", "docs"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "compiled.c")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, folder)


def plant(folder):
    path = folder / "ext" / "registers.h"
    text, count = STORE.subn(MOVED, path.read_text())
    if count != 1:
        sys.exit(f"--plant must find 1 store {STORE.pattern!r} in ext/registers.h, got {count}")
    path.write_text(text)


def build(folder, compiler):
    """The kernels with the sanitizers, where the copy of the package looks for them."""
    module = folder / "refpos" / "kernels" / "compiled"
    run = dict(cwd=folder, check=True)
    subprocess.run([sys.executable, "-m", "cython", "-3", "ext/compiled.pyx", "-o", f"{module}.c"], **run)
    built = f"{module}{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = [f"-I{sysconfig.get_path('include')}", f"-I{folder / 'ext'}"]
    sources = [f"{module}.c", *map(str, sorted((folder / "ext").glob("*.c")))]
    subprocess.run([*compiler, *FLAGS, *include, *sources, "-o", built], **run)


def library(compiler, name):
    found = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    if not os.path.isabs(path):
        print(f"{' '.join(compiler)} must have {name}, got none")
        sys.exit(2)
    return path


def test(folder, compiler, tests, limit):
    """Run the tests on the built kernels: their exit status, and every report."""
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library(compiler, 'libasan.so')} {library(compiler, 'libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # small memory of Python's own has an end that can be seen, too
        "PYTHONPATH": str(folder),
        "REFPOS_KERNELS": "compiled",
    }
    # a report goes to the process's own stderr, so pytest may not catch that
    command = [sys.executable, "-m", "pytest", "-q", f"--maxfail={limit}", "--capture=sys", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *shlex.split(tests)], cwd=folder, env=environment, capture_output=True, text=True)
    starts = [found.start() for found in REPORT.finditer(done.stderr)]
    return done, [done.stderr[start:end] for start, end in zip(starts, [*starts[1:], None], strict=False)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plant", action="store_true", help="move one store one element on: it must be reported")
    parser.add_argument("--tests", default=TESTS, help=f"what pytest runs (default: {TESTS})")
    options = parser.parse_args()
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder)
        if options.plant:
            plant(folder)
        build(folder, compiler)
        done, reports = test(folder, compiler, options.tests, 0 if options.plant else 1)
    closing = done.stdout.strip().splitlines()[-1:] or [done.stderr.strip()[-500:]]
    print(f"pytest: exit status {done.returncode}, {closing[0]}")
    for text in reports:
        print(text[:3000])
    print(f"{len(reports)} reports" if len(reports) != 1 else "1 report")
    if options.plant:
        # a wide store that begins within the memory and ends past it is an "unknown-crash"
        caught = any(
            "AddressSanitizer" in text and "WRITE of size" in text and ("tables.h" in text or "registers.h" in text)
            for text in reports
        )
        print("the planted write is reported" if caught else "NOT REPORTED: the planted write")
        return 0 if caught else 1
    if done.returncode and not reports:
        print(done.stdout[-6000:], done.stderr[-3000:])
    return 1 if reports or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
