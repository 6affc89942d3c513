"""The choice of kernels: what runs, what is refused, and in which words."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import refpos
from refpos import guard, kernels
from refpos.kernels import floats, numpy_kernels

PACKAGE = Path(refpos.__file__).resolve().parent
ROOT = Path(__file__).resolve().parent.parent

# a stand-in for the built module, entered before refpos is imported
STAND_IN = """
import sys, types
module = types.ModuleType("refpos.kernels.compiled")
module.__file__ = sys.executable
module.selftest = lambda: {fault!r}
module.restore = lambda: print("restored")
module.cpus = lambda: ["baseline", "wide"]
module.use_cpu = lambda name: setattr(module, "cpu", lambda: name)
sys.modules["refpos.kernels.compiled"] = module
"""
SAY = "\nimport refpos\nprint(refpos.kernels.name, '|', refpos.kernels.reason, '|', refpos.kernels.notice())\n"


def python(code, *, wanted=None, path=None, arguments=("-c",)):
    """Run Python in a fresh process, with REFPOS_KERNELS as `wanted` and `path` before everything else."""
    # modules are compiled once, as for a user, and not at every import; distributed leaves settings of glibc's memory
    apart = (kernels.VARIABLE, "PYTHONDONTWRITEBYTECODE", "GLIBC_TUNABLES")
    kept = [name for name in os.environ if name not in apart and not name.startswith("MALLOC_")]
    environment = {name: os.environ[name] for name in kept}
    if wanted is not None:
        environment[kernels.VARIABLE] = wanted
    environment["PYTHONPATH"] = str(path or PACKAGE.parent)
    return subprocess.run(
        [sys.executable, *arguments, code], env=environment, capture_output=True, text=True, cwd=path or PACKAGE.parent
    )


@pytest.fixture
def bare(tmp_path):
    """A copy of the package without its built kernels."""
    shutil.copytree(PACKAGE, tmp_path / "refpos", ignore=shutil.ignore_patterns("compiled*", "__pycache__"))
    return tmp_path


def test_the_names_here_agree():
    module = {"numpy": "numpy_kernels", "compiled": "compiled"}[kernels.name]
    assert kernels.active.__name__ == f"refpos.kernels.{module}"
    assert kernels.active.__file__.endswith(".py") == (kernels.name == "numpy")


def test_the_steps_run_the_chosen_kernels(monkeypatch):
    called = []
    for name in ("seeds", "table", "rotate"):
        function = getattr(kernels.active, name)

        def spy(*args, function=function, name=name):
            called.append(name)
            return function(*args)

        monkeypatch.setattr(kernels.active, name, spy)
    refpos.sinusoidal(5000, 4)  # too many for a seed each
    refpos.rope(np.ones((3, 4)), 3, pairing="half")
    assert set(called) == {"seeds", "table", "rotate"}


def test_twins_have_the_same_functions():
    public = {name for name, value in vars(numpy_kernels).items() if callable(value) and not name.startswith("_")}
    assert {"seeds", "table", "rotate"} <= public
    if kernels.name == "compiled":
        assert {"seeds", "table", "rotate", "selftest"} <= set(vars(kernels.active))


def test_forcing_numpy():
    done = python(SAY, wanted="numpy")
    assert done.stdout == "numpy | REFPOS_KERNELS=numpy | None\n", done.stderr


@pytest.mark.exhaustive
def test_an_empty_variable_forces_nothing():
    assert python(SAY, wanted="").stdout == python(SAY).stdout != ""


def test_unknown_kernels_are_an_error_that_lists_the_known():
    done = python(SAY, wanted="fast")
    assert done.returncode == 1
    assert done.stderr.endswith("ImportError: REFPOS_KERNELS must be one of numpy, compiled, got 'fast'\n")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kernels_wanted", [None, "numpy"])
@pytest.mark.parametrize("variable", [kernels.VARIABLE, kernels.CPU_VARIABLE])
def test_a_misspelt_variable_is_one_sentence_for_a_user_of_the_command(monkeypatch, variable, kernels_wanted):
    """The package cannot be imported; `python -m refpos` still says why as it says all else."""
    if variable == kernels.CPU_VARIABLE:
        monkeypatch.setenv(variable, "typo")
        known = r"baseline(, avx2)?(, avx512)?( on this machine)?"
    else:
        kernels_wanted, known = "typo", "numpy, compiled"
    for module in ("refpos", "refpos.golden.lock"):
        done = python("list", wanted=kernels_wanted, arguments=("-m", module))
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(rf"refpos: {variable} must be one of {known}, got 'typo'\n", done.stderr), done.stderr
    done = python("import refpos", wanted=kernels_wanted)
    assert done.returncode == 1 and done.stderr.startswith("Traceback") and variable in done.stderr


def test_only_the_command_ends_the_program(tmp_path):
    """The script `refpos` ends with the sentence; a program that imports the package gets the exception."""
    for name, status in (("refpos", 2), ("notrefpos", 0)):
        script = tmp_path / name
        script.write_text("try:\n    import refpos\nexcept ImportError:\n    print('refused')\n")
        done = python("list", wanted="typo", arguments=(str(script),))
        assert (done.returncode, done.stdout) == (status, "" if status else "refused\n"), done.stderr


@pytest.mark.exhaustive
def test_compiled_kernels_that_pass_are_taken(bare):
    assert python(STAND_IN.format(fault=None) + SAY, path=bare).stdout.startswith("compiled | built")
    done = python(STAND_IN.format(fault=None) + SAY, path=bare, wanted="compiled")
    assert done.stdout == "compiled | REFPOS_KERNELS=compiled | None\n", done.stderr


@pytest.mark.exhaustive
def test_the_widest_instruction_set_is_taken_or_the_one_that_is_named(bare, monkeypatch):
    say = STAND_IN.format(fault=None) + "import refpos\nprint(refpos.kernels.config()['cpu'])"
    monkeypatch.delenv("REFPOS_CPU", raising=False)
    assert python(say, path=bare).stdout == "wide\n"
    monkeypatch.setenv("REFPOS_CPU", "baseline")
    assert python(say, path=bare).stdout == "baseline\n"
    monkeypatch.setenv("REFPOS_CPU", "narrow")
    done = python(say, path=bare)
    assert "ImportError: REFPOS_CPU must be one of baseline, wide on this machine, got 'narrow'" in done.stderr


@pytest.mark.exhaustive
def test_an_install_without_kernels_works_and_says_so(bare):
    record = bare / "refpos" / "kernels" / "absent.txt"
    for why in ("they were not built", "CompileError: command '/bin/false' failed"):
        said = f"an install without compiled kernels: {why}"
        done = python(SAY, path=bare)
        notice = f"refpos: numpy kernels, the same bits several times slower: {said}"
        assert (done.stdout, done.stderr) == (f"numpy | {said} | {notice}\n", "")
        done = python("import refpos; refpos.show_config()", path=bare)
        assert f"\nkernels  numpy\nbecause  {said}\n" in done.stdout, done.stderr
        assert len(done.stdout.partition("\nNOTICE   refpos runs WITHOUT compiled kernels")[2].splitlines()) == 3
        record.write_text("CompileError: command '/bin/false' failed\n")
    assert "NOTICE" not in python("import refpos; refpos.show_config()", path=bare, wanted="numpy").stdout
    done = python(SAY, path=bare, wanted="compiled")
    assert done.returncode == 1
    assert "ImportError: REFPOS_KERNELS=compiled needs built kernels, got an install without" in done.stderr


@pytest.mark.exhaustive
def test_a_source_tree_without_kernels_says_so_once(bare):
    (bare / "ext").mkdir()
    (bare / "ext" / "compiled.pyx").touch()
    done = python(SAY + "import refpos.golden\nrefpos.alibi_slopes(8)", path=bare)
    said = "a source tree without built kernels: run pip install -e ."
    assert done.stdout == f"numpy | {said} | refpos: numpy kernels, {said}\n"
    assert done.stderr.count(f"RuntimeWarning: refpos: numpy kernels, {said}\n") == 1
    assert done.stderr.count("without built kernels") == 1
    done = python(SAY, path=bare, wanted="numpy")  # asked for
    assert (done.stdout, done.stderr) == ("numpy | REFPOS_KERNELS=numpy | None\n", "")
    done = python(str(bare / "golden"), path=bare, arguments=("-m", "refpos", "generate", "--suite", "alibi_slopes"))
    assert (done.returncode, done.stderr) == (0, f"refpos: numpy kernels, {said}\n")


@pytest.mark.exhaustive
def test_kernels_older_than_their_sources_say_so(bare):
    (bare / "ext").mkdir()
    (bare / "ext" / "compiled.pyx").touch()
    built = bare / "built"
    built.touch()
    stand_in = STAND_IN.format(fault=None) + f"module.__file__ = {str(built)!r}\n" + SAY
    os.utime(built, (2e9, 2e9))
    assert "OLDER" not in python(stand_in, path=bare).stdout
    os.utime(built, (1e9, 1e9))
    done = python(stand_in, path=bare)
    assert "OLDER than their sources: run pip install -e . | refpos: compiled kernels" in done.stdout, done.stderr


def test_kernels_that_fail_their_self_test_are_refused(bare):
    fault = "a product and a sum are contracted"
    for wanted in (None, "compiled"):
        done = python(STAND_IN.format(fault=fault) + SAY, path=bare, wanted=wanted)
        assert done.returncode == 1
        assert f"ImportError: the compiled kernels cannot be trusted: {fault}. REFPOS_KERNELS=numpy runs" in done.stderr
        assert done.stdout == "restored\n"
    assert python(STAND_IN.format(fault=fault) + SAY, path=bare, wanted="numpy").returncode == 0


@pytest.mark.exhaustive
def test_kernels_that_do_not_load_are_refused(bare):
    (bare / "refpos" / "kernels" / "compiled.py").write_text("import a_library_that_is_not_there\n")
    done = python(SAY, path=bare)
    assert done.returncode == 1 and "ImportError: the compiled kernels do not load: No module named" in done.stderr


# mallinfo2 of glibc 2.33 and later: ten counts, of which the fourth is of the blocks that are mapped one by one
MAPPED = """
import ctypes
import numpy as np
ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
class Counts(ctypes.Structure):
    _fields_ = [(str(k), ctypes.c_size_t) for k in range(10)]
