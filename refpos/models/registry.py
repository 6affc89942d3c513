"""The list of named models; each preset enters itself where it is defined."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar, Union

import numpy as np

from .. import checks
from ..catalogue import signature_text
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..steps.positions.exact_positions import Positions
from ..steps.waves.grids import Grid
from ..types import Array
from .absolute import Absolute
from .rotary import Mixed, Rotary, Unpaired

#: what a model does to queries and keys, or adds to embeddings
Encoding = Union[Rotary, Mixed, Unpaired, Absolute]
#: those of tokens on one axis, on each axis, or of the cells of a grid
ModelPositions = Union[Array, Positions, list[Array], list[Positions], Grid]
F = TypeVar("F", bound=Callable[..., Any])


@guarded
@dataclass(frozen=True)
class Preset:
    """A named model: its encoding, and where its tokens are.

    Attributes
    ----------
    name : str
        Name of the model.
    encoding : callable
        `encoding(**sizes)` gives its `Rotary` or `Absolute`.
    positions : callable
        `positions(*sizes, **options)` gives where its tokens are.
    checked : str
        The code whose tables and rotations the tests compare, or "formula" where none could be run.
    """

    name: str
    encoding: Callable[..., Encoding]
    positions: Callable[..., ModelPositions]
    checked: str

    @property
    def family(self) -> str:
        """What kind of model it is: the name of the module that defines it, as vision."""
        return self.encoding.__module__.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.encoding.__doc__.strip().splitlines()[0]

    @property
    def angles(self) -> str:
        """Second paragraph of the docstring, on one line: which angle each pair rotates by, or what the table holds."""
        return " ".join(self.encoding.__doc__.split("\n\n")[1].split())


PRESETS: dict[str, Preset] = {}
#: what `preset` was told of each, but for its file and notes: that of a `row` is the same unless it says otherwise
KNOWN: dict[str, dict[str, Any]] = {}


TRANSFORMERS = {"project": "transformers", "version": "5.23.0", "checked": "transformers 5.23.0"}
DIFFUSERS = {"project": "huggingface/diffusers", "version": "0.42.1", "checked": "diffusers 0.42.1"}


def preset(*, file: str, notes: tuple[str, ...] = (), **known: Any) -> Callable[[F], F]:
    """Enter the decorated function, which returns an `Encoding`, under its own name; it gets source and notes.

    known: project, version, positions, and checked where code could be run.
    """

    def enter(function: F) -> F:
        name = function.__name__
        if name in PRESETS:
            raise InputError("E_CHOICE", "name", f"a model's name must be new, got {name!r} twice")
        source = {"project": known["project"], "version": known["version"], "file": file}

        @guarded
        @wraps(function)
        def encoding(*args, **sizes):
            return replace(function(*args, **sizes), source=dict(source), notes=notes)

        KNOWN[name] = known
        PRESETS[name] = Preset(name, encoding, known["positions"], known.get("checked", "formula"))
        return encoding

    return enter


def from_diffusers(**known: Any) -> Callable[..., Any]:
    """`preset` of a model whose code in diffusers is the source, and what the tests compare with."""
    return preset(**{**DIFFUSERS, **known})


def from_transformers(**known: Any) -> Callable[..., Any]:
    """`preset` of a model whose code in transformers is the source, and what the tests compare with."""
    return preset(**{**TRANSFORMERS, **known})


def row(
    like: Callable[..., Any], name: str, title: str, file: str, *notes: str, angles: str = "", example: str = "",
    **more: Any,
) -> None:  # fmt: skip
    """Enter a model whose encoding is that of a preset, `like`, with other defaults of its sizes.

    title: the first line of the docstring, or, without a period, what replaces the part before its colon.
    angles, example: paragraphs of the docstring that are others. more: defaults, and arguments of `preset`.
    """
    known = KNOWN[like.__name__] | {key: more.pop(key) for key in KEYS & more.keys()}
    signature = inspect.signature(like)
    sizes = [one.replace(default=more.pop(key, one.default)) for key, one in signature.parameters.items()]
    if more:
        raise InputError("E_CHOICE", "sizes", f"sizes must be those of {like.__name__}, got {', '.join(more)}")
    own = signature.replace(parameters=sizes)

    @wraps(like)
    def encoding(*args, **sizes):
        bound = own.bind(*args, **sizes)
        bound.apply_defaults()
        return like(*bound.args, **bound.kwargs)

    encoding.__name__ = encoding.__qualname__ = name
    encoding.__signature__ = own
    encoding.__doc__ = like.__doc__ and _docstring(like, name, title, angles, example)  # python -OO has none
    preset(file=file, notes=notes, **known)(encoding)


#: arguments of `preset` that a `row` may change
KEYS = {"project", "version", "positions", "checked"}


def _docstring(like, name, title, angles, example):
    """The docstring of a preset with the title of another, and what else differs."""
    first, rest = inspect.cleandoc(like.__doc__).split("\n\n", 1)  # which Python 3.13 has done already
    middle, shown = rest.split("\n\n>>> ", 1)
    title = title if title.endswith(".") else title + first[first.index(":") :]
    shown = example or re.sub(rf"\b{like.__name__}\(", f"{name}(", f">>> {shown}")
    return "\n\n".join((title, angles or middle.strip(), shown)) + "\n"


@guarded
def names() -> list[str]:
    """The names of all models, in alphabetical order.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> "flux" in names()
    True
    """
    return sorted(PRESETS)


@guarded
def families() -> dict[str, str]:
    """{family: what its models are}, in alphabetical order.

    Returns
    -------
    dict
        {family: what its models are}.

    Examples
    --------
    >>> list(families())
    ['continuous', 'diffusion', 'graphs', 'learned', 'multimodal', 'resizing', 'sequences', 'text', 'vision']
    """
    known = sorted({preset.family for preset in PRESETS.values()})
    modules = {name: sys.modules[f"{__package__}.{name}"] for name in known}
    return {name: module.__doc__.splitlines()[0] for name, module in modules.items()}


@guarded
def find(name: str) -> Preset:
    """The `Preset` of that name.

    Parameters
    ----------
    name : str
        Name of a model, as `models.names` lists it.

    Returns
    -------
    Preset
        The `Preset`.

    Raises
    ------
    InputError
        E_CHOICE for a name that is not known, with the names like it.

    Examples
    --------
    >>> find("flux").checked
    'diffusers 0.42.1'
    """
    return PRESETS[checks.choice("name", name, names(), "refpos list models")]


@guarded
def load(name: str, **sizes: Any) -> Encoding:
    """The `Rotary` of a named model, or the `Absolute` of one that adds its positions.

    Parameters
    ----------
    name : str
        Name of a model, as `models.names` lists it.
    **sizes : keywords
        Arguments of the preset, as head_dim; what is left out is what the released model has.

    Returns
    -------
    Rotary or Absolute
        The `Rotary`, or the `Absolute`, of the model.

    Raises
    ------
    InputError
        E_CHOICE for a name that is not known, and what the preset raises.

    Examples
    --------
    >>> load("flux").pairing, load("flux", head_dim=64, widths=(8, 28, 28)).rotary_dim
    ('interleaved', 64)
    >>> load("whisper").table(1500, dtype="float32").shape
    (1500, 384)
    """
    preset = find(name)
    in_order, by_name = _checked(name, preset.encoding, (), sizes)
    return preset.encoding(*in_order, **by_name)


@guarded
def positions(name: str, *sizes: Any, **options: Any) -> ModelPositions:
    """Where the tokens of a named model are: what `table` and `rotate` of its encoding take as positions.

    Parameters
    ----------
    name : str
        Name of a model, as `models.names` lists it.
    *sizes : int
        Sizes of the input, as frames, height, width, all in tokens, in the order of the function of the model; a model
        of any number of axes (`rotary_embedding_torch`) takes them in order.
    **options : keywords
        Sizes of the input by their names.

    Returns
    -------
    ndarray or Grid
        A `grid` where the tokens form one, else (axes, tokens), or, with a batch, (axes, batch, tokens).

    Raises
    ------
    InputError
        E_CHOICE and what the function of the model raises.

    Examples
    --------
    >>> positions("flux", height=1, width=2, text_length=1)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 0, 1]])
    >>> positions("rotary_embedding_torch", 2, 3).shape
    (2, 3)
    """
    preset = find(name)
    in_order, by_name = _checked(name, preset.positions, sizes, options)
    return preset.positions(*in_order, **by_name)


def _checked(name, function, sizes, options):
    """The sizes of a model, in order and by name, which must be those it has, each of the kind of its default."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*sizes, **options)
    except TypeError as error:
        sentence = f"sizes must be those of {name}{signature_text(function)}, got {error.args[0].removeprefix('got ')}"
        raise InputTypeError("E_CHOICE", "sizes", sentence) from None
    for key, parameter in signature.parameters.items():
        if key in bound.arguments and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            bound.arguments[key] = _like(key, bound.arguments[key], parameter.default)
    return bound.args, bound.kwargs


