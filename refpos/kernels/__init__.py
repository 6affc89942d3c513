"""Which kernels run: the compiled ones where they are built, else NumPy's; chosen once, when refpos is imported.

`active` is the module in use, `name` is "compiled" or "numpy", `reason` says why. The environment variable
REFPOS_KERNELS forces one of the two. Of the compiled ones REFPOS_CPU forces an instruction set: baseline, avx2 or
avx512. All give the same bits.
"""

from __future__ import annotations

import importlib
import os
import sys

from .. import guard
from . import floats

VARIABLE = "REFPOS_KERNELS"
KNOWN = ("numpy", "compiled")
CPU_VARIABLE = "REFPOS_CPU"
CPUS = ("baseline", "avx2", "avx512")

_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCES = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "ext")
_RECORD = os.path.join(_HERE, "absent.txt")  # setup.py writes there why kernels were not built
#: a source tree has the kernels' sources beside the package, an install has not
SOURCE_TREE = os.path.exists(os.path.join(_SOURCES, "compiled.pyx"))


def _choose():
    """(module, name, reason); raises ImportError where the kernels that are asked for cannot run or be trusted."""
    wanted = _asked(VARIABLE, KNOWN)
    _refuse(floats.fault(), "NumPy's arithmetic cannot be trusted here: {}. Another library may have changed the mode")
    # not before: its constants are made by this arithmetic
    plain = importlib.import_module(".numpy_kernels", __name__)
    importlib.import_module(".mapped_memory", __name__).keep_freed_memory()
    if wanted == "numpy":
        _asked(CPU_VARIABLE, CPUS)
        return plain, "numpy", f"{VARIABLE}=numpy"
    try:
        compiled = importlib.import_module(f"{__name__}.compiled")
    except ImportError as error:
        if error.name != f"{__name__}.compiled" or not isinstance(error, ModuleNotFoundError):
            sentence = f"the compiled kernels do not load: {error}. {VARIABLE}=numpy runs without them"
            raise ImportError(sentence) from error
        reason = _absence()
        if wanted:
            raise ImportError(f"{VARIABLE}=compiled needs built kernels, got {reason}") from None
        _asked(CPU_VARIABLE, CPUS)
        return plain, "numpy", reason
    fault = compiled.selftest()
    if fault:
        compiled.restore()  # loading it may have changed the floating point of all that runs after it
    _refuse(fault, "the compiled kernels cannot be trusted: {}. " + f"{VARIABLE}=numpy runs without them")
    _use_cpu(compiled)
    return compiled, "compiled", f"{VARIABLE}=compiled" if wanted else _presence(compiled)


def _use_cpu(compiled):
    """The widest instruction set that build and machine both have, or the one REFPOS_CPU names; the same bits."""
    known = compiled.cpus()
    compiled.use_cpu(_asked(CPU_VARIABLE, known, " on this machine") or known[-1])


def _asked(variable, known, where=""):
    """The value of an environment variable: one of those known, or "" where it is empty or not set."""
    value = os.environ.get(variable, "")
    if value not in ("", *known):
        from ..errors import shown  # here: before the check of floating point nothing else is imported

        raise ImportError(f"{variable} must be one of {', '.join(known)}{where}, got {shown(value)}")
    return value


def _refuse(fault, sentence):
    if fault:
        raise ImportError(sentence.format(fault))


def _absence():
    if SOURCE_TREE:
        return "a source tree without built kernels: run pip install -e ."
    try:
        with open(_RECORD, encoding="utf-8") as file:
            why = " ".join(file.read().split())
    except OSError:
        why = ""
    return f"an install without compiled kernels: {why or 'they were not built'}"


def _presence(compiled):
    if SOURCE_TREE:
        built = os.path.getmtime(compiled.__file__)
        sources = [name for name in os.listdir(_SOURCES) if not name.endswith(".md")]
        if any(os.path.getmtime(os.path.join(_SOURCES, source)) > built for source in sources):
            return "built in this source tree, but OLDER than their sources: run pip install -e ."
    return "built and trusted by their self-test"


def _is_the_command():
    """Whether `python -m refpos`, or the script `refpos`, imports this: its user gets a sentence, not a traceback."""
    if sys.argv[:1] == ["-m"]:  # while Python looks for the package; what follows -m is in orig_argv alone
        return sys.orig_argv[-len(sys.argv)].removeprefix("-m").partition(".")[0] == "refpos"
    return os.path.splitext(os.path.basename(sys.argv[0]))[0] == "refpos" if sys.argv else False


try:
    active, name, reason = _choose()
except ImportError as error:
    if not _is_the_command():
        raise
    print(f"refpos: {error}", file=sys.stderr)
    sys.exit(2)


def notice() -> str | None:
    """One line for a person whose kernels were not built, or are older than their sources; else None."""
    if SOURCE_TREE and "pip install" in reason:
        return f"refpos: {name} kernels, {reason}"
    if reason.startswith("an install without"):
        return f"refpos: numpy kernels, the same bits several times slower: {reason}"
    return None


if SOURCE_TREE and name == "numpy" and notice() and not _is_the_command():  # the command prints it itself
    import warnings

    warnings.warn(notice(), RuntimeWarning, stacklevel=2)


MISSING = """
NOTICE   refpos runs WITHOUT compiled kernels: the same bits, several times slower.
         Install a C compiler and the headers of Python, then, in the folder of the source:
         REFPOS_REQUIRE_KERNELS=1 pip install --force-reinstall --no-deps ."""


def config() -> dict[str, str]:
    """What runs, as a dict of strings: kernels, reason, guard, refpos, python, numpy, machine, byte order.

    >>> config()["kernels"] in ("numpy", "compiled")
    True
    """
    import platform

    import numpy

    from .._version import __version__

    return {
        "refpos": f"{__version__}, {os.path.dirname(_HERE)}",
        "kernels": name,
        "because": reason,
        "guard": guard.reason,
        "cpu": active.cpu() if name == "compiled" else "numpy",
        "numpy": numpy.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{platform.machine()}, {sys.byteorder}-endian",
    }


@guard.guarded
def show_config() -> None:
    """Print which kernels run and why, and on what: one line each, and last a notice where kernels are missing.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> show_config()  # doctest: +ELLIPSIS
    refpos   ...
    kernels  ...
    """
    for key, value in config().items():
        print(f"{key:<8} {value}")
    if name == "numpy" and notice():
        print(MISSING)
