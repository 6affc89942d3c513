"""The types of public functions: none is missing, each can be read, and the calls of the golden cases are as they say.

A choice is a `Literal`; what a function refuses, and the names that its message lists, are those of the type.
"""

import collections.abc
import dataclasses
import inspect
import re
import typing
from pathlib import Path
from types import ModuleType, NoneType, UnionType

import hostile
import numpy as np
import pytest
import typed_use
from hints import expanded, hints_of

import refpos
from refpos import checks, claims, conformance, conversion, coordinates, golden, models, types
from refpos import public as refpos_public
from refpos.arithmetic import formats

FAMILIES = [getattr(refpos, family) for family in refpos_public.FAMILIES]
ROOMS = refpos, claims, conformance, conversion, coordinates, golden, models
#: what Python itself calls
SPECIAL = ("__init__", "__bool__", "__len__", "__str__", "__getitem__")
WRONG = "no such choice"


# -- what is public ---------------------------------------------------------------------------------------------------


def public():
    """{name: function or class} of what the rooms export, the models, and every class that one of these mentions."""
    found = {}
    for room in ROOMS:
        prefix = room.__name__.removeprefix("refpos").lstrip(".")
        found |= {".".join(filter(None, (prefix, name))): getattr(room, name) for name in room.__all__}
    found |= {name: getattr(family, name) for family in FAMILIES for name in family.__all__}
    found |= {f"models.{name}": models.find(name).encoding for name in models.names()}
    found = {name: value for name, value in found.items() if inspect.isfunction(value) or inspect.isclass(value)}
    while more := {cls for value in found.values() for cls in mentioned(value)} - set(found.values()):
        found |= {cls.__qualname__: cls for cls in more}
    return found


def mentioned(value):
    """The classes of refpos in the types of a function, or of the members of a class; those of `arithmetic` stay its
    own: what users read of frequencies is rounded."""
    hints = [hint for _, one in members("", value) for hint in hints_of(one).values()]
    found = {cls for hint in hints for cls in parts(hint) if inspect.isclass(cls)}
    return {cls for cls in found if re.match(r"refpos\.(?!arithmetic)", cls.__module__)}


def parts(hint):
    """The hint and all that it is made of."""
    yield hint
    for part in typing.get_args(hint):
        yield from parts(part)


def members(name, value):
    """(name, function or class) of a function or of a class with its methods and properties."""
    yield name, value
    if inspect.isclass(value):
        for key, member in vars(value).items():
            member = getattr(member, "fget", None) or getattr(member, "func", None) or member
            own = inspect.isfunction(member) and member.__qualname__.startswith(f"{value.__qualname__}.")
            if own and (key in SPECIAL or not key.startswith("_")):
                yield f"{name}.{key}", member


# -- none is missing --------------------------------------------------------------------------------------------------


def lacking(name, value):
    """One sentence for each parameter, result or field without a type, or with one that does not say what it holds."""
    hints = hints_of(value)
    if inspect.isfunction(value):
        for parameter in list(inspect.signature(value).parameters.values()):
            if parameter.name not in ("self", "cls", *hints):
                yield f"{name} must say the type of {parameter.name}, got none"
        if "return" not in hints:
            yield f"{name} must say what it returns, got no type"
    for key, hint in hints.items():
        if any(part in (tuple, list, dict, np.ndarray) for part in parts(hint) if not typing.get_origin(part)):
            yield f"{name} must say what {key} holds, got {hint}"


def test_everything_public_says_its_types():
    found = public()
    assert {"rope", "golden.load", "models.flux", "Frequencies", "Report", "Grid", "ModelConfig"} <= set(found)
    assert [sentence for pair in found.items() for name, one in members(*pair) for sentence in lacking(name, one)] == []


def test_a_missing_type_is_named():
    def bare(x, *, pairing: types.Pairing, axes: tuple = ()) -> types.Array: ...

    def silent(x: int): ...

    class Held:
        @property
        def size(self): ...

    assert list(lacking("bare", bare)) == [
        "bare must say the type of x, got none",
        "bare must say what axes holds, got <class 'tuple'>",
    ]
    assert list(lacking("silent", silent)) == ["silent must say what it returns, got no type"]
    (_, (name, size)) = members("Held", Held)
    assert list(lacking(name, size)) == ["Held.size must say what it returns, got no type"]


# -- each is true -----------------------------------------------------------------------------------------------------


