"""The list of everything refpos computes; each function enters itself where it is defined.

Exports, the command line, the docs tables, the golden corpus and the generic tests are derived from this list.
"""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import SUGGESTED, InputError, letters, nearest, shown
from .guard import guarded, like
from .public import FAMILIES, NAMES, dotted, family_of, functions_of
from .types import ArrayLike
from .words import words

#: what a function promises of its numbers, in the words of docs/numbers.md
CONTRACTS = {
    "once": "the exact value, rounded once",
    "written": "a fixed order of operations, each rounded: to float64 (`sequence64`), or as the page says",
    "copied": "copies of elements",
    "integers": "integers, exactly",
}

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One registered function and what a reader, or a program that lists all functions, must know about it.

    outputs: names of what it returns. whole: that these are integers. copies: the argument whose elements it returns
    unchanged, if any. contract: one of CONTRACTS. no_error_bound: why `refpos.conformance` derives no error bound for
    it. also: other names that people know it by, such as "RoPE", or those of models that have it. gradients: {argument:
    rule} of the arguments that a cotangent has a gradient for; rule(function, given, cotangent) returns it, None for an
    argument of integers, or {argument: gradient} where several arguments have the same rule.
    """

    name: str
    family: str
    paper: str
    conventions: str
    function: Callable[..., Any]
    outputs: tuple[str, ...] = ("output",)
    whole: bool = False
    copies: str | None = None
    contract: str = "once"
    no_error_bound: str | None = None
    also: tuple[str, ...] = ()
    gradients: dict[str, Callable[..., Any]] | None = None

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.function.__doc__.strip().splitlines()[0]

    @property
    def public(self) -> str:
        """How it is called: "refpos.rope", "refpos.positions.table_rows"."""
        return dotted(self.name)

    @property
    def exact(self):
        """Whether nothing is rounded, so that only equality is right."""
        return self.whole or self.copies is not None

    @cached_property
    def parameters(self):
        """The parameters of the function by name, as `inspect` says them."""
        return inspect.signature(self.function).parameters

    @cached_property
    def defaults(self):
        """{parameter: its default} of those that have one."""
        parameters = self.parameters.values()
        return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}

    def outputs_of(self, arguments):
        """Names of what a call returns: those that its argument `outputs` asks for, where the function has one."""
        if "outputs" not in self.defaults:  # merge_outputs takes some
            return self.outputs
        asked = arguments.get("outputs", self.defaults["outputs"])
        return (asked,) if isinstance(asked, str) else tuple(asked)

    def current(self, named):
        """Arguments of a call by the names that they have now, with a warning where one had another before."""
        renamed = getattr(self.function, "__renamed__", None)
        return renamed.current(self.name, named) if renamed else named

    def takes_none(self, name):
        """Whether None is one of the values of a parameter, as its type says."""
        return "None" in str(self.parameters[name].annotation)

    @property
    def required(self):
        """Names of the parameters without a default."""
        return [name for name in self.parameters if name not in self.defaults]

    @property
    def is_vjp(self):
        """Whether it is that of a vector-Jacobian product, which returns {argument: gradient}."""
        return self.name.startswith(VJP)

    @cached_property
    def vjp(self):
        """The entry of the vector-Jacobian product, which is no function of a family; None without `gradients`."""
        if not self.gradients:
            return None
        written = self.contract == "written"
        function, outputs = _vjp_of(self), tuple(GRADIENT + name for name in self.gradients)
        return Entry(VJP + self.name, self.family, self.paper, self.conventions, function, outputs,
                     contract="written" if written else "once")  # fmt: skip


FREQUENCY_OUTPUTS = ("inv_freq", "attention_factor")
#: what the name of a vector-Jacobian product begins with, before that of its function
VJP = "vjp_"
#: what the name of an output of it begins with, before that of the argument
GRADIENT = "gradient_"
_entered: dict[str, Entry] = {}  # by those functions whose modules are imported

if TYPE_CHECKING:
    #: {name: its entry} of every function, by family and name; the first use imports the modules of all families
    ENTRIES: dict[str, Entry]
else:

    def __getattr__(name):
        if name != "ENTRIES":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _all_entries()


def _all_entries():
    if "ENTRIES" not in globals():
        for family in sorted(FAMILIES):
            for module in functions_of(family).values():
                importlib.import_module(module)
        ordered = sorted(_entered.values(), key=lambda entry: (entry.function.__module__, entry.name))
        entries = {entry.name: entry for entry in ordered}
        globals().update(_entered=entries, ENTRIES=entries)  # at once: other threads may be reading
    return _entered


def _entries_with(name):
    """Those by functions that are imported, where the one of that name is among them once its module is; else all."""
    function = name.removeprefix(VJP) if type(name) is str else ""
    family = family_of(function)
    if family:
        importlib.import_module(functions_of(family)[function])
    return _entered if function in _entered else _all_entries()


def register(
    *,
    family: str,
    paper: str,
    conventions: str = "none",
    outputs: tuple[str, ...] | None = None,
    contract: str | None = None,
    also: str = "",
    formerly: str = "",
    until: str = "",
    **more: Any,
) -> Callable[[F], F]:
    """Enter the decorated function into the catalogue under its own name; the arguments are fields of its `Entry`.

    outputs: default ("output",), and ("inv_freq", "attention_factor") of frequencies. contract: default "integers" of
    positions and of what has `whole`, "copied" of what has `copies`, else "once". also: names with commas between.
    formerly: the name that the function had, which works with a warning in versions before `until`: deprecations.py.
    """
    if contract is None:
        contract = (
            "integers" if more.get("whole") or family == "positions" else "copied" if more.get("copies") else "once"
        )
    if contract not in CONTRACTS:
        raise InputError("E_CHOICE", "contract", f"contract must be one of {', '.join(CONTRACTS)}, got {contract!r}")

    def enter(function: F) -> F:
        name = function.__name__
        if family not in FAMILIES:
            raise InputError("E_CHOICE", "family", f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
        if name in _entered:
            raise InputError("E_CHOICE", "name", f"a catalogue name must be new, got {name!r} twice")
        names = (*(also.split(", ") if also else ()), *([_had(name, formerly, until)] if formerly else ()))
        named = outputs or (FREQUENCY_OUTPUTS if family == "frequencies" else ("output",))
        renamed = getattr(function, "__renamed__", None)
        if renamed:  # outermost: what a call is remembered by, and what is guarded, has the names of today
            function = function.__wrapped__
        if family == "frequencies":
            function = _with_recipe(function)
        function = guarded(function, quiet=False)
        function = renamed(function) if renamed else function
        _entered[name] = Entry(name, family, paper, conventions, function, named, contract=contract, also=names, **more)
        return function

    return enter


def _had(name, formerly, until):
    """The former name of a function, which must be that of nothing else."""
    from . import deprecations

    if family_of(formerly) or formerly in NAMES or not formerly.isidentifier():
        sentence = f"formerly must be a name that nothing in refpos has, got {shown(formerly)}"
        raise InputError("E_CHOICE", "formerly", sentence)
    deprecations.enter(formerly, name, until)
    return formerly


def _with_recipe(function):
    """The function, whose `Frequencies` keep the call that made them."""
    name = function.__name__

    def made(*given, **named):
        return function(*given, **named).made_by(name, given, named)

    return like(made, function)


def _vjp_of(entry):
    """The function of a cotangent and the arguments of an entry, but `out`; returns {argument: gradient}."""
    taken = [one for one in entry.parameters.values() if one.name != "out"]

    def vjp(*, cotangent, **arguments):
        given = {**entry.defaults, **arguments}
        # where the function takes no None, the rule refuses it as the function does
        asked = {n: r for n, r in entry.gradients.items() if given[n] is not None or not entry.takes_none(n)}
        found = {}
        for rule in dict.fromkeys(asked.values()):
            try:
                made = rule(entry.function, given, cotangent)
            except MemoryError:
                sentence = f"what the gradient of {entry.name} is made of must fit into memory, got a larger call"
                raise InputError("E_TOO_LARGE", "cotangent", sentence) from None
            found.update(made if isinstance(made, dict) else {name: made for name in asked if asked[name] is rule})
        return {name: found[name] for name in asked if given[name] is not None and found.get(name) is not None}

    made: Any = like(vjp, entry.function)  # so that types are read where those of the function are
    cotangent = inspect.Parameter("cotangent", inspect.Parameter.KEYWORD_ONLY)
    keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in taken]
    made.__signature__ = inspect.Signature([cotangent, *keywords])
    made.__annotations__ = {**entry.function.__annotations__, "cotangent": ArrayLike}
    return guarded(made)


def name_of(function: object) -> object:
    """What a function is called; None where it has no name."""
    try:
        return getattr(function, "__name__", None)
    except Exception:  # whatever an object raises that is asked for it
        return None


def find(name: str) -> Entry:
    """The entry of that name; the error about an unknown name says which resemble it."""
    entries = _entries_with(name)
    if isinstance(name, str) and name.startswith(VJP) and name[len(VJP) :] in entries:
        gradient = entries[name[len(VJP) :]].vjp
        if gradient is not None:
            return gradient
    if not isinstance(name, str) or name not in entries:
        like = dict.fromkeys([*called(name), *nearest(name, list(entries))]) if isinstance(name, str) else ()
        hint = f" (did you mean {', '.join([*like][:SUGGESTED])}?)" if like else ""
        sentence = f"name must be one of the {len(entries)} functions that `refpos list` lists{hint}, got {shown(name)}"
        raise InputError("E_CHOICE", "name", sentence)
    return entries[name]


def called(text: str) -> list[str]:
    """The functions that are also called so, whatever the case, punctuation, plural and order of the words.

    >>> called("relative position bias")
    ['relative_bias', 'window_bias']
    """
    asked, bag = letters(text), sorted(words(text))
    names = {entry.name: (entry.name, *entry.also) for entry in _all_entries().values()} if asked else {}
    exact = [name for name, known in names.items() if asked in map(letters, known)]
    return exact or [name for name, known in names.items() if any(sorted(words(one)) == bag for one in known)]


def signature_text(function):
    """The parameters of a function and their defaults, as text without types."""
    signature = inspect.signature(function)
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
