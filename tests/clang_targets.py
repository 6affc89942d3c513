"""Whether clang accepts every C file of ext/ for the machines that refpos is built on: no linker, no library is needed.

    python tests/clang_targets.py             with `clang`; CLANG=clang-19 names another one

Headers of C that clang does not bring are declared here, as far as the kernels use them. A file that includes Python.h
needs all headers of a machine, and is checked for this one alone. Exit status: 0 when clang
accepts every file for every target, 1 when it refuses one, 2 when clang is absent, or accepts a planted fault.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

EXT = Path(__file__).resolve().parent.parent / "ext"
TARGETS = (
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "armv7-linux-gnueabihf",
    "riscv64-linux-gnu",
    "s390x-linux-gnu",
    "x86_64-unknown-freebsd",
    "x86_64-apple-macos",
    "arm64-apple-macos",
    "x86_64-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
    "x86_64-pc-windows-gnu",
)
HEADERS = {
    "stdlib.h": "void *malloc(size_t);\nvoid free(void *);\n",
    "string.h": "void *memcpy(void *, const void *, size_t);\nint memcmp(const void *, const void *, size_t);\n"
    "void *memset(void *, int, size_t);\n",
}
FLAGS = ("-std=gnu11", "-O1", "-ffp-contract=off", "-Wall", "-Werror", "-fsyntax-only")
BARE = ("-ffreestanding", "-nostdlibinc")
HERE = "this machine"
# unsigned long long added to lanes of uint64_t, which is unsigned long on Linux: this stood in seeds.h
FAULT = """
#include <stdint.h>
typedef uint64_t lanes __attribute__((vector_size(16)));
lanes plus(lanes a, unsigned long long b) { return a + (b >> 32); }
"""


def stop(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def refusal(clang, target, file, headers):
    """What clang prints when it refuses a file for a target, or for this machine; "" when it accepts the file."""
    there = ["-I", sysconfig.get_path("include")] if target == HERE else ["-target", target, *BARE, "-isystem", headers]
    done = subprocess.run([clang, *FLAGS, *there, file], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr or f"status {done.returncode}"


def main():
    clang, files = shutil.which(os.environ.get("CLANG", "clang")), sorted(EXT.glob("*.c"))
    if not clang:
        stop("clang must be installed (Debian's clang), got none")
    if len(files) < 3:
        stop(f"{EXT} must hold at least 3 C files, got {len(files)}")
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in HEADERS.items():
            Path(folder, name).write_text(f"#include <stddef.h>\n{text}")
        planted = Path(folder, "planted.c")
        planted.write_text(FAULT)
        if not refusal(clang, "aarch64-linux-gnu", planted, folder):
            stop("clang must refuse the planted fault, got no error: nothing was checked")
        of_python = [file for file in files if "<Python.h>" in file.read_text()]
        pairs = [(target, file) for target in TARGETS for file in files if file not in of_python]
        for target, file in [*pairs, *((HERE, file) for file in of_python)]:
            said = refusal(clang, target, file, folder)
            refused += bool(said)
            print(f"{'REFUSED' if said else 'accepted'}  {target}  {file.name}\n{said}", end="", flush=True)
    count = len(pairs) + len(of_python)
    print(f"{count - refused} of {count} accepted: {len(files)} files, {len(TARGETS)} targets")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