#: sizes that are one number
COUNTS = ("rows", "columns", "heads", "head", "axes")


def _like(name, value, default):
    """The value, once it is of the kind of the default: a flag, a number, some numbers, an array."""
    if isinstance(default, bool):
        return checks.flag(name, value)
    first = default[0] if isinstance(default, tuple) and default else default
    # a factor may be one for each axis
    several = isinstance(value, (list, tuple)) and "dim" not in name and name not in COUNTS
    if default is first and isinstance(first, (int, float, Fraction)) and not several:
        return _number(name, value)
    if isinstance(first, (int, float, Fraction)):
        return tuple(_number(name, item) for item in checks.listed(name, value, "numbers"))
    if isinstance(default, tuple):
        array = checks.array(name, value)
        if array.size and array.dtype.kind not in "iuf":
            raise InputTypeError("E_SHAPE", name, f"{name} must be an array of numbers, got {array.dtype}")
    return value


def _number(name, value):
    """A number as Python has it, so that no sum of sizes leaves the range of a small dtype."""
    if "dim" in name or name in ("sections", "widths"):
        return checks.integer(name, value, -checks.LARGEST_SIZE)
    value = checks.of_numpy(name, value)
    checks.real(name, value)
    return value.item() if isinstance(value, (np.generic, np.ndarray)) else value
