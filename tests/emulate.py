"""The golden corpus on other machines, emulated by qemu: their Python and NumPy, the kernels cross-compiled for them.

    python tests/emulate.py s390x                                ten minutes of the corpus with the compiled kernels
    python tests/emulate.py armhf --minutes 3 --kernels numpy    three minutes of it with NumPy's

Needs a Debian or Ubuntu with qemu-user-static or qemu-user and the cross compiler of the target, and CPython 3.11 or
later with Cython. Python and NumPy of the target are packages of Debian's release trixie, or of sid while a mirror
lacks files of trixie, fetched once into the folder and left there. Cases come in the order of the sha256 of their ids,
so that a part of them spreads over all suites; a case is equal when the digest of all that is published of it is that
of refpos/golden/lock.json. Exit status: 0 when every case that ran is equal, 1 when one differs, 2 when none ran.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = {"trixie": "python3.13", "sid": "python3.14"}  # release: its Python; the second while the first cannot be had
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class Target(NamedTuple):
    """How Debian, gcc, Python and qemu each call a machine; `cpu` is what qemu emulates, its widest where empty."""

    libraries: str
    compiler: str
    platform: str
    qemu: str
    cpu: str = ""


TARGETS = {
    "aarch64": Target("aarch64-linux-gnu", "aarch64-linux-gnu", "linux-aarch64", "aarch64", "cortex-a72"),
    "armhf": Target("arm-linux-gnueabihf", "arm-linux-gnueabihf", "linux-armv7l", "arm"),
    "i386": Target("i386-linux-gnu", "i686-linux-gnu", "linux-i686", "i386"),
    "s390x": Target("s390x-linux-gnu", "s390x-linux-gnu", "linux-s390x", "s390x"),
}
# what Debian calls the one that qemu and gcc call aarch64
DEBIAN = {"aarch64": "arm64"}
# how corpus() ends there; an exception, such as an import that is refused, ends with 1
EQUAL, DIFFERENT, NONE = 0, 3, 4


def stop(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def emulator_of(target):
    """The command that runs the target's programs: qemu-user-static's, else qemu-user's."""
    names = [f"qemu-{target.qemu}-static", f"qemu-{target.qemu}"]
    found = [name for name in names if shutil.which(name)]
    return found[0] if found else stop(f"{names[0]} must be installed (Debian's qemu-user-static), got none")


def compiler_of(target):
    """The newest cross compiler here: Debian's have the version in their name, some have one without as well."""
    prefix = f"{target.compiler}-gcc"
    found = [name for name in (prefix, *(f"{prefix}-{n}" for n in range(20, 10, -1))) if shutil.which(name)]
    return found[0] if found else stop(f"{prefix} must be installed (Debian's gcc-12-{target.compiler}), got none")


# -- the machine ------------------------------------------------------------------------------------------------------


def mirror():
    """Where this machine's own packages come from."""
    sites = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]
    lines = subprocess.run(sites, capture_output=True, text=True, check=True).stdout.splitlines()
    found = sorted({line.partition(" ")[2] for line in lines if line.startswith("Debian ") and "security" not in line})
    return found[0] if found else stop("apt must have a Debian mirror among its sources, got none: use --mirror")


def apt_of(state, architecture, site, release):
    """The command of an apt that keeps its own state in a folder and knows one release."""
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (state / "sources").write_text(f"deb [signed-by={KEYRING}] {site} {release} main\n")
    options = {
        "Dir::State": state, "Dir::State::status": state / "status", "Dir::Cache": state / "cache",
        "Dir::Etc::sourcelist": state / "sources", "Dir::Etc::sourceparts": "-", "APT::Architecture": architecture,
        "APT::Architectures::": architecture, "APT::Sandbox::User": "", "APT::Install-Recommends": "false",
        "Acquire::Retries": "3",
    }  # fmt: skip
    return ["apt-get", "-q", *(f"-o{key}={value}" for key, value in options.items())]


def fetch(folder, architecture, site, wanted):
    """(a root folder, the release it is of): packages with all they need, of the first release that has them all.

    wanted: {release: packages}. Each release is tried twice: while a mirror is brought up to date it lacks files.
    """
    root = folder / "root"
    if (root / "complete").exists():
        return root, (root / "complete").read_text()
    for release in [release for release in wanted for _ in range(2)]:
        state = folder / f"apt-{release}"
        apt = apt_of(state, architecture, site, release)
        steps = (["update", "--error-on=any"], ["install", "--download-only", "-y", *wanted[release]])
        if all(subprocess.run([*apt, *step], check=False).returncode == 0 for step in steps):
            unpack(sorted((state / "cache" / "archives").glob("*.deb")), root)
            (root / "complete").write_text(release)
            return root, release
        print(f"Debian's {release} cannot be had of {site} now", file=sys.stderr, flush=True)
    return stop(f"{' or '.join(wanted)} of Debian must have {architecture} packages on {site}, got neither: try later")


