"""Public calls in the default floating-point state, whatever rounding mode or flush-to-zero the process has set.

Every public function has `guarded`, and every module of the package is imported under the same guard, because Python
computes constants such as 2.0**-74 when it compiles a module, and stores them in its bytecode. This module is imported
before any guard is there: it must not contain a constant of floating point.

The compiled extension `float_guard` sets the state and restores that of the caller. It is small and independent of the
kernels. Where it is not built, a changed state is refused before anything is computed or cached.
"""

from __future__ import annotations

import functools
import itertools
import struct
import sys
import types
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_EXTENSION = f"{__package__}.float_guard"
_VARIADIC, _KEYWORDS, _GENERATOR = 0x4, 0x8, 0x20  # flags of the code of a function: *args, **kwargs, yield
#: special methods that compute nothing in floating point
_PLAIN = frozenset("""
    __class_getitem__ __delattr__ __dir__ __getattribute__ __getnewargs__ __getstate__ __hash__ __init__
    __init_subclass__ __len__ __name__ __new__ __reduce__ __setattr__ __setstate__ __subclasshook__
""".split())  # fmt: skip
# as bit patterns: 2**-1074, 2**-1022, 2**-1, 2**1000; 2**-74, 2**-23; the next number after 1, 1.5, 1.5 + 2**-51
_SMALLEST, _NORMAL, _HALF, _LARGE, _FROM_SMALLEST, _FROM_NORMAL, _NEXT, _ONE_AND_HALF, _PRODUCT = struct.unpack(
    "<9d",
    struct.pack(
        "<9Q", 0x1, 0x10000000000000, 0x3FE0000000000000, 0x7E70000000000000, 0x3B50000000000000, 0x3E80000000000000,
        0x3FF0000000000001, 0x3FF8000000000000, 0x3FF8000000000002,
    ),
)  # fmt: skip


# -- the state --------------------------------------------------------------------------------------------------------


def fault() -> str | None:
    """What is wrong with the floating-point state of the calling thread; None when nothing is."""
    if _SMALLEST * _LARGE != _FROM_SMALLEST:
        return "subnormal numbers are read as zero (denormals-are-zero)"
    if _NORMAL * _HALF * _LARGE != _FROM_NORMAL:
        return "subnormal results become zero (flush-to-zero)"
    # a tie of either sign, to even away from zero
    if _NEXT * _ONE_AND_HALF != _PRODUCT or -_NEXT * _ONE_AND_HALF != -_PRODUCT:
        return "rounding is not to nearest even"
    return None


def _checked(function, given, named):
    """The call, where the state is the default: without the extension it cannot be set."""
    found = fault()
    if found:
        needed = "floating point must round to nearest and keep subnormal numbers"
        raise FloatingPointError(f"{needed} where refpos is built without its float_guard, got {found}")
    return function(*given, **named)


def _never():
    return False


def _load():
    """(run, ready, reason): those of the extension, or where it is not built the check in their place."""
    # of this very package: another finder might have that of another copy
    spec = PathFinder.find_spec(_EXTENSION, sys.modules[__package__].__path__)
    if spec is None or spec.loader is None:
        return _checked, _never, "not built: a changed rounding mode or flush-to-zero is refused"
    try:
        extension = module_from_spec(spec)
        spec.loader.exec_module(extension)
    except ImportError as error:
        raise ImportError(f"the floating-point guard does not load: {error}") from error
    wrong = extension.selftest()
    if wrong:
        raise ImportError(f"the floating-point guard cannot be trusted: {wrong}")
    return extension.run, extension.ready, "built: a changed rounding mode or flush-to-zero changes no value"


#: run(function, given, named) is function(*given, **named) in the default state; the caller's is restored
run, ready, reason = _load()
built = run is not _checked


# -- calls ------------------------------------------------------------------------------------------------------------


def guarded(function: F, *, quiet: bool = True) -> F:
    """The function, each call of which is made in the default floating-point state; or the class, with all its methods
    and properties. A generator has that state during each of its steps, and the caller has its own between them.

    quiet: whether NumPy warns of nothing and raises nothing in it, whatever `np.seterr` says; False, which saves a
    microsecond, for functions that say so themselves where they compute."""
    if isinstance(function, type):
        _guard_members(function, quiet)
        return function
    inner = _quiet(function) if quiet else function
    made: Any = _generator(function, quiet) if function.__code__.co_flags & _GENERATOR else _function(function, inner)
    return made