def fits(value, hint):
    """Whether a value is of a type; of protocols, and of what an array can be made of, nothing is known here."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is typing.Any or getattr(origin or hint, "_is_protocol", False) or isinstance(hint, typing.TypeVar):
        return True
    if origin in (typing.Union, UnionType):
        return any(fits(value, one) for one in args)
    if origin is typing.Literal:
        return value in args and isinstance(value, str)
    if origin is np.ndarray:
        (scalar,) = typing.get_args(args[1])
        return isinstance(value, np.ndarray) and (scalar is typing.Any or value.dtype == scalar)
    if origin is tuple:
        args = args[:1] * len(value) if args[1:] == (...,) else args
        return isinstance(value, tuple) and len(value) == len(args) and all(map(fits, value, args))
    if origin is type:
        return isinstance(value, type)
    if origin in (dict, list, collections.abc.Sequence, collections.abc.Mapping):
        held = value.items() if isinstance(value, dict) else value
        pair = tuple[args] if isinstance(value, dict) else args[0]
        return isinstance(value, origin) and all(fits(one, pair) for one in held)
    kinds = {None: NoneType, float: (int, float)}
    return isinstance(value, kinds.get(hint, origin or hint))


def typed(name):
    """The function that says the types of one that `hostile` names; of a model that is its preset."""
    return models.find(name[12:-1]).encoding if name.startswith("models.load(") else hostile.functions()[name]


@pytest.mark.parametrize("name", hostile.functions())
def test_defaults_arguments_and_results_are_as_typed(name):
    function = typed(name)
    hints = hints_of(function)
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.default is parameter.empty or fits(parameter.default, hints[parameter.name]), parameter.name
    calls = hostile.valid_calls(name)
    assert calls
    for call in {call.origin: call for call in (*calls[:3], calls[-1]) if call.size < 5000}.values():
        for argument, value in hostile.bound(name, call).items():
            hint = hints.get(argument, typing.Any)  # one of *rest and **options
            assert fits(value, hint), (argument, hint, value)
        result = hostile.made(name, hostile.bound(name, call))
        assert fits(result, hints["return"]), (hints["return"], result)


#: a model with its sizes for each kind of positions there is
PLACED = {
    "dinov3": {"height": 2, "width": 3},
    "esmfold2": {"ref_pos": [[0.5, 1, 2], [3, 4, 5]], "ref_space_uid": [0, 1]},
    "flux": {"height": 2, "width": 3, "text_length": 1},
    "llama": {"length": 5},
    "music_flamingo": {"count": 2, "length": 3},
    "vjepa2": {"frames": 1, "height": 2, "width": 3},
}


@pytest.mark.parametrize("name", PLACED)
def test_what_a_model_gives_is_as_typed(name):
    positions, encoding = models.positions(name, **PLACED[name]), models.load(name)
    assert fits(positions, hints_of(models.positions)["return"]), positions
    hints = hints_of(type(encoding).table)
    assert fits(positions, hints["positions"]) and fits(encoding.table(positions, dtype="float32"), hints["return"])


def test_the_models_have_positions_of_every_kind():
    kinds = {type(models.positions(name, **sizes)).__name__ for name, sizes in PLACED.items()}
    assert kinds == {"Grid", "Positions", "list", "ndarray"}


def test_the_check_of_a_value_sees_what_does_not_fit():
    wrong = (
        (None, int), ("hlaf", types.Pairing), (np.ones(3), types.Integers), ((np.ones(2),), tuple[int, int]),
        ([1, "2"], collections.abc.Sequence[int]), ("1", types.Number), ({"a": 1}, dict[str, str]), ([], tuple[()]),
    )  # fmt: skip
    assert [pair for pair in wrong if fits(pair[0], expanded(pair[1]))] == []
    assert fits("half", types.Pairing) and fits((1, 2), tuple[int, ...]) and fits(None, int | None)


# -- choices ----------------------------------------------------------------------------------------------------------


def choices():
    """(name of a function as `hostile` has it, parameter, the names of its type), for every choice."""
    for name in hostile.functions():
        for parameter, hint in hints_of(typed(name)).items():
            unions = typing.get_origin(hint) in (typing.Union, UnionType)
            literals = [one for one in (typing.get_args(hint) if unions else [hint]) if literal(one)]
            names = [name for one in literals for name in typing.get_args(one)]
            if names and parameter != "return":
                yield name, parameter, tuple(names)


def literal(hint):
    return typing.get_origin(hint) is typing.Literal


def refusal(name, parameter):
    """What a function says of a name that it does not know."""
    arguments = hostile.bound(name, hostile.call_for(name, parameter))
    with pytest.raises(refpos.InputError) as error:
        hostile.made(name, {**arguments, parameter: WRONG})
    return str(error.value)


@pytest.mark.parametrize(("name", "parameter", "names"), list(choices()), ids=lambda value: str(value)[:40])
def test_a_choice_is_checked_as_it_is_typed(name, parameter, names):
    if (name, parameter) == ("compare", "conformance"):
        names = names[:2]  # the others need bounds
    # of the dtypes the message names the formats
    called, names = ("dtype", typing.get_args(types.FloatName)) if "float32" in names else (parameter, names)
    assert refusal(name, parameter) == f"{called} must be {checks.one_of(names, WRONG)}, got '{WRONG}'"


def test_the_choices_of_the_package():
    found = {(name, parameter) for name, parameter, _ in choices()}
    assert {("rope", "pairing"), ("golden.cases", "tier"), ("conversion.layout", "place")} <= found and len(found) > 90
    assert typing.get_args(types.FloatName) == tuple(formats.FORMATS)
    assert typing.get_args(types.ClassName) == tuple(conformance.CLASSES)


# -- as users write it ------------------------------------------------------------------------------------------------


def test_what_type_checkers_accept_works():
    results = typed_use.run()
    assert len(results) > 15 and results[-1] == "E_ODD_DIM dim: dim must be even, got 7"


def test_the_package_says_that_it_is_typed():
    assert (Path(refpos.__file__).parent / "py.typed").exists()
    assert all(isinstance(room, ModuleType) and room.__all__ for room in ROOMS)
    assert not dataclasses.is_dataclass(types.HasDType)