def unpack(packages, root):
    for top in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / top).mkdir(parents=True, exist_ok=True)
        (root / top).unlink(missing_ok=True)
        (root / top).symlink_to(f"usr/{top}")
    for package in packages:
        contents = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", root], input=contents, check=True)


def copy(site):
    """The sources, without what was built here."""
    for part in ("refpos", "ext"):
        ignored = shutil.ignore_patterns("*.so", "*.pyd", "compiled.c", "__pycache__")
        shutil.copytree(ROOT / part, site / part, ignore=ignored)
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, site)


def build(target, root, python, folder):
    """The package with kernels for the target, by setup.py itself."""
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    copy(site)
    headers = folder / "headers"  # of Python alone: those of its C library are the compiler's own
    shutil.rmtree(headers, ignore_errors=True)
    (headers / target.libraries).mkdir(parents=True)
    (headers / target.libraries / python).symlink_to(root / "usr" / "include" / target.libraries / python)
    compiler = compiler_of(target)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("REFPOS_")},
        "CC": compiler, "LDSHARED": f"{compiler} -shared", "CFLAGS": "", "LDFLAGS": "",
        "_PYTHON_HOST_PLATFORM": target.platform, "REFPOS_REQUIRE_KERNELS": "1",
    }  # fmt: skip
    include = f"--include-dirs={root / 'usr' / 'include' / python}{os.pathsep}{headers}"
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", include]
    subprocess.run(command, cwd=site, env=environment, check=True)
    shutil.rmtree(site / "ext")  # the package is no source tree there
    return site


# -- on the machine ---------------------------------------------------------------------------------------------------


def run(target, root, python, site, kernels, minutes):
    """corpus(minutes) on the emulated machine: its exit status."""
    libraries = root / "usr" / "lib" / target.libraries
    places = [libraries, libraries / "blas", libraries / "lapack"]
    variables = {
        "LD_LIBRARY_PATH": ":".join(map(str, places)),
        "PYTHONPATH": f"{site}:{root / 'usr' / 'lib' / 'python3' / 'dist-packages'}:{Path(__file__).parent}",
        "REFPOS_KERNELS": kernels,
    }
    command = [emulator_of(target), "-L", root]
    for key, value in variables.items():
        command += ["-E", f"{key}={value}"]
    environment = {**os.environ, **({"QEMU_CPU": target.cpu} if target.cpu else {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling it all takes a minute there
    code = f"import emulate, sys; sys.exit(emulate.corpus({minutes}))"
    return subprocess.run([*command, root / "usr" / "bin" / python, "-c", code], cwd=site, env=environment).returncode


def corpus(minutes):
    """Compare core cases with the lock for so many minutes: EQUAL when all that ran are, DIFFERENT, or NONE."""
    import refpos
    from refpos import golden
    from refpos.golden.format import case_digest
    from refpos.golden.generate import case_entry
    from refpos.golden.read import read_lock

    refpos.show_config()
    print(f"pointers {sys.maxsize.bit_length() + 1} bits", flush=True)
    locked = read_lock()["cases"]
    waiting = sorted(golden.cases(tier="core"), key=lambda case: hashlib.sha256(case.id.encode()).digest())
    start, ran, differing = time.monotonic(), 0, 0
    for case in waiting:
        if time.monotonic() - start > 60 * minutes:
            break
        ran += 1
        try:
            found = case_digest(case_entry(case, {}))
        except Exception as error:  # here a case that cannot be computed is one that differs
            found = f"{type(error).__name__}: {error}"
        if found != locked[case.id]:
            differing += 1
            print(f"differs: {case.id}: {found:.100}", flush=True)
    seconds = time.monotonic() - start
    print(f"{ran - differing} of {ran} cases equal, of {len(waiting)} in the core corpus, in {seconds:.0f} s")
    return NONE if ran == 0 else DIFFERENT if differing else EQUAL


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--minutes", type=float, default=10, help="how long to compare cases (default: %(default)g)")
    parser.add_argument("--kernels", choices=("compiled", "numpy"), default="compiled")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "emulate", help="where all is put")
    parser.add_argument("--mirror", help="of Debian packages (default: this machine's own)")
    options = parser.parse_args()
    target, folder = TARGETS[options.target], options.folder.resolve() / options.target
    emulator_of(target)
    wanted = {release: ["python3-numpy", f"lib{python}-dev"] for release, python in PYTHONS.items()}
    root, release = fetch(folder, DEBIAN.get(options.target, options.target), options.mirror or mirror(), wanted)
    site = build(target, root, PYTHONS[release], folder)
    status = run(target, root, PYTHONS[release], site, options.kernels, options.minutes)
    sys.exit({EQUAL: 0, DIFFERENT: 1}.get(status, 2))


if __name__ == "__main__":
    main()
