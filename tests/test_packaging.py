"""What is shipped: source distribution, wheel with kernels, wheel without a compiler; each is built and used here."""

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive  # each build takes seconds

ROOT = Path(__file__).resolve().parent.parent
ABI3 = sys.version_info >= (3, 11) and not sysconfig.get_config_var("Py_GIL_DISABLED")
COMPILED = f"refpos-0.1.0-{'cp311-abi3' if ABI3 else f'cp3{sys.version_info.minor}-cp3{sys.version_info.minor}'}-"
GENERATED = re.compile(r"(^|/)(build|dist|__pycache__|\.[a-z_]+|[^/]*\.egg-info)/|\.(so|pyd|pyc)$|^ext/compiled\.c$")


def sources():
    """What a clean clone holds of the package, its tests and its pages, as names relative to the root."""
    tops = [ROOT / name for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE")]
    folders = ("refpos", "ext", "tests", "docs")
    files = tops + [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(name for name in (path.relative_to(ROOT).as_posix() for path in files) if not GENERATED.search(name))


def build(what, source, target, before="", **variables):
    """Build a "wheel" or "sdist" of the source folder into target: (the finished process, the file or None)."""
    target.mkdir()
    code = f"{before}\nfrom setuptools import build_meta\nbuild_meta.build_{what}({str(target)!r})"
    environment = {name: v for name, v in os.environ.items() if name not in ("CC", "CFLAGS", "REFPOS_REQUIRE_KERNELS")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, env={**environment, **variables}, capture_output=True, text=True
    )
    return done, next(target.iterdir(), None)


def refpos(site, *words, **variables):
    """Run `python -m refpos` or `-c code` on the package as unpacked in `site`."""
    # what this run must have says nothing of that one
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFPOS_")}
    environment |= {"PYTHONPATH": str(site), **variables}
    return subprocess.run([sys.executable, *words], cwd=site, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clone")
    for name in sources():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def sdist(clone, tmp_path_factory):
    done, made = build("sdist", clone, tmp_path_factory.mktemp("sdist") / "out")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    """The source distribution, unpacked, and nothing beside it."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


def installed(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def wheel(unpacked, tmp_path_factory):
    done, made = build("wheel", unpacked, tmp_path_factory.mktemp("wheel") / "out", REFPOS_REQUIRE_KERNELS="1")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def without_compiler(clone, tmp_path_factory):
    return build("wheel", clone, tmp_path_factory.mktemp("plain") / "out", CC="/bin/false")


def test_what_a_former_build_left_is_not_shipped(clone, without_compiler, tmp_path):
    (left,) = (clone / "build").glob("lib*")
    stale = ["refpos/encodings/__init__.py", "refpos/former.py", "refpos/golden/data/former.json"]
    for name in stale:
        (left / name).parent.mkdir(exist_ok=True)
        (left / name).write_text("")
    done, wheel = build("wheel", clone, tmp_path / "out", CC="/bin/false")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(wheel) as again, zipfile.ZipFile(without_compiler[1]) as first:
        assert set(stale) & set(again.namelist()) == set() and again.namelist() == first.namelist()


def golden_tests_pass(site, folder, **variables):
    made = refpos(site, "-m", "refpos", "generate", str(folder), **variables)
    assert made.returncode == 0, made.stderr
    done = refpos(site, "-m", "refpos", "verify", str(folder), **variables)
    ran, of = re.search(r"ran (\d+) of (\d+)", done.stdout).groups()
    assert done.returncode == 0 and ran == of and int(ran) >= 150, done.stdout + done.stderr


def test_source_distribution_holds_every_source(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(sources()) - names == set()
    assert {"tests/conftest.py", "tests/witness/formulas.py", "tests/data/hard.json", "docs/rotary.md"} <= names
    assert [name for name in names if name.endswith((".pyc", ".so")) or name == "ext/compiled.c"] == []


def test_tests_are_collected_from_the_source_distribution(unpacked):
    files = [f"tests/test_{name}.py" for name in ("alibi", "witness", "lint", "position_ids", "docs")]
    done = refpos(unpacked, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files)
    collected = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert done.returncode == 0 and collected == set(files), done.stdout[-2000:] + done.stderr


def test_tests_run_from_the_source_distribution(unpacked):
    files = [f"tests/test_{name}.py" for name in ("alibi", "picture")]
    done = refpos(unpacked, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, REFPOS_KERNELS="numpy")
    passed = re.search(r"^(\d+) passed", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and int(passed[1]) >= 10, done.stdout[-2000:] + done.stderr


def test_source_distributions_of_one_time_are_equal(clone, sdist, tmp_path):
    made = [build("sdist", clone, tmp_path / name, SOURCE_DATE_EPOCH="1000000000")[1] for name in ("one", "two")]
    assert made[0].read_bytes() == made[1].read_bytes()
    with tarfile.open(made[0]) as archive, tarfile.open(sdist) as other:
        assert {member.mtime for member in archive} == {1000000000} and archive.getnames()
        assert sorted(archive.getnames()) == sorted(other.getnames())


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    (kernels,) = [name for name in names if name.startswith("refpos/kernels/compiled.")]
    (guard,) = [name for name in names if name.startswith("refpos/float_guard.")]
    assert names - {kernels, guard} == {name for name in sources() if name.startswith("refpos/")}
    assert {"refpos/py.typed", "refpos/__init__.pyi"} <= set(names)
    assert any(name.startswith("refpos/golden/data/") for name in names)
    assert (".abi3." in kernels) == (".abi3." in guard) == ABI3


def test_wheel_is_small_and_serves_all_pythons_it_can(wheel):
    assert wheel.stat().st_size < 8_500_000
    assert wheel.name.startswith(COMPILED)


def test_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        read = {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist() if ".dist-info/" in name}
    metadata = email.message_from_bytes(read["METADATA"])
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert needed == ["numpy>=1.26"]
    assert metadata["Requires-Python"] == ">=3.10" and metadata["License-Expression"] == "BSD-3-Clause AND CC0-1.0"
    extras = {"plot", "interop", "dask", "test", "frameworks", "docs", "lint", "bench"}
    assert extras == set(metadata.get_all("Provides-Extra"))
    assert b"refpos = refpos.cli:main" in read["entry_points.txt"]
    assert b"[pytest11]\nrefpos = refpos.pytest_plugin" in read["entry_points.txt"]
    assert b"BSD 3-Clause" in read["LICENSE"] and b"CC0 1.0 Universal" in read["LICENSE"]


def test_wheel_from_the_source_distribution_runs_its_kernels(wheel, tmp_path):
    site = installed(wheel, tmp_path / "site")
    done = refpos(site, "-c", "import refpos; refpos.show_config()", REFPOS_KERNELS="compiled")
    assert "\nkernels  compiled\n" in done.stdout, done.stderr
    golden_tests_pass(site, tmp_path / "golden")


def test_install_without_a_compiler_says_so_in_its_last_lines_and_works(without_compiler, tmp_path):
    done, wheel = without_compiler
    lines = (done.stdout + done.stderr).splitlines()
    for what in ("WITHOUT compiled kernels", "WITHOUT the floating-point guard"):
        said = [line for line in lines if what in line]
        assert done.returncode == 0 and len(said) == 1 and "/bin/false" in said[0]
        frame = done.stderr.splitlines()[done.stderr.splitlines().index(said[0]) - 1 :][:6]
        assert frame[0] == frame[-1] == 80 * "*" and "show_config" in frame[-2]
    assert done.stderr.splitlines()[-1] == 80 * "*"
    assert wheel.name == "refpos-0.1.0-py3-none-any.whl"
    site = installed(wheel, tmp_path / "site")
    done = refpos(site, "-c", "import refpos; refpos.show_config()")
    assert "\nkernels  numpy\nbecause  an install without compiled kernels: CompileError: " in done.stdout
    assert "/bin/false" in done.stdout and "NOTICE   refpos runs WITHOUT compiled kernels" in done.stdout
    assert "\nguard    not built: " in done.stdout
    golden_tests_pass(site, tmp_path / "golden")


def test_kernels_that_are_required_must_build(clone, tmp_path):
    done, made = build("wheel", clone, tmp_path / "out", CC="/bin/false", REFPOS_REQUIRE_KERNELS="1")
    assert done.returncode != 0 and made is None


def test_install_without_cython_works_too(clone, tmp_path):
    done, made = build("wheel", clone, tmp_path / "out", before="import sys; sys.modules['Cython'] = None")
    assert done.returncode == 0 and done.stderr.count("WITHOUT compiled kernels") == 1, done.stderr
    assert_only_the_guard(made, done, tmp_path / "site")


def assert_only_the_guard(wheel, done, site):
    """A wheel without kernels, whose guard needs no Cython: of one platform, and the guard works."""
    assert wheel.name.startswith(COMPILED) and "WITHOUT the floating-point guard" not in done.stderr
    assert [name for name in zipfile.ZipFile(wheel).namelist() if "compiled" in name] == []
    done = refpos(installed(wheel, site), "-c", "import refpos; refpos.show_config()")
    assert "\nkernels  numpy\n" in done.stdout and "\nguard    built: " in done.stdout, done.stderr


# -- builds that compute otherwise ------------------------------------------------------------------------------------

SAY = "import refpos; print(refpos.kernels.name, 5e-324 * 1.0, refpos.sinusoidal([3, 131072], 8).tobytes().hex())"


def planted(clone, folder, source):
    """The clone with other kernels: those of the source, which build in no time."""
    shutil.copytree(clone, folder, ignore=shutil.ignore_patterns("build", "*.egg-info", "tests", "docs"))
    (folder / "ext" / "compiled.pyx").write_text("# cython: language_level=3\n" + source)
    return folder


def test_fast_math_in_cflags_reaches_neither_the_kernels_nor_the_process(clone, wheel, tmp_path):
    flags = "-Ofast -ffast-math -funsafe-math-optimizations"
    done, made = build("wheel", clone, tmp_path / "out", CFLAGS=flags, REFPOS_REQUIRE_KERNELS="1")
    assert done.returncode == 0, done.stderr
    said = [
        refpos(installed(one, tmp_path / name), "-c", SAY, REFPOS_KERNELS="compiled")
        for name, one in (("fast", made), ("usual", wheel))
    ]
    assert said[0].stdout == said[1].stdout and said[0].stdout.startswith("compiled 5e-324 "), said[0].stderr


def test_kernels_that_fail_their_self_test_are_not_built(clone, tmp_path):
    folder = planted(clone, tmp_path / "clone", "def selftest():\n    return 'a planted fault'\n")
    done, made = build("wheel", folder, tmp_path / "out")
    said = [line for line in done.stderr.splitlines() if "WITHOUT compiled kernels" in line]
    assert done.returncode == 0 and len(said) == 1 and said[0].endswith("their self-test fails: a planted fault")
    assert_only_the_guard(made, done, tmp_path / "site")
    done, made = build("wheel", folder, tmp_path / "required", REFPOS_REQUIRE_KERNELS="1")
    assert done.returncode != 0 and made is None and "their self-test fails: a planted fault" in done.stderr


def test_a_guard_that_does_not_compile_is_named(clone, tmp_path):
    folder = planted(clone, tmp_path / "clone", "def selftest():\n    return None\n")
    (folder / "ext" / "float_guard.c").write_text("#error a planted fault\n")
    done, made = build("wheel", folder, tmp_path / "out")
    said = [line for line in done.stderr.splitlines() if "WITHOUT" in line]
    assert done.returncode == 0 and len(said) == 1 and "WITHOUT the floating-point guard" in said[0], done.stderr
    assert made.name.startswith(COMPILED)
    assert [name for name in zipfile.ZipFile(made).namelist() if "float_guard" in name] == []


def test_kernels_for_another_machine_are_not_run_here(clone, tmp_path):
    folder = planted(clone, tmp_path / "clone", "def selftest():\n    return 'a planted fault'\n")
    platform = sysconfig.get_platform()
    done, made = build("wheel", folder, tmp_path / "out", _PYTHON_HOST_PLATFORM=platform, REFPOS_REQUIRE_KERNELS="1")
    assert done.returncode == 0, done.stderr
    assert len([name for name in zipfile.ZipFile(made).namelist() if "compiled" in name]) == 1


# as crtfastm.o does, which gcc before 13 links for fast-math
FLUSHING = '''
cdef extern from *:
    """
    #include "floatcheck.h"
    static void flush_to_zero(void) {
    #if defined(__aarch64__)
        unsigned long long state = 1ull << 24;
        __asm__ volatile("msr fpcr, %0" : : "r"(state));
    #else
        _mm_setcsr(_mm_getcsr() | 0x8040);
    #endif
    }
    """
    void flush_to_zero()

flush_to_zero()
include "selftest.pxi"
'''

if os.uname().machine in ("x86_64", "aarch64"):

    def test_kernels_that_flush_to_zero_are_refused_and_the_process_is_as_before(clone, tmp_path):
        folder = planted(clone, tmp_path / "clone", FLUSHING)
        own = {"_PYTHON_HOST_PLATFORM": sysconfig.get_platform(), "REFPOS_REQUIRE_KERNELS": "1"}
        done, made = build("wheel", folder, tmp_path / "out", **own)
        assert done.returncode == 0, done.stderr
        code = "try:\n    import refpos\nexcept ImportError as error:\n    print(error, '|', 5e-324 * 1.0)\n"
        done = refpos(installed(made, tmp_path / "site"), "-c", code)
        assert "cannot be trusted: subnormal numbers" in done.stdout and done.stdout.endswith("| 5e-324\n"), done.stderr
