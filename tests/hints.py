"""The types of functions without the names that `type` statements give them; NumPy has such since 2.5."""

import functools
import types
import typing


def hints_of(value):
    """{name: type} of a function or a class; a type that is misspelt is a NameError."""
    return {name: expanded(hint) for name, hint in typing.get_type_hints(value).items()}


def expanded(hint):
    """A type, and all that it is made of, with what its names stand for."""
    origin, args = typing.get_origin(hint), tuple(map(expanded, typing.get_args(hint)))
    named = hint if origin is None else origin
    if type(named).__name__ == "TypeAliasType":
        return expanded(_substituted(named.__value__, dict(zip(named.__type_params__, args, strict=True))))
    if not args or origin is typing.Literal:
        return hint
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(lambda one, other: typing.Union[one, other], args)
    return origin[args] if args != typing.get_args(hint) else hint


def _substituted(value, known):
    parameters = getattr(value, "__parameters__", ())
    return value[tuple(known[one] for one in parameters)] if parameters else value