if ask:
    ask.restype = Counts
part = 100_000
blocks, beside = [bytearray(part) for _ in range(HOLE // part)], bytearray(part)
del blocks
import refpos
before = ask and getattr(ask(), "3")
temporaries = [np.empty(2_000_000, np.uint8) for _ in range(8)]
print(ask and getattr(ask(), "3") - before)
"""


@pytest.mark.parametrize("hole", [0, 2_500_000, 6_000_000])
def test_temporaries_are_not_mapped_anew_at_each_call(hole):
    """glibc's own count of mapped blocks stays; without `keep_freed_memory` all eight are mapped. How often the system
    takes pages away is not asked, as it does so for reasons of its own. Where glibc is not, there is no such count."""
    done = python(MAPPED.replace("HOLE", str(hole)), wanted="numpy")
    libc, version = platform.libc_ver()
    counted = libc == "glibc" and tuple(map(int, version.split("."))) >= (2, 33)
    assert done.stdout.split() == ["0" if counted else "None"], done.stderr


# -- floating point ---------------------------------------------------------------------------------------------------

# each prints what the check returns, after the state of the thread has been spoilt
ROUND_UPWARD = {"x86_64": 0x800, "AMD64": 0x800, "aarch64": 0x400000, "arm64": 0x400000}
SPOILT = {
    "rounding": "import ctypes, ctypes.util, platform\n"
    f"code = {ROUND_UPWARD}[platform.machine()]\n"
    "assert ctypes.CDLL(ctypes.util.find_library('m')).fesetround(code) == 0\n",
    "subnormal": "import torch\nassert torch.set_flush_denormal(True)\n",
}


@pytest.mark.parametrize("word", ["rounding", pytest.param("subnormal", marks=pytest.mark.frameworks)])
def test_a_spoilt_state_is_seen_and_no_reason_to_refuse_the_import(word):
    done = python(SPOILT[word] + "from refpos import guard\nprint(guard.built, guard.fault())", wanted="numpy")
    assert done.stdout.startswith("True " + word), done.stderr


@pytest.mark.parametrize("word", ["rounding", pytest.param("subnormal", marks=pytest.mark.frameworks)])
def test_without_the_guard_a_spoilt_state_is_refused_at_import_and_seen_later(word, bare):
    (guard,) = (bare / "refpos").glob("float_guard.*")
    guard.unlink()
    done = python(SPOILT[word] + "import refpos", wanted="numpy", path=bare)
    assert done.returncode == 1 and "ImportError: NumPy's arithmetic cannot be trusted here: " + word in done.stderr
    later = "from refpos import kernels\nassert kernels.floats.state_fault() is None\n" + SPOILT[word]
    done = python(later + "print(kernels.guard.fault(), kernels.floats.state_fault())", wanted="numpy", path=bare)
    assert done.stdout.count(word) == 2, done.stderr


def test_a_spoilt_state_is_refused_before_it_can_spoil_constants(bare):
    """Python works out 2.0**-26 when it compiles a module, and stores the result; so the check comes first."""
    (guard,) = (bare / "refpos").glob("float_guard.*")
    guard.unlink()
    ask = "import sys\ntry:\n    import refpos\nexcept ImportError:\n    print(*sys.modules)\n"
    first = SPOILT["rounding"] + "assert eval('2.0**-26').hex() != '0x1.0000000000000p-26'\n"
    done = python(first + ask, path=bare)
    loaded = [name for name in done.stdout.split() if name.startswith("refpos")]
    assert loaded == ["refpos.guard", "refpos.kernels.floats"], done.stderr


def test_the_state_here_is_fine():
    assert guard.built and guard.fault() is floats.state_fault() is floats.fault() is None
    if kernels.name == "compiled":
        assert kernels.active.selftest() is None


PROGRAM = """
#include <stdio.h>
#include "floatcheck.h"
int main(void) {
    const char *fault = refpos_float_fault();
    puts(fault ? fault : "fine");
}
"""
BUILDS = [("-O2 -ffp-contract=off", "fine"), ("-O3 -ffp-contract=off -fno-math-errno -fno-trapping-math", "fine")]
if os.uname().machine == "x86_64":
    CPU = Path("/proc/cpuinfo")
    WIDE = CPU.exists() and " fma " in CPU.read_text()
    BUILDS += [
        ("-O2 -ffp-contract=fast", "a product and a sum are contracted" if WIDE else "fine"),
        ("-O2 -mfma -ffp-contract=off", "fine"),
        ("-O2 -mfma -ffp-contract=fast", "a product and a sum are contracted"),
        ("-O2 -mfpmath=387", "#error"),
        ("-O0 -mfpmath=387", "#error"),
        ("-O2 -ffast-math", "subnormal numbers are read as zero"),
        ("-O2 -ffast-math -c", "sums keep more bits than a double has (x87) or are reordered (fast-math)"),
    ]
if os.uname().machine == "aarch64":
    BUILDS += [("-O2 -ffp-contract=fast", "a product and a sum are contracted")]


@pytest.mark.parametrize("flags, answer", BUILDS)
def test_the_check_knows_how_it_was_compiled(tmp_path, flags, answer):
    source, program = tmp_path / "check.c", tmp_path / "check"
    source.write_text(PROGRAM)
    compiler = os.environ.get("CC", "cc").split()
    if flags.endswith(" -c"):
        # compiled with the flags, linked without: nothing flushes, and sums are reordered all the same
        made = tmp_path / "check.o"
        subprocess.run([*compiler, *flags.split(), f"-I{ROOT / 'ext'}", source, "-o", made], check=True)
        subprocess.run([*compiler, made, "-o", program], check=True)
    elif answer == "#error":
        command = [*compiler, *flags.split(), f"-I{ROOT / 'ext'}", "-c", source, "-o", program]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode != 0 and "doubles must be computed as doubles, got wider registers" in done.stderr
        return
    else:
        subprocess.run([*compiler, *flags.split(), f"-I{ROOT / 'ext'}", source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(answer)


# -- what a user sees -------------------------------------------------------------------------------------------------


def test_config_says_what_runs(capsys):
    refpos.show_config()
    shown = capsys.readouterr().out
    config = kernels.config()
    assert config["kernels"] == kernels.name and config["because"] == kernels.reason
    assert np.__version__ in config["numpy"] and sys.byteorder in config["machine"]
    assert [line.split()[0] for line in shown.splitlines()] == list(config)
    assert all(value in shown for value in config.values())


# what importing refpos may add to NumPy's import, of the standard library: nothing that costs more than a few ms
HEAVY = {"argparse", "asyncio", "concurrent.futures", "email", "http", "importlib.metadata", "json", "logging",
         "platform", "subprocess", "tempfile", "unittest", "urllib.request", "xml", "zipfile"}  # fmt: skip


def test_import_of_every_function_pulls_nothing_but_the_standard_library_and_numpy():
    done = python(
        "import sys, numpy\nbefore = set(sys.modules)\nfrom refpos import catalogue\ncatalogue.ENTRIES\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    added = set(done.stdout.split())
    assert "refpos.steps.waves.tables" in added
    outside = {name.split(".")[0] for name in added} - sys.stdlib_module_names - {"refpos", "numpy"}
    assert {name for name in outside if "cython" not in name} == set()  # a compiled module enters two of its own
    assert added & HEAVY == set()
    assert [name for name in added if name.startswith(("refpos.cli", "refpos.golden"))] == []


@pytest.mark.exhaustive
def test_import_adds_less_than_numpy_itself_costs():
    """About 25 ms where NumPy takes 125, functions are imported on first use: a share, so that slow machines agree."""
    numpy_alone, more = [], []
    for _ in range(5):
        lines = python("import numpy, refpos", arguments=("-X", "importtime", "-c")).stderr.splitlines()
        rows = [line.split("|") for line in lines if line.startswith("import time:") and "cumulative" not in line]
        cost = {name.strip(): int(cumulative) for _, cumulative, name in rows}
        numpy_alone.append(cost["numpy"])
        more.append(cost["refpos"])
    assert sorted(more)[2] < 0.35 * sorted(numpy_alone)[2]
