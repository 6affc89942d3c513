"""Which kernels run: the compiled ones where they are built, else NumPy's; chosen once, when refpos is imported.

`active` is the module in use, `name` is "compiled" or "numpy", `reason` says why. The environment variable
REFPOS_KERNELS forces one of the two. Of the compiled ones REFPOS_CPU forces an instruction set: baseline, avx2 or
avx512. All give the same bits.
"""

from __future__ import annotations

import importlib
import os
import sys

from . import floats
from .floats import float_state_ok

KNOWN = ("numpy", "compiled")
VARIABLE = "REFPOS_KERNELS"
CPU_VARIABLE = "REFPOS_CPU"

_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCES = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "ext")
#: a source tree has the kernels' sources beside the package, an install has not
SOURCE_TREE = os.path.exists(os.path.join(_SOURCES, "compiled.pyx"))


def _choose():
    """(module, name, reason); raises ImportError when what was asked for cannot run, or cannot be trusted."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", *KNOWN):
        raise ImportError(f"{VARIABLE} must be one of {', '.join(KNOWN)}, got {wanted!r}")
    _refuse(floats.fault(), "NumPy's arithmetic cannot be trusted here: {}. Another library may have changed the mode")
    plain = importlib.import_module(".numpy_kernels", __name__)  # not before: its constants are made by this arithmetic
    if wanted == "numpy":
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
    wanted = os.environ.get(CPU_VARIABLE) or known[-1]
    if wanted not in known:
        raise ImportError(f"{CPU_VARIABLE} must be one of {', '.join(known)} on this machine, got {wanted!r}")
    compiled.use_cpu(wanted)


def _refuse(fault, sentence):
    if fault:
        raise ImportError(sentence.format(fault))


def _absence():
    if SOURCE_TREE:
        return "a source tree without built kernels: run pip install -e ."
    return "an install without compiled kernels: no C compiler worked when it was built"


def _presence(compiled):
    if SOURCE_TREE:
        built = os.path.getmtime(compiled.__file__)
        if any(os.path.getmtime(os.path.join(_SOURCES, source)) > built for source in os.listdir(_SOURCES)):
            return "built in this source tree, but OLDER than their sources: run pip install -e ."
    return "built and trusted by their self-test"


active, name, reason = _choose()


def notice():
    """One line for a person who runs a source tree without built kernels, or with old ones; else None."""
    if SOURCE_TREE and "pip install" in reason:
        return f"refpos: {name} kernels, {reason}"
    return None


def config() -> dict[str, str]:
    """What runs, as a dict of strings: kernels, reason, refpos, python, numpy, machine, byte order.

    >>> config()["kernels"] in ("numpy", "compiled")
    True
    """
    import platform

    import numpy

    from .. import __version__

    return {
        "refpos": f"{__version__}, {os.path.dirname(_HERE)}",
        "kernels": name,
        "because": reason,
        "cpu": active.cpu() if name == "compiled" else "numpy",
        "numpy": numpy.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{platform.machine()}, {sys.byteorder}-endian",
    }


def show_config() -> None:
    """Print which kernels run and why, and on what: one line each.

    >>> show_config()  # doctest: +ELLIPSIS
    refpos   ...
    kernels  ...
    """
    for key, value in config().items():
        print(f"{key:<8} {value}")