def _quiet(function):
    def within(*given, **named):
        from numpy import errstate  # not when this module is imported, before there is a guard

        with errstate(all="ignore"):
            return function(*given, **named)

    return within


def like(made: Callable[..., Any], function: F) -> F:
    """A function that does what `made` does and looks like another: name, signature, page, pickle and module, whose
    globals it has, as doctest asks of those whose examples it runs."""
    alike: Any = types.FunctionType(made.__code__, function.__globals__, function.__name__, None, made.__closure__)
    return functools.update_wrapper(alike, function)


def is_guarded(function: object) -> bool:
    """Whether `guarded` made the function."""
    return getattr(function, "__guarded__", False) is True


def _marked(made, function):
    alike = like(made, function)
    alike.__guarded__ = True
    return alike


_SOURCE = """
def over(__function, __ready, __run):
    def guard({parameters}):
        if __ready():
            return __function({arguments})
        return __run(__function, ({tuple}), {{{dict}}})
    return guard
"""


def _function(function, inner):
    """The guarded function, which calls `inner`. Its parameters are written out, which takes half the time of passing
    *given, **named on."""
    code = function.__code__
    count, flags = code.co_argcount, code.co_flags
    names = iter(code.co_varnames)
    given, named = list(itertools.islice(names, count)), list(itertools.islice(names, code.co_kwonlyargcount))
    star = [f"*{next(names)}"] if flags & _VARIADIC else []
    stars = [f"**{next(names)}"] if flags & _KEYWORDS else []
    slash = ["/"] if code.co_posonlyargcount else []
    words = [f"{name}={name}" for name in named]
    parameters = [*given[: code.co_posonlyargcount], *slash, *given[code.co_posonlyargcount :]]
    source = _SOURCE.format(
        parameters=", ".join([*parameters, *(star or ["*"] * bool(named)), *named, *stars]),
        arguments=", ".join([*given, *star, *words, *stars]),
        tuple="".join(f"{name}, " for name in [*given, *star]),
        dict=", ".join([*(f"{name!r}: {name}" for name in named), *stars]),
    )
    made = _over(source)(inner, ready, run)
    made.__code__ = made.__code__.replace(co_filename=f"<guard of {function.__qualname__}>")
    made = _marked(made, function)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


@functools.cache
def _over(source):
    """The function `over` of a source, which presets of models share by the hundred."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<guard>", "exec"), namespace)
    return namespace["over"]


def _generator(function, quiet):
    call, following, end, none = run, _quiet(next) if quiet else next, object(), {}

    def guard(*given, **named):
        steps = call(function, given, named)
        try:
            while (item := call(following, (steps, end), none)) is not end:
                yield item
        finally:
            call(steps.close, (), none)

    return _marked(guard, function)


def _guard_members(of, quiet):
    for name, member in list(vars(of).items()):
        if (name.startswith("_") and not name.endswith("__")) or name in _PLAIN:
            continue
        if isinstance(member, types.FunctionType) and not is_guarded(member):
            setattr(of, name, guarded(member, quiet=quiet))
        elif isinstance(member, (classmethod, staticmethod)):
            setattr(of, name, type(member)(guarded(member.__func__, quiet=quiet)))
        elif isinstance(member, property):
            getter = guarded(member.fget, quiet=quiet)
            setattr(of, name, property(getter, member.fset, member.fdel, member.__doc__))
        elif isinstance(member, functools.cached_property):
            member.func = guarded(member.func, quiet=quiet)


# -- imports ----------------------------------------------------------------------------------------------------------


class _Finder:
    """Finds the modules of the package as Python does, and has them executed under the guard."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The spec of a module below refpos; None of any other."""
        if not name.startswith(f"{__package__}.") or name == _EXTENSION:
            return None
        spec = PathFinder.find_spec(name, path, target)
        # a loader may serve several modules, as that of a zip file does
        if spec is not None and spec.loader is not None and "exec_module" not in vars(spec.loader):
            spec.loader.exec_module = functools.partial(_execute, spec.loader.exec_module)
        return spec


def _execute(execute, module):
    # the kernels look at the state themselves, and say more of it
    if built or module.__name__.startswith(f"{__package__}.kernels"):
        run(execute, (module,), {}) if built else execute(module)
        return
    found = fault()
    if found:
        raise ImportError(f"{module.__name__} must be imported where floating point is not changed, got {found}")
    execute(module)


if not any(getattr(finder, "__module__", None) == __name__ for finder in sys.meta_path):
    sys.meta_path.insert(0, _Finder)
