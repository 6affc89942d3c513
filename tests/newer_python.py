"""The golden corpus with a newer Python, which Debian has and this machine has not; x86-64 Linux.

    python tests/newer_python.py 3.14 refpos-0.1.0-cp311-abi3-linux_x86_64.whl golden --folder scratch

Python comes from Debian's releases testing or sid, with its own C library, into a root folder that nothing else uses;
NumPy and the wheel are installed beside it by pip. `refpos generate` must write the bytes of the folder `golden` with
the compiled kernels of the wheel and with those of NumPy. Exit status: 0 when both do, 1 when a byte differs, 2 when
Python or a package cannot be had, or nothing was written.
"""

import argparse
import filecmp
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import emulate

LOADER = "ld-linux-x86-64.so.2"


def command_of(root, version):
    """The interpreter of a root folder, run by the loader and with the libraries of that folder."""
    usr = root / "usr"
    libraries = usr / "lib" / "x86_64-linux-gnu"
    loader = next((path for path in (libraries / LOADER, usr / "lib64" / LOADER) if path.exists()), None)
    if not loader:
        emulate.stop(f"{LOADER} must be among the packages, got none")
    return [loader, "--library-path", libraries, usr / "bin" / f"python{version}", "-s"]


def install(version, wheel, site):
    """NumPy and the wheel as pip installs them for that Python; nothing is built."""
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in (28, 27, 17)] + ["manylinux2014_x86_64", "linux_x86_64"]
    abis = [f"cp{version.replace('.', '')}", "abi3", "none"]
    told = [f"--platform={name}" for name in platforms] + [f"--abi={name}" for name in abis]
    # pip asks this Python, and not that one, whether the packages that it chose for that one may be installed
    told += [f"--python-version={version}", "--ignore-requires-python"]
    command = [sys.executable, "-m", "pip", "install", "-q", "--only-binary=:all:", "--implementation=cp", *told]
    done = subprocess.run([*command, "--no-deps", "--target", site, "numpy", wheel], check=False)
    if done.returncode:
        emulate.stop(f"pip must install NumPy and {wheel} for Python {version}, got status {done.returncode}")


def differing(one, other):
    """Names of files that two folders do not hold with the same bytes."""
    held, made = ({path.name for path in folder.iterdir()} for folder in (one, other))
    _, changed, unreadable = filecmp.cmpfiles(one, other, sorted(held & made), shallow=False)
    return sorted(held ^ made) + changed + unreadable


#: in the folder of the installed package, so that no source tree is taken for it
CODE = """
import sys, refpos, refpos.cli
refpos.show_config()
assert refpos.__file__.startswith(sys.argv[1]), refpos.__file__
sys.exit(refpos.cli.main(["generate", sys.argv[2]]))
"""


def generate(command, environment, golden, made):
    """Write the corpus into a folder and compare it: 0, 1 or 2 as above."""
    site = environment["PYTHONPATH"]
    command = [*command, "-c", CODE, site, made]
    done = subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, flush=True)
    if done.returncode or not any(golden.iterdir()):
        return 2
    wrong = differing(golden, made)
    print(f"other bytes: {wrong[:9]}" if wrong else f"same bytes: {sum(1 for _ in made.iterdir())} files", flush=True)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="such as 3.14")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("golden", type=Path, help="what `refpos generate` wrote with another Python")
    parser.add_argument("--folder", type=Path, required=True, help="an empty folder, where all is put")
    parser.add_argument("--mirror", help="of Debian packages (default: this machine's own)")
    options = parser.parse_args()
    folder = options.folder.resolve() / options.version
    wanted = {release: [f"python{options.version}", "libc6"] for release in ("testing", "sid")}
    root, _ = emulate.fetch(folder, "amd64", options.mirror or emulate.mirror(), wanted)
    install(options.version, options.wheel.resolve(), folder / "site")
    usable = {name: value for name, value in os.environ.items() if not name.startswith(("REFPOS_", "PYTHON"))}
    usable |= {"PYTHONHOME": str(root / "usr"), "PYTHONPATH": str(folder / "site")}
    command = command_of(root, options.version)

    def check(kernels):
        environment = {**usable, "REFPOS_KERNELS": kernels}
        return generate(command, environment, options.golden.resolve(), folder / kernels)

    with ThreadPoolExecutor(2) as pool:
        sys.exit(max(pool.map(check, ("compiled", "numpy"))))


if __name__ == "__main__":
    main()
